#!/bin/sh
# Array files against the libraries that others use: NumPy, h5py and SciPy write them, clradio's reader and writer turn each
# into every other format, and the libraries read those. Skipped where they cannot be imported.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/command.sh"
python=${CLRADIO_TEST_PYTHON:-${CLRADIO_PYTHON:-python3}}
check_arrays="$top_srcdir/tests/check_arrays.py"
arrays=$top_builddir/tests/test_arrays

if ! "$python" -c 'import numpy, h5py, scipy' > /dev/null 2>&1; then
    skip "NumPy, h5py and SciPy agree" "they are not there: tools/setup_python.sh gets them, CLRADIO_TEST_PYTHON names them"
    tap_done
fi
if ! built_with HDF5 || ! built_with matio || ! built_with zlib; then
    skip "NumPy, h5py and SciPy agree" "this build has no HDF5, matio or zlib"
    tap_done
fi

turn_all() {
    for file in "$scratch"/in-*; do
        name=${file##*/}
        for format in npy npz hdf5 mat mat7.3; do
            case $name:$format in
            *.npy:*) ;;
            *:npy) continue ;; # it holds one array
            esac
            "$arrays" "$file" "$scratch/out.@$name@$format" "$format" || { echo "$name to $format"; return 1; }
        done
    done
}
check "the Python libraries write their files" "$python" "$check_arrays" make "$scratch"
check "clradio turns each into every format" turn_all
check "the Python libraries read the same numbers, shapes and axes" "$python" "$check_arrays" check "$scratch"
tap_done
