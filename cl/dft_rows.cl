/*
 * Gains in and values out, as lanes of dft_bf16.cl and dft_dmma.cl have them, whose macros this takes: a lane gives a product two neighbouring taps of each
 * eight, and gets a unit's values at two neighbouring pairs.
 */
#if defined(CLR_CUDA)
/* Lest it be put together anew at each use. */
#define KEEP_POINTER(p)                                                                                                         \
    do {                                                                                                                       \
        ASM("" : "+l"(p));                                                                                                     \
        __builtin_assume(__isGlobal(p));                                                                                       \
    } while (0)
#else
#define KEEP_POINTER(p) (void)0
#endif

/* A lane's part of a path's gains, those of the taps 2 (lane % 4) and one further of each step; zero where there is no such tap.
 * together: taps are an even number and lie at multiples of 16 bytes. */
INLINE void load_gains(float4 *two, GLOBAL const complex_t *of_path, const uint taps, const uint lane, const uint together)
{
    GLOBAL const complex_t *of_lane = of_path + lane % 4 * 2;
    UNROLL
    for (uint k = 0; k < STEPS; k++)
        two[k].x = two[k].y = two[k].z = two[k].w = 0;
    UNROLL
    for (uint k = 0; k < STEPS; k++) {
        const uint n = 8 * k + lane % 4 * 2;
        if (together) {
            if (n < taps)
                two[k] = *(GLOBAL const float4 *)(of_lane + 8 * k);
        } else {
            complex_t first, second;
            first.x = first.y = second.x = second.y = 0;
            if (n < taps)
                first = of_lane[8 * k];
            if (n + 1 < taps)
                second = of_lane[8 * k + 1];
            two[k].x = first.x;
            two[k].y = first.y;
            two[k].z = second.x;
            two[k].w = second.y;
        }
    }
}

/* A value at its place in the response; zero where the path's input is not finite. */
INLINE void put(GLOBAL complex_t *of_path, complex_t value, const uint m, const uint values, const ulong apart, const real lifted)
{
    value.x *= lifted;
    value.y *= lifted;
    if (value.x != value.x)
        value.x = value.y = 0;
    if (m < values)
        of_path[m * apart] = value;
}

/* What a lane knows of its unit. */
typedef struct unit {
    GLOBAL complex_t *to; /* its path's first value */
    real lifted;
    uint plain, inside; /* whether values are written as they are; whether path and block are there */
    uint up, down; /* of a lane's two neighbouring pairs: the nearer one's value above the middle, the farther one's below */
} unit;

/* A lane's values of its unit at two neighbouring pairs, `beyond` values farther from the middle than its first ones. */
INLINE void put_two(const unit *of, const complex_t *above, const complex_t *below, const uint beyond, const uint values,
                    const ulong apart)
{
    const uint up = of->up + beyond, down = of->down - beyond;
    if (of->plain && of->inside) {
        float4 high, low;
        high.x = above[0].x;
        high.y = above[0].y;
        high.z = above[1].x;
        high.w = above[1].y;
        low.x = below[1].x;
        low.y = below[1].y;
        low.z = below[0].x;
        low.w = below[0].y;
        if (up < values)
            *(GLOBAL float4 *)(of->to + up) = high;
        if (down < values)
            *(GLOBAL float4 *)(of->to + down) = low;
    } else if (of->inside) {
        for (uint side = 0; side < 2; side++) {
            put(of->to, below[side], down + 1 - side, values, apart, of->lifted);
            put(of->to, above[side], up + side, values, apart, of->lifted);
        }
    }
}
