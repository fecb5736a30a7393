"""The facts of the page "Results on other GPUs"."""

from tools.book.facts import *

page(
    "behind",
    needs="03",
    afterwards=[
        "say which results depend on the GPU and which on the kernel",
        "compare the published times of other GPUs with those of this book",
        "say what a table of times must state before it can be compared",
    ],
)
float4_gb = gb("float4", chapter="05", threads=256)
basic_02_256_threads_gb = gb("basic", chapter="02", threads=256)
float4_over_basic_02_256_threads = float4_gb / basic_02_256_threads_gb
float4_gain = value(float4_over_basic_02_256_threads - 1, ".0%")
h100_float4_gb = gb("float4", chapter="05", threads=256, device="nvidia-h100-80gb-hbm3")
h100_basic_02_256_threads_gb = gb("basic", chapter="02", threads=256, device="nvidia-h100-80gb-hbm3")
h100_float4_over_basic_02_256_threads = h100_float4_gb / h100_basic_02_256_threads_gb
gains_part = value(h100_float4_over_basic_02_256_threads - 1, ".0%")

# Predict

multiprocessors = device("multiprocessors")
h100_multiprocessors = device("multiprocessors", device="nvidia-h100-80gb-hbm3")
peak = value(device("peak_gb_per_s"), ",.0f")
h100_peak = value(device("peak_gb_per_s", device="nvidia-h100-80gb-hbm3"), ",.0f")
l2_bytes_mib = value(device("l2_bytes") / MiB, ".0f")
h100_l2_bytes_mib = value(device("l2_bytes", device="nvidia-h100-80gb-hbm3") / MiB, ".0f")
basic_64_threads_ms = value(ms("basic", chapter="02", threads=64), ".2f")
float_thread_64_peak_ms = value(basic_64_threads_ms * peak / h100_peak, ".2f")
basic_256_threads_ms = value(ms("basic", chapter="02", threads=256), ".2f")
same_256_peak_ms = value(basic_256_threads_ms * peak / h100_peak, ".2f")
float4_ms = value(ms("float4", chapter="05", threads=256), ".2f")
float4_by_peak_ms = value(float4_ms * peak / h100_peak, ".2f")
gather_ms = value(ms("gather", chapter="17", element_bytes=4, indices="random"), ".2f")
gather_by_peak_ms = value(gather_ms * peak / h100_peak, ".2f")
h100_basic_64_ms = value(ms("basic", chapter="02", threads=64, device="nvidia-h100-80gb-hbm3"), ".2f")
h100_basic_256_ms = value(ms("basic", chapter="02", threads=256, device="nvidia-h100-80gb-hbm3"), ".2f")
h100_float4_ms = value(ms("float4", chapter="05", threads=256, device="nvidia-h100-80gb-hbm3"), ".2f")
h100_gather_ms = value(
    ms("gather", chapter="17", element_bytes=4, indices="random", device="nvidia-h100-80gb-hbm3"), ".2f"
)
same_on_both = choice(
    """Which of the four takes as long on the H100 as on the H200?""",
    {
        "one float per thread, 64 threads per block": level(h100_basic_64_ms, basic_64_threads_ms, within=0.03),
        "the same, 256 threads": level(h100_basic_256_ms, basic_256_threads_ms, within=0.03),
        "four floats per thread": level(h100_float4_ms, float4_ms, within=0.03),
        "floats gathered at random": level(h100_gather_ms, gather_ms, within=0.03),
    },
    right="one float per thread, 64 threads per block",
    fold="""It takes {basic_64_threads_ms} ms on the H200 and {h100_basic_64_ms} ms on the H100. Its bottleneck is the launch of many small blocks, and both GPUs launch at the same rate.""",
)
gathered_on_a_slower_memory = number(
    """How long does the random gather, the last line of the table, take on the H100?""",
    h100_gather_ms,
    "8%",
    unit="ms",
    fold="""It is slower than on the H200, because its data comes from DRAM, and faster than the peaks predict, because it mostly waits for fetches of 64 bytes each.""",
)
blocked_x4_loads_first_over_x4 = gb("blocked_x4_loads_first", chapter="03", threads=256) / gb(
    "blocked_x4", chapter="03", threads=256
)
four_neighbours_h200 = value(blocked_x4_loads_first_over_x4 - 1, "+.0%")
h100_blocked_x4_loads_first_over_x4 = gb(
    "blocked_x4_loads_first", chapter="03", threads=256, device="nvidia-h100-80gb-hbm3"
) / gb("blocked_x4", chapter="03", threads=256, device="nvidia-h100-80gb-hbm3")
four_neighbours_h100 = value(h100_blocked_x4_loads_first_over_x4 - 1, "+.0%")
word16_over_element = gb("word16", chapter="06", unit=4, n=2**28) / gb("element", chapter="06", unit=4, n=2**28)
word16_gain_over_element = value(word16_over_element - 1, "+.0%")
h100_word16_over_element = gb("word16", chapter="06", unit=4, n=2**28, device="nvidia-h100-80gb-hbm3") / gb(
    "element", chapter="06", unit=4, n=2**28, device="nvidia-h100-80gb-hbm3"
)
h100_word16_gain = value(h100_word16_over_element - 1, "+.0%")
copy_async_over_direct = gb("copy_async", chapter="07") / gb("copy_direct", chapter="07")
h100_copy_async_over_direct = gb("copy_async", chapter="07", device="nvidia-h100-80gb-hbm3") / gb(
    "copy_direct", chapter="07", device="nvidia-h100-80gb-hbm3"
)
tile_padded_over_plain = gb("tile_padded", chapter="20") / gb("tile_plain", chapter="20")
h100_tile_padded_over_plain = gb("tile_padded", chapter="20", device="nvidia-h100-80gb-hbm3") / gb(
    "tile_plain", chapter="20", device="nvidia-h100-80gb-hbm3"
)
ring_ahead_over_look_back = gb("ring_ahead", chapter="29") / gb("look_back", chapter="29", bytes_per_thread=128)
h100_ring_ahead_over_look_back = gb("ring_ahead", chapter="29", device="nvidia-h100-80gb-hbm3") / gb(
    "look_back", chapter="29", bytes_per_thread=128, device="nvidia-h100-80gb-hbm3"
)
per_lane_over_block = gb("per_lane", chapter="30", elements="bytes", values="uniform", n=2**30) / gb(
    "per_block", chapter="30", elements="bytes", values="uniform", n=2**30
)
h100_per_lane_over_block = gb(
    "per_lane", chapter="30", elements="bytes", values="uniform", n=2**30, device="nvidia-h100-80gb-hbm3"
) / gb("per_block", chapter="30", elements="bytes", values="uniform", n=2**30, device="nvidia-h100-80gb-hbm3")
registers_8_ahead_over_0_ahead = gb("registers", chapter="36", ahead=8, filled="no") / gb(
    "registers", chapter="36", ahead=0, filled="no"
)
registers_ahead_gain = value(registers_8_ahead_over_0_ahead - 1, "+.0%")
h100_registers_8_ahead_over_0_ahead = gb(
    "registers", chapter="36", ahead=8, filled="no", device="nvidia-h100-80gb-hbm3"
) / gb("registers", chapter="36", ahead=0, filled="no", device="nvidia-h100-80gb-hbm3")
registers_ahead_h100 = value(h100_registers_8_ahead_over_0_ahead - 1, "+.0%")
basic_512_threads_over_02_256_threads = gb("basic", chapter="02", threads=512) / basic_02_256_threads_gb
h200_512_block_256 = value(basic_512_threads_over_02_256_threads - 1, "+.0%")
h100_basic_512_over_256_threads = (
    gb("basic", chapter="02", threads=512, device="nvidia-h100-80gb-hbm3") / h100_basic_02_256_threads_gb
)
h100_512_block_256 = value(h100_basic_512_over_256_threads - 1, "+.0%")
# Ask what each kernel waits for

