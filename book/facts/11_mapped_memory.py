"""The facts of the page "Zero-copy: kernels that access mapped host memory"."""

from tools.book.facts import *

page("side", needs="10", afterwards=["let a kernel read host memory in place", "decide between that and a copy"])
copy_16mi_one_pass_ms = ms("copy", n=2**24, passes=1)
device_16mi_ms = value(ms("device", n=2**24), ".2f")
copy_one_pass_minus_device_16mi_ms = copy_16mi_one_pass_ms - device_16mi_ms
copying_over_kernel_64_mib = value(copy_one_pass_minus_device_16mi_ms / device_16mi_ms, ".0f")

# Predict

mapped_256_ms = ms("mapped", n=2**8)
mapped_256_us = value(1000 * mapped_256_ms, ".1f")
device_256_ms = ms("device", n=2**8)
device_256_us = value(1000 * device_256_ms, ".1f")
mapped_over_device_256_time = value(mapped_256_ms / device_256_ms, ".1f")
slower_at_1_KiB = number(
    """By what factor is the kernel slower on mapped memory than on device memory, at 1 KiB?""",
    mapped_over_device_256_time,
    "a factor of 1.5",
    fold="{mapped_256_us} µs instead of {device_256_us} µs.",
)
mapped_16mi_one_pass_ms = value(ms("mapped", n=2**24, passes=1), ".2f")
mapped_over_device_16mi = value(mapped_16mi_one_pass_ms / device_16mi_ms, ".0f")
slower_at_64_MiB = number(
    "And by what factor at 64 MiB?",
    mapped_over_device_16mi,
    "a factor of 2",
    fold="""{mapped_16mi_one_pass_ms} ms instead of {device_16mi_ms} ms.""",
)
copy_16ki_ms = ms("copy", n=2**14)
mapped_16ki_ms = ms("mapped", n=2**14)
copy_over_mapped_16ki_time = copy_16ki_ms / mapped_16ki_ms
copy_over_mapped_16mi = value(copy_16mi_one_pass_ms / mapped_16mi_one_pass_ms, ".2f")
copy_256_ms = ms("copy", n=2**8)
copy_1ki_ms = ms("copy", n=2**10)
mapped_4ki_ms = ms("mapped", n=2**12)
copy_1mi_ms = ms("copy", n=2**20)
mapped_1mi_ms = ms("mapped", n=2**20)
least_copy_over_mapped_time = value(
    min(
        copy_256_ms / mapped_256_ms,
        copy_1ki_ms / ms("mapped", n=2**10),
        ms("copy", n=2**12) / mapped_4ki_ms,
        copy_over_mapped_16ki_time,
        ratio(ms, "copy", "mapped", n=2**16),
        ratio(ms, "copy", "mapped", n=2**18),
        copy_1mi_ms / mapped_1mi_ms,
        ratio(ms, "copy", "mapped", n=2**22),
        copy_over_mapped_16mi,
    ),
    ".2f",
)
when_copying_pays = choice(
    """The data are on the host, and so must be the result. At which size does copying in, adding and copying out become faster than
zero-copy?""",
    {
        "at 64 KiB or below": less(min(copy_256_ms / mapped_256_ms, copy_over_mapped_16ki_time), 1),
        "between 64 KiB and 4 MiB": both(faster(mapped_16ki_ms, copy_16ki_ms), faster(copy_1mi_ms, mapped_1mi_ms)),
        "above 4 MiB": both(faster(mapped_1mi_ms, copy_1mi_ms), faster(copy_16mi_one_pass_ms, mapped_16mi_one_pass_ms)),
        "at none of these sizes": more(least_copy_over_mapped_time, 1),
    },
    right="at none of these sizes",
    fold="""At its best size, copying still takes {least_copy_over_mapped_time} times as long as zero-copy.""",
)
mapped_16mi_16_passes_ms = ms("mapped", n=2**24, passes=16)
copy_16mi_16_passes_ms = ms("copy", n=2**24, passes=16)
mapped_over_copy_16mi_16_passes_time = value(mapped_16mi_16_passes_ms / copy_16mi_16_passes_ms, ".1f")
sixteen_kernels = choice(
    """16 kernels use the same arrays of 64 MiB, one after the other. Which is faster?""",
    {
        "zero-copy is faster": at_most(mapped_over_copy_16mi_16_passes_time, 0.95),
        "they tie": level(mapped_16mi_16_passes_ms, copy_16mi_16_passes_ms, within=0.05),
        "copying is up to twice as fast": between(1.05, mapped_over_copy_16mi_16_passes_time, 2),
        "copying is more than twice as fast": at_least(mapped_over_copy_16mi_16_passes_time, 2),
    },
    right="copying is more than twice as fast",
    fold="""Zero-copy takes {mapped_over_copy_16mi_16_passes_time} times as long: each kernel reads across the link again.""",
)

