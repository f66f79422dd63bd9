/*
 * The fragments of AMD's matrix units, emulated: cl/amd_fragments.cl says which words a lane loads
 * and which sums it holds; here each instruction is made from AMD's documents alone, as registers
 * of lanes in and registers of lanes out, and the two must fit together to a product of matrices.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 16, MOST_K = 32, MOST_LANES = 64 };

/* What a wave's registers hold. */
typedef struct registers {
    int lanes, words, sums, k;
    uint32_t a[MOST_LANES][4], b[MOST_LANES][4];
    int32_t d[MOST_LANES][8];
} registers;

static int byte_of(uint32_t word, int n)
{
    return (int8_t)(word >> 8 * n);
}

/* v_mfma_i32_16x16x16_i8 and (words = 2) v_mfma_i32_16x16x32_i8: lane l gives, in order, the 4
 * words k of row or column l mod 16 that begin at k = 4 words (l / 16); it takes rows 4 (l / 16) ..
 * + 3 of column l mod 16. */
static void mfma(registers *r)
{
    for (int lane = 0; lane < 64; lane++)
        for (int v = 0; v < 4; v++) {
            const int row = 4 * (lane / 16) + v, column = lane % 16;
            for (int k = 0; k < r->k; k++) {
                const int of_lane = 4 * r->words, source = k / of_lane * 16, within = k % of_lane;
                r->d[lane][v] += byte_of(r->a[source + row][within / 4], within % 4) *
                                 byte_of(r->b[source + column][within / 4], within % 4);
            }
        }
}

/* v_wmma_i32_16x16x16_iu8 in a wave of 32: lanes l and l + 16 both give all 16 k of row or column
 * l; register v of lane l takes row 2 v + l / 16 of column l mod 16. The instruction reads rows
 * from both halves, which must agree. */
static void wmma(registers *r)
{
    for (int lane = 0; lane < 32; lane++)
        for (int v = 0; v < 8; v++) {
            const int row = 2 * v + lane / 16, column = lane % 16;
            assert_memory_equal(r->a[row], r->a[row + 16], sizeof r->a[row]);
            assert_memory_equal(r->b[column], r->b[column + 16], sizeof r->b[column]);
            for (int k = 0; k < 16; k++)
                r->d[lane][v] +=
                    byte_of(r->a[row][k / 4], k % 4) * byte_of(r->b[column][k / 4], k % 4);
        }
}

/* The kernel's map with macros of cl/amd_fragments.cl, as functions of one WAVE and FRAGMENT_WORDS.
 */
typedef struct map {
    int (*line)(int lane), (*quad)(int lane, int word), (*row)(int lane, int v),
        (*column)(int lane);
    int words, sums, quads;
} map;

#define MAP(name)                                                                                  \
    static int name##_line(int lane)                                                               \
    {                                                                                              \
        return FRAGMENT_LINE(lane);                                                                \
    }                                                                                              \
    static int name##_quad(int lane, int w)                                                        \
    {                                                                                              \
        (void)lane, (void)w;                                                                       \
        return FRAGMENT_QUAD(lane, w);                                                             \
    }                                                                                              \
    static int name##_row(int lane, int v)                                                         \
    {                                                                                              \
        return FRAGMENT_ROW(lane, v);                                                              \
    }                                                                                              \
    static int name##_column(int lane)                                                             \
    {                                                                                              \
        return FRAGMENT_COLUMN(lane);                                                              \
    }                                                                                              \
    static const map name##_map = { name##_line,    name##_quad,   name##_row,    name##_column,   \
                                    FRAGMENT_WORDS, FRAGMENT_SUMS, FRAGMENT_QUADS }

#define WAVE 64
#include "../cl/amd_fragments.cl"
MAP(cdna);
#undef FRAGMENT_WORDS
#define FRAGMENT_WORDS 2
MAP(cdna_3);
#undef WAVE
#undef FRAGMENT_WORDS
#define WAVE 32
#define FRAGMENT_WORDS 4
MAP(rdna_3);

/* Random bytes, -128 among them, through lanes and back: D[i][j] = sum over k of A[i][k] B[j][k].
 */
static void expect_product(const map *map, int lanes, void (*instruction)(registers *r))
{
    int8_t a[LINES][MOST_K], b[LINES][MOST_K];
    uint64_t seed = 20261130;
    registers r = { .lanes = lanes, .words = map->words, .sums = map->sums, .k = 4 * map->quads };
    for (int i = 0; i < LINES; i++)
        for (int k = 0; k < r.k; k++) {
            a[i][k] = (int8_t)test_random_between(&seed, -128, 127);
            b[i][k] = k % 5 ? (int8_t)test_random_between(&seed, -128, 127) : -128;
        }
    for (int lane = 0; lane < lanes; lane++)
        for (int w = 0; w < map->words; w++) {
            memcpy(&r.a[lane][w], &a[map->line(lane)][4 * map->quad(lane, w)], 4);
            memcpy(&r.b[lane][w], &b[map->line(lane)][4 * map->quad(lane, w)], 4);
        }
    instruction(&r);
    int seen[LINES][LINES] = { { 0 } };
    for (int lane = 0; lane < lanes; lane++)
        for (int v = 0; v < map->sums; v++) {
            const int i = map->row(lane, v), j = map->column(lane);
            int expected = 0;
            for (int k = 0; k < r.k; k++)
                expected += a[i][k] * b[j][k];
            assert_int_equal(r.d[lane][v], expected);
            seen[i][j]++;
        }
    for (int i = 0; i < LINES; i++)
        for (int j = 0; j < LINES; j++)
            assert_int_equal(seen[i][j], 1);
}

static void cdna_fragments_make_a_product(void **state)
{
    (void)state;
    expect_product(&cdna_map, 64, mfma);
}

static void cdna_3_fragments_make_a_product_of_twice_the_spectra(void **state)
{
    (void)state;
    expect_product(&cdna_3_map, 64, mfma);
}

static void rdna_3_fragments_make_a_product(void **state)
{
    (void)state;
    expect_product(&rdna_3_map, 32, wmma);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(cdna_fragments_make_a_product),
        cmocka_unit_test(cdna_3_fragments_make_a_product_of_twice_the_spectra),
        cmocka_unit_test(rdna_3_fragments_make_a_product),
    };
    return cmocka_run_group_tests_name("amd_fragments", tests, NULL, NULL);
}
