# Compiles every kernel for AMD architectures with clang and libclc: no device is needed. A kernel file compiles alone with its
# default parameters.
. "$top_srcdir/tests/tap.sh"
architectures="gfx906 gfx90a gfx1030 gfx1100"

# The first clang that links with libclc's bitcode: their versions must fit.
find_compiler() {
    printf '__kernel void k(__global int *a) { a[get_global_id(0)] = 1; }\n' > "$scratch/k.cl"
    for bitcode in $(${PKG_CONFIG:-pkg-config} --variable=libexecdir libclc 2> /dev/null)/amdgcn--amdhsa.bc \
        /usr/lib/clc/amdgcn--amdhsa.bc /usr/lib/llvm-*/share/clc/amdgcn--amdhsa.bc /usr/share/clc/amdgcn--amdhsa.bc; do
        test -r "$bitcode" || continue
        for clang in clang-15 clang-16 clang-17 clang-18 clang-19 clang-20 clang; do
            have $clang && compile gfx906 "$scratch/k.cl" > /dev/null 2>&1 && return 0
        done
    done
    return 1
}
# compile ARCHITECTURE FILE
compile() {
    $clang -x cl -cl-std=CL1.2 -target amdgcn--amdhsa -mcpu="$1" -nogpulib -DCLR_OPENCL=1 -DHAVE_FP64=1 \
        -Xclang -finclude-default-header -Xclang -mlink-builtin-bitcode -Xclang "$bitcode" \
        -I"$top_srcdir/cl" -O3 -S "$2" -o "$scratch/out.s"
}
# A kernel that spills all its work to memory is built, but wrong numbers come of an unlinked library: none may be left.
compiles_whole() {
    compile "$1" "$2" || return 1
    if grep -E 's_getpc|@rel32' "$scratch/out.s" | grep -E '\b(get_|barrier|fma|_Z)' > "$scratch/calls"; then
        echo "calls of functions that no library gave:"
        cat "$scratch/calls"
        return 1
    fi
}

if ! find_compiler; then
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
