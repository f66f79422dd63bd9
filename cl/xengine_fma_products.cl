/*
 * The multiply-adds of the X-engine in register blocks (xengine_fma.cl): a stage's products, added
 * to a work-item's sums.
 *
 * With PRODUCTS=4 a complex product is four real ones, and the sums are real and imaginary parts.
 * With PRODUCTS=3 it is three:
 *   rr = sum y.re x.re,  ii = sum y.im x.im,  mixed = sum (y.re + y.im) (x.re - x.im)
 *   re = rr + ii,  im = mixed - (rr - ii)
 * The brackets of mixed are taken once for a row or column; re and im are made when a run ends.
 *
 * Parameters: PRODUCTS, ORDER (xengine_fma.cl)
 */
#ifndef ORDER
#define ORDER 0
#endif
#ifndef PRODUCTS
#define PRODUCTS 4
#endif
#ifndef UNROLLED
#define UNROLLED T_STAGE
#endif

/* A call of fewer spectra has shorter runs, and takes four products also with PRODUCTS=3: what the
 * brackets lose in rounding, and what a run of equal terms does, is as much of few terms as of many,
 * but the bound of the error allows less of few (doc/xengine.md). */
#define FEW_SPECTRA (RUN <= 64 ? 256 : PRODUCTS == 3 ? 1024 : 512)
#define FEW_RUN (RUN <= 32 ? RUN : T_STAGE >= 32 ? T_STAGE : 32 / T_STAGE * T_STAGE)

/* A work-item's sums: [SUM_PARTS][Dy][Dx], re and im, or rr, ii and mixed. */
#if PRODUCTS == 3
#define SUM_PARTS 3
#else
#define SUM_PARTS 2
#endif

/* The real factors of a spectrum: parts of the rows and of the columns, and with PRODUCTS=3 what is
 * the sum or the difference of both. */
typedef struct factors {
    float y_re[Dy], y_im[Dy], x_re[Dx], x_im[Dx];
#if PRODUCTS == 3
    float y_sum[Dy], x_difference[Dx];
#endif
} factors;

/*
 * In what order they stand decides which registers NVIDIA's compiler gives them: an instruction
 * whose three sources lie in one of two banks waits, one that has a source of the instruction
 * before it reads one less.
 */
#define COLUMN(r, n) ((ORDER == 1 || ORDER == 2) && (r) % 2 ? Dx - 1 - (n) : (n))
#define MULTIPLY_ADD(part, sign, a, b, r, c)                                                       \
    sums[((part) * Dy + (r)) * Dx + (c)] =                                                           \
        FMA(sign f.a[r], f.b[c], sums[((part) * Dy + (r)) * Dx + (c)])
#if PRODUCTS == 3
#define ADD_RR(r, c) MULTIPLY_ADD(0, +, y_re, x_re, r, c)
#define ADD_II(r, c) MULTIPLY_ADD(1, +, y_im, x_im, r, c)
#define ADD_MIXED(r, c) MULTIPLY_ADD(2, +, y_sum, x_difference, r, c)
#else
#define ADD_RR(r, c) MULTIPLY_ADD(0, +, y_re, x_re, r, c)
#define ADD_II(r, c) MULTIPLY_ADD(0, +, y_im, x_im, r, c)
#endif
#define ADD_IR(r, c) MULTIPLY_ADD(SUM_PARTS - 1, +, y_im, x_re, r, c)
#define SUB_RI(r, c) MULTIPLY_ADD(SUM_PARTS - 1, -, y_re, x_im, r, c)

/* One kind of multiply-add for all rows and columns, or for the columns of row r. */
#define PASS(add)                                                                                  \
    UNROLL for (uint r = 0; r < Dy; r++)                                                           \
        UNROLL for (uint n = 0; n < Dx; n++)                                                       \
            add(r, COLUMN(r, n))
#define ROW(add)                                                                                   \
    UNROLL for (uint n = 0; n < Dx; n++)                                                           \
        add(r, COLUMN(r, n))

#define ROWS(add, first, rows)                                                                     \
    UNROLL for (uint r = (first); r < (first) + (rows); r++)                                       \
        add(r, c)

