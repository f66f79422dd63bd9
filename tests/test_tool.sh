# The command line as a user meets it: help, errors and their exit codes, whole runs on simulated files, full disks. Interruption
# is in tests/test_tool_signals.sh; what a run must compute is tested with exact sums in tests/test_correlate.c.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/command.sh"
unset CLRADIO_DATA

# ---- help ----
works 'First steps' help
works 'First steps' --help
works '^clradio [0-9]' --version
works 'First steps' help help
fails 2 'did you mean .--version' version
for command in devices info simulate cache correlate dft sinr detect plot demo; do
    works "^usage: clradio $command" help "$command"
    cp "$scratch/out" "$scratch/help"
    run "$command" --help
    if [ "$rc" = 0 ] && cmp -s "$scratch/out" "$scratch/help"; then
        ok "$command --help is help $command"
    else
        not_ok "$command --help is help $command"
    fi
    widest=$(awk '{ if (length($0) > n) n = length($0) } END { print n + 0 }' "$scratch/help")
    if [ "$widest" -le 100 ]; then
        ok "the help of $command is at most 100 columns wide"
    else
        not_ok "the help of $command is at most 100 columns wide"
    fi
done
run help
for command in $(sed -n 's/^  \([a-z]*\) .*/\1/p' "$scratch/out"); do
    [ "$command" = help ] || works '^usage: clradio ' help "$command"
done

# ---- the manual page ----
sed 's/\\-/-/g; s/\\f[BRI]//g' "$top_srcdir/doc/clradio.1" > "$scratch/manual"
# A line that happens to begin with a dot would be taken for a macro, and be lost.
check 'no line of the manual page is a macro that is none' \
    test "$(grep -c '^\.[a-z]' "$top_srcdir/doc/clradio.1")" = "$(grep -c '^\.\(br\|nf\|fi\)\b' "$top_srcdir/doc/clradio.1")"
for command in devices info correlate dft sinr detect plot 'simulate array' demo ber 'bench xengine' 'bench dft' 'bench lte57' cache; do
    "$clradio" help $command | sed -n 's/^  \(-[a-z], \)*--\([a-z0-9-]*\).*/\2/p' > "$scratch/names"
    missing=
    while read -r name; do
        grep -q -- "--$name\( \|$\)" "$scratch/manual" || missing="$missing --$name"
    done < "$scratch/names"
    if [ -s "$scratch/names" ] && [ -z "$missing" ]; then
        ok "the manual page has every option of $command"
    else
        not_ok "the manual page has every option of $command"
        echo "# missing:$missing"
    fi
done
if have mandoc; then
    mandoc -Tlint "$top_srcdir/doc/clradio.1" > "$scratch/lint" 2>&1
    check 'mandoc finds nothing wrong with the manual page' test ! -s "$scratch/lint"
else
    skip 'mandoc finds nothing wrong with the manual page' 'mandoc is not installed'
fi

# ---- misspellings and wrong values ----
fails 2 'a command is needed'
fails 2 "did you mean 'correlate'" corelate
fails 2 "'clradio help' lists them" zzzzzzzz
fails 2 'did you mean --channels' correlate x --chanels 4
fails 2 'lists them' correlate x --zzzzzzzzzz
fails 2 'no option -q' correlate x -q
fails 2 'needs FILE' correlate
fails 2 'needs a value' correlate x --channels
fails 2 'follows it' correlate x --channels --taps 4
fails 2 'empty value' correlate x --output=
fails 2 'takes no value' correlate x --verify=1
fails 2 'whole number' correlate x --channels 4.5
fails 2 'whole number' correlate x --channels=-4
fails 2 'between 1 and' correlate x --channels 0
fails 2 'number of hertz' correlate x --sample-rate 32ms
fails 2 'number of seconds' correlate x --integration 1kHz
fails 2 'number of bytes' correlate x --memory-limit 1Z
fails 2 "did you mean 'hamming'" correlate x --window haming
fails 2 'goes with --window kaiser' correlate x --kaiser-beta 5
fails 2 'cannot go with' correlate x --normalise --output-type int32
fails 2 'rectangular, hann, .*kaiser$' correlate x --window hanning
fails 2 'cannot go to standard output' correlate x -o -
fails 2 'cannot go to standard output' simulate array -o -
fails 2 "what is 'x' for" --version x
fails 2 "did you mean 'list'" cache lits
fails 2 'what is' devices here
fails 2 'two antenna numbers' plot x --baseline 3

