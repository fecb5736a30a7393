"""The facts of the page "Histogram: privatized counters and atomics"."""

from tools.book.facts import *

page(
    "side",
    needs="07 25 28",
    afterwards=[
        "build a histogram at the speed of memory",
        "count the serialized accesses of a histogram's counters, and reduce them",
    ],
)

# Predict

global_uniform_gb = gb("global", values="uniform")
per_block_words_uniform_gb = gb("per_block", elements="words", values="uniform")
per_block_words_over_global_uniform = per_block_words_uniform_gb / global_uniform_gb
counters_of_a_block = choice(
    """One kernel increments a counter in global memory for each element. In another, each block has counters in shared memory and adds them to the result at the end. How much faster is that, for random words?""",
    {
        "up to ten times": less(per_block_words_over_global_uniform, 10),
        "ten to a hundred times": between(10, per_block_words_over_global_uniform, 100),
        "more than a hundred times": more(per_block_words_over_global_uniform, 100),
    },
    right="more than a hundred times",
    fold="""{per_block_words_uniform_gb} GB/s instead of {global_uniform_gb}.""",
)
uniform_bytes = dict(values="uniform", elements="bytes")
per_block_bytes_uniform_gb = gb("per_block", n=2**30, **uniform_bytes)
bytes_equal = dict(elements="bytes", values="equal")
per_block_bytes_equal_gb = gb("per_block", n=2**30, **bytes_equal)
per_block_equal_over_uniform_bytes = per_block_bytes_equal_gb / per_block_bytes_uniform_gb
all_equal = choice(
    """All bytes of an array are equal, so all threads of a block increment the same counter in shared memory. How fast is the kernel with one set of counters per block?""",
    {
        "it is far slower than with random bytes": at_most(per_block_equal_over_uniform_bytes, 0.7),
        "nothing changes": level(per_block_bytes_equal_gb, per_block_bytes_uniform_gb, within=0.3),
        "it is faster than with random bytes": at_least(per_block_equal_over_uniform_bytes, 1.3),
    },
    right="it is faster than with random bytes",
    fold="""With random bytes it reads {per_block_bytes_uniform_gb} GB/s, with equal ones {per_block_bytes_equal_gb}.""",
)
per_warp_uniform_gb = gb("per_warp", n=2**30, **uniform_bytes)
per_lane_bytes_uniform_gb = gb("per_lane", n=2**30, **uniform_bytes)
per_lane_bytes_over_per_warp_uniform = per_lane_bytes_uniform_gb / per_warp_uniform_gb
whose_copies = choice(
    """Random bytes again. Instead of one set of counters, a block has 32: one per warp, or one per lane number. Which of the two is faster?""",
    {
        "one for each warp": at_most(per_lane_bytes_over_per_warp_uniform, 0.95),
        "they tie": level(per_lane_bytes_uniform_gb, per_warp_uniform_gb, within=0.05),
        "one for each lane number": at_least(per_lane_bytes_over_per_warp_uniform, 1.05),
    },
    right="one for each lane number",
    fold="""One set per block reads {per_block_bytes_uniform_gb} GB/s, one per warp {per_warp_uniform_gb}, and one per lane number {per_lane_bytes_uniform_gb}.""",
)

# Memory transactions

