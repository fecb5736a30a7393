"""The small programs that the book prints compile, run, and print what the book says they print."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from tests.script.terminal import in_a_terminal

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
COMPILE_CUDA = os.environ["COMPILE_CUDA"]
OPTIONS = {"--seed": "MOVING_BYTES_SEED", "--devices": "MOVING_BYTES_DEVICES"}  # of ./run, for a program without it

# Commands with their outputs, and one of them: a variable of its own, the file, options, what it prints.
COMMANDS = re.compile(r"^```\n(\$ .*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (?:(\w+=\w+) )?\./run (\S+\.cu)((?: --\w+ \w+)*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
# A whole program; and one with the prose up to its output, and the output.
SOURCE = re.compile(r"^```cpp\n((?:(?!^```).)*?^int main\(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAM = re.compile(r"^```cpp\n((?:(?!^```).)*?^int main\(.*?)^```\n((?:(?!^```).)*)^```\n(.*?)^```$",
                     re.MULTILINE | re.DOTALL)


def words(text):
    """The text with white space folded, because pages wrap lines, and without addresses and the
    sentences above the table of counts."""
    text = re.sub(r"^CPU device: .*?\bSectors\s+are\s+32\s+bytes\.\n", "", text, flags=re.MULTILINE | re.DOTALL)
    return " ".join(re.sub(r"0x[0-9a-f]+", "0x", text).split())


class Programs(unittest.TestCase):
    compiled = {}  # programs by source: several tests run the same

    def compile(self, source, name="mine.cu"):
        if source not in self.compiled:
            folder = tempfile.mkdtemp()
            self.addClassCleanup(shutil.rmtree, folder)
            pathlib.Path(folder, name).write_text(source)
            compiled = subprocess.run([COMPILE_CUDA, name, "-o", "mine"], cwd=folder,
                                      capture_output=True, text=True)
            self.assertEqual(compiled.returncode, 0, compiled.stderr)
            self.compiled[source] = f"{folder}/mine"
        return self.compiled[source]

    def run_program(self, source, seed):
        done = subprocess.run([self.compile(source)], capture_output=True, text=True,
                              env={**os.environ, "MOVING_BYTES_SEED": seed})
        return words(done.stdout + done.stderr)

    def pass_on(self):
        page = (BOOK / "cpu_device.md").read_text(encoding="utf-8")
        source, = [source for source, _, _ in PROGRAM.findall(page) if "pass_on" in source]
        return source

    def test_each_prints_what_the_page_shows(self):
        found = 0
        for page in sorted(BOOK.glob("*.md")):
            for source, _, shown in PROGRAM.findall(page.read_text(encoding="utf-8")):
                if shown.startswith("$ "):
                    continue  # commands: the next test
                found += 1
                with self.subTest(page=page.name, shown=shown):
                    self.assertIn(words(shown), self.run_program(source, seed="0"))
        self.assertGreater(found, 5)

    def test_each_command_prints_what_the_page_shows_below_it(self):
        """A line of three dots stands for what the page leaves out; mine.cu is the program above."""
        found = 0
        for page in sorted(BOOK.glob("*.md")):
            text = page.read_text(encoding="utf-8")
            for block in COMMANDS.finditer(text):
                commands = COMMAND.findall(block[1])
                self.assertEqual(len(commands), len(re.findall(r"^\$ ", block[1], re.MULTILINE)), block[1])
                for variable, file, options, shown in commands:
                    found += 1
                    with self.subTest(page=page.name, file=file, options=options):
                        source = (SOURCE.findall(text[:block.start()])[-1] if file == "mine.cu"
                                  else (ROOT / file).read_text(encoding="utf-8"))
                        self.assertPrints(self.compile(source, pathlib.Path(file).name), variable, options, shown)
        self.assertGreater(found, 5)

    def assertPrints(self, program, variable, options, shown):
        names = options.split()
        environment = {**os.environ, "MOVING_BYTES_SEED": "0", **dict([variable.split("=")] if variable else []),
                       **{OPTIONS[name]: value for name, value in zip(names[::2], names[1::2])}}
        done = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              env=environment)
        fault = shown.startswith("kernel ") and "the result is undefined in CUDA" not in words(shown)
        self.assertEqual(done.returncode, 6 if fault else 0)
        printed, at = words(done.stdout), 0
        for part in re.split(r"^\.\.\.$", shown, flags=re.MULTILINE):
            self.assertIn(words(part), printed[at:])
            at = printed.index(words(part), at) + len(words(part))

    def test_memory_that_nobody_wrote_is_warned_of_as_the_page_shows(self):
        page = (BOOK / "cpu_device.md").read_text(encoding="utf-8")
        (source, _, _), *_ = PROGRAM.findall(page)
        self.assertNotIn("which has not been written", self.run_program(source, seed="0"))
        careless = re.sub(r"^ *cudaMemset\(.*\n", "", source, count=1, flags=re.MULTILINE)
        self.assertNotEqual(careless, source)
        shown, = re.findall(r"^```\n(Warning: kernel scale .*?)^```$", page, re.MULTILINE | re.DOTALL)
        self.assertIn(words(shown), self.run_program(careless, seed="0"))

    def test_a_missing_barrier_shows_when_the_order_of_lanes_is_shuffled(self):
        self.assertIn("0 wrong", self.run_program(self.pass_on(), seed="0"))
        self.assertRegex(self.run_program(self.pass_on(), seed="1"), r"\b[1-9]\d* wrong")

    def test_counts_stand_below_each_other_where_the_terminal_is_narrow(self):
        program = self.compile(self.pass_on())
        after = "\n\nNo modelled time|\nWarning: "
        piped = subprocess.run([program], capture_output=True, text=True, check=True)
        cells = re.split(after, piped.stdout)[0].splitlines()[-1].split("  ")
        _, shown, _ = in_a_terminal(program, columns=40)
        self.assertLessEqual(max(map(len, shown[shown.index("\nkernel "):].splitlines())), 40)
        counts = re.split(after, shown.replace("\r", ""))[0]
        table = counts[counts.index("\nkernel ") + 1:].splitlines()
        self.assertEqual([line.split("  ")[-1].strip() for line in table],
                         [cell.strip() for cell in cells if cell])


class Card(unittest.TestCase):
    """The GPU of a program's modelled times."""
    PROGRAM = ("#include <cstdlib>\n"
               "__global__ void twice(float* a) { a[blockIdx.x * 256 + threadIdx.x] *= 2; }\n"
               "int main(int argc, char** argv)\n"
               "{ float* a; int blocks = argc > 1 ? std::atoi(argv[1]) : 4096; cudaMalloc(&a, blocks * 1024);\n"
               "  twice<<<blocks, 256>>>(a); cudaDeviceSynchronize(); }\n")

    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.folder = pathlib.Path(folder)
        (cls.folder / "mine.cu").write_text(cls.PROGRAM)
        subprocess.run([COMPILE_CUDA, "mine.cu", "-o", "mine"], cwd=folder, check=True)

    def run_program(self, *arguments, **environment):
        self.json = self.folder / "mine.json"
        self.json.unlink(missing_ok=True)
        return subprocess.run([self.folder / "mine", *arguments], capture_output=True, text=True, check=False,
                              env={**os.environ, "MOVING_BYTES_JSON": str(self.json), **environment})

    def modelled(self):
        row, = json.loads(self.json.read_text())["rows"]
        return row.get("modelled")

    def test_it_is_the_reference_s_unless_another_is_named(self):
        for environment, name in (({}, "H200"), ({"MOVING_BYTES_CARD": "t4"}, "T4")):
            self.assertIn(f"Modelled for {name}", self.run_program(**environment).stdout)
            modelled = self.modelled()
            self.assertEqual(modelled["card"], name)
            self.assertGreater(modelled["ms"], 0)
            self.assertIn(modelled["limited_by"], modelled["bounds"])

    def test_it_may_be_a_file(self):
        file = self.folder / "card.json"
        content = {"schema": 2, "base": "h200", "name": "NVIDIA Z1", "basis": "guessed", "doubt": "By a factor of 9.", "limits": {}, "constants": {}}
        file.write_text(json.dumps(content))
        self.run_program()
        h200 = self.modelled()["ms"]
        for constants, slower in (({}, 1), ({"dram_rate": 45.2, "memory_gb_per_s": 35}, 5)):
            file.write_text(json.dumps({**content, "constants": constants}))
            said = self.run_program(MOVING_BYTES_CARD=str(file)).stdout
            self.assertIn("Modelled for NVIDIA Z1", said)
            self.assertIn("By a factor of 9.", " ".join(said.split()))
            self.assertGreaterEqual(self.modelled()["ms"], slower * h200)
        file.write_text("{")
        refused = self.run_program(MOVING_BYTES_CARD=str(file))
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("parse error at line 1", refused.stderr)

    def test_without_one_nothing_is_modelled(self):
        self.assertNotIn("Modelled", self.run_program(MOVING_BYTES_CARD="none").stdout)
        self.assertIsNone(self.modelled())

    def test_of_a_launch_that_does_next_to_nothing_a_sentence_says_why_none_is_shown(self):
        small = self.run_program("4").stdout
        self.assertNotIn("Modelled", small)
        self.assertEqual(len(re.findall(r"^twice ", small, re.M)), 1)  # of the counts
        self.assertRegex(small, r"\n\nNo modelled time: so few bytes move that [^$]*\n\Z")
        self.assertGreater(self.modelled()["ms"], 0)  # for those who want it all the same

    def test_one_that_is_not_known_is_refused_before_the_program_begins(self):
        refused = self.run_program(MOVING_BYTES_CARD="h20")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("did you mean 'h200'?", refused.stderr)
        self.assertFalse(self.json.exists())


