/*
 * X-engine, variant for matrix units: the correlation matrix as a real Gram matrix on NVIDIA's mma.sync.
 *
 * An input has two rows in the Gram matrix, its real and its imaginary parts; the four real products of a pair of inputs land in one
 * work-item, and re = rr + ii, im = ir - ri are taken at the very end: no operand is ever negated, so -8 and -128 are ordinary.
 *
 * Data flow:
 *   a work-group owns a tile (Wy rows x Wx columns of inputs) of one channel and one slice of the time;
 *   local memory holds STAGES stages of T_STAGE spectra of the tile's rows and columns as they lie in memory, filled by asynchronous
 *   copies of 16 bytes while earlier stages are multiplied;
 *   a warp owns 8 FRAGMENTS_Y x 8 FRAGMENTS_X inputs: registers hold their products; real and imaginary parts are told apart (and 4-bit
 *   parts widened) in registers between ldmatrix and mma.
 *
 * Parameters (allowed values; default):
 *   WARPS_Y, WARPS_X           warps of a work-group along the rows and the columns (1..8; 2, 4)
 *   FRAGMENTS_Y, FRAGMENTS_X   groups of 8 inputs of a warp (1..16, their product at most 24; 4, 4); ci4: even
 *   T_STAGE                    spectra of a stage (a multiple of 32; 32)
 *   STAGES                     stages in local memory (2..8; 4)
 *   REGISTERS                  the most of a work-item, so that more work-groups fit (0: as the compiler likes; an option of the build)
 *   EMULATED                   1: plain C instead of the instructions, with the same tiles and places, for tests on devices without
 *                              them (0 where they are)
 *
 * Host macros:
 *   NPOL      1 or 2 polarisations
 *   INPUT     the input's clradio_type: 7 ci8, 8 ci4
 *   OUTPUT    the output's clradio_type where visibilities are written directly (xengine_output.cl)
 *   LAYOUT    0: [time][channel][input]; 2: [channel][time/BLOCK][input][BLOCK], BLOCK = 16 for ci8, 32 for ci4
 *
 * Sizes, the coding of ci4, the order and the conjugation are arguments.
 */
#include "common.cl"

#ifndef WARPS_Y
#define WARPS_Y 2
#endif
#ifndef WARPS_X
#define WARPS_X 4
#endif
#ifndef FRAGMENTS_Y
#define FRAGMENTS_Y 4
#endif
#ifndef FRAGMENTS_X
#define FRAGMENTS_X 4
#endif
#ifndef T_STAGE
#define T_STAGE 32
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef NPOL
#define NPOL 2
#endif
#ifndef INPUT
#define INPUT 7
#endif
#ifndef OUTPUT
#define OUTPUT 5
#endif
#ifndef LAYOUT
#define LAYOUT 0
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define TOO_OLD 1
#else
#define TOO_OLD 0
#endif
#ifndef EMULATED
#if (defined(CLR_CUDA) || defined(__NV_CL_C_VERSION)) && !TOO_OLD
#define EMULATED 0
#else
#define EMULATED 1
#endif
#endif
#if !EMULATED && TOO_OLD
#error these matrix products and asynchronous copies begin with compute capability 8.0
#endif

#define CI8 7
#define CI4 8

#define Wy (8 * FRAGMENTS_Y * WARPS_Y) /* inputs */
#define Wx (8 * FRAGMENTS_X * WARPS_X)
#define GROUP (32 * WARPS_Y * WARPS_X)
#define SAMPLE (INPUT == CI8 ? 2 : 1) /* bytes */
#define UNIT_SAMPLES (16 / SAMPLE)    /* a unit is 16 bytes: that many inputs (LAYOUT 0) or times (LAYOUT 2) */
#define BLOCK (2 * UNIT_SAMPLES)
#define K_TIMES 32 /* spectra of one product of fragments */
/* Fragments that one ldmatrix of four 8 x 8 matrices of 2 bytes brings. */
#define AT_ONCE (INPUT == CI8 ? 1 : 2)

