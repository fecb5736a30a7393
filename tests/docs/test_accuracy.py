"""How far the modelled times and caches may be from what was measured, and that one notices."""

import dataclasses
import unittest
from pathlib import Path

from tests.folder import FolderTest
from tools.results import accuracy, cards, schema

ROOT = Path(__file__).resolve().parents[2]

RESULTS = ROOT / "book" / "results"


# The goal: factors between modelled and measured times, and how far apart two times must be for their order to count.
MEDIAN, NINTH_DECILE, APART = 1.025, 1.10, 1.15
# What is reached of that on the GPU of the record, another H200 than that of the constants.
NINTH_DECILE_REACHED = 1.11
# The share of rows whose cache figures are within their goal; the rest is for who fixes it.
ROWS_REACHED = 0.90

# Rows whose figures are farther from the counters than the goal allows, and why. A row that is beyond
# and not here is a fault, and so is one that is here and not beyond.
ORDER = ("how much of a line L1 has lost before its next load comes depends on the order in which warps run")
MERGING = ("which stores L1 merges depends on how many of them are in flight at the moment")
APART_IN_GRID = ("blocks that access the two halves of 64 bytes of DRAM are farther apart in the grid than half of the "
                 "sample is long")
REGISTERS = ("72 registers per thread leave three blocks to an SM, and L1 more room than next to the six that "
             "the model has")
POWER_OF_TWO = ("each lane has a row of its own, and rows begin a power of two of bytes apart: in one set of L1, it may be, which "
                "the model's has none of")
LONGER_VECTOR = "the counters are of a vector half as long as the modelled one, of which L1 keeps more"
ONE_OF_EIGHT = "of eight blocks one is traced, which does not show that they read one vector"
GIVEN_UP = ("the L2 gives up sectors that warps fill in parts at different times: they are read, written, and written again, "
            "which no rule of the model knows")
KEPT = "the L2 keeps more of what is written than its share of what passes"
JOINED = ("loads of several SMs for a line that is in flight are joined before they come to the L2: they are "
          "neither among its sectors nor among the hits of L1")
KNOWN = {
    "03_coarsening blocked_x2": ORDER,
    "03_coarsening blocked_x4": ORDER,
    "14_pitched_memory dense": ("blocks in the middle of the grid, where the sample is taken, have 16 rows per thread, and all "
                                "of them 15.5 on the average; and ") + MERGING,
    "15_alignment read_cg": "the kernel asks to pass L1 by (ld.global.cg), which the CPU device does not see",
    "16_data_layout aos": MERGING,
    "16_data_layout aligned": MERGING,
    "19_transpose diagonal_row": GIVEN_UP,
    "19_transpose unroll4_row": GIVEN_UP,
    "19_transpose diagonal_column": APART_IN_GRID,
    "20_transpose_tiles tile_tall": APART_IN_GRID + "; " + REGISTERS,
    "20_transpose_tiles tile_tall_aligned": APART_IN_GRID + "; " + REGISTERS,
    "32_matrix_vector thread_per_row": POWER_OF_TWO,
    "32_matrix_vector block_per_row": "; ".join((LONGER_VECTOR, ONE_OF_EIGHT, JOINED)),
    "32_matrix_vector split_rows": LONGER_VECTOR,
    "32_matrix_vector unsplit_rows": "; ".join((LONGER_VECTOR, JOINED)),
    "33_rows in_registers": KEPT,
    "33_rows once_in_registers": KEPT,
    "35_indexed_rows vector_per_thread": JOINED,
    "35_indexed_rows row_per_warp": JOINED,
    "35_indexed_rows row_per_group": JOINED,
    "35_indexed_rows row_per_group_hinted": JOINED,
}


def wrong_orders(chosen):
    """Pairs (slow, fast) of a chapter, with as many elements and bytes, whose measured times differ by
    more than 15 % and which the model has the wrong way round, farther apart than its own error."""
    return [(slow, fast) for slow in chosen for fast in chosen
            if (slow.chapter, slow.n, slow.bytes) == (fast.chapter, fast.n, fast.bytes)
            and slow.measured_ms > APART * fast.measured_ms
            and NINTH_DECILE * slow.modelled_ms <= fast.modelled_ms]


