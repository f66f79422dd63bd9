# clradio sinr as a newcomer runs it: responses of clradio dft and of other tools' orders of axes, formats, and bad input. What must
# come out is compared with the reference (--verify) and, where NumPy is there, with the formulas in it (check_sinr.py).
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/command.sh"
python=${CLRADIO_TEST_PYTHON:-${CLRADIO_PYTHON:-python3}}
sinr() {
    "$clradio" sinr "$@"
}

# ---- what cannot be ----
fails 2 'sinr needs' sinr
fails 2 'say where to' sinr x.h5 --snr 10
fails 2 'standard output' sinr x.h5 --snr 10 -o -
fails 2 'noise N0 or --snr DB is needed' sinr x.h5 -o y.npy
fails 2 'both say what the noise is' sinr x.h5 --snr 10 --noise 1 -o y.npy
fails 2 'did you mean --decibels' sinr x.h5 --decibel -o y.npy
fails 5 'No such file' sinr "$scratch/absent.npy" --snr 10 -o "$scratch/y.npy"
printf 'nonsense, not an array' > "$scratch/noise.npy"
fails 2 'is an input, it is not overwritten' sinr "$scratch/noise.npy" --snr 10 -o "$scratch/noise.npy"
fails 4 'no .npy, .npz, HDF5 or .mat file' sinr "$scratch/noise.npy" --snr 10 -o "$scratch/y.npy"

if ! "$clradio" devices > /dev/null 2>&1; then
    skip 'ratios' 'there is no OpenCL device'
    tap_done
fi

# ---- a .npy file, whose axes have no names ----
mkdir "$scratch/o"
cd "$scratch/o" || exit 99
run dft --profile TDL-C --links 5 --tx 2 --rx 4 --subcarriers 60 -o h.npy
axes='--axes link,rx,tx,subcarrier'
fails 2 'say --axes' sinr h.npy --snr 10 -o s.npy
fails 2 'has 4 axes' sinr h.npy --axes link,rx,tx --snr 10 -o s.npy
fails 2 'has 4 axes' sinr h.npy --axes link,rx,tx,subcarrier, --snr 10 -o s.npy
fails 2 "two axes of the name 'rx'" sinr h.npy --axes link,rx,rx,subcarrier --snr 10 -o s.npy
fails 2 'cf32 takes 1e-30 to 1e+36' sinr h.npy $axes --noise 1e-40 -o s.npy
fails 2 "no axis 'beam'" sinr h.npy $axes --sector-axis beam --snr 10 -o s.npy
fails 2 'cannot be two' sinr h.npy $axes --sector-axis rx --snr 10 -o s.npy
fails 2 'a number below 5' sinr h.npy $axes --sector-axis link --serving 5 --snr 10 -o s.npy
fails 2 'a number below 5' sinr h.npy $axes --sector-axis link --serving weakest --snr 10 -o s.npy
fails 2 '1 to 16 antennas' sinr h.npy --axes link,tx,sector,rx --snr 10 -o s.npy
fails 2 'fast\|mmse' sinr h.npy $axes --snr 10 --method fast -o s.npy
fails 3 'no device' sinr h.npy $axes --snr 10 --device opencl:77 -o s.npy
works '^verified: 600 ratios' sinr h.npy $axes --snr 10 -o alone.npy --verify
works '^verified: 120 ratios' sinr h.npy $axes --sector-axis link --noise 0.01 -o strongest.npy --verify
works '^verified: 120 ratios' sinr h.npy $axes --sector-axis link --serving 3 --noise 0.01 --method mrc -o third.npy --verify
works 'MMSE: 5 % below .* half below .* 95 % below .* dB' sinr h.npy $axes --snr 10 --decibels -o decibels.npy
works '^verified: 1200 ratios' sinr h.npy --axes link,tx,rx,subcarrier --snr 60 --verify
works '^verified' sinr h.npy $axes --snr -30 --verify
if "$clradio" devices | grep -q fp64 || "$clradio" dft --profile TDL-A --type cf64 --verify > /dev/null 2>&1; then
    works '^verified: 120 ratios' sinr h.npy $axes --sector-axis link --noise 0.01 --type cf64 -o double.npy --verify
fi

# ---- files with names of axes, the order of Sionna ----
if built_with HDF5; then
    run dft --scenario lte57 --links 3 --subcarriers 12 -o lte.h5
    works '228 interfering streams\|224 interfering streams' sinr lte.h5 --snr 20 -o lte-s.h5 --verify
    works 'sinr *float32 *3 x 12 x 4 *(user, subcarrier, stream)' info lte-s.h5
    works 'lte.mat' sinr lte.h5 --snr 20 -o lte.mat
    if built_with matio; then
        works 'v5.mat' sinr lte.h5 --snr 20 -o v5.mat --format mat
    fi
fi
if ! "$python" -c 'import numpy' > /dev/null 2>&1; then
    skip 'ratios against NumPy' 'NumPy is not there: tools/setup_python.sh'
    tap_done
fi
check 'NumPy writes responses of other orders' "$python" "$top_srcdir/tests/check_sinr.py" make .
works '^verified: 144 ratios' sinr sionna.npy --axes batch,rx,rx_ant,tx,tx_ant,time,subcarrier --noise 0.3 -o sionna-s.npy --verify
works 'last.npy' sinr first.npy --axes subcarrier,tx,user,rx --noise 0.3 -o last.npy
fails 4 'are not a number' sinr bad.npy --axes user,rx,tx --noise 0.3 -o bad-s.npy
check 'a file with what is not finite is written whole' test -s bad-s.npy
check 'NumPy computes the same ratios' "$python" "$top_srcdir/tests/check_sinr.py" check .
fails 4 'are not a number' sinr far.npy --axes user,rx,tx --noise 0.3 --verify
fails 4 "'real.npy' holds no complex numbers" sinr real.npy --axes user,rx,tx --noise 0.3 -o x.npy
tap_done
