"""The facts of the page "Contention: bank conflicts, atomics and a simple time model"."""

from tools.book.facts import *


page(
    "side",
    needs="07 23 24",
    afterwards=["estimate the cost of wavefronts and of a contended counter", "predict the time of a kernel from its counts"],
)
one_counter_over_random = value(
    ms("atomic", counters=1, order="ascending") / ms("atomic", counters=2**20, order="random"), ".0f"
)

# Predict

banks_degree_32_ns = value(ns("banks", degree=32), ".3f")
times_1000_banks_degree_32_ns = value(1000 * banks_degree_32_ns, ".0f")
banks_degree_1_ns = ns("banks", degree=1)
sm_ghz = value(environment("clocks")["after"]["sm_mhz"] / 1000, ".2f")
cycle_ns = value(1000 / environment("clocks")["after"]["sm_mhz"], ".3f")
times_1000_banks_degree_1_ns = value(1000 * banks_degree_1_ns, ".1f")
banks_degree_32_over_degree_1_time = value(banks_degree_32_ns / banks_degree_1_ns, ".0f")
thirty_two_in_a_bank = number(
    """All 32 lanes of a warp load different words of the same bank. How many times as long does the load take as one without conflicts?""",
    banks_degree_32_over_degree_1_time,
    "a factor of 1.2",
    fold="""The whole GPU completes a load every {times_1000_banks_degree_32_ns} ps, without conflicts every {times_1000_banks_degree_1_ns} ps.""",
)
atomic_one_counter_ns = value(ns("atomic", counters=1, order="ascending"), ".3f")
per_atomic_one_counter_ns = value(1 / atomic_one_counter_ns, ".2f")
one_counter = choice(
    """Threads make 33 million additions to a single counter in global memory. How many additions per nanosecond does it sustain?""",
    {
        "one in a hundred nanoseconds": at_most(per_atomic_one_counter_ns, 0.1),
        "about one": between(0.1, per_atomic_one_counter_ns, 10),
        "a hundred": at_least(per_atomic_one_counter_ns, 10),
    },
    right="about one",
    fold="It sustains {per_atomic_one_counter_ns} additions per nanosecond.",
)
atomic_returns_one_counter_ns = ns("atomic_returns", counters=1, order="ascending")
atomic_returns_over_atomic_one_counter = value(atomic_returns_one_counter_ns / atomic_one_counter_ns, ".2f")
what_was_there_before = choice(
    """The threads also use the previous value of the counter. Does that take longer if all access the same counter?""",
    {
        "no": at_most(atomic_returns_over_atomic_one_counter, 1.1),
        "yes, a few percent": between(1.1, atomic_returns_over_atomic_one_counter, 1.5),
        "yes, about twice as long": at_least(atomic_returns_over_atomic_one_counter, 1.5),
    },
    right="no",
    fold="""It takes {atomic_returns_over_atomic_one_counter} times as long: the additions are serialized either way.""",
)

# Memory transactions

banks_counts = counts(
    "25_contention",
    where=lambda row: row.variant == "banks",
    columns="variant, degree, shared_load_requests, shared_load_conflicts",
)
claim(
    "a load takes as many wavefronts as lanes access its bank",
    equal(count("banks", "shared_load_conflicts", degree=32), 31 * count("banks", "shared_load_requests", degree=32)),
)
atomic_counts = counts(
    "25_contention",
    where=lambda row: row.variant == "atomic",
    columns="variant, counters, order, atomic_requests, atomic_sectors",
)
atomic_one_counter_atomic_sectors = count("atomic", "atomic_sectors", counters=1)
atomic_64_counters_ascending_atomic_sectors = count("atomic", "atomic_sectors", counters=64, order="ascending")
claim(
    "one counter is a serialized access for each lane, neighbours are four",
    equal(atomic_one_counter_atomic_sectors, 32 * count("atomic", "atomic_requests", counters=1)),
    equal(
        atomic_64_counters_ascending_atomic_sectors,
        4 * count("atomic", "atomic_requests", counters=64, order="ascending"),
    ),
)
claim(
    "a hardware counter says the same of one counter",
    equal(counter("atomic", "l2_atomic_sectors", counters=1), atomic_one_counter_atomic_sectors),
)

# Results

