/* Clustered delay lines: rays between two arrays, TR 38.901, clause 7.7.1. */
#include "model/channel_internal.h"
#include "model/random.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Clause 7.7.5.1 with the mean and the circular spread of annex A, over all rays. */
void clr_channel_scale_angles(clr_channel *channel)
{
    const clr_channel_config *config = &channel->config;
    size_t taps = config->profile->taps;
    for (int a = 0; a < CLR_ANGLES; a++) {
        double complex sum = 0;
        for (size_t n = 0; n < taps; n++)
            for (int m = 0; m < CLR_RAYS; m++)
                sum += channel->power[n] / CLR_RAYS * cexp(I * channel->angle[n][m][a]);
        double mean = carg(sum), spread = sqrt(fmax(0, -2 * log(cabs(sum))));
        double wanted_mean = config->angle_mean_deg[a] * (M_PI / 180);
        double wanted = config->angle_spread_deg[a] * (M_PI / 180);
        if (isnan(wanted_mean))
            wanted_mean = mean;
        double factor = isnan(wanted) || !(spread > 0) ? 1 : wanted / spread;
        for (size_t n = 0; n < taps; n++)
            for (int m = 0; m < CLR_RAYS; m++) {
                double *angle = &channel->angle[n][m][a];
                double from_mean = remainder(*angle - mean, 2 * M_PI);
                *angle = factor * from_mean + wanted_mean;
                if (a != CLR_ZOD && a != CLR_ZOA)
                    continue;
                /* A zenith angle that leaves 0 .. 180 degrees is mirrored back (clause 7.5, step
                 * 7). */
                *angle = fabs(remainder(*angle, 2 * M_PI));
            }
    }
}

clr_antenna_field clr_antenna_array_field(const clr_antenna_array *array, uint32_t antenna,
                                          double azimuth, double zenith)
{
    uint32_t polarisation = antenna % array->polarisations;
    uint32_t place = antenna / array->polarisations;
    double local = remainder(azimuth - array->bearing_deg * (M_PI / 180), 2 * M_PI);
    double y = sin(zenith) * sin(local) * array->column_spacing * (place % array->columns);
    double z = cos(zenith) * array->row_spacing * (place / array->columns);
    double amplitude = 1;
    if (array->element == CLR_ANTENNA_TR38901) {
        double up = (zenith * (180 / M_PI) - 90) / 65, side = local * (180 / M_PI) / 65;
        double loss_db = fmin(fmin(12 * up * up, 30) + fmin(12 * side * side, 30), 30);
        amplitude = pow(10, (8 - loss_db) / 20);
    }
    double slant = array->slant_deg[polarisation] * (M_PI / 180);
    return (clr_antenna_field){ amplitude * cos(slant), amplitude * sin(slant),
                                2 * M_PI * (y + z) };
}

/* A random order of the rays of a cluster: which ray of `angle` goes with ray m of departure in
 * azimuth. */
static void couple(uint64_t key, uint64_t begin, int order[CLR_RAYS])
{
    for (int m = 0; m < CLR_RAYS; m++)
        order[m] = m;
    for (int m = CLR_RAYS - 1; m > 0; m--) {
        double u = clr_random_uniform(key, begin + (uint64_t)m); /* in (0, 1] */
        int other = (int)fmin(u * (m + 1), m);
        int kept = order[m];
        order[m] = order[other];
        order[other] = kept;
    }
}

/* A ray: its angles, and the polarisation matrix [receive][transmit] of theta and phi. */
typedef struct ray {
    double angle[CLR_ANGLES], rate; /* rate: rad a time step */
    double complex polar[2][2];
} ray;

static double complex phase_of(uint64_t key, uint64_t index)
{
    return cexp(I * (2 * M_PI) * clr_random_uniform(key, index));
}

/* The rays of a tap; returns how many. */
static int make_rays(const clr_channel *channel, size_t tap, uint64_t key, ray rays[CLR_RAYS])
{
    const clr_channel_config *config = &channel->config;
    int order[CLR_ANGLES][CLR_RAYS];
    double cross = pow(10, -config->profile->cross_polar_db / 20);
    double azimuth = config->travel_azimuth_deg * (M_PI / 180);
    double zenith = config->travel_zenith_deg * (M_PI / 180);
    int direct = config->profile->tap[tap].line_of_sight, count = direct ? 1 : CLR_RAYS;
    for (int a = 0; a < CLR_ANGLES; a++)
        couple(key, UINT64_C(1000) * (uint64_t)(a + 1), order[a]);
    for (int m = 0; m < count; m++) {
        ray *r = &rays[m];
        for (int a = 0; a < CLR_ANGLES; a++)
            r->angle[a] = channel->angle[tap][direct ? 0 : order[a][m]][a];
        double complex first = phase_of(key, 4 * (uint64_t)m);
        r->polar[0][0] = first;
        r->polar[1][1] = direct ? -first : phase_of(key, 4 * (uint64_t)m + 3);
        r->polar[0][1] = direct ? 0 : cross * phase_of(key, 4 * (uint64_t)m + 1);
        r->polar[1][0] = direct ? 0 : cross * phase_of(key, 4 * (uint64_t)m + 2);
        double along = sin(r->angle[CLR_ZOA]) * sin(zenith) * cos(r->angle[CLR_AOA] - azimuth) +
                       cos(r->angle[CLR_ZOA]) * cos(zenith);
        r->rate = 2 * M_PI * config->doppler_hz * config->time_step_s * along;
    }
    return count;
}

