/*
 * MATLAB's .mat files of version 5, through matio: arrays of numbers, and those that are fields of
 * a 1 x 1 structure, as "structure.field". matio hands out a whole variable at once: it is read at
 * the first use, after its size was compared with what the file can hold.
 */
#include "base/checked.h"
#include "base/text.h"
#include "io/arrays_internal.h"

#include <stdlib.h>
#include <string.h>

#if HAVE_MATIO

#include <matio.h>

typedef struct mat_state {
    mat_t *mat;
    matvar_t **variable; /* of the file's top level */
    size_t variables, room;
    matvar_t *number[CLR_ARRAYS_MOST_ENTRIES]; /* of each entry: a variable or a field of one */
} mat_state;

static void say_nothing(int level, char *message)
{
    clr_log(level & MATIO_LOG_LEVEL_DEBUG ? CLRADIO_LOG_DEBUG : CLRADIO_LOG_INFO, "io", "matio: %s",
            message);
}

static clr_element element_of(const matvar_t *variable)
{
    int pair = variable->isComplex;
    switch (variable->class_type) {
    case MAT_C_DOUBLE: return pair ? CLR_ELEMENT_CF64 : CLR_ELEMENT_F64;
    case MAT_C_SINGLE: return pair ? CLR_ELEMENT_CF32 : CLR_ELEMENT_F32;
    case MAT_C_INT8: return pair ? CLR_ELEMENT_CF64 : CLR_ELEMENT_I8;
    case MAT_C_UINT8: return pair ? CLR_ELEMENT_CF64 : CLR_ELEMENT_U8;
    case MAT_C_INT16: return pair ? CLR_ELEMENT_CF64 : CLR_ELEMENT_I16;
    case MAT_C_UINT16: return pair ? CLR_ELEMENT_CF64 : CLR_ELEMENT_U16;
    case MAT_C_INT32: return pair ? CLR_ELEMENT_CF64 : CLR_ELEMENT_I32;
    case MAT_C_UINT32: return pair ? CLR_ELEMENT_CF64 : CLR_ELEMENT_U32;
    case MAT_C_INT64: return pair ? CLR_ELEMENT_CF64 : CLR_ELEMENT_I64;
    case MAT_C_UINT64: return pair ? CLR_ELEMENT_CF64 : CLR_ELEMENT_U64;
    default: return CLR_ELEMENT_NONE;
    }
}

/* What one component is as matio hands it out. */
static clr_element part_of(const matvar_t *variable)
{
    matvar_t real = *variable;
    real.isComplex = 0;
    return element_of(&real);
}

static clradio_status add_number(clr_arrays_file *file, matvar_t *variable, const char *name)
{
    mat_state *state = file->state;
    uint64_t limit = (1 << 20) + file->bytes * CLR_ARRAYS_MOST_EXPANSION;
    clr_arrays_entry *entry = clr_arrays_new_entry(file);
    if (!entry)
        return CLRADIO_ERROR_MEMORY;
    clr_copy_text(entry->info.name, sizeof entry->info.name, name);
    entry->info.element = element_of(variable);
    entry->fortran = 1;
    if (variable->rank < 0 || variable->rank > CLR_ARRAYS_MOST_RANK || !variable->dims)
        return clr_arrays_damaged(file, "'%s' has more than %d axes", entry->info.name,
                                  CLR_ARRAYS_MOST_RANK);
    entry->info.rank = (unsigned)variable->rank;
    for (int k = 0; k < variable->rank; k++)
        entry->info.size[k] = variable->dims[k];
    if (!clr_arrays_set_count(&entry->info) || entry->info.count > limit / 16)
        return clr_arrays_damaged(file, "'%s' has an impossible size", entry->info.name);
    state->number[file->entries - 1] = variable;
    return CLRADIO_OK;
}

static clradio_status add_fields(clr_arrays_file *file, matvar_t *variable)
{
    clradio_status status = CLRADIO_OK;
    unsigned fields = Mat_VarGetNumberOfFields(variable);
    char *const *names = Mat_VarGetStructFieldnames(variable);
    if (variable->rank != 2 || !variable->dims || variable->dims[0] != 1 || variable->dims[1] != 1)
        return CLRADIO_OK;
    for (unsigned k = 0; names && k < fields && !status; k++) {
        char name[CLR_ARRAYS_NAME_BYTES];
        matvar_t *field = Mat_VarGetStructFieldByIndex(variable, k, 0);
        if (!field || !names[k] || !element_of(field))
            continue;
        snprintf(name, sizeof name, "%.60s.%.60s", variable->name ? variable->name : "", names[k]);
        status = add_number(file, field, name);
    }
    return status;
}

static clradio_status add_variable(clr_arrays_file *file, matvar_t *variable)
{
    mat_state *state = file->state;
    if (state->variables == state->room) {
        size_t room = state->room ? 2 * state->room : 8;
        matvar_t **larger = room <= CLR_ARRAYS_MOST_ENTRIES
                                ? realloc(state->variable, room * sizeof *larger)
                                : NULL;
        if (!larger) {
            Mat_VarFree(variable);
            return clr_arrays_damaged(file, "it has too many variables");
        }
        state->variable = larger;
        state->room = room;
    }
    state->variable[state->variables++] = variable;
    if (variable->class_type == MAT_C_STRUCT)
        return add_fields(file, variable);
    return element_of(variable) && variable->name ? add_number(file, variable, variable->name)
                                                  : CLRADIO_OK;
}

