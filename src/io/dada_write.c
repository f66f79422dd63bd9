/* Writing DADA: a text header and raw samples, as the reader gives them out. */
#include "io/voltage_writer.h"

#include "base/file.h"
#include "base/text.h"
#include "io/unpack.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct clr_dada_writer {
    clr_new_file file;
    clr_coding coding;
    size_t sample_components; /* of a time */
    size_t header_bytes;
    uint64_t samples; /* written so far */
    clr_text header;  /* without FILE_SIZE, which comes last */
};

static void describe(const clr_dada_writer_config *config, size_t sample_bytes, clr_text *text)
{
    char start[40];
    clr_time begin = clr_time_add_samples(config->start, -(int64_t)config->offset_samples,
                                          config->sample_rate_hz);
    double picoseconds = rint(begin.fraction * 1e12);
    begin.fraction = 0;
    if (picoseconds >= 1e12) {
        begin = clr_time_from_elapsed(clr_time_elapsed(begin) + 1, 0);
        picoseconds = 0;
    }
    clr_time_text(begin, start);
    start[10] = '-'; /* yyyy-mm-dd-hh:mm:ss */
    start[19] = '\0';
    clr_text_add(text,
                 "HEADER DADA\nHDR_VERSION 1.0\nHDR_SIZE %u\nUTC_START %s\nPICOSECONDS %.0f\n"
                 "OBS_OFFSET %llu\n",
                 (unsigned)(config->header_bytes ? config->header_bytes : 4096), start, picoseconds,
                 (unsigned long long)config->offset_samples * sample_bytes);
    clr_text_add(text,
                 "NBIT %u\nNDIM %d\nNPOL %u\nNCHAN %u\nORDER TFP\nENDIAN LITTLE\nENCODING %s\n",
                 config->bits, config->complex_samples ? 2 : 1, (unsigned)config->polarisations,
                 (unsigned)config->channels, config->bits == 32 ? "FLOAT" : "TWOSCOMPLEMENT");
    clr_text_add(text, "TSAMP %.17g # microseconds\nBYTES_PER_SECOND %.17g\n",
                 1e6 / config->sample_rate_hz, config->sample_rate_hz * (double)sample_bytes);
    if (config->frequency_mhz != 0)
        clr_text_add(text, "FREQ %.17g # MHz\n", config->frequency_mhz);
    if (config->bandwidth_mhz != 0)
        clr_text_add(text, "BW %.17g # MHz\n", config->bandwidth_mhz);
    if (config->telescope)
        clr_text_add(text, "TELESCOPE %s\n", config->telescope);
    if (config->object)
        clr_text_add(text, "SOURCE %s\n", config->object);
}

clradio_status clr_dada_writer_open(const clr_dada_writer_config *config, clr_dada_writer **out)
{
    *out = NULL;
    if (!(config->sample_rate_hz > 0) || !config->channels || !config->polarisations ||
        (config->bits != 8 && config->bits != 16 && config->bits != 32) ||
        config->offset_samples > INT64_MAX / 2)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "cannot write DADA: it needs a sample rate, channels, polarisations and 8, "
                        "16 or 32 bits");
    clr_dada_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a DADA writer");
    writer->coding =
        (clr_coding){ .bits = config->bits,
                      .complex_samples = config->complex_samples,
                      .kind = config->bits == 32 ? CLR_IEEE_FLOAT : CLR_TWOS_COMPLEMENT };
    writer->sample_components =
        (size_t)config->channels * config->polarisations * (config->complex_samples ? 2 : 1);
    writer->header_bytes = config->header_bytes ? config->header_bytes : 4096;
    describe(config, writer->sample_components * config->bits / 8, &writer->header);
    clradio_status status = CLRADIO_OK;
    if (writer->header.failed)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a DADA header");
    else if (writer->header.length + 40 > writer->header_bytes)
        status =
            clr_fail(CLRADIO_ERROR_ARGUMENT,
                     "cannot write DADA: a header of %zu bytes is too small", writer->header_bytes);
    if (!status)
        status = clr_new_file_begin(config->path, 0644, &writer->file);
    for (size_t i = 0; !status && i < writer->header_bytes; i++)
        if (putc(0, writer->file.stream) == EOF)
            status =
                clr_fail(CLRADIO_ERROR_IO, "cannot write '%s': %s", config->path, strerror(errno));
    if (status) {
        clr_dada_writer_abandon(writer);
        return status;
    }
    *out = writer;
    return CLRADIO_OK;
}

clradio_status clr_dada_writer_write(clr_dada_writer *writer, const void *samples, uint64_t count)
{
    enum { PIECE = 4096 };
    unsigned char packed[PIECE * 4];
    const unsigned char *from = samples;
    uint64_t left = count * writer->sample_components;
    size_t size = clr_coding_component_bytes(&writer->coding);
    while (left) {
        size_t n = left < PIECE ? (size_t)left : PIECE;
        size_t bytes = n * writer->coding.bits / 8;
        clr_pack(&writer->coding, from, n, packed);
        if (fwrite(packed, 1, bytes, writer->file.stream) != bytes)
            return clr_fail(CLRADIO_ERROR_IO, "cannot write '%s': %s", writer->file.path,
                            strerror(errno));
        from += n * size;
        left -= n;
    }
    writer->samples += count;
    return CLRADIO_OK;
}

clradio_status clr_dada_writer_close(clr_dada_writer *writer)
{
    clr_text_add(&writer->header, "FILE_SIZE %llu\n",
                 (unsigned long long)writer->samples * writer->sample_components *
                     writer->coding.bits / 8);
    clradio_status status = CLRADIO_OK;
    if (writer->header.failed)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a DADA header");
    else if (fseek(writer->file.stream, 0, SEEK_SET) ||
             fwrite(writer->header.bytes, 1, writer->header.length, writer->file.stream) !=
                 writer->header.length)
        status =
            clr_fail(CLRADIO_ERROR_IO, "cannot write '%s': %s", writer->file.path, strerror(errno));
    else
        status = clr_new_file_commit(&writer->file);
    clr_dada_writer_abandon(writer);
    return status;
}

void clr_dada_writer_abandon(clr_dada_writer *writer)
{
    if (!writer)
        return;
    clr_new_file_abandon(&writer->file);
    clr_text_free(&writer->header);
    free(writer);
}
