/* What the kernels need of a multiprocessor, for tests/test_resources.sh. */
#ifndef CLR_TESTS_KERNEL_RESOURCES_H
#define CLR_TESTS_KERNEL_RESOURCES_H

/*
 * Prints registers, private memory (the stack, and spills in it) and local memory in bytes as ptxas
 * reports them: a line "file|macros|kernel|sm_N|registers|private|local" for each kernel,
 * architecture and setting that has a budget. n = 0: the lines "file|macros|least" of those
 * settings. The exit status; 77: no NVRTC.
 */
int print_kernel_resources(char **architectures, int n);

#endif
