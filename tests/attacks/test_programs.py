"""Programs of a reader's own that once took the place of their source, were not understood, or took minutes."""

import json
import os
import subprocess
from pathlib import Path

from tests.attacks.disk import on_full_disk
from tests.folder import FolderTest

COMPILE_CUDA = os.environ["COMPILE_CUDA"]
CHAPTER = Path(os.environ["CHAPTERS_FOLDER"], "03_coarsening")
MAIN = "int main() { int* x; cudaMalloc(&x, 4096); k<<<1, 32>>>(x); return cudaDeviceSynchronize(); }\n"
KERNEL = "__global__ void k(int* x) { x[threadIdx.x] = 1; }\n"


class Programs(FolderTest):
    def run_it(self, *words, program=COMPILE_CUDA, status=0):
        """What came of the program with these words, which ends with the status."""
        done = subprocess.run([program, *words], cwd=self.folder, capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_no_output_takes_the_place_of_what_is_read(self):
        texts = {"m.cu": '#include "m.cuh"\n' + MAIN, "m.cuh": KERNEL, "data": "1 2 3\n", "card.json": "{}\n"}
        for name, text in texts.items():
            self.write(name, text)
        (self.folder / "hard").hardlink_to(self.folder / "m.cu")
        (self.folder / "link").symlink_to("m.cu")
        for words in (["-o", "m.cu"], ["-o", "hard"], ["-o", "link"], ["-o", "m.cuh"], ["--json", "m.cu"], ["--json", "link"],
                      ["--json", "m.cuh"], ["--json", "data", "--", "data"], ["--json", "./card.json", "--card", "card.json"]):
            done = self.run_it("m.cu", *words, status=1 if "m.cuh" in words else 2)  # a header is known as it is compiled
            self.assertIn("would overwrite the input", done.stderr, words)
        self.assertEqual({name: (self.folder / name).read_text() for name in texts}, texts)

    def test_the_results_of_a_chapter_do_not_take_the_place_of_its_card(self):
        own = json.dumps({"schema": 2, "base": "h200", "name": "Z1", "basis": "x", "doubt": "", "limits": {}, "constants": {}})
        self.write("own.json", own)
        (self.folder / "hard").hardlink_to(self.folder / "own.json")
        for option in ("--json", "--csv"):
            done = self.run_it("--quick", option, "hard", "--card", "own.json", program=CHAPTER, status=2)
            self.assertIn("are the same file", done.stderr)
        self.assertEqual((self.folder / "own.json").read_text(), own)

    def test_letters_beyond_ascii_are_letters(self):
        self.write("m.cu", "namespace größe { template<class T> __global__ void füllen(T* x) { x[threadIdx.x] = 1; } }\n"
                   "__global__ void 核(int* x) { __shared__ int ß[32]; ß[threadIdx.x] = 2; __syncthreads(); x[threadIdx.x] = ß[31 - threadIdx.x]; }\n"
                   "int main() { int* x; cudaMalloc(&x, 4096); größe::füllen<int><<<1, 32>>>(x); 核<<<1, 32>>>(x);\n"
                   "    return cudaDeviceSynchronize(); }\n")
        done = self.run_it("m.cu", "--no-model")
        self.assertIn("größe::füllen", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^核 ")

    def test_the_linker_s_reason_is_kept(self):
        self.write("m.cu", KERNEL + MAIN)
        done = self.run_it("m.cu", "-lnone_that_is_there", status=1)
        self.assertIn("cannot find -lnone_that_is_there", done.stderr)
        self.assertNotIn("ld returned", done.stderr)

    def test_a_full_disk_is_told_for_what_it_is_and_nothing_is_left(self):
        source, small = self.write("m.cu", KERNEL + MAIN), self.folder / "small"
        small.mkdir()
        link, temporary = ": final link failed: ", "error writing to .*: "
        for size, program, reason in (("8k", "m", ""), ("1m", "m", link), ("4k", self.folder / "m", temporary)):
            done = on_full_disk(small, size, "env", f"TMPDIR={'.' if reason == temporary else self.folder}", COMPILE_CUDA, source, "-o", program)
            said, _, sentence = done.stderr.partition("\n")
            self.assertRegex(said, f"{reason}'?No space left on device")
            self.assertRegex(sentence, "cannot write .*/m: its disk or that of temporary files is full.*the program is not the cause")
            self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_parentheses_take_no_longer_than_g_plus_plus(self):
        deep = 20000
        self.write("m.cu", KERNEL + MAIN.replace("{ int*", f"{{ int y = {'(' * deep}1{')' * deep}; (void)y; int*"))
        self.assertLess(self.seconds(lambda: self.run_it("m.cu", "-o", "m")), 15)
        self.write("n.cu", KERNEL.replace("= 1", f"= {'x[' * deep}1{']' * deep}"))
        rewriter = Path(COMPILE_CUDA).with_name("cpu_device") / "launch_rewriter"
        self.assertLess(self.seconds(lambda: self.run_it("n.cu", "n.cpp", program=rewriter)), 3)

    @staticmethod
    def seconds(work):
        """Of a processor, which what others do on this machine does not lengthen."""
        before = os.times()
        work()
        return os.times().children_user - before.children_user

    def test_a_card_with_a_long_name_or_a_tiny_constant_is_refused_at_once(self):
        def refuse():
            for constants in ({"x" * 1000000: 1}, {"dram_ns": 5e-324}):
                self.write("own.json", json.dumps({"schema": 2, "base": "h200", "name": "Z1", "basis": "x", "doubt": "", "limits": {}, "constants": constants}))
                done = self.run_it("--quick", "--card", "own.json", program=CHAPTER, status=2)
                self.assertRegex(done.stderr, "is not a property of a GPU|not a number from 1e-09")
        self.assertLess(self.seconds(refuse), 1.5)
