/* Signal to interference and noise ratios on a device: plan and calls. */
#include "base/checked.h"
#include "device/device.h"
#include "engine/sinr_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { GROUP = 64 };

static void default_strides(clradio_sinr_strides *strides, uint64_t inner, uint64_t receive,
                            uint64_t streams)
{
    if (strides->outer || strides->inner || strides->receive || strides->stream)
        return;
    *strides = (clradio_sinr_strides){ inner * receive * streams, receive * streams, streams, 1 };
}

clradio_status clr_sinr_check(const clradio_sinr_config *config, uint64_t inner,
                              clradio_sinr_config *checked)
{
    if (!config)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config is NULL");
    if (config->struct_size != sizeof *config)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.struct_size is %zu: start from CLRADIO_SINR_CONFIG_INIT",
                        config->struct_size);
    if (config->type != CLRADIO_CF32 && config->type != CLRADIO_CF64)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.type is %s; cf32 and cf64 are possible",
                        clradio_type_name(config->type));
    if ((unsigned)config->method > CLRADIO_SINR_MRC)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.method has no meaning %d",
                        (int)config->method);
    if (config->receive < 1 || config->receive > CLR_SINR_MOST || config->streams < 1 ||
        config->streams > CLR_SINR_MOST)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "%u receive antennas and %u streams: 1 to %d of each are possible",
                        config->receive, config->streams, CLR_SINR_MOST);
    if (config->interferers > 65535)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.interferers is %u; the most is 65535",
                        config->interferers);
    if (!(config->noise > 0) || !isfinite(config->noise))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "config.noise is %g: it must be above 0",
                        config->noise);
    /* R holds N0 itself, and sums of products that are a 2^24th of it */
    if (config->type == CLRADIO_CF32 &&
        (config->noise < CLR_SINR_LEAST_NOISE || config->noise > CLR_SINR_MOST_NOISE))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "config.noise is %g: cf32 takes %g to %g; responses and noise can be "
                        "scaled alike, and cf64 takes any",
                        config->noise, CLR_SINR_LEAST_NOISE, CLR_SINR_MOST_NOISE);
    *checked = *config;
    default_strides(&checked->serving, inner, config->receive, config->streams);
    default_strides(&checked->interfering, inner, config->receive, config->interferers);
    return CLRADIO_OK;
}

static clradio_status upload_noise(clradio_sinr *plan)
{
    const double noise = plan->config.noise;
    const float noise_float = (float)noise;
    const int is_double = plan->config.type == CLRADIO_CF64;
    clradio_queue *queue = NULL;
    clradio_status status = clradio_queue_create(plan->device, 0, &queue);
    if (!status)
        status = clradio_buffer_create(plan->device, sizeof noise, &plan->noise);
    if (!status)
        status = clradio_buffer_write(queue, (clradio_span){ plan->noise, 0 },
                                      is_double ? (const void *)&noise : (const void *)&noise_float,
                                      is_double ? sizeof noise : sizeof noise_float, 0, NULL, NULL);
    clradio_queue_destroy(queue);
    return status;
}

clradio_status clradio_sinr_create(clradio_device *device, const clradio_sinr_config *config,
                                   clradio_sinr **plan)
{
    clradio_sinr_config checked;
    if (!device || !plan)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is NULL", device ? "plan" : "device");
    *plan = NULL;
    clradio_status status = clr_sinr_check(config, 1, &checked);
    if (status)
        return status;
    if (config->type == CLRADIO_CF64 && !clr_device_info(device)->fp64)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED, "%s has no double precision: cf64 cannot be",
                        clr_device_info(device)->name);
    clradio_sinr *made = calloc(1, sizeof *made);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a plan of SINRs");
    made->device = clr_device_retain(device);
    made->config = *config;
    const clr_macro macros[] = { { "REAL64", config->type == CLRADIO_CF64 },
                                 { "RECEIVE", config->receive },
                                 { "STREAMS", config->streams },
                                 { "MRC", config->method == CLRADIO_SINR_MRC } };
    status = clr_program_get(device, "sinr.cl", macros, 4, &made->program);
    if (!status)
        status = clr_kernel_create(made->program, "sinr", &made->kernel);
    if (!status)
        status = upload_noise(made);
    if (status) {
        clradio_sinr_destroy(made);
        return status;
    }
    *plan = made;
    return CLRADIO_OK;
}

