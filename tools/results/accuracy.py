"""How far the modelled times and caches are from what was measured. Of times as factors: 1.2 is a fifth too long, or as
much too short. The modelled rows are in book/results/cpu, the measured times and hardware counters in nvidia-h200 next to it.

    python3 -m tools.results.accuracy >common/model/model_errors.inc

writes the errors by class, for the programs that show modelled times.
"""

import dataclasses
import json
import math
import pathlib
import statistics

ROOT = pathlib.Path(__file__).resolve().parents[2]
CARD = "nvidia-h200"
# Bytes that a task moves, below which a launch is small: much of its time is what a launch takes in addition to its work. Small
# launches are a class of their own.
LARGE = 2**25
# The goal of the cache figures: by how much sectors and bytes may differ.
SECTORS, DRAM = 0.05, 0.10
# Below that share of the bytes that DRAM reads, a figure says nothing of the kernel.
NEGLIGIBLE = 0.02
SMALL = "small_launches.json"

# What the size of a problem or the compiler of a GPU decides tells no rows apart.
SCALED = ("n", "rows", "columns")
DEVICE_OWN = ("registers", "local_bytes", "constant_bytes", "shared_bytes")


def load(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def identity(row):
    """A row's variant and parameters, but for its size and what a GPU's compiler made of it."""
    return (row["variant"], tuple(sorted(
        (name, value) for name, value in row["parameters"].items()
        if name not in (*SCALED, *DEVICE_OWN) and not isinstance(value, float))))


def label(row):
    """`naive_row (threads 256, block 32x8)`: a row's variant and parameters, without its size; of a
    matrix that is no square its sides."""
    parameters = row["parameters"]
    words = [f"{name} {value}" for name, value in identity(row)[1]]
    if {"rows", "columns"} <= parameters.keys() and parameters["rows"] != parameters["columns"]:
        words.append(f"{parameters['rows']}x{parameters['columns']}")
    return f"{row['variant']} ({', '.join(words)})" if words else row["variant"]


def has_model(row):
    """True if the row is a kernel's and the model has a time for it."""
    modelled = row.get("modelled")
    return bool(modelled and modelled.get("limited_by") and modelled.get("ms"))


# --- times -----------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Row:
    """A cold kernel row with a measured time, and what the model says of it."""

    chapter: str
    label: str
    n: int
    bytes: int  # that the task moves, each input and output once
    measured_ms: float
    modelled: dict

    @property
    def modelled_ms(self):
        return self.modelled["ms"]

    @property
    def large(self):
        return self.bytes >= LARGE


def joined(modelled, measured):
    """The rows of a chapter that have both: same variant and parameters, same number of elements."""
    found = {}
    for row in modelled["rows"]:
        if has_model(row):
            key = identity(row), row["modelled"]["n"]
            if found.setdefault(key, row)["modelled"]["ms"] != row["modelled"]["ms"]:
                raise ValueError(f"{modelled['chapter']} has two rows {label(row)} with "
                                 f"{row['modelled']['n']} elements, whose modelled times differ.")
    for row in measured["rows"]:
        other = found.get((identity(row), row["parameters"].get("n")))
        if (row["cache"] == "cold" and not row["library"] and row["verified"] is not False
                and other):
            yield Row(measured["chapter"], label(row), row["parameters"]["n"], row["bytes"],
                      row["time_ms"]["median"], other["modelled"])


def all_rows(results):
    """All rows of all chapters, in order. One that several chapters show was measured once and counts once."""
    found, seen = [], set()
    for path in sorted((pathlib.Path(results) / "cpu").glob("[0-9][0-9]_*.json")):
        measured = pathlib.Path(results) / CARD / path.name
        if measured.exists():
            found += [row for row in joined(load(path), load(measured)) if (row.label, row.measured_ms) not in seen]
            seen = {(row.label, row.measured_ms) for row in found}
    return found


def rows(results):
    """The large ones of all_rows()."""
    return [row for row in all_rows(results) if row.large]


def small_rows(results):
    """The small launches: those of all_rows(), and of small_launches.json the chapters' at sizes that were measured and
    that no chapter is modelled at."""
    found = [row for row in all_rows(results) if not row.large]
    for modelled in load(pathlib.Path(results) / "cpu" / SMALL)["chapters"]:
        measured = load(pathlib.Path(results) / CARD / f"{modelled['chapter']}.json")
        found += [row for row in joined(modelled, measured) if not row.large]
    return list({(row.chapter, row.label, row.n): row for row in found}.values())


@dataclasses.dataclass(frozen=True)
class Errors:
    """Of a group of rows: by what factor the modelled time is too long, or too short."""

    rows: int
    median: float
    ninth_decile: float  # nine of ten rows are no farther off
    largest: float


def errors(chosen):
    """The Errors of some rows; None if there are none."""
    off = sorted(max(row.modelled_ms / row.measured_ms, row.measured_ms / row.modelled_ms) for row in chosen)
    if not off:
        return None
    return Errors(len(off), statistics.median(off), off[math.ceil(0.9 * len(off)) - 1], off[-1])


# --- caches ----------------------------------------------------------------------------------------

# What the L2 keeps of what passes through it, in bytes: what is written and still there at the end of
# a launch is in no counter, and a smaller share of a larger launch. (cache_model.cpp has the same.)
L2_HOLDS = 39e6
LEAST_BYTES = 2**27  # a task moves: twice the L2, and more
FIGURES = ("l1_hit_sectors", "l2_read_sectors", "l2_write_sectors", "dram_bytes_read", "dram_bytes_written")


@dataclasses.dataclass(frozen=True)
class CacheRow:
    """A kernel row's cache figures, modelled and counted by a GPU, at the modelled size."""

    chapter: str
    label: str
    name: str  # of KNOWN
    modelled: dict
    counted: dict
    loaded: float  # sectors that loads ask L1 for

    def error(self, figure):
        """Modelled over counted, less 1; of L1 hits, the difference as a share of what is loaded."""
        modelled, counted = self.modelled[figure], self.counted[figure]
        if figure == "l1_hit_sectors":
            return (modelled - counted) / self.loaded if self.loaded else 0
        return modelled / counted - 1 if counted else 0 if not modelled else math.inf

    def share(self, figure):
        """The larger of the two, of the bytes that DRAM reads. More than the L2 was given to write, DRAM does not write
        for this kernel: the one before has left it there."""
        unit, counted = 1 if figure.startswith("dram") else 32, self.counted[figure]
        if figure == "dram_bytes_written":
            counted = min(counted, 32 * self.counted["l2_write_sectors"])
        return unit * max(self.modelled[figure], counted) / self.counted["dram_bytes_read"]

    def negligible(self, figure):
        """Next to nothing of what is moved: a reduction writes some words."""
        return self.share(figure) < NEGLIGIBLE

    def off(self, figure):
        """True of a figure that is farther off than the goal allows."""
        return abs(self.error(figure)) > (DRAM if figure.startswith("dram") else SECTORS)

    @property
    def beyond(self):
        """The figures that are too far off; not those that are almost nothing of what is moved."""
        return [figure for figure in FIGURES if not self.negligible(figure) and self.off(figure)]


def kept_dirty(read, written):
    """Bytes that are in the L2 at the end of a launch and have yet to be written, by what DRAM saw."""
    kept = 0
    for _ in range(50):  # it is part of what has passed
        passed = read + written + kept
        kept = L2_HOLDS * (written + kept) / passed if passed else 0
    return kept


def found_at_random(row):
    """Bytes of a table read at random that were in the L2: of one so many times as large it is so much smaller a share
    that is there, of so many times as many reads, and so as much that is found."""
    if row["parameters"].get("indices") != "random":
        return 0
    return max(0, 32 * row["hardware"]["l2_read_sectors"] - row["hardware"]["dram_bytes_read"])


def scaled(row, factor):
    """The counters of a launch that is so many times as large, as `modelled` calls them."""
    hardware = row["hardware"]
    read, written = hardware["dram_bytes_read"], hardware["dram_bytes_written"]
    kept = kept_dirty(read, written)
    found = found_at_random(row)
    return {"l1_hit_sectors": factor * hardware["l1_load_hit_sectors"],
            "l2_read_sectors": factor * hardware["l2_read_sectors"],
            "l2_write_sectors": factor * hardware["l2_write_sectors"],
            "dram_bytes_read": factor * (read + found) - found,
            "dram_bytes_written": max(0, factor * (written + kept) - kept)}


def shape(row):
    """What tells matrices of one number of elements apart: which side is the longer, by how much."""
    rows, columns = (row["parameters"].get(name) for name in ("rows", "columns"))
    if rows is None or columns is None:
        return None
    return (columns > rows) - (columns < rows), columns > 4 * rows


def counters(results):
    """The rows of counters.json. One that several chapters show was counted once and counts once."""
    found = {}
    for row in load(pathlib.Path(results) / CARD / "counters.json")["rows"]:
        found.setdefault((row["large"], label(row), row["parameters"].get("n"), json.dumps(row["hardware"])), row)
    return list(found.values())


def cache_rows(results):
    """All rows with counters of a large launch and a modelled one that is larger than the L2."""
    counted = [row for row in counters(results) if row["large"] and not row["library"] and row["kernels"] == 1]
    found = []
    for path in sorted((pathlib.Path(results) / "cpu").glob("[0-9][0-9]_*.json")):
        modelled = load(path)
        for row in (row for row in counted if row["chapter"] == modelled["chapter"]):
            n = row["parameters"]["n"]
            same = [other for other in modelled["rows"] if has_model(other)
                    and (identity(other), shape(other)) == (identity(row), shape(row))
                    and other["bytes"] / other["parameters"]["n"] * other["modelled"]["n"] >= LEAST_BYTES]
            if not same:
                continue
            other = min(same, key=lambda other: abs(math.log(other["modelled"]["n"] / n)))
            factor = other["modelled"]["n"] / n
            found.append(CacheRow(row["chapter"], label(row), f"{row['chapter']} {row['variant']}",
                                  other["modelled"], scaled(row, factor),
                                  factor * row["counts"]["load_sectors"]))
    return found


# --- kernels that the model had never seen ----------------------------------------------------------

# The newest set of kernels by people who had not seen the model, and what it said of them when it first saw them: kept for
# good, whatever a later model says.
UNSEEN = "fieldwork"


def unseen(results, model="modelled_ms"):
    """(its kernels that had a time by that model, how many had none)"""
    rows = load(pathlib.Path(results) / "held_out" / f"{UNSEEN}.json")["rows"]
    timed = [row for row in rows if row[model]]
    return [Row(UNSEEN, row["kernel"], None, row["bytes"], row["measured_ms"], {"ms": row[model]}) for row in timed], len(rows) - len(timed)


# --- the report ------------------------------------------------------------------------------------


def classes(results):
    """The Errors of each class of times, and how many kernels of it had none."""
    kernels, refused = unseen(results)
    return {"book": (errors(rows(results)), 0), "book_small": (errors(small_rows(results)), 0),
            "unseen": (errors([row for row in kernels if row.large]), refused),
            "unseen_small": (errors([row for row in kernels if not row.large]), 0)}


def error_table(results):
    """The errors by class, as common/model/model_errors.inc has them."""
    return "// By tools/results/accuracy.py: class, factors of the median and of nine in ten.\n" + "".join(
        f"{{Kernels::{name}, {found.median:.3f}, {found.ninth_decile:.3f}}},\n"
        for name, (found, _) in classes(results).items())


if __name__ == "__main__":
    print(error_table(ROOT / "book" / "results"), end="")
