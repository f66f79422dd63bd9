/* clradio devices: every device found, what it can do (probed by opening it), why it cannot be
 * used. */
#include "tool/commands.h"
#include "tool/json.h"
#include "tool/options.h"
#include "tool/say.h"

#include <clradio/device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    .command = "devices",
    .operands = "",
    .about = "Lists the devices found: identity, driver, size, and the features that were probed "
             "by building a small program for each. A device that cannot be used says why.",
    .options = options,
    .n_options = CLR_COUNT_OF(options),
    .notes =
        "Any command with --device takes the identity in front (opencl:0.0), opencl:N for "
        "the N-th device, cuda:N, auto, or a part of the name. Without --device the environment "
        "variable CLRADIO_DEVICE is used, else auto: a GPU, else an accelerator, else a CPU.",
};

static const char *kind_name(clradio_device_kind kind)
{
    switch (kind) {
    case CLRADIO_DEVICE_CPU: return "CPU";
    case CLRADIO_DEVICE_GPU: return "GPU";
    case CLRADIO_DEVICE_ACCELERATOR: return "accelerator";
    default: return "other";
    }
}

static void print_bytes(const char *before, uint64_t bytes, const char *after)
{
    if (bytes >= 1ull << 30)
        printf("%s%.1f GiB%s", before, (double)bytes / (1ull << 30), after);
    else if (bytes >= 1u << 20)
        printf("%s%.0f MiB%s", before, (double)bytes / (1u << 20), after);
    else
        printf("%s%.0f KiB%s", before, (double)bytes / 1024, after);
}

/* The identity of an earlier device that is the same card behind another back end, or NULL. */
static const char *same_card(const clradio_device_info *infos, size_t which)
{
    const clradio_device_info *own = &infos[which];
    for (size_t i = 0; i < which; i++)
        if ((*own->uuid && !strcmp(own->uuid, infos[i].uuid)) ||
            (*own->pci_address && !strcmp(own->pci_address, infos[i].pci_address)))
            return infos[i].id;
    return NULL;
}

static void print_device(const clradio_device_info *infos, size_t which)
{
    const clradio_device_info *info = &infos[which];
    printf("%-12s%s\n", info->id, info->name);
    printf("  kind        %s, %s%s%s\n", kind_name(info->kind), info->vendor,
           *info->architecture ? ", " : "", info->architecture);
    printf("  platform    %s (%s)\n", info->platform, info->platform_version);
    printf("  driver      %s, %s\n", info->driver, info->version);
    printf("  size        %u compute units", info->compute_units);
    if (info->clock_mhz)
        printf(" at %u MHz", info->clock_mhz);
    printf(", groups of up to %llu\n", (unsigned long long)info->max_group_size);
    if (info->connections)
        printf("  connections %u hardware queues for streams\n", info->connections);
    print_bytes("  memory      ", info->memory_bytes, "");
    print_bytes(", one buffer up to ", info->max_allocation_bytes, "");
    print_bytes(", ", info->local_memory_bytes, " local");
    printf("%s\n", info->unified_memory ? ", shared with the host" : "");
    if (*info->uuid || *info->pci_address)
        printf("  address     %s%s%s\n", info->pci_address,
               *info->uuid && *info->pci_address ? ", UUID " : (*info->uuid ? "UUID " : ""),
               info->uuid);
    if (same_card(infos, which))
        printf("  same card   as %s\n", same_card(infos, which));
    if (*info->unusable)
        printf("  unusable    %s\n", info->unusable);
    else
        printf("  features    fp64 %s, fp16 %s, packed dot product %s, matrix unit %s\n",
               info->fp64 ? "yes" : "no", info->fp16 ? "yes" : "no",
               info->packed_dot ? "yes" : "no",
               info->matrix_unit == 2 || info->matrix_unit == 4
                   ? "yes (AMD's: unproven on any card, used once its self-test passes there)"
               : info->matrix_unit ? "yes"
                                   : "no");
}

