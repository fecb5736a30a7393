"""Command lines, environments and folders that ./run has to refuse by a sentence, or to do without."""

import fcntl
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from tests.script.terminal import in_a_terminal
from tests.script.toy_tree import REPOSITORY, ToyTree
from tools.words import FORMS


class Attack(unittest.TestCase):
    def setUp(self):
        self.tree = ToyTree(self)

    def refused(self, *arguments, status=2, **options):
        """The one sentence with which it refuses, and builds nothing."""
        result = self.tree.run(*arguments, **options)
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        sentence, = [line for line in result.stderr.splitlines() if not line.startswith("Device:")]
        self.assertFalse((self.tree.root / "build").exists())
        return sentence


def wait_for(happens):
    started = time.monotonic()
    while not happens():
        if time.monotonic() - started > 40:
            raise AssertionError("nothing has happened for 40 s")
        time.sleep(0.02)


class Values(Attack):
    def test_what_is_no_chapter_and_no_option_is_refused_before_anything_is_built(self):
        self.assertIn("'-1'", self.refused("-1"))
        self.assertIn("''", self.refused(""))
        self.assertIn("'-1'", self.refused("--device", "cpu", "-1", "--n", "3"))

    def test_a_word_of_thousands_of_letters_is_answered_at_once(self):
        started = time.monotonic()
        sentence = self.refused("x" * 3000)
        self.assertLess(len(sentence), 300)
        self.assertLess(time.monotonic() - started, 20)

    def test_control_characters_do_not_reach_the_terminal(self):
        self.assertNotIn("\x1b", self.refused("\x1b[2Jlist"))

    def test_every_form_of_the_script_is_among_the_words_that_are_suggested(self):
        script = (REPOSITORY / "run").read_text()
        cases = script[script.index("\ncase $form in"):]
        labels = re.findall(r"^([^\s(]*(?: \| [^\s(]+)*)\) ", cases.replace(")\n", ") \n"), re.MULTILINE)
        forms = {word for label in labels for word in re.findall(r"(?<![-a-z])[a-z]{3,}", label)} - {"files"}
        self.assertEqual(forms, set(FORMS))

    def test_a_setting_that_is_none_is_refused(self):
        for name, value, words in (("MOVING_BYTES_WERROR", "maybe", "ON or OFF"), ("MOVING_BYTES_ASSERT", "zz", "return")):
            sentence = self.refused("01", env={**os.environ, name: value})
            self.assertIn(name, sentence)
            self.assertIn(words, sentence)

    def test_a_compiler_that_is_not_there_is_not_answered_with_another(self):
        sentence = self.refused("01", status=3, env={**os.environ, "CXX": "g++-4.8"})
        self.assertIn("CXX is 'g++-4.8'", sentence)

    def test_options_of_a_form_are_refused_in_its_name(self):
        for form in ("docs", "predict", "compare", "book"):
            result = subprocess.run([sys.executable, "-m", "tools", "cpu", form, "--bogus"], cwd=REPOSITORY,
                                    capture_output=True, text=True)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"./run {form}", result.stderr)


class Surroundings(Attack):
    def test_a_line_break_in_the_path_is_a_sentence_of_ours(self):
        broken = self.tree.root.with_name("two\nlines")
        self.tree.root.rename(broken)
        self.tree.root = broken
        self.assertIn("line break", self.refused("01"))

    def test_a_letter_in_the_path_that_ends_in_errors_of_the_tools_is_a_sentence_of_ours(self):
        for letter in ';"#\\:<>|[]':
            self.tree.root = self.tree.root.rename(self.tree.above / f"one{letter}two")
            self.assertIn("rename it", self.refused("01"), letter)
        self.tree.root = self.tree.root.rename(self.tree.above / "$ & (1) {2} * ? % @ ! ~ = , + ` ^ é")
        self.assertEqual(self.tree.run("01").stdout, "01_first \n")

    def test_without_a_home_and_without_git_a_chapter_runs(self):
        bare = {name: value for name, value in os.environ.items() if name not in ("HOME", "USER", "TMPDIR")}
        self.assertEqual(self.tree.run("01", env=bare).stdout, "01_first \n")

    def test_without_git_and_in_somebody_else_s_clone_the_commit_is_unknown_and_no_more(self):
        source, definition = self.tree.root, self.tree.above / "commit.cpp"
        command = ["cmake", "-D", f"SOURCE={source}", "-D", f"DEFINITION={definition}", "-P", str(REPOSITORY / "cmake/Commit.cmake")]
        without = pathlib.Path(tempfile.mkdtemp(dir=self.tree.above))
        (without / "cmake").symlink_to(shutil.which("cmake"))
        surroundings = [{**os.environ, "PATH": str(without)}]  # an unpacked archive
        if shutil.which("git"):
            subprocess.run(["git", "init", "--quiet", source], check=True)
            surroundings += [{**os.environ, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}]  # git's own word for it: dubious ownership
        for environment in surroundings:
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertIn('commit[] = "unknown"', definition.read_text())
            definition.unlink()

    def test_what_wants_no_colours_gets_none(self):
        for setting in ("TERM=dumb", "NO_COLOR=1"):
            for words in (["list"], ["01"], ["exercise", "01.1"], ["book", "--frobnicate"]):
                _, shown, _ = in_a_terminal("env", setting, *self.tree.command(*words))
                self.assertNotIn("\x1b", shown, words)

    def test_a_tree_of_modules_in_the_reader_s_folder_is_not_taken(self):
        for name in ("tools/__init__.py", "tools/__main__.py", "json.py", "argparse.py"):
            path = self.tree.above / name
            path.parent.mkdir(exist_ok=True)
            path.write_text("raise SystemExit('this is not ours')\n")
        self.assertIn("01_first", self.tree.run("list", cwd=self.tree.above).stdout)

    def test_in_a_clone_that_cannot_be_written_what_is_only_read_works(self):
        if os.geteuid() != 0:
            self.tree.root.chmod(0o555)
            self.addCleanup(self.tree.root.chmod, 0o755)
        other = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        self.assertEqual(self.tree.run("list", **other).returncode, 0)
        self.assertIn("0 of 3 solved", self.tree.run("exercise", **other).stdout)
        for words in (["01"], [], ["exercise", "01.1"], ["test"]):
            if words == ["test"] and os.geteuid() != 0:
                continue  # it may have to install something
            result = self.tree.run(*words, **other)
            self.assertEqual(result.returncode, 2, result.stderr)
            sentence, = [line for line in result.stderr.splitlines() if not line.startswith("Device:")]
            self.assertIn("cannot write to", sentence)
            self.assertEqual(result.stdout, "")


