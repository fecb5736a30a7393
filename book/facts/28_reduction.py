"""The facts of the page "Parallel reduction"."""

from tools.book.facts import *

page(
    "side",
    needs="07 22 25",
    afterwards=[
        "write a reduction that reads at the memory's speed, in one launch",
        "bound the rounding error of a sum of floats, and explain why its last digits change",
    ],
)
atomic_words_ms = ms("atomic", result="sum of words")
last_block_sum_of_words_random_ms = ms("last_block", result="sum of words", values="random")
atomic_over_last_block = value(atomic_words_ms / last_block_sum_of_words_random_ms, ".0f")
atomic_largest_ms = value(ms("atomic", result="largest"), ".0f")
atomic_over_last_largest = value(
    atomic_largest_ms / ms("last_block", result="largest", values="random"), ".0f"
)

# Predict

atomic_sectors = count("atomic", "atomic_sectors", result="sum of floats")
shuffles_atomic_sectors = count("shuffles", "atomic_sectors", result="sum of floats")
atomic_over_shuffles_atomic_sectors = value(atomic_sectors / shuffles_atomic_sectors, ".0f")
turns_at_the_result = number(
    """Each thread adds its element to the result with an atomic. Now the 256 threads of a block first sum their elements, and one thread adds the sum with an atomic. By what factor does the number of atomics fall?""",
    atomic_over_shuffles_atomic_sectors,
    "a factor of 1.1",
    fold="From {atomic_sectors} to {shuffles_atomic_sectors}.",
)
shuffles_gb = gb("shuffles", result="sum of words")
best_gb = best(result="sum of words")
shuffles_over_best = shuffles_gb / best_gb
one_element_a_thread = choice(
    """Each thread reads one of 2^28 words. Each block sums its words with shuffles, which exchange registers within a warp; then one of its threads issues an atomic. What share of the best kernel's bandwidth does this kernel reach?""",
    {
        "nearly all of it": at_least(shuffles_over_best, 0.9),
        "about two thirds": between(0.4, shuffles_over_best, 0.9),
        "a quarter or less": at_most(shuffles_over_best, 0.4),
    },
    right="a quarter or less",
    fold="It reads {shuffles_gb} GB/s, the best {best_gb}.",
)
cub_reduce_sum_gb = gb("cub::DeviceReduce::Sum", result="sum of words", values="random")
best_over_cub_reduce_sum = best_gb / cub_reduce_sum_gb
against_cub = choice(
    """How does the best kernel of this page compare with cub::DeviceReduce, at 2^28 elements?""",
    {
        "CUB is more than 5 percent faster": at_most(best_over_cub_reduce_sum, 0.95),
        "they are within 5 percent": level(best_gb, cub_reduce_sum_gb, within=0.05),
        "it is more than 5 percent faster than CUB": at_least(best_over_cub_reduce_sum, 1.05),
    },
    right="they are within 5 percent",
    fold="It reads {best_gb} GB/s, CUB {cub_reduce_sum_gb}.",
)

# Memory transactions

count_counts = counts(
    "28_reduction",
    where=lambda row: row.result == "sum of words" and row.values == "random" and (not row.library),
    columns="variant, threads, loads, load_requests, load_sectors, atomic_requests, atomic_sectors",
)
claim("a block takes one serialized access instead of 256", equal(atomic_sectors, 256 * shuffles_atomic_sectors))
claim(
    "four words per load take a quarter of the requests",
    equal(
        count("shuffles", "load_requests", result="sum of floats"),
        4 * count("grid_stride", "load_requests", result="sum of floats", loads=4),
    ),
)

# Results

sums_chart = chart(
    "28_reduction",
    where=lambda row: row.result == "sum of words"
    and row.values == "random"
    and (row.loads != 1 or row.threads == 256),
    name="sums",
    title="A sum of 1 GiB of words",
)
measure_table = table(
    "28_reduction",
    where=lambda row: row.result == "sum of words" and row.values == "random",
    columns="variant, threads, loads, ms, cold, share, copy, relative",
)
measure_table_2 = table(
    "28_reduction",
    where=lambda row: row.result != "sum of words" and row.values == "random",
    columns="variant, result, threads, loads, ms, cold, share",
)
measure_table_3 = table(
    "28_reduction",
    where=lambda row: row.n < 2**28
    and row.values == "random"
    and (row.result == "sum of words")
    and (row.variant in ("grid_stride", "last_block", "cub::DeviceReduce::Sum"))
    and (row.loads != 1),
    every_size=True,
    columns="n, variant, ms, cold",
)
persistent_share = value(share("grid_stride", result="sum of words", loads=4), ".0%")
claim(
    "both persistent kernels reach 95% of the peak, more than a copy",
    between(0.93, persistent_share, 0.97),
    between(0.93, share("last_block", result="sum of words", values="random"), 0.97),
    more(gb("last_block", result="sum of words", values="random"), device("copy_gb_per_s")),
)

