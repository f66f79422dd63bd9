/* Names of files that are being written, and the table from which a signal's handler deletes them:
 * what a process leaves half written when it is ended is of use to nobody. */
#include "base/error.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_AT_ONCE = 16, LONGEST_NAME = 4096 };

/* Files beyond the table's size are written as well, but a signal leaves them. Nothing here is
 * locked: a handler may not wait, and deleting a name that has just been renamed or deleted does
 * nothing. */
static struct {
    atomic_int taken;
    char name[LONGEST_NAME];
} table[MOST_AT_ONCE];

static char *take_place(size_t room)
{
    for (int i = 0; room <= LONGEST_NAME && i < MOST_AT_ONCE; i++) {
        int free_before = 0;
        if (atomic_compare_exchange_strong(&table[i].taken, &free_before, 1))
            return table[i].name;
    }
    return malloc(room);
}

static void leave_place(char *name)
{
    for (int i = 0; i < MOST_AT_ONCE; i++) {
        if (table[i].name == name) {
            atomic_store(&table[i].taken, 0);
            return;
        }
    }
    free(name);
}

void clr_temporary_remove_all(void)
{
    for (int i = 0; i < MOST_AT_ONCE; i++)
        if (atomic_load(&table[i].taken))
            unlink(table[i].name);
}

clradio_status clr_temporary_name(const char *path, unsigned mode, char **temporary)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t room = strlen(path) + 16;
    *temporary = NULL;
    /* Made in the table, so that at no moment there is a file that the table does not name. */
    char *made = take_place(room);
    if (!made)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for a file name");
    snprintf(made, room, "%.*s.%s.XXXXXX", (int)(name - path), path, name);
    int descriptor = mkstemp(made);
    if (descriptor < 0) {
        clradio_status status =
            clr_fail(CLRADIO_ERROR_IO, "cannot create '%s': %s", path, strerror(errno));
        leave_place(made);
        return status;
    }
    fchmod(descriptor, mode);
    close(descriptor);
    *temporary = made;
    return CLRADIO_OK;
}

clradio_status clr_temporary_keep(char **temporary, const char *path)
{
    int descriptor = open(*temporary, O_RDWR | O_CLOEXEC);
    int done = descriptor >= 0 && fsync(descriptor) == 0;
    if (descriptor >= 0)
        done = close(descriptor) == 0 && done;
    if (!done)
        return clr_fail(CLRADIO_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    if (rename(*temporary, path))
        return clr_fail(CLRADIO_ERROR_IO, "cannot create '%s': %s", path, strerror(errno));
    leave_place(*temporary);
    *temporary = NULL;
    return CLRADIO_OK;
}

void clr_temporary_drop(char **temporary)
{
    if (!*temporary)
        return;
    unlink(*temporary);
    leave_place(*temporary);
    *temporary = NULL;
}
