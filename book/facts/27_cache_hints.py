"""The facts of the page "Cache hints and block scheduling order"."""

from tools.book.facts import *

page(
    "side",
    needs="24 26",
    afterwards=[
        "estimate the cost of a cache hint, and say when it shows",
        "refute an explanation of a small loss with a measurement",
    ],
)

# Predict

add_streaming_256_threads_1gi_gb = gb("add_streaming", threads=256, n=2**30)
add_plain_256_threads_1gi_gb = gb("add_plain", threads=256, n=2**30)
add_streaming_over_plain_256_threads_1gi = add_streaming_256_threads_1gi_gb / add_plain_256_threads_1gi_gb
hint_cost_256 = value(1 - add_streaming_over_plain_256_threads_1gi, ".1%")
a_true_hint = choice(
    """Loads and stores carry the correct hint that no byte will be reused, and the kernel runs [cold](glossary.md#cold). Is it faster or slower than without the hint?""",
    {
        "faster": at_least(add_streaming_over_plain_256_threads_1gi, 1.01),
        "the same": level(add_streaming_256_threads_1gi_gb, add_plain_256_threads_1gi_gb, within=0.01),
        "slower": at_most(add_streaming_over_plain_256_threads_1gi, 0.99),
    },
    right="slower",
    fold="Cold, it costs {hint_cost_256} of the bandwidth.",
)
copy_ordered_16_streams_1_gb = gb("copy_ordered", streams=16, window=1)
copy_ordered_one_stream_1_gb = gb("copy_ordered", streams=1, window=1)
parts_16_loss = 1 - copy_ordered_16_streams_1_gb / copy_ordered_one_stream_1_gb
two_halves_by_turns = choice(
    """Consecutive blocks of a copy alternate between sixteen parts of its arrays instead of running from one end to the other. How much bandwidth does it lose?""",
    {
        "nothing": less(parts_16_loss, 0.01),
        "a few percent": between(0.01, parts_16_loss, 0.15),
        "half": at_least(parts_16_loss, 0.15),
    },
    right="a few percent",
    fold="""It reaches {copy_ordered_16_streams_1_gb} GB/s instead of {copy_ordered_one_stream_1_gb}.""",
)
copy_ordered_one_stream_256_gb = gb("copy_ordered", streams=1, window=256)
copy_ordered_256_behind_1_one_stream = 1 - copy_ordered_one_stream_256_gb / copy_ordered_one_stream_1_gb
shuffled_within_a_mib = choice(
    """The same copy shuffles the order within every 256 consecutive blocks. How much bandwidth does it lose?""",
    {
        "nothing": less(copy_ordered_256_behind_1_one_stream, 0.01),
        "a few percent": between(0.01, copy_ordered_256_behind_1_one_stream, 0.15),
        "half": at_least(copy_ordered_256_behind_1_one_stream, 0.15),
    },
    right="nothing",
    fold="""It reaches {copy_ordered_one_stream_256_gb} GB/s instead of {copy_ordered_one_stream_1_gb}: these blocks are in flight together in any order.""",
)

# The kernels

per_stream_4_0_and_0_4_gb = 1 / gb("stream", chapter="24", mix="4:0") + 1 / gb("stream", chapter="24", mix="0:4")
two_per_4_0_and_0_4 = 2 / per_stream_4_0_and_0_4_gb
bulk_copy_md_kernel = value(
    gb("copy_bulk", threads=192, unit=4, n=2**28, chapter="26") * per_stream_4_0_and_0_4_gb / 2, ".0%"
)

# Memory transactions

model_error_streaming_1ki = value(
    ms("add_streaming", threads=1024, n=2**28) / modelled("add_streaming", threads=1024) - 1, ".0%"
)
count_counters = counters(
    "27_cache_hints",
    where=lambda row: row.variant.startswith("add_"),
    columns="variant, threads, l2_read_sectors, l2_write_sectors, dram_bytes_read, dram_bytes_written",
    large=True,
)
written_mb = value(32 * counter("add_plain", "l2_write_sectors", threads=256, large=True) / 1000000.0, ".0f")
claim(
    "hints change no count",
    equal(counter("add_streaming", "load_sectors", threads=256), counter("add_plain", "load_sectors", threads=256)),
    equal(
        counter("add_streaming", "l2_read_sectors", threads=256), counter("add_plain", "l2_read_sectors", threads=256)
    ),
    level(
        counter("add_streaming", "dram_bytes_read", threads=256),
        counter("add_plain", "dram_bytes_read", threads=256),
        within=0.001,
    ),
    level(
        counter("add_evict_last", "dram_bytes_read", threads=256),
        counter("add_plain", "dram_bytes_read", threads=256),
        within=0.001,
    ),
)

