# What is installed can be used: install to a staging folder, move the tree to another prefix, and build and run a ten-line
# program against it by pkg-config (shared and static) and by CMake.
. "$top_srcdir/tests/tap.sh"
set -- $CLRADIO_BUILD_INSTALL
prefix=$1
libdir=$2
PKG_CONFIG=${PKG_CONFIG:-pkg-config}
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR

if ! $MAKE -C "$top_builddir" install DESTDIR="$scratch/stage" > "$scratch/output" 2>&1; then
    not_ok "make install DESTDIR=... succeeds"
    tail -n 30 "$scratch/output" > "$scratch/tail"
    say "$scratch/tail"
    tap_done
fi
ok "make install DESTDIR=... succeeds"
moved=$scratch/elsewhere/clradio
mkdir -p "$scratch/elsewhere"
mv "$scratch/stage$prefix" "$moved"
lib=$moved${libdir#"$prefix"}
PKG_CONFIG_PATH=$lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH

check "the moved tool says its version" "$moved/bin/clradio" --version
if grep -rIl "$scratch/stage" "$moved" > "$scratch/output"; then
    not_ok "no installed file names the staging folder"
    say "$scratch/output"
else
    ok "no installed file names the staging folder"
fi

cat > "$scratch/consumer.c" <<'END'
#include <clradio/clradio.h>
#include <stdio.h>

int main(void)
{
    size_t devices = 0;
    if (!CLRADIO_VERSION_CHECK() || clradio_device_list(NULL, 0, &devices))
        return 1;
    printf("clradio %s, %zu devices\n", clradio_version(), devices);
    return 0;
}
END
flags="-std=c99 -Wall -Wextra -Wpedantic -Werror $CLRADIO_BUILD_FLAGS"
module() {
    $PKG_CONFIG --define-variable=prefix="$moved" "$@" clradio
}

# The shared library: nothing but -lclradio may be needed.
if test ! -e "$lib/libclradio.so"; then
    skip "a program by pkg-config, shared" "there is no shared library in this build"
elif ! have "$PKG_CONFIG"; then
    skip "a program by pkg-config, shared" "there is no pkg-config"
else
    check "a program by pkg-config, shared, links" \
        $CC $flags $(module --cflags) "$scratch/consumer.c" -o "$scratch/shared" $(module --libs)
    check "a program by pkg-config, shared, runs" env LD_LIBRARY_PATH="$lib" "$scratch/shared"
    case " $(module --libs) " in
    *OpenCL* | *clFFT* | *clblast*) not_ok "a shared program names no library but clradio" ;;
    *) ok "a shared program names no library but clradio" ;;
    esac
fi

# The static library: with the shared one out of sight, what pkg-config --static says must be enough.
if test ! -e "$lib/libclradio.a"; then
    skip "a program by pkg-config, static" "there is no static library in this build"
elif ! have "$PKG_CONFIG"; then
    skip "a program by pkg-config, static" "there is no pkg-config"
else
    libraries=$(module --static --libs | sed 's/-lclradio\b/-l:libclradio.a/')
    check "a program by pkg-config, static, links" \
        $CC $flags -DCLRADIO_STATIC $(module --cflags) "$scratch/consumer.c" -o "$scratch/static" $libraries
    check "a program by pkg-config, static, runs without the shared library" "$scratch/static"
fi

if ! have cmake; then
    skip "a program by CMake" "there is no cmake"
    tap_done
fi
mkdir "$scratch/project"
cp "$scratch/consumer.c" "$scratch/project"
cat > "$scratch/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(consumer C)
find_package(clradio 0.1 REQUIRED)
add_executable(consumer consumer.c)
target_link_libraries(consumer clradio::clradio)
if(TARGET clradio::clradio_static)
  add_executable(consumer_static consumer.c)
  target_link_libraries(consumer_static clradio::clradio_static)
endif()
END
compiler=${CC#ccache }
cmake_configure() {
    cmake -S "$scratch/project" -B "$scratch/project/build" -DCMAKE_PREFIX_PATH="$moved" \
        -Dclradio_DIR="$lib/cmake/clradio" -DCMAKE_C_COMPILER="${compiler%% *}" -DCMAKE_C_FLAGS="$CLRADIO_BUILD_FLAGS"
}
check "CMake finds the moved package" cmake_configure
check "a program by CMake builds" cmake --build "$scratch/project/build"
check "a program by CMake runs" "$scratch/project/build/consumer"
if test -e "$lib/libclradio.a"; then
    check "a static program by CMake runs" "$scratch/project/build/consumer_static"
fi
sed -i 's/find_package(clradio 0.1/find_package(clradio 99.0/' "$scratch/project/CMakeLists.txt"
if cmake_configure > "$scratch/output" 2>&1; then
    not_ok "CMake refuses a version that is not there"
else
    ok "CMake refuses a version that is not there"
fi
tap_done
