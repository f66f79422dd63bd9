/*
 * X-engine, portable variant: square or rectangular tiles of the lower triangle of the correlation matrix.
 *
 * Data flow:
 *   a work-group owns one tile (Wy rows x Wx columns of stations) of one channel and one slice of the time;
 *   local memory holds T_STAGE spectra of the tile's rows and columns, widened, real and imaginary parts apart;
 *   registers of a work-item hold the sums of Dy x Dx stations (all polarisation products); after RUN spectra they are
 *   added to wide sums in global memory, which belong to this work-item alone.
 *
 * Parameters (allowed values; default):
 *   Bx, By    work-items of a work-group in x and y (1..64; 8, 8)
 *   Dx, Dy    stations of a work-item in x and y (1..32; 2, 2). Tile edges: Wx = Bx Dx, Wy = By Dy, and one of Wx, Wy
 *             must be a multiple of the other
 *   T_STAGE   spectra staged in local memory at a time (1..64; 8)
 *   RUN       spectra summed in registers before they go to the wide sums; the arithmetic's own limit is kept whatever
 *             RUN says (multiple of T_STAGE, or 0: that limit; 0)
 *   FLOAT     1: integers are multiplied and summed in fp32, in runs so short that every sum is an exact integer
 *             (ci8 and ci4 only; 0)
 *   STRIDED   1: neighbouring work-items take neighbouring stations (local memory without bank conflicts); 0: a work-item
 *             takes Dx, Dy neighbouring stations (unit stride inside the work-item, which processors vectorise; 1)
 *
 * Host macros:
 *   NPOL      1 or 2 polarisations
 *   TOGETHER  1: the inputs of one time and channel lie together; 0: they lie input_stride apart (1)
 *   INPUT     the input's clradio_type: 1 cf32, 3 cf16, 6 ci16, 7 ci8, 8 ci4
 *
 * Sizes and the coding of ci4 are arguments. Integer sums are dlong; cf32 and cf16 sums are double with HAVE_FP64, else a pair of floats (high, low).
 */
#include "common.cl"

#ifndef Bx
#define Bx 8
#endif
#ifndef By
#define By 8
#endif
#ifndef Dx
#define Dx 2
#endif
#ifndef Dy
#define Dy 2
#endif
#ifndef T_STAGE
#define T_STAGE 8
#endif
#ifndef RUN
#define RUN 0
#endif
#ifndef FLOAT
#define FLOAT 0
#endif
#ifndef STRIDED
#define STRIDED 1
#endif
#ifndef NPOL
#define NPOL 2
#endif
#ifndef INPUT
#define INPUT 7
#endif
#ifndef TOGETHER
#define TOGETHER 1
#endif

#define CF32 1
#define CF16 3
#define CI16 6
#define CI8 7
#define CI4 8

#define Wx (Bx * Dx)
#define Wy (By * Dy)
#define GROUP (Bx * By)
#define ROWS (Dy * NPOL)    /* inputs of a work-item in y */
#define COLUMNS (Dx * NPOL) /* and in x */
#define X_INPUTS (Wx * NPOL)
#define Y_INPUTS (Wy * NPOL)
#define STAGE_LENGTH (2 * (X_INPUTS + Y_INPUTS)) /* one staged spectrum: y re, y im, x re, x im */

#include "xengine_sums.cl"

/* sample_t: an element in memory; part_t: a widened part; sum_t: a sum in registers; LIMIT: spectra that a sum_t holds. */
#if INPUT == CF32 || INPUT == CF16
typedef float part_t;
typedef float sum_t;
#define LIMIT 1024
#elif INPUT == CI16
/* A product's two terms reach 2^31 together: 64 bits from the start. */
typedef int part_t;
typedef dlong sum_t;
#define LIMIT 1073741824
#elif FLOAT
/* Whole numbers up to 2^24 are exact: 2^24 / (2 128^2) and 2^24 / (2 8^2). */
typedef float part_t;
typedef float sum_t;
#define LIMIT (INPUT == CI8 ? 512 : 131072)
#else
/* (2^31 - 1) / (2 128^2) and (2^31 - 1) / (2 8^2), rounded down. */
typedef int part_t;
typedef int sum_t;
#define LIMIT (INPUT == CI8 ? 65535 : 16777215)
#endif

