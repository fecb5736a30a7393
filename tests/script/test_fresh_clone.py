"""A newcomer's first minute: a clone in a path with spaces, in a narrow German terminal."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


class FreshClone(unittest.TestCase):
    def setUp(self):
        above = pathlib.Path(tempfile.mkdtemp(prefix="a new clone "))
        self.addCleanup(shutil.rmtree, above)
        self.root = above / "moving bytes"
        shutil.copytree(REPOSITORY, self.root,
                        ignore=shutil.ignore_patterns("build", ".git", ".cache", "__pycache__"))

    def run_it(self, *arguments, **options):
        environment = {**os.environ, "LC_ALL": "de_DE.UTF-8", "COLUMNS": "60"}
        return subprocess.run([self.root / "run", "--device", "cpu", *arguments], env=environment,
                              capture_output=True, text=True, timeout=280, check=False,
                              stdin=subprocess.DEVNULL, **options)

    def test_one_chapter_runs_and_the_second_time_at_once(self):
        first = self.run_it("01", "--n", "1000003", "--json", "x.json", cwd=self.root.parent)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("01_basic_vecadd", first.stdout)
        written = json.loads((self.root.parent / "x.json").read_text())
        self.assertEqual(written["chapter"], "01_basic_vecadd")

        built = (self.root / "build/cpu/bin/01_basic_vecadd").stat().st_mtime_ns
        second = self.run_it("01", "--list", cwd="/")
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertEqual((self.root / "build/cpu/bin/01_basic_vecadd").stat().st_mtime_ns, built)

        # A reader's own file, with a space in its name too.
        mine = self.root.parent / "my first.cu"
        mine.write_text(MINE)
        counted = self.run_it(mine, "--json", "mine.json", "1000", cwd=self.root.parent)
        self.assertEqual(counted.returncode, 0, counted.stderr)
        self.assertIn("999 doubled is 1998", counted.stdout)
        row, = json.loads((self.root.parent / "mine.json").read_text())["rows"]
        self.assertEqual((row["variant"], row["counts"]["load_requests"]), ("twice", 32))

        # And one with a mistake.
        mine.write_text(MINE.replace("if (i < n)", ""))
        fault = self.run_it(mine, "1000")
        self.assertEqual(fault.returncode, 6, fault.stderr)
        for word in ("twice", "block", "thread"):
            self.assertIn(word, fault.stderr)


MINE = r"""
#include <cstdio>
#include <cstdlib>
__global__ void twice(int* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}
int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;
    int* x;
    cudaMallocManaged(&x, n * sizeof(int));
    for (int i = 0; i < n; ++i) x[i] = i;
    twice<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
    printf("%d doubled is %d\n", n - 1, x[n - 1]);
}
"""

if __name__ == "__main__":
    unittest.main()