claim(
    "floats and the largest word take the persistent kernels as long as words",
    *(
        level(gb(variant, result=result, loads=4, values="random"), gb(variant, result="sum of words", loads=4, values="random"), within=0.02)
        for variant in ("grid_stride", "last_block")
        for result in ("sum of floats", "largest")
    ),
)

# nvcc aggregates atomics per warp

atomic_ns = value(ns("atomic", chapter="25", counters=1, order="ascending"), ".2f")
times_256mi_atomic_ms = value(2**28 * atomic_ns / 1000000.0, ".0f")
atomic_words_8mi_ns = value(1000000.0 * atomic_words_ms / 2**23, ".2f")
claim(
    "a serialized access per warp is as long as a serialized access of chapter 25", between(0.9, atomic_words_8mi_ns / atomic_ns, 1.2)
)
claim("the largest word takes a serialized access for each element", level(atomic_largest_ms, times_256mi_atomic_ms, within=0.05))
claim("the compiler adds up a warp's words first", at_least(atomic_largest_ms / atomic_words_ms, 8))

# One block per 256 elements is too many

model_launch_rate = machine("launch_rate")
per_model_launch_rate = value(2**20 / model_launch_rate / 1000000.0, ".2f")
copy_one_per_sm_ns = ns("copy_one_per_sm", chapter="23", threads=256)
copy_one_per_sm_over_8_ns = value(copy_one_per_sm_ns / 8, ".2f")
turnover_1mi_ms = value(2**20 * copy_one_per_sm_ns / 8 / 1000000.0, ".2f")
times_1mi_atomic_ms = value(2**20 * atomic_ns / 1000000.0, ".2f")
atomic_words_eighth_ms = value(atomic_words_ms / 8, ".2f")
atomic_floats_ms = value(ms("atomic", result="sum of floats", n=2**20), ".2f")
atomic_floats_ns = value(1000000.0 * atomic_floats_ms / 2**20, ".1f")
shared_tree_sum_of_words_ms = value(ms("shared_tree", result="sum of words"), ".2f")
shuffles_sum_of_words_ms = value(ms("shuffles", result="sum of words"), ".2f")
shared_tree_floats_ms = value(ms("shared_tree", result="sum of floats"), ".2f")
shuffles_floats_ms = value(ms("shuffles", result="sum of floats"), ".2f")
turn_float_over_word = value(atomic_floats_ns / atomic_ns, ".1f")
shared_tree_floats_ns = value(1000000.0 * shared_tree_floats_ms / 2**20, ".1f")
sum_of_words_16mi = dict(result="sum of words", n=2**24)
shared_tree_words_16mi_ms = value(ms("shared_tree", **sum_of_words_16mi), ".4f")
shuffles_words_16mi_ms = value(ms("shuffles", **sum_of_words_16mi), ".4f")
shared_tree_words_ms_mills = value(shared_tree_sum_of_words_ms, ".3f")
shuffles_words_ms_mills = value(shuffles_sum_of_words_ms, ".3f")
four_multiprocessors = 4 * device("multiprocessors")
claim(
    "words wait neither for serialized accesses nor for the launch or the slots alone",
    at_least(
        shared_tree_sum_of_words_ms
        / max(per_model_launch_rate, turnover_1mi_ms, atomic_words_eighth_ms),
        1.2,
    ),
)
claim(
    "a serialized access of floats takes longer than one of words",
    at_least(shared_tree_floats_ms / shared_tree_sum_of_words_ms, 1.5),
)
claim(
    "shuffles gain nothing where serialized accesses are what takes the time",
    level(shuffles_floats_ms, shared_tree_floats_ms, within=0.05),
)
claim(
    "of few words shuffles are ahead of the tree, of many behind, and ahead for the largest",
    at_most(shuffles_words_16mi_ms / shared_tree_words_16mi_ms, 0.95),
    at_least(shuffles_sum_of_words_ms / shared_tree_sum_of_words_ms, 1.05),
    at_most(ms("shuffles", result="largest") / ms("shared_tree", result="largest"), 0.95),
)
claim(
    "tree and shuffles of floats take little more than their serialized accesses",
    between(1, shuffles_floats_ms / atomic_floats_ms, 1.2),
)
grid_stride_one_load_gb = gb("grid_stride", result="sum of words", loads=1)
grid_stride_4_loads_gb = gb("grid_stride", result="sum of words", loads=4)
claim(
    "a persistent grid is several times as fast",
    at_least(shuffles_sum_of_words_ms / ms("grid_stride", result="sum of words", loads=4), 3),
)
claim("four loads in flight are better than one", at_least(grid_stride_4_loads_gb / grid_stride_one_load_gb, 1.02))
claim(
    "neither of the last two kernels is slower than CUB",
    faster(gb("last_block", result="sum of words", values="random"), cub_reduce_sum_gb),
    faster(grid_stride_4_loads_gb, cub_reduce_sum_gb),
)

