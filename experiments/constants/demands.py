#!/usr/bin/env python3
"""What the measured rows ask of a GPU, which all errors of the time model are worked out from.

    python3 -m experiments.constants.demands [H100]

                        writes tests/model/demands.csv anew: the book's rows from book/results/cpu, the kernels of
                        book/results/held_out, and the H100's rows from the folder H100, into which the chapters
                        have written with --card h100; without it those that the file has
"""

import pathlib
import sys

from tools.files import write_whole
from tools.results import accuracy

FILE = accuracy.ROOT / "tests/model/demands.csv"
CARDS = {"h200": accuracy.CARD, "h100": "nvidia-h100-80gb-hbm3"}


def book_rows(results, name, cpu):
    seen = set()  # one that several chapters show was measured once and counts once
    for path in sorted(pathlib.Path(cpu).glob("[0-9][0-9]_*.json")):
        measured = results / CARDS[name] / path.name
        if measured.exists():
            for row in accuracy.joined(accuracy.load(path), accuracy.load(measured)):
                if (row.label, row.measured_ms) in seen:
                    continue
                seen.add((row.label, row.measured_ms))
                yield name, f"{row.chapter[:2]} {row.label} n={row.n}", row.bytes, row.measured_ms, row.modelled.get("demands", [])


def blind_rows(results):
    for path in sorted((results / "held_out").glob("*.json")):
        for row in accuracy.load(path).get("rows", []):
            yield path.stem, row["kernel"], row.get("bytes", 0), row["measured_ms"], row.get("demands", [])


def main(results, h100=None):
    rows, fields = {}, []
    for part in (book_rows(results, "h200", results / "cpu"), blind_rows(results), book_rows(results, "h100", h100) if h100 else ()):
        for name, row, size, ms, demands in part:
            if demands:
                fields = fields or list(demands[0])
                rows.setdefault((name, row, ms), [[name, row, size, ms, *(f"{one[field]:.10g}" for field in fields)] for one in demands])
    kept = [] if h100 else [line for line in FILE.read_text(encoding="utf-8").splitlines() if line.startswith("h100;")]
    lines = [";".join(map(str, line)) for row in rows.values() for line in row]
    write_whole(FILE, "\n".join([";".join(["set", "name", "bytes", "measured_ms", *fields]), *lines, *kept]) + "\n")


if __name__ == "__main__":
    main(accuracy.ROOT / "book/results", *sys.argv[1:2])
