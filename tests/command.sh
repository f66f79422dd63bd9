# What the test scripts of the command line share: running a command, and what must come of it. Sourced behind tap.sh.
clradio=$top_builddir/clradio
LC_ALL=C
export LC_ALL

# run ARGUMENTS...: keeps what was written and the exit code.
run() {
    "$clradio" "$@" > "$scratch/out" 2> "$scratch/err" < /dev/null
    rc=$?
}
# fails CODE PATTERN ARGUMENTS...: that exit code, and on standard error one sentence (notes aside) that matches.
fails() {
    want=$1
    pattern=$2
    shift 2
    run "$@"
    sentences=$(grep -c '^clradio: ' "$scratch/err")
    notes=$(grep -c '^clradio: note: ' "$scratch/err")
    if [ "$rc" = "$want" ] && [ $((sentences - notes)) = 1 ] && grep -q -- "$pattern" "$scratch/err"; then
        ok "$* ends with $want and says: $pattern"
    else
        not_ok "$* ends with $want and says: $pattern"
        echo "# exit code $rc"
        say "$scratch/err"
    fi
}
# works PATTERN ARGUMENTS...: exit code 0 and the pattern in the output.
works() {
    pattern=$1
    shift
    run "$@"
    if [ "$rc" = 0 ] && grep -q -- "$pattern" "$scratch/out"; then
        ok "$* prints: $pattern"
    else
        not_ok "$* prints: $pattern"
        echo "# exit code $rc"
        say "$scratch/err"
        say "$scratch/out"
    fi
}
# built_with PACKAGE: whether this build has it.
built_with() {
    "$clradio" --version | grep -q "^with .*$1"
}
# transforms: whether this build has an F-engine on OpenCL devices, by either library.
transforms() {
    built_with clFFT || grep -q '^#define HAVE_VKFFT 1' "$top_builddir/config.h"
}
# wait_until COMMAND...: until it succeeds, 30 s at most.
wait_until() {
    tries=0
    until "$@" || [ $tries = 300 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}
nothing_left() { # TEXT FOLDER: no file in it, hidden ones included
    if [ -z "$(ls -A "$2")" ]; then
        ok "$1"
    else
        not_ok "$1"
        ls -A "$2" | sed 's/^/# /'
    fi
}
