#!/bin/sh
# Measures every engine on some devices, for comparing machines: one after another, alone on the machine.
# usage: run measure FOLDER [DEVICE...]    DEVICE: as `clradio devices` lists them (default: auto)
# FOLDER gets, a device and a measurement, what the tool printed (NAME.txt) and its figures (NAME.json). Some minutes on
# a processor; a quarter of an hour at most on a graphics processor. CLRADIO_MEASURE names the measurements to do (default: all of them).
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
folder=${1:?usage: run measure FOLDER [DEVICE...]}
shift
mkdir -p "$folder" || exit 1
test $# -gt 0 || set -- auto
if ! "$here/clradio" devices --json > "$folder/devices.json"; then
    echo "measure: no device was found" >&2
    exit 1
fi
wanted=${CLRADIO_MEASURE:-xengine variants pipeline dft detector lte57 ber}
failed=0

# measured NAME SECONDS ARGUMENT...: one run of the tool on $device, ended after so many seconds.
measured() {
    name=$1 limit=$2
    shift 2
    case " $wanted " in
    *" $name "*) ;;
    *) return ;;
    esac
    file=$folder/$(echo "$device" | tr ':. ' '---')-$name
    began=$(date +%s)
    timeout "$limit" "$here/clradio" "$@" --device "$device" --json "$file.json" > "$file.txt" 2>&1
    status=$?
    if test $status != 0 || grep -q 'WRONG\|failed:' "$file.txt"; then
        failed=$((failed + 1))
        echo "measure: $device $name: exit status $status after $(($(date +%s) - began)) s, see $file.txt"
    else
        echo "measure: $device $name: $(($(date +%s) - began)) s"
    fi
}

for device in "$@"; do
    kind=$("$here/clradio" devices | awk -v device="$device" '
        /^[a-z]+:[0-9]/ { ours = device == "auto" || index($0, device) }
        ours && $1 == "kind" && (!kind || $2 ~ /GPU/) { kind = $2 }
        END { sub(/,/, "", kind); print kind }')
    if test "$kind" = CPU; then
        measured xengine 300 bench xengine --input ci8,ci4,cf32 --repeat 3
        measured variants 300 bench xengine --stations 64 --input ci8,cf32 --variant all --repeat 3
        measured pipeline 120 bench xengine --stations 64 --input ci8 --pipeline 3 --repeat 3
        measured dft 200 bench dft --quick
        measured detector 200 bench detector --quick
        measured lte57 200 bench lte57 --quick
        measured ber 120 ber --tx 2 --rx 2 --qam 16 --snr 10:10:30 --min-errors 1000
    else
        measured xengine 120 bench xengine --stations 64,511,512,1024 --input ci8,ci4,cf16,cf32 --repeat 5
        measured variants 120 bench xengine --stations 512 --input ci8,cf32 --variant all --repeat 3
        measured pipeline 60 bench xengine --stations 64,512 --input ci8 --pipeline 4 --repeat 3
        measured dft 120 bench dft --alone --host 4
        measured detector 120 bench detector --qam 16,64 --snr 25
        measured lte57 120 bench lte57 --quick
        measured ber 240 ber --tx 4 --rx 4 --qam 64 --snr 0:2:30 --min-errors 1000
    fi
done
if test $failed != 0; then
    echo "measure: $failed measurements failed"
    exit 1
fi
