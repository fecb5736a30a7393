"""The facts of the page "Quick reference: the fastest method for each task"."""

from tools.book.facts import *

page(
    "behind",
    needs="01",
    afterwards=[
        "find the fastest method for a task, and the condition under which another is faster",
        "find the page that measures and explains it",
    ],
)
grid_stride_gb = gb("grid_stride", chapter="28", result="sum of words", loads=4)
atomic_sum_of_words_gb = gb("atomic", chapter="28", result="sum of words")
grid_stride_over_atomic = value(grid_stride_gb / atomic_sum_of_words_gb, ".0f")
pageable_to_device_ms = value(ms("pageable_to_device", chapter="10"), ".0f")
pinned_to_device_ms = value(ms("pinned_to_device", chapter="10"), ".1f")
pinned_across_link = value(pageable_to_device_ms / pinned_to_device_ms, ".1f")
tile_float4_down_gb = gb("tile_float4_down", chapter="20")
naive_row_gb = gb("naive_row", chapter="19")
float4_down_over_naive = value(tile_float4_down_gb / naive_row_gb, ".1f")
soa_used_1_gb = gb("soa", chapter="16", fields=8, used=1)
aos_used_1_gb = gb("aos", chapter="16", fields=8, used=1)
soa_over_aos_used_1 = value(soa_used_1_gb / aos_used_1_gb, ".1f")
name = device("name")
peak = device("peak_gb_per_s")

# Whole arrays

memcpy_async_unit_4_gb = gb("cudaMemcpyAsync", chapter="06", unit=4)
element_gb = gb("element", chapter="06", unit=4)
copy_last_gb = gb("copy_evict_last", chapter="27")
add_last_gb = gb("add_evict_last", chapter="27", threads=1024, n=2**28)
word16_gb = gb("word16", chapter="06", unit=4)
word16_1gi_gb = gb("word16", chapter="06", unit=1, n=2**30)
element_1gi_gb = gb("element", chapter="06", unit=1, n=2**30)
thrust_transform_gb = gb("thrust::transform", chapter="01")
basic_01_256_gb = gb("basic", chapter="01", threads=256)
float4_gb = gb("float4", chapter="05", threads=256)
striped_x4_loads_first_gb = gb("striped_x4_loads_first", chapter="03", threads=256)
add_bulk_gb = gb("add_bulk", chapter="26", threads=960, n=2**28)
per_lane_gb = gb("per_lane", chapter="30", elements="bytes", values="uniform", n=2**30)
per_block_uniform_gb = gb("per_block", chapter="30", elements="bytes", values="uniform", n=2**30)
alone_gb = gb("replicated_reads", chapter="38", counters=2**16, values="uniform", blocks=2, n=2**28)
global_256mi_gb = value(gb("global", chapter="38", counters=2**16, values="uniform", n=2**28), ".0f")
ring_ahead_gb = gb("ring_ahead", chapter="29")
ring_last_gb = gb("ring_ahead_evict_last", chapter="29")
three_kernels_gb = gb("three_kernels", chapter="29")
ring_ahead_half_gb = gb("ring_ahead", chapter="31", kept="half")
atomic_gb = gb("atomic", chapter="31", kept="half")
one_kernel_gb = gb("one_kernel", chapter="39")
thread_per_row_gb = gb("thread_per_row", chapter="39")
basic_02_256_gb = gb("basic", chapter="02", threads=256)
basic_1ki_threads_gb = gb("basic", chapter="02", threads=1024)
per_block_equal_gb = gb("per_block", chapter="30", elements="bytes", values="equal", n=2**30)
read_in_flight_kib = parameter("read", "in_flight", chapter="22", width=16, loads=1, warps=64) / KiB
read_over_best_read = value(gb("read", chapter="22", width=16, loads=1, warps=64) / best("read", chapter="22"), ".0%")
stream_4_0_gb = gb("stream", chapter="24", mix="4:0")
stream_1_gb = gb("stream", chapter="24", mix="1:1")
stream_0_4_gb = gb("stream", chapter="24", mix="0:4")
claim(
    "words of 16 bytes keep up with cudaMemcpyAsync",
    between(0.99, word16_gb / memcpy_async_unit_4_gb, 1.02),
    at_least(word16_1gi_gb / gb("cudaMemcpyAsync", chapter="06", unit=1, n=2**30), 0.99),
)
claim("and beat the obvious copy", at_least(word16_gb / element_gb, 1.4), at_least(word16_1gi_gb / element_1gi_gb, 4))
claim(
    "the TMA and a library tie for sums",
    level(add_bulk_gb, gb("thrust::transform", chapter="26", unit=None, n=2**28), within=0.01),
)
claim(
    "libraries, then float4 and loads first, then one float",
    at_least(float4_gb / basic_01_256_gb, 1.2),
    faster(thrust_transform_gb, float4_gb),
    level(striped_x4_loads_first_gb, float4_gb, within=0.01),
)
cub_reduce_sum_gb = gb("cub::DeviceReduce::Sum", chapter="28", result="sum of words", values="random")
claim(
    "a persistent grid adds up faster than the library, and than an atomic for each element",
    at_least(cub_reduce_sum_gb / atomic_sum_of_words_gb, 10),
    faster(grid_stride_gb, cub_reduce_sum_gb),
)
claim(
    "counters for each lane number count faster than the library and than one set a block",
    at_least(
        per_lane_gb
        / max(
            gb("cub::DeviceHistogram::HistogramEven", chapter="30", elements="bytes", values="uniform", n=2**30),
            per_block_uniform_gb,
        ),
        1.5,
    ),
)
cub_scan_inclusive_sum_gb = gb("cub::DeviceScan::InclusiveSum", chapter="29")
cub_select_if_gb = gb("cub::DeviceSelect::If", chapter="31", kept="half")
claim(
    "a grid that tells ahead is ahead of the libraries and of what is obvious",
    at_most(three_kernels_gb / cub_scan_inclusive_sum_gb, 1.15),
    at_least(ring_ahead_gb / cub_scan_inclusive_sum_gb, 1.15),
    less(5 * atomic_gb, 1.3 * cub_select_if_gb),
    at_least(ring_ahead_half_gb / cub_select_if_gb, 1.3),
)
claim("a group that reads twice counts faster than the L2 adds", at_least(alone_gb / global_256mi_gb, 5))
claim(
    "blocks of 256 are the best for one float per thread",
    faster(
        basic_02_256_gb,
        max(gb("basic", chapter="02", threads=128), gb("basic", chapter="02", threads=512), basic_1ki_threads_gb),
    ),
)

