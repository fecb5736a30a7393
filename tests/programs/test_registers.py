"""Registers by nvcc: a program that stands in for it says them, and the modelled time follows.

    test_registers.py COMPILE_CUDA
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

COMPILE_CUDA = sys.argv.pop(1)
KERNEL = """
template<class T>
__global__ void copy(const T* a, T* c) { c[blockIdx.x * blockDim.x + threadIdx.x] = a[blockIdx.x * blockDim.x + threadIdx.x]; }
int main()
{
    float *a, *c;
    cudaMalloc(&a, 4 << 22);
    cudaMalloc(&c, 4 << 22);
    copy<<<(1 << 22) / 256, 256>>>(a, c);
    return cudaDeviceSynchronize();
}
"""
PTXAS = """
ptxas info    : Compiling entry function '_Z4copyIfEvPKT_PS0_' for 'sm_90'
ptxas info    : Function properties for _Z4copyIfEvPKT_PS0_
ptxas info    : Used {} registers, used 0 barriers
"""


class Registers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="two words ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "copy.cu").write_text(KERNEL)

    def compiled(self, nvcc, *options):
        """What its compilation prints, with a program for nvcc, or none."""
        path = [folder for folder in os.environ["PATH"].split(":") if not (pathlib.Path(folder) / "nvcc").exists()]
        path.insert(0, str(self.folder))
        program = self.folder / "nvcc"
        program.unlink(missing_ok=True)
        if nvcc is not None:
            program.write_text("#!/bin/sh\n" + nvcc)
            program.chmod(0o755)
        return subprocess.run([COMPILE_CUDA, *options, self.folder / "copy.cu", "-o", self.folder / "copy"],
                              env={**os.environ, "PATH": ":".join(path)}, check=True, stderr=subprocess.PIPE, text=True).stderr

    def shown(self, nvcc, *options):
        """What the program prints."""
        self.compiled(nvcc, *options)
        return subprocess.run([self.folder / "copy"], check=True, capture_output=True, text=True).stdout

    def modelled(self, nvcc, *options):
        """What it says of its model, and the time."""
        shown = self.shown(nvcc, *options)
        ms = float(re.search(r"^copy +([0-9.]+) \(", shown, re.MULTILINE)[1])
        return shown[shown.index("Modelled"):], ms

    def says(self, registers):
        return f"cat <<'END' >&2\n{PTXAS.format(registers)}END\n"

    def test_fewer_blocks_live_where_threads_have_many_registers(self):
        few, fast = self.modelled(self.says(24), "--registers")
        many, slow = self.modelled(self.says(255), "--registers")
        for text, registers in ((few, "24"), (many, "255")):
            self.assertIn("Registers per thread are nvcc's:", text)
            self.assertRegex(text, rf"(?m)^copy .* {registers}$")
        self.assertGreater(slow, 1.5 * fast)

    def test_a_launch_with_more_registers_than_a_block_may_have_fails_as_on_a_gpu(self):
        wide = KERNEL.replace("/ 256, 256>>>", "/ 1024, 1024>>>")
        last = wide.replace("return cudaDeviceSynchronize()", 'printf("%d\\n", cudaGetLastError())')
        (self.folder / "copy.cu").write_text("#include <cstdio>" + last)
        self.assertTrue(self.shown(self.says(64), "--registers").startswith("0\n"))
        refused = self.shown(self.says(65), "--registers")
        self.assertTrue(refused.startswith("701\n"), refused)
        self.assertIn("0 kernel launches", refused)
        self.assertRegex(self.shown(None), r"assumed;\s+with\s+more\s+than\s+64,\s+a\s+GPU\s+refuses\s+blocks\s+of\s+1024:")

    def test_what_nvcc_refuses_is_told(self):
        refuses = '[ "$1" = --version ] && exit\necho "copy.cu(3): error: no such thing" >&2\nexit 1\n'
        said = self.compiled(refuses, "--registers")
        self.assertIn("nvcc rejects", said)
        self.assertIn("copy.cu(3): error: no such thing", said)

    def test_without_nvcc_they_are_assumed(self):
        known, _ = self.modelled(self.says(24), "--registers")
        self.assertNotIn("assumed", known)
        for nvcc, options in ((None, ["--registers"]), ("exit 1\n", ["--registers"]), (self.says(24), [])):
            with self.subTest(nvcc=nvcc, options=options):
                text, _ = self.modelled(nvcc, *options)
                self.assertIn("32 registers per thread are assumed:", text)
                self.assertNotIn("nvcc", text)

    def test_of_other_kernels_they_are_assumed(self):
        text, _ = self.modelled(self.says(24).replace("4copy", "5other"), "--registers")
        self.assertIn("32 registers per thread are assumed:", text)


if __name__ == "__main__":
    unittest.main()
