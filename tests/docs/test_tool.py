"""What tools/book promises: nothing stale, false, missing or dead goes unnoticed."""

import copy
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from unittest import mock

from book.drawings import engines, tiles
from tests.docs.toy_book import CPU, GPU, REPOSITORY, ToyBook, counted, modelled, row
from tests.docs.toy_book import bar as toy_bar
from tests.whole_results import whole
from tools.book import drawings, facts, figures, pages
from tools.book.blocks import Blocks, heading, tag
from tools.book.pages import Book, ragged
from tools.book.results import BookError, Results
from tools.book.sources import Sources as ChapterSources

PAGE = "book/02_second.md"
FACTS = "book/facts/02_second.py"
FIGURE = "book/figures/02_second-bandwidth.svg"
HEAD = 'from tools.book.facts import *\n\npage("{}", needs="{}", afterwards=["count"])\n'
CHANGES = 'here = change("$ ./run 02\\nshows two")\nthere = change("on gpu\\n$ ./run 02\\nshows two")'
MEASURED = "book/results/nvidia-h200/02_second.json"


rendered = ToyBook()  # drawn once, copied for every test


def setUpModule():
    unittest.addModuleCleanup(rendered.remove)
    status, said = rendered.run()
    assert status == 0, said


class BookTest(unittest.TestCase):
    def setUp(self):
        self.book = ToyBook(self, rendered)

    def assert_fine(self, *options):
        status, said = self.book.run(*options)
        self.assertEqual(status, 0, said)

    def assert_refused(self, *words, options=("--check",), status=1):
        ended, said = self.book.run(*options)
        self.assertEqual(ended, status, said)
        self.assertNotIn("Traceback", said)
        for word in words:
            self.assertIn(word, said)


class CommandLine(BookTest):
    def test_all_that_is_wrong_is_said_the_spelling_too_and_is_status_1(self):
        self.book.replace(PAGE, "# The second\n", "# The second\n\nTeh second. [gone](03_third.md)\n")
        result = subprocess.run([sys.executable, "-m", "tools.book", "--root", self.book.root, "--check"],
                                cwd=REPOSITORY, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout, "")
        self.assertIn("the link to 03_third.md is dead", result.stderr)
        self.assertRegex(result.stderr, "Teh ==> The|codespell is not installed")


class Rendering(BookTest):
    def test_a_page_shows_code_difference_counts_table_chart_and_number(self):
        page = self.book.read(PAGE)
        for shown in ("```cpp\n__global__ void two", "+    c[threadIdx.x] = 2.0f;",
                      "| `two` | 32 | 128 | 4 | 100% | 8 | 50% |", "| `two` | 3,210 | 80% |",
                      "![Chart. Effective bandwidth, NVIDIA H200, GB/s. two: 3,210.]",
                      "8 sectors = 256 bytes are touched: 50% of them are used", "It reaches <!--=two_gb-->3,210<!--/--> GB/s"):
            self.assertIn(shown, page)

    def test_a_second_rewrite_changes_nothing(self):
        before = {path: path.read_bytes() for path in self.book.root.rglob("*") if path.is_file()}
        self.assert_fine()
        self.assert_fine("--check")
        after = {path: path.read_bytes() for path in self.book.root.rglob("*") if path.is_file()}
        self.assertEqual(before, after)

    def test_figures_are_svg_with_a_title_and_both_themes(self):
        for path in self.book.path("book/figures").iterdir():
            root = ElementTree.parse(path).getroot()
            self.assertTrue(root[0].text, path)
            self.assertIn("prefers-color-scheme:dark", path.read_text())

    def test_a_number_may_not_begin_a_line_where_forges_would_end_the_paragraph(self):
        self.book.replace(PAGE, "It reaches <!--=", "It reaches\n<!--=")
        self.assert_refused("begins a line")

    def test_a_line_of_a_table_has_as_many_cells_as_its_head(self):
        table = "| a | b |\n| - | - |\n"
        for fine in ("| 1 | 2 |", "| | <!--=sum-->3<!--/--> |", "| `a | b` | 2 |", r"| a \| b | 2 |", "\n| 1 |"):
            self.assertEqual(list(ragged(f"{table}{fine}\n")), [], fine)
        for wrong, cells in (("| 1 | | 2 |", 3), ("| 1 |", 1)):
            self.assertEqual(list(ragged(f"{table}{wrong}\n")), [(3, cells, 2)], wrong)
        self.book.replace(PAGE, "# The second\n", f"# The second\n\n{table}| CUB | | 3 |\n")
        self.assert_refused(f"{PAGE}:5: 3 cells in a table of 2.")

    def test_the_title_of_a_fold_is_html(self):
        fold = "<details><summary>What {} takes</summary>\n\nMuch.\n\n</details>\n"
        self.book.replace(PAGE, "# The second\n", f"# The second\n\n{fold.format('<code>two</code>')}")
        self.assert_fine("--check")
        self.book.replace(PAGE, "<code>two</code>", "`two`")
        self.assert_refused(f"{PAGE}:3: the title of a fold is HTML: <code> for what ` begins.")

    def test_markers_that_code_shows_are_no_markers(self):
        self.book.replace(PAGE, "# The second\n", "# The second\n\n`<!--=nonsense-->`\n")
        self.assert_fine("--check")


