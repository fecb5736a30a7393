"""What comes from elsewhere (tables of counters, a progress.json, requests to the site), and what names an output: refused by a
sentence, before there is work to lose."""

import errno
import json
import os
import shutil
import socket
import subprocess
import threading
import time
import unittest
from unittest import mock

from tests.docs.toy_book import ToyBook
from tests.folder import FolderTest
from tests.script.skips import skip
from tests.script.toy_tree import REPOSITORY, ToyTree
from tools import classroom
from tools.files import require_writable
from tools.progress import SCHEMA, Progress, parse
from tools.results import counters
from tools.results.hardware_counters import COUNTS
from tools.site import serve
from tools.words import Refused

LOADS = COUNTS["load_requests"]


class InTree(FolderTest):
    @classmethod
    def setUpClass(cls):
        cls.tree = ToyTree()
        cls.addClassCleanup(cls.tree.remove)

    def refused(self, *words):
        """The sentence of ./run exercise with these words, which builds and checks nothing."""
        done = self.tree.run("exercise", *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr


class Outputs(InTree):
    def test_no_output_is_the_same_file_as_an_input(self):
        answer = self.tree.write("exercises/01.1_first_index.cu", "exit 0\n")
        (self.tree.above / "same").hardlink_to(answer)
        (self.tree.above / "link").symlink_to(answer)
        for name in (answer, "same", "link"):
            self.assertIn("is read, so nothing can be written to it", self.refused("--report", name))
        self.assertEqual(answer.read_text(), "exit 0\n")
        self.assertRaises(Refused, require_writable, answer, [self.tree.above / "none", answer])

    def test_an_output_is_opened_before_the_work(self):
        self.tree.write("exercises/01.1_first_index.cu", "exit 0\n")
        for name in ("/proc/x", "/dev/fd/99/x", "no folder/x", "moving bytes/tools", "a\x1b[2Jb/x"):
            said = self.refused("--report", name)
            self.assertIn("cannot write to", said)
            self.assertNotIn("\x1b", said)
            self.assertNotIn("Building", said)

    def test_an_export_that_does_not_fit_names_its_target_and_leaves_nothing(self):
        if not shutil.which("git"):
            skip(self, "an export that does not fit: git is not installed")
        target = self.tree.above / "export \x1b[2J"

        def full(source, copy):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), source)
        subprocess.run(["git", "init", "--quiet", self.tree.root], check=True)
        subprocess.run(["git", "add", "run", "tools"], cwd=self.tree.root, check=True)
        with mock.patch.object(classroom, "ROOT", self.tree.root), mock.patch("shutil.copy", full), self.assertRaises(Refused) as refused:
            classroom.export(str(target))
        self.assertIn(f"cannot write to {self.tree.above}/export ?[2J: No space left on device", str(refused.exception))
        self.assertFalse([path for path in self.tree.above.iterdir() if "export" in path.name])


