/*
 * Options from a table: what parses them also prints the help. A command describes its values as a
 * struct, its options as an array that points into it with offsetof, and calls clr_options_read.
 *
 *     struct values { uint64_t channels; const char *output; };
 *     static const clr_option options[] = {
 *         { .name = "channels", .kind = CLR_OPTION_COUNT, .value = "N", .least = 1, .most = 1e9,
 *           .offset = offsetof(struct values, channels), .help = "...", .normally = "1024" },
 *         { .name = "output", .letter = 'o', .kind = CLR_OPTION_TEXT, .value = "FILE", ... },
 *     };
 */
#ifndef CLR_TOOL_OPTIONS_H
#define CLR_TOOL_OPTIONS_H

#include "tool/exit_codes.h"

#include <stddef.h>
#include <stdint.h>

typedef enum clr_option_kind {
    CLR_OPTION_FLAG,    /* int: set to 1; takes no value */
    CLR_OPTION_TEXT,    /* const char *: not empty */
    CLR_OPTION_LIST,    /* clr_option_list: a text each time the option is given */
    CLR_OPTION_CHOICE,  /* int: the index in choices */
    CLR_OPTION_COUNT,   /* uint64_t: a whole number, [least, most] */
    CLR_OPTION_BYTES,   /* uint64_t: with an optional K, M, G or T */
    CLR_OPTION_NUMBER,  /* double, [least, most], without a unit */
    CLR_OPTION_HERTZ,   /* double, [least, most] Hz; "32e6", "32MHz" */
    CLR_OPTION_SECONDS, /* double, [least, most] s; "0.5", "500ms" */
    CLR_OPTION_HEADING  /* no option: help is a line between groups in the help */
} clr_option_kind;

enum { CLR_OPTION_LIST_ROOM = 256 };

typedef struct clr_option_list {
    const char *items[CLR_OPTION_LIST_ROOM];
    size_t count;
} clr_option_list;

typedef struct clr_option {
    const char *name; /* without the dashes */
    char letter;      /* short form, or 0 */
    clr_option_kind kind;
    const char *value;          /* what the value is called in the help: "SECONDS" */
    size_t offset;              /* of the value in the command's struct */
    double least, most;         /* allowed; both 0: any >= 0 */
    const char *const *choices; /* NULL behind the last */
    const char *help;           /* one or more sentences, wrapped when printed */
    const char *normally;       /* the default in words, or NULL */
} clr_option;

/* Rows that several commands have; at: the offset of the value. */
extern const char *const clr_option_array_formats[]; /* 0: by the suffix */
#define CLR_OPTION_ARRAY_FORMAT(at)                                                                \
    {                                                                                              \
        .name = "format", .kind = CLR_OPTION_CHOICE, .value = "NAME", .offset = (at),              \
        .choices = clr_option_array_formats, .help = "of that file; mat is MATLAB's version 5",    \
        .normally = "suffix; .mat is version 7.3"                                                  \
    }
#define CLR_OPTION_DEVICE(at)                                                                      \
    {                                                                                              \
        .name = "device", .kind = CLR_OPTION_TEXT, .value = "D", .offset = (at),                   \
        .help = "as 'clradio devices' lists them, or a part of the name",                          \
        .normally = "$CLRADIO_DEVICE, else auto"                                                   \
    }
#define CLR_OPTION_VARIANT(at, called, sentence)                                                   \
    {                                                                                              \
        .name = "variant", .kind = CLR_OPTION_TEXT, .value = (called), .offset = (at),             \
        .help = (sentence), .normally = "chosen"                                                   \
    }
#define CLR_OPTION_PARAMETERS(at, called)                                                          \
    {                                                                                              \
        .name = "parameters", .kind = CLR_OPTION_TEXT, .value = (called), .offset = (at),          \
        .help = "parameters of the variant", .normally = "chosen"                                  \
    }
#define CLR_OPTION_MEMORY_LIMIT(at)                                                                \
    {                                                                                              \
        .name = "memory-limit", .kind = CLR_OPTION_BYTES, .value = "BYTES", .offset = (at),        \
        .least = 1, .most = 9e18, .help = "device memory to use at most, such as 512M",            \
        .normally = "what the device has"                                                          \
    }

typedef struct clr_usage {
    const char *command;  /* "correlate", "bench xengine" */
    const char *operands; /* "FILE..." or "" */
    size_t least_operands, most_operands;
    const char *about; /* paragraphs in front of the options; lines are wrapped */
    const clr_option *options;
    size_t n_options;
    const char *notes; /* paragraphs behind the options, or NULL */
} clr_usage;

typedef struct clr_operands {
    char **items; /* into argv */
    size_t count;
} clr_operands;

/*
 * Reads argv[1..]; argv[0] is the command's name. Options not given leave values as they are, so
 * the caller puts defaults there; the last of several wins (but a list keeps all); "--" ends
 * options. Returns CLR_EXIT_CARRY_ON, or the exit code with which the command ends now (--help was
 * printed, or the sentence about what is wrong was said). Moves the operands to the front of argv
 * + 1.
 */
clr_exit clr_options_read(const clr_usage *usage, int argc, char **argv, void *values,
                          clr_operands *operands);
/* A number of hertz, or with Hz, kHz, MHz or GHz behind it; 0 when it is none. */
int clr_parse_hertz(const char *text, double *hertz);
/* CLR_EXIT_CARRY_ON when word is one of the names, else says which is closest: for commands with
 * verbs. */
clr_exit clr_is_one_of(const char *command, const char *word, const char *const *names, size_t n);
void clr_usage_print(const clr_usage *usage);
/* Prints text wrapped to 80 columns, each line indented; a line break in text stays one. */
void clr_print_wrapped(const char *text, unsigned indent, unsigned column);

#define CLR_COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

#endif
