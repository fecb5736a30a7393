"""The facts of the page "Block size and occupancy"."""

from tools.book.facts import *

page(
    "core",
    needs="01",
    afterwards=[
        "choose a block size, and explain why very small and very large blocks are slow",
        "distinguish theoretical occupancy from the occupancy that a launch achieves",
    ],
)

# Predict

basic_64_threads_gb = gb("basic", threads=64)
basic_128_threads_gb = gb("basic", threads=128)
basic_256_threads_gb = gb("basic", threads=256)
basic_512_threads_gb = gb("basic", threads=512)
basic_1ki_threads_gb = gb("basic", threads=1024)
block_sizes = order(
    "Put the block sizes in order, the fastest first.",
    "largest",
    {
        "64 threads": basic_64_threads_gb,
        "128 threads": basic_128_threads_gb,
        "256 threads": basic_256_threads_gb,
        "512 threads": basic_512_threads_gb,
        "1024 threads": basic_1ki_threads_gb,
    },
    form=",.0f",
    fold="GB/s in brackets.",
)
basic_64_threads_occupancy = value(parameter("basic", "occupancy", threads=64), ".0%")
basic_256_threads_occupancy = parameter("basic", "occupancy", threads=256)
basic_512_threads_occupancy = parameter("basic", "occupancy", threads=512)
basic_128_threads_occupancy = parameter("basic", "occupancy", threads=128)
basic_1ki_threads_occupancy = parameter("basic", "occupancy", threads=1024)
full_occupancy = choice(
    """An SM holds at most 2048 threads and at most 32 blocks. With which of the block sizes can it hold all 2048?""",
    {
        "with 64 and 128": less(basic_256_threads_occupancy, 1),
        "with 1024 alone": less(basic_512_threads_occupancy, 1),
        "from 256 on": both(less(basic_128_threads_occupancy, 1), equal(basic_256_threads_occupancy, 1)),
        "with all of them": equal(
            min(
                basic_64_threads_occupancy,
                basic_128_threads_occupancy,
                basic_256_threads_occupancy,
                basic_512_threads_occupancy,
                basic_1ki_threads_occupancy,
            ),
            1,
        ),
    },
    right="with all of them",
    fold="""The runtime reports {basic_64_threads_occupancy} of the threads for each.""",
)
suggested_gb = gb("suggested", threads=1024)
suggested_over_basic_256_threads = suggested_gb / basic_256_threads_gb
suggested_behind_basic_256 = value(1 - suggested_over_basic_256_threads, ".0%")
suggested_threads = parameter("suggested", "threads", threads=1024)
the_suggested_size = choice(
    """The runtime suggests a block size at which an SM can hold the most threads. Which does it suggest for this kernel?""",
    {
        "64 threads": equal(suggested_threads, 64),
        "256 threads": equal(suggested_threads, 256),
        "512 threads": equal(suggested_threads, 512),
        "1024 threads": equal(suggested_threads, 1024),
    },
    right="1024 threads",
    fold="""With it, the kernel has {suggested_behind_basic_256} less bandwidth than with 256.""",
)

# Memory transactions

count_counts = counts(
    "02_threads_per_block", columns="variant, threads, load_sectors_per_request, load_efficiency, modelled, limited_by"
)
claim(
    "blocks of 64 and of 1024 make the same requests",
    equal(count("basic", "load_requests", threads=64), count("basic", "load_requests", threads=1024)),
    equal(count("basic", "load_sectors", threads=64), count("basic", "load_sectors", threads=1024)),
)

# Results

measure_chart = chart("02_threads_per_block", title="Adding two vectors, by threads per block")
measure_table = table("02_threads_per_block", columns="variant, threads, occupancy, cold, hot, share")
basic_64_over_256 = value(basic_64_threads_gb / basic_256_threads_gb, ".0%")
basic_1ki_behind_256 = value(1 - basic_1ki_threads_gb / basic_256_threads_gb, ".0%")
claim(
    "256 threads beat every other size",
    faster(
        basic_256_threads_gb, max(basic_64_threads_gb, basic_128_threads_gb, basic_512_threads_gb, basic_1ki_threads_gb)
    ),
)
claim("64 threads reach less than half of what 256 do", at_most(basic_64_over_256, 0.5))
claim(
    "from 256 threads up the bandwidth falls",
    at_least(basic_256_threads_gb / basic_512_threads_gb, 1.03),
    at_least(basic_512_threads_gb / basic_1ki_threads_gb, 1.03),
)
claim(
    "the runtime promises full occupancy for every size",
    equal(basic_64_threads_occupancy, 1),
    equal(basic_128_threads_occupancy, 1),
    equal(basic_256_threads_occupancy, 1),
    equal(basic_512_threads_occupancy, 1),
    equal(basic_1ki_threads_occupancy, 1),
)

# Small blocks: the block launch rate is the limit

