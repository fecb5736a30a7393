"""The facts of the page "Halo exchange: overlapping communication with computation"."""

from tools.book.facts import *

page(
    "side",
    needs="40",
    afterwards=[
        "overlap an exchange between GPUs with computation that does not depend on it",
        "predict when copying in chunks pays off",
    ],
)
memcpy_peer_gb = gb("memcpy_peer", access="on", ways=1, chapter="40")
peak = device("peak_gb_per_s", device="nvidia-h200")
claim("the link has less than a tenth of the bandwidth of the memory", at_most(memcpy_peer_gb / peak, 0.1))

# Predict

one_chunk_ms = value(ms("add_copied", chunks=1), ".2f")
add_peer_ms = value(ms("add_peer"), ".2f")
add_peer_over_copied = value(one_chunk_ms / add_peer_ms, ".2f")
copy_first_or_read = choice(
    """An array of 1 GiB on one GPU is added to an array on another. Which is faster: copying it first and then adding, or a kernel that reads it across the link while it adds?""",
    {
        "copying first": at_most(add_peer_over_copied, 0.95),
        "they tie": level(one_chunk_ms, add_peer_ms, within=0.05),
        "reading across the link": at_least(add_peer_over_copied, 1.05),
    },
    right="reading across the link",
    fold="""Copying first takes {one_chunk_ms} ms, reading in place {add_peer_ms}.""",
)
halo_first_ms = ms("halo_first", columns=16384)
halo_first_us = value(1000 * halo_first_ms, ".0f")
halo_peer_ms = ms("halo_peer", columns=16384)
halo_peer_us = value(1000 * halo_peer_ms, ".0f")
halo_peer_behind_first_percent = value(100 * (1 - halo_peer_ms / halo_first_ms), ".0f")
what_the_halo_costs = number(
    """A square grid of 16384 columns is cut in two. It is *periodic*: its last row is next to its first. Each half needs two rows of the other. What percentage of a step
is saved by reading these rows in place instead of fetching them first?""",
    halo_peer_behind_first_percent,
    "a factor of 2",
    unit="percent",
    fold="""A step takes {halo_first_us} µs, and {halo_peer_us} if the boundary rows are read in place.""",
)
add_copied_8_chunks_256ki_ms = ms("add_copied", chunks=8, n=2**18)
eight_chunks_256ki_us = value(1000 * add_copied_8_chunks_256ki_ms, ".0f")
add_copied_one_chunk_256ki_ms = ms("add_copied", chunks=1, n=2**18)
one_chunk_256ki_us = value(1000 * add_copied_one_chunk_256ki_ms, ".0f")
add_copied_8_chunks_over_one_chunk_256ki = add_copied_8_chunks_256ki_ms / add_copied_one_chunk_256ki_ms
chunks_of_small_arrays = choice(
    """Each array has 1 MiB, and one of them is copied to the other GPU before it is added. Which is faster: eight chunks, each added while the next is in flight, or one?""",
    {
        "eight chunks": at_most(add_copied_8_chunks_over_one_chunk_256ki, 0.95),
        "they tie": level(add_copied_8_chunks_256ki_ms, add_copied_one_chunk_256ki_ms, within=0.05),
        "one": at_least(add_copied_8_chunks_over_one_chunk_256ki, 1.05),
    },
    right="one",
    fold="""Eight chunks take {eight_chunks_256ki_us} µs, one {one_chunk_256ki_us}.""",
)

# Memory transactions