# Cold, streaming hints cost bandwidth

hints_chart = chart(
    "27_cache_hints",
    where=lambda row: row.variant.startswith("add_") and row.n == 2**30,
    every_size=True,
    name="hints",
    title="Adding two vectors of 4 GiB, with and without hints",
)
add_streaming_over_plain_1ki_threads_1gi = ratio(gb, "add_streaming", "add_plain", threads=1024, n=2**30)
hint_cost_1024 = value(1 - add_streaming_over_plain_1ki_threads_1gi, ".1%")
hints_table = table(
    "27_cache_hints",
    where=lambda row: row.variant.startswith("add_") and row.n in (2**28, 2**30),
    every_size=True,
    columns="n, variant, threads, cold, hot",
)
add_streaming_over_plain_256_threads_256mi = ratio(gb, "add_streaming", "add_plain", threads=256, n=2**28)
claim(
    "hints lose cold, 256 threads",
    at_most(add_streaming_over_plain_256_threads_1gi, 0.97),
    at_most(add_streaming_over_plain_256_threads_256mi, 0.97),
)
claim(
    "hints lose more with 1024 threads",
    at_most(add_streaming_over_plain_1ki_threads_1gi, 0.95),
    at_most(ratio(gb, "add_streaming", "add_plain", threads=1024, n=2**28), 0.95),
)
claim(
    "hints tie hot within two percent",
    level(
        gb("add_streaming", threads=256, n=2**30, cache="hot"),
        gb("add_plain", threads=256, n=2**30, cache="hot"),
        within=0.02,
    ),
    level(
        gb("add_streaming", threads=1024, n=2**30, cache="hot"),
        gb("add_plain", threads=1024, n=2**30, cache="hot"),
        within=0.02,
    ),
)
add_bulk_gb = gb("add_bulk", threads=1024, n=2**30, chapter="26")
claim("no gain is as large as the loss", less(add_bulk_gb / add_plain_256_threads_1gi_gb - 1, hint_cost_256))

# No block order is faster than the sequential one

streams_chart = chart(
    "27_cache_hints",
    where=lambda row: row.variant == "copy_ordered" and row.window == 1,
    x="streams",
    lines="variant",
    name="streams",
    title="Copy bandwidth, by the number of interleaved parts",
)
copy_ordered_table = table(
    "27_cache_hints",
    where=lambda row: row.variant == "copy_ordered" or (row.unit == 16 and row.library),
    columns="variant, streams, window, cold, hot, share, copy",
)
copy_ordered_2_streams_gb = gb("copy_ordered", streams=2, window=1)
two_parts_loss = value(1 - copy_ordered_2_streams_gb / copy_ordered_one_stream_1_gb, ".1%")
copy_ordered_1ki_streams_1_gb = gb("copy_ordered", streams=1024, window=1)
parts_1024_over_one = copy_ordered_1ki_streams_1_gb / copy_ordered_one_stream_1_gb
parts_1024_loss = value(1 - parts_1024_over_one, ".1%")
copy_ordered_4ki_over_1_one_stream = gb("copy_ordered", streams=1, window=4096) / copy_ordered_one_stream_1_gb
ordered_4ki_behind_1 = value(1 - copy_ordered_4ki_over_1_one_stream, ".1%")
copy_ordered_8ki_over_1_one_stream = gb("copy_ordered", streams=1, window=8192) / copy_ordered_one_stream_1_gb
ordered_8ki_behind_1 = value(1 - copy_ordered_8ki_over_1_one_stream, ".1%")
copy_ordered_one_stream_16_gb = gb("copy_ordered", streams=1, window=16)
claim(
    "the plain order ties with the runtime, and no other is better",
    level(copy_ordered_one_stream_1_gb, gb("cudaMemcpyAsync", unit=16), within=0.02),
    at_most(
        max(copy_ordered_2_streams_gb, copy_ordered_one_stream_16_gb, copy_ordered_one_stream_256_gb)
        / copy_ordered_one_stream_1_gb,
        1.003,
    ),
)
claim(
    "streams far apart lose the more, the more they are",
    ascending(copy_ordered_1ki_streams_1_gb, copy_ordered_16_streams_1_gb, copy_ordered_2_streams_gb),
)
claim("a thousand lose a few percent", between(0.88, parts_1024_over_one, 0.96))
claim(
    "the order within a MiB costs nothing",
    level(copy_ordered_one_stream_16_gb, copy_ordered_one_stream_1_gb, within=0.01),
    level(copy_ordered_one_stream_256_gb, copy_ordered_one_stream_1_gb, within=0.01),
)
claim(
    "within 4 MiB less than two percent, within 16 something, and less than three",
    at_least(gb("copy_ordered", streams=1, window=1024) / copy_ordered_one_stream_1_gb, 0.98),
    between(0.97, copy_ordered_4ki_over_1_one_stream, 1),
)
claim("within 32 MiB it does", between(0.92, copy_ordered_8ki_over_1_one_stream, 0.98))

