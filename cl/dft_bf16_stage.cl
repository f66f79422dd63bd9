/*
 * What a work-group of dft_bf16.cl stages before its sums: the phases of taps and middles, the parts of cosines and sines; and a lane's gains.
 */
/* What tap n's phases are made of. */
INLINE void make_turns(LOCAL_PTR staged *l, const tile *t, const delay_t d, const uint n, const ulong unit_a, const ulong unit_b,
                       const ulong base_a, const ulong base_b, const dlong first_middle, const uint step,
                       const real scale, const uint average, const uint flags)
{
    turns unit;
    ulong first_turn = 0;
    real weight = ABSENT;
    unit.high = unit.low = 0;
    if (n < t->taps) {
        const uint state = delay_state(d, flags);
        delay_turns(&unit, d, unit_a, unit_b);
        first_turn = (base_a ? delay_turns_high(d, base_a, base_b) : 0) + turns_times(&unit, first_middle);
        weight = state == 1 ? ABSENT : state ? NOT_A_NUMBER : scale;
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

/* The phasor of a tap at what is turned by `less` before the m-th middle, times its weight: cosine and sine. */
INLINE void make_phasor(complex_t *to, const uint4 of_tap, CIRCLE_ARGUMENT, const uint m, const uint less)
{
    const real w = AS_FLOAT(of_tap.w);
    real cosine, sine;
    TURNED_32(of_tap.x + TIMES(m, of_tap.y, of_tap.z) - less, &cosine, &sine);
    to->x = cosine * w;
    to->y = sine * w;
}

#if OWN_MIDDLES
/* The phasors of the taps 2 i and 2 i + 1 at the m-th middle. */
INLINE void middles_of_two(float4 *to, LOCAL_PTR const staged *l, CIRCLE_ARGUMENT, const uint m, const uint i)
{
    complex_t first, second;
    make_phasor(&first, l->of_tap[2 * i], circle, m, 0);
    make_phasor(&second, l->of_tap[2 * i + 1], circle, m, 0);
    to->x = first.x;
    to->y = first.y;
    to->z = second.x;
    to->w = second.y;
}
#else
INLINE void middles_of_two(float4 *to, LOCAL_PTR const staged *l, CIRCLE_ARGUMENT, const uint m, const uint i)
{
    (void)circle;
    LOCAL_PTR const float4 *of_middle = l->middles + m * (TAPS / 2) + i % 4;
    *to = of_middle[i / 4 * 4];
}

/* Those of every eighth tap at the m-th middle, or, `early`, between the first two values of that block. */
INLINE void make_middle(LOCAL_PTR staged *l, CIRCLE_ARGUMENT, const uint m, const uint first, const uint early)
{
    UNROLL
    for (uint k = 0; k < STEPS; k++) {
        complex_t value;
        const uint2 half_turn = l->half_turns[first + 8 * k];
        make_phasor(&value, l->of_tap[first + 8 * k], circle, m, early ? TIMES(2u * HALF - 2u, half_turn.x, half_turn.y) : 0);
        ((LOCAL_PTR complex_t *)l->middles)[m * TAPS + first + 8 * k] = value;
    }
}
#endif

/*
 * The parts of cosines and sines of a tile. Column c of its product `side` is pair 8 i + 2 (c / 2) + side, its cosine for even c and its
 * sine for odd, so that a lane gets neighbours; the lane 4 c + k gives the taps 2 k and 2 k + 1 of each step. A lane here makes both for
 * one side.
 */
INLINE void make_cosines(LOCAL_PTR staged *l, CIRCLE_ARGUMENT, const uint i, const uint lane)
{
    const uint side = lane / 4 % 2, odd_pair = 2 * (8 * i + lane / 8 * 2 + side) + 1;
    const uint for_cosine = lane / 8 * 8 + lane % 4; /* the lane that gives it; the sine's is four further */
    uint parts[2][STEPS][PARTS];
    UNROLL
    for (uint k = 0; k < STEPS; k++) {
        LOCAL_PTR const uint2 *half_turns = l->half_turns + 8 * k + lane % 4 * 2;
        const uint2 half_0 = half_turns[0], half_1 = half_turns[1];
        real c[2], s[2];
        TURNED_32(TIMES(odd_pair, half_0.x, half_0.y), &c[0], &s[0]);
        TURNED_32(TIMES(odd_pair, half_1.x, half_1.y), &c[1], &s[1]);
        split(parts[0][k], c[0], c[1], 49152.0f);
        split(parts[1][k], s[0], s[1], 49152.0f);
#if REMAINDER
        if (odd_pair == 1) {
            float4 nearest;
            nearest.x = c[0];
            nearest.y = s[0];
            nearest.z = c[1];
            nearest.w = s[1];
            l->nearest[4 * k + lane % 4] = nearest;
        }
#endif
    }
    UNROLL
    for (uint of = 0; of < 2; of++) {
        const uint slot = SLOT(for_cosine + 4 * of);
        uint2 two;
        UNROLL
        for (uint at = 0; at < PARTS * QUADS; at++) {
            two.x = parts[of][at % QUADS * 2][at / QUADS];
            two.y = parts[of][at % QUADS * 2 + 1][at / QUADS];
            ((LOCAL_PTR uint2 *)(l->quads + (i * (PARTS * QUADS) + at) * WARP + slot))[side] = two;
        }
#if STEPS % 2
        two.x = parts[of][STEPS - 1][0];
        two.y = parts[of][STEPS - 1][1];
        ((LOCAL_PTR uint2 *)(l->odd + i * WARP + slot))[side] = two;
        ((LOCAL_PTR uint *)(l->odd_low + i * WARP + slot))[side] = parts[of][STEPS - 1][2];
#endif
    }
}

/* The larger size of two numbers; where the second is not finite, that or not a number, or `wrong` is none. */
INLINE real larger_size(const real most, const real x, real *wrong)
{
#if PLAIN
    *wrong = RFMA(x, 0, *wrong);
    return fmax(most, fabs(x));
#else
    real larger;
    ASM_PURE("{ .reg .f32 s; abs.f32 s, %2; max.NaN.f32 %0, %1, s; }" : "=f"(larger) : "f"(most), "f"(x));
    return larger;
#endif
}

/* Zero instead of gains whose tap is absent. The largest part of the lane's gains, or INFINITE where one, or its tap, is not finite. */
INLINE real check_gains(float4 *two, LOCAL_PTR const staged *l, const uint lane, const uint flags)
{
    LOCAL_PTR const uint4 *of_lane = l->of_tap + lane % 4 * 2;
    real most = 0, wrong = 0; /* 0, or not a number */
    UNROLL
    for (uint k = 0; k < STEPS; k++) {
        const real w = AS_FLOAT(of_lane[8 * k].w), next_w = AS_FLOAT(of_lane[8 * k + 1].w);
        if (flags & FLAG_ABSENT) { /* beyond the last tap gains are zero anyway */
            two[k].x = w == ABSENT ? 0 : two[k].x;
            two[k].y = w == ABSENT ? 0 : two[k].y;
            two[k].z = next_w == ABSENT ? 0 : two[k].z;
            two[k].w = next_w == ABSENT ? 0 : two[k].w;
        }
        most = larger_size(larger_size(most, two[k].x, &wrong), two[k].y, &wrong);
        most = larger_size(larger_size(most, two[k].z, &wrong), two[k].w, &wrong);
        wrong = RFMA(w, 0, RFMA(next_w, 0, wrong));
    }
    return most < INFINITE && wrong == 0 ? most : INFINITE;
}

#if REMAINDER
/* Sums of a unit's four lanes. */
INLINE void add_of_unit(LOCAL_PTR staged *l, const uint id, real *sums)
{
    for (uint e = 0; e < 4; e++) {
        real sum = sums[e];
#if PLAIN
        BARRIER(); /* those before are read */
        l->most[id] = sum;
        BARRIER();
        sum += l->most[id ^ 1];
        sum += l->most[id ^ 2] + l->most[id ^ 3];
#else
        real other;
        ASM("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=f"(other) : "f"(sum));
        sum += other;
        ASM("shfl.sync.bfly.b32 %0, %1, 2, 0x1f, 0xffffffff;" : "=f"(other) : "f"(sum));
        sum += other;
#endif
        sums[e] = sum;
    }
}
#endif

/* The largest of a unit's four lanes. */
INLINE real most_of_unit(LOCAL_PTR staged *l, const uint id, real most)
{
#if PLAIN
    BARRIER(); /* those of the paths before are read */
    l->most[id] = most;
    BARRIER();
    for (uint other = 1; other < 4; other++)
        most = fmax(most, l->most[id ^ other]);
#else
    real other;
    ASM("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=f"(other) : "f"(most));
    most = fmax(most, other);
    ASM("shfl.sync.bfly.b32 %0, %1, 2, 0x1f, 0xffffffff;" : "=f"(other) : "f"(most));
    most = fmax(most, other);
#endif
    return most;
}

/*
 * 1.5 x 2^(E + 15), 2^E more than a path's |b| can be, from the larger parts of its gains and the scale. Gains so large or small that parts of
 * b would pass all bounds or vanish are divided by a power of two first, by which values are then multiplied: `lifted`.
 */
INLINE real magic_of_path(real *lifted, float4 *two, const real most, const real scale)
{
    const real above_root_2 = 1.4143f;
    uint bits = AS_UINT(most * scale * above_root_2);
    *lifted = 1;
    if (most != 0 && bits - USUAL_LEAST >= USUAL_RANGE) {
        const real factor = bits < USUAL_LEAST ? 0x1p100f : 0x1p-100f;
        *lifted = bits < USUAL_LEAST ? 0x1p-100f : 0x1p100f;
        UNROLL
        for (uint k = 0; k < STEPS; k++) {
            two[k].x *= factor;
            two[k].y *= factor;
            two[k].z *= factor;
            two[k].w *= factor;
        }
        bits = AS_UINT(most * factor * scale * above_root_2);
    }
    return AS_FLOAT(((bits & 0x7f800000u) + (16u << 23)) | 0x400000u);
}
