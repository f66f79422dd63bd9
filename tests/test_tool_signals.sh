# What a run leaves behind that is ended from outside: by signals, by a reader or a terminal that goes away, with its standard
# streams closed.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/command.sh"
run devices
if [ "$rc" = 3 ]; then
    skip 'runs that are ended from outside' 'no OpenCL device'
    tap_done
fi
mkdir "$scratch/o"
something_is_written() {
    [ -n "$(ls -A "$scratch/o")" ]
}
# begin ARGUMENTS...: a run in the background, in an empty folder, until it writes there.
begin() {
    rm -f "$scratch"/o/* "$scratch"/o/.[!.]*
    "$clradio" "$@" > "$scratch/out" 2> "$scratch/err" &
    child=$!
    wait_until something_is_written
}
# ended: keeps the exit code of what was begun.
ended() {
    wait $child
    rc=$?
}
# wrong TEXT
wrong() {
    not_ok "$1"
    echo "# exit code $rc"
    ls -A "$scratch/o" | sed 's/^/# /'
    say "$scratch/err"
}

# ---- dft ----
begin dft --scenario lte57 --subcarriers 1200 -o "$scratch/o/i.npy"
kill -INT $child
ended
if [ $rc = 130 ]; then
    nothing_left 'SIGINT ends dft with 130 and leaves no file' "$scratch/o"
else
    wrong 'SIGINT ends dft with 130 and leaves no file'
fi

if ! built_with HDF5 || ! transforms; then
    skip 'correlate ended from outside' 'configured without HDF5, or with neither clFFT nor VkFFT'
    tap_done
fi
# ---- correlate: 32 inputs and the reference make the long run slow enough ----
simulated=$scratch/a.vdif
works samples simulate array -o "$simulated" --stations 4 --source 40,60,1 --sample-rate 1MHz --samples 40000
works samples simulate array -o "$scratch/long.vdif" --stations 16 --sample-rate 1MHz --samples 200000
begin_long() {
    begin correlate "$scratch/long.vdif" --channels 16 --taps 4 --integration 0.2ms --verify -o "$scratch/o/s.uvh5"
}
begin_long
sleep 0.4
kill -INT $child
ended
kept=$(sed -n 's/^clradio: interrupted after \([0-9]*\) integration.*/\1/p' "$scratch/err")
if [ "$rc" = 0 ]; then
    skip 'SIGINT keeps the integrations so far' 'this machine was done before it came'
elif [ "$rc" = 130 ] && [ "${kept:-x}" = 0 ] && [ ! -e "$scratch/o/s.uvh5" ]; then
    ok 'SIGINT before the first integration leaves no file'
elif [ "$rc" = 130 ] && [ "${kept:-0}" -gt 0 ] && [ "$(ls -A "$scratch/o")" = s.uvh5 ]; then
    ok 'SIGINT keeps the integrations so far'
else
    wrong 'SIGINT keeps the integrations so far'
fi

# Two signals, which both wait for the process while it is stopped: the second ends it at once, without a file.
begin_long
kill -STOP $child
kill -INT $child
kill -TERM $child
kill -CONT $child
ended
if [ "$rc" = 130 ] || [ "$rc" = 143 ]; then
    nothing_left 'a second signal leaves no file, nor a part of one' "$scratch/o"
elif [ "$rc" = 0 ]; then
    skip 'a second signal leaves no file, nor a part of one' 'this machine was done before it came'
else
    wrong 'a second signal leaves no file, nor a part of one'
fi

begin correlate "$simulated" --channels 64 --taps 4 --integration 1ms -o "$scratch/o/h.uvh5"
kill -HUP $child
ended
if { [ "$rc" = 0 ] || [ "$rc" = 130 ] || [ "$rc" = 129 ]; } && [ "$(find "$scratch/o" -name '.h*' | wc -l)" = 0 ]; then
    ok 'SIGHUP leaves no temporary file'
else
    wrong 'SIGHUP leaves no temporary file'
fi

rm -f "$scratch"/o/*
{
    "$clradio" correlate "$simulated" --channels 1 --integration 0.1ms --print -o "$scratch/o/p.uvh5" 2> "$scratch/err"
    echo $? > "$scratch/rc"
} | head -n 1 > /dev/null
rc=$(cat "$scratch/rc")
if [ "$rc" = 5 ] && grep -q 'Broken pipe' "$scratch/err"; then
    nothing_left 'a reader that goes away is an error, said, and leaves nothing' "$scratch/o"
else
    wrong 'a reader that goes away is an error, said, and leaves nothing'
fi

# With the standard streams closed their numbers must not go to the files that are opened.
"$clradio" correlate "$simulated" --channels 64 -o "$scratch/o/open.uvh5" > /dev/null 2>&1 < /dev/null
"$clradio" correlate "$simulated" --channels 64 -o "$scratch/o/shut.uvh5" <&- >&- 2>&-
rc=$?
if [ $rc = 5 ] && [ "$(wc -c < "$scratch/o/open.uvh5")" = "$(wc -c < "$scratch/o/shut.uvh5")" ]; then
    ok 'closed standard streams spoil no file'
else
    wrong 'closed standard streams spoil no file'
fi
tap_done
