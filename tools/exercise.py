"""./run exercise: the exercises and how far you are; one of them, checked."""

import errno
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from tools import answers, chapters, classroom
from tools.build import PATIENCE, ROOT, Build, call, note
from tools.files import free_name, write_whole
from tools.progress import Progress
from tools.words import Parser, Refused, nearest, quoted

OWN = ROOT / "exercises"  # the reader's files, which git ignores
DESCRIPTION = """Lists the exercises and your progress; one of them, checked on the CPU device, which models shares of a GPU's bandwidth and
counts all else."""


def shown(path):
    """As seen from where the reader is."""
    return os.path.relpath(path)


def paragraphs(text):
    """Prints the text rewrapped to the terminal's width, at most 100 columns."""
    columns = os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else 100
    wrapped = subprocess.run(["fmt", "-w", str(columns if 0 < columns < 100 else 100)], input=text, text=True,
                             capture_output=True, check=True)
    print(wrapped.stdout, end="")


class Exercise:
    """What the head of its goals.cpp says."""

    def __init__(self, goals):
        self.folder, self.fields = goals.parent, answers.head(goals)
        self.mine = OWN / f"{self.folder.name}.cu"
        self.number, self.title = self.fields[0]

    def all(self, name):
        return [value for field, value in self.fields if field == name]

    def one(self, name):
        return next(iter(self.all(name)), "")


