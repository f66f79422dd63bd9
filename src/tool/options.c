/* Reads options by a table. What is wrong is said in one sentence, with the closest name. */
#include "tool/options.h"

#include "base/text.h"
#include "tool/say.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct unit {
    const char *name;
    double factor;
} unit;

const char *const clr_option_array_formats[] = { "suffix", "npy",    "npz", "hdf5",
                                                 "mat",    "mat7.3", NULL };

static const unit hertz_units[] = { { "Hz", 1 }, { "kHz", 1e3 }, { "MHz", 1e6 }, { "GHz", 1e9 } };
static const unit second_units[] = { { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 } };

/* A number with one of the units or none. */
static int read_quantity(const char *text, const unit *units, size_t n_units, double *value)
{
    if (clr_parse_double(text, value))
        return 1;
    char number[64];
    size_t length = strlen(text);
    for (size_t i = n_units; i-- > 0;) { /* longest first: "ms" before "s" */
        size_t tail = strlen(units[i].name);
        if (length <= tail || length - tail >= sizeof number ||
            strcmp(text + length - tail, units[i].name) != 0)
            continue;
        clr_copy_text(number, length - tail + 1, text);
        if (clr_parse_double(number, value)) {
            *value *= units[i].factor;
            return 1;
        }
    }
    return 0;
}

int clr_parse_hertz(const char *text, double *hertz)
{
    return read_quantity(text, hertz_units, CLR_COUNT_OF(hertz_units), hertz);
}

static const char *kind_words(clr_option_kind kind)
{
    switch (kind) {
    case CLR_OPTION_COUNT: return "a whole number";
    case CLR_OPTION_BYTES: return "a number of bytes such as 512M or 2G";
    case CLR_OPTION_HERTZ: return "a number of hertz such as 32e6 or 32MHz";
    case CLR_OPTION_SECONDS: return "a number of seconds such as 0.5 or 500ms";
    default: return "a number";
    }
}

static clr_exit check_range(const clr_usage *usage, const clr_option *option, const char *text,
                            double value)
{
    double least = option->least, most = option->most;
    if (least == 0 && most == 0)
        most = INFINITY;
    if (value >= least && value <= most)
        return CLR_EXIT_CARRY_ON;
    if (isinf(most))
        return clr_say(CLR_EXIT_USAGE, "%s: --%s must be at least %.15g, not '%s'", usage->command,
                       option->name, least, text);
    return clr_say(CLR_EXIT_USAGE, "%s: --%s must be between %.15g and %.15g, not '%s'",
                   usage->command, option->name, least, most, text);
}

static clr_exit read_number(const clr_usage *usage, const clr_option *option, const char *text,
                            void *place)
{
    double value = 0;
    uint64_t count = 0;
    int whole = option->kind == CLR_OPTION_COUNT || option->kind == CLR_OPTION_BYTES;
    int good = 0;
    if (option->kind == CLR_OPTION_COUNT)
        good = clr_parse_u64(text, &count);
    else if (option->kind == CLR_OPTION_BYTES)
        good = clr_parse_bytes(text, &count);
    else if (option->kind == CLR_OPTION_HERTZ)
        good = clr_parse_hertz(text, &value);
    else if (option->kind == CLR_OPTION_SECONDS)
        good = read_quantity(text, second_units, CLR_COUNT_OF(second_units), &value);
    else
        good = clr_parse_double(text, &value);
    if (!good)
        return clr_say(CLR_EXIT_USAGE, "%s: --%s takes %s, not '%s'", usage->command, option->name,
                       kind_words(option->kind), text);
    clr_exit answer = check_range(usage, option, text, whole ? (double)count : value);
    if (answer == CLR_EXIT_CARRY_ON && whole)
        memcpy(place, &count, sizeof count);
    else if (answer == CLR_EXIT_CARRY_ON)
        memcpy(place, &value, sizeof value);
    return answer;
}

static clr_exit read_choice(const clr_usage *usage, const clr_option *option, const char *text,
                            void *place)
{
    size_t n = 0;
    clr_text all = { 0 };
    for (; option->choices[n]; n++) {
        if (strcmp(option->choices[n], text) == 0) {
            int index = (int)n;
            memcpy(place, &index, sizeof index);
            clr_text_free(&all);
            return CLR_EXIT_CARRY_ON;
        }
        clr_text_add(&all, "%s%s", n ? ", " : "", option->choices[n]);
    }
    /* All are listed, the closest is no more than a guess: 'hanning' is closer to hamming than to
     * hann. */
    size_t closest = clr_closest(text, option->choices, n);
    int whole = 0;
    for (size_t i = 0; i < n; i++)
        whole |= strncmp(text, option->choices[i], strlen(option->choices[i])) == 0;
    clr_say(CLR_EXIT_USAGE, "%s: --%s cannot be '%s'; it is one of %s%s%s%s", usage->command,
            option->name, text, all.bytes ? all.bytes : "",
            closest < n && !whole ? "; did you mean '" : "",
            closest < n && !whole ? option->choices[closest] : "",
            closest < n && !whole ? "'?" : "");
    clr_text_free(&all);
    return CLR_EXIT_USAGE;
}