count_counts = counts(
    "30_histogram",
    where=lambda row: row.elements == "bytes" and (not row.library) and ("weighted" not in row.variant),
    every_size=True,
    columns="variant, values, load_requests, atomic_sectors, shared_atomic_requests, shared_atomic_wavefronts",
)
per_block_uniform_shared_atomic_wavefronts = count("per_block", "shared_atomic_wavefronts", **uniform_bytes)
atomic_turns = value(
    per_block_uniform_shared_atomic_wavefronts / count("per_block", "shared_atomic_requests", **uniform_bytes),
    ".2f",
)
count_counts_2 = counts(
    "30_histogram",
    where=lambda row: row.elements == "words" and row.variant in ("global", "per_block", "per_lane"),
    columns="variant, values, load_requests, atomic_requests, atomic_sectors",
)
claim(
    "an atomic for each element has a serialized access for each where all are equal",
    equal(count("global", "atomic_sectors", values="equal"), 32 * count("global", "atomic_requests", values="equal")),
)
per_warp_shared_atomic_conflicts = count("per_warp", "shared_atomic_conflicts", **uniform_bytes)
claim(
    "random bytes take more than three serialized accesses, also where warps have counters of their own",
    at_least(
        per_warp_shared_atomic_conflicts / count("per_warp", "shared_atomic_requests", **uniform_bytes),
        2,
    ),
)
claim(
    "and as many as with one set a block",
    level(
        per_warp_shared_atomic_conflicts,
        count("per_block", "shared_atomic_conflicts", **uniform_bytes),
        within=0.02,
    ),
)
per_lane_shared_atomic_wavefronts = count("per_lane", "shared_atomic_wavefronts", **uniform_bytes)
claim(
    "lanes with a bank each never wait",
    equal(
        per_lane_shared_atomic_wavefronts,
        count("per_lane", "shared_atomic_requests", **uniform_bytes),
    ),
)
claim(
    "blocks send the same, however many copies they have",
    equal(
        count("per_block", "atomic_sectors", elements="words", values="uniform"),
        count("per_lane", "atomic_sectors", elements="words", values="uniform"),
        count("per_warp", "atomic_sectors", elements="words", values="equal"),
    ),
)

# Results

bytes_chart = chart(
    "30_histogram",
    where=lambda row: row.elements == "bytes"
    and row.n == 2**30
    and ("weighted" not in row.variant)
    and (row.values == "uniform"),
    every_size=True,
    name="bytes",
    title="A histogram of 1 GiB of random bytes",
)
per_block_bytes_skewed_gb = gb("per_block", elements="bytes", values="skewed", n=2**30)
per_warp_skewed_gb = gb("per_warp", elements="bytes", values="skewed", n=2**30)
per_warp_equal_gb = gb("per_warp", n=2**30, **bytes_equal)
per_lane_bytes_skewed_gb = gb("per_lane", elements="bytes", values="skewed", n=2**30)
per_lane_bytes_equal_gb = gb("per_lane", n=2**30, **bytes_equal)
packed_bytes_uniform_gb = gb("packed", n=2**30, **uniform_bytes)
packed_skewed_gb = gb("packed", elements="bytes", values="skewed", n=2**30)
packed_equal_gb = gb("packed", n=2**30, **bytes_equal)
cub_bytes_uniform_gb = gb("cub::DeviceHistogram::HistogramEven", n=2**30, **uniform_bytes)
cub_bytes_skewed_gb = gb(
    "cub::DeviceHistogram::HistogramEven", elements="bytes", values="skewed", n=2**30
)
cub_bytes_equal_gb = gb("cub::DeviceHistogram::HistogramEven", n=2**30, **bytes_equal)
weighted_table = table(
    "30_histogram",
    where=lambda row: row.n == 2**30 and "weighted" not in row.variant,
    every_size=True,
    columns="variant, values, copies, ms, cold, share",
)
global_words_uniform_gb = gb("global", elements="words", values="uniform")
global_skewed_gb = gb("global", elements="words", values="skewed")
global_equal_gb = gb("global", elements="words", values="equal")
per_block_words_skewed_gb = gb("per_block", elements="words", values="skewed")
per_block_words_equal_gb = gb("per_block", elements="words", values="equal")
per_lane_words_uniform_gb = gb("per_lane", elements="words", values="uniform")
per_lane_words_skewed_gb = gb("per_lane", elements="words", values="skewed")
per_lane_words_equal_gb = gb("per_lane", elements="words", values="equal")
cub_words_uniform_gb = gb("cub::DeviceHistogram::HistogramEven", elements="words", values="uniform")
cub_words_skewed_gb = gb("cub::DeviceHistogram::HistogramEven", elements="words", values="skewed")
cub_words_equal_gb = gb("cub::DeviceHistogram::HistogramEven", elements="words", values="equal")
measure_table = table(
    "30_histogram",
    where=lambda row: row.elements == "words" and row.n == 2**28 and ("weighted" not in row.variant),
    every_size=True,
    columns="variant, values, copies, ms, cold, share",
)
measure_table_2 = table(
    "30_histogram",
    where=lambda row: row.n < 2**28
    and row.values == "uniform"
    and (row.elements == "bytes")
    and (row.variant in ("per_block", "per_lane", "cub::DeviceHistogram::HistogramEven")),
    every_size=True,
    columns="n, variant, ms, cold",
)
measure_table_3 = table(
    "30_histogram",
    where=lambda row: row.n < 2**28
    and row.values == "uniform"
    and (row.elements == "words")
    and (row.variant in ("per_block", "per_lane", "cub::DeviceHistogram::HistogramEven")),
    every_size=True,
    columns="n, variant, ms, cold",
)

