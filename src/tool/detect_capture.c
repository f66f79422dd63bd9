/*
 * clradio detect --capture: over-the-air captures of libapsm. The channel is the least-squares
 * estimate from the training vectors, H = (sum y s^H)(sum s s^H)^-1; the noise covariance is the
 * mean of e e^H over the residuals e = y - H s. Users that send nothing are left out.
 */
#include "tool/detect.h"

#include "base/checked.h"
#include "base/text.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_USERS = 16 };

/* A complex matrix [rows][columns] of the capture. */
typedef struct matrix {
    double complex *at;
    uint64_t rows, columns;
} matrix;

static clradio_status read_matrix(clr_arrays_file *file, const char *path, const char *name,
                                  matrix *m)
{
    size_t index;
    if (!clr_arrays_find(file, name, &index))
        return clr_fail(CLRADIO_ERROR_FORMAT, "'%s' has no array '%s'", path, name);
    const clr_arrays_info *info = clr_arrays_get(file, index);
    if (info->rank != 2 || !clr_element_is_complex(info->element) || !info->count)
        return clr_fail(CLRADIO_ERROR_FORMAT, "'%s': '%s' is no complex matrix", path, name);
    m->rows = info->size[0];
    m->columns = info->size[1];
    return clr_arrays_read_all(file, index, CLR_ELEMENT_CF64, (void **)&m->at);
}

static clradio_status read_pair(const char *path, const char *first, const char *second, matrix *a,
                                matrix *b)
{
    clr_arrays_file *file;
    clradio_status status = clr_arrays_open(path, &file);
    if (status)
        return status;
    status = read_matrix(file, path, first, a);
    if (!status)
        status = read_matrix(file, path, second, b);
    clr_arrays_close(file);
    return status;
}

/* Columns that are not zero everywhere; *n of them. */
static void find_users(const matrix *training, uint32_t *users, uint32_t *n)
{
    *n = 0;
    for (uint64_t u = 0; u < training->columns && *n < MOST_USERS; u++)
        for (uint64_t v = 0; v < training->rows; v++)
            if (training->at[v * training->columns + u] != 0) {
                users[(*n)++] = (uint32_t)u;
                break;
            }
}

/* x a = b for Hermitian positive a of n x n and rows of b: Gauss with pivots, in place. 0 when a is
 * singular. */
static int solve(double complex *a, double complex *b, uint32_t n, uint32_t rows)
{
    for (uint32_t c = 0; c < n; c++) {
        uint32_t best = c;
        for (uint32_t k = c; k < n; k++)
            best = cabs(a[c * n + k]) > cabs(a[c * n + best]) ? k : best;
        if (!(cabs(a[c * n + best]) > 1e-12))
            return 0;
        /* Columns are operated on, so that x stays on the left. */
        for (uint32_t r = 0; r < n + rows; r++) {
            double complex *row = r < n ? a + (size_t)r * n : b + (size_t)(r - n) * n;
            double complex kept = row[c];
            row[c] = row[best];
            row[best] = kept;
        }
        double complex pivot = a[c * n + c];
        for (uint32_t r = 0; r < n + rows; r++)
            (r < n ? a + (size_t)r * n : b + (size_t)(r - n) * n)[c] /= pivot;
        for (uint32_t k = 0; k < n; k++) {
            double complex factor = a[c * n + k];
            for (uint32_t r = 0; k != c && r < n + rows; r++) {
                double complex *row = r < n ? a + (size_t)r * n : b + (size_t)(r - n) * n;
                row[k] -= factor * row[c];
            }
        }
    }
    return 1;
}

/* What is estimated: h [rx][users], and the residuals' covariance [rx][rx]. */
static int estimate(const matrix *y, const uint32_t *antennas, uint32_t rx, const matrix *s,
                    const uint32_t *users, uint32_t tx, double complex *h, double complex *noise)
{
    double complex gram[MOST_USERS * MOST_USERS] = { 0 };
    uint64_t rows = clr_min_u64(y->rows, s->rows);
    memset(h, 0, (size_t)rx * tx * sizeof *h);
    memset(noise, 0, (size_t)rx * rx * sizeof *noise);
    for (uint64_t v = 0; v < rows; v++) {
        const double complex *sent = s->at + v * s->columns, *got = y->at + v * y->columns;
        for (uint32_t i = 0; i < tx; i++) {
            for (uint32_t k = 0; k < tx; k++)
                gram[i * tx + k] += sent[users[i]] * conj(sent[users[k]]);
            for (uint32_t r = 0; r < rx; r++)
                h[r * tx + i] += got[antennas[r]] * conj(sent[users[i]]);
        }
    }
    if (!solve(gram, h, tx, rx))
        return 0;
    for (uint64_t v = 0; v < rows; v++) {
        const double complex *sent = s->at + v * s->columns, *got = y->at + v * y->columns;
        double complex e[64];
        for (uint32_t r = 0; r < rx; r++) {
            e[r] = got[antennas[r]];
            for (uint32_t i = 0; i < tx; i++)
                e[r] -= h[r * tx + i] * sent[users[i]];
        }
        for (uint32_t r = 0; r < rx; r++)
            for (uint32_t q = 0; q < rx; q++)
                noise[r * rx + q] += e[r] * conj(e[q]) / (double)rows;
    }
    return 1;
}

static float *as_cf32(const double complex *values, size_t n)
{
    float *to = malloc((n ? n : 1) * 2 * sizeof *to);
    for (size_t k = 0; to && k < n; k++) {
        to[2 * k] = (float)creal(values[k]);
        to[2 * k + 1] = (float)cimag(values[k]);
    }
    return to;
}

/* The label of a point of odd integers: even bits on the real axis, odd ones on the imaginary
 * (TS 38.211); -1 when there is none near. */
