"""The facts of the page "Stream compaction (select)"."""

from tools.book.facts import *

page(
    "side",
    needs="25 29",
    afterwards=[
        "compact an array in one launch, in order",
        "predict the cost of one atomic per element, with and without the compiler's aggregation",
    ],
)
atomic_half_ms = ms("atomic", kept="half")
atomic_over_ring_ahead = value(atomic_half_ms / ms("ring_ahead", kept="half"), ".0f")

# Predict

atomic_sectors = count("atomic", "atomic_sectors", kept="half")
warp_aggregated_atomic_sectors = count("warp_aggregated", "atomic_sectors", kept="half", bytes_per_thread=64)
atomic_over_warp_aggregated_atomic_sectors = value(atomic_sectors / warp_aggregated_atomic_sectors, ".0f")
turns_of_the_counter = number(
    """Half of the words are kept, at random. In one kernel each thread that keeps its word adds 1 to a counter. In another, one lane adds once for the 512 words of its warp. By what factor does the number of additions fall? (The CPU device counts one per lane.)""",
    atomic_over_warp_aggregated_atomic_sectors,
    "a factor of 1.1",
    fold="""From {atomic_sectors} serialized accesses to {warp_aggregated_atomic_sectors}.""",
)
warp_aggregated_half_bytes_per_thread_4_ms = ms("warp_aggregated", kept="half", bytes_per_thread=4)
atomic_ms_half_over_warp_aggregated_half = atomic_half_ms / warp_aggregated_half_bytes_per_thread_4_ms
one_lane_for_all = choice(
    """With one word per lane, one lane of each warp issues a single atomic for all words that the warp keeps. How much faster is that on a GPU than an atomic in each thread?""",
    {
        "about 16 times": more(atomic_ms_half_over_warp_aggregated_half, 8),
        "two to eight times": between(1.3, atomic_ms_half_over_warp_aggregated_half, 8),
        "not at all": at_most(atomic_ms_half_over_warp_aggregated_half, 1.3),
    },
    right="not at all",
    fold="""{atomic_half_ms} ms and {warp_aggregated_half_bytes_per_thread_4_ms} ms. The compiler already does it, as the counters below show.""",
)
ring_ahead_gb = gb("ring_ahead", kept="half")
cub_select_if_gb = gb("cub::DeviceSelect::If", kept="half")
ring_ahead_over_cub_select_if = ring_ahead_gb / cub_select_if_gb
against_cub = choice(
    """How does the best kernel of this page compare with cub::DeviceSelect, at 2^28 words of which half are kept?""",
    {
        "CUB is more than 5 percent faster": at_most(ring_ahead_over_cub_select_if, 0.95),
        "they are within 5 percent": level(ring_ahead_gb, cub_select_if_gb, within=0.05),
        "it is more than 5 percent faster than CUB": at_least(ring_ahead_over_cub_select_if, 1.05),
    },
    right="it is more than 5 percent faster than CUB",
    fold="{ring_ahead_gb} GB/s, and CUB {cub_select_if_gb}.",
)

# The kernels

look_back_registers = value(counter("look_back", "registers_per_thread", kept="half", large=True), ".0f")

# Memory transactions

count_counts = counts(
    "31_select",
    where=lambda row: row.kept == "half" and (not row.library) and (row.variant != "ring_ahead"),
    columns="variant, bytes_per_thread, load_sectors, store_requests, store_sectors, atomic_requests, atomic_sectors",
)
look_back_half_store_sectors = count("look_back", "store_sectors", kept="half")
sectors_a_store_kept_half = value(
    look_back_half_store_sectors / count("look_back", "store_requests", kept="half"), ".1f"
)
count_counters = counters(
    "31_select",
    large=True,
    where=lambda row: row.kept == "half" and row.variant in ("three_kernels", "look_back", "ring_ahead"),
    columns="variant, l2_write_sectors, dram_bytes_read, dram_bytes_written",
)
more_l2_sectors = value(counter("look_back", "l2_write_sectors", kept="half", large=True) / 2**22 - 1, ".0%")
claim(
    "parts of sectors come together in the L2",
    between(0.35, more_l2_sectors, 0.5),
    less(counter("look_back", "dram_bytes_read", kept="half", large=True), 1.01 * 2**28),
    less(counter("ring_ahead", "dram_bytes_read", kept="half", large=True), 1.01 * 2**28),
)
claim(
    "kept words are stored in more sectors than they fill",
    at_least(look_back_half_store_sectors / (count("look_back", "store_sectors", kept="all") / 2), 1.2),
)

