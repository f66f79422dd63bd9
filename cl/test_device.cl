/*
 * Kernels of the tests of the device layer; no engine uses them. One work-item an element, count
 * elements (test_rounds apart); nothing in local memory, an element in registers.
 *
 * Host macros: those of common.cl. Parameter: STEP, what scale adds.
 */
#include "common.cl"

#ifndef STEP
#define STEP 1
#endif

/* output[i] = input[i] * factor + STEP */
KERNEL test_scale(SPAN(const uint, input), SPAN(uint, output), const ulong count, const uint factor)
{
    GLOBAL const uint *from = SPAN_AT(const uint, input);
    GLOBAL uint *to = SPAN_AT(uint, output);
    const ulong i = (ulong)GROUP_ID(0) * 64 + LOCAL_ID(0);
    if (i < count)
        to[i] = from[i] * factor + STEP;
}

/* As a plan of the pipeline does it: what is not valid becomes 0, output = input * 3 + STEP, and values above 1000 are
 * counted. */
KERNEL test_masked(SPAN(const uint, input), SPAN(const uchar, valid), SPAN(uint, output), SPAN(uint, overflow),
                   const ulong count)
{
    GLOBAL const uint *from = SPAN_AT(const uint, input);
    GLOBAL const uchar *mask = SPAN_AT(const uchar, valid);
    GLOBAL uint *to = SPAN_AT(uint, output);
    const ulong i = (ulong)GROUP_ID(0) * 64 + LOCAL_ID(0);
    if (i < count) {
        const uint value = valid_base && !mask[i] ? 0 : from[i];
        to[i] = value * 3 + STEP;
        if (overflow_base && value > 1000)
            ATOMIC_ADD(SPAN_AT(uint, overflow), 1u);
    }
}

/* Steps a generator from 1: so many rounds in one loop, then outer times inner in a loop of two. One work-item. */
KERNEL test_rounds(SPAN(uint, output), const uint plain, const uint outer, const uint inner)
{
    uint x = 1;
    for (uint k = 0; k < plain; k++)
        x = x * 1664525u + 1013904223u;
    for (uint k = 0; k < outer; k++)
        for (uint l = 0; l < inner; l++)
            x = x * 1664525u + 1013904223u;
    SPAN_AT(uint, output)[0] = x;
}
