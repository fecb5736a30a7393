"""What every chapter promises on its command line, tested on the programs in $CHAPTERS_FOLDER."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import jsonschema

from tests.folder import FolderTest
from tests.script.skips import skip
from tests.script.terminal import in_a_terminal

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("CHAPTERS_FOLDER", REPOSITORY / "build/cpu/bin"))
CHAPTERS = os.environ.get("CHAPTERS", "").split() or sorted(path.name for path in (REPOSITORY / "chapters").iterdir() if path.is_dir())
SCHEMA = json.loads((REPOSITORY / "tools/results/results.schema.json").read_text())

# The same few elements keep every call below a second; a prime leaves a ragged end everywhere.
FEW = ("--n", "10007", "--max-time", "0.01")


def run(chapter, *arguments, **options):
    return subprocess.run([FOLDER / chapter, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False, stdin=subprocess.DEVNULL, **options)


class ChapterTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.json = self.folder / "x.json"

    def assert_refused(self, result, *words):
        """Status 2, one or two sentences that hold the words, and nothing else."""
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertIn(len(result.stderr.strip().splitlines()), (1, 2), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)


class BadOptions(ChapterTest):
    def test_each_is_refused_by_its_name_and_writes_nothing(self):
        cases = (("--n", "0"), ("--n", "-1"), ("--n", "1e30"), ("--n", "abc"), ("--n", "1.5"),
                 ("--n", ""), ("--variant", "flaot4"), ("--cache", "warm"), ("--seed", "-1"),
                 ("--max-time", "never"), ("--n=7", "--frobnicate"))
        self.json.write_text("before")
        for chapter in CHAPTERS:
            for option, value in cases:
                with self.subTest(chapter=chapter, option=option, value=value):
                    result = run(chapter, option, value, "--json", self.json)
                    self.assert_refused(result, value)
        self.assertEqual(list(self.folder.iterdir()), [self.json])
        self.assertEqual(self.json.read_text(), "before")

    def test_devices_are_for_the_chapter_of_several_and_as_many_as_there_can_be(self):
        self.assert_refused(run("01_basic_vecadd", "--devices", 2), "--devices 2", "01_basic_vecadd")
        for value in ("0", "5", "two"):
            self.assert_refused(run("40_peer_copy", "--devices", value), value)

    def test_a_results_file_that_cannot_be_written_is_refused(self):
        for chapter in CHAPTERS:
            for option in ("--json", "--csv"):
                for path in ("/no/such/folder/x", "/dev/null/x", self.folder):
                    with self.subTest(chapter=chapter, option=option, path=path):
                        self.assert_refused(run(chapter, *FEW, option, path), str(path))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_read_only_folder_is_refused(self):
        self.folder.chmod(0o555)
        user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        try:
            result = run("01_basic_vecadd", *FEW, "--json", self.json, **user)
        except PermissionError:
            skip(self, f"a read-only folder: {FOLDER} is closed to an ordinary user")
        self.assert_refused(result, str(self.json))


class Results(ChapterTest):
    def test_they_follow_the_schema_every_variant_is_verified_and_into_a_file_goes_every_column(self):
        for chapter in CHAPTERS:
            with self.subTest(chapter=chapter):
                result = run(chapter, *FEW, "--json", self.json)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertNotIn("Too narrow for", result.stdout)
                written = json.loads(self.json.read_text())
                jsonschema.validate(written, SCHEMA)
                self.assertEqual(written["chapter"], chapter)
                self.assertTrue(written["rows"])
                self.assertEqual([row for row in written["rows"] if row["verified"] is False], [])
                self.assertEqual([path.name for path in self.folder.iterdir()], ["x.json"])

    def test_ctrl_c_leaves_the_results_of_before_alone_and_nothing_beside_them(self):
        self.json.write_text("before")
        command = [FOLDER / "05_float4", "--n", "2^27", "--json", self.json]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)
            self.assertIn(process.returncode, (130, -signal.SIGINT))
        self.assertEqual(self.json.read_text(), "before")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["x.json"])

    def test_a_german_locale_changes_no_number(self):
        definition = pathlib.Path("/usr/share/i18n/locales/de_DE")
        if not definition.exists() or not shutil.which("localedef"):
            skip(self, "a German locale: no definition of the locale de_DE here")
        locales = self.folder / "locales"
        locales.mkdir()
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", locales / "de_DE.UTF-8"], check=True)
        german = {**os.environ, "LOCPATH": str(locales), "LC_ALL": "de_DE.UTF-8"}
        # The German locale is really there: the shell writes a decimal comma under it.
        comma = subprocess.run(["bash", "-c", "printf %.1f 1"], env=german, capture_output=True, check=True)
        self.assertEqual(comma.stdout, b"1,0")
        result = run("05_float4", *FEW, "--json", self.json, env=german)
        self.assertEqual(result.returncode, 0, result.stderr)
        jsonschema.validate(json.loads(self.json.read_text()), SCHEMA)
        self.assertRegex(result.stdout, r"\d\.\d")
        self.assertNotRegex(result.stdout, r"\d,\d\b(?!\d\d)")


class Terminals(ChapterTest):
    def test_into_a_pipe_go_no_control_characters(self):
        result = run("05_float4", *FEW)
        self.assertNotRegex(result.stdout + result.stderr, "[\r\x1b]")

    def test_a_reader_who_closes_the_pipe_hears_no_complaint(self):
        command = f"'{FOLDER}/05_float4' {' '.join(FEW)} | head -n 1"
        result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
        self.assertEqual(len(result.stdout.splitlines()), 1)
        self.assertNotRegex(result.stderr, "(?i)error|pipe|terminate|abort")

    def test_a_narrow_terminal_gets_the_whole_table(self):
        piped = run("05_float4", *FEW)
        status, shown, same_modes = in_a_terminal(str(FOLDER / "05_float4"), *FEW)
        self.assertEqual(status, 0)
        self.assertTrue(same_modes)
        for variant in {line.split()[0] for line in piped.stdout.splitlines() if "float4" in line}:
            self.assertIn(variant, shown)

    def test_a_plain_run_has_only_rows_that_the_full_one_has_and_the_cpu_device_has_them_all(self):
        cpu = FOLDER.parent.name == "cpu"
        for chapter in CHAPTERS:
            with self.subTest(chapter):
                plain, full = (run(chapter, "--list", *options).stdout.splitlines()
                               for options in ((), ("--full",)))
                self.assertTrue(plain)
                self.assertEqual([row for row in plain if row not in full], [])
                if cpu:
                    self.assertEqual(plain, full)

    def test_the_line_of_progress_says_which_chapter_and_row_of_how_many(self):
        def shown(told):
            return in_a_terminal("env", f"MOVING_BYTES_PROGRESS={told}", str(FOLDER / "03_coarsening"), *FEW, columns=100)[1]

        self.assertRegex(shown("3 18 20"), "03_coarsening: chapter 3 of 18, row 2 of 20, blocked_x2")
        self.assertIn("03_coarsening: row 20 of 20, thrust", shown("1 1 20"))

    def test_progress_takes_no_escape_sequence_and_a_dumb_terminal_gets_none_of_it(self):
        for told in ("TERM=xterm", "NO_COLOR=1", "TERM=dumb"):
            with self.subTest(told):
                shown = in_a_terminal("env", told, str(FOLDER / "03_coarsening"), *FEW)[1]
                self.assertNotIn("\x1b", shown)
                self.assertEqual("row 2, blocked_x2" in shown, told != "TERM=dumb")

    def test_a_list_fits_the_terminal(self):
        for chapter in CHAPTERS:
            with self.subTest(chapter):
                shown = in_a_terminal(str(FOLDER / chapter), "--list")[1]
                self.assertLessEqual(max(map(len, shown.splitlines())), 60)

    def test_ctrl_c_leaves_the_terminal_in_order(self):
        status, shown, same_modes = in_a_terminal(str(FOLDER / "05_float4"), "--n", "2^27",
                                                  ctrl_c_after=1.0)
        self.assertIn(status, (130, -signal.SIGINT), shown)
        self.assertTrue(same_modes)
        self.assertFalse(shown.rstrip("\r\n^C").endswith("\x1b[?25l"), "the cursor stays hidden")