# Results

half_chart = chart(
    "31_select",
    where=lambda row: row.kept == "half" and (row.variant != "warp_aggregated" or row.bytes_per_thread == 64),
    name="half",
    title="Half of 1 GiB of words kept",
)
half_table = table(
    "31_select", where=lambda row: row.kept == "half", columns="variant, bytes_per_thread, ms, cold, share, relative"
)
per_three_kernels_ms = value(10 * 2**28 / ms("three_kernels", kept="half") / 10**6, ",.0f")
half_table_2 = table(
    "31_select",
    where=lambda row: row.kept == "half" and row.n < 2**28,
    every_size=True,
    columns="n, variant, bytes_per_thread, ms, cold",
)
half_table_3 = table("31_select", where=lambda row: row.kept != "half", columns="variant, kept, bytes_per_thread, cold")
ring_ahead_16mi_gb = gb("ring_ahead", kept="half", n=2**24)
claim(
    "the grid that tells ahead is ahead of CUB at every size",
    at_least(ring_ahead_over_cub_select_if, 1.3),
    at_least(ring_ahead_16mi_gb / gb("cub::DeviceSelect::If", kept="half", n=2**24), 1.05),
    at_least(ratio(gb, "ring_ahead", "cub::DeviceSelect::If", kept="half", n=2**20), 1.01),
)

# One counter serializes all warps

aggregated_one_word_ms = value(warp_aggregated_half_bytes_per_thread_4_ms, ".2f")
one_counter_ns = value(ms("atomic", chapter="25", n=2**25, counters=1, order="ascending") * 10**6 / 2**25, ".2f")
turn_ns = value(warp_aggregated_half_bytes_per_thread_4_ms * 10**6 / 2**23, ".2f")
turns_ms = value(warp_aggregated_half_bytes_per_thread_4_ms / 16, ".2f")
aggregated_half_64_ms = value(ms("warp_aggregated", kept="half", bytes_per_thread=64), ".2f")
copy_gb_per_s = device("copy_gb_per_s")
copy_bytes_ms = value(4 * 2**28 / copy_gb_per_s / 10**6, ".2f")
turns_and_copy_ms = value(turns_ms + copy_bytes_ms, ".2f")
aggregated_none_64_ms = value(ms("warp_aggregated", kept="none", bytes_per_thread=64), ".2f")
copy_bytes_ms_2 = value(6 * 2**28 / copy_gb_per_s / 10**6, ".2f")
turns_and_copy_ms_2 = value(turns_ms + copy_bytes_ms_2, ".2f")
copy_bytes_ms_3 = value(8 * 2**28 / copy_gb_per_s / 10**6, ".2f")
turns_and_copy_ms_3 = value(turns_ms + copy_bytes_ms_3, ".2f")
warp_aggregated_all_ms = value(ms("warp_aggregated", kept="all", bytes_per_thread=64), ".2f")
measured_over_sums = (
    aggregated_none_64_ms / turns_and_copy_ms,
    aggregated_half_64_ms / turns_and_copy_ms_2,
    warp_aggregated_all_ms / turns_and_copy_ms_3,
)
least_longer_than_sum = value(min(*measured_over_sums) - 1, ".0%")
most_longer_than_sum = value(max(*measured_over_sums) - 1, ".0%")
claim("the serialized accesses are about half of it", between(0.35, turns_ms / aggregated_half_64_ms, 0.65))
claim(
    "turns and bytes one after the other are nine tenths of it or more, whatever is kept",
    between(0.87, turns_and_copy_ms / aggregated_none_64_ms, 1),
    between(0.87, turns_and_copy_ms_2 / aggregated_half_64_ms, 1),
    between(0.87, turns_and_copy_ms_3 / warp_aggregated_all_ms, 1),
)
warp_aggregated_bytes_per_thread_64_gb = gb("warp_aggregated", kept="half", bytes_per_thread=64)
claim(
    "fewer serialized accesses are what helps",
    at_least(warp_aggregated_bytes_per_thread_64_gb / gb("warp_aggregated", kept="half", bytes_per_thread=4), 4),
)