# ---- devices, cache ----
run devices
if [ "$rc" = 3 ]; then
    skip 'everything that needs a device' 'no OpenCL device'
    tap_done
fi
works 'features  *fp64' devices
json=no
if built_with Jansson; then
    json=yes
    works '"max_allocation_bytes"' devices --json
else
    fails 1 'without Jansson' devices --json
fi
mkdir "$scratch/cache"
CLRADIO_CACHE_DIR=$scratch/cache works 'folder ' cache info
CLRADIO_CACHE_DIR=$scratch/cache works 'empty' cache list
CLRADIO_CACHE_DIR=$scratch/cache works 'all sound' cache verify
CLRADIO_CACHE_DIR=$scratch/cache works 'removed 0' cache clear

# Lists of numbers: 2^32 + 1 is not one station. A name that no variant has is refused, not a failure.
fails 2 'stations takes up to 32 numbers from 1 to 4294967295' bench xengine --stations 4294967297
fails 2 "channels takes up to 32 numbers .*, not ','" bench xengine --channels ,
fails 2 'subcarriers takes up to 32 numbers from 1 to 16777216' bench dft --subcarriers 50,0
fails 2 'paths takes up to 32 numbers from 1 to 65536' bench dft --paths 65537
fails 2 'delays any: kinds are' bench dft --delays any
fails 2 'type ci8: types are' bench dft --type ci8
if "$clradio" devices > /dev/null 2>&1; then
    for command in 'bench xengine --stations 2' 'bench dft --quick --alone --subcarriers 50' 'bench detector --tx 2'; do
        "$clradio" $command --variant fastest --repeat 1 > "$scratch/out" 2>&1
        status=$?
        check "$command: a variant of no known name is refused" test "$status" = 2
    done
    works 'mfma .* - mma-int8 .*right$' bench xengine --stations 2 --channels 1 --spectra 64 --repeat 1 --input ci8 --variant mfma
fi

# That a file of figures cannot be written is said before they are measured, not after.
for command in 'bench xengine' 'bench dft' 'bench detector' 'bench lte57' ber; do
    [ $json = no ] || fails 5 'No such file' $command --json "$scratch/absent/x.json"
done

# ---- files ----
: > "$scratch/empty"
for line in 1 2 3 4 5 6 7 8 9; do echo 'These lines of text are no header of voltages.'; done > "$scratch/noise"
fails 5 'No such file' info "$scratch/absent.vdif"
fails 4 "" info "$scratch/empty"
fails 4 "no VDIF, DADA or TBN" info "$scratch/noise"
fails 5 'No such file' correlate "$scratch/absent.vdif" --print
# What a file says is quoted without what would move a terminal's cursor.
printf '\223NUMPY\001\000F\000%-69s\nabcdefgh' "{'descr': '<$(printf '\033')4', 'fortran_order': False, 'shape': (2,)}" > "$scratch/escape.npy"
fails 4 "elements of the type '<?4' are not read" info "$scratch/escape.npy"
fails 4 "no VDIF, DADA or TBN" correlate "$scratch/noise" --print

simulated=$scratch/a.vdif
works 'samples' simulate array -o "$simulated" --stations 4 --source 40,60,1 --sample-rate 1MHz --samples 40000
works 'complex' info "$simulated"
[ $json = no ] || works '"samples": 40000' info "$simulated" --json
fails 2 'say where to' correlate "$simulated"
ln "$simulated" "$scratch/linked.vdif"
fails 2 "linked.vdif' is given twice" correlate "$simulated" "$scratch/linked.vdif" --print --channels 1
cp "$simulated" "$scratch/second.vdif"
fails 2 'is given twice' correlate "$simulated" "$scratch/second.vdif,$scratch/linked.vdif" --print --channels 1
run correlate "$simulated" "$scratch/second.vdif" --print --channels 1
if [ "$rc" = 0 ] && [ "$(grep -c frequency "$scratch/err")" = 1 ]; then
    ok 'that the files do not say their frequency is said once'
else
    not_ok 'that the files do not say their frequency is said once'
    say "$scratch/err"
fi
fails 2 'too few' correlate "$simulated" --print --channels 100000
fails 2 'needs a transform' correlate "$simulated" --print --channels 1 --taps 2
fails 2 'leaves nothing' correlate "$simulated" --print --start 1s
fails 2 'shorter than a spectrum' correlate "$simulated" --print --channels 64 --integration 1us
fails 2 '3 entries' correlate "$simulated" --print --inputs 0X,0Y,1X
fails 2 'no entry' correlate "$simulated" --print --inputs 0X,0Q,...
fails 2 'are both station 0X' correlate "$simulated" --print --inputs 0X,0X,...
fails 2 'station 0 has no input' correlate "$simulated" --print --inputs 1X,...
fails 2 'no integers' correlate "$simulated" --print --output-type int32
fails 3 'opencl:99' correlate "$simulated" --print --device opencl:99.0
fails 2 'too small' correlate "$simulated" --channels 64 --memory-limit 1K --print