class Exercises:
    def __init__(self):
        self.all = [Exercise(goals) for goals in sorted(ROOT.glob("chapters/[0-9][0-9]_*/exercises/*/goals.cpp"))]
        if not self.all:
            raise Refused(f"there are no exercises in {ROOT}/chapters.")
        self.progress = Progress(ROOT)
        self.known = {}  # number -> state, tries and hints; what is not there is not begun

    def find(self, word):
        """That of 03.1, 3.1 or four_sectors."""
        names = {}
        for one in self.all:
            name = one.folder.name
            for known in (one.number, one.number.removeprefix("0"), name, name.partition("_")[2]):
                names[known] = one
        if word in names:
            return names[word]
        found = nearest(word, names)
        raise Refused(f"there is no exercise {quoted(word)}.{f' Did you mean {names[found].number}?' if found else ''} "
                      "./run exercise lists them.")

    def read(self):
        self.known = self.progress.read()["exercises"]

    def note(self, one, state, tries, hints):
        self.known = self.progress.note_exercise(one.number, state, tries, hints)["exercises"]

    def state(self, one):
        return self.known.get(one.number, {}).get("state")

    # --- what the reader is told -------------------------------------------------------------------------

    def say_next(self, after=""):
        """The next exercise after that number which is not solved, or the first of all."""
        left = [one for one in self.all if self.state(one) != "solved"]
        following = next((one for one in left if one.number > after), left[0] if left else None)
        if following:
            print(f"Next: ./run exercise {following.number} ({following.title}, {following.one('minutes')} min)")
        else:
            print("All exercises are solved. Next: analyse a kernel of your own, ./run mine.cu")

    @staticmethod
    def say_try(one):
        print(f"Next: change {shown(one.mine)}, then\n"
              f"  ./run exercise {one.number}           checks it\n"
              f"  ./run exercise {one.number} --watch   checks it at each save\n"
              f"  ./run exercise {one.number} --hint    shows a hint")

    @staticmethod
    def say_task(one):
        """The starter's first comment, and what the exercise takes."""
        print(f"\n{one.number}: {one.title}\n")
        comment = []
        for line in (one.folder / "starter.cu").read_text(encoding="utf-8").splitlines()[2:]:
            if not line.startswith("//"):
                break
            comment.append(re.sub("^// ?", "", line))
        paragraphs("\n".join(comment) + "\n")
        paragraphs(f"\nAbout {one.one('minutes')} minutes, difficulty {one.one('difficulty')} of 3. Practises: "
                   f"{one.one('practises')}.\n\n")

    def list(self, chapter):
        """Those of a chapter, or of '' for all."""
        self.read()
        for one in self.all:
            if one.number.startswith(chapter):
                mark = {"solved": "x", "begun": "."}.get(self.state(one), " ")
                print(f"[{mark}] {one.number}  {one.title:40} {one.one('minutes'):>3} min")
        solved = sum(self.state(one) == "solved" for one in self.all)
        print(f"\n{solved} of {len(self.all)} solved; [x] solved, [.] begun.")
        self.say_next()
        return 0

    # --- the check ---------------------------------------------------------------------------------------

    @staticmethod
    def compile(build, one, program):
        """Whether the answer compiles; if not, the reason has been said."""
        with tempfile.TemporaryFile("w+", errors="replace") as file:
            status = call([build.directory / "compile_cuda", one.mine.name, build.directory / f"exercises/{one.number}.a",
                           "-o", program], PATIENCE, cwd=OWN, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)
            file.seek(0)
            said = file.read()
        if status is None:
            note(f"Compiling took longer than {PATIENCE} s and was stopped.")
            return False
        if status == 0:
            note(said, end="")  # warnings
            return True
        for number in (errno.ENOSPC, errno.EDQUOT):
            if status == 2 and os.strerror(number) in said:
                raise OSError(number, os.strerror(number), str(program))
        # What the linker says of a function that the goals call, or that the checker has itself.
        linker = {f"The goals call {name}; your file must define it as the starter does."
                  for name in re.findall("undefined reference to .(.*)'", said)}
        linker |= {f"Your file defines {name}, a name of the checker: use another one."
                   for name in re.findall("multiple definition of .(.*?)'", said)}
        note("\n".join(sorted(linker)) or said.rstrip("\n"))
        note("\nIt does not compile; the lines above say why.")
        return False

    def check(self, build, one):
        """Status 0 if all goals hold, 1 if one is missed, others where the check could not say."""
        program = build.directory / "exercises" / one.folder.name
        tried = one.mine.exists() and one.mine.read_bytes() != (one.folder / "starter.cu").read_bytes()
        status = call([program], PATIENCE) if self.compile(build, one, program) else 1
        if status is None:
            print(f"Stopped after {PATIENCE} s: is a loop endless?")
            status = 1
        if status > 1:
            return status  # it said why
        print()
        if status:
            self.note(one, "begun", tried, 0)
            self.say_try(one)
        elif build.device == "gpu":
            print(f"Every goal that a GPU can check is met. For the others: ./run --device cpu exercise {one.number}")
        else:
            self.note(one, "solved", tried, 0)
            print(f"Solved. To compare: ./run exercise {one.number} --solution")
            if shutil.which("nvidia-smi"):
                print(f"On your GPU: ./run --device gpu exercise {one.number}")
            self.say_next(one.number)
        return status

    def watch(self, build, one):
        """Checks at each save, until it is solved."""
        def stamp():
            try:
                found = os.stat(one.mine)
                return found.st_mtime_ns, found.st_size
            except OSError:
                return None  # an editor may take the file away for a moment
        while True:
            seen = stamp()
            if self.check(build, one) == 0:
                return 0
            print(f"\nWatching {shown(one.mine)}; Ctrl-C ends.", flush=True)
            while stamp() in (None, seen):
                time.sleep(0.2)
            print(flush=True)

    # --- the forms -----------------------------------------------------------------------------------------

    @staticmethod
    def start(one):
        """Puts the starter where the reader's file is to be."""
        OWN.mkdir(exist_ok=True)
        write_whole(one.mine, (one.folder / "starter.cu").read_bytes())

    def hint(self, one):
        hints, seen = one.all("hint"), self.known.get(one.number, {}).get("hints", 0)
        if seen < len(hints):
            paragraphs(f"Hint {seen + 1} of {len(hints)}: {hints[seen]}\n")
            self.note(one, "begun", 0, 1)
        else:
            print("You have seen all hints.")
            paragraphs("".join(f"\n{hint}\n" for hint in hints))
        print()
        self.say_try(one)
        return 0

    def solution(self, one):
        if not classroom.has_solution(one.folder):
            raise Refused("this copy has no solutions; ask whoever gave it to you.")
        if not self.known.get(one.number, {}).get("tries"):
            raise Refused(f"try it first: change {shown(one.mine)} and check it with ./run exercise "
                          f"{one.number}. ./run exercise {one.number} --hint helps.")
        print(answers.solution(one.folder))
        self.say_next(one.number)
        return 0

    def reset(self, one):
        copy = free_name(one.mine)
        one.mine.rename(copy)
        try:
            self.start(one)
        except OSError:
            copy.rename(one.mine)
            raise
        print(f"{shown(one.mine)} is the starter again; your version is kept as {shown(copy)}.")
        self.say_try(one)
        return 0


