/*
 * The variant wgmma's samples on their way from a stage into registers, and of columns from there into an operand. Included by
 * xengine_wgmma.cl, whose parameters and macros it takes.
 */
/* The address that a lane gives for its row of the matrices of 16 inputs from `first` on: row lane % 8 of matrix lane / 8. `group` counts 32
 * spectra in the stage; of ci8 one load brings 16 of them (k = 0, 1), of ci4 all. */
INLINE uint row_address(const uint edge, const uint width, const uint first, const uint group, const uint k, const uint lane)
{
    const uint matrix = lane / 8, n = lane % 8;
#if LAYOUT == 0
    const uint time = 32 * group + (INPUT == CI8 ? 16 * k + matrix / 2 * 8 : matrix * 8) + n;
    const uint unit = time * ROW_UNITS(width) + first / UNIT_SAMPLES + (INPUT == CI8 ? matrix % 2 : 0);
#else
    const uint block = INPUT == CI8 ? 2 * group + k : group;
    const uint unit = (block * width + first + n + matrix % 2 * 8) * 2 + matrix / 2;
#endif
    return edge + 16 * PLACE(unit, width);
}

#include "xengine_wgmma_product.cl"

/* The input of 16, in row n (0..7) of the upper (lower 0) or lower matrices (1). */
#if INPUT == CI4 && LAYOUT == 0
#define INPUT_AT(lower, n) (2 * (n) + (lower))
#else
#define INPUT_AT(lower, n) (8 * (lower) + (n))
#endif

/* How samples of ci4 become bytes: the sign bit turned over in offset binary; which part is in the low lower. */
typedef struct nibbles {
    uint flip, real_low;
} nibbles;

#if INPUT == CI4
/* Four samples of an input in two words of (re, im, re, im); a 4-bit part becomes 16 times its value. */
INLINE void widen_samples(uint *low, uint *high, const uint samples, const nibbles coding)
{
    const uint plain = samples ^ coding.flip;
    const uint re = plain << coding.real_low & 0xf0f0f0f0u, im = plain << (4 - coding.real_low) & 0xf0f0f0f0u;
#if EMULATED
    *low = (re & 0xff) | (im & 0xff) << 8 | (re & 0xff00) << 8 | (im & 0xff00) << 16;
    *high = (re >> 16 & 0xff) | (im >> 16 & 0xff) << 8 | (re >> 24) << 16 | (im >> 24) << 24;
#else
    *low = __byte_perm(re, im, 0x5140);
    *high = __byte_perm(re, im, 0x7362);
#endif
}
#endif

/* 32 spectra of 16 inputs as two products take them in registers: words[k][0] and [2] are bytes 4 (lane % 4).. and 16 further on of input
 * INPUT_AT(0, lane / 4), [1] and [3] of INPUT_AT(1, ...). Of ci4 the spectra lie in another order than in time, the same for rows and
 * columns. */
INLINE void load_samples(uint words[2][4], LOCAL_PTR const uchar *memory, const uint edge, const uint width, const uint first,
                         const uint group, const uint lane, const nibbles coding)
{
    (void)memory, (void)coding;
#if INPUT == CI8
    UNROLL for (uint k = 0; k < 2; k++)
        LOAD_MATRICES(words[k], memory, edge, width, first, group, k, lane);
#else
    uint raw[4];
    LOAD_MATRICES(raw, memory, edge, width, first, group, 0, lane);
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
            const uint samples = __byte_perm(a, b, lower ? 0x7531 : 0x6420);
#endif
#else
            const uint samples = raw[2 * k + lower];
#endif
            widen_samples(&words[k][lower], &words[k][2 + lower], samples, coding);
        }
    }
#endif
}

#define WARPS (GROUP / 32)
#define SIXTEENS ((Wx / 16 + WARPS - 1) / WARPS) /* groups of 16 columns that a warp looks after */

/* Adds the imaginary parts of a stage's columns to a lane's sums and, where they are rewritten, writes them to an operand. */
INLINE void take_columns(int *imaginary, LOCAL_PTR uchar *memory, const uint edge, const uint operand, const uint warp, const uint lane,
                         const nibbles coding)
{
    UNROLL for (uint s = 0; s < SIXTEENS; s++) {
        const uint first = (warp + s * WARPS) * 16;
        if (Wx / 16 % WARPS && first >= Wx)
            continue;
        UNROLL for (uint group = 0; group < T_STAGE / 32; group++) {
            uint words[2][4];
            load_samples(words, memory, edge, Wx, first, group, lane, coding);
            UNROLL for (uint k = 0; k < 2; k++) {
                UNROLL for (uint w = 0; w < 4; w++) {
                    imaginary[2 * s + w % 2] = add_imaginary(words[k][w], imaginary[2 * s + w % 2]);
#if REWRITTEN
                    const uint row = first + INPUT_AT(w % 2, lane / 4), unit = group % 2 * 4 + 2 * k + w / 2;
                    const uint to = operand + group / 2 * (Wx * ROW_BYTES) + OPERAND_PLACE(row, unit) + lane % 4 * 4;
#if EMULATED
                    *(LOCAL_PTR uint *)(memory + to) = words[k][w];
#else
                    ASM("st.shared.u32 [%0], %1;" ::"r"(to), "r"(words[k][w]) : "memory");
#endif
#endif
                }
            }
        }
    }
    (void)operand;
}
