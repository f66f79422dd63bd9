/*
 * The type and the orders of visibilities. OUTPUT: their clradio_type: 1 cf32, 2 cf64, 4 ci32, 5 ci64.
 */
#ifndef XENGINE_ORDERS
#define XENGINE_ORDERS
#include "common.cl"

#ifndef OUTPUT
#define OUTPUT 5
#endif

#if OUTPUT == 1
typedef float out_t;
#elif OUTPUT == 2
typedef double out_t;
#elif OUTPUT == 4
typedef int out_t;
#else
typedef dlong out_t;
#endif

/* clradio_order */
#define ORDER_BASELINE 0
#define ORDER_TRANSPOSED 1
#define ORDER_FULL 2
#define ORDER_TRIANGULAR 3 /* the same as 0 */
#define ORDER_REAL_IMAG 4
#define ORDER_REGISTER_TILE 5

#endif
