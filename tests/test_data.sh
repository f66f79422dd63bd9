# Real files from $CLRADIO_DATA through the command line: their exact sums (expected.json beside them, made with an
# independent decoder) come out, on every device found.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/command.sh"

data=
for folder in "${CLRADIO_DATA:-/nonexistent}" "${CLRADIO_DATA:-/nonexistent}/voltages"; do
    [ -f "$folder/expected.json" ] && data=$folder
done
if [ -z "$data" ]; then
    skip 'exact sums of real files' 'CLRADIO_DATA does not name the folder with expected.json'
    tap_done
fi
if ! "$clradio" devices > /dev/null 2>&1; then
    skip 'exact sums of real files' 'no OpenCL device'
    tap_done
fi

# All numbers of a JSON text, in order, one a line. Names that hold digits do not disturb: only what stands outside quotes counts.
numbers() {
    sed 's/"[^"]*"//g' | tr -c '0-9.eE+-' '\n' | grep '[0-9]'
}
# field FILE NAME: the value of a member whose name starts with NAME, brackets balanced.
field() {
    tr -d '\n' < "$1" | awk -v name="\"$2" '{
        at = index($0, name)
        if (!at) exit
        rest = substr($0, at)
        rest = substr(rest, index(rest, "\":") + 2)
        depth = 0
        for (i = 1; i <= length(rest); i++) {
            c = substr(rest, i, 1)
            if (c == "[" || c == "{") depth++
            if (c == "]" || c == "}") depth--
            if (depth < 0 || (depth == 0 && c == ",")) break
            printf "%s", c
            if (depth == 0 && (c == "]" || c == "}")) break
        }
        print ""
    }'
}
# member FILE NAME: the object of one voltage file in expected.json.
member() {
    field "$1" "$2" > "$scratch/member"
}
# correlate CODE FILE OPTIONS...: leaves the numbers of the matrix in $scratch/got.
correlate() {
    want=$1
    file=$2
    shift 2
    "$clradio" correlate "$data/$file" "$@" --device "$device" --matrix "$scratch/m.json" --verify > "$scratch/out" 2> "$scratch/err"
    rc=$?
    if [ $rc != "$want" ]; then
        not_ok "$device: $file correlates with exit code $want"
        echo "# it was $rc"
        say "$scratch/err"
        return 1
    fi
    check "$device: $file: --verify says exact" grep -q 'verified, exact' "$scratch/out"
    field "$scratch/m.json" 'matrix":' | numbers > "$scratch/got"
}

all_files() {
    if correlate 0 sample.vdif --channels 1; then
        member "$data/expected.json" 'sample.vdif'
        field "$scratch/member" R_ij | numbers > "$scratch/want"
        # The sums of real samples have no imaginary part: every other number is 0.
        awk 'NR % 2' "$scratch/got" > "$scratch/real"
        awk 'NR % 2 == 0 && $1 != 0' "$scratch/got" > "$scratch/imaginary"
        check "$device: sample.vdif: 64 sums are expected" test "$(wc -l < "$scratch/want")" -eq 64
        check "$device: sample.vdif: the 8 x 8 matrix is exact" cmp "$scratch/real" "$scratch/want"
        check "$device: sample.vdif: no imaginary parts" test ! -s "$scratch/imaginary"
    fi
    if correlate 0 sample.dada --channels 1; then
        member "$data/expected.json" 'sample.dada'
        field "$scratch/member" V_ij | numbers > "$scratch/want"
        check "$device: sample.dada: 4 complex sums are expected" test "$(wc -l < "$scratch/want")" -eq 8
        check "$device: sample.dada: the 2 x 2 matrix is exact" cmp "$scratch/got" "$scratch/want"
    fi
    if correlate 0 tbn-test.dat --channels 1 --samples 512; then
        member "$data/expected.json" 'tbn-test.dat'
        field "$scratch/member" V_ij | numbers > "$scratch/want"
        check "$device: tbn-test.dat: 400 complex sums are expected" test "$(wc -l < "$scratch/want")" -eq 800
        check "$device: tbn-test.dat: the 20 x 20 matrix is exact" cmp "$scratch/got" "$scratch/want"
    fi
    # The whole file has a partial frame at its end, and inputs 10 to 20 in its first half only.
    correlate 4 tbn-test.dat --channels 1
    if correlate 0 sample_arochime.vdif --sample-rate 390625; then
        member "$data/expected.json" 'sample_arochime.vdif'
        # [channel][i][j][re, im]: eight numbers a channel, XX first, then XY, YX, YY.
        awk '{ k = (NR - 1) % 8; sum[k] += $1 } END { print sum[0]; print sum[6]; print sum[2]; print sum[3] }' \
            "$scratch/got" > "$scratch/sums"
        {
            field "$scratch/member" sum_over_chan > "$scratch/sums.json"
            field "$scratch/sums.json" XX
            field "$scratch/sums.json" YY
            field "$scratch/sums.json" XY
        } | numbers > "$scratch/want"
        check "$device: sample_arochime.vdif: the sums over 1024 channels are exact" cmp "$scratch/sums" "$scratch/want"
        head -n 64 "$scratch/got" | awk '{ k = (NR - 1) % 8
            if (k == 0) xx = xx $1 "\n"; if (k == 6) yy = yy $1 "\n"; if (k == 2 || k == 3) xy = xy $1 "\n" }
            END { printf "%s%s%s", xx, yy, xy }' > "$scratch/first"
        {
            field "$scratch/member" chan0 > "$scratch/chan.json"
            field "$scratch/chan.json" XX
            field "$scratch/chan.json" YY
            field "$scratch/chan.json" XY
        } | numbers > "$scratch/want"
        check "$device: sample_arochime.vdif: 32 numbers of the first channels are expected" test "$(wc -l < "$scratch/want")" -eq 32
        check "$device: sample_arochime.vdif: the first eight channels are exact" cmp "$scratch/first" "$scratch/want"
    fi
}

for device in $("$clradio" devices | sed -n 's/^\([a-z]*:[0-9.]*\) .*/\1/p'); do
    all_files
done
tap_done
