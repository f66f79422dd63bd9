/* Cutting a job of the channel DFT into batches of whole beams. */
#ifndef CLR_ENGINE_DFT_BATCH_H
#define CLR_ENGINE_DFT_BATCH_H

#include "engine/dft_plan.h"

/* A batch: where it begins in each array, and how much it is. */
typedef struct clr_dft_cut {
    uint64_t first_beam, beams, first_link, links;
    uint64_t first_path, paths, first_tap, taps, first_gain, gains;
} clr_dft_cut;

/* Bytes of a batch's arrays. */
typedef struct clr_dft_cut_bytes {
    uint64_t gains, delays, rates, response, status, report;
    uint64_t device; /* all of them and the layout's tables, at most */
} clr_dft_cut_bytes;

typedef struct clr_dft_cutter {
    const clradio_dft *plan;
    const clradio_dft_sizes *sizes;
    uint64_t time_steps;
    uint64_t most_beams, most_bytes; /* of a batch; most_array: of one of its arrays */
    uint64_t most_array;
    uint64_t beam;
    clr_dft_link link; /* the first of that beam, where there is one */
    int more;
} clr_dft_cutter;

void clr_dft_cutter_start(clr_dft_cutter *cutter);
/* The next batch: *there is 0 when there is none. LIMIT when one beam is too large. */
clradio_status clr_dft_next_cut(clr_dft_cutter *cutter, clr_dft_cut *cut, int *there);
clr_dft_cut_bytes clr_dft_bytes_of(const clr_dft_cutter *cutter, const clr_dft_cut *cut);

#endif
