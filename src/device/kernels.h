/* The embedded kernel sources (generated; tools/embed_kernels.sh). */
#ifndef CLR_DEVICE_KERNELS_H
#define CLR_DEVICE_KERNELS_H

#include <stddef.h>

typedef struct clr_kernel_source {
    const char *name; /* "common.cl" */
    const unsigned char *bytes;
    size_t count;
} clr_kernel_source;

extern const clr_kernel_source clr_kernel_sources[];
extern const unsigned clr_kernel_source_count;

#endif
