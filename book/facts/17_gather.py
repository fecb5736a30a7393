"""The facts of the page "Gather and scatter: indexed and random access"."""

from tools.book.facts import *

page("side", needs="16", afterwards=["predict the cost of a gather or scatter from the range of its indices"])

# Predict

floats_in_order = dict(element_bytes=4, indices="sequential")
gather_sequential_element_bytes_4_ms = value(ms("gather", **floats_in_order), ".2f")
floats_anywhere = dict(element_bytes=4, indices="random")
gather_random_element_bytes_4_ms = value(ms("gather", **floats_anywhere), ".2f")
in_order_or_random_2 = value(gather_random_element_bytes_4_ms / gather_sequential_element_bytes_4_ms, ".1f")
in_order_or_anywhere = number(
    """How many times as long does a gather take with random indices as with sequential ones?""",
    in_order_or_random_2,
    "a factor of 1.5",
    fold="""Sequential: {gather_sequential_element_bytes_4_ms} ms; random: {gather_random_element_bytes_4_ms} ms.""",
)
gather_random_gb = gb("gather", **floats_anywhere)
scatter_random_gb = gb("scatter", **floats_anywhere)
gather_over_anywhere = value(gather_random_gb / scatter_random_gb, ".1f")
gather_or_scatter = choice(
    """With random indices, a gather and a scatter touch the same number of [sectors](glossary.md#sector). Which is faster?""",
    {
        "the gather": at_least(gather_over_anywhere, 1.1),
        "they tie": level(gather_random_gb, scatter_random_gb, within=0.1),
        "the scatter": at_most(gather_over_anywhere, 0.9),
    },
    right="the gather",
    fold="""The gather reaches {gather_random_gb} GB/s, the scatter {scatter_random_gb}.""",
)
gather_random_element_bytes_16_ms = ms("gather", element_bytes=16, indices="random")
wide_over_narrow_for_the_bytes = value(
    4 * gather_random_element_bytes_16_ms / gather_random_element_bytes_4_ms, ".2f"
)
four_times_as_wide = choice(
    """The elements are 16 bytes wide instead of 4. How long does a random gather take per element?""",
    {
        "about as long": at_most(wide_over_narrow_for_the_bytes, 1.3),
        "twice as long": between(1.3, wide_over_narrow_for_the_bytes, 3),
        "four times as long": at_least(wide_over_narrow_for_the_bytes, 3),
    },
    right="about as long",
    fold="""It takes {wide_over_narrow_for_the_bytes} times as long: the DRAM access costs the same, however many of its bytes are used.""",
)

# Memory transactions

order_sectors_gather_load = value(
    2 * count("gather", "load_sectors_per_request", **floats_in_order)
    - count("scatter", "load_sectors_per_request", **floats_in_order),
    ".1f",
)
scatter_sequential_per_store = value(count("scatter", "store_sectors_per_request", **floats_in_order), ".1f")
scatter_sequential_efficiency = value(count("scatter", "store_efficiency", **floats_in_order), ".0%")
block_sectors_gather_load = value(
    2 * count("gather", "load_sectors_per_request", element_bytes=4, indices="in a block")
    - count("scatter", "load_sectors_per_request", element_bytes=4, indices="in a block"),
    ".1f",
)
scatter_block_per_store = value(
    count("scatter", "store_sectors_per_request", element_bytes=4, indices="in a block"), ".1f"
)
scatter_block_efficiency = value(
    count("scatter", "store_efficiency", element_bytes=4, indices="in a block"), ".0%"
)
floats_in_4_mib = dict(element_bytes=4, indices="in 4 MiB")
sectors_gather_load_4_mib = value(
    2 * count("gather", "load_sectors_per_request", **floats_in_4_mib)
    - count("scatter", "load_sectors_per_request", **floats_in_4_mib),
    ".1f",
)
scatter_in_4mib_per_store = value(count("scatter", "store_sectors_per_request", **floats_in_4_mib), ".1f")
scatter_in_4mib_efficiency = value(count("scatter", "store_efficiency", **floats_in_4_mib), ".0%")
gather_random_sectors_per_load = value(count("gather", "load_sectors_per_request", **floats_anywhere), ".1f")
anywhere_per_load = value(
    2 * gather_random_sectors_per_load - count("scatter", "load_sectors_per_request", **floats_anywhere),
    ".1f",
)
scatter_random_per_store = value(count("scatter", "store_sectors_per_request", **floats_anywhere), ".1f")
anywhere_used = value(count("scatter", "store_efficiency", **floats_anywhere), ".0%")
gather_n = count("gather", "n", **floats_anywhere)
claim(
    "a float anywhere is a sector for each lane",
    more(scatter_random_per_store, 31.9),
    more(2 * gather_random_sectors_per_load - 4, 31.9),
)
claim(
    "the work by hand is right to less than two percent",
    less(abs(32 * (1 - (7 / 8) ** 8) / scatter_block_per_store - 1), 0.02),
)
claim(
    "the indexed loads of a gather touch as many sectors as the indexed stores of a scatter",
    level(order_sectors_gather_load, scatter_sequential_per_store, within=0.01),
    level(block_sectors_gather_load, scatter_block_per_store, within=0.01),
    level(sectors_gather_load_4_mib, scatter_in_4mib_per_store, within=0.01),
    level(anywhere_per_load, scatter_random_per_store, within=0.01),
)
claim(
    "a gather and a scatter take the same sectors",
    equal(
        count("gather", "load_sectors", element_bytes=4, indices="in a block")
        + count("gather", "store_sectors", element_bytes=4, indices="in a block"),
        count("scatter", "load_sectors", element_bytes=4, indices="in a block")
        + count("scatter", "store_sectors", element_bytes=4, indices="in a block"),
    ),
)

