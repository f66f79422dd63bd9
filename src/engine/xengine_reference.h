/* The X-engine in plain C: what self-tests, tests, --verify and the benchmark compare with. */
#ifndef CLR_ENGINE_XENGINE_REFERENCE_H
#define CLR_ENGINE_XENGINE_REFERENCE_H

#include <clradio/xengine.h>

/* The sum of x_a conj(x_b): exact in whole for integer input, in double for all. power: sqrt(V_aa
 * V_bb), to which rounding errors are compared. count: spectra that were summed. */
typedef struct clr_xengine_product {
    int64_t whole[2];
    double value[2];
    double power;
    uint64_t count;
} clr_xengine_product;

/* One complex value of the visibilities: which inputs (station polarisations + polarisation), and
 * where its parts lie, in real numbers from the start. absent: a place of a padded order that holds
 * zero. */
typedef struct clr_xengine_element {
    uint32_t channel, a, b;
    int conjugate, absent;
    uint64_t re_at, im_at;
} clr_xengine_element;

typedef struct clr_xengine_verdict {
    uint64_t checked, wrong;
    uint64_t misfits;     /* expected values that do not fit the output type */
    double largest_error; /* |got - expected| */
    double worst;         /* the largest error over its bound; integers: over 1 */
    char sentence[256];   /* the first wrong value, or empty */
} clr_xengine_verdict;

/* Sums channel `channel` of the inputs a and b over count spectra, an array of its own in
 * config.layout. config.block_times must be filled in. */
void clr_xengine_reference(const clradio_xengine_config *config, const void *spectra,
                           uint64_t count, uint32_t channel, uint32_t a, uint32_t b,
                           clr_xengine_product *product);

/* The same without the spectra in which one of the inputs is not valid; valid may be NULL. */
void clr_xengine_reference_valid(const clradio_xengine_config *config, const void *spectra,
                                 const void *valid, uint64_t count, uint32_t channel, uint32_t a,
                                 uint32_t b, clr_xengine_product *product);

/* The n-th complex value of the configuration's order. config.output must be set. */
void clr_xengine_element_at(const clradio_xengine_config *config, uint64_t n,
                            clr_xengine_element *element);

/*
 * Compares visibilities with the reference: all of them when samples is 0, else that many drawn by
 * seed, the ends of the array and of its rows among them. Integers must be equal (saturated where
 * they do not fit), floats within the bound of doc/design.md.
 */
void clr_xengine_check(const clradio_xengine_config *config, const void *spectra, uint64_t count,
                       const void *visibilities, uint64_t samples, uint64_t seed,
                       clr_xengine_verdict *verdict);
/* The same with an array of what is valid, and the counts of each value; either may be NULL. */
void clr_xengine_check_valid(const clradio_xengine_config *config, const void *spectra,
                             const void *valid, uint64_t count, const void *visibilities,
                             const uint64_t *counts, uint64_t samples, uint64_t seed,
                             clr_xengine_verdict *verdict);

#endif
