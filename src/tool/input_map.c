/* The input map: parsing, and the checks that make it one. */
#include "tool/input_map.h"

#include "base/checked.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATIONS = 1 << 20 };

void clr_input_map_free(clr_input_map *map)
{
    free(map->slot);
    free(map->input_of);
    *map = (clr_input_map){ 0 };
}

static clradio_status place(clr_input_map *map, const uint32_t *station,
                            const uint32_t *polarisation)
{
    for (size_t k = 0; k < map->inputs; k++) {
        map->slot[k] = CLR_NO_SLOT;
        if (station[k] == CLR_NO_SLOT)
            continue;
        uint32_t slot = station[k] * map->polarisations + polarisation[k];
        if (map->input_of[slot] != CLR_NO_SLOT)
            return clr_fail(CLRADIO_ERROR_ARGUMENT, "inputs %u and %zu are both station %u%c",
                            map->input_of[slot], k, station[k], polarisation[k] ? 'Y' : 'X');
        map->input_of[slot] = (uint32_t)k;
        map->slot[k] = slot;
    }
    for (uint32_t s = 0; s < map->stations; s++) {
        uint32_t used = 0;
        for (uint32_t p = 0; p < map->polarisations; p++)
            used += map->input_of[s * map->polarisations + p] != CLR_NO_SLOT;
        if (!used)
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "station %u has no input, but station %u has: number the stations "
                            "without a gap",
                            s, map->stations - 1);
    }
    return CLRADIO_OK;
}

clradio_status clr_input_map_make(const uint32_t *station, const uint32_t *polarisation, size_t n,
                                  clr_input_map *map)
{
    *map = (clr_input_map){ .inputs = n, .polarisations = 1 };
    for (size_t k = 0; k < n; k++) {
        if (station[k] == CLR_NO_SLOT)
            continue;
        if (station[k] >= MOST_STATIONS || polarisation[k] > 1)
            return clr_fail(CLRADIO_ERROR_ARGUMENT, "input %zu: station %u is beyond %d", k,
                            station[k], MOST_STATIONS - 1);
        if (station[k] >= map->stations)
            map->stations = station[k] + 1;
        if (polarisation[k])
            map->polarisations = 2;
    }
    if (!map->stations)
        return clr_fail(CLRADIO_ERROR_ARGUMENT, "the input map leaves every input out");
    size_t slots = (size_t)map->stations * map->polarisations;
    map->slot = malloc(n * sizeof *map->slot);
    map->input_of = calloc(slots, sizeof *map->input_of);
    clradio_status status = CLRADIO_OK;
    if (!map->slot || !map->input_of) {
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a map of %zu inputs", n);
    } else {
        for (size_t i = 0; i < slots; i++)
            map->input_of[i] = CLR_NO_SLOT;
        status = place(map, station, polarisation);
    }
    if (status)
        clr_input_map_free(map);
    return status;
}

/* One entry of length bytes: "12Y", "3", "-". */
static int read_entry(const char *entry, size_t length, uint32_t *station, uint32_t *polarisation)
{
    char digits[16];
    *polarisation = 0;
    if (length == 1 && *entry == '-') {
        *station = CLR_NO_SLOT;
        return 1;
    }
    if (!length || length >= sizeof digits)
        return 0;
    int letter = toupper((unsigned char)entry[length - 1]);
    if (isalpha(letter)) {
        if (!strchr("XYRL", letter))
            return 0;
        *polarisation = letter == 'Y' || letter == 'L';
        length--;
    }
    clr_copy_text(digits, length + 1, entry);
    uint64_t number;
    if (!clr_parse_u64(digits, &number) || number >= MOST_STATIONS)
        return 0;
    *station = (uint32_t)number;
    return 1;
}

static clradio_status read_entries(const char *text, size_t inputs, uint32_t *station,
                                   uint32_t *polarisation)
{
    size_t k = 0;
    for (const char *at = text;; k++) {
        size_t length = strcspn(at, ",");
        if (length == 3 && !strcmp(at, "...")) {
            for (; k < inputs; k++)
                station[k] = CLR_NO_SLOT;
            return CLRADIO_OK;
        }
        uint32_t s, p;
        if (!read_entry(at, length, &s, &p))
            return clr_fail(CLRADIO_ERROR_ARGUMENT,
                            "--inputs: '%.*s' is no entry; each is a station and X or Y, such as "
                            "3X, or - to leave the input out",
                            (int)length, at);
        if (k < inputs) {
            station[k] = s;
            polarisation[k] = p;
        }
        if (!at[length])
            break;
        at += length + 1;
    }
    if (k + 1 != inputs)
        return clr_fail(CLRADIO_ERROR_ARGUMENT,
                        "--inputs has %zu entries, but the files have %zu inputs ('clradio info' "
                        "lists them; end with ,... to leave the rest out)",
                        k + 1, inputs);
    return CLRADIO_OK;
}

clradio_status clr_input_map_parse(const char *text, size_t inputs, clr_input_map *map)
{
    *map = (clr_input_map){ 0 };
    uint32_t *station = calloc(inputs + 1, sizeof *station);
    uint32_t *polarisation = calloc(inputs + 1, sizeof *polarisation);
    clradio_status status = CLRADIO_OK;
    if (!station || !polarisation)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a map of %zu inputs", inputs);
    if (!status)
        status = read_entries(text, inputs, station, polarisation);
    if (!status)
        status = clr_input_map_make(station, polarisation, inputs, map);
    free(station);
    free(polarisation);
    return status;
}