static void add_device(clr_json *devices, const clradio_device_info *infos, size_t which)
{
    const clradio_device_info *info = &infos[which];
    clr_json *to = clr_json_add_object(devices, NULL);
    const struct {
        const char *key, *text;
    } texts[] = {
        { "id", info->id },
        { "back_end", info->back_end },
        { "name", info->name },
        { "vendor", info->vendor },
        { "kind", kind_name(info->kind) },
        { "platform", info->platform },
        { "platform_version", info->platform_version },
        { "version", info->version },
        { "driver", info->driver },
        { "architecture", info->architecture },
        { "uuid", info->uuid },
        { "pci_address", info->pci_address },
    };
    for (size_t i = 0; i < CLR_COUNT_OF(texts); i++)
        clr_json_add_text(to, texts[i].key, texts[i].text);
    if (same_card(infos, which))
        clr_json_add_text(to, "same_card_as", same_card(infos, which));
    clr_json_add_whole(to, "compute_units", info->compute_units);
    clr_json_add_whole(to, "clock_mhz", info->clock_mhz);
    clr_json_add_whole(to, "memory_bytes", (int64_t)info->memory_bytes);
    clr_json_add_whole(to, "max_allocation_bytes", (int64_t)info->max_allocation_bytes);
    clr_json_add_whole(to, "local_memory_bytes", (int64_t)info->local_memory_bytes);
    clr_json_add_whole(to, "max_group_size", (int64_t)info->max_group_size);
    clr_json_add_whole(to, "connections", info->connections);
    clr_json_add_truth(to, "unified_memory", info->unified_memory);
    clr_json_add_truth(to, "usable", !*info->unusable);
    clr_json_add_text(to, "unusable", info->unusable);
    if (*info->unusable)
        return;
    clr_json_add_truth(to, "fp64", info->fp64);
    clr_json_add_truth(to, "fp16", info->fp16);
    clr_json_add_truth(to, "packed_dot", info->packed_dot);
    clr_json_add_truth(to, "matrix_unit", info->matrix_unit);
}

/* Features are known once a device is open; a device that does not open says why. */
static void probe(clradio_device_info *info)
{
    if (*info->unusable)
        return;
    clradio_device *device = NULL;
    clradio_device_info found = CLRADIO_DEVICE_INFO_INIT;
    if (clradio_device_open(info->id, &device) || clradio_device_describe(device, &found))
        snprintf(info->unusable, sizeof info->unusable, "%s", clradio_last_error());
    else
        *info = found;
    clradio_device_close(device);
}

static clr_exit list(clradio_device_info **infos, size_t *count)
{
    *infos = NULL;
    *count = 0;
    clradio_status status = clradio_device_list(NULL, 0, count);
    if (status)
        return clr_say_status(status);
    if (!*count) {
        clradio_device *none = NULL;
        status = clradio_device_open("auto", &none); /* says why there is none */
        clradio_device_close(none);
        return clr_say_status(status ? status : CLRADIO_ERROR_NO_DEVICE);
    }
    *infos = calloc(*count, sizeof **infos);
    if (!*infos)
        return clr_say(CLR_EXIT_FAILED, "no memory for %zu devices", *count);
    for (size_t i = 0; i < *count; i++)
        (*infos)[i].struct_size = sizeof **infos;
    size_t room = *count;
    status = clradio_device_list(*infos, room, count);
    if (*count > room)
        *count = room;
    return status ? clr_say_status(status) : CLR_EXIT_CARRY_ON;
}

clr_exit clr_command_devices(int argc, char **argv)
{
    struct values values = { 0 };
    clr_exit answer = clr_options_read(&usage, argc, argv, &values, NULL);
    if (answer == CLR_EXIT_CARRY_ON && values.json)
        answer = clr_json_ready();
    if (answer != CLR_EXIT_CARRY_ON)
        return answer;
    clradio_device_info *infos;
    size_t count;
    answer = list(&infos, &count);
    if (answer == CLR_EXIT_CARRY_ON) {
        clr_json *root = values.json ? clr_json_object() : NULL;
        clr_json *devices = values.json ? clr_json_add_array(root, "devices") : NULL;
        size_t usable = 0;
        for (size_t i = 0; i < count; i++) {
            probe(&infos[i]);
            usable += !*infos[i].unusable;
            if (values.json)
                add_device(devices, infos, i);
            else
                print_device(infos, i);
        }
        answer = values.json ? clr_json_print(root, stdout) : CLR_EXIT_OK;
        if (answer == CLR_EXIT_OK && !usable)
            answer = clr_say(CLR_EXIT_NO_DEVICE, "none of the %zu devices can be used", count);
    }
    free(infos);
    return answer;
}
