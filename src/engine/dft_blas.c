/*
 * The channel DFT's variant "blas": the matrix of phases of each link, and a library's batched
 * matrix product. A cross-check of the others, and a baseline.
 */
#include "base/checked.h"
#include "engine/dft_library.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS, PARAMETERS };
static const uint64_t most_matrix_bytes = (uint64_t)64 << 20;

static const clr_parameter parameters[PARAMETERS] = { [LINKS] = { "LINKS", 1, 65536 } };

typedef struct blas_state {
    clr_kernel *phases, *blank;
    const clr_dft_blas_library *library;
    void *library_state;
    clradio_buffer *matrices;
    uint64_t bytes; /* of matrices */
    size_t *places; /* three for each link of a batch */
} blas_state;

const clr_dft_blas_library *clr_dft_blas_library_of(const clradio_device *device)
{
    return strcmp(clr_device_info(device)->back_end, clr_dft_cublas.back_end) ? &clr_dft_clblast
                                                                              : &clr_dft_cublas;
}

static clradio_status blas_supported(clradio_device *device, const clradio_dft_config *config)
{
    if (config->type != CLRADIO_CF32 || config->rates || config->absent_negative ||
        config->order != CLRADIO_DFT_PATH_SUBCARRIER ||
        (config->delay != CLRADIO_DELAY_CONSECUTIVE && config->delays != CLRADIO_PER_LINK))
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the channel DFT's variant blas takes cf32, delays that the paths of a "
                        "link share, none of them absent, without Doppler, [path][value]");
    return clr_dft_blas_library_of(device)->available();
}

static int blas_preset(const clradio_device *device, const clradio_dft_config *config,
                       int64_t *values)
{
    (void)device, (void)config;
    values[LINKS] = 1024;
    return 0; /* by name only */
}

static clradio_status blas_settle(const clradio_device_info *device,
                                  const clradio_dft_config *config, int64_t *values)
{
    (void)device, (void)config, (void)values;
    return CLRADIO_OK;
}

static size_t blas_macros(const clradio_dft_config *config, const int64_t *values,
                          clr_macro *macros)
{
    (void)values;
    macros[0] = (clr_macro){ "LISTED", config->frequencies_hz != NULL };
    return 1;
}

static uint32_t blas_tile_paths(const clradio_dft_config *config, const int64_t *values)
{
    (void)config, (void)values;
    return 1 << 20;
}

static int blas_merges_links(const clradio_dft_config *config)
{
    return config->delay == CLRADIO_DELAY_CONSECUTIVE;
}

static clradio_status blas_prepare(clradio_dft *plan)
{
    blas_state *state = calloc(1, sizeof *state);
    if (!state)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the variant blas");
    plan->variant_state = state;
    state->library = clr_dft_blas_library_of(plan->device);
    state->bytes = clr_max_u64(most_matrix_bytes, 1024 * 8 * (uint64_t)plan->grid.values);
    state->places = malloc(3 * (size_t)plan->candidate.values[LINKS] * sizeof *state->places);
    clradio_status status = state->places
                                ? CLRADIO_OK
                                : clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the variant blas");
    if (!status)
        status = clr_kernel_create(plan->program, "dft_phases", &state->phases);
    if (!status)
        status = clr_kernel_create(plan->program, "dft_blank", &state->blank);
    if (!status)
        status = clradio_buffer_create(plan->device, state->bytes, &state->matrices);
    if (!status)
        status = state->library->create(plan->device, &state->library_state);
    plan->memory_bytes += state->bytes;
    return status;
}

static void blas_release(clradio_dft *plan)
{
    blas_state *state = plan->variant_state;
    clr_kernel_release(state->phases);
    clr_kernel_release(state->blank);
    clradio_buffer_destroy(state->matrices);
    state->library->destroy(plan->device, state->library_state);
    free(state->places);
    free(state);
}

/* Tiles alike in paths and taps, at one time step. */
static clradio_status do_batch(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call,
                               uint64_t first, uint64_t tiles, uint64_t time)
{
    const blas_state *state = plan->variant_state;
    const clr_dft_tile *tile = call->io->layout->host_tiles + first;
    const uint64_t values = plan->grid.values;
    const clradio_span gains = clr_dft_gains_at(call, time);
    const clradio_span response = clr_dft_response_at(call, time);
    clr_dft_piece piece = { .kernel = state->phases,
                            .first_tile = first,
                            .tiles = tiles,
                            .groups_y = clr_ceil_div(values, 64),
                            .gains = gains,
                            .response = { state->matrices, 0 } };
    size_t *a_at = state->places, *b_at = a_at + tiles, *c_at = b_at + tiles;
    for (uint64_t n = 0; n < tiles; n++) {
        a_at[n] = gains.offset / 8 + tile[n].first_gain;
        b_at[n] = n * tile->taps * values;
        c_at[n] = response.offset / 8 + tile[n].first_path * values;
    }
    const clr_dft_gemm_batch gemm = {
        tile->paths,     values,          tile->taps, tiles, gains.buffer,
        state->matrices, response.buffer, a_at,       b_at,  c_at
    };
    clradio_status status = clr_dft_launch_piece(plan, chain, call, &piece);
    if (!status)
        status = state->library->cgemm(state->library_state, chain, &gemm);
    piece.kernel = state->blank;
    piece.groups_y = 1;
    piece.response = response;
    return status ? status : clr_dft_launch_piece(plan, chain, call, &piece);
}

static clradio_status blas_launch(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call)
{
    const blas_state *state = plan->variant_state;
    const clr_dft_tile *tiles = call->io->layout->host_tiles;
    clradio_status status = CLRADIO_OK;
    for (uint64_t time = 0; time < call->io->time_steps; time++)
        for (uint64_t first = 0, end; !status && first < call->tile_count; first = end) {
            const uint64_t matrix = (uint64_t)tiles[first].taps * plan->grid.values * 8;
            const uint64_t most =
                clr_min_u64((uint64_t)plan->candidate.values[LINKS], state->bytes / matrix);
            for (end = first + 1; end < call->tile_count && end - first < most &&
                                  tiles[end].paths == tiles[first].paths &&
                                  tiles[end].taps == tiles[first].taps;)
                end++;
            status = do_batch(plan, chain, call, first, end - first, time);
        }
    return status;
}

static uint64_t blas_most_taps(const int64_t *values)
{
    (void)values;
    return 1024; /* a matrix fits */
}

/* A library adds up a component's two products a tap one after another, for all that is known of
 * it: a rounding each, of a sum that grows with taps that are alike. Before it a phasor and its
 * product. */
static double blas_bound(const clradio_dft_config *config, const int64_t *values)
{
    (void)values;
    return 0x1p-24 * (config->taps + 4.0);
}

const clr_dft_variant clr_dft_blas = {
    .name = "blas",
    .source = "dft_library.cl",
    .entry = "dft_phases",
    .parameters = parameters,
    .n_parameters = PARAMETERS,
    .supported = blas_supported,
    .preset = blas_preset,
    .settle = blas_settle,
    .macros = blas_macros,
    .least_taps = 1,
    .most_taps = blas_most_taps,
    .tile_paths = blas_tile_paths,
    .merges_links = blas_merges_links,
    .keeps_tiles = 1,
    .prepare = blas_prepare,
    .launch = blas_launch,
    .release = blas_release,
    .error_bound = blas_bound,
};
