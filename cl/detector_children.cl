/*
 * Detector, second pass started by the device itself (dynamic parallelism): the host launches a parent, which looks at how many
 * vectors the first pass left uncertified and starts a child grid for each unit of their list: detector_group.cl, a work-group
 * a vector, no more of them than there are vectors. CUDA alone has that; EMULATED is the same walk on every device, where a
 * started unit's vectors are put into a list that one further launch does.
 *
 * Host macros: those of children.cl, and those of detector_group.cl with LIST=1.
 *
 * A unit is `each` vectors of the list `again`, whose count is counters[0]. The vectors of a unit that could not be started go
 * to the list `failed`, counted by counters[2]; EMULATED puts those of others into `started`, counted by counters[3]. The
 * report's own: how many vectors the failed units had. Nothing is staged; everything stays in registers.
 */
#ifndef LIST
#define LIST 1
#endif
#include "detector_group.cl"

#include "children.cl"

#define COUNT_FAILED 2
#define COUNT_STARTED 3

/* A child's arguments: those of this call, but for its unit's part of the list, and how many vectors that has. */
#define PASSED_ARGUMENTS(first_vector, vectors)                                                                                \
    PASSED(model), PASSED(channel_work), channel_stride, PASSED(vector_work), vector_stride, PASSED(symbols), PASSED(bits),    \
        PASSED(metric), PASSED(status), PASSED(nodes), again_base, again_offset + 4 * (ulong)(first_vector), PASSED(counters), \
        first, vectors, per_channel, first_channel, budget, PASSED(received), PASSED(channel), PASSED(noise), PASSED(factor),  \
        factor_for, noise_variance, noise_factor, radius_factor

/* A unit's vectors behind those that a list has. */
INLINE void add_vectors(GLOBAL uint *list, GLOBAL uint *count, GLOBAL const uint *from, const uint vectors)
{
    const uint place = ATOMIC_ADD(count, vectors);
    for (uint i = 0; i < vectors; i++)
        list[place + i] = from[i];
}

/* fail: every fail-th unit is taken as failed, 0 none; with bad_group the run-time library is made to refuse it. */
KERNEL REQD_GROUP(WALKERS, 1, 1)
    detector_children(GROUP_ARGUMENTS, SPAN(uint, started_list), SPAN(uint, failed_list), SPAN(uint, report), const uint first_unit,
                      const uint pending, const uint each, const uint fail, const uint bad_group)
{
    const uint id = (uint)LOCAL_ID(0);
    GLOBAL const uint *list = SPAN_AT(const uint, again);
    GLOBAL uint *count = SPAN_AT(uint, counters), *counts = SPAN_AT(uint, report);
    const uint vectors = count[0], end_unit = (uint)(((ulong)vectors + each - 1) / each);
    uint started = 0, chunks = 0, begin = first_unit;
    OPEN_STREAM();
#if TAIL == 1 && !LAUNCHES
    for (; begin < end_unit; begin = chunk_end(begin, end_unit, pending)) { /* what tail launches would do */
#else
    if (begin < end_unit) {
#endif
        const uint chunk = chunk_end(begin, end_unit, pending);
        chunks++;
        for (uint u = begin + id; u < chunk; u += WALKERS) {
            const uint first_vector = u * each, size = vectors - first_vector < each ? vectors - first_vector : each;
            uint failed = fail && (u + 1) % fail == 0;
#if LAUNCHES
            if (!failed || bad_group) {
                const dim3 grid(size, 1, 1), group(failed ? bad_group : CTA_SIZE, 1, 1);
                detector_group<<<grid, group, 0, CHILDS_STREAM>>>(PASSED_ARGUMENTS(first_vector, size));
                failed = cudaGetLastError() != cudaSuccess;
            }
#else
            if (!failed)
                add_vectors(SPAN_AT(uint, started_list), count + COUNT_STARTED, list + first_vector, size);
#endif
            if (failed) {
                add_vectors(SPAN_AT(uint, failed_list), count + COUNT_FAILED, list + first_vector, size);
                ATOMIC_ADD(counts + REPORT_FAILED, 1u);
                ATOMIC_ADD(counts + REPORT_OWN, size);
            } else {
                started++;
            }
        }
#if TAIL == 2 || (LAUNCHES && TAIL)
        if (id == 0 && chunk < end_unit) {
#if TAIL == 2
            const uint failed = 1;
#else
            detector_children<<<1, WALKERS, 0, cudaStreamTailLaunch>>>(PASSED_ARGUMENTS(0, items), PASSED(started_list),
                                                                       PASSED(failed_list), PASSED(report), chunk, pending, each,
                                                                       fail, bad_group);
            const uint failed = cudaGetLastError() != cudaSuccess;
#endif
            if (failed) { /* all that would have followed */
                const uint rest = vectors - chunk * each;
                add_vectors(SPAN_AT(uint, failed_list), count + COUNT_FAILED, list + chunk * each, rest);
                ATOMIC_ADD(counts + REPORT_FAILED, end_unit - chunk);
                ATOMIC_ADD(counts + REPORT_OWN, rest);
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
