"""Counts and traces of the chapters, from the CPU device into book/results/cpu/."""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from tools.book import drawings
from tools.book.facts import Block
from tools.book.markdown import markers
from tools.book.pages import Book
from tools.book.results import CPU, BookError, read_json
from tools.files import write_whole
from tools.results import accuracy


def run(program, *options, **environment):
    result = subprocess.run([program, *options], capture_output=True, text=True,
                            env={**os.environ, **environment})
    if result.returncode:
        raise BookError(f"{program} {' '.join(options)} ended with status {result.returncode}: "
                        f"{result.stderr.strip()}")


def wanted_traces(book):
    """Chapter and variant of every access figure, and of what the drawings show."""
    found = set()
    for path in book.pages():
        for match in markers(path.read_text(encoding="utf-8"), "drawing", "access"):
            if match[1] == "drawing":
                chapter, *variants = drawings.find(match[2]).traces
                found |= {(chapter, variant) for variant in variants}
            else:
                chapter, variant = book.facts(path).find(match[2], Block, "block").words
                found.add((book.sources.name(chapter), variant))
    return sorted(found)


def counts_of(program, folder, *options):
    """What the CPU device counts for a chapter."""
    path = Path(folder) / "counts.json"
    run(program, "--json", str(path), *options)
    data = read_json(path)
    data["environment"]["commit"] = "unknown"  # it is the one that holds the file
    return data


def trace_of(program, variant, folder):
    """The first launch of a variant: what its first warp requested."""
    path = Path(folder) / "trace.jsonl"
    path.unlink(missing_ok=True)
    run(program, "--variant", variant, "--quick", "--no-model", MOVING_BYTES_TRACE=str(path))
    first = path.read_text(encoding="utf-8").splitlines()[0]
    return {"schema": 1, "launches": [json.loads(first)]}


def requests_of(trace):
    """What the warp requested, in no order: which of two loads comes first is the compiler's."""
    return sorted(json.dumps([request.get(key) for key in ("access", "space", "bytes", "offsets", "sectors", "wavefronts")])
                  for request in trace["launches"][0]["requests"])


def check_some(path, program, folder):
    """Whether the first of every six variants counts as recorded, for once without the times that a model makes of it."""
    def counted(rows):
        return [{name: value for name, value in row.items() if name != "modelled"} for row in rows]

    recorded = counted(read_json(path)["rows"])
    variants = list(dict.fromkeys(row["variant"] for row in recorded))[::6]
    chosen = [word for variant in variants for word in ("--variant", variant)]
    return counted(counts_of(program, folder, "--no-model", *chosen)["rows"]) == [
        row for row in recorded if row["variant"] in variants]


def small_launches(results, programs, folder):
    """What the model says of small launches that were measured, and at whose sizes no chapter is modelled."""
    made = []
    for name, program in programs.items():
        path = results / accuracy.CARD / f"{name}.json"
        modelled = {accuracy.identity(row): row["modelled"]["n"] for row in read_json(results / CPU / f"{name}.json")["rows"]
                    if accuracy.has_model(row)}
        sizes = {row["parameters"]["n"] for row in read_json(path)["rows"] if row["cache"] == "cold" and not row["library"]
                 and row["bytes"] < accuracy.LARGE and modelled.get(accuracy.identity(row), row["parameters"]["n"]) != row["parameters"]["n"]
                 } if path.exists() else ()
        for n in sorted(sizes):
            rows = [{"variant": row["variant"], "parameters": row["parameters"],
                     "modelled": {field: row["modelled"][field] for field in ("card", "n", "ms", "limited_by")}}
                    for row in counts_of(program, folder, "--n", str(n))["rows"] if accuracy.has_model(row) and row["modelled"]["n"] == n]
            made.append({"chapter": name, "rows": rows})
    write_whole(results / CPU / accuracy.SMALL, json.dumps({"chapters": made}, indent=1) + "\n")


def record(root, build, check=False, some=False, only=None):
    """Runs every chapter that has a page and keeps what was counted, or says where it differs: if only some of it is to be
    checked, a sixth of each chapter's variants."""
    book = Book(root)
    chapters = [path.stem for path in book.pages() if path.stem in book.sources.paths and only in (None, path.stem)]
    target, problems = book.directory / "results" / CPU, []
    programs = {name: Path(build) / "bin" / name for name in chapters}
    missing = [name for name, program in programs.items() if not program.exists()]
    if missing:
        raise BookError(f"{build} has no {', '.join(missing)}; first run ./run --device cpu.")

    def differs(path):
        problems.append(f"{path.relative_to(book.root)}: is not what the kernels do now; run ./run book --record.")

    def keep(path, new, same):
        if path.exists() and same(read_json(path), new):
            return
        if check:
            differs(path)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(new, indent=1)
        text = re.sub(r"\[[\s\d,.nul]*\]", lambda m: re.sub(r"\s+", " ", m[0]).replace("[ ", "[").replace(" ]", "]"), text)  # one line a list
        text = re.sub(r'\{\s*"(?:engine|n|blocks)": [^{}\[\]]*\}', lambda m: re.sub(r"\s*\n\s*", " ", m[0]).replace("{ ", "{").replace(" }", "}"), text)  # and a bar of a timeline
        write_whole(path, text + "\n")

    with tempfile.TemporaryDirectory() as folder:
        for name, program in programs.items():
            path = target / f"{name}.json"
            if check and some and path.exists():
                if not check_some(path, program, folder):
                    differs(path)
                continue
            # The machine and the date do not matter to a count.
            keep(path, counts_of(program, folder),
                 lambda old, new: old["rows"] == new["rows"])
        for name, variant in wanted_traces(book):
            if name in programs:
                keep(target / "traces" / f"{name}.{variant}.json",
                     trace_of(programs[name], variant, folder),
                     lambda old, new: requests_of(old) == requests_of(new))
        if not check and not only:
            small_launches(target.parent, programs, folder)
    return problems
