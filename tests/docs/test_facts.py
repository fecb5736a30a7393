"""Numbers that know how far the next record may have them elsewhere, and what compares them."""

import unittest
from pathlib import Path
from types import SimpleNamespace

from tools.book import spreads
from tools.book.facts import REFERENCE, Page, choice, gb, reading, value
from tools.book.numbers import Fact, at_least, between, both, faster, how_many, less, level, max, more, show
from tools.book.results import BookError, Results

REPOSITORY = Path(__file__).resolve().parents[2]


def fact(number, far=0.0, name="a row", what="gb"):
    return Fact(number, {(what, REFERENCE, False)}, {("row", name): far})


class Spread(unittest.TestCase):
    def test_it_goes_through_arithmetic_as_errors_do(self):
        a, b = fact(100, 1, "a"), fact(200, 4, "b")
        for made, far in ((a + 7, 2), (3 * a, 6), (a + b, 2 * 17**0.5), (b - a, 2 * 17**0.5), (b / a, 2 * 2 * (0.01**2 + 0.02**2)**0.5),
                          (1 / a, 2e-4), (a**2, 400), (abs(-a), 2), (100 - a, 2), (max(a, b), 8), (round(a), 2)):
            self.assertAlmostEqual(made.spread(), far, places=9)

    def test_what_stands_on_both_sides_of_a_ratio_moves_it_not(self):
        a = fact(100, 5)
        self.assertEqual(((3 * a) / a).spread(), 0)
        self.assertEqual((a - a).spread(), 0)

    def test_of_few_rounds_each_counts_for_more_and_what_a_round_does_to_both_sides_counts_for_nothing(self):
        def rounds(number, *far):
            return Fact(number, (), {("round", REFERENCE, "22", len(far), at): number * each for at, each in enumerate(far)})
        three = rounds(100, -0.01, 0, 0.01)
        self.assertAlmostEqual(three.spread(), 4.303 / 3**0.5, places=3)
        self.assertLess(rounds(100, -0.01, -0.01, 0, 0.01, 0.01).spread(), 0.6 * three.spread())
        self.assertAlmostEqual((three / rounds(50, -0.01, 0, 0.01)).spread(), 0)

    def test_rows_of_a_kind_stand_in_for_a_row_of_one_process_and_its_own_interval_where_it_is_wider(self):
        def row(ms, cache="cold", processes=(), width=0.0):
            return {"ms": ms, "cache": cache, "rounds": {at: ms * each for at, each in enumerate(processes)},
                    "interval": [ms * (1 - width / 2), ms * (1 + width / 2)], "chapter": "22"}
        results = SimpleNamespace(data={("", ""): (None, [row(1, processes=(0.99, 1.01)), row(0.05, processes=(0.9, 1.1))])})
        (device,), (short,) = (spreads.of(results, "", row(ms)).values() for ms in (2, 0.01))
        self.assertAlmostEqual(device, 0.01 * 2**0.5)
        self.assertAlmostEqual(short, 0.1 * 2**0.5)
        self.assertAlmostEqual(sum(spreads.of(results, "", row(2, width=0.2)).values()), 0.05)
        self.assertEqual(len(spreads.of(results, "", row(2, processes=(0.9, 1, 1.1)))), 3)
        self.assertEqual(spreads.of(results, "", {**row(2), "interval": None}), {})  # published


class Compared(unittest.TestCase):
    def states(self, *verdicts):
        return [(one.holds, one.sure) for one in verdicts]

    def test_a_comparison_is_true_false_or_undecided(self):
        a, b, c = fact(100, 1, "a"), fact(101, 1, "b"), fact(110, 1, "c")
        self.assertEqual(self.states(more(c, a), more(a, c), more(b, a), less(b, a)), [(True, True), (False, True), (True, False), (False, False)])
        self.assertEqual(self.states(at_least(c / a, 1.05), at_least(c / a, 1.09)), [(True, True), (True, False)])
        self.assertEqual(self.states(level(a, b, 0.1), level(a, b, 0.02), level(a, c, 0.02)), [(True, True), (True, False), (False, True)])
        self.assertEqual(self.states(between(90, a, 101), between(90, a, 95), less(1, 2)), [(True, False), (False, True), (True, True)])

    def test_the_faster_of_two_has_the_higher_bandwidth_or_the_lower_time(self):
        self.assertTrue(faster(fact(2), fact(1)))
        self.assertTrue(faster(fact(1, what="ms"), fact(2, what="ms")))

    def test_several_are_undecided_unless_one_that_is_sure_fails(self):
        sure, unsure, wrong = more(fact(2), 1), more(fact(2, 1), 1), more(fact(1), 2)
        self.assertEqual(self.states(both(sure, unsure), both(wrong, unsure), both(sure, sure)), [(True, False), (False, True), (True, True)])
        self.assertEqual(both(sure, wrong, unsure).said, "1 > 2")
        self.assertEqual(how_many(sure, wrong, unsure), 2)


class Shown(unittest.TestCase):
    def test_the_form_follows_the_size_or_is_the_numbers_own(self):
        self.assertEqual([show(x) for x in (3452.4, 25.64, 0.824, 0.0123, 12, 4096, 1.0)], ["3,452", "25.6", "0.82", "0.012", "12", "4,096", "1"])
        self.assertEqual([show(value(0.1234, form)) for form in (".0%", "+.1%", ".3f")], ["12%", "+12.3%", "0.123"])
        self.assertEqual(show(value(-0.001, ".0%")), "0%")
        self.assertEqual(f"{Fact(128)} of {Fact(128.5)}", "128 of 128.5")


class LookedUp(unittest.TestCase):
    def test_outside_a_page_nothing_is_looked_up(self):
        with self.assertRaisesRegex(BookError, "facts are read by ./run book"):
            gb("basic", threads=256)

    def test_a_row_says_where_it_comes_from_and_how_far_it_moves(self):
        with reading(Page(Results(REPOSITORY / "book/results"), "01_basic_vecadd")):
            made = gb("basic", threads=256)
        self.assertEqual(made.reads, {("gb", REFERENCE, False)})
        self.assertGreater(made.spread(), 0)
        self.assertLess(made.spread(), 0.1 * made)

    def test_a_question_is_told_what_it_lacks_by_its_own_function(self):
        with self.assertRaises(TypeError):
            choice("Which?", {})