def missed(chosen):
    """Why the goal is not met, a sentence each."""
    found = accuracy.errors(chosen)
    reasons = [] if found.median <= MEDIAN and found.ninth_decile <= NINTH_DECILE_REACHED else [
        f"Half of all rows are within a factor of {found.median:.3f} (goal {MEDIAN}), nine of ten within "
        f"{found.ninth_decile:.3f} (goal {NINTH_DECILE}, reached {NINTH_DECILE_REACHED})."]
    reasons += [f"In {slow.chapter}, {slow.label} is slower than {fast.label} "
                f"({slow.measured_ms:.4g} and {fast.measured_ms:.4g} ms), and the model has it as "
                f"{slow.modelled_ms:.4g} and {fast.modelled_ms:.4g}."
                for slow, fast in wrong_orders(chosen)]
    return reasons


def cache_faults(chosen):
    """What is wrong with the cache figures, a sentence each: a row beyond the goal without a known reason,
    a reason without such a row, too many rows beyond the goal."""
    beyond = [row for row in chosen if row.beyond]
    faults = [f"{row.chapter}, {row.label}: " + ", ".join(
        f"{figure} is off by {row.error(figure):+.1%}" for figure in row.beyond) + ", and nobody knows why."
        for row in beyond if row.name not in KNOWN]
    faults += [f"{name} is among the known deviations and has none: take it off."
               for name in KNOWN if name not in {row.name for row in beyond}]
    if not chosen or len(beyond) > (1 - ROWS_REACHED) * len(chosen):
        faults.append(f"{len(beyond)} of {len(chosen)} rows have cache figures beyond the goal, which "
                      f"{ROWS_REACHED:.0%} have met so far.")
    return faults


def worse(row, factor):
    """The row with a modelled time that many times as long."""
    return dataclasses.replace(row, modelled={**row.modelled, "ms": factor * row.modelled["ms"]})


class GoalTest(unittest.TestCase):
    """The committed results keep what the book promises of the model, and worse ones do not."""

    @classmethod
    def setUpClass(cls):
        cls.rows, cls.caches = accuracy.rows(RESULTS), accuracy.cache_rows(RESULTS)

    def test_modelled_times_are_as_near_and_as_well_ordered_as_they_should_be(self):
        self.assertGreater(len(self.rows), 150)
        self.assertEqual(missed(self.rows), [])

    def test_programs_show_these_errors(self):
        shown = (ROOT / "common" / "model" / "model_errors.inc").read_text(encoding="utf-8")
        self.assertEqual(shown, accuracy.error_table(RESULTS),
                         "run python3 -m tools.results.accuracy >common/model/model_errors.inc")

    def test_first_errors_of_unseen_kernels_are_kept_for_good(self):
        kernels, refused = accuracy.unseen(RESULTS)
        found = accuracy.errors(kernels)
        self.assertEqual((found.rows, refused, round(found.median, 2), round(found.ninth_decile, 2)), (30, 0, 1.16, 1.74))

    def test_a_recorded_bandwidth_is_bytes_over_time(self):
        rows = [row for path in RESULTS.glob("nvidia*/[0-9c]*_*.json") for row in schema.read(path)["rows"] if row["gb_per_s"]]
        self.assertGreater(len(rows), 5000)
        self.assertEqual([row for row in rows if abs(row["bytes"] / row["time_ms"]["median"] / 1e6 / row["gb_per_s"] - 1) > 1e-9], [])

    def test_rows_are_chosen_by_the_bytes_that_they_move(self):
        records = [row for row in self.rows if row.chapter[:2] == "16" and "fields 8" in row.label]
        self.assertGreater(len(records), 0)  # 2^25 of them
        self.assertTrue(all(row.large for row in self.rows))
        small = accuracy.small_rows(RESULTS)
        self.assertGreater(len({row.chapter for row in small}), 1)
        self.assertFalse(any(row.large for row in small))

    def test_times_that_are_all_a_tenth_too_long_are_noticed(self):
        faults = missed([worse(row, 1.1) for row in self.rows])
        self.assertTrue(any("Half of all rows" in fault for fault in faults), faults)

    def test_an_eighth_of_the_rows_far_off_is_noticed(self):
        faults = missed([worse(row, 1 if i % 8 else 2) for i, row in enumerate(self.rows)])
        self.assertTrue(any("Half of all rows" in fault for fault in faults), faults)

    def test_two_variants_in_the_wrong_order_are_noticed(self):
        slow, fast = next((slow, fast) for slow in self.rows for fast in self.rows
                          if (slow.chapter, slow.n, slow.bytes) == (fast.chapter, fast.n, fast.bytes)
                          and slow.measured_ms > 1.5 * fast.measured_ms)
        swapped = {id(slow): dataclasses.replace(slow, modelled=fast.modelled),
                   id(fast): dataclasses.replace(fast, modelled=slow.modelled)}
        faults = missed([swapped.get(id(row), row) for row in self.rows])
        self.assertTrue(any(f"{slow.label} is slower than {fast.label}" in f for f in faults), faults)

    def test_each_row_with_cache_figures_far_from_the_counters_has_a_known_reason(self):
        self.assertGreater(len(self.caches), 150)
        self.assertEqual(cache_faults(self.caches), [])

    def test_a_cache_figure_that_nobody_can_explain_is_noticed(self):
        good = next(row for row in self.caches if row.name not in KNOWN and not row.beyond)
        for figure in ("l2_read_sectors", "l2_write_sectors", "dram_bytes_read", "dram_bytes_written"):
            if not good.modelled[figure]:
                continue
            bad = dataclasses.replace(good, modelled={**good.modelled, figure: 1.2 * good.modelled[figure]})
            faults = cache_faults([bad if row is good else row for row in self.caches])
            self.assertTrue(any(f"{figure} is off by" in fault for fault in faults), faults)

    def test_a_reason_without_a_row_is_noticed(self):
        name = next(iter(KNOWN))
        faults = cache_faults([row for row in self.caches if row.name != name])
        self.assertEqual([fault for fault in faults if "take it off" in fault],
                         [f"{name} is among the known deviations and has none: take it off."])

    def test_too_many_rows_beyond_are_noticed(self):
        beyond = [row for row in self.caches if row.beyond]
        self.assertTrue(any("rows have cache figures beyond" in fault
                            for fault in cache_faults(beyond)))


