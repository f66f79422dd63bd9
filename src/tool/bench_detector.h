/* One case of the detector's benchmark: what goes in, how it is measured, how it is said. */
#ifndef CLR_TOOL_BENCH_DETECTOR_H
#define CLR_TOOL_BENCH_DETECTOR_H

#include "engine/detector_reference.h"
#include "tool/bench.h"

#include <clradio/clradio.h>

/* A whole run of the benchmark. */
typedef struct detector_bench {
    size_t repeats;
    clradio_device *device;
    clradio_queue *queue;
    const clradio_device_info *info;
    clr_bench_peak peak;
    clr_json *json, *cases;
    const char *variant, *parameters, *launch_parameters;
    clradio_launch launch;
    uint64_t vectors; /* 0: by the kind of device */
    uint64_t node_budget;
    int quick;
    clr_bench_faults faults;
} detector_bench;

/* Rates in vectors a second; 0: not measured. */
typedef struct detector_case {
    clradio_detector_config config;
    double snr_db;
    uint64_t checked; /* the first vectors, which the reference takes too */
    clradio_snr snr;
    clradio_detector *plan;
    clradio_detector_info info;
    clradio_detector_io io;
    float *received, *channel; /* of the checked vectors */
    uint8_t *symbols, *status; /* what the device found for them */
    clradio_detector_statistics statistics;
    clr_bench_times times;
    double rate, prepare_share, again_share, host_rate, host_limit, reference_rate;
    char bound[16];
    uint64_t exact, differ;
} detector_case;

/* bench_detector_case.c: makes vectors on the device, warms up, times, checks. On failure too:
 * release it. */
clradio_status clr_bench_detector_measure(detector_bench *bench, detector_case *c);
void clr_bench_detector_release(detector_case *c);

/* bench_detector_host.c: the plain C reference on all cores over the checked vectors, its symbols
 * and status. */
clradio_status clr_bench_detector_reference(detector_case *c);
/* From pinned host memory through a pipeline. */
clradio_status clr_bench_detector_pipeline(detector_bench *bench, detector_case *c);

/* bench_detector_say.c: a case as a line, and in bench->cases where there is one; trees: as asked
 * for. Counts what is wrong. */
void clr_bench_detector_say_head(void);
void clr_bench_detector_say(detector_bench *bench, const detector_case *c, const char *trees);

#endif
