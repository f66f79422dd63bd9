/*
 * The second pass: the vectors that the first did not certify, from their input on, in double or
 * (COMPENSATED) in pairs of floats. The host never knows how many there are. Either one launch has
 * as many work-groups as are worth it, which take vectors from the list until it ends; or a launch
 * of one work-group looks at the list's length and starts grids for it (cl/detector_children.cl).
 */
#include "engine/detector_launch.h"

enum { COUNT_FAILED = 2, COUNT_STARTED = 3 }; /* of counters, as detector_children.cl has them */

static const clr_parameter unit_of_vectors = { "VECTORS", 1, CLR_MOST_VECTORS };

clradio_status clr_detector_launch_settle(clradio_detector *plan, const char *parameters)
{
    const clradio_launch launch = plan->config.launch;
    if (launch == CLRADIO_LAUNCH_HOST)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "the detector's second pass cannot be launched from the host: how many "
                        "vectors it has is known on the device alone, and no call waits for that");
    if (launch != CLRADIO_LAUNCH_FLAT && plan->config.method != CLRADIO_DETECTOR_SPHERE &&
        plan->config.method != CLRADIO_DETECTOR_ML)
        return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                        "method %s has no second pass: it launches flat alone",
                        clradio_detector_method_name(plan->config.method));
    return clr_launch_settle(plan->device, launch, &unit_of_vectors, 256, 32, parameters,
                             plan->launch_values);
}

void clr_detector_launch_write(const clradio_detector *plan, char *text, size_t room)
{
    clr_launch_write(plan->config.launch, &unit_of_vectors, plan->launch_values, text, room);
}

/* As many work-groups as the device is worth; each takes the list's next vector until it ends. */
static clradio_status search_list(clr_detector_call *call, clradio_buffer *list, uint64_t counter)
{
    clradio_detector *plan = call->plan;
    const int cpu = clr_device_info(plan->device)->kind == CLRADIO_DEVICE_CPU;
    clr_launch launch = { .groups = { clr_min_u64(call->items, cpu ? 64 : 8192), 1, 1 },
                          .group = { (size_t)plan->values[CLR_DETECTOR_AGAIN], 1, 1 } };
    clr_detector_add_group(call, 1, clr_start_of(list),
                           (clradio_span){ plan->counters, 4 * counter }, call->items, &launch);
    return clr_chain_launch(&call->chain, plan->again, &launch);
}

/* One parent where each launches the next, else one for each chunk that a full list would have. */
static clradio_status launch_parents(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    const int64_t *v = plan->launch_values;
    const uint64_t pending = (uint64_t)v[CLR_CHILDREN_PENDING];
    const uint64_t units = clr_ceil_div(call->items, (uint64_t)v[CLR_CHILDREN_UNIT]);
    clradio_status status = CLRADIO_OK;
    for (uint64_t first = 0; !status && first < units;
         first += v[CLR_CHILDREN_TAIL] ? units : pending) {
        clr_launch parent = { .groups = { 1, 1, 1 },
                              .group = { (size_t)v[CLR_CHILDREN_WALKERS], 1, 1 } };
        clr_detector_add_group(call, 1, clr_start_of(plan->list), clr_start_of(plan->counters),
                               call->items, &parent);
        clr_launch_span(&parent, clr_start_of(plan->started));
        clr_launch_span(&parent, clr_start_of(plan->failed));
        clr_launch_span(&parent, call->report);
        clr_launch_u32(&parent, (uint32_t)first);
        clr_launch_u32(&parent, (uint32_t)pending);
        clr_launch_u32(&parent, (uint32_t)v[CLR_CHILDREN_UNIT]);
        clr_launch_u32(&parent, (uint32_t)v[CLR_CHILDREN_FAIL]);
        clr_launch_u32(&parent, clr_launch_refused_group(v));
        status = clr_chain_launch(&call->chain, plan->parent, &parent);
    }
    return status;
}

clradio_status clr_detector_begin_report(clr_detector_call *call)
{
    const clradio_detector *plan = call->plan;
    if (!clr_launch_walks(plan->config.launch))
        return CLRADIO_OK;
    call->report =
        call->io->launch_report.buffer ? call->io->launch_report : clr_start_of(plan->report);
    return clr_chain_fill(&call->chain, call->report, 0, CLR_DETECTOR_REPORT_BYTES);
}

clradio_status clr_detector_search_again(clr_detector_call *call)
{
    clradio_detector *plan = call->plan;
    if (!plan->again || plan->no_again)
        return CLRADIO_OK;
    if (!plan->parent)
        return search_list(call, plan->list, 0);
    clradio_status status = launch_parents(call);
    if (!status && plan->started)
        status = search_list(call, plan->started, COUNT_STARTED);
    return status ? status : search_list(call, plan->failed, COUNT_FAILED);
}
