/* Writing VDIF: frames of all threads, in the order of their ids, one time after the other. */
#include "io/voltage_writer.h"

#include "base/checked.h"
#include "base/file.h"
#include "io/unpack.h"
#include "io/vdif_header.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct clr_vdif_writer {
    clr_new_file file;
    clr_vdif_header header;
    clr_coding coding;
    uint32_t threads, channels;
    uint32_t *station; /* [threads] */
    uint32_t samples;  /* in a frame */
    uint32_t frames_per_second;
    uint64_t frame;        /* number of the next one, from the epoch's start on */
    uint32_t held;         /* times in row */
    unsigned char *row;    /* [thread][time][channel]: the frames that are being filled, unpacked */
    unsigned char *packed; /* one frame */
};

static clradio_status broken(const char *sentence)
{
    return clr_fail(CLRADIO_ERROR_ARGUMENT, "cannot write VDIF: %s", sentence);
}

/* Time samples a frame: whole 8-byte words, a whole number of frames a second, near 8000 bytes; EDV
 * 3 prefers its 5000 or 1000 bytes. 0: there is none. */
static uint32_t choose_samples(const clr_vdif_writer_config *config, uint64_t sample_bits)
{
    uint64_t rate = (uint64_t)config->sample_rate_hz;
    static const uint64_t edv3[] = { 40000, 8000 };
    for (size_t i = 0; i < 2 && config->edv == 3; i++)
        if (edv3[i] % sample_bits == 0 && rate % (edv3[i] / sample_bits) == 0 &&
            rate / (edv3[i] / sample_bits) <= 1u << 24)
            return (uint32_t)(edv3[i] / sample_bits);
    uint64_t most = 64000 / sample_bits;
    for (uint64_t n = most ? most : 1; n >= 1; n--)
        if (rate % n == 0 && n * sample_bits % 64 == 0 && rate / n <= 1u << 24)
            return (uint32_t)n;
    for (uint64_t n = most + 1; n <= 1u << 20; n++)
        if (rate % n == 0 && n * sample_bits % 64 == 0 && rate / n <= 1u << 24)
            return (uint32_t)n;
    return 0;
}

static clradio_status check(const clr_vdif_writer_config *config)
{
    if (!(config->sample_rate_hz >= 1) || config->sample_rate_hz > 9e15 ||
        config->sample_rate_hz != floor(config->sample_rate_hz))
        return broken("the sample rate must be a whole number of hertz");
    if (!config->threads || config->threads > 1024)
        return broken("there are 1 to 1024 threads");
    if (!config->channels || (config->channels & (config->channels - 1)) ||
        config->channels > 1u << 24)
        return broken("the number of channels must be a power of two");
    if (!config->bits || config->bits > 32 || (config->bits & (config->bits - 1)))
        return broken("samples have 1, 2, 4, 8, 16 or 32 bits");
    if ((config->edv != 0 && config->edv != 1 && config->edv != 3) ||
        (config->legacy && config->edv))
        return broken("the extended data version is 0, 1 or 3, and 0 with legacy headers");
    if (config->real_high && (config->bits != 4 || !config->complex_samples))
        return broken("the order of the nibbles can be chosen for 4-bit complex samples only");
    return CLRADIO_OK;
}

/* The rate in the extended data: kHz or MHz of complex samples, 23 bits. */
static clradio_status put_rate(const clr_vdif_writer_config *config, clr_vdif_header *header)
{
    if (!config->edv)
        return CLRADIO_OK;
    double complex_rate = config->sample_rate_hz / (config->complex_samples ? 1 : 2);
    double unit = fmod(complex_rate, 1e6) == 0 ? 1e6 : 1e3;
    double count = complex_rate / unit;
    if (count != floor(count) || count > 0x7fffff)
        return broken("EDV 1 and 3 take whole kHz (complex rate) below 8.4 GHz as a sample rate; "
                      "EDV 0 takes any");
    header->extended[0] = (uint32_t)count | (unit == 1e6) << 23;
    header->extended[1] = (uint32_t)CLR_VDIF_SYNC;
    if (config->edv == 3)
        header->extended[3] = 1u << 16; /* upper sideband */
    return CLRADIO_OK;
}

static clradio_status put_start(const clr_vdif_writer_config *config, clr_vdif_writer *writer)
{
    int64_t seconds = clr_time_elapsed(config->start);
    uint32_t epoch = 0;
    while (epoch < 63 && clr_vdif_epoch_start(epoch + 1) <= seconds)
        epoch++;
    seconds -= clr_vdif_epoch_start(epoch);
    if (seconds < 0 || seconds >= 1 << 30)
        return broken("the start lies outside the years that the format can say (from 2000 on)");
    double frame = config->start.fraction * writer->frames_per_second;
    double near = floor(frame + 0.5);
    if (fabs(frame - near) > 1e-6)
        return broken("the start does not fall on a frame");
    writer->header.epoch = epoch;
    writer->frame = (uint64_t)seconds * writer->frames_per_second + (uint64_t)near;
    return CLRADIO_OK;
}

static clradio_status put_stations(const clr_vdif_writer_config *config, clr_vdif_writer *writer)
{
    writer->station = calloc(config->threads, sizeof *writer->station);
    if (!writer->station)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a VDIF writer");
    for (uint32_t i = 0; config->stations && i < config->threads; i++)
        if (!clr_vdif_station_parse(config->stations[i], &writer->station[i]))
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "cannot write VDIF: the station '%s' is neither two letters nor a "
                            "number below 65536",
                            config->stations[i]);
    return CLRADIO_OK;
}