# Small arrays

floats_262144 = 2**18
cuda_memcpy_async_us = value(1000 * ms("cudaMemcpyAsync", chapter="06", unit=4, n=floats_262144), ".1f")
word16_ms = ms("word16", chapter="06", unit=4, n=floats_262144)
word16_us = value(1000 * word16_ms, ".1f")
element_ms = ms("element", chapter="06", unit=4, n=floats_262144)
element_us = value(1000 * element_ms, ".1f")
floats_2097152 = 2**21
memcpy_async_2mi_us = value(1000 * ms("cudaMemcpyAsync", chapter="06", unit=4, n=floats_2097152), ".1f")
word16_2mi_us = value(1000 * ms("word16", chapter="06", unit=4, n=floats_2097152), ".1f")
element_2mi_us = value(1000 * ms("element", chapter="06", unit=4, n=floats_2097152), ".1f")
floats_134217728 = 2**27
memcpy_async_128mi_us = value(1000 * ms("cudaMemcpyAsync", chapter="06", unit=4, n=floats_134217728), ".1f")
word16_128mi_us = value(1000 * ms("word16", chapter="06", unit=4, n=floats_134217728), ".1f")
element_128mi_us = value(1000 * ms("element", chapter="06", unit=4, n=floats_134217728), ".1f")
pinned_to_device_16ki_us = value(1000 * ms("pinned_to_device", chapter="10", n=2**14), ".1f")
per_pinned_to_device_tb = value(2**16 / gb("pinned_to_device", chapter="10") / 1000, ".1f")
mapped_ms = ms("mapped", chapter="11", n=2**14)
mapped_us = value(1000 * mapped_ms, ".1f")
copy_ms = ms("copy", chapter="11", n=2**14)
copy_us = value(1000 * copy_ms, ".1f")
claim("small copies take the same time however they are made", between(0.9, word16_ms / element_ms, 1.05))
claim("small arrays are added in place faster than with copies", at_most(mapped_ms / copy_ms, 0.5))

# Misaligned arrays and odd lengths

