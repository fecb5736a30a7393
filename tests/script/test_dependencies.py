"""A package that is not installed is downloaded. (No test uses the network: only the attempt is seen.)"""

import http.server
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest

DEPENDENCIES = pathlib.Path(__file__).resolve().parents[2] / "cmake/Dependencies.cmake"
CMAKE_LISTS = f"""
cmake_minimum_required(VERSION 3.24)
project(Bare LANGUAGES CXX)
set(MOVING_BYTES_TESTS ON)
include("{DEPENDENCIES.as_posix()}")
add_executable(use use.cpp)
target_compile_options(use PRIVATE -Wall -Wextra -Werror)
target_link_libraries(use PRIVATE Catch2::Catch2)
"""
CATCH2 = """
cmake_minimum_required(VERSION 3.10)
project(Catch2 LANGUAGES CXX)
add_library(Catch2 INTERFACE)
add_library(Catch2::Catch2 ALIAS Catch2)
target_include_directories(Catch2 INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/src>)
"""


class Refusing(http.server.BaseHTTPRequestHandler):
    """A proxy that answers 501 to whatever it is asked, which CMake does not try again."""

    def log_message(self, *_):
        pass


class Dependencies(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="bare "))
        self.addCleanup(shutil.rmtree, self.root)
        refusing = http.server.HTTPServer(("127.0.0.1", 0), Refusing)
        self.addCleanup(refusing.server_close)
        self.addCleanup(refusing.shutdown)
        threading.Thread(target=refusing.serve_forever, daemon=True).start()
        self.proxy = f"http://127.0.0.1:{refusing.server_port}"
        self.write("CMakeLists.txt", CMAKE_LISTS)
        self.write("use.cpp", "#include <careless.hpp>\nint main() { return careless(1); }\n")

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def configure(self, *options):
        return subprocess.run(["cmake", "-S", self.root, "-B", self.root / "build", "-G", "Ninja",
                               "-D", "CMAKE_DISABLE_FIND_PACKAGE_Catch2=ON", *options],
                              env={**os.environ, "https_proxy": self.proxy}, text=True,
                              capture_output=True, timeout=200, check=False)

    def test_it_gets_as_far_as_the_network(self):
        result = self.configure()
        said = result.stdout + result.stderr
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("https://github.com/catchorg/Catch2/", said)
        self.assertIn("501", said)

    def test_warnings_in_what_was_downloaded_are_not_ours(self):
        self.write("catch2/CMakeLists.txt", CATCH2)
        self.write("catch2/src/careless.hpp", "inline int careless(int unused) { return 0; }\n")
        result = self.configure("-D", f"FETCHCONTENT_SOURCE_DIR_CATCH2={self.root / 'catch2'}")
        self.assertEqual(result.returncode, 0, result.stderr)
        build = subprocess.run(["cmake", "--build", self.root / "build"], capture_output=True,
                               text=True, check=False)
        self.assertEqual(build.returncode, 0, build.stdout)
