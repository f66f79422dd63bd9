/* What the variants that call a library share. */
#include "engine/dft_library.h"

enum { GROUP = 64, CF32_BYTES = 8 };

clradio_status clr_dft_launch_piece(clradio_dft *plan, clr_chain *chain, const clr_dft_call *call,
                                    const clr_dft_piece *piece)
{
    clr_dft_call one = *call;
    clradio_dft_io io = *call->io;
    const clr_launch shape = { .groups = { (size_t)piece->tiles, (size_t)piece->groups_y, 1 },
                               .group = { GROUP, 1, 1 } };
    io.gains = piece->gains;
    io.response = piece->response;
    io.time_steps = 1;
    one.io = &io;
    one.kernel = piece->kernel;
    one.gains_step = piece->gains_step;
    one.response_step = piece->response_step;
    one.columns = piece->columns;
    return clr_dft_launch_times(plan, chain, &one, &shape, 1, piece->first_tile);
}

clradio_span clr_dft_gains_at(const clr_dft_call *call, uint64_t time)
{
    clradio_span span = call->io->gains;
    span.offset += time * call->gains_step * CF32_BYTES;
    return span;
}

clradio_span clr_dft_response_at(const clr_dft_call *call, uint64_t time)
{
    clradio_span span = call->io->response;
    span.offset += time * call->response_step * CF32_BYTES;
    return span;
}
