/*
 * The random numbers of the Monte-Carlo engine on the host: published answers of Philox4x32-10, the
 * accuracy of the Gaussian transform against long double, its distribution. The kernels' equality
 * with it, bit for bit, is in test_montecarlo.
 */
#include "support.h"

#include "engine/montecarlo_random.h"

#include <math.h>
#include <stdlib.h>

/* The rows "philox4x32 10" of Random123's tests/kat_vectors: counter, key, answer. */
static const uint32_t known[3][10] = {
    { 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x6627e8d5,
      0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 },
    { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
      0x41c83b0e, 0xa20bc7c6, 0x6d5451fd },
    { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
      0x94fdcceb, 0x5001e420, 0x24126ea1 },
};

static void philox_gives_the_published_answers(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const uint32_t *k = known[i];
        const random_words counter = { k[0], k[1], k[2], k[3] };
        const random_words words = random_philox(counter, k[4], k[5]);
        assert_int_equal(words.w0, k[6]);
        assert_int_equal(words.w1, k[7]);
        assert_int_equal(words.w2, k[8]);
        assert_int_equal(words.w3, k[9]);
    }
}

/* Counter and key as random_draw lays them out. */
static void a_draw_is_philox_of_vector_point_purpose_and_block(void **state)
{
    (void)state;
    const random_stream stream = { 0xa4093822, 0x299f31d0, 0x13198a2e, 0x243f6a88, 0x85a308d3 };
    const random_words words = random_draw(stream, 0x03, 0x707344);
    assert_int_equal(words.w0, known[2][6]);
    assert_int_equal(words.w3, known[2][9]);
}

/* ---- accuracy ---- */

static double units_of(float got, long double right)
{
    int exponent;
    frexpl(right, &exponent);
    return (double)(fabsl((long double)got - right) / ldexpl(1.0L, exponent - 24));
}

static void the_logarithm_is_within_three_units_in_the_last_place(void **state)
{
    (void)state;
    uint64_t seed = 1;
    double worst = 0.0;
    for (int i = 0; i < 400000; i++) {
        uint32_t word = (uint32_t)test_random(&seed) | 1u, zeros = 0;
        if (i % 4 == 1) /* close to 1, where the logarithm is close to 0 */
            word = ~(word >> (i / 4 % 30)) | 1u;
        if (i % 4 == 2) /* small */
            word = (word >> (i / 4 % 30)) | 1u;
        uint32_t top = word;
        for (; !(top & 0x80000000u); top <<= 1)
            zeros++;
        long double right = -logl((long double)word * 0x1p-32L);
        worst = fmax(worst, units_of(random_minus_log(top, zeros), right));
    }
    print_message("# -ln u: %.2f units in the last place\n", worst);
    assert_true(worst < 3.0);
}

static void the_root_is_within_three_units_in_the_last_place(void **state)
{
    (void)state;
    double worst = 0.0;
    float x = 0x1p-33f;
    for (int i = 0; i < 268000; i++) { /* up to 50 */
        worst = fmax(worst, units_of(random_root(x), sqrtl((long double)x)));
        x *= 1.0001f;
    }
    print_message("# sqrt: %.2f units in the last place\n", worst);
    assert_true(worst < 3.0);
}

static void the_unit_circle_is_right_to_a_few_parts_in_ten_million(void **state)
{
    (void)state;
    uint64_t seed = 2;
    double worst = 0.0;
    for (int i = 0; i < 400000; i++) {
        uint32_t turn = (uint32_t)test_random(&seed);
        if (i % 3 == 0) /* close to the axes and the diagonals */
            turn = (uint32_t)(i / 3 % 8) * 0x20000000u + (turn % 2001u - 1000u);
        long double angle = 2.0L * acosl(-1.0L) * (long double)turn * 0x1p-32L;
        random_complex unit = random_unit(turn);
        worst = fmax(worst, (double)fabsl((long double)unit.re - cosl(angle)));
        worst = fmax(worst, (double)fabsl((long double)unit.im - sinl(angle)));
    }
    print_message("# exp(2 pi i turn): %.2g\n", worst);
    assert_true(worst < 2e-7);
}

/* With the 12 upper bits of the radius word 0, the finer word continues u without a jump: u of the
 * first word, and u of both, differ by less than one step of the first. */
