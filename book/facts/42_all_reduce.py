"""The facts of the page "All-reduce across GPUs"."""

from tools.book.facts import *

page(
    "side",
    needs="40",
    afterwards=[
        "write an all-reduce, and estimate its bandwidth from the packets on the link",
        "build it from a reduce-scatter and an all-gather",
        "run it with one process per GPU, and name the differences",
    ],
)

# Predict

memcpy_peer_ms = ms("memcpy_peer", access="on", ways=1, chapter="40")
nccl_all_reduce_ms = value(ms("nccl_all_reduce"), ".2f")
all_reduce_of_a_gib = number(
    """Each of two GPUs has 1 GiB of floats, and both need the sum, element by element. How long does NCCL take?""",
    nccl_all_reduce_ms,
    "a factor of 1.3",
    unit="ms",
    fold="""1 GiB must cross the link in each direction, so an all-reduce takes at least about as long as a copy of 1 GiB: {memcpy_peer_ms} ms.""",
)
nccl_all_reduce_256ki_ms = ms("nccl_all_reduce", n=2**18)
nccl_256ki_us = value(1000 * nccl_all_reduce_256ki_ms, ".0f")
two_phase_256ki_ms = ms("two_phase", loads=2, n=2**18)
two_phase_256ki_us = value(1000 * two_phase_256ki_ms, ".0f")
nccl_all_reduce_over_two_phase_256ki_time = nccl_all_reduce_256ki_ms / two_phase_256ki_ms
small_sums = choice(
    """With an array of 1 MiB on each GPU, which is faster: the library, or a kernel that reads and writes the other GPU's memory?""",
    {
        "the library": at_most(nccl_all_reduce_over_two_phase_256ki_time, 0.95),
        "they tie": level(nccl_all_reduce_256ki_ms, two_phase_256ki_ms, within=0.05),
        "the kernel": at_least(nccl_all_reduce_over_two_phase_256ki_time, 1.05),
    },
    right="the kernel",
    fold="""The library takes {nccl_256ki_us} µs, the kernel {two_phase_256ki_us}. Both include waits for events between the GPUs.""",
)
one_shot_peer_mib = count("one_shot", "peer_mib", loads=2, n=2**20)
two_phase_peer_mib = count("two_phase", "peer_mib", loads=2, n=2**20)
one_shot_over_two_phase_peer_mib = one_shot_peer_mib / two_phase_peer_mib
everything_or_a_share = choice(
    """On two GPUs, either each adds both arrays completely for itself, or each adds one half of them for both. How many bytes cross the link the first way, compared with the second?""",
    {
        "the same number": level(one_shot_peer_mib, two_phase_peer_mib, within=0.01),
        "1.5 times as many": between(1.01, one_shot_over_two_phase_peer_mib, 1.75),
        "twice as many": at_least(one_shot_over_two_phase_peer_mib, 1.75),
    },
    right="the same number",
    fold="""With three or more GPUs, the first way sends more.""",
)

# Memory transactions

count_counts = counts(
    "42_all_reduce",
    where=lambda row: row.n == 2**20 and row.loads == 2,
    every_size=True,
    columns="variant, devices, load_requests, store_requests, peer_load_sectors, peer_store_sectors, peer_mib",
)
claim("two devices send as much either way", equal(one_shot_peer_mib, two_phase_peer_mib))
two_phase_peer_load_sectors = count("two_phase", "peer_load_sectors", loads=2, n=2**20)
claim(
    "one-shot reads everything, two-phase half",
    equal(
        count("one_shot", "peer_load_sectors", loads=2, n=2**20),
        2 * two_phase_peer_load_sectors,
        2 * count("two_phase", "peer_store_sectors", loads=2, n=2**20),
    ),
)
claim(
    "the halves send half each",
    equal(
        count("reduce_scatter", "peer_load_sectors", n=2**20),
        count("all_gather", "peer_store_sectors", n=2**20),
        two_phase_peer_load_sectors,
    ),
)
one_shot_over_two_phase_8 = value((8 - 1) / (2 * (8 - 1) / 8), ".0f")

# Results

