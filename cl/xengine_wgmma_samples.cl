/*
 * The variant wgmma's samples on their way from a stage into registers, and of columns from there into an operand. Included by
 * xengine_wgmma.cl, whose parameters and macros it takes.
 */
#if INPUT != CF32
/* Where a lane's row of the matrices of 16 inputs from `first` on lies in an edge, row lane % 8 of matrix lane / 8, in bytes: of the stage's
 * first group of spectra, and but for ci4 of the first key of these. The others lie a whole number of OF_GROUP and OF_PRODUCT further on, because places
 * are permuted by the row alone. Of samples that are read one by one (SINGLE): where the lane's first one lies, of row first + lane / 4 and spectrum
 * lane % 4; that of the next eight inputs lies at that ^ 32, because the inputs are eight of 16. */
INLINE uint row_place(const uint width, const uint first, const uint lane)
{
#if SINGLE
    const uint input = first + lane / 4;
    return 16 * PLACE(lane % 4 * ROW_UNITS(width) + input / UNIT_SAMPLES, width) + input % UNIT_SAMPLES * SAMPLE;
#else
    const uint matrix = lane / 8, n = lane % 8;
#if LAYOUT == 0
    const uint time = (INPUT == CI8 ? matrix / 2 * 8 : matrix * 8) + n;
    const uint unit = time * ROW_UNITS(width) + first / UNIT_SAMPLES + (INPUT == CI8 ? matrix % 2 : 0);
#else
    const uint unit = (first + n + matrix % 2 * 8) * 2 + matrix / 2;
#endif
    return 16 * PLACE(unit, width);
#endif
}

#if LAYOUT == 0
#define OF_GROUP(width) (GROUP_SPECTRA * 16 * ROW_UNITS(width))
#define OF_PRODUCT(width) (KEY_SPECTRA * 16 * ROW_UNITS(width))
#else
#define OF_GROUP(width) (GROUP_SPECTRA / BLOCK * 32 * (width))
#define OF_PRODUCT(width) (32 * (width))
#endif
#endif

#include "xengine_wgmma_product.cl"

/* The input of 16, in row n (0..7) of the upper (lower 0) or lower matrices (1). */
#if INPUT == CI4 && LAYOUT == 0
#define INPUT_AT(lower, n) (2 * (n) + (lower))
#else
#define INPUT_AT(lower, n) (8 * (lower) + (n))
#endif

/* How samples of ci4 become bytes: what is turned over in offset binary; -1 where the imaginary part is in the low four bits, whose products
 * then are those of the conjugate, else 0. */
typedef struct nibbles {
    uint flip;
    int conjugate;
} nibbles;

#if INPUT != CF32
/* A group of spectra of 16 inputs as two products take them in registers: words[k][0] and [2] are bytes 4 (lane % 4).. and 16 further on of input
 * INPUT_AT(0, lane / 4), [1] and [3] of INPUT_AT(1, ...). place is row_place(width, first, lane). Of ci4 the spectra lie in another order than in time and the parts lie apart, the
 * low ones of four spectra in [0] and [1] and the high ones in [2] and [3], the same for rows and columns: a mask makes a part 16 times its
 * value, and nothing is moved between bytes. */
INLINE void load_samples(uint words[2][4], LOCAL_PTR const uchar *memory, const uint edge, const uint place, const uint width,
                         const uint first, const uint group, const uint lane, const nibbles coding)
{
    (void)memory, (void)coding, (void)first, (void)lane;
#if SINGLE
    const uint own = EMULATED ? row_place(width, first, lane) : place;
    UNROLL for (uint n = 0; n < 8; n++) {
        const uint k = n / 4, w = n % 4;
        GET_WORD(words[k][w], memory,
                 edge + group * OF_GROUP(width) + k * OF_PRODUCT(width) + w / 2 * (OF_PRODUCT(width) / 2) + (own ^ 32 * (w % 2)));
    }
#elif INPUT != CI4
    UNROLL for (uint k = 0; k < 2; k++)
        LOAD_MATRICES(words[k], memory, edge + group * OF_GROUP(width) + k * OF_PRODUCT(width), place, width, first, lane);
#else
    uint raw[4];
    LOAD_MATRICES(raw, memory, edge + group * OF_GROUP(width), place, width, first, lane);
    UNROLL for (uint k = 0; k < 2; k++) {
        UNROLL for (uint lower = 0; lower < 2; lower++) {
#if LAYOUT == 0
            /* two inputs side by side, two spectra a word */
            const uint a = raw[2 * k], b = raw[2 * k + 1];
#if EMULATED
            const uint shift = 8 * lower;
            const uint samples = (a >> shift & 0xff) | (a >> (16 + shift) & 0xff) << 8 | (b >> shift & 0xff) << 16 |
                                 (b >> (16 + shift) & 0xff) << 24;
#else
            const uint samples = bytes_of(a, b, lower ? 0x7531 : 0x6420);
#endif
#else
            const uint samples = raw[2 * k + lower];
#endif
            words[k][lower] = (samples << 4 ^ coding.flip) & 0xf0f0f0f0u;
            words[k][2 + lower] = (samples ^ coding.flip) & 0xf0f0f0f0u;
        }
    }
#endif
}
#endif