claim(
    "one goes with the SMs, one with the memory, two between",
    level(h100_basic_64_ms, basic_64_threads_ms, within=0.02),
    level(h100_float4_ms, float4_by_peak_ms, within=0.03),
    at_least(h100_basic_256_ms / basic_256_threads_ms, 1.1),
    at_most(h100_basic_256_ms / same_256_peak_ms, 0.95),
    at_least(h100_gather_ms / gather_ms, 1.1),
    at_most(h100_gather_ms / gather_by_peak_ms, 0.97),
)

# Two comparisons change direction

one_kernel_ms = ms("one_kernel", chapter="39")
graph_ms = ms("graph", chapter="39")
one_kernel_behind_graph = value(1 - one_kernel_ms / graph_ms, "+.0%")
h100_one_kernel_ms = ms("one_kernel", chapter="39", device="nvidia-h100-80gb-hbm3")
h100_graph_ms = ms("graph", chapter="39", device="nvidia-h100-80gb-hbm3")
h100_one_kernel_behind_graph = value(1 - h100_one_kernel_ms / h100_graph_ms, "+.0%")
global_ms = ms("global", chapter="38", values="uniform", counters=2**16)
remote_ms = ms("dsmem_atomics", chapter="38", values="uniform", blocks=2, counters=2**16)
twice_remote_behind_global = value(1 - 2 * remote_ms / global_ms, "+.0%")
h100_global_ms = ms("global", chapter="38", values="uniform", counters=2**16, device="nvidia-h100-80gb-hbm3")
h100_remote_ms = ms(
    "dsmem_atomics", chapter="38", values="uniform", blocks=2, counters=2**16, device="nvidia-h100-80gb-hbm3"
)
remote_addition_h100 = value(1 - 2 * h100_remote_ms / h100_global_ms, "+.0%")

