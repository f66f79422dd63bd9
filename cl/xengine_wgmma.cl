/*
 * X-engine, variant for Hopper's matrix units: products of a warpgroup (wgmma, compute capability 9.0 through CUDA) on samples as they lie.
 *
 * A sample's parts are never told apart: with the spectra of an input as a row (re0, im0, re1, im1, ...),
 *     re_ij = sum of (y_re, y_im) . (x_re, x_im), the row of i times that of j as they are;
 *     im_ij = sum of (y_im, -y_re) . (x_re, x_im), and since -y_re = ~y_re + 1,
 *           = sum of (y_im, ~y_re) . (x_re, x_im) + the sum of x_im over the time.
 * A complement is a byte for every byte, so no operand is negated and -128 is an ordinary value. Rows of the first operand are turned in
 * registers; the second operand is read from local memory as it lies, once for both. Two sums a product, where real and imaginary rows would
 * have four.
 *
 * Data flow:
 *   a work-group owns a tile (Wy = 64 WARPGROUPS rows x Wx = COLUMNS columns of inputs) of one channel and one slice of the time;
 *   local memory holds STAGES stages of T_STAGE spectra of the tile's rows and columns, filled by asynchronous copies of 16 bytes. Blocks of
 *   ci8 are laid out there as the products want them; of all else the columns are rewritten (transposed, 4-bit parts widened) into one of
 *   three operands, a stage ahead;
 *   a warpgroup owns 64 rows and all columns: registers hold its sums. It multiplies 32 spectra while it fetches the next 32's rows.
 * A copy goes where the stage before the last one was, whose products are done when the work-group meets.
 *
 * Parameters (allowed values; default, small enough for any device; src/engine/xengine_wgmma.c has those for the hardware):
 *   WARPGROUPS     warpgroups of a work-group, one below the other (1..4; 1)
 *   COLUMNS        inputs along the columns (64, 128; 64)
 *   PRODUCT        columns of one instruction (64, 128, a divisor of COLUMNS; 64)
 *   T_STAGE        spectra of a stage (64, 128; 64)
 *   STAGES         stages in local memory (3..8; 3)
 *   RESIDENT       work-groups that a multiprocessor's registers have to hold at once (1..4; 1)
 *   EMULATED       1: plain C instead of the instructions, with the same stages, operands and descriptors (0 where they are)
 *
 * Host macros:
 *   NPOL      1 or 2 polarisations
 *   INPUT     the input's clradio_type: 7 ci8, 8 ci4
 *   OUTPUT    the output's clradio_type where visibilities are written directly (xengine_output.cl)
 *   LAYOUT    0: [time][channel][input]; 2: [channel][time/BLOCK][input][BLOCK], BLOCK = 16 for ci8, 32 for ci4
 *   ARCHITECTURE_SPECIFIC   an option of the build: instructions that no later architecture has
 *
 * Sizes, the coding of ci4, the order and the conjugation are arguments.
 */
#include "common.cl"

#ifndef WARPGROUPS
#define WARPGROUPS 1
#endif
#ifndef COLUMNS
#define COLUMNS 64
#endif
#ifndef PRODUCT
#define PRODUCT 64
#endif
#ifndef T_STAGE
#define T_STAGE 64
#endif
#ifndef STAGES
#define STAGES 3
#endif
#ifndef RESIDENT
#define RESIDENT 1
#endif
#ifndef NPOL
#define NPOL 2
#endif
#ifndef INPUT
#define INPUT 7
#endif
#ifndef OUTPUT
#define OUTPUT 5
#endif
#ifndef LAYOUT
#define LAYOUT 2
#endif
#ifndef EMULATED
#if defined(CLR_CUDA) && defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define EMULATED 0
#else
#define EMULATED 1
#endif
#endif
#if !EMULATED && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#error these matrix products are for compute capability 9.0 alone (sm_90a)
#endif

#define CI8 7
#define CI4 8

#define Wy (64 * WARPGROUPS) /* inputs */
#define Wx COLUMNS
#define GROUP (128 * WARPGROUPS)
#define SAMPLE (INPUT == CI8 ? 2 : 1) /* bytes */
#define UNIT_SAMPLES (16 / SAMPLE)    /* a unit is 16 bytes: that many inputs (LAYOUT 0) or times (LAYOUT 2) */
#define BLOCK (2 * UNIT_SAMPLES)
#define KEY_BYTES 32 /* of a row in one product: 16 spectra of (re, im) */
#define ROW_BYTES 128 /* of a row in an operand: four products; the pattern of the permuted units repeats after eight rows */