all_reduce_chart = chart(
    "42_all_reduce",
    where=lambda row: row.task == "all-reduce" and row.n == 2**28 and (row.loads in (0, 2)),
    every_size=True,
    name="all_reduce",
    title="All-reduce of 1 GiB, bus bandwidth",
    limits=False,
)
two_phase_2_loads_gb = value(gb("two_phase", loads=2), ".0f")
nccl_all_reduce_gb = gb("nccl_all_reduce")
two_phase_2_loads_over_nccl_all_reduce = two_phase_2_loads_gb / nccl_all_reduce_gb
two_phase_one_load_ms = value(ms("two_phase", loads=1), ".2f")
two_phase_2_loads_ms = value(ms("two_phase", loads=2), ".2f")
two_phase_4_loads_ms = value(ms("two_phase", loads=4), ".2f")
sizes_chart = chart(
    "42_all_reduce",
    where=lambda row: row.task == "all-reduce"
    and row.variant in ("one_shot", "two_phase", "nccl_all_reduce")
    and (row.loads in (0, 2)),
    x="n",
    lines="variant",
    name="sizes",
    title="All-reduce by number of floats, bus bandwidth",
    limits=False,
    every_size=True,
)
one_shot_1ki_ms = ms("one_shot", loads=2, n=2**10)
one_shot_1ki_us = value(1000 * one_shot_1ki_ms, ",.0f")
two_phase_1ki_ms = ms("two_phase", loads=2, n=2**10)
two_phase_1ki_us = value(1000 * two_phase_1ki_ms, ",.0f")
nccl_all_reduce_1ki_ms = ms("nccl_all_reduce", n=2**10)
nccl_1ki_us = value(1000 * nccl_all_reduce_1ki_ms, ",.0f")
one_shot_256ki_ms = ms("one_shot", loads=2, n=2**18)
one_shot_256ki_us = value(1000 * one_shot_256ki_ms, ",.0f")
two_phase_256ki_us_rounded = value(two_phase_256ki_us, ",.0f")
nccl_256ki_us_rounded = value(nccl_256ki_us, ",.0f")
one_shot_8mi_ms = ms("one_shot", loads=2, n=2**23)
one_shot_8mi_us = value(1000 * one_shot_8mi_ms, ",.0f")
two_phase_8mi_ms = ms("two_phase", loads=2, n=2**23)
two_phase_8mi_us = value(1000 * two_phase_8mi_ms, ",.0f")
nccl_all_reduce_8mi_ms = ms("nccl_all_reduce", n=2**23)
nccl_8mi_us = value(1000 * nccl_all_reduce_8mi_ms, ",.0f")
one_shot_256mi_ms = ms("one_shot", loads=2, n=2**28)
one_shot_256mi_us = value(1000 * one_shot_256mi_ms, ",.0f")
two_phase_256mi_ms = ms("two_phase", loads=2, n=2**28)
two_phase_256mi_us = value(1000 * two_phase_256mi_ms, ",.0f")
nccl_all_reduce_256mi_ms = ms("nccl_all_reduce", n=2**28)
nccl_256mi_us = value(1000 * nccl_all_reduce_256mi_ms, ",.0f")


def one_of_twenty_us(variant, n):
    """Microseconds of one of twenty sums in a row."""
    return value(1000 * ms(variant, n=n) / 20, ".1f")