read_offset_11_over_offset_0 = gb("read", chapter="15", offset=11) / gb("read", chapter="15", offset=0)
read_11_behind = value(1 - read_offset_11_over_offset_0, ".1%")
write_offset_11_over_offset_0 = gb("write", chapter="15", offset=11) / gb("write", chapter="15", offset=0)
write_11_behind = value(1 - write_offset_11_over_offset_0, ".1%")
cub_transform_15_over_01 = gb("cub::DeviceTransform", chapter="15") / gb("cub::DeviceTransform", chapter="01")
cub_transform_15_behind_01 = value(1 - cub_transform_15_over_01, ".1%")
guarded_over_float4 = gb("guarded", chapter="05", threads=256) / float4_gb
guarded_behind_float4 = value(1 - guarded_over_float4, ".1%")
claim(
    "misalignment costs less than three percent",
    more(min(read_offset_11_over_offset_0, write_offset_11_over_offset_0, cub_transform_15_over_01), 0.97),
)
claim("a remainder costs nothing", at_least(guarded_over_float4, 0.995))

# Records

aligned_gb = gb("aligned", chapter="16", fields=8, used=8)
aos_used_8_gb = gb("aos", chapter="16", fields=8, used=8)
aosoa_gb = gb("aosoa", chapter="16", fields=8, used=8)
aos_used_2_gb = gb("aos", chapter="16", fields=2, used=2)
soa_used_2_gb = gb("soa", chapter="16", fields=2, used=2)
claim("one field of eight wants arrays", at_least(soa_over_aos_used_1, 5))
claim(
    "all eight want wide stores or arrays",
    at_least(min(aligned_gb, gb("soa", chapter="16", fields=8, used=8)) / aos_used_8_gb, 3),
)
claim("records of two are as good as arrays", between(1, aos_used_2_gb / soa_used_2_gb, 1.1))

# Gather and scatter

gather_4_anywhere_gb = gb("gather", chapter="17", element_bytes=4, indices="random")
scatter_anywhere_gb = gb("scatter", chapter="17", element_bytes=4, indices="random")
gather_in_4_mi_b_gb = gb("gather", chapter="17", element_bytes=4, indices="in 4 MiB")
thrust_gather_gb = gb("thrust::gather", chapter="17", element_bytes=4, indices="in a block")
gather_16_anywhere_gb = gb("gather", chapter="17", element_bytes=16, indices="random")
row_per_group_gb = gb("row_per_group", chapter="35", result="gathered rows", row_bytes=8192, indices="random")
row_per_thread_gb = gb("row_per_thread", chapter="35", result="gathered rows", row_bytes=8192, indices="random")
summed_rows_8ki = dict(chapter="35", row_bytes=8192, result="summed rows")
segment_sum_8ki_random_gb = gb("segment_sum", indices="random", **summed_rows_8ki)
atomic_add_8ki_random_gb = gb("atomic_add_rows", indices="random", **summed_rows_8ki)
thrust_scatter_gb = gb("thrust::scatter", chapter="17", element_bytes=4, indices="sequential")
scatter_in_order_gb = gb("scatter", chapter="17", element_bytes=4, indices="sequential")
members_by_four_gb = gb("members_by_four", chapter="claim_row_blocks", row_bytes=64, indices="random", threads=128)
atomic_add_rows_gb = gb("atomic_add_rows", chapter="claim_row_blocks", row_bytes=64, indices="random", threads=128)
segment_sum_gb = gb("segment_sum", chapter="claim_row_blocks", row_bytes=64, indices="random", threads=128)
segment_sum_8ki_hot_gb = gb("segment_sum", indices="hot", **summed_rows_8ki)
atomic_add_rows_summed_rows_8ki_bytes_hot_gb = gb("atomic_add_rows", indices="hot", **summed_rows_8ki)
claim(
    "members lose where rows are short or one is hot",
    at_least(
        ratio(gb, "atomic_add_rows", "segment_sum", chapter="35", result="summed rows", row_bytes=64, indices="random"),
        1.5,
    ),
    at_least(atomic_add_rows_summed_rows_8ki_bytes_hot_gb / segment_sum_8ki_hot_gb, 10),
    level(atomic_add_rows_summed_rows_8ki_bytes_hot_gb, atomic_add_8ki_random_gb, within=0.02),
)
gather_in_a_block_gb = gb("gather", chapter="17", element_bytes=4, indices="in a block")
claim("in a block the library gathers faster", at_least(thrust_gather_gb / gather_in_a_block_gb, 1.05))
claim(
    "gather and do not scatter, by windows if you can",
    at_least(gather_4_anywhere_gb / scatter_anywhere_gb, 2),
    at_least(gather_in_4_mi_b_gb / gather_4_anywhere_gb, 3),
    at_least(gather_in_a_block_gb / gather_in_4_mi_b_gb, 1.5),
)
claim(
    "groups of threads, and sorted members",
    at_least(row_per_group_gb / row_per_thread_gb, 3),
    at_least(segment_sum_8ki_random_gb / atomic_add_8ki_random_gb, 1.5),
)
claim("records in one piece", at_least(gather_16_anywhere_gb / gather_4_anywhere_gb, 2))
claim("in order the library stores faster", at_least(thrust_scatter_gb / scatter_in_order_gb, 1.05))

