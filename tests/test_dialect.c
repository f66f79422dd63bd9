/*
 * Every kernel file is written in the dialect of cl/common.cl, so NVIDIA's run-time compiler takes
 * it as CUDA C too: with its own defaults and with the settings of kernel_settings.h, for every
 * architecture of CLRADIO_DIALECT ("75 80 86 89 90 90a 100 120" when unset) that this NVRTC knows;
 * with CLRADIO_DIALECT_FILE those alone whose file's name contains it. Kernels that launch kernels
 * are linked too. Processes of their own compile side by side: half as many as there are
 * processors, at most six, or CLRADIO_DIALECT_JOBS of them.
 * Needs libnvrtc and no device; the cases are skipped where the library is absent. What compiles
 * has not run: of these architectures only sm_90 has.
 */
#include "support.h"

#include "device/kernels.h"
#include "kernel_resources.h"
#include "kernel_settings.h"
#include "nvrtc_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARCHITECTURES = 16, MOST_JOBS = 64 };

typedef struct compile_case {
    const char *file, *macros, *architecture;
    int fp64;
    int job; /* which process compiles it; -1: none, it is skipped */
    char name[256];
} compile_case;

/* A process, and what it says of its cases in their order: an answer and the compiler's log. */
static struct {
    pid_t process;
    FILE *said;
} jobs[MOST_JOBS];

typedef struct answer {
    int done;
    size_t log_bytes;
} answer;

