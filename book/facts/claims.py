"""The facts of the page "Experiment log: explanations tested"."""

from tools.book.facts import *


def further_us(variant, steps, **where):
    """us that each further step takes, of so many."""
    first, all_steps = (ms(variant, chapter="claim_queued", steps=number, **where) for number in (1, steps))
    return 1e3 * (all_steps - first) / (steps - 1)


page(
    "behind",
    needs="how_to_read how_we_measure",
    afterwards=[
        "name the experiment that could refute an explanation, before you believe it",
        "name the explanations of this book that were refuted, and what replaced them",
    ],
)

ends_256_threads_ms = value(ms("ends", chapter="claim_late_loads", threads=256), ".3f")
ends_1ki_threads_ms = value(ms("ends", chapter="claim_late_loads", threads=1024), ".3f")
stays_1ki_threads_ms = value(ms("stays", chapter="claim_late_loads", threads=1024), ".3f")
stays_barrier_1ki_ms = value(ms("stays_barrier", chapter="claim_late_loads", threads=1024), ".3f")
constant_unrolled_ms = value(ms("constant", chapter="claim_constant", unrolled="yes", n=2**24), ".3f")
global_unrolled_ms = value(ms("global", chapter="claim_constant", unrolled="yes", n=2**24), ".3f")
gather_anywhere = dict(chapter="claim_gather", indices="random")
gather_limit_64_each = value(
    (counter("gather", "dram_bytes_read", limit=64, large=True, **gather_anywhere) - 4 * 2**26) / 2**26,
    ".0f",
)
gather_limit_32_each = value(
    (counter("gather", "dram_bytes_read", limit=32, large=True, **gather_anywhere) - 4 * 2**26) / 2**26,
    ".0f",
)
multiprocessors = device("multiprocessors")
company_both_ns = value(
    4 * ns("copy_full", chapter="claim_turnover", threads=512, does="both") * multiprocessors
    - ns("copy_one_per_sm", chapter="claim_turnover", threads=512, does="both") * multiprocessors,
    ".0f",
)
company_loads_ns = value(
    4 * ns("copy_full", chapter="claim_turnover", threads=512, does="loads") * multiprocessors
    - ns("copy_one_per_sm", chapter="claim_turnover", threads=512, does="loads") * multiprocessors,
    ".0f",
)

# Results of all experiments

claim(
    "on an H100 a bulk copy in one piece loses less than a percent to words",
    at_least(
        gb("pieces", chapter="claim_pieces", pieces=1, n=2**28, device=H100)
        / gb("words", chapter="claim_pieces", n=2**28, device=H100),
        0.99,
    ),
)
claim(
    "company lengthens what both loads and stores, and loads alone hardly",
    less(5 * company_loads_ns, company_both_ns),
    more(company_both_ns, 100),
)
atomic_stride_bytes_32_ms = ms("atomic", chapter="claim_slices", counters=64, stride_bytes=32, order="random")
claim(
    "counters far apart do not queue",
    at_most(
        ms("atomic", chapter="claim_slices", counters=64, stride_bytes=4096, order="random")
        / atomic_stride_bytes_32_ms,
        0.2,
    ),
    at_least(
        ms("atomic", chapter="claim_slices", counters=64, stride_bytes=4, order="random") / atomic_stride_bytes_32_ms,
        0.2,
    ),
)
claim(
    "parts are slow without powers of two",
    at_least(
        ms("copy_ordered", chapter="claim_parts", streams=1023, n=2**28)
        / ms("copy_ordered", chapter="claim_parts", streams=1, n=2**28),
        1.03,
    ),
)
claim(
    "one block per row with as few blocks as a warp a row is no faster",
    between(
        0.97,
        gb(
            "lanes_per_row",
            chapter="claim_lanes",
            type="float",
            rows=2048,
            columns=131072,
            lanes=256,
            loads=4,
            bound=8,
            threads=256,
        )
        / gb(
            "lanes_per_row",
            chapter="claim_lanes",
            type="float",
            rows=16384,
            columns=16384,
            lanes=32,
            loads=4,
            bound=8,
            threads=256,
        ),
        1.03,
    ),
)
row_blocks_threads_128 = dict(chapter="claim_row_blocks", threads=128)
members_by_four_ms = ms("members_by_four", row_bytes=64, indices="random", **row_blocks_threads_128)
claim(
    "on the H200 members by four lanes are ahead of every atomics for short rows, with the sort",
    at_most(
        members_by_four_ms / ms("atomic_add_rows", row_bytes=64, indices="random", **row_blocks_threads_128),
        0.6,
    ),
    at_most(
        (members_by_four_ms + ms("sort_and_begins", chapter="claim_segments", n=2**23, indices="random"))
        / ms("add_vectors", row_bytes=64, indices="random", **row_blocks_threads_128),
        0.95,
    ),
)
claim(
    "on the H200 fewer blocks gain in both orders",
    at_most(
        ms("atomic_add_rows", chapter="claim_row_blocks", threads=256, row_bytes=8192, indices="random")
        / ms("atomic_add_rows", row_bytes=8192, indices="random", **row_blocks_threads_128),
        0.92,
    ),
    at_most(
        ms("atomic_add_rows", chapter="claim_row_blocks", threads=512, row_bytes=8192, indices="sorted")
        / ms("atomic_add_rows", row_bytes=8192, indices="sorted", **row_blocks_threads_128),
        0.93,
    ),
)
claim(
    "members by four lanes are ahead of atomics for short rows",
    at_most(
        ratio(ms, "members_by_four", "atomic_add_rows", row_bytes=64, indices="random", device=H100, **row_blocks_threads_128),
        0.6,
    ),
)
claim(
    "a quarter of the blocks gains sorted rows alone",
    at_most(
        ratio(ms, "add_vectors", "atomic_add_rows", row_bytes=8192, indices="sorted", device=H100, **row_blocks_threads_128),
        0.85,
    ),
    between(
        0.94,
        ratio(ms, "add_vectors", "atomic_add_rows", row_bytes=8192, indices="random", device=H100, **row_blocks_threads_128),
        1.02,
    ),
)
rotate_local_ms = ms("rotate_local", chapter="claim_local")
claim(
    "lanes side by side do not make local memory faster, and shared memory does",
    at_least(ms("rotate_by_warp", chapter="claim_local") / rotate_local_ms, 0.98),
    at_most(ms("rotate_shared", chapter="claim_local") / rotate_local_ms, 0.7),
)
claim(
    "pieces of 128 bytes cost, and the computing does",
    at_least(
        ms("dense", chapter="claim_row_pieces", columns=8192, block="32x8")
        / ms("dense", chapter="claim_row_pieces", columns=8192, block="64x4"),
        1.01,
    ),
    at_least(
        ratio(ms, "dense", "dense_short", chapter="claim_row_pieces", columns=8192, block="256x1"),
        1.01,
    ),
)
look_back_gb = gb("look_back", chapter="claim_ahead", threads=1024, n=2**28)
claim(
    "the ring alone is behind look-back",
    at_most(gb("ring", chapter="claim_ahead", n=2**28) / look_back_gb, 0.95),
    at_least(gb("ring_ahead", chapter="claim_ahead", n=2**28) / look_back_gb, 1.4),
)

