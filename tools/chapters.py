"""The chapters: their names and questions, one of them, all of them and the ladder."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import time

from tools.background import Background
from tools.build import ROOT, become, call, note
from tools.files import write_whole
from tools.parts import parts
from tools.results import ladder
from tools.words import FORMS, Refused, did_you_mean, quoted

WIDTH = 80
NUMERALS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII")
TOLD_ALL = (0, 1)  # statuses with which a chapter has come to its end
SECONDS_OF_A_ROW = "0.1"  # on a GPU, at most, among all chapters; a chapter that is run alone takes up to three times as long


def names():
    return sorted(path.name for path in ROOT.glob("chapters/[0-9][0-9]_*/"))


def find(word):
    """The chapter that is called 05, 5, float4 or 05_float4."""
    known = names()
    for name in known:
        number, _, rest = name.partition("_")
        if word and word in (name, rest, number, number.lstrip("0")):
            return name
    if word in ("mpi", "mpirun", "mpiexec", "srun", "torchrun"):
        raise Refused("put the launcher before ./run: mpirun -n 2 ./run 42 starts chapter 42 as two processes.")
    raise Refused(f"no chapter or command is called {quoted(word)}.{did_you_mean(word, [*known, *FORMS])} "
                  "See ./run list and ./run --help.")


def show_list():
    """Part by part, each chapter with its question: the first comment of its source."""
    titles = [(first, f"Part {numeral}: {title}") for numeral, (first, title) in zip(NUMERALS, parts(ROOT))]
    for name in names():
        while titles and titles[0][0] <= int(name[:2]):
            first, title = titles.pop(0)
            empty = titles and titles[0][0] <= int(name[:2])
            print("" if first == 1 else "\n", title, f" ({first} to {titles[0][0] - 1}, being written)" if empty else "", sep="")
        with open(ROOT / "chapters" / name / f"{name}.cu", encoding="utf-8") as source:
            question = source.readline().lstrip(" /").removeprefix(f"{name}: ").strip()
        print(textwrap.fill(question, WIDTH, initial_indent=f"{name:24} ", subsequent_indent=" " * 25))
    return 0


def watch(build, name, number, count, options):
    """What the line of progress tells, where there is a terminal."""
    if sys.stderr.isatty():
        listed = subprocess.run([build.bin / name, "--list", *options], capture_output=True)
        rows = listed.stdout.count(b"\n") if listed.returncode == 0 else 0
        os.environ["MOVING_BYTES_PROGRESS"] = f"{number} {count} {rows}"


def run_one(build, name, options):
    build.make(name, name)
    watch(build, name, 1, 1, options)
    become([build.bin / name, *options])


def refuse_options(options):
    """What no chapter takes, before anything is built."""
    for option in options:
        name = option.partition("=")[0]
        if name in ("--json", "--csv"):
            raise Refused(f"{name} works for a single chapter, as in ./run 05 --json FILE; ./run keeps its results in "
                          "build/DEVICE/results/.")
    if re.fullmatch("-[^-h].*", options[0] if options else ""):
        raise Refused(f"no option is called {quoted(options[0])}: options of chapters begin with two dashes. "
                      "See ./run 05 --help and ./run --help.")


def run_all(build, options):
    """Every chapter, its table in a file of its own, then one screen: what ran, the ladder, what to do next. With
    --tables all tables are printed instead. The worst status."""
    options, prints = [option for option in options if option != "--tables"], "--tables" in options
    refuse_options(options)
    if build.device == "gpu" and not any(option.startswith(("--full", "--max-time", "--quick")) for option in options):
        options += ["--max-time", SECONDS_OF_A_ROW]
    every = names()
    worst, results, begun = 0, [], time.monotonic()
    at_once = 1 if build.device == "cpu" else len(every)  # nothing is compiled next to what is measured
    build.make(every[0] if at_once == 1 else "all chapters", *every[:at_once])
    with Background(build, every[at_once:]) as others:
        for number, name in enumerate(every, 1):
            if not others.built(name):
                note(f"{name} does not compile; the full log is {build.log}")
                worst = max(worst, 1)
                continue
            watch(build, name, number, len(every), options)
            status, told_all = run_into_files(build, name, options, prints)
            if not told_all and status in (2, 130, 141):
                return status  # the others would say the same; interrupted; nobody reads
            if told_all:
                results.append(build.results / f"{name}.json")
            if status:
                note(f"{name} ended with status {status}.")
            worst = max(worst, status)
    if results:
        sum_up(build, results, time.monotonic() - begun, prints)
    return worst


def run_into_files(build, name, options, prints):
    """Runs the chapter; its results and its table become files when they are whole. The table is printed if it is requested, or
    not as it should be. The status, and whether the chapter came to its end."""
    result, table = build.results / f"{name}.json", build.tables / f"{name}.txt"
    with unfinished(result) as new, unfinished(table) as text:
        with open(text, "wb") as file:
            status = call([build.bin / name, "--json", new, *options], stdout=file)
        told_all = status in TOLD_ALL and new.exists()  # --list and --help write nothing
        if told_all:
            new.replace(result)
        if prints or status or not told_all:
            print(text.read_text(encoding="utf-8"), flush=True)
        if told_all:
            text.replace(table)
    return status, told_all


@contextlib.contextmanager
def unfinished(path):
    """The name under which a file is written until it is whole; what was not renamed then is taken away."""
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)  # of a run that was killed
    try:
        yield new
    finally:
        new.unlink(missing_ok=True)


def sum_up(build, results, seconds, whole_ladder):
    """The screen that ends a run of all chapters; the ladder is cut to what fits on it, unless all of it is requested."""
    chapters, records = ladder.read(results)
    write_whole(build.tables / "ladder.txt", ladder.render(chapters, ladder.FILE_WIDTH, records))
    columns, lines = shutil.get_terminal_size((100, 40))
    width = min(columns, 100)
    above = textwrap.wrap(verdict(build, results, seconds), width)
    below = [*textwrap.wrap(f"All tables, and the complete comparison of chapters: {os.path.relpath(build.tables)}/. ./run --tables prints them.",
                            width, break_long_words=False, break_on_hyphens=False), "", *next_steps(build)]
    print(*above, "", sep="\n", flush=True)
    room = lines - len(above) - len(below) - 3  # two empty lines, and one for the prompt
    wide = columns if sys.stdout.isatty() else ladder.FILE_WIDTH
    print(ladder.render(chapters, wide, records) if whole_ladder else ladder.shortened(chapters, wide, max(1, room), records), end="")
    print("", *below, sep="\n", flush=True)


def verdict(build, results, seconds):
    """What ran and whether it is right, and what the ladder's numbers are."""
    rows = [row for result in results for row in json.loads(result.read_text(encoding="utf-8"))["rows"]]
    right, wrong, other = (sum(row["verified"] is kind for row in rows) for kind in (True, False, None))
    sentences = [f"{len(results)} chapters ran on {'the CPU device' if build.device == 'cpu' else 'the GPU'} in {seconds:.0f} s:"
                 f" {right} rows are verified{', every element' if right else ''}"
                 f"{f', {wrong} ARE WRONG (see their tables above)' if wrong else ''}"
                 f"{f', {other} more say why they are not' if other else ''}."]
    cards = {row["modelled"]["card"] for row in rows if row.get("modelled")}
    if cards:
        sentences.append(f"Not timed: the column modelled is for {', '.join(sorted(cards))}, the column recorded was measured on it.")
    return " ".join(sentences)


def next_steps(build):
    steps = [("./run 01", "the first chapter; its page is book/01_basic_vecadd.md"),
             ("./run exercise", "exercises, checked automatically"),
             ("./run mine.cu", "your own CUDA program")]
    if build.device == "gpu":
        steps.insert(1, ("./run compare", "compares these results with the reference of this GPU"))
    return [f"{'Next:' if number == 0 else '     '} {command:15} {what}" for number, (command, what) in enumerate(steps)]
