"""The facts of the page "What others measured"."""

from tools.book.facts import *

page(
    "behind",
    needs="03",
    afterwards=[
        "name what is true of one card and not of its sister",
        "compare the published times of other cards with those of this book",
        "say what a table of times must state before it can be compared",
    ],
)
float4_gb = gb("float4", chapter="05", threads=256)
basic_02_256_threads_gb = gb("basic", chapter="02", threads=256)
float4_over_basic_02_256_threads = float4_gb / basic_02_256_threads_gb
finds_float4_makes_faster = value(float4_over_basic_02_256_threads - 1, ".0%")
h100_float4_gb = gb("float4", chapter="05", threads=256, device=H100)
h100_chapter_02 = dict(chapter="02", device=H100)
h100_basic_02_256_threads_gb = gb("basic", threads=256, **h100_chapter_02)
h100_float4_over_basic_02_256_threads = h100_float4_gb / h100_basic_02_256_threads_gb
gains_part = value(h100_float4_over_basic_02_256_threads - 1, ".0%")

# Predict before you read on

multiprocessors = device("multiprocessors")
h100_multiprocessors = device("multiprocessors", device=H100)
peak = value(device("peak_gb_per_s"), ",.0f")
h100_peak = value(device("peak_gb_per_s", device=H100), ",.0f")
l2_bytes_mib = value(device("l2_bytes") / MiB, ".0f")
h100_l2_bytes_mib = value(device("l2_bytes", device=H100) / MiB, ".0f")
basic_64_threads_ms = value(ms("basic", chapter="02", threads=64), ".2f")
float_thread_64_threads_peak_ms = value(basic_64_threads_ms * peak / h100_peak, ".2f")
basic_256_threads_ms = value(ms("basic", chapter="02", threads=256), ".2f")
same_256_threads_peak_ms = value(basic_256_threads_ms * peak / h100_peak, ".2f")
float4_ms = value(ms("float4", chapter="05", threads=256), ".2f")
float4_ms_by_peak_over_h100_peak = value(float4_ms * peak / h100_peak, ".2f")
gather_ms = value(ms("gather", chapter="17", element_bytes=4, indices="anywhere"), ".2f")
gather_ms_by_peak_over_h100_peak = value(gather_ms * peak / h100_peak, ".2f")
h100_basic_64_threads_ms = value(ms("basic", threads=64, **h100_chapter_02), ".2f")
h100_basic_256_threads_ms = value(ms("basic", threads=256, **h100_chapter_02), ".2f")
h100_float4_ms = value(ms("float4", chapter="05", threads=256, device=H100), ".2f")
h100_gather_ms = value(ms("gather", chapter="17", element_bytes=4, indices="anywhere", device=H100), ".2f")
same_on_both = choice(
    """One of the four takes as long on the H100 as on the H200. Which?""",
    {
        "one float a thread, 64 threads a block": level(h100_basic_64_threads_ms, basic_64_threads_ms, within=0.03),
        "the same, 256 threads": level(h100_basic_256_threads_ms, basic_256_threads_ms, within=0.03),
        "four floats a thread": level(h100_float4_ms, float4_ms, within=0.03),
        "floats gathered from anywhere": level(h100_gather_ms, gather_ms, within=0.03),
    },
    right="one float a thread, 64 threads a block",
    fold="""{basic_64_threads_ms} ms on one and {h100_basic_64_threads_ms} on the other: it waits for the launch of its many small blocks, and both cards launch at the same rate.""",
)
gathered_on_a_slower_memory = number(
    """How long do the floats gathered from anywhere, the last line of the table, take on the H100?""",
    h100_gather_ms,
    "8%",
    unit="ms",
    fold="""Longer than on the H200, because what it fetches comes from memory, and less than the peaks say, because most of it waits for [rows of DRAM](glossary.md#dram) that are opened for 64 bytes each.""",
)
neighbours_x4_loads_first_over_x4 = ratio(gb, "neighbours_x4_loads_first", "neighbours_x4", chapter="03", threads=256)
four_neighbours_thread_loads_h200 = value(neighbours_x4_loads_first_over_x4 - 1, "+.0%")
h100_neighbours_x4_loads_first_over_x4 = ratio(
    gb, "neighbours_x4_loads_first", "neighbours_x4", chapter="03", threads=256, device=H100
)
four_neighbours_thread_loads_h100 = value(h100_neighbours_x4_loads_first_over_x4 - 1, "+.0%")
word16_over_element = ratio(gb, "word16", "element", chapter="06", unit=4, n=2**28)
word16_gain_over_element = value(word16_over_element - 1, "+.0%")
h100_word16_over_element = ratio(gb, "word16", "element", chapter="06", unit=4, n=2**28, device=H100)
h100_word16_gain_over_element = value(h100_word16_over_element - 1, "+.0%")
copy_async_over_direct = ratio(gb, "copy_async", "copy_direct", chapter="07")
copy_async_gain_over_direct = value(copy_async_over_direct - 1, "+.0%")
h100_copy_async_over_direct = ratio(gb, "copy_async", "copy_direct", chapter="07", device=H100)
h100_copy_async_gain_over_direct = value(h100_copy_async_over_direct - 1, "+.0%")
tile_padded_over_plain = ratio(gb, "tile_padded", "tile_plain", chapter="20")
tile_padded_gain_over_plain = value(tile_padded_over_plain - 1, "+.0%")
h100_tile_padded_over_plain = ratio(gb, "tile_padded", "tile_plain", chapter="20", device=H100)
h100_tile_padded_gain_over_plain = value(h100_tile_padded_over_plain - 1, "+.0%")
ring_ahead_over_look_back = gb("ring_ahead", chapter="29") / gb("look_back", chapter="29", bytes_a_thread=128)
ring_ahead_gain_over_look_back = value(ring_ahead_over_look_back - 1, "+.0%")
h100_ring_ahead_over_look_back = gb("ring_ahead", chapter="29", device=H100) / gb(
    "look_back", chapter="29", bytes_a_thread=128, device=H100
)
h100_ring_ahead_gain_over_look_back = value(h100_ring_ahead_over_look_back - 1, "+.0%")
per_lane_over_block = ratio(gb, "per_lane", "per_block", chapter="30", elements="bytes", values="uniform", n=2**30)
per_lane_gain_over_block = value(per_lane_over_block - 1, "+.0%")
h100_per_lane_over_block = ratio(
    gb, "per_lane", "per_block", chapter="30", elements="bytes", values="uniform", n=2**30, device=H100
)
h100_per_lane_gain_over_block = value(h100_per_lane_over_block - 1, "+.0%")
registers_8_ahead_over_0_ahead = gb("registers", chapter="36", ahead=8, filled="no") / gb(
    "registers", chapter="36", ahead=0, filled="no"
)
registers_8_ahead_gain_over_0_ahead = value(registers_8_ahead_over_0_ahead - 1, "+.0%")
h100_registers_8_ahead_over_0_ahead = gb("registers", chapter="36", ahead=8, filled="no", device=H100) / gb(
    "registers", chapter="36", ahead=0, filled="no", device=H100
)
fetching_ahead_few_warps_h100 = value(h100_registers_8_ahead_over_0_ahead - 1, "+.0%")
basic_512_threads_over_02_256_threads = gb("basic", chapter="02", threads=512) / basic_02_256_threads_gb
h200_512_threads_block_256 = value(basic_512_threads_over_02_256_threads - 1, "+.0%")
h100_basic_512_over_256_threads = gb("basic", threads=512, **h100_chapter_02) / h100_basic_02_256_threads_gb
h100_512_threads_block_256 = value(h100_basic_512_over_256_threads - 1, "+.0%")
how_many_of_less_of_finds_float4_makes = how_many(
    less(abs(finds_float4_makes_faster), abs(gains_part)),
    less(abs(four_neighbours_thread_loads_h200), abs(four_neighbours_thread_loads_h100)),
    less(abs(word16_gain_over_element), abs(h100_word16_gain_over_element)),
    less(abs(copy_async_gain_over_direct), abs(h100_copy_async_gain_over_direct)),
    less(abs(tile_padded_gain_over_plain), abs(h100_tile_padded_gain_over_plain)),
    less(abs(ring_ahead_gain_over_look_back), abs(h100_ring_ahead_gain_over_look_back)),
    less(abs(per_lane_gain_over_block), abs(h100_per_lane_gain_over_block)),
    less(abs(registers_8_ahead_gain_over_0_ahead), abs(fetching_ahead_few_warps_h100)),
    less(abs(h200_512_threads_block_256), abs(h100_512_threads_block_256)),
)
advice_that_shrinks = choice(
    """`float4` gains less on the H100. Eight other changes that help or cost on the H200 were chosen for being about how busy the memory is kept, and measured there as well: more loads under way, asynchronous copies, padded tiles, larger blocks and others. How many of the nine matter more on the H100?""",
    {
        "none": equal(how_many_of_less_of_finds_float4_makes, 0),
        "about half": between(2, how_many_of_less_of_finds_float4_makes, 6),
        "nearly all": at_least(how_many_of_less_of_finds_float4_makes, 7),
    },
    right="none",
    fold="""The slower memory is kept busy by less, so each of them has less to gain.""",
)