# Memory transactions

claim(
    "mapped memory takes the requests of chapter 01",
    equal(
        count("mapped", "load_sectors_per_request", n=2**18, passes=1),
        count("basic", "load_sectors_per_request", chapter="01", threads=256),
    ),
)

count_counts = counts(
    "11_mapped_memory",
    where=lambda row: row.n == 2**18 and row.passes == 1 and (row.variant in ("device", "mapped")),
    every_size=True,
    columns="variant, inputs, load_requests, load_sectors, store_sectors_per_request",
)
device_load_sectors = count("device", "load_sectors", n=2**18)
claim(
    "no memory changes a request",
    equal(count("mapped", "load_sectors", n=2**18, passes=1), device_load_sectors),
    equal(count("copy", "load_sectors", n=2**18, passes=1), device_load_sectors),
    equal(count("host_pointer", "load_sectors", inputs="managed"), device_load_sectors),
)
claim(
    "sixteen passes make sixteen times the requests",
    equal(
        count("mapped", "load_requests", n=2**18, passes=16),
        16 * count("mapped", "load_requests", n=2**18, passes=1),
    ),
)
mapped_timeline = timeline("11_mapped_memory", "mapped", where=lambda row: row.n == 2**18 and row.passes == 1)
copy_timeline = timeline("11_mapped_memory", "copy", where=lambda row: row.n == 2**18 and row.passes == 1)

# Results

