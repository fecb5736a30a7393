"""The facts of the page "Milliseconds without a GPU"."""

from tools.book.facts import *


def queue_of_addition(duration):
    """ns that the model has a load of the addition wait, where the whole takes so many ns: two of three bytes are read."""
    load = 12 * 2**28 / duration / device("peak_gb_per_s")
    return (machine("read_queue_ns") + 2 / 9 * machine("mixed_queue_ns")) * load / (1 - load)


page(
    "behind",
    needs="02 22",
    afterwards=[
        "say how a modelled time comes about, and for which kernels to distrust it",
        "estimate the time of a kernel by hand, from its blocks, sectors and bytes in flight",
    ],
)
model_blind_median = value(model_blind("median"), ".0%")
model_blind_ninth_decile = value(model_blind("ninth_decile"), ".0%")

# Once by hand

model_launch_rate = machine("launch_rate")
per_model_launch_rate_millions = value(2**28 / 256 / model_launch_rate / 1000000.0, ".2f")
per_stream_2_1_gb_millions = value(12 * 2**28 / gb("stream", chapter="24", mix="2:1") / 1000000.0, ".2f")
multiprocessors = device("multiprocessors")
model_block_ns = machine("block_ns")
model_dram_ns = machine("dram_ns")
model_block_ns_and_dram_ns = value(model_block_ns + model_dram_ns, ".0f")
places_blocks_least_time_ms = value(
    2**28 / 256 / (8 * multiprocessors) * model_block_ns_and_dram_ns / 1000000.0, ".2f"
)
basic_256_threads_ms = value(ms("basic", chapter="01", threads=256), ".2f")
rate_of_0_80_gb = value(12 * 2**28 / 800000.0, ",.0f")
peak = value(device("peak_gb_per_s"), ",.0f")
ms_here_over_peak = value(rate_of_0_80_gb / peak, ".2f")
model_read_queue_ns = value(machine("read_queue_ns"), ".0f")
model_mixed_queue_ns = value(machine("mixed_queue_ns"), ".0f")
weight_weight_queue = value(model_read_queue_ns + 2 / 9 * model_mixed_queue_ns, ".0f")
queue_of_addition_at_800000 = value(queue_of_addition(800000.0), ".0f")
ns_table_queue = value(model_block_ns_and_dram_ns + queue_of_addition_at_800000, ".0f")
places_times_life = value(2**20 / (8 * multiprocessors) * ns_table_queue / 1000000.0, ".2f")
per_peak = value(12 * 2**28 / 920000.0 / peak, ".2f")
queue_of_addition_at_920000 = value(queue_of_addition(920000.0), ".0f")
life_ns_0_92 = value(model_block_ns_and_dram_ns + queue_of_addition_at_920000, ".0f")
gives_ms_0_92 = value(2**20 / (8 * multiprocessors) * life_ns_0_92 / 1000000.0, ".2f")
load_at_1_00 = value(12 * 2**28 / 1000000.0 / peak, ".2f")
queue_of_addition_at_1000000 = value(queue_of_addition(1000000.0), ".0f")
life_ns_1_00 = value(model_block_ns_and_dram_ns + queue_of_addition_at_1000000, ".0f")
gives_ms_1_00 = value(2**20 / (8 * multiprocessors) * life_ns_1_00 / 1000000.0, ".2f")
basic_01_256_threads_modelled_ms = value(modelled("basic", chapter="01", threads=256), ".2f")
per_model_launch_rate_millions_2 = value(2**28 / 64 / model_launch_rate / 1000000.0, ".2f")
basic_64_threads_ms = value(ms("basic", chapter="02", threads=64), ".2f")

# The weight of the queue

