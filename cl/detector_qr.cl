/*
 * Loading of one vector's channel into the real-valued model, whitening, and sorted Householder QR in private memory.
 * Included after detector_common.cl; HEIGHT (rows of a column) is the includer's. Not a kernel by itself.
 *
 * Parameter:
 *   PAIRS  1: a complex number is read as one word of 8 bytes, which are half as many loads; 0: as two floats (0)
 *
 * The matrix is by columns, column c at a[c * HEIGHT]; column LEVELS is the received vector.
 */

#ifndef WHITEN
#define WHITEN 0
#endif
#ifndef PAIRED
#define PAIRED 0
#endif
#ifndef PAIRS
#define PAIRS 0
#endif
/* the row behind the last in which column k, when its turn comes, is not zero */
#ifndef LAST_ROW
#define LAST_ROW(k) HEIGHT
#endif

/* 2^-k for the power of two at the head of the largest part; 1 for zero. */
INLINE float power_of_two_below(float largest)
{
    const uint exponent = AS_UINT(largest) >> 23;
    if (exponent == 0)
        return largest > 0 ? AS_FLOAT(252u << 23) : 1.0f;
    return AS_FLOAT((254 - (exponent > 252 ? 252 : exponent)) << 23);
}

#if WHITEN
/* Complex column of RX parts (re, im) becomes L^-1 of it; L by rows, packed: row i from i (i + 1) / 2 on. */
INLINE void forward_substitute(wide *column, GLOBAL const wide *l)
{
    for (int i = 0; i < RX; i++) {
        wide re = column[2 * i], im = column[2 * i + 1];
        GLOBAL const wide *row = l + (size_t)i * (i + 1);
        for (int k = 0; k < i; k++) {
            re -= row[2 * k] * column[2 * k] - row[2 * k + 1] * column[2 * k + 1];
            im -= row[2 * k] * column[2 * k + 1] + row[2 * k + 1] * column[2 * k];
        }
        column[2 * i] = re / row[2 * i];
        column[2 * i + 1] = im / row[2 * i];
    }
}
#endif

/* One complex column of the channel or the received vector, whitened; parts with a stride of `step` floats. Returns
 * zero, or NaN when a part is not finite. */
INLINE real load_column(GLOBAL const float *from, int step, GLOBAL const wide *l, real *column)
{
    real bad = 0;
#if WHITEN
    wide whole[ROWS];
    for (int i = 0; i < RX; i++) {
        whole[2 * i] = from[i * step];
        whole[2 * i + 1] = from[i * step + 1];
    }
    forward_substitute(whole, l);
    for (int i = 0; i < ROWS; i++) {
        column[i] = (real)whole[i];
        bad += column[i] * 0;
    }
#else
    UNROLL_SMALL
    for (int i = 0; i < RX; i++) {
#if PAIRS
        const ulong both = *(GLOBAL const ulong *)(from + i * step); /* the real part is the low word, on every device */
        column[2 * i] = AS_FLOAT((uint)both);
        column[2 * i + 1] = AS_FLOAT((uint)(both >> 32));
#else
        column[2 * i] = from[i * step];
        column[2 * i + 1] = from[i * step + 1];
#endif
        bad += column[2 * i] * 0 + column[2 * i + 1] * 0;
    }
#endif
    return bad;
}

/* The columns of a stream: h times the stream's factor, and that times i. */
INLINE void make_columns(const real *h, GLOBAL const float *model, real scale, int c, int axis, real *column)
{
    const real re = MODEL_FACTOR(c, 0) * scale, im = MODEL_FACTOR(c, 1) * scale;
    UNROLL_SMALL
    for (int i = 0; i < RX; i++) {
        const real x = h[2 * i] * re - h[2 * i + 1] * im, y = h[2 * i] * im + h[2 * i + 1] * re;
        column[2 * i] = axis ? -y : x;
        column[2 * i + 1] = axis ? x : y;
    }
}

/*
 * Loads channel and, where received is there, the received vector, multiplied by a power of two that brings the largest
 * part near 1: squares neither overflow nor vanish. Returns zero or NaN.
 */
INLINE real load_model(GLOBAL const float *channel, GLOBAL const float *received, GLOBAL const wide *l,
                       GLOBAL const float *model, real *a, real *scale)
{
    real bad = 0, largest = 0, h[ROWS];
    int c = 0;
    UNROLL_SMALL
    for (int s = 0; s < TX; s++) {
        bad += load_column(channel + 2 * s, 2 * TX, l, h);
        UNROLL_SMALL
        for (int i = 0; i < ROWS; i++)
            largest = fmax(largest, fabs(h[i]));
#if LEVELS == 2 * TX
        make_columns(h, model, 1, 2 * s, 0, a + 2 * s * HEIGHT);
        make_columns(h, model, 1, 2 * s + 1, 1, a + (2 * s + 1) * HEIGHT);
#else
        for (; c < LEVELS && MODEL_STREAM(c) == s; c++)
            make_columns(h, model, 1, c, (int)MODEL_AXIS(c), a + c * HEIGHT);
#endif
    }
    if (received) {
        bad += load_column(received, 2, l, a + LEVELS * HEIGHT);
        UNROLL_SMALL
        for (int i = 0; i < ROWS; i++)
            largest = fmax(largest, fabs(a[LEVELS * HEIGHT + i]));
    }
    *scale = power_of_two_below((float)largest);
    UNROLL_SMALL
    for (int n = 0; n < LEVELS + 1; n++)
        if (n < LEVELS || received) {
            UNROLL_SMALL
            for (int i = 0; i < ROWS; i++)
                a[n * HEIGHT + i] *= *scale;
        }
    return bad;
}

