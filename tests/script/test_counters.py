"""./run counters: a table of Nsight Compute next to the CPU device's counts.

No table that ncu itself wrote is in the repository: the layouts are those of its documentation (Nsight Compute CLI, sections on pages and
on CSV). The numbers of HardwareReasons were read on an H200.
"""

import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import types
import unittest

from tools.results import counters
from tools.results.hardware_counters import COUNTS, metrics
from tools.results.schema import NotResults
from tools.words import Refused

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILE_CUDA = pathlib.Path(os.environ["COMPILE_CUDA"])
PROGRAM = """
__global__ void add(const float* a, float* b) { int i = blockIdx.x * 256 + threadIdx.x; b[i] = a[i] + 1; }
namespace lib { template<class T> __global__ void scale(T* b) { b[blockIdx.x * 256 + threadIdx.x] *= 2; } }
int main(int argc, char**)
{
    float *a, *b;
    cudaMalloc(&a, 1 << 22);
    cudaMalloc(&b, 1 << 22);
    cudaMemset(a, 0, 1 << 22);
    for (int i = 0; i < 3; ++i)
        add<<<4096 / argc, 256>>>(a, b);
    lib::scale<float><<<4096, 256>>>(b);
    return cudaDeviceSynchronize();
}
"""
FIXED = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"]
LOADS, LOAD_SECTORS = COUNTS["load_requests"], COUNTS["load_sectors"]
STORE_SECTORS, READ = COUNTS["store_sectors"], "dram__bytes_read.sum"
UNITS = {READ: "byte", counters.DURATION: "nsecond", LOADS: "request", LOAD_SECTORS: "sector", STORE_SECTORS: "sector"}
LIKE_HERE = {LOADS: "32,768", LOAD_SECTORS: "131,072", STORE_SECTORS: "131,072", READ: "4,200,000", counters.DURATION: "6,100"}
ADD, SCALE = "add(const float *, float *)", "void lib::scale<float>(T1 *)"


def line(*cells):
    return ",".join(f'"{cell}"' for cell in cells) + "\n"


def fixed(at, kernel, grid="(4096, 1, 1)"):
    return [at, 77, "mine", "127.0.0.1", kernel, 1, 7, "(256, 1, 1)", grid, 0, "9.0"]


def raw(*launches):
    """The page raw: a column for each metric, their units below the heads. A launch: kernel, values that differ, grid."""
    text = line(*FIXED, *LIKE_HERE) + line(*[""] * len(FIXED), *(UNITS[name] for name in LIKE_HERE))
    for at, (kernel, differing, *grid) in enumerate(launches):
        text += line(*fixed(at, kernel, *grid), *{**LIKE_HERE, **differing}.values())
    return "==PROF== Connected to process 77 (/home/me/mine)\nthe program says \"add\"\n" + text + "==PROF== Disconnected\n"


class CountersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="my counters "))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "mine.cu").write_text(PROGRAM)
        cls.build = types.SimpleNamespace(directory=COMPILE_CUDA.parent, make_compiler=lambda *_: None)
        cls.counts = str(cls.folder / "counts.json")
        subprocess.run([COMPILE_CUDA, "--count", "all", "--json", cls.counts, cls.folder / "mine.cu"], check=True, capture_output=True)

    def compare(self, text, *program):
        """What is printed of a table with that text."""
        table = self.folder / "table.csv"
        table.write_bytes(text if isinstance(text, bytes) else text.encode())
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(counters.main(self.build, [str(table), *(program or [self.counts])]), 0)
        self.said = " ".join(said.getvalue().split())
        return said.getvalue()

    def refused(self, text, *program):
        with self.assertRaises((Refused, NotResults)) as refused:
            self.compare(text, *program)
        self.assertTrue(str(refused.exception).endswith((".", "./mine", "FILE.csv")), refused.exception)
        return str(refused.exception)


