/* X-engine: what the variant wgmma refuses, in which words, and where it is chosen unasked. */
#include "engine/xengine_wgmma.h"
#include "xengine_support.h"

#include <stdio.h>
#include <string.h>

static int has_instructions(clradio_device *device)
{
    return xengine_serves(device, "wgmma", CLRADIO_CI8);
}

static void expect_refused(clradio_device *device, clradio_type input, const char *parameters,
                           clradio_status status, const char *words)
{
    xengine_expect_refused(device, "wgmma", input, parameters, status, words);
}

static void what_it_cannot_do_is_said(void **state)
{
    clradio_device *device = device_under_test(state);
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    assert_ok(clradio_device_describe(device, &info));
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 T_STAGE=96", CLRADIO_ERROR_ARGUMENT,
                   "multiple of 64");
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 COLUMNS=96", CLRADIO_ERROR_ARGUMENT,
                   "divide COLUMNS");
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 PRODUCT=96 COLUMNS=96", CLRADIO_ERROR_ARGUMENT,
                   "PRODUCT must be 64 or 128");
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 WARPGROUPS=4 COLUMNS=128 RESIDENT=1",
                   CLRADIO_ERROR_ARGUMENT, "registers");
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 WARPGROUPS=4 COLUMNS=128",
                   CLRADIO_ERROR_ARGUMENT, "RESIDENT=1 leave 128");
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 WARPGROUPS=3 RESIDENT=2",
                   CLRADIO_ERROR_ARGUMENT, "leave 85");
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 WARPGROUPS=5", CLRADIO_ERROR_ARGUMENT,
                   "WARPGROUPS");
    expect_refused(device, CLRADIO_CI4, "EMULATED=1 STAGES=2", CLRADIO_ERROR_ARGUMENT, "STAGES");
    if (info.local_memory_bytes < 512 * 1024)
        expect_refused(device, CLRADIO_CI8,
                       "EMULATED=1 T_STAGE=128 STAGES=8 WARPGROUPS=2 COLUMNS=128 PRODUCT=128",
                       CLRADIO_ERROR_UNSUPPORTED, "local memory");
    expect_refused(device, CLRADIO_CI16, "EMULATED=1", CLRADIO_ERROR_UNSUPPORTED,
                   "takes ci8, ci4 and cf16");
    expect_refused(device, CLRADIO_CF16, "EMULATED=1 T_STAGE=32 RUN=100", CLRADIO_ERROR_ARGUMENT,
                   "not a multiple of 32");
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 RUN=64", CLRADIO_ERROR_ARGUMENT,
                   "not 0 for integers");
    expect_refused(device, CLRADIO_CF16, "EMULATED=1 READ=0 T_STAGE=16 STAGES=3",
                   CLRADIO_ERROR_ARGUMENT, "needs STAGES=4 or more");
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 OWN_LOCAL=1", CLRADIO_ERROR_ARGUMENT,
                   "for cf16 alone");
    expect_refused(device, CLRADIO_CI4, "EMULATED=1 READ=2", CLRADIO_ERROR_ARGUMENT,
                   "for cf16 alone");
    expect_refused(device, CLRADIO_CF16, "EMULATED=1 READ=2 T_STAGE=48 RUN=96",
                   CLRADIO_ERROR_ARGUMENT, "not a multiple of 32");
    expect_refused(device, CLRADIO_CF16, "EMULATED=1 READ=2 OWN_LOCAL=1", CLRADIO_ERROR_ARGUMENT,
                   "READ=2 is for");
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 COPIERS=1", CLRADIO_ERROR_ARGUMENT,
                   "not emulated");
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 SKIP=1 EXTRA=8", CLRADIO_ERROR_ARGUMENT,
                   "0, 16 or 32");
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 SKIP=1 EXTRA=24", CLRADIO_ERROR_ARGUMENT,
                   "EXTRA");
    expect_refused(device, CLRADIO_CI8, "EMULATED=1 SKIP=0 EXTRA=16", CLRADIO_ERROR_ARGUMENT,
                   "with SKIP=1");
    expect_refused(device, CLRADIO_CI8,
                   "EMULATED=1 WARPGROUPS=2 COLUMNS=64 PRODUCT=64 SKIP=1 EXTRA=16",
                   CLRADIO_ERROR_ARGUMENT, "square tiles");
    expect_refused(device, CLRADIO_CF16, "EMULATED=1 COLUMNS=128 PRODUCT=128",
                   CLRADIO_ERROR_ARGUMENT, "registers");
    if (!has_instructions(device))
        expect_refused(device, CLRADIO_CI8, NULL, CLRADIO_ERROR_UNSUPPORTED,
                       "compute capability 9.0");
}

