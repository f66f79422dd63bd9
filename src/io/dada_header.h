/* The text header of a DADA file: lines of "KEYWORD value # comment". */
#ifndef CLR_IO_DADA_HEADER_H
#define CLR_IO_DADA_HEADER_H

#include "io/reader.h"

typedef struct clr_dada_header {
    char *text;     /* up to the first NUL */
    uint64_t bytes; /* HDR_SIZE: where the samples begin */
} clr_dada_header;

/* Whether the text at the start of a file can be one. */
int clr_dada_looks_like_header(const unsigned char *bytes, size_t count);
/* The header at offset of a part of size bytes. Errors: FORMAT, MEMORY, IO. */
clradio_status clr_dada_header_read(clr_bytes *bytes, uint64_t offset, uint64_t size,
                                    clr_dada_header *header);
void clr_dada_header_free(clr_dada_header *header);

/* The value of a keyword that begins a line, without its comment: 1, or 0 when it is not there. */
int clr_dada_text(const clr_dada_header *header, const char *keyword, char *value, size_t room);
/* Numbers: fallback when the keyword is not there; FORMAT when its value is no such number. */
clradio_status clr_dada_number(const clr_dada_header *header, const char *keyword, double fallback,
                               double *value);
clradio_status clr_dada_count(const clr_dada_header *header, const char *keyword, uint64_t fallback,
                              uint64_t *value);
/* A row for each keyword, in the order of the header. */
void clr_dada_add_rows(clr_source *source, const clr_dada_header *header);

#endif
