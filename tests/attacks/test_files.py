"""Files: full disks, planted links, folders in the way, two at once, interrupts. Nothing is lost, and nobody let in."""

import concurrent.futures
import contextlib
import errno
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from tests.attacks.disk import on_full_disk
from tests.docs.toy_book import ToyBook
from tests.folder import FolderTest
from tests.script.toy_tree import REPOSITORY, ToyTree
from tools.__main__ import FORMS, run
from tools.files import write_whole
from tools.progress import Progress
from tools.results import record
from tools.site import site_pages
from tools.words import Refused

MARKERS = """<!--predict: which-->
<!--/-->
"""
QUESTION = """
which = choice("Which is faster?", {"one": less(two_gb, 1000), "two": more(two_gb, 2000)}, right="two", fold="By much.")
"""


class Writing(FolderTest):
    def test_a_link_that_somebody_planted_is_not_written_through(self):
        victim = self.folder / "victim"
        victim.write_text("precious")
        for name in ("progress.json", "progress.json.new", ".progress.json.new", f"progress.json.{os.getpid()}.tmp"):
            (self.folder / name).symlink_to(victim)
        Progress(self.folder).note_exercise("01.1", "begun", 1, 0)
        self.assertEqual(victim.read_text(), "precious")
        self.assertFalse((self.folder / "progress.json").is_symlink())

    def test_a_full_disk_leaves_what_was_there_and_nothing_else(self):
        path = self.folder / "file"
        write_whole(path, "before")
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, limit)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, limit[1]))
        self.assertRaises(OSError, write_whole, path, "x" * 5000)
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        self.assertEqual([each.name for each in self.folder.iterdir()], ["file"])
        self.assertEqual(path.read_text(), "before")

    def test_results_and_pages_are_not_written_through_a_planted_link(self):
        victim = self.folder / "victim"
        victim.write_text("precious")
        for name in ("x.json", ".x.json", "x.new"):
            (self.folder / name).symlink_to(victim)
        record.write({self.folder / "x.json": {"rows": []}})
        self.assertEqual(json.loads((self.folder / "x.json").read_text()), {"rows": []})
        self.assertEqual(victim.read_text(), "precious")
        self.assertFalse((self.folder / "x.json").is_symlink())

    def test_a_device_or_a_pipe_is_written_to_and_stays_what_it_is(self):
        before = os.stat(os.devnull)
        write_whole(os.devnull, "gone")
        after = os.stat(os.devnull)
        self.assertEqual((after.st_ino, after.st_mode, after.st_rdev), (before.st_ino, before.st_mode, before.st_rdev))
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, end)
        write_whole(pipe, "content")
        self.assertEqual(os.read(end, 100), b"content")
        self.assertEqual([(each.name, each.is_fifo()) for each in self.folder.iterdir()], [("pipe", True)])

    def test_a_place_that_cannot_be_written_is_one_sentence_that_names_it(self):
        for number in (errno.EROFS, errno.EACCES, errno.ENOSPC, errno.EDQUOT):
            def refuse(*_, number=number, **__):
                raise OSError(number, os.strerror(number), f"{self.folder}/.file.x")
            said = io.StringIO()
            with mock.patch("tempfile.mkstemp", refuse), contextlib.redirect_stderr(said), mock.patch.dict(
                    FORMS, {"book": lambda device, arguments: write_whole(self.folder / "file", "x")}):
                self.assertEqual(run("cpu", "book", []), 2)
            self.assertIn(f"cannot write to {self.folder}/file ({os.strerror(number)})", said.getvalue())
            self.assertEqual(said.getvalue().count("\n"), 1)

    def test_a_folder_in_the_place_of_progress_is_a_sentence(self):
        (self.folder / "progress.json").mkdir()
        with self.assertRaises(Refused) as refused:
            Progress(self.folder).note_exercise("01.1", "begun", 1, 0)
        self.assertIn("progress.json cannot be read or written", str(refused.exception))

    def test_two_damaged_files_within_a_second_are_both_kept(self):
        path = self.folder / "progress.json"
        for text in ("one", "[" * 200000):
            path.write_text(text)
            self.assertEqual(Progress(self.folder).read(), {"exercises": {}, "predictions": {}})
        self.assertEqual((self.folder / "progress.json.damaged-1").read_text(), "one")
        self.assertEqual((self.folder / "progress.json.damaged-2").read_text(), "[" * 200000)


