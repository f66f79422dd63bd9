/* Composes the picture of a UVH5 file: three panels against frequency or time, or the matrix. */
#include "tool/plot_draw.h"

#include "io/source.h"
#include "tool/gnuplot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = 12 };

typedef struct drawing {
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
} drawing;

static const char *antenna_name(const clr_uvh5_info *info, int64_t number)
{
    for (uint32_t i = 0; i < info->antennas; i++)
        if (info->antenna_number[i] == number)
            return info->antenna_name[i];
    return "?";
}

/* 'enhanced' text would take _ ^ { } @ & as commands: names are printed as they are. */
static void add_title(drawing *d, const char *format, ...) CLR_PRINTF(2, 3);
static void add_title(drawing *d, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    clr_gnuplot_quote(&d->script, text);
    clr_text_add(&d->script, " noenhanced");
}

static const char *unit_name(double unit)
{
    if (unit == 1e6)
        return "MHz";
    return unit == 1e3 ? "kHz" : "Hz";
}

static void choose_unit(drawing *d)
{
    double most = 0;
    for (uint32_t c = 0; c < d->info->channels; c++)
        most = fmax(most, fabs(d->info->frequency_hz[c]));
    d->unit = most >= 1e5 ? 1e6 : most >= 1e3 ? 1e3 : 1;
}

static void when_text(double julian_date, char *text)
{
    double day = floor(julian_date - 2400000.5);
    double seconds = (julian_date - 2400000.5 - day) * 86400.0;
    clr_time time = { (int64_t)day, floor(seconds), seconds - floor(seconds) };
    clr_time_text(time, text);
    text[strcspn(text, ".")] = '\0';
}

/* ---- data ---- */

static clradio_status read_row(drawing *d, uint64_t row)
{
    clradio_status status = clr_uvh5_read_row(d->reader, row, d->values, d->flags, d->nsamples);
    if (status)
        return status;
    size_t n = (size_t)d->info->channels * d->info->labels;
    for (size_t i = 0; i < n; i++)
        if (d->flags[i])
            d->values[2 * i] = d->values[2 * i + 1] = NAN;
    return CLRADIO_OK;
}

static size_t find(const drawing *d, int64_t a, int64_t b, int *reversed)
{
    return clr_uvh5_find_rows(d->info, a, b, d->rows, (size_t)d->info->rows, reversed);
}

static void add_number(clr_text *text, double value)
{
    if (isfinite(value))
        clr_text_add(text, " %.9g", value);
    else
        clr_text_add(text, " ?");
}

/* One line a channel or a time: x, then for each label either power in dB, or amplitude and phase
 * in degrees. */
static void add_lines(drawing *d, uint64_t row, int whole, int reversed)
{
    const clr_uvh5_info *info = d->info;
    for (uint32_t c = 0; c < info->channels; c++) {
        if (d->over_time)
            add_number(&d->script, (info->julian_date[row] - d->start_jd) * 86400.0);
        else
            add_number(&d->script, info->frequency_hz[c] / d->unit);
        for (uint32_t l = 0; l < info->labels; l++) {
            const double *v = d->values + 2 * ((size_t)c * info->labels + l);
            double amplitude = hypot(v[0], v[1]);
            if (!whole) {
                add_number(&d->script, amplitude > 0 ? 10 * log10(amplitude) : NAN);
                continue;
            }
            double phase = atan2(reversed ? -v[1] : v[1], v[0]) * (180 / 3.14159265358979323846);
            add_number(&d->script, amplitude);
            add_number(&d->script, amplitude > 0 ? phase : NAN);
        }
        clr_text_add(&d->script, "\n");
    }
}

static clradio_status add_block(drawing *d, const char *name, int64_t a, int64_t b, int whole)
{
    int reversed = 0;
    size_t count = find(d, a, b, &reversed);
    clr_text_add(&d->script, "$%s << CLRADIO_END\n", name);
    clradio_status status = CLRADIO_OK;
    size_t first = d->over_time ? 0 : (size_t)d->plot->time;
    size_t last = d->over_time ? count : first + 1;
    for (size_t k = first; k < last && k < count && !status; k++) {
        status = read_row(d, d->rows[k]);
        if (!status)
            add_lines(d, d->rows[k], whole, reversed);
    }
    clr_text_add(&d->script, "? ?\nCLRADIO_END\n");
    return status;
}

/* ---- panels ---- */

static void set_axes(drawing *d, const char *y)
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

static void plot_autocorrelations(drawing *d, uint32_t antennas)
{
    const clr_uvh5_info *info = d->info;
    const char *before = "plot ";
    unsigned keys = 0;
    for (uint32_t i = 0; i < antennas; i++) {
        for (uint32_t l = 0; l < info->labels; l++) {
            if (!is_parallel(info->label[l]))
                continue;
            clr_text_add(&d->script, "%s$auto%u using 1:%u with %s lc %u dt %s lw 1.4 ", before, i,
                         l + 2, d->over_time ? "linespoints pt 7 ps 0.4" : "lines", i + 1,
                         info->label[l] == -6 || info->label[l] == -2 ? "'-'" : "1");
            if (keys++ < MOST_KEYS) {
                clr_text_add(&d->script, "title ");
                add_title(d, "%s %s", info->antenna_name[i], clr_uvh5_label_name(info->label[l]));
            } else {
                clr_text_add(&d->script, "notitle");
            }
            before = ", \\\n";
        }
    }
    clr_text_add(&d->script, "\n");
}

