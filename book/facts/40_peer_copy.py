"""The facts of the page "Peer-to-peer access and NVLink bandwidth"."""

from tools.book.facts import *

page(
    "side",
    needs="04 06 21",
    afterwards=[
        "access another GPU's memory in a kernel, and estimate the bandwidth across the link",
        "choose between reading, writing and copying across a link",
    ],
)
peak = device("peak_gb_per_s", device="nvidia-h200")
peak_tb = value(peak / 1000, ".1f")
memcpy_peer_ways_1_gb = gb("memcpy_peer", access="on", ways=1)
memcpy_peer_ways_1_tb = value(memcpy_peer_ways_1_gb / 1000, ".2f")

# Predict

memcpy_peer_gb = gb("memcpy_peer", access="off", ways=1, cache=None)
memcpy_peer_ways_1_ms = ms("memcpy_peer", access="off", ways=1, cache=None)
ways_1_over_memcpy_peer = value(memcpy_peer_ways_1_ms / ms("memcpy_peer", access="on", ways=1), ".1f")
without_peer_access = number(
    """A copy of 1 GiB crosses NVLink from GPU to GPU if the program has enabled peer access. How many times as long does
the copy take without peer access?""",
    ways_1_over_memcpy_peer,
    "a factor of 1.5",
    unit="times",
    fold="""The copy then goes through host memory, at {memcpy_peer_gb} GB/s instead
of {memcpy_peer_ways_1_gb}.""",
)
kernel_write_ways_2_gb = gb("kernel_write", ways=2, loads=1)
kernel_read_ways_2_gb = gb("kernel_read", ways=2, loads=1)
kernel_write_over_read_ways_2 = kernel_write_ways_2_gb / kernel_read_ways_2_gb
read_or_write_the_peer = choice(
    """Both GPUs work at once: each reads the other's array into its own memory, or each writes its own array into the
other's. Which is faster?""",
    {
        "reading": at_most(kernel_write_over_read_ways_2, 0.97),
        "they tie": level(kernel_write_ways_2_gb, kernel_read_ways_2_gb, within=0.03),
        "writing": at_least(kernel_write_over_read_ways_2, 1.03),
    },
    right="writing",
    fold="""Writing reaches {kernel_write_ways_2_gb} GB/s in both directions together, reading {kernel_read_ways_2_gb}.""",
)
chase_executor_0_memory_owner_1_ns = value(ns("chase", executor=0, memory_owner=1), ",.0f")
chase_executor_0_memory_owner_0_ns = value(ns("chase", executor=0, memory_owner=0), ".0f")
load_across_over_own = value(chase_executor_0_memory_owner_1_ns / chase_executor_0_memory_owner_0_ns, ".1f")
a_load_across_the_link = number(
    """One thread loads a word from the other GPU's memory. How many times as long does it wait as for a word from local memory?""",
    load_across_over_own,
    "a factor of 1.4",
    unit="times",
    fold="""It waits {chase_executor_0_memory_owner_1_ns} ns instead of {chase_executor_0_memory_owner_0_ns}.""",
)

# Two devices, one thread

memcpy_peer_hot_ms = ms("memcpy_peer", access="on", ways=1, n=2**18, cache="hot")
memcpy_peer_hot_us = value(1000 * memcpy_peer_hot_ms, ".1f")
per_memcpy_peer_ways_1_tb = value(2**20 / memcpy_peer_ways_1_gb / 1000, ".1f")
claim(
    "the bytes of 1 MiB are a small part of its time",
    at_most(2**20 / memcpy_peer_ways_1_gb / 1000000.0 / memcpy_peer_hot_ms, 0.25),
)

# One load across the link

chase_table = table(
    "40_peer_copy",
    where=lambda row: row.variant == "chase" and row.n > 0,
    every_size=True,
    columns="variant, executor, memory_owner, rank, atomics, ns",
)
claim(
    "the two directions are about alike",
    between(0.87, chase_executor_0_memory_owner_1_ns / ns("chase", executor=1, memory_owner=0), 1.15),
)

# Memory transactions

count_counts = counts(
    "40_peer_copy",
    where=lambda row: row.variant in ("memcpy_peer", "kernel_read", "kernel_write")
    and row.ways == 1
    and (row.loads != 4),
    columns="variant, access, load_requests, store_requests, peer_load_sectors, peer_store_sectors, peer_mib",
)
kernel_read_peer_load_sectors = count("kernel_read", "peer_load_sectors", ways=1, loads=1)
claim(
    "what is read is what is written",
    equal(kernel_read_peer_load_sectors, count("kernel_write", "peer_store_sectors", ways=1, loads=1)),
)
claim(
    "every sector crosses once",
    equal(kernel_read_peer_load_sectors * 32, count("kernel_read", "load_bytes", ways=1, loads=1)),
)

