"""What ./run promises, whatever the chapters are."""

import os
import re
import shutil
import subprocess
import unittest

from tests.script.skips import skip
from tests.script.terminal import in_a_terminal
from tests.script.toy_tree import WITHOUT, ToyTree, results_of

COMPILERS = WITHOUT - {"python3", "doxygen", "apt-get", "sudo"}
NO_GPU = {"nvidia-smi": "exit 9\n"}
A_GPU = {"nvidia-smi": "echo 'GPU 0: NVIDIA T4 (UUID: GPU-1)'", "nvcc": ""}


class ScriptTest(unittest.TestCase):
    def setUp(self):
        self.tree = ToyTree(self)

    def ran(self, *arguments, status=0, **options):
        """What came of ./run with these arguments, which ends with the status."""
        result = self.tree.run(*arguments, **options)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def assert_refused(self, result, status, *words):
        """The status, nothing on standard output, and a sentence or two that hold the words."""
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stdout, "")
        lines = [line for line in result.stderr.splitlines() if not line.startswith("Device:")]
        self.assertEqual(len(lines), 1, result.stderr)
        for word in words:
            self.assertIn(word, lines[0])


class Forms(ScriptTest):
    def test_list_and_help_need_no_compiler(self):
        bare = self.tree.path(without=COMPILERS)
        listed = self.ran("list", env=bare)
        self.assertEqual([" ".join(line.split()) for line in listed.stdout.splitlines()], [
            "Part I: Fundamentals", "01_first what is the question of 01_first?", "", "Part II: Another",
            "02_second what is the question of 02_second?", "03_third what is the question of 03_third?"])
        question = "does a question of many words go on in a second line, so that no line is wider than 80 columns?"
        self.tree.write("chapters/04_wide/04_wide.cu", f"// 04_wide: {question}\n")
        listed = self.tree.run("list").stdout
        self.assertIn(question, " ".join(listed.split()))
        self.assertLessEqual(max(map(len, listed.splitlines())), 80)
        for option in ("--help", "-h"):
            page = self.ran(option, env=bare)
            self.assertIn("usage: ./run", page.stdout)
        self.assertFalse((self.tree.root / "build").exists())

    def test_the_version_is_that_of_the_project(self):
        version = self.tree.run("--version", env=self.tree.path(without=COMPILERS))
        self.assertEqual(version.stdout, "Moving Bytes 7.8\n", version.stderr)

    def test_it_is_for_bash_whoever_starts_it(self):
        for shell in (["sh"], ["bash", "--posix"]):
            result = subprocess.run([*shell, *self.tree.command("2", "a b")], capture_output=True,
                                    text=True, timeout=60, check=False)
            self.assertEqual(result.stdout, "02_second a b\n", result.stderr)

    def test_a_chapter_goes_by_its_number_or_name_and_gets_its_options(self):
        for form in ("02", "2", "second", "02_second"):
            result = self.ran("--device", "cpu", form, "--n", "64 Mi", "*")
            self.assertEqual(result.stdout, "02_second --n 64 Mi *\n", result.stderr)

    def test_only_the_chapter_asked_for_is_built(self):
        self.tree.run("02")
        self.assertEqual([path.name for path in (self.tree.build / "bin").iterdir()], ["02_second"])

    def test_all_chapters_run_and_one_screen_says_what_came_of_it(self):
        status, shown, _ = in_a_terminal(str(self.tree.root / "run"), "--device", "cpu", columns=80)
        self.assertEqual(status, 0, shown)
        screen = shown[shown.index("3 chapters ran"):].replace("\r", "").splitlines()
        self.assertLess(len(screen), 24)
        self.assertLessEqual(max(map(len, screen)), 80)
        text = " ".join(screen)
        self.assertRegex(text, r"^3 chapters ran on the CPU device in \d+ s: 3 rows are verified, every element. Not "
                               r"timed: the column modelled is for Z1.* 01_first +16.0 +16.00 .*build/cpu/tables/. "
                               r"./run --tables prints them. .*Next: ./run 01 ")
        self.assertNotIn("01_first --json", text)

    def test_tables_are_in_files_and_printed_if_asked_for(self):
        for prints in ([], ["--tables"]):
            result = self.ran("--device=cpu", "--n", "7", *prints)
            for name in ("01_first", "02_second", "03_third"):
                table = (self.tree.build / f"tables/{name}.txt").read_text()
                self.assertRegex(table, f"^{name} --json .* --n 7\n$")
                self.assertEqual(table in result.stdout, bool(prints))
            ladder = (self.tree.build / "tables/ladder.txt").read_text()
            self.assertEqual(re.findall("0._\\w+", ladder), ["01_first", "02_second", "03_third"])
            self.assertEqual(len(list((self.tree.build / "tables").iterdir())), 4)
            self.assertEqual(len(list((self.tree.build / "results").iterdir())), 3)
            self.assertIn(ladder, result.stdout)
        words = [line.split()[0] for line in result.stdout.splitlines() if re.match("0|best", line)]
        self.assertEqual(words, ["01_first", "02_second", "03_third", "best", "01_first", "02_second", "03_third"])

    def test_on_a_gpu_the_screen_says_what_to_compare_with(self):
        result = self.tree.run(env=self.tree.path(scripts=A_GPU))
        self.assertIn("3 chapters ran on the GPU", result.stdout)
        self.assertIn("./run compare", result.stdout)
        self.assertNotIn("01_first --json", result.stdout)

    def test_in_a_terminal_chapters_learn_where_in_the_whole_run_they_are(self):
        second = self.tree.root / "chapters/02_second/02_second.cu"
        second.write_text("// 02_second: why?\necho told \"<$MOVING_BYTES_PROGRESS>\"\n"
                          f"[ \"$1\" != --json ] || echo '{results_of('02_second')}' > \"$2\"\n")
        command = (str(self.tree.root / "run"), "--device", "cpu", "--tables")
        self.assertIn("told <2 3 1>", in_a_terminal(*command)[1])
        self.assertIn("told <1 1 1>", in_a_terminal(*command[:3], "02")[1])
        self.assertIn("told <>", self.tree.run("--device", "cpu", "02").stdout)

    def test_the_ladder_is_of_this_run_alone(self):
        fresh = self.ran("--list")
        self.assertIn("03_third", fresh.stdout)
        self.assertNotIn("best of each", fresh.stdout)
        self.tree.run()
        kept = sorted((self.tree.build / "results").iterdir())
        self.assertEqual([path.name for path in kept],
                         ["01_first.json", "02_second.json", "03_third.json"])
        self.assertNotIn("best of each", self.tree.run("--list").stdout)
        self.assertEqual(sorted((self.tree.build / "results").iterdir()), kept)

    def test_a_failing_chapter_does_not_stop_the_next_and_the_worst_status_is_kept(self):
        for status, rows in ((1, 3), (6, 2)):
            result = self.ran("--end-02", status, status=status)
            self.assertIn("02_second --json", result.stdout)  # the table of what failed, in full
            self.assertNotIn("03_third --json", result.stdout)
            self.assertTrue((self.tree.build / "tables/03_third.txt").exists())
            self.assertEqual(len(re.findall(r"(?m)^0\d_.* 16\.00", result.stdout)), rows)
            self.assertIn(f"02_second ended with status {status}.", result.stderr)

    def test_chapters_are_built_while_those_before_them_run(self):
        last = self.tree.build / "bin/03_third"
        first = self.tree.root / "chapters/01_first/01_first.cu"
        first.write_text(f"""// 01_first: why?
for wait in $(seq 400); do [ -x '{last}' ] && break; sleep 0.05; done
[ -x '{last}' ] && echo '{results_of("01_first")}' > "$2"
""")
        result = self.ran("--device", "cpu")
        self.assertIn("3 chapters ran", result.stdout)

    def test_on_a_gpu_nothing_is_built_beside_what_is_measured(self):
        first = self.tree.root / "chapters/01_first/01_first.cu"
        first.write_text(f"// 01_first: why?\n[ -x build/gpu/bin/03_third ] && echo '{results_of('01_first')}' > \"$2\"\n")
        self.ran(env=self.tree.path(scripts=A_GPU), cwd=self.tree.root)

    def test_a_bad_option_is_refused_once_not_by_every_chapter(self):
        result = self.ran("--end", 2, status=2)
        self.assertNotIn("02_second", result.stdout)

    def test_one_file_for_the_results_of_all_chapters_is_refused(self):
        self.assert_refused(self.tree.run("--json", "x"), 2, "--json", "results/")

    def test_unknown_words_get_the_nearest_spelling(self):
        for word, nearest in (("02_secnod", "02_second"), ("tset", "test"), ("lst", "list"),
                              ("stup", "setup"), ("dosc", "docs"), ("exercsie", "exercise"), ("bok", "book")):
            self.assert_refused(self.tree.run(word), 2, word, f"Did you mean {nearest}?", "./run list")
        for word in ("99", "frobnicate", "../01_first"):
            result = self.tree.run(word)
            self.assert_refused(result, 2, word, "./run list")

    def test_tests_get_the_options_of_ctest_and_one_failure_fails_them_all(self):
        passes = self.ran("--device", "cpu", "test", "-R", "passes")
        self.assertIn("100% tests passed, 0 tests failed out of 1", passes.stdout)
        self.assertEqual(self.tree.run("--device", "cpu", "test").returncode, 1)
        self.assertEqual(self.tree.run("--device", "cpu", "test", "-R", "nothing").returncode, 1)

    def test_a_word_that_is_no_option_of_ctest_does_not_run_all_tests(self):
        self.assert_refused(self.tree.run("--device", "cpu", "test", "passes"), 2, "passes", "./run test -R passes")
        self.assertIn("ctest [options]", self.tree.run("--device", "cpu", "test", "--help").stdout)
        self.assertFalse((self.tree.root / "build").exists())

    def test_slow_tests_are_left_out_visibly_unless_they_are_asked_for(self):
        usual = self.tree.run("--device", "cpu", "test").stdout
        self.assertNotIn("toy_takes_long", usual)
        self.assertIn("toy_part_of_it", usual)
        self.assertIn("left out: the slow tests (1), which ./run test --all runs too", usual)
        self.tree.run("--device", "cpu", "test", "-R", "passes")
        self.assertFalse((self.tree.build / "built").exists())  # what they alone run is not built either
        for asked in (["--all"], ["--all", "-j1"], ["-R", "long"]):
            all_or_chosen = self.tree.run("--device", "cpu", "test", *asked).stdout
            self.assertIn("toy_takes_long", all_or_chosen)
            self.assertNotIn("toy_part_of_it", all_or_chosen)
            self.assertNotIn("left out", all_or_chosen)
            self.assertEqual((self.tree.build / "built").read_text(), "built\n")
            (self.tree.build / "built").unlink()


