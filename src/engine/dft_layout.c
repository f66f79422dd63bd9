/* A layout: sizes cut into tiles, as the kernels of the plan's variant want them, on the device. */
#include "base/checked.h"
#include "engine/dft_plan.h"

#include <inttypes.h>
#include <stdlib.h>

/* Tiles while they are made: counted first, then written. Of links with least to most taps. */
typedef struct tile_list {
    clr_dft_tile *tiles;
    uint64_t count;
    uint64_t least_taps, most_taps, most_paths;
    int outside;      /* links with fewer or more taps than that instead */
    int merges, keep; /* keep: tiles stay allocated */
    int with_units;   /* launch units too, of unit_links links of a beam (0: of all) */
    uint64_t unit_links, links_in_unit, unit_beam, unit_count;
    uint32_t *units;
} tile_list;

/* The link whose tiles begin at first_tile: into the open unit, or a new one. */
static void add_to_unit(tile_list *list, const clr_dft_link *link, uint64_t first_tile)
{
    const int full = list->unit_links && list->links_in_unit == list->unit_links;
    if (!list->with_units || list->count == first_tile)
        return;
    if (!list->unit_count || full || list->unit_beam != link->beam) {
        if (list->units) {
            list->units[2 * list->unit_count] = (uint32_t)first_tile;
            list->units[2 * list->unit_count + 1] = (uint32_t)link->link;
        }
        list->unit_count++;
        list->links_in_unit = 0;
        list->unit_beam = link->beam;
    }
    list->links_in_unit++;
}

static void cut_link(tile_list *list, const clr_dft_link *link)
{
    const uint64_t most = list->most_paths, first_tile = list->count;
    const int inside = link->taps >= list->least_taps && link->taps <= list->most_taps;
    if (inside == list->outside)
        return;
    for (uint64_t p = 0; p < link->paths; p += most) {
        if (list->tiles)
            list->tiles[list->count] =
                (clr_dft_tile){ .first_path = link->first_path + p,
                                .first_gain = link->first_gain + p * link->taps,
                                .first_link_tap = link->first_tap,
                                .paths = (uint32_t)clr_min_u64(most, link->paths - p),
                                .taps = (uint32_t)link->taps,
                                .path_in_link = (uint32_t)p,
                                .link_paths = (uint32_t)link->paths };
        list->count++;
    }
    add_to_unit(list, link, first_tile);
}

/* Links that differ in nothing a kernel looks at become one. */
static void cut(tile_list *list, const clradio_dft_sizes *sizes)
{
    clr_dft_link link, open = { .paths = 0 };
    list->count = list->unit_count = list->links_in_unit = 0;
    for (int more = clr_dft_first_link(sizes, &link); more;
         more = clr_dft_next_link(sizes, &link)) {
        const int joins = list->merges && open.paths && open.taps == link.taps &&
                          open.paths + link.paths <= UINT32_MAX;
        if (joins) {
            open.paths += link.paths;
            continue;
        }
        cut_link(list, &open);
        open = link;
    }
    cut_link(list, &open);
}

static clradio_status upload(clradio_device *device, clradio_queue *queue,
                             const clradio_dft_sizes *sizes, tile_list *list,
                             clradio_buffer **buffer)
{
    const int keep = list->keep, with_units = list->with_units;
    cut(list, sizes);
    if (!list->count)
        return CLRADIO_OK;
    if (list->count > INT32_MAX)
        return clr_fail(CLRADIO_ERROR_LIMIT,
                        "%" PRIu64 " groups of paths are more than one call can hold", list->count);
    const uint64_t bytes = list->count * sizeof *list->tiles;
    list->tiles = malloc(bytes);
    if (with_units)
        list->units = calloc(list->unit_count + 1, 2 * sizeof *list->units);
    if (!list->tiles || (with_units && !list->units)) {
        free(list->tiles);
        free(list->units);
        list->tiles = NULL;
        list->units = NULL; /* the layout takes them over, also after a failure */
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a layout's tables");
    }
    cut(list, sizes);
    if (list->units) /* units are never more than tiles, and those fit */
        list->units[2 * list->unit_count] = (uint32_t)list->count;
    clradio_status status = clradio_buffer_create(device, bytes, buffer);
    if (!status)
        status = clradio_buffer_write(queue, (clradio_span){ *buffer, 0 }, list->tiles, bytes, 0,
                                      NULL, NULL);
    if (status || !keep)
        free(list->tiles);
    if (status) {
        free(list->units);
        list->units = NULL;
    }
    return status;
}

static uint64_t most_taps(const clradio_dft *plan)
{
    const clr_dft_variant *variant = plan->candidate.variant;
    return variant->most_taps ? variant->most_taps(plan->candidate.values) : UINT64_MAX;
}

static void ask_for_units(const clradio_dft *plan, tile_list *list)
{
    if (plan->config.launch == CLRADIO_LAUNCH_FLAT)
        return;
    list->with_units = 1;
    list->merges = 0; /* a unit is of whole links */
    list->unit_links = clr_dft_launch_links(plan);
}

/* The list's units become the layout's, which frees them. */
static clradio_status take_units(const clradio_dft *plan, clradio_queue *queue,
                                 const tile_list *list, clradio_status status, clr_dft_walk *walk)
{
    walk->host_units = list->units;
    walk->unit_count = list->unit_count;
    walk->tile_bytes = list->count * sizeof *list->tiles;
    return status || !list->units ? status : clr_dft_walk_create(plan, queue, walk);
}

/* Links of so few taps that the variant's rounding would show, or of more than it does: for the
 * variant direct. */