copy_weight_ns = value(model_read_queue_ns + 1 / 4 * model_mixed_queue_ns, ".0f")
load_of_reads_at_0_70 = value(8 * 2**28 / 700000.0 / peak, ".2f")
queue_ns_0_70 = value(copy_weight_ns * load_of_reads_at_0_70 / (1 - load_of_reads_at_0_70), ".0f")
life_ns_0_70 = value(model_block_ns_and_dram_ns + queue_ns_0_70, ".0f")
gives_ms_0_70 = value(2**20 / (8 * multiprocessors) * life_ns_0_70 / 1000000.0, ".2f")
load_of_reads_at_0_77 = value(8 * 2**28 / 770000.0 / peak, ".2f")
queue_ns_0_77 = value(copy_weight_ns * load_of_reads_at_0_77 / (1 - load_of_reads_at_0_77), ".0f")
life_ns_0_77 = value(model_block_ns_and_dram_ns + queue_ns_0_77, ".0f")
gives_ms_0_77 = value(2**20 / (8 * multiprocessors) * life_ns_0_77 / 1000000.0, ".2f")
load_of_reads_at_0_85 = value(8 * 2**28 / 850000.0 / peak, ".2f")
queue_ns_0_85 = value(copy_weight_ns * load_of_reads_at_0_85 / (1 - load_of_reads_at_0_85), ".0f")
life_ns_0_85 = value(model_block_ns_and_dram_ns + queue_ns_0_85, ".0f")
gives_ms_0_85 = value(2**20 / (8 * multiprocessors) * life_ns_0_85 / 1000000.0, ".2f")
element_unit_4_modelled_ms = value(modelled("element", chapter="06", unit=4), ".2f")
element_ms = value(ms("element", chapter="06", unit=4, n=2**28), ".2f")
claim(
    "by hand a copy is right within five percent",
    level(gives_ms_0_77, element_ms, within=0.05),
    between(0.97, gives_ms_0_77 / 0.77, 1.03),
)
claim("a third of the bytes less is a sixth of the time", between(0.12, 1 - element_ms / basic_256_threads_ms, 0.2))
basic_table = table(
    "02_threads_per_block",
    where=lambda row: row.variant == "basic" and row.n == 2**28,
    every_size=True,
    columns="threads, ms, modelled, error",
)
claim(
    "a guess that is too short gives a longer time, one that is too long a shorter",
    at_least(places_times_life, 0.85),
    at_most(gives_ms_1_00, 0.95),
    level(gives_ms_0_92, basic_256_threads_ms, within=0.03),
)
claim(
    "an idle memory would be asked for more than it has",
    at_most(places_blocks_least_time_ms / (2**28 / peak / 1000000.0), 12),
)
claim(
    "none of the three bounds is the time",
    at_most(max(per_model_launch_rate_millions, per_stream_2_1_gb_millions) / basic_256_threads_ms, 0.9),
)
claim(
    "small blocks are limited by their launch",
    at_least(modelled("basic", chapter="02", threads=64) / modelled("basic", chapter="02", threads=256), 2),
)
claim(
    "the launch of blocks of 64 threads is their time",
    level(per_model_launch_rate_millions_2, basic_64_threads_ms, within=0.03),
)

# From a warp's requests to bytes of DRAM

