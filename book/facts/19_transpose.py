"""The facts of the page "Naive matrix transpose: strided loads vs. strided stores"."""

from tools.book.facts import *

page(
    "core",
    needs="03 05 07",
    afterwards=[
        "choose which side of a transpose to scatter",
        "say why scattered stores cost more than scattered loads",
    ],
)

# Predict

naive_column_32x8_gb = gb("naive_column", block="32x8")
naive_row_gb = gb("naive_row")
column_32x8_over_row = value(naive_column_32x8_gb / naive_row_gb, ".1f")
rows_or_columns = choice(
    """Either kernel touches 32 [sectors](glossary.md#sector) per request on its strided side and 4 on the other. Which one is faster?""",
    {
        "they are the same": level(naive_column_32x8_gb, naive_row_gb, within=0.1),
        "loading along a row is faster": at_most(column_32x8_over_row, 0.9),
        "loading down a column is up to twice as fast": between(1.1, column_32x8_over_row, 2),
        "loading down a column is more than twice as fast": at_least(column_32x8_over_row, 2),
    },
    right="loading down a column is more than twice as fast",
    fold="""Loading down a column reaches {naive_column_32x8_gb} GB/s, along a row {naive_row_gb}.""",
)
naive_column_8x32_gb = gb("naive_column", block="8x32")
naive_column_8x32_over_32x8 = value(naive_column_8x32_gb / naive_column_32x8_gb, ".2f")
the_shape_of_the_block = choice(
    """You change the block from 32 x 8 to 8 x 32 threads. What happens to the kernel that loads down a column?""",
    {
        "nothing": level(naive_column_8x32_gb, naive_column_32x8_gb, within=0.05),
        "it becomes slower": at_most(naive_column_8x32_over_32x8, 0.95),
        "it becomes faster": at_least(naive_column_8x32_over_32x8, 1.05),
    },
    right="it becomes faster",
    fold="""It reaches {naive_column_8x32_gb} GB/s, {naive_column_8x32_over_32x8} times as much.""",
)
diagonal_column_gb = gb("diagonal_column")
diagonal_over_naive_column = value(diagonal_column_gb / naive_column_32x8_gb, ".2f")
blocks_on_a_diagonal = choice(
    """Concurrent blocks are assigned along a diagonal of the matrix, so that they share neither rows nor columns. Is the
kernel that loads down a column faster?""",
    {
        "yes": at_least(diagonal_over_naive_column, 1.03),
        "it makes no difference": level(diagonal_column_gb, naive_column_32x8_gb, within=0.03),
        "no, it is slower": at_most(diagonal_over_naive_column, 0.97),
    },
    right="no, it is slower",
    fold="It reaches {diagonal_over_naive_column} times the bandwidth.",
)

# Memory transactions

count_counts = counts(
    "19_transpose",
    where=lambda row: row.n == 2**20
    and row.block == "32x8"
    and (row.variant in ("copy_row", "copy_column", "naive_row", "naive_column")),
    every_size=True,
    columns="variant, load_sectors_per_request, load_efficiency, store_sectors_per_request, store_efficiency",
)
column_32x8_per_load = count("naive_column", "load_sectors_per_request", block="32x8")
naive_column_access = access("19_transpose", "naive_column", access="load", title="naive_column: one load of a warp")
claim(
    "a request down a column touches one sector per lane",
    equal(column_32x8_per_load, 32),
    equal(count("naive_row", "store_sectors_per_request"), 32),
)
claim(
    "along a row it touches four",
    equal(count("naive_row", "load_sectors_per_request"), 4),
    equal(count("naive_column", "store_sectors_per_request", block="32x8"), 4),
)
claim(
    "neither unrolling nor the diagonal changes that",
    equal(count("unroll4_row", "store_sectors_per_request"), 32),
    equal(count("unroll4_column", "load_sectors_per_request"), 32),
    equal(count("diagonal_row", "store_sectors_per_request"), 32),
    equal(count("diagonal_column", "load_sectors_per_request"), 32),
)
unroll4_row_bytes_requested = count("unroll4_row", "bytes_requested", n=2**20)
claim(
    "every element is moved once",
    equal(unroll4_row_bytes_requested, 8 * 2**20),
    equal(
        count("unroll4_column", "bytes_requested", n=2**20),
        count("naive_column", "bytes_requested", block="32x8", n=2**20),
    ),
)
naive_column_counts = counts(
    "19_transpose",
    where=lambda row: row.n == 2**20 and row.variant == "naive_column",
    every_size=True,
    columns="variant, block, threads, load_sectors_per_request, load_efficiency, store_sectors_per_request",
)
claim(
    "a block that is 8 wide quarters the sectors of a load",
    equal(4 * count("naive_column", "load_sectors_per_request", block="8x32"), column_32x8_per_load),
)
claim("and leaves the stores whole", equal(count("naive_column", "store_sectors_per_request", block="8x32"), 4))

