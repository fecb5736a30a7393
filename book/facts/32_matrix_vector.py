"""The facts of the page "Matrix-vector multiplication (GEMV, SpMV)"."""

from tools.book.facts import *

page(
    "side",
    needs="05 22 28",
    afterwards=[
        "divide a matrix among threads, whatever its shape and storage order",
        "predict the speed of a matrix-vector product, and name the bottleneck of a sparse one",
    ],
)
block_per_row_float_ms = ms("block_per_row", type="float")
thread_row_times = value(ms("thread_per_row", type="float") / block_per_row_float_ms, ".1f")

# Predict

thread_per_row_load_sectors = count("thread_per_row", "load_sectors", type="float", rows=1024)
row_over_8ki_sectors = value((thread_per_row_load_sectors - 2**20 / 128) / (2**20 / 128), ".0f")
sectors_of_a_thread_a_row = choice(
    """A matrix of floats is stored by rows. Each thread processes one row with 16-byte loads. How many sectors does a warp's load from the matrix touch?""",
    {
        "4": less(row_over_8ki_sectors, 6),
        "16": between(6, row_over_8ki_sectors, 24),
        "32": at_least(row_over_8ki_sectors, 24),
    },
    right="32",
    fold="""Each lane reads another row, so each touches its own sector and uses half of it.""",
)
block_per_row_bf16_ms = ms("block_per_row", type="bf16")
block_per_row_bf16_over_float_time = block_per_row_bf16_ms / block_per_row_float_ms
half_the_bytes = choice(
    """The matrix is stored in bf16 instead of float, half the bytes. What share of the time does a kernel with one block per row take?""",
    {
        "about half": at_most(block_per_row_bf16_over_float_time, 0.65),
        "about three quarters": between(0.65, block_per_row_bf16_over_float_time, 0.9),
        "nearly the same, because there are as many multiplications": at_least(block_per_row_bf16_over_float_time, 0.9),
    },
    right="about half",
    fold="{block_per_row_bf16_ms} ms instead of {block_per_row_float_ms}.",
)
lanes_4ki_square = dict(chapter="claim_lanes", rows=4096, columns=4096, n=4096**2)
columns_bound_8_ms = value(ms("columns", type="float", bound=8, **lanes_4ki_square), ".3f")
columns_bound_4_ms = value(ms("columns", type="float", bound=4, **lanes_4ki_square), ".3f")
columns_bound_4_over_bound_8_time = columns_bound_4_ms / columns_bound_8_ms
registers_for_loads = choice(
    """Each thread issues eight 16-byte loads before it uses the first. Launch bounds allow it 32 registers, now 64, at half the occupancy. How does the time change, for 4096 x 4096 floats?""",
    {
        "it grows, since half as many warps fit": at_least(columns_bound_4_over_bound_8_time, 1.05),
        "it stays about the same": between(0.9, columns_bound_4_over_bound_8_time, 1.05),
        "it falls to about half": at_most(columns_bound_4_over_bound_8_time, 0.65),
    },
    right="it falls to about half",
    fold="""{columns_bound_4_ms} ms instead of {columns_bound_8_ms}.""",
)

# One thread, warp or block per row

h100_read_once_float = dict(chapter="claim_read_once", device=H100, type="float")
h100_warp_per_row_none_ms = ms("warp_per_row", hint="none", **h100_read_once_float)
h100_warp_per_row_streaming_ms = ms("warp_per_row", hint="streaming", **h100_read_once_float)
h100_block_per_row_none_ms = ms("block_per_row", hint="none", **h100_read_once_float)
h100_block_per_row_streaming_ms = ms("block_per_row", hint="streaming", **h100_read_once_float)
block_row_long_leave = value(
    max(
        abs(h100_warp_per_row_none_ms / h100_warp_per_row_streaming_ms - 1),
        abs(h100_block_per_row_none_ms / h100_block_per_row_streaming_ms - 1),
    ),
    ".1%",
)

# Memory transactions

