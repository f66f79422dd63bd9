/* Memory that is counted: for a program linked with -Wl,--wrap=malloc and the like. */
#ifndef CLR_TESTS_COUNTED_MEMORY_H
#define CLR_TESTS_COUNTED_MEMORY_H

#include <stddef.h>

/* From here on at most allowance more bytes may live at once: more fails, as on a full machine.
 * Returns the bytes that live now. */
size_t counted_begin(size_t allowance);
/* The most that lived at once since the beginning, above what lived then; ends the limit. An
 * allocation that was refused counts as SIZE_MAX. */
size_t counted_most(void);
size_t counted_living(void);

#endif
