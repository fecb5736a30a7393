"""experiments/peers/torch_peers.py, without PyTorch: its statistics, its rows, and what it says where there is none."""

import json
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from experiments.peers import torch_peers
from experiments.peers.torch_peers import PEERS, empty_row, enclosing_rank, fastest_first, measured_row, take_samples, timing
from tools.results.record import with_shares
from tools.results.rounds import identity
from tools.results.schema import fault, schema

ROOT = Path(__file__).resolve().parents[2]
ROW = schema()["definitions"]["row"]
DEVICE = {"peak_gb_per_s": 4000, "copy_gb_per_s": 2000}


class StatisticsTest(unittest.TestCase):
    def test_the_interval_of_ten_samples_is_from_the_second_to_the_ninth(self):
        self.assertEqual(enclosing_rank(10), 2)  # P(no or one head in ten tosses) = 0.0107, with two 0.0547
        self.assertEqual(timing(range(1, 11), "interval")["interval"], [2, 9])
        self.assertEqual(enclosing_rank(5), 1)

    def test_quartiles_lie_between_neighbours(self):
        found = timing([4, 1, 3, 2], "interval")
        self.assertEqual([found[name] for name in ("min", "p25", "median", "p75")], [1, 1.75, 2.5, 3.25])

    def test_sampling_ends_when_the_median_is_known(self):
        self.assertEqual(take_samples(lambda: 1.0)["samples"], torch_peers.MIN_SAMPLES)

    def test_sampling_ends_when_the_time_is_spent(self):
        values, seconds = iter(range(1, 1000)), iter(range(1000))
        found = take_samples(lambda: float(next(values)), lambda: next(seconds) * 0.1)
        self.assertEqual(found["stop"], "max-time")
        self.assertGreaterEqual(found["samples"], torch_peers.FEWEST_SAMPLES)
        self.assertLess(found["samples"], torch_peers.MIN_SAMPLES)


class RowsTest(unittest.TestCase):
    def test_a_measured_row_is_a_library_row_of_the_schema(self):
        for peer in PEERS:
            row = measured_row(peer, "torch.compile", {"torch": "2", "triton": "3"}, timing([1.0] * 10, "interval"))
            shared, = with_shares([row], DEVICE)
            self.assertIsNone(fault(shared, ROW))
            self.assertTrue(shared["library"])
            self.assertAlmostEqual(shared["gb_per_s"], peer.moved / 1e6)
            self.assertAlmostEqual(shared["share_of_copy"], 2 * shared["share_of_peak"])

    def test_a_softmax_moves_each_of_its_elements_twice(self):
        peer = next(peer for peer in PEERS if peer.task == "softmax")
        self.assertEqual(peer.moved, 2 * 2 * 65536 * 4096)

    def test_tasks_are_those_of_the_chapter_of_rows(self):
        source = (ROOT / "chapters/33_rows/row_problem.hpp").read_text()
        for peer in PEERS:
            if peer.chapter == "33_rows":
                self.assertIn(f'"{peer.task}"', source)

    def test_the_fastest_choice_comes_first_and_one_without_a_time_last(self):
        slow, fast = (measured_row(PEERS[0], "torch.compile", {"mode": mode}, timing([ms] * 10, "interval"))
                      for mode, ms in (("default", 2.0), ("max-autotune", 1.0)))
        failed = empty_row(PEERS[0], "torch.compile", {"mode": "reduce-overhead"}, "its result is wrong")
        self.assertEqual(fastest_first([failed, slow, fast]), [fast, slow, failed])

    def test_a_later_round_measures_what_the_first_chose(self):
        peer, measured = PEERS[3], []

        def measure(peer, torch, variant, choice, versions):
            measured.append(choice)
            return measured_row(peer, variant, versions, timing([len(measured)] * 10, "interval"))
        with unittest.mock.patch.object(torch_peers, "row_of", measure):
            first = torch_peers.row_of_variant(peer, None, {"torch": "2"}, "torch.compile")
            self.assertEqual(measured, list(torch_peers.MODES))
            other = {**first, "task": "norm", "parameters": {"mode": "max-autotune"}}
            again = torch_peers.row_of_variant(peer, None, {"torch": "2"}, "torch.compile", [other, first])
        self.assertEqual(measured[len(torch_peers.MODES):], [first["parameters"]["mode"]])
        self.assertEqual(identity(again), identity(first))

    def test_each_function_in_triton_is_there(self):
        source = (ROOT / "experiments/peers/triton_peers.py").read_text()
        for peer in PEERS:
            if peer.triton:
                self.assertIn(f"\ndef {peer.triton}(x", source)


class WithoutTorchTest(unittest.TestCase):
    def test_every_row_says_that_it_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            # A module that cannot be imported stands before any that can.
            (Path(folder) / "torch.py").write_text("raise ImportError('none')\n")
            table = Path(folder) / "peers.json"
            subprocess.run([sys.executable, "-m", "experiments.peers.torch_peers", str(table), "33_rows"], cwd=ROOT,
                           env={"PYTHONPATH": folder}, check=True)
            rows = json.loads(table.read_text())
        self.assertEqual(list(rows), ["33_rows"])
        self.assertEqual(len(rows["33_rows"]), 9)
        for row in with_shares(rows["33_rows"], DEVICE):
            self.assertIsNone(fault(row, ROW))
            self.assertEqual(row["note"], torch_peers.MISSING)
            self.assertIsNone(row["time_ms"])

    def test_without_a_file_it_says_how_it_is_called(self):
        self.assertEqual(torch_peers.main([]), 2)
