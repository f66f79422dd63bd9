/* What the benchmarks share: times of repeated runs, the device's measured peak, how both are said.
 */
#ifndef CLR_TOOL_BENCH_H
#define CLR_TOOL_BENCH_H

#include "base/error.h"
#include "tool/exit_codes.h"
#include "tool/json.h"

#include <clradio/device.h>
#include <stddef.h>
#include <stdint.h>

/* Seconds of repeated runs. mad: the median distance from the median. */
typedef struct clr_bench_times {
    double median, least, most, mad;
    size_t count;
} clr_bench_times;

/* Waits for a command that was enqueued with `status` at `start` (clr_steady_seconds), and lets go
 * of its event. Seconds: by the event, or by the clock when the event's time is nothing (some
 * drivers set an event's times when the command is queued). */
clradio_status clr_bench_wait(clradio_status status, clradio_event *event, double start,
                              double *seconds);

/* A call that is timed: enqueues it, in order behind the one before. */
typedef clradio_status (*clr_bench_call)(void *what, clradio_event **event);
enum { CLR_BENCH_MOST_REPEATS = 1000 };
/* Times of `repeats` calls, at most CLR_BENCH_MOST_REPEATS, after `first` that warm up. They follow
 * one another without the host between them: behind an idle queue an event's time would hold what
 * the host takes to hand a launch over, some 2 us on an H200 through CUDA. */
clradio_status clr_bench_time(clr_bench_call call, void *what, size_t first, size_t repeats,
                              clr_bench_times *times);
/* Sorts seconds. */
void clr_bench_summarise(double *seconds, size_t count, clr_bench_times *times);

/* Operations per second, 2 a multiply-add; 0: not available. */
typedef struct clr_bench_peak {
    double fp32, int32, fp64, dot4, mma_int8, mma_fp16;
} clr_bench_peak;

/* Measures with cl/bench_peak.cl; the results are checked. The last three on NVIDIA's devices. */
clradio_status clr_bench_measure_peak(clradio_device *device, clr_bench_peak *peak);
/* By the name of the unit, as engines' info gives it. */
double clr_bench_peak_of(const clr_bench_peak *peak, const char *unit);

/* The lines (and the JSON object; json may be NULL) that every benchmark starts with. */
void clr_bench_say_device(const clradio_device_info *info, const clr_bench_peak *peak,
                          clr_json *json);

/* Writes the figures (json may be NULL), whatever the answer up to here was; returns that, or what
 * went wrong now. */
clr_exit clr_bench_write(clr_json *json, const char *path, clr_exit answer);

/* A line of what a kernel takes, where its registers are known; and for JSON (to may be NULL). */
void clr_bench_say_resources(uint32_t registers, uint64_t private_bytes, uint64_t local_bytes,
                             clr_json *to);

/* "a,b,c": each word is taken into the next item of `to`. Returns how many, 0 when one is empty,
 * not taken (take returns 0) or beyond capacity. */
size_t clr_bench_list(const char *text, int (*take)(const char *word, void *to), void *to,
                      size_t item_bytes, size_t capacity);
/* "16,64,256": numbers from 1 to most. Returns how many (at most capacity), or 0 and says what is
 * wrong with the text of that option. */
size_t clr_bench_numbers(const char *option, const char *text, uint64_t most, uint64_t *numbers,
                         size_t capacity);

/* Cases that were not measured or not right. */
typedef struct clr_bench_faults {
    size_t wrong, refused; /* refused: what cannot be, such as a variant's name, or not in a
                              device's limits */
} clr_bench_faults;
/* The end of the line of a case that could not be measured; on this device alone: no fault. */
void clr_bench_say_fault(clr_bench_faults *faults, clradio_status status);
clr_exit clr_bench_answer(const clr_bench_faults *faults);

/* bench_xengine.c */
clr_exit clr_bench_xengine(int argc, char **argv);
/* bench_lte57.c */
clr_exit clr_bench_lte57(int argc, char **argv);

/* bench_dft.c */
clr_exit clr_bench_dft(int argc, char **argv);

/* bench_detector.c */
clr_exit clr_bench_detector(int argc, char **argv);

/* bench_openblas.c: seconds of cherk over `channels` matrices of [spectra][channels][inputs] with
 * all cores; 0 and why it cannot be (a sentence). */
int clr_bench_cherk(const float *spectra, size_t inputs, size_t channels, size_t spectra_count,
                    double *seconds, size_t repeats, char why_not[128]);
/* The same for cgemm: out [m][n] = a [m][k] b [k][n]. */
int clr_bench_cgemm(const float *a, const float *b, float *out, size_t m, size_t n, size_t k,
                    double *seconds, size_t repeats, char why_not[128]);
/* bench_fftw.c: the same for transforms of `rows` rows of `points`, of which the first n_taps are
 * not zero; rows_of: room for the padded rows; out [rows][points]. */
int clr_bench_fftw(const float *taps, float *rows_of, float *out, size_t rows, size_t n_taps,
                   size_t points, double *seconds, size_t repeats, char why_not[128]);

#endif
