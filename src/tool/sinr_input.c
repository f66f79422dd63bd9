/* clradio sinr: the response, its axes in their roles, and its elements as the engine takes them.
 */
#include "tool/sinr.h"

#include "base/checked.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t usual_bytes = (uint64_t)256 << 20; /* of a piece, as it lies in the file */

void clr_sinr_close(clr_sinr_job *job)
{
    clr_arrays_close(job->file);
    job->file = NULL;
}

/* ---- axes ---- */

static int find_response(clr_sinr_job *job)
{
    static const char *const names[] = { "response", "h", "channel" };
    const char *given = job->request->response;
    if (given)
        return clr_arrays_find(job->file, given, &job->index);
    for (int k = 0; k < 3; k++)
        if (clr_arrays_find(job->file, names[k], &job->index))
            return 1;
    job->index = 0;
    return clr_arrays_count(job->file) == 1;
}

/* The names of --axes. */
static clr_exit name_axes(clr_sinr_job *job)
{
    unsigned n = 0;
    for (const char *word = job->request->axes; word;) {
        const size_t length = strcspn(word, ",");
        if (!length || length >= sizeof *job->axis || n == job->rank)
            break;
        clr_copy_text(job->axis[n++], length + 1, word);
        for (unsigned k = 0; k + 1 < n; k++)
            if (!strcmp(job->axis[k], job->axis[n - 1]))
                return clr_say(CLR_EXIT_USAGE, "sinr: --axes has two axes of the name '%s'",
                               job->axis[k]);
        word = word[length] ? word + length + 1 : NULL;
        if (!word && n == job->rank)
            return CLR_EXIT_CARRY_ON;
    }
    return clr_say(CLR_EXIT_USAGE,
                   "sinr: the response has %u axes; --axes takes as many names with commas "
                   "between, not '%s'",
                   job->rank, job->request->axes);
}

static int find_axis(const clr_sinr_job *job, const char *name)
{
    for (unsigned k = 0; k < job->rank; k++)
        if (!strcmp(job->axis[k], name))
            return (int)k;
    return -1;
}

/* The axis that was asked for, else the first of the usual names. */
static clr_exit find_role(const clr_sinr_job *job, const char *asked, const char *option,
                          const char *first, const char *second, int *role)
{
    *role = find_axis(job, asked ? asked : first);
    if (*role >= 0)
        return CLR_EXIT_CARRY_ON;
    if (asked)
        return clr_say(CLR_EXIT_USAGE, "sinr: the response has no axis '%s' (--%s)", asked, option);
    *role = second ? find_axis(job, second) : -1;
    return CLR_EXIT_CARRY_ON;
}

static clr_exit set_roles(clr_sinr_job *job)
{
    const clr_sinr_request *request = job->request;
    clr_exit answer = find_role(job, request->receive, "rx-axis", "rx_ant", "rx", &job->receive);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = find_role(job, request->transmit, "tx-axis", "tx_ant", "tx", &job->transmit);
    const int own_antennas = job->transmit >= 0 && !strcmp(job->axis[job->transmit], "tx_ant");
    if (answer == CLR_EXIT_CARRY_ON)
        answer = find_role(job, request->sector, "sector-axis", "sector",
                           own_antennas ? "tx" : NULL, &job->sector);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    if (job->receive < 0 && job->transmit < 0)
        return clr_say(CLR_EXIT_USAGE, "sinr: no axis of the response is one of antennas (rx_ant, "
                                       "rx, tx_ant, tx): say --axes, or --rx-axis and --tx-axis");
    if ((job->receive >= 0 && (job->receive == job->transmit || job->receive == job->sector)) ||
        (job->transmit >= 0 && job->transmit == job->sector))
        return clr_say(CLR_EXIT_USAGE, "sinr: one axis of the response cannot be two of receive "
                                       "antennas, transmit antennas and sectors");
    for (unsigned k = 0; k < job->rank; k++) {
        const char *name = job->axis[k];
        if ((int)k == job->receive || (int)k == job->transmit || (int)k == job->sector)
            continue;
        job->of_receiver[job->kept] =
            strcmp(name, "subcarrier") && strcmp(name, "block") && strcmp(name, "time");
        job->kept_axis[job->kept++] = k;
    }
    return CLR_EXIT_CARRY_ON;
}

static uint64_t size_of(const clr_sinr_job *job, int axis)
{
    return axis < 0 ? 1 : job->size[axis];
}

