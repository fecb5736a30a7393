"""The facts of the page "Bytes in flight"."""

from tools.book.facts import *

peak, multiprocessors = device("peak_gb_per_s"), device("multiprocessors")


def waiting(rate):
    """How many loads wait before one in an open queue, in units of its service time, at a bandwidth in GB/s."""
    return rate / peak / (1 - rate / peak)


def latency(in_flight, rate):
    """ns that a load takes, by Little's law: bytes in flight on each multiprocessor over the bandwidth in GB/s."""
    return in_flight * multiprocessors / rate


def bandwidth(in_flight, idle):
    """GB/s at which so many bytes in flight on each multiprocessor last as long as a load takes that waits in the queue,
    `idle` ns where nobody waits: the root of a square equation."""
    loaded = peak * idle + in_flight * multiprocessors
    return ((loaded**2 + 4 * peak * (queue_ns - idle) * in_flight * multiprocessors) ** 0.5 - loaded) / (
        2 * (queue_ns - idle)
    )


# The two constants of the queue, from the floats: eight warps, and all 64.
few, all_warps = gb("read", width=4, loads=1, warps=8), gb("read", width=4, loads=1, warps=64)
queue_ns = value((latency(8192, all_warps) - latency(1024, few)) / (waiting(all_warps) - waiting(few)), ".0f")
idle_ns = value(latency(1024, few) - queue_ns * waiting(few), ".0f")


page(
    "core",
    needs="05 06 21",
    afterwards=[
        "compute how many bytes must be in flight on a card",
        "say why the last tenth of the bandwidth takes more than all the others",
    ],
)
chase_ns = value(ns("chase", table=GiB, order="random", chapter="21"), ".0f")

# Predict before you read on

read_16_bytes_one_load_32_warps_gb = gb("read", width=16, loads=1, warps=32)
read_16_bytes_one_load_64_warps_gb = gb("read", width=16, loads=1, warps=64)
half_of_the_places_2 = value(100 * read_16_bytes_one_load_32_warps_gb / read_16_bytes_one_load_64_warps_gb, ".0f")
half_of_the_places = number(
    """Every warp that fits has one load of 16 bytes a lane on its way. Then only half as many warps run. What is left of the bandwidth?""",
    half_of_the_places_2,
    "a factor of 1.2",
    unit="percent",
    fold="""Half of the warps read {read_16_bytes_one_load_32_warps_gb} GB/s, all of them {read_16_bytes_one_load_64_warps_gb}.""",
)
read_4_bytes_64_warps_gb = gb("read", width=4, loads=2, warps=64)
read_4_bytes_64_over_16_bytes_one_load_32 = read_4_bytes_64_warps_gb / read_16_bytes_one_load_32_warps_gb
warps_or_width = choice(
    """16 KiB are on their way on each multiprocessor: two loads of 4 bytes in 64 warps, or one of 16 bytes in 32. Which is faster?""",
    {
        "many warps": at_least(read_4_bytes_64_over_16_bytes_one_load_32, 1.05),
        "they are about level": level(read_4_bytes_64_warps_gb, read_16_bytes_one_load_32_warps_gb, within=0.05),
        "wide loads": at_most(read_4_bytes_64_over_16_bytes_one_load_32, 0.95),
    },
    right="they are about level",
    fold="""The narrow loads reach {read_4_bytes_64_warps_gb} GB/s, the wide ones {read_16_bytes_one_load_32_warps_gb}.""",
)
read_1_bytes_one_load_64_warps_gb = gb("read", width=1, loads=1, warps=64)
width_loads_warps = value(16 * read_1_bytes_one_load_64_warps_gb, ",.0f")
read_1_over_16_bytes_one_load_64_warps = read_1_bytes_one_load_64_warps_gb / read_16_bytes_one_load_64_warps_gb
loads_of_a_byte = choice(
    """Every place for a warp is taken, and each lane has one byte on its way instead of 16. What is left of the bandwidth?""",
    {
        "a sixteenth": at_most(read_1_over_16_bytes_one_load_64_warps, 0.1),
        "about a sixth": between(0.1, read_1_over_16_bytes_one_load_64_warps, 0.25),
        "a third or more": at_least(read_1_over_16_bytes_one_load_64_warps, 0.25),
    },
    right="about a sixth",
    fold="""It reads {read_1_bytes_one_load_64_warps_gb} GB/s, against {read_16_bytes_one_load_64_warps_gb}. It is the wide loads that fall short: sixteen times {read_1_bytes_one_load_64_warps_gb} would be {width_loads_warps} GB/s, and the memory ends long before.""",
)

