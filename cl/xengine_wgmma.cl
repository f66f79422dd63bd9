/*
 * X-engine, variant for Hopper's matrix units: products of a warpgroup (wgmma, compute capability 9.0) on samples as they lie.
 *
 * A sample's parts are never told apart: with the spectra of an input as a row (re0, im0, re1, im1, ...),
 *     re_ij = sum of (y_re, y_im) . (x_re, x_im), the row of i times that of j as they are;
 *     im_ij = sum of (y_im, -y_re) . (x_re, x_im), and since -y_re = ~y_re + 1,
 *           = sum of (y_im, ~y_re) . (x_re, x_im) + the sum of x_im over the time.
 * A complement is a byte for every byte, so no operand is negated and -128 is an ordinary value. Of cf16, where a change of sign is exact,
 * it is (y_im, -y_re), and nothing is added. Rows of the first operand are turned in
 * registers; the second operand is read from local memory as it lies, once for both. Two sums a product, where real and imaginary rows would
 * have four.
 *
 * Data flow:
 *   a work-group owns a tile (Wy = 64 WARPGROUPS rows x Wx = COLUMNS columns of inputs) of one channel and one slice of the time;
 *   local memory holds STAGES stages of T_STAGE spectra of the tile's rows and columns, filled by asynchronous copies of 16 bytes. Blocks of
 *   ci8 and cf16 are laid out there as the products want them; of all else the columns are rewritten (transposed, 4-bit parts widened) into one of
 *   three or four operands, a stage ahead;
 *   a warpgroup owns 64 rows and all columns: registers hold its sums. It multiplies a group of spectra while it looks after the columns and
 *   fetches the next group's rows.
 *
 * Parameters (allowed values; default, small enough for any device; src/engine/xengine_wgmma.c has those for the hardware):
 *   WARPGROUPS     warpgroups of a work-group, one below the other (1..4; 1)
 *   COLUMNS        inputs along the columns (64, 128; 64)
 *   PRODUCT        columns of one instruction (64, 128, a divisor of COLUMNS; 64)
 *   T_STAGE        spectra of a stage (64, 128, of cf16 all multiples of 16, of cf32 of 8 WARPGROUPS; 64)
 *   STAGES         stages in local memory (3..8; 3; of T_STAGE=16 from 4 on)
 *   RESIDENT       work-groups that a multiprocessor's registers have to hold at once (1..4; 1)
 *   RUN            cf16: spectra in one sum of the hardware, a multiple of T_STAGE, before it moves on to the work-item's own (256);
 *                  cf32: T_STAGE, of which the smaller products come first
 *   COPIERS        warps that only copy, behind the others (0..4; 0: all copy): a fence of one that multiplies waits for no copy; 4, a
 *                  warpgroup, leave their registers to several others
 *   SKIP           1: a warpgroup leaves out columns that none of its rows needs, 64 at a time (0: it does not)
 *   EXTRA          ci8, ci4 and, with OWN_LOCAL=1, blocks of cf16, with SKIP=1 and COLUMNS = 64 WARPGROUPS: columns beyond those of a tile on the diagonal, for up to so
 *                  many inputs that fill no tile (0, 16, 32; 0)
 *   LAST           with COLUMNS = 64 WARPGROUPS: channels of the chunk, the last ones, whose tiles on the diagonal (with GRAM those of which half of the columns are needed) come behind all others (0..64; 0): with
 *                  SKIP=1 they take less, and a launch ends sooner that ends with them; with EXTRA all channels' tiles of inputs that fill none are the last
 *   SHIFTED        LAYOUT 0: 1: spectra of a channel that begin anywhere in a line of 128 bytes and in a unit of 16, each time at the same place of the unit because those of all
 *                  channels are whole units (and of the line, where they are whole lines): an input's place in the tiles is its place in the lines (0: spectra of each
 *                  channel are whole units)
 *   GRAM           1: cf16 of LAYOUT 0 with PRODUCT = COLUMNS or 64 and T_STAGE a multiple of 32: all four sums of real and imaginary parts, of both operands as they lie
 *                  (xengine_wgmma_gram.cl), in tiles of 32 WARPGROUPS rows; with COPIERS=4 or, EMULATED, 0 (0: two sums)
 *   OWN_LOCAL      1: cf16: a work-item's own sums lie in local memory, so that registers are there for 128 COLUMNS (0: in registers)
 *   EMULATED       1: plain C instead of the instructions, with the same stages, operands and descriptors (0 where they are)
 *
 * Host macros:
 *   NPOL      1 or 2 polarisations
 *   INPUT     the input's clradio_type: 7 ci8, 8 ci4, 3 cf16, 1 cf32 (each part as the sum of three of bf16, xengine_wgmma_floats.cl)
 *   OUTPUT    the output's clradio_type where visibilities are written directly (xengine_output.cl)
 *   LAYOUT    0: [time][channel][input]; 2: [channel][time/BLOCK][input][BLOCK], BLOCK = 16 for ci8, 32 for ci4, 8 for cf16, 4
 *             for cf32
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
#ifndef COPIERS
#define COPIERS 0
#endif
#ifndef RUN
#define RUN (INPUT == CF32 ? T_STAGE : 256)
#endif
#ifndef SKIP
#define SKIP 0
#endif
#ifndef EXTRA
#define EXTRA 0
#endif
#ifndef LAST
#define LAST 0
#endif
#ifndef GRAM
#define GRAM 0
#endif
#ifndef OWN_LOCAL
#define OWN_LOCAL 0
#endif
#ifndef SHIFTED
#define SHIFTED 0
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
#if EMULATED && COPIERS
#error the plain C has no warps that only copy
#endif
#if !EMULATED && defined(CLR_CUDA) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#error these matrix products are for compute capability 9.0 alone (sm_90a)
#endif

#define CF32 1
#define CF16 3
#define CI8 7
#define CI4 8

#define FLOAT_SUMS (INPUT == CF16 || INPUT == CF32)

#if EXTRA && (!SKIP || COLUMNS != 64 * WARPGROUPS || INPUT == CF32 || (INPUT == CF16 && (!OWN_LOCAL || LAYOUT == 0)))
#error columns beyond a tile's need square tiles, SKIP=1, and of cf16 blocks and OWN_LOCAL=1
#endif
#if GRAM && (INPUT != CF16 || LAYOUT != 0 || EXTRA || OWN_LOCAL || T_STAGE % 32 || (!EMULATED && COPIERS != 4))
#error four sums a product are of cf16 in [time][channel][input], with T_STAGE a multiple of 32 and COPIERS=4
#endif
#if SHIFTED && LAYOUT != 0
#error spectra that begin anywhere in a unit are of [time][channel][input]
#endif

#define WARPGROUP_ROWS (GRAM ? 32 : 64) /* inputs */
#define WARP_ROWS (WARPGROUP_ROWS / 4)
#define Wy (WARPGROUP_ROWS * WARPGROUPS)
#define Wx COLUMNS
#define GROUP (128 * WARPGROUPS) /* that multiply */
#if COPIERS
#define COPY_GROUP (32 * COPIERS)
#endif
#define SAMPLE (INPUT == CF32 ? 8 : INPUT == CF16 ? 4 : INPUT == CI8 ? 2 : 1) /* bytes */
#define UNIT_SAMPLES (16 / SAMPLE)    /* a unit is 16 bytes: that many inputs (LAYOUT 0) or times (LAYOUT 2) */
#define BLOCK (2 * UNIT_SAMPLES)
#define KEY_BYTES 32                            /* of a row in one product */
#define KEY_SPECTRA (FLOAT_SUMS ? 8 : 16)       /* of (re, im) in it */
#define GROUP_SPECTRA (2 * KEY_SPECTRA)         /* multiplied at a time */