# Results

indices_chart = chart(
    "17_gather",
    where=lambda row: row.task in ("gather", "scatter") and row.element_bytes == 4,
    name="indices",
    title="Gather and scatter of floats",
    bars="cold",
)
measure_table = table(
    "17_gather",
    where=lambda row: row.task in ("gather", "scatter") and row.element_bytes == 4,
    columns="variant, indices, ms, cold, hot, share",
)
gather_element_bytes_4_sequential_gb = gb("gather", **floats_in_order)
scatter_over_gather_in_order = gb("scatter", **floats_in_order) / gather_element_bytes_4_sequential_gb
scatter_ahead_in_order = value(scatter_over_gather_in_order - 1, ".0%")
scatter_element_bytes_4_random_ms = ms("scatter", **floats_anywhere)
scatter_element_bytes_4_sequential_ms = ms("scatter", **floats_in_order)
times_slow_scatter_times = value(scatter_element_bytes_4_random_ms / scatter_element_bytes_4_sequential_ms, ".0f")
gather_random_over_thrust_gather = gather_random_gb / gb("thrust::gather", **floats_anywhere)
scatter_random_over_thrust_scatter = scatter_random_gb / gb("thrust::scatter", **floats_anywhere)
random_thrust_apart = value(
    max(abs(gather_random_over_thrust_gather - 1), abs(scatter_random_over_thrust_scatter - 1)), ".1%"
)
gather_in_a_block_gb = gb("gather", element_bytes=4, indices="in a block")
claim(
    "in order the scatter is ahead, in a block and beyond the gather",
    at_least(scatter_over_gather_in_order, 1.2),
    at_least(gather_in_a_block_gb / gb("scatter", element_bytes=4, indices="in a block"), 1.1),
    at_least(ratio(gb, "gather", "scatter", **floats_in_4_mib), 1.5),
    at_least(gather_over_anywhere, 2),
)
claim(
    "the library is no way out",
    between(0.97, gather_random_over_thrust_gather, 1.05),
    between(0.97, scatter_random_over_thrust_scatter, 1.05),
)

# Analysis

