/* The arguments of an X-engine's call: arrays that are there, large enough, apart; flags that mean
 * something. */
#include "base/checked.h"
#include "engine/xengine_internal.h"

#include <inttypes.h>

static clradio_status check_flags(const clradio_xengine *plan, const clradio_xengine_io *io)
{
    if (io->flags & ~(unsigned)(CLRADIO_ACCUMULATE | CLRADIO_DUMP))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "io.flags has bits that mean nothing: 0x%x",
                        io->flags);
    if (plan->config.flags & CLRADIO_XENGINE_SINGLE_CALL) {
        if (io->flags & CLRADIO_ACCUMULATE)
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "a plan with CLRADIO_XENGINE_SINGLE_CALL cannot accumulate");
        if (!(io->flags & CLRADIO_DUMP))
            return clr_fail(CLRADIO_ERROR_ARGUMENT, "a plan with CLRADIO_XENGINE_SINGLE_CALL "
                                                    "keeps nothing: CLRADIO_DUMP is needed");
    }
    if ((io->flags & CLRADIO_ACCUMULATE) && plan->state == CLR_SUMS_LOST)
        return clr_fail(CLRADIO_ERROR_STATE, "an earlier call of this integration failed; start a "
                                             "new one without CLRADIO_ACCUMULATE");
    return CLRADIO_OK;
}

/* How many integrations the call holds. */
static clradio_status count_integrations(const clradio_xengine *plan, const clradio_xengine_io *io,
                                         uint64_t *integrations)
{
    const uint64_t each = io->integration_spectra, blocks = plan->config.block_times;
    *integrations = 1;
    if (!each)
        return CLRADIO_OK;
    if (!(io->flags & CLRADIO_DUMP))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "io.integration_spectra needs CLRADIO_DUMP in io.flags");
    if (blocks && each % blocks)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "io.integration_spectra is %" PRIu64 ", no multiple of the %" PRIu64
                        " spectra of a block",
                        each, blocks);
    *integrations = clr_max_u64(1, clr_ceil_div(io->spectra_count, each));
    return CLRADIO_OK;
}

/* Arrays of a call, those that it writes first. */
typedef struct arrays {
    struct {
        const char *name;
        clradio_span span;
        uint64_t bytes, alignment;
        int needed;
    } all[6];
} arrays;
enum { WRITTEN = 4, ALL = 6 };

static clradio_status list_arrays(const clradio_xengine *plan, const clradio_xengine_io *io,
                                  uint64_t integrations, arrays *list)
{
    const clradio_xengine_config *config = &plan->config;
    const int dumps = (io->flags & CLRADIO_DUMP) != 0, has_valid = config->valid != 0;
    const uint64_t inputs = (uint64_t)config->stations * config->polarisations;
    const uint64_t values = plan->channel_output_values * config->channels;
    const size_t element = clradio_type_bytes(config->input);
    uint64_t spectra = 0, visibilities = 0, counts = 0, valid = 0;
    clradio_status status = plan->plan.input_used(plan->plan.engine, io->spectra_count, &spectra);
    if (status)
        return status;
    if (has_valid)
        clr_xengine_valid_size(config, io->spectra_count, &valid);
    if (!clr_mul_u64(integrations, plan->visibilities_bytes, &visibilities) ||
        !clr_mul_u64(integrations, values * sizeof(uint64_t), &counts))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%" PRIu64 " integrations do not fit 64 bits",
                        integrations);
    *list = (arrays){ {
        { "visibilities", io->visibilities, dumps ? visibilities : 0,
          clradio_type_bytes(config->output), dumps },
        { "overflow", io->overflow, sizeof(uint32_t), sizeof(uint32_t), 0 },
        { "counts", io->counts, dumps ? counts : 0, sizeof(uint64_t), 0 },
        { "input_counts", io->input_counts,
          dumps ? integrations * inputs * config->channels * sizeof(uint64_t) : 0, sizeof(uint64_t),
          0 },
        { "spectra", io->spectra, spectra, element * clr_max_u64(1, config->block_times),
          io->spectra_count != 0 },
        { "valid", io->valid, valid, 1, 0 },
    } };
    return CLRADIO_OK;
}

static clradio_status check_arrays(const clradio_xengine *plan, const arrays *list)
{
    clradio_status status = CLRADIO_OK;
    for (int n = 0; n < ALL && !status; n++)
        if (list->all[n].needed || (list->all[n].span.buffer && list->all[n].bytes))
            status = clr_call_span(plan->device, list->all[n].name, list->all[n].span,
                                   list->all[n].bytes, list->all[n].alignment);
    for (int a = 0; a < WRITTEN; a++)
        for (int b = a + 1; b < ALL && !status; b++)
            status = clr_spans_apart(list->all[a].span, list->all[a].bytes, list->all[a].name,
                                     list->all[b].span, list->all[b].bytes, list->all[b].name);
    return status;
}

clradio_status clr_xengine_check_io(const clradio_xengine *plan, clradio_queue *queue,
                                    const clradio_xengine_io *io, uint64_t *integrations)
{
    arrays list = { { { NULL } } };
    clradio_status status =
        clr_call_check(plan ? plan->device : NULL, queue, io ? &io->struct_size : NULL, sizeof *io);
    if (status)
        return status;
    if (!plan->config.valid && (io->valid.buffer || io->counts.buffer || io->input_counts.buffer))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "io.%s needs a plan that was made with config.valid",
                        io->valid.buffer    ? "valid"
                        : io->counts.buffer ? "counts"
                                            : "input_counts");
    status = check_flags(plan, io);
    if (!status)
        status = count_integrations(plan, io, integrations);
    if (!status)
        status = list_arrays(plan, io, *integrations, &list);
    return status ? status : check_arrays(plan, &list);
}
