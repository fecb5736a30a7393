"""The facts of the page "Embedding lookup and scatter-add"."""

from tools.book.facts import *

page(
    "side",
    needs="17 22 25",
    afterwards=[
        "read rows of a table in any order nearly as fast as a copy",
        "choose between atomics and a segmented sum for accumulating rows",
    ],
)
gathered_rows_random = dict(result="gathered rows", indices="random")
row_per_thread_8ki_bytes_ms = ms("row_per_thread", row_bytes=8192, **gathered_rows_random)
row_per_group_8ki_random = value(ms("row_per_group", row_bytes=8192, **gathered_rows_random), ".3f")
row_embeddings_times = value(row_per_thread_8ki_bytes_ms / row_per_group_8ki_random, ".1f")

# Predict

row_per_thread_sectors_per_store = count(
    "row_per_thread", "store_sectors_per_request", row_bytes=8192, **gathered_rows_random
)
row_per_group_sectors_per_store = count(
    "row_per_group", "store_sectors_per_request", row_bytes=8192, **gathered_rows_random
)
sectors_of_a_store = number(
    """Each thread copies a row of 8 KiB with 16-byte accesses. How many [sectors](glossary.md#sector) does one store of a [warp](glossary.md#warp) touch?""",
    row_per_thread_sectors_per_store,
    "1",
    fold="""One per lane, and half of each is used. Where adjacent threads store adjacent vectors it is {row_per_group_sectors_per_store}.""",
)
row_per_group_8ki_gb = gb("row_per_group", row_bytes=8192, **gathered_rows_random)
row_per_group_random_copy_share = value(copy_share("row_per_group", row_bytes=8192, **gathered_rows_random), ".0%")
random_rows = choice(
    """Rows of 8 KiB are read by 128 threads each, in random order, from a table of 512 MiB. What share of the bandwidth of a copy by `cudaMemcpyAsync` does that reach?""",
    {
        "about half of it": less(row_per_group_random_copy_share, 0.7),
        "some 80 percent": between(0.7, row_per_group_random_copy_share, 0.88),
        "more than 90 percent": more(row_per_group_random_copy_share, 0.9),
    },
    right="more than 90 percent",
    fold="""It reaches {row_per_group_8ki_gb} GB/s, {row_per_group_random_copy_share} of a copy.""",
)
vector_per_thread_8ki_gb = gb("vector_per_thread", row_bytes=8192, **gathered_rows_random)
vector_per_thread_64_random_gb = gb("vector_per_thread", row_bytes=64, **gathered_rows_random)
vector_per_thread_64_bytes_random_over_8ki = vector_per_thread_64_random_gb / vector_per_thread_8ki_gb
rows_of_64_bytes = choice(
    """Now each thread copies one 16-byte vector, and rows have 64 bytes instead of 8 KiB, with the same total size. What share of the bandwidth is left?""",
    {
        "nearly all": at_least(vector_per_thread_64_bytes_random_over_8ki, 0.92),
        "about four fifths": between(0.6, vector_per_thread_64_bytes_random_over_8ki, 0.92),
        "less than half": at_most(vector_per_thread_64_bytes_random_over_8ki, 0.5),
    },
    right="about four fifths",
    fold="""{vector_per_thread_64_random_gb} GB/s instead of {vector_per_thread_8ki_gb}.""",
)

# Memory transactions

count_counts = counts(
    "35_indexed_rows",
    where=lambda row: row.result == "gathered rows" and row.indices == "random" and (row.row_bytes in (64, 8192))
    and row.variant != "row_per_group_hinted",
    columns="variant, row_bytes, load_requests, load_sectors, store_requests, store_sectors",
)
warp_over_four_lanes = value(
    ratio(count, "row_per_warp", "vector_per_thread", "store_requests", row_bytes=64, **gathered_rows_random),
    ".0f",
)
row_per_group_gathered_rows_store_sectors = count("row_per_group", "store_sectors", row_bytes=8192, **gathered_rows_random)
claim(
    "a thread with a row stores to twice as many sectors",
    equal(
        count("row_per_thread", "store_sectors", row_bytes=8192, **gathered_rows_random),
        2 * row_per_group_gathered_rows_store_sectors,
    ),
)
claim(
    "pages change nothing about what is stored",
    equal(
        count("row_per_group", "store_sectors", result="read from pages", row_bytes=8192),
        row_per_group_gathered_rows_store_sectors,
        count("row_per_group", "store_sectors", result="appended to pages", row_bytes=8192),
    ),
)

# Results

gathered_chart = chart(
    "35_indexed_rows",
    where=lambda row: row.n == 2**28
    and row.result == "gathered rows"
    and (row.columns == 4096)
    and (row.indices != "sorted"),
    every_size=True,
    name="gathered",
    title="65,536 rows of 8 KiB, in random order",
)
row_per_thread_64_gb = gb("row_per_thread", row_bytes=64, **gathered_rows_random)
row_per_warp_64_gb = gb("row_per_warp", row_bytes=64, **gathered_rows_random)
row_per_group_64_gb = gb("row_per_group", row_bytes=64, **gathered_rows_random)
row_per_thread_512_gb = gb("row_per_thread", row_bytes=512, **gathered_rows_random)
vector_per_thread_512_gb = gb("vector_per_thread", row_bytes=512, **gathered_rows_random)
row_per_warp_512_gb = gb("row_per_warp", row_bytes=512, **gathered_rows_random)
row_per_group_512_gb = gb("row_per_group", row_bytes=512, **gathered_rows_random)
row_per_thread_8ki_gb = gb("row_per_thread", row_bytes=8192, **gathered_rows_random)
row_per_warp_8ki_gb = gb("row_per_warp", row_bytes=8192, **gathered_rows_random)
gathered_rows_table = table(
    "35_indexed_rows",
    where=lambda row: row.n == 2**28 and row.result == "gathered rows",
    every_size=True,
    columns="variant, row_bytes, indices, ms, cold, copy",
)