class Devices(ScriptTest):
    def test_a_gpu_that_is_not_there_is_status_4(self):
        result = self.tree.run("--device", "gpu", env=self.tree.path(scripts=NO_GPU))
        self.assert_refused(result, 4, "--device gpu", "no NVIDIA GPU")
        self.assertFalse((self.tree.root / "build").exists())

    def test_without_a_gpu_the_cpu_device_is_chosen_and_the_reason_said(self):
        result = self.ran("01", env=self.tree.path(scripts=NO_GPU))
        self.assertIn("Device: cpu (there is no NVIDIA GPU here", result.stderr)

    def test_with_a_gpu_and_nvcc_the_gpu_is_chosen(self):
        result = self.tree.run("01", env=self.tree.path(scripts=A_GPU))
        self.assertIn("Device: gpu (GPU 0: NVIDIA T4).", result.stderr)
        self.assertTrue((self.tree.root / "build/gpu/bin/01_first").exists())

    def test_a_gpu_without_nvcc_is_status_3(self):
        hidden = {"BASH_FUNC_command%%": '() { [[ $* != "-v nvcc" ]] && builtin command "$@"; }'}  # which may be in /usr/local
        self.assert_refused(self.tree.run("--device", "gpu", env=self.tree.path(scripts=A_GPU) | hidden), 3, "nvcc is not")

    def test_any_other_device_is_refused(self):
        for arguments in (["--device", "tpu"], ["--device"], ["01", "--device=", "--n", "3"]):
            self.assert_refused(self.tree.run(*arguments), 2, "--device", "cpu or gpu")


