/* SHA-256 (FIPS 180-4). */
#ifndef CLR_BASE_SHA256_H
#define CLR_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct clr_sha256 {
    uint32_t state[8];
    uint64_t length;
    unsigned char block[64];
} clr_sha256;

void clr_sha256_begin(clr_sha256 *hash);
void clr_sha256_add(clr_sha256 *hash, const void *bytes, size_t count);
void clr_sha256_end(clr_sha256 *hash, unsigned char digest[32]);
/* All at once. */
void clr_sha256_of(const void *bytes, size_t count, unsigned char digest[32]);
/* 64 hexadecimal digits and a terminating zero. */
void clr_sha256_hex(const unsigned char digest[32], char text[65]);

#endif
