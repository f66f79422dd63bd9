/* clradio bench: dispatches to the benchmarks. */
#include "tool/bench.h"
#include "tool/commands.h"
#include "tool/options.h"
#include "tool/say.h"

#include <stdio.h>
#include <string.h>

static const clr_usage usage = {
    .command = "bench",
    .operands = "xengine|dft",
    .least_operands = 1,
    .most_operands = 1,
    .about = "Measures an engine on a device: kernel time by events, the fraction of the device's "
             "own measured peak, and whether the result is right. 'clradio bench xengine --help' "
             "and 'clradio bench dft --help' list the options.",
};

clr_exit clr_command_bench(int argc, char **argv)
{
    clr_operands operands;
    if (argc > 1 && strcmp(argv[1], "xengine") == 0)
        return clr_bench_xengine(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "dft") == 0)
        return clr_bench_dft(argc - 1, argv + 1);
    clr_exit answer = clr_options_read(&usage, argc, argv, NULL, &operands);
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    return clr_say(CLR_EXIT_USAGE, "there is no benchmark '%s'; there are: xengine, dft",
                   operands.items[0]);
}
