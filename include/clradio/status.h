/* What a call answers, and the sentence that goes with it. */
#ifndef CLRADIO_STATUS_H
#define CLRADIO_STATUS_H

#include <clradio/export.h>

CLRADIO_BEGIN_DECLS

/** Every call returns one of these; the numbers never change. */
typedef enum clradio_status {
    CLRADIO_OK = 0,
    CLRADIO_ERROR_ARGUMENT = -1, /**< config.stations is 0, or a required pointer is NULL */
    CLRADIO_ERROR_MEMORY = -2,   /**< the host has no memory left for a plan's tables */
    CLRADIO_ERROR_DEVICE_MEMORY =
        -3, /**< the device refuses a buffer: visibilities larger than its memory */
    CLRADIO_ERROR_NO_DEVICE =
        -4, /**< "opencl:7" on a machine with one device, or no ICD is installed */
    CLRADIO_ERROR_BUILD =
        -5, /**< a kernel does not compile: W=3000 needs more local memory than there is */
    CLRADIO_ERROR_DRIVER = -6, /**< a vendor's call failed: CL_OUT_OF_RESOURCES at a launch */
    CLRADIO_ERROR_UNSUPPORTED =
        -7,                      /**< cf64 output on a device without fp64; blas without CLBlast */
    CLRADIO_ERROR_LIMIT = -8,    /**< memory_limit is smaller than the least that the plan needs */
    CLRADIO_ERROR_OVERFLOW = -9, /**< a sum does not fit the int32 output that was asked for */
    CLRADIO_ERROR_IO = -10,      /**< a file cannot be opened, or the disk is full */
    CLRADIO_ERROR_FORMAT = -11,  /**< a VDIF frame whose length field is 0 */
    CLRADIO_ERROR_SELF_TEST = -12,   /**< no variant gives the known answer on this device */
    CLRADIO_ERROR_INTERRUPTED = -13, /**< SIGINT arrived while a pipeline was running */
    CLRADIO_ERROR_STATE = -14,       /**< wait_next on a pipeline to which nothing was submitted */
    CLRADIO_ERROR_INTERNAL = -15     /**< a bug in clradio: please report it with the sentence */
} clradio_status;

/** The name of a status, such as "CLRADIO_ERROR_BUILD"; never NULL. */
CLRADIO_API const char *clradio_status_name(clradio_status status);

/**
 * The sentence that explains the last failure in this thread: what, where, the vendor's code by
 * name, and for a build error the numbered source around it. Never NULL, empty before the first
 * failure. Valid until the next failing call in this thread.
 */
CLRADIO_API const char *clradio_last_error(void);

/** Levels of a log message. */
typedef enum clradio_log_level {
    CLRADIO_LOG_ERROR,
    CLRADIO_LOG_WARNING,
    CLRADIO_LOG_INFO,
    CLRADIO_LOG_DEBUG
} clradio_log_level;

/** Receives a message: topic is "build", "cache", "tune", "launch", "device" or "io". */
typedef void (*clradio_log_function)(void *user, clradio_log_level level, const char *topic,
                                     const char *message);

/**
 * Sends log messages to a function instead of nowhere. The library prints only where CLRADIO_DEBUG
 * names topics (CLRADIO_DEBUG=build,cache or all): then to stderr. function may be NULL to go back
 * to silence.
 */
CLRADIO_API void clradio_log_set(clradio_log_function function, void *user,
                                 clradio_log_level level);

CLRADIO_END_DECLS

#endif
