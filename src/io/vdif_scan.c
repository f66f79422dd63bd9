/* Walking through a VDIF file by its headers: frames of one shape, whatever lies between them. */
#include "io/vdif.h"

#include "base/checked.h"

static int header_at(clr_bytes *bytes, uint64_t offset, clr_vdif_header *header)
{
    if (offset >= bytes->size || bytes->size - offset < CLR_VDIF_LEGACY_HEADER)
        return 0;
    size_t count = (size_t)clr_min_u64(CLR_VDIF_HEADER, bytes->size - offset);
    const unsigned char *at = clr_bytes_view(bytes, offset, count);
    if (!at)
        return 0;
    clr_vdif_header_decode(at, count, header);
    return 1;
}

/* A header by itself, far from anything in the window: not worth a whole window. */
static int distant_header_at(clr_bytes *bytes, uint64_t offset, clr_vdif_header *header)
{
    unsigned char raw[CLR_VDIF_HEADER];
    if (offset >= bytes->size || bytes->size - offset < CLR_VDIF_LEGACY_HEADER)
        return 0;
    size_t count = (size_t)clr_min_u64(sizeof raw, bytes->size - offset);
    if (clr_bytes_read(bytes, offset, raw, count))
        return 0;
    clr_vdif_header_decode(raw, count, header);
    return 1;
}

/* The fields that all frames of a file share. */
static int same_shape(const clr_vdif_header *a, const clr_vdif_header *b)
{
    return a->legacy == b->legacy && a->frame_bytes == b->frame_bytes && a->bits == b->bits &&
           a->log2_channels == b->log2_channels && a->complex_samples == b->complex_samples;
}

/* More than the shape: the fields that stay the same in a recording of one station. */
static int familiar(const clr_vdif_header *a, const clr_vdif_header *b)
{
    uint32_t apart = a->seconds > b->seconds ? a->seconds - b->seconds : b->seconds - a->seconds;
    return a->version == b->version && a->epoch == b->epoch && a->station == b->station &&
           a->edv == b->edv && apart < 86400;
}

/* Whether a frame of that shape stands at offset, whole, with another or the end behind it. */
static int chained(clr_bytes *bytes, uint64_t offset, const clr_vdif_header *shape)
{
    clr_vdif_header here, next;
    if (!header_at(bytes, offset, &here) || !same_shape(&here, shape) ||
        bytes->size - offset < shape->frame_bytes)
        return 0;
    uint64_t behind = offset + shape->frame_bytes;
    if (bytes->size - behind < CLR_VDIF_LEGACY_HEADER)
        return 1;
    return distant_header_at(bytes, behind, &next) && same_shape(&next, shape);
}

int clr_vdif_find_first(clr_bytes *bytes, int patient, clr_vdif_header *header, uint64_t *offset)
{
    uint64_t limit = patient ? 1 << 20 : 4096;
    for (uint64_t at = 0; at < limit && header_at(bytes, at, header); at++)
        if (clr_vdif_header_plausible(header) && chained(bytes, at, header)) {
            *offset = at;
            return 1;
        }
    /* One whole frame and the beginning of a damaged or cut one. */
    if (header_at(bytes, 0, header) && clr_vdif_header_plausible(header) && patient &&
        header->frame_bytes <= bytes->size) {
        *offset = 0;
        return 1;
    }
    return 0;
}

/* The next frame of that shape behind offset, or the size of the file. */
static uint64_t resynchronise(clr_bytes *bytes, uint64_t offset, const clr_vdif_header *shape)
{
    uint64_t next = offset + shape->frame_bytes;
    if (chained(bytes, next, shape))
        return next; /* only a header was damaged */
    clr_vdif_header here;
    for (uint64_t at = offset + 1; header_at(bytes, at, &here); at++)
        if (same_shape(&here, shape) && (familiar(&here, shape) || chained(bytes, at, shape)))
            return at;
    return bytes->size;
}

static clradio_status take_frame(clr_vdif *vdif, const clr_vdif_header *header, uint64_t offset)
{
    int64_t seconds = clr_vdif_epoch_start(header->epoch) + header->seconds;
    vdif->total++;
    vdif->invalid += header->invalid != 0;
    clr_frame frame = { .index = seconds << 24 | header->number,
                        .offset = offset,
                        .input = header->station << 10 | header->thread,
                        .invalid = (uint32_t)header->invalid };
    return clr_frames_add(&vdif->frames, &frame);
}

clradio_status clr_vdif_scan(clr_source *source, clr_vdif *vdif)
{
    clr_bytes *bytes = &source->bytes;
    uint64_t offset, junk_at = 0, junk = 0, tail = 0;
    if (!clr_vdif_find_first(bytes, 1, &vdif->header, &offset))
        return clr_fail(CLRADIO_ERROR_FORMAT,
                        "no whole VDIF frame with a possible header was found at byte 0 or behind");
    /* With the shape known, a lone frame in front of the first chain is found too. */
    offset = 0;
    clradio_status status = CLRADIO_OK;
    int small = vdif->header.frame_bytes <= 4096;
    while (!status && offset < bytes->size) {
        clr_vdif_header header;
        int there =
            small ? header_at(bytes, offset, &header) : distant_header_at(bytes, offset, &header);
        if (there && same_shape(&header, &vdif->header)) {
            if (bytes->size - offset < header.frame_bytes) {
                tail = bytes->size - offset;
                break;
            }
            status = take_frame(vdif, &header, offset);
            offset += header.frame_bytes;
            continue;
        }
        if (!there) {
            tail = bytes->size - offset;
            break;
        }
        uint64_t next = resynchronise(bytes, offset, &vdif->header);
        junk_at = junk ? junk_at : offset;
        junk += next - offset;
        offset = next;
    }
    source->info.bytes_lost = junk + tail;
    if (!status && junk)
        clr_source_add_damage(source,
                              "%llu bytes that are no frame of %u bytes were skipped, the first at "
                              "byte %llu",
                              (unsigned long long)junk, (unsigned)vdif->header.frame_bytes,
                              (unsigned long long)junk_at);
    if (!status && tail)
        clr_source_add_damage(source, "the last %llu bytes are a frame that was cut short",
                              (unsigned long long)tail);
    return status;
}
