"""The facts of the page "Tiled matrix transpose: padding, swizzling and block order"."""

from tools.book.facts import *

page(
    "core",
    needs="19",
    afterwards=[
        "transpose a matrix at nearly the speed of a copy",
        "make a tile without bank conflicts, by padding or by swizzling",
    ],
)

# Predict

tile_plain_gb = gb("tile_plain")
tile_padded_gb = gb("tile_padded")
tile_padded_over_plain = value(tile_padded_gb / tile_plain_gb, ".1f")
a_column_of_the_tile = number(
    """The tile is 32 x 32 words of shared memory, written by rows and read by columns. How many times as fast
does padding each row by one unused word make the kernel?""",
    tile_padded_over_plain,
    "a factor of 1.3",
    fold="""Without padding, a column lies in one [bank](glossary.md#bank). Plain tile: {tile_plain_gb} GB/s; padded: {tile_padded_gb}.""",
)
cuda_memcpy_async_gb = gb("cudaMemcpyAsync")
best_over_memcpy_async = value(best() / cuda_memcpy_async_gb, ".0%")
near_to_a_copy = choice(
    "What fraction of the bandwidth of `cudaMemcpyAsync` does the best kernel reach?",
    {
        "half": at_most(best_over_memcpy_async, 0.63),
        "three quarters": between(0.63, best_over_memcpy_async, 0.85),
        "90% or more": at_least(best_over_memcpy_async, 0.85),
    },
    right="90% or more",
    fold="""It reaches {best_over_memcpy_async} of the copy.""",
)
padded_odd_gb = gb("tile_padded", n=2**28 - 1)
odd_over_even_percent = value(100 * padded_odd_gb / tile_padded_gb, ".0f")
an_odd_matrix = number(
    """One row more and one column less: 16385 x 16383. What percentage of its bandwidth does the padded tile keep?""",
    odd_over_even_percent,
    "a factor of 1.25",
    unit="percent",
    fold="""It reaches {padded_odd_gb} GB/s instead of {tile_padded_gb}.""",
)

# Memory transactions

count_counts = counts(
    "20_transpose_tiles",
    where=lambda row: row.n == 2**20 and row.variant in ("tile_plain", "tile_padded", "tile_swizzled", "tile_float4"),
    every_size=True,
    columns="variant, load_sectors_per_request, store_sectors_per_request, shared_load_conflicts, modelled, limited_by",
)
tile_plain_access = access(
    "20_transpose_tiles", "tile_plain", space="shared", access="load", title="tile_plain: a column of the tile"
)
claim(
    "a plain tile has 31 conflicts per load",
    equal(
        count("tile_plain", "shared_load_conflicts", n=2**20),
        31 * count("tile_plain", "shared_load_requests", n=2**20),
    ),
)
claim(
    "padded and swizzled tiles have none",
    equal(
        count("tile_padded", "shared_load_conflicts", n=2**20)
        + count("tile_padded", "shared_store_conflicts", n=2**20)
        + count("tile_swizzled", "shared_load_conflicts")
        + count("tile_swizzled", "shared_store_conflicts"),
        0,
    ),
)
claim(
    "the tile of float4s has no conflicts",
    equal(count("tile_float4", "shared_load_conflicts") + count("tile_float4", "shared_store_conflicts"), 0),
)
claim(
    "and a quarter of the requests",
    equal(4 * count("tile_float4", "load_requests"), count("tile_padded", "load_requests", n=2**20)),
)

# Results

