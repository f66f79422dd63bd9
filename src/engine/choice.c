/* Candidates that are set aside: which failures let the next one try, and what is said of them. */
#include "engine/choice.h"

#include <stdio.h>
#include <string.h>

int clr_next_may_serve(clradio_status status)
{
    return status == CLRADIO_ERROR_BUILD || status == CLRADIO_ERROR_SELF_TEST ||
           status == CLRADIO_ERROR_UNSUPPORTED || status == CLRADIO_ERROR_ARGUMENT ||
           status == CLRADIO_ERROR_DRIVER;
}

static const char *failure_of(clradio_status status)
{
    switch (status) {
    case CLRADIO_ERROR_BUILD: return "does not build";
    case CLRADIO_ERROR_SELF_TEST: return "gives wrong values";
    case CLRADIO_ERROR_DRIVER: return "is refused by the driver";
    default: return NULL;
    }
}

void clr_note_set_aside(clr_set_aside *best, const char *variant, clradio_status status)
{
    if (!best->variant && failure_of(status))
        *best = (clr_set_aside){ variant, status };
}

void clr_explain_set_aside(const clr_set_aside *best, char *reason, size_t room)
{
    const size_t length = strlen(reason);
    if (best->variant)
        snprintf(reason + length, room - length, "; %s, which is better, %s here", best->variant,
                 failure_of(best->status));
}