# Copies and kernels across the link

ways_chart = chart(
    "40_peer_copy",
    where=lambda row: row.ways and row.access == "on" and (row.loads != 4),
    name="ways",
    title="1 GiB across the link, one way and both ways",
    limits=False,
)
copies_kernels_across_link = table(
    "40_peer_copy",
    where=lambda row: row.variant in ("memcpy_peer", "kernel_read", "kernel_write")
    and (row.loads == 1 or row.variant == "memcpy_peer"),
    columns="variant, access, ways, ms",
)
write_ways_1_one_load_gb = gb("kernel_write", ways=1, loads=1)
write_behind_copy = value(1 - write_ways_1_one_load_gb / memcpy_peer_ways_1_gb, ".0%")
claim("without peer access a copy is several times slower", at_least(ways_1_over_memcpy_peer, 4))
claim(
    "without access the two directions share a part of the way",
    between(1, ms("memcpy_peer", access="off", ways=2, cache=None) / memcpy_peer_ways_1_ms, 2),
)
memcpy_peer_ways_2_gb = value(gb("memcpy_peer", access="on", ways=2), ".0f")
claim("a copy goes both ways at once", at_least(memcpy_peer_ways_2_gb / memcpy_peer_ways_1_gb, 1.9))
kernel_read_ways_1_gb = gb("kernel_read", ways=1, loads=1)
claim(
    "kernels tie, however they are written",
    level(gb("kernel_write", ways=1, loads=4), write_ways_1_one_load_gb, within=0.02),
    level(gb("kernel_write_bulk", ways=1), write_ways_1_one_load_gb, within=0.02),
    level(gb("kernel_read_bulk", ways=1), kernel_read_ways_1_gb, within=0.02),
)
claim(
    "one way reading and writing tie", level(kernel_read_ways_1_gb, write_ways_1_one_load_gb, within=0.02)
)
claim(
    "the copy engine is ahead of kernels", between(1.03, memcpy_peer_ways_1_gb / write_ways_1_one_load_gb, 1.1)
)
claim("both ways writing is ahead of reading", at_least(kernel_write_over_read_ways_2, 1.05))
hot_write_over_copy_1_mib = value(
    gb("kernel_write", ways=1, loads=1, n=2**18, cache="hot")
    / gb("memcpy_peer", access="on", ways=1, n=2**18, cache="hot"),
    ".1f",
)
memcpy_peer_256ki_us = value(1000 * ms("memcpy_peer", access="on", ways=1, n=2**18), ".1f")
kernel_write_us = value(1000 * ms("kernel_write", ways=1, loads=1, n=2**18), ".1f")
kernel_write_hot_us = value(1000 * ms("kernel_write", ways=1, loads=1, n=2**18, cache="hot"), ".1f")
read_one_load_256ki_us = value(1000 * ms("kernel_read", ways=1, loads=1, n=2**18), ".1f")
read_one_load_256ki_hot_us = value(1000 * ms("kernel_read", ways=1, loads=1, n=2**18, cache="hot"), ".1f")
claim("of 1 MiB in the L2 a kernel writes faster than the copy engine copies", at_least(hot_write_over_copy_1_mib, 1.1))
cold_write_gb = gb("kernel_write", ways=1, loads=1, n=2**18)
cold_copy_gb = gb("memcpy_peer", access="on", ways=1, n=2**18)
claim(
    "with cold caches neither leads by much",
    level(cold_copy_gb, cold_write_gb, within=0.1),
)

# Why the longer latency does not matter

