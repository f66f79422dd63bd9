/*
 * Which kernels and parameters a detector gets: explicit ones before the default of the kind of
 * device; and the budgets that the device can keep.
 */
#include "base/checked.h"
#include "base/text.h"
#include "engine/detector_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const clr_parameter clr_detector_parameters[CLR_DETECTOR_PARAMETERS] = {
    { "CTA_SIZE", 1, 1024 },
    { "TREES_PER_CTA", 1, 1024 },
    { "REFILL", 1, 1024 },
    { "QUEUE", 0, 1 },
    { "STACK", 0, 3 },
    { "ROUND", 1, 65536 },
    { "AGAIN", 1, 1024 },
    { "STEPS", 1, 65536 },
    { "FLAT", 0, 1 },
    { "HALVES", 0, 2 },
    { "SETS", 1, CLR_DETECTOR_MOST_SETS },
    { "DESCENT", 0, 2 },
    { "PAIRS", 0, 1 },
    { "FRONTS", 0, 1 },
    { "COMPENSATED", 0, 1 },
    { "COLUMNS", 0, 1 },
};

static const char *const variant_names[] = { "lane", "group", "wide", "method" };

const char *clr_detector_variant_name(const clradio_detector *plan)
{
    return plan->variant == CLR_DETECTOR_METHOD ? clradio_detector_method_name(plan->config.method)
                                                : variant_names[plan->variant];
}

static uint64_t lane_bytes(const clradio_detector *plan)
{
    const uint64_t levels = plan->shape.levels;
    const int64_t stack = plan->values[CLR_DETECTOR_STACK],
                  halves = plan->values[CLR_DETECTOR_HALVES];
    const uint64_t triangle = levels * (levels + 1) / 2;
    return (stack == 1 || stack == 2 ? 4 * levels + (halves == 2 ? 2 : 4) * triangle : 0) +
           (stack == 1 || stack == 3 ? 8 * levels + (halves ? 6 : 12) * levels : 0);
}

/* What a work-group of detector_group.cl keeps in local memory, for trees from a list or not. */
static uint64_t group_bytes(const clradio_detector *plan, uint64_t lanes, uint64_t trees, int list)
{
    const uint64_t levels = plan->shape.levels, rows = 2 * plan->config.receive;
    const int fine = list && plan->values[CLR_DETECTOR_COMPENSATED];
    const uint64_t real = list && clr_device_info(plan->device)->fp64 && !fine ? 8 : 4;
    const uint64_t tree = real * (levels * (levels + 1) / 2 + levels + 6) + 4 * levels + 48;
    const uint64_t matrix = real * ((levels + 1) * rows + levels + 3 + 2 * lanes / trees);
    return trees * (tree + (list ? matrix : 0)) +
           lanes * (2 * real + (fine ? 16 : 0) + 12 + 8 * ((levels + 11) / 12)) + 64;
}

/* Bits of a path, a field a level. */
static uint64_t field_bits(const clradio_detector *plan)
{
    uint64_t bits = 0;
    while (plan->shape.points && 1u << bits < plan->shape.points)
        bits++;
    return plan->shape.levels * (bits ? bits : 5);
}

/* As cl/detector_kbest_fronts.cl has it: a survivor's words and path for each lane. */
static uint64_t front_bytes(const clradio_detector *plan)
{
    const uint64_t survivors = clr_ceil_div(plan->config.candidates, 4) * 4;
    return survivors * (5 * 4 + (field_bits(plan) < 32 ? 4 : 8)) * plan->threads;
}

/* 1 when K-best's list can be in registers. */
static int has_fronts(const clradio_detector *plan)
{
    return plan->config.method == CLRADIO_DETECTOR_KBEST && !plan->alphabet &&
           plan->config.candidates <= CLR_MOST_FRONTS && field_bits(plan) < 64 &&
           front_bytes(plan) <= clr_device_info(plan->device)->local_memory_bytes;
}

/* 1 when a lane for each column can decompose a channel. */
static int has_columns(const clradio_detector *plan)
{
    const clradio_detector_method method = plan->config.method;
    return (method == CLRADIO_DETECTOR_SPHERE || method == CLRADIO_DETECTOR_KBEST) &&
           !plan->alphabet && !plan->shape.shared && plan->variant != CLR_DETECTOR_WIDE &&
           plan->config.receive <= CLR_MOST_COLUMN && plan->shape.levels <= plan->threads;
}

/* 1 when a second pass can tell leaves apart by pairs of floats. */
static int can_compensate(const clradio_detector *plan)
{
    const clradio_detector_method method = plan->config.method;
    return (method == CLRADIO_DETECTOR_SPHERE || method == CLRADIO_DETECTOR_ML) &&
           plan->variant != CLR_DETECTOR_WIDE && !plan->alphabet && !plan->shape.whitened &&
           plan->config.precision == CLRADIO_PRECISION_AUTO;
}

