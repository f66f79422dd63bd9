/* Progress of long work: a line on a terminal that is redrawn, nothing otherwise. */
#ifndef CLR_BASE_PROGRESS_H
#define CLR_BASE_PROGRESS_H

#include <stdint.h>

typedef struct clr_progress {
    const char *what;      /* "correlating" */
    const char *unit;      /* "spectra" */
    uint64_t total;        /* 0: not known */
    double started, drawn; /* seconds of a steady clock */
    int shown;             /* stderr is a terminal */
} clr_progress;

double clr_steady_seconds(void);
void clr_progress_begin(clr_progress *progress, const char *what, const char *unit, uint64_t total);
/* done so far; redraws at most ten times a second. */
void clr_progress_update(clr_progress *progress, uint64_t done);
/* Clears the line. */
void clr_progress_end(clr_progress *progress);

#endif
