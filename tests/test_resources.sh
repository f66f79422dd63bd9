# Registers, private memory (spills) and local memory of every kernel's default settings (tests/kernel_settings.h), as the
# compilers report them without a device, against the checked-in budget cl/resources.txt: ptxas through NVRTC for sm_75, sm_80
# and sm_90, clang for AMD. `make resources` (CLRADIO_RESOURCES=write) writes the budget anew; git diff then shows what changed.
#
# Other versions of NVRTC differ by a few registers: up to 8 more than the budget, or a tenth, are let pass. Private memory is not:
# more than the budget has fails. Versions of clang differ by more, so that only the one which the budget names is compared. A
# default should have no private memory; where it has, the budget says so (registers+bytes), and it is a thing to mend: sixteen
# bytes of the X-engine's float tile, and what clang 15 makes of gfx1100, to which it gives no more than 128 registers.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/amd_compiler.sh"
nvidia="75 80 90"
amd="gfx906 gfx90a gfx1030 gfx1100"
budget=$top_srcdir/cl/resources.txt
measured=$scratch/measured
: > "$measured"

# One line "file|macros|kernel|target|registers|private|local" for each kernel in the assembly: the keys of its metadata come in
# alphabetical order.
amd_lines() { # FILE MACROS ARCHITECTURE
    awk -v head="$1|$2" -v target="$3" '
        /\.amdgpu_metadata/ { on = 1 }
        !on { next }
        $1 == ".group_segment_fixed_size:" { local_bytes = $2 }
        $1 == ".private_segment_fixed_size:" { private = $NF }
        $1 == ".symbol:" { kernel = $2; sub(/\.kd.*/, "", kernel); gsub(/[^A-Za-z_0-9]/, "", kernel) }
        $1 == ".vgpr_count:" { registers = $2 }
        $1 == ".vgpr_spill_count:" {
            printf "%s|%s|%s|%d|%d|%d\n", head, kernel, target, registers, private, local_bytes
        }' "$scratch/out.s"
}
clang_version() {
    $clang -dumpversion | sed 's/\..*//'
}
measure_amd() {
    "$top_builddir/tests/test_dialect" resources > "$scratch/settings" || return 1
    while IFS='|' read -r file macros least; do
        grep -q '^KERNEL' "$top_srcdir/cl/$file" || continue
        [ "$least" = 0 ] || continue
        defines=$(printf '%s' "$macros" | sed 's/\([^ ][^ ]*\)/-D\1/g')
        for architecture in $amd; do
            # shellcheck disable=SC2086
            compile_for_amd $architecture "$top_srcdir/cl/$file" $defines < /dev/null || return 1
            amd_lines "$file" "$macros" $architecture >> "$measured"
        done
    done < "$scratch/settings"
}

# The table: a line for each setting and kernel, the largest local memory, then registers or registers+bytes a target.
table() {
    awk -F'|' -v targets="$(for n in $nvidia; do printf 'sm_%s ' "$n"; done)$amd" '
        BEGIN { n = split(targets, target, " ") }
        {
            key = $1 ($2 == "" ? "" : " " $2) " | " $3
            if (!(key in seen)) { seen[key] = 1; order[++keys] = key }
            cell[key, $4] = $5 ($6 > 0 ? "+" $6 : "")
            if ($7 + 0 > most[key] + 0) most[key] = $7
        }
        END {
            for (k = 1; k <= keys; k++) {
                line = order[k] " | " most[order[k]] + 0 " |"
                for (t = 1; t <= n; t++) {
                    c = cell[order[k], target[t]]
                    line = line " " (c == "" ? "-" : c)
                }
                print line
            }
        }' "$1" | LC_ALL=C sort
}
# compare BUDGET TABLE: a line "ok|not ok - ..." for each line of the table; lines of the budget that nothing answers to.
compare() {
    awk -F' [|] ?' -v targets="$(for n in $nvidia; do printf 'sm_%s ' "$n"; done)$amd" \
        -v has_nvidia="${has_nvidia:-}" -v has_amd="${has_amd:-}" '
        function number(cell) { sub(/\+.*/, "", cell); return cell + 0 }
        function bytes(cell) { return cell ~ /\+/ ? substr(cell, index(cell, "+") + 1) + 0 : 0 }
        BEGIN { n = split(targets, target, " ") }
        /^#/ || !NF { next }
        FNR == NR { local_bytes[$1 " | " $2] = $3; cells[$1 " | " $2] = $4; next }
        {
            key = $1 " | " $2
            wrong = ""
            answered[key] = 1
            if (!(key in cells)) {
                print "not ok - " key " has a line in the budget (make resources)"
                next
            }
            split(cells[key], allowed, " ")
            split($4, now, " ")
            if ($3 + 0 > local_bytes[key] + 0)
                wrong = wrong " local memory " $3 " instead of " local_bytes[key] ";"
            for (t = 1; t <= n; t++) {
                if (now[t] == "-" || now[t] == "")
                    continue
                if (allowed[t] == "-")
                    wrong = wrong " " target[t] " is not in the budget;"
                slack = number(allowed[t]) / 10 > 8 ? number(allowed[t]) / 10 : 8
                if (number(now[t]) > number(allowed[t]) + slack)
                    wrong = wrong " " target[t] " takes " number(now[t]) " registers instead of " number(allowed[t]) ";"
                if (bytes(now[t]) > bytes(allowed[t]))
                    wrong = wrong " " target[t] " puts " bytes(now[t]) " bytes in private memory instead of " bytes(allowed[t]) ";"
            }
            print (wrong == "" ? "ok" : "not ok") " - " key " keeps its budget" (wrong == "" ? "" : ":" wrong)
        }
        # A line with nothing on the architectures that were measured cannot be answered.
        END {
            for (key in cells) {
                split(cells[key], allowed, " ")
                expected = 0
                for (t = 1; t <= n; t++)
                    if (allowed[t] != "-" && (target[t] ~ /^sm_/ ? has_nvidia : has_amd) == "yes")
                        expected = 1
                if (expected && !(key in answered))
                    print "not ok - " key " of the budget is a kernel that is compiled"
            }
        }
    ' "$1" "$2"
}

