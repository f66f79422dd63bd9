/* Antennas: their file, and simple arrangements. */
#include "model/antennas.h"

#include "base/file.h"
#include "base/text.h"
#include "model/random.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILE_BYTES = 1 << 22, MOST_ANTENNAS = 16384, MOST_WORDS = 8, NAME_BYTES = 32 };

/* What has been read so far, and where. */
typedef struct reading {
    const char *path;
    unsigned line;
    clr_antennas *antennas;
    size_t room;
    int has_latitude, has_longitude, has_altitude, ecef;
} reading;

static clradio_status fail_line(const reading *at, const char *what, const char *word)
{
    return clr_fail(CLRADIO_ERROR_FORMAT, "'%s', line %u: %s '%.40s'", at->path, at->line, what,
                    word);
}

static int reserve(clr_antennas *antennas, size_t room)
{
    char **name = realloc(antennas->name, room * sizeof *name);
    if (name)
        antennas->name = name;
    void *enu = realloc(antennas->enu_m, room * sizeof *antennas->enu_m);
    if (enu)
        antennas->enu_m = enu;
    void *ecef = realloc(antennas->ecef_m, room * sizeof *antennas->ecef_m);
    if (ecef)
        antennas->ecef_m = ecef;
    return name && enu && ecef;
}

static clradio_status read_degrees(const reading *at, const char *word, double most, double *value)
{
    if (!clr_parse_double(word, value) || fabs(*value) > most)
        return fail_line(at, "this is no angle in degrees in its range:", word);
    return CLRADIO_OK;
}

static clradio_status read_key(reading *at, const char *key, char *value)
{
    clr_antennas *antennas = at->antennas;
    if (!strcmp(key, "telescope")) {
        clr_copy_text(antennas->telescope_name, sizeof antennas->telescope_name, value);
        return CLRADIO_OK;
    }
    /* A unit or a remark may stand behind the number. */
    value[strcspn(value, " \t")] = '\0';
    int again = (!strcmp(key, "latitude") && at->has_latitude) ||
                (!strcmp(key, "longitude") && at->has_longitude) ||
                (!strcmp(key, "altitude") && at->has_altitude);
    if (again)
        return fail_line(at, "this is given for the second time:", key);
    if (!strcmp(key, "latitude")) {
        at->has_latitude = 1;
        return read_degrees(at, value, 90, &antennas->place.latitude_deg);
    }
    if (!strcmp(key, "longitude")) {
        at->has_longitude = 1;
        return read_degrees(at, value, 360, &antennas->place.longitude_deg);
    }
    if (!strcmp(key, "altitude")) {
        at->has_altitude = 1;
        if (!clr_parse_double(value, &antennas->place.altitude_m) ||
            fabs(antennas->place.altitude_m) > 1e8)
            return fail_line(at, "this is no altitude in metres:", value);
        return CLRADIO_OK;
    }
    if (!strcmp(key, "frame")) {
        at->ecef = !strcmp(value, "ecef");
        if (!at->ecef && strcmp(value, "enu") != 0)
            return fail_line(at, "the frame is enu or ecef, not", value);
        return CLRADIO_OK;
    }
    return fail_line(
        at, "the keys are telescope, latitude, longitude, altitude and frame; there is no", key);
}

static clradio_status read_antenna(reading *at, char *words[4])
{
    clr_antennas *antennas = at->antennas;
    double position[3];
    if (strlen(words[0]) >= NAME_BYTES)
        return fail_line(at, "this name has more than 31 letters:", words[0]);
    for (size_t i = 0; i < antennas->count; i++)
        if (!strcmp(antennas->name[i], words[0]))
            return fail_line(at, "there is already an antenna", words[0]);
    for (int axis = 0; axis < 3; axis++)
        if (!clr_parse_double(words[1 + axis], &position[axis]) || fabs(position[axis]) > 1e8)
            return fail_line(at, "this is no coordinate in metres:", words[1 + axis]);
    if (antennas->count == MOST_ANTENNAS)
        return fail_line(at, "these are more than 16384 antennas:", words[0]);
    if (antennas->count == at->room) {
        at->room = at->room * 2 + 16;
        if (!reserve(antennas, at->room))
            return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %zu antennas", at->room);
    }
    char *name = strdup(words[0]);
    if (!name)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %zu antennas", at->room);
    memcpy(antennas->enu_m[antennas->count], position, sizeof position);
    antennas->name[antennas->count++] = name;
    return CLRADIO_OK;
}