thread_sectors_x_load = value(
    2 * count("thread_per_row", "load_sectors_per_request", type="float", rows=1024) - row_over_8ki_sectors,
    ".0f",
)
row_over_128ki_sectors = value((thread_per_row_load_sectors - 2**20 / 128) / 2**17, ".0f")
warp_per_row_per_load = value(count("warp_per_row", "load_sectors_per_request", type="float", rows=1024), ".0f")
block_row_per_load = value(count("block_per_row", "load_sectors_per_request", type="float", rows=1024), ".0f")
claim(
    "a warp or a block a row touches each sector of the matrix once, and as many of x",
    equal(
        count("warp_per_row", "load_sectors", type="float", rows=1024),
        count("block_per_row", "load_sectors", type="float", rows=1024),
        2 * 2**20 / 8,
    ),
)
claim(
    "a thread a row touches each sector of the matrix twice",
    equal(thread_per_row_load_sectors, 2 * 2**20 / 8 + 2**20 / 128),
)

# Results

floats_chart = chart(
    "32_matrix_vector",
    where=lambda row: row.type == "float" and row.order == "rows" and (row.variant != "split_rows"),
    bars="cold",
    name="floats",
    title="16384 x 16384 floats times a vector, by rows",
)
measure_table = table(
    "32_matrix_vector",
    where=lambda row: row.n == 2**28,
    every_size=True,
    columns="variant, type, order, pieces, ms, cold, share, copy",
)
measure_table_2 = table(
    "32_matrix_vector",
    where=lambda row: row.n < 2**28
    and row.n > 2**24 - 1
    and (row.factors == "whole")
    and (row.order != "sparse")
    and (row.rows > 8)
    and (row.variant in ("warp_per_row", "block_per_row", "split_columns", "cublasSgemv", "cublasLtMatmul")),
    every_size=True,
    columns="rows, columns, type, order, variant, ms, cold",
)

# One thread per row: too few threads

blocks_256_4096 = 4096 // 256
thread_row_16mi_gb = gb("thread_per_row", type="float", n=2**24, rows=4096)
thread_row_over_16_16mi_gb = value(thread_row_16mi_gb / 16, ".1f")
block_row_16mi_float_gb = gb("block_per_row", type="float", n=2**24, rows=4096)
blocks_256_14336 = 14336 // 256
thread_row_56mi_gb = gb("thread_per_row", type="float", rows=14336, n=58720256)
thread_row_over_56_56mi_gb = value(thread_row_56mi_gb / 56, ".1f")
block_row_56mi_float_gb = gb("block_per_row", type="float", rows=14336, n=58720256)
blocks_256_16384 = 16384 // 256
thread_per_row_gb = gb("thread_per_row", type="float")
thread_row_over_64_gb = value(thread_per_row_gb / 64, ".1f")
block_row_float_gb = gb("block_per_row", type="float")
chase_1mi_ns = value(ns("chase", chapter="21", table=MiB, order="random"), ".0f")
chase_mean_ns = value((ns("chase", chapter="21", table=GiB, order="random") + chase_1mi_ns) / 2, ".0f")
chase_16ki_ns = value(ns("chase", chapter="21", table=16 * KiB, order="random"), ".0f")
thread_per_row_l1_wavefronts = counter("thread_per_row", "l1_wavefronts", type="float", rows=8192, large=True)
wavefronts_a_load = value(2 * thread_per_row_l1_wavefronts / (2**26 / 128), ".0f")
multiprocessors = device("multiprocessors")
second_halves_ns = value(
    8 * 2 * thread_per_row_l1_wavefronts / (2**26 / 128) * ns("banks", chapter="25", degree=32) / 32 * multiprocessors,
    ".0f",
)
sum_nothing_overlaps = value(chase_mean_ns + chase_16ki_ns + second_halves_ns, ".0f")
nothing_overlaps_loses_ns = value(chase_mean_ns + chase_1mi_ns + second_halves_ns, ".0f")
row_step_256mi_ns = value(
    256 * 32 / (gb("thread_per_row", type="float", n=2**28, rows=16384) / (16384 / 256)), ".0f"
)
row_step_16mi_ns = value(256 * 32 / (thread_row_16mi_gb / (4096 / 256)), ".0f")
thread_per_row_l2_read_sectors = counter("thread_per_row", "l2_read_sectors", type="float", rows=8192, large=True)
block_per_row_l2_read_sectors = counter("block_per_row", "l2_read_sectors", type="float", rows=8192, large=True)
second_halves_lost = value((thread_per_row_l2_read_sectors - block_per_row_l2_read_sectors) / (2**26 / 8), ".0%")
h100_thread_per_row_none_l2_read_sectors = counter(
    "thread_per_row", "l2_read_sectors", hint="none", large=True, **h100_read_once_float
)
h100_thread_per_row_streaming_l2_read_sectors = counter(
    "thread_per_row", "l2_read_sectors", hint="streaming", large=True, **h100_read_once_float
)
h100_thread_per_row_none_over_streaming_float = ms("thread_per_row", hint="none", **h100_read_once_float) / ms(
    "thread_per_row", hint="streaming", **h100_read_once_float
)
h100_without_hint_saves = value(1 - h100_thread_per_row_none_over_streaming_float, ".0%")
keeping_saves_by_table = value(1 - sum_nothing_overlaps / nothing_overlaps_loses_ns, ".0%")
claim(
    "a block of a thread a row takes nearly what it takes if nothing overlaps",
    level(row_step_16mi_ns, nothing_overlaps_loses_ns, within=0.1),
    level(row_step_256mi_ns, nothing_overlaps_loses_ns, within=0.1),
)
claim(
    "without the hint no second half is lost, and a thread a row is faster",
    at_most(
        h100_thread_per_row_none_l2_read_sectors
        / counter("block_per_row", "l2_read_sectors", hint="none", large=True, **h100_read_once_float),
        1.02,
    ),
    at_least(h100_thread_per_row_streaming_l2_read_sectors / h100_thread_per_row_none_l2_read_sectors, 1.3),
    at_most(h100_thread_per_row_none_over_streaming_float, 0.9),
    at_most(
        ms("thread_per_row", chapter="claim_read_once", type="bf16", hint="none", device=H100)
        / ms("thread_per_row", chapter="claim_read_once", type="bf16", hint="streaming", device=H100),
        0.9,
    ),
)
claim(
    "a row for a warp or a block ties with the hint and without",
    level(h100_warp_per_row_none_ms, h100_warp_per_row_streaming_ms, within=0.02),
    level(h100_block_per_row_none_ms, h100_block_per_row_streaming_ms, within=0.02),
)
claim("a third of the second halves come from the L2 once more", between(0.3, second_halves_lost, 0.4))
claim(
    "a block of a thread a row brings nearly as much, however many there are",
    at_most(
        max(thread_row_over_16_16mi_gb, thread_row_over_64_gb)
        / min(thread_row_over_16_16mi_gb, thread_row_over_64_gb),
        1.2,
    ),
)
claim(
    "a thread a row reads more from the L2, and as much from the memory",
    at_least(thread_per_row_l2_read_sectors / block_per_row_l2_read_sectors, 1.2),
    at_most(
        ratio(counter, "thread_per_row", "block_per_row", "dram_bytes_read", type="float", rows=8192, large=True),
        1.02,
    ),
)

