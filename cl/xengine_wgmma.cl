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
 *   three operands, a stage ahead;
 *   a warpgroup owns 64 rows and all columns: registers hold its sums. It multiplies a group of spectra while it looks after the columns and
 *   fetches the next group's rows.
 * A copy goes where the stage before the last one was, whose products are done when the work-group meets.
 *
 * Parameters (allowed values; default, small enough for any device; src/engine/xengine_wgmma.c has those for the hardware):
 *   WARPGROUPS     warpgroups of a work-group, one below the other (1..4; 1)
 *   COLUMNS        inputs along the columns (64, 128; 64)
 *   PRODUCT        columns of one instruction (64, 128, a divisor of COLUMNS; 64)
 *   T_STAGE        spectra of a stage (64, 128, of cf16 also 32 and 96; 64)
 *   STAGES         stages in local memory (3..8; 3)
 *   RESIDENT       work-groups that a multiprocessor's registers have to hold at once (1..4; 1; OpenCL's compiler is not told)
 *   RUN            cf16: spectra in one sum of the hardware, a multiple of T_STAGE, before it moves on to the work-item's own (256)
 *   COPIERS        warps that only copy, behind the others (blocks; 0..4; 0: all copy): a fence of one that multiplies waits for no copy
 *   EMULATED       1: plain C instead of the instructions, with the same stages, operands and descriptors (0 where they are)
 *
 * Host macros:
 *   NPOL      1 or 2 polarisations
 *   INPUT     the input's clradio_type: 7 ci8, 8 ci4, 3 cf16
 *   OUTPUT    the output's clradio_type where visibilities are written directly (xengine_output.cl)
 *   LAYOUT    0: [time][channel][input] (not cf16); 2: [channel][time/BLOCK][input][BLOCK], BLOCK = 16 for ci8, 32 for ci4, 8 for cf16
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
#define RUN 256
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

#define CF16 3
#define CI8 7
#define CI4 8

#define Wy (64 * WARPGROUPS) /* inputs */
#define Wx COLUMNS
#define GROUP (128 * WARPGROUPS) /* that multiply */
#if COPIERS
#define COPY_GROUP (32 * COPIERS)
#endif
#define SAMPLE (INPUT == CF16 ? 4 : INPUT == CI8 ? 2 : 1) /* bytes */
#define UNIT_SAMPLES (16 / SAMPLE)    /* a unit is 16 bytes: that many inputs (LAYOUT 0) or times (LAYOUT 2) */
#define BLOCK (2 * UNIT_SAMPLES)
#define KEY_BYTES 32                            /* of a row in one product */
#define KEY_SPECTRA (INPUT == CF16 ? 8 : 16)    /* of (re, im) in it */
#define GROUP_SPECTRA (2 * KEY_SPECTRA)         /* multiplied at a time */

#if INPUT == CF16
typedef float sum_t;
#else
typedef int sum_t;
#endif

/* The place of a row's unit of 16 bytes (0 or 1) in a key of an operand, in bytes from its start: the permutation of the hardware's pattern
 * of 32 bytes, which keeps eight rows' units in different banks. */
#define OPERAND_PLACE(row, unit) ((row) * KEY_BYTES + (((unit) ^ ((row) >> 2 & 1)) << 4))

/* Whether the columns are rewritten for the products; then their operands are made a stage ahead. Blocks of ci8 and cf16 lie in a stage as an operand
 * does: copies go in whole rows of both, which local memory takes without conflicts. */
#define REWRITTEN (INPUT == CI4 || LAYOUT == 0)
#define AHEAD REWRITTEN
#define OPERANDS 3
#define OPERAND_BYTES(W) (T_STAGE / 16 * (W) * KEY_BYTES)

#include "xengine_output.cl"

#include "xengine_mma_stage.cl"

#define PARTS (Wx / PRODUCT)
#define SUMS (PRODUCT / 2) /* of a work-item in one product */

#include "xengine_wgmma_samples.cl"

#include "xengine_wgmma_pass.cl"

/*
 * Stages that are there as a whole are copied with few instructions: a work-group takes whole rows of units of an edge, or one of HALVES
 * parts of a row, at once, so that a work-item's next unit of the same part lies a fixed number of bytes further on.
 */