count_counts = counts(
    "41_halo_exchange",
    where=lambda row: row.n > 0,
    every_size=True,
    columns="variant, chunks, load_requests, store_requests, peer_load_sectors, peer_mib",
)
claim(
    "neither chunks nor reading change the bytes",
    equal(
        count("add_copied", "peer_mib", chunks=1),
        count("add_copied", "peer_mib", chunks=8),
        count("add_peer", "peer_mib"),
    ),
)
claim(
    "nor does it matter how a halo comes",
    equal(count("halo_first", "peer_mib"), count("halo_overlap", "peer_mib"), count("halo_peer", "peer_mib")),
)
chunks_timeline = timeline(
    "41_halo_exchange", "add_copied", where=lambda row: row.chunks == 8, name="chunks", title="b comes in eight chunks"
)
add_copied_modelled_ms = value(modelled("add_copied", chunks=8), ".2f")
eight_chunks_ms = value(ms("add_copied", chunks=8), ".2f")
overlap_modelled_ms = value(modelled("halo_overlap"), ".2f")
halo_overlap_ms = value(ms("halo_overlap"), ".2f")
claim(
    "of the size that the terminal draws chunks cost more than they hide",
    at_least(modelled("add_copied", chunks=8, n=2**20) / modelled("add_copied", chunks=1, n=2**20), 1.5),
)
claim("and so does overlap", at_least(ratio(modelled, "halo_overlap", "halo_first", n=2**20), 1.2))
claim(
    "the model is close where the link is waited for, and far where the kernel is",
    level(add_copied_modelled_ms, eight_chunks_ms, within=0.05),
    at_most(overlap_modelled_ms / halo_overlap_ms, 0.75),
)
add_copied_one_chunk_8mi_ms = ms("add_copied", chunks=1, n=2**23)
add_copied_8_chunks_8mi_ms = ms("add_copied", chunks=8, n=2**23)
claim(
    "modelled at 2^24 chunks pay, measured at 2^23 they lose",
    faster(add_copied_one_chunk_8mi_ms, add_copied_8_chunks_8mi_ms),
    less(modelled("add_copied", chunks=8, n=2**24), modelled("add_copied", chunks=1, n=2**24)),
)

# Results

