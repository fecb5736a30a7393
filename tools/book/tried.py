"""Does every change that the pages tell a reader to try, on a copy, and checks what must come of it.

    python3 -m tools.book.tried --build build/cpu              those for the CPU device
    python3 -m tools.book.tried --build build/gpu --record     those for a GPU, and keeps in book/results/ what came
    python3 -m tools.book.tried --build build/cpu 03 05.an_empty_head      those of a page, or one
    python3 -m tools.book.tried --check                        whether the record has what the pages say now; 77 where
                                                         some were not done since they were written

The `try` markers of the pages say what to change, to run and to expect (tools/book/try_it.py). The build
directory must hold the chapters; of each change one source is compiled anew, and nothing in it is touched.
"""

import argparse
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.book import facts, try_it
from tools.book.numbers import show
from tools.book.pages import Book
from tools.book.results import CPU, REFERENCE, BookError, Results
from tools.files import locked, write_whole
from tools.results import machine

ROOT = Path(__file__).resolve().parents[2]

LONGEST = 300  # seconds a command may take


@functools.cache
def results_of(root):
    return Results(root / "book" / "results")


class NotAsTold(Exception):
    """What a change led to, where it is not what the page says."""


class Copy:
    """A folder for one step of a change: the chapter's sources as they are then, its program, what it writes."""

    def __init__(self, root, build, chapter, folder, before=None):
        self.root, self.build, self.chapter, self.folder = root, build, chapter, Path(folder)
        self.device = "cpu" if (build / "cpu_device").is_dir() else "gpu"
        self.sources = self.folder / "chapters" / chapter
        shutil.copytree(before.sources if before else root / "chapters" / chapter, self.sources)
        for other in (root / "chapters").iterdir():  # some include an earlier one's kernels
            if other.name != chapter:
                (self.folder / "chapters" / other.name).symlink_to(other)
        for folder in ("common", "cpu_device"):  # of which chapters include files
            (self.folder / folder).symlink_to(root / folder)
        self.program = self.folder / "build" / self.device / "bin" / chapter
        self.program.parent.mkdir(parents=True)
        (self.folder / "objects" / chapter).mkdir(parents=True)
        self.program.symlink_to(before.program if before else build / "bin" / chapter)

    def change(self, changes, name):
        for one in changes:
            path = self.sources / one[0]
            path.write_text(try_it.apply(path.read_text("utf-8"), one, name), "utf-8")
        self.program.unlink()
        for command in self.commands():
            done = subprocess.run(command, shell=True, cwd=self.build, capture_output=True, text=True)
            if done.returncode:
                raise NotAsTold("it does not compile: " + first_error(done.stdout + done.stderr))

    def commands(self):
        """What ninja would run for the chapter's own source, with this folder in the places of both sides."""
        listed = subprocess.run(["ninja", "-C", str(self.build), "-t", "commands", f"bin/{self.chapter}"],
                                capture_output=True, text=True, check=True).stdout.splitlines()
        objects = f"chapters/CMakeFiles/{self.chapter}.dir/"
        main = re.compile(re.escape(objects) + rf"(\S*{self.chapter}\.cu\.o)")
        for command in listed:
            if main.search(command):
                command = re.sub(re.escape(f"{self.root}/chapters/{self.chapter}") + r"(?=[/ \"'])",
                                 lambda _: str(self.sources), command)
                command = re.sub(r" -Xcompiler=-Werror\b| -Werror\S*", "", command)  # what .ci/run adds, and no reader has
                command = main.sub(lambda match: f"{self.folder}/objects/{match[1]}", command)
                yield command.replace(f" -o bin/{self.chapter} ", f" -o {self.program} ")

    def run(self, step):
        """Status and output of a command. `./run NN ...` is the chapter's program here."""
        words = shlex.split(step.command)
        result = self.folder / "results" / (CPU if self.device == "cpu" else REFERENCE) / f"{self.chapter}.json"
        if words[:2] == ["./run", self.chapter[:2]]:
            words = [str(self.program)] + [word for at, word in enumerate(words[2:], 2)
                                           if "--device" not in (word, words[at - 1])]
            if step.holds or step.notes:
                result.parent.mkdir(parents=True, exist_ok=True)
                words += ["--json", str(result)]
        else:
            if not shutil.which(words[0]):
                raise FileNotFoundError(words[0])
            words = ["bash", "-o", "pipefail", "-c", step.command]
        done = subprocess.run(words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=LONGEST)
        return done.returncode, done.stdout

    def evaluate(self, text):
        """What an expression is over the rows of the last run; book_count, book_gb, ... look into the book's results."""
        def of_book(function):
            def look_up(*words, **where):
                with facts.reading(facts.Page(results_of(self.root), self.chapter)):
                    return function(*words, **where)
            return look_up

        known = {name: getattr(facts, name) for name in facts.__all__}
        known |= {f"book_{name}": of_book(function) for name, function in known.items() if callable(function)}
        with facts.reading(facts.Page(Results(self.folder / "results"), self.chapter)):
            return eval(text, known)


