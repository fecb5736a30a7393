"""A card file: the model's constants of one GPU, from what was measured on it.

    ./run calibrate [--error] [--output FILE] [FOLDER]

Without FOLDER the rows that constants come from are measured on this machine's GPU, which takes a minute; FOLDER
holds results of one GPU that are there already: files such as 21_latency.json. Prints each constant with its
spread, next to the H200's, and writes FILE (build/card.json), which `--card FILE` takes. With --error the chapters
are modelled with it on the CPU device and set against the measured rows that gave no constant, which takes minutes.

Each constant has a formula below, and what it comes from is in the file as its source. common/model/cards/h200.json tells
how the H200's were found. What no row determines is the base GPU's, scaled by clock, peak and L2: dimension_ns too, which
chapter 14 shows only next to a queue that is another one on each GPU.
"""

import argparse
import contextlib
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import typing

from tools.files import require_writable, write_whole
from tools.results import accuracy, cards
from tools.results.schema import load
from tools.words import Refused, quoted

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = 2
LARGEST = 2**28  # elements: of the sizes of a row, the largest that is no larger
# The GPU whose limits and remaining constants a GPU takes, by compute capability.
BASES = {"7.5": "t4", "8.0": "a100", "8.6": "rtx3090", "8.9": "rtx4090", "9.0": "h200", "10.0": "b200", "12.0": "rtx5090"}
# What is measured on a GPU: a chapter, its variants with all their rows (or the rows of a plain run) and its elements.
RUNS = (
    ("01", "basic", None), ("06", "word4 word8 word16", 2**18), ("08", "constant", None),
    ("10", "pinned_to_device pinned_to_host pageable_to_device pageable_to_host register unregister read_pinned "
           "read_write_combined", None),
    ("11", "mapped", 2**24), ("12", "explicit managed", 2**24), ("17", "gather", None), ("19", "copy_column", None),
    ("20", "tile_padded_down", None), ("21", "chase chase_shared", None), ("22", "", None),
    ("23", "launch copy_full copy_one_per_sm", None), ("24", "stream stream_l2 sectors_l2", None), ("25", "banks atomic", None))
SECONDS_OF_A_ROW = 0.1


def h200_constants():
    return {name: float(one["value"]) for name, one in cards.constants().items()}


class Missing(Exception):
    """What a record does not have, as a few words."""


