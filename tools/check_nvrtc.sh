#!/bin/sh
# Compiles every kernel with older versions of NVRTC, from PyPI, for architectures that today's no longer knows: 11.8 for sm_35
# (Kepler) and sm_52, 12.9 for sm_61 and sm_70. None of these cards ran the kernels: what compiles is unproven there.
# usage: tools/check_nvrtc.sh FOLDER [BUILD]   FOLDER: where the libraries go (about 150 MB); BUILD: ./build when not given
set -eu
folder=${1:?usage: tools/check_nvrtc.sh FOLDER [BUILD]}
build=${2:-build}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# library PACKAGE VERSION: sets nvrtc. Each version has a folder of its own: their file names clash.
library() {
    if ! test -d "$folder/$2"; then
        timeout 420 python3 -m pip install -q --disable-pip-version-check --only-binary :all: --no-deps \
            --target "$folder/$2" "$1==$2"
    fi
    nvrtc=$(find "$folder/$2" -name 'libnvrtc.so.1?*' ! -name '*alt*' | head -n 1)
}
failed=0
# compile ARCHITECTURES: with $nvrtc
compile() {
    log=$folder/$(echo "$1" | tr ' ' '-').log
    if CMOCKA_MESSAGE_OUTPUT=TAP CLRADIO_NVRTC=$nvrtc CLRADIO_DIALECT=$1 "$build/tests/test_dialect" > "$log" 2>&1; then
        echo "$(grep -c '^ok' "$log") compilations for sm_$1 by $nvrtc, $(grep -c SKIP "$log") of them left out: it does not know them"
    else
        grep -B 20 '^not ok' "$log" || tail -n 20 "$log"
        failed=1
    fi
}
library nvidia-cuda-nvrtc-cu11 11.8.89
compile "35 52"
library nvidia-cuda-nvrtc-cu12 12.9.86
compile "61 70"
exit $failed