# Most advice holds, and is worth less

float4_gain_signed = value(float4_gain, "+.0%")
gains_part_signed = value(gains_part, "+.0%")
latency_peak = value(
    ns("chase", chapter="21", table=GiB, order="random", device="nvidia-h100-80gb-hbm3")
    * h100_peak
    / h100_multiprocessors
    / KiB,
    ".1f",
)
kib_sm_twice = value(
    ns("chase", chapter="21", table=GiB, order="random") * peak / multiprocessors / KiB, ".1f"
)
h100_basic_share = value(share("basic", chapter="01", threads=256, device="nvidia-h100-80gb-hbm3"), ".0%")
basic_share = value(share("basic", chapter="01", threads=256), ".0%")
claim(
    "the order is the same on both and the H100 gains or loses less",
    at_least(h100_float4_over_basic_02_256_threads, 1.02),
    at_most(h100_float4_over_basic_02_256_threads / float4_over_basic_02_256_threads, 0.95),
    at_least(h100_blocked_x4_loads_first_over_x4, 1.02),
    at_most(h100_blocked_x4_loads_first_over_x4 / blocked_x4_loads_first_over_x4, 0.95),
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
    "a graph is ahead of the one kernel on the sister",
    at_most(h100_graph_ms / h100_one_kernel_ms, 0.99),
    at_least(graph_ms / one_kernel_ms, 1.01),
)
claim(
    "additions across a cluster exceed the L2's on the sister alone",
    less(1.1 / h100_global_ms, 0.5 / h100_remote_ms),
    less(0.5 / remote_ms, 1 / global_ms),
)
claim("one float per thread leaves less of the slower memory", at_least(h100_basic_share / basic_share, 1.08))
claim(
    "and float4 gains on both",
    at_least(h100_float4_gb / gb("basic", chapter="01", threads=256, device="nvidia-h100-80gb-hbm3"), 1.05),
    at_least(float4_gb / gb("basic", chapter="01", threads=256), 1.05),
)

# What a table must state before you compare it

second_table_time_longer = value(
    ms("read_offset", chapter="15", device="unnamed", topic="unroll", offset=0)
    / ms("read_offset", chapter="15", device="unnamed", topic="alignment", offset=0)
    - 1,
    ".0%",
)
