#!/usr/bin/env python3
"""How far modelled times are from what was measured of cards that no constant comes from: by others, who published it,
and a few rows of an H100, which the model had never seen.

    other_cards.py BUILD        models the rows again, with the chapters in BUILD/bin: writes
                                book/results/cpu/other_cards.json

Where the publication states the number of elements, times are compared; where it does not, the ratio
to the first row of the card.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from tools.files import write_whole
from tools.results import accuracy

FILE = "other_cards.json"
LEAST_N = 2**26  # elements: below, a published time is mostly that of a launch
FASTEST = "fastest"  # of a chapter, whichever it is
# Card, file of book/results/published, and what a published variant is called in our chapter.
SOURCES = (
    ("h100", "02_threads_per_block.h100", {"basic": "basic"}),
    ("h100", "05_float4.h100", {FASTEST: FASTEST}),
    ("h100", "06_memcpy_vectorized.h100", {FASTEST: FASTEST}),
    ("h100", "20_transpose_tiles.h100", {FASTEST: FASTEST}),
    ("a100", "02_threads_per_block.a100", {"basic": "basic"}),
    ("a100", "03_coarsening.a100", {"coarsen2": "neighbours_x2", "coarsen4": "neighbours_x4"}),
    ("a100", "05_float4.a100", {"float4": "float4", "float4+float2_tail": "float4_float2_tail",
                                "float4_parameters": "float4_parameters"}),
    ("t4", "02_threads_per_block.t4", {"basic": "basic"}),
    ("t4", "03_coarsening.t4", {"coarsen2": "neighbours_x2", "coarsen4": "neighbours_x4"}),
    ("rtx3090", "06_memcpy_vectorized.rtx3090", {"naive": "element", "vector_4B": "word4", "vector_8B": "word8",
                                                 "vector_16B": "word16"}),
)


def published(results):
    """(card, chapter, our variant, parameters, ms) of each published row that a chapter has, too."""
    for card, file, names in SOURCES:
        for row in accuracy.load(pathlib.Path(results) / "published" / f"{file}.json")["rows"]:
            n = row["parameters"].get("n")
            if row["variant"] in names and (n is None or n >= LEAST_N):
                parameters = {name: row["parameters"][name] for name in ("threads", "unit", "n", "bytes")
                              if name in row["parameters"]}
                yield card, file.partition(".")[0], names[row["variant"]], parameters, row["time_ms"]["median"]


def record(build, results):
    """Models every published row on its card."""
    with tempfile.TemporaryDirectory() as folder:
        rows, modelled = [], {}
        for card, chapter, variant, parameters, _ in published(results):
            if (card, chapter) not in modelled:
                path = pathlib.Path(folder) / f"{chapter}.{card}.json"
                program = pathlib.Path(build) / "bin" / chapter
                if not program.exists():
                    sys.exit(f"other_cards: {program} is missing; BUILD is a folder like build/cpu, and ./run {chapter[:2]} fills it.")
                run = subprocess.run([program, "--card", card, "--json", path], capture_output=True, text=True)
                if run.returncode:
                    sys.exit(f"other_cards: {chapter} --card {card} ended with status {run.returncode}: {run.stderr}")
                modelled[card, chapter] = accuracy.load(path)["rows"]
            # Without a size, that of the reference.
            wanted = dict(parameters)
            n = wanted.pop("n", None)
            ours = [row for row in modelled[card, chapter] if accuracy.has_model(row)]
            if variant == FASTEST:
                best = max(ours, key=lambda row: row["modelled"]["gb_per_s"])["modelled"]
                rows.append({"card": card, "chapter": chapter, "variant": variant, "parameters": parameters,
                             "ms": round(parameters["bytes"] / best["gb_per_s"] / 1e6, 6)})
                continue
            times = {row["modelled"]["ms"] for row in ours if row["variant"] == variant
                     and row["modelled"]["n"] == (n or 2**28)
                     and all(row["parameters"].get(name) == value for name, value in wanted.items())}
            if len(times) == 1:
                rows.append({"card": card, "chapter": chapter, "variant": variant, "parameters": parameters,
                             "ms": times.pop()})
            else:
                print(f"left out: {card}, {chapter} {variant} {parameters}: {len(times)} modelled times", file=sys.stderr)
    text = ",\n".join(json.dumps(row) for row in rows)
    write_whole(pathlib.Path(results) / "cpu" / FILE, f'{{"rows": [\n{text}\n]}}\n')


def compared(results):
    """(card, chapter, variant, parameters, published, modelled) of each row: ms where the size is
    known, else the ratio to the card's first row."""
    def key(card, chapter, variant, parameters):
        return card, chapter, variant, tuple(sorted(parameters.items()))
    modelled = {key(row["card"], row["chapter"], row["variant"], row["parameters"]): row["ms"]
                for row in accuracy.load(pathlib.Path(results) / "cpu" / FILE)["rows"]}
    first, found = {}, []
    for card, chapter, variant, parameters, ms in published(results):
        ours = modelled.get(key(card, chapter, variant, parameters))
        if ours is None:
            continue
        if "n" in parameters or "bytes" in parameters:
            found.append((card, chapter, variant, parameters, ms, ours))
        elif card not in first:
            first[card] = ms, ours
        else:
            found.append((card, chapter, variant, parameters, ms / first[card][0], ours / first[card][1]))
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    record(sys.argv[1], pathlib.Path(__file__).resolve().parents[2] / "book" / "results")
