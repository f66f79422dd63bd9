# clradio dft, plot of responses and bench lte57 as a newcomer runs them: models, files of other tools, every format, batches and
# limits that change no bit, and bad input. What must come out is compared with NumPy where it is there (check_dft.py).
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/command.sh"
check_dft="$top_srcdir/tests/check_dft.py"
python=${CLRADIO_TEST_PYTHON:-${CLRADIO_PYTHON:-python3}}
dft() {
    "$clradio" dft "$@"
}

works '^usage: clradio dft' help dft
works '^usage: clradio bench lte57' bench lte57 --help

# ---- what cannot be ----
fails 2 'needs files of taps, or --profile' dft
fails 2 'not both' dft x.npy --profile TDL-A -o y.npy
fails 2 'there is no profile .TDL-Z.; there are TDL-A' dft --profile TDL-Z -o y.npy
fails 2 'say where to' dft --profile TDL-A
fails 2 'standard output' dft --profile TDL-A -o -
fails 2 'takes no delay spread' dft --profile TDL-A30 --delay-spread 30ns -o y.npy
fails 2 'a number of antennas such as 4' dft --profile TDL-A --tx 2x -o y.npy
fails 2 'a number of antennas such as 4' dft --profile TDL-A --rx 2x2x3 -o y.npy
fails 2 'does not divide 1200' dft --profile TDL-A --average 7 -o y.npy
fails 2 'is no number of hertz' dft --profile TDL-A --frequencies 1e6,x -o y.npy
fails 2 'neither --subcarriers nor' dft --profile TDL-A --frequencies 1e6 --subcarriers 3 -o y.npy
fails 2 'has no angles' dft --profile TDL-A --angle-spread 5,5,5,5 -o y.npy
fails 2 'has no angles' dft --profile TDL-A --element tr38901 -o y.npy
fails 2 'has no angles' dft --profile TDL-A --travel 0,90 -o y.npy
fails 2 'has no angles' dft --scenario lte57 --antenna-spacing 1 -o y.npy
fails 2 'at least 0 degrees' dft --profile CDL-A --angle-spread -1,2,3,4 -o y.npy
fails 2 'options of a model' dft x.npy --seed 2 -o y.npy
fails 2 'named for two outputs' dft --profile TDL-A -o y.npz --write-taps ./y.npz
fails 2 'takes 4 numbers' dft --profile CDL-A --angle-spread 5,5 -o y.npy
fails 2 'needs --sample-period' dft x.npy --delay-unit samples -o y.npy
fails 2 "cannot be 'sionnna'" dft x.npy --layout sionnna -o y.npy
fails 2 'are about files' dft --profile TDL-A --layout sionna -o y.npy
fails 2 'options of a model' dft x.npy --links 3 -o y.npy
fails 2 'there is no scenario' dft --scenario lte58 -o y.npy
fails 2 'did you mean --subcarriers' dft --profile TDL-A --subcarrier 3 -o y.npy
fails 2 'does not say its format' dft --profile TDL-A -o "$scratch/y.txt"
fails 5 'No such file' dft "$scratch/absent.npy" -o "$scratch/y.npy"
fails 5 'not a regular file' dft "$scratch" -o "$scratch/y.npy"
printf 'nonsense, not an array' > "$scratch/noise.npy"
fails 2 "are both the array 'a'" dft one/a.npy tau.npy two/a.npy -o y.npy
fails 2 'is an input, it is not overwritten' dft "$scratch/noise.npy" -o "$scratch/noise.npy"
fails 4 'no .npy, .npz, HDF5 or .mat file' dft "$scratch/noise.npy" -o "$scratch/y.npy"
printf '\223NUMPY\001\000v\000{}' > "$scratch/short.npy"
fails 4 'does not fit' dft "$scratch/short.npy" -o "$scratch/y.npy"
fails 2 'bench has no\|there is no benchmark' bench lte58

if ! "$clradio" devices > /dev/null 2>&1; then
    skip 'responses' 'there is no OpenCL device'
    tap_done
fi
fails 5 'nowhere' dft --profile TDL-A -o "$scratch/nowhere/y.npy"
fails 3 'no device' dft --profile TDL-A -o "$scratch/y.npy" --device opencl:77
fails 2 'fast' dft --profile TDL-A -o "$scratch/y.npy" --variant fast