#define HALVES(W) (LAYOUT == 2 && 2 * (W) > COPY_GROUP ? 2 * (W) / COPY_GROUP : 1)
#define IS_WHOLE(W) (UNITS(W) % COPY_GROUP == 0 && (IS_REGULAR(W) || (HALVES(W) > 1 && 2 * (W) % COPY_GROUP == 0)))
INLINE void copy_rows(LOCAL_PTR unit_t *to, GLOBAL const uchar *from, const ulong *offsets, const uint width, const ulong time_bytes)
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

#if EMULATED || !defined(CLR_CUDA)
#define ROOM_FOR_GROUPS REQD_GROUP(GROUP + 32 * COPIERS, 1, 1)
#else
#define ROOM_FOR_GROUPS __launch_bounds__(GROUP + 32 * COPIERS, RESIDENT)
#endif
/* Where warps only copy, all meet once a stage, and those that multiply once more for the sums' way out. */
#if COPIERS
#define MEET() ASM("bar.sync 0, %0;" ::"n"(GROUP + 32 * COPIERS) : "memory")
#define MEET_TO_PASS() ASM("bar.sync 1, %0;" ::"n"(GROUP) : "memory")
#else
#define MEET() BARRIER()
#define MEET_TO_PASS() BARRIER()
#endif
#define ALIGNMENT 256 /* of the stages: the pattern of an operand repeats after that many bytes */
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
    LOCAL_PTR unit_t *const stages = all_units + (ALIGNMENT - LOCAL_ADDRESS(all_units) % ALIGNMENT) % ALIGNMENT / 16;
    const uint start = LOCAL_ADDRESS(stages);
#endif
    LOCAL_PTR uchar *const memory = (LOCAL_PTR uchar *)stages;
    const uint item = LOCAL_ID(0), lane = item % 32, warp = item / 32;
    const uint inputs = stations * NPOL;
    const nibbles bits = { coding & 2 ? 0x88888888u : 0u, INPUT == CI4 && coding & 1 ? -1 : 0 };
    const group_tile tile = tile_of(GROUP_ID(0), inputs);
    const uint y_first = tile.y_first, x_first = tile.x_first;
    const ulong begin = GROUP_ID(2) * slice_length;
    const ulong count = spectra_count - begin < slice_length ? spectra_count - begin : slice_length;
    const uint rounds = (uint)((count + T_STAGE - 1) / T_STAGE);
    const ulong step = T_STAGE / (LAYOUT == 0 ? 1 : BLOCK) * time_bytes;
    GLOBAL const uchar *from =
        SPAN_AT(const uchar, spectra) + GROUP_ID(1) * channel_bytes + begin / (LAYOUT == 0 ? 1 : BLOCK) * time_bytes;
    const uint whole = IS_WHOLE(Wy) && IS_WHOLE(Wx) && pieces == 16 ? (uint)(count / T_STAGE) : 0;
    /* what a work-item's addresses need stays in registers */
    const uint copier = COPIERS ? item - GROUP : item;
    uint y_copy = PLACE(copier, Wy), x_copy = UNITS(Wy) + PLACE(copier, Wx);
    ulong y_offsets[HALVES(Wy)], x_offsets[HALVES(Wx)];
    const uint one_edge = Wx == Wy && x_first == y_first; /* a tile on the diagonal has it for rows and columns */
    uint y_place = row_place(Wy, warp * 16, lane), x_places[SIXTEENS], word = word_place(warp, lane);
    KEPT(y_copy);
    KEPT(x_copy);
    KEPT(y_place);
    KEPT(word);
    UNROLL for (uint n = 0; n < HALVES(Wy); n++) {
        y_offsets[n] = source_of(copier + n * COPY_GROUP, Wy, y_first, inputs, time_bytes).offset;
        KEPT_LONG(y_offsets[n]);
    }
    UNROLL for (uint n = 0; n < HALVES(Wx); n++) {
        x_offsets[n] = source_of(copier + n * COPY_GROUP, Wx, x_first, inputs, time_bytes).offset;
        KEPT_LONG(x_offsets[n]);
    }
    UNROLL for (uint s = 0; s < SIXTEENS; s++) {
        x_places[s] = row_place(Wx, SIXTEEN_OF(warp + s * WARPS) * 16, lane);
        KEPT(x_places[s]);
    }
    sum_t re[PARTS][SUMS], im[PARTS][SUMS];
    int imaginary[2 * SIXTEENS];