explain_counters = counters(
    "17_gather",
    large=True,
    where=lambda row: row.variant in ("gather", "scatter") and row.element_bytes == 4,
    columns="variant, indices, l1_load_hit_sectors, l2_read_sectors, l2_write_sectors, dram_bytes_read, dram_bytes_written",
)
md_bytes_flight_longer = value(gather_sequential_element_bytes_4_ms / scatter_element_bytes_4_sequential_ms - 1, ".0%")
multiprocessors = device("multiprocessors")
chase_ns = value(ns("chase", table=GiB, order="random", chapter="21"), ".0f")
per_sms_times_8 = value(2**28 / 256 / (multiprocessors * 8), ".0f")
predicted_ms_4 = value(per_sms_times_8 * chase_ns / 1000000.0, ".2f")
measured_ms_4 = value(gather_sequential_element_bytes_4_ms - scatter_element_bytes_4_sequential_ms, ".2f")
per_sms_times_8_2 = value(2**26 / 256 / (multiprocessors * 8), ".0f")
predicted_ms_16 = value(per_sms_times_8_2 * chase_ns / 1000000.0, ".2f")
vectors_in_order = dict(indices="sequential", element_bytes=16)
measured_ms_16 = value(ms("gather", **vectors_in_order) - ms("scatter", **vectors_in_order), ".2f")
claim(
    "one trip to DRAM more a round is what a gather of floats in order is behind, to a fifth",
    between(0.8, measured_ms_4 / predicted_ms_4, 1.05),
)
claim(
    "with 16 bytes the gap shrinks",
    at_least(ratio(gb, "gather", "scatter", **vectors_in_order), 0.92),
)
l1_share_of_parts = value(1 - 32 / (8 * 21), ".0%")
floats_in_a_block_large = dict(element_bytes=4, indices="in a block", large=True)
counters_l2 = value(
    counter("gather", "l1_load_hit_sectors", **floats_in_a_block_large)
    / (counter("gather", "load_sectors", **floats_in_a_block_large) - 2**23),
    ".0%",
)
scatter_in_a_block_l2_write_sectors = counter("scatter", "l2_write_sectors", **floats_in_a_block_large)
help_l1_joins_parts = value(
    1
    - scatter_in_a_block_l2_write_sectors
    / (counter("scatter", "store_requests", **floats_in_a_block_large) * scatter_block_per_store),
    ".0%",
)
scatter_sequential_l2_write_sectors = counter("scatter", "l2_write_sectors", large=True, **floats_in_order)
parts_l2_receives_times = value(scatter_in_a_block_l2_write_sectors / scatter_sequential_l2_write_sectors, ".1f")
writes_indices_order_puts = value(scatter_block_per_store / scatter_sequential_per_store, ".1f")
claim(
    "of the sectors of elements L1 finds what the work by hand says", less(abs(counters_l2 - l1_share_of_parts), 0.01)
)
gather_sequential_l2_read_sectors = counter("gather", "l2_read_sectors", large=True, **floats_in_order)
lane_sector_own_times = value(
    counter("gather", "l2_read_sectors", large=True, **floats_in_4_mib) / gather_sequential_l2_read_sectors,
    ".1f",
)
times_reads_gather_times = value(
    counter("scatter", "l2_write_sectors", large=True, **floats_in_4_mib) / scatter_sequential_l2_write_sectors,
    ".1f",
)
gather_in_4_mi_b_l1_wavefronts = counter("gather", "l1_wavefronts", large=True, **floats_in_4_mib)
gather_sequential_l1_wavefronts = counter("gather", "l1_wavefronts", large=True, **floats_in_order)
in_4mib_wavefronts = value(
    (gather_in_4_mi_b_l1_wavefronts - gather_sequential_l1_wavefronts) / (4 * 2**26 / 128), ".0f"
)
all_wavefronts_kernel = value(
    4 * gather_in_4_mi_b_l1_wavefronts * ns("banks", chapter="25", degree=32) / 32 / 1000000.0, ".2f"
)
gather_in_4_mi_b_ms = value(ms("gather", **floats_in_4_mib), ".2f")
claim(
    "a gather's load takes fewer wavefronts than its lines, and all of them less than a third of the time",
    between(12, in_4mib_wavefronts, 16),
    less(all_wavefronts_kernel, 0.33 * gather_in_4_mi_b_ms),
)
reorder_direct_ms = value(ms("reorder_direct", chapter="07"), ".2f")
per_reorder_direct_ms = value(2**28 / reorder_direct_ms / 1000000.0, ".0f")
scatter_in_4_mi_b_ms = value(ms("scatter", **floats_in_4_mib), ".2f")
per_scatter_in_4mib_ms = value(2**28 / scatter_in_4_mi_b_ms / 1000000.0, ".0f")
naive_row_ms = value(ms("naive_row", chapter="19"), ".2f")
per_naive_row_ms = value(2**28 / naive_row_ms / 1000000.0, ".0f")
anywhere_cannot_claim = value(2**28 / scatter_element_bytes_4_random_ms / 1000000.0, ".0f")
claim(
    "three kernels store parts of sectors at one rate, to a sixth, and the one that has no help of the L2 at a quarter of it",
    at_least(scatter_element_bytes_4_random_ms / scatter_in_4_mi_b_ms, 3.5),
    at_most(
        max(reorder_direct_ms, scatter_in_4_mi_b_ms, naive_row_ms)
        / min(reorder_direct_ms, scatter_in_4_mi_b_ms, naive_row_ms),
        1.17,
    ),
)
gather_random_each = value(
    (counter("gather", "dram_bytes_read", large=True, **floats_anywhere) - 4 * 2**26) / 2**26,
    ".0f",
)
gather_dram_bytes_element_bytes_4_anywhere = dram_bytes("gather", large=True, **floats_anywhere)
result_dram_moves_times = value(
    gather_dram_bytes_element_bytes_4_anywhere / dram_bytes("gather", large=True, **floats_in_order),
    ".1f",
)
half_move_gather_longer = value(
    ms("gather", chapter="claim_gather", indices="random", limit=32)
    / ms("gather", chapter="claim_gather", indices="random", limit=64)
    - 1,
    ".0%",
)
scatter_random_each = value(
    (counter("scatter", "dram_bytes_read", large=True, **floats_anywhere) - 8 * 2**26) / 2**26,
    ".0f",
)
read_bytes_written = value(counter("scatter", "dram_bytes_written", large=True, **floats_anywhere) / 2**26, ".0f")
bytes_written_bytes_times = value(scatter_element_bytes_4_random_ms / gather_random_element_bytes_4_ms, ".1f")
gather_4_bytes_ns = value(1 * 2**28 / gather_random_element_bytes_4_ms / 1000000.0, ".0f")
scatter_4_bytes_ns = value(2 * 2**28 / scatter_element_bytes_4_random_ms / 1000000.0, ".0f")
gather_16_bytes_ns = value(1 * 2**26 / gather_random_element_bytes_16_ms / 1000000.0, ".0f")
scatter_element_bytes_16_random_ms = ms("scatter", element_bytes=16, indices="random")
scatter_16_bytes_ns = value(2 * 2**26 / scatter_element_bytes_16_random_ms / 1000000.0, ".0f")
h100_multiprocessors = device("multiprocessors", device=H100)
h100_sms_over = value(h100_multiprocessors / multiprocessors, ".0f")
# Twice the memory clock times the bus is the peak, and a channel is 32 bits of the bus.
channels = value(device("peak_gb_per_s") * 8000 / (2 * environment("clocks")["before"]["memory_mhz"] * 32), ".0f")
h100_channels = value(
    device("peak_gb_per_s", device=H100) * 8000 / (2 * environment("clocks", H100)["before"]["memory_mhz"] * 32), ".0f"
)
h100_channels_over = value(h100_channels / channels, ".2f")
h100_l2_bytes = device("l2_bytes", device=H100)
h100_l2_over = value(h100_l2_bytes / device("l2_bytes"), ".2f")
h100_peak_over_peak = value(device("peak_gb_per_s", device=H100) / device("peak_gb_per_s"), ".2f")
h100_gather_element_bytes_4_ms = ms("gather", device=H100, **floats_anywhere)
gather_4_bytes_h100_ns = value(1 * 2**28 / h100_gather_element_bytes_4_ms / 1000000.0, ".0f")
gather_4_bytes_over_h200 = value(gather_4_bytes_h100_ns / gather_4_bytes_ns, ".2f")
h100_scatter_element_bytes_4_ms = ms("scatter", device=H100, **floats_anywhere)
scatter_4_bytes_h100_ns = value(2 * 2**28 / h100_scatter_element_bytes_4_ms / 1000000.0, ".0f")
scatter_4_bytes_over_h200 = value(scatter_4_bytes_h100_ns / scatter_4_bytes_ns, ".2f")
h100_gather_element_bytes_16_ms = ms("gather", element_bytes=16, indices="random", device=H100)
gather_16_bytes_h100_ns = value(1 * 2**26 / h100_gather_element_bytes_16_ms / 1000000.0, ".0f")
gather_16_bytes_over_h200 = value(gather_16_bytes_h100_ns / gather_16_bytes_ns, ".2f")
h100_scatter_element_bytes_16_ms = ms("scatter", element_bytes=16, indices="random", device=H100)
scatter_16_bytes_h100_ns = value(2 * 2**26 / h100_scatter_element_bytes_16_ms / 1000000.0, ".0f")
scatter_16_bytes_over_h200 = value(scatter_16_bytes_h100_ns / scatter_16_bytes_ns, ".2f")
limit_mib_serves_times = value(2**28 / gather_in_4_mi_b_ms / (2**28 / gather_random_element_bytes_4_ms), ".1f")
claim(
    "the accesses of four kernels agree to a quarter",
    less(
        0.75
        * max(
            gather_4_bytes_ns,
            scatter_4_bytes_ns,
            gather_16_bytes_ns,
            scatter_16_bytes_ns,
        ),
        min(
            gather_4_bytes_ns,
            scatter_4_bytes_ns,
            gather_16_bytes_ns,
            scatter_16_bytes_ns,
        ),
    ),
)
claim(
    "on an H100 gathers are fewer than on an H200, and scatters",
    between(0.67, gather_random_element_bytes_4_ms / h100_gather_element_bytes_4_ms, 0.83),
    between(0.77, scatter_element_bytes_4_random_ms / h100_scatter_element_bytes_4_ms, 0.87),
    between(0.67, gather_random_element_bytes_16_ms / h100_gather_element_bytes_16_ms, 0.83),
    between(0.77, scatter_element_bytes_16_random_ms / h100_scatter_element_bytes_16_ms, 0.87),
    equal(multiprocessors, h100_multiprocessors),
)


