"""A tree with the repository's own ./run and presets, and chapters that are three-line shell scripts.

The script's promises are tested on it, because it builds in no time and its chapters end as told:
`--end 6` makes a chapter end with status 6, `--end-02 6` only the second one, `--wait` makes it wait,
and `--list` keeps it from writing its results.
The toy compiler warns of every line with the word careless.
"""

import atexit
import functools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from tests.whole_results import whole

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

CMAKE_LISTS = """
cmake_minimum_required(VERSION 3.24)
project(Toy
  VERSION 7.8
  LANGUAGES NONE)
option(MOVING_BYTES_TESTS "" ON)
option(MOVING_BYTES_WERROR "" OFF)
set(says warning)
if(MOVING_BYTES_WERROR)
  set(says error)
endif()
foreach(program 01_first 02_second 03_third)
  file(GLOB source ${CMAKE_SOURCE_DIR}/*/${program}/${program}.cu)
  set(copy ${CMAKE_BINARY_DIR}/bin/${program})
  add_custom_command(OUTPUT ${copy} DEPENDS ${source} VERBATIM
    COMMAND sh "${CMAKE_SOURCE_DIR}/warn.sh" ${says} "${source}"
    COMMAND sh -c "sh -n '${source}' && mkdir -p bin && sed -e '1i#!/bin/sh' -e s,^//,#, '${source}' > '${copy}'"
    COMMAND chmod +x ${copy})
  add_custom_target(${program} ALL DEPENDS ${copy})
endforeach()
foreach(number 01.1 01.2 02.1)
  add_custom_target(goals_${number} COMMAND ${CMAKE_COMMAND} -E make_directory exercises)
endforeach()
configure_file(compile_cuda.sh compile_cuda COPYONLY)
foreach(target compile_cuda compile_cuda_20)
  add_custom_target(${target} COMMAND sh -c "echo ${target} >> built" VERBATIM)
endforeach()
enable_testing()
add_test(NAME toy_passes COMMAND true)
add_test(NAME toy_fails COMMAND false)
add_test(NAME toy_part_of_it COMMAND true)
set_tests_properties(toy_part_of_it PROPERTIES LABELS part)
add_test(NAME toy_takes_long COMMAND true)
set_tests_properties(toy_takes_long PROPERTIES LABELS slow REQUIRED_FILES ${CMAKE_BINARY_DIR}/built)
add_custom_target(built COMMAND sh -c "echo built >> built" VERBATIM)
"""

CHAPTER = """// {name}: what is the question of {name}?
echo "{name} $*"
while [ $# -gt 0 ]; do
    case $1 in
    --json) json=$2 ;;
    --list) json=/dev/null ;;
    --wait) echo "{name} waits" >&2 && sleep 30 ;;
    --end | --end-{number}) status=$2 ;;
    esac
    shift
done
[ -z "$json" ] || echo '{results}' > "$json"
exit ${{status:-0}}
"""

# Says of each line with the word careless that it is worth a warning, or an error.
WARN = """awk -v says="$1" '/careless/ { print FILENAME ":" FNR ": " says ": careless"; found = 1 }
                        END { exit found && says == "error" }' "$2"
"""

# Compiles scripts into one; a file that is none does not compile, and one with lines that begin with `#ld:` does
# not link, which then are the linker's words. Without -o it says what it was told.
COMPILER = """#!/bin/sh
for program; do before=$last last=$program; done
if [ "$before" != -o ]; then
    printf '%s\\n' "$@"
    exit 3
fi
echo "#!/bin/sh" >"$program"
while [ "$1" != -o ]; do
    case $1 in
    -*) echo "# $1" ;;
    *.a) ;;
    *)
        sh -n "$1" || exit
        ! sed -n 's/^#ld: //p' "$1" | grep . >&2 || exit
        sed s,^//,#, "$1"
        ;;
    esac
    shift
done >>"$program"
chmod +x "$program"
"""

GOALS = """// {number}: The {name}
// minutes: 5
// difficulty: 1
// practises: practice
// hint: One, which is long enough for more than one line of a narrow terminal, goes
//     on.
// hint: Two.
// hint: Three.
#include "common/exercise.hpp"
// hint: none, as the head has ended.
"""

# An exercise that is solved by another number.
STARTER = """// {number}: The {name}
//
// The task of {name}.

echo "checked {number}"
exit 1
"""