# Floats: one block per row is faster than one warp and cuBLAS

warp_per_row_gb = gb("warp_per_row", type="float")
cublas_lt_rows_gb = gb("cublasLtMatmul", type="float", order="rows")
warp_per_row_bf16_gb = gb("warp_per_row", type="bf16")
cublas_lt_bf16_rows_gb = gb("cublasLtMatmul", type="bf16", order="rows")
torch_compile_gb = gb("torch.compile", n=2**28)
wide_block_float_gb = gb("wide_block_per_row", chapter="claim_lost", type="float")
wide_block_bf16_gb = gb("wide_block_per_row", chapter="claim_lost", type="bf16")
lanes_float_16ki_square = dict(chapter="claim_lanes", type="float", bound=8, rows=16384, columns=16384, threads=256)
lanes_32_2_loads_local = value(
    parameter("lanes_per_row", "local_bytes", lanes=32, loads=2, n=16384**2, **lanes_float_16ki_square),
    ",.0f",
)
lanes_256_2_loads_local = value(
    parameter("lanes_per_row", "local_bytes", lanes=256, loads=2, n=16384**2, **lanes_float_16ki_square),
    ",.0f",
)
warp_2_loads_gb = value(
    gb("lanes_per_row", lanes=32, loads=2, **lanes_float_16ki_square),
    ",.0f",
)
block_2_loads_gb = value(
    gb("lanes_per_row", lanes=256, loads=2, **lanes_float_16ki_square),
    ",.0f",
)
lanes_32_4_loads_local = value(
    parameter("lanes_per_row", "local_bytes", lanes=32, loads=4, n=16384**2, **lanes_float_16ki_square),
    ",.0f",
)
lanes_256_4_loads_local = value(
    parameter("lanes_per_row", "local_bytes", lanes=256, loads=4, n=16384**2, **lanes_float_16ki_square),
    ",.0f",
)
warp_4_loads_gb = value(
    gb("lanes_per_row", lanes=32, loads=4, **lanes_float_16ki_square),
    ",.0f",
)
block_4_loads_gb = value(
    gb("lanes_per_row", lanes=256, loads=4, **lanes_float_16ki_square),
    ",.0f",
)
lanes_float_threads_256 = dict(chapter="claim_lanes", type="float", threads=256)
lanes_32_bound_6_gb = value(
    gb("lanes_per_row", rows=16384, columns=16384, lanes=32, loads=2, bound=6, **lanes_float_threads_256),
    ",.0f",
)
lanes_256_bound_6_gb = value(
    gb("lanes_per_row", rows=16384, columns=16384, lanes=256, loads=2, bound=6, **lanes_float_threads_256),
    ",.0f",
)
lanes_32_bound_4_gb = value(
    gb("lanes_per_row", rows=16384, columns=16384, lanes=32, loads=4, bound=4, **lanes_float_threads_256),
    ",.0f",
)
lanes_256_bound_4_gb = value(
    gb("lanes_per_row", rows=16384, columns=16384, lanes=256, loads=4, bound=4, **lanes_float_threads_256),
    ",.0f",
)
block_over_warp_ratio_bound_4 = lanes_256_bound_4_gb / lanes_32_bound_4_gb
block_over_warp_bound_4 = value(block_over_warp_ratio_bound_4 - 1, ".0%")
block_over_warp_ratio_bound_6 = lanes_256_bound_6_gb / lanes_32_bound_6_gb
block_over_warp_bound_6 = value(block_over_warp_ratio_bound_6 - 1, ".0%")
lanes_per_row_128ki_rows_32_lanes_gb = gb(
    "lanes_per_row", rows=131072, columns=2048, lanes=32, loads=4, bound=8, **lanes_float_threads_256
)
claim(
    "where all loads are in flight a block leads by a few percent, with two as with four",
    more(block_over_warp_ratio_bound_4, 1),
    more(block_over_warp_ratio_bound_6, 1),
    at_most(block_over_warp_ratio_bound_6, 1.05),
)
claim(
    "in 32 registers two loads of a block are slower",
    at_most(block_2_loads_gb / lanes_256_bound_6_gb, 0.95),
)
claim("with four loads each a block a row is ahead", faster(block_4_loads_gb, warp_4_loads_gb))
claim(
    "a block a row is faster than one warp per row, and than cuBLAS",
    at_least(block_row_float_gb / warp_per_row_gb, 1.01),
    faster(block_row_float_gb, cublas_lt_rows_gb),
)

