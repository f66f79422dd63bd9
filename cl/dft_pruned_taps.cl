/*
 * The taps of the channel DFT's variant "pruned": their order, the factors that turn them for a column, how they are staged and folded modulo
 * POINTS. Included by dft_pruned.cl, whose parameters and macros it takes.
 */
#define ROTATION REAL(6.28318530717958647693)

/* Factors of a column in local memory: of its taps, or with KEEP of a remainder each and of what POINTS samples turn by. */
#if KEEP
#define FACTORS (TAPS > POINTS ? POINTS + 1 : POINTS)
#else
#define FACTORS TAPS
#endif

/* Where a tap's gain and factor lie: as the taps are numbered, or by remainders. place: of TAPS taps, then the POINTS + 1 starts. */
#if DELAY == 1
#define PLACE(n) place[n]
#define START(i) place[TAPS + (i)]
#else
#define PLACE(n) (n)
#endif

INLINE uint remainder_of(const delay_t d)
{
    const int r = d % POINTS;
    return (uint)(r < 0 ? r + POINTS : r);
}

#if DELAY == 1
/* Fills place and *far; all of the group take part. */
INLINE void order_taps(LOCAL_PTR uint *place, LOCAL_PTR uint *remainder, LOCAL_PTR uint *far, GLOBAL const delay_t *delay,
                       const tile *t, const uint flags)
{
    const uint id = (uint)LOCAL_ID(0);
    if (id == 0)
        *far = 0;
    BARRIER();
    for (uint n = id; n < t->taps; n += GROUP) {
        const delay_t d = delay_at(delay, t, 0, n, flags);
        const uint absent = delay_state(d, flags) == 1;
        remainder[n] = absent ? POINTS : remainder_of(d);
        if (!absent && (d >= FAR || d <= -FAR))
            *far = 1;
    }
    BARRIER();
    for (uint n = id; n < t->taps + POINTS + 1; n += GROUP) {
        uint before = 0; /* of tap n, or of the first with that remainder */
        const uint tap = n < t->taps, r = tap ? remainder[n] : n - t->taps;
        for (uint k = 0; k < t->taps; k++)
            before += remainder[k] < r || (tap && remainder[k] == r && k < n);
        place[tap ? n : TAPS + r] = before;
    }
    BARRIER();
}
#endif

/* Tap times factor; with REAL64 also times what the tap misses, which is added. */
#define TIMES_FACTOR(i, at)                                                                                                    \
    const complex_t tap_of = a[at], w_of = w[(at) * LANES];                                                                    \
    const real b_re = RFMA(tap_of.x, w_of.x, -(tap_of.y * w_of.y)), b_im = RFMA(tap_of.x, w_of.y, tap_of.y * w_of.x);          \
    ADD_MISSING(i, at)
#if REAL64
#define ADD_MISSING(i, at)                                                                                                     \
    less_re[i] = RFMA(b_re, missing[at], less_re[i]);                                                                          \
    less_im[i] = RFMA(b_im, missing[at], less_im[i])
#define ADD_TAP(i, at)                                                                                                         \
    do {                                                                                                                       \
        TIMES_FACTOR(i, at);                                                                                                   \
        re[i] += b_re;                                                                                                         \
        im[i] += b_im;                                                                                                         \
    } while (0)
#else
#define ADD_MISSING(i, at) (void)0
#define ADD_TAP(i, at)                                                                                                         \
    do {                                                                                                                       \
        const complex_t tap_of = a[at], w_of = w[(at) * LANES];                                                                \
        re[i] = RFMA(tap_of.x, w_of.x, RFMA(-tap_of.y, w_of.y, re[i]));                                                        \
        im[i] = RFMA(tap_of.x, w_of.y, RFMA(tap_of.y, w_of.x, im[i]));                                                         \
    } while (0)
#endif

/* Adds two neighbouring taps that are loaded together. */
#define ADD_PAIR(i)                                                                                                            \
    do {                                                                                                                       \
        const float4 two = *(LOCAL_PTR const float4 *)(a + n + (i));                                                           \
        const complex_t w_0 = w[(n + (i)) * LANES], w_1 = w[(n + (i) + 1) * LANES];                                            \
        re[i] = RFMA(two.x, w_0.x, RFMA(-two.y, w_0.y, re[i]));                                                                \
        im[i] = RFMA(two.x, w_0.y, RFMA(two.y, w_0.x, im[i]));                                                                 \
        re[(i) + 1] = RFMA(two.z, w_1.x, RFMA(-two.w, w_1.y, re[(i) + 1]));                                                    \
        im[(i) + 1] = RFMA(two.z, w_1.y, RFMA(two.w, w_1.x, im[(i) + 1]));                                                     \
    } while (0)

/* Taps that end at a multiple of 8 are asked about once in so many. */
#if POINTS % 8
#define CHUNK 2
#else
#define CHUNK 8
#endif