/* The place of a row's unit of 16 bytes in an operand, in bytes from its start. */
#define OPERAND_PLACE(row, unit) ((row) * ROW_BYTES + (((unit) ^ ((row) & 7)) << 4))

/* Whether the columns are rewritten for the products; then their operands are made a stage ahead. */
#define REWRITTEN (INPUT != CI8 || LAYOUT == 0)
#define AHEAD REWRITTEN
#define OPERANDS 3
#define OPERAND_BYTES(W) (T_STAGE / 64 * (W) * ROW_BYTES)

#if !REWRITTEN
/* Unit (block W + input) 2 + lower of an edge: four blocks of an input make a row of an operand. */
#define PLACE(unit, W)                                                                                                          \
    ((unit) / (8 * (W)) * (8 * (W)) +                                                                                          \
     OPERAND_PLACE((unit) / 2 % (W), (unit) / (2 * (W)) % 4 * 2 + (unit) % 2) / 16)
#endif

#include "xengine_output.cl"

#include "xengine_mma_stage.cl"

#include "xengine_wgmma_samples.cl"

#define PARTS (Wx / PRODUCT)
#define SUMS (PRODUCT / 2) /* of a work-item in one product */

/* The products of 32 spectra: a warpgroup's rows, whose first is y_first in the tile, with all columns. */
INLINE void add_products(int re[PARTS][SUMS], int im[PARTS][SUMS], LOCAL_PTR const uchar *memory, const uint y_edge, const uint y_first,
                         const uint operand, const uint group, const uint lane, const nibbles coding,
                         const uint again, const uint rows, const uint columns)
{
#if EMULATED
    uint of_lane[4][2][4];
    (void)again;
    if (y_first >= rows)
        return;
    for (uint q = 0; q < 4; q++)
        load_samples(of_lane[q], memory, y_edge, Wy, y_first, group, (lane & ~3u) + q, coding);
    for (uint k = 0; k < 2; k++) {
        uint of_key[4][4];
        for (uint n = 0; n < 16; n++)
            of_key[n / 4][n % 4] = of_lane[n / 4][k][n % 4];
#else
    uint words[2][4], im_words[2][4];
    (void)rows, (void)columns;
    load_samples(words, memory, y_edge, Wy, y_first, group, lane, coding);
    UNROLL for (uint n = 0; n < 8; n++)
        im_words[n / 4][n % 4] = turned(words[n / 4][n % 4]);
    PRODUCTS_FENCE();
    UNROLL for (uint k = 0; k < 2; k++) {
#endif
        const uint key = operand + group / 2 * (Wx * ROW_BYTES) + (group % 2 * 2 + k) * KEY_BYTES;
        UNROLL for (uint part = 0; part < PARTS; part++) {
            const ulong descriptor = descriptor_of(key + part * (PRODUCT * ROW_BYTES));
#if EMULATED
            product_in_c(re[part], im[part], of_key, descriptor, memory, lane,
                         columns > part * PRODUCT ? columns - part * PRODUCT : 0);
#else
            MULTIPLY(re[part], words[k], descriptor, k ? 1 : again);
            MULTIPLY(im[part], im_words[k], descriptor, k ? 1 : again);
#endif
        }
    }
    PRODUCTS_COMMIT();
}

#include "xengine_wgmma_pass.cl"

/* Stages of blocks that are there as a whole, where they are not rewritten. Of eight work-items in a row every second input takes part, with
 * both its units: local memory's banks are then all used, and memory is still read in pieces of 32 bytes that lie together. */
INLINE void copy_blocks(LOCAL_PTR unit_t *to, GLOBAL const uchar *from, const uint width, const uint first, const uint inputs,
                        const ulong time_bytes, const uint item)
{
    UNROLL for (uint c = 0; c < (T_STAGE / BLOCK * 2 * width + GROUP - 1) / GROUP; c++) {
        const uint n = c * GROUP + item, block = n / (2 * width), of_block = n % (2 * width);
        const uint input = of_block / 32 * 16 + of_block / 16 % 2 * 8 + of_block / 2 % 4 * 2 + of_block / 8 % 2;
        const uint unit = (block * width + input) * 2 + of_block % 2;
        const uint taken = first + input < inputs ? first + input : inputs - 1;
        if (T_STAGE / BLOCK * 2 * width % GROUP == 0 || n < T_STAGE / BLOCK * 2 * width)
            copy_unit(to + PLACE(unit, width), from + block * time_bytes + (ulong)taken * 32 + 16 * (of_block % 2), 16, 16, 0);
    }
}

#if EMULATED
#define ROOM_FOR_GROUPS REQD_GROUP(GROUP, 1, 1)
#else
#define ROOM_FOR_GROUPS __launch_bounds__(GROUP, RESIDENT)
#endif
#define ALIGNMENT 1024 /* of the stages: the pattern of an operand repeats after that many bytes */
#define LOOP_UNITS (STAGES * STAGE_UNITS + REWRITTEN * OPERANDS * OPERAND_BYTES(Wx) / 16)
#define OUT_UNITS ((WARPS * PASS_WORDS + 5 * Wx) / 4)
#define LOCAL_UNITS (LOOP_UNITS > OUT_UNITS ? LOOP_UNITS : OUT_UNITS)

/*
 * Grid: x tiles (rows of tiles one after another), y channels of the chunk, z slices of the time.
 * spectra: the first spectrum of the chunk's first channel; bytes from one spectrum (LAYOUT 2: block) and channel to the next. Slice z
 * takes slice_length of spectra_count spectra (LAYOUT 2: whole blocks; what is behind the last spectrum is not used).
 * pieces: bytes that all units' addresses are multiples of, 16, 4 or less.
 * direct = 0: sums is [slice][channel of the chunk] of wide sums, written, or added to with add = 1.
 * direct = 1: visibilities is the whole output, written in the order given; one slice.
 */
KERNEL ROOM_FOR_GROUPS
xengine_wgmma(SPAN(const uchar, spectra), SPAN(wide_t, sums), SPAN(out_t, visibilities), const uint stations,
              const uint first_channel, const ulong time_bytes, const ulong channel_bytes, const ulong spectra_count,
              const ulong slice_length, const uint add, const uint coding, const uint pieces, const uint direct, const ulong plane,
              const uint order, const uint conjugate)
{
    LOCAL_LARGE(unit_t, all_units, LOCAL_UNITS + ALIGNMENT / 16);
#if EMULATED
    /* PoCL 3.1 moves loads from an array whose address it knows across barriers */
    LOCAL_PTR unit_t *volatile unknown = all_units;
    LOCAL_PTR unit_t *const stages = unknown;
    const uint start = 0;
#else
    unit_t *const stages = all_units + (ALIGNMENT - LOCAL_ADDRESS(all_units) % ALIGNMENT) % ALIGNMENT / 16;
    const uint start = LOCAL_ADDRESS(stages);
#endif
    LOCAL_PTR uchar *const memory = (LOCAL_PTR uchar *)stages;
    const uint item = LOCAL_ID(0), lane = item % 32, warp = item / 32;
    const uint inputs = stations * NPOL;
    const nibbles bits = { coding & 2 ? 0x88888888u : 0u, coding & 1 ? 0u : 4u };
    const group_tile tile = tile_of(GROUP_ID(0), inputs);
    const uint y_first = tile.y_first, x_first = tile.x_first;
    const ulong begin = GROUP_ID(2) * slice_length;
    const ulong count = spectra_count - begin < slice_length ? spectra_count - begin : slice_length;
    const uint rounds = (uint)((count + T_STAGE - 1) / T_STAGE);
    const ulong step = T_STAGE / (LAYOUT == 0 ? 1 : BLOCK) * time_bytes;
    GLOBAL const uchar *from =
        SPAN_AT(const uchar, spectra) + GROUP_ID(1) * channel_bytes + begin / (LAYOUT == 0 ? 1 : BLOCK) * time_bytes;
#if REWRITTEN
    const uint y_place = PLACE(item, Wy), x_place = UNITS(Wy) + PLACE(item, Wx);
    const ulong y_offset = source_of(item, Wy, y_first, inputs, time_bytes).offset;
    const ulong x_offset = source_of(item, Wx, x_first, inputs, time_bytes).offset;
    const uint whole = REGULAR && pieces == 16 ? (uint)(count / T_STAGE) : 0;
#else
    const uint whole = pieces == 16 ? (uint)(count / T_STAGE) : 0;
#endif
    int re[PARTS][SUMS], im[PARTS][SUMS], imaginary[2 * SIXTEENS];
#if EMULATED
    for (uint n = 0; n < PARTS * SUMS; n++)
        re[n / SUMS][n % SUMS] = im[n / SUMS][n % SUMS] = 0;
#endif
    UNROLL for (uint n = 0; n < 2 * SIXTEENS; n++)
        imaginary[n] = 0;

#if REWRITTEN
#define COPY_WHOLE(stage)                                                                                                       \
    do {                                                                                                                        \
        copy_edge((stage) + y_place, from + y_offset, UNITS(Wy) / GROUP, ROWS_AT_ONCE(Wy) * time_bytes);                        \
        copy_edge((stage) + x_place, from + x_offset, UNITS(Wx) / GROUP, ROWS_AT_ONCE(Wx) * time_bytes);                        \
    } while (0)
#else
#define COPY_WHOLE(stage)                                                                                                       \
    do {                                                                                                                        \
        copy_blocks(stage, from, Wy, y_first, inputs, time_bytes, item);                                                        \
        copy_blocks((stage) + UNITS(Wy), from, Wx, x_first, inputs, time_bytes, item);                                          \
    } while (0)
#endif
#define COPY(number, place)                                                                                                     \
    do {                                                                                                                        \
        if ((number) < whole)                                                                                                   \
            COPY_WHOLE(stages + (place) * STAGE_UNITS);                                                                         \
        else if ((number) < rounds)                                                                                             \
            copy_part(stages + (place) * STAGE_UNITS, from, count - (ulong)(number) * T_STAGE, y_first, x_first, inputs,        \
                      time_bytes, pieces, bits.flip, item);                                                                     \
        COPIES_COMMIT();                                                                                                        \
        from += step;                                                                                                           \
    } while (0)
#define Y_EDGE(place) (start + (place) * (STAGE_UNITS * 16))
#define X_EDGE(place) (Y_EDGE(place) + UNITS(Wy) * 16)
#define OPERAND(number) (start + STAGES * STAGE_UNITS * 16 + (number) * OPERAND_BYTES(Wx))
    for (uint r = 0; r < STAGES - 2; r++)
        COPY(r, r);
    uint arrived = 0, writing = STAGES - 2, made = 0; /* places of the newest stage and operand */
    uint before = 0, made_before = 0;                 /* and of those before */
    for (uint r = 0; r < rounds + AHEAD; r++) {
        COPIES_WAIT_FOR(STAGES - 3);
        PROXY_FENCE();
        BARRIER();
        COPY(r + STAGES - 2, writing);
        UNROLL for (uint group = 0; group < T_STAGE / 32; group++) {
            if (!AHEAD || r) {
                add_products(re, im, memory, Y_EDGE(AHEAD ? before : arrived), warp * 16,
                             REWRITTEN ? OPERAND(made_before) : X_EDGE(arrived), group, lane, bits, group ? 1 : r - AHEAD,
                             inputs - y_first, inputs - x_first);
                PRODUCTS_WAIT(1);
            }
            if (group == 0 && r < rounds)
                take_columns(imaginary, memory, X_EDGE(arrived), OPERAND(made), warp, lane, bits);
        }
        before = arrived;
        made_before = made;
        arrived = arrived + 1 == STAGES ? 0 : arrived + 1;
        made = made + 1 == OPERANDS ? 0 : made + 1;
        writing = writing + 1 == STAGES ? 0 : writing + 1;
    }
    PRODUCTS_WAIT(0);
    /* the four lanes that share an input have a part each of its sum; all stages are done with */
    LOCAL_PTR int *const pass = (LOCAL_PTR int *)memory + warp * PASS_WORDS;
    LOCAL_PTR int *const parts = (LOCAL_PTR int *)memory + WARPS * PASS_WORDS;
    BARRIER();
    UNROLL for (uint s = 0; s < 2 * SIXTEENS; s++)
        if (Wx / 16 % WARPS == 0 || (warp + s / 2 * WARPS) * 16 < Wx)
            parts[(lane % 4 + 1) * Wx + (warp + s / 2 * WARPS) * 16 + INPUT_AT(s % 2, lane / 4)] = imaginary[s];
    BARRIER();
    for (uint n = item; n < Wx; n += GROUP)
        parts[n] = parts[Wx + n] + parts[2 * Wx + n] + parts[3 * Wx + n] + parts[4 * Wx + n];
    const ulong baselines = (ulong)stations * (stations + 1) / 2;
    GLOBAL wide_t *const wide = SPAN_AT(wide_t, sums) + ((ulong)GROUP_ID(2) * GROUPS(1) + GROUP_ID(1)) * baselines * (2 * NPOL * NPOL);
    output out;
    TAKE_OUTPUT(out);
    UNROLL for (uint first = 0; first < Wx; first += PASS_COLUMNS) {
        BARRIER();
        pass_columns(pass, re, im, parts, first, lane);
        BARRIER();
        put_passed(direct ? (GLOBAL wide_t *)0 : wide, &out, pass, y_first + warp * 16, x_first + first, lane, inputs, add);
    }
}
