/*
 * The variant wgmma's stages on their way into local memory: a work-group's tile, and what of it a work-item copies. Included by
 * xengine_wgmma.cl, whose parameters and macros it takes.
 */
/*
 * Stages that are there as a whole are copied with few instructions: a work-group takes whole rows of units of an edge, or one of HALVES
 * parts of a row, at once, so that a work-item's next unit of the same part lies a fixed number of bytes further on.
 */
#if GRAM /* of 32 inputs 16 spectra are a part, the next 16 lie behind all inputs' */
#define HALVES(W) (4 * (W) > COPY_GROUP ? 4 * (W) / COPY_GROUP : 1)
#define IS_WHOLE(W) (4 * (W) % COPY_GROUP == 0)
#define PARTS_STRIDE(W, time_bytes) (16 * (time_bytes))
#else
#define HALVES(W) (LAYOUT == 2 && 2 * (W) > COPY_GROUP ? 2 * (W) / COPY_GROUP : 1)
#define IS_WHOLE(W) (UNITS(W) % COPY_GROUP == 0 && (IS_REGULAR(W) || (HALVES(W) > 1 && 2 * (W) % COPY_GROUP == 0)))
#define PARTS_STRIDE(W, time_bytes) (HALVES(W) > 1 ? (time_bytes) : ROWS_AT_ONCE(W) * (time_bytes))
#endif
/* Of the HALVES of an edge the first `parts`. wanted: which of a work-item's are copied, or NULL: all, without a predicate for each copy. */
PART_OF_KERNEL void copy_rows(LOCAL_PTR unit_t *to, GLOBAL const uchar *from, const ulong *offsets, const uint width, const uint parts,
                              const ulong time_bytes, const uint *wanted)
{
    const ulong stride = PARTS_STRIDE(width, time_bytes);
    UNROLL for (uint c = 0; c < UNITS(width) / COPY_GROUP; c++) {
        const uint part = c % HALVES(width), unit = c * COPY_GROUP + 2 * FRONT * (c * COPY_GROUP / (2 * width));
        if (part < parts) {
#if EMULATED
            copy_unit(to + unit, from + offsets[part], 16, 16, 0);
            (void)wanted;
#else
            const uint address = LOCAL_ADDRESS(to) + 16 * unit;
            const ulong source = (ulong)(from + offsets[part]);
            if (wanted)
                ASM("{ .reg .pred wanted; setp.ne.u32 wanted, %2, 0; @wanted cp.async.cg.shared.global [%0], [%1], 16; }" ::"r"(address),
                    "l"(source), "r"(wanted[part])
                    : "memory");
            else
                ASM("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(source) : "memory");
#endif
        }
        if (part == HALVES(width) - 1)
            from += stride;
    }
}

/* A work-item's copies: of the next stage, `number`, to its place. */
typedef struct copies {
    GLOBAL const uchar *from; /* the stage's first spectrum */
    ulong step, time_bytes, count;
    uint number, place, whole, rounds;
    uint item, pieces, zero;
    uint channel; /* of the chunk */
    uint y_first, x_first, one_edge, end; /* the tile; inputs from `end` on are not there */
    uint is_within;                       /* GRAM: its rows are among its columns, and not copied */
    uint inputs, offset, shift;           /* of the channel; places in front of the first, in the tiles and in its first unit */
    uint low, turn;                       /* SHIFTED: turn_inputs */
    uint y_copy, x_copy;
    ulong y_offsets[HALVES(Wy)], x_offsets[HALVES(Wx)];
    uint is_front, extra; /* of the first inputs, copied besides */
    uint y_wanted[HALVES(Wy)]; /* is_front: rows that are nobody's are not read: 128 times the last one takes long */
    uint extra_copy;
    ulong extra_offset;
} copies;

/* The place behind the last input, as if none came round, and where the channel's first unit is. */
#define LAST_PLACE(c) (!SHIFTED || (c)->is_front ? (c)->end : (c)->offset + (c)->inputs)
#define FIRST_UNIT(c) ((c)->from + (SHIFTED ? (int)((c)->offset - (c)->shift) * SAMPLE : 0))

/* Spectra of the next stage and behind it. */
#define SPECTRA_LEFT(c) ((ulong)(c)->number * T_STAGE < (c)->count ? (c)->count - (ulong)(c)->number * T_STAGE : 0)

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
        copy_source(to + EXTRA_PLACE(unit), FIRST_UNIT(c), source_of(unit, EXTRA, 0, c->extra, c->time_bytes, 0, 0),
                    SPECTRA_LEFT(c), c->pieces, c->zero);
}
#endif

