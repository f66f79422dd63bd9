/* What the files of clradio bench lte57 share. */
#ifndef CLR_TOOL_BENCH_LTE57_H
#define CLR_TOOL_BENCH_LTE57_H

#include "tool/bench.h"
#include "tool/dft.h"
#include "tool/json.h"

enum { CLR_LTE57_EXPERIMENTS = 4, CLR_LTE57_POINTS = 16 };

/* One experiment's points. */
typedef struct clr_lte57_series {
    double x[CLR_LTE57_POINTS], seconds[CLR_LTE57_POINTS], outputs[CLR_LTE57_POINTS];
    size_t count;
} clr_lte57_series;

typedef struct clr_lte57 {
    clradio_device *device;
    clr_dft_request request;
    uint64_t users, repeats, sum; /* sum: of the job's response, 0: not known */
    int quick;
    unsigned wrong;
    clr_lte57_series series[CLR_LTE57_EXPERIMENTS];
    clr_json *json, *json_rows;
} clr_lte57;

/* bench_lte57_run.c: median of the repeats, in that many batches (0: chosen) by that many streams
 * (0: chosen); works: the caller sums |H|^2 of every batch. A response other than the job's is
 * counted in wrong. */
clradio_status clr_lte57_measure(clr_lte57 *bench, const clr_dft_job *job, uint64_t batches,
                                 unsigned streams, int works, clr_bench_times *times);
/* bench_lte57_draw.c: four panels. */
clr_exit clr_lte57_draw(const clr_lte57 *bench, const char *device, const char *picture);

#endif
