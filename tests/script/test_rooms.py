"""Who may include or import whom. The order of the rooms is that of the tables in common/README.md and tools/README.md."""

import ast
import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEVICE = pathlib.PurePath("cpu_device")
INSIDE = ("host", "runtime", "core", "cuda", "api")  # of the CPU device, from the top down; rewriter is apart
INTERFACES = ("api", "cuda")       # of the CPU device: what others may include
SIDES = ("cpu", "gpu")                     # of device: a build has one of the two
FOLDERS = ("browser", "chapters", "cmake", "cpu_device", "own_program", "docs", "docs/guide", "tools", "tools/book", "tools/results",
           "tools/site", "tests", "experiments", "common")


def rooms(root):
    """From the top down, as the table in the map names them."""
    return re.findall(r"^\| \[(\w+)\]\(\1/\) \|", (root / "common/README.md").read_text(), re.M)


def included(root, file):
    """The files of the tree that one of its files includes, as paths from the root."""
    places = (root / file.parent, root, *(root / DEVICE / side for side in INTERFACES), root / DEVICE)
    for name in re.findall(r'^\s*#\s*include\s*["<]([^">]+)', (root / file).read_text(), re.M):
        for place in places:
            path = (place / name).resolve()
            if path.is_file() and path.is_relative_to(root):
                yield path.relative_to(root)
                break


def is_wrong(order, file, other):
    """Why a file must not include the other one, or None."""
    top, room, *inside = file.parts
    other_top, other_room, *other_inside = other.parts
    if top == "chapters":
        own = other.parts[:2] == file.parts[:2]
        toolkit = other.is_relative_to(DEVICE / "cuda") and other_inside[0] != "cpu_device"
        header = f"common/{'exercise' if 'exercises' in inside else 'chapter'}.hpp"
        earlier = other_top == top and other_room[:2] < room[:2] and (
            other.suffix == ".hpp" or other.suffix == ".cuh" and "exercises" not in inside)
        below = order[order.index("problem"):]  # what a problem, in a .hpp of a chapter, includes
        problem = other_top == "common" and (file.name == "goals.cpp" and other_room == "problem" or
                                             file.suffix == ".hpp" and other_room in below)
        if not (own or earlier or toolkit or problem) and other != pathlib.PurePath(header):
            return f"it includes {header}, files of its own chapter, and kernels and problems of earlier ones"
    elif top == "cpu_device":
        if other_top != top:
            return "the CPU device includes nothing of the project"
        if room != other_room and "rewriter" in (room, other_room):
            return "the rewriter stands apart"
        if {room, other_room} == {"host", "runtime"}:
            return "what one wants of the other, core/host.hpp has"
        if room != other_room and INSIDE.index(room) > INSIDE.index(other_room):
            return f"{other_room} lies above {room}"
    elif top == "own_program":
        if other_top not in (top, "common") and other_room not in INTERFACES:
            return "it includes the library and the CPU device's interfaces"
    elif top == "browser":  # a host of its own for the core
        if room == "whole":  # chapters, compiled there as they are
            return None if other_top in (top, "common") or other_room in INTERFACES else "it includes the library and the CPU device's interfaces"
        checks = room == "exercises"
        if checks and other_top == "own_program":  # what it says of a program
            return None
        theirs = {"core", "rewriter"} if checks else {"core"}
        ours = {"model", "timeline", "trace", *(("device", "exercise", "problem") if checks else ())}
        if other_top != top and other_room not in ({*INTERFACES} | theirs if other_top == "cpu_device" else ours):
            return (f"it includes the CPU device's interfaces and {' and '.join(sorted(theirs))}, "
                    f"and {', '.join(sorted(ours))} of the library")
    elif other_top == "cpu_device":
        return None if other_room in INTERFACES else "of the CPU device it may include api and cuda"
    elif other_top != "common":
        return "the library includes only the library"
    elif not inside or not other_inside:  # the headers next to the rooms stand above all of them
        return "it is for chapters" if inside else None
    elif room != other_room:
        if order.index(room) > order.index(other_room):
            return f"{other_room} lies above {room}"
    elif room == "device" and {inside[0], other_inside[0]} == set(SIDES):
        return "one device knows nothing of the other"
    return None


