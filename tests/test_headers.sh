# Each public header compiles alone, without a warning, as C99, C11 and C++, and none but opencl.h needs a vendor's header.
. "$top_srcdir/tests/tap.sh"
includes="-I$top_builddir/include -I$top_srcdir/include"
strict="-Wall -Wextra -Wpedantic -Werror -fsyntax-only"

for header in "$top_srcdir"/include/clradio/*.h "$top_builddir/include/clradio/version.h"; do
    name=clradio/${header##*/}
    test -e "$header" || continue
    test "$header" = "$top_srcdir/include/clradio/version.h" && continue
    vendor=
    test "$name" = clradio/opencl.h && vendor=$(${PKG_CONFIG:-pkg-config} --cflags OpenCL 2> /dev/null)
    # Twice: the guards hold.
    printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$name" "$name" > "$scratch/one.c"
    cp "$scratch/one.c" "$scratch/one.cc"
    for standard in c99 c11; do
        check "<$name> compiles alone as $standard" $CC -std=$standard $strict $includes $vendor "$scratch/one.c"
    done
    for compiler in g++ clang++; do
        if have $compiler; then
            check "<$name> compiles alone as C++98 with $compiler" \
                $compiler -std=c++98 -Wno-long-long $strict $includes $vendor "$scratch/one.cc"
            check "<$name> compiles alone as C++17 with $compiler" $compiler -std=c++17 $strict $includes $vendor "$scratch/one.cc"
            break
        fi
    done
    if test "$name" != clradio/opencl.h; then
        if $CC -M $includes "$scratch/one.c" | grep -E '/(CL|OpenCL)/|/include/cuda\.h|/(cuda_runtime|cuda_runtime_api|driver_types)\.h' > "$scratch/output"; then
            not_ok "<$name> includes no vendor's header"
            say "$scratch/output"
        else
            ok "<$name> includes no vendor's header"
        fi
    fi
done
have g++ || have clang++ || skip "the headers compile as C++" "there is no C++ compiler"
tap_done