#include "xengine_output.cl"
#include "xengine_mma_stage.cl"

/* The words of a fragment, the same for rows and columns: a work-item has four times of one input a word: re of the first 16 spectra, im,
 * re of the last 16, im. */
typedef struct fragment {
    uint word[4];
} fragment;

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

/* AT_ONCE fragments. A 4-bit part becomes 16 times its value in a byte. */
INLINE void load_fragments(fragment *to, const uint address, const uint flip, const uint real_low)
{
    uint raw[4];
    load_matrices(address, raw);
#if INPUT == CI8
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
#elif INPUT == CI8
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

INLINE void multiply(int *sums, const fragment *y, const uint x0, const uint x1)
{
    ASM_PURE("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
        : "r"(y->word[0]), "r"(y->word[1]), "r"(y->word[2]), "r"(y->word[3]), "r"(x0), "r"(x1));
}

/* Adds a stage to the sums of a warp. y_first, x_first: its inputs inside the tile's edges. */
INLINE void add_stage(int *sums, const uint stage, const uint y_first, const uint x_first, const uint lane, const uint flip,
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
                    int *const to = sums + (f * FRAGMENTS_X + g + h) * 8;
                    multiply(to, &y[f], x[h].word[0], x[h].word[2]);
                    multiply(to + 4, &y[f], x[h].word[1], x[h].word[3]);
                }
            }
        }
    }
}

#endif

/* The input of a warp's tile whose products a lane holds: in row `lane / 4` of a fragment; in column c of it. */
#if INPUT == CI4 && LAYOUT == 0
#define INPUT_AT(f, n) ((f) / 2 * 16 + 2 * (n) + (f) % 2)
#else
#define INPUT_AT(f, n) ((f) * 8 + (n))
#endif

#if EMULATED
/* A part of a staged sample, as the instructions see it. */
INLINE int staged_part(LOCAL_PTR const unit_t *edge, const uint width, const uint input, const uint time, const uint imaginary,
                       const uint flip, const uint real_low)
{
#if LAYOUT == 0
    const uint unit = time * (width / UNIT_SAMPLES) + input / UNIT_SAMPLES, sample = input % UNIT_SAMPLES;
#else
    const uint unit = (time / BLOCK * width + input) * 2 + time / UNIT_SAMPLES % 2, sample = time % UNIT_SAMPLES;
#endif
    const uint byte = sample * SAMPLE + (INPUT == CI8 ? imaginary : 0);
    const uint bits = edge[PLACE(unit, width)].word[byte / 4] >> (byte % 4 * 8);
#if INPUT == CI8
    (void)flip, (void)real_low;
    return (int)(signed char)(bits & 0xff);
#else
    return (int)(signed char)((bits ^ flip) << (imaginary ? 4 - real_low : real_low) & 0xf0);
#endif
}

INLINE void add_stage(int *sums, LOCAL_PTR const unit_t *stage, const uint y_first, const uint x_first, const uint lane,
                      const uint flip, const uint real_low)
{
    for (uint time = 0; time < T_STAGE; time++)
        for (uint f = 0; f < FRAGMENTS_Y; f++) {
            const uint i = y_first + INPUT_AT(f, lane / 4);
            const int y_re = staged_part(stage, Wy, i, time, 0, flip, real_low);
            const int y_im = staged_part(stage, Wy, i, time, 1, flip, real_low);
            for (uint g = 0; g < FRAGMENTS_X; g++)
                for (uint e = 0; e < 2; e++) {
                    const uint j = x_first + INPUT_AT(g, lane % 4 * 2 + e);
                    const int x_re = staged_part(stage + UNITS(Wy), Wx, j, time, 0, flip, real_low);
                    const int x_im = staged_part(stage + UNITS(Wy), Wx, j, time, 1, flip, real_low);
                    int *const to = sums + (f * FRAGMENTS_X + g) * 8;
                    to[e] += y_re * x_re;
                    to[2 + e] += y_im * x_re;
                    to[4 + e] += y_re * x_im;
                    to[6 + e] += y_im * x_im;
                }
        }
}
#endif

