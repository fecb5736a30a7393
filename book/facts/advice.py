"""The facts of the page "CUDA performance advice, tested"."""

from tools.book.facts import *

page(
    "behind",
    needs="01",
    afterwards=["name the condition under which a common rule holds", "name the measurement that shows it"],
)
name = device("name")
stencil_shared_over_direct = ratio(gb, "stencil_shared", "stencil_direct", chapter="07")
claim(
    "an order, constants and fields show in counts, but of what threads share the count misleads",
    at_most(stencil_shared_over_direct, 1.25),
    at_most(
        ratio(count, "stencil_shared", "stencil_direct", "load_sectors", chapter="07"),
        0.5,
    ),
    at_least(
        ratio(count, "reorder_direct", "reorder_padded", "store_sectors", chapter="07"),
        4,
    ),
    at_least(
        count("constant", "constant_wavefronts", chapter="08", wanted=32)
        / count("constant", "constant_wavefronts", chapter="08", wanted=1),
        16,
    ),
    at_least(
        ratio(count, "aos", "soa", "load_sectors", chapter="16", fields=8, used=1),
        4,
    ),
)

# Always use float4

float4_256_gb = gb("float4", chapter="05", threads=256)
basic_01_gb = gb("basic", chapter="01", threads=256)
striped_x4_loads_first_gb = gb("striped_x4_loads_first", chapter="03", threads=256)
claim(
    "four floats with the loads first tie with float4",
    level(striped_x4_loads_first_gb, float4_256_gb, within=0.01),
    at_least(float4_256_gb / basic_01_gb, 1.2),
)

# Give each thread more work

blocked_x4_gb = gb("blocked_x4", chapter="03", threads=256)
blocked_x4_loads_first_gb = gb("blocked_x4_loads_first", chapter="03", threads=256)
blocked_loads_first_cost = value(1 - blocked_x4_loads_first_gb / striped_x4_loads_first_gb, ".0%")
striped_x4_gb = gb("striped_x4", chapter="03", threads=256)
claim(
    "neighbours with the loads first are two percent behind strides",
    between(0.97, blocked_x4_loads_first_gb / striped_x4_loads_first_gb, 0.99),
)
claim(
    "neighbours harm, strides help",
    at_most(blocked_x4_gb / basic_01_gb, 0.8),
    at_least(striped_x4_gb / basic_01_gb, 0.8),
    faster(striped_x4_loads_first_gb, striped_x4_gb),
)

# More occupancy is better

read_16_bytes_gb = gb("read", chapter="22", width=16, loads=4, warps=8)
read_4_bytes_gb = gb("read", chapter="22", width=4, loads=1, warps=64)
rotate_registers_occupancy = value(parameter("rotate_registers", "occupancy", chapter="09"), ".0%")
rotate_registers_gb = gb("rotate_registers", chapter="09")
rotate_capped_32_occupancy = value(parameter("rotate_capped_32", "occupancy", chapter="09"), ".0%")
rotate_capped_32_gb = gb("rotate_capped_32", chapter="09")
read_16_in_flight_kib = value(
    parameter("read", "in_flight", chapter="22", width=16, loads=4, warps=8) / KiB, ".0f"
)
read_4_bytes_in_flight_kib = value(
    parameter("read", "in_flight", chapter="22", width=4, loads=1, warps=64) / KiB, ".0f"
)
suggested_threads = parameter("suggested", "threads", chapter="02", n=2**28)
suggested_gb = gb("suggested", chapter="02")
basic_02_gb = gb("basic", chapter="02", threads=256)
claim(
    "less than half of the warps, more than twice the bandwidth",
    less(rotate_registers_occupancy, 0.5),
    at_least(rotate_registers_gb / rotate_capped_32_gb, 2),
)
claim("the suggested block is behind 256 threads", at_most(suggested_gb / basic_02_gb, 0.95))
claim(
    "an eighth of the warps with four wide loads read more than all with one float",
    faster(read_16_bytes_gb, read_4_bytes_gb),
)

# Stage everything in shared memory

shared_gain_over_direct = value(stencil_shared_over_direct - 1, ".0%")
plane_shared_over_direct = value(
    ratio(ms, "plane_shared", "plane_direct", chapter="claim_stencil", task="five points"),
    ".1f",
)
reorder_padded_over_direct = value(ratio(gb, "reorder_padded", "reorder_direct", chapter="07"), ".1f")
claim(
    "shared memory pays for what is shared or reordered",
    at_most(ratio(gb, "copy_staged", "copy_direct", chapter="07"), 1.01),
    at_least(stencil_shared_over_direct, 1.05),
    at_least(reorder_padded_over_direct, 3),
)

# Put read-only tables into constant memory

