#!/bin/sh
# Sets up, builds and tests clradio. The last line has the totals: "N passed, N failed, N skipped".
# usage: tools/check.sh [TEST...]   TEST: tests/test_base, tests/test_install.sh, ...; all when none is named
# Environment: CLRADIO_CONFIGURE (options of configure), CLRADIO_BUILD (build folder, ./build), CLRADIO_TEST_DEVICE (only
# devices with that in their name).
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/build.sh

./tools/setup.sh || {
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
}
mkdir -p "$build"
if ! build_clradio || ! make -C "$build" -j"$jobs" check TESTS= > "$build/build.log" 2>&1; then
    tail -n 60 "$build/build.log"
    echo "check: clradio does not build; the whole log is $build/build.log"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi

echo "== make check"
started=$(date +%s)
if test $# -gt 0; then
    make -C "$build" -j"$jobs" -k check TESTS="$*" > "$build/check.log" 2>&1
else
    make -C "$build" -j"$jobs" -k check > "$build/check.log" 2>&1
fi
status=$?

# One line a program, in the order they began to speak (two at once may share a line), from what each left; then whatever did not
# pass, with what the program said.
results() {
    grep -cE "^:test-result: ($1)( |\$)" "$trs"
}
sed -nE 's/.*(PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): (tests\/[A-Za-z0-9_.]+) .*/\2/p' "$build/check.log" | awk '!seen[$0]++' | while read -r name; do
    trs=$build/${name%.sh}.trs
    test -r "$trs" || continue
    printf '%-34s %4d passed, %d failed, %d skipped\n' "$name" "$(results 'PASS|XFAIL')" "$(results 'FAIL|XPASS|ERROR')" "$(results SKIP)"
done
grep -E '^SKIP: ' "$build/check.log" | LC_ALL=C sort | uniq
if grep -E '^(FAIL|XPASS|ERROR): ' "$build/check.log"; then
    for name in $(sed -n 's/^\(FAIL\|XPASS\|ERROR\): \([^ ]*\).*/\2/p' "$build/check.log" | LC_ALL=C sort -u); do
        log=$build/${name%.sh}.log
        echo "== $name, the end of $log"
        tail -n 80 "$log" 2> /dev/null
    done
fi
echo "the tests took $(($(date +%s) - started)) s; all they said is in $build/tests/*.log"

# The totals are those of automake's summary.
total() {
    sed -n "s/^# $1: *\([0-9][0-9]*\).*/\1/p" "$build/check.log" | tail -n 1
}
passed=$(total PASS) xfail=$(total XFAIL) failed=$(total FAIL) xpass=$(total XPASS) error=$(total ERROR) skipped=$(total SKIP)
if test -z "$passed"; then
    tail -n 40 "$build/check.log"
    echo "check: make check ended before its summary"
    passed=0 failed=1
fi
passed=$((passed + ${xfail:-0}))
failed=$((${failed:-0} + ${xpass:-0} + ${error:-0}))
if test "$failed" = 0 && { test "$status" != 0 || test "$passed" = 0; }; then
    failed=1
fi
echo "$passed passed, $failed failed, ${skipped:-0} skipped"
test "$failed" = 0
