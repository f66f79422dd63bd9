#!/bin/sh
# Writes the C table of embedded kernel sources to standard output.
# usage: embed_kernels.sh SOURCE_FOLDER cl/a.cl cl/b.cl ...
# Byte arrays, not strings: C compilers limit the length of a string literal.
set -eu
folder=$1
shift
printf '/* Made from cl/ by tools/embed_kernels.sh. */\n#include "device/kernels.h"\n\n'
n=0
for file in "$@"; do
    printf 'static const unsigned char bytes_%d[] = {\n' "$n"
    od -An -v -tu1 "$folder/$file" | sed 's/  */,/g; s/^,//; s/$/,/'
    printf '0 };\n\n'
    n=$((n + 1))
done
printf 'const clr_kernel_source clr_kernel_sources[] = {\n'
n=0
for file in "$@"; do
    printf '    { "%s", bytes_%d, sizeof bytes_%d - 1 },\n' "${file#cl/}" "$n" "$n"
    n=$((n + 1))
done
printf '};\nconst unsigned clr_kernel_source_count = %d;\n' "$n"
