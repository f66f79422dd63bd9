/* Panels against frequency or time: the autocorrelations, and one baseline's amplitude and phase.
 */
#include "tool/gnuplot.h"
#include "tool/plot_internal.h"

#include <math.h>
#include <stdio.h>

enum { MOST_KEYS = 12 };

static const char *antenna_name(const clr_uvh5_info *info, int64_t number)
{
    for (uint32_t i = 0; i < info->antennas; i++)
        if (info->antenna_number[i] == number)
            return info->antenna_name[i];
    return "?";
}

static const char *unit_name(double unit)
{
    if (unit == 1e6)
        return "MHz";
    return unit == 1e3 ? "kHz" : "Hz";
}

/* One line a channel or a time: x, then for each label either power in dB, or amplitude and phase
 * in degrees. */
static void add_lines(clr_drawing *d, uint64_t row, int whole, int reversed)
{
    const clr_uvh5_info *info = d->info;
    for (uint32_t c = 0; c < info->channels; c++) {
        if (d->over_time)
            clr_plot_add_number(&d->script, (info->julian_date[row] - d->start_jd) * 86400.0);
        else
            clr_plot_add_number(&d->script, info->frequency_hz[c] / d->unit);
        for (uint32_t l = 0; l < info->labels; l++) {
            const double *v = d->values + 2 * ((size_t)c * info->labels + l);
            double amplitude = hypot(v[0], v[1]);
            if (!whole) {
                clr_plot_add_number(&d->script, amplitude > 0 ? 10 * log10(amplitude) : NAN);
                continue;
            }
            double phase = atan2(reversed ? -v[1] : v[1], v[0]) * (180 / 3.14159265358979323846);
            clr_plot_add_number(&d->script, amplitude);
            clr_plot_add_number(&d->script, amplitude > 0 ? phase : NAN);
        }
        clr_text_add(&d->script, "\n");
    }
}

static clradio_status add_block(clr_drawing *d, const char *name, int64_t a, int64_t b, int whole)
{
    int reversed = 0;
    size_t count = clr_plot_find_rows(d, a, b, &reversed);
    clr_text_add(&d->script, "$%s << CLRADIO_END\n", name);
    clradio_status status = CLRADIO_OK;
    size_t first = d->over_time ? 0 : (size_t)d->plot->time;
    size_t last = d->over_time ? count : first + 1;
    for (size_t k = first; k < last && k < count && !status; k++) {
        status = clr_plot_read_row(d, d->rows[k]);
        if (!status)
            add_lines(d, d->rows[k], whole, reversed);
    }
    clr_text_add(&d->script, "? ?\nCLRADIO_END\n");
    return status;
}

static void set_axes(clr_drawing *d, const char *y)
{
    clr_text_add(&d->script, "set ylabel '%s'\n", y);
    if (d->over_time)
        clr_text_add(&d->script, "set xlabel 'time from the first integration (s)'\n");
    else
        clr_text_add(&d->script, "set xlabel 'frequency (%s)'\n", unit_name(d->unit));
}

static int is_parallel(int64_t label)
{
    return label == -1 || label == -2 || label == -5 || label == -6 || label > 0;
}

/* A last line of the legend: what it does not name, and what is not drawn at all. */
static void add_what_is_left_out(clr_drawing *d, unsigned named, unsigned drawn, unsigned all)
{
    if (named < drawn)
        clr_text_add(&d->script, ", \\\n1/0 with lines lc rgb 'white' title 'and %u more'",
                     drawn - named);
    if (drawn < all)
        clr_text_add(&d->script, ", \\\n1/0 with lines lc rgb 'white' title '%u not drawn'",
                     all - drawn);
}

static void plot_autocorrelations(clr_drawing *d, uint32_t antennas)
{
    const clr_uvh5_info *info = d->info;
    const char *before = "plot ";
    unsigned keys = 0, drawn = 0, all = 0;
    for (uint32_t l = 0; l < info->labels; l++) {
        drawn += is_parallel(info->label[l]) ? antennas : 0;
        all += is_parallel(info->label[l]) ? info->antennas : 0;
    }
    unsigned most = drawn > MOST_KEYS || all > drawn ? MOST_KEYS - 1 : MOST_KEYS;
    for (uint32_t i = 0; i < antennas; i++) {
        for (uint32_t l = 0; l < info->labels; l++) {
            if (!is_parallel(info->label[l]))
                continue;
            clr_text_add(&d->script, "%s$auto%u using 1:%u with %s lc %u dt %s lw 1.4 ", before, i,
                         l + 2, d->over_time ? "linespoints pt 7 ps 0.4" : "lines", i + 1,
                         info->label[l] == -6 || info->label[l] == -2 ? "'-'" : "1");
            if (keys++ < most) {
                clr_text_add(&d->script, "title ");
                clr_plot_add_title(d, "%s %s", info->antenna_name[i],
                                   clr_uvh5_label_name(info->label[l]));
            } else {
                clr_text_add(&d->script, "notitle");
            }
            before = ", \\\n";
        }
    }
    add_what_is_left_out(d, keys < most ? keys : most, drawn, all);
    clr_text_add(&d->script, "\n");
}