static void large_radii_are_drawn_finer(void **state)
{
    (void)state;
    const random_stream stream = { 5, 6, 7, 8, 9 };
    double largest = 0.0;
    for (uint32_t word = 0; word < 1u << 20; word += word < 4096 ? 1 : 997) {
        const random_complex g = random_gaussian(stream, RANDOM_NOISE, 3, word & 1, word, 0);
        const random_words more = random_draw(stream, RANDOM_NOISE | RANDOM_FINER, 3);
        const uint32_t low = (word & 1 ? more.w2 : more.w0) | 1u;
        const long double u = ((long double)(word >> 1) * 0x1p32L + low) * 0x1p-63L;
        assert_true(units_of(g.re, sqrtl(-logl(u))) < 4.0);
        assert_true(g.im == 0.0f); /* angle 0 */
        largest = fmax(largest, (double)g.re);
    }
    assert_true(largest > 4.7); /* beyond sqrt(32 ln 2) = 4.71: what 32 bits alone reach */
}

/* ---- distribution ---- */

enum { DRAWS = 1 << 21 };

static random_complex draw(uint64_t seed, uint32_t n)
{
    const random_stream stream = { (uint32_t)seed, (uint32_t)(seed >> 32), 0, n / 64, 0 };
    const uint32_t block = n / 2 % 32, half = n % 2;
    const random_words words = random_draw(stream, RANDOM_CHANNEL, block);
    return random_gaussian(stream, RANDOM_CHANNEL, block, half, half ? words.w2 : words.w0,
                           half ? words.w3 : words.w1);
}

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Of a CN(0, 1) part with variance 1/2, E x^2 = 1/2, E x^4 = 3/4, E x^6 = 15/8, and |g|^2 is
 * exponential. Means of n draws lie within 5 standard errors, sd of x^2k from E x^4k. */
static void moments_are_those_of_the_normal_distribution(void **state)
{
    (void)state;
    double sum = 0, s2 = 0, s4 = 0, s6 = 0, cross = 0, power2 = 0;
    for (uint32_t n = 0; n < DRAWS; n++) {
        const random_complex g = draw(20250101, n);
        const double parts[2] = { (double)g.re, (double)g.im };
        for (int i = 0; i < 2; i++) {
            const double q = parts[i] * parts[i];
            sum += parts[i];
            s2 += q;
            s4 += q * q;
            s6 += q * q * q;
        }
        cross += parts[0] * parts[1];
        const double power = parts[0] * parts[0] + parts[1] * parts[1];
        power2 += power * power;
    }
    const double n = 2.0 * DRAWS, root = sqrt(n);
    assert_true(fabs(sum / n) < 5 * sqrt(0.5) / root);
    assert_true(fabs(s2 / n - 0.5) < 5 * sqrt(0.75 - 0.25) / root);
    assert_true(fabs(s4 / n - 0.75) < 5 * sqrt(105.0 / 16 - 9.0 / 16) / root);
    assert_true(fabs(s6 / n - 1.875) < 5 * sqrt(10395.0 / 64 - 225.0 / 64) / root);
    assert_true(fabs(cross / DRAWS) < 5 * 0.5 / sqrt(DRAWS));
    assert_true(fabs(power2 / DRAWS - 2.0) < 5 * sqrt(24.0 - 4.0) / sqrt(DRAWS));
}

/* Kolmogorov and Smirnov: sqrt(n) D < 1.95 holds in 99.9 % of all cases. */
static void parts_and_powers_pass_kolmogorov_and_smirnov(void **state)
{
    (void)state;
    float *values[3];
    for (int i = 0; i < 3; i++) {
        values[i] = malloc(DRAWS * sizeof(float));
        assert_non_null(values[i]);
    }
    for (uint32_t n = 0; n < DRAWS; n++) {
        const random_complex g = draw(77, n);
        values[0][n] = g.re;
        values[1][n] = g.im;
        values[2][n] = g.re * g.re + g.im * g.im;
    }
    for (int i = 0; i < 3; i++) {
        double distance = 0.0;
        qsort(values[i], DRAWS, sizeof(float), by_value);
        for (uint32_t n = 0; n < DRAWS; n++) {
            const double x = (double)values[i][n];
            const double below = i < 2 ? 0.5 * erfc(-x) : 1.0 - exp(-x);
            distance = fmax(distance, fabs(below - (n + 0.5) / DRAWS) + 0.5 / DRAWS);
        }
        print_message("# %s: sqrt(n) D = %.3f\n",
                      i == 0   ? "re"
                      : i == 1 ? "im"
                               : "power",
                      distance * sqrt(DRAWS));
        assert_true(distance * sqrt(DRAWS) < 1.95);
        free(values[i]);
    }
}

