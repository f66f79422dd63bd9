/* The key text of a program: everything that decides what the compiler makes of it. */
#ifndef CLR_DEVICE_PROGRAM_KEY_H
#define CLR_DEVICE_PROGRAM_KEY_H

#include "base/text.h"
#include "device/backend.h"

/*
 * Readable lines: form, program, macros, device, back end, what the back end tells of platform,
 * compiler and driver, environment that steers compilers, options; then the flattened source, which
 * starts at *source. Not the device's UUID: equal cards share programs. Errors: those of
 * clr_flatten.
 */
clradio_status clr_program_key(clradio_device *device, const char *name, const clr_macro *macros,
                               size_t n_macros, clr_text *key, size_t *source);
/* Appends a line for each environment variable that steers a compiler, sorted. */
void clr_program_key_environment(clr_text *key);
/* The options that every program of the device is built with. */
const char *clr_program_options(const clradio_device *device);
/*
 * Those, and what macros ask of the compiler: REGISTERS caps the registers of a work-item where it
 * can be told so; CHILDREN is for kernels that launch kernels; ARCHITECTURE_SPECIFIC for
 * instructions of this architecture that no later one has.
 */
void clr_program_write_options(clradio_device *device, const clr_macro *macros, size_t n_macros,
                               char *options, size_t room);

#endif