class Record:
    """The results of one GPU: its cold rows by chapter, and what the GPU is."""

    def __init__(self, files):
        device = files[0]["device"]
        if any(results["device"]["backend"] != "gpu" or results.get("published") for results in files):
            raise Refused("a card file is made of a GPU's own times; these results were counted on the CPU device, or published.")
        self.files = files
        self.rows = [(results["chapter"][:2], row) for results in files for row in results["rows"]
                     if row.get("time_ms") and row["cache"] in ("cold", None) and not row["library"]
                     and row["verified"] is not False]
        names = {results["device"]["name"] for results in files}
        if len(names) > 1:
            raise Refused(f"these are results of {len(names)} GPUs, {' and '.join(sorted(names))}; a card file is of one.")
        self.name, self.capability = device["name"], device["compute_capability"]
        self.multiprocessors, self.l2_bytes, self.peak = device["multiprocessors"], device["l2_bytes"], device["peak_gb_per_s"]
        self.date = min(results["environment"]["date"] for results in files)[:10]
        clocks = [results["environment"].get("clocks") for results in files]
        ends = [end for clock in clocks if clock for end in (clock["before"], clock["after"]) if end]
        self.clock_mhz = max((end["sm_mhz"] for end in ends if end.get("sm_mhz")), default=None)
        self.memory_mhz = max((end["memory_mhz"] for end in ends if end.get("memory_mhz")), default=None)
        if not (self.multiprocessors and self.l2_bytes and self.peak and self.clock_mhz and self.memory_mhz):
            raise Refused("these results do not say how many SMs the GPU has, its L2, its peak or its clocks.")
        self.known = h200_constants()  # what has been derived so far
        self.used = {}  # by id, the rows whose times were requested
        self.moved = None  # one of them that is taken to have another time, and which

    def every(self, chapter, variant, **parameters):
        """The rows of a variant with these parameters."""
        found = [row for number, row in self.rows if number == chapter and row["variant"] == variant
                 and all(row["parameters"].get(name) == value for name, value in parameters.items())]
        if not found:
            told = " ".join(f"{name}={value}" for name, value in parameters.items())
            raise Missing(f"no row {variant} {told}".rstrip() + f" of chapter {chapter}")
        return found

    def all(self, chapter, variant, **parameters):
        """Those of one size: the largest up to LARGEST."""
        found = self.every(chapter, variant, **parameters)
        sizes = {row["parameters"]["n"] for row in found}
        size = max((n for n in sizes if n <= LARGEST), default=min(sizes))
        return [row for row in found if row["parameters"]["n"] == size]

    def one(self, chapter, variant, **parameters):
        return self.all(chapter, variant, **parameters)[0]

    def ns(self, row):
        """The time of a row, in nanoseconds."""
        self.used[id(row)] = row
        moved = self.moved and self.moved[0] is row
        return 1e6 * (self.moved[1] if moved else row["time_ms"]["median"])

    def kernel_ns(self, row):
        """Without what a launch takes in addition to its work."""
        return self.ns(row) - self.known["launch_ns"]

    def speed(self, chapter, variant, per_element=None, **parameters):
        """Bytes over time, of a row; of so many for each element."""
        row = self.one(chapter, variant, **parameters)
        return (per_element * row["parameters"]["n"] if per_element else row["bytes"]) / self.ns(row)

    # What several constants are made of.

    def rounds(self, row):
        """How often an SM has had all its blocks replaced: copy_full, and copies of as many threads."""
        parameters = row["parameters"]
        resident = parameters.get("warps", 64) * 32 // parameters["threads"]
        return parameters["n"] / parameters["threads"] / self.multiprocessors / resident

    def busy(self, row):
        """u / (1 - u) of DRAM."""
        used = row["bytes"] / self.kernel_ns(row) / self.peak
        if used >= 1:
            raise Missing(f"{row['variant']} moves more than the peak")
        return used / (1 - used)

    def alone(self, threads):
        """The life of a block that writes half of its bytes, without its load and the queue before DRAM."""
        row = self.one("23", "copy_one_per_sm", threads=threads)
        queue = (self.known["read_queue_ns"] + self.known["mixed_queue_ns"] / 4) * self.busy(row)
        return self.kernel_ns(row) / self.rounds(row) - queue - self.known["dram_ns"]

    def small_copy_us(self):
        """What a copy of 64 KiB takes more than its bytes, in the mean of both directions."""
        return statistics.mean(
            (self.ns(self.one("10", f"pinned_to_{to}", n=2**14)) - 2**16 / self.known[f"link_{way}_gb_per_s"]) / 1e3
            for to, way in (("device", "in"), ("host", "out")))

    def reads(self):
        """Rows of chapter 22, with 4 and 16 bytes per load, their parameters and how many rounds of loads they take."""
        for row in self.all("22", "read"):
            p = row["parameters"]
            resident = p["warps"] * 32 // p["threads"]
            yield row, p, row["bytes"] / p["width"] / (self.multiprocessors * resident * p["threads"] * p["loads"])

    def unloaded(self):
        """Latency and weight of the queue: a straight line through rounds of one load per thread over u / (1 - u)."""
        rounds = [(self.busy(row), self.kernel_ns(row) / rounds) for row, p, rounds in self.reads() if (p["width"], p["loads"]) == (4, 1)]
        if len(rounds) < 2:
            raise Missing("no two rows read with one load of 4 bytes of chapter 22")
        return statistics.linear_regression(*zip(*rounds))

    def hops(self, holds):
        """ns of a hop in chapter 21, of the tables that `holds` their bytes."""
        found = [self.ns(row) / row["operations"] for row in self.every("21", "chase", order="random") if holds(row["parameters"]["table"])]
        if not found:
            raise Missing("no row chase of that size of chapter 21")
        return found

    def around(self):
        """What a load takes longer than a hop: the instructions around it."""
        return self.known["dram_ns"] - self.hops(lambda table: table >= 2 * self.l2_bytes)[0]

    def stream(self, mix):
        row = self.one("24", "stream", mix=mix)
        return self.kernel_ns(row) / row["bytes"]

    def sector_ns(self, variant, **parameters):
        """Of those of 32 bytes that are wanted or touched."""
        row = self.one("24", variant, **parameters)
        touched = row["bytes"] / parameters.get("stored", 32)  # a store leaves the rest of its sector out
        return self.kernel_ns(row) / touched

    def packets(self):
        """ns of packets: four whole sectors, four written in part, one written in part."""
        column = self.one("19", "copy_column")
        return (*(4 * self.sector_ns("sectors_l2", stored=stored) for stored in (32, 4)),
                self.kernel_ns(column) / column["parameters"]["n"])

    def cycles(self, row):
        return self.kernel_ns(row) * self.multiprocessors * self.clock_mhz / 1e3

    def atomics(self, **parameters):
        row = self.one("25", "atomic", **parameters)
        return row["operations"] / self.kernel_ns(row)