def footprint(gib, eighths=8):
    """Random words per ns from that many GiB by that share of the SMs, on which every thread loads 64."""
    row = dict(chapter="claim_footprint", n=gib * 2**28, eighths_of_sms=eighths)
    return multiprocessors * eighths // 8 * 2048 * 64 / ms("read_random", **row) / 1000000.0


footprint_1_gib = value(footprint(1), ".0f")
footprint_64_gib = value(footprint(64), ".0f")
footprint_128_gib = value(footprint(128), ".0f")
footprint_quarter_share = value(footprint(64, 2) / footprint(64), ".0%")
footprint_half_share = value(footprint(64, 4) / footprint(64), ".0%")
claim("the footprint hardly matters up to 64 GiB", level(footprint(4), footprint(64), within=0.05))
claim("a quarter of the SMs loads as much as a half", level(footprint(64, 2), footprint(64, 4), within=0.03))
claim("half of the SMs load less than all and more than half as much", between(0.6, footprint(64, 4) / footprint(64), 0.9))
gather_sequential_dram_read = counter("gather", "dram_bytes_read", large=True, **floats_in_order)
claim(
    "in order both move the same",
    level(
        gather_sequential_dram_read,
        counter("scatter", "dram_bytes_read", large=True, **floats_in_order),
        within=0.01,
    ),
)
claim(
    "in a block L1 catches what loads request again, and not what stores do",
    at_most(
        counter("gather", "l2_read_sectors", **floats_in_a_block_large) / gather_sequential_l2_read_sectors,
        1.01,
    ),
    at_least(parts_l2_receives_times, 3),
    at_most(
        counter("scatter", "dram_bytes_written", **floats_in_a_block_large)
        / counter("scatter", "dram_bytes_written", large=True, **floats_in_order),
        1.02,
    ),
)
claim(
    "in 4 MiB L1 has nothing, and DRAM is read once",
    at_most(
        counter("gather", "l1_load_hit_sectors", large=True, **floats_in_4_mib)
        / counter("gather", "load_sectors", large=True, **floats_in_4_mib),
        0.02,
    ),
    at_most(
        counter("gather", "dram_bytes_read", large=True, **floats_in_4_mib) / gather_sequential_dram_read,
        1.01,
    ),
    at_least(times_reads_gather_times, 7.9),
)
claim(
    "as many single stores in a nanosecond as in chapter 19",
    between(0.85, 2**28 / scatter_in_4_mi_b_ms / (2**28 / naive_row_ms), 1.2),
)
claim(
    "anywhere the bytes are alike and the times are not",
    between(
        0.95,
        dram_bytes("scatter", large=True, **floats_anywhere) / gather_dram_bytes_element_bytes_4_anywhere,
        1.1,
    ),
    at_least(bytes_written_bytes_times, 2),
)
claim(
    "a gather anywhere brings nearly 64 bytes for an element, a scatter a sector in and out",
    between(56, gather_random_each, 64),
    between(28, scatter_random_each, 33),
    between(28, read_bytes_written, 33),
)

