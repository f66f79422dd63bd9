/* Opens the files of an array and puts them on one grid of times. */
#include "tool/voltages.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void clr_voltages_close(clr_voltages *voltages)
{
    for (size_t o = 0; o < voltages->n_operands; o++)
        clr_source_close(voltages->operands[o].source);
    free(voltages->operands);
    clr_input_map_free(&voltages->map);
    free(voltages->scratch);
    free(voltages->scratch_present);
    *voltages = (clr_voltages){ 0 };
}

/* a - b in samples: whole ones, and what is left over (-0.5 .. 0.5). Whole seconds are kept apart
 * from the fraction so that a day at a gigahertz is still exact. */
static int64_t samples_between(clr_time a, clr_time b, double rate_hz, double *rest)
{
    double seconds = (double)(clr_time_elapsed(a) - clr_time_elapsed(b));
    double whole = floor(seconds * rate_hz);
    double left = fma(seconds, rate_hz, -whole) + (a.fraction - b.fraction) * rate_hz;
    double nearest = nearbyint(left);
    *rest = left - nearest;
    double total = whole + nearest;
    if (fabs(total) < 4e18)
        return (int64_t)total;
    return total > 0 ? INT64_MAX : INT64_MIN;
}

/* What all files of an array must share. */
static clradio_status compare(const clr_source_info *a, const clr_source_info *b,
                              const clr_voltages_options *options)
{
    const char *what = NULL;
    if (a->complex_samples != b->complex_samples)
        what = "one holds real samples, the other complex ones";
    else if (a->channels != b->channels)
        what = "they have different numbers of channels";
    else if (fabs(a->sample_rate_hz - b->sample_rate_hz) > 1e-9 * fabs(a->sample_rate_hz))
        what = "they have different sample rates (--sample-rate decides)";
    else if (fabs(a->frequency_hz - b->frequency_hz) > 1e-9 * fabs(a->frequency_hz) ||
             fabs(a->channel_step_hz - b->channel_step_hz) > 1e-9 * fabs(a->channel_step_hz))
        what = "they are at different frequencies (--frequency decides)";
    else if (a->reversed != b->reversed && options->sideband == CLR_SIDEBAND_FILE)
        what = "they have different sidebands (--sideband decides)";
    if (!what)
        return CLRADIO_OK;
    return clr_fail(CLRADIO_ERROR_ARGUMENT, "'%s' and '%s' do not fit together: %s", a->path,
                    b->path, what);
}

/* Without what a file leaves unsaid: that is the same in all of them (compare), and whoever assumes
 * something in its place says so once. */
static void say_remarks(const clr_voltages_options *options, const clr_source *source)
{
    const char *remark;
    for (size_t i = 0; (remark = clr_source_remark(source, i)); i++)
        if (!clr_source_remark_is_absence(remark))
            options->note("%s: %s", clr_source_get_info(source)->path, remark);
}

/* A shift below a sample cannot be undone here: it is said, or refused with --strict. */
static clradio_status say_rest(const clr_voltages_options *options, const clr_source_info *info,
                               double rest)
{
    if (fabs(rest) < 1e-3)
        return CLRADIO_OK;
    if (options->source.strict)
        return clr_fail(CLRADIO_ERROR_FORMAT,
                        "'%s' is %.3f of a sample off the grid of the first "
                        "file, and --strict was given",
                        info->path, rest);
    options->note("'%s' is %.3f of a sample off the grid of the first file; this delay stays in "
                  "the phases",
                  info->path, rest);
    return CLRADIO_OK;
}