#define CAPPED (RUN > 0 && RUN < LIMIT ? RUN : LIMIT)
#define RUN_LENGTH (CAPPED >= T_STAGE ? CAPPED / T_STAGE * T_STAGE : CAPPED)

#if INPUT == CI16
#define MULTIPLY_ADD(a, b, c) ((c) + (dlong)(a) * (b))
#define MULTIPLY_SUBTRACT(a, b, c) ((c) - (dlong)(a) * (b))
#elif INPUT == CF32 || INPUT == CF16 || FLOAT
#define MULTIPLY_ADD(a, b, c) FMA(a, b, c)
#define MULTIPLY_SUBTRACT(a, b, c) FMA(-(a), b, c)
#else
#define MULTIPLY_ADD(a, b, c) ((c) + (a) * (b))
#define MULTIPLY_SUBTRACT(a, b, c) ((c) - (a) * (b))
#endif

/* A work-item's loops over its inputs: unrolled into registers where work-items are neighbours; left as loops, of which the
 * inner one vectorises, where a work-item's own stations are (unrolling those only costs build time). */
#if STRIDED || defined(CLR_CUDA)
#define EACH_ROW UNROLL
#define EACH_COLUMN UNROLL
#else
#define EACH_ROW _Pragma("nounroll")
#define EACH_COLUMN _Pragma("nounroll")
#endif

#if INPUT == CF32
typedef float stored_t;
#define STORED 2 /* stored_t a sample */
#define REAL(p) ((p)[0])
#define IMAG(p) ((p)[1])
#elif INPUT == CF16
typedef ushort stored_t;
#define STORED 2
#define REAL(p) load_half(p)
#define IMAG(p) load_half((p) + 1)
#elif INPUT == CI16
typedef uint stored_t;
#define STORED 1
#define REAL(p) ((part_t)(short)((p)[0] & 0xffff))
#define IMAG(p) ((part_t)(short)((p)[0] >> 16))
#elif INPUT == CI8
typedef ushort stored_t;
#define STORED 1
#define REAL(p) ((part_t)(signed char)((p)[0] & 0xff))
#define IMAG(p) ((part_t)(signed char)((p)[0] >> 8))
#else
typedef uchar stored_t;
#define STORED 1
/* coding: 1 the real part is the high nibble, 2 offset binary (else two's complement: flip the sign bit, subtract 8) */
#define NIBBLE(p, high) ((part_t)((int)(((p)[0] >> (4 * (high)) & 15u) ^ (coding & 2 ? 0u : 8u)) - 8))
#define REAL(p) NIBBLE(p, coding & 1)
#define IMAG(p) NIBBLE(p, (coding & 1) ^ 1)
#endif

/* The place in a staged row of the input n of a tile with B work-items along the edge. */
#if STRIDED
#define PLACE(n, B) ((((n) / NPOL / (B)) * NPOL + (n) % NPOL) * (B) + (n) / NPOL % (B))
#define OWN(k, b, B, D) ((k) * (B) + (b))
#define STATION(d, b, B, D) ((d) * (B) + (b))
#else
#define PLACE(n, B) (n)
#define OWN(k, b, B, D) ((b) * (D) * NPOL + (k))
#define STATION(d, b, B, D) ((b) * (D) + (d))
#endif

/* Stages the inputs first .. first + width - 1 of one spectrum, taking every step-th from item on; what lies beyond the
 * array is zero. */