# Global counters: one serialized access per element

atomic_ns = value(ns("atomic", chapter="25", counters=1, order="ascending"), ".2f")
times_256mi_atomic_ms = value(2**28 * atomic_ns / 10**6, ".0f")
global_equal_ms = value(ms("global", values="equal"), ".0f")
skewed_ms = value(
    (2**27 + (count("global", "atomic_sectors", values="skewed") * 2**10 - 2**27) / 4) * atomic_ns / 10**6,
    ".0f",
)
global_skewed_ms = value(ms("global", values="skewed"), ".0f")
times_128mi_atomic_ms = value(2**27 * atomic_ns / 10**6, ".0f")
global_uniform_atomic_sectors = count("global", "atomic_sectors", values="uniform")
global_random_sectors_millions = value(global_uniform_atomic_sectors * 2**10 / 10**6, ".0f")
global_random_turns_ms = value(global_uniform_atomic_sectors * 2**10 / 4 * atomic_ns / 10**6, ".0f")
global_uniform_ms = value(ms("global", values="uniform"), ".0f")
claim(
    "turns at one counter predict equal and skewed words to a twentieth, and serialized accesses in four slices random ones",
    level(times_256mi_atomic_ms, global_equal_ms, within=0.05),
    level(times_128mi_atomic_ms, global_skewed_ms, within=0.05),
    level(global_random_turns_ms, global_uniform_ms, within=0.05),
)
claim(
    "with the serialized accesses of the same slice on top it would be too much for skewed words",
    at_least(skewed_ms / global_skewed_ms, 1.1),
)
claim(
    "random values help the atomics of the L2, but not as much as there are counters",
    between(3, global_equal_ms / global_uniform_ms, 20),
)
claim(
    "counters of a block make it more than a hundred times as fast", at_least(per_block_words_over_global_uniform, 100)
)
claim("for words no copies are needed", level(per_block_words_uniform_gb, per_lane_words_uniform_gb, within=0.03))

# Bytes: shared-memory wavefronts are the bottleneck

