/* What the process answers. The numbers are documented in clradio(1) and never change. */
#ifndef CLR_TOOL_EXIT_CODES_H
#define CLR_TOOL_EXIT_CODES_H

#include <clradio/status.h>

typedef enum clr_exit {
    CLR_EXIT_OK = 0,
    CLR_EXIT_FAILED = 1,        /* the computation or its verification failed */
    CLR_EXIT_USAGE = 2,         /* an option, an operand or a combination that cannot be */
    CLR_EXIT_NO_DEVICE = 3,     /* no such device, or its driver failed */
    CLR_EXIT_DAMAGED = 4,       /* input is damaged or not understood; what was whole is kept */
    CLR_EXIT_INPUT_OUTPUT = 5,  /* a file cannot be read or written */
    CLR_EXIT_INTERRUPTED = 130, /* SIGINT: the result up to then is valid */
    CLR_EXIT_CARRY_ON = -1 /* not an answer: clr_options_read found nothing that ends the run */
} clr_exit;

/* The exit code that goes with a library status. */
clr_exit clr_exit_of(clradio_status status);

#endif
