/*
 * Device memory of an X-engine's plan: into how many slices the time may be cut, how many channels
 * a command sums at a time, and the buffers that follow from both.
 */
#include "base/checked.h"
#include "engine/xengine_internal.h"

#include <inttypes.h>
#include <stdlib.h>

uint64_t clr_xengine_usual_bytes(const clradio_device_info *device)
{
    const uint64_t least = (uint64_t)256 << 20, most = (uint64_t)1 << 30;
    return clr_max_u64(least, clr_min_u64(most, device->memory_bytes / 64));
}

/* Work-groups that keep a device busy: several a compute unit, so that uneven ones even out. */
static uint64_t groups_wanted(const clradio_device_info *device, const clr_xengine_variant *variant)
{
    const uint64_t units = device->compute_units ? device->compute_units : 1;
    return units * (variant->unit_groups                 ? variant->unit_groups
                    : device->kind == CLRADIO_DEVICE_CPU ? 2
                                                         : 8);
}

static uint32_t slices_wanted(const clradio_xengine *plan, int *is_explicit)
{
    const clr_xengine_variant *variant = plan->candidate.variant;
    *is_explicit = 0;
    const uint64_t groups = variant->groups(plan);
    if (!groups)
        return 1;
    if (variant->split_parameter < variant->n_parameters &&
        plan->candidate.values[variant->split_parameter]) {
        *is_explicit = 1;
        return (uint32_t)clr_min_u64((uint64_t)plan->candidate.values[variant->split_parameter],
                                     plan->config.spectra);
    }
    const uint64_t there = groups * clr_min_u64(plan->config.channels, CLR_MOST_GRID_CHANNELS);
    const uint64_t wanted =
        clr_ceil_div(groups_wanted(clr_device_info(plan->device), variant), there);
    const uint64_t longest = plan->config.spectra / variant->least_slice(plan);
    return (uint32_t)clr_max_u64(1, clr_min_u64(clr_min_u64(wanted, longest), 4096));
}

static clradio_status too_small(const clradio_xengine *plan, uint64_t least)
{
    return clr_fail(CLRADIO_ERROR_LIMIT,
                    "memory_limit is %" PRIu64 " bytes; this plan needs at least %" PRIu64,
                    plan->config.memory_limit, least);
}

static clradio_status take(clradio_xengine *plan, uint64_t bytes, clradio_buffer **buffer)
{
    clradio_status status = clradio_buffer_create(plan->device, bytes, buffer);
    if (!status)
        plan->memory_bytes += bytes;
    return status;
}

static clradio_status take_accumulators(clradio_xengine *plan, uint64_t largest)
{
    const uint64_t channels = plan->config.channels, each = plan->channel_sums_bytes;
    plan->accumulator_channels =
        (uint32_t)clr_min_u64(clr_min_u64(largest / each, CLR_MOST_GRID_CHANNELS), channels);
    plan->accumulators =
        calloc(clr_ceil_div(channels, plan->accumulator_channels), sizeof *plan->accumulators);
    if (!plan->accumulators)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the plan's tables");
    for (uint64_t first = 0; first < channels; first += plan->accumulator_channels) {
        const uint64_t here = clr_min_u64(plan->accumulator_channels, channels - first);
        clradio_status status =
            take(plan, here * each, &plan->accumulators[plan->accumulator_count]);
        if (status)
            return clr_fail_in(status, "sums of %" PRIu64 " channels", here);
        plan->accumulator_count++;
    }
    return CLRADIO_OK;
}

/*
 * The channels of a chunk and the slices of the time, given the room for partial sums. Slices that
 * were chosen here, not by the caller, give way to a small room.
 */
static int fit_partials(clradio_xengine *plan, uint64_t room, int slices_are_explicit)
{
    const uint64_t each = plan->channel_sums_bytes;
    if (room / each < plan->slices) {
        if (slices_are_explicit || room < each)
            return 0;
        plan->slices = (uint32_t)(room / each);
    }
    uint64_t chunk = clr_min_u64(plan->config.channels, CLR_MOST_GRID_CHANNELS);
    if (plan->accumulator_count)
        chunk = clr_min_u64(chunk, plan->accumulator_channels);
    plan->chunk_channels = (uint32_t)clr_min_u64(chunk, room / (each * plan->slices));
    return 1;
}

