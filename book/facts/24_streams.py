"""The facts of the page "DRAM and L2 bandwidth: read/write mix and partial-sector writes"."""

from tools.book.facts import *

page(
    "side",
    needs="22",
    afterwards=[
        "estimate the maximum bandwidth of a mix of reads and writes",
        "recognise partial-sector writes, and estimate their cost",
    ],
)
stream_1_share = value(share("stream", mix="1:1"), ".0%")
best_copy_bulk_gb = best("copy_bulk", chapter="26")
peak = device("peak_gb_per_s")

# Predict

stream_3_1_gb = gb("stream", mix="3:1")
stream_1_3_gb = gb("stream", mix="1:3")
stream_3_1_over_1_3 = stream_3_1_gb / stream_1_3_gb
writes_for_each_read = choice(
    """Which mix moves more bytes per second: three reads per write, or three writes per read?""",
    {
        "three reads": at_least(stream_3_1_over_1_3, 1.02),
        "both the same": level(stream_3_1_gb, stream_1_3_gb, within=0.02),
        "three writes": at_most(stream_3_1_over_1_3, 0.98),
    },
    right="three reads",
    fold="""Three reads per write reach {stream_3_1_gb} GB/s, three writes per read {stream_1_3_gb} GB/s.""",
)
sectors_stored_16_ms = value(ms("sectors", stored=16), ".3f")
sectors_stored_32_ms = value(ms("sectors", stored=32), ".2f")
half_over_whole_sectors = value(sectors_stored_16_ms / sectors_stored_32_ms, ".1f")
half_of_every_sector = choice(
    """You store 16 of the 32 bytes of every [sector](glossary.md#sector) of an array of 1 GiB. How long does it
take, compared with storing all of them?""",
    {
        "half as long": at_most(half_over_whole_sectors, 0.7),
        "equally long": level(sectors_stored_16_ms, sectors_stored_32_ms, within=0.3),
        "twice as long": at_least(half_over_whole_sectors, 1.3),
    },
    right="twice as long",
    fold="It takes {half_over_whole_sectors} times as long.",
)
stream_4_0_gb = gb("stream", mix="4:0")
stream_0_4_gb = gb("stream", mix="0:4")
l2_bytes = device("l2_bytes")
l2_bytes_over_4gi = value(l2_bytes / (4 * GiB), ".1%")
stream_0_4_over_4_0 = stream_0_4_gb / stream_4_0_gb
reading_or_writing = choice(
    """With the kernel of this page, which is faster: to read 4 GiB and write almost nothing, or to write 4 GiB and read nothing?""",
    {
        "reading, by more than five percent": at_most(stream_0_4_over_4_0, 0.95),
        "they are within five percent": level(stream_0_4_gb, stream_4_0_gb, within=0.05),
        "writing, by more than five percent": at_least(stream_0_4_over_4_0, 1.05),
    },
    right="they are within five percent",
    fold="""Reading alone reaches {stream_4_0_gb} GB/s, writing alone {stream_0_4_gb} GB/s, of which up to {l2_bytes_over_4gi} had not left the L2.""",
)

# Memory transactions

sectors_counts = counts(
    "24_streams",
    where=lambda row: row.variant == "sectors",
    columns="variant, stored, store_requests, store_sectors, store_sectors_per_request, store_efficiency",
)
sectors_access = access("24_streams", "sectors", title="One store of a warp: 4 bytes of each sector")
claim(
    "whatever is stored of them, the sectors are the same",
    equal(count("sectors", "store_sectors", stored=4), count("sectors", "store_sectors", stored=32)),
)

# Reads alone and writes alone are faster than any mix