PART_OF_KERNEL void copy_next(copies *c, LOCAL_PTR unit_t *stages)
{
    LOCAL_PTR unit_t *const stage = stages + c->place * STAGE_UNITS;
    if (c->number < c->whole) {
        if (EXTRA && c->is_front)
            copy_rows(stage + c->y_copy, c->from, c->y_offsets, Wy, HALVES(Wy), c->time_bytes, c->y_wanted);
        else if (!c->is_within)
            copy_rows(stage + c->y_copy, c->from, c->y_offsets, Wy, HALVES(Wy), c->time_bytes, (const uint *)0);
        if (c->is_within && SKIP && Wx > 64 && c->y_first + Wy <= c->x_first + 64) /* no more are needed */
            copy_rows(stage + c->x_copy, c->from, c->x_offsets, Wx, HALVES(Wx) / 2, c->time_bytes, (const uint *)0);
        else if (!c->one_edge)
            copy_rows(stage + c->x_copy, c->from, c->x_offsets, Wx, HALVES(Wx), c->time_bytes, (const uint *)0);
    } else if (c->number < c->rounds) {
        copy_part(stage, c->from, SPECTRA_LEFT(c), c->y_first, c->x_first, LAST_PLACE(c), c->time_bytes, c->low, c->turn, c->pieces,
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

/* The work-group's channel and the number of its tile: rows of tiles one after another; behind them, with front, the rows of inputs that fill none. With LAST, for short tiles at
 * the launch's end, all channels' of these are the last, and of the last channels those on the diagonal come behind all others. */
#define LAST_TILES (LAST && (Wx == Wy || Wx == 2 * Wy))
/* A row's tiles but for its short one, and the short tiles in front of them; how many there are, and the number of one. Of tiles twice as wide as high those are short that end with
 * the upper half of their columns, in every second row. */
#define LONG_TILES(row) (Wx == Wy ? (row) : ((row) + 1) / 2)
#define SHORT_TILES(rows) (Wx == Wy ? (rows) : ((rows) + 1) / 2)
#define SHORT_TILE(n) (Wx == Wy ? (n) * ((n) + 3) / 2 : (n) * ((n) + 2))
PART_OF_KERNEL uint take_channel(copies *c, const uint rows, const uint front)
{
    c->channel = GROUP_ID(1);
#if LAST_TILES
    const uint channels = GROUPS(1), tiles = GROUPS(0) - front, others = tiles - SHORT_TILES(rows);
    const uint last = channels < LAST ? channels : LAST, before = channels - last;
    const ulong number = (ulong)GROUP_ID(1) * GROUPS(0) + GROUP_ID(0), full = (ulong)channels * tiles;
    if (number >= full) {
        c->channel = (uint)(number - full);
        return tiles;
    }
    c->channel = (uint)(number / tiles);
    if (c->channel >= before) {
        const uint behind = (uint)(number - (ulong)before * tiles);
        if (behind >= last * others) {
            const uint number_of_short = (behind - last * others) % SHORT_TILES(rows);
            c->channel = before + (behind - last * others) / SHORT_TILES(rows);
            return SHORT_TILE(number_of_short);
        }
        uint row = 1;
        for (uint left = behind % others; left >= LONG_TILES(row); row++)
            left -= LONG_TILES(row);
        c->channel = before + behind / others;
        return behind % others + LONG_TILES(row);
    }
    return (uint)(number % tiles);
#else
    (void)rows, (void)front;
    return GROUP_ID(0);
#endif
}

#if SHIFTED
/* Copies of a line of global memory into one of local memory take half the time of others, so an input's place in the tiles is its place in the lines: the first unit (behind those that come
 * before all tiles) has the place `low`, and what would be behind the last place, `turn`, comes round in front, where nothing is. Addresses are counted from the first place on. */
PART_OF_KERNEL uint turn_inputs(copies *c, const uint places_there, const uint beyond)
{
    const uint units = (c->inputs + c->shift + UNIT_SAMPLES - 1) / UNIT_SAMPLES * UNIT_SAMPLES;
    const uint front = beyond && units > places_there ? units - places_there : 0;
    if (c->is_front) {
        c->end = front;
        return front;
    }
    c->low = (uint)((ulong)(c->from + front * SAMPLE) % LINE_BYTES) / 16 * UNIT_SAMPLES % places_there;
    c->turn = places_there;
    c->offset = c->low + c->shift - front;
    c->end = c->low + units - front > places_there ? places_there : c->offset + c->inputs;
    c->from -= (int)(c->offset - c->shift) * SAMPLE;
    return front;
}
#endif

/* The work-group's tile. Inputs that fill no tile come first: their columns are beyond those of the tiles on the diagonal, their rows are the
 * last tile, whose own columns are nobody's. SHIFTED: all channels have the tiles of the one with the most inputs. spectra, channel_bytes: the kernel's. */
PART_OF_KERNEL void take_tile(copies *c, const uint inputs, const uint first_channel, GLOBAL const uchar *spectra, const ulong channel_bytes)
{
    const uint most = inputs + MOST_SHIFT(inputs);
    const uint beyond = EXTRA != 0 && most > Wx && most % Wx <= EXTRA ? most % Wx : 0;
    const uint tiled = beyond || !SHIFTED ? most - beyond : (most + LINE_INPUTS - 1) / LINE_INPUTS * LINE_INPUTS;
    const group_tile tile = tile_of(take_channel(c, (tiled + Wy - 1) / Wy, beyond != 0), tiled);
    c->inputs = inputs;
    c->shift = c->offset = SHIFT_OF(first_channel + c->channel, inputs);
    c->from = spectra + c->channel * channel_bytes - c->shift * SAMPLE;
    c->is_front = beyond && tile.y_first == tiled;
    c->low = c->turn = 0;
#if SHIFTED
    const uint front = turn_inputs(c, tiled, beyond), tiles_first = 0;
#else
    const uint front = beyond, tiles_first = beyond;
    c->end = c->is_front ? front : inputs;
#endif
    c->y_first = c->is_front ? 0 : tiles_first + tile.y_first;
    c->x_first = c->is_front ? 0 : tiles_first + tile.x_first;
    c->one_edge = !GRAM && Wx == Wy && c->x_first == c->y_first; /* a tile on the diagonal has it for rows and columns */
    c->is_within = GRAM && c->y_first >= c->x_first && c->y_first + Wy <= c->x_first + Wx;
    c->extra = c->one_edge ? front : 0;
}

/* The input in an edge of which a unit is. */
#if LAYOUT == 0
#define ROW_OF(unit, W) ((unit) % ROW_UNITS(W) * UNIT_SAMPLES)
#else
#define ROW_OF(unit, W) ((unit) / 2 % (W))
#endif

/* What a work-item's addresses need stays in registers. */
PART_OF_KERNEL void plan_copies(copies *c, const uint copier, const ulong count, const ulong time_bytes, const uint pieces, const uint zero)
{
    c->step = T_STAGE / (LAYOUT == 0 ? 1 : BLOCK) * time_bytes;
    c->time_bytes = time_bytes;
    c->count = count;
    c->number = 0;
    c->place = 0;
    c->whole = IS_WHOLE(Wy) && IS_WHOLE(Wx) && pieces == 16 ? (uint)(count / T_STAGE) : 0;
    c->rounds = (uint)((count + T_STAGE * ROUNDS_AT_ONCE - 1) / (T_STAGE * ROUNDS_AT_ONCE)) * ROUNDS_AT_ONCE;
    c->item = copier;
    c->pieces = pieces;
    c->zero = zero;
    c->y_copy = PLACE_BEHIND(copier, Wy);
    c->x_copy = X_UNIT + PLACE_BEHIND(copier, Wx);
    KEPT(c->y_copy);
    KEPT(c->x_copy);
    UNROLL for (uint n = 0; n < HALVES(Wy); n++) {
        c->y_offsets[n] = source_of(copier + n * COPY_GROUP, Wy, c->y_first, LAST_PLACE(c), time_bytes, c->low, c->turn).offset;
        KEPT_LONG(c->y_offsets[n]);
        c->y_wanted[n] = ROW_OF(copier + n * COPY_GROUP, Wy) < c->end;
    }
    UNROLL for (uint n = 0; n < HALVES(Wx); n++) {
        c->x_offsets[n] = source_of(copier + n * COPY_GROUP, Wx, c->x_first, LAST_PLACE(c), time_bytes, c->low, c->turn).offset;
        KEPT_LONG(c->x_offsets[n]);
    }
#if EXTRA
    c->extra_copy = 16 * EXTRA_PLACE(copier);
    c->extra_offset = c->extra ? source_of(copier, EXTRA, 0, c->extra, time_bytes, 0, 0).offset + (ulong)(FIRST_UNIT(c) - c->from) : 0;
    KEPT(c->extra_copy);
    KEPT_LONG(c->extra_offset);
#endif
}

/* A stage is there for all that multiply, and what of the next ones is copied then. */
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
        COPIES_WAIT_FOR(COPIED_AHEAD - 1);                                                                                            \
        PROXY_FENCE();                                                                                                          \
        MEET();                                                                                                                 \
    } while (0)
#define COPY_NEXT(copies, stages) copy_next(copies, stages)
#endif
