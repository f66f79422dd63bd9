/* The picture of clradio bench lte57: one panel for each experiment that was run. */
#include "tool/bench_lte57.h"
#include "tool/gnuplot.h"

#include <stdio.h>

typedef struct panel {
    const char *title, *x, *y;
    double x_scale;
    int logarithmic;   /* of x, to base 2 */
    const char *tics;  /* names instead of numbers: points with labels, y logarithmic */
    const char *range; /* of x, with tics */
    int rate;          /* y: Gsubcarriers/s instead of ms */
} panel;

static const panel panels[CLR_LTE57_EXPERIMENTS] = {
    [CLR_LTE57_SIZE] = { "1. amount of work", "million outputs", "ms", 1e-6, 0, NULL, NULL, 0 },
    [CLR_LTE57_BATCHES] = { "2. batches", "batches", "ms", 1, 1, NULL, NULL, 0 },
    [CLR_LTE57_STREAMS] = { "3. streams, the processor works too", "streams", "ms", 1, 1, NULL,
                            NULL, 0 },
    [CLR_LTE57_PROCESSOR] = { "4. processor against device", NULL, "Gsubcarriers/s", 1, 0,
                              "'one core (C, fp64)' 0, 'device' 1", "[-0.7:1.7]", 1 },
    [CLR_LTE57_LAUNCHES] = { "5. launches, arrays on the device", NULL, "ms", 1, 0,
                             "'flat' 0, \"host\\na link\" 1, \"host\\na beam\" 2, "
                             "\"children\\na link\" 3, \"children\\na beam\" 4",
                             "[-0.7:4.7]", 0 },
    [CLR_LTE57_LINK_STREAMS] = { "6. streams, a launch a link from the host", "streams", "ms", 1, 1,
                                 NULL, NULL, 0 },
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