barriers_us = value(1000 * ms("barriers", n=0), ".0f")
barriers_x20_us = one_of_twenty_us("barriers_x20", 0)
one_shot_x20_1ki_us = one_of_twenty_us("one_shot_x20", 2**10)
one_shot_x20_16ki_us = one_of_twenty_us("one_shot_x20", 2**14)
one_shot_x20_256ki_us = one_of_twenty_us("one_shot_x20", 2**18)
flags_x20_1ki_us = one_of_twenty_us("one_shot_flags_x20", 2**10)
flags_x20_16ki_us = one_of_twenty_us("one_shot_flags_x20", 2**14)
flags_x20_256ki_us = one_of_twenty_us("one_shot_flags_x20", 2**18)
nccl_x20_1ki_us = one_of_twenty_us("nccl_all_reduce_x20", 2**10)
nccl_x20_16ki_us = one_of_twenty_us("nccl_all_reduce_x20", 2**14)
nccl_x20_256ki_us = one_of_twenty_us("nccl_all_reduce_x20", 2**18)
registered_x20_1ki_us = one_of_twenty_us("nccl_registered_x20", 2**10)
registered_x20_16ki_us = one_of_twenty_us("nccl_registered_x20", 2**14)
registered_x20_256ki_us = one_of_twenty_us("nccl_registered_x20", 2**18)
registered_256mi_ms = value(ms("nccl_registered", n=2**28), ".2f")
flags_over_nccl_x20_256ki = value(nccl_x20_256ki_us / flags_x20_256ki_us, ".2f")
goal_small = value(1.3, ".1f")
goal_large = value(1.1, ".2f")
best_of_page_over_nccl = nccl_all_reduce_256mi_ms / min(one_shot_256mi_ms, two_phase_256mi_ms)
pieces_over_nccl = nccl_all_reduce_256mi_ms / ms("two_phase_copies", pieces=2, n=2**28, chapter="43")
claim("event barriers are most of a small sum's time", at_least(barriers_us / one_shot_1ki_us, 0.8))
claim(
    "in a row, a sum with event barriers is little more than its barriers",
    between(1, one_shot_x20_1ki_us / barriers_x20_us, 1.25),
)
claim(
    "registered arrays gain nothing",
    level(registered_x20_1ki_us, nccl_x20_1ki_us, within=0.05),
    level(registered_x20_16ki_us, nccl_x20_16ki_us, within=0.05),
    level(registered_x20_256ki_us, nccl_x20_256ki_us, within=0.05),
    level(registered_256mi_ms, nccl_all_reduce_256mi_ms, within=0.05),
)
flags_apart_most = value(
    max(abs(flags_x20_1ki_us / nccl_x20_1ki_us - 1), abs(flags_x20_16ki_us / nccl_x20_16ki_us - 1)), ".0%"
)
claim(
    "flags tie with NCCL up to 64 KiB within a tenth, and are faster at 1 MiB, by less than the goal",
    level(flags_x20_1ki_us, nccl_x20_1ki_us, within=0.1),
    level(flags_x20_16ki_us, nccl_x20_16ki_us, within=0.1),
    between(1.1, flags_over_nccl_x20_256ki, goal_small),
)
claim(
    "pieces reach the goal of 1 GiB, and no kernel of this page does",
    less(best_of_page_over_nccl, goal_large),
    at_least(pieces_over_nccl, goal_large),
)
one_shot_256mi_minus_1ki_ms = one_shot_256mi_ms - one_shot_1ki_ms
one_shot_ms_1ki_and_one_shot_256mi_minus = one_shot_1ki_ms + one_shot_256mi_minus_1ki_ms / 2**10
estimated_us_1_mib = value(1000 * one_shot_ms_1ki_and_one_shot_256mi_minus, ".0f")
one_shot_256ki_us_rounded = value(one_shot_256ki_us, ".0f")
two_phase_256mi_minus_1ki_ms = two_phase_256mi_ms - two_phase_1ki_ms
two_phase_1_mib_estimated_ms = two_phase_1ki_ms + two_phase_256mi_minus_1ki_ms / 2**10
two_phase_1mib_us = value(1000 * two_phase_1_mib_estimated_ms, ".0f")
nccl_all_reduce_256mi_minus_1ki_ms = nccl_all_reduce_256mi_ms - nccl_all_reduce_1ki_ms
estimated_us_1_mib_nccl = value(1000 * (nccl_all_reduce_1ki_ms + nccl_all_reduce_256mi_minus_1ki_ms / 2**10), ".0f")
one_shot_1ki_and_one_shot_256mi_minus_1ki = one_shot_1ki_ms + one_shot_256mi_minus_1ki_ms / 2**5
estimated_us_32_mib = value(1000 * one_shot_1ki_and_one_shot_256mi_minus_1ki, ".0f")
one_shot_8mi_us_rounded = value(one_shot_8mi_us, ".0f")
two_phase_32_mib_estimated_ms = two_phase_1ki_ms + two_phase_256mi_minus_1ki_ms / 2**5
two_phase_32mib_us = value(1000 * two_phase_32_mib_estimated_ms, ".0f")
two_phase_8mi_us_rounded = value(two_phase_8mi_us, ".0f")
nccl_all_reduce_1ki_and_nccl_all_reduce = nccl_all_reduce_1ki_ms + nccl_all_reduce_256mi_minus_1ki_ms / 2**5
estimated_us_32_mib_nccl = value(1000 * nccl_all_reduce_1ki_and_nccl_all_reduce, ".0f")
nccl_8mi_us_rounded = value(nccl_8mi_us, ".0f")
estimate_misses_most = value(
    max(
        abs(one_shot_256ki_ms / one_shot_ms_1ki_and_one_shot_256mi_minus - 1),
        abs(two_phase_256ki_ms / two_phase_1_mib_estimated_ms - 1),
        abs(one_shot_8mi_ms / one_shot_1ki_and_one_shot_256mi_minus_1ki - 1),
        abs(two_phase_8mi_ms / two_phase_32_mib_estimated_ms - 1),
    ),
    ".0%",
)
nccl_longer_least = value(
    min(
        nccl_all_reduce_256ki_ms / (nccl_all_reduce_1ki_ms + nccl_all_reduce_256mi_minus_1ki_ms / 2**10),
        nccl_all_reduce_8mi_ms / nccl_all_reduce_1ki_and_nccl_all_reduce,
    )
    - 1,
    ".0%",
)
claim(
    "ours are launches and barriers and then bytes",
    level(one_shot_256ki_ms, one_shot_ms_1ki_and_one_shot_256mi_minus, within=0.1),
    level(two_phase_256ki_ms, two_phase_1_mib_estimated_ms, within=0.1),
    level(one_shot_8mi_ms, one_shot_1ki_and_one_shot_256mi_minus_1ki, within=0.1),
    level(two_phase_8mi_ms, two_phase_32_mib_estimated_ms, within=0.15),
)
claim(
    "the library takes 15% longer than that of 32 MiB",
    less(1.15 * nccl_all_reduce_1ki_and_nccl_all_reduce, nccl_all_reduce_8mi_ms),
)
one_shot_2_loads_gb = value(gb("one_shot", loads=2), ".0f")
claim(
    "both of ours keep up with NCCL at 1 GiB",
    between(0.97, two_phase_2_loads_over_nccl_all_reduce, 1.08),
    between(0.97, one_shot_2_loads_gb / nccl_all_reduce_gb, 1.08),
)
claim(
    "the loads in flight make no difference",
    level(gb("two_phase", loads=1), two_phase_2_loads_gb, within=0.05),
    level(gb("two_phase", loads=4), two_phase_2_loads_gb, within=0.05),
    level(gb("one_shot", loads=1), one_shot_2_loads_gb, within=0.05),
    level(gb("one_shot", loads=4), one_shot_2_loads_gb, within=0.05),
)
claim(
    "of 4 KiB all take about as long",
    at_most(
        max(one_shot_1ki_ms, two_phase_1ki_ms, nccl_all_reduce_1ki_ms)
        / min(one_shot_1ki_ms, two_phase_1ki_ms, nccl_all_reduce_1ki_ms),
        1.2,
    ),
)
claim(
    "at 32 MiB and 1 MiB ours is not slower than NCCL",
    faster(max(one_shot_8mi_ms, two_phase_8mi_ms), nccl_all_reduce_8mi_ms),
    faster(max(one_shot_256ki_ms, two_phase_256ki_ms), nccl_all_reduce_256ki_ms),
)
measure_table = table(
    "42_all_reduce",
    where=lambda row: row.task in ("reduce-scatter", "all-gather") and row.n == 2**28,
    every_size=True,
    columns="variant, ms, cold",
)

