#!/bin/sh
# Runs a program of this folder on whatever machine it was copied to.
# usage: run clradio ARGUMENT...          the tool
#        run check [-j N] [TEST...]       the test programs, all or those named, N at a time; the last line has the totals
#        run measure FOLDER [DEVICE...]   every engine's figures into FOLDER
#        run PROGRAM ARGUMENT...          any other program, with the libraries of this folder
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)

# The machine's own C++ run-time serves when it is as new as ours: a driver may need it newer.
extra=
for version in "$here"/lib-cxx/*.version; do
    test -r "$version" || continue
    name=$(basename "$version" .version)
    theirs=$( (ldconfig -p || /sbin/ldconfig -p) 2> /dev/null | sed -n "s|^[[:space:]]*$name .*x86-64.*=> ||p" | head -n 1)
    newest=
    if test -n "$theirs"; then
        theirs=$(basename "$(readlink -f "$theirs")")
        newest=$(printf '%s\n%s\n' "$(cat "$version")" "$theirs" | sort -V | tail -n 1)
    fi
    if test -z "$theirs" || test "$newest" != "$theirs"; then
        extra=$here/lib-cxx
    fi
done
LD_LIBRARY_PATH=$here/lib${extra:+:$extra}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# A container may have NVIDIA's driver without the file that registers it.
registered=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}
if { test -d "$registered" || ! test -e "$registered"; } &&
    ! grep -qs nvidia "$registered"/*.icd; then
    for driver in $(ldconfig -p 2> /dev/null | sed -n 's|.*libnvidia-opencl\.so\.1 .*=> ||p') \
        /usr/lib/libnvidia-opencl.so.1 /usr/lib/x86_64-linux-gnu/libnvidia-opencl.so.1 /usr/lib64/libnvidia-opencl.so.1 \
        /usr/local/nvidia/lib64/libnvidia-opencl.so.1 /usr/local/nvidia/lib/libnvidia-opencl.so.1; do
        test -r "$driver" || continue
        # The loader reads one folder: what the machine registers goes beside ours.
        cp "$registered"/*.icd "$here/vendors/" 2> /dev/null
        echo "$driver" > "$here/vendors/nvidia.icd" 2> /dev/null
        OCL_ICD_VENDORS=$here/vendors
        export OCL_ICD_VENDORS
        break
    done
fi

check() {
    CMOCKA_MESSAGE_OUTPUT=TAP
    top_builddir=$here top_srcdir=$here srcdir=$here
    export CMOCKA_MESSAGE_OUTPUT top_builddir top_srcdir srcdir
    jobs=1
    if test "${1:-}" = -j; then
        jobs=${2:?run check -j N}
        shift 2
    fi
    test $# -gt 0 || set -- $(cd "$here/tests" && ls -d test_*)
    outputs=$(mktemp -d "${TMPDIR:-/tmp}/clradio-check.XXXXXX") || exit 1
    trap 'rm -rf "$outputs"' EXIT
    # $outputs/TEST: what it said; $outputs/TEST.status: its exit status
    printf '%s\n' "$@" | here=$here outputs=$outputs xargs -P "$jobs" -n 1 sh -c '
        "$here/tests/$1" > "$outputs/$1" 2>&1
        echo $? > "$outputs/$1.status"' sh
    passed=0 failed=0 skipped=0
    for test in "$@"; do
        output=$outputs/$test
        echo "# $test"
        status=$(cat "$output.status")
        cat "$output"
        skips=$(grep -c '^ *\(not \)\{0,1\}ok .*# *SKIP' "$output")
        bad=$(grep -v '# *SKIP' "$output" | grep -c '^ *not ok')
        good=$(grep -v '# *SKIP' "$output" | grep -c '^ *ok')
        planned=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$output" | tail -n 1)
        if test "$bad" = 0 && { test "$status" != 0 || test "${planned:-0}" != $((good + skips)); }; then
            echo "not ok - $test ended early, with status $status"
            bad=1
        fi
        passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + skips))
    done
    echo "$passed passed, $failed failed, $skipped skipped"
    test "$failed" = 0 && test "$passed" != 0
}

case ${1:-} in
"")
    sed -n '3,7s/^# //p' "$0"
    exit 2
    ;;
check)
    shift
    check "$@"
    ;;
measure)
    shift
    exec "$here/measure" "$@"
    ;;
clradio)
    shift
    exec "$here/clradio" "$@"
    ;;
*)
    program=$1
    shift
    if test -x "$here/tests/$program"; then
        program=$here/tests/$program
    fi
    exec "$program" "$@"
    ;;
esac