static int is_cpu(const clradio_detector *plan)
{
    return clr_device_info(plan->device)->kind == CLRADIO_DEVICE_CPU;
}

/* Trees' words are many, trees are long, and a channel's matrix fits no work-item's registers. For
 * such plans HALVES=1 AGAIN=64 COLUMNS=1 were measured together on an H200: 77.3 M vectors/s at 8x8
 * 16-QAM, 20 dB, instead of 44.6. */
static int is_large(const clradio_detector *plan)
{
    return !is_cpu(plan) && plan->shape.levels > 8;
}

static uint64_t largest_group(const clradio_detector *plan)
{
    const uint64_t most = clr_device_info(plan->device)->max_group_size;
    return most ? clr_min_u64(most, 1024) : 64;
}

static void preset(clradio_detector *plan)
{
    const clradio_device_info *device = clr_device_info(plan->device);
    int64_t *v = plan->values;
    const int cpu = is_cpu(plan);
    v[CLR_DETECTOR_CTA_SIZE] = (int64_t)clr_min_u64(64, largest_group(plan));
    v[CLR_DETECTOR_STACK] = !cpu;
    v[CLR_DETECTOR_QUEUE] = !cpu;
    v[CLR_DETECTOR_FLAT] = !cpu;
    v[CLR_DETECTOR_PAIRS] = !cpu;
    v[CLR_DETECTOR_HALVES] = is_large(plan);
    v[CLR_DETECTOR_SETS] = 1;
    v[CLR_DETECTOR_REFILL] = cpu ? 1 : 32;
    v[CLR_DETECTOR_ROUND] = cpu ? 65536 : 64;
    v[CLR_DETECTOR_STEPS] = cpu ? 65536 : 16;
    v[CLR_DETECTOR_AGAIN] =
        cpu ? 1 : (int64_t)clr_min_u64(is_large(plan) ? 64 : 32, largest_group(plan));
    while (v[CLR_DETECTOR_STACK] && v[CLR_DETECTOR_CTA_SIZE] > 32 &&
           lane_bytes(plan) * (uint64_t)v[CLR_DETECTOR_CTA_SIZE] > device->local_memory_bytes - 64)
        v[CLR_DETECTOR_CTA_SIZE] /= 2;
    if (v[CLR_DETECTOR_STACK] &&
        lane_bytes(plan) * (uint64_t)v[CLR_DETECTOR_CTA_SIZE] > device->local_memory_bytes - 64) {
        v[CLR_DETECTOR_STACK] = 0;
        v[CLR_DETECTOR_CTA_SIZE] = (int64_t)clr_min_u64(64, largest_group(plan));
    }
    snprintf(plan->reason, sizeof plan->reason, "default for a %s",
             cpu ? "processor" : "graphics processor");
}

static clradio_status choose_variant(clradio_detector *plan, const char *name)
{
    size_t n = 0;
    plan->variant =
        plan->config.method == CLRADIO_DETECTOR_SPHERE ? CLR_DETECTOR_LANE : CLR_DETECTOR_METHOD;
    if (plan->variant == CLR_DETECTOR_LANE && plan->config.precision == CLRADIO_PRECISION_DOUBLE)
        plan->variant = CLR_DETECTOR_WIDE;
    if (!name)
        return CLRADIO_OK;
    if (plan->variant == CLR_DETECTOR_METHOD)
        return strcmp(name, clr_detector_variant_name(plan)) == 0
                   ? CLRADIO_OK
                   : clr_fail(CLRADIO_ERROR_ARGUMENT, "method %s has no variant \"%s\"",
                              clr_detector_variant_name(plan), name);
    while (n < 3 && strcmp(name, variant_names[n]) != 0)
        n++;
    if (n == 3)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "the sphere decoder has no variant \"%s\"; there are lane, group, wide",
                        name);
    plan->variant = (clr_detector_variant)n;
    return CLRADIO_OK;
}

