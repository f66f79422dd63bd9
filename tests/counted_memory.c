/* Memory that is counted: malloc and its kin, wrapped by the linker (--wrap). */
#include "counted_memory.h"

#include <malloc.h>
#include <stdint.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *old);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);

/* Bytes that live, the most that ever lived at once, and the most that may: beyond it malloc fails,
 * as on a machine that is full. */
static size_t living, most, start, limit = SIZE_MAX;

static int allowed(size_t size)
{
    return size <= limit && living <= limit - size;
}

static void *counted(void *got)
{
    living += got ? malloc_usable_size(got) : 0;
    most = living > most ? living : most;
    return got;
}

void *__wrap_malloc(size_t size)
{
    return allowed(size) ? counted(__real_malloc(size)) : (most = SIZE_MAX, NULL);
}

void *__wrap_calloc(size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        return NULL;
    return allowed(n * size) ? counted(__real_calloc(n, size)) : (most = SIZE_MAX, NULL);
}

void *__wrap_realloc(void *old, size_t size)
{
    if (!allowed(size))
        return most = SIZE_MAX, NULL;
    size_t before = old ? malloc_usable_size(old) : 0;
    void *got = __real_realloc(old, size);
    if (got || !size)
        living -= before;
    return counted(got);
}

void __wrap_free(void *old)
{
    living -= old ? malloc_usable_size(old) : 0;
    __real_free(old);
}

/* libc's own would allocate behind the count. */
char *__wrap_strndup(const char *text, size_t length)
{
    length = strnlen(text, length);
    char *copy = __wrap_malloc(length + 1);
    if (!copy)
        return NULL;
    copy[length] = '\0';
    return memcpy(copy, text, length);
}

char *__wrap_strdup(const char *text)
{
    return __wrap_strndup(text, strlen(text));
}

size_t counted_begin(size_t allowance)
{
    most = living;
    limit = living + allowance;
    start = living;
    return living;
}

size_t counted_most(void)
{
    limit = SIZE_MAX;
    return most == SIZE_MAX ? SIZE_MAX : most - start;
}

size_t counted_living(void)
{
    return living;
}