static void plot_baseline(drawing *d, int phase)
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

static void add_head(drawing *d, const char *what, uint64_t row)
{
    char when[64];
    when_text(d->info->julian_date[row], when);
    clr_text_add(&d->script, "set title ");
    if (d->over_time)
        add_title(d, "%s: %s", d->plot->title, what);
    else
        add_title(d, "%s: %s, integration %llu of %llu, %.4g s around %s UTC", d->plot->title, what,
                  (unsigned long long)d->plot->time, (unsigned long long)d->info->times,
                  d->info->integration_time_s[row], when);
    clr_text_add(&d->script, "\n");
}

static clradio_status draw_panels(drawing *d)
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
    if (find(d, info->antenna_1[0], info->antenna_2[0], &reversed) > d->plot->time)
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
    add_title(d, "baseline %lld-%lld (%s, %s): amplitude", (long long)d->antenna_1,
              (long long)d->antenna_2, antenna_name(info, d->antenna_1),
              antenna_name(info, d->antenna_2));
    clr_text_add(&d->script, "\nset format y '%%.3g'\n");
    set_axes(d, "amplitude (counts^2)");
    clr_text_add(&d->script, "set yrange [0:*]\n");
    plot_baseline(d, 0);
    clr_text_add(&d->script, "set title ");
    add_title(d, "baseline %lld-%lld: phase", (long long)d->antenna_1, (long long)d->antenna_2);
    clr_text_add(&d->script, "\nset yrange [-180:180]\nset ytics 90\nset format y '%%g'\n");
    set_axes(d, "phase (degrees)");
    plot_baseline(d, 1);
    clr_text_add(&d->script, "unset multiplot\n");
    return CLRADIO_OK;
}

/* ---- the matrix ---- */

/* Which label is (p, q), 0 for X or R and 1 for Y or L; labels as the file names them. */
static int label_index(const clr_uvh5_info *info, uint32_t p, uint32_t q)
{
    static const int64_t linear[2][2] = { { -5, -7 }, { -8, -6 } };
    static const int64_t circular[2][2] = { { -1, -3 }, { -4, -2 } };
    for (uint32_t l = 0; l < info->labels; l++)
        if (info->label[l] == linear[p][q] || info->label[l] == circular[p][q])
            return (int)l;
    return -1;
}

/* |V| of every pair of inputs of one channel and time, then over sqrt of the autocorrelations. */
static clradio_status fill_matrix(drawing *d, double *matrix, uint32_t pols)
{
    const clr_uvh5_info *info = d->info;
    size_t n = (size_t)info->antennas * pols;
    clradio_status status = CLRADIO_OK;
    for (uint32_t i = 0; i < info->antennas; i++) {
        for (uint32_t j = 0; j <= i && !status; j++) {
            int reversed = 0;
            size_t count = find(d, info->antenna_number[j], info->antenna_number[i], &reversed);
            if (count <= d->plot->time)
                continue;
            status = read_row(d, d->rows[d->plot->time]);
            for (uint32_t p = 0; p < pols * pols && !status; p++) {
                /* The label is (pol of ant_1, pol of ant_2). */
                int l = label_index(info, p / pols, p % pols);
                if (l < 0)
                    continue;
                size_t a = j * pols + (reversed ? p % pols : p / pols);
                size_t b = i * pols + (reversed ? p / pols : p % pols);
                double amplitude = hypot(d->values[2 * l], d->values[2 * l + 1]);
                matrix[a * n + b] = matrix[b * n + a] = amplitude;
            }
        }
    }
    return status;
}

static void add_matrix(drawing *d, const double *matrix, size_t n)
{
    clr_text_add(&d->script, "$matrix << CLRADIO_END\n");
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++)
            add_number(&d->script, matrix[a * n + b] / sqrt(matrix[a * n + a] * matrix[b * n + b]));
        clr_text_add(&d->script, "\n");
    }
    clr_text_add(&d->script, "CLRADIO_END\n$power << CLRADIO_END\n");
    for (size_t a = 0; a < n; a++) {
        clr_text_add(&d->script, "%zu", a);
        add_number(&d->script, 10 * log10(matrix[a * n + a]));
        clr_text_add(&d->script, "\n");
    }
    clr_text_add(&d->script, "CLRADIO_END\n");
}

static void add_tics(drawing *d, const char *axis, uint32_t pols)
{
    const clr_uvh5_info *info = d->info;
    uint32_t inputs = info->antennas * pols, step = 1 + inputs / 40;
    clr_text_add(&d->script, "set %stics %s(", axis, *axis == 'x' ? "rotate by 90 right " : "");
    for (uint32_t a = 0; a < inputs; a += step) {
        char text[96];
        snprintf(text, sizeof text, "%s%s", info->antenna_name[a / pols],
                 pols < 2 ? "" : (a % pols ? " Y" : " X"));
        clr_text_add(&d->script, a ? ", " : "");
        clr_gnuplot_quote(&d->script, text);
        clr_text_add(&d->script, " %u", a);
    }
    clr_text_add(&d->script, ") noenhanced\n");
}