# Long rows: random order costs only repeated fetches

gathered_rows_sorted = dict(result="gathered rows", indices="sorted")
sorted_since = value(
    1 - ms("row_per_group", row_bytes=8192, **gathered_rows_sorted) / row_per_group_8ki_random,
    ".0%",
)
vector_per_thread_8ki_random_ms = value(ms("vector_per_thread", row_bytes=8192, **gathered_rows_random), ".3f")
vector_per_thread_ms_8ki_bytes_random_over = (
    vector_per_thread_8ki_random_ms / row_per_group_8ki_random
)
vector_thread_longer = value(vector_per_thread_ms_8ki_bytes_random_over - 1, ".0%")
claim(
    "sorted indices leave the group as far ahead",
    at_least(
        ratio(ms, "vector_per_thread", "row_per_group", row_bytes=512, **gathered_rows_sorted),
        1.05,
    ),
)
claim("one vector per thread is a little slower", between(1.02, vector_per_thread_ms_8ki_bytes_random_over, 1.25))
hinted_gb = value(gb("row_per_group_hinted", indices="random", row_bytes=8192, result="gathered rows", n=2**28), ",.0f")
compile_gb = value(gb("torch.compile", result="gathered rows", columns=4096), ",.0f")
claim("policies gain a percent or two", at_least(hinted_gb / max(row_per_group_8ki_gb, compile_gb), 1.01))
torch = parameter("torch.compile", "torch", result="gathered rows")
torch_mode = parameter("torch.compile", "mode", result="gathered rows")
claim(
    "the group ties with PyTorch's compiler in its best mode",
    level(row_per_group_8ki_gb, compile_gb, within=0.02),
)

# One thread per row: half sectors are evicted before their second use

row_rows_bytes_times = value(
    ratio(ms, "row_per_thread", "row_per_group", row_bytes=512, **gathered_rows_random),
    ".1f",
)
gathered_rows_random_large = dict(result="gathered rows", indices="random", large=True)
found_l1_64_b = value(
    counter("row_per_thread", "l1_load_hit_sectors", row_bytes=64, **gathered_rows_random_large)
    / counter("row_per_thread", "load_sectors", row_bytes=64, **gathered_rows_random_large),
    ".0%",
)
dram_mb_64_b = value(
    counter("row_per_thread", "dram_bytes_read", row_bytes=64, **gathered_rows_random_large) / 10**6,
    ".0f",
)
same_group_row_64_b = value(
    counter("row_per_group", "dram_bytes_read", row_bytes=64, **gathered_rows_random_large) / 10**6,
    ".0f",
)
found_l1_512_b = value(
    counter("row_per_thread", "l1_load_hit_sectors", row_bytes=512, **gathered_rows_random_large)
    / counter("row_per_thread", "load_sectors", row_bytes=512, **gathered_rows_random_large),
    ".0%",
)
row_per_thread_512_bytes_dram_read = counter(
    "row_per_thread", "dram_bytes_read", row_bytes=512, **gathered_rows_random_large
)
dram_mb_512_b = value(row_per_thread_512_bytes_dram_read / 10**6, ".0f")
row_per_group_512_bytes_dram_read = counter("row_per_group", "dram_bytes_read", row_bytes=512, **gathered_rows_random_large)
same_group_row_512_b = value(row_per_group_512_bytes_dram_read / 10**6, ".0f")
found_l1_8_kib = value(
    counter("row_per_thread", "l1_load_hit_sectors", row_bytes=8192, **gathered_rows_random_large)
    / counter("row_per_thread", "load_sectors", row_bytes=8192, **gathered_rows_random_large),
    ".0%",
)
dram_mb_8_kib = value(
    counter("row_per_thread", "dram_bytes_read", row_bytes=8192, **gathered_rows_random_large) / 10**6,
    ".0f",
)
same_group_row_8_kib = value(
    counter("row_per_group", "dram_bytes_read", row_bytes=8192, **gathered_rows_random_large) / 10**6,
    ".0f",
)
claim(
    "one thread per row reads the named rows, 1 - 1/e of all, once each",
    between(0.6, dram_mb_8_kib / (2**27 / 10**6), 0.66),
)
thread_row_8ki_ns = value(row_per_thread_8ki_bytes_ms * 1000000.0 / 512, ",.0f")
chase_ns = value(ns("chase", chapter="21", table=GiB, order="random"), ".0f")
multiprocessors = device("multiprocessors")
banks_ns = ns("banks", chapter="25", degree=32)
banks_over_32_per_sm_ns = value(banks_ns / 32 * multiprocessors, ".3f")
wavefronts_of_the_rest_ns = value(15.5 * 64 * banks_ns / 32 * multiprocessors, ".0f")
claim(
    "the L1 keeps halves of long rows, and not of short ones",
    at_least(found_l1_8_kib, 0.45),
    at_most(found_l1_512_b, 0.1),
)
claim(
    "what is pushed out comes from memory again",
    at_least(row_per_thread_512_bytes_dram_read / row_per_group_512_bytes_dram_read, 2),
)

