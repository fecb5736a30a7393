"""The facts of the page "Shared memory: staging, stencils and bank conflicts"."""

from tools.book.facts import *

page(
    "core",
    needs="03 06",
    afterwards=[
        "say for a kernel of yours whether shared memory can pay",
        "stage a tile, with the barrier where it belongs",
        "find and remove bank conflicts",
    ],
)

# Predict

copy_direct_gb = gb("copy_direct")
copy_staged_gb = gb("copy_staged")
a_copy = choice(
    "A copy: each element is used once.",
    {
        "slower": at_most(copy_staged_gb / copy_direct_gb, 0.95),
        "no difference": level(copy_staged_gb, copy_direct_gb, within=0.05),
        "up to 50% faster": between(1.05, copy_staged_gb / copy_direct_gb, 1.5),
        "more than 50% faster": at_least(copy_staged_gb / copy_direct_gb, 1.5),
    },
    right="no difference",
    fold="""{copy_direct_gb} GB/s direct, {copy_staged_gb} GB/s staged.""",
)
stencil_direct_gb = gb("stencil_direct")
stencil_shared_gb = gb("stencil_shared")
shared_gain_over_direct = value(stencil_shared_gb / stencil_direct_gb - 1, ".0%")
a_stencil = choice(
    """A stencil: each element is used 17 times, by 17 neighbouring threads.""",
    {
        "slower": at_most(stencil_shared_gb / stencil_direct_gb, 0.95),
        "no difference": level(stencil_shared_gb, stencil_direct_gb, within=0.05),
        "up to 50% faster": between(1.05, stencil_shared_gb / stencil_direct_gb, 1.5),
        "more than 50% faster": at_least(stencil_shared_gb / stencil_direct_gb, 1.5),
    },
    right="up to 50% faster",
    fold="""{stencil_direct_gb} GB/s direct, {stencil_shared_gb} GB/s staged: {shared_gain_over_direct} faster.""",
)
reorder_direct_gb = gb("reorder_direct")
reorder_shared_gb = gb("reorder_shared")
reorder_shared_over_direct = value(reorder_shared_gb / reorder_direct_gb, ".1f")
a_re_ordering = choice(
    """A transpose of every 32 x 32 elements, read as a matrix: each element is used once.""",
    {
        "slower": at_most(reorder_shared_over_direct, 0.95),
        "no difference": level(reorder_shared_gb, reorder_direct_gb, within=0.05),
        "up to 50% faster": between(1.05, reorder_shared_over_direct, 1.5),
        "more than 50% faster": at_least(reorder_shared_over_direct, 1.5),
    },
    right="more than 50% faster",
    fold="""{reorder_direct_gb} GB/s direct, {reorder_shared_gb} GB/s staged: {reorder_shared_over_direct} times as fast.""",
)

# Staging a copy gains nothing: no element is reused

copy_gains_nothing = counts(
    "07_shared_memory",
    where=lambda row: row.variant in ("copy_direct", "copy_staged"),
    columns="variant, load_requests, load_sectors, shared_load_requests",
)
claim("the staged copy reads nothing from shared memory", equal(count("copy_staged", "shared_load_requests"), 0))
claim("half a detour costs less than two percent", at_least(copy_staged_gb / copy_direct_gb, 0.98))
shared_kib_in_flight = 2 * 2048 * 4 / KiB
direct_kib_in_flight = 2048 * 4 / KiB
word8_gb = gb("word8", unit=4, n=2**28, chapter="06")
copy_async_gb = gb("copy_async")
word8_gain_over_copy_async = value(word8_gb / copy_async_gb - 1, ".0%")
claim("staging a copy gains nothing", between(0.98, copy_staged_gb / copy_direct_gb, 1.01))
claim("the asynchronous copy gains a third", at_least(copy_async_gb / copy_direct_gb, 1.3))
claim("the library's copy stays ahead of the asynchronous one", at_least(gb("cudaMemcpyAsync") / copy_async_gb, 1.1))
claim("as many bytes in flight, about as fast", between(0.93, copy_async_gb / word8_gb, 1.0))

# A stencil gains little: L1 had the elements already

