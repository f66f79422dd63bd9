/* The matrix of one channel and time: power of the inputs, correlation coefficient of every pair.
 */
#include "tool/gnuplot.h"
#include "tool/plot_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
static clradio_status fill_matrix(clr_drawing *d, double *matrix, uint32_t pols)
{
    const clr_uvh5_info *info = d->info;
    size_t n = (size_t)info->antennas * pols;
    clradio_status status = CLRADIO_OK;
    for (uint32_t i = 0; i < info->antennas; i++) {
        for (uint32_t j = 0; j <= i && !status; j++) {
            int reversed = 0;
            size_t count =
                clr_plot_find_rows(d, info->antenna_number[j], info->antenna_number[i], &reversed);
            if (count <= d->plot->time)
                continue;
            status = clr_plot_read_row(d, d->rows[d->plot->time]);
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

static void add_matrix(clr_drawing *d, const double *matrix, size_t n)
{
    clr_text_add(&d->script, "$matrix << CLRADIO_END\n");
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++)
            clr_plot_add_number(&d->script,
                                matrix[a * n + b] / sqrt(matrix[a * n + a] * matrix[b * n + b]));
        clr_text_add(&d->script, "\n");
    }
    clr_text_add(&d->script, "CLRADIO_END\n$power << CLRADIO_END\n");
    for (size_t a = 0; a < n; a++) {
        clr_text_add(&d->script, "%zu", a);
        clr_plot_add_number(&d->script, 10 * log10(matrix[a * n + a]));
        clr_text_add(&d->script, "\n");
    }
    clr_text_add(&d->script, "CLRADIO_END\n");
}

static void add_tics(clr_drawing *d, const char *axis, uint32_t pols)
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

clradio_status clr_plot_matrix(clr_drawing *d)
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
    clr_plot_when_text(info->julian_date[d->plot->time < info->rows ? d->plot->time : 0], when);
    clr_text_add(&d->script, "set datafile missing '?'\nset border lc rgb '#555555'\n"
                             "set multiplot\nset lmargin 14\nset rmargin 14\n"
                             "set size 1,0.28\nset origin 0,0.71\nset title ");
    clr_plot_add_title(d, "%s: power of the inputs, %.6g s around %s UTC", d->plot->title,
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