# Short rows: idle lanes cost blocks and warp slots

launch_ns = ns("launch", chapter="23", threads=128)
times_2mi_launch_ms = value(2**21 * launch_ns / 1000000.0, ".2f")
row_per_warp_random_ms = value(ms("row_per_warp", row_bytes=64, **gathered_rows_random), ".2f")
times_2mi_launch_ms_2 = value(2**23 / 4 * launch_ns / 1000000.0, ".2f")
row_blocks_random = dict(chapter="claim_row_blocks", indices="random")
row_per_warp_128_ms = value(ms("row_per_warp", threads=128, row_bytes=64, **row_blocks_random), ".2f")
times_1mi_launch_ms = value(2**23 / 8 * launch_ns / 1000000.0, ".2f")
row_per_warp_256_ms = value(ms("row_per_warp", threads=256, row_bytes=64, **row_blocks_random), ".2f")
times_512ki_launch_ms = value(2**23 / 16 * launch_ns / 1000000.0, ".2f")
row_per_warp_512_ms = value(ms("row_per_warp", threads=512, row_bytes=64, **row_blocks_random), ".2f")
row_per_warp_256_threads_over_128_threads_time = row_per_warp_256_ms / row_per_warp_128_ms
threads_gains_most = value(1 - row_per_warp_256_threads_over_128_threads_time, ".0%")
row_per_warp_512_gain = value(1 - row_per_warp_512_ms / row_per_warp_128_ms, ".0%")
warps_a_place = value(2**23 / 64 / 132, ".0f")
row_per_warp_turn_ns = value(row_per_warp_256_ms * 1000000.0 * 64 * 132 / 2**23, ",.0f")
twice_chase_ns = value(2 * chase_ns, ".0f")
claim(
    "a warp for a row of 64 bytes takes what its blocks take to launch",
    between(0.95, times_2mi_launch_ms / row_per_warp_random_ms, 1),
    level(ms("row_per_warp", row_bytes=64, **gathered_rows_sorted), row_per_warp_random_ms, within=0.02),
)
h100_row_blocks_random = dict(chapter="claim_row_blocks", device=H100, indices="random")
h100_row_per_warp_256_threads_ms = ms("row_per_warp", threads=256, row_bytes=64, **h100_row_blocks_random)
claim(
    "half as many blocks gain a little, and fewer nothing more",
    between(
        0.9,
        h100_row_per_warp_256_threads_ms / ms("row_per_warp", threads=128, row_bytes=64, **h100_row_blocks_random),
        0.95,
    ),
    faster(
        h100_row_per_warp_256_threads_ms,
        ms("row_per_warp", threads=512, row_bytes=64, **h100_row_blocks_random),
    ),
)
claim(
    "on the H200 half as many blocks gain a tenth, and fewer less",
    between(0.88, row_per_warp_256_threads_over_128_threads_time, 0.93),
    at_least(row_per_warp_512_ms / row_per_warp_256_ms, 1.03),
)
vector_per_thread_64_random_ms = value(ms("vector_per_thread", row_bytes=64, **gathered_rows_random), ".3f")
vector_per_thread_dram_64_bytes_random = dram_bytes("vector_per_thread", row_bytes=64, **gathered_rows_random_large)
dram_mb_64_b_random = value(4 * vector_per_thread_dram_64_bytes_random / 10**6, ".0f")
gb_64_b = value(4 * vector_per_thread_dram_64_bytes_random / vector_per_thread_64_random_ms / 10**6, ",.0f")
vector_per_thread_64_sorted_ms = value(ms("vector_per_thread", row_bytes=64, **gathered_rows_sorted), ".3f")
vector_per_thread_dram_64_bytes_sorted = dram_bytes("vector_per_thread", row_bytes=64, large=True, **gathered_rows_sorted)
dram_mb_64_b_sorted = value(4 * vector_per_thread_dram_64_bytes_sorted / 10**6, ".0f")
gb_64_b_sorted = value(4 * vector_per_thread_dram_64_bytes_sorted / vector_per_thread_64_sorted_ms / 10**6, ",.0f")
vector_per_thread_dram_bytes_gathered_rows = dram_bytes("vector_per_thread", row_bytes=8192, **gathered_rows_random_large)
dram_mb_8_kib_random = value(4 * vector_per_thread_dram_bytes_gathered_rows / 10**6, ".0f")
gb_8_kib = value(4 * vector_per_thread_dram_bytes_gathered_rows / vector_per_thread_8ki_random_ms / 10**6, ",.0f")
vector_per_thread_8ki_sorted_ms = value(ms("vector_per_thread", row_bytes=8192, **gathered_rows_sorted), ".3f")
vector_per_thread_dram_bytes_sorted = dram_bytes("vector_per_thread", row_bytes=8192, large=True, **gathered_rows_sorted)
dram_mb_8_kib_sorted = value(4 * vector_per_thread_dram_bytes_sorted / 10**6, ".0f")
gb_8_kib_sorted = value(4 * vector_per_thread_dram_bytes_sorted / vector_per_thread_8ki_sorted_ms / 10**6, ",.0f")
short_rows_dram_more = value(
    4 * vector_per_thread_dram_64_bytes_random / (4 * vector_per_thread_dram_bytes_gathered_rows) - 1, ".0%"
)
short_rows_slower = value(
    1
    - 4
    * vector_per_thread_dram_64_bytes_random
    / vector_per_thread_64_random_ms
    / (4 * vector_per_thread_dram_bytes_gathered_rows / vector_per_thread_8ki_random_ms),
    ".0%",
)
claim(
    "the order costs short rows several percent, and long ones nothing",
    less(gb_64_b, 0.95 * gb_64_b_sorted),
    level(gb_8_kib, gb_8_kib_sorted, within=0.1),
)
claim(
    "the bytes of short rows are hardly more",
    between(
        1,
        counter("vector_per_thread", "dram_bytes_read", row_bytes=64, **gathered_rows_random_large)
        / counter("vector_per_thread", "dram_bytes_read", row_bytes=8192, **gathered_rows_random_large),
        1.2,
    ),
)
claim(
    "of short rows per vector per thread is better than a warp a row",
    at_least(vector_per_thread_64_random_gb / row_per_warp_64_gb, 1.5),
)
claim(
    "short rows are slower in random order than sorted",
    at_least(
        gb("vector_per_thread", row_bytes=64, **gathered_rows_sorted) / vector_per_thread_64_random_gb,
        1.2,
    ),
)

