#include "device/cuda_library.h"

#include "base/text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *clr_cuda_asked_file(const char *variable)
{
    const char *asked = getenv(variable);
    return asked && *asked ? asked : NULL;
}

void *clr_cuda_open_library(const char *const *names, size_t n)
{
    const char *folders[] = { "", getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda" };
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++)
        for (size_t i = 0; i < n; i++) {
            if (!folders[f])
                continue;
            clr_text path = { 0 };
            clr_text_add(&path, "%s%s%s", folders[f], *folders[f] ? "/lib64/" : "", names[i]);
            void *library = path.failed ? NULL : dlopen(path.bytes, RTLD_NOW | RTLD_LOCAL);
            clr_text_free(&path);
            if (library)
                return library;
        }
    return NULL;
}

void clr_cuda_folder_of(const void *function, char *folder, size_t room)
{
    void *address;
    Dl_info where;
    memcpy(&address, function, sizeof address);
    *folder = '\0';
    if (!dladdr(address, &where) || !where.dli_fname || strlen(where.dli_fname) >= room)
        return;
    snprintf(folder, room, "%s", where.dli_fname);
    char *slash = strrchr(folder, '/');
    folder[slash ? slash + 1 - folder : 0] = '\0';
}

/* dlsym gives void *; POSIX lets it be a function, ISO C needs the copy. */
int clr_cuda_look_up(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}
