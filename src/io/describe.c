/* A file in words: the facts as rows, the map of inputs, the remarks. */
#include "io/reader.h"

#include <stdio.h>
#include <string.h>

static void duration(const clr_source_info *info, char *text, size_t room)
{
    if (info->sample_rate_hz > 0)
        snprintf(text, room, "%.9g s", (double)info->samples / info->sample_rate_hz);
    else
        clr_copy_text(text, room, "unknown (no sample rate)");
}

static void band_rows(clr_source *source)
{
    const clr_source_info *info = &source->info;
    if (info->sample_rate_hz > 0)
        clr_source_add_row(source, "sample rate", "%.12g Hz%s", info->sample_rate_hz,
                           info->channels > 1 ? " in each channel" : "");
    else
        clr_source_add_row(source, "sample rate", "unknown");
    if (info->frequency_hz != 0)
        clr_source_add_row(source, "frequency", "%.12g Hz (%s)", info->frequency_hz,
                           !info->complex_samples ? "edge of the band"
                           : info->channels > 1   ? "middle of the first channel"
                                                  : "middle of the band");
    else
        clr_source_add_row(source, "frequency", "unknown");
    if (info->channel_step_hz != 0)
        clr_source_add_row(source, "channel step", "%.12g Hz", info->channel_step_hz);
    clr_source_add_row(source, "sideband", info->reversed ? "lower (channels reversed)" : "upper");
}

void clr_source_add_facts(clr_source *source)
{
    const clr_source_info *info = &source->info;
    char text[64];
    clr_source_add_row(source, "file", "%s", info->path);
    clr_source_add_row(source, "format", "%s", info->format);
    clr_source_add_row(source, "size", "%llu bytes", (unsigned long long)source->bytes.size);
    clr_source_add_row(
        source, "samples", "%llu of %u bits, %s, read as %s", (unsigned long long)info->samples,
        info->bits, info->complex_samples ? "complex" : "real", clradio_type_name(info->natural));
    clr_source_add_row(source, "channels", "%u", (unsigned)info->channels);
    clr_source_add_row(source, "inputs", "%u (%u station%s, %u polarisation%s)",
                       (unsigned)info->inputs, (unsigned)info->stations,
                       info->stations == 1 ? "" : "s", (unsigned)info->polarisations,
                       info->polarisations == 1 ? "" : "s");
    band_rows(source);
    clr_source_add_row(source, "start (UTC)", "%s",
                       info->start_known ? clr_time_text(info->start, text) : "unknown");
    duration(info, text, sizeof text);
    clr_source_add_row(source, "duration", "%s", text);
    double wanted = (double)info->samples * info->inputs;
    clr_source_add_row(source, "samples present", "%.6g %%",
                       wanted > 0 ? 100 * (double)info->samples_present / wanted : 0.0);
    clr_source_add_row(source, "bytes not used", "%llu", (unsigned long long)info->bytes_lost);
}

const clr_source_row *clr_source_get_row(const clr_source *source, size_t index)
{
    return index < source->rows ? &source->row[index] : NULL;
}

void clr_source_describe(const clr_source *source, clr_text *text)
{
    size_t width = 0;
    for (size_t i = 0; i < source->rows; i++) {
        size_t length = strlen(source->row[i].key);
        width = length > width ? length : width;
    }
    for (size_t i = 0; i < source->rows; i++) {
        if (i == source->facts)
            clr_text_add(text, "\nheader\n");
        clr_text_add(text, "  %-*s  %s\n", (int)width, source->row[i].key, source->row[i].value);
    }
    clr_text_add(text, "\ninputs\n  %5s  %7s  %12s  %s\n", "input", "station", "polarisation",
                 "header's name");
    for (uint32_t i = 0; i < source->info.inputs; i++) {
        const clr_source_input *input = &source->info.input[i];
        clr_text_add(text, "  %5u  %7u  %12u  %s%s%s%s\n", (unsigned)i,
                     (unsigned)input->station_index, (unsigned)input->polarisation, input->name,
                     *input->station ? " (" : "", input->station, *input->station ? ")" : "");
    }
    if (source->remarks)
        clr_text_add(text, "\nremarks\n");
    for (size_t i = 0; i < source->remarks; i++)
        clr_text_add(text, "  %s\n", source->remark[i]);
}