static clradio_status draw_matrix(drawing *d)
{
    const clr_uvh5_info *info = d->info;
    uint32_t pols = info->labels > 1 ? 2 : 1;
    size_t n = (size_t)info->antennas * pols;
    clradio_status status = clr_gnuplot_begin(&d->script, d->plot->picture, 1000, 1250);
    if (status)
        return status;
    if (n > 4096)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "a matrix of %zu inputs is too large to draw", n);
    double *matrix = calloc(n * n, sizeof *matrix);
    if (!matrix)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a matrix of %zu inputs", n);
    status = fill_matrix(d, matrix, pols);
    if (!status)
        add_matrix(d, matrix, n);
    free(matrix);
    char when[64];
    when_text(info->julian_date[d->plot->time < info->rows ? d->plot->time : 0], when);
    clr_text_add(&d->script, "set datafile missing '?'\nset border lc rgb '#555555'\n"
                             "set multiplot\nset lmargin 14\nset rmargin 14\n"
                             "set size 1,0.28\nset origin 0,0.71\nset title ");
    add_title(d, "%s: power of the inputs, %.6g s around %s UTC", d->plot->title,
              info->integration_time_s[0], when);
    clr_text_add(&d->script,
                 "\nset ylabel 'power (dB of counts^2)'\nset xrange [-0.5:%g]\nset grid y\n",
                 (double)n - 0.5);
    add_tics(d, "x", pols);
    clr_text_add(&d->script,
                 "set style fill solid 0.8\nset boxwidth 0.7\n"
                 "plot [][:] $power using 1:2 with points pt 7 ps 1.1 lc rgb '#1b6ca8' notitle\n"
                 "unset grid\nset size 1,0.71\nset origin 0,0\nset ylabel\n");
    clr_text_add(&d->script,
                 "set title '|correlation coefficient| of every pair of inputs'\n"
                 "set yrange [%g:-0.5]\n",
                 (double)n - 0.5);
    add_tics(d, "y", pols);
    clr_text_add(&d->script,
                 "set palette defined (0 '#ffffff', 0.1 '#cfe3f2', 0.3 '#6aaed6', 0.6 '#2b6ca3', "
                 "1 '#08264a')\nset cbrange [0:1]\nset cblabel '|r|'\n"
                 "plot $matrix matrix with image notitle\nunset multiplot\n");
    return status;
}

/* ---- choosing ---- */

static clradio_status choose_baseline(drawing *d)
{
    const clr_uvh5_info *info = d->info;
    d->antenna_1 = d->antenna_2 = -1;
    if (d->plot->antenna_1 != d->plot->antenna_2) {
        int reversed;
        if (!find(d, d->plot->antenna_1, d->plot->antenna_2, &reversed))
            return clr_fail(CLRADIO_ERROR_ARGUMENT, "the file has no baseline %lld,%lld",
                            (long long)d->plot->antenna_1, (long long)d->plot->antenna_2);
        d->antenna_1 = d->plot->antenna_1;
        d->antenna_2 = d->plot->antenna_2;
        return CLRADIO_OK;
    }
    for (uint64_t row = 0; row < info->rows; row++) {
        if (info->antenna_1[row] == info->antenna_2[row])
            continue;
        d->antenna_1 = info->antenna_1[row];
        d->antenna_2 = info->antenna_2[row];
        break;
    }
    return CLRADIO_OK;
}

clradio_status clr_plot_draw(clr_uvh5_reader *reader, const clr_plot *plot)
{
    const clr_uvh5_info *info = clr_uvh5_get_info(reader);
    drawing d = { .reader = reader, .info = info, .plot = plot };
    if (!info->rows || plot->time >= info->times)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "there is no integration %llu: the file has %llu",
                        (unsigned long long)plot->time, (unsigned long long)info->times);
    d.over_time = info->channels == 1;
    d.start_jd = info->julian_date[0];
    choose_unit(&d);
    size_t values = (size_t)info->channels * info->labels;
    d.values = malloc(values * 2 * sizeof *d.values);
    d.nsamples = malloc(values * sizeof *d.nsamples);
    d.flags = malloc(values);
    d.rows = malloc((size_t)info->rows * sizeof *d.rows);
    clradio_status status = CLRADIO_OK;
    if (!d.values || !d.nsamples || !d.flags || !d.rows)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a row of the file");
    if (!status)
        status = choose_baseline(&d);
    if (!status)
        status = d.over_time && info->times == 1 ? draw_matrix(&d) : draw_panels(&d);
    if (!status)
        status = clr_gnuplot_draw(&d.script, plot->picture);
    free(d.values);
    free(d.nsamples);
    free(d.flags);
    free(d.rows);
    clr_text_free(&d.script);
    return status;
}
