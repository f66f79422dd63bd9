/* The points of clradio ber as lines, JSON and CSV. */
#include "tool/ber.h"

#include "base/file.h"
#include "tool/json.h"
#include "tool/say.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const double confidence = 0.95;

void clr_ber_rate(clr_ber_point *point)
{
    clradio_montecarlo_rate(&point->state.counts, confidence, &point->ber, &point->low,
                            &point->high);
}

int clr_ber_reproducible(const clr_ber_point *point)
{
    return point->state.end == CLRADIO_MONTECARLO_ERRORS ||
           point->state.end == CLRADIO_MONTECARLO_VECTORS;
}

/* Of n things among the vectors; 0 when there are none. */
static double per_vector(const clr_ber_point *point, uint64_t n)
{
    return point->state.counts.vectors ? (double)n / (double)point->state.counts.vectors : 0.0;
}

double clr_ber_exact_fraction(const clr_ber_point *point)
{
    return per_vector(point, point->state.counts.by_status[CLRADIO_DETECTED_EXACT]);
}

/* What is said of a point beside its numbers. */
static void remarks(const clr_ber_point *point, clr_text *text)
{
    if (clr_ber_exact_fraction(point) < 1.0)
        clr_text_add(text, "upper bound on ML BER");
    if (!clr_ber_reproducible(point))
        clr_text_add(text, "%s%s, not reproducible", text->length ? "; " : "",
                     point->state.end == CLRADIO_MONTECARLO_SECONDS ? "ended by the clock"
                                                                    : "interrupted");
}

/* ---- lines ---- */

/* The method, its tree and the order of its streams: what rates of two programs must share. */
static void say_method(const clr_ber_request *request)
{
    static const char *const orders[] = { "sorted QR", "columns by their norm",
                                          "streams in their order" };
    printf("%s", request->method);
    if (!strcmp(request->method, "kbest"))
        printf(" (%" PRIu64 " candidates a level of the real-valued tree, %s)",
               request->candidates ? request->candidates : 16, orders[request->ordering]);
    else if (!strcmp(request->method, "fsd"))
        printf(" (%" PRIu64 " streams in full)", request->full_streams ? request->full_streams : 1);
    else if (!strcmp(request->method, "sphere"))
        printf(" (real-valued tree, %s)", orders[request->ordering]);
}

void clr_ber_say_head(const clr_ber *ber)
{
    const clr_ber_request *request = ber->request;
    const clradio_detector_info *detector = &ber->info.detector;
    printf("# %" PRIu64 " x %" PRIu64 " %s, ", request->transmit, request->receive, ber->alphabet);
    say_method(request);
    printf(", channel %s%s%s", request->channel,
           ber->receive_correlation ? ", correlated at the receiver" : "",
           ber->transmit_correlation ? ", correlated at the transmitter" : "");
    if (request->estimation_error > 0.0)
        printf(", estimation error %g", request->estimation_error);
    printf(", seed %" PRIu64 "\n", request->seed);
    printf("# %s (%s), detector %s %s, %" PRIu64 " vectors a call at most\n", ber->device.id,
           ber->device.name, detector->variant, detector->parameters, ber->info.vectors);
    printf("# SNR in dB: rx = tx Es/N0 per receive antenna; limits with 95 %% probability\n");
    printf("#%7s %7s %7s %11s %12s %10s %10s %10s %10s %10s %10s %9s %9s  %s\n", "rx", "Es/N0",
           "Eb/N0", "vectors", "bits", "errors", "BER", "low", "high", "SER", "VER", "nodes",
           "exact", "ended by");
    fflush(stdout);
}

void clr_ber_say_point(const clr_ber *ber, const clr_ber_point *point)
{
    const clradio_montecarlo_counts *counts = &point->state.counts;
    clr_text text = { 0 };
    remarks(point, &text);
    printf("%8.2f %7.2f %7.2f %11" PRIu64 " %12" PRIu64 " %10" PRIu64
           " %10.4e %10.4e %10.4e %10.4e %10.4e %9.2f %9.7g  %s%s%s\n",
           point->snr.rx_db, point->snr.es_n0_db, point->snr.eb_n0_db, counts->vectors,
           counts->bits, counts->bit_errors, point->ber, point->low, point->high,
           per_vector(point, counts->symbol_errors) / (double)ber->request->transmit,
           per_vector(point, counts->vector_errors), per_vector(point, counts->nodes),
           clr_ber_exact_fraction(point), clradio_montecarlo_end_name(point->state.end),
           text.length ? "; " : "", text.length ? text.bytes : "");
    fflush(stdout);
    clr_text_free(&text);
}

/* ---- JSON ---- */