/* The elements of the file follow each other to its end: matio takes a cut one for the end. */
static clradio_status check_chain(clr_arrays_file *file)
{
    unsigned char tag[128];
    uint64_t at = 128;
    clradio_status status = clr_arrays_read_bytes(file, 0, 128, tag);
    int big = tag[126] == 'M';
    while (!status && at < file->bytes) {
        uint64_t bytes = 0;
        if (file->bytes - at < 8)
            break;
        status = clr_arrays_read_bytes(file, at, 8, tag);
        for (int k = 0; k < 4; k++)
            bytes = bytes << 8 | tag[big ? 4 + k : 7 - k];
        if (bytes > file->bytes - at - 8)
            break;
        at += 8 + bytes;
    }
    if (!status && at != file->bytes)
        return clr_arrays_damaged(file, "it is cut short, or damaged at byte %llu",
                                  (unsigned long long)at);
    return status;
}

static clradio_status mat_open(clr_arrays_file *file)
{
    clradio_status status = check_chain(file);
    if (status)
        return status;
    Mat_LogInitFunc("clradio", say_nothing);
    mat_state *state = calloc(1, sizeof *state);
    file->state = state;
    if (!state)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory to read '%s'", file->path);
    state->mat = Mat_Open(file->path, MAT_ACC_RDONLY);
    if (!state->mat)
        return clr_arrays_damaged(file, "matio does not take it for a .mat file");
    matvar_t *variable;
    while (!status && (variable = Mat_VarReadNextInfo(state->mat)))
        status = add_variable(file, variable);
    if (!status && !state->variables)
        status = clr_arrays_damaged(file, "it holds no variable that can be read");
    return status;
}

/* All elements of a variable into entry->content, complex ones interleaved. */
static clradio_status load_content(clr_arrays_file *file, clr_arrays_entry *entry)
{
    mat_state *state = file->state;
    matvar_t *variable = state->number[entry - file->entry];
    size_t bytes = clr_element_bytes(entry->info.element), n = (size_t)entry->info.count;
    clr_element part = part_of(variable);
    size_t part_bytes = clr_element_bytes(part);
    if (Mat_VarReadDataAll(state->mat, variable) || !variable->data ||
        variable->nbytes < n * part_bytes)
        return clr_arrays_damaged(file, "the elements of '%s' are damaged or cut short",
                                  entry->info.name);
    entry->content = malloc(n * bytes);
    if (!entry->content)
        return clr_fail(CLRADIO_ERROR_MEMORY, "no memory for '%s' of '%s'", entry->info.name,
                        file->path);
    if (!variable->isComplex) {
        memcpy(entry->content, variable->data, n * bytes);
        return CLRADIO_OK;
    }
    const mat_complex_split_t *pair = variable->data;
    clradio_status status = CLRADIO_OK;
    clr_element as = bytes == 8 ? CLR_ELEMENT_F32 : CLR_ELEMENT_F64;
    for (size_t i = 0; i < n && !status; i++) {
        unsigned char *to = entry->content + i * bytes;
        status = clr_arrays_convert((char *)pair->Re + i * part_bytes, part, 0, 1, to, as);
        if (!status)
            status = clr_arrays_convert((char *)pair->Im + i * part_bytes, part, 0, 1,
                                        to + bytes / 2, as);
    }
    return status;
}

static clradio_status mat_read(clr_arrays_file *file, clr_arrays_entry *entry, uint64_t first,
                               uint64_t count, void *to)
{
    clradio_status status = entry->content ? CLRADIO_OK : load_content(file, entry);
    size_t bytes = clr_element_bytes(entry->info.element);
    if (!status)
        memcpy(to, entry->content + first * bytes, (size_t)count * bytes);
    return status;
}

static void mat_close(clr_arrays_file *file)
{
    mat_state *state = file->state;
    if (!state)
        return;
    for (size_t i = 0; i < state->variables; i++)
        Mat_VarFree(state->variable[i]);
    if (state->mat)
        Mat_Close(state->mat);
    free(state->variable);
    free(state);
}

#else

static clradio_status mat_open(clr_arrays_file *file)
{
    return clr_fail(CLRADIO_ERROR_UNSUPPORTED,
                    "cannot read '%s': this clradio was built without matio, which .mat files of "
                    "version 5 need; in MATLAB save it with -v7.3",
                    file->path);
}

static clradio_status mat_read(clr_arrays_file *file, clr_arrays_entry *entry, uint64_t first,
                               uint64_t count, void *to)
{
    (void)entry, (void)first, (void)count, (void)to;
    return mat_open(file);
}

static void mat_close(clr_arrays_file *file)
{
    (void)file;
}

#endif

const clr_arrays_format clr_mat_format = { "mat", mat_open, mat_read, mat_close };
