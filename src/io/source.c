/* Opening a voltage file by its content, and what all formats share: remarks, rows, reads past the
 * ends. */
#include "io/reader.h"

#include "base/checked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const clr_reader *const readers[] = { &clr_dada_reader, &clr_tbn_reader, &clr_vdif_reader };
enum { READERS = sizeof readers / sizeof *readers };

static char *formatted(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

static void keep_remark(clr_source *source, char *text)
{
    char **larger = text ? realloc(source->remark, (source->remarks + 1) * sizeof *larger) : NULL;
    if (!larger) {
        free(text);
        source->failed = 1;
        return;
    }
    source->remark = larger;
    source->remark[source->remarks++] = text;
}

void clr_source_add_remark(clr_source *source, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    keep_remark(source, formatted(format, arguments));
    va_end(arguments);
}

void clr_source_add_damage(clr_source *source, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = formatted(format, arguments);
    va_end(arguments);
    if (text && source->options.strict && !source->damaged)
        clr_fail(CLRADIO_ERROR_FORMAT, "%s", text);
    source->damaged = 1;
    keep_remark(source, text);
}

void clr_source_add_row(clr_source *source, const char *key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *value = formatted(format, arguments);
    va_end(arguments);
    char *name = strdup(key);
    clr_source_row *larger =
        value && name ? realloc(source->row, (source->rows + 1) * sizeof *larger) : NULL;
    if (!larger) {
        free(value);
        free(name);
        source->failed = 1;
        return;
    }
    source->row = larger;
    source->row[source->rows++] = (clr_source_row){ name, value };
}

void clr_source_set_coding(clr_source *source, const clr_coding *coding)
{
    static const clradio_type real[] = { CLRADIO_I8, CLRADIO_I16, CLRADIO_F32 };
    static const clradio_type complex_[] = { CLRADIO_CI8, CLRADIO_CI16, CLRADIO_CF32 };
    clr_source_info *info = &source->info;
    int width = coding->bits <= 8 ? 0 : coding->bits == 16 ? 1 : 2;
    info->natural = coding->complex_samples ? complex_[width] : real[width];
    info->bits = coding->bits;
    info->complex_samples = coding->complex_samples;
    info->largest = coding->kind == CLR_IEEE_FLOAT ? 3.4028234663852886e38
                    : coding->bits <= 2            ? (double)(2 * coding->bits - 1)
                                                   : (double)(1ull << (coding->bits - 1));
}

clradio_status clr_source_make_inputs(clr_source *source, uint32_t inputs)
{
    source->info.input = calloc(inputs ? inputs : 1, sizeof *source->info.input);
    if (!source->info.input)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %u inputs", (unsigned)inputs);
    source->info.inputs = inputs;
    return CLRADIO_OK;
}

static clradio_status choose_reader(clr_source *source)
{
    const char *format = source->options.format;
    const char *foreign = clr_foreign_format(&source->bytes);
    /* Its first bytes could be those of a VDIF header. */
    if (foreign && !strcmp(foreign, "HDF5"))
        return clr_fail(CLRADIO_ERROR_FORMAT, "this is an HDF5 file, such as UVH5: it holds no "
                                              "voltages that can be read");
    for (size_t i = 0; i < READERS; i++)
        if (format ? !strcasecmp(format, readers[i]->name)
                   : readers[i]->recognise(&source->bytes)) {
            source->reader = readers[i];
            return CLRADIO_OK;
        }
    if (format)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "'%s' is no format that can be read; there are vdif, dada and tbn", format);
    if (foreign)
        return clr_fail(
            CLRADIO_ERROR_FORMAT,
            "this looks like %s data, which cannot be read; VDIF, DADA or TBN files can", foreign);
    return clr_fail(CLRADIO_ERROR_FORMAT, "this is no VDIF, DADA or TBN file: its first bytes hold "
                                          "none of their headers");
}

/* The rows that all formats have, in front of those that the reader made. */
static void facts_first(clr_source *source)
{
    size_t headers = source->rows;
    clr_source_add_facts(source);
    source->facts = source->rows - headers;
    clr_source_row *sorted = malloc((source->rows + 1) * sizeof *sorted);
    if (!sorted || source->failed) {
        free(sorted);
        source->failed = 1;
        return;
    }
    memcpy(sorted, source->row + headers, source->facts * sizeof *sorted);
    if (headers)
        memcpy(sorted + source->facts, source->row, headers * sizeof *sorted);
    free(source->row);
    source->row = sorted;
}

