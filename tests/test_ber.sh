# clradio ber: the same counts whatever the batch, the axis and the interruptions; its files; what cannot be is refused with one
# sentence and no file.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/command.sh"
cd "$scratch" || exit 99
if ! "$clradio" devices > /dev/null 2>&1; then
    skip 'clradio ber' 'no OpenCL device'
    tap_done
fi
small="--tx 2 --rx 2 --qam 4 --min-errors 500 --max-seconds 0"

# field COLUMN FILE: the column of that name, a line a point.
field() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$2"
}
# is TEXT COLUMN FILE: the column's values, spaces between them
is() {
    found=$(field "$2" "$3" | tr '\n' ' ')
    echo "$2 is '$found'"
    test "$found" = "$1 "
}

# ---- counts
counts_do_not_depend_on_the_batch() {
    "$clradio" ber $small --snr 0:10:20 --csv a.csv && "$clradio" ber $small --snr 0:10:20 --batch 2048 --csv b.csv &&
        "$clradio" ber $small --snr 0:10:20 --batch 200000 --csv c.csv && cat a.csv && cmp a.csv b.csv && cmp a.csv c.csv
}
check "the batch changes nothing" counts_do_not_depend_on_the_batch
a_point_does_not_depend_on_the_others() {
    "$clradio" ber $small --snr 20,10 --csv d.csv && grep ',10,6.98' d.csv > one && grep ',10,6.98' a.csv > two && cmp one two
}
check "a point does not depend on the others" a_point_does_not_depend_on_the_others
axes_name_the_same_points() {
    "$clradio" ber $small --snr 6.989700043360188 --snr-axis es --csv e.csv &&
        "$clradio" ber $small --snr 3.979400086720376 --snr-axis eb --csv f.csv &&
        is "$(field bit_errors one.csv)" bit_errors e.csv && is "$(field bit_errors one.csv)" bit_errors f.csv &&
        is 10 snr_rx_db e.csv && is 6.989700043 es_n0_db f.csv
}
"$clradio" ber $small --snr 10 --csv one.csv > /dev/null
check "10 dB per receive antenna are 6.99 dB of Es/N0 and 3.98 dB of Eb/N0" axes_name_the_same_points
a_seed_is_another_run() {
    "$clradio" ber $small --snr 10 --seed 2 --csv g.csv && ! test "$(field bit_errors g.csv)" = "$(field bit_errors one.csv)"
}
check "another seed has other counts" a_seed_is_another_run
caps_are_named() {
    "$clradio" ber $small --snr 40 --max-vectors 1000 --csv h.csv && is vectors ended_by h.csv && is 1000 vectors h.csv &&
        is 1 reproducible h.csv && "$clradio" ber $small --snr 60 --max-seconds 1us --csv i.csv > said && cat said &&
        is seconds ended_by i.csv && is 0 reproducible i.csv && grep -q 'seconds.*not reproducible' said
}
check "the cap that ended a point is named, and one by the clock is marked" caps_are_named
bounds_are_said() {
    "$clradio" ber $small --snr 10 --method mmse --csv j.csv > said && cat said && grep -q 'upper bound on ML BER' said &&
        is 0 exact_fraction j.csv && is 1 exact_fraction one.csv &&
        test "$(field bit_errors j.csv)" -gt "$(field bit_errors one.csv)"
}
check "what is not certified as exact says 'upper bound on ML BER'" bounds_are_said

# ---- channels
more_errors_than_independent() {
    "$clradio" ber $small --snr 10 --csv k.csv "$@" && test "$(field bit_errors k.csv)" -gt "$(field bit_errors one.csv)"
}
check "correlated antennas have more errors" more_errors_than_independent --correlation 0.8
check "a wrong estimate has more errors" more_errors_than_independent --estimation-error 0.1
runs_as() {
    "$clradio" ber $small --snr 10 --csv l.csv "$@" && cat l.csv && test "$(field bit_errors l.csv)" -ge 500
}
for name in tdl-a tdl-b TDL-C tdld tdl-e; do
    check "channel $name" runs_as --channel $name --delay-spread 300ns --subcarriers 600 --spacing 30kHz
done
printf 'delay_s,diffuse,specular\n0,0.5,0\n1e-7,0.25,0.25\n' > taps.csv
printf 'nt,nr,qam,snr_rx_db,ber\n2,2,4,10,0.01\n' > other_link.csv
check "channel of a file" runs_as --channel taps.csv
check "streams of different alphabets" runs_as --modulation qpsk,qam16
check "256-QAM" runs_as --modulation qam256
# [[1, 0.5], [0.5, 1]] as NumPy stores it: 128 bytes of header
{
    printf '\223NUMPY\001\000v\000'
    printf '%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }"
    printf '\0\0\0\0\0\0\360\077\0\0\0\0\0\0\340\077\0\0\0\0\0\0\340\077\0\0\0\0\0\0\360\077'
} > half.npy
a_matrix_is_its_exponential() {
    "$clradio" ber $small --snr 10 --rx-correlation half.npy --tx-correlation 0.5 --csv m.csv &&
        "$clradio" ber $small --snr 10 --correlation 0.5 --csv n.csv && cmp m.csv n.csv
}
check "a correlation matrix from a file is the same as its rho" a_matrix_is_its_exponential

