"""The questions of the pages: no wrong answer is marked, and each answer is scored as it should be."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
import unittest

from tests.docs.toy_book import CPU, FACTS, REPOSITORY, ToyBook, modelled
from tools import predict
from tools.book import facts, predictions
from tools.book.pages import Book
from tools.book.results import BookError, Results

PAGE = "book/02_second.md"
NAMES = """
a_change = change("$ ./run 02\\nstatus 6")
ahead = value(gb("two", threads=128) / gb("one", chapter="01"), ".2f")
part = value(share("two", threads=128), ".0%")
sectors = count("two", "load_sectors")
"""
CHOICE = """which = choice("Which is faster?", {"one": less(ahead, 1), "two": more(ahead, 1)}, right="two", fold="By {ahead}: {two_gb} GB/s.")
"""
NUMBER = """how_fast = number("How fast is [it](01_first.md), in `GB/s`?", two_gb, within="10%", unit="GB/s", fold="That is {part} of the peak.")
"""
ORDER = """in_order = order("Put the counts in order, the fewest first.", "smallest", {
    "sectors stored": count("two", "store_sectors"), "requests": count("two", "load_requests"),
    "sectors loaded": count("two", "load_sectors")}, fold="Each is counted.")
"""


class ToyTest(unittest.TestCase):
    def setUp(self):
        self.book = ToyBook(self)

    def ask(self, *questions):
        self.book.add("The names: <!--=ahead--><!--/--> <!--=part--><!--/--> <!--=sectors--><!--/-->.\n<!--try: a_change-->\n" + "".join(
            f"\n<!--predict: {one.split()[0]}-->\n<!--/-->\n" for one in questions), NAMES + "".join(questions))

    def solve(self, text):
        file = self.book.path("book/facts/asked.py")
        file.write_text(FACTS + NAMES + text, encoding="utf-8")
        page = facts.read(file, Results(self.book.path("book/results")), "02_second")
        if page.problems:
            raise BookError(page.problems[0])
        return predictions.solve(text.split()[0], page)

    def assert_refused(self, text, old, new, *words):
        assert old in text, old
        with self.assertRaises(BookError) as raised:
            self.solve(text.replace(old, new))
        for word in words:
            self.assertIn(word, str(raised.exception))


class Blocks(ToyTest):
    def test_the_answer_is_what_the_results_say(self):
        choice, number, order = map(self.solve, (CHOICE, NUMBER, ORDER))
        self.assertEqual((choice.shown, choice.answer), ("two", "By 1.60: 3,210 GB/s."))
        self.assertEqual((number.shown, number.value), ("3,210 GB/s", 3210.0))
        self.assertEqual(order.shown, "requests (32), sectors loaded (128), sectors stored (256)")
        self.assertEqual(order.right, [1, 2, 0])

    def test_it_says_whose_answer_it_is(self):
        self.assertEqual(self.solve(CHOICE).devices, "measured on NVIDIA H200")
        self.assertEqual(self.solve(ORDER).devices, "counted on the CPU device")
        both = CHOICE.replace("By {ahead", "With {sectors} sectors, by {ahead")
        self.assertEqual(self.solve(both).devices, "counted on the CPU device, measured on NVIDIA H200")
        tried = CHOICE.replace("(ahead", "(tried(a_change)").replace("By {ahead}: {two_gb} GB/s.", "It ends so.")
        self.assertEqual(self.solve(tried).devices, "tried on the CPU device")

    def test_a_page_shows_question_and_answer_in_a_fold_and_keeps_them_in_step(self):
        self.ask(CHOICE, NUMBER, ORDER)
        self.assertEqual(self.book.run()[0], 0)
        for shown in ("**1.** Which is faster?\n\n- one\n- two\n\n<details><summary>Answer 1</summary>",
                      "**Two.** By 1.60", "*A number, in GB/s; accepted: within 10%.*", "*Counted on the CPU device.*"):
            self.assertIn(shown, self.book.read(PAGE))
        self.assertEqual(self.book.run("--check"), (0, ""))
        self.book.replace(PAGE, "**Two.**", "**One.**")
        status, said = self.book.run("--check")
        self.assertEqual(status, 1)
        self.assertIn("predict: which--> is stale", said)

    def test_a_marked_choice_that_the_results_contradict_is_refused(self):
        self.assert_refused(CHOICE, 'right="two"', 'right="one"', "'one' is said to be right, and by the results it is 'two': 1.60 > 1")

    def test_an_answer_that_is_not_among_the_choices_is_refused(self):
        self.assert_refused(CHOICE, "more(ahead, 1)", "more(ahead, 2)", "the answer is not among the choices", "'two', is 1.60 > 2")

    def test_two_choices_that_hold_at_once_are_refused(self):
        self.assert_refused(CHOICE, "less(ahead, 1)", "less(ahead, 9)", "'two' is said to be right, and by the results it is 'one'")

    def test_choices_without_the_right_one_or_without_conditions_are_refused(self):
        self.assert_refused(CHOICE, 'right="two"', 'right="three"', "'three' is right, and it is none of 2 choices")
        self.assert_refused(CHOICE, "less(ahead, 1)", "ahead < 1", "each choice needs a condition")

    def test_a_number_needs_a_tolerance_and_a_source(self):
        self.assert_refused(NUMBER, '"10%"', '"some"', "a number needs its tolerance")
        self.assert_refused(NUMBER, '"10%"', '"a factor of 1"', "must be more than 1")
        self.assert_refused(NUMBER, "two_gb, ", "'fast', ", "is not a number")
        self.assert_refused(NUMBER, ' within="10%",', "", "missing 1 required positional argument: 'within'")

    def test_an_order_with_an_unknown_row_or_one_that_is_level_is_refused(self):
        self.assert_refused(ORDER, 'count("two", "load_requests")', 'count("three", "load_requests")', "has no row three")
        self.assert_refused(ORDER, 'count("two", "load_requests")', 'count("two", "load_sectors") + 1', "are equal, 128 and 129")
        self.assert_refused(ORDER, '"smallest"', '"first"', "to know what comes first")
        self.assert_refused(ORDER, '"sectors stored": count("two", "store_sectors")', '"none": 0', "gives the answer away")

    def test_an_answer_that_looks_nothing_up_or_only_at_a_model_is_refused(self):
        typed = NUMBER.replace("two_gb", "3210").replace("{part}", "much")
        self.assert_refused(typed, "3210", "3210.0", "looks nothing up")
        self.book.results("cpu", "02_second", CPU, [modelled("two", 0.5)])
        self.assert_refused(NUMBER, "two_gb", 'modelled("two", n=1024)', "not modelled")
        self.assert_refused(CHOICE, "less(ahead, 1)", "less(tried(another), 1)", "name 'another' is not defined")

    def test_a_question_that_stands_twice_is_refused(self):
        self.ask(CHOICE, CHOICE)
        self.assertIn("two questions of the page are called which", self.book.run()[1])


class Score(ToyTest):
    def near(self, within, *given):
        made = self.solve(NUMBER.replace("10%", within))
        return [made.verdict(value) for value in given]

    def test_near_is_what_the_tolerance_says_and_its_edge_is_inside(self):
        self.assertEqual(self.near("10%", 3531, 3532, 2889, 2888), [True, False, True, False])
        self.assertEqual(self.near("5", 3215, 3215.1, 3205), [True, False, True])
        self.assertEqual(self.near("a factor of 2", 6420, 6421, 1605, 1604, 0, -3210), [True, False, True, False, False, False])
        self.assertEqual(self.near("0", 3210, 3211), [True, False])

    def test_numbers_are_read_as_people_type_them(self):
        for text, value in (("3210", 3210), ("3,210", 3210), ("3 210", 3210), ("3\u202f210 GB/s", 3210), ("2,5", 2.5),
                            (" 75 % ", 75), ("1/8", 0.125), ("1.5x", 1.5), (".5", 0.5), ("-3", -3), ("1e3", 1000)):
            self.assertEqual(predict.number(text), value, text)
        for text in ("", "many", "1/0", "1-2", "--3", "3..4", "1e999", "nan", "inf", "0x10", "\u0663", "9" * 5000):
            self.assertIsNone(predict.number(text), text)

    def test_letters_words_and_orders_are_read(self):
        choice, order = self.solve(CHOICE), self.solve(ORDER)
        self.assertEqual([predict.read(choice, text) for text in ("b", " B)", "two", "c", "ab", "")],
                         [(1, "two"), (1, "two"), (1, "two"), None, None, None])
        self.assertEqual([predict.read(order, text) and predict.read(order, text)[0] for text in ("bca", "b, c, a", "bc", "bbc", "bcz")],
                         [[1, 2, 0], [1, 2, 0], None, None, None])


class Terminal(ToyTest):
    """./run predict: what its Python program does."""

    def setUp(self):
        super().setUp()
        self.ask(CHOICE, NUMBER, ORDER)
        self.kept = self.book.path("progress.json")

    def command(self, *options):
        return [sys.executable, "-B", "-m", "tools", "cpu", "predict", "--root", str(self.book.root), *options]

    def run_it(self, *options, typed="", status=0):
        done = subprocess.run(self.command(*options), input=typed, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout + done.stderr

    def test_right_and_wrong_answers_are_told_with_what_was_measured(self):
        said = self.run_it("02", typed="b\n3,000\nbca\n")
        for shown in ("Right: two.", "By 1.60: 3,210 GB/s.", "(Measured on NVIDIA H200.)", "Near: 3,210 GB/s.",
                      "Right: requests (32)", "3 of 3 answered, 3 right or near"):
            self.assertIn(shown, said)
        said = self.run_it("02", typed="a\n1\nabc\n")
        for shown in ("Your earlier answer: two (right). Enter keeps it.", "Wrong: two.", "Not near: 3,210 GB/s.", "3 of 3 answered, 0 right"):
            self.assertIn(shown, said)

    def test_odd_input_is_asked_again_and_an_empty_line_leaves_the_question(self):
        said = self.run_it("second", typed="z\n\x00\U0001f642\n" + "9" * 5000 + "\nb\n\nfast\n\n\n")
        self.assertIn("'z' is not a valid answer; give a letter, a to b", said)
        self.assertIn("'fast' is not a valid answer; give all letters in their order", said)
        self.assertIn("1 of 3 answered", said)
        self.assertLess(max(map(len, said.splitlines())), 200)

    def test_the_end_of_the_input_keeps_what_was_answered(self):
        self.assertIn("End of input", self.run_it("2", typed="b\n"))
        self.assertEqual(json.loads(self.kept.read_text())["predictions"], {"02_second.which": {"answer": "two", "near": True}})
        self.kept.unlink()
        self.assertIn("0 of 3 answered", self.run_it("2", typed=""))

    def test_an_interrupt_ends_with_130_and_keeps_what_was_answered(self):
        master, slave = pty.openpty()
        running = subprocess.Popen(self.command("02"), stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        os.write(master, b"b\n")
        for _ in range(300):
            if self.kept.exists():
                break
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        said = running.communicate()[0].decode()
        os.close(master)
        os.close(slave)
        self.assertEqual(running.returncode, 130, said)
        self.assertIn("Interrupted; what you answered is kept", said)
        self.assertEqual(len(json.loads(self.kept.read_text())["predictions"]), 1)

    def test_pages_are_listed_with_how_many_are_answered(self):
        self.assertIn("02_second  0 of 3 answered\n", self.run_it())
        self.run_it("02", typed="a\n3210\n")
        self.assertIn("02_second  2 of 3 answered, 1 right or near", self.run_it())

    def test_the_list_says_which_answers_were_wrong_and_what_is_right(self):
        self.assertNotIn("You:", self.run_it())
        self.run_it("02", typed="a\n3210\nabc\n")
        said = self.run_it()
        self.assertIn("02_second: Which is faster?\n   You: one. Right: two.\n", said)
        self.assertIn("02_second: Put the counts in order, the fewest first.\n   You: ", said)
        self.assertNotIn("How fast", said)
        self.run_it("02", typed="b\n\nbca\n")
        self.assertNotIn("You:", self.run_it())

    def test_an_unknown_page_names_the_nearest(self):
        self.assertIn("no page with predictions is called '17'. Did you mean 02_second?", self.run_it("17", status=2))
        self.assertIn("Did you mean 02_second?", self.run_it("secnod", status=2))
        self.assertIn("unrecognized arguments: 03", self.run_it("02", "03", status=2))

    def test_a_damaged_file_is_said_and_kept(self):
        for number, text in enumerate(('{"predictions": {"02_second.which": {"answer"', "[1, 2]", '{"predictions": 3}',
                                       '{"predictions": {"x": 3}}', "\x00", "[" * 100000), 1):
            self.kept.write_text(text)
            self.assertIn(f"is damaged. It is kept as progress.json.damaged-{number}", self.run_it("02", typed="b\n"))
            self.assertEqual(self.book.path(f"progress.json.damaged-{number}").read_text(), text)
            self.assertEqual(len(json.loads(self.kept.read_text())["predictions"]), 1)
        self.kept.write_bytes(b"\xff\xfe\xff")
        self.assertIn("is damaged", self.run_it())

    def test_a_reader_that_ends_early_is_no_error_to_speak_of(self):
        done = subprocess.run(" ".join(self.command()) + " | true", shell=True, capture_output=True, text=True)
        self.assertNotIn("Traceback", done.stderr)


class Pages(unittest.TestCase):
    """The book's own questions."""

    def test_every_chapters_page_asks_three_and_all_kinds_occur(self):
        book, kinds = Book(REPOSITORY), set()
        asked = {path.stem: names for path, _, names in book.asked()}
        for name in book.sources.paths:
            if (REPOSITORY / "book" / f"{name}.md").exists():
                self.assertGreaterEqual(len(asked.get(name, [])), 3, name)
        for path, _, _ in book.asked():
            kinds |= {one.kind for one in predict.questions(book, path)}
        self.assertEqual(kinds, {"choice", "number", "order"})
