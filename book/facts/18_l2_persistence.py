"""The facts of the page "L2 persistence: access-policy windows and set-aside"."""

from tools.book.facts import *

page(
    "side",
    needs="06",
    afterwards=[
        "order the blocks so that visits to the same part of a table follow each other",
        "keep data in the L2 with a window and a set-aside of its size",
        "recognise a benchmark that measures the L2 instead of DRAM",
    ],
)

# Predict

l2_bytes = device("l2_bytes")
l2_bytes_mib = l2_bytes / MiB
ordinary_25_window_mib = value(parameter("ordinary", "window_mib", window=25), ".0f")
ordinary_50_window_mib = value(parameter("ordinary", "window_mib", window=50), ".0f")
ordinary_100_window_mib = value(parameter("ordinary", "window_mib", window=100), ".0f")
ordinary_25_gb = gb("ordinary", window=25)
ordinary_50_gb = gb("ordinary", window=50)
ordinary_25_over_50 = ordinary_25_gb / ordinary_50_gb
ordinary_100_gb = gb("ordinary", window=100)
ordinary_100_over_25 = ordinary_100_gb / ordinary_25_gb
no_help_needed = choice(
    "Up to which size does the window stay in the L2 without help?",
    {
        "between {ordinary_25_window_mib} MiB and {ordinary_50_window_mib} MiB": at_least(ordinary_25_over_50, 1.15),
        "between {ordinary_50_window_mib} MiB and {ordinary_100_window_mib} MiB": both(
            at_least(ordinary_50_gb / ordinary_25_gb, 0.95), at_most(ordinary_100_over_25, 0.87)
        ),
        "between {ordinary_100_window_mib} MiB and the size of the L2": at_least(ordinary_100_over_25, 0.87),
    },
    right="between {ordinary_25_window_mib} MiB and {ordinary_50_window_mib} MiB",
    fold="""{ordinary_25_window_mib} MiB: {ordinary_25_gb} GB/s; {ordinary_50_window_mib} MiB: {ordinary_50_gb}.
Between two visits, three times the window passes through the L2. Three times {ordinary_50_window_mib} MiB would fit, but the L2's effective capacity is smaller.""",
)
stream_window_100_gb = gb("stream_window", window=100)
ordinary_over_stream_window_100 = value(ordinary_100_gb / stream_window_100_gb, ".1f")
stream_over_ordinary_100 = value(stream_window_100_gb / ordinary_100_gb, ".2f")
twice_as_many = choice(
    """You reserve the largest possible part of the L2 and fill it exactly with a persisting window. What happens to the bandwidth?""",
    {
        "it rises": at_least(stream_over_ordinary_100, 1.03),
        "it stays equal": level(stream_window_100_gb, ordinary_100_gb, within=0.03),
        "it falls": at_most(stream_over_ordinary_100, 0.97),
    },
    right="it falls",
    fold="""The kernel takes {ordinary_over_stream_window_100} times as long as without a policy.""",
)
once_in_window_ms = ms("once_in_window", window=50, n=4915200)
once_not_reset_over_in_window_time = ms("once_not_reset", window=50, n=4915200) / once_in_window_ms
not_reset_behind_window = value(1 - once_not_reset_over_in_window_time, ".0%")
through_a_flush = choice(
    """A benchmark reads four times the size of the L2 before each sample, to flush it. Are persisting lines evicted?""",
    {
        "yes": at_least(once_not_reset_over_in_window_time, 0.95),
        "no, and the sample is faster for it": at_most(once_not_reset_over_in_window_time, 0.85),
        "no, but that changes no time": between(0.85, once_not_reset_over_in_window_time, 0.95),
    },
    right="no, and the sample is faster for it",
    fold="""The kernel takes {not_reset_behind_window} less time than if the lines are reset before the flush.""",
)

# Configurations

stream_100_mib = parameter("stream_window", "window_mib", window=100)
# The driver's word for the set-aside that every program starts with, where an experiment sets it again.
start_set_aside_bytes = parameter(
    "plain_after", "set_aside_set", chapter="claim_hints", cache=None, n=2**28, reset="no", flush="none", set_aside=45 * 2**18
)
start_set_aside_mib = value(start_set_aside_bytes / MiB, ".2f")
nobody_uses_18_8 = value(gb("smaller_set_aside", set_aside=50) / ordinary_25_gb, ".2f")

