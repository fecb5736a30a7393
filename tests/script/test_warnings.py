"""A warning does not stop a reader who is trying something, unless he requests that."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from tests.script.skips import skip

WARNINGS = pathlib.Path(__file__).resolve().parents[2] / "cmake/Warnings.cmake"
PATH = os.pathsep.join((os.environ["PATH"], "/usr/local/cuda/bin"))
CMAKE_LISTS = """
cmake_minimum_required(VERSION 3.24)
set(CMAKE_{language}_COMPILER_WORKS ON) # what it compiles below says so
set(CMAKE_{language}_ABI_COMPILED ON)
project(Chapter LANGUAGES {language})
set(CMAKE_{language}_STANDARD 17)
include("{warnings}")
add_library(chapter OBJECT chapter.{suffix})
target_link_libraries(chapter PRIVATE warnings)
"""
CHAPTER = "int first(int used, int unused_parameter) { return used; }\n"


class WarningsTest(unittest.TestCase):
    def assert_stops_only_if_asked(self, language, suffix, *settings):
        directory = pathlib.Path(tempfile.mkdtemp(prefix="warnings "))
        self.addCleanup(shutil.rmtree, directory)
        (directory / "CMakeLists.txt").write_text(
            CMAKE_LISTS.format(language=language, warnings=WARNINGS.as_posix(), suffix=suffix))
        (directory / f"chapter.{suffix}").write_text(CHAPTER)

        def build(*options):
            for command in (["-S", directory, "-B", directory / "build", "-G", "Ninja", *options],
                            ["--build", directory / "build"]):
                result = subprocess.run(["cmake", *command], capture_output=True, text=True,
                                        env={**os.environ, "PATH": PATH}, check=False)
            return result.returncode, result.stdout

        status, said = build(*settings)
        self.assertEqual(status, 0, said)
        self.assertIn("unused_parameter", said)
        status, said = build("-DMOVING_BYTES_WERROR=ON")
        self.assertNotEqual(status, 0)
        self.assertIn("unused_parameter", said)


class Warnings(WarningsTest):
    def test_an_unused_parameter_builds_by_default(self):
        self.assert_stops_only_if_asked("CXX", "cpp")

    def test_an_unused_parameter_builds_by_default_with_nvcc_too(self):
        if not shutil.which("nvcc", path=PATH):
            skip(self, "warnings of nvcc: it is not here")
        self.assert_stops_only_if_asked("CUDA", "cu", "-DCMAKE_CUDA_ARCHITECTURES=90")
