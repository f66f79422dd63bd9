/* The tool's voice, and its ear for SIGINT. */
#include "tool/say.h"
#undef clr_say
#undef clr_say_status

#include <signal.h>
#include <stdio.h>

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

static void speak(const char *before, const char *format, va_list arguments)
{
    fflush(stdout);
    fputs(before, stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
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

void clr_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    speak("clradio: note: ", format, arguments);
    va_end(arguments);
}

static volatile sig_atomic_t interrupted;

static void remember(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

void clr_interrupt_watch(void)
{
    /* SA_RESETHAND: the second signal has its default action. Also where SIGINT was ignored (a
     * shell's background job): who sends it to this process means it. */
    struct sigaction action = { .sa_handler = remember, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* A terminal that goes away ends the run in good order too, unless nohup asked for the
     * contrary. A reader that goes away is an error like any other when writing: no temporary file
     * is left behind. */
    struct sigaction before;
    if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int clr_interrupted(void)
{
    return interrupted != 0;
}