add_across_table = table(
    "41_halo_exchange", where=lambda row: row.task == "add across", columns="variant, chunks, ms, cold"
)
reads_both_ways_slower = value(
    1 - gb("kernel_read", ways=2, loads=1, chapter="40") / 2 / gb("kernel_read", ways=1, loads=1, chapter="40"), ".0%"
)
add_peer_256ki_ms = ms("add_peer", n=2**18)
add_peer_256ki_us = value(1000 * add_peer_256ki_ms, ".0f")
add_peer_8mi_us = value(1000 * ms("add_peer", n=2**23), ".0f")
one_chunk_8mi_us = value(1000 * add_copied_one_chunk_8mi_ms, ".0f")
eight_chunks_8mi_us = value(1000 * add_copied_8_chunks_8mi_ms, ".0f")
claim("chunks hide most of the addition", at_most(eight_chunks_ms / one_chunk_ms, 0.9))
claim("chunks come close to reading in place", between(0.97, gb("add_peer") / gb("add_copied", chunks=8), 1.06))
claim(
    "of 1 MiB and 32 MiB chunks cost more than they hide",
    at_least(add_copied_8_chunks_over_one_chunk_256ki, 1.5),
    at_least(add_copied_8_chunks_8mi_ms / add_copied_one_chunk_8mi_ms, 1.2),
)
claim(
    "of 1 MiB reading in place is the fastest by far", at_most(add_peer_256ki_ms / add_copied_one_chunk_256ki_ms, 0.5)
)
halo_chart = chart(
    "41_halo_exchange",
    where=lambda row: row.task == "smooth",
    bars="cold",
    name="halo",
    title="A step on the grid, both GPUs together",
    limits=False,
)
columns_256ki = parameter("halo_first", "columns", n=262144)
halo_first_256ki_ms = ms("halo_first", n=262144)
halo_first_256ki_us = value(1000 * halo_first_256ki_ms, ".0f")
halo_overlap_256ki_ms = ms("halo_overlap", n=262144)
halo_overlap_256ki_us = value(1000 * halo_overlap_256ki_ms, ".0f")
halo_peer_256ki_ms = ms("halo_peer", n=262144)
halo_peer_256ki_us = value(1000 * halo_peer_256ki_ms, ".0f")
overlap_behind_first_256ki = value(1 - halo_overlap_256ki_ms / halo_first_256ki_ms, ".0%")
peer_behind_first_256ki = value(1 - halo_peer_256ki_ms / halo_first_256ki_ms, ".0%")
columns_8386816 = parameter("halo_first", "columns", n=8386816)
halo_first_8386816_ms = ms("halo_first", n=8386816)
first_8386816_us = value(1000 * halo_first_8386816_ms, ".0f")
halo_overlap_8386816_ms = ms("halo_overlap", n=8386816)
overlap_8386816_us = value(1000 * halo_overlap_8386816_ms, ".0f")
halo_peer_8386816_ms = ms("halo_peer", n=8386816)
halo_peer_8386816_us = value(1000 * halo_peer_8386816_ms, ".0f")
halo_overlap_over_first_8386816_time = halo_overlap_8386816_ms / halo_first_8386816_ms
overlap_hides_2896 = value(1 - halo_overlap_over_first_8386816_time, ".0%")
peer_behind_first_8386816 = value(1 - halo_peer_8386816_ms / halo_first_8386816_ms, ".0%")
columns_256mi = parameter("halo_first", "columns", n=2**28)
halo_first_256mi_ms = ms("halo_first", n=2**28)
halo_first_256mi_us = value(1000 * halo_first_256mi_ms, ".0f")
halo_overlap_256mi_ms = ms("halo_overlap", n=2**28)
halo_overlap_256mi_us = value(1000 * halo_overlap_256mi_ms, ".0f")
halo_peer_256mi_ms = ms("halo_peer", n=2**28)
halo_peer_256mi_us = value(1000 * halo_peer_256mi_ms, ".0f")
overlap_behind_first_256mi = value(1 - halo_overlap_256mi_ms / halo_first_256mi_ms, ".0%")
peer_behind_first_256mi = value(1 - halo_peer_256mi_ms / halo_first_256mi_ms, ".0%")
halo_overlap_16ki_columns_ms = ms("halo_overlap", columns=16384)
claim(
    "overlap hides a part of the exchange",
    at_most(halo_overlap_over_first_8386816_time, 0.9),
)
claim("in the smallest grid it loses", faster(halo_first_256ki_ms, halo_overlap_256ki_ms))
claim(
    "reading the halo in place is the fastest on the smaller grids, and no slower on the largest",
    at_most(halo_peer_256ki_ms / halo_overlap_256ki_ms, 0.8),
    at_most(halo_peer_8386816_ms / halo_overlap_8386816_ms, 0.8),
    at_most(halo_peer_ms / halo_overlap_16ki_columns_ms, 1.03),
)
claim("on the largest grid the exchange is a few percent", at_least(halo_peer_ms / halo_first_ms, 0.9))

# The sum: the link sets the time

memcpy_peer_ms = value(ms("memcpy_peer", access="on", ways=1, chapter="40"), ".2f")
float4_ms = value(ms("float4", threads=256, chapter="05"), ".2f")
kernel_read_ms = value(ms("kernel_read", ways=1, loads=1, chapter="40"), ".2f")
eight_chunks_cost_row_ms = value(add_copied_8_chunks_256ki_ms - add_copied_one_chunk_256ki_ms, ".2f")
memcpy_peer_and_float4_ms = value(memcpy_peer_ms + float4_ms, ".2f")
add_copied_eight_chunks_ms = value(memcpy_peer_ms + float4_ms / 8 + eight_chunks_cost_row_ms, ".2f")
claim(
    "the three times are put together within four percent",
    level(memcpy_peer_and_float4_ms, one_chunk_ms, within=0.04),
    level(add_copied_eight_chunks_ms, eight_chunks_ms, within=0.04),
    level(kernel_read_ms, add_peer_ms, within=0.04),
)

# The stencil kernel itself is slow, not the exchange