# Wider elements cost little more per access

wider_elements_win_back = table(
    "17_gather",
    where=lambda row: row.task in ("gather", "scatter") and row.element_bytes == 16 and (row.n > 0),
    every_size=True,
    columns="variant, indices, ms, cold, share",
)
element_random_picoseconds = value(gather_random_element_bytes_16_ms / 2**26 * 1000000000.0, ".0f")
gather_element_ps = value(gather_random_element_bytes_4_ms / 2**28 * 1000000000.0, ".0f")
claim(
    "of wide elements half of a sector is used",
    less(count("scatter", "store_efficiency", element_bytes=16, indices="random"), 0.51),
    less(anywhere_used, 0.13),
)
claim(
    "an element anywhere costs its sector, wide or narrow",
    between(0.95, wide_over_narrow_for_the_bytes, 1.15),
    between(0.95, 4 * scatter_element_bytes_16_random_ms / scatter_element_bytes_4_random_ms, 1.15),
)

# A locally shuffled gather is slightly faster than a sequential one

gather_in_a_block_ms = value(ms("gather", element_bytes=4, indices="in a block"), ".3f")
gather_sequential_4_ms_mills = value(gather_sequential_element_bytes_4_ms, ".3f")
claim(
    "a shuffle in a block is no loss to a gather",
    at_least(gather_in_a_block_gb / gather_element_bytes_4_sequential_gb, 1.02),
)

