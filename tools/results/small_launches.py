#!/usr/bin/env python3
"""What the model says of small launches that were measured, and at whose sizes no chapter is modelled.

    small_launches.py BUILD     models them again, with the chapters in BUILD/bin: writes
                                book/results/cpu/small_launches.json

Launches are small that move less than accuracy.LARGE bytes: mostly they take what a launch takes in addition to its work.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from tools.files import write_whole
from tools.results import accuracy


def wanted(results):
    """(chapter, n) of each measured small launch of a variant that has a model, in order."""
    found = set()
    for path in sorted((results / "cpu").glob("[0-9][0-9]_*.json")):
        measured = results / accuracy.CARD / path.name
        if not measured.exists():
            continue
        modelled = {accuracy.identity(row): row["modelled"]["n"] for row in accuracy.load(path)["rows"]
                    if accuracy.has_model(row)}
        found |= {(path.stem, row["parameters"]["n"]) for row in accuracy.load(measured)["rows"]
                  if row["cache"] == "cold" and not row["library"] and row["bytes"] < accuracy.LARGE
                  and modelled.get(accuracy.identity(row), row["parameters"]["n"]) != row["parameters"]["n"]}
    return sorted(found)


def record(build, results):
    """Runs the chapters at those sizes."""
    chapters = []
    with tempfile.TemporaryDirectory() as folder:
        for chapter, n in wanted(results):
            path = pathlib.Path(folder) / f"{chapter}.{n}.json"
            program = pathlib.Path(build) / "bin" / chapter
            if not program.exists():
                sys.exit(f"small_launches: {program} is missing; BUILD is a folder like build/cpu, and ./run {chapter[:2]} "
                         "fills it.")
            run = subprocess.run([program, "--n", str(n), "--json", path], capture_output=True, text=True)
            if run.returncode:
                sys.exit(f"small_launches: {chapter} --n {n} ended with status {run.returncode}: {run.stderr}")
            chapters.append((chapter, [
                {"variant": row["variant"], "parameters": row["parameters"],
                 "modelled": {name: row["modelled"][name] for name in ("card", "n", "ms", "limited_by")}}
                for row in accuracy.load(path)["rows"] if accuracy.has_model(row) and row["modelled"]["n"] == n]))
    text = ",\n".join(f'{{"chapter": {json.dumps(chapter)}, "rows": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]}"
                      for chapter, rows in chapters)
    write_whole(results / "cpu" / accuracy.SMALL, f'{{"chapters": [\n{text}\n]}}\n')


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    record(sys.argv[1], accuracy.ROOT / "book" / "results")
