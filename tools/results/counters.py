"""Your own hardware counters next to the CPU device's counts.

    ./run counters FILE.csv mine.cu [-- ARGUMENTS]
    ./run counters FILE.csv COUNTS.json

FILE.csv is a table of Nsight Compute, ncu --csv --page raw --print-units base --log-file FILE.csv, of your program on a GPU.
mine.cu, and what else ./run takes in its place, runs on the CPU device with every launch counted; COUNTS.json is what
./run mine.cu --count all --json COUNTS.json has written.
"""

import collections
import csv
import json
import math
import re
import shutil
import sys
import tempfile
import textwrap
from pathlib import Path

from tools import words
from tools.build import PATIENCE, call
from tools.files import parsing
from tools.results import schema
from tools.results.hardware_counters import COUNTS, TOTALS, metrics
from tools.words import wrapped

PAGE = "book/in_the_way.md"
SOURCES = (".cu", ".cpp", ".cc", ".cxx", ".c")
DURATION = "gpu__time_duration.sum"
# What a simulation of the caches says, and no count: a field of the row's `modelled`.
SIMULATED = {field: names for field, names in TOTALS.items() if field in (
    "dram_bytes_read", "dram_bytes_written", "l2_read_sectors", "l2_write_sectors", "l2_atomic_sectors")}
SIMULATED["l1_hit_sectors"] = TOTALS["l1_load_hit_sectors"]
# All that is read of a table.
WANTED = {name for fields in (COUNTS, SIMULATED) for names in fields.values() for name in metrics(names)} | {DURATION}
COMMAND = f"ncu --csv --page raw --print-units base --log-file mine.csv --metrics {','.join(sorted(WANTED))} ./mine"
NUMBER = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
PREFIX = re.compile("[KMGT](?=[a-z]{2})|[um](?=s)")  # of a unit
CLOSE = 0.1  # a simulated number that is no farther off is none to explain

# Why a count differs, as a rule: the field, when, and the sentence; the first that fits is said. `gpu` and `cpu` are the counts,
# `other` those of the row's other fields by name, as (gpu, cpu).
REASONS = (
    ("shared_store_wavefronts", lambda gpu, cpu, other: gpu == 0,
     "The counter does not count asynchronous copies to shared memory, and nvcc removes stores that no other thread reads."),
    ("shared_.*_wavefronts", lambda gpu, cpu, other: cpu and gpu in (2 * cpu, 4 * cpu),
     "An 8-byte access takes two wavefronts per request and a 16-byte access four; the CPU device counts one plus conflicts."),
    ("shared_.*_wavefronts", lambda gpu, cpu, other: cpu == 0,
     "g++ keeps values that a thread reads back itself in registers, stores included; nvcc kept the accesses."),
    ("shared_.*_wavefronts", lambda gpu, cpu, other: gpu < cpu,
     "nvcc merges adjacent accesses, or keeps in registers what g++ loads again."),
    ("shared_.*_wavefronts", lambda gpu, cpu, other: True,
     "8- and 16-byte accesses take several wavefronts per request."),
    ("local_.*", lambda gpu, cpu, other: cpu == 0,
     "nvcc spills what does not fit in registers to local memory (ptxas -v shows it); the CPU device has no registers."),
    ("local_.*", lambda gpu, cpu, other: gpu == 0,
     "nvcc knew every index, once loops were unrolled, and kept the array in registers."),
    ("local_.*", lambda gpu, cpu, other: True,
     "nvcc keeps part of the arrays in registers, or spills other values."),
    ("atomic_requests", lambda gpu, cpu, other: gpu < cpu,
     "nvcc adds up what a warp adds to one word, and sends one sum."),
    ("atomic_sectors", lambda gpu, cpu, other: abs(gpu - cpu) <= 0.02 * cpu,
     "When lanes access random lines, a GPU sends a few sectors twice."),
    ("atomic_sectors", lambda gpu, cpu, other: gpu < cpu,
     "nvcc adds up what a warp adds to one word, and sends one sum."),
    (".*_sectors", lambda gpu, cpu, other: other[0] == other[1],
     "Equally many requests at different addresses: their input data differ, or lanes skip loop iterations. The CPU device matches "
     "the k-th accesses of the lanes, a GPU those that execute together."),
    (".*_(requests|sectors)", lambda gpu, cpu, other: gpu < cpu,
     "nvcc merges adjacent accesses, or reuses a value in a register; g++ did not."),
    (".*_(requests|sectors)", lambda gpu, cpu, other: True,
     "g++ keeps in a register what nvcc loads again (pointers without __restrict__), or lanes took other branches: compare the inputs."),
)
SIMULATED_REASON = ("Caches are simulated, and cold: ncu, too, flushes them before each pass, unless --cache-control none was given. Written data "
                    "still in L2 at the end never reach DRAM.")