static clr_exit set_value(const clr_usage *usage, const clr_option *option, const char *text,
                          void *values)
{
    void *place = (char *)values + option->offset;
    if (option->kind == CLR_OPTION_FLAG) {
        int one = 1;
        memcpy(place, &one, sizeof one);
        return CLR_EXIT_CARRY_ON;
    }
    if (!*text)
        return clr_say(CLR_EXIT_USAGE, "%s: --%s has an empty value", usage->command, option->name);
    if (option->kind == CLR_OPTION_TEXT) {
        memcpy(place, &text, sizeof text);
        return CLR_EXIT_CARRY_ON;
    }
    if (option->kind == CLR_OPTION_LIST) {
        clr_option_list *list = place;
        if (list->count == CLR_OPTION_LIST_ROOM)
            return clr_say(CLR_EXIT_USAGE, "%s: --%s can be given at most %d times", usage->command,
                           option->name, CLR_OPTION_LIST_ROOM);
        list->items[list->count++] = text;
        return CLR_EXIT_CARRY_ON;
    }
    if (option->kind == CLR_OPTION_CHOICE)
        return read_choice(usage, option, text, place);
    return read_number(usage, option, text, place);
}

static const clr_option *find_option(const clr_usage *usage, const char *name, size_t length)
{
    for (size_t i = 0; i < usage->n_options; i++) {
        const clr_option *option = &usage->options[i];
        if (option->name && strlen(option->name) == length &&
            memcmp(option->name, name, length) == 0)
            return option;
    }
    return NULL;
}

static const clr_option *find_letter(const clr_usage *usage, char letter)
{
    for (size_t i = 0; i < usage->n_options; i++)
        if (usage->options[i].letter && usage->options[i].letter == letter)
            return &usage->options[i];
    return NULL;
}

static clr_exit unknown_option(const clr_usage *usage, const char *word, size_t length)
{
    const char *names[128];
    size_t n = 0;
    for (size_t i = 0; i < usage->n_options && n < CLR_COUNT_OF(names) - 1; i++)
        if (usage->options[i].name)
            names[n++] = usage->options[i].name;
    names[n++] = "help";
    char asked[64];
    clr_copy_text(asked, length + 1 < sizeof asked ? length + 1 : sizeof asked, word);
    size_t closest = clr_closest(asked, names, n);
    if (closest < n)
        return clr_say(CLR_EXIT_USAGE, "%s has no option --%s; did you mean --%s?", usage->command,
                       asked, names[closest]);
    return clr_say(CLR_EXIT_USAGE, "%s has no option --%s; 'clradio help %s' lists them",
                   usage->command, asked, usage->command);
}

/* One option at argv[*at]; moves *at on when the value is the next word. */
static clr_exit read_option(const clr_usage *usage, int argc, char **argv, int *at, void *values)
{
    const char *word = argv[*at];
    const clr_option *option;
    const char *text = NULL;
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        option = find_option(usage, word + 2, length);
        if (!option)
            return unknown_option(usage, word + 2, length);
        if (word[2 + length])
            text = word + 2 + length + 1;
    } else {
        option = find_letter(usage, word[1]);
        if (!option)
            return clr_say(CLR_EXIT_USAGE, "%s has no option %s; 'clradio help %s' lists them",
                           usage->command, word, usage->command);
        if (word[2])
            text = word + 2;
    }
    if (option->kind == CLR_OPTION_FLAG && text)
        return clr_say(CLR_EXIT_USAGE, "%s: --%s takes no value, but '%s' was given",
                       usage->command, option->name, text);
    if (option->kind != CLR_OPTION_FLAG && !text) {
        if (*at + 1 >= argc)
            return clr_say(CLR_EXIT_USAGE, "%s: --%s needs a value: %s", usage->command,
                           option->name, option->value);
        text = argv[++*at];
        if (text[0] == '-' && text[1] == '-')
            return clr_say(CLR_EXIT_USAGE, "%s: --%s needs a value (%s), but '%s' follows it",
                           usage->command, option->name, option->value, text);
    }
    return set_value(usage, option, text ? text : "", values);
}

static clr_exit check_operands(const clr_usage *usage, const clr_operands *operands)
{
    if (operands->count < usage->least_operands)
        return clr_say(CLR_EXIT_USAGE, "%s needs %s; 'clradio help %s' says more", usage->command,
                       usage->operands, usage->command);
    if (operands->count > usage->most_operands)
        return clr_say(CLR_EXIT_USAGE, "%s: what is '%s' for? %s", usage->command,
                       operands->items[usage->most_operands],
                       usage->most_operands ? "There is one operand too many"
                                            : "The command takes options only");
    return CLR_EXIT_CARRY_ON;
}

clr_exit clr_options_read(const clr_usage *usage, int argc, char **argv, void *values,
                          clr_operands *operands)
{
    size_t kept = 0;
    int only_operands = 0;
    for (int i = 1; i < argc; i++) {
        char *word = argv[i];
        if (only_operands || word[0] != '-' || !word[1]) {
            argv[1 + kept++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_operands = 1;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            clr_usage_print(usage);
            return CLR_EXIT_OK;
        } else {
            clr_exit answer = read_option(usage, argc, argv, &i, values);
            if (answer != CLR_EXIT_CARRY_ON)
                return answer;
        }
    }
    clr_operands found = { argv + 1, kept };
    clr_exit answer = check_operands(usage, &found);
    if (answer == CLR_EXIT_CARRY_ON && operands)
        *operands = found;
    return answer;
}

clr_exit clr_is_one_of(const char *command, const char *word, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, names[i]) == 0)
            return CLR_EXIT_CARRY_ON;
    size_t closest = clr_closest(word, names, n);
    if (closest < n)
        return clr_say(CLR_EXIT_USAGE, "%s has no '%s'; did you mean '%s'?", command, word,
                       names[closest]);
    return clr_say(CLR_EXIT_USAGE, "%s has no '%s'; 'clradio help %s' says what there is", command,
                   word, command);
}
