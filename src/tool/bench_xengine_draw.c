/* The picture of clradio bench xengine: rates against the number of inputs. */
#include "tool/bench_xengine.h"
#include "tool/gnuplot.h"
#include "tool/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PANEL_WIDTH = 760, PANEL_HEIGHT = 480 };

void clr_bench_xengine_point(bench *bench, const bench_case *c, const char *varied)
{
    if (!bench->picture || c->verdict.wrong)
        return;
    clr_bench_point *points = realloc(bench->points, (bench->n_points + 1) * sizeof *points);
    if (!points) { /* the picture would lack a point */
        clr_say(CLR_EXIT_FAILED, "no memory for the picture");
        bench->faults.wrong++;
        return;
    }
    bench->points = points;
    const double peak = clr_bench_peak_of(&bench->peak, c->info.unit);
    const double bytes = (double)c->info.input_bytes;
    clr_bench_point *point = &points[bench->n_points++];
    *point = (clr_bench_point){ .inputs = c->config.stations * c->config.polarisations,
                                .rate = (double)c->info.operations / c->times.median };
    point->of_peak = peak > 0 ? point->rate / peak : 0;
    point->chain = c->chain_seconds > 0 ? bytes / c->chain_seconds : 0;
    point->link = c->link_seconds > 0 ? bytes / c->link_seconds : 0;
    /* a variant that was chosen may change with the number of inputs: the line goes on */
    snprintf(point->series, sizeof point->series, "%s %s%s%s%s", clradio_type_name(c->config.input),
             clr_bench_layout_name(c->config.layout), c->config.variant ? " " : "",
             c->config.variant ? c->config.variant : "", varied);
}

static int is_first_of_series(const bench *bench, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (strcmp(bench->points[k].series, bench->points[n].series) == 0)
            return 0;
    return 1;
}

static double kernel_rate(const clr_bench_point *p)
{
    return p->rate * 1e-12;
}

static double kernel_share(const clr_bench_point *p)
{
    return p->of_peak * 100;
}

static double chain_rate(const clr_bench_point *p)
{
    return p->chain * 1e-9;
}

static double link_rate(const clr_bench_point *p)
{
    return p->link * 1e-9;
}

typedef struct panel {
    const char *title, *y;
    double (*value)(const clr_bench_point *point);
    double (*beside)(const clr_bench_point *point); /* a dashed line, or NULL */
} panel;

static const panel panels[] = {
    { "kernels", "useful TOP/s", kernel_rate, NULL },
    { "kernels, of the peak of the unit used", "%", kernel_share, NULL },
    { "from host memory (dashed: copies alone)", "GB/s of input", chain_rate, link_rate },
};

/* The points of a line in order of inputs, as a data block $dN. */
static void add_line(clr_text *script, const bench *bench, size_t first, const char *name,
                     size_t number, double (*value)(const clr_bench_point *point))
{
    const char *series = bench->points[first].series;
    clr_text_add(script, "$%s%zu << CLRADIO_END\n", name, number);
    uint32_t after = 0;
    for (;;) {
        const clr_bench_point *next = NULL;
        for (size_t n = 0; n < bench->n_points; n++) {
            const clr_bench_point *point = &bench->points[n];
            if (strcmp(point->series, series) == 0 && point->inputs > after &&
                (!next || point->inputs < next->inputs))
                next = point;
        }
        if (!next)
            break;
        after = next->inputs;
        if (value(next) > 0)
            clr_text_add(script, "%u %.6g\n", next->inputs, value(next));
    }
    clr_text_add(script, "CLRADIO_END\n");
}

static int line_has(const bench *bench, size_t first, double (*value)(const clr_bench_point *))
{
    for (size_t n = first; n < bench->n_points; n++)
        if (strcmp(bench->points[n].series, bench->points[first].series) == 0 &&
            value(&bench->points[n]) > 0)
            return 1;
    return 0;
}

static void add_panel(clr_text *script, const bench *bench, const panel *panel)
{
    const char *between = "plot ";
    size_t lines = 0;
    clr_text plot = { 0 };
    for (size_t n = 0; n < bench->n_points; n++) {
        if (!is_first_of_series(bench, n) || !line_has(bench, n, panel->value))
            continue;
        lines++;
        add_line(script, bench, n, "d", lines, panel->value);
        clr_text_add(&plot, "%s$d%zu using 1:2 with linespoints pt 7 lw 1.6 lc %zu title ", between,
                     lines, lines);
        clr_gnuplot_quote(&plot, bench->points[n].series);
        between = ", ";
        if (panel->beside && line_has(bench, n, panel->beside)) {
            add_line(script, bench, n, "e", lines, panel->beside);
            clr_text_add(&plot, ", $e%zu using 1:2 with lines dt 2 lc %zu notitle", lines, lines);
        }
    }
    if (lines) {
        clr_text_add(script, "set title '%s'\nset ylabel '%s'\n", panel->title, panel->y);
        clr_text_add_bytes(script, plot.bytes, plot.length);
        clr_text_add(script, "\n");
    }
    script->failed |= plot.failed;
    clr_text_free(&plot);
}

clr_exit clr_bench_xengine_draw(const bench *bench)
{
    clr_text script = { 0 };
    unsigned shown = 2;
    for (size_t n = 0; n < bench->n_points && shown == 2; n++)
        shown += bench->points[n].chain > 0;
    if (!bench->n_points)
        return clr_say(CLR_EXIT_FAILED, "no case was measured and right: nothing is drawn");
    clradio_status status =
        clr_gnuplot_begin(&script, bench->picture, PANEL_WIDTH * shown, PANEL_HEIGHT);
    if (!status) {
        clr_text_add(&script,
                     "set grid lc rgb '#dddddd'\nset border lc rgb '#555555'\n"
                     "set key below height 1 samplen 2 noenhanced\nset logscale x 2\n"
                     "set xlabel 'inputs (stations x polarisations)' offset 0,0.3\n"
                     "set yrange [0:*]\n"
                     "set multiplot layout 1,%u title ",
                     shown);
        clr_gnuplot_quote(&script, bench->info->name);
        clr_text_add(&script, " noenhanced\n");
        for (unsigned n = 0; n < shown; n++)
            add_panel(&script, bench, &panels[n]);
        clr_text_add(&script, "unset multiplot\n");
        status = clr_gnuplot_draw(&script, bench->picture);
    }
    clr_text_free(&script);
    if (status)
        return clr_say_status(status);
    printf("drawn: %s\n", bench->picture);
    return CLR_EXIT_OK;
}
