/* How the tool speaks: one sentence on standard error when it fails, remarks, and an exit code. */
#ifndef CLR_TOOL_SAY_H
#define CLR_TOOL_SAY_H

#include "base/error.h"
#include "tool/exit_codes.h"

/* "clradio: sentence" on standard error; returns code, so that a command can write `return
 * clr_say(CLR_EXIT_USAGE, ...)`. */
clr_exit clr_say(clr_exit code, const char *format, ...) CLR_PRINTF(2, 3);
/* Says the library's last error and returns the exit code of status. */
clr_exit clr_say_status(clradio_status status);
/* The same for an engine that options asked for: what cannot be on this device, or not within that
 * limit, is an option that cannot be. */
clr_exit clr_say_engine(clradio_status status);
/* The same of a file that was given: what is not read of its kind is input that is not understood.
 */
clr_exit clr_say_input(clradio_status status);
#if defined(__clang_analyzer__) /* as in base/error.h */
#define clr_say(code, ...) (clr_say(code, __VA_ARGS__), (code))
#define clr_say_status(status) (clr_say_status(status), CLR_EXIT_FAILED)
#endif
/* "clradio: note: sentence" on standard error, for what a person should know but is no failure. */
void clr_note(const char *format, ...) CLR_PRINTF(1, 2);

/* From here on SIGINT, SIGTERM, SIGHUP and SIGPIPE end the process without leaving a file half
 * written. */
void clr_signals_begin(void);
/* From the first call on the first of them sets a flag instead, so that a command ends after the
 * current step with a valid file; the second ends the process. SIGPIPE is ignored then. */
void clr_interrupt_watch(void);
int clr_interrupted(void);

#endif
