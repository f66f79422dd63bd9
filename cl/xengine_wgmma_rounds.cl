/*
 * The variant wgmma's rounds: stages are copied, their columns looked after and their products added to a warpgroup's sums. Included by
 * xengine_wgmma.cl, whose parameters and macros it takes.
 */
/*
 * Stages that are there as a whole are copied with few instructions: a work-group takes whole rows of units of an edge, or one of HALVES
 * parts of a row, at once, so that a work-item's next unit of the same part lies a fixed number of bytes further on.
 */
#define HALVES(W) (LAYOUT == 2 && 2 * (W) > COPY_GROUP ? 2 * (W) / COPY_GROUP : 1)
#define IS_WHOLE(W) (UNITS(W) % COPY_GROUP == 0 && (IS_REGULAR(W) || (HALVES(W) > 1 && 2 * (W) % COPY_GROUP == 0)))
PART_OF_KERNEL void copy_rows(LOCAL_PTR unit_t *to, GLOBAL const uchar *from, const ulong *offsets, const uint width, const ulong time_bytes)
{
    const ulong stride = HALVES(width) > 1 ? time_bytes : ROWS_AT_ONCE(width) * time_bytes;
    UNROLL for (uint c = 0; c < UNITS(width) / COPY_GROUP; c++) {
#if EMULATED
        copy_unit(to + c * COPY_GROUP, from + offsets[c % HALVES(width)], 16, 16, 0);
#else
        ASM("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(LOCAL_ADDRESS(to) + 16 * COPY_GROUP * c),
            "l"((ulong)(from + offsets[c % HALVES(width)]))
            : "memory");
#endif
        if (c % HALVES(width) == HALVES(width) - 1)
            from += stride;
    }
}

/* A work-item's copies: of the next stage, `number`, to its place. */
typedef struct copies {
    GLOBAL const uchar *from; /* the stage's first spectrum */
    ulong step, time_bytes, count;
    uint number, place, whole, rounds;
    uint item, pieces, zero;
    uint y_first, x_first, one_edge, end; /* the tile; inputs from `end` on are not there */
    uint y_copy, x_copy;
    ulong y_offsets[HALVES(Wy)], x_offsets[HALVES(Wx)];
    uint extra; /* of the first inputs, copied besides */
    uint extra_copy;
    ulong extra_offset;
} copies;

#if EXTRA
/* Few units, of which a work-item may have none; no branch where the stage is there as a whole. */
#if LAYOUT == 0
#define EXTRA_REGULAR (COPY_GROUP % (8 * ROW_UNITS(EXTRA)) == 0)
#else
#define EXTRA_REGULAR (COPY_GROUP % (2 * EXTRA) == 0)
#endif
PART_OF_KERNEL void copy_extra(const copies *c, LOCAL_PTR unit_t *stage)
{
    LOCAL_PTR unit_t *const to = stage + UNITS(Wy) + UNITS(Wx);
#if !EMULATED
    if (EXTRA_REGULAR && c->number < c->whole) {
        GLOBAL const uchar *from = c->from + c->extra_offset;
        UNROLL for (uint n = 0; n * COPY_GROUP < UNITS(EXTRA); n++) {
            ASM("{ .reg .pred mine; setp.ne.u32 mine, %2, 0; @mine cp.async.cg.shared.global [%0], [%1], 16; }" ::"r"(
                    LOCAL_ADDRESS(to) + c->extra_copy + 16 * COPY_GROUP * n),
                "l"((ulong)from), "r"((uint)(c->item + n * COPY_GROUP < UNITS(EXTRA)))
                : "memory");
            from += ROWS_AT_ONCE(EXTRA) * c->time_bytes;
        }
        return;
    }
#endif
    for (uint unit = c->item; unit < UNITS(EXTRA); unit += COPY_GROUP)
        copy_source(to + PLACE(unit, EXTRA), c->from, source_of(unit, EXTRA, 0, c->extra, c->time_bytes),
                    c->count - (ulong)c->number * T_STAGE, c->pieces, c->zero);
}
#endif