class Layouts(CountersTest):
    ALIKE = [(ADD, {})] * 3 + [(SCALE, {})]

    def test_a_table_agrees_with_the_counts_of_the_same_program(self):
        said = self.compare(raw(*self.ALIKE))
        self.assertIn("launches 1 to 3: all 5 numbers agree.", said)
        self.assertIn("launch 1: all 5 numbers agree.", said)
        self.assertIn(": in 4, all that both have agrees.", self.said)
        self.assertNotIn("Why", said)

    def test_the_program_itself_is_run_on_the_cpu_device(self):
        self.compare(raw(*self.ALIKE), str(self.folder / "mine.cu"))
        self.assertIn(": in 4, all that", self.said)

    def test_its_arguments_are_its_own_and_a_grid_that_differs_is_named(self):
        said = self.compare(raw(*self.ALIKE), str(self.folder / "mine.cu"), "--", "half")
        self.assertIn("The grid is 4096 in the file and 2048 here: give the program the same arguments, behind --.", " ".join(said.split()))

    def test_a_time_is_in_ms_and_what_ncu_has_not_is_none(self):
        self.assertAlmostEqual(counters.value_of(counters.DURATION, "1,500", "nsecond"), 0.0015)
        self.assertIsNone(counters.value_of("x", "n/a", ""))

    def test_kernels_are_told_apart_by_what_a_launch_knows_of_them(self):
        for name, base, arguments in ((ADD, "add", None), (SCALE, "scale", "float"), ("scale<float>", "scale", "float"),
                                      ("void <unnamed>::tile<(int)32, (bool)1>(const T2 *)", "tile", "32,1"),
                                      ("(anonymous namespace)::k(int (*)[4])", "k", None)):
            self.assertEqual(counters.name_of(name), (base, arguments), name)

    def test_launches_that_one_side_lacks_are_named(self):
        few = self.compare(raw((ADD, {})))
        self.assertIn("On the CPU device alone: add (2), lib::scale<float> (1).", " ".join(few.split()))
        many = self.compare(raw(*[(ADD, {})] * 5))
        self.assertIn("launches 4 to 5: the program launched it fewer times", " ".join(many.split()))

    def test_it_fits_sixty_columns(self):
        said = subprocess.run([ROOT / "run", "counters", self.written(raw((ADD, {LOADS: "8,192", READ: "123"}))), self.counts],
                              capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "60"}, cwd=self.folder)
        self.assertEqual(said.stderr, "")
        self.assertLessEqual(max(map(len, said.stdout.splitlines())), 60, said.stdout)

    def written(self, text):
        (self.folder / "mine.csv").write_text(text)
        return "mine.csv"


class Reasons(CountersTest):
    def test_a_difference_stands_with_both_numbers_and_its_usual_reason(self):
        said = self.compare(raw((ADD, {}), (ADD, {LOAD_SECTORS: "163,840"}), (ADD, {LOADS: "8,192"})))
        self.assertRegex(said, r"launch 2: 4 of 5 numbers agree\.\n.*\n +load_sectors +163,840 +131,072 +\+25\.0 % +\[1\]\n")
        self.assertRegex(said, r"load_requests +8,192 +32,768 +-75\.0 % +\[2\]\n")
        self.assertRegex(said, r"  1 Equally many requests at different addresses[^$]*  2 nvcc merges adjacent accesses")

    def test_what_is_simulated_is_called_so_and_need_not_agree_to_the_last_byte(self):
        self.assertIn("all 5 numbers agree", self.compare(raw((ADD, {READ: "4,500,000"}))))
        said = self.compare(raw((ADD, {READ: "0"})))
        self.assertRegex(said, r"dram_bytes_read, simulated +0 +4,194,304")
        self.assertIn("Caches are simulated, and cold", said)

    def test_a_file_without_comparable_metrics_says_which_to_ask_for(self):
        text = line(*FIXED, "sm__cycles.sum") + line(*[""] * 11, "cycle") + line(*fixed(0, ADD), "5")
        said = " ".join(self.compare(text).split())
        self.assertIn("the file has none of the metrics that can be compared", said)
        self.assertIn(f"--metrics {counters.COMMAND.split('--metrics ')[1]}", said)


