/* Element types of arrays. */
#ifndef CLRADIO_TYPES_H
#define CLRADIO_TYPES_H

#include <clradio/export.h>
#include <stddef.h>
#include <stdint.h>

CLRADIO_BEGIN_DECLS

/** Complex types are interleaved re, im. ci4 is one byte a sample; which nibble is real is an
 * option of its user. */
typedef enum clradio_type {
    CLRADIO_TYPE_NONE = 0,
    CLRADIO_CF32 = 1,
    CLRADIO_CF64 = 2,
    CLRADIO_CF16 = 3,
    CLRADIO_CI32 = 4,
    CLRADIO_CI64 = 5,
    CLRADIO_CI16 = 6,
    CLRADIO_CI8 = 7,
    CLRADIO_CI4 = 8,
    CLRADIO_I8 = 9,   /**< real */
    CLRADIO_I16 = 10, /**< real */
    CLRADIO_F32 = 11  /**< real */
} clradio_type;

/** How the two halves of a ci4 byte are read. The default (0) is real part low, two's complement.
 */
typedef enum clradio_ci4_coding {
    CLRADIO_CI4_REAL_LOW = 0,
    CLRADIO_CI4_REAL_HIGH = 1,
    CLRADIO_CI4_OFFSET_BINARY = 2 /**< value = nibble - 8; or-ed with one of the two above */
} clradio_ci4_coding;

/** Bytes of one element (re and im together), 0 for an unknown type. */
CLRADIO_API size_t clradio_type_bytes(clradio_type type);

/** "ci8", "cf32", ...; "none" for an unknown type. */
CLRADIO_API const char *clradio_type_name(clradio_type type);

/** The type of that name, CLRADIO_TYPE_NONE when there is none. */
CLRADIO_API clradio_type clradio_type_from_name(const char *name);

CLRADIO_END_DECLS

#endif