PART_OF_KERNEL void copy_next(copies *c, LOCAL_PTR unit_t *stages)
{
    LOCAL_PTR unit_t *const stage = stages + c->place * STAGE_UNITS;
    if (c->number < c->whole) {
        copy_rows(stage + c->y_copy, c->from, c->y_offsets, Wy, c->time_bytes);
        if (!c->one_edge)
            copy_rows(stage + c->x_copy, c->from, c->x_offsets, Wx, c->time_bytes);
    } else if (c->number < c->rounds) {
        copy_part(stage, c->from, c->count - (ulong)c->number * T_STAGE, c->y_first, c->x_first, c->end, c->time_bytes, c->pieces,
                  c->zero, c->item);
    }
#if EXTRA
    if (c->extra && c->number < c->rounds)
        copy_extra(c, stage);
#endif
    COPIES_COMMIT();
    c->from += c->step;
    c->number++;
    c->place = c->place + 1 == STAGES ? 0 : c->place + 1;
}

/* A work-item's sums. Of cf16 those of the hardware move on into its own. */
typedef struct tile_sums {
    sum_t re[PARTS][SUMS], im[PARTS][SUMS];
    int imaginary[2 * SIXTEENS(Wx)];
#if INPUT == CF16
    sum_t whole_re[PARTS][SUMS], whole_im[PARTS][SUMS];
#endif
#if EXTRA
    sum_t extra_re[EXTRA / 2], extra_im[EXTRA / 2];
    int extra_imaginary[2 * SIXTEENS(EXTRA)];
#endif
} tile_sums;

PART_OF_KERNEL void clear_sums(tile_sums *sums)
{
#if INPUT == CF16
    UNROLL for (uint n = 0; n < PARTS * SUMS; n++)
        sums->whole_re[n / SUMS][n % SUMS] = sums->whole_im[n / SUMS][n % SUMS] = 0;
#endif
#if EMULATED
    for (uint n = 0; n < PARTS * SUMS; n++)
        sums->re[n / SUMS][n % SUMS] = sums->im[n / SUMS][n % SUMS] = 0;
#endif
    UNROLL for (uint n = 0; n < 2 * SIXTEENS(Wx); n++)
        sums->imaginary[n] = 0;
#if EXTRA
    UNROLL for (uint n = 0; n < 2 * SIXTEENS(EXTRA); n++)
        sums->extra_imaginary[n] = 0;
    UNROLL for (uint n = 0; n < EXTRA / 2; n++)
        sums->extra_re[n] = sums->extra_im[n] = 0;
#endif
}