# Results

naive_chart = chart(
    "19_transpose",
    where=lambda row: row.variant
    in (
        "copy_row",
        "copy_column",
        "naive_row",
        "naive_column",
        "unroll4_row",
        "unroll4_column",
        "diagonal_row",
        "diagonal_column",
        "cudaMemcpyAsync",
    )
    and (row.variant != "naive_column" or row.block == "32x8"),
    name="naive",
    title="Without a tile, 16384 x 16384 floats",
    bars="cold",
)
unroll4_column_over_naive_column_32x8 = gb("unroll4_column") / naive_column_32x8_gb
gives_naive_column_costs = value(unroll4_column_over_naive_column_32x8 - 1, ".0%")
unroll4_row_gb = gb("unroll4_row")
unroll4_row_behind_row = value(1 - unroll4_row_gb / naive_row_gb, ".0%")
rest_of_times = value(1 - diagonal_over_naive_column, ".0%")
diagonal_row_gb = gb("diagonal_row")
diagonal_row_behind_row = value(1 - diagonal_row_gb / naive_row_gb, ".0%")
claim("scattered loads are three times as fast as scattered stores", at_least(column_32x8_over_row, 3))
claim("unrolling helps the columns", at_least(unroll4_column_over_naive_column_32x8, 1.05))
claim("unrolling does not help the rows", at_most(unroll4_row_gb / naive_row_gb, 1.02))
claim(
    "the diagonal order loses", faster(naive_row_gb, diagonal_row_gb), faster(naive_column_32x8_gb, diagonal_column_gb)
)
naive_column_table = table(
    "19_transpose",
    where=lambda row: row.variant == "naive_column",
    columns="variant, block, threads, cold, share, relative",
)
tile_padded_l2_write_sectors = counter("tile_padded", "l2_write_sectors", rows=8192, large=True, chapter="20")
column_sectors_times = value(
    counter("naive_column", "l2_write_sectors", block="32x8", large=True) / tile_padded_l2_write_sectors, ".1f"
)
tile_padded_l2_write_requests = counter("tile_padded", "l2_write_requests", rows=8192, large=True, chapter="20")
column_requests_times = value(
    counter("naive_column", "l2_write_requests", block="32x8", large=True) / tile_padded_l2_write_requests, ".0f"
)
naive_column_dram_bytes_32x8_large = dram_bytes("naive_column", block="32x8", large=True)
tile_padded_dram_bytes_8ki_rows_large = dram_bytes("tile_padded", rows=8192, large=True, chapter="20")
column_dram_times = value(naive_column_dram_bytes_32x8_large / tile_padded_dram_bytes_8ki_rows_large, ".2f")
naive_column_32x8_ms = value(ms("naive_column", block="32x8"), ".2f")
column_8_x_sectors_times = value(
    counter("naive_column", "l2_write_sectors", block="8x32", large=True) / tile_padded_l2_write_sectors, ".1f"
)
column_8_x_requests_times = value(
    counter("naive_column", "l2_write_requests", block="8x32", large=True) / tile_padded_l2_write_requests, ".0f"
)
column_8_x_dram_times = value(
    dram_bytes("naive_column", block="8x32", large=True) / tile_padded_dram_bytes_8ki_rows_large, ".2f"
)
naive_column_8x32_ms = value(ms("naive_column", block="8x32"), ".2f")
row_sectors_times = value(
    counter("naive_row", "l2_write_sectors", large=True) / tile_padded_l2_write_sectors, ".1f"
)
row_requests_times = value(
    counter("naive_row", "l2_write_requests", large=True) / tile_padded_l2_write_requests, ".0f"
)
naive_row_dram_bytes_large = dram_bytes("naive_row", large=True)
naive_row_dram_times = value(naive_row_dram_bytes_large / tile_padded_dram_bytes_8ki_rows_large, ".2f")
naive_row_ms = value(ms("naive_row"), ".2f")
copy_column_sectors_times = value(
    counter("copy_column", "l2_write_sectors", large=True) / tile_padded_l2_write_sectors, ".1f"
)
copy_column_requests_l2_times = value(
    counter("copy_column", "l2_write_requests", large=True) / tile_padded_l2_write_requests, ".0f"
)
copy_column_dram_times = value(dram_bytes("copy_column", large=True) / tile_padded_dram_bytes_8ki_rows_large, ".2f")
copy_column_ms = value(ms("copy_column"), ".2f")
measure_counters = counters(
    "19,20",
    large=True,
    where=lambda row: row.rows == 8192
    and (
        row.variant
        in (
            "copy_row",
            "copy_column",
            "naive_row",
            "unroll4_row",
            "unroll4_column",
            "diagonal_row",
            "diagonal_column",
            "tile_padded",
        )
        or (row.variant == "naive_column" and row.block in ("32x8", "8x32"))
    ),
    columns="variant, block, l1_load_hit_sectors, l1_wavefronts, l2_read_sectors, l2_write_sectors, dram_bytes_read, dram_bytes_written",
)