class DataSheetTest(unittest.TestCase):
    """A GPU of which only the data sheet is known."""

    def test_what_is_said_of_an_h100_is_what_its_record_found(self):
        found = accuracy.load(RESULTS / "nvidia-h100-80gb-hbm3" / "card.json")["error_of_data_sheet"]
        self.assertIn(f"for {found['rows']} rows timed on an H100: half within {100 * found['median']:.1f} %, "
                      f"90 % within {100 * found['ninth_decile']:.0f} %.", cards.doubt_of("H100"))


class JoinTest(FolderTest):
    """With a chapter of our own."""

    def setUp(self):
        super().setUp()
        self.modelled = [self.row("fast", 1024, modelled=self.model(1.0)),
                         self.row("slow", 1024, modelled=self.model(2.0)),
                         self.row("unknown", 1024, modelled=None)]
        self.measured = [self.row("fast", 2**28, "cold", 1.0), self.row("fast", 2**28, "hot", 0.5),
                         self.row("fast", 2**30, "cold", 4.0), self.row("slow", 2**28, "cold", 1.6),
                         self.row("unknown", 2**28, "cold", 1.0)]

    @staticmethod
    def row(variant, n, cache=None, ms=None, modelled=None, **parameters):
        return {"variant": variant, "parameters": {"n": n, **parameters}, "bytes": 4 * n, "cache": cache,
                "library": False, "verified": True, "time_ms": ms and {"median": ms},
                "modelled": modelled}

    @staticmethod
    def model(ms, limit="dram"):
        return {"card": "H200", "n": 2**28, "ms": ms, "limited_by": limit}

    def rows(self):
        for device, rows in (("cpu", self.modelled), ("nvidia-h200", self.measured)):
            self.write(f"{device}/05_own.json", {"chapter": "05_own", "rows": rows})
        return accuracy.rows(self.folder)

    def test_a_row_is_joined_at_the_size_that_was_modelled_and_cold(self):
        self.assertEqual([(row.label, row.n, row.modelled_ms / row.measured_ms) for row in self.rows()],
                         [("fast", 2**28, 1), ("slow", 2**28, 1.25)])

    def test_what_a_card_made_of_a_kernel_tells_no_rows_apart_but_parameters_do(self):
        self.modelled[0]["parameters"]["threads"] = 64
        self.assertEqual([row.label for row in self.rows()], ["slow"])
        self.measured[0]["parameters"].update(threads=64, registers=20, occupancy=0.5)
        self.assertEqual([row.label for row in self.rows()], ["fast (threads 64)", "slow"])

    def test_libraries_small_launches_and_rows_that_failed_are_left_out(self):
        self.measured[0]["library"] = True
        self.measured[3]["verified"] = False
        self.assertEqual(self.rows(), [])
        self.measured[3]["verified"] = True
        self.assertEqual([row.label for row in self.rows()], ["slow"])
        self.measured[3]["bytes"] = accuracy.LARGE - 1
        self.assertEqual(self.rows(), [])

    def test_a_modelled_timeline_of_transfers_is_no_kernel(self):
        self.modelled[0]["modelled"]["limited_by"] = None
        self.assertEqual([row.label for row in self.rows()], ["slow"])

    def test_two_modelled_times_for_one_row_are_an_error(self):
        self.modelled.append(self.row("fast", 2048, modelled=self.model(1.1)))
        with self.assertRaisesRegex(ValueError, "two rows fast"):
            self.rows()

    def test_an_even_number_has_its_median_between_two_rows_and_its_ninth_decile_in_one(self):
        row = self.rows()[0]
        found = accuracy.errors([worse(row, 1 + i / 100) for i in range(10)])
        self.assertEqual([round(x, 3) for x in (found.median, found.ninth_decile, found.largest)],
                         [1.045, 1.08, 1.09])
        self.assertIsNone(accuracy.errors([]))

    def test_times_within_15_percent_have_no_order(self):
        fast, slow = self.rows()
        alike = [dataclasses.replace(fast, modelled=slow.modelled),
                 dataclasses.replace(slow, measured_ms=1.14, modelled=fast.modelled)]
        self.assertEqual(wrong_orders(alike), [])
        alike[1] = dataclasses.replace(alike[1], measured_ms=1.16)
        self.assertEqual(wrong_orders(alike), [(alike[1], alike[0])])

    def test_what_stays_in_the_l2_is_a_smaller_share_of_a_larger_launch(self):
        hardware = {"l1_load_hit_sectors": 0, "l2_read_sectors": 8, "l2_write_sectors": 8,
                    "dram_bytes_read": 256e6, "dram_bytes_written": 236.5e6}
        counted = accuracy.scaled({"hardware": hardware, "parameters": {}}, 4)
        self.assertEqual(counted["l2_read_sectors"], 32)
        # Of 512 MB that pass half are dirty, so 39 / 2 MB are still there; of 2,048 MB likewise.
        self.assertAlmostEqual(counted["dram_bytes_written"], 4 * 256e6 - 19.5e6, delta=1e5)

    def test_what_a_table_read_at_random_finds_in_the_l2_is_as_much_in_a_larger_one(self):
        hardware = {"l1_load_hit_sectors": 0, "l2_read_sectors": 4e6, "l2_write_sectors": 0,
                    "dram_bytes_read": 112e6, "dram_bytes_written": 0}
        read = {indices: accuracy.scaled({"hardware": hardware, "parameters": {"indices": indices}}, 4)["dram_bytes_read"]
                for indices in ("random", "sorted")}
        self.assertEqual(read, {"random": 4 * 128e6 - 16e6, "sorted": 4 * 112e6})

    def test_what_the_kernel_before_has_left_to_write_says_nothing_of_a_kernel(self):
        def row(stored):
            counted = {"l1_hit_sectors": 0, "l2_read_sectors": 0, "l2_write_sectors": stored / 32,
                       "dram_bytes_read": 1e9, "dram_bytes_written": 1e8}
            return accuracy.CacheRow("30", "x", "30 x", {**counted, "dram_bytes_written": 1e6}, counted, 1)
        self.assertEqual(row(stored=1e6).beyond, [])
        self.assertEqual(row(stored=1e8).beyond, ["dram_bytes_written"])
