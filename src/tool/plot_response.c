/*
 * A picture of a frequency response: magnitude and phase over frequency, and the delay profile, the
 * square of the transform of the response (Hann window) over the delays that its spacing tells
 * apart.
 */
#include "tool/plot_response.h"

#include "tool/gnuplot.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PATHS = 8, MOST_POINTS = 4096, MOST_WHOLE = 256 << 20 };

typedef struct drawing {
    clr_arrays_file *file;
    const clr_arrays_info *info;
    size_t index;
    unsigned axis; /* the subcarriers' */
    uint64_t subcarriers, paths, first, count;
    double *frequency; /* [subcarriers] */
    const char *unit;
    double factor;         /* of the frequency axis */
    double complex *whole; /* everything, where paths do not lie in one piece */
    double complex *value; /* [count][subcarriers] */
    clr_text script;
} drawing;

static int find_response(const clr_arrays_file *file, size_t *index)
{
    static const char *const names[] = { "response", "h", "channel" };
    size_t found = 0;
    for (int k = 0; k < 3; k++)
        if (clr_arrays_find(file, names[k], index))
            return 1;
    if (clr_arrays_find(file, "delay", index) || clr_arrays_find(file, "tau", index))
        return 0; /* taps */
    for (size_t i = 0; clr_arrays_get(file, i); i++)
        if (clr_element_is_complex(clr_arrays_get(file, i)->element)) {
            *index = i;
            found++;
        }
    return found == 1;
}

int clr_plot_is_response(const clr_arrays_file *file)
{
    size_t index;
    return find_response(file, &index) && clr_arrays_get(file, index)->rank > 0;
}

static void set_axis(drawing *d)
{
    d->axis = d->info->rank - 1;
    for (unsigned k = 0; k < d->info->rank; k++)
        if (!strcmp(d->info->axis[k], "subcarrier") || !strcmp(d->info->axis[k], "block"))
            d->axis = k;
    d->subcarriers = d->info->size[d->axis];
    d->paths = d->subcarriers ? d->info->count / d->subcarriers : 0;
}

/* The array beside the response, or the subcarrier's number. */
static clradio_status read_frequencies(drawing *d)
{
    size_t index;
    int known = clr_arrays_find(d->file, "frequency", &index) &&
                clr_arrays_get(d->file, index)->count == d->subcarriers;
    clradio_status status = CLRADIO_OK;
    if (known)
        status = clr_arrays_read_all(d->file, index, CLR_ELEMENT_F64, (void **)&d->frequency);
    else if (!(d->frequency = malloc((size_t)d->subcarriers * sizeof *d->frequency)))
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the frequencies");
    if (status)
        return status;
    double most = 0;
    for (uint64_t k = 0; k < d->subcarriers; k++) {
        if (!known)
            d->frequency[k] = (double)k;
        most = fmax(most, fabs(d->frequency[k]));
    }
    d->factor = !known ? 1 : most >= 1e5 ? 1e-6 : 1e-3;
    d->unit = !known ? "subcarrier" : most >= 1e5 ? "frequency (MHz)" : "frequency (kHz)";
    return CLRADIO_OK;
}

/* The index along each axis of a path, the subcarriers' left out. */
static void path_index(const drawing *d, uint64_t path, uint64_t *index)
{
    for (unsigned k = d->info->rank; k-- > 0;) {
        index[k] = k == d->axis ? 0 : path % d->info->size[k];
        path = k == d->axis ? path : path / d->info->size[k];
    }
}

static clradio_status read_path(drawing *d, uint64_t path, double complex *to)
{
    uint64_t index[CLR_ARRAYS_MOST_RANK], at = 0, step = 1;
    clradio_status status = CLRADIO_ERROR_UNSUPPORTED;
    if (d->axis + 1 == d->info->rank && !d->whole)
        status = clr_arrays_read_elements(d->file, d->index, path * d->subcarriers, d->subcarriers,
                                          CLR_ELEMENT_CF64, to);
    if (status != CLRADIO_ERROR_UNSUPPORTED)
        return status;
    if (!d->whole && d->info->count > MOST_WHOLE / 16)
        return clr_fail(CLRADIO_ERROR_LIMIT, "the response is too large to be drawn in this order "
                                             "of axes: write it as .h5 or .npy");
    if (!d->whole)
        status = clr_arrays_read_all(d->file, d->index, CLR_ELEMENT_CF64, (void **)&d->whole);
    if (!d->whole)
        return status;
    path_index(d, path, index);
    for (unsigned k = d->info->rank; k-- > 0; step *= d->info->size[k])
        at += index[k] * step;
    step = 1;
    for (unsigned k = d->axis + 1; k < d->info->rank; k++)
        step *= d->info->size[k];
    for (uint64_t s = 0; s < d->subcarriers; s++)
        to[s] = d->whole[at + s * step];
    return CLRADIO_OK;
}