class Exercises(BookTest):
    """The page of a chapter leads to the chapter's exercises."""
    GOALS = "chapters/02_second/exercises/02.{0}_{1}/goals.cpp"
    HEAD = "// 02.{0}: {1}\n// minutes: 15\n// difficulty: 2\n// practises: counting\n"

    def setUp(self):
        super().setUp()
        for number, title in ((2, "Another one"), (1, "Two of them")):
            self.book.write(self.GOALS.format(number, number), self.HEAD.format(number, title))

    def lead(self):
        self.book.write(PAGE, self.book.read(PAGE) + "\n<!--exercises-->\n<!--/-->\n")

    def test_a_page_without_the_list_is_an_error_and_one_without_exercises_needs_none(self):
        self.assert_refused("book/02_second.md: does not lead to the chapter's exercises", "<!--exercises-->")
        _, said = self.book.run("--check")
        self.assertNotIn("01_first", said)

    def test_a_list_that_code_shows_does_not_count(self):
        self.book.write(PAGE, self.book.read(PAGE) + "\n`<!--exercises-->`\n")
        self.assert_refused("does not lead to the chapter's exercises")

    def test_the_list_has_number_title_minutes_and_difficulty_in_order(self):
        self.lead()
        self.assert_refused("<!--exercises--> is stale")
        self.assert_fine()
        self.assertIn("| `./run exercise 02.1` | Two of them | 15 | 2 of 3 |\n"
                      "| `./run exercise 02.2` | Another one | 15 | 2 of 3 |\n", self.book.read(PAGE))
        self.assertIn("`./run exercise 02.1` copies the starter", self.book.read(PAGE))

    def test_a_new_title_makes_the_page_stale(self):
        self.lead()
        self.assert_fine()
        self.book.replace(self.GOALS.format(1, 1), "Two of them", "Three")
        self.assert_refused("<!--exercises--> is stale")

    def test_a_head_that_lacks_something_is_named(self):
        self.lead()
        for line in ("// 02.1: Two of them\n", "// minutes: 15\n", "// difficulty: 2\n"):
            self.book.write(self.GOALS.format(1, 1), self.HEAD.format(1, "Two of them").replace(line, ""))
            self.assert_refused("book/02_second.md:", "1/goals.cpp does not begin with", options=())

    def test_a_list_where_there_are_no_exercises_is_an_error(self):
        self.book.write("book/01_first.md", self.book.read("book/01_first.md") + "\n<!--exercises-->\n<!--/-->\n")
        self.assert_refused("exercises: the page's chapter has no exercises")


class Staleness(BookTest):
    def test_a_changed_number_is_stale_in_table_chart_and_sentence_until_the_rewrite(self):
        self.book.replace(MEASURED, "3210.0", "3987.0")
        self.assert_refused("book/02_second.md:", "<!--table: measured--> is stale",
                            "<!--=two_gb--> is stale", f"{FIGURE}: is stale")
        self.assert_fine()
        self.assert_fine("--check")
        self.assertEqual(self.book.read(PAGE).count("3,987"), 3)
        self.assertIn("3,987", self.book.read(FIGURE))

    def test_a_number_typed_by_hand_is_stale(self):
        self.book.replace(PAGE, "-->3,210<!--", "-->3,211<!--")
        self.assert_refused("02_second.md:", "<!--=two_gb--> is stale")

    def test_changed_code_is_stale(self):
        self.book.replace("chapters/02_second/02_second.cu", "2.0f", "3.0f")
        self.assert_refused("<!--code: two--> is stale", "<!--diff: 01 02 one two-->")

    def test_a_missing_figure_and_one_that_no_page_shows_are_named(self):
        self.book.path(FIGURE).rename(self.book.path("book/figures/other.svg"))
        self.assert_refused("02_second-bandwidth.svg: is stale", "other.svg: is on no page")


