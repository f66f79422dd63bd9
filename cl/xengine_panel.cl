/*
 * X-engine for processors: panels of inputs, packed and multiplied as in a matrix library, one work-item a tile.
 *
 * Data flow:
 *   a work-group is one work-item, so that there are no barriers; it owns a tile of EDGE x EDGE inputs of one channel and one
 *   slice of the time;
 *   local memory (the processor's cache) holds T_STAGE spectra of the tile: its columns in panels [panel][time][8 inputs], its
 *   rows in panels [panel][time][4 inputs], re and im together as they lie in memory, widened to fp32;
 *   registers hold the sums of 4 rows x 8 columns over a stage, which then go to the wide sums.
 *
 * Arithmetic: with v = (re, im, re, im, ...) of 8 columns, a = sum r v and b = sum i v of a row (r + i sqrt(-1)); then
 * re = a.even + b.odd and im = b.even - a.odd: nothing is shuffled or negated in the loop. Panels above the diagonal are skipped.
 *
 * Parameters (allowed values; default):
 *   EDGE     inputs of a tile's edge (a multiple of 8; 32)
 *   T_STAGE  spectra of a stage (1..256, with which sums of ci8 and ci4 are exact; 64)
 *
 * Host macros:
 *   NPOL      1 or 2 polarisations
 *   INPUT     the input's clradio_type: 1 cf32, 3 cf16, 7 ci8, 8 ci4
 *   TOGETHER  1: the inputs of one time and channel lie together; 0: they lie input_stride apart (1)
 */
#include "common.cl"
#include "xengine_sums.cl"

#ifndef EDGE
#define EDGE 32
#endif
#ifndef T_STAGE
#define T_STAGE 64
#endif
#ifndef TOGETHER
#define TOGETHER 1
#endif

#define CF32 1
#define CF16 3
#define CI8 7
#define CI4 8

#define ROWS 4
#define COLUMNS 8
#define LANES 16 /* floats of a column vector: 8 complex */

/* Sixteen floats that processors keep in one or two registers. */
#if defined(CLR_CUDA)
typedef struct lanes {
    float of[LANES];
} lanes;
#define LANES_ZERO(a)                                                                                                  \
    UNROLL for (uint l_ = 0; l_ < LANES; l_++)                                                                         \
        (a).of[l_] = 0.0f
#define LANES_LOAD(a, from)                                                                                            \
    UNROLL for (uint l_ = 0; l_ < LANES; l_++)                                                                         \
        (a).of[l_] = (from)[l_]
#define LANES_STORE(a, to)                                                                                             \
    UNROLL for (uint l_ = 0; l_ < LANES; l_++)                                                                         \
        (to)[l_] = (a).of[l_]
#define LANES_FMA(scalar, v, sum)                                                                                      \
    UNROLL for (uint l_ = 0; l_ < LANES; l_++)                                                                         \
        (sum).of[l_] = FMA(scalar, (v).of[l_], (sum).of[l_])
#else
typedef float16 lanes;
#define LANES_ZERO(a) (a) = (lanes)(0.0f)
#define LANES_LOAD(a, from) (a) = vload16(0, from)
#define LANES_STORE(a, to) vstore16(a, 0, to)
#define LANES_FMA(scalar, v, sum) (sum) = fma((lanes)(scalar), v, sum)
#endif

#if INPUT == CF32
typedef float stored_t;
#define STORED 2 /* stored_t a sample */
#define PART(from, n) ((from)[n])
#elif INPUT == CF16
typedef ushort stored_t;
#define STORED 2
#define PART(from, n) load_half((from) + (n))
#elif INPUT == CI8
typedef char stored_t;
#define STORED 2
#define PART(from, n) ((float)(signed char)(from)[n])
#else
typedef uchar stored_t;
#define STORED 1
/* coding: 1 the real part is the high nibble, 2 offset binary (else two's complement: flip the sign bit, subtract 8) */
#define PART(from, n)                                                                                                  \
    ((float)((int)(((from)[(n) / 2] >> (4 * (((n) ^ coding) & 1)) & 15u) ^ (coding & 2 ? 0u : 8u)) - 8))
