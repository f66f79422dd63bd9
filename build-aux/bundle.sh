#!/bin/sh
# Makes one relocatable folder: the tool, the test programs, and the libraries they need beside them.
# usage: bundle.sh SOURCE_FOLDER BUNDLE TEST_PROGRAM...   (run in the build folder)
# Left out: glibc and the dynamic linker, which belong to a machine, and the drivers, which belong to its devices. The C++ and
# Fortran run-time libraries lie in a folder of their own: `run` takes them only where the machine has none as new.
set -eu
source_folder=$1
bundle=$2
shift 2

# The real program of a libtool target: behind the wrapper script when there is one.
real_program() {
    folder=$(dirname "$1")/.libs
    if test -x "$folder/$(basename "$1")"; then
        echo "$folder/$(basename "$1")"
    else
        echo "$1"
    fi
}

# put FILE TARGET: copies what a link points at, without debug information.
put() {
    cp -L "$1" "$2"
    chmod u+w,a+rx "$2"
    strip --strip-unneeded "$2" 2> /dev/null || :
}

rm -rf "$bundle.new"
mkdir -p "$bundle.new/tests" "$bundle.new/lib" "$bundle.new/lib-cxx" "$bundle.new/vendors"
put "$(real_program clradio)" "$bundle.new/clradio"
for program in "$@"; do
    put "$(real_program "$program")" "$bundle.new/tests/$(basename "$program")"
done

# What each program needs, libraries of libraries included; our own shared library is in .libs.
LD_LIBRARY_PATH=$PWD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ldd "$bundle.new/clradio" "$bundle.new"/tests/* > "$bundle.new/needs"
if grep 'not found' "$bundle.new/needs"; then
    echo "bundle: these libraries were not found" >&2
    exit 1
fi
sed -n 's/^[[:space:]]*\([^ ]*\) => \(\/[^ ]*\) .*/\1 \2/p' "$bundle.new/needs" | LC_ALL=C sort -u > "$bundle.new/libraries"
while read -r name file; do
    case $name in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libresolv.so.* | ld-linux*) ;;
    libutil.so.* | libanl.so.* | libnss_* | libcrypt.so.*) ;;
    libstdc++.so.* | libgcc_s.so.* | libgfortran.so.* | libquadmath.so.*)
        put "$file" "$bundle.new/lib-cxx/$name"
        basename "$(readlink -f "$file")" > "$bundle.new/lib-cxx/$name.version"
        ;;
    *) put "$file" "$bundle.new/lib/$name" ;;
    esac
done < "$bundle.new/libraries"
rm "$bundle.new/needs" "$bundle.new/libraries"

echo libnvidia-opencl.so.1 > "$bundle.new/vendors/nvidia.icd"
cp "$source_folder/build-aux/bundle_run.sh" "$bundle.new/run"
cp "$source_folder/build-aux/bundle_measure.sh" "$bundle.new/measure"
chmod 755 "$bundle.new/run" "$bundle.new/measure"
cp "$source_folder/LICENSE" "$bundle.new/LICENSE"
# What tests read beside their program.
for folder in cl tests/data; do
    if test -d "$source_folder/$folder"; then
        mkdir -p "$bundle.new/$folder"
        cp -R "$source_folder/$folder/." "$bundle.new/$folder"
    fi
done
chmod -R u+w "$bundle.new"
rm -rf "$bundle"
mv "$bundle.new" "$bundle"
echo "$bundle: $(du -sh "$bundle" | cut -f1), $(ls "$bundle/lib" | wc -l) libraries; try: $bundle/run clradio devices; $bundle/run check"
