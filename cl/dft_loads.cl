/*
 * Complex numbers as the channel DFT loads and stages them together: TOGETHER of them in a load_t, and LOADS of those in a row of TAPS. Included by
 * dft_fold.cl and dft_pruned_taps.cl.
 *
 * LOAD_ALONE   1: one by one, where a work-item has no more of them; 0: two in single precision
 */
#if REAL64 || LOAD_ALONE
typedef complex_t load_t;
#define TOGETHER 1
#else
typedef float4 load_t;
#define TOGETHER 2
#endif
#define LOADS (TAPS / TOGETHER)