class Builds(Attack):
    def test_a_damaged_build_file_heals(self):
        self.assertEqual(self.tree.run("01").returncode, 0)
        ninja = self.tree.build / "build.ninja"
        whole = ninja.read_bytes()
        for content in (whole[:len(whole) // 2], whole[:len(whole) // 3 * 2], b"", b"\0" * 100):
            ninja.write_bytes(content)
            (self.tree.build / "bin/02_second").unlink(missing_ok=True)
            result = self.tree.run("02")
            self.assertEqual((result.returncode, result.stdout), (0, "02_second \n"), result.stderr)

    def test_a_compiler_that_is_killed_in_the_middle_heals(self):
        warn, half = self.tree.root / "warn.sh", self.tree.build / "bin/02_second"
        whole = warn.read_text()
        for again in (False, True):  # before there is anything, and where all was built before
            self.assertEqual(self.tree.run("01").returncode, 0)
            if again:
                source = self.tree.root / "chapters/02_second/02_second.cu"
                source.write_text(source.read_text() + "# another line\n")
            for everything in (False, True):  # the compiler alone, as for want of memory; all of the build
                warn.write_text(f'case $2 in *02_second.cu) mkdir -p bin; echo "exit 7 # half" >bin/02_second; echo $$ >"{warn}.pid"\n'
                                "sleep 30 ;; esac\n")
                process = subprocess.Popen(self.tree.command("02"), start_new_session=True, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.PIPE, text=True)
                compiler = pathlib.Path(f"{warn}.pid")
                wait_for(lambda: compiler.exists() and compiler.read_text().endswith("\n"))
                if everything:
                    os.killpg(process.pid, signal.SIGKILL)
                os.killpg(os.getpgid(int(compiler.read_text())), signal.SIGKILL)  # ninja gives each command a group
                _, said = process.communicate()
                self.assertNotEqual(process.returncode, 0)
                if not everything:
                    self.assertIn("the build failed", said)
                compiler.unlink()
                self.assertIn("half", half.read_text())
            warn.write_text(whole)
            result = self.tree.run("02")
            self.assertEqual((result.returncode, result.stdout), (0, "02_second \n"), result.stderr)

    def test_who_waits_for_another_build_says_so(self):
        folder = self.tree.root / "build/cpu"
        folder.mkdir(parents=True)
        other = os.open(folder, os.O_RDONLY)
        fcntl.flock(other, fcntl.LOCK_EX)
        errors = self.tree.above / "errors"
        with open(errors, "w", encoding="utf-8") as file:
            with subprocess.Popen(self.tree.command("01", "--device", "cpu"), stdout=subprocess.DEVNULL, stderr=file) as run:
                try:
                    wait_for(lambda: "Waiting for another ./run" in errors.read_text())
                finally:
                    os.close(other)
                self.assertEqual(run.wait(40), 0)

    def test_a_source_of_a_date_to_come_is_told(self):
        self.assertNotIn("is dated", self.tree.run("01").stderr)
        source = self.tree.root / "chapters/01_first/01_first.cu"
        os.utime(source, (4080000000, 4080000000))
        for _ in range(2):
            self.assertIn(f"{source} is dated 2099-04-16, so it is rebuilt at each run", self.tree.run("01").stderr)

    def test_a_clock_that_is_slow_is_told_once(self):
        for source in self.tree.root.glob("chapters/*/*.cu"):
            os.utime(source, (4080000000, 4080000000))
        self.assertRegex(self.tree.run("01").stderr, r"Building 01_first \.\.\. \d+ s\n3 sources are dated in the future: is \d{4}-\d\d-\d\d, .*\n$")

    def test_a_damaged_cache_heals(self):
        self.tree.run("01")
        cache = self.tree.build / "CMakeCache.txt"
        for content in ("", cache.read_text()[:200], "no cache\n"):
            cache.write_text(content)
            self.assertEqual(self.tree.run("02").stdout, "02_second \n")
