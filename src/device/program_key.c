/* Key texts: the lines, their order, and which environment variables steer a compiler. */
#include "device/program_key.h"

#include "device/flatten.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

enum { KEY_VERSION = 1 };

/* Variables of drivers and their compilers, by prefix; but not those that only say where a vendor's
 * own cache is, which devices are seen, or what is printed. */
static const char *const prefixes[] = { "POCL_",      "IGC_",      "NEO_",
                                        "AMD_COMGR_", "AMD_OCL_",  "GPU_",
                                        "CUDA_",      "NV_",       "__CUDA_",
                                        "RUSTICL_",   "MESA_",     "LLVM_",
                                        "LP_",        "GALLIVM_",  "AMD_DEBUG",
                                        "NVK_",       "RADV_",     "ACO_",
                                        "CL_",        "OCLGRIND_", "OverrideDefaultFP64Settings" };
static const char *const harmless[] = { "CACHE",        "VISIBLE_DEVICES",
                                        "DEVICE_ORDER", "POCL_DEBUG",
                                        "POCL_DEVICES", "MAX_PTHREAD_COUNT",
                                        "NUM_THREADS",  "MAX_CONNECTIONS",
                                        "LOG",          "GPU_DEVICE_ORDINAL" };

static int steers_a_compiler(const char *variable)
{
    size_t length = strcspn(variable, "=");
    int matches = 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        matches |= !strncmp(variable, prefixes[i], strlen(prefixes[i]));
    for (size_t i = 0; matches && i < sizeof harmless / sizeof *harmless; i++) {
        const char *found = strstr(variable, harmless[i]);
        if (found && (size_t)(found - variable) < length)
            matches = 0;
    }
    return matches;
}

/* One line, whatever the text holds. */
static void add_line(clr_text *key, const char *word, const char *value)
{
    clr_text_add(key, "%s ", word);
    for (; *value; value++)
        clr_text_add_bytes(key, *value == '\n' || *value == '\r' ? " " : value, 1);
    clr_text_add_bytes(key, "\n", 1);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void clr_program_key_environment(clr_text *key)
{
    size_t n = 0, total = 0;
    while (environ && environ[total])
        total++;
    const char **found = malloc((total + 1) * sizeof *found);
    if (!found) {
        key->failed = 1;
        return;
    }
    for (size_t i = 0; i < total; i++)
        if (steers_a_compiler(environ[i]))
            found[n++] = environ[i];
    if (n)
        qsort(found, n, sizeof *found, by_text);
    for (size_t i = 0; i < n; i++)
        add_line(key, "environment", found[i]);
    free(found);
}

const char *clr_program_options(const clradio_device *device)
{
    return device->backend->options ? device->backend->options : "";
}

static void add_option(char *options, size_t room, const char *option)
{
    const size_t used = strlen(options);
    snprintf(options + used, room - used, " %s", option);
}

void clr_program_write_options(clradio_device *device, const clr_macro *macros, size_t n_macros,
                               char *options, size_t room)
{
    const clr_backend *backend = device->backend;
    const char *registers = backend->register_option ? backend->register_option(device) : NULL;
    const char *relocatable;
    snprintf(options, room, "%s", clr_program_options(device));
    for (size_t i = 0; i < n_macros; i++) {
        const char *name = macros[i].name;
        char cap[64];
        if (macros[i].value <= 0)
            continue;
        if (!strcmp(name, "REGISTERS") && registers) {
            snprintf(cap, sizeof cap, "%s=%" PRId64, registers, macros[i].value);
            add_option(options, room, cap);
        } else if (!strcmp(name, "CHILDREN") && backend->children &&
                   !backend->children(device, &relocatable)) {
            add_option(options, room, relocatable);
        } else if (!strcmp(name, "ARCHITECTURE_SPECIFIC") && backend->specific_option) {
            add_option(options, room, backend->specific_option);
        }
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const clr_macro *)a)->name, ((const clr_macro *)b)->name);
}

/* What the host knows of the device, then the caller's own, sorted. */
static clr_macro *all_macros(const clradio_device *device, const clr_macro *macros, size_t n_macros,
                             size_t *n)
{
    const clradio_device_info *info = &device->info;
    const clr_macro host[] = {
        { device->backend->macro, 1 },
        { "HAVE_FP64", info->fp64 },
        { "HAVE_FP16", info->fp16 },
        { "HAVE_PACKED_DOT", info->packed_dot },
        { "HAVE_MATRIX_UNIT", info->matrix_unit },
    };
    *n = sizeof host / sizeof *host + n_macros;
    clr_macro *all = malloc(*n * sizeof *all);
    if (all) {
        memcpy(all, host, sizeof host);
        if (n_macros)
            memcpy(all + sizeof host / sizeof *host, macros, n_macros * sizeof *macros);
    }
    return all;
}

clradio_status clr_program_key(clradio_device *device, const char *name, const clr_macro *macros,
                               size_t n_macros, clr_text *key, size_t *source)
{
    clr_text flat = { 0 };
    size_t n_all;
    clr_macro *all = all_macros(device, macros, n_macros, &n_all);
    if (!all)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for %zu macros", n_macros);
    clradio_status status = clr_flatten(name, all, n_all, &flat);
    if (!status) {
        if (n_macros)
            qsort(all + n_all - n_macros, n_macros, sizeof *all, by_name);
        clr_text_add(key, "clradio program %d\nprogram %s\nmacros", KEY_VERSION, name);
        for (size_t i = n_all - n_macros; i < n_all; i++)
            clr_text_add(key, " %s=%" PRId64, all[i].name, all[i].value);
        clr_text_add(key, "\n");
        add_line(key, "device", device->info.name);
        add_line(key, "back end", device->backend->name);
        device->backend->key_lines(device, key);
        if (key->length && key->bytes[key->length - 1] != '\n')
            clr_text_add(key, "\n");
        clr_program_key_environment(key);
        add_line(key, "options", clr_program_options(device));
        clr_text_add(key, "source\n");
        *source = key->length;
        clr_text_add_bytes(key, flat.bytes, flat.length);
    }
    if (!status && key->failed)
        status = clr_fail(CLRADIO_ERROR_MEMORY, "no memory for the key of '%s'", name);
    free(all);
    clr_text_free(&flat);
    return status;
}
