/* The table of commands: one line each; a line NAME stands for clr_command_NAME in its own file. */
#include "tool/commands.h"

#define COMMANDS(ENTRY)                                                                            \
    ENTRY(devices, "what devices there are and what they can do")                                  \
    ENTRY(info, "what a voltage file holds: samples, rates, times, inputs; or an array file")      \
    ENTRY(correlate, "voltage files to visibilities")                                              \
    ENTRY(dft, "channel taps to frequency responses")                                              \
    ENTRY(sinr, "frequency responses to signal to interference and noise")                         \
    ENTRY(detect, "received MIMO vectors to symbols, exactly")                                     \
    ENTRY(plot, "draws a UVH5 file, or a frequency response")                                      \
    ENTRY(simulate, "array: voltage files of an array of antennas that sees point sources")        \
    ENTRY(demo, "the whole way on this machine: simulate, correlate, verify, draw")                \
    ENTRY(ber, "error rates of a MIMO link over SNR, by Monte-Carlo")                              \
    ENTRY(bench, "how fast an engine is on a device, and whether it is right")                     \
    ENTRY(cache, "the cache of built programs: info, list, verify, clear")

#define DECLARE(name, summary) clr_command_function clr_command_##name;
COMMANDS(DECLARE)

#define LINE(name, summary) { #name, summary, clr_command_##name },
const clr_command clr_commands[] = { COMMANDS(LINE){ 0 } };
const size_t clr_command_count = sizeof clr_commands / sizeof clr_commands[0] - 1;