# Eight more experiments

scan_persistent_ms = ms("scan_persistent", chapter="claim_ahead")
early_saves = value(1 - ms("scan_persistent_ahead", chapter="claim_ahead") / scan_persistent_ms, ".0%")
ring_saves = value(1 - ms("scan_ring", chapter="claim_ahead") / scan_persistent_ms, ".0%")
both_save = value(1 - ms("scan_ring_ahead", chapter="claim_ahead") / scan_persistent_ms, ".0%")
claim(
    "publishing early saves alone, prefetching does not, both save more than their sum",
    at_least(early_saves, 0.1),
    at_most(ring_saves, 0.05),
    at_least(both_save, 0.25),
)
eights = dict(chapter="claim_red_async", cluster_size=8, target="all")
atomic_8_ns, red_async_8_ns = ns("atomic", clusters=8, **eights), ns("red_async", clusters=8, **eights)
red_async_speedup = value(atomic_8_ns / red_async_8_ns, ".1f")
claim("red.async is faster in clusters of eight", at_least(red_async_speedup, 1.4))
claim("eight clusters add eight times as fast as one", level(ns("atomic", clusters=1, **eights) / atomic_8_ns, 8, within=0.05))
twos = dict(chapter="claim_red_async", cluster_size=2, clusters=8, target="all")
claim("and slower in clusters of two", at_least(ns("red_async", **twos) / ns("atomic", **twos), 1.08))
claim(
    "40 KiB in flight beat 64",
    faster(ms("copy_bulk", chapter="26", threads=192, unit=4, n=2**28), ms("copy_bulk", chapter="26", threads=128, unit=4, n=2**28)),
)
loaded = dict(chapter="claim_loaded_latency", memory="DRAM", mix="1:0")
idle_ns = value(parameter("idle_sm", "probe_ns", warps=1, **loaded), ".0f")
loaded_ns = value(parameter("idle_sm", "probe_ns", warps=14, **loaded), ".0f")
loaded_share = value(parameter("idle_sm", "injected_gb_per_s", warps=14, **loaded) / device("peak_gb_per_s"), ".0%")
warm = dict(chapter="claim_warm_code", n=2**20)
cold_us, hot_us = (1e3 * ms("copy", behind="nothing", cache=cache, **warm) for cache in ("cold", "hot"))
warm_us = 1e3 * ms("copy", behind="other", **warm) - cold_us
warm_share = value((cold_us - warm_us) / (cold_us - hot_us), ".0%")
claim("half of what a small hot copy gains is not its data", between(0.25, warm_share, 0.75))

# L2 requests 64 bytes from DRAM because of a setting

gather_limit_32_ms = ms("gather", limit=32, **gather_anywhere)
read_steps_limit_32_ms = value(ms("read_steps", chapter="claim_gather", step_bytes=64, limit=32), ".3f")
gather_limit_64_ms = ms("gather", limit=64, **gather_anywhere)
read_steps_limit_64_ms = value(ms("read_steps", chapter="claim_gather", step_bytes=64, limit=64), ".3f")
gather_limit_128_each = value(
    (counter("gather", "dram_bytes_read", limit=128, large=True, **gather_anywhere) - 4 * 2**26) / 2**26,
    ".0f",
)
gather_limit_128_ms = ms("gather", limit=128, **gather_anywhere)
read_steps_limit_128_ms = value(ms("read_steps", chapter="claim_gather", step_bytes=64, limit=128), ".3f")
claim(
    "untouched, the limit is 64 bytes",
    equal(parameter("gather", "limit_set", chapter="claim_gather", indices="sequential"), 64),
)
claim(
    "the limit says how much a miss brings",
    between(29, gather_limit_32_each, 33),
    between(56, gather_limit_64_each, 64),
    between(105, gather_limit_128_each, 128),
)
claim(
    "with a limit of 32 one sector of two takes well less",
    at_most(read_steps_limit_32_ms / read_steps_limit_64_ms, 0.7),
)
claim(
    "a gather from anywhere gains nothing by half the bytes",
    between(1.02, gather_limit_32_ms / gather_limit_64_ms, 1.1),
)

# An addition exceeds the bandwidth of the streams

stream_2_1_gb = gb("stream", chapter="24", mix="2:1")
add_bulk_960_gb = gb("add_bulk", chapter="26", threads=960, n=2**28)
stream_1_gb = gb("stream", chapter="24", mix="1:1")
copy_gb = gb("copy", chapter="claim_drained", drained="no")
stream_4_0_gb = gb("stream", chapter="24", mix="4:0")
grid_stride_gb = gb("grid_stride", chapter="28", n=2**28, loads=4, result="sum of words")
stream_0_4_gb = gb("stream", chapter="24", mix="0:4")
fill_gb = gb("fill", chapter="claim_drained", drained="no")
drain_alone_ms = ms("drain_alone", chapter="claim_drained", n=1)
drained_16mi = dict(chapter="claim_drained", n=2**24)
addition_2_24 = value(
    (ms("add", drained="yes", **drained_16mi) - drain_alone_ms) / ms("add", drained="no", **drained_16mi) - 1,
    ".0%",
)
copy_2_24 = value(
    (ms("copy", drained="yes", **drained_16mi) - drain_alone_ms) / ms("copy", drained="no", **drained_16mi) - 1,
    ".0%",
)
fill_drained_16mi_minus_drain_alone_over = (ms("fill", drained="yes", **drained_16mi) - drain_alone_ms) / ms(
    "fill", drained="no", **drained_16mi
)
fill_2_24 = value(fill_drained_16mi_minus_drain_alone_over - 1, ".0%")
drained_64mi = dict(chapter="claim_drained", n=2**26)
addition_2_26 = value(
    (ms("add", drained="yes", **drained_64mi) - drain_alone_ms) / ms("add", drained="no", **drained_64mi) - 1,
    ".0%",
)
copy_2_26 = value(
    (ms("copy", drained="yes", **drained_64mi) - drain_alone_ms) / ms("copy", drained="no", **drained_64mi) - 1,
    ".0%",
)
fill_2_26 = value(
    (ms("fill", drained="yes", **drained_64mi) - drain_alone_ms) / ms("fill", drained="no", **drained_64mi) - 1,
    ".0%",
)
add_drained_over_undrained = (ms("add", chapter="claim_drained", drained="yes") - drain_alone_ms) / ms(
    "add", chapter="claim_drained", drained="no"
)
addition_2_28 = value(add_drained_over_undrained - 1, ".0%")
copy_2_28 = value(
    (ms("copy", chapter="claim_drained", drained="yes") - drain_alone_ms)
    / ms("copy", chapter="claim_drained", drained="no")
    - 1,
    ".0%",
)
fill_drained_minus_drain_alone_over_fill = (ms("fill", chapter="claim_drained", drained="yes") - drain_alone_ms) / ms(
    "fill", chapter="claim_drained", drained="no"
)
fill_2_28 = value(fill_drained_minus_drain_alone_over_fill - 1, ".0%")
add_bulk_over_stream_more = value(add_bulk_960_gb / stream_2_1_gb - 1, ".1%")
claim(
    "with each of the three largest tiles an addition does, at the stream's size, too",
    at_least(
        min(
            gb("add_bulk", chapter="26", threads=576, n=2**28),
            gb("add_bulk", chapter="26", threads=960, n=2**28),
            gb("add_bulk", chapter="26", threads=1024, n=2**28),
        )
        / stream_2_1_gb,
        1.005,
    ),
)
claim(
    "copies, reads and fills tie with them",
    level(copy_gb, stream_1_gb, within=0.03),
    level(grid_stride_gb, stream_4_0_gb, within=0.02),
    level(fill_gb, stream_0_4_gb, within=0.02),
)
claim(
    "at 1 GiB the last lines are a few percent at most",
    at_most(add_drained_over_undrained, 1.03),
    at_most(fill_drained_minus_drain_alone_over_fill, 1.06),
)
claim("of a small array they are more", at_least(fill_drained_16mi_minus_drain_alone_over, 1.1))

