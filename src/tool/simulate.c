/* clradio simulate: its options, and what they ask for. */
#include "tool/simulate.h"

#include "base/text.h"
#include "tool/commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct values {
    const char *output, *antennas;
    uint64_t stations, polarisations, bits, samples, mjd, seed;
    int format, real, complex_samples, lower_sideband, layout;
    double sample_rate_hz, frequency_hz, seconds, noise, spacing_m;
    double latitude_deg, longitude_deg, altitude_m;
    clr_option_list sources, gains;
};

#define FIELD(member) .offset = offsetof(struct values, member)

static const char *const format_names[] = { "vdif", "dada", NULL };
static const char *const layout_names[] = { "ring", "line", "random", NULL };

static const clr_option options[] = {
    { .kind = CLR_OPTION_HEADING, .help = "Files" },
    { .name = "output",
      .letter = 'o',
      .kind = CLR_OPTION_TEXT,
      .value = "FILE",
      FIELD(output),
      .help = "the voltage file; %d in its name becomes the station's number, one file a station. "
              "The positions go into a text file beside it" },
    { .name = "format",
      .kind = CLR_OPTION_CHOICE,
      .value = "F",
      FIELD(format),
      .choices = format_names,
      .help =
          "vdif: any number of stations in a file, a thread an input; dada: one station a file, "
          "8 or 16 bits",
      .normally = "vdif" },
    { .kind = CLR_OPTION_HEADING, .help = "Array" },
    { .name = "stations",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      FIELD(stations),
      .least = 1,
      .most = 1024,
      .help = "antennas",
      .normally = "8, or those of --antennas" },
    { .name = "polarisations",
      .kind = CLR_OPTION_COUNT,
      .value = "P",
      FIELD(polarisations),
      .least = 1,
      .most = 2,
      .help = "1 or 2",
      .normally = "2" },
    { .name = "antennas",
      .kind = CLR_OPTION_TEXT,
      .value = "FILE",
      FIELD(antennas),
      .help = "read the positions from this file instead of arranging antennas" },
    { .name = "layout",
      .kind = CLR_OPTION_CHOICE,
      .value = "L",
      FIELD(layout),
      .choices = layout_names,
      .help = "how antennas are arranged: ring, line (west to east) or random (in a disc)",
      .normally = "ring" },
    { .name = "spacing",
      .kind = CLR_OPTION_NUMBER,
      .value = "M",
      FIELD(spacing_m),
      .least = 0.001,
      .most = 1e6,
      .help = "metres between neighbours",
      .normally = "20" },
    { .name = "latitude",
      .kind = CLR_OPTION_NUMBER,
      .value = "DEG",
      FIELD(latitude_deg),
      .least = -90,
      .most = 90,
      .help = "of the place that antennas are arranged around",
      .normally = "-30" },
    { .name = "longitude",
      .kind = CLR_OPTION_NUMBER,
      .value = "DEG",
      FIELD(longitude_deg),
      .least = -360,
      .most = 360,
      .help = "of that place, east",
      .normally = "21" },
    { .name = "altitude",
      .kind = CLR_OPTION_NUMBER,
      .value = "M",
      FIELD(altitude_m),
      .least = -1000,
      .most = 1e5,
      .help = "of that place",
      .normally = "1000" },
    { .name = "gain",
      .kind = CLR_OPTION_LIST,
      .value = "INPUT=G",
      FIELD(gains),
      .help = "factor on the sky's voltage at a station or one input: 3=0.5 or 3Y=0; several times "
              "for several inputs",
      .normally = "1" },
    { .name = "noise",
      .kind = CLR_OPTION_NUMBER,
      .value = "POWER",
      FIELD(noise),
      .most = 1e12,
      .help = "of each input's own receiver, in the unit of the fluxes",
      .normally = "1" },
    { .kind = CLR_OPTION_HEADING, .help = "Sky" },
    { .name = "source",
      .letter = 's',
      .kind = CLR_OPTION_LIST,
      .value = "AZ,EL,FLUX",
      FIELD(sources),
      .help =
          "a point source: azimuth (north through east) and elevation in degrees, power in each "
          "polarisation; optionally ,P,PHASE: the part of the flux that X and Y share (0 to 1) "
          "and the phase of Y against X in degrees. Several times for several sources",
      .normally = "40,60,1,0.5,30" },
    { .kind = CLR_OPTION_HEADING, .help = "Band and samples" },
    { .name = "frequency",
      .kind = CLR_OPTION_HERTZ,
      .value = "HZ",
      FIELD(frequency_hz),
      .most = 1e13,
      .help = "of the middle of the band on the sky",
      .normally = "150MHz" },
    { .name = "sample-rate",
      .kind = CLR_OPTION_HERTZ,
      .value = "HZ",
      FIELD(sample_rate_hz),
      .least = 1,
      .most = 1e12,
      .help = "samples a second; the band is as wide for complex samples and half as wide for real "
              "ones",
      .normally = "1MHz" },
    { .name = "complex",
      .kind = CLR_OPTION_FLAG,
      FIELD(complex_samples),
      .help = "complex samples",
      .normally = "so" },
    { .name = "real", .kind = CLR_OPTION_FLAG, FIELD(real), .help = "real samples" },
    { .name = "lower-sideband",
      .kind = CLR_OPTION_FLAG,
      FIELD(lower_sideband),
      .help = "rising baseband frequency is falling sky frequency" },
    { .name = "bits",
      .kind = CLR_OPTION_COUNT,
      .value = "B",
      FIELD(bits),
      .least = 1,
      .most = 16,
      .help = "1, 2, 4, 8 or 16 bits a component. An input of gain 1 has an rms of 2.04, 2.99, 32 "
              "or 2048 counts in 2, 4, 8 or 16 bits",
      .normally = "8" },
    { .name = "seconds",
      .kind = CLR_OPTION_SECONDS,
      .value = "S",
      FIELD(seconds),
      .most = 1e9,
      .help = "how long; rounded up to whole frames",
      .normally = "0.1" },
    { .name = "samples",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      FIELD(samples),
      .least = 1,
      .most = 1e15,
      .help = "how long, in samples" },
    { .name = "mjd",
      .kind = CLR_OPTION_COUNT,
      .value = "DAY",
      FIELD(mjd),
      .least = 51544,
      .most = 63000,
      .help = "Modified Julian Day at whose midnight the recording starts",
      .normally = "60462: 2024-06-01" },
    { .name = "seed",
      .kind = CLR_OPTION_COUNT,
      .value = "N",
      FIELD(seed),
      .most = 1e18,
      .help = "another number gives other noise",
      .normally = "1" },
};

