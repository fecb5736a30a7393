"""Record hardware counters of each variant of the chapters, as record.py --counters does.

They come from Nsight Compute, which serialises launches; so --launch-once does nothing but launch every variant once,
in one run at the sizes of the CPU device and in one with arrays that no L2 holds. An NVTX range, `row 7`, tells whose
kernels these are; what runs outside of them is not profiled.
"""

import collections
import csv
import json
import re
import subprocess
import sys
import time
from pathlib import Path

# Chapters of several GPUs: recorded where there are several, in a folder of their own, as
# nvidia-h200-x2. Without counters: ncu runs one launch at a time, and kernels that wait for each
# other would wait forever.
SEVERAL = re.compile("4[0-9]_")
# A chapter of launches by the thousand: profiled one by one they take many minutes, to tell what one of them does.
UNCOUNTED = re.compile("37_")
LARGE = "2^26"  # elements of the larger of the launches whose counters are read

# Field of the results' `counts`: the hardware counter that it equals, or those whose sum it does.
# Asynchronous copies from global to shared memory (LDGSTS) are among the loads. Of shared memory,
# wavefronts by instruction: l1tex__data_bank_conflicts_* also counts those that were lost to other
# clients of the L1.
COUNTS = {
    "load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "local_load_requests": "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
    "local_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "local_store_requests": "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
    "local_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "atomic_requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
                        "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"),
    "atomic_sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
                       "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"),
    "shared_load_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}
# What explains a time: bytes from and to DRAM, sectors between L1 and L2 (those that L1 requests and
# sends: lts__t_sectors_op_* counts the traffic between the halves of the L2 as well), L1 hits,
# wavefronts of the load-store units, reads of the cache of indexed constants (kernels' parameters
# among them).
TOTALS = {
    "dram_bytes_read": "dram__bytes_read.sum",
    "dram_bytes_written": "dram__bytes_write.sum",
    "l2_read_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_write_sectors": "lts__t_sectors_srcunit_tex_op_write.sum",
    "l2_write_requests": "lts__t_requests_srcunit_tex_op_write.sum",
    "l2_atomic_sectors": ("lts__t_sectors_srcunit_tex_op_red.sum",
                          "lts__t_sectors_srcunit_tex_op_atom.sum"),
    "l1_wavefronts": "l1tex__data_pipe_lsu_wavefronts.sum",
    "shared_atomic_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "l1_load_hit_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "constant_cache_requests": "idc__requests.sum",
    "local_load_hit_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum",
}
# Warps in flight, and what decides how many: registers, and the bytes of L1 that are shared memory.
MEANS = {
    "warps_active_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "registers_per_thread": "launch__registers_per_thread",
    "shared_config_bytes": "launch__shared_mem_config_size",
}


def metrics(names):
    """A field's counters: one, or those that are added up."""
    return (names,) if isinstance(names, str) else names


METRICS = sorted(name for fields in (COUNTS, TOTALS, MEANS) for names in fields.values()
                 for name in metrics(names))


def run(command, log):
    """Runs a command and keeps what it says; ends the recording where it fails."""
    with open(log, "a") as file:
        status = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT).returncode
    if status != 0:
        tail = Path(log).read_text()[-2000:]
        sys.exit(f"record: status {status} from: {' '.join(map(str, command))}\n{tail}")


def number(text):
    """A value of the CSV, which may carry thousands separators; None where ncu has none."""
    try:
        return float(text.replace(",", ""))
    except (AttributeError, ValueError):
        return None


def kernels_by_row(path):
    """The CSV's kernels by their range, which stands before the kernel's name: `row 7/add(...)`."""
    with open(path, newline="") as file:
        lines = [line for line in file if line.startswith('"')]
    found = collections.defaultdict(list)
    for kernel in list(csv.DictReader(lines))[1:]:  # the first is the units
        found[kernel["Kernel Name"].partition("/")[0]].append(kernel)
    return found


def total(kernels, names):
    """The sum of a field's counters over the kernels; None if one of them has none."""
    recorded = [number(kernel.get(name)) for kernel in kernels for name in metrics(names)]
    return None if None in recorded else int(sum(recorded))


def mean(kernels, name):
    recorded = [number(kernel.get(name)) for kernel in kernels]
    return None if None in recorded else sum(recorded) / len(recorded)


def counters_of(results, row, kernels, large):
    """A row of counters.json, with the GPU and the commit that it is of: chapters are counted again one by one."""
    return {
        "chapter": results["chapter"],
        "card": results["device"].get("card"),
        "commit": results["environment"]["commit"],
        "variant": row["variant"],
        "parameters": row["parameters"],
        "library": row["library"],
        "large": large,
        "kernels": len(kernels),
        "counts": {field: total(kernels, names) for field, names in COUNTS.items()},
        "hardware": {field: total(kernels, names) for field, names in TOTALS.items()}
                    | {field: mean(kernels, name) for field, name in MEANS.items()},
    }


def count(program, scratch, large):
    """One row of counters for each variant that launches a kernel; `large`: with arrays of LARGE."""
    file, table = scratch / "once.json", scratch / "once.csv"
    run(["ncu", "--csv", "--page", "raw", "--clock-control", "none", "--metrics", ",".join(METRICS),
         "--nvtx", "--nvtx-include", "regex:row [0-9]+/", "--print-nvtx-rename", "kernel",
         "--log-file", table, program, "--launch-once", "--json", file,
         *(["--n", LARGE] if large else [])], scratch / "log")
    results = json.loads(file.read_text())
    recorded = kernels_by_row(table)
    strays = recorded.keys() - {f"row {index}" for index in range(len(results["rows"]))}
    if strays:
        sys.exit(f"record: {program.name} has no {sorted(strays)[0]}, whose kernels ncu counted.")
    # A row without kernels is a copy engine's work.
    return [counters_of(results, row, recorded[f"row {index}"], large)
            for index, row in enumerate(results["rows"]) if recorded[f"row {index}"]]


def record_counters(programs, output, scratch):
    """The file of counters, for chapters whose times are there; those of others stay, with their GPU and commit."""
    path = output / "counters.json"
    programs = [program for program in programs if not (SEVERAL.match(program.name) or UNCOUNTED.match(program.name))]
    if not programs:
        print("record: these chapters have no counters.", file=sys.stderr)
        return {}
    names = {program.name for program in programs}
    old = json.loads(path.read_text())["rows"] if path.exists() else []
    rows = [row for row in old if row["chapter"] not in names]
    for program in programs:
        times = output / f"{program.name}.json"
        if not times.exists():
            sys.exit(f"record: {times} is missing; record the times of {program.name} first.")
        results = json.loads(times.read_text())
        started = time.monotonic()
        counted = [row for large in (False, True) for row in count(program, scratch, large)]
        uncounted = ({row["variant"] for row in results["rows"] if row["cache"] and not row["library"]}
                     - {row["variant"] for row in counted})
        if uncounted:
            sys.exit(f"record: {program.name}: ncu counted no kernel of {min(uncounted)}.")
        rows += counted
        print(f"{program.name}: counters in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    return {path: {"schema": 2, "rows": sorted(rows, key=lambda row: row["chapter"])}}