/* Writes the sums of a warp: into wide sums, or as visibilities. */
INLINE void put_sums(GLOBAL wide_t *wide, const output *out, const int *sums, const uint y_first, const uint x_first,
                     const uint lane, const uint inputs, const uint add)
{
    UNROLL for (uint f = 0; f < FRAGMENTS_Y; f++) {
        const uint i = y_first + INPUT_AT(f, lane / 4);
        UNROLL for (uint g = 0; g < FRAGMENTS_X; g++) {
            const int *const of = sums + (f * FRAGMENTS_X + g) * 8;
            UNROLL for (uint e = 0; e < 2; e++) {
                const uint j = x_first + INPUT_AT(g, lane % 4 * 2 + e);
                /* 4-bit parts were multiplied by 16 */
                const int re = (of[e] + of[6 + e]) >> (INPUT == CI8 ? 0 : 8);
                const int im = (of[2 + e] - of[4 + e]) >> (INPUT == CI8 ? 0 : 8);
                if (i >= inputs || j / NPOL > i / NPOL)
                    continue;
                if (wide) {
                    GLOBAL wide_t *const to = wide + 2 * (row_of_input(i / NPOL, i % NPOL) + j);
                    to[0] = add ? wide_add(to[0], widen(re)) : widen(re);
                    to[1] = add ? wide_add(to[1], widen(im)) : widen(im);
                } else {
                    put_visibility(out, i, j, re, im);
                }
            }
        }
    }
}

/* Tiles of the rows before one; a row of tiles has the columns up to its last input's station. */
INLINE uint columns_of(const uint row, const uint inputs)
{
    const uint last = (row + 1) * Wy < inputs ? (row + 1) * Wy : inputs;
    return (last + Wx - 1) / Wx;
}

/*
 * Grid: x tiles (rows of tiles one after another), y channels of the chunk, z slices of the time.
 * spectra: the first spectrum of the chunk's first channel; bytes from one spectrum (LAYOUT 2: block) and channel to the next. Slice z
 * takes slice_length of spectra_count spectra (LAYOUT 2: whole blocks; what is behind the last spectrum is not used).
 * direct = 0: sums is [slice][channel of the chunk] of wide sums, written, or added to with add = 1.
 * direct = 1: visibilities is the whole output, written in the order given; one slice.
 */