bytes_turns_bank = counters(
    "30_histogram",
    where=lambda row: row.elements == "bytes"
    and row.values != "skewed"
    and (row.variant in ("per_block", "per_warp", "per_lane")),
    columns="variant, values, shared_atomic_wavefronts, l2_atomic_sectors, dram_bytes_read",
)
per_block_uniform_wavefronts_hardware = counter("per_block", "shared_atomic_wavefronts", **uniform_bytes)
per_block_random_turns = value(per_block_uniform_wavefronts_hardware * 2**10 / 10**6, ".0f")
banks_ns = ns("banks", chapter="25", degree=32)
per_block_random_ms = value(per_block_uniform_wavefronts_hardware * 2**10 * banks_ns / 32 / 10**6, ".2f")
per_block_uniform_1gi_ms = value(ms("per_block", n=2**30, **uniform_bytes), ".2f")
per_lane_shared_atomic_wavefronts_2 = counter("per_lane", "shared_atomic_wavefronts", **uniform_bytes)
per_lane_random_turns = value(per_lane_shared_atomic_wavefronts_2 * 2**10 / 10**6, ".0f")
per_lane_random_ms = value(per_lane_shared_atomic_wavefronts_2 * 2**10 * banks_ns / 32 / 10**6, ".2f")
per_lane_1gi_ms = value(ms("per_lane", n=2**30, **uniform_bytes), ".2f")
per_block_equal_shared_atomic_wavefronts = counter("per_block", "shared_atomic_wavefronts", **bytes_equal)
per_block_equal_turns = value(per_block_equal_shared_atomic_wavefronts * 2**10 / 10**6, ".0f")
per_block_equal_ms = value(per_block_equal_shared_atomic_wavefronts * 2**10 * banks_ns / 32 / 10**6, ".2f")
per_block_equal_1gi_ms = value(ms("per_block", n=2**30, **bytes_equal), ".2f")
per_block_loads_ms = value(
    4 * count("per_block", "load_requests", **uniform_bytes) * 2**10 * banks_ns / 32 / 10**6,
    ".2f",
)
per_warp_over_block_bytes_uniform = per_warp_uniform_gb / per_block_bytes_uniform_gb
per_warp_gain = value(per_warp_over_block_bytes_uniform - 1, ".0%")
per_lane_over_block_bytes = value(per_lane_bytes_uniform_gb / per_block_bytes_uniform_gb, ".2f")
per_lane_share = value(share("per_lane", n=2**30, **uniform_bytes), ".0%")
claim(
    "turns are most of the time of one set of counters",
    between(0.85, per_block_random_ms / per_block_uniform_1gi_ms, 1),
)
claim("counters for each warp gain almost nothing", between(0.98, per_warp_over_block_bytes_uniform, 1.08))
claim("counters for each lane number nearly double it", at_least(per_lane_over_block_bytes, 1.7))
claim(
    "the CPU device counts the serialized accesses of the hardware",
    equal(per_block_uniform_wavefronts_hardware, per_block_uniform_shared_atomic_wavefronts),
    equal(per_lane_shared_atomic_wavefronts_2, per_lane_shared_atomic_wavefronts),
)

claim(
    "CUB takes the serialized accesses of one set of counters, with random bytes and with equal ones",
    between(
        0.97,
        counter("cub::DeviceHistogram::HistogramEven", "shared_atomic_wavefronts", **uniform_bytes)
        / per_block_uniform_wavefronts_hardware,
        1.06,
    ),
    between(
        0.97,
        counter("cub::DeviceHistogram::HistogramEven", "shared_atomic_wavefronts", **bytes_equal)
        / per_block_equal_shared_atomic_wavefronts,
        1.06,
    ),
)
per_lane_over_cub_bytes = value(per_lane_bytes_uniform_gb / cub_bytes_uniform_gb, ".1f")
per_lane_over_cub_words = value(per_lane_words_uniform_gb / cub_words_uniform_gb, ".1f")
per_lane_over_cub_equal = value(per_lane_words_equal_gb / cub_words_equal_gb, ".2f")
claim(
    "with copies for each lane number bytes are counted far faster than by CUB, words faster",
    at_least(per_lane_over_cub_bytes, 1.5),
    at_least(per_lane_bytes_equal_gb / cub_bytes_equal_gb, 1.1),
    at_least(per_lane_over_cub_words, 1.15),
    faster(per_lane_words_equal_gb, cub_words_equal_gb),
)

# The cost of copies: clearing, summing and capacity

