# Runs test programs under Oclgrind, which simulates a device and watches every access, with its check for data races, and
# fails when it reports anything (races, accesses outside, divergence at barriers). CLRADIO_TEST_SMALL=1 asks the programs for
# tiny sizes. Its reports are read from the output: a file given by --log is emptied by every new context.
# With --uninitialized only the programs named below run: the check of 21.10 takes memory for uninitialised that
# clEnqueueFillBuffer filled (mended here by a library loaded before it), forgets a buffer whose part the host writes, and stops
# at LLVM's freeze instruction, which the other programs' kernels have, after which its reports are wrong. With a mended Oclgrind
# in the folder that CLRADIO_OCLGRIND names (tools/setup_oclgrind.sh) all of them run.
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

# The names of our kernels, each between spaces: the first word in front of a parenthesis that is no macro's.
ours=" $(awk '
    /^KERNEL/ { open = 1 }
    open && match($0, /[a-z][a-z_0-9]*\(/) {
        print substr($0, RSTART, RLENGTH - 1)
        open = 0
    }' "$top_srcdir"/cl/*.cl | tr '\n' ' ')"
check "every kernel has a name" test "$(echo $ours | wc -w)" = "$(cat "$top_srcdir"/cl/*.cl | grep -c '^KERNEL')"

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
    timeout "${CLRADIO_OCLGRIND_SECONDS:-300}" oclgrind --data-races --max-errors 20 "$program" > "$scratch/output" 2>&1
    status=$?
    # A report is a line and those below it up to an empty one; those about other people's kernels (clFFT's) do not count.
    awk -v ours="$ours" '
        /^(OCLGRIND|Invalid|Unaligned|Index|Work-group divergence|.*data race)/ { report = $0; open = 1; next }
        open && /Kernel:/ { counts = index(ours, " " $2 " ") || !$2 }
        open && /^[ \t]*$/ { if (counts || report ~ /FATAL/) print report; open = counts = 0; next }
        open { report = report "\n" $0 }' "$scratch/output" > "$log"
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

# ---- uninitialised memory ----
if test -n "${CLRADIO_OCLGRIND:-}"; then
    uninitialised_programs="tests/test_queue $CLRADIO_OCLGRIND_PROGRAMS"
    runtime=$CLRADIO_OCLGRIND/build/liboclgrind-rt.so
else
    uninitialised_programs="tests/test_queue tests/test_fengine_kernels"
    runtime=$(find /usr/lib /usr/local/lib -name liboclgrind-rt.so 2> /dev/null | head -n 1)
fi
# uninitialised COMMAND...: its output and the reports, in $scratch/output.
uninitialised() {
    OCLGRIND_UNINITIALIZED=1 OCLGRIND_MAX_ERRORS=20 LD_PRELOAD="$scratch/fill.so:$runtime" \
        timeout "${CLRADIO_OCLGRIND_SECONDS:-300}" "$@" > "$scratch/output" 2>&1
}
reports() {
    grep -cE '^Uninitialized|^OCLGRIND FATAL' "$scratch/output"
}
source=$top_srcdir/tests/oclgrind_uninitialized.c
if test -z "$runtime" || ! $CC -shared -fPIC -o "$scratch/fill.so" "$source" > "$scratch/output" 2>&1 ||
    ! $CC -DPROGRAM -o "$scratch/reader" "$source" -lOpenCL > "$scratch/output" 2>&1; then
    skip "kernels read no uninitialised memory" "Oclgrind's library or OpenCL's headers were not found"
    tap_done
fi
uninitialised "$scratch/reader"
check "Oclgrind takes filled memory for initialised" test "$(reports)" = 0
uninitialised "$scratch/reader" without
check "Oclgrind notices memory that nobody wrote" test "$(reports)" -gt 0
for name in $uninitialised_programs; do
    uninitialised "$(program_for "$name")"
    status=$?
    if test $status = 0 && test "$(reports)" = 0 && grep -q '^ok.*Oclgrind' "$scratch/output"; then
        ok "the kernels of $name read no uninitialised memory"
    else
        not_ok "the kernels of $name read no uninitialised memory (exit status $status)"
        say "$scratch/output"
    fi
done
test "$tap_count" -gt 0 || skip "kernels under Oclgrind" "no program is listed"
tap_done
