"""The facts of the page "Benchmarking method"."""

from tools.book.facts import *

page(
    "behind",
    needs="how_to_read",
    afterwards=[
        "say how a launch of a few microseconds is timed, and what its interval means",
        "tell whether two of your results differ by more than chance",
    ],
)

# Cold and hot

cold_hot_table = table(
    "06_memcpy_vectorized",
    where=lambda row: row.variant in ("word16", "cudaMemcpyAsync")
    and row.unit == 8
    and (row.n in (2**18, 2**21, 2**27)),
    every_size=True,
    columns="variant, unit, n, cold, hot, share",
)
word16_hot_share = value(share("word16", chapter="06", unit=8, n=2**21, cache="hot"), ".0%")
word16_bytes = parameter("word16", "bytes", chapter="06", unit=8, n=2**21)
word16_bytes_mib = word16_bytes / MiB
l2_bytes = device("l2_bytes")
l2_bytes_mib = l2_bytes / MiB
claim(
    "what fits into L2 is faster than any stream from DRAM",
    more(word16_hot_share, share("stream", chapter="24", mix="4:0")),
    less(word16_bytes, l2_bytes),
)
claim("cold it stays below the peak", less(share("word16", chapter="06", unit=8, n=2**21), 0.8))
# Reproducibility

cuda_memcpy_async_06_unit_1_gb = gb("cudaMemcpyAsync", chapter="06", unit=1, n=2**30)
cuda_memcpy_async_06_unit_2_gb = gb("cudaMemcpyAsync", chapter="06", unit=2, n=2**29)
cuda_memcpy_async_06_unit_4_gb = gb("cudaMemcpyAsync", chapter="06", unit=4, n=2**28)
cuda_memcpy_async_06_unit_8_gb = gb("cudaMemcpyAsync", chapter="06", unit=8, n=2**27)
cuda_memcpy_async_gb = gb("cudaMemcpyAsync", chapter="07")
cuda_memcpy_async_19_16ki_rows_gb = gb("cudaMemcpyAsync", chapter="19", rows=16384)
cuda_memcpy_async_20_16ki_rows_gb = gb("cudaMemcpyAsync", chapter="20", rows=16384)
cuda_memcpy_async_26_unit_1_gb = gb("cudaMemcpyAsync", chapter="26", unit=1, n=2**30)
cuda_memcpy_async_26_unit_2_gb = gb("cudaMemcpyAsync", chapter="26", unit=2, n=2**29)
cuda_memcpy_async_26_unit_4_gb = gb("cudaMemcpyAsync", chapter="26", unit=4, n=2**28)
cuda_memcpy_async_26_unit_8_gb = gb("cudaMemcpyAsync", chapter="26", unit=8, n=2**27)
cuda_memcpy_async_unit_16_gb = gb("cudaMemcpyAsync", chapter="27", unit=16)
copies = (
    cuda_memcpy_async_06_unit_1_gb,
    cuda_memcpy_async_06_unit_2_gb,
    cuda_memcpy_async_06_unit_4_gb,
    cuda_memcpy_async_06_unit_8_gb,
    cuda_memcpy_async_gb,
    cuda_memcpy_async_19_16ki_rows_gb,
    cuda_memcpy_async_20_16ki_rows_gb,
    cuda_memcpy_async_26_unit_1_gb,
    cuda_memcpy_async_26_unit_2_gb,
    cuda_memcpy_async_26_unit_4_gb,
    cuda_memcpy_async_26_unit_8_gb,
    cuda_memcpy_async_unit_16_gb,
)
copies_of_1_gib = value(len(copies), ".0f")
least_memcpy_async_gb, most_memcpy_async_gb = min(*copies), max(*copies)
most_cuda_memcpy_async_over_least_cuda = most_memcpy_async_gb / least_memcpy_async_gb
copies_apart = value(most_cuda_memcpy_async_over_least_cuda - 1, ".1%")
claim("copies of 1 GiB differ by less than two percent", at_most(most_cuda_memcpy_async_over_least_cuda, 1.02))

# From process to process