constant_over_global = ratio(gb, "constant", "global", chapter="08", wanted=1)
constant_gain_over_global = value(constant_over_global - 1, ".1%")
constant_over_global_time = value(ratio(ms, "constant", "global", chapter="08", wanted=32), ".1f")
constant_over_in_a_loop = value(
    ratio(ms, "constant", "global", chapter="claim_constant", unrolled="no", n=2**24),
    ".1f",
)
claim(
    "constant memory gains nothing at best and loses much at worst",
    between(0.99, constant_over_global, 1.02),
    at_least(constant_over_global_time, 2),
)

# Declare inputs read-only

read_offset_11_gb = gb("read", chapter="15", offset=11)
read_ldg_gb = gb("read_ldg", chapter="15", offset=11)
unrolled_restrict_over_unrolled = gb("unrolled_restrict", chapter="15", offset=11) / gb(
    "unrolled", chapter="15", offset=11, threads=512
)
restrict_gain = value(unrolled_restrict_over_unrolled - 1, ".0%")
claim(
    "the instruction gains nothing, the order does",
    level(read_ldg_gb, read_offset_11_gb, within=0.01),
    at_least(unrolled_restrict_over_unrolled, 1.1),
)

# Misaligned reads are a disaster

read_offset_11_over_offset_0 = read_offset_11_gb / gb("read", chapter="15", offset=0)
read_11_behind = value(1 - read_offset_11_over_offset_0, ".1%")
write_offset_11_over_offset_0 = gb("write", chapter="15", offset=11) / gb("write", chapter="15", offset=0)
write_11_behind = value(1 - write_offset_11_over_offset_0, ".1%")
claim(
    "offset 11 costs less than three percent",
    more(min(read_offset_11_over_offset_0, write_offset_11_over_offset_0), 0.97),
)

# Pad the rows of a matrix

pitched_over_dense_1023_columns = ratio(gb, "pitched", "dense", chapter="14", columns=1023)
pitched_gain_1023 = value(pitched_over_dense_1023_columns - 1, ".1%")
pitched_over_dense_33_columns = ratio(gb, "pitched", "dense", chapter="14", columns=33)
pitched_behind_dense_33 = value(1 - pitched_over_dense_33_columns, ".0%")
vectors_over_dense = ratio(gb, "pitched_vectors", "dense", chapter="14", columns=1023)
vectors_gain_over_dense = value(vectors_over_dense - 1, ".0%")
h100_pitched_float4_gain = value(
    ratio(ms, "dense", "pitched_float4", chapter="claim_wide_rows", block="32x8", device=H100) - 1,
    ".0%",
)
claim(
    "a pitch gains little or costs much, and much with float4",
    between(1.005, pitched_over_dense_1023_columns, 1.06),
    at_most(pitched_over_dense_33_columns, 0.9),
    at_least(vectors_over_dense, 1.5),
)

# Always prefer the structure of arrays

soa_over_aos_used_1 = value(ratio(gb, "soa", "aos", chapter="16", fields=8, used=1), ".1f")
aos_used_2_gb = gb("aos", chapter="16", fields=2, used=2)
soa_fields_2_gb = gb("soa", chapter="16", fields=2, used=2)
aos_gain_over_soa = value(aos_used_2_gb / soa_fields_2_gb - 1, ".0%")
aligned_over_aos_used_8 = value(ratio(gb, "aligned", "aos", chapter="16", fields=8, used=8), ".1f")
claim(
    "arrays win for one field and not for all",
    at_least(soa_over_aos_used_1, 5),
    faster(aos_used_2_gb, soa_fields_2_gb),
)

# Random access is slow

gather_in_order_gb = gb("gather", chapter="17", element_bytes=4, indices="sequential")
gather_in_a_block_gb = gb("gather", chapter="17", element_bytes=4, indices="in a block")
gather_in_4_mi_b_gb = gb("gather", chapter="17", element_bytes=4, indices="in 4 MiB")
gather_4_anywhere_gb = gb("gather", chapter="17", element_bytes=4, indices="random")
scatter_gb = gb("scatter", chapter="17", element_bytes=4, indices="random")
gather_16_over_4_bytes = value(
    gb("gather", chapter="17", element_bytes=16, indices="random") / gather_4_anywhere_gb, ".1f"
)
claim(
    "random access costs nothing in a block, much anywhere, more for stores",
    faster(gather_in_a_block_gb, gather_in_order_gb),
    at_most(gather_4_anywhere_gb / gather_in_order_gb, 0.25),
    at_most(scatter_gb / gather_4_anywhere_gb, 0.6),
)

# Always pin host memory

