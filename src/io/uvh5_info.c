/* Looking things up in what a UVH5 header says. Needs no HDF5. */
#include "io/uvh5_read.h"

size_t clr_uvh5_find_rows(const clr_uvh5_info *info, int64_t antenna_1, int64_t antenna_2,
                          uint64_t *rows, size_t room, int *reversed)
{
    size_t found = 0;
    *reversed = 0;
    for (uint64_t row = 0; row < info->rows; row++) {
        int same = info->antenna_1[row] == antenna_1 && info->antenna_2[row] == antenna_2;
        int swapped = info->antenna_1[row] == antenna_2 && info->antenna_2[row] == antenna_1;
        if (!same && !swapped)
            continue;
        if (!same)
            *reversed = 1;
        if (found < room)
            rows[found] = row;
        found++;
    }
    return found;
}

const char *clr_uvh5_label_name(int64_t label)
{
    /* AIPS memo 117, table 9, from -8 to 4. */
    static const char *const names[] = { "YX", "XY", "YY", "XX", "LR", "RL", "LL",
                                         "RR", "?",  "pI", "pQ", "pU", "pV" };
    return label >= -8 && label <= 4 ? names[label + 8] : "?";
}