static clradio_status check_values(const clradio_detector *plan)
{
    const int64_t *v = plan->values;
    const clradio_device_info *device = clr_device_info(plan->device);
    const uint64_t lanes = (uint64_t)v[CLR_DETECTOR_CTA_SIZE];
    uint64_t bytes = 0;
    if (lanes > largest_group(plan) || (uint64_t)v[CLR_DETECTOR_AGAIN] > largest_group(plan))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "%s takes work-groups of at most %" PRIu64 " work-items", device->name,
                        largest_group(plan));
    if (v[CLR_DETECTOR_DESCENT] &&
        (plan->variant != CLR_DETECTOR_LANE || (plan->config.flags & CLRADIO_DETECTOR_SOFT)))
        return clr_fail(
            CLRADIO_ERROR_UNSUPPORTED,
            "DESCENT is of the variant lane without soft output: what it finishes is in "
            "no work array");
    if (v[CLR_DETECTOR_FRONTS] && !has_fronts(plan))
        return clr_fail(
            CLRADIO_ERROR_UNSUPPORTED,
            "FRONTS is of the method kbest with at most %d candidates and no alphabet "
            "of one's own, and keeps %" PRIu64 " bytes in local memory; %s has %" PRIu64,
            CLR_MOST_FRONTS, front_bytes(plan), device->name, device->local_memory_bytes);
    if (v[CLR_DETECTOR_COMPENSATED] && !can_compensate(plan))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "COMPENSATED is of second passes without a covariance, which does not "
                        "whiten in pairs of floats, and not of precision double or float");
    if (v[CLR_DETECTOR_COLUMNS] && (v[CLR_DETECTOR_DESCENT] || !has_columns(plan)))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "COLUMNS is of sphere and kbest with a channel for each vector, at most %d "
                        "antennas, no alphabet of one's own and no DESCENT",
                        CLR_MOST_COLUMN);
    if (v[CLR_DETECTOR_CTA_SIZE] % v[CLR_DETECTOR_TREES])
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "TREES_PER_CTA=%" PRId64 " does not divide CTA_SIZE=%" PRId64,
                        v[CLR_DETECTOR_TREES], v[CLR_DETECTOR_CTA_SIZE]);
    /* PoCL does not come back from work-items that meet in the search's loop, 3.1 from a tree's
     * lanes, 5.0 from trees; one after the other they gain nothing */
    if (is_cpu(plan) && (v[CLR_DETECTOR_AGAIN] > 1 ||
                         (plan->variant == CLR_DETECTOR_GROUP && v[CLR_DETECTOR_CTA_SIZE] > 1)))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "%s is a processor: a work-group has one tree of one lane there "
                        "(CTA_SIZE = 1, AGAIN = 1)",
                        device->name);
    if (plan->variant == CLR_DETECTOR_LANE && v[CLR_DETECTOR_STACK])
        bytes = lanes * lane_bytes(plan) + 4;
    if (plan->variant == CLR_DETECTOR_GROUP)
        bytes = group_bytes(plan, lanes, (uint64_t)v[CLR_DETECTOR_TREES], 0);
    if (bytes > device->local_memory_bytes)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "CTA_SIZE=%" PRIu64 " needs %" PRIu64 " bytes of local memory; %s has "
                        "%" PRIu64,
                        lanes, bytes, device->name, device->local_memory_bytes);
    return CLRADIO_OK;
}

/* Rounds of a work-item's loops in one launch of the other methods, about. */
static uint64_t method_rounds(const clradio_detector *plan)
{
    const clradio_detector_config *config = &plan->config;
    const uint64_t levels = plan->shape.levels, k = config->candidates;
    uint64_t all = 1;
    switch (config->method) {
    case CLRADIO_DETECTOR_KBEST:
        return levels * k * (2 * k + levels + (plan->alphabet ? 8 * config->alphabet_size : 0));
    case CLRADIO_DETECTOR_FSD:
        for (uint32_t s = 0; s < config->full_streams; s++)
            all *= clr_detector_stream_points(config, s);
        return all * levels * (levels + 8);
    case CLRADIO_DETECTOR_ML:
        for (uint32_t s = 0; s < config->transmit; s++)
            all *= clr_detector_stream_points(config, s);
        return all * (8 + 12 * (uint64_t)config->transmit);
    default: return 0;
    }
}

