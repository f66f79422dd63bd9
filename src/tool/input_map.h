/* Which input of the files becomes which station and polarisation. */
#ifndef CLR_TOOL_INPUT_MAP_H
#define CLR_TOOL_INPUT_MAP_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define CLR_NO_SLOT UINT32_MAX

/* slot = station * polarisations + polarisation: the place of an input in the correlator's arrays.
 */
typedef struct clr_input_map {
    uint32_t stations, polarisations; /* polarisations: 1 or 2 */
    uint32_t *slot;                   /* [inputs], CLR_NO_SLOT for an input that is left out */
    uint32_t *input_of;               /* [stations * polarisations], CLR_NO_SLOT where none is */
    size_t inputs;
} clr_input_map;

/* Makes the map from what each input is: arrays of n stations and polarisations, station
 * CLR_NO_SLOT to leave one out. Errors: ARGUMENT (two inputs in one place, a station without any).
 */
clradio_status clr_input_map_make(const uint32_t *station, const uint32_t *polarisation, size_t n,
                                  clr_input_map *map);
/*
 * Reads "0X,0Y,1X,-": one entry an input in file order: a 0-based station, then X, R or nothing
 * (polarisation 0), or Y or L (polarisation 1); "-" leaves the input out. Inputs behind the last
 * entry are left out only when the text ends in ",...": otherwise the numbers must agree.
 */
clradio_status clr_input_map_parse(const char *text, size_t inputs, clr_input_map *map);
void clr_input_map_free(clr_input_map *map);

#endif