SAMPLED_REASON = "The CPU device counted a sample of the blocks and scaled it: --count all counts every one."


class Launch:
    """One launch of the file: its kernel, its configuration and its metrics, in base units, times in ms."""

    def __init__(self, kernel, grid, block):
        self.kernel, self.grid, self.block, self.values = kernel, grid, block, {}

    def sum(self, names):
        """The sum of a field's metrics; None where the file has not all of them."""
        found = [self.values.get(name) for name in metrics(names)]
        return None if None in found else sum(found)


def read_text(path):
    """The file's text; Refused where it cannot hold a table."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise words.Refused(f"{words.quoted(path)} cannot be read: {error.strerror}.") from error
    if b"\0" in content:
        raise words.Refused(f"{words.quoted(path)} is not text: convert a report of Nsight Compute to a table by "
                            f"ncu --import REPORT.ncu-rep --csv --page raw --print-units base > FILE.csv")
    text = content.decode("utf-8-sig", errors="replace")
    if not text.strip():
        raise words.Refused(f"{words.quoted(path)} is empty: ncu writes the table with --csv --log-file FILE.csv, and on "
                            "its output without --log-file.")
    return text


def extent(text):
    """(16, 1, 1) of "(16, 1, 1)", "(16,1,1)" or "16x1x1"; None where there is none."""
    found = re.findall(r"\d+", text or "")
    return tuple(map(int, (found + ["1", "1"])[:3])) if found else None


def value_of(name, text, unit):
    """The value of a cell, a time in ms. None where ncu has none, as n/a; ValueError where it is no count."""
    text = (text or "").strip()
    if not re.search(r"\d|^[+-]?(?:nan|inf)", text, re.IGNORECASE):
        return None
    if PREFIX.match(unit or ""):
        raise ValueError(f"{name} is in {words.quoted(unit)}, rounded; write the table once more with --print-units base")
    if not NUMBER.fullmatch(text):
        raise ValueError(f"{name} is {words.quoted(text)}, which is no number as ncu writes it in English: a point before decimals, commas "
                         "between groups of three digits. With LC_ALL=C it does")
    value = float(text.replace(",", ""))
    if not math.isfinite(value) or name != DURATION and not value.is_integer():
        raise ValueError(f"{name} is {words.quoted(text)}, and a count is a finite whole number. Where a point separates thousands, write the "
                         "table once more with LC_ALL=C")
    return 1e-6 * value if name == DURATION else value


def check_columns(columns, text, quoted):
    """Refused where the text is no table of ncu's page raw."""
    if "ERR_NVGPUCTRPERM" in text:
        raise words.Refused(f"{quoted} has no counters: ncu was not allowed to read them (ERR_NVGPUCTRPERM). {PAGE} says who can allow "
                            "it, and what to do without.")
    if "No kernels were profiled" in text:
        raise words.Refused(f"{quoted} has no launches: ncu saw no kernel, or none that --kernel-name and its kind chose.")
    if separator := re.search(r'^"?ID"?([;\t])', text, re.MULTILINE):
        raise words.Refused(f"{quoted} has {'semicolons' if separator[1] == ';' else 'tabs'} between its columns, where ncu writes commas: a "
                            "spreadsheet may have changed its numbers too. Give the file that ncu wrote.")
    if "Kernel Name" not in columns:
        raise words.Refused(f"{quoted} has no column \"Kernel Name\", so Nsight Compute has not written it with --csv. A run that does: "
                            f"{COMMAND}")
    if "ID" not in columns:
        raise words.Refused(f"{quoted} holds sums of several launches (--print-summary); leave that option out.")
    if "Metric Value" in columns:
        raise words.Refused(f"{quoted} is of the page details, which has no line for each launch. A run that does: {COMMAND}")


