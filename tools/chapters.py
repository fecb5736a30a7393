"""The chapters: their names and questions, one of them, all of them and the ladder."""

import os
import re
import subprocess
import sys
import textwrap
import time

from tools.build import ROOT, become, call, note
from tools.files import write_whole
from tools.parts import parts
from tools.words import FORMS, Refused, did_you_mean, quoted

WIDTH = 80
NUMERALS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII")
TOLD_ALL = (0, 1)  # statuses with which a chapter has come to its end


def names():
    return sorted(path.name for path in ROOT.glob("chapters/[0-9][0-9]_*/"))


def find(word):
    """The chapter that is called 05, 5, float4 or 05_float4."""
    known = names()
    for name in known:
        number, _, rest = name.partition("_")
        if word and word in (name, rest, number, number.lstrip("0")):
            return name
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


def watch(build, name, number, count, seconds, options):
    """What the line of progress tells, where there is a terminal."""
    if sys.stderr.isatty():
        listed = subprocess.run([build.bin / name, "--list", *options], capture_output=True)
        rows = listed.stdout.count(b"\n") if listed.returncode == 0 else 0
        os.environ["MOVING_BYTES_PROGRESS"] = f"{number} {count} {rows} {seconds}"


def run_one(build, name, options):
    build.make(name, name)
    watch(build, name, 1, 1, 0, options)
    become([build.bin / name, *options])


def seconds_before(known, told):
    """What each chapter took in the last run that was told the same, if that got to its end."""
    try:
        first, *lines = known.read_text(encoding="utf-8").splitlines()
        took = dict(line.split() for line in lines)
        return {name: int(seconds) for name, seconds in took.items()} if first == told else {}
    except (OSError, ValueError):
        return {}


def refuse_options(options):
    """What no chapter takes, before anything is built."""
    for option in options:
        name = option.partition("=")[0]
        if name in ("--json", "--csv"):
            raise Refused(f"{name} belongs to one chapter, as in ./run 05 --json FILE; ./run keeps its results in "
                          "build/DEVICE/results/.")
    if re.fullmatch("-[^-h].*", options[0] if options else ""):
        raise Refused(f"no option is called {quoted(options[0])}: those of chapters begin with two dashes. "
                      "See ./run 05 --help and ./run --help.")


def run_all(build, options):
    """Every chapter, then the ladder; the worst status."""
    refuse_options(options)
    every = names()
    told, known = " ".join(["told", *options]), build.directory / "seconds"
    before = seconds_before(known, told)
    worst, results, took = 0, [], {}
    build.make(every[0], every[0])  # the first table soon, the other chapters after it
    for number, name in enumerate(every, 1):
        result, new = build.results / f"{name}.json", build.results / f"{name}.json.new"
        new.unlink(missing_ok=True)  # of a run that was killed
        left = sum(seconds for other, seconds in before.items() if other >= name)
        watch(build, name, number, len(every), left, options)
        started = time.monotonic()
        try:
            status = call([build.bin / name, "--json", new, *options])
        except KeyboardInterrupt:
            new.unlink(missing_ok=True)
            raise
        if status in TOLD_ALL and new.exists():  # --list and --help write nothing
            new.replace(result)
            results.append(result)
        elif status in (2, 130, 141):
            return status  # the others would say the same; interrupted; nobody reads
        if status:
            note(f"{name} ended with status {status}.")
        print(flush=True)
        took[name] = int(time.monotonic() - started)
        worst = max(worst, status)
        if number == 1:
            build.make("the other chapters", "ladder", *every)
    if results:
        write_whole(known, "\n".join([told, *(f"{name} {seconds}" for name, seconds in took.items())]) + "\n")
        call([build.bin / "ladder", "--records", ROOT / "book/results", *results])
    note("Next: ./run exercise (kernels for you to write), ./run 03 --help (a chapter and its options), ./run mine.cu "
         "(a file of your own).")
    return worst
