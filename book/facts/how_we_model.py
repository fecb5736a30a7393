"""The facts of the page "The performance model: estimating kernel time without a GPU"."""

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
unseen_median = value(model_error("median"), ".1f")
unseen_ninth_decile = value(model_error("ninth_decile"), ".1f")
unseen_rows = model_error("rows")

event_median = value(event_driven("median"), ".2f")
event_ninth_decile = value(event_driven("ninth_decile"), ".2f")
model_median = value(model_error("median"), ".2f")
model_ninth_decile = value(model_error("ninth_decile"), ".2f")
claim("an event-driven simulation is no nearer", more(event_driven("ninth_decile"), model_error("ninth_decile")))

# Once by hand

model_launch_rate = machine("launch_rate")
per_model_launch_rate = value(2**28 / 256 / model_launch_rate / 1000000.0, ".2f")
per_stream_2_1_gb = value(12 * 2**28 / gb("stream", chapter="24", mix="2:1") / 1000000.0, ".2f")
multiprocessors = device("multiprocessors")
model_block_ns = machine("block_ns")
model_dram_ns = machine("dram_ns")
model_block_ns_and_dram_ns = value(model_block_ns + model_dram_ns, ".0f")
least_time_ms = value(
    2**28 / 256 / (8 * multiprocessors) * model_block_ns_and_dram_ns / 1000000.0, ".2f"
)
basic_256_threads_ms = value(ms("basic", chapter="01", threads=256), ".2f")
rate_of_0_80_gb = value(12 * 2**28 / 800000.0, ",.0f")
peak = value(device("peak_gb_per_s"), ",.0f")
ms_here_over_peak = value(rate_of_0_80_gb / peak, ".2f")
model_read_queue_ns = value(machine("read_queue_ns"), ".0f")
model_mixed_queue_ns = value(machine("mixed_queue_ns"), ".0f")
weight_weight_queue = value(model_read_queue_ns + 2 / 9 * model_mixed_queue_ns, ".0f")
queue_at_800000 = value(queue_of_addition(800000.0), ".0f")
ns_table_queue = value(model_block_ns_and_dram_ns + queue_at_800000, ",.0f")
places_times_life = value(2**20 / (8 * multiprocessors) * ns_table_queue / 1000000.0, ".2f")
per_peak = value(12 * 2**28 / 920000.0 / peak, ".2f")
queue_at_920000 = value(queue_of_addition(920000.0), ".0f")
life_ns_0_92 = value(model_block_ns_and_dram_ns + queue_at_920000, ",.0f")
gives_ms_0_92 = value(2**20 / (8 * multiprocessors) * life_ns_0_92 / 1000000.0, ".2f")
load_at_1_00 = value(12 * 2**28 / 1000000.0 / peak, ".2f")
queue_at_1000000 = value(queue_of_addition(1000000.0), ".0f")
life_ns_1_00 = value(model_block_ns_and_dram_ns + queue_at_1000000, ",.0f")
gives_ms_1_00 = value(2**20 / (8 * multiprocessors) * life_ns_1_00 / 1000000.0, ".2f")
basic_01_256_modelled_ms = value(modelled("basic", chapter="01", threads=256), ".2f")
launch_of_64_ms = value(2**28 / 64 / model_launch_rate / 1000000.0, ".2f")
basic_64_threads_ms = value(ms("basic", chapter="02", threads=64), ".2f")

# The weight of the queue

claim(
    "a guess that is too short gives a longer time, one that is too long a shorter",
    at_least(places_times_life, 0.85),
    at_most(gives_ms_1_00, 0.95),
    level(gives_ms_0_92, basic_256_threads_ms, within=0.03),
)
claim(
    "an idle memory would be requested more than it has",
    at_most(least_time_ms / (2**28 / peak / 1000000.0), 12),
)
claim(
    "none of the three bounds is the time",
    at_most(max(per_model_launch_rate, per_stream_2_1_gb) / basic_256_threads_ms, 0.9),
)
claim(
    "small blocks are limited by their launch",
    at_least(modelled("basic", chapter="02", threads=64) / modelled("basic", chapter="02", threads=256), 2),
)
claim(
    "the launch of blocks of 64 threads is their time",
    level(launch_of_64_ms, basic_64_threads_ms, within=0.03),
)

