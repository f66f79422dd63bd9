/* What the tests of the readers share. */
#include "voltage_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

test_bytes load_file(const char *path)
{
    test_bytes bytes = { 0 };
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    bytes.count = (size_t)ftell(stream);
    rewind(stream);
    bytes.at = malloc(bytes.count + 1);
    assert_int_equal(fread(bytes.at, 1, bytes.count, stream), bytes.count);
    fclose(stream);
    return bytes;
}

void store_file(const char *path, const void *bytes, size_t count)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    if (count)
        assert_int_equal(fwrite(bytes, 1, count, stream), count);
    assert_int_equal(fclose(stream), 0);
}

size_t component_bytes(unsigned bits)
{
    return bits <= 8 ? 1 : bits / 8;
}

void *random_components(uint64_t *seed, unsigned bits, size_t n)
{
    void *values = malloc(n * component_bytes(bits) + 1);
    for (size_t i = 0; i < n; i++) {
        int64_t half = bits == 32 ? 1 << 24 : (int64_t)1 << (bits - 1);
        int64_t value = test_random_between(seed, -half, half - 1);
        if (bits <= 2)
            value = 2 * value + 1;
        if (bits <= 8)
            ((int8_t *)values)[i] = (int8_t)value;
        else if (bits == 16)
            ((int16_t *)values)[i] = (int16_t)value;
        else
            ((float *)values)[i] = (float)value;
    }
    return values;
}

void *write_vdif(const clr_vdif_writer_config *config, uint64_t samples, uint64_t seed)
{
    size_t n =
        (size_t)samples * config->channels * config->threads * (config->complex_samples ? 2 : 1);
    void *values = random_components(&seed, config->bits, n);
    clr_vdif_writer *writer;
    assert_ok(clr_vdif_writer_open(config, &writer));
    assert_ok(clr_vdif_writer_write(writer, values, samples));
    assert_ok(clr_vdif_writer_close(writer));
    return values;
}

const char *data_file(const char *name)
{
    static char path[4096];
    const char *folder = getenv("CLRADIO_DATA");
    static const char *const places[] = { "%s/voltages/%s", "%s/%s" };
    for (int i = 0; folder && *folder && i < 2; i++) {
        snprintf(path, sizeof path, places[i], folder, name);
        if (access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}