model_l2_holds_mib = value(machine("l2_holds") / MiB, ".0f")
l2_bytes = device("l2_bytes")
l2_bytes_mib = value(l2_bytes / MiB, ".0f")
three_pairs_bytes_counted = value(
    counter("pitched", "dram_bytes_read", chapter="14", columns=33)
    / (counter("pitched", "n", chapter="14", columns=33) / 33),
    ".0f",
)
neighbours_x4_l2_write_sectors = counter("neighbours_x4", "l2_write_sectors", chapter="03", threads=256, large=True)
strided_x4_l2_write_sectors = counter("strided_x4", "l2_write_sectors", chapter="03", threads=256, large=True)
pairs_bytes_counted_times = value(neighbours_x4_l2_write_sectors / strided_x4_l2_write_sectors, ".1f")
neighbours_x4_loads_first_l2_write_sectors = counter(
    "neighbours_x4_loads_first", "l2_write_sectors", chapter="03", threads=256, large=True
)
loads_first_details = value(neighbours_x4_loads_first_l2_write_sectors / strided_x4_l2_write_sectors, ".1f")
l1_keeps_lines_128_counted = value(
    counter("in_registers", "l1_load_hit_sectors", chapter="33", large=True, result="norm", threads=128)
    / counter("in_registers", "load_sectors", chapter="33", large=True, result="norm", threads=128),
    ".1%",
)
store_queue_lines = constant("common/model/cache_model.cpp", "store_queue_lines")
few_lines = constant("common/model/cache_model.cpp", "few_lines")
same_warp = constant("common/model/cache_model.cpp", "same_warp")
behind_store_most_4_counted = value(
    counter("copy", "l2_write_sectors", chapter="claim_merges", words=4, stores=4, large=True)
    / (counter("copy", "n", chapter="claim_merges", words=4, stores=4, large=True) / 8),
    ".1f",
)
behind_store_most_4_claim_merges_records = value(
    counter("copy", "l2_write_sectors", chapter="claim_merges", words=8, stores=8, large=True)
    / (counter("copy", "n", chapter="claim_merges", words=8, stores=8, large=True) / 8),
    ".1f",
)
stores_other_warps_join_shows = value(
    ratio(count, "guarded_off_by_one", "guarded", "store_sectors", chapter="05", threads=256) - 1,
    ".0%",
)
stores_other_warps_join_counted = value(
    ratio(counter, "guarded_off_by_one", "guarded", "l2_write_sectors", chapter="05", threads=256, large=True) - 1,
    ".0%",
)
four_basic_n_minus_basic_dram_written = 4 * counter("basic", "n", chapter="01", large=True, threads=256) - counter(
    "basic", "dram_bytes_written", chapter="01", large=True, threads=256
)
l2_keeps_last_37_counted = value(four_basic_n_minus_basic_dram_written / MiB, ".0f")
given_up_early = value(constant("common/model/cache_model.cpp", "given_up_early"), ".0%")
copy_row_store_sectors = counter("copy_row", "store_sectors", chapter="19", large=True)
copy_row_dram_read = counter("copy_row", "dram_bytes_read", chapter="19", large=True)
sector_several_fill_may_counted = value(
    (counter("naive_row", "dram_bytes_read", chapter="19", large=True) - copy_row_dram_read)
    / 32
    / copy_row_store_sectors,
    ".0%",
)
diagonal_row_merged = value(
    (counter("diagonal_row", "dram_bytes_read", chapter="19", large=True) - copy_row_dram_read)
    / 32
    / copy_row_store_sectors,
    ".0%",
)
unroll4_row_counted = value(
    (counter("unroll4_row", "dram_bytes_read", chapter="19", large=True) - copy_row_dram_read)
    / 32
    / copy_row_store_sectors,
    ".0%",
)
claim(
    "stores to few lines are mostly merged, to many hardly",
    at_most(behind_store_most_4_counted, 1.5),
    at_most(
        counter("put", "l2_write_sectors", chapter="claim_merges", words=4, stores=4, large=True)
        / (counter("put", "n", chapter="claim_merges", words=4, stores=4, large=True) / 8),
        1.1,
    ),
    more(behind_store_most_4_claim_merges_records, 5),
    at_least(
        counter("copy", "l2_write_sectors", chapter="claim_merges", words=16, stores=16, large=True)
        / (counter("copy", "n", chapter="claim_merges", words=16, stores=16, large=True) / 8),
        7.5,
    ),
    at_least(
        counter("put", "l2_write_sectors", chapter="claim_merges", words=16, stores=16, large=True)
        / (counter("put", "n", chapter="claim_merges", words=16, stores=16, large=True) / 8),
        7.5,
    ),
)
claim(
    "stores between loads are hardly merged, stores in a row mostly",
    at_least(neighbours_x4_l2_write_sectors / neighbours_x4_loads_first_l2_write_sectors, 2),
)
four_float4_n_minus_float4_dram_written = 4 * counter("float4", "n", chapter="05", large=True, threads=256) - counter(
    "float4", "dram_bytes_written", chapter="05", large=True, threads=256
)
claim(
    "what is yet to be written is more after the faster kernel, and less than the L2",
    less(1.2 * four_basic_n_minus_basic_dram_written, four_float4_n_minus_float4_dram_written),
    less(four_float4_n_minus_float4_dram_written, l2_bytes),
)
claim(
    "the share that the model gives up lies between the fewest and the most",
    ascending(sector_several_fill_may_counted, given_up_early, unroll4_row_counted),
)
claim(
    "warps that wait for the same lines keep their sectors",
    at_most(counter("copy_column", "dram_bytes_read", chapter="19", large=True) / copy_row_dram_read, 1.03),
)
kept_lines = value(constant("common/model/l2_of_grid.cpp", "kept_lines"), ".0%")

