/*
 * The simulated array. A source is white complex noise w[n] on the grid of the Nyquist rate,
 * interpolated to any time by a finite kernel: b(t) = sum over n of w[n] g(t B - n). g is a
 * low-pass filter that has fallen to -80 dB at half the band, so that nothing aliases and the delay
 * is exact at every frequency.
 */
#include "model/array.h"

#include "base/checked.h"
#include "model/geometry.h"
#include "model/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALF_TAPS = 32, TAPS = 2 * HALF_TAPS, PIECE = 4096 };

/* Delays beyond this many samples of the band are refused: the memory of a piece grows with them.
 */
static const double most_delay = 1 << 22;

/* One antenna and source: where its kernel starts, relative to the sample's own grid point, and the
 * kernel. Real voltages have two samples a grid point, hence two of each. */
typedef struct path {
    int64_t start[2];
    double kernel[2][TAPS];
    double turn[2]; /* exp(2 pi i f delay), the sign of the sideband not yet applied */
} path;

struct clr_array {
    clr_array_config config;
    double *gain;
    clr_sky_source *sources;
    path *paths;           /* [source][station] */
    int64_t *least, *most; /* [source] of the starts */
    double *noise;         /* w of one source and polarisation, re im */
    size_t noise_room;
};

static double bessel_i0(double x)
{
    double sum = 1, term = 1;
    for (int k = 1; k < 64; k++) {
        term *= x / (2 * k) * (x / (2 * k));
        sum += term;
    }
    return sum;
}

/* sinc of cut-off 0.461 under a Kaiser window of beta 8 (stop band -80 dB, transition 0.078 wide:
 * Kaiser's formula for 64 taps); not normalised. */
static double kernel_at(double t)
{
    const double cut_off = 0.461, beta = 8;
    double u = t / HALF_TAPS;
    if (fabs(u) >= 1)
        return 0;
    double x = 2 * CLR_PI * cut_off * t;
    double sinc = fabs(x) < 1e-9 ? 1 : sin(x) / x;
    return 2 * cut_off * sinc * bessel_i0(beta * sqrt(1 - u * u)) / bessel_i0(beta);
}

/* The mean over t of the sum of g(t - n)^2 is the integral of g^2: the power gain. */
static double kernel_power(void)
{
    double sum = 0;
    for (int k = -16 * HALF_TAPS; k < 16 * HALF_TAPS; k++)
        sum += kernel_at(k / 16.0) * kernel_at(k / 16.0) / 16;
    return sum;
}

static void make_path(const clr_array_config *config, const clr_sky_source *source,
                      uint32_t station, double amplitude, path *made)
{
    double direction[3];
    clr_direction(source->azimuth_deg, source->elevation_deg, direction);
    double delay_s = clr_dot(config->enu_m[station], direction) / CLR_SPEED_OF_LIGHT;
    double band = config->complex_samples ? config->sample_rate_hz : config->sample_rate_hz / 2;
    double turns = fmod(config->frequency_hz * delay_s, 1.0);
    made->turn[0] = cos(2 * CLR_PI * turns);
    made->turn[1] = sin(2 * CLR_PI * turns);
    for (int half = 0; half < 2; half++) {
        double at = delay_s * band + 0.5 * half;
        double whole = floor(at);
        /* taps n = whole - HALF_TAPS + 1 ... whole + HALF_TAPS */
        made->start[half] = (int64_t)whole - HALF_TAPS + 1;
        for (int k = 0; k < TAPS; k++)
            made->kernel[half][k] = amplitude * kernel_at(at - whole - (double)(k - HALF_TAPS + 1));
    }
}

static clradio_status check_config(const clr_array_config *config)
{
    if (!config->stations || (config->polarisations != 1 && config->polarisations != 2) ||
        !config->enu_m)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "a simulated array has at least one antenna and 1 or 2 polarisations");
    if (!(config->sample_rate_hz > 0) || !(config->frequency_hz >= 0) ||
        !isfinite(config->sample_rate_hz) || !isfinite(config->frequency_hz))
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "a simulated array needs a sample rate above 0 and a frequency");
    if (!(config->noise >= 0) || !isfinite(config->noise) || !isfinite(config->scale))
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the power of the noise is a number from 0 up");
    for (size_t s = 0; s < config->n_sources; s++) {
        const clr_sky_source *source = &config->sources[s];
        if (!(source->flux >= 0) || !isfinite(source->flux) || !isfinite(source->azimuth_deg) ||
            !(fabs(source->elevation_deg) <= 90) || !isfinite(source->phase_deg) ||
            !(source->polarised >= 0 && source->polarised <= 1))
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "source %zu needs an elevation within 90 degrees, a flux from 0 up and "
                            "a polarised part from 0 to 1",
                            s + 1);
    }
    for (uint32_t i = 0; i < config->stations; i++) {
        double length = sqrt(clr_dot(config->enu_m[i], config->enu_m[i]));
        if (!(length / CLR_SPEED_OF_LIGHT * config->sample_rate_hz < most_delay))
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "antenna %u is %g m away: more than %.0f samples of delay", i, length,
                            most_delay);
    }
    return CLRADIO_OK;
}

