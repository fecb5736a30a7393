"""For teachers: what somebody has solved, as a file, and the exercises without what solves them."""

import contextlib
import fnmatch
import io
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from tools.build import PATIENCE, ROOT, call, note
from tools.files import require_writable, write_whole
from tools.words import Refused, printable, quoted

SOLVES = "answers.txt"  # of an exercise's folder
FOR_MAKERS = ("tests/*", ".ci/*", ".github/*")  # they compile and check what solves the exercises


def has_solution(folder):
    return (folder / SOLVES).exists()


# --- what somebody has solved ------------------------------------------------------------------------

def judged(exercises, build, one):
    """The state of the reader's file as it is now, and the first goal that is missed, or None."""
    if not one.mine.exists():
        return "not begun", None
    if one.mine.read_bytes() == (one.folder / "starter.cu").read_bytes():
        return "begun", None
    program = build.directory / "exercises" / one.folder.name
    with contextlib.redirect_stderr(io.StringIO()):  # messages of the compiler are for who wrote the file
        if not exercises.compile(build, one, program):
            return "does not compile", None
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        status = call([program], PATIENCE, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.DEVNULL)
        said.seek(0)
        missed = re.search(r"^ *MISSED +(.*)$", said.read(), re.MULTILINE)
    states = {0: "solved", 1: "missed", None: f"stopped after {PATIENCE} s"}
    return states.get(status, f"ended with status {status}"), missed and missed[1]


def report(exercises, build, file):
    """Checks each answer once more and writes what came of it, as JSON."""
    begun = [one for one in exercises.all if one.mine.exists()]
    require_writable(file, [one.mine for one in begun] + [exercises.progress.path])
    exercises.read()
    if begun:
        build.make("the checks", "compile_cuda", *(f"goals_{one.number}" for one in begun))
    entries = []
    for one in exercises.all:
        if one in begun:
            note(f"Checking {one.number} ...")
        state, missed = judged(exercises, build, one)
        known = exercises.known.get(one.number, {})
        entries.append({"number": one.number, "title": one.title, "practises": one.one("practises"), "state": state,
                        "missed": missed, "tries": known.get("tries", 0), "hints": known.get("hints", 0)})
    solved = sum(entry["state"] == "solved" for entry in entries)
    write_whole(file, json.dumps({"device": build.device, "solved": solved, "of": len(entries), "exercises": entries},
                                 indent=1, ensure_ascii=False) + "\n")
    print(f"{solved} of {len(entries)} solved; {printable(file)} lists each.")
    return 0


# --- without what solves them ------------------------------------------------------------------------

def is_for_students(path):
    if fnmatch.fnmatch(path, "chapters/*/exercises/*"):
        return Path(path).name != SOLVES
    return not any(fnmatch.fnmatch(path, pattern) for pattern in FOR_MAKERS)


def export(folder):
    """Copies the files that git knows, but those that solve an exercise and those that test them, into a new folder."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        raise Refused(f"{ROOT} is not a git clone, so its files cannot be listed: git says {printable(listed.stderr.partition(chr(10))[0])}")
    target = Path(folder)
    if target.exists():
        raise Refused(f"{quoted(folder)} already exists; name a new folder.")
    if ROOT in target.resolve().parents:
        raise Refused(f"{quoted(folder)} is inside {ROOT}; name a folder elsewhere.")
    paths = [path for path in listed.stdout.split("\0") if path and is_for_students(path) and (ROOT / path).is_file()]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name[:200]}.", dir=target.parent) as beside:
            whole = Path(beside, "copy")
            for path in paths:
                copy = whole / path
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / path, copy)
            whole.rename(target)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise Refused(f"cannot write to {printable(folder)}: {why}; the partial copy was removed.") from error
    print(f"{printable(folder)} has the book, its programs and the exercises, without solutions and tests.")
    return 0
