"""Programs that are run, and what they leave on the disk."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.files import locked

ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
SCRATCH = ".compiling-"


def say(text):
    """On standard error; what a compiler quotes may be no UTF-8."""
    if sys.stderr is not None:  # else it is closed
        sys.stderr.buffer.write(text.encode(errors="surrogateescape"))
        sys.stderr.flush()


def run(command):
    """Runs a program, found by PATH; returns its exit status, 127 where there is no such program, and all that it says."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        return 127, f"{error.filename}: {error.strerror}\n"
    return done.returncode, done.stdout.decode(errors="surrogateescape")


def in_use():
    raise BlockingIOError


@contextlib.contextmanager
def scratch(parent):
    """A folder that did not exist before, and is gone afterwards. It is locked while a process lives that has it open, so that
    those of processes that were killed are told from those in use, and removed."""
    for left in Path(parent).glob(SCRATCH + "*"):
        with contextlib.suppress(OSError), locked(left, in_use):
            shutil.rmtree(left, ignore_errors=True)
    with contextlib.ExitStack() as stack:
        while True:  # somebody may take it for one that was left, between its making and its lock
            folder = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=parent))
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            with contextlib.suppress(FileNotFoundError):
                stack.enter_context(locked(folder))
            if folder.exists():
                break
        yield folder


def run_with_folder(parent, work):
    """Runs `work` in a process of its own, with a new folder in `parent` that is removed however it ends, by a signal too, and
    returns what it returned: an exit status. Where this process itself was killed, the next call removes the folder."""
    with scratch(parent) as folder:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # until there is somebody to pass them on to
        worker = os.fork()
        if worker == 0:
            os.setpgid(0, 0)
            for number in ENDING:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            status = 2
            try:
                status = work(folder)
            except Exception as error:
                say(f"run: {error}\n")
            finally:
                os._exit(status)
        with contextlib.suppress(OSError):  # who is first
            os.setpgid(worker, worker)
        kept = [signal.signal(number, lambda number, _: os.killpg(worker, number)) for number in ENDING]
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        status = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
        for number, handler in zip(ENDING, kept):
            signal.signal(number, handler)
        return status if status >= 0 else 128 - status


@contextlib.contextmanager
def still_at_work(sentence, seconds=4):
    """Says a sentence on standard error every few seconds: whoever waits is to see that something goes on."""
    signal.signal(signal.SIGALRM, lambda *_: say(f"{sentence}\n"))
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
