"""The table of the runtime API's calls: up to date, and without a gap against an installed toolkit."""
import pathlib
import re
import subprocess
import sys
import unittest

from tests.script.skips import skip

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
NAMES = REPOSITORY / "cpu_device/runtime_calls.txt"
HEADER = pathlib.Path("/usr/local/cuda/include/cuda_runtime_api.h")


class RuntimeCalls(unittest.TestCase):
    def test_the_page_is_what_the_program_writes(self):
        done = subprocess.run([sys.executable, "-B", "-m", "tools.runtime_calls", "--check"],
                              cwd=REPOSITORY, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_no_name_of_the_toolkit_is_missing(self):
        if not HEADER.exists():
            skip(self, "the names of the CUDA runtime's calls: there is no CUDA toolkit here")
        header = HEADER.read_text(encoding="utf-8", errors="replace")
        calls = set(re.findall(r"CUDARTAPI (cuda[A-Z]\w*)\(", header))
        self.assertGreater(len(calls), 200)
        self.assertEqual(calls - set(NAMES.read_text(encoding="utf-8").split()), set())
