"""The facts of the page "What a block costs"."""

from tools.book.facts import *


def life_ns(variant, **where):
    """ns from the start of a block to the start of the next in its place, where one block at a time is on a multiprocessor."""
    return ns(variant, **where) * device("multiprocessors")


page(
    "side",
    needs="02 21",
    afterwards=[
        "say how many blocks a card can launch in a second",
        "explain the bandwidth of a kernel by the size of its blocks",
    ],
)
basic_256_threads_ms = ms("basic", chapter="02", threads=256)
basic_64_over_256_threads = value(ms("basic", chapter="02", threads=64) / basic_256_threads_ms, ".1f")

# Predict before you read on

launch_256_threads_ns = value(ns("launch", threads=256), ".2f")
per_launch_256_threads_ns = value(1 / launch_256_threads_ns, ".2f")
blocks_a_nanosecond = number(
    """Each block stores one word and ends. How many blocks can the whole card begin in a nanosecond? (One line of chapter 02 is enough to work it out.)""",
    per_launch_256_threads_ns,
    "a factor of 1.2",
    fold="""Every {launch_256_threads_ns} ns a block begins somewhere on the card. In chapter 02, 4,194,304 blocks of 64 threads took as long.""",
)
turnover_alone_life_64_threads_ns = value(life_ns("turnover_alone", threads=64), ".0f")
a_block_and_its_load = number(
    """A block of 64 threads loads a word a thread and stores it. It is alone on its multiprocessor, and [a load](21_latency.md) takes a third of a microsecond. How
long does the block keep its place, until the next one has it?""",
    turnover_alone_life_64_threads_ns,
    "a factor of 1.3",
    unit="ns",
    fold="More than half as long again as the load takes.",
)
launch_32_threads_ns = value(ns("launch", threads=32), ".2f")
launch_512_threads_ns = value(ns("launch", threads=512), ".2f")
launch_512_over_32_threads = launch_512_threads_ns / launch_32_threads_ns
larger_to_launch = choice(
    """Blocks of 512 threads instead of 32, and as many of them. How much longer does it take to launch them?""",
    {
        "no longer": at_most(launch_512_over_32_threads, 1.1),
        "about twice as long": between(1.1, launch_512_over_32_threads, 4),
        "sixteen times as long, or nearly": at_least(launch_512_over_32_threads, 4),
    },
    right="no longer",
    fold="""A block of 32 threads takes {launch_32_threads_ns} ns, one of 512 takes {launch_512_threads_ns}.""",
)

# Count it

count_counts = counts(
    "23_block_launch",
    where=lambda row: row.threads in (64, 256, 1024) and row.variant != "turnover_alone",
    columns="variant, threads, load_requests, load_sectors, store_requests, store_sectors",
)
claim(
    "the copies ask for the same",
    equal(count("turnover", "load_sectors", threads=64), count("turnover", "load_sectors", threads=1024)),
)

# Measure it

launch_32_threads_ms = value(ms("launch", threads=32), ".2f")
launch_32_threads_ns_mills = value(launch_32_threads_ns, ".3f")
launch_64_threads_ms = value(ms("launch", threads=64), ".2f")
launch_64_threads_ns = value(ns("launch", threads=64), ".3f")
launch_128_threads_ms = value(ms("launch", threads=128), ".2f")
launch_128_threads_ns = value(ns("launch", threads=128), ".3f")
launch_256_threads_ms = value(ms("launch", threads=256), ".2f")
launch_256_threads_ns_mills = value(launch_256_threads_ns, ".3f")
launch_512_threads_ms = value(ms("launch", threads=512), ".2f")
launch_512_threads_ns_mills = value(launch_512_threads_ns, ".3f")
launch_1ki_threads_ms = value(ms("launch", threads=1024), ".2f")
launch_1ki_threads_ns = value(ns("launch", threads=1024), ".3f")
launch_life_256_threads_ns = value(life_ns("launch", threads=256), ".0f")
per_launch_256_threads_ns_2 = value(512 / launch_256_threads_ns, ".0f")
turnover_64_threads_gb = value(gb("turnover", threads=64), ".0f")
claim(
    "the copy of 512 bytes a block is as fast as its launch allows",
    level(turnover_64_threads_gb, per_launch_256_threads_ns_2, within=0.02),
)
claim(
    "blocks are launched at one rate, whatever their size",
    level(launch_32_threads_ns, launch_512_threads_ns, within=0.02),
)
claim("the largest take longer", at_least(launch_1ki_threads_ns / launch_512_threads_ns, 1.1))
turnover_chart = chart(
    "23_block_launch",
    where=lambda row: row.variant in ("turnover", "turnover_alone") and row.n > 0,
    every_size=True,
    x="threads",
    lines="variant",
    name="turnover",
    title="A word a thread, by the threads of a block",
)
measure_table = table(
    "23_block_launch",
    where=lambda row: row.variant in ("turnover", "turnover_alone"),
    columns="variant, threads, warps, cold, ms, ns",
)
turnover_256_threads_gb = gb("turnover", threads=256)
turnover_512_threads_gb = gb("turnover", threads=512)
turnover_1ki_threads_gb = gb("turnover", threads=1024)
claim(
    "the addition of chapter 02 has the same curve",
    at_least(basic_64_over_256_threads, 2),
    at_least(ms("basic", chapter="02", threads=1024) / basic_256_threads_ms, 1.05),
    faster(
        turnover_256_threads_gb,
        max(turnover_64_threads_gb, gb("turnover", threads=128), turnover_512_threads_gb, turnover_1ki_threads_gb),
    ),
)

