"""The facts of the page "Vectorized memory copy: access width and bandwidth"."""

from tools.book.facts import *

page(
    "core",
    needs="05",
    afterwards=[
        "choose the access width of a copy",
        "distinguish three limits: block launch rate, bytes in flight, DRAM",
        "recognise a benchmark that measured a cache instead of DRAM",
    ],
)

# Predict

element_unit_1_gb = gb("element", unit=1, n=2**30)
cuda_memcpy_async_unit_1_1gi_gb = gb("cudaMemcpyAsync", unit=1, n=2**30)
element_share_of_library = value(100 * element_unit_1_gb / cuda_memcpy_async_unit_1_1gi_gb, ".0f")
one_byte_a_thread = number(
    """Each thread copies a single byte. A [warp](glossary.md#warp) then requests 32 bytes, a whole
[sector](glossary.md#sector), and wastes none. What percentage of the bandwidth of
`cudaMemcpyAsync` does this copy reach?""",
    element_share_of_library,
    "10",
    unit="%",
    fold="""{element_unit_1_gb} of {cuda_memcpy_async_unit_1_1gi_gb} GB/s.""",
)
word4_unit_1_gb = gb("word4", unit=1, n=2**30)
word8_unit_1_gb = gb("word8", unit=1, n=2**30)
word16_unit_1_1gi_gb = gb("word16", unit=1, n=2**30)
word4_over_library = value(word4_unit_1_gb / cuda_memcpy_async_unit_1_1gi_gb, ".0%")
word8_over_library = value(word8_unit_1_gb / cuda_memcpy_async_unit_1_1gi_gb, ".0%")
word16_over_library = value(word16_unit_1_1gi_gb / cuda_memcpy_async_unit_1_1gi_gb, ".1%")
the_first_that_keeps_up = choice(
    """Copy the same bytes as words of 4, 8 and 16 bytes. Which is the smallest that matches `cudaMemcpyAsync`?""",
    {
        "4 bytes": at_least(word4_over_library, 0.97),
        "8 bytes": both(at_most(word4_over_library, 0.97), at_least(word8_over_library, 0.97)),
        "16 bytes": both(at_most(word8_over_library, 0.97), at_least(word16_over_library, 0.97)),
        "none of them": at_most(word16_over_library, 0.97),
    },
    right="16 bytes",
    fold="""They reach {word4_unit_1_gb}, {word8_unit_1_gb}
and {word16_unit_1_1gi_gb} GB/s; `cudaMemcpyAsync` reaches {cuda_memcpy_async_unit_1_1gi_gb} GB/s.""",
)
word16_2mi_hot_gb = gb("word16", unit=8, n=2**21, cache="hot")
peak = value(device("peak_gb_per_s"), ",.0f")
word16_gb_2mi_hot_over_peak = value(word16_2mi_hot_gb / peak, ".0%")
word16_2mi_gb = gb("word16", unit=8, n=2**21)
word16_gb_2mi_over_peak = value(word16_2mi_gb / peak, ".0%")
more_than_the_peak = choice(
    """An article reports more than peak memory bandwidth for some small arrays. Is that possible?""",
    {
        "no, its clock must be wrong": less(word16_gb_2mi_hot_over_peak, 1),
        "yes, if the arrays were in a cache": both(more(word16_gb_2mi_hot_over_peak, 1), less(word16_2mi_gb, peak)),
        "yes, even if every byte comes from DRAM": at_most(peak, word16_2mi_gb),
    },
    right="yes, if the arrays were in a cache",
    fold="""Arrays of 16 MiB that the previous launch left in L2 are copied at {word16_gb_2mi_hot_over_peak} of DRAM's peak; from
DRAM at {word16_gb_2mi_over_peak}.""",
)

# Memory transactions