class Claims(BookTest):
    def test_a_claim_that_no_longer_holds_fails_by_name_with_both_sides(self):
        self.book.replace(MEASURED, "3210.0", "900.0")
        self.assert_refused("the claim 'two is faster than half of one' does not hold: 900 > 1,000",
                            options=())

    def test_a_claim_about_nothing_fails(self):
        self.book.replace(FACTS, 'gb("one", chapter="01")', 'gb("three", chapter="01")')
        self.assert_refused(f"{FACTS}:7: the claim 'two is faster than half of one': 01_first on nvidia-h200 has no row three")

    def test_a_wrong_fact_and_a_name_that_is_none_fail_with_page_line_and_name_once(self):
        self.book.add("It is <!--=half--><!--/-->, <!--=tow_gb--><!--/--> or <!--=store--><!--/-->.", 'half = gb("tow") / 2\nclaim("it is much", more(half, 1))')
        self.assert_refused(f"{FACTS}:8: half: 02_second on nvidia-h200 has no row tow",
                            "=tow_gb: the facts of the page have no number 'tow_gb'", "have no number 'store'", options=())
        self.assertNotIn("it is much", self.book.run()[1])

    def test_a_fact_that_is_no_python_is_named_with_its_line(self):
        self.book.add("", "half = 1 +")
        self.assert_refused(f"{FACTS}:8: invalid syntax")

    def test_a_name_that_nothing_uses_is_named(self):
        self.book.add("", 'half = two_gb / 2')
        self.assert_refused(f"{FACTS}:8: half is on no page, and nothing rests on it.")
        self.book.add("It is <!--=third--><!--/-->.", "def part(whole):\n    return whole / 3\n\n\nthird = part(half)")
        self.assert_fine()

    def test_a_marker_is_a_name_and_no_longer(self):
        self.book.add(f"It is <!--={'a' * 60}-->1<!--/-->.", f"{'a' * 60} = value(1.0, '.0f')")
        self.assert_refused("the marker has 68 characters; 60 are enough for a name")

    def test_a_claim_that_another_record_may_have_otherwise_is_undecided(self):
        self.book.add("", 'claim("two is level", level(two_gb, 3208.0, within=0.001))')
        self.assert_refused(f"{FACTS}:8: the claim 'two is level' is undecided: 1.0006 >= 0.999", "measure again", options=())
        self.book.replace(FACTS, "within=0.001", "within=0.1")
        self.assert_fine()

    def test_processes_say_how_far_the_next_lies_apart(self):
        self.book.add("", 'claim("two is ahead", faster(two_gb, gb("one")))')
        for apart, wrong in ((0.0001, False), (0.02, True)):
            rows = [row("two", 3210.0), row("one", 3190.0)]
            for number, measured in enumerate(rows):
                time = measured["time_ms"]
                time["processes"] = [[time["median"] * (1 + sign * apart), 0, 0] for sign in ((-1, 0, 1), (1, 0, -1))[number]]
            self.book.results("nvidia-h200", "02_second", GPU, rows)
            self.assertEqual("'two is ahead' is undecided" in self.book.run()[1], wrong)

    def test_processes_that_lie_apart_show_it_and_rows_of_one_process_play_no_part(self):
        rows = [row("two", 3210.0), row("one", 3000.0, width=4)]
        time = rows[0]["time_ms"]
        time["processes"] = [[share * time["median"], 0.998 * time["median"], 1.002 * time["median"]] for share in (1, 1.01, 0.99)]
        self.book.results("nvidia-h200", "02_second", GPU, rows)
        self.book.write("book/03_third.md", "# The third\n\n<!--repeatability: nvidia-h200-->\n<!--/-->\n")
        self.book.run()
        self.assertIn("| shorter than 0.1 ms | 1 | 0.40% | 1.00% | 2.00% | 2.00% |", self.book.read("book/03_third.md"))
        self.book.results("other", "02_second", GPU, [row("two", 3000.0)])
        self.book.replace("book/03_third.md", "repeatability: nvidia-h200", "repeatability: nvidia-h200 other")
        self.book.run()
        self.assertIn("| shorter than 0.1 ms | 1 | 0.40% | 1.00% | 2.00% | 2.00% | 1 | 7.00% | 7.00% | 7.00% |", self.book.read("book/03_third.md"))

    def test_a_second_gpu_is_asked_about_the_claims_whose_rows_it_has(self):
        self.book.add("<!--second: h300 second/nvidia-h200-->\n<!--/-->\n\n<!--failed: second/nvidia-h200-->\n<!--/-->",
                      'claim("two is slow", less(two_gb, 3300))\nclaim("two is less than double", less(two_gb, 2 * gb("two", device="h300")))')
        self.assert_refused("there are no results of h300 in book/results/.", options=())
        for speed, hold, also in ((3210.0, 100, 100), (3400.0, 0, 50)):
            for device, model in (("h300", "H300"), ("second/nvidia-h200", "H200")):
                self.book.results(device, "02_second", {**GPU, "name": f"NVIDIA {model}"}, [row("two", speed)])
            self.book.run()
            text = "The results of {} can test {}% of the book's claims about the H200, and confirm {}% of these."
            page = self.book.read("book/02_second.md")
            self.assertIn(f"{text.format('an H300', 50, hold)} {text.format('a second H200', 67, also)}\n", page)
            self.assertEqual("| [02](02_second.md) | two is slow | `3,400 < 3,300` |" in page, speed > 3300)

    def test_an_ambiguous_look_up_asks_for_what_tells_the_rows_apart(self):
        rows = [row("one", 2000.0), row("one", 1.0, threads=64)]
        self.book.results("nvidia-h200", "01_first", {"backend": "gpu", "name": "NVIDIA H200"}, rows)
        self.assert_refused("has 2 rows of one; say which by threads")

    def test_chapters_that_a_page_shows_hot_are_told_unless_a_page_has_a_problem(self):
        self.book.run()
        self.assertEqual(pages.hot(self.book.root), [])
        measured = json.loads(self.book.read(MEASURED))
        self.book.results("nvidia-h200", "02_second", measured["device"], [*measured["rows"], {**row("two", 4000.0), "cache": "hot"}])
        self.book.add("It is <!--=hot_gb--><!--/-->.", 'hot_gb = gb("two", cache="hot")')
        self.book.run()
        self.assertEqual(pages.hot(self.book.root), ["02_second"])
        self.book.add("It is <!--=lost_gb--><!--/-->.", 'lost_gb = gb("nowhere")')
        self.assertEqual(pages.hot(self.book.root), [])

    def test_what_an_operation_takes_is_the_time_over_their_number(self):
        self.book.add("It takes <!--=one_ns--><!--/--> ns.\n\n<!--table: each-->\n<!--/-->",
                      'one_ns = ns("one", chapter="01")\neach = table("01", columns="variant, ns")')
        self.assert_refused("01_first one has no ns")
        # 12 288 bytes at 2 000 GB/s are 6.144 ns
        self.book.replace("book/results/nvidia-h200/01_first.json", '"bytes": 12288',
                          '"operations": 4, "bytes": 12288')
        self.assert_fine()
        self.assertIn("-->1.54<!--/--> ns", self.book.read(PAGE))
        self.assertIn("| ns each |", self.book.read(PAGE))

    def test_a_chart_over_a_size_draws_another_column_where_it_is_named(self):
        self.book.add("<!--chart: each-->\n<!--/-->", 'each = chart("01", every_size=True, x="n", y="ns", name="each")')
        self.assert_refused("no row has n and ns")
        self.book.replace("book/results/nvidia-h200/01_first.json", '"bytes": 12288',
                          '"operations": 4, "bytes": 12288')
        self.assert_fine()
        self.assertIn("ns each. one: 1.54 at", self.book.read(PAGE))

    def test_a_page_quotes_what_the_record_of_a_change_to_try_keeps(self):
        self.book.write("book/results/nvidia-h200/try_it.json", json.dumps({"tried": [
            {"page": "02_second", "name": "wider", "lines": [
                "two  256  1024  0.5  yes", "gb('two') < 5: 2 < 5", "gb('two') / 2: 1.07", "gb('two') / 4: 0.50"]}]}))
        self.book.add("It is <!--=wider--><!--/--> times.", 'wider = value(noted("wider", 1), ".2f")')
        self.assert_fine()
        self.assertIn("-->0.50<!--/--> times", self.book.read(PAGE))
        self.book.replace(FACTS, '"wider", 1', '"wider", 2')
        self.assert_refused("has 2 notes of the change wider", options=())

    def test_the_usual_size_is_looked_for_among_the_rows_that_match(self):
        usual = row("gather", 500.0)
        usual["parameters"]["n"] = 2**28
        data = json.loads(self.book.read(MEASURED))
        self.book.write(MEASURED, json.dumps(whole({**data, "rows": [*data["rows"], usual]})))
        self.book.replace(FACTS, 'table("02_second")', 'table("02_second", where=lambda row: row.variant == "two")')
        self.assert_fine()
        self.assertIn("| `two` | 3,210 |", self.book.read(PAGE))

    def test_the_best_of_chapters_are_of_one_task(self):
        self.book.add("<!--chart: ladder-->\n<!--/-->", 'ladder = chart("01,02", best="chapter", name="ladder")')
        self.assert_fine()
        self.assertIn("01 one: 2,000; 02 two: 3,210", self.book.read(PAGE))
        self.book.replace("book/results/nvidia-h200/01_first.json", '"task": "add"', '"task": "copy"')
        self.assert_refused("best=chapter sets add next to copy")