INLINE void stage_edge(LOCAL_PTR part_t *re, LOCAL_PTR part_t *im, GLOBAL const stored_t *spectrum,
                       const ulong input_stride, const uint first, const uint inputs, const uint width, const uint edge, const uint coding, const uint item,
                       const uint step)
{
    const uint there = first >= inputs ? 0 : inputs - first < width ? inputs - first : width;
    GLOBAL const stored_t *from = spectrum + first * input_stride;
    (void)coding;
    for (uint n = item; n < there; n += step) {
        re[PLACE(n, edge)] = REAL(from + n * input_stride);
        im[PLACE(n, edge)] = IMAG(from + n * input_stride);
    }
    for (uint n = there + item; n < width; n += step) {
        re[PLACE(n, edge)] = 0;
        im[PLACE(n, edge)] = 0;
    }
}

/* Where the samples of a channel lie (in stored_t): the input n at time t is at t / run run_stride + n input_stride +
 * t % run. */
typedef struct place_in_memory {
    ulong run, run_stride, input_stride;
} place_in_memory;

INLINE ulong time_at(const place_in_memory place, const ulong time)
{
#if TOGETHER
    return time * place.run_stride;
#else
    return time / place.run * place.run_stride + time % place.run * STORED;
#endif
}

/* Stages T_STAGE spectra from `time` on, counted from `spectra`, of which `staged` are there: neighbouring work-items take neighbouring inputs, or (not STRIDED)
 * each work-item whole spectra. */
INLINE void stage_tile(LOCAL_PTR part_t *stage, GLOBAL const stored_t *spectra, const place_in_memory place, const ulong time,
                       const uint staged, const uint y_first, const uint x_first, const uint inputs, const uint coding, const uint item)
{
    for (uint s = STRIDED ? 0 : item; s < T_STAGE; s += STRIDED ? 1 : GROUP) {
        LOCAL_PTR part_t *y = stage + s * STAGE_LENGTH, *x = y + 2 * Y_INPUTS;
        /* a spectrum that is not there is all zeros, which add nothing */
        const uint there = s < staged ? inputs : 0;
        GLOBAL const stored_t *spectrum = spectra + time_at(place, time + (s < staged ? s : 0));
        const ulong stride = TOGETHER ? STORED : place.input_stride;
        stage_edge(y, y + Y_INPUTS, spectrum, stride, y_first * NPOL, there, Y_INPUTS, By, coding, STRIDED ? item : 0, STRIDED ? GROUP : 1);
        stage_edge(x, x + X_INPUTS, spectrum, stride, x_first * NPOL, there, X_INPUTS, Bx, coding, STRIDED ? item : 0, STRIDED ? GROUP : 1);
    }
}

/* Spectra that one pass over the sums adds; unrolled, so fewer where that would be much code. */
#define T_STEP (STRIDED && ROWS * COLUMNS > 16 ? 1 : T_STAGE % 8 == 0 ? 8 : T_STAGE % 4 == 0 ? 4 : 1)

