/* What engines that try one candidate after another have in common. */
#ifndef CLR_ENGINE_CHOICE_H
#define CLR_ENGINE_CHOICE_H

#include "base/error.h"

#include <stddef.h>

/* The best candidate that failed where it should have served: its variant's name, how. */
typedef struct clr_set_aside {
    const char *variant; /* NULL: none */
    clradio_status status;
} clr_set_aside;

/* Failures that another candidate may not have; others (a limit, no memory) hold for all. */
int clr_next_may_serve(clradio_status status);

/* Keeps the first one that was to serve there and cannot; that a variant does not take a
 * configuration is no failure of it. */
void clr_note_set_aside(clr_set_aside *best, const char *variant, clradio_status status);

/* Adds to the reason for the one that serves why a better one does not. */
void clr_explain_set_aside(const clr_set_aside *best, char *reason, size_t room);

#endif