# Matrices

dense_1ki_columns_gb = gb("dense", chapter="14", columns=1024)
pitched_1023_gb = gb("pitched", chapter="14", columns=1023)
dense_1023_gb = gb("dense", chapter="14", columns=1023)
vectors_1023_gb = gb("pitched_vectors", chapter="14", columns=1023)
vectors_33_gb = gb("pitched_vectors", chapter="14", columns=33)
dense_33_columns_gb = gb("dense", chapter="14", columns=33)
pitched_33_gb = gb("pitched", chapter="14", columns=33)
cublas_sgeam_gb = gb("cublasSgeam", chapter="20")
tile_tall_aligned_gb = gb("tile_tall_aligned", chapter="20", n=2**28 - 1)
tile_padded_down_gb = gb("tile_padded_down", chapter="20", n=2**28 - 1)
in_shared_softmax_gb = gb("in_shared", chapter="33", result="softmax")
three_passes_gb = gb("three_passes", chapter="33", result="softmax")
in_registers_norm_gb = gb("in_registers", chapter="33", result="norm", threads=128)
compiled_norm_gb = gb("torch.compile", chapter="33", result="norm")
last_softmax_gb = gb("evict_last_in_registers", chapter="33", result="softmax")
last_norm_gb = gb("evict_last_in_registers", chapter="33", result="norm")
two_passes_gb = gb("two_passes", chapter="33", result="norm")
naive_column_gb = gb("naive_column", chapter="19", block="8x32")
memcpy_2d_async_gb = gb("cudaMemcpy2DAsync", chapter="14", columns=1023)
claim(
    "the library copies padded rows faster than single floats, and slower than float4",
    at_least(memcpy_2d_async_gb / pitched_1023_gb, 1.2),
    at_most(memcpy_2d_async_gb / vectors_1023_gb, 0.9),
)
in_registers_softmax_gb = gb("in_registers", chapter="33", result="softmax", threads=128)
claim(
    "shared memory and registers tie for a row within three percent",
    level(in_shared_softmax_gb, in_registers_softmax_gb, within=0.03),
    level(gb("in_shared", chapter="33", result="norm"), in_registers_norm_gb, within=0.03),
    at_least(in_registers_norm_gb / two_passes_gb, 1.3),
    at_least(compiled_norm_gb / in_registers_norm_gb, 1.02),
    level(compiled_norm_gb, last_norm_gb, within=0.02),
    at_least(last_softmax_gb / in_registers_softmax_gb, 1.02),
    at_least(ring_last_gb / ring_ahead_gb, 1.03),
)
claim(
    "a matrix without padding is an array",
    at_least(gb("linear", chapter="14", columns=1024) / dense_1ki_columns_gb, 1.1),
)
claim(
    "a pitch alone helps long rows and harms short ones, with float4 it helps long ones and ties on short ones",
    at_least(pitched_1023_gb / dense_1023_gb, 1.01),
    at_most(pitched_33_gb / dense_33_columns_gb, 0.9),
    at_least(vectors_1023_gb / dense_1023_gb, 1.5),
    level(vectors_33_gb, dense_33_columns_gb, within=0.08),
)
claim(
    "the tile of float4s is ahead, the aligned tall tile on odd sides",
    faster(tile_float4_down_gb, cublas_sgeam_gb),
    ascending(tile_padded_down_gb, gb("cublasSgeam", chapter="20", n=2**28 - 1), tile_tall_aligned_gb),
)
claim("a row in registers is ahead of passes", at_least(in_registers_softmax_gb / three_passes_gb, 1.8))
claim("scatter the loads", at_least(naive_column_gb / naive_row_gb, 3))

# Matrix-vector products