mixes_chart = chart(
    "24_streams",
    where=lambda row: row.variant == "stream",
    bars="cold",
    name="mixes",
    title="Streams, by reads to writes",
)
stream_table = table("24_streams", where=lambda row: row.variant == "stream", columns="mix, cold, share")
stream_4_0_share = value(share("stream", mix="4:0"), ".1%")
stream_0_4_share = value(share("stream", mix="0:4"), ".1%")
stream_2_gb = gb("stream", mix="2:2")
stream_1_gb = gb("stream", mix="1:1")
stream_3_1_behind_4_0 = value(1 - stream_3_1_gb / stream_4_0_gb, ".1%")
claim("a quarter of writes costs bandwidth", faster(stream_4_0_gb, stream_3_1_gb))
add_bulk_gb = gb("add_bulk", chapter="26", threads=960, n=2**30)
best_addition_share = value(add_bulk_gb / peak, ".0%")
claim(
    "no copy of this book reaches nine tenths",
    at_most(
        max(
            best(chapter="06"),
            best_copy_bulk_gb,
            gb("copy_ordered", chapter="27", streams=1, window=16),
        )
        / peak,
        0.9,
    ),
    at_least(best_addition_share, 0.9),
)
stream_2_1_gb = gb("stream", mix="2:1")
stream_1_2_gb = gb("stream", mix="1:2")
claim("one read to two writes is slower than two reads to a write", faster(stream_2_1_gb, stream_1_2_gb))
claim("writing alone is no slower than reading alone", at_least(stream_0_4_over_4_0, 1.0))
least_stream_gb = min(stream_4_0_gb, stream_0_4_gb)
claim(
    "every mix with at least a third of writes is slower than both",
    at_most(max(stream_2_1_gb, stream_1_gb, stream_2_gb, stream_1_2_gb, stream_1_3_gb) / least_stream_gb, 0.985),
)
claim("the more writes the slower", ascending(stream_1_3_gb, stream_1_2_gb, stream_1_gb, stream_2_1_gb, stream_3_1_gb))
claim("three writes to a read are slower than three reads to a write", at_most(stream_1_3_gb / stream_3_1_gb, 0.95))
copy_bulk_gb = gb("copy_bulk", chapter="26", threads=192, unit=4, n=2**30)
add_bulk_1gi_gb = gb("add_bulk", chapter="26", threads=960, n=2**28)
claim(
    "no copy of this book is ahead of its stream by more than two percent, and the best addition is ahead of its",
    at_most(copy_bulk_gb / stream_1_gb, 1.02),
    at_least(add_bulk_1gi_gb / stream_2_1_gb, 1.005),
)

# Partial-sector writes take twice as long

sectors_written_part = table(
    "24_streams",
    where=lambda row: row.variant in ("sectors", "sectors_l2") and row.n > 0,
    every_size=True,
    columns="variant, stored, ms, cold",
)
sectors_l2_stored_16_ms = ms("sectors_l2", stored=16)
l2_times = value(sectors_l2_stored_16_ms / ms("sectors_l2", stored=32), ".2f")
claim("half of every sector takes longer than all of it", at_least(half_over_whole_sectors, 1.5))
claim(
    "in the L2 a part is slower than the whole, by less than in memory",
    at_least(l2_times, 1.05),
    at_most(l2_times / half_over_whole_sectors, 0.8),
)

# Read/write mixes lose more than equal turnarounds explain

stream_1_3_behind_least = value(1 - stream_1_3_gb / least_stream_gb, ".0%")
stream_1_3_dram_read = counter("stream", "dram_bytes_read", mix="1:3", large=True)
stream_1_3_dram_written = counter("stream", "dram_bytes_written", mix="1:3", large=True)
claim(
    "an addition's mix is ahead of a copy's",
    at_least(stream_2_1_gb / stream_1_gb, 1.01),
    faster(add_bulk_gb, copy_bulk_gb),
)
claim(
    "a mix moves no more than it requests",
    less(counter("stream", "dram_bytes_read", mix="1:1", large=True), 1.01 * 4 * 2**26),
    less(counter("stream", "dram_bytes_written", mix="1:1", large=True), 1.01 * 4 * 2**26),
    less(stream_1_3_dram_read, 1.01 * 4 * 2**26),
    less(stream_1_3_dram_written, 1.01 * 12 * 2**26),
)

