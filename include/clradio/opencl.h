/* The one public header that knows OpenCL's types: bring your own context, queue, memory and
 * events. */
#ifndef CLRADIO_OPENCL_H
#define CLRADIO_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#include <clradio/device.h>

CLRADIO_BEGIN_DECLS

/** A device in the caller's context; both are retained until the device is closed and its plans are
 * destroyed. */
CLRADIO_API clradio_status clradio_device_from_opencl(cl_context context, cl_device_id id,
                                                      clradio_device **device);
/** The caller's queue, in-order or out-of-order, on the device's context. */
CLRADIO_API clradio_status clradio_queue_from_opencl(clradio_device *device, cl_command_queue queue,
                                                     clradio_queue **wrapped);
CLRADIO_API clradio_status clradio_buffer_from_opencl(clradio_device *device, cl_mem memory,
                                                      clradio_buffer **buffer);
CLRADIO_API clradio_status clradio_event_from_opencl(clradio_device *device, cl_event event,
                                                     clradio_event **wrapped);

/** The OpenCL objects inside, not retained; NULL when the object belongs to another back end. */
CLRADIO_API cl_context clradio_device_opencl_context(const clradio_device *device);
CLRADIO_API cl_device_id clradio_device_opencl_id(const clradio_device *device);
CLRADIO_API cl_command_queue clradio_queue_opencl(const clradio_queue *queue);
CLRADIO_API cl_mem clradio_buffer_opencl(const clradio_buffer *buffer);
CLRADIO_API cl_event clradio_event_opencl(const clradio_event *event);

CLRADIO_END_DECLS

#endif
