/* clradio plot: a picture of a UVH5 file. */
#include "base/text.h"
#include "tool/commands.h"
#include "tool/options.h"
#include "tool/plot_draw.h"
#include "tool/say.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct values {
    const char *output, *baseline;
    uint64_t time;
};

static const clr_option options[] = {
    { .name = "output",
      .letter = 'o',
      .kind = CLR_OPTION_TEXT,
      .value = "PICTURE",
      .offset = offsetof(struct values, output),
      .help = "a name that ends in .png or .svg",
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
};

static const clr_usage usage = {
    .command = "plot",
    .operands = "FILE.uvh5",
    .least_operands = 1,
    .most_operands = 1,
    .about = "Draws a UVH5 file with gnuplot: the autocorrelation spectra, and amplitude and phase "
             "of a baseline, against frequency; against time when there is one channel; and with "
             "one channel and one integration the matrix of correlation coefficients.",
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
    clr_uvh5_reader *reader = NULL;
    clradio_status status = clr_uvh5_open(files.items[0], &reader);
    if (status)
        return clr_say_status(status);
    clr_text name = { 0 };
    const char *dot = strrchr(files.items[0], '.');
    int stem = dot && dot != files.items[0] && !strchr(dot, '/') ? (int)(dot - files.items[0])
                                                                 : (int)strlen(files.items[0]);
    clr_text_add(&name, "%.*s.png", stem, files.items[0]);
    plot.picture = values.output ? values.output : name.bytes;
    const char *slash = strrchr(files.items[0], '/');
    plot.title = slash ? slash + 1 : files.items[0];
    struct stat one, other;
    if (name.failed)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a name");
    else if (!stat(files.items[0], &one) && !stat(plot.picture, &other) &&
             one.st_dev == other.st_dev && one.st_ino == other.st_ino)
        status = clr_fail(CLRADIO_ERROR_ARGUMENT,
                          "'%s' is the input, it is not overwritten: name the picture by -o",
                          plot.picture);
    else
        status = clr_plot_draw(reader, &plot);
    if (status)
        answer = clr_say_status(status);
    else
        printf("drawn: %s\n", plot.picture);
    clr_text_free(&name);
    clr_uvh5_close(reader);
    return status ? answer : CLR_EXIT_OK;
}