# Memory transactions

ordinary_load_requests = count("ordinary", "load_requests", window=100)
ordinary_load_sectors = count("ordinary", "load_sectors", window=100)
claim(
    "a window changes no request and no sector",
    equal(
        ordinary_load_sectors,
        count("stream_window", "load_sectors", window=100),
        count("graph_window", "load_sectors", window=100),
    ),
    equal(ordinary_load_requests, count("stream_window", "load_requests", window=100)),
)

# Results

ordinary_25_mib_tenths = value(ordinary_25_window_mib, ".1f")
matched_window_25_gb = gb("matched_window", window=25)
stream_window_25_gb = gb("stream_window", window=25)
ordinary_50_mib_tenths = value(ordinary_50_window_mib, ".1f")
matched_window_50_gb = gb("matched_window", window=50)
stream_window_50_gb = gb("stream_window", window=50)
ordinary_100_mib_tenths = value(ordinary_100_window_mib, ".1f")
ordinary_200_mib = value(parameter("ordinary", "window_mib", window=200), ".0f")
ordinary_200_gb = gb("ordinary", window=200)
stream_window_200_gb = gb("stream_window", window=200)
matched_over_50 = value(matched_window_50_gb / ordinary_50_gb, ".2f")
matched_gain_over_50 = value(matched_over_50 - 1, ".0%")
ordinary_over_stream_25 = value(ordinary_25_gb / stream_window_25_gb, ".1f")
measure_table = table(
    "18_l2_persistence",
    where=lambda row: row.variant not in ("once", "once_in_window", "once_not_reset"),
    columns="variant, set_aside, window, window_mib, hit_ratio, ms, cold, hot",
)
claim("the smallest window is faster by itself", at_least(ordinary_25_over_50, 1.2))
claim("larger windows are all alike", between(0.97, ordinary_200_gb / ordinary_50_gb, 1.04))
claim(
    "a window that would be lost gains when the set-aside has its size", at_least(matched_over_50, 1.07)
)
matched_over_25 = value(matched_window_25_gb / ordinary_25_gb, ".2f")
claim("one that stays anyway gains less", between(1, matched_over_25, 1.06))
claim(
    "asking to stay with the largest set-aside is slower at every size",
    less(
        max(
            stream_window_25_gb / ordinary_25_gb,
            stream_window_50_gb / ordinary_50_gb,
            stream_over_ordinary_100,
            ratio(gb, "stream_window", "ordinary", window=150),
            stream_window_200_gb / ordinary_200_gb,
        ),
        0.9,
    ),
)
stream_window_125_gb = gb("stream_window", window=125)
claim(
    "it is best where the window fills the set-aside",
    at_least(stream_window_100_gb / max(stream_window_50_gb, stream_window_125_gb), 1.1),
)
claim(
    "the fitted ratio does not help at twice the set-aside",
    faster(stream_window_200_gb, gb("fitted_window", window=200)),
)
claim("nor at five quarters", at_most(gb("fitted_window", window=125) / stream_window_125_gb, 1.03))

# The window stays if the traffic between visits fits

