# Nothing is forgotten in the build's lists: every kernel is embedded, every source file is in the tarball, every public header
# is installed and reached by clradio.h; no parameter of a variant is a macro of the grids that launch its kernel.
. "$top_srcdir/tests/tap.sh"
cd "$top_srcdir" || exit 99

# report TEXT: ok when $scratch/missing is empty.
report() {
    if test -s "$scratch/missing"; then
        not_ok "$1"
        say "$scratch/missing"
    else
        ok "$1"
    fi
}

for file in cl/*.cl; do
    grep -q "{ \"${file#cl/}\"," "$top_builddir/src/device/kernels.c" ||
        echo "$file is not in kernel_sources (cl/local.mk)"
done > "$scratch/missing"
report "every kernel file is embedded"

find src include cl tests examples bench tools m4 build-aux -type f \
    \( -name '*.[ch]' -o -name '*.cl' -o -name '*.sh' -o -name '*.in' -o -name '*.supp' -o -name '*.tsv' \) 2> /dev/null |
    LC_ALL=C sort > "$scratch/files"
printf '%s\n' $CLRADIO_BUILD_FILES | sed 's,^\./,,' > "$scratch/listed"
while read -r file; do
    case $file in
    build-aux/ltmain.sh | build-aux/tap-driver.sh | src/device/kernels.c | include/clradio/version.h | *.h.in) continue ;;
    esac
    grep -qxF -- "$file" "$scratch/listed" || echo "$file is in no list of a local.mk or Makefile.am"
done < "$scratch/files" > "$scratch/missing"
report "every source file, kernel and script is in a list, and so in the tarball"

for file in include/clradio/*.h; do
    grep -q "^[[:space:]]*$file\b" Makefile.am || echo "$file is not in clradioinclude_HEADERS (Makefile.am)"
done > "$scratch/missing"
report "every public header is installed"

echo '#include <clradio/clradio.h>' > "$scratch/all.c"
$CC -M -I"$top_builddir/include" -Iinclude "$scratch/all.c" > "$scratch/reached"
for file in include/clradio/*.h; do
    name=${file##*/}
    case $name in
    opencl.h | cuda.h) continue ;; # those who know a vendor's types are included by name
    esac
    grep -q "clradio/$name" "$scratch/reached" || echo "clradio.h does not include $name"
done > "$scratch/missing"
report "clradio.h reaches every header that knows no vendor"

# EMULATED of bf16x6 is the macro PLAIN.
grep -o '"[A-Z_]*"' src/engine/children.c | sort -u > "$scratch/launching"
for file in src/engine/dft_*.c src/engine/detector_*.c; do
    grep -o '{ "[A-Z_]*", [0-9]' "$file" | grep -o '"[A-Z_]*"' | grep -Fxf "$scratch/launching" | grep -v '^"EMULATED"$' |
        sed "s,^,$file has a parameter that src/engine/children.c has too: ,"
done > "$scratch/missing"
check "the macros of launching are known" test -s "$scratch/launching"
report "no variant has a parameter of launching's name"
tap_done
