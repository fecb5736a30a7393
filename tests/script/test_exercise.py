"""What ./run exercise promises, whatever the exercises are."""

import json
import os
import re
import shutil
import subprocess
import time
import unittest

from tests.script.skips import skip
from tests.script.terminal import in_a_terminal
from tests.script.toy_tree import REPOSITORY, ToyTree


class ExerciseTest(unittest.TestCase):
    """One tree for all, which is built once; the reader's folder is new for each."""

    @classmethod
    def setUpClass(cls):
        cls.tree = ToyTree()
        cls.addClassCleanup(cls.tree.remove)
        cls.own = cls.tree.root / "exercises"
        cls.answer = cls.own / "01.1_first_index.cu"

    def setUp(self):
        self.addCleanup(shutil.rmtree, self.own, ignore_errors=True)
        self.addCleanup(lambda: [path.unlink() for path in self.tree.root.glob("progress.json*")])

    def exercise(self, *arguments, status=0, **options):
        """Runs ./run exercise in the tree; returns what it printed."""
        options.setdefault("cwd", self.tree.root)
        result = self.tree.run("exercise", *arguments, **options)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        self.messages = result.stderr
        return result.stdout

    def edit(self, old, new):
        self.answer.write_text(self.answer.read_text().replace(old, new))

    def solve(self):
        self.edit("exit 1", "exit 0")
        return self.exercise("01.1")

    def refused(self, *arguments, **options):
        """The sentence with which it refuses."""
        self.assertEqual(self.exercise(*arguments, status=2, **options), "")
        line, = self.messages.splitlines()
        return line


class Classes(ExerciseTest):
    """What a teacher requests."""

    def report(self):
        self.said = self.exercise("--report", "report.json", cwd=self.tree.above)
        return json.loads((self.tree.above / "report.json").read_text())

    def states(self):
        return [(one["number"], one["state"]) for one in self.report()["exercises"]]

    def test_a_report_says_of_each_what_its_check_says_now(self):
        self.assertEqual(self.states(), [("01.1", "not begun"), ("01.2", "not begun"), ("02.1", "not begun")])
        self.exercise("01.1", status=1)
        self.exercise("01.2", status=1)
        self.assertEqual(self.states()[:2], [("01.1", "begun"), ("01.2", "begun")])
        self.solve()
        self.exercise("01.2", "--hint")
        report = self.report()
        self.assertEqual((report["device"], report["solved"], report["of"]), ("cpu", 1, 3))
        self.assertIn("1 of 3 solved; report.json lists each.", self.said)
        first, second, _ = report["exercises"]
        self.assertEqual(first, {"number": "01.1", "title": "The first_index", "practises": "practice", "state": "solved",
                                 "missed": None, "tries": 1, "hints": 0})
        self.assertEqual(second["hints"], 1)
        # Whatever was noted before, and who did it: a file that is wrong now is not solved.
        self.edit("exit 0", "echo '  MISSED stores each element'\nexit 1")
        first = self.report()["exercises"][0]
        self.assertEqual((first["state"], first["missed"]), ("missed", "stores each element"))
        self.answer.write_text("if then\n")
        self.assertEqual(self.states()[0], ("01.1", "does not compile"))
        self.answer.write_text("exit 6\n")
        self.assertEqual(self.states()[0], ("01.1", "ended with status 6"))

    def test_the_loop_that_marks_a_class_has_each_student_s_own_answers_tries_and_hints(self):
        page = (REPOSITORY / "book/teaching.md").read_text(encoding="utf-8")
        loop, = (code for code in re.findall(r"```sh\n(.*?)```", page, re.DOTALL) if "for who in" in code)
        self.exercise("01.1", status=1)
        self.solve()
        self.addCleanup(shutil.rmtree, self.tree.above / "hand-ins")
        self.addCleanup(shutil.rmtree, self.tree.above / "reports")
        (self.tree.above / "clone").symlink_to(self.tree.root)
        self.addCleanup((self.tree.above / "clone").unlink)
        for who in ("ada", "ben"):
            shutil.copytree(self.own, self.tree.above / "hand-ins" / who / "exercises")
        (self.tree.root / "progress.json").rename(self.tree.above / "hand-ins/ada/progress.json")
        done = subprocess.run(["sh", "-c", loop], cwd=self.tree.above, capture_output=True, text=True, check=True)
        self.assertIn("hand-ins/ben: no tries, no hints", done.stdout)
        for who, tries in (("ada", 1), ("ben", 0)):
            report = json.loads((self.tree.above / "reports" / f"{who}.json").read_text())
            first = report["exercises"][0]
            self.assertEqual((report["solved"], first["state"], first["tries"]), (1, "solved", tries))

    def test_a_report_that_cannot_be_written_is_one_sentence(self):
        self.assertIn("cannot write to none/report.json", self.refused("--report", "none/report.json"))
        self.assertIn("Is a directory", self.refused("--report", "tools"))
        for words in (["--report"], ["--report", "a", "b"], ["--report", "--hint"], ["01.1", "--export", "x"]):
            self.assertRegex(self.refused(*words), r"^run: .*--help\.$")

    def test_an_export_has_all_but_what_solves_or_tests(self):
        if not shutil.which("git"):
            skip(self, "an export of tracked files: git is not installed")
        self.tree.write("tests/exercises/test.py", "tests\n")
        subprocess.run("git init -q . && git add -A", shell=True, cwd=self.tree.root, check=True)
        self.addCleanup(shutil.rmtree, self.tree.root / ".git")
        self.exercise("--export", "for class", cwd=self.tree.above)
        copy = self.tree.above / "for class"
        self.addCleanup(shutil.rmtree, copy)
        there = {str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file()}
        known = set(subprocess.run(["git", "ls-files"], cwd=self.tree.root, capture_output=True, text=True).stdout.split("\n")) - {""}
        left_out = {path for path in known if path.endswith("/answers.txt") or path.startswith("tests/")}
        self.assertEqual(there, known - left_out)
        self.assertEqual(len(left_out), 5, left_out)
        there = {"cwd": copy, "capture_output": True, "text": True, "stdin": subprocess.DEVNULL}
        listed = subprocess.run(["./run", "exercise"], **there)
        self.assertIn("0 of 3 solved", listed.stdout)
        begun = subprocess.run(["./run", "exercise", "01.1"], **there)
        self.assertIn("checked 01.1", begun.stdout)
        for words, sentence in ((["exercise", "01.1", "--solution"], "this copy has no solutions"), (["test"], "made without tests")):
            refused = subprocess.run(["./run", "--device", "cpu", *words], **there)
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn(sentence, refused.stderr)
        self.assertIn("already exists", self.refused("--export", str(copy)))
        self.assertIn("name a folder elsewhere", self.refused("--export", str(self.tree.root / "new")))


