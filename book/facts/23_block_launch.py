"""The facts of the page "Block launch rate and block lifetime"."""

from tools.book.facts import *


def life_ns(variant, **where):
    """ns from the start of a block to the start of the next in its place, where one block at a time is on an SM."""
    return ns(variant, **where) * device("multiprocessors")


page(
    "side",
    needs="02 21",
    afterwards=[
        "measure how many blocks a GPU can launch per second",
        "explain a kernel's bandwidth from the size of its blocks",
    ],
)
basic_256_threads_ms = ms("basic", chapter="02", threads=256)
small_blocks_over_large = value(ms("basic", chapter="02", threads=64) / basic_256_threads_ms, ".1f")

# Predict

launch_256_ns = value(ns("launch", threads=256), ".2f")
per_launch_256_threads_ns = value(1 / launch_256_ns, ".2f")
blocks_a_nanosecond = number(
    """Each block stores one word and ends. How many blocks per nanosecond can the whole GPU start? (A table in chapter 02 shows it.)""",
    per_launch_256_threads_ns,
    "a factor of 1.2",
    fold="""A block starts every {launch_256_ns} ns, the rate of the 4,194,304 blocks of 64 threads in chapter 02.""",
)
copy_one_per_sm_life_64_ns = value(life_ns("copy_one_per_sm", threads=64), ".0f")
a_block_and_its_load = number(
    """A block of 64 threads copies one word per thread, with no other block on its SM. [A load](21_latency.md) takes a third of a microsecond. How
long does the block occupy its slot, until the next block starts?""",
    copy_one_per_sm_life_64_ns,
    "a factor of 1.3",
    unit="ns",
    fold="More than 50% longer than the load takes.",
)
launch_32_threads_ns = value(ns("launch", threads=32), ".2f")
launch_512_ns = value(ns("launch", threads=512), ".2f")
launch_512_threads_over_32_threads_time = launch_512_ns / launch_32_threads_ns
larger_to_launch = choice(
    """The same number of blocks has 512 threads each instead of 32. How much longer does the launch take?""",
    {
        "no longer": at_most(launch_512_threads_over_32_threads_time, 1.1),
        "about twice as long": between(1.1, launch_512_threads_over_32_threads_time, 4),
        "sixteen times as long, or nearly": at_least(launch_512_threads_over_32_threads_time, 4),
    },
    right="no longer",
    fold="""A block of 32 threads launches every {launch_32_threads_ns} ns, one of 512 threads every {launch_512_ns} ns.""",
)

# Memory transactions

copy_one_per_sm = counts(
    "23_block_launch",
    where=lambda row: row.threads in (64, 256, 1024) and row.variant != "copy_one_per_sm",
    columns="variant, threads, load_requests, load_sectors, store_requests, store_sectors",
)
claim(
    "the copies request the same",
    equal(count("copy_full", "load_sectors", threads=64), count("copy_full", "load_sectors", threads=1024)),
)

# Results

launch_32_threads_ms = value(ms("launch", threads=32), ".2f")
launch_32_ns_mills = value(launch_32_threads_ns, ".3f")
launch_64_threads_ms = value(ms("launch", threads=64), ".2f")
launch_64_threads_ns = value(ns("launch", threads=64), ".3f")
launch_128_ms = value(ms("launch", threads=128), ".2f")
launch_128_ns = value(ns("launch", threads=128), ".3f")
launch_256_ms = value(ms("launch", threads=256), ".2f")
launch_256_ns_mills = value(launch_256_ns, ".3f")
launch_512_ms = value(ms("launch", threads=512), ".2f")
launch_512_ns_mills = value(launch_512_ns, ".3f")
launch_1ki_ms = value(ms("launch", threads=1024), ".2f")
launch_1ki_ns = value(ns("launch", threads=1024), ".3f")
launch_life_256_ns = value(life_ns("launch", threads=256), ".0f")
per_launch_256_ns_2 = value(512 / launch_256_ns, ".0f")
copy_full_64_gb = value(gb("copy_full", threads=64), ".0f")
claim(
    "the copy of 512 bytes per block is as fast as its launch allows",
    level(copy_full_64_gb, per_launch_256_ns_2, within=0.02),
)
claim(
    "blocks are launched at one rate, whatever their size",
    level(launch_32_threads_ns, launch_512_ns, within=0.02),
)
claim("the largest take longer", at_least(launch_1ki_ns / launch_512_ns, 1.1))
turnover_chart = chart(
    "23_block_launch",
    where=lambda row: row.variant in ("copy_full", "copy_one_per_sm") and row.n > 0,
    every_size=True,
    x="threads",
    lines="variant",
    name="copy_full",
    title="Copy of one word per thread, by the block size",
)
measure_table = table(
    "23_block_launch",
    where=lambda row: row.variant in ("copy_full", "copy_one_per_sm"),
    columns="variant, threads, warps, cold, ms, ns",
)
copy_full_256_threads_gb = gb("copy_full", threads=256)
copy_full_512_threads_gb = gb("copy_full", threads=512)
copy_full_1ki_threads_gb = gb("copy_full", threads=1024)
claim(
    "the addition of chapter 02 has the same curve",
    at_least(small_blocks_over_large, 2),
    at_least(ms("basic", chapter="02", threads=1024) / basic_256_threads_ms, 1.05),
    faster(
        copy_full_256_threads_gb,
        max(copy_full_64_gb, gb("copy_full", threads=128), copy_full_512_threads_gb, copy_full_1ki_threads_gb),
    ),
)