class HardwareReasons(unittest.TestCase):
    """What an H200 and the CPU device count differently in this book, read from the results in it."""

    def reasons(self, chapter, variant, results=ROOT / "book/results"):
        def identity(row):
            resources = ("occupancy", "registers", "local_bytes", "constant_bytes", "shared_bytes")
            return row["variant"], {name: value for name, value in row["parameters"].items() if name not in resources}
        hardware = json.loads((results / "nvidia-h200/counters.json").read_text())["rows"]
        here = json.loads((results / f"cpu/{chapter}.json").read_text())["rows"]
        found = {}
        for row in hardware:
            alike = [one for one in here if identity(one) == identity(row)]
            if (row["chapter"], row["variant"], row["large"]) != (chapter, variant, False) or not alike:
                continue
            launch = counters.Launch(variant, None, None)
            for field, value in row["counts"].items():
                for name in metrics(COUNTS[field]):
                    launch.values[name] = value / len(metrics(COUNTS[field]))
            compared = counters.Compared(launch, {**alike[0], "modelled": None})
            self.assertGreater(compared.agree, 0)
            found.update({what: why for what, _, _, why in compared.differences})
        return found

    def test_a_chapter_that_agrees_has_none(self):
        self.assertEqual(self.reasons("03_coarsening", "blocked_x4"), {})

    def test_those_that_are_known_have_theirs(self):
        for chapter, variant, field, why in (("07_shared_memory", "copy_staged", "shared_store_wavefronts", "reads back itself"),
                                             ("07_shared_memory", "copy_async", "shared_store_wavefronts", "asynchronous copies"),
                                             ("07_shared_memory", "stencil_direct", "load_sectors", "the k-th accesses of the lanes, a GPU those that execute together"),
                                             ("09_local_memory", "rotate_capped", "local_load_requests", "spills"),
                                             ("25_contention", "atomic", "atomic_sectors", "a few sectors twice"),
                                             ("28_reduction", "atomic", "atomic_sectors", "adds up what a warp adds")):
            with self.subTest(variant=variant):
                self.assertRegex(self.reasons(chapter, variant).get(field, "no difference"), why)


class Refusals(CountersTest):
    def test_each_is_a_sentence_with_the_way_out(self):
        for text, sentence in (("", r"is empty: ncu writes the table with --csv"),
                               ("a,b\n1,2\n", r'has no column "Kernel Name", so Nsight Compute has not written it with --csv\. A run that does: ncu'),
                               ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n", r"not allowed to read them.*book/in_the_way\.md"),
                               ("==WARNING== No kernels were profiled.\n", r"ncu saw no kernel"),
                               (b"NVR\0\1\2", r"ncu --import REPORT\.ncu-rep --csv"),
                               (line(*FIXED, "x"), r"the head of a table of Nsight Compute and no launch below it"),
                               (line("Process ID", "Kernel Name", "Invocations", "Metric Name"), r"--print-summary"),
                               (line(*FIXED, "Metric Name", "Metric Unit", "Metric Value"), r"page details.*A run that does: ncu"),
                               (line(*FIXED, READ) + line(*[""] * 11, "Mbyte") + line(*fixed(0, ADD), "4.20"), r"line 3, .*--print-units base"),
                               (raw(("other(int)", {})), r"is of another program: it has launches of other, and here add, scale are launched")):
            with self.subTest(sentence=sentence):
                self.assertRegex(self.refused(text), sentence)

    def test_what_is_no_program_and_no_results(self):
        (self.folder / "bad.json").write_text("{}")
        (self.folder / "none.cu").write_text("int main() {}")
        (self.folder / "fails.cu").write_text("int main() { return 7; }")
        table = raw((ADD, {}))
        for program, sentence in (("mine.txt", "neither a program's source"), (str(self.folder / "bad.json"), "does not hold results"),
                                  (str(self.folder / "none.cu"), "launched no kernel"), (str(self.folder / "fails.cu"), "launched no kernel")):
            with self.subTest(program=program):
                self.assertIn(sentence, self.refused(table, program))

    def test_run_ends_with_status_2_and_builds_nothing_for_a_bad_file(self):
        for arguments, sentence in ((["counters"], "ncu --csv --page raw"), (["counters", "missing.csv", "mine.cu"], "No such file"), (["counters", "mine.cu"], "stands where the table")):
            done = subprocess.run([ROOT / "run", *arguments], capture_output=True, text=True, check=False, cwd=self.folder)
            self.assertEqual(done.returncode, 2, done)
            self.assertNotIn("Building", done.stderr)
            self.assertNotIn("Traceback", done.stderr)
            self.assertIn(sentence, done.stdout + done.stderr)