class Exercises(ExerciseTest):
    def test_the_list_needs_no_compiler_and_leads_to_the_first(self):
        bare = self.tree.path(without=("g++", "c++", "gcc", "cc", "cmake", "ninja"))
        self.assertEqual(self.exercise(env=bare).splitlines(), [
            "[ ] 01.1  The first_index                            5 min",
            "[ ] 01.2  The tail                                   5 min",
            "[ ] 02.1  The blocks                                 5 min",
            "",
            "0 of 3 solved; [x] solved, [.] begun.",
            "Next: ./run exercise 01.1 (The first_index, 5 min)"])
        self.assertFalse(self.own.exists())

    def test_those_of_a_chapter_alone(self):
        listed = self.exercise("1")
        self.assertIn("01.2", listed)
        self.assertNotIn("02.1", listed)

    def test_the_first_call_gives_the_starter_says_the_task_and_checks(self):
        said = self.exercise("01.1", status=1)
        self.assertIn("01.1: The first_index\n\nThe task of first_index.\n", said)
        self.assertIn("Your file is exercises/01.1_first_index.cu.", said)
        self.assertIn("checked 01.1", said)
        self.assertIn("Next: change exercises/01.1_first_index.cu", said)
        self.assertEqual(self.answer.read_text().splitlines()[0], "// 01.1: The first_index")
        again = self.exercise("01.1", status=1)
        self.assertNotIn("The task", again)
        self.assertIn("checked 01.1", again)

    def test_an_exercise_goes_by_number_or_name_from_anywhere(self):
        for name in ("1.1", "first_index", "01.1_first_index"):
            said = self.exercise(name, status=1, cwd=self.tree.above)
            self.assertIn("checked 01.1", said)
            self.assertIn("moving bytes/exercises/01.1_first_index.cu", said)

    def test_what_the_reader_has_is_never_overwritten(self):
        self.exercise("01.1", status=1)
        self.edit("exit 1", "exit 1 # mine")
        starter = self.tree.root / "chapters/01_first/exercises/01.1_first_index/starter.cu"
        before = starter.read_text()
        self.addCleanup(starter.write_text, before)
        starter.write_text(before + "# newer\n")
        self.exercise("01.1", status=1)
        self.assertIn("# mine", self.answer.read_text())
        self.assertNotIn("# newer", self.answer.read_text())

    def test_a_solved_exercise_leads_to_the_next_and_stays_solved(self):
        self.exercise("01.1", status=1)
        said = self.solve()
        self.assertIn("Solved. To compare: ./run exercise 01.1 --solution", said)
        self.assertIn("Next: ./run exercise 01.2 (The tail, 5 min)", said)
        self.edit("exit 0", "exit 1")
        self.exercise("01.1", status=1)
        listed = self.exercise()
        self.assertIn("[x] 01.1", listed)
        self.assertIn("1 of 3 solved", listed)
        self.assertIn("Next: ./run exercise 01.2", listed)

    def test_progress_of_the_site_is_added_to_what_is_known(self):
        self.exercise("01.1", status=1)
        self.exercise("01.1", "--hint")
        kept = self.tree.root / "progress.json"
        other = self.tree.above / "of the site.json"
        for state, tries, hints, all_of_it in (("solved", 2, 0, {"state": "solved", "tries": 2, "hints": 1}),
                                               ("begun", 1, 3, {"state": "solved", "tries": 2, "hints": 3})):
            other.write_text(json.dumps({"exercises": {"01.1": {"state": state, "tries": tries, "hints": hints}}, "predictions": {}}))
            self.assertIn("Imported your progress on 1 exercise", self.exercise("--import", "of the site.json", cwd=self.tree.above))
            self.assertEqual(json.loads(kept.read_text())["exercises"]["01.1"], all_of_it)
        before = kept.read_bytes()
        other.write_text('{"exercises": {"01.1": {"state": "eaten"}}}')
        self.assertIn("is not a progress.json", self.refused("--import", str(other)))
        self.assertIn("cannot read", self.refused("--import", "not there"))
        self.assertEqual(kept.read_bytes(), before)

    def test_after_the_last_the_first_that_is_left_comes_next_and_then_none(self):
        for number in ("02.1", "01.2"):
            self.exercise(number, status=1)
        for file in self.own.glob("*.cu"):
            file.write_text("exit 0\n")
        self.exercise("01.2")
        self.assertIn("Next: ./run exercise 01.1", self.exercise("02.1"))
        self.exercise("01.1", status=1)
        self.assertIn("All exercises are solved.", self.solve())

    def test_hints_come_one_at_a_time(self):
        one = "One, which is long enough for more than one line of a narrow terminal, goes on."
        for hint in (f"Hint 1 of 3: {one} ", "Hint 2 of 3: Two. ", "Hint 3 of 3: Three. ",
                     f"You have seen all hints. {one} Two. Three. "):
            said = " ".join(self.exercise("01.1", "--hint").split())
            self.assertTrue(said.startswith(hint + "Next: "), said)

    def test_the_solution_is_for_after_a_try(self):
        self.exercise("01.1", status=1)  # that of the starter is none
        self.assertIn("change exercises/01.1_first_index.cu", self.refused("01.1", "--solution"))
        self.edit("exit 1", "exit 1 # tried")
        self.exercise("01.1", status=1)
        said = self.exercise("01.1", "--solution")
        self.assertTrue(said.startswith('// A solution of 01.1: The first_index\n//\n// why it is right\n\necho "checked 01.1"\nexit 0\n'))
        self.assertIn("Next: ", said)

    def test_reset_begins_again_and_keeps_what_was_there(self):
        self.exercise("01.1", status=1)
        for copy in ("1", "2"):
            self.edit("exit 1", f"exit {copy}{copy}")
            said = self.exercise("01.1", "--reset")
            self.assertIn(f"your version is kept as exercises/01.1_first_index.cu-{copy}.", said)
            kept = self.answer.with_name(f"01.1_first_index.cu-{copy}").read_text()
            self.assertIn(f"exit {copy}{copy}", kept)
            self.assertIn("exit 1\n", self.answer.read_text())

    def test_what_does_not_compile_is_a_try(self):
        self.exercise("01.1", status=1)
        self.edit("exit 1", "if")
        said = self.exercise("01.1", status=1)
        self.assertIn("It does not compile; the lines above say why.", self.messages)
        self.assertIn("Next: ", said)
        self.exercise("01.1", "--solution")

    def test_what_the_linker_says_of_the_checker_becomes_a_sentence(self):
        self.exercise("01.1", status=1)
        starter = self.answer.read_text()
        for said, sentence in (
                ("x.cpp:(.text+0x5): undefined reference to `solve(float*)'", "The goals call solve(float*); your file "
                 "must define it as the starter does."),
                ("ld: x.o: in function `main':\n#ld: x.cu:9: multiple definition of `main'; y.o:y.cpp:2: first defined "
                 "here", "Your file defines main, a name of the checker: use another one.")):
            self.answer.write_text(f"{starter}\n#ld: {said}\n")
            self.exercise("01.1", status=1)
            self.assertEqual(self.messages.splitlines()[1:], [
                sentence, "", "It does not compile; the lines above say why."])

    def test_what_the_checker_cannot_do_is_no_missed_goal(self):
        self.exercise("01.1", status=1)
        self.edit("exit 1", "exit 2")
        self.assertNotIn("Next:", self.exercise("01.1", status=2))

    def test_nobody_can_write(self):
        if os.geteuid() == 0:
            self.own.write_text("in the way\n")  # root may write everywhere else
            self.addCleanup(self.own.unlink)
        else:
            self.tree.root.chmod(0o555)
            self.addCleanup(self.tree.root.chmod, 0o755)
        sentence = self.refused("01.1")
        self.assertIn("cannot write to", sentence)
        self.assertIn("moving bytes/exercises", sentence)

    def test_what_it_does_not_know_gets_the_nearest_that_it_does(self):
        for words, remedy in ((("01.3",), "01.1"), (("first_indx",), "01.1"), (("01.1", "--hnt"), "Did you mean --hint? See ./run exercise --help."),
                              (("--hint",), "./run exercise 01.1 --hint"),
                              (("01.1", "02.1"), "unrecognized arguments: 02.1"), (("01.1", "--hint", "--reset"), "not allowed with argument")):
            self.assertIn(remedy, self.refused(*words))
        self.assertFalse(self.own.exists())

    def test_help_needs_nothing(self):
        self.assertIn("usage: ./run exercise", self.exercise("--help"))
        self.assertIn("./run exercise", self.tree.run("--help").stdout)

    def test_a_narrow_terminal_gets_narrow_lines(self):
        for arguments in ((), ("01.1", "--hint")):
            _, shown, _ = in_a_terminal(str(self.tree.root / "run"), "exercise", *arguments, columns=60)
            lines = [line for line in shown.splitlines() if self.answer.name not in line]  # a path is as long as it is
            self.assertLessEqual(max(map(len, lines)), 60)


