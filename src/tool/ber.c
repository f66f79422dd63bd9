/* clradio ber: error rates of a MIMO link over SNR, by Monte-Carlo on a device. */
#include "tool/ber.h"

#include "base/progress.h"
#include "tool/commands.h"
#include "tool/json.h"
#include "tool/options.h"
#include "tool/same_file.h"
#include "tool/say.h"

#include <inttypes.h>

/* ---- the loop ---- */

/* What the engine's stop function is given. */
typedef struct watch {
    clr_ber *ber;
    clr_progress progress;
    double saved;
    clradio_status failure;
} watch;

static const double save_seconds = 10.0;

static int look(void *user, const clradio_montecarlo_counts *counts)
{
    watch *w = user;
    const double now = clr_steady_seconds();
    clr_progress_update(&w->progress, counts->vectors);
    if (w->ber->request->resume && now - w->saved > save_seconds) {
        w->saved = now;
        w->failure = clr_ber_save(w->ber, w->ber->request->resume);
    }
    return clr_interrupted() || w->failure;
}

/* 1 when a point that was read from --resume needs nothing more. */
static int has_ended(const clr_ber_point *point)
{
    const clradio_montecarlo_point *state = &point->state;
    return state->end == CLRADIO_MONTECARLO_SECONDS && state->seconds >= state->max_seconds &&
           state->max_seconds > 0;
}

static clr_exit measure(clr_ber *ber, clradio_montecarlo *plan)
{
    watch w = { .ber = ber, .saved = clr_steady_seconds() };
    clradio_status status = CLRADIO_OK;
    for (size_t i = 0; i < ber->count && !status && !clr_interrupted(); i++) {
        clr_ber_point *point = &ber->points[i];
        point->state.stop = look;
        point->state.user = &w;
        clr_progress_begin(&w.progress, "counting", "vectors", 0);
        if (!has_ended(point))
            status = clradio_montecarlo_run(plan, &point->state);
        clr_progress_end(&w.progress);
        if (!status)
            status = w.failure;
        clr_ber_rate(point);
        if (!status && point->state.end != CLRADIO_MONTECARLO_STOPPED)
            ber->done = i + 1;
        if (!status)
            clr_ber_say_point(ber, point);
        if (!status && ber->request->resume)
            status = clr_ber_save(ber, ber->request->resume);
    }
    return status ? clr_say_status(status) : CLR_EXIT_OK;
}

/* ---- the plan ---- */

/* Vectors a call to begin with: a GPU wants many, and no more than an eighth of its memory. */
static uint64_t wanted_batch(const clr_ber *ber)
{
    const clr_ber_request *request = ber->request;
    if (request->batch)
        return request->batch;
    if (ber->device.kind == CLRADIO_DEVICE_CPU)
        return CLRADIO_MONTECARLO_BLOCK;
    const uint64_t each = request->transmit * request->receive * 24 + 512;
    const uint64_t most = ber->device.memory_bytes / 8 / each;
    const uint64_t wanted = (uint64_t)64 * CLRADIO_MONTECARLO_BLOCK;
    return most < CLRADIO_MONTECARLO_BLOCK ? CLRADIO_MONTECARLO_BLOCK
           : most < wanted                 ? most
                                           : wanted;
}

/* Halves the batch until the plan fits into the device. */
static clradio_status make_plan(clr_ber *ber, clradio_device *device, clradio_montecarlo **plan)
{
    clradio_status status;
    ber->config.detector.vectors = wanted_batch(ber);
    for (;;) {
        status = clradio_montecarlo_create(device, &ber->config, plan);
        const int too_large =
            status == CLRADIO_ERROR_LIMIT || status == CLRADIO_ERROR_DEVICE_MEMORY;
        if (!too_large || ber->config.detector.vectors == 1)
            break;
        ber->config.detector.vectors /= 2;
    }
    if (!status)
        status = clradio_montecarlo_get_info(*plan, &ber->info);
    return status;
}

static clr_exit write_files(const clr_ber *ber)
{
    const clr_ber_request *request = ber->request;
    clr_exit answer = CLR_EXIT_OK, next = CLR_EXIT_OK;
    if (request->json)
        answer = clr_ber_write_json(ber, request->json);
    if (request->csv)
        next = clr_ber_write_csv(ber, request->csv);
    answer = answer ? answer : next;
    next = CLR_EXIT_OK;
    if (request->plot)
        next = clr_ber_draw(ber, request->plot);
    return answer ? answer : next;
}

static clr_exit run(clr_ber *ber)
{
    clradio_device *device = NULL;
    clradio_montecarlo *plan = NULL;
    ber->device = (clradio_device_info)CLRADIO_DEVICE_INFO_INIT;
    ber->info = (clradio_montecarlo_info)CLRADIO_MONTECARLO_INFO_INIT;
    clradio_status status = clradio_device_open(ber->request->device, &device);
    if (!status)
        status = clradio_device_describe(device, &ber->device);
    if (!status)
        status = make_plan(ber, device, &plan);
    clr_exit answer = status ? clr_say_engine(status) : CLR_EXIT_OK;
    if (!status) {
        clr_interrupt_watch();
        clr_ber_say_head(ber);
        answer = measure(ber, plan);
        const clr_exit written = write_files(ber);
        answer = answer ? answer : written;
    }
    if (!answer && ber->done < ber->count)
        answer = clr_say(CLR_EXIT_INTERRUPTED, "interrupted after %zu of %zu points%s", ber->done,
                         ber->count, ber->request->resume ? "; the counts are kept" : "");
    clradio_montecarlo_destroy(plan);
    clradio_device_close(device);
    return answer;
}

clr_exit clr_command_ber(int argc, char **argv)
{
    clr_ber_request request = clr_ber_defaults;
    clr_operands operands;
    clr_ber ber = { 0 };
    clr_exit answer = clr_options_read(&clr_ber_usage, argc, argv, &request, &operands);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    const char *const outputs[] = { request.json, request.csv, request.plot, request.resume };
    answer = clr_refuse_one_output("ber", outputs, CLR_COUNT_OF(outputs));
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    if (request.json && (answer = clr_json_writable(request.json)) != CLR_EXIT_CARRY_ON)
        return answer;
    if ((answer = clr_writable(request.csv)) != CLR_EXIT_CARRY_ON)
        return answer;
    answer = clr_ber_setup(&ber, &request);
    if (!answer && request.plot)
        answer = clr_ber_draw_ready(&ber, request.plot);
    if (!answer && request.resume)
        answer = clr_ber_load(&ber, request.resume);
    if (!answer)
        answer = run(&ber);
    clr_ber_free(&ber);
    return answer;
}