# Long rows: random order costs only repeated fetches

row_per_group_sorted_copy_share = value(copy_share("row_per_group", row_bytes=8192, **gathered_rows_sorted), ".0%")

read_from_pages_ms = value(ms("row_per_group", result="read from pages", row_bytes=8192), ".3f")
appended_to_pages_ms = value(ms("row_per_group", result="appended to pages", row_bytes=8192), ".3f")
claim(
    "pages are as fast as rows",
    between(
        0.93, gb("row_per_group", result="read from pages", row_bytes=8192) / row_per_group_8ki_gb, 1.1
    ),
    between(
        0.93,
        gb("row_per_group", result="appended to pages", row_bytes=8192) / row_per_group_8ki_gb,
        1.1,
    ),
)

# Accumulating rows: atomics or a segmented sum

random_summed_rows = dict(indices="random", result="summed rows")
atomic_add_512_ms = value(ms("atomic_add_rows", row_bytes=512, **random_summed_rows), ".2f")
add_vectors_512_ms = value(ms("add_vectors", threads=128, row_bytes=512, **row_blocks_random), ".2f")
segment_sum_512_ms = value(ms("segment_sum", row_bytes=512, **random_summed_rows), ".2f")
sort_and_begins_1mi_ms = value(ms("sort_and_begins", chapter="claim_segments", n=2**20, indices="random"), ".2f")
atomic_add_8ki_random_ms = value(ms("atomic_add_rows", row_bytes=8192, **random_summed_rows), ".2f")
row_blocks_8ki_random = dict(chapter="claim_row_blocks", row_bytes=8192, indices="random")
add_vectors_8ki_random_ms = value(ms("add_vectors", threads=128, **row_blocks_8ki_random), ".2f")
segment_sum_8ki_random_ms = value(ms("segment_sum", row_bytes=8192, **random_summed_rows), ".2f")
sort_and_begins_64ki_ms = value(ms("sort_and_begins", chapter="claim_segments", n=2**16, indices="random"), ".2f")

# From 512 bytes per row a segmented sum is faster, sort included

segment_sum_512_bytes_and_sort_and_begins = segment_sum_512_ms + sort_and_begins_1mi_ms
with_lists_512 = value(segment_sum_512_bytes_and_sort_and_begins / add_vectors_512_ms, ".0%")
atomic_add_64_random_128_ms = value(ms("atomic_add_rows", threads=128, row_bytes=64, **row_blocks_random), ".2f")
atomic_add_8ki_random_128_ms = value(ms("atomic_add_rows", threads=128, **row_blocks_8ki_random), ".2f")
atomic_add_8ki_hot_ms = value(ms("atomic_add_rows", result="summed rows", row_bytes=8192, indices="hot"), ".2f")
claim(
    "the experiment repeats the chapter's atomics to two percent",
    level(
        atomic_add_64_random_128_ms,
        ms("atomic_add_rows", row_bytes=64, **random_summed_rows),
        within=0.02,
    ),
    level(
        ms("atomic_add_rows", threads=128, row_bytes=512, **row_blocks_random),
        atomic_add_512_ms,
        within=0.02,
    ),
    level(atomic_add_8ki_random_128_ms, atomic_add_8ki_random_ms, within=0.02),
    level(
        ms("atomic_add_rows", chapter="claim_row_blocks", threads=128, row_bytes=8192, indices="hot"),
        atomic_add_8ki_hot_ms,
        within=0.02,
    ),
)
segment_sum_64_random_128_ms = value(
    ms("segment_sum", threads=128, row_bytes=64, **row_blocks_random), ".2f"
)
claim(
    "and segmented sums of short rows",
    level(segment_sum_64_random_128_ms, ms("segment_sum", row_bytes=64, **random_summed_rows), within=0.06),
)
claim(
    "from 512 bytes on members and lists take seven tenths of the best atomics, or less",
    less(segment_sum_8ki_random_ms + sort_and_begins_64ki_ms, segment_sum_512_bytes_and_sort_and_begins),
    at_most(with_lists_512, 0.7),
)
claim(
    "the sort takes a third of what float4 leaves, or less",
    less(sort_and_begins_1mi_ms, (add_vectors_512_ms - segment_sum_512_ms) / 3),
    less(sort_and_begins_64ki_ms, (add_vectors_8ki_random_ms - segment_sum_8ki_random_ms) / 6),
)
atomic_add_rows_minus_members_512_bytes_ms = atomic_add_512_ms - segment_sum_512_ms
atomic_add_rows_minus_members_8ki_bytes_random_ms = atomic_add_8ki_random_ms - segment_sum_8ki_random_ms
claim(
    "the sort takes a sixth of that or less",
    less(sort_and_begins_1mi_ms, atomic_add_rows_minus_members_512_bytes_ms / 5),
    less(sort_and_begins_64ki_ms, atomic_add_rows_minus_members_8ki_bytes_random_ms / 10),
)
claim(
    "sixteen times as many indices take about twice as long",
    between(1.5, sort_and_begins_1mi_ms / sort_and_begins_64ki_ms, 2.5),
)
claim(
    "half a millisecond is left for the sort",
    between(0.3, atomic_add_rows_minus_members_512_bytes_ms, 0.6),
    between(0.3, atomic_add_rows_minus_members_8ki_bytes_random_ms, 0.6),
)
claim(
    "members are faster than atomics",
    at_least(
        ratio(gb, "segment_sum", "atomic_add_rows", row_bytes=8192, **random_summed_rows),
        1.5,
    ),
)