# Partial-sector writes cause a read-modify-write

sectors_stored_16_dram_read = counter("sectors", "dram_bytes_read", stored=16, large=True)
sectors_stored_16_read_mib = value(sectors_stored_16_dram_read / MiB, ".0f")
sectors_stored_32_dram_read = counter("sectors", "dram_bytes_read", stored=32, large=True)
sectors_stored_32_read_mib = value(sectors_stored_32_dram_read / MiB, ".2f")
per_sectors_stored_16_ms = 2 * GiB / sectors_stored_16_ms / 10**6
claim(
    "parts of sectors are read, whole ones are not",
    more(sectors_stored_16_dram_read, 0.9 * 4 * 2**26),
    less(sectors_stored_32_dram_read, 0.01 * 4 * 2**26),
)
claim("as long as reading and writing all of it", between(0.9, per_sectors_stored_16_ms / stream_1_gb, 1.05))

# L2 limits reads and writes separately

stream_l2_2_0_gb = gb("stream_l2", mix="2:0")
l2_2_0_over_4_0 = value(stream_l2_2_0_gb / stream_4_0_gb, ".1f")
stream_l2_0_2_gb = gb("stream_l2", mix="0:2")
stream_l2_table = table(
    "24_streams",
    where=lambda row: row.variant == "stream_l2" and row.n > 0,
    every_size=True,
    columns="variant, mix, cold, hot",
)
stream_l2_2_1_gb = gb("stream_l2", mix="2:1")
stream_l2_2_1_over_2_0 = stream_l2_2_1_gb / stream_l2_2_0_gb
claim(
    "the L2 is read faster than DRAM, and more moves with a write to two reads",
    between(1.8, l2_2_0_over_4_0, 2.1),
    at_least(stream_l2_2_1_over_2_0, 1.2),
)
stream_l2_1_2_gb = gb("stream_l2", mix="1:2")
stream_l2_1_gb = gb("stream_l2", mix="1:1")
claim(
    "more writes make it slower, and writes alone move as much as to DRAM",
    ascending(stream_l2_0_2_gb, stream_l2_1_2_gb, stream_l2_1_gb, stream_l2_2_1_gb),
    level(stream_l2_0_2_gb, stream_0_4_gb, within=0.05),
)
l2_2_1_gain_over_2_0 = value(stream_l2_2_1_over_2_0 - 1, ".0%")
least_stream_l2_gb = min(3 / 2 * stream_l2_2_0_gb, 3 * stream_l2_0_2_gb)
stream_l2_2_1_over_least_stream_l2 = stream_l2_2_1_gb / least_stream_l2_gb
l2_2_1_behind_least = value(1 - stream_l2_2_1_over_least_stream_l2, ".0%")
least_twice_stream_l2_gb = min(2 * stream_l2_2_0_gb, 2 * stream_l2_0_2_gb)
stream_l2_1_over_least_twice_stream_l2 = stream_l2_1_gb / least_twice_stream_l2_gb
measured_1_1 = value(1 - stream_l2_1_over_least_twice_stream_l2, ".0%")
least_stream_l2_gb_2 = min(3 * stream_l2_2_0_gb, 3 / 2 * stream_l2_0_2_gb)
stream_l2_1_2_over_least_stream_l2 = stream_l2_1_2_gb / least_stream_l2_gb_2
l2_1_2_behind_least = value(1 - stream_l2_1_2_over_least_stream_l2, ".0%")
per_sectors_l2_stored_16_ms_millions = 32 * 2**25 / sectors_l2_stored_16_ms / 1000000.0
claim(
    "two limits side by side give the mixes to an eighth or so",
    between(0.85, stream_l2_2_1_over_least_stream_l2, 1),
    between(0.85, stream_l2_1_over_least_twice_stream_l2, 1),
    between(0.85, stream_l2_1_2_over_least_stream_l2, 1),
)
claim(
    "half sectors stay in the L2",
    less(1.5 * GiB / sectors_stored_16_ms / 1000000.0, per_sectors_l2_stored_16_ms_millions),
)

