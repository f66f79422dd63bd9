# K-best(16) equals exact detection at 16-QAM, and at 4x4 64-QAM 27.8 dB lies between it and 1.7 times as many errors.
# In `make check-long` also every point of reference_ml_ber.csv (exact detection by another program, in double) against clradio
# ber: within 3 standard errors wherever both have counted enough: minutes on a GPU, an hour on a processor.
# CLRADIO_DATA: the folder with mimo/reference_ml_ber.csv. CLRADIO_LONG_SECONDS: the most for a point (60).
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/command.sh"
if ! "$clradio" devices > /dev/null 2>&1; then
    skip 'error rates of another program' 'no OpenCL device'
    tap_done
fi
cd "$scratch" || exit 99
exec 3>&1

# errors METHOD OPTIONS...: bit errors of 4x4 with the options
errors() {
    method=$1
    shift
    "$clradio" ber --tx 4 --rx 4 --method "$method" --max-seconds 0 --csv "$method.csv" "$@" > "$method.said" &&
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "bit_errors") at = i; next } { print $at }' "$method.csv"
}
# The same vectors: differences are decisions that differ.
kbest_equals_exact() {
    exact=$(errors sphere --qam 16 --snr 20 --max-vectors 262144 --min-errors 1000000000) &&
        kbest=$(errors kbest --candidates 16 --qam 16 --snr 20 --max-vectors 262144 --min-errors 1000000000) || return 1
    echo "# 16-QAM, 20 dB: $exact errors exact, $kbest K-best(16)" >&3
    awk -v a="$exact" -v b="$kbest" 'BEGIN { exit !(a > 0 && b >= a * 0.999 && b <= a * 1.005) }'
}
check "K-best(16) has the errors of exact detection at 16-QAM" kbest_equals_exact
kbest_is_a_little_worse() {
    exact=$(errors sphere --qam 64 --snr 27.8 --max-vectors 131072 --min-errors 1000000000) &&
        kbest=$(errors kbest --candidates 16 --qam 64 --snr 27.8 --max-vectors 131072 --min-errors 1000000000) || return 1
    grep 'kbest (' kbest.said >&3
    echo "# 64-QAM, 27.8 dB: $exact errors exact, $kbest K-best(16)" >&3
    awk -v a="$exact" -v b="$kbest" 'BEGIN { exit !(a >= 5000 && b >= a && b <= 1.7 * a) }'
}
check "K-best(16) has up to 1.7 times the errors at 64-QAM and 27.8 dB" kbest_is_a_little_worse

if [ -z "${CLRADIO_TEST_LONG:-}" ]; then
    skip 'error rates of another program' 'it is part of make check-long'
    tap_done
fi
table=
for folder in "${CLRADIO_DATA:-/nonexistent}" "${CLRADIO_DATA:-/nonexistent}/mimo" "${CLRADIO_DATA:-/nonexistent}/../mimo"; do
    [ -f "$folder/reference_ml_ber.csv" ] && table=$folder/reference_ml_ber.csv
done
if [ -z "$table" ]; then
    skip 'error rates of another program' 'CLRADIO_DATA does not name the folder of mimo/reference_ml_ber.csv'
    tap_done
fi
seconds=${CLRADIO_LONG_SECONDS:-60}

# rows NT NR QAM: "SNR vectors errors" of the link, points with at least 30 errors, each SNR once
rows() {
    awk -F, -v nt="$1" -v nr="$2" -v qam="$3" '$1 == nt && $2 == nr && $3 == qam && $8 >= 30 && !seen[$4]++ { print $4, $7, $8 }' "$table"
}
# compare FILE ROWS BITS: one line a point; fails when one is further off than 3 standard errors, or none was compared. Limits:
# errors of the table scatter like ours, V/E a bit error.
compare() {
    awk -F, -v bits="$3" '
        FNR == NR { split($0, f, " "); vectors[f[1] + 0] = f[2]; errors[f[1] + 0] = f[3]; next }
        FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        {
            db = sprintf("%.2f", $at["snr_rx_db"]) + 0
            if (!(db in errors)) { print "no row for " db " dB"; wrong++; next }
            e = $at["bit_errors"]; n = $at["vectors"]; q = $at["bit_errors_squared"]; exact = $at["exact_fraction"]
            ber = e / n / bits; right = errors[db] / vectors[db] / bits
            if (e < 30) { printf "%6.2f dB: %d errors are too few\n", db, e; next }
            each = (q - e * e / n) / e
            sigma = sqrt(each / e * ber * ber + each / errors[db] * right * right)
            off = (ber - right) / sigma
            printf "%6.2f dB: %.4e, the table %.4e, %+.2f standard errors, exact %.7f, %s\n", db, ber, right, off, exact, $at["ended_by"]
            if (exact < 1) { print "        not all exact: not compared"; next }
            compared++
            if (off > 3 || off < -3) wrong++
        }
        END { print compared + 0 " points compared, " wrong + 0 " wrong"; exit !compared || wrong }' "$2" "$1"
}
link_agrees() {
    rows "$1" "$2" "$3" > rows
    snr=$(awk '{ printf "%s%s", (NR > 1 ? "," : ""), $1 }' rows)
    bits=$(awk -v nt="$1" -v qam="$3" 'BEGIN { print nt * log(qam) / log(2) }')
    "$clradio" ber --tx "$1" --rx "$2" --qam "$3" --snr "$snr" --min-errors 4000 --max-vectors 20000000 --max-seconds "$seconds" \
        --csv link.csv > said 2>&1 || { cat said; return 1; }
    compare link.csv rows "$bits" > compared
    status=$?
    sed 's/^/# /' compared >&3
    return $status
}
awk -F, '/^[0-9]/ && !seen[$1, $2, $3]++ { print $1, $2, $3 }' "$table" > links
while read -r nt nr qam; do
    check "$nt x $nr $qam-QAM has the rates of the table" link_agrees "$nt" "$nr" "$qam"
done < links

tap_done
