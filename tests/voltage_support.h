/* What the tests of the readers share: random samples that a coding holds, files as bytes. */
#ifndef CLR_TESTS_VOLTAGE_SUPPORT_H
#define CLR_TESTS_VOLTAGE_SUPPORT_H

#include "support.h"

#include "io/source.h"
#include "io/voltage_writer.h"

/* A file in memory. */
typedef struct test_bytes {
    unsigned char *at;
    size_t count;
} test_bytes;

test_bytes load_file(const char *path);
void store_file(const char *path, const void *bytes, size_t count);

/* Bytes of a component as readers give it out. */
size_t component_bytes(unsigned bits);
/* n components, each a random value that the coding of that many bits holds (floats: whole numbers
 * below 2^24). malloc'ed. */
void *random_components(uint64_t *seed, unsigned bits, size_t n);

/* A VDIF file of random samples, [samples][channels][threads]. The samples are malloc'ed. */
void *write_vdif(const clr_vdif_writer_config *config, uint64_t samples, uint64_t seed);

/* The file in $CLRADIO_DATA/voltages or $CLRADIO_DATA (static), or NULL where there is none. */
const char *data_file(const char *name);

#endif
