/* The layout of LWA TBN frames. */
#ifndef CLR_IO_TBN_H
#define CLR_IO_TBN_H

#include "io/frames.h"

#define CLR_TBN_SYNC 0xDEC0DE5Cu
#define CLR_TBN_CLOCK_HZ 196e6

/* Bytes of a frame and of its header; samples in a frame; inputs that an id may name. */
enum {
    CLR_TBN_FRAME = 1048,
    CLR_TBN_HEADER = 24,
    CLR_TBN_SAMPLES = 512,
    CLR_TBN_MOST_INPUTS = 2048
};

#endif
