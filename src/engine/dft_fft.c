/*
 * The channel DFT's variant "fft": consecutive samples, padded with zeros to a whole transform of
 * the device's FFT library. A cross-check of the others, and a baseline.
 */
#include "base/checked.h"
#include "engine/dft_library.h"
#include "engine/fengine.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { POINTS, PARAMETERS };
enum { MOST_POINTS = 1 << 22 };
static const uint64_t usual_work_bytes = (uint64_t)128 << 20;

static const clr_parameter parameters[PARAMETERS] = { [POINTS] = { "POINTS", 1, MOST_POINTS } };

typedef struct fft_state {
    clr_kernel *pad, *pick;
    clr_fft *fft;
    clradio_buffer *work, *temporary;
    uint64_t batch; /* rows of a transform */
} fft_state;

static uint32_t points_of(const clradio_dft_config *config)
{
    const double points = 1 / (config->spacing_hz * config->sample_period_s);
    const double whole = rint(points);
    return points >= 1 && points <= MOST_POINTS && fabs(points - whole) <= 1e-14 * whole &&
                   config->subcarriers <= whole
               ? (uint32_t)whole
               : 0;
}

static clradio_status fft_supported(clradio_device *device, const clradio_dft_config *config)
{
    if (config->delay != CLRADIO_DELAY_CONSECUTIVE || config->frequencies_hz ||
        config->average > 1 || config->rates || config->type != CLRADIO_CF32)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the channel DFT's variant fft takes cf32, consecutive samples without "
                        "Doppler and a uniform grid without means");
    const uint32_t points = points_of(config);
    if (!points)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the channel DFT's variant fft needs 1 / (spacing_hz x sample_period_s) = "
                        "%g to be a whole number, and no less than the subcarriers",
                        1 / (config->spacing_hz * config->sample_period_s));
    return points > 1 ? clr_fft_check_length(device, points)
                      : clr_fail(CLRADIO_ERROR_UNSUPPORTED, "one point needs no transform");
}

static int fft_preset(const clradio_device *device, const clradio_dft_config *config,
                      int64_t *values)
{
    (void)device;
    values[POINTS] = points_of(config) ? points_of(config) : 1;
    return 0; /* by name only */
}

static clradio_status fft_settle(const clradio_device_info *device,
                                 const clradio_dft_config *config, int64_t *values)
{
    (void)device;
    return values[POINTS] == points_of(config)
               ? CLRADIO_OK
               : clr_fail(CLRADIO_ERROR_ARGUMENT, "POINTS=%" PRId64 ": this grid has %u",
                          values[POINTS], points_of(config));
}

static size_t fft_macros(const clradio_dft_config *config, const int64_t *values, clr_macro *macros)
{
    (void)config, (void)values, (void)macros;
    return 0;
}

static uint64_t rows_of(const int64_t *values)
{
    return clr_max_u64(1, usual_work_bytes / ((uint64_t)values[POINTS] * 8));
}

static uint32_t fft_tile_paths(const clradio_dft_config *config, const int64_t *values)
{
    (void)config;
    return (uint32_t)clr_min_u64(16, rows_of(values));
}

static int fft_merges_links(const clradio_dft_config *config)
{
    return config->order == CLRADIO_DFT_PATH_SUBCARRIER;
}

static uint64_t fft_most_taps(const int64_t *values)
{
    return (uint64_t)values[POINTS];
}

static clradio_status fft_prepare(clradio_dft *plan)
{
    const uint64_t points = (uint64_t)plan->candidate.values[POINTS];
    clradio_queue *queue = NULL;
    fft_state *state = calloc(1, sizeof *state);
    if (!state)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a transform");
    plan->variant_state = state;
    state->batch = rows_of(plan->candidate.values);
    clradio_status status = clradio_queue_create(plan->device, 0, &queue);
    if (!status)
        status = clr_kernel_create(plan->program, "dft_pad", &state->pad);
    if (!status)
        status = clr_kernel_create(plan->program, "dft_pick", &state->pick);
    if (!status)
        status = clr_fft_create(plan->device, queue, (uint32_t)points, state->batch, &state->fft);
    if (!status)
        status = clradio_buffer_create(plan->device, state->batch * points * 8, &state->work);
    const uint64_t temporary = status ? 0 : clr_fft_temporary_bytes(state->fft);
    if (!status && temporary)
        status = clradio_buffer_create(plan->device, temporary, &state->temporary);
    /* what no tile fills is transformed too: let it be numbers */
    if (!status)
        status = clradio_buffer_fill(queue, (clradio_span){ state->work, 0 }, 0,
                                     state->batch * points * 8, 0, NULL, NULL);
    plan->memory_bytes += state->batch * points * 8 + temporary;
    clradio_queue_destroy(queue);
    return status;
}

static void fft_release(clradio_dft *plan)
{
    fft_state *state = plan->variant_state;
    clr_kernel_release(state->pad);
    clr_kernel_release(state->pick);
    clr_fft_destroy(state->fft);
    clradio_buffer_destroy(state->work);
    clradio_buffer_destroy(state->temporary);
    free(state);
}

/* Tiles whose paths fit one batch: pad, transform, pick. */
static clradio_status do_batch(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call,
                               uint64_t first, uint64_t tiles, uint64_t time)
{
    const fft_state *state = plan->variant_state;
    const uint64_t first_path = call->io->layout->host_tiles[first].first_path;
    clr_dft_piece piece = { .kernel = state->pad,
                            .first_tile = first,
                            .tiles = tiles,
                            .groups_y = 1,
                            .gains = clr_dft_gains_at(call, time),
                            .response = { state->work, 0 },
                            .response_step = first_path,
                            .columns = (uint32_t)plan->candidate.values[POINTS] };
    clradio_status status = clr_dft_launch_piece(plan, chain, call, &piece);
    if (!status)
        status = clr_fft_enqueue(state->fft, chain, state->work, state->temporary);
    piece.kernel = state->pick;
    piece.gains = (clradio_span){ state->work, 0 };
    piece.gains_step = first_path;
    piece.response = clr_dft_response_at(call, time);
    piece.response_step = 0;
    return status ? status : clr_dft_launch_piece(plan, chain, call, &piece);
}

static clradio_status fft_launch(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call)
{
    const fft_state *state = plan->variant_state;
    const clr_dft_tile *tiles = call->io->layout->host_tiles;
    clradio_status status = CLRADIO_OK;
    for (uint64_t time = 0; time < call->io->time_steps; time++)
        for (uint64_t first = 0, end; !status && first < call->tile_count; first = end) {
            /* links that go to direct leave gaps, which take rows too */
            for (end = first + 1;
                 end < call->tile_count &&
                 tiles[end].first_path + tiles[end].paths - tiles[first].first_path <=
                     state->batch;)
                end++;
            status = do_batch(plan, chain, call, first, end - first, time);
        }
    return status;
}

const clr_dft_variant clr_dft_fft = {
    .name = "fft",
    .source = "dft_library.cl",
    .entry = "dft_pad",
    .parameters = parameters,
    .n_parameters = PARAMETERS,
    .supported = fft_supported,
    .preset = fft_preset,
    .settle = fft_settle,
    .macros = fft_macros,
    .least_taps = 1,
    .most_taps = fft_most_taps,
    .tile_paths = fft_tile_paths,
    .merges_links = fft_merges_links,
    .keeps_tiles = 1,
    .prepare = fft_prepare,
    .launch = fft_launch,
    .release = fft_release,
    .error_bound = clr_dft_transform_bound,
};
