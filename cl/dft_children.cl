/*
 * Channel DFT, launched by the device itself (dynamic parallelism): one launch from the host a batch; its grid, the parent,
 * walks through the launch units of the receive beams and starts a child grid for each: the kernel of the variant, over the
 * unit's tiles (paths x values of a link, of some links of a beam, or of a whole beam). CUDA alone has that; EMULATED is the
 * same walk on every device, where a started unit's tiles are put into a table that one further launch does.
 *
 * Host macros, beside those of children.cl and of the variant's kernel:
 *   INNER      1: dft_direct.cl, 2: dft_fold.cl, 3: dft_pruned.cl, 4: dft_bf16.cl, 5: dft_dmma.cl, whose kernel the children run; 0 with EMULATED
 *
 * A unit is two numbers: its first tile, its first link; one more unit ends the table. The tiles of a unit that could not be
 * started are copied to the same place of a second table, which is all zeros (tiles without paths) else. The report's own: the
 * first link of each failed unit, as many as there is room for. Nothing is staged; everything stays in registers.
 */
#ifndef INNER
#define INNER 0
#endif

#if INNER == 1
#include "dft_direct.cl"
#define CHILD dft_direct
#define CHILD_GROUP GROUP
#elif INNER == 2
#include "dft_fold.cl"
#define CHILD dft_fold
#if ITEM
#define CHILD_GROUP 1
#else
#define CHILD_GROUP GROUP
#endif
#elif INNER == 3
#include "dft_pruned.cl"
#define CHILD dft_pruned
#define CHILD_GROUP GROUP
#elif INNER == 4
#include "dft_bf16.cl"
#define CHILD dft_bf16
#define CHILD_GROUP GROUP
#elif INNER == 5
#include "dft_dmma.cl"
#define CHILD dft_dmma
#define CHILD_GROUP GROUP
#else
#include "dft_tile.cl"
#endif

#include "children.cl"

#define TILE_WORDS 5

/* The tiles of a unit, from one table to the same place of another. */
INLINE void copy_tiles(GLOBAL ulong *to, GLOBAL const ulong *from, const uint first_tile, const uint tile_end)
{
    for (ulong i = (ulong)first_tile * TILE_WORDS; i < (ulong)tile_end * TILE_WORDS; i++)
        to[i] = from[i];
}

INLINE void note_failure(GLOBAL uint *report, const uint room, const uint link)
{
    const uint place = ATOMIC_ADD(report + REPORT_FAILED, 1u);
    if (place < room)
        report[REPORT_OWN + place] = link;
}

/* A child's arguments: those of this call, but for the place of its tiles. */
#define PASSED_ARGUMENTS(first_tile)                                                                                           \
    tiles_base, tiles_offset + (ulong)(first_tile) * (TILE_WORDS * sizeof(ulong)), PASSED(gains), PASSED(delays),              \
        PASSED(rates), PASSED(frequencies), PASSED(response), PASSED(status), PASSED(bad_paths), unit_a, unit_b, base_a,       \
        base_b, time_a, time_b, gains_step, response_step, scale_bits, first, step, values, average, flags, first_time,        \
        end_time, first_tap, columns

/* fail: every fail-th unit is taken as failed, 0 none; with bad_group the run-time library is made to refuse it. */
KERNEL REQD_GROUP(WALKERS, 1, 1)
dft_children(DFT_ARGUMENTS, SPAN(const uint, units), SPAN(ulong, started_tiles), SPAN(ulong, failed_tiles), SPAN(uint, report),
             const uint first_unit, const uint end_unit, const uint pending, const uint room, const uint groups_y,
             const uint groups_z, const uint fail, const uint bad_group)
{
    const uint id = (uint)LOCAL_ID(0);
    GLOBAL const uint *unit = SPAN_AT(const uint, units);
    GLOBAL const ulong *from = SPAN_AT(const ulong, tiles);
    GLOBAL uint *counts = SPAN_AT(uint, report);
    uint started = 0, chunks = 0, begin = first_unit;
    OPEN_STREAM();
#if TAIL == 1 && !LAUNCHES
    for (; begin < end_unit; begin = chunk_end(begin, end_unit, pending)) { /* what tail launches would do */
#else
    {
#endif
        const uint chunk = chunk_end(begin, end_unit, pending);
        chunks++;
        for (uint u = begin + id; u < chunk; u += WALKERS) {
            const uint first_tile = unit[2 * u], tile_end = unit[2 * u + 2];
            uint failed = fail && (u + 1) % fail == 0;
#if LAUNCHES
            if (!failed || bad_group) {
                const dim3 grid(tile_end - first_tile, groups_y, groups_z), group(failed ? bad_group : CHILD_GROUP, 1, 1);
                CHILD<<<grid, group, 0, CHILDS_STREAM>>>(PASSED_ARGUMENTS(first_tile));
                failed = cudaGetLastError() != cudaSuccess;
            }
#else
            if (!failed)
                copy_tiles(SPAN_AT(ulong, started_tiles), from, first_tile, tile_end);
#endif
            if (failed) {
                copy_tiles(SPAN_AT(ulong, failed_tiles), from, first_tile, tile_end);
                note_failure(counts, room, unit[2 * u + 1]);
            } else {
                started++;
            }
        }
#if TAIL == 2 || (LAUNCHES && TAIL)
        if (id == 0 && chunk < end_unit) {
#if TAIL == 2
            const uint failed = 1;
#else
            dft_children<<<1, WALKERS, 0, cudaStreamTailLaunch>>>(PASSED_ARGUMENTS(0), PASSED(units), PASSED(started_tiles),
                                                                  PASSED(failed_tiles), PASSED(report), chunk, end_unit, pending,
                                                                  room, groups_y, groups_z, fail, bad_group);
            const uint failed = cudaGetLastError() != cudaSuccess;
#endif
            if (failed)
                for (uint u = chunk; u < end_unit; u++) { /* all that would have followed */
                    copy_tiles(SPAN_AT(ulong, failed_tiles), from, unit[2 * u], unit[2 * u + 2]);
                    note_failure(counts, room, unit[2 * u + 1]);
                }
        }
#endif
    }
    if (started)
        ATOMIC_ADD(counts + REPORT_STARTED, started);
    if (id == 0)
        ATOMIC_ADD(counts + REPORT_CHUNKS, chunks);
    CLOSE_STREAM();
}