tiles_chart = chart(
    "19,20",
    where=lambda row: row.variant
    in (
        "naive_column",
        "tile_plain",
        "tile_padded",
        "tile_swizzled",
        "tile_padded_down",
        "tile_float4",
        "tile_float4_down",
        "tile_float4_down_stcs",
        "tile_float4_down_ldcg",
        "tile_tall_aligned",
        "cublasSgeam",
        "cudaMemcpyAsync",
    )
    and (row.variant != "naive_column" or row.block == "32x8")
    and (row.variant != "cudaMemcpyAsync" or row.chapter == "20_transpose_tiles"),
    name="tiles",
    title="With a tile, 16384 x 16384 floats",
    bars="cold",
)
measure_table = table("20_transpose_tiles", columns="variant, block, word, cold, hot, share")
naive_column_gb = gb("naive_column", block="32x8", chapter="19")
plain_over_naive_column = value(tile_plain_gb / naive_column_gb, ".2f")
padded_over_plain_cents = value(tile_padded_over_plain, ".2f")
tile_float4_gb = gb("tile_float4")
float4_over_padded = value(tile_float4_gb / tile_padded_gb, ".2f")
tile_float4_down_gb = gb("tile_float4_down")
float4_down_over_float4 = value(tile_float4_down_gb / tile_float4_gb, ".2f")
cublas_sgeam_gb = gb("cublasSgeam")
tile_padded_down_gb = gb("tile_padded_down")
claim("a tile with conflicts is no faster than loads down a column", between(0.95, plain_over_naive_column, 1.1))
claim("padding nearly doubles it", at_least(tile_padded_over_plain, 1.8))
claim("padded and swizzled are the same to two percent", level(gb("tile_swizzled"), tile_padded_gb, within=0.02))
claim("float4s gain another tenth", at_least(float4_over_padded, 1.1))
claim("the best is within a tenth of a copy", at_least(best_over_memcpy_async, 0.9))
claim(
    "stores side by side pay",
    at_least(tile_padded_down_gb / tile_padded_gb, 1.02),
    at_least(float4_down_over_float4, 1.01),
)
tile_float4_down_ldcg_gb = gb("tile_float4_down_ldcg")
tile_float4_down_stcs_gb = gb("tile_float4_down_stcs")
hints_change_most = value(
    max(abs(tile_float4_down_ldcg_gb / tile_float4_down_gb - 1), abs(tile_float4_down_stcs_gb / tile_float4_down_gb - 1)),
    ".1%",
)
claim(
    "hints change little",
    level(tile_float4_down_ldcg_gb, tile_float4_down_gb, within=0.015),
    level(tile_float4_down_stcs_gb, tile_float4_down_gb, within=0.015),
)
claim("the best is ahead of the library", at_least(tile_float4_down_gb / cublas_sgeam_gb, 1.02))
measure_table_2 = table(
    "20_transpose_tiles",
    where=lambda row: row.n < 2**28 and row.n > 2**27,
    every_size=True,
    columns="variant, rows, columns, cold, share",
)
padded_down_odd_gb = gb("tile_padded_down", n=2**28 - 1)
cublas_sgeam_odd_gb = gb("cublasSgeam", n=2**28 - 1)
cublas_odd_over_even = value(cublas_sgeam_odd_gb / cublas_sgeam_gb, ".0%")
claim("odd rows cost the library too", at_most(cublas_odd_over_even, 0.95))
claim(
    "the library is ahead of the padded tiles where rows are odd",
    less(1.1 * padded_down_odd_gb, cublas_sgeam_odd_gb),
)
tall_aligned_odd_gb = gb("tile_tall_aligned", n=2**28 - 1)
claim("and behind the aligned tall tile", less(1.02 * cublas_sgeam_odd_gb, tall_aligned_odd_gb))
claim("and the order matters more there", less(1.1 * padded_odd_gb, padded_down_odd_gb))
claim(
    "a wide matrix costs little",
    at_least(gb("tile_float4_down_ldcg", rows=2048, n=2048 * 131068) / tile_float4_down_ldcg_gb, 0.94),
)
measure_counters = counters(
    "19,20",
    large=True,
    where=lambda row: row.rows == 8192
    and (
        row.variant in ("tile_plain", "tile_padded", "tile_swizzled", "tile_float4", "tile_float4_down", "cublasSgeam")
        or (row.variant == "naive_column" and row.block == "32x8")
    ),
    columns="variant, l1_wavefronts, l2_read_sectors, l2_write_sectors, dram_bytes_read, dram_bytes_written, warps_active_percent",
)

# Bank conflicts make the unpadded tile no faster than the naive kernel

multiprocessors = device("multiprocessors")
banks_ns = ns("banks", chapter="25", degree=32)
banks_per_sm_ns = value(banks_ns / 32 * multiprocessors, ".3f")
naive_column_l1_wavefronts = counter("naive_column", "l1_wavefronts", block="32x8", large=True, chapter="19")
naive_column_millions = value(4 * naive_column_l1_wavefronts / 10**6, ".0f")
naive_column_l1_busy_ms = value(4 * naive_column_l1_wavefronts * banks_ns / 32 / 10**6, ".2f")
naive_column_ms = value(ms("naive_column", block="32x8", chapter="19"), ".2f")
tile_plain_l1_wavefronts = counter("tile_plain", "l1_wavefronts", large=True)
tile_plain_wavefronts_10_6 = value(4 * tile_plain_l1_wavefronts / 10**6, ".0f")
tile_plain_busy_ms = value(4 * tile_plain_l1_wavefronts * banks_ns / 32 / 10**6, ".2f")
tile_plain_ms = value(ms("tile_plain"), ".2f")
tile_padded_l1_wavefronts = counter("tile_padded", "l1_wavefronts", rows=8192, large=True)
tile_padded_wavefronts_10_6 = value(4 * tile_padded_l1_wavefronts / 10**6, ".0f")
tile_padded_busy_ms = value(4 * tile_padded_l1_wavefronts * banks_ns / 32 / 10**6, ".2f")
tile_padded_ms = value(ms("tile_padded"), ".2f")
plain_busy_ms_over_ms = value(tile_plain_busy_ms / tile_plain_ms, ".0%")
padded_busy_ms_over_ms = value(tile_padded_busy_ms / tile_padded_ms, ".0%")
claim(
    "a column keeps one unit busy nearly all the time",
    between(0.93, naive_column_l1_busy_ms / naive_column_ms, 1),
    between(0.93, plain_busy_ms_over_ms, 1),
)
claim("a padded tile keeps it busy for about a quarter", between(0.2, padded_busy_ms_over_ms, 0.35))
claim(
    "a column of the tile costs the wavefronts of a column of memory",
    level(tile_plain_l1_wavefronts, naive_column_l1_wavefronts, within=0.1),
)
claim(
    "without conflicts it is a fifth of them at most",
    at_most(tile_padded_l1_wavefronts / tile_plain_l1_wavefronts, 0.2),
)
claim(
    "padding changes no other traffic",
    level(
        counter("tile_padded", "l2_write_sectors", n=2**20), counter("tile_plain", "l2_write_sectors"), within=0.05
    ),
    equal(counter("tile_padded", "load_sectors", n=2**20), counter("tile_plain", "load_sectors")),
)