static void plot_baseline(clr_drawing *d, int phase)
{
    static const char *const colours[] = { "#1b6ca8", "#d1495b", "#3a9d5d", "#8f63b8" };
    const char *before = "plot ";
    for (uint32_t l = 0; l < d->info->labels; l++) {
        clr_text_add(&d->script, "%s$base using 1:%u with %s lc rgb '%s' title '%s'", before,
                     2 + 2 * l + (unsigned)phase,
                     phase          ? "points pt 7 ps 0.6"
                     : d->over_time ? "linespoints pt 7 ps 0.4 lw 1.4"
                                    : "lines lw 1.4",
                     colours[l % 4], clr_uvh5_label_name(d->info->label[l]));
        before = ", \\\n";
    }
    clr_text_add(&d->script, "\n");
}

static void add_head(clr_drawing *d, const char *what, uint64_t row)
{
    char when[64];
    clr_plot_when_text(d->info->julian_date[row], when);
    clr_text_add(&d->script, "set title ");
    if (d->over_time)
        clr_plot_add_title(d, "%s: %s", d->plot->title, what);
    else
        clr_plot_add_title(d, "%s: %s, integration %llu of %llu, %.4g s around %s UTC",
                           d->plot->title, what, (unsigned long long)d->plot->time,
                           (unsigned long long)d->info->times, d->info->integration_time_s[row],
                           when);
    clr_text_add(&d->script, "\n");
}

clradio_status clr_plot_panels(clr_drawing *d)
{
    const clr_uvh5_info *info = d->info;
    uint32_t antennas = info->antennas < 64 ? info->antennas : 64;
    char name[32];
    clradio_status status =
        clr_gnuplot_begin(&d->script, d->plot->picture, 1200, d->antenna_1 < 0 ? 520 : 1350);
    for (uint32_t i = 0; i < antennas && !status; i++) {
        snprintf(name, sizeof name, "auto%u", i);
        status = add_block(d, name, info->antenna_number[i], info->antenna_number[i], 0);
    }
    if (!status && d->antenna_1 >= 0)
        status = add_block(d, "base", d->antenna_1, d->antenna_2, 1);
    if (status)
        return status;
    uint64_t row = 0;
    int reversed = 0;
    if (clr_plot_find_rows(d, info->antenna_1[0], info->antenna_2[0], &reversed) > d->plot->time)
        row = d->rows[d->plot->time];
    clr_text_add(&d->script, "set datafile missing '?'\nset grid lc rgb '#dddddd'\n"
                             "set border lc rgb '#555555'\nset key outside right top\n"
                             "set lmargin 12\nset rmargin 24\nset autoscale xfix\n");
    if (d->antenna_1 >= 0)
        clr_text_add(&d->script, "set multiplot layout 3,1\n");
    add_head(d, "autocorrelations", row);
    set_axes(d, "power (dB of counts^2)");
    plot_autocorrelations(d, antennas);
    if (d->antenna_1 < 0)
        return CLRADIO_OK;
    clr_text_add(&d->script, "set title ");
    clr_plot_add_title(d, "baseline %lld-%lld (%s, %s): amplitude", (long long)d->antenna_1,
                       (long long)d->antenna_2, antenna_name(info, d->antenna_1),
                       antenna_name(info, d->antenna_2));
    clr_text_add(&d->script, "\nset format y '%%.3g'\n");
    set_axes(d, "amplitude (counts^2)");
    clr_text_add(&d->script, "set yrange [0:*]\n");
    plot_baseline(d, 0);
    clr_text_add(&d->script, "set title ");
    clr_plot_add_title(d, "baseline %lld-%lld: phase", (long long)d->antenna_1,
                       (long long)d->antenna_2);
    clr_text_add(&d->script, "\nset yrange [-180:180]\nset ytics 90\nset format y '%%g'\n");
    set_axes(d, "phase (degrees)");
    plot_baseline(d, 1);
    clr_text_add(&d->script, "unset multiplot\n");
    return CLRADIO_OK;
}