# Publishing early pays most with a ring

look_back_gb = gb("look_back", kept="half")
look_back_behind_cub = value(1 - look_back_gb / cub_select_if_gb, ".0%")
look_back_256_gb = value(gb("look_back", chapter="claim_ahead", threads=256, kept="half"), ",.0f")
look_back_1ki_gb = value(gb("look_back", chapter="claim_ahead", threads=1024, kept="half"), ",.0f")
persistent_gb = value(gb("persistent", chapter="claim_ahead", threads=1024, kept="half"), ",.0f")
persistent_ahead_gb = value(gb("persistent_ahead", chapter="claim_ahead", threads=1024, kept="half"), ",.0f")
ring_gb = value(gb("ring", chapter="claim_ahead", threads=1024, kept="half"), ",.0f")
ring_ahead_1ki_gb = value(gb("ring_ahead", chapter="claim_ahead", threads=1024, kept="half"), ",.0f")
ring_over_aggregated = value(ring_ahead_gb / warp_aggregated_bytes_per_thread_64_gb, ".1f")
lane_look_back_times = value(look_back_gb / warp_aggregated_bytes_per_thread_64_gb, ".1f")
claim(
    "who keeps the order is faster than who draws numbers, but for few words",
    at_least(ring_over_aggregated, 1.5),
    at_least(ring_ahead_16mi_gb / gb("warp_aggregated", kept="half", bytes_per_thread=64, n=2**24), 1.1),
    at_least(lane_look_back_times, 1.2),
    faster(
        ms("warp_aggregated", kept="half", bytes_per_thread=64, n=2**20),
        min(ms("ring_ahead", kept="half", n=2**20), ms("look_back", kept="half", n=2**20)),
    ),
)
claim(
    "the ring without publishing early is behind look-back",
    at_most(ring_gb / min(look_back_256_gb, look_back_1ki_gb), 0.95),
)
claim(
    "the ring gains only where sums are published early",
    at_least(ring_ahead_1ki_gb / persistent_ahead_gb, 1.2),
    at_most(ring_gb / persistent_gb, 1.02),
)
claim("publishing early is more than the whole step", at_least(ring_ahead_1ki_gb / ring_gb, 1.5))
claim("publishing early is ahead of look-back", at_least(ring_ahead_gb / look_back_gb, 1.2))

# nvcc already aggregates the atomics of a warp

atomic_sectors_rounded = value(atomic_sectors, ",.0f")
atomic_l2_atomic_sectors = value(counter("atomic", "l2_atomic_sectors", kept="half", large=False), ",.0f")
claim(
    "the hardware sees a serialized access for each warp",
    equal(counter("atomic", "l2_atomic_sectors", kept="half"), count("atomic", "atomic_requests", kept="half")),
)
claim("the compiler aggregates what a warp adds", between(0.8, atomic_ms_half_over_warp_aggregated_half, 1.25))
atomic_none_ms = value(ms("atomic", kept="none"), ".2f")
aggregated_none_4_ms = value(ms("warp_aggregated", kept="none", bytes_per_thread=4), ".2f")
claim("adding nothing takes a serialized access, too", at_least(aggregated_none_4_ms / atomic_none_ms, 8))

# Experiments

no_memset = change(
    """
- CHECK_CUDA(cudaMemsetAsync(p.count, 0, sizeof *p.count, stream));
+ // nothing
$ ./run 31 --device cpu --n 4Ki --variant atomic
status 6
"""
)
itself_too = change(
    """
in keep.cuh
- const unsigned below = (1U << threadIdx.x % 32) - 1; // the lanes before this one
+ const unsigned below = (2U << threadIdx.x % 32) - 1;
$ ./run 31 --device cpu --n 4Ki --variant three_kernels
status 1
shows ^three_kernels .* FAILED
"""
)
the_others = change(
    """
in keep.cuh
- return x >> 31 == 0;
+ return x >> 31 == 1;
$ ./run 31 --device cpu --n 4Ki --variant look_back
status 6
shows kernel look_back.* past the end
"""
)
