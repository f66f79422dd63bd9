/*
 * The variant wgmma's rounds: stages are waited for, their columns looked after and their products added to a warpgroup's sums. Included by
 * xengine_wgmma.cl, whose parameters and macros it takes.
 */
#define OWN_IN_REGISTERS (FLOAT_SUMS && !OWN_LOCAL)

/* A work-item's sums. Of floats those of the hardware move on into its own. */
typedef struct tile_sums {
    sum_t re[PARTS][SUMS + EXTRA / 2], im[PARTS][SUMS + EXTRA / 2]; /* columns beyond the tile's come first */
    int imaginary[2 * SIXTEENS(Wx)];
#if OWN_IN_REGISTERS
    sum_t whole_re[PARTS][SUMS], whole_im[PARTS][SUMS];
#endif
#if EXTRA && INPUT == CF16
    sum_t own_re[EXTRA / 2], own_im[EXTRA / 2]; /* of the columns beyond the tile's, in registers */
#endif
#if EXTRA
    int extra_imaginary[2];
#endif
} tile_sums;

PART_OF_KERNEL void clear_sums(tile_sums *sums)
{
#if OWN_IN_REGISTERS
    UNROLL for (uint n = 0; n < PARTS * SUMS; n++)
        sums->whole_re[n / SUMS][n % SUMS] = sums->whole_im[n / SUMS][n % SUMS] = 0;
#endif
#if EMULATED
    for (uint n = 0; n < PARTS * (SUMS + EXTRA / 2); n++)
        sums->re[n / (SUMS + EXTRA / 2)][n % (SUMS + EXTRA / 2)] = sums->im[n / (SUMS + EXTRA / 2)][n % (SUMS + EXTRA / 2)] = 0;
#endif
    UNROLL for (uint n = 0; n < 2 * SIXTEENS(Wx); n++)
        sums->imaginary[n] = 0;
#if EXTRA && INPUT == CF16
    UNROLL for (uint n = 0; n < EXTRA / 2; n++)
        sums->own_re[n] = sums->own_im[n] = 0;
#endif
#if EXTRA
    sums->extra_imaginary[0] = sums->extra_imaginary[1] = 0;
#endif
}

/* Waits for all products: sums are what they are from here on. */
PART_OF_KERNEL void finish_products(tile_sums *sums)
{
    PRODUCTS_WAIT(0);
    UNROLL for (uint part = 0; part < PARTS; part++)
        UNROLL for (uint n = 0; n < SUMS + EXTRA / 2; n++) {
            HELD(sums->re[part][n]);
            HELD(sums->im[part][n]);
        }
    (void)sums;
}

/* Where a work-item finds what it multiplies. */
typedef struct places {
    LOCAL_PTR unit_t *stages;
    LOCAL_PTR uchar *memory;
    uint start, one_edge, lane, warp;
    uint y, x[SIXTEENS(Wx)], word; /* row_place, word_place */
#if EXTRA
    uint extra, extra_word, share; /* of those beyond the tile (take_extra) */
#endif
    uint rows, columns; /* that are there */
    nibbles bits;
} places;

PART_OF_KERNEL void find_places(places *p, const copies *c, LOCAL_PTR unit_t *stages, const uint start, const uint item)
{
    const uint lane = item % 32, warp = item / 32;
    p->stages = stages;
    p->memory = (LOCAL_PTR uchar *)stages;
    p->start = start;
    p->one_edge = c->one_edge;
    p->lane = lane;
    p->warp = warp;
    p->y = row_place(Wy + FRONT, FRONT + warp * 16, lane);
    p->word = word_place(Wx, warp, lane);
    p->rows = c->end - c->y_first;
    p->columns = c->end - c->x_first;
    KEPT(p->y);
    KEPT(p->word);
#if SINGLE
    p->x[0] = column_place(Wx, item);
    KEPT(p->x[0]);
#else
    UNROLL for (uint s = 0; s < SIXTEENS(Wx); s++) {
        p->x[s] = row_place(Wx + FRONT, FRONT + SIXTEEN_OF(warp + s * WARPS, Wx) * 16, lane);
        KEPT(p->x[s]);
    }
#endif
#if EXTRA
    p->extra = row_place(EXTRA_WIDTH, EXTRA_SIXTEEN(warp) * 16, lane);
    p->extra_word = EXTRA_SHARE(warp) % STAGE_SHARES * (SHARE_KEYS * OPERAND_PITCH) + word_place(EXTRA, EXTRA_SIXTEEN(warp), lane);
    p->share = EXTRA_SHARE(warp) % STAGE_SHARES * OF_SHARE;
    KEPT(p->extra);
    KEPT(p->extra_word);
    KEPT(p->share);
#endif
}

