/* What the pieces of the DADA reader share: the facts of a header (dada_facts.c), the parts
 * (dada.c) and their samples (dada_read.c). */
#ifndef CLR_IO_DADA_H
#define CLR_IO_DADA_H

#include "io/dada_header.h"

/* The samples of one part. */
typedef struct clr_dada_part {
    uint64_t offset; /* of its first sample, in bytes of the whole row of parts */
    uint64_t first;  /* its place on the grid */
    uint64_t samples;
} clr_dada_part;

/* What one header says. */
typedef struct clr_dada_facts {
    uint64_t channels, polarisations;
    double sample_rate_hz, frequency_mhz, bandwidth_mhz;
    clr_coding coding;
    size_t sample_bytes; /* all channels and polarisations */
    int order_tpf;       /* [time][polarisation][channel] instead */
    uint64_t overlap;    /* samples repeated in the next file */
    clr_time start;
    int start_known, start_exact;
} clr_dada_facts;

typedef struct clr_dada {
    clr_dada_facts facts;
    clr_dada_part *part;
    size_t parts;
} clr_dada;

/* Everything that a header says, checked. */
clradio_status clr_dada_read_facts(clr_source *source, const clr_dada_header *header,
                                   clr_dada_facts *facts);
clradio_status clr_dada_read(clr_source *source, const clr_read *read);

#endif
