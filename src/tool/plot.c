/* clradio plot: a picture of a UVH5 file, or of a frequency response. */
#include "base/text.h"
#include "tool/commands.h"
#include "tool/options.h"
#include "tool/plot_draw.h"
#include "tool/plot_response.h"
#include "tool/say.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { USUAL_PATHS = 4 };

struct values {
    const char *output, *baseline;
    uint64_t time, path, paths;
};

static const clr_option options[] = {
    { .name = "output",
      .letter = 'o',
      .kind = CLR_OPTION_TEXT,
      .value = "PICTURE",
      .offset = offsetof(struct values, output),
      .help = "a name that ends in .png, .svg or .gp (a gnuplot script)",
      .normally = "the file's name with .png" },
    { .name = "baseline",
      .kind = CLR_OPTION_TEXT,
      .value = "I,J",
      .offset = offsetof(struct values, baseline),
      .help = "antenna numbers of the baseline to draw",
      .normally = "the first cross-correlation" },
    { .name = "time",
      .kind = CLR_OPTION_COUNT,
      .value = "K",
      .offset = offsetof(struct values, time),
      .least = 0,
      .most = 1e15,
      .help = "which integration, from 0",
      .normally = "0" },
    { .name = "path",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .offset = offsetof(struct values, path),
      .least = 0,
      .most = 1e18,
      .help = "of a response: the first path to draw, counted over all its axes but the "
              "subcarriers'",
      .normally = "0" },
    { .name = "paths",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      .offset = offsetof(struct values, paths),
      .least = 1,
      .most = 8,
      .help = "of a response: how many paths to draw",
      .normally = "4" },
};

static const clr_usage usage = {
    .command = "plot",
    .operands = "FILE",
    .least_operands = 1,
    .most_operands = 1,
    .about =
        "Draws a UVH5 file with gnuplot: the autocorrelation spectra, and amplitude and phase "
        "of a baseline, against frequency; against time when there is one channel; and with "
        "one channel and one integration the matrix of correlation coefficients. Of a frequency "
        "response (an array file that 'clradio dft' wrote: .npy, .npz, .h5, .mat) it draws "
        "magnitude and phase over frequency, and the delay profile.",
    .options = options,
    .n_options = CLR_COUNT_OF(options),
};

static clr_exit read_baseline(const char *text, clr_plot *plot)
{
    char first[32];
    size_t length = strcspn(text, ",");
    if (text[length] && length < sizeof first) {
        clr_copy_text(first, length + 1, text);
        if (clr_parse_i64(first, &plot->antenna_1) &&
            clr_parse_i64(text + length + 1, &plot->antenna_2)) {
            if (plot->antenna_1 != plot->antenna_2)
                return CLR_EXIT_CARRY_ON;
            return clr_say(CLR_EXIT_USAGE,
                           "plot: --baseline takes two different antennas, not "
                           "'%s'; autocorrelations are always drawn",
                           text);
        }
    }
    return clr_say(CLR_EXIT_USAGE,
                   "plot: --baseline takes two antenna numbers such as 0,1, not "
                   "'%s'",
                   text);
}

/* The picture's name: as given, else the file's with .png; never the file itself. */
static clradio_status picture_name(const char *file, const char *given, clr_text *name,
                                   const char **picture)
{
    const char *dot = strrchr(file, '.');
    int stem = dot && dot != file && !strchr(dot, '/') ? (int)(dot - file) : (int)strlen(file);
    struct stat one, other;
    clr_text_add(name, "%.*s.png", stem, file);
    *picture = given ? given : name->bytes;
    if (name->failed)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a name");
    if (!stat(file, &one) && !stat(*picture, &other) && one.st_dev == other.st_dev &&
        one.st_ino == other.st_ino)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "'%s' is the input, it is not overwritten: name the picture by -o",
                        *picture);
    return CLRADIO_OK;
}

/* Array files other than UVH5's. NULL: none, and UVH5's reader says what is wrong. */
static clr_arrays_file *open_response(const char *path)
{
    clr_arrays_file *file;
    size_t index;
    if (clr_arrays_open(path, &file))
        return NULL;
    if (!clr_arrays_find(file, "Data/visdata", &index) && clr_plot_is_response(file))
        return file;
    clr_arrays_close(file);
    return NULL;
}

/* An array file that is no UVH5 file, not even a damaged one. */
static int is_array_file(const char *path)
{
    static const char *const suffixes[] = { ".npy", ".npz", ".mat" };
    clr_arrays_file *file;
    size_t length = strlen(path);
    for (size_t k = 0; k < CLR_COUNT_OF(suffixes); k++)
        if (length > 4 && !strcmp(path + length - 4, suffixes[k]))
            return 1;
    if (clr_arrays_open(path, &file))
        return 0;
    int others = 0;
    for (size_t i = 0; clr_arrays_get(file, i); i++) {
        const char *name = clr_arrays_get(file, i)->name;
        others += strncmp(name, "Header/", 7) != 0 && strncmp(name, "Data/", 5) != 0;
    }
    others = others && others == (int)clr_arrays_count(file);
    clr_arrays_close(file);
    return others;
}

static clradio_status draw(const char *path, const struct values *values, clr_plot *plot)
{
    clr_arrays_file *response = open_response(path);
    clr_uvh5_reader *reader = NULL;
    clradio_status status;
    if (response) {
        clr_response_plot how = { .first = values->path,
                                  .count = values->paths ? values->paths : USUAL_PATHS,
                                  .picture = plot->picture,
                                  .title = plot->title };
        status = values->baseline || values->time
                     ? clr_fail(CLRADIO_ERROR_ARGUMENT, "'%s' is a response: it has no %s", path,
                                values->baseline ? "baselines"
                                                 : "integrations; --path counts time "
                                                   "steps too")
                     : clr_plot_response(response, &how);
        clr_arrays_close(response);
        return status;
    }
    if (is_array_file(path)) {
        status = clr_arrays_open(path, &response); /* for its sentence */
        clr_arrays_close(response);
        if (status == CLRADIO_ERROR_UNSUPPORTED) /* the file; what the drawing lacks is no input */
            status = CLRADIO_ERROR_FORMAT;
        return status ? status
                      : clr_fail(CLRADIO_ERROR_FORMAT,
                                 "'%s' holds no response: no array response, h or channel, and not "
                                 "one complex array alone (of taps clradio dft makes one)",
                                 path);
    }
    status = clr_uvh5_open(path, &reader);
    if (!status && (values->path || values->paths))
        status = clr_fail(CLRADIO_ERROR_ARGUMENT,
                          "'%s' holds visibilities: --path and --paths are of a response", path);
    if (!status)
        status = clr_plot_draw(reader, plot);
    clr_uvh5_close(reader);
    return status;
}

clr_exit clr_command_plot(int argc, char **argv)
{
    struct values values = { 0 };
    clr_operands files;
    clr_exit answer = clr_options_read(&usage, argc, argv, &values, &files);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clr_plot plot = { .time = values.time };
    if (values.baseline)
        answer = read_baseline(values.baseline, &plot);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clr_text name = { 0 };
    const char *slash = strrchr(files.items[0], '/');
    plot.title = slash ? slash + 1 : files.items[0];
    clradio_status status = picture_name(files.items[0], values.output, &name, &plot.picture);
    if (!status)
        status = draw(files.items[0], &values, &plot);
    answer = status ? clr_say_status(status) : CLR_EXIT_OK;
    if (!status)
        printf("drawn: %s\n", plot.picture);
    clr_text_free(&name);
    return answer;
}