basic_64_threads_n = parameter("basic", "n", threads=64)
basic_over_64_n = value(basic_64_threads_n / 64, ",.0f")
basic_64_threads_ms = ms("basic", threads=64)
blocks_of_64_a_us = value(basic_over_64_n / basic_64_threads_ms / 1000, ",.0f")
basic_over_128_n = value(parameter("basic", "n", threads=128) / 128, ",.0f")
basic_128_threads_ms = ms("basic", threads=128)
blocks_of_128_a_us = value(basic_over_128_n / basic_128_threads_ms / 1000, ",.0f")
basic_over_64_1gi_n = value(parameter("basic", "n", threads=64, n=2**30) / 64, ",.0f")
basic_64_threads_1gi_ms = ms("basic", threads=64, n=2**30)
blocks_of_64_a_us_1gi = value(basic_over_64_1gi_n / basic_64_threads_1gi_ms / 1000, ",.0f")
sm_mhz = value(environment("clocks")["after"]["sm_mhz"], ",.0f")
blocks_per_cycle = value(blocks_of_64_a_us / sm_mhz, ".2f")
launch_64_threads_ns = ns("launch", chapter="23", threads=64)
per_launch_64_ns = value(1000 / launch_64_threads_ns, ",.0f")
claim(
    "blocks of 64 and of 128 threads are launched at the same rate",
    level(basic_64_threads_ms * 64, basic_128_threads_ms * 128, within=0.03),
)
claim(
    "twice the threads in a block make twice the bandwidth, as a rate of blocks would have it",
    between(1.9, basic_128_threads_gb / basic_64_threads_gb, 2.1),
)
claim(
    "at four times the elements the rate is the same",
    level(basic_64_threads_1gi_ms, 4 * basic_64_threads_ms, within=0.03),
)
claim(
    "blocks that move nothing are launched at that rate",
    level(launch_64_threads_ns * basic_64_threads_n / 64, basic_64_threads_ms * 10**6, within=0.03),
    level(launch_64_threads_ns, ns("launch", chapter="23", threads=512), within=0.01),
)
basic_times_4_64_gb = basic_64_threads_gb * 4
claim(
    "the launch rate stops being the limit at 256 threads", less(device("peak_gb_per_s"), basic_times_4_64_gb)
)

# Occupancy counts the threads that fit, not those that run

small_blocks_fast_blocks = counters(
    "02_threads_per_block",
    where=lambda row: not row.library,
    columns="variant, threads, occupancy, warps_active_percent, load_sectors, dram_bytes_read",
    large=True,
)
multiprocessors = device("multiprocessors")
ns_between_blocks_of_64 = value(basic_64_threads_ms * 1000000.0 * multiprocessors * 64 / basic_64_threads_n, ".1f")
basic_64_threads_warps_active = counter("basic", "warps_active_percent", threads=64, large=True)
basic_128_threads_warps_active = counter("basic", "warps_active_percent", threads=128, large=True)
claim(
    "a little more than a quarter, and not quite half",
    between(25, basic_64_threads_warps_active, 30),
    between(44, basic_128_threads_warps_active, 50),
)
basic_256_threads_warps_active = counter("basic", "warps_active_percent", threads=256, large=True)
claim(
    "the smaller the block, the emptier the SMs",
    at_most(basic_64_threads_warps_active / basic_128_threads_warps_active, 0.8),
    at_most(basic_128_threads_warps_active / basic_256_threads_warps_active, 0.8),
)
claim(
    "the traffic is the same for all sizes",
    level(
        counter("basic", "dram_bytes_read", threads=64, large=True),
        counter("basic", "dram_bytes_read", threads=1024, large=True),
        within=0.01,
    ),
    equal(
        counter("basic", "load_sectors", threads=64, large=True),
        counter("basic", "load_sectors", threads=1024, large=True),
    ),
)
slots_taken_by_64 = value(basic_64_threads_warps_active / 100, ".1%")
blocks_of_64_held = value(32 * slots_taken_by_64, ".1f")
places_taken_by_64_ns = 32 * basic_64_threads_warps_active / 100 * basic_64_threads_ms * 1000000.0
life_of_a_block_of_64_ns = value(places_taken_by_64_ns * multiprocessors * 64 / basic_64_threads_n, ".0f")
copy_one_per_sm_ns = ns("copy_one_per_sm", chapter="23", threads=64)
copy_per_sm_ns = value(copy_one_per_sm_ns * multiprocessors, ".0f")
blocks_held_if_alone = value(copy_per_sm_ns / ns_between_blocks_of_64, ".1f")
claim(
    "a small block lives somewhat longer than one alone",
    between(1.1, places_taken_by_64_ns * 64 / basic_64_threads_n / copy_one_per_sm_ns, 1.4),
)

# Large blocks release their slots only when the last warp exits

