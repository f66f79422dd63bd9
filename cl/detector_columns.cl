/*
 * Detector, first step, for many streams: as detector_prepare, with a lane for each column of the channel. Part of
 * detector_prepare.cl with COLUMNS.
 *
 * Data flow:
 *   a work-group owns CTA_SIZE / LEVELS vectors, a lane a column of one of them;
 *   registers hold the column; the lane whose column comes first has the received vector from then on;
 *   local memory holds what lanes tell one another: norms, the reflection's vector, then the triangle and the Cholesky factor.
 *
 * A matrix of 16 columns fits no work-item's registers, and its private memory no cache.
 */

#define SLOTS ((CTA_SIZE + LEVELS - 1) / LEVELS) /* the last may lack lanes: what it makes is not stored */

/* Of one vector, in local memory. */
typedef struct slot_t {
    real norms[LEVELS], v[HEIGHT], r[TRIANGLE], l[TRIANGLE], y[LEVELS], x[LEVELS];
    real factor, sign, rest;
    uint order[LEVELS];
} slot_t;

#define REFLECTIONS (LEVELS < HEIGHT ? LEVELS : HEIGHT)
#define FOR_LEVELS(i) UNROLL_SMALL for (int i = 0; i < LEVELS; i++)

/* The sum of what the lanes of a vector have, the same for all. */
INLINE real sum_of(LOCAL_PTR const real *values)
{
    real sum = 0;
    FOR_LEVELS(i)
        sum += values[i];
    return sum;
}

/* Loads the lane's column and the received vector, scaled; returns zero or NaN. */
INLINE real load_scaled(LOCAL_PTR slot_t *slot, int sub, GLOBAL const float *channel, GLOBAL const float *received,
                        GLOBAL const wide *l, GLOBAL const float *model, real *column, real *y, real *scale)
{
    real h[ROWS], largest = 0, bad = load_column(channel + 2 * MODEL_STREAM(sub), 2 * TX, l, h);
    make_columns(h, model, 1, sub, (int)MODEL_AXIS(sub), column);
    bad += load_column(received, 2, l, y);
    UNROLL_SMALL
    for (int i = 0; i < ROWS; i++)
        largest = fmax(largest, fmax(fabs(h[i]), fabs(y[i])));
    slot->norms[sub] = largest;
    slot->x[sub] = bad;
    BARRIER();
    FOR_LEVELS(i)
        largest = fmax(largest, slot->norms[i]);
    bad = sum_of(slot->x);
    *scale = power_of_two_below((float)largest);
    UNROLL_SMALL
    for (int i = 0; i < ROWS; i++) {
        column[i] *= *scale;
        y[i] *= *scale;
    }
    BARRIER();
    slot->x[sub] = norm_from(column, 0);
    BARRIER();
    return bad;
}

/* Step k: which column comes next, by norms at their places; the lane's new place. */
INLINE int place_after(LOCAL_PTR const slot_t *slot, int k, int place)
{
    int smallest = k;
    real least = slot->norms[k];
#if ORDERING == 0
    UNROLL_SMALL
    for (int c = 0; c < LEVELS; c++)
        if (c > k && slot->norms[c] < least * SORT_TIE) {
            least = slot->norms[c];
            smallest = c;
        }
#endif
    return place == smallest ? k : place == k ? smallest : place;
}

/* The lane whose column is next tells the others its reflection; it goes on with the received vector from the first step on. */
INLINE void tell_reflection(LOCAL_PTR slot_t *slot, int k, real *column, const real *y)
{
    const real norm = sqrt(norm_from(column, k)), first = column[k], sign = first < 0 ? -1 : 1;
    slot->factor = norm > 0 ? 1 / (norm * (norm + fabs(first))) : 0;
    slot->sign = sign;
    slot->r[R_AT(k, k)] = norm;
    UNROLL_SMALL
    for (int i = 0; i < HEIGHT; i++) {
        if (i >= k)
            slot->v[i] = column[i] + (i == k ? sign * norm : 0);
        if (k == 0)
            column[i] = y[i];
    }
}

