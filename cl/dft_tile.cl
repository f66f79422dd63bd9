/*
 * What the channel DFT's kernels share beside phases: the arguments, a tile of the layout, taps as they lie in the arrays.
 *
 * A tile is some neighbouring paths of one link, five numbers of 64 bits: first path; index of its first gain; of its link's
 * first tap; paths and, above, taps; path in its link and, above, the link's paths. Values of the response are counted
 * from 0 to `values`; value m lies at base + (first + m step) half spacings, or at the m-th of the listed frequencies plus
 * base. Host macros: those of dft_phase.cl.
 */
#include "dft_phase.cl"

#define FLAG_ABSENT 1u       /* a negative delay marks a tap that is not there */
#define FLAG_TRANSPOSED 2u   /* [value][path] in a link, else [path][value] */
#define FLAG_ADD 4u          /* to what is in the response: taps from first_tap on */
#define FLAG_PATH_DELAYS 8u  /* delays as gains lie, else one a tap of the link */
#define FLAG_RATES 16u       /* Doppler */
#define FLAG_PATH_RATES 32u

#if DELAY == 0
typedef ulong delay_t; /* a double's bits */
#else
typedef int delay_t;
#endif

#define DFT_ARGUMENTS                                                                                                          \
    SPAN(const ulong, tiles), SPAN(const real, gains), SPAN(const delay_t, delays), SPAN(const ulong, rates),                  \
        SPAN(const ulong, frequencies), SPAN(complex_t, response), SPAN(uint, status), SPAN(uint, bad_paths),                  \
        const ulong unit_a, const ulong unit_b, const ulong base_a, const ulong base_b, const ulong time_a,                    \
        const ulong time_b, const ulong gains_step, const ulong response_step, const ulong scale_bits, const dlong first,      \
        const uint step, const uint values, const uint average, const uint flags, const uint first_time,                       \
        const uint end_time, const uint first_tap, const uint columns

typedef struct tile {
    ulong first_path, first_gain, first_link_tap;
    uint paths, taps, path_in_link, link_paths;
} tile;

INLINE void tile_at(tile *t, GLOBAL const ulong *tiles, const uint n)
{
    GLOBAL const ulong *from = tiles + 5 * (ulong)n;
    t->first_path = from[0];
    t->first_gain = from[1];
    t->first_link_tap = from[2];
    t->paths = (uint)from[3];
    t->taps = (uint)(from[3] >> 32);
    t->path_in_link = (uint)from[4];
    t->link_paths = (uint)(from[4] >> 32);
}

/* Adds x to the pair (*sum, *lost). */
INLINE void add_pair(real *sum, real *lost, const real x)
{
    const real total = *sum + x, part = total - *sum;
    *lost += (*sum - (total - part)) + (x - part);
    *sum = total;
}

/* Where value m of a path of the tile lies in a time step. */
INLINE ulong place_of(const tile *t, const uint path, const uint m, const uint values, const uint flags)
{
    if (flags & FLAG_TRANSPOSED)
        return (t->first_path - t->path_in_link) * values + (ulong)m * t->link_paths + t->path_in_link + path;
    return (t->first_path + path) * values + m;
}

/* The index of a tap's delay (or rate): of its path, or of its link. */
INLINE ulong tap_index(const tile *t, const uint path, const uint tap, const uint of_path)
{
    return of_path ? t->first_gain + (ulong)path * t->taps + tap : t->first_link_tap + tap;
}

/* A delay's state: 0 there, 1 absent, 2 not finite. */
INLINE uint delay_state(const delay_t delay, const uint flags)
{
#if DELAY == 0
    const ulong magnitude = delay & 0x7fffffffffffffffUL;
    if (magnitude > 0x7ff0000000000000UL)
        return 2; /* not a number: neither negative nor finite */
    if ((flags & FLAG_ABSENT) && delay >> 63 && magnitude)
        return 1;
    return magnitude == 0x7ff0000000000000UL ? 2 : 0;
#else
    return (flags & FLAG_ABSENT) && delay < 0 ? 1 : 0;
#endif
}

