/*
 * LZF decompression as an HDF5 filter (number 32000), so that flags and nsamples of files written
 * through h5py can be read: h5py brings that filter, the HDF5 library does not. Reading only.
 *
 * The stream: a control byte below 32 is followed by that many bytes plus one, literally. Else its
 * upper three bits (7: plus the next byte) plus two is a length, and its lower five bits with the
 * byte that comes next a distance minus one, to copy from what was already written.
 */
#include "io/uvh5_internal.h"

#if HAVE_HDF5

#include "io/uvh5_lzf.h"

#include <stdlib.h>
#include <string.h>

enum { LZF_FILTER = 32000, MOST_GROWTH = 264 / 3 };

/* Bytes written to to, or 0 when the stream is damaged or does not fit. */
static size_t expand(const unsigned char *from, size_t count, unsigned char *to, size_t room)
{
    size_t at = 0, out = 0;
    while (at < count) {
        unsigned control = from[at++];
        if (control < 32) {
            size_t run = control + 1;
            if (run > count - at || run > room - out)
                return 0;
            memcpy(to + out, from + at, run);
            at += run;
            out += run;
            continue;
        }
        size_t length = control >> 5;
        if (length == 7) {
            if (at == count)
                return 0;
            length += from[at++];
        }
        length += 2;
        if (at == count)
            return 0;
        size_t distance = ((size_t)(control & 31) << 8 | from[at++]) + 1;
        if (distance > out || length > room - out)
            return 0;
        for (size_t k = 0; k < length; k++, out++)
            /* It may overlap: byte by byte. NOLINTNEXTLINE(clang-analyzer-*) */
            to[out] = to[out - distance];
    }
    return out;
}

static size_t lzf_filter(unsigned flags, size_t n_values, const unsigned *values, size_t count,
                         size_t *buffer_bytes, void **buffer)
{
    if (!(flags & H5Z_FLAG_REVERSE))
        return 0;
    size_t room = n_values >= 3 && values[2] ? values[2] : *buffer_bytes;
    size_t most = count <= SIZE_MAX / MOST_GROWTH ? count * MOST_GROWTH : SIZE_MAX;
    if (room > most)
        room = most;
    unsigned char *expanded = malloc(room ? room : 1);
    size_t got = expanded ? expand(*buffer, count, expanded, room) : 0;
    if (!got) {
        free(expanded);
        return 0;
    }
    free(*buffer);
    *buffer = expanded;
    *buffer_bytes = room;
    return got;
}

void clr_hdf_register_lzf(void)
{
    static const H5Z_class2_t filter = { H5Z_CLASS_T_VERS, LZF_FILTER, 0, 1, "lzf", NULL, NULL,
                                         lzf_filter };
    if (H5Zfilter_avail(LZF_FILTER) <= 0)
        H5Zregister(&filter);
}

#else
typedef int clr_no_hdf5_here; /* a file may not be empty */
#endif
