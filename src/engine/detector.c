/* The detector's plan: create, information, destroy. */
#include "engine/detector_internal.h"

clradio_status clradio_detector_create(clradio_device *device,
                                       const clradio_detector_config *config,
                                       clradio_detector **plan)
{
    clradio_detector_config checked;
    if (!device || !plan)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "%s is NULL", device ? "plan" : "device");
    *plan = NULL;
    clradio_status status = clr_detector_check_config(config, &checked);
    return status ? status
                  : clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                             "the detector's kernels are not in this version");
}

clradio_status clradio_detector_enqueue(clradio_detector *plan, clradio_queue *queue,
                                        const clradio_detector_io *io, size_t n_wait,
                                        clradio_event *const *wait, clradio_event **done)
{
    (void)plan, (void)queue, (void)io, (void)n_wait, (void)wait, (void)done;
    return clr_fail(CLRADIO_ERROR_ARGUMENT, "plan is NULL");
}

clradio_status clradio_detector_run(clradio_detector *plan, const clradio_detector_host_io *io)
{
    (void)plan, (void)io;
    return clr_fail(CLRADIO_ERROR_ARGUMENT, "plan is NULL");
}

clradio_status clradio_detector_get_info(const clradio_detector *plan, clradio_detector_info *info)
{
    (void)plan, (void)info;
    return clr_fail(CLRADIO_ERROR_ARGUMENT, "plan is NULL");
}

void clradio_detector_destroy(clradio_detector *plan)
{
    (void)plan;
}
