"""./run mine.cu from the driver on: what becomes of a program's table, its faults and what is left behind.

    test_driver.py COMPILE_CUDA
"""

import fcntl
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "script"))
from terminal import in_a_terminal  # noqa: E402

COMPILE_CUDA = os.path.abspath(sys.argv.pop(1))
PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
struct With_a_long_name {};
template<class T>
__global__ void a_kernel_with_a_name_that_is_long(float* x, T, int n)
{
    if (threadIdx.x < n) x[threadIdx.x] *= 2;
}
int main(int argc, char** argv)
{
    float* x;
    cudaMalloc(&x, 4096);
    cudaMemset(x, 0, 4096);
    a_kernel_with_a_name_that_is_long<<<1, 256>>>(x, With_a_long_name(), 256);
    auto other = [] {};
    a_kernel_with_a_name_that_is_long<<<1, 256>>>(x, other, 256);
    cudaDeviceSynchronize();
    for (int i = 1; i < argc; ++i)
        if (fork() == 0) return printf("%s\\n", argv[i]), 0;
    while (wait(nullptr) > 0) {}
    return 5;
}
"""


class Driver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="two words ")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "mine.cu").write_text(PROGRAM)
        cls.compile("mine.cu", "-o", "mine")

    @classmethod
    def compile(cls, *words, **options):
        return subprocess.run([COMPILE_CUDA, *words], cwd=cls.folder, capture_output=True, text=True, check=False,
                              **options)

    def test_nothing_is_left_beside_the_program_where_one_of_its_files_does_not_compile(self):
        sources = {"fine.cpp": "int f() { return 1; }\n", "wrong.cu": "int main() { return x; }\n"}
        for name, text in sources.items():
            (self.folder / name).write_text(text)
        self.assertEqual(self.compile(*sources, "-o", "wrong").returncode, 1)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), sorted(["mine", "mine.cu", *sources]))
        for name in sources:
            (self.folder / name).unlink()

    def test_what_a_driver_that_was_killed_left_is_gone_after_the_next_and_what_is_in_use_stays(self):
        def folders():
            return set(self.folder.glob(".compiling-*"))

        def in_use(folder):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            finally:
                os.close(descriptor)
            return False
        (self.folder / "slow.cpp").write_text("#include </dev/stdin>\nint main() {}\n")  # read until that is closed
        command = [COMPILE_CUDA, "slow.cpp", "-o", "slow"]
        killed = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        killed.stdin.write(b"\n" * (1 << 20))  # more than a pipe holds: the compiler has begun to read when this returns
        killed.stdin.flush()
        left = folders()
        self.assertEqual(len(left), 1)
        killed.kill()
        killed.wait()
        self.assertEqual(self.compile("mine.cu", "-o", "mine").returncode, 0)
        self.assertEqual(folders(), left)  # its compiler still runs
        killed.stdin.close()
        while in_use(*left):
            time.sleep(0.01)
        self.assertTrue((self.folder / "slow").exists())
        self.assertEqual(self.compile("mine.cu", "-o", "mine").returncode, 0)
        self.assertEqual(folders(), set())
        for name in ("slow", "slow.cpp"):
            (self.folder / name).unlink()

    def test_the_table_fits_a_terminal_of_60_columns(self):
        status, shown, _ = in_a_terminal(str(self.folder / "mine"), columns=60)
        self.assertEqual(status, 5)
        self.assertIn("2 kernel launches", shown)
        for line in shown.splitlines():
            self.assertLessEqual(len(line), 60, line)

    def test_a_program_that_forks_tells_its_kernels_once(self):
        shown = subprocess.run([self.folder / "mine", "one", "two"], capture_output=True, text=True, check=False).stdout
        self.assertEqual(len(re.findall("kernel launches", shown)), 1, shown)
        self.assertTrue("one\n" in shown and "two\n" in shown)

    def test_it_is_run_with_its_arguments_and_what_is_asked_of_the_count(self):
        done = self.compile("mine.cu", "--json", "counts.json", "--no-model", "three")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("three\n", done.stdout)
        self.assertNotIn("Modelled", done.stdout)
        self.assertEqual(len(json.loads((self.folder / "counts.json").read_text())["rows"]), 2)
        (self.folder / "counts.json").unlink()

    def test_what_does_not_compile_is_said_last(self):
        (self.folder / "wrong.cu").write_text("int main() { return x; }\n")
        done = self.compile("wrong.cu")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.splitlines()[-1],
                         "run: wrong.cu: this does not compile; the lines above say why.")
        (self.folder / "wrong.cu").unlink()

    def test_words_that_are_refused_compile_nothing(self):
        refused = self.compile("--json", "mine.cu")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("no program is left to run", refused.stderr)


if __name__ == "__main__":
    unittest.main()
