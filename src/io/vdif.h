/* What the two halves of the VDIF reader share: the scan of the frames (vdif_scan.c) and their
 * times (vdif_time.c). */
#ifndef CLR_IO_VDIF_H
#define CLR_IO_VDIF_H

#include "io/frames.h"
#include "io/vdif_header.h"

typedef struct clr_vdif {
    clr_frames frames;
    clr_vdif_header header; /* of the first frame: what all frames share */
    uint64_t total, invalid, other_shape;
    uint32_t *identity; /* [inputs]: station << 10 | thread */
    uint32_t inputs;
    uint32_t frames_per_second; /* 0: not known, and all frames lie in one second */
} clr_vdif;

/* Whether a chain of VDIF headers begins near the start; *header is the first, *offset its place.
 */
int clr_vdif_find_first(clr_bytes *bytes, int patient, clr_vdif_header *header, uint64_t *offset);
/* Fills frames: index = seconds since 2000 << 24 | number, input = identity. */
clradio_status clr_vdif_scan(clr_source *source, clr_vdif *vdif);
/* Frames to a grid of frame indices; sample rate and start time of info. */
clradio_status clr_vdif_place(clr_source *source, clr_vdif *vdif);

#endif