def launches_of(path):
    """The launches of a table, in order."""
    quoted, text = words.quoted(path), read_text(path)
    # The lines of the table are quoted; what ncu or the program says between them is not.
    table = csv.DictReader(line if line.startswith('"') else "" for line in text.splitlines())
    with parsing(path, lambda: table.line_num):
        while table.fieldnames == []:  # a line before the table
            table.fieldnames = None
        check_columns(table.fieldnames or (), text, quoted)
        units, found = next(table, {}), []
        for row in table:
            launch = Launch(words.printable(row["Kernel Name"]), extent(row.get("Grid Size")), extent(row.get("Block Size")))
            values = {name: value_of(name, row[name], units[name]) for name in WANTED & row.keys()}
            launch.values = {name: value for name, value in values.items() if value is not None}
            found.append(launch)
    if not found:
        raise words.Refused(f"{quoted} has the head of a table of Nsight Compute and no launch below it.")
    return found


def name_of(kernel):
    """(base, arguments): ("scale", "float") of "void ns::scale<float>(float *, int)" and of "scale<float>"; without
    arguments the latter is None."""
    kernel = re.sub(r"<unnamed>::|\(anonymous namespace\)::", "", kernel.replace("‹", "<").replace("›", ">"))
    depth, end = 0, len(kernel)
    for at, letter in enumerate(kernel):
        depth += (letter == "<") - (letter == ">" and kernel[at - 1] != "-")
        if letter == "(" and depth == 0:
            end = at
            break
    kernel = kernel[:end].strip()
    base, bracket, arguments = kernel.partition("<")
    base = base.strip().split(" ")[-1].split("::")[-1]
    plain = re.sub(r"\((?:int|unsigned int|bool|long|unsigned long|char)\)|\s|[uUlL]+(?=[,>]|$)", "", arguments.rpartition(">")[0])
    return base, plain.replace("(", "").replace(")", "") if bracket else None


def pairs_of(launches, rows):
    """The launches of the file with their rows, in order, each once; None where there is none."""
    unused = collections.defaultdict(list)
    for row in rows:
        base, arguments = name_of(row["variant"])
        unused[base].append((arguments, extent(row["parameters"].get("grid")), extent(row["parameters"].get("block")), row))
    pairs = []
    for launch in launches:
        base, arguments = name_of(launch.kernel)
        known = unused[base]
        best = max(known, default=None, key=lambda one: (  # the first of those that fit best
            one[0] in (arguments, None) or arguments is None, launch.grid in (one[1], None) and launch.block in (one[2], None)))
        if best:
            known.remove(best)
        pairs.append((launch, best[3] if best else None))
    left = [row for rest in unused.values() for *_, row in rest]
    return pairs, left


def counted(row, field):
    counts = row["counts"]
    if field.endswith("_wavefronts"):
        kind = field.removesuffix("_wavefronts")
        return counts[f"{kind}_requests"] + counts[f"{kind}_conflicts"]
    return counts[field]


def reason_for(field, gpu, cpu, requests):
    return next(sentence for pattern, fits, sentence in REASONS if re.fullmatch(pattern, field) and fits(gpu, cpu, requests))


class Compared:
    """A launch next to its row: how many counts agree, and which do not, as (what, gpu, cpu, reason)."""

    def __init__(self, launch, row):
        self.agree, self.differences = 0, []
        both = {field: (value, counted(row, field)) for field, names in COUNTS.items()
                if (value := launch.sum(names)) is not None}
        for field, (gpu, cpu) in both.items():
            if gpu == cpu:
                self.agree += 1
                continue
            requests = both.get(field.replace("_sectors", "_requests"), (0, 1))
            why = SAMPLED_REASON if row.get("note") and "sample" in row["note"] else reason_for(field, gpu, cpu, requests)
            self.differences.append((field, gpu, cpu, why))
        modelled = row.get("modelled") or {}
        for field, names in SIMULATED.items():
            gpu, cpu = launch.sum(names), modelled.get(field)
            if gpu is None or cpu is None:
                continue
            if abs(gpu - cpu) <= CLOSE * max(gpu, cpu):
                self.agree += 1
            else:
                self.differences.append((f"{field}, simulated", gpu, cpu, SIMULATED_REASON))
        gpu, cpu = launch.values.get(DURATION), modelled.get("ms")
        if gpu is not None and cpu is not None:
            if abs(gpu - cpu) <= CLOSE * max(gpu, cpu):
                self.agree += 1
            else:
                self.differences.append(("ms, modelled", gpu, cpu,
                                         f"The model is of {modelled['card']} (--card names another), without arithmetic, and with the launch overhead between "
                                         "two events; ncu locks the clock to base, unless --clock-control none was given."))
        self.sizes = [(what, of_file, here) for what, of_file, here in
                      (("grid", launch.grid, extent(row["parameters"].get("grid"))), ("block", launch.block, extent(row["parameters"].get("block"))))
                      if of_file and of_file != here]

    def outcome(self):
        return self.agree, tuple(self.sizes), tuple(self.differences)


