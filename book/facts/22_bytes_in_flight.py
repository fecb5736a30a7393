"""The facts of the page "Bytes in flight: Little's law and queueing latency"."""

from tools.book.facts import *

peak, multiprocessors = device("peak_gb_per_s"), device("multiprocessors")


def waiting(rate):
    """How many loads wait before one in an open queue, in units of its service time, at a bandwidth in GB/s."""
    return rate / peak / (1 - rate / peak)


def latency(in_flight, rate):
    """ns that a load takes, by Little's law: bytes in flight on each SM over the bandwidth in GB/s."""
    return in_flight * multiprocessors / rate


def bandwidth(in_flight, idle):
    """GB/s at which so many bytes in flight on each SM last as long as a load takes that waits in the queue,
    `idle` ns where nobody waits: the root of a square equation."""
    loaded = peak * idle + in_flight * multiprocessors
    return ((loaded**2 + 4 * peak * (queue_ns - idle) * in_flight * multiprocessors) ** 0.5 - loaded) / (
        2 * (queue_ns - idle)
    )


# The rows of 4-byte loads from 8 and from all 64 warps give the two constants of the queue.
few, all_warps = gb("read", width=4, loads=1, warps=8), gb("read", width=4, loads=1, warps=64)
queue_ns = value((latency(8192, all_warps) - latency(1024, few)) / (waiting(all_warps) - waiting(few)), ".0f")
idle_ns = value(latency(1024, few) - queue_ns * waiting(few), ".0f")


page(
    "core",
    needs="05 06 21",
    afterwards=[
        "compute how many bytes must be in flight on a GPU",
        "explain why the last 10% of the bandwidth needs more bytes in flight than the first 90%",
    ],
)
chase_ns = value(ns("chase", table=GiB, order="random", chapter="21"), ".0f")
needed_mib = value(peak * chase_ns / MiB, ".1f")

# Predict

wide_32_warps_gb = gb("read", width=16, loads=1, warps=32)
wide_64_warps_gb = gb("read", width=16, loads=1, warps=64)
half_of_the_warps_percent = value(100 * wide_32_warps_gb / wide_64_warps_gb, ".0f")
half_of_the_places = number(
    """A kernel reads an array in a loop. Its warps occupy all 64 warp slots of each SM, and each lane has one 16-byte load in flight. Then you launch half as many warps. How much of the bandwidth remains?""",
    half_of_the_warps_percent,
    "a factor of 1.2",
    unit="percent",
    fold="""Half of the warps read {wide_32_warps_gb} GB/s, all of them {wide_64_warps_gb} GB/s.""",
)
floats_2_loads_64_warps_gb = gb("read", width=4, loads=2, warps=64)
floats_over_wide_16_kib = floats_2_loads_64_warps_gb / wide_32_warps_gb
warps_or_width = choice(
    """16 KiB are in flight per SM: two 4-byte loads per lane in 64 warps, or one 16-byte load per lane in 32 warps. Which is faster?""",
    {
        "many warps": at_least(floats_over_wide_16_kib, 1.05),
        "they are about equal": level(floats_2_loads_64_warps_gb, wide_32_warps_gb, within=0.05),
        "wide loads": at_most(floats_over_wide_16_kib, 0.95),
    },
    right="they are about equal",
    fold="""The 4-byte loads reach {floats_2_loads_64_warps_gb} GB/s, the 16-byte loads {wide_32_warps_gb} GB/s.""",
)
bytes_64_warps_gb = gb("read", width=1, loads=1, warps=64)
sixteen_times_bytes_gb = value(16 * bytes_64_warps_gb, ",.0f")
bytes_over_wide_64_warps = bytes_64_warps_gb / wide_64_warps_gb
loads_of_a_byte = choice(
    """All slots are occupied again, but each lane has one byte in flight instead of 16. How much of the bandwidth remains?""",
    {
        "a sixteenth": at_most(bytes_over_wide_64_warps, 0.1),
        "about a sixth": between(0.1, bytes_over_wide_64_warps, 0.25),
        "a third or more": at_least(bytes_over_wide_64_warps, 0.25),
    },
    right="about a sixth",
    fold="""The 1-byte loads reach {bytes_64_warps_gb} GB/s, the 16-byte loads {wide_64_warps_gb} GB/s. Memory limits the 16-byte loads: 16 times {bytes_64_warps_gb} would be {sixteen_times_bytes_gb} GB/s, far above the peak.""",
)

