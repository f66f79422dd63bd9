/*
 * The DADA reader: one header and raw samples in the order [time][channel][polarisation][re, im].
 * Several parts have a header each; their starts say where they belong.
 */
#include "io/dada.h"

#include "base/checked.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int recognise(clr_bytes *bytes)
{
    size_t count = (size_t)clr_min_u64(bytes->size, 4096);
    const unsigned char *start = clr_bytes_view(bytes, 0, count);
    return start && clr_dada_looks_like_header(start, count);
}

/* How many bytes of samples to use: FILE_SIZE may promise more than there is, or end before junk.
 */
static clradio_status size_of(clr_source *source, const clr_dada_header *header,
                              const clr_dada_facts *facts, uint64_t size, uint64_t *samples)
{
    uint64_t there = size - header->bytes, promised;
    char text[64];
    if (!clr_dada_text(header, "FILE_SIZE", text, sizeof text) || !clr_parse_u64(text, &promised))
        promised = 0;
    uint64_t used = there;
    if (promised && promised != size && promised < there) {
        used = promised;
        clr_source_add_damage(source,
                              "%llu bytes behind the %llu that FILE_SIZE names are not used",
                              (unsigned long long)(there - used), (unsigned long long)promised);
    } else if (promised > size) {
        clr_source_add_damage(source, "FILE_SIZE promises %llu bytes, %llu are there",
                              (unsigned long long)promised, (unsigned long long)there);
    }
    *samples = used / facts->sample_bytes;
    uint64_t rest = used % facts->sample_bytes;
    if (rest)
        clr_source_add_damage(source, "the last %llu bytes are less than one sample of %zu bytes",
                              (unsigned long long)rest, facts->sample_bytes);
    source->info.bytes_lost += there - *samples * facts->sample_bytes;
    if (!*samples)
        return clr_fail(CLRADIO_ERROR_FORMAT,
                        "%llu bytes behind the header hold no sample of %zu bytes",
                        (unsigned long long)there, facts->sample_bytes);
    return CLRADIO_OK;
}

static clradio_status place_part(const clr_source *source, clr_dada *state,
                                 const clr_dada_facts *facts, size_t i)
{
    clr_dada_part *part = &state->part[i];
    const clr_dada_facts *first = &state->facts;
    if (!i)
        return CLRADIO_OK;
    if (facts->sample_bytes != first->sample_bytes || facts->channels != first->channels ||
        facts->polarisations != first->polarisations || facts->coding.bits != first->coding.bits ||
        facts->coding.kind != first->coding.kind || facts->order_tpf != first->order_tpf ||
        facts->sample_rate_hz != first->sample_rate_hz)
        return clr_fail(CLRADIO_ERROR_FORMAT, "part %zu ('%s') has another shape than the first",
                        i + 1, source->bytes.part[i].path);
    uint64_t end = part[-1].first + part[-1].samples;
    part->first = end;
    if (!facts->start_known || !first->start_known || !(first->sample_rate_hz > 0))
        return CLRADIO_OK;
    double seconds = clr_time_difference(facts->start, first->start);
    double samples = floor(seconds * first->sample_rate_hz + 0.5);
    double allowed = (double)clr_min_u64(facts->overlap, part[-1].samples);
    if (samples < (double)end - allowed)
        return clr_fail(
            CLRADIO_ERROR_FORMAT,
            "part %zu ('%s') starts %.6g s after the first, before the part in front of "
            "it ends",
            i + 1, source->bytes.part[i].path, seconds);
    if (samples > 1e15)
        return clr_fail(CLRADIO_ERROR_FORMAT, "part %zu ('%s') starts %.6g s after the first",
                        i + 1, source->bytes.part[i].path, seconds);
    part->first = (uint64_t)samples;
    return CLRADIO_OK;
}

static clradio_status open_part(clr_source *source, clr_dada *state, size_t i)
{
    const clr_bytes_part *file = &source->bytes.part[i];
    clr_dada_header header = { 0 };
    clr_dada_facts facts = { 0 };
    clr_dada_part *part = &state->part[i];
    clradio_status status = CLRADIO_OK;
    size_t probe = (size_t)clr_min_u64(file->size, 4096);
    const unsigned char *start = clr_bytes_view(&source->bytes, file->first, probe);
    if (!start || !clr_dada_looks_like_header(start, probe))
        status =
            clr_fail(CLRADIO_ERROR_FORMAT, "'%s' does not begin with a DADA header", file->path);
    if (!status)
        status = clr_dada_header_read(&source->bytes, file->first, file->size, &header);
    if (!status)
        status = clr_dada_read_facts(source, &header, &facts);
    if (!status)
        status = size_of(source, &header, &facts, file->size, &part->samples);
    part->offset = file->first + header.bytes;
    if (!status)
        status = place_part(source, state, &facts, i);
    if (!status && !i) {
        state->facts = facts;
        clr_dada_text(&header, "TELESCOPE", source->info.telescope, sizeof source->info.telescope);
        clr_dada_text(&header, "SOURCE", source->info.object, sizeof source->info.object);
        clr_dada_add_rows(source, &header);
    }
    clr_dada_header_free(&header);
    return status;
}