# Block lifetime: load latency plus start and end

copy_one_per_sm_64_ns = value(ns("copy_one_per_sm", threads=64), ".2f")
multiprocessors = device("multiprocessors")
empty_64 = value(life_ns("copy_one_per_sm", chapter="claim_turnover", threads=64, does="neither"), ".0f")
stores_64 = value(life_ns("copy_one_per_sm", chapter="claim_turnover", threads=64, does="stores"), ".0f")
loads_64 = value(life_ns("copy_one_per_sm", chapter="claim_turnover", threads=64, does="loads"), ".0f")
both_64 = value(life_ns("copy_one_per_sm", chapter="claim_turnover", threads=64, does="both"), ".0f")
empty_256 = value(life_ns("copy_one_per_sm", chapter="claim_turnover", threads=256, does="neither"), ".0f")
stores_256 = value(life_ns("copy_one_per_sm", chapter="claim_turnover", threads=256, does="stores"), ".0f")
loads_256 = value(life_ns("copy_one_per_sm", chapter="claim_turnover", threads=256, does="loads"), ".0f")
both_256 = value(life_ns("copy_one_per_sm", chapter="claim_turnover", threads=256, does="both"), ".0f")
copy_full_1ki_threads = dict(chapter="claim_turnover", threads=1024)
empty_1024 = value(life_ns("copy_one_per_sm", does="neither", **copy_full_1ki_threads), ".0f")
stores_1024 = value(life_ns("copy_one_per_sm", does="stores", **copy_full_1ki_threads), ".0f")
loads_1024 = value(life_ns("copy_one_per_sm", does="loads", **copy_full_1ki_threads), ".0f")
both_1024 = value(life_ns("copy_one_per_sm", does="both", **copy_full_1ki_threads), ".0f")
a_load_adds_ns = value(loads_64 - empty_64, ".0f")
chase_ns = value(ns("chase", table=GiB, order="random", chapter="21"), ".0f")
load_first_1024_ns = value(round(both_1024), ".0f")
both_grow_ns = value(load_first_1024_ns - round(both_64), ".0f")
warp_adds_ns = value(both_grow_ns / 30, ".0f")
loads_1024_rounded = value(round(loads_1024), ".0f")
stores_behind_loads_ns = value(both_grow_ns - (loads_1024_rounded - round(loads_64)), ".0f")
empty_1024_rounded = value(round(empty_1024), ".0f")
empty_1024_minus_64 = value(empty_1024_rounded - round(empty_64), ".0f")
stores_1024_rounded = value(round(stores_1024), ".0f")
stores_alone_grow_ns = value(stores_1024_rounded - round(stores_64) - empty_1024_minus_64, ".0f")
loads_ns = value(loads_1024_rounded - round(loads_64) - empty_1024_minus_64, ".0f")
copy_one_per_sm_life_1ki_threads_store_first = life_ns("copy_one_per_sm", does="store first", **copy_full_1ki_threads)
store_first_1024_ns = value(round(copy_one_per_sm_life_1ki_threads_store_first), ".0f")
by_turns_1024_ns = value(2 * round(life_ns("copy_one_per_sm", does="by turns", **copy_full_1ki_threads)), ",.0f")
store_first_longer_ns = value(
    store_first_1024_ns - loads_1024_rounded - stores_1024_rounded + empty_1024_rounded, ".0f"
)
block_load_first_ns_longer = value(
    load_first_1024_ns - loads_1024_rounded - stores_1024_rounded + empty_1024_rounded, ".0f"
)
by_turns_longer_ns = value(by_turns_1024_ns - loads_1024_rounded - stores_1024_rounded, ".0f")
claim(
    "most of what a large block takes longer is added where it does both",
    less(0.4 * (both_1024 - both_64), both_1024 - both_64 - (loads_1024 - loads_64)),
    less(empty_1024 - empty_64, both_1024 - both_64 - (loads_1024 - loads_64)),
    less(stores_1024 - stores_64 - (empty_1024 - empty_64), 0.3 * (both_1024 - both_64 - (loads_1024 - loads_64))),
)
claim(
    "a load adds to an empty block what an idle memory takes, and a store almost nothing",
    between(0.95, a_load_adds_ns / chase_ns, 1.2),
    at_most(both_64 / loads_64, 1.03),
)
claim(
    "in large blocks the store behind a load costs more than by itself, and first it costs no less",
    less(3 * (stores_1024 - empty_1024), both_1024 - loads_1024),
    less(both_1024, copy_one_per_sm_life_1ki_threads_store_first),
)
copy_one_per_sm_1ki_threads_by_turns_ns = ns("copy_one_per_sm", does="by turns", **copy_full_1ki_threads)
claim(
    "by turns it costs about as much as in one block",
    level(
        2 * copy_one_per_sm_1ki_threads_by_turns_ns * multiprocessors - loads_1024 - stores_1024,
        both_1024 - loads_1024 - stores_1024 + empty_1024,
        within=0.3,
    ),
)
copy_one_per_sm_1ki_threads_ns = ns("copy_one_per_sm", threads=1024)
claim(
    "a larger block keeps its slot longer", at_least(copy_one_per_sm_1ki_threads_ns / copy_one_per_sm_64_ns, 1.3)
)
copy_one_per_sm_512_threads_ns = ns("copy_one_per_sm", threads=512)
claim(
    "and by about as much for each warp",
    between(
        0.7,
        (copy_one_per_sm_1ki_threads_ns - copy_one_per_sm_512_threads_ns)
        / 16
        / ((copy_one_per_sm_512_threads_ns - copy_one_per_sm_64_ns) / 14),
        1.4,
    ),
)

