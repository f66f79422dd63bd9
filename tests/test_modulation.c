/* Alphabets: the labels and points of 3GPP TS 38.211, clause 5.1, names, Gray property. */
#include "support.h"

#include "engine/modulation.h"

#include <math.h>

static const clradio_modulation all[] = { CLRADIO_BPSK,  CLRADIO_QPSK,   CLRADIO_QAM16,
                                          CLRADIO_QAM64, CLRADIO_QAM256, CLRADIO_QAM1024,
                                          CLRADIO_PAM2,  CLRADIO_PAM4,   CLRADIO_PAM8,
                                          CLRADIO_PAM16, CLRADIO_PAM32 };
enum { ALL = sizeof all / sizeof *all };

static int bit(uint32_t label, uint32_t bits, uint32_t b)
{
    return 1 - 2 * (int)(label >> (bits - 1 - b) & 1);
}

/* The formulas of clauses 5.1.2 to 5.1.6 as they are written there, b(6i + 0) the first bit. */
static void points_are_those_of_the_standard(void **state)
{
    (void)state;
    double point[2];
    for (uint32_t n = 0; n < 2; n++) {
        assert_ok(clradio_modulation_point(CLRADIO_BPSK, n, 0, point));
        assert_float_equal(point[0], bit(n, 1, 0) / sqrt(2), 1e-12);
        assert_float_equal(point[1], bit(n, 1, 0) / sqrt(2), 1e-12);
    }
    for (uint32_t n = 0; n < 4; n++) {
        assert_ok(clradio_modulation_point(CLRADIO_QPSK, n, 0, point));
        assert_float_equal(point[0], bit(n, 2, 0) / sqrt(2), 1e-12);
        assert_float_equal(point[1], bit(n, 2, 1) / sqrt(2), 1e-12);
    }
    for (uint32_t n = 0; n < 16; n++) {
        assert_ok(clradio_modulation_point(CLRADIO_QAM16, n, 0, point));
        assert_float_equal(point[0], bit(n, 4, 0) * (2 - bit(n, 4, 2)) / sqrt(10), 1e-12);
        assert_float_equal(point[1], bit(n, 4, 1) * (2 - bit(n, 4, 3)) / sqrt(10), 1e-12);
    }
    for (uint32_t n = 0; n < 64; n++) {
        assert_ok(clradio_modulation_point(CLRADIO_QAM64, n, 0, point));
        assert_float_equal(
            point[0], bit(n, 6, 0) * (4 - bit(n, 6, 2) * (2 - bit(n, 6, 4))) / sqrt(42), 1e-12);
        assert_float_equal(
            point[1], bit(n, 6, 1) * (4 - bit(n, 6, 3) * (2 - bit(n, 6, 5))) / sqrt(42), 1e-12);
    }
    for (uint32_t n = 0; n < 256; n++) {
        assert_ok(clradio_modulation_point(CLRADIO_QAM256, n, 0, point));
        assert_float_equal(
            point[0],
            bit(n, 8, 0) * (8 - bit(n, 8, 2) * (4 - bit(n, 8, 4) * (2 - bit(n, 8, 6)))) / sqrt(170),
            1e-12);
    }
    for (uint32_t n = 0; n < 1024; n++) {
        assert_ok(clradio_modulation_point(CLRADIO_QAM1024, n, 0, point));
        assert_float_equal(
            point[1],
            bit(n, 10, 1) *
                (16 -
                 bit(n, 10, 3) * (8 - bit(n, 10, 5) * (4 - bit(n, 10, 7) * (2 - bit(n, 10, 9))))) /
                sqrt(682),
            1e-12);
    }
}

static void mean_energy_is_one_and_odd_integers_are_odd_integers(void **state)
{
    (void)state;
    for (int i = 0; i < ALL; i++) {
        const uint32_t points = 1u << clradio_modulation_bits(all[i]);
        double energy = 0, point[2];
        for (uint32_t label = 0; label < points; label++) {
            assert_ok(clradio_modulation_point(all[i], label, 0, point));
            energy += (point[0] * point[0] + point[1] * point[1]) / points;
            assert_ok(clradio_modulation_point(all[i], label, 1, point));
            assert_float_equal(fmod(fabs(point[0]), 2), 1, 1e-9);
            assert_float_equal(point[0], rint(point[0]), 1e-9);
        }
        assert_float_equal(energy, 1, 1e-12);
    }
}

/* Nearest neighbours on an axis differ in one bit; split and join are inverse to one another. */
static void labels_are_gray_and_axes_join_to_the_label(void **state)
{
    (void)state;
    for (uint32_t points = 2; points <= 32; points *= 2)
        for (uint32_t index = 0; index < points; index++) {
            const uint32_t label = clr_axis_label(points, index);
            assert_int_equal(clr_axis_index(points, label), index);
            if (index) {
                const uint32_t differ = label ^ clr_axis_label(points, index - 1);
                assert_true(differ && !(differ & (differ - 1)));
            }
        }
    for (int i = 0; i < ALL; i++)
        for (uint32_t label = 0; label >> clradio_modulation_bits(all[i]) == 0; label++) {
            uint32_t a, b;
            clr_modulation_split(all[i], label, &a, &b);
            assert_int_equal(clr_modulation_join(all[i], a, b), label);
        }
}

static void names_are_found_in_the_usual_spellings(void **state)
{
    (void)state;
    for (int i = 0; i < ALL; i++)
        assert_int_equal(clradio_modulation_from_name(clradio_modulation_name(all[i])), all[i]);
    static const struct {
        const char *name;
        clradio_modulation modulation;
    } spellings[] = {
        { "64", CLRADIO_QAM64 },
        { "64-QAM", CLRADIO_QAM64 },
        { "64qam", CLRADIO_QAM64 },
        { "QAM-64", CLRADIO_QAM64 },
        { "4qam", CLRADIO_QPSK },
        { "4", CLRADIO_QPSK },
        { "1024qam", CLRADIO_QAM1024 },
        { "alphabet", CLRADIO_ALPHABET },
        { "32", CLRADIO_MODULATION_NONE },
        { "", CLRADIO_MODULATION_NONE },
        { "6q4am", CLRADIO_MODULATION_NONE },
        { "-64", CLRADIO_MODULATION_NONE },
        { "64 qam", CLRADIO_MODULATION_NONE },
        { "64064064064064qam", CLRADIO_MODULATION_NONE },
    };
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        assert_int_equal(clradio_modulation_from_name(spellings[i].name), spellings[i].modulation);
    assert_int_equal(clradio_modulation_from_name(NULL), CLRADIO_MODULATION_NONE);
}

static void labels_beyond_the_alphabet_are_refused(void **state)
{
    (void)state;
    double point[2];
    assert_int_equal(clradio_modulation_point(CLRADIO_QAM16, 16, 0, point), CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_modulation_point(CLRADIO_ALPHABET, 0, 0, point),
                     CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_modulation_point((clradio_modulation)99, 0, 0, point),
                     CLRADIO_ERROR_ARGUMENT);
    assert_int_equal(clradio_modulation_point(CLRADIO_QAM16, 0, 0, NULL), CLRADIO_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_those_of_the_standard),
        cmocka_unit_test(mean_energy_is_one_and_odd_integers_are_odd_integers),
        cmocka_unit_test(labels_are_gray_and_axes_join_to_the_label),
        cmocka_unit_test(names_are_found_in_the_usual_spellings),
        cmocka_unit_test(labels_beyond_the_alphabet_are_refused),
    };
    return cmocka_run_group_tests_name("modulation", tests, NULL, NULL);
}