# Longer rows and more bytes in flight share the gain of `float4`

tile_float4_256_threads_gb = gb("tile_float4", chapter="claim_tiles", threads=256)
float4_and_wide_rows_gain = value(
    tile_float4_256_threads_gb / gb("tile", chapter="claim_tiles", threads=256, row_bytes=128) - 1, ".0%"
)
tile_64x16_gb = gb("tile", chapter="claim_tiles", block="64x16")
tile_64x8_gb = gb("tile", chapter="claim_tiles", block="64x8")
tile_64x4_gb = gb("tile", chapter="claim_tiles", block="64x4")
tile_float4_16x16_gb = gb("tile_float4", chapter="claim_tiles", block="16x16")
claim("with fewer or more threads it is slower", at_most(max(tile_64x16_gb, tile_64x4_gb) / tile_64x8_gb, 0.9))
claim("a plain tile of 64 x 64 ties with the float4s", level(tile_64x8_gb, tile_float4_down_gb, within=0.02))

# Block order: concurrent blocks should store side by side

tile_float4_down_dram_read = counter("tile_float4_down", "dram_bytes_read", large=True)
tile_float4_dram_read = counter("tile_float4", "dram_bytes_read", large=True)
tile_float4_down_dram_written = counter("tile_float4_down", "dram_bytes_written", large=True)
tile_float4_dram_written = counter("tile_float4", "dram_bytes_written", large=True)
float4_writes_kernel = value(1 - tile_float4_down_dram_written / tile_float4_dram_written, ".1%")
float4_down_gain_over_float4 = value(float4_down_over_float4 - 1, ".1%")
claim(
    "the order of the blocks changes no bytes",
    level(tile_float4_down_dram_read, tile_float4_dram_read, within=0.001),
    level(tile_float4_down_dram_written, tile_float4_dram_written, within=0.03),
)
tile_float4_load_sectors = count("tile_float4", "load_sectors")
claim(
    "order and hints change no sector",
    equal(count("tile_float4_down", "load_sectors"), tile_float4_load_sectors),
    equal(count("tile_float4_down_stcs", "store_sectors"), count("tile_float4", "store_sectors")),
    equal(count("tile_float4_down_ldcg", "load_sectors", n=2**20), tile_float4_load_sectors),
)
claim(
    "nothing is found in L1",
    equal(counter("tile_float4_down", "l1_load_hit_sectors"), 0),
    equal(counter("tile_float4", "l1_load_hit_sectors"), 0),
)
claim(
    "the library makes four times the requests",
    equal(counter("cublasSgeam", "load_requests", n=2**20), 4 * counter("tile_float4", "load_requests")),
)

# An odd matrix makes two blocks write parts of the same sectors

padded_per_load = value(count("tile_padded", "load_sectors_per_request", n=2**20 - 1), ".2f")
tile_padded_square = value(padded_odd_gb / tile_padded_gb, ".0%")
rest_of_tile_padded_square = value(1 - tile_padded_square, ".0%")
padded_written = value(
    counter("tile_padded", "l2_write_sectors", rows=8193, large=True)
    / counter("tile_padded", "l2_write_sectors", rows=8192, large=True),
    ".2f",
)
padded_down_square = value(padded_down_odd_gb / tile_padded_down_gb, ".0%")
padded_down_written = value(
    counter("tile_padded_down", "l2_write_sectors", rows=8193, large=True)
    / counter("tile_padded_down", "l2_write_sectors", rows=8192, large=True),
    ".2f",
)
cublas_written = value(
    counter("cublasSgeam", "l2_write_sectors", rows=8193, large=True)
    / counter("cublasSgeam", "l2_write_sectors", rows=8192, large=True),
    ".2f",
)
tall_odd_gb = gb("tile_tall", n=2**28 - 1)
tall_odd_over_tall = value(tall_odd_gb / gb("tile_tall"), ".0%")
tall_written = value(
    counter("tile_tall", "l2_write_sectors", rows=8193, large=True)
    / counter("tile_tall", "l2_write_sectors", rows=8192, large=True),
    ".2f",
)
tile_tall_aligned_gb = gb("tile_tall_aligned")
tall_aligned_square = value(tall_aligned_odd_gb / tile_tall_aligned_gb, ".0%")
tall_aligned_written = value(
    counter("tile_tall_aligned", "l2_write_sectors", rows=8193, large=True)
    / counter("tile_tall_aligned", "l2_write_sectors", rows=8192, large=True),
    ".2f",
)
tile_tall_aligned_8193_rows_l2_read_sectors = counter("tile_tall_aligned", "l2_read_sectors", rows=8193, large=True)