#if FLOAT_SUMS
typedef float sum_t;
#else
typedef int sum_t;
#endif

/* Inputs in front of a channel's first in its first unit, and the most of any channel's: of all channels' spectra, which are whole units, the first one begins with a unit. */
#if SHIFTED
#define SHIFT_OF(channel, inputs) ((channel) * (inputs) % UNIT_SAMPLES)
#define MOST_SHIFT(inputs) ((inputs) % UNIT_SAMPLES ? UNIT_SAMPLES - ((inputs) & (0u - (inputs))) : 0)
#else
#define SHIFT_OF(channel, inputs) 0u
#define MOST_SHIFT(inputs) 0u
#endif

#define LINE_BYTES 128
#define LINE_INPUTS (LINE_BYTES / SAMPLE)

/* The place of a row's unit of 16 bytes (0 or 1) in a key of an operand, in bytes from its start: the permutation of the hardware's pattern
 * of 32 bytes, which keeps eight rows' units in different banks. */
#define OPERAND_PLACE(row, unit) ((row) * KEY_BYTES + (((unit) ^ ((row) >> 2 & 1)) << 4))

/* Whether the columns are rewritten for the products; then their operands are made a stage ahead. Blocks of ci8 and cf16 lie in a stage as an operand
 * does: copies go in whole rows of both, which local memory takes without conflicts. */
#define REWRITTEN (INPUT == CI4 || INPUT == CF32 || (LAYOUT == 0 && !GRAM))
#define AHEAD REWRITTEN
/* Stages that copies are ahead: they go where the stage before the last was, whose products are done when the work-group meets. Where a stage is one
 * group, products of it may be at work then; of columns that are rewritten they read no stage, but one more operand is needed. */
