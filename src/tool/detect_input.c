/* clradio detect: vectors, channels and noise from array files. */
#include "tool/detect.h"

#include "base/checked.h"
#include "base/text.h"
#include "io/named_arrays.h"

#include <stdlib.h>
#include <string.h>

void clr_detect_job_free(clr_detect_job *job)
{
    void *owned[] = { job->y,        job->h,     job->noise,      job->prior,
                      job->alphabet, job->truth, job->modulations };
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
        free(owned[k]);
    *job = (clr_detect_job){ .request = job->request };
}

/* One of up to three names, or the one given. */
static int find(const clr_named_files *files, const char *given, const char *const *names,
                clr_named_array *array)
{
    if (given)
        return clr_named_find(files, given, array);
    for (int k = 0; k < 3 && names[k]; k++)
        if (clr_named_find(files, names[k], array))
            return 1;
    return 0;
}

static clr_exit missing(const char *what, const char *given, const char *names)
{
    return clr_say(CLR_EXIT_USAGE, "detect: the files hold no array %s%s%s%s (%s)",
                   given ? "'" : "", given ? given : names, given ? "'" : "", "", what);
}

/* Keeps the chosen antennas of [outer][n][inner] cf32; 0 without memory. */
static int keep_antennas(float *values, uint64_t outer, uint32_t n, uint64_t inner,
                         const uint32_t *chosen, uint32_t count)
{
    /* The list need not rise: a row is put together apart, as it overlaps what it comes from. */
    size_t bytes = (size_t)inner * 2 * sizeof *values;
    char *kept = malloc(count * bytes);
    for (uint64_t o = 0; kept && o < outer; o++) {
        const char *row = (const char *)values + o * n * bytes;
        for (uint32_t k = 0; k < count; k++)
            memcpy(kept + k * bytes, row + chosen[k] * bytes, bytes);
        memcpy((char *)values + o * count * bytes, kept, count * bytes);
    }
    free(kept);
    return kept != NULL;
}

clr_exit clr_detect_choose_antennas(const char *text, uint32_t n, uint32_t **chosen,
                                    uint32_t *count)
{
    uint64_t number[3] = { 0, n, 1 };
    int range = text && strchr(text, ':') != NULL, good = 1;
    unsigned parts = 0;
    *count = 0;
    *chosen = malloc((size_t)(n ? n : 1) * sizeof **chosen);
    if (!*chosen)
        return clr_say(CLR_EXIT_FAILED, "no memory for a list of antennas");
    for (const char *word = text; word && good;) {
        char digits[16];
        size_t length = strcspn(word, range ? ":" : ",");
        uint64_t value = 0;
        clr_copy_text(digits, length + 1 < sizeof digits ? length + 1 : sizeof digits, word);
        good = length < sizeof digits && clr_parse_u64(digits, &value);
        if (good && range && (good = parts < 3))
            number[parts++] = value;
        else if (good && !range && (good = value < n && *count < n)) {
            /* Twice the same one, and its noise is singular. */
            for (uint32_t a = 0; a < *count; a++)
                good &= (*chosen)[a] != value;
            (*chosen)[(*count)++] = (uint32_t)value;
        }
        word = word[length] ? word + length + 1 : NULL;
    }
    good = good && number[2] >= 1 && number[1] <= n;
    for (uint64_t a = number[0]; good && (range || !text) && a < number[1]; a += number[2])
        (*chosen)[(*count)++] = (uint32_t)a;
    if (good && *count)
        return CLR_EXIT_CARRY_ON;
    return clr_say(
        CLR_EXIT_USAGE,
        "detect: --antennas takes FIRST:END:STEP or a list of different numbers below %u, not '%s'",
        n, text);
}