class Advice(unittest.TestCase):
    """What ends the report: why a kernel is no faster."""

    def test_every_page_that_it_names_is_there(self):
        named_in = [BOOK.parent / "own_program" / name for name in ("advice.cpp", "notes.py")]
        pages = re.findall(r'"(book/[^"]*)"', "".join(file.read_text() for file in named_in))
        self.assertGreater(len(pages), 30)
        self.assertEqual([page for page in pages if not (BOOK.parent / page).is_file()], [])

    def test_it_fits_a_narrow_terminal_and_takes_three_lines_of_a_wide_one(self):
        program = Card.PROGRAM.replace("a[blockIdx.x * 256 + threadIdx.x]", "a[8 * (blockIdx.x * 256 + threadIdx.x)]").replace(
            "blocks * 1024", "blocks * 8192")
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "mine.cu").write_text(program)
            subprocess.run([COMPILE_CUDA, "mine.cu", "-o", "mine"], cwd=folder, check=True)
            told = {}
            for columns in (60, 130):
                _, shown, _ = in_a_terminal(f"{folder}/mine", "8192", columns=columns)
                told[columns] = shown[shown.index("twice is limited by"):].splitlines()
                self.assertLessEqual(max(map(len, told[columns])), columns)
        self.assertEqual(len(told[130]), 3, told[130])
        self.assertEqual(" ".join(" ".join(told[60]).split()), " ".join(" ".join(told[130]).split()))
        self.assertIn("mine.cu:2", told[130][1])