#define COPIED_AHEAD (STAGES - 2 - (!REWRITTEN && T_STAGE == GROUP_SPECTRA))
/* Products at work read their rows' registers: two groups in turn have some of their own. */
#define ROUNDS_AT_ONCE (INPUT != CF32 && T_STAGE == GROUP_SPECTRA ? 2 : 1)
#define OPERANDS (INPUT == CF32 ? 2 : 3 + (T_STAGE == GROUP_SPECTRA)) /* of cf32 products of a stage end with it */
#define OPERAND_PARTS (INPUT == CF32 ? 3 : 1)
#define OPERAND_BYTES(W) (OPERAND_PARTS * (T_STAGE / KEY_SPECTRA) * (W) * KEY_BYTES)
#define OPERAND_PITCH ((Wx + EXTRA) * KEY_BYTES) /* from a key to the next */

/* Whether samples are read one by one: cf16 in [time][channel][input], which a transposing load would tear apart. */
#define SINGLE (INPUT == CF16 && LAYOUT == 0 && !GRAM)

/* What must not stay a function: its arrays are registers, and the compiler has to know its last arguments. The plain C may (compilers for
 * processors take long for all of it in one). */
#if defined(CLR_CUDA) || EMULATED
#define PART_OF_KERNEL INLINE
#else
#define PART_OF_KERNEL INLINE __attribute__((always_inline))
#endif

#include "xengine_output.cl"

/* Columns beyond a tile's are taken in one product with its own: they lie in front of them, in an operand and so in a stage that is one. */
#define FRONT (REWRITTEN ? 0 : EXTRA)
#define BESIDES (REWRITTEN ? EXTRA : 2 * EXTRA)
#define EXTRA_UNIT (REWRITTEN ? UNITS(Wy) + UNITS(Wx) : 0)
#if SINGLE || (INPUT == CF32 && LAYOUT == 0)
/* A read of a warp's rows takes eight inputs (of cf32 four) of four spectra. */
#define TURN(t, W) (2 * ((t) & 3))
#define TURN_ROWS 4
#endif
#include "xengine_mma_stage.cl"

#define PARTS (Wx / PRODUCT)
#define SUMS (PRODUCT / 2) /* of a work-item in one product */

#include "xengine_wgmma_samples.cl"

#include "xengine_wgmma_pass.cl"

#if EMULATED || !defined(CLR_CUDA)
#define ROOM_FOR_GROUPS REQD_GROUP(GROUP + 32 * COPIERS, 1, 1)
#else
#define ROOM_FOR_GROUPS __launch_bounds__(GROUP + 32 * COPIERS, RESIDENT)
#endif
/* Where warps only copy, all meet once a stage, and those that multiply once more for the sums' way out. Warpgroups may meet from different
 * places in the program. */
#if EMULATED
#define MEET() BARRIER()
#define MEET_TO_PASS() BARRIER()
#else
#define MEET() ASM("bar.sync 0, %0;" ::"n"(GROUP + 32 * COPIERS) : "memory")
#define MEET_TO_PASS() ASM("bar.sync 1, %0;" ::"n"(GROUP) : "memory")
#endif

#include "xengine_wgmma_copies.cl"

#define ALIGNMENT (GRAM ? 1024 : 256) /* of the stages: the pattern of an operand repeats after that many bytes */
#define LOOP_UNITS (STAGES * STAGE_UNITS + REWRITTEN * OPERANDS * OPERAND_BYTES(Wx + EXTRA) / 16)
#define OUT_UNITS ((WARPS * PASS_WORDS + 5 * Wx + (EXTRA ? 256 + EXTRA : 0)) / 4)
#define OWN_UNITS (OWN_LOCAL ? Wy * Wx / 2 : 0) /* of the work-items' own sums, behind the stages */
#define LOCAL_UNITS (LOOP_UNITS + OWN_UNITS > OUT_UNITS ? LOOP_UNITS + OWN_UNITS : OUT_UNITS)

#if FLOAT_SUMS
/* Of a run's rounds. Warpgroups end theirs at different times, so that one multiplies while another adds; where that takes longer than a round
 * (OWN_LOCAL), the others would wait for it where the work-group meets, and all end theirs together. */
#define RUN_ROUNDS (RUN / T_STAGE)
#define RUN_SHIFT (OWN_LOCAL ? 0 : RUN_ROUNDS / WARPGROUPS / ROUNDS_AT_ONCE * ROUNDS_AT_ONCE)
#define OF_RUN(round, warp) (((round) + (warp) / 4 * RUN_SHIFT) % RUN_ROUNDS)
#else
#define OF_RUN(round, warp) (round)
#endif

#if GRAM
#include "xengine_wgmma_gram.cl"
#else
#include "xengine_wgmma_rounds.cl"
#endif