block_per_row_gb = gb("block_per_row", chapter="32", type="float")
thread_per_row_float_gb = gb("thread_per_row", chapter="32", type="float")
lanes_float = dict(chapter="claim_lanes", type="float")
lanes_per_row_4_loads_gb = value(
    gb("lanes_per_row", rows=16384, columns=16384, lanes=256, loads=4, bound=4, threads=256, **lanes_float),
    ",.0f",
)
lanes_per_row_2_loads_gb = value(
    gb("lanes_per_row", rows=16384, columns=16384, lanes=256, loads=2, bound=8, threads=256, **lanes_float),
    ",.0f",
)
lanes_float_16ki = dict(chapter="claim_lanes", type="float", rows=16384, columns=16384, n=16384**2)
float_16ki_bound_4_gb = value(gb("columns", bound=4, **lanes_float_16ki), ",.0f")
float_16ki_bound_8_gb = value(gb("columns", bound=8, **lanes_float_16ki), ",.0f")
split_bf16_16ki_gb = value(
    gb("split_columns", chapter="claim_lanes", type="bf16", rows=16384, columns=16384, bound=4, n=16384**2), ",.0f"
)
bf16_16ki_bound_4_gb = value(
    gb("columns", chapter="claim_lanes", type="bf16", rows=16384, columns=16384, bound=4, n=16384**2), ",.0f"
)
bf16_16ki_bound_8_gb = value(
    gb("columns", chapter="claim_lanes", type="bf16", rows=16384, columns=16384, bound=8, n=16384**2), ",.0f"
)
split_columns_4ki_rows_gb = value(
    gb("split_columns", rows=4096, columns=4096, bound=4, n=4096**2, **lanes_float), ",.0f"
)
columns_4ki_bound_4_gb = value(gb("columns", rows=4096, columns=4096, bound=4, n=4096**2, **lanes_float), ",.0f")
columns_4ki_bound_8_gb = value(gb("columns", rows=4096, columns=4096, bound=8, n=4096**2, **lanes_float), ",.0f")
block_per_row_16mi_gb = gb("block_per_row", chapter="32", type="float", n=2**24, rows=4096)
cublas_4ki_rows_gb = gb("cublasLtMatmul", chapter="32", type="float", order="rows", n=2**24, rows=4096)
split_rows_gb = gb("split_rows", chapter="32", n=2**26, rows=8)
block_per_row_64mi_gb = value(gb("block_per_row", chapter="32", n=2**26, rows=8), ".0f")
cusparse_sp_mv_gb = gb("cusparseSpMV", chapter="32", pattern="one long", n=8912880)
sparse_warp_per_row_gb = gb("sparse_warp_per_row", chapter="32", pattern="one long", n=8912880)
split_columns_bf16_gb = gb("split_columns", chapter="32", type="bf16")
claim(
    "one block per row, and parts of columns",
    at_least(block_per_row_gb / thread_per_row_float_gb, 4),
    faster(block_per_row_gb, gb("warp_per_row", chapter="32", type="float")),
    level(gb("split_columns", chapter="32", type="float"), gb("columns", chapter="32", type="float"), within=0.05),
    at_least(split_columns_bf16_gb / gb("columns", chapter="32", type="bf16"), 1.03),
)
claim(
    "whole columns with registers for floats, parts of columns for bf16 and for few",
    at_least(float_16ki_bound_4_gb / float_16ki_bound_8_gb, 1.08),
    between(
        0.98,
        float_16ki_bound_4_gb / gb("split_columns", bound=4, **lanes_float_16ki),
        1.03,
    ),
    at_least(split_bf16_16ki_gb / bf16_16ki_bound_4_gb, 1.03),
    at_least(split_columns_4ki_rows_gb / columns_4ki_bound_4_gb, 1.2),
)
claim(
    "cuBLAS is equal by columns of bf16",
    level(gb("cublasLtMatmul", chapter="32", type="bf16", order="columns"), split_columns_bf16_gb, within=0.05),
)
claim("a block a row is ahead of cuBLAS at 4096 x 4096", at_least(block_per_row_16mi_gb / cublas_4ki_rows_gb, 1.05))
sparse_partitions_gb = gb("sparse_partitions", chapter="32", pattern="one long", n=8912880)
claim(
    "long rows are shared",
    at_least(split_rows_gb / block_per_row_64mi_gb, 5),
    at_least(sparse_partitions_gb / sparse_warp_per_row_gb, 10),
    faster(cusparse_sp_mv_gb, sparse_partitions_gb),
)

# Low-precision numbers