def shown(value):
    return f"{value:.4g}" if isinstance(value, float) and not value.is_integer() else f"{int(value):,}"


def by(size):
    return "x".join(str(part) for part in size[:max([at + 1 for at in range(3) if size[at] != 1], default=1)])


def numbers(which):
    """"launch 3", "launches 1 to 5", "launches 1, 2, 7, ..."."""
    if len(which) == 1:
        return f"launch {which[0]}"
    if which == list(range(which[0], which[-1] + 1)):
        return f"launches {which[0]} to {which[-1]}"
    return "launches " + ", ".join(map(str, which[:5])) + (", ..." if len(which) > 5 else "")


def table_of(differences, reasons, width):
    """Lines: what, the GPU's, the CPU device's, how far apart, and which of the reasons; one below the other where the terminal is
    narrow."""
    cells = [("", "GPU", "CPU device", "", "why")]
    for what, gpu, cpu, why in differences:
        if why and why not in reasons:
            reasons.append(why)
        apart = "" if not cpu else f"{gpu / cpu:.0f} times" if gpu > 10 * cpu else f"{100 * (gpu - cpu) / cpu:+.1f} %"
        cells.append((what, shown(gpu), shown(cpu), apart, f"[{reasons.index(why) + 1}]" if why else ""))
    widths = [max(len(row[at]) for row in cells) for at in range(5)]
    if sum(widths) + 12 <= width:
        return [("    " + row[0].ljust(widths[0]) + "".join("  " + cell.rjust(wide) for cell, wide in zip(row[1:], widths[1:]))).rstrip()
                for row in cells]
    return [line for row in cells[1:] for line in (f"    {row[0]}", f"      GPU {row[1]}, CPU device {row[2]} {row[3]} {row[4]}".rstrip())]


def report(pairs, left, width):
    """All lines."""
    kernels = collections.defaultdict(list)
    for launch, row in pairs:
        kernels[launch.kernel].append((launch, row))
    lines, agreeing, reasons = [], 0, []
    for kernel, its in kernels.items():
        lines += ["", wrapped(kernel, width)]
        outcomes = collections.defaultdict(list)
        missing = []
        for at, (launch, row) in enumerate(its, 1):
            if row is None:
                missing.append(at)
            else:
                outcomes[Compared(launch, row).outcome()].append(at)
        for (agree, sizes, differences), which in outcomes.items():
            said = numbers(which)
            if not agree and not differences:
                lines.append(wrapped(f"{said}: the file has none of the metrics that can be compared.", width, "  "))
                continue
            if not differences:
                agreeing += len(which)
                how = f"all {agree} numbers agree" if agree > 1 else "the only common number agrees"
            else:
                how = f"{agree} of {agree + len(differences)} numbers agree"
            lines.append(wrapped(f"{said}: {how}.", width, "  "))
            for what, of_file, here in sizes:
                lines.append(wrapped(f"The {what} is {by(of_file)} in the file and {by(here)} here: give the program the same arguments, behind --.", width, "    "))
            if differences:
                lines += table_of([(*difference, None if sizes else why) for *difference, why in differences], reasons, width)
        if missing:
            lines.append(wrapped(f"{numbers(missing)}: the program launched it fewer times on the CPU device. Other arguments? A JSON "
                                 "written without --count all?", width, "  "))
    rest = collections.Counter(row["variant"] for row in left)
    if rest:
        some = ", ".join(f"{name} ({count})" for name, count in list(rest.items())[:5]) + (", ..." if len(rest) > 5 else "")
        lines += ["", wrapped(f"On the CPU device alone: {some.replace('‹', '<').replace('›', '>')}. ncu was told to skip launches (--launch-count, "
                              "--kernel-name), or they come later. Launches are paired in order.", width)]
    if reasons:
        lines += ["", "Usual reasons for the differences:"]
        lines += [textwrap.fill(why, width, initial_indent=f"{at:3} ", subsequent_indent="    ") for at, why in enumerate(reasons, 1)]
    return agreeing, lines


