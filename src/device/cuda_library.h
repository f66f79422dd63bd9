/* CUDA's libraries by dlopen: where they may be, and their functions. */
#ifndef CLR_DEVICE_CUDA_LIBRARY_H
#define CLR_DEVICE_CUDA_LIBRARY_H

#include <stddef.h>

/* The file that an environment variable names, which is then taken and no other; NULL: none. */
const char *clr_cuda_asked_file(const char *variable);
/*
 * The first of n file names ("libcufft.so.12") that opens: all names where the loader looks, then
 * all in the lib64 of CUDA_PATH, CUDA_HOME and /usr/local/cuda. NULL when there is none.
 */
void *clr_cuda_open_library(const char *const *names, size_t n);
/* For a table of functions SYMBOL(result, name, arguments): fills table->name from library, and
 * puts the name of the first that is not there into missing. */
#define CLR_CUDA_LOOK_UP(result, name, arguments)                                                  \
    if (!missing && !clr_cuda_look_up(library, #name, &table->name))                               \
        missing = #name;

/* The folder, with its slash, of the library that a function is in; empty where that cannot be told
 * or has no room. function: a pointer to the function pointer. */
void clr_cuda_folder_of(const void *function, char *folder, size_t room);
/* Puts the address of a function into *function, a pointer to a function pointer; 0 without it. */
int clr_cuda_look_up(void *library, const char *name, void *function);

#endif
