/* Failing with a sentence: the thread's last error, and messages to the log. Knows no device. */
#ifndef CLR_BASE_ERROR_H
#define CLR_BASE_ERROR_H

#include <clradio/status.h>
#include <stdarg.h>

#if defined(__GNUC__)
#define CLR_PRINTF(text_at, rest_at) __attribute__((__format__(__printf__, text_at, rest_at)))
#else
#define CLR_PRINTF(text_at, rest_at)
#endif

/* Keeps the sentence as this thread's last error and returns status, so that a caller can write
 * `return clr_fail(...)`. */
clradio_status clr_fail(clradio_status status, const char *format, ...) CLR_PRINTF(2, 3);
/* Puts "where: " in front of the sentence that is there; returns status. */
clradio_status clr_fail_in(clradio_status status, const char *format, ...) CLR_PRINTF(2, 3);

/* A checker that reads one file at a time must know that these return the status and so no
 * success. */
#if defined(__clang_analyzer__)
#define clr_fail(status, ...) (clr_fail(status, __VA_ARGS__), (status))
#define clr_fail_in(status, ...) (clr_fail_in(status, __VA_ARGS__), (status))
#endif

/* topic: "build", "cache", "tune", "launch", "device", "io". */
void clr_log(clradio_log_level level, const char *topic, const char *format, ...) CLR_PRINTF(3, 4);
/* Whether a message of that level and topic goes anywhere: to skip making an expensive one. */
int clr_log_wanted(clradio_log_level level, const char *topic);

#endif