# The life of a block

turnover_alone_64_threads_ns = value(ns("turnover_alone", threads=64), ".2f")
multiprocessors = device("multiprocessors")
n_64_empty = value(life_ns("turnover_alone", chapter="claim_turnover", threads=64, does="neither"), ".0f")
n_64_stores = value(life_ns("turnover_alone", chapter="claim_turnover", threads=64, does="stores"), ".0f")
n_64_loads = value(life_ns("turnover_alone", chapter="claim_turnover", threads=64, does="loads"), ".0f")
n_64_both = value(life_ns("turnover_alone", chapter="claim_turnover", threads=64, does="both"), ".0f")
n_256_empty = value(life_ns("turnover_alone", chapter="claim_turnover", threads=256, does="neither"), ".0f")
n_256_stores = value(life_ns("turnover_alone", chapter="claim_turnover", threads=256, does="stores"), ".0f")
n_256_loads = value(life_ns("turnover_alone", chapter="claim_turnover", threads=256, does="loads"), ".0f")
n_256_both = value(life_ns("turnover_alone", chapter="claim_turnover", threads=256, does="both"), ".0f")
n_1_024_empty = value(life_ns("turnover_alone", chapter="claim_turnover", threads=1024, does="neither"), ".0f")
n_1_024_stores = value(life_ns("turnover_alone", chapter="claim_turnover", threads=1024, does="stores"), ".0f")
n_1_024_loads = value(life_ns("turnover_alone", chapter="claim_turnover", threads=1024, does="loads"), ".0f")
n_1_024_both = value(life_ns("turnover_alone", chapter="claim_turnover", threads=1024, does="both"), ".0f")
n_64_loads_less_empty = value(n_64_loads - n_64_empty, ".0f")
chase_ns = value(ns("chase", table=GiB, order="random", chapter="21"), ".0f")
n_1_024_both_2 = value(round(n_1_024_both), ".0f")
n_1_024_less_64_both = value(n_1_024_both_2 - round(n_64_both), ".0f")
n_1_024_loads_2 = value(round(n_1_024_loads), ".0f")
nearly_half = value(n_1_024_less_64_both - (n_1_024_loads_2 - round(n_64_loads)), ".0f")
n_1_024_empty_2 = value(round(n_1_024_empty), ".0f")
n_1_024_less_64_empty = value(n_1_024_empty_2 - round(n_64_empty), ".0f")
n_1_024_stores_2 = value(round(n_1_024_stores), ".0f")
without_loads_grow_reads = value(n_1_024_stores_2 - round(n_64_stores) - n_1_024_less_64_empty, ".0f")
loads_ns = value(n_1_024_loads_2 - round(n_64_loads) - n_1_024_less_64_empty, ".0f")
turnover_alone_life_claim_turnover_1ki = life_ns(
    "turnover_alone", chapter="claim_turnover", threads=1024, does="store first"
)
needs_load_both = value(round(turnover_alone_life_claim_turnover_1ki), ".0f")
loads_stores = value(
    2 * round(life_ns("turnover_alone", chapter="claim_turnover", threads=1024, does="by turns")), ",.0f"
)
block_store_first_needs_load_ns = value(needs_load_both - n_1_024_loads_2 - n_1_024_stores_2 + n_1_024_empty_2, ".0f")
block_load_first_ns_longer = value(n_1_024_both_2 - n_1_024_loads_2 - n_1_024_stores_2 + n_1_024_empty_2, ".0f")
two_blocks_loads_stores_ns_longer = value(loads_stores - n_1_024_loads_2 - n_1_024_stores_2, ".0f")
claim(
    "most of what a large block takes longer is added where it does both",
    less(0.4 * (n_1_024_both - n_64_both), n_1_024_both - n_64_both - (n_1_024_loads - n_64_loads)),
    less(1.5 * (n_1_024_empty - n_64_empty), n_1_024_both - n_64_both - (n_1_024_loads - n_64_loads)),
    less(
        n_1_024_stores - n_64_stores - (n_1_024_empty - n_64_empty),
        0.3 * (n_1_024_both - n_64_both - (n_1_024_loads - n_64_loads)),
    ),
)
claim(
    "a load adds to an empty block what an idle memory takes, and a store next to nothing",
    between(0.98, n_64_loads_less_empty / chase_ns, 1.1),
    at_most(n_64_both / n_64_loads, 1.03),
)
claim(
    "in large blocks the store behind a load costs more than by itself, and first it costs no less",
    less(3 * (n_1_024_stores - n_1_024_empty), n_1_024_both - n_1_024_loads),
    less(n_1_024_both, turnover_alone_life_claim_turnover_1ki),
)
turnover_alone_1ki_threads_by_turns_ns = ns("turnover_alone", chapter="claim_turnover", threads=1024, does="by turns")
claim(
    "by turns it costs about as much as in one block",
    level(
        2 * turnover_alone_1ki_threads_by_turns_ns * multiprocessors - n_1_024_loads - n_1_024_stores,
        n_1_024_both - n_1_024_loads - n_1_024_stores + n_1_024_empty,
        within=0.3,
    ),
)
turnover_alone_1ki_threads_ns = ns("turnover_alone", threads=1024)
claim(
    "a larger block keeps its place longer", at_least(turnover_alone_1ki_threads_ns / turnover_alone_64_threads_ns, 1.3)
)
turnover_alone_512_threads_ns = ns("turnover_alone", threads=512)
claim(
    "and by about as much for each warp",
    between(
        0.7,
        (turnover_alone_1ki_threads_ns - turnover_alone_512_threads_ns)
        / 16
        / ((turnover_alone_512_threads_ns - turnover_alone_64_threads_ns) / 14),
        1.4,
    ),
)