# Strided stores: the L2 receives every partial sector

per_naive_row_ms = value(2**28 / naive_row_ms / 1000000.0, ".0f")
per_copy_column_ms = value(2**28 / copy_column_ms / 1000000.0, ".0f")
reorder_direct_ms = ms("reorder_direct", chapter="07", n=2**28)
per_reorder_direct_ms = value(2**28 / reorder_direct_ms / 1000000.0, ".0f")
scatter_ms = ms("scatter", chapter="17", element_bytes=4, indices="in 4 MiB")
per_scatter_ms = value(2**28 / scatter_ms / 1000000.0, ".0f")
h100_l2_over = value(device("l2_bytes", device=H100) / device("l2_bytes"), ".2f")
h100_peak_over_peak = value(device("peak_gb_per_s", device=H100) / device("peak_gb_per_s"), ".2f")
row_over_h100_row = value(naive_row_ms / ms("naive_row", device=H100), ".2f")
copy_column_times = value(copy_column_ms / ms("copy_column", device=H100), ".2f")
reorder_direct_times = value(reorder_direct_ms / ms("reorder_direct", chapter="07", n=2**28, device=H100), ".2f")
claim(
    "an H100 takes fewer stores of single elements, by its L2 and not by its SMs or its peak",
    less(
        max(
            abs(row_over_h100_row - 0.833),
            abs(copy_column_times - 0.833),
            abs(reorder_direct_times - 0.833),
        ),
        0.05,
    ),
)
unroll4_row_dram_bytes_large = dram_bytes("unroll4_row", large=True)
diagonal_row_dram_bytes_large = dram_bytes("diagonal_row", large=True)
unroll4_dram_over_naive = value(unroll4_row_dram_bytes_large / naive_row_dram_bytes_large, ".2f")

# Strided loads: L1 hits, but with bank conflicts

naive_column_large_load_sectors = counter("naive_column", "load_sectors", block="32x8", large=True)
l1_first_brought_sectors = value(
    counter("naive_column", "l1_load_hit_sectors", block="32x8", large=True) / naive_column_large_load_sectors, ".1%"
)
multiprocessors = device("multiprocessors")
banks_ns = ns("banks", chapter="25", degree=32)
banks_per_sm_ns = value(banks_ns / 32 * multiprocessors, ".3f")
naive_column_32x8_l1_wavefronts = counter("naive_column", "l1_wavefronts", block="32x8", large=True)
naive_32_l1_busy_ms = value(4 * naive_column_32x8_l1_wavefronts * banks_ns / 32 / 10**6, ".2f")
unroll4_column_l1_wavefronts = counter("unroll4_column", "l1_wavefronts", large=True)
unroll4_32_l1_busy_ms = value(4 * unroll4_column_l1_wavefronts * banks_ns / 32 / 10**6, ".2f")
unroll4_column_ms = value(ms("unroll4_column"), ".2f")
diagonal_32_l1_busy_ms = value(
    4 * counter("diagonal_column", "l1_wavefronts", large=True) * banks_ns / 32 / 10**6, ".2f"
)
diagonal_column_ms = value(ms("diagonal_column"), ".2f")
naive_16_l1_busy_ms = value(
    4 * counter("naive_column", "l1_wavefronts", block="16x16", large=True) * banks_ns / 32 / 10**6, ".2f"
)
naive_column_16x16_ms = value(ms("naive_column", block="16x16"), ".2f")
naive_8_l1_busy_ms = value(
    4 * counter("naive_column", "l1_wavefronts", block="8x32", large=True) * banks_ns / 32 / 10**6, ".2f"
)
unrolled_wavefronts_fewer = value(1 - unroll4_column_l1_wavefronts / naive_column_32x8_l1_wavefronts, ".0%")