static clradio_status set_up(const clr_vdif_writer_config *config, clr_vdif_writer *writer)
{
    uint64_t sample_bits =
        (uint64_t)config->channels * config->bits * (config->complex_samples ? 2 : 1);
    writer->samples =
        config->samples_per_frame ? config->samples_per_frame : choose_samples(config, sample_bits);
    uint64_t rate = (uint64_t)config->sample_rate_hz, bits;
    if (!writer->samples || rate % writer->samples || rate / writer->samples > 1u << 24)
        return broken("a second must be a whole number of frames, at most 2^24");
    if (!clr_mul_u64(writer->samples, sample_bits, &bits) || bits % 64 || bits >> 29)
        return broken("a frame must be a whole number of 8-byte words, below 64 MiB");
    writer->frames_per_second = (uint32_t)(rate / writer->samples);
    writer->threads = config->threads;
    writer->channels = config->channels;
    writer->coding =
        (clr_coding){ .bits = config->bits,
                      .complex_samples = config->complex_samples,
                      .real_high = config->real_high,
                      .kind = config->twos_complement ? CLR_TWOS_COMPLEMENT : CLR_OFFSET_BINARY };
    clr_vdif_header *header = &writer->header;
    header->legacy = config->legacy != 0;
    header->complex_samples = config->complex_samples != 0;
    header->version = 1;
    while (1u << header->log2_channels < config->channels)
        header->log2_channels++;
    header->frame_bytes = (uint32_t)(clr_vdif_header_bytes(header) + bits / 8);
    header->bits = config->bits;
    header->edv = config->edv;
    clradio_status status = put_rate(config, header);
    if (!status)
        status = put_start(config, writer);
    if (!status)
        status = put_stations(config, writer);
    if (status)
        return status;
    size_t components = (size_t)(bits / config->bits);
    writer->row =
        malloc(components * clr_coding_component_bytes(&writer->coding) * config->threads);
    writer->packed = malloc(header->frame_bytes);
    if (!writer->row || !writer->packed)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a VDIF writer");
    return CLRADIO_OK;
}

clradio_status clr_vdif_writer_open(const clr_vdif_writer_config *config, clr_vdif_writer **out)
{
    *out = NULL;
    clradio_status status = check(config);
    if (status)
        return status;
    clr_vdif_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a VDIF writer");
    status = set_up(config, writer);
    if (!status)
        status = clr_new_file_begin(config->path, 0644, &writer->file);
    if (status) {
        clr_vdif_writer_abandon(writer);
        return status;
    }
    *out = writer;
    return CLRADIO_OK;
}

uint32_t clr_vdif_writer_samples_per_frame(const clr_vdif_writer *writer)
{
    return writer->samples;
}

static clradio_status write_frames(clr_vdif_writer *writer)
{
    size_t components =
        (size_t)writer->samples * writer->channels * (writer->coding.complex_samples ? 2 : 1);
    size_t each = components * clr_coding_component_bytes(&writer->coding);
    clr_vdif_header *header = &writer->header;
    header->seconds = (uint32_t)(writer->frame / writer->frames_per_second);
    header->number = (uint32_t)(writer->frame % writer->frames_per_second);
    if (header->seconds >= 1u << 30)
        return broken("the time is past what the reference epoch can count");
    for (uint32_t i = 0; i < writer->threads; i++) {
        header->thread = i;
        header->station = writer->station[i];
        clr_vdif_header_encode(header, writer->packed);
        size_t packed = clr_pack(&writer->coding, writer->row + i * each, components,
                                 writer->packed + clr_vdif_header_bytes(header));
        if (packed < components)
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "cannot write VDIF: a sample of thread %u is no value of %u bits",
                            (unsigned)i, writer->coding.bits);
        if (fwrite(writer->packed, 1, header->frame_bytes, writer->file.stream) !=
            header->frame_bytes)
            return clr_fail(CLRADIO_ERROR_IO, "cannot write '%s': %s", writer->file.path,
                            strerror(errno));
    }
    writer->frame++;
    writer->held = 0;
    return CLRADIO_OK;
}

clradio_status clr_vdif_writer_write(clr_vdif_writer *writer, const void *samples, uint64_t count)
{
    const unsigned char *from = samples;
    size_t size =
        clr_coding_component_bytes(&writer->coding) * (writer->coding.complex_samples ? 2 : 1);
    clradio_status status = CLRADIO_OK;
    for (uint64_t t = 0; !status && t < count; t++) {
        for (uint32_t c = 0; c < writer->channels; c++)
            for (uint32_t i = 0; i < writer->threads; i++, from += size)
                memcpy(writer->row +
                           (((size_t)i * writer->samples + writer->held) * writer->channels + c) *
                               size,
                       from, size);
        if (++writer->held == writer->samples)
            status = write_frames(writer);
    }
    return status;
}

clradio_status clr_vdif_writer_close(clr_vdif_writer *writer)
{
    clradio_status status = CLRADIO_OK;
    if (writer->held)
        status = clr_fail(CLRADIO_ERROR_STATE,
                          "cannot end the VDIF file: the last %u samples do not fill a frame of %u",
                          (unsigned)writer->held, (unsigned)writer->samples);
    else
        status = clr_new_file_commit(&writer->file);
    clr_vdif_writer_abandon(writer);
    return status;
}

void clr_vdif_writer_abandon(clr_vdif_writer *writer)
{
    if (!writer)
        return;
    clr_new_file_abandon(&writer->file);
    free(writer->station);
    free(writer->row);
    free(writer->packed);
    free(writer);
}