def violations(root):
    """One sentence for each include that points the wrong way, and each room the map leaves out."""
    order = rooms(root)
    found = [f"common/README.md and the folders of common disagree about {name}"
             for name in sorted({path.parent.name for path in root.glob("common/*/*")} ^ set(order))]
    if found:
        return found
    for path in sorted(path for top in ("browser", "common", "cpu_device/*", "own_program", "chapters/*") for path in root.glob(f"{top}/**/*")):
        if path.is_file() and path.suffix not in (".md", ".txt", ".in", ".pyc"):
            file = path.relative_to(root)
            for other in included(root, file):
                if why := is_wrong(order, file, other):
                    found.append(f"{file} includes {other}: {why}")
    return found


def device_code(root):
    """The files of the library outside device/ with code for a GPU, which belongs to the chapters."""
    return [str(path.relative_to(root)) for path in sorted(root.glob("common/**/*"))
            if path.suffix in (".hpp", ".cpp", ".cu", ".cuh") and path.relative_to(root).parts[1] != "device"
            and re.search(r"\b__(?:device|global)__\b", path.read_text())]


def imported(root, file):
    """The rooms of tools that a Python file there imports; a room is a folder, or a file next to the folders."""
    for node in ast.walk(ast.parse((root / file).read_text())):
        names = [alias.name for alias in getattr(node, "names", ())]
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{name}" for name in names] if node.module == "tools" else [node.module or ""]
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (name.split(".")[1] for name in names if name.startswith("tools."))


def wrong_imports(root):
    """One sentence for each import in tools that points the wrong way, or at no room, and each room the map leaves out."""
    order = re.findall(r"^\| \[(\w+)(?:\.py)?\]\(", (root / "tools/README.md").read_text(), re.M)
    files = {path.relative_to(root): path.relative_to(root).parts[1].removesuffix(".py")
             for path in sorted(root.glob("tools/**/*.py"))}
    there = set(files.values()) - {"__init__", "__main__"}
    found = [f"tools/README.md and the files of tools disagree about {name}" for name in sorted(there ^ set(order))]
    for file, room in files.items() if not found else ():
        for other in sorted(set(imported(root, file)) - {room}):
            if room != "__main__" and (other not in order or order.index(room) > order.index(other)):
                found.append(f"{file} imports {other}, which does not lie below {room}")
        if "sys.path" in (root / file).read_text():
            found.append(f"{file} changes where Python looks for modules")
    return found


STORY, FILE = 120, 250  # lines: of NN_name.cu, and of any file next to it


def long_files(root):
    """What has too many lines in the folders of chapters: stories by the chapter's name, other files by their path."""
    stories, others = set(), set()
    for path in root.glob("chapters/*/*"):
        if path.suffix in (".cu", ".cuh", ".hpp", ".cpp"):
            lines = len(path.read_text().splitlines())
            if path.name == f"{path.parent.name}.cu":
                stories |= {path.parent.name} if lines > STORY else set()
            elif lines > FILE:
                others.add(str(path.relative_to(root)))
    return stories, others


def of_tree(check, files):
    """What a checker says of a tree of these files."""
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory).resolve()
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return check(root)


class Rooms(unittest.TestCase):
    def test_a_story_can_be_read_in_five_minutes(self):
        self.assertEqual(long_files(ROOT), (set(), set()))

    def test_a_room_of_tools_imports_only_rooms_below_it(self):
        self.assertEqual(wrong_imports(ROOT), [])

    def test_a_room_includes_only_rooms_below_it(self):
        self.assertEqual(violations(ROOT), [])

    def test_kernels_lie_in_the_chapters(self):
        self.assertEqual(device_code(ROOT), [])

    def test_the_first_file_of_each_folder_says_what_lives_there(self):
        for folder in (*FOLDERS, *(f"common/{room}" for room in rooms(ROOT))):
            page = ROOT / folder / "README.md"
            with self.subTest(page=page.relative_to(ROOT)):
                text = page.read_text()
                self.assertTrue(text.startswith("# "))
                for link in re.findall(r"\]\(([^):#]+)\)", text):
                    self.assertTrue((page.parent / link).exists(), link)


