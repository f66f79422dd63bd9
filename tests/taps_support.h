/* What the tests of the taps' reader share: a file of arrays, and where each element of it went. */
#ifndef CLR_TESTS_TAPS_SUPPORT_H
#define CLR_TESTS_TAPS_SUPPORT_H

#include "support.h"

#include "io/taps.h"

extern char taps_file[4200];
extern clr_arrays_writer *taps_writer;
extern const char *taps_suffix; /* of the next file: its format */

/* Begins a file; what is added goes into it. */
void taps_begin(void);
/* Gains that say where they come from: element e of the array is e + i/2. */
void taps_add_gains(const char *name, unsigned rank, const uint64_t *size, const char *const *axis);
/* Element e is e times 1e-9 s. */
void taps_add_delays(const char *name, unsigned rank, const uint64_t *size);
void taps_add_offsets(const char *name, uint64_t n, const int64_t *values);
/* Ends the file and reads it; how may be NULL. */
clradio_status taps_read_back(const clr_taps_options *how, clr_taps *taps);

/* Which element of the file the gain is. */
float taps_gain(const clr_taps *taps, uint64_t at);
void assert_taps_delay(const clr_taps *taps, uint64_t at, uint64_t element);
/* axes: such as "rx=3 tx=2". */
void assert_taps_axes(const clr_taps *taps, const char *axes);

#endif
