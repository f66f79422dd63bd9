/* One case of the X-engine's benchmark: what goes in, how it is measured, how it is said. */
#ifndef CLR_TOOL_BENCH_XENGINE_H
#define CLR_TOOL_BENCH_XENGINE_H

#include "engine/xengine_reference.h"
#include "tool/bench.h"

#include <clradio/clradio.h>

/* What is drawn of a case. */
typedef struct clr_bench_point {
    char series[80];      /* what the points of one line have in common */
    uint32_t inputs;      /* stations times polarisations */
    double rate, of_peak; /* useful operations a second, and of the peak of the unit used */
    double chain,
        link; /* bytes of input a second from host memory, and of copies; 0: not measured */
} clr_bench_point;

/* A whole run of the benchmark. */
typedef struct bench {
    const char *picture; /* NULL: nothing is drawn */
    clr_bench_point *points;
    size_t n_points;
    size_t repeats;
    unsigned slots; /* of the pipeline that each case also goes through; 0: none */
    clradio_device *device;
    clradio_queue *queue;
    const clradio_device_info *info;
    clr_bench_peak peak;
    clr_json *json, *cases;
    clr_bench_faults faults;
} bench;

/* "tci", "cit", "blocked". */
const char *clr_bench_layout_name(clradio_layout layout);

/* One case: what goes in, and what was seen. */
typedef struct bench_case {
    clradio_xengine_config config;
    void *spectra, *visibilities, *valid;
    uint64_t *counts;
    clradio_buffer *in, *out, *valid_in, *counts_out; /* the last two with config.valid */
    clradio_xengine *plan;
    clradio_xengine_info info;
    clr_bench_times times;
    double chain_seconds, link_seconds; /* a batch from host memory; its slower copy */
    clr_xengine_verdict verdict;
} bench_case;

/* Creates the plan, warms up, times, checks. On failure too: release it. */
clradio_status clr_bench_case_measure(bench *bench, bench_case *c);
void clr_bench_case_release(bench_case *c);
/* A line of the table and an entry of the JSON. */
void clr_bench_case_say(bench *bench, const bench_case *c, const char *who);
/* The same from host memory, beside the link and the kernels. */
clradio_status clr_bench_case_pipeline(bench *bench, bench_case *c, unsigned depth);
/* Keeps a case for the picture, where one is wanted; varied: what the line is called besides. */
void clr_bench_xengine_point(bench *bench, const bench_case *c, const char *varied);
/* Rates against the number of inputs, of the kernels and from host memory. */
clr_exit clr_bench_xengine_draw(const bench *bench);
/* OpenBLAS on the same data, as a line of its own. */
void clr_bench_case_openblas(bench *bench, const bench_case *c);

#endif
