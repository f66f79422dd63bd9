/* Packed samples to integers or floats, and back. */
#ifndef CLR_IO_UNPACK_H
#define CLR_IO_UNPACK_H

#include <stddef.h>
#include <stdint.h>

typedef enum clr_coding_kind {
    CLR_OFFSET_BINARY, /* value = code - 2^(bits-1); 1 bit -1/1; 2 bits -3, -1, 1, 3 */
    CLR_TWOS_COMPLEMENT,
    CLR_IEEE_FLOAT /* 32 bits */
} clr_coding_kind;

/* Little endian, from the least significant bit; bits is 1, 2, 4, 8, 16 or 32 a component. */
typedef struct clr_coding {
    unsigned bits;
    int complex_samples;
    clr_coding_kind kind;
    int real_high;        /* 4-bit complex: the real part in the high nibble */
    int8_t table[256][8]; /* up to 8 bits: the components of a byte; made by clr_coding_prepare */
} clr_coding;

void clr_coding_prepare(clr_coding *coding);
/* The value of a code of up to 16 bits. */
int32_t clr_coding_value(const clr_coding *coding, uint32_t code);
/* Bytes of an unpacked component: 1, 2 or 4 (float). */
size_t clr_coding_component_bytes(const clr_coding *coding);
/* Components [first, first + n) of the packed bytes to int8, int16 or float. */
void clr_unpack(const clr_coding *coding, const unsigned char *bytes, size_t first, size_t n,
                void *to);
/* The way back. Returns the number of components that fit: below n, the next one is no value of the
 * coding. first = 0 at a byte's edge. */
size_t clr_pack(const clr_coding *coding, const void *from, size_t n, unsigned char *bytes);

#endif