# ---- models, formats, pictures ----
mkdir "$scratch/o"
model="--profile TDL-C --delay-spread 300ns --links 6 --tx 2 --rx 2 --subcarriers 120"
works 'Gsubcarriers/s.*o/r.npy' dft $model -o "$scratch/o/r.npy"
works '^verified: 2880 values' dft $model --verify
works '^verified: 2880 values' dft $model --verify --type cf64
works '^verified' dft $model --verify --normalise link --origin zero
works '^verified' dft $model --verify --normalise subcarriers --average 12 --order subcarrier-path
works '^verified' dft $model --verify --sample-period 10ns
works 'pruned TAPS=24 POINTS=16' dft $model --verify --sample-rate 30.72MHz --variant pruned
works 'pruned TAPS=24 POINTS=8' dft $model --verify --sample-rate 30.72MHz --variant pruned --type cf64
# What rounding costs is said: -16.1 dB by the table of powers (doc/dft.md).
run dft --profile TDL-C --delay-spread 300ns --links 2000 --subcarriers 1200 --sample-rate 30.72MHz -o "$scratch/o/rounded.npy"
grep -q 'by up to 0.431 of one: an error of -16\.[012] dB' "$scratch/err" && ok 'the error of rounded delays is said' ||
    not_ok 'the error of rounded delays is said'
rm -f "$scratch/o/rounded.npy"
fails 2 'say the same' dft $model --verify --sample-rate 30.72MHz --sample-period 10ns
works '^verified: 6 values' dft --profile TDL-C --links 2 --verify --frequencies=-1MHz,0,2.5e6
works '^verified' dft --profile CDL-D --links 3 --tx 2x2x2 --rx 2 --element tr38901 --doppler 30 --time-steps 4 --verify \
    --angle-spread 20,-,-,5 --angle-mean -,10,-,- --travel 90,90 --carrier 2GHz --subcarriers 33 --first 1MHz
for profile in TDL-A TDL-B TDL-D TDL-E CDL-A CDL-B CDL-C CDL-E TDLA30 TDLB100 TDLC300; do
    works '^verified' dft --profile $profile --links 2 --subcarriers 24 --verify
done
for variant in direct recurrence gemm; do
    works "^verified" dft $model --verify --variant $variant
done
for kind in npy npz h5 mat; do
    case $kind in
    npz) built_with zlib || continue ;;
    h5 | mat) built_with HDF5 || continue ;;
    esac
    works "o/f.$kind" dft $model -o "$scratch/o/f.$kind"
    if have gnuplot; then
        works drawn plot "$scratch/o/f.$kind" -o "$scratch/o/f-$kind.png" --path 3 --paths 2
    fi
done
if built_with matio; then
    works 'o/v5.mat' dft $model -o "$scratch/o/v5.mat" --format mat
fi
if have gnuplot; then
    works drawn plot "$scratch/o/r.npy" -o "$scratch/o/r.svg"
    fails 2 'there is no path 24: the response has 24' plot "$scratch/o/r.npy" --path 24
    works '^1 paths of 1 links' dft --profile TDL-A --frequencies=0,1e6,0.5e6,3e6 -o "$scratch/o/list.npz" --write-taps "$scratch/o/taps.npz"
    works drawn plot "$scratch/o/list.npz" -o "$scratch/o/list.gp"
    ! grep -q ' lines \|delay profile' "$scratch/o/list.gp" && ok 'a list out of order is points, without a delay profile' ||
        not_ok 'a list out of order is points, without a delay profile'
    run dft --profile TDL-C --subcarriers 1 --links 2 -o "$scratch/o/one.npy"
    works drawn plot "$scratch/o/one.npy" -o "$scratch/o/one.gp"
    check 'one subcarrier is drawn as points, a line has nothing to go to' \
        test "$(grep -c 'using 1:2 with points\|using 1:4 with points' "$scratch/o/one.gp")" = 2
    fails 4 'of taps clradio dft makes one' plot "$scratch/o/taps.npz"
    fails 2 'no baselines' plot "$scratch/o/r.npy" --baseline 0,1
    fails 2 'no integrations' plot "$scratch/o/r.npy" --time 1
    { # eight zeros
        printf '\223NUMPY\001\000v\000'
        printf '%-117s\n' "{'descr': '<c8', 'fortran_order': False, 'shape': (8,), }"
        head -c 64 /dev/zero
    } > "$scratch/o/zero.npy"
    # A limit on the sizes of files is a disk that is full: gnuplot says nothing of what it could not write.
    for kind in png svg; do
        (
            trap '' XFSZ
            ulimit -f 48
            "$clradio" plot "$scratch/o/r.npy" -o "$scratch/o/cut.$kind"
        ) > "$scratch/out" 2> "$scratch/err"
        status=$?
        check "a picture ($kind) that does not fit is an error" test "$status" = 5
        check "and says so" grep -q 'cut short\|disk full' "$scratch/err"
        check "and no file is left" test ! -e "$scratch/o/cut.$kind"
    done
    fails 2 'nothing to draw' plot "$scratch/o/zero.npy"
