"""The facts of the page "Thread coarsening and memory coalescing"."""

from tools.book.facts import *

page(
    "core",
    needs="01 02",
    afterwards=[
        "predict how many sectors a load of a warp touches",
        "give a thread several elements without losing coalescing",
        "order loads and stores so that more bytes are in flight",
    ],
)

# Predict

blocked_x4_per_load = count("blocked_x4", "load_sectors_per_request", threads=256)
sectors_of_a_load = number(
    """How many [sectors](glossary.md#sector) of 32 bytes does the first load of the warp touch?""",
    blocked_x4_per_load,
    "0",
    unit="sectors",
    fold="""The lanes are 16 bytes apart, so two share a sector.""",
)
elements_sectors = value(
    counter("blocked_x4", "l1_load_hit_sectors", threads=256, large=True)
    / counter("blocked_x4", "load_sectors", threads=256, large=True),
    ".0%",
)
blocked_x4_gb = gb("blocked_x4", threads=256)
basic_gb = gb("basic", threads=256, chapter="02")
blocked_x4_dram_read_over_times_8 = counter("blocked_x4", "dram_bytes_read", threads=256) / (
    8 * counter("blocked_x4", "n", threads=256)
)
blocked_x4_over_basic = blocked_x4_gb / basic_gb
the_floats_in_between = choice(
    """The next three loads request the floats in between, whose sectors have just been
fetched. Are these loads free?""",
    {
        "no: most of them read DRAM again": at_least(blocked_x4_dram_read_over_times_8, 1.5),
        "no: they hit in a cache, but one element per thread is faster": both(
            at_most(blocked_x4_dram_read_over_times_8, 1.1), at_most(blocked_x4_over_basic, 0.9)
        ),
        "yes: the kernel is at least as fast as with one element per thread": both(
            at_most(blocked_x4_dram_read_over_times_8, 1.1), at_least(blocked_x4_over_basic, 0.9)
        ),
    },
    right="no: they hit in a cache, but one element per thread is faster",
    fold="""L1 already holds {elements_sectors}
of the requested sectors (2^26 elements). Bandwidth is {blocked_x4_gb} GB/s, against
{basic_gb} with one element per thread. Its stores, not these loads, cost most of that.""",
)
striped_x4_gb = gb("striped_x4", threads=256)
striped_over_blocked = value(striped_x4_gb / blocked_x4_gb, ".1f")
strided_over_neighbours = number(
    """With four elements per thread, how many times the bandwidth of the blocked form does the striped form
reach? Less than 1 means that striped is slower.""",
    striped_over_blocked,
    "a factor of 1.3",
    fold="""Striped {striped_x4_gb} GB/s, blocked {blocked_x4_gb} GB/s.""",
)

# Memory transactions

count_counts = counts(
    "03_coarsening",
    where=lambda row: row.threads == 256,
    columns="variant, per_thread, load_sectors_per_request, load_efficiency, store_sectors_per_request, store_efficiency, modelled",
)
striped_x4_per_load = count("striped_x4", "load_sectors_per_request", threads=256)
blocked_x2_modelled_ms = modelled("blocked_x2", threads=256)
blocked_x2_ms = value(ms("blocked_x2", threads=256), ".2f")
blocked_x4_ms = value(ms("blocked_x4", threads=256), ".2f")
striped_x2_modelled_ms = modelled("striped_x2", threads=256)
blocked_x4_loads_first_ms = ms("blocked_x4_loads_first", threads=256)
model_apart = value(
    max(
        abs(blocked_x2_modelled_ms / blocked_x2_ms - 1),
        abs(modelled("blocked_x4", threads=256) / blocked_x4_ms - 1),
        abs(striped_x2_modelled_ms / ms("striped_x2", threads=256) - 1),
        abs(modelled("striped_x4", threads=256) / ms("striped_x4", threads=256) - 1),
        abs(modelled("blocked_x4_loads_first", threads=256) / blocked_x4_loads_first_ms - 1),
        abs(modelled("striped_x4_loads_first", threads=256) / ms("striped_x4_loads_first", threads=256) - 1),
    ),
    ".1%",
)
claim(
    "coarsening by two doubles the sectors of a request",
    equal(
        count("blocked_x2", "load_sectors_per_request", threads=256),
        2 * count("striped_x2", "load_sectors_per_request", threads=256),
    ),
)
claim("coarsening by four quadruples them", equal(blocked_x4_per_load, 4 * striped_x4_per_load))
blocked_x4_access = access(
    "03_coarsening", "blocked_x4", title="Blocked: one load of a warp, four elements per thread"
)
striped_x4_access = access("03_coarsening", "striped_x4", title="Striped: one load of a warp, four elements per thread")

# Results