ends_256_ms = value(ms("ends", chapter="claim_late_loads", threads=256), ".3f")
ends_512_ms = value(ms("ends", chapter="claim_late_loads", threads=512), ".3f")
ends_1ki_ms = value(ms("ends", chapter="claim_late_loads", threads=1024), ".3f")
ends_1ki_threads_over_256_threads_time = ends_1ki_ms / ends_256_ms
ends_1ki_longer = value(ends_1ki_threads_over_256_threads_time - 1, ".0%")
basic_512_threads_warps_active = counter("basic", "warps_active_percent", threads=512, large=True)
basic_1ki_threads_warps_active = counter("basic", "warps_active_percent", threads=1024, large=True)
claim(
    "from 256 threads up, the larger the block, the more slots are empty",
    at_least(basic_256_threads_warps_active / basic_512_threads_warps_active, 1.03),
    at_least(basic_512_threads_warps_active / basic_1ki_threads_warps_active, 1.03),
)
claim(
    "the same launch has the same occupancy",
    level(
        counter("suggested", "warps_active_percent", threads=1024, large=True),
        basic_1ki_threads_warps_active,
        within=0.01,
    ),
)
active_256 = value(basic_256_threads_warps_active, ".0f")
active_512 = value(basic_512_threads_warps_active, ".0f")
active_1ki = value(basic_1ki_threads_warps_active, ".0f")
stays_256_ms = value(ms("stays", chapter="claim_late_loads", threads=256), ".3f")
stays_1ki_ms = ms("stays", chapter="claim_late_loads", threads=1024)
persistent_gain = value(ends_256_ms / stays_256_ms - 1, ".0%")
claim("filling the last slots gains less than the smaller block", less(persistent_gain, 0.5 * ends_1ki_longer))
persistent_apart = value(abs(stays_1ki_ms / stays_256_ms - 1), ".1%")
claim(
    "blocks that end mind their size, and persistent blocks hardly do",
    at_least(ends_1ki_threads_over_256_threads_time, 1.1),
    level(stays_1ki_ms, stays_256_ms, within=0.02),
)
float4_1ki_warps_active = value(
    counter("float4", "warps_active_percent", chapter="05", threads=1024, large=True), ".0f"
)
float4_256_warps_active = value(
    counter("float4", "warps_active_percent", chapter="05", threads=256, large=True), ".0f"
)
float4_256_gb = gb("float4", chapter="05", threads=256)
float4_1ki_gb = gb("float4", chapter="05", threads=1024)
float4_sizes_apart = value(abs(float4_1ki_gb / float4_256_gb - 1), ".1%")
claim("with float4 the large block loses nothing", level(float4_1ki_gb, float4_256_gb, within=0.02))
claim(
    "with float4, too, fewer slots are taken by large blocks",
    at_most(float4_1ki_warps_active / float4_256_warps_active, 0.9),
)
claim("the wrong block size costs more than half", at_most(basic_64_over_256, 0.5))

# The suggested block size is one of the slow ones

claim("the suggested size is well behind the best", at_most(suggested_over_basic_256_threads, 0.9))
claim(
    "the suggested size is as fast as the same size chosen by hand",
    level(suggested_gb, basic_1ki_threads_gb, within=0.02),
)
basic_behind_thrust = value(1 - basic_256_threads_gb / gb("thrust::transform"), ".0%")
claim("the libraries are out of reach for any block size", at_least(low("thrust::transform") / best("basic"), 1.15))

# Experiments

basic_over_2_64_gb = basic_64_threads_gb / 2
basic_times_1_5_64_gb = basic_64_threads_gb * 1.5
smaller_blocks = change(
    r"""
- {64u, 128u, 256u, 512u, 1024u}
+ {32u, 64u, 96u, 128u, 256u, 512u, 1024u}
$ ./run 02 --device cpu --variant basic
shows ^basic +32 +0\.5 .* yes
shows ^basic +96 .* yes
"""
)
the_launch_rate_foretells = change(
    """
on gpu
- {64u, 128u, 256u, 512u, 1024u}
+ {32u, 64u, 96u, 128u, 256u, 512u, 1024u}
$ ./run 02 --variant basic
holds parameter('basic', 'occupancy', threads=32) == 0.5
holds 0.45 < gb('basic', threads=32) / gb('basic', threads=64) < 0.55
holds 1.4 < gb('basic', threads=96) / gb('basic', threads=64) < 1.6
"""
)
blocks_of_768 = change(
    r"""
- 512u, 1024u}
+ 512u, 768u, 1024u}
$ ./run 02 --device cpu --variant basic
shows ^basic +768 +0\.75 .* yes
"""
)
a_quarter_of_the_places_empty = change(
    """
on gpu
- 512u, 1024u}
+ 512u, 768u, 1024u}
$ ./run 02 --variant basic
holds parameter('basic', 'occupancy', threads=768) == 0.75
holds gb('basic', threads=768) < gb('basic', threads=512)
notes gb('basic', threads=768) / gb('basic', threads=1024)
"""
)
blocks_of_768_behind_1024 = value(1 - noted("a_quarter_of_the_places_empty"), ".0%")
claim("empty slots cost more than large blocks", at_least(blocks_of_768_behind_1024, 0.05))
large_blocks_at_full_size = change(
    """
on gpu
$ ncu --metrics sm__warps_active.avg.pct_of_peak_sustained_active --kernel-name add build/gpu/bin/02_threads_per_block --launch-once --n 2^28 --variant basic
shows sm__warps_active
"""
)