fi

# ---- batches, streams, limits and seeds ----
same() { # TEXT OPTIONS...: the response has the same bytes as o/r.npy
    text=$1
    shift
    run dft $model -o "$scratch/o/s.npy" "$@"
    if [ $rc = 0 ] && cmp -s "$scratch/o/s.npy" "$scratch/o/r.npy"; then
        ok "$text: the same bytes"
    else
        not_ok "$text: the same bytes"
        say "$scratch/err"
    fi
}
same 'a second run'
same 'batches of one receiver' --batch 1
same 'batches of four, three streams' --batch 4 --streams 3
same 'links launched one by one' --launch host --launch-parameters LINKS=1
same 'links launched as the device would' --launch emulated --launch-parameters 'PENDING=3 FAIL=2'
works 'were made up for' dft $model --verify --launch emulated --launch-parameters FAIL=2
if built_with CLBlast; then
    fails 2 'launches flat alone' dft $model --verify --launch host --variant blas
fi
fails 2 'a flat launch has no parameters' dft $model --verify --launch-parameters LINKS=1
works 'host, a beam' bench lte57 --experiment launches --users 2 --repeat 1
works '^LINKS=2 PENDING=7 *58 ' bench lte57 --experiment launches --users 2 --repeat 1 --launch emulated \
    --launch-parameters 'LINKS=0;LINKS=2 PENDING=7'
fails 2 'needs --launch' bench lte57 --experiment launches --users 2 --launch-parameters LINKS=2
fails 2 'leave --launch-parameters out' bench lte57 --experiment launches --users 2 --launch emulated --launch-parameters LINKS=2 \
    --plot "$scratch/o/p.gp"
works '^ *limited .*%$' bench lte57 --experiment memory --users 8 --repeat 1 --memory-limit 25M
grep -q 'every response of a job was the same' "$scratch/out" && ok 'a response beyond the memory has the bits of the whole' \
    || not_ok 'a response beyond the memory has the bits of the whole'
fails 2 'beam 0 alone needs' bench lte57 --experiment memory --users 2 --repeat 1 --memory-limit 1M
fails 2 'is for --experiment memory' bench lte57 --experiment size --memory-limit 1M
if built_with FFTW && "$clradio" bench dft --quick --delays grid --subcarriers 50 --repeat 1 | grep -q OpenBLAS; then
    works 'FFTW .*right' bench dft --quick --delays grid --subcarriers 50 --repeat 1
fi
same 'a memory limit of 256 KiB' --memory-limit 256K
run dft $model --seed 2 -o "$scratch/o/s.npy"
cmp -s "$scratch/o/s.npy" "$scratch/o/r.npy" && not_ok 'another seed gives another channel' || ok 'another seed gives another channel'
fails 2 'on the device' dft $model -o "$scratch/o/t.npy" --memory-limit 1000
rm -f "$scratch/o/"*
run dft $model -o "$scratch/o/t.npy" --memory-limit 1000
nothing_left 'a run that fails leaves no file' "$scratch/o"