# Longer tile rows account for half of the gain of float4

longer_rows_half_float4s = table(
    "claim_tiles",
    where=lambda row: row.variant in ("tile", "tile_float4") and row.n == 2**28,
    every_size=True,
    columns="variant, threads, row_bytes, bytes_per_thread, ms, cold",
)
tile_32x4_ms = ms("tile", chapter="claim_tiles", block="32x4")
tile_32x8_over_32x4_time = ms("tile", chapter="claim_tiles", block="32x8") / tile_32x4_ms
tile_32x8_gain_over_32x4 = value(tile_32x8_over_32x4_time - 1, ".0%")
tile_float4_8x8_ms = ms("tile_float4", chapter="claim_tiles", block="8x8")
tile_float4_16x16_ms = ms("tile_float4", chapter="claim_tiles", block="16x16")
tile_float4_8x8_over_16x16_time = tile_float4_8x8_ms / tile_float4_16x16_ms
tile_ms = value(ms("tile", chapter="claim_tiles", row_bytes=256, threads=512), ".3f")
tile_float4_ms = value(ms("tile_float4", chapter="claim_tiles", row_bytes=256, threads=256), ".3f")
claim("twice the bytes gain a few percent in rows of 128", between(1.04, tile_32x8_over_32x4_time, 1.09))
claim("float4s gain nothing in rows of 128", level(tile_float4_8x8_ms, tile_32x4_ms, within=0.02))
tile_64x8_ms = ms("tile", chapter="claim_tiles", block="64x8")
claim(
    "rows of 256 gain as much with float4s and without",
    between(1.03, tile_float4_8x8_over_16x16_time, 1.08),
    between(1.03, tile_32x4_ms / tile_64x8_ms, 1.08),
)
claim("floats in rows of 256 tie with float4s", level(tile_64x8_ms, tile_float4_16x16_ms, within=0.02))
claim("in blocks of 1024 they are not", at_least(ms("tile", chapter="claim_tiles", block="64x16") / tile_64x8_ms, 1.1))

# More streams cost bandwidth when each thread has few words

words_2_one_stream_ms = value(ms("streams", chapter="claim_structures", words=2, streams=1), ".3f")
tiles_2_words_ms = value(ms("tiles", chapter="claim_structures", words=2), ".3f")
streams_2_streams_ms = value(ms("streams", chapter="claim_structures", words=2, streams=2), ".3f")
words_4_one_stream_ms = value(ms("streams", chapter="claim_structures", words=4, streams=1), ".3f")
tiles_4_words_ms = value(ms("tiles", chapter="claim_structures", words=4), ".3f")
streams_4_streams_ms = value(ms("streams", chapter="claim_structures", words=4, streams=4), ".3f")
words_8_one_stream_ms = value(ms("streams", chapter="claim_structures", words=8, streams=1), ".3f")
tiles_8_words_ms = value(ms("tiles", chapter="claim_structures", words=8), ".3f")
streams_8_streams_ms = value(ms("streams", chapter="claim_structures", words=8, streams=8), ".3f")
words_16_one_stream_ms = value(ms("streams", chapter="claim_structures", words=16, streams=1), ".3f")
tiles_16_words_ms = value(ms("tiles", chapter="claim_structures", words=16), ".3f")
streams_16_streams_ms = value(ms("streams", chapter="claim_structures", words=16, streams=16), ".3f")
streams_4_streams_over_4_words_one_stream = streams_4_streams_ms / words_4_one_stream_ms
streams_lose = (
    streams_2_streams_ms / words_2_one_stream_ms - 1,
    streams_4_streams_over_4_words_one_stream - 1,
    streams_16_streams_ms / words_16_one_stream_ms - 1,
)
streams_cost_least, streams_cost_most = value(min(*streams_lose), ".1%"), value(max(*streams_lose), ".1%")
claim(
    "two and four streams lose a few percent",
    between(1.015, streams_2_streams_ms / words_2_one_stream_ms, 1.05),
    between(1.015, streams_4_streams_over_4_words_one_stream, 1.05),
)
claim(
    "eight streams tie with tiles, and lose less than two do",
    level(streams_8_streams_ms, tiles_8_words_ms, within=0.02),
    less(
        streams_8_streams_ms / words_8_one_stream_ms,
        streams_2_streams_ms / words_2_one_stream_ms,
    ),
)
claim(
    "another distance loses more",
    more(
        ms("streams", chapter="claim_structures", words=4, streams=4, n=262114816)
        / ms("streams", chapter="claim_structures", words=4, streams=1, n=262114816)
        / streams_4_streams_over_4_words_one_stream,
        1,
    ),
)

# Streaming hints lose after any kernel that fills L2