static clradio_status read_line(reading *at, char *line)
{
    line[strcspn(line, "#\r")] = '\0';
    line += strspn(line, " \t");
    for (size_t length = strlen(line); length && strchr(" \t", line[length - 1]);)
        line[--length] = '\0';
    for (const char *c = line; *c; c++)
        if (iscntrl((unsigned char)*c) && *c != '\t')
            return clr_fail(CLRADIO_ERROR_FORMAT, "'%s', line %u: this is no text", at->path,
                            at->line);
    if (!*line)
        return CLRADIO_OK;
    size_t first = strcspn(line, " \t:");
    if (line[first] == ':') {
        char *value = line + first + 1;
        line[first] = '\0';
        return read_key(at, line, value + strspn(value, " \t"));
    }
    char *words[MOST_WORDS], *rest = line;
    size_t count = 0;
    for (char *word; count < MOST_WORDS && (word = strtok_r(rest, " \t", &rest)); count++)
        words[count] = word;
    if (count != 4)
        return fail_line(
            at, "an antenna is a name and three coordinates in metres; this is not:", words[0]);
    return read_antenna(at, words);
}

static clradio_status finish(const reading *at)
{
    clr_antennas *antennas = at->antennas;
    double origin[3] = { 0, 0, 0 };
    if (!antennas->count)
        return clr_fail(CLRADIO_ERROR_FORMAT, "'%s' names no antenna", at->path);
    if (at->has_latitude != at->has_longitude || (!at->has_latitude && at->has_altitude))
        return clr_fail(CLRADIO_ERROR_FORMAT, "'%s' gives only a part of the array's place",
                        at->path);
    if (!at->ecef) {
        if (!at->has_latitude)
            return clr_fail(CLRADIO_ERROR_FORMAT,
                            "'%s' gives metres east, north and up, but no latitude and longitude "
                            "that they belong to",
                            at->path);
        clr_antennas_turn(antennas);
        return CLRADIO_OK;
    }
    for (size_t i = 0; i < antennas->count; i++)
        for (int axis = 0; axis < 3; axis++)
            origin[axis] += antennas->enu_m[i][axis] / (double)antennas->count;
    if (!at->has_latitude)
        clr_ecef_to_geodetic(origin, &antennas->place);
    clr_geodetic_to_ecef(&antennas->place, origin);
    for (size_t i = 0; i < antennas->count; i++) {
        for (int axis = 0; axis < 3; axis++)
            antennas->ecef_m[i][axis] = antennas->enu_m[i][axis] - origin[axis];
        clr_ecef_offset_to_enu(&antennas->place, antennas->ecef_m[i], antennas->enu_m[i]);
    }
    return CLRADIO_OK;
}

clradio_status clr_antennas_read(const char *path, clr_antennas *antennas)
{
    *antennas = (clr_antennas){ 0 };
    unsigned char *bytes;
    size_t count;
    clradio_status status = clr_file_read(path, MOST_FILE_BYTES, &bytes, &count);
    if (status)
        return status;
    reading at = { .path = path, .line = 1, .antennas = antennas };
    if (memchr(bytes, '\0', count))
        status = clr_fail(CLRADIO_ERROR_FORMAT, "'%s' is no text file", path);
    for (char *line = (char *)bytes; !status && line; at.line++) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        status = read_line(&at, line);
        line = end ? end + 1 : NULL;
    }
    if (!status)
        status = finish(&at);
    free(bytes);
    if (status)
        clr_antennas_free(antennas);
    return status;
}