CLRADIO_FFT=fftw
export CLRADIO_FFT
! transforms || fails 2 "CLRADIO_FFT is 'fftw'; of clfft and vkfft" correlate "$simulated" --print --channels 16
unset CLRADIO_FFT
! built_with clFFT || fails 2 'takes lengths' correlate "$simulated" --print --channels 17

works '^# 40000 spectra of 1 channels and 8 inputs in 1 integration,.* 0 % lost' correlate "$simulated" --channels 1
works '^# verified, exact' correlate "$simulated" --channels 1 --print --verify
rows=$(grep -vc '^#' "$scratch/out")
columns=$(grep -v '^#' "$scratch/out" | awk '{ print NF }' | sort -u)
if [ "$rows" = 8 ] && [ "$columns" = 8 ]; then
    ok 'eight inputs print an 8 x 8 matrix'
else
    not_ok 'eight inputs print an 8 x 8 matrix'
    say "$scratch/out"
fi
works '3 integrations' correlate "$simulated" --channels 1 --print --integration 15ms
# A program that is built for the first time, as a newcomer's all are: a compiler's remarks are not for them. This one had some.
mkdir "$scratch/pocl"
POCL_CACHE_DIR=$scratch/pocl CLRADIO_CACHE=off "$clradio" correlate "$simulated" --channels 1 --print --variant wgmma \
    --parameters EMULATED=1 --samples 500 > "$scratch/out" 2> "$scratch/err"
rc=$?
check 'a first build prints no warnings' test "$rc $(grep -c warning "$scratch/err")" = '0 0'
works '^# row and column 7: .*station 3 Y' correlate "$simulated" --channels=1 --print
if transforms; then
    works '^# verified, 2560 sums' correlate "$simulated" --channels 64 --taps 4 --window hann --print --verify
    works '^# verified' correlate "$simulated" --channels 60 --print --verify --sideband lower --memory-limit 4M
    works '^# 500 spectra of 64 channels and 3 inputs' correlate "$simulated" --channels 64 --print --start 4ms \
        --samples 32000 --inputs 0X,-,0Y,-,-,1Y,...
else
    fails 2 'without clFFT' correlate "$simulated" --channels 64 --print
fi
built_with CLBlast || works 'needs CLBlast, which this build is without' bench xengine --variant blas --input cf32 \
    --stations 4 --channels 1 --spectra 64
"$clradio" correlate "$simulated" --channels 1 > /dev/full 2> "$scratch/err"
if [ $? = 5 ] && grep -q 'cannot write to standard output' "$scratch/err"; then
    ok 'a full standard output ends with 5'
else
    not_ok 'a full standard output ends with 5'
    say "$scratch/err"
fi

# ---- a truncated file: what is whole is used, and the exit code says so ----
size=$(wc -c < "$simulated")
head -c $((size - 100)) "$simulated" > "$scratch/cut.vdif"
run correlate "$scratch/cut.vdif" --channels 1 --verify --print
if [ "$rc" = 4 ] && grep -q 'verified, exact' "$scratch/out" && grep -q 'note: .*cut' "$scratch/err"; then
    ok 'a truncated file gives what is whole and ends with 4'
else
    not_ok 'a truncated file gives what is whole and ends with 4'
    echo "# exit code $rc"
    say "$scratch/err"
fi
fails 4 '' correlate "$scratch/cut.vdif" --channels 1 --print --strict

if ! built_with HDF5; then
    fails 1 'without HDF5' correlate "$simulated" --channels 1 -o "$scratch/none.uvh5"
    fails 1 'without HDF5' plot "$scratch/noise" -o "$scratch/none.png"
    skip 'UVH5 files' 'configured without HDF5'
    tap_done
fi
if ! transforms; then
    skip 'UVH5 files of channels, pictures, demonstration' 'neither clFFT nor VkFFT'
    tap_done
fi

# ---- UVH5 ----
mkdir "$scratch/o"
works ' -> ' correlate "$simulated" --channels 64 --integration 10ms -o "$scratch/o/a.uvh5" --antennas \
    "$scratch/a.antennas" --frequency 150MHz