/* Adds T_STEP staged spectra to the sums of a work-item. */
INLINE void add_products(LOCAL_PTR const part_t *staged, const uint bx, const uint by, sum_t *re, sum_t *im)
{
#if STRIDED
    UNROLL for (uint s = 0; s < T_STEP; s++) {
        LOCAL_PTR const part_t *y = staged + s * STAGE_LENGTH, *x = y + 2 * Y_INPUTS;
        EACH_ROW for (uint r = 0; r < ROWS; r++) {
            const part_t y_re = y[OWN(r, by, By, Dy)], y_im = y[Y_INPUTS + OWN(r, by, By, Dy)];
            UNROLL for (uint c = 0; c < COLUMNS; c++) {
                const part_t x_re = x[OWN(c, bx, Bx, Dx)], x_im = x[X_INPUTS + OWN(c, bx, Bx, Dx)];
                sum_t *const sum_re = &re[r * COLUMNS + c], *const sum_im = &im[r * COLUMNS + c];
                *sum_re = MULTIPLY_ADD(y_re, x_re, *sum_re);
                *sum_re = MULTIPLY_ADD(y_im, x_im, *sum_re);
                *sum_im = MULTIPLY_ADD(y_im, x_re, *sum_im);
                *sum_im = MULTIPLY_SUBTRACT(y_re, x_im, *sum_im);
            }
        }
    }
#else
    /* A row's T_STEP values stay in registers while the columns, which vectorise, pass by. */
    EACH_ROW for (uint r = 0; r < ROWS; r++) {
        part_t y_re[T_STEP], y_im[T_STEP];
        LOCAL_PTR const part_t *y = staged + OWN(r, by, By, Dy), *x = staged + 2 * Y_INPUTS + OWN(0, bx, Bx, Dx);
        UNROLL for (uint s = 0; s < T_STEP; s++) {
            y_re[s] = y[s * STAGE_LENGTH];
            y_im[s] = y[s * STAGE_LENGTH + Y_INPUTS];
        }
        EACH_COLUMN for (uint c = 0; c < COLUMNS; c++) {
            sum_t sum_re = re[r * COLUMNS + c], sum_im = im[r * COLUMNS + c];
            UNROLL for (uint s = 0; s < T_STEP; s++) {
                const part_t x_re = x[s * STAGE_LENGTH + c], x_im = x[s * STAGE_LENGTH + X_INPUTS + c];
                sum_re = MULTIPLY_ADD(y_re[s], x_re, sum_re);
                sum_re = MULTIPLY_ADD(y_im[s], x_im, sum_re);
                sum_im = MULTIPLY_ADD(y_im[s], x_re, sum_im);
                sum_im = MULTIPLY_SUBTRACT(y_re[s], x_im, sum_im);
            }
            re[r * COLUMNS + c] = sum_re;
            im[r * COLUMNS + c] = sum_im;
        }
    }
#endif
}

/*
 * Adds a work-item's sums to the wide ones (keep = 0: writes them). The row of input a = (i, pol_i) holds the (i + 1) NPOL
 * inputs up to station i (xengine_sums.cl).
 */
INLINE void keep_sums(GLOBAL wide_t *to, const sum_t *re, const sum_t *im, const uint y_first, const uint x_first,
                      const uint bx, const uint by, const uint stations, const uint keep)
{
    EACH_ROW for (uint r = 0; r < ROWS; r++) {
        const uint i = y_first + STATION(r / NPOL, by, By, Dy);
        GLOBAL wide_t *row = to + 2 * row_of_input(i, r % NPOL);
#if STRIDED
        UNROLL for (uint c = 0; c < COLUMNS; c++) {
            const uint j = x_first + STATION(c / NPOL, bx, Bx, Dx);
            if (i < stations && j <= i) {
                GLOBAL wide_t *sum = row + 2 * ((ulong)j * NPOL + c % NPOL);
                sum[0] = keep ? wide_add(sum[0], widen(re[r * COLUMNS + c])) : widen(re[r * COLUMNS + c]);
                sum[1] = keep ? wide_add(sum[1], widen(im[r * COLUMNS + c])) : widen(im[r * COLUMNS + c]);
            }
        }
#else
        const uint j = x_first + bx * Dx;
        const uint columns = i >= stations || j > i ? 0 : (i - j + 1 < Dx ? i - j + 1 : Dx) * NPOL;
        GLOBAL wide_t *sum = row + 2 * (ulong)j * NPOL;
        if (keep) {
            for (uint c = 0; c < columns; c++) {
                sum[2 * c] = wide_add(sum[2 * c], widen(re[r * COLUMNS + c]));
                sum[2 * c + 1] = wide_add(sum[2 * c + 1], widen(im[r * COLUMNS + c]));
            }
        } else {
            for (uint c = 0; c < columns; c++) {
                sum[2 * c] = widen(re[r * COLUMNS + c]);
                sum[2 * c + 1] = widen(im[r * COLUMNS + c]);
            }
        }
#endif
    }
}

/* Tiles in the rows before `row`: with Wx = m Wy a row holds row / m + 1 tiles, with Wy = m Wx it holds (row + 1) m. */
INLINE ulong tiles_before(const ulong row)
{
#if Wx >= Wy
    const ulong m = Wx / Wy, whole = row / m;
    return m * (whole * (whole + 1) / 2) + row % m * (whole + 1);
#else
    return Wy / Wx * (row * (row + 1) / 2);
#endif
}