# Memory transactions

read_counts = counts(
    "22_bytes_in_flight",
    where=lambda row: row.variant == "read" and row.warps == 64 and (row.loads == 1),
    columns="variant, width, loads, warps, in_flight, load_requests, load_sectors, load_sectors_per_request, load_efficiency",
)
claim(
    "every width moves the same sectors",
    equal(
        count("read", "load_sectors", width=1, loads=1, warps=64),
        count("read", "load_sectors", width=16, loads=1, warps=64),
    ),
)
claim(
    "sixteen bytes make a sixteenth of the requests",
    equal(
        16 * count("read", "load_requests", width=16, loads=1, warps=64),
        count("read", "load_requests", width=1, loads=1, warps=64),
    ),
)

# Results

in_flight_chart = chart(
    "22_bytes_in_flight",
    where=lambda row: row.variant == "read" and row.loads == 1 and (row.width == 16),
    x="in_flight",
    lines="width",
    name="in_flight",
    title="Read bandwidth, by the bytes in flight per SM",
)
read_table = table(
    "22_bytes_in_flight", where=lambda row: row.variant == "read", columns="width, loads, warps, in_flight, cold"
)
best_read_gb = best("read")
wide_16_warps_gb = gb("read", width=16, loads=1, warps=16)
best_row_8_kib = value(wide_16_warps_gb / best_read_gb, ".0%")
best_row_16_kib = value(wide_32_warps_gb / best_read_gb, ".0%")
wide_48_warps_gb = gb("read", width=16, loads=1, warps=48)
read_40_warps_gb = gb("read", width=16, loads=1, warps=40)
best_row_20_kib = value(read_40_warps_gb / best_read_gb, ".0%")
best_row_24_kib = value(wide_48_warps_gb / best_read_gb, ".0%")
best_row_32_kib = value(wide_64_warps_gb / best_read_gb, ".0%")
wide_4_loads_32_warps_gb = gb("read", width=16, loads=4, warps=32)
best_row_64_kib_four_loads = value(wide_4_loads_32_warps_gb / best_read_gb, ".0%")
wide_4_loads_64_warps_gb = gb("read", width=16, loads=4, warps=64)
in_flight_whole_card_mib = value(latency(24 * KiB, MiB), ".1f")
needed_kib_of_this_card = value(peak * chase_ns / multiprocessors / KiB, ".1f")
claim("16 KiB in flight are not nine tenths, 20 are", at_most(best_row_16_kib, 0.9), at_least(best_row_20_kib, 0.9))
claim(
    "8 KiB are more than half, and 24, twice peak bandwidth times idle latency, are 95%",
    at_least(best_row_8_kib, 0.5),
    between(0.94, best_row_24_kib, 0.96),
    between(1.8, 24 / needed_kib_of_this_card, 2.2),
)
claim("32 KiB are more", at_least(best_row_32_kib, 0.93))
slower_64_kib = min(wide_4_loads_32_warps_gb / best_read_gb, gb("read", width=4, loads=8, warps=64) / best_read_gb)
from_64_kib_apart = value(1 - slower_64_kib, ".1%")
claim(
    "64 KiB are within three percent of the best",
    at_least(slower_64_kib, 0.97),
)
pairs_64_warps_gb = gb("read", width=8, loads=1, warps=64)
wide_4_loads_8_warps_gb = gb("read", width=16, loads=4, warps=8)
bytes_8_loads_64_warps_gb = gb("read", width=1, loads=8, warps=64)
floats_8_warps_gb = gb("read", width=4, loads=1, warps=8)
round_of_floats_ns = value(latency(1024, floats_8_warps_gb), ".0f")
wide_8_warps_gb = gb("read", width=16, loads=1, warps=8)
wide_round_8_warps_ns = value(latency(4096, wide_8_warps_gb), ".0f")
claim(
    "as many bytes in flight, and behind",
    at_most(wide_4_loads_8_warps_gb / wide_32_warps_gb, 0.95),
    between(0.4, bytes_8_loads_64_warps_gb / wide_32_warps_gb, 0.6),
)
claim(
    "as many bytes in flight, about as fast",
    level(floats_2_loads_64_warps_gb, wide_32_warps_gb, within=0.1),
    level(pairs_64_warps_gb, wide_32_warps_gb, within=0.1),
)

