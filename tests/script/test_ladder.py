"""The ladder that ends ./run, from results made here."""

import copy
import unittest

from tests.folder import FolderTest
from tests.whole_results import whole
from tools.results import ladder, schema

N = 2**20


def counted(variant, requests, sectors=32.0, **fields):
    """A row that adds: what it has for each KiB."""
    kib = 12 * N / 1024
    counts = {"load_requests": int(requests * kib), "load_sectors": int(sectors * kib)}
    return {"variant": variant, "task": "add", "parameters": {"threads": 256, "n": N}, "bytes": 12 * N, "verified": True, "counts": counts,
            **fields}


def timed(variant, milliseconds, **fields):
    speed = 12 * N / milliseconds / 1e6
    time = {"median": milliseconds, "p25": milliseconds, "p75": milliseconds, "min": milliseconds, "interval": [milliseconds] * 2}
    return {"variant": variant, "task": "add", "parameters": {"threads": 256, "n": N}, "bytes": 12 * N, "verified": True, "cache": "cold",
            "time_ms": time, "gb_per_s": speed, "share_of_peak": speed / 4800, "share_of_copy": speed / 4200, **fields}


def results(chapter, backend, rows):
    name = {"cpu": "CPU device", "gpu": "NVIDIA H200"}[backend]
    return whole({"chapter": chapter, "device": {"backend": backend, "name": name}, "rows": rows})


def counted_results(chapter="05_float4"):
    return results(chapter, "cpu", [counted("scalar", 8.0), counted("float4", 2.0)])


def timed_results(chapter="05_float4", *others):
    rows = [timed("scalar", 0.0034), timed("float4", 0.0030), timed("cub::DeviceTransform", 0.0031, library=True), *others]
    return results(chapter, "gpu", rows)


def line_with(text, words):
    return next((line for line in text.splitlines() if words in line), "")


class LadderTest(unittest.TestCase):
    def assert_fits(self, text, width):
        self.assertLessEqual(max(map(len, text.splitlines())), width, text)


class Timed(LadderTest):
    def test_each_chapter_stands_against_the_one_before_it_in_the_same_task(self):
        slower = timed_results("01_basic_vecadd")
        del slower["rows"][1]
        transfers = results("04_async_memcpy", "gpu", [timed("pipeline", 0.16, task="add host to host")])
        text = ladder.render([slower, transfers, timed_results()], 60)
        self.assert_fits(text, 60)
        self.assertIn("\n\nadd\n01_basic_vecadd ", text)
        # GB/s, of the peak, of copies, over the library, over chapter 01 and not 04
        self.assertRegex(line_with(text, "05_float4"), r"4194\.3 +87 % +100 % +1\.03 +1\.13$")
        self.assertIn("78.6", line_with(text, "04 add host to host"))  # among tasks of one chapter
        self.assertNotIn("04_async_memcpy", text)

    def test_what_the_l2_served_hot_rows_and_failed_ones_do_not_count(self):
        for fields in ({"in_l2": True}, {"cache": "hot"}, {"verified": False}):
            text = ladder.render([timed_results("05_float4", timed("other", 0.001, **fields))], 80)
            self.assertIn("4194.3", line_with(text, "05 add"), fields)

    def test_hot_rows_count_where_there_are_no_cold_ones(self):
        text = ladder.render([results("18_l2", "gpu", [timed("hot", 0.003, cache="hot")])], 80)
        self.assertIn("4194.3", line_with(text, "18 add"))


class Screen(LadderTest):
    def test_it_has_the_commonest_tasks_that_fit_and_no_remarks(self):
        chapters = []
        for number, task in (("01", "add"), ("02", "add"), ("03", "add"), ("06", "copy"), ("07", "copy"), ("08", "read"), ("10", "transfer")):
            chapters.append(timed_results(f"{number}_{task}"))
            for row in chapters[-1]["rows"]:
                row["task"] = task
        chapters[-1]["rows"] = []
        text = ladder.render(chapters, 80)
        self.assertIn("08 read", text)
        self.assertIn("10_transfer: nothing was measured.", text)
        two, one = (ladder.shortened(chapters, 80, height) for height in (10, 9))
        self.assertEqual(two.count("\n"), 10)
        self.assertTrue(text.startswith(two) and two.startswith(one))
        self.assertIn("\ncopy\n", two)
        self.assertNotIn("read", two)
        self.assertNotIn("10_transfer", two)
        self.assertNotIn("06_copy", one)
        self.assertEqual(ladder.shortened(chapters, 80, 1), one)
        self.assertIn("08 read", ladder.shortened([chapters[5]], 80, 10))  # where nothing is shared
        self.assertIn("32.0", ladder.shortened([counted_results()], 80, 10))  # nor has a bandwidth