INLINE void delay_turns(turns *t, const delay_t delay, const ulong a, const ulong b)
{
#if DELAY == 0
    turns_of_double(t, delay, a, b);
#else
    turns_of_samples(t, delay, a, b);
#endif
}

/* The high 64 bits of a delay's fraction, and of k times it. */
INLINE ulong delay_turns_high(const delay_t delay, const ulong a, const ulong b)
{
    turns t;
    delay_turns(&t, delay, a, b);
    return t.high;
}

INLINE ulong delay_turns_times(const delay_t delay, const ulong a, const ulong b, const dlong k)
{
    turns t;
    delay_turns(&t, delay, a, b);
    return turns_times(&t, k);
}

/* The fraction of one sample at an index of half spacings, from the numbers of a constant factor for samples: what
 * delay_turns takes as such a factor. */
INLINE void turns_of_index(turns *t, const dlong index, const ulong unit_a, const ulong unit_b, const ulong base_a,
                           const ulong base_b)
{
    const ulong k = (ulong)index, low = k * unit_b;
    t->low = low + base_b;
    t->high = k * unit_a + MUL_HIGH(k, unit_b) - (index < 0 ? unit_b : 0) + base_a + (t->low < low);
}

/* By what a rate has turned at a time step. */
INLINE ulong turns_at_time(const ulong rate, const ulong time_a, const ulong time_b, const uint time)
{
    turns t;
    turns_of_double(&t, rate, time_a, time_b);
    return turns_times(&t, time);
}

INLINE delay_t delay_at(GLOBAL const delay_t *delays, const tile *t, const uint path, const uint tap, const uint flags)
{
#if DELAY == 2
    return (int)tap;
#else
    return delays[tap_index(t, path, tap, flags & FLAG_PATH_DELAYS)];
#endif
}

/* 1 for infinities and what is not a number. */
INLINE uint not_finite(const real x)
{
    return !(x - x == 0);
}

/*
 * The mean of exp(-2 pi i x k) over `average` neighbours around a middle is real: the sum of cos(pi q x) / average over q =
 * 1 - average, 3 - average, ..., average - 1. Taken as 1 - 4 / average x sum of sin^2(pi q x / 2) over the q > 0, so that
 * little is rounded where it is near 1. x / 2 is the fraction of half a spacing; its half is known but for half a turn,
 * which the square does not see.
 */
INLINE real mean_weight(const ulong half_spacing, const uint average)
{
    const ulong quarter_spacing = half_spacing >> 1;
    real sum = 0;
    for (uint q = average - 1; q > 0 && q < average; q -= 2) {
        real c, s;
        turns_cos_sin((ulong)q * quarter_spacing, &c, &s);
        sum += s * s;
    }
    return REAL(1.0) - sum * (REAL(4.0) / (real)average);
}

/* Marks a path whose input is not finite, and counts it once. */
INLINE void report_bad(GLOBAL uint *status, GLOBAL uint *bad_paths, const ulong path)
{
    if (ATOMIC_OR(status + path, 1u) == 0)
        ATOMIC_ADD(bad_paths, 1u);
}

/* Weights of taps that take no part: no scale times a mean's weight is as large. */
#define ABSENT REAL(-4.0)
#define WRONG REAL(-8.0)
#define NOT_A_NUMBER AS_FLOAT(0x7fc00000u)

/* A value of a path whose input is not finite is not a number until the link's last launch makes it zero. */
INLINE void store(complex_t *value, GLOBAL complex_t *response, const tile *t, const uint path, const uint m,
                  const uint values, const uint flags, const uint last)
{
    if (m >= values)
        return;
    const ulong at = place_of(t, path, m, values, flags);
    if (flags & FLAG_ADD) {
        value->x += response[at].x;
        value->y += response[at].y;
    }
    if (last && value->x != value->x)
        value->x = value->y = 0;
    response[at] = *value;
}
