/*
 * How the tiles of a call reach the device: all by one launch, a launch for each unit of links from
 * the host, or a launch whose grid starts the units (cl/dft_children.cl). In the last case another
 * launch follows, over the tiles of the units that could not be started; of all others it sees
 * tiles without paths.
 */
#include "base/checked.h"
#include "engine/dft_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const clr_parameter unit_of_links = { "LINKS", 0, INT32_MAX };

int clr_dft_walks(const clradio_dft *plan)
{
    return clr_launch_walks(plan->config.launch);
}

uint64_t clr_dft_launch_links(const clradio_dft *plan)
{
    return (uint64_t)plan->launch_values[CLR_CHILDREN_UNIT];
}

clradio_status clr_dft_launch_settle(clradio_dft *plan, const clradio_dft_config *config)
{
    const clr_dft_variant *variant = plan->candidate.variant;
    if (config->launch != CLRADIO_LAUNCH_FLAT && !variant->inner)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the channel DFT's variant %s launches flat alone", variant->name);
    return clr_launch_settle(plan->device, config->launch, &unit_of_links, 1, 128,
                             config->launch_parameters, plan->launch_values);
}

void clr_dft_launch_write(const clradio_dft *plan, char *text, size_t room)
{
    clr_launch_write(plan->config.launch, &unit_of_links, plan->launch_values, text, room);
}

void clr_dft_launch_key(const clradio_dft *plan, char *text, size_t room)
{
    const int64_t *v = plan->launch_values;
    *text = '\0';
    if (plan->config.launch != CLRADIO_LAUNCH_FLAT)
        snprintf(text, room, "/%s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "/%s",
                 clr_launch_name(plan->config.launch), v[CLR_CHILDREN_UNIT],
                 v[CLR_CHILDREN_PENDING], v[CLR_CHILDREN_FAIL], v[CLR_CHILDREN_REFUSE],
                 plan->parent.program ? clr_program_hash(plan->parent.program) : "-");
}

clradio_status clr_dft_get_parent(clradio_dft *plan, const clr_macro *macros, size_t n_macros,
                                  int inner, clr_dft_parent *parent)
{
    const int emulated = plan->config.launch == CLRADIO_LAUNCH_EMULATED;
    clr_macro all[CLR_MOST_PARAMETERS + 16];
    if (!clr_dft_walks(plan) || parent->kernel)
        return CLRADIO_OK;
    /* the emulated one has no use for what is the inner kernel's alone */
    const size_t kept = emulated ? 2 : n_macros;
    memcpy(all, macros, kept * sizeof *macros);
    all[kept] = (clr_macro){ "INNER", emulated ? 0 : inner };
    clr_launch_macros(plan->config.launch, plan->launch_values, all + kept + 1);
    clradio_status status = clr_program_get(plan->device, "dft_children.cl", all,
                                            kept + 1 + CLR_CHILDREN_MACROS, &parent->program);
    return status ? status : clr_kernel_create(parent->program, "dft_children", &parent->kernel);
}

/* ---- a layout's tables ---- */

uint64_t clr_dft_walk_bytes(const clradio_dft *plan, uint64_t tiles, uint64_t links)
{
    const uint64_t tables = plan->config.launch == CLRADIO_LAUNCH_EMULATED ? 2 : 1;
    /* two lists of tiles, each with its units and one more; the report */
    return clr_dft_walks(plan)
               ? tiles * tables * sizeof(clr_dft_tile) + (links + 2) * 8 + (links + 3) * 4
               : 0;
}

clradio_status clr_dft_walk_create(const clradio_dft *plan, clradio_queue *queue,
                                   clr_dft_walk *walk)
{
    const uint64_t bytes = (walk->unit_count + 1) * 2 * sizeof *walk->host_units;
    if (!clr_dft_walks(plan))
        return CLRADIO_OK;
    clradio_status status = clradio_buffer_create(plan->device, bytes, &walk->units);
    if (!status)
        status = clradio_buffer_write(queue, (clradio_span){ walk->units, 0 }, walk->host_units,
                                      bytes, 0, NULL, NULL);
    if (!status)
        status = clradio_buffer_create(plan->device, walk->tile_bytes, &walk->failed);
    if (!status && plan->config.launch == CLRADIO_LAUNCH_EMULATED)
        status = clradio_buffer_create(plan->device, walk->tile_bytes, &walk->started);
    return status;
}