# Analysis

memcpy_peer_gb = gb("memcpy_peer", access="on", ways=1, chapter="40")
memcpy_peer_17_of_16_gb = value(memcpy_peer_gb * 17 / 16, ".0f")
shot_predicted = value(8 / 10 * memcpy_peer_gb * 17 / 16, ".0f")
reduce_scatter_gb = value(gb("reduce_scatter"), ".0f")
two_phase_predicted = value(8 / 9.5 * memcpy_peer_gb * 17 / 16, ".0f")
all_gather_predicted = value(8 / 9 * memcpy_peer_gb * 17 / 16, ".0f")
all_gather_gb = value(gb("all_gather"), ".0f")
one_shot_1ki_us_rounded = value(one_shot_1ki_us, ".0f")
all_gather_ms = ms("all_gather")
reduce_scatter_ms = ms("reduce_scatter")
two_phase_gb_2_loads_over_two_phase = two_phase_2_loads_gb / two_phase_predicted
gather_gain_over_scatter = value(all_gather_gb / reduce_scatter_gb - 1, ".0%")
claim(
    "the packets predict all four within a few percent",
    between(0.9, one_shot_2_loads_gb / shot_predicted, 1.05),
    between(0.9, reduce_scatter_gb / shot_predicted, 1.05),
    between(0.9, two_phase_gb_2_loads_over_two_phase, 1.05),
    between(0.9, all_gather_gb / all_gather_predicted, 1.05),
)
claim("writing the halves is faster than reading them", at_least(all_gather_gb / reduce_scatter_gb, 1.05))

# NCCL solves a harder task