/* The common time: from the latest start to the earliest end. */
static clradio_status align(clr_voltages *voltages, const clr_voltages_options *options)
{
    const clr_source_info *latest = voltages->operands[0].info;
    size_t known = 0;
    for (size_t o = 0; o < voltages->n_operands; o++) {
        const clr_source_info *info = voltages->operands[o].info;
        known += info->start_known != 0;
        if (info->start_known && clr_time_difference(info->start, latest->start) > 0)
            latest = info;
    }
    if (known && known < voltages->n_operands)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "only %zu of %zu files say when they start, so they cannot be aligned",
                        known, voltages->n_operands);
    if (!known && voltages->n_operands > 1)
        options->note("no file says when it starts: their first samples are taken as simultaneous");
    voltages->start_known = known > 0;
    voltages->start = latest->start;
    voltages->samples = UINT64_MAX;
    for (size_t o = 0; o < voltages->n_operands; o++) {
        clr_operand *operand = &voltages->operands[o];
        const clr_source_info *info = operand->info;
        double rest = 0;
        int64_t skip = 0;
        if (known)
            skip = samples_between(latest->start, info->start, voltages->sample_rate_hz, &rest);
        if (!voltages->rate_known && known && voltages->n_operands > 1 && !info->start_exact)
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "'%s' says in which second it starts but not where in it, because it "
                            "does not say its sample rate: give --sample-rate to align the files",
                            info->path);
        if (!voltages->rate_known && (skip || fabs(rest) > 1e-6))
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "the files start at different times and do not say their sample rate: "
                            "give --sample-rate");
        clradio_status status = say_rest(options, info, -rest);
        if (status)
            return status;
        if (skip < 0 || (uint64_t)skip >= info->samples)
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "'%s' ends before '%s' starts: they have no time in common", info->path,
                            latest->path);
        operand->skip = (uint64_t)skip;
        if (info->samples - operand->skip < voltages->samples)
            voltages->samples = info->samples - operand->skip;
    }
    return CLRADIO_OK;
}

/* The files' own maps one behind the other, or the user's. */
static clradio_status map_inputs(clr_voltages *voltages, const char *text)
{
    size_t inputs = 0;
    for (size_t o = 0; o < voltages->n_operands; o++) {
        voltages->operands[o].first_input = inputs;
        inputs += voltages->operands[o].info->inputs;
    }
    if (text)
        return clr_input_map_parse(text, inputs, &voltages->map);
    uint32_t *station = malloc((inputs + 1) * sizeof *station);
    uint32_t *polarisation = malloc((inputs + 1) * sizeof *polarisation);
    clradio_status status = CLRADIO_OK;
    if (!station || !polarisation)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a map of %zu inputs", inputs);
    uint32_t base = 0;
    for (size_t o = 0; o < voltages->n_operands && !status; o++) {
        const clr_operand *operand = &voltages->operands[o];
        const clr_source_info *info = operand->info;
        for (uint32_t k = 0; k < info->inputs; k++) {
            station[operand->first_input + k] = base + info->input[k].station_index;
            polarisation[operand->first_input + k] = info->input[k].polarisation;
        }
        base += info->stations;
    }
    if (!status)
        status = clr_input_map_make(station, polarisation, inputs, &voltages->map);
    free(station);
    free(polarisation);
    return status;
}

static unsigned component_rank(clradio_type type)
{
    if (type == CLRADIO_I8 || type == CLRADIO_CI8)
        return 0;
    return type == CLRADIO_I16 || type == CLRADIO_CI16 ? 1 : 2;
}

/* The type that holds every file's samples, and the facts they share. */
static void take_facts(clr_voltages *voltages, const clr_voltages_options *options)
{
    static const clradio_type real[] = { CLRADIO_I8, CLRADIO_I16, CLRADIO_F32 };
    static const clradio_type complex[] = { CLRADIO_CI8, CLRADIO_CI16, CLRADIO_CF32 };
    const clr_source_info *first = voltages->operands[0].info;
    unsigned rank = 0;
    for (size_t o = 0; o < voltages->n_operands; o++) {
        const clr_source_info *info = voltages->operands[o].info;
        if (component_rank(info->natural) > rank)
            rank = component_rank(info->natural);
        if (info->largest > voltages->largest)
            voltages->largest = info->largest;
        voltages->bytes_lost += info->bytes_lost;
    }
    voltages->channels = first->channels;
    voltages->complex_file = first->complex_samples;
    int as_complex = first->complex_samples || options->complex_output == 1 ||
                     (options->complex_output < 0 && first->channels > 1);
    voltages->type = as_complex ? complex[rank] : real[rank];
    voltages->rate_known = first->sample_rate_hz > 0;
    voltages->sample_rate_hz = voltages->rate_known ? first->sample_rate_hz : 1;
    voltages->frequency_known = first->frequency_hz != 0;
    voltages->frequency_hz = first->frequency_hz;
    voltages->channel_step_hz = first->channel_step_hz;
    if (voltages->channel_step_hz == 0)
        voltages->channel_step_hz = voltages->sample_rate_hz / (first->complex_samples ? 1 : 2);
    voltages->reversed = options->sideband == CLR_SIDEBAND_FILE
                             ? first->reversed
                             : options->sideband == CLR_SIDEBAND_LOWER;
}

