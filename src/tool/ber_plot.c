/* The picture of clradio ber: measured rates with their limits, and curves to compare them with. */
#include "tool/ber.h"

#include "io/csv.h"
#include "model/fading.h"
#include "tool/gnuplot.h"
#include "tool/say.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BOUND_POINTS = 200 };

static double on_axis(const clr_ber *ber, const clradio_snr *snr)
{
    return ber->request->axis == CLRADIO_SNR_RX   ? snr->rx_db
           : ber->request->axis == CLRADIO_SNR_ES ? snr->es_n0_db
                                                  : snr->eb_n0_db;
}

/* The M of square QAM on all streams, or 0. */
static unsigned square_qam(const clr_ber *ber)
{
    for (uint64_t i = 1; i < ber->request->transmit; i++)
        if (ber->streams[i] != ber->streams[0])
            return 0;
    return ber->streams[0] >= CLRADIO_QPSK && ber->streams[0] <= CLRADIO_QAM1024
               ? 1u << clradio_modulation_bits(ber->streams[0])
               : 0;
}

/* Whether what is left of a link without its other streams has a closed form here. */
static int has_bound(const clr_ber *ber)
{
    const clr_ber_request *request = ber->request;
    return square_qam(ber) && !ber->config.taps && !ber->receive_correlation &&
           !ber->transmit_correlation && !(request->estimation_error > 0.0);
}

static void add_bound(const clr_ber *ber, double first_db, double last_db, clr_text *script)
{
    clr_text_add(script, "$bound << EOD\n");
    for (int i = 0; i <= BOUND_POINTS; i++) {
        clradio_snr snr;
        const double db = first_db + (last_db - first_db) * i / BOUND_POINTS;
        if (clradio_snr_from((clradio_snr_axis)ber->request->axis, db,
                             (uint32_t)ber->request->transmit, ber->bits, &snr))
            break;
        clr_text_add(script, "%.6g %.6g\n", db,
                     clr_rayleigh_qam_ber(square_qam(ber), (unsigned)ber->request->receive,
                                          1.0 / snr.noise_variance));
    }
    clr_text_add(script, "EOD\n");
}

/* ---- the file of --reference ---- */

/* Whether a row is of this link: nt, nr and, where there are such columns, qam. */
static int is_of_link(const clr_ber *ber, const clr_csv *csv, size_t row)
{
    static const char *const names[3] = { "nt", "nr", "qam" };
    const uint64_t wanted[3] = { ber->request->transmit, ber->request->receive, square_qam(ber) };
    const size_t modulation = clr_csv_column(csv, "modulation");
    for (int i = 0; i < 3; i++) {
        const size_t column = clr_csv_column(csv, names[i]);
        uint64_t number;
        if (column < csv->columns &&
            (!clr_parse_u64(clr_csv_cell(csv, row, column), &number) || number != wanted[i]))
            return 0;
    }
    return modulation == csv->columns ||
           strcmp(clr_csv_cell(csv, row, modulation), ber->alphabet) == 0;
}

static clr_exit add_reference(const clr_ber *ber, clr_text *script, size_t *rows)
{
    static const char *const axes[3] = { "snr_rx_db", "es_n0_db", "eb_n0_db" };
    clr_csv csv;
    const char *path = ber->request->reference;
    clradio_status status = clr_csv_read(path, &csv);
    if (status)
        return clr_say_status(status);
    const size_t x = clr_csv_column(&csv, axes[ber->request->axis]);
    const size_t y = clr_csv_column(&csv, "ber");
    clr_exit answer = CLR_EXIT_OK;
    if (x == csv.columns || y == csv.columns)
        answer = clr_say(CLR_EXIT_DAMAGED, "'%s' has no columns %s and ber", path,
                         axes[ber->request->axis]);
    clr_text_add(script, "$reference << EOD\n");
    for (size_t row = 1; row < csv.rows && !answer; row++) {
        double db, rate;
        if (!is_of_link(ber, &csv, row) || !clr_parse_double(clr_csv_cell(&csv, row, x), &db) ||
            !clr_parse_double(clr_csv_cell(&csv, row, y), &rate) || !(rate > 0.0))
            continue;
        clr_text_add(script, "%.9g %.9g\n", db, rate);
        ++*rows;
    }
    clr_text_add(script, "EOD\n");
    clr_csv_free(&csv);
    if (!answer && !*rows)
        answer =
            clr_say(CLR_EXIT_USAGE, "'%s' has no point of a %" PRIu64 " x %" PRIu64 " link with %s",
                    path, ber->request->transmit, ber->request->receive, ber->alphabet);
    return answer;
}

/* ---- the picture ---- */