banks_table = table(
    "25_contention",
    where=lambda row: row.variant == "banks" and row.n > 0,
    every_size=True,
    columns="variant, degree, ms, ns",
)
banks_degree_16_ns = ns("banks", degree=16)
banks_32_over_16 = value(banks_degree_32_ns / banks_degree_16_ns, ".2f")
banks_degree_8_ns = ns("banks", degree=8)
claim(
    "twice the lanes in a bank, twice the time",
    between(1.9, banks_32_over_16, 2.1),
    between(1.8, banks_degree_16_ns / banks_degree_8_ns, 2.2),
)
measure_table = table(
    "25_contention",
    where=lambda row: row.variant in ("atomic", "atomic_returns") and row.n > 0,
    every_size=True,
    columns="variant, counters, order, ms, ns",
)
multiprocessors = device("multiprocessors")
sms_over_wavefronts = value(banks_degree_32_ns / 32 * multiprocessors, ".3f")
one_counter_cycles = value(atomic_one_counter_ns / sms_over_wavefronts, ".2f")

# Shared memory serves one wavefront per cycle

banks_per_sm_degree_1_ns = value(banks_degree_1_ns * multiprocessors, ".3f")
per_banks_degree_1_us = value(128 / banks_degree_1_ns / 1000, ".0f")
claim(
    "a wavefront takes the same at each degree",
    level(banks_degree_1_ns, banks_degree_32_ns / 32, within=0.05),
    level(banks_degree_8_ns / 8, banks_degree_32_ns / 32, within=0.05),
)

# Global atomics are serialized per sector in each L2 slice

