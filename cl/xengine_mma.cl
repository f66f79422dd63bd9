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
 *   RUN                        cf16, cf32: spectra summed in registers, then in the wide sums (a multiple of T_STAGE; 1,024); integers: 0, all
 *   REGISTERS                  the most of a work-item, so that more work-groups fit (0: as the compiler likes; OpenCL: an option of the build)
 *   EMULATED                   1: plain C instead of the instructions, with the same tiles and places, for tests on devices without
 *                              them (0 where they are)
 *
 * Host macros:
 *   NPOL      1 or 2 polarisations
 *   INPUT     the input's clradio_type: 7 ci8, 8 ci4, 3 cf16 (products of halves are exact, sums are fp32), 1 cf32 (each value
 *             as the sum of two of tf32: three products for one, xengine_mma_floats.cl)
 *   OUTPUT    the output's clradio_type where visibilities are written directly (xengine_output.cl)
 *   LAYOUT    0: [time][channel][input]; 2: [channel][time/BLOCK][input][BLOCK], BLOCK = 16 for ci8, 32 for ci4, 8 for cf16,
 *             4 for cf32
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
#ifndef REGISTERS
#define REGISTERS 0
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

#define CF32 1
#define CF16 3
#define CI8 7
#define CI4 8
#ifndef RUN
#define RUN (INPUT == CF16 || INPUT == CF32 ? 1024 : 0)
#endif
#if INPUT == CF16 || INPUT == CF32
typedef float sum_t;
#else
typedef int sum_t;
#endif

#define Wy (8 * FRAGMENTS_Y * WARPS_Y) /* inputs */
#define Wx (8 * FRAGMENTS_X * WARPS_X)
#define GROUP (32 * WARPS_Y * WARPS_X)
#define SAMPLE (INPUT == CF32 ? 8 : INPUT == CF16 ? 4 : INPUT == CI8 ? 2 : 1) /* bytes */
#define UNIT_SAMPLES (16 / SAMPLE)    /* a unit is 16 bytes: that many inputs (LAYOUT 0) or times (LAYOUT 2) */
#define BLOCK (2 * UNIT_SAMPLES)
#define K_TIMES (INPUT == CF32 ? 8 : INPUT == CF16 ? 16 : 32) /* spectra of one product of fragments */
/* Fragments that one ldmatrix of four 8 x 8 matrices of 2 bytes brings. */
#define AT_ONCE (INPUT == CI4 ? 2 : 1)

#include "xengine_output.cl"
#include "xengine_mma_stage.cl"
#include "xengine_mma_products.cl"

/* Writes the sums of a warp: into wide sums, or as visibilities. */
INLINE void put_sums(GLOBAL wide_t *wide, const output *out, const sum_t *sums, const uint y_first, const uint x_first,
                     const uint lane, const uint inputs, const uint add)
{
    UNROLL for (uint f = 0; f < FRAGMENTS_Y; f++) {
        const uint i = y_first + INPUT_AT(f, lane / 4);
        UNROLL for (uint g = 0; g < FRAGMENTS_X; g++) {
            const sum_t *const of = sums + (f * FRAGMENTS_X + g) * 8;
            UNROLL for (uint e = 0; e < 2; e++) {
                const uint j = x_first + INPUT_AT(g, lane % 4 * 2 + e);
#if INPUT == CI4 /* 4-bit parts were multiplied by 16 */
                const sum_t re = (of[e] + of[6 + e]) >> 8, im = (of[2 + e] - of[4 + e]) >> 8;
#else
                const sum_t re = of[e] + of[6 + e], im = of[2 + e] - of[4 + e];
#endif
                if (i >= inputs || j / NPOL > i / NPOL)
                    continue;
                if (wide) {
                    keep_sum_of(wide, i, j, inputs, widen(re), widen(im), add);
                } else {
                    put_visibility(out, i, j, re, im);
                }
            }
        }
    }
}

/* CUDA's compiler takes no cap of registers beside the size of a work-group, but how many work-groups shall fit. */
#if defined(CLR_CUDA) && REGISTERS
#define ROOM_FOR_GROUPS __launch_bounds__(GROUP, 65536 / (GROUP * REGISTERS))
#else
#define ROOM_FOR_GROUPS REQD_GROUP(GROUP, 1, 1)
#endif

/* Of the kernel below, in whose words it is: begins to copy the times of a round, if there is such a round. */
#define COPY_STAGE(stage, round)                                                                                                   \
    do {                                                                                                                         \
        if ((round) < whole) {                                                                                                   \
            copy_edge((stage) + y_place, from + y_offset, UNITS(Wy) / GROUP, ROWS_AT_ONCE(Wy) * time_bytes);                     \
            copy_edge((stage) + x_place, from + x_offset, UNITS(Wx) / GROUP, ROWS_AT_ONCE(Wx) * time_bytes);                     \
        } else if ((round) < rounds) {                                                                                           \
            copy_part(stage, from, count - (ulong)(round) * T_STAGE, y_first, x_first, inputs, time_bytes, 0, 0, pieces, flip,  \
                      item);                                                                                                     \
        }                                                                                                                        \
        COPIES_COMMIT();                                                                                                         \
        from += step;                                                                                                            \
    } while (0)

