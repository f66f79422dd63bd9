/*
 * Transforms of a few points in registers, of the channel DFT's variant "pruned": POINTS (8, 10, 12 or 16) complex numbers re[], im[]
 * in place, output k at OUTPUT_AT(k). With POINTS = B C, point b + B j: C-point transforms over j, a turn, B-point ones over b.
 * All indices are constants once loops are unrolled. Included by dft_pruned.cl behind dft_phase.cl.
 */
#ifdef POINTS

#define SUM_DIFFERENCE(a, b)                                                                                                   \
    do {                                                                                                                       \
        const real keep_re = re[a], keep_im = im[a];                                                                           \
        re[a] = keep_re + re[b];                                                                                               \
        im[a] = keep_im + im[b];                                                                                               \
        re[b] = keep_re - re[b];                                                                                               \
        im[b] = keep_im - im[b];                                                                                               \
    } while (0)

/* Four points: a, b, c, d become the outputs 0, 2, 1, 3. */
#define FOUR(a, b, c, d)                                                                                                       \
    do {                                                                                                                       \
        SUM_DIFFERENCE(a, c);                                                                                                  \
        SUM_DIFFERENCE(b, d);                                                                                                  \
        SUM_DIFFERENCE(a, b);                                                                                                  \
        const real turned_re = im[d], turned_im = -re[d]; /* times -i */                                                       \
        re[d] = re[c] - turned_re;                                                                                             \
        im[d] = im[c] - turned_im;                                                                                             \
        re[c] += turned_re;                                                                                                    \
        im[c] += turned_im;                                                                                                    \
    } while (0)

/* Times cosine - i sine. */
#define TURN(a, cosine, sine)                                                                                                  \
    do {                                                                                                                       \
        const real before = re[a];                                                                                             \
        re[a] = RFMA(im[a], sine, before * (cosine));                                                                          \
        im[a] = RFMA(im[a], cosine, -before * (sine));                                                                         \
    } while (0)

/* Times -i. */
#define QUARTER(a)                                                                                                             \
    do {                                                                                                                       \
        const real before = re[a];                                                                                             \
        re[a] = im[a];                                                                                                         \
        im[a] = -before;                                                                                                       \
    } while (0)

#define C2 REAL(0.70710678118654752440) /* of an eighth of a turn */

#if POINTS == 16

#define C1 REAL(0.92387953251128675613)
#define S1 REAL(0.38268343236508977173)
#define OUTPUT_AT(k) ((((k) & 1) << 3) | (((k) & 2) << 1) | (((k) & 4) >> 1) | (((k) & 8) >> 3))

INLINE void transform_points(real *re, real *im)
{
    UNROLL
    for (uint b = 0; b < 4; b++)
        FOUR(b, b + 4, b + 8, b + 12);
    /* outputs c = 0, 2, 1, 3 of column b lie at b, b + 4, b + 8, b + 12: times exp(-2 pi i b c / 16) */
    TURN(5, C2, C2);
    QUARTER(6);
    TURN(7, -C2, C2);
    TURN(9, C1, S1);
    TURN(10, C2, C2);
    TURN(11, S1, C1);
    TURN(13, S1, C1);
    TURN(14, -C2, C2);
    TURN(15, -C1, -S1);
    UNROLL
    for (uint c = 0; c < 16; c += 4)
        FOUR(c, c + 1, c + 2, c + 3);
}

#elif POINTS == 12

#define SIXTH REAL(0.86602540378443864676) /* sine of a sixth of a turn */
#define HALF_ONE REAL(0.5)
/* outputs c = 0, 2, 1, 3 of the four-point transforms begin rows of three */
#define OUTPUT_AT(k) (((k) & 1) * 6 + ((k) >> 1 & 1) * 3 + ((k) >> 2))

