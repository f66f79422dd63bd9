/*
 * An index of frames: one input, one run of sample times each, in any order in the file. VDIF and
 * TBN share it: putting the frames on a common grid, leaving out what does not belong, reading
 * samples.
 */
#ifndef CLR_IO_FRAMES_H
#define CLR_IO_FRAMES_H

#include "io/reader.h"

typedef struct clr_frame {
    int64_t index;   /* place on the grid of frames (while scanning: any sortable time) */
    uint64_t offset; /* of its header in the file */
    uint32_t input;  /* while scanning: the header's identity */
    uint32_t invalid;
} clr_frame;

typedef struct clr_frames {
    clr_frame *frame;
    size_t count, room;
    uint64_t samples; /* times in one frame */
    size_t header_bytes;
    clr_coding coding;
} clr_frames;

typedef struct clr_frames_report {
    uint64_t outliers; /* left out: far in time from the rest */
    int64_t outlier_first, outlier_last;
    uint64_t repeated; /* a second frame of the same input and time */
    int64_t first;     /* index of the first frame kept */
    uint64_t grid;     /* frames from the first to the last time */
} clr_frames_report;

clradio_status clr_frames_add(clr_frames *frames, const clr_frame *frame);
void clr_frames_free(clr_frames *frames);
/* Order by input, index, offset. */
void clr_frames_sort_by_input(clr_frames *frames);
/* Frames that stand behind a later one of their input in the file; sorted by input. */
uint64_t clr_frames_late(const clr_frames *frames);
/*
 * From identities to inputs 0, 1, ... in the order of the identities, for frames sorted by input.
 * Identities with less than a hundredth of the frames of the most frequent one are damaged headers:
 * their frames are left out and counted in *strays. *identity: malloc'ed, [*inputs].
 */
clradio_status clr_frames_number_inputs(clr_frames *frames, uint32_t **identity, uint32_t *inputs,
                                        uint64_t *strays);
/*
 * Orders by index and input; keeps the largest group of frames without a gap above a hundred times
 * what an input has and a second (of at most 4096 frames), and shorter gaps when they are many:
 * nobody shall work for hours at what is not there. Drops invalid and repeated frames; makes index
 * start at 0.
 */
void clr_frames_arrange(clr_frames *frames, uint32_t inputs, int64_t second,
                        clr_frames_report *report);
/* Fills info.samples and info.samples_present. FORMAT when the grid is too long to count. */
clradio_status clr_frames_count(clr_source *source, const clr_frames *frames, uint64_t grid);
clradio_status clr_frames_read(clr_source *source, const clr_frames *frames, const clr_read *read);

#endif
