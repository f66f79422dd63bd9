/* Which device a name stands for: "auto", an id, a number, a part of a name; and what was meant. */
#include "device/backend.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_LISTED = 8 };

static const char *record_name(const clradio_device_info *info)
{
    return info->name[0] ? info->name : info->platform;
}

/* "opencl:0.0 (name), opencl:1.0 (name)" of those that match (of all when matches is NULL). */
static void list_records(clr_text *text, const clradio_device_info *infos, size_t count,
                         const unsigned char *matches)
{
    size_t listed = 0;
    for (size_t i = 0; i < count; i++) {
        if (matches && !matches[i])
            continue;
        if (listed == MOST_LISTED) {
            clr_text_add(text, ", ...");
            return;
        }
        clr_text_add(text, "%s%s (%s)", listed++ ? ", " : "", infos[i].id, record_name(&infos[i]));
    }
}

/* "opencl:2": the N-th record of that back end. */
static int find_number(const char *name, const clradio_device_info *infos, size_t count,
                       size_t *chosen)
{
    const char *colon = strchr(name, ':');
    uint64_t wanted, at = 0;
    if (!colon || !clr_parse_u64(colon + 1, &wanted))
        return 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(infos[i].back_end);
        if (length == (size_t)(colon - name) && !strncasecmp(infos[i].back_end, name, length) &&
            at++ == wanted) {
            *chosen = i;
            return 1;
        }
    }
    return 0;
}

/* Two records of one piece of hardware, seen through two platforms. */
static int same_hardware(const clradio_device_info *a, const clradio_device_info *b)
{
    if (a->uuid[0] && b->uuid[0])
        return !strcmp(a->uuid, b->uuid);
    return a->pci_address[0] && !strcmp(a->pci_address, b->pci_address);
}

/*
 * Marks the records whose name or platform contains the text. Usable ones push unusable ones aside,
 * a whole name pushes mere parts aside, and hardware seen twice counts once (its first record).
 */
static size_t mark_matches(const char *name, const clradio_device_info *infos, size_t count,
                           unsigned char *matches)
{
    int usable = 0, whole = 0;
    for (size_t i = 0; i < count; i++) {
        matches[i] = clr_contains(infos[i].name, name) || clr_contains(infos[i].platform, name) ||
                     clr_contains(infos[i].platform_version, name); /* "pocl" stands only there */
        if (matches[i] && !infos[i].unusable[0])
            usable = 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (usable && infos[i].unusable[0])
            matches[i] = 0;
        if (matches[i] && !strcasecmp(infos[i].name, name))
            whole = 1;
    }
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (whole && strcasecmp(infos[i].name, name))
            matches[i] = 0;
        for (size_t j = 0; j < i; j++)
            if (matches[i] && matches[j] && same_hardware(&infos[i], &infos[j]))
                matches[i] = 0;
        n += matches[i];
    }
    return n;
}

/* Every word that could have been meant: ids, names, platforms, and the words of those two. */
typedef struct word_list {
    char **words;
    size_t n, room;
} word_list;

static void add_word(word_list *list, const char *word, size_t length)
{
    if (length < 3)
        return;
    if (list->n == list->room) {
        size_t room = list->room ? 2 * list->room : 32;
        char **words = realloc(list->words, room * sizeof *words);
        if (!words)
            return;
        list->words = words;
        list->room = room;
    }
    char *copy = malloc(length + 1);
    if (!copy)
        return;
    memcpy(copy, word, length);
    copy[length] = '\0';
    list->words[list->n++] = copy;
}

static void add_words_of(word_list *list, const char *text)
{
    static const char between[] = " -,()/";
    add_word(list, text, strlen(text));
    while (*text) {
        size_t length = strcspn(text, between);
        add_word(list, text, length);
        text += length;
        text += strspn(text, between);
    }
}

/* Adds ": did you mean ...?" when something is near. */
static void add_closest(clr_text *text, const char *name, const clradio_device_info *infos,
                        size_t count)
{
    word_list list = { NULL, 0, 0 };
    add_word(&list, "auto", 4);
    for (size_t i = 0; i < count; i++) {
        add_word(&list, infos[i].id, strlen(infos[i].id));
        add_words_of(&list, infos[i].name);
        add_words_of(&list, infos[i].platform);
    }
    size_t closest = clr_closest(name, (const char *const *)list.words, list.n);
    if (closest < list.n)
        clr_text_add(text, ": did you mean \"%s\"?", list.words[closest]);
    else
        clr_text_add(text, ".");
    for (size_t i = 0; i < list.n; i++)
        free(list.words[i]);
    free(list.words);
}

static clradio_status not_found(const char *name, const clradio_device_info *infos, size_t count)
{
    clr_text text = { 0 };
    clr_text_add(&text, "no device is called \"%s\"", name);
    if (count) {
        add_closest(&text, name, infos, count);
        clr_text_add(&text, " There are ");
        list_records(&text, infos, count, NULL);
    } else {
        clr_text_add(&text, ": no device was found at all; install an OpenCL driver");
    }
    clr_fail(CLRADIO_ERROR_NO_DEVICE, "%s", text.bytes ? text.bytes : name);
    clr_text_free(&text);
    return CLRADIO_ERROR_NO_DEVICE;
}

static clradio_status find_part(const char *name, const clradio_device_info *infos, size_t count,
                                size_t *chosen)
{
    unsigned char *matches = calloc(count + 1, 1);
    if (!matches)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory");
    size_t n = mark_matches(name, infos, count, matches);
    clradio_status status = CLRADIO_OK;
    if (!n)
        status = not_found(name, infos, count);
    for (size_t i = 0; n == 1 && i < count; i++)
        if (matches[i])
            *chosen = i;
    if (n > 1) {
        clr_text text = { 0 };
        list_records(&text, infos, count, matches);
        status = clr_fail(CLRADIO_ERROR_NO_DEVICE, "\"%s\" fits %zu devices: %s", name, n,
                          text.bytes ? text.bytes : "");
        clr_text_free(&text);
    }
    free(matches);
    return status;
}

clradio_status clr_device_find(const char *name, const clradio_device_info *infos, size_t count,
                               size_t *chosen)
{
    *chosen = count;
    if (!strcasecmp(name, "auto"))
        return CLRADIO_OK;
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(name, infos[i].id)) {
            *chosen = i;
            return CLRADIO_OK;
        }
    if (find_number(name, infos, count, chosen))
        return CLRADIO_OK;
    return find_part(name, infos, count, chosen);
}
