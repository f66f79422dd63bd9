#!/bin/sh
# Gets Intel's OpenCL runtime for processors from PyPI (about 800 MB in FOLDER), as one more device to test on.
# usage: tools/setup_intel.sh FOLDER
# Then: make check OCL_ICD_VENDORS=FOLDER/icd TESTS=...     (tests/README.md)
set -eu
folder=${1:?usage: tools/setup_intel.sh FOLDER}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
library=$folder/python/lib/libintelocl.so
if ! test -r "$library"; then
    rm -rf "$folder/python"
    timeout 120 python3 -m venv "$folder/python"
    timeout 600 "$folder/python/bin/python" -m pip install -q --disable-pip-version-check --only-binary :all: \
        intel-opencl-rt intel-cmplr-lib-rt
fi
mkdir -p "$folder/icd"
echo "$library" > "$folder/icd/intel.icd"
echo "setup_intel: OCL_ICD_VENDORS=$folder/icd"