def proportional(pairs):
    """The slope of the straight line through 0 that is nearest."""
    return sum(x * y for x, y in pairs) / sum(x * x for x, _ in pairs)


def faulting_out(r):
    managed, explicit = (r.one("12", name, phase="host_read") for name in ("managed", "explicit"))
    moved = 4 * managed["parameters"]["n"]
    return moved / (r.ns(managed) - r.ns(explicit) + moved / r.known["link_out_gb_per_s"])


def share_of_copy(name):
    """Two calls, a latency and a wait; how they share a copy's time is assumed as for the H200."""
    h200 = h200_constants()
    share = h200[name] / (2 * h200["call_us"] + h200["copy_latency_us"] + h200["wait_us"])
    return lambda r: r.small_copy_us() * share


def line_ns(r):
    longer = []
    for row, p, rounds in r.reads():
        count = p["loads"] * p["width"] // 4
        if p["warps"] == 8 and p["width"] in (4, 16) and 1 < count <= 16:
            queue = r.known["read_queue_ns"] * r.busy(row)
            longer.append((count - 1, r.kernel_ns(row) / rounds - queue - r.known["dram_ns"]))
    if not longer:
        raise Missing("no row read of several lines of chapter 22")
    return proportional(longer)


def l2_ns(r):
    rest = r.around()
    return [hop + rest for hop in r.hops(lambda table: 2**20 <= table <= 0.6 * r.l2_bytes)]


def l1_ns(r):
    shared, rest = r.one("21", "chase_shared"), r.around()
    return [r.hops(lambda table: table <= 2**14)[0] + rest, r.ns(shared) / shared["operations"] + rest]


def launch_ns(r):
    return [r.ns(row) - r.known["block_ns"] - r.known["dram_ns"] for name in ("word4", "word8", "word16")
            for row in r.all("06", name, unit=1, n=2**18)]


def launch_rate(r):
    return [row["operations"] / r.kernel_ns(row) for threads in (64, 256) for row in r.all("23", "launch", threads=threads)]


def mixed_queue_ns(r):
    row = r.one("23", "copy_full", threads=256)
    wavefronts = 3 * 8 / (r.clock_mhz / 1e3)
    waited = r.kernel_ns(row) / r.rounds(row) - r.known["block_ns"] - r.known["dram_ns"] - wavefronts
    return 4 * (waited / r.busy(row) - r.known["read_queue_ns"])


def rw_turnaround(r):
    lost = []
    for mix in ("3:1", "2:1", "2:2", "1:1", "1:2", "1:3"):
        reading, writing = map(int, mix.split(":"))
        written = writing / (reading + writing)
        share = written * min(written, (1 - written) / (1 - r.known["turn_most"]) * r.known["turn_most"])
        lost.append((share, r.stream(mix) * r.known["dram_rate"] - 1))
    return proportional(lost)


def row_open_bytes(r):
    tiles = [row for row in r.every("20", "tile_padded_down") if row["parameters"]["rows"] == row["parameters"]["columns"]]
    if not tiles:
        raise Missing("no square tile_padded_down of chapter 20")
    longer = r.kernel_ns(tiles[0]) / tiles[0]["bytes"] / r.stream("1:1")
    # An index of 4 bytes, a result of 4, and 64 from anywhere: two sectors, for each of which a row is opened.
    gather = r.one("17", "gather", element_bytes=4, indices="random")
    moved, opened = 72, 2
    slower = r.kernel_ns(gather) / gather["parameters"]["n"] * r.known["dram_rate"] / moved
    return [128 * (longer - 1), moved / opened * (slower - 1)]


def l2_partial(r):
    whole, part, _ = r.packets()
    return (part - whole) / 4


def l2_write(r):
    _, part, one = r.packets()
    return (part - one) / 3 - r.known["l2_partial"]


def lsu_rate(r):
    row = r.one("25", "banks", degree=32)
    return 32 * row["operations"] / r.cycles(row)