class Deviations(BookTest):
    """Where the CPU device counts otherwise than the GPU."""
    LIST = "book/deviations.json"
    NAME = "02_second two load_sectors"

    def setUp(self):
        super().setUp()
        of = {"chapter": "02_second", "variant": "two", "parameters": counted("two")["parameters"], "library": False}
        counts = {"load_requests": 32, "load_sectors": 160, "store_requests": 32, "store_sectors": 256, "atomic_sectors": 0,
                  "local_load_requests": None}
        rows = [{**of, "large": False, "counts": counts, "hardware": {}},
                {**of, "large": True, "counts": {"store_sectors": 7}, "hardware": {}},
                {**of, "large": False, "library": True, "variant": "one", "counts": {"store_sectors": 7}, "hardware": {}}]
        self.book.write("book/results/nvidia-h200/counters.json", json.dumps({"rows": rows}))
        self.book.write(PAGE, self.book.read(PAGE) + "\n<!--deviations-->\n<!--/-->\n")

    def known(self, **of):
        self.book.write(self.LIST, json.dumps([{"why": why, "of": {name: 1}} for why, name in of.items()]))

    def test_the_page_says_how_many_counts_agree_and_how_far_the_others_are_off(self):
        self.known(luck=self.NAME)
        self.assert_fine()
        page = self.book.read(PAGE)
        self.assertIn("Of 4 counts of 1 variants that ran on both, 3 are **equal to the last unit**.", page)
        self.assertIn("| luck | [02](02_second.md) | loads | 20% |", page)

    def test_a_difference_that_is_not_on_the_list_and_one_that_is_gone_are_named(self):
        self.known()
        self.assert_refused(f"{self.NAME} is 128 on the CPU device and 160 on a GPU, and {self.LIST} does not know it", options=())
        self.known(luck=self.NAME, more="02_second two store_sectors")
        self.assert_refused(f"02_second two store_sectors is the same on both; take it off {self.LIST}", options=())


class Labs(BookTest):
    """What a class can do with each page."""
    TABLE = "book/03_third.md"

    def lines(self):
        self.book.results("cpu", "01_first", CPU, [counted("one")])
        self.book.write(self.TABLE, "# The third\n\n<!--page-->\n<!--/-->\n\n<!--labs-->\n<!--/-->\n")
        self.book.write("book/facts/03_third.py", HEAD.format("core", "01"))
        self.assert_fine()
        return [line for line in self.book.read(self.TABLE).splitlines() if line.startswith("| [")]

    def test_a_page_is_listed_with_what_it_has_and_one_that_is_no_chapter_is_not(self):
        self.assertEqual(self.lines(), ["| [01](01_first.md) The first | 5 min | 0 | 0: 0 min | 0 of 0 | no |",
                                        "| [02](02_second.md) The second | 10 min | 0 | 0: 0 min | 0 of 0 | no |"])

    def test_exercises_changes_and_modelled_times_count_and_a_change_for_a_gpu_is_none_without_one(self):
        for number, title in ((1, "Two of them"), (2, "Another one")):
            self.book.write(Exercises.GOALS.format(number, number), Exercises.HEAD.format(number, title))
        self.book.add("<!--exercises-->\n<!--/-->\n\n- Try it.\n  <!--try: here-->\n\n- Try it.\n  <!--try: there-->", CHANGES)
        self.book.results("cpu", "02_second", CPU, [modelled("two", 0.5)])
        self.assertEqual(self.lines()[1], "| [02](02_second.md) The second | 10 min | 0 | 2: 30 min | 1 of 2 | yes |")

    def test_a_change_that_is_tried_with_a_gpu_and_without_is_one(self):
        self.book.add("## Experiments\n\n1. Change a line.\n  <!--try: here-->\n  <!--try: there-->", CHANGES)
        self.assertEqual(self.lines()[1], "| [02](02_second.md) The second | 10 min | 0 | 0: 0 min | 1 of 1 | no |")


class Timelines(BookTest):
    FIGURE = "book/figures/02_second-two-timeline.svg"

    def setUp(self):
        super().setUp()
        self.rows(modelled("two", 0.5))

    def rows(self, *rows):
        self.book.results("cpu", "02_second", CPU, rows)

    def show(self, *blocks):
        for block in blocks:
            kind, name = block.partition("(")[0], f"shown_{abs(hash(block))}"
            self.book.add(f"<!--{kind}: {name}-->\n<!--/-->", f"{name} = {block}")

    def test_a_figure_says_that_it_is_modelled_and_shows_the_largest_size(self):
        self.show('timeline("02_second", "two")')
        self.assert_fine()
        self.assertIn("*Modelled on H200, not measured; 4,096 elements.*", self.book.read(PAGE))
        figure = self.book.read(self.FIGURE)
        ElementTree.fromstring(figure)
        for shown in ("Modelled on H200, not measured", "modelled time, ms (1.500 ms in all)",
                      "host to device", "kernels", "prefers-color-scheme:dark",
                      "copy, stream 2: 1 to 1.5 ms"):
            self.assertIn(shown, figure)
        self.assertNotIn("device to host", figure)
        self.assert_fine("--check")
        self.rows(modelled("two", 0.25))
        self.assert_refused(f"{self.FIGURE}: is stale")

    def test_each_of_several_devices_has_lanes_of_its_own_in_their_order(self):
        made = modelled("two", 0.5)
        made["modelled"]["at"] = []
        made["modelled"]["operations"] = [
            {**toy_bar("compute", 0, 1, 2), "device": 1}, {**toy_bar("peer", 0, 2), "device": 0},
            toy_bar("host", 2, 3), {**toy_bar("compute", 0, 2), "device": 0}]
        self.rows(made)
        self.show('timeline("02_second", "two")')
        self.assert_fine()
        figure = self.book.read(self.FIGURE)
        self.assertIn("peer 0 busy for 2.000 ms", figure)
        lanes = re.findall(r">(0: kernels|0: to peer|1: kernels|host)<", figure)
        self.assertEqual(lanes[:4], ["0: kernels", "0: to peer", "1: kernels", "host"])

    def test_a_table_sets_the_model_beside_the_measurement_with_its_error(self):
        self.rows(modelled("two", 0.5), modelled("two", 0.75, n=2048))
        measured = row("two", 3210.0)
        measured["time_ms"]["median"] = 0.4
        self.book.write(MEASURED, json.dumps(whole({**json.loads(self.book.read(MEASURED)),
                                                    "rows": [measured]})))
        self.show('table("02_second", columns="variant, modelled, ms, error")',
                  'table("02_second", device="cpu", columns="variant, modelled", where=lambda row: row.n == 1024)')
        self.assert_fine()
        self.assertIn("*Modelled on H200, not measured; 1,024 elements.*", self.book.read(PAGE))
        self.assertIn("| `two` | 0.50 | 0.4000 | +25.0% |", self.book.read(PAGE))

    def test_counts_have_the_modelled_time_of_the_size_that_was_modelled(self):
        made = modelled("two", 2.5)
        made["modelled"].update(n=4096, limited_by="blocks")
        self.rows(made)
        self.show('counts("02", columns="variant, load_sectors, modelled, limited_by")')
        self.assert_fine()
        page = self.book.read(PAGE)
        self.assertIn("| `two` | 128 | 2.5 | blocks |", page)
        self.assertIn("*Counted on the CPU device; 1,024 elements. Times are modelled for 4,096 elements on H200, "
                      "not measured.*", page)

    def test_a_number_takes_the_row_of_the_size_or_scales_the_largest(self):
        self.rows(modelled("two", 0.5), modelled("two", 0.75, n=2048))
        for n in (1024, 2048, 8192):
            self.book.add(f"It takes <!--=two_{n}--><!--/--> ms.", f'two_{n} = modelled("two", n={n})')
        self.assert_fine()
        for ms in ("0.50", "0.75", "2.25"):
            self.assertIn(f"-->{ms}<!--/--> ms", self.book.read(PAGE))

    def test_what_has_no_timeline_or_several_is_refused(self):
        self.rows(modelled("two", 0.5, streams=2), modelled("two", 0.5, streams=4), counted("one"))
        self.show('timeline("02_second", "two")', 'timeline("02_second", "one")')
        self.book.add("", 'modelled("two", n=1024)\nmodelled("two", n=3, streams=2)\nmodelled("one")')
        self.assert_refused("2 rows of two with a timeline match", "0 rows of one with a timeline",
                            "several rows of two", "no modelled time for n=3",
                            "one has no modelled time", options=())