static clradio_status take_other_links(clradio_dft_layout *layout, clradio_queue *queue,
                                       const clradio_dft_sizes *sizes)
{
    clradio_dft *plan = layout->plan;
    tile_list list = { .least_taps = plan->candidate.variant->least_taps,
                       .most_taps = most_taps(plan),
                       .outside = 1,
                       .most_paths = clr_dft_direct.tile_paths(&plan->config, plan->small_values),
                       .merges = clr_dft_direct.merges_links(&plan->config) };
    ask_for_units(plan, &list);
    clradio_status status = upload(plan->device, queue, sizes, &list, &layout->small_tiles);
    status = take_units(plan, queue, &list, status, &layout->small_walk);
    layout->small_count = list.count;
    return status || !list.count ? status : clr_dft_get_small_kernel(plan);
}

static clradio_status take_tiles(clradio_dft_layout *layout, clradio_queue *queue,
                                 const clradio_dft_sizes *sizes)
{
    const clradio_dft *plan = layout->plan;
    const clr_dft_variant *variant = plan->candidate.variant;
    tile_list list = { .least_taps = variant->least_taps,
                       .most_taps = most_taps(plan),
                       .most_paths = variant->tile_paths(&plan->config, plan->candidate.values),
                       .merges = variant->merges_links(&plan->config),
                       .keep = variant->keeps_tiles };
    ask_for_units(plan, &list);
    clradio_status status = upload(plan->device, queue, sizes, &list, &layout->tiles);
    layout->tile_count = list.count;
    if (!status && list.keep)
        layout->host_tiles = list.tiles;
    status = take_units(plan, queue, &list, status, &layout->walk);
    return status;
}

static clradio_status check_link_sizes(const clradio_dft *plan, const clradio_dft_sizes *sizes,
                                       const clradio_dft_counts *counts)
{
    clr_dft_link link;
    if (plan->config.launch != CLRADIO_LAUNCH_FLAT && counts->links > INT32_MAX)
        return clr_fail(CLRADIO_ERROR_LIMIT,
                        "%" PRIu64 " links are more than one call launches %s; the most is %d",
                        counts->links, clr_launch_name(plan->config.launch), INT32_MAX);
    if (counts->most_taps > INT32_MAX)
        return clr_fail(CLRADIO_ERROR_LIMIT, "a link has %" PRIu64 " taps; the most is %d",
                        counts->most_taps, INT32_MAX);
    for (int more = clr_dft_first_link(sizes, &link); more; more = clr_dft_next_link(sizes, &link))
        if (link.paths > INT32_MAX)
            return clr_fail(CLRADIO_ERROR_LIMIT, "a link has %" PRIu64 " paths; the most is %d",
                            link.paths, INT32_MAX);
    return CLRADIO_OK;
}

static clradio_status fill(clradio_dft_layout *layout, const clradio_dft_sizes *sizes)
{
    static const uint32_t no_bad_paths;
    const clradio_dft *plan = layout->plan;
    const uint64_t paths = clr_max_u64(layout->counts.paths, 1);
    clradio_queue *queue = NULL;
    clradio_status status = clradio_queue_create(plan->device, 0, &queue);
    if (!status)
        status = take_tiles(layout, queue, sizes);
    if (!status)
        status = take_other_links(layout, queue, sizes);
    if (!status && plan->config.normalisation == CLRADIO_NORMALISE_LINK) {
        tile_list list = { .most_taps = UINT64_MAX, .most_paths = UINT32_MAX };
        status = upload(plan->device, queue, sizes, &list, &layout->links);
        layout->link_count = list.count;
    }
    if (!status)
        status = clradio_buffer_create(plan->device, paths * sizeof(uint32_t), &layout->status);
    if (!status)
        status = clradio_buffer_create(plan->device, sizeof(uint32_t), &layout->bad_paths);
    if (!status) /* kernels only add to it when the caller wants no count */
        status = clradio_buffer_write(queue, (clradio_span){ layout->bad_paths, 0 }, &no_bad_paths,
                                      sizeof no_bad_paths, 0, NULL, NULL);
    if (!status && clr_dft_walks(plan))
        status = clradio_buffer_create(plan->device, (3 + layout->counts.links) * sizeof(uint32_t),
                                       &layout->report);
    clradio_queue_destroy(queue);
    return status;
}

clradio_status clradio_dft_layout_create(clradio_dft *plan, const clradio_dft_sizes *sizes,
                                         clradio_dft_layout **layout)
{
    if (!plan || !sizes || !layout)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "plan, sizes or layout is NULL");
    *layout = NULL;
    clradio_dft_counts counts = CLRADIO_DFT_COUNTS_INIT;
    clradio_status status = clr_dft_count_values(plan->grid.values, sizes, &counts);
    if (!status)
        status = check_link_sizes(plan, sizes, &counts);
    if (status)
        return status;
    clradio_dft_layout *made = calloc(1, sizeof *made);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a layout");
    made->plan = plan;
    made->counts = counts;
    status = fill(made, sizes);
    if (status) {
        clradio_dft_layout_destroy(made);
        return status;
    }
    *layout = made;
    return CLRADIO_OK;
}

void clradio_dft_layout_destroy(clradio_dft_layout *layout)
{
    if (!layout)
        return;
    clradio_buffer_destroy(layout->tiles);
    clradio_buffer_destroy(layout->small_tiles);
    clradio_buffer_destroy(layout->links);
    clradio_buffer_destroy(layout->status);
    clradio_buffer_destroy(layout->bad_paths);
    clradio_buffer_destroy(layout->report);
    clr_dft_walk_destroy(&layout->walk);
    clr_dft_walk_destroy(&layout->small_walk);
    free(layout->host_tiles);
    free(layout);
}
