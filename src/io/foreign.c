/* Files that are no voltages that can be read, but are known by sight: their name makes the better
 * sentence. */
#include "io/reader.h"

#include <string.h>

/* A FITS card: an upper-case keyword filled up to eight bytes with spaces, then "=". */
static int is_card(const unsigned char *at)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_ ";
    for (size_t i = 0; i < 8; i++)
        if (!at[i] || !strchr(allowed, at[i]) || (i == 0 && at[i] == ' '))
            return 0;
    return at[8] == '=';
}

static const char *cards(clr_bytes *bytes)
{
    const unsigned char *at = clr_bytes_view(bytes, 0, 2 * 80);
    if (!at || !is_card(at) || !is_card(at + 80))
        return NULL;
    return memcmp(at, "SIMPLE  ", 8) ? "GUPPI RAW" : "FITS";
}

/* LWA's frames begin with one word, whatever they hold. */
static const char *lwa_frames(clr_bytes *bytes)
{
    static const unsigned char sync[] = { 0xde, 0xc0, 0xde, 0x5c };
    const unsigned char *at = clr_bytes_view(bytes, 0, 16);
    if (!at || memcmp(at, sync, sizeof sync))
        return NULL;
    if (at[4]) /* the beam, tuning and polarisation of DRX; 1 is no tuning's */
        return at[4] == 1 ? "LWA TBF" : "LWA DRX";
    return at[12] & 0x80 ? "LWA TBW" : "damaged LWA TBN";
}

const char *clr_foreign_format(clr_bytes *bytes)
{
    static const struct {
        const char *bytes;
        size_t count;
        const char *name;
    } known[] = {
        { "\x89HDF\r\n\x1a\n", 8, "HDF5" }, /* UVH5, for one */
        { "\xed\xde\xad\xab", 4, "Mark 5B" },
        { "\x0c\0\0\0HEADER_START", 16, "SIGPROC" },
        { "\x93NUMPY", 6, "NumPy" },
        { "PK\3\4", 4, "ZIP or .npz" },
        { "\x1f\x8b", 2, "gzip" },
        { "BZh", 3, "bzip2" },
        { "\xfd"
          "7zXZ",
          5, "xz" },
        { "\x28\xb5\x2f\xfd", 4, "Zstandard" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const unsigned char *first = clr_bytes_view(bytes, 0, known[i].count);
        if (first && !memcmp(first, known[i].bytes, known[i].count))
            return known[i].name;
    }
    const char *name = cards(bytes);
    return name ? name : lwa_frames(bytes);
}