coarsened_chart = chart(
    "02,03",
    name="coarsened",
    where=lambda row: row.threads == 256
    and row.variant == "basic"
    or (row.chapter == "03_coarsening" and (row.threads == 256 or row.library)),
    title="Adding two vectors, 256 threads per block",
)
measure_table = table(
    "02,03",
    where=lambda row: row.threads == 256
    and row.variant == "basic"
    or (row.chapter == "03_coarsening" and (row.threads == 256 or row.library)),
    columns="variant, per_thread, cold, hot, share, copy",
)
claim("one element per thread is faster than four neighbours", at_most(blocked_x4_over_basic, 0.9))
basic_ms = ms("basic", threads=256, chapter="02")
claim(
    "four neighbours take more than 50% longer, unless their loads come first",
    at_least(blocked_x4_ms / basic_ms, 1.5),
    at_most(blocked_x4_loads_first_ms / basic_ms, 0.9),
)
claim("and slower than four strided ones", at_most(basic_gb / striped_x4_gb, 0.97))
claim("strided beats neighbours by four", at_least(striped_over_blocked, 1.2))
blocked_x2_gb = gb("blocked_x2", threads=256)
claim(
    "the model puts two neighbours before two strided ones, and measured they are behind both strided forms",
    less(blocked_x2_modelled_ms, striped_x2_modelled_ms),
    faster(min(gb("striped_x2", threads=256), striped_x4_gb), blocked_x2_gb),
)
blocked_x2_apart = value(abs(blocked_x2_gb / basic_gb - 1), ".1%")
claim("two neighbours per thread tie with one element", level(blocked_x2_gb, basic_gb, within=0.02))

# Analysis

blocked_first_per_load = count("blocked_x4_loads_first", "load_sectors_per_request", threads=256)
blocked_x4_loads_first_gb = gb("blocked_x4_loads_first", threads=256)
claim(
    "neighbours with their loads first are ahead of strided elements without",
    at_least(blocked_x4_loads_first_gb / striped_x4_gb, 1.05),
)
blocked_first_over_x4 = value(blocked_x4_loads_first_gb / blocked_x4_gb, ".2f")
claim(
    "the same requests are much faster with the loads first",
    equal(
        count("blocked_x4_loads_first", "load_sectors", threads=256),
        count("blocked_x4", "load_sectors", threads=256),
    ),
    at_least(blocked_first_over_x4, 1.3),
)
explain_counters = counters(
    "03_coarsening",
    where=lambda row: row.threads == 256,
    columns="variant, load_sectors, l1_load_hit_sectors, l2_read_sectors, l2_write_sectors, dram_bytes_read",
    large=True,
)

# The loads find their sectors in L1

blocked_x4_over_striped_x4_l2_read = ratio(
    counter, "blocked_x4", "striped_x4", "l2_read_sectors", threads=256, large=True
)
l2_cache_read_often = value(blocked_x4_over_striped_x4_l2_read - 1, ".0%")
times_8_blocked_x4_large_n = 8 * counter("blocked_x4", "n", threads=256, large=True)
claim("some sectors are fetched again", between(1.05, blocked_x4_over_striped_x4_l2_read, 1.3))
claim(
    "neighbours read no byte twice from DRAM",
    level(
        counter("blocked_x4", "dram_bytes_read", threads=256, large=True), times_8_blocked_x4_large_n, within=0.02
    ),
)

# Partial-sector writes multiply the work of L2