# Ask what each kernel waits for

per_h100_peak = value(12 * 2**28 / 1160000.0 / h100_peak, ".2f")
four_steps_give_claim = value(
    2**20
    / (8 * h100_multiprocessors)
    * (
        machine("block_ns")
        + machine("dram_ns")
        + (machine("read_queue_ns") + 2 / 9 * machine("mixed_queue_ns")) * per_h100_peak / (1 - per_h100_peak)
    )
    / 1000000.0,
    ".2f",
)
claim(
    "one goes with the multiprocessors, one with the memory, two between",
    level(h100_basic_64_threads_ms, basic_64_threads_ms, within=0.01),
    level(h100_float4_ms, float4_ms_by_peak_over_h100_peak, within=0.03),
    at_least(h100_basic_256_threads_ms / basic_256_threads_ms, 1.1),
    at_most(h100_basic_256_threads_ms / same_256_threads_peak_ms, 0.95),
    at_least(h100_gather_ms / gather_ms, 1.1),
    at_most(h100_gather_ms / gather_ms_by_peak_over_h100_peak, 0.95),
)
claim("the sum by hand holds on the sister", between(0.97, four_steps_give_claim / h100_basic_256_threads_ms, 1.05))

# Two pieces of advice turn round

one_kernel_ms = ms("one_kernel", chapter="39")
graph_ms = ms("graph", chapter="39")
one_kernel_behind_graph_time = value(1 - one_kernel_ms / graph_ms, "+.0%")
h100_one_kernel_ms = ms("one_kernel", chapter="39", device=H100)
h100_graph_ms = ms("graph", chapter="39", device=H100)
h100_one_kernel_behind_graph_time = value(1 - h100_one_kernel_ms / h100_graph_ms, "+.0%")
global_ms = ms("global", chapter="38", values="uniform", counters=2**16)
remote_ms = ms("remote", chapter="38", values="uniform", blocks=2, counters=2**16)
twice_remote_behind_global_time = value(1 - 2 * remote_ms / global_ms, "+.0%")
h100_global_ms = ms("global", chapter="38", values="uniform", counters=2**16, device=H100)
h100_remote_ms = ms("remote", chapter="38", values="uniform", blocks=2, counters=2**16, device=H100)
addition_neighbour_shared_memory_h100 = value(1 - 2 * h100_remote_ms / h100_global_ms, "+.0%")
managed_stay_over_explicit_total_time = ms("managed_stay", chapter="13", phase="total", n=2**24) / ms(
    "explicit", chapter="12", phase="total", n=2**24
)
managed_pages_13_prefetch_h200 = value(1 - managed_stay_over_explicit_total_time, "+.0%")
h100_managed_stay_over_explicit_time = ms("managed_stay", chapter="13", phase="total", n=2**24, device=H100) / ms(
    "explicit", chapter="12", phase="total", n=2**24, device=H100
)
managed_pages_13_prefetch_h100 = value(1 - h100_managed_stay_over_explicit_time, "+.0%")

