# Compiling kernels for AMD by clang and libclc, without a device: sourced by test_offline_amd.sh and test_resources.sh.

# The first clang that links with libclc's bitcode: their versions must fit. Sets clang and bitcode.
find_amd_compiler() {
    printf '__kernel void k(__global int *a) { a[get_global_id(0)] = 1; }\n' > "$scratch/k.cl"
    for bitcode in $(${PKG_CONFIG:-pkg-config} --variable=libexecdir libclc 2> /dev/null)/amdgcn--amdhsa.bc \
        /usr/lib/clc/amdgcn--amdhsa.bc /usr/lib/llvm-*/share/clc/amdgcn--amdhsa.bc /usr/share/clc/amdgcn--amdhsa.bc; do
        test -r "$bitcode" || continue
        for clang in clang-15 clang-16 clang-17 clang-18 clang-19 clang-20 clang; do
            have $clang && compile_for_amd gfx906 "$scratch/k.cl" > /dev/null 2>&1 && return 0
        done
    done
    return 1
}
# compile_for_amd ARCHITECTURE FILE [-DMACRO=VALUE...]: into $scratch/out.s
compile_for_amd() {
    amd_architecture=$1
    amd_file=$2
    shift 2
    $clang -x cl -cl-std=CL1.2 -target amdgcn--amdhsa -mcpu="$amd_architecture" -nogpulib -DCLR_OPENCL=1 -DHAVE_FP64=1 "$@" \
        -Xclang -finclude-default-header -Xclang -mlink-builtin-bitcode -Xclang "$bitcode" \
        -I"$top_srcdir/cl" -O3 -S "$amd_file" -o "$scratch/out.s"
}
