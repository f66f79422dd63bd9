/* clradio demo: a simulated array, and real files where there are any, from voltages to a picture,
 * by the same commands that a user types. */
#include "base/file.h"
#include "base/text.h"
#include "tool/commands.h"
#include "tool/demo_look.h"
#include "tool/options.h"
#include "tool/say.h"

#include <clradio/device.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

clr_command_function clr_command_correlate, clr_command_plot, clr_command_simulate;

struct values {
    const char *device, *keep;
};

static const clr_option options[] = {
    CLR_OPTION_DEVICE(offsetof(struct values, device)),
    { .name = "keep",
      .kind = CLR_OPTION_TEXT,
      .value = "DIR",
      .offset = offsetof(struct values, keep),
      .help = "leave voltages, UVH5 files and pictures in this folder",
      .normally = "a temporary folder that is removed" },
};

static const clr_usage usage = {
    .command = "demo",
    .operands = "",
    .about = "Shows the whole way on this machine's best device: an array that sees a point source "
             "is simulated, correlated, checked against a plain reference and drawn, and the "
             "source is found where it was put. When the environment variable CLRADIO_DATA names "
             "a folder with sample.vdif, sample_arochime.vdif, sample.dada and tbn-test.dat (or "
             "with a folder voltages that has them), these are correlated too.",
    .options = options,
    .n_options = CLR_COUNT_OF(options),
};

enum { MOST_WORDS = 48, SOURCE_AZIMUTH_DEG = 40, SOURCE_ELEVATION_DEG = 60 };

/* Shows a command line and runs it in this process. words: separated by single spaces; FOLDER in
 * front of a name is the demonstration's folder. */
static clr_exit type(clr_command_function *run, const char *folder, const char *device,
                     const char *line)
{
    clr_text expanded = { 0 };
    for (const char *at = line; *at;) {
        size_t length = strcspn(at, " ");
        if (strncmp(at, "FOLDER/", 7) == 0)
            clr_text_add(&expanded, "%s%.*s", folder, (int)(length - 6), at + 6);
        else
            clr_text_add_bytes(&expanded, at, length);
        clr_text_add_bytes(&expanded, "\n", 1); /* names may hold spaces, but no line ends */
        at += length + (at[length] == ' ');
    }
    if (device)
        clr_text_add(&expanded, "--device\n%s\n", device);
    if (expanded.failed || !expanded.bytes) {
        clr_text_free(&expanded);
        return clr_say(CLR_EXIT_FAILED, "no memory for a command line");
    }
    char *words[MOST_WORDS + 1];
    int count = 0;
    printf("\n$ clradio");
    for (char *word = strtok(expanded.bytes, "\n"); word && count < MOST_WORDS;
         word = strtok(NULL, "\n")) {
        printf(strchr(word, ' ') ? " '%s'" : " %s", word);
        words[count++] = word;
    }
    printf("\n");
    fflush(stdout);
    words[count] = NULL;
    clr_exit answer = run(count, words);
    fflush(stdout);
    clr_text_free(&expanded);
    return answer;
}

static clr_exit open_result(const char *folder, const char *name, clr_uvh5_reader **reader)
{
    clr_text path = { 0 };
    clr_text_add(&path, "%s/%s", folder, name);
    clradio_status status = path.failed ? clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a name")
                                        : clr_uvh5_open(path.bytes, reader);
    clr_text_free(&path);
    return status ? clr_say_status(status) : CLR_EXIT_OK;
}

/* A picture is worth having but not a failure: gnuplot may be absent. */
static void draw(const char *folder, const char *line)
{
    if (type(clr_command_plot, folder, NULL, line) != CLR_EXIT_OK)
        printf("(no picture)\n");
}