class Sources(BookTest):
    def test_a_renamed_marker_fails_by_name(self):
        self.book.replace("chapters/02_second/02_second.cu", "//! [two]", "//! [deux]")
        self.assert_refused("02_second has no //! [two]; it has deux",
                            "02_second: //! [deux] is shown on no page")

    def test_a_deleted_marker_fails_by_name(self):
        text = self.book.read("chapters/02_second/02_second.cu")
        self.book.write("chapters/02_second/02_second.cu", text.replace("//! [two]\n", "", 1))
        self.assert_refused("02_second: //! [two] has no second marker")

    def test_code_that_no_page_shows_any_more_fails_by_name(self):
        self.book.replace(PAGE, "<!--code: two-->", "<!--code: main-->")
        self.book.replace(PAGE, "<!--diff: 01 02 one two-->", "<!--code: main-->")
        self.assert_refused("02_second: //! [two] is shown on no page")

    def test_a_marker_without_its_end_and_an_unknown_one_fail(self):
        self.book.replace(PAGE, "-->3,210<!--/-->", "-->3,210")
        self.book.replace(PAGE, "<!--counts: counted-->", "<!--cuonts: counted-->")
        self.book.replace(PAGE, "<!--table: measured-->", "<!-- a remark -->")
        self.book.replace(PAGE, "<!--chart: drawn-->\n", "")
        self.assert_refused("<!--=two_gb--> has no '<!--/-->'", "cuonts: counted: there is no such marker",
                            " a remark : there is no such marker", "<!--/--> has no marker before it")

    def test_code_is_a_region_of_the_chapter_or_of_a_file_of_the_tree(self):
        self.book.write("common/ask.hpp", "//! [ask]\nint ask();\n//! [ask]\n")
        self.book.add("<!--code: common/ask.hpp ask-->\n<!--/-->")
        self.assert_fine()
        self.assertIn("```cpp\nint ask();\n```", self.book.read(PAGE))
        self.book.write("book/third.md", "# The third\n\n<!--code: two-->\n<!--/-->\n")
        self.book.replace(PAGE, "<!--diff: 01 02 one two-->", "<!--diff: 01 02 one-->")
        self.assert_refused("code: two: code needs a region of the page's chapter, or a file", "diff: 01 02 one: a diff needs two chapters")


class Data(BookTest):
    def test_a_result_that_is_not_a_number_is_refused(self):
        for constant in ("NaN", "Infinity"):
            text = self.book.read(MEASURED)
            self.book.replace(MEASURED, "3210.0", constant)
            self.assert_refused(f"02_second.json does not hold results: {constant} is not", status=2)
            self.book.write(MEASURED, text)

    def test_half_a_file_and_the_file_of_another_chapter_are_refused(self):
        text = self.book.read(MEASURED)
        self.book.write(MEASURED, text[:100])
        self.assert_refused("02_second.json does not hold results", status=2)
        self.book.write(MEASURED, text.replace("02_second", "03_third"))
        self.assert_refused("is not a result of 02_second", status=2)

    def test_a_row_that_failed_verification_is_not_shown(self):
        self.book.replace(MEASURED, '"verified": true', '"verified": false')
        self.assert_refused("no row of 02_second on nvidia-h200 matches")


