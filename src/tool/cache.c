/* clradio cache: what the cache of built programs holds; checking and clearing it. */
#include "device/cache.h"

#include "tool/commands.h"
#include "tool/json.h"
#include "tool/options.h"
#include "tool/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct values {
    int json;
};

static const clr_option options[] = {
    { .name = "json",
      .kind = CLR_OPTION_FLAG,
      .offset = offsetof(struct values, json),
      .help = "print JSON instead of text" },
};

static const clr_usage usage = {
    .command = "cache",
    .operands = "info|list|verify|clear",
    .least_operands = 1,
    .most_operands = 1,
    .about =
        "The cache of built programs. info: where it is, how full, how it is used. list: every "
        "program in it. verify: reads every entry whole and checks it (exit code 1 when one "
        "is no use; it would be rebuilt). clear: deletes everything in it.",
    .options = options,
    .n_options = CLR_COUNT_OF(options),
    .notes = "CLRADIO_CACHE_DIR names the folder (else $XDG_CACHE_HOME/clradio, else "
             "~/.cache/clradio), CLRADIO_CACHE is off, ro, rw or verify, CLRADIO_CACHE_SIZE the "
             "most it may hold (256M).",
};

static const char *folder_of(const clr_cache *cache)
{
    return cache->folder ? cache->folder : "";
}

static clr_exit show_info(const clr_cache *cache, const clr_cache_entry *entries, size_t count,
                          int json)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += entries[i].bytes;
    if (json) {
        clr_json *root = clr_json_object();
        clr_json_add_text(root, "folder", folder_of(cache));
        clr_json_add_text(root, "mode", clr_cache_mode_name(cache->mode));
        clr_json_add_text(root, "trouble", cache->trouble);
        clr_json_add_whole(root, "programs", (int64_t)count);
        clr_json_add_whole(root, "bytes", (int64_t)bytes);
        clr_json_add_whole(root, "limit_bytes", (int64_t)cache->limit_bytes);
        return clr_json_print(root, stdout);
    }
    printf("folder    %s\n", cache->folder ? cache->folder : "none");
    printf("mode      %s\n", clr_cache_mode_name(cache->mode));
    if (*cache->trouble)
        printf("trouble   %s\n", cache->trouble);
    printf("programs  %zu, %.1f MiB of at most %.0f MiB\n", count, (double)bytes / (1 << 20),
           (double)cache->limit_bytes / (1 << 20));
    return CLR_EXIT_OK;
}

static void print_entry(const clr_cache_entry *entry)
{
    char when[32] = "?";
    time_t modified = (time_t)entry->modified_s;
    struct tm date;
    if (gmtime_r(&modified, &date))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &date);
    printf("%s  %7.1f KiB  %-24s %-28s %s%s%s\n", when, (double)entry->bytes / 1024,
           *entry->program ? entry->program : entry->file, entry->device, entry->macros,
           *entry->problem ? "  -- " : "", entry->problem);
}

static void add_entry(clr_json *list, const clr_cache_entry *entry)
{
    clr_json *to = clr_json_add_object(list, NULL);
    clr_json_add_text(to, "file", entry->file);
    clr_json_add_text(to, "program", entry->program);
    clr_json_add_text(to, "macros", entry->macros);
    clr_json_add_text(to, "device", entry->device);
    clr_json_add_whole(to, "bytes", (int64_t)entry->bytes);
    clr_json_add_whole(to, "modified_s", entry->modified_s);
    clr_json_add_text(to, "problem", entry->problem);
}

/* list shows all, verify only what is wrong, and a verdict. */
static clr_exit show_entries(const clr_cache_entry *entries, size_t count, int verify, int json)
{
    clr_json *root = json ? clr_json_object() : NULL;
    clr_json *list = json ? clr_json_add_array(root, "entries") : NULL;
    size_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        bad += *entries[i].problem != 0;
        if (json)
            add_entry(list, &entries[i]);
        else if (!verify || *entries[i].problem)
            print_entry(&entries[i]);
    }
    if (json) {
        clr_json_add_whole(root, "bad", (int64_t)bad);
        clr_exit answer = clr_json_print(root, stdout);
        return answer == CLR_EXIT_OK && verify && bad ? CLR_EXIT_FAILED : answer;
    }
    if (verify && !bad)
        printf("%zu programs, all sound\n", count);
    else if (!verify && !count)
        printf("the cache is empty\n");
    if (verify && bad)
        return clr_say(CLR_EXIT_FAILED,
                       "%zu of %zu programs in the cache are no use; each is "
                       "rebuilt when it is wanted",
                       bad, count);
    return CLR_EXIT_OK;
}

static clr_exit clear(const clr_cache *cache, int json)
{
    size_t removed = 0;
    uint64_t bytes = 0;
    clradio_status status = clr_cache_clear(cache, &removed, &bytes);
    if (status == CLRADIO_ERROR_STATE)
        return clr_say(CLR_EXIT_USAGE, "%s", clradio_last_error());
    if (status)
        return clr_say_status(status);
    if (json) {
        clr_json *root = clr_json_object();
        clr_json_add_whole(root, "removed", (int64_t)removed);
        clr_json_add_whole(root, "bytes", (int64_t)bytes);
        return clr_json_print(root, stdout);
    }
    printf("removed %zu files, %.1f MiB\n", removed, (double)bytes / (1 << 20));
    return CLR_EXIT_OK;
}

static clr_exit look(const clr_cache *cache, const char *what, int json)
{
    clr_cache_entry *entries = NULL;
    size_t count = 0;
    clradio_status status = cache->folder ? clr_cache_list(cache, &entries, &count) : CLRADIO_OK;
    if (status)
        return clr_say_status(status);
    clr_exit answer = strcmp(what, "info") == 0
                          ? show_info(cache, entries, count, json)
                          : show_entries(entries, count, strcmp(what, "verify") == 0, json);
    free(entries);
    return answer;
}

clr_exit clr_command_cache(int argc, char **argv)
{
    static const char *const verbs[] = { "info", "list", "verify", "clear" };
    struct values values = { 0 };
    clr_operands operands;
    clr_exit answer = clr_options_read(&usage, argc, argv, &values, &operands);
    if (answer == CLR_EXIT_CARRY_ON && values.json)
        answer = clr_json_ready();
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    const char *what = operands.items[0];
    answer = clr_is_one_of("cache", what, verbs, CLR_COUNT_OF(verbs));
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clr_cache cache;
    clr_cache_open(&cache);
    answer =
        strcmp(what, "clear") == 0 ? clear(&cache, values.json) : look(&cache, what, values.json);
    clr_cache_close(&cache);
    return answer;
}