class ReadersFile(ScriptTest):
    """What the words mean is own_program's business (tests/own_program)."""

    def test_all_words_go_to_the_driver_and_its_status_is_the_command_s(self):
        for name in ("my files/mine too.cu", "a.cu", "b.cpp"):
            self.tree.write(name, "")
        for words in (["my files/mine too.cu", "a b", "--", "--json"], ["-I", "dir", "a.cu", "b.cpp", "--count=all"]):
            result = self.ran(*words, cwd=self.tree.root, status=3)
            self.assertEqual(result.stdout.splitlines(), words, result.stderr)

    def test_what_the_driver_refuses_is_refused_before_the_rest_is_built(self):
        built = self.tree.build / "built"
        self.tree.write("a.cu", "")
        self.assert_refused(self.tree.run("-refused", "a.cu", cwd=self.tree.root), 2, "'-refused' is not an option")
        self.assertFalse(built.exists())
        self.tree.run("a.cu", "-std=c++17", cwd=self.tree.root)
        self.assertEqual(built.read_text().split(), ["compile_cuda"])
        self.tree.run("-std=c++20", "a.cu", cwd=self.tree.root)
        self.assertEqual(sorted(built.read_text().split()), ["compile_cuda", "compile_cuda", "compile_cuda_20"])


class SetUp(ScriptTest):
    """With an apt-get and a sudo that only write down how they were called."""

    def setUp(self):
        super().setUp()
        self.calls = self.tree.above / "calls"
        self.calls.touch()
        self.calls.chmod(0o666)
        note = f'echo "{{}} $*" >> "{self.calls}"\n'
        self.apt = {"apt-get": note.format("apt-get") + 'case "$*" in *install*) exit 100 ;; esac\n',
                    "sudo": note.format("sudo") + "exit 1\n"}

    def user(self):
        return {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}

    def test_nothing_missing_calls_nothing(self):
        self.assertEqual(self.tree.run("01", env=self.tree.path(scripts=self.apt)).returncode, 0)
        self.assertEqual(self.calls.read_text(), "")

    def test_root_installs_what_is_missing_and_only_that(self):
        if os.geteuid() != 0:
            skip(self, "what ./run installs for root: the tests do not run as root")
        bare = self.tree.path(without=("cmake", "ninja", "make"), scripts=self.apt)
        result = self.ran("01", env=bare, status=3)
        install = "install -y --no-install-recommends cmake ninja-build"
        calls = self.calls.read_text().splitlines()
        self.assertEqual(len(calls), 3)
        for call, words in zip(calls, (install, "update", install)):
            self.assertTrue(call.startswith("apt-get "), call)
            self.assertTrue(call.endswith(words), call)
        self.assertIn("apt-get " + install, result.stderr)

    def test_who_may_not_install_gets_the_command_to_type(self):
        bare = self.tree.path(without=("cmake",), scripts=self.apt)
        result = self.tree.run("01", env=bare, **self.user())
        self.assert_refused(result, 3, "run, as root: apt-get", "apt-get install -y --no-install-recommends cmake")
        self.assertFalse((self.tree.root / "build").exists())
        self.assertEqual(self.calls.read_text(), "")  # nobody becomes root unasked; ./run setup asks
        self.tree.run("setup", env=bare, **self.user())
        self.assertTrue(self.calls.read_text().startswith("sudo -n "))

    def test_a_system_without_apt_gets_the_names(self):
        bare = self.tree.path(without=("cmake", "apt-get", "sudo"))
        result = self.ran("01", env=bare, status=3)
        self.assertIn("not installed: cmake.", result.stderr)

    def test_setup_installs_for_what_is_asked_and_builds_nothing(self):
        bare = self.tree.path(without=("doxygen",), scripts=self.apt)
        self.ran("--device", "cpu", "setup", env=bare)
        self.assertEqual(self.calls.read_text(), "")
        for_tests = self.ran("--device", "cpu", "setup", "test", env=bare, status=3)
        self.assertIn("not installed: doxygen.", for_tests.stderr)
        self.assertIn(" doxygen\n", self.calls.read_text())
        self.assertFalse((self.tree.root / "build").exists())
        self.assert_refused(self.tree.run("setup", "tests"), 2, "no argument or the word test", "'tests'")

    def test_what_is_needed_twice_is_installed_once(self):
        bare = self.tree.path(without=("python3",), scripts=self.apt)
        result = self.ran("--device", "cpu", "test", env=bare, status=3)
        install = result.stderr.rpartition("--no-install-recommends ")[2]
        self.assertEqual(install.split().count("python3"), 1, result.stderr)

    def test_a_gpu_has_its_tests_where_those_of_the_cpu_device_cannot_be_had(self):
        if shutil.which("make") is None:
            skip(self, "a build without ninja: make is not installed")
        bare = self.tree.path(without=("doxygen", "apt-get", "sudo", "ninja"), scripts=A_GPU)
        result = self.ran("test", "-R", "passes", env=bare)
        self.assertIn("skipped: the tests of the CPU device, the book and the site: not installed: doxygen", result.stderr)
        self.assertFalse((self.tree.root / "build/cpu").exists())
        self.assertTrue((self.tree.root / "build/gpu/Makefile").exists())  # there is no ninja
        labelled = self.tree.run("test", "-L", "gpu", env=self.tree.path(scripts=A_GPU))
        self.assertNotIn("(cpu)", labelled.stderr)
        self.assertIn("(gpu)", labelled.stderr)

    def test_what_joins_processes_is_installed_where_a_launcher_has_started_several(self):
        if os.geteuid() != 0:
            skip(self, "what ./run installs for root: the tests do not run as root")
        bare = self.tree.path(without=("mpirun", "srun"), scripts=self.apt)
        for size, calls in (("1", 0), ("2", 3)):
            result = self.tree.run("01", env={**bare, "OMPI_COMM_WORLD_SIZE": size})
            self.assertEqual(result.returncode, 0, result.stderr)  # the chapter says what is missing
            self.assertEqual(self.calls.read_text().count("apt-get"), calls)
        self.assertIn("openmpi-bin", self.calls.read_text())

    def test_an_old_cmake_is_named_with_the_version_that_is_needed(self):
        old = self.tree.path(scripts={"cmake": "echo cmake version 3.22.1\n"})
        result = self.ran("01", env=old, status=3)
        self.assertIn("cmake 3.22 and 3.24 is needed", result.stderr)


