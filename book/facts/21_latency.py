"""The facts of the page "Memory latency: pointer chasing through L1, L2 and DRAM"."""

from tools.book.facts import *

page(
    "core",
    needs="07",
    afterwards=[
        "measure the latency of a memory level instead of its bandwidth",
        "tell from the time of a load which memory level served it",
    ],
)

# Predict

chase_1gi_random_cold_ns = value(ns("chase", table=GiB, order="random", cache="cold"), ".0f")
one_load_from_memory = choice(
    """One thread follows pointers through 1 GiB: each load needs the result of the previous one. How
long does one load take?""",
    {
        "about 30 nanoseconds": less(chase_1gi_random_cold_ns, 100),
        "about 300 nanoseconds": between(100, chase_1gi_random_cold_ns, 1000),
        "about 3,000 nanoseconds": at_least(chase_1gi_random_cold_ns, 1000),
    },
    right="about 300 nanoseconds",
    fold="It takes {chase_1gi_random_cold_ns} ns.",
)
chase_1gi_ascending_cold_ns = value(ns("chase", table=GiB, order="ascending", cache="cold"), ".0f")
chase_random_over_ascending_1gi_cold_time = chase_1gi_random_cold_ns / chase_1gi_ascending_cold_ns
the_next_line = choice(
    """The same thread makes 2^17 such *hops* in ascending order, from each cache line of 128 bytes to the next. How much faster is a hop than in
random order?""",
    {
        "no faster": at_most(chase_random_over_ascending_1gi_cold_time, 1.1),
        "about twice as fast": between(1.1, chase_random_over_ascending_1gi_cold_time, 4),
        "ten times as fast": at_least(chase_random_over_ascending_1gi_cold_time, 4),
    },
    right="no faster",
    fold="""A hop takes {chase_1gi_ascending_cold_ns} ns in ascending and {chase_1gi_random_cold_ns} ns in random order.""",
)
chase_16ki_ns = value(ns("chase", table=16 * KiB), ".0f")
chase_shared_ns = value(ns("chase_shared"), ".0f")
chase_16ki_over_chase_shared_time = chase_16ki_ns / chase_shared_ns
shared_memory_or_l1 = choice(
    """A table of 16 KiB lies in shared memory, or in global memory and entirely in L1. Where does a hop take longer?""",
    {
        "in the L1, several times as long": at_least(chase_16ki_over_chase_shared_time, 1.5),
        "about equally long in both": between(0.67, chase_16ki_over_chase_shared_time, 1.5),
        "in shared memory, several times as long": at_most(chase_16ki_over_chase_shared_time, 0.67),
    },
    right="about equally long in both",
    fold="""A hop takes {chase_16ki_ns} ns in L1 and {chase_shared_ns} ns in shared memory.""",
)

# Memory transactions

chase_counts = counts(
    "21_latency",
    where=lambda row: row.variant == "chase" and row.n > 0,
    every_size=True,
    columns="variant, table, load_requests, load_sectors, load_sectors_per_request",
)
claim(
    "a hop is a request of one sector, and a warp of the beginning touches 32",
    equal(
        count("chase", "load_sectors", table=128 * KiB) - count("chase", "load_sectors", table=16 * KiB),
        32 * (count("chase", "load_requests", table=128 * KiB) - count("chase", "load_requests", table=16 * KiB)),
    ),
)

# Results