ordinary_25_large_mib = value(counter("ordinary", "window_mib", window=25, large=True), ".0f")
thrice_25_large_mib = value(3 * ordinary_25_large_mib, ".0f")
ordinary_25_dram_read = counter("ordinary", "dram_bytes_read", window=25, large=True)
ordinary_25_each = value(ordinary_25_dram_read / 2**26, ".1f")
ordinary_50_large_mib = value(counter("ordinary", "window_mib", window=50, large=True), ".0f")
thrice_50_large_mib = value(3 * ordinary_50_large_mib, ".0f")
ordinary_50_each = value(counter("ordinary", "dram_bytes_read", window=50, large=True) / 2**26, ".1f")
ordinary_100_large_mib = value(counter("ordinary", "window_mib", window=100, large=True), ".0f")
thrice_100_large_mib = value(3 * ordinary_100_large_mib, ".0f")
thrice_25_mib = value(3 * ordinary_25_window_mib, ".0f")
thrice_50_mib = value(3 * ordinary_50_window_mib, ".0f")
thrice_100_mib = value(3 * ordinary_100_window_mib, ".0f")
ordinary_100_each = value(
    counter("ordinary", "dram_bytes_read", window=100, large=True) / 2**26, ".1f"
)
model_l2_effective_bytes = machine("l2_effective_bytes")
model_l2_mib = value(model_l2_effective_bytes / MiB, ".0f")
claim(
    "the smallest window is found in seven visits of eight",
    between(0.85, (8 - ordinary_25_each) / 4, 0.9),
)
claim(
    "a small window is read from the L2, the next from DRAM",
    less(ordinary_25_each, 5),
    more(ordinary_50_each, 7),
)
peak = device("peak_gb_per_s")
claim(
    "a window that is not kept makes three streams of DRAM",
    between(0.88, 3 * 2**30 / ms("ordinary", window=100) / 10**6 / peak, 0.97),
)
ordinary_25_ms = ms("ordinary", window=25)
claim("one that is kept needs more than DRAM has", less(1.1 * peak, 3 * 2**30 / ordinary_25_ms / 10**6))
claim(
    "what the L2 holds parts the two windows",
    at_least(model_l2_effective_bytes / (ordinary_25_window_mib * MiB), 3),
    at_most(model_l2_effective_bytes / (ordinary_50_window_mib * MiB), 3),
)
claim(
    "the second window and its streams would fit the L2 by their size",
    at_least(l2_bytes / (ordinary_50_window_mib * MiB), 3),
)

# Another order of the blocks gains more than the set-aside

two_visits_now_blocks = 132 * 2048 // 256
two_visits_blocks_mib = value(two_visits_now_blocks * 12 / 1024, ".0f")
visits_together_0 = value(noted("visits_together_on_a_gpu", 0), ".2f")
visits_together_1 = value(noted("visits_together_on_a_gpu", 1), ".2f")
visits_together_2 = value(noted("visits_together_on_a_gpu", 2), ".2f")
ordinary_50_ms = value(ms("ordinary", window=50), ".2f")
second_loses = value(ordinary_50_ms / visits_together_1, ".2f")
claim(
    "blocks in another order gain more than a set-aside",
    more(visits_together_0, matched_over_25),
    at_least(visits_together_1 / matched_over_50, 1.1),
)
claim(
    "and gain as much where the window is larger than the L2",
    at_least(visits_together_2 / visits_together_1, 0.95),
    less(l2_bytes, MiB * ordinary_200_mib),
)

# The loss comes from the set-aside and not from the window