/* Gains as they are loaded and staged together: those of a path are a whole number of them. */
#define LOAD_ALONE (LANES >= TAPS)
#include "dft_loads.cl"
#define OWN ((ROWS * LOADS + GROUP - 1) / GROUP) /* that a work-item stages */
#define AHEAD (OWN <= (FIXED ? 4 : 1)) /* 1: those of the next rows are on their way during a transform */

/* The i-th of some rows of at most TAPS gains; zero where there is none. `whole`: the rows have TAPS of them, and start at multiples of load_t. */
INLINE void load_gains(load_t *value, GLOBAL const complex_t *from, const uint i, const uint rows_left, const uint taps, const uint whole)
{
    const uint r = i / LOADS, n = (i - r * LOADS) * TOGETHER;
    GLOBAL const complex_t *of_row = from + r * taps;
    value->x = value->y = 0;
#if TOGETHER == 2
    value->z = value->w = 0;
    if (r < rows_left && whole) {
        *value = ((GLOBAL const load_t *)from)[i];
    } else if (r < rows_left) {
        if (n < taps) {
            value->x = of_row[n].x;
            value->y = of_row[n].y;
        }
        if (n + 1 < taps) {
            value->z = of_row[n + 1].x;
            value->w = of_row[n + 1].y;
        }
    }
#else
    if (r < rows_left && n < taps)
        *value = of_row[n];
#endif
}

/* What a work-item stages of some rows. */
INLINE void load_rows(load_t *own, GLOBAL const complex_t *from, const uint rows_left, const uint taps, const uint whole)
{
    UNROLL
    for (uint k = 0; k < OWN; k++)
        load_gains(&own[k], from, (uint)LOCAL_ID(0) + k * GROUP, rows_left, taps, whole);
}

/* Zero, or not a number where one of them is not finite. */
INLINE real finite_or_nan(const load_t value)
{
#if TOGETHER == 2
    return RFMA(value.x, 0, RFMA(value.y, 0, RFMA(value.z, 0, value.w * 0)));
#else
    return RFMA(value.x, 0, value.y * 0);
#endif
}

/*
 * A group's factors: what n samples turn by at a work-item's column, times the scale; with KEEP the last without it. GROUP is a
 * multiple of LANES, so that a work-item's column is the same for all of its factors.
 */
INLINE void make_factors(LOCAL_PTR complex_t *turn, LOCAL_PTR const uint *place, GLOBAL const delay_t *delay, const tile *t,
                         const turns *of_sample, const uint count, const real scale, const uint flags)
{
    const uint id = (uint)LOCAL_ID(0), row = id / LANES, lane = id - row * LANES;
    for (uint n = row; n < count; n += ROWS) {
        complex_t value;
        real cosine, sine;
        turns_cos_sin(delay_turns_high(delay_at(delay, t, 0, n, flags), of_sample->high, of_sample->low), &cosine, &sine);
        const real by = KEEP && n == POINTS ? 1 : scale;
        value.x = cosine * by;
        value.y = -sine * by;
        turn[PLACE(n) * LANES + lane] = value;
    }
}

#if DELAY == 1
/* A gain at the place of its tap; zero where the tap is absent, which hides what it holds. */
INLINE void place_gain(LOCAL_PTR complex_t *of_row, LOCAL_PTR uint *bad, const real re, const real im, LOCAL_PTR const uint *place,
                       const uint n, const uint mark, const uint taps)
{
    const uint at = n < taps ? place[n] : n, absent = at >= START(POINTS);
    complex_t value;
    value.x = absent ? 0 : re;
    value.y = absent ? 0 : im;
    if (not_finite(value.x) | not_finite(value.y))
        *bad = mark;
    of_row[at] = value;
}
#endif

/* Puts what a work-item has loaded of ROWS paths' gains where the group reads them; `mark` is left for a path that has one that is not finite. */
INLINE void stage_gains(LOCAL_PTR complex_t *taps_of, LOCAL_PTR uint *bad, const load_t *own, LOCAL_PTR const uint *place,
                        const uint mark, const uint taps)
{
    UNROLL
    for (uint k = 0; k < OWN; k++) {
        const uint i = (uint)LOCAL_ID(0) + k * GROUP, r = i / LOADS, n = (i - r * LOADS) * TOGETHER;
        LOCAL_PTR complex_t *of_row = taps_of + r * PITCH;
        if (ROWS * LOADS % GROUP == 0 || i < ROWS * LOADS) {
#if DELAY == 1
            place_gain(of_row, bad + r, own[k].x, own[k].y, place, n, mark, taps);
#if TOGETHER == 2
            place_gain(of_row, bad + r, own[k].z, own[k].w, place, n + 1, mark, taps);
#endif
#else
            *(LOCAL_PTR load_t *)(of_row + n) = own[k];
            if (!(finite_or_nan(own[k]) == 0))
                bad[r] = mark;
#endif
        }
    }
}