halo_peer_gb = gb("halo_peer", columns=16384)
halo_peer_over_2_gb = halo_peer_gb / 2
peer_half_over_peak = value(halo_peer_over_2_gb / peak, ".0%")
plane_direct_gb = gb("plane_direct", chapter="claim_stencil")
plane_direct_share = value(share("plane_direct", chapter="claim_stencil"), ".0%")
plane_float4_gb = gb("plane_float4", each=4, chapter="claim_stencil")
plane_float4_share = value(share("plane_float4", each=4, chapter="claim_stencil"), ".0%")
element_gb = gb("element", unit=4, n=2**28, chapter="06")
element_share = value(share("element", unit=4, n=2**28, chapter="06"), ".0%")
plane_direct_dram_read = counter("plane_direct", "dram_bytes_read", chapter="claim_stencil", large=True)
plane_direct_bytes_each = value(plane_direct_dram_read / 2**26, ".1f")
element_ms = ms("element", unit=4, n=2**28, chapter="06")
times_1056_element_ns_mib = value(element_ms * 1000000.0 / 2**20 * 1056, ".0f")
halo_peer_minus_256ki_ms = halo_peer_ms - halo_peer_256ki_ms
grid_place_ns = value(halo_peer_minus_256ki_ms * 1000000.0 / 2**19 * 1056, ".0f")
copy_per_sm_ns = value(
    ns("copy_one_per_sm", chapter="23", threads=256) * device("multiprocessors", device="nvidia-h200"), ".0f"
)
element_gb_over_peak = element_gb / peak
element_gb_behind_peak = 1 - element_gb_over_peak
model_read_queue_ns = machine("read_queue_ns")
copy_queue_ns = value(model_read_queue_ns * element_gb_over_peak / element_gb_behind_peak, ".0f")
grid_queue_ns = value(model_read_queue_ns * peer_half_over_peak / (1 - peer_half_over_peak), ".0f")
float4_step_expected_us = value(
    1000 * (halo_peer_minus_256ki_ms * plane_direct_gb / plane_float4_gb + halo_peer_256ki_ms), ".0f"
)
claim(
    "the grid meets a shorter queue than the copy",
    less(grid_queue_ns, 0.8 * model_read_queue_ns * element_gb_over_peak / element_gb_behind_peak),
)
twice_halo_peer_minus_256ki_ms = 2 * halo_peer_minus_256ki_ms
claim(
    "most of the loss of the grid to the copy is the longer lifetime of a block",
    between(0.6, (1 - element_ms / twice_halo_peer_minus_256ki_ms) / (1 - halo_peer_over_2_gb / element_gb), 1),
)
claim(
    "a block of the grid lives longer than one of the copy",
    between(1.08, twice_halo_peer_minus_256ki_ms / element_ms, 1.3),
)
claim("both GPUs together stay below the peak of one", at_most(halo_peer_gb / peak, 0.98))
claim(
    "half of the grid goes at the rate of a stencil that is alone on a GPU",
    between(0.9, halo_peer_over_2_gb / plane_direct_gb, 1.15),
)
claim(
    "one float per thread is slow in a copy, too, and four are not in a stencil",
    less(element_share, 0.65),
    at_least(plane_float4_gb / plane_direct_gb, 1.6),
)
claim("a stencil reads each float once from DRAM", between(0.97, plane_direct_dram_read / 2**28, 1.05))

# The exchange costs calls, and hardly any bytes

