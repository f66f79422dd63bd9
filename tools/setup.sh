#!/bin/sh
# Installs what clradio needs to be built and tested on Debian 12 or Ubuntu 24.04, and nothing that is there already. With
# everything there it changes nothing and needs no root.
# usage: tools/setup.sh [--quiet]
set -eu
quiet=${1:-}

# Without these clradio cannot be built and tested as a whole.
required="autoconf automake libtool pkg-config gcc libc6-dev make xz-utils \
ocl-icd-opencl-dev opencl-headers libclfft-dev libclblast-dev libhdf5-dev libjansson-dev libcmocka-dev"
# Each of these adds something and is done without where it cannot be had: a processor device, the simulator, references and
# baselines, plots, checks of the installed package, offline compilers for AMD.
optional="pocl-opencl-icd oclgrind libmatio-dev zlib1g-dev libfftw3-dev libopenblas-dev libvkfft-dev gnuplot-nox g++ cmake python3-venv mesa-opencl-icd"

say() {
    test "$quiet" = --quiet || echo "setup: $*"
}
installed() {
    case $(dpkg-query -W -f='${db:Status-Status}' "$1" 2> /dev/null || :) in
    installed) return 0 ;;
    *) return 1 ;;
    esac
}
known() {
    apt-cache show "$1" > /dev/null 2>&1
}
# Prints those of the packages that are missing.
missing_of() {
    for package in "$@"; do
        installed "$package" || printf '%s ' "$package"
    done
}

if ! command -v dpkg-query > /dev/null 2>&1; then
    echo "setup: this system has no dpkg; install by its own means what stands for these Debian packages: $required" >&2
    echo "setup: and, where wanted: $optional" >&2
    exit 1
fi

# The compiler for AMD kernels and the library it needs go together; any version from 15 on serves. Only one version of the
# library can be installed at a time, so the one that is there (Mesa depends on one) decides. Prints what is missing.
amd_packages() {
    for version in 15 16 17 18 19 20; do
        if installed "libclc-$version"; then
            missing_of "clang-$version" "libclc-$version-dev"
            return
        fi
    done
    for version in 15 16 17 18 19 20; do
        if known "clang-$version" && known "libclc-$version"; then
            missing_of "clang-$version" "libclc-$version" "libclc-$version-dev"
            return
        fi
    done
}

missing=$(missing_of $required)
wanted=$(missing_of $optional; amd_packages)
if test -z "$missing$wanted"; then
    say "everything is there"
    exit 0
fi

if test "$(id -u)" = 0; then
    as_root=
elif command -v sudo > /dev/null 2>&1 && { sudo -n true 2> /dev/null || test -t 0; }; then
    as_root="sudo"
elif test -z "$missing"; then
    say "not installed, and not needed for the build: $wanted"
    exit 0
else
    echo "setup: these packages are missing and only root can install them: $missing" >&2
    echo "setup: ask for: apt-get install $missing$wanted" >&2
    exit 1
fi

apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" < /dev/null > "$log" 2>&1
}
log=$(mktemp "${TMPDIR:-/tmp}/clradio-setup.XXXXXX")
trap 'rm -f "$log"' EXIT

say "reading the list of packages"
apt update || say "apt-get update failed, going on with the list that is there: $(tail -n 1 "$log")"
if test -n "$missing"; then
    say "installing $missing"
    if ! apt install -y --no-install-recommends $missing; then
        cat "$log" >&2
        echo "setup: apt-get could not install: $missing" >&2
        exit 1
    fi
fi
install_optional() {
    for package in "$@"; do
        installed "$package" && continue
        if ! known "$package"; then
            say "$package is not in this distribution; going on without"
            continue
        fi
        say "installing $package"
        apt install -y --no-install-recommends "$package" ||
            say "$package could not be installed; going on without: $(tail -n 1 "$log")"
    done
}
install_optional $(missing_of $optional) # again: the list of packages may have been empty before
install_optional $(amd_packages)         # after Mesa, which may have brought a version of the library
say "done"