nccl_reduce_scatter_and_all_gather_over = (ms("nccl_reduce_scatter") + ms("nccl_all_gather")) / nccl_all_reduce_ms
nccl_two_halves_longer = value(nccl_reduce_scatter_and_all_gather_over - 1, ".0%")
claim("our halves make our whole", level(reduce_scatter_ms + all_gather_ms, two_phase_2_loads_ms, within=0.04))
claim("the halves of NCCL take a tenth longer at least", at_least(nccl_reduce_scatter_and_all_gather_over, 1.1))

# Multiple processes and hosts with MPI

h100x16_nccl_all_reduce_1ki_ms = ms("nccl_all_reduce", device="h100x16", n=2**10)
h100x16_nccl_1ki_us = value(1000 * h100x16_nccl_all_reduce_1ki_ms, ",.0f")
h100x16_nccl_all_reduce_256ki_ms = ms("nccl_all_reduce", device="h100x16", n=2**18)
h100x16_nccl_256ki_us = value(1000 * h100x16_nccl_all_reduce_256ki_ms, ",.0f")
h100x16_nccl_all_reduce_8mi_ms = ms("nccl_all_reduce", device="h100x16", n=2**23)
h100x16_nccl_8mi_us = value(1000 * h100x16_nccl_all_reduce_8mi_ms, ",.0f")
h100x16_nccl_all_reduce_256mi_ms = ms("nccl_all_reduce", device="h100x16", n=2**28)
h100x16_nccl_256mi_us = value(1000 * h100x16_nccl_all_reduce_256mi_ms, ",.0f")
gh200x2_no_gpudirect_gb = value(gb("nccl_all_reduce", device="gh200x2", gpudirect="no"), ".0f")
gh200x2_nccl_gpudirect_gb = value(gb("nccl_all_reduce", device="gh200x2", gpudirect="yes"), ".0f")
h100x16_nccl_all_reduce_over_nccl_all = h100x16_nccl_all_reduce_1ki_ms / nccl_all_reduce_1ki_ms
h100x16_nccl_all_reduce_over_nccl_all_2 = h100x16_nccl_all_reduce_256ki_ms / nccl_all_reduce_256ki_ms
two_hosts_over_one = (
    h100x16_nccl_all_reduce_over_nccl_all,
    h100x16_nccl_all_reduce_over_nccl_all_2,
    h100x16_nccl_all_reduce_8mi_ms / nccl_all_reduce_8mi_ms,
)
two_hosts_least, two_hosts_most = value(min(*two_hosts_over_one), ".1f"), value(max(*two_hosts_over_one), ".1f")
claim(
    "between two hosts a sum of up to 32 MiB takes four to seven times as long",
    between(4, h100x16_nccl_all_reduce_over_nccl_all, 7),
    between(4, h100x16_nccl_all_reduce_over_nccl_all_2, 7),
    between(4, h100x16_nccl_all_reduce_8mi_ms / nccl_all_reduce_8mi_ms, 7),
)
claim("a large one about twice as long", between(1.8, h100x16_nccl_all_reduce_256mi_ms / nccl_all_reduce_256mi_ms, 2.4))
claim(
    "an adapter that reads the GPU's memory is faster",
    at_least(gh200x2_nccl_gpudirect_gb / gh200x2_no_gpudirect_gb, 1.15),
)
adapter_gb = value(400 / 8, ".0f")
ring_steps_128 = value(2 * (128 - 1), ".0f")
ring_128_ms = value(ring_steps_128 / 128 * GiB / 50000000000.0 * 1000, ".0f")
rings_of_16_ms = value(2 * (16 - 1) / 16 * GiB / 8 / 50000000000.0 * 1000, ".1f")
tree_steps_128 = value(2 * 7, ".0f")
claim("an adapter has an eighth of what a copy over NVLink reaches", between(7.5, memcpy_peer_gb / adapter_gb, 8.5))

# Experiments

four_devices = change(
    """
$ ./run 42 --device cpu --devices 4 --variant two_phase --variant one_shot
holds count('one_shot', 'peer_load_sectors', loads=2, n=2**20) == 2 * (count('two_phase', 'peer_load_sectors', loads=2, n=2**20) + count('two_phase', 'peer_store_sectors', loads=2, n=2**20))
"""
)
one_input_less = change(
    """
in all_reduce.cuh
- for (unsigned d = 0; d < arrays.inputs; ++d) {
+ for (unsigned d = 0; d + 1 < arrays.inputs; ++d) {
$ ./run 42 --device cpu --variant one_shot
status 1
shows ^one_shot .* FAILED
shows is -30152,
"""
)