class Progress(ExerciseTest):
    def setUp(self):
        super().setUp()
        self.progress = self.tree.root / "progress.json"

    def test_a_damaged_file_is_kept_and_said_and_the_rest_of_it_counts(self):
        self.exercise("01.1", status=1)
        self.solve()
        entry = '"02.1": {"state": "solved", "tries": 1, "hints": 0}'
        for number, damage in enumerate(('"02.1": 3', entry.replace("1, ", "-, "), entry.replace("solved", "cheated"), entry[:9]), 1):
            damaged = self.progress.read_text().replace('"exercises": {', '"exercises": {' + damage + ",", 1)
            self.progress.write_text(damaged)
            listed = self.exercise()
            self.assertIn(f"is damaged. It is kept as progress.json.damaged-{number};", self.messages)
            self.assertEqual((self.tree.root / f"progress.json.damaged-{number}").read_text(), damaged)
            if number in (1, 3):  # it is JSON all the same
                self.assertIn("[x] 01.1", listed)
            else:
                self.progress.write_text('{"exercises": {"01.1": {"state": "solved", "tries": 1, "hints": 0}}, "predictions": {}}')
            self.exercise()
            self.assertEqual(self.messages, "")

    def test_lines_of_exercises_that_are_gone_stay(self):
        known = {"01.1": {"state": "solved", "tries": 3, "hints": 1}, "77.1": {"state": "begun", "tries": 2, "hints": 0}}
        self.progress.write_text(json.dumps({"exercises": known, "predictions": {}}))
        self.assertIn("[x] 01.1", self.exercise())
        self.exercise("02.1", status=1)
        self.assertEqual(json.loads(self.progress.read_text())["exercises"], known | {"02.1": {"state": "begun", "tries": 0, "hints": 0}})