halo_first_minus_peer_ms = halo_first_ms - halo_peer_ms
first_minus_peer_us = value(1000 * halo_first_minus_peer_ms, ".1f")
halo_first_minus_peer_8386816_ms = halo_first_8386816_ms - halo_peer_8386816_ms
first_minus_peer_8386816_us = value(1000 * halo_first_minus_peer_8386816_ms, ".1f")
launches_minus_graph_us = value(
    0.001
    * (
        ns("launches", n=2**26, needs="the last", steps=128, chapter="37")
        - ns("graph", n=2**26, needs="the last", steps=128, chapter="37")
    ),
    ".1f",
)
peer_minus_256ki_us = value(1000 * halo_peer_minus_256ki_ms, ".0f")
peer_minus_quarter_us = value(peer_minus_256ki_us / 4, ".0f")
halo_peer_256ki_and_halo_peer_minus_256ki = halo_peer_256ki_ms + halo_peer_minus_256ki_ms / 4
halo_peer_together = value(1000 * halo_peer_256ki_and_halo_peer_minus_256ki, ".0f")
halo_first_expected_ms = halo_peer_256ki_and_halo_peer_minus_256ki + halo_first_minus_peer_ms
first_expected_us = value(1000 * halo_first_expected_ms, ".0f")
others_halo_first_saved = value(halo_first_minus_peer_ms / halo_first_expected_ms, ".0%")
grid_2896_estimated_ms = halo_peer_256ki_ms + halo_peer_minus_256ki_ms / 32
grid_2896_estimated_us = value(1000 * grid_2896_estimated_ms, ".0f")
claim("by the rule a fifth is saved of a grid of 8192 columns", between(0.15, others_halo_first_saved, 0.25))
claim(
    "the rule gives the grid of 2896 columns within 15%",
    level(grid_2896_estimated_ms, halo_peer_8386816_ms, within=0.15),
)
peer_minus_256ki_us_kib = value(peer_minus_256ki_us / 1024, ".1f")
first_minus_peer_256ki_us = value(1000 * (halo_first_256ki_ms - halo_peer_256ki_ms), ".0f")
halo_first_minus_overlap_256ki_ms = halo_first_256ki_ms - halo_overlap_256ki_ms
first_minus_overlap_256ki_us = value(1000 * halo_first_minus_overlap_256ki_ms, ".0f")
peer_minus_32nd_us = value(peer_minus_256ki_us / 32, ".1f")
first_minus_peer_8386816_us_rounded = value(first_minus_peer_8386816_us, ".0f")
first_minus_overlap_8386816_us = value(1000 * (halo_first_8386816_ms - halo_overlap_8386816_ms), ".0f")
peer_minus_256ki_us_tenths = value(peer_minus_256ki_us, ".1f")
first_minus_peer_us_rounded = value(first_minus_peer_us, ".0f")
halo_first_minus_overlap_16ki_columns_ms = halo_first_ms - halo_overlap_16ki_columns_ms
overlap_gains_us_16384 = value(1000 * halo_first_minus_overlap_16ki_columns_ms, ".0f")
chase_memory_owner_1_ns = value(ns("chase", executor=0, memory_owner=1, chapter="40"), ",.0f")
chase_memory_owner_0_ns = value(ns("chase", executor=0, memory_owner=0, chapter="40"), ".0f")
claim("a row takes less than a microsecond", less(16384 * 4 / memcpy_peer_gb, 1000))
claim(
    "overlap gains most where there is as much to hide as to hide it behind",
    less(abs(first_minus_overlap_8386816_us - peer_minus_32nd_us), 4),
    less(halo_first_minus_overlap_256ki_ms, 0.005),
)
claim(
    "the exchange costs about the same, however long the rows",
    level(halo_first_minus_peer_ms, halo_first_minus_peer_8386816_ms, within=0.3),
    between(5, 16384 / columns_8386816, 6.5),
)

# Experiments

a_halo_without_access = change(
    """
- .columns = {{"access", "on"}, {"devices", devices}, {"columns", columns}}},
+ .columns = {{"access", "on"}, {"devices", devices}, {"columns", columns}}, .setup = [] {}},
$ ./run 41 --device cpu --variant halo_first --variant halo_overlap
shows halo_overlap .* yes
$ ./run 41 --device cpu --variant halo_peer
status 6
shows cudaDeviceEnablePeerAccess
"""
)
more_chunks = change(
    """
in add.cuh
- {1u, 8u}
+ {1u, 64u}
$ ./run 41 --device cpu --variant add_copied
shows add_copied .* 64 .* yes
$ ./run 41 --device cpu --variant add_copied --n 2^24
holds modelled('add_copied', chunks=64, n=2**24) > modelled('add_copied', chunks=1, n=2**24)
$ ./run 41 --device cpu --variant add_copied --n 2^26
holds 1 < modelled('add_copied', chunks=64, n=2**26) / modelled('add_copied', chunks=1, n=2**26) < 1.1
"""
)
