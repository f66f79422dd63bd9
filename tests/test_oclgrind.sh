# Runs test programs under Oclgrind, which simulates a device and watches every access, with its checks for data races and
# uninitialised memory, and fails when it reports anything. CLRADIO_TEST_SMALL=1 asks the programs for tiny sizes.
# CLRADIO_OCLGRIND_PROGRAMS (oclgrind_programs in the local.mk files) lists them.
. "$top_srcdir/tests/tap.sh"

if ! have oclgrind; then
    skip "kernels under Oclgrind" "oclgrind is not installed"
    tap_done
fi
if test -n "${CLRADIO_SANITIZERS:-}"; then
    skip "kernels under Oclgrind" "a program with the address sanitizer does not start under it"
    tap_done
fi
CLRADIO_TEST_SMALL=1
CLRADIO_TEST_DEVICE=Oclgrind
CLRADIO_CACHE=off
export CLRADIO_TEST_SMALL CLRADIO_TEST_DEVICE CLRADIO_CACHE

# The built program, or nothing.
program_for() {
    test -x "$top_builddir/$1" && echo "$top_builddir/$1"
}
for name in $CLRADIO_OCLGRIND_PROGRAMS; do
    program=$(program_for "$name")
    if test -z "$program"; then
        not_ok "$name under Oclgrind: it was not built"
        continue
    fi
    log=$scratch/reports
    : > "$log"
    timeout "${CLRADIO_OCLGRIND_SECONDS:-300}" oclgrind --data-races --uninitialized --max-errors 20 --log "$log" "$program" \
        > "$scratch/output" 2>&1
    status=$?
    # The test lines of the program, then the verdicts.
    sed 's/^/# /' "$scratch/output" | grep -E '^# *(not )?ok' | grep -v '# *SKIP' > "$scratch/lines"
    if test $status != 0; then
        not_ok "$name passes under Oclgrind (exit status $status)"
        tail -n 40 "$scratch/output" > "$scratch/tail"
        say "$scratch/tail"
    elif ! grep -q Oclgrind "$scratch/lines"; then
        not_ok "$name passes under Oclgrind: no test of it ran on the simulator"
    else
        ok "$name passes under Oclgrind ($(grep -c Oclgrind "$scratch/lines") tests)"
    fi
    if test -s "$log"; then
        not_ok "Oclgrind reports nothing about the kernels of $name"
        say "$log"
    else
        ok "Oclgrind reports nothing about the kernels of $name"
    fi
done
test "$tap_count" -gt 0 || skip "kernels under Oclgrind" "no program is listed"
tap_done
