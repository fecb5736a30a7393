"""tools/results/compare.py and tools/results/record.py, with results whose outcome is known."""

import contextlib
import copy
import csv
import io
import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import textwrap
import unittest

from tests.whole_results import whole
from tools.results import compare

ROOT = pathlib.Path(__file__).resolve().parents[2]


def row(variant, gb_per_s, spread=0.001, **parameters):
    """A row of 1 GB, whose interval is `spread` to either side."""
    time = 1000.0 / gb_per_s
    return {"variant": variant, "parameters": parameters, "cache": "cold", "library": False,
            "gb_per_s": gb_per_s, "share_of_peak": gb_per_s / 4000,
            "time_ms": {"median": time, "interval": [time * (1 - spread), time * (1 + spread)]}}


def results(card, rows, **more):
    made = {"schema": 2, "chapter": "05_float4", "device": {"name": card, "card": "0123abcd"}, "rows": rows, **more}
    return made if more.get("published") else whole(made)


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, path, content):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return file

    def tool(self, name, *arguments, **options):
        return subprocess.run([sys.executable, "-B", "-m", f"tools.results.{name}", *arguments], cwd=ROOT, capture_output=True,
                              text=True, **options)


class Compare(FolderTest):
    reference = results("Card", [row("float4", 2000.0, threads=256), row("basic", 1000.0)])

    def compare(self, own):
        self.write("references/card/05_float4.json", self.reference)
        return self.tool("compare", "--reference", self.folder / "references", self.write("own.json", own))

    def test_the_same_results_agree(self):
        outcome = self.compare(self.reference)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertIn("1.000", outcome.stdout)
        self.assertNotIn("SLOWER", outcome.stdout)

    def test_a_row_slower_beyond_both_intervals_is_marked_and_is_status_1(self):
        outcome = self.compare(results("Card", [row("float4", 1900.0, threads=256)]))
        self.assertEqual(outcome.returncode, 1)
        self.assertRegex(outcome.stdout, r"float4, threads 256, cold +1900\.0 +2000\.0 +0\.950 +0\.950 +SLOWER against time")
        self.assertIn("Slower: 05_float4, float4: 1 row, 5.0 % at most", outcome.stdout)

    def test_a_faster_row_is_marked_and_is_status_0(self):
        outcome = self.compare(results("Card", [row("float4", 2100.0, threads=256)]))
        self.assertEqual(outcome.returncode, 0)
        self.assertRegex(outcome.stdout, r"1\.050 +faster")

    def test_slower_within_the_intervals_is_no_difference(self):
        outcome = self.compare(results("Card", [row("float4", 1900.0, spread=0.06, threads=256)]))
        self.assertEqual(outcome.returncode, 0)
        self.assertNotIn("SLOWER", outcome.stdout)

    def test_apart_by_less_than_two_runs_differ_is_no_difference(self):
        outcome = self.compare(results("Card", [row("float4", 1985.0, threads=256)]))
        self.assertEqual(outcome.returncode, 0)
        self.assertNotIn("SLOWER", outcome.stdout)

    def test_rows_without_a_counterpart_are_counted(self):
        rows = [row("float4", 2000.0, threads=256), row("float4", 9.0, threads=64), row("other", 9.0)]
        outcome = self.compare(results("Card", rows))
        self.assertEqual(outcome.returncode, 0)
        self.assertIn("and not judged: 2 rows.", outcome.stdout)

    def test_a_slower_library_of_the_same_run_is_divided_out(self):
        def run(kernel, library):
            return results("Card", [row("float4", kernel), {**row("cub", library), "library": True}],
                           device={"name": "Card", "card": "0123abcd", "copy_gb_per_s": library})

        self.reference = run(2000.0, 4000.0)
        self.assertEqual(self.compare(run(1900.0, 3800.0)).returncode, 0)
        self.assertIn("SLOWER against cub", self.compare(run(1900.0, 4000.0)).stdout)
        faster_library = self.compare(run(2000.0, 4200.0))
        self.assertEqual(faster_library.returncode, 0, faster_library.stdout)

    def test_another_card_of_the_model_is_given_more_room(self):
        for card in ("89efcdab", None):
            for bandwidth, ceiling, status in ((1920.0, 2000.0, 0), (1900.0, 2000.0, 1), (1800.0, 5000.0, 0), (1700.0, 5000.0, 1)):
                device = {"name": "Card", "card": "0123abcd", "copy_gb_per_s": ceiling}
                self.reference = results("Card", [row("float4", 2000.0)], device=device)
                own = results("Card", [row("float4", bandwidth)], device={**device, "card": card} if card else {
                    name: value for name, value in device.items() if name != "card"})
                self.assertEqual(self.compare(own).returncode, status, (card, bandwidth, ceiling))

    def test_a_library_is_a_yardstick_and_not_judged(self):
        self.reference = results("Card", [{**row("cub", 2000.0), "library": True}])
        outcome = self.compare(results("Card", [{**row("cub", 1000.0), "library": True}]))
        self.assertEqual(outcome.returncode, 0, outcome.stdout)

    def test_a_library_of_other_parameters_is_no_yardstick(self):
        def run(kernel, other):
            return results("Card", [row("gather", kernel, order="ascending", threads=256),
                                    {**row("thrust", 3000.0, order="ascending"), "library": True},
                                    {**row("thrust", other, order="random"), "library": True}])

        self.reference = run(2000.0, 400.0)
        self.assertEqual(self.compare(run(2000.0, 800.0)).returncode, 0)
        self.assertEqual(self.compare(run(1900.0, 200.0)).returncode, 1)

    def test_rows_with_other_parameters_are_not_compared(self):
        more = self.write("more.json", self.reference)
        outcome = self.compare(results("Card", [row("float4", 1000.0, threads=512)]))
        self.assertEqual(outcome.returncode, 2)
        self.assertIn("nothing was compared", outcome.stderr)
        outcome = self.tool("compare", "--reference", self.folder / "references", more, self.folder / "own.json")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertIn("No reference to compare with: 05_float4.", outcome.stdout)

    def test_another_card_is_set_against_published_shares_of_the_peak(self):
        published = results("Old card", [row("float4", 3000.0)], published=True)
        self.write("references/published/05_float4.old.json", published)
        outcome = self.compare(results("Other card", [row("float4", 2000.0, threads=256)]))
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertRegex(outcome.stdout, r"50\.0 % +75\.0 % +0\.667")
        self.assertIn("Old card (published)", outcome.stdout)

    def test_two_folders_are_compared_without_a_gpu_the_second_beside_the_first(self):
        slower = copy.deepcopy(self.reference)
        slower["rows"][0] = row("float4", 1900.0, threads=256)
        one = self.write("one/05_float4.json", self.reference).parent
        two = self.write("two/card/05_float4.json", whole(slower)).parents[1]
        statuses = [subprocess.run([ROOT / "run", "compare", *folders], capture_output=True).returncode
                    for folders in ((one, two), (two, one))]
        self.assertEqual(statuses, [1, 0])

    def test_every_row_is_shown_if_asked_for(self):
        for options, shown in (((), False), (("--rows",), True)):
            self.write("references/card/05_float4.json", self.reference)
            outcome = self.tool("compare", *options, "--reference", self.folder / "references", self.folder / "references")
            self.assertEqual("float4, threads 256, cold" in outcome.stdout, shown)

    def test_files_that_hold_no_results_are_refused_by_a_sentence(self):
        whole = json.dumps(self.reference)
        nan = whole.replace("2000.0", "NaN", 1)
        other = json.dumps({**self.reference, "schema": 1})
        missing = copy.deepcopy(self.reference)
        del missing["rows"][0]["gb_per_s"]
        for content in (whole[:len(whole) // 2], nan, other, json.dumps(missing), "[]", ""):
            with self.subTest(content[:40]):
                outcome = self.compare(content)
                self.assertEqual(outcome.returncode, 2)
                self.assertIn("own.json", outcome.stderr)
                self.assertEqual(outcome.stderr.count("\n"), 1)
                self.assertNotIn("Traceback", outcome.stderr)


class Recorded(FolderTest):
    """With what was recorded on H200s: one_card.csv twice, four hours apart; two_cards.csv on two cards of
    different speed, whose rows are up to 4.6 % apart; third_card.csv on another host and card, where gathers in
    random order are 10 % faster and page locking takes twice the time. Between the first two of them one kernel
    was rewritten, stencil_shared, which became 11 % faster."""

    REWRITTEN = "stencil_shared"

    def setUp(self):
        super().setUp()
        self.module = compare

    def recorded(self, name):
        """Two runs, each a dictionary of results by chapter."""
        earlier, later = {}, {}
        with open(pathlib.Path(__file__).parent / "recorded" / name, newline="") as file:
            for line in csv.DictReader(file):
                for runs, prefix in ((earlier, ""), (later, "later ")):
                    ms, low, high, ceiling = (float(line[prefix + field]) for field in ("ms", "low", "high", "copy"))
                    card = "the one" if name == "one_card.csv" else prefix + name
                    chapter = runs.setdefault(line["chapter"], {
                        "schema": 2, "chapter": line["chapter"], "rows": [],
                        "device": {"name": "NVIDIA H200", "card": card, "copy_gb_per_s": ceiling}})
                    chapter["rows"].append({
                        "variant": line["variant"], "parameters": json.loads(line["parameters"]),
                        "cache": line["cache"] or None, "library": line["library"] == "1", "task": line["task"],
                        "gb_per_s": int(line["bytes"]) / ms / 1e6, "share_of_peak": None,
                        "time_ms": {"median": ms, "interval": [low, high]}})
        return earlier, later

    def slower(self, reference, own):
        """The variants that are called slower, by chapter."""
        chapters = [(name, *self.module.compare_card(results, reference[name])) for name, results in own.items()]
        with contextlib.redirect_stdout(io.StringIO()) as said:
            named = set(self.module.print_verdict(chapters, False, 100))
        self.said = said.getvalue()
        return named

    @staticmethod
    def slowed(run, factor, names):
        run = copy.deepcopy(run)
        for results in run.values():
            for row in results["rows"]:
                if names(results["chapter"], row):
                    row["time_ms"] = {"median": row["time_ms"]["median"] * factor,
                                      "interval": [end * factor for end in row["time_ms"]["interval"]]}
                    row["gb_per_s"] /= factor
        return run

    def kernels(self, run):
        """The kernels that run long enough to be timed well."""
        return {(name, row["variant"]) for name, results in run.items() for row in results["rows"]
                if row["cache"] and not row["library"] and row["time_ms"]["median"] > 0.1}

    def test_the_same_kernels_are_not_slower_on_the_same_card_nor_on_another(self):
        for name in ("one_card.csv", "two_cards.csv", "third_card.csv"):
            one, two = self.recorded(name)
            rewritten = {("07_shared_memory", self.REWRITTEN)} if name == "one_card.csv" else set()
            self.assertEqual(self.slower(one, two), set())
            self.assertEqual(self.slower(two, one), rewritten)

    def test_another_host_of_the_same_card_is_no_slower_kernel(self):
        one, two = self.recorded("two_hosts.csv")
        self.assertEqual(self.slower(one, two), set())
        self.assertEqual(self.slower(two, one), set())
        halved = self.slowed(two, 2, lambda chapter, row: row["variant"] == "mapped")
        self.assertEqual(self.slower(one, halved), {("11_mapped_memory", "mapped")})

    def found(self, name, factor):
        """Of the kernels, slowed one at a time: how many are named, and which are not."""
        one, two = self.recorded(name)
        named, hidden = 0, set()
        for kernel in sorted(self.kernels(two)):
            if kernel[1] == self.REWRITTEN:
                continue
            slower = self.slower(one, self.slowed(two, factor, lambda chapter, row: (chapter, row["variant"]) == kernel))
            self.assertLessEqual(slower, {kernel})
            named += len(slower)
            hidden |= {kernel} - slower
        return named, hidden

    def test_five_percent_in_one_kernel_are_found_on_the_same_card_and_nothing_else_is_named(self):
        named, hidden = self.found("one_card.csv", 1.05)
        self.assertEqual(hidden, set())
        self.assertGreater(named, 15)

    def test_on_another_card_five_percent_are_found_at_full_speed_and_twenty_everywhere(self):
        for name, at_least in (("two_cards.csv", 5), ("third_card.csv", 25)):
            named, _ = self.found(name, 1.05)
            self.assertGreater(named, at_least)
            _, hidden = self.found(name, 1.2)
            self.assertEqual(hidden, set())

    def test_a_card_that_is_slower_as_a_whole_is_no_slower_kernel_and_is_said(self):
        one, two = self.recorded("two_cards.csv")
        throttled = self.slowed(two, 1.08, lambda *_: True)
        for results in throttled.values():
            results["device"]["copy_gb_per_s"] /= 1.08
        self.assertEqual(self.slower(one, throttled), set())
        self.assertRegex(self.said, r"The whole card is: half of the rows take \d\.\d % longer")


class Record(FolderTest):
    """With a chapter and a profiler of our own, which say what the tool has to find."""

    CHAPTER = textwrap.dedent("""\
        #!{python}
        import json, sys
        arguments = sys.argv[1:]
        if "--list" in arguments:
            print("fast  threads 256, n 64\\nlink  n 64")
            sys.exit({list_status})
        n = next((2**power for power in (30, 28, 26) if f"2^{{power}}" in arguments), 64)
        def row(variant, cache):
            return {{"variant": variant, "parameters": {{"n": n}}, "library": False, "cache": cache}}
        rows = [row("fast", "cold")]
        if "--variant" not in arguments:
            rows.append(row("link", None))
        environment = {{"clocks": {{"before": 1, "after": n}}}}
        with open(arguments[arguments.index("--json") + 1], "w") as file:
            json.dump({{"schema": 2, "chapter": "05_float4", "device": {{"name": "Card"}},
                       "options": {{"n": n}}, "environment": environment, "rows": rows}}, file)
        sys.exit({status})
        """)
    PROFILER = textwrap.dedent("""\
        #!{python}
        import subprocess, sys
        arguments = sys.argv[1:]
        metrics = arguments[arguments.index("--metrics") + 1].split(",")
        at = arguments.index("--log-file")
        header = ["Kernel Name", "Grid Size", *metrics]
        def line(*fields):
            return ",".join(f'"{{field}}"' for field in fields)
        with open(arguments[at + 1], "w") as file:
            print("==PROF== noise", file=file)
            print(line(*header), file=file)
            print(line("", "", *["unit"] * len(metrics)), file=file)
            if {counts}:
                print(line("row 0/add<1/2>()", "(9, 1, 1)", *["1,000"] * len(metrics)), file=file)
                print(line("row 0/add<1/2>()", "(9, 1, 1)", *["200"] * len(metrics)), file=file)
            if {stray}:
                print(line("flush(int)", "(9, 1, 1)", *["7"] * len(metrics)), file=file)
        sys.exit(subprocess.call(arguments[at + 2:]))
        """)

    def program(self, path, text, **values):
        file = self.write(path, text.format(python=sys.executable, **values))
        file.chmod(file.stat().st_mode | stat.S_IXUSR)

    def record(self, *options, status=0, stray=False, counts=True):
        self.program("bin/05_float4", self.CHAPTER, list_status=0, status=status)
        self.program("tools/ncu", self.PROFILER, stray=stray, counts=counts)
        path = f"{self.folder / 'tools'}:{os.environ['PATH']}"
        return self.tool("record", self.folder / "bin", self.folder / "out", *options,
                         env={**os.environ, "PATH": path})

    def count(self, **outcome):
        """The counters, of a chapter whose times are recorded."""
        self.assertEqual(self.record().returncode, 0)
        return self.record("--counters", **outcome)

    def test_it_merges_both_lengths_and_keeps_transfers_to_the_shorter(self):
        self.assertEqual(self.record().returncode, 0)
        written = json.loads((self.folder / "out/05_float4.json").read_text())
        self.assertEqual([(r["variant"], r["parameters"]["n"]) for r in written["rows"]],
                         [("fast", 2**28), ("link", 2**28), ("fast", 2**30)])
        self.assertEqual(written["environment"]["clocks"]["after"], 2**30)

    def test_counters_are_summed_over_the_kernels_of_a_row_and_nothing_else(self):
        self.assertEqual(self.count().returncode, 0)
        counters = json.loads((self.folder / "out/counters.json").read_text())
        small, large = counters["rows"]  # the second row launched no kernel
        self.assertEqual([row["parameters"]["n"] for row in (small, large)], [64, 2**26])
        self.assertEqual([row["large"] for row in (small, large)], [False, True])
        for row in (small, large):
            self.assertEqual(row["variant"], "fast")
            self.assertEqual(row["kernels"], 2)
            self.assertEqual(row["counts"]["load_sectors"], 1200)
            self.assertEqual(row["counts"]["atomic_sectors"], 2400)  # of two counters
            self.assertEqual(row["hardware"]["registers_per_thread"], 600)

    def test_a_kernel_that_belongs_to_no_row_ends_the_recording(self):
        outcome = self.count(stray=True)
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("05_float4 has no flush(int)", outcome.stderr)
        self.assertFalse((self.folder / "out/counters.json").exists())

    def test_a_variant_whose_kernels_were_not_counted_ends_the_recording(self):
        outcome = self.count(counts=False)
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("05_float4: ncu counted no kernel of fast.", outcome.stderr)
        self.assertFalse((self.folder / "out/counters.json").exists())

    def test_counters_without_times_are_refused(self):
        outcome = self.record("--counters")
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("record the times of 05_float4 first", outcome.stderr)

    def test_counters_leave_the_times_and_other_chapters_counters(self):
        other = {"chapter": "04_async_memcpy", "variant": "memcpy"}
        self.write("out/counters.json", json.dumps({"rows": [other]}))
        self.assertEqual(self.count().returncode, 0)
        times = (self.folder / "out/05_float4.json").read_text()
        self.assertEqual(self.record("--counters").returncode, 0)
        self.assertEqual((self.folder / "out/05_float4.json").read_text(), times)
        counters = json.loads((self.folder / "out/counters.json").read_text())["rows"]
        self.assertEqual([row["chapter"] for row in counters],
                         ["04_async_memcpy", "05_float4", "05_float4"])

    def test_a_chapter_that_fails_leaves_the_old_results(self):
        self.write("out/05_float4.json", "old")
        outcome = self.record(status=5)
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("status 5 from", outcome.stderr)
        self.assertEqual((self.folder / "out/05_float4.json").read_text(), "old")
        self.assertEqual([file.name for file in (self.folder / "out").iterdir()],
                         ["05_float4.json"])

    def test_without_a_profiler_it_says_what_is_missing(self):
        self.program("bin/05_float4", self.CHAPTER, list_status=0, status=0)
        outcome = self.tool("record", self.folder / "bin", self.folder / "out", "--counters",
                            env={**os.environ, "PATH": str(self.folder)})
        self.assertEqual(outcome.returncode, 3)
        self.assertIn("Nsight Compute is not installed", outcome.stderr)


if __name__ == "__main__":
    unittest.main()