static clr_exit set_config(clr_sinr_job *job)
{
    const clr_sinr_request *request = job->request;
    const uint64_t receive = size_of(job, job->receive), streams = size_of(job, job->transmit);
    const uint64_t sectors = size_of(job, job->sector);
    uint64_t interferers;
    if (!receive || !streams || !sectors || receive > 16 || streams > 16 ||
        !clr_mul_u64(sectors - 1, streams, &interferers) || interferers > INT32_MAX)
        return clr_say(CLR_EXIT_USAGE,
                       "sinr: %llu receive antennas, %llu streams, %llu sectors: 1 to 16 antennas "
                       "and streams can be, and at least one sector",
                       (unsigned long long)receive, (unsigned long long)streams,
                       (unsigned long long)sectors);
    job->serving = UINT64_MAX;
    if (request->serving && strcmp(request->serving, "strongest") != 0 &&
        (!clr_parse_u64(request->serving, &job->serving) || job->serving >= sectors))
        return clr_say(CLR_EXIT_USAGE,
                       "sinr: --serving takes strongest or a number below %llu, not '%s'",
                       (unsigned long long)sectors, request->serving);
    job->config = (clradio_sinr_config)CLRADIO_SINR_CONFIG_INIT;
    job->config.type = request->type ? CLRADIO_CF64 : CLRADIO_CF32;
    job->config.method = request->method ? CLRADIO_SINR_MRC : CLRADIO_SINR_MMSE;
    job->config.receive = (uint32_t)receive;
    job->config.streams = (uint32_t)streams;
    job->config.interferers = (uint32_t)interferers;
    job->config.noise =
        isnan(request->snr_db) ? request->noise : (double)streams / pow(10, request->snr_db / 10);
    return CLR_EXIT_CARRY_ON;
}

clr_exit clr_sinr_open(clr_sinr_job *job, const char *path)
{
    clradio_status status = clr_arrays_open(path, &job->file);
    if (status)
        return clr_say_input(status);
    if (!find_response(job))
        return clr_say(CLR_EXIT_USAGE, "sinr: '%s' has no array %s", path,
                       job->request->response ? job->request->response
                                              : "response, h or channel; say --response");
    const clr_arrays_info *info = clr_arrays_get(job->file, job->index);
    if (!clr_element_is_complex(info->element) || !info->rank || !info->count)
        return clr_say(CLR_EXIT_DAMAGED, "sinr: the array '%s' holds no complex numbers in axes",
                       *info->name ? info->name : path);
    job->rank = info->rank;
    memcpy(job->size, info->size, sizeof job->size);
    memcpy(job->axis, info->axis, sizeof job->axis);
    for (uint64_t step = 1, k = job->rank; k-- > 0; step *= job->size[k])
        job->stride[k] = step;
    clr_exit answer = job->request->axes ? name_axes(job) : CLR_EXIT_CARRY_ON;
    if (answer == CLR_EXIT_CARRY_ON)
        answer = set_roles(job);
    return answer == CLR_EXIT_CARRY_ON ? set_config(job) : answer;
}

uint64_t clr_sinr_rows(const clr_sinr_job *job)
{
    if (!job->kept || job->kept_axis[0] || !job->of_receiver[0])
        return job->size[0];
    const uint64_t bytes = job->stride[0] * clradio_type_bytes(job->config.type);
    return clr_min_u64(job->size[0], clr_max_u64(1, usual_bytes / bytes));
}

/* ---- elements ---- */

/* Walks through the problems of a piece: where each begins, and which receiver it is of. */
typedef struct walk {
    const clr_sinr_job *job;
    uint64_t size[CLR_ARRAYS_MOST_RANK], index[CLR_ARRAYS_MOST_RANK];
    uint64_t at, receiver, receivers, problems;
} walk;

static void walk_begin(walk *w, const clr_sinr_job *job, uint64_t rows)
{
    *w = (walk){ .job = job, .receivers = 1, .problems = 1 };
    for (unsigned k = 0; k < job->kept; k++) {
        const unsigned axis = job->kept_axis[k];
        w->size[k] = axis ? job->size[axis] : rows;
        w->problems *= w->size[k];
        w->receivers *= job->of_receiver[k] ? w->size[k] : 1;
    }
}

static void walk_next(walk *w)
{
    const clr_sinr_job *job = w->job;
    uint64_t receiver_step = 1;
    for (unsigned k = job->kept; k-- > 0;) {
        const uint64_t step = job->stride[job->kept_axis[k]];
        const uint64_t whole = job->of_receiver[k] ? receiver_step : 0;
        if (++w->index[k] < w->size[k]) {
            w->at += step;
            w->receiver += whole;
            return;
        }
        w->index[k] = 0;
        w->at -= (w->size[k] - 1) * step;
        w->receiver -= (w->size[k] - 1) * whole;
        receiver_step *= job->of_receiver[k] ? w->size[k] : 1;
    }
}

