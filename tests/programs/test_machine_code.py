"""Registers by nvcc, and instructions by nvdisasm: programs that stand in for them say them, and the modelled time follows.

    test_machine_code.py COMPILE_CUDA
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

INSTRUCTION = "        /*0010*/                   {} ;\n"
DISASSEMBLY = """
.text._Z4copyIfEvPKT_PS0_:
        //## File "/home/reader/copy.cu", line 3
        /*0000*/                   LDG.E R0, desc[UR4][R2.64] ;
{}        /*0020*/                   STG.E desc[UR4][R2.64], R0 ;
        /*0030*/                   EXIT ;
"""


class MachineCode(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="two words ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "copy.cu").write_text(KERNEL)

    def shown(self, nvcc, *options, nvdisasm="exit 1\n"):
        """What the program prints, with a program for nvcc, or none, and one for nvdisasm."""
        path = [folder for folder in os.environ["PATH"].split(":") if not (pathlib.Path(folder) / "nvcc").exists()]
        path.insert(0, str(self.folder))
        for name, text in (("nvcc", nvcc), ("nvdisasm", nvdisasm)):
            program = self.folder / name
            program.unlink(missing_ok=True)
            if text is not None:
                program.write_text("#!/bin/sh\n" + text)
                program.chmod(0o755)
        environment = {**os.environ, "PATH": ":".join(path)}
        subprocess.run([COMPILE_CUDA, *options, self.folder / "copy.cu", "-o", self.folder / "copy"],
                       env=environment, check=True)
        return subprocess.run([self.folder / "copy"], env=environment, check=True, capture_output=True, text=True).stdout

    def modelled(self, nvcc, *options, **others):
        """What it says of its model, and the time."""
        shown = self.shown(nvcc, *options, **others)
        ms = float(re.search(r"^copy +([0-9.]+) +[0-9]+ +[a-z]", shown, re.MULTILINE)[1])
        return shown[shown.index("Modelled"):], ms

    def says(self, registers):
        return f"cat <<'END' >&2\n{PTXAS.format(registers)}END\n"

    def disassembly(self, middle):
        return f"cat <<'END'\n{DISASSEMBLY.format(middle)}END\n"

    def test_a_kernel_takes_as_long_as_its_instructions(self):
        times = []
        for instructions in (4, 1000):
            nvdisasm = self.disassembly(INSTRUCTION.format("FFMA R0, R0, R0, R0") * instructions)
            text, ms = self.modelled(self.says(24), "--registers", nvdisasm=nvdisasm)
            self.assertIn("a launch with cold caches; not timed", text)
            times.append(ms)
        self.assertGreater(times[1], 2 * times[0])
        self.assertRegex(text, r"(?m)^copy .* issue ")
        self.assertIn("A warp executes 1 003 instructions, of which 2.0 ask for memory.", text)

    def test_without_nvdisasm_they_are_assumed(self):
        for nvdisasm in ("exit 1\n", "echo not a disassembly\n"):
            text, _ = self.modelled(self.says(24), "--registers", nvdisasm=nvdisasm)
            self.assertIn("without its arithmetic", text)

    def test_no_time_is_modelled_of_a_loop_that_nobody_has_counted(self):
        loop = ".L_x_0:\n" + INSTRUCTION.format("FFMA R0, R0, R0, R0") + INSTRUCTION.format("@P0 BRA `(.L_x_0)")
        shown = self.shown(self.says(24), "--registers", nvdisasm=self.disassembly(loop))
        self.assertIn("copy has no modelled time: a loop of arithmetic at copy.cu:3 asks for no memory", " ".join(shown.split()))

    def test_fewer_blocks_live_where_threads_have_many_registers(self):
        few, fast = self.modelled(self.says(24), "--registers")
        many, slow = self.modelled(self.says(255), "--registers")
        for text, registers in ((few, "24"), (many, "255")):
            self.assertIn("Registers a thread are nvcc's:", text)
            self.assertRegex(text, rf"(?m)^copy .* {registers}$")
        self.assertGreater(slow, 1.5 * fast)

    def test_without_nvcc_they_are_assumed(self):
        known, _ = self.modelled(self.says(24), "--registers")
        self.assertNotIn("assumed", known)
        for nvcc, options in ((None, ["--registers"]), ("exit 1\n", ["--registers"]), (self.says(24), [])):
            with self.subTest(nvcc=nvcc, options=options):
                text, _ = self.modelled(nvcc, *options)
                self.assertIn("32 registers a thread are assumed:", text)
                self.assertNotIn("nvcc", text)

    def test_of_other_kernels_they_are_assumed(self):
        text, _ = self.modelled(self.says(24).replace("4copy", "5other"), "--registers")
        self.assertIn("32 registers a thread are assumed:", text)


if __name__ == "__main__":
    unittest.main()
