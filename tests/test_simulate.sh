#!/bin/sh
# clradio simulate array: what it writes is what the readers read, the same options give the same bytes, and what cannot be is
# refused with one sentence and no file.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/command.sh"
cd "$scratch" || exit 99
small="--stations 3 --samples 4000 --sample-rate 1MHz"

# says FILE PATTERN "OPTIONS": info of what simulate wrote with these options has the line
says() {
    "$clradio" simulate array -o "$1" $3 > said 2>&1 || { cat said; return 1; }
    "$clradio" info "$1" > said 2>&1
    cat said
    grep -q "$2" said
}
for bits in 1 2 4 8 16; do
    for kind in real complex; do
        check "VDIF of $bits bits, $kind, is read as such" says "$kind$bits.vdif" "samples .* of $bits bits, $kind" \
            "$small --bits $bits --$kind"
    done
done
check "three stations of two polarisations are six threads" says six.vdif 'inputs *6 (3 stations, 2 polarisations)' "$small"
check "one polarisation is one thread a station" says one.vdif 'inputs *3 (3 stations, 1 polarisation)' \
    "$small --polarisations 1"
check "a DADA file knows its band" says one.dada 'frequency *150250000 Hz' \
    "--format dada --stations 1 --samples 100 --real --lower-sideband"

files_of_stations() {
    "$clradio" simulate array -o 's%d.vdif' $small || return 1
    test -f s0.vdif && test -f s1.vdif && test -f s2.vdif && test ! -f s3.vdif && test -f s.antennas
}
check "%d gives a file a station and one of antennas" files_of_stations

same_bytes() {
    "$clradio" simulate array -o a.vdif $small --seed 5 && "$clradio" simulate array -o b.vdif $small --seed 5 &&
        "$clradio" simulate array -o c.vdif $small --seed 6 && cmp a.vdif b.vdif && ! cmp -s a.vdif c.vdif
}
check "the same seed gives the same bytes, another one others" same_bytes

# The voltages of a station do not depend on how the files are cut, nor on the antenna file they come from.
same_voltages() {
    "$clradio" simulate array -o e.vdif $small --layout random && "$clradio" simulate array -o f.vdif $small --antennas e.antennas &&
        cmp e.vdif f.vdif && test ! -e f.antennas
}
check "an array read back from its antenna file sees the same" same_voltages

# refused PATTERN OPTIONS...: exit code 2, one sentence with the pattern, no file
refused() {
    pattern=$1
    shift
    rm -rf empty && mkdir empty && cd empty || return 1
    "$clradio" simulate "$@" > ../said 2>&1
    code=$?
    cd ..
    cat said
    echo "exit code $code"
    test "$code" = 2 && test "$(wc -l < said)" = 1 && grep -q -- "$pattern" said && rmdir empty
}
check "simulate without a word is refused" refused "clradio simulate array"
check "voltages and positions are two files" refused "positions of the antennas" array -o x.antennas
check "a misspelt kind is refused" refused "did you mean 'array'" arry
check "no output is refused" refused "-o FILE is needed" array
check "three bits are refused" refused "1, 2, 4, 8 or 16" array -o x.vdif --bits 3
check "a source without a flux is refused" refused "AZ,EL,FLUX" array -o x.vdif --source 1,2
check "a source below the ground's reach is refused" refused "within 90 degrees" array -o x.vdif --source 1,95,1
check "a gain of no station is refused" refused "station below 8" array -o x.vdif --gain 8=1
check "a gain of no polarisation is refused" refused "station below 8" array -o x.vdif --polarisations 1 --gain 0Y=1
check "another conversion than %d is refused" refused "one %d" array -o 'x%s.vdif'
check "two %d are refused" refused "one %d" array -o '%d%d.vdif'
check "several stations in a DADA file are refused" refused "one station" array -o x.dada --format dada
check "4 bits in a DADA file are refused" refused "8 or 16 bits" array -o 'x%d.dada' --format dada --bits 4
check "real and complex at once are refused" refused "real or --complex" array -o x.vdif --real --complex
check "seconds and samples at once are refused" refused "not both" array -o x.vdif --seconds 1 --samples 1
check "a rate that VDIF cannot hold is refused" refused "whole number" array -o x.vdif --sample-rate 1000.5

bad_antennas() {
    printf 'latitude: 1\nlongitude: 2\na 1 2\n' > bad.antennas
    "$clradio" simulate array -o bad.vdif --antennas bad.antennas > said 2>&1
    code=$?
    cat said
    test $code = 4 && grep -q "line 3" said && test ! -e bad.vdif
}
check "a bad antenna file is named with its line" bad_antennas
unwritable() {
    "$clradio" simulate array -o none/x.vdif $small > said 2>&1
    code=$?
    cat said
    test $code = 5
}
check "a folder that is not there is exit code 5" unwritable
check "nothing temporary is left" test -z "$(find . -name '.*.vdif*' -o -name '.*.dada*')"
tap_done
