"""A small book of two chapters in a folder of its own: everything that tools/book reads."""

import contextlib
import io
import json
import shutil
import tempfile
from pathlib import Path
from unittest import mock

from tests.whole_results import whole
from tools.book import __main__ as bookmaker

REPOSITORY = Path(__file__).resolve().parents[2]
GPU = {"backend": "gpu", "name": "NVIDIA H200", "peak_gb_per_s": 4000.0, "copy_gb_per_s": 3500.0}
CPU = {"backend": "cpu", "name": "CPU device", "peak_gb_per_s": None}

FIRST = """// 01_first: Is one enough?
//! [one]
__global__ void one(float* c)
{
    c[threadIdx.x] = 1.0f;
}
//! [one]
int main() { }
"""
SECOND = FIRST.replace("01_first", "02_second").replace("one", "two").replace("1.0f", "2.0f")

PAGE = """# The second

*Is two more than one?*

<!--page-->
<!--/-->

<!--diff: 01 02 one two-->
<!--/-->

<!--code: two-->
<!--/-->

<!--code: main-->
<!--/-->

<!--counts: counted-->
<!--/-->

<!--table: measured-->
<!--/-->

<!--chart: drawn-->
<!--/-->

<!--access: store-->
<!--/-->

It reaches <!--=two_gb--><!--/--> GB/s. See [the first](01_first.md#the-question).
"""
FACTS = """from tools.book.facts import *

page("side", needs="01", afterwards=["tell two from one"])
counted, measured, drawn = counts("02_second"), table("02_second"), chart("02_second")
store = access("02_second", "two")
two_gb = gb("two", threads=128)
claim("two is faster than half of one", more(two_gb, 0.5 * gb("one", chapter="01")))
"""


def row(variant, gb, **parameters):
    return {"variant": variant, "task": "add", "parameters": {"threads": 128, **parameters, "n": 1024},
            "bytes": 12288, "verified": True, "library": False, "cache": "cold", "in_l2": False,
            "time_ms": {"median": 12288 / gb / 1e6, "p25": 12288 / gb / 1.01e6,
                        "p75": 12288 / gb / 0.99e6, "min": 0.001, "samples": 20, "stop": "interval",
                        "interval": [12288 / gb / 1.005e6, 12288 / gb / 0.995e6]},
            "gb_per_s": gb, "share_of_peak": gb / 4000, "share_of_copy": gb / 3500, "counts": None}


def counted(variant):
    return {**row(variant, 1), "cache": None, "time_ms": None, "gb_per_s": None,
            "share_of_peak": None, "share_of_copy": None,
            "counts": {"load_requests": 32, "load_sectors": 128, "load_bytes": 4096,
                       "store_requests": 32, "store_sectors": 256, "store_bytes": 4096}}


def bar(engine, start, end, stream=1):
    return {"engine": engine, "stream": stream, "start_ms": start, "end_ms": end, "bytes": 4096,
            "label": "copy"}


def modelled(variant, ms, n=1024, **parameters):
    """A row of the CPU device with a modelled timeline; at four times the size it takes thrice as
    long."""
    made = counted(variant)
    made["parameters"] = {**made["parameters"], **parameters, "n": n}
    made["modelled"] = {
        "card": "H200", "ms": ms, "operations": [bar("H2D", 0, ms)], "operations_left_out": 0,
        "at": [{"n": n, "ms": ms}, {"n": 4 * n, "ms": 3 * ms, "operations": [
            bar("H2D", 0, 2 * ms), bar("compute", 2 * ms, 3 * ms, 2)]}]}
    return made


class ToyBook:
    def __init__(self, test=None, copied=None):
        """It goes with the test, or by remove()."""
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        if test:
            test.addCleanup(self.remove)
        if copied:
            shutil.copytree(copied.root, self.root, dirs_exist_ok=True)
            return
        self.write("chapters/01_first/01_first.cu", FIRST)
        self.write("chapters/02_second/02_second.cu", SECOND)
        self.write("book/01_first.md", "# The first\n\n<!--page-->\n<!--/-->\n\n<!--code: one-->\n<!--/-->\n\n## The question\n\nWhy?\n")
        self.write("book/facts/01_first.py", 'from tools.book.facts import *\n\npage("core", afterwards=["count"])\n')
        self.write("book/02_second.md", PAGE)
        self.write("book/facts/02_second.py", FACTS)
        self.results("nvidia-h200", "01_first", GPU, [row("one", 2000.0)])
        self.results("nvidia-h200", "02_second", GPU, [row("two", 3210.0)])
        self.results("cpu", "02_second", CPU, [counted("two")])
        self.write("book/results/cpu/traces/02_second.two.json", json.dumps(
            {"schema": 1, "launches": [{"kernel": "two", "requests": [
                {"site": 0, "space": "global", "access": "store", "allocation": 1, "bytes": 4,
                 "offsets": [8 * lane for lane in range(32)], "sectors": list(range(8))}]}]}))

    def results(self, device, chapter, described, rows, folder="book/results"):
        self.write(f"{folder}/{device}/{chapter}.json", json.dumps(
            whole({"schema": 2, "chapter": chapter, "device": described, "rows": rows})))

    def path(self, name):
        return self.root / name

    def read(self, name):
        return self.path(name).read_text(encoding="utf-8")

    def write(self, name, text):
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).write_text(text, encoding="utf-8")

    def add(self, text, facts="", page="02_second"):
        """More text for a page, and more facts next to it."""
        self.write(f"book/{page}.md", f"{self.read(f'book/{page}.md')}\n{text}\n")
        self.write(f"book/facts/{page}.py", f"{self.read(f'book/facts/{page}.py')}{facts}\n")

    def replace(self, name, old, new):
        text = self.read(name)
        assert old in text, f"{name} does not hold {old}"
        self.write(name, text.replace(old, new))

    def run(self, *options):
        """tools/book on this book, but for the spelling: its exit status and what it said. In
        this process: a new one takes a second to import matplotlib."""
        said = io.StringIO()
        with (contextlib.redirect_stdout(said), contextlib.redirect_stderr(said),
              mock.patch.object(bookmaker, "spelling", return_value=[])):
            status = bookmaker.main(["--root", str(self.root), *options])
        return status, said.getvalue()

    def remove(self):
        self.folder.cleanup()