# Two limits: the launch, and the places

turnover_alone_256_threads_ns = value(ns("turnover_alone", threads=256), ".2f")
launch_64_threads_ns_cents = value(launch_64_threads_ns, ".2f")
n_64_turn_alone_over_room = value(turnover_alone_64_threads_ns / 32, ".2f")
turnover_64_threads_ns = value(ns("turnover", threads=64), ".2f")
launch_128_threads_ns_cents = value(launch_128_threads_ns, ".2f")
n_128_turn_alone_over_room = value(ns("turnover_alone", threads=128) / 16, ".2f")
turnover_128_threads_ns = value(ns("turnover", threads=128), ".2f")
n_256_turn_alone_over_room = value(turnover_alone_256_threads_ns / 8, ".2f")
turnover_256_threads_ns = value(ns("turnover", threads=256), ".2f")
n_512_turn_alone_over_room = value(turnover_alone_512_threads_ns / 4, ".2f")
turnover_512_threads_ns = value(ns("turnover", threads=512), ".2f")
launch_1ki_threads_ns_cents = value(launch_1ki_threads_ns, ".2f")
n_1024_turn_alone_over_room = value(turnover_alone_1ki_threads_ns / 2, ".2f")
turnover_1ki_threads_ns = value(ns("turnover", threads=1024), ".2f")
n_512_threads_load_alone = value(ns("turnover_alone", chapter="claim_turnover", threads=512, does="loads") / 4, ".3f")
turnover_512_threads_loads_ns = value(ns("turnover", chapter="claim_turnover", threads=512, does="loads"), ".3f")
turnover_512_threads_loads_over_alone_512 = turnover_512_threads_loads_ns / n_512_threads_load_alone
n_512_threads_load_longer = value(turnover_512_threads_loads_over_alone_512 - 1, ".0%")
n_512_threads_load_store_alone = value(
    ns("turnover_alone", chapter="claim_turnover", threads=512, does="both") / 4, ".3f"
)
turnover_512_threads_both_ns = value(ns("turnover", chapter="claim_turnover", threads=512, does="both"), ".3f")
turnover_512_threads_both_over_alone_512 = turnover_512_threads_both_ns / n_512_threads_load_store_alone
n_512_threads_load_store_longer = value(turnover_512_threads_both_over_alone_512 - 1, ".0%")
n_512_threads_alone = value(ns("turnover_alone", chapter="claim_turnover", threads=512, does="by turns") / 4, ".3f")
turnover_512_threads_by_turns_ns = value(ns("turnover", chapter="claim_turnover", threads=512, does="by turns"), ".3f")
turnover_512_threads_by_turns_ns_over_n_512 = turnover_512_threads_by_turns_ns / n_512_threads_alone
n_512_threads_longer = value(turnover_512_threads_by_turns_ns_over_n_512 - 1, ".0%")
n_1_024_threads_load_alone = value(
    ns("turnover_alone", chapter="claim_turnover", threads=1024, does="loads") / 2, ".3f"
)
turnover_1ki_threads_loads_ns = value(ns("turnover", chapter="claim_turnover", threads=1024, does="loads"), ".3f")
turnover_1ki_threads_loads_over_alone_1ki = turnover_1ki_threads_loads_ns / n_1_024_threads_load_alone
n_1_024_threads_load_longer = value(turnover_1ki_threads_loads_over_alone_1ki - 1, ".0%")
n_1_024_threads_load_store_alone = value(
    ns("turnover_alone", chapter="claim_turnover", threads=1024, does="both") / 2, ".3f"
)
turnover_1ki_threads_both_ns = value(ns("turnover", chapter="claim_turnover", threads=1024, does="both"), ".3f")
turnover_1ki_threads_both_over_alone_1ki = turnover_1ki_threads_both_ns / n_1_024_threads_load_store_alone
n_1_024_threads_load_store_longer = value(turnover_1ki_threads_both_over_alone_1ki - 1, ".0%")
n_1_024_threads_alone = value(turnover_alone_1ki_threads_by_turns_ns / 2, ".3f")
turnover_1ki_threads_by_turns_ns = value(ns("turnover", chapter="claim_turnover", threads=1024, does="by turns"), ".3f")
n_1_024_threads_longer = value(turnover_1ki_threads_by_turns_ns / n_1_024_threads_alone - 1, ".0%")
threads_turn = value((turnover_512_threads_loads_ns - n_512_threads_load_alone) * 4 * multiprocessors, ".0f")
turnover_512_threads_loads_gb = gb("turnover", chapter="claim_turnover", threads=512, does="loads")
turnover_alone_gb = gb("turnover_alone", chapter="claim_turnover", threads=512, does="loads")
read_64_warps_gb = gb("read", chapter="22", width=4, loads=1, warps=64)
read_8_warps_gb = gb("read", chapter="22", width=4, loads=1, warps=8)
peak = device("peak_gb_per_s")
law_queue_makes_does = value(
    (8192 * multiprocessors / read_64_warps_gb - 1024 * multiprocessors / read_8_warps_gb)
    / (read_64_warps_gb / (peak - read_64_warps_gb) - read_8_warps_gb / (peak - read_8_warps_gb))
    * (
        turnover_512_threads_loads_gb / (peak - turnover_512_threads_loads_gb)
        - turnover_alone_gb / (peak - turnover_alone_gb)
    ),
    ".0f",
)
turnover_alone_life_512_threads_ns = life_ns("turnover_alone", threads=512)
turnover_life_512_threads_ns = life_ns("turnover", threads=512)
copy_s_turn = value(turnover_life_512_threads_ns * 4 - turnover_alone_life_512_threads_ns, ".0f")
place_without_warp = value(
    turnover_life_512_threads_ns * 4 * (1 - counter("turnover", "warps_active_percent", threads=512, large=True) / 100)
    - turnover_alone_life_512_threads_ns
    * (1 - counter("turnover_alone", "warps_active_percent", threads=512, large=True) * 20.48 / 512),
    ".0f",
)
turnover_256_threads_by_turns_ns = value(ns("turnover", chapter="claim_turnover", threads=256, does="by turns"), ".2f")
turn_ns_over = value(ns("turnover_alone", chapter="claim_turnover", threads=1024, does="neither") / 2, ".2f")
turnover_1ki_threads_neither_ns = value(ns("turnover", chapter="claim_turnover", threads=1024, does="neither"), ".2f")
claim(
    "blocks that only load take hardly longer in company, and those that do both a good deal",
    at_most(turnover_512_threads_loads_over_alone_512, 1.06),
    at_most(turnover_1ki_threads_loads_over_alone_1ki, 1.06),
    at_least(turnover_512_threads_both_over_alone_512, 1.2),
    at_least(turnover_1ki_threads_both_over_alone_1ki, 1.12),
    at_least(turnover_512_threads_by_turns_ns_over_n_512, 1.12),
)
turnover_alone_life_256_threads_ns = life_ns("turnover_alone", threads=256)
turnover_life_256_threads_ns = life_ns("turnover", threads=256)
turnover_alone_life_1ki_threads_ns = life_ns("turnover_alone", threads=1024)
turnover_life_1ki_threads_ns = life_ns("turnover", threads=1024)
claim(
    "the time is in empty places",
    less(
        0.9 * (turnover_life_256_threads_ns * 8 - turnover_alone_life_256_threads_ns),
        turnover_life_256_threads_ns
        * 8
        * (1 - counter("turnover", "warps_active_percent", threads=256, large=True) / 100)
        - turnover_alone_life_256_threads_ns
        * (1 - counter("turnover_alone", "warps_active_percent", threads=256, large=True) * 20.48 / 256),
    ),
    less(0.9 * copy_s_turn, place_without_warp),
    less(
        0.9 * (turnover_life_1ki_threads_ns * 2 - turnover_alone_life_1ki_threads_ns),
        turnover_life_1ki_threads_ns
        * 2
        * (1 - counter("turnover", "warps_active_percent", threads=1024, large=True) / 100)
        - turnover_alone_life_1ki_threads_ns
        * (1 - counter("turnover_alone", "warps_active_percent", threads=1024, large=True) * 20.48 / 1024),
    ),
)
claim(
    "empty blocks of 1024 threads are held by their room",
    between(0.9, turnover_1ki_threads_neither_ns / turn_ns_over, 1.15),
)
claim(
    "small blocks are bound by their launch",
    at_most(turnover_64_threads_ns / launch_64_threads_ns, 1.03),
    at_most(turnover_128_threads_ns / launch_128_threads_ns, 1.03),
)
claim(
    "beyond that, larger blocks are slower",
    at_least(turnover_256_threads_gb / turnover_512_threads_gb, 1.03),
    at_least(turnover_512_threads_gb / turnover_1ki_threads_gb, 1.03),
)
claim(
    "in company a block's turn is longer, by less than a half",
    between(1.05, turnover_1ki_threads_ns / n_1024_turn_alone_over_room, 1.5),
    between(1.05, turnover_512_threads_ns / n_512_turn_alone_over_room, 1.5),
)
claim("at 256 threads the limits meet", level(n_256_turn_alone_over_room, launch_256_threads_ns, within=0.1))

