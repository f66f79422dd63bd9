/* How an F-engine cuts a call into pieces that fit the memory limits, and what is allocated for it.
 */
#include "base/checked.h"
#include "engine/fengine.h"

/* What a piece's lines should take: enough to fill the device, little enough to stay in its cache.
 */
static uint64_t wanted_bytes(const clradio_device_info *info)
{
    return info->kind == CLRADIO_DEVICE_CPU ? (uint64_t)4 << 20 : (uint64_t)64 << 20;
}

/* The most bytes that the lines of a piece may take, when the transform needs as much again or not.
 */
static uint64_t most_bytes(const clradio_fengine *plan, int temporary)
{
    const clradio_device_info *info = clr_device_info(plan->device);
    /* The kernels count samples and groups of a piece in 32 bits. */
    uint64_t most = (uint64_t)1 << 33;
    if (info->max_allocation_bytes)
        most = clr_min_u64(most, info->max_allocation_bytes / (temporary ? 9 : 8) * 8);
    if (plan->config.memory_limit) {
        uint64_t fixed = clr_fengine_fixed_bytes(&plan->config, &plan->sizes);
        uint64_t left = plan->config.memory_limit > fixed ? plan->config.memory_limit - fixed : 0;
        /* clFFT pads what it keeps by up to a sixteenth. */
        most = clr_min_u64(most, temporary ? left / 33 * 16 : left);
    }
    return most;
}

/* Spectra and signals of the largest piece. */
static clradio_status choose(clradio_fengine *plan, int temporary, uint64_t *spectra)
{
    uint64_t line = (uint64_t)plan->config.channels * 2 * sizeof(float);
    uint64_t signals = plan->sizes.signals, most = most_bytes(plan, temporary);
    uint64_t wanted = clr_min_u64(most, wanted_bytes(clr_device_info(plan->device)));
    if (!line || line > most)
        return clr_fail(
            CLRADIO_ERROR_LIMIT,
            "memory for one transform of %u channels needs %llu bytes, the limits leave "
            "%llu (memory_limit %llu, largest buffer of the device %llu)",
            plan->config.channels, (unsigned long long)line * (temporary ? 2 : 1),
            (unsigned long long)most * (temporary ? 2 : 1),
            (unsigned long long)plan->config.memory_limit,
            (unsigned long long)clr_device_info(plan->device)->max_allocation_bytes);
    uint64_t side = clr_max_u64(wanted / line, clr_min_u64(32, most / line));
    if (side >= signals) {
        plan->piece_signals = signals;
        *spectra = clr_max_u64(1, clr_min_u64(wanted / (line * signals), plan->config.spectra));
        return CLRADIO_OK;
    }
    /* Pieces of equal width, so that the last overlaps little. */
    uint64_t pieces = clr_ceil_div(signals, side);
    plan->piece_signals = clr_ceil_div(signals, pieces);
    *spectra = 1;
    return CLRADIO_OK;
}

static void drop_rungs(clradio_fengine *plan)
{
    for (unsigned i = 0; i < plan->rung_count; i++)
        clr_fft_destroy(plan->rungs[i].fft);
    plan->rung_count = 0;
}

/* Builds the transforms of all piece sizes. temporary_bytes: of the largest. */
static clradio_status build_rungs(clradio_fengine *plan, clradio_queue *queue, uint64_t spectra,
                                  uint64_t *temporary_bytes)
{
    clradio_status status = CLRADIO_OK;
    *temporary_bytes = 0;
    plan->rung_count = 0;
    while (!status && plan->rung_count < CLR_FENGINE_RUNGS) {
        clr_fengine_rung *rung = &plan->rungs[plan->rung_count];
        *rung = (clr_fengine_rung){ spectra, NULL };
        if (plan->config.channels > 1) {
            status = clr_fft_create(plan->device, queue, plan->config.channels,
                                    spectra * plan->piece_signals, &rung->fft);
            if (status)
                break;
            *temporary_bytes = clr_max_u64(*temporary_bytes, clr_fft_temporary_bytes(rung->fft));
        }
        plan->rung_count++;
        if (spectra == 1)
            break;
        spectra = spectra / 4 ? spectra / 4 : 1;
    }
    return status;
}

clradio_status clr_fengine_choose_pieces(clradio_fengine *plan, clradio_queue *queue)
{
    uint64_t spectra = 0, temporary = 0;
    clradio_status status = choose(plan, 0, &spectra);
    if (!status)
        status = build_rungs(plan, queue, spectra, &temporary);
    if (!status && temporary) {
        /* Whether a transform needs a second buffer is known once it is built. */
        uint64_t first_spectra = spectra, first_signals = plan->piece_signals;
        status = choose(plan, 1, &spectra);
        if (!status && (spectra != first_spectra || plan->piece_signals != first_signals)) {
            drop_rungs(plan);
            status = build_rungs(plan, queue, spectra, &temporary);
        }
    }
    if (status)
        return status;
    uint64_t work = spectra * plan->piece_signals * plan->config.channels * 2 * sizeof(float);
    uint64_t limit = plan->config.memory_limit;
    uint64_t all = clr_fengine_fixed_bytes(&plan->config, &plan->sizes) + work + temporary;
    if (limit && all > limit)
        return clr_fail(CLRADIO_ERROR_LIMIT, "the F-engine needs %llu bytes, memory_limit is %llu",
                        (unsigned long long)all, (unsigned long long)limit);
    plan->work_bytes = work;
    plan->temporary_bytes = temporary;
    return CLRADIO_OK;
}

static clradio_status allocate(clradio_fengine *plan, uint64_t bytes, clradio_buffer **buffer)
{
    uint64_t most = clr_device_info(plan->device)->max_allocation_bytes;
    if (!bytes)
        return CLRADIO_OK;
    if (most && bytes > most)
        return clr_fail(CLRADIO_ERROR_LIMIT,
                        "the F-engine needs a buffer of %llu bytes, the device's largest is %llu",
                        (unsigned long long)bytes, (unsigned long long)most);
    plan->memory_bytes += bytes;
    return clradio_buffer_create(plan->device, bytes, buffer);
}

clradio_status clr_fengine_allocate(clradio_fengine *plan)
{
    uint64_t points = (uint64_t)plan->config.taps * plan->sizes.length;
    uint64_t twiddles = plan->sizes.real ? (uint64_t)plan->config.channels * 2 : 0;
    clradio_status status = allocate(plan, plan->work_bytes, &plan->work);
    if (!status)
        status = allocate(plan, plan->temporary_bytes, &plan->temporary);
    if (!status)
        status = allocate(plan, plan->sizes.ring * plan->sizes.block_bytes, &plan->history);
    if (!status)
        status = allocate(plan, points * sizeof(float), &plan->prototype);
    if (!status)
        status = allocate(plan, twiddles * sizeof(float), &plan->twiddles);
    return status;
}