device_256_one_pass_ms = ms("device", n=2**8, passes=1)
device_256_one_pass_us = value(device_256_one_pass_ms * 1000, ".1f")
mapped_256_one_pass_ms = ms("mapped", n=2**8, passes=1)
mapped_256_one_pass_us = value(mapped_256_one_pass_ms * 1000, ".1f")
mapped_over_device_256 = value(mapped_256_one_pass_ms / device_256_one_pass_ms, ".1f")
copy_256_one_pass_ms = ms("copy", n=2**8, passes=1)
copy_256_one_pass_us = value(copy_256_one_pass_ms * 1000, ".1f")
copy_over_mapped_256 = value(copy_256_one_pass_ms / mapped_256_one_pass_ms, ".2f")
device_4ki_one_pass_ms = ms("device", n=2**12, passes=1)
device_4ki_us = value(device_4ki_one_pass_ms * 1000, ".1f")
mapped_4ki_one_pass_ms = ms("mapped", n=2**12, passes=1)
mapped_4ki_us = value(mapped_4ki_one_pass_ms * 1000, ".1f")
mapped_over_device_4ki = value(mapped_4ki_one_pass_ms / device_4ki_one_pass_ms, ".1f")
copy_4ki_one_pass_ms = ms("copy", n=2**12, passes=1)
copy_4ki_one_pass_us = value(copy_4ki_one_pass_ms * 1000, ".1f")
copy_over_mapped_4ki = value(copy_4ki_one_pass_ms / mapped_4ki_one_pass_ms, ".2f")
device_64ki_one_pass_ms = ms("device", n=2**16, passes=1)
device_64ki_us = value(device_64ki_one_pass_ms * 1000, ".1f")
mapped_64ki_one_pass_ms = ms("mapped", n=2**16, passes=1)
mapped_64ki_us = value(mapped_64ki_one_pass_ms * 1000, ".1f")
slowdown_256_kib = value(mapped_64ki_one_pass_ms / device_64ki_one_pass_ms, ".1f")
copy_64ki_one_pass_ms = ms("copy", n=2**16, passes=1)
copy_64ki_us = value(copy_64ki_one_pass_ms * 1000, ".1f")
copy_over_mapped_64ki = value(copy_64ki_one_pass_ms / mapped_64ki_one_pass_ms, ".2f")
device_1mi_one_pass_ms = ms("device", n=2**20, passes=1)
device_1mi_us = value(device_1mi_one_pass_ms * 1000, ".1f")
mapped_1mi_one_pass_ms = ms("mapped", n=2**20, passes=1)
mapped_1mi_us = value(mapped_1mi_one_pass_ms * 1000, ".1f")
mapped_over_device_1mi = value(mapped_1mi_one_pass_ms / device_1mi_one_pass_ms, ".1f")
copy_1mi_one_pass_ms = ms("copy", n=2**20, passes=1)
copy_1mi_one_pass_us = value(copy_1mi_one_pass_ms * 1000, ".1f")
copy_over_mapped_1mi = value(copy_1mi_one_pass_ms / mapped_1mi_one_pass_ms, ".2f")
device_16mi_one_pass_ms = ms("device", n=2**24, passes=1)
device_16mi_us = value(device_16mi_one_pass_ms * 1000, ".1f")
mapped_16mi_us = value(mapped_16mi_one_pass_ms * 1000, ".1f")
slowdown_64_mib = value(mapped_16mi_one_pass_ms / device_16mi_one_pass_ms, ".1f")
copy_16mi_us = value(copy_16mi_one_pass_ms * 1000, ".1f")
sizes_chart = chart(
    "11_mapped_memory",
    where=lambda row: row.variant in ("mapped", "copy") and row.passes == 1,
    x="n",
    lines="variant",
    name="sizes",
    limits=False,
    title="In place and copied, one pass",
    every_size=True,
)
claim("and more than thirty times at 64 MiB", more(mapped_over_device_16mi, 30))
pipeline_gb = value(gb("pipeline", chapter="04", streams=2), ".0f")
mapped_16mi_gb = value(gb("mapped", n=2**24, passes=1), ".0f")
claim("copying loses at every size", more(least_copy_over_mapped_time, 1.15))
measure_table = table(
    "11_mapped_memory",
    where=lambda row: row.variant in ("mapped", "copy") and row.n == 2**24,
    every_size=True,
    columns="variant, passes, ms",
)
copy_one_pass_minus_device_256_ms = copy_256_one_pass_ms - device_256_ms
copy_minus_256_us = value(1000 * copy_one_pass_minus_device_256_ms, ".1f")
mapped_one_pass_minus_device_256_ms = mapped_256_one_pass_ms - device_256_ms
mapped_minus_256_us = value(1000 * mapped_one_pass_minus_device_256_ms, ".2f")
level_passes_1_kib = value(copy_one_pass_minus_device_256_ms / mapped_one_pass_minus_device_256_ms, ".1f")
device_4ki_ms = ms("device", n=2**12)
copy_one_pass_minus_device_4ki_ms = copy_4ki_one_pass_ms - device_4ki_ms
copy_minus_4ki_us = value(1000 * copy_one_pass_minus_device_4ki_ms, ".1f")
mapped_one_pass_minus_device_4ki_ms = mapped_4ki_one_pass_ms - device_4ki_ms
mapped_minus_4ki_us = value(1000 * mapped_one_pass_minus_device_4ki_ms, ".2f")
level_passes_16_kib = value(copy_one_pass_minus_device_4ki_ms / mapped_one_pass_minus_device_4ki_ms, ".1f")
device_64ki_ms = ms("device", n=2**16)
copy_one_pass_minus_device_64ki_ms = copy_64ki_one_pass_ms - device_64ki_ms
copy_minus_64ki_us = value(1000 * copy_one_pass_minus_device_64ki_ms, ".1f")
mapped_one_pass_minus_device_64ki_ms = mapped_64ki_one_pass_ms - device_64ki_ms
mapped_minus_64ki_us = value(1000 * mapped_one_pass_minus_device_64ki_ms, ".1f")
level_passes_256_kib = value(copy_one_pass_minus_device_64ki_ms / mapped_one_pass_minus_device_64ki_ms, ".1f")
device_1mi_ms = ms("device", n=2**20)
copy_one_pass_minus_device_1mi_ms = copy_1mi_one_pass_ms - device_1mi_ms
copy_minus_1mi_us = value(1000 * copy_one_pass_minus_device_1mi_ms, ".1f")
mapped_one_pass_minus_device_1mi_ms = mapped_1mi_one_pass_ms - device_1mi_ms
mapped_minus_1mi_us = value(1000 * mapped_one_pass_minus_device_1mi_ms, ".1f")
level_passes_4_mib = value(copy_one_pass_minus_device_1mi_ms / mapped_one_pass_minus_device_1mi_ms, ".1f")
copy_minus_16mi_us = value(1000 * copy_one_pass_minus_device_16mi_ms, ".1f")
mapped_one_pass_minus_device_16mi_ms = mapped_16mi_one_pass_ms - device_16mi_ms
mapped_minus_16mi_us = value(1000 * mapped_one_pass_minus_device_16mi_ms, ".1f")
level_passes_64_mib = value(copy_one_pass_minus_device_16mi_ms / mapped_one_pass_minus_device_16mi_ms, ".1f")
neighbours_link_0 = value(noted("neighbours_across_the_link", 0), ".0f")
neighbours_link_1 = value(noted("neighbours_across_the_link", 1), ".1f")
claim(
    "four requests for a sector cost more than four passes across the link, and less than two in device memory",
    more(neighbours_link_0, 4),
    less(neighbours_link_1, 2),
)
claim(
    "small arrays may be used in place many times before the copies have paid",
    more(level_passes_16_kib, 7),
    more(level_passes_1_kib, 5),
    less(level_passes_4_mib, 2),
    between(2, level_passes_256_kib, 4),
)
claim("for large ones the crossing is between one pass and two", between(1, level_passes_64_mib, 2))
claim(
    "four passes in place take four times as long",
    between(3.6, ms("mapped", n=2**24, passes=4) / mapped_16mi_one_pass_ms, 4.4),
    between(14.4, mapped_16mi_16_passes_ms / mapped_16mi_one_pass_ms, 17.6),
)
claim(
    "sixteen passes on copied data take little longer than one",
    at_most(copy_16mi_16_passes_ms / copy_16mi_one_pass_ms, 1.5),
    at_least(mapped_over_copy_16mi_16_passes_time, 5),
)
measure_table_2 = table(
    "11_mapped_memory",
    where=lambda row: row.variant in ("host_pointer", "default_copies") and row.n == 2**24,
    every_size=True,
    columns="variant, inputs, ms",
)
default_copies_host_ms = ms("default_copies", n=2**24, inputs="host", cache=None)
unregistered_copies = value(
    ms("default_copies", n=2**24, inputs="unregistered", cache=None) / default_copies_host_ms, ".1f"
)
claim(
    "the host's own pointer is as good as a mapped one",
    level(ms("host_pointer", n=2**24, inputs="host"), mapped_16mi_one_pass_ms, within=0.03),
)
claim(
    "managed memory on the device is device memory",
    level(ms("host_pointer", n=2**24, inputs="managed"), device_16mi_ms, within=0.05),
)
claim(
    "a copy that finds its own direction costs nothing",
    between(0.95, default_copies_host_ms / copy_16mi_one_pass_ms, 1.08),
)
claim(
    "the runtime tells the four kinds apart",
    equal(parameter("device", "inputs", n=2**24), "device"),
    equal(parameter("mapped", "inputs", n=2**24, passes=1), "host"),
)