static void make_paths(clr_array *array)
{
    const clr_array_config *config = &array->config;
    double power = kernel_power();
    for (size_t s = 0; s < config->n_sources; s++) {
        /* E|w|^2 = 2 per complex number of the generator; a real voltage keeps half the power of
         * its complex one. */
        double flux = config->sources[s].flux / (config->complex_samples ? 2 : 1);
        array->least[s] = INT64_MAX;
        array->most[s] = INT64_MIN;
        for (uint32_t i = 0; i < config->stations; i++) {
            path *made = &array->paths[s * config->stations + i];
            make_path(config, &config->sources[s], i, sqrt(flux / power), made);
            for (int half = 0; half < 2; half++) {
                if (made->start[half] < array->least[s])
                    array->least[s] = made->start[half];
                if (made->start[half] > array->most[s])
                    array->most[s] = made->start[half];
            }
        }
    }
}

clradio_status clr_array_create(const clr_array_config *config, clr_array **result)
{
    *result = NULL;
    clradio_status status = check_config(config);
    if (status)
        return status;
    size_t inputs = (size_t)config->stations * config->polarisations;
    uint64_t factors[] = { config->stations, config->n_sources + 1, sizeof(path) }, bytes;
    clr_array *array = calloc(1, sizeof *array);
    if (array && clr_product_u64(factors, 3, &bytes) && bytes < SIZE_MAX) {
        array->gain = malloc(inputs * sizeof *array->gain);
        array->sources = malloc((config->n_sources + 1) * sizeof *array->sources);
        array->paths = malloc((size_t)bytes);
        array->least = malloc((config->n_sources + 1) * sizeof *array->least);
        array->most = malloc((config->n_sources + 1) * sizeof *array->most);
    }
    if (!array || !array->gain || !array->sources || !array->paths || !array->least ||
        !array->most) {
        clr_array_destroy(array);
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for an array of %u antennas",
                        config->stations);
    }
    array->config = *config;
    for (size_t k = 0; k < inputs; k++)
        array->gain[k] = config->gain ? config->gain[k] : 1;
    if (config->n_sources)
        memcpy(array->sources, config->sources, config->n_sources * sizeof *array->sources);
    make_paths(array);
    array->config.gain = array->gain;
    array->config.sources = array->sources;
    array->config.enu_m = NULL; /* not ours to keep; the paths hold what matters */
    *result = array;
    return CLRADIO_OK;
}

void clr_array_destroy(clr_array *array)
{
    if (!array)
        return;
    free(array->gain);
    free(array->sources);
    free(array->paths);
    free(array->least);
    free(array->most);
    free(array->noise);
    free(array);
}

/* w[n] of one source and polarisation for n in [first, first + count). Streams 3 s, 3 s + 1 and
 * 3 s + 2 are the source's X alone, Y alone and common part. */
static void make_source_noise(clr_array *array, size_t s, uint32_t pol, int64_t first, size_t count)
{
    const clr_sky_source *source = &array->sources[s];
    uint64_t own = clr_random_key(array->config.seed, 3 * s + pol);
    uint64_t common = clr_random_key(array->config.seed, 3 * s + 2);
    double own_part = sqrt(1 - source->polarised), common_part = sqrt(source->polarised);
    double phase = pol ? source->phase_deg * (CLR_PI / 180) : 0;
    double c = common_part * cos(phase), d = common_part * sin(phase);
    for (size_t k = 0; k < count; k++) {
        double u[2] = { 0, 0 }, v[2] = { 0, 0 };
        if (own_part > 0)
            clr_random_gaussian_pair(own, first + (int64_t)k, u);
        if (common_part > 0)
            clr_random_gaussian_pair(common, first + (int64_t)k, v);
        array->noise[2 * k] = own_part * u[0] + c * v[0] - d * v[1];
        array->noise[2 * k + 1] = own_part * u[1] + c * v[1] + d * v[0];
    }
}

/* The complex voltage at sample index, before the sideband: two samples share a grid point when
 * they are real. noise[0] is w[noise_first]. */
static void interpolate(const clr_array *array, const path *from, int64_t index,
                        int64_t noise_first, double value[2])
{
    int64_t point = array->config.complex_samples ? index : index >> 1;
    int half = array->config.complex_samples ? 0 : (int)(index & 1);
    const double *w = array->noise + 2 * (point + from->start[half] - noise_first);
    const double *kernel = from->kernel[half];
    double re = 0, im = 0;
    for (int k = 0; k < TAPS; k++) {
        re += kernel[k] * w[2 * k];
        im += kernel[k] * w[2 * k + 1];
    }
    value[0] = re * from->turn[0] - im * from->turn[1];
    value[1] = re * from->turn[1] + im * from->turn[0];
}

