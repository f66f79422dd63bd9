/* clradio info on array files: the arrays with their types, sizes and axes. */
#include "tool/info_arrays.h"
#include "tool/info_visibilities.h"
#include "tool/say.h"

#include "io/arrays.h"

#include <inttypes.h>

static void print_array(const clr_arrays_info *info)
{
    int named = 0;
    printf("  %-16s %-11s", *info->name ? info->name : "(no name)",
           clr_element_name(info->element));
    for (unsigned k = 0; k < info->rank; k++) {
        printf("%s%" PRIu64, k ? " x " : " ", info->size[k]);
        named |= *info->axis[k] != '\0';
    }
    for (unsigned k = 0; named && k < info->rank; k++)
        printf("%s%s", k ? ", " : "  (", *info->axis[k] ? info->axis[k] : "?");
    printf("%s\n", named ? ")" : info->rank ? "" : " one number");
}

static void add_array(clr_json *arrays, const clr_arrays_info *info)
{
    clr_json *to = clr_json_add_object(arrays, NULL);
    clr_json_add_text(to, "name", info->name);
    clr_json_add_text(to, "type", clr_element_name(info->element));
    clr_json *size = clr_json_add_array(to, "size");
    clr_json *axes = clr_json_add_array(to, "axes");
    for (unsigned k = 0; k < info->rank; k++) {
        clr_json_add_whole(size, NULL, (int64_t)info->size[k]);
        clr_json_add_text(axes, NULL, info->axis[k]);
    }
}

static void say_arrays(const char *path, const clr_arrays_file *file, clr_json *files)
{
    size_t count = clr_arrays_count(file);
    clr_json *to = files ? clr_json_add_object(files, NULL) : NULL;
    clr_json *arrays = NULL;
    if (files) {
        clr_json_add_text(to, "path", path);
        clr_json_add_text(to, "format", clr_arrays_format_name(file));
        arrays = clr_json_add_array(to, "arrays");
    } else {
        printf("%s: %s, %zu array%s\n", path, clr_arrays_format_name(file), count,
               count == 1 ? "" : "s");
    }
    for (size_t i = 0; i < count; i++)
        if (files)
            add_array(arrays, clr_arrays_get(file, i));
        else
            print_array(clr_arrays_get(file, i));
}

clr_exit clr_info_arrays(const char *path, clr_json *files)
{
    clr_arrays_file *file;
    clradio_status status = clr_arrays_open(path, &file);
    if (status)
        return clr_arrays_is_one(path) ? clr_say_input(status) : CLR_EXIT_CARRY_ON;
    size_t index;
    clr_exit answer = CLR_EXIT_OK;
    if (clr_arrays_find(file, "Data/visdata", &index))
        answer = clr_info_visibilities(path, files);
    else
        say_arrays(path, file, files);
    clr_arrays_close(file);
    return answer;
}