#define WARPS (GROUP / 32)
#define SIXTEENS(W) (((W) / 16 + WARPS - 1) / WARPS) /* groups of 16 of W columns that a warp looks after */

/* Where there are fewer groups than warps, a warp without one takes another's and keeps nothing of it: a branch of part of a warpgroup
 * between products made NVIDIA's OpenCL compiler move sums that were at work. */
#define ALL_HAVE_SIXTEENS(W) ((W) / 16 % WARPS == 0)
#define HAS_SIXTEEN(warp, W) (ALL_HAVE_SIXTEENS(W) || (warp) * 16 < (W))
#define SIXTEEN_OF(warp, W) (ALL_HAVE_SIXTEENS(W) ? (warp) : (warp) % ((W) / 16))

#if SINGLE
/* Where a work-item's first four spectra of a column lie in an edge, in turn at that ^ 0, 32, 64 and 96 of their rows. */
INLINE uint column_place(const uint width, const uint item)
{
    return (item / width * 4 * ROW_UNITS(width) + item % width / UNIT_SAMPLES) * 16 + item % UNIT_SAMPLES * SAMPLE;
}
#endif

/* Where a lane's words of its first 16 columns (SINGLE: those four spectra) go in an operand, in bytes; those of the keys' second units lie at
 * that ^ 16. */
INLINE uint word_place(const uint width, const uint warp, const uint lane)
{
#if SINGLE
    const uint item = warp * 32 + lane;
    return item / width / 2 * OPERAND_PITCH + OPERAND_PLACE(item % width, item / width % 2);
#else
    return OPERAND_PLACE(SIXTEEN_OF(warp, width) * 16 + INPUT_AT(0, lane / 4), 0) + lane % 4 * 4;
#endif
}

#if INPUT == CF32
#include "xengine_wgmma_floats.cl"
#else
/* The parts in a word that the products leave a sum of to be added, as factors of its bytes. */
#define LEFT_OVER(w) (INPUT == CF16 ? 0u : INPUT == CI4 ? (w) < 2 ? 0u : 0x01010101u : 0x01000100u)

#if SINGLE
/* Writes a stage's columns to an operand, four spectra of an input at a time: places[0] is where the first ones of an input lie. */
PART_OF_KERNEL void take_columns(int *imaginary, const uint times, const uint width, LOCAL_PTR uchar *memory, const uint edge, const uint *places, const uint operand,
                         const uint word, const uint warp, const uint lane, const nibbles coding)
{
    (void)imaginary, (void)times, (void)warp, (void)lane, (void)coding, (void)memory;
    UNROLL for (uint n = 0; n < T_STAGE / 4 * width / GROUP; n++) {
        const uint four = n * (GROUP / width); /* behind the work-item's first four */
        uint words[4];
        UNROLL for (uint t = 0; t < 4; t++)
            GET_WORD(words[t], memory, edge + (places[0] ^ 32 * t) + (4 * four + t) * (16 * ROW_UNITS(width)));
        PUT_UNIT(memory, operand + four / 2 * OPERAND_PITCH + (word ^ 16 * (four % 2)), words);
    }
}
#else
/* A lane's words of one key of 16 columns: their imaginary parts (of ci4 the high ones), times 1 or 0, are added to its sums, and where columns
 * are rewritten a warp that has them puts them into the operand, at `word` ^ 16 for the key's second unit, `behind` bytes further on. */
INLINE void take_words(int *imaginary, const uint times, const uint *words, LOCAL_PTR uchar *memory, const uint word, const uint behind,
                       const uint mine)
{
    UNROLL for (uint w = 0; w < 4; w++) {
        if (LEFT_OVER(w))
            imaginary[w % 2] = add_bytes(words[w], times * LEFT_OVER(w), imaginary[w % 2]);
#if REWRITTEN
        /* the two inputs of a lane are in the same half of eight rows, so the units lie alike */
        PUT_WORD(memory, (word ^ 16 * (w / 2)) + behind + INPUT_AT(w % 2, 0) * KEY_BYTES, words[w], mine);
#endif
    }
    (void)memory, (void)word, (void)behind, (void)mine;
}