#if INPUT == CF16
    sum_t whole_re[PARTS][SUMS], whole_im[PARTS][SUMS];
    UNROLL for (uint n = 0; n < PARTS * SUMS; n++)
        whole_re[n / SUMS][n % SUMS] = whole_im[n / SUMS][n % SUMS] = 0;
#endif
#if EMULATED
    for (uint n = 0; n < PARTS * SUMS; n++)
        re[n / SUMS][n % SUMS] = im[n / SUMS][n % SUMS] = 0;
#endif
    UNROLL for (uint n = 0; n < 2 * SIXTEENS; n++)
        imaginary[n] = 0;

#define COPY_WHOLE(stage)                                                                                                       \
    do {                                                                                                                        \
        copy_rows((stage) + y_copy, from, y_offsets, Wy, time_bytes);                                                           \
        if (!one_edge)                                                                                                          \
            copy_rows((stage) + x_copy, from, x_offsets, Wx, time_bytes);                                                       \
    } while (0)
#define COPY(number, place)                                                                                                     \
    do {                                                                                                                        \
        if ((number) < whole)                                                                                                   \
            COPY_WHOLE(stages + (place) * STAGE_UNITS);                                                                         \
        else if ((number) < rounds)                                                                                             \
            copy_part(stages + (place) * STAGE_UNITS, from, count - (ulong)(number) * T_STAGE, y_first, x_first, inputs,        \
                      time_bytes, pieces, bits.flip, copier);                                                                     \
        COPIES_COMMIT();                                                                                                        \
        from += step;                                                                                                           \
    } while (0)
#define Y_EDGE(place) (start + (place) * (STAGE_UNITS * 16))
#define X_EDGE(place) (Y_EDGE(place) + (one_edge ? 0 : UNITS(Wy) * 16))
#define OPERAND(number) (start + STAGES * STAGE_UNITS * 16 + (number) * OPERAND_BYTES(Wx))
    uint arrived = 0, writing = STAGES - 2, made = 0; /* places of the newest stage and operand */
#if COPIERS
    if (warp >= WARPS) {
        for (uint r = 0; r < STAGES - 2; r++)
            COPY(r, r);
        for (uint r = 0; r < rounds + AHEAD; r++) {
            COPIES_WAIT_FOR(STAGES - 3);
            MEET();
            COPY(r + STAGES - 2, writing);
            writing = writing + 1 == STAGES ? 0 : writing + 1;
        }
        COPIES_WAIT_FOR(0);
        return;
    }
#else
    for (uint r = 0; r < STAGES - 2; r++)
        COPY(r, r);
#endif
    uint before = 0, made_before = 0;                 /* and of those before */
#if INPUT == CF16
#define OF_RUN(round) ((round) % (RUN / T_STAGE))
#define END_RUN()                                                                                                               \
    do {                                                                                                                        \
        finish_products(re, im);                                                                                                       \
        UNROLL for (uint n = 0; n < PARTS * SUMS; n++) {                                                                        \
            whole_re[n / SUMS][n % SUMS] += re[n / SUMS][n % SUMS];                                                             \
            whole_im[n / SUMS][n % SUMS] += im[n / SUMS][n % SUMS];                                                             \
            START_SUM(re[n / SUMS][n % SUMS]);                                                                                  \
            START_SUM(im[n / SUMS][n % SUMS]);                                                                                  \
        }                                                                                                                       \
    } while (0)
#else
#define OF_RUN(round) (round)
#endif
#if COPIERS
#define STAGE_IS_THERE()                                                                                                        \
    do {                                                                                                                        \
        if (REWRITTEN)                                                                                                          \
            PROXY_FENCE();                                                                                                      \
        MEET();                                                                                                                 \
        PROXY_FENCE();                                                                                                          \
    } while (0)
