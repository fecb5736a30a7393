"""tools/results/record.py, with a chapter, a profiler and an nvidia-smi of our own; and what several processes make."""

import json
import os
import stat
import sys
import textwrap
import unittest

from tests.script.test_compare import ToolTest
from tools.results.processes import resampled


class Processes(unittest.TestCase):
    def test_the_interval_of_one_process_is_its_own(self):
        self.assertEqual(resampled([[1.0, 0.9, 1.2]]), [0.9, 1.2])

    def test_processes_that_disagree_widen_it_and_those_that_agree_do_not(self):
        low, high = resampled([[1.00, 0.999, 1.001], [1.02, 1.019, 1.021], [1.01, 1.009, 1.011]])
        self.assertLess(low, 1.003)
        self.assertGreater(high, 1.017)
        low, high = resampled([[1.00, 0.99, 1.01]] * 3)
        self.assertLess(high - low, 0.02)

    def test_the_same_processes_give_the_same_interval(self):
        found = [[1.00, 0.99, 1.01], [1.02, 1.01, 1.03]]
        self.assertEqual(resampled(found), resampled(found))


class Record(ToolTest):
    """With a chapter and a profiler of our own, which say what the tool has to find."""

    # Each process of it takes 1 ms longer than the one before.
    CHAPTER = textwrap.dedent("""\
        #!{python}
        import json, pathlib, sys, time
        arguments = sys.argv[1:]
        if "--list" in arguments:
            print("fast  threads 256, n 64\\nlink  n 64")
            sys.exit(0)
        n = next((2**power for power in (30, 28, 26) if f"2^{{power}}" in arguments), 64)
        log = pathlib.Path(sys.argv[0]).parents[1] / "log"
        timed = "--launch-once" not in arguments
        asked = pathlib.Path(sys.argv[0]).parents[1] / "tools/asked"
        before = len(log.read_text().splitlines()) if log.exists() else 0
        for _ in range(1000):  # until nvidia-smi watches
            if not timed or asked.exists() and len(asked.read_text()) > before:
                break
            time.sleep(0.01)
        if timed:
            with log.open("a") as file:
                print(*arguments, file=file)
        started = len(log.read_text().splitlines()) if log.exists() else 0
        def row(variant, cache):
            time = {{"median": started, "p25": started, "p75": started, "min": started, "samples": 30, "retries": 0,
                    "interval": [started - 0.01, started + 0.01], "stop": "interval"}}
            return {{"variant": variant, "parameters": {{"n": n}}, "library": False, "cache": cache, "bytes": 4 * n,
                    "time_ms": time if timed else None, "gb_per_s": 4 * n / started / 1e6 if timed else None,
                    "share_of_peak": 0.5, "share_of_copy": None}}
        chosen = [word for before, word in zip(arguments, arguments[1:]) if before == "--variant"]
        rows = [row(name, cache) for name, cache in (("fast", "cold"), ("link", None)) if not chosen or name in chosen]
        environment = {{"commit": "{commit}", "clocks": {{"before": 1, "after": n}}}}
        with open(arguments[arguments.index("--json") + 1], "w") as file:
            json.dump({{"schema": 2, "chapter": "{name}", "options": {{"n": n, "devices": {devices}}}, "environment": environment, "rows": rows,
                       "device": {{"name": "Card", "card": "{card}", "peak_gb_per_s": 4000}}}}, file)
        sys.exit({status})
        """)
    # What it says of the clocks are the lines of a file, one for each time that it is asked.
    SMI = textwrap.dedent("""\
        #!{python}
        import pathlib, sys, time
        if "-lms" not in sys.argv:
            print("700.00, Enabled, 00000000:19:00.0")
            sys.exit(0)
        reasons = pathlib.Path(sys.argv[0]).with_name("reasons")
        said, *left = reasons.read_text().splitlines() or ["0x0"]
        reasons.write_text("\\n".join(left))
        print(f"{{said}}, 1980, 400.00", flush=True)
        with reasons.with_name("asked").open("a") as file:
            file.write(".")
        time.sleep(60)
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

    def record(self, *options, status=0, stray=False, counts=True, card="0123abcd", commit="abc", reasons=(),
               name="05_float4", devices=1):
        self.program(f"bin/{name}", self.CHAPTER, status=status, card=card, commit=commit, name=name, devices=devices)
        self.program("tools/nvidia-smi", self.SMI)
        # Peers, which are those of all chapters where none is named.
        self.program("tools/python3", "#!{python}\nimport pathlib, sys\n"
                     "rows = '{{}}' if sys.argv[4:] else '{{\"28_reduction\": []}}'\n"
                     "pathlib.Path(sys.argv[3]).write_text(rows)\n")
        self.write("tools/reasons", "\n".join(reasons))
        self.program("tools/ncu", self.PROFILER, stray=stray, counts=counts)
        path = f"{self.folder / 'tools'}:{os.environ['PATH']}"
        return self.tool("record", self.folder / "bin", self.folder / "out", *options,
                         env={**os.environ, "PATH": path})

    def written(self):
        return json.loads((self.folder / "out/05_float4.json").read_text())

    def processes(self):
        """What the chapter was called with, to be timed."""
        return (self.folder / "log").read_text().splitlines()

    def count(self, **outcome):
        """The counters, of a chapter whose times are recorded."""
        self.assertEqual(self.record().returncode, 0)
        return self.record("--counters", **outcome)

    def test_it_merges_both_lengths_and_keeps_transfers_to_the_shorter(self):
        self.assertEqual(self.record("--processes", "1").returncode, 0)
        written = self.written()
        self.assertEqual([(r["variant"], r["parameters"]["n"]) for r in written["rows"]],
                         [("fast", 2**28), ("link", 2**28), ("fast", 2**30)])
        self.assertEqual(written["environment"]["clocks"]["after"], 2**30)

    def test_three_processes_measure_a_row_and_the_interval_covers_them(self):
        outcome = self.record()
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        # Process 1: 2^28, then 2^30. Then twice each variant alone, because there are two of them.
        self.assertEqual(len(self.processes()), 6)
        for call in self.processes()[2:]:
            self.assertIn("--usual --cache cold --n 2^28 --variant", call)
        fast, link, longer = self.written()["rows"]
        self.assertEqual((longer["parameters"]["n"], longer["time_ms"].get("processes")), (2**30, None))
        for row in (fast, link):
            found = [median for median, *_ in row["time_ms"]["processes"]]
            self.assertEqual(len(found), 3)
            self.assertEqual(row["time_ms"]["median"], sorted(found)[1])
            self.assertEqual(row["time_ms"]["samples"], 90)
            low, high = row["time_ms"]["interval"]
            self.assertAlmostEqual(low, min(found), delta=0.05)
            self.assertAlmostEqual(high, max(found), delta=0.05)
            self.assertEqual(row["gb_per_s"], row["bytes"] / (row["time_ms"]["median"] * 1e6))
            self.assertEqual(row["share_of_peak"], row["gb_per_s"] / 4000)
        self.assertEqual(self.written()["environment"]["processes"], 3)
        self.assertEqual(self.written()["environment"]["machine"]["power_limit_w"], 700)

    def test_a_record_goes_on_where_it_was_stopped(self):
        outcome = self.record("--seconds", "0")
        self.assertIn("No time was left for 1 of 1 chapters: the same command goes on.", outcome.stderr)
        self.assertFalse((self.folder / "out").exists())
        self.record("--processes", "1")
        first = self.written()
        outcome = self.record()
        self.assertIn("05_float4: recorded before", outcome.stderr)
        self.assertEqual(self.written()["rows"][0]["time_ms"]["processes"][0][0], first["rows"][0]["time_ms"]["median"])
        calls = len(self.processes())
        self.record()
        self.assertEqual(len(self.processes()), calls)
        self.record("--again", "--processes", "1")
        self.assertEqual(len(self.processes()), calls + 2)

    def test_chapters_may_be_named_behind_options(self):
        self.assertEqual(self.record("--processes", "1", "05_float4").returncode, 0)
        self.assertEqual(self.record("--again", "--processes", "1", "06_other").returncode, 2)

    def test_chapters_of_several_gpus_lie_beside_and_have_no_peers(self):
        outcome = self.record("--processes", "1", name="40_peer_copy", devices=2)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertTrue((self.folder / "out-x2/40_peer_copy.json").exists())

    def test_cards_and_commits_are_not_mixed(self):
        self.record("--processes", "1")
        for change in ({"card": "99999999"}, {"commit": "def"}):
            calls = len(self.processes())
            self.record("--processes", "1", **change)
            self.assertEqual(len(self.processes()), calls + 2, change)

    def test_programs_of_no_commit_are_told(self):
        self.assertIn("of commit abc-dirty: nobody can build them again", self.record("--processes", "1", commit="abc-dirty").stderr)
        self.assertNotIn("nobody can build", self.record("--processes", "1").stderr)

    def test_a_process_whose_card_held_its_clocks_is_thrown_away_once(self):
        outcome = self.record("--processes", "1", reasons=["0x0000000000000020"])
        self.assertIn("thrown away, because the GPU held its clocks down: 1.", outcome.stderr)
        self.assertEqual(len(self.processes()), 3)
        self.assertEqual(self.written()["environment"]["throttled"], 0)
        self.record("--again", "--processes", "1", reasons=["0x4"] * 4)
        self.assertEqual(self.written()["environment"]["throttled"], 1)
        self.record("--again", "--processes", "1", reasons=["0x1"])  # idle is no reason
        self.assertEqual(self.written()["environment"]["throttled"], 0)

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
        self.program("bin/05_float4", self.CHAPTER, status=0, card="", commit="", name="05_float4", devices=1)
        outcome = self.tool("record", self.folder / "bin", self.folder / "out", "--counters",
                            env={**os.environ, "PATH": str(self.folder)})
        self.assertEqual(outcome.returncode, 3)
        self.assertIn("Nsight Compute is not installed", outcome.stderr)