# Most advice holds, and is worth less

finds_float4_makes_faster_signed = value(finds_float4_makes_faster, "+.0%")
gains_part_signed = value(gains_part, "+.0%")
neighbours_thread_make_element = value(gb("neighbours_x2", chapter="03", threads=256) / basic_02_256_threads_gb, ".2f")
element_bandwidth_h200_nine = value(
    gb("neighbours_x2", chapter="03", threads=256, device=H100) / h100_basic_02_256_threads_gb, ".2f"
)
latency_peak = value(
    ns("chase", chapter="21", table=GiB, order="random", device=H100) * h100_peak / h100_multiprocessors / KiB,
    ".1f",
)
kib_multiprocessor_twice = value(
    ns("chase", chapter="21", table=GiB, order="random") * peak / multiprocessors / KiB, ".1f"
)
h100_basic_share = value(share("basic", chapter="01", threads=256, device=H100), ".0%")
basic_share = value(share("basic", chapter="01", threads=256), ".0%")
claim(
    "the order is the same on both and the H100 gains or loses less",
    at_least(h100_float4_over_basic_02_256_threads, 1.02),
    at_most(h100_float4_over_basic_02_256_threads / float4_over_basic_02_256_threads, 0.95),
    at_least(h100_neighbours_x4_loads_first_over_x4, 1.02),
    at_most(h100_neighbours_x4_loads_first_over_x4 / neighbours_x4_loads_first_over_x4, 0.95),
    at_least(h100_word16_over_element, 1.02),
    at_most(h100_word16_over_element / word16_over_element, 0.95),
    at_least(h100_copy_async_over_direct, 1.02),
    at_most(h100_copy_async_over_direct / copy_async_over_direct, 0.95),
    at_least(h100_tile_padded_over_plain, 1.02),
    at_most(h100_tile_padded_over_plain / tile_padded_over_plain, 0.95),
    at_least(h100_ring_ahead_over_look_back, 1.02),
    at_most(h100_ring_ahead_over_look_back / ring_ahead_over_look_back, 0.95),
    at_least(h100_per_lane_over_block, 1.02),
    at_most(h100_per_lane_over_block / per_lane_over_block, 0.95),
    at_least(h100_registers_8_ahead_over_0_ahead, 1.02),
    at_most(h100_registers_8_ahead_over_0_ahead / registers_8_ahead_over_0_ahead, 0.95),
    less(basic_512_threads_over_02_256_threads + 0.01, h100_basic_512_over_256_threads),
    at_most(h100_basic_512_over_256_threads, 0.99),
)
claim(
    "pages that stay with the host are ahead of explicit copies beside the sister alone",
    at_most(h100_managed_stay_over_explicit_time, 0.95),
    at_least(managed_stay_over_explicit_total_time, 1.02),
)
claim(
    "a graph is ahead of the one kernel on the sister",
    at_most(h100_graph_ms / h100_one_kernel_ms, 0.99),
    at_least(graph_ms / one_kernel_ms, 1.01),
)
claim(
    "additions across a cluster exceed the L2's on the sister alone",
    less(1.1 / h100_global_ms, 0.5 / h100_remote_ms),
    less(0.5 / remote_ms, 0.95 / global_ms),
)
claim("one float a thread leaves less of the slower memory", at_least(h100_basic_share / basic_share, 1.08))
claim(
    "and float4 gains on both",
    at_least(h100_float4_gb / gb("basic", chapter="01", threads=256, device=H100), 1.05),
    at_least(float4_gb / gb("basic", chapter="01", threads=256), 1.05),
)

