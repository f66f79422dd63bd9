/*
 * The way of a work-item's copies through the times of the input, for kernels that copy stages of T_STAGE spectra, every
 * TIME_STEP-th of them by one work-item.
 *
 * The including kernel defines T_STAGE. Parameter:
 *   BLOCK_TIMES  times of an input that lie together: 1: [time][channel][input]; 0: all, [channel][input][time];
 *                T: [channel][time/T][input][T], of which T_STAGE is a multiple or that is a multiple of T_STAGE; likewise TIME_STEP (1)
 */
#ifndef BLOCK_TIMES
#define BLOCK_TIMES 1
#endif

/* Samples from the beginning of a block to one of the times behind. The sum of two results is that of the sum of the times
 * where the first time is less than TIME_STEP and the other a multiple of it. */
INLINE ulong time_offset(const ulong time, const ulong run_stride)
{
#if BLOCK_TIMES == 0
    (void)run_stride;
    return time;
#else
    return time / BLOCK_TIMES * run_stride + time % BLOCK_TIMES;
#endif
}

/* Samples from a stage to the next; *within: the stage's first time in its block. */
INLINE ulong stage_offset(uint *within, const ulong run_stride)
{
#if BLOCK_TIMES > T_STAGE
    *within += T_STAGE;
    if (*within < BLOCK_TIMES)
        return T_STAGE;
    *within = 0;
    return run_stride - (BLOCK_TIMES - T_STAGE);
#else
    (void)within;
    return time_offset(T_STAGE, run_stride);
#endif
}