# Removing the bank conflicts gains little

banks_h100 = dict(chapter="claim_banks", device=H100)
h100_column_16ki_ms = value(ms("naive_column", columns=16384, **banks_h100), ".3f")
banks_h100_16ki_columns = dict(chapter="claim_banks", device=H100, large=True, columns=16384)
h100_naive_column_16ki_columns_l1_wavefronts = counter("naive_column", "l1_wavefronts", **banks_h100_16ki_columns)
h100_naive_column_16ki_columns_load_requests = counter("naive_column", "load_requests", **banks_h100_16ki_columns)
wavefronts_16384 = value(
    h100_naive_column_16ki_columns_l1_wavefronts / h100_naive_column_16ki_columns_load_requests, ".1f"
)
wavefronts_16400 = value(
    counter("naive_column", "l1_wavefronts", columns=16400, large=True, **banks_h100)
    / counter("naive_column", "load_requests", columns=16400, large=True, **banks_h100),
    ".1f",
)
h100_column_16400_ms = value(ms("naive_column", columns=16400, **banks_h100), ".3f")
wavefronts_16392 = value(
    counter("naive_column", "l1_wavefronts", columns=16392, large=True, **banks_h100)
    / counter("naive_column", "load_requests", columns=16392, large=True, **banks_h100),
    ".1f",
)
h100_column_16392_ms = value(ms("naive_column", columns=16392, **banks_h100), ".3f")
h100_naive_column_16385_columns_load = counter("naive_column", "load_requests", columns=16385, large=True, **banks_h100)
wavefronts_16385 = value(
    counter("naive_column", "l1_wavefronts", columns=16385, large=True, **banks_h100)
    / h100_naive_column_16385_columns_load,
    ".1f",
)
h100_column_16385_ms = value(ms("naive_column", columns=16385, **banks_h100), ".3f")
h100_naive_column_16400_columns_over_16ki = h100_column_16400_ms / h100_column_16ki_ms
bank_wavefronts_removed = value(1 - wavefronts_16385 / wavefronts_16384, ".0%")
bank_share_of_time = value(1 - h100_naive_column_16400_columns_over_16ki, ".0%")
wavefronts_counted_1 = value(
    counter("from_l1", "l1_wavefronts", stride=1, large=True, **banks_h100)
    / counter("from_l1", "load_requests", stride=1, large=True, **banks_h100),
    ".1f",
)
h100_multiprocessors = device("multiprocessors", device=H100)
h100_sm_ghz = value(environment("clocks", **banks_h100)["after"]["sm_mhz"] / 1000, ".2f")
cycles_1 = value(
    ms("from_l1", stride=1, **banks_h100) * 10**6 / (2**22 * 64 / 32) * h100_multiprocessors * h100_sm_ghz,
    ".1f",
)
wavefronts_counted_1_32 = value(
    counter("from_l1", "l1_wavefronts", stride=33, large=True, **banks_h100)
    / counter("from_l1", "load_requests", stride=33, large=True, **banks_h100),
    ".1f",
)
h100_from_l1_stride_33_ms = ms("from_l1", stride=33, **banks_h100)
cycles_1_32 = value(h100_from_l1_stride_33_ms * 10**6 / (2**22 * 64 / 32) * h100_multiprocessors * h100_sm_ghz, ".1f")
wavefronts_counted_8 = value(
    counter("from_l1", "l1_wavefronts", stride=40, large=True, **banks_h100)
    / counter("from_l1", "load_requests", stride=40, large=True, **banks_h100),
    ".1f",
)
h100_from_l1_stride_40_ms = ms("from_l1", stride=40, **banks_h100)
cycles_8 = value(h100_from_l1_stride_40_ms * 10**6 / (2**22 * 64 / 32) * h100_multiprocessors * h100_sm_ghz, ".1f")
wavefronts_counted_32 = value(
    counter("from_l1", "l1_wavefronts", stride=32, large=True, **banks_h100)
    / counter("from_l1", "load_requests", stride=32, large=True, **banks_h100),
    ".1f",
)
cycles_32 = value(
    ms("from_l1", stride=32, **banks_h100) * 10**6 / (2**22 * 64 / 32) * h100_multiprocessors * h100_sm_ghz,
    ".1f",
)
claim(
    "without one bank a third of the wavefronts is left",
    at_most(wavefronts_16385 / wavefronts_16384, 0.36),
)
claim(
    "and nine tenths of the time",
    between(0.9, h100_column_16385_ms / h100_column_16ki_ms, 0.94),
    between(0.9, h100_naive_column_16400_columns_over_16ki, 0.94),
)
claim(
    "L1 alone takes a turn for each word of a bank, and for every four lines",
    between(30, cycles_32, 34),
    between(8, cycles_1_32, 10),
)
claim(
    "words of a bank and lines run side by side, and the counter has the words only",
    at_most(h100_from_l1_stride_40_ms / h100_from_l1_stride_33_ms, 1.2),
    at_most(wavefronts_counted_1_32, 1.2),
    between(7.5, wavefronts_counted_8, 8.5),
)
l1_busy_time_loss = value(naive_32_l1_busy_ms / naive_column_32x8_ms, ".0%")
claim(
    "L1 is busy for nearly all of the time of the loads down a column",
    between(0.93, l1_busy_time_loss, 1),
    between(0.97, unroll4_32_l1_busy_ms / unroll4_column_ms, 1.01),
)
claim("with narrow blocks it is not", at_most(naive_8_l1_busy_ms / naive_column_8x32_ms, 0.55))
store_times = naive_row_ms, copy_column_ms, reorder_direct_ms, scatter_ms
store_rates_apart = value(1 - min(store_times) / max(store_times), ".0%")
claim(
    "single elements are stored at rates that differ by less than a sixth",
    less(store_rates_apart, 1 / 6),
)
claim("few sectors leave L2 in parts", between(1.03, naive_row_dram_times, 1.2))
claim(
    "unrolled and diagonal rows make DRAM move more",
    at_least(unroll4_dram_over_naive, 1.1),
    at_least(diagonal_row_dram_bytes_large / naive_row_dram_bytes_large, 1.05),
)
claim(
    "L1 catches seven of eight scattered loads",
    between(
        0.86,
        counter("naive_column", "l1_load_hit_sectors", block="32x8")
        / counter("naive_column", "load_sectors", block="32x8"),
        0.89,
    ),
)
claim(
    "scattered loads read L2 like coalesced ones",
    at_most(
        counter("naive_column", "l2_read_sectors", block="32x8")
        / counter("tile_padded", "l2_read_sectors", n=2**20, chapter="20"),
        1.02,
    ),
)
claim(
    "scattered stores multiply the writes into L2 by eight",
    between(
        7,
        counter("naive_row", "l2_write_sectors") / counter("tile_padded", "l2_write_sectors", n=2**20, chapter="20"),
        9,
    ),
)
copy_column_gb = gb("copy_column")
claim("the scattered copy is nearly as slow as the scattered stores", at_most(copy_column_gb / naive_row_gb, 1.3))