# Of four changes three matter more where a multiprocessor has more bandwidth

h100_peak_over_multiprocessors = value(h100_peak / h100_multiprocessors, ".0f")
peak_over_multiprocessors = value(peak / multiprocessors, ".0f")
t4_basic_1ki_threads_ms = ms("basic", chapter="02", device="t4", threads=1024)
t4_basic_256_threads_ms = ms("basic", chapter="02", device="t4", threads=256)
t4_basic_1ki_threads_over_256_threads_time = t4_basic_1ki_threads_ms / t4_basic_256_threads_ms
blocks_1024_t4 = value(t4_basic_1ki_threads_over_256_threads_time - 1, "+.0%")
a100_basic_256_threads_ms = ms("basic", chapter="02", device="a100", threads=256)
a100_basic_1ki_threads_over_256_threads_time = (
    ms("basic", chapter="02", device="a100", threads=1024) / a100_basic_256_threads_ms
)
blocks_1024_a100 = value(a100_basic_1ki_threads_over_256_threads_time - 1, "+.0%")
h100_basic_1ki_threads_over_256_threads_time = ms("basic", threads=1024, **h100_chapter_02) / h100_basic_256_threads_ms
blocks_1024_h100 = value(h100_basic_1ki_threads_over_256_threads_time - 1, "+.0%")
basic_1ki_threads_over_256_threads_time = ms("basic", chapter="02", threads=1024) / basic_256_threads_ms
blocks_1024_h200 = value(basic_1ki_threads_over_256_threads_time - 1, "+.0%")
t4_coarsen2_over_basic_256_threads_time = (
    ms("coarsen2", chapter="03", device="t4", threads=256) / t4_basic_256_threads_ms
)
two_neighbours_thread_t4 = value(t4_coarsen2_over_basic_256_threads_time - 1, "+.0%")
a100_coarsen2_over_basic_256_threads_time = (
    ms("coarsen2", chapter="03", device="a100", threads=256) / a100_basic_256_threads_ms
)
two_neighbours_thread_a100 = value(a100_coarsen2_over_basic_256_threads_time - 1, "+.0%")
h100_neighbours_x2_over_basic_256_threads = (
    ms("neighbours_x2", chapter="03", threads=256, device=H100) / h100_basic_256_threads_ms
)
two_neighbours_thread_h100 = value(h100_neighbours_x2_over_basic_256_threads - 1, "+.0%")
neighbours_x2_over_basic_256_threads_time = ms("neighbours_x2", chapter="03", threads=256) / basic_256_threads_ms
two_neighbours_thread_h200 = value(neighbours_x2_over_basic_256_threads_time - 1, "+.0%")
a100_coarsen4_over_basic_256_threads_time = (
    ms("coarsen4", chapter="03", device="a100", threads=256) / a100_basic_256_threads_ms
)
four_neighbours_thread_a100 = value(a100_coarsen4_over_basic_256_threads_time - 1, "+.0%")
h100_neighbours_x4_over_basic_256_threads = (
    ms("neighbours_x4", chapter="03", threads=256, device=H100) / h100_basic_256_threads_ms
)
four_neighbours_thread_h100 = value(h100_neighbours_x4_over_basic_256_threads - 1, "+.0%")
neighbours_x4_over_basic_256_threads_time = ms("neighbours_x4", chapter="03", threads=256) / basic_256_threads_ms
four_neighbours_thread_h200 = value(neighbours_x4_over_basic_256_threads_time - 1, "+.0%")
a100_float4_ms = ms("float4", chapter="05", device="a100")
a100_float4_over_basic_256_threads_time = a100_float4_ms / a100_basic_256_threads_ms
sixteen_bytes_time_a100 = value(a100_float4_over_basic_256_threads_time - 1, "+.0%")
h100_float4_over_basic_256_threads_time = h100_float4_ms / h100_basic_256_threads_ms
sixteen_bytes_time_h100 = value(h100_float4_over_basic_256_threads_time - 1, "+.0%")
float4_over_basic_256_threads_time = float4_ms / basic_256_threads_ms
sixteen_bytes_time_h200 = value(float4_over_basic_256_threads_time - 1, "+.0%")
claim(
    "two neighbours cost the card with the least bandwidth a fifth, and no other anything",
    between(1.18, t4_coarsen2_over_basic_256_threads_time, 1.24),
    less(
        max(
            a100_coarsen2_over_basic_256_threads_time,
            h100_neighbours_x2_over_basic_256_threads,
            neighbours_x2_over_basic_256_threads_time,
        ),
        1.01,
    ),
)
unnamed_explicit_ms = value(ms("explicit", chapter="12", phase="kernel", device="unnamed"), ".2f")
explicit_kernel_ms = value(ms("explicit", chapter="12", phase="kernel", n=2**24), ".2f")
claim("device memory's kernel takes a sixth there", between(5.5, unnamed_explicit_ms / explicit_kernel_ms, 6.5))
claim(
    "the sister lies between",
    ascending(
        a100_basic_1ki_threads_over_256_threads_time,
        h100_basic_1ki_threads_over_256_threads_time,
        basic_1ki_threads_over_256_threads_time,
    ),
    ascending(
        a100_coarsen4_over_basic_256_threads_time,
        h100_neighbours_x4_over_basic_256_threads,
        neighbours_x4_over_basic_256_threads_time,
    ),
    ascending(
        float4_over_basic_256_threads_time,
        h100_float4_over_basic_256_threads_time,
        a100_float4_over_basic_256_threads_time,
    ),
)
claim(
    "the newer the card, the more a change costs or gains",
    ascending(
        t4_basic_1ki_threads_over_256_threads_time,
        a100_basic_1ki_threads_over_256_threads_time,
        basic_1ki_threads_over_256_threads_time,
    ),
    at_least(a100_coarsen4_over_basic_256_threads_time, 1.1),
    less(a100_coarsen4_over_basic_256_threads_time, neighbours_x4_over_basic_256_threads_time),
    less(float4_over_basic_256_threads_time, a100_float4_over_basic_256_threads_time),
    at_most(a100_float4_over_basic_256_threads_time, 0.98),
)