/* P(|g|^2 > t) = exp(-t): counts within 5 standard deviations of Poisson's. */
static void tails_and_deep_fades_are_as_frequent_as_they_should_be(void **state)
{
    (void)state;
    static const double thresholds[] = { 4, 8, 10, 11, 12 };
    static const double fades[] = { 1e-1, 1e-2, 1e-3, 1e-4, 1e-5 };
    double above[5] = { 0 }, below[5] = { 0 };
    for (uint32_t n = 0; n < DRAWS; n++) {
        const random_complex g = draw(3, n);
        const double power = (double)g.re * (double)g.re + (double)g.im * (double)g.im;
        for (int i = 0; i < 5; i++) {
            above[i] += power > thresholds[i];
            below[i] += power < fades[i];
        }
    }
    for (int i = 0; i < 5; i++) {
        const double expected = DRAWS * exp(-thresholds[i]), deep = -DRAWS * expm1(-fades[i]);
        assert_true(fabs(above[i] - expected) < 5 * sqrt(expected));
        assert_true(fabs(below[i] - deep) < 5 * sqrt(deep));
    }
}

/* Neighbouring vectors, blocks, points and purposes: correlation of n pairs below 5/sqrt(n). */
static void neighbouring_streams_are_not_correlated(void **state)
{
    (void)state;
    enum { PAIRS = 200000 };
    double sums[4] = { 0 };
    for (uint32_t n = 0; n < PAIRS; n++) {
        random_complex g[5];
        for (uint32_t i = 0; i < 5; i++) {
            const random_stream stream = { 9, 0, i == 2, n + (i == 1), 0 };
            const uint32_t purpose = i == 3 ? RANDOM_NOISE : RANDOM_CHANNEL, block = i == 4;
            const random_words words = random_draw(stream, purpose, block);
            g[i] = random_gaussian(stream, purpose, block, 0, words.w0, words.w1);
        }
        for (int i = 0; i < 4; i++)
            sums[i] +=
                (double)g[0].re * (double)g[i + 1].re + (double)g[0].im * (double)g[i + 1].im;
    }
    for (int i = 0; i < 4; i++)
        assert_true(fabs(sums[i] / PAIRS) < 5 * sqrt(0.5 / PAIRS));
}

static void whole_numbers_below_n_are_uniform(void **state)
{
    (void)state;
    int seen[7] = { 0 };
    const random_stream stream = { 1, 2, 3, 0, 0 };
    for (uint32_t block = 0; block < 70000; block++)
        seen[random_below(7, random_draw(stream, RANDOM_CARRIER, block).w0)]++;
    for (int i = 0; i < 7; i++) /* 10,000 expected, sd 93 */
        assert_true(abs(seen[i] - 10000) < 5 * 93);
    assert_int_equal(random_below(1, 0xffffffffu), 0);
    assert_int_equal(random_below(65536, 0xffffffffu), 65535);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_answers),
        cmocka_unit_test(a_draw_is_philox_of_vector_point_purpose_and_block),
        cmocka_unit_test(the_logarithm_is_within_three_units_in_the_last_place),
        cmocka_unit_test(the_root_is_within_three_units_in_the_last_place),
        cmocka_unit_test(the_unit_circle_is_right_to_a_few_parts_in_ten_million),
        cmocka_unit_test(large_radii_are_drawn_finer),
        cmocka_unit_test(moments_are_those_of_the_normal_distribution),
        cmocka_unit_test(parts_and_powers_pass_kolmogorov_and_smirnov),
        cmocka_unit_test(tails_and_deep_fades_are_as_frequent_as_they_should_be),
        cmocka_unit_test(neighbouring_streams_are_not_correlated),
        cmocka_unit_test(whole_numbers_below_n_are_uniform),
    };
    return cmocka_run_group_tests_name("montecarlo_random", tests, NULL, NULL);
}
