#!/usr/bin/env bash
# Prints what a newcomer waits for, measured on this machine, against its budget (for two cores with
# the packages installed). It works in a fresh clone of its own; `tools/results/budgets.sh DIRECTORY` makes that clone there.
set -euo pipefail
repository=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/../..")
above=$(mktemp -d -- "${1:-${TMPDIR:-/tmp}}/budgets.XXXXXX")
trap 'rm -rf -- "$above"' EXIT
trap 'exit 130' INT
git clone --quiet -- "$repository" "$above/clone"
cd "$above/clone"

# report WHAT MEASURED BUDGET UNIT
report() {
    local mark=''
    if (($2 > $3)); then
        mark='OVER BUDGET' over=1
    fi
    printf '%-44s %6d %s   budget %4d %s  %s\n' "$1" "$2" "$4" "$3" "$4" "$mark"
}

# Runs a command with its output in $above/log; its peak memory, that of the largest process, is kept.
measured() {
    python3 - "$above/peak" "$@" >"$above/log" 2>&1 <<'PYTHON' || { cat "$above/log" && exit 1; }
import pathlib, resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
peak = pathlib.Path(sys.argv[1])
so_far = int(peak.read_text()) if peak.exists() else 0
kibibytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
peak.write_text(str(max(so_far, kibibytes)))
sys.exit(status)
PYTHON
}

over=0
echo "$(nproc) cores, $(uname -m), commit $(git rev-parse --short HEAD), CPU device"

SECONDS=0
measured ./run --device cpu 03
report 'fresh clone, ./run 03' $SECONDS 60 s

rm -rf build
SECONDS=0
measured ./run --device cpu
report 'fresh clone, ./run' $SECONDS 180 s

echo '// edited' >>chapters/05_float4/05_float4.cu
SECONDS=0
measured ./run --device cpu 05
report 'one chapter edited and run again' $SECONDS 10 s

SECONDS=0
measured ./run --device cpu
report './run again, nothing to build' $SECONDS 180 s
report 'peak memory of a process' $(($(<"$above/peak") / 1024)) 768 MiB

SECONDS=0
measured ./run docs
report './run docs, nothing built before' $SECONDS 120 s

rm -rf build
SECONDS=0
measured ./run --device cpu test
report './run test, nothing built before' $SECONDS 300 s

echo '// edited' >>cpu_device/cuda/cpu_device/detail/engine.hpp # which reaches every kernel
SECONDS=0
measured ./run --device cpu test
report 'a header of the engine edited, ./run test' $SECONDS 180 s
exit $over
