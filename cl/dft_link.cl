/*
 * Channel DFT, last step where links are normalised: scales each link so that its mean power over paths, values and time
 * steps is 1. A work-group owns a link; a work-item reads and writes the same values in both passes. Sums are pairs of
 * numbers (sum and what rounding lost), added in one order. Host macro: REAL64 (dft_phase.cl).
 * Grid: x links.
 */
#define GROUP 128

#include "dft_tile.cl"

KERNEL REQD_GROUP(GROUP, 1, 1)
dft_link_normalise(SPAN(const ulong, tiles), SPAN(complex_t, response), const ulong response_step, const uint values,
                   const uint time_steps)
{
    LOCAL real sums[GROUP], losses[GROUP];
    const uint id = (uint)LOCAL_ID(0);
    tile t;
    tile_at(&t, SPAN_AT(const ulong, tiles), (uint)GROUP_ID(0));
    const ulong count = (ulong)t.paths * values;
    real sum = 0, lost = 0;
    for (uint time = 0; time < time_steps; time++) {
        GLOBAL const complex_t *from = SPAN_AT(complex_t, response) + time * response_step + t.first_path * values;
        for (ulong n = id; n < count; n += GROUP) {
            const complex_t value = from[n];
            add_pair(&sum, &lost, value.x * value.x);
            add_pair(&sum, &lost, value.y * value.y);
        }
    }
    sums[id] = sum;
    losses[id] = lost;
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        BARRIER();
        if (id < step) {
            add_pair(&sum, &lost, sums[id + step]);
            lost += losses[id + step];
            sums[id] = sum;
            losses[id] = lost;
        }
    }
    BARRIER();
    const real mean = (sums[0] + losses[0]) / ((real)count * (real)time_steps);
    if (!(mean > 0))
        return;
    /* one step of Newton's method, for a square root that may be a few units off; kept apart, so that the scale is not
     * rounded once more */
    const real scale = REAL(1.0) / sqrt(mean);
    const real more = REAL(0.5) * scale * RFMA(-mean * scale, scale, REAL(1.0));
    for (uint time = 0; time < time_steps; time++) {
        GLOBAL complex_t *to = SPAN_AT(complex_t, response) + time * response_step + t.first_path * values;
        for (ulong n = id; n < count; n += GROUP) {
            complex_t value = to[n];
            value.x = RFMA(value.x, scale, value.x * more);
            value.y = RFMA(value.y, scale, value.y * more);
            to[n] = value;
        }
    }
}
