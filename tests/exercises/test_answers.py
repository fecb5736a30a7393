"""The form of answers.txt: what it may change, and that a wrong one is told."""

import pathlib

from tests.folder import FolderTest
from tools import answers

CHAPTERS = pathlib.Path(__file__).resolve().parents[2] / "chapters"
STARTER = """// 01.1: Half
//
// The task.
// It has two lines.

int solve()
{
    return 2;
}
"""
ANSWERS = """starter: right

solution
// Why it is right.
-     return 2;
+     // half of it
+
+     return 1;

too_much: right
- return 1
+ return 3

nothing: runs
-     return 1;
+     return 0;

two_mistakes: stores, on a GPU by chance
- 1;
+ 4;
- solve()
+ solve(int)
"""


class AnswersTest(FolderTest):
    def answers(self, old="", new="", starter=STARTER):
        assert old in ANSWERS
        self.write("starter.cu", starter)
        self.write("answers.txt", ANSWERS.replace(old, new, 1))
        return {name: rest for name, *rest in answers.answers(self.folder)}


class Answers(AnswersTest):
    def test_the_solution_is_the_starter_changed_with_a_reason_in_the_place_of_the_task(self):
        source, goal, chance = self.answers()["solution"]
        self.assertEqual((goal, chance), ("", False))
        self.assertEqual(source, "// A solution of 01.1: Half\n//\n// Why it is right.\n\n"
                                 "int solve()\n{\n    // half of it\n\n    return 1;\n}\n")

    def test_a_wrong_answer_is_the_solution_changed_and_has_the_goal_that_rejects_it(self):
        known = self.answers()
        self.assertEqual(known["starter"], [STARTER, "right", False])
        self.assertEqual(known["too_much"], [known["solution"][0].replace("return 1", "return 3"), "right", False])
        source, goal, chance = known["two_mistakes"]
        self.assertIn("int solve(int)\n{\n    // half of it\n\n    return 4;", source)
        self.assertEqual((goal, chance), ("stores", True))

    def test_what_it_changes_has_to_be_there(self):
        for old, new, words in (("- return 1\n", "- return 9\n", "too_much: there is no 'return 9'"),
                                ("-     return 2;", "-     return 5;", "solution: there is no '    return 5;'"),
                                ("solution\n", "solved\n", "needs the solution"),
                                ("// Why it is right.\n", "", "needs the solution"),
                                ("starter: right\n", "", "the goal that the starter misses"),
                                ("+ return 3", "+ return 1", "too_much: what becomes of 'return 1' is the same"),
                                ("nothing: runs", "too_much: runs", "of different names")):
            with self.subTest(new=new), self.assertRaisesRegex(answers.Unfit, words):
                self.answers(old, new)
        with self.assertRaisesRegex(answers.Unfit, "starter.cu has to begin"):
            self.answers(starter="int solve();\n")

    def test_all_that_the_exercises_list_have_it(self):
        folders = sorted(CHAPTERS.glob("*/exercises/*/"))
        self.assertTrue(folders)
        for folder in folders:
            with self.subTest(exercise=folder.name):
                answers.answers(folder)