# Two limits: block launch rate and block lifetime

copy_one_per_sm_256_threads_ns = value(ns("copy_one_per_sm", threads=256), ".2f")
launch_64_ns_cents = value(launch_64_threads_ns, ".2f")
copy_block_64_ns = value(copy_one_per_sm_64_ns / 32, ".2f")
copy_full_64_ns = value(ns("copy_full", threads=64), ".2f")
launch_128_ns_cents = value(launch_128_ns, ".2f")
turn_alone_over_128 = value(ns("copy_one_per_sm", threads=128) / 16, ".2f")
copy_full_128_ns = value(ns("copy_full", threads=128), ".2f")
copy_block_256_ns = value(copy_one_per_sm_256_threads_ns / 8, ".2f")
copy_full_256_ns = value(ns("copy_full", threads=256), ".2f")
copy_block_512_ns = value(copy_one_per_sm_512_threads_ns / 4, ".2f")
copy_full_512_ns = value(ns("copy_full", threads=512), ".2f")
launch_1ki_ns_cents = value(launch_1ki_ns, ".2f")
copy_block_1ki_ns = value(copy_one_per_sm_1ki_threads_ns / 2, ".2f")
copy_full_1ki_ns = value(ns("copy_full", threads=1024), ".2f")
excess_256 = value(copy_full_256_ns / launch_256_ns - 1, ".0%")
excess_512 = value(copy_full_512_ns / copy_block_512_ns - 1, ".0%")
excess_1ki = value(copy_full_1ki_ns / copy_block_1ki_ns - 1, ".0%")
alone_512_load = value(ns("copy_one_per_sm", chapter="claim_turnover", threads=512, does="loads") / 4, ".3f")
copy_full_512_loads_ns = value(ns("copy_full", chapter="claim_turnover", threads=512, does="loads"), ".3f")
turnover_ns_512_threads_loads_over_alone = copy_full_512_loads_ns / alone_512_load
longer_512_load = value(turnover_ns_512_threads_loads_over_alone - 1, ".0%")
alone_512_load_store = value(
    ns("copy_one_per_sm", chapter="claim_turnover", threads=512, does="both") / 4, ".3f"
)
copy_full_512_both_ns = value(ns("copy_full", chapter="claim_turnover", threads=512, does="both"), ".3f")
company_over_alone_512_both = copy_full_512_both_ns / alone_512_load_store
both_512_longer = value(company_over_alone_512_both - 1, ".0%")
alone_512_threads = value(ns("copy_one_per_sm", chapter="claim_turnover", threads=512, does="by turns") / 4, ".3f")
copy_full_512_by_turns_ns = value(ns("copy_full", chapter="claim_turnover", threads=512, does="by turns"), ".3f")
company_over_alone_512_by_turns = copy_full_512_by_turns_ns / alone_512_threads
longer_512_threads = value(company_over_alone_512_by_turns - 1, ".0%")
alone_1024_load = value(ns("copy_one_per_sm", does="loads", **copy_full_1ki_threads) / 2, ".3f")
copy_full_1ki_loads_ns = value(ns("copy_full", does="loads", **copy_full_1ki_threads), ".3f")
turnover_ns_1ki_threads_loads_over_alone = copy_full_1ki_loads_ns / alone_1024_load
loads_1024_longer = value(turnover_ns_1ki_threads_loads_over_alone - 1, ".0%")
alone_1024_load_store = value(ns("copy_one_per_sm", does="both", **copy_full_1ki_threads) / 2, ".3f")
copy_full_1ki_both_ns = value(ns("copy_full", does="both", **copy_full_1ki_threads), ".3f")
turnover_ns_1ki_threads_both_over_alone = copy_full_1ki_both_ns / alone_1024_load_store
both_1024_longer = value(turnover_ns_1ki_threads_both_over_alone - 1, ".0%")
alone_1024_threads = value(copy_one_per_sm_1ki_threads_by_turns_ns / 2, ".3f")
copy_full_1ki_by_turns_ns = value(ns("copy_full", does="by turns", **copy_full_1ki_threads), ".3f")
longer_1024_threads = value(copy_full_1ki_by_turns_ns / alone_1024_threads - 1, ".0%")
threads_turn = value((copy_full_512_loads_ns - alone_512_load) * 4 * multiprocessors, ".0f")
copy_full_512_threads_loads_gb = gb("copy_full", chapter="claim_turnover", threads=512, does="loads")
copy_one_per_sm_gb = gb("copy_one_per_sm", chapter="claim_turnover", threads=512, does="loads")
read_64_warps_gb = gb("read", chapter="22", width=4, loads=1, warps=64)
read_8_warps_gb = gb("read", chapter="22", width=4, loads=1, warps=8)
peak = device("peak_gb_per_s")
queue_law_ns = value(
    (8192 * multiprocessors / read_64_warps_gb - 1024 * multiprocessors / read_8_warps_gb)
    / (read_64_warps_gb / (peak - read_64_warps_gb) - read_8_warps_gb / (peak - read_8_warps_gb))
    * (
        copy_full_512_threads_loads_gb / (peak - copy_full_512_threads_loads_gb)
        - copy_one_per_sm_gb / (peak - copy_one_per_sm_gb)
    ),
    ".0f",
)
copy_one_per_sm_life_512_threads_ns = life_ns("copy_one_per_sm", threads=512)
turnover_life_512_threads_ns = life_ns("copy_full", threads=512)
company_longer_ns = value(turnover_life_512_threads_ns * 4 - copy_one_per_sm_life_512_threads_ns, ".0f")
empty_place_longer_ns = value(
    turnover_life_512_threads_ns * 4 * (1 - counter("copy_full", "warps_active_percent", threads=512, large=True) / 100)
    - copy_one_per_sm_life_512_threads_ns
    * (1 - counter("copy_one_per_sm", "warps_active_percent", threads=512, large=True) * 20.48 / 512),
    ".0f",
)
copy_full_256_by_turns_ns = value(ns("copy_full", chapter="claim_turnover", threads=256, does="by turns"), ".2f")
launch_ns_over_the_room = value(ns("copy_one_per_sm", does="neither", **copy_full_1ki_threads) / 2, ".2f")
copy_full_1ki_neither_ns = value(ns("copy_full", does="neither", **copy_full_1ki_threads), ".2f")
claim(
    "blocks that only load take hardly longer on a full SM, and those that do both a good deal",
    at_most(turnover_ns_512_threads_loads_over_alone, 1.06),
    at_most(turnover_ns_1ki_threads_loads_over_alone, 1.06),
    at_least(company_over_alone_512_both, 1.2),
    at_least(turnover_ns_1ki_threads_both_over_alone, 1.1),
    at_least(company_over_alone_512_by_turns, 1.1),
)
copy_one_per_sm_life_256_threads_ns = life_ns("copy_one_per_sm", threads=256)
turnover_life_256_threads_ns = life_ns("copy_full", threads=256)
copy_one_per_sm_life_1ki_threads_ns = life_ns("copy_one_per_sm", threads=1024)
turnover_life_1ki_threads_ns = life_ns("copy_full", threads=1024)
claim(
    "the time is in empty slots",
    less(
        0.9 * (turnover_life_256_threads_ns * 8 - copy_one_per_sm_life_256_threads_ns),
        turnover_life_256_threads_ns
        * 8
        * (1 - counter("copy_full", "warps_active_percent", threads=256, large=True) / 100)
        - copy_one_per_sm_life_256_threads_ns
        * (1 - counter("copy_one_per_sm", "warps_active_percent", threads=256, large=True) * 20.48 / 256),
    ),
    less(0.9 * company_longer_ns, empty_place_longer_ns),
    less(
        0.9 * (turnover_life_1ki_threads_ns * 2 - copy_one_per_sm_life_1ki_threads_ns),
        turnover_life_1ki_threads_ns
        * 2
        * (1 - counter("copy_full", "warps_active_percent", threads=1024, large=True) / 100)
        - copy_one_per_sm_life_1ki_threads_ns
        * (1 - counter("copy_one_per_sm", "warps_active_percent", threads=1024, large=True) * 20.48 / 1024),
    ),
)
claim(
    "empty blocks of 1024 threads are held by their room",
    between(0.9, copy_full_1ki_neither_ns / launch_ns_over_the_room, 1.15),
)
claim(
    "small blocks are bound by their launch",
    at_most(copy_full_64_ns / launch_64_threads_ns, 1.03),
    at_most(copy_full_128_ns / launch_128_ns, 1.03),
)
claim(
    "beyond that, larger blocks are slower",
    at_least(copy_full_256_threads_gb / copy_full_512_threads_gb, 1.03),
    at_least(copy_full_512_threads_gb / copy_full_1ki_threads_gb, 1.03),
)
claim(
    "on a full SM a block's turnover is longer, by less than a half",
    between(1.05, copy_full_1ki_ns / copy_block_1ki_ns, 1.5),
    between(1.05, copy_full_512_ns / copy_block_512_ns, 1.5),
)
claim("at 256 threads the limits meet", level(copy_block_256_ns, launch_256_ns, within=0.1))