/*
 * Partial sums, where there are any, in at most `most` bytes. Slices of the time that are only a
 * gain in speed are given up when they do not fit; is_needed: without partial sums it cannot work.
 */
static clradio_status take_partials(clradio_xengine *plan, uint64_t most, int slices_are_explicit,
                                    int is_needed)
{
    const uint64_t each = plan->channel_sums_bytes;
    const int single = plan->config.flags & CLRADIO_XENGINE_SINGLE_CALL;
    if (!single && plan->slices <= 1)
        return CLRADIO_OK;
    const clradio_device_info *device = clr_device_info(plan->device);
    const uint64_t usual = clr_max_u64(clr_xengine_usual_bytes(device), each * plan->slices);
    if (!fit_partials(plan, clr_min_u64(usual, most), slices_are_explicit)) {
        if (is_needed)
            return clr_fail(CLRADIO_ERROR_LIMIT,
                            "%" PRIu32 " slices of one channel's sums are %" PRIu64
                            " bytes; the largest buffer of %s is %" PRIu64,
                            plan->slices, each * plan->slices, device->name,
                            device->max_allocation_bytes);
        plan->slices = 1;
        return CLRADIO_OK;
    }
    return take(plan, each * plan->slices * plan->chunk_channels, &plan->partials);
}

/* Whether the variant can write the visibilities of a whole call in one command. */
static int can_write(const clradio_xengine *plan)
{
    const clr_xengine_variant *variant = plan->candidate.variant;
    return variant->writes_visibilities && (!variant->can_write || variant->can_write(plan)) &&
           plan->config.spectra <= variant->most_spectra(plan);
}

clradio_status clr_xengine_take_memory(clradio_xengine *plan)
{
    const clradio_device_info *device = clr_device_info(plan->device);
    const int single = plan->config.flags & CLRADIO_XENGINE_SINGLE_CALL;
    const uint64_t each = plan->channel_sums_bytes, limit = plan->config.memory_limit;
    const uint64_t largest =
        device->max_allocation_bytes ? device->max_allocation_bytes : INT64_MAX;
    int is_explicit;
    plan->slices = slices_wanted(plan, &is_explicit);
    if (each > largest)
        return clr_fail(CLRADIO_ERROR_LIMIT,
                        "the sums of one channel are %" PRIu64 " bytes; the largest buffer of %s "
                        "is %" PRIu64,
                        each, device->name, largest);

    plan->direct = single && plan->slices == 1 && can_write(plan);
    uint64_t kept = (single ? 0 : each * plan->config.channels) + plan->memory_bytes +
                    clr_xengine_counts_bytes(plan);
    const uint64_t scratch = clr_xengine_least_scratch(plan);
    const int needs_partials =
        (single && (scratch || !plan->direct)) || (is_explicit && plan->slices > 1);
    const uint64_t partials = needs_partials ? each * (is_explicit ? plan->slices : 1) : 0;
    if (limit && kept + partials + scratch > limit)
        return too_small(plan, kept + partials + scratch);
    if (scratch) { /* at most half of what is left over: slices of the time want room too */
        const uint64_t before = plan->memory_bytes;
        const uint64_t over = limit ? limit - kept - partials - scratch : UINT64_MAX / 2;
        clradio_status taken =
            clr_xengine_take_scratch(plan, clr_min_u64(scratch + over / 2, largest));
        if (taken)
            return taken;
        kept += plan->memory_bytes - before;
        plan->direct = plan->direct && plan->reorder.spectra >= plan->config.spectra;
    }
    clradio_status status = clr_xengine_take_counts(plan, largest);
    if (status)
        return status;
    if (plan->direct) {
        plan->chunk_channels = (uint32_t)clr_min_u64(plan->config.channels, CLR_MOST_GRID_CHANNELS);
        return CLRADIO_OK;
    }
    if (!single) {
        status = take_accumulators(plan, largest);
        if (status)
            return status;
        plan->chunk_channels = plan->accumulator_channels;
    }
    return take_partials(plan, clr_min_u64(largest, limit ? limit - kept : UINT64_MAX), is_explicit,
                         needs_partials);
}