levels_chart = chart(
    "21_latency",
    where=lambda row: row.variant == "chase" and row.order == "random" and (row.n > 0),
    every_size=True,
    x="table",
    y="ns",
    limits=False,
    name="levels",
    title="Time per hop, by the size of the table",
)
measure_table = table(
    "21_latency",
    where=lambda row: row.variant in ("chase", "chase_shared") and row.n > 0,
    every_size=True,
    columns="variant, table, order, ms, ns",
)
banks_over_32_per_multiprocessor_ns = ns("banks", chapter="25", degree=32) / 32 * device("multiprocessors")
l1_hop_cycles = value(chase_16ki_ns / banks_over_32_per_multiprocessor_ns, ".0f")
shared_hop_cycles = value(chase_shared_ns / banks_over_32_per_multiprocessor_ns, ".0f")
chase_1mi_ns = value(ns("chase", table=MiB), ".0f")
chase_32mi_ns = value(ns("chase", table=32 * MiB), ".0f")
l2_hop_cycles = value(chase_1mi_ns / banks_over_32_per_multiprocessor_ns, ".0f")
l2_hop_cycles_far = value(chase_32mi_ns / banks_over_32_per_multiprocessor_ns, ".0f")
chase_128mi_random_cold_ns = value(ns("chase", table=128 * MiB, order="random", cache="cold"), ".0f")
dram_hop_cycles_near = value(chase_128mi_random_cold_ns / banks_over_32_per_multiprocessor_ns, ".0f")
dram_hop_cycles = value(chase_1gi_random_cold_ns / banks_over_32_per_multiprocessor_ns, ".0f")
claim("the L2 is several times as far as the L1", between(5, chase_1mi_ns / chase_16ki_ns, 15))
chase_1gi_random_ns = value(ns("chase", table=GiB, order="random"), ".0f")
claim("DRAM is two to three times as far as the L2", between(1.8, chase_1gi_random_ns / chase_1mi_ns, 3.5))
misses_that_explain = value((chase_32mi_ns - chase_1mi_ns) / (chase_1gi_random_ns - chase_1mi_ns), ".0%")
chase_16gi_over_16mi_time = ns("chase", chapter="claim_latency", n=2**34) / ns(
    "chase", chapter="claim_latency", n=2**24
)
claim(
    "there are three levels, and the third goes on from 64 MiB to 64 GiB",
    between(0.99, chase_16gi_over_16mi_time, 1.04),
    at_most(ns("chase", table=128 * KiB) / chase_16ki_ns, 1.1),
    at_most(chase_32mi_ns / chase_1mi_ns, 1.25),
    at_most(chase_1gi_random_ns / ns("chase", table=128 * MiB), 1.1),
)

# Analysis

l2_bytes_mib = value(device("l2_bytes") / MiB, ".0f")
chase_256mi_dram_read = value(counter("chase", "dram_bytes_read", table=256 * MiB, large=True), ",.0f")
chase_256mi_dram_reads = value(chase_256mi_dram_read / 2**17, ".0f")
chase_128ki_hits = value(counter("chase", "l1_load_hit_sectors", table=128 * KiB), ",.0f")
chase_128ki_dram_read = value(counter("chase", "dram_bytes_read", table=128 * KiB), ",.0f")
chase_256mi_hits = value(counter("chase", "l1_load_hit_sectors", table=256 * MiB, large=True), ",.0f")
chase_1gi_random_hot_ns = value(ns("chase", table=GiB, order="random", cache="hot"), ".0f")
cold_minus_hot_1gi_ns = value(chase_1gi_random_cold_ns - chase_1gi_random_hot_ns, ".0f")
chase_16gi_gain_over_16mi = value(chase_16gi_over_16mi_time - 1, ".0%")
one_line_nearest = value(parameter("one_line", "nearest", chapter="claim_latency", line=0, n=1), ".0f")
one_line_farthest = value(parameter("one_line", "farthest", chapter="claim_latency", line=0, n=1), ".0f")
instructions_in_a_hop = value(round(4 * chase_1gi_random_cold_ns / banks_over_32_per_multiprocessor_ns / 100) * 100, ",.0f")

# Ascending order is no faster than random order

chase_1gi_ascending_ns = value(ns("chase", table=GiB, order="ascending"), ".0f")
claim("a walk in order is no faster", level(chase_1gi_ascending_ns, chase_1gi_random_ns, within=0.05))
claim("shared memory is a little nearer than the L1", between(0.75, chase_shared_ns / chase_16ki_ns, 1))

# The cost of a linked list

million_hops_s = value(10**6 * chase_1gi_random_cold_ns / 1000000000.0, ".2f")
chase_1gi_cold_rate = value(1000 * 64 / chase_1gi_random_cold_ns, ".0f")

# Experiments

hot_walk = change(
    """
on gpu
$ ./run 21 --variant chase --cache both
shows chase .* yes
"""
)
chase_128mi_random_ns = value(ns("chase", table=128 * MiB, order="random", cache="hot"), ".0f")
lines_that_stay_mib = value(2**17 * 128 / MiB, ".0f")
narrow_nodes = change(
    """
in lines.cuh
- struct alignas(128) Line
+ struct Line
$ ./run 21 --device cpu --variant chase
shows ^chase .* yes
holds count('chase', 'load_requests', table=16*KiB) == 1024 + 2**11 / 32
holds count('chase', 'load_sectors', table=16*KiB) == 1024 + 8 * 2**11 / 32
"""
)
hops_in_order_by_table_ns = value((chase_1gi_ascending_cold_ns + chase_1mi_ns + 6 * chase_16ki_ns) / 8, ".0f")
claim(
    "hot, the walk through 1 GiB finds its lines in the L2",
    at_most(chase_1gi_random_hot_ns / ns("chase", table=8 * MiB), 1.2),
)
