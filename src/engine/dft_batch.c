/* Cutting a job of the channel DFT into batches of whole beams that fit the memory given. */
#include "engine/dft_batch.h"

#include "base/checked.h"

#include <inttypes.h>

void clr_dft_cutter_start(clr_dft_cutter *cutter)
{
    cutter->beam = 0;
    cutter->more = clr_dft_first_link(cutter->sizes, &cutter->link);
}

static uint64_t per(clradio_per which, const clr_dft_cut *cut)
{
    return which == CLRADIO_PER_PATH ? cut->gains : which == CLRADIO_PER_LINK ? cut->taps : 0;
}

clr_dft_cut_bytes clr_dft_bytes_of(const clr_dft_cutter *cutter, const clr_dft_cut *cut)
{
    const clradio_dft_config *config = &cutter->plan->config;
    const uint64_t element = clradio_type_bytes(config->type);
    const uint64_t delay = config->delay == CLRADIO_DELAY_SECONDS   ? 8
                           : config->delay == CLRADIO_DELAY_SAMPLES ? 4
                                                                    : 0;
    clr_dft_cut_bytes bytes = {
        .gains = cut->gains * element * (config->rates ? 1 : cutter->time_steps),
        .delays = per(config->delays, cut) * delay,
        .rates = per(config->rates, cut) * 8,
        .response = cut->paths * cutter->plan->grid.values * element * cutter->time_steps,
        .status = cut->paths * 4,
        .report = clr_dft_walks(cutter->plan) ? (3 + cut->links) * 4 : 0,
    };
    /* at worst a tile a path, another for a link that is normalised, the layout's own status */
    const uint64_t tables =
        cut->paths * (sizeof(clr_dft_tile) + 4) +
        (config->normalisation == CLRADIO_NORMALISE_LINK ? cut->links * sizeof(clr_dft_tile) : 0) +
        clr_dft_walk_bytes(cutter->plan, cut->paths, cut->links) + bytes.report;
    bytes.device =
        bytes.gains + bytes.delays + bytes.rates + bytes.response + bytes.status + tables + 64;
    return bytes;
}

/* Adds the cutter's next beam to the cut. */
static void add_beam(clr_dft_cutter *cutter, clr_dft_cut *cut)
{
    const uint64_t end = clr_dft_beam_links(cutter->sizes, ++cutter->beam);
    cut->beams++;
    while (cutter->more && cutter->link.link < end) {
        cut->links++;
        cut->paths += cutter->link.paths;
        cut->taps += cutter->link.taps;
        cut->gains += cutter->link.paths * cutter->link.taps;
        cutter->more = clr_dft_next_link(cutter->sizes, &cutter->link);
    }
}

static int fits(const clr_dft_cutter *cutter, const clr_dft_cut *cut)
{
    const clr_dft_cut_bytes bytes = clr_dft_bytes_of(cutter, cut);
    return bytes.device <= cutter->most_bytes && bytes.gains <= cutter->most_array &&
           bytes.response <= cutter->most_array;
}

clradio_status clr_dft_next_cut(clr_dft_cutter *cutter, clr_dft_cut *cut, int *there)
{
    *cut = (clr_dft_cut){ .first_beam = cutter->beam,
                          .first_link = cutter->link.link,
                          .first_path = cutter->link.first_path,
                          .first_tap = cutter->link.first_tap,
                          .first_gain = cutter->link.first_gain };
    *there = 0;
    while (cutter->beam < cutter->sizes->beams && cut->beams < cutter->most_beams) {
        const clr_dft_cutter before = *cutter;
        const clr_dft_cut smaller = *cut;
        add_beam(cutter, cut);
        if (fits(cutter, cut))
            continue;
        if (!smaller.beams)
            return clr_fail(CLRADIO_ERROR_LIMIT,
                            "beam %" PRIu64 " alone needs %" PRIu64 " bytes on the device; a "
                            "batch may have %" PRIu64 ", an array of it %" PRIu64,
                            before.beam, clr_dft_bytes_of(cutter, cut).device, cutter->most_bytes,
                            cutter->most_array);
        *cutter = before;
        *cut = smaller;
        break;
    }
    *there = cut->beams > 0;
    return CLRADIO_OK;
}
