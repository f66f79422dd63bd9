/* The matrix of an integration, input by input, as text for people and as JSON for programs. */
#ifndef CLR_TOOL_MATRIX_H
#define CLR_TOOL_MATRIX_H

#include "base/file.h"
#include "tool/correlate.h"

#include <stdio.h>

/* The name of a slot's input, "none" where the map is ragged. */
const char *clr_matrix_input_name(const clr_correlate_plan *plan, uint32_t slot);
void clr_matrix_print(const clr_correlate_plan *plan, const clr_integration *integration,
                      FILE *stream);

typedef struct clr_matrix_file {
    FILE *stream;
    clr_new_file file; /* unless the stream is standard output */
    uint64_t count;
} clr_matrix_file;

/* path: "-" is standard output. */
clradio_status clr_matrix_file_begin(const clr_correlate_plan *plan, const char *path,
                                     clr_matrix_file *file);
clradio_status clr_matrix_file_add(const clr_correlate_plan *plan, clr_matrix_file *file,
                                   const clr_integration *integration);
clradio_status clr_matrix_file_end(clr_matrix_file *file, int keep);

#endif