static void print_log(char *log)
{
    char *rest = NULL;
    for (char *line = log ? strtok_r(log, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        fprintf(stderr, "# %s\n", line);
}

static void work(int job, const compile_case *cases, size_t n, int to)
{
    FILE *say = fdopen(to, "wb");
    for (size_t i = 0; say && i < n; i++) {
        if (cases[i].job != job)
            continue;
        char *log;
        answer of = { .done = nvrtc_compiles(cases[i].file, cases[i].macros, cases[i].fp64,
                                             cases[i].architecture, &log) };
        of.log_bytes = log ? strlen(log) : 0;
        fwrite(&of, sizeof of, 1, say);
        fwrite(log, 1, of.log_bytes, say);
        fflush(say);
        free(log);
    }
    _exit(0); /* not the tests' way out */
}

static int start_jobs(int count, const compile_case *cases, size_t n)
{
    for (int job = 0; job < count; job++) {
        int ends[2];
        fflush(NULL);
        if (pipe(ends) || (jobs[job].process = fork()) < 0)
            return 0;
        if (!jobs[job].process) {
            close(ends[0]);
            work(job, cases, n, ends[1]);
        }
        close(ends[1]);
        if (!(jobs[job].said = fdopen(ends[0], "rb")))
            return 0;
    }
    return 1;
}

static void end_jobs(int count)
{
    for (int job = 0; job < count; job++) {
        if (jobs[job].said)
            fclose(jobs[job].said);
        if (jobs[job].process > 0)
            waitpid(jobs[job].process, NULL, 0);
    }
}

static int job_count(void)
{
    const char *asked = getenv("CLRADIO_DIALECT_JOBS");
    long count = asked ? strtol(asked, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN) / 2;
    const long most = asked ? MOST_JOBS : 6;
    return (int)(count < 1 ? 1 : count > most ? most : count);
}

static void compiles_as_cuda(void **state)
{
    const compile_case *c = *state;
    answer of = { 0 };
    assert_int_equal(fread(&of, sizeof of, 1, jobs[c->job].said), 1); /* else the process ended */
    char *log = calloc(of.log_bytes + 1, 1);
    assert_non_null(log);
    assert_int_equal(fread(log, 1, of.log_bytes, jobs[c->job].said), of.log_bytes);
    if (!of.done)
        print_log(log);
    free(log);
    assert_true(of.done);
}

static void skipped(void **state)
{
    (void)state;
    skip();
}

/* The other branches are compiled for the oldest and the newest architecture alone, the branches
 * without fp64 for the newest: each compilation takes a tenth of a second or more. */
static int is_left_out(const kernel_setting *setting, const char *name, size_t architecture,
                       size_t last)
{
    if (setting->least == ONLY_90A)
        return architecture > last || strcmp(name, "90a");
    if (architecture > last) /* without fp64 */
        return 0;
    return setting->use == OTHER_BRANCH && *setting->macros && architecture != 0 &&
           architecture != last;
}

static struct CMUnitTest case_of(compile_case *c, int least)
{
    int number, there = nvrtc_for_test() != NULL, known = nvrtc_takes(c->architecture, &number);
    const int children = strstr(c->macros, "CHILDREN=1") != NULL;
    snprintf(c->name, sizeof c->name, "%s%s%s compiles%s as CUDA for sm_%s%s%s", c->file,
             *c->macros ? " " : "", c->macros,
             !children                      ? ""
             : there && clr_nvjitlink_get() ? " and links"
                                            : " (no nvJitLink: not linked)",
             c->architecture, c->fp64 ? "" : " without fp64",
             known   ? ""
             : there ? " (this NVRTC does not know it)"
                     : " (no libnvrtc)");
    int runs = known && number >= least;
    c->job = runs ? 0 : -1;
    return (struct CMUnitTest){ c->name, runs ? compiles_as_cuda : skipped, NULL, NULL, c };
}

/* With "resources" and architectures it prints what test_resources.sh compares. */
int main(int argc, char **argv)
{
    if (argc > 1)
        return print_kernel_resources(argv + 2, argc - 2);
    const char *asked = getenv("CLRADIO_DIALECT");
    char *list = strdup(asked && *asked ? asked : "75 80 86 89 90 90a 100 120"), *rest = NULL;
    const char *architectures[MOST_ARCHITECTURES], *only = getenv("CLRADIO_DIALECT_FILE");
    size_t n_architectures = 0, n = 0;
    for (char *word = list ? strtok_r(list, " ", &rest) : NULL;
         word && n_architectures < MOST_ARCHITECTURES; word = strtok_r(NULL, " ", &rest))
        architectures[n_architectures++] = word;
    size_t files = clr_kernel_source_count;
    size_t room = (files + KERNEL_SETTINGS) * (n_architectures + 1);
    struct CMUnitTest *tests = calloc(room + 1, sizeof *tests);
    compile_case *cases = calloc(room + 1, sizeof *cases);
    if (!n_architectures || !tests || !cases) {
        free(list);
        free(tests);
        free(cases);
        return 1;
    }
    for (size_t i = 0; i < files + KERNEL_SETTINGS; i++) {
        const kernel_setting own = { i < files ? clr_kernel_sources[i].name : "", "", 0, 0 };
        const kernel_setting *setting = i < files ? &own : &kernel_settings[i - files];
        if (i < files && !has_kernel((unsigned)i))
            continue;
        if (only && !strstr(i < files ? clr_kernel_sources[i].name : setting->file, only))
            continue;
        /* fp64 is a branch of the sources; no architecture here is without it. */
        for (size_t a = 0; a <= n_architectures; a++) {
            size_t last = n_architectures - 1;
            if (is_left_out(setting, architectures[a <= last ? a : last], a, last))
                continue;
            cases[n] =
                (compile_case){ .file = i < files ? clr_kernel_sources[i].name : setting->file,
                                .macros = i < files ? "" : setting->macros,
                                .architecture = architectures[a <= last ? a : last],
                                .fp64 = a <= last };
            tests[n] = case_of(&cases[n], setting->least);
            n++;
        }
    }
    const int count = job_count();
    for (size_t i = 0, k = 0; i < n; i++)
        if (cases[i].job >= 0)
            cases[i].job = (int)(k++ % (size_t)count);
    int failures =
        start_jobs(count, cases, n) ? _cmocka_run_group_tests("dialect", tests, n, NULL, NULL) : 1;
    end_jobs(count);
    free(tests);
    free(cases);
    free(list);
    return failures;
}
