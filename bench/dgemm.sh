#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# dgemm.sh [FOLDER]: how fast xdgemm is, beside what it can be compared with.
# FOLDER has the programs xdgemm, xblas and xprobe; else they are looked for
# beside this script's folder, as in a bundle or a built tree.
#
#     ROUNDS=5      rounds, all interleaved; medians count
#     SIZE=8000     rows and columns of C
#     DEPTH=256     columns of A
#     DEVICE_DEPTH=1024   the same where a device computes, beside DEPTH
#     GPU_SIZE=16000
#     OPENBLAS=, BLIS=   libraries, by path or by a name that the loader finds
#
# A line each: measured, reference, their ratio, the goal, and ok or below.
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 2
rounds=${ROUNDS-5} size=${SIZE-8000} depth=${DEPTH-256}
device_depths=$(printf '%s\n' "$depth" "${DEVICE_DEPTH-1024}" | sort -nu)
gpu_size=${GPU_SIZE-16000} gpu_depths='512 1024 2048'

# What would make a library choose other kernels than it does by itself, and
# settings of whoever calls.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
for name in $(env | sed -n 's/^\(XHPL_[A-Z_]*\)=.*/\1/p'); do
    [ "$name" = XHPL_PLUGIN_DIR ] || unset "$name"
done

fail() {
    echo "dgemm.sh: $1" >&2
    exit 3
}

find_programs() {
    for bin in "${1-}" "$here/../bin" "$here/../bin/arch"; do
        [ -n "$bin" ] && [ -x "$bin/xdgemm" ] && return
    done
    fail "no folder with xdgemm found; name it as the first argument"
}

# The first of some libraries that xblas can load, or nothing.
find_library() {
    for library; do
        [ -n "$library" ] || continue
        "$bin/xblas" "$library" 1 8 8 8 >/dev/null 2>&1 || continue
        echo "$library"
        return
    done
}

# ---- one measurement each ---------------------------------------------------

# note KEY VALUE: what a round found; nothing where it found nothing.
note() {
    [ -z "$2" ] || echo "$1 $2" >>"$notes"
}

blas() { # LIBRARY THREADS DEPTH: Gflop/s
    "$bin/xblas" "$1" "$2" "$size" "$size" "$3"
}

product() { # ARGUMENTS: xdgemm's table
    "$bin/xdgemm" --quiet --alpha -1 --repeat 3 "$@" || fail "xdgemm $* failed"
}

ceiling() { # Gflop/s
    "$bin/xprobe" --ceiling | awk '$1 == "ceiling" { print $2 / 1e9 }'
}

# rate_of NAME: a row of xdgemm's first table, in Gflop/s.
rate_of() {
    awk -v name="$1" '$1 == name && $2 + 0 > 0 { print $2; exit }'
}

# idle_of NAME: of an executor alone, in percent.
idle_of() {
    awk -v name="$1" '$1 == name && $2 == name { print $9; exit }'
}

measure_blas() { # NAME LIBRARY
    [ -n "$2" ] || return
    note "$1" "$(blas "$2" "$cores" "$depth")"
    for k in $device_depths; do
        note "one-$k-$1" "$(blas "$2" 1 "$k")"
        note "two-$k-$1" "$(blas "$2" 2 "$k")"
    done
}

measure_host() {
    for kernel in auto blas; do
        note host-$kernel "$(product -m "$size" -k "$depth" --devices none \
            --threads "$cores" --set kernel=$kernel | rate_of host)"
    done
}

# The product alone returns, which was faster for a device that shares the
# host's memory.
measure_shared() {
    for k in $device_depths; do
        table=$(product -m "$size" -k "$k" --threads 1 --devices emu:1 \
            --set product_return=on) || exit
        note "one-host-$k" "$(echo "$table" | rate_of host)"
        note "emu-$k" "$(echo "$table" | rate_of emu:0)"
        note "together-$k" "$(echo "$table" | rate_of together)"
    done
}

# A device of ten times a core's rate; its link brings A, B and C just in the
# time that the product takes.
measure_dry() {
    rate=$(compute "10 * $(better "one-$depth-")")
    link=$(compute "$rate * 4 * ($size + 2 * $depth) / ($size * $depth)")
    note dry-idle "$(product -m "$size" -k "$depth" --threads 1 \
        --devices emu:1 --set emu_dry=on --set emu_rate="$rate" \
        --set emu_link="$link" | idle_of emu:0)"
}

measure_gpu() { # DEVICE
    for k in $gpu_depths; do
        found=$(product -m "$gpu_size" -k "$k" --devices "$1" --probe-device |
            awk -v name="$1" '$1 == name { print $4, $5 }')
        note gpu-link-"$k" "${found% *}"
        note gpu-resident-"$k" "${found#* }"
        note gpu-"$k" "$(product -m "$gpu_size" -k "$k" --devices "$1" |
            rate_of "$1")"
    done
}

# ---- what they say ----------------------------------------------------------

