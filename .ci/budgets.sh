#!/usr/bin/env bash
# Prints what a newcomer waits for, measured on this machine, against its budget (for two cores with
# the packages installed). It works in a fresh clone of its own; `.ci/budgets.sh DIRECTORY` makes that clone there.
set -euo pipefail
repository=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/..")
above=$(mktemp -d -- "${1:-${TMPDIR:-/tmp}}/budgets.XXXXXX")
trap 'rm -rf -- "$above"' EXIT
trap 'exit 130' INT
git clone --quiet -- "$repository" "$above/clone"
cd "$above/clone"

report() { # WHAT MEASURED BUDGET UNIT
    local mark=''
    (($2 <= $3)) || mark='OVER BUDGET' over=1
    printf '%-44s %6d %s   budget %4d %s  %s\n' "$1" "$2" "$4" "$3" "$4" "$mark"
}

check() { # WHAT BUDGET COMMAND...: the seconds that it takes
    SECONDS=0
    "${@:3}" >"$above/log" 2>&1 || { cat "$above/log" && exit 1; }
    report "$1" $SECONDS "$2" s
}

over=0
echo "$(nproc) cores, $(uname -m), commit $(git rev-parse --short HEAD), CPU device"
check 'fresh clone, ./run 03' 60 ./run --device cpu 03
rm -rf build
check 'fresh clone, ./run' 180 ./run --device cpu
echo '// edited' >>chapters/05_float4/05_float4.cu
check 'one chapter edited and run again' 10 ./run --device cpu 05
check './run again, nothing to build' 180 ./run --device cpu
report 'peak memory of a process' "$(python3 -c 'import resource, subprocess
subprocess.run(["./run", "--device", "cpu"], capture_output=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)')" 768 MiB
check './run docs, nothing built before' 120 ./run docs
rm -rf build
check './run test, nothing built before' 300 ./run --device cpu test
echo '// edited' >>cpu_device/cuda/cpu_device/detail/engine.hpp # which reaches every kernel
check 'a header of the engine edited, ./run test' 180 ./run --device cpu test
exit $over