class AtOnce(FolderTest):
    def test_what_many_write_at_once_is_all_there(self):
        with concurrent.futures.ProcessPoolExecutor(8) as pool:
            list(pool.map(write_some, [(self.folder, writer) for writer in range(8)]))
        known = json.loads((self.folder / "progress.json").read_text())
        self.assertEqual(len(known["predictions"]), 80)
        self.assertEqual(known["exercises"]["01.1"], {"state": "begun", "tries": 80, "hints": 0})

    def test_two_that_answer_at_once_lose_nothing(self):
        book = ToyBook(self)
        for name in ("first", "second"):
            book.add(MARKERS.replace("which", name), QUESTION.replace("which", name))
        command = [sys.executable, "-B", "-m", "tools", "cpu", "predict", "--root", str(book.root), "02"]
        slow, quick = (subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True) for _ in range(2))
        self.assertIn("questions", slow.stdout.readline())  # it has read what was kept
        quick.communicate("b\n")
        said, _ = slow.communicate("\nb\n")
        self.assertEqual(sorted(json.loads(book.read("progress.json"))["predictions"]), ["02_second.first", "02_second.second"], said)


def write_some(work):
    folder, writer = work
    for number in range(10):
        Progress(folder).note_prediction(f"{writer}.{number}", "x", True)
        Progress(folder).note_exercise("01.1", "begun", 1, 0)