INLINE void reflect_column(LOCAL_PTR const slot_t *slot, int k, real *column)
{
    real sum = 0;
    UNROLL_SMALL
    for (int i = 0; i < HEIGHT; i++)
        if (i >= k)
            sum += slot->v[i] * column[i];
    sum *= slot->factor;
    UNROLL_SMALL
    for (int i = 0; i < HEIGHT; i++)
        if (i >= k)
            column[i] -= slot->v[i] * sum;
    column[k] *= -slot->sign;
}

/* The triangle into local memory, by columns; returns the lane's place among them. */
INLINE int triangularise_columns(LOCAL_PTR slot_t *slot, int sub, real *column, const real *y)
{
    int place = sub;
#if ORDERING == 1
    slot->norms[sub] = norm_from(column, 0);
    BARRIER();
    for (int k = 0; k + 1 < LEVELS; k++) { /* the order that sort_next makes of norms */
        int smallest = k;
        for (int c = k + 1; c < LEVELS; c++)
            smallest = slot->norms[c] < slot->norms[smallest] * SORT_TIE ? c : smallest;
        place = place == smallest ? k : place == k ? smallest : place;
        BARRIER();
        if (sub == 0) {
            const real keep = slot->norms[k];
            slot->norms[k] = slot->norms[smallest];
            slot->norms[smallest] = keep;
        }
        BARRIER();
    }
#endif
    UNROLL_SMALL
    for (int k = 0; k < REFLECTIONS; k++) { /* PoCL takes no barrier within a condition */
        const real norm = norm_from(column, k); /* of all: PoCL 5.0 takes a stale one where it is within the condition */
        if (place >= k)
            slot->norms[place] = norm;
        BARRIER();
        place = place_after(slot, k, place);
        if (place == k)
            tell_reflection(slot, k, column, y);
        BARRIER();
        if ((place > k || place == 0) && slot->factor > 0)
            reflect_column(slot, k, column);
    }
    slot->order[place] = sub;
    if (place >= HEIGHT)
        slot->r[R_AT(place, place)] = 0;
    FOR_LEVELS(i) {
        const real mine = i < HEIGHT ? column[i < HEIGHT ? i : 0] : 0;
        if (place == 0)
            slot->y[i] = mine;
        else if (i < place)
            slot->r[R_AT(i, place)] = mine;
    }
    if (place == 0) {
        real rest = 0;
        UNROLL_SMALL
        for (int i = LEVELS; i < HEIGHT; i++)
            rest += column[i] * column[i];
        slot->rest = rest;
    }
    BARRIER();
    return place;
}

#if RADIUS == 0
/* mmse_metric by columns: the lane at a place has that column of R^T R + N0/2E, and of its factor, which is by rows of its transpose. */
INLINE real metric_by_columns(LOCAL_PTR slot_t *slot, int place, GLOBAL const float *model, real noise_variance)
{
    const uint own = slot->order[place];
    real r[LEVELS], g[LEVELS], right = 0, inverse = 0;
    FOR_LEVELS(k) {
        r[k] = k <= place ? slot->r[R_AT(k, place)] : 0;
        right += r[k] * slot->y[k];
    }
    FOR_LEVELS(i) {
        g[i] = i == place ? noise_variance * (real)0.5 / MODEL_ENERGY(own) : 0;
        FOR_LEVELS(k)
            if (k <= i)
                g[i] += r[k] * slot->r[R_AT(k, i)];
    }
    FOR_LEVELS(k) {
        if (place == k) {
            inverse = g[k] > 0 ? 1 / sqrt(g[k]) : 0;
            right *= inverse;
            slot->x[k] = right;
            FOR_LEVELS(i)
                if (i >= k) {
                    g[i] *= inverse;
                    slot->l[R_AT(k, i)] = g[i];
                }
        }
        BARRIER();
        if (place > k) {
            const real of = slot->l[R_AT(k, place)];
            right -= of * slot->x[k];
            FOR_LEVELS(i)
                if (i > k)
                    g[i] -= slot->l[R_AT(k, i)] * of;
        }
    }
    FOR_LEVELS(n) {
        const int k = LEVELS - 1 - n;
        if (place == k) {
            right *= inverse;
            slot->x[k] = right;
        }
        BARRIER();
        if (place < k)
            right -= g[k] * slot->x[k];
    }
    const real most = POINTS_OF(own) - 1, index = fmin(fmax(rint((right + most) * (real)0.5), (real)0), most);
    slot->norms[place] = right == right ? 2 * index - most : -most;
    BARRIER();
    real z = slot->y[place];
    FOR_LEVELS(k)
        if (k >= place)
            z -= slot->r[R_AT(place, place) + k - place] * slot->norms[k];
    slot->x[place] = z * z;
    BARRIER();
    return sum_of(slot->x);
}
#endif