static void add_number(clr_text *text, double value)
{
    if (isfinite(value))
        clr_text_add(text, " %.7g", value);
    else
        clr_text_add(text, " ?");
}

/* gnuplot fails where it has nothing to draw. */
static clradio_status check_values(const drawing *d)
{
    for (uint64_t n = 0; n < d->count * d->subcarriers; n++)
        if (isfinite(cabs(d->value[n])) && cabs(d->value[n]) > 0)
            return CLRADIO_OK;
    return clr_fail(CLRADIO_ERROR_ARGUMENT,
                    "the response is zero or not finite everywhere from path %llu to %llu: there "
                    "is nothing to draw",
                    (unsigned long long)d->first, (unsigned long long)(d->first + d->count - 1));
}

/* Columns: frequency, then magnitude in dB and phase of each path. At most a few thousand lines. */
static void add_spectra(drawing *d)
{
    uint64_t step = d->subcarriers / MOST_POINTS + 1;
    clr_text_add(&d->script, "$response << CLRADIO_END\n");
    for (uint64_t k = 0; k < d->subcarriers; k += step) {
        add_number(&d->script, d->frequency[k] * d->factor);
        for (uint64_t p = 0; p < d->count; p++) {
            double complex v = d->value[p * d->subcarriers + k];
            add_number(&d->script, cabs(v) > 0 ? 20 * log10(cabs(v)) : NAN);
            add_number(&d->script, cabs(v) > 0 ? carg(v) * (180 / M_PI) : NAN);
        }
        clr_text_add(&d->script, "\n");
    }
    clr_text_add(&d->script, "CLRADIO_END\n");
}

/* The spacing of a uniform grid, 0 for any other. */
static double spacing_of(const drawing *d)
{
    if (d->subcarriers < 4)
        return 0;
    double step = d->frequency[1] - d->frequency[0];
    for (uint64_t k = 2; k < d->subcarriers; k++)
        if (!(fabs(d->frequency[k] - d->frequency[k - 1] - step) <= 1e-6 * fabs(step)))
            return 0;
    return step;
}

/* The power of a path at each of n delays, m / (n spacing), added to power. */
static void add_profile(const drawing *d, uint64_t path, uint64_t n, double *power)
{
    uint64_t first = (d->subcarriers - n) / 2;
    const double complex *value = d->value + path * d->subcarriers + first;
    for (uint64_t m = 0; m < n; m++) {
        double complex sum = 0;
        for (uint64_t k = 0; k < n; k++) {
            double window = 0.5 - 0.5 * cos(2 * M_PI * ((double)k + 0.5) / (double)n);
            sum += window * value[k] * cexp(I * (2 * M_PI * (double)(k * m % n) / (double)n));
        }
        double part = 2 * cabs(sum) / (double)n; /* the window's mean is 1/2 */
        power[m] += part * part / (double)d->count;
    }
}

/* Returns whether there is a profile; *unit: of its delays. */
static int add_delays(drawing *d, const char **unit)
{
    double spacing = spacing_of(d), most = 0;
    uint64_t n = d->subcarriers < MOST_POINTS / 2 ? d->subcarriers : MOST_POINTS / 2, end = 0;
    double *power = spacing != 0 ? calloc((size_t)n, sizeof *power) : NULL;
    if (!power)
        return 0;
    for (uint64_t p = 0; p < d->count; p++)
        add_profile(d, p, n, power);
    for (uint64_t m = 0; m < n; m++)
        most = fmax(most, power[m]);
    for (uint64_t m = 0; m < n; m++)
        end = power[m] > most * 1e-5 && (m < n - n / 16) ? m : end;
    end = end + end / 5 + 16 < n ? end + end / 5 + 16 : n;
    double step = d->factor == 1 ? 1 : 1 / (fabs(spacing) * (double)n);
    double span = step * (double)end;
    double factor = d->factor == 1 ? 1 : span >= 1e-3 ? 1e3 : span >= 1e-6 ? 1e6 : 1e9;
    *unit = d->factor == 1  ? "delay (in 1 / all subcarriers)"
            : factor == 1e3 ? "delay (ms)"
            : factor == 1e6 ? "delay (us)"
                            : "delay (ns)";
    clr_text_add(&d->script, "$profile << CLRADIO_END\n");
    for (uint64_t m = 0; m < end; m++) {
        /* A negative spacing runs through the delays backwards. */
        double at = power[spacing < 0 ? (n - m) % n : m];
        add_number(&d->script, (double)m * step * factor);
        add_number(&d->script, at > 0 ? 10 * log10(at) : NAN);
        clr_text_add(&d->script, "\n");
    }
    clr_text_add(&d->script, "CLRADIO_END\n");
    free(power);
    return most > 0;
}