clradio_status clr_antennas_create(size_t count, const clr_geodetic *place, clr_antennas *antennas)
{
    *antennas = (clr_antennas){ .place = *place };
    if (!count || count > MOST_ANTENNAS)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "an array has 1 to 16384 antennas, not %zu", count);
    int done = reserve(antennas, count);
    for (size_t i = 0; done && i < count; i++) {
        clr_text name = { 0 };
        clr_text_add(&name, "a%zu", i);
        if ((done = !name.failed))
            antennas->name[antennas->count++] = name.bytes;
    }
    if (!done) {
        clr_antennas_free(antennas);
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %zu antennas", count);
    }
    memset(antennas->enu_m, 0, count * sizeof *antennas->enu_m);
    memset(antennas->ecef_m, 0, count * sizeof *antennas->ecef_m);
    return CLRADIO_OK;
}

void clr_antennas_turn(clr_antennas *antennas)
{
    for (size_t i = 0; i < antennas->count; i++)
        clr_enu_to_ecef_offset(&antennas->place, antennas->enu_m[i], antennas->ecef_m[i]);
}

clradio_status clr_antennas_write(const char *path, const clr_antennas *antennas)
{
    clr_new_file file;
    clradio_status status = clr_new_file_begin(path, 0644, &file);
    if (status)
        return status;
    fprintf(file.stream,
            "# antennas: name, metres east, north and up of the place below (WGS84)\n"
            "telescope: %s\nlatitude: %.10f\nlongitude: %.10f\naltitude: %.6f\nframe: enu\n",
            antennas->telescope_name, antennas->place.latitude_deg, antennas->place.longitude_deg,
            antennas->place.altitude_m);
    for (size_t i = 0; i < antennas->count; i++)
        fprintf(file.stream, "%s %.7f %.7f %.7f\n", antennas->name[i], antennas->enu_m[i][0],
                antennas->enu_m[i][1], antennas->enu_m[i][2]);
    return clr_new_file_commit(&file);
}

void clr_antennas_free(clr_antennas *antennas)
{
    for (size_t i = 0; i < antennas->count; i++)
        free(antennas->name[i]);
    free(antennas->name);
    free(antennas->enu_m);
    free(antennas->ecef_m);
    *antennas = (clr_antennas){ 0 };
}

void clr_antennas_arrange(clr_antennas *antennas, clr_arrangement arrangement, double spacing_m,
                          uint64_t seed)
{
    double n = (double)antennas->count;
    /* The chord between neighbours on a circle of radius R is 2 R sin(pi / n). */
    double ring = n > 1 ? spacing_m / (2 * sin(CLR_PI / n)) : 0;
    uint64_t key = clr_random_key(seed, UINT64_MAX);
    for (size_t i = 0; i < antennas->count; i++) {
        double *enu = antennas->enu_m[i];
        double angle = 2 * CLR_PI * (double)i / n, radius = ring;
        enu[2] = 0;
        if (arrangement == CLR_ARRANGEMENT_RANDOM) {
            angle = 2 * CLR_PI * clr_random_uniform(key, 3 * i);
            radius = spacing_m * sqrt(n / CLR_PI * clr_random_uniform(key, 3 * i + 1));
            enu[2] = 0.2 * spacing_m * (clr_random_uniform(key, 3 * i + 2) - 0.5);
        }
        enu[0] = radius * sin(angle);
        enu[1] = radius * cos(angle);
        if (arrangement == CLR_ARRANGEMENT_LINE) {
            enu[0] = spacing_m * ((double)i - (n - 1) / 2);
            enu[1] = 0;
        }
    }
    clr_antennas_turn(antennas);
}