# Small matrices have a fixed overhead of some microseconds

block_row_16mi_bf16_gb = gb("block_per_row", type="bf16", n=2**24, rows=4096)
block_per_row_bf16_gb = gb("block_per_row", type="bf16")
block_per_row_bf16_16mi_ms = ms("block_per_row", type="bf16", n=2**24, rows=4096)
bf16_4096_bytes_us = value(1000 * block_per_row_bf16_16mi_ms * block_row_16mi_bf16_gb / block_per_row_bf16_gb, ".1f")
bf16_4096_more_us = value(1000 * block_per_row_bf16_16mi_ms * (1 - block_row_16mi_bf16_gb / block_per_row_bf16_gb), ".1f")
block_per_row_56mi_bf16_gb = gb("block_per_row", type="bf16", rows=14336, n=58720256)
bf16_14336_more_us = value(
    1000
    * ms("block_per_row", type="bf16", rows=14336, n=58720256)
    * (1 - block_per_row_56mi_bf16_gb / block_per_row_bf16_gb),
    ".1f",
)
float_4096_more_us = value(
    1000
    * ms("block_per_row", type="float", n=2**24, rows=4096)
    * (1 - block_row_16mi_float_gb / block_row_float_gb),
    ".1f",
)
float_14336_more_us = value(
    1000
    * ms("block_per_row", type="float", rows=14336, n=58720256)
    * (1 - block_row_56mi_float_gb / block_row_float_gb),
    ".1f",
)
claim(
    "a small matrix takes some microseconds more, whatever its bytes",
    more(min(bf16_4096_more_us, bf16_14336_more_us, float_4096_more_us, float_14336_more_us), 1),
    less(max(bf16_4096_more_us, bf16_14336_more_us, float_4096_more_us, float_14336_more_us), 9),
)