/* y [vector][rx]; leading axes count together. h [rx][tx] or [..][rx][tx]. */
static clr_exit read_vectors(clr_detect_job *job, const clr_named_array *y,
                             const clr_named_array *h)
{
    const clr_detect_request *request = job->request;
    if (y->rank < 1 || h->rank < 2)
        return clr_say(CLR_EXIT_DAMAGED,
                       "detect: received vectors are [vector][rx] and channels "
                       "[rx][tx] or [channel][rx][tx]; there are %u and %u axes",
                       y->rank, h->rank);
    uint64_t rx = y->size[y->rank - 1], tx = h->size[h->rank - 1];
    if (h->size[h->rank - 2] != rx || !rx || !tx || rx > 4096 || tx > 4096)
        return clr_say(CLR_EXIT_DAMAGED,
                       "detect: received vectors have %llu antennas, but channels are %llu x %llu "
                       "(receive x transmit)",
                       (unsigned long long)rx, (unsigned long long)h->size[h->rank - 2],
                       (unsigned long long)tx);
    job->receive = (uint32_t)rx;
    job->transmit = (uint32_t)tx;
    job->vectors = y->count / rx;
    uint64_t channels = h->count / (rx * tx);
    if (!job->vectors || !channels)
        return clr_say(CLR_EXIT_DAMAGED, "detect: there are no vectors, or no channels");
    job->vectors_per_channel = channels == 1 ? 0 : clr_ceil_div(job->vectors, channels);
    if (request->vectors_per_channel)
        job->vectors_per_channel = request->vectors_per_channel;
    if (job->vectors_per_channel &&
        clr_ceil_div(job->vectors, job->vectors_per_channel) != channels)
        return clr_say(CLR_EXIT_DAMAGED,
                       "detect: %llu vectors and %llu channels do not go together; say "
                       "--vectors-per-channel",
                       (unsigned long long)job->vectors, (unsigned long long)channels);
    if (!request->vectors_per_channel && channels > 1 && job->vectors % channels)
        return clr_say(CLR_EXIT_DAMAGED,
                       "detect: %llu vectors are no multiple of %llu channels; say "
                       "--vectors-per-channel",
                       (unsigned long long)job->vectors, (unsigned long long)channels);
    clradio_status status = clr_named_read(y, CLR_ELEMENT_CF32, (void **)&job->y);
    if (!status)
        status = clr_named_read(h, CLR_ELEMENT_CF32, (void **)&job->h);
    return status ? clr_say_input(status) : CLR_EXIT_CARRY_ON;
}

/* What kind it is follows from its sizes. */
static clr_exit read_noise(clr_detect_job *job, const clr_named_array *noise)
{
    uint64_t rx = job->receive, count = noise->count;
    uint64_t square = rx * rx, channels = clr_ceil_div(job->vectors, job->vectors_per_channel
                                                                         ? job->vectors_per_channel
                                                                         : job->vectors);
    int matrix = noise->rank >= 2 && noise->size[noise->rank - 1] == rx &&
                 noise->size[noise->rank - 2] == rx;
    clradio_status status = CLRADIO_OK;
    if (matrix &&
        (count == square || count == channels * square || count == job->vectors * square)) {
        job->noise_kind = count == square              ? CLRADIO_NOISE_COVARIANCE
                          : count == channels * square ? CLRADIO_NOISE_COVARIANCE_CHANNEL
                                                       : CLRADIO_NOISE_COVARIANCE_VECTOR;
        status = clr_named_read(noise, CLR_ELEMENT_CF32, (void **)&job->noise);
    } else if (count == job->vectors && !matrix) {
        job->noise_kind = CLRADIO_NOISE_PER_VECTOR;
        status = clr_named_read(noise, CLR_ELEMENT_F32, (void **)&job->noise);
    } else if (count == 1) {
        double *value = NULL;
        status = clr_named_read(noise, CLR_ELEMENT_F64, (void **)&value);
        job->noise_variance = value ? *value : 0;
        free(value);
    } else {
        return clr_say(CLR_EXIT_DAMAGED,
                       "detect: the noise has %llu numbers: it is a variance, one for each of %llu "
                       "vectors, or %llu x %llu covariances for all, each channel or each vector",
                       (unsigned long long)count, (unsigned long long)job->vectors,
                       (unsigned long long)rx, (unsigned long long)rx);
    }
    return status ? clr_say_input(status) : CLR_EXIT_CARRY_ON;
}