/* The next file of an operand, which is one file or parts "a,b"; NULL at its end. *rest is the
 * operand at first. */
static char *next_file(char **rest)
{
    struct stat facts;
    char *name = *rest;
    char *comma = name && stat(name, &facts) ? strchr(name, ',') : NULL;
    *rest = comma ? comma + 1 : NULL;
    if (comma)
        *comma = '\0';
    return name;
}

static int operand_holds(const char *operand, const struct stat *file)
{
    char names[sizeof((clr_source_info *)NULL)->path];
    char *rest = clr_copy_text(names, sizeof names, operand);
    struct stat facts;
    for (const char *name; (name = next_file(&rest));)
        if (!stat(name, &facts) && facts.st_dev == file->st_dev && facts.st_ino == file->st_ino)
            return 1;
    return 0;
}

int clr_voltages_reads(const clr_voltages *voltages, const char *path)
{
    struct stat file;
    if (stat(path, &file))
        return 0;
    for (size_t o = 0; o < voltages->n_operands; o++)
        if (operand_holds(voltages->operands[o].info->path, &file))
            return 1;
    return 0;
}

/* One file as two stations would correlate them perfectly, and nobody means that. */
static clradio_status check_new(const clr_voltages *voltages, const char *operand)
{
    char names[sizeof((clr_source_info *)NULL)->path];
    char *rest = clr_copy_text(names, sizeof names, operand);
    for (const char *name; (name = next_file(&rest));)
        if (clr_voltages_reads(voltages, name))
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "'%s' is given twice, but a file is one station's", name);
    return CLRADIO_OK;
}

static clradio_status open_all(char *const *operands, size_t n, const clr_voltages_options *options,
                               clr_voltages *voltages)
{
    clradio_status status = CLRADIO_OK;
    voltages->operands = calloc(n, sizeof *voltages->operands);
    if (!voltages->operands)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %zu files", n);
    for (size_t o = 0; o < n && !status; o++) {
        clr_operand *operand = &voltages->operands[o];
        status = clr_source_open(operands[o], &options->source, &operand->source);
        if (status)
            break;
        status = check_new(voltages, operands[o]);
        voltages->n_operands++;
        operand->info = clr_source_get_info(operand->source);
        if (status)
            break;
        say_remarks(options, operand->source);
        status = compare(voltages->operands[0].info, operand->info, options);
    }
    if (!status)
        take_facts(voltages, options);
    return status;
}

clradio_status clr_voltages_open(char *const *operands, size_t n,
                                 const clr_voltages_options *options, clr_voltages *voltages)
{
    *voltages = (clr_voltages){ 0 };
    clradio_status status = open_all(operands, n, options, voltages);
    if (!status)
        status = align(voltages, options);
    if (!status)
        status = map_inputs(voltages, options->inputs);
    if (!status && !voltages->samples)
        status = clr_fail(CLRADIO_ERROR_FORMAT, "'%s' holds no samples",
                          voltages->operands[0].info->path);
    if (status)
        clr_voltages_close(voltages);
    return status;
}

const clr_source_input *clr_voltages_input(const clr_voltages *voltages, uint32_t slot)
{
    size_t input = voltages->map.input_of[slot];
    if (input == CLR_NO_SLOT)
        return NULL;
    size_t o = voltages->n_operands - 1;
    while (voltages->operands[o].first_input > input)
        o--;
    const clr_operand *operand = &voltages->operands[o];
    return &operand->info->input[input - operand->first_input];
}