atomic_n = count("atomic", "n", counters=1)
one_counter_sectors_each = value(atomic_one_counter_atomic_sectors / atomic_n, ".3f")
one_counter_ns_a_sector = value(atomic_one_counter_ns * atomic_n / atomic_one_counter_atomic_sectors, ".2f")
atomic_ascending_n = count("atomic", "n", counters=64, order="ascending")
sectors_addition_64 = value(atomic_64_counters_ascending_atomic_sectors / atomic_ascending_n, ".3f")
atomic_64_ascending_ns = value(ns("atomic", counters=64, order="ascending"), ".3f")
ns_sector_64 = value(
    atomic_64_ascending_ns * atomic_ascending_n / atomic_64_counters_ascending_atomic_sectors, ".2f"
)
atomic_64_counters_random_atomic_sectors = count("atomic", "atomic_sectors", counters=64, order="random")
atomic_random_n = count("atomic", "n", counters=64, order="random")
sectors_addition_64_random = value(atomic_64_counters_random_atomic_sectors / atomic_random_n, ".3f")
atomic_64_random_ns = value(ns("atomic", counters=64, order="random"), ".3f")
ns_sector_64_random = value(
    atomic_64_random_ns * atomic_random_n / atomic_64_counters_random_atomic_sectors, ".2f"
)
random_over_64 = value(atomic_64_random_ns / atomic_64_ascending_ns, ".1f")
one_counter_ns_cents = value(atomic_one_counter_ns, ".2f")
apart = dict(chapter="claim_slices-atomic", counters=2, order="random")
one_counter_slices_ns = value(ns("atomic", chapter="claim_slices-atomic", counters=1), ".2f")
two_4_ns = value(ns("atomic", stride_bytes=4, **apart), ".2f")
two_32_ns = value(ns("atomic", stride_bytes=32, **apart), ".2f")
two_64_ns = value(ns("atomic", stride_bytes=64, **apart), ".2f")
two_128_ns = value(ns("atomic", stride_bytes=128, **apart), ".2f")
two_256_ns = value(ns("atomic", stride_bytes=256, **apart), ".2f")
claim(
    "two sectors less than 256 bytes apart are serialized",
    at_least(min(two_32_ns, two_64_ns, two_128_ns) / one_counter_slices_ns, 0.95),
)
claim("two counters 128 bytes apart take longer than one", at_least(two_128_ns / one_counter_slices_ns, 1.1))
claim(
    "from 256 bytes on they are not",
    *(
        level(2 * ns("atomic", stride_bytes=stride, **apart), one_counter_slices_ns, within=0.03)
        for stride in (256, 512, 1024, 4096, 2**16, 2**20)
    ),
)
claim("two counters of a sector share accesses", between(0.5, two_4_ns / one_counter_slices_ns, 0.65))
slices_ascending = dict(chapter="claim_slices-atomic", order="ascending")
ascending_stride_32_ns = value(ns("atomic", counters=64, stride_bytes=32, **slices_ascending), ".3f")
slices_counters_64 = dict(chapter="claim_slices-atomic", counters=64)
random_stride_32_ns = value(ns("atomic", stride_bytes=32, order="random", **slices_counters_64), ".3f")
atomic_one_counter_claim_slices_ns = ns("atomic", counters=1, **slices_ascending)
turns_at_once_stride_32 = value(atomic_one_counter_claim_slices_ns / ascending_stride_32_ns, ".0f")
ascending_stride_64_ns = value(ns("atomic", counters=64, stride_bytes=64, **slices_ascending), ".3f")
random_stride_64_ns = value(ns("atomic", stride_bytes=64, order="random", **slices_counters_64), ".3f")
turns_at_once_stride_64 = value(atomic_one_counter_claim_slices_ns / ascending_stride_64_ns, ".0f")
ascending_stride_128_ns = value(ns("atomic", counters=64, stride_bytes=128, **slices_ascending), ".3f")
random_stride_128_ns = value(ns("atomic", stride_bytes=128, order="random", **slices_counters_64), ".3f")
turns_at_once_stride_128 = value(atomic_one_counter_claim_slices_ns / ascending_stride_128_ns, ".0f")
ascending_stride_256_ns = value(ns("atomic", counters=64, stride_bytes=256, **slices_ascending), ".3f")
random_stride_256_ns = value(ns("atomic", stride_bytes=256, order="random", **slices_counters_64), ".3f")
turns_at_once_stride_256 = value(atomic_one_counter_claim_slices_ns / ascending_stride_256_ns, ".0f")
ascending_stride_4ki_ns = value(ns("atomic", counters=64, stride_bytes=4096, **slices_ascending), ".3f")
random_stride_4ki_ns = value(ns("atomic", stride_bytes=4096, order="random", **slices_counters_64), ".3f")
turns_at_once_stride_4ki = value(atomic_one_counter_claim_slices_ns / ascending_stride_4ki_ns, ".0f")
atomic_4ki_counters_random_ns = ns("atomic", counters=4096, order="random")
turns_at_once_4ki_counters = value(atomic_one_counter_ns / atomic_4ki_counters_random_ns, ".0f")
atomic_1mi_counters_random_ns = ns("atomic", counters=2**20, order="random")
turns_at_once_1mi_counters = value(atomic_one_counter_ns / atomic_1mi_counters_random_ns, ".0f")
atomic_stride_bytes_4_ns = ns("atomic", counters=64, stride_bytes=4, **slices_ascending)
claim(
    "apart, 64 counters take many serialized accesses at a time",
    at_most(ascending_stride_4ki_ns / (8 * atomic_stride_bytes_4_ns), 0.1),
    at_most(ascending_stride_256_ns / (8 * atomic_stride_bytes_4_ns), 0.1),
)
claim(
    "with a sector for each counter the order is nothing",
    between(0.9, random_stride_32_ns / ascending_stride_32_ns, 1.15),
    level(random_stride_4ki_ns, ascending_stride_4ki_ns, within=0.05),
)
claim(
    "the distance decides and not the number",
    between(0.8, random_stride_256_ns / atomic_4ki_counters_random_ns, 1.5),
)
atomic_returns_over_atomic_ascending_1mi = ratio(ns, "atomic_returns", "atomic", counters=2**20, order="ascending")
most_returns_over_atomic = value(
    max(
        atomic_returns_over_atomic_ascending_1mi,
        ratio(ns, "atomic_returns", "atomic", counters=4096, order="ascending"),
    )
    - 1,
    ".0%",
)
returns_ascending = dict(chapter="claim_slices", order="ascending")
atomic_1mi_counters_ascending_ms = ms("atomic", counters=2**20, **returns_ascending)
atomic_returns_together_minus_atomic = (
    ms("atomic_returns_together", counters=2**20, **returns_ascending) - atomic_1mi_counters_ascending_ms
)
atomic_returns_minus_atomic_ascending_1mi = (
    ms("atomic_returns", counters=2**20, **returns_ascending) - atomic_1mi_counters_ascending_ms
)
returns_together_share = value(
    atomic_returns_together_minus_atomic / atomic_returns_minus_atomic_ascending_1mi, ".0%"
)
atomic_4ki_counters_ms = ms("atomic", counters=4096, **returns_ascending)
claim(
    "answers cost most of it even where nobody waits for each",
    less(0.8 * atomic_returns_minus_atomic_ascending_1mi, atomic_returns_together_minus_atomic),
    less(
        0.8 * (ms("atomic_returns", counters=4096, **returns_ascending) - atomic_4ki_counters_ms),
        ms("atomic_returns_together", counters=4096, **returns_ascending) - atomic_4ki_counters_ms,
    ),
)
claim(
    "the old value costs nothing where threads queue anyway",
    level(atomic_returns_one_counter_ns, atomic_one_counter_ns, within=0.05),
    level(ns("atomic_returns", counters=64, order="random"), atomic_64_random_ns, within=0.05),
)
claim("and much where they do not", at_least(atomic_returns_over_atomic_ascending_1mi, 1.3))
claim(
    "a sector of eight additions takes about as long as one",
    between(0.6, 8 * atomic_64_ascending_ns / atomic_one_counter_ns, 1.2),
)
claim("a sector at random takes about as long as one", between(0.75, ns_sector_64_random / atomic_one_counter_ns, 1.2))
claim(
    "many counters are fast",
    at_least(atomic_64_random_ns / atomic_4ki_counters_random_ns, 5),
    at_least(atomic_4ki_counters_random_ns / atomic_1mi_counters_random_ns, 2),
)
claim(
    "though there are more sectors",
    at_least(
        count("atomic", "atomic_sectors", counters=4096, order="random") / atomic_64_counters_random_atomic_sectors, 2
    ),
)

