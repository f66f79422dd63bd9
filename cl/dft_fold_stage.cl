/*
 * What a work-group of dft_fold.cl has in local memory, and how it comes there: what taps' phases are made of, distances, middles, gains and
 * the units' b. Included by dft_fold.cl, whose parameters and macros it takes.
 */
/* A work-group's local memory. */
typedef struct staged {
    load_t middles[BLOCKS * LOADS], gains[PATHS * LOADS], b[UNITS * LOADS];
    uint2 place_of_unit[UNITS]; /* its path, its middle */
    ulong first_turns[TAPS], block_turns[TAPS], odd_turns[TAPS], rate_turns[TAPS];
    real weight[TAPS];
#if SHARED
    complex_t distance[TAPS * PITCH];
#endif
} staged;

/* What a work-group owns: some blocks of all paths of a tile. */
typedef struct share {
    tile t;
    uint first_block, blocks, units; /* units: (path, block) */
    uint magic;                      /* path_of's, for them */
    uint taps, last;                 /* of this launch; 1: none are left after it */
} share;

INLINE void take_share(share *own, GLOBAL const ulong *tiles, const uint values, const uint first_tap)
{
    const uint all_blocks = (values + 2 * HALF - 1) / (2 * HALF);
    tile_at(&own->t, tiles, (uint)GROUP_ID(0));
    own->first_block = (uint)GROUP_ID(1) * BLOCKS;
    own->blocks = all_blocks - own->first_block < BLOCKS ? all_blocks - own->first_block : BLOCKS;
    own->units = own->t.paths * own->blocks;
    own->magic = own->blocks > 1 ? 0xffffffffu / own->blocks + 1 : 0;
    own->taps = own->t.taps - first_tap < TAPS ? own->t.taps - first_tap : TAPS;
    own->last = own->t.taps <= first_tap + TAPS;
}

INLINE void keep_tap(LOCAL_PTR staged *l, const uint n, const tap_turns *of)
{
    l->first_turns[n] = of->first;
    l->block_turns[n] = of->block;
    l->odd_turns[n] = of->odd;
    l->weight[n] = of->weight;
}

/* Of all TAPS, the first middle as given; those beyond the link's are absent. */
INLINE void stage_taps(LOCAL_PTR staged *l, const share *own, GLOBAL const delay_t *delay, GLOBAL const ulong *rate,
                       const ulong unit_a, const ulong unit_b, const ulong base_a, const ulong base_b, const ulong scale_bits,
                       const dlong middle, const uint step, const uint average, const uint flags, const uint first_tap)
{
    for (uint n = (uint)LOCAL_ID(0); n < TAPS; n += GROUP) {
        tap_turns of = { 0, 0, 0, ABSENT };
        if (own->t.taps > first_tap && n < own->taps) {
            const uint at = first_tap + n;
            const uint finite =
                !(flags & FLAG_RATES) || finite_bits(rate[tap_index(&own->t, 0, at, flags & FLAG_PATH_RATES)]);
            tap_at(&of, &own->t, delay_at(delay, &own->t, 0, at, flags), finite, unit_a, unit_b, base_a, base_b, scale_bits, middle,
                   step, average, flags);
        }
        keep_tap(l, n, &of);
    }
}

/* What the taps' Doppler turns them by at a time step; all of the group take part. */
INLINE void turn_rates(LOCAL_PTR staged *l, const share *own, GLOBAL const ulong *rate, const ulong time_a, const ulong time_b,
                       const uint time, const uint flags, const uint first_tap)
{
    for (uint n = (uint)LOCAL_ID(0); n < own->taps; n += GROUP)
        l->rate_turns[n] = turns_at_time(rate[tap_index(&own->t, 0, first_tap + n, flags & FLAG_PATH_RATES)], time_a, time_b, time);
    BARRIER();
}

/* Cosines and sines of the pairs' distances from a middle, for all of the group. */
INLINE void make_distances(LOCAL_PTR staged *l, CIRCLE_ARGUMENT)
{
#if ROTATE
    for (uint i = (uint)LOCAL_ID(0); i < TAPS * WALKS; i += GROUP) {
        const uint part = (HALF + WALKS - 1) / WALKS, n = i % TAPS, j = i / TAPS * part;
        if (j < HALF)
            turn_on(l->distance + n * PITCH + j, 1, HALF - j < part ? HALF - j : part, (2 * j + 1) * l->odd_turns[n], l->odd_turns[n],
                    1, 1);
    }
    BARRIER();
#elif SHARED
    for (uint i = (uint)LOCAL_ID(0); i < TAPS * HALF; i += GROUP) {
        const uint n = i / HALF, j = i - n * HALF;
        complex_t value;
        real cosine, sine;
        TURNED((2 * j + 1) * l->odd_turns[n], &cosine, &sine);
        value.x = cosine;
        value.y = sine;
        l->distance[n * PITCH + j] = value;
    }
    BARRIER();
#endif
}