element_float_ms = ms("element", chapter="34", type="float")
float_one_step_ms = ms("sixteen_bytes", chapter="34", type="float", steps=1)
float_16_steps_ms = ms("sixteen_bytes", chapter="34", type="float", steps=16)
element_bf16_ms = ms("element", chapter="34", type="bf16")
bf16_one_step_ms = ms("sixteen_bytes", chapter="34", type="bf16", steps=1)
bf16_16_steps_ms = ms("sixteen_bytes", chapter="34", type="bf16", steps=16)
element_fp8_ms = ms("element", chapter="34", type="fp8")
fp8_one_step_ms = ms("sixteen_bytes", chapter="34", type="fp8", steps=1)
fp8_16_steps_ms = ms("sixteen_bytes", chapter="34", type="fp8", steps=16)
element_int8_ms = ms("element", chapter="34", type="int8")
int8_one_step_ms = ms("sixteen_bytes", chapter="34", type="int8", steps=1)
int8_16_steps_ms = ms("sixteen_bytes", chapter="34", type="int8", steps=16)
row_once_gb = gb("row_once", chapter="34", type="fp8")
row_twice_gb = gb("row_twice", chapter="34", type="fp8")
claim(
    "the width pays with 16 bytes per thread, and not with one number",
    at_most(fp8_one_step_ms / float_one_step_ms, 0.35),
    at_least(element_fp8_ms / element_float_ms, 0.65),
)
claim(
    "sixteen steps take 8 bits as long as one step takes 16",
    between(0.8, fp8_16_steps_ms / bf16_16_steps_ms, 1.1),
)
claim("a row in registers is three times as fast", at_least(row_once_gb / row_twice_gb, 2.5))

# Shared data

registers_gb = gb("registers", chapter="claim_stencil")
stencil_direct_gb = gb("stencil_direct", chapter="07")
stencil_shared_gb = gb("stencil_shared", chapter="07")
plane_float4_gb = gb("plane_float4", chapter="claim_stencil", each=16)
plane_direct_gb = gb("plane_direct", chapter="claim_stencil")
plane_shared_gb = gb("plane_shared", chapter="claim_stencil")
reorder_padded_gb = gb("reorder_padded", chapter="07")
reorder_direct_gb = gb("reorder_direct", chapter="07")
copy_staged_gb = gb("copy_staged", chapter="07")
constant_one_wanted_gb = gb("constant", chapter="08", wanted=1)
constant_32_wanted_gb = gb("constant", chapter="08", wanted=32)
constant_unrolled_gb = gb("constant", chapter="claim_constant", unrolled="yes", n=2**24)
global_unrolled_gb = gb("global", chapter="claim_constant", unrolled="yes", n=2**24)
shared_gb = gb("shared", chapter="claim_constant", unrolled="no", n=2**24)
constant_not_unrolled_gb = gb("constant", chapter="claim_constant", unrolled="no", n=2**24)
global_32_wanted_gb = gb("global", chapter="08", wanted=32)
rotate_registers_gb = gb("rotate_registers", chapter="09")
rotate_local_gb = gb("rotate_local", chapter="09")
ordinary_window_mib = parameter("ordinary", "window_mib", chapter="18", window=50)
matched_window_gb = gb("matched_window", chapter="18", window=50)
ordinary_gb = gb("ordinary", chapter="18", window=50)
copy_async_gb = gb("copy_async", chapter="07")
claim(
    "registers beat shared memory in both stencils, which is ahead of L1 in one",
    at_least(registers_gb / stencil_shared_gb, 1.5),
    less(1.5 * plane_shared_gb, 1.5 * plane_direct_gb),
    at_least(plane_float4_gb / plane_direct_gb, 1.5),
)
claim(
    "for factors it is the address that decides",
    at_least(constant_unrolled_gb / global_unrolled_gb, 2),
    less(
        max(1.2 * gb("global", chapter="claim_constant", unrolled="no", n=2**24), 5 * constant_not_unrolled_gb),
        shared_gb,
    ),
)
claim(
    "asynchronous copies are ahead of staged ones, wide words ahead of both",
    less(1.3 * copy_staged_gb, 1.1 * copy_async_gb),
    at_least(word16_gb / copy_async_gb, 1.1),
)
claim(
    "shared memory pays where elements are shared or reordered",
    at_least(stencil_shared_gb / stencil_direct_gb, 1.05),
    at_least(reorder_padded_gb / reorder_direct_gb, 3),
    faster(gb("copy_direct", chapter="07"), copy_staged_gb),
)
claim(
    "tables belong into global memory unless all lanes agree",
    level(constant_one_wanted_gb, gb("global", chapter="08", wanted=1), within=0.02),
    at_most(constant_32_wanted_gb / global_32_wanted_gb, 0.5),
)
claim(
    "registers beat local memory, a matched set-aside none",
    at_least(rotate_registers_gb / rotate_local_gb, 1.4),
    at_least(matched_window_gb / ordinary_gb, 1.07),
)

# Across the link