vectors_save_random_8ki = value(1 - add_vectors_8ki_random_ms / atomic_add_8ki_random_128_ms, ".0%")
row_blocks_8ki_sorted = dict(chapter="claim_row_blocks", row_bytes=8192, indices="sorted")
add_vectors_8ki_sorted_ms = value(ms("add_vectors", threads=128, **row_blocks_8ki_sorted), ".2f")
atomic_add_8ki_sorted_128_ms = value(ms("atomic_add_rows", threads=128, **row_blocks_8ki_sorted), ".2f")
kib_save_random_sorted = value(1 - add_vectors_8ki_sorted_ms / atomic_add_8ki_sorted_128_ms, ".0%")
h100_segment_sum_ms = ms("segment_sum", row_bytes=8192, device=H100, **random_summed_rows)
h100_add_vectors_8ki_random_ms = value(
    ms("add_vectors", threads=128, row_bytes=8192, **h100_row_blocks_random),
    ".2f",
)
claim(
    "on both GPUs members take half of what float4 atomics do",
    between(0.47, segment_sum_8ki_random_ms / add_vectors_8ki_random_ms, 0.53),
    between(0.47, h100_segment_sum_ms / h100_add_vectors_8ki_random_ms, 0.53),
)
times_1mi_launch_ms_2 = value(2**20 * launch_ns / 1000000.0, ".2f")
memset_ms = value(ms("memset", chapter="claim_row_blocks"), ".2f")
atomic_add_8ki_random_512_ms = value(ms("atomic_add_rows", threads=512, **row_blocks_8ki_random), ".2f")
atomic_add_8ki_sorted_512_ms = value(ms("atomic_add_rows", threads=512, **row_blocks_8ki_sorted), ".2f")
add_persistent_random_ms = value(ms("add_persistent", threads=512, **row_blocks_8ki_random), ".2f")
add_persistent_sorted_ms = value(ms("add_persistent", threads=512, **row_blocks_8ki_sorted), ".2f")
atomic_add_rows_dram_bytes_summed_rows_8ki_bytes = dram_bytes("atomic_add_rows", row_bytes=8192, large=True, **random_summed_rows)
segment_sum_dram_bytes_summed_rows_8ki = dram_bytes("segment_sum", row_bytes=8192, large=True, **random_summed_rows)
memset_estimated_random = value(
    4
    * atomic_add_rows_dram_bytes_summed_rows_8ki_bytes
    / (4 * segment_sum_dram_bytes_summed_rows_8ki / segment_sum_8ki_random_ms)
    + memset_ms,
    ".2f",
)
atomic_add_rows_dram_bytes_sorted = dram_bytes("atomic_add_rows", result="summed rows", row_bytes=8192, indices="sorted", large=True)
memset_estimated_sorted = value(
    4 * atomic_add_rows_dram_bytes_sorted / (4 * segment_sum_dram_bytes_summed_rows_8ki / segment_sum_8ki_random_ms)
    + memset_ms,
    ".2f",
)
add_persistent_ms_random_over_atomic_add_rows_8ki = add_persistent_random_ms / atomic_add_8ki_random_128_ms
shift_instead_save_random = value(1 - add_persistent_ms_random_over_atomic_add_rows_8ki, ".0%")
sum_elements_moves_mb = value(atomic_add_rows_dram_bytes_summed_rows_8ki_bytes / 10**6, ".0f")
indices_random_members = value(segment_sum_dram_bytes_summed_rows_8ki / 10**6, ".0f")
h100_atomic_128_random_ms = value(
    ms("atomic_add_rows", threads=128, row_bytes=8192, **h100_row_blocks_random),
    ".2f",
)
h100_atomic_128_sorted_ms = value(
    ms("atomic_add_rows", threads=128, device=H100, **row_blocks_8ki_sorted),
    ".2f",
)
h100_atomic_512_random_ms = value(
    ms("atomic_add_rows", threads=512, row_bytes=8192, **h100_row_blocks_random),
    ".2f",
)
h100_atomic_512_sorted_ms = value(
    ms("atomic_add_rows", threads=512, device=H100, **row_blocks_8ki_sorted),
    ".2f",
)
h100_add_persistent_random_ms = value(
    ms("add_persistent", threads=512, row_bytes=8192, **h100_row_blocks_random),
    ".2f",
)
h100_add_persistent_sorted_ms = value(
    ms("add_persistent", threads=512, device=H100, **row_blocks_8ki_sorted),
    ".2f",
)
h100_add_vectors_8ki_sorted_ms = value(
    ms("add_vectors", threads=128, device=H100, **row_blocks_8ki_sorted),
    ".2f",
)
h100_row_blocks = dict(chapter="claim_row_blocks", device=H100)
h100_memset_ms = ms("memset", **h100_row_blocks)
memset_estimated_random_2 = value(
    4 * atomic_add_rows_dram_bytes_summed_rows_8ki_bytes / (4 * segment_sum_dram_bytes_summed_rows_8ki / h100_segment_sum_ms)
    + h100_memset_ms,
    ".2f",
)
memset_estimated_sorted_2 = value(
    4 * atomic_add_rows_dram_bytes_sorted / (4 * segment_sum_dram_bytes_summed_rows_8ki / h100_segment_sum_ms)
    + h100_memset_ms,
    ".2f",
)
h100_random_gain_most = value(
    1 - min(h100_atomic_512_random_ms, h100_add_persistent_random_ms, h100_add_vectors_8ki_random_ms) / h100_atomic_128_random_ms, ".0%"
)
h100_add_vectors_8ki_bytes_over_h100_add = h100_add_vectors_8ki_sorted_ms / h100_atomic_128_sorted_ms
h100_vectors_save_random_8ki = value(1 - h100_add_vectors_8ki_bytes_over_h100_add, ".0%")
claim(
    "launches and memset make the time of the atomics on both GPUs",
    level(
        times_1mi_launch_ms_2 + 2**29 / gb("stream", chapter="24", mix="0:4") / 1000000.0,
        atomic_add_8ki_random_ms,
        within=0.03,
    ),
    level(times_1mi_launch_ms_2 + h100_memset_ms, h100_atomic_128_sorted_ms, within=0.03),
)
h100_atomic_add_rows_128_threads_64_bytes_random_ms = ms("atomic_add_rows", threads=128, row_bytes=64, **h100_row_blocks_random)
claim(
    "a quarter of the blocks gains less than a percent at random, and little where indices are sorted",
    at_least(h100_atomic_512_random_ms / h100_atomic_128_random_ms, 0.99),
    between(0.9, h100_atomic_512_sorted_ms / h100_atomic_128_sorted_ms, 0.98),
    faster(
        h100_atomic_add_rows_128_threads_64_bytes_random_ms,
        ms("atomic_add_rows", threads=512, row_bytes=64, **h100_row_blocks_random),
    ),
)
h100_add_persistent_over_each_128_threads = h100_add_persistent_sorted_ms / h100_atomic_128_sorted_ms
claim(
    "persistent blocks and atomics of float4 gain where indices are sorted",
    at_least(h100_add_vectors_8ki_bytes_over_h100_add, 0.8),
    less(h100_add_vectors_8ki_bytes_over_h100_add, h100_add_persistent_over_each_128_threads),
    at_most(h100_add_persistent_over_each_128_threads, 0.9),
    faster(h100_atomic_128_random_ms, h100_add_persistent_random_ms),
)
times_1mi_launch_and_memset_ms = times_1mi_launch_ms_2 + memset_ms
claim(
    "on the H200 launches and memset of the experiment are that time, in both orders",
    level(times_1mi_launch_and_memset_ms, atomic_add_8ki_random_128_ms, within=0.03),
    level(times_1mi_launch_and_memset_ms, atomic_add_8ki_sorted_128_ms, within=0.03),
)
atomic_add_rows_256_threads_ms = ms("atomic_add_rows", threads=256, **row_blocks_8ki_random)
claim(
    "on the H200 half as many blocks save a tenth, and a quarter less",
    between(0.85, atomic_add_rows_256_threads_ms / atomic_add_8ki_random_128_ms, 0.92),
    faster(atomic_add_rows_256_threads_ms, atomic_add_8ki_random_512_ms),
    at_most(atomic_add_8ki_random_512_ms / atomic_add_8ki_random_128_ms, 0.96),
    at_most(atomic_add_8ki_sorted_512_ms / atomic_add_8ki_sorted_128_ms, 0.93),
)
claim(
    "on the H200 the division costs less than two percent in blocks of 128, and some in a quarter of them",
    level(
        ms("add_shifted", threads=128, **row_blocks_8ki_random),
        atomic_add_8ki_random_128_ms,
        within=0.02,
    ),
    at_most(
        ms("add_shifted", threads=512, **row_blocks_8ki_random) / atomic_add_8ki_random_512_ms,
        0.93,
    ),
)
claim(
    "on the H200 persistent blocks and float4 gain in both orders",
    faster(add_vectors_8ki_random_ms, add_persistent_random_ms),
    at_most(add_persistent_ms_random_over_atomic_add_rows_8ki, 0.85),
    faster(add_vectors_8ki_sorted_ms, add_persistent_sorted_ms),
    at_most(add_persistent_sorted_ms / atomic_add_8ki_sorted_128_ms, 0.72),
)
claim(
    "on the H100 at random neither half of the blocks nor float4 gain a tenth",
    between(
        0.9,
        ms("atomic_add_rows", threads=256, row_bytes=8192, **h100_row_blocks_random)
        / h100_atomic_128_random_ms,
        1.02,
    ),
    between(0.9, h100_add_vectors_8ki_random_ms / h100_atomic_128_random_ms, 1),
)
add_vectors_64_random_ms = value(ms("add_vectors", threads=128, row_bytes=64, **row_blocks_random), ".2f")
row_blocks_sorted = dict(chapter="claim_row_blocks", indices="sorted")
atomic_add_64_sorted_128_ms = value(ms("atomic_add_rows", threads=128, row_bytes=64, **row_blocks_sorted), ".2f")
claim(
    "rows of 64 bytes at random gain nothing by larger blocks on either GPU",
    at_least(atomic_add_64_random_128_ms / times_1mi_launch_and_memset_ms, 1.07),
    faster(
        atomic_add_64_random_128_ms,
        ms("atomic_add_rows", threads=512, row_bytes=64, **row_blocks_random),
    ),
    between(0.95, add_vectors_64_random_ms / atomic_add_64_random_128_ms, 0.98),
    at_most(
        ms("atomic_add_rows", threads=512, row_bytes=64, **row_blocks_sorted) / atomic_add_64_sorted_128_ms,
        0.93,
    ),
)
claim(
    "on the H200, too, bytes and memset are most of what atomics of float4 take",
    between(0.8, memset_estimated_random / add_vectors_8ki_random_ms, 1),
    between(0.8, memset_estimated_sorted / add_vectors_8ki_sorted_ms, 1),
)
claim(
    "bytes and memset are most of what atomics of float4 take",
    between(0.8, memset_estimated_random_2 / h100_add_vectors_8ki_random_ms, 1),
    between(0.8, memset_estimated_sorted_2 / h100_add_vectors_8ki_sorted_ms, 1),
)
atomic_add_rows_8ki_bytes_random_l2_atomic_sectors = counter(
    "atomic_add_rows", "l2_atomic_sectors", row_bytes=8192, large=True, **random_summed_rows
)
claim(
    "the L2 has added to three times the sectors of whole numbers",
    at_least(
        2**25
        / 8
        / ms("atomic", chapter="25", counters=2**20, order="ascending")
        / (4 * atomic_add_rows_8ki_bytes_random_l2_atomic_sectors / atomic_add_8ki_random_ms),
        3,
    ),
)
claim(
    "atomics take as long whatever DRAM moves",
    less(
        abs(ms("atomic_add_rows", result="summed rows", row_bytes=8192, indices="sorted") / atomic_add_8ki_random_ms - 1),
        0.03,
    ),
    at_most(atomic_add_rows_dram_bytes_sorted / atomic_add_rows_dram_bytes_summed_rows_8ki_bytes, 0.9),
)
claim(
    "and there are always as many atomic sectors",
    equal(
        counter("atomic_add_rows", "l2_atomic_sectors", result="summed rows", row_bytes=8192, indices="sorted", large=True),
        atomic_add_rows_8ki_bytes_random_l2_atomic_sectors,
        counter("atomic_add_rows", "l2_atomic_sectors", row_bytes=512, large=True, **random_summed_rows),
    ),
)

