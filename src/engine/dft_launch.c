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

enum { LINKS, PENDING, WALKERS, TAIL, FORGET, FAIL, REFUSE, PARAMETERS };
enum { REFUSED_GROUP = 2048 }; /* more work-items than any group has */

static const clr_parameter parameters[PARAMETERS] = {
    [LINKS] = { "LINKS", 0, INT32_MAX },
    [PENDING] = { "PENDING", 1, 2000 }, /* with 4,000 an H200 hung, with 2,000 it did not */
    [WALKERS] = { "WALKERS", 1, 256 },
    [TAIL] = { "TAIL", 0, 2 },
    [FORGET] = { "FORGET", 0, 1 },
    [FAIL] = { "FAIL", 0, INT32_MAX },
    [REFUSE] = { "REFUSE", 0, 1 },
};
static const int64_t defaults[PARAMETERS] = {
    [LINKS] = 1,
    [PENDING] = 1024,
    [WALKERS] = 32,
    [FORGET] = 1,
};

const char *clr_dft_launch_name(clradio_dft_launch launch)
{
    static const char *const names[] = { "flat", "host", "children", "emulated" };
    return (unsigned)launch < sizeof names / sizeof *names ? names[launch] : "?";
}

int clr_dft_walks(const clradio_dft *plan)
{
    return plan->config.launch == CLRADIO_LAUNCH_CHILDREN ||
           plan->config.launch == CLRADIO_LAUNCH_EMULATED;
}

uint64_t clr_dft_launch_links(const clradio_dft *plan)
{
    return (uint64_t)plan->launch_values[LINKS];
}

/* Before that the end of a parent grid closes a chunk, and the host launches the next. */
static int has_tail_launch(const clradio_device_info *device)
{
    return !strncmp(device->architecture, "sm_", 3) &&
           strtol(device->architecture + 3, NULL, 10) >= 90;
}

clradio_status clr_dft_launch_settle(clradio_dft *plan, const clradio_dft_config *config)
{
    int given[CLR_MOST_PARAMETERS];
    const clr_dft_variant *variant = plan->candidate.variant;
    memcpy(plan->launch_values, defaults, sizeof defaults);
    plan->launch_values[TAIL] = has_tail_launch(clr_device_info(plan->device));
    if (config->launch == CLRADIO_LAUNCH_FLAT)
        return clr_parameters_given(config->launch_parameters)
                   ? clr_fail(CLRADIO_ERROR_ARGUMENT,
                              "a flat launch has no parameters such as '%s'",
                              config->launch_parameters)
                   : CLRADIO_OK;
    if (!variant->inner)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the channel DFT's variant %s is a library's: it launches flat alone",
                        variant->name);
    clradio_status status = clr_parameters_read(parameters, PARAMETERS, config->launch_parameters,
                                                plan->launch_values, given);
    if (!status && config->launch == CLRADIO_LAUNCH_CHILDREN)
        status = clr_device_children(plan->device);
    return status;
}

void clr_dft_launch_write(const clradio_dft *plan, char *text, size_t room)
{
    const int shown[PARAMETERS] = { [LINKS] = 1 };
    *text = '\0';
    if (plan->config.launch != CLRADIO_LAUNCH_FLAT)
        clr_parameters_write(parameters, PARAMETERS, plan->launch_values,
                             clr_dft_walks(plan) ? NULL : shown, text, room);
}

void clr_dft_launch_key(const clradio_dft *plan, char *text, size_t room)
{
    const int64_t *v = plan->launch_values;
    *text = '\0';
    if (plan->config.launch != CLRADIO_LAUNCH_FLAT)
        snprintf(text, room, "/%s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "/%s",
                 clr_dft_launch_name(plan->config.launch), v[LINKS], v[PENDING], v[FAIL], v[REFUSE],
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
    const clr_macro own[] = { { "INNER", emulated ? 0 : inner },
                              { "CHILDREN", !emulated },
                              { "EMULATED", emulated },
                              { "WALKERS", plan->launch_values[WALKERS] },
                              { "TAIL", plan->launch_values[TAIL] },
                              { "FORGET", plan->launch_values[FORGET] } };
    memcpy(all + kept, own, sizeof own);
    clradio_status status = clr_program_get(plan->device, "dft_children.cl", all,
                                            kept + sizeof own / sizeof *own, &parent->program);
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
    const uint64_t pending = (uint64_t)v[PENDING], units = walk->unit_count;
    const uint64_t each = v[TAIL] ? units : pending;
    clradio_status status = CLRADIO_OK;
    for (uint64_t first = 0; !status && first < units; first += each) {
        clr_launch parent = *launch;
        for (int d = 0; d < 3; d++) {
            parent.groups[d] = 1;
            parent.group[d] = d ? 1 : (size_t)v[WALKERS];
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
        clr_launch_u32(&parent, (uint32_t)v[FAIL]);
        clr_launch_u32(&parent, v[REFUSE] ? (uint32_t)REFUSED_GROUP : 0);
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