count_counts = counts(
    "06_memcpy_vectorized",
    where=lambda row: row.n == 262144 and row.unit == 1,
    every_size=True,
    columns="variant, unit, word, load_requests, load_sectors, load_sectors_per_request, load_efficiency, store_efficiency",
)
element_load_requests = count("element", "load_requests", unit=1, n=262144)
word16_load_requests = count("word16", "load_requests", unit=1, n=262144)
element_over_word16_loads = element_load_requests / word16_load_requests
claim(
    "every width moves the same sectors",
    equal(
        count("element", "load_sectors", unit=1, n=262144),
        count("word4", "load_sectors", unit=1, n=262144),
        count("word8", "load_sectors", unit=1, n=262144),
        count("word16", "load_sectors", unit=1, n=262144),
    ),
)
claim(
    "every byte is used at every width",
    equal(
        min(
            count("element", "load_efficiency", unit=1, n=262144),
            count("word4", "load_efficiency", unit=1, n=262144),
            count("word8", "load_efficiency", unit=1, n=262144),
            count("word16", "load_efficiency", unit=1, n=262144),
        ),
        1,
    ),
)
claim("one byte per thread takes sixteen times the requests", equal(element_load_requests, 16 * word16_load_requests))

# Results

sizes_chart = chart(
    "06_memcpy_vectorized",
    where=lambda row: row.unit == 1 and row.variant != "cub::DeviceTransform",
    x="n",
    lines="variant",
    name="sizes",
    title="Copies of single bytes",
    every_size=True,
)
measure_table = table(
    "06_memcpy_vectorized",
    where=lambda row: row.bytes == 2 * GiB,
    every_size=True,
    columns="variant, unit, word, cold, hot, share, copy",
)
element_over_library = value(element_unit_1_gb / cuda_memcpy_async_unit_1_1gi_gb, ".0%")
claim("one byte per thread reaches less than a quarter of the library", at_most(element_over_library, 0.25))
claim(
    "each doubling of the word pays",
    faster(word4_unit_1_gb, element_unit_1_gb),
    faster(word8_unit_1_gb, word4_unit_1_gb),
    faster(word16_unit_1_1gi_gb, word8_unit_1_gb),
)
word16_256mi_gb = gb("word16", unit=4, n=2**28)
claim(
    "the unit does not decide",
    level(word4_unit_1_gb, gb("word4", unit=2, n=2**29), within=0.02),
    level(word16_unit_1_1gi_gb, word16_256mi_gb, within=0.02),
)
word16_unit_2_512mi_gb = gb("word16", unit=2, n=2**29)
cuda_memcpy_async_unit_2_512mi_gb = gb("cudaMemcpyAsync", unit=2, n=2**29)
word16_over_library_unit_2 = word16_unit_2_512mi_gb / cuda_memcpy_async_unit_2_512mi_gb
cuda_memcpy_async_256mi_gb = gb("cudaMemcpyAsync", unit=4, n=2**28)
word16_over_cuda_memcpy_async_256mi = word16_256mi_gb / cuda_memcpy_async_256mi_gb
word16_128mi_gb = gb("word16", unit=8, n=2**27)
cuda_memcpy_async_128mi_gb = gb("cudaMemcpyAsync", unit=8, n=2**27)
word16_over_cuda_memcpy_async_128mi = word16_128mi_gb / cuda_memcpy_async_128mi_gb
claim(
    "at least equal to the library at 1 GiB",
    more(
        min(
            word16_over_library,
            word16_over_library_unit_2,
            word16_over_cuda_memcpy_async_256mi,
            word16_over_cuda_memcpy_async_128mi,
        ),
        0.997,
    ),
)
claim(
    "and not far ahead",
    less(
        max(
            word16_over_library,
            word16_over_library_unit_2,
            word16_over_cuda_memcpy_async_256mi,
            word16_over_cuda_memcpy_async_128mi,
        ),
        1.02,
    ),
)
claim(
    "ahead at 1 GiB, at every unit size, beyond the intervals",
    faster(word16_unit_1_1gi_gb, cuda_memcpy_async_unit_1_1gi_gb),
    faster(word16_unit_2_512mi_gb, cuda_memcpy_async_unit_2_512mi_gb),
    faster(word16_256mi_gb, cuda_memcpy_async_256mi_gb),
    faster(word16_128mi_gb, cuda_memcpy_async_128mi_gb),
)

# Analysis

