/* What the pictures of clradio plot share: the file that is drawn, the script that grows. */
#ifndef CLR_TOOL_PLOT_INTERNAL_H
#define CLR_TOOL_PLOT_INTERNAL_H

#include "tool/plot_draw.h"

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

typedef struct clr_drawing {
    clr_uvh5_reader *reader;
    const clr_uvh5_info *info;
    const clr_plot *plot;
    clr_text script;
    int over_time;  /* one channel: the axis is time */
    double unit;    /* of the frequency axis in Hz */
    double *values; /* one row: [channel][label][re, im] */
    double *nsamples;
    unsigned char *flags;
    int64_t antenna_1, antenna_2; /* of the baseline; antenna_1 < 0: there is none */
    uint64_t *rows;               /* of one pair */
    double start_jd;
} clr_drawing;

/* Title text. 'enhanced' text would take _ ^ { } @ & as commands: names are printed as they are. */
void clr_plot_add_title(clr_drawing *d, const char *format, ...) CLR_PRINTF(2, 3);
/* A number, or the mark of a missing one. */
void clr_plot_add_number(clr_text *text, double value);
/* The second of UTC that a Julian date lies in, as the tool prints times (64 bytes). */
void clr_plot_when_text(double julian_date, char *text);
/* One row into d->values; what is flagged becomes NaN. */
clradio_status clr_plot_read_row(clr_drawing *d, uint64_t row);
/* The rows of one pair into d->rows; their number. *reversed: the file has the pair as b, a. */
size_t clr_plot_find_rows(const clr_drawing *d, int64_t a, int64_t b, int *reversed);

/* Each composes a whole picture. */
clradio_status clr_plot_panels(clr_drawing *d);
clradio_status clr_plot_matrix(clr_drawing *d);

#endif