#define COPY_NEXT(round)
#else
#define STAGE_IS_THERE()                                                                                                        \
    do {                                                                                                                        \
        COPIES_WAIT_FOR(STAGES - 3);                                                                                            \
        PROXY_FENCE();                                                                                                          \
        BARRIER();                                                                                                              \
    } while (0)
#define COPY_NEXT(round) COPY((round) + STAGES - 2, writing)
#endif
#define GO_ON()                                                                                                                 \
    do {                                                                                                                        \
        before = arrived;                                                                                                       \
        made_before = made;                                                                                                     \
        arrived = arrived + 1 == STAGES ? 0 : arrived + 1;                                                                      \
        made = made + 1 == OPERANDS ? 0 : made + 1;                                                                             \
        writing = writing + 1 == STAGES ? 0 : writing + 1;                                                                      \
    } while (0)
#if AHEAD
    STAGE_IS_THERE();
    take_columns(imaginary, 1, memory, X_EDGE(arrived), x_places, OPERAND(made), word, warp, lane, bits);
    COPY_NEXT(0);
    GO_ON();
#endif
    /* No branch stands between products: the columns of the stage before are taken once more, for nothing, where there is no next one. */
    for (uint r = AHEAD; r < rounds + AHEAD; r++) {
        STAGE_IS_THERE();
        UNROLL for (uint group = 0; group < T_STAGE / GROUP_SPECTRA; group++) {
            row_words rows;
            PRODUCTS_WAIT(1); /* those before the last ones are done with their rows */
            load_rows(&rows, memory, Y_EDGE(AHEAD ? before : arrived), y_place, warp * 16, group, lane, bits);
            add_products(re, im, &rows, memory, warp * 16,
                         (REWRITTEN ? OPERAND(made_before) : X_EDGE(arrived)) + group * (2 * KEY_BYTES * Wx), lane,
                         group ? 1 : OF_RUN(r - AHEAD), inputs - y_first, inputs - x_first);
            if (INPUT != CF16 && group == 0)
                take_columns(imaginary, AHEAD ? r < rounds : 1, memory, X_EDGE(AHEAD && r == rounds ? before : arrived), x_places,
                             OPERAND(made), word, warp, lane, bits);
        }
        /* while products are at work (between two groups of them the compiler would have one wait for the other) */
        COPY_NEXT(r);
#if INPUT == CF16
        if (OF_RUN(r + 1) == 0 || r + 1 == rounds)
            END_RUN();
#endif
        GO_ON();
    }
    finish_products(re, im);
#if INPUT == CF16
#define SUMS_OUT whole_re, whole_im
#else
#define SUMS_OUT re, im
#endif
    /* the four lanes that share an input have a part each of its sum; all stages are done with */
    LOCAL_PTR sum_t *const pass = (LOCAL_PTR sum_t *)memory + warp * PASS_WORDS;
    LOCAL_PTR int *const parts = (LOCAL_PTR int *)memory + WARPS * PASS_WORDS;
    MEET_TO_PASS();
    UNROLL for (uint s = 0; s < 2 * SIXTEENS; s++)
        if (HAS_SIXTEEN(warp + s / 2 * WARPS))
            parts[(lane % 4 + 1) * Wx + (warp + s / 2 * WARPS) * 16 + INPUT_AT(s % 2, lane / 4)] = imaginary[s];
    MEET_TO_PASS();
    for (uint n = item; n < Wx; n += GROUP)
        parts[n] = parts[Wx + n] + parts[2 * Wx + n] + parts[3 * Wx + n] + parts[4 * Wx + n];
    const ulong baselines = (ulong)stations * (stations + 1) / 2;
    GLOBAL wide_t *const wide = SPAN_AT(wide_t, sums) + ((ulong)GROUP_ID(2) * GROUPS(1) + GROUP_ID(1)) * baselines * (2 * NPOL * NPOL);
    output out;
    TAKE_OUTPUT(out);
    UNROLL for (uint first = 0; first < Wx; first += PASS_COLUMNS) {
        MEET_TO_PASS();
        pass_columns(pass, SUMS_OUT, parts, first, lane, bits.conjugate);
        MEET_TO_PASS();
        put_passed(direct ? (GLOBAL wide_t *)0 : wide, &out, pass, y_first + warp * 16, x_first + first, lane, inputs, add);
    }
}