histogram_rounds = parameter(
    "cub::DeviceHistogram::HistogramEven", "rounds", chapter="30", elements="bytes", values="uniform", n=2**30
)
few_bytes = dict(chapter="06", n=2**18, unit=1)
second_cold_us = value(1000 * (ms("word4", device=SECOND, **few_bytes) - ms("word4", **few_bytes)), ".1f")
second_hot_us = value(
    1000 * (ms("word4", device=SECOND, cache="hot", **few_bytes) - ms("word4", cache="hot", **few_bytes)), ".1f"
)
claim("on the second machine short cold rows take longer", more(second_cold_us, 1))
throttled_longer = value(histogram_rounds[1] / histogram_rounds[2] - 1, ".1%")
basic_256_threads_02_gb = gb("basic", threads=256, chapter="02")
claim(
    "one kernel in two processes agrees",
    level(gb("basic", threads=256, chapter="01"), basic_256_threads_02_gb, within=0.01),
)
claim(
    "one copy in two processes agrees",
    level(gb("copy_direct", chapter="07"), gb("element", unit=4, n=2**28, chapter="06"), within=0.01),
)
word16_unit_4_ms = ms("word16", chapter="06", unit=4, n=2**18)
per_word16_unit_4_ms = value(3.2e-05 / word16_unit_4_ms, ".1%")
word16_unit_1_ms = ms("word16", chapter="06", unit=1, n=2**18)
word16_unit_1_us = value(word16_unit_1_ms * 1000, ".2f")
word16_unit_4_us = value(word16_unit_4_ms * 1000, ".2f")
claim("a time is a multiple of 32 ns", less(abs(word16_unit_4_ms / 3.2e-05 - round(word16_unit_4_ms / 3.2e-05)), 0.01))
element_ms = ms("element", chapter="06", unit=1, n=2**21)
claim("another time is a multiple of 32 ns", less(abs(element_ms / 3.2e-05 - round(element_ms / 3.2e-05)), 0.01))
word8_ms = ms("word8", chapter="06", unit=1, n=2**18)
claim("a third time is a multiple of 32 ns", less(abs(word8_ms / 3.2e-05 - round(word8_ms / 3.2e-05)), 0.01))
claim("the smallest copies cost the launch", at_most(word16_unit_4_ms / word16_unit_1_ms, 1.3))

# The reference results

name = device("name")
driver = environment("driver", chapter="02")
toolkit = environment("toolkit", chapter="02")

# Known limitations

sustained = dict(chapter="claim_power", memory="DRAM")
read_watts = value(parameter("read", "watts", **sustained), ".0f")
power_limit = value(environment("machine", chapter="24")["power_limit_w"], ".0f")
# The driver's word for the set-aside that every program starts with, where an experiment sets it again.
start_set_aside_bytes = parameter(
    "plain_after", "set_aside_set", chapter="claim_hints", cache=None, n=2**28, reset="no", flush="none", set_aside=45 * 2**18
)
start_set_aside_mib = value(start_set_aside_bytes / MiB, ".2f")
smaller_set_aside_behind = value(
    1 - gb("smaller_set_aside", chapter="18", set_aside=50) / gb("ordinary", chapter="18", window=25), ".0%"
)

# Is it faster?

add_bulk_576_low = low("add_bulk", chapter="26", threads=576, n=2**30)
add_bulk_576_high = high("add_bulk", chapter="26", threads=576, n=2**30)
add_bulk_960_low = low("add_bulk", chapter="26", threads=960, n=2**30)
add_bulk_960_high = high("add_bulk", chapter="26", threads=960, n=2**30)
memcpy_async_06_low = low("cudaMemcpyAsync", chapter="06", unit=4, n=2**28)
memcpy_async_06_high = high("cudaMemcpyAsync", chapter="06", unit=4, n=2**28)
memcpy_async_26_low = low("cudaMemcpyAsync", chapter="26", unit=4, n=2**28)
memcpy_async_26_high = high("cudaMemcpyAsync", chapter="26", unit=4, n=2**28)
basic_low = low("basic", chapter="02", threads=256)
basic_high = high("basic", chapter="02", threads=256)
float4_low = low("float4", chapter="05", threads=256)
float4_high = high("float4", chapter="05", threads=256)
claim(
    "of three pairs the second overlaps",
    # The answer is about the intervals that the page shows, and no other record's: they are plain numbers here.
    more(float(memcpy_async_06_high), float(memcpy_async_26_low)),
    more(float(memcpy_async_26_high), float(memcpy_async_06_low)),
)
claim("the third is far apart", at_least(gb("float4", chapter="05", threads=256) / basic_256_threads_02_gb, 1.1))
