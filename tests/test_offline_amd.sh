# Compiles every kernel for AMD architectures with clang and libclc: no device is needed. A kernel file compiles alone with its
# default parameters.
. "$top_srcdir/tests/tap.sh"
architectures="gfx906 gfx90a gfx1030 gfx1100"

. "$top_srcdir/tests/amd_compiler.sh"
# A kernel that spills all its work to memory is built, but wrong numbers come of an unlinked library: none may be left.
compiles_whole() {
    compile_for_amd "$@" || return 1
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
# What the builds of the probes find there (v_dot4_i32_i8, v_dot4c_i32_i8, on gfx11 v_dot4_i32_iu8), in the default shape without
# spilling a register.
dots_in_registers() {
    target=$1 way=$2 input=$3
    shift 3
    compiles_whole $target "$top_srcdir/cl/xengine_dot4.cl" -DHAVE_PACKED_DOT=$way -DINPUT=$input "$@" || return 1
    test "$(grep -c 'v_dot4' "$scratch/out.s")" -ge 192 || { echo "no packed dots"; return 1; }
    grep -E 'vgpr_spill_count: *[1-9]' "$scratch/out.s" && { echo "registers are spilled"; return 1; }
    return 0
}
for architecture in gfx906 gfx908 gfx90a gfx1030 gfx1100; do
    way=2 shape=
    test $architecture = gfx1100 && way=3 shape="-DGy=4 -DDy=4 -DT_STAGE=16"
    for input in 7 8; do
        check "xengine_dot4.cl with INPUT=$input uses the packed dots of $architecture, in registers" \
            dots_in_registers $architecture $way $input $shape
    done
done
# The matrix instructions of a default shape: 32 spectra of 4 fragments (gfx11: of 1), 4 products each, without spilling.
matrices_in_registers() {
    target=$1 wave=$2 input=$3 instruction=$4
    shift 4
    compiles_whole $target "$top_srcdir/cl/xengine_mfma.cl" -DWAVE=$wave -DINPUT=$input "$@" || return 1
    test "$(grep -c "$instruction" "$scratch/out.s")" -ge 8 || { echo "no $instruction"; return 1; }
    grep -E '[sv]gpr_spill_count: *[1-9]' "$scratch/out.s" && { echo "registers are spilled"; return 1; }
    return 0
}
for input in 7 8; do
    for architecture in gfx908 gfx90a gfx940; do
        check "xengine_mfma.cl with INPUT=$input uses the matrix cores of $architecture, in registers" \
            matrices_in_registers $architecture 64 $input v_mfma_i32_16x16x
    done
    check "xengine_mfma.cl with INPUT=$input uses the matrix unit of gfx1100, in registers" \
        matrices_in_registers gfx1100 32 $input v_wmma_i32_16x16x16_iu8 -DFX=1 -DFY=1
done
test "$tap_count" -gt 0 || skip "kernels compiled for $architectures" "there is no kernel"
tap_done
