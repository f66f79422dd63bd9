#!/bin/sh
# Compiles every kernel with older versions of NVRTC, from PyPI, for architectures that today's no longer knows: 11.8 for sm_35
# (Kepler) and sm_52, 12.9 for sm_61 and sm_70. None of these cards ran the kernels: what compiles is unproven there. Kernels
# that launch kernels are compiled for all of them, in the form before CUDA 12 for the first two, and linked by the nvJitLink of
# 12.9 for the last two: there is none of 11.8.
# usage: tools/check_nvrtc.sh FOLDER [BUILD]   FOLDER: where the libraries go (about 400 MB); BUILD: ./build when not given
# CLRADIO_DIALECT_FILE=dft_children: those files alone whose name contains it.
set -eu
folder=${1:?usage: tools/check_nvrtc.sh FOLDER [BUILD]}
build=${2:-build}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# library VERSION PACKAGE=VERSION...: sets nvrtc. Each version has a folder of its own: their file names clash.
library() {
    version=$1
    shift
    if ! test -d "$folder/$version"; then
        timeout 420 python3 -m pip install -q --disable-pip-version-check --only-binary :all: --no-deps \
            --target "$folder/$version" "$@"
    fi
    nvrtc=$(find "$folder/$version" -name 'libnvrtc.so.1?*' ! -name '*alt*' | head -n 1)
}
failed=0
# compile ARCHITECTURES: with $nvrtc
compile() {
    log=$folder/$(echo "$1" | tr ' ' '-').log
    if CMOCKA_MESSAGE_OUTPUT=TAP CLRADIO_NVRTC=$nvrtc CLRADIO_DIALECT=$1 "$build/tests/test_dialect" > "$log" 2>&1; then
        echo "$(grep -c '^ok' "$log") compilations for sm_$1 by $nvrtc, $(grep -c SKIP "$log") more left out: not for these cards"
    else
        grep -v SKIP "$log" | grep -B 20 '^not ok' || tail -n 20 "$log"
        failed=1
    fi
}
library 11.8.89 nvidia-cuda-nvrtc-cu11==11.8.89
compile "35 52"
library 12.9.86 nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-nvjitlink-cu12==12.9.86 nvidia-cuda-runtime-cu12==12.9.79
compile "61 70"
exit $failed