#if KEEP
/* A column's factors from local memory, and what its POINTS sums begin with: tap n + POINTS is turned by `wrap` more than tap n. */
INLINE void keep_factors(complex_t *kept, LOCAL_PTR const complex_t *w)
{
    UNROLL
    for (uint n = 0; n < FACTORS; n++)
        kept[n] = w[n * LANES];
}

/* Of tap i and, where there is one, tap i + POINTS. */
INLINE void turned_tap(real *re, real *im, real x, real y, const real more_x, const real more_y, const complex_t *kept, const uint i)
{
    if (POINTS + i < TAPS) {
        const complex_t wrap = kept[FACTORS - 1];
        x = RFMA(more_x, wrap.x, RFMA(-more_y, wrap.y, x));
        y = RFMA(more_x, wrap.y, RFMA(more_y, wrap.x, y));
    }
    *re = RFMA(x, kept[i].x, -(y * kept[i].y));
    *im = RFMA(x, kept[i].y, y * kept[i].x);
}

/* What turns the taps, as functions have it. */
#define TURNED_BY const complex_t *kept
#define TURNS kept

INLINE void fold_taps(real *re, real *im, const real *less_re, const real *less_im, LOCAL_PTR const complex_t *a, TURNED_BY)
{
    UNROLL
    for (uint i = 0; i < (POINTS < TAPS ? POINTS : TAPS); i += 2) {
        const float4 two = *(LOCAL_PTR const float4 *)(a + i);
        const float4 more = *(LOCAL_PTR const float4 *)(a + (POINTS + i < TAPS ? POINTS + i : 0));
        turned_tap(&re[i], &im[i], two.x, two.y, more.x, more.y, kept, i);
        turned_tap(&re[i + 1], &im[i + 1], two.z, two.w, more.z, more.w, kept, i + 1);
    }
}
#elif DELAY == 2
#define TURNED_BY LOCAL_PTR const complex_t *w, LOCAL_PTR const real *missing, const uint padded
#define TURNS w, missing, padded

/* Consecutive samples: tap n goes to sum n modulo POINTS. */
INLINE void fold_taps(real *re, real *im, real *less_re, real *less_im, LOCAL_PTR const complex_t *a, TURNED_BY)
{
    for (uint n = 0; n < padded; n += POINTS) {
        UNROLL
        for (uint chunk = 0; chunk < POINTS; chunk += CHUNK) {
            if (n + chunk < padded) {
                UNROLL
                for (uint i = chunk; i < chunk + CHUNK; i += 2) {
#if REAL64
                    ADD_TAP(i, n + i);
                    ADD_TAP(i + 1, n + i + 1);
#else
                    ADD_PAIR(i);
#endif
                }
            }
        }
    }
}
#else
#define TURNED_BY LOCAL_PTR const complex_t *w, LOCAL_PTR const real *missing, LOCAL_PTR const uint *place
#define TURNS w, missing, place

/* Any samples: the taps of a remainder lie together. */
INLINE void fold_taps(real *re, real *im, real *less_re, real *less_im, LOCAL_PTR const complex_t *a, TURNED_BY)
{
    UNROLL
    for (uint i = 0; i < POINTS; i++) {
        const uint begin = START(i), end = START(i + 1);
        if (end - begin <= CHAIN) {
            for (uint n = begin; n < end; n++)
                ADD_TAP(i, n);
        } else { /* a sum of many alike would lose more than the bound */
            real lost_re = 0, lost_im = 0, sum_re = 0, sum_im = 0;
            for (uint n = begin; n < end; n++) {
                TIMES_FACTOR(i, n);
                add_pair(&sum_re, &lost_re, b_re);
                add_pair(&sum_im, &lost_im, b_im);
            }
            re[i] = sum_re + lost_re;
            im[i] = sum_im + lost_im;
        }
    }
}

/* A value summed up by itself, where a delay is too long for the transform. */
INLINE void sum_far(complex_t *value, LOCAL_PTR const complex_t *a, LOCAL_PTR const uint *place, GLOBAL const delay_t *delay,
                    const tile *t, const turns *of_far, const real scale, const uint flags)
{
    real sum_re = 0, sum_im = 0, lost_re = 0, lost_im = 0;
    for (uint n = 0; n < t->taps; n++) {
        const complex_t b = a[PLACE(n)]; /* absent ones are zero */
        real cosine, sine;
        turns_cos_sin(delay_turns_high(delay_at(delay, t, 0, n, flags), of_far->high, of_far->low), &cosine, &sine);
        add_pair(&sum_re, &lost_re, RFMA(b.x, cosine, b.y * sine));
        add_pair(&sum_im, &lost_im, RFMA(b.y, cosine, -(b.x * sine)));
    }
    value->x = (sum_re + lost_re) * scale;
    value->y = (sum_im + lost_im) * scale;
}
#endif