#if KEEP
/* Those of a work-item's pairs, into its registers. */
INLINE void keep_distances(real *c, real *s, LOCAL_PTR const staged *l, CIRCLE_ARGUMENT, const uint lane)
{
    UNROLL
    for (uint n = 0; n < TAPS; n++) {
        UNROLL
        for (uint q = 0; q < PAIRS; q++) {
            const uint j = lane + q * LANES;
#if SHARED
            c[q * TAPS + n] = l->distance[n * PITCH + j].x;
            s[q * TAPS + n] = l->distance[n * PITCH + j].y;
#else
            TURNED((2 * j + 1) * l->odd_turns[n], &c[q * TAPS + n], &s[q * TAPS + n]);
#endif
        }
    }
}
#endif

/* Phasors of the middles, times the taps' weights. */
INLINE void make_middles(LOCAL_PTR staged *l, CIRCLE_ARGUMENT, const uint blocks, const uint taps, const uint flags)
{
    LOCAL_PTR complex_t *middle = (LOCAL_PTR complex_t *)l->middles;
#if ROTATE
    for (uint i = (uint)LOCAL_ID(0); i < TAPS * WALKS; i += GROUP) {
        const uint part = (blocks + WALKS - 1) / WALKS, n = i % TAPS, m = i / TAPS * part;
        const ulong turned = (flags & FLAG_RATES) && n < taps ? l->rate_turns[n] : 0;
        if (m < blocks)
            turn_on(middle + m * TAPS + n, TAPS, blocks - m < part ? blocks - m : part,
                    l->first_turns[n] + m * l->block_turns[n] - turned, l->block_turns[n] >> 1, l->weight[n], -1);
    }
#else
    for (uint i = (uint)LOCAL_ID(0); i < blocks * TAPS; i += GROUP) {
        const uint m = i / TAPS, n = i - m * TAPS;
        const real w = l->weight[n];
        complex_t value;
        real cosine, sine;
        ulong turn = l->first_turns[n] + m * l->block_turns[n];
        if ((flags & FLAG_RATES) && n < taps)
            turn -= l->rate_turns[n];
        TURNED(turn, &cosine, &sine);
        value.x = cosine * w;
        value.y = -sine * w;
        middle[i] = value;
    }
#endif
}

/* The i-th gain of the tile's paths as it is staged: zero where the tap is not there; 1 where anything of it is not finite. */
INLINE uint stage_gain(LOCAL_PTR staged *l, GLOBAL const complex_t *gain, const uint i, const uint taps_of_path)
{
    const uint p = i / TAPS, n = i - p * TAPS;
    const real w = l->weight[n];
    uint wrong = 0;
    complex_t value;
    value.x = value.y = 0;
    if (w != ABSENT) {
        value = gain[(ulong)p * taps_of_path + n];
        wrong = w == WRONG || (not_finite(value.x) | not_finite(value.y));
        if (wrong)
            value.x = value.y = NOT_A_NUMBER;
    }
    ((LOCAL_PTR complex_t *)l->gains)[i] = value;
    return wrong;
}

/* b of so many units, and where they are. */
INLINE void stage_units(LOCAL_PTR staged *l, const uint unit_0, const uint here, const uint first_block, const uint blocks,
                        const uint magic)
{
    for (uint i = (uint)LOCAL_ID(0); i < here * LOADS; i += GROUP) {
        const uint u = i / LOADS, n = i - u * LOADS, p = path_of(unit_0 + u, magic), m = unit_0 + u - p * blocks;
        load_t value;
        product(&value, l->gains[p * LOADS + n], l->middles[m * LOADS + n]);
        l->b[i] = value;
    }
    for (uint u = (uint)LOCAL_ID(0); u < here; u += GROUP) {
        uint2 place;
        place.x = path_of(unit_0 + u, magic);
        place.y = (first_block + unit_0 + u - place.x * blocks) * (2 * HALF) + HALF;
        l->place_of_unit[u] = place;
    }
}