stencil_counts = counts(
    "07_shared_memory",
    where=lambda row: row.task == "stencil",
    columns="variant, load_requests, load_sectors, shared_load_requests",
)
stencil_direct_load_requests = count("stencil_direct", "load_requests")
claim(
    "staging divides the stencil's requests by more than ten",
    at_least(stencil_direct_load_requests / count("stencil_shared", "load_requests"), 10),
)
claim(
    "staging divides the stencil's sectors by more than ten",
    at_least(count("stencil_direct", "load_sectors") / count("stencil_shared", "load_sectors"), 10),
)
claim(
    "as many loads from shared memory as global ones before",
    equal(count("stencil_shared", "shared_load_requests"), stencil_direct_load_requests),
)
stencil_gains_little = counters(
    "07_shared_memory",
    where=lambda row: row.variant in ("stencil_direct", "stencil_shared"),
    columns="variant, load_sectors, l1_load_hit_sectors, l2_read_sectors",
    large=True,
)
stencil_direct_asks_l1 = value(
    counter("stencil_direct", "l1_load_hit_sectors", large=True)
    / counter("stencil_direct", "load_sectors", large=True),
    ".0%",
)
claim("the stencil gains a tenth, not more", between(1.05, stencil_shared_gb / stencil_direct_gb, 1.2))
claim(
    "both stencils read L2 alike",
    level(
        counter("stencil_shared", "l2_read_sectors", large=True),
        counter("stencil_direct", "l2_read_sectors", large=True),
        within=0.01,
    ),
)
claim(
    "both stencils read DRAM once",
    level(
        counter("stencil_direct", "dram_bytes_read", large=True),
        4 * counter("stencil_direct", "n", large=True),
        within=0.02,
    ),
    level(
        counter("stencil_shared", "dram_bytes_read", large=True),
        4 * counter("stencil_shared", "n", large=True),
        within=0.02,
    ),
)
stencil_shared_share = value(share("stencil_shared"), ".0%")
multiprocessors = device("multiprocessors")
banks_degree_32_ns = ns("banks", chapter="25", degree=32)
multiprocessor = value(banks_degree_32_ns / 32 * multiprocessors, ".3f")
copy_direct_l1_wavefronts = counter("copy_direct", "l1_wavefronts", large=True)
copy_direct_l1_wavefronts_millions = value(4 * copy_direct_l1_wavefronts / 10**6, ".1f")
copy_direct_busy_ms = value(4 * copy_direct_l1_wavefronts * banks_degree_32_ns / 32 / 10**6, ".2f")
copy_direct_ms = value(ms("copy_direct"), ".2f")
stencil_direct_l1_wavefronts = counter("stencil_direct", "l1_wavefronts", large=True)
stencil_direct_wavefronts_10_6 = value(4 * stencil_direct_l1_wavefronts / 10**6, ".1f")
stencil_direct_busy_ms = value(4 * stencil_direct_l1_wavefronts * banks_degree_32_ns / 32 / 10**6, ".2f")
stencil_direct_ms = value(ms("stencil_direct"), ".2f")
stencil_shared_l1_wavefronts = counter("stencil_shared", "l1_wavefronts", large=True)
stencil_shared_wavefronts_10_6 = value(4 * stencil_shared_l1_wavefronts / 10**6, ".1f")
stencil_shared_busy_ms = value(4 * stencil_shared_l1_wavefronts * banks_degree_32_ns / 32 / 10**6, ".2f")
stencil_shared_ms = value(ms("stencil_shared"), ".2f")
claim(
    "both stencils are far from the peak of DRAM", less(stencil_shared_share, 0.5), less(share("stencil_direct"), 0.5)
)
claim(
    "both stencils are slower than the copy", at_most(max(stencil_shared_gb, stencil_direct_gb) / copy_direct_gb, 0.7)
)
claim(
    "the model takes the unit of wavefronts for the limit of the direct stencil",
    equal(count("stencil_direct", "limited_by"), "lsu"),
)
claim(
    "launches do not hold the stencil back",
    at_most(2**28 / 256 / stencil_shared_ms / (2**30 / 256 / ms("element", unit=1, n=2**30, chapter="06")), 0.6),
)
claim("staging saves no wavefronts", between(0.98, stencil_shared_l1_wavefronts / stencil_direct_l1_wavefronts, 1.1))
claim(
    "the wavefronts alone are half of the time or more",
    less(0.5 * stencil_direct_ms, stencil_direct_busy_ms),
    less(0.5 * stencil_shared_ms, stencil_shared_busy_ms),
)

# The tile turns 32 sectors per store into 4