static clr_exit show_simulation(const char *folder, const char *device)
{
    printf(
        "1. A simulated array: 8 antennas of 2 polarisations on a ring, 8-bit complex samples, a "
        "point source at\n   azimuth %d, elevation %d degrees, as strong as the noise.\n",
        SOURCE_AZIMUTH_DEG, SOURCE_ELEVATION_DEG);
    clr_exit answer = type(clr_command_simulate, folder, NULL,
                           "simulate array -o FOLDER/array.vdif --stations 8 --source 40,60,1 "
                           "--sample-rate 4MHz --frequency 150MHz --seconds 50ms");
    if (answer == CLR_EXIT_OK)
        answer = type(clr_command_correlate, folder, device,
                      "correlate FOLDER/array.vdif -o FOLDER/array.uvh5 --antennas "
                      "FOLDER/array.antennas --frequency 150MHz --channels 64 --taps 4 --window "
                      "hamming --integration 10ms --verify");
    if (answer != CLR_EXIT_OK)
        return answer;
    draw(folder, "plot FOLDER/array.uvh5 -o FOLDER/array.png --baseline 0,4");
    clr_uvh5_reader *reader = NULL;
    answer = open_result(folder, "array.uvh5", &reader);
    if (answer != CLR_EXIT_OK)
        return answer;
    int agrees = 0;
    clradio_status status =
        clr_demo_say_source(reader, SOURCE_AZIMUTH_DEG, SOURCE_ELEVATION_DEG, &agrees);
    clr_uvh5_close(reader);
    if (status)
        return clr_say_status(status);
    return agrees ? CLR_EXIT_OK : clr_say(CLR_EXIT_FAILED, "the source is not where it was put");
}

/* ---- real files ---- */

typedef struct real_file {
    const char *name, *what, *options, *stem;
} real_file;

static const real_file real_files[] = {
    { "sample.vdif", "VDIF, 8 threads of a VLBI back end, 2-bit real samples", "--channels 64",
      "sample_vdif" },
    { "sample_arochime.vdif", "VDIF of the Algonquin Radio Observatory: 1024 channels, 4 bits",
      "--sample-rate 390625Hz", "sample_arochime" },
    { "sample.dada", "DADA, two polarisations of the Effelsberg telescope", "--channels 64",
      "sample_dada" },
    { "tbn-test.dat", "LWA TBN, 10 stands of a real array", "--channels 1 --samples 512",
      "tbn_test" },
};

static clr_exit show_file(const char *folder, const char *device, const char *data,
                          const real_file *file)
{
    clr_text line = { 0 }, name = { 0 };
    /* Spaces in the data's folder would split the line: a link stands for it. */
    clr_text_add(&name, "%s/%s", folder, file->name);
    clr_text target = { 0 };
    clr_text_add(&target, "%s/%s", data, file->name);
    clr_exit answer = CLR_EXIT_OK;
    if (target.failed || name.failed)
        answer = clr_say(CLR_EXIT_FAILED, "no memory for a name");
    else if (symlink(target.bytes, name.bytes) && errno != EEXIST)
        answer =
            clr_say(CLR_EXIT_INPUT_OUTPUT, "cannot link '%s': %s", name.bytes, strerror(errno));
    clr_text_free(&target);
    clr_text_free(&name);
    if (answer == CLR_EXIT_OK) {
        clr_text_add(&line, "correlate FOLDER/%s -o FOLDER/%s.uvh5 %s --verify", file->name,
                     file->stem, file->options);
        answer =
            line.failed ? CLR_EXIT_FAILED : type(clr_command_correlate, folder, device, line.bytes);
    }
    clr_text_free(&line);
    if (answer != CLR_EXIT_OK && answer != CLR_EXIT_DAMAGED)
        return answer;
    clr_text_add(&line, "plot FOLDER/%s.uvh5 -o FOLDER/%s.png", file->stem, file->stem);
    if (strcmp(file->stem, "sample_vdif") == 0)
        clr_text_add(&line, " --baseline 2,3");
    if (!line.failed)
        draw(folder, line.bytes);
    clr_text_free(&line);
    char result[64];
    snprintf(result, sizeof result, "%s.uvh5", file->stem);
    clr_uvh5_reader *reader = NULL;
    answer = open_result(folder, result, &reader);
    if (answer != CLR_EXIT_OK)
        return answer;
    clradio_status status = clr_demo_say_pairs(reader);
    clr_uvh5_close(reader);
    return status ? clr_say_status(status) : CLR_EXIT_OK;
}