plain_read_ms = value(ms("plain", chapter="claim_hints", before="read"), ".3f")
streaming_loads_read_ms = value(ms("streaming_loads", chapter="claim_hints", before="read"), ".3f")
streaming_loads_over_plain_read_time = streaming_loads_read_ms / plain_read_ms
reads_loss = value(streaming_loads_over_plain_read_time - 1, ".1%")
plain_memset_ms = ms("plain", chapter="claim_hints", before="memset")
alone_memset_ms = ms("alone", chapter="claim_hints", before="memset")
plain_minus_memset_ms = value(plain_memset_ms - alone_memset_ms, ".3f")
streaming_loads_memset_ms = ms("streaming_loads", chapter="claim_hints", before="memset")
memset_hint_loads_ms = value(streaming_loads_memset_ms - alone_memset_ms, ".3f")
memset_loss = value(memset_hint_loads_ms / plain_minus_memset_ms - 1, ".1%")
plain_producer_ms = ms("plain", chapter="claim_hints", before="producer")
alone_producer_ms = ms("alone", chapter="claim_hints", before="producer")
plain_minus_producer_ms = value(plain_producer_ms - alone_producer_ms, ".3f")
streaming_loads_producer_ms = ms("streaming_loads", chapter="claim_hints", before="producer")
inputs_hint_loads_ms = value(streaming_loads_producer_ms - alone_producer_ms, ".3f")
kernel_writes_inputs_loss = value(inputs_hint_loads_ms / plain_minus_producer_ms - 1, ".1%")
claim(
    "hints on loads lose behind each",
    at_least(streaming_loads_over_plain_read_time, 1.04),
    faster(plain_memset_ms, streaming_loads_memset_ms),
    faster(plain_producer_ms, streaming_loads_producer_ms),
)
claim(
    "other hints on loads lose as much",
    level(ms("no_allocate", chapter="claim_hints", before="read"), streaming_loads_read_ms, within=0.02),
    level(ms("evict_first_loads", chapter="claim_hints", before="read"), streaming_loads_read_ms, within=0.02),
)
claim(
    "hints on stores and evict_unchanged cost nothing",
    level(ms("streaming_stores", chapter="claim_hints", before="read"), plain_read_ms, within=0.02),
    level(ms("evict_unchanged_loads", chapter="claim_hints", before="read"), plain_read_ms, within=0.02),
)

# An open queue fits as well as a closed one

no_queue_median_error = value(queue("no queue", "median"), ".1%")
no_queue_largest_error = value(queue("no queue", "largest"), ".0%")
open_queue_median = value(queue("open queue, u of the peak", "median"), ".1%")
open_queue_largest = value(queue("open queue, u of the peak", "largest"), ".1%")
open_queue_median_error = value(queue("open queue", "median"), ".1%")
open_queue_largest_error = value(queue("open queue", "largest"), ".1%")
closed_network_median = value(queue("closed network", "median"), ".1%")
closed_network_largest = value(queue("closed network", "largest"), ".1%")
claim(
    "the closed network is no nearer",
    between(0.8, closed_network_median / open_queue_median_error, 1.25),
    less(abs(closed_network_largest - open_queue_largest_error), 0.01),
)
claim(
    "without a queue the law is far off",
    at_least(no_queue_median_error / open_queue_median, 2),
    at_least(no_queue_largest_error / open_queue_largest, 2.5),
)

# Wavefronts alone do not limit the stencil

direct_l1_wavefronts = counter("direct", "l1_wavefronts", chapter="claim_stencil", large=True)
direct_l1_wavefronts_millions = value(direct_l1_wavefronts / 1000000.0, ".0f")
direct_ms = ms("direct", chapter="claim_stencil")
direct_unchecked_l1_wavefronts = counter("direct_unchecked", "l1_wavefronts", chapter="claim_stencil", large=True)
direct_unchecked_wavefronts_millions = value(direct_unchecked_l1_wavefronts / 1000000.0, ".0f")
direct_unchecked_ms = ms("direct_unchecked", chapter="claim_stencil")
shared_l1_wavefronts = counter("shared", "l1_wavefronts", chapter="claim_stencil", large=True)
shared_l1_wavefronts_millions = value(shared_l1_wavefronts / 1000000.0, ".0f")
shared_ms = ms("shared", chapter="claim_stencil")
chapter_07_millions = value(
    counter("stencil_shared", "l1_wavefronts", chapter="07", large=True) / 1000000.0, ".0f"
)
stencil_shared_ms = ms("stencil_shared", chapter="07")
shared_more_l1_wavefronts = counter("shared_more", "l1_wavefronts", chapter="claim_stencil", large=True)
shared_more_l1_wavefronts_millions = value(shared_more_l1_wavefronts / 1000000.0, ".0f")
shared_more_ms = ms("shared_more", chapter="claim_stencil")
registers_l1_wavefronts_millions = value(
    counter("registers", "l1_wavefronts", chapter="claim_stencil", large=True) / 1000000.0, ".0f"
)
registers_ms = ms("registers", chapter="claim_stencil")
shared_more_over_shared_time = shared_more_ms / shared_ms
shared_more_gain = value(shared_more_over_shared_time - 1, ".0%")
claim(
    "fewer instructions take less, for no fewer wavefronts",
    at_most(direct_unchecked_ms / direct_ms, 0.97),
    at_least(direct_unchecked_l1_wavefronts / direct_l1_wavefronts, 0.99),
)
claim(
    "more instructions take more, for the same wavefronts",
    at_least(shared_more_over_shared_time, 1.1),
    level(shared_more_l1_wavefronts, shared_l1_wavefronts, within=0.02),
)

# Reuse in registers gains much

five_points_table = table(
    "claim_stencil", where=lambda row: row.task == "five points", columns="variant, each, ms, cold, relative"
)
direct_over_registers = value(direct_ms / registers_ms, ".1f")
plane_direct_ms = ms("plane_direct", chapter="claim_stencil")
claim(
    "in two dimensions registers gain, and shared memory loses",
    at_least(plane_direct_ms / ms("plane_float4", chapter="claim_stencil", each=4), 1.6),
    at_least(plane_direct_ms / ms("plane_registers", chapter="claim_stencil", each=4), 1.3),
    at_least(ms("plane_shared", chapter="claim_stencil") / plane_direct_ms, 1.4),
)

# Constant memory gains when the compiler knows the address

constant_not_unrolled_ms = value(ms("constant", chapter="claim_constant", unrolled="no", n=2**24), ".3f")
parameter_unrolled_ms = value(ms("parameter", chapter="claim_constant", unrolled="yes", n=2**24), ".3f")
parameter_not_unrolled_ms = value(ms("parameter", chapter="claim_constant", unrolled="no", n=2**24), ".2f")
global_not_unrolled_ms = value(ms("global", chapter="claim_constant", unrolled="no", n=2**24), ".3f")
shared_unrolled_ms = value(ms("shared", chapter="claim_constant", unrolled="yes", n=2**24), ".3f")
shared_not_unrolled_ms = value(ms("shared", chapter="claim_constant", unrolled="no", n=2**24), ".2f")
over_global_not_unrolled = value(constant_not_unrolled_ms / global_not_unrolled_ms, ".1f")
claim(
    "unrolled, constants and parameters are twice as fast as global memory",
    at_least(global_unrolled_ms / constant_unrolled_ms, 2),
    level(parameter_unrolled_ms, constant_unrolled_ms, within=0.02),
)
claim(
    "in a loop they are several times slower",
    at_least(over_global_not_unrolled, 3),
    at_least(parameter_not_unrolled_ms / global_not_unrolled_ms, 3),
)

