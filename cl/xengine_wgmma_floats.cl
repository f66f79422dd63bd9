/*
 * The variant wgmma's samples of cf32: each part of a sample is the sum of three numbers of bf16 (8 bits each), high, middle and low, so that
 *     x y = high high + high middle + middle high + middle middle + high low + low high,
 * and what is left out is below 2^-24 of the product. Rows are split in registers, columns on their way into an operand, which has the keys
 * of the three parts one behind another. Included by xengine_wgmma_samples.cl.
 */
#define KINDS 6 /* of products */
#define ROW_PART(kind) ((kind) == 0 ? 2 : (kind) == 2 || (kind) == 3 ? 1 : 0)
#define COLUMN_PART(kind) ((kind) == 1 ? 2 : (kind) == 2 || (kind) == 4 ? 1 : 0)

/* Where a lane's sample lies in an edge, in bytes: of row first + lane / 4, the spectrum lane % 4. Those of the next eight rows and the next
 * four spectra lie where AT_LOWER and OF_FOUR say. */
INLINE uint row_place(const uint width, const uint first, const uint lane)
{
#if LAYOUT == 0
    const uint input = first + lane / 4;
    return 16 * PLACE(lane % 4 * ROW_UNITS(width) + input / 2, width) + input % 2 * 8;
#else
    return 16 * PLACE((first + lane / 4) * 2 + lane % 4 / 2, width) + lane % 2 * 8;
#endif
}
#if LAYOUT == 0
#define AT_LOWER(place, lower) ((place) ^ 64 * (lower))
#else
#define AT_LOWER(place, lower) ((place) + 256 * (lower))
#endif
#define OF_FOUR(width) (32 * (width))

#if EMULATED
INLINE void read_words(uint *words, const uint count, LOCAL_PTR const uchar *memory, const uint at)
{
    for (uint n = 0; n < count; n++)
        words[n] = word_at(memory, at + 4 * n);
}

INLINE void write_words(LOCAL_PTR uchar *memory, const uint at, const uint *words)
{
    for (uint n = 0; n < 4; n++)
        *(LOCAL_PTR uint *)(memory + at + 4 * n) = words[n];
}
#define READ_2(words, memory, at) read_words(words, 2, memory, at)
#define READ_4(words, memory, at) read_words(words, 4, memory, at)
#define WRITE_4(memory, at, words) write_words(memory, at, words)

/* The nearest of bf16, of two the even one, as the upper half of a float; a not-a-number stays one. */
INLINE uint nearest_of(const uint bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

INLINE uint nearest_pair(const float re, const float im)
{
    return nearest_of(AS_UINT(re)) | nearest_of(AS_UINT(im)) << 16;
}
#else
#define READ_2(words, memory, at)                                                                                                \
    ASM("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"((words)[0]), "=r"((words)[1]) : "r"(at) : "memory")
#define READ_4(words, memory, at)                                                                                                \
    ASM("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"                                                                                \
        : "=r"((words)[0]), "=r"((words)[1]), "=r"((words)[2]), "=r"((words)[3])                                              \
        : "r"(at)                                                                                                             \
        : "memory")
#define WRITE_4(memory, at, words)                                                                                               \
    ASM("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(at), "r"((words)[0]), "r"((words)[1]), "r"((words)[2]), "r"((words)[3])    \
        : "memory")

INLINE uint nearest_pair(const float re, const float im)
{
    uint both;
    ASM_PURE("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(im), "f"(re));
    return both;
}
#endif

/* The parts of a sample, (re, im) of each in a word. What the high part lacks is a float, and so is what the middle one lacks of that: 8 bits. */
INLINE void split(uint *parts, const uint re_bits, const uint im_bits)
{
    float re = AS_FLOAT(re_bits), im = AS_FLOAT(im_bits);
    UNROLL for (uint part = 0; part < OPERAND_PARTS; part++) {
        parts[part] = nearest_pair(re, im);
        re -= AS_FLOAT(parts[part] << 16);
        im -= AS_FLOAT(parts[part] & 0xffff0000u);
    }
}

/* Writes a stage's columns to an operand, four spectra of an input at a time. */
PART_OF_KERNEL void take_columns(int *imaginary, const uint times, const uint width, LOCAL_PTR uchar *memory, const uint edge, const uint *places,
                         const uint operand, const uint word, const uint warp, const uint lane, const nibbles coding)
{
    const uint item = warp * 32 + lane, input = item % width;
    (void)memory, (void)imaginary, (void)times, (void)places, (void)word, (void)coding;
    UNROLL for (uint n = 0; n < T_STAGE / 4 * width / GROUP; n++) {
        const uint four = item / width + n * (GROUP / width);
        uint raw[8], words[OPERAND_PARTS][4];
#if LAYOUT == 0
        UNROLL for (uint t = 0; t < 4; t++)
            READ_2(raw + 2 * t, memory, edge + four * OF_FOUR(width) + 16 * PLACE(t * ROW_UNITS(width) + input / 2, width) + input % 2 * 8);
#else
        UNROLL for (uint unit = 0; unit < 2; unit++)
            READ_4(raw + 4 * unit, memory, edge + four * OF_FOUR(width) + 16 * PLACE(2 * input + unit, width));
#endif
        UNROLL for (uint t = 0; t < 4; t++) {
            uint parts[OPERAND_PARTS];
            split(parts, raw[2 * t], raw[2 * t + 1]);
            UNROLL for (uint part = 0; part < OPERAND_PARTS; part++)
                words[part][t] = parts[part];
        }
        UNROLL for (uint part = 0; part < OPERAND_PARTS; part++)
            WRITE_4(memory, operand + (part * (T_STAGE / KEY_SPECTRA) + four / 2) * OPERAND_PITCH + OPERAND_PLACE(input, four % 2),
                    words[part]);
    }
}

/* The first operand of a key's products: its parts as they are, and those turned. */
typedef struct row_words {
#if EMULATED
    uint of_lane[4][OPERAND_PARTS][4]; /* of the four lanes that share the rows */
#else
    uint plain[OPERAND_PARTS][4], turned[OPERAND_PARTS][4];
#endif
} row_words;

/* A lane's samples of a key: of its row in words[part][0] and, four spectra later, [2], of the one eight further on in [1] and [3]. */
INLINE void load_key(uint words[OPERAND_PARTS][4], LOCAL_PTR const uchar *memory, const uint edge, const uint place, const uint key)
{
    (void)memory;
    UNROLL for (uint w = 0; w < 4; w++) {
        uint sample[2], parts[OPERAND_PARTS];
        READ_2(sample, memory, edge + AT_LOWER(place, w % 2) + (2 * key + w / 2) * OF_FOUR(Wy));
        split(parts, sample[0], sample[1]);
        UNROLL for (uint part = 0; part < OPERAND_PARTS; part++)
            words[part][w] = parts[part];
    }
}

INLINE void load_rows(row_words *rows, LOCAL_PTR const uchar *memory, const uint edge, const uint place, const uint first, const uint key,
                      const uint lane)
{
    (void)first, (void)lane;
#if EMULATED
    (void)place;
    for (uint q = 0; q < 4; q++)
        load_key(rows->of_lane[q], memory, edge, row_place(Wy, first, (lane & ~3u) + q), key);
#else
    load_key(rows->plain, memory, edge, place, key);
    UNROLL for (uint n = 0; n < 4 * OPERAND_PARTS; n++)
        rows->turned[n / 4][n % 4] = TURNED(rows->plain[n / 4], n % 4);
#endif
}
