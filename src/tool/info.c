/* clradio info: what a voltage file's header says, what its data say, and how its inputs map; what
 * other files hold. */
#include "tool/commands.h"
#include "tool/info_arrays.h"
#include "tool/json.h"
#include "tool/options.h"
#include "tool/say.h"

#include "io/source.h"

#include <stdio.h>

struct values {
    int json, strict;
};

static const clr_option options[] = {
    { .name = "json",
      .kind = CLR_OPTION_FLAG,
      .offset = offsetof(struct values, json),
      .help = "print JSON instead of text" },
    { .name = "strict",
      .kind = CLR_OPTION_FLAG,
      .offset = offsetof(struct values, strict),
      .help = "refuse a damaged or truncated file" },
};

static const clr_usage usage = {
    .command = "info",
    .operands = "FILE...",
    .least_operands = 1,
    .most_operands = 100000,
    .about = "Says what voltage files hold (VDIF, DADA, LWA TBN; recognised by content): sample "
             "type, rate, frequency, exact start time, what is missing, and the default map of "
             "threads or stands to stations and polarisations, in the order in which --inputs of "
             "'clradio correlate' takes them. Of array files (.npy, .npz, HDF5, .mat): their "
             "arrays with types, sizes and axes. Of UVH5 files: the array, its frequencies and "
             "times.",
    .options = options,
    .n_options = CLR_COUNT_OF(options),
};

static void print_source(const clr_source *source)
{
    clr_text text = { 0 };
    clr_source_describe(source, &text);
    fputs(text.bytes ? text.bytes : "", stdout);
    clr_text_free(&text);
}

static void add_source(clr_json *files, const clr_source *source, const clr_source_info *info)
{
    char when[64];
    clr_json *to = clr_json_add_object(files, NULL);
    clr_json_add_text(to, "path", info->path);
    clr_json_add_text(to, "format", info->format);
    clr_json_add_text(to, "telescope", info->telescope);
    clr_json_add_text(to, "object", info->object);
    clr_json_add_truth(to, "complex", info->complex_samples);
    clr_json_add_whole(to, "bits", info->bits);
    clr_json_add_whole(to, "channels", info->channels);
    clr_json_add_whole(to, "stations", info->stations);
    clr_json_add_whole(to, "polarisations", info->polarisations);
    clr_json_add_real(to, "sample_rate_hz", info->sample_rate_hz);
    clr_json_add_real(to, "frequency_hz", info->frequency_hz);
    clr_json_add_real(to, "channel_step_hz", info->channel_step_hz);
    clr_json_add_truth(to, "reversed", info->reversed);
    clr_json_add_text(to, "start", info->start_known ? clr_time_text(info->start, when) : "");
    clr_json_add_whole(to, "samples", (int64_t)info->samples);
    clr_json_add_whole(to, "samples_present", (int64_t)info->samples_present);
    clr_json_add_whole(to, "bytes_lost", (int64_t)info->bytes_lost);
    clr_json_add_text(to, "type", clradio_type_name(info->natural));
    clr_json *inputs = clr_json_add_array(to, "inputs");
    for (uint32_t i = 0; i < info->inputs; i++) {
        clr_json *input = clr_json_add_object(inputs, NULL);
        clr_json_add_text(input, "name", info->input[i].name);
        clr_json_add_text(input, "station_name", info->input[i].station);
        clr_json_add_whole(input, "station", info->input[i].station_index);
        clr_json_add_whole(input, "polarisation", info->input[i].polarisation);
    }
    clr_json *header = clr_json_add_object(to, "header");
    const clr_source_row *row;
    for (size_t i = 0; (row = clr_source_get_row(source, i)); i++)
        clr_json_add_text(header, row->key, row->value);
    clr_json *remarks = clr_json_add_array(to, "remarks");
    const char *remark;
    for (size_t i = 0; (remark = clr_source_remark(source, i)); i++)
        clr_json_add_text(remarks, NULL, remark);
}

clr_exit clr_command_info(int argc, char **argv)
{
    struct values values = { 0 };
    clr_operands files;
    clr_exit answer = clr_options_read(&usage, argc, argv, &values, &files);
    if (answer == CLR_EXIT_CARRY_ON && values.json)
        answer = clr_json_ready();
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clr_json *root = values.json ? clr_json_object() : NULL;
    clr_json *list = values.json ? clr_json_add_array(root, "files") : NULL;
    answer = CLR_EXIT_OK;
    for (size_t i = 0; i < files.count; i++) {
        clr_source_options how = { .strict = values.strict };
        clr_source *source = NULL;
        clr_exit arrays = clr_info_arrays(files.items[i], list);
        if (arrays != CLR_EXIT_CARRY_ON) {
            answer = arrays == CLR_EXIT_OK ? answer : arrays;
            continue;
        }
        clradio_status status = clr_source_open(files.items[i], &how, &source);
        if (status) {
            answer = clr_say_input(status);
            continue;
        }
        const clr_source_info *info = clr_source_get_info(source);
        if (values.json)
            add_source(list, source, info);
        else
            print_source(source);
        if (info->bytes_lost && answer == CLR_EXIT_OK)
            answer = CLR_EXIT_DAMAGED;
        clr_source_close(source);
    }
    if (values.json) {
        clr_exit printed = clr_json_print(root, stdout);
        answer = printed == CLR_EXIT_OK ? answer : printed;
    }
    return answer;
}