static const char no_sample_rate[] = "the file does not say its sample rate";
static const char no_frequency[] = "the file does not say its frequency";

int clr_source_remark_is_absence(const char *remark)
{
    return !strcmp(remark, no_sample_rate) || !strcmp(remark, no_frequency);
}

static void general_remarks(clr_source *source)
{
    clr_source_info *info = &source->info;
    if (source->options.frequency_hz != 0) {
        if (info->frequency_hz != 0 && info->frequency_hz != source->options.frequency_hz)
            clr_source_add_remark(source, "the file says %.12g Hz; the frequency given is %.12g Hz",
                                  info->frequency_hz, source->options.frequency_hz);
        info->frequency_hz = source->options.frequency_hz;
    }
    if (!(info->sample_rate_hz > 0))
        clr_source_add_remark(source, "%s", no_sample_rate);
    if (info->frequency_hz == 0)
        clr_source_add_remark(source, "%s", no_frequency);
}

clradio_status clr_source_open(const char *path, const clr_source_options *options,
                               clr_source **source_out)
{
    static const clr_source_options defaults;
    *source_out = NULL;
    clr_source *source = calloc(1, sizeof *source);
    if (!source)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to open '%s'", path);
    source->options = options ? *options : defaults;
    clr_copy_text(source->info.path, sizeof source->info.path, path);
    clradio_status status = clr_bytes_open(path, &source->bytes);
    if (status) {
        free(source);
        return status;
    }
    if (!source->bytes.size)
        status = clr_fail(CLRADIO_ERROR_FORMAT, "the file is empty");
    if (!status)
        status = choose_reader(source);
    if (!status)
        status = source->reader->open(source);
    if (!status)
        general_remarks(source);
    if (!status)
        facts_first(source);
    if (!status && source->options.strict && source->damaged)
        status = CLRADIO_ERROR_FORMAT; /* the sentence is the first damage's */
    if (!status && source->failed)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the facts about the file");
    if (status) {
        clr_fail_in(status, "'%.400s'", path);
        clr_source_close(source);
        return status;
    }
    source->options.format = NULL;
    *source_out = source;
    return CLRADIO_OK;
}

void clr_source_close(clr_source *source)
{
    if (!source)
        return;
    if (source->reader)
        source->reader->close(source);
    for (size_t i = 0; i < source->remarks; i++)
        free(source->remark[i]);
    for (size_t i = 0; i < source->rows; i++) {
        free((char *)source->row[i].key);
        free((char *)source->row[i].value);
    }
    free(source->remark);
    free(source->row);
    free(source->info.input);
    clr_bytes_close(&source->bytes);
    free(source);
}

const clr_source_info *clr_source_get_info(const clr_source *source)
{
    return &source->info;
}

const char *clr_source_remark(const clr_source *source, size_t index)
{
    return index < source->remarks ? source->remark[index] : NULL;
}

size_t clr_read_element_bytes(const clr_source_info *info, int complex_output)
{
    return clradio_type_bytes(info->natural) * (complex_output && !info->complex_samples ? 2 : 1);
}

void clr_mask_set(uint64_t *mask, uint64_t from, uint64_t count)
{
    for (; count && from % 64; from++, count--)
        mask[from / 64] |= 1ull << (from % 64);
    for (; count >= 64; from += 64, count -= 64)
        mask[from / 64] = ~0ull;
    if (count)
        mask[from / 64] |= (1ull << count) - 1;
}

clradio_status clr_source_read(clr_source *source, uint64_t first, uint64_t count,
                               int complex_output, void *to, uint64_t *present)
{
    const clr_source_info *info = &source->info;
    uint64_t factors[] = { count, info->channels, info->inputs,
                           clr_read_element_bytes(info, complex_output) };
    uint64_t bytes;
    if (!clr_product_u64(factors, 4, &bytes) || bytes > SIZE_MAX / 2)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "a read of %llu samples is too large",
                        (unsigned long long)count);
    memset(to, 0, (size_t)bytes);
    size_t words = (size_t)clr_ceil_div(count, 64);
    if (present)
        memset(present, 0, words * info->inputs * sizeof *present);
    if (first >= info->samples || !count)
        return CLRADIO_OK;
    clr_read read = { .first = first,
                      .count = clr_min_u64(count, info->samples - first),
                      .complex_output = complex_output && !info->complex_samples,
                      .to = to,
                      .present = present,
                      .words = words };
    clradio_status status = source->reader->read(source, &read);
    return status ? clr_fail_in(status, "'%.400s'", info->path) : CLRADIO_OK;
}