# Latency is flat up to 64 GiB, and L2 has two halves

chase_table = table(
    "claim_latency",
    where=lambda row: row.variant == "chase" and row.n > 0,
    every_size=True,
    columns="variant, table, ns",
)
one_line_table = table(
    "claim_latency",
    where=lambda row: row.variant == "one_line" and row.n == 1,
    every_size=True,
    columns="variant, line, nearest, median, farthest, near_line_0",
)
chase_16gi_over_chase_time = ns("chase", chapter="claim_latency", n=2**34) / ns("chase", chapter="claim_latency")
chase_16gi_gain_over_chase = value(chase_16gi_over_chase_time - 1, ".1%")
claim("64 GiB take no longer than 1 GiB", between(0.99, chase_16gi_over_chase_time, 1.02))
claim(
    "the farthest SM is a fifth farther at least",
    at_least(
        parameter("one_line", "farthest", chapter="claim_latency", line=0, n=1)
        / parameter("one_line", "nearest", chapter="claim_latency", line=0, n=1),
        1.2,
    ),
    at_least(
        parameter("one_line", "farthest", chapter="claim_latency", line=1024, n=1)
        / parameter("one_line", "nearest", chapter="claim_latency", line=1024, n=1),
        1.2,
    ),
)
claim(
    "through many lines the SMs agree",
    at_most(
        parameter("all_lines", "three_quarters", chapter="claim_latency", n=8192)
        / parameter("all_lines", "quarter", chapter="claim_latency", n=8192),
        1.05,
    ),
    at_least(
        parameter("one_line", "three_quarters", chapter="claim_latency", line=0, n=1)
        / parameter("one_line", "quarter", chapter="claim_latency", line=0, n=1),
        1.08,
    ),
)
claim(
    "two lines share their near half, or hardly any of it",
    more(parameter("one_line", "near_line_0", chapter="claim_latency", line=32, n=1), 0.9),
    more(parameter("one_line", "near_line_0", chapter="claim_latency", line=8191, n=1), 0.9),
    less(parameter("one_line", "near_line_0", chapter="claim_latency", line=257, n=1), 0.15),
    less(parameter("one_line", "near_line_0", chapter="claim_latency", line=1024, n=1), 0.15),
)

# A pitch that is a power of two is no slower

walk_down_table = table(
    "claim_tiles",
    where=lambda row: row.variant == "walk_down" and row.n > 0 and (row.pitch_bytes > 20000),
    every_size=True,
    columns="variant, pitch_bytes, cold",
)
pitches_apart_most = value(
    max(
        *(
            abs(
                gb("walk_down", chapter="claim_tiles", pitch_bytes=pitch)
                / gb("walk_down", chapter="claim_tiles", pitch_bytes=pitch + 256)
                - 1
            )
            for pitch in (2**15, 2**17, 2**19, 2**21, 2**23, 2**25)
        )
    ),
    ".1%",
)
claim(
    "pitches of powers of two tie with others",
    level(
        gb("walk_down", chapter="claim_tiles", pitch_bytes=2**15),
        gb("walk_down", chapter="claim_tiles", pitch_bytes=2**15 + 256),
        within=0.02,
    ),
    level(
        gb("walk_down", chapter="claim_tiles", pitch_bytes=2**19),
        gb("walk_down", chapter="claim_tiles", pitch_bytes=2**19 + 256),
        within=0.02,
    ),
    level(
        gb("walk_down", chapter="claim_tiles", pitch_bytes=2**23),
        gb("walk_down", chapter="claim_tiles", pitch_bytes=2**23 + 256),
        within=0.02,
    ),
    level(
        gb("walk_down", chapter="claim_tiles", pitch_bytes=2**25),
        gb("walk_down", chapter="claim_tiles", pitch_bytes=2**25 + 256),
        within=0.02,
    ),
    level(
        gb("walk_down", chapter="claim_tiles", pitch_bytes=2**21),
        gb("walk_down", chapter="claim_tiles", pitch_bytes=2**21 + 256),
        within=0.02,
    ),
)
claim(
    "a power of two of columns ties with another number",
    level(
        gb("tile_float4", chapter="claim_tiles", block="16x16"),
        gb("tile_float4", chapter="claim_tiles", block="16x16", n=15360**2),
        within=0.02,
    ),
)

# A ring needs bytes in flight

ring_threads_stages_1_gb = gb("ring_threads", chapter="claim_ring", blocks=1, tile_bytes=8192, stages=1)
ring_engine_stages_1_gb = gb("ring_engine", chapter="claim_ring", blocks=1, tile_bytes=8192, stages=1)
ring_threads_stages_2_gb = gb("ring_threads", chapter="claim_ring", blocks=1, tile_bytes=8192, stages=2)
ring_engine_stages_2_gb = gb("ring_engine", chapter="claim_ring", blocks=1, tile_bytes=8192, stages=2)
ring_threads_stages_4_gb = gb("ring_threads", chapter="claim_ring", blocks=1, tile_bytes=8192, stages=4)
ring_engine_stages_4_gb = gb("ring_engine", chapter="claim_ring", blocks=1, tile_bytes=8192, stages=4)
ring_threads_8ki_8_gb = gb("ring_threads", chapter="claim_ring", blocks=1, tile_bytes=8192, stages=8)
ring_engine_8ki_8_gb = gb("ring_engine", chapter="claim_ring", blocks=1, tile_bytes=8192, stages=8)
tiles_kib_engine_threads = value(
    ratio(gb, "ring_engine", "ring_threads", chapter="claim_ring", blocks=1, tile_bytes=4096, stages=8),
    ".0%",
)
eight_stages_over_one = value(ring_threads_8ki_8_gb / ring_threads_stages_1_gb, ".1f")
claim(
    "stages gain at a constant number of blocks",
    at_least(ring_threads_stages_4_gb / ring_threads_stages_1_gb, 1.8),
    at_least(ring_engine_stages_4_gb / ring_engine_stages_1_gb, 1.8),
)
claim(
    "who stores is worth a few percent with tiles of 8 KiB",
    between(0.95, ring_engine_stages_4_gb / ring_threads_stages_4_gb, 1.01),
    between(0.95, ring_engine_8ki_8_gb / ring_threads_8ki_8_gb, 1.01),
)
claim(
    "the rings stay behind the library",
    at_most(
        max(best("ring_threads", chapter="claim_ring"), best("ring_engine", chapter="claim_ring"))
        / gb("cudaMemcpyAsync", chapter="claim_ring"),
        0.97,
    ),
)

