/* Channel taps: the layouts of other tools by the names of their arrays. */
#include "io/taps.h"

#include "base/text.h"
#include "io/taps_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static clradio_status find(const clr_named_files *files, const char *given, const char *name,
                           clr_named_array *array)
{
    const char *wanted = given ? given : name;
    return clr_named_find(files, wanted, array) ? CLRADIO_OK : clr_named_missing(files, wanted);
}

static clradio_status wrong_rank(const char *layout, const char *name, unsigned rank,
                                 const char *expected)
{
    return clr_fail(CLRADIO_ERROR_FORMAT, "'%s' has %u axes; %s has there: %s", name, rank, layout,
                    expected);
}

/* ---- Sionna: a [batch, rx, rx_ant, tx, tx_ant, path, time], tau [batch, rx, tx, path] or with the
 * antennas; without batch from its ray tracer ---- */

static clradio_status read_sionna(const clr_named_files *files, const clr_taps_options *options,
                                  clr_taps *taps)
{
    clr_named_array a, tau;
    clradio_status status = find(files, options->gain, "a", &a);
    if (!status)
        status = find(files, options->delay, "tau", &tau);
    if (status)
        return status;
    int batch = a.rank == 7;
    if (!clr_taps_name_axes(&a, batch ? "batch rx rx_ant tx tx_ant tap time"
                                      : "rx rx_ant tx tx_ant tap time"))
        return wrong_rank("Sionna", "a", a.rank, "[batch], rx, rx_ant, tx, tx_ant, path, time");
    const char *names = tau.rank == 6   ? "batch rx rx_ant tx tx_ant tap"
                        : tau.rank == 5 ? "rx rx_ant tx tx_ant tap"
                        : tau.rank == 4 ? "batch rx tx tap"
                                        : "rx tx tap";
    if ((tau.rank == 6 || tau.rank == 4) != batch || tau.rank < 3 || tau.rank > 6 ||
        !clr_taps_name_axes(&tau, names))
        return wrong_rank("Sionna", "tau", tau.rank, "[batch], rx, [rx_ant], tx, [tx_ant], path");
    static const char *const out[] = { "batch", "rx", "rx_ant", "tx", "tx_ant", "time" };
    static const char *const whole[] = { "batch", "rx", "tx", "rx_ant", "tx_ant", "time" };
    const char *const *order =
        options->whole_links && a.size[batch + 2] > 1 && a.size[batch + 1] > 1 ? whole : out;
    unsigned links = !options->whole_links ? 0 : order == whole ? 3 : a.size[batch + 2] > 1 ? 4 : 2;
    if (order == whole && options->note)
        options->note("links are scaled one by one: the axes of the response are batch, rx, tx, "
                      "rx_ant, tx_ant, time, subcarrier");
    taps->response = "h";
    taps->absent_negative = 1;
    return clr_taps_join(&a, &tau, order + !batch, 5 + (unsigned)batch, links ? links - !batch : 0,
                         options->cf64, taps);
}

/* ---- QuaDRiGa: coeff [rx, tx, path, snapshot], delay the same or [path, snapshot]; quadriga-lib's
 * HDF5 files ---- */

static clradio_status read_quadriga(const clr_named_files *files, const clr_taps_options *options,
                                    clr_taps *taps)
{
    clr_named_array coeff, delay;
    if (!options->gain && !options->delay && clr_taps_are_channels(files))
        return clr_taps_read_channels(files, options->cf64, taps);
    clradio_status status = find(files, options->gain, "coeff", &coeff);
    if (!status)
        status = find(files, options->delay, "delay", &delay);
    if (status)
        return status;
    if (!clr_taps_name_axes(&coeff, "rx tx tap snapshot"))
        return wrong_rank("QuaDRiGa", "coeff", coeff.rank, "rx, tx, path, snapshot");
    /* One delay for all antennas, or as many as there are gains; MATLAB drops trailing ones. */
    int one_each = coeff.size[2] == 1 && coeff.size[3] == 1 && delay.size[0] == coeff.size[0] &&
                   delay.size[1] == coeff.size[1]; /* path and snapshot are the ones dropped */
    int shared = delay.rank <= 2 && delay.size[0] == coeff.size[2] && !one_each;
    if (!clr_taps_name_axes(&delay, shared ? "tap snapshot" : "rx tx tap snapshot"))
        return wrong_rank("QuaDRiGa", "delay", delay.rank,
                          "rx, tx, path, snapshot, or path, snapshot");
    /* Turned round: MATLAB's [rx, tx, carrier, snapshot] has rx fastest. */
    static const char *const out[] = { "snapshot", "tx", "rx" };
    taps->response = "response";
    taps->subcarrier_first = 1;
    return clr_taps_join(&coeff, &delay, out, 3, 1, options->cf64, taps);
}

/* ---- DeepMIMO: power (dB), phase (degrees), delay (s) [user, path], NaN where there is none ----
 */

static void set_gain(clr_taps *taps, uint64_t at, int cf64, double re, double im)
{
    if (cf64) {
        ((double *)taps->gains)[2 * at] = re;
        ((double *)taps->gains)[2 * at + 1] = im;
    } else {
        ((float *)taps->gains)[2 * at] = (float)re;
        ((float *)taps->gains)[2 * at + 1] = (float)im;
    }
}