/* Fewer antennas: rows of y and h, rows and columns of covariances. */
static clr_exit choose(clr_detect_job *job)
{
    uint32_t *chosen = NULL, count, n = job->receive;
    clr_exit answer = clr_detect_choose_antennas(job->request->antennas, n, &chosen, &count);
    uint64_t channels =
        job->vectors_per_channel ? clr_ceil_div(job->vectors, job->vectors_per_channel) : 1;
    if (answer == CLR_EXIT_CARRY_ON) {
        int done = keep_antennas(job->y, job->vectors, n, 1, chosen, count) &&
                   keep_antennas(job->h, channels, n, job->transmit, chosen, count);
        uint64_t matrices = job->noise_kind == CLRADIO_NOISE_COVARIANCE           ? 1
                            : job->noise_kind == CLRADIO_NOISE_COVARIANCE_CHANNEL ? channels
                            : job->noise_kind == CLRADIO_NOISE_COVARIANCE_VECTOR  ? job->vectors
                                                                                  : 0;
        if (matrices)
            done = done && keep_antennas(job->noise, matrices, n, n, chosen, count) &&
                   keep_antennas(job->noise, matrices * count, n, 1, chosen, count);
        if (!done)
            answer = clr_say(CLR_EXIT_FAILED, "no memory for the antennas");
        job->receive = count;
    }
    free(chosen);
    return answer;
}

static clr_exit read_extras(clr_detect_job *job, const clr_named_files *files)
{
    const clr_detect_request *request = job->request;
    clr_named_array array;
    clradio_status status = CLRADIO_OK;
    if (request->prior && !clr_named_find(files, request->prior, &array))
        return missing("a priori LLRs", request->prior, "");
    if (request->prior)
        status = clr_named_read(&array, CLR_ELEMENT_F32, (void **)&job->prior);
    if (status)
        return clr_say_input(status);
    if (request->truth && !clr_named_find(files, request->truth, &array))
        return missing("the labels that were sent", request->truth, "");
    if (request->truth && array.count != job->vectors * job->transmit)
        return clr_say(CLR_EXIT_DAMAGED, "detect: '%s' must hold %llu x %u labels", request->truth,
                       (unsigned long long)job->vectors, job->transmit);
    if (request->truth)
        status = clr_named_read(&array, CLR_ELEMENT_I64, (void **)&job->truth);
    return status ? clr_say_input(status) : CLR_EXIT_CARRY_ON;
}

static clr_exit read_files(clr_detect_job *job, const clr_named_files *files)
{
    static const char *const y_names[] = { "y", "received", NULL };
    static const char *const h_names[] = { "h", "H", "channel" };
    static const char *const noise_names[] = { "noise", NULL, NULL };
    const clr_detect_request *request = job->request;
    clr_named_array y, h, noise;
    if (!find(files, request->received, y_names, &y))
        return missing("received vectors", request->received, "y or received");
    if (!find(files, request->channel, h_names, &h))
        return missing("channels", request->channel, "h, H or channel");
    clr_exit answer = read_vectors(job, &y, &h);
    int there = find(files, request->noise, noise_names, &noise);
    if (answer == CLR_EXIT_CARRY_ON && request->noise && !there)
        return missing("the noise", request->noise, "");
    if (answer == CLR_EXIT_CARRY_ON && there)
        answer = read_noise(job, &noise);
    if (answer == CLR_EXIT_CARRY_ON && request->antennas)
        answer = choose(job);
    return answer == CLR_EXIT_CARRY_ON ? read_extras(job, files) : answer;
}

clr_exit clr_detect_read(clr_detect_job *job, char *const *paths, size_t n_paths)
{
    clr_named_files files;
    job->noise_variance = -1;
    clradio_status status = clr_named_open(paths, n_paths, &files);
    if (status)
        return clr_say_input(status);
    clr_exit answer = read_files(job, &files);
    clr_named_close(&files);
    return answer;
}
