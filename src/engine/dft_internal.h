/*
 * What the channel DFT's files share: a checked configuration, the grid in exact units, sizes with
 * their running sums, the variants.
 */
#ifndef CLR_ENGINE_DFT_INTERNAL_H
#define CLR_ENGINE_DFT_INTERNAL_H

#include "device/device.h"
#include "engine/parameters.h"

#include <clradio/dft.h>

enum { CLR_DFT_MOST_SUBCARRIERS = 1 << 21 };

/*
 * Output value m of a uniform grid lies at base_hz + (first + m step) x half_spacing_hz, exactly:
 * the products are reduced without rounding. Half spacings, since the middle of a block of an even
 * number of subcarriers lies between two.
 */
typedef struct clr_dft_grid {
    uint32_t values;
    int listed; /* frequencies of the list plus base_hz instead */
    double base_hz, half_spacing_hz;
    int64_t first, step;
} clr_dft_grid;

/* dft_config.c */
clradio_status clr_dft_check_config(const clradio_dft_config *config);
clr_dft_grid clr_dft_grid_of(const clradio_dft_config *config);
uint32_t clr_dft_values(const clradio_dft_config *config);
/* The scale of CLRADIO_NORMALISE_SUBCARRIERS, else 1. */
double clr_dft_scale(const clradio_dft_config *config);

/* dft_sizes.c: one link of sizes, as seen when walking through them in order. */
typedef struct clr_dft_link {
    uint64_t beam, link, paths, taps;
    uint64_t first_path, first_tap, first_gain; /* running sums before this link */
} clr_dft_link;

/* clradio_dft_count for a plan that has its configuration checked. */
clradio_status clr_dft_count_values(uint32_t values, const clradio_dft_sizes *sizes,
                                    clradio_dft_counts *counts);
/* Walk through the links; 0 behind the last. */
int clr_dft_first_link(const clradio_dft_sizes *sizes, clr_dft_link *link);
int clr_dft_next_link(const clradio_dft_sizes *sizes, clr_dft_link *link);
uint64_t clr_dft_links(const clradio_dft_sizes *sizes);
/* The first link of a beam (beam = beams: all links). */
uint64_t clr_dft_beam_links(const clradio_dft_sizes *sizes, uint64_t beam);

#endif