class Watch(ExerciseTest):
    def wait_for(self, process, word):
        for line in process.stdout:
            if word in line:
                return
        self.fail(f"it ended with {process.wait()} and never said {word}")

    def watch(self):
        return subprocess.Popen(self.tree.command("exercise", "01.1", "--watch"), text=True, cwd=self.tree.root,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def test_each_save_is_checked_until_it_is_solved(self):
        with self.watch() as process:
            self.wait_for(process, "Watching exercises/01.1_first_index.cu")
            self.edit("exit 1", "echo 'second try'; exit 1")
            self.wait_for(process, "second try")
            self.wait_for(process, "Watching")
            moved = self.answer.rename(self.answer.with_suffix(".old"))  # as some editors do
            time.sleep(0.5)
            moved.with_suffix(".new").write_text("exit 0\n")
            moved.with_suffix(".new").rename(self.answer)
            self.wait_for(process, "Solved.")
            self.wait_for(process, "Next: ./run exercise 01.2")
            self.assertEqual(process.wait(timeout=20), 0)

    def test_ctrl_c_ends_it_and_leaves_the_terminal_as_it_was(self):
        self.exercise("01.1", status=1)
        status, shown, restored = in_a_terminal(str(self.tree.root / "run"), "exercise", "01.1", "--watch",
                                                ctrl_c_after=5)
        self.assertEqual(status, 130)
        self.assertTrue(restored)
        self.assertTrue(shown.endswith("\r\n"), shown)
