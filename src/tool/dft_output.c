/* clradio dft: the response into an array file, as it comes, and the taps. */
#include "tool/dft.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct clr_dft_output {
    const clr_dft_job *job;
    clr_arrays_writer *writer;
    int several; /* the format holds more arrays than one */
};

static const char *format_name(const clr_dft_request *request)
{
    static const char *const names[] = { NULL, "npy", "npz", "hdf5", "mat", "mat7.3" };
    return names[request->format];
}

static void add_axis(clr_arrays_layout *layout, const char *name, uint64_t size)
{
    if (layout->rank == CLR_ARRAYS_MOST_RANK)
        return;
    layout->axis[layout->rank] = name;
    layout->size[layout->rank++] = size;
}

/* The axes of the engine's order. QuaDRiGa's are turned, so that they are rx, tx, carrier, snapshot
 * to MATLAB. */
static clr_arrays_layout response_layout(const clr_dft_job *job)
{
    const clr_taps *taps = &job->taps;
    clr_arrays_layout layout = { .name = taps->response };
    const char *subcarrier = job->config.average > 1 ? "block" : "subcarrier";
    int first = job->config.order == CLRADIO_DFT_SUBCARRIER_PATH;
    layout.element = job->config.type == CLRADIO_CF64 ? CLR_ELEMENT_CF64 : CLR_ELEMENT_CF32;
    if (job->time_steps > 1)
        add_axis(&layout, "time", job->time_steps);
    for (unsigned k = 0; k < taps->rank; k++) {
        if (first && k == taps->link_axes)
            add_axis(&layout, subcarrier, job->values);
        add_axis(&layout, taps->axis[k], taps->size[k]);
    }
    if (!first || taps->rank == taps->link_axes)
        add_axis(&layout, subcarrier, job->values);
    if (!taps->subcarrier_first || !first)
        return layout;
    clr_arrays_layout turned = layout;
    for (unsigned k = 0; k < layout.rank; k++) {
        turned.axis[k] = layout.axis[layout.rank - 1 - k];
        turned.size[k] = layout.size[layout.rank - 1 - k];
    }
    turned.fortran = 1;
    return turned;
}

static int holds_several(const clr_dft_request *request)
{
    const char *dot = strrchr(request->output, '.');
    return request->format ? request->format != 1 : !dot || strcmp(dot, ".npy") != 0;
}

clradio_status clr_dft_output_begin(const clr_dft_job *job, clr_dft_output **made)
{
    const clr_dft_request *request = job->request;
    *made = NULL;
    if (!request->output)
        return CLRADIO_OK;
    clr_dft_output *output = calloc(1, sizeof *output);
    if (!output)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the output");
    output->job = job;
    output->several = holds_several(request);
    clr_arrays_layout layout = response_layout(job);
    clradio_status status =
        clr_arrays_create(request->output, format_name(request), &output->writer);
    if (!status)
        status = clr_arrays_begin(output->writer, &layout);
    if (status) {
        clr_dft_output_end(output, 0);
        return status;
    }
    *made = output;
    return CLRADIO_OK;
}

clradio_status clr_dft_output_add(clr_dft_output *output, const void *values, uint64_t count)
{
    return output ? clr_arrays_append(output->writer, values, count) : CLRADIO_OK;
}

/* The frequency of every value: the mean of a block's. */
static clradio_status add_frequencies(clr_dft_output *output)
{
    const clr_dft_job *job = output->job;
    uint32_t average = job->config.average;
    clr_arrays_layout layout = { .name = "frequency",
                                 .element = CLR_ELEMENT_F64,
                                 .rank = 1,
                                 .size = { job->values },
                                 .axis = { average > 1 ? "block" : "subcarrier" } };
    double *hertz = malloc((size_t)job->values * sizeof *hertz);
    if (!hertz)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the frequencies");
    for (uint64_t k = 0; k < job->values; k++) {
        double first = clradio_dft_frequency(&job->config, (uint32_t)(k * average));
        double last = clradio_dft_frequency(&job->config, (uint32_t)(k * average + average - 1));
        hertz[k] = (first + last) / 2;
    }
    clradio_status status = clr_arrays_add(output->writer, &layout, hertz);
    free(hertz);
    return status;
}

clradio_status clr_dft_output_end(clr_dft_output *output, int keep)
{
    clradio_status status = CLRADIO_OK;
    if (!output)
        return status;
    if (keep && output->several)
        status = add_frequencies(output);
    if (keep && !status)
        status = clr_arrays_commit(output->writer);
    else
        clr_arrays_abandon(output->writer);
    free(output);
    return status;
}

static clradio_status add_offsets(clr_arrays_writer *writer, const char *name,
                                  const uint64_t *offsets, uint64_t count)
{
    clr_arrays_layout layout = {
        .name = name, .element = CLR_ELEMENT_U64, .rank = 1, .size = { count + 1 }
    };
    return offsets ? clr_arrays_add(writer, &layout, offsets) : CLRADIO_OK;
}

/* link_taps of links that all have as many, so that both offsets are there. */
static clradio_status add_even(clr_arrays_writer *writer, const char *name, uint64_t count,
                               uint64_t each)
{
    uint64_t *offsets = malloc((size_t)(count + 1) * sizeof *offsets);
    if (!offsets)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the offsets");
    for (uint64_t i = 0; i <= count; i++)
        offsets[i] = i * each;
    clradio_status status = add_offsets(writer, name, offsets, count);
    free(offsets);
    return status;
}

clradio_status clr_dft_write_taps(const clr_dft_job *job, const char *path)
{
    const clr_taps *taps = &job->taps;
    int ragged = taps->link_paths || taps->link_taps;
    clr_arrays_layout gain = { .name = "gain",
                               .element = job->config.type == CLRADIO_CF64 ? CLR_ELEMENT_CF64
                                                                           : CLR_ELEMENT_CF32 };
    clr_arrays_layout delay = { .name = "delay", .element = CLR_ELEMENT_F64 };
    for (unsigned k = 0; k < taps->rank && !ragged; k++) {
        add_axis(&gain, taps->axis[k], taps->size[k]);
        if (k < taps->link_axes || taps->per_path)
            add_axis(&delay, taps->axis[k], taps->size[k]);
    }
    add_axis(&gain, "tap", ragged ? taps->gain_count : taps->taps);
    add_axis(&delay, "tap", ragged ? taps->delay_count : taps->taps);
    clr_arrays_writer *writer;
    clradio_status status = clr_arrays_create(path, NULL, &writer);
    if (status)
        return status;
    status = clr_arrays_add(writer, &gain, taps->gains);
    if (!status)
        status = clr_arrays_add(writer, &delay, taps->delays);
    if (!status && ragged)
        status = taps->link_paths
                     ? add_offsets(writer, "link_paths", taps->link_paths, taps->links)
                     : add_even(writer, "link_paths", taps->links, taps->paths_per_link);
    if (!status && ragged)
        status = taps->link_taps ? add_offsets(writer, "link_taps", taps->link_taps, taps->links)
                                 : add_even(writer, "link_taps", taps->links, taps->taps_per_link);
    if (!status && ragged)
        status = add_offsets(writer, "beam_links", taps->beam_links, taps->beams);
    if (!status && taps->rates) {
        gain.name = "rate";
        gain.element = CLR_ELEMENT_F64;
        status = clr_arrays_add(writer, &gain, taps->rates);
    }
    if (!status)
        return clr_arrays_commit(writer);
    clr_arrays_abandon(writer);
    return status;
}