# Each wait for loads lengthens the life of a block

queue_of_addition_at_850000 = value(queue_of_addition(850000.0), ".0f")
ns_life_block_all = value(model_block_ns + 4 * (model_dram_ns + queue_of_addition_at_850000), ".0f")
all_blocks_ms = value(2**18 / (8 * multiprocessors) * ns_life_block_all / 1000000.0, ".2f")
ms_gives_gives = value(
    2**18 / (8 * multiprocessors) * (model_block_ns_and_dram_ns + queue_of_addition(700000.0)) / 1000000.0, ".2f"
)
ms_gives_gives_gives = value(
    2**18 / (8 * multiprocessors) * (model_block_ns_and_dram_ns + queue_of_addition(710000.0)) / 1000000.0, ".2f"
)
claim(
    "by hand four phases are right within five percent",
    level(all_blocks_ms, ms("strided_x4", chapter="03", threads=256), within=0.05),
)
claim(
    "of one phase a guess of 0.70 gives more and one of 0.71 less, a fifth apart, and DRAM needs more than either guess",
    at_least(ms_gives_gives, 0.72),
    at_most(ms_gives_gives_gives, 0.7),
    between(0.15, 1 - ms_gives_gives_gives / ms_gives_gives, 0.25),
    at_least(per_stream_2_1_gb_millions, 0.715),
)
claim(
    "one phase leaves the time to DRAM",
    at_most(2**18 / (8 * multiprocessors) * model_block_ns_and_dram_ns / 1000000.0 / per_stream_2_1_gb_millions, 0.5),
)
wait_loads_lengthens_life_table = table(
    "03_coarsening",
    where=lambda row: row.variant in ("strided_x4", "strided_x4_loads_first")
    and row.n == 2**28
    and (row.threads == 256),
    every_size=True,
    columns="variant, ms, modelled, error",
)
claim(
    "the model tells what waits from what does not",
    at_least(
        ratio(modelled, "strided_x4", "strided_x4_loads_first", chapter="03", threads=256),
        1.1,
    ),
)
unrolled = constant("common/model/l2_of_grid.hpp", "unrolled")

# The largest of all is the time

model_launch_ns = value(machine("launch_ns") / 1000, ".1f")

# How near it comes

model_error_ninth_decile_unseen = value(model_error("ninth_decile", half="unseen"), ".1%")
model_small_ninth_decile = value(model_small("ninth_decile"), ".0%")
model_error_median = model_error("median")
model_goal_median = model_goal("MEDIAN")
model_goal_ninth_decile = model_goal("NINTH_DECILE")
claim(
    "half of all rows are within five percent, nine of ten within fifteen",
    at_most(model_error_median, model_goal_median),
    at_most(model_error("ninth_decile"), model_goal_ninth_decile),
)
claim(
    "what played no part is as near",
    at_most(model_error("median", half="unseen"), model_goal_median),
    at_most(model_error_ninth_decile_unseen, model_goal_ninth_decile),
)
claim("most rows played a part", less(model_error("rows", half="unseen"), model_error("rows", half="fitted")))
claim("small launches are farther off", at_least(model_small("median") / model_error_median, 2))
claim("no pair is the wrong way round", equal(model_wrong_orders(), 0))
claim(
    "the model has the gather behind the scatter, as measured",
    at_least(
        ratio(modelled, "gather", "scatter", chapter="17", element_bytes=4, indices="in order"),
        1.15,
    ),
    faster(
        gb("scatter", chapter="17", element_bytes=4, indices="in order"),
        gb("gather", chapter="17", element_bytes=4, indices="in order"),
    ),
)
stream_1_gb = gb("stream", chapter="24", mix="1:1")
off_whole = value(
    abs(
        modelled("managed_read_mostly", chapter="13", phase="total", n=2**24)
        / ms("managed_read_mostly", chapter="13", phase="total", n=2**24)
        - 1
    ),
    ".0%",
)

