/* The part of test_dialect that prints instead of testing: see kernel_resources.h. */
#include "kernel_resources.h"

#include "device/kernels.h"
#include "kernel_settings.h"
#include "nvrtc_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int has_budget(const char *file)
{
    for (size_t i = 0; i < KERNEL_SETTINGS; i++)
        if (kernel_settings[i].use == BUDGET && !strcmp(kernel_settings[i].file, file))
            return 1;
    return 0;
}

static int number_before(const char *line, const char *words)
{
    const char *at = strstr(line, words);
    while (at && at > line && at[-1] == ' ')
        at--;
    while (at && at > line && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at ? atoi(at) : 0;
}

/* A kernel's three lines of the log: its name, its stack, its registers. */
static void print_kernels(const kernel_setting *setting, const char *architecture, char *log)
{
    char kernel[80] = "", *rest = NULL;
    int private_bytes = 0;
    for (char *line = log ? strtok_r(log, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *entry = strstr(line, "entry function '");
        if (entry && sscanf(entry, "entry function '%79[^']'", kernel) == 1)
            private_bytes = 0;
        if (strstr(line, "bytes stack frame"))
            private_bytes = number_before(line, "bytes stack frame");
        if (*kernel && strstr(line, "Used ")) {
            printf("%s|%s|%s|sm_%s|%d|%d|%d\n", setting->file, setting->macros, kernel,
                   architecture, number_before(line, "registers"), private_bytes,
                   number_before(line, "bytes smem"));
            *kernel = '\0';
        }
    }
}

static int print_setting(const kernel_setting *setting, char **architectures, int n)
{
    if (!n)
        printf("%s|%s|%d\n", setting->file, setting->macros, setting->least);
    for (int a = 0; a < n; a++) {
        char *log;
        int number;
        const int only_90a = setting->least == ONLY_90A;
        if (!nvrtc_takes(architectures[a], &number) || number < setting->least)
            continue;
        if (only_90a && number != 90)
            continue;
        int done = nvrtc_compiles(setting->file, setting->macros, 1,
                                  only_90a ? "90a" : architectures[a], &log);
        if (done)
            print_kernels(setting, architectures[a], log);
        else
            fprintf(stderr, "%s %s does not compile for sm_%s\n%s\n", setting->file,
                    setting->macros, architectures[a], log ? log : "");
        free(log);
        if (!done)
            return 1;
    }
    return 0;
}

int print_kernel_resources(char **architectures, int n)
{
    if (n && !nvrtc_for_test())
        return 77;
    int failed = 0;
    for (size_t i = 0; i < KERNEL_SETTINGS && !failed; i++)
        if (kernel_settings[i].use == BUDGET)
            failed = print_setting(&kernel_settings[i], architectures, n);
    for (size_t i = 0; i < clr_kernel_source_count && !failed; i++) {
        const kernel_setting own = { clr_kernel_sources[i].name, "", BUDGET, 0 };
        if (has_kernel((unsigned)i) && !has_budget(own.file))
            failed = print_setting(&own, architectures, n);
    }
    return failed;
}