reorder_direct_access = access(
    "07_shared_memory", "reorder_direct", access="store", title="reorder_direct: one store of a warp"
)
reorder_shared_per_store = count("reorder_shared", "store_sectors_per_request")
reorder_counts = counts(
    "07_shared_memory",
    where=lambda row: row.task == "reorder",
    columns="variant, load_sectors, store_sectors_per_request, shared_load_conflicts",
)
claim(
    "a direct re-ordering touches one sector per lane", equal(count("reorder_direct", "store_sectors_per_request"), 32)
)
claim(
    "through shared memory both sides are coalesced",
    equal(count("reorder_shared", "load_sectors_per_request"), 4),
    equal(reorder_shared_per_store, 4),
)
reorder_shared_l2_write_sectors = counter("reorder_shared", "l2_write_sectors", large=True)
l2_writes_over_shared = value(
    counter("reorder_direct", "l2_write_sectors", large=True) / reorder_shared_l2_write_sectors, ".1f"
)
claim("scattered stores multiply the writes into L2", at_least(l2_writes_over_shared, 6))
claim("nothing of the re-ordering hits L1", equal(counter("reorder_direct", "l1_load_hit_sectors", large=True), 0))

# Padding removes the tile's bank conflicts

reorder_shared_load_conflicts = count("reorder_shared", "shared_load_conflicts")
reorder_shared_load_requests = count("reorder_shared", "shared_load_requests")
conflicts_a_request = reorder_shared_load_conflicts / reorder_shared_load_requests
claim(
    "the hardware takes the wavefronts that the conflicts make, no more and no less",
    equal(
        counter("reorder_shared", "shared_load_wavefronts"),
        reorder_shared_load_requests + reorder_shared_load_conflicts,
    ),
)
claim(
    "padding removes the conflicts",
    equal(count("reorder_padded", "shared_load_conflicts"), 0),
    equal(counter("reorder_padded", "shared_load_wavefronts"), count("reorder_padded", "shared_load_requests")),
)
reorder_padded_gb = gb("reorder_padded")
reorder_padded_over_shared = value(reorder_padded_gb / reorder_shared_gb, ".2f")
reorder_over_direct_cents = value(reorder_shared_over_direct, ".2f")
best_naive_column_gb = best("naive_column", chapter="19")
padded_over_naive_column = value(gb("tile_padded", chapter="20") / best_naive_column_gb, ".1f")
naive_column_gb = gb("naive_column", chapter="19", block="32x8")
claim(
    "scattered loads are three times as fast as scattered stores, without a tile",
    at_least(naive_column_gb / gb("naive_row", chapter="19"), 3),
)
claim(
    "and L1 serves seven of eight of their sectors",
    between(
        0.86,
        counter("naive_column", "l1_load_hit_sectors", chapter="19", block="32x8", large=True)
        / counter("naive_column", "load_sectors", chapter="19", block="32x8", large=True),
        0.89,
    ),
)
claim(
    "a tile with conflicts ties with scattered loads, and one without is ahead of the best of them",
    between(0.95, gb("tile_plain", chapter="20") / naive_column_gb, 1.1),
    at_least(low("tile_padded", chapter="20") / best_naive_column_gb, 1.5),
)
conflicts_ms = value(31 * 2**28 / 32 * banks_degree_32_ns / 32 / 10**6, ".2f")
shared_minus_padded_ms = value(ms("reorder_shared") - ms("reorder_padded"), ".2f")
padded_behind_copy = value(1 - reorder_padded_gb / copy_direct_gb, ".0%")
blocks_of_1024_slower = value(
    1 - gb("copy_full", chapter="23", threads=1024) / gb("copy_full", chapter="23", threads=256), ".0%"
)
claim("the model calls latency the limit of reorder_shared", equal(count("reorder_shared", "limited_by"), "latency"))
claim(
    "padding changes no other traffic",
    level(counter("reorder_padded", "l2_write_sectors", large=True), reorder_shared_l2_write_sectors, within=0.05),
    equal(count("reorder_padded", "load_sectors"), count("reorder_shared", "load_sectors")),
)
claim("the padded form stays behind the plain copy", at_most(reorder_padded_gb / copy_direct_gb, 0.9))
claim("most of it is the size of the blocks", less(0.6 * padded_behind_copy, blocks_of_1024_slower))
claim(
    "the conflicts cost most of what their wavefronts take",
    between(0.6, shared_minus_padded_ms / conflicts_ms, 1),
)
claim(
    "32 lanes in a bank take 32 times as long",
    between(30, banks_degree_32_ns / ns("banks", chapter="25", degree=1), 33),
)

# Results

measure_chart = chart("07_shared_memory", title="With and without shared memory")
measure_table = table("07_shared_memory", columns="variant, threads, cold, hot, share, copy")
padded_over_direct = value(reorder_padded_gb / reorder_direct_gb, ".1f")
claim("re-ordering through shared memory doubles", at_least(reorder_shared_over_direct, 2))
claim("padding gains another two thirds at least", at_least(reorder_padded_over_shared, 1.67))
claim("together about four times", between(3.7, padded_over_direct, 4.5))

