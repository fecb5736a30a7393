"""Every answer that an exercise lists, checked as a page checks it, and by ./run exercise's own tests natively: the same goal is
missed, with the same counts. In Node, which compiles them as a browser does."""

import json
import re
import shutil
import subprocess
import sys
import unittest

from tests.docs.test_site import REPOSITORY, SITE, SKIPPED
from tools import answers

# A page has no room for the arrays that these goals are about; it says so, and who solves the exercise reads where they are told.
ELSEWHERE = {"far", "copy_share"}
STATES = ("unchecked", "held", "missed", "elsewhere")


def checkable():
    page = "".join((SITE / path.name).read_text("utf-8") for path in SITE.glob("page_0*.html"))
    return set(re.findall(r'id="exercise-(\d\d\.\d+)"', page))


class Answers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        numbers = checkable()
        cls.listed = [(folder.name[:4], *answer[:3]) for folder in sorted(REPOSITORY.glob("chapters/*/exercises/*"))
                      if folder.name[:4] in numbers for answer in answers.answers(folder)]
        given = json.dumps([{"number": number, "source": source} for number, _, source, _ in cls.listed])
        done = subprocess.run(["node", "tests/browser/answers.mjs", SITE], cwd=REPOSITORY, input=given, text=True,
                              capture_output=True, check=False)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        assert len(lines) == len(cls.listed), done.stderr[-2000:]
        cls.found = [json.loads(line) for line in lines]

    def test_each_answer_misses_the_goal_that_it_is_written_to_miss(self):
        self.assertGreater(len(self.listed), 100)
        for (number, name, _, misses), found in zip(self.listed, self.found):
            with self.subTest(exercise=number, answer=name):
                states = {goal: STATES[state] for goal, _, state, _ in found["report"]["goals"]}
                if found["ended"]:
                    states[found["report"]["at stake"]] = "missed"
                missed = [goal for goal, state in states.items() if state == "missed"]
                if misses in ELSEWHERE:
                    self.assertEqual((missed, states[misses]), ([], "elsewhere"))
                else:
                    self.assertEqual(missed[:1], [misses] if misses else [], found)

    def test_a_solution_holds_all_that_a_page_can_tell(self):
        for (number, name, _, _), found in zip(self.listed, self.found):
            if name == "solution":
                with self.subTest(exercise=number):
                    self.assertIsNone(found["ended"])
                    self.assertEqual({goal for goal, _, state, _ in found["report"]["goals"] if STATES[state] != "held"} - ELSEWHERE, set())

    def test_a_fault_has_its_line(self):
        lines = {(number, name): found["ended"]["line"] for (number, name, *_), found in zip(self.listed, self.found)
                 if found["ended"] and "past the end" in found["ended"]["sentence"]}
        self.assertGreater(len(lines), 3)
        self.assertNotIn(0, lines.values(), lines)

    def test_the_counts_are_those_of_the_cpu_device(self):
        """The tables of questions, and the figures of goals: as the native check prints them."""
        build = REPOSITORY / "build" / "cpu"
        compared = 0
        for (number, name, source, _), found in zip(self.listed, self.found):
            goals = build / "exercises" / f"{number}.a"
            if name != "solution" or not (build / "compile_cuda").exists() or not goals.exists():
                continue
            folder = build / "exercises" / "in_a_page"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            (folder / "answer.cu").write_text(source, "utf-8")
            subprocess.run([build / "compile_cuda", "answer.cu", goals, "-o", folder / "answer"], cwd=folder, check=True)
            said = subprocess.run([folder / "answer"], text=True, capture_output=True, check=True).stdout
            with self.subTest(exercise=number):
                for line in found["report"]["shown"].splitlines():
                    self.assertIn(line.rstrip(), said)
                for goal, words, state, evidence in found["report"]["goals"]:
                    if STATES[state] == "held" and evidence:
                        self.assertIn(" ".join(f"{words} ({evidence})".split()), " ".join(said.split()))
                        compared += 1
        if not compared:
            self.skipTest("no exercise is built natively: ./run test builds them")


if __name__ == "__main__":
    if not (SITE / "edit" / "exercises.wasm").exists() or not shutil.which("node"):
        print("skipped: no check of exercises on the site: it is built by ./run docs where npm is")
        sys.exit(SKIPPED)
    unittest.main()
