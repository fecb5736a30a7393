#!/usr/bin/env bash
# sanitize.sh BINARIES [TOOL...]: every chapter under compute-sanitizer's four tools, or those named,
# at small awkward sizes, and the 64-bit index test: more than 2^32 elements of one byte and of four
# bytes. On a GPU; prints a line for each run and ends with status 1 if one of them failed.
set -uo pipefail
if (($# < 1)); then
    echo "usage: sanitize.sh BINARIES [memcheck|racecheck|initcheck|synccheck]..." >&2
    exit 2
fi
binaries=$1
tools=("${@:2}")
((${#tools[@]})) || tools=(memcheck racecheck initcheck synccheck)
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

try() { # WHAT COMMAND...
    local what=$1 status
    shift
    "$@" >"$log" 2>&1
    status=$?
    if ((status == 0)); then
        printf 'ok      %s\n' "$what"
    else
        printf 'FAILED  %s (status %d)\n' "$what" "$status"
        tail -n 20 "$log"
        failed=1
    fi
}

# Kernels of NCCL and of one_shot_flags wait for those of other devices, and a sanitizer runs one launch at a time.
without_nccl() { # PROGRAM: options that select its other variants, where it has some of NCCL
    local names
    names=$("$1" --list | awk '{ print $1 }' | sort -u)
    [[ $names != *nccl_* ]] || grep -Ev '^nccl_|_flags' <<<"$names" | sed 's/^/--variant=/'
}

for tool in "${tools[@]}"; do
    for program in "$binaries"/[0-9][0-9]_*; do
        name=${program##*/}
        mapfile -t variants < <(without_nccl "$program")
        ((!${#variants[@]})) || echo "left out: the variants of NCCL and by flags in $name, which would wait for each other"
        # --launch-once, because a sanitizer serialises launches: there is nothing to time, and 28, 29 and 37 would take
        # minutes.
        try "$tool $name" compute-sanitizer --tool "$tool" --error-exitcode 99 \
            "$program" --launch-once --n 10007 "${variants[@]}"
        # Lane 0 arrives for its warp after __syncwarp(), which racecheck does not take for an order of the other lanes' reads
        # before the next copy into the tile. On an H200 it reports none for `fetched` once each lane arrives.
        [[ "$tool $name" != 'racecheck 38_clusters' ]] ||
            echo 'known: WAR hazards of the tiles of 38_clusters, variant fetched, are false: see sanitize.sh'
    done
done

beyond=4294967311 # the first prime past 2^32
try "$beyond elements of 1 byte and more, 16-byte words" \
    "$binaries/06_memcpy_vectorized" --launch-once --n "$beyond" --variant word16
try "$beyond elements of 4 bytes, one a thread" \
    "$binaries/01_basic_vecadd" --launch-once --n "$beyond" --variant basic
try "$beyond elements of 4 bytes, float4" \
    "$binaries/05_float4" --launch-once --n "$beyond" --variant float4
exit "$failed"
