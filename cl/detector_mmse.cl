/*
 * Detector: how wide the search starts, and the longest symbol vector. Included after detector_common.cl; SPACE is the
 * address space of the triangle, Q^T y and the order of columns. Not a kernel by itself.
 */

/*
 * The squared radius of the sliced point of least mean square error, by Cholesky's factor of R^T R + N0/2E: how good that
 * point is decides only how wide the search starts, for its metric comes from R itself.
 */
INLINE real mmse_metric(SPACE const real *r, SPACE const real *y, GLOBAL const float *model,
                        SPACE const uint *order, real noise_variance)
{
    real l[TRIANGLE], inverse[LEVELS], x[LEVELS]; /* L by rows: (i, j <= i) at i (i + 1) / 2 + j */
    UNROLL_SMALL
    for (int i = 0; i < LEVELS; i++) {
        UNROLL_SMALL
        for (int j = 0; j < PART_END(i + 1); j++)
            if (j <= i) {
                real sum = i == j ? noise_variance * (real)0.5 / MODEL_ENERGY(order[i]) : 0;
                UNROLL_SMALL
                for (int k = 0; k < PART_END(j + 1); k++)
                    if (k <= j)
                        sum += r[R_AT(k, i)] * r[R_AT(k, j)];
                UNROLL_SMALL
                for (int k = 0; k < PART_END(j); k++)
                    if (k < j)
                        sum -= l[i * (i + 1) / 2 + k] * l[j * (j + 1) / 2 + k];
                if (i == j)
                    inverse[i] = sum > 0 ? 1 / sqrt(sum) : 0;
                l[i * (i + 1) / 2 + j] = sum * inverse[j];
            }
        x[i] = 0;
        UNROLL_SMALL
        for (int k = 0; k < PART_END(i + 1); k++)
            if (k <= i)
                x[i] += r[R_AT(k, i)] * y[k];
        UNROLL_SMALL
        for (int k = 0; k < PART_END(i); k++)
            if (k < i)
                x[i] -= l[i * (i + 1) / 2 + k] * x[k];
        x[i] *= inverse[i];
    }
    real metric = 0;
    UNROLL_SMALL
    for (int n = 0; n < LEVELS; n++) {
        const int i = LEVELS - 1 - n;
        UNROLL_SMALL
        for (int k = PART_BEGIN(i + 1); k < LEVELS; k++)
            if (k > i)
                x[i] -= l[k * (k + 1) / 2 + i] * x[k];
        x[i] *= inverse[i];
    }
    UNROLL_SMALL
    for (int i = 0; i < LEVELS; i++) {
        const real most = POINTS_OF(order[i]) - 1;
        const real index = fmin(fmax(rint((x[i] + most) * (real)0.5), (real)0), most);
        x[i] = x[i] == x[i] ? 2 * index - most : -most;
    }
    UNROLL_SMALL
    for (int i = 0; i < LEVELS; i++) {
        real z = y[i];
        UNROLL_SMALL
        for (int k = PART_BEGIN(i); k < LEVELS; k++)
            if (k >= i)
                z -= r[R_AT(i, k)] * x[k];
        metric += z * z;
    }
    return metric;
}

INLINE real longest_symbols(GLOBAL const float *model)
{
    real sum = 0;
    for (int c = 0; c < LEVELS; c++) {
        const real most = POINTS_OF(c) - 1;
        sum += most * most;
    }
    return sqrt(sum);
}