/* Points without an error have an upper limit and no rate: an arrow down from it. */
static void add_points(const clr_ber *ber, clr_text *script, double *least, size_t *without)
{
    clr_text_add(script, "$measured << EOD\n");
    for (size_t i = 0; i < ber->count; i++) {
        const clr_ber_point *point = &ber->points[i];
        if (!point->state.counts.bit_errors)
            continue;
        clr_text_add(script, "%.9g %.9g %.9g %.9g\n", on_axis(ber, &point->snr), point->ber,
                     point->low, point->high);
        *least = fmin(*least, point->ber);
    }
    clr_text_add(script, "EOD\n$without << EOD\n");
    for (size_t i = 0; i < ber->count; i++) {
        const clr_ber_point *point = &ber->points[i];
        if (!point->state.counts.vectors || point->state.counts.bit_errors)
            continue;
        clr_text_add(script, "%.9g %.9g\n", on_axis(ber, &point->snr), point->high);
        *least = fmin(*least, point->high);
        ++*without;
    }
    clr_text_add(script, "EOD\n");
}

static void add_axes(const clr_ber *ber, clr_text *script, double first_db, double last_db,
                     double least)
{
    static const char *const labels[3] = { "SNR per receive antenna, tx Es/N0 [dB]", "Es/N0 [dB]",
                                           "Eb/N0 [dB]" };
    char title[256];
    const clr_ber_request *request = ber->request;
    snprintf(title, sizeof title, "%" PRIu64 " x %" PRIu64 " %s, %s, channel %s", request->transmit,
             request->receive, ber->alphabet, request->method, request->channel);
    clr_text_add(script, "set title ");
    clr_gnuplot_quote(script, title);
    clr_text_add(script, " noenhanced\nset xlabel ");
    clr_gnuplot_quote(script, labels[request->axis]);
    clr_text_add(script,
                 "\nset ylabel 'bit error rate'\nset logscale y\nset format y '10^{%%T}'\n"
                 "set grid xtics ytics lt 1 lw 0.6 lc rgb '#dddddd'\nset key bottom left\n");
    const double room = last_db > first_db ? 0.02 * (last_db - first_db) : 1.0;
    clr_text_add(script, "set xrange [%.9g:%.9g]\nset yrange [%.3g:1]\n", first_db - room,
                 last_db + room, pow(10.0, floor(log10(least) - 0.3)));
}

static clr_exit make_script(const clr_ber *ber, clr_text *script)
{
    size_t without = 0, rows = 0;
    double first_db = on_axis(ber, &ber->points[0].snr), last_db = first_db, least = 0.1;
    for (size_t i = 1; i < ber->count; i++) {
        first_db = fmin(first_db, on_axis(ber, &ber->points[i].snr));
        last_db = fmax(last_db, on_axis(ber, &ber->points[i].snr));
    }
    add_points(ber, script, &least, &without);
    if (ber->request->reference) {
        clr_exit answer = add_reference(ber, script, &rows);
        if (answer)
            return answer;
    }
    if (has_bound(ber))
        add_bound(ber, first_db, last_db, script);
    add_axes(ber, script, first_db, last_db, least);
    clr_text_add(script, "plot ");
    if (has_bound(ber))
        clr_text_add(script,
                     "$bound with lines lw 1.5 dt 2 lc rgb '#777777' title 'matched-filter "
                     "bound, 1 x %" PRIu64 "', ",
                     ber->request->receive);
    if (rows)
        clr_text_add(script, "$reference with points pt 6 ps 1.6 lc rgb '#d95f02' title "
                             "'reference', ");
    if (without)
        clr_text_add(script, "$without with points pt 11 ps 1.3 lc rgb '#1f78b4' title 'no error: "
                             "upper limit', ");
    clr_text_add(script, "$measured using 1:2:3:4 with yerrorbars pt 7 ps 0.7 lc rgb '#1f78b4' "
                         "notitle, $measured with lines lw 1.8 lc rgb '#1f78b4' title 'measured, "
                         "95 %% limits'\n");
    return CLR_EXIT_OK;
}

clr_exit clr_ber_draw(const clr_ber *ber, const char *picture)
{
    clr_text script = { 0 };
    size_t drawn = 0;
    for (size_t i = 0; i < ber->count; i++)
        drawn += ber->points[i].state.counts.bit_errors > 0;
    if (!drawn)
        return clr_say(CLR_EXIT_FAILED, "ber: no point has an error: there is no curve to draw");
    clr_exit answer = clr_gnuplot_begin(&script, picture, 900, 640)
                          ? clr_say_status(CLRADIO_ERROR_ARGUMENT)
                          : make_script(ber, &script);
    if (!answer) {
        clradio_status status = clr_gnuplot_draw(&script, picture);
        answer = status ? clr_say_status(status) : CLR_EXIT_OK;
    }
    clr_text_free(&script);
    return answer;
}

clr_exit clr_ber_draw_ready(const clr_ber *ber, const char *picture)
{
    clr_text script = { 0 };
    size_t rows = 0;
    clr_exit answer = clr_gnuplot_checked(picture);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    answer = CLR_EXIT_OK;
    if (ber->request->reference)
        answer = add_reference(ber, &script, &rows);
    clr_text_free(&script);
    return answer;
}
