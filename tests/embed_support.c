/* A caller with an OpenCL context of its own. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "embed_support.h"

#include <stdlib.h>
#include <string.h>

cl_context embed_context(void **state, cl_device_id *id)
{
    only_on_opencl(state);
    cl_int code;
    *id = clradio_device_opencl_id(device_under_test(state));
    cl_context context = clCreateContext(NULL, 1, id, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    return context;
}

static cl_command_queue make_queue(cl_context context, cl_device_id id,
                                   cl_command_queue_properties properties)
{
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(context, id, properties, &code);
    if (code)
        queue = clCreateCommandQueue(context, id, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    return queue;
}

static cl_mem make_buffer(cl_context context, size_t bytes)
{
    cl_int code;
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    return memory;
}

void embed_own(embed_job *job, cl_context context, cl_device_id id,
               cl_command_queue_properties properties, uint32_t stations, uint32_t polarisations,
               uint32_t channels, uint64_t spectra)
{
    uint64_t seed = stations * 1000 + channels;
    unsigned char poison = EMBED_POISON;
    memset(job, 0, sizeof *job);
    job->config = (clradio_xengine_config)CLRADIO_XENGINE_CONFIG_INIT;
    job->config.stations = stations;
    job->config.polarisations = polarisations;
    job->config.channels = channels;
    job->config.spectra = spectra;
    job->config.output = CLRADIO_CI64;
    job->input_bytes = (size_t)spectra * channels * stations * polarisations * 2;
    job->output_bytes = (size_t)clradio_xengine_visibilities_bytes(&job->config);
    job->samples = malloc(job->input_bytes);
    for (size_t i = 0; i < job->input_bytes; i++)
        job->samples[i] = (int8_t)test_random_between(&seed, -128, 127);
    job->queue = make_queue(context, id, properties);
    job->input = make_buffer(context, job->input_bytes + EMBED_INPUT_OFFSET);
    job->output = make_buffer(context, job->output_bytes + 2 * EMBED_OUTPUT_OFFSET);
    cl_command_queue plain = make_queue(context, id, 0);
    assert_int_equal(clEnqueueWriteBuffer(plain, job->input, CL_TRUE, EMBED_INPUT_OFFSET,
                                          job->input_bytes, job->samples, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_int_equal(clEnqueueFillBuffer(plain, job->output, &poison, 1, 0,
                                         job->output_bytes + 2 * EMBED_OUTPUT_OFFSET, 0, NULL,
                                         NULL),
                     CL_SUCCESS);
    assert_int_equal(clFinish(plain), CL_SUCCESS);
    clReleaseCommandQueue(plain);
}

void embed_disown(embed_job *job)
{
    clReleaseMemObject(job->input);
    clReleaseMemObject(job->output);
    clReleaseCommandQueue(job->queue);
    free(job->samples);
}

clradio_status embed_wrap(embed_job *job, clradio_device *device)
{
    job->device = device;
    clradio_status status = clradio_queue_from_opencl(device, job->queue, &job->our_queue);
    if (!status)
        status = clradio_buffer_from_opencl(device, job->input, &job->our_input);
    if (!status)
        status = clradio_buffer_from_opencl(device, job->output, &job->our_output);
    if (!status)
        status = clradio_xengine_create(device, &job->config, &job->plan);
    return status;
}

void embed_unwrap(embed_job *job)
{
    clradio_xengine_destroy(job->plan);
    clradio_buffer_destroy(job->our_output);
    clradio_buffer_destroy(job->our_input);
    clradio_queue_destroy(job->our_queue);
}

clradio_status embed_enqueue(embed_job *job, uint64_t first, uint64_t count, unsigned flags,
                             size_t n_wait, clradio_event *const *wait, clradio_event **done)
{
    clradio_xengine_io io = CLRADIO_XENGINE_IO_INIT;
    uint64_t each = job->input_bytes / job->config.spectra;
    io.spectra = (clradio_span){ job->our_input, EMBED_INPUT_OFFSET + first * each };
    io.visibilities = (clradio_span){ job->our_output, EMBED_OUTPUT_OFFSET };
    io.spectra_count = count;
    io.flags = flags;
    return clradio_xengine_enqueue(job->plan, job->our_queue, &io, n_wait, wait, done);
}

/* V = sum of x_i conj(x_j), the definition. inputs: index station x polarisations + polarisation.
 */
static void expected_sum(const embed_job *job, uint32_t channel, uint32_t i, uint32_t j,
                         uint64_t first, uint64_t count, int64_t sum[2])
{
    uint32_t inputs = job->config.stations * job->config.polarisations;
    sum[0] = sum[1] = 0;
    for (uint64_t t = first; t < first + count; t++) {
        const int8_t *at = job->samples + (t * job->config.channels + channel) * inputs * 2;
        int64_t a = at[2 * i], b = at[2 * i + 1], c = at[2 * j], d = at[2 * j + 1];
        sum[0] += a * c + b * d;
        sum[1] += b * c - a * d;
    }
}

static size_t wrong_sums(const embed_job *job, const int64_t *sums, uint64_t first, uint64_t count)
{
    uint32_t stations = job->config.stations, pols = job->config.polarisations;
    size_t wrong = 0;
    for (uint32_t channel = 0; channel < job->config.channels; channel++)
        for (uint32_t i = 0; i < stations; i++)
            for (uint32_t j = 0; j <= i; j++)
                for (uint32_t p = 0; p < pols * pols; p++, sums += 2) {
                    int64_t sum[2];
                    expected_sum(job, channel, i * pols + p / pols, j * pols + p % pols, first,
                                 count, sum);
                    wrong += sum[0] != sums[0] || sum[1] != sums[1];
                }
    return wrong;
}

size_t embed_wrong(embed_job *job, cl_command_queue queue, cl_event wait, uint64_t first,
                   uint64_t count)
{
    size_t bytes = job->output_bytes + 2 * EMBED_OUTPUT_OFFSET, wrong = 0;
    unsigned char *out = malloc(bytes);
    memset(out, 0, bytes);
    if (clEnqueueReadBuffer(queue, job->output, CL_TRUE, 0, bytes, out, wait != NULL,
                            wait ? &wait : NULL, NULL))
        wrong++;
    for (size_t i = 0; i < bytes; i++)
        if (!count || i < EMBED_OUTPUT_OFFSET || i >= EMBED_OUTPUT_OFFSET + job->output_bytes)
            wrong += out[i] != EMBED_POISON;
    if (count) {
        int64_t *sums = malloc(job->output_bytes); /* aligned */
        memcpy(sums, out + EMBED_OUTPUT_OFFSET, job->output_bytes);
        wrong += wrong_sums(job, sums, first, count);
        free(sums);
    }
    free(out);
    return wrong;
}