class FullDisk(unittest.TestCase):
    def test_an_answer_that_cannot_be_written_is_a_sentence(self):
        for command, word in ((["predict"], ">/dev/full"), (["list"], ">/dev/full"), (["--help"], ">/dev/full"), (["predict"], ">&-"), (["list"], ">&-")):
            result = subprocess.run(["sh", "-c", f'exec ./run "$@" {word}', "sh", *command], cwd=REPOSITORY, text=True,
                                    stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
            self.assertEqual(result.returncode, 2, (command, word, result.stderr))
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertIn("could not be written to standard output", result.stderr)

    def test_a_starter_that_does_not_fit_leaves_no_file(self):
        tree = ToyTree(self)
        starter = tree.root / "chapters/01_first/exercises/01.1_first_index/starter.cu"
        starter.write_text(starter.read_text() + "# long\n" * 20000)
        self.assertEqual(tree.run("01").returncode, 0)
        result = tree.run("exercise", "01.1", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("or free disk space", result.stderr)
        self.assertEqual(list((tree.root / "exercises").iterdir()), [])

    def test_a_build_that_does_not_fit_says_so(self):
        tree = ToyTree(self)
        (tree.root / "build").mkdir()
        for size in ("20k", "60k"):
            done = on_full_disk(tree.root / "build", size, tree.root / "run", "01", stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(f"the disk of {tree.root}/build/cpu or of temporary files is full", done.stderr)

    def test_an_answer_that_a_full_disk_keeps_from_its_check_is_no_try(self):
        tree = ToyTree(self)
        tree.write("compile_cuda.sh", "#!/bin/sh\necho 'ld: final link failed: No space left on device'; exit 2\n")
        tree.write("exercises/01.1_first_index.cu", "exit 0\n")
        result = tree.run("exercise", "01.1")
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertIn("build/cpu/exercises/01.1_first_index (No space left on device)", result.stderr)
        self.assertFalse((tree.root / "progress.json").exists())

    def test_a_link_in_the_place_of_an_answer_is_not_written_through(self):
        tree = ToyTree(self)
        (tree.root / "exercises").mkdir()
        (tree.root / "exercises/01.1_first_index.cu").symlink_to(tree.above / "elsewhere")
        self.assertEqual(tree.run("exercise", "01.1").returncode, 1)
        self.assertFalse((tree.above / "elsewhere").exists())


DOXYGEN = """#!/bin/sh
out=$(sed -n 's/^OUTPUT_DIRECTORY = "\\(.*\\)"$/\\1/p')
head -c "${FILLS:-0}" /dev/zero >"$out/html/big" 2>/dev/null
echo '<tags/>' >"$out/reference.tag"
echo started >>"$HERE/started"
sleep "${SLEEPS:-0}"
"""


class Site(FolderTest):
    """The site of a small book, with a Doxygen that only pretends."""

    def setUp(self):
        super().setUp()
        book = ToyBook(self)
        self.root, self.site = book.root, book.root / "build/docs/html"
        book.write("book/README.md", "# A book\n")
        book.run()
        shutil.copytree(REPOSITORY / "tools/site", self.root / "tools/site")
        for name in site_pages.SCRIPTS:
            book.write(f"browser/{name}", "")
        (self.folder / "doxygen").write_text(DOXYGEN)
        (self.folder / "doxygen").chmod(0o755)
        self.site.mkdir(parents=True)
        (self.site / "index.html").write_text("old")

    def start(self, sleeps=0):
        code = f"import pathlib; from tools.site.site_pages import build_site; build_site(pathlib.Path({str(self.root)!r}))"
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "HERE": str(self.folder), "SLEEPS": str(sleeps)}
        return subprocess.Popen([sys.executable, "-B", "-c", code], cwd=REPOSITORY, env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def test_pages_that_a_full_disk_cuts_are_not_shown(self):
        code = ("import pathlib, sys; from tools.__main__ import FORMS, run; from tools.site.site_pages import build_site; "
                f"FORMS['docs'] = lambda *_: len(build_site(pathlib.Path({str(self.root)!r}))); sys.exit(run('cpu', 'docs', []))")
        for fills in (9999999, 1900000):  # all of the disk; half, so that there is none for a copy
            done = on_full_disk(self.site.parent, "3m", sys.executable, "-B", "-c", code, env={
                **os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "HERE": str(self.folder), "FILLS": str(fills), "PYTHONPATH": str(REPOSITORY)})
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(f"cannot write to {self.site.parent} (", done.stderr)
            self.assertIn("No space left on device", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_two_at_once_take_turns_and_leave_one_whole_site(self):
        both = [self.start(1), self.start(1)]
        said = [process.communicate() for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0], said)
        self.assertIn("A book", (self.site / "index.html").read_text())
        self.assertEqual([path.name for path in self.site.parent.iterdir()], ["html"])

    def test_a_first_site_can_be_read_before_its_modules_are_built(self):
        shutil.rmtree(self.site)
        there = []

        def modules(*_):
            for _ in range(400):
                if (self.site / "index.html").exists():
                    there.append("already")
                    break
                time.sleep(0.05)
            return None, "no module"
        site = site_pages.Site(self.root, Path(tempfile.mkdtemp(dir=self.site.parent)))
        with mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}", HERE=str(self.folder)), \
                mock.patch.object(site, "modules", modules), contextlib.redirect_stdout(io.StringIO()) as said, \
                contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(site_pages.into_place(site, self.site.parent), [])
        self.assertEqual(there, ["already"])
        self.assertEqual(said.getvalue(), f"The site is in {self.site / 'index.html'}\n")

    def test_an_interrupt_leaves_the_old_site_and_nothing_else(self):
        process = self.start(30)
        for _ in range(400):
            if (self.folder / "started").exists():
                break
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate()
        self.assertEqual((self.site / "index.html").read_text(), "old")
        self.assertEqual([path.name for path in self.site.parent.iterdir()], ["html"])
