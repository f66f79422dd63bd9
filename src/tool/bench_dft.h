/* One case of the channel DFT's benchmark: what goes in, how it is measured, how it is said. */
#ifndef CLR_TOOL_BENCH_DFT_H
#define CLR_TOOL_BENCH_DFT_H

#include "engine/dft_check.h"
#include "tool/bench.h"

#include <clradio/clradio.h>

/* What the delays of a case are. */
typedef enum clr_bench_dft_kind {
    CLR_BENCH_DFT_GRID,    /* consecutive samples of a transform of a power of two */
    CLR_BENCH_DFT_SAMPLES, /* of that transform, in any order, shared by the paths of a link */
    CLR_BENCH_DFT_SHARED,  /* any delays, shared by the paths of a link */
    CLR_BENCH_DFT_PATH,    /* any delays, of each path its own */
    CLR_BENCH_DFT_KINDS
} clr_bench_dft_kind;
extern const char *const clr_bench_dft_kind_names[];

/* A whole run of the benchmark. */
typedef struct dft_bench {
    size_t repeats;
    clradio_device *device;
    clradio_queue *queue;
    const clradio_device_info *info;
    clr_bench_peak peak;
    clr_json *json, *cases;
    const char *variant, *parameters;
    uint64_t streams; /* from the host; 0: not measured */
    clr_bench_faults faults;
} dft_bench;

typedef struct dft_case {
    clr_bench_dft_kind kind;
    clradio_type type;
    uint64_t links, paths_per_link, taps;
    uint32_t subcarriers;
    clradio_dft_config config;
    clradio_dft_sizes sizes;
    clradio_dft_counts counts;
    void *gains;  /* host */
    void *delays; /* double, or int32 */
    uint64_t delay_bytes;
    clradio_dft *plan;
    clradio_dft_layout *layout;
    clradio_dft_io io;
    clradio_dft_info info;
    clr_bench_times times;
    clr_dft_verdict verdict;
} dft_case;

/* The shortest transform of a power of two that holds the subcarriers. */
uint32_t clr_bench_dft_points(uint32_t subcarriers);
/* Creates the plan, warms up, times, checks some links. On failure too: release it. */
clradio_status clr_bench_dft_measure(dft_bench *bench, dft_case *c);
void clr_bench_dft_release(dft_case *c);
/* A line of the table and an entry of the JSON; checked: 0 where the peer's result is not looked
 * at. */
void clr_bench_dft_say(dft_bench *bench, const dft_case *c, const char *who,
                       const clr_bench_times *times, int checked);

/* bench_dft_peers.c */
void clr_bench_dft_libraries(dft_bench *bench, const dft_case *c);
void clr_bench_dft_openblas(dft_bench *bench, const dft_case *c);
void clr_bench_dft_fftw(dft_bench *bench, const dft_case *c);
clradio_status clr_bench_dft_host(dft_bench *bench, const dft_case *c);

#endif
