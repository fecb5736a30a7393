"""The facts of the page "Software pipelining: register prefetch, cp.async and TMA rings"."""

from tools.book.facts import *

page(
    "side",
    needs="07 22 26",
    afterwards=[
        "write a software pipeline in registers, with asynchronous copies, and with a producer and consumers",
        "predict whether prefetching will make a kernel faster",
    ],
)

# Predict

registers_0_unfilled_gb = gb("registers", ahead=0, filled="no")
registers_8_unfilled_gb = gb("registers", ahead=8, filled="no")
registers_8_ahead_over_0_ahead_not_filled = value(
    registers_8_unfilled_gb / registers_0_unfilled_gb, ".1f"
)
four_warps = number(
    """Each SM has only four resident warps, whose threads add vectors in a loop, 16 bytes of each array per iteration. Now each thread prefetches eight iterations ahead into
registers. By what factor does the bandwidth grow?""",
    registers_8_ahead_over_0_ahead_not_filled,
    "a factor of 1.3",
    fold="""From {registers_0_unfilled_gb} to {registers_8_unfilled_gb} GB/s.""",
)
async_4_ahead_filled_gb = gb("async", ahead=4, filled="yes")
registers_0_filled_gb = gb("registers", ahead=0, filled="yes")
async_4_ahead_over_registers_0_ahead_filled = async_4_ahead_filled_gb / registers_0_filled_gb
async_4_slower = value(1 - async_4_ahead_over_registers_0_ahead_filled, ".0%")
all_warps = choice(
    """Now each SM holds as many warps as fit. How much faster are asynchronous copies four iterations ahead than the loop without prefetching?""",
    {
        "at most two percent": at_most(async_4_ahead_over_registers_0_ahead_filled, 1.02),
        "five to twenty percent": between(1.02, async_4_ahead_over_registers_0_ahead_filled, 1.2),
        "more": at_least(async_4_ahead_over_registers_0_ahead_filled, 1.2),
    },
    right="at most two percent",
    fold="""They reach {async_4_ahead_filled_gb} GB/s, the loop {registers_0_filled_gb}: they are {async_4_slower} slower.""",
)
registers_load_requests = count("registers", "load_requests", ahead=0, filled="no")
async_4_ahead_over_registers_load_requests = value(
    count("async", "load_requests", ahead=4, filled="no") / registers_load_requests, ".0f"
)
requests_ahead = number(
    """By what factor does prefetching four iterations ahead with asynchronous copies change the number of load requests?""",
    async_4_ahead_over_registers_load_requests,
    "0",
    fold="Each element is still requested once, only earlier.",
)

# Memory transactions

count_counts = counts(
    "36_pipelines",
    where=lambda row: row.filled == "no" and (not row.library) and (row.variant != "ring"),
    columns="variant, threads, ahead, load_requests, load_sectors, store_requests, shared_load_requests",
)
claim(
    "each element is requested once",
    equal(count("async", "load_requests", ahead=8, filled="no"), registers_load_requests),
)

# Results

few_chart = chart(
    "36_pipelines",
    where=lambda row: row.filled == "no" or row.library,
    name="few",
    title="Adding two vectors of 1 GiB, four warps per SM",
)
many_chart = chart(
    "36_pipelines",
    where=lambda row: row.filled == "yes" or row.library,
    name="many",
    title="Adding two vectors of 1 GiB, as many warps as fit",
)
measure_table = table(
    "36_pipelines", where=lambda row: True, columns="variant, filled, threads, ahead, ms, cold, share"
)

# With four warps, bytes in flight decide