# Small blocks are limited by the block launch rate

naive_column_16x16_gb = gb("naive_column", block="16x16")
naive_column_32x32_gb = gb("naive_column", block="32x32")
naive_column_32x32_over_32x8 = naive_column_32x32_gb / naive_column_32x8_gb
column_32x32_behind_32x8 = value(1 - naive_column_32x32_over_32x8, ".0%")
naive_column_8x16_gb = gb("naive_column", block="8x16")
column_8x16_over_8x32 = value(naive_column_8x16_gb / naive_column_8x32_gb, ".0%")
naive_column_8x8_gb = gb("naive_column", block="8x8")
column_8x8_over_8x32 = value(naive_column_8x8_gb / naive_column_8x32_gb, ".0%")
naive_column_8x8_ms = ms("naive_column", block="8x8")
per_column_8x8_ms = value(2**28 / 64 / naive_column_8x8_ms / 10**6, ".2f")
basic_64_threads_ms = ms("basic", threads=64, n=2**28, chapter="02")
per_basic_64_ms = value(2**28 / 64 / basic_64_threads_ms / 10**6, ".2f")
naive_column_8x16_ms = ms("naive_column", block="8x16")
per_column_8x16_ms = value(2**28 / 128 / naive_column_8x16_ms / 10**6, ".2f")
basic_128_threads_ms = ms("basic", threads=128, n=2**28, chapter="02")
per_basic_128_ms = value(2**28 / 128 / basic_128_threads_ms / 10**6, ".2f")
claim(
    "8 x 32 is the best shape",
    at_least(
        naive_column_8x32_gb
        / max(
            naive_column_32x32_gb,
            gb("naive_column", block="32x16"),
            naive_column_32x8_gb,
            gb("naive_column", block="16x32"),
            naive_column_16x16_gb,
            gb("naive_column", block="16x8"),
            naive_column_8x16_gb,
            naive_column_8x8_gb,
        ),
        1.05,
    ),
)
claim(
    "large blocks are behind here as in chapter 02",
    at_most(naive_column_32x32_over_32x8, 0.9),
    at_most(
        gb("basic", threads=1024, n=2**28, chapter="02") / gb("basic", threads=256, n=2**28, chapter="02"), 0.95
    ),
)
claim(
    "blocks of 64 threads start as fast as those of chapter 02",
    level(basic_64_threads_ms, naive_column_8x8_ms, within=0.03),
)
claim(
    "blocks of 128 too, of either shape",
    level(basic_128_threads_ms, naive_column_8x16_ms, within=0.03),
    level(ms("naive_column", block="16x8"), naive_column_8x16_ms, within=0.03),
)

