/* --verify: the same batches through the plain references on the processor, and every sum of every
 * integration compared. Integers must be equal, floats within the stated bound. */
#include "tool/correlate.h"

#include "base/checked.h"
#include "engine/fengine_reference.h"
#include "engine/xengine_reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums of one integration: [channel][pairs a >= b of slots]. */
typedef struct sums {
    int64_t (*whole)[2];
    double (*value)[2];
    uint64_t terms;
} sums;

enum { WAITING = 8, PIECE_BYTES = 64 << 20 };

struct clr_verify {
    const clr_correlate_plan *plan;
    clradio_fengine_config bank;
    clradio_xengine_config pairs; /* without a transform */
    uint64_t block_bytes;         /* voltages of a transform */
    uint64_t n_pairs;             /* a channel */
    uint64_t piece;               /* transforms at a time */
    unsigned char *joined;        /* history and a piece */
    uint64_t held;                /* transforms of history in it */
    double *spectra;
    sums queue[WAITING];
    uint64_t closed, compared;
    uint64_t checked, wrong;
    double largest_error, worst; /* worst: error over bound */
    char first_wrong[256];
};

static uint64_t pair_at(uint32_t a, uint32_t b)
{
    return (uint64_t)a * (a + 1ull) / 2 + b;
}

static void free_sums(sums *s)
{
    free(s->whole);
    free(s->value);
    *s = (sums){ 0 };
}

void clr_verify_destroy(clr_verify *verify)
{
    if (!verify)
        return;
    for (unsigned i = 0; i < WAITING; i++)
        free_sums(&verify->queue[i]);
    free(verify->joined);
    free(verify->spectra);
    free(verify);
}

static clradio_status new_sums(const clr_verify *verify, sums *s)
{
    size_t count = (size_t)(verify->n_pairs * verify->plan->out_channels);
    if (!s->value) {
        s->value = malloc(count * sizeof *s->value);
        s->whole = malloc(count * sizeof *s->whole);
    }
    if (!s->value || !s->whole)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to verify %zu sums", count);
    memset(s->value, 0, count * sizeof *s->value);
    memset(s->whole, 0, count * sizeof *s->whole);
    s->terms = 0;
    return CLRADIO_OK;
}

static void set_configs(clr_verify *verify)
{
    const clradio_correlator_config *config = &verify->plan->config;
    verify->bank = (clradio_fengine_config)CLRADIO_FENGINE_CONFIG_INIT;
    verify->bank.stations = config->stations;
    verify->bank.polarisations = config->polarisations;
    verify->bank.bands = config->bands;
    verify->bank.channels = config->channels;
    verify->bank.taps = config->taps;
    verify->bank.window = config->window;
    verify->bank.kaiser_beta = config->kaiser_beta;
    verify->bank.reversed = config->reversed;
    verify->bank.input = config->input;
    verify->pairs = (clradio_xengine_config)CLRADIO_XENGINE_CONFIG_INIT;
    verify->pairs.stations = config->stations;
    verify->pairs.polarisations = config->polarisations;
    verify->pairs.channels = config->bands;
    verify->pairs.input = config->input;
    verify->pairs.output = config->output;
}

clradio_status clr_verify_create(const clr_correlate_plan *plan, uint64_t most_transforms,
                                 clr_verify **made)
{
    *made = NULL;
    clr_verify *verify = calloc(1, sizeof *verify);
    if (!verify)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to verify");
    verify->plan = plan;
    set_configs(verify);
    verify->n_pairs = (uint64_t)plan->slots * (plan->slots + 1ull) / 2;
    verify->block_bytes =
        plan->length * plan->config.bands * plan->slots * clradio_type_bytes(plan->config.input);
    clradio_status status = CLRADIO_OK;
    if (plan->length > 1) {
        uint64_t spectrum = (uint64_t)plan->out_channels * plan->slots * 2 * sizeof(double);
        uint64_t fit = clr_max_u64(1, PIECE_BYTES / spectrum);
        verify->piece = clr_min_u64(most_transforms, fit);
        uint64_t room = verify->piece + plan->config.taps - 1;
        verify->joined = malloc((size_t)(room * verify->block_bytes));
        verify->spectra = malloc((size_t)(room * spectrum));
        if (!verify->joined || !verify->spectra)
            status =
                clr_fail(CLRADIO_ERROR_MEMORY, "no memory to verify %" PRIu64 " transforms", room);
    }
    if (!status)
        status = new_sums(verify, &verify->queue[0]);
    if (status)
        clr_verify_destroy(verify);
    else
        *made = verify;
    return status;
}

/* ---- the reference's sums ---- */

