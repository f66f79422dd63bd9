/*
 * The variant wgmma's sums on their way out, through local memory. Included by xengine_wgmma.cl, whose parameters and macros it takes.
 */
/*
 * Sums on their way out: registers hold them by rows and columns of instructions, memory wants what lies together from lanes side by side.
 * A warp passes 64 columns of its 16 rows at a time through local memory, where the stages were; rows are set apart so that two of them
 * never share a bank.
 */
#define PASS_COLUMNS 64
#define PASS_PITCH (2 * PASS_COLUMNS + 16) /* words of a row */
#define PASS_WORDS (16 * PASS_PITCH)       /* of a warp */

INLINE void pass_columns(LOCAL_PTR int *pass, int re[PARTS][SUMS], int im[PARTS][SUMS], LOCAL_PTR const int *imaginary,
                         const uint first, const uint lane)
{
    UNROLL for (uint n = 0; n < PASS_COLUMNS / 4; n++) {
        const uint column = n / 2 * 8 + lane % 4 * 2 + n % 2;
        const uint part = first / PRODUCT, at = first % PRODUCT / 2 + n / 2 * 4 + n % 2;
        UNROLL for (uint lower = 0; lower < 2; lower++) {
            LOCAL_PTR int *const to = pass + INPUT_AT(lower, lane / 4) * PASS_PITCH + 2 * column;
            /* 4-bit parts were multiplied by 16 */
            to[0] = re[part][at + 2 * lower] >> (INPUT == CI8 ? 0 : 8);
            to[1] = (im[part][at + 2 * lower] + imaginary[first + column]) >> (INPUT == CI8 ? 0 : 8);
        }
    }
}

/* Writes what a warp passed: into wide sums, or as visibilities. i_first, j_first: its first row and column. */
INLINE void put_passed(GLOBAL wide_t *wide, const output *out, LOCAL_PTR const int *pass, const uint i_first, const uint j_first,
                       const uint lane, const uint inputs, const uint add)
{
    if (wide || (out->order != ORDER_BASELINE && out->order != ORDER_TRIANGULAR)) {
        NOUNROLL for (uint n = lane; n < 16 * PASS_COLUMNS; n += 32) {
            const uint r = n / PASS_COLUMNS, c = n % PASS_COLUMNS, i = i_first + r, j = j_first + c;
            const int re = pass[r * PASS_PITCH + 2 * c], im = pass[r * PASS_PITCH + 2 * c + 1];
            if (i >= inputs || j / NPOL > i / NPOL)
                continue;
            if (wide) {
                keep_sum_of(wide, i, j, inputs, widen(re), widen(im), add);
            } else {
                put_visibility(out, i, j, re, im);
            }
        }
        return;
    }
    /* a row of stations lies together: [column's station][row's polarisation][column's] */
    const uint first = j_first / NPOL;
    NOUNROLL for (uint s = 0; s < 16 / NPOL; s++) {
        const uint station = i_first / NPOL + s;
        if (station >= out->stations || station < first)
            continue;
        const uint columns = station + 1 - first < PASS_COLUMNS / NPOL ? station + 1 - first : PASS_COLUMNS / NPOL;
        GLOBAL out_t *const to =
            out->to + 2 * ((out->channel * ((ulong)out->stations * (out->stations + 1) / 2) + (ulong)station * (station + 1) / 2 + first) *
                           (NPOL * NPOL));
        LOCAL_PTR const int *const from = pass + s * (NPOL * PASS_PITCH);
        for (uint n = lane; n < columns * (NPOL * NPOL); n += 32) {
            const uint at = n / NPOL % NPOL * PASS_PITCH + 2 * (n / (NPOL * NPOL) * NPOL + n % NPOL);
            const out_t im = from[at + 1];
            to[2 * n] = from[at];
            to[2 * n + 1] = out->conjugate ? -im : im;
        }
    }
}
