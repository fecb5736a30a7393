"""The facts of the page "Vector addition: measuring effective bandwidth"."""

from tools.book.facts import *

page(
    "core",
    needs="00",
    afterwards=[
        "allocate, fill and free device memory, and check every call",
        "compute the effective bandwidth of a kernel, and its fraction of peak",
        "count a kernel's bytes in flight, and compute the bandwidth that they allow",
    ],
)

# Predict

basic_gb = gb("basic", threads=256)
basic_share = value(share("basic", threads=256), ".0%")
share_of_the_peak = choice(
    "What fraction of the theoretical peak will this kernel reach?",
    {
        "a tenth": less(basic_share, 0.3),
        "a half": between(0.3, basic_share, 0.62),
        "three quarters": between(0.62, basic_share, 0.88),
        "all of it": at_least(basic_share, 0.88),
    },
    right="three quarters",
    fold="{basic_gb} GB/s, {basic_share} of peak.",
)
by_hand_ms = value(ms("by_hand", cache=None), ".0f")
basic_ms = value(ms("basic", threads=256), ".2f")
by_hand_over_basic = value(by_hand_ms / basic_ms, ".0f")
from_host_to_host = number(
    """The same addition can start and end in ordinary host memory: allocate device memory, copy in, add, copy out,
free. Such copies run at less than a quarter of the rate of [the link](00_introduction.md#the-machine). How many times as long as the kernel does the whole sequence take?""",
    by_hand_over_basic,
    "a factor of 2",
    fold="""The sequence takes {by_hand_ms} ms, the kernel {basic_ms} ms. To
estimate it: peak bandwidth is 90 times the link's, the link's at least 4 times that of these copies, and the kernel reaches 0.75 of peak. So at least 90 x 4 x 0.75 = 270 times.""",
)
basic_hot_gb = gb("basic", threads=256, cache="hot")
basic_hot_over_basic = basic_hot_gb / basic_gb
basic_hot_gain_over_basic_apart = value(abs(basic_hot_over_basic - 1), ".1%")
left_in_the_cache = choice(
    """The kernel reads its inputs once. Does it help if the previous launch has left its data in the L2 cache?""",
    {
        "no": at_most(basic_hot_over_basic, 1.03),
        "a little, by a few percent": between(1.03, basic_hot_over_basic, 1.2),
        "much, by a fifth or more": at_least(basic_hot_over_basic, 1.2),
    },
    right="no",
    fold="""Bandwidth changes by {basic_hot_gain_over_basic_apart}: the arrays are far larger than the cache.""",
)

# Memory transactions

basic_counts = counts("01_basic_vecadd", where=lambda row: row.variant == "basic")
basic_per_load = count("basic", "load_sectors_per_request", threads=256)
claim("no load moves a byte that is not requested", equal(count("basic", "load_efficiency", threads=256), 1))
claim("no store writes part of a sector", equal(count("basic", "store_efficiency", threads=256), 1))
basic_load_sectors = count("basic", "load_sectors", threads=256)
claim(
    "no sector is touched twice",
    equal(
        basic_load_sectors + count("basic", "store_sectors", threads=256),
        count("basic", "distinct_sectors", threads=256),
    ),
)

# Results

by_hand_chart = chart("01_basic_vecadd", where=lambda row: row.variant != "by_hand", title="Adding two vectors")
by_hand_table = table(
    "01_basic_vecadd", where=lambda row: row.variant != "by_hand", columns="variant, cold, hot, share, copy"
)
basic_n = parameter("basic", "n", threads=256)
basic_bytes = parameter("basic", "bytes", threads=256)
basic_each_bytes = value(basic_bytes / GB, ".4f")
basic_ms_mills = value(basic_ms, ".4f")
peak = value(device("peak_gb_per_s"), ",.0f")
thrust_transform_share = value(share("thrust::transform"), ".0%")
claim("one element per thread reaches about three quarters of the peak", between(0.65, basic_share, 0.8))
thrust_transform_gb = gb("thrust::transform")
claim(
    "the libraries are well ahead of it",
    at_least(min(thrust_transform_gb, gb("cub::DeviceTransform")) / basic_gb, 1.15),
)
basic_copy_share = value(copy_share("basic", threads=256), ".0%")
claim(
    "the libraries beat the copy bandwidth",
    more(min(copy_share("thrust::transform"), copy_share("cub::DeviceTransform")), 1.01),
)
stream_2_1_gb = gb("stream", chapter="24", mix="2:1")
claim(
    "memory is faster at two reads to a write than at one",
    at_least(stream_2_1_gb / gb("stream", chapter="24", mix="1:1"), 1.01),
)
claim("the libraries reach what memory does at that mix", level(thrust_transform_gb, stream_2_1_gb, within=0.02))
basic_bytes_over_l2_bytes = value(basic_bytes / device("l2_bytes"), ".0f")
claim("at this size the state of the cache does not matter", level(basic_gb, basic_hot_gb, within=0.02))
by_hand_table_2 = table("01_basic_vecadd", where=lambda row: row.variant == "by_hand", columns="variant, ms, gb")

