/* JSON output: a thin layer over Jansson, so that no command needs to know whether it is there. */
#include "tool/json.h"

#include "base/file.h"
#include "base/text.h"
#include "tool/same_file.h"

#include <math.h>

#if HAVE_JANSSON

#include <jansson.h>

/* Jansson's references are counted; a child added with the _new calls belongs to its parent. */
static json_t *as_json(clr_json *value)
{
    return (json_t *)(void *)value;
}

/* Adds child and returns it, or NULL when memory ran out somewhere. */
static clr_json *add(clr_json *parent, const char *key, json_t *child)
{
    json_t *to = as_json(parent);
    int failed = json_is_array(to) ? json_array_append_new(to, child)
                                   : json_object_set_new(to, key ? key : "", child);
    return failed ? NULL : (clr_json *)(void *)child;
}

clr_exit clr_json_ready(void)
{
    return CLR_EXIT_CARRY_ON;
}

clr_json *clr_json_object(void)
{
    return (clr_json *)(void *)json_object();
}

clr_json *clr_json_add_object(clr_json *parent, const char *key)
{
    return add(parent, key, json_object());
}

clr_json *clr_json_add_array(clr_json *parent, const char *key)
{
    return add(parent, key, json_array());
}

/* Text from files and drivers need not be UTF-8: then each byte above 127 becomes '?'. */
void clr_json_add_text(clr_json *parent, const char *key, const char *text)
{
    json_t *value = json_string(text);
    if (value) {
        add(parent, key, value);
        return;
    }
    clr_text clean = { 0 };
    for (; *text; text++)
        clr_text_add(&clean, "%c", (unsigned char)*text < 128 ? *text : '?');
    add(parent, key, json_string(clean.bytes ? clean.bytes : ""));
    clr_text_free(&clean);
}

void clr_json_add_whole(clr_json *parent, const char *key, int64_t value)
{
    add(parent, key, json_integer(value));
}

void clr_json_add_real(clr_json *parent, const char *key, double value)
{
    add(parent, key, isfinite(value) ? json_real(value) : json_null());
}

void clr_json_add_truth(clr_json *parent, const char *key, int value)
{
    add(parent, key, json_boolean(value));
}

clr_exit clr_json_print(clr_json *root, FILE *stream)
{
    char *text = root ? json_dumps(as_json(root), JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(as_json(root));
    if (!text)
        return clr_say(CLR_EXIT_FAILED, "no memory for the JSON text");
    fprintf(stream, "%s\n", text);
    free(text);
    return CLR_EXIT_OK;
}

clr_exit clr_json_writable(const char *path)
{
    return clr_writable(path);
}

clr_exit clr_json_write(clr_json *root, const char *path)
{
    clr_new_file file;
    clradio_status status = clr_new_file_begin(path, 0644, &file);
    if (status) {
        json_decref(as_json(root));
        return clr_say_status(status);
    }
    clr_exit answer = clr_json_print(root, file.stream);
    if (answer != CLR_EXIT_OK) {
        clr_new_file_abandon(&file);
        return answer;
    }
    status = clr_new_file_commit(&file);
    return status ? clr_say_status(status) : CLR_EXIT_OK;
}

#else

clr_exit clr_json_ready(void)
{
    return clr_say(CLR_EXIT_FAILED, "this build has no JSON output: it was configured without "
                                    "Jansson (--with-jansson)");
}

clr_json *clr_json_object(void)
{
    return NULL;
}

clr_json *clr_json_add_object(clr_json *parent, const char *key)
{
    (void)parent, (void)key;
    return NULL;
}

clr_json *clr_json_add_array(clr_json *parent, const char *key)
{
    (void)parent, (void)key;
    return NULL;
}

void clr_json_add_text(clr_json *parent, const char *key, const char *text)
{
    (void)parent, (void)key, (void)text;
}

void clr_json_add_whole(clr_json *parent, const char *key, int64_t value)
{
    (void)parent, (void)key, (void)value;
}

void clr_json_add_real(clr_json *parent, const char *key, double value)
{
    (void)parent, (void)key, (void)value;
}

void clr_json_add_truth(clr_json *parent, const char *key, int value)
{
    (void)parent, (void)key, (void)value;
}

clr_exit clr_json_print(clr_json *root, FILE *stream)
{
    (void)root, (void)stream;
    return clr_json_ready();
}

clr_exit clr_json_writable(const char *path)
{
    (void)path;
    return clr_json_ready();
}

clr_exit clr_json_write(clr_json *root, const char *path)
{
    (void)root, (void)path;
    return clr_json_ready();
}

#endif
