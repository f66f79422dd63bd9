/*
 * The variant wgmma with GRAM=1: cf16 in [time][channel][input] as it lies. Included by xengine_wgmma.cl in the place of its rounds.
 *
 * Of halves the hardware reads both operands out of local memory with the time along their rows: the spectra of 32 inputs are 64 columns (re, im, re, im,
 * ...) of a line of 128 bytes, units of which are permuted by the time's lowest three bits. A product of 16 spectra so gives rr, ri, ir and ii of its
 * inputs in sums of their own, rows 2 i and 2 i + 1 of columns 2 j and 2 j + 1. Nothing is rewritten, turned or brought into registers; four sums
 * take twice the registers of two, so that tiles are 32 inputs a warpgroup high.
 *
 * A lane has the sums of an input's real parts or of its imaginary parts, lane ^ 4 the others. When a run ends they give each other what they lack,
 *     re_ij = rr + ii to the one, im_ij = ir - ri to the other,
 * and add it to sums of their own, half as many, in registers.
 */
#define SUB_BYTES(W) (16 * 4 * (W))   /* of 16 spectra of an edge: 32 inputs' lines one behind another, then the next 32 inputs' */
#define BLOCK_BYTES SUB_BYTES(32)

/* Operands with the time along their rows: start / 16 in bits 0..13, from 64 columns to the next 64 in 16..29, from eight spectra to the next in 32..45,
 * "128-byte swizzle" in 62..63. */
INLINE ulong gram_descriptor(const uint address)
{
    return (address >> 4 & 0x3fff) | ((ulong)(BLOCK_BYTES / 16) << 16) | ((ulong)(8 * LINE_BYTES / 16) << 32) | (1UL << 62);
}

/* A work-item's sums. Those of the hardware move on into its own. */
typedef struct tile_sums {
    sum_t raw[PARTS][PRODUCT], own[COLUMNS / 2];
#if EMULATED
    sum_t others[COLUMNS / 2]; /* what lane ^ 4 has to give */
#endif
} tile_sums;

PART_OF_KERNEL void clear_sums(tile_sums *sums)
{
    UNROLL for (uint n = 0; n < COLUMNS / 2; n++)
        sums->own[n] = 0;
#if EMULATED
    for (uint n = 0; n < COLUMNS; n++) {
        sums->raw[n / PRODUCT][n % PRODUCT] = 0;
        sums->others[n / 2] = 0;
    }
#endif
}

/* Where a work-item finds what it multiplies. */
typedef struct places {
    LOCAL_PTR unit_t *stages;
    LOCAL_PTR uchar *memory;
    uint y, y_pitch, x; /* of the warpgroup's rows and of the columns in the first stage, and from 16 spectra of the rows to the next */
    uint lane, warp;
    uint rows, columns; /* that are there */
    nibbles bits;
} places;

PART_OF_KERNEL void find_places(places *p, const copies *c, LOCAL_PTR unit_t *stages, const uint start, const uint item)
{
    p->stages = stages;
    p->memory = (LOCAL_PTR uchar *)stages;
    p->lane = item % 32;
    p->warp = item / 32;
    p->x = start + X_UNIT * 16;
    p->y_pitch = c->is_within ? SUB_BYTES(Wx) : SUB_BYTES(Wy);
    p->y = (c->is_within ? p->x + (c->y_first - c->x_first) / 32 * BLOCK_BYTES : start) + p->warp / 4 * BLOCK_BYTES;
    p->rows = c->end - c->y_first;
    p->columns = c->end - c->x_first;
}

#if EMULATED
/* Where an operand has a half, by the rules of the PTX manual: the address's bits 4..6 turned by its bits 7..9. */
INLINE float half_of(LOCAL_PTR const uchar *memory, const ulong descriptor, const uint time, const uint column)
{
    const uint start = (uint)(descriptor & 0x3fff) << 4, columns_64 = (uint)(descriptor >> 16 & 0x3fff) << 4,
               spectra_8 = (uint)(descriptor >> 32 & 0x3fff) << 4;
    const uint address = start + column / 64 * columns_64 + time / 8 * spectra_8 + time % 8 * 128 + column % 64 * 2;
    const uint at = address ^ (address >> 7 & 7) << 4;
    return half_bits(word_at(memory, at & ~3u) >> (at & 2) * 8);
}

/* A lane's part of a product of 16 spectra: rows lane / 4 (sums 4 n and 4 n + 1) and that + 8 (the other two) of its warp's 16, columns 8 n + 2 (lane % 4) and the next. */
PART_OF_KERNEL void gram_in_c(tile_sums *sums, const places *p, const ulong rows, const ulong columns, const uint width)
{
    for (uint n = 0; n < width / 4; n++)
        for (uint h = 0; h < 2; h++) {
            const uint row = p->warp % 4 * 16 + 8 * h + p->lane / 4, column = 8 * n + p->lane % 4 * 2;
            LOCAL_PTR const uchar *const memory = p->memory;
            for (uint time = 0; time < 16 && column / 2 < p->columns; time++) {
                const float re = half_of(memory, columns, time, column), im = half_of(memory, columns, time, column + 1);
                const float y = half_of(memory, rows, time, row);
                sums->raw[n * 4 / PRODUCT][(4 * n + 2 * h) % PRODUCT] += y * re;
                sums->raw[n * 4 / PRODUCT][(4 * n + 2 * h) % PRODUCT + 1] += y * im;
                sums->others[2 * n + h] += half_of(memory, rows, time, row ^ 1) * im;
            }
        }
}
#define GIVEN_BY_OTHER(sums, n) ((sums)->others[n])
#else
#define NAMES_128                                                                                                               \
    NAMES_80 ",%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,"   \
             "%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