/* Budgets, and what loops of a launch cost on a device that ends them. */
static clradio_status choose_budgets(clradio_detector *plan)
{
    const clradio_device_info *device = clr_device_info(plan->device);
    const uint64_t rounds = clr_device_loop_rounds(plan->device), levels = plan->shape.levels;
    const uint64_t decompose = 4 * levels * (levels + 1) * plan->config.receive * 2;
    uint64_t most = CLR_MOST_BUDGET;
    if (rounds < UINT64_MAX) {
        if (decompose > rounds / 2 || method_rounds(plan) > rounds / 2)
            return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                            "%s ends the loops of a launch after %" PRIu64 " rounds; %" PRIu32
                            " streams and %" PRIu32 " antennas by method %s need more",
                            device->name, rounds, plan->config.transmit, plan->config.receive,
                            clradio_detector_method_name(plan->config.method));
        most = (rounds - decompose) / (4 * levels + 16);
        plan->values[CLR_DETECTOR_REFILL] = 1;
    }
    uint64_t first = plan->config.node_budget;
    if (!first) /* on a processor nobody waits for a long tree */
        first = is_cpu(plan) ? CLR_MOST_BUDGET : 4096;
    plan->node_budget = (uint32_t)clr_min_u64(first, most);
    plan->final_budget = (uint32_t)clr_min_u64(plan->config.final_budget, most);
    /* a node of the single tree search also goes through bits and levels */
    plan->soft_budget =
        most == CLR_MOST_BUDGET ? plan->final_budget : (uint32_t)(most / (4 + 2 * levels));
    if (!plan->config.node_budget && plan->node_budget > plan->final_budget)
        plan->node_budget = plan->final_budget;
    return CLRADIO_OK;
}

clradio_status clr_detector_choose(clradio_detector *plan, const char *variant,
                                   const char *parameters)
{
    int given[CLR_DETECTOR_PARAMETERS] = { 0 };
    const clradio_device_info *device = clr_device_info(plan->device);
    clradio_status status = choose_variant(plan, variant);
    if (status)
        return status;
    plan->threads = (uint32_t)clr_min_u64(64, largest_group(plan));
    preset(plan);
    status = clr_parameters_read(clr_detector_parameters, CLR_DETECTOR_PARAMETERS, parameters,
                                 plan->values, given);
    if (status)
        return status;
    if (plan->variant == CLR_DETECTOR_LANE && given[CLR_DETECTOR_TREES] &&
        plan->values[CLR_DETECTOR_TREES] != plan->values[CLR_DETECTOR_CTA_SIZE]) {
        if (variant)
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "variant lane has a tree a lane: TREES_PER_CTA is CTA_SIZE");
        plan->variant = CLR_DETECTOR_GROUP;
    }
    if (!given[CLR_DETECTOR_CTA_SIZE] && plan->variant == CLR_DETECTOR_GROUP && is_cpu(plan))
        plan->values[CLR_DETECTOR_CTA_SIZE] = 1;
    if (!given[CLR_DETECTOR_TREES])
        plan->values[CLR_DETECTOR_TREES] = plan->variant == CLR_DETECTOR_GROUP && !is_cpu(plan) &&
                                                   plan->values[CLR_DETECTOR_CTA_SIZE] % 4 == 0
                                               ? 4
                                               : plan->values[CLR_DETECTOR_CTA_SIZE];
    if (!given[CLR_DETECTOR_COLUMNS] && !plan->values[CLR_DETECTOR_DESCENT])
        plan->values[CLR_DETECTOR_COLUMNS] =
            is_large(plan) && plan->shape.levels <= 16 && has_columns(plan);
    if (!given[CLR_DETECTOR_DESCENT] && !plan->values[CLR_DETECTOR_COLUMNS] && !is_cpu(plan) &&
        plan->variant == CLR_DETECTOR_LANE && !(plan->config.flags & CLRADIO_DETECTOR_SOFT))
        plan->values[CLR_DETECTOR_DESCENT] = 2; /* measured on an H200: 6 to 34 % faster */
    if (!given[CLR_DETECTOR_COMPENSATED])
        plan->values[CLR_DETECTOR_COMPENSATED] = !device->fp64 && can_compensate(plan);
    if (!given[CLR_DETECTOR_FRONTS])
        plan->values[CLR_DETECTOR_FRONTS] =
            !is_cpu(plan) && plan->config.candidates <= 16 && has_fronts(plan);
    if (parameters && *parameters)
        snprintf(plan->reason, sizeof plan->reason, "asked for");
    if (plan->variant == CLR_DETECTOR_WIDE && !device->fp64)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED, "%s has no double precision", device->name);
    status = check_values(plan);
    if (!status)
        status = choose_budgets(plan);
    /* a second pass needs room for a matrix; without it the caller (or run) finishes on the host */
    while (plan->values[CLR_DETECTOR_AGAIN] > 1 &&
           group_bytes(plan, (uint64_t)plan->values[CLR_DETECTOR_AGAIN], 1, 1) >
               device->local_memory_bytes)
        plan->values[CLR_DETECTOR_AGAIN] /= 2;
    if (group_bytes(plan, (uint64_t)plan->values[CLR_DETECTOR_AGAIN], 1, 1) >
        device->local_memory_bytes) {
        if (plan->variant == CLR_DETECTOR_WIDE && !status)
            status = clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                              "double for so many antennas needs more local memory than %s has",
                              device->name);
        plan->final_budget = 0;
    }
    return status;
}
