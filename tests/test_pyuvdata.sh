#!/bin/sh
# The proof of DESIGN.md's rule of the sky with the reader that astronomers use: an array sees a source away from the zenith
# (clradio simulate array), its voltages are correlated (clradio correlate), and pyuvdata reads the UVH5 file with its strict uvw
# check, phases it to the source and finds phase zero on every cross-correlation, XY and YX where they belong. The same for real
# and complex samples of both sidebands, and spoilt files must fail. Skipped where pyuvdata cannot be imported.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/command.sh"
python=${CLRADIO_TEST_PYTHON:-${CLRADIO_PYTHON:-python3}}
check_uvh5="$top_srcdir/tests/check_uvh5.py"

if ! "$python" -c 'import h5py, pyuvdata' > /dev/null 2>&1; then
    skip "pyuvdata finds the simulated source where it is" "pyuvdata is not there: tools/setup_python.sh gets it, CLRADIO_TEST_PYTHON names it"
    tap_done
fi
if ! "$clradio" devices > /dev/null 2>&1; then
    skip "pyuvdata finds the simulated source where it is" "there is no OpenCL device"
    tap_done
fi
PYTHONWARNINGS=ignore
export PYTHONWARNINGS
cd "$scratch" || exit 99

# observe NAME FORMAT "SIMULATE OPTIONS" "CORRELATE OPTIONS": NAME.uvh5
observe() {
    case $2 in
    dada) files="$1%d.dada" ;;
    *) files="$1.vdif" ;;
    esac
    "$clradio" simulate array -o "$files" --format "$2" --stations 5 --spacing 25 --layout random --source 130,35,1,0.6,50 \
        --noise 0.5 --gain 1Y=0 --frequency 150MHz --sample-rate 2MHz --samples 160000 $3 || return 1
    "$clradio" correlate "$1"*."$2" -o "$1.uvh5" --antennas "$1.antennas" --channels 64 $4
}

# prove NAME: what pyuvdata makes of NAME.uvh5
prove() {
    "$python" "$check_uvh5" structure "$1.uvh5" && "$python" "$check_uvh5" sky "$1.uvh5" 130 35 0.6 50 1
}
# refused NAME: the spoilt file fails, and by its phases
refused() {
    ! prove "$1" > refused 2>&1 && cat refused && grep -q 'is off by' refused
}
spoil() {
    "$python" "$check_uvh5" mutate complex.uvh5 "$1.uvh5" "$1"
}

try() {
    check "clradio simulates and correlates: $1" observe "$2" "$3" "$4" "$5"
    check "pyuvdata finds the simulated source where it is: $1" prove "$2"
}
# Complex samples have the middle of the band at baseband 0, real ones its edge: 150 MHz -+ 0.5 MHz.
try "complex samples, 8 bits" complex vdif "--complex" "--frequency 150e6"
try "complex samples, lower sideband, means, integrations of 20 ms" complex-lower vdif "--complex --lower-sideband" \
    "--frequency 150e6 --sideband lower --normalise --integration 0.02"
try "real samples, 2 bits" real vdif "--real --bits 2" "--frequency 149.5e6"
try "real samples, lower sideband, 4 bits" real-lower vdif "--real --lower-sideband --bits 4" \
    "--frequency 150.5e6 --sideband lower"
try "a DADA file a station, lower sideband, 16 bits" dada dada "--real --lower-sideband --bits 16" ""

for how in conjugate swap reverse; do
    check "the check notices what is wrong: $how" spoil $how
    check "a spoilt file is not believed: $how" refused $how
done
tap_done
