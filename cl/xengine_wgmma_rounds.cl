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
        const uint unit = c * COPY_GROUP + 2 * FRONT * (c * COPY_GROUP / (2 * width));
#if EMULATED
        copy_unit(to + unit, from + offsets[c % HALVES(width)], 16, 16, 0);
#else
        ASM("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(LOCAL_ADDRESS(to) + 16 * unit),
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
    uint is_front, extra; /* of the first inputs, copied besides */
    uint extra_copy;
    ulong extra_offset;
} copies;

#if EXTRA
/* Few units, of which a work-item may have none; no branch where the stage is there as a whole. */
#if LAYOUT == 0
#define EXTRA_REGULAR (COPY_GROUP % (8 * ROW_UNITS(EXTRA)) == 0)
#define EXTRA_PLACE(unit) PLACE(unit, EXTRA)
#else
#define EXTRA_REGULAR (COPY_GROUP % (2 * EXTRA) == 0)
#define EXTRA_PLACE(unit) (PLACE(unit, EXTRA) + (unit) / (2 * EXTRA) * (FRONT ? 2 * Wy : 0)) /* in front of the tile's */
#endif
PART_OF_KERNEL void copy_extra(const copies *c, LOCAL_PTR unit_t *stage)
{
    LOCAL_PTR unit_t *const to = stage + EXTRA_UNIT;
#if !EMULATED
    if (EXTRA_REGULAR && c->number < c->whole) {
        GLOBAL const uchar *from = c->from + c->extra_offset;
        UNROLL for (uint n = 0; n * COPY_GROUP < UNITS(EXTRA); n++) {
            ASM("{ .reg .pred mine; setp.ne.u32 mine, %2, 0; @mine cp.async.cg.shared.global [%0], [%1], 16; }" ::"r"(
                    LOCAL_ADDRESS(to) + c->extra_copy + 16 * EXTRA_PLACE(COPY_GROUP * n)),
                "l"((ulong)from), "r"((uint)(c->item + n * COPY_GROUP < UNITS(EXTRA)))
                : "memory");
            from += ROWS_AT_ONCE(EXTRA) * c->time_bytes;
        }
        return;
    }
#endif
    for (uint unit = c->item; unit < UNITS(EXTRA); unit += COPY_GROUP)
        copy_source(to + EXTRA_PLACE(unit), c->from, source_of(unit, EXTRA, 0, c->extra, c->time_bytes),
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

/* The work-group's tile. Inputs that fill no tile come first: their columns are beyond those of the tiles on the diagonal, their rows are the
 * last tile, whose own columns are nobody's. */
PART_OF_KERNEL void take_tile(copies *c, const uint inputs)
{
    const uint front = EXTRA != 0 && inputs > Wx && inputs % Wx <= EXTRA ? inputs % Wx : 0;
    const group_tile tile = tile_of(GROUP_ID(0), inputs - front);
    c->is_front = front && tile.y_first == inputs - front;
    c->y_first = c->is_front ? 0 : front + tile.y_first;
    c->x_first = c->is_front ? 0 : front + tile.x_first;
    c->end = c->is_front ? front : inputs;
    c->one_edge = Wx == Wy && c->x_first == c->y_first; /* a tile on the diagonal has it for rows and columns */
    c->extra = c->one_edge ? front : 0;
}

/* What a work-item's addresses need stays in registers. */
PART_OF_KERNEL void plan_copies(copies *c, const uint copier, const ulong count, const ulong time_bytes, const uint pieces, const uint zero)
{
    c->step = T_STAGE / (LAYOUT == 0 ? 1 : BLOCK) * time_bytes;
    c->time_bytes = time_bytes;
    c->count = count;
    c->number = 0;
    c->place = 0;
    c->whole = IS_WHOLE(Wy) && IS_WHOLE(Wx) && pieces == 16 ? (uint)(count / T_STAGE) : 0;
    c->rounds = (uint)((count + T_STAGE - 1) / T_STAGE);
    c->item = copier;
    c->pieces = pieces;
    c->zero = zero;
    c->y_copy = PLACE_BEHIND(copier, Wy);
    c->x_copy = X_UNIT + PLACE_BEHIND(copier, Wx);
    KEPT(c->y_copy);
    KEPT(c->x_copy);
    UNROLL for (uint n = 0; n < HALVES(Wy); n++) {
        c->y_offsets[n] = source_of(copier + n * COPY_GROUP, Wy, c->y_first, c->end, time_bytes).offset;
        KEPT_LONG(c->y_offsets[n]);
    }
    UNROLL for (uint n = 0; n < HALVES(Wx); n++) {
        c->x_offsets[n] = source_of(copier + n * COPY_GROUP, Wx, c->x_first, c->end, time_bytes).offset;
        KEPT_LONG(c->x_offsets[n]);
    }
#if EXTRA
    c->extra_copy = 16 * EXTRA_PLACE(copier);
    c->extra_offset = c->extra ? source_of(copier, EXTRA, 0, c->extra, time_bytes).offset : 0;
    KEPT(c->extra_copy);
    KEPT_LONG(c->extra_offset);
#endif
}

/* A work-item's sums. Of cf16 those of the hardware move on into its own. */
typedef struct tile_sums {
    sum_t re[PARTS][SUMS + EXTRA / 2], im[PARTS][SUMS + EXTRA / 2]; /* columns beyond the tile's come first */
    int imaginary[2 * SIXTEENS(Wx)];
#if INPUT == CF16
    sum_t whole_re[PARTS][SUMS], whole_im[PARTS][SUMS];
#endif
#if EXTRA
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
    for (uint n = 0; n < PARTS * (SUMS + EXTRA / 2); n++)
        sums->re[n / (SUMS + EXTRA / 2)][n % (SUMS + EXTRA / 2)] = sums->im[n / (SUMS + EXTRA / 2)][n % (SUMS + EXTRA / 2)] = 0;
#endif
    UNROLL for (uint n = 0; n < 2 * SIXTEENS(Wx); n++)
        sums->imaginary[n] = 0;
#if EXTRA
    UNROLL for (uint n = 0; n < 2 * SIXTEENS(EXTRA); n++)
        sums->extra_imaginary[n] = 0;
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
    uint extra, extra_word; /* of those beyond the tile */
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
    UNROLL for (uint s = 0; s < SIXTEENS(Wx); s++) {
        p->x[s] = row_place(Wx + FRONT, FRONT + SIXTEEN_OF(warp + s * WARPS, Wx) * 16, lane);
        KEPT(p->x[s]);
    }
#if EXTRA
    p->extra = row_place(FRONT ? Wx + FRONT : EXTRA, SIXTEEN_OF(warp, EXTRA) * 16, lane);
    p->extra_word = word_place(EXTRA, warp, lane);
    KEPT(p->extra);
    KEPT(p->extra_word);
#endif
}

#define Y_EDGE(p, place) ((p)->start + (place) * (STAGE_UNITS * 16))
#define X_EDGE(p, place) (Y_EDGE(p, place) + ((p)->one_edge ? 0 : X_UNIT * 16))
#define EXTRA_EDGE(p, place) (Y_EDGE(p, place) + EXTRA_UNIT * 16)
#define OPERAND(p, number) ((p)->start + STAGES * STAGE_UNITS * 16 + (number) * OPERAND_BYTES(Wx + EXTRA))

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
PART_OF_KERNEL void take_stage(tile_sums *sums, const uint times, const places *p, const uint place, const uint made, const uint extra)
{
    take_columns(sums->imaginary, times, Wx, p->memory, X_EDGE(p, place), p->x, OPERAND(p, made) + EXTRA * KEY_BYTES, p->word, p->warp, p->lane, p->bits);
#if EXTRA
    if (extra)
        take_columns(sums->extra_imaginary, times, EXTRA, p->memory, EXTRA_EDGE(p, place), &p->extra, OPERAND(p, made), p->extra_word, p->warp, p->lane, p->bits);
#else
    (void)extra;
#endif
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
 * All rounds. width: the columns of the tile that are multiplied (0, 64, all), extra: those beyond it (0, EXTRA); without EMULATED the
 * compiler knows both. No branch stands between products: the columns of the stage before are taken once more, for nothing, where there
 * is no next one.
 */
PART_OF_KERNEL void sum_rounds(tile_sums *sums, const places *p, copies *c, const uint width, const uint extra)
{
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
    take_stage(sums, 1, p, arrived, made, extra);
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
                             (REWRITTEN ? OPERAND(p, made_before) : X_EDGE(p, arrived)) + group * (2 * OPERAND_PITCH) +
                                 (extra ? 0 : EXTRA * KEY_BYTES),
                             group ? 1 : r != AHEAD && OF_RUN(r - AHEAD, p->warp), width + extra);
            }
            if (INPUT != CF16 && group == 0)
                take_stage(sums, AHEAD ? r < c->rounds : 1, p, AHEAD && r == c->rounds ? before : arrived, made, extra);
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