# Short rows: four lanes per row, and the sort decides

segment_sum_64_random_512_ms = value(
    ms("segment_sum", threads=512, row_bytes=64, **row_blocks_random), ".2f"
)
add_vectors_64_sorted_ms = value(ms("add_vectors", threads=128, row_bytes=64, **row_blocks_sorted), ".2f")
segment_sum_64_sorted_ms = value(ms("segment_sum", threads=128, row_bytes=64, **row_blocks_sorted), ".2f")
members_by_four_random_ms = value(ms("members_by_four", threads=128, row_bytes=64, **row_blocks_random), ".2f")
members_by_four_sorted_ms = value(ms("members_by_four", threads=128, row_bytes=64, **row_blocks_sorted), ".2f")
sort_and_begins_8mi_ms = value(ms("sort_and_begins", chapter="claim_segments", n=2**23, indices="random"), ".2f")
begins_ms = value(ms("begins", chapter="claim_segments", n=2**23, indices="random"), ".2f")
four_lanes_lists_random = value(members_by_four_random_ms + sort_and_begins_8mi_ms, ".2f")
by_four_and_begins_ms = value(members_by_four_sorted_ms + begins_ms, ".2f")
four_lanes_with_sort_over_vectors = four_lanes_lists_random / add_vectors_64_random_ms
four_lanes_with_sort_ahead = value(1 - four_lanes_with_sort_over_vectors, ".0%")
h100_add_vectors_64_bytes_random_ms = ms("add_vectors", threads=128, row_bytes=64, **h100_row_blocks_random)
h100_members_by_four_random_ms = ms("members_by_four", threads=128, row_bytes=64, **h100_row_blocks_random)
h100_members_by_four_random_and_h100_sort = (
    h100_members_by_four_random_ms
    + ms("sort_and_begins", chapter="claim_segments", n=2**23, indices="random", device=H100)
) / h100_add_vectors_64_bytes_random_ms
indices_ahead_h100_sort = value(1 - h100_members_by_four_random_and_h100_sort, ".0%")
claim(
    "on the H200 one warp per row loses by larger blocks, and four lanes take little more than half of the best atomics",
    at_least(segment_sum_64_random_512_ms / segment_sum_64_random_128_ms, 1.2),
    between(0.5, members_by_four_random_ms / add_vectors_64_random_ms, 0.6),
    between(0.7, members_by_four_sorted_ms / add_vectors_64_sorted_ms, 0.8),
)
claim(
    "on the H200 with the sort they are a little ahead of every kind of atomics",
    between(0.9, four_lanes_with_sort_over_vectors, 0.95),
    between(0.8, by_four_and_begins_ms / add_vectors_64_sorted_ms, 0.88),
)
claim(
    "one warp per row loses by larger blocks",
    at_least(
        ms("segment_sum", threads=512, row_bytes=64, **h100_row_blocks_random)
        / ms("segment_sum", threads=128, row_bytes=64, **h100_row_blocks_random),
        1.2,
    ),
)
claim(
    "four lanes per row take half the time of the atomics",
    at_most(h100_members_by_four_random_ms / h100_atomic_add_rows_128_threads_64_bytes_random_ms, 0.6),
)
claim(
    "with the sort they are ahead of every kind of atomics",
    at_most(h100_members_by_four_random_and_h100_sort, 0.9),
    at_most(
        (
            ms("members_by_four", threads=128, row_bytes=64, indices="sorted", **h100_row_blocks)
            + ms("begins", chapter="claim_segments", n=2**23, indices="random", device=H100)
        )
        / ms("add_vectors", threads=128, row_bytes=64, indices="sorted", **h100_row_blocks),
        0.9,
    ),
)