# Few rows: several blocks per row fill the GPU

rows_table = table(
    "32_matrix_vector",
    where=lambda row: row.n == 2**26 and row.rows == 8 and (row.order == "rows"),
    every_size=True,
    columns="variant, pieces, ms, cold",
)
claim(
    "eight rows need many blocks each",
    at_least(ratio(gb, "split_rows", "block_per_row", n=2**26, rows=8), 5),
)

# Column-major matrices: nearly as fast if they are large

claim(
    "by columns, less is read of x", less(count("columns", "load_sectors", type="float", rows=1024), 1.1 * 2**20 / 8)
)
columns_float_gb = gb("columns", type="float")
split_columns_float_gb = gb("split_columns", type="float")
cublas_sgemv_columns_gb = gb("cublasSgemv", type="float", order="columns")
columns_16mi_gb = gb("columns", type="float", n=2**24)
split_float_16mi_gb = gb("split_columns", type="float", n=2**24, rows=4096)
sgemv_columns_16mi_gb = gb("cublasSgemv", type="float", order="columns", n=2**24, rows=4096)
split_columns_64mi_gb = gb("split_columns", n=2**26, rows=8)
cublas_sgemv_64mi_gb = gb("cublasSgemv", order="columns", n=2**26, rows=8)
blocks_of_4096_rows = 4096 // 64

# Full occupancy leaves too few registers for the loads

