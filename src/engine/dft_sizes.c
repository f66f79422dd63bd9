/* Beams, links, paths and taps: uniform or by offset arrays, checked, counted, walked through. */
#include "base/checked.h"
#include "engine/dft_internal.h"

#include <inttypes.h>

uint64_t clr_dft_beam_links(const clradio_dft_sizes *sizes, uint64_t beam)
{
    return sizes->beam_links ? sizes->beam_links[beam] : beam * sizes->links_per_beam;
}

uint64_t clr_dft_links(const clradio_dft_sizes *sizes)
{
    return clr_dft_beam_links(sizes, sizes->beams);
}

static uint64_t paths_of(const clradio_dft_sizes *sizes, uint64_t link)
{
    return sizes->link_paths ? sizes->link_paths[link + 1] - sizes->link_paths[link]
                             : sizes->paths_per_link;
}

static uint64_t taps_of(const clradio_dft_sizes *sizes, uint64_t link)
{
    return sizes->link_taps ? sizes->link_taps[link + 1] - sizes->link_taps[link]
                            : sizes->taps_per_link;
}

static int look(const clradio_dft_sizes *sizes, clr_dft_link *link)
{
    if (link->link >= clr_dft_links(sizes))
        return 0;
    while (clr_dft_beam_links(sizes, link->beam + 1) <= link->link)
        link->beam++;
    link->paths = paths_of(sizes, link->link);
    link->taps = taps_of(sizes, link->link);
    return 1;
}

int clr_dft_first_link(const clradio_dft_sizes *sizes, clr_dft_link *link)
{
    *link = (clr_dft_link){ 0 };
    return look(sizes, link);
}

int clr_dft_next_link(const clradio_dft_sizes *sizes, clr_dft_link *link)
{
    link->link++;
    link->first_path += link->paths;
    link->first_tap += link->taps;
    link->first_gain += link->paths * link->taps;
    return look(sizes, link);
}

static clradio_status check_offsets(const uint64_t *offsets, uint64_t count, const char *name)
{
    if (!offsets)
        return CLRADIO_OK;
    if (offsets[0])
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s[0] is %" PRIu64 ", not 0", name, offsets[0]);
    for (uint64_t n = 0; n < count; n++)
        if (offsets[n + 1] < offsets[n])
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "%s falls from %" PRIu64 " to %" PRIu64 " at %" PRIu64, name,
                            offsets[n], offsets[n + 1], n + 1);
    return CLRADIO_OK;
}

static clradio_status too_large(void)
{
    return clr_fail(CLRADIO_ERROR_ARGUMENT, "the sizes' numbers of values do not fit 64 bits");
}

/* Everything must fit in bytes, 16 an element. */
static int add(uint64_t *sum, uint64_t a, uint64_t b)
{
    uint64_t product;
    return clr_mul_u64(a, b, &product) && clr_add_u64(*sum, product, sum) &&
           *sum <= UINT64_MAX / 16;
}

static clradio_status sum_up(const clradio_dft_sizes *sizes, clradio_dft_counts *counts)
{
    if (!sizes->link_paths && !sizes->link_taps) {
        uint64_t gains = 0;
        if (!add(&counts->paths, counts->links, sizes->paths_per_link) ||
            !add(&counts->taps, counts->links, sizes->taps_per_link) ||
            !add(&gains, counts->paths, sizes->taps_per_link))
            return too_large();
        counts->gains = gains;
        counts->most_taps = counts->links ? sizes->taps_per_link : 0;
        return CLRADIO_OK;
    }
    for (uint64_t link = 0; link < counts->links; link++) {
        const uint64_t paths = paths_of(sizes, link), taps = taps_of(sizes, link);
        if (!add(&counts->paths, paths, 1) || !add(&counts->taps, taps, 1) ||
            !add(&counts->gains, paths, taps))
            return too_large();
        counts->most_taps = clr_max_u64(counts->most_taps, taps);
    }
    return CLRADIO_OK;
}

clradio_status clr_dft_count_values(uint32_t values, const clradio_dft_sizes *sizes,
                                    clradio_dft_counts *counts)
{
    if (sizes->struct_size != sizeof *sizes || counts->struct_size != sizeof *counts)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "sizes.struct_size or counts.struct_size is not set: start from "
                        "CLRADIO_DFT_SIZES_INIT and CLRADIO_DFT_COUNTS_INIT");
    *counts = (clradio_dft_counts)CLRADIO_DFT_COUNTS_INIT;
    counts->beams = sizes->beams;
    clradio_status status = check_offsets(sizes->beam_links, sizes->beams, "beam_links");
    if (status)
        return status;
    if (!sizes->beam_links && !add(&counts->links, sizes->beams, sizes->links_per_beam))
        return too_large();
    counts->links = clr_dft_links(sizes);
    status = check_offsets(sizes->link_paths, counts->links, "link_paths");
    if (!status)
        status = check_offsets(sizes->link_taps, counts->links, "link_taps");
    if (!status)
        status = sum_up(sizes, counts);
    if (!status && !add(&counts->response, counts->paths, values))
        status = too_large();
    return status;
}

clradio_status clradio_dft_count(const clradio_dft_config *config, const clradio_dft_sizes *sizes,
                                 clradio_dft_counts *counts)
{
    if (!sizes || !counts)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is NULL", sizes ? "counts" : "sizes");
    clradio_status status = clr_dft_check_config(config);
    return status ? status : clr_dft_count_values(clr_dft_values(config), sizes, counts);
}