uint64_t clr_sinr_reach(const clradio_sinr_strides *s, uint64_t outer, uint64_t inner,
                        uint64_t receive, uint64_t streams)
{
    const uint64_t counts[] = { outer, inner, receive, streams };
    const uint64_t strides[] = { s->outer, s->inner, s->receive, s->stream };
    uint64_t end = 1;
    for (size_t i = 0; i < 4; i++) {
        uint64_t part;
        if (!counts[i])
            return 1;
        if (!clr_mul_u64(counts[i] - 1, strides[i], &part) || !clr_add_u64(end, part, &end) ||
            end > UINT64_MAX / 16)
            return 0;
    }
    return end;
}

static clradio_status check_io(const clradio_sinr *plan, const clradio_sinr_io *io,
                               const clradio_sinr_config *checked)
{
    const uint64_t element = clradio_type_bytes(checked->type);
    const uint64_t factors[] = { io->outer, io->inner, checked->streams, element / 2 };
    uint64_t out;
    const uint64_t h =
        clr_sinr_reach(&checked->serving, io->outer, io->inner, checked->receive, checked->streams);
    const uint64_t g = checked->interferers
                           ? clr_sinr_reach(&checked->interfering, io->outer, io->inner,
                                            checked->receive, checked->interferers)
                           : 1;
    if (!clr_product_u64(factors, 4, &out) || !h || !g ||
        io->outer * io->inner > (uint64_t)INT32_MAX * GROUP)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%" PRIu64 " x %" PRIu64 " problems are too many",
                        io->outer, io->inner);
    if (!out)
        return CLRADIO_OK;
    clradio_status status =
        clr_call_span(plan->device, "serving", io->serving, h * element, element);
    if (!status && checked->interferers)
        status = clr_call_span(plan->device, "interfering", io->interfering, g * element, element);
    if (!status)
        status = clr_call_span(plan->device, "sinr", io->sinr, out, element / 2);
    if (!status && io->bad.buffer)
        status = clr_call_span(plan->device, "bad", io->bad, 4, 4);
    if (!status)
        status = clr_spans_apart(io->sinr, out, "sinr", io->serving, h * element, "serving");
    if (!status && checked->interferers)
        status =
            clr_spans_apart(io->sinr, out, "sinr", io->interfering, g * element, "interfering");
    return status;
}

static clradio_status launch(clradio_sinr *plan, clr_chain *chain, const clradio_sinr_io *io,
                             const clradio_sinr_config *checked)
{
    const uint64_t problems = io->outer * io->inner;
    const clradio_sinr_strides *h = &checked->serving, *g = &checked->interfering;
    clr_launch launch = { .groups = { (size_t)clr_ceil_div(problems, GROUP), 1, 1 },
                          .group = { GROUP, 1, 1 } };
    const uint64_t numbers[] = { io->outer, io->inner, h->outer, h->inner,   h->receive,
                                 h->stream, g->outer,  g->inner, g->receive, g->stream };
    if (!problems)
        return CLRADIO_OK;
    clr_launch_span(&launch, io->serving);
    clr_launch_span(&launch, checked->interferers ? io->interfering : io->serving);
    clr_launch_span(&launch, io->sinr);
    clr_launch_span(&launch, io->bad);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        clr_launch_u64(&launch, numbers[i]);
    clr_launch_u32(&launch, checked->interferers);
    clr_launch_u32(&launch, io->bad.buffer != NULL);
    clr_launch_span(&launch, (clradio_span){ plan->noise, 0 });
    return clr_chain_launch(chain, plan->kernel, &launch);
}

clradio_status clradio_sinr_enqueue(clradio_sinr *plan, clradio_queue *queue,
                                    const clradio_sinr_io *io, size_t n_wait,
                                    clradio_event *const *wait, clradio_event **done)
{
    clr_chain chain;
    clradio_sinr_config checked;
    if (done)
        *done = NULL;
    clradio_status status =
        clr_call_check(plan ? plan->device : NULL, queue, io ? &io->struct_size : NULL, sizeof *io);
    if (!status)
        status = clr_sinr_check(&plan->config, io->inner, &checked);
    if (!status)
        status = check_io(plan, io, &checked);
    if (status)
        return status;
    status = clr_chain_begin(&chain, queue, plan->last, n_wait, wait);
    if (status)
        return status;
    return clr_chain_end_call(&chain, launch(plan, &chain, io, &checked), &plan->last, done);
}

void clradio_sinr_destroy(clradio_sinr *plan)
{
    if (!plan)
        return;
    clradio_event_destroy(plan->last);
    clradio_buffer_destroy(plan->noise);
    clradio_buffer_destroy(plan->bad);
    clr_kernel_release(plan->kernel);
    clr_program_release(plan->program);
    clradio_device_close(plan->device);
    free(plan);
}