class Yours(BookTest):
    """A reader's own results, which the site shows and the committed pages do not."""

    def rendered_page(self):
        book = Book(self.book.root, build=self.book.path("build"))
        text = book.render(self.book.path(PAGE))
        self.assertEqual(book.problems, [])
        return text, book.figures["02_second-bandwidth"]

    def test_own_measurements_and_counts_stand_beside_the_reference(self):
        device = {"backend": "gpu", "name": "NVIDIA T1000", "peak_gb_per_s": 160.0}
        self.book.results("gpu/results", "02_second", device, [row("two", 123.0)], "build")
        own = counted("two")
        own["counts"] = {**own["counts"], "load_sectors": 256}
        self.book.results("cpu/results", "02_second", {"name": "CPU device", "host_cpu": "Z80"}, [own], "build")
        text, chart = self.rendered_page()
        self.assertIn("cold, GB/s | **yours**", text)
        self.assertIn("| 3,210 | **123** |", text)
        self.assertIn("Yours: NVIDIA T1000", text)
        self.assertIn("sectors per load | **yours**", text)
        self.assertNotIn("sectors per store | **yours**", text)  # it is the book's
        self.assertIn("Yours: CPU device on Z80", text)
        self.assertEqual(chart["rows"][0]["bars"]["yours"]["value"], 123.0)
        self.assert_fine("--check")  # and the committed page knows nothing of it

    def test_a_count_that_is_the_books_has_no_bar_of_its_own(self):
        self.book.add("<!--chart: sectors-->\n<!--/-->", 'sectors = chart("02_second", device="cpu", bars="load_sectors", name="sectors")')
        for sectors, bars in ((128, {"load_sectors"}), (256, {"load_sectors", "yours"})):
            own = counted("two")
            own["counts"] = {**own["counts"], "load_sectors": sectors}
            self.book.results("cpu/results", "02_second", {"name": "CPU device", "host_cpu": "Z80"}, [own], "build")
            book = Book(self.book.root, build=self.book.path("build"))
            book.render(self.book.path(PAGE))
            self.assertEqual(set(book.figures["02_second-sectors"]["rows"][0]["bars"]), bars)

    def test_without_own_results_the_reference_stands_alone(self):
        text, chart = self.rendered_page()
        self.assertNotIn("yours", text + str(chart))


class Banks(unittest.TestCase):
    """What the drawing says of the wavefronts that a trace names."""

    def test_words_and_banks_of_all_wavefronts_are_counted(self):
        halves = [[lane if lane % 2 == half else None for lane in range(32)] for half in (0, 1)]
        drawn = Blocks.banks({"wavefronts": [*halves, [7] + 31 * [None]]})
        self.assertEqual(drawn["caption"], "33 words in 32 banks: 3 wavefronts.")
        self.assertEqual(drawn["wavefronts"][2], {"0": 7})
        self.assertEqual(Blocks.banks({"wavefronts": [[0] + 31 * [None]]})["caption"], "1 words in 1 bank: 1 wavefront.")


class Links(BookTest):
    def test_dead_links_and_anchors_are_named(self):
        self.book.replace(PAGE, "01_first.md#the-question", "01_first.md#the-answer")
        self.book.replace(PAGE, "# The second\n", "# The second\n\n[gone](03_third.md)\n")
        self.assert_refused("the link to 01_first.md#the-answer is dead: no such heading",
                            "the link to 03_third.md is dead: no such file")

    def test_a_sentence_that_a_page_would_make_an_item_of_a_list_is_named(self):
        self.book.replace(PAGE, "# The second\n", "# The second\n\nIt is of\n2019. And so on.\n\n1. one\n   1. inner\n2. two\n")
        self.assert_refused(f"{PAGE}:4: begins with '2019.'")
        self.book.replace(PAGE, "of\n2019.", "of 2019.")
        self.assert_fine("--check")

    def test_a_picture_needs_a_text_alternative(self):
        self.book.replace(PAGE, "# The second\n",
                          "# The second\n\n![](figures/02_second-bandwidth.svg)\n")
        self.assert_refused("has no text alternative")


class Paths(BookTest):
    def test_a_page_says_its_path_its_minutes_what_it_needs_and_what_for(self):
        page = self.book.read(PAGE)
        self.assertIn("**Optional, 10 min.** Prerequisites: [1, The first](01_first.md). You will learn to\n\n"
                      "- tell two from one\n", page)
        self.assertIn("**Core, 5 min.** You will learn to\n\n- count\n", self.book.read("book/01_first.md"))
        # Its blocks are five minutes, its words a few seconds; 600 words more are four.
        self.book.write(PAGE, page + "\nA b c d e f.\n" * 100)
        self.assert_fine("--check")
        self.book.write(PAGE, page + "\nA b c d e f.\n" * 150)
        self.assert_refused("<!--page--> is stale")
        self.assert_fine()
        self.assertIn(", 15 min.", self.book.read(PAGE))

    def test_a_numbered_page_without_a_head_is_named(self):
        self.book.write("book/03_third.md", "# The third\n")
        self.assert_refused("book/03_third.md: has no 'page' marker")

    def test_what_a_page_needs_exists_and_comes_before_it(self):
        for needs, refused in (("07", "needs 07, which is no page"), ("02", "needs 02, which comes after it")):
            with self.subTest(needs=needs):
                self.book.replace(FACTS, 'needs="01"', f'needs="{needs}"')
                self.assert_refused(refused)
                self.book.replace(FACTS, f'needs="{needs}"', 'needs="01"')

    def test_the_core_path_needs_no_side_path(self):
        self.book.replace(FACTS, 'page("side"', 'page("core"')
        self.book.replace("book/facts/01_first.py", 'page("core"', 'page("side"')
        self.assert_refused("is on the core path and needs 01, which is not")

    def test_a_head_has_a_known_path_and_an_objective(self):
        self.book.replace(FACTS, 'page("side"', 'page("scenic"')
        self.assert_refused("02_second.md:5: page: there is no path 'scenic'")
        self.book.replace("book/facts/01_first.py", '"count"', "")
        self.assert_refused("01_first.md:3: page: says nothing that a reader can do")

    def test_the_map_has_each_page_below_the_last_core_page_that_it_needs(self):
        for page, path, needs in (("03_third", "core", "01"), ("04_fourth", "side", "02")):
            self.book.write(f"book/{page}.md", f"# The {page[3:]}\n\n<!--page-->\n<!--/-->\n")
            self.book.write(f"book/facts/{page}.py", HEAD.format(path, needs))
        self.book.write("book/README.md", "# Index\n\n<!--map-->\n<!--/-->\n")
        self.assert_fine()
        self.assertIn("01 The first, core; 02 The second; 04 The fourth; 03 The third, core.",
                      self.book.read("book/README.md"))
        self.assertIn("The fourth", self.book.read("book/figures/map.svg"))