# What a table must state before you compare it

unnamed_naive_row_gb = gb("naive_row", chapter="19", l1="on", device="unnamed")
unnamed_naive_col_gb = gb("naive_col", chapter="19", l1="on", device="unnamed")
chapter_15_unnamed = dict(chapter="15", device="unnamed")
unnamed_read_offset_alignment_offset_0_ms = ms("read_offset", topic="alignment", offset=0, **chapter_15_unnamed)
unnamed_read_offset_alignment_offset_11_ms = ms("read_offset", topic="alignment", offset=11, **chapter_15_unnamed)
costs_bandwidth = value(
    1 - unnamed_read_offset_alignment_offset_0_ms / unnamed_read_offset_alignment_offset_11_ms, ".1%"
)
unnamed_read_offset_unroll_offset_0_ms = ms("read_offset", topic="unroll", offset=0, **chapter_15_unnamed)
unnamed_read_offset_unroll_offset_11_ms = ms("read_offset", topic="unroll", offset=11, **chapter_15_unnamed)
begins_time_other_do = value(
    1 - unnamed_read_offset_unroll_offset_0_ms / unnamed_read_offset_unroll_offset_11_ms, ".1%"
)
unnamed_unroll_over_alignment_offset_0 = (
    unnamed_read_offset_unroll_offset_0_ms / unnamed_read_offset_alignment_offset_0_ms
)
second_table_time_longer = value(unnamed_unroll_over_alignment_offset_0 - 1, ".0%")
unnamed_device_16mi_ms = ms("device", chapter="11", n=2**24, device="unnamed")
per_unnamed_device_16mi_ms_millions = value(3 * 2**24 * 4 / unnamed_device_16mi_ms / 1000000.0, ".0f")
unnamed_copy_row_gb = value(gb("copy_row", chapter="19", block=None, device="unnamed"), ".0f")
pageable_copy_device_against_article = value(
    ratio(ms, "pageable", "pinned", chapter="10", direction="h2d", device="unnamed"),
    ".1f",
)
pageable_copy_device_against_h200 = value(
    ratio(ms, "pageable_to_device", "pinned_to_device", chapter="10", n=2**28), ".1f"
)
unnamed_mapped_16mi_ms = ms("mapped", chapter="11", n=2**24, device="unnamed")
unnamed_mapped_over_device_16mi_time = value(unnamed_mapped_16mi_ms / unnamed_device_16mi_ms, ".1f")
mapped_16mi_ms = ms("mapped", chapter="11", n=2**24, passes=1)
addition_64_mib_host_h200 = value(mapped_16mi_ms / ms("device", chapter="11", n=2**24, passes=1), ".1f")
unnamed_managed_ms = value(ms("managed", chapter="12", phase="kernel", device="unnamed"), ".1f")
unnamed_managed_over_explicit_time = value(unnamed_managed_ms / unnamed_explicit_ms, ".0f")
managed_ms = value(ms("managed", chapter="12", phase="kernel", n=2**24), ".1f")
managed_over_explicit_kernel_time = value(managed_ms / explicit_kernel_ms, ".0f")
unnamed_naive_col_over_row = value(unnamed_naive_col_gb / unnamed_naive_row_gb, ".1f")
naive_row_over_column_time = value(
    ms("naive_row", chapter="19") / ms("naive_column", chapter="19", block="32x8"), ".1f"
)
kib_h200_fourth = value(ratio(ms, "pageable_to_device", "pinned_to_device", chapter="10", n=2**14), ".1f")
claim(
    "the factors of the newer card are larger",
    less(pageable_copy_device_against_article, pageable_copy_device_against_h200),
    less(unnamed_naive_col_over_row, naive_row_over_column_time),
    less(unnamed_mapped_over_device_16mi_time, addition_64_mib_host_h200),
)