static void add_spectra(const clr_verify *verify, sums *to, uint64_t spectra)
{
    uint32_t slots = verify->plan->slots;
    for (uint64_t s = 0; s < spectra; s++) {
        for (uint32_t c = 0; c < verify->plan->out_channels; c++) {
            const double *x =
                verify->spectra + 2 * (s * verify->plan->out_channels + c) * (uint64_t)slots;
            double(*sum)[2] = to->value + c * verify->n_pairs;
            for (uint32_t a = 0; a < slots; a++) {
                for (uint32_t b = 0; b <= a; b++, sum++) {
                    (*sum)[0] += x[2 * a] * x[2 * b] + x[2 * a + 1] * x[2 * b + 1];
                    (*sum)[1] += x[2 * a + 1] * x[2 * b] - x[2 * a] * x[2 * b + 1];
                }
            }
        }
    }
    to->terms += spectra;
}

static void add_samples(const clr_verify *verify, sums *to, const void *voltages, uint64_t count)
{
    const clr_correlate_plan *plan = verify->plan;
    int reversed = plan->config.reversed; /* conjugated, channels in the other order */
    for (uint32_t c = 0; c < plan->out_channels; c++) {
        uint64_t at = (reversed ? plan->out_channels - 1 - c : c) * verify->n_pairs;
        for (uint32_t a = 0; a < plan->slots; a++) {
            for (uint32_t b = 0; b <= a; b++, at++) {
                clr_xengine_product product;
                clr_xengine_reference(&verify->pairs, voltages, count, c, a, b, &product);
                to->whole[at][0] += product.whole[0];
                to->whole[at][1] += reversed ? -product.whole[1] : product.whole[1];
                to->value[at][0] += product.value[0];
                to->value[at][1] += reversed ? -product.value[1] : product.value[1];
            }
        }
    }
    to->terms += count;
}

static clradio_status add_transforms(clr_verify *verify, sums *to, const unsigned char *voltages,
                                     const uint8_t *valid, uint64_t transforms)
{
    uint32_t taps = verify->plan->config.taps;
    for (uint64_t done = 0; done < transforms;) {
        uint64_t count = clr_min_u64(verify->piece, transforms - done);
        uint64_t blocks = verify->held + count;
        memcpy(verify->joined + verify->held * verify->block_bytes,
               voltages + done * verify->block_bytes, (size_t)(count * verify->block_bytes));
        if (blocks >= taps) {
            uint64_t spectra = blocks - (taps - 1);
            clradio_status status = clr_fengine_reference(&verify->bank, verify->joined, blocks,
                                                          valid, verify->spectra);
            if (status)
                return status;
            add_spectra(verify, to, spectra);
            valid = valid ? valid + spectra * verify->plan->slots : NULL;
        }
        verify->held = clr_min_u64(blocks, taps - 1);
        memmove(verify->joined, verify->joined + (blocks - verify->held) * verify->block_bytes,
                (size_t)(verify->held * verify->block_bytes));
        done += count;
    }
    return CLRADIO_OK;
}

clradio_status clr_verify_batch(clr_verify *verify, const void *voltages, const uint8_t *valid,
                                uint64_t transforms)
{
    sums *to = &verify->queue[verify->closed % WAITING];
    if (verify->plan->length > 1)
        return add_transforms(verify, to, voltages, valid, transforms);
    add_samples(verify, to, voltages, transforms);
    return CLRADIO_OK;
}

clradio_status clr_verify_close_integration(clr_verify *verify)
{
    if (verify->closed + 1 - verify->compared >= WAITING)
        return clr_fail(CLRADIO_ERROR_INTERNAL, "more integrations wait than can");
    verify->closed++;
    return new_sums(verify, &verify->queue[verify->closed % WAITING]);
}

/* ---- the comparison ---- */

/* Mean power of an input over the channels of a band: what the transform's rounding scales with. */
static double band_power(const clr_verify *verify, const sums *s, uint32_t channel, uint32_t slot)
{
    uint32_t n = verify->plan->config.channels, first = channel / n * n;
    double power = 0;
    for (uint32_t c = first; c < first + n; c++)
        power += s->value[c * verify->n_pairs + pair_at(slot, slot)][0];
    return power / n;
}

/* X-engine: 2e-7 sqrt(min(terms, 1024)) sqrt(V_aa V_bb). F-engine: a spectrum is right to delta =
 * 3e-7 (4 + log2 length) of its band's rms, so a product to delta times the powers crosswise. */