def first_error(text):
    return next((line for line in text.splitlines() if re.search(r"\berror\b", line)), text[-300:])


def check(step, copy, status, output):
    """The decisive lines; NotAsTold where one is missing."""
    told, lines = [], output.splitlines()
    if status != step.status:
        raise NotAsTold(f"'{step.command}' ends with status {status}, not {step.status}:\n" + "\n".join(lines[-12:]))
    for pattern in step.shows:
        found = [line.strip() for line in lines if re.search(pattern, line)]
        if not found:
            raise NotAsTold(f"'{step.command}' prints nothing like '{pattern}':\n" + "\n".join(lines[-40:]))
        told += found[:8]
    for pattern in step.lacks:
        found = next((line for line in lines if re.search(pattern, line)), None)
        if found is not None:
            raise NotAsTold(f"'{step.command}' prints '{found.strip()}', which should not be there.")
    told += [f"{note}: {show(copy.evaluate(note))}" for note in step.notes]
    for claim in step.holds:
        sides = " and ".join(" ".join(show(copy.evaluate(part)) if at % 2 == 0 else part for at, part in enumerate(
            re.split(r" (<=?|>=?|==) ", comparison))) for comparison in claim.split(" and "))
        if not copy.evaluate(claim):
            raise NotAsTold(f"'{claim}' does not hold: {sides}.")
        told.append(f"{claim}: {sides}")
    return told


def prepare(one, root, build, folder):
    """A copy for each step, compiled; or why there is none."""
    copies = []
    try:
        for number, step in enumerate(one.steps):
            copies.append(Copy(root, build, one.chapter, Path(folder) / f"{one.chapter}.{one.name}.{number}",
                               copies[-1] if copies else None))
            if step.changes:
                copies[-1].change(step.changes, one.name)
    except (NotAsTold, BookError) as error:
        return error
    return copies


def attempt(one, copies):
    """What came of a change, as the record keeps it."""
    result = {"page": one.chapter, "name": one.name, "form": one.fingerprint(), "outcome": "as told", "lines": []}
    try:
        if isinstance(copies, Exception):
            raise copies
        for step, copy in zip(one.steps, copies):
            result["lines"] += check(step, copy, *copy.run(step))
    except (NotAsTold, BookError) as error:
        result["outcome"] = f"not as told: {error}"
    except subprocess.TimeoutExpired as error:
        result["outcome"] = f"not as told: a command takes more than {error.timeout:g} s."
    except FileNotFoundError as error:
        result["outcome"] = f"not run: {error.filename or error} is not installed."
    return result


def described():
    """The GPU, and what compiled for it."""
    asked = machine.query(["name", "driver_version"])
    path = os.environ.get("PATH", "") + ":/usr/local/cuda/bin"
    compiler = subprocess.run([shutil.which("nvcc", path=path), "--version"], capture_output=True, text=True).stdout
    toolkit = re.search(r"release [\d.]+, V([\d.]+)", compiler)
    return {"device": asked["name"], "driver": asked["driver_version"], "toolkit": toolkit and toolkit[1], "date": time.strftime("%Y-%m-%d")}