# One frequent index ruins the segmented sum

segment_sum_8ki_hot_ms = value(ms("segment_sum", result="summed rows", row_bytes=8192, indices="hot"), ".1f")
row_blocks_64_bytes_hot = dict(chapter="claim_row_blocks", row_bytes=64, threads=128, indices="hot")
atomic_add_64_hot_128_ms = value(ms("atomic_add_rows", **row_blocks_64_bytes_hot), ".2f")
members_hot_over_random = value(segment_sum_8ki_hot_ms / segment_sum_8ki_random_ms, ".0f")
atomic_add_rows_64_bytes_hot_128_threads_minus = atomic_add_64_hot_128_ms - memset_ms
same_sectors_turn_ns = value(atomic_add_rows_64_bytes_hot_128_threads_minus * 1000000.0 / (2**23 / 10), ".1f")
shared_tree_ms = ms("shared_tree", chapter="28", result="sum of floats")
shared_tree_ns_mib = value(1000000.0 * shared_tree_ms / 2**20, ".1f")
claim(
    "a row that all name takes little more than two serialized accesses of floats",
    between(1, same_sectors_turn_ns / (2 * 1000000.0 * shared_tree_ms / 2**20), 1.25),
)
large_rows_wait_ms = value(
    2**16 / 10 * atomic_add_rows_64_bytes_hot_128_threads_minus * 1000000.0 / (2**23 / 10) / 1000000.0, ".2f"
)
claim(
    "on the H200 short rows that all name one take atomics several times as long, with float4 too",
    at_least(atomic_add_64_hot_128_ms / atomic_add_64_random_128_ms, 3),
    at_least(
        ms("add_vectors", **row_blocks_64_bytes_hot) / add_vectors_64_random_ms,
        3,
    ),
)
claim(
    "short rows that all name one take atomics several times as long, with float4 too",
    at_least(
        ms("atomic_add_rows", device=H100, **row_blocks_64_bytes_hot) / h100_atomic_add_rows_128_threads_64_bytes_random_ms,
        3,
    ),
    at_least(
        ms("add_vectors", device=H100, **row_blocks_64_bytes_hot) / h100_add_vectors_64_bytes_random_ms,
        3,
    ),
)
claim("one warp with a tenth of all rows is what all wait for", at_least(members_hot_over_random, 3))
claim("atomics do not mind", at_most(atomic_add_8ki_hot_ms / atomic_add_8ki_random_ms, 1.3))

# Which kernel for which rows

claim(
    "a group is the fastest from 512 bytes on, and of 64 bytes it is one vector per thread",
    faster(row_per_group_512_gb, vector_per_thread_512_gb),
    level(row_per_group_64_gb, vector_per_thread_64_random_gb, within=0.02),
)
claim(
    "of short rows atomics are ahead of a warp for each row of the table",
    at_least(
        ratio(gb, "atomic_add_rows", "segment_sum", row_bytes=64, **random_summed_rows),
        1.3,
    ),
)

# Experiments

larger_blocks = change(
    """
- constexpr unsigned threads = 128;
+ constexpr unsigned threads = 512;
$ ./run 35 --device cpu --variant row_per_warp
shows ^row_per_warp +512 +gathered rows +32 +64 +random .* latency +yes
holds modelled('row_per_warp', row_bytes=64, indices='random') < 0.67 * book_modelled('row_per_warp', row_bytes=64, indices='random')
"""
)
