/*
 * The variant wgmma's sums on their way from registers into local memory, and from there out. Included by xengine_wgmma.cl behind its rounds.
 */
#if !GRAM
/* The sums of columns' imaginary parts: the four lanes that share an input write their parts, which then are added up. */
PART_OF_KERNEL void put_parts(LOCAL_PTR int *parts, const int *imaginary, const uint width, const uint warp, const uint lane)
{
    UNROLL for (uint s = 0; s < 2 * SIXTEENS(width); s++)
        if (HAS_SIXTEEN(warp + s / 2 * WARPS, width))
            parts[(lane % 4 + 1) * width + (warp + s / 2 * WARPS) * 16 + INPUT_AT(s % 2, lane / 4)] = imaginary[s];
}

PART_OF_KERNEL void add_parts(LOCAL_PTR int *parts, const uint width, const uint number, const uint item)
{
    for (uint n = item; n < width; n += GROUP) {
        int sum = parts[width + n];
        for (uint part = 2; part <= number; part++)
            sum += parts[part * width + n];
        parts[n] = sum;
    }
}

/* `width` columns of a warp's sums: re, im and imaginary begin with the first one's. */
PART_OF_KERNEL void pass_columns(LOCAL_PTR sum_t *pass, const sum_t *re, const sum_t *im, LOCAL_PTR const int *imaginary, const uint width,
                         const uint lane, const int conjugate)
{
    UNROLL for (uint n = 0; n < width / 8; n++) {
        const uint column = 8 * n + lane % 4 * 2;
#if FLOAT_SUMS
        (void)imaginary, (void)conjugate;
#define OUT_RE(n) (re[n])
#define OUT_IM(n, more) (im[n])
#else
        /* 4-bit parts were multiplied by 16; the sum's negative where they change places */
        const int more_of_first = imaginary[column], more_of_next = imaginary[column + 1];
#define OUT_RE(n) (re[n] >> (INPUT == CI4 ? 8 : 0))
#if INPUT == CI4
#define OUT_IM(n, more) (((im[n] + (more)) >> 8 ^ conjugate) - conjugate)
#else
#define OUT_IM(n, more) (im[n] + (more))
        (void)conjugate;
#endif
#endif
        UNROLL for (uint lower = 0; lower < 2; lower++) {
            const uint at = 4 * n + 2 * lower;
            sum_pairs pairs;
            pairs.re = OUT_RE(at);
            pairs.im = OUT_IM(at, more_of_first);
            pairs.next_re = OUT_RE(at + 1);
            pairs.next_im = OUT_IM(at + 1, more_of_next);
            *(LOCAL_PTR sum_pairs *)(pass + INPUT_AT(lower, lane / 4) * PASS_PITCH + 2 * column) = pairs;
        }
    }
}

#if OWN_IN_REGISTERS
#define SUM_OF(which) whole_##which
#else
#define SUM_OF(which) which
#endif
/* All that a warpgroup has summed. The four lanes that share an input have a part each of its sum; all stages are done with. */
PART_OF_KERNEL void pass_sums(const tile_sums *sums, const places *p, const uint width, const uint extra)
{
    LOCAL_PTR sum_t *const pass = (LOCAL_PTR sum_t *)p->memory + p->warp * PASS_WORDS;
    LOCAL_PTR int *const parts = (LOCAL_PTR int *)p->memory + WARPS * PASS_WORDS;
    const uint item = p->warp * 32 + p->lane;
    MEET_TO_PASS();
    put_parts(parts, sums->imaginary, Wx, p->warp, p->lane);
#if EXTRA
    if (p->warp < 4) /* which have a share of the keys each */
        for (uint lower = 0; lower < 2; lower++)
            parts[5 * Wx + (4 * EXTRA_SHARE(p->warp) + p->lane % 4 + 1) * EXTRA + EXTRA_SIXTEEN(p->warp) * 16 + INPUT_AT(lower, p->lane / 4)] =
                sums->extra_imaginary[lower];
#endif
    MEET_TO_PASS();
    add_parts(parts, Wx, 4, item);
#if EXTRA
    add_parts(parts + 5 * Wx, EXTRA, 4 * SHARES, item);
#endif
    MEET_TO_PASS();
    UNROLL for (uint first = 0; first < width; first += PASS_COLUMNS) {
        const uint part = first / PRODUCT, at = first % PRODUCT / 2 + (part ? 0 : extra / 2);
        pass_columns(pass + 2 * first, sums->SUM_OF(re)[part] + at, sums->SUM_OF(im)[part] + at, parts + first, PASS_COLUMNS, p->lane, p->bits.conjugate);
    }
#if EXTRA
    if (extra)
        pass_columns(pass + 2 * Wx, sums->re[0], sums->im[0], parts + 5 * Wx, EXTRA, p->lane, p->bits.conjugate);
#endif
    MEET_TO_PASS();
}
#endif