check 'only the file is left' test "$(ls -A "$scratch/o")" = a.uvh5
cp "$simulated" "$scratch/o/in.vdif"
cp "$scratch/o/in.vdif" "$scratch/copy.vdif"
fails 2 'is an input' correlate "$scratch/o/in.vdif" --channels 1 -o "$scratch/o/in.vdif"
check 'the input was not touched' cmp "$scratch/o/in.vdif" "$scratch/copy.vdif"
fails 2 'named for two outputs' correlate "$simulated" --channels 1 -o "$scratch/o/x" --matrix "$scratch/o/x"
fails 5 'is a directory' correlate "$simulated" --channels 1 -o "$scratch/o"
fails 5 'not a regular file' correlate "$simulated" --channels 1 -o /dev/full
fails 5 'No such file' correlate "$simulated" --channels 1 -o "$scratch/absent/a.uvh5"
mkfifo "$scratch/fifo"
for name in "$scratch/fifo" "$scratch/o" /dev/zero; do
    fails 5 'regular file\|is a directory\|not a readable file' correlate "$simulated" --channels 1 -o "$scratch/none.uvh5" --antennas "$name"
    fails 5 'regular file\|is a directory\|not a readable file' simulate array -o "$scratch/none.vdif" --antennas "$name"
    fails 5 'regular file\|is a directory\|not a readable file' info "$name"
    fails 5 'regular file\|is a directory\|not a readable file' plot "$name" -o "$scratch/none.png"
done
fails 2 'antennas, but there are' correlate "$simulated" --channels 1 --inputs 0X,0Y,... -o "$scratch/o/b.uvh5" \
    --antennas "$scratch/a.antennas"
