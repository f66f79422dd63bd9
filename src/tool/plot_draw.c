/* A picture of a UVH5 file: which it is, and what its kinds share. */
#include "tool/plot_draw.h"

#include "io/source.h"
#include "tool/gnuplot.h"
#include "tool/plot_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void clr_plot_add_title(clr_drawing *d, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    clr_gnuplot_quote(&d->script, text);
    clr_text_add(&d->script, " noenhanced");
}

static void choose_unit(clr_drawing *d)
{
    double most = 0;
    for (uint32_t c = 0; c < d->info->channels; c++)
        most = fmax(most, fabs(d->info->frequency_hz[c]));
    d->unit = most >= 1e5 ? 1e6 : most >= 1e3 ? 1e3 : 1;
}

void clr_plot_when_text(double julian_date, char *text)
{
    double day = floor(julian_date - 2400000.5);
    double seconds = (julian_date - 2400000.5 - day) * 86400.0;
    clr_time time = { (int64_t)day, floor(seconds), seconds - floor(seconds) };
    clr_time_text(time, text);
    text[strcspn(text, ".")] = '\0';
}

clradio_status clr_plot_read_row(clr_drawing *d, uint64_t row)
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

size_t clr_plot_find_rows(const clr_drawing *d, int64_t a, int64_t b, int *reversed)
{
    return clr_uvh5_find_rows(d->info, a, b, d->rows, (size_t)d->info->rows, reversed);
}

void clr_plot_add_number(clr_text *text, double value)
{
    if (isfinite(value))
        clr_text_add(text, " %.9g", value);
    else
        clr_text_add(text, " ?");
}

static clradio_status choose_baseline(clr_drawing *d)
{
    const clr_uvh5_info *info = d->info;
    d->antenna_1 = d->antenna_2 = -1;
    if (d->plot->antenna_1 != d->plot->antenna_2) {
        int reversed;
        if (!clr_plot_find_rows(d, d->plot->antenna_1, d->plot->antenna_2, &reversed))
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
    clr_drawing d = { .reader = reader, .info = info, .plot = plot };
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
        status = d.over_time && info->times == 1 ? clr_plot_matrix(&d) : clr_plot_panels(&d);
    if (!status)
        status = clr_gnuplot_draw(&d.script, plot->picture);
    free(d.values);
    free(d.nsamples);
    free(d.flags);
    free(d.rows);
    clr_text_free(&d.script);
    return status;
}