def recorded(book, root):
    """What the record of the reference GPU lacks, and what of it is wrong: two lists of sentences."""
    path = root / "book" / "results" / REFERENCE / "try_it.json"
    done = {(one["page"], one["name"]): one for one in json.loads(path.read_text("utf-8"))["tried"]} if path.exists() else {}
    missing, wrong = [], []
    for one in try_it.tries(book):
        if not one.gpu:
            continue
        found = done.pop((one.chapter, one.name), None)
        if found is None or found["form"] != one.fingerprint():
            missing.append(f"{one.chapter[:2]}.{one.name}")
        elif found["outcome"].startswith("not run"):
            missing.append(f"{one.chapter[:2]}.{one.name} ({found['outcome'].removeprefix('not run: ').rstrip('.')})")
        elif found["outcome"] != "as told":
            wrong.append(f"book/{one.chapter}.md: {one.name}: {found['outcome']}")
    wrong += [f"{path.relative_to(root)}: {name} of {page} is on no page; record anew." for page, name in done]
    return missing, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "cpu", help="where the chapters were built (build/cpu)")
    parser.add_argument("--record", action="store_true", help="keep what came, in book/results/CARD/try_it.json")
    parser.add_argument("--check", action="store_true", help="do nothing; say what the record of the GPU lacks")
    parser.add_argument("--jobs", type=int, help="how many compile at a time, and run on the CPU device")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", help="a page, 03, or one change, 03.no_check; all without")
    options = parser.parse_args()
    build, root = options.build.resolve(), options.root.resolve()
    if options.check:
        missing, wrong = recorded(Book(root), root)
        print("\n".join(wrong), end="\n" if wrong else "")
        if missing:
            print(f"skipped: on a GPU {len(missing)} changes of the pages have not been tried yet: {', '.join(missing)}")
        return 1 if wrong else 77 if missing else 0
    if not (build / "build.ninja").exists():
        parser.error(f"{build} is no build directory of ninja; ./run --device cpu, or gpu, makes one.")
    gpu = not (build / "cpu_device").is_dir()
    if options.record and not gpu:
        parser.error("--record is for a GPU; what the CPU device does, the tests do each time.")
    os.environ["PATH"] += ":/usr/local/cuda/bin"

    def wanted(one):
        return not options.names or any(one.chapter.startswith(asked.partition(".")[0])
                                        and asked.partition(".")[2] in ("", one.name) for asked in options.names)

    try:
        pages = [asked.partition(".")[0] for asked in options.names] or [""]
        chosen = [one for one in try_it.tries(Book(root), pages) if one.gpu == gpu and wanted(one)]
    except BookError as error:
        sys.exit(str(error))
    if not chosen:
        parser.error(f"no change for {'a GPU' if gpu else 'the CPU device'} is called {' or '.join(options.names)}.")
    chapters = sorted({one.chapter for one in chosen})
    with locked(build):
        made = subprocess.run(["cmake", "--build", str(build), "--target", *chapters], capture_output=True, text=True)
    if made.returncode:
        sys.exit(made.stdout[-2000:])
    card = described() if options.record else {}
    results, jobs = [], options.jobs or os.cpu_count()
    with tempfile.TemporaryDirectory() as folder:
        print(f"Compiling {len(chosen)} changes ...", file=sys.stderr)
        with ThreadPoolExecutor(jobs) as pool:
            prepared = list(pool.map(lambda one: prepare(one, root, build, folder), chosen))
        with ThreadPoolExecutor(1 if gpu else jobs) as pool:  # on a GPU they would disturb each other
            for result in pool.map(attempt, chosen, prepared):
                results.append(result)
                print(f"{result['page']} {result['name']}: {result['outcome']}", flush=True)
                for line in result["lines"]:
                    print(f"    {line}", flush=True)
                if options.record:  # each at once: a lent machine may be taken back
                    keep(results, root, card)
    return 1 if any(result["outcome"].startswith("not as told") for result in results) else 0


def keep(results, root, card):
    """Writes the record of a GPU; what was not tried this time stays in it."""
    path = root / "book" / "results" / card["device"].lower().replace(" ", "-") / "try_it.json"
    old = json.loads(path.read_text("utf-8"))["tried"] if path.exists() else []
    names = {(result["page"], result["name"]) for result in results}
    kept = [one for one in old if (one["page"], one["name"]) not in names] + results
    kept.sort(key=lambda one: (one["page"], one["name"]))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps({**card, "tried": kept}, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main())