#define Y_EDGE(p, place) ((p)->start + (place) * (STAGE_UNITS * 16))
#define X_EDGE(p, place) (Y_EDGE(p, place) + ((p)->one_edge ? 0 : X_UNIT * 16))
#define EXTRA_EDGE(p, place) (Y_EDGE(p, place) + EXTRA_UNIT * 16)
#define OPERAND(p, number) ((p)->start + STAGES * STAGE_UNITS * 16 + (number) * OPERAND_BYTES(Wx + EXTRA))

#if INPUT != CF32
/* The products of a group of spectra: a warpgroup's rows with `width` columns, those beyond the tile first. operand: the group's. */
PART_OF_KERNEL void add_products(tile_sums *sums, row_words *words, const places *p, const uint operand, const uint again, const uint width)
{
    const uint beyond = width % 64;
#if EMULATED
    const uint columns = width < p->columns + beyond ? width : p->columns + beyond;
    (void)again;
    if (p->warp * 16 >= p->rows)
        return;
#else
    PRODUCTS_FENCE();
#endif
    UNROLL for (uint k = 0; k < 2; k++) {
#if EMULATED
        uint of_key[4][4];
        for (uint n = 0; n < 16; n++)
            of_key[n / 4][n % 4] = words->of_lane[n / 4][k][n % 4];
#endif
        UNROLL for (uint part = 0; part < PARTS; part++) {
            const uint first = part ? part * PRODUCT + beyond : 0, most = PRODUCT + (part ? 0 : beyond);
            const ulong descriptor = descriptor_of(operand + k * OPERAND_PITCH + first * KEY_BYTES);
#if EMULATED
            product_in_c(sums->re[part], sums->im[part], of_key, descriptor, p->memory, p->lane, most, columns > first ? columns - first : 0);
#else
            const uint add = k ? 1 : again, left = width > first ? width - first : 0;
            if (left) {
                multiply(sums->re[part], words->plain[k], descriptor, add, left < most ? left : most);
                multiply(sums->im[part], words->turned[k], descriptor, add, left < most ? left : most);
            }
#endif
        }
    }
    PRODUCTS_COMMIT();
}
#endif

/* Looks after the columns of the stage at a place. */
PART_OF_KERNEL void take_stage(tile_sums *sums, const uint times, const places *p, const uint place, const uint made, const uint extra)
{
    take_columns(sums->imaginary, times, Wx, p->memory, X_EDGE(p, place), p->x, OPERAND(p, made) + EXTRA * KEY_BYTES, p->word, p->warp, p->lane, p->bits);
#if EXTRA && INPUT != CF16
    if (extra)
        take_extra(sums->extra_imaginary, times, p->memory, EXTRA_EDGE(p, place), p->share, p->extra, OPERAND(p, made) + p->extra_word, p->warp, p->lane,
                   p->bits);
#else
    (void)extra;
#endif
}

#if FLOAT_SUMS
#if OWN_LOCAL
/* What was summed before is added, and the whole stays in local memory (of the columns beyond the tile in registers) until all is: then the sums
 * have it. */