/* As the other form's, but that items are shared out to lanes otherwise, and that there is no descent. */
PREPARE_KERNEL
{
    LOCAL slot_t slots[SLOTS];
    const int own = LOCAL_ID(0) / LEVELS, sub = LOCAL_ID(0) % LEVELS;
    LOCAL_PTR slot_t *slot = &slots[own];
    const ulong raw = (ulong)GROUP_ID(0) * (CTA_SIZE / LEVELS) + own, item = raw < items ? raw : items - 1;
    GLOBAL const float *model = SPAN_AT(const float, model);
    const ulong vector = first + item, c = per_channel ? vector / per_channel : 0;
    GLOBAL const wide *l = SPAN_AT(const wide, factor) + (factor_for_each ? item * FACTOR_REALS : 0);
    real column[HEIGHT], y[ROWS], scale;
    const real bad = load_scaled(slot, sub, SPAN_AT(const float, channel) + c * (2 * RX * TX),
                                 SPAN_AT(const float, received) + vector * (2 * RX), l, model, column, y, &scale);
    const real n0 = noise_of(noise_base ? SPAN_AT(const float, noise) : 0, vector, noise_variance, noise_factor, scale);
    const real received_norm = sqrt(norm_from(y, 0)) + bad + n0 * 0;
    const real reach = sqrt(sum_of(slot->x)) * longest_symbols(model);
    BARRIER();
    const int place = triangularise_columns(slot, sub, column, y);
#if RADIUS == 0
    const real radius = radius_factor * metric_by_columns(slot, place, model, n0);
#elif RADIUS == 1
    const real radius = received_norm * 0 + LARGE;
#else
    const real radius = radius_factor * n0;
#endif
    if (raw >= items || own >= CTA_SIZE / LEVELS)
        return;
    GLOBAL float *work = SPAN_AT(float, channel_work);
    for (int n = sub; n < TRIANGLE; n += LEVELS)
        work[(ulong)n * stride + item] = (float)slot->r[n];
    if (sub < ORDER_WORDS) {
        uint packed = 0;
        for (int i = 0; i < 6; i++)
            if (6 * sub + i < LEVELS)
                packed |= slot->order[6 * sub + i] << (5 * i);
        work[(ulong)(CHANNEL_ORDER + sub) * stride + item] = AS_FLOAT(packed);
    }
    GLOBAL float *to = SPAN_AT(float, vector_work);
    to[(ulong)sub * stride + item] = (float)slot->y[sub];
    if (sub == 0) {
        work[(ulong)CHANNEL_SCALE * stride + item] = (float)scale;
        work[(ulong)CHANNEL_LENGTH * stride + item] = (float)reach;
        to[(ulong)VECTOR_RADIUS * stride + item] = (float)radius;
        to[(ulong)VECTOR_ERROR * stride + item] = (float)(ROUNDINGS * UNIT_ROUNDOFF * (received_norm + reach));
        to[(ulong)VECTOR_REST * stride + item] = (float)slot->rest;
        to[(ulong)VECTOR_NOISE * stride + item] = (float)n0;
    }
}
