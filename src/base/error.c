/*
 * The thread's last error and the log. The only state is one locked pair (log function, level); the
 * error sentence is thread-local. Prints only where CLRADIO_DEBUG names the topic.
 */
#include "base/error.h"
#undef clr_fail
#undef clr_fail_in

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_BYTES = 16384, MESSAGE_BYTES = 8192 };

static _Thread_local char last_error[ERROR_BYTES];

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static clradio_log_function log_function;
static void *log_user;
static clradio_log_level log_level;

const char *clradio_last_error(void)
{
    return last_error;
}

clradio_status clr_fail(clradio_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return status;
}

clradio_status clr_fail_in(clradio_status status, const char *format, ...)
{
    char place[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(place, sizeof place, format, arguments);
    va_end(arguments);
    size_t length = strlen(place);
    size_t kept = strlen(last_error);
    if (length + 2 + kept >= sizeof last_error)
        kept = sizeof last_error - length - 3;
    memmove(last_error + length + 2, last_error, kept);
    last_error[length + 2 + kept] = '\0';
    memcpy(last_error, place, length);
    memcpy(last_error + length, ": ", 2);
    return status;
}

static int debug_names(const char *topic)
{
    const char *list = getenv("CLRADIO_DEBUG");
    size_t length = strlen(topic);
    while (list && *list) {
        size_t word = strcspn(list, ",");
        if ((word == length && !memcmp(list, topic, length)) ||
            (word == 3 && !memcmp(list, "all", 3)))
            return 1;
        list += word;
        list += *list == ',';
    }
    return 0;
}

int clr_log_wanted(clradio_log_level level, const char *topic)
{
    pthread_mutex_lock(&log_lock);
    int wanted = log_function && level <= log_level;
    pthread_mutex_unlock(&log_lock);
    return wanted || debug_names(topic);
}

void clr_log(clradio_log_level level, const char *topic, const char *format, ...)
{
    if (!clr_log_wanted(level, topic))
        return;
    char message[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&log_lock);
    clradio_log_function function = level <= log_level ? log_function : NULL;
    void *user = log_user;
    pthread_mutex_unlock(&log_lock);
    if (function)
        function(user, level, topic, message);
    if (debug_names(topic))
        fprintf(stderr, "clradio: %s: %s\n", topic, message);
}

void clradio_log_set(clradio_log_function function, void *user, clradio_log_level level)
{
    pthread_mutex_lock(&log_lock);
    log_function = function;
    log_user = user;
    log_level = level;
    pthread_mutex_unlock(&log_lock);
}

const char *clradio_status_name(clradio_status status)
{
    switch (status) {
    case CLRADIO_OK: return "CLRADIO_OK";
    case CLRADIO_ERROR_ARGUMENT: return "CLRADIO_ERROR_ARGUMENT";
    case CLRADIO_ERROR_MEMORY: return "CLRADIO_ERROR_MEMORY";
    case CLRADIO_ERROR_DEVICE_MEMORY: return "CLRADIO_ERROR_DEVICE_MEMORY";
    case CLRADIO_ERROR_NO_DEVICE: return "CLRADIO_ERROR_NO_DEVICE";
    case CLRADIO_ERROR_BUILD: return "CLRADIO_ERROR_BUILD";
    case CLRADIO_ERROR_DRIVER: return "CLRADIO_ERROR_DRIVER";
    case CLRADIO_ERROR_UNSUPPORTED: return "CLRADIO_ERROR_UNSUPPORTED";
    case CLRADIO_ERROR_LIMIT: return "CLRADIO_ERROR_LIMIT";
    case CLRADIO_ERROR_OVERFLOW: return "CLRADIO_ERROR_OVERFLOW";
    case CLRADIO_ERROR_IO: return "CLRADIO_ERROR_IO";
    case CLRADIO_ERROR_FORMAT: return "CLRADIO_ERROR_FORMAT";
    case CLRADIO_ERROR_SELF_TEST: return "CLRADIO_ERROR_SELF_TEST";
    case CLRADIO_ERROR_INTERRUPTED: return "CLRADIO_ERROR_INTERRUPTED";
    case CLRADIO_ERROR_STATE: return "CLRADIO_ERROR_STATE";
    case CLRADIO_ERROR_INTERNAL: return "CLRADIO_ERROR_INTERNAL";
    }
    return "unknown status";
}