def constant_rate(r):
    row = r.one("08", "constant", wanted=32)
    return row["parameters"]["n"] / 32 * (32 + 2) / r.cycles(row)


SHARED = "chapter 10: a copy of 64 KiB, pinned, less its bytes; shared among calls and latencies as on the H200"
# Each constant, what it comes from, and its formula: the link and the host; loads; blocks; DRAM; L2; other units.
FORMULAS = (
    ("memory_gb_per_s", "chapter 01, basic: its bytes over its time", lambda r: r.speed("01", "basic")),
    ("link_in_gb_per_s", "chapter 10, pinned_to_device: the largest copy", lambda r: r.speed("10", "pinned_to_device")),
    ("link_out_gb_per_s", "chapter 10, pinned_to_host: the largest copy", lambda r: r.speed("10", "pinned_to_host")),
    ("staged_in_gb_per_s", "chapter 10, pageable_to_device: the largest copy", lambda r: r.speed("10", "pageable_to_device")),
    ("staged_out_gb_per_s", "chapter 10, pageable_to_host: the largest copy", lambda r: r.speed("10", "pageable_to_host")),
    ("page_locking_gb_per_s", "chapter 10, register: the largest", lambda r: r.speed("10", "register")),
    ("page_unlocking_gb_per_s", "chapter 10, unregister: the largest", lambda r: r.speed("10", "unregister")),
    ("host_gb_per_s", "chapter 10, read_pinned", lambda r: r.speed("10", "read_pinned")),
    ("host_write_combined_gb_per_s", "chapter 10, read_write_combined", lambda r: r.speed("10", "read_write_combined")),
    ("mapped_in_gb_per_s", "chapter 11, mapped, one pass: two inputs over the time", lambda r: r.speed("11", "mapped", 8, passes=1)),
    ("faulting_in_gb_per_s", "chapter 12, managed, kernel: three arrays over the time",
     lambda r: r.speed("12", "managed", 12, phase="kernel")),
    ("faulting_out_gb_per_s", "chapter 12, host_read: what managed takes longer than explicit, with its copy back", faulting_out),
    *((name, SHARED, share_of_copy(name)) for name in ("copy_latency_us", "launch_latency_us", "call_us", "wait_us")),
    ("dram_ns", "chapter 22, one load of 4 bytes per thread: a round, where DRAM has no queue", lambda r: r.unloaded().intercept),
    ("read_queue_ns", "chapter 22, the same: how a round grows with u / (1 - u)", lambda r: r.unloaded().slope),
    ("line_ns", "chapter 22, 8 warps: what each further line of a round adds", line_ns),
    ("l2_ns", "chapter 21, chase: tables of 1 MiB and more that the L2 holds, and what a load from DRAM takes longer than a hop", l2_ns),
    ("l1_ns", "chapter 21, chase in the smallest table and chase_shared, likewise", l1_ns),
    ("launch_ns", "chapter 06: copies of 262,144 bytes, less the lifetime of a block", launch_ns),
    ("launch_rate", "chapter 23, launch: blocks of 64 and 256 threads", launch_rate),
    ("block_ns", "chapter 23, copy_one_per_sm: a block of 8 warps, less its load", lambda r: r.alone(256)),
    ("warp_ns", "chapter 23, copy_one_per_sm: 32 warps and 8", lambda r: (r.alone(1024) - r.alone(256)) / 24),
    ("mixed_queue_ns", "chapter 23, copy_full: a block of 8 warps among 8, less its own life and its wavefronts", mixed_queue_ns),
    ("dram_rate", "chapter 24, stream: reads alone", lambda r: 1 / r.stream("4:0")),
    ("rw_turnaround", "chapter 24, stream: what mixes lose", rw_turnaround),
    ("row_open_bytes", "chapter 20, tile_padded_down: rows of 128 bytes, next to stream 1:1; chapter 17, gather from anywhere", row_open_bytes),
    ("l2_return", "chapter 24, stream_l2: reads alone", lambda r: r.sector_ns("stream_l2", mix="2:0")),
    ("l2_partial", "chapter 24, sectors_l2: packets of four sectors in part, and whole ones", l2_partial),
    ("l2_write", "chapter 24, sectors_l2, and 19, copy_column: packets of four sectors and of one", l2_write),
    ("l2_packet", "chapter 19, copy_column: a packet of one sector, less its sector",
     lambda r: r.packets()[2] - r.known["l2_write"] - r.known["l2_partial"]),
    ("lsu_rate", "chapter 25, banks: 32 wavefronts per load", lsu_rate),
    ("constant_rate", "chapter 08, constant: 32 words wanted, and two parameters per warp", constant_rate),
    ("slice_atomics", "chapter 25, atomic: one counter", lambda r: r.atomics(counters=1)),
    ("atomics", "chapter 25, atomic: 1,048,576 counters at random", lambda r: r.atomics(counters=2**20, order="random")),
)