where_pinning_pays_0_more = value(noted("where_pinning_pays", 0, chapter="10") - 1, ".0%")
pageable_to_device_16ki_us = value(1000 * ms("pageable_to_device", chapter="10", n=2**14), ".0f")
pinned_to_device_16ki_us = value(1000 * ms("pinned_to_device", chapter="10", n=2**14), ".0f")
pageable_to_device_4mi_ms = value(ms("pageable_to_device", chapter="10", n=2**22), ".2f")
pinned_to_device_4mi_ms = value(ms("pinned_to_device", chapter="10", n=2**22), ".2f")
registered_copy_4mi_ms = value(ms("register_copy_unregister", chapter="10", n=2**22), ".2f")
pageable_to_device_64mi_ms = value(ms("pageable_to_device", chapter="10", n=2**26), ".1f")
pinned_to_device_64mi_ms = value(ms("pinned_to_device", chapter="10", n=2**26), ".1f")
registered_copy_64mi_ms = value(ms("register_copy_unregister", chapter="10", n=2**26), ".1f")
claim(
    "a lock for one copy pays at 256 MiB",
    less(registered_copy_64mi_ms, pageable_to_device_64mi_ms),
)

# cudaMemcpyAsync makes copies overlap

memcpy_ms = value(ms("memcpy", chapter="04", memory="pinned"), ".1f")
async_default_stream_ms = value(ms("async_default_stream", chapter="04", memory="pinned"), ".1f")
pipeline_ms = value(ms("pipeline", chapter="04", streams=4), ".1f")
claim(
    "the pipeline is ahead of the call alone",
    faster(pipeline_ms, async_default_stream_ms),
    at_most(pipeline_ms / memcpy_ms, 0.8),
)

# Unified memory is slow

explicit_total_ms = ms("explicit", chapter="12", phase="total", n=2**24)
managed_over_explicit = value(
    ms("managed", chapter="12", phase="total", n=2**24) / explicit_total_ms, ".1f"
)
managed_kernel_again_ms = value(ms("managed", chapter="12", phase="kernel_again", n=2**24), ".2f")
claim(
    "faults are slow, managed memory is not",
    at_least(managed_over_explicit, 2),
    at_most(managed_kernel_again_ms / ms("explicit", chapter="12", phase="kernel", n=2**24), 2),
    at_most(ms("managed_stay", chapter="13", phase="total", n=2**24) / explicit_total_ms, 1.5),
)

# Zero-copy is for small data only

neighbours_link_0 = value(noted("neighbours_across_the_link", 0, chapter="11"), ".0f")
mapped_one_pass_ms = value(ms("mapped", chapter="11", n=2**24, passes=1), ".1f")
copy_one_pass_ms = value(ms("copy", chapter="11", n=2**24, passes=1), ".1f")
mapped_4_passes_ms = value(ms("mapped", chapter="11", n=2**24, passes=4), ".1f")
copy_4_passes_ms = value(ms("copy", chapter="11", n=2**24, passes=4), ".1f")
claim(
    "in place for one use, copies for four",
    at_most(mapped_one_pass_ms / copy_one_pass_ms, 0.85),
    at_least(mapped_4_passes_ms / copy_4_passes_ms, 1.5),
)

# Reserve the L2 for your table

stream_window_over_ordinary_100 = ratio(gb, "stream_window", "ordinary", chapter="18", window=100)
stream_behind_ordinary = value(1 - stream_window_over_ordinary_100, ".0%")
matched_window_over_ordinary_50 = ratio(gb, "matched_window", "ordinary", chapter="18", window=50)
matched_gain_over_50 = value(matched_window_over_ordinary_50 - 1, ".0%")
visits_together_gain = value(noted("visits_together_on_a_gpu", 1, chapter="18") - 1, ".0%")
claim(
    "the most that is granted harms, the table's size helps",
    at_most(stream_window_over_ordinary_100, 0.9),
    at_least(matched_window_over_ordinary_50, 1.07),
)

# Fuse your kernels

two_kernels_ms = value(ms("two_kernels", chapter="33", result="norm to fp8"), ".2f")
in_registers_ms = value(ms("in_registers", chapter="33", result="norm to fp8"), ".2f")
warp_per_row_ms = ms("warp_per_row", chapter="39", n=2**24)
warp_row_minus_fused_us = value(1000 * (warp_per_row_ms - ms("fused", chapter="39", n=2**24)), ".1f")
warp_per_row_us = value(1000 * warp_per_row_ms, ".0f")
claim("fused kernels are faster by what they do not move", at_least(two_kernels_ms / in_registers_ms, 2))

# Launch many small kernels as a graph

