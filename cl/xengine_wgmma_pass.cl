/*
 * The variant wgmma's sums on their way out, through local memory. Included by xengine_wgmma.cl, whose parameters and macros it takes.
 */
/*
 * Sums on their way out: registers hold them by rows and columns of instructions, memory wants what lies together from lanes side by side.
 * A warp passes its rows through local memory, where the stages were, and writes them 64 columns at a time; rows are set apart so that two of
 * them never share a bank.
 */
#define PASS_COLUMNS 64
#define PASS_PITCH (2 * (Wx + EXTRA) + (GRAM ? 8 : 16)) /* words of a row, with the columns beyond the tile's behind it */
#define PASS_WORDS (WARP_ROWS * PASS_PITCH)             /* of a warp */

/* What is moved at once. */
typedef struct __attribute__((aligned(8))) sum_pair {
    sum_t re, im;
} sum_pair;
typedef struct __attribute__((aligned(16))) sum_pairs {
    sum_t re, im, next_re, next_im;
} sum_pairs;
typedef struct __attribute__((aligned(2 * sizeof(out_t)))) out_pair {
    out_t re, im;
} out_pair;

/* Rows of stations that are there with all of `columns` stations, as many as pass at once or fewer, in the order that lets them lie together. to: of the first. */
INLINE void put_whole_rows(const output *out, GLOBAL out_t *to, LOCAL_PTR const sum_t *pass, const uint first_station, const uint columns,
                           const uint lane)
{
    const uint at = lane / NPOL % NPOL * PASS_PITCH + 2 * (lane / (NPOL * NPOL) * NPOL + lane % NPOL);
    LOCAL_PTR const sum_pair *from = (LOCAL_PTR const sum_pair *)(pass + at);
    GLOBAL out_pair *row = (GLOBAL out_pair *)to + lane;
    NOUNROLL for (uint s = 0; s < WARP_ROWS / NPOL; s++) {
        UNROLL for (uint n = 0; n < PASS_COLUMNS * NPOL / 32; n++) {
            const sum_pair sum = from[n * (32 / NPOL)];
            out_pair value;
            value.re = sum.re;
            value.im = sum.im;
            if (out->conjugate)
                value.im = -value.im;
            if (lane + 32 * n < columns * (NPOL * NPOL))
                row[32 * n] = value;
        }
        from += NPOL * PASS_PITCH / 2;
        row += (ulong)(first_station + s + 1) * (NPOL * NPOL);
    }
}

/* Where a warp's rows go: into wide sums, or as visibilities. */
typedef struct tile_rows {
    GLOBAL wide_t *wide;
    const output *out;
    uint first, end, lane, inputs, add; /* the first row, and the first that is not there */
    uint skip;                          /* rows in front of the first that is there */
} tile_rows;

INLINE void put_one(const tile_rows *rows, const uint i, const uint j, const sum_t re, const sum_t im)
{
    if (rows->wide)
        keep_sum_of(rows->wide, i, j, rows->inputs, widen(re), widen(im), rows->add);
    else
        put_visibility(rows->out, i, j, re, im);
}

/* Writes the passed columns from j_first to j_end, but for `skip` in front. */
PART_OF_KERNEL void put_passed(const tile_rows *rows, LOCAL_PTR const sum_t *pass, const uint j_first, const uint j_end, const uint skip)
{
    const output *const out = rows->out;
    const uint i_first = rows->first, lane = rows->lane;
    if (rows->wide || (out->order != ORDER_BASELINE && out->order != ORDER_TRIANGULAR)) {
        NOUNROLL for (uint n = lane; n < WARP_ROWS * PASS_COLUMNS; n += 32) {
            const uint r = n / PASS_COLUMNS, c = n % PASS_COLUMNS, i = i_first + r, j = j_first + c;
            const sum_t re = pass[r * PASS_PITCH + 2 * c], im = pass[r * PASS_PITCH + 2 * c + 1];
            if (r < rows->skip || c < skip || i >= rows->end || j >= j_end || j / NPOL > i / NPOL)
                continue;
            put_one(rows, i, j, re, im);
        }
        return;
    }
    /* a row of stations lies together: [column's station][row's polarisation][column's] */
    const uint first = (j_first + skip) / NPOL, most = (j_end - j_first - skip) / NPOL;
    if (most <= PASS_COLUMNS / NPOL && !rows->skip && j_end <= i_first && i_first + WARP_ROWS <= rows->end && (ulong)out->to % sizeof(out_pair) == 0) {
        const uint station = i_first / NPOL;
        put_whole_rows(out,
                       out->to + 2 * ((out->channel * ((ulong)out->stations * (out->stations + 1) / 2) +
                                       (ulong)station * (station + 1) / 2 + first) *
                                      (NPOL * NPOL)),
                       pass + 2 * skip, station, most, lane);
        return;
    }
    NOUNROLL for (uint s = 0; s < WARP_ROWS / NPOL; s++) {
        const uint station = (i_first + s * NPOL) / NPOL;
        if (s * NPOL < rows->skip || station >= rows->end / NPOL || station < first)
            continue;
        const uint columns = station + 1 - first < most ? station + 1 - first : most;
        GLOBAL out_t *const to =
            out->to + 2 * ((out->channel * ((ulong)out->stations * (out->stations + 1) / 2) + (ulong)station * (station + 1) / 2 + first) *
                           (NPOL * NPOL));
        LOCAL_PTR const sum_t *const from = pass + s * (NPOL * PASS_PITCH) + 2 * skip;
        for (uint n = lane; n < columns * (NPOL * NPOL); n += 32) {
            const uint at = n / NPOL % NPOL * PASS_PITCH + 2 * (n / (NPOL * NPOL) * NPOL + n % NPOL);
            const out_t im = from[at + 1];
            to[2 * n] = from[at];
            to[2 * n + 1] = out->conjugate ? -im : im;
        }
    }
}