# Page locking and staging cost mostly host time

pages_one_128mi = dict(chapter="claim_pages", touched_by="one", n=2**27)
register_4_ki_b_one_ms = value(ms("register", pages="4 KiB", **pages_one_128mi), ".1f")
register_huge_one_ms = value(ms("register", pages="huge", **pages_one_128mi), ".1f")
unregister_4_ki_b_ms = value(ms("unregister", pages="4 KiB", **pages_one_128mi), ".1f")
unregister_huge_ms = value(ms("unregister", pages="huge", **pages_one_128mi), ".1f")
mlock_4_ki_b_ms = value(ms("mlock", pages="4 KiB", **pages_one_128mi), ".1f")
mlock_huge_ms = value(ms("mlock", pages="huge", **pages_one_128mi), ".2f")
pageable_to_device_4_ki_b_ms = value(ms("pageable_to_device", pages="4 KiB", **pages_one_128mi), ".0f")
pageable_to_device_huge_ms = value(ms("pageable_to_device", pages="huge", **pages_one_128mi), ".0f")
host_copy_to_1_mib_4_ki_b_ms = value(ms("host_copy_to_1_mib", pages="4 KiB", **pages_one_128mi), ".0f")
host_copy_to_1_mib_huge_ms = value(ms("host_copy_to_1_mib", pages="huge", **pages_one_128mi), ".0f")
claim("to lock small pages takes as long without a GPU", between(0.65, mlock_4_ki_b_ms / register_4_ki_b_one_ms, 1.4))
claim(
    "huge pages are locked in less than two thirds",
    at_most(register_huge_one_ms / register_4_ki_b_one_ms, 0.67),
    at_most(
        ms("register", chapter="claim_pages", pages="huge", touched_by="all", n=2**27)
        / ms("register", chapter="claim_pages", pages="4 KiB", touched_by="all", n=2**27),
        0.85,
    ),
)
claim(
    "the host's copy is most of a pageable one",
    at_least(host_copy_to_1_mib_4_ki_b_ms / pageable_to_device_4_ki_b_ms, 0.6),
)

# Three ways to copy from pinned memory tie

memcpy_gb = value(gb("memcpy", chapter="04", memory="pinned", cache=None), ".2f")
async_default_stream_gb = value(gb("async_default_stream", chapter="04", memory="pinned", cache=None), ".2f")
async_own_stream_gb = value(gb("async_own_stream", chapter="04", memory="pinned", cache=None), ".2f")
claim(
    "plain and default stream tie, as far as rounds do",
    level(
        ms("async_default_stream", chapter="04", memory="pinned"), ms("memcpy", chapter="04", memory="pinned"), within=0.2
    ),
)
claim(
    "the third is within half a percent",
    level(
        ms("async_own_stream", chapter="04", memory="pinned"), ms("memcpy", chapter="04", memory="pinned"), within=0.005
    ),
)

# One packet format explains the NVLink bandwidths

writes_both_ways_behind = value(
    1
    - gb("kernel_write", chapter="40", ways=2, loads=1)
    / (2 * 8 / 9 * gb("memcpy_peer", chapter="40", access="on", ways=1) * 17 / 16),
    ".1%",
)

# A shuffled gather is faster because of L1

gather_in_order_ms = value(ms("gather", chapter="claim_gather", indices="sequential"), ".3f")
gather_past_l1_in_order_ms = value(ms("gather_past_l1", chapter="claim_gather", indices="sequential"), ".3f")
gather_in_a_warp_ms = value(ms("gather", chapter="claim_gather", indices="in a warp"), ".3f")
past_l1_warp_ms = value(ms("gather_past_l1", chapter="claim_gather", indices="in a warp"), ".3f")
gather_warps_of_a_block_ms = value(ms("gather", chapter="claim_gather", indices="warps of a block"), ".3f")
past_l1_warps_ms = value(
    ms("gather_past_l1", chapter="claim_gather", indices="warps of a block"), ".3f"
)
gather_in_a_block_ms = value(ms("gather", chapter="claim_gather", indices="in a block"), ".3f")
past_l1_block_ms = value(ms("gather_past_l1", chapter="claim_gather", indices="in a block"), ".3f")

# A pitch makes float4 loads possible

wide_rows_h100 = dict(chapter="claim_wide_rows", device=H100)
h100_dense_32x8_ms = value(ms("dense", block="32x8", **wide_rows_h100), ".3f")
h100_dense_256x1_ms = value(ms("dense", block="256x1", **wide_rows_h100), ".3f")
h100_pitched_32x8_ms = value(ms("pitched", block="32x8", **wide_rows_h100), ".3f")
h100_pitched_256x1_ms = value(ms("pitched", block="256x1", **wide_rows_h100), ".3f")
h100_float4_32x8_ms = value(ms("pitched_float4", block="32x8", **wide_rows_h100), ".3f")
h100_float4_256x1_ms = value(ms("pitched_float4", block="256x1", **wide_rows_h100), ".3f")
h100_array_float4_ms = value(ms("array_float4", **wide_rows_h100), ".3f")
h100_float4_time = value(h100_float4_32x8_ms / h100_dense_32x8_ms, ".0%")
claim(
    "with a pitch and float4s rows take three quarters of the time of dense ones",
    at_most(h100_float4_time, 0.75),
    at_most(h100_float4_256x1_ms / h100_dense_256x1_ms, 0.87),
)
claim(
    "where a pitch alone gains a few percent",
    between(0.95, h100_pitched_32x8_ms / h100_dense_32x8_ms, 1),
    between(0.95, h100_pitched_256x1_ms / h100_dense_256x1_ms, 1),
)
claim("and one array is ahead of both", faster(h100_array_float4_ms, min(h100_float4_32x8_ms, h100_float4_256x1_ms)))

# Gathers are fast up to the effective L2 capacity

