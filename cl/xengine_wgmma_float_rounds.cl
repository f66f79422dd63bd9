/*
 * The variant wgmma's rounds of cf32: of each stage the small products of all keys, then those of the high parts, whose rows stay in registers in
 * between. Included by xengine_wgmma_rounds.cl, whose functions it takes.
 */
#define KEYS (T_STAGE / KEY_SPECTRA)

/* Products of kinds first_kind.. of a key with one of the stage's operands. again: 0 where they begin the sums. */
PART_OF_KERNEL void add_kinds(tile_sums *sums, row_words *rows, const places *p, const uint operand, const uint key, const uint again,
                              const uint width, const uint first_kind, const uint end_kind)
{
#if EMULATED
    const uint columns = width < p->columns ? width : p->columns;
    (void)again;
    if (p->warp * 16 >= p->rows)
        return;
#endif
    UNROLL for (uint kind = first_kind; kind < end_kind; kind++) {
        const ulong descriptor = descriptor_of(operand + (COLUMN_PART(kind) * KEYS + key) * OPERAND_PITCH);
#if EMULATED
        uint of_kind[4][4];
        for (uint n = 0; n < 16; n++)
            of_kind[n / 4][n % 4] = rows->of_lane[n / 4][ROW_PART(kind)][n % 4];
        product_in_c(sums->re[0], sums->im[0], of_kind, descriptor, p->memory, p->lane, PRODUCT, columns);
#else
        multiply(sums->re[0], rows->plain[ROW_PART(kind)], descriptor, kind ? 1 : again, width);
        multiply(sums->im[0], rows->turned[ROW_PART(kind)], descriptor, kind ? 1 : again, width);
#endif
    }
}

/* Keeps a key's high parts, and makes them an operand again. */
PART_OF_KERNEL void keep_high(row_words *high, const row_words *rows)
{
#if EMULATED
    for (uint n = 0; n < 16; n++)
        high->of_lane[n / 4][0][n % 4] = rows->of_lane[n / 4][0][n % 4];
#else
    UNROLL for (uint w = 0; w < 4; w++)
        high->plain[0][w] = rows->plain[0][w];
#endif
}

PART_OF_KERNEL void turn_high(row_words *high)
{
#if !EMULATED
    UNROLL for (uint w = 0; w < 4; w++)
        high->turned[0][w] = TURNED(high->plain[0], w);
#endif
    (void)high;
}

/* Whether copies start behind a stage's first products. CUDA's compiler lets products be at work over a branch. */
#if defined(CLR_CUDA)
#define COPY_BEHIND 1
#else
#define COPY_BEHIND 0
#endif

/* All rounds; width: the columns of the tile that are multiplied (0, 64). */
PART_OF_KERNEL void sum_rounds(tile_sums *sums, const places *p, copies *c, const uint width, const uint extra)
{
    uint arrived = 0, made = 0; /* places of the newest stage and operand */
    uint before = 0, made_before = 0;
    row_words rows[2], high[KEYS];
    STAGE_IS_THERE();
    take_stage(sums, 1, p, arrived, made, extra);
    COPY_NEXT(c, p->stages);
    GO_ON();
    for (uint r = AHEAD; r < c->rounds + AHEAD; r++) {
        STAGE_IS_THERE();
        if (!COPY_BEHIND) {
            COPY_NEXT(c, p->stages);
        }
        UNROLL for (uint key = 0; key < KEYS; key++) {
            row_words *const of_key = &rows[key % 2];
            if (width) {
                PRODUCTS_WAIT(1); /* those before the last ones are done with their rows */
                load_rows(of_key, p->memory, Y_EDGE(p, before), p->y, p->warp * 16, key, p->lane);
                keep_high(&high[key], of_key);
                PRODUCTS_FENCE();
                add_kinds(sums, of_key, p, OPERAND(p, made_before), key, key != 0, width, 0, KINDS - 1);
                PRODUCTS_COMMIT();
            }
            if (COPY_BEHIND && key == 0) {
                COPY_NEXT(c, p->stages);
            }
            if (key == 0) /* of the stage before once more, for nothing, where there is no next one: no branch stands between products */
                take_stage(sums, 1, p, r == c->rounds ? before : arrived, made, extra);
        }
        if (width) {
            UNROLL for (uint key = 0; key < KEYS; key++)
                turn_high(&high[key]);
            PRODUCTS_FENCE();
            UNROLL for (uint key = 0; key < KEYS; key++)
                add_kinds(sums, &high[key], p, OPERAND(p, made_before), key, 1, width, KINDS - 1, KINDS);
            PRODUCTS_COMMIT();
            end_run(sums, p, extra, r == AHEAD, r == c->rounds);
        }
        GO_ON();
    }
    if (width)
        finish_products(sums);
}
