"""tests/remembered.py: what passed is not repeated, and a fault behind a pass that is remembered is found."""

import os
import subprocess
import sys
from pathlib import Path

from tests.folder import FolderTest

REMEMBERED = Path(__file__).resolve().parents[1] / "remembered.py"


class Remembered(FolderTest):
    def setUp(self):
        super().setUp()
        self.write("data/limit.txt", "3")
        self.program("test $1 -le $(cat data/limit.txt)")

    def program(self, text):
        self.write("program", f"#!/bin/sh\necho ran >> runs\n{text}\n").chmod(0o755)

    def check(self, *arguments, **environment):
        """The status, whether the program ran, and whether the check said that it is remembered."""
        before = self.runs()
        variables = {name: value for name, value in os.environ.items() if not name.startswith("MOVING_BYTES_")}
        done = subprocess.run([sys.executable, REMEMBERED, "--input", self.folder / "data", "--", self.folder / "program", *arguments],
                              cwd=self.folder, capture_output=True, text=True,
                              env={**variables, "MOVING_BYTES_REMEMBER": str(self.folder / "passed"), **environment})
        return done.returncode, self.runs() > before, "remembered: " in done.stdout

    def runs(self):
        path = self.folder / "runs"
        return len(path.read_text().splitlines()) if path.exists() else 0

    RAN, REMEMBERED, FAILED = (0, True, False), (0, False, True), (1, True, False)

    def test_what_passed_is_not_repeated(self):
        self.assertEqual(self.check("2"), self.RAN)
        self.assertEqual(self.check("2"), self.REMEMBERED)
        self.assertEqual(self.check("3"), self.RAN)  # another argument

    def test_a_program_that_broke_fails_behind_a_pass(self):
        self.check("2")
        self.program("exit 1")
        self.assertEqual(self.check("2"), self.FAILED)
        self.assertEqual(self.check("2"), self.FAILED)  # a failure is not remembered

    def test_so_does_one_whose_data_changed(self):
        self.check("2")
        (self.folder / "data/limit.txt").write_text("1")
        self.assertEqual(self.check("2"), self.FAILED)
        (self.folder / "data/limit.txt").write_text("3")
        self.assertEqual(self.check("2"), self.REMEMBERED)  # all is as it was

    def test_and_one_that_a_variable_breaks(self):
        self.program("test -z $MOVING_BYTES_BROKEN")
        self.check("2")
        self.assertEqual(self.check("2", MOVING_BYTES_BROKEN="yes"), self.FAILED)

    def test_nobody_who_does_not_ask_for_it_is_spared_a_run(self):
        self.check("2")
        self.assertEqual(self.check("2", MOVING_BYTES_REMEMBER=""), self.RAN)

    def test_what_is_skipped_is_not_remembered(self):
        self.program("exit 77")
        self.assertEqual(self.check("2"), (77, True, False))
        self.assertEqual(self.check("2"), (77, True, False))
