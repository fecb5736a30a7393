"""Programs that are run, the folder of what they leave, and signals."""

import os
import signal
import subprocess
import sys
import time

from tests.folder import FolderTest
from tools.process import run, run_with_folder

# The work of a driver, in PARENT.
WAITS = """
import sys
from tools.process import run, run_with_folder
sys.exit(run_with_folder(sys.argv[1], lambda folder: (folder / "said").touch() or run(["sleep", "600"])[0]))
"""
TELLS = """
import sys, time
from pathlib import Path
from tools.process import run_with_folder, still_at_work
def work(_):
    while Path(sys.argv[2]).stat().st_size < 12:
        time.sleep(0.02)
    return 7
with still_at_work("still", 1):
    status = run_with_folder(sys.argv[1], work)
size = Path(sys.argv[2]).stat().st_size
time.sleep(1.2)  # the next would be due
sys.exit(status if Path(sys.argv[2]).stat().st_size == size else 1)
"""


class Processes(FolderTest):
    def python(self, program, *words, **options):
        return subprocess.Popen([sys.executable, "-c", program, self.folder, *words], **options)

    def left(self):
        return list(self.folder.glob(".*"))

    def test_a_command_s_status_is_told_and_all_that_it_says_is_kept(self):
        self.assertEqual(run(["sh", "-c", "echo one; echo two >&2; exit 3"]), (3, "one\ntwo\n"))
        self.assertEqual(run(["/no such/program"])[0], 127)

    def test_a_folder_for_work_is_gone_when_the_work_is_done(self):
        self.assertEqual(run_with_folder(self.folder, lambda folder: 5 if folder.is_dir() and not (folder / "x").mkdir() else 0), 5)

        def fails(_):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            raise RuntimeError
        self.assertEqual(run_with_folder(self.folder, fails), 2)
        self.assertEqual(self.left(), [])

    def test_whoever_waits_for_work_is_told_that_it_goes_on_and_nothing_when_it_is_done(self):
        said = self.write("said", "")
        with open(said, "w", encoding="ascii") as file, self.python(TELLS, said, stderr=file) as process:
            self.assertEqual(process.wait(30), 7)
        self.assertTrue(said.read_text().startswith("still\nstill\n"))

    def test_a_signal_ends_the_work_and_what_it_has_started_and_the_folder_is_gone_too(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.python(WAITS, stdout=subprocess.PIPE) as process:
                while not list(self.folder.glob(".*/said")):
                    time.sleep(0.001)
                process.send_signal(number)
                self.assertEqual(process.stdout.read(), b"")  # nobody has it open any more, `sleep` neither
                self.assertEqual(process.wait(), 128 + number)
            self.assertEqual(self.left(), [])
