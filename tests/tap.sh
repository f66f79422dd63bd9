# What the test scripts share: lines of the Test Anything Protocol, and a scratch folder that goes when the script ends.
# Sourced with `. "$top_srcdir/tests/tap.sh"`; the last command of a script is tap_done.
tap_count=0

# ok TEXT, not_ok TEXT, skip TEXT REASON
ok() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1"
}
not_ok() {
    tap_count=$((tap_count + 1))
    echo "not ok $tap_count - $1"
}
skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}
# say FILE: shows a file as diagnostic lines, the first 60.
say() {
    sed -n '1,60s/^/# /p' "$1"
}
# check TEXT COMMAND...: ok when the command succeeds; what it wrote is shown when it does not.
check() {
    tap_text=$1
    shift
    if "$@" > "$scratch/output" 2>&1; then
        ok "$tap_text"
    else
        not_ok "$tap_text"
        say "$scratch/output"
    fi
}
tap_done() {
    echo "1..$tap_count"
    exit 0 # the lines say what failed; another status would count it twice
}
have() {
    command -v "$1" > /dev/null 2>&1
}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/clradio-test.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM
