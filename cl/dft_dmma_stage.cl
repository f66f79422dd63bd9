/*
 * What a work-group of dft_dmma.cl stages before its sums, in double: a lane for each tap makes the cosines and sines of the pairs, the phasors of
 * the first middles and what a unit's next block is turned by; and what is wrong with a lane's gains.
 */
/* A work-group's local memory. Phasors: cosine, then sine, of each tap at its place. */
typedef struct staged {
    double2 waves[(SINES + HALF * WAVE_ROW) / 2]; /* cosines of each pair by taps, then sines */
    double2 middles[UNITS * PHASOR_ROW];          /* of the first blocks, times the taps' weights */
    double2 turns[TAPS];                          /* from a unit's block to its next one */
    real weights[TAPS];           /* by taps */
#if PLAIN
    double b[4 * STEPS * WARP];
    uint wrong[WARP];
#endif
} staged;

/* What tiles are done with: the kernel's arguments, and what all of them have in common. */
typedef struct work {
    ulong unit_a, unit_b, base_a, base_b;
    dlong first_middle;
    uint first_block, blocks, left /* values of the last one */, step, values, average, flags;
    uint wrong; /* a delay of the tile is not finite */
    real scale;
#if DELAY == 0
    double unit, base; /* the factors */
    uint few_indices;
#endif
} work;

/* A number rounded to a whole one, and that as bits, for what is below 2^51. */
#define WHOLE 6755399441055744.0

/* Cosine and sine of some turns to 6e-14, which thousands of turns by it do not make a float's rounding. */
INLINE void turns_start(double2 *to, const double turns)
{
    const double moved = fma(turns, 4.0, WHOLE), x = fma(moved - WHOLE, -0.25, turns), y = x * x;
    const ulong quarter = BITS_OF_DOUBLE(moved);
    double s = -14.9165651188191184, c = -26.0581237538827925;
    s = fma(s, y, 42.0555692559449872);
    s = fma(s, y, -76.7058344584512853);
    s = fma(s, y, 81.6052491834839403);
    s = fma(s, y, -41.3417022402757805);
    s = fma(s, y, 6.28318530717955957) * x;
    c = fma(c, y, 60.2381835930145425);
    c = fma(c, y, -85.4567649371940637);
    c = fma(c, y, 64.9393938313483049);
    c = fma(c, y, -19.7392088019225476);
    c = fma(c, y, 0.99999999999994441);
    /* signs by bits: a subtraction in double would take the units' time */
    to->x = AS_DOUBLE(BITS_OF_DOUBLE(quarter & 1 ? s : c) ^ (quarter + 1 & 2) << 62);
    to->y = AS_DOUBLE(BITS_OF_DOUBLE(quarter & 1 ? c : s) ^ (quarter & 2) << 62);
}

/* The high bits of a fraction of a turn, as a number. */
INLINE double turns_of_bits(const ulong fraction)
{
    return (double)(dlong)fraction * 0x1p-64;
}

#if DELAY == 0
/* A constant factor as it was before dft_phase.cl's kernels got it in parts. */
INLINE double factor_of(const ulong a, const ulong b)
{
    const ulong exponent = (ulong)((int)(uint)b + 1075);
    return AS_DOUBLE(a ? (a & 0xfffffffffffffUL) | exponent << 52 | b >> 32 << 63 : 0);
}

/* What a product is away from the nearest whole number, both factors being exact: within 2^-54. */
INLINE double beyond_whole(const double product, const double delay, const double factor)
{
    const double whole = (product + WHOLE) - WHOLE;
    return (product - whole) + fma(delay, factor, -product);
}
#endif

/* The turns of a tap from a value to half a step further, and at the first middle. Products of doubles have all that is asked for while they are no
 * larger than some 2^50 turns and indices below 2^24; beyond, integers. */
INLINE void find_turns(double *half_step, double *first, const work *w, const delay_t d)
{
#if DELAY == 0
    const double delay = AS_DOUBLE(d), unit = delay * w->unit, base = delay * w->base;
    if (w->few_indices && fabs(unit) < 0x1p50 && fabs(base) < 0x1p50) {
        const double of_unit = beyond_whole(unit, delay, w->unit);
        *half_step = of_unit * (double)(int)(w->step / 2);
        *first = fma(of_unit, (double)(int)w->first_middle, beyond_whole(base, delay, w->base));
        return;
    }
#endif
    turns unit_turns;
    delay_turns(&unit_turns, d, w->unit_a, w->unit_b);
    *half_step = turns_of_bits(turns_times(&unit_turns, w->step / 2));
    *first = turns_of_bits((w->base_a ? delay_turns_high(d, w->base_a, w->base_b) : 0) + turns_times(&unit_turns, w->first_middle));
}

