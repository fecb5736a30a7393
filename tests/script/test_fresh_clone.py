"""A newcomer's first minutes: a clone in a path with spaces, in a narrow German terminal and in a notebook."""

import contextlib
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from tests.script.skips import skip

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

READERS = ("exercises", "progress.json", "mine.cu")  # files that no clone has


class FreshClone(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        above = REPOSITORY / "build" / "a new clone"  # always the same one, as paths go into the keys of ccache
        shutil.rmtree(above, ignore_errors=True)
        cls.addClassCleanup(shutil.rmtree, above)
        cls.root = above / "moving bytes"
        left_out = ("build", ".git", ".cache", "__pycache__", *(f"{REPOSITORY}/{own}" for own in READERS))
        shutil.copytree(REPOSITORY, cls.root, ignore=lambda folder, names: [
            name for name in names if name in left_out or f"{folder}/{name}" in left_out])

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

    def test_the_notebook_runs_from_top_to_bottom(self):
        for module in ("nbclient", "ipykernel"):
            if importlib.util.find_spec(module) is None:
                skip(self, f"the notebook: python3-{module} is not installed")
        import nbclient
        import nbformat
        notebook = nbformat.read(self.root / "docs/colab.ipynb", as_version=4)
        where = {"metadata": {"path": str(self.root / "docs")}}
        with without_terminal_settings():
            nbclient.NotebookClient(notebook, timeout=280, kernel_name="python3", resources=where).execute()
        said = {}
        for cell in notebook.cells:
            if cell.cell_type == "code":
                texts = [output.get("text", "") or output.get("data", {}).get("text/markdown", "") for output in cell.outputs]
                said[cell.source.splitlines()[-1]] = "".join(texts)
        self.assertRegex(said["!./run 01"], r"basic .* yes")
        self.assertIn("c[999] = 2997", said["!./run mine.cu --device cpu"])
        self.assertRegex(said["!./run mine.cu --device cpu"], r"kernel +add\s+grid +4\s+block +256\s")
        self.assertIn("Your file is exercises/01.1_first_index.cu.", said["!./run exercise 01.1"])
        self.assertIn("MISSED", said["!./run exercise 01.1"])
        self.assertIn("](data:image/svg+xml;base64,", said['page("00_introduction")'])


@contextlib.contextmanager
def without_terminal_settings():
    """What this terminal or build says is not for the notebook's commands."""
    before = dict(os.environ)
    for name in ("COLUMNS", "CHAPTERS_FOLDER", "COMPILE_CUDA"):
        os.environ.pop(name, None)
    try:
        yield
    finally:
        os.environ.update(before)


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