# Kernels that it had never seen

per_model_blind_ninth_decile = value(1 / (1 + model_blind_ninth_decile), ".1f")
per_rest_of_model_blind_ninth_decile = value(1 / (1 - model_blind_ninth_decile), ".1f")
factor_between = value((1 + model_blind_ninth_decile) / (1 - model_blind_ninth_decile), ".1f")
claim("at first sight it was worse than for the book's kernels", at_least(model_blind_median / model_error_median, 2))
claim(
    "mechanisms halved the error of the first set", at_most(model_sight("ninth_decile") / model_blind_ninth_decile, 0.6)
)

# How near the caches come

model_cache_rows = model_cache("rows")
model_cache_rows_minus_beyond = model_cache_rows - model_cache("beyond")
model_cache_share = value(model_cache("share"), ".0%")
model_goal_sectors = value(model_goal("SECTORS"), ".0%")
model_goal_dram = value(model_goal("DRAM"), ".0%")

# Your own card

record_afterwards_h100_rows = card_error("rows", "nvidia-h100-80gb-hbm3", blind=True)
half_modelled_within_nine = value(card_error("median", "nvidia-h100-80gb-hbm3", blind=True), ".1%")
nine_ten_within_data = value(card_error("ninth_decile", "nvidia-h100-80gb-hbm3", blind=True), ".0%")
calibrated_dram_ns = value(calibrated("dram_ns"), ".0f")
card_error_median_nvidia_h100_80gb_hbm3 = value(card_error("median", "nvidia-h100-80gb-hbm3"), ".1%")
card_error_ninth_decile_nvidia_h100_80gb = value(card_error("ninth_decile", "nvidia-h100-80gb-hbm3"), ".0%")
claim(
    "the formulas find again what was found by hand",
    less(abs(calibrated_dram_ns / model_dram_ns - 1), 0.05),
    less(abs(calibrated("block_ns") / model_block_ns - 1), 0.05),
    less(abs(calibrated("l2_ns") / machine("l2_ns") - 1), 0.05),
    less(abs(calibrated("launch_rate") / model_launch_rate - 1), 0.05),
)
claim(
    "calibrated, an H100 is modelled within the goal",
    at_most(card_error_median_nvidia_h100_80gb_hbm3, 0.04),
    at_most(card_error_ninth_decile_nvidia_h100_80gb, 0.12),
)

# What it cannot know

claim("a factor of three may be error alone, and five is more than two errors", between(3, factor_between, 5))
claim(
    "a copy byte by byte takes five times as long, measured and modelled",
    between(4.5, ratio(gb, "word16", "element", chapter="06", unit=1, n=2**30), 5.5),
    between(
        4.5,
        ratio(modelled, "element", "word16", chapter="06", unit=1, n=2**30),
        5.5,
    ),
)
model_registers_kernels = model_registers("kernels")
model_registers_fewer = model_registers("fewer")
measured_slowest_bandwidth = value(
    1
    - gb("copy_ordered", chapter="27", streams=1024, window=1) / gb("copy_ordered", chapter="27", streams=1, window=1),
    ".0%",
)
claim(
    "orders of blocks have one modelled time",
    equal(
        modelled("copy_ordered", chapter="27", streams=1024, window=1),
        modelled("copy_ordered", chapter="27", streams=1, window=1),
    ),
)