#define SUMS_128(s) SUMS_64(s), SUMS_8(s, 64), SUMS_8(s, 72), SUMS_8(s, 80), SUMS_8(s, 88), SUMS_8(s, 96), SUMS_8(s, 104), SUMS_8(s, 112), SUMS_8(s, 120)
#define GRAM_WITH(columns, names, sums, rows_of, columns_of, more)                                                                \
    ASM(SPECIFIC "{ .reg .pred add; setp.ne.b32 add, " more ", 0; "                                                           \
                 "wgmma.mma_async.sync.aligned.m64n" columns K_AND_TYPES " {" names "}, " rows_of ", " columns_of ", add, 1, 1, 1, 1; }"  \
        : sums                                                                                                                \
        : "l"(rows), "l"(columns_there), "r"(add))

/* 32 inputs with 64 or 128, which the compiler knows. */
PART_OF_KERNEL void multiply_gram(sum_t *sums, const ulong rows, const ulong columns_there, const uint add, const uint width)
{
    if (width == 64)
        GRAM_WITH("128", NAMES_64, SUMS_64(sums), "%64", "%65", "%66");
#if PRODUCT == 128
    if (width == 128)
        GRAM_WITH("256", NAMES_128, SUMS_128(sums), "%128", "%129", "%130");
#endif
}

INLINE float given_by_other(const float value)
{
    float given;
    ASM("shfl.sync.bfly.b32 %0, %1, 4, 0x1f, 0xffffffff;" : "=f"(given) : "f"(value));
    return given;
}
#define GIVEN_BY_OTHER(sums, n) given_by_other((sums)->raw[(n) * 2 / PRODUCT][(n) * 2 % PRODUCT + 1])
#endif

/* The products of a stage. again: whether the first of them adds to what was summed. */
PART_OF_KERNEL void add_stage(tile_sums *sums, const places *p, const uint place, const uint again, const uint width)
{
    const uint rows = p->y + place * (STAGE_UNITS * 16), columns = p->x + place * (STAGE_UNITS * 16);
    UNROLL for (uint k = 0; k < T_STAGE / 16; k++) {
        if (k % (T_STAGE / 32) == 0) {
            if (k)
                PRODUCTS_WAIT(1); /* those of the stage before are done with it */
            PRODUCTS_FENCE();
        }
        const ulong of_rows = gram_descriptor(rows + k * p->y_pitch);
#if EMULATED
        if (!again && !k)
            for (uint n = 0; n < COLUMNS; n++) {
                sums->raw[n / PRODUCT][n % PRODUCT] = 0;
                sums->others[n / 2] = 0;
            }
        if (p->warp * 8 < p->rows)
            gram_in_c(sums, p, of_rows, gram_descriptor(columns + k * SUB_BYTES(Wx)), width);
#else
        UNROLL for (uint part = 0; part < PARTS; part++)
            if (width > part * PRODUCT)
                multiply_gram(sums->raw[part], of_rows, gram_descriptor(columns + k * SUB_BYTES(Wx) + part * (PRODUCT / 32 * BLOCK_BYTES)), k ? 1 : again,
                              width - part * PRODUCT < PRODUCT ? width - part * PRODUCT : PRODUCT);
#endif
        if (k % (T_STAGE / 32) == T_STAGE / 32 - 1)
            PRODUCTS_COMMIT();
    }
}

/* Waits for all products: sums are what they are from here on. */
PART_OF_KERNEL void finish_products(tile_sums *sums)
{
    PRODUCTS_WAIT(0);
    UNROLL for (uint n = 0; n < COLUMNS; n++)
        HELD(sums->raw[n / PRODUCT][n % PRODUCT]);
    (void)sums;
}

PART_OF_KERNEL void end_run(tile_sums *sums, const places *p, const uint width)
{
    const float sign = p->lane & 4 ? -1.0f : 1.0f;
    finish_products(sums);
    UNROLL for (uint n = 0; n < COLUMNS / 2; n++)
        if (n < width / 2)
            sums->own[n] += sums->raw[n * 2 / PRODUCT][n * 2 % PRODUCT] + sign * GIVEN_BY_OTHER(sums, n);
}

/* All rounds. width: the columns of the tile that are multiplied (0, 64, all), which without EMULATED the compiler knows. */
PART_OF_KERNEL void sum_rounds(tile_sums *sums, const places *p, copies *c, const uint width, const uint extra)
{
    uint arrived = 0;
    (void)extra;
    for (uint r = 0; r < c->rounds; r++) {
        STAGE_IS_THERE();
        if (width)
            add_stage(sums, p, arrived, r && OF_RUN(r, p->warp), width);
        COPY_NEXT(c, p->stages);
        if (width && (OF_RUN(r + 1, p->warp) == 0 || r + 1 == c->rounds))
            end_run(sums, p, width);
        arrived = arrived + 1 == STAGES ? 0 : arrived + 1;
    }
    if (width)
        finish_products(sums);
}

/* All that a warpgroup has summed, into local memory, where all stages are done with. */
PART_OF_KERNEL void pass_sums(const tile_sums *sums, const places *p, const uint width, const uint extra)
{
    LOCAL_PTR sum_t *const pass = (LOCAL_PTR sum_t *)p->memory + p->warp * PASS_WORDS + p->lane / 8 * PASS_PITCH + p->lane % 4 * 2 + p->lane / 4 % 2;
    (void)extra;
    MEET_TO_PASS();
    UNROLL for (uint n = 0; n < COLUMNS / 2; n++)
        if (n < width / 2)
            pass[n % 2 * (4 * PASS_PITCH) + n / 2 * 8] = sums->own[n];
    MEET_TO_PASS();
}
