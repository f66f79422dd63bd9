# The examples run and print what their comments promise.
. "$top_srcdir/tests/tap.sh"

# try EXAMPLE WHAT_IT_NEEDS
try() {
    "$top_builddir/examples/$1" > "$scratch/out" 2> "$scratch/err"
    case $? in
    0)
        if grep -qxF 'V_10 = 100 -700i, expected 100 -700i' "$scratch/out" && ! test -s "$scratch/err"; then
            ok "$1 correlates on its own context"
            return
        fi
        ;;
    77)
        skip "$1 correlates on its own context" "no $2 device"
        return
        ;;
    esac
    not_ok "$1 correlates on its own context"
    say "$scratch/out"
    say "$scratch/err"
}

try embed_opencl OpenCL
try embed_cuda CUDA
tap_done