static clr_exit show_real_files(const char *folder, const char *device)
{
    const char *data = getenv("CLRADIO_DATA");
    if (!data || !*data) {
        printf("\n2. Real files: none, CLRADIO_DATA does not name a folder with them.\n");
        return CLR_EXIT_OK;
    }
    clr_exit worst = CLR_EXIT_OK;
    char *absolute = realpath(data, NULL);
    for (size_t i = 0; i < CLR_COUNT_OF(real_files); i++) {
        const real_file *file = &real_files[i];
        clr_text place = { 0 }, path = { 0 };
        clr_text_add(&place, "%s", absolute ? absolute : data);
        clr_text_add(&path, "%s/%s", place.bytes, file->name);
        if (access(path.bytes, R_OK)) {
            clr_text_add(&place, "/voltages");
            clr_text_free(&path);
            clr_text_add(&path, "%s/%s", place.bytes, file->name);
        }
        printf("\n%zu. %s: %s.\n", i + 2, file->name, file->what);
        if (access(path.bytes, R_OK)) {
            printf("   It is not in the folder of CLRADIO_DATA.\n");
        } else {
            clr_exit answer = show_file(folder, device, place.bytes, file);
            worst = answer != CLR_EXIT_OK && worst == CLR_EXIT_OK ? answer : worst;
        }
        clr_text_free(&place);
        clr_text_free(&path);
    }
    free(absolute);
    return worst;
}

/* ---- the folder ---- */

static void remove_folder(const char *folder)
{
    DIR *list = opendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(list), entry->d_name, 0);
    if (list)
        closedir(list);
    rmdir(folder);
}

static clr_exit say_device(const char *name)
{
    clradio_device *device = NULL;
    clradio_device_info info = CLRADIO_DEVICE_INFO_INIT;
    clradio_status status = clradio_device_open(name, &device);
    if (!status)
        status = clradio_device_describe(device, &info);
    if (!status)
        printf("Device: %s, %s (%s).\n\n", info.id, info.name, info.platform);
    clradio_device_close(device);
    return status ? clr_say_status(status) : CLR_EXIT_OK;
}

clr_exit clr_command_demo(int argc, char **argv)
{
    struct values values = { 0 };
    clr_exit answer = clr_options_read(&usage, argc, argv, &values, NULL);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    const char *temporary = getenv("TMPDIR");
    clr_text folder = { 0 };
    if (values.keep)
        clr_text_add(&folder, "%s", values.keep);
    else
        clr_text_add(&folder, "%s/clradio-demo.XXXXXX",
                     temporary && *temporary ? temporary : "/tmp");
    if (folder.failed)
        return clr_say(CLR_EXIT_FAILED, "no memory for a name");
    answer = say_device(values.device);
    int made = 0;
    if (answer == CLR_EXIT_OK && values.keep && clr_make_directories(folder.bytes, 0777))
        answer = clr_say_status(CLRADIO_ERROR_IO);
    if (answer == CLR_EXIT_OK && !values.keep && !(made = mkdtemp(folder.bytes) != NULL))
        answer = clr_say(CLR_EXIT_INPUT_OUTPUT, "cannot create a folder '%s': %s", folder.bytes,
                         strerror(errno));
    if (answer == CLR_EXIT_OK)
        answer = show_simulation(folder.bytes, values.device);
    if (answer == CLR_EXIT_OK)
        answer = show_real_files(folder.bytes, values.device);
    if (answer == CLR_EXIT_OK && values.keep)
        printf("\nEverything worked. The files are in %s.\n", folder.bytes);
    else if (answer == CLR_EXIT_OK)
        printf(
            "\nEverything worked. With --keep DIR the voltages, UVH5 files and pictures stay.\n");
    if (made)
        remove_folder(folder.bytes);
    clr_text_free(&folder);
    return answer;
}