# From a warp's requests to bytes of DRAM

model_l2_mib = value(machine("l2_effective_bytes") / MiB, ".0f")
l2_bytes = device("l2_bytes")
l2_bytes_mib = value(l2_bytes / MiB, ".0f")
three_pairs_bytes_counted = value(
    counter("pitched", "dram_bytes_read", chapter="14", columns=33)
    / (counter("pitched", "n", chapter="14", columns=33) / 33),
    ".0f",
)
# Each wait for loads lengthens the lifetime of a block

queue_at_850000 = value(queue_of_addition(850000.0), ".0f")
ns_life_block_all = value(model_block_ns + 4 * (model_dram_ns + queue_at_850000), ",.0f")
all_blocks_ms = value(2**18 / (8 * multiprocessors) * ns_life_block_all / 1000000.0, ".2f")
ms_gives_gives = value(
    2**18 / (8 * multiprocessors) * (model_block_ns_and_dram_ns + queue_of_addition(700000.0)) / 1000000.0, ".2f"
)
ms_gives_gives_gives = value(
    2**18 / (8 * multiprocessors) * (model_block_ns_and_dram_ns + queue_of_addition(710000.0)) / 1000000.0, ".2f"
)
claim(
    "by hand four phases are right within five percent",
    level(all_blocks_ms, ms("striped_x4", chapter="03", threads=256), within=0.05),
)
claim(
    "of one phase a guess of 0.70 gives more and one of 0.71 less, a fifth apart, and DRAM needs more than either guess",
    at_least(ms_gives_gives, 0.72),
    at_most(ms_gives_gives_gives, 0.7),
    between(0.15, 1 - ms_gives_gives_gives / ms_gives_gives, 0.25),
    at_least(per_stream_2_1_gb, 0.715),
)
claim(
    "one phase leaves the time to DRAM",
    at_most(2**18 / (8 * multiprocessors) * model_block_ns_and_dram_ns / 1000000.0 / per_stream_2_1_gb, 0.5),
)
wait_loads_lengthens_life = table(
    "03_coarsening",
    where=lambda row: row.variant in ("striped_x4", "striped_x4_loads_first")
    and row.n == 2**28
    and (row.threads == 256),
    every_size=True,
    columns="variant, ms, modelled, error",
)
claim(
    "the model tells what waits from what does not",
    at_least(
        modelled("striped_x4", chapter="03", threads=256)
        / modelled("striped_x4_loads_first", chapter="03", threads=256),
        1.1,
    ),
)
unrolled = constant("common/model/cache_model.hpp", "unrolled")

# The largest term is the time

limiting_share = value(machine("limiting_share"), ".0%")

# Accuracy

per_unseen_ninth_decile = value(1 / unseen_ninth_decile, ".1f")
claim(
    "kernels that it had not seen are farther off than the book's",
    at_least(unseen_median - 1, 2 * (model_error("median", kernels="book") - 1)),
)
odd_sides = dict(chapter="20", n=2**28 - 1)
odd_sides_longer = value(ms("tile_padded", **odd_sides) / modelled("tile_padded", rows=1025, **odd_sides), ".1f")
claim("a transpose with odd sides is far off", at_least(odd_sides_longer, 1.5))
claim(
    "small launches are farther off", more(model_error("median", kernels="book_small"), model_error("median", kernels="book"))
)

# From a warp's requests to bytes of DRAM

model_cache_rows = model_cache("rows")
model_cache_share = value(model_cache("share"), ".0%")
model_goal_sectors = value(model_goal("SECTORS"), ".0%")
model_goal_dram = value(model_goal("DRAM"), ".0%")

# Limitations

claim("a factor of five is more than the range", less(unseen_ninth_decile, 5))
claim(
    "a copy byte by byte takes five times as long, measured and modelled",
    between(4.5, gb("word16", chapter="06", unit=1, n=2**30) / gb("element", chapter="06", unit=1, n=2**30), 5.5),
    between(
        4.5,
        modelled("element", chapter="06", unit=1, n=2**30) / modelled("word16", chapter="06", unit=1, n=2**30),
        5.5,
    ),
)
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
