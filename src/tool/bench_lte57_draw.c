/* The picture of clradio bench lte57: one panel for each experiment that was run. */
#include "tool/bench_lte57.h"
#include "tool/gnuplot.h"

#include <stdio.h>

typedef struct panel {
    const char *title, *x, *y;
    const char *tics;  /* names instead of numbers: points with labels, y logarithmic */
    const char *range; /* of x, with tics */
    double x_scale;
    int logarithmic; /* of x, to base 2 */
    int rate;        /* y: Gsubcarriers/s instead of ms */
} panel;

static const panel panels[CLR_LTE57_EXPERIMENTS] = {
    [CLR_LTE57_SIZE] = { .title = "1. amount of work",
                         .x = "million outputs",
                         .y = "ms",
                         .x_scale = 1e-6 },
    [CLR_LTE57_BATCHES] = { .title = "2. batches",
                            .x = "batches",
                            .y = "ms",
                            .x_scale = 1,
                            .logarithmic = 1 },
    [CLR_LTE57_STREAMS] = { .title = "3. streams, the processor works too",
                            .x = "streams",
                            .y = "ms",
                            .x_scale = 1,
                            .logarithmic = 1 },
    [CLR_LTE57_PROCESSOR] = { .title = "4. processor against device",
                              .y = "Gsubcarriers/s",
                              .tics = "'one core (C, fp64)' 0, 'device' 1",
                              .range = "[-0.7:1.7]",
                              .x_scale = 1,
                              .rate = 1 },
    [CLR_LTE57_LAUNCHES] = { .title = "5. launches, arrays on the device",
                             .y = "ms",
                             .tics = "'flat' 0, \"host\\na link\" 1, \"host\\na beam\" 2, "
                                     "\"children\\na link\" 3, \"children\\na beam\" 4",
                             .range = "[-0.7:4.7]",
                             .x_scale = 1 },
    [CLR_LTE57_MEMORY] = { .title = "7. response larger than the memory",
                           .y = "Gsubcarriers/s",
                           .tics = "'limited' 0, 'unlimited' 1",
                           .range = "[-0.7:1.7]",
                           .x_scale = 1,
                           .rate = 1 },
    [CLR_LTE57_LINK_STREAMS] = { .title = "6. streams, a launch a link from the host",
                                 .x = "streams",
                                 .y = "ms",
                                 .x_scale = 1,
                                 .logarithmic = 1 },
};

static void add_series(clr_text *script, const clr_lte57_series *series, int number)
{
    const panel *of = &panels[number];
    clr_text_add(script, "$s%d << CLRADIO_END\n", number);
    for (size_t k = 0; k < series->count; k++)
        clr_text_add(script, "%.9g %.9g\n", series->x[k] * of->x_scale,
                     of->rate ? series->outputs[k] / series->seconds[k] / 1e9
                              : series->seconds[k] * 1e3);
    clr_text_add(script, "CLRADIO_END\n");
}

static void add_panel(clr_text *script, int number)
{
    const panel *of = &panels[number];
    clr_text_add(script, "unset logscale\nset title '%s'\nset ylabel '%s'\n", of->title, of->y);
    if (of->tics) {
        clr_text_add(script,
                     "unset xlabel\nset logscale y\nset yrange [*:*]\nset xrange %s\n"
                     "set xtics (%s)\nset bmargin 4\nset offsets 0, 0, graph 0.1, graph 0.1\n"
                     "plot $s%d using 1:2 with points pt 7 ps 2 lc rgb '#d1495b', "
                     "$s%d using 1:2:(sprintf('%%.3g', $2)) with labels offset 0,1.2\n"
                     "set xtics auto\nset xrange [*:*]\nunset offsets\nunset bmargin\n",
                     of->range, of->tics, number, number);
        return;
    }
    clr_text_add(script,
                 "set xlabel '%s'\nset yrange [0:*]\n%s"
                 "plot $s%d using 1:2 with linespoints pt 7 lw 1.6 lc rgb '#1b6ca8'\n",
                 of->x, of->logarithmic ? "set logscale x 2\n" : "", number);
}

clr_exit clr_lte57_draw(const clr_lte57 *bench, const char *device, const char *picture)
{
    clr_text script = { 0 };
    int count = 0;
    for (int k = 0; k < CLR_LTE57_EXPERIMENTS; k++)
        count += bench->series[k].count > 0;
    const int columns = count > 4 ? 3 : count > 1 ? 2 : 1;
    const int rows = count ? (count + columns - 1) / columns : 1;
    clradio_status status = clr_gnuplot_begin(&script, picture, 600 * columns, 450 * rows);
    for (int k = 0; k < CLR_LTE57_EXPERIMENTS && !status; k++)
        if (bench->series[k].count)
            add_series(&script, &bench->series[k], k);
    if (!status) {
        clr_text_add(&script,
                     "set grid lc rgb '#dddddd'\nset border lc rgb '#555555'\nunset key\n"
                     "set multiplot layout %d,%d title ",
                     rows, columns);
        clr_gnuplot_quote(&script, device);
        clr_text_add(&script, " noenhanced\nset format '%%g'\n");
        for (int k = 0; k < CLR_LTE57_EXPERIMENTS; k++)
            if (bench->series[k].count)
                add_panel(&script, k);
        clr_text_add(&script, "unset multiplot\n");
        status = clr_gnuplot_draw(&script, picture);
    }
    clr_text_free(&script);
    if (status)
        return clr_say_status(status);
    printf("drawn: %s\n", picture);
    return CLR_EXIT_OK;
}