static uint64_t stride_of(const clr_sinr_job *job, int axis)
{
    return axis < 0 ? 0 : job->stride[axis];
}

static double power_at(const clr_sinr_job *job, const void *values, uint64_t n)
{
    if (job->config.type == CLRADIO_CF64) {
        const double *v = (const double *)values + 2 * n;
        return v[0] * v[0] + v[1] * v[1];
    }
    const float *v = (const float *)values + 2 * n;
    return (double)v[0] * v[0] + (double)v[1] * v[1];
}

/* The sector of largest power of each receiver; of equal ones the first. What is not finite does
 * not decide. */
static clradio_status choose_strongest(const clr_sinr_job *job, const void *values, uint64_t rows,
                                       uint64_t *serving)
{
    const uint64_t sectors = size_of(job, job->sector);
    walk w;
    walk_begin(&w, job, rows);
    double *power = calloc((size_t)(w.receivers * sectors), sizeof *power);
    if (!power)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the sectors' powers");
    for (uint64_t p = 0; p < w.problems; p++, walk_next(&w))
        for (uint64_t s = 0; s < sectors; s++)
            for (uint32_t a = 0; a < job->config.receive; a++)
                for (uint32_t t = 0; t < job->config.streams; t++) {
                    const double one = power_at(job, values,
                                                w.at + s * stride_of(job, job->sector) +
                                                    a * stride_of(job, job->receive) +
                                                    t * stride_of(job, job->transmit));
                    power[w.receiver * sectors + s] += isfinite(one) ? one : 0;
                }
    for (uint64_t r = 0; r < w.receivers; r++) {
        serving[r] = 0;
        for (uint64_t s = 1; s < sectors; s++)
            if (power[r * sectors + s] > power[r * sectors + serving[r]])
                serving[r] = s;
    }
    free(power);
    return CLRADIO_OK;
}

/* Puts every problem's elements together. */
static void gather(const clr_sinr_job *job, const char *values, uint64_t rows,
                   const uint64_t *serving, clr_sinr_piece *piece)
{
    const size_t element = (size_t)clradio_type_bytes(job->config.type);
    const uint64_t sectors = size_of(job, job->sector);
    char *wanted = piece->serving, *other = piece->interfering;
    walk w;
    walk_begin(&w, job, rows);
    for (uint64_t p = 0; p < w.problems; p++, walk_next(&w)) {
        const uint64_t serves = job->serving == UINT64_MAX ? serving[w.receiver] : job->serving;
        for (uint32_t a = 0; a < job->config.receive; a++)
            for (uint64_t s = 0; s < sectors; s++)
                for (uint32_t t = 0; t < job->config.streams; t++) {
                    char **to = s == serves ? &wanted : &other;
                    memcpy(*to,
                           values + (w.at + s * stride_of(job, job->sector) +
                                     a * stride_of(job, job->receive) +
                                     t * stride_of(job, job->transmit)) *
                                        element,
                           element);
                    *to += element;
                }
    }
}

clradio_status clr_sinr_read(const clr_sinr_job *job, uint64_t first, uint64_t rows,
                             clr_sinr_piece *piece)
{
    const uint64_t element = clradio_type_bytes(job->config.type);
    const uint64_t factors[] = { rows, job->stride[0], element };
    uint64_t bytes;
    walk w;
    walk_begin(&w, job, rows);
    *piece = (clr_sinr_piece){ .problems = w.problems };
    if (!clr_product_u64(factors, 3, &bytes) || bytes > SIZE_MAX / 2)
        return clr_fail(CLRADIO_ERROR_MEMORY, "a response of that size cannot be read");
    const uint64_t antennas = w.problems * job->config.receive * element;
    uint64_t *serving = malloc((size_t)w.receivers * sizeof *serving);
    void *values = malloc((size_t)bytes);
    piece->serving = malloc((size_t)(antennas * job->config.streams));
    piece->interfering = malloc((size_t)(antennas * job->config.interferers) + 1);
    clradio_status status = CLRADIO_OK;
    if (!serving || !values || !piece->serving || !piece->interfering)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %llu bytes of the response",
                          (unsigned long long)bytes);
    if (!status)
        status = clr_arrays_read(
            job->file, job->index, first, rows,
            job->config.type == CLRADIO_CF64 ? CLR_ELEMENT_CF64 : CLR_ELEMENT_CF32, values);
    if (!status && job->serving == UINT64_MAX)
        status = choose_strongest(job, values, rows, serving);
    if (!status)
        gather(job, values, rows, serving, piece);
    free(serving);
    free(values);
    return status;
}

void clr_sinr_piece_free(clr_sinr_piece *piece)
{
    free(piece->serving);
    free(piece->interfering);
    *piece = (clr_sinr_piece){ 0 };
}
