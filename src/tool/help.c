/* Help, made from the table that also parses. */
#include "tool/options.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, VALUE_COLUMN = 28 };

void clr_print_wrapped(const char *text, unsigned indent, unsigned column)
{
    while (*text) {
        if (*text == '\n') {
            putchar('\n');
            column = 0;
            text++;
            continue;
        }
        size_t length = strcspn(text, " \n");
        if (column > indent && column + 1 + length > WIDTH) {
            putchar('\n');
            column = 0;
        }
        if (column < indent) {
            printf("%*s", (int)(indent - column), "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        fwrite(text, 1, length, stdout);
        column += (unsigned)length;
        text += length;
        while (*text == ' ')
            text++;
    }
    putchar('\n');
}

static void print_option(const clr_option *option)
{
    if (option->kind == CLR_OPTION_HEADING) {
        printf("\n%s:\n", option->help);
        return;
    }
    clr_text left = { 0 };
    if (option->letter)
        clr_text_add(&left, "  -%c, --%s", option->letter, option->name);
    else
        clr_text_add(&left, "  --%s", option->name);
    if (option->kind != CLR_OPTION_FLAG)
        clr_text_add(&left, " %s", option->value);
    unsigned column = (unsigned)left.length;
    fputs(left.bytes ? left.bytes : "", stdout);
    clr_text_free(&left);
    if (column + 2 > VALUE_COLUMN) {
        putchar('\n');
        column = 0;
    }
    clr_text right = { 0 };
    clr_text_add(&right, "%s", option->help);
    if (option->kind == CLR_OPTION_CHOICE) {
        clr_text_add(&right, ": ");
        for (size_t i = 0; option->choices[i]; i++)
            clr_text_add(&right, "%s%s", i ? ", " : "", option->choices[i]);
    }
    if (option->normally)
        clr_text_add(&right, " (default: %s)", option->normally);
    if (right.bytes)
        clr_print_wrapped(right.bytes, VALUE_COLUMN, column);
    clr_text_free(&right);
}

void clr_usage_print(const clr_usage *usage)
{
    printf("usage: clradio %s%s%s%s\n\n", usage->command, usage->n_options ? " [options]" : "",
           *usage->operands ? " " : "", usage->operands);
    clr_print_wrapped(usage->about, 0, 0);
    if (usage->n_options && usage->options[0].kind != CLR_OPTION_HEADING)
        printf("\nOptions:\n");
    for (size_t i = 0; i < usage->n_options; i++)
        print_option(&usage->options[i]);
    if (usage->notes) {
        putchar('\n');
        clr_print_wrapped(usage->notes, 0, 0);
    }
}
