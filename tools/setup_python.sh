#!/bin/sh
# Makes a Python environment with the readers that the opt-in tests compare with (numpy, h5py, pyuvdata). The tests use it when
# CLRADIO_TEST_PYTHON names its python; without it they are skipped.
# usage: tools/setup_python.sh FOLDER
set -eu
folder=${1:?usage: tools/setup_python.sh FOLDER}
packages="numpy h5py scipy pyuvdata"

works() {
    "$folder/bin/python" -c 'import numpy, h5py, scipy, pyuvdata' > /dev/null 2>&1
}
works && exit 0
log=$(mktemp "${TMPDIR:-/tmp}/clradio-python.XXXXXX")
trap 'rm -f "$log"' EXIT
mkdir -p "$(dirname "$folder")"
for python in /usr/bin/python3 python3; do
    rm -rf "$folder"
    if timeout 120 "$python" -m venv "$folder" > "$log" 2>&1 < /dev/null &&
        timeout 420 "$folder/bin/python" -m pip install -q --disable-pip-version-check --only-binary :all: $packages >> "$log" 2>&1 < /dev/null &&
        works; then
        echo "setup_python: $("$folder/bin/python" --version) with $packages in $folder"
        exit 0
    fi
done
tail -n 3 "$log" >&2
echo "setup_python: $packages could not be had; the tests that need them are skipped" >&2
rm -rf "$folder"
exit 1
