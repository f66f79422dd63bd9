# The CUDA back end without a card: what it says when the driver or NVRTC is missing, too old or too new, and, with a stand-in for
# the driver and the real NVRTC, that a device is listed, opened and probed. Every case leaves OpenCL working.
. "$top_srcdir/tests/tap.sh"
clradio=$top_builddir/clradio

# says TEXT COMMAND...: the command fails with exit code 3 and says TEXT.
says() {
    text=$1
    shift
    "$@" > "$scratch/output" 2>&1
    status=$?
    if test "$status" = 3 && grep -qF "$text" "$scratch/output"; then
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
says 'there is no CUDA driver' $bench

if ! $CC -shared -fPIC -o "$scratch/stand_in.so" "$top_srcdir/tests/cuda_stand_in.c" > "$scratch/output" 2>&1; then
    not_ok "the stand-in for the driver compiles"
    say "$scratch/output"
    tap_done
fi
CLRADIO_CUDA=$scratch/stand_in.so
CLRADIO_NVRTC=/nonexistent/libnvrtc.so
export CLRADIO_NVRTC
says 'NVRTC (libnvrtc.so) was not found' $bench
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
says 'no longer compiles for this card (sm_30)' env STAND_IN_CAPABILITY=30 $bench
says 'writes PTX that the driver (CUDA 13.0) does not read' env STAND_IN_LOAD=222 $bench
tap_done
