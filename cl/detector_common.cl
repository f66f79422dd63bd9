/*
 * What the detector's kernels share: the arithmetic they are built for, the layout of the work arrays between them, and
 * the writing of a vector's answer. Not a kernel by itself.
 *
 * Host macros:
 *   DOUBLE    1: the arithmetic is double (0)
 *   TX, RX    streams and receive antennas (4, 4)
 *   LEVELS    columns of the real-valued model: 2 a stream, 1 for a real alphabet (8)
 *   POINTS    points of every axis, or 0: they differ, and are read from the model (4)
 *   BITS      of a vector (16)
 *   UNROLLED  1: loops over small matrices are unrolled (1)
 *   COLUMNS   1: a lane has no more than a column of the matrix, of detector_prepare.cl (0)
 *   SYMBOL_BYTES  of a label in the output, 1 or 2 (1)
 *   CTA_SIZE  work-items of a work-group (64)
 *
 * The model is an array of MODEL_WORDS floats a column: stream, axis, points, factor re, factor im, energy, the place of
 * the axis' first bit among the bits of a vector, and the distance of its bits there (negative: last bit first),
 * then what the factors' floats lack of their doubles, re and im, in two floats each.
 *
 * Work arrays are structures of arrays: word w of item i is at [w * stride + i]. A channel's: the triangle R by rows from
 * the diagonal on, what column each level is (6 to a word, 5 bits each), the scale that the channel was multiplied by,
 * |H| |longest s|; then, for channels that several vectors share, the first LEVELS rows of Q^T by rows. A vector's: Q^T y,
 * the first radius, the bound on rounding, the rest of |y|^2, N0.
 */
#include "common.cl"

#ifndef DOUBLE
#define DOUBLE 0
#endif
#ifndef TX
#define TX 4
#endif
#ifndef RX
#define RX 4
#endif
#ifndef LEVELS
#define LEVELS 8
#endif
#ifndef POINTS
#define POINTS 4
#endif
#ifndef BITS
#define BITS 16
#endif
#ifndef UNROLLED
#define UNROLLED 1
#endif
#ifndef COLUMNS
#define COLUMNS 0
#endif
#ifndef SYMBOL_BYTES
#define SYMBOL_BYTES 1
#endif
#ifndef CTA_SIZE
#define CTA_SIZE 64
#endif

#if DOUBLE
typedef double real;
#define UNIT_ROUNDOFF 1.1102230246251565e-16
#else
typedef float real;
#define UNIT_ROUNDOFF 5.9604645e-8f
#endif
#if HAVE_FP64
typedef double wide;
#else
typedef float wide;
#endif

#if defined(CLR_CUDA)
#define LARGE __int_as_float(0x7f800000)
#else
#define LARGE INFINITY
#endif

#define ROWS (2 * RX)
#define TRIANGLE (LEVELS * (LEVELS + 1) / 2)
#define ORDER_WORDS ((LEVELS + 5) / 6)
/* the place of R[i][j], j >= i */
#define R_AT(i, j) ((i) * LEVELS - (i) * ((i) - 1) / 2 + (j) - (i))

/* words of a channel's work */
#define CHANNEL_ORDER TRIANGLE
#define CHANNEL_SCALE (TRIANGLE + ORDER_WORDS)
#define CHANNEL_LENGTH (CHANNEL_SCALE + 1)
#define CHANNEL_Q (CHANNEL_LENGTH + 1)
/* words of a vector's work */
#define VECTOR_RADIUS LEVELS
#define VECTOR_ERROR (LEVELS + 1)
#define VECTOR_REST (LEVELS + 2)
#define VECTOR_NOISE (LEVELS + 3)

#define MODEL_WORDS 12
#define MODEL_STREAM(c) ((uint)model[(c) * MODEL_WORDS])
#define MODEL_AXIS(c) ((uint)model[(c) * MODEL_WORDS + 1])
/* A column's factor, part 0 real, 1 imaginary. In double it is the double that the alphabet is defined by: rounded to float it
 * would move metrics by more than the margins that are decided in double. */