# With little in flight, Little's law gives the time of an iteration

read_4_bytes_16_warps_gb = gb("read", width=4, loads=1, warps=16)
read_4_bytes_32_warps_gb = gb("read", width=4, loads=1, warps=32)
claim(
    "while memory is idle, twice the warps are twice the bandwidth",
    between(1.9, read_4_bytes_16_warps_gb / floats_8_warps_gb, 2.05),
    between(1.85, read_4_bytes_32_warps_gb / read_4_bytes_16_warps_gb, 2.05),
)
claim("a round takes a little more than the latency of a load", between(1, round_of_floats_ns / chase_ns, 1.2))

# Latency grows with load: a queueing model

round_ns_16 = value(latency(8192, wide_16_warps_gb), ".0f")
round_ns_32 = value(latency(16384, wide_32_warps_gb), ".0f")
round_ns_64 = value(latency(32768, wide_64_warps_gb), ".0f")
claim(
    "the latency grows with the load, and ever faster",
    less(wide_round_8_warps_ns, round_ns_16),
    less(round_ns_16, round_ns_32),
    less(round_ns_32, round_ns_64),
    less(2 * (round_ns_32 - round_ns_16), round_ns_64 - round_ns_32),
)
bandwidth_of_idle_at_16ki = value(bandwidth(16 * KiB, idle_ns), ",.0f")
queue_at_16_kib_ns = value(queue_ns * waiting(bandwidth_of_idle_at_16ki), ".0f")
idle_ns_and_s_queue_adds = value(idle_ns + queue_at_16_kib_ns, ".0f")
busy_at_16_kib = value(bandwidth_of_idle_at_16ki / peak, ".2f")
latency_of_idle_at_4ki = value(latency(4 * KiB, idle_ns), ",.0f")
bandwidth_of_idle_at_4ki = value(bandwidth(4 * KiB, idle_ns), ",.0f")
latency_of_idle_at_8ki = value(latency(8 * KiB, idle_ns), ",.0f")
bandwidth_of_idle_at_8ki = value(bandwidth(8 * KiB, idle_ns), ",.0f")
latency_of_idle_at_12ki = value(latency(12 * KiB, idle_ns), ",.0f")
bandwidth_of_idle_at_12ki = value(bandwidth(12 * KiB, idle_ns), ",.0f")
read_24_warps_gb = gb("read", width=16, loads=1, warps=24)
latency_of_idle_at_16ki = value(latency(16 * KiB, idle_ns), ",.0f")
latency_of_idle_at_20ki = value(latency(20 * KiB, idle_ns), ",.0f")
bandwidth_of_idle_at_20ki = value(bandwidth(20 * KiB, idle_ns), ",.0f")
latency_of_idle_at_24ki = value(latency(24 * KiB, idle_ns), ",.0f")
bandwidth_of_idle_at_24ki = value(bandwidth(24 * KiB, idle_ns), ",.0f")
latency_of_idle_at_28ki = value(latency(28 * KiB, idle_ns), ",.0f")
bandwidth_of_idle_at_28ki = value(bandwidth(28 * KiB, idle_ns), ",.0f")
read_56_warps_gb = gb("read", width=16, loads=1, warps=56)
latency_of_idle_at_32ki = value(latency(32 * KiB, idle_ns), ",.0f")
bandwidth_of_idle_at_32ki = value(bandwidth(32 * KiB, idle_ns), ",.0f")
round_of_4_kib_floats_ns = value(latency(4096, read_4_bytes_32_warps_gb), ".0f")
queue_over_measured = [
    bandwidth_of_idle_at_12ki / read_24_warps_gb,
    bandwidth_of_idle_at_16ki / wide_32_warps_gb,
    bandwidth_of_idle_at_20ki / read_40_warps_gb,
    bandwidth_of_idle_at_24ki / wide_48_warps_gb,
    bandwidth_of_idle_at_28ki / read_56_warps_gb,
    bandwidth_of_idle_at_32ki / wide_64_warps_gb,
]
queue_error = value(max(max(queue_over_measured) - 1, 1 - min(queue_over_measured)), ".1%")
claim(
    "the queue predicts the bandwidth to four percent from 12 KiB on, about four loads ahead at 16 KiB",
    at_most(queue_error, 0.04),
    between(3.8, waiting(bandwidth_of_idle_at_16ki), 4.2),
)
wide_8_warps_behind_queue = value(1 - wide_8_warps_gb / bandwidth_of_idle_at_4ki, ".0%")
wide_16_warps_behind_queue = value(1 - wide_16_warps_gb / bandwidth_of_idle_at_8ki, ".0%")
claim(
    "with hardly a queue the wide requests are behind",
    between(0.04, wide_8_warps_behind_queue, 0.09),
    between(0.04, wide_16_warps_behind_queue, 0.09),
    less(latency(1.04 * 4096, read_4_bytes_32_warps_gb), wide_round_8_warps_ns),
)
error_without_queue = value(latency_of_idle_at_32ki / wide_64_warps_gb, ".1f")
claim("the law alone is off by up to three", between(2.5, error_without_queue, 3))
claim(
    "the queue predicts the latency at high load",
    level(
        round_of_floats_ns + queue_ns * (waiting(wide_32_warps_gb) - waiting(floats_8_warps_gb)),
        round_ns_32,
        within=0.15,
    ),
)
claim(
    "and still roughly where little is left",
    level(
        round_of_floats_ns + queue_ns * (waiting(wide_64_warps_gb) - waiting(floats_8_warps_gb)),
        round_ns_64,
        within=0.25,
    ),
)

