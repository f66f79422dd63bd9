# The examples run and print what their comments promise.
. "$top_srcdir/tests/tap.sh"

"$top_builddir/examples/embed_opencl" > "$scratch/out" 2> "$scratch/err"
case $? in
0)
    if grep -qxF 'V_10 = 100 -700i, expected 100 -700i' "$scratch/out" && ! test -s "$scratch/err"; then
        ok "embed_opencl correlates on its own context"
    else
        not_ok "embed_opencl correlates on its own context"
        say "$scratch/out"
        say "$scratch/err"
    fi
    ;;
77) skip "embed_opencl correlates on its own context" "no OpenCL device" ;;
*)
    not_ok "embed_opencl correlates on its own context"
    say "$scratch/out"
    say "$scratch/err"
    ;;
esac
tap_done
