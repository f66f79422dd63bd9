/* The picture of clradio bench lte57: one panel an experiment. */
#include "tool/bench_lte57.h"
#include "tool/gnuplot.h"

#include <stdio.h>

static void add_series(clr_text *script, const clr_lte57_series *series, int number, int rate)
{
    clr_text_add(script, "$s%d << CLRADIO_END\n", number);
    for (size_t k = 0; k < series->count; k++)
        clr_text_add(script, "%.9g %.9g\n", series->x[k] * (number ? 1 : 1e-6),
                     rate ? series->outputs[k] / series->seconds[k] / 1e9
                          : series->seconds[k] * 1e3);
    clr_text_add(script, "CLRADIO_END\n");
}

clr_exit clr_lte57_draw(const clr_lte57 *bench, const char *device, const char *picture)
{
    static const struct {
        const char *title, *x;
    } panels[] = {
        { "1. amount of work", "million outputs" },
        { "2. batches", "batches" },
        { "3. streams, the processor works too", "streams" },
    };
    clr_text script = { 0 };
    clradio_status status = clr_gnuplot_begin(&script, picture, 1200, 900);
    for (int k = 0; k < CLR_LTE57_EXPERIMENTS && !status; k++)
        add_series(&script, &bench->series[k], k, k == 3);
    if (!status) {
        clr_text_add(&script, "set grid lc rgb '#dddddd'\nset border lc rgb '#555555'\nunset key\n"
                              "set multiplot layout 2,2 title ");
        clr_gnuplot_quote(&script, device);
        clr_text_add(&script, " noenhanced\nset ylabel 'ms'\nset yrange [0:*]\nset format '%%g'\n");
        for (int k = 0; k < 3; k++)
            clr_text_add(&script,
                         "%s\nset title '%s'\nset xlabel '%s'\n"
                         "plot $s%d using 1:2 with linespoints pt 7 lw 1.6 lc rgb '#1b6ca8'\n",
                         k ? "set logscale x 2" : "unset logscale x", panels[k].title, panels[k].x,
                         k);
        clr_text_add(&script,
                     "unset logscale\nset title '4. processor against device'\nunset xlabel\n"
                     "set ylabel 'Gsubcarriers/s'\nset logscale y\nset yrange [*:*]\n"
                     "set offsets 0, 0, graph 0.1, graph 0.1\n"
                     "set xrange [-0.7:1.7]\nset xtics ('one core (C, fp64)' 0, 'device' 1)\n"
                     "plot $s3 using 1:2 with points pt 7 ps 2 lc rgb '#d1495b', "
                     "$s3 using 1:2:(sprintf('%%.3g', $2)) with labels offset 0,1.2\n"
                     "unset multiplot\n");
        status = clr_gnuplot_draw(&script, picture);
    }
    clr_text_free(&script);
    if (status)
        return clr_say_status(status);
    printf("drawn: %s\n", picture);
    return CLR_EXIT_OK;
}