def rows_of_json(path):
    results = schema.load(path)
    rows = [row for row in results["rows"] if row["counts"] is not None and "grid" in row["parameters"]]
    with parsing(path):
        for row in rows:
            extent(row["parameters"]["grid"]), extent(row["parameters"].get("block"))
    if not rows:
        raise words.Refused(f"{words.quoted(path)} has no counted launches: ./run mine.cu --count all --json FILE writes them.")
    return rows


def rows_of_program(build, arguments):
    """Counts every launch of the reader's program; what it prints is shown only where it fails."""
    build.make_compiler(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "counts.json")
        own = arguments[:arguments.index("--")] if "--" in arguments else arguments
        options = [] if any(word.startswith("--count") for word in own) else ["--count", "all"]
        with open(Path(folder, "said"), "w+", encoding="utf-8", errors="replace") as said:
            status = call([build.directory / "compile_cuda", *options, "--json", path, *arguments], PATIENCE, stdout=said)
            if not path.exists():
                said.seek(0)
                shutil.copyfileobj(said, sys.stdout)
                how = "did not come to its end" if status is not None else f"was still running after {PATIENCE} s"
                raise words.Refused(f"there is nothing to compare: the program {how} on the CPU device. Without such a limit, ./run mine.cu "
                                    "--count all --json COUNTS.json counts, and ./run counters FILE.csv COUNTS.json compares.", status or 1)
        if not json.loads(path.read_text())["rows"]:
            raise words.Refused("there is nothing to compare: the program launched no kernel on the CPU device.")
        return rows_of_json(path)


def main(build, arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(f"{__doc__.strip()}\n\nThis requests all that is compared:\n\n    {COMMAND}")
        return 0 if arguments else 2
    table, *program = arguments
    if table.endswith(SOURCES):
        raise words.Refused(f"{words.quoted(table)} stands where the table of Nsight Compute should: ./run counters FILE.csv {table}.")
    launches = launches_of(table)
    if not program:
        raise words.Refused(f"./run counters {table} needs your program, as ./run counters {table} mine.cu -- ARGUMENTS, or the JSON of "
                            "./run mine.cu --count all --json FILE.")
    if len(program) == 1 and program[0].endswith(".json"):
        rows = rows_of_json(program[0])
    elif any(word.endswith(SOURCES) for word in program):
        rows = rows_of_program(build, program)
    else:
        raise words.Refused(f"{words.quoted(program[0])} is neither a program's source (.cu) nor a JSON of ./run mine.cu --json.")
    pairs, left = pairs_of(launches, rows)
    if not any(row for _, row in pairs):
        file = ", ".join(list(dict.fromkeys(name_of(launch.kernel)[0] for launch in launches))[:5])
        here = ", ".join(list(dict.fromkeys(name_of(row["variant"])[0] for row in rows))[:5])
        raise words.Refused(f"{words.quoted(table)} is of another program: it has launches of {file}, and here {here} are launched.")
    width = min(shutil.get_terminal_size((100, 40)).columns, 100)
    agreeing, lines = report(pairs, left, width)
    print(wrapped(f"{len(pairs)} launch{'es' * (len(pairs) != 1)} of {table} next to the CPU device: in {agreeing}, all that both have agrees.", width))
    print("\n".join(lines))
    if not any(launch.sum(names) is not None for launch, _ in pairs for names in COUNTS.values()):
        print("\n" + wrapped(f"The file has none of the counters that the CPU device counts. A run that has all: {COMMAND}", width))
    return 0