tile_padded_8193_rows_over_8ki_rows_dram = counter("tile_padded", "dram_bytes_read", rows=8193, large=True) / counter(
    "tile_padded", "dram_bytes_read", rows=8192, large=True
)
l2_read_tile = value(
    tile_tall_aligned_8193_rows_l2_read_sectors / counter("tile_tall", "l2_read_sectors", rows=8193, large=True) - 1,
    ".0%",
)
claim("a larger tile alone gains a fifth", less(1.15 * padded_down_odd_gb, tall_odd_gb))
claim("whole lines gain more", less(1.02 * tall_odd_gb, tall_aligned_odd_gb))
claim("float4s stay ahead where they fit", faster(tile_float4_down_gb, tile_tall_aligned_gb))
claim(
    "odd rows double the write requests to L2",
    between(
        1.8,
        counter("tile_padded", "l2_write_requests", rows=8193, large=True)
        / counter("tile_padded", "l2_write_requests", rows=8192, large=True),
        2.1,
    ),
)
claim(
    "odd rows in the usual order read a few percent more of DRAM",
    between(1.02, tile_padded_8193_rows_over_8ki_rows_dram, 1.06),
    at_most(
        counter("tile_padded_down", "dram_bytes_read", rows=8193, large=True)
        / counter("tile_padded_down", "dram_bytes_read", rows=8192, large=True),
        1.01,
    ),
)
claim("an odd matrix requests a fifth more sectors", between(1.15, padded_per_load / 4, 1.25))
claim("and loses more than that", at_most(tile_padded_square, 0.75))

# Experiments

swizzled_by_half = change(
    """
in tile.cuh
- return y * tile_dim + (x ^ y);
+ return y * tile_dim + (x ^ (y / 2));
$ ./run 20 --device cpu --variant tile_swizzled
shows ^tile_swizzled .* yes
holds count('tile_swizzled', 'shared_load_conflicts', n=2**20) == count('tile_swizzled', 'shared_load_requests', n=2**20)
"""
)
no_barrier = change(
    r"""
in tile.cuh
- __syncthreads(); // a thread stores elements that others have loaded
$ ./run 20 --device cpu --variant tile_padded
status 1
shows ^tile_padded .* FAILED
shows \[\d+\] is nan
"""
)
a_plain_tile_of_64 = change(
    """
in tile.cuh
- constexpr unsigned tile_dim = 32;
+ constexpr unsigned tile_dim = 64;
- float v[4];
+ float v[8];
- for (unsigned k = 0; k < 4; ++k) {
- const unsigned y = threadIdx.y + 8 * k;
+ for (unsigned k = 0; k < 8; ++k) {
+ const unsigned y = threadIdx.y + 8 * k;
- for (unsigned k = 0; k < 4; ++k) {
- turned[slot<layout>(threadIdx.y + 8 * k, threadIdx.x)] = v[k];
+ for (unsigned k = 0; k < 8; ++k) {
+ turned[slot<layout>(threadIdx.y + 8 * k, threadIdx.x)] = v[k];
- for (unsigned k = 0; k < 4; ++k) {
- const unsigned x = threadIdx.y + 8 * k;
+ for (unsigned k = 0; k < 8; ++k) {
+ const unsigned x = threadIdx.y + 8 * k;
in 20_transpose_tiles.cu
- {"tile_padded", tile<Layout::padded, false>, false, {32, 8}, {1, 4}},
+ {"tile_padded", tile<Layout::padded, false>, false, {64, 8}, {1, 8}},
$ ./run 20 --device cpu --variant tile_padded
shows ^tile_padded .* yes
holds count('tile_padded', 'load_sectors_per_request', n=2**20) == 4
holds count('tile_padded', 'shared_load_conflicts', n=2**20) == 0
holds 0.97 < modelled('tile_padded', rows=1024) / book_modelled('tile_float4', rows=1024) < 1.03
"""
)