# Large arrays use both directions of the link

mapped_two_thirds_gb = value(mapped_16mi_gb * 2 / 3, ".0f")
mapped_over_3_16mi_gb = value(mapped_16mi_gb / 3, ".0f")
memcpy_gb = value(gb("memcpy", chapter="04", memory="pinned"), ".0f")
claim("in place more crosses than a copy engine moves in one direction", at_least(mapped_16mi_gb / memcpy_gb, 1.2))
mapped_times_2_over_3_16mi_over_memcpy = mapped_two_thirds_gb / memcpy_gb
reads_over_copy = value(mapped_times_2_over_3_16mi_over_memcpy, ".0%")
claim("the reads reach nine tenths of a copy's rate", between(0.85, mapped_times_2_over_3_16mi_over_memcpy, 0.95))
claim("but each direction stays below what a copy reaches", between(0.75, mapped_times_2_over_3_16mi_over_memcpy, 1))
device_16mi_gb = gb("device", n=2**24)
large_arrays = table(
    "11_mapped_memory",
    where=lambda row: row.variant in ("mapped", "copy") and row.passes == 1 and (row.n in (2**20, 2**22, 2**24)),
    every_size=True,
    columns="variant, n, ms, modelled, error",
)

# Small arrays: zero-copy pays one round trip