# Block sizes on older cards

block_sizes_older_cards_table = table("02_threads_per_block", device="a100", columns="variant, threads, ms, relative")
block_sizes_older_cards_table_2 = table("02_threads_per_block", device="t4", columns="variant, threads, ms, relative")
t4_basic_512_threads_ms = ms("basic", chapter="02", device="t4", threads=512)
most_t4_basic_over_least_t4_basic_time = max(
    t4_basic_256_threads_ms, t4_basic_512_threads_ms, t4_basic_1ki_threads_ms
) / min(t4_basic_256_threads_ms, t4_basic_512_threads_ms, t4_basic_1ki_threads_ms)
all_three_within_a100 = value(most_t4_basic_over_least_t4_basic_time - 1, ".1%")
blocks_1024_a100_percent = value(blocks_1024_a100, ".0%")
blocks_1024_h200_percent = value(blocks_1024_h200, ".0%")
claim("on a T4 the block size hardly matters", at_most(most_t4_basic_over_least_t4_basic_time, 1.01))
claim(
    "the large block costs more on an A100 than on a T4",
    at_least(a100_basic_1ki_threads_over_256_threads_time / t4_basic_1ki_threads_over_256_threads_time, 1.02),
)
claim(
    "and more on an H200 than on an A100",
    at_least(basic_1ki_threads_over_256_threads_time / a100_basic_1ki_threads_over_256_threads_time, 1.05),
)
claim(
    "512 is ahead on the older cards",
    faster(t4_basic_512_threads_ms, t4_basic_256_threads_ms),
    faster(ms("basic", chapter="02", device="a100", threads=512), a100_basic_256_threads_ms),
)

# Coarsening on an A100

coarsening_a100_table = table("02,03", device="a100", columns="variant, threads, per_thread, ms, relative")
claim("four neighbours cost time on an A100", at_least(a100_coarsen4_over_basic_256_threads_time, 1.1))

# Asynchronous calls on an A100

asynchronous_calls_a100_table = table("04_async_memcpy", device="a100", columns="variant, ms, relative")
a100_memcpy_calls_apart = max(
    ms("cudaMemcpy", chapter="04", device="a100"), ms("cudaMemcpyAsync", chapter="04", device="a100")
) / ms("cudaMemcpyAsync+cudaStreamSynchronize", chapter="04", device="a100")
three_forms_within_other = value(a100_memcpy_calls_apart - 1, ".1%")
claim("the published forms tie", at_most(a100_memcpy_calls_apart, 1.02))

# Sixteen bytes at a time on an A100

sixteen_bytes_time_a100_table = table("05_float4", device="a100", columns="variant, ms, relative")
a100_float4_float2_tail_ms = ms("float4+float2_tail", chapter="05", device="a100")
claim(
    "published forms lie within two percent",
    at_most(a100_float4_ms / a100_float4_float2_tail_ms, 1.02),
    at_most(ms("float4_parameters", chapter="05", device="a100") / a100_float4_float2_tail_ms, 1.02),
)

# How wide a copy must be on an RTX 3090

rtx3090_vector_8_b_gb = gb("vector_8B", chapter="06", device="rtx3090", unit=1, n=2**27)
rtx3090_cuda_memcpy_async_gb = gb("cudaMemcpyAsync", chapter="06", device="rtx3090", unit=1, n=2**27)
word8_over_cuda_memcpy_async = ratio(gb, "word8", "cudaMemcpyAsync", chapter="06", unit=1, n=2**27)
word8_behind_cuda_memcpy_async = value(1 - word8_over_cuda_memcpy_async, ".0%")
claim("8 bytes were enough on the RTX 3090", between(0.98, rtx3090_vector_8_b_gb / rtx3090_cuda_memcpy_async_gb, 1.03))
claim("8 bytes are not enough on the H200", at_most(word8_over_cuda_memcpy_async, 0.95))
claim("the memory is five times as fast", between(4.5, peak / device("peak_gb_per_s", device="rtx3090"), 5.5))