/* The row of a tile: the last one with tiles_before(row) <= tile, by bisection (every row holds a tile). */
INLINE uint row_of_tile(const uint tile)
{
    ulong low = 0, high = (ulong)tile + 1;
    while (high - low > 1) {
        const ulong middle = low + (high - low) / 2;
        if (tiles_before(middle) <= tile)
            low = middle;
        else
            high = middle;
    }
    return (uint)low;
}

/*
 * Grid: x tiles, y channels of the chunk, z slices of the time.
 * spectra: sample (time, channel, input) at time / run run_stride + channel channel_stride + input input_stride +
 * time % run (with TOGETHER run and input_stride are 1); sums: [slice][channel of the chunk] of wide sums
 * (xengine_sums.cl). Slice z takes the spectra z slice_length and on, slice_length at most. add = 1: added to what is in
 * sums; 0: written. coding: clradio_ci4_coding.
 */
KERNEL REQD_GROUP(GROUP, 1, 1)
xengine_tile(SPAN(const stored_t, spectra), SPAN(wide_t, sums), const uint stations,
             const ulong run, const ulong run_stride, const ulong channel_stride, const ulong input_stride,
             const ulong spectra_count, const ulong slice_length, const uint add,
             const uint coding)
{
    LOCAL part_t stage[T_STAGE * STAGE_LENGTH];
    const uint item = LOCAL_ID(0), bx = item % Bx, by = item / Bx;
    const uint row = row_of_tile(GROUP_ID(0));
    const uint y_first = row * Wy, x_first = (uint)(GROUP_ID(0) - tiles_before(row)) * Wx;
    const uint inputs = stations * NPOL;
    const ulong begin = GROUP_ID(2) * slice_length;
    const ulong end = spectra_count - begin < slice_length ? spectra_count : begin + slice_length;
    GLOBAL const stored_t *channel = SPAN_AT(const stored_t, spectra) + GROUP_ID(1) * channel_stride * STORED;
    place_in_memory place;
    place.run = run;
    place.run_stride = run_stride * STORED;
    place.input_stride = input_stride * STORED;
    GLOBAL const stored_t *spectra = channel + (TOGETHER ? begin * place.run_stride : 0);
    const ulong baselines = (ulong)stations * (stations + 1) / 2;
    GLOBAL wide_t *to =
        SPAN_AT(wide_t, sums) + ((ulong)GROUP_ID(2) * GROUPS(1) + GROUP_ID(1)) * baselines * (2 * NPOL * NPOL);
    /* whether the work-item has a baseline at all: its first column is not behind its last row */
    const int useful = y_first + STATION(0, by, By, Dy) < stations &&
                       x_first + STATION(0, bx, Bx, Dx) <= y_first + STATION(Dy - 1, by, By, Dy);
    uint keep = add;

    for (ulong time = begin; time < end;) {
        const ulong run_end = end - time < RUN_LENGTH ? end : time + RUN_LENGTH;
        sum_t re[ROWS * COLUMNS], im[ROWS * COLUMNS];
        EACH_ROW for (uint r = 0; r < ROWS; r++) {
            EACH_COLUMN for (uint c = 0; c < COLUMNS; c++) {
                re[r * COLUMNS + c] = 0;
                im[r * COLUMNS + c] = 0;
            }
        }
        while (time < run_end) {
            const uint staged = run_end - time < T_STAGE ? (uint)(run_end - time) : T_STAGE;
            BARRIER();
            /* where the inputs lie together a pointer goes along the time */
            stage_tile(stage, spectra, place, TOGETHER ? 0 : time, staged, y_first, x_first, inputs, coding, item);
            if (TOGETHER)
                spectra += staged * place.run_stride;
            BARRIER();
            if (useful)
                for (uint s = 0; s < T_STAGE; s += T_STEP)
                    add_products(stage + s * STAGE_LENGTH, bx, by, re, im);
            time += staged;
        }
        if (useful)
            keep_sums(to, re, im, y_first, x_first, bx, by, stations, keep);
        keep = 1;
    }
}