def take_over(file):
    """./run exercise --import FILE."""
    exercises = Exercises()
    try:
        counts = exercises.progress.take_over(file, {one.number for one in exercises.all})
    except OSError as error:
        raise Refused(f"cannot read {quoted(file)}: {error.strerror}.") from error
    if counts is None:
        raise Refused(f"{quoted(file)} is not a progress.json saved by the site.")
    count, others = counts
    print(f"Imported your progress on {count} exercise{'s' * (count != 1)}."
          + (f" {others} more are not in this clone." if others else ""))
    exercises.read()
    exercises.say_next()
    return 0


def parsed(words):
    parser = Parser(prog="./run exercise", description=DESCRIPTION, allow_abbrev=False)
    parser.add_argument("number", nargs="?", default="", help="05.1: copies the starter into exercises/ and checks your solution; 05 lists the chapter's")
    options = parser.add_mutually_exclusive_group()
    for name, text in (("watch", "checks it each time you save it; Ctrl-C ends"), ("hint", "shows the next of three hints"),
                       ("solution", "shows a solution, once you have tried"), ("reset", "restores the starter, and keeps your version as a copy")):
        options.add_argument(f"--{name}", dest="option", action="store_const", const=name, help=text)
    for name, what, text in (("report", "FILE", "checks all your solutions and writes the results as JSON"),
                             ("import", "FILE", "takes over the progress.json of the site or another clone"),
                             ("export", "FOLDER", "for teachers: a copy of the clone without solutions and tests")):
        options.add_argument(f"--{name}", dest="option", metavar=what, type=lambda word, name=name: (name, word), help=text)
    asked = parser.parse_args(words)
    if asked.number and isinstance(asked.option, tuple):
        parser.error(f"--{asked.option[0]} applies to all exercises, not to {quoted(asked.number)}")
    return asked.number, asked.option


def main(device, words):
    """./run exercise WORDS; checks on that device."""
    number, option = parsed(words)
    if isinstance(option, tuple):
        form, name = option
        if form == "import":
            return take_over(name)
        return classroom.export(name) if form == "export" else classroom.report(Exercises(), Build(device), name)
    exercises = Exercises()
    if not option and re.fullmatch(r"\d{0,2}", number):
        return exercises.list(chapters.find(number)[:2] if number else "")
    if not number:
        raise Refused(f"--{option} needs an exercise: ./run exercise {exercises.all[0].number} --{option}.")
    one = exercises.find(number)
    begins = not one.mine.exists()
    if begins:
        exercises.start(one)
        exercises.note(one, "begun", 0, 0)
    exercises.read()
    form = {"hint": exercises.hint, "solution": exercises.solution, "reset": exercises.reset}.get(option)
    if form:
        return form(one)
    if begins:
        exercises.say_task(one)
        paragraphs(f"Your file is {shown(one.mine)}. The check of the starter:\n\n")
    build = Build(device)
    build.make(f"the check of {one.number}", "compile_cuda", f"goals_{one.number}")
    return exercises.watch(build, one) if option == "watch" else exercises.check(build, one)
