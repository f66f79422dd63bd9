# Compiles every kernel for AMD architectures with clang and libclc: no device is needed. A kernel file compiles alone with its
# default parameters.
. "$top_srcdir/tests/tap.sh"
architectures="gfx906 gfx90a gfx1030 gfx1100"

. "$top_srcdir/tests/amd_compiler.sh"
# A kernel that spills all its work to memory is built, but wrong numbers come of an unlinked library: none may be left.
compiles_whole() {
    compile_for_amd "$1" "$2" || return 1
    if grep -E 's_getpc|@rel32' "$scratch/out.s" | grep -E '\b(get_|barrier|fma|_Z)' > "$scratch/calls"; then
        echo "calls of functions that no library gave:"
        cat "$scratch/calls"
        return 1
    fi
}

if ! find_amd_compiler; then
    skip "kernels compiled for $architectures" "no clang with libclc's bitcode for amdgcn was found"
    tap_done
fi
echo "# $($clang --version | head -n 1), $bitcode"
for file in "$top_srcdir"/cl/*.cl; do
    name=${file##*/}
    # A piece without a kernel of its own is compiled with the files that include it.
    grep -q '^KERNEL' "$file" || continue
    for architecture in $architectures; do
        check "$name compiles for $architecture" compiles_whole $architecture "$file"
    done
done
test "$tap_count" -gt 0 || skip "kernels compiled for $architectures" "there is no kernel"
tap_done
