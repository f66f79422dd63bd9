/*
 * The stages of the variants mma and wgmma: spectra of a tile's rows and columns on their way into local memory, in units of 16 bytes.
 * Included by xengine_mma.cl and xengine_wgmma.cl, whose parameters and macros (Wy, Wx, GROUP, SAMPLE, BLOCK, LAYOUT, EMULATED, and
 * COPY_GROUP where not all work-items copy, FRONT, BESIDES) it takes.
 */
#ifndef COPY_GROUP
#define COPY_GROUP GROUP /* the work-items that copy */
#endif
#ifndef FRONT
#define FRONT 0 /* LAYOUT 2: inputs for which each row of units of an edge has room, in front of the tile's */
#endif
#ifndef SHIFTED
#define SHIFTED 0 /* LAYOUT 0: 1: a unit is there as a whole, with samples of other channels; places in front of `low` hold the inputs `turn` further on */
#endif
#ifndef GRAM
#define GRAM 0 /* LAYOUT 0: 1: [16 spectra][32 inputs][time], lines of 128 bytes as matrix units take them from [time][channel][input] */
#endif
#ifndef BESIDES
#define BESIDES 0 /* inputs for which a stage has room besides its tile's, those among them */
#endif

/* Units of a stage, for an edge of W inputs, and the place of one. LAYOUT 0: [time][unit of inputs]; LAYOUT 2: [block][input][2].
 * Places are permuted so that the eight rows of a matrix lie in different banks. */
#define UNITS(W) (T_STAGE * (W) / UNIT_SAMPLES)
#if LAYOUT == 0
#define ROW_UNITS(W) ((W) / UNIT_SAMPLES)
#if GRAM
#define UNIT_TIME(unit, W) ((unit) / (16 * ROW_UNITS(W)) * 16 + (unit) / 8 % 16)
#define UNIT_PLACE(unit, W) ((unit) / 128 % ((W) / 32) * 32 + (unit) % 8 * UNIT_SAMPLES)
#define TURN(t, W) ((t) & 7)
#define TURN_ROWS 8
#else
#define UNIT_TIME(unit, W) ((unit) / ROW_UNITS(W))
#define UNIT_PLACE(unit, W) ((unit) % ROW_UNITS(W) * UNIT_SAMPLES)
#endif
#ifndef TURN
#define TURN_ROWS 8 /* after which it is the same again */
#define TURN(t, W) (ROW_UNITS(W) % 8 == 0 ? (t) & 7 : ROW_UNITS(W) % 4 == 0 ? (t) >> 1 & 3 : ROW_UNITS(W) % 2 == 0 ? (t) >> 2 & 1 : 0)
#endif
#define PLACE_AT(unit, t, W) ((unit) ^ (TURN(t, W)))
#define PLACE(unit, W) PLACE_AT(unit, UNIT_TIME(unit, W), W)
#define PLACE_BEHIND(unit, W) PLACE(unit, W)
#else
#define PLACE(unit, W) ((unit) ^ ((unit) >> 3 & 1))
#define PLACE_BEHIND(unit, W) (PLACE(unit, W) + 2 * FRONT * ((unit) / (2 * (W)) + 1))
#endif
#define STAGE_UNITS (UNITS(Wy) + UNITS(Wx) + UNITS(BESIDES))
#define X_UNIT UNITS(Wy + FRONT) /* where the columns' edge begins */

/* The first inputs of a work-group's tile. Tiles are numbered by rows; a row has the columns up to its last input. */
typedef struct group_tile {
    uint y_first, x_first;
} group_tile;

INLINE uint columns_of(const uint row, const uint inputs)
{
    const uint last = (row + 1) * Wy < inputs ? (row + 1) * Wy : inputs;
    return (last + Wx - 1) / Wx;
}

INLINE group_tile tile_of(uint column, const uint inputs)
{
    uint row = 0;
    for (uint c = columns_of(0, inputs); column >= c; c = columns_of(row, inputs)) {
        column -= c;
        row++;
    }
    group_tile tile;
    tile.y_first = row * Wy;
    tile.x_first = column * Wx;
    return tile;
}

typedef struct unit_t {
    uint word[4];
} unit_t;

/* A unit of an edge: the first sample's place in the array, in bytes from the stage's first spectrum (LAYOUT 2: block), and what of it is
 * there. An input that is not there is replaced by the last one: its sums are never written. */
typedef struct source {
    ulong offset;
    uint time;  /* of its first sample in the stage */
    uint bytes; /* when all spectra are there */
} source;

INLINE source source_of(const uint unit, const uint width, const uint first, const uint inputs, const ulong time_bytes, const uint low,
                        const uint turn)
{
    source s;
    (void)low, (void)turn;
#if LAYOUT == 0
    const uint place = first + UNIT_PLACE(unit, width);
    const uint wanted = SHIFTED && place < low ? place + turn : place;
    const uint input = wanted < inputs ? wanted : (inputs - 1) / UNIT_SAMPLES * UNIT_SAMPLES;
    s.time = UNIT_TIME(unit, width);
    s.offset = s.time * time_bytes + (ulong)input * SAMPLE;
    s.bytes = !SHIFTED && inputs - input < UNIT_SAMPLES ? (inputs - input) * SAMPLE : 16;
#else
    const uint second = unit & 1, wanted = first + unit / 2 % width, block = unit / 2 / width;
    const uint input = wanted < inputs ? wanted : inputs - 1;
    s.time = block * BLOCK + second * UNIT_SAMPLES;
    s.offset = block * time_bytes + (ulong)input * 32 + 16 * second;
    s.bytes = 16;
#endif
    return s;
}