static void add_point(clr_json *points, const clr_ber *ber, const clr_ber_point *point)
{
    const clradio_montecarlo_counts *counts = &point->state.counts;
    clr_json *to = clr_json_add_object(points, NULL);
    clr_text text = { 0 };
    clr_json_add_real(to, "snr_rx_db", point->snr.rx_db);
    clr_json_add_real(to, "es_n0_db", point->snr.es_n0_db);
    clr_json_add_real(to, "eb_n0_db", point->snr.eb_n0_db);
    clr_json_add_whole(to, "vectors", (int64_t)counts->vectors);
    clr_json_add_whole(to, "bits", (int64_t)counts->bits);
    clr_json_add_whole(to, "bit_errors", (int64_t)counts->bit_errors);
    clr_json_add_real(to, "ber", point->ber);
    clr_json_add_real(to, "ber_low", point->low);
    clr_json_add_real(to, "ber_high", point->high);
    clr_json_add_whole(to, "symbol_errors", (int64_t)counts->symbol_errors);
    clr_json_add_whole(to, "vector_errors", (int64_t)counts->vector_errors);
    clr_json_add_real(to, "ser",
                      per_vector(point, counts->symbol_errors) / (double)ber->request->transmit);
    clr_json_add_real(to, "ver", per_vector(point, counts->vector_errors));
    clr_json_add_whole(to, "bit_errors_squared", (int64_t)counts->squares);
    clr_json_add_real(to, "exact_fraction", clr_ber_exact_fraction(point));
    clr_json_add_real(to, "nodes_mean", per_vector(point, counts->nodes));
    clr_json_add_real(to, "seconds", point->state.seconds);
    clr_json_add_text(to, "ended_by", clradio_montecarlo_end_name(point->state.end));
    clr_json_add_truth(to, "reproducible", clr_ber_reproducible(point));
    remarks(point, &text);
    clr_json_add_text(to, "remarks", text.length ? text.bytes : "");
    clr_text_free(&text);
}

static clr_json *make_json(const clr_ber *ber)
{
    const clr_ber_request *request = ber->request;
    clr_json *root = clr_json_object();
    clr_json *link = clr_json_add_object(root, "link");
    clr_json_add_whole(link, "tx", (int64_t)request->transmit);
    clr_json_add_whole(link, "rx", (int64_t)request->receive);
    clr_json_add_text(link, "modulation", ber->alphabet);
    clr_json_add_whole(link, "bits_per_vector", ber->bits);
    clr_json_add_text(link, "channel", request->channel);
    clr_json_add_real(link, "estimation_error", request->estimation_error);
    clr_json_add_whole(link, "seed", (int64_t)request->seed);
    clr_json_add_text(link, "all", ber->about.bytes);
    clr_json *detector = clr_json_add_object(root, "detector");
    clr_json_add_text(detector, "method", request->method);
    clr_json_add_text(detector, "variant", ber->info.detector.variant);
    clr_json_add_text(detector, "parameters", ber->info.detector.parameters);
    clr_json *device = clr_json_add_object(root, "device");
    clr_json_add_text(device, "id", ber->device.id);
    clr_json_add_text(device, "name", ber->device.name);
    clr_json *rule = clr_json_add_object(root, "rule");
    clr_json_add_whole(rule, "block", CLRADIO_MONTECARLO_BLOCK);
    clr_json_add_whole(rule, "min_errors", (int64_t)request->min_errors);
    clr_json_add_whole(rule, "max_vectors", (int64_t)request->max_vectors);
    clr_json_add_real(rule, "max_seconds", request->max_seconds);
    clr_json_add_real(rule, "confidence", confidence);
    clr_json *points = clr_json_add_array(root, "points");
    for (size_t i = 0; i < ber->count; i++)
        if (ber->points[i].state.counts.vectors)
            add_point(points, ber, &ber->points[i]);
    return root;
}

/* ---- files ---- */

clr_exit clr_ber_write_json(const clr_ber *ber, const char *path)
{
    return clr_json_write(make_json(ber), path);
}

clr_exit clr_ber_write_csv(const clr_ber *ber, const char *path)
{
    clr_new_file file;
    clradio_status status = clr_new_file_begin(path, 0644, &file);
    if (status)
        return clr_say_status(status);
    fprintf(file.stream, "nt,nr,modulation,snr_rx_db,es_n0_db,eb_n0_db,vectors,bits,bit_errors,ber,"
                         "ber_low,ber_high,symbol_errors,vector_errors,bit_errors_squared,"
                         "exact_fraction,nodes_mean,ended_by,reproducible,remarks\n");
    for (size_t i = 0; i < ber->count; i++) {
        const clr_ber_point *point = &ber->points[i];
        const clradio_montecarlo_counts *counts = &point->state.counts;
        clr_text text = { 0 };
        if (!counts->vectors)
            continue;
        remarks(point, &text);
        fprintf(file.stream,
                "%" PRIu64 ",%" PRIu64 ",\"%s\",%.10g,%.10g,%.10g,%" PRIu64 ",%" PRIu64 ",%" PRIu64
                ",%.10g,%.10g,%.10g,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.10g,%.10g,%s,%d,\"%s\"\n",
                ber->request->transmit, ber->request->receive, ber->alphabet, point->snr.rx_db,
                point->snr.es_n0_db, point->snr.eb_n0_db, counts->vectors, counts->bits,
                counts->bit_errors, point->ber, point->low, point->high, counts->symbol_errors,
                counts->vector_errors, counts->squares, clr_ber_exact_fraction(point),
                per_vector(point, counts->nodes), clradio_montecarlo_end_name(point->state.end),
                clr_ber_reproducible(point), text.length ? text.bytes : "");
        clr_text_free(&text);
    }
    status = clr_new_file_commit(&file);
    return status ? clr_say_status(status) : CLR_EXIT_OK;
}