static clradio_status read_deepmimo(const clr_named_files *files, const clr_taps_options *options,
                                    clr_taps *taps)
{
    static const char *const names[] = { "power", "phase", "delay", "doppler" };
    static const char *const out[] = { "user" };
    clr_named_array array[4];
    clradio_status status = CLRADIO_OK;
    double *phase = NULL, *power = NULL, *doppler = NULL;
    int moving = clr_named_find(files, "doppler", &array[3]);
    for (int k = 0; k < 3 + moving && !status; k++) {
        status = find(files,
                      k == 2 ? options->delay
                      : k    ? NULL
                             : options->gain,
                      names[k], &array[k]);
        if (!status && !clr_taps_name_axes(&array[k], "user tap"))
            status = wrong_rank("DeepMIMO", names[k], array[k].rank, "user, path");
        if (!status && memcmp(array[k].size, array[0].size, 2 * sizeof *array[k].size) != 0)
            status =
                clr_fail(CLRADIO_ERROR_FORMAT, "'%s' and 'power' have different sizes", names[k]);
    }
    taps->response = "channel";
    taps->absent_negative = 1;
    if (!status)
        status = clr_taps_join(&array[0], &array[2], out, 1, 1, options->cf64, taps);
    uint64_t n = array[0].size[1];
    if (!status)
        status =
            clr_taps_arrange(&array[0], out, taps->size, 1, n, CLR_ELEMENT_F64, (void **)&power);
    if (!status)
        status =
            clr_taps_arrange(&array[1], out, taps->size, 1, n, CLR_ELEMENT_F64, (void **)&phase);
    if (!status && moving)
        status =
            clr_taps_arrange(&array[3], out, taps->size, 1, n, CLR_ELEMENT_F64, (void **)&doppler);
    for (uint64_t i = 0; !status && i < taps->gain_count; i++) {
        int there = !isnan(power[i]) && !isnan(phase[i]) && !isnan(taps->delays[i]);
        double amplitude = pow(10, power[i] / 20), angle = phase[i] * (M_PI / 180);
        set_gain(taps, i, options->cf64, there ? amplitude * cos(angle) : 0,
                 there ? amplitude * sin(angle) : 0);
        taps->delays[i] = there ? taps->delays[i] : -1;
        if (doppler)
            doppler[i] = there ? doppler[i] : 0;
    }
    free(power);
    free(phase);
    if (!status)
        taps->rates = doppler;
    else
        free(doppler);
    return status;
}

/* ---- all of them ---- */

static const struct {
    const char *name, *gain, *delay;
    clradio_status (*read)(const clr_named_files *, const clr_taps_options *, clr_taps *);
} layouts[] = {
    { "sionna", "a", "tau", read_sionna },
    { "quadriga", "coeff", "delay", read_quadriga },
    { "deepmimo", "power", "phase", read_deepmimo },
    { "clradio", "gain", "delay", clr_taps_read_own },
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static clradio_status read_arrays(const clr_named_files *files, const clr_taps_options *options,
                                  clr_taps *taps)
{
    clr_named_array unused;
    for (size_t k = 0; k < LAYOUTS; k++) {
        int chosen = options->layout ? !strcmp(options->layout, layouts[k].name)
                     : options->gain
                         ? k + 1 == LAYOUTS
                         : (clr_named_find(files, layouts[k].gain, &unused) &&
                            clr_named_find(files, layouts[k].delay, &unused)) ||
                               (layouts[k].read == read_quadriga && clr_taps_are_channels(files));
        if (!chosen)
            continue;
        clr_copy_text(taps->layout, sizeof taps->layout, layouts[k].name);
        return layouts[k].read(files, options, taps);
    }
    clr_named_missing(files, "gain");
    return clr_fail_in(CLRADIO_ERROR_ARGUMENT,
                       "no layout is recognised (a and tau, coeff and delay, power and phase and "
                       "delay, gain and delay)");
}

clradio_status clr_taps_read(char *const *paths, size_t n_paths, const clr_taps_options *options,
                             clr_taps *taps)
{
    *taps = (clr_taps){ .response = "response", .links_per_beam = 1 };
    int rays = options->layout && !strcmp(options->layout, "rays");
    clradio_status status;
    if (rays || (!options->layout && n_paths == 1 && clr_rays_recognise(paths[0]))) {
        clr_copy_text(taps->layout, sizeof taps->layout, "rays");
        status = n_paths == 1 ? clr_rays_read(paths[0], options->cf64, taps)
                              : clr_fail(CLRADIO_ERROR_ARGUMENT, "JSON lines come in one file");
    } else {
        clr_named_files files;
        status = clr_named_open(paths, n_paths, &files);
        if (!status)
            status = read_arrays(&files, options, taps);
        clr_named_close(&files);
    }
    if (options->absent_negative >= 0)
        taps->absent_negative = options->absent_negative;
    if (status)
        clr_taps_free(taps);
    return status;
}

void clr_taps_free(clr_taps *taps)
{
    free(taps->beam_links);
    free(taps->link_paths);
    free(taps->link_taps);
    free(taps->gains);
    free(taps->delays);
    free(taps->rates);
    *taps = (clr_taps){ .response = "response" };
}

uint64_t clr_taps_link_paths(const clr_taps *taps, uint64_t link)
{
    return taps->link_paths ? taps->link_paths[link + 1] - taps->link_paths[link]
                            : taps->paths_per_link;
}

uint64_t clr_taps_link_taps(const clr_taps *taps, uint64_t link)
{
    return taps->link_taps ? taps->link_taps[link + 1] - taps->link_taps[link]
                           : taps->taps_per_link;
}
