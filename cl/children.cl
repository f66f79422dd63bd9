/*
 * What kernels that launch kernels share: a parent of one work-group starts a child grid for each unit of its work, in chunks
 * of at most `pending` units: so many children wait at most, since the next chunk begins when all of them have ended. Included
 * by <engine>_children.cl, which has the walk and the child. Not a kernel by itself.
 *
 * Host macros:
 *   CHILDREN   1: relocatable code, linked with the device's run-time library; 0 with EMULATED
 *   EMULATED   1: no child grids: the same walk on every device, where what would be started goes to a list or table that one
 *              further launch does
 *   WALKERS    work-items of the parent
 *   TAIL       1: the parent of the next chunk is launched by this one, behind its children; 0: by the host; 2: as 1, and every
 *              such launch is taken as failed, for tests
 *   FORGET     1: children start by fire and forget; 0: in a stream of each walker, for run-time libraries before CUDA 12
 *
 * Each launch's error is looked at: what could not be started goes to a second list or table, which the host launches behind:
 * nothing is missing, whatever fails. The report: units that failed, units that were started, chunks; then the engine's own.
 */
#ifndef EMULATED
#define EMULATED 0
#endif
#ifndef CHILDREN
#define CHILDREN 0
#endif
#ifndef WALKERS
#define WALKERS 32
#endif
#ifndef TAIL
#define TAIL 1
#endif
#ifndef FORGET
#define FORGET 1
#endif

#if defined(CLR_CUDA) && CHILDREN && !EMULATED
#define LAUNCHES 1
#else
#define LAUNCHES 0
#endif
#define REPORT_FAILED 0
#define REPORT_STARTED 1
#define REPORT_CHUNKS 2
#define REPORT_OWN 3

#define PASSED(name) name##_base, name##_offset

/* Where the chunk that begins with a unit ends. */
INLINE uint chunk_end(const uint first_unit, const uint end_unit, const uint pending)
{
    return end_unit - first_unit < pending ? end_unit : first_unit + pending;
}

#if LAUNCHES && !FORGET
/* A stream for a walker's children; 0, the work-group's own, where there is none. */
INLINE cudaStream_t stream_of_walker(void)
{
    cudaStream_t stream = 0;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
        stream = 0;
        cudaGetLastError(); /* not of a launch */
    }
    return stream;
}
#define OPEN_STREAM() const cudaStream_t stream = stream_of_walker()
#define CLOSE_STREAM()                                                                                                 \
    if (stream)                                                                                                        \
    cudaStreamDestroy(stream)
#define CHILDS_STREAM stream
#else
#define OPEN_STREAM()
#define CLOSE_STREAM()
#define CHILDS_STREAM cudaStreamFireAndForget
#endif