def results_of(name):
    """What a chapter of one verified row writes: an add, of which the CPU device counted something."""
    counts = {f"{kind}_{what}": 96 for kind in ("load", "store") for what in ("requests", "sectors")}
    row = {"variant": "toy", "task": "add", "bytes": 12288, "verified": True, "counts": counts, "modelled": {"card": "Z1"}}
    return json.dumps(whole({"chapter": name, "device": {"backend": "cpu", "name": "CPU device"}, "rows": [row]}))


class ToyTree:
    """The tree in a new directory whose path has spaces; it goes with the test, or by remove()."""

    def __init__(self, test=None):
        self.above = pathlib.Path(tempfile.mkdtemp(prefix="toy "))
        if test:
            test.addCleanup(self.remove)
        self.above.chmod(0o755)  # for tests that run as another user
        self.root = self.above / "moving bytes"
        self.build = self.root / "build/cpu"
        for name in ("01_first", "02_second", "03_third"):
            self.write(f"chapters/{name}/{name}.cu", CHAPTER.format(name=name, number=name[:2], results=results_of(name)))
        for folder in ("01_first/exercises/01.1_first_index", "01_first/exercises/01.2_tail",
                       "02_second/exercises/02.1_blocks"):
            number, _, name = folder.rpartition("/")[2].partition("_")
            folder = f"chapters/{folder}"
            self.write(f"{folder}/goals.cpp", GOALS.format(number=number, name=name))
            self.write(f"{folder}/starter.cu", STARTER.format(number=number, name=name))
            self.write(f"{folder}/answers.txt", "starter: right\n\nsolution\n// why it is right\n- exit 1\n+ exit 0\n")
        self.write("chapters/parts.txt", "01 Fundamentals\n02 Another\n")
        self.write("warn.sh", WARN)
        self.write("tests/CMakeLists.txt", "# CMakeLists.txt above has all\n")
        self.write("compile_cuda.sh", COMPILER).chmod(0o755)
        self.write("CMakeLists.txt", CMAKE_LISTS)
        for name in ("run", "CMakePresets.json"):
            shutil.copy(REPOSITORY / name, self.root / name)
        for name in ("tools", "own_program"):
            shutil.copytree(REPOSITORY / name, self.root / name)

    def remove(self):
        shutil.rmtree(self.above)

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def command(self, *arguments):
        return [str(self.root / "run"), *map(str, arguments)]

    def run(self, *arguments, **options):
        """Runs ./run and returns its CompletedProcess; its output is captured as text."""
        options.setdefault("cwd", self.above)
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=60,
                              check=False, stdin=subprocess.DEVNULL, **options)

    def interrupt(self, *arguments, after):
        """Runs ./run, presses Ctrl-C once `after` stands in its output, and returns its status."""
        with subprocess.Popen(self.command(*arguments), start_new_session=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            for line in process.stdout:
                if after in line:
                    break
            time.sleep(0.2)
            os.killpg(process.pid, signal.SIGINT)
            return process.wait(timeout=20)

    def path(self, without=(), scripts=None):
        """A PATH with this machine's commands but those in `without`, and `scripts` by name."""
        assert WITHOUT.issuperset(without)
        directory = pathlib.Path(tempfile.mkdtemp(prefix="path", dir=self.above))
        directory.chmod(0o755)
        link_commands(directory, WITHOUT.difference(without, scripts or ()))
        for name, text in (scripts or {}).items():
            (directory / name).write_text("#!/bin/sh\n" + text)
            (directory / name).chmod(0o755)
        return {**os.environ, "PATH": f"{directory}:{other_commands()}"}


# The commands that a path may be without.
WITHOUT = {"g++", "c++", "clang++", "gcc", "cc", "clang", "nvcc", "cmake", "ninja", "make", "python3",
           "doxygen", "apt-get", "sudo", "mpirun", "srun"}


def link_commands(directory, names):
    """Links to those of this machine's commands, in `directory`."""
    for name in names:
        if command := shutil.which(name, path="/usr/bin:/bin:/usr/sbin:/sbin"):
            (directory / name).symlink_to(command)


@functools.cache
def other_commands():
    """A directory of all others: some thousand links, which took a second for each path."""
    directory = tempfile.mkdtemp(prefix="commands")
    atexit.register(shutil.rmtree, directory)
    os.chmod(directory, 0o755)
    places = ("/usr/bin", "/bin", "/usr/sbin", "/sbin")
    link_commands(pathlib.Path(directory), {name for place in places for name in os.listdir(place)} - WITHOUT)
    return directory