h100_l2_bytes_mib = value(device("l2_bytes", device=H100) / 2**20, ".0f")
windows_h100 = dict(chapter="claim_windows", device=H100)
h100_gather_4mib_ms = value(ms("gather", window_mib=4, **windows_h100), ".2f")
h100_scatter_4mib_ms = value(ms("scatter", window_mib=4, **windows_h100), ".2f")
h100_gather_8mib_ms = value(ms("gather", window_mib=8, **windows_h100), ".2f")
h100_scatter_8mib_ms = value(ms("scatter", window_mib=8, **windows_h100), ".2f")
h100_gather_16mib_ms = value(ms("gather", window_mib=16, **windows_h100), ".2f")
h100_scatter_16mib_ms = value(ms("scatter", window_mib=16, **windows_h100), ".2f")
h100_gather_24mib_ms = value(ms("gather", window_mib=24, **windows_h100), ".2f")
h100_scatter_24mib_ms = value(ms("scatter", window_mib=24, **windows_h100), ".2f")
h100_gather_32mib_ms = value(ms("gather", window_mib=32, **windows_h100), ".2f")
h100_scatter_32mib_ms = value(ms("scatter", window_mib=32, **windows_h100), ".2f")
h100_gather_48mib_ms = value(ms("gather", window_mib=48, **windows_h100), ".2f")
h100_scatter_48mib_ms = value(ms("scatter", window_mib=48, **windows_h100), ".2f")
h100_gather_64mib_ms = value(ms("gather", window_mib=64, **windows_h100), ".2f")
h100_scatter_64mib_ms = value(ms("scatter", window_mib=64, **windows_h100), ".2f")
h100_gather_128mib_ms = value(ms("gather", window_mib=128, **windows_h100), ".2f")
h100_scatter_128mib_ms = value(ms("scatter", window_mib=128, **windows_h100), ".2f")
h100_gather_512mib_ms = value(ms("gather", window_mib=512, **windows_h100), ".2f")
h100_scatter_512mib_ms = value(ms("scatter", window_mib=512, **windows_h100), ".2f")
h100_gather_window_mib_24_over_window_mib_4 = h100_gather_24mib_ms / h100_gather_4mib_ms
mib_gather_longer = value(h100_gather_window_mib_24_over_window_mib_4 - 1, ".0%")
gather_longer_mib_times = value(h100_gather_48mib_ms / h100_gather_4mib_ms, ".1f")
claim(
    "up to 24 MiB a gather loses less than a fifth, and twice as far it takes twice as long",
    at_most(h100_gather_window_mib_24_over_window_mib_4, 1.2),
    at_least(gather_longer_mib_times, 2),
)
claim(
    "a MiB more of window costs most between 24 and 48",
    less(
        max(
            (h100_gather_24mib_ms - h100_gather_4mib_ms) / 20,
            (h100_gather_64mib_ms - h100_gather_48mib_ms) / 16,
        ),
        (h100_gather_48mib_ms - h100_gather_24mib_ms) / 24,
    ),
)
claim(
    "a scatter loses from the first, and most between 32 and 48 MiB",
    at_least(h100_scatter_8mib_ms / h100_scatter_4mib_ms, 1.1),
    more(h100_scatter_48mib_ms - h100_scatter_32mib_ms, 5),
)

# Storing by the TMA gains nothing

both_ways_h100 = dict(chapter="claim_both_ways", device=H100, n=2**26)
h100_words_64mi_ms = value(ms("words", **both_ways_h100), ".3f")
h100_words_256mi_ms = value(ms("words", chapter="claim_both_ways", n=2**28, device=H100), ".3f")
h100_threads_store_64mi_ms = value(ms("threads_store", **both_ways_h100), ".3f")
h100_threads_store_256mi_ms = value(ms("threads_store", chapter="claim_both_ways", n=2**28, device=H100), ".3f")
h100_engine_64mi_1ki_ms = value(ms("engine_stores", tile_bytes=1024, **both_ways_h100), ".3f")
h100_engine_256mi_1ki_ms = value(
    ms("engine_stores", chapter="claim_both_ways", n=2**28, tile_bytes=1024, device=H100), ".3f"
)
h100_engine_64mi_4ki_ms = value(ms("engine_stores", tile_bytes=4096, **both_ways_h100), ".3f")
h100_engine_256mi_4ki_ms = value(
    ms("engine_stores", chapter="claim_both_ways", n=2**28, tile_bytes=4096, device=H100), ".3f"
)
h100_engine_64mi_8ki_ms = value(ms("engine_stores", tile_bytes=8192, **both_ways_h100), ".3f")
h100_engine_256mi_8ki_ms = value(
    ms("engine_stores", chapter="claim_both_ways", n=2**28, tile_bytes=8192, device=H100), ".3f"
)
h100_engine_64mi_32ki_ms = value(ms("engine_stores", tile_bytes=32768, **both_ways_h100), ".3f")
h100_engine_256mi_32ki_ms = value(
    ms("engine_stores", chapter="claim_both_ways", n=2**28, tile_bytes=32768, device=H100), ".3f"
)
h100_engine_stores_8ki_over_words = h100_engine_64mi_8ki_ms / h100_words_64mi_ms
h100_larger_tiles_lose = value(h100_engine_stores_8ki_over_words - 1, ".0%")
claim(
    "a copy gains nothing by an engine that stores, and loses with larger tiles",
    at_most(h100_words_64mi_ms / h100_engine_64mi_1ki_ms, 1.02),
    more(h100_engine_stores_8ki_over_words, 1),
    faster(h100_words_256mi_ms, h100_engine_256mi_8ki_ms),
)

# Persistent blocks lose because they drift apart

stays_h100 = dict(chapter="claim_persistent", device=H100)
h100_ends_not_hint_ms = value(ms("ends", hint="no", times_the_room=0, **stays_h100), ".3f")
h100_ends_hint_ms = value(ms("ends", hint="yes", times_the_room=0, **stays_h100), ".3f")
stay_steps_grid_ms = value(ms("steps_of_the_grid", hint="no", times_the_room=1, **stays_h100), ".3f")
stay_steps_grid_hint_ms = value(ms("steps_of_the_grid", hint="yes", times_the_room=1, **stays_h100), ".3f")
stay_steps_grid_16_ms = value(ms("steps_of_the_grid", hint="no", times_the_room=16, **stays_h100), ".3f")
stay_steps_grid_16_hint_ms = value(ms("steps_of_the_grid", hint="yes", times_the_room=16, **stays_h100), ".3f")
h100_pieces_no_hint_1_ms = value(ms("pieces", hint="no", times_the_room=1, **stays_h100), ".3f")
h100_pieces_hint_1_ms = value(ms("pieces", hint="yes", times_the_room=1, **stays_h100), ".3f")
h100_pieces_no_hint_16_ms = value(ms("pieces", hint="no", times_the_room=16, **stays_h100), ".3f")
h100_pieces_hint_16_ms = value(ms("pieces", hint="yes", times_the_room=16, **stays_h100), ".3f")
h100_with_barriers_ms = value(ms("steps_with_barriers", hint="no", times_the_room=1, **stays_h100), ".3f")
h100_drawn_steps_ms = value(ms("drawn_steps", hint="no", times_the_room=1, **stays_h100), ".3f")
claim(
    "drawn in order, persistent blocks lose nothing",
    at_most(h100_drawn_steps_ms / h100_ends_not_hint_ms, 1.01),
    at_most(h100_drawn_steps_ms / stay_steps_grid_ms, 0.98),
    at_most(h100_drawn_steps_ms / h100_with_barriers_ms, 0.98),
)
claim(
    "the hint changes less than two percent",
    level(h100_ends_not_hint_ms, h100_ends_hint_ms, within=0.02),
    level(stay_steps_grid_ms, stay_steps_grid_hint_ms, within=0.02),
)
claim("more blocks lose less", less(stay_steps_grid_16_ms, stay_steps_grid_ms))

