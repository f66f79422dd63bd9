# Runs a test program for automake, for at most CLRADIO_TEST_SECONDS (900). cmocka before 1.1.6 writes "not ok 3 # SKIP name" for
# a test that it skipped, which a reader of TAP takes for a failure: such lines become "ok 3 # SKIP name". The exit status is
# the program's.
#
# Long ones leave out Mesa's rusticl on the processor, where they take several times as long as on PoCL, unless
# CLRADIO_TEST_LONG is set: what differs between the two compilers is tested by the others.
if test -z "${CLRADIO_TEST_LONG:-}"; then
    case ${1##*/} in
    test_dft* | test_sinr | test_detector* | test_montecarlo* | test_xengine_[b-z]*)
        RUSTICL_ENABLE=
        export RUSTICL_ENABLE
        ;;
    esac
fi
exec 3>&1
status=$( { { timeout -k 10 "${CLRADIO_TEST_SECONDS:-900}" "$@" 3>&- 4>&-; echo $? >&4; } |
    sed 's/^not ok \([0-9]* *# SKIP\)/ok \1/' >&3; } 4>&1)
if test "$status" = 124; then
    echo "Bail out! $* took longer than ${CLRADIO_TEST_SECONDS:-900} s"
fi
exit "$status"