# Small arrays: both persistent kernels are faster than CUB

grid_stride_1mi_ms = ms("grid_stride", result="sum of words", loads=4, n=2**20)
grid_stride_1mi_us = value(1000 * grid_stride_1mi_ms, ".1f")
last_block_1mi_ms = ms("last_block", result="sum of words", values="random", n=2**20)
last_block_1mi_us = value(1000 * last_block_1mi_ms, ".1f")
cub_reduce_sum_ms = ms("cub::DeviceReduce::Sum", result="sum of words", values="random", n=2**20)
cub_reduce_sum_us = value(1000 * cub_reduce_sum_ms, ".1f")
claim(
    "both are faster than CUB where there is little to read",
    faster(max(grid_stride_1mi_ms, last_block_1mi_ms), cub_reduce_sum_ms),
)
claim("and are within a fifth of each other", level(grid_stride_1mi_ms, last_block_1mi_ms, within=0.2))

warm_code_sum = dict(chapter="claim_warm_code", n=2**20)
sum_nothing_ms = ms("sum", behind="nothing", **warm_code_sum)
sum_other_ms = ms("sum", behind="other", **warm_code_sum)
sum_cold_us = value(1000 * sum_nothing_ms, ".1f")
sum_other_adds_us = value(1000 * (sum_other_ms - sum_nothing_ms), ".1f")
sum_same_adds_us = value(1000 * (ms("sum", behind="same", **warm_code_sum) - sum_nothing_ms), ".1f")
claim("a small sum gains by warm code, not by data in the L2 alone", more(sum_cold_us - sum_other_adds_us, 0.5))

# Why sums of floats differ in their last digits

tolerance_millionths = value(1000000.0 * 275 / 2**24, ".0f")

chase_ns = value(ns("chase", chapter="21", table=MiB, order="random", cache="cold"), ".0f")
three_trips_us = value(0.003 * chase_ns, ".2f")

# Experiments

neighbours_first = change(
    """
in one_element.cuh
- for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
+ for (unsigned stride = 1; stride < threads; stride *= 2) {
- if (threadIdx.x < stride) {
+ if (threadIdx.x % (2 * stride) == 0) {
$ ./run 28 --device cpu --variant shared_tree --n 4Ki
shows ^shared_tree .* yes
"""
)
no_memset = change(
    """
-* CHECK_CUDA(cudaMemsetAsync(p.c, 0, sizeof *p.c, stream));
+ // nothing
$ ./run 28 --device cpu --n 4Ki
status 1
shows ^shuffles .* FAILED
shows ^last_block .* yes
"""
)
first_block = change(
    """
in last_block.cuh
- is_last_block = atomicInc(blocks_done, gridDim.x - 1) == gridDim.x - 1; // wraps to 0
+ is_last_block = atomicInc(blocks_done, gridDim.x - 1) == 0;
$ ./run 28 --device cpu --n 100003 --variant last_block
status 1
shows ^last_block .* FAILED
"""
)