# --- all of them -------------------------------------------------------------------------------------


class Constant(typing.NamedTuple):
    value: float
    spread: float  # half of what it may be off, as a share of the value
    source: str
    rows: list  # that it was made of


def middle(values):
    return statistics.median(values) if isinstance(values, list) else values


def spread(record, function, value):
    """What intervals of rows and what several rows make of a constant, whichever is more: half the range, as a share."""
    values = function(record)
    off = [(max(values) - min(values)) / 2 if isinstance(values, list) else 0, 0]
    for row in list(record.used.values()):
        found = []
        for end in row["time_ms"].get("interval") or ():
            record.moved = row, end
            found.append(middle(function(record)))
        record.moved = None
        if found:
            off[1] = math.hypot(off[1], (max(found) - min(found)) / 2)
    return max(off) / value


def derive(record):
    """(constants by name, reasons of those that no row gives). Some need each other: so thrice, the first time with the
    H200's."""
    for _ in range(3):
        found, missing = {}, {}
        for name, source, function in FORMULAS:
            record.used = {}
            try:
                value = middle(function(record))
                if not (math.isfinite(value) and value > 0):
                    raise Missing(f"the rows give {value:.3g}")
                record.known[name] = value
                found[name] = Constant(value, spread(record, function, value), source, list(record.used.values()))
            except (Missing, ZeroDivisionError) as error:
                missing[name] = str(error)
    missing.update((name, "no row yields it") for name in record.known if name not in found and name not in missing)
    return found, missing


def card_file(record, found):
    base = BASES.get(record.capability, "h200")
    limits = {"multiprocessors": record.multiprocessors, "l2_bytes": record.l2_bytes,
              "clock_khz": 1000 * record.clock_mhz, "memory_clock_khz": 1000 * record.memory_mhz,
              "memory_bus_bits": round(record.peak * 8e3 / (2 * record.memory_mhz))}
    basis = f"calibrated on {record.name}, {record.date}; the rest is taken from {cards.card(base)['name']}"
    return {"schema": SCHEMA, "name": f"{record.name} (calibrated)", "basis": basis, "doubt": doubt(record), "base": base, "limits": limits,
            "constants": {name: {"value": round_to(one.value, 4), "spread": round_to(one.spread, 2), "source": one.source}
                          for name, one in found.items()}}


def doubt(record, error=None):
    """How far off the times of the GPU are, as its file says it: not compared so far, or by the "error" of the file."""
    told = "The model's error was not measured: run ./run calibrate --error."
    if error:
        told = (f"Error for {error['rows']} of the book's rows not used to calibrate it: half within {error['median']:.1%}, "
                f"90% within {error['ninth_decile']:.1%}.").replace("%", " %")
    return f"Calibrated on {record.name}, {record.date}. {told}"


def round_to(value, digits):
    return float(f"{value:.{digits}g}")


def read_folder(folder):
    paths = sorted(pathlib.Path(folder).glob("[0-9][0-9]_*.json"))
    if not paths:
        raise Refused(f"{folder} has no results: files such as 21_latency.json.")
    return Record([load(path) for path in paths])


def table(found, missing):
    h200 = h200_constants()
    lines = [f"{'constant':30} {'value':>9} {'spread':>8} {'H200':>9}  from"]
    lines += [f"{name:30} {one.value:>9.4g} {one.spread:>8.1%} {h200[name]:>9.4g}  {one.source}" for name, one in found.items()]
    lines += [f"{name:30} {'':>9} {'':>8} {h200[name]:>9.4g}  taken over: {why}" for name, why in missing.items()]
    return "\n".join(lines)


# --- its own error -----------------------------------------------------------------------------------


def data_sheet(record):
    """That of them which has the name of the record's GPU, or None: "rtx4090" of "NVIDIA GeForce RTX 4090"."""
    words = re.split("[ -]", record.name.lower())
    parts = {*words, *("".join(two) for two in zip(words, words[1:]))}
    return next((option for option in cards.options() if option in parts), None)