# Experiments

padded_by_two = change(
    """
- reorder_shared<tile_dim + 1>
+ reorder_shared<tile_dim + 2>
$ ./run 07 --device cpu --variant reorder_padded
holds count('reorder_padded', 'shared_load_conflicts') == count('reorder_padded', 'shared_load_requests')
- reorder_shared<tile_dim + 2>
+ reorder_shared<tile_dim + 3>
$ ./run 07 --device cpu --variant reorder_padded
holds count('reorder_padded', 'shared_load_conflicts') == 0
- reorder_shared<tile_dim + 3>
+ reorder_shared<tile_dim + 16>
$ ./run 07 --device cpu --variant reorder_padded
holds count('reorder_padded', 'shared_load_conflicts') == 15 * count('reorder_padded', 'shared_load_requests')
"""
)
no_barrier = change(
    r"""
in stencil.cuh
- __syncthreads(); // neighbours' elements were loaded by other threads
$ ./run 07 --device cpu --variant stencil_shared
status 1
shows ^stencil_shared .* FAILED
shows \[\d+\] is nan
"""
)
a_radius_of_one = change(
    """
in stencil.cuh
- constexpr int radius = 8;
+ constexpr int radius = 1;
$ ./run 07 --device cpu --variant stencil_direct --variant stencil_shared
holds count('stencil_direct', 'load_requests') == 3 * count('stencil_direct', 'store_requests')
holds modelled('stencil_direct') < 0.9 * book_modelled('stencil_direct')
holds modelled('stencil_shared') < 0.95 * book_modelled('stencil_shared')
"""
)
nearer_to_a_copy = change(
    """
on gpu
in stencil.cuh
- constexpr int radius = 8;
+ constexpr int radius = 1;
$ ./run 07 --variant stencil_direct --variant stencil_shared --variant copy_direct
holds gb('stencil_direct') / gb('copy_direct') > 1.1 * book_gb('stencil_direct') / book_gb('copy_direct')
holds gb('stencil_shared') / gb('copy_direct') > 1.1 * book_gb('stencil_shared') / book_gb('copy_direct')
"""
)
loop_apart = value(abs(noted("the_loop_on_a_gpu") - 1), ".0%")
the_tile_in_a_loop = change(
    """
in stencil.cuh
- const std::size_t j = start + threadIdx.x - radius;
- tile[threadIdx.x] = j < n ? a[j] : 0.0f;
- if (threadIdx.x < 2 * radius) {
- tile[threads + threadIdx.x] = j + threads < n ? a[j + threads] : 0.0f;
- }
+ for (unsigned k = threadIdx.x; k < threads + 2 * radius; k += threads) {
+ const std::size_t j = start + k - radius;
+ tile[k] = j < n ? a[j] : 0.0f;
+ }
$ ./run 07 --device cpu --variant stencil_shared
holds count('stencil_shared', 'load_requests') == book_count('stencil_shared', 'load_requests')
holds count('stencil_shared', 'load_sectors') == book_count('stencil_shared', 'load_sectors')
"""
)
the_loop_on_a_gpu = change(
    """
on gpu
in stencil.cuh
- const std::size_t j = start + threadIdx.x - radius;
- tile[threadIdx.x] = j < n ? a[j] : 0.0f;
- if (threadIdx.x < 2 * radius) {
- tile[threads + threadIdx.x] = j + threads < n ? a[j + threads] : 0.0f;
- }
+ for (unsigned k = threadIdx.x; k < threads + 2 * radius; k += threads) {
+ const std::size_t j = start + k - radius;
+ tile[k] = j < n ? a[j] : 0.0f;
+ }
$ ./run 07 --variant stencil_direct --variant stencil_shared
holds gb('stencil_shared') < 1.02 * book_gb('stencil_shared')
notes gb('stencil_shared') / gb('stencil_direct')
"""
)
scattered_loads = change(
    """
in reorder.cuh
- c[start + threadIdx.x % tile_dim * tile_dim + threadIdx.x / tile_dim] = a[i];
+ c[i] = a[start + threadIdx.x % tile_dim * tile_dim + threadIdx.x / tile_dim];
$ ./run 07 --device cpu --variant reorder_direct
shows ^reorder_direct .* yes
holds count('reorder_direct', 'load_sectors_per_request') == 32
holds count('reorder_direct', 'store_sectors_per_request') == 4
"""
)
