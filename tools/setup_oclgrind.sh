#!/bin/sh
# Builds an Oclgrind whose check for uninitialised memory can be believed (10 minutes, about 400 MB in FOLDER): tools/oclgrind.patch
# teaches the check of 21.10 LLVM's freeze instruction, that a write to a part of a buffer says nothing about the rest, and that the
# placeholder under a vector that is built element by element is no value.
# usage: tools/setup_oclgrind.sh FOLDER
# Then: make check CLRADIO_OCLGRIND=FOLDER TESTS=tests/test_oclgrind.sh     (tests/README.md)
# Needs on Debian 12: apt-get install cmake g++ patch curl llvm-14-dev libclang-14-dev clang-14 libpolly-14-dev libreadline-dev
set -eu
folder=${1:?usage: tools/setup_oclgrind.sh FOLDER}
patch=$(cd "$(dirname "$0")" && pwd)/oclgrind.patch
mkdir -p "$folder"
cd "$folder"
if ! test -r build/liboclgrind-rt.so || test "$patch" -nt build/liboclgrind-rt.so; then
    curl -fsSL -o source.tar.gz http://deb.debian.org/debian/pool/main/o/oclgrind/oclgrind_21.10.orig.tar.gz
    echo "b40ea81fcf64e9012d63c3128640fde9785ef4f304f9f876f53496595b8e62cc  source.tar.gz" | sha256sum -c --quiet
    rm -rf Oclgrind-21.10
    tar xf source.tar.gz
    patch -s -d Oclgrind-21.10 -p1 < "$patch"
    cmake -S Oclgrind-21.10 -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=-w \
        -DLLVM_DIR=/usr/lib/llvm-14/lib/cmake/llvm -DClang_DIR=/usr/lib/llvm-14/lib/cmake/clang > build.log
    make -C build -j"$(nproc)" oclgrind-rt OPENCL_C_HEADERS >> build.log 2>&1 || {
        tail -n 20 build.log >&2
        exit 1
    }
fi
echo "setup_oclgrind: CLRADIO_OCLGRIND=$PWD"