# Storing a whole sector is faster than storing half of it

sectors_stored_16_ms_cents = value(sectors_stored_16_ms, ".2f")
claim("how much is left out does not matter", level(ms("sectors", stored=4), sectors_stored_16_ms, within=0.05))

# Sustained reads reach the power limit, without losing bandwidth


def sustained(variant, column, n=2**28):
    """GB/s of a kernel's launches over part of ten seconds, of which `column` has the time of one launch."""
    row = dict(chapter="claim_power", n=n)
    return parameter(variant, "bytes", **row) / parameter(variant, column, **row) / 1e6


def power(variant, column, n=2**28):
    """A column of a kernel that runs for ten seconds."""
    return parameter(variant, column, chapter="claim_power", n=n)


def of_mover(variant, n=2**28):
    """A kernel's GB/s in one launch, in the first and in the last of ten seconds, its watts, and picojoules per byte."""
    return (
        value(gb(variant, chapter="claim_power", n=n), ",.0f"),
        value(sustained(variant, "first_ms", n), ",.0f"),
        value(sustained(variant, "last_ms", n), ",.0f"),
        value(power(variant, "watts", n), ".0f"),
        value(power(variant, "pj_per_byte", n), ".0f"),
    )


read_gb, read_first_gb, read_last_gb, read_watts, read_pj = of_mover("read")
read_4_gb, read_4_first_gb, read_4_last_gb, read_4_watts, read_4_pj = of_mover("read_4_arrays")
vectors_gb, vectors_first_gb, vectors_last_gb, vectors_watts, vectors_pj = of_mover("copy_vectors")
bulk_gb, bulk_first_gb, bulk_last_gb, bulk_watts, bulk_pj = of_mover("copy_bulk")
add_gb, add_first_gb, add_last_gb, add_watts, add_pj = of_mover("add_float4")
l2_gb, l2_first_gb, l2_last_gb, l2_watts, l2_pj = of_mover("copy_vectors", 2**21)
read_first_sm_mhz = power("read", "first_sm_mhz")
read_sm_mhz = power("read", "sm_mhz")
read_behind_read_4 = value(1 - read_gb / read_4_gb, ".0%")
claim(
    "no kernel is slower in its tenth second",
    at_least(
        min(
            read_last_gb / read_first_gb,
            read_4_last_gb / read_4_first_gb,
            vectors_last_gb / vectors_first_gb,
            bulk_last_gb / bulk_first_gb,
            add_last_gb / add_first_gb,
            l2_last_gb / l2_first_gb,
        ),
        0.995,
    ),
)
claim("a single launch of read is no faster", at_most(read_gb / read_last_gb, 1.01))
claim(
    "read takes the most power, at a lower clock",
    less(max(read_4_watts, vectors_watts, bulk_watts, add_watts, l2_watts), read_watts),
    less(read_sm_mhz, read_first_sm_mhz),
)

# Experiments

all_but_four_bytes = change(
    """
on gpu
- run(write_sectors<8>, 8);
+ run(write_sectors<7>, 7);
+ run(write_sectors<8>, 8);
$ ./run 24 --variant sectors
shows sectors .* yes
"""
)
all_but_four_bytes_counted = change(
    """
- run(write_sectors<8>, 8);
+ run(write_sectors<7>, 7);
+ run(write_sectors<8>, 8);
$ ./run 24 --device cpu --variant sectors
shows ^sectors .* yes
holds 0.7 < count('sectors', 'store_efficiency', stored=28) < 0.8
"""
)
every_second_sector = change(
    """
in write_sectors.cuh
- i / words * 8
+ i / words * 16
$ ./run 24 --device cpu --variant sectors
status 1
shows ^sectors .* FAILED
"""
)
