"""Every answer that an exercise lists, checked as a page checks it, and by ./run exercise's own tests natively: the same goal is
missed, with the same counts. In Node, which compiles them as a browser does."""

import concurrent.futures
import json
import re
import shutil
import subprocess
import unittest

from tests.docs.site import EVERYTHING, FIRST_OF_PARTS, REPOSITORY, SITE, leave_out
from tools import answers

# A page has no space for the arrays that these goals are about; it says so, and who solves the exercise reads where they are told.
ELSEWHERE = {"far", "copy_share", "row", "column"}
# Of these every answer is checked, of the others the solution and the starter: they are told apart by the same code.
EVERY_ANSWER = ("01", "02", "03", "05", "06", "07")
PROCESSES = 2
STATES = ("unchecked", "held", "missed", "elsewhere")


def checkable():
    page = "".join(path.read_text("utf-8") for path in SITE.glob("page_*.html"))
    return set(re.findall(r'id="exercise-(\d\d\.\d+)"', page))


def check(given):
    """Answers, one after the other in one process: what became of each."""
    done = subprocess.run(["node", "tests/browser/answers.mjs", SITE], cwd=REPOSITORY, input=json.dumps(given), text=True,
                          capture_output=True, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(found) == len(given), done.stderr[-2000:]
    return found


def setUpModule():
    if not (SITE / "edit" / "exercises.wasm").exists() or not shutil.which("node"):
        leave_out("no check of exercises on the site: it is built by ./run docs where npm is")


class Answers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        here = checkable()
        listed = [(folder.name[:4], *answer[:3]) for folder in sorted(REPOSITORY.glob("chapters/*/exercises/*"))
                  for answer in answers.answers(folder)
                  if answer[0] == "solution" or folder.name[:4] in here and (
                      answer[0] == "starter" or folder.name.startswith(EVERY_ANSWER))]
        listed = [one for one in listed if EVERYTHING or one[0] not in here or one[0][:2] in FIRST_OF_PARTS]
        given = [{"number": number, "source": source} for number, _, source, _ in listed]
        found = [None] * len(given)
        with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
            for first, part in enumerate(pool.map(check, (given[first::PROCESSES] for first in range(PROCESSES)))):
                found[first::PROCESSES] = part
        cls.listed, cls.found = zip(*((answer, became) for answer, became in zip(listed, found) if answer[0] in here))
        cls.elsewhere = {answer[0]: became for answer, became in zip(listed, found) if answer[0] not in here}

    def test_an_exercise_is_in_the_page_or_cannot_be_judged_there(self):
        told = json.loads((REPOSITORY / "browser/exercises/elsewhere.json").read_text("utf-8"))
        self.assertEqual(set(self.elsewhere), set(told))
        for number, found in self.elsewhere.items():
            with self.subTest(exercise=number):
                states = {STATES[state] for _, _, state, _ in found["report"]["goals"]}
                self.assertTrue(found["ended"] or "missed" in states, "its solution holds: take it out of the list")

    def test_each_answer_misses_the_goal_that_it_is_written_to_miss(self):
        self.assertGreater(len(self.listed), 100 if EVERYTHING else 20)
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
        self.assertGreater(len(lines), 3 if EVERYTHING else 0)
        self.assertNotIn(0, lines.values(), lines)

    def test_the_counts_are_those_of_the_cpu_device(self):
        """The tables of questions, and the figures of goals: as the native tests of the answers print them."""
        compared = 0
        for (number, name, *_), found in zip(self.listed, self.found):
            chapter = next(REPOSITORY.glob(f"chapters/{number[:2]}_*")).name
            program = REPOSITORY / "build/cpu/tests/exercises" / f"answers_of_{chapter}"
            if name != "solution" or not program.exists():
                continue
            said = subprocess.run([program, number], text=True, capture_output=True, check=True).stdout.partition("\nstarter: ")[0]
            with self.subTest(exercise=number):
                for line in found["report"]["shown"].splitlines():
                    self.assertIn(line.rstrip(), said)
                for _, words, state, evidence in found["report"]["goals"]:
                    if STATES[state] == "held" and evidence:
                        self.assertIn(f"    {words} ({evidence})\n", said + "\n")
                        compared += 1
        if not compared:
            self.skipTest("the tests of answers are not built natively: ./run test builds them")