/* Without its name it is a choice where the instructions are, for more than 64 inputs. */
static void it_is_chosen_where_the_instructions_are(void **state)
{
    static const struct {
        uint32_t stations;
        int blocked, chosen;
    } cases[] = { { 8, 0, 0 }, { 32, 1, 0 }, { 33, 0, 1 }, { 64, 1, 1 }, { 129, 0, 1 } };
    clradio_device *device = device_under_test(state);
    clr_xengine_candidate candidate;
    clradio_status status;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        clradio_xengine_config config = xengine_config(CLRADIO_CI8, cases[c].stations, 2, 1, 10);
        int offered = 0;
        if (cases[c].blocked) {
            config.layout = CLRADIO_LAYOUT_BLOCKED;
            config.block_times = clr_xengine_usual_block_times(config.input);
        }
        for (unsigned n = 0; clr_xengine_candidate_at(device, &config, n, &candidate, &status); n++)
            offered += !strcmp(candidate.variant->name, "wgmma");
        assert_int_equal(offered, has_instructions(device) && cases[c].chosen);
        config.variant = "wgmma";
        assert_int_equal(clr_xengine_candidate_at(device, &config, 0, &candidate, &status), 1);
        assert_string_equal(candidate.variant->name, "wgmma");
        assert_int_equal(clr_xengine_candidate_at(device, &config, 1, &candidate, &status), 0);
    }
}

#define APART_OF_16 "T_STAGE=64 STAGES=5 RESIDENT=1 COPIERS=4 SKIP=1 EXTRA=16 LAST=6"
#define APART_OF_16_AS_THEY_COME                                                                   \
    "T_STAGE=64 STAGES=5 RESIDENT=1 COPIERS=4 SKIP=1 EXTRA=16 SHIFTED=1"
#define APART "T_STAGE=64 STAGES=5 RESIDENT=1 COPIERS=4 SKIP=1 LAST=6"
#define TOGETHER_OF_16 "T_STAGE=64 STAGES=5 RESIDENT=1 SKIP=1 EXTRA=16 LAST=6"
#define TOGETHER_OF_32 "T_STAGE=64 STAGES=5 RESIDENT=1 SKIP=1 EXTRA=32 LAST=6"
#define TOGETHER "T_STAGE=64 STAGES=5 RESIDENT=1 SKIP=1 LAST=6"
#define BLOCKS "T_STAGE=128 STAGES=3 RESIDENT=1 COPIERS=4 SKIP=1 "
#define HALVES "RESIDENT=1 COPIERS=4 RUN=256 SKIP=1 "
#define GRAM "T_STAGE=32 STAGES=8 " HALVES "LAST=16 READ=2"

/* What the card takes by default; all of it fits there. */
static void an_h200_has_its_defaults(void **state)
{
    static const struct {
        clradio_type input;
        clradio_layout layout;
        uint32_t stations;
        const char *opencl, *cuda; /* behind those of the tile; NULL: as OpenCL */
    } cases[] = {
        { CLRADIO_CI8, CLRADIO_LAYOUT_BLOCKED, 64, "T_STAGE=64 STAGES=6 RESIDENT=1 SKIP=1 LAST=6",
          BLOCKS "LAST=6" },
        { CLRADIO_CI8, CLRADIO_LAYOUT_BLOCKED, 512, BLOCKS "LAST=6", NULL },
        { CLRADIO_CI8, CLRADIO_LAYOUT_BLOCKED, 513, BLOCKS "EXTRA=16", NULL },
        { CLRADIO_CI8, CLRADIO_LAYOUT_BLOCKED, 528,
          "T_STAGE=64 STAGES=5 RESIDENT=1 COPIERS=4 SKIP=1 EXTRA=32 LAST=6", NULL },
        { CLRADIO_CI8, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT, 64, APART, TOGETHER },
        { CLRADIO_CI8, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT, 512, APART, TOGETHER },
        { CLRADIO_CI8, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT, 520,
          "T_STAGE=64 STAGES=5 RESIDENT=1 SKIP=1 EXTRA=16 LAST=6", NULL },
        { CLRADIO_CI4, CLRADIO_LAYOUT_BLOCKED, 512, APART, TOGETHER },
        { CLRADIO_CI4, CLRADIO_LAYOUT_BLOCKED, 513, APART_OF_16,
          "T_STAGE=64 STAGES=5 RESIDENT=1 SKIP=1 EXTRA=16 LAST=6" },
        { CLRADIO_CF16, CLRADIO_LAYOUT_BLOCKED, 512, "T_STAGE=16 STAGES=6 " HALVES "OWN_LOCAL=1",
          NULL },
        { CLRADIO_CF16, CLRADIO_LAYOUT_BLOCKED, 513,
          "T_STAGE=16 STAGES=5 " HALVES "EXTRA=16 OWN_LOCAL=1", NULL },
        { CLRADIO_CF16, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT, 512, GRAM, NULL },
        { CLRADIO_CF16, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT, 520, GRAM, NULL },
        { CLRADIO_CF16, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT, 522, GRAM, NULL },
        { CLRADIO_CF16, CLRADIO_LAYOUT_TIME_CHANNEL_INPUT, 513, /* no whole units, one channel */
          "T_STAGE=16 STAGES=5 " HALVES "EXTRA=16 OWN_LOCAL=1", NULL },
    };
    static const int nothing_given[CLR_MOST_PARAMETERS];
    (void)state;
    for (size_t c = 0; c < 2 * (sizeof cases / sizeof *cases); c++) {
        clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
        clradio_xengine_config config =
            xengine_config(cases[c / 2].input, cases[c / 2].stations, 2, 1, 10);
        int64_t values[CLR_MOST_PARAMETERS] = { 0 };
        char reason[128], text[256], expected[256];
        const int is_cuda = c % 2 != 0;
        snprintf(info.back_end, sizeof info.back_end, "%s", is_cuda ? "cuda" : "opencl");
        snprintf(info.architecture, sizeof info.architecture, "sm_90");
        info.max_group_size = 1024;
        config.layout = cases[c / 2].layout;
        assert_int_equal(clr_xengine_wgmma.preset(&info, &config, 0, values, reason), 1);
        assert_ok(clr_xengine_wgmma.settle(&info, &config, values, nothing_given));
        clr_xengine_wgmma.describe(values, text, sizeof text);
        snprintf(expected, sizeof expected, "WARPGROUPS=2 COLUMNS=128 PRODUCT=128 %s SPLIT_T=0",
                 is_cuda && cases[c / 2].cuda ? cases[c / 2].cuda : cases[c / 2].opencl);
        assert_string_equal(text, expected);
        assert_int_equal(clr_xengine_wgmma.preset(&info, &config, 1, values, reason), 0);
    }
}