# Too few bytes in flight, and turnover takes longer than a load

multiprocessors = device("multiprocessors")
times_16ki_sms_bytes = value(8 * 2048 * multiprocessors, ",.0f")
times_16ki_sms_mib = value(times_16ki_sms_bytes / MiB, ".2f")
chase_ns = value(ns("chase", chapter="21", table=GiB, order="random", cache="cold"), ".1f")
latency_alone_read_gb = value(times_16ki_sms_bytes / chase_ns, ",.0f")
copy_per_sm_ns = value(ns("copy_one_per_sm", chapter="23", threads=256) * multiprocessors, ".1f")
block_alone_read_gb = value(times_16ki_sms_bytes / copy_per_sm_ns, ",.0f")
basic_times_2_over_3_gb = value(basic_gb * 2 / 3, ",.0f")
turn_at_measured_rate_ns = value(times_16ki_sms_bytes / basic_times_2_over_3_gb, ".0f")
transform_two_thirds_gb = value(thrust_transform_gb * 2 / 3, ",.0f")
basic_occupied_slots = value(counter("basic", "warps_active_percent", threads=256, large=True) / 100, ".0%")
basic_idle_slots = value(1 - basic_occupied_slots, ".0%")
claim(
    "with the latency of one load, 8 bytes per thread would read faster than the peak",
    less(1.1 * peak, latency_alone_read_gb),
)
claim(
    "with a block's lifetime alone they would read faster than the library does",
    less(1.1 * thrust_transform_gb * 2 / 3, block_alone_read_gb),
)
occupied_ns = turn_at_measured_rate_ns * basic_occupied_slots
claim(
    "on a full SM the next thread starts much later, and a thread takes longer itself",
    less(1.3 * copy_per_sm_ns, turn_at_measured_rate_ns),
    less(1.05 * copy_per_sm_ns, occupied_ns),
)
late = dict(chapter="claim_late_loads", threads=256)
persistent_gain = value(ms("ends", **late) / ms("stays", **late) - 1, ".0%")
claim("persistent blocks gain little", between(1, 1 + persistent_gain, 1.1))
eight_transform_over_basic = value(8 * thrust_transform_gb / basic_gb, ".1f")
claim("two elements are more than that, and one is not", between(8, eight_transform_over_basic, 16))
best_gb = best(chapter="05")
best_gb_over_peak = value(best_gb / peak, ".0%")
best_over_basic = value(best_gb / basic_gb, ".2f")
claim(
    "more bytes in a thread are faster, for the same sectors",
    at_least(gb("float4", chapter="05", threads=256) / basic_gb, 1.15),
    equal(count("float4", "load_sectors", chapter="05", threads=256), basic_load_sectors),
)
claim(
    "the hardware makes the requests that were counted",
    equal(counter("basic", "load_requests", threads=256), count("basic", "load_requests", threads=256)),
    equal(counter("basic", "load_sectors", threads=256), basic_load_sectors),
)
claim(
    "DRAM is read once",
    level(
        counter("basic", "dram_bytes_read", threads=256, large=True),
        8 * counter("basic", "n", threads=256, large=True),
        within=0.02,
    ),
)

# Copies over the link dominate the host-to-host time

basic_over_by_hand = value(basic_ms / by_hand_ms, ".1%")
memcpy_gb = gb("memcpy", chapter="04", memory="pinned")
arrays_over_the_link_ms = value(parameter("by_hand", "bytes", cache=None) / memcpy_gb / 10**6, ".0f")
memcpy_pageable_gb = value(gb("memcpy", chapter="04", memory="pageable"), ".0f")
memcpy_ms = value(ms("memcpy", chapter="04", memory="pageable"), ".0f")
claim(
    "copies from ordinary memory run at less than a quarter of the link's rate",
    at_least(memcpy_gb / memcpy_pageable_gb, 4),
)
claim("copies into memory allocated before take most of the time", at_least(memcpy_ms / by_hand_ms, 0.5))

# Experiments

a_size_of_its_own = change(
    """
$ ./run 01 --device cpu --n 1000003
shows ^basic +256 .* 1 .* yes
- if (i < n)
$ ./run 01 --device cpu --n 1000003
status 6
shows kernel add
shows past the end
"""
)
an_unchecked_launch = change(
    """
- const unsigned threads = 256;
+ const unsigned threads = 2048;
$ ./run 01 --device cpu --variant by_hand
status 5
shows launching the kernel: invalid
- check(cudaGetLastError(), "launching the kernel");
$ ./run 01 --device cpu --variant by_hand
status 5
shows cudaErrorInvalidValue
lacks copying c to the host
"""
)
hot_in_the_cache = change(
    """
on gpu
$ ./run 01 --n 2^21 --cache both
holds gb('basic', threads=256, n=2**21, cache='hot') > 1.1 * gb('basic', threads=256, n=2**21)
"""
)
