/*
 * Detector: decomposition of one vector's channel by the lanes of a tree, in local memory, from the call's input. Part of
 * detector_group.cl.
 *
 * Columns stay where they are; tree->column says which one is at which level. A lane takes every LANES-th column.
 */
#define HEIGHT ROWS
#include "detector_qr.cl"
#define SPACE NEAR_PTR
#include "detector_mmse.cl"

/* A tree's matrix in local memory. */
typedef struct matrix_t {
    real a[(LEVELS + 1) * ROWS], norm[LEVELS + 1], factor, sign;
    real largest[LANES], bad[LANES];
} matrix_t;

INLINE void load_matrix(NEAR_PTR matrix_t *m, int sub, const input_t *in, GLOBAL const float *model, uint item)
{
    const ulong vector = in->first + item, c = in->per_channel ? vector / in->per_channel : 0;
    GLOBAL const float *channel = in->channel + c * (2 * RX * TX);
    GLOBAL const wide *l =
        in->factor + (in->factor_for == 2 ? item : in->factor_for == 1 ? c - in->first_channel : 0) * FACTOR_REALS;
    real h[ROWS], column[ROWS], largest = 0, bad = 0;
    for (int n = sub; n <= LEVELS; n += LANES) {
        if (n < LEVELS) {
            bad += load_column(channel + 2 * MODEL_STREAM(n), 2 * TX, l, h);
            make_columns(h, model, 1, n, (int)MODEL_AXIS(n), column);
        } else {
            bad += load_column(in->received + vector * (2 * RX), 2, l, column);
        }
        for (int i = 0; i < ROWS; i++) {
            largest = fmax(largest, fabs(column[i]));
            m->a[n * ROWS + i] = column[i];
        }
    }
    m->largest[sub] = largest;
    m->bad[sub] = bad;
}

/* The first lane: the power of two that brings the largest part near 1, and what is not finite. */
INLINE void begin_matrix(NEAR_PTR tree_t *tree, NEAR_PTR matrix_t *m)
{
    real largest = 0, bad = 0;
    for (int n = 0; n < LANES; n++) {
        largest = fmax(largest, m->largest[n]);
        bad += m->bad[n];
    }
    tree->scale = power_of_two_below((float)largest);
    tree->rest = bad;
    for (int level = 0; level < LEVELS; level++)
        tree->column[level] = level;
}

INLINE void scale_matrix(NEAR_PTR const tree_t *tree, NEAR_PTR matrix_t *m, int sub)
{
    for (int n = sub; n <= LEVELS; n += LANES) {
        real norm = 0;
        for (int i = 0; i < ROWS; i++) {
            m->a[n * ROWS + i] *= tree->scale;
            norm += m->a[n * ROWS + i] * m->a[n * ROWS + i];
        }
        m->norm[n] = norm;
    }
}

/* The first lane: bound on rounding, before columns are touched; the order by norm. */
INLINE void bound_matrix(NEAR_PTR tree_t *tree, NEAR_PTR const matrix_t *m, GLOBAL const float *model)
{
    real frobenius = 0;
    for (int c = 0; c < LEVELS; c++)
        frobenius += m->norm[c];
    tree->error = ROUNDINGS * UNIT_ROUNDOFF *
                      (sqrt(m->norm[LEVELS]) + sqrt(frobenius) * longest_symbols(model)) + tree->rest;
#if ORDERING == 1
    for (int k = 0; k + 1 < LEVELS; k++)
        for (int c = LEVELS - 1; c > k; c--)
            if (m->norm[tree->column[c]] < m->norm[tree->column[c - 1]]) {
                const uint keep = tree->column[c];
                tree->column[c] = tree->column[c - 1];
                tree->column[c - 1] = keep;
            }
#endif
}

INLINE void measure_columns(NEAR_PTR const tree_t *tree, NEAR_PTR matrix_t *m, int sub, int k)
{
    for (int c = k + sub; c < LEVELS; c += LANES) {
        NEAR_PTR const real *column = m->a + tree->column[c] * ROWS;
        real norm = 0;
        for (int i = k; i < ROWS; i++)
            norm += column[i] * column[i];
        m->norm[c] = norm;
    }
}