PART_OF_KERNEL void end_run(tile_sums *sums, const places *p, const uint extra, const uint is_first, const uint is_last)
{
    LOCAL_PTR sum_pairs *const own = (LOCAL_PTR sum_pairs *)(p->stages + LOOP_UNITS) + p->warp * 32 + p->lane;
    finish_products(sums);
    UNROLL for (uint n = 0; n < PARTS * SUMS; n += 2) {
        const uint part = n / SUMS, at = n % SUMS + (part ? 0 : extra / 2);
        sum_pairs pairs;
        if (!is_first) {
            pairs = own[n / 2 * GROUP];
            sums->re[part][at] += pairs.re;
            sums->im[part][at] += pairs.im;
            sums->re[part][at + 1] += pairs.next_re;
            sums->im[part][at + 1] += pairs.next_im;
        }
        if (!is_last) {
            pairs.re = sums->re[part][at];
            pairs.im = sums->im[part][at];
            pairs.next_re = sums->re[part][at + 1];
            pairs.next_im = sums->im[part][at + 1];
            own[n / 2 * GROUP] = pairs;
            START_SUM(sums->re[part][at]);
            START_SUM(sums->im[part][at]);
            START_SUM(sums->re[part][at + 1]);
            START_SUM(sums->im[part][at + 1]);
        }
    }
#if EXTRA
    if (extra)
        UNROLL for (uint n = 0; n < EXTRA / 2; n++) {
            sums->re[0][n] = sums->own_re[n] += sums->re[0][n];
            sums->im[0][n] = sums->own_im[n] += sums->im[0][n];
            if (!is_last) {
                START_SUM(sums->re[0][n]);
                START_SUM(sums->im[0][n]);
            }
        }
#endif
}
#else
PART_OF_KERNEL void end_run(tile_sums *sums, const places *p, const uint extra, const uint is_first, const uint is_last)
{
    (void)p, (void)extra, (void)is_first, (void)is_last;
    finish_products(sums);
    UNROLL for (uint n = 0; n < PARTS * SUMS; n++) {
        sums->whole_re[n / SUMS][n % SUMS] += sums->re[n / SUMS][n % SUMS];
        sums->whole_im[n / SUMS][n % SUMS] += sums->im[n / SUMS][n % SUMS];
        START_SUM(sums->re[n / SUMS][n % SUMS]);
        START_SUM(sums->im[n / SUMS][n % SUMS]);
    }
}
#endif
#endif

/* From a stage and its operand to the next. */
#define GO_ON()                                                                                                                 \
    do {                                                                                                                        \
        before = arrived;                                                                                                       \
        made_before = made;                                                                                                     \
        arrived = arrived + 1 == STAGES ? 0 : arrived + 1;                                                                      \
        made = made + 1 == OPERANDS ? 0 : made + 1;                                                                             \
    } while (0)

#if INPUT == CF32
#include "xengine_wgmma_float_rounds.cl"
#else
/*
 * All rounds. width: the columns of the tile that are multiplied (0, 64, all), extra: those beyond it (0, EXTRA); without EMULATED the
 * compiler knows both. No branch stands between products: the columns of the stage before are taken once more, for nothing, where there
 * is no next one.
 */
PART_OF_KERNEL void sum_rounds(tile_sums *sums, const places *p, copies *c, const uint width, const uint extra)
{
    uint arrived = 0, made = 0; /* places of the newest stage and operand */
    uint before = 0, made_before = 0;
#if INPUT == CF16
    uint runs = 0;
#endif
#if AHEAD
    STAGE_IS_THERE();
    take_stage(sums, 1, p, arrived, made, extra && width <= 64);
    COPY_NEXT(c, p->stages);
    GO_ON();
#endif
    for (uint first = AHEAD; first < c->rounds + AHEAD; first += ROUNDS_AT_ONCE)
        UNROLL for (uint turn = 0; turn < ROUNDS_AT_ONCE; turn++) {
            const uint r = first + turn;
            STAGE_IS_THERE();
            UNROLL for (uint group = 0; group < T_STAGE / GROUP_SPECTRA; group++) {
                if (width) {
                    row_words rows;
                    PRODUCTS_WAIT(1); /* those before the last ones are done with their rows */
                    load_rows(&rows, p->memory, Y_EDGE(p, AHEAD ? before : arrived), p->y, p->warp * 16, group, p->lane, p->bits);
                    add_products(sums, &rows, p,
                                 (REWRITTEN ? OPERAND(p, made_before) : X_EDGE(p, arrived)) + group * (2 * OPERAND_PITCH) +
                                     (extra ? 0 : EXTRA * KEY_BYTES),
                                 group + turn ? 1 : r != AHEAD && OF_RUN(r - AHEAD, p->warp), width + extra);
                }
                if ((REWRITTEN || INPUT != CF16) && group == 0)
                    take_stage(sums, AHEAD ? r < c->rounds : 1, p, AHEAD && r == c->rounds ? before : arrived, made,
                               extra && width <= 64);
            }
            /* while products are at work (between two groups of them the compiler would have one wait for the other) */
            COPY_NEXT(c, p->stages);
#if INPUT == CF16
            const uint next = r + 1 - AHEAD;
            if (width && turn + 1 == ROUNDS_AT_ONCE && (OF_RUN(next, p->warp) == 0 || next == c->rounds)) {
                end_run(sums, p, extra, runs == 0, next == c->rounds);
                runs++;
            }
#endif
            GO_ON();
        }
    if (width)
        finish_products(sums);
}
#endif
