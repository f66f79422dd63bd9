/* Kernels through NVIDIA's run-time compiler, without a card: what test_dialect and
 * kernel_resources share. */
#ifndef CLR_TESTS_NVRTC_SUPPORT_H
#define CLR_TESTS_NVRTC_SUPPORT_H

#include "base/text.h"
#include "device/cuda_api.h"
#include "device/flatten.h"

enum { MOST_SETTING_MACROS = 24 };

/* 1 when a file of cl/ has a kernel; a piece without one is compiled with the files that include
 * it.
 */
int has_kernel(unsigned file);
/* The compiler, or NULL where it is not. */
const clr_nvrtc *nvrtc_for_test(void);
/* 1 when it compiles for an architecture ("75", "90a"); *number: 75, 90. */
int nvrtc_takes(const char *architecture, int *number);
/* Compiles a file of cl/ with macros ("NPOL=2 INPUT=7") for an architecture. 1: it gave a CUBIN.
 * Where CLRADIO_NVRTC_RESULTS names a folder, what compiled there once is not compiled again while
 * compiler, options and text are the same to the bit: its log is kept in a file named by their
 * hash. CHILDREN=1 is compiled as relocatable code and, where nvJitLink is, linked. *log (malloc,
 * may be NULL): what the compiler said, registers and spills included. */
int nvrtc_compiles(const char *file, const char *macros, int fp64, const char *architecture,
                   char **log);

#endif
