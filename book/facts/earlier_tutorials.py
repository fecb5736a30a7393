"""The facts of the page "Common benchmarking mistakes"."""

from tools.book.facts import *

page(
    "behind",
    needs="03",
    afterwards=["recognise the common mistakes of memory benchmarks, and choose the check that finds each"],
)

# Units and formulas

gib_share_too_small = value(1 - GB / GiB, ".1%")
gib_share_correction = value(GiB / GB - 1, ".1%")
basic_share = value(share("basic", chapter="01", threads=256), ".1%")
basic_share_gib = value(basic_share * GB / GiB, ".1%")
rtx3090_peak = device("peak_gb_per_s", device="rtx3090")
article_16_byte_mixed = value(
    gb("vector_16B", chapter="06", device="rtx3090", unit=8, n=2**18) * GB / GiB / rtx3090_peak, ".0%"
)
rtx3090_vector_16_b_share = value(share("vector_16B", chapter="06", device="rtx3090", unit=8, n=2**18), ".0%")
memcpy_async_mixed = value(
    gb("cudaMemcpyAsync", chapter="06", device="rtx3090", unit=8, n=2**27) * GB / GiB / rtx3090_peak, ".0%"
)
rtx3090_memcpy_async_share = value(
    share("cudaMemcpyAsync", chapter="06", device="rtx3090", unit=8, n=2**27), ".0%"
)
claim("mixed units lose seven in a hundred", between(1.07, GiB / GB, 1.08))

basic_ms = ms("basic", chapter="01", threads=256)
per_basic_ms = value(8 * 2**28 + 4 * 2**28 / GB / (basic_ms / 1000), ",.0f")
per_basic_ms_2 = value((8 * 2**28 + 4 * 2**28) / GB / (basic_ms / 1000), ",.0f")

# Timing

peak_table = table(
    "06_memcpy_vectorized",
    device="rtx3090",
    where=lambda row: row.variant in ("naive", "vector_16B", "cudaMemcpyAsync") and row.unit == 8 and (row.n > 0),
    every_size=True,
    columns="variant, n, gb, share",
)
rtx3090_l2_bytes = device("l2_bytes", device="rtx3090")
rtx3090_l2_bytes_mib = rtx3090_l2_bytes / MiB
rtx3090_naive_bytes = parameter("naive", "bytes", chapter="06", device="rtx3090", unit=8, n=2**18)
rtx3090_naive_bytes_mib = rtx3090_naive_bytes / MiB
claim(
    "the published small copy exceeds the peak",
    more(share("naive", chapter="06", device="rtx3090", unit=8, n=2**18), 1.1),
)
claim("and fits into that GPU's L2", less(rtx3090_naive_bytes, rtx3090_l2_bytes))

word16_bytes_mib = parameter("word16", "bytes", chapter="06", unit=4, n=2**21) / MiB
word16_hot_over_cold = value(
    gb("word16", chapter="06", unit=4, n=2**21, cache="hot") / gb("word16", chapter="06", unit=4, n=2**21), ".1f"
)
claim("hot repeats flatter", at_least(word16_hot_over_cold, 1.4))

basic_n = counter("basic", "n", chapter="01", threads=256)
four_basic_n_mib = 4 * basic_n / MiB
basic_dram_written = counter("basic", "dram_bytes_written", chapter="01", threads=256)
claim(
    "stores stay in L2",
    at_most(basic_dram_written / (4 * basic_n), 0.01),
    equal(counter("basic", "l2_write_sectors", chapter="01", threads=256), 4 * basic_n / 32),
)

# Kernels

word16_unit_1_gb = gb("word16", chapter="06", unit=1, n=2**30)
cuda_memcpy_async_gb = gb("cudaMemcpyAsync", chapter="06", unit=1, n=2**30)
word16_over_memcpy_async = value(word16_unit_1_gb / cuda_memcpy_async_gb, ".0%")
claim(
    "a plain 16-byte copy of bytes keeps up with the library's",
    level(word16_unit_1_gb, cuda_memcpy_async_gb, within=0.03),
)

# Our own mistakes

float4_warps_active = value(counter("float4", "warps_active_percent", chapter="05", threads=256), ".0f")
float4_large_warps_active = value(
    counter("float4", "warps_active_percent", chapter="05", threads=256, large=True), ".0f"
)
basic_warps_active = value(counter("basic", "warps_active_percent", chapter="01", threads=256), ".0f")
basic_large_warps_active = value(counter("basic", "warps_active_percent", chapter="01", threads=256, large=True), ".0f")
claim(
    "counters of a short launch say the opposite",
    less(float4_warps_active, basic_warps_active),
    less(basic_large_warps_active, float4_large_warps_active),
)
