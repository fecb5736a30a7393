"""Answers that would rather judge themselves. COMPILE_CUDA and ARCHIVE are the build's, of exercise 01.1."""

import os
import subprocess

from tests.folder import FolderTest
from tests.script.terminal import in_a_terminal

SOLUTION = """#include <cstddef>
#include <cstdlib>
__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
void solve(const float* a, const float* b, float* c, std::size_t n)
{
    add<<<static_cast<unsigned>((n + 255) / 256), 256>>>(a, b, c, n);
}
"""
LAUNCH = "    add<<<"


class CheatsTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.source, self.program = self.folder / "answer.cu", self.folder / "answer"

    def compile(self, source):
        self.source.write_text(source)
        return subprocess.run([os.environ["COMPILE_CUDA"], str(self.source), os.environ["ARCHIVE"],
                               "-o", str(self.program)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=120, check=False)

    def check(self, source):
        compiled = self.compile(source)
        self.assertEqual(compiled.returncode, 0, compiled.stdout)
        return subprocess.run([str(self.program)], stdout=subprocess.PIPE, text=True, timeout=120, check=False)


class Cheats(CheatsTest):
    def test_an_honest_answer_is_accepted(self):
        checked = self.check(SOLUTION)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        self.assertNotIn("MISSED", checked.stdout)

    def test_the_check_leaves_nothing_in_a_folder_for_temporary_files_and_needs_none(self):
        self.assertEqual(self.compile(SOLUTION).returncode, 0)
        for folder in (self.source.parent / "nowhere", self.source.parent):
            before = sorted(self.source.parent.iterdir())
            checked = subprocess.run([str(self.program)], stdout=subprocess.PIPE, text=True, timeout=120, check=False,
                                     env={**os.environ, "TMPDIR": str(folder)})
            self.assertEqual(checked.returncode, 0, checked.stdout)
            self.assertEqual(sorted(self.source.parent.iterdir()), before)

    def test_in_a_narrow_terminal_goals_and_evidence_are_wrapped(self):
        self.assertEqual(self.compile(SOLUTION.replace("std::size_t{blockIdx.x} * blockDim.x + ", "")).returncode, 0)
        status, shown, _ = in_a_terminal(str(self.program), columns=40)
        self.assertEqual(status, 1)
        self.assertIn("MISSED produces the correct output for", shown)
        self.assertLessEqual(max(map(len, shown.splitlines())), 40)

    def test_goals_and_a_main_of_its_own_do_not_link(self):
        for name, definition in (("goals", "namespace common { class Attempt; }\nvoid goals(common::Attempt&) {}\n"),
                                 ("main", "int main() { return 0; }\n")):
            compiled = self.compile(SOLUTION + definition)
            self.assertNotEqual(compiled.returncode, 0)
            self.assertRegex(compiled.stdout, f"multiple definition of .{name}")

    def test_an_end_of_the_program_is_no_success(self):
        for end in ("std::exit(0);\n", "std::_Exit(0);\n", "std::abort();\n", "throw 0;\n"):
            checked = self.check(SOLUTION.replace(LAUNCH, f"{end}{LAUNCH}"))
            self.assertEqual(checked.returncode, 1, checked.stdout)
            self.assertIn("MISSED runs to completion", checked.stdout)