class Portraits(unittest.TestCase):
    def test_the_map_and_the_drawings_fit_a_phone_with_letters_that_can_be_read(self):
        for name in ("map", *drawings.DRAWINGS):
            root = ElementTree.parse(REPOSITORY / f"book/figures/{name}.svg").getroot()
            left, _, width, _ = map(float, root.get("viewBox").split())
            self.assertEqual((left, width), (0, 360))
            texts = [element for element in root.iter() if element.tag.endswith("}text")]
            self.assertGreater(len(texts), 10)
            for text in texts:
                size = float(re.search(r"([\d.]+)px", text.get("style"))[1])
                self.assertGreaterEqual(size, 12, text.text)
                # Half an em a letter is what most of them take.
                wide = {"start": 1, "middle": 0.5, "end": 0}[text.get("text-anchor")] * 0.5 * size * len(text.text)
                self.assertLess(float(text.get("x")) + wide, width, text.text)
                self.assertGreater(float(text.get("x")) - {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")]
                                   * 0.5 * size * len(text.text), -1, text.text)


class Drawings(unittest.TestCase):
    """Each follows its data: the book's own, or a copy that is changed before it is drawn."""

    @classmethod
    def setUpClass(cls):
        cls.results = Results(REPOSITORY / "book/results")
        cls.blocks = Blocks(cls.results, ChapterSources(REPOSITORY / "chapters"), None, {})

    def data(self, name, traced=None, **constants):
        """The data of a drawing; each of its traces is changed by `traced`, and constants of the sources replaced."""
        blocks, constant = copy.copy(self.blocks), facts.constant
        blocks.results = copy.copy(self.results)
        if traced:
            blocks.results.trace = lambda *which: traced(copy.deepcopy(self.results.trace(*which)))
        with mock.patch.object(facts, "constant", lambda file, of: constants.get(of, constant(file, of))):
            return drawings.data_of(name, blocks)

    def texts(self, data):
        return re.findall(r"<text[^>]*>([^<]*)<", drawings.draw(data))

    def test_each_has_a_caption_of_one_sentence_and_says_in_words_what_it_shows(self):
        for name in drawings.DRAWINGS:
            data = self.data(name)
            self.assertRegex(data["caption"], r"^[A-Z].*[^.]\.$", name)
            self.assertRegex(data["alt"], r"^Drawing .{100,}\.$", name)
            self.assertEqual(ElementTree.fromstring(drawings.draw(data)).find("{*}title").text, data["alt"])

    def test_one_that_is_not_there_is_named_with_those_that_are(self):
        with self.assertRaisesRegex(BookError, "no drawing 'gpus'; there are gpu, "):
            drawings.find("gpus")

    def test_a_stencil_of_another_radius_reads_other_words(self):
        texts = self.texts(self.data("stencil_tile", radius=4, threads=128))
        self.assertIn("thread 127: 127 to 135", texts)
        self.assertIn("threads 0 to 7", texts)
        self.assertIn("thread 255: 255 to 271", self.texts(self.data("stencil_tile")))

    def test_a_tile_shows_the_banks_of_the_words_that_a_trace_loads(self):
        def doubled(trace):  # rows of twice as many words, for the load alone
            load = next(r for r in trace["requests"] if (r["access"], r["space"]) == ("load", "shared"))
            load["offsets"] = [2 * spot for spot in load["offsets"]]
            load["wavefronts"] = [[half + bank // 2 if bank % 2 == 0 else None for bank in range(32)] for half in (0, 16)]
            return trace
        self.assertIn("With rows of 33 words the column lies in 32 banks: 1 wavefront.", self.data("turned_tile")["alt"])
        data = self.data("turned_tile", doubled)
        self.assertIn("With rows of 66 words the column lies in 16 banks: 2 wavefronts.", data["alt"])
        self.assertIn("2 wavefronts", self.texts(data))

    def test_rows_begin_where_the_recorded_pitch_puts_them(self):
        self.assertIn("4092 bytes from row to row: 4, 5, 5, 5, 5, 5, 5, 5, 4;", self.data("pitched_rows")["alt"])
        for counted_row in self.results.rows("cpu", "14_pitched_memory"):
            if counted_row["variant"] == "pitched":
                counted_row["pitch"] = 4112  # half a sector too many
        data = self.data("pitched_rows")
        self.assertIn("4112 bytes from row to row: 4, 5, 4, 5.", data["alt"])
        self.assertIn("12,336", self.texts(data))

    def test_the_stores_to_a_sector_are_those_of_the_trace(self):
        def wider(trace):  # eight elements per thread: a sector is one lane's
            for request in trace["requests"]:
                if request["access"] == "store":
                    first = request["offsets"][0]
                    request["offsets"] = [first + 2 * (spot - first) for spot in request["offsets"]]
            return trace
        self.assertIn("4 stores of a warp to one sector: lanes 0 and 1 words 0 and 4;", self.data("stores_in_parts")["alt"])
        data = self.data("stores_in_parts", wider)
        self.assertIn("lanes 0 words 0; lanes 0 words 1;", data["alt"])
        self.assertNotIn("1", self.texts(data))

    def test_the_averages_of_the_stores_are_the_counters(self):
        data = self.data("stores_in_parts")
        with mock.patch.object(facts, "counter", lambda variant, *_, **__: 50 if variant == "blocked_x4" else 10):
            changed = self.data("stores_in_parts")
        self.assertIn("On average L2 was written to 5.0 times per sector.", self.texts(changed))
        self.assertNotIn("On average L2 was written to 5.0 times per sector.", self.texts(data))

    def test_a_layout_shows_which_words_of_a_sector_the_first_load_takes(self):
        def apart(trace):  # records of four fields, of which two are loaded
            for request in trace["requests"]:
                request["offsets"] = [2 * spot - spot % 8 for spot in request["offsets"]]
            return trace
        used = re.findall(r"uses (\d+%) of their bytes", self.data("record_layouts")["alt"])
        self.assertEqual(used, ["50%", "100%", "100%", "100%"])
        data = self.data("record_layouts", apart, tile=8)
        self.assertEqual(re.findall(r"touches (\d+) sectors", data["alt"])[:2], ["16", "16"])
        self.assertIn("16 sectors, 25% used", self.texts(data))
        self.assertIn("Tiles of 8 records", self.texts(data))

    def test_the_set_aside_is_drawn_to_the_scale_of_the_recorded_windows(self):
        def widths(data):
            return list(map(float, re.findall(r'width="([\d.]+)" height="20.0" style="fill:var\(--waste\)', drawings.draw(data))))
        data = self.data("set_aside")
        speed = next(f"{row['gb']:,.0f}"
                     for row in self.results.rows("nvidia-h200", "18_l2_persistence")
                     if row["variant"] == "stream_window" and row["window"] == 50 and row["cache"] == "cold")
        self.assertIn(f"37.5 MiB set aside, {speed} GB/s", data["alt"])
        before = widths(data)
        for measured in self.results.rows("nvidia-h200", "18_l2_persistence"):
            if measured["variant"] == "stream_window" and measured["window"] == 100:
                measured["window_mib"] = 30  # what the largest set-aside is told by
        data = self.data("set_aside")
        self.assertIn(f"30 MiB set aside, {speed} GB/s", data["alt"])
        self.assertEqual(len(before), 4)
        for old, new in zip(before, widths(data)):
            self.assertAlmostEqual(new / old, 30 / 37.5, places=2)

    def test_the_way_of_a_tile_is_that_of_the_traced_warp(self):
        def lower(trace):  # blocks of 16 rows: half as many loads of a warp, twice as far apart
            trace["block"] = [32, 16, 1]
            trace["requests"] = [r for r in trace["requests"] if r["space"] == "global"][::2]
            return trace
        self.assertIn("A warp loads 4 rows of a, 4 sectors each,", self.data("transpose")["alt"])
        self.assertIn("lane 16 of the warp loads it as part of a row, and lane 8 takes it", self.data("transpose")["caption"])
        data = self.data("transpose", lower)
        self.assertIn("A warp loads 2 rows of a, 4 sectors each,", data["alt"])
        self.assertIn("lane 16 of the warp loads it as part of a row, and lane 16 takes it", data["caption"])

    def test_the_layouts_of_a_tile_are_those_of_the_source(self):
        with facts.reading(self.blocks.page):
            banks = {panel["title"]: [word % 32 for word in panel["rows"][1][1]][:4] for panel in tiles.layout_panels(self.blocks)}
        self.assertEqual(banks, {"plain": [0, 1, 2, 3], "padded": [1, 2, 3, 4], "swizzled": [1, 0, 3, 2]})
        with tempfile.TemporaryDirectory() as folder:
            chapter = Path(folder) / "20_transpose_tiles"
            shutil.copytree(REPOSITORY / "chapters/20_transpose_tiles", chapter)
            source = chapter / "tile.cuh"
            source.write_text(source.read_text("utf-8").replace("return y * (tile_dim + 1) + x;", "return y * (tile_dim + 2) + x;"), "utf-8")
            self.blocks.sources = ChapterSources(folder)
            self.assertIn("padded: element (y, x) lies at y * (tile_dim + 2) + x,", self.data("tile_layouts")["alt"])

    def test_the_chunks_of_the_pipeline_are_the_bars_of_the_modelled_timeline(self):
        data = self.data("pipeline")
        chunks, *_ = engines.first_chunks(self.blocks)
        for chunk in chunks:
            loads, (kernel,), (store,) = chunk
            self.assertEqual(len(loads), 2)
            self.assertEqual({bar["stream"] for bar in (*loads, kernel, store)}, {kernel["stream"]})
            self.assertLessEqual(loads[1]["end"], kernel["start"])
            self.assertLessEqual(kernel["end"], store["start"])
        self.assertEqual([text for text in self.texts(data) if "stream" in text], ["queued on stream 1", "queued on stream 2"])
        (changed,) = self.results.find("cpu", "04_async_memcpy", "pipeline", streams=2)
        for bar in next(size for size in changed["timeline"]["at"] if size.get("operations"))["operations"]:
            bar["start_ms"], bar["end_ms"], bar["stream"] = 2 * bar["start_ms"], 2 * bar["end_ms"], 3
        later, *_ = engines.first_chunks(self.blocks)
        self.assertAlmostEqual(later[3][2][0]["start"], 2 * chunks[3][2][0]["start"])
        self.assertIn("queued on stream 3", self.texts(self.data("pipeline")))


class Labels(unittest.TestCase):
    def test_each_point_of_a_short_axis_has_a_tick_and_those_of_a_long_one_stand_apart(self):
        self.assertEqual(figures.spaced([2, 4, 8]), [2, 4, 8])
        self.assertEqual(figures.spaced([2**k for k in range(10, 31)]), [2**k for k in range(10, 31, 4)])

    def test_a_parameter_is_named_with_its_unit_and_its_number(self):
        self.assertEqual([tag("streams", 1), tag("passes", 1), tag("streams", 4)], ["1 stream", "1 pass", "4 streams"])
        self.assertEqual(tag("window_mib", 9.375), "window of 9.38 MiB")
        self.assertEqual(tag("width", 16), "width of 16 bytes")
        self.assertEqual(heading("window_mib"), "window, MiB")

    def test_what_counts_nothing_stands_before_its_value(self):
        self.assertEqual([tag("offset", 11), tag("offset", 1)], ["offset 11", "offset 1"])
        self.assertEqual(tag("indices", "sequential"), "indices sequential")

    def test_a_value_stands_where_no_line_runs_through_it(self):
        data = {"kind": "bars", "series": ["cold"], "labels": ["cold"], "unit": "GB/s", "title": "t", "alt": "a",
                "limits": {"peak": 4814},
                "rows": [{"label": "near", "library": False, "bars": {"cold": {"value": 4700, "text": "seen"}}}]}
        drawn = figures.draw(data)
        text = re.search(r'<text[^>]*translate\(([\d.]+)[^>]*>seen<', drawn) or re.search(
            r'<text[^>]*x="([\d.]+)"[^>]*>seen<', drawn)
        line = re.search(r'<path d="M ([\d.]+) [^"]*"[^>]*stroke-dasharray: 4', drawn)
        self.assertGreater(float(text[1]), float(line[1]) + 2)


class Colours(unittest.TestCase):
    def test_the_sites_style_sheet_has_every_colour_of_the_figures_in_both_themes(self):
        light, dark = (REPOSITORY / "tools/site/site.css").read_text("utf-8").split("\n}\n")[:2]
        for role, colours in figures.COLOURS.items():
            self.assertIn(f"--{role}: {colours[0]};", light)
            self.assertIn(f"--{role}: {colours[1]};", dark)