pipeline_ms = value(ms("pipeline", chapter="04", streams=4), ".0f")
memcpy_pinned_ms = value(ms("memcpy", chapter="04", memory="pinned"), ".0f")
memcpy_pageable_ms = value(ms("memcpy", chapter="04", memory="pageable"), ".0f")
registered_copy_64mi_ms = value(ms("register_copy_unregister", chapter="10", n=2**26), ".1f")
pageable_to_device_64mi_ms = value(ms("pageable_to_device", chapter="10", n=2**26), ".1f")
pageable_to_device_4mi_ms = value(ms("pageable_to_device", chapter="10", n=2**22), ".2f")
registered_copy_4mi_ms = value(ms("register_copy_unregister", chapter="10", n=2**22), ".2f")
mapped_one_pass_ms = value(ms("mapped", chapter="11", n=2**24, passes=1), ".1f")
copy_one_pass_ms = value(ms("copy", chapter="11", n=2**24, passes=1), ".1f")
copy_4_passes_ms = value(ms("copy", chapter="11", n=2**24, passes=4), ".1f")
mapped_4_passes_ms = value(ms("mapped", chapter="11", n=2**24, passes=4), ".1f")
managed_prefetch_ms = value(ms("managed_prefetch", chapter="13", phase="total", n=2**24), ".0f")
managed_ms = value(ms("managed", chapter="12", phase="total", n=2**24), ".0f")
explicit_ms = value(ms("explicit", chapter="12", phase="total", n=2**24), ".0f")
managed_stay_ms = value(ms("managed_stay", chapter="13", phase="total", n=2**24), ".0f")
claim(
    "a pipeline beats copies in a row, these beat pageable memory",
    at_most(pipeline_ms / memcpy_pinned_ms, 0.8),
    at_most(memcpy_pinned_ms / memcpy_pageable_ms, 0.3),
)
claim(
    "a lock pays for one large copy",
    less(registered_copy_64mi_ms, pageable_to_device_64mi_ms),
)
claim(
    "in place once, copied for four",
    at_most(mapped_one_pass_ms / copy_one_pass_ms, 0.85),
    at_least(mapped_4_passes_ms / copy_4_passes_ms, 1.5),
)
claim("explicit copies and pages that stay with the host tie", level(explicit_ms, managed_stay_ms, within=0.4))
claim(
    "prefetches help, and staying helps more for one use",
    faster(managed_stay_ms, managed_prefetch_ms),
    at_most(managed_prefetch_ms / managed_ms, 0.7),
)

# Two GPUs

two_h200_name = device("name", device="nvidia-h200-x2")
memcpy_peer_ways_1_gb = value(gb("memcpy_peer", chapter="40", access="on", ways=1), ".0f")
memcpy_peer_gb = value(gb("memcpy_peer", chapter="40", access="off", ways=1, cache=None), ".0f")
kernel_write_ways_1_gb = value(gb("kernel_write", chapter="40", ways=1, loads=1, n=floats_262144, cache="hot"), ".0f")
memcpy_peer_hot_gb = value(gb("memcpy_peer", chapter="40", access="on", ways=1, n=floats_262144, cache="hot"), ".0f")
memcpy_peer_ways_2_gb = value(gb("memcpy_peer", chapter="40", access="on", ways=2), ".0f")
kernel_write_ways_2_gb = value(gb("kernel_write", chapter="40", ways=2, loads=1), ".0f")
kernel_read_gb = value(gb("kernel_read", chapter="40", ways=2, loads=1), ".0f")
add_peer_gb = value(gb("add_peer", chapter="41"), ".0f")
add_copied_gb = value(gb("add_copied", chapter="41", chunks=1), ".0f")
halo_peer_gb = gb("halo_peer", chapter="41", columns=16384)
halo_first_gb = gb("halo_first", chapter="41", columns=16384)
two_phase_copies_gb = value(gb("two_phase_copies", chapter="43", pieces=2), ".0f")
nccl_all_reduce_gb = value(gb("nccl_all_reduce", chapter="42"), ".0f")
one_shot_flags_1_mib_gb = value(gb("one_shot_flags_x20", chapter="42", n=floats_262144), ".0f")
nccl_all_reduce_1_mib_gb = value(gb("nccl_all_reduce_x20", chapter="42", n=floats_262144), ".0f")
claim("copy engines exchange faster than kernels", at_least(memcpy_peer_ways_2_gb / kernel_write_ways_2_gb, 1.03))
claim(
    "peer access and the copy engine, for small copies from the L2 a kernel that writes",
    at_least(memcpy_peer_ways_1_gb / memcpy_peer_gb, 5),
    at_least(kernel_write_ways_1_gb / memcpy_peer_hot_gb, 1.1),
)
claim("write rather than read", at_least(kernel_write_ways_2_gb / kernel_read_gb, 1.05))
claim(
    "what is used once is read in place",
    at_least(add_peer_gb / add_copied_gb, 1.1),
    at_least(halo_peer_gb / halo_first_gb, 1.02),
)
claim(
    "the all-reduce by copy engines beats NCCL's, twenty of 1 MiB that with flags",
    at_least(two_phase_copies_gb / nccl_all_reduce_gb, 1.1),
    at_least(one_shot_flags_1_mib_gb / nccl_all_reduce_1_mib_gb, 1.1),
)