# Fewer blocks: more work per thread, or more threads per block

claim(
    "four floats per thread gain on one",
    at_least(gb("float4", chapter="05", threads=256) / gb("basic", chapter="02", threads=256), 1.1),
)
stream_gb = gb("stream", chapter="24", mix="4:0")
times_1mi_launch_128_ms = value(2**20 * launch_128_ns / 1000000.0, ".2f")
per_stream_gb = value(2**29 / stream_gb / 1000000.0, ".2f")

# Experiments

a_block_signs_in_for_four = change(
    """
- if (threadIdx.x == 0) {
- c[blockIdx.x] = blockIdx.x;
+ if (threadIdx.x < 4) {
+ c[4 * blockIdx.x + threadIdx.x] = 4 * blockIdx.x + threadIdx.x;
- store_one_word<<<blocks, threads, 0, stream>>>(p.c);
+ store_one_word<<<blocks / 4, threads, 0, stream>>>(p.c);
$ ./run 23 --device cpu --variant launch
shows ^launch .* yes
holds 4 * count('launch', 'store_requests', threads=64) == book_count('launch', 'store_requests', threads=64)
"""
)
launch_over_4_64_ms = value(launch_64_threads_ms / 4, ".2f")
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
$ ./run 23 --device cpu --n 1000003 --variant copy_full
shows ^copy_full .* yes
holds count('copy_full', 'load_sectors', threads=64) == count('copy_full', 'load_sectors', threads=1024)
"""
)
times_1mi_launch_64_ms = value(2**20 * launch_64_threads_ns / 1000000.0, ".2f")
four_loads_ns = value(copy_one_per_sm_life_64_ns + 3 * chase_ns, ",.0f")
over_the_room_ns = value((copy_one_per_sm_64_ns + 3 * chase_ns / multiprocessors) / 32, ".2f")
