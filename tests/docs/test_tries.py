"""The changes that the pages tell a reader to try: their form, and that a wrong outcome is noticed."""

import json
import unittest

from tests.docs.toy_book import ToyBook, counted
from tools.book import tried, try_it
from tools.book.pages import Book
from tools.book.results import BookError

PAGE = "book/02_second.md"
GOOD = """- c[threadIdx.x] = 2.0f;
+ if (threadIdx.x > 3) {
+ c[threadIdx.x] = 1.0f;
+ }
$ ./run 02 --device cpu
status 1
shows FAILED
lacks Segmentation
holds count('two', 'load_sectors') == 128"""
ON_GPU = "on gpu\n$ ./run 02\nshows yes"


class ToyTest(unittest.TestCase):
    def setUp(self):
        self.book = ToyBook(self)

    def parse(self, text):
        return try_it.parse("half", text, Book(self.book.root).sources, "02_second")

    def section(self, *items):
        """The page with a list of changes, each with its markers."""
        self.book.add("## Experiments\n\n" + "".join(
            f"{number}. Change it like this, then run.\n" + "".join(f"   <!--try: {name}-->\n" for name in names)
            for number, names in enumerate(items, 1)), f"half = change({GOOD!r})\non_a_card = change({ON_GPU!r})")


class Form(ToyTest):
    def test_a_change_is_made_where_it_stands_and_as_deep_as_what_it_replaces(self):
        made = self.parse(GOOD)
        step = made.steps[0]
        self.assertEqual((step.command, step.status, step.shows), ("./run 02 --device cpu", 1, ["FAILED"]))
        changed = try_it.apply(self.book.read("chapters/02_second/02_second.cu"), step.changes[0], made.name)
        self.assertIn("{\n    if (threadIdx.x > 3) {\n    c[threadIdx.x] = 1.0f;\n    }\n}", changed)
        self.assertNotIn("2.0f", changed)

    def test_several_changes_and_steps_build_on_each_other(self):
        made = self.parse("- 2.0f\n+ 3.0f\n$ ./run 02\nshows a\n- 3.0f\n-* threadIdx.x\n+ 0\n$ ./run 02\nshows b")
        text = self.book.read("chapters/02_second/02_second.cu")
        for step in made.steps:
            for one in step.changes:
                text = try_it.apply(text, one, made.name)
        self.assertIn("    c[0] = ;", text)

    def assert_refused(self, old, new, *words):
        assert old in GOOD, old
        with self.assertRaises(BookError) as raised:
            self.parse(GOOD.replace(old, new))
        for word in words:
            self.assertIn(word, str(raised.exception))

    def test_a_text_that_the_source_does_not_have_or_has_twice_is_refused(self):
        self.assert_refused("2.0f;", "7.0f;", "'c[threadIdx.x] = 7.0f;' stands in 02_second.cu 0 times")
        self.assert_refused("- c[threadIdx.x] = 2.0f;", "- //! [two]", "stands in 02_second.cu 2 times")
        self.assert_refused("- c", "in moves.cuh\n- c", "chapters/02_second has no file moves.cuh")

    def test_what_cannot_be_read_or_expects_nothing_is_refused(self):
        self.assert_refused("status 1", "state 1", "cannot read 'state 1'")
        self.assert_refused("shows FAILED", "shows (", "'(' is no regular expression")
        self.assert_refused("load_sectors') == 128", "load_sectors') == ", "cannot read")
        self.assert_refused("$ ./run 02 --device cpu\n", "", "has no $ COMMAND above it")
        self.assert_refused(GOOD[GOOD.index("$"):], "", "nothing is run after the last change")
        self.assert_refused(GOOD[GOOD.index("status"):], "", "could do anything")
        self.assert_refused("- c[threadIdx.x] = 2.0f;\n", "", "has no '-' above it")

    def test_the_check_of_the_pages_names_an_item_without_a_marker_and_a_name_that_stands_twice(self):
        self.section(["half"], [], ["on_a_card", "on_a_card"])
        status, said = self.book.run("--check")
        self.assertEqual(status, 1)
        self.assertIn("'Experiments' has no marker for 'Change it like this, then run. ...'", said)
        self.assertIn("two changes are called on_a_card", said)
        self.assertEqual(said.count("has no marker"), 1)