# Exercise: optimize a whole program

pinned_to_device_64mi_ms = value(ms("pinned_to_device", chapter="10", n=2**26), ".1f")
pinned_eighth_64mi_ms = value(pinned_to_device_64mi_ms / 8, ".1f")
per_stream_4_0_gb = value(2**28 / stream_4_0_gb / 10**6, ".2f")
kernel_over_pinned_copy = value(per_stream_4_0_gb / pinned_to_device_64mi_ms, ".0%")
soa_over_aos_used_1_rounded = value(soa_over_aos_used_1, ".0f")
claim(
    "next to the link the layout is under a percent",
    at_most(per_stream_4_0_gb / pageable_to_device_64mi_ms, 0.01),
)

# Other GPUs

float4_over_basic_02_256 = value(float4_gb / basic_02_256_gb, ".2f")
h100_basic_256_threads_gb = gb("basic", chapter="02", threads=256, device=H100)
h100_float4_over_basic_256 = value(
    gb("float4", chapter="05", threads=256, device=H100) / h100_basic_256_threads_gb, ".2f"
)
a100_basic_256_threads_ms = ms("basic", chapter="02", threads=256, device="a100")
float4_gain_a100 = value(a100_basic_256_threads_ms / ms("float4", chapter="05", device="a100"), ".2f")
two_neighbours_h200 = value(
    gb("blocked_x2", chapter="03", threads=256) / basic_02_256_gb, ".2f"
)
two_neighbours_h100 = value(
    gb("blocked_x2", chapter="03", threads=256, device=H100) / h100_basic_256_threads_gb, ".2f"
)
two_neighbours_a100 = value(
    a100_basic_256_threads_ms / ms("coarsen2", chapter="03", threads=256, device="a100"), ".2f"
)
four_neighbours_h200 = value(
    gb("blocked_x4", chapter="03", threads=256) / basic_02_256_gb, ".2f"
)
four_neighbours_h100 = value(
    gb("blocked_x4", chapter="03", threads=256, device=H100) / h100_basic_256_threads_gb, ".2f"
)
a100_coarsen4_ms = ms("coarsen4", chapter="03", threads=256, device="a100")
four_neighbours_a100 = value(a100_basic_256_threads_ms / a100_coarsen4_ms, ".2f")
h200_256_block_instead = value(basic_02_256_gb / basic_1ki_threads_gb, ".2f")
h100_256_block_instead = value(
    h100_basic_256_threads_gb / gb("basic", chapter="02", threads=1024, device=H100), ".2f"
)
a100_256_block_instead = value(
    ms("basic", chapter="02", threads=1024, device="a100") / a100_basic_256_threads_ms, ".2f"
)
word16_over_element_unit_1 = value(
    ratio(gb, "word16", "element", chapter="06", unit=1, n=floats_134217728),
    ".1f",
)
rtx3090_16_byte_words = value(
    ratio(gb, "vector_16B", "naive", chapter="06", unit=1, n=floats_134217728, device="rtx3090"),
    ".1f",
)
word16_over_element_unit_4 = value(
    ratio(gb, "word16", "element", chapter="06", unit=4, n=floats_134217728),
    ".2f",
)
h100_word16_over_element = value(
    ratio(gb, "word16", "element", chapter="06", unit=4, n=2**28, device=H100),
    ".2f",
)
rtx3090_16_byte_words_1_57 = value(
    ratio(gb, "vector_16B", "naive", chapter="06", unit=4, n=floats_134217728, device="rtx3090"),
    ".2f",
)
claim(
    "the newer GPU gains more from wide accesses",
    at_least(float4_gain_a100, 1),
    less(float4_gain_a100, float4_over_basic_02_256),
)
claim(
    "four neighbours harm on both GPUs",
    at_most(four_neighbours_h200, 0.9),
    at_least(a100_coarsen4_ms / a100_basic_256_threads_ms, 1.05),
)
