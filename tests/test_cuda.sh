# The CUDA back end without a card: what it says when the driver or NVRTC is missing, too old or too new, and, with a stand-in for
# the driver and the real NVRTC, that a device is listed, opened and probed. Every case leaves OpenCL working.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/command.sh"

# says TEXT COMMAND...: the command fails with exit code $code and says TEXT.
code=3
says() {
    text=$1
    shift
    "$@" > "$scratch/output" 2>&1
    status=$?
    if test "$status" = $code && grep -qF "$text" "$scratch/output"; then
        ok "it says: $text"
    else
        not_ok "it says: $text (exit status $status)"
        say "$scratch/output"
    fi
}
# opencl_works WHEN: the devices that were there without CUDA still are.
opencl_works() {
    "$clradio" devices 2> /dev/null | grep '^opencl:' > "$scratch/now"
    if cmp -s "$scratch/before" "$scratch/now"; then
        ok "OpenCL works $1"
    else
        not_ok "OpenCL works $1"
        say "$scratch/now"
    fi
}
bench="$clradio bench xengine --device cuda:0"
CLRADIO_CACHE=off
CLRADIO_CUDA=/nonexistent/libcuda.so
export CLRADIO_CACHE CLRADIO_CUDA
"$clradio" devices 2> /dev/null | grep '^opencl:' > "$scratch/before"
says 'there is no CUDA driver where CLRADIO_CUDA says: /nonexistent/libcuda.so' $bench

if ! $CC -shared -fPIC -o "$scratch/stand_in.so" "$top_srcdir/tests/cuda_stand_in.c" > "$scratch/output" 2>&1; then
    not_ok "the stand-in for the driver compiles"
    say "$scratch/output"
    tap_done
fi
CLRADIO_CUDA=$scratch/stand_in.so
CLRADIO_NVRTC=/nonexistent/libnvrtc.so
export CLRADIO_NVRTC
says 'NVRTC (libnvrtc.so) was not found where CLRADIO_NVRTC says: /nonexistent/libnvrtc.so' $bench
opencl_works "without NVRTC"
unset CLRADIO_NVRTC

"$clradio" devices > "$scratch/output" 2>&1
if grep -q 'NVRTC (libnvrtc.so) was not found' "$scratch/output"; then
    skip "a CUDA device is opened and probed" "NVRTC is not here"
    tap_done
fi
if grep -A 9 '^cuda:0 *Stand-in' "$scratch/output" | grep -q 'features *fp64 yes, fp16 yes, packed dot product yes, matrix unit yes'; then
    ok "a CUDA device is opened and probed"
else
    not_ok "a CUDA device is opened and probed"
    say "$scratch/output"
fi
opencl_works "beside CUDA"
if grep -A 5 '^cuda:0' "$scratch/output" | grep -q 'connections *32 hardware queues' &&
    CUDA_DEVICE_MAX_CONNECTIONS=4 "$clradio" devices 2> /dev/null | grep -A 5 '^cuda:0' | grep -q 'connections *4 hardware queues'; then
    ok "the tool asks for 32 hardware queues, or as many as the environment says"
else
    not_ok "the tool asks for 32 hardware queues, or as many as the environment says"
    say "$scratch/output"
fi
if CLRADIO_TEST_DEVICE=cuda:0 "$top_builddir/tests/test_replay" > "$scratch/output" 2>&1 &&
    test "$(grep -c '^ok' "$scratch/output")" = 2; then
    ok "recorded commands are done when they are played"
else
    not_ok "recorded commands are done when they are played"
    say "$scratch/output"
fi
# Kernels that launch kernels: what is missing is said; where all is there they are built and loaded, and the self-test then finds
# that the stand-in does nothing.
children="$clradio dft --verify --profile TDL-C --links 2 --device cuda:0 --launch children --variant direct"
code=2
says 'nvJitLink, which was not found where CLRADIO_NVJITLINK says: /nonexistent/libnvJitLink.so' env CLRADIO_NVJITLINK=/nonexistent/libnvJitLink.so $children
if env CLRADIO_CUDADEVRT=/nonexistent/libcudadevrt.a $children 2>&1 | grep -qF 'need nvJitLink'; then
    skip "kernels that launch kernels are linked" "nvJitLink is not here"