chase_ns_executor_0_memory_owner_1_by_kernel = chase_executor_0_memory_owner_1_ns * kernel_read_ways_1_gb
in_flight_link_kib = value(chase_ns_executor_0_memory_owner_1_by_kernel / 1024, ".0f")
chase_ns_executor_0_memory_owner_0_by_peak = chase_executor_0_memory_owner_0_ns * peak
in_flight_own_kib = value(chase_ns_executor_0_memory_owner_0_by_peak / 1024, ",.0f")
multiprocessors = device("multiprocessors", device="nvidia-h200")
in_flight_every_thread_kib = value(multiprocessors * 2048 * 16 / 1024, ",.0f")
kernel_read_4_loads_ms = value(ms("kernel_read", ways=1, loads=4), ".3f")
read_one_load_ms = value(ms("kernel_read", ways=1, loads=1), ".3f")
sms_needed = value(chase_ns_executor_0_memory_owner_1_by_kernel // (2048 * 16) + 1, ".0f")
claim(
    "the link wants fewer bytes in flight",
    less(chase_ns_executor_0_memory_owner_1_by_kernel, chase_ns_executor_0_memory_owner_0_by_peak),
)
claim(
    "one load per thread is enough for the link",
    at_least(multiprocessors * 2048 * 16 / chase_ns_executor_0_memory_owner_1_by_kernel, 2),
)

# Packet headers limit kernels: a hypothesis

memcpy_peer_link_heads_gb = value(memcpy_peer_ways_1_gb * 17 / 16, ".0f")
write_link_heads_gb = value(write_ways_1_one_load_gb * 9 / 8, ".0f")
kernel_read_9_of_8_gb = value(kernel_read_ways_1_gb * 9 / 8, ".0f")
link_over_nominal = value(memcpy_peer_link_heads_gb / 450, ".0%")
twice_memcpy_peer_gb = value(2 * memcpy_peer_ways_1_gb, ".0f")
write_predicted_gb = value(2 * 8 / 9 * memcpy_peer_ways_1_gb * 17 / 16, ".0f")
write_ways_2_gb_rounded = value(kernel_write_ways_2_gb, ".0f")
read_predicted_gb = value(2 * 8 / 10 * memcpy_peer_ways_1_gb * 17 / 16, ".0f")
read_ways_2_gb_rounded = value(kernel_read_ways_2_gb, ".0f")
kernels_64_bytes_first_gb = value(write_ways_1_one_load_gb * 5 / 4, ".0f")
kernels_256_bytes_first_gb = value(write_ways_1_one_load_gb * 17 / 16, ".0f")
memcpy_peer_9_of_8_gb = value(memcpy_peer_ways_1_gb * 9 / 8, ".0f")
bytes_256_copy_gb = value(2 * 16 / 18 * memcpy_peer_ways_1_gb, ".0f")
two_flits_first_gb = value(2 * 8 / 11 * memcpy_peer_ways_1_gb * 17 / 16, ".0f")
claim(
    "the other packets that the page excludes miss by three percent",
    at_least(kernels_64_bytes_first_gb / memcpy_peer_link_heads_gb, 1.03),
    at_most(kernels_256_bytes_first_gb / memcpy_peer_link_heads_gb, 0.97),
    at_least(memcpy_peer_9_of_8_gb / write_link_heads_gb, 1.03),
    less(two_flits_first_gb, 0.97 * kernel_read_ways_2_gb),
)
claim("one assumption is close enough to remain possible", level(bytes_256_copy_gb, kernel_read_ways_2_gb, within=0.08))
claim(
    "one way the copy without heads fits as well", level(kernels_256_bytes_first_gb, memcpy_peer_ways_1_gb, within=0.02)
)
claim(
    "the packets of copy and kernels fit the same link",
    level(memcpy_peer_link_heads_gb, write_link_heads_gb, within=0.02),
    level(memcpy_peer_link_heads_gb, kernel_read_9_of_8_gb, within=0.02),
)
claim(
    "the packets explain what both ways reach",
    level(kernel_read_ways_2_gb, read_predicted_gb, within=0.03),
    level(kernel_write_ways_2_gb, write_predicted_gb, within=0.03),
    level(memcpy_peer_ways_2_gb, twice_memcpy_peer_gb, within=0.03),
)

# Experiments

nobody_asks = change(
    """
- .full_only = k.loads != 1};
+ .full_only = k.loads != 1, .setup = [] {}};
$ ./run 40 --device cpu --variant kernel_read
status 6
shows cudaDeviceEnablePeerAccess
$ ./run 40 --device cpu --variant memcpy_peer
shows ^memcpy_peer .* yes
"""
)
an_odd_end = change(
    """
$ ./run 40 --device cpu --variant kernel_read --variant kernel_write --n 100003
shows ^kernel_read .* yes
holds count('kernel_read', 'peer_load_sectors', ways=1, loads=1) == count('kernel_write', 'peer_store_sectors', ways=1, loads=1) == 12501
"""
)
sectors_of_odd_n = value((100003 + 7) // 8, ",.0f")