# Evict-first loads cost time, not traffic

add_streaming_large_dram_read = counter("add_streaming", "dram_bytes_read", threads=256, large=True)
hinted_read_mb = value(add_streaming_large_dram_read / 1000000.0, ".0f")
add_plain_large_dram_read = counter("add_plain", "dram_bytes_read", threads=256, large=True)
add_plain_large_read_mb = value(add_plain_large_dram_read / 1000000.0, ".0f")
add_streaming_dram_written = counter("add_streaming", "dram_bytes_written", threads=256, large=True)
add_plain_dram_written = counter("add_plain", "dram_bytes_written", threads=256, large=True)
hinted_written_apart = value(abs(add_streaming_dram_written / add_plain_dram_written - 1), ".1%")
hint_cost_256mi = value(1 - add_streaming_over_plain_256_threads_256mi, ".1%")
plain_read_ms = ms("plain", chapter="claim_hints", before="read")
ldcs_loss = value(ms("streaming_loads", chapter="claim_hints", before="read") / plain_read_ms - 1, "+.1%")
l2_evict_first_loss = value(ms("evict_first_loads", chapter="claim_hints", before="read") / plain_read_ms - 1, "+.1%")
l2_evict_unchanged_loss = value(
    ms("evict_unchanged_loads", chapter="claim_hints", before="read") / plain_read_ms - 1, "+.1%"
)
l2_evict_last_change = value(
    ms("evict_last_loads", chapter="claim_hints", before="read") / plain_read_ms - 1, "+.1%"
)
l1_allocate_loss = value(ms("no_allocate", chapter="claim_hints", before="read") / plain_read_ms - 1, "+.1%")
claim(
    "a hint of L1 loses as those of L2 do, and the unchanged priority far less",
    less(0.04, l2_evict_first_loss),
    less(0.04, l1_allocate_loss),
    less(abs(l2_evict_unchanged_loss), 0.03),
)
state_losses = [
    ms("streaming_loads_after", cache=None, **state) / ms("plain_after", cache=None, **state) - 1
    for state in (
        dict(chapter="claim_hints", n=n, reset=reset, flush=flush, set_aside=set_aside)
        for n in (2**27, 2**28)
        for reset in ("no", "yes")
        for flush in ("none", "plain", "marked")
        for set_aside in (0, 45 * 2**18)
    )
]
# The driver's word for the set-aside that every program starts with, where the experiment sets it again.
start_set_aside_bytes = parameter(
    "plain_after", "set_aside_set", chapter="claim_hints", cache=None, n=2**28, reset="no", flush="none", set_aside=45 * 2**18
)
start_set_aside_mib = value(start_set_aside_bytes / MiB, ".2f")
least_state_loss = value(min(state_losses), ".1%")
most_state_loss = value(max(state_losses), ".1%")
claim("neither flush, reset nor set-aside makes the loss", at_least(sum(state_losses) / len(state_losses), 0.0))
claim(
    "the hints cost no bytes of DRAM",
    level(add_streaming_large_dram_read, add_plain_large_dram_read, within=0.001),
    level(add_streaming_dram_written, add_plain_dram_written, within=0.02),
)
claim("the loss is a share of the time", between(0.7, hint_cost_256 / hint_cost_256mi, 1.4))
claim(
    "the bulk kernel loses less than two percent cold",
    at_least(add_bulk_gb / gb("add_bulk", threads=1024, n=2**30, cache="hot", chapter="26"), 0.98),
)

# Evict-last loads gain up to 6% in large kernels that also write