reserved_mib_9_4 = value(stream_100_mib * 25 / 100, ".1f")
smaller_set_aside_set_aside_25_gb = gb("smaller_set_aside", set_aside=25)
nobody_uses_9_4 = value(smaller_set_aside_set_aside_25_gb / ordinary_25_gb, ".2f")
reserved_mib_18_8 = value(stream_100_mib * 50 / 100, ".1f")
reserved_mib_23_6 = value(stream_100_mib * 63 / 100, ".1f")
between_half_and_all_0 = value(noted("between_half_and_all", 0), ".2f")
between_half_and_all_2 = value(noted("between_half_and_all", 2), ".2f")
reserved_mib_28_1 = value(stream_100_mib * 75 / 100, ".1f")
between_half_and_all_1 = value(noted("between_half_and_all", 1), ".2f")
others_lose = value(1 - between_half_and_all_1, ".0%")
between_half_and_all_3 = value(noted("between_half_and_all", 3), ".2f")
reserved_mib_33_0 = value(stream_100_mib * 88 / 100, ".1f")
between_half_and_all_4 = value(noted("between_half_and_all", 4), ".2f")
stream_window_of_100 = value(stream_100_mib * 100 / 100, ".1f")
set_aside_unused_gb = gb("set_aside_unused")
unused_over_ordinary_25 = value(set_aside_unused_gb / ordinary_25_gb, ".2f")
stream_window_25_ms = value(ms("stream_window", window=25), ".2f")
stream_window_50_ms = value(ms("stream_window", window=50), ".2f")
stream_window_100_ms = value(ms("stream_window", window=100), ".2f")
set_aside_unused_dram_read = counter("set_aside_unused", "dram_bytes_read", large=True)
unused_bytes_each = value(set_aside_unused_dram_read / 2**26, ".2f")
ordinary_25_each_cents = value(ordinary_25_each, ".2f")
stream_25_bytes_each = value(
    counter("stream_window", "dram_bytes_read", window=25, large=True) / 2**26, ".2f"
)
stream_bytes_each = value(
    counter("stream_window", "dram_bytes_read", window=100, large=True) / 2**26, ".2f"
)
chase_ns = value(ns("chase", table=GiB, order="random", chapter="21"), ".0f")
peak_by_chase_ns_mib = value(peak * chase_ns / MiB, ".1f")
l2_not_reserved_mib = value(l2_bytes_mib - stream_100_mib, ".1f")
claim(
    "a quarter of the set-aside costs almost nothing",
    level(smaller_set_aside_set_aside_25_gb, ordinary_25_gb, within=0.03),
)
claim("half of it costs little", between(0.93, nobody_uses_18_8, 1))
claim("the largest set-aside alone doubles the time", at_least(ms("set_aside_unused") / ordinary_25_ms, 2))
claim(
    "the largest set-aside costs no bytes",
    between(0.95, set_aside_unused_dram_read / ordinary_25_dram_read, 1.02),
    level(
        counter("set_aside_unused", "l2_read_sectors", large=True),
        counter("ordinary", "l2_read_sectors", window=25, large=True),
        within=0.01,
    ),
)
claim(
    "a window that is asked to stay is read from DRAM once",
    less(
        max(
            stream_25_bytes_each,
            counter("stream_window", "dram_bytes_read", window=50, large=True) / 2**26,
            stream_bytes_each,
        ),
        4.1,
    ),
)
claim(
    "the loss grows from step to step between half and all",
    less(between_half_and_all_1, between_half_and_all_0),
    less(between_half_and_all_0, 1),
)
claim(
    "the fuller the set-aside, the faster",
    at_least(stream_window_25_ms / stream_window_50_ms, 1.03),
    at_least(stream_window_50_ms / stream_window_100_ms, 1.2),
)
claim(
    "a set-aside that a window fills gains up to a half of the largest and loses near its end",
    more(min(between_half_and_all_2, matched_over_50), 1.07),
    less(between_half_and_all_4, 1),
)

# A hit ratio that fits the set-aside saves bytes but no time

matched_window_dram_read = counter("matched_window", "dram_bytes_read", window=50, large=True)
matched_bytes_each = value(matched_window_dram_read / 2**26, ".2f")
matched_window_ms = value(ms("matched_window", window=50), ".2f")
too_large_bytes_each = value(
    counter("stream_window", "dram_bytes_read", window=125, large=True) / 2**26, ".2f"
)
fitted_bytes_each = value(
    counter("fitted_window", "dram_bytes_read", window=125, large=True) / 2**26, ".2f"
)
claim(
    "the fitted ratio saves bytes", at_most(fitted_bytes_each / too_large_bytes_each, 0.85)
)
claim(
    "fewer bytes than the smallest window without help, and more time",
    less(matched_window_dram_read, ordinary_25_dram_read),
    at_least(matched_window_ms / ordinary_25_ms, 1.05),
)
claim("a matched window is read from DRAM once", at_most(matched_bytes_each, 4.1))
ordinary_50_minus_matched_window_ms = ordinary_50_ms - matched_window_ms
claim(
    "a set-aside gains less than half of what another order gains",
    between(0.35, ordinary_50_minus_matched_window_ms / (ordinary_50_ms - second_loses), 0.5),
)
claim(
    "the gain is a part of the possible one",
    between(0.2, ordinary_50_minus_matched_window_ms / (ordinary_50_ms / 3), 0.5),
)

# A flush does not evict persisting lines

flush_does_push_out = table(
    "18_l2_persistence",
    where=lambda row: row.n < 2**28 and row.variant in ("once", "once_in_window", "once_not_reset"),
    every_size=True,
    columns="variant, ms, cold, hot",
)
claim("without the reset a cold sample is faster", at_most(once_not_reset_over_in_window_time, 0.85))
claim("and with it slower than without a policy", at_least(once_in_window_ms / ms("once", window=50, n=4915200), 1.3))

# Does your table need a set-aside?