device_256_us_2 = value(device_256_ms * 1000, ".1f")
mapped_minus_device_256_ms = mapped_256_ms - device_256_ms
mapped_minus_device_256_us = value(mapped_minus_device_256_ms * 1000, ".1f")
mapped_and_chase_us = value(
    mapped_minus_device_256_us + ns("chase", table=GiB, order="random", chapter="21") / 1000, ".1f"
)
mapped_minus_device_4ki_ms = mapped_4ki_ms - device_4ki_ms
mapped_minus_device_4ki_us = value(mapped_minus_device_4ki_ms * 1000, ".1f")
warps_of_4ki = value(2**12 / 32, ".0f")
claim(
    "the latency of the link is paid once and not by each warp",
    less(mapped_minus_device_4ki_ms, 2 * mapped_minus_device_256_ms),
)
claim(
    "the advantage in place is larger for small arrays",
    at_least(copy_256_ms / mapped_256_ms / copy_over_mapped_16mi, 1.5),
)

# The L2 does not keep mapped data between kernels

nothing_kept_table = table(
    "11_mapped_memory",
    where=lambda row: row.variant in ("device", "mapped")
    and row.passes == 1
    and (row.n in (2**18, 2**20, 2**24)),
    every_size=True,
    columns="variant, n, cold, hot",
)
nothing_kept = counters(
    "11_mapped_memory",
    where=lambda row: row.variant in ("device", "mapped") and row.passes == 1 and (row.n == 2**18),
    columns="variant, load_sectors, l2_read_sectors, dram_bytes_read",
)
claim(
    "a hot cache does not help mapped memory",
    level(gb("mapped", n=2**20, cache="hot"), gb("mapped", n=2**20), within=0.05),
)
claim(
    "it does help device memory that fits the L2",
    at_least(gb("device", n=2**20, cache="hot") / gb("device", n=2**20), 1.2),
)
claim(
    "mapped loads pass the L2 and miss the DRAM",
    level(
        counter("mapped", "l2_read_sectors", n=2**18, passes=1),
        counter("device", "l2_read_sectors", n=2**18),
        within=0.1,
    ),
    at_most(
        counter("mapped", "dram_bytes_read", n=2**18, passes=1) / counter("device", "dram_bytes_read", n=2**18), 0.1
    ),
)

# Uncoalesced access makes zero-copy far slower

four_mapped_16mi_ms = value(4 * mapped_16mi_one_pass_ms, ".0f")
scattered_kernel_ms = value(neighbours_link_0 * mapped_16mi_one_pass_ms, ".0f")
other_kernel_ms = value(scattered_kernel_ms - four_mapped_16mi_ms, ".0f")
pieces_of_sectors_millions = value(2**24 / 2 / 1000000.0, ".1f")
claim(
    "the loads alone, all of them repeated, are less than half of what neighbours take in place",
    more(0.5 * neighbours_link_0, 4),
)
uncoalesced_in_place = table(
    "11_mapped_memory",
    where=lambda row: row.variant in ("mapped", "copy") and row.passes == 1 and (row.n in (2**8, 2**10, 2**12)),
    every_size=True,
    columns="variant, n, ms, spread",
)

# Experiments