#if DOUBLE
#define MODEL_FACTOR(c, part)                                                                                          \
    ((real)model[(c) * MODEL_WORDS + 3 + (part)] + ((real)model[(c) * MODEL_WORDS + 8 + (part)] +                      \
                                                    (real)model[(c) * MODEL_WORDS + 10 + (part)]))
#else
#define MODEL_FACTOR(c, part) model[(c) * MODEL_WORDS + 3 + (part)]
#endif
#define MODEL_ENERGY(c) model[(c) * MODEL_WORDS + 5]
#define MODEL_FIRST_BIT(c) ((int)model[(c) * MODEL_WORDS + 6])
#define MODEL_BIT_STEP(c) ((int)model[(c) * MODEL_WORDS + 7])
#if POINTS
#define POINTS_OF(c) POINTS
#else
#define POINTS_OF(c) ((int)model[(c) * MODEL_WORDS + 2])
#endif

/* Norms so near to one another count as equal when columns are sorted (the two of a stream are, but for rounding), so
 * that every arithmetic goes the same way: the first wins. */
#define SORT_TIE (real)0.99999

/* clradio_detected */
#define EXACT 0
#define BUDGET 1
#define THIN 2
#define METHOD 3
#define INVALID 4

/* Loops over small matrices are unrolled, so that private arrays become registers. */
#if UNROLLED && ((LEVELS <= 8 && RX <= 8) || COLUMNS)
#define UNROLL_SMALL UNROLL
#define IS_UNROLLED 1
#else
#define UNROLL_SMALL
#define IS_UNROLLED 0
#endif
/* The bounds of a loop over a part of LEVELS, whose body looks whether it is in that part. A loop that is unrolled gets constant
 * ones: those of a loop within a loop, constant only after the outer one is unrolled, come too late for clang's OpenCL, which
 * then leaves the arrays in private memory. */
#define PART_BEGIN(first) (IS_UNROLLED ? 0 : (first))
#define PART_END(end) (IS_UNROLLED ? LEVELS : (end))

/* The outputs of a kernel. A null base: not wanted. */
#define OUTPUTS                                                                                                        \
    SPAN(uchar, symbols), SPAN(uchar, bits), SPAN(float, metric), SPAN(uchar, status), SPAN(uint, nodes)

/* The bound on rounding, in units of the arithmetic's roundoff times |y| + |H| |longest s|: |sqrt(computed metric) -
 * sqrt(true metric)| stays below it. Random channels of all sizes reach a fifth of it at most (doc/detector.md). */
#define ROUNDINGS (8 + 2 * (RX + TX))

/* What of two metrics must differ to be told apart, the smaller one given: |sqrt(computed) - sqrt(true)| <= error. */
INLINE real slack_of(real smaller, real rest, real error)
{
    return 4 * error * (sqrt(smaller + rest) + error);
}

/* The label of an axis from its index: a Gray code from the largest point down, all bits but the first inverted. */
INLINE uint axis_label(uint points, uint index)
{
    const uint down = points - 1 - index;
    return (down ^ (down >> 1)) ^ (points / 2 - 1);
}

INLINE uint axis_index(uint points, uint label)
{
    uint gray = label ^ (points / 2 - 1);
    gray ^= gray >> 4;
    gray ^= gray >> 2;
    gray ^= gray >> 1;
    return points - 1 - gray;
}

/* Bits 0, 1, 2, ... to places 0, 2, 4, ... */
INLINE uint spread(uint x)
{
    x = (x | x << 4) & 0x10f;
    x = (x | x << 2) & 0x133;
    return (x | x << 1) & 0x155;
}

INLINE uint log2_of(uint points)
{
    uint bits = 0;
    while (points > 1u << bits)
        bits++;
    return bits;
}