stream_100_mib_tenths = value(stream_100_mib, ".1f")
claim(
    "half of the L2 lies between the traffic that stayed and the traffic that did not",
    less(max(thrice_25_large_mib, thrice_25_mib), l2_bytes_mib / 2),
    less(l2_bytes_mib / 2, min(thrice_50_large_mib, thrice_50_mib)),
)
claim(
    "alone on the GPU a kernel gains up to three quarters of the largest",
    more(min(between_half_and_all_2, between_half_and_all_3), 1.05),
)
claim(
    "beyond half of the largest others lose more than the window gains",
    less(between_half_and_all_2 - 1, 1 - between_half_and_all_0),
    less(between_half_and_all_3 - 1, 1 - between_half_and_all_1),
)

# Experiments

visits_together = change(
    """
- row.model_excluded_reason = "L2 hits in its window depend on distant blocks";
+ row.model_excluded_reason = "";
$ ./run 18 --device cpu --variant ordinary
holds modelled('ordinary', window=50) > 0.7
holds modelled('ordinary', window=100) > 0.7
in add_window.cuh
- const std::size_t j = 4 * (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x);
- const std::size_t i = blockIdx.y * window + j;
+ const std::size_t j = 4 * (std::size_t{blockIdx.y} * blockDim.x + threadIdx.x);
+ const std::size_t i = blockIdx.x * window + j;
in 18_l2_persistence.cu
- const dim3 grid(common::blocks(p.window / 4, threads), common::blocks(p.n, p.window));
+ const dim3 grid(common::blocks(p.n, p.window), common::blocks(p.window / 4, threads));
$ ./run 18 --device cpu --variant ordinary
holds count('ordinary', 'load_sectors', window=100) == book_count('ordinary', 'load_sectors', window=100)
holds modelled('ordinary', window=50) < 0.55
holds modelled('ordinary', window=100) < 0.55
"""
)
visits_together_on_a_gpu = change(
    """
on gpu
in add_window.cuh
- const std::size_t j = 4 * (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x);
- const std::size_t i = blockIdx.y * window + j;
+ const std::size_t j = 4 * (std::size_t{blockIdx.y} * blockDim.x + threadIdx.x);
+ const std::size_t i = blockIdx.x * window + j;
in 18_l2_persistence.cu
- const dim3 grid(common::blocks(p.window / 4, threads), common::blocks(p.n, p.window));
+ const dim3 grid(common::blocks(p.n, p.window), common::blocks(p.window / 4, threads));
$ ./run 18 --n 2^28 --variant ordinary
holds gb('ordinary', window=50) > book_gb('matched_window', window=50)
notes gb('ordinary', window=25) / book_gb('ordinary', window=25)
notes gb('ordinary', window=50) / book_gb('ordinary', window=50)
notes gb('ordinary', window=200) / book_gb('ordinary', window=200)
"""
)
misses_that_stay = change(
    """
in access_window.hpp
- missProp = cudaAccessPropertyStreaming;
+ missProp = cudaAccessPropertyPersisting;
$ ./run 18 --device cpu
status 5
shows cudaErrorInvalidValue
"""
)
asked_to_go_first = change(
    """
on gpu
in access_window.hpp
- hitProp = cudaAccessPropertyPersisting;
+ hitProp = cudaAccessPropertyStreaming;
in 18_l2_persistence.cu
- row.setup = [&] { set_aside.reserve(reserved); };
$ ./run 18 --n 2^28 --variant ordinary --variant stream_window
holds gb('stream_window', window=25) < 1.15 * gb('ordinary', window=100)
"""
)
between_half_and_all = change(
    """
on gpu
- for (unsigned percent : {25u, 50u}) {
+ for (unsigned percent : {25u, 50u, 63u, 75u, 88u}) {
$ ./run 18 --n 2^28 --variant ordinary --variant smaller_set_aside --variant matched_window
notes gb('smaller_set_aside', set_aside=63) / gb('ordinary', window=25)
notes gb('smaller_set_aside', set_aside=75) / gb('ordinary', window=25)
holds gb('smaller_set_aside', set_aside=88) < 0.95 * gb('ordinary', window=25)
notes gb('matched_window', window=63) / gb('ordinary', window=50)
notes gb('matched_window', window=75) / gb('ordinary', window=50)
notes gb('matched_window', window=88) / gb('ordinary', window=50)
"""
)
