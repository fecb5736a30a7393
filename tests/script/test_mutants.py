"""tests/chapters/mutants.py: each mutant differs from its chapter where it says, and nowhere else."""

import pathlib
import subprocess
import sys

from tests.folder import FolderTest

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
# What the chapter prints with each mistake.
MISTAKES = {
    "in_a_function: x\n- tile[last] + n\n+ tile[last] - n\n": "2 4 2 29",
    "in_the_same: x\n- factor * i;\n+ factor + i;\n": "2 4 2 14",
    "of_two_lines: x\n- }\n-     return tile\n+ }\n+     return 1 + tile\n": "2 4 2 32",
    "in_a_member: x\n- first + n\n+ first - n\n": "2 4 0 31",
    "that_goes: x\n- first +\n": "2 4 1 31",
}
NO_MISTAKES = (
    "gone: x\n- tile[first]\n+ tile[last]\n",
    "before_the_shared_variable: x\n- last = 3\n+ last = 2\n",
    "in_a_constexpr_function: x\n- 2 * n\n+ 3 * n\n",
    "outside_of_functions: x\n- width = 2\n+ width = 5\n",
    "across_functions: x\n- n;\n- }\n- \n- struct Row\n+ n + 1;\n+ }\n+ \n+ struct Row\n",
)


def name_of(mutant):
    return mutant.split(":")[0]


class EveryMutant(FolderTest):
    def setUp(self):
        super().setUp()
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
        for mutant, printed in [("unchanged", TRUE), *MISTAKES.items()]:
            with self.subTest(name_of(mutant)):
                ran = subprocess.run([program, name_of(mutant)], capture_output=True, text=True)
                self.assertEqual((ran.returncode, ran.stdout.strip()), (0, printed))
        self.assertEqual(source.count("int tile[4]"), 1, "shared variables add up")

    def test_whose_text_is_not_where_it_can_be_changed_is_a_failing_test(self):
        _, program = self.program(NO_MISTAKES)
        for mutant in NO_MISTAKES:
            ran = subprocess.run([program, name_of(mutant)], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 2)
            self.assertIn(f"There is no '{name_of(mutant)}' here: the text that it replaces is not in chapter.cu any more", ran.stdout)
