"""Record reference results: the times of every chapter at full length, or the hardware counters of each variant.

    python3 -m tools.results.record BINARIES OUTPUT [--counters] [CHAPTER...]

BINARIES is the folder of the chapters' programs built for the GPU, or of the claims' (tests/claims).
OUTPUT receives NN_name.json for every chapter; that of several GPUs goes to OUTPUT-xN, where N are used,
and is left out where there is one. What PyTorch makes of the same tasks is measured after that, where it is installed. With --counters OUTPUT receives counters.json alone, because counters take as long as times and
change only where kernels do. All is written at the end, so that a run that fails or is
stopped leaves the old files.

The counters come from Nsight Compute, which serialises launches; so --launch-once does nothing but
launch every variant once, in one run at the sizes of the CPU device and in one with arrays that no
L2 holds. An NVTX range, `row 7`, tells whose kernels these are; what runs outside of them is not
profiled.
"""

import collections
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from tools.files import write_whole
from tools.results.torch_peers import with_shares

# Elements, for chapters that do not sweep sizes themselves: those of a plain ./run, whose rows --full has
# too, so that ./run compare finds each of them here.
FULL_LENGTH = "2^28"
LONGEST = "2^30"  # too, for the chapters whose question is how fast a kernel can be
LONGEST_FOR = re.compile("0[1-7]_")
# Chapters of several GPUs: recorded where there are several, in a folder of their own, as
# nvidia-h200-x2. Without counters: ncu runs one launch at a time, and kernels that wait for each
# other would wait forever.
SEVERAL = re.compile("4[0-9]_")
# A chapter of launches by the thousand: profiled one by one they take many minutes, to tell what one of them does.
UNCOUNTED = re.compile("37_")
PEERS = pathlib.Path(__file__).with_name("torch_peers.py")
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
# What explains a time: bytes from and to DRAM, sectors between L1 and L2 (those that L1 asks for and
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
        tail = pathlib.Path(log).read_text()[-2000:]
        sys.exit(f"record: status {status} from: {' '.join(map(str, command))}\n{tail}")


def sweeps_sizes(program):
    """True if the chapter has more sizes than one --n leaves it. (Matrices of several shapes have
    several numbers of elements, whatever --n is.)"""
    def sizes(*options):
        listing = subprocess.run([program, "--list", *options], capture_output=True, text=True,
                                 check=True).stdout
        return set(re.findall(r"\bn (\d+)", listing))

    return len(sizes("--full")) > len(sizes("--full", "--n", FULL_LENGTH))


def measure(program, scratch):
    """The results of one chapter, all sizes in one file."""
    def chapter(*options):
        file = scratch / "rows.json"
        run([program, "--full", "--json", file, *options], scratch / "log")
        results = json.loads(file.read_text())
        results["options"].pop("full", None)
        return results

    if sweeps_sizes(program):
        return chapter("--cache", "both")
    results = chapter("--cache", "both", "--n", FULL_LENGTH)
    results["options"].pop("n", None)
    # Longer still: cold alone, because no L2 holds any of it; and not what crosses the link to the
    # host, which is as fast with a quarter of the bytes.
    timed_on_device = {row["variant"]: None for row in results["rows"] if row["cache"]}
    if timed_on_device and LONGEST_FOR.match(program.name):
        variants = [word for name in timed_on_device for word in ("--variant", name)]
        longer = chapter("--cache", "cold", "--n", LONGEST, *variants)
        results["rows"] += longer["rows"]
        results["environment"]["clocks"]["after"] = longer["environment"]["clocks"]["after"]
    return results


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


def counters_of(chapter, row, kernels, large):
    """A row of counters.json."""
    return {
        "chapter": chapter,
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
    return [counters_of(results["chapter"], row, recorded[f"row {index}"], large)
            for index, row in enumerate(results["rows"]) if recorded[f"row {index}"]]


def write(files):
    """Writes all results, each at once."""
    for path, results in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(results, indent=1) + "\n")


def record_times(programs, output, scratch):
    """The files of the chapters' times."""
    files = {}
    for program in programs:
        started = time.monotonic()
        results = measure(program, scratch)
        said = f"{len(results['rows'])} rows in {time.monotonic() - started:.0f} s"
        devices = results["options"]["devices"] if SEVERAL.match(program.name) else 0
        folder = output.with_name(f"{output.name}-x{devices}") if devices else output
        if devices == 1:
            said = "left out, it needs two GPUs"
        else:
            files[folder / f"{program.name}.json"] = results
        print(f"{program.name}: {said}", file=sys.stderr, flush=True)
    add_peers(files, scratch)
    return files


def add_peers(files, scratch):
    """Adds PyTorch's rows to the chapters that have such peers. In a process of its own: a GPU's memory that it holds
    is free again, and a Python without PyTorch is nobody's failure."""
    by_name = {path.stem: results for path, results in files.items()}
    table = scratch / "peers.json"
    run(["python3", PEERS, table, *by_name], scratch / "log")
    for name, rows in json.loads(table.read_text()).items():
        by_name[name]["rows"] += with_shares(rows, by_name[name]["device"])


def record_counters(programs, output, scratch):
    """The file of counters, for chapters whose times are there; those of others stay."""
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
    return {path: {"schema": 2, "device": results["device"], "environment": results["environment"],
                   "rows": sorted(rows, key=lambda row: row["chapter"])}}


def arguments_for(build, root, chapters):
    """The arguments of main() for this machine's card, and a build with all chapters."""
    card = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, check=True)
    name = card.stdout.splitlines()[0].lower().replace(" ", "-")
    return [str(build.bin), str(root / "book/results" / name), *chapters]


def main(arguments):
    counters = "--counters" in arguments
    arguments = [argument for argument in arguments if argument != "--counters"]
    if len(arguments) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    if counters and shutil.which("ncu") is None:
        print("record: Nsight Compute is not installed: `ncu` comes with the CUDA toolkit.",
              file=sys.stderr)
        return 3
    binaries, output = map(pathlib.Path, arguments[:2])
    programs = [path for path in sorted([*binaries.glob("[0-9][0-9]_*"), *binaries.glob("claim_*")])
                if not arguments[2:] or path.name in arguments[2:]]
    if not programs:
        print(f"record: no chapter's program in {binaries}.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        write((record_counters if counters else record_times)(programs, output, pathlib.Path(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