/* One ray's part of every antenna pair, added at every time. */
static void add_ray(clr_channel *channel, const ray *r, double scale, uint64_t first,
                    uint64_t count, size_t taps, double *gains)
{
    const clr_channel_config *config = &channel->config;
    uint32_t n_rx = clr_antenna_array_count(&config->receive);
    uint32_t n_tx = clr_antenna_array_count(&config->transmit);
    for (uint32_t s = 0; s < n_tx; s++) {
        clr_antenna_field tx =
            clr_antenna_array_field(&config->transmit, s, r->angle[CLR_AOD], r->angle[CLR_ZOD]);
        double c = scale * cos(tx.phase), i = scale * sin(tx.phase);
        double field[4] = { tx.theta * c, tx.theta * i, tx.phi * c, tx.phi * i };
        memcpy(channel->field[s], field, sizeof field);
    }
    for (uint64_t t = 0; t < count; t++) {
        double complex turn = cexp(I * fmod(r->rate * (double)(first + t), 2 * M_PI));
        for (uint32_t u = 0; u < n_rx; u++) {
            clr_antenna_field rx =
                clr_antenna_array_field(&config->receive, u, r->angle[CLR_AOA], r->angle[CLR_ZOA]);
            double complex place = turn * cexp(I * rx.phase);
            double complex theta = (rx.theta * r->polar[0][0] + rx.phi * r->polar[1][0]) * place;
            double complex phi = (rx.theta * r->polar[0][1] + rx.phi * r->polar[1][1]) * place;
            double a = creal(theta), b = cimag(theta), c = creal(phi), d = cimag(phi);
            double *to = gains + 2 * taps * n_tx * (n_rx * t + u);
            for (uint32_t s = 0; s < n_tx; s++, to += 2 * taps) {
                const double *f = channel->field[s];
                to[0] += a * f[0] - b * f[1] + c * f[2] - d * f[3];
                to[1] += a * f[1] + b * f[0] + c * f[3] + d * f[2];
            }
        }
    }
}

void clr_channel_cdl_gains(clr_channel *channel, uint64_t link, uint64_t first, uint64_t count,
                           double *gains)
{
    size_t taps = clr_channel_taps(channel), paths = clr_channel_paths(channel);
    uint64_t of_link = clr_random_key(channel->config.seed, link);
    memset(gains, 0, count * paths * taps * 2 * sizeof *gains);
    for (size_t n = 0; n < taps; n++) {
        ray rays[CLR_RAYS];
        int n_rays = make_rays(channel, n, clr_random_key(of_link, n), rays);
        for (int m = 0; m < n_rays; m++)
            add_ray(channel, &rays[m], sqrt(channel->power[n] / n_rays), first, count, taps,
                    gains + 2 * n);
    }
}

/* The mean of |polar F_other|^2: what reaches theta and phi of this end, and their product. */
typedef struct seen {
    double theta, phi, both;
} seen;

static seen seen_from(const clr_channel *channel, size_t tap, int receive, uint32_t other)
{
    const clr_channel_config *config = &channel->config;
    const clr_antenna_array *array = receive ? &config->transmit : &config->receive;
    int azimuth = receive ? CLR_AOD : CLR_AOA, zenith = receive ? CLR_ZOD : CLR_ZOA;
    double cross = pow(10, -config->profile->cross_polar_db / 10);
    int direct = config->profile->tap[tap].line_of_sight;
    seen mean = { 0, 0, 0 };
    for (int a = 0; a < CLR_RAYS; a++)
        for (int z = 0; z < CLR_RAYS; z++) {
            clr_antenna_field f = clr_antenna_array_field(
                array, other, channel->angle[tap][a][azimuth], channel->angle[tap][z][zenith]);
            double theta = f.theta * f.theta, phi = f.phi * f.phi;
            mean.theta += theta + (direct ? 0 : cross * phi);
            mean.phi += phi + (direct ? 0 : cross * theta);
            mean.both += direct ? -f.theta * f.phi : 0; /* independent phases otherwise */
        }
    double rays = CLR_RAYS * CLR_RAYS;
    return (seen){ mean.theta / rays, mean.phi / rays, mean.both / rays };
}

void clr_channel_correlation(const clr_channel *channel, int receive, uint32_t other,
                             double *matrix)
{
    const clr_channel_config *config = &channel->config;
    const clr_antenna_array *array = receive ? &config->receive : &config->transmit;
    int azimuth = receive ? CLR_AOA : CLR_AOD, zenith = receive ? CLR_ZOA : CLR_ZOD;
    uint32_t count = clr_antenna_array_count(array);
    memset(matrix, 0, (size_t)count * count * 2 * sizeof *matrix);
    for (size_t n = 0; n < clr_channel_taps(channel); n++) {
        seen from = seen_from(channel, n, receive, other);
        for (int ray = 0; ray < CLR_RAYS * CLR_RAYS; ray++)
            for (uint32_t i = 0; i < count; i++)
                for (uint32_t j = 0; j < count; j++) {
                    double a = channel->angle[n][ray / CLR_RAYS][azimuth];
                    double z = channel->angle[n][ray % CLR_RAYS][zenith];
                    clr_antenna_field f = clr_antenna_array_field(array, i, a, z);
                    clr_antenna_field g = clr_antenna_array_field(array, j, a, z);
                    double power = f.theta * g.theta * from.theta + f.phi * g.phi * from.phi +
                                   (f.theta * g.phi + f.phi * g.theta) * from.both;
                    power *= channel->power[n] / (CLR_RAYS * CLR_RAYS);
                    matrix[2 * (i * count + j)] += power * cos(f.phase - g.phase);
                    matrix[2 * (i * count + j) + 1] += power * sin(f.phase - g.phase);
                }
    }
}
