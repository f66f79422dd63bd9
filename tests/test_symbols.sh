# The shared library exports exactly the checked-in list, every function that a public header declares is in it, and the
# static library shows no global name but ours.
. "$top_srcdir/tests/tap.sh"
list=$top_srcdir/tests/symbols.txt
library=$top_builddir/.libs/libclradio.so
archive=$top_builddir/.libs/libclradio.a

if test ! -e "$library"; then
    skip "the shared library exports the checked-in list" "there is no shared library in this build"
else
    nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort > "$scratch/exported"
    if diff "$list" "$scratch/exported" > "$scratch/difference"; then
        ok "the shared library exports the checked-in list"
    else
        not_ok "the shared library exports the checked-in list"
        echo "# tests/symbols.txt (<) and the library (>) differ. If a public function was meant to come or go,"
        echo "# run 'make symbols' and commit tests/symbols.txt:"
        say "$scratch/difference"
    fi
fi

for header in "$top_srcdir"/include/clradio/*.h; do
    echo "#include <clradio/${header##*/}>"
done > "$scratch/all.c"
$CC -E -P -DCLRADIO_STATIC -I"$top_builddir/include" -I"$top_srcdir/include" "$scratch/all.c" |
    tr '\n;' ' \n' | grep -o '\bclradio_[a-z0-9_]* *(' | tr -d ' (' | LC_ALL=C sort -u > "$scratch/declared"
if LC_ALL=C comm -23 "$scratch/declared" "$list" > "$scratch/undefined" && test ! -s "$scratch/undefined"; then
    ok "every function that a public header declares is in the list"
else
    not_ok "every function that a public header declares is in the list"
    say "$scratch/undefined"
fi

if test ! -e "$archive"; then
    skip "the static library shows no global name but clradio_ and clr_" "there is no static library in this build"
else
    nm -g --defined-only "$archive" 2> /dev/null |
        awk 'NF == 3 && $3 !~ /^(clradio_|clr_|__odr_asan|__asan|_?_?ubsan|__sancov)/ { print $3 }' > "$scratch/foreign"
    if test -s "$scratch/foreign"; then
        not_ok "the static library shows no global name but clradio_ and clr_"
        say "$scratch/foreign"
    else
        ok "the static library shows no global name but clradio_ and clr_"
    fi
fi
tap_done