/* Waits for all products: sums are what they are from here on. */
PART_OF_KERNEL void finish_products(tile_sums *sums)
{
    PRODUCTS_WAIT(0);
    UNROLL for (uint n = 0; n < PARTS * SUMS; n++) {
        HELD(sums->re[n / SUMS][n % SUMS]);
        HELD(sums->im[n / SUMS][n % SUMS]);
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
    uint extra; /* row_place of those beyond the tile */
#endif
    uint rows, columns; /* that are there */
    nibbles bits;
} places;

#define Y_EDGE(p, place) ((p)->start + (place) * (STAGE_UNITS * 16))
#define X_EDGE(p, place) (Y_EDGE(p, place) + ((p)->one_edge ? 0 : UNITS(Wy) * 16))
#define EXTRA_EDGE(p, place) (Y_EDGE(p, place) + (UNITS(Wy) + UNITS(Wx)) * 16)
#define OPERAND(p, number) ((p)->start + STAGES * STAGE_UNITS * 16 + (number) * OPERAND_BYTES(Wx))

/* The products of a group of spectra: a warpgroup's rows with the first `width` columns. operand: the group's. */
PART_OF_KERNEL void add_products(tile_sums *sums, row_words *words, const places *p, const uint operand, const uint again, const uint width)
{
#if EMULATED
    (void)again;
    if (p->warp * 16 >= p->rows)
        return;
#else
    PRODUCTS_FENCE();
#endif
    UNROLL for (uint k = 0; k < 2; k++) {
#if EMULATED
        uint of_key[4][4];
        const uint columns = width < p->columns ? width : p->columns;
        for (uint n = 0; n < 16; n++)
            of_key[n / 4][n % 4] = words->of_lane[n / 4][k][n % 4];
#endif
        UNROLL for (uint part = 0; part < PARTS; part++) {
            const ulong descriptor = descriptor_of(operand + (k * Wx + part * PRODUCT) * KEY_BYTES);
#if EMULATED
            product_in_c(sums->re[part], sums->im[part], of_key, descriptor, p->memory, p->lane, PRODUCT,
                         columns > part * PRODUCT ? columns - part * PRODUCT : 0);
#else
            const uint add = k ? 1 : again, left = width > part * PRODUCT ? width - part * PRODUCT : 0;
            if (left >= PRODUCT) {
                MULTIPLY(sums->re[part], words->plain[k], descriptor, add);
                MULTIPLY(sums->im[part], words->turned[k], descriptor, add);
            } else if (left) {
                product_64(sums->re[part], words->plain[k], descriptor, add);
                product_64(sums->im[part], words->turned[k], descriptor, add);
            }
#endif
        }
    }
    PRODUCTS_COMMIT();
}

#if EXTRA
/*
 * And with those beyond the tile's, by each warp's own instruction (mma.sync): an asynchronous product of so few columns takes half as long as one
 * of 128. Its rows have the same registers, and a lane of eight columns the words that ldmatrix gives it, so that nothing is written.
 */
PART_OF_KERNEL void add_extra(tile_sums *sums, row_words *rows, const places *p, const uint edge, const uint group)
{
    uint words[2][4];
#if EMULATED
    for (uint n = 0; n < 8; n++) {
        const uint e = n / 4, q = n % 4; /* of a column, 2 (lane % 4) + e, and the four lanes that have its words */
        load_samples(words, p->memory, edge, p->extra, EXTRA, 0, group, (p->lane % 4 * 2 + e) * 4 + q, p->bits);
        for (uint s = 0; s < 16; s++) {
            const uint k = s / 8, lower = s / 4 % 2, unit = s / 2 % 2, h = s % 2, w = 2 * unit + h;
            const uint *const a = rows->of_lane[q][k], b = words[k][2 * unit + lower];
            sums->extra_re[4 * lower + 2 * h + e] += dot_of_word(a[w], b);
            sums->extra_im[4 * lower + 2 * h + e] += dot_of_word(TURNED(a, w), b);
        }
    }
#endif
    load_samples(words, p->memory, edge, p->extra, EXTRA, 0, group, p->lane, p->bits);
    UNROLL for (uint k = 0; k < 2; k++) {
#if !EMULATED
        UNROLL for (uint lower = 0; lower < 2; lower++) {
            product_of_warp(sums->extra_re + 4 * lower, rows->plain[k], words[k][lower], words[k][2 + lower]);
            product_of_warp(sums->extra_im + 4 * lower, rows->turned[k], words[k][lower], words[k][2 + lower]);
        }
#endif
        UNROLL for (uint w = 0; w < 4; w++)
            if (LEFT_OVER(w))
                sums->extra_imaginary[w % 2] = add_bytes(words[k][w], LEFT_OVER(w), sums->extra_imaginary[w % 2]);
    }
}
#endif

#if COPIERS
#define STAGE_IS_THERE()                                                                                                        \
    do {                                                                                                                        \
        if (REWRITTEN)                                                                                                          \
            PROXY_FENCE();                                                                                                      \
        MEET();                                                                                                                 \
        PROXY_FENCE();                                                                                                          \
    } while (0)
#define COPY_NEXT(copies, stages)
#else
#define STAGE_IS_THERE()                                                                                                        \
    do {                                                                                                                        \
        COPIES_WAIT_FOR(STAGES - 3);                                                                                            \
        PROXY_FENCE();                                                                                                          \
        MEET();                                                                                                                 \
    } while (0)
#define COPY_NEXT(copies, stages) copy_next(copies, stages)
#endif

/* Looks after the columns of the stage at a place. */
PART_OF_KERNEL void take_stage(tile_sums *sums, const uint times, const places *p, const uint place, const uint made)
{
    take_columns(sums->imaginary, times, Wx, p->memory, X_EDGE(p, place), p->x, OPERAND(p, made), p->word, p->warp, p->lane, p->bits);
}

#if INPUT == CF16
/* Of a run's rounds; warpgroups end theirs at different times, so that one multiplies while another adds. */
#define RUN_ROUNDS (RUN / T_STAGE)
#define OF_RUN(round, warp) (((round) + (warp) / 4 * (RUN_ROUNDS / WARPGROUPS)) % RUN_ROUNDS)
PART_OF_KERNEL void end_run(tile_sums *sums)
{
    finish_products(sums);
    UNROLL for (uint n = 0; n < PARTS * SUMS; n++) {
        sums->whole_re[n / SUMS][n % SUMS] += sums->re[n / SUMS][n % SUMS];
        sums->whole_im[n / SUMS][n % SUMS] += sums->im[n / SUMS][n % SUMS];
        START_SUM(sums->re[n / SUMS][n % SUMS]);
        START_SUM(sums->im[n / SUMS][n % SUMS]);
    }
}
#else
#define OF_RUN(round, warp) (round)
#endif

/*
 * All rounds. width: the columns of the tile that are multiplied (0, 64, all), extra: whether those beyond it are; without EMULATED the
 * compiler knows both. No branch stands between products: the columns of the stage before are taken once more, for nothing, where there
 * is no next one.
 */
PART_OF_KERNEL void sum_rounds(tile_sums *sums, const places *p, copies *c, const uint width, const uint extra)
{
    (void)extra;
    uint arrived = 0, made = 0; /* places of the newest stage and operand */
    uint before = 0, made_before = 0;
#define GO_ON()                                                                                                                 \
    do {                                                                                                                        \
        before = arrived;                                                                                                       \
        made_before = made;                                                                                                     \
        arrived = arrived + 1 == STAGES ? 0 : arrived + 1;                                                                      \
        made = made + 1 == OPERANDS ? 0 : made + 1;                                                                             \
    } while (0)
#if AHEAD
    STAGE_IS_THERE();
    take_stage(sums, 1, p, arrived, made);
    COPY_NEXT(c, p->stages);
    GO_ON();
#endif
    for (uint r = AHEAD; r < c->rounds + AHEAD; r++) {
        STAGE_IS_THERE();
        UNROLL for (uint group = 0; group < T_STAGE / GROUP_SPECTRA; group++) {
            if (width) {
                row_words rows;
                PRODUCTS_WAIT(1); /* those before the last ones are done with their rows */
                load_rows(&rows, p->memory, Y_EDGE(p, AHEAD ? before : arrived), p->y, p->warp * 16, group, p->lane, p->bits);
                add_products(sums, &rows, p,
                             (REWRITTEN ? OPERAND(p, made_before) : X_EDGE(p, arrived)) + group * (2 * KEY_BYTES * Wx),
                             group ? 1 : r != AHEAD && OF_RUN(r - AHEAD, p->warp), width);
#if EXTRA
                if (extra)
                    add_extra(sums, &rows, p, EXTRA_EDGE(p, AHEAD ? before : arrived), group);
#endif
            }
            if (INPUT != CF16 && group == 0)
                take_stage(sums, AHEAD ? r < c->rounds : 1, p, AHEAD && r == c->rounds ? before : arrived, made);
        }
        /* while products are at work (between two groups of them the compiler would have one wait for the other) */
        COPY_NEXT(c, p->stages);
#if INPUT == CF16
        if (width && (OF_RUN(r + 1, p->warp) == 0 || r + 1 == c->rounds))
            end_run(sums);
#endif
        GO_ON();
    }
    if (width)
        finish_products(sums);
}