# What to do


def ps_per_float(variant, indices, form):
    return value(ms(variant, **indices) / 2**28 * 10**9, form)


gather_sequential_ps = ps_per_float("gather", floats_in_order, ".1f")
gather_in_a_block_ps = ps_per_float("gather", dict(floats_in_order, indices="in a block"), ".1f")
gather_in_4_mib_ps = ps_per_float("gather", floats_in_4_mib, ".1f")
scatter_sequential_ps = ps_per_float("scatter", floats_in_order, ".1f")
scatter_block_ps = ps_per_float("scatter", dict(floats_in_order, indices="in a block"), ".1f")
scatter_in_4_mib_ps = ps_per_float("scatter", floats_in_4_mib, ".0f")
scatter_random_ps = ps_per_float("scatter", floats_anywhere, ".0f")

h100_l2_bytes_mib = value(h100_l2_bytes / 2**20, ".0f")
h100_gather_window_mib_4_ms = ms("gather", chapter="claim_windows", window_mib=4, device=H100)
mib_gather_mib_longer = value(
    ms("gather", chapter="claim_windows", window_mib=24, device=H100) / h100_gather_window_mib_4_ms - 1,
    ".0%",
)
far_l2_keeps_times = value(
    ms("gather", chapter="claim_windows", window_mib=48, device=H100) / h100_gather_window_mib_4_ms,
    ".1f",
)

# Experiments

in_a_warp = change(
    """
- const Order in_a_block = {"in a block", gather_block};
+ const Order in_a_block = {"in a block", 32};
$ ./run 17 --device cpu --variant gather
holds count('gather', 'load_sectors', element_bytes=4, indices='in a block') == count('gather', 'load_sectors', element_bytes=4, indices='sequential')
- const Order in_a_block = {"in a block", 32};
+ const Order in_a_block = {"in a block", 64};
$ ./run 17 --device cpu --variant scatter
holds 7.9 < count('scatter', 'store_sectors_per_request', element_bytes=4, indices='in a block') <= 8
- const Order in_a_block = {"in a block", 64};
+ const Order in_a_block = {"in a block", 1024};
$ ./run 17 --device cpu --variant scatter
holds 28.3 < count('scatter', 'store_sectors_per_request', element_bytes=4, indices='in a block') < 29.3
"""
)
two_to_one_element = change(
    """
- c[index[i]] = a[i];
+ c[index[i] / 2] = a[i];
$ ./run 17 --device cpu --variant scatter
status 1
shows ^scatter .* FAILED
"""
)
