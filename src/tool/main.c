/* The command line's entry: finds the command, runs it, and makes sure that its output arrived. */
#include "base/text.h"
#include "tool/commands.h"
#include "tool/options.h"
#include "tool/say.h"

#include <clradio/clradio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_overview(void)
{
    printf("usage: clradio COMMAND [options] [files]\n"
           "       clradio help COMMAND\n\n"
           "The arithmetic of antenna arrays on any OpenCL or CUDA device.\n\nCommands:\n");
    for (size_t i = 0; i < clr_command_count; i++)
        printf("  %-12s%s\n", clr_commands[i].name, clr_commands[i].summary);
    printf("  %-12s%s\n", "help", "this overview, or all about one command");
    printf("  %-12s%s\n", "--version", "the version, and what this build can do");
    printf("\nFirst steps: 'clradio devices', then 'clradio demo'.\n");
}

static void print_version(void)
{
    static const struct {
        const char *name;
        int present;
    } parts[] = {
        { "clFFT (F-engine)", HAVE_CLFFT },         { "VkFFT (F-engine)", HAVE_VKFFT },
        { "CLBlast (blas variant)", HAVE_CLBLAST }, { "HDF5 (UVH5 files)", HAVE_HDF5 },
        { "Jansson (JSON)", HAVE_JANSSON },         { "matio (MATLAB v5 files)", HAVE_MATIO },
        { "zlib (.npz files)", HAVE_ZLIB },
    };
    printf("clradio %s\n", clradio_version());
    for (int with = 1; with >= 0; with--) {
        const char *before = with ? "with " : "without ";
        for (size_t i = 0; i < CLR_COUNT_OF(parts); i++) {
            if (parts[i].present == with) {
                printf("%s%s", before, parts[i].name);
                before = ", ";
            }
        }
        if (*before == ',')
            putchar('\n');
    }
}

static const clr_command *find_command(const char *name)
{
    const char *names[64] = { "help", "--version" };
    size_t n = 2;
    for (size_t i = 0; i < clr_command_count; i++) {
        if (strcmp(clr_commands[i].name, name) == 0)
            return &clr_commands[i];
        if (n < CLR_COUNT_OF(names))
            names[n++] = clr_commands[i].name;
    }
    size_t closest = clr_closest(name, names, n);
    if (closest < n)
        clr_say(CLR_EXIT_USAGE, "there is no command '%s'; did you mean '%s'?", name,
                names[closest]);
    else
        clr_say(CLR_EXIT_USAGE, "there is no command '%s'; 'clradio help' lists them", name);
    return NULL;
}

static clr_exit help(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "help") == 0) {
        print_overview();
        return CLR_EXIT_OK;
    }
    const clr_command *command = find_command(argv[1]);
    if (!command)
        return CLR_EXIT_USAGE;
    /* `help simulate array` becomes `simulate array --help`. */
    char flag[] = "--help";
    char *arguments[] = { argv[1], argc > 2 ? argv[2] : flag, flag, NULL };
    return command->run(argc > 2 ? 3 : 2, arguments);
}

static clr_exit run(int argc, char **argv)
{
    if (argc < 2) {
        print_overview();
        return clr_say(CLR_EXIT_USAGE, "a command is needed");
    }
    if (strcmp(argv[1], "help") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help(1, argv + 1);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        if (argc > 2)
            return clr_say(CLR_EXIT_USAGE, "%s: what is '%s' for?", argv[1], argv[2]);
        print_version();
        return CLR_EXIT_OK;
    }
    if (argv[1][0] == '-')
        return clr_say(CLR_EXIT_USAGE, "a command comes before the options; 'clradio help' lists "
                                       "the commands");
    const clr_command *command = find_command(argv[1]);
    return command ? command->run(argc - 1, argv + 1) : CLR_EXIT_USAGE;
}

/* A closed standard stream leaves its number to the next file opened, and what is said would go
 * into that file. /dev/null, open the wrong way round, keeps the number and still fails. */
static void keep_standard_streams(void)
{
    static const int how[] = { O_WRONLY, O_RDONLY, O_RDONLY };
    for (int number = 0; number <= 2; number++)
        if (fcntl(number, F_GETFD) < 0 && open("/dev/null", how[number]) < 0)
            return; /* numbers are given out lowest first: nothing to do without /dev/null */
}

int main(int argc, char **argv)
{
    /* As many hardware queues as there are, so that streams do not wait for one another; the driver
     * reads it when it is started. */
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
    keep_standard_streams();
    clr_signals_begin();
    clr_exit code = run(argc, argv);
    errno = 0;
    if ((fflush(stdout) || ferror(stdout)) && code == CLR_EXIT_OK)
        code = clr_say(CLR_EXIT_INPUT_OUTPUT, "cannot write to standard output: %s",
                       errno ? strerror(errno) : "an earlier write failed");
    return code;
}
