/*
 * The channel DFT's folded sums: what a tap's phases are made of, and, with ROTATE, cosines made by turning on. Included by dft_fold.cl, whose
 * parameters and macros it takes.
 */
/* What a tap's phases are made of: the turns of the first middle, from one middle to the next, and half of that from one value to the next; its
 * weight. Multiples by few blocks and pairs of these lose nothing that matters. */
typedef struct tap_turns {
    ulong first, block, odd;
    real weight;
} tap_turns;

INLINE void tap_at(tap_turns *of, const tile *t, const delay_t d, const uint rate_is_finite, const ulong unit_a,
                   const ulong unit_b, const ulong base_a, const ulong base_b, const ulong scale_bits, const dlong middle,
                   const uint step, const uint average, const uint flags)
{
    const uint state = delay_state(d, flags);
    turns unit;
    delay_turns(&unit, d, unit_a, unit_b);
    of->first = turns_times(&unit, middle);
    of->block = turns_times(&unit, (dlong)(2 * HALF) * step);
    of->odd = turns_times(&unit, step / 2);
    if (base_a)
        of->first += delay_turns_high(d, base_a, base_b);
    of->weight = AS_REAL(scale_bits);
    if (average > 1)
        of->weight *= mean_weight(unit.high, average);
    if (state || !rate_is_finite)
        of->weight = state == 1 ? ABSENT : WRONG;
}

INLINE uint finite_bits(const ulong bits)
{
    return (bits & 0x7ff0000000000000UL) != 0x7ff0000000000000UL;
}

#if ROTATE
/* Cosine and sine of a fraction of a turn to 4e-12, which a hundred turns by it do not make a float's rounding. */
INLINE void turns_start(const ulong fraction, double *cosine, double *sine)
{
    const ulong quarter = (fraction + 0x2000000000000000UL) >> 62;
    const double x = (double)(dlong)(fraction - (quarter << 62)) * 0x1p-64, y = x * x;
    double s = 41.4728332395091925, c = -26.0581237538827925;
    s = fma(s, y, -76.6978663502028058);
    s = fma(s, y, 81.6052047110457547);
    s = fma(s, y, -41.3417021533949024);
    s = fma(s, y, 6.28318530715239961) * x;
    c = fma(c, y, 60.2381835930145425);
    c = fma(c, y, -85.4567649371940637);
    c = fma(c, y, 64.9393938313483049);
    c = fma(c, y, -19.7392088019225476);
    c = fma(c, y, 0.99999999999994441);
    const double first = quarter & 1 ? s : c, second = quarter & 1 ? c : s;
    *cosine = quarter + 1 & 2 ? -first : first;
    *sine = quarter & 2 ? -second : second;
}

/* A weight times cos and sin of `start` + 2 k `half_step`, k = 0, 1, ... `count` - 1, to to[k `apart`]; the sine times `sign`
 * too. */
INLINE void turn_on(LOCAL_PTR complex_t *to, const uint apart, const uint count, const ulong start, const ulong half_step,
                    const real weight, const real sign)
{
    double c, s, turn_c, turn_s;
    turns_start(half_step, &turn_c, &turn_s);
    c = turn_c;
    s = turn_s;
    if (start != half_step)
        turns_start(start, &c, &s);
    const double twice = turn_c + turn_c;
    turn_c = fma(twice, turn_c, -1.0);
    turn_s = twice * turn_s * sign;
    c *= weight;
    s *= weight * sign;
    NOUNROLL
    for (uint k = 0; k < count; k++) {
        complex_t value;
        const double before = c;
        value.x = (real)c;
        value.y = (real)s;
        to[k * apart] = value;
        c = fma(c, turn_c, -(s * turn_s));
        s = fma(s, turn_c, before * turn_s);
    }
}
#endif
