/*
 * The variant mma's products: from a stage in local memory to the sums of a warp, by NVIDIA's instructions or (EMULATED) in plain C with the
 * same places. Included by xengine_mma.cl, whose parameters and macros it takes.
 */
/* The words of a fragment, the same for rows and columns: a work-item has four times (cf16: two) of one input a word: re of the first half
 * of the K_TIMES spectra, im, re of the last half, im. Which of the spectra those are is the same for rows and columns, and else free. */
typedef struct fragment {
    uint word[4];
} fragment;

/* Samples that no ldmatrix parts into what the instructions take are read one by one. */
#define LOADS (INPUT == CF32 || (INPUT == CF16 && LAYOUT == 0))

#if !EMULATED

INLINE void load_matrices(const uint address, uint *raw)
{
#if LAYOUT == 0
    ASM("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
        : "=r"(raw[0]), "=r"(raw[1]), "=r"(raw[2]), "=r"(raw[3])
        : "r"(address)
        : "memory");
#else
    ASM("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
        : "=r"(raw[0]), "=r"(raw[1]), "=r"(raw[2]), "=r"(raw[3])
        : "r"(address)
        : "memory");
#endif
}

INLINE uint pick(const uint a, const uint b, const uint bytes)
{
#ifdef CLR_CUDA
    return __byte_perm(a, b, bytes);
#else
    uint result;
    ASM_PURE("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(bytes));
    return result;
#endif
}

INLINE void multiply(sum_t *sums, const fragment *y, const uint x0, const uint x1)
{
#if INPUT == CF32
    ASM_PURE("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
             : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
             : "r"(y->word[0]), "r"(y->word[1]), "r"(y->word[2]), "r"(y->word[3]), "r"(x0), "r"(x1));
#elif INPUT == CF16
    ASM_PURE("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
             : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
             : "r"(y->word[0]), "r"(y->word[1]), "r"(y->word[2]), "r"(y->word[3]), "r"(x0), "r"(x1));
#else
    ASM_PURE("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
             : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
             : "r"(y->word[0]), "r"(y->word[1]), "r"(y->word[2]), "r"(y->word[3]), "r"(x0), "r"(x1));
#endif
}

#if !LOADS
/* AT_ONCE fragments. A 4-bit part becomes 16 times its value in a byte. */
INLINE void load_fragments(fragment *to, const uint address, const uint flip, const uint real_low)
{
    uint raw[4];
    load_matrices(address, raw);
#if INPUT == CF16
    (void)flip, (void)real_low;
    to->word[0] = pick(raw[0], raw[1], 0x5410);
    to->word[1] = pick(raw[0], raw[1], 0x7632);
    to->word[2] = pick(raw[2], raw[3], 0x5410);
    to->word[3] = pick(raw[2], raw[3], 0x7632);
#elif INPUT == CI8
    (void)flip, (void)real_low;
    to->word[0] = pick(raw[0], raw[1], 0x6420);
    to->word[1] = pick(raw[0], raw[1], 0x7531);
    to->word[2] = pick(raw[2], raw[3], 0x6420);
    to->word[3] = pick(raw[2], raw[3], 0x7531);
#else
    UNROLL for (uint f = 0; f < 2; f++) {
#if LAYOUT == 0
        const uint first = pick(raw[0], raw[1], f ? 0x7531 : 0x6420) ^ flip;
        const uint last = pick(raw[2], raw[3], f ? 0x7531 : 0x6420) ^ flip;
#else
        const uint first = raw[2 * f] ^ flip, last = raw[2 * f + 1] ^ flip;
#endif
        to[f].word[0] = first << real_low & 0xf0f0f0f0u;
        to[f].word[1] = first << (4 - real_low) & 0xf0f0f0f0u;
        to[f].word[2] = last << real_low & 0xf0f0f0f0u;
        to[f].word[3] = last << (4 - real_low) & 0xf0f0f0f0u;
    }
#endif
}

/* The unit whose address a lane gives to ldmatrix, for the first fragments of an edge and the first spectra of a stage. */
INLINE uint lane_unit(const uint lane, const uint first, const uint width)
{
#if LAYOUT == 0
    return lane * (width / UNIT_SAMPLES) + first / UNIT_SAMPLES;
#elif INPUT == CI8 || INPUT == CF16
    return ((lane >> 4) * width + first + (lane & 7)) * 2 + (lane >> 3 & 1);
#else
    return (first + (lane >> 4) * 8 + (lane & 7)) * 2 + (lane >> 3 & 1);
#endif
}

/* Bytes from a place to the one of K_TIMES spectra later. */
#if LAYOUT == 0
#define LATER(W) (K_TIMES * ((W) / UNIT_SAMPLES) * 16)
#else
#define LATER(W) (K_TIMES / BLOCK * (W) * 32)
#endif

/* Adds a stage to the sums of a warp. y_first, x_first: its inputs inside the tile's edges. */
INLINE void add_stage(sum_t *sums, const uint stage, const uint y_first, const uint x_first, const uint lane, const uint flip,
                      const uint real_low)
{
    const uint y_unit = lane_unit(lane, y_first, Wy), x_unit = lane_unit(lane, x_first, Wx);
    UNROLL for (uint k = 0; k < T_STAGE / K_TIMES; k++) {
        fragment y[FRAGMENTS_Y];
        UNROLL for (uint f = 0; f < FRAGMENTS_Y; f += AT_ONCE) {
#if LAYOUT == 0
            const uint address = stage + 16 * PLACE_AT(y_unit + f * 8 / UNIT_SAMPLES, lane, Wy);
#else
            const uint address = stage + 16 * PLACE(y_unit, Wy) + f * 8 * 32;
#endif
            load_fragments(y + f, address + k * LATER(Wy), flip, real_low);
        }
        UNROLL for (uint g = 0; g < FRAGMENTS_X; g += AT_ONCE) {
            fragment x[AT_ONCE];
#if LAYOUT == 0
            const uint address = stage + 16 * (UNITS(Wy) + PLACE_AT(x_unit + g * 8 / UNIT_SAMPLES, lane, Wx));
#else
            const uint address = stage + 16 * (UNITS(Wy) + PLACE(x_unit, Wx)) + g * 8 * 32;
#endif
            load_fragments(x, address + k * LATER(Wx), flip, real_low);
            UNROLL for (uint h = 0; h < AT_ONCE; h++) {
                UNROLL for (uint f = 0; f < FRAGMENTS_Y; f++) {
                    sum_t *const to = sums + (f * FRAGMENTS_X + g + h) * 8;
                    multiply(to, &y[f], x[h].word[0], x[h].word[2]);
                    multiply(to + 4, &y[f], x[h].word[1], x[h].word[3]);
                }
            }
        }
    }
}
#endif

#endif

/* The input of a warp's tile whose products a lane holds: in row `lane / 4` of a fragment; in column c of it. */
#if INPUT == CI4 && LAYOUT == 0
#define INPUT_AT(f, n) ((f) / 2 * 16 + 2 * (n) + (f) % 2)
#else
#define INPUT_AT(f, n) ((f) * 8 + (n))
#endif

#include "xengine_mma_floats.cl"

#if EMULATED
/* A part of a staged sample, as the instructions see it. */
INLINE sum_t staged_part(LOCAL_PTR const unit_t *edge, const uint width, const uint input, const uint time, const uint imaginary,
                       const uint flip, const uint real_low)
{
#if LAYOUT == 0
    const uint unit = time * (width / UNIT_SAMPLES) + input / UNIT_SAMPLES, sample = input % UNIT_SAMPLES;
#else
    const uint unit = (time / BLOCK * width + input) * 2 + time / UNIT_SAMPLES % 2, sample = time % UNIT_SAMPLES;
#endif
    const uint byte = sample * SAMPLE + (INPUT == CF32 ? 4 * imaginary : INPUT == CF16 ? 2 * imaginary : INPUT == CI8 ? imaginary : 0);
    const uint bits = edge[PLACE(unit, width)].word[byte / 4] >> (byte % 4 * 8);
#if INPUT == CF32
    (void)flip, (void)real_low;
    return AS_FLOAT(bits);
#elif INPUT == CF16
    (void)flip, (void)real_low;
    return half_bits(bits & 0xffff);
#elif INPUT == CI8
    (void)flip, (void)real_low;
    return (int)(signed char)(bits & 0xff);
#else
    return (int)(signed char)((bits ^ flip) << (imaginary ? 4 - real_low : real_low) & 0xf0);
#endif
}

/* What the instructions add for a product. */
INLINE sum_t add_product(const sum_t sum, const sum_t y, const sum_t x)
{
#if INPUT == CF32
    const uint y_bits = high_part(AS_UINT(y)), x_bits = high_part(AS_UINT(x));
    const float y_high = AS_FLOAT(y_bits), y_low = AS_FLOAT(low_part(AS_UINT(y), y_bits));
    const float x_high = AS_FLOAT(x_bits), x_low = AS_FLOAT(low_part(AS_UINT(x), x_bits));
    return FMA(y_high, x_high, FMA(y_high, x_low, FMA(y_low, x_high, sum)));
#else
    return sum + y * x;
#endif
}

INLINE void add_stage(sum_t *sums, LOCAL_PTR const unit_t *stage, const uint y_first, const uint x_first, const uint lane,
                      const uint flip, const uint real_low)
{
    for (uint time = 0; time < T_STAGE; time++)
        for (uint f = 0; f < FRAGMENTS_Y; f++) {
            const uint i = y_first + INPUT_AT(f, lane / 4);
            const sum_t y_re = staged_part(stage, Wy, i, time, 0, flip, real_low);
            const sum_t y_im = staged_part(stage, Wy, i, time, 1, flip, real_low);
            for (uint g = 0; g < FRAGMENTS_X; g++)
                for (uint e = 0; e < 2; e++) {
                    const uint j = x_first + INPUT_AT(g, lane % 4 * 2 + e);
                    const sum_t x_re = staged_part(stage + UNITS(Wy), Wx, j, time, 0, flip, real_low);
                    const sum_t x_im = staged_part(stage + UNITS(Wy), Wx, j, time, 1, flip, real_low);
                    sum_t *const to = sums + (f * FRAGMENTS_X + g) * 8;
                    to[e] = add_product(to[e], y_re, x_re);
                    to[2 + e] = add_product(to[2 + e], y_im, x_re);
                    to[4 + e] = add_product(to[4 + e], y_re, x_im);
                    to[6 + e] = add_product(to[6 + e], y_im, x_im);
                }
        }
}
#endif

/* A stage's products to the sums. Matrix units cut what they add off instead of rounding it: sums of tf32's products are those of one
 * stage, which are added with rounding. */
INLINE void add_staged(sum_t *sums, LOCAL_PTR const unit_t *stage, const uint y_first, const uint x_first, const uint lane,
                       const uint flip, const uint real_low)
{
#if INPUT == CF32
    float of_stage[FRAGMENTS_Y * FRAGMENTS_X * 8];
    UNROLL for (uint n = 0; n < FRAGMENTS_Y * FRAGMENTS_X * 8; n++)
        of_stage[n] = 0.0f;
    add_stage(of_stage, stage, y_first, x_first, lane, flip, real_low);
    UNROLL for (uint n = 0; n < FRAGMENTS_Y * FRAGMENTS_X * 8; n++)
        sums[n] += of_stage[n];
#elif EMULATED || LOADS
    add_stage(sums, stage, y_first, x_first, lane, flip, real_low);
#else
    add_stage(sums, LOCAL_ADDRESS(stage), y_first, x_first, lane, flip, real_low);
#endif
}