the_last_64mi = dict(chapter="37", n=2**26, needs="the last")
launches_us = value(0.001 * ns("launches", steps=1024, **the_last_64mi), ".1f")
graph_us = value(0.001 * ns("graph", steps=1024, **the_last_64mi), ".1f")
programmatic_graph_us = value(0.001 * ns("programmatic_graph", steps=1024, **the_last_64mi), ".1f")
claim(
    "a graph is worth much for the smallest steps and little for large ones",
    at_most(
        ratio(ms, "graph", "launches", steps=1024, **the_last_64mi),
        0.75,
    ),
    more(
        ratio(ms, "graph", "launches", steps=8, **the_last_64mi),
        1.1 * ratio(ms, "graph", "launches", steps=1024, **the_last_64mi),
    ),
)

# Use streaming hints

streaming_gain_over_plain = value(
    ratio(ms, "add_streaming", "add_plain", chapter="27", threads=256, n=2**30) - 1,
    ".1%",
)
claim(
    "a true hint costs a few percent cold",
    at_most(
        ratio(gb, "add_streaming", "add_plain", chapter="27", threads=256, n=2**30),
        0.97,
    ),
)

# Use persistent kernels

grid_stride_gb = gb("grid_stride", chapter="28", result="sum of words", loads=4)
ends_256_threads_ms = value(ms("ends", chapter="claim_late_loads", threads=256), ".3f")
stays_256_threads_ms = value(ms("stays", chapter="claim_late_loads", threads=256), ".3f")
ends_1ki_threads_ms = value(ms("ends", chapter="claim_late_loads", threads=1024), ".3f")
stays_1ki_threads_ms = value(ms("stays", chapter="claim_late_loads", threads=1024), ".3f")
stays_h100_no_hint = dict(chapter="claim_persistent", device=H100, hint="no")
h100_ends_ms = value(ms("ends", times_the_room=0, **stays_h100_no_hint), ".3f")
h100_steps_of_the_grid_ms = value(ms("steps_of_the_grid", times_the_room=1, **stays_h100_no_hint), ".3f")
h100_drawn_steps_ms = value(ms("drawn_steps", times_the_room=1, **stays_h100_no_hint), ".3f")
claim(
    "staying gains one float per thread, and costs sixteen bytes unless steps are drawn",
    at_least(ends_256_threads_ms / stays_256_threads_ms, 1.01),
    at_least(ends_1ki_threads_ms / stays_1ki_threads_ms, 1.15),
    at_least(h100_steps_of_the_grid_ms / h100_ends_ms, 1.03),
    at_most(h100_drawn_steps_ms / h100_ends_ms, 1.01),
)
claim(
    "sixteen bytes per thread lose by staying on the H200, too",
    at_least(gb("float4", chapter="05", threads=1024) / gb("registers", chapter="36", ahead=0, filled="yes"), 1.03),
)

# Use diagonal block order for a transpose

diagonal_column_over_naive_column = gb("diagonal_column", chapter="19") / gb("naive_column", chapter="19", block="32x8")
diagonal_column_behind = value(1 - diagonal_column_over_naive_column, ".0%")
diagonal_row_over_naive_row = ratio(gb, "diagonal_row", "naive_row", chapter="19")
diagonal_row_behind = value(1 - diagonal_row_over_naive_row, ".0%")
claim(
    "the diagonal loses", at_most(diagonal_column_over_naive_column, 0.97), at_most(diagonal_row_over_naive_row, 0.97)
)

# Aggregate atomics per warp

elements_millions = value(2**28 / 10**6, ".0f")
atomic_ms = value(ms("atomic", chapter="31", kept="half"), ".1f")
aggregated_4_ms = value(ms("warp_aggregated", chapter="31", kept="half", bytes_per_thread=4), ".1f")
aggregated_64_ms = value(ms("warp_aggregated", chapter="31", kept="half", bytes_per_thread=64), ".2f")
ring_ahead_ms = value(ms("ring_ahead", chapter="31", kept="half"), ".2f")
claim(
    "the compiler aggregates, more words per lane help, and a scan is faster still",
    between(0.8, atomic_ms / aggregated_4_ms, 1.25),
    less(6 * ring_ahead_ms, 4 * aggregated_64_ms),
    at_least(atomic_ms / aggregated_64_ms, 4),
)

# Compare with the theoretical peak

stream_0_4_share = value(share("stream", chapter="24", mix="0:4"), ".0%")
stream_4_0_share = value(share("stream", chapter="24", mix="4:0"), ".0%")
stream_1_share = value(share("stream", chapter="24", mix="1:1"), ".0%")
claim(
    "no mix reaches the peak, a copy least of these",
    less(stream_1_share, stream_4_0_share),
    less(stream_4_0_share, stream_0_4_share),
    less(stream_0_4_share, 0.98),
)