/* "rx 0 tx 1", or "path 3". */
static void add_path_title(drawing *d, uint64_t path)
{
    uint64_t index[CLR_ARRAYS_MOST_RANK];
    clr_text title = { 0 };
    path_index(d, path, index);
    for (unsigned k = 0; k < d->info->rank; k++)
        if (k != d->axis && *d->info->axis[k] && d->info->size[k] > 1)
            clr_text_add(&title, "%s%s %llu", title.length ? " " : "", d->info->axis[k],
                         (unsigned long long)index[k]);
    if (!title.length)
        clr_text_add(&title, "path %llu", (unsigned long long)path);
    clr_text_add(&d->script, " title ");
    clr_gnuplot_quote(&d->script, title.bytes ? title.bytes : "");
    clr_text_add(&d->script, " noenhanced");
    clr_text_free(&title);
}

/* Lines where frequencies follow one another; points for a list in any order, and for one
 * frequency, through which there is no line. */
static void plot_columns(drawing *d, unsigned column)
{
    int ordered = d->subcarriers > 1;
    for (uint64_t k = 2; k < d->subcarriers; k++)
        ordered &= (d->frequency[k] > d->frequency[k - 1]) == (d->frequency[1] > d->frequency[0]);
    for (uint64_t p = 0; p < d->count; p++) {
        clr_text_add(&d->script, "%s$response using 1:%llu with %s lc %llu", p ? ", \\\n" : "plot ",
                     (unsigned long long)(column + 2 * p),
                     d->subcarriers < 100 && (column == 3 || !ordered) ? "points pt 7 ps 0.8"
                     : column == 3 || !ordered                         ? "points pt 7 ps 0.35"
                                                                       : "lines lw 1.4",
                     (unsigned long long)(p + 1));
        add_path_title(d, d->first + p);
    }
    clr_text_add(&d->script, "\n");
}

static void compose(drawing *d, const clr_response_plot *plot)
{
    const char *unit = NULL;
    char head[600];
    add_spectra(d);
    int profile = add_delays(d, &unit);
    snprintf(head, sizeof head, "%s: %llu of %llu path%s, %llu subcarrier%s", plot->title,
             (unsigned long long)d->count, (unsigned long long)d->paths, d->paths == 1 ? "" : "s",
             (unsigned long long)d->subcarriers, d->subcarriers == 1 ? "" : "s");
    clr_text_add(&d->script,
                 "set datafile missing '?'\nset grid lc rgb '#dddddd'\n"
                 "set border lc rgb '#555555'\nset key outside right top\n"
                 "set lmargin 12\nset rmargin 28\nset autoscale xfix\n"
                 "set multiplot layout %d,1\nset title ",
                 profile ? 3 : 2);
    clr_gnuplot_quote(&d->script, head);
    clr_text_add(&d->script, " noenhanced\nset ylabel 'magnitude (dB)'\nset xlabel '%s'\n",
                 d->unit);
    plot_columns(d, 2);
    clr_text_add(&d->script, "set title 'phase'\nset ylabel 'phase (degrees)'\n"
                             "set yrange [-180:180]\nset ytics 90\n");
    plot_columns(d, 3);
    if (profile)
        clr_text_add(&d->script,
                     "set title 'delay profile, mean of these paths'\nset ylabel 'power (dB)'\n"
                     "set xlabel '%s'\nset autoscale y\nset ytics autofreq\n"
                     "stats $profile using 2 nooutput\n"
                     "set yrange [STATS_max - 60:STATS_max + 3]\n"
                     "plot $profile using 1:2 with lines lw 1.2 lc rgb '#1b6ca8' notitle, "
                     "$profile using 1:2 with points pt 7 ps 0.4 lc rgb '#1b6ca8' notitle\n",
                     unit);
    clr_text_add(&d->script, "unset multiplot\n");
}

clradio_status clr_plot_response(clr_arrays_file *file, const clr_response_plot *plot)
{
    drawing d = { .file = file, .first = plot->first };
    find_response(file, &d.index);
    d.info = clr_arrays_get(file, d.index);
    set_axis(&d);
    if (plot->first >= d.paths)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "there is no path %llu: the response has %llu",
                        (unsigned long long)plot->first, (unsigned long long)d.paths);
    d.count = plot->count < MOST_PATHS ? plot->count : MOST_PATHS;
    d.count = d.paths - d.first < d.count ? d.paths - d.first : d.count;
    clradio_status status = clr_gnuplot_begin(&d.script, plot->picture, 1200, 1350);
    if (!status)
        status = read_frequencies(&d);
    if (!status && !(d.value = malloc((size_t)(d.count * d.subcarriers) * sizeof *d.value)))
        status =
            clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %llu paths", (unsigned long long)d.count);
    for (uint64_t p = 0; p < d.count && !status; p++)
        status = read_path(&d, d.first + p, d.value + p * d.subcarriers);
    if (!status)
        status = check_values(&d);
    if (!status) {
        compose(&d, plot);
        status = clr_gnuplot_draw(&d.script, plot->picture);
    }
    free(d.frequency);
    free(d.value);
    free(d.whole);
    clr_text_free(&d.script);
    return status;
}