/*
 * Grid: x tiles (rows of tiles one after another), y channels of the chunk, z slices of the time.
 * spectra: the first spectrum of the chunk's first channel; bytes from one spectrum (LAYOUT 2: block) and channel to the next. Slice z
 * takes slice_length of spectra_count spectra (LAYOUT 2: whole blocks; what is behind the last spectrum is not used).
 * direct = 0: sums is [slice][channel of the chunk] of wide sums, written, or added to with add = 1.
 * direct = 1: visibilities is the whole output, written in the order given; one slice (cf16: of at most RUN spectra).
 */
KERNEL ROOM_FOR_GROUPS
xengine_mma(SPAN(const uchar, spectra), SPAN(wide_t, sums), SPAN(out_t, visibilities), const uint stations,
            const uint first_channel, const ulong time_bytes, const ulong channel_bytes, const ulong spectra_count, const ulong slice_length, const uint add, const uint coding, const uint pieces,
            const uint direct, const ulong plane, const uint order, const uint conjugate)
{
    LOCAL_LARGE(unit_t, stages, STAGES * STAGE_UNITS);
    const uint item = LOCAL_ID(0), lane = item % 32, warp = item / 32;
    const uint inputs = stations * NPOL;
    /* ci4: the sign bit is turned over in offset binary; which part is in the low half */
    const uint flip = coding & 2 ? 0x88888888u : 0u, real_low = coding & 1 ? 0 : 4;
    const group_tile tile = tile_of(GROUP_ID(0), inputs);
    const uint y_first = tile.y_first, x_first = tile.x_first;
    const ulong begin = GROUP_ID(2) * slice_length;
    const ulong count = spectra_count - begin < slice_length ? spectra_count - begin : slice_length;
    const uint rounds = (uint)((count + T_STAGE - 1) / T_STAGE);
    const ulong step = T_STAGE / (LAYOUT == 0 ? 1 : BLOCK) * time_bytes;
    GLOBAL const uchar *from =
        SPAN_AT(const uchar, spectra) + GROUP_ID(1) * channel_bytes + begin / (LAYOUT == 0 ? 1 : BLOCK) * time_bytes;
    const uint y_place = PLACE(item, Wy), x_place = UNITS(Wy) + PLACE(item, Wx);
    const ulong y_offset = source_of(item, Wy, y_first, inputs, time_bytes, 0, 0).offset;
    const ulong x_offset = source_of(item, Wx, x_first, inputs, time_bytes, 0, 0).offset;
    const uint whole = REGULAR && pieces == 16 ? (uint)(count / T_STAGE) : 0;
    const uint warp_y = warp / WARPS_X * (8 * FRAGMENTS_Y), warp_x = warp % WARPS_X * (8 * FRAGMENTS_X);
    /* whether the warp has a baseline at all */
    const int useful = y_first + warp_y < inputs && x_first + warp_x < inputs &&
                       (x_first + warp_x) / NPOL <= (y_first + warp_y + 8 * FRAGMENTS_Y - 1) / NPOL;
    sum_t sums[FRAGMENTS_Y * FRAGMENTS_X * 8];
    const ulong baselines = (ulong)stations * (stations + 1) / 2;
    GLOBAL wide_t *const wide = SPAN_AT(wide_t, sums) + ((ulong)GROUP_ID(2) * GROUPS(1) + GROUP_ID(1)) * baselines * (2 * NPOL * NPOL);
    output out;
    TAKE_OUTPUT(out);

    for (uint r = 0; r < STAGES - 1; r++) {
        COPY_STAGE(stages + r * STAGE_UNITS, r);
    }
    uint reading = 0, writing = STAGES - 1, r = 0, keep = add;
    do {
        const uint run_end = RUN && rounds - r > RUN / T_STAGE ? r + RUN / T_STAGE : rounds;
        UNROLL for (uint n = 0; n < FRAGMENTS_Y * FRAGMENTS_X * 8; n++)
            sums[n] = 0;
        for (; r < run_end; r++) {
            const uint next = r + STAGES - 1;
            COPIES_WAIT();
            BARRIER();
            COPY_STAGE(stages + writing * STAGE_UNITS, next);
            if (useful)
                add_staged(sums, stages + reading * STAGE_UNITS, warp_y, warp_x, lane, flip, real_low);
            reading = reading + 1 == STAGES ? 0 : reading + 1;
            writing = writing + 1 == STAGES ? 0 : writing + 1;
        }
        if (useful)
            put_sums(direct ? (GLOBAL wide_t *)0 : wide, &out, sums, y_first + warp_y, x_first + warp_x, lane, inputs, keep);
        keep = 1;
    } while (RUN && r < rounds);
}