blocked_x4_l2_write_sectors = counter("blocked_x4", "l2_write_sectors", threads=256, large=True)
sectors_of_c = counter("striped_x4", "n", threads=256, large=True) / 8
basic_l2_writes = value(
    counter("basic", "l2_write_sectors", chapter="02", threads=256, large=True) / sectors_of_c, ".1f"
)
striped_x4_l2_writes = value(counter("striped_x4", "l2_write_sectors", threads=256, large=True) / sectors_of_c, ".1f")
striped_first_l2_writes = value(
    counter("striped_x4_loads_first", "l2_write_sectors", threads=256, large=True) / sectors_of_c, ".1f"
)
blocked_x4_l2_writes_over = value(blocked_x4_l2_write_sectors / sectors_of_c, ".1f")
loads_first_l2_writes_over = value(
    ratio(counter, "blocked_x4_loads_first", "striped_x4_loads_first", "l2_write_sectors", threads=256, large=True),
    ".1f",
)
sectors_l2_stored_4_ms = ms("sectors_l2", chapter="24", stored=4)
partial_sectors_per_ns = value(2**25 / sectors_l2_stored_4_ms / 10**6, ".0f")
sectors_l2_stored_32_ms = ms("sectors_l2", chapter="24", stored=32)
whole_sectors_per_ns = value(2**25 / sectors_l2_stored_32_ms / 10**6, ".0f")
blocked_x4_parts_10_6 = value(4 * blocked_x4_l2_write_sectors / 10**6, ".0f")
blocked_x4_l2_busy_ms = value(4 * blocked_x4_l2_write_sectors / 2**25 * sectors_l2_stored_4_ms, ".2f")
blocked_x2_l2_write_sectors = counter("blocked_x2", "l2_write_sectors", threads=256, large=True)
blocked_x2_parts_10_6 = value(4 * blocked_x2_l2_write_sectors / 10**6, ".0f")
blocked_x2_l2_busy_ms = value(4 * blocked_x2_l2_write_sectors / 2**25 * sectors_l2_stored_4_ms, ".2f")
claim(
    "the parts of four neighbours are most of their time, and those of two are hidden",
    less(0.65 * blocked_x4_ms, blocked_x4_l2_busy_ms),
    less(blocked_x2_l2_busy_ms, 0.75 * blocked_x2_ms),
)
blocked_x4_l2_read_sectors = counter("blocked_x4", "l2_read_sectors", threads=256, large=True)
stream_l2_gb = gb("stream_l2", chapter="24", mix="2:0")
blocked_x4_l2_reads_ms = value(4 * blocked_x4_l2_read_sectors * 32 / stream_l2_gb / 10**6, ".2f")
claim(
    "reads and parts of four neighbours take their sum in the L2, and a little more",
    between(0.9, (blocked_x4_l2_reads_ms + blocked_x4_l2_busy_ms) / blocked_x4_ms, 1),
)
striped_x2_ahead = value(gb("striped_x2", threads=256) / blocked_x2_gb - 1, ".0%")
claim("whole sectors gain two neighbours little", at_most(striped_x2_ahead, 0.08))
claim(
    "a sector in parts costs the L2 more than a whole one",
    at_least(min(sectors_l2_stored_4_ms, ms("sectors_l2", chapter="24", stored=16)) / sectors_l2_stored_32_ms, 1.1),
)

# The loads wait for each other

striped_x4_loads_first_gb = gb("striped_x4_loads_first", threads=256)
striped_first_over_x4 = striped_x4_loads_first_gb / striped_x4_gb
striped_first_gain = value(striped_first_over_x4 - 1, ".0%")
claim(
    "the order of the loads alone is worth less than it is to neighbours",
    at_most(striped_first_over_x4 / blocked_first_over_x4, 0.8),
)
claim("the loads first pay for the strided form too", at_least(striped_first_over_x4, 1.1))
claim(
    "not for more warps",
    at_most(
        ratio(counter, "striped_x4_loads_first", "striped_x4", "warps_active_percent", threads=256, large=True),
        1.02,
    ),
)

# The pairs of kernels that the analysis compares

striped_x4_ahead = value(striped_x4_gb / basic_gb - 1, ".0%")
blocked_first_behind = value(1 - blocked_x4_loads_first_gb / striped_x4_loads_first_gb, ".0%")
claim(
    "whole sectors are worth more than the loads first",
    at_least(striped_over_blocked / striped_first_over_x4, 1.2),
)
claim(
    "with the loads first four times the sectors cost a few percent",
    between(1, striped_x4_loads_first_gb / blocked_x4_loads_first_gb, 1.04),
)
claim(
    "wasteful requests with the loads first beat coalesced ones in turn",
    faster(blocked_x4_loads_first_gb, striped_x4_gb),
)

# Experiments

eight_neighbours = change(
    """
- run("blocked_x4", 4, add_blocked<4>);
+ run("blocked_x4", 4, add_blocked<4>);
+ run("blocked_x8", 8, add_blocked<8>);
$ ./run 03 --device cpu --variant blocked_x8
holds count('blocked_x8', 'load_sectors_per_request', threads=256) == 32
"""
)
a_promise_changes_no_count = change(
    """
- add_blocked(const float* a, const float* b, float* c, std::size_t n)
+ add_blocked(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, std::size_t n)
$ ./run 03 --device cpu --variant blocked_x4
holds count('blocked_x4', 'load_sectors', threads=256) == book_count('blocked_x4', 'load_sectors', threads=256)
"""
)
a_promise_saves_time = change(
    """
on gpu
- add_blocked(const float* a, const float* b, float* c, std::size_t n)
+ add_blocked(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, std::size_t n)
$ ./run 03 --n 2^28 --variant blocked_x4 --variant blocked_x4_loads_first
holds gb('blocked_x4', threads=256) > 1.3 * book_gb('blocked_x4', n=2**28, threads=256)
"""
)
no_check = change(
    """
$ ./run 03 --device cpu --n 1000003
shows ^striped_x4 .* yes
- const std::size_t i = first + std::size_t{k} * blockDim.x;
- if (i < n) {
- c[i] = a[i] + b[i];
+ const std::size_t i = first + std::size_t{k} * blockDim.x;
+ {
+ c[i] = a[i] + b[i];
$ ./run 03 --device cpu --n 1000003
status 6
shows kernel add_striped
shows past the end
"""
)