# The published upper bound is wrong, and diagonal block order does not help

copy_row_gb = gb("copy_row")
narrow_over_copy_row = value(gb("naive_column", block="8x32") / copy_row_gb, ".0%")
best_copy = value(gb("tile_float4_down_ldcg", chapter="20") / copy_row_gb - 1, ".0%")
copy_column_gain_over_row = value(copy_column_gb / naive_row_gb - 1, ".0%")
claim(
    "tiles pass the copy by row",
    at_least(gb("tile_padded", chapter="20") / copy_row_gb, 1.2),
    at_least(gb("tile_swizzled", chapter="20") / copy_row_gb, 1.2),
)
claim(
    "the diagonal costs several percent in both directions",
    at_most(diagonal_over_naive_column, 0.97),
    at_most(diagonal_row_gb / naive_row_gb, 0.97),
)

# Experiments

moved_four_times = change(
    """
- {.name = "unroll4_row", .launch = unroll4<false>, .down = false, .per_thread = {4, 1}},
+ {.name = "unroll4_row", .launch = unroll4<false>, .down = false, .per_thread = {1, 1}},
$ ./run 19 --device cpu --variant unroll4_row
shows ^unroll4_row .* yes
in unroll4.cuh
-* 4 * blockIdx.x + k
+ blockIdx.x + k
$ ./run 19 --device cpu --variant unroll4_row
shows ^unroll4_row .* yes
shows requests per KiB
holds count('unroll4_row', 'bytes_requested', n=2**20) > 3.8 * book_count('unroll4_row', 'bytes_requested', n=2**20)
"""
)
unroll4_requested_mib = unroll4_row_bytes_requested / MiB
four_wide = change(
    """
- .launch = naive<true>, .down = true, .block = {8, 32}},
+ .launch = naive<true>, .down = true, .block = {4, 64}},
$ ./run 19 --device cpu --variant naive_column
shows ^naive_column .* yes
holds count('naive_column', 'load_sectors_per_request', block='4x64', n=2**20) == 4
holds count('naive_column', 'store_sectors_per_request', block='4x64', n=2**20) == 8
"""
)