#if SHIFTED
/* The sums of the last inputs, which came round in front of the others. `columns` of a tile's are theirs: with rows that did not come round those are of the other half of the matrix, and
 * leave turned over. A station's lie together for the stations of a warp's rows. */
PART_OF_KERNEL void put_turned_columns(const tile_rows *to, LOCAL_PTR const sum_t *pass, const copies *c, const uint columns)
{
    const output *const out = to->out;
    if (to->wide || (out->order != ORDER_BASELINE && out->order != ORDER_TRIANGULAR)) {
        NOUNROLL for (uint r = to->skip; r < WARP_ROWS && to->first + r < to->end; r++)
            NOUNROLL for (uint column = to->lane; column < columns; column += 32) {
                const uint j = c->x_first + column - c->offset + c->turn;
                if (j < to->inputs)
                    put_one(to, j, to->first + r, pass[r * PASS_PITCH + 2 * column], -pass[r * PASS_PITCH + 2 * column + 1]);
            }
        return;
    }
    const uint row = to->lane / (NPOL * NPOL) * NPOL + to->lane % NPOL, pol = to->lane / NPOL % NPOL, i = to->first + row;
    if (to->lane >= WARP_ROWS * NPOL || row < to->skip || i >= to->end)
        return;
    NOUNROLL for (uint column = 0; column < columns; column += NPOL) {
        const uint station = (c->x_first + column - c->offset + c->turn) / NPOL;
        if (station >= out->stations)
            return;
        GLOBAL out_t *const at = out->to + 2 * ((out->channel * ((ulong)out->stations * (out->stations + 1) / 2) +
                                                 (ulong)station * (station + 1) / 2 + i / NPOL) *
                                                    (NPOL * NPOL) +
                                                to->lane % (NPOL * NPOL));
        const out_t im = pass[row * PASS_PITCH + 2 * (column + pol) + 1];
        at[0] = pass[row * PASS_PITCH + 2 * (column + pol)];
        at[1] = out->conjugate ? im : -im;
    }
}

#endif

/* begin: the place of the first input. Rows that came round come a second time, by the number of their input: with columns that did so, and with those of inputs that
 * come before all tiles. */
PART_OF_KERNEL void put_sums(const tile_rows *to, const places *p, const copies *c, const uint begin)
{
    LOCAL_PTR const sum_t *const pass = (LOCAL_PTR const sum_t *)p->memory + p->warp * PASS_WORDS;
    const uint y_first = to->first + c->offset;
    tile_rows rows = *to;
    NOUNROLL for (uint again = 0; again <= SHIFTED; again++) {
        const uint number = again ? c->turn - c->offset : 0 - c->offset; /* of the input in the first place */
        const uint from = again ? 0 : begin, to_place = again ? c->low : ~0u;
        if (again) {
            if (y_first >= c->low)
                break;
            rows.first = y_first + number;
            rows.end = c->low + number < rows.inputs ? c->low + number : rows.inputs;
            rows.skip = 0;
        }
        if (!c->is_front)
            NOUNROLL for (uint x = c->x_first; x < c->x_first + Wx; x += PASS_COLUMNS) {
                const uint end = x + PASS_COLUMNS < to_place ? x + PASS_COLUMNS : to_place;
                if (!SHIFTED || (from < end && x < end))
                    put_passed(&rows, pass + 2 * (x - c->x_first), x + number, end + number, SHIFTED && from > x ? from - x : 0);
            }
        if (EXTRA && c->extra)
            put_passed(&rows, pass + 2 * Wx, 0 - c->shift, c->extra - c->shift, c->shift);
    }
#if SHIFTED
    if (c->x_first < c->low)
        put_turned_columns(to, pass, c, c->low - c->x_first < Wx ? c->low - c->x_first : Wx);
#endif
}
