"""What the README shows is what happens, and the notebook keeps in step."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from tools.answers import solution

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
CHAPTERS = pathlib.Path(os.environ.get("CHAPTERS_FOLDER", ROOT / "build/cpu/bin"))
BUILD = CHAPTERS.parent


def program_of(words, scratch):
    """What `./run WORDS` runs, with its options: a chapter, or the check of an exercise as it is at first."""
    if words[0] != "exercise":
        return [next(CHAPTERS.glob(f"{words[0]}_*")), *words[1:]]
    starter, = ROOT.glob(f"chapters/*/exercises/{words[1]}_*/starter.cu")
    subprocess.run([BUILD / "compile_cuda", starter, BUILD / f"exercises/{words[1]}.a", "-o", scratch], check=True)
    return [scratch]


class Readme(unittest.TestCase):
    def test_the_chapters_and_their_questions_are_those_of_the_list(self):
        table = re.findall(r"^\| \[(\d\d_\w+)\]\(book/\1\.md\) \| (.*) \|$", README, re.M)
        listing = subprocess.run([ROOT / "run", "list"], capture_output=True, text=True, check=True)
        lines = [line for line in re.sub(r"\n +", " ", listing.stdout).splitlines() if line]  # a long question goes on in the next
        self.assertEqual(table, [tuple(line.split(maxsplit=1)) for line in lines if line[0].isdigit()])
        parts = [line.removeprefix("Part ").partition(" (")[0] for line in lines if not line[0].isdigit()]
        self.assertEqual(parts, re.findall(r"^\| \*\*([IV]+: .*)\*\* \| ", README, re.M))

    def test_the_output_it_shows_is_what_the_command_prints(self):
        shown = re.findall(r"^```\n\$ (\./run [^\n]*)\n(.*?)^```$", README, re.M | re.S)
        self.assertTrue(shown)
        with tempfile.TemporaryDirectory() as scratch:
            for command, output in shown:
                program = program_of(shlex.split(command)[1:], pathlib.Path(scratch, "program"))
                printed = subprocess.run(program, capture_output=True, text=True, check=False)
                self.assertEqual(printed.stdout.splitlines(), output.splitlines())

    def test_it_counts_chapters_and_exercises_right(self):
        chapters, exercises = (len(list(ROOT.glob(f"chapters/[0-9][0-9]_*{below}"))) for below in ("", "/exercises/*/starter.cu"))
        self.assertEqual(re.findall(r"\b(\d+) chapters", README), [str(chapters)] * 2)
        self.assertEqual(re.findall(r"\b(\d+) automatically checked exercises", README), [str(exercises)])

    def test_a_link_called_by_a_chapter_s_number_leads_there(self):
        links = re.findall(r"\[(?:chapter |page )?(\d\d)\]\((\d\d)_", "".join(path.read_text("utf-8") for path in ROOT.glob("book/*.md")))
        self.assertGreater(len(links), 100)
        self.assertEqual([link for link in links if link[0] != link[1]], [])

    def test_one_version_stands_everywhere(self):
        version = subprocess.run([ROOT / "run", "--version"], capture_output=True, text=True,
                                 check=True).stdout.removeprefix("Moving Bytes ").strip()
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        self.assertIn(f"\nversion: {version}\n", (ROOT / "CITATION.cff").read_text())
        newest = re.search(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.M)[1]
        self.assertIn(newest.split(" - ")[0], (version, f"Unreleased: {version}"))

    def test_every_form_it_names_is_in_the_help(self):
        programs = [ROOT / "run"], [ROOT / "run", "exercise"], [ROOT / "run", "docs"], [next(CHAPTERS.glob("01_*"))]
        usage = "".join(subprocess.check_output([*program, "--help"], text=True) for program in programs)
        forms = set(re.findall(r"\./run (exercise|test|docs|book|compare|record|list|setup|mine\.cu)", README))
        self.assertEqual(len(forms), 9)
        self.assertEqual([form for form in forms if f"./run {form}" not in usage], [])
        self.assertEqual(set(re.findall(r"--[a-z]\w*", "".join(re.findall("`.*?`", README)))) - set(re.findall(r"--\w+", usage)), set())


class Syllabus(unittest.TestCase):
    PAGE = (ROOT / "book/teaching.md").read_text(encoding="utf-8")

    def test_its_exercises_exist_and_belong_to_the_pages_of_their_row(self):
        there = {path.name.partition("_")[0] for path in ROOT.glob("chapters/*/exercises/*")}
        rows = [line for line in self.PAGE.splitlines() if re.match(r"\| \d+ \|", line)]
        self.assertGreater(len(rows), 10)
        named = [(row, number) for row in rows for number in re.findall(r"\b\d\d\.\d\b", row)]
        self.assertGreater(len(named), 30)
        for row, number in named:
            self.assertIn(number, there)
            if "00_introduction" not in row:
                self.assertIn(f"]({number[:2]}_", row)

    def test_an_exercise_in_bold_is_solved_by_no_line_of_a_page_or_of_another_starter(self):
        def lines(text):
            return {"".join(re.sub("//.*", "", line).lstrip("+").split()) for line in text.splitlines()}
        pages = set().union(*(lines(path.read_text(encoding="utf-8")) for path in ROOT.glob("book/*.md")))
        starters = {path.parent.name[:4]: lines(path.read_text(encoding="utf-8")) for path in ROOT.glob("chapters/*/exercises/*/starter.cu")}
        bold = set(re.findall(r"\*\*(\d\d\.\d)\*\*", self.PAGE))
        self.assertGreater(len(bold), 10)
        for number in bold:
            with self.subTest(number):
                folder, = ROOT.glob(f"chapters/*/exercises/{number}_*")
                new = lines(solution(folder)) - starters[number]
                printed = pages.union(*(text for other, text in starters.items() if other != number))
                self.assertTrue(new - printed or not new)  # nothing new: lines change places
        for line in self.PAGE.splitlines():
            if re.match(r"\| \d+ \|", line):  # it is bold in the week and in the term
                self.assertEqual({number for number in re.findall(r"\b\d\d\.\d\b", line) if number in bold},
                                 set(re.findall(r"\*\*(\d\d\.\d)\*\*", line)))

    def test_what_a_project_needs_beyond_the_term_is_what_the_heads_of_the_pages_say(self):
        heads = {path.name[:2]: re.search(r'^page\([^)]*?needs="(.*?)"', path.read_text(encoding="utf-8"), re.M)
                 for path in ROOT.glob("book/facts/[0-9]*.py")}
        weeks = self.PAGE.partition("## A term")[2].partition("| a group can begin |")[0]
        term = set(re.findall(r"\]\((\d\d)_", weeks)) - {"29"}  # of which it reads a part

        def missing(chapter):
            needs = set((heads[chapter][1] if heads[chapter] else "").split()) - term
            return needs.union(*map(missing, needs))
        first, second, third = re.findall(r"^\| after .*? \| (.*) \|$", self.PAGE, re.M)
        told = {chapter: set() for chapter in first.split(", ")}
        told |= {chapter: {"26"} for chapter in ("27", "36", "29")} | {"31": {"26", "29"}}
        self.assertEqual(second, "27, 36, the rest of 29, and then 31")
        told |= {chapter: set(needs.split(", ")) for chapter, needs in re.findall(r"(\d\d) \((.*?)\)", third)}
        self.assertEqual(told, {chapter: missing(chapter) for chapter in heads if chapter not in term})

    def test_the_hours_of_the_term_are_those_of_its_weeks(self):
        term = self.PAGE.partition("## A term")[2].partition("\n## ")[0]
        hours = [float(cells[4]) for line in term.splitlines() if re.match(r"\| \d+ \|", line)
                 and (cells := line.split("|"))[4].strip()]
        self.assertAlmostEqual(sum(hours), int(re.search(r"some (\d+),", term)[1]), delta=1)

    def test_exercises_that_no_page_of_the_site_checks_are_named(self):
        elsewhere = json.loads((ROOT / "browser/exercises/elsewhere.json").read_text(encoding="utf-8"))
        self.assertIn(f"all exercises but {' and '.join(elsewhere)}, ", self.PAGE)

    def test_its_commands_are_in_the_help(self):
        usage = subprocess.run([ROOT / "run", "exercise", "--help"], capture_output=True, text=True, check=True).stdout
        for option in re.findall(r"^\./run exercise (--\w+)", self.PAGE, re.M):
            self.assertIn(option, usage)


class Notebook(unittest.TestCase):
    """That it runs is test_fresh_clone's business."""
    cells = json.loads((ROOT / "docs/colab.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]

    def test_its_commands_are_forms_that_the_readme_has(self):
        commands = [line.removeprefix("!").split() for code in self.code for line in code.splitlines() if line.startswith("!./run")]
        self.assertGreater(len(commands), 2)
        forms = {form for words in re.findall(r"`\./run ([^`]*)`", README) for form in words.split()}
        chapters = set(re.findall(r"\[(\d\d)_\w+\]", README))
        for _, form, *_ in commands:
            self.assertIn(form, forms | chapters)

    def test_its_program_is_that_of_the_page_it_begins_with(self):
        program, = [code.partition("\n")[2] for code in self.code if code.startswith("%%writefile mine.cu\n")]
        self.assertIn(f"```cpp\n{program}\n```", (ROOT / "book/00_introduction.md").read_text(encoding="utf-8"))

    def test_it_is_kept_without_what_a_run_left_in_it(self):
        self.assertTrue(all(not cell.get("outputs") and cell.get("execution_count") is None for cell in self.cells))