void clr_dft_walk_destroy(clr_dft_walk *walk)
{
    clradio_buffer_destroy(walk->units);
    clradio_buffer_destroy(walk->started);
    clradio_buffer_destroy(walk->failed);
    free(walk->host_units);
}

/* ---- launches ---- */

static clradio_status launch_from_host(clr_chain *chain, const clr_dft_call *call,
                                       const clr_launch *launch)
{
    const uint32_t *unit = call->walk->host_units;
    clradio_status status = CLRADIO_OK;
    for (uint64_t u = 0; !status && u < call->walk->unit_count; u++, unit += 2) {
        clr_launch one = *launch;
        one.groups[0] = unit[2] - unit[0];
        one.arguments[0].span.offset += unit[0] * sizeof(clr_dft_tile);
        status = u + 1 < call->walk->unit_count ? clr_chain_launch_quiet(chain, call->kernel, &one)
                                                : clr_chain_launch(chain, call->kernel, &one);
    }
    return status;
}

/* Parents follow one another on the queue: one for all chunks when each launches the next, else one
 * a chunk. */
static clradio_status launch_parents(const clradio_dft *plan, clr_chain *chain,
                                     const clr_dft_call *call, const clr_launch *launch)
{
    const int64_t *v = plan->launch_values;
    const clr_dft_walk *walk = call->walk;
    const uint64_t pending = (uint64_t)v[CLR_CHILDREN_PENDING], units = walk->unit_count;
    const uint64_t each = v[CLR_CHILDREN_TAIL] ? units : pending;
    clradio_status status = CLRADIO_OK;
    for (uint64_t first = 0; !status && first < units; first += each) {
        clr_launch parent = *launch;
        for (int d = 0; d < 3; d++) {
            parent.groups[d] = 1;
            parent.group[d] = d ? 1 : (size_t)v[CLR_CHILDREN_WALKERS];
        }
        clr_launch_span(&parent, (clradio_span){ walk->units, 0 });
        clr_launch_span(&parent, (clradio_span){ walk->started, 0 });
        clr_launch_span(&parent, (clradio_span){ walk->failed, 0 });
        clr_launch_span(&parent, call->report);
        clr_launch_u32(&parent, (uint32_t)first);
        clr_launch_u32(&parent, (uint32_t)clr_min_u64(units, first + each));
        clr_launch_u32(&parent, (uint32_t)pending);
        clr_launch_u32(&parent, (uint32_t)call->io->layout->counts.links);
        clr_launch_u32(&parent, (uint32_t)launch->groups[1]);
        clr_launch_u32(&parent, (uint32_t)launch->groups[2]);
        clr_launch_u32(&parent, (uint32_t)v[CLR_CHILDREN_FAIL]);
        clr_launch_u32(&parent, clr_launch_refused_group(v));
        status = clr_chain_launch(chain, call->parent, &parent);
    }
    return status;
}

/* The variant's kernel over a table of as many tiles. */
static clradio_status launch_table(clr_chain *chain, const clr_dft_call *call,
                                   const clr_launch *launch, clradio_buffer *tiles)
{
    clr_launch table = *launch;
    table.arguments[0].span = (clradio_span){ tiles, 0 };
    return clr_chain_launch(chain, call->kernel, &table);
}

clradio_status clr_dft_launch_units(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call,
                                    const clr_launch *launch)
{
    const clr_dft_walk *walk = call->walk;
    if (!walk)
        return clr_chain_launch(chain, call->kernel, launch);
    if (!clr_dft_walks(plan))
        return launch_from_host(chain, call, launch);
    clradio_status status =
        clr_chain_fill(chain, (clradio_span){ walk->failed, 0 }, 0, walk->tile_bytes);
    if (!status && walk->started)
        status = clr_chain_fill(chain, (clradio_span){ walk->started, 0 }, 0, walk->tile_bytes);
    if (!status)
        status = launch_parents(plan, chain, call, launch);
    if (!status && walk->started)
        status = launch_table(chain, call, launch, walk->started);
    return status ? status : launch_table(chain, call, launch, walk->failed);
}