class RoomsChecker(unittest.TestCase):
    """The checker itself, on trees that are known to be right or wrong."""

    FILES = {
        "common/README.md": "| [run](run/) | |\n| [problem](problem/) | |\n| [device](device/) | |\n| [text](text/) | |\n"
                            "",
        "common/chapter.hpp": '#include "common/run/chapter.hpp"\n',
        "common/exercise.hpp": '#include "common/run/chapter.hpp"\n',
        "common/run/chapter.hpp": '#include "common/device/device.hpp"\n#include <vector>\n',
        "common/device/device.hpp": '#include "common/text/format.hpp"\n',
        "common/device/cpu/device.cpp": '#include "common/device/device.hpp"\n#include <api.hpp>\n',
        "common/device/gpu/device.cpp": "",
        "common/device/gpu/blocker.hpp": "",
        "common/text/format.hpp": "",
        "common/problem/words.hpp": "",
        "cpu_device/cuda/api.hpp": "",
        "cpu_device/api/cpu_device/counts.hpp": "",
        "cpu_device/cuda/cpu_device/kernel.hpp": "#include <cpu_device/counts.hpp>\n",
        "cpu_device/core/memory.hpp": '#include "api.hpp"\n',
        "cpu_device/runtime/copy.cpp": '#include "core/memory.hpp"\n',
        "cpu_device/host/pages.cpp": '#include "core/memory.hpp"\n',
        "cpu_device/rewriter/rewriter.hpp": "",
        "cpu_device/rewriter/main.cpp": '# include "rewriter.hpp"\n',
        "chapters/01_a/01_a.cu": '#include "common/chapter.hpp"\n#include "own.hpp"\n'
                                 "#include <api.hpp>\n",
        "chapters/01_a/own.hpp": '#include "common/problem/words.hpp"\n#include "common/device/device.hpp"\n',
        "chapters/01_a/kernel.cuh": "",
        "chapters/02_b/other.hpp": "",
        "chapters/02_b/kernel.cuh": '#include "../01_a/kernel.cuh"\n',
        "chapters/01_a/exercises/01.1_b/goals.cpp": '#include "common/exercise.hpp"\n#include "common/problem/words.hpp"\n'
                                                    '#include "../../own.hpp"\n',
        "chapters/02_b/02_b.cu": '#include "../01_a/own.hpp"\n',
        "own_program/report.cpp": '#include "common/text/format.hpp"\n',
    }

    TOOLS = {
        "tools/README.md": "| [ask.py](ask.py) | |\n| [book](book/) | |\n| [words.py](words.py) | |\n",
        "tools/__main__.py": "from tools import ask, words\n",
        "tools/ask.py": "import re\nfrom tools import words\nfrom tools.book.pages import Book\n",
        "tools/book/pages.py": "from tools.book import figures\nimport tools.words\n",
        "tools/book/figures.py": "",
        "tools/words.py": "",
    }

    def imports(self, **changed):
        return of_tree(wrong_imports, {**self.TOOLS, **changed})

    def test_every_import_that_points_the_wrong_way_is_named(self):
        self.assertEqual(self.imports(), [])
        for file, text, words in (("tools/words.py", "from tools.book import figures\n", "imports book"),
                                  ("tools/words.py", "def f():\n    import tools.ask\n", "imports ask"),
                                  ("tools/book/figures.py", "from tools import ask\n", "imports ask"),
                                  ("tools/ask.py", "import sys\nsys.path.append('.')\n", "where Python looks"),
                                  ("tools/other.py", "", "disagree about other")):
            with self.subTest(file=file, text=text):
                sentence, = self.imports(**{file: text})
                self.assertIn(words, sentence)

    def found(self, **changed):
        return of_tree(violations, {**self.FILES, **changed})

    def test_a_file_of_a_chapter_that_is_too_long_is_named(self):
        lines = {"44_a/44_a.cu": STORY, "44_a/kernel.cuh": FILE, "45_b/45_b.cu": STORY + 1, "45_b/kernel.cuh": FILE + 1}
        self.assertEqual(of_tree(long_files, {f"chapters/{name}": "//\n" * count for name, count in lines.items()}),
                         ({"45_b"}, {"chapters/45_b/kernel.cuh"}))

    def test_arrows_that_point_down_are_fine(self):
        self.assertEqual(self.found(), [])

    def test_every_arrow_that_points_the_wrong_way_is_named(self):
        for file, include in (
                ("common/text/format.hpp", "common/run/chapter.hpp"),
                ("common/text/format.hpp", "../device/device.hpp"),
                ("common/run/chapter.hpp", "common/chapter.hpp"),
                ("common/device/cpu/device.cpp", "common/device/gpu/blocker.hpp"),
                ("cpu_device/core/memory.hpp", "common/text/format.hpp"),
                ("cpu_device/cuda/api.hpp", "core/memory.hpp"),
                ("cpu_device/api/cpu_device/counts.hpp", "api.hpp"),
                ("common/device/device.hpp", "cpu_device/core/memory.hpp"),
                ("cpu_device/core/memory.hpp", "runtime/copy.cpp"),
                ("cpu_device/core/memory.hpp", "host/pages.cpp"),
                ("cpu_device/runtime/copy.cpp", "host/pages.cpp"),
                ("cpu_device/host/pages.cpp", "runtime/copy.cpp"),
                ("cpu_device/runtime/copy.cpp", "rewriter/rewriter.hpp"),
                ("cpu_device/rewriter/main.cpp", "core/memory.hpp"),
                ("common/device/device.hpp", "chapters/01_a/own.hpp"),
                ("own_program/report.cpp", "core/memory.hpp"),
                ("own_program/report.cpp", "rewriter/rewriter.hpp"),
                ("common/text/format.hpp", "own_program/report.cpp"),
                ("chapters/01_a/01_a.cu", "common/run/chapter.hpp"),
                ("chapters/01_a/01_a.cu", "common/exercise.hpp"),
                ("chapters/01_a/01_a.cu", "common/problem/words.hpp"),
                ("chapters/01_a/exercises/01.1_b/goals.cpp", "common/chapter.hpp"),
                ("chapters/01_a/exercises/01.1_b/goals.cpp", "common/run/chapter.hpp"),
                ("chapters/01_a/own.hpp", "cpu_device/kernel.hpp"),
                ("chapters/01_a/01_a.cu", "chapters/02_b/kernel.cuh"),
                ("chapters/02_b/exercises/02.1_c/goals.cpp", "chapters/01_a/kernel.cuh"),
                ("chapters/01_a/own.hpp", "common/run/chapter.hpp"),
                ("chapters/01_a/01_a.cu", "chapters/02_b/other.hpp")):
            for form in (f'#include "{include}"\n', f"  #  include <{include}> // why\n"):
                with self.subTest(file=file, form=form):
                    sentence, = self.found(**{file: form})
                    self.assertTrue(sentence.startswith(f"{file} includes "), sentence)
                    self.assertIn(include.rpartition("../")[2], sentence)

    def test_code_for_a_gpu_in_the_library_is_named(self):
        self.assertEqual(of_tree(device_code, {
            "common/problem/words.hpp": "int host();\n", "common/device/gpu/flush.cu": "__global__ void flush() {}\n",
            "common/problem/sum.hpp": "__host__ __device__ int sum();\n", "common/run/add.cpp": "__global__ void add();\n",
        }), ["common/problem/sum.hpp", "common/run/add.cpp"])

    def test_a_room_and_its_row_in_the_map_go_together(self):
        sentence, = self.found(**{"common/attic/old.hpp": ""})
        self.assertIn("disagree about attic", sentence)
        rows = self.FILES["common/README.md"] + "| [cellar](cellar/) | |\n"
        sentence, = self.found(**{"common/README.md": rows})
        self.assertIn("disagree about cellar", sentence)
