#!/usr/bin/env python3
"""Hardware counters of every variant, from Nsight Compute's CSV to one JSON file.

    counters.py --metrics                      the metrics to collect, for ncu --metrics
    counters.py FOLDER > counters.json         FOLDER/NN_name.json and FOLDER/NN_name.csv

The JSON files are what a chapter wrote under `--launch-once`; the CSV files are what
`ncu --csv --page raw` recorded of the same run. Under `--launch-once` a chapter launches the kernel
`row_marker` with k + 1 blocks before its k-th row, which tells whose kernels follow.
"""

import csv
import json
import pathlib
import sys

# Field of the results' `counts`: the hardware counters that add up to it.
COUNTS = {
    "load_requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                      "sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum"],
    "load_sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                     "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum"],
    "store_requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"],
    "store_sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
    "shared_load_conflicts": ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"],
    "shared_store_conflicts": ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"],
}
# What explains a time: bytes from and to DRAM, sectors between L1 and L2, L1 hits, warps in flight.
EXPLANATIONS = {
    "dram_bytes_read": "dram__bytes_read.sum",
    "dram_bytes_written": "dram__bytes_write.sum",
    "l2_read_sectors": "lts__t_sectors_op_read.sum",
    "l2_write_sectors": "lts__t_sectors_op_write.sum",
    "l1_load_hit_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "warps_active_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "registers_per_thread": "launch__registers_per_thread",
}


def metrics():
    return sorted({name for names in COUNTS.values() for name in names} | set(EXPLANATIONS.values()))


def number(text):
    """A value of the CSV, which may carry thousands separators; None where ncu has none."""
    try:
        return float(text.replace(",", ""))
    except (AttributeError, ValueError):
        return None


def kernels_by_row(path):
    """The CSV's kernels, one list for each row of the chapter."""
    with open(path, newline="") as file:
        lines = [line for line in file if line.startswith('"')]
    rows = list(csv.DictReader(lines))[1:]  # the first is the units
    found = {}
    row = None
    for kernel in rows:
        if kernel["Kernel Name"].startswith("row_marker"):
            row = int(kernel["Grid Size"].strip("()").split(",")[0]) - 1
            found[row] = []
        elif row is not None:
            found[row].append(kernel)
    return found


def total(kernels, names):
    """The sum of the counters over the kernels; None if one of them was not recorded."""
    values = [number(kernel.get(name)) for kernel in kernels for name in names]
    return None if not values or None in values else int(sum(values))


def mean(kernels, name):
    values = [number(kernel.get(name)) for kernel in kernels]
    return None if not values or None in values else sum(values) / len(values)


def chapter_rows(results, recorded):
    for index, row in enumerate(results["rows"]):
        kernels = recorded.get(index)
        if not kernels:
            continue  # a copy engine's work: no kernel, no counters
        explanations = {}
        for field, name in EXPLANATIONS.items():
            per_kernel = field in ("warps_active_percent", "registers_per_thread")
            explanations[field] = mean(kernels, name) if per_kernel else total(kernels, [name])
        yield {
            "chapter": results["chapter"],
            "variant": row["variant"],
            "parameters": row["parameters"],
            "peer": row["peer"],
            "kernels": len(kernels),
            "counts": {field: total(kernels, names) for field, names in COUNTS.items()},
            "hardware": explanations,
        }


def main(arguments):
    if arguments == ["--metrics"]:
        print(",".join(metrics()))
        return 0
    if len(arguments) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    rows = []
    device = environment = None
    for path in sorted(pathlib.Path(arguments[0]).glob("[0-9][0-9]_*.json")):
        results = json.loads(path.read_text())
        device, environment = results["device"], results["environment"]
        rows += chapter_rows(results, kernels_by_row(path.with_suffix(".csv")))
    if not rows:
        print(f"counters.py: no recorded kernels in {arguments[0]}", file=sys.stderr)
        return 1
    json.dump({"schema": 1, "device": device, "environment": environment, "rows": rows}, sys.stdout,
              indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