else
    says 'libcudadevrt.a, which was not found where CLRADIO_CUDADEVRT says' env CLRADIO_CUDADEVRT=/nonexistent/libcudadevrt.a $children
    $children > "$scratch/output" 2>&1
    if grep -q "libcudadevrt.a" "$scratch/output"; then
        skip "kernels that launch kernels are linked" "libcudadevrt.a is not here"
    elif grep -q 'variant direct gives wrong values' "$scratch/output"; then
        ok "kernels that launch kernels are linked"
    else
        not_ok "kernels that launch kernels are linked"
        say "$scratch/output"
    fi
fi
code=3
says 'no longer compiles for this card (sm_30)' env STAND_IN_CAPABILITY=30 $bench
says 'writes PTX that the driver (CUDA 13.0) does not read' env STAND_IN_LOAD=222 $bench

# The variant wgmma is for one architecture; the stand-in computes nothing, so that its self-test has to set it aside.
wgmma="$bench --stations 64 --channels 1 --spectra 128 --input ci8 --layout blocked --variant wgmma --repeat 1"
CLRADIO_DEBUG=build $wgmma > "$scratch/output" 2>&1
if grep -q "'xengine_wgmma' for 'sm_90a'" "$scratch/output" && grep -q "'xengine_layout' for 'sm_90'" "$scratch/output" &&
    ! grep -q 'serialized' "$scratch/output"; then
    ok "wgmma is compiled for sm_90a, other kernels for sm_90, and its products are not serialised"
else
    not_ok "wgmma is compiled for sm_90a, other kernels for sm_90, and its products are not serialised"
    say "$scratch/output"
fi
if grep -q 'wgmma failed: .*wrong sums' "$scratch/output"; then
    ok "a card that gives wrong sums is found out"
else
    not_ok "a card that gives wrong sums is found out"
    say "$scratch/output"
fi
# So is bf16x6, in both of its shapes: that for few inputs and that for many.
for stations in 128 129; do
    CLRADIO_DEBUG=build $bench --stations $stations --channels 1 --spectra 128 --input cf32 --layout blocked --variant bf16x6 --repeat 1 \
        > "$scratch/output" 2>&1
    if grep -q "'xengine_wgmma' for 'sm_90a'" "$scratch/output" && ! grep -q 'serialized' "$scratch/output" &&
        grep -q 'bf16x6 failed: .*wrong sums' "$scratch/output"; then
        ok "bf16x6 with $stations stations is compiled for sm_90a, and its products are not serialised"
    else
        not_ok "bf16x6 with $stations stations is compiled for sm_90a, and its products are not serialised"
        say "$scratch/output"
    fi
done
# The channel DFT with shared delays takes the matrix units for few values too, where they have what it needs.
dft="$clradio dft --profile TDL-C --delay-spread 300ns --links 2 --rx 2 --subcarriers 50 --verify --device cuda:0"
for expected in 90:dmma 80:bf16x6 75:gemm; do
    capability=${expected%:*} variant=${expected#*:}
    STAND_IN_CAPABILITY=$capability $dft > "$scratch/output" 2>&1
    if grep -q "variant $variant gives wrong values" "$scratch/output"; then
        ok "few values are for $variant with compute capability $capability"
    else
        not_ok "few values are for $variant with compute capability $capability"
        say "$scratch/output"
    fi
done
for capability in 80 100 120; do
    STAND_IN_CAPABILITY=$capability $wgmma > "$scratch/output" 2>&1
    if grep -q 'wgmma unsupported: .*compute capability 9.0' "$scratch/output"; then
        ok "compute capability $capability has no wgmma"
    else
        not_ok "compute capability $capability has no wgmma"
        say "$scratch/output"
    fi
done
tap_done