float_bound_8_256mi_gb = value(
    gb("columns", chapter="claim_lanes", type="float", rows=16384, columns=16384, bound=8, n=16384**2), ",.0f"
)
float_bound_4_256mi_gb = value(
    gb("columns", chapter="claim_lanes", type="float", rows=16384, columns=16384, bound=4, n=16384**2), ",.0f"
)
bf16_bound_8_256mi_gb = value(
    gb("columns", chapter="claim_lanes", type="bf16", rows=16384, columns=16384, bound=8, n=16384**2), ",.0f"
)
bf16_bound_4_256mi_gb = value(
    gb("columns", chapter="claim_lanes", type="bf16", rows=16384, columns=16384, bound=4, n=16384**2), ",.0f"
)
float_bound_8_16mi_gb = value(gb("columns", type="float", bound=8, **lanes_4ki_square), ",.0f")
float_bound_4_16mi_gb = value(gb("columns", type="float", bound=4, **lanes_4ki_square), ",.0f")
split_bound_8_256mi_gb = value(
    gb("split_columns", chapter="claim_lanes", type="float", rows=16384, columns=16384, bound=8, n=16384**2), ",.0f"
)
split_bound_4_256mi_gb = value(
    gb("split_columns", chapter="claim_lanes", type="float", rows=16384, columns=16384, bound=4, n=16384**2), ",.0f"
)
split_bound_8_16mi_gb = value(gb("split_columns", type="float", bound=8, **lanes_4ki_square), ",.0f")
split_bound_4_16mi_gb = value(gb("split_columns", type="float", bound=4, **lanes_4ki_square), ",.0f")
columns_over_block = float_bound_4_256mi_gb / lanes_256_bound_4_gb
columns_behind_a_block = value(1 - columns_over_block, ".0%")
cublas_apart = value(abs(sgemv_columns_16mi_gb / split_float_16mi_gb - 1), ".0%")
claim(
    "with registers for its loads, columns is faster",
    at_least(float_bound_4_16mi_gb / float_bound_8_16mi_gb, 1.8),
    at_least(bf16_bound_4_256mi_gb / bf16_bound_8_256mi_gb, 1.9),
    at_least(
        gb("columns", type="bf16", bound=4, **lanes_4ki_square)
        / gb("columns", type="bf16", bound=8, **lanes_4ki_square),
        2.2,
    ),
    at_least(float_bound_4_256mi_gb / float_bound_8_256mi_gb, 1.1),
)
claim("and in the large matrix it comes near one block per row with as many", between(0.95, columns_over_block, 1))
claim(
    "the bound of four makes no shared column slower by a percent",
    at_least(split_bound_4_256mi_gb / split_bound_8_256mi_gb, 0.99),
    at_least(split_bound_4_16mi_gb / split_bound_8_16mi_gb, 0.99),
    *(
        at_least(
            gb("split_columns", bound=4, **matrix) / gb("split_columns", bound=8, **matrix),
            0.99,
        )
        for matrix in (
            dict(chapter="claim_lanes", type="bf16", rows=16384, columns=16384, n=16384**2),
            dict(type="bf16", **lanes_4ki_square),
        )
    ),
)
split_columns_bf16_4ki_rows_16mi_gb = gb("split_columns", type="bf16", n=2**24, rows=4096)
claim(
    "few blocks are slow by columns, too",
    at_least(gb("split_columns", type="float", n=2**24) / columns_16mi_gb, 1.1),
    at_least(split_columns_bf16_4ki_rows_16mi_gb / gb("columns", type="bf16", n=2**24, rows=4096), 1.5),
)
claim(
    "the rows of the chapter bear the experiment out",
    at_least(columns_16mi_gb / float_bound_8_16mi_gb, 1.6),
    at_least(gb("columns", type="bf16") / bf16_bound_8_256mi_gb, 1.9),
)
split_columns_bf16_gb = gb("split_columns", type="bf16")
large_bf16_rows = dict(type="bf16", order="rows", rows=16384)
large_float_rows = dict(type="float", order="rows", rows=16384)
unsplit_gb = value(gb("unsplit_rows", **large_bf16_rows), ",.0f")
unsplit_float_gb = gb("unsplit_rows", **large_float_rows)
two_vectors_gb = value(gb("block_per_row", **large_bf16_rows), ",.0f")
claim(
    "four vectors in flight are ahead of two and of the compiler",
    ascending(torch_compile_gb, unsplit_gb),
    at_least(unsplit_gb / two_vectors_gb, 1.01),
)
claim("of floats they tie", level(gb("unsplit_rows", **large_float_rows), gb("block_per_row", **large_float_rows), within=0.01))
torch = parameter("torch.compile", "torch", n=2**28)
torch_mode = parameter("torch.compile", "mode", n=2**28)
cublas_lt_bf16_columns_gb = gb("cublasLtMatmul", type="bf16", order="columns")
claim(
    "of bfloat16 cuBLAS ties, by columns and by rows",
    level(split_columns_bf16_gb, cublas_lt_bf16_columns_gb, within=0.04),
    level(warp_per_row_bf16_gb, cublas_lt_bf16_rows_gb, within=0.05),
    level(warp_per_row_bf16_gb, block_per_row_bf16_gb, within=0.02),
    between(0.95, warp_per_row_bf16_gb / torch_compile_gb, 1),
)
claim(
    "the small and the large matrix, by columns",
    level(sgemv_columns_16mi_gb, split_float_16mi_gb, within=0.15),
    faster(split_columns_float_gb, cublas_sgemv_columns_gb),
)

# Sparse matrices: scattered columns make the L2 the bottleneck

