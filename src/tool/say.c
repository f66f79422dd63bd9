/* The tool's voice, and its ear for SIGINT. */
#include "tool/say.h"

#include "base/file.h"
#undef clr_say
#undef clr_say_status

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

clr_exit clr_exit_of(clradio_status status)
{
    switch (status) {
    case CLRADIO_OK: return CLR_EXIT_OK;
    case CLRADIO_ERROR_ARGUMENT: return CLR_EXIT_USAGE;
    case CLRADIO_ERROR_NO_DEVICE:
    case CLRADIO_ERROR_DRIVER: return CLR_EXIT_NO_DEVICE;
    case CLRADIO_ERROR_FORMAT: return CLR_EXIT_DAMAGED;
    case CLRADIO_ERROR_IO: return CLR_EXIT_INPUT_OUTPUT;
    case CLRADIO_ERROR_INTERRUPTED: return CLR_EXIT_INTERRUPTED;
    default: return CLR_EXIT_FAILED;
    }
}

/* A sentence may quote a file, and what is there must not move a terminal's cursor or more: all
 * control characters but the end of a line and the tab become question marks. */
static void speak(const char *before, const char *format, va_list arguments)
{
    char *text = NULL;
    fflush(stdout);
    fputs(before, stderr);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    for (char *c = text; c && *c; c++)
        if (((unsigned char)*c < ' ' && *c != '\n' && *c != '\t') || *c == 127)
            *c = '?';
    fputs(text ? text : "no memory for a sentence", stderr);
    fputc('\n', stderr);
    free(text);
}

clr_exit clr_say(clr_exit code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    speak("clradio: ", format, arguments);
    va_end(arguments);
    return code;
}

clr_exit clr_say_status(clradio_status status)
{
    const char *sentence = clradio_last_error();
    return clr_say(clr_exit_of(status), "%s", *sentence ? sentence : clradio_status_name(status));
}

clr_exit clr_say_engine(clradio_status status)
{
    clr_exit code = clr_say_status(status);
    int asked = status == CLRADIO_ERROR_UNSUPPORTED || status == CLRADIO_ERROR_LIMIT;
    return asked ? CLR_EXIT_USAGE : code;
}

clr_exit clr_say_input(clradio_status status)
{
    clr_exit code = clr_say_status(status);
    return status == CLRADIO_ERROR_UNSUPPORTED ? CLR_EXIT_DAMAGED : code;
}

void clr_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    speak("clradio: note: ", format, arguments);
    va_end(arguments);
}

static volatile sig_atomic_t watched, interrupted;

/* The first signal of a command that watches is remembered; every other ends the process as if
 * nobody had listened, but leaves no file that is half written. */
static void hear(int signal_number)
{
    if (watched && !interrupted) {
        interrupted = 1;
        return;
    }
    clr_temporary_remove_all();
    signal(signal_number, SIG_DFL);
    raise(signal_number); /* delivered when this returns */
}

static void listen(int signal_number, int although_ignored)
{
    struct sigaction before, action = { .sa_handler = hear, .sa_flags = (int)SA_RESTART };
    sigemptyset(&action.sa_mask);
    if (although_ignored ||
        (!sigaction(signal_number, NULL, &before) && before.sa_handler != SIG_IGN))
        sigaction(signal_number, &action, NULL);
}

void clr_signals_begin(void)
{
    listen(SIGINT, 0);
    listen(SIGTERM, 0);
    listen(SIGHUP, 0);
    listen(SIGPIPE, 0);
}

void clr_interrupt_watch(void)
{
    watched = 1;
    /* Also where SIGINT was ignored (a shell's background job): who sends it to this process means
     * it. A terminal that goes away ends the run in good order too, unless nohup asked for the
     * contrary. */
    listen(SIGINT, 1);
    listen(SIGTERM, 1);
    listen(SIGHUP, 0);
    /* A reader that goes away is an error like any other when writing: no temporary file is left
     * behind. */
    signal(SIGPIPE, SIG_IGN);
}

int clr_interrupted(void)
{
    return interrupted != 0;
}