# ---- interruptions
long="--tx 2 --rx 2 --qam 4 --snr 10,26,12 --min-errors 80000 --max-vectors 1200000 --max-seconds 0"
# The time to the signal follows the machine: longer when it came before the first vector,
# shorter (and from the start again) when the run had ended before it.
interrupted_and_resumed() {
    began=$(date +%s%N)
    "$clradio" ber $long --csv whole.csv > /dev/null || return 1
    wait=$((($(date +%s%N) - began) / 2000000))
    times=0 runs=0
    while test $runs -lt 200; do
        runs=$((runs + 1))
        timeout -s INT $(printf '%d.%03d' $((wait / 1000)) $((wait % 1000))) \
            "$clradio" ber $long --resume state --csv parts.csv > said 2>&1
        code=$?
        tail -n 2 said
        if test $code = 0; then
            test $times = 0 || break
            rm -f state
            wait=$((wait * 3 / 4 + 1))
        elif test $code != 124; then # timeout's own
            return 1
        elif grep -q 'interrupted after . of 3 points; the counts are kept' said; then
            times=$((times + 1))
        else
            wait=$((wait * 3 / 2 + 1))
        fi
    done
    echo "interrupted $times times in $runs runs"
    test $times -gt 0 && test $code = 0 && cmp whole.csv parts.csv
}
check "interrupted again and again, the counts are those of one run" interrupted_and_resumed
it_listens() {
    grep -q 'ended by' begun || ! kill -0 $pid
}
exit_code_130() {
    "$clradio" ber $long --max-vectors 1000000000 --snr 60 --resume other > begun 2>&1 &
    pid=$!
    wait_until it_listens
    kill -INT $pid
    wait $pid
    code=$?
    cat begun
    test $code = 130
}
check "SIGINT ends with 130" exit_code_130
points_of_the_file_are_kept() {
    "$clradio" ber $small --snr 5 --resume pair && "$clradio" ber $small --snr 10 --resume pair && cat pair &&
        "$clradio" ber $small --snr 5,10 --resume pair --csv pair.csv && "$clradio" ber $small --snr 5,10 --csv fresh.csv &&
        cmp pair.csv fresh.csv && test "$(wc -l < pair)" = 6
}
check "points that are not asked for stay in the state" points_of_the_file_are_kept
# state_is_refused CODE PATTERN OPTIONS...: with the file `bad`, which stays as it is
state_is_refused() {
    wanted=$1 pattern=$2
    shift 2
    cp bad before
    "$clradio" ber $small --snr 5,10 --resume bad "$@" > said 2>&1
    code=$?
    cat said
    echo "exit code $code"
    test "$code" = "$wanted" && test "$(wc -l < said)" = 1 && grep -q "$pattern" said && cmp bad before
}
cp pair bad
check "the state of another seed is refused" state_is_refused 2 'another link' --seed 9
check "the state of another detector is refused" state_is_refused 2 'another link' --method mmse
check "a state with more errors asked for is refused" state_is_refused 2 'going on takes' --min-errors 100
# altered COMMAND...: what it makes of `pair` without its last line, with a checksum of its own
altered() {
    sed '$d' pair | "$@" > body
    { cat body && echo "sha256=$(sha256sum < body | cut -d ' ' -f 1)"; } > bad
}
altered cat
check "the last line is the checksum of those before" cmp pair bad
altered sed '$s/ errors$/ never/'
check "an end that is none is refused" state_is_refused 4 'line 5'
altered awk 'NR == 4 { $5 = $4 + 1 } { print }'
check "more errors than bits are refused" state_is_refused 4 'line 4'
altered awk 'NR == 4 { $3 = "-1" } { print }'
check "a negative count is refused" state_is_refused 4 'line 4'
altered awk 'NR == 4 { print $0, "7"; next } { print }'
check "a field too many is refused" state_is_refused 4 'line 4'
every_byte_counts() { # each with another bit of the eight
    count=0
    for byte in $(od -An -v -tu1 pair); do
        octal=$(printf '%03o' $((byte ^ 1 << count % 8)))
        { head -c $count pair && printf "\\$octal" && tail -c +$((count + 2)) pair; } > bad
        count=$((count + 1))
        state_is_refused 4 'is damaged\|is no state\|of an earlier' > refusal || {
            cat refusal
            return 1
        }
    done
    echo "$count bytes"
    test $count = "$(wc -c < pair)" && test $count -gt 400
}
check "a state with any byte altered is refused" every_byte_counts
for lines in 1 2 3 4 5; do
    head -n $lines pair > bad
    check "the first $lines lines of a state are refused" state_is_refused 4 'its last line is no checksum'