/* The first lane: which column comes next, and its reflection. */
INLINE void choose_column(NEAR_PTR tree_t *tree, NEAR_PTR matrix_t *m, int k)
{
    int smallest = k;
    for (int c = k + 1; ORDERING == 0 && c < LEVELS; c++)
        if (m->norm[c] < m->norm[smallest] * SORT_TIE)
            smallest = c;
    const uint column = tree->column[smallest];
    tree->column[smallest] = tree->column[k];
    tree->column[k] = column;
    NEAR_PTR real *v = m->a + column * ROWS;
    const real norm = sqrt(m->norm[smallest]), first = v[k];
    m->sign = first < 0 ? -1 : 1;
    m->factor = norm > 0 ? 1 / (norm * (norm + fabs(first))) : 0;
    tree->r[R_AT(k, k)] = norm;
    if (norm > 0)
        v[k] += m->sign * norm;
}

INLINE void reflect_columns(NEAR_PTR const tree_t *tree, NEAR_PTR matrix_t *m, int sub, int k)
{
    NEAR_PTR const real *v = m->a + tree->column[k] * ROWS;
    for (int c = k + 1 + sub; m->factor > 0 && c <= LEVELS; c += LANES) {
        NEAR_PTR real *column = m->a + (c < LEVELS ? tree->column[c] : LEVELS) * ROWS;
        real sum = 0;
        for (int i = k; i < ROWS; i++)
            sum += v[i] * column[i];
        sum *= m->factor;
        for (int i = k; i < ROWS; i++)
            column[i] -= v[i] * sum;
        column[k] *= -m->sign;
    }
}

/* The first lane, at the end: the triangle, Q^T y, the rest, the radius. */
INLINE void end_matrix(NEAR_PTR tree_t *tree, NEAR_PTR const matrix_t *m, const input_t *in, GLOBAL const float *model)
{
    const ulong vector = in->first + tree->item;
    NEAR_PTR const real *received = m->a + LEVELS * ROWS;
    for (int i = 0; i < LEVELS; i++) {
        if (i >= ROWS)
            tree->r[R_AT(i, i)] = 0;
        for (int j = i + 1; j < LEVELS; j++)
            tree->r[R_AT(i, j)] = i < ROWS ? m->a[tree->column[j] * ROWS + i] : 0;
        tree->y[i] = i < ROWS ? received[i] : 0;
    }
    tree->rest = 0;
    for (int i = LEVELS; i < ROWS; i++)
        tree->rest += received[i] * received[i];
    real n0 = in->noise ? in->noise[vector] * in->noise_factor : in->noise_variance;
    if (!(n0 >= 0 && n0 < LARGE))
        tree->error = LARGE - LARGE;
    n0 *= tree->scale * tree->scale;
#if RADIUS == 0
    tree->radius = in->radius_factor * mmse_metric(tree->r, tree->y, model, tree->column, n0);
#elif RADIUS == 1
    tree->radius = LARGE;
#else
    tree->radius = in->radius_factor * n0;
#endif
}

/* All of that, by the lanes of all trees, those that load a vector and those that wait for them. */
INLINE void decompose(NEAR_PTR tree_t *tree, NEAR_PTR matrix_t *matrix, const input_t *in, GLOBAL const float *model, int sub,
                      int loading)
{
    if (loading)
        load_matrix(matrix, sub, in, model, tree->item);
    MEET();
    if (loading && sub == 0)
        begin_matrix(tree, matrix);
    MEET();
    if (loading)
        scale_matrix(tree, matrix, sub);
    MEET();
    if (loading && sub == 0)
        bound_matrix(tree, matrix, model);
    MEET();
    for (int k = 0; k < LEVELS && k < ROWS; k++) {
        if (loading)
            measure_columns(tree, matrix, sub, k);
        MEET();
        if (loading && sub == 0)
            choose_column(tree, matrix, k);
        MEET();
        if (loading)
            reflect_columns(tree, matrix, sub, k);
        MEET();
    }
    if (loading && sub == 0)
        end_matrix(tree, matrix, in, model);
}
