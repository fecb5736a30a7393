"""The facts of the page "Fetching ahead"."""

from tools.book.facts import *

page(
    "side",
    needs="07 22 26",
    afterwards=[
        "write a pipeline in registers, with asynchronous copies, and with a producer and consumers",
        "say before you write it whether it will gain anything",
    ],
)

# Predict before you read on

registers_0_ahead_not_filled_gb = gb("registers", ahead=0, filled="no")
registers_8_ahead_not_filled_gb = gb("registers", ahead=8, filled="no")
four_warps_2 = value(registers_8_ahead_not_filled_gb / registers_0_ahead_not_filled_gb, ".1f")
four_warps = number(
    """Each multiprocessor has four warps, and no more. Their threads add vectors in a loop, 16 bytes of each array at a time. Now the loads of the next eight steps are on their way into
registers while a step is added. By what factor does the bandwidth grow?""",
    four_warps_2,
    "a factor of 1.3",
    fold="""From {registers_0_ahead_not_filled_gb} to {registers_8_ahead_not_filled_gb} GB/s.""",
)
async_4_ahead_filled_gb = gb("async", ahead=4, filled="yes")
registers_0_ahead_filled_gb = gb("registers", ahead=0, filled="yes")
async_4_ahead_filled_over_registers_0_ahead = async_4_ahead_filled_gb / registers_0_ahead_filled_gb
all_warps = choice(
    """The same where each multiprocessor is filled with warps: what do asynchronous copies four steps ahead gain over the loop that has nothing ahead?""",
    {
        "at most two percent": at_most(async_4_ahead_filled_over_registers_0_ahead, 1.02),
        "five to twenty percent": between(1.02, async_4_ahead_filled_over_registers_0_ahead, 1.2),
        "more": at_least(async_4_ahead_filled_over_registers_0_ahead, 1.2),
    },
    right="at most two percent",
    fold="""They reach {async_4_ahead_filled_gb} GB/s, the loop {registers_0_ahead_filled_gb}: they lose a percent.""",
)
registers_load_requests = count("registers", "load_requests", ahead=0, filled="no")
async_4_ahead_over_registers = value(
    count("async", "load_requests", ahead=4, filled="no") / registers_load_requests, ".0f"
)
requests_ahead = number(
    """By what factor does fetching four steps ahead with asynchronous copies change the number of load requests?""",
    async_4_ahead_over_registers,
    "0",
    fold="Each element is asked for once, earlier.",
)

# Count it

count_counts = counts(
    "36_pipelines",
    where=lambda row: row.filled == "no" and (not row.library) and (row.variant != "ring"),
    columns="variant, threads, ahead, load_requests, load_sectors, store_requests, shared_load_requests",
)
claim(
    "each element is asked for once",
    equal(count("async", "load_requests", ahead=8, filled="no"), registers_load_requests),
)

# Measure it