add_plain_1ki_256mi_gb = gb("add_plain", threads=1024, n=2**28)
add_evict_last_1ki_256mi_gb = gb("add_evict_last", threads=1024, n=2**28)
add_gain = add_evict_last_1ki_256mi_gb / add_plain_1ki_256mi_gb - 1
last_gain_add = value(add_gain, ".1%")
copy_plain_gb = gb("copy_ordered", streams=1, window=1)
copy_evict_last_gb = gb("copy_evict_last")
copy_gain = copy_evict_last_gb / copy_plain_gb - 1
last_gain_copy = value(copy_gain, ".1%")
gate_plain_gb = gb("gate_vectors", chapter="34", n=2**28)
gate_evict_last_gb = gb("gate_vectors_evict_last", chapter="34", n=2**28)
gate_gain = gate_evict_last_gb / gate_plain_gb - 1
last_gain_gate = value(gate_gain, ".1%")
large_rows = dict(chapter="33", threads=128, n=2**28)
norm_plain_gb = gb("in_registers", result="norm", **large_rows)
norm_evict_last_gb = gb("evict_last_in_registers", result="norm", **large_rows)
norm_gain = norm_evict_last_gb / norm_plain_gb - 1
last_gain_norm = value(norm_gain, ".1%")
softmax_plain_gb = gb("in_registers", result="softmax", **large_rows)
softmax_evict_last_gb = gb("evict_last_in_registers", result="softmax", **large_rows)
softmax_gain = softmax_evict_last_gb / softmax_plain_gb - 1
last_gain_softmax = value(softmax_gain, ".1%")
scan_plain_gb = gb("ring_ahead", chapter="29", n=2**28)
scan_evict_last_gb = gb("ring_ahead_evict_last", chapter="29", n=2**28)
scan_gain = scan_evict_last_gb / scan_plain_gb - 1
last_gain_scan = value(scan_gain, ".1%")


once_plain_gb = gb("row_once", chapter="34", type="fp8", n=2**28)
once_evict_last_gb = gb("row_once_evict_last", chapter="34", type="fp8", n=2**28)
once_gain = once_evict_last_gb / once_plain_gb - 1
last_gain_once = value(once_gain, ".1%")
gate_small_gb = gb("gate_vectors", chapter="34", n=2**24)
last_small_gate = value(gb("gate_vectors_evict_last", chapter="34", n=2**24) / gate_small_gb - 1, ".1%")
small_norm = dict(result="norm", chapter="33", threads=128, n=2**24)
last_small_norm = value(gb("evict_last_in_registers", **small_norm) / gb("in_registers", **small_norm) - 1, ".1%")


def setup_gains(set_aside):
    """What evict-last loads gain in each setup with so many bytes set aside."""
    return [
        1 - ms("evict_last_after", cache=None, **setup) / ms("plain_after", cache=None, **setup)
        for setup in (
            dict(chapter="claim_hints", n=2**28, reset=reset, flush=flush, set_aside=set_aside)
            for reset in ("no", "yes")
            for flush in ("none", "plain", "marked")
        )
    ]


gains_without, gains_set_aside = setup_gains(0), setup_gains(45 * 2**18)
least_gain_without = value(min(gains_without), ".2%")
most_gain_without = value(max(gains_without), ".2%")
least_gain_set_aside = value(min(gains_set_aside), ".2%")
most_gain_set_aside = value(max(gains_set_aside), ".2%")
last_dirty_bytes = add_plain_dram_written - counter("add_evict_last", "dram_bytes_written", threads=256, large=True)
last_dirty_mb = value(last_dirty_bytes / 1000000.0, ".0f")
next_table_bytes = 28 * MiB
next_table_mib = value(next_table_bytes / MiB, ".0f")
after_hints = dict(chapter="claim_hints", cache=None, n=2**28, table=next_table_bytes, reset="no")
next_time_share = ms("next_after_evict_last", **after_hints) / ms("next_after_plain", **after_hints)
next_cost = value(next_time_share - 1, ".0%")
claim(
    "evict-last loads gain up to 6 percent, and not where rows become fp8",
    at_least(min(add_gain, copy_gain, gate_gain, norm_gain, softmax_gain, scan_gain), 0.005),
    less(max(add_gain, copy_gain, gate_gain, norm_gain, softmax_gain, scan_gain), 0.09),
    less(abs(once_gain), 0.015),
)

# Accessing many DRAM locations costs bandwidth