#include "xengine_wgmma_sums.cl"

/* A tile's sums, from its first spectrum into local memory. Each choice of columns has rounds of its own. */
PART_OF_KERNEL void sum_tile(const places *p, copies *c, const uint width, const uint extra)
{
    tile_sums sums;
    clear_sums(&sums);
    sum_rounds(&sums, p, c, width, extra);
    pass_sums(&sums, p, width, extra);
}

PART_OF_KERNEL void sum_needed(const places *p, copies *c)
{
#if !SKIP
    sum_tile(p, c, Wx, 0);
#else
    /* the columns that a warpgroup's last row needs */
    const uint row = c->y_first + p->warp / 4 * WARPGROUP_ROWS,
               last = row + WARPGROUP_ROWS - 1 < c->end ? row + WARPGROUP_ROWS - 1 : c->end - 1;
    const uint needed = row >= c->end || last < c->x_first ? 0 : last - c->x_first + 1;
    const uint width = !needed ? 0 : needed <= 64 ? 64 : Wx;
#if EMULATED
    sum_tile(p, c, width, width && c->extra ? EXTRA : 0);
#else
#if EXTRA
    if (c->extra && width > 64)
        sum_tile(p, c, Wx, EXTRA);
    else if (c->extra && width)
        sum_tile(p, c, 64, EXTRA);
    else
#endif
    if (!width)
        sum_tile(p, c, 0, 0);
#if COLUMNS > 64
    else if (width == 64)
        sum_tile(p, c, 64, 0);
#endif
    else
        sum_tile(p, c, Wx, 0);
#endif
#endif
}

#if COPIERS
PART_OF_KERNEL void copy_all(copies *c, LOCAL_PTR unit_t *stages)
{
    COPIER_REGISTERS();
    for (uint r = 0; r < COPIED_AHEAD; r++)
        copy_next(c, stages);
    for (uint r = 0; r < c->rounds + AHEAD; r++) {
        COPIES_WAIT_FOR(COPIED_AHEAD - 1);
        MEET();
        copy_next(c, stages);
    }
    COPIES_WAIT_FOR(0);
}
#endif

/*
 * Grid: x tiles (rows of tiles one after another), y channels of the chunk, z slices of the time.
 * spectra: the first spectrum of the chunk's first channel (first_channel of the array's with SHIFTED); bytes from one spectrum (LAYOUT 2: block) and channel to the next. Slice z
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
    LOCAL_PTR unit_t *const stages = all_units + (ALIGNMENT - LOCAL_ADDRESS(all_units) % ALIGNMENT) % ALIGNMENT / 16;
    const uint start = LOCAL_ADDRESS(stages);
#endif
    const uint item = LOCAL_ID(0), inputs = stations * NPOL;
    CAP_REGISTERS();
    const nibbles bits = { coding & 2 ? 0x88888888u : 0u, INPUT == CI4 && coding & 1 ? -1 : 0 };
    const ulong begin = GROUP_ID(2) * slice_length;
    const ulong count = spectra_count - begin < slice_length ? spectra_count - begin : slice_length;
    copies c;
    take_tile(&c, inputs, first_channel, SPAN_AT(const uchar, spectra), channel_bytes);
    if (SHIFTED && c.y_first >= c.end) /* another channel's spectra lie so that it has one more tile */
        return;
    c.from += begin / (LAYOUT == 0 ? 1 : BLOCK) * time_bytes;
    plan_copies(&c, COPIERS ? item - GROUP : item, count, time_bytes, pieces, bits.flip);
#if COPIERS
    if (item >= GROUP) {
        copy_all(&c, stages);
        return;
    }
    PRODUCT_REGISTERS();
#else
    for (uint r = 0; r < COPIED_AHEAD; r++)
        copy_next(&c, stages);
#endif
    places p;
    find_places(&p, &c, stages, start, item);
    p.bits = bits;
    sum_needed(&p, &c);
    const ulong baselines = (ulong)stations * (stations + 1) / 2;
    GLOBAL wide_t *const wide = SPAN_AT(wide_t, sums) + ((ulong)GROUP_ID(2) * GROUPS(1) + c.channel) * baselines * (2 * NPOL * NPOL);
    output out;
    TAKE_OUTPUT(out);
    out.channel = first_channel + c.channel;
    const uint y_first = c.y_first + p.warp * WARP_ROWS;
    const uint own = c.offset > c.low && c.offset < ~0u / 2 ? c.offset : c.low; /* what comes first leaves nothing in front of the tiles' */
    const tile_rows to = { direct ? (GLOBAL wide_t *)0 : wide, &out, y_first - c.offset, c.end - c.offset, p.lane, inputs, add,
                           SHIFTED && own > y_first ? own - y_first : 0 };
    put_sums(&to, &p, &c, own);
}