class Counted(LadderTest):
    def test_it_shows_the_fewest_and_names_who_moves_nothing(self):
        two_tasks = counted_results("07_shared_memory")
        two_tasks["rows"][0]["task"] = "copy"
        silent = results("10_pinned_memory_with_a_very_long_name", "cpu", [])
        text = ladder.render([counted_results("01_basic_vecadd"), counted_results(), two_tasks, silent], 60)
        self.assert_fits(text, 60)
        self.assertIn("32.0      2.00", line_with(text, "05_float4"))
        self.assertIn("32.0      2.00", line_with(text, "07_shared_memory"))
        self.assertIn("32.0      8.00", line_with(text, "07 copy"))
        self.assertIn("very_long_name: no bytes moved by\nkernels.", text)

    def modelled(self, *speeds):
        """Rows with these bandwidths by the model, limited by the latency and by DRAM, and a record of the second."""
        found = counted_results()
        for row, speed, limit in zip(found["rows"], speeds, ("latency", "dram")):
            row["modelled"] = {"card": "H200", "n": 2**28, "gb_per_s": speed, "share_of_peak": speed / 4800, "limited_by": limit}
        record = timed_results()
        record["rows"] = [timed(row["variant"], 1, gb_per_s=4321.0, parameters={"threads": 256, "n": 2**28}) for row in found["rows"]]
        return found, record

    def test_what_is_modelled_stands_beside_what_was_recorded(self):
        found, record = self.modelled(3400, 4300)
        first = copy.deepcopy(found)
        first["chapter"] = "01_basic_vecadd"
        text = ladder.render([first, found], 80, [record])
        self.assert_fits(text, 80)
        self.assertIn("4300  dram", line_with(text, "05_float4"))
        self.assertIn("4321", line_with(text, "05_float4"))
        self.assertNotIn("4321", line_with(text, "01_basic_vecadd"))  # of another chapter
        self.assertIn("Not timed: each chapter shows", text)
        self.assert_fits(ladder.render([first, found], 60, [record]), 60)

    def test_no_winner_is_named_whose_lead_is_smaller_than_the_model_s_error(self):
        for slower, name in ((3400, "float4"), (4250, "2 alike")):
            found, record = self.modelled(slower, 4300)
            self.assertIn(f"  {name}  ", line_with(ladder.render([found], 120, [record]), "05 add"))

    def test_a_record_of_another_card_or_of_other_parameters_is_none_of_the_row(self):
        found, record = self.modelled(3400, 4300)
        other = copy.deepcopy(record)
        other["device"]["name"] = "NVIDIA A100"
        self.assertNotIn("4321", ladder.render([found], 80, [other]))
        for row in record["rows"]:
            row["parameters"]["threads"] = 77
        self.assertNotIn("4321", ladder.render([found], 80, [record]))

    def test_how_far_off_an_unmeasured_card_is_is_said(self):
        found, _ = self.modelled(3400, 4300)
        for row in found["rows"]:
            row["modelled"]["card"] = "T4"
        self.assertIn("This GPU was not measured: the error is unknown.", " ".join(ladder.render([found], 80).split()))


class Files(FolderTest):
    def test_results_of_the_book_have_their_records(self):
        chapters, records = ladder.read([ladder.RECORDS / "cpu/01_basic_vecadd.json"])
        self.assertEqual([chapter["chapter"] for chapter in chapters], ["01_basic_vecadd"])
        self.assertEqual({record["chapter"] for record in records}, {"01_basic_vecadd"})
        self.assertIn("NVIDIA H200", {record["device"]["name"] for record in records})

    def test_what_holds_no_results_is_refused_by_name(self):
        with self.assertRaisesRegex(schema.NotResults, "x.json cannot be read"):
            ladder.read([self.folder / "x.json"])
        with self.assertRaisesRegex(schema.NotResults, "x.json does not hold results"):
            ladder.read([self.write("x.json", {"rows": []})])