per_block_1mi_ms = ms("per_block", n=2**20, **uniform_bytes)
per_block_1mi_us = value(1000 * per_block_1mi_ms, ".1f")
per_lane_1mi_ms = ms("per_lane", n=2**20, **uniform_bytes)
per_lane_1mi_us = value(1000 * per_lane_1mi_ms, ".1f")
packed_minus_lane_us = value(1000 * (ms("packed", n=2**30, **uniform_bytes) - per_lane_1gi_ms), ".0f")
claim("copies cost little where there is little to count", between(0.95, per_lane_1mi_ms / per_block_1mi_ms, 1.2))
claim(
    "from 16 MiB on they pay",
    at_most(
        ratio(ms, "per_lane", "per_block", n=2**24, **uniform_bytes),
        0.95,
    ),
)
claim(
    "two counters per word are slower than one for bytes, and equal for words",
    at_most(packed_bytes_uniform_gb / per_lane_bytes_uniform_gb, 0.9),
    level(gb("packed", elements="words", values="uniform"), per_lane_words_uniform_gb, within=0.05),
)

# The hardware aggregates increments by a known 1

of_1_known_table = table(
    "30_histogram",
    where=lambda row: row.elements == "bytes"
    and row.n == 2**30
    and (row.variant in ("per_block", "per_block_weighted", "per_lane", "per_lane_weighted")),
    every_size=True,
    columns="variant, values, ms, cold",
)
of_1_known_counters = counters(
    "30_histogram",
    where=lambda row: row.elements == "bytes" and row.variant in ("per_block", "per_block_weighted"),
    columns="variant, values, shared_atomic_wavefronts",
)
per_block_weighted_shared_atomic_wavefronts = counter("per_block_weighted", "shared_atomic_wavefronts", **bytes_equal)
weighted_turns_ms = value(
    per_block_weighted_shared_atomic_wavefronts * 2**10 * banks_ns / 32 / 10**6, ".2f"
)
per_block_weighted_ms = value(ms("per_block_weighted", n=2**30, **bytes_equal), ".2f")
weighted_over_equal = value(per_block_weighted_ms / per_block_equal_1gi_ms, ".0f")
claim(
    "each lane has a serialized access of its own then",
    equal(per_block_weighted_shared_atomic_wavefronts, 32 * per_block_equal_shared_atomic_wavefronts),
)
per_block_weighted_equal_gb = gb("per_block_weighted", n=2**30, **bytes_equal)
claim(
    "an unknown addend makes equal bytes slow",
    at_least(per_block_bytes_equal_gb / per_block_weighted_equal_gb, 10),
)
claim(
    "and equal ones slower than random ones",
    at_most(per_block_weighted_equal_gb / gb("per_block_weighted", n=2**30, **uniform_bytes), 0.3),
)
claim(
    "with a copy for each lane number nothing of it matters",
    at_least(
        min(
            gb("per_lane_weighted", n=2**30, **bytes_equal),
            gb("per_lane_weighted", n=2**30, **uniform_bytes),
        )
        / per_lane_bytes_uniform_gb,
        0.95,
    ),
)

# Experiments

lanes_copy_by_copy = change(
    r"""
in copies.cuh
- static __device__ unsigned byte_offset(unsigned x, unsigned copy) { return 128 * x | 4 * copy; }
+ static __device__ unsigned byte_offset(unsigned x, unsigned copy) { return 1024 * copy | 4 * x; }
$ ./run 30 --device cpu --variant per_lane --n 64Ki
shows ^per_lane .* 32\.0 .* yes
"""
)
no_barrier = change(
    """
in shared.cuh
- [&](unsigned x) { atomicAdd(at(x, copy), unsigned{increment} << Layout::shift(x)); });
- __syncthreads();
+ [&](unsigned x) { atomicAdd(at(x, copy), unsigned{increment} << Layout::shift(x)); });
$ ./run 30 --device cpu --variant per_block --n 64Ki
status 1
shows FAILED per_block
"""
)
copies_in_order = change(
    """
in shared.cuh
- sum += *at(x, (x + k) % Layout::copies) >> Layout::shift(x) & Layout::max_count;
+ sum += *at(x, k) >> Layout::shift(x) & Layout::max_count;
$ ./run 30 --device cpu --variant per_lane --n 4Ki
shows ^per_lane .* yes
"""
)
final_sum_neighbours = 31 * 32 * 256 // 32
