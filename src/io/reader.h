/* What a format's reader gives to source.c, and what it may use. Internal to the room io. */
#ifndef CLR_IO_READER_H
#define CLR_IO_READER_H

#include "io/bytes.h"
#include "io/source.h"
#include "io/unpack.h"

/* A read inside the file: [first, first + count) with zeros and empty masks already in place. */
typedef struct clr_read {
    uint64_t first, count;
    int complex_output;
    unsigned char *to;
    uint64_t *present; /* [inputs][words], may be NULL */
    size_t words;
} clr_read;

typedef struct clr_reader {
    const char *name; /* "vdif", as clr_source_options.format has it */
    /* Whether the content looks like it: 1 or 0. */
    int (*recognise)(clr_bytes *bytes);
    /* Fills info, state, remarks, rows. On failure close is called all the same. */
    clradio_status (*open)(clr_source *source);
    clradio_status (*read)(clr_source *source, const clr_read *read);
    void (*close)(clr_source *source);
} clr_reader;

struct clr_source {
    clr_source_info info;
    clr_source_options options;
    const clr_reader *reader;
    void *state;
    clr_bytes bytes;
    char **remark;
    size_t remarks;
    clr_source_row *row; /* [rows]: the facts of all formats, then the header's */
    size_t rows, facts;
    int failed;  /* memory ran out for a remark or a row */
    int damaged; /* something was lost: strict refuses */
};

extern const clr_reader clr_vdif_reader, clr_dada_reader, clr_tbn_reader;

void clr_source_add_remark(clr_source *source, const char *format, ...) CLR_PRINTF(2, 3);
/* A remark that also makes a strict open fail with it. */
void clr_source_add_damage(clr_source *source, const char *format, ...) CLR_PRINTF(2, 3);
void clr_source_add_row(clr_source *source, const char *key, const char *format, ...)
    CLR_PRINTF(3, 4);
/* Rows of the facts that all formats have. */
void clr_source_add_facts(clr_source *source);
/* Fills natural and largest of info from the coding. */
void clr_source_set_coding(clr_source *source, const clr_coding *coding);
/* inputs zeroed entries of info.input. */
clradio_status clr_source_make_inputs(clr_source *source, uint32_t inputs);

/* The name of a format that is not read but known by its first bytes, or NULL. */
const char *clr_foreign_format(clr_bytes *bytes);

/* Bytes of one element of a read. */
size_t clr_read_element_bytes(const clr_source_info *info, int complex_output);
/* Sets bits [from, from + count). */
void clr_mask_set(uint64_t *mask, uint64_t from, uint64_t count);

#endif
