#!/usr/bin/env python3
"""How far the modelled times and caches are from what was measured, row by row.

    accuracy.py RESULTS [CPU]

RESULTS is a folder like book/results: the modelled rows come from its cpu/ (or from the folder CPU),
the measured times and hardware counters from its nvidia-h200/. Prints the errors by chapter and by
limit, the wrong orders, the worst rows, and the cache figures; exit status 1 where the goal is missed.
"""

import collections
import dataclasses
import json
import math
import pathlib
import sys

CARD = "nvidia-h200"
LEAST_N = 2**26  # elements: below, a launch is mostly its own overhead
# Chapters whose rows the constants of common/measure/machine.cpp were fitted on. The others played
# no part.
FITTED = ("03", "07", "08", "12", "16", "17")
# The goal: shares of the measured time, and how far apart two times must be for their order to count.
MEDIAN, NINTH_DECILE, APART = 0.05, 0.15, 1.15
# The goal of the cache figures: sectors and bytes that may differ, and the share of rows that keeps it.
SECTORS, DRAM, ROWS = 0.05, 0.10, 0.95

# What the size of a problem or the compiler of a card decides tells no rows apart.
SCALED = ("n", "rows", "columns")
DEVICE_OWN = ("registers", "local_bytes", "constant_bytes", "shared_bytes")


def load(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def identity(row):
    """A row's variant and parameters, but for its size and what a card's compiler made of it."""
    return (row["variant"], tuple(sorted(
        (name, value) for name, value in row["parameters"].items()
        if name not in (*SCALED, *DEVICE_OWN) and not isinstance(value, float))))


def label(row):
    """`naive_row (threads 256, block 32x8)`: a row's variant and parameters, without its size."""
    words = ", ".join(f"{name} {value}" for name, value in identity(row)[1])
    return f"{row['variant']} ({words})" if words else row["variant"]


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
    bytes: int
    measured_ms: float
    modelled: dict

    @property
    def error(self):
        """Modelled over measured, less 1."""
        return self.modelled["ms"] / self.measured_ms - 1

    @property
    def limit(self):
        return self.modelled["limited_by"]

    @property
    def fitted(self):
        return self.chapter[:2] in FITTED


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
                and other and row["parameters"]["n"] >= LEAST_N):
            yield Row(measured["chapter"], label(row), row["parameters"]["n"], row["bytes"],
                      row["time_ms"]["median"], other["modelled"])


def rows(results, cpu=None):
    """All rows of all chapters, in order."""
    found = []
    for path in sorted(pathlib.Path(cpu or pathlib.Path(results) / "cpu").glob("[0-9][0-9]_*.json")):
        measured = pathlib.Path(results) / CARD / path.name
        if measured.exists():
            found += joined(load(path), load(measured))
    return found


@dataclasses.dataclass(frozen=True)
class Errors:
    """Of a group of rows, as shares of the measured times."""

    rows: int
    median: float
    ninth_decile: float  # nine of ten rows are no farther off
    largest: float

    @property
    def good(self):
        return self.median <= MEDIAN and self.ninth_decile <= NINTH_DECILE


def errors(chosen):
    """The Errors of some rows; None if there are none."""
    off = sorted(abs(row.error) for row in chosen)
    if not off:
        return None
    return Errors(len(off), *(off[math.ceil(share * len(off)) - 1] for share in (0.5, 0.9, 1)))


def grouped(chosen, key):
    """The Errors by what `key` says of a row, sorted."""
    groups = collections.defaultdict(list)
    for row in chosen:
        groups[key(row)].append(row)
    return {name: errors(group) for name, group in sorted(groups.items())}


def wrong_orders(chosen):
    """Pairs (slow, fast) of a chapter, with as many elements and bytes, whose measured times differ by
    more than 15 % and which the model has the wrong way round, or alike."""
    return [(slow, fast) for slow in chosen for fast in chosen
            if (slow.chapter, slow.n, slow.bytes) == (fast.chapter, fast.n, fast.bytes)
            and slow.measured_ms > APART * fast.measured_ms
            and slow.modelled["ms"] <= fast.modelled["ms"]]


def worst(chosen, count=10):
    return sorted(chosen, key=lambda row: -abs(row.error))[:count]


def missed(chosen):
    """Why the goal is not met, a sentence each."""
    reasons = []
    for name, group in (("all rows", chosen),
                        ("the rows that played no part", [r for r in chosen if not r.fitted])):
        found = errors(group)
        if found is None:
            reasons.append(f"Of {name} there are none.")
        elif not found.good:
            reasons.append(f"Of {name} the median error is {found.median:.1%} (goal {MEDIAN:.0%}), nine of "
                           f"ten are within {found.ninth_decile:.1%} (goal {NINTH_DECILE:.0%}).")
    reasons += [f"In {slow.chapter}, {slow.label} is slower than {fast.label} "
                f"({slow.measured_ms:.4g} and {fast.measured_ms:.4g} ms), and the model has it as "
                f"{slow.modelled['ms']:.4g} and {fast.modelled['ms']:.4g}."
                for slow, fast in wrong_orders(chosen)]
    return reasons