"$top_builddir/tests/test_dialect" resources $nvidia > "$scratch/nvidia" 2> "$scratch/output"
status=$?
if [ $status = 77 ]; then
    skip "resources of the kernels on NVIDIA's architectures" "NVRTC is not here"
elif [ $status != 0 ]; then
    not_ok "ptxas says what the kernels need"
    say "$scratch/output"
else
    cat "$scratch/nvidia" >> "$measured"
    has_nvidia=yes
fi
if ! find_amd_compiler; then
    skip "resources of the kernels on AMD's architectures" "no clang with libclc's bitcode for amdgcn was found"
elif [ "${CLRADIO_RESOURCES:-}" != write ] && ! grep -q "^# clang $(clang_version)\$" "$budget"; then
    skip "resources of the kernels on AMD's architectures" "this is clang $(clang_version), $(sed -n 's/^# \(clang [0-9]*\)$/the budget is that of \1/p' "$budget")"
elif ! measure_amd > "$scratch/output" 2>&1; then
    not_ok "clang says what the kernels need"
    say "$scratch/output"
else
    has_amd=yes
fi
table "$measured" > "$scratch/table"

if [ "${CLRADIO_RESOURCES:-}" = write ]; then
    if [ -z "${has_nvidia:-}" ] || [ -z "${has_amd:-}" ]; then
        not_ok "make resources needs NVRTC and clang with libclc: cl/resources.txt stays as it is"
        tap_done
    fi
    {
        echo "# What the kernels' default settings may take: \`make resources\` writes this, tests/test_resources.sh compares with it."
        echo "# clang $(clang_version)"
        echo "# file and macros | kernel | bytes of local memory | registers (+ bytes of private memory, spills among it) on"
        echo "# $(for n in $nvidia; do printf 'sm_%s ' "$n"; done)$amd"
        cat "$scratch/table"
    } > "$scratch/new" && cp "$scratch/new" "$budget"
    ok "cl/resources.txt is written: git diff shows what changed"
    tap_done
fi
if [ ! -s "$scratch/table" ]; then
    tap_done
fi
compare "$budget" "$scratch/table" > "$scratch/verdicts"
while IFS= read -r line; do
    case $line in
    "ok - "*) ok "${line#ok - }" ;;
    *) not_ok "${line#not ok - }" ;;
    esac
done < "$scratch/verdicts"

# The comparison notices: a register file of 1 with no slack, a spill, a kernel without a line.
sed 's/| [0-9]* | .*/| 0 | 1 1 1 1 1 1 1/' "$budget" | sed '$d' > "$scratch/tight"
compare "$scratch/tight" "$scratch/table" > "$scratch/verdicts"
check "the comparison notices too many registers" grep -q 'not ok.* registers instead of 1;' "$scratch/verdicts"
check "the comparison notices more local memory" grep -q 'not ok.* local memory [0-9]* instead of 0;' "$scratch/verdicts"
check "the comparison notices a kernel without a line" grep -q 'not ok.*has a line in the budget' "$scratch/verdicts"
sed '/^#/!s/\([0-9]\)$/\1+4/; /^#/!s/| \([0-9]*\) \([0-9-]\)/| \1+4 \2/' "$scratch/table" > "$scratch/spills"
compare "$scratch/table" "$scratch/spills" > "$scratch/verdicts"
check "the comparison notices spills" grep -q 'not ok.* bytes in private memory instead of' "$scratch/verdicts"
tap_done