parts_256mi = dict(chapter="claim_parts", n=2**28)
ordered_one_stream_gb = gb("copy_ordered", streams=1, **parts_256mi)
mib_apart_16 = value(parameter("copy_ordered", "part_bytes", streams=16, **parts_256mi) / MiB, ".0f")
copy_ordered_16_streams_gb = gb("copy_ordered", streams=16, **parts_256mi)
loss_16 = value(1 - copy_ordered_16_streams_gb / ordered_one_stream_gb, ".1%")
mib_apart_17 = value(parameter("copy_ordered", "part_bytes", streams=17, **parts_256mi) / MiB, ".1f")
copy_ordered_17_streams_gb = gb("copy_ordered", streams=17, **parts_256mi)
loss_17 = value(1 - copy_ordered_17_streams_gb / ordered_one_stream_gb, ".1%")
mib_apart_1023 = value(parameter("copy_ordered", "part_bytes", streams=1023, **parts_256mi) / MiB, ".3f")
ordered_1023_gb = gb("copy_ordered", streams=1023, **parts_256mi)
copy_ordered_1023_streams_over_one_stream = ordered_1023_gb / ordered_one_stream_gb
loss_1023 = value(1 - copy_ordered_1023_streams_over_one_stream, ".1%")
mib_apart_1024 = value(parameter("copy_ordered", "part_bytes", streams=1024, **parts_256mi) / MiB, ".0f")
ordered_1ki_gb = gb("copy_ordered", streams=1024, **parts_256mi)
copy_ordered_1ki_streams_over_one_stream = ordered_1ki_gb / ordered_one_stream_gb
loss_1024 = value(1 - copy_ordered_1ki_streams_over_one_stream, ".1%")
parts_1024_over_one_1gi = gb("copy_ordered", chapter="claim_parts", n=2**30, streams=1024) / gb(
    "copy_ordered", chapter="claim_parts", n=2**30, streams=1
)
parts_1024_loss_1gi = value(1 - parts_1024_over_one_1gi, ".1%")
h100_copy_ordered_1ki_streams_gb = gb("copy_ordered", streams=1024, device=H100, **parts_256mi)
h100_copy_ordered_1ki_streams_over_one = h100_copy_ordered_1ki_streams_gb / gb(
    "copy_ordered", streams=1, device=H100, **parts_256mi
)
h100_parts_1024_loss = value(1 - h100_copy_ordered_1ki_streams_over_one, ".1%")
h100_1023_parts_gb = gb("copy_ordered", streams=1023, device=H100, **parts_256mi)
h100_parts_1023_loss = value(
    1 - h100_1023_parts_gb / gb("copy_ordered", streams=1, device=H100, **parts_256mi), ".1%"
)
claim(
    "on an H100 the distance costs less than a percent",
    at_least(h100_copy_ordered_1ki_streams_gb / h100_1023_parts_gb, 0.99),
    at_most(h100_copy_ordered_1ki_streams_over_one, 0.97),
)
claim(
    "parts that are no power of two lose, too",
    level(copy_ordered_17_streams_gb, copy_ordered_16_streams_gb, within=0.02),
    less(0.5 * loss_1024, loss_1023),
)
claim("a MiB apart is worse than a little more", faster(ordered_1023_gb, ordered_1ki_gb))
claim(
    "the blocks of an empty part behind the end cost less than two percent",
    level(
        gb("copy_ordered", streams=1025, **parts_256mi),
        ordered_1ki_gb,
        within=0.02,
    ),
)
claim("with more pages the parts lose less", more(parts_1024_over_one_1gi, copy_ordered_1ki_streams_over_one_stream))
times_8_sms = 8 * device("multiprocessors")
resident_mib = value(times_8_sms * 4 * KiB / MiB, ".1f")
kib_of_16_parts = value(times_8_sms * 4 / 16, ".0f")

# Experiments

the_hint_of_the_loads = change(
    """
on gpu
$ ./run 27 --variant add_plain --variant add_streaming --cache both
holds gb('add_streaming', threads=256, n=2**30) < 0.98 * gb('add_plain', threads=256, n=2**30)
holds 0.99 < gb('add_streaming', threads=256, n=2**30, cache='hot') / gb('add_plain', threads=256, n=2**30, cache='hot') < 1.01
in add_float4.cuh
- add4(load<hint>(x), load<hint>(y));
+ add4(*x, *y);
$ ./run 27 --variant add_plain --variant add_streaming --cache both
holds gb('add_streaming', threads=256, n=2**30) > 0.985 * gb('add_plain', threads=256, n=2**30)
"""
)
a_window_of_three = change(
    """
- {1, 16}
+ {1, 3}
$ ./run 27 --device cpu --variant copy_ordered
status 1
shows ^copy_ordered .* FAILED
"""
)