# median KEY: of what was noted; nothing if nothing was.
median() {
    awk -v key="$1" '$1 == key { print $2 }' "$notes" | sort -n |
        awk '{ x[NR] = $1 } END { if (NR) print x[int((NR + 1) / 2)] }'
}

# better PREFIX: of the two libraries' medians.
better() {
    awk -v x="$(median "$1openblas")" -v y="$(median "$1blis")" \
        'BEGIN { print (x + 0 > y + 0 ? x : y) }'
}

# compute EXPRESSION: of awk; nothing where a number in it was not measured.
compute() {
    awk "BEGIN { print ($1) }" 2>/dev/null
}

# row NAME MEASURED REFERENCE GOAL: the goal is the least ratio, or "<x" what
# MEASURED has to stay below; "" where there is none.
row() {
    awk -v name="$1" -v x="$2" -v reference="$3" -v goal="$4" 'BEGIN {
        ratio = reference > 0 ? x / reference : 0
        if (x == "" || (goal + 0 > 0 && !(reference > 0)))
            verdict = "not measured"
        else if (goal ~ /^</)
            verdict = x + 0 < substr(goal, 2) + 0 ? "ok" : "above"
        else if (goal != "")
            verdict = ratio >= goal + 0 ? "ok" : "below"
        printf "%-36s %10s %10s %7s %6s  %s\n", name,
            (x == "" ? "-" : sprintf("%.2f", x)),
            (reference == "" ? "-" : sprintf("%.2f", reference)),
            (ratio > 0 ? sprintf("%.3f", ratio) : "-"), goal, verdict
    }'
}

report() {
    best=$(better '')
    before=$(median ceiling-before) after=$(median ceiling-after)
    printf '\n%-36s %10s %10s %7s %6s\n' "Gflop/s, medians of $rounds" \
        measured reference ratio goal
    row "FMA ceiling, $cores cores, before" "$before" '' ''
    row "FMA ceiling, after, to before" "$after" "$before" ''
    row "FMA ceiling, to the better BLAS" "$after" "$best" 1.05
    [ -z "$openblas" ] ||
        row "OpenBLAS, $cores threads, to ceiling" "$(median openblas)" \
            "$after" ''
    [ -z "$blis" ] ||
        row "BLIS, $cores threads, to ceiling" "$(median blis)" "$after" ''
    row "host team, to the better BLAS" "$(median host-auto)" "$best" 1.00
    row "host team, kernel=blas, to it" "$(median host-blas)" "$best" ''
    for k in $device_depths; do
        report_shared
    done
    row "idle % of a dry device on its link" "$(median dry-idle)" '' '<5'
    [ -z "$gpu" ] || report_gpu
}

report_shared() {
    one=$(better "one-$k-") two=$(better "two-$k-") emu=$(median "emu-$k")
    row "emu on a core, to its BLAS, k = $k" "$emu" "$one" 0.90
    row "host + emu core, to sum, k = $k" "$(median "together-$k")" "$(compute \
        "($(median "one-host-$k") + $emu) * $two / (2 * $one)")" 0.95
}

report_gpu() {
    for k in $gpu_depths; do
        link=$(median gpu-link-"$k") resident=$(median gpu-resident-"$k")
        bound=$(compute "$k * $link / 4")
        row "$gpu, k = $k, link bound" "$bound" '' ''
        row "$gpu, k = $k, on resident data" "$resident" '' ''
        row "$gpu, k = $k, to the smaller" "$(median gpu-"$k")" \
            "$(compute "$bound < $resident ? $bound : $resident")" 0.90
    done
}

measure_round() {
    note ceiling-before "$(ceiling)"
    measure_blas openblas "$openblas"
    measure_blas blis "$blis"
    measure_host
    measure_shared
    measure_dry
    [ -z "$gpu" ] || measure_gpu "$gpu"
    note ceiling-after "$(ceiling)"
}

find_programs "$@"
notes=$(mktemp "${TMPDIR:-/tmp}/dgemm.XXXXXX") || exit 3
trap 'rm -f "$notes"' EXIT
trap 'exit 3' HUP INT TERM
lib=$bin/../lib
openblas=$(find_library "${OPENBLAS-}" "$lib"/libopenblas*.so* \
    libopenblas.so.0 libopenblas.so)
blis=$(find_library "${BLIS-}" "$lib"/libblis*.so* libblis.so.4 libblis.so)
[ -n "$openblas$blis" ] || fail "there is no OpenBLAS and no BLIS"
cores=$("$bin/xprobe" --ceiling | awk '$1 == "cores" { print $2 }')
gpu=$("$bin/xdgemm" --list-devices | awk '$1 ~ /^cuda:[0-9]/ { print $1; exit }')
"$bin/xdgemm" --list-devices
echo "OpenBLAS: ${openblas:-not found}   BLIS: ${blis:-not found}"

round=0
while [ "$round" -lt "$rounds" ]; do
    round=$((round + 1))
    echo "round $round of $rounds" >&2
    measure_round
done
report