/* A number turned on by a phasor, and back by it. */
INLINE void turn_on(double2 *z, const double2 by)
{
    const double x = z->x;
    z->x = fma(x, by.x, -(z->y * by.y));
    z->y = fma(z->y, by.x, x * by.y);
}

INLINE void turn_back(double *re, double *im, const double2 by)
{
    const double x = *re;
    *re = fma(x, by.x, *im * by.y);
    *im = fma(*im, by.x, -(x * by.y));
}

/* All that is staged for tap n; 1 where its delay is not finite. at_once: blocks of a product's units. */
INLINE uint make_phasors(LOCAL_PTR staged *l, const work *w, const tile *t, const delay_t d, const uint n, const uint at_once)
{
    double half_step = 0, first = 0;
    real weight = ABSENT;
    if (n < t->taps) {
        const uint state = delay_state(d, w->flags);
        find_turns(&half_step, &first, w, d);
        weight = state == 1 ? ABSENT : state ? NOT_A_NUMBER : w->scale;
        if (w->average > 1 && !state)
            weight *= mean_weight(delay_turns_high(d, w->unit_a, w->unit_b), w->average);
    }
    l->weights[n] = weight;
    LOCAL_PTR double *waves = (LOCAL_PTR double *)l->waves + n;
    LOCAL_PTR double2 *middles = l->middles + PLACE(n);
    double2 nearest, phasor, turn;
    turns_start(&nearest, half_step);
    phasor = nearest;
    turn.x = fma(phasor.x + phasor.x, phasor.x, -1.0);
    turn.y = (phasor.x + phasor.x) * phasor.y;
    UNROLL
    for (uint pair = 0; pair < HALF; pair++) {
        waves[pair * WAVE_ROW] = phasor.x;
        waves[SINES + pair * WAVE_ROW] = phasor.y;
        turn_on(&phasor, turn);
    }
    /* half a block from the pair behind the last one, and twice that */
    nearest.y = -nearest.y;
    turn_on(&phasor, nearest);
    turn.x = fma(phasor.x + phasor.x, phasor.x, -1.0);
    turn.y = (phasor.x + phasor.x) * phasor.y;
    turns_start(&phasor, first);
    phasor.x *= (double)weight;
    phasor.y *= (double)weight;
    middles[0] = phasor;
    for (uint block = 1; block < at_once; block++) {
        turn_on(&phasor, turn);
        middles[block * PHASOR_ROW] = phasor;
    }
    for (uint blocks = 1; blocks < at_once; blocks *= 2)
        turn_on(&turn, turn);
    l->turns[PLACE(n)] = turn;
    return weight != weight;
}

/* Zero instead of gains whose tap is absent. Beyond the last tap they are zero anyway. */
INLINE void clear_absent(float4 *two, LOCAL_PTR const staged *l, const uint lane)
{
    LOCAL_PTR const real *of_lane = l->weights + lane % 4 * 2;
    UNROLL
    for (uint k = 0; k < STEPS; k++) {
        const real w = of_lane[8 * k], next_w = of_lane[8 * k + 1];
        two[k].x = w == ABSENT ? 0 : two[k].x;
        two[k].y = w == ABSENT ? 0 : two[k].y;
        two[k].z = next_w == ABSENT ? 0 : two[k].z;
        two[k].w = next_w == ABSENT ? 0 : two[k].w;
    }
}

/* 1 where a gain is not finite. */
INLINE uint check_gains(const float4 *two)
{
    real wrong = 0, wrong_too = 0; /* 0, or not a number */
    UNROLL
    for (uint k = 0; k < STEPS; k++) {
        wrong = RFMA(two[k].x, 0, RFMA(two[k].y, 0, wrong));
        wrong_too = RFMA(two[k].z, 0, RFMA(two[k].w, 0, wrong_too));
    }
    return !(wrong == 0 && wrong_too == 0);
}

/* Whether a warp has a lane where it is so. */
INLINE uint any_of_warp(LOCAL_PTR staged *l, const uint id, const uint here)
{
    uint any = 0;
#if PLAIN
    BARRIER(); /* those of the paths before are read */
    l->wrong[id] = here;
    BARRIER();
    for (uint lane = 0; lane < WARP; lane++)
        any |= l->wrong[lane];
#else
    ASM("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync.any.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q; }"
        : "=r"(any)
        : "r"(here));
#endif
    return any;
}
