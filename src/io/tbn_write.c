/* Writing LWA TBN frames: what the tests read, and a simulator may write. */
#include "io/voltage_writer.h"

#include "base/file.h"
#include "io/tbn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct clr_tbn_writer {
    clr_new_file file;
    clr_tbn_writer_config config;
    uint64_t tag;
    uint32_t number, held;
    unsigned char *row; /* [input][512][re, im] */
};

clradio_status clr_tbn_writer_open(const clr_tbn_writer_config *config, clr_tbn_writer **out)
{
    *out = NULL;
    if (!config->inputs || config->inputs > 1024 || !config->tags_per_sample)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "cannot write TBN: it needs 1 to 1024 inputs and a decimation");
    clr_tbn_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a TBN writer");
    writer->config = *config;
    writer->tag = config->first_tag;
    writer->row = malloc((size_t)config->inputs * CLR_TBN_SAMPLES * 2);
    clradio_status status = writer->row
                                ? clr_new_file_begin(config->path, 0644, &writer->file)
                                : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a TBN writer");
    if (status) {
        clr_tbn_writer_abandon(writer);
        return status;
    }
    *out = writer;
    return CLRADIO_OK;
}

static void put_big(unsigned char *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> (8 * (bytes - 1 - i)));
}

static clradio_status write_frames(clr_tbn_writer *writer)
{
    unsigned char frame[CLR_TBN_FRAME];
    writer->number = (writer->number + 1) & 0xffffff;
    for (uint32_t i = 0; i < writer->config.inputs; i++) {
        put_big(frame, CLR_TBN_SYNC, 4);
        put_big(frame + 4, writer->number, 4);
        put_big(frame + 8, writer->config.tuning_word, 4);
        put_big(frame + 12, i + 1, 2);
        put_big(frame + 14, 0, 2);
        put_big(frame + 16, writer->tag, 8);
        memcpy(frame + CLR_TBN_HEADER, writer->row + (size_t)i * CLR_TBN_SAMPLES * 2,
               CLR_TBN_SAMPLES * 2);
        if (fwrite(frame, 1, sizeof frame, writer->file.stream) != sizeof frame)
            return clr_fail(CLRADIO_ERROR_IO, "cannot write '%s': %s", writer->file.path,
                            strerror(errno));
    }
    writer->tag += (uint64_t)writer->config.tags_per_sample * CLR_TBN_SAMPLES;
    writer->held = 0;
    return CLRADIO_OK;
}

clradio_status clr_tbn_writer_write(clr_tbn_writer *writer, const void *samples, uint64_t count)
{
    const unsigned char *from = samples;
    clradio_status status = CLRADIO_OK;
    for (uint64_t t = 0; !status && t < count; t++) {
        for (uint32_t i = 0; i < writer->config.inputs; i++, from += 2)
            memcpy(writer->row + ((size_t)i * CLR_TBN_SAMPLES + writer->held) * 2, from, 2);
        if (++writer->held == CLR_TBN_SAMPLES)
            status = write_frames(writer);
    }
    return status;
}

clradio_status clr_tbn_writer_close(clr_tbn_writer *writer)
{
    clradio_status status =
        writer->held ? clr_fail(CLRADIO_ERROR_STATE,
                                "cannot end the TBN file: the last %u samples do not fill a frame",
                                (unsigned)writer->held)
                     : clr_new_file_commit(&writer->file);
    clr_tbn_writer_abandon(writer);
    return status;
}

void clr_tbn_writer_abandon(clr_tbn_writer *writer)
{
    if (!writer)
        return;
    clr_new_file_abandon(&writer->file);
    free(writer->row);
    free(writer);
}
