"""tests/chapters/mutants.py: each wrong copy of a chapter differs from it where its mutant says, and nowhere else."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MUTANTS = pathlib.Path(__file__).resolve().parents[1] / "chapters/mutants.py"
CHAPTER = """#include <cstdio>
#include "kernels.cuh"

constexpr int width = 2;

constexpr int twice(int n)
{
    return 2 * n;
}

struct Row
{
    int first = 1;

    int sum(int n) const
    {
        return first + n;
    }
};

int main(int argc, char**)
{
    constexpr int four = twice(width);
    std::printf("%d %d %d %d\\n", width, four, Row{}.sum(argc), staged<10>(argc));
    return 0;
}
"""
KERNELS = """#pragma once

template<int factor>
int staged(int n)
{
    const int last = 3;
    __shared__ int tile[4];
    for (int i = 0; i < 4; ++i) {
        tile[i] = factor * i;
    }
    return tile[last] + n;
}
"""
TRUE = "2 4 2 31"
# What the chapter prints with each mistake, and whether the chapter is copied for it.
MISTAKES = {
    "in_a_function: x\n- tile[last] + n\n+ tile[last] - n\n": ("2 4 2 29", False),
    "in_the_same: x\n- factor * i;\n+ factor + i;\n": ("2 4 2 14", False),
    "of_two_lines: x\n- }\n-     return tile\n+ }\n+     return 1 + tile\n": ("2 4 2 32", False),
    "in_a_member: x\n- first + n\n+ first - n\n": ("2 4 0 31", False),
    "that_goes: x\n- first +\n": ("2 4 1 31", False),
    "before_the_shared_variable: x\n- last = 3\n+ last = 2\n": ("2 4 2 21", True),
    "in_a_constexpr_function: x\n- 2 * n\n+ 3 * n\n": ("2 6 2 31", True),
    "outside_of_functions: x\n- width = 2\n+ width = 5\n": ("5 10 2 31", True),
    "across_functions: x\n- n;\n- }\n- \n- struct Row\n+ n + 1;\n+ }\n+ \n+ struct Row\n": ("2 5 2 31", True),
}


def name_of(mutant):
    return mutant.split(":")[0]


class EveryMutant(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "chapter.cu").write_text(CHAPTER)
        (self.folder / "kernels.cuh").write_text(KERNELS)

    def program(self, mutants):
        """The source of the program of these mutants, and the program."""
        (self.folder / "mutants.txt").write_text("\n".join(mutants))
        subprocess.run([sys.executable, MUTANTS, "chapter.cu", "mutants.txt", "all.cpp"], cwd=self.folder, check=True)
        subprocess.run(["c++", "-std=c++20", "-D__host__=", "-D__device__=", "-D__shared__=static", "all.cpp",
                        "-o", "all"], cwd=self.folder, check=True)
        return (self.folder / "all.cpp").read_text(), self.folder / "all"

    def test_is_the_chapter_but_for_its_mistake(self):
        source, program = self.program(MISTAKES)
        for mutant, (printed, _) in [("unchanged", (TRUE, False)), *MISTAKES.items()]:
            with self.subTest(name_of(mutant)):
                ran = subprocess.run([program, name_of(mutant)], capture_output=True, text=True)
                self.assertEqual((ran.returncode, ran.stdout.strip()), (0, printed))
        copied = [name_of(mutant) for mutant, (_, copied) in MISTAKES.items() if copied]
        self.assertEqual(re.findall(r"^namespace (\w+)", source, re.M), ["chapter", *copied])
        self.assertEqual(source.count("int tile[4]"), 1 + len(copied), "shared variables add up")

    def test_whose_text_is_gone_is_a_failing_test(self):
        gone = "gone: x\n- tile[first]\n+ tile[last]\n"
        ran = subprocess.run([self.program([gone])[1], "gone"], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("There is no 'gone' here: the text that it replaces is not in chapter.cu any more", ran.stdout)


if __name__ == "__main__":
    unittest.main()