rm -f "$scratch"/o/*
fails 3 'opencl:99' correlate "$simulated" --channels 1 -o "$scratch/o/a.uvh5" --device opencl:99.0
nothing_left 'a failed run leaves no file' "$scratch/o"
if [ "$(id -u)" = 0 ]; then
    skip 'a read-only folder' 'root writes everywhere'
else
    chmod 500 "$scratch/o"
    fails 5 'Permission denied' correlate "$simulated" --channels 1 -o "$scratch/o/a.uvh5"
    chmod 700 "$scratch/o"
fi
# 16-bit samples of an rms of 2048: a sum of squares over 40000 samples is 1e11 or more.
works samples simulate array -o "$scratch/loud.vdif" --stations 2 --bits 16 --sample-rate 1MHz --samples 40000
run correlate "$scratch/loud.vdif" --channels 1 --output-type int32 -o "$scratch/o/a.uvh5"
if [ "$rc" = 1 ] && grep -q '^clradio: .*fit' "$scratch/err"; then
    ok 'sums that do not fit the type asked for end with 1'
else
    not_ok 'sums that do not fit the type asked for end with 1'
    echo "# exit code $rc"
    say "$scratch/err"
fi
nothing_left 'an overflow in the first integration leaves no file' "$scratch/o"

# ---- pictures ----
"$clradio" correlate "$simulated" --channels 64 --integration 10ms -o "$scratch/a.uvh5" > /dev/null 2>&1
"$clradio" correlate "$simulated" --channels 1 --integration 1ms -o "$scratch/t.uvh5" > /dev/null 2>&1
"$clradio" correlate "$simulated" --channels 1 -o "$scratch/m.uvh5" > /dev/null 2>&1
PATH=/nonexistent "$clradio" plot "$scratch/a.uvh5" -o "$scratch/o/a.png" > "$scratch/out" 2> "$scratch/err"
if [ $? = 1 ] && grep -q 'gnuplot, which is not installed' "$scratch/err"; then
    ok 'plot without gnuplot says what is missing'
else
    not_ok 'plot without gnuplot says what is missing'
    say "$scratch/err"
fi
nothing_left 'and leaves nothing' "$scratch/o"
fails 2 'must end in .png, .svg or .gp' plot "$scratch/a.uvh5" -o "$scratch/o/a.gif"
fails 2 'no baseline 0,9' plot "$scratch/a.uvh5" -o "$scratch/o/a.png" --baseline 0,9
fails 2 '--paths are of a response' plot "$scratch/a.uvh5" -o "$scratch/o/a.png" --paths 2
fails 2 'the file has 5' plot "$scratch/a.uvh5" -o "$scratch/o/a.png" --time 9
fails 5 'absent' plot "$scratch/absent.uvh5"
fails 4 'signature' plot "$scratch/noise" -o "$scratch/o/a.png"

# What a truncated file of arrays is, is said by its reader: no voltages are looked for in it.
works 'UVH5 1.2' info "$scratch/a.uvh5"
[ $json = no ] || works '"type": "cf32"' info --json "$scratch/a.uvh5"
head -c 5000 "$scratch/a.uvh5" > "$scratch/cut.uvh5"
printf '\223NUMPY\001\000v\000{' > "$scratch/cut.npy"
printf 'MATLAB 5.0 MAT-file, and no more of it' > "$scratch/cut5.mat"
printf 'MATLAB 7.3 MAT-file, and no more of it' > "$scratch/cut7.mat"
for command in info plot; do
    fails 4 'damaged or cut short' $command "$scratch/cut.uvh5"
    fails 4 'header of 118 bytes does not fit' $command "$scratch/cut.npy"
    fails 4 'it ends too early' $command "$scratch/cut5.mat"
    fails 4 'begins as a .mat file of version 7.3 and is damaged or cut short' $command "$scratch/cut7.mat"
done
printf '\223NUMPY\001\000F\000%-69s\nabcdefgh' "{'descr': '<x4', 'fortran_order': False, 'shape': (2,)}" > "$scratch/odd.npy"
for command in info plot "dft -o $scratch/o/n.npy" "sinr --snr 3 -o $scratch/o/n.npy" "detect -o $scratch/o/n.npy"; do
    fails 4 "elements of the type '<x4' are not read" $command "$scratch/odd.npy"
done

# A script needs no gnuplot here. Names of pictures are looked at before anything is measured. Without a PATH PoCL finds no linker
# either, so what it links is linked before.
rates='bench xengine --stations 2,3 --channels 1 --spectra 64 --repeat 1 --input ci8 --pipeline 2'
works 'right$' $rates
PATH=/nonexistent "$clradio" $rates --plot "$scratch/o/rates.gp" > "$scratch/out" 2> "$scratch/err"
if [ $? = 0 ] && [ "$(grep -c '^[46] [0-9.e+-]*$' "$scratch/o/rates.gp")" -ge 12 ] &&
    grep -q "^set output 'rates.png'$" "$scratch/o/rates.gp"; then
    ok 'bench xengine writes a script with the rates of both sizes and layouts'
else
    not_ok 'bench xengine writes a script with the rates of both sizes and layouts'
    say "$scratch/err"
fi
works 'from host memory, 2 slots: .*right$' bench xengine --stations 3 --channels 1 --spectra 64 --repeat 1 --input ci8 --pipeline 2 --flagged
for command in 'bench xengine' 'bench lte57' ber; do
    fails 2 'named for two outputs' $command --json "$scratch/o/two.gp" --plot "$scratch/o/two.gp"
    fails 2 'must end in .png, .svg or .gp' $command --plot "$scratch/o/a.gif"
done
if have gnuplot; then
    check 'which gnuplot draws elsewhere' sh -c "cd '$scratch/o' && gnuplot rates.gp && head -c 4 rates.png | grep -q PNG"
    for name in a t m; do
        for kind in png svg; do
            works drawn plot "$scratch/$name.uvh5" -o "$scratch/o/$name.$kind"
        done
    done
    check 'a PNG picture is one' sh -c "head -c 4 '$scratch/o/a.png' | grep -q PNG"
    # A name is a name for gnuplot, never a command.
    odd=$(printf 'x\n!touch obeyed\n#.uvh5')
    cp "$scratch/a.uvh5" "$scratch/$odd"
    program=$(cd "$(dirname "$clradio")" && pwd)/clradio
    (cd "$scratch" && "$program" plot "$odd" -o o/odd.png) > "$scratch/out" 2>&1
    check 'a file with an odd name is drawn' test -s "$scratch/o/odd.png"
    check 'and what its name says is not obeyed' test ! -e "$scratch/obeyed"
    run plot "$scratch/$odd"
    check 'nor is a picture given such a name' grep -q 'control characters' "$scratch/err"
    cp "$scratch/a.uvh5" "$scratch/o/named.png"
    fails 2 'it is not overwritten' plot "$scratch/o/named.png"
    check 'an SVG picture is one' grep -q '<svg' "$scratch/o/a.svg"
else
    skip 'pictures' 'gnuplot is not installed'
fi

# ---- the demonstration ----
works 'the source is where it was put' demo --keep "$scratch/kept"
check 'it leaves its files where it was told' test -s "$scratch/kept/array.uvh5"
fails 3 'opencl:99' demo --device opencl:99.0
tap_done
