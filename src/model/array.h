/*
 * A simulated array of antennas that sees point sources: the voltages of every input, by sample
 * index.
 *
 * A source is band-limited Gaussian noise b(t) around the sky frequency f: an antenna at r sees
 * s(t + r.s/c), so its complex voltage is b(t + r.s/c) exp(+2 pi i f r.s/c) and x_i conj(x_j) has
 * the phase +2 pi (f + offset) (r_i - r_j).s/c at every frequency. Directions are fixed to the
 * ground. Every antenna adds noise of its own. Sources fill the middle 84 % of the band and roll
 * off to its edges, as behind an anti-aliasing filter; the noise of the antennas is white.
 *
 * Real voltages have the band's lower edge at 0 (upper sideband) or its upper edge (lower
 * sideband). Complex voltages have the middle of the band at 0; in the lower sideband they are
 * conjugated.
 *
 * Every sample is a function of the configuration and its index alone: any cutting into calls gives
 * the same numbers.
 */
#ifndef CLR_MODEL_ARRAY_H
#define CLR_MODEL_ARRAY_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct clr_sky_source {
    double azimuth_deg, elevation_deg; /* azimuth from north through east */
    double flux;                       /* power in each polarisation, >= 0 */
    double polarised;                  /* 0 .. 1: the part of the flux that X and Y have in common:
                                          <Y conj(X)> = polarised flux exp(i phase) */
    double phase_deg;
} clr_sky_source;

typedef struct clr_array_config {
    uint32_t stations, polarisations;
    const double (*enu_m)[3]; /* [stations] */
    double sample_rate_hz;    /* bandwidth: this for complex voltages, half of it for real ones */
    double frequency_hz;      /* of the middle of the band on the sky */
    int complex_samples;
    int lower_sideband;
    const clr_sky_source *sources;
    size_t n_sources;
    double noise;       /* power of each input's own noise, >= 0 */
    const double *gain; /* [stations][polarisations] factor on the sky's voltage; NULL: 1 */
    double scale;       /* voltages are multiplied by this */
    uint64_t seed;
} clr_array_config;

typedef struct clr_array clr_array;

/* Copies the configuration. Errors: ARGUMENT, MEMORY. */
clradio_status clr_array_create(const clr_array_config *config, clr_array **array);
/* Samples [first, first + count): [time][station][pol], re and im for complex voltages. Errors:
 * MEMORY. */
clradio_status clr_array_voltages(clr_array *array, int64_t first, size_t count, double *voltages);
void clr_array_destroy(clr_array *array);

/*
 * The root mean square, in ADC counts, at which Gaussian noise is best put into that many bits: 1
 * bit: any; 2 bits (levels -3, -1, 1, 3): the threshold of 2 counts at 0.98160 rms; 4 bits: a step
 * of 0.335 rms (both: Thompson, Moran and Swenson, Interferometry and Synthesis in Radio Astronomy,
 * the chapter on quantisation); 8 bits: 32, which clips beyond 4 rms; 16 bits: 2048.
 */
double clr_array_level(unsigned bits);
/* What scale brings the whole of an input of gain 1 (sources and noise) to that level: rms of a
 * component. */
double clr_array_scale(const clr_array_config *config, unsigned bits);

#endif