two_copies_in_ms = value(2 / 3 * copy_16mi_one_pass_ms, ".1f")
copy_over_3_16mi_ms = value(copy_16mi_one_pass_ms / 3, ".1f")
only_the_output_in_place = change(
    """
- launch_add(device_pointer(p.host_a), device_pointer(p.host_b), device_pointer(p.host_c), p.n,
- passes, stream);
+ const std::size_t bytes = p.n * sizeof(float);
+ CHECK_CUDA(cudaMemcpyAsync(p.a, p.host_a, bytes, cudaMemcpyHostToDevice, stream));
+ CHECK_CUDA(cudaMemcpyAsync(p.b, p.host_b, bytes, cudaMemcpyHostToDevice, stream));
+ launch_add(p.a, p.b, device_pointer(p.host_c), p.n, passes, stream);
$ ./run 11 --device cpu --variant mapped
shows ^mapped .* yes
holds 1.1 * book_modelled('mapped', n=2**18, passes=1) < modelled('mapped', n=2**18, passes=1) < book_modelled('copy', n=2**18, passes=1)
"""
)
the_third_copy_is_gone = change(
    """
on gpu
- launch_add(device_pointer(p.host_a), device_pointer(p.host_b), device_pointer(p.host_c), p.n,
- passes, stream);
+ const std::size_t bytes = p.n * sizeof(float);
+ CHECK_CUDA(cudaMemcpyAsync(p.a, p.host_a, bytes, cudaMemcpyHostToDevice, stream));
+ CHECK_CUDA(cudaMemcpyAsync(p.b, p.host_b, bytes, cudaMemcpyHostToDevice, stream));
+ launch_add(p.a, p.b, device_pointer(p.host_c), p.n, passes, stream);
$ ./run 11 --variant mapped --variant copy --n 2^24
holds 0.6 < ms('mapped', n=2**24, passes=1) / ms('copy', n=2**24, passes=1) < 1.05
"""
)
neighbours_in_place = change(
    """
in add.cuh
- constexpr unsigned threads = 256;
+ template<unsigned per_thread>
+ __global__ void add_blocked(const float* a, const float* b, float* c, std::size_t n)
+ {
+ const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * per_thread;
+ for (unsigned k = 0; k < per_thread; ++k) {
+ const std::size_t i = first + k;
+ if (i < n) {
+ c[i] = a[i] + b[i];
+ }
+ }
+ }
+ constexpr unsigned threads = 256;
- add<<<common::blocks(n, threads), threads, 0, stream>>>(a, b, c, n);
+ add_blocked<4><<<common::blocks(n, 4 * threads), threads, 0, stream>>>(a, b, c, n);
$ ./run 11 --device cpu
holds count('mapped', 'load_sectors_per_request', n=2**18, passes=1) == 16
"""
)
neighbours_across_the_link = change(
    """
on gpu
in add.cuh
- constexpr unsigned threads = 256;
+ template<unsigned per_thread>
+ __global__ void add_blocked(const float* a, const float* b, float* c, std::size_t n)
+ {
+ const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * per_thread;
+ for (unsigned k = 0; k < per_thread; ++k) {
+ const std::size_t i = first + k;
+ if (i < n) {
+ c[i] = a[i] + b[i];
+ }
+ }
+ }
+ constexpr unsigned threads = 256;
- add<<<common::blocks(n, threads), threads, 0, stream>>>(a, b, c, n);
+ add_blocked<4><<<common::blocks(n, 4 * threads), threads, 0, stream>>>(a, b, c, n);
$ ./run 11 --variant mapped --variant device
shows ^mapped .* yes
notes ms('mapped', n=2**24, passes=1) / book_ms('mapped', n=2**24, passes=1)
notes ms('device', n=2**24) / book_ms('device', n=2**24)
"""
)
a_pageable_host_pointer = change(
    """
- {common::MemoryKind::pinned, common::MemoryKind::managed}
+ {common::MemoryKind::pinned, common::MemoryKind::managed, common::MemoryKind::pageable}
$ ./run 11 --device cpu --variant host_pointer
status 6
shows neither pinned nor managed
"""
)