/* A unit of the stage: which edge it is of, and where it goes. */
#define OF_X(unit) ((unit) >= UNITS(Wy))
INLINE source source_in_stage(const uint unit, const uint y_first, const uint x_first, const uint inputs, const ulong time_bytes,
                              const uint low, const uint turn)
{
    return OF_X(unit) ? source_of(unit - UNITS(Wy), Wx, x_first, inputs, time_bytes, low, turn)
                      : source_of(unit, Wy, y_first, inputs, time_bytes, low, turn);
}

INLINE uint place_in_stage(const uint unit)
{
    return OF_X(unit) ? X_UNIT + PLACE_BEHIND(unit - UNITS(Wy), Wx) : PLACE_BEHIND(unit, Wy);
}

/* Copies a unit of which `bytes` are there, the rest becomes samples of zero. pieces: bytes that all addresses are multiples of, 16, 4
 * or less. */
INLINE void copy_unit(LOCAL_PTR unit_t *to, GLOBAL const uchar *from, const uint bytes, const uint pieces, const uint zero)
{
#if !EMULATED
    const uint address = LOCAL_ADDRESS(to);
    /* an asynchronous copy fills up with zero bytes, which are not zero in offset binary */
    const uint fills = bytes == 16 || !zero;
    if (pieces == 16 && fills) {
        ASM("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"((ulong)from), "r"(bytes) : "memory");
        return;
    }
    if (pieces >= 4 && fills) {
        for (uint p = 0; p < 4; p++) {
            const uint there = bytes <= 4 * p ? 0 : bytes - 4 * p < 4 ? bytes - 4 * p : 4;
            ASM("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address + 4 * p), "l"((ulong)(from + (there ? 4 * p : 0))),
                "r"(there)
                : "memory");
        }
        return;
    }
#endif
    (void)pieces;
    for (uint w = 0; w < 4; w++) {
        uint word = 0;
        for (uint b = 0; b < 4; b++)
            word |= (4 * w + b < bytes ? (uint)from[4 * w + b] : zero & 0xff) << (8 * b);
        to->word[w] = word;
    }
}

/* Copies a unit of a stage of which `left` spectra are there: the rest becomes `zero`, which adds nothing. */
INLINE void copy_source(LOCAL_PTR unit_t *to, GLOBAL const uchar *from, const source s, const ulong left, const uint pieces,
                        const uint zero)
{
#if LAYOUT == 0
    const uint bytes = s.time < left ? s.bytes : 0;
#else
    const uint bytes = s.time >= left ? 0 : left - s.time < UNIT_SAMPLES ? (uint)(left - s.time) * SAMPLE : 16;
#endif
    copy_unit(to, bytes ? from + s.offset : from, bytes, pieces, zero);
}

/* Such a stage's rows and columns. */
INLINE void copy_part(LOCAL_PTR unit_t *stage, GLOBAL const uchar *from, const ulong left, const uint y_first, const uint x_first,
                      const uint inputs, const ulong time_bytes, const uint low, const uint turn, const uint pieces, const uint zero, const uint item)
{
    for (uint unit = item; unit < UNITS(Wy) + UNITS(Wx); unit += COPY_GROUP)
        copy_source(stage + place_in_stage(unit), from, source_in_stage(unit, y_first, x_first, inputs, time_bytes, low, turn), left, pieces, zero);
}

/*
 * Stages that are there as a whole are copied with few instructions: a work-group takes whole rows of units of an edge (LAYOUT 0: TURN_ROWS
 * spectra or a multiple, 2: blocks) at once, so that a work-item's next unit lies ROWS_AT_ONCE rows further on, and GROUP places.
 */
#if LAYOUT == 0
#define ROWS_AT_ONCE(W) (COPY_GROUP / ROW_UNITS(W))
#define IS_REGULAR(W) (UNITS(W) % COPY_GROUP == 0 && COPY_GROUP % (TURN_ROWS * ROW_UNITS(W)) == 0)
#else
#define ROWS_AT_ONCE(W) (COPY_GROUP / (2 * (W)))
#define IS_REGULAR(W) (UNITS(W) % COPY_GROUP == 0 && COPY_GROUP % (2 * (W)) == 0)
#endif
#define REGULAR (IS_REGULAR(Wy) && IS_REGULAR(Wx))

INLINE void copy_edge(LOCAL_PTR unit_t *to, GLOBAL const uchar *from, const uint copies, const ulong stride)
{
    UNROLL for (uint c = 0; c < copies; c++) {
#if EMULATED
        copy_unit(to + c * COPY_GROUP, from, 16, 16, 0);
#else
        ASM("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(LOCAL_ADDRESS(to) + 16 * COPY_GROUP * c), "l"((ulong)from) : "memory");
#endif
        from += stride;
    }
}

#if EMULATED
#define COPIES_COMMIT()
#define COPIES_WAIT_FOR(n)
#define COPIES_WAIT()
#else
#define COPIES_COMMIT() ASM("cp.async.commit_group;" ::: "memory")
#define COPIES_WAIT_FOR(n) ASM("cp.async.wait_group %0;" ::"n"(n) : "memory")
#define COPIES_WAIT() COPIES_WAIT_FOR(STAGES - 2)
#endif