claim(
    "the counters agree",
    equal(
        counter("element", "l2_read_sectors", unit=1, n=2**18),
        counter("word4", "l2_read_sectors", unit=1, n=2**18),
        counter("word8", "l2_read_sectors", unit=1, n=2**18),
        counter("word16", "l2_read_sectors", unit=1, n=2**18),
        count("word16", "load_sectors", unit=1, n=2**18),
    ),
)

# One byte per thread: the block launch rate is the limit

element_unit_1_ms = ms("element", unit=1, n=2**30)
coarsened_requests_ratio = value(
    count("striped_x4_loads_first", "load_requests", chapter="03", threads=256)
    / count("striped_x4_loads_first", "n", chapter="03", threads=256)
    * 2**28
    / ms("striped_x4_loads_first", chapter="03", threads=256)
    / (2**30 / 32 / element_unit_1_ms),
    ".1f",
)
coarsened_bytes_ratio = value(gb("striped_x4_loads_first", chapter="03", threads=256) / element_unit_1_gb, ".1f")
claim(
    "another kernel makes more requests, and moves more than five times the bytes",
    at_least(coarsened_requests_ratio, 1.4),
    between(5, coarsened_bytes_ratio, 6),
)
per_element_unit_1_ms = value(2**30 / 256 / element_unit_1_ms / 10**3, ",.0f")
basic_gb = gb("basic", threads=128, chapter="02")
basic_128_threads_ms = ms("basic", threads=128, chapter="02")
per_basic_128_ms = value(2**28 / 128 / basic_128_threads_ms / 10**3, ",.0f")
launch_ns = ns("launch", chapter="23", threads=256)
per_launch_ns = value(1000 / launch_ns, ",.0f")
element_unit_4_gb = gb("element", unit=4, n=2**28)
twice_element_unit_4_gb = value(2 * element_unit_4_gb, ",.0f")
claim(
    "words of 8 bytes, at the residencies of words of 4, would be faster than the peak",
    less(1.1 * peak, twice_element_unit_4_gb),
)
noted_larger_blocks_on_a_gpu = noted("larger_blocks_on_a_gpu")
claim("with blocks of 1024 one byte per thread loses a tenth or so", between(0.8, noted_larger_blocks_on_a_gpu, 0.95))
claim("and they are no faster", less(noted_larger_blocks_on_a_gpu, 1))
claim("at bandwidths that differ by three", between(2.7, basic_gb / element_unit_1_gb, 3.3))
basic_64_threads_ms = ms("basic", threads=64, chapter="02")
claim(
    "a byte per thread starts nearly as many blocks per second as chapter 02 with 64 threads",
    between(0.93, (2**30 / 256 / element_unit_1_ms) / (2**28 / 64 / basic_64_threads_ms), 1),
)
claim(
    "chapter 02 starts as many blocks per second with 128 threads as with 64",
    level(2**28 / 128 / basic_128_threads_ms, 2**28 / 64 / basic_64_threads_ms, within=0.03),
)
element_unit_2_ms = ms("element", unit=2, n=2**29)
element_unit_4_ms = ms("element", unit=4, n=2**28)
claim(
    "no width starts more",
    at_most(
        max(2**30 / element_unit_1_ms, 2**29 / element_unit_2_ms, 2**28 / element_unit_4_ms)
        / 256
        / (2**28 / 64 / basic_64_threads_ms),
        1.03,
    ),
)

# Four and eight bytes per thread: too few bytes are in flight

