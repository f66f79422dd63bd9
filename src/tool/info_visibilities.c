/* clradio info on UVH5 files: the array, its frequencies and its times. */
#include "tool/info_visibilities.h"

#include "base/text.h"
#include "io/source.h"
#include "io/uvh5_read.h"
#include "tool/say.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The middles of the first and the last integration: Julian dates. */
typedef struct extent {
    double first, last, shortest_s, longest_s;
} extent;

static extent times_of(const clr_uvh5_info *info)
{
    extent e = { NAN, NAN, NAN, NAN };
    for (uint64_t row = 0; row < info->rows; row++) {
        e.first = fmin(e.first, info->julian_date[row]);
        e.last = fmax(e.last, info->julian_date[row]);
        e.shortest_s = fmin(e.shortest_s, info->integration_time_s[row]);
        e.longest_s = fmax(e.longest_s, info->integration_time_s[row]);
    }
    return e;
}

/* "" when it is no date of which a calendar has a year of four digits. */
static const char *utc(double julian_date, char *text)
{
    double mjd = julian_date - 2400000.5;
    *text = '\0';
    if (!(mjd >= 0 && mjd < 2973483)) /* 1858-11-17 to 9999-12-31 */
        return text;
    /* A Julian date resolves 40 microseconds. */
    double day = floor(mjd), milliseconds = floor((mjd - day) * 86400000 + 0.5);
    double seconds = floor(milliseconds / 1000);
    clr_time_text((clr_time){ (int64_t)day, seconds, (milliseconds - 1000 * seconds) / 1000 },
                  text);
    char *point = strchr(text, '.');
    if (point && strlen(point) > 4)
        point[4] = '\0';
    return text;
}

static void join_labels(const clr_uvh5_info *info, clr_text *text)
{
    for (uint32_t i = 0; i < info->labels; i++)
        clr_text_add(text, "%s%s", i ? ", " : "", clr_uvh5_label_name(info->label[i]));
}

static void print_info(const char *path, const clr_uvh5_info *info)
{
    char first[64], last[64];
    const extent e = times_of(info);
    const uint32_t end = info->channels ? info->channels - 1 : 0;
    clr_text labels = { 0 };
    join_labels(info, &labels);
    printf("  file                         %s\n", path);
    printf("  format                       UVH5%s%s\n", *info->version ? " " : "", info->version);
    printf("  telescope                    %s\n", info->telescope_name);
    printf("  place                        %.6f degrees north, %.6f east, %.1f m\n",
           info->latitude_deg, info->longitude_deg, info->altitude_m);
    printf("  antennas                     %u\n", info->antennas);
    printf("  polarisation products        %u (%s)\n", info->labels,
           labels.bytes ? labels.bytes : "");
    printf("  visibilities                 %s, %" PRIu64
           " rows (baseline and time) of %u channels\n",
           clradio_type_name(info->type), info->rows, info->channels);
    if (info->channels)
        printf("  frequency                    %.9g to %.9g Hz, channels of %.9g Hz\n",
               info->frequency_hz[0], info->frequency_hz[end], info->channel_width_hz[0]);
    printf("  times                        %" PRIu64 "\n", info->times);
    printf("  middle of the first (UTC)    %s (JD %.8f)\n", utc(e.first, first), e.first);
    printf("  middle of the last (UTC)     %s (JD %.8f)\n", utc(e.last, last), e.last);
    printf("  integration                  %.9g s", e.shortest_s);
    if (e.longest_s > e.shortest_s)
        printf(" to %.9g s", e.longest_s);
    printf("\n");
    clr_text_free(&labels);
}

static void add_info(clr_json *files, const char *path, const clr_uvh5_info *info)
{
    const extent e = times_of(info);
    clr_json *to = clr_json_add_object(files, NULL);
    clr_json_add_text(to, "path", path);
    clr_json_add_text(to, "format", "UVH5");
    clr_json_add_text(to, "version", info->version);
    clr_json_add_text(to, "telescope", info->telescope_name);
    clr_json_add_real(to, "latitude_deg", info->latitude_deg);
    clr_json_add_real(to, "longitude_deg", info->longitude_deg);
    clr_json_add_real(to, "altitude_m", info->altitude_m);
    clr_json_add_text(to, "type", clradio_type_name(info->type));
    clr_json_add_whole(to, "rows", (int64_t)info->rows);
    clr_json_add_whole(to, "channels", info->channels);
    clr_json_add_whole(to, "times", (int64_t)info->times);
    clr_json_add_real(to, "first_julian_date", e.first);
    clr_json_add_real(to, "last_julian_date", e.last);
    clr_json_add_real(to, "integration_s", e.longest_s);
    clr_json *labels = clr_json_add_array(to, "polarisations");
    for (uint32_t i = 0; i < info->labels; i++)
        clr_json_add_text(labels, NULL, clr_uvh5_label_name(info->label[i]));
    clr_json *frequencies = clr_json_add_array(to, "frequency_hz");
    for (uint32_t c = 0; c < info->channels; c++)
        clr_json_add_real(frequencies, NULL, info->frequency_hz[c]);
    clr_json *antennas = clr_json_add_array(to, "antennas");
    for (uint32_t a = 0; a < info->antennas; a++) {
        clr_json *antenna = clr_json_add_object(antennas, NULL);
        clr_json_add_whole(antenna, "number", info->antenna_number[a]);
        clr_json_add_text(antenna, "name", info->antenna_name[a]);
    }
}

clr_exit clr_info_visibilities(const char *path, clr_json *files)
{
    clr_uvh5_reader *reader;
    clradio_status status = clr_uvh5_open(path, &reader);
    if (status)
        return clr_say_input(status);
    if (files)
        add_info(files, path, clr_uvh5_get_info(reader));
    else
        print_info(path, clr_uvh5_get_info(reader));
    clr_uvh5_close(reader);
    return CLR_EXIT_OK;
}
