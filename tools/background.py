"""Targets that are built while the caller works: chapters run while those behind them are compiled."""

import concurrent.futures
import contextlib
import os
import signal
import subprocess
import threading
import time

from tools.build import TELL_EVERY, note


class Background:
    """Builds the targets in their order, a few at a time, until they are done or the context ends.

    A few, because a build system says of no target that it is finished before all that it was requested is: ninja since 1.12
    links every program after the last has been compiled.
    """

    def __init__(self, build, targets):
        self.build, self.told = build, set()
        self.over, self.process, self.alone = threading.Event(), None, contextlib.ExitStack()
        self.pool = concurrent.futures.ThreadPoolExecutor(1)
        self.made = {}  # target -> the future of its batch
        if targets:
            self.alone.enter_context(build.alone())
            few = 2 * build.jobs()
            for batch in (targets[at:at + few] for at in range(0, len(targets), few)):
                self.made |= dict.fromkeys(batch, self.pool.submit(self.make, batch))
            self.pool.submit(self.alone.close)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        self.stop(self.process)
        self.pool.shutdown(cancel_futures=True)
        self.alone.close()

    def built(self, target):
        """Waits for the target, tells the reader so every few seconds, and then what the compiler says of it. Whether it is there;
        also of a target that was not to be built."""
        if target not in self.made:
            return True
        started, waits, made = time.monotonic(), False, self.made[target]
        while made in concurrent.futures.wait([made], TELL_EVERY).not_done:
            note(f"Building {target} ... " * (not waits) + f"{time.monotonic() - started:.0f} s ... ", end="")
            waits = True
        note("", end="\n" * waits)
        failed, said = made.result()[target]
        lines = self.build.errors(said) if failed else self.build.warnings(said)
        if "\n".join(lines) not in self.told:  # by a chapter that includes the same header
            note("\n".join(lines), end="\n" * bool(lines))
        self.told.add("\n".join(lines))
        return not failed

    def make(self, targets):
        """Builds the targets, each by itself if that fails: whether each failed, and what was said of it."""
        with open(self.build.log, "a", encoding="utf-8") as log:
            begin = log.tell()
            failed = self.call(self.build.command(targets), log)
        if failed and len(targets) > 1:
            return {target: self.make([target])[target] for target in targets}
        with open(self.build.log, encoding="utf-8", errors="replace") as log:
            log.seek(begin)
            return dict.fromkeys(targets, (failed, log.read().splitlines()))

    def call(self, command, log):
        """The status of the command, which Ctrl-C does not reach: __exit__ ends it, whatever this process ends by."""
        if self.over.is_set():
            return 130
        with subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
                              **self.build.surroundings()) as self.process:
            if self.over.is_set():
                self.stop(self.process)
        return self.process.returncode

    @staticmethod
    def stop(process):
        if process and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