few_chart = chart(
    "36_pipelines",
    where=lambda row: row.filled == "no" or row.library,
    name="few",
    title="Adding two vectors of 1 GiB, four warps a multiprocessor",
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

# Four warps: bytes in flight

multiprocessors = device("multiprocessors")
nothing_round_ns = value(1 * 4096 * multiprocessors / (registers_0_ahead_not_filled_gb * 2 / 3), ".0f")
registers_2_ahead_gb = gb("registers", ahead=2, filled="no")
n_2_registers_round_ns = value(2 * 4096 * multiprocessors / (registers_2_ahead_gb * 2 / 3), ".0f")
async_4_ahead_not_filled_gb = gb("async", ahead=4, filled="no")
n_4_asynchronous_round_ns = value(4 * 4096 * multiprocessors / (async_4_ahead_not_filled_gb * 2 / 3), ".0f")
n_8_registers_round_ns = value(8 * 4096 * multiprocessors / (registers_8_ahead_not_filled_gb * 2 / 3), ",.0f")
async_8_ahead_not_filled_gb = gb("async", ahead=8, filled="no")
n_8_asynchronous_round_ns = value(8 * 4096 * multiprocessors / (async_8_ahead_not_filled_gb * 2 / 3), ",.0f")
times_much_make_times = value(registers_2_ahead_gb / registers_0_ahead_not_filled_gb, ".2f")
times_much_make_times_2 = value(async_4_ahead_not_filled_gb / registers_0_ahead_not_filled_gb, ".2f")
claim(
    "from 16 to 32 KiB the rate grows by a fifth",
    between(1.15, async_8_ahead_not_filled_gb / async_4_ahead_not_filled_gb, 1.25),
)
shortest_round_longer = value(4096 * multiprocessors / gb("read", width=16, loads=1, warps=8, chapter="22"), ".0f")
registers_8_ahead_not_filled_over_async_8 = registers_8_ahead_not_filled_gb / async_8_ahead_not_filled_gb
steps_ahead_registers_behind = value(1 - registers_8_ahead_not_filled_over_async_8, ".0%")
claim(
    "two steps ahead and four fall short of twice and four times",
    between(1.4, times_much_make_times, 1.7),
    between(2.1, times_much_make_times_2, 2.6),
)
claim(
    "a round takes longer with each step ahead",
    more(nothing_round_ns, 500),
    less(nothing_round_ns, n_2_registers_round_ns),
    less(n_2_registers_round_ns, n_4_asynchronous_round_ns),
    less(n_4_asynchronous_round_ns, n_8_asynchronous_round_ns),
)
claim("eight ahead in registers are some percent behind", between(0.9, registers_8_ahead_not_filled_over_async_8, 0.98))
claim(
    "where warps are few, to fetch ahead is more than twice as fast",
    at_least(four_warps_2, 2.2),
    at_least(async_8_ahead_not_filled_gb / registers_0_ahead_not_filled_gb, 2.2),
)
claim("one stage gains nothing", level(gb("async", ahead=1, filled="no"), registers_0_ahead_not_filled_gb, within=0.1))

# The ring: the fewest threads

ring_4_ahead_not_filled_gb = gb("ring", ahead=4, filled="no")
s_four_stages = 2 * 8
claim(
    "a ring is as good with four warps as the best of the others",
    at_least(ring_4_ahead_not_filled_gb / async_8_ahead_not_filled_gb, 0.97),
)

# Many warps: they are the pipeline

registers_0_ahead_warps_active_percent = counter("registers", "warps_active_percent", ahead=0, filled="yes", large=True)
plain_loop_warps = value(registers_0_ahead_warps_active_percent * 0.64, ".0f")
plain_loop_ki_b_way = value(plain_loop_warps * 1, ".0f")
n_8_ahead_registers_warps = value(
    counter("registers", "warps_active_percent", ahead=8, filled="yes", large=True) * 0.64, ".0f"
)
n_8_ahead_registers_ki_b_way = value(n_8_ahead_registers_warps * 8, ".0f")
registers_8_ahead_filled_gb = gb("registers", ahead=8, filled="yes")
n_8_ahead_asynchronous_warps = value(
    counter("async", "warps_active_percent", ahead=8, filled="yes", large=True) * 0.64, ".0f"
)
n_8_ahead_asynchronous_ki_b_way = value(n_8_ahead_asynchronous_warps * 8, ".0f")
async_8_ahead_filled_gb = gb("async", ahead=8, filled="yes")
float4_warps_active_percent = counter("float4", "warps_active_percent", chapter="05", threads=1024, large=True)
chapter_05_05_float4_md_loop = value(float4_warps_active_percent * 0.64, ".0f")
chapter_05_05_float4_md_loop_2 = value(chapter_05_05_float4_md_loop * 1, ".0f")
float4_gb = gb("float4", chapter="05", threads=1024)
claim(
    "where warps are many, nothing gains more than two percent",
    at_most(
        max(async_4_ahead_filled_gb, gb("ring", ahead=4, filled="yes"), registers_8_ahead_filled_gb)
        / registers_0_ahead_filled_gb,
        1.02,
    ),
)

# Chapter 05 is five percent ahead: its blocks keep near each other

loop_blocks_stay_longer = value(
    ms("steps_of_the_grid", chapter="claim_stays", hint="no", times_the_room=1, device="nvidia-h100-80gb-hbm3")
    / ms("ends", chapter="claim_stays", hint="no", times_the_room=0, device="nvidia-h100-80gb-hbm3")
    - 1,
    ".0%",
)
claim("by some five percent", between(1.04, float4_gb / registers_0_ahead_filled_gb, 1.07))
claim(
    "with fewer bytes on their way than the plain loop",
    at_most(float4_warps_active_percent / registers_0_ahead_warps_active_percent, 0.75),
)
claim("blocks that come and go are ahead of every pipeline here", at_least(float4_gb / best(), 1.01))

# Try it

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
