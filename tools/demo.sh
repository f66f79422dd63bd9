#!/bin/sh
# Sets up, builds, and does clradio's main job on the best device of this machine (PoCL where there is no GPU): voltages of a
# simulated array, and of real telescopes when CLRADIO_DATA names the folder with their files, become visibilities, checked
# against a plain reference and drawn.
# usage: tools/demo.sh [OPTION of clradio demo...]
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/build.sh

./tools/setup.sh || exit 1
mkdir -p "$build"
if ! build_clradio; then
    tail -n 60 "$build/build.log"
    echo "demo: clradio does not build; the whole log is $build/build.log" >&2
    exit 1
fi
echo "== clradio demo $*"
exec "$build/clradio" demo "$@"
