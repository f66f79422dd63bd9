/* What the files of clradio ber share: the request as read, the measured points. */
#ifndef CLR_TOOL_BER_H
#define CLR_TOOL_BER_H

#include "base/text.h"
#include "tool/options.h"

#include <clradio/clradio.h>

enum { CLR_BER_MOST_POINTS = 1000 };

/* What the options said; defaults are in ber.c. */
typedef struct clr_ber_request {
    uint64_t transmit, receive, qam, min_errors, max_vectors, seed, candidates, full_streams;
    uint64_t node_budget, final_budget, batch, memory_limit, subcarriers;
    const char *modulation, *snr, *method, *channel, *device, *json, *csv, *plot, *resume;
    const char *correlation, *receive_correlation, *transmit_correlation, *reference;
    const char *variant, *parameters;
    double max_seconds, radius_factor, estimation_error, delay_spread_s, spacing_hz;
    int axis, ordering, precision, device_only;
} clr_ber_request;

/* One SNR. state: of the engine, also while it is not measured yet. */
typedef struct clr_ber_point {
    clradio_snr snr;
    clradio_montecarlo_point state;
    double ber, low, high; /* set when state.counts.vectors > 0 */
} clr_ber_point;

typedef struct clr_ber {
    const clr_ber_request *request;
    clradio_montecarlo_config config;
    clradio_modulation streams[16];
    double *receive_correlation, *transmit_correlation; /* cf64 */
    clradio_montecarlo_tap *taps;
    uint32_t bits;     /* of a vector */
    char alphabet[96]; /* "qam64", "qpsk,qam16" */
    clr_text about;    /* the link in one line: what the state of --resume must agree with */
    clr_ber_point *points;
    size_t count;
    size_t done;   /* points that have ended */
    clr_text kept; /* lines of --resume's file about points that are not asked for now */
    clradio_device_info device;
    clradio_montecarlo_info info;
} clr_ber;

/* ber_options.c */
extern const clr_usage clr_ber_usage;
extern const clr_ber_request clr_ber_defaults;

/* ber_setup.c: the request checked and made into configuration and points. */
clr_exit clr_ber_setup(clr_ber *ber, const clr_ber_request *request);
void clr_ber_free(clr_ber *ber);
/* "0:2:30", "10,12.5,20:1:23" in rising or any order. Returns how many, 0 when it cannot be read.
 */
size_t clr_ber_list(const char *text, double *values, size_t capacity);

/* ber_channel.c: taps and correlation. */
clr_exit clr_ber_channel(clr_ber *ber);

/* ber_output.c */
void clr_ber_say_head(const clr_ber *ber);
void clr_ber_say_point(const clr_ber *ber, const clr_ber_point *point);
/* Sets ber, low and high from the counts. */
void clr_ber_rate(clr_ber_point *point);
/* 1 when another run counts the same: it ended by its rule, not by the clock or a signal. */
int clr_ber_reproducible(const clr_ber_point *point);
double clr_ber_exact_fraction(const clr_ber_point *point);
clr_exit clr_ber_write_json(const clr_ber *ber, const char *path);
clr_exit clr_ber_write_csv(const clr_ber *ber, const char *path);

/* ber_resume.c: the counts of all points, in a file of their own. */
clr_exit clr_ber_load(clr_ber *ber, const char *path);
clradio_status clr_ber_save(const clr_ber *ber, const char *path);

/* ber_plot.c; reference_rows are those of --reference. */
clr_exit clr_ber_draw(const clr_ber *ber, const char *picture);
/* Checks what can be checked of the picture before hours are spent. */
clr_exit clr_ber_draw_ready(const clr_ber *ber, const char *picture);

#endif
