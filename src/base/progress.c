/* Progress on a terminal. */
#include "base/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

double clr_steady_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void clr_progress_begin(clr_progress *progress, const char *what, const char *unit, uint64_t total)
{
    *progress = (clr_progress){
        .what = what, .unit = unit, .total = total, .shown = isatty(STDERR_FILENO)
    };
    progress->started = clr_steady_seconds();
    progress->drawn = progress->started;
}

void clr_progress_update(clr_progress *progress, uint64_t done)
{
    double now = clr_steady_seconds();
    if (!progress->shown || now - progress->drawn < 0.1)
        return;
    progress->drawn = now;
    double elapsed = now - progress->started;
    double rate = elapsed > 0 ? (double)done / elapsed : 0;
    if (progress->total && rate > 0)
        fprintf(stderr, "\r%s: %.0f %%, %.4g %s/s, %.0f s left \033[K", progress->what,
                100.0 * (double)done / (double)progress->total, rate, progress->unit,
                ((double)progress->total - (double)done) / rate);
    else
        fprintf(stderr, "\r%s: %llu %s, %.4g %s/s \033[K", progress->what, (unsigned long long)done,
                progress->unit, rate, progress->unit);
    fflush(stderr);
}

void clr_progress_end(clr_progress *progress)
{
    if (progress->shown && progress->drawn > progress->started)
        fprintf(stderr, "\r\033[K");
    progress->shown = 0;
}
