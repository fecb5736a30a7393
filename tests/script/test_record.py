"""tools/results/record.py, with a chapter, a profiler and an nvidia-smi of our own; and what the rounds of a row make."""

import json
import math
import os
import random
import signal
import stat
import statistics
import subprocess
import sys
import textwrap
import time
import unittest

from tests.script.test_compare import ROOT, ToolTest
from tests.whole_results import whole
from tools.results import rounds, schema


def timed(*medians, numbers=None):
    """A time of so many rounds."""
    return {"rounds": {"round": list(numbers or range(1, len(medians) + 1)), "median": list(medians),
                       "low": list(medians), "high": list(medians)}}


class Rounds(unittest.TestCase):
    def test_students_t_is_that_of_the_tables(self):
        for freedom, wanted in ((1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (8, 2.306), (30, 2.042)):
            self.assertAlmostEqual(rounds.quantile(freedom), wanted, places=3)

    def test_the_interval_covers_the_truth_in_19_of_20_records(self):
        draw = random.Random(1)
        for count in (2, 3, 5):
            inside = 0
            for _ in range(2000):
                _, low, high = rounds.interval([draw.gauss(0, 0.01) for _ in range(count)])
                inside += low <= 1 <= high
            self.assertAlmostEqual(inside / 2000, 0.95, delta=0.015)

    def test_a_ratio_is_paired_within_the_rounds_that_both_have(self):
        # The GPU becomes 20 % slower from round to round, and the row keeps its distance to the library.
        row, library = timed(2.02, 2.4, 2.86, numbers=(1, 2, 4)), timed(1, 1.2, 1.3, 1.44, numbers=(1, 2, 3, 4))
        middle, low, high = rounds.ratio(row, library)
        self.assertAlmostEqual(middle, 2, delta=0.01)
        self.assertLess(high - low, 0.1)
        self.assertLess(high / low, rounds.interval([math.log(median) for median, *_ in rounds.each(row).values()])[2])
        self.assertIsNone(rounds.ratio(row, timed(1.2, numbers=(2,))))

    def test_of_many_that_hold_hardly_one_falls(self):
        draw = random.Random(2)
        wrong = sum(bool(rounds.rejected([draw.random() for _ in range(200)])) for _ in range(500))
        self.assertLess(wrong / 500, 0.08)
        self.assertEqual(rounds.rejected([0.5, 0.0001, 0.02]), {1, 2})
        self.assertEqual(rounds.rejected([0.03, 0.03]), set())

    def test_a_round_is_added_once_and_one_that_lacks_the_row_leaves_it(self):
        row = whole({"schema": 2, "rows": [{"variant": "a", "time_ms": {"median": 2, "p25": 2, "p75": 2, "samples": 30, "interval": [1, 3]},
                                            "bytes": 8, "gb_per_s": 4e-6}]})
        more = json.loads(json.dumps(row))
        more["rows"][0]["time_ms"]["median"] = 8
        for _ in range(2):
            rounds.merge(row, more, 2)
        self.assertEqual(rounds.merge(row, {**more, "rows": []}, 3), 0)
        time = row["rows"][0]["time_ms"]
        self.assertEqual(time["rounds"]["round"], [1, 2])
        self.assertAlmostEqual(time["median"], 4)  # the geometric mean
        self.assertLess(time["interval"][0], 1)
        self.assertEqual(row["rows"][0]["gb_per_s"], 8 / (time["median"] * 1e6))


class Record(ToolTest):
    """With a chapter and a profiler of our own, which say what the tool has to find."""

    # What it takes follows from the round and the variant, and not from how often it was called.
    CHAPTER = textwrap.dedent("""\
        #!{python}
        import json, pathlib, sys, time
        arguments = sys.argv[1:]
        if "--list" in arguments:
            print("fast  threads 256, n 64\\nlink  n 64")
            sys.exit(0)
        n = next((2**power for power in (30, 28, 26) if f"2^{{power}}" in arguments), 64)
        timed = "--launch-once" not in arguments
        number = int(arguments[arguments.index("--round") + 1]) if "--round" in arguments else 1
        if timed:
            with (pathlib.Path(sys.argv[0]).parents[1] / "log").open("a") as file:
                print(pathlib.Path(sys.argv[0]).name, *arguments, file=file)
            time.sleep({seconds})
        def row(variant, cache):
            ms = 1 + 0.01 * number + len(variant) / 100
            time = {{"median": ms, "p25": ms, "p75": ms, "min": ms, "samples": 30, "retries": 0,
                    "interval": [ms - 0.01, ms + 0.01], "stop": "interval"}}
            gpu = {{"sm_mhz": 1980 - number, "clock_reasons": 4, "celsius": 50, "watts": 600.5}}
            return {{"variant": variant, "task": "add", "parameters": {{"n": n}}, "library": False, "cache": cache, "bytes": 4 * n,
                    "in_l2": False, "counts": None, "verified": None if number > 1 else True, "gpu": gpu,
                    "time_ms": time if timed else None, "gb_per_s": 4 * n / ms / 1e6 if timed else None,
                    "share_of_peak": 0.5, "share_of_copy": None}}
        chosen = [word for before, word in zip(arguments, arguments[1:]) if before == "--variant"]
        rows = [row(name, cache) for name, cache in (("fast", "cold"), ("link", None)) if not chosen or name in chosen]
        environment = {{"commit": "{commit}", "clocks": {{"before": 1, "after": n}}}}
        with open(arguments[arguments.index("--json") + 1], "w") as file:
            json.dump({{"schema": 2, "chapter": "{name}", "options": {{"n": n, "devices": {devices}}}, "environment": environment, "rows": rows,
                       "device": {{"name": "Card", "card": "{card}", "peak_gb_per_s": 4000, "copy_gb_per_s": 3000 + number}}}}, file)
        sys.exit({status})
        """)
    SMI = "#!{python}\nprint('700.00, Enabled, 00000000:19:00.0')\n"
    # Peers of chapter 28: one row, whose mode is chosen in the first round.
    PEERS = textwrap.dedent("""\
        #!{python}
        import json, pathlib, sys, time
        table, names = pathlib.Path(sys.argv[3]), sys.argv[4:]
        before = [row["parameters"].get("mode") for rows in json.loads(table.read_text()).values() for row in rows]
        with (pathlib.Path(sys.argv[0]).parents[1] / "log").open("a") as file:
            print("peers", *names, "chosen" if "best" in before else "all", file=file)
        time.sleep({seconds})
        ms = 2.5 if "best" in before else 2.0
        time = {{"median": ms, "p25": ms, "p75": ms, "min": ms, "samples": 30, "retries": 0, "interval": [ms, ms], "stop": "interval"}}
        row = {{"variant": "torch", "task": "add", "parameters": {{"mode": "best"}}, "library": True, "cache": "cold", "bytes": 4, "time_ms": time,
               "gb_per_s": 1.0, "share_of_peak": None, "share_of_copy": None, "in_l2": False, "counts": None, "verified": True}}
        table.write_text(json.dumps({{name: [row] for name in names}}))
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

    def prepare(self, fails=0, stray=False, counts=True, card="0123abcd", commit="abc", names=("05_float4",), devices=1, seconds=0):
        for name in names:
            self.program(f"bin/{name}", self.CHAPTER, status=fails, card=card, commit=commit, name=name, devices=devices, seconds=seconds)
        self.program("tools/nvidia-smi", self.SMI)
        self.program("tools/python3", self.PEERS, seconds=seconds)
        self.program("tools/ncu", self.PROFILER, stray=stray, counts=counts)
        return {**os.environ, "PATH": f"{self.folder / 'tools'}:{os.environ['PATH']}"}

    def record(self, *options, status=0, **made):
        return self.tool("record", self.folder / "bin", self.folder / "out", *options, status=status, env=self.prepare(**made))

    def written(self, name="05_float4"):
        return json.loads((self.folder / f"out/{name}.json").read_text())

    def processes(self):
        """What was called to be timed."""
        log = self.folder / "log"
        return log.read_text().splitlines() if log.exists() else []

    def count(self, **outcome):
        """The counters, of a chapter whose times are recorded."""
        self.record()
        return self.record("--counters", **outcome)

    def test_it_merges_both_lengths_and_keeps_transfers_to_the_shorter(self):
        self.record("--rounds", "1")
        written = self.written()
        self.assertEqual([(r["variant"], r["parameters"]["n"]) for r in written["rows"]],
                         [("fast", 2**28), ("link", 2**28), ("fast", 2**30)])
        self.assertEqual(written["environment"]["clocks"]["after"], 2**30)

    def test_five_rounds_measure_a_row_and_the_interval_covers_them(self):
        self.record()
        # Round 1: 2^28, then 2^30.
        self.assertEqual(len(self.processes()), 6)
        for number, call in enumerate(self.processes()[2:], 2):
            self.assertIn(f"--round {number} --max-time 0.1 --cache cold --n 2^28", call)
        self.assertEqual(["--energy" in call for call in self.processes()], [False, False, True, False, False, False])
        fast, link, longer = self.written()["rows"]
        self.assertEqual((longer["parameters"]["n"], longer["time_ms"].get("rounds")), (2**30, None))
        for row in (fast, link):
            time = row["time_ms"]
            self.assertEqual(time["rounds"]["round"], [1, 2, 3, 4, 5])
            self.assertAlmostEqual(time["median"], statistics.geometric_mean(time["rounds"]["median"]))
            self.assertEqual(time["samples"], 150)
            low, high = time["interval"]
            far = 2.776 * statistics.stdev(map(math.log, time["rounds"]["median"])) / 5**0.5
            self.assertAlmostEqual(math.log(high / low), 2 * far, places=3)
            self.assertEqual(row["gb_per_s"], row["bytes"] / (time["median"] * 1e6))
            self.assertEqual(row["share_of_peak"], row["gb_per_s"] / 4000)
            self.assertEqual(time["rounds"]["sm_mhz"], [1979, 1978, 1977, 1976, 1975])
            self.assertIs(row["verified"], True)
        self.assertEqual(self.written()["device"]["copy_gb_per_s_of_rounds"], {str(n): 3000 + n for n in range(1, 6)})
        self.assertEqual(self.written()["environment"]["machine"]["power_limit_w"], 700)
        self.assertEqual(list(self.written()["environment"]["rounds"]), ["1", "2", "3", "4", "5"])

    def test_what_it_writes_keeps_to_the_schema(self):
        self.record("--rounds", "2")
        row, rule = self.written()["rows"][0], schema.schema()["definitions"]["row"]
        self.assertIsNone(schema.fault(row, rule))
        for wrong in ([-1], ["x"], 1, None):
            self.assertIsNotNone(schema.fault({**row, "time_ms": {**row["time_ms"], "rounds": {**row["time_ms"]["rounds"], "low": wrong}}}, rule))
        del row["time_ms"]["rounds"]["low"]
        self.assertIsNotNone(schema.fault(row, rule))

    def test_a_record_goes_on_where_it_was_stopped(self):
        outcome = self.record("--seconds", "0")
        self.assertIn("5 steps remain, from round 1 on: the same command continues.", outcome.stderr)
        self.assertFalse((self.folder / "out").exists())
        self.record("--rounds", "1")
        first = self.written()
        self.record()
        self.assertEqual(self.written()["rows"][0]["time_ms"]["rounds"]["median"][0], first["rows"][0]["time_ms"]["median"])
        calls = len(self.processes())
        self.record()
        self.assertEqual(len(self.processes()), calls)
        self.record("--again", "--rounds", "1")
        self.assertEqual(len(self.processes()), calls + 2)

    def results(self):
        """The files, without the seconds that each round took."""
        found = {}
        for path in sorted((self.folder / "out").glob("*.json")):
            found[path.name] = json.loads(path.read_text())
            found[path.name]["environment"]["rounds"] = sorted(found[path.name]["environment"]["rounds"])
        return found

    def test_interrupted_anywhere_and_continued_it_ends_with_the_same_files(self):
        names = ("05_float4", "08_constant_memory", "28_reduction")
        self.record("--rounds", "3", names=names)
        whole_record, calls = self.results(), len(self.processes())
        self.assertEqual(len(whole_record), 3)
        for path in (self.folder / "out").iterdir():
            path.unlink()
        (self.folder / "log").unlink()
        environment, statuses = self.prepare(names=names, seconds=0.2), []
        for interruption in (signal.SIGINT, signal.SIGKILL) * calls:
            before = len(self.processes())
            process = subprocess.Popen([sys.executable, "-B", "-m", "tools.results.record", self.folder / "bin", self.folder / "out", "--rounds", "3"],
                                       cwd=ROOT, env=environment, stderr=subprocess.DEVNULL, start_new_session=True)
            # One step is finished and the next one has begun.
            while process.poll() is None and len(self.processes()) < before + 2 + (before == 0):
                time.sleep(0.01)
            if process.poll() is None:
                os.killpg(process.pid, interruption)
            statuses.append(process.wait())
            if statuses[-1] == 0:
                break
        self.assertEqual(statuses[-1], 0)
        self.assertIn(130, statuses)
        self.assertIn(-signal.SIGKILL, statuses)
        self.assertEqual(self.results(), whole_record)

    def test_peers_are_measured_in_each_round_and_choose_in_the_first(self):
        self.record("--rounds", "3", names=("05_float4", "28_reduction"))
        peers = [call for call in self.processes() if call.startswith("peers")]
        self.assertEqual(peers, ["peers 28_reduction all", "peers 28_reduction chosen", "peers 28_reduction chosen"])
        torch = self.written("28_reduction")["rows"][-1]
        self.assertEqual((torch["variant"], torch["time_ms"]["rounds"]["median"]), ("torch", [2.0, 2.5, 2.5]))
        self.assertEqual([row["variant"] for row in self.written()["rows"]], ["fast", "link", "fast"])

    def test_chapters_come_in_another_order_in_each_round(self):
        names = [f"{number}_chapter" for number in range(11, 19)]
        self.record("--rounds", "3", names=names)
        orders = [[call.split()[0] for call in self.processes()[at:at + 8]] for at in (0, 8, 16)]
        self.assertEqual(orders[0], names)
        for order in orders[1:]:
            self.assertEqual(sorted(order), names)
        self.assertEqual(len(set(map(tuple, orders))), 3)

    def test_it_says_how_long_it_takes_by_what_a_record_took_before(self):
        self.assertIn("2 rows, of which 2 in every round; 0 only cold, because no page shows them hot. It takes about 0 minutes: round 1 0.0, round 2 0.0.",
                      self.record("--rounds", "2").stderr)
        results = self.written()
        results["environment"]["rounds"] = {"1": 600, "2": 60}
        self.write("out/05_float4.json", json.dumps(results))
        self.assertIn("It takes about 11 minutes: round 1 10.0, round 2 1.0.", self.record("--again", "--rounds", "2").stderr)

    def test_chapters_that_no_page_shows_hot_are_measured_cold_and_told(self):
        outcome = self.record("--rounds", "1", "--hot", "05_float4", names=("05_float4", "08_constant_memory"))
        self.assertIn("4 rows, of which 4 in every round; 2 only cold", outcome.stderr)
        for call in self.processes():
            self.assertIn("--cache both" if "05" in call and "2^28" in call else "--cache cold", call)

    def test_chapters_may_be_named_behind_options(self):
        self.record("--rounds", "1", "05_float4")
        self.record("--again", "--rounds", "1", "06_other", status=2)

    def test_chapters_of_several_gpus_lie_beside_and_go_on_as_others(self):
        for _ in range(2):
            self.record("--rounds", "2", names=["40_peer_copy"], devices=2)
        self.assertTrue((self.folder / "out-x2/40_peer_copy.json").exists())
        self.assertEqual(len(self.processes()), 2)

    def test_chapters_of_several_gpus_are_left_out_where_there_is_one(self):
        outcome = self.record("--rounds", "1", names=["40_peer_copy"])
        self.assertIn("40_peer_copy: skipped, it needs two GPUs", outcome.stderr)
        self.assertEqual(self.processes(), [])

    def test_cards_and_commits_are_not_mixed(self):
        self.record("--rounds", "2")
        for change in ({"card": "99999999"}, {"commit": "def"}):
            calls = len(self.processes())
            self.record("--rounds", "1", **change)
            self.assertEqual(len(self.processes()), calls + 2, change)
            self.assertNotIn("rounds", self.written()["rows"][0]["time_ms"])

    def test_programs_of_no_commit_are_told(self):
        self.assertIn("of commit abc-dirty: they could not be built again", self.record("--rounds", "1", commit="abc-dirty").stderr)
        self.assertNotIn("could not be built", self.record("--rounds", "1").stderr)

    def test_counters_are_summed_over_the_kernels_of_a_row_and_nothing_else(self):
        self.count()
        counters = json.loads((self.folder / "out/counters.json").read_text())
        small, large = counters["rows"]  # the second row launched no kernel
        self.assertEqual([row["parameters"]["n"] for row in (small, large)], [64, 2**26])
        self.assertEqual([row["large"] for row in (small, large)], [False, True])
        for row in (small, large):
            self.assertEqual(row["variant"], "fast")
            self.assertEqual((row["card"], row["commit"]), ("0123abcd", "abc"))
            self.assertEqual(row["kernels"], 2)
            self.assertEqual(row["counts"]["load_sectors"], 1200)
            self.assertEqual(row["counts"]["atomic_sectors"], 2400)  # of two counters
            self.assertEqual(row["hardware"]["registers_per_thread"], 600)

    def test_a_kernel_that_belongs_to_no_row_ends_the_recording(self):
        outcome = self.count(stray=True, status=1)
        self.assertIn("05_float4 has no flush(int)", outcome.stderr)
        self.assertFalse((self.folder / "out/counters.json").exists())

    def test_a_variant_whose_kernels_were_not_counted_ends_the_recording(self):
        outcome = self.count(counts=False, status=1)
        self.assertIn("05_float4: ncu counted no kernel of fast.", outcome.stderr)
        self.assertFalse((self.folder / "out/counters.json").exists())

    def test_counters_without_times_are_refused(self):
        outcome = self.record("--counters", status=1)
        self.assertIn("record the times of 05_float4 first", outcome.stderr)

    def test_counters_leave_the_times_and_other_chapters_counters(self):
        other = {"chapter": "04_async_memcpy", "variant": "memcpy"}
        self.write("out/counters.json", json.dumps({"rows": [other]}))
        self.count()
        times = (self.folder / "out/05_float4.json").read_text()
        self.record("--counters")
        self.assertEqual((self.folder / "out/05_float4.json").read_text(), times)
        counters = json.loads((self.folder / "out/counters.json").read_text())["rows"]
        self.assertEqual([row["chapter"] for row in counters],
                         ["04_async_memcpy", "05_float4", "05_float4"])

    def test_a_chapter_that_fails_leaves_the_old_results(self):
        self.write("out/05_float4.json", "old")
        outcome = self.record(fails=5, status=1)
        self.assertIn("status 5 from", outcome.stderr)
        self.assertEqual((self.folder / "out/05_float4.json").read_text(), "old")
        self.assertEqual([file.name for file in (self.folder / "out").iterdir()],
                         ["05_float4.json"])

    def test_without_a_profiler_it_says_what_is_missing(self):
        self.prepare()
        outcome = self.tool("record", self.folder / "bin", self.folder / "out", "--counters", status=3,
                            env={**os.environ, "PATH": str(self.folder)})
        self.assertIn("Nsight Compute is not installed", outcome.stderr)