def run(program, *options):
    """Runs a chapter, without its table; Refused with its status where it fails."""
    done = subprocess.run([program, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise Refused(f"{program.name} ended with status {done.returncode}: {done.stderr.strip()[-300:]}", done.returncode)


def own_errors(record, found, programs, card):
    """The accuracy.Errors, as factors, of a GPU over the large rows that gave no constant of it; None if there are none."""
    used = {id(row) for one in found.values() for row in one.rows}
    chosen = []
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            path = pathlib.Path(folder) / f"{program.name}.json"
            run(program, "--card", card, "--json", path)
            results = accuracy.load(path)
            measured = next(one for one in record.files if one["chapter"] == results["chapter"])
            others = {**measured, "rows": [row for row in measured["rows"] if row["time_ms"] and id(row) not in used]}
            chosen += [row for row in accuracy.joined(results, others) if row.large]
    return accuracy.errors(chosen)


def tell_errors(build, record, found, output):
    """Models all chapters of the record on the GPU and, where the book knows one of its name, on that: the errors by
    their names in the file."""
    chapters = [results["chapter"] for results in record.files if (ROOT / "chapters" / results["chapter"]).is_dir()]
    build.make("the chapters", *chapters)
    programs = [build.bin / name for name in chapters]
    told = []
    for card in filter(None, (str(output), data_sheet(record))):
        seen = own_errors(record, found, programs, card)
        if not seen:
            raise Refused("--error needs rows of the reference's sizes, and these results have none.")
        print(f"--card {card}: error for {seen.rows} rows not used to calibrate: half within a factor of {seen.median:.3f}, 90 % within "
              f"{seen.ninth_decile:.3f}.", flush=True)
        told.append({"rows": seen.rows, "median": round_to(seen.median - 1, 3), "ninth_decile": round_to(seen.ninth_decile - 1, 3)})
    return dict(zip(("error", "error_of_data_sheet"), told))


# --- the command -------------------------------------------------------------------------------------


def measure(build, folder):
    """Runs what constants come from on this machine's GPU; the results go to the folder."""
    names = {name[:2]: name for name in (path.name for path in ROOT.glob("chapters/[0-9][0-9]_*/"))}
    build.make("the chapters that constants come from", *(names[number] for number, *_ in RUNS))
    folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    for number, variants, n in RUNS:
        print(f"\rMeasuring: chapter {number} ", end="", file=sys.stderr, flush=True)
        run(build.bin / names[number], "--json", folder / f"{names[number]}.json", "--cache", "cold",
            "--max-time", str(SECONDS_OF_A_ROW), *(["--n", str(n)] if n else []),
            *(word for variant in variants.split() for word in ("--variant", variant)))
    print(f"\rMeasured in {time.monotonic() - started:.0f} s.     ", file=sys.stderr)


def main(build, arguments):
    """`build` makes a Build of "cpu" or "gpu"."""
    parser = argparse.ArgumentParser(prog="./run calibrate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--error", action="store_true")
    parser.add_argument("--output", metavar="FILE", type=pathlib.Path, default=ROOT / "build/card.json")
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path, nargs="?")
    options = parser.parse_args(arguments)
    if "/" not in str(options.output) and options.output.suffix != ".json":
        raise Refused(f"--output is {quoted(str(options.output))}: the name of a card file ends in .json, or --card takes it for a GPU.")
    folder = options.folder
    with contextlib.suppress(OSError):  # it is refused below
        options.output.parent.mkdir(parents=True, exist_ok=True)
    require_writable(options.output, folder.glob("*") if folder else ())
    if folder is None:
        gpu = build("gpu")
        folder = gpu.directory / "calibration"
        measure(gpu, folder)
    record = read_folder(folder)
    found, missing = derive(record)
    if not found:
        raise Refused(f"no row of {folder} yields a constant: {next(iter(missing.values()))}.")
    content = card_file(record, found)
    print(f"{record.name}, {record.date}: {len(found)} constants measured, {len(missing)} taken from the H200.\n{table(found, missing)}", flush=True)

    def write():
        write_whole(options.output, json.dumps(content, indent=1) + "\n")

    write()
    if options.error:
        content |= tell_errors(build("cpu"), record, found, options.output)
        content["doubt"] = doubt(record, content["error"])
        write()
    print(f"\nWritten: {options.output}. Its times: ./run 05 --device cpu --card {options.output}\n"
          f"To send it in, attach it and {folder} to an issue.")
    return 0