class Troubles(ScriptTest):
    def test_a_chapter_that_does_not_compile_shows_the_error_and_is_status_1(self):
        chapter = self.tree.root / "chapters/02_second/02_second.cu"
        chapter.write_text(chapter.read_text() + "fi\n")
        result = self.ran("02", status=1)
        self.assertIn("yntax error", result.stderr)
        self.assertIn(str(self.tree.build / "build.log"), result.stderr)
        self.assertEqual(self.tree.run("03").returncode, 0)

    def test_a_chapter_that_does_not_compile_is_told_and_the_others_run(self):
        chapter = self.tree.root / "chapters/02_second/02_second.cu"
        whole = chapter.read_text()
        self.tree.run()
        chapter.write_text(whole + "fi\n")
        (self.tree.root / "chapters/03_third/03_third.cu").write_text(whole.replace("02_second", "03_edited"))
        result = self.ran("--tables", status=1)
        self.assertIn("yntax error", result.stderr)
        self.assertIn(f"02_second does not compile; the full log is {self.tree.build / 'build.log'}", result.stderr)
        self.assertNotIn("02_second --json", result.stdout)  # what was built of it before
        self.assertIn("03_edited --json", result.stdout)
        self.assertIn("2 chapters ran", result.stdout)
        self.assertEqual(len(re.findall(r"(?m)^0\d_.* 16\.00", result.stdout)), 2)

    def test_an_edited_chapter_is_built_again(self):
        self.tree.run("02")
        chapter = self.tree.root / "chapters/02_second/02_second.cu"
        chapter.write_text("// 02_second: why?\necho edited\n")
        self.assertEqual(self.tree.run("02").stdout, "edited\n")

    def test_a_warning_is_shown_once_and_ends_the_build_only_if_asked_to(self):
        chapter = self.tree.root / "chapters/02_second/02_second.cu"
        chapter.write_text(chapter.read_text() + "# careless\n")
        environment = {name: value for name, value in os.environ.items()
                       if name != "MOVING_BYTES_WERROR"}  # .ci/run sets it
        edited = self.ran(env=environment)
        self.assertEqual(edited.stderr.count("warning: "), 1, edited.stderr)
        self.assertIn(f"{chapter}:", edited.stderr)
        self.assertNotIn("warning: ", self.tree.run("02", env=environment).stderr)
        for value, status in (("ON", 1), (None, 1), ("OFF", 0), (None, 0)):
            with self.subTest(value=value):
                chapter.write_text(chapter.read_text() + "#\n")
                asked = {"MOVING_BYTES_WERROR": value} if value else {}
                result = self.ran("02", env={**environment, **asked}, status=status)
                self.assertIn("error: " if status else "warning: ", result.stderr)

    def test_a_clone_that_was_moved_still_builds(self):
        self.tree.run("02")
        moved = self.tree.root.with_name("moved")
        self.tree.root.rename(moved)
        self.tree.root, self.tree.build = moved, moved / "build/cpu"
        self.assertEqual(self.tree.run("01").returncode, 0)

    def test_a_build_directory_that_cannot_be_written_is_one_sentence(self):
        self.tree.write("build", "a file where the directory should be\n")
        self.assert_refused(self.tree.run("01"), 2, "cannot write to", str(self.tree.build))

    def test_two_at_once_take_turns(self):
        at_once = [subprocess.Popen(self.tree.command(form), text=True, stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL) for form in ("01", "02", "03", "01")]
        for process, name in zip(at_once, ("01_first", "02_second", "03_third", "01_first")):
            self.assertEqual(process.communicate(timeout=60)[0], name + " \n")
            self.assertEqual(process.returncode, 0)

    def test_ctrl_c_ends_it_at_once_with_130_and_no_half_written_file(self):
        self.tree.run("01")
        self.assertEqual(self.tree.interrupt("--wait", after="01_first waits"), 130)
        for folder in ("results", "tables"):
            self.assertEqual([*(self.tree.build / folder).iterdir()], [])

    def test_ctrl_c_ends_what_is_still_being_built(self):
        started = self.tree.root / "started"
        self.tree.write("warn.sh", f"case $2 in *third.cu) echo $$ > '{started}'; exec sleep 50 ;; esac\n")
        first = self.tree.root / "chapters/01_first/01_first.cu"
        first.write_text(f"// 01_first: why?\nuntil [ -s '{started}' ]; do sleep 0.05; done\necho 01_first waits >&2\nsleep 30\n")
        self.assertEqual(self.tree.interrupt("--device", "cpu", after="01_first waits"), 130)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(started.read_text()), 0)

    def test_a_reader_who_closes_the_pipe_hears_no_complaint(self):
        for arguments in (["list"], ["--help"], []):
            command = subprocess.Popen(self.tree.command(*arguments), text=True, bufsize=1,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertNotEqual(command.stdout.readline(), "")
            command.stdout.close()
            complaints = command.stderr.read()
            command.stderr.close()
            command.wait(timeout=60)
            self.assertNotIn("roken pipe", complaints)
            self.assertNotIn("line ", complaints)