done
head -c 200 pair > bad
check "a state that was cut within a line is refused" state_is_refused 4 'no whole text'
{ cat pair && sed -n 5p pair; } > bad
check "a line more than was written is refused" state_is_refused 4 'its last line is no checksum'
sed '1s/2$/1/; $d' pair > bad
check "a state without a checksum is told to be an earlier clradio's" state_is_refused 4 'of an earlier clradio'
printf 'a\0b\n' > bad
check "a state with a NUL is refused" state_is_refused 4 'damaged'
printf 'some text\n' > bad
check "what is no state is refused" state_is_refused 4 'no state'
: > bad
check "an empty state is refused" state_is_refused 4 'damaged'

# ---- files
json_has_the_keys() {
    "$clradio" ber $small --snr 10 --json p.json || return 1
    cat p.json
    for key in snr_rx_db es_n0_db eb_n0_db vectors bits bit_errors ber ber_low ber_high symbol_errors vector_errors exact_fraction \
        nodes_mean; do
        grep -q "\"$key\": [0-9-]" p.json || { echo "no $key"; return 1; }
    done
    grep -q '"points": \[' p.json && grep -q "\"bit_errors\": $(field bit_errors one.csv)," p.json
}
if "$clradio" devices --json > /dev/null 2>&1; then
    check "JSON has the points with all keys" json_has_the_keys
else
    skip "JSON has the points with all keys" "this build has no JSON"
fi
if have gnuplot; then
    printf '# a comment\nnt,nr,qam,snr_rx_dB,BER\n2,2,4,10,2.9e-2\n4,4,4,10,1e-2\n' > table.csv
    curve_is_drawn() {
        "$clradio" ber $small --snr 0,10,80 --max-vectors 70000 --plot curve.$1 --reference table.csv && test -s curve.$1
    }
    check "the curve is drawn as PNG" curve_is_drawn png
    check "the curve is drawn as SVG" curve_is_drawn svg
    names_what_is_drawn() {
        grep -q 'matched-filter bound, 1 x 2' curve.svg && grep -q 'reference' curve.svg && grep -q 'no error: upper limit' curve.svg
    }
    check "the picture names measured points, bound, reference and upper limits" names_what_is_drawn
else
    skip "the curve is drawn" "gnuplot is not installed"
fi

# ---- what cannot be
# refused CODE PATTERN OPTIONS...: one sentence with the pattern, no file
refused() {
    wanted=$1 pattern=$2
    shift 2
    rm -rf empty && mkdir empty && cd empty || return 1
    "$clradio" ber --max-vectors 10 --csv out.csv "$@" > ../said 2>&1
    code=$?
    cd ..
    cat said
    echo "exit code $code"
    test "$code" = "$wanted" && test "$(wc -l < said)" = 1 && grep -q -- "$pattern" said && rmdir empty
}
for list in x 1: 1:2 0:0:5 0:-1:5 5:1:0 1,,2 nan 0:1e-9:10 '1:2:3:4' ''; do
    check "--snr '$list' is refused" refused 2 '--snr' --snr "$list"
done
# Before the measurement, which may take hours: nothing is counted.
for option in --json --csv --plot; do
    case $option in --plot) name=p.gp ;; *) name=p ;; esac
    check "a place where no file can be is refused: $option" refused 5 'cannot create' $option "nowhere/$name"
done
check "a table of --csv is not mixed with the other" refused 2 'name a file' --csv -
check "a point twice is refused" refused 2 'twice' --snr 1,2,1
check "an SNR beyond reason is refused" refused 2 'must be -300 to 300' --snr 1e3
check "an unknown method is refused" refused 2 "no method 'magic'" --method magic
check "an unknown modulation is refused" refused 2 "no modulation 'qam7'" --modulation qam7
check "5 points are no QAM" refused 2 "no modulation '5'" --qam 5
check "three alphabets for two streams are refused" refused 2 'more than the 2' --tx 2 --modulation qpsk,qpsk,qpsk
check "two alphabets for three streams are refused" refused 2 'names 2 streams of 3' --tx 3 --modulation qpsk,qpsk
check "candidates of the sphere are refused" refused 2 'kbest' --candidates 4
check "full streams of the sphere are refused" refused 2 'fsd' --full-streams 1
check "an unknown channel is refused" refused 2 "no channel 'tdl-z'" --channel tdl-z
check "a clustered profile is refused" refused 2 'clustered' --channel cdl-a
check "a file of taps that is not there is refused" refused 5 'nowhere.csv' --channel ./nowhere.csv
check "a correlation of 1 is refused" refused 2 'between -1 and 1' --correlation 1
check "a word as correlation is refused" refused 2 'takes a number' --correlation much
check "two ways of correlation are refused" refused 2 'does not go with' --correlation 0.1 --rx-correlation 0.1
check "a matrix of another size is refused" refused 2 'not one array of 4 x 4' --rx-correlation ../half.npy
check "another kind of picture is refused" refused 2 'png, .svg or .gp' --plot out.pdf
check "a reference without the link is refused" refused 2 'no point of a 4 x 4' --plot out.png --reference ../other_link.csv
tap_done