# Count it

count_counts = counts(
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

# Measure it

in_flight_chart = chart(
    "22_bytes_in_flight",
    where=lambda row: row.variant == "read" and row.loads == 1 and (row.width == 16),
    x="in_flight",
    lines="width",
    name="in_flight",
    title="Reading, by the bytes in flight on a multiprocessor",
)
measure_table = table(
    "22_bytes_in_flight", where=lambda row: row.variant == "read", columns="width, loads, warps, in_flight, cold"
)
best_read_gb = best("read")
read_16_bytes_one_load_16_warps_gb = gb("read", width=16, loads=1, warps=16)
n_8_ki_b_best_row = value(read_16_bytes_one_load_16_warps_gb / best_read_gb, ".0%")
n_16_ki_b_best_row = value(read_16_bytes_one_load_32_warps_gb / best_read_gb, ".0%")
read_48_warps_gb = gb("read", width=16, loads=1, warps=48)
read_48_warps_over_best_read = value(read_48_warps_gb / best_read_gb, ".0%")
n_32_ki_b_best_row = value(read_16_bytes_one_load_64_warps_gb / best_read_gb, ".0%")
read_16_bytes_4_loads_32_warps_gb = gb("read", width=16, loads=4, warps=32)
n_64_ki_b_four_loads_best = value(read_16_bytes_4_loads_32_warps_gb / best_read_gb, ".1%")
read_16_bytes_4_loads_64_warps_gb = gb("read", width=16, loads=4, warps=64)
n_128_ki_b_four_loads_best = value(read_16_bytes_4_loads_64_warps_gb / best_read_gb, ".0%")
latency_24576_1048576 = value(latency(24 * KiB, MiB), ".1f")
claim("16 KiB in flight are not nine tenths", at_most(n_16_ki_b_best_row, 0.9))
claim(
    "8 KiB are more than half, and 24 are 95%",
    at_least(n_8_ki_b_best_row, 0.5),
    between(0.94, read_48_warps_over_best_read, 0.96),
)
claim("32 KiB are more", at_least(n_32_ki_b_best_row, 0.93))
claim("64 KiB are all but a percent", at_least(n_64_ki_b_four_loads_best, 0.99))
read_8_bytes_64_warps_gb = gb("read", width=8, loads=1, warps=64)
read_16_bytes_4_loads_8_warps_gb = gb("read", width=16, loads=4, warps=8)
read_1_bytes_8_loads_64_warps_gb = gb("read", width=1, loads=8, warps=64)
round_value = value(latency(16384, read_1_bytes_8_loads_64_warps_gb), ",.0f")
round_value_per_512 = value(round_value / 512, ".1f")
read_4_bytes_one_load_8_warps_gb = gb("read", width=4, loads=1, warps=8)
warps = value(latency(1024, read_4_bytes_one_load_8_warps_gb), ".0f")
read_4_bytes_8_loads_8_warps_gb = gb("read", width=4, loads=8, warps=8)
floats_8_1_ns = value(latency(8192, read_4_bytes_8_loads_8_warps_gb) - warps, ".0f")
floats_8_1_queue_ns = value(
    queue_ns * (waiting(read_4_bytes_8_loads_8_warps_gb) - waiting(read_4_bytes_one_load_8_warps_gb)), ".0f"
)
floats_8_1_ns_less_queue_ns_per_56 = value((floats_8_1_ns - floats_8_1_queue_ns) / 56, ".1f")
read_16_bytes_one_load_8_warps_gb = gb("read", width=16, loads=1, warps=8)
n_8_round_ns = value(latency(4096, read_16_bytes_one_load_8_warps_gb), ".0f")
n_16_bytes_4_1_ns = value(latency(16384, read_16_bytes_4_loads_8_warps_gb) - n_8_round_ns, ".0f")
n_16_bytes_4_1_queue_ns = value(
    queue_ns * (waiting(read_16_bytes_4_loads_8_warps_gb) - waiting(read_16_bytes_one_load_8_warps_gb)), ".0f"
)
n_16_bytes_4_1_left_ns = value((n_16_bytes_4_1_ns - n_16_bytes_4_1_queue_ns) / 24, ".1f")
claim(
    "with the queue taken off, a request of 16 bytes a lane takes longer than one of floats",
    at_least(n_16_bytes_4_1_left_ns / floats_8_1_ns_less_queue_ns_per_56, 1.5),
)
claim(
    "a request takes two to three nanoseconds of its multiprocessor",
    between(1.9, round_value_per_512, 2.3),
    between(2.5, floats_8_1_ns / 56, 3.5),
)
claim(
    "as many bytes in flight, and behind",
    at_most(read_16_bytes_4_loads_8_warps_gb / read_16_bytes_one_load_32_warps_gb, 0.95),
    between(0.4, read_1_bytes_8_loads_64_warps_gb / read_16_bytes_one_load_32_warps_gb, 0.6),
)
claim(
    "as many bytes in flight, about as fast",
    level(read_4_bytes_64_warps_gb, read_16_bytes_one_load_32_warps_gb, within=0.1),
    level(read_8_bytes_64_warps_gb, read_16_bytes_one_load_32_warps_gb, within=0.1),
)

# The law

read_4_bytes_16_warps_gb = gb("read", width=4, loads=1, warps=16)
read_4_bytes_32_warps_gb = gb("read", width=4, loads=1, warps=32)
claim(
    "while memory is idle, twice the warps are twice the bandwidth",
    between(1.9, read_4_bytes_16_warps_gb / read_4_bytes_one_load_8_warps_gb, 2.05),
    between(1.85, read_4_bytes_32_warps_gb / read_4_bytes_16_warps_gb, 2.05),
)
claim("a round takes a little more than the latency of a load", between(1, warps / chase_ns, 1.2))

# The queue

latency_warps_16384 = value(round(latency(16384, warps), -3), ",.0f")
n_16_round_ns = value(latency(8192, read_16_bytes_one_load_16_warps_gb), ".0f")
n_32_round_ns = value(latency(16384, read_16_bytes_one_load_32_warps_gb), ".0f")
n_64_round_ns = value(latency(32768, read_16_bytes_one_load_64_warps_gb), ".0f")
claim(
    "the latency grows with the load, and ever faster",
    less(n_8_round_ns, n_16_round_ns),
    less(n_16_round_ns, n_32_round_ns),
    less(n_32_round_ns, n_64_round_ns),
    less(2 * (n_32_round_ns - n_16_round_ns), n_64_round_ns - n_32_round_ns),
)
model_read_queue_ns = machine("read_queue_ns")
bandwidth_idle_ns_16384 = value(bandwidth(16 * KiB, idle_ns), ",.0f")
s_queue_adds = value(queue_ns * waiting(bandwidth_idle_ns_16384), ".0f")
idle_ns_and_s_queue_adds = value(idle_ns + s_queue_adds, ".0f")
latency_idle_ns_4096 = value(latency(4 * KiB, idle_ns), ",.0f")
bandwidth_idle_ns_4096 = value(bandwidth(4 * KiB, idle_ns), ",.0f")
latency_idle_ns_8192 = value(latency(8 * KiB, idle_ns), ",.0f")
bandwidth_idle_ns_8192 = value(bandwidth(8 * KiB, idle_ns), ",.0f")
latency_idle_ns_12288 = value(latency(12 * KiB, idle_ns), ",.0f")
bandwidth_idle_ns_12288 = value(bandwidth(12 * KiB, idle_ns), ",.0f")
read_24_warps_gb = gb("read", width=16, loads=1, warps=24)
latency_idle_ns_16384 = value(latency(16 * KiB, idle_ns), ",.0f")
latency_idle_ns_20480 = value(latency(20 * KiB, idle_ns), ",.0f")
bandwidth_idle_ns_20480 = value(bandwidth(20 * KiB, idle_ns), ",.0f")
read_40_warps_gb = gb("read", width=16, loads=1, warps=40)
latency_idle_ns_24576 = value(latency(24 * KiB, idle_ns), ",.0f")
bandwidth_idle_ns_24576 = value(bandwidth(24 * KiB, idle_ns), ",.0f")
latency_idle_ns_28672 = value(latency(28 * KiB, idle_ns), ",.0f")
bandwidth_idle_ns_28672 = value(bandwidth(28 * KiB, idle_ns), ",.0f")
read_56_warps_gb = gb("read", width=16, loads=1, warps=56)
latency_idle_ns_32768 = value(latency(32 * KiB, idle_ns), ",.0f")
bandwidth_idle_ns_32768 = value(bandwidth(32 * KiB, idle_ns), ",.0f")
round_kib = value(latency(4096, read_4_bytes_32_warps_gb), ".0f")
row_s_round = value(queue_ns * waiting(read_16_bytes_one_load_8_warps_gb), ".0f")
n_8_round_ns_less_row_s_round = value(n_8_round_ns - row_s_round, ".0f")
percent_kib_well = value(bandwidth(8 * KiB, n_8_round_ns_less_row_s_round), ",.0f")
claim(
    "the queue foretells the bandwidth to two percent from 12 KiB on",
    less(abs(bandwidth_idle_ns_12288 / read_24_warps_gb - 1), 0.025),
    less(abs(bandwidth_idle_ns_16384 / read_16_bytes_one_load_32_warps_gb - 1), 0.025),
    less(abs(bandwidth_idle_ns_24576 / read_48_warps_gb - 1), 0.025),
    less(abs(bandwidth_idle_ns_32768 / read_16_bytes_one_load_64_warps_gb - 1), 0.025),
)
claim(
    "with the idle latency of wide requests the other seven rows agree to two percent",
    less(
        max(
            abs(percent_kib_well / read_16_bytes_one_load_16_warps_gb - 1),
            abs(bandwidth(12 * KiB, n_8_round_ns_less_row_s_round) / read_24_warps_gb - 1),
            abs(bandwidth(16 * KiB, n_8_round_ns_less_row_s_round) / read_16_bytes_one_load_32_warps_gb - 1),
            abs(bandwidth(20 * KiB, n_8_round_ns_less_row_s_round) / read_40_warps_gb - 1),
            abs(bandwidth(24 * KiB, n_8_round_ns_less_row_s_round) / read_48_warps_gb - 1),
            abs(bandwidth(28 * KiB, n_8_round_ns_less_row_s_round) / read_56_warps_gb - 1),
            abs(bandwidth(32 * KiB, n_8_round_ns_less_row_s_round) / read_16_bytes_one_load_64_warps_gb - 1),
        ),
        0.025,
    ),
)
claim(
    "with hardly a queue the wide requests are behind",
    between(0.04, bandwidth_idle_ns_4096 / read_16_bytes_one_load_8_warps_gb - 1, 0.09),
    between(0.04, bandwidth_idle_ns_8192 / read_16_bytes_one_load_16_warps_gb - 1, 0.09),
    less(latency(1.04 * 4096, read_4_bytes_32_warps_gb), n_8_round_ns),
)
claim(
    "the law alone is off by up to three", between(2.5, latency_idle_ns_32768 / read_16_bytes_one_load_64_warps_gb, 3)
)
claim(
    "from 64 KiB on nothing is gained",
    at_most(read_16_bytes_4_loads_64_warps_gb / read_16_bytes_4_loads_32_warps_gb, 1.01),
)
claim(
    "the queue predicts the latency at high load",
    level(
        warps + queue_ns * (waiting(read_16_bytes_one_load_32_warps_gb) - waiting(read_4_bytes_one_load_8_warps_gb)),
        n_32_round_ns,
        within=0.15,
    ),
)
claim(
    "and still roughly where little is left",
    level(
        warps + queue_ns * (waiting(read_16_bytes_one_load_64_warps_gb) - waiting(read_4_bytes_one_load_8_warps_gb)),
        n_64_round_ns,
        within=0.25,
    ),
)

# What another card needs

card_book_gives = value(peak * chase_ns / multiprocessors / KiB, ".1f")

# Where the time of chapter 01 goes

basic_gb = gb("basic", chapter="01", threads=256)
basic_times_2_per_3_gb = value(basic_gb * 2 / 3, ",.0f")
brings_bytes_once = value(latency(8 * 2048, basic_times_2_per_3_gb), ".0f")
turnover_alone_ns = ns("turnover_alone", chapter="23", threads=256)
turnover_alone_ns_2 = value(turnover_alone_ns * multiprocessors, ".0f")
other_addition = value(round(brings_bytes_once) - round(turnover_alone_ns_2), ".0f")
basic_warps_active_percent = value(
    counter("basic", "warps_active_percent", chapter="01", threads=256, large=True), ".0f"
)
turnover_alone_warps_active_percent = counter(
    "turnover_alone", "warps_active_percent", chapter="23", threads=256, large=True
)
turnover_alone_per_12_5_percent = value(100 * turnover_alone_warps_active_percent / 12.5, ".0f")
warp_alone = value(turnover_alone_ns_2 * turnover_alone_warps_active_percent / 12.5, ".0f")
warp_company = value(brings_bytes_once * basic_warps_active_percent / 100, ".0f")
warp_company_less_alone = value(warp_company - warp_alone, ".0f")
stands_empty_alone = value(turnover_alone_ns_2 * (1 - turnover_alone_warps_active_percent / 12.5), ".0f")
stands_empty_company = value(brings_bytes_once * (1 - basic_warps_active_percent / 100), ".0f")
stands_empty_company_less_alone = value(stands_empty_company - stands_empty_alone, ".0f")
queue_ns_by_waiting_basic_gb = value(queue_ns * waiting(basic_gb), ".0f")
turnover_alone_gb = gb("turnover_alone", chapter="23", threads=256)
ns_block_alone_value = value(queue_ns * waiting(turnover_alone_gb), ".0f")
ns_block_alone_do = value(queue_ns * (waiting(basic_gb) - waiting(turnover_alone_gb)), ".0f")
claim("waiting in company is what the queue foretells", between(0.8, warp_company_less_alone / ns_block_alone_do, 1.25))
claim(
    "more is lost to empty places than to waiting", less(1.2 * warp_company_less_alone, stands_empty_company_less_alone)
)
float4_warps_active_percent = value(
    counter("float4", "warps_active_percent", chapter="05", threads=1024, large=True), ".0f"
)
float4_gb = gb("float4", chapter="05", threads=1024)
time_chapter_01_goes_counters = counters(
    "01_basic_vecadd",
    where=lambda row: row.variant != "by_hand",
    columns="variant, load_requests, dram_bytes_read, warps_active_percent",
    large=True,
)
claim(
    "a block's own time is well below what a place takes", at_most(latency(turnover_alone_ns, brings_bytes_once), 0.75)
)
claim("about a quarter of the places is empty", between(68, basic_warps_active_percent, 80))
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
    at_most(float4_warps_active_percent / basic_warps_active_percent, 0.95),
)

# A busy memory answers later than an idle one

read_share = value(share("read", width=16, loads=1, warps=64), ".0%")
peak_same_load_most = value(latency(32 * KiB, read_16_bytes_one_load_64_warps_gb), ".0f")

# Try it

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
read_16_bytes_4_loads_16_warps_gb = gb("read", width=16, loads=4, warps=16)
four_narrow_loads = change(
    """
- {read<unsigned short, 1>, 2, 1, {8}},
+ {read<unsigned short, 1>, 2, 1, {8}},
+ {read<unsigned short, 4>, 2, 4, {8}},
$ ./run 22 --device cpu
shows ^read +256 +2 +4 +64 +16384 .* yes
"""
)
row_loads_byte = value(latency(256 * 16384, read_1_bytes_8_loads_64_warps_gb) / 512, ".0f")
round_kib_flight_little = value(latency(16384, read_8_bytes_64_warps_gb), ".0f")