static void fill_info(clr_source *source, const clr_dada *state)
{
    clr_source_info *info = &source->info;
    const clr_dada_facts *facts = &state->facts;
    info->channels = (uint32_t)facts->channels;
    info->polarisations = facts->polarisations <= 2 ? info->inputs : 1;
    info->stations = info->inputs / info->polarisations;
    for (uint32_t i = 0; i < info->inputs; i++) {
        clr_source_input *input = &info->input[i];
        input->station_index = i / info->polarisations;
        input->polarisation = i % info->polarisations;
        snprintf(input->name, sizeof input->name, "polarisation %u", (unsigned)i);
        if (info->stations > 1)
            snprintf(input->station, sizeof input->station, "input%u", (unsigned)i);
        else
            clr_copy_text(input->station, sizeof input->station, info->telescope);
    }
    if (info->stations > 1)
        clr_source_add_remark(source, "NPOL is %u: each is taken as a station of its own",
                              (unsigned)info->inputs);
    info->sample_rate_hz = facts->sample_rate_hz;
    info->start = facts->start;
    info->start_known = facts->start_known;
    info->start_exact = facts->start_known && facts->start_exact;
    double step = facts->bandwidth_mhz / (double)facts->channels;
    info->channel_step_hz = step * 1e6;
    info->reversed = facts->bandwidth_mhz < 0;
    if (facts->frequency_mhz != 0)
        info->frequency_hz = 1e6 * (facts->frequency_mhz - facts->bandwidth_mhz / 2 +
                                    (info->complex_samples ? step / 2 : 0));
    const clr_dada_part *last = &state->part[state->parts - 1];
    info->samples = last->first + last->samples;
    uint64_t end = 0, present = 0;
    for (size_t i = 0; i < state->parts; i++) {
        const clr_dada_part *part = &state->part[i];
        if (part->first > end)
            clr_source_add_damage(source, "%llu samples are missing in front of part %zu",
                                  (unsigned long long)(part->first - end), i + 1);
        uint64_t repeated = end > part->first ? clr_min_u64(end - part->first, part->samples) : 0;
        present += part->samples - repeated;
        end = clr_max_u64(end, part->first + part->samples);
    }
    info->samples = end;
    info->samples_present = present * info->inputs;
    double covered = info->complex_samples ? 1 : 2;
    if (facts->bandwidth_mhz != 0 && facts->sample_rate_hz > 0 &&
        fabs(fabs(step) * 1e6 * covered - facts->sample_rate_hz) > 1e-3 * facts->sample_rate_hz)
        clr_source_add_remark(source,
                              "BW means channels of %.12g Hz, the sample rate means %.12g Hz",
                              fabs(step) * 1e6, facts->sample_rate_hz / covered);
}

static clradio_status open_dada(clr_source *source)
{
    clr_copy_text(source->info.format, sizeof source->info.format, "DADA");
    clr_dada *state = calloc(1, sizeof *state);
    source->state = state;
    if (state)
        state->part = calloc(source->bytes.parts, sizeof *state->part);
    if (!state || !state->part)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a DADA reader");
    clradio_status status = CLRADIO_OK;
    for (; !status && state->parts < source->bytes.parts; state->parts++)
        status = open_part(source, state, state->parts);
    if (status)
        return status;
    if (source->options.real_high || source->options.twos_complement)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the coding of a DADA file cannot be overridden");
    clr_source_set_coding(source, &state->facts.coding);
    status = clr_source_make_inputs(source, (uint32_t)state->facts.polarisations);
    if (!status)
        fill_info(source, state);
    return status;
}

static void close_dada(clr_source *source)
{
    clr_dada *state = source->state;
    if (state)
        free(state->part);
    free(state);
}

const clr_reader clr_dada_reader = { "dada", recognise, open_dada, clr_dada_read, close_dada };