static const clr_usage usage = {
    .command = "simulate array",
    .operands = "",
    .about = "Writes voltage files of an array of antennas that sees point sources: the delays of "
             "its geometry, noise of its own at every antenna, quantisation. The same options give "
             "the same files.",
    .options = options,
    .n_options = CLR_COUNT_OF(options),
    .notes = "Sources are noise that fills the middle 84 % of the band. Their directions are fixed "
             "to the ground: the sky does not turn within a recording.",
};

static clr_exit place_antennas(const struct values *values, clr_simulation *simulation)
{
    clr_antennas *antennas = &simulation->antennas;
    clr_geodetic place = { values->latitude_deg, values->longitude_deg, values->altitude_m };
    simulation->antenna_file = values->antennas;
    clradio_status status =
        values->antennas
            ? clr_antennas_read(values->antennas, antennas)
            : clr_antennas_create(values->stations ? values->stations : 8, &place, antennas);
    if (status)
        return clr_say_status(status);
    if (!values->antennas) {
        clr_antennas_arrange(antennas, (clr_arrangement)values->layout, values->spacing_m,
                             values->seed);
        clr_copy_text(antennas->telescope_name, sizeof antennas->telescope_name, "simulated array");
    } else if (values->stations && values->stations != antennas->count) {
        return clr_say(CLR_EXIT_USAGE,
                       "simulate array: '%s' has %zu antennas, but --stations asks for %llu",
                       values->antennas, antennas->count, (unsigned long long)values->stations);
    }
    simulation->array.stations = (uint32_t)antennas->count;
    simulation->array.enu_m = (const double(*)[3])antennas->enu_m;
    return CLR_EXIT_CARRY_ON;
}