# Fewer blocks: launch, or memory?

claim(
    "four floats a thread gain on one",
    at_least(gb("float4", chapter="05", threads=256) / gb("basic", chapter="02", threads=256), 1.1),
)
stream_gb = gb("stream", chapter="24", mix="4:0")
launch_128_threads_m = value(2**20 * launch_128_threads_ns / 1000000.0, ".2f")
per_stream_m = value(2**29 / stream_gb / 1000000.0, ".2f")

# Try it

a_block_signs_in_for_four = change(
    """
- if (threadIdx.x == 0) {
- c[blockIdx.x] = blockIdx.x;
+ if (threadIdx.x < 4) {
+ c[4 * blockIdx.x + threadIdx.x] = 4 * blockIdx.x + threadIdx.x;
- sign_in<<<blocks, threads, 0, stream>>>(p.c);
+ sign_in<<<blocks / 4, threads, 0, stream>>>(p.c);
$ ./run 23 --device cpu --variant launch
shows ^launch .* yes
holds 4 * count('launch', 'store_requests', threads=64) == book_count('launch', 'store_requests', threads=64)
"""
)
launch_64_threads_per_4_ms = value(launch_64_threads_ms / 4, ".2f")
four_words_a_thread = change(
    """
- const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
- if (i < n) {
- c[i] = a[i];
- }
+ for (unsigned k = 0; k < 4; ++k) {
+ const std::size_t i = (std::size_t{blockIdx.x} * 4 + k) * blockDim.x + threadIdx.x;
+ if (i < n) {
+ c[i] = a[i];
+ }
+ }
- const unsigned blocks = common::blocks(p.n, threads);
+ const unsigned blocks = common::blocks(p.n, 4 * threads);
$ ./run 23 --device cpu --n 1000003 --variant turnover
shows ^turnover .* yes
holds count('turnover', 'load_sectors', threads=64) == count('turnover', 'load_sectors', threads=1024)
"""
)
launch_64_threads_m = value(2**20 * launch_64_threads_ns / 1000000.0, ".2f")
load_three_loads = value(turnover_alone_life_64_threads_ns + 3 * chase_ns, ",.0f")
ns_room_multiprocessor = value((turnover_alone_64_threads_ns + 3 * chase_ns / multiprocessors) / 32, ".2f")
