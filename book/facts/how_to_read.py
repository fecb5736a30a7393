"""The facts of the page "How to read the results"."""

from tools.book.facts import *

page(
    "behind",
    needs="00",
    afterwards=[
        "turn bytes and a time into a bandwidth, and a bandwidth into a share of the peak",
        "tell GB from GiB, and cold from hot",
        "read the tables of the terminal, of the book and of the CPU device",
    ],
)
basic_ms = value(ms("basic", threads=256, chapter="01"), ".3f")

# Effective bandwidth

addition_gb = value(12 * 2**28 / GB, ".2f")
basic_gb = gb("basic", threads=256, chapter="01")
claim("a bandwidth is bytes over time", level(12 * 2**28 / (basic_ms / 1000) / GB, basic_gb, within=0.001))

# Theoretical peak and copy bandwidth

peak = value(device("peak_gb_per_s"), ",.0f")
per_times_1000000_peak = value(12 * 2**28 / (peak * 10**6), ".3f")
basic_share = value(share("basic", threads=256, chapter="01"), ".0%")
stream_4_0_share = value(share("stream", chapter="24", mix="4:0"), ".0%")
stream_1_share = value(share("stream", chapter="24", mix="1:1"), ".0%")
copy_gb_per_s = device("copy_gb_per_s")
copy_gb_per_s_over_peak = value(copy_gb_per_s / peak, ".0%")
claim("the peak is that of 3.201 GHz and 6016 wires", less(abs(3201000000.0 * 2 * 6016 / 8 / GB - peak), 0.1))

# GB and GiB

gib_bytes = value(GiB / GB, ".3f")

# A worked example

copy_direct_n = parameter("copy_direct", "n", chapter="07")
copy_direct_ms = value(ms("copy_direct", chapter="07"), ".3f")
copy_direct_bytes = parameter("copy_direct", "bytes", chapter="07")
copy_direct_each_bytes = value(copy_direct_bytes / GB, ".3f")
copy_direct_gb = gb("copy_direct", chapter="07")
copy_direct_share = value(share("copy_direct", chapter="07"), ".0%")
copy_direct_copy_share = value(copy_share("copy_direct", chapter="07"), ".0%")
copy_direct_gib_per_ms = value(copy_direct_bytes / GiB / (copy_direct_ms / 1000), ",.0f")
copy_of_the_bytes_ms = value(copy_direct_bytes / copy_gb_per_s / 10**6, ".3f")
claim(
    "the kernel to work out leaves a quarter to win, and its bytes are those of one copy",
    less(copy_direct_copy_share, 0.75),
    equal(copy_direct_bytes, 8 * copy_direct_n),
)

# Cold and hot

l2_bytes_mib = value(device("l2_bytes") / MiB, ".0f")
word16_table = table(
    "06_memcpy_vectorized",
    where=lambda row: row.variant == "word16" and row.unit == 4 and (row.n in (2**18, 2**21, 2**27, 2**28)),
    every_size=True,
    columns="variant, n, cold, hot",
)
word16_256ki_hot_gb = gb("word16", chapter="06", unit=4, n=2**18, cache="hot")
claim(
    "hot is much faster where the arrays fit into L2",
    at_least(word16_256ki_hot_gb / gb("word16", chapter="06", unit=4, n=2**18), 1.4),
)
word16_2mi_hot_gb = gb("word16", chapter="06", unit=4, n=2**21, cache="hot")
claim(
    "hot is much faster where the arrays fit into L2, at two million too",
    at_least(word16_2mi_hot_gb / gb("word16", chapter="06", unit=4, n=2**21), 1.4),
)
claim(
    "cold and hot agree where they do not fit",
    level(
        gb("word16", chapter="06", unit=4, n=2**28, cache="hot"),
        gb("word16", chapter="06", unit=4, n=2**28),
        within=0.03,
    ),
)
claim("small arrays are slow even when hot", at_most(word16_256ki_hot_gb / word16_2mi_hot_gb, 0.5))

# Tables in the book

by_hand_table = table(
    "01_basic_vecadd",
    where=lambda row: row.variant != "by_hand",
    columns="variant, threads, cold, hot, share, copy, spread",
)
basic_copy_share = value(copy_share("basic", threads=256, chapter="01"), ".0%")
transform_copy_share = value(copy_share("thrust::transform", chapter="01"), ".0%")
stream_2_1_gb = gb("stream", chapter="24", mix="2:1")
stream_1_gb = gb("stream", chapter="24", mix="1:1")
claim("the first kernel leaves room", at_least(gb("thrust::transform", chapter="01") / basic_gb, 1.15))
claim("a sum may be faster than a copy", more(transform_copy_share, 1.01))
claim("memory is faster at two reads to a write than at one", at_least(stream_2_1_gb / stream_1_gb, 1.01))
claim(
    "memory that only reads is nearer to the peak than one that also writes",
    at_least(stream_4_0_share / stream_1_share, 1.02),
)

# How to read a table: on the CPU device

claim(
    "equal transactions, unequal times",
    equal(
        count("blocked_x4", "load_sectors", chapter="03", threads=256),
        count("blocked_x4_loads_first", "load_sectors", chapter="03", threads=256),
    ),
    at_least(ratio(gb, "blocked_x4_loads_first", "blocked_x4", chapter="03", threads=256), 1.3),
)
modelled_share_of_peak = value(12 * 2**28 / modelled("basic", chapter="01", threads=256) / 1000000.0 / peak, ".0%")

# The ladder

ladder_chart = chart(
    "01,02,03,05", best="chapter", name="ladder", title="The best of each chapter that adds two vectors"
)
best_05_gb = best(chapter="05")
best_gb_05_over_peak = value(best_05_gb / peak, ".0%")
best_02_gb = best(chapter="02")
claim("no block size beats the first guess by much", level(best_02_gb, best(chapter="01"), within=0.02))
best_03_gb = best(chapter="03")
chapter_03_gain = value(best_03_gb / best_02_gb - 1, ".0%")
claim("chapter 03 gains a quarter", between(1.2, best_03_gb / best_02_gb, 1.3))
claim("chapter 05 arrives where chapter 03 does", level(best_05_gb, best_03_gb, within=0.02))
claim("both come close to the libraries", between(0.97, best_05_gb / best(chapter="05", library=True), 1.01))
claim("and to what memory does at that mix", level(best_05_gb, stream_2_1_gb, within=0.02))

# How a page is made

name = device("name")
multiprocessors = device("multiprocessors")