class Endless(InTree):
    def test_an_answer_that_never_ends_is_ended_and_the_report_says_so(self):
        build = self.tree.root / "tools/build.py"
        build.write_text(build.read_text().replace("PATIENCE = 120", "PATIENCE = 1"))
        self.tree.write("exercises/01.1_first_index.cu", "while :; do :; done\n")
        self.tree.write("exercises/01.2_tail.cu", "exit 0\n")
        done = self.tree.run("exercise", "--report", "report.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        states = [one["state"] for one in json.loads((self.tree.above / "report.json").read_text())["exercises"]]
        self.assertEqual(states, ["stopped after 1 s", "solved", "not begun"])
        done = self.tree.run("exercise", "01.1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("Stopped after 1 s", done.stdout)


class Imports(InTree):
    def take(self, content):
        (self.tree.above / "other.json").write_text(content if isinstance(content, str) else json.dumps({"predictions": {}, **content}))
        return self.tree.run("exercise", "--import", "other.json")

    def test_what_no_reader_can_have_done_is_refused(self):
        good = {"state": "begun", "tries": 1, "hints": 0}
        for entry in ({"tries": -1}, {"tries": 1e308}, {"tries": 10 ** 12}, {"hints": True}, {"state": ["begun"]}, {"more": 1}):
            self.assertIn("is not a progress.json", self.take({"exercises": {"01.1": good | entry}}).stderr, entry)
        for content in ("null", "[" * 100000, '{"exercises": {"01.1": {"state": "begun", "tries": ' + "9" * 4301 + ', "hints": 0}}}',
                        json.dumps({"exercises": {"x": good}, "predictions": {}}), " " * SCHEMA["bytes"] + "{}"):
            self.assertIn("is not a progress.json", self.take(content).stderr, content[:40])
        self.assertIn("is not a progress.json", self.refused("--import", "/dev/zero"))

    def test_exercises_that_nobody_has_are_not_counted_and_not_kept(self):
        entries = {f"{chapter:02}.{number}": {"state": "solved", "tries": 1, "hints": 0} for chapter in range(100) for number in range(1, 100)}
        done = self.take({"exercises": entries})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Imported your progress on 3 exercises. 9897 more are not in this clone.", done.stdout)
        self.assertEqual(len(json.loads((self.tree.root / "progress.json").read_text())["exercises"]), 3)

    def test_counts_stay_within_what_is_read_again(self):
        most = SCHEMA["exercises"]["fields"]["tries"]["most"]
        Progress(self.folder).note_exercise("01.1", "begun", most, most)
        known = Progress(self.folder).note_exercise("01.1", "begun", 1, 1)
        self.assertTrue(parse(json.dumps(known))[1])


class Ended(unittest.TestCase):
    def test_a_closed_standard_input_is_an_ended_one(self):
        book = ToyBook(self)
        book.add("<!--predict: which-->\n<!--/-->\n",
                 '\nwhich = choice("Which is faster?", {"one": less(two_gb, 1000), "two": more(two_gb, 2000)}, right="two", fold="By much.")\n')
        command = f"'{REPOSITORY}/run' predict --root '{book.root}' 02 <&-"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("End of input", done.stdout)


class Tables(FolderTest):
    HEAD = ["ID", "Kernel Name", "Block Size", "Grid Size", LOADS]
    ROW = ["k(float *)", "(256, 1, 1)", "(16, 1, 1)"]

    def table(self, *cells, end="\n", mark=","):
        rows = [self.HEAD, [""] * 4 + ["request"], *([at, *self.ROW, cell] for at, cell in enumerate(cells))]
        return "".join(mark.join(f'"{cell}"' for cell in row) + end for row in rows)

    def refused(self, text):
        with self.assertRaises(Refused) as refused:
            counters.launches_of(str(self.write("t.csv", text)))
        self.assertIn("t.csv", str(refused.exception))
        self.assertNotIn("\n", str(refused.exception))
        return str(refused.exception)

    def test_lines_that_end_as_an_old_mac_s_are_lines(self):
        launches = counters.launches_of(str(self.write("t.csv", self.table("512", "1,024", end="\r"))))
        self.assertEqual([launch.values[LOADS] for launch in launches], [512, 1024])

    def test_what_a_parser_throws_is_a_refusal_with_file_and_line(self):
        for text in (self.table("1", "x" * 131073), self.table("1", "1").replace("(16, 1, 1)", f"({'9' * 6000}, 1, 1)")):
            self.assertRegex(self.refused(text), r"line [34], cannot be read")
        self.assertIn("finite whole number", self.refused(self.table("9" * 6000)))

    def test_a_count_is_a_finite_whole_number(self):
        for cell in ("nan", "inf", "-5", "1.024", "64,0", "1,23", "1e999", "0x10", "1_000"):
            said = self.refused(self.table("512", cell))
            self.assertIn("line 4", said)
            self.assertIn(f"{LOADS} is '{cell}'", said)

    def test_the_separator_is_named(self):
        self.assertIn("semicolons between its columns", self.refused(self.table("1", mark=";")))
        self.assertIn("semicolons between its columns", self.refused(self.table("1", mark=";").replace('"', "")))
        self.assertIn("tabs between its columns", self.refused(self.table("1", mark="\t")))

    def test_a_json_whose_grid_is_no_text_is_a_sentence(self):
        row = {"variant": "k", "counts": {}, "parameters": {"grid": 5}}
        with mock.patch("tools.results.schema.load", lambda path: {"rows": [row]}), self.assertRaises(Refused) as refused:
            counters.rows_of_json("own.json")
        self.assertIn("own.json cannot be read", str(refused.exception))


class Server(FolderTest):
    def setUp(self):
        super().setUp()
        (self.folder / "large").write_bytes(bytes(8 << 20))
        self.server = serve.server(str(self.folder))
        self.addCleanup(self.server.server_close)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.addCleanup(self.server.shutdown)

    def ask(self, words):
        client = socket.create_connection(self.server.server_address)
        self.addCleanup(client.close)
        client.settimeout(20)
        client.sendall(words)
        return client

    def test_a_name_that_no_file_can_have_is_not_found(self):
        for path in (b"/%00", b"//[", b"/a%00b"):
            self.assertIn(b" 404 ", self.ask(b"GET " + path + b" HTTP/1.0\r\n\r\n").recv(100), path)

    def test_a_client_that_leaves_says_nothing_in_the_terminal(self):
        with mock.patch("sys.stderr") as said:
            client = self.ask(b"GET /large HTTP/1.0\r\n\r\n")
            client.recv(10)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # a reset
            client.close()
            deadline = time.monotonic() + 20
            while threading.active_count() > 2 and time.monotonic() < deadline:
                time.sleep(0.02)
            said.write.assert_not_called()

    def test_clients_that_say_nothing_are_dropped(self):
        self.assertLessEqual(serve.Quiet.timeout, 60)
        with mock.patch.object(serve.Quiet, "timeout", 0.2):
            clients = [self.ask(b"") for _ in range(200)]
            self.assertEqual({client.recv(1) for client in clients}, {b""})
        self.assertIn(b" 404 ", self.ask(b"GET /none HTTP/1.0\r\n\r\n").recv(100))