#endif

/* Where the samples of a channel lie (in stored_t): the input n at time t is at t / run run_stride + n input_stride +
 * t % run. */
typedef struct place_in_memory {
    ulong run, run_stride, input_stride;
} place_in_memory;

INLINE ulong time_at(const place_in_memory *place, const ulong time)
{
#if TOGETHER
    return time * place->run_stride;
#else
    return time / place->run * place->run_stride + time % place->run * STORED;
#endif
}

/* Packs `count` spectra from `time` on of the inputs first .. first + EDGE - 1 into panels of `width` inputs; inputs beyond the
 * array are zero. */
INLINE void pack(LOCAL_PTR float *to, GLOBAL const stored_t *channel, const place_in_memory *place, const ulong time,
                 const uint count, const uint first, const uint inputs, const uint width, const uint panels, const uint coding)
{
    const ulong stride = TOGETHER ? STORED : place->input_stride;
    (void)coding;
    for (uint t = 0; t < count; t++) {
        GLOBAL const stored_t *from = channel + time_at(place, time + t) + first * stride;
        for (uint p = 0; p < panels; p++) {
            LOCAL_PTR float *const panel = to + (p * T_STAGE + t) * 2 * width;
            const uint before = first + p * width;
            if (TOGETHER && before + width <= inputs) {
                for (uint n = 0; n < 2 * width; n++)
                    panel[n] = PART(from, n);
            } else {
                for (uint n = 0; n < 2 * width; n++)
                    panel[n] = before + n / 2 < inputs ? PART(from + n / 2 * stride, n % 2) : 0.0f;
            }
            from += width * stride;
        }
    }
}

/* The sums a and b of 4 rows by 8 columns over `count` spectra: [row][a or b][lane]. */
INLINE void multiply_panels(const LOCAL_PTR float *rows, const LOCAL_PTR float *columns, const uint count, float *sums)
{
    lanes a0, a1, a2, a3, b0, b1, b2, b3;
    LANES_ZERO(a0);
    LANES_ZERO(a1);
    LANES_ZERO(a2);
    LANES_ZERO(a3);
    LANES_ZERO(b0);
    LANES_ZERO(b1);
    LANES_ZERO(b2);
    LANES_ZERO(b3);
    for (uint t = 0; t < count; t++) {
        lanes v;
        LANES_LOAD(v, columns + t * LANES);
        const LOCAL_PTR float *const row = rows + t * 2 * ROWS;
        LANES_FMA(row[0], v, a0);
        LANES_FMA(row[1], v, b0);
        LANES_FMA(row[2], v, a1);
        LANES_FMA(row[3], v, b1);
        LANES_FMA(row[4], v, a2);
        LANES_FMA(row[5], v, b2);
        LANES_FMA(row[6], v, a3);
        LANES_FMA(row[7], v, b3);
    }
    LANES_STORE(a0, sums);
    LANES_STORE(b0, sums + LANES);
    LANES_STORE(a1, sums + 2 * LANES);
    LANES_STORE(b1, sums + 3 * LANES);
    LANES_STORE(a2, sums + 4 * LANES);
    LANES_STORE(b2, sums + 5 * LANES);
    LANES_STORE(a3, sums + 6 * LANES);
    LANES_STORE(b3, sums + 7 * LANES);
}

/* A float sum as a wide one: of integers it is exact. */
#if INPUT == CF32 || INPUT == CF16
#define WIDEN(value) widen(value)
#else
#define WIDEN(value) widen((int)(value))
#endif