INLINE void add_spectrum(const factors f, float *sums)
{
#if PRODUCTS == 3 && ORDER == 4
    UNROLL for (uint c = 0; c < Dx; c++) {
        UNROLL for (uint n = 0; n < Dy / 2; n++) {
            const uint first = 2 * (c % 2 ? Dy / 2 - 1 - n : n), back = (c * (Dy / 2) + n) % 2;
            if (back) {
                ROWS(ADD_MIXED, first, 2);
            } else {
                ROWS(ADD_RR, first, 2);
            }
            ROWS(ADD_II, first, 2);
            if (back) {
                ROWS(ADD_RR, first, 2);
            } else {
                ROWS(ADD_MIXED, first, 2);
            }
        }
    }
#elif PRODUCTS == 3 && ORDER == 5
    UNROLL for (uint c = 0; c < Dx; c++) {
        if (c % 2) {
            ROWS(ADD_RR, 0, Dy);
        } else {
            ROWS(ADD_II, 0, Dy);
        }
        ROWS(ADD_MIXED, 0, Dy);
        if (c % 2) {
            ROWS(ADD_II, 0, Dy);
        } else {
            ROWS(ADD_RR, 0, Dy);
        }
    }
#elif PRODUCTS == 3 && ORDER == 2
    PASS(ADD_RR);
    PASS(ADD_II);
    PASS(ADD_MIXED);
#elif PRODUCTS == 3
    UNROLL for (uint r = 0; r < Dy; r++) {
#if ORDER == 3
        UNROLL for (uint c = 0; c < Dx; c++) {
            ADD_RR(r, c);
            ADD_II(r, c);
            ADD_MIXED(r, c);
        }
#else
        ROW(ADD_RR);
        ROW(ADD_II);
        ROW(ADD_MIXED);
#endif
    }
#elif ORDER == 2
    PASS(ADD_RR);
    PASS(SUB_RI);
    PASS(ADD_II);
    PASS(ADD_IR);
#elif ORDER == 3
    UNROLL for (uint r = 0; r < Dy; r++) {
        UNROLL for (uint c = 0; c < Dx; c++) {
            ADD_RR(r, c);
            ADD_II(r, c);
            ADD_IR(r, c);
            SUB_RI(r, c);
        }
    }
#else
    UNROLL for (uint r = 0; r < Dy; r++) {
        UNROLL for (uint n = 0; n < Dx; n++) {
            ADD_RR(r, COLUMN(r, n));
            SUB_RI(r, COLUMN(r, n));
        }
        UNROLL for (uint n = 0; n < Dx; n++) {
            ADD_II(r, COLUMN(r, n));
            ADD_IR(r, COLUMN(r, n));
        }
    }
#endif
}

INLINE void load_factors(LOCAL_PTR const float4 *spectrum, const block_place *p, factors *f)
{
    LOCAL_PTR const float4 *y_at = spectrum + p->y_pair, *x_at = spectrum + EDGE_PAIRS + p->x_pair;
    UNROLL for (uint v = 0; v < Dx / 2; v++) {
        const float4 pair = x_at[v * PATCH_X];
        f->x_re[2 * v] = pair.x;
        f->x_im[2 * v] = pair.y;
        f->x_re[2 * v + 1] = pair.z;
        f->x_im[2 * v + 1] = pair.w;
    }
    UNROLL for (uint v = 0; v < Dy / 2; v++) {
        const float4 pair = y_at[v * PATCH_Y];
        f->y_re[2 * v] = pair.x;
        f->y_im[2 * v] = pair.y;
        f->y_re[2 * v + 1] = pair.z;
        f->y_im[2 * v + 1] = pair.w;
    }
}

INLINE void add_products_of(LOCAL_PTR const float4 *spectrum, const block_place *p, float *sums)
{
    factors f;
    load_factors(spectrum, p, &f);
#if PRODUCTS == 3
    UNROLL for (uint c = 0; c < Dx; c++)
        f.x_difference[c] = f.x_re[c] - f.x_im[c];
    UNROLL for (uint r = 0; r < Dy; r++)
        f.y_sum[r] = f.y_re[r] + f.y_im[r];
#endif
    add_spectrum(f, sums);
}

/* Adds the products of a stage to the sums of a work-item. */
INLINE void add_products(LOCAL_PTR const float4 *stage, const block_place *p, float *sums)
{
#if UNROLLED < T_STAGE
    NOUNROLL for (uint first = 0; first < T_STAGE; first += UNROLLED)
        UNROLL for (uint s = 0; s < UNROLLED; s++)
            add_products_of(stage + (first + s) * STAGE_PITCH, p, sums);
#else
    UNROLL for (uint s = 0; s < T_STAGE; s++)
        add_products_of(stage + s * STAGE_PITCH, p, sums);
#endif
}

#if PRODUCTS == 3
/* The same where a call has few spectra: mixed is then im. A loop, which is short: no more code
 * than one spectrum. */
INLINE void add_few_products(LOCAL_PTR const float4 *stage, const block_place *p, float *sums)
{
    NOUNROLL for (uint s = 0; s < T_STAGE; s++) {
        factors f;
        load_factors(stage + s * STAGE_PITCH, p, &f);
        PASS(ADD_RR);
        PASS(ADD_II);
        PASS(ADD_IR);
        PASS(SUB_RI);
    }
}

#define ADD_STAGE(stage, p, sums, few)                                                             \
    do {                                                                                           \
        if (few)                                                                                   \
            add_few_products(stage, p, sums);                                                      \
        else                                                                                       \
            add_products(stage, p, sums);                                                          \
    } while (0)
#else
#define ADD_STAGE(stage, p, sums, few) add_products(stage, p, sums)
#endif

/* A complex sum out of its parts, n = r Dx + c. */
INLINE float sum_re(const float *sums, const uint n)
{
#if PRODUCTS == 3
    return sums[n] + sums[SUMS + n];
#else
    return sums[n];
#endif
}

/* mixed: 1; 0 with few spectra, whose third sum is im. */
INLINE float sum_im(const float *sums, const uint n, const float mixed)
{
#if PRODUCTS == 3
    return FMA(mixed, sums[SUMS + n] - sums[n], sums[2 * SUMS + n]);
#else
    (void)mixed;
    return sums[SUMS + n];
#endif
}