# Contiguous counters gain no slice parallelism

one_counter_over_64_in_order = value(atomic_one_counter_ns / atomic_64_ascending_ns, ".0f")
over_64_per_addition = value(atomic_one_counter_ns / (8 * atomic_64_ascending_ns), ".2f")

# Estimating kernel time from transaction counts

model_launch_rate = machine("launch_rate")
copy_per_sm_ns = value(ns("copy_one_per_sm", chapter="23", threads=256) * multiprocessors, ".0f")
model_lifetime_ns = value(machine("block_ns") + machine("dram_ns"), ".0f")
model_read_queue_ns = value(machine("read_queue_ns"), ".0f")
queue_two_to_one_ns = value(model_read_queue_ns + 2 / 9 * machine("mixed_queue_ns"), ".0f")
read_over_best_read = value(gb("read", chapter="22", width=16, loads=1, warps=48) / best("read", chapter="22"), ".0%")
read_in_flight_kib = parameter("read", "in_flight", chapter="22", width=16, loads=1, warps=48) / KiB
stream_4_0_gb = gb("stream", chapter="24", mix="4:0")
stream_2_1_gb = gb("stream", chapter="24", mix="2:1")
stream_l2_gb = gb("stream_l2", chapter="24", mix="2:0")
per_stream_l2_gb = value(32000 / stream_l2_gb, ".1f")
sectors_l2_stored_32_ms = value(ms("sectors_l2", chapter="24", stored=32), ".2f")
whole_sector_ps = value(1000000000.0 * sectors_l2_stored_32_ms / 2**25, ".1f")
sectors_l2_stored_16_ms = ms("sectors_l2", chapter="24", stored=16)
part_of_a_sector_ps = value(1000000000.0 * sectors_l2_stored_16_ms / 2**25, ".1f")
sms_over_wavefronts_cents = value(sms_over_wavefronts, ".2f")
per_model_launch_rate = value(2**22 / model_launch_rate / 1000000.0, ".2f")
per_stream_2_1_gb = value(3 * GiB / stream_2_1_gb / 1000000.0, ".2f")
per_stream_l2_gb_millions = value(2**26 * 32 / stream_l2_gb / 1000000.0, ".2f")
basic_64_threads_ms = value(ms("basic", chapter="02", threads=64), ".2f")
model_launch_256ki_ms = value(2**18 / model_launch_rate / 1000000.0, ".2f")
float4_ms = value(ms("float4", chapter="05", threads=256), ".2f")
one_counter_256mi_ms = value(2**28 * atomic_one_counter_ns / 1000000.0, ".0f")
global_ms = value(ms("global", chapter="30", values="equal"), ".0f")
claim("by hand the launch of blocks of 64", level(per_model_launch_rate, basic_64_threads_ms, within=0.03))
claim("by hand the bytes of float4s", level(per_stream_2_1_gb, float4_ms, within=0.03))
claim("by hand the serialized accesses of equal words", level(one_counter_256mi_ms, global_ms, within=0.03))
basic_256_threads_ms = value(ms("basic", chapter="02", threads=256), ".2f")
blocked_x4_l2_read_sectors = counter("blocked_x4", "l2_read_sectors", chapter="03", threads=256, large=True)
neighbours_reads_millions = value(4 * blocked_x4_l2_read_sectors / 1000000.0, ".0f")
neighbours_reads_ms = value(4 * blocked_x4_l2_read_sectors * 32 / stream_l2_gb / 1000000.0, ".2f")
blocked_x4_l2_write_sectors = counter("blocked_x4", "l2_write_sectors", chapter="03", threads=256, large=True)
neighbours_writes_millions = value(4 * blocked_x4_l2_write_sectors / 1000000.0, ".0f")
neighbours_writes_ms = value(4 * blocked_x4_l2_write_sectors / 2**25 * sectors_l2_stored_16_ms, ".2f")
blocked_x4_ms = value(ms("blocked_x4", chapter="03", threads=256), ".2f")
time_counts_table = table(
    "02,03,05",
    where=lambda row: row.n == 2**28
    and (
        row.variant == "basic"
        and row.threads in (64, 256, 1024)
        or (row.threads == 256 and row.variant in ("blocked_x4", "striped_x4", "striped_x4_loads_first", "float4"))
    ),
    every_size=True,
    columns="variant, threads, limited_by, modelled, ms, error",
)
unseen_median = value(model_error("median"), ".1f")
unseen_ninth_decile = value(model_error("ninth_decile"), ".1f")
claim(
    "reads and writes of neighbours take their sum in the L2, and a little more",
    between(0.9, (neighbours_reads_ms + neighbours_writes_ms) / blocked_x4_ms, 1),
)
claim(
    "the bounds give the additions to a tenth",
    less(
        max(
            abs(modelled("basic", chapter="02", threads=64) / basic_64_threads_ms - 1),
            abs(modelled("basic", chapter="02", threads=256) / basic_256_threads_ms - 1),
            abs(modelled("basic", chapter="02", threads=1024) / ms("basic", chapter="02", threads=1024) - 1),
            abs(modelled("blocked_x4", chapter="03", threads=256) / blocked_x4_ms - 1),
            abs(modelled("striped_x4", chapter="03", threads=256) / ms("striped_x4", chapter="03", threads=256) - 1),
            abs(modelled("float4", chapter="05", threads=256) / float4_ms - 1),
        ),
        0.1,
    ),
)

# Experiments

every_degree = change(
    """
$ ./run 25 --device cpu --variant banks
shows ^banks .* 32 .* yes
- degree *= 2
+ ++degree
$ ./run 25 --device cpu --variant banks
shows ^banks .* 31 .* yes
holds count('banks', 'shared_load_conflicts', degree=31) == 0
holds count('banks', 'shared_load_conflicts', degree=6) == count('banks', 'shared_load_conflicts', degree=2)
"""
)
one_counter_a_warp = change(
    """
in count.cuh
- unsigned* counter = &c[counter_of(static_cast<unsigned>(i), counters, random)];
+ unsigned* counter = &c[counter_of(static_cast<unsigned>(i / 32), counters, random)];
$ ./run 25 --device cpu --variant atomic
status 1
holds count('atomic', 'atomic_sectors', counters=4096, order='ascending') == 32 * count('atomic', 'atomic_requests', counters=4096, order='ascending')
"""
)
additions_a_request = value(
    count("atomic", "atomic_sectors", counters=4096, order="ascending")
    / count("atomic", "atomic_requests", counters=4096, order="ascending"),
    ".0f",
)