/* Adds the sums of 4 rows from y on by 8 columns from x on to the wide ones (keep = 0: writes them). */
INLINE void keep_panels(GLOBAL wide_t *to, const float *sums, const uint y, const uint x, const uint inputs, const uint keep)
{
    for (uint r = 0; r < ROWS && y + r < inputs; r++) {
        const uint i = (y + r) / NPOL;
        const int there = (int)((i + 1) * NPOL) - (int)x, columns = there < COLUMNS ? there : COLUMNS;
        GLOBAL wide_t *sum = to + 2 * (row_of_input(i, (y + r) % NPOL) + x);
        const float *const a = sums + r * 2 * LANES, *const b = a + LANES;
        if (keep) {
            for (int c = 0; c < columns; c++) {
                sum[2 * c] = wide_add(sum[2 * c], WIDEN(a[2 * c] + b[2 * c + 1]));
                sum[2 * c + 1] = wide_add(sum[2 * c + 1], WIDEN(b[2 * c] - a[2 * c + 1]));
            }
        } else {
            for (int c = 0; c < columns; c++) {
                sum[2 * c] = WIDEN(a[2 * c] + b[2 * c + 1]);
                sum[2 * c + 1] = WIDEN(b[2 * c] - a[2 * c + 1]);
            }
        }
    }
}

/* The row of a tile: row r holds r + 1. */
INLINE uint row_of_tile(const uint tile)
{
    uint row = 0, before = 0;
    while (before + row + 1 <= tile) {
        before += row + 1;
        row++;
    }
    return row;
}

/*
 * Grid: x tiles, y channels of the chunk, z slices of the time.
 * spectra: sample (time, channel, input) at time / run run_stride + channel channel_stride + input input_stride +
 * time % run (with TOGETHER run and input_stride are 1); sums: [slice][channel of the chunk] of wide sums
 * (xengine_sums.cl). Slice z takes the spectra z slice_length and on, slice_length at most. add = 1: added to what is in
 * sums; 0: written. coding: clradio_ci4_coding.
 */
KERNEL REQD_GROUP(1, 1, 1)
xengine_panel(SPAN(const stored_t, spectra), SPAN(wide_t, sums), const uint stations,
              const ulong run, const ulong run_stride, const ulong channel_stride, const ulong input_stride,
              const ulong spectra_count, const ulong slice_length, const uint add, const uint coding)
{
    LOCAL float columns[EDGE * T_STAGE * 2];
    LOCAL float rows[EDGE * T_STAGE * 2];
    const uint inputs = stations * NPOL;
    const uint row = row_of_tile(GROUP_ID(0));
    const uint y_first = row * EDGE, x_first = (GROUP_ID(0) - row * (row + 1) / 2) * EDGE;
    const ulong begin = GROUP_ID(2) * slice_length;
    const ulong end = spectra_count - begin < slice_length ? spectra_count : begin + slice_length;
    GLOBAL const stored_t *const channel = SPAN_AT(const stored_t, spectra) + GROUP_ID(1) * channel_stride * STORED;
    place_in_memory place;
    place.run = run;
    place.run_stride = run_stride * STORED;
    place.input_stride = input_stride * STORED;
    const ulong baselines = (ulong)stations * (stations + 1) / 2;
    GLOBAL wide_t *const to =
        SPAN_AT(wide_t, sums) + ((ulong)GROUP_ID(2) * GROUPS(1) + GROUP_ID(1)) * baselines * (2 * NPOL * NPOL);
    const uint y_end = inputs - y_first < EDGE ? inputs : y_first + EDGE;
    const uint x_end = inputs - x_first < EDGE ? inputs : x_first + EDGE;
    const uint y_panels = (y_end - y_first + ROWS - 1) / ROWS, x_panels = (x_end - x_first + COLUMNS - 1) / COLUMNS;
    uint keep = add;

    for (ulong time = begin; time < end; time += T_STAGE) {
        const uint count = end - time < T_STAGE ? (uint)(end - time) : T_STAGE;
        float panel_sums[2 * ROWS * LANES];
        pack(columns, channel, &place, time, count, x_first, inputs, COLUMNS, x_panels, coding);
        pack(rows, channel, &place, time, count, y_first, inputs, ROWS, y_panels, coding);
        for (uint c = 0; c < x_panels; c++)
            for (uint r = 0; r < y_panels; r++) {
                const uint y = y_first + r * ROWS, x = x_first + c * COLUMNS;
                if (x / NPOL > (y + ROWS - 1) / NPOL)
                    continue;
                multiply_panels(rows + r * T_STAGE * 2 * ROWS, columns + c * T_STAGE * LANES, count, panel_sums);
                keep_panels(to, panel_sums, y, x, inputs, keep);
            }
        keep = 1;
    }
}