sparse_x_mib = value(2**19 * 4 / MiB, ".0f")
sparse_table = table(
    "32_matrix_vector",
    where=lambda row: row.order == "sparse" and row.n > 2**23,
    every_size=True,
    columns="pattern, variant, ms, cold, copy",
)
sparse_partitions_band_ms = ms("sparse_partitions", pattern="band", n=2**24)
sparse_partitions_spread_ms = ms("sparse_partitions", pattern="spread", n=2**24)
sparse_band_over_spread = value(sparse_partitions_band_ms / sparse_partitions_spread_ms, ".0%")
sparse_vectors_band_gb = gb("sparse_vectors", pattern="band", n=2**24)
vectors_over_cusparse = value(sparse_vectors_band_gb / gb("cusparseSpMV", pattern="band", n=2**24), ".2f")
sparse_thread_row_ms = value(ms("sparse_thread_per_row", pattern="one long", rows=524288, n=8912880), ".0f")
partitions_one_long_ms = value(ms("sparse_partitions", pattern="one long", rows=524288, n=8912880), ".2f")
spread_rows_fetch_vector = counters(
    "32_matrix_vector",
    where=lambda row: row.variant in ("sparse_warp_per_row", "sparse_partitions") and row.pattern in ("spread", "band"),
    columns="variant, pattern, load_sectors, l1_load_hit_sectors, l2_read_sectors, dram_bytes_read",
    large=True,
)
sparse_partitions_spread_l2_read_sectors = counter("sparse_partitions", "l2_read_sectors", pattern="spread", large=True)
partitions_spread_l2_gb = (
    sparse_partitions_spread_l2_read_sectors / 2**22 * 2**24 * 32 / sparse_partitions_spread_ms / 10**6
)
gather_ms = ms("gather", chapter="17", element_bytes=4, indices="in 4 MiB")
gather_l2_read_sectors = counter(
    "gather", "l2_read_sectors", chapter="17", element_bytes=4, indices="in 4 MiB", large=True
)
gather_4_mib_single_l2_gb = gather_l2_read_sectors / 2**26 * 2**28 * 32 / gather_ms / 10**6
sparse_partitions_band_l2_read_sectors = counter("sparse_partitions", "l2_read_sectors", pattern="band", large=True)
partitions_band_l2_gb = sparse_partitions_band_l2_read_sectors / 2**22 * 2**24 * 32 / sparse_partitions_band_ms / 10**6
stream_l2_gb = gb("stream_l2", chapter="24", mix="2:0")
claim("a band is fastest by eight lanes per row", at_least(vectors_over_cusparse, 1.2))
claim(
    "where neighbours stand together, a quarter comes from the L2",
    between(0.15, sparse_partitions_band_l2_read_sectors / sparse_partitions_spread_l2_read_sectors, 0.35),
)
claim(
    "spread columns get what a gather gets from the L2, a band much less",
    level(partitions_spread_l2_gb, gather_4_mib_single_l2_gb, within=0.1),
    at_most(partitions_band_l2_gb / gather_4_mib_single_l2_gb, 0.5),
)
claim("nor does the band wait for the memory", less(copy_share("sparse_partitions", pattern="band", n=2**24), 0.5))
claim("where neighbours stand together, it is faster", at_most(sparse_band_over_spread, 0.75))
claim(
    "one long row ruins one thread per row, and not the shares",
    at_least(sparse_thread_row_ms / partitions_one_long_ms, 100),
)

# Experiments

eight_lanes = change(
    """
- run(rows, "warp_per_row", threads / 32, 4, lanes_per_row<T, 32, 4>);
+ run(rows, "warp_per_row", threads / 8, 4, lanes_per_row<T, 8, 4>);
$ ./run 32 --device cpu --variant warp_per_row --n 64Ki
shows ^warp_per_row .* yes
holds abs(count('warp_per_row', 'load_sectors_per_request', type='float') - (16 + 4) / 2) < 0.1
"""
)
mean_of_x_sectors = (16 + 4) / 2
experiment_warp = value(
    gb("lanes_per_row", lanes=8, loads=4, **lanes_float_16ki_square) / warp_4_loads_gb,
    ".0%",
)
lanes_per_row_128ki_rows_8_lanes_gb = gb(
    "lanes_per_row", rows=131072, columns=2048, lanes=8, loads=4, bound=8, **lanes_float_threads_256
)
claim(
    "eight lanes are behind with few rows and not with many",
    at_most(experiment_warp, 0.98),
    at_least(lanes_per_row_128ki_rows_8_lanes_gb / lanes_per_row_128ki_rows_32_lanes_gb, 0.99),
)
stored = change(
    """
in rows.cuh
- store_or_atomic_add(c + r, sum, gridDim.y == 1);
+ store_or_atomic_add(c + r, sum, true);
in columns.cuh
- store_or_atomic_add(c + r, sum, gridDim.y == 1);
+ store_or_atomic_add(c + r, sum, true);
$ ./run 32 --device cpu --n 256Ki
status 1
shows ^block_per_row .* yes
shows ^split_rows .* FAILED
"""
)
first_element = change(
    """
in sparse.cuh
- for (unsigned i = start[min(r, rows)] + threadIdx.x % lanes; i < end; i += lanes) {
+ for (unsigned i = start[min(r, rows)] + threadIdx.x % lanes + 1; i < end; i += lanes) {
$ ./run 32 --device cpu --n 64Ki --variant sparse_warp_per_row
status 1
shows ^sparse_warp_per_row .* FAILED
"""
)
