/*
 * Which samples are there: from bit masks of samples to valid spectra, and the exact number of
 * spectra in which both inputs of a baseline were there.
 */
#ifndef CLR_TOOL_PRESENCE_H
#define CLR_TOOL_PRESENCE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct clr_presence {
    uint32_t slots;    /* stations x polarisations */
    uint64_t length;   /* samples a transform; 1: no transform */
    uint32_t taps;     /* transforms a spectrum reaches back over */
    uint64_t *run;     /* [slots] whole transforms in a row, up to the one read last */
    uint64_t seen;     /* transforms since the start, up to taps */
    uint64_t *mask;    /* [slots][words] spectra of the last batch */
    uint64_t words;    /* room in mask, a slot */
    uint64_t *pairs;   /* [slots (slots + 1) / 2] spectra with both there, in incomplete batches */
    uint64_t complete; /* spectra of batches in which nothing was missing */
    uint64_t spectra;  /* of the integration so far */
} clr_presence;

/* most: transforms of the largest batch. */
clradio_status clr_presence_create(uint32_t slots, uint64_t length, uint32_t taps, uint64_t most,
                                   clr_presence *presence);
/*
 * Takes a batch: present is [slots][(transforms length + 63) / 64] bits. Returns the spectra it
 * makes (fewer than transforms while the filter fills); valid: [spectra][slots] bytes, may be NULL;
 * *missing: 1 when one of them is not valid.
 */
uint64_t clr_presence_add(clr_presence *presence, const uint64_t *present, uint64_t transforms,
                          uint8_t *valid, int *missing);
/* Spectra of this integration in which both were there. */
uint64_t clr_presence_joint(const clr_presence *presence, uint32_t a, uint32_t b);
/* Starts the next integration; the filter's history goes on. */
void clr_presence_next(clr_presence *presence);
void clr_presence_free(clr_presence *presence);

#endif
