/* clradio bench: dispatches to the benchmarks. */
#include "tool/bench.h"
#include "base/text.h"
#include "tool/commands.h"
#include "tool/options.h"
#include "tool/say.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    clr_command_function *run;
} benchmarks[] = {
    { "xengine", clr_bench_xengine },
    { "dft", clr_bench_dft },
    { "detector", clr_bench_detector },
    { "lte57", clr_bench_lte57 },
};

static const clr_usage usage = {
    .command = "bench",
    .operands = "xengine|dft|detector|lte57",
    .least_operands = 1,
    .most_operands = 1,
    .about = "Measures an engine on a device: kernel time by events, the fraction of the device's "
             "own measured peak, and whether the result is right. 'clradio bench xengine --help', "
             "'clradio bench dft --help' and 'clradio bench detector --help' list the options; "
             "'clradio bench lte57' runs the "
             "channels of a system-level simulation.",
};

clr_exit clr_command_bench(int argc, char **argv)
{
    clr_operands operands;
    clr_text names = { 0 };
    for (size_t i = 0; i < CLR_COUNT_OF(benchmarks); i++) {
        if (argc > 1 && strcmp(argv[1], benchmarks[i].name) == 0) {
            clr_text_free(&names);
            return benchmarks[i].run(argc - 1, argv + 1);
        }
        clr_text_add(&names, "%s%s", i ? ", " : "", benchmarks[i].name);
    }
    clr_exit answer = clr_options_read(&usage, argc, argv, NULL, &operands);
    if (answer == CLR_EXIT_CARRY_ON)
        answer = clr_say(CLR_EXIT_USAGE, "there is no benchmark '%s'; there are: %s",
                         operands.items[0], names.bytes ? names.bytes : "");
    clr_text_free(&names);
    return answer;
}
