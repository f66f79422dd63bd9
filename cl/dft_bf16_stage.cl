/*
 * What a work-group of dft_bf16.cl stages before its sums: the phases of taps and middles, the gains, the parts of cosines and sines.
 */
/*
 * The bits of 1.5 x 2^(E + 15), 2^E more than a path's |b| can be, from the larger parts of its gains and the scale. Gains so large or small
 * that parts of b would pass all bounds or vanish are divided by a power of two first.
 */
INLINE uint magic_of_path(LOCAL_PTR real *lift, LOCAL_PTR complex_t *gains, const real most, const real scale)
{
    const real above_root_2 = 1.4143f;
    uint bits = AS_UINT(most * scale * above_root_2);
    *lift = 1;
    if (most != 0 && bits - USUAL_LEAST >= USUAL_RANGE) {
        const real factor = bits < USUAL_LEAST ? 0x1p100f : 0x1p-100f;
        *lift = bits < USUAL_LEAST ? 0x1p-100f : 0x1p100f;
        for (uint n = 0; n < TAPS; n++) {
            gains[n].x *= factor;
            gains[n].y *= factor;
        }
        bits = AS_UINT(most * factor * scale * above_root_2);
    }
    return ((bits & 0x7f800000u) + (16u << 23)) | 0x400000u;
}

/* What tap n's phases are made of. */
INLINE void make_turns(LOCAL_PTR staged *l, const tile *t, GLOBAL const delay_t *delay, const uint n, const ulong unit_a,
                       const ulong unit_b, const ulong base_a, const ulong base_b, const dlong first_middle, const uint step,
                       const real scale, const uint average, const uint flags)
{
    turns unit;
    ulong first_turn = 0;
    real weight = ABSENT;
    unit.high = unit.low = 0;
    if (n < t->taps) {
        const delay_t d = delay_at(delay, t, 0, n, flags);
        const uint state = delay_state(d, flags);
        delay_turns(&unit, d, unit_a, unit_b);
        first_turn = (base_a ? delay_turns_high(d, base_a, base_b) : 0) + turns_times(&unit, first_middle);
        weight = state == 1 ? ABSENT : state ? WRONG : scale;
        if (average > 1 && !state)
            weight *= mean_weight(unit.high, average);
    }
    const ulong block_turn = turns_times(&unit, (dlong)(2 * HALF) * step), half_turn = turns_times(&unit, step / 2);
    uint4 of;
    of.x = (uint)(first_turn >> 32);
    of.y = (uint)(block_turn >> 32);
    of.z = (uint)block_turn;
    of.w = AS_UINT(weight);
    l->of_tap[n] = of;
    l->half_turns[n].x = (uint)(half_turn >> 32);
    l->half_turns[n].y = (uint)half_turn;
}

/* The i-th gain of the tile's paths, zero where its tap is absent; 1 where it or its tap is not finite. */
INLINE uint stage_gain(LOCAL_PTR staged *l, complex_t value, const uint i)
{
    const uint p = i / TAPS, n = i - p * TAPS;
    const uint x = AS_UINT(value.x) & 0x7fffffffu, y = AS_UINT(value.y) & 0x7fffffffu;
    const real w = AS_FLOAT(l->of_tap[n].w);
    uint wrong = 0;
    if (w == ABSENT) {
        value.x = value.y = 0;
    } else if (w == WRONG || (not_finite(value.x) | not_finite(value.y))) {
        value.x = value.y = NOT_A_NUMBER;
        wrong = 1;
    } else {
        LOCAL_MAX(l->most + p, x > y ? x : y);
    }
    ((LOCAL_PTR complex_t *)l->gains)[i] = value;
    return wrong;
}

/* The phasor of a tap at a middle, times its weight: cosine and sine. */
INLINE void make_middle(LOCAL_PTR staged *l, CIRCLE_ARGUMENT, const uint i)
{
    const uint m = i / TAPS, n = i - m * TAPS;
    const uint4 of = l->of_tap[n];
    const real w = AS_FLOAT(of.w);
    complex_t value;
    real cosine, sine;
    TURNED_32(of.x + TIMES(m, of.y, of.z), &cosine, &sine);
    value.x = cosine * w;
    value.y = sine * w;
    ((LOCAL_PTR complex_t *)l->middles)[i] = value;
}

/*
 * The parts of cosines and sines of a tile. Column c of its product `side` is pair 8 i + 2 (c / 2) + side, its cosine for even c and its
 * sine for odd, so that a lane gets neighbours; the lane 4 c + k gives the taps 2 k and 2 k + 1 of each step. A lane here makes both for
 * one side.
 */
INLINE void make_cosines(LOCAL_PTR staged *l, CIRCLE_ARGUMENT, const uint i, const uint lane)
{
    const uint side = lane / 4 % 2, odd_pair = 2 * (8 * i + lane / 8 * 2 + side) + 1;
    const uint for_cosine = lane / 8 * 8 + lane % 4; /* the lane that gives it; the sine's is four further */
    UNROLL
    for (uint k = 0; k < STEPS; k++) {
        LOCAL_PTR const uint2 *half_turns = l->half_turns + 8 * k + lane % 4 * 2;
        const uint2 half_0 = half_turns[0], half_1 = half_turns[1];
        real c[2], s[2];
        uint c_parts[PARTS], s_parts[PARTS];
        TURNED_32(TIMES(odd_pair, half_0.x, half_0.y), &c[0], &s[0]);
        TURNED_32(TIMES(odd_pair, half_1.x, half_1.y), &c[1], &s[1]);
        split(c_parts, c[0], c[1], 49152.0f, 96.0f);
        split(s_parts, s[0], s[1], 49152.0f, 96.0f);
        UNROLL
        for (uint part = 0; part < PARTS; part++) {
            const uint in_quads = k / 2 < QUADS;
            LOCAL_PTR uint *to = in_quads ? (LOCAL_PTR uint *)(l->quads + ((i * PARTS + part) * QUADS + k / 2) * WARP + for_cosine) +
                                                2 * side + k % 2
                                          : (LOCAL_PTR uint *)(l->odd + (i * PARTS + part) * WARP + for_cosine) + side;
            to[0] = c_parts[part];
            to[in_quads ? 16 : 8] = s_parts[part];
        }
    }
}