static double bound_of(const clr_verify *verify, const sums *s, const double *power,
                       uint32_t channel, uint32_t a, uint32_t b)
{
    double terms = (double)clr_min_u64(s->terms, 1024);
    double own_a = s->value[channel * verify->n_pairs + pair_at(a, a)][0];
    double own_b = s->value[channel * verify->n_pairs + pair_at(b, b)][0];
    double bound = 2e-7 * sqrt(terms) * sqrt(own_a * own_b);
    if (verify->plan->length > 1) {
        double delta = 3e-7 * (4 + log2((double)verify->plan->length));
        bound += delta * (sqrt(power[a] * own_b) + sqrt(own_a * power[b])) +
                 delta * delta * sqrt(power[a] * power[b]);
    }
    return bound;
}

static double got_value(const clr_integration *integration, uint64_t at)
{
    if (integration->type == CLRADIO_CI32)
        return ((const int32_t *)integration->visibilities)[at];
    if (integration->type == CLRADIO_CI64)
        return (double)((const int64_t *)integration->visibilities)[at];
    if (integration->type == CLRADIO_CF32)
        return ((const float *)integration->visibilities)[at];
    return ((const double *)integration->visibilities)[at];
}

static int equals(const clr_integration *integration, uint64_t at, int64_t expected)
{
    if (integration->type == CLRADIO_CI32)
        return ((const int32_t *)integration->visibilities)[at] == expected;
    return ((const int64_t *)integration->visibilities)[at] == expected;
}

/* One complex value: place in the visibilities, channel, inputs. */
static void check(clr_verify *verify, const sums *s, const clr_integration *integration,
                  const double *power, uint64_t place, uint32_t channel, uint32_t a, uint32_t b)
{
    int swap = a < b;
    uint64_t pair = channel * verify->n_pairs + (swap ? pair_at(b, a) : pair_at(a, b));
    double error = 0;
    int right = 1;
    for (unsigned c = 0; c < 2; c++) {
        double sign = swap && c ? -1 : 1;
        double expected = sign * s->value[pair][c];
        double difference = fabs(got_value(integration, 2 * place + c) - expected);
        if (verify->plan->integers)
            right &= equals(integration, 2 * place + c,
                            swap && c ? -s->whole[pair][c] : s->whole[pair][c]);
        if (!(difference <= error)) /* not a number counts */
            error = difference;
    }
    double over = right ? 0 : 2;
    if (!verify->plan->integers) {
        double bound = bound_of(verify, s, power, channel, a, b);
        over = error == 0 ? 0 : error / bound;
        right = over <= 1;
    }
    verify->checked++;
    if (!(error <= verify->largest_error))
        verify->largest_error = error;
    if (!(over <= verify->worst))
        verify->worst = over;
    if (!right && !verify->wrong++)
        snprintf(verify->first_wrong, sizeof verify->first_wrong,
                 "integration %" PRIu64 ", channel %u, inputs %u and %u: %.9g%+.9gj is not "
                 "%.9g%+.9gj",
                 integration->index, channel, a, b, got_value(integration, 2 * place),
                 got_value(integration, 2 * place + 1), s->value[pair][0],
                 swap ? -s->value[pair][1] : s->value[pair][1]);
}

clradio_status clr_verify_compare(clr_verify *verify, const clr_integration *integration)
{
    const clr_correlate_plan *plan = verify->plan;
    sums *s = &verify->queue[verify->compared++ % WAITING];
    uint32_t pols = plan->config.polarisations;
    double *power = calloc(plan->slots, sizeof *power);
    if (!power)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to verify");
    uint64_t place = 0;
    for (uint32_t channel = 0; channel < plan->out_channels; channel++) {
        for (uint32_t slot = 0; slot < plan->slots && channel % plan->config.channels == 0; slot++)
            power[slot] = band_power(verify, s, channel, slot);
        for (uint32_t i = 0; i < plan->config.stations; i++)
            for (uint32_t j = 0; j <= i; j++)
                for (uint32_t p = 0; p < pols * pols; p++, place++)
                    check(verify, s, integration, power, place, channel, i * pols + p / pols,
                          j * pols + p % pols);
    }
    free(power);
    return CLRADIO_OK;
}

int clr_verify_passed(const clr_verify *verify, char *sentence, size_t room)
{
    if (verify->wrong)
        snprintf(sentence, room, "%" PRIu64 " of %" PRIu64 " values are wrong; the first: %s",
                 verify->wrong, verify->checked, verify->first_wrong);
    else if (verify->plan->integers)
        snprintf(sentence, room, "exact: all %" PRIu64 " sums equal the reference's",
                 verify->checked);
    else
        snprintf(sentence, room, "%" PRIu64 " sums, largest error %.3g, at most %.3g of its bound",
                 verify->checked, verify->largest_error, verify->worst);
    return !verify->wrong && verify->checked;
}