/* A stage's `width` columns of the tile. places: of the lane's rows in the stage. */
PART_OF_KERNEL void take_columns(int *imaginary, const uint times, const uint width, LOCAL_PTR uchar *memory, const uint edge, const uint *places, const uint operand,
                         const uint word, const uint warp, const uint lane, const nibbles coding)
{
    UNROLL for (uint s = 0; s < SIXTEENS(width); s++) {
        const uint first = FRONT + SIXTEEN_OF(warp + s * WARPS, width) * 16;
        UNROLL for (uint group = 0; group < T_STAGE / GROUP_SPECTRA; group++) {
            uint words[2][4];
            load_samples(words, memory, edge, places[s], width + FRONT, first, group, lane, coding);
            UNROLL for (uint k = 0; k < 2; k++)
                take_words(imaginary + 2 * s, times, words[k], memory, operand + word, (2 * group + k) * OPERAND_PITCH + s * WARPS * 16 * KEY_BYTES,
                           HAS_SIXTEEN(warp, width));
        }
    }
}

#if EXTRA
/* Those beyond the tile are the first warpgroup's, which multiplies the fewest of the tile's own: of each 16 a warp takes a share of the stage's keys (of ci4, whose
 * keys come in twos, of these). In an edge they come before the tile's columns, or have one of their own. */
#define SHARES (64 / EXTRA)
#define SHARE_KEYS (INPUT == CI4 ? 2 : 1)
#define OF_SHARE (INPUT == CI4 ? OF_GROUP(EXTRA_WIDTH) : OF_PRODUCT(EXTRA_WIDTH))
#define STAGE_SHARES (T_STAGE / KEY_SPECTRA / SHARE_KEYS)
#define EXTRA_WIDTH (FRONT ? Wx + FRONT : EXTRA)
#define EXTRA_SIXTEEN(warp) ((warp) % (EXTRA / 16))
#define EXTRA_SHARE(warp) ((warp) % 4 / (EXTRA / 16))
/* share: where the warp's first keys lie behind the edge's; place, word: as of the tile's columns. */
PART_OF_KERNEL void take_extra(int *imaginary, const uint times, LOCAL_PTR uchar *memory, const uint edge, const uint share, const uint place,
                               const uint word, const uint warp, const uint lane, const nibbles coding)
{
    const uint mine = SHARES <= STAGE_SHARES || EXTRA_SHARE(warp) < STAGE_SHARES, first = EXTRA_SIXTEEN(warp) * 16;
    UNROLL for (uint n = 0; n < (STAGE_SHARES + SHARES - 1) / SHARES; n++) {
        uint words[SHARE_KEYS][4];
        const uint at = edge + share + n * (SHARES * OF_SHARE);
#if INPUT == CI4
        load_samples(words, memory, at, place, EXTRA_WIDTH, first, 0, lane, coding);
#else
        LOAD_MATRICES(words[0], memory, at, place, EXTRA_WIDTH, first, lane);
#endif
        UNROLL for (uint k = 0; k < SHARE_KEYS; k++)
            take_words(imaginary, mine ? times : 0, words[k], memory, word, (n * SHARES * SHARE_KEYS + k) * OPERAND_PITCH, mine);
    }
    (void)coding;
}
#endif
#endif

/* The first operand of a group's products: a warp's rows, as they are and turned. */
typedef struct row_words {
#if EMULATED
    uint of_lane[4][2][4]; /* of the four lanes that share the rows */
#else
    uint plain[2][4], turned[2][4];
#endif
} row_words;

INLINE void load_rows(row_words *rows, LOCAL_PTR const uchar *memory, const uint edge, const uint place, const uint first,
                      const uint group, const uint lane, const nibbles coding)
{
#if EMULATED
    for (uint q = 0; q < 4; q++)
        load_samples(rows->of_lane[q], memory, edge, place, Wy + FRONT, FRONT + first, group, (lane & ~3u) + q, coding);
#else
    load_samples(rows->plain, memory, edge, place, Wy + FRONT, FRONT + first, group, lane, coding);
    UNROLL for (uint n = 0; n < 8; n++)
        rows->turned[n / 4][n % 4] = TURNED(rows->plain[n / 4], n % 4);
#endif
}
#endif
