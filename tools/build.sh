# Builds clradio in ./build (or $CLRADIO_BUILD); sourced by check.sh and demo.sh from the top folder. Options of configure come
# from $CLRADIO_CONFIGURE. What is up to date is left alone. Sets build and jobs.
# A closed standard input upsets libtool.
(exec 3<&0) 2> /dev/null || exec < /dev/null
build=${CLRADIO_BUILD:-build}
jobs=$(nproc 2> /dev/null || echo 2)

# build_clradio: configures and builds; the log is $build/build.log.
build_clradio() {
    mkdir -p "$build"
    if test ! -f configure ||
        test -n "$(find configure.ac Makefile.am m4/clr_*.m4 src cl tests build-aux examples bench \
            \( -name '*.ac' -o -name '*.am' -o -name '*.m4' -o -name '*.mk' \) -newer configure 2> /dev/null)"; then
        echo "== bootstrap"
        ./bootstrap > "$build/build.log" 2>&1 || return 1
    fi
    printf '%s\n' "${CLRADIO_CONFIGURE:-}" > "$build/options.new"
    if test ! -f "$build/Makefile" || ! cmp -s "$build/options.new" "$build/options"; then
        echo "== configure ${CLRADIO_CONFIGURE:-}"
        (top=$PWD && cd "$build" && eval "\"\$top/configure\" ${CLRADIO_CONFIGURE:-}") > "$build/build.log" 2>&1 || return 1
        sed -n '/^configure: clradio/,$p' "$build/build.log"
        mv "$build/options.new" "$build/options"
    fi
    rm -f "$build/options.new"
    echo "== make -j$jobs"
    make -C "$build" -j"$jobs" all > "$build/build.log" 2>&1 || return 1
}