element_share = value(share("element", unit=4, n=2**28), ".0%")
per_element_unit_4_ms = value(2**28 / 256 / element_unit_4_ms / 10**3, ",.0f")
element_over_2_unit_4_gb = value(element_unit_4_gb / 2, ",.0f")
multiprocessors = device("multiprocessors")
turn_of_a_place_ns = value(2048 * 4 * multiprocessors / element_over_2_unit_4_gb, ",.0f")
word8_unit_4_gb = gb("word8", unit=4, n=2**28)
word8_share = value(share("word8", unit=4, n=2**28), ".0%")
word16_share = value(share("word16", unit=4, n=2**28), ".0%")
four_element_unit_4_gb = value(4 * element_unit_4_gb, ",.0f")
chase_ns = value(ns("chase", chapter="21", table=GiB, order="random", cache="cold"), ".0f")
copy_per_sm_ns = value(ns("copy_one_per_sm", chapter="23", threads=256) * multiprocessors, ".0f")
read_4_bytes_gb = value(gb("read", chapter="22", width=4, loads=1, warps=64), ",.0f")
read_8_bytes_gb = gb("read", chapter="22", width=8, loads=1, warps=64)
read_16_bytes_gb = gb("read", chapter="22", width=16, loads=1, warps=64)
claim(
    "with as many bytes per thread a copy reads half as much as a persistent kernel",
    between(0.45, element_over_2_unit_4_gb / read_4_bytes_gb, 0.55),
    between(0.45, word8_unit_4_gb / 2 / read_8_bytes_gb, 0.55),
    between(0.45, word16_256mi_gb / 2 / read_16_bytes_gb, 0.55),
)
claim(
    "most of a slot's turnover in the copy of four bytes is what a block alone takes",
    between(0.65, copy_per_sm_ns / turn_of_a_place_ns, 0.9),
)
claim(
    "more bytes in flight do the same to kernels that only read",
    at_least(read_8_bytes_gb / read_4_bytes_gb / (read_16_bytes_gb / read_8_bytes_gb), 1.2),
)
element_unit_1_of_launch_rate = value(launch_ns * 2**30 / 256 / (element_unit_1_ms * 10**6), ".0%")
element_of_launch_rate = value(launch_ns * 2**29 / 256 / (element_unit_2_ms * 10**6), ".0%")
claim("and nearly as many as blocks that do nothing", between(0.93, element_unit_1_of_launch_rate, 1))
claim(
    "four bytes per thread are not",
    at_most(2**28 / 256 / element_unit_4_ms / (2**28 / 64 / basic_64_threads_ms), 0.9),
)
claim(
    "from 4 to 8 bytes pays more than from 8 to 16",
    at_least(word8_unit_4_gb / element_unit_4_gb / (word16_256mi_gb / word8_unit_4_gb), 1.2),
)

# Small arrays: hot results come from L2, and from warm code

l2_bytes_mib = device("l2_bytes") / MiB
word16_table = table(
    "06_memcpy_vectorized",
    where=lambda row: row.n == 2097152 and row.variant == "word16",
    every_size=True,
    columns="variant, unit, bytes, cold, hot",
)
claim(
    "hot in L2 is a tenth faster than any copy from DRAM",
    at_least(gb("word16", unit=8, n=2**21, cache="hot") / best(library=True, n=2**27, unit=8), 1.1),
)
claim("cold is far below hot where the arrays fit into L2", at_most(word16_2mi_gb / word16_2mi_hot_gb, 0.8))
claim("the cold rows are below the peak", less(high("word16", unit=8, n=2**21), peak))
word16_unit_4_1gi_gb = gb("word16", unit=4, n=2**30)
word16_unit_4_1gi_hot_gb = gb("word16", unit=4, n=2**30, cache="hot")
word16_hot_over_cold_apart = value(abs(word16_unit_4_1gi_hot_gb / word16_unit_4_1gi_gb - 1), ".1%")
word16_256ki_ms = ms("word16", unit=1, n=2**18)
word16_256ki_us = value(1000 * word16_256ki_ms, ".1f")
word16_2mi_ms = ms("word16", unit=1, n=2**21)
word16_2mi_us = value(1000 * word16_2mi_ms, ".1f")
# Behind another launch the kernel's code is warm, and its data are in DRAM (`other`) or in the L2 (`same`); a row is of both launches.
warm = dict(chapter="claim_warm_code", n=2**20)
copy_cold_us = value(1000 * ms("copy", behind="nothing", **warm), ".1f")
copy_hot_us = value(1000 * ms("copy", behind="nothing", cache="hot", **warm), ".1f")
copy_second_on_other_us = value(
    1000 * (ms("copy", behind="other", **warm) - ms("copy", behind="nothing", **warm)), ".1f"
)
copy_second_on_same_us = value(1000 * (ms("copy", behind="same", **warm) - ms("copy", behind="nothing", **warm)), ".1f")
empty_cold_us = value(1000 * ms("empty", behind="nothing", chapter="claim_warm_code", n=1), ".1f")
empty_hot_us = value(1000 * ms("empty", behind="nothing", chapter="claim_warm_code", n=1, cache="hot"), ".1f")
claim(
    "at 4 MiB both warm code and data in the L2 save time",
    less(0.3, copy_cold_us - copy_second_on_other_us),
    less(0.3, copy_second_on_other_us - copy_second_on_same_us),
)
empty_gain_us = value(empty_cold_us - empty_hot_us, ".1f")
copy_gain_us = value(copy_cold_us - copy_hot_us, ".1f")
claim("an empty kernel gains roughly half of what the copy does", between(0.35, empty_gain_us / copy_gain_us, 0.75))
claim("at 4 GiB hot and cold are within two percent", level(word16_unit_4_1gi_hot_gb, word16_unit_4_1gi_gb, within=0.02))
claim(
    "eight times the bytes take less than twice the time where they are few",
    at_most(word16_2mi_ms / word16_256ki_ms, 2),
)