# Vector addition loses more time to its stores than to empty slots

basic_gb = gb("basic", chapter="01", threads=256)
basic_times_2_over_3_gb = value(basic_gb * 2 / 3, ",.0f")
basic_warps_active = value(counter("basic", "warps_active_percent", chapter="01", threads=256, large=True), ".0f")
basic_kib_in_flight = value(16 * basic_warps_active / 100, ".0f")
float4_warps_active = value(counter("float4", "warps_active_percent", chapter="05", threads=1024, large=True), ".0f")
float4_gb = gb("float4", chapter="05", threads=1024)
by_hand_counters = counters(
    "01_basic_vecadd",
    where=lambda row: row.variant != "by_hand",
    columns="variant, load_requests, dram_bytes_read, warps_active_percent",
    large=True,
)
claim("about a quarter of the slots is empty", between(68, basic_warps_active, 80))
claim(
    "the libraries hardly use load instructions",
    at_most(
        counter("thrust::transform", "load_requests", chapter="01", large=True)
        / counter("basic", "load_requests", chapter="01", threads=256, large=True),
        0.05,
    ),
)
claim(
    "float4 is faster with fewer warps",
    at_least(float4_gb / basic_gb, 1.15),
    at_most(float4_warps_active / basic_warps_active, 0.95),
)

# A single load is delayed, but less than an iteration


def under_load(column, warps, memory="DRAM", mix="1:0", variant="idle_sm"):
    """A column of the pointer chase while so many warps of each other SM move bytes, each with 2 KiB of loads in flight."""
    return parameter(variant, column, chapter="claim_loaded_latency", memory=memory, mix=mix, warps=warps)


def little(warps):
    """ns of a loop iteration of the warps that read DRAM, by Little's law: all SMs but that of the chase read."""
    return under_load("bytes_per_sm", warps) * (multiprocessors - 1) / under_load("injected_gb_per_s", warps)