# Page-locked memory (10)

host_article = value(
    ratio(ms, "pageable", "pinned", chapter="10", direction="d2h", device="unnamed"),
    ".1f",
)
host_h200_64_kib = value(ratio(ms, "pageable_to_host", "pinned_to_host", chapter="10", n=2**14), ".1f")
host_h200_1_gib = value(ratio(ms, "pageable_to_host", "pinned_to_host", chapter="10", n=2**28), ".1f")
claim(
    "the published times have pinned memory ahead",
    at_least(pageable_copy_device_against_article, 1.2),
    at_least(host_article, 1.2),
)
claim(
    "from 1 MiB on our factors are larger",
    at_least(
        min(
            ratio(ms, "pageable_to_device", "pinned_to_device", chapter="10", n=2**18),
            ratio(ms, "pageable_to_device", "pinned_to_device", chapter="10", n=2**22),
            ratio(ms, "pageable_to_device", "pinned_to_device", chapter="10", n=2**26),
            ratio(ms, "pageable_to_device", "pinned_to_device", chapter="10"),
        )
        / pageable_copy_device_against_article,
        1.15,
    ),
)
page_locked_memory_10_table = table("10_pinned_memory", device="unnamed", columns="variant, direction, ms")

# Mapped memory (11)

mapped_over_device_256_time = value(ratio(ms, "mapped", "device", chapter="11", n=2**8, passes=1), ".1f")
unnamed_mapped_over_device_256_time = value(
    ratio(ms, "mapped", "device", chapter="11", n=2**8, device="unnamed"),
    ".1f",
)
mapped_over_device_1ki_time = value(ratio(ms, "mapped", "device", chapter="11", n=2**10, passes=1), ".1f")
unnamed_mapped_over_device_1ki_time = value(
    ratio(ms, "mapped", "device", chapter="11", n=2**10, device="unnamed"),
    ".1f",
)
mapped_over_device_4ki_time = value(ratio(ms, "mapped", "device", chapter="11", n=2**12, passes=1), ".1f")
unnamed_mapped_over_device_4ki_time = value(
    ratio(ms, "mapped", "device", chapter="11", n=2**12, device="unnamed"),
    ".1f",
)
mapped_over_device_16ki_time = value(ratio(ms, "mapped", "device", chapter="11", n=2**14, passes=1), ".1f")
unnamed_mapped_over_device_16ki_time = value(
    ratio(ms, "mapped", "device", chapter="11", n=2**14, device="unnamed"),
    ".1f",
)
mapped_over_device_64ki_time = value(ratio(ms, "mapped", "device", chapter="11", n=2**16, passes=1), ".1f")
unnamed_mapped_over_device_64ki_time = value(
    ratio(ms, "mapped", "device", chapter="11", n=2**16, device="unnamed"),
    ".1f",
)
mapped_over_device_256ki_time = value(ratio(ms, "mapped", "device", chapter="11", n=2**18, passes=1), ".1f")
published_1_mib = value(
    ratio(ms, "mapped", "device", chapter="11", n=2**18, device="unnamed"),
    ".1f",
)
mapped_over_device_1mi_time = value(ratio(ms, "mapped", "device", chapter="11", n=2**20, passes=1), ".1f")
unnamed_mapped_over_device_1mi_time = value(
    ratio(ms, "mapped", "device", chapter="11", n=2**20, device="unnamed"),
    ".1f",
)
mapped_over_device_4mi_time = value(ratio(ms, "mapped", "device", chapter="11", n=2**22, passes=1), ".1f")
unnamed_mapped_over_device_4mi_time = value(
    ratio(ms, "mapped", "device", chapter="11", n=2**22, device="unnamed"),
    ".1f",
)
unnamed_mapped_over_device_16mi_time_rounded = value(unnamed_mapped_over_device_16mi_time, ".0f")
device_gb = gb("device", chapter="11", n=2**24)
per_unnamed_mapped_16mi_ms_millions = value(3 * 2**24 * 4 / unnamed_mapped_16mi_ms / 1000000.0, ".0f")
mapped_gb = value(gb("mapped", chapter="11", n=2**24, passes=1), ".0f")
claim(
    "the published slowdown levels off well below ours",
    at_least(mapped_16mi_ms / ms("device", chapter="11", n=2**24) / unnamed_mapped_over_device_16mi_time, 2),
)
claim(
    "the two cards differ in memory far more than in the link",
    at_least(device_gb / per_unnamed_device_16mi_ms_millions / (mapped_gb / per_unnamed_mapped_16mi_ms_millions), 2),
)

# Managed memory (12)