# Results of the library

cub_transform_unit_1_gb = gb("cub::DeviceTransform", unit=1, n=2**30)
cub_transform_over_word16_1gi_unit_1 = cub_transform_unit_1_gb / word16_unit_1_1gi_gb
cub_behind_word16 = value(1 - cub_transform_over_word16_1gi_unit_1, ".0%")
cub_transform_unit_2_gb = gb("cub::DeviceTransform", unit=2, n=2**29)
cub_gain_over_word16 = value(cub_transform_unit_2_gb / word16_unit_2_512mi_gb - 1, ".1%")
claim("the library is behind for bytes", at_most(cub_transform_over_word16_1gi_unit_1, 0.97))
claim(
    "the library is ahead of all for shorts",
    faster(cub_transform_unit_2_gb, max(cuda_memcpy_async_unit_2_512mi_gb, word16_unit_2_512mi_gb)),
)

# Experiments

words_of_32 = change(
    """
- template<class Element>
- void run_units(common::Chapter& chapter)
+ struct Word32 { uint4 low, high; };
+ template<class Element>
+ void run_units(common::Chapter& chapter)
- run_words<Element, uint4>(chapter, problem, "word16");
+ run_words<Element, uint4>(chapter, problem, "word16");
+ run_words<Element, Word32>(chapter, problem, "word32");
$ ./run 06 --device cpu --variant word32
holds count('word32', 'load_sectors_per_request', unit=1, n=262144) == 32
holds count('word32', 'load_efficiency', unit=1, n=262144) == 0.5
"""
)
larger_blocks_change_no_count = change(
    """
- threads = 256;
+ threads = 1024;
$ ./run 06 --device cpu --variant element --variant word16
holds count('element', 'load_requests', unit=1, n=262144) == book_count('element', 'load_requests', unit=1, n=262144)
holds count('word16', 'load_sectors', unit=1, n=262144) == book_count('word16', 'load_sectors', unit=1, n=262144)
"""
)
larger_blocks_on_a_gpu = change(
    """
on gpu
- threads = 256;
+ threads = 1024;
$ ./run 06 --variant element --variant word16 --variant cudaMemcpyAsync
holds 0.95 < gb('word16', unit=1, n=2**30) / gb('cudaMemcpyAsync', unit=1, n=2**30) < 1.05
notes gb('element', unit=1, n=2**30) / book_gb('element', unit=1, n=2**30)
"""
)
element_larger_blocks_gb = noted_larger_blocks_on_a_gpu * element_unit_1_gb
nobody_for_the_tail = change(
    """
$ ./run 06 --device cpu --n 1000003
shows ^word16 .* yes
- } else if (i == words) {
- for (std::size_t k = words * units; k < n; ++k) {
- c[k] = a[k];
- }
- }
+ }
$ ./run 06 --device cpu --n 1000003
status 1
shows was never written
"""
)