INLINE real norm_between(const real *column, int first, int end)
{
    real sum = 0;
    UNROLL_SMALL
    for (int i = 0; i < HEIGHT; i++)
        if (i >= first && i < end)
            sum += column[i] * column[i];
    return sum;
}

INLINE real norm_from(const real *column, int first)
{
    return norm_between(column, first, HEIGHT);
}

INLINE void exchange(real *a, uint *order, int first, int second)
{
    const uint keep = order[first];
    order[first] = order[second];
    order[second] = keep;
    UNROLL_SMALL
    for (int i = 0; i < HEIGHT; i++) {
        const real z = a[first * HEIGHT + i];
        a[first * HEIGHT + i] = a[second * HEIGHT + i];
        a[second * HEIGHT + i] = z;
    }
}

#if IS_UNROLLED
/* The same by selection: where a branch chooses the column, NVIDIA's OpenCL indexes the matrix, which then is in private memory. */
INLINE void exchange_if(int wanted, real *a, uint *order, int first, int second)
{
    const uint one = order[first], other = order[second];
    order[first] = wanted ? other : one;
    order[second] = wanted ? one : other;
    UNROLL_SMALL
    for (int i = 0; i < HEIGHT; i++) {
        const real x = a[first * HEIGHT + i], y = a[second * HEIGHT + i];
        a[first * HEIGHT + i] = wanted ? y : x;
        a[second * HEIGHT + i] = wanted ? x : y;
    }
}
#endif

/* Puts the smallest of columns first .. last - 1, as it is from `row` on, at `first`. */
INLINE void sort_next(real *a, uint *order, int first, int last, int row)
{
    int smallest = first;
    real least = norm_from(a + first * HEIGHT, row);
    UNROLL_SMALL
    for (int c = 0; c < LEVELS; c++)
        if (c > first && c < last) {
            const real norm = norm_from(a + c * HEIGHT, row);
            if (norm < least * SORT_TIE) {
                least = norm;
                smallest = c;
            }
        }
#if IS_UNROLLED
    UNROLL_SMALL
    for (int c = 0; c < LEVELS; c++)
        if (c > first)
            exchange_if(c == smallest, a, order, first, c);
#else
    if (smallest > first)
        exchange(a, order, first, smallest);
#endif
}

/*
 * Householder's reflection that clears column k below the diagonal: column k keeps the reflection's vector from row k
 * on, the diagonal of R goes to diagonal[k] (positive). Columns k + 1 .. LEVELS are reflected.
 */
INLINE void reflect(real *a, real *diagonal, real *factors, int k, int columns)
{
    real *v = a + k * HEIGHT;
    const real norm = sqrt(norm_between(v, k, LAST_ROW(k))), first = v[k];
    const real sign = first < 0 ? -1 : 1;
    diagonal[k] = norm;
    factors[k] = norm > 0 ? 1 / (norm * (norm + fabs(first))) : 0;
    if (!(norm > 0))
        return;
    v[k] += sign * norm;
    UNROLL_SMALL
    for (int c = 0; c <= LEVELS; c++)
        if (c > k && c < columns) {
            real sum = 0;
            UNROLL_SMALL
            for (int i = 0; i < HEIGHT; i++)
                if (i >= k && i < LAST_ROW(k))
                    sum += v[i] * a[c * HEIGHT + i];
            sum *= factors[k];
            UNROLL_SMALL
            for (int i = 0; i < HEIGHT; i++)
                if (i >= k && i < LAST_ROW(k))
                    a[c * HEIGHT + i] -= v[i] * sum;
            a[c * HEIGHT + k] *= -sign;
        }
}

/* Triangularises the first `columns` columns' worth; those before `last` are sorted as they are reached. */
INLINE void triangularise(real *a, uint *order, real *diagonal, real *factors, int last, int columns)
{
    UNROLL_SMALL
    for (int k = 0; k < LEVELS; k++)
        if (k < HEIGHT) {
            if (k + 1 < last && !(PAIRED & k)) {
                sort_next(a, order, k, last, k);
#if PAIRED
                for (int c = k + 1; c < last; c++)
                    if (order[c] / 2 == order[k] / 2)
                        exchange(a, order, c, k + 1);
#endif
            }
            reflect(a, diagonal, factors, k, columns);
        } else {
            diagonal[k] = 0;
            factors[k] = 0;
        }
}