multiprocessors = device("multiprocessors")
round_of_nothing_ns = value(1 * 4096 * multiprocessors / (registers_0_unfilled_gb * 2 / 3), ".0f")
registers_2_ahead_gb = gb("registers", ahead=2, filled="no")
round_ns_2_registers = value(2 * 4096 * multiprocessors / (registers_2_ahead_gb * 2 / 3), ".0f")
async_4_unfilled_gb = gb("async", ahead=4, filled="no")
round_ns_4_asynchronous = value(4 * 4096 * multiprocessors / (async_4_unfilled_gb * 2 / 3), ".0f")
round_ns_8_registers = value(8 * 4096 * multiprocessors / (registers_8_unfilled_gb * 2 / 3), ",.0f")
async_8_unfilled_gb = gb("async", ahead=8, filled="no")
round_ns_8_asynchronous = value(8 * 4096 * multiprocessors / (async_8_unfilled_gb * 2 / 3), ",.0f")
two_ahead_over_none = value(registers_2_ahead_gb / registers_0_unfilled_gb, ".2f")
four_ahead_over_none = value(async_4_unfilled_gb / registers_0_unfilled_gb, ".2f")
claim(
    "from 16 to 32 KiB the rate grows by a fifth",
    between(1.15, async_8_unfilled_gb / async_4_unfilled_gb, 1.25),
)
shortest_round_ns = value(4096 * multiprocessors / gb("read", width=16, loads=1, warps=8, chapter="22"), ".0f")
registers_over_async_8_ahead_not_filled = registers_8_unfilled_gb / async_8_unfilled_gb
registers_behind = value(1 - registers_over_async_8_ahead_not_filled, ".0%")
claim(
    "two steps ahead and four fall short of twice and four times",
    between(1.4, two_ahead_over_none, 1.7),
    between(2.1, four_ahead_over_none, 2.6),
)
claim(
    "a round takes longer with each step ahead",
    more(round_of_nothing_ns, 500),
    less(round_of_nothing_ns, round_ns_2_registers),
    less(round_ns_2_registers, round_ns_4_asynchronous),
    less(round_ns_4_asynchronous, round_ns_8_asynchronous),
)
claim("eight ahead in registers are a few percent behind", between(0.9, registers_over_async_8_ahead_not_filled, 0.98))
claim(
    "where warps are few, to prefetch is more than twice as fast",
    at_least(registers_8_ahead_over_0_ahead_not_filled, 2.2),
    at_least(async_8_unfilled_gb / registers_0_unfilled_gb, 2.2),
)
claim("one stage gains nothing", level(gb("async", ahead=1, filled="no"), registers_0_unfilled_gb, within=0.1))

# The ring is as fast as asynchronous copies, with the fewest issuing threads

ring_4_unfilled_gb = gb("ring", ahead=4, filled="no")
stage_kib = 2 * 8
claim(
    "a ring is as good with four warps as the best of the others",
    at_least(ring_4_unfilled_gb / async_8_unfilled_gb, 0.97),
)

# At high occupancy, warp scheduling already hides latency

registers_0_ahead_warps_active = counter("registers", "warps_active_percent", ahead=0, filled="yes", large=True)
plain_warps = value(registers_0_ahead_warps_active * 0.64, ".0f")
plain_loop_kib_way = value(plain_warps * 1, ".0f")
warps_8_ahead_registers = value(
    counter("registers", "warps_active_percent", ahead=8, filled="yes", large=True) * 0.64, ".0f"
)
kib_way_8_ahead_registers = value(warps_8_ahead_registers * 8, ".0f")
registers_8_filled_gb = gb("registers", ahead=8, filled="yes")
async_warps_per_sm = value(
    counter("async", "warps_active_percent", ahead=8, filled="yes", large=True) * 0.64, ".0f"
)
async_8_kib_in_flight = value(async_warps_per_sm * 8, ".0f")
async_8_filled_gb = gb("async", ahead=8, filled="yes")
float4_warps_active = counter("float4", "warps_active_percent", chapter="05", threads=1024, large=True)
float4_warps_per_sm = value(float4_warps_active * 0.64, ".0f")
float4_kib_in_flight = value(float4_warps_per_sm * 1, ".0f")
float4_gb = gb("float4", chapter="05", threads=1024)
best_prefetch_over_loop = best(filled="yes") / registers_0_filled_gb
prefetch_gains_most = value(best_prefetch_over_loop - 1, ".1%")
claim(
    "where warps are many, nothing gains more than two percent",
    at_most(best_prefetch_over_loop, 1.02),
)

# Non-persistent blocks are faster, because persistent ones drift apart

h100_loop_longer = value(
    ms("steps_of_the_grid", chapter="claim_persistent", hint="no", times_the_room=1, device=H100)
    / ms("ends", chapter="claim_persistent", hint="no", times_the_room=0, device=H100)
    - 1,
    ".0%",
)
claim("by some five percent", between(1.04, float4_gb / registers_0_filled_gb, 1.07))
claim(
    "with fewer bytes in flight than the plain loop",
    at_most(float4_warps_active / registers_0_ahead_warps_active, 0.75),
)
claim("blocks that come and go are ahead of every pipeline here", at_least(float4_gb / best(), 1.01))

# Experiments

two_stages = change(
    """
on gpu
- run(chapter, p, {.name = "ring", .unavailable = missing}, ring<6>, 6, 2, true);
+ run(chapter, p, {.name = "ring", .unavailable = missing}, ring<2>, 2, 2, true);
$ ./run 36 --variant ring
notes gb('ring', ahead=2, filled='no')
"""
)
ring_6_ahead_gb = gb("ring", ahead=6, filled="no")
too_early = change(
    """
in async.cuh
- __pipeline_wait_prior(stages - 1);
+ __pipeline_wait_prior(stages);
$ ./run 36 --device cpu --variant async
status 1
shows elements are wrong
"""
)
few_elements = change(
    """
$ ./run 36 --device cpu --n 1009
status 0
shows async +128 +8 +no .* yes
"""
)
