/* The detector's benchmark: what was measured, as a line of a table and as JSON. */
#include "tool/bench_detector.h"

#include <stdio.h>

void clr_bench_detector_say_head(void)
{
    printf("%-6s %-8s %4s %5s %-7s %-5s %9s %9s %9s %8s %7s %6s %5s %5s %5s %8s %9s %6s %9s  %s\n",
           "method", "streams", "qam", "dB", "who", "trees", "vectors", "Mvec/s", "Mbit/s",
           "Gnode/s", "nodes", "p99.9", "QR", "2nd", "busy", "again", "host Mv/s", "of max",
           "C Mvec/s", "result");
}

static void say_more(const detector_bench *bench, const detector_case *c, const char *result)
{
    clr_json *one = bench->cases ? clr_json_add_object(bench->cases, NULL) : NULL;
    clr_bench_say_resources(c->info.registers, c->info.private_bytes, c->info.local_bytes, one);
    if (!one)
        return;
    clr_json_add_text(one, "method", clradio_detector_method_name(c->config.method));
    clr_json_add_whole(one, "transmit", c->config.transmit);
    clr_json_add_whole(one, "receive", c->config.receive);
    clr_json_add_text(one, "modulation", clradio_modulation_name(c->config.modulation));
    clr_json_add_real(one, "snr_rx_db", c->snr_db);
    clr_json_add_text(one, "variant", c->info.variant);
    clr_json_add_text(one, "parameters", c->info.parameters);
    clr_json_add_whole(one, "vectors", (int64_t)c->config.vectors);
    clr_json_add_real(one, "median_s", c->times.median);
    clr_json_add_real(one, "least_s", c->times.least);
    clr_json_add_real(one, "most_s", c->times.most);
    clr_json_add_real(one, "vectors_per_s", c->rate);
    clr_json_add_real(one, "prepare_share", c->prepare_share);
    clr_json_add_real(one, "again_share", c->again_share);
    if (c->statistics.lane_slots)
        clr_json_add_real(one, "busy_lanes",
                          (double)c->statistics.lane_steps / (double)c->statistics.lane_slots);
    clr_json_add_text(one, "launch", c->info.launch);
    clr_json_add_text(one, "launch_parameters", c->info.launch_parameters);
    clr_json_add_real(one, "host_vectors_per_s", c->host_rate);
    clr_json_add_text(one, "host_bound", c->bound);
    clr_json_add_real(one, "reference_vectors_per_s", c->reference_rate);
    clr_json_add_real(one, "nodes_mean",
                      (double)c->statistics.nodes / (double)c->statistics.vectors);
    clr_json_add_whole(one, "nodes_p99",
                       (int64_t)clradio_detector_percentile(&c->statistics, 0.99));
    clr_json_add_whole(one, "nodes_p999",
                       (int64_t)clradio_detector_percentile(&c->statistics, 0.999));
    clr_json_add_whole(one, "nodes_most", (int64_t)c->statistics.nodes_most);
    clr_json_add_whole(one, "exact", (int64_t)c->statistics.by_status[CLRADIO_DETECTED_EXACT]);
    clr_json_add_whole(one, "again", (int64_t)c->statistics.again);
    clr_json_add_whole(one, "thin", (int64_t)c->statistics.thin);
    clr_json_add_whole(one, "checked", (int64_t)c->checked);
    clr_json_add_whole(one, "differ", (int64_t)c->differ);
    clr_json_add_text(one, "result", result);
}

void clr_bench_detector_say(detector_bench *bench, const detector_case *c, const char *trees)
{
    const clradio_detector_statistics *s = &c->statistics;
    const double vectors = (double)s->vectors;
    /* another method's symbols may differ where rounding decides */
    const int other =
        c->config.method != CLRADIO_DETECTOR_SPHERE && c->config.method != CLRADIO_DETECTOR_ML;
    const int right = other ? c->differ * 200 <= c->checked : c->differ == 0;
    const char *result = !right                            ? "WRONG"
                         : other || c->exact == c->checked ? "right"
                                                           : "right, not all exact";
    char streams[16], busy[16] = "-"; /* only the variant lane counts its lanes' steps */
    snprintf(streams, sizeof streams, "%ux%u", c->config.transmit, c->config.receive);
    if (s->lane_slots)
        snprintf(busy, sizeof busy, "%.2f", (double)s->lane_steps / (double)s->lane_slots);
    printf("%-6s %-8s %4u %5.1f %-7s %-5s %9llu %9.3f %9.1f %8.3f %7.1f %6llu %5.2f %5.2f %5s "
           "%8.1e %9.3f %6.2f %9.3f  %s\n",
           clradio_detector_method_name(c->config.method), streams,
           1u << clradio_modulation_bits(c->config.modulation), c->snr_db, c->info.variant, trees,
           (unsigned long long)c->config.vectors, c->rate * 1e-6, c->rate * 1e-6 * c->info.bits,
           c->rate * 1e-9 * (double)s->nodes / vectors, (double)s->nodes / vectors,
           (unsigned long long)clradio_detector_percentile(s, 0.999), c->prepare_share,
           c->again_share, busy, (double)s->again / vectors, c->host_rate * 1e-6,
           c->host_limit > 0 ? c->host_rate / c->host_limit : 0.0, c->reference_rate * 1e-6,
           result);
    bench->faults.wrong += !right;
    say_more(bench, c, result);
}