/* Spectra that are no whole lines are read as they lie where those of all channels are; others
 * where that is named. */
static void an_h200_reads_as_it_lies_what_was_measured(void **state)
{
    static const struct {
        clradio_type input;
        uint32_t stations, channels;
        int named;
        const char *opencl, *cuda; /* behind those of the tile, where it is so read */
    } cases[] = {
        { CLRADIO_CI8, 511, 64, 0, APART_OF_16, TOGETHER_OF_16 },
        { CLRADIO_CI8, 513, 32, 0, APART_OF_16, TOGETHER_OF_16 },
        { CLRADIO_CI8, 520, 32, 0, APART_OF_16, TOGETHER_OF_16 },
        { CLRADIO_CI8, 531, 64, 0, APART, TOGETHER },
        { CLRADIO_CI8, 513, 8, 0, NULL, NULL },
        { CLRADIO_CI8, 513, 8, 1, APART_OF_16_AS_THEY_COME, APART_OF_16_AS_THEY_COME },
        { CLRADIO_CI8, 528, 32, 0, NULL, NULL },
        { CLRADIO_CI4, 511, 64, 0, APART_OF_16, TOGETHER_OF_16 },
        { CLRADIO_CI4, 513, 64, 0, APART_OF_16, TOGETHER_OF_16 },
        { CLRADIO_CI4, 520, 64, 0, APART_OF_16, TOGETHER_OF_16 },
        { CLRADIO_CI4, 528, 64, 0, TOGETHER_OF_32, TOGETHER_OF_32 },
        { CLRADIO_CI4, 513, 32, 0, NULL, NULL },
        { CLRADIO_CF16, 511, 32, 0, GRAM, GRAM },
        { CLRADIO_CF16, 513, 32, 0, GRAM, GRAM },
        { CLRADIO_CF16, 513, 8, 0, NULL, NULL },
    };
    (void)state;
    for (size_t c = 0; c < 2 * (sizeof cases / sizeof *cases); c++) {
        clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
        clradio_xengine_config config =
            xengine_config(cases[c / 2].input, cases[c / 2].stations, 2, cases[c / 2].channels, 10);
        int64_t values[CLR_MOST_PARAMETERS] = { 0 };
        const int given[CLR_MOST_PARAMETERS] = { [SHIFTED] = cases[c / 2].named };
        const char *const expected = c % 2 ? cases[c / 2].cuda : cases[c / 2].opencl;
        char reason[128], text[256];
        snprintf(info.back_end, sizeof info.back_end, "%s", c % 2 ? "cuda" : "opencl");
        snprintf(info.architecture, sizeof info.architecture, "sm_90");
        info.max_group_size = 1024;
        assert_int_equal(clr_xengine_wgmma.preset(&info, &config, 0, values, reason), 1);
        if (cases[c / 2].named)
            values[SHIFTED] = 1;
        assert_ok(clr_xengine_wgmma.settle(&info, &config, values, given));
        clr_xengine_wgmma.describe(values, text, sizeof text);
        assert_int_equal(strstr(text, "SHIFTED=1") != NULL, expected != NULL);
        if (expected)
            assert_non_null(strstr(text, expected));
    }
}

int main(void)
{
    static const device_test tests[] = {
        DEVICE_TEST(what_it_cannot_do_is_said),
        DEVICE_TEST(it_is_chosen_where_the_instructions_are),
        DEVICE_TEST(an_h200_has_its_defaults),
        DEVICE_TEST(an_h200_reads_as_it_lies_what_was_measured),
    };
    return run_device_tests("xengine_wgmma_choice", NULL, 0, tests, sizeof tests / sizeof *tests);
}