load_1_gb = value(under_load("injected_gb_per_s", 1), ",.0f")
load_1_probe = value(under_load("probe_ns", 1), ".0f")
load_1_little = value(little(1), ".0f")
load_4_gb = value(under_load("injected_gb_per_s", 4), ",.0f")
load_4_probe = value(under_load("probe_ns", 4), ".0f")
load_4_little = value(little(4), ".0f")
load_6_gb = value(under_load("injected_gb_per_s", 6), ",.0f")
load_8_gb = value(under_load("injected_gb_per_s", 8), ",.0f")
load_8_probe = value(under_load("probe_ns", 8), ".0f")
load_8_little = value(little(8), ".0f")
load_12_gb = value(under_load("injected_gb_per_s", 12), ",.0f")
load_12_probe = value(under_load("probe_ns", 12), ".0f")
load_12_little = value(little(12), ".0f")
load_14_gb = value(under_load("injected_gb_per_s", 14), ",.0f")
load_14_probe = value(under_load("probe_ns", 14), ".0f")
load_14_little = value(little(14), ".0f")
load_24_gb = value(under_load("injected_gb_per_s", 24), ",.0f")
load_24_probe = value(under_load("probe_ns", 24), ".0f")
load_24_little = value(little(24), ",.0f")
probe_grows_ns = value(load_14_probe - load_1_probe, ".0f")
little_grows_ns = value(load_14_little - load_1_little, ".0f")
probe_share_of_growth = probe_grows_ns / little_grows_ns
busy_apart = value(
    max(
        abs(under_load("probe_ns", warps, variant="busy_sm") / under_load("probe_ns", warps) - 1) for warps in (4, 8, 12, 16)
    ),
    ".1%",
)
load_14_share = value(load_14_gb / peak, ".0%")
mix_2_1_probe = value(under_load("probe_ns", 8, mix="2:1"), ".0f")
mix_1_1_probe = value(under_load("probe_ns", 8, mix="1:1"), ".0f")
mix_2_1_gb = value(under_load("injected_gb_per_s", 6, mix="2:1"), ",.0f")
mix_2_1_reads_gb = value(mix_2_1_gb * 2 / 3, ",.0f")
l2_gb = value(under_load("injected_gb_per_s", 8, memory="L2"), ",.0f")
l2_probe = value(under_load("probe_ns", 8, memory="L2"), ".0f")
l2_idle_probe = value(under_load("probe_ns", 0, memory="L2"), ".0f")
loaded_chart = chart(
    "claim_loaded_latency",
    where=lambda row: row.variant == "idle_sm" and row.memory == "DRAM" and 1 <= row.warps <= 16,
    x="injected_gb_per_s",
    y="probe_ns",
    lines="mix",
    name="loaded",
    title="Latency of a hop while other SMs move bytes, by reads to writes",
)
claim("the chase under hardly any load is that of chapter 21", level(load_1_probe, chase_ns, within=0.05))
claim(
    "every load waits, and an iteration for longer",
    between(0.45, probe_share_of_growth, 0.65),
    between(0.45, (load_24_probe - load_1_probe) / (load_24_little - load_1_little), 0.65),
)
claim("its own SM does not make it wait", less(busy_apart, 0.03))
claim(
    "writes make it wait longer at no higher bandwidth",
    ascending(1.2 * load_8_probe, mix_2_1_probe, mix_1_1_probe),
    less(
        max(under_load("injected_gb_per_s", 8, mix="2:1"), under_load("injected_gb_per_s", 8, mix="1:1")),
        under_load("injected_gb_per_s", 8),
    ),
)
claim(
    "stores take bandwidth from 12 KiB of loads",
    at_least(read_24_warps_gb / basic_times_2_over_3_gb, 1.3),
    at_most(mix_2_1_reads_gb / basic_times_2_over_3_gb, 1),
    at_most(mix_2_1_reads_gb / load_6_gb, 0.8),
)
claim("the L2 hardly does", less(l2_probe / l2_idle_probe, 1.1))

# Experiments

two_wide_loads = change(
    """
on gpu
- {read<uint4, 1>, 16, 1, {1, 2, 3, 4, 5, 6, 7, 8}},
+ {read<uint4, 1>, 16, 1, {1, 2, 3, 4, 5, 6, 7, 8}},
+ {read<uint4, 2>, 16, 2, {4}},
$ ./run 22 --variant read
shows read .* yes
"""
)
half_of_the_requests = change(
    """
- {read<unsigned char, 8>, 1, 8, {8}},
+ {read<unsigned char, 8>, 1, 8, {4, 8}},
$ ./run 22 --device cpu
shows ^read +256 +1 +8 +32 +8192 .* yes
"""
)
