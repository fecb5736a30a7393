"""The build of a device, in build/DEVICE: made ready, built quietly, healed where an interruption left it broken."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from tools.files import locked
from tools.words import Refused

ROOT = Path(__file__).resolve().parents[1]
NEEDED = (3, 24)  # of cmake
TELL_EVERY = 5  # seconds
PATIENCE = 120  # seconds, for a program that somebody wrote; the page's too
DONE = re.compile(rb"^\[(?:(\d+)/(\d+)| *(\d+)%)\]", re.MULTILINE)
SAID = re.compile(r" error[:# ]|CMake Error|undefined reference|cannot find")


def note(text, end="\n"):
    print(text, end=end, file=sys.stderr, flush=True)


def call(command, patience=None, **options):
    """Runs the command and returns its status, as a shell has it; None where it was ended because it still ran after so many
    seconds. Ctrl-C reaches it as well as this process, which waits for its end before it obeys."""
    sys.stdout.flush()
    with subprocess.Popen([str(word) for word in command], **options) as process:
        try:
            status = process.wait(patience)
        except subprocess.TimeoutExpired:
            process.terminate()  # a driver of compilers takes along what it started
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            process.kill()
            return None
        except KeyboardInterrupt:
            process.wait()
            raise
    return status if status >= 0 else 128 - status


def become(command):
    """Ends as the command does."""
    sys.stdout.flush()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execv(command[0], [str(word) for word in command])


class Build:
    def __init__(self, device, root=ROOT):
        self.device, self.root, self.directory = device, root, root / "build" / device
        self.bin, self.results, self.tables = (self.directory / name for name in ("bin", "results", "tables"))
        self.log = self.directory / "build.log"

    def make(self, what, *targets, tests=False):
        """Builds the targets; all that the tools say goes to build.log, and errors to the reader. Refused if it fails."""
        started = time.monotonic()
        try:
            for folder in (self.results, self.tables, self.directory / "mine"):
                folder.mkdir(parents=True, exist_ok=True)
            if not os.access(self.directory, os.W_OK) or not os.access(self.results, os.W_OK):
                raise PermissionError
        except OSError as error:
            raise Refused(f"cannot write to {self.directory}: change its owner or permissions, or use a clone of your own.") from error
        with self.alone():
            note(f"Building {what} ... ", end="")
            try:
                with open(self.log, "w", encoding="utf-8") as log:
                    status = self.configure(log, tests) or self.build(log, targets)
                    if status and self.broken():
                        note("its build files are damaged; recreating them ... ", end="")
                        status = self.configure(log, tests, anew=True) or self.build(log, targets)
            except OSError as error:
                note("failed")
                raise Refused(f"{self.log} cannot be written ({error.strerror}); is the disk full?") from error
            said = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        if status:
            note("\n".join(["failed", *self.errors(said)]))
            full = shutil.disk_usage(self.directory).free < 2 ** 20 or "No space left on device" in "".join(said)
            raise Refused(f"the build failed: the disk of {self.directory} or of temporary files is full." if full else
                          f"the build failed; the full log is {self.log}", 3 if status == 3 else 1)
        note("\n".join([f"{time.monotonic() - started:.0f} s", *self.warnings(said), *self.of_tomorrow()]))

    def make_compiler(self, words):
        """Builds what compiles the program of a reader's own that these words request."""
        newer = re.search(r"-std=(c|gnu)\+\+2", " ".join(words))
        self.make("the compiler of CUDA files", "compile_cuda", *["compile_cuda_20"] * bool(newer))

    def alone(self):
        """Alone with the build directory, once whoever builds there has done."""
        return locked(self.directory, lambda: note("Waiting for another ./run that is building here."))

    def configure(self, log, tests, anew=False):
        """Makes the build directory ready; nothing to do on most calls. Returns a status."""
        cache, werror = self.directory / "CMakeCache.txt", os.environ.get("MOVING_BYTES_WERROR", "")
        known = cache.read_text(encoding="utf-8", errors="replace") if cache.exists() else ""
        ready = any((self.directory / name).exists() for name in ("build.ninja", "Makefile"))
        if anew or not ready or f"\nCMAKE_HOME_DIRECTORY:INTERNAL={self.root}\n" not in known:
            cache.unlink(missing_ok=True)  # never finished, damaged, or the clone was moved
            shutil.rmtree(self.directory / "CMakeFiles", ignore_errors=True)
        elif not tests and (not werror or re.search(f"^MOVING_BYTES_WERROR:.*={werror}$", known, re.MULTILINE)):
            return 0  # tests are configured each time: what they need may have been installed since
        version = subprocess.run(["cmake", "--version"], capture_output=True, text=True).stdout
        version = tuple(map(int, re.search(r"(\d+)\.(\d+)", version).groups()))
        if version < NEEDED:
            log.write(f"CMake Error: this is cmake {version[0]}.{version[1]} and {NEEDED[0]}.{NEEDED[1]} is needed: put a newer one "
                      "on PATH ('pip install cmake' has it).\n")
            return 3
        options = [f"-DMOVING_BYTES_TESTS={'ON' if tests else 'OFF'}"]
        options += [f"-DMOVING_BYTES_WERROR={werror}"] * bool(werror)
        options += [] if shutil.which("ninja") else ["-G", "Unix Makefiles"]  # the presets say Ninja, and make will do
        return self.logged(log, ["cmake", "--preset", self.device, *options])

    def build(self, log, targets):
        return self.logged(log, self.command(targets))

    def command(self, targets):
        return ["cmake", "--build", self.directory, "--target", *targets]

    @staticmethod
    def jobs():
        return len(os.sched_getaffinity(0))  # one more, as ninja has of itself, takes longer

    def surroundings(self):
        """Folder and environment of the tools. Errors are found by their English name."""
        return {"cwd": self.root, "env": {"CMAKE_BUILD_PARALLEL_LEVEL": str(self.jobs()), **os.environ, "LC_ALL": "C",
                                          "NINJA_STATUS": "[%f/%t] "}}

    def logged(self, log, command):
        log.flush()
        over = threading.Event()
        teller = threading.Thread(target=self.tell, args=(over,), daemon=True)
        teller.start()
        try:
            return call(command, stdout=log, stderr=subprocess.STDOUT, **self.surroundings())
        finally:
            over.set()
            teller.join()

    def tell(self, over):
        """Says every few seconds how much of a long build is done, by the last [3/50] of ninja or [ 6%] of make in the log."""
        last = None
        while not over.wait(TELL_EVERY):
            with open(self.log, "rb") as log:
                log.seek(max(0, self.log.stat().st_size - 20000))
                steps = DONE.findall(log.read())
            if steps:
                done, all_steps, percent = steps[-1]
                share = int(percent) if percent else 100 * int(done) // int(all_steps)
                if share != last:
                    note(f"{share} % ... ", end="")
                last = share

    def broken(self):
        """Whether ninja could not make sense of its file, which an interruption or a full disk can cut short."""
        return re.search(r"^ninja: error: ", self.log.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)

    def errors(self, said):
        """The first six errors, each with three lines behind it; the end of the log if there are none."""
        found = [at for at, line in enumerate(said) if SAID.search(line)][:6]
        shown = sorted({line for at in found for line in range(at, min(at + 4, len(said)))})
        return [said[at] for at in shown] or said[-15:]

    def of_tomorrow(self):
        """A sentence of each source in chapters/ that has a date to come, as a clock that was wrong left it; or of the clock, if it is now."""
        now = time.time()
        late = {path: path.stat().st_mtime for path in sorted((self.root / "chapters").glob("*/*.cu*")) if path.stat().st_mtime > now + 60}
        if len(late) > 2:  # as many come with a clone
            return [f"{len(late)} sources are dated in the future: is {time.strftime('%Y-%m-%d', time.gmtime(now))}, as this machine's clock says, wrong?"]
        return [f"{path} is dated {time.strftime('%Y-%m-%d', time.gmtime(when))}, so it is rebuilt at each run: touch it."
                for path, when in late.items()]

    def warnings(self, said):
        """What a reader edits is a chapter: a newer compiler's opinion of the rest is no concern of his."""
        lines, shown = [], False
        for line in said:
            if line[:1] != " ":
                shown = line.startswith(f"{self.root}/chapters/") and bool(re.search(" warning[:# ]", line))
            if shown:
                lines.append(line)
        return lines
