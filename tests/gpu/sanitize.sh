#!/usr/bin/env bash
# sanitize.sh BINARIES: every chapter under compute-sanitizer's four tools, at small awkward sizes,
# and the 64-bit index test: more than 2^32 elements of one byte and of four bytes. On a GPU; prints
# a line for each run and ends with status 1 if one of them failed.
set -uo pipefail
if (($# != 1)); then
    echo "usage: sanitize.sh BINARIES" >&2
    exit 2
fi
binaries=$1
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
runs=()

start() { # WHAT COMMAND...: in the background; its output and status stay in files
    local log=$logs/${#runs[@]}
    runs+=("$1")
    shift
    { "$@" >"$log" 2>&1 && echo 0 >"$log.status" || echo $? >"$log.status"; } &
}

finish() { # waits for what was started and says what became of it, in order; status 1 if some failed
    local index status failed=0
    wait
    for index in "${!runs[@]}"; do
        status=$(<"$logs/$index.status")
        if ((status == 0)); then
            printf 'ok      %s\n' "${runs[index]}"
        else
            printf 'FAILED  %s (status %d)\n' "${runs[index]}" "$status"
            tail -n 20 "$logs/$index"
            failed=1
        fi
    done
    runs=()
    return "$failed"
}

# A few at a time, because each needs a processor and a context on the GPU of its own.
at_once=$((($(nproc) + 1) / 2))
for tool in memcheck racecheck initcheck synccheck; do
    for program in "$binaries"/[0-9][0-9]_*; do
        ((${#runs[@]} % at_once)) || wait
        # --launch-once, because a sanitizer serialises launches: there is nothing to time.
        start "$tool ${program##*/}" compute-sanitizer --tool "$tool" --error-exitcode 99 \
            "$program" --launch-once --n 10007
    done
done
failed=0
finish || failed=1

beyond=4294967311 # the first prime past 2^32; one at a time, because each fills half of the memory
start "$beyond elements of 1 byte and more, 16-byte words" \
    "$binaries/06_memcpy_vectorized" --launch-once --n "$beyond" --variant word16
finish || failed=1
start "$beyond elements of 4 bytes, one a thread" \
    "$binaries/01_basic_vecadd" --launch-once --n "$beyond" --variant basic
finish || failed=1
start "$beyond elements of 4 bytes, float4" \
    "$binaries/05_float4" --launch-once --n "$beyond" --variant float4
finish || failed=1
exit "$failed"