factor_times = value(managed_over_explicit_kernel_time / unnamed_managed_over_explicit_time, ".1f")
managed_over_unnamed_managed_time = value(managed_ms / unnamed_managed_ms, ".1f")
claim("the published faults took less long", between(0.4, unnamed_managed_ms / managed_ms, 0.8))
claim(
    "the published first touch costs dozens of kernels, ours hundreds",
    more(unnamed_managed_over_explicit_time, 20),
    at_most(unnamed_managed_over_explicit_time / managed_over_explicit_kernel_time, 0.5),
)

# Misaligned reads (15)

read_offset_11_behind_offset_0 = value(
    1 - gb("read", chapter="15", offset=11) / gb("read", chapter="15", offset=0), ".1%"
)
write_alignment = value(
    1 - ms("write_offset", offset=0, **chapter_15_unnamed) / ms("write_offset", offset=11, **chapter_15_unnamed),
    ".1%",
)
write_offset_11_behind_offset_0 = value(
    1 - gb("write", chapter="15", offset=11) / gb("write", chapter="15", offset=0), ".1%"
)
unrolled_unroll = value(
    1
    - ms("read_offset_unroll4", topic="unroll", offset=0, **chapter_15_unnamed)
    / ms("read_offset_unroll4", topic="unroll", offset=11, **chapter_15_unnamed),
    ".1%",
)
unrolled_offset_0_512_threads_gb = gb("unrolled", chapter="15", offset=0, threads=512)
unrolled_h200 = value(
    1 - gb("unrolled", chapter="15", offset=11, threads=512) / unrolled_offset_0_512_threads_gb, ".1%"
)
read_load_efficiency = value(count("read", "load_efficiency", chapter="15", offset=11), ".0%")
threads_ahead_claim = value(
    gb("unrolled", chapter="15", offset=0, threads=128) / unrolled_offset_0_512_threads_gb - 1, ".1%"
)
unnamed_offset_11_over_0 = unnamed_read_offset_alignment_offset_11_ms / unnamed_read_offset_alignment_offset_0_ms
claim(
    "the published effect differs between its tables by five times",
    less(
        5 * (unnamed_read_offset_unroll_offset_11_ms / unnamed_read_offset_unroll_offset_0_ms - 1),
        unnamed_offset_11_over_0 - 1,
    ),
)
claim(
    "and the kernel at offset 0 by more than the effect",
    less(unnamed_offset_11_over_0, unnamed_unroll_over_alignment_offset_0),
)
unnamed_read_offset_unroll4_offset_0_128 = ms(
    "read_offset_unroll4", topic="parallelism", offset=0, threads=128, **chapter_15_unnamed
)
claim(
    "blocks of 1024 are the slowest in both",
    at_least(
        ms("read_offset_unroll4", topic="parallelism", offset=0, threads=1024, **chapter_15_unnamed)
        / unnamed_read_offset_unroll4_offset_0_128,
        1.02,
    ),
    at_least(
        ms("read_offset_unroll4", topic="parallelism", offset=11, threads=1024, **chapter_15_unnamed)
        / ms("read_offset_unroll4", topic="parallelism", offset=11, threads=128, **chapter_15_unnamed),
        1.01,
    ),
    at_most(
        gb("unrolled", chapter="15", offset=0, threads=1024) / gb("unrolled", chapter="15", offset=0, threads=256), 0.98
    ),
)
claim(
    "the other published sizes differ by less than a percent",
    at_most(
        unnamed_read_offset_unroll4_offset_0_128
        / ms("read_offset_unroll4", topic="parallelism", offset=0, threads=512, **chapter_15_unnamed),
        1.01,
    ),
)
misaligned_reads_15_table = table(
    "15_alignment",
    device="unnamed",
    where=lambda row: row.topic in ("alignment", "unroll"),
    columns="topic, variant, offset, ms",
)
parallelism_table = table(
    "15_alignment",
    device="unnamed",
    where=lambda row: row.topic == "parallelism",
    columns="variant, threads, offset, ms",
)

# Records of two fields (16)

records_two_fields_16_table = table("16_data_layout", device="unnamed", columns="variant, threads, ms, relative")

# Transpositions (19)

claim("there columns beat rows as well", at_least(unnamed_naive_col_over_row, 2))
unnamed_naive_col_8x16_gb = gb("naive_col", chapter="19", block="8x16", device="unnamed")
claim(
    "there 8 x 8 falls behind",
    at_most(gb("naive_col", chapter="19", block="8x8", device="unnamed") / unnamed_naive_col_8x16_gb, 0.8),
)
claim(
    "there narrow blocks beat wide ones as well",
    at_least(
        min(gb("naive_col", chapter="19", block="16x32", device="unnamed"), unnamed_naive_col_8x16_gb)
        / max(
            gb("naive_col", chapter="19", block="32x32", device="unnamed"),
            gb("naive_col", chapter="19", block="32x8", device="unnamed"),
        ),
        1.3,
    ),
)
transpositions_19_table = table("19_transpose", device="unnamed", columns="variant, block, l1, gb")
