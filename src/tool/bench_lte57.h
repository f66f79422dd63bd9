/* What the files of clradio bench lte57 share: the job, its runs, the lines of its tables. */
#ifndef CLR_TOOL_BENCH_LTE57_H
#define CLR_TOOL_BENCH_LTE57_H

#include "tool/bench.h"
#include "tool/dft.h"
#include "tool/json.h"

enum { CLR_LTE57_POINTS = 16 };
enum {
    CLR_LTE57_SIZE,
    CLR_LTE57_BATCHES,
    CLR_LTE57_STREAMS,
    CLR_LTE57_PROCESSOR,
    CLR_LTE57_LAUNCHES,
    CLR_LTE57_MEMORY,       /* by its name alone */
    CLR_LTE57_LINK_STREAMS, /* belongs to the launches */
    CLR_LTE57_EXPERIMENTS
};

/* One experiment's points. */
typedef struct clr_lte57_series {
    double x[CLR_LTE57_POINTS], seconds[CLR_LTE57_POINTS], outputs[CLR_LTE57_POINTS];
    size_t count;
} clr_lte57_series;

typedef struct clr_lte57 {
    clradio_device *device;
    clr_dft_request request;
    uint64_t users, repeats, sum; /* sum: of the job's response, 0: not known */
    uint64_t memory_limit;        /* of the experiment with memory */
    int quick, replay;
    unsigned streams; /* of the experiments that do not vary them */
    unsigned wrong;
    int over_limit; /* more memory was taken than allowed */
    uint64_t failed_launches;
    const char
        *settings; /* of one way of launching, to be measured in place of all ways; or NULL */
    clr_lte57_series series[CLR_LTE57_EXPERIMENTS];
    clr_json *json, *json_rows;
} clr_lte57;

/* bench_lte57_run.c: median of the repeats, in that many batches (0: chosen) by that many streams
 * (0: chosen); works: the caller sums |H|^2 of every batch. A response other than the job's is
 * counted in wrong. */
clradio_status clr_lte57_measure(clr_lte57 *bench, const clr_dft_job *job, uint64_t batches,
                                 unsigned streams, int works, clr_bench_times *times);
/* FNV-1a over 64-bit words, to be continued; of nothing yet. */
#define CLR_LTE57_NO_SUM UINT64_C(14695981039346656037)
uint64_t clr_lte57_checksum(uint64_t sum, const void *response, uint64_t bytes);
/* The job's first response is kept by its sum; another one is counted in wrong. */
void clr_lte57_compare(clr_lte57 *bench, uint64_t sum);

/* bench_lte57_cases.c. All experiments (0), or the one with a number less by one. */
clr_exit clr_lte57_experiments(clr_lte57 *bench, int experiment);
/* The first `users` of the scenario with that many subcarriers. */
clr_exit clr_lte57_make_job(clr_lte57 *bench, uint64_t users, uint64_t subcarriers,
                            clr_dft_job *job);
double clr_lte57_outputs(const clr_dft_job *job);
/* A point of an experiment's series; a line of its table, with that and the JSON; the JSON alone
 * (NULL where there is none). */
void clr_lte57_keep(clr_lte57 *bench, int experiment, double x, double seconds, double outputs);
void clr_lte57_say_head(const char *title, const char *first);
void clr_lte57_say(clr_lte57 *bench, int experiment, const char *what, double x,
                   const clr_bench_times *times, double outputs);
clr_json *clr_lte57_json(clr_lte57 *bench, int experiment, const char *what,
                         const clr_bench_times *times, double outputs);

/* bench_lte57_launch.c: the fifth experiment; and a job with its arrays on the device, whole. */
clr_exit clr_lte57_launches(clr_lte57 *bench);
clradio_status clr_lte57_resident(clr_lte57 *bench, const clr_dft_job *job, clr_bench_times *times);
/* bench_lte57_memory.c: a response larger than the memory it may have. */
clr_exit clr_lte57_memory(clr_lte57 *bench);
/* bench_lte57_draw.c: a panel for each experiment that was run. */
clr_exit clr_lte57_draw(const clr_lte57 *bench, const char *device, const char *picture);

#endif
