/* clradio simulate array: the options that are lists, sources and gains. */
#include "tool/simulate.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Cuts text at commas into numbers; returns how many, or 0 for anything else. */
static size_t read_numbers(const char *text, double *numbers, size_t room)
{
    char part[64];
    size_t count = 0;
    for (;;) {
        size_t length = strcspn(text, ",");
        if (length >= sizeof part || count == room)
            return 0;
        clr_copy_text(part, length + 1, text);
        if (!clr_parse_double(part, &numbers[count++]))
            return 0;
        if (!text[length])
            return count;
        text += length + 1;
    }
}

clr_exit clr_simulate_sources(const clr_option_list *list, clr_simulation *simulation)
{
    size_t count = list->count;
    simulation->sources = calloc(count + 1, sizeof *simulation->sources);
    if (!simulation->sources)
        return clr_say(CLR_EXIT_FAILED, "no memory for %zu sources", count);
    for (size_t k = 0; k < count; k++) {
        double n[5] = { 0 };
        size_t given = read_numbers(list->items[k], n, 5);
        if (given < 3)
            return clr_say(CLR_EXIT_USAGE,
                           "simulate array: --source takes AZ,EL,FLUX or AZ,EL,FLUX,P,PHASE, not "
                           "'%s'",
                           list->items[k]);
        simulation->sources[k] = (clr_sky_source){ n[0], n[1], n[2], n[3], n[4] };
    }
    if (!count)
        simulation->sources[count++] = (clr_sky_source){ 40, 60, 1, 0.5, 30 };
    simulation->array.sources = simulation->sources;
    simulation->array.n_sources = count;
    return CLR_EXIT_CARRY_ON;
}

clr_exit clr_simulate_gains(const clr_option_list *list, clr_simulation *simulation)
{
    uint32_t stations = simulation->array.stations, pols = simulation->array.polarisations;
    simulation->gain = malloc((size_t)stations * pols * sizeof *simulation->gain);
    if (!simulation->gain)
        return clr_say(CLR_EXIT_FAILED, "no memory for %u stations", stations);
    for (size_t input = 0; input < (size_t)stations * pols; input++)
        simulation->gain[input] = 1;
    for (size_t k = 0; k < list->count; k++) {
        const char *text = list->items[k];
        size_t digits = strspn(text, "0123456789");
        char number[16];
        uint64_t station = 0;
        double gain = 0;
        const char *rest = text + digits;
        int pol = *rest == 'X' ? 0 : *rest == 'Y' ? 1 : -1;
        rest += pol >= 0;
        if (digits >= sizeof number ||
            !clr_parse_u64(clr_copy_text(number, digits + 1, text), &station) || *rest != '=' ||
            !clr_parse_double(rest + 1, &gain) || station >= stations || pol >= (int)pols)
            return clr_say(
                CLR_EXIT_USAGE,
                "simulate array: --gain takes a station below %u, X or Y or neither, and "
                "a factor, such as 0Y=0.5, not '%s'",
                stations, text);
        for (int p = 0; p < (int)pols; p++)
            if (pol < 0 || p == pol)
                simulation->gain[station * pols + (unsigned)p] = gain;
    }
    simulation->array.gain = simulation->gain;
    return CLR_EXIT_CARRY_ON;
}