# ---- the taps written and read again give the same response ----
if built_with zlib; then
    works 'o/a.npy' dft $model --write-taps "$scratch/o/taps.npz" -o "$scratch/o/a.npy"
    works 'gain *complex64 *6 x 2 x 2 x 24' info "$scratch/o/taps.npz"
    works 'o/b.npy' dft "$scratch/o/taps.npz" --subcarriers 120 -o "$scratch/o/b.npy"
    check 'taps written and read again give the same response' cmp "$scratch/o/a.npy" "$scratch/o/b.npy"
    run dft --profile TDL-A --write-taps "$scratch/o/only.npz"
    [ $rc = 0 ] && [ -s "$scratch/o/only.npz" ] && ok 'taps alone are written' || not_ok 'taps alone are written'
fi

rm -f "$scratch/o/"*
if [ -e /dev/full ] && [ -w /dev/full ]; then
    fails 5 'not a regular file' dft $model -o /dev/full --format npy
fi

# ---- other people's files ----
if ! "$python" -c 'import numpy, scipy, h5py' > /dev/null 2>&1; then
    skip 'files of Sionna, QuaDRiGa, DeepMIMO and ray tracers against NumPy' 'NumPy, SciPy and h5py are not there: tools/setup_python.sh'
    tap_done
fi
mkdir "$scratch/p"
cd "$scratch/p" || exit 99
check 'NumPy and SciPy write the files of other tools' "$python" "$check_dft" make .
works 'p.*sionna\|sionna.npy' dft a.npy tau.npy --subcarriers 64 --spacing 30kHz -o sionna.npy
works 'sionna64' dft a.npy tau.npy --subcarriers 64 --spacing 30kHz --type cf64 -o sionna64.npz
works 'antennas.npy' dft rt.npz --subcarriers 64 --spacing 30kHz -o antennas.npy
works 'deepmimo.npz' dft deep.npz --subcarriers 64 --spacing 30kHz --origin zero -o deepmimo.npz
works 'own.npz' dft ragged.npz --subcarriers 64 --spacing 30kHz -o own.npz
works 'rates.npz' dft moving.npz --subcarriers 64 --spacing 30kHz --time-steps 3 --time-step 1ms -o rates.npz
if built_with matio && built_with HDF5; then
    works 'quadriga.mat' dft qd.mat --subcarriers 64 --spacing 30kHz --origin zero --type cf64 -o quadriga.mat
    works 'quadriga5.mat' dft qd.mat --subcarriers 64 --spacing 30kHz --origin zero -o quadriga5.mat --format mat
    works 'named.h5' dft named.h5 --subcarriers 64 --spacing 30kHz -o named.h5.h5
fi
# Delays 0, 1, 2, ... are found to be consecutive samples, which the transforms of libraries need.
if built_with clFFT || built_with VkFFT; then
    works '^verified: 768 values' dft grid.npz --delay-unit samples --sample-rate 1.92MHz --subcarriers 64 --spacing 30kHz --variant fft --verify
    fails 2 'takes cf32, consecutive samples' dft ragged.npz --sample-rate 1.92MHz --subcarriers 64 --spacing 30kHz --variant fft --verify
fi
works '^verified' dft grid.npz --delay-unit samples --sample-rate 1.92MHz --subcarriers 64 --spacing 30kHz --variant pruned --verify
if built_with HDF5; then
    works '^72 paths of 12 links, up to 7 taps' dft qdlib1.h5 --subcarriers 64 --spacing 30kHz -o qdlib1.npy
    works '^verified' dft qdlib4.h5 --layout quadriga --subcarriers 64 --spacing 30kHz --verify --normalise link
    works '^72 paths of 12 links' dft qdlib4.h5 --subcarriers 64 --spacing 30kHz -o qdlib4.npy
    fails 4 'no coeff_im' dft qdlacks.h5 -o x.npy
    fails 4 'of 3 x 3 antennas' dft qddiffers.h5 -o x.npy
    fails 4 'the delays beside' dft qddelays.h5 -o x.npy
    fails 4 'holds no response' plot qdlib1.h5
fi
if built_with Jansson; then
    works 'rays.npy' dft rays.json --subcarriers 64 --spacing 30kHz -o rays.npy
fi
fails 4 'not finite' dft bad.npz --subcarriers 64 --spacing 30kHz -o bad.npy
check 'NumPy computes the same responses' "$python" "$check_dft" check .
fails 2 'the files hold: a, tau' dft a.npy tau.npy --layout quadriga -o x.npy
fails 4 "axis 'tap'" dft a.npy taps3.npy --gain a --delay taps3 --layout sionna -o x.npy
tap_done
