/*
 * Alphabets as the detector sees them: two axes of equally spaced points, numbered from the most
 * negative up, the point with index p at 2p - (P - 1) times the scale. BPSK lies on the real axis
 * here and is turned by 45 degrees by its user.
 */
#ifndef CLR_ENGINE_MODULATION_H
#define CLR_ENGINE_MODULATION_H

#include <clradio/detector.h>

/* Points of the axes, 1 for an axis that is not used; 0, 0 for NONE and ALPHABET. */
void clr_modulation_axes(clradio_modulation modulation, uint32_t *real_points,
                         uint32_t *imaginary_points);
/* What the odd integers are multiplied by (for BPSK along its own axis). */
double clr_modulation_scale(clradio_modulation modulation, int odd_integer);
/* The bits of an axis of 1, 2, 4, ... points, the first the most significant, and back. */
uint32_t clr_axis_label(uint32_t points, uint32_t index);
uint32_t clr_axis_index(uint32_t points, uint32_t label);
/* A symbol's label into the indices of its axes, and back. */
void clr_modulation_split(clradio_modulation modulation, uint32_t label, uint32_t *real_index,
                          uint32_t *imaginary_index);
uint32_t clr_modulation_join(clradio_modulation modulation, uint32_t real_index,
                             uint32_t imaginary_index);

#endif