class Fake:
    """A copy that was run: what its rows hold."""

    sectors = 128

    def evaluate(self, text):
        return eval(text, {"count": lambda *_: self.sectors})


class Outcome(ToyTest):
    def outcome(self, status, output):
        return tried.check(self.parse(GOOD).steps[0], Fake(), status, output)

    def assert_noticed(self, words, *outcome):
        with self.assertRaises(tried.NotAsTold) as raised:
            self.outcome(*outcome)
        self.assertIn(words, str(raised.exception))

    def test_what_comes_as_told_is_kept_with_its_decisive_lines(self):
        self.assertEqual(self.outcome(1, "two 4.0\n  FAILED two\n"),
                         ["FAILED two", "count('two', 'load_sectors') == 128: 128 == 128"])

    def test_another_status_a_missing_line_a_forbidden_one_and_a_false_claim_are_noticed(self):
        self.assert_noticed("ends with status 0, not 1", 0, "FAILED")
        self.assert_noticed("prints nothing like 'FAILED'", 1, "verified")
        self.assert_noticed("prints 'Segmentation fault', which should not be there", 1, "FAILED\nSegmentation fault")
        Fake.sectors = 127
        self.addCleanup(setattr, Fake, "sectors", 128)
        self.assert_noticed("does not hold: 127 == 128", 1, "FAILED")


class Looked(ToyTest):
    def test_what_a_change_holds_is_looked_up_in_its_own_run_and_beside_it_in_the_books(self):
        copy = tried.Copy.__new__(tried.Copy)
        copy.root, copy.folder, copy.chapter = self.book.root, self.book.path("run"), "02_second"
        own = counted("two")
        own["counts"]["load_sectors"] = 256
        self.book.results("cpu", "02_second", {"backend": "cpu", "name": "CPU device"}, [own], "run/results")
        self.assertEqual(copy.evaluate("count('two', 'load_sectors') / book_count('two', 'load_sectors')"), 2)
        self.assertTrue(copy.evaluate("count('two', 'load_sectors') == 2 * book_count('two', 'load_sectors') < 300"))
        self.assertEqual(copy.evaluate("book_gb('two')"), 3210)


class Record(ToyTest):
    """What was done on a GPU once: tools/book/tried.py --record."""

    def setUp(self):
        super().setUp()
        self.section(["half", "on_a_card"])
        self.one = next(one for one in try_it.tries(Book(self.book.root)) if one.gpu)

    def recorded(self, *entries):
        self.book.write("book/results/nvidia-h200/try_it.json", json.dumps({"device": "NVIDIA H200", "tried": [
            {"page": "02_second", "name": self.one.name, "form": self.one.fingerprint(), "outcome": "as told", "lines": [], **entry}
            for entry in entries]}))
        return tried.recorded(Book(self.book.root), self.book.root)

    def test_what_was_done_as_it_stands_is_fine(self):
        self.assertEqual(self.recorded({}), ([], []))

    def test_what_was_not_done_or_has_changed_since_is_named(self):
        self.assertEqual(self.recorded(), (["02.on_a_card"], []))
        self.assertEqual(self.recorded({"form": "old"}), (["02.on_a_card"], []))
        self.assertEqual(self.recorded({"outcome": "not run: ncu is not installed."}), (["02.on_a_card (ncu is not installed)"], []))

    def test_what_came_otherwise_and_what_no_page_has_is_wrong(self):
        self.assertIn("on_a_card: not as told: 2 > 3", self.recorded({"outcome": "not as told: 2 > 3"})[1][0])
        self.assertIn("gone of 02_second is on no page", self.recorded({}, {"name": "gone"})[1][0])

    def test_a_new_record_keeps_what_was_not_done_again(self):
        self.recorded({"name": "before"})
        tried.keep([tried.attempt(self.one, tried.NotAsTold("a test"))], self.book.root, {"device": "NVIDIA H200"})
        names = [one["name"] for one in json.loads(self.book.read("book/results/nvidia-h200/try_it.json"))["tried"]]
        self.assertEqual(names, ["before", "on_a_card"])