static clr_exit check_values(const struct values *values)
{
    uint64_t bits = values->bits;
    if (!values->output)
        return clr_say(CLR_EXIT_USAGE, "simulate array: -o FILE is needed");
    if (clr_simulate_per_station(values->output) < 0)
        return clr_say(
            CLR_EXIT_USAGE,
            "simulate array: the only %% that a file's name may hold is one %%d, for the "
            "station's number: '%s'",
            values->output);
    if (values->real && values->complex_samples)
        return clr_say(CLR_EXIT_USAGE, "simulate array: samples are --real or --complex");
    if (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16)
        return clr_say(CLR_EXIT_USAGE, "simulate array: --bits is 1, 2, 4, 8 or 16, not %llu",
                       (unsigned long long)bits);
    if (values->format == CLR_SIMULATE_DADA && bits < 8)
        return clr_say(
            CLR_EXIT_USAGE,
            "simulate array: DADA files hold 8 or 16 bits, not %llu; --format vdif holds "
            "fewer",
            (unsigned long long)bits);
    if (!isnan(values->seconds) && values->samples)
        return clr_say(CLR_EXIT_USAGE, "simulate array: give --seconds or --samples, not both");
    return CLR_EXIT_CARRY_ON;
}

static clr_exit prepare(const struct values *values, clr_simulation *simulation)
{
    clr_exit answer = check_values(values);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = place_antennas(values, simulation);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clr_array_config *array = &simulation->array;
    array->polarisations = (uint32_t)values->polarisations;
    array->sample_rate_hz = values->sample_rate_hz;
    array->frequency_hz = values->frequency_hz;
    array->complex_samples = !values->real;
    array->lower_sideband = values->lower_sideband;
    array->noise = values->noise;
    array->seed = values->seed;
    simulation->bits = (unsigned)values->bits;
    simulation->format = values->format;
    simulation->mjd = (int64_t)values->mjd;
    simulation->output = values->output;
    double seconds = isnan(values->seconds) ? 0.1 : values->seconds;
    double samples = ceil(seconds * values->sample_rate_hz);
    if (!values->samples && !(samples >= 1 && samples <= 1e15))
        return clr_say(CLR_EXIT_USAGE, "simulate array: %g samples cannot be written", samples);
    simulation->samples = values->samples ? values->samples : (uint64_t)samples;
    if (simulation->format == CLR_SIMULATE_DADA && array->stations > 1 &&
        !clr_simulate_per_station(simulation->output))
        return clr_say(CLR_EXIT_USAGE,
                       "simulate array: a DADA file holds one station: put %%d into the name for "
                       "the station's number, as in station%%d.dada");
    answer = clr_simulate_sources(&values->sources, simulation);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = clr_simulate_gains(&values->gains, simulation);
    array->scale = clr_array_scale(array, simulation->bits);
    return answer;
}

static clr_exit simulate_array(int argc, char **argv)
{
    struct values values = { .polarisations = 2,
                             .bits = 8,
                             .mjd = 60462,
                             .seed = 1,
                             .sample_rate_hz = 1e6,
                             .frequency_hz = 150e6,
                             .seconds = NAN,
                             .noise = 1,
                             .spacing_m = 20,
                             .latitude_deg = -30,
                             .longitude_deg = 21,
                             .altitude_m = 1000 };
    clr_exit answer = clr_options_read(&usage, argc, argv, &values, NULL);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clr_simulation simulation = { .bits = 8 };
    answer = prepare(&values, &simulation);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = clr_simulate_array_run(&simulation);
    clr_antennas_free(&simulation.antennas);
    free(simulation.sources);
    free(simulation.gain);
    return answer;
}

clr_exit clr_command_simulate(int argc, char **argv)
{
    static const char *const what[] = { "array" };
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        if (argc >= 2) {
            clr_usage_print(&usage);
            return CLR_EXIT_OK;
        }
        return clr_say(CLR_EXIT_USAGE, "simulate needs to know what: 'clradio simulate array'");
    }
    clr_exit answer = clr_is_one_of("simulate", argv[1], what, CLR_COUNT_OF(what));
    return answer == CLR_EXIT_CARRY_ON ? simulate_array(argc - 1, argv + 1) : answer;
}
