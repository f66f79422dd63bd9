# The chain of F- and X-engine with VkFFT in clFFT's place: the tests of the correlator, which compare with the double reference.
. "$top_srcdir/tests/tap.sh"

if ! grep -q '^#define HAVE_VKFFT 1' "$top_builddir/config.h" 2> /dev/null; then
    skip "the correlator with VkFFT" "this clradio was configured without VkFFT"
    tap_done
fi
CLRADIO_FFT=vkfft
export CLRADIO_FFT
"$top_builddir/tests/test_correlator" > "$scratch/output" 2>&1
status=$?
passed=$(grep -c '^ok ' "$scratch/output")
if test "$status" = 0 && test "$passed" -gt 0; then
    ok "the correlator with VkFFT agrees with the double reference ($passed tests)"
elif test "$status" = 0; then
    skip "the correlator with VkFFT" "no OpenCL device"
else
    not_ok "the correlator with VkFFT agrees with the double reference"
    say "$scratch/output"
fi
tap_done