/* Three points, a the first: they become the outputs 0, 1, 2. */
#define THREE(a)                                                                                                               \
    do {                                                                                                                       \
        const real sum_re = re[(a) + 1] + re[(a) + 2], sum_im = im[(a) + 1] + im[(a) + 2];                                      \
        const real s_re = (re[(a) + 1] - re[(a) + 2]) * SIXTH, s_im = (im[(a) + 1] - im[(a) + 2]) * SIXTH;                      \
        const real m_re = RFMA(sum_re, -HALF_ONE, re[a]), m_im = RFMA(sum_im, -HALF_ONE, im[a]);                               \
        re[a] += sum_re;                                                                                                       \
        im[a] += sum_im;                                                                                                       \
        re[(a) + 1] = m_re + s_im;                                                                                             \
        im[(a) + 1] = m_im - s_re;                                                                                             \
        re[(a) + 2] = m_re - s_im;                                                                                             \
        im[(a) + 2] = m_im + s_re;                                                                                             \
    } while (0)

INLINE void transform_points(real *re, real *im)
{
    UNROLL
    for (uint b = 0; b < 3; b++)
        FOUR(b, b + 3, b + 6, b + 9);
    /* times exp(-2 pi i b c / 12), c = 2, 1, 3 in the rows at 3, 6, 9 */
    TURN(4, HALF_ONE, SIXTH);
    TURN(5, -HALF_ONE, SIXTH);
    TURN(7, SIXTH, HALF_ONE);
    TURN(8, HALF_ONE, SIXTH);
    QUARTER(10);
    re[11] = -re[11];
    im[11] = -im[11];
    THREE(0);
    THREE(3);
    THREE(6);
    THREE(9);
}

#elif POINTS == 10

#define C_FIFTH REAL(0.30901699437494742410) /* cosine of a fifth of a turn, of two; sines */
#define C_FIFTHS REAL(-0.80901699437494742410)
#define S_FIFTH REAL(0.95105651629515357212)
#define S_FIFTHS REAL(0.58778525229247312917)
#define OUTPUT_AT(k) (((k) & 1) * 5 + ((k) >> 1))

/* Five points, a the first: they become the outputs 0 to 4. */
INLINE void five_points(real *re, real *im)
{
    SUM_DIFFERENCE(1, 4);
    SUM_DIFFERENCE(2, 3);
    const real a_re = RFMA(re[1], C_FIFTH, RFMA(re[2], C_FIFTHS, re[0])), a_im = RFMA(im[1], C_FIFTH, RFMA(im[2], C_FIFTHS, im[0]));
    const real b_re = RFMA(re[1], C_FIFTHS, RFMA(re[2], C_FIFTH, re[0])), b_im = RFMA(im[1], C_FIFTHS, RFMA(im[2], C_FIFTH, im[0]));
    const real s_re = RFMA(re[4], S_FIFTH, re[3] * S_FIFTHS), s_im = RFMA(im[4], S_FIFTH, im[3] * S_FIFTHS);
    const real t_re = RFMA(re[4], S_FIFTHS, -re[3] * S_FIFTH), t_im = RFMA(im[4], S_FIFTHS, -im[3] * S_FIFTH);
    re[0] += re[1] + re[2];
    im[0] += im[1] + im[2];
    re[1] = a_re + s_im;
    im[1] = a_im - s_re;
    re[4] = a_re - s_im;
    im[4] = a_im + s_re;
    re[2] = b_re + t_im;
    im[2] = b_im - t_re;
    re[3] = b_re - t_im;
    im[3] = b_im + t_re;
}

INLINE void transform_points(real *re, real *im)
{
    UNROLL
    for (uint b = 0; b < 5; b++)
        SUM_DIFFERENCE(b, b + 5);
    /* times exp(-2 pi i b / 10) */
    TURN(6, -C_FIFTHS, S_FIFTHS);
    TURN(7, C_FIFTH, S_FIFTH);
    TURN(8, -C_FIFTH, S_FIFTH);
    TURN(9, C_FIFTHS, S_FIFTHS);
    five_points(re, im);
    five_points(re + 5, im + 5);
}

#else /* 8 */

#define OUTPUT_AT(k) ((((k) & 1) << 2) | ((k) & 2) | (((k) & 4) >> 2))

INLINE void transform_points(real *re, real *im)
{
    FOUR(0, 2, 4, 6);
    FOUR(1, 3, 5, 7);
    QUARTER(3);
    TURN(5, C2, C2);
    TURN(7, -C2, C2);
    UNROLL
    for (uint c = 0; c < 8; c += 2)
        SUM_DIFFERENCE(c, c + 1);
}

#endif
#endif