static int64_t label_of(clradio_modulation modulation, double complex point)
{
    int64_t count = (int64_t)1 << clradio_modulation_bits(modulation);
    for (int64_t label = 0; label < count; label++) {
        double at[2];
        if (!clradio_modulation_point(modulation, (uint32_t)label, 1, at) &&
            cabs(point - (at[0] + I * at[1])) < 0.5)
            return label;
    }
    return -1;
}

/* The data that were sent: labels, in the order of the users. */
static clr_exit set_truth(clr_detect_job *job, const matrix *sent, const uint32_t *users)
{
    const char *name = job->request->modulation ? job->request->modulation : "qam16";
    clradio_modulation modulation = clradio_modulation_from_name(name);
    if (!clradio_modulation_bits(modulation))
        return clr_say(CLR_EXIT_USAGE, "detect: --modulation of a capture is one name, not '%s'",
                       name);
    job->truth = malloc((size_t)(job->vectors * job->transmit) * sizeof *job->truth);
    if (!job->truth)
        return clr_say(CLR_EXIT_FAILED, "no memory for the symbols that were sent");
    for (uint64_t v = 0; v < job->vectors; v++)
        for (uint32_t i = 0; i < job->transmit; i++) {
            int64_t label = label_of(modulation, sent->at[v * sent->columns + users[i]]);
            if (label < 0)
                return clr_say(CLR_EXIT_DAMAGED,
                               "detect: the capture's symbols are not those of %s; give the "
                               "--modulation that was sent",
                               name);
            job->truth[v * job->transmit + i] = label;
        }
    return CLR_EXIT_CARRY_ON;
}

static clr_exit fill(clr_detect_job *job, const matrix *y, const uint32_t *antennas, uint32_t rx,
                     const double complex *h, const double complex *noise)
{
    size_t pairs = (size_t)rx * job->transmit;
    job->receive = rx;
    job->h = as_cf32(h, pairs);
    job->y = malloc((size_t)(job->vectors * rx) * 2 * sizeof *job->y);
    if (!job->h || !job->y)
        return clr_say(CLR_EXIT_FAILED, "no memory for the capture");
    for (uint64_t v = 0; v < job->vectors; v++)
        for (uint32_t r = 0; r < rx; r++) {
            double complex value = y->at[v * y->columns + antennas[r]];
            job->y[2 * (v * rx + r)] = (float)creal(value);
            job->y[2 * (v * rx + r) + 1] = (float)cimag(value);
        }
    double power = 0;
    for (uint32_t r = 0; r < rx; r++)
        power += creal(noise[r * rx + r]) / rx;
    job->noise_variance = power;
    if (job->request->whiten) {
        job->noise_kind = CLRADIO_NOISE_COVARIANCE;
        job->noise = as_cf32(noise, (size_t)rx * rx);
        if (!job->noise)
            return clr_say(CLR_EXIT_FAILED, "no memory for the covariance");
    }
    return CLR_EXIT_CARRY_ON;
}

/* From what was read to the job. */
static clr_exit make_job(clr_detect_job *job, const matrix *training, const matrix *data,
                         const matrix *sent_training, const matrix *sent)
{
    uint32_t users[MOST_USERS] = { 0 }, *antennas = NULL, rx = 0;
    find_users(sent_training, users, &job->transmit);
    job->vectors = clr_min_u64(data->rows, sent->rows);
    if (!job->transmit || training->columns != data->columns || data->columns > 64 ||
        sent->columns != sent_training->columns)
        return clr_say(CLR_EXIT_DAMAGED, "detect: training and data of the capture do not go "
                                         "together, or nobody sent anything");
    clr_exit answer =
        clr_detect_choose_antennas(job->request->antennas, (uint32_t)data->columns, &antennas, &rx);
    double complex *h = malloc((size_t)rx * job->transmit * sizeof *h + 1);
    double complex *noise = malloc((size_t)rx * rx * sizeof *noise + 1);
    if (answer == CLR_EXIT_CARRY_ON && (!h || !noise))
        answer = clr_say(CLR_EXIT_FAILED, "no memory for the estimate");
    if (answer == CLR_EXIT_CARRY_ON &&
        !estimate(training, antennas, rx, sent_training, users, job->transmit, h, noise))
        answer = clr_say(CLR_EXIT_DAMAGED, "detect: the training vectors do not tell the users "
                                           "apart");
    if (answer == CLR_EXIT_CARRY_ON)
        answer = fill(job, data, antennas, rx, h, noise);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = set_truth(job, sent, users);
    free(antennas);
    free(h);
    free(noise);
    return answer;
}

clr_exit clr_detect_read_capture(clr_detect_job *job)
{
    matrix training = { 0 }, data = { 0 }, sent_training = { 0 }, sent = { 0 };
    const char *text = job->request->capture, *comma = strchr(text, ',');
    if (!comma || !comma[1] || comma == text || strchr(comma + 1, ','))
        return clr_say(CLR_EXIT_USAGE,
                       "detect: --capture takes two files with a comma between, what "
                       "was received and what was sent, not '%s'",
                       text);
    char *received = strdup(text);
    if (!received)
        return clr_say(CLR_EXIT_FAILED, "no memory for a file name");
    received[comma - text] = '\0';
    clradio_status status = read_pair(received, "rxSigTraining", "rxSigData", &training, &data);
    if (!status)
        status = read_pair(comma + 1, "mod_training", "mod_data", &sent_training, &sent);
    clr_exit answer =
        status ? clr_say_input(status) : make_job(job, &training, &data, &sent_training, &sent);
    free(training.at);
    free(data.at);
    free(sent_training.at);
    free(sent.at);
    free(received);
    return answer;
}