KERNEL REQD_GROUP(GROUP, 1, 1)
xengine_mma(SPAN(const uchar, spectra), SPAN(wide_t, sums), SPAN(out_t, visibilities), const uint stations,
            const uint first_channel, const ulong time_bytes, const ulong channel_bytes, const ulong spectra_count, const ulong slice_length, const uint add, const uint coding, const uint pieces,
            const uint direct, const ulong plane, const uint order, const uint conjugate)
{
    LOCAL_LARGE(unit_t, stages, STAGES * STAGE_UNITS);
    const uint item = LOCAL_ID(0), lane = item % 32, warp = item / 32;
    const uint inputs = stations * NPOL;
    /* ci4: the sign bit is turned over in offset binary; which part is in the low half */
    const uint flip = coding & 2 ? 0x88888888u : 0u, real_low = coding & 1 ? 0 : 4;
    uint row = 0, column = GROUP_ID(0);
    for (uint c = columns_of(0, inputs); column >= c; c = columns_of(row, inputs)) {
        column -= c;
        row++;
    }
    const uint y_first = row * Wy, x_first = column * Wx;
    const ulong begin = GROUP_ID(2) * slice_length;
    const ulong count = spectra_count - begin < slice_length ? spectra_count - begin : slice_length;
    const uint rounds = (uint)((count + T_STAGE - 1) / T_STAGE);
    const ulong step = T_STAGE / (LAYOUT == 0 ? 1 : BLOCK) * time_bytes;
    GLOBAL const uchar *from =
        SPAN_AT(const uchar, spectra) + GROUP_ID(1) * channel_bytes + begin / (LAYOUT == 0 ? 1 : BLOCK) * time_bytes;
    const uint y_place = PLACE(item, Wy), x_place = UNITS(Wy) + PLACE(item, Wx);
    const ulong y_offset = source_of(item, Wy, y_first, inputs, time_bytes).offset;
    const ulong x_offset = source_of(item, Wx, x_first, inputs, time_bytes).offset;
    const uint whole = REGULAR && pieces == 16 ? (uint)(count / T_STAGE) : 0;
    const uint warp_y = warp / WARPS_X * (8 * FRAGMENTS_Y), warp_x = warp % WARPS_X * (8 * FRAGMENTS_X);
    /* whether the warp has a baseline at all */
    const int useful = y_first + warp_y < inputs && x_first + warp_x < inputs &&
                       (x_first + warp_x) / NPOL <= (y_first + warp_y + 8 * FRAGMENTS_Y - 1) / NPOL;
    int sums[FRAGMENTS_Y * FRAGMENTS_X * 8];
    UNROLL for (uint n = 0; n < FRAGMENTS_Y * FRAGMENTS_X * 8; n++)
        sums[n] = 0;

#define COPY_WHOLE(stage)                                                                                                          \
    do {                                                                                                                         \
        copy_edge((stage) + y_place, from + y_offset, UNITS(Wy) / GROUP, ROWS_AT_ONCE(Wy) * time_bytes);                         \
        copy_edge((stage) + x_place, from + x_offset, UNITS(Wx) / GROUP, ROWS_AT_ONCE(Wx) * time_bytes);                         \
    } while (0)
    for (uint r = 0; r < STAGES - 1; r++) {
        if (r < whole)
            COPY_WHOLE(stages + r * STAGE_UNITS);
        else if (r < rounds)
            copy_part(stages + r * STAGE_UNITS, from, count - (ulong)r * T_STAGE, y_first, x_first, inputs, time_bytes, pieces, flip, item);
        COPIES_COMMIT();
        from += step;
    }
    uint reading = 0, writing = STAGES - 1;
    for (uint r = 0; r < rounds; r++) {
        const uint next = r + STAGES - 1;
        COPIES_WAIT();
        BARRIER();
        if (next < whole)
            COPY_WHOLE(stages + writing * STAGE_UNITS);
        else if (next < rounds)
            copy_part(stages + writing * STAGE_UNITS, from, count - (ulong)next * T_STAGE, y_first, x_first, inputs, time_bytes,
                      pieces, flip, item);
        COPIES_COMMIT();
        from += step;
        if (useful)
#if EMULATED
            add_stage(sums, stages + reading * STAGE_UNITS, warp_y, warp_x, lane, flip, real_low);
#else
            add_stage(sums, LOCAL_ADDRESS(stages + reading * STAGE_UNITS), warp_y, warp_x, lane, flip, real_low);
#endif
        reading = reading + 1 == STAGES ? 0 : reading + 1;
        writing = writing + 1 == STAGES ? 0 : writing + 1;
    }
    if (!useful)
        return;
    const ulong baselines = (ulong)stations * (stations + 1) / 2;
    GLOBAL wide_t *const wide = SPAN_AT(wide_t, sums) + ((ulong)GROUP_ID(2) * GROUPS(1) + GROUP_ID(1)) * baselines * (2 * NPOL * NPOL);
    output out;
    out.to = SPAN_AT(out_t, visibilities);
    out.plane = plane;
    out.channel = first_channel + GROUP_ID(1);
    out.stations = stations;
    out.order = order;
    out.conjugate = conjugate;
    put_sums(direct ? (GLOBAL wide_t *)0 : wide, &out, sums, y_first + warp_y, x_first + warp_x, lane, inputs, add);
}
