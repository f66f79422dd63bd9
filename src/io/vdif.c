/* The VDIF reader: its frames (vdif_scan.c), their times (vdif_time.c), and what the headers say.
 */
#include "io/vdif.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int recognise(clr_bytes *bytes)
{
    clr_vdif_header header;
    uint64_t offset;
    /* A lone frame has no second header to prove it: then it must be the whole file, or its
     * extended data must carry the sync word. */
    return clr_vdif_find_first(bytes, 0, &header, &offset) ||
           (clr_vdif_find_first(bytes, 1, &header, &offset) &&
            (offset || header.extended[1] == (uint32_t)CLR_VDIF_SYNC));
}

/*
 * The default map. One or two threads of a station are its polarisations. With more, nothing in the
 * header says what they are: each becomes a station of its own.
 */
static void map_inputs(clr_source *source, const clr_vdif *vdif)
{
    clr_source_info *info = &source->info;
    uint32_t end, stations = 0, most = 0, apart = 0;
    for (uint32_t i = 0; i < vdif->inputs; i = end) {
        char station[16];
        uint32_t id = vdif->identity[i] >> 10;
        for (end = i; end < vdif->inputs && vdif->identity[end] >> 10 == id; end++)
            ;
        clr_vdif_station_text(id, station);
        int together = end - i <= 2;
        apart += !together;
        for (uint32_t k = i; k < end; k++) {
            clr_source_input *input = &info->input[k];
            unsigned thread = vdif->identity[k] & 1023;
            snprintf(input->name, sizeof input->name, "station %s thread %u", station, thread);
            if (together)
                clr_copy_text(input->station, sizeof input->station, station);
            else
                snprintf(input->station, sizeof input->station, "%.6s-%u", station, thread & 1023);
            input->station_index = together ? stations : stations + (k - i);
            input->polarisation = together ? k - i : 0;
        }
        stations += together ? 1 : end - i;
        most = most > 1 || (together && end - i == 2) ? 2 : 1;
    }
    info->stations = stations;
    info->polarisations = most;
    if (apart)
        clr_source_add_remark(source,
                              "the headers do not say which threads are polarisations of one "
                              "antenna: each thread is taken as a station of its own");
    if (info->stations * most != info->inputs)
        clr_source_add_remark(source, "some stations have one thread and some have two");
}

static void header_rows(clr_source *source, const clr_vdif *vdif)
{
    const clr_vdif_header *header = &vdif->header;
    clr_source_add_row(source, "VDIF version", "%u", (unsigned)header->version);
    clr_source_add_row(source, "reference epoch", "%u (%u-%s-01)", (unsigned)header->epoch,
                       2000 + (unsigned)header->epoch / 2, header->epoch % 2 ? "07" : "01");
    clr_source_add_row(source, "seconds, frame of the first", "%u, %u", (unsigned)header->seconds,
                       (unsigned)header->number);
    clr_source_add_row(source, "frame", "%u bytes, %llu samples of %u channels",
                       (unsigned)header->frame_bytes, (unsigned long long)vdif->frames.samples,
                       1u << header->log2_channels);
    clr_source_add_row(source, "frames", "%llu, %llu of them marked invalid",
                       (unsigned long long)vdif->total, (unsigned long long)vdif->invalid);
    if (header->legacy)
        clr_source_add_row(source, "extended data", "none (legacy header of 16 bytes)");
    else
        clr_source_add_row(source, "extended data version", "%u", (unsigned)header->edv);
    if (header->edv == 1 || header->edv == 3) {
        double rate = clr_vdif_header_rate(header);
        if (rate > 0)
            clr_source_add_row(source, "sample rate of the header", "%.12g Hz", rate);
        if (header->extended[1] != (uint32_t)CLR_VDIF_SYNC)
            clr_source_add_remark(source,
                                  "the extended data lack their sync word (0x%08x instead of "
                                  "0xacabfeed) and are not used",
                                  (unsigned)header->extended[1]);
    }
    char name[9] = "";
    for (int i = 0; i < 8 && header->edv == 1; i++) {
        int letter = (int)(header->extended[2 + i / 4] >> (8 * (i % 4)) & 255);
        name[i] = (char)(letter && !isprint(letter) ? '?' : letter);
    }
    if (*name)
        clr_source_add_row(source, "name in the extended data", "%s", name);
    if (header->edv == 3 && header->extended[1] == (uint32_t)CLR_VDIF_SYNC) {
        uint32_t word = header->extended[3];
        clr_source_add_row(source, "tuning word of the first thread", "0x%08x",
                           (unsigned)header->extended[2]);
        clr_source_add_row(source, "DBE unit, IF, subband", "%u, %u, %u",
                           (unsigned)(word >> 24 & 15), (unsigned)(word >> 20 & 15),
                           (unsigned)(word >> 17 & 7));
        clr_source_add_row(source, "electronic sideband bit", "%u (1: upper)",
                           (unsigned)(word >> 16 & 1));
    }
}

static clradio_status open_vdif(clr_source *source)
{
    clr_source_info *info = &source->info;
    clr_copy_text(info->format, sizeof info->format, "VDIF");
    clr_vdif *vdif = calloc(1, sizeof *vdif);
    if (!vdif)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a VDIF reader");
    source->state = vdif;
    clradio_status status = clr_vdif_scan(source, vdif);
    if (status)
        return status;
    const clr_vdif_header *header = &vdif->header;
    if (source->options.real_high && !(header->bits == 4 && header->complex_samples))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "the order of the nibbles can be chosen for 4-bit complex samples only");
    clr_frames *frames = &vdif->frames;
    frames->samples = clr_vdif_header_samples(header);
    frames->header_bytes = clr_vdif_header_bytes(header);
    frames->coding.bits = header->bits;
    frames->coding.complex_samples = header->complex_samples;
    frames->coding.real_high = source->options.real_high;
    frames->coding.kind = source->options.twos_complement ? CLR_TWOS_COMPLEMENT : CLR_OFFSET_BINARY;
    clr_coding_prepare(&frames->coding);
    clr_source_set_coding(source, &frames->coding);
    info->channels = 1u << header->log2_channels;
    if ((status = clr_vdif_place(source, vdif)) ||
        (status = clr_source_make_inputs(source, vdif->inputs)))
        return status;
    map_inputs(source, vdif);
    header_rows(source, vdif);
    if (header->bits == 32)
        clr_source_add_remark(source, "32-bit samples are read as floats: values beyond 2^24 are "
                                      "rounded");
    return CLRADIO_OK;
}

static clradio_status read_vdif(clr_source *source, const clr_read *read)
{
    const clr_vdif *vdif = source->state;
    return clr_frames_read(source, &vdif->frames, read);
}

static void close_vdif(clr_source *source)
{
    clr_vdif *vdif = source->state;
    if (!vdif)
        return;
    clr_frames_free(&vdif->frames);
    free(vdif->identity);
    free(vdif);
}

const clr_reader clr_vdif_reader = { "vdif", recognise, open_vdif, read_vdif, close_vdif };