# The gap between two kernels is GPU time

h100_meanwhile = dict(device=H100, cache=None, queued="meanwhile")
launches_8_meanwhile_us = value(further_us("launches", 8, **h100_meanwhile), ".1f")
h100_before = dict(device=H100, queued="before")
launches_8_before_us = value(further_us("launches", 8, **h100_before), ".1f")
graph_8_meanwhile_us = value(further_us("graph", 8, **h100_meanwhile), ".1f")
graph_8_before_us = value(further_us("graph", 8, **h100_before), ".1f")
launches_32_meanwhile_us = value(further_us("launches", 32, **h100_meanwhile), ".1f")
launches_32_before_us = value(further_us("launches", 32, **h100_before), ".1f")
graph_32_meanwhile_us = value(further_us("graph", 32, **h100_meanwhile), ".1f")
graph_32_before_us = value(further_us("graph", 32, **h100_before), ".1f")
launches_128_meanwhile_us = value(further_us("launches", 128, **h100_meanwhile), ".1f")
launches_128_before_us = value(further_us("launches", 128, **h100_before), ".1f")
graph_128_meanwhile_us = value(further_us("graph", 128, **h100_meanwhile), ".1f")
graph_128_before_us = value(further_us("graph", 128, **h100_before), ".1f")
launches_512_meanwhile_us = value(further_us("launches", 512, **h100_meanwhile), ".1f")
launches_512_before_us = value(further_us("launches", 512, **h100_before), ".1f")
graph_512_meanwhile_us = value(further_us("graph", 512, **h100_meanwhile), ".1f")
graph_512_before_us = value(further_us("graph", 512, **h100_before), ".1f")
claim(
    "queued before, launches add microseconds, and more than graphs",
    more(min(launches_32_before_us, launches_128_before_us), 2.5),
    less(graph_32_before_us, launches_32_before_us),
    less(graph_128_before_us, launches_128_before_us),
)

# Late loads hold large blocks back

claim(
    "a shuffle in a block gains through L1 alone",
    at_most(gather_in_a_block_ms / gather_in_order_ms, 0.97),
    at_least(past_l1_block_ms / gather_past_l1_in_order_ms, 0.97),
)
claim(
    "a shuffle of warps or within them gains less than two percent",
    at_least(gather_in_a_warp_ms / gather_in_order_ms, 0.98),
    at_least(gather_warps_of_a_block_ms / gather_in_order_ms, 0.98),
)
stays_256_threads_ms = value(ms("stays", chapter="claim_late_loads", threads=256), ".3f")
stays_barrier_256_ms = value(ms("stays_barrier", chapter="claim_late_loads", threads=256), ".3f")
ends_512_threads_ms = value(ms("ends", chapter="claim_late_loads", threads=512), ".3f")
stays_512_threads_ms = value(ms("stays", chapter="claim_late_loads", threads=512), ".3f")
stays_barrier_512_ms = value(ms("stays_barrier", chapter="claim_late_loads", threads=512), ".3f")
claim("persistent blocks do not mind their size", level(stays_1ki_threads_ms, stays_256_threads_ms, within=0.02))
claim("with a barrier they do", at_least(stays_barrier_1ki_ms / stays_barrier_256_ms, 1.08))
claim("as blocks that end do", at_least(ends_1ki_threads_ms / ends_256_threads_ms, 1.12))

# An offset of 8 floats costs writes nothing

read_offset_0_ms = value(ms("read", chapter="claim_alignment", offset=0), ".3f")
write_offset_0_ms = value(ms("write", chapter="claim_alignment", offset=0), ".3f")
read_offset_8_ms = value(ms("read", chapter="claim_alignment", offset=8), ".3f")
write_offset_8_ms = value(ms("write", chapter="claim_alignment", offset=8), ".3f")
read_offset_11_ms = value(ms("read", chapter="claim_alignment", offset=11), ".3f")
write_offset_11_ms = value(ms("write", chapter="claim_alignment", offset=11), ".3f")
read_offset_32_ms = value(ms("read", chapter="claim_alignment", offset=32), ".3f")
write_offset_32_ms = value(ms("write", chapter="claim_alignment", offset=32), ".3f")
claim("offset 8 costs writes nothing", level(write_offset_8_ms, write_offset_0_ms, within=0.02))

# Half rows cost as much with a pitch

alignment_1023_columns = dict(chapter="claim_alignment", columns=1023, n=268435200)
dense_1023_32x8_ms = value(ms("dense", block="32x8", **alignment_1023_columns), ".3f")
dense_1023_16x16_ms = value(ms("dense", block="16x16", **alignment_1023_columns), ".3f")
pitched_1023_32x8_ms = value(ms("pitched", block="32x8", **alignment_1023_columns), ".3f")
pitched_1023_16x16_ms = value(ms("pitched", block="16x16", **alignment_1023_columns), ".3f")
alignment_33_columns = dict(chapter="claim_alignment", columns=33, n=268435431)
dense_33_32x8_ms = value(ms("dense", block="32x8", **alignment_33_columns), ".3f")
dense_33_16x16_ms = value(ms("dense", block="16x16", **alignment_33_columns), ".3f")
pitched_33_32x8_ms = value(ms("pitched", block="32x8", **alignment_33_columns), ".3f")
pitched_33_16x16_ms = value(ms("pitched", block="16x16", **alignment_33_columns), ".3f")
pitched_16x16_over_32x8_1023_columns_time = pitched_1023_16x16_ms / pitched_1023_32x8_ms
pitched_half_rows_longer = value(pitched_16x16_over_32x8_1023_columns_time - 1, ".0%")
claim(
    "half rows cost as much where the sectors are the same",
    at_least(dense_1023_16x16_ms / dense_1023_32x8_ms, 1.03),
    at_least(pitched_16x16_over_32x8_1023_columns_time, 1.03),
)
claim(
    "of rows of 33 they gain",
    at_most(dense_33_16x16_ms / dense_33_32x8_ms, 0.95),
    at_most(pitched_33_16x16_ms / pitched_33_32x8_ms, 0.97),
)