/* A quarter of the sampling rate up or down: the real part of value times i^index or (-i)^index. */
static double real_sample(const double value[2], int64_t index, int lower_sideband)
{
    double im = lower_sideband ? -value[1] : value[1];
    switch (index & 3) {
    case 0: return value[0];
    case 1: return -im;
    case 2: return -value[0];
    default: return im;
    }
}

static clradio_status add_source(clr_array *array, size_t s, uint32_t pol, int64_t first,
                                 size_t count, double *voltages)
{
    const clr_array_config *config = &array->config;
    int64_t last = first + (int64_t)count - 1;
    int64_t noise_first = (config->complex_samples ? first : first >> 1) + array->least[s];
    int64_t noise_last = (config->complex_samples ? last : last >> 1) + array->most[s] + TAPS - 1;
    size_t noise_count = (size_t)(noise_last - noise_first + 1);
    if (noise_count > array->noise_room) {
        double *larger = realloc(array->noise, noise_count * 2 * sizeof *larger);
        if (!larger)
            return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %zu samples of a source",
                            noise_count);
        array->noise = larger;
        array->noise_room = noise_count;
    }
    make_source_noise(array, s, pol, noise_first, noise_count);
    size_t inputs = (size_t)config->stations * config->polarisations;
    for (uint32_t i = 0; i < config->stations; i++) {
        const path *from = &array->paths[s * config->stations + i];
        size_t input = (size_t)i * config->polarisations + pol;
        double gain = array->gain[input];
        for (size_t t = 0; t < count && gain != 0; t++) {
            int64_t index = first + (int64_t)t;
            double value[2];
            interpolate(array, from, index, noise_first, value);
            if (config->complex_samples) {
                double *to = voltages + 2 * (t * inputs + input);
                to[0] += gain * value[0];
                to[1] += config->lower_sideband ? -gain * value[1] : gain * value[1];
            } else {
                voltages[t * inputs + input] +=
                    gain * real_sample(value, index, config->lower_sideband);
            }
        }
    }
    return CLRADIO_OK;
}

/* The antennas' own noise; it is the first thing written to voltages. Streams from 2^32 on. */
static void set_noise(const clr_array *array, int64_t first, size_t count, double *voltages)
{
    const clr_array_config *config = &array->config;
    size_t inputs = (size_t)config->stations * config->polarisations;
    double level = sqrt(config->noise / (config->complex_samples ? 2 : 1));
    for (size_t input = 0; input < inputs; input++) {
        uint64_t key = clr_random_key(config->seed, ((uint64_t)1 << 32) + input);
        for (size_t t = 0; t < count; t++) {
            double pair[2] = { 0, 0 };
            if (level > 0)
                clr_random_gaussian_pair(key, first + (int64_t)t, pair);
            if (config->complex_samples) {
                voltages[2 * (t * inputs + input)] = level * pair[0];
                voltages[2 * (t * inputs + input) + 1] = level * pair[1];
            } else {
                voltages[t * inputs + input] = level * pair[0];
            }
        }
    }
}

clradio_status clr_array_voltages(clr_array *array, int64_t first, size_t count, double *voltages)
{
    const clr_array_config *config = &array->config;
    size_t numbers = (size_t)config->stations * config->polarisations;
    numbers *= config->complex_samples ? 2 : 1;
    for (size_t done = 0; done < count; done += PIECE) {
        size_t piece = count - done < PIECE ? count - done : PIECE;
        double *to = voltages + done * numbers;
        set_noise(array, first + (int64_t)done, piece, to);
        for (size_t s = 0; s < config->n_sources; s++)
            for (uint32_t pol = 0; pol < config->polarisations; pol++) {
                clradio_status status = add_source(array, s, pol, first + (int64_t)done, piece, to);
                if (status)
                    return status;
            }
        for (size_t k = 0; k < piece * numbers; k++)
            to[k] *= config->scale;
    }
    return CLRADIO_OK;
}

double clr_array_level(unsigned bits)
{
    switch (bits) {
    case 1: return 1;
    case 2: return 2 / 0.98160;
    case 4: return 1 / 0.335;
    case 8: return 32;
    default: return 2048;
    }
}

double clr_array_scale(const clr_array_config *config, unsigned bits)
{
    double power = config->noise;
    for (size_t s = 0; s < config->n_sources; s++)
        power += config->sources[s].flux;
    double rms = sqrt(power / (config->complex_samples ? 2 : 1));
    return rms > 0 ? clr_array_level(bits) / rms : 1;
}
