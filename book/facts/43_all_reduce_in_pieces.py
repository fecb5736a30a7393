"""The facts of the page "Pipelined all-reduce with copy engines"."""

from tools.book.facts import *

page("side", needs="41 42", afterwards=["split an exchange into pieces that overlap", "predict the best number of pieces"])

# Predict

two_phase_copies_2_pieces_gb = gb("two_phase_copies", pieces=2)
two_phase_copies_4_pieces_gb = gb("two_phase_copies", pieces=4)
two_phase_copies_16_pieces_gb = gb("two_phase_copies", pieces=16)
how_many_pieces = choice(
    """Copy engines send and kernels add 1 GiB, split into 2 or 16 pieces. Which is faster?""",
    {
        "2 pieces": faster(two_phase_copies_2_pieces_gb, two_phase_copies_16_pieces_gb),
        "they tie within one percent": level(two_phase_copies_2_pieces_gb, two_phase_copies_16_pieces_gb, within=0.01),
        "16 pieces": faster(two_phase_copies_16_pieces_gb, two_phase_copies_2_pieces_gb),
    },
    right="2 pieces",
    fold="""Two pieces reach {two_phase_copies_2_pieces_gb} GB/s, 16 pieces {two_phase_copies_16_pieces_gb}.""",
)
nccl_all_reduce_gb = gb("nccl_all_reduce", chapter="42")
two_pieces_over_nccl = value(two_phase_copies_2_pieces_gb / nccl_all_reduce_gb, ".2f")
ahead_of_the_library = number(
    """How many times as fast as NCCL is the best number of pieces, at 1 GiB?""",
    two_pieces_over_nccl,
    "a factor of 1.15",
    unit="times",
    fold="""It reaches {two_phase_copies_2_pieces_gb} GB/s of bus bandwidth, NCCL {nccl_all_reduce_gb}.""",
)
two_phase_copies_8mi_ms = ms("two_phase_copies", pieces=2, n=2**23)
copies_8mi_us = value(1000 * two_phase_copies_8mi_ms, ".0f")
one_shot_8mi_ms = ms("one_shot", loads=2, n=2**23, chapter="42")
one_shot_8mi_us = value(1000 * one_shot_8mi_ms, ".0f")
two_phase_copies_over_one_shot_8mi_time = two_phase_copies_8mi_ms / one_shot_8mi_ms
at_32_mib = choice(
    """With 32 MiB on each GPU, which is faster: two pieces by copy engines, or chapter 42's single kernel that reads both arrays?""",
    {
        "the pieces": at_most(two_phase_copies_over_one_shot_8mi_time, 0.95),
        "they tie": level(two_phase_copies_8mi_ms, one_shot_8mi_ms, within=0.05),
        "the kernel": at_least(two_phase_copies_over_one_shot_8mi_time, 1.05),
    },
    right="the kernel",
    fold="""The pieces take {copies_8mi_us} µs, the kernel {one_shot_8mi_us}.""",
)

# Pieces keep the link busy while the devices add

stream_gb = gb("stream", chapter="24", mix="2:1")
per_stream_gb = value(1.5 * GiB / stream_gb / 1000000.0, ".2f")
copies_timeline = timeline(
    "43_all_reduce_in_pieces",
    "two_phase_copies",
    where=lambda row: row.pieces == 4 and row.n == 2**20,
    name="copies",
    title="Four pieces by copy engines",
)

# Memory transactions

count_counts = counts(
    "43_all_reduce_in_pieces",
    where=lambda row: row.n == 2**20 and row.pieces in (1, 2, 16),
    every_size=True,
    columns="variant, pieces, load_requests, store_requests, peer_load_sectors, peer_store_sectors, peer_mib",
)
two_phase_peer_mib = count("two_phase", "peer_mib", loads=2, n=2**20, chapter="42")
claim(
    "as many bytes as two-phase sends",
    equal(count("two_phase_stores", "peer_mib", pieces=1, n=2**20), two_phase_peer_mib),
    equal(
        count("two_phase_copies", "peer_mib", pieces=2, n=2**20),
        count("two_phase_copies", "peer_mib", pieces=16, n=2**20),
        two_phase_peer_mib,
    ),
)
claim(
    "all that the kernels send they store",
    equal(
        count("two_phase_stores", "peer_store_sectors", pieces=1, n=2**20),
        count("two_phase", "peer_load_sectors", loads=2, n=2**20, chapter="42")
        + count("two_phase", "peer_store_sectors", loads=2, n=2**20, chapter="42"),
    ),
)

# Results

pieces_chart = chart(
    "42,43",
    where=lambda row: row.task == "all-reduce" and row.n == 2**28 and (row.loads in (0, 2)) and (row.pieces <= 2),
    every_size=True,
    name="pieces",
    title="All-reduce of 1 GiB, bus bandwidth",
    limits=False,
)
one_shot_1ki_ms = ms("one_shot", loads=2, chapter="42", n=2**10)
one_shot_1ki_us = value(1000 * one_shot_1ki_ms, ",.1f")
two_phase_1ki_us = value(1000 * ms("two_phase", loads=2, chapter="42", n=2**10), ",.1f")
stores_1ki_us = value(1000 * ms("two_phase_stores", pieces=1, n=2**10), ",.1f")
two_phase_copies_2_pieces_1ki_ms = ms("two_phase_copies", pieces=2, n=2**10)
copies_2_pieces_1ki_us = value(1000 * two_phase_copies_2_pieces_1ki_ms, ",.1f")
nccl_all_reduce_1ki_us = value(1000 * ms("nccl_all_reduce", chapter="42", n=2**10), ",.1f")
one_shot_256ki_ms = ms("one_shot", loads=2, chapter="42", n=2**18)
one_shot_256ki_us = value(1000 * one_shot_256ki_ms, ",.0f")
two_phase_256ki_ms = ms("two_phase", loads=2, chapter="42", n=2**18)
two_phase_256ki_us = value(1000 * two_phase_256ki_ms, ",.0f")
two_phase_stores_256ki_ms = ms("two_phase_stores", pieces=1, n=2**18)
stores_256ki_us = value(1000 * two_phase_stores_256ki_ms, ",.0f")
two_phase_copies_256ki_ms = ms("two_phase_copies", pieces=2, n=2**18)
copies_256ki_us = value(1000 * two_phase_copies_256ki_ms, ",.0f")
nccl_all_reduce_256ki_us = value(1000 * ms("nccl_all_reduce", chapter="42", n=2**18), ",.0f")
one_shot_8mi_us_rounded = value(one_shot_8mi_us, ",.0f")
two_phase_8mi_us = value(1000 * ms("two_phase", loads=2, chapter="42", n=2**23), ",.0f")
stores_8mi_us = value(1000 * ms("two_phase_stores", pieces=1, n=2**23), ",.0f")
copies_8mi_us_rounded = value(copies_8mi_us, ",.0f")
nccl_all_reduce_8mi_us = value(1000 * ms("nccl_all_reduce", chapter="42", n=2**23), ",.0f")
one_shot_64mi_ms = ms("one_shot", loads=2, chapter="42", n=2**26)
one_shot_64mi_us = value(1000 * one_shot_64mi_ms, ",.0f")
two_phase_64mi_us = value(1000 * ms("two_phase", loads=2, chapter="42", n=2**26), ",.0f")
stores_64mi_us = value(1000 * ms("two_phase_stores", pieces=1, n=2**26), ",.0f")
two_phase_copies_2_pieces_64mi_ms = ms("two_phase_copies", pieces=2, n=2**26)
copies_2_pieces_64mi_us = value(1000 * two_phase_copies_2_pieces_64mi_ms, ",.0f")
nccl_all_reduce_64mi_us = value(1000 * ms("nccl_all_reduce", chapter="42", n=2**26), ",.0f")
one_shot_256mi_ms = ms("one_shot", loads=2, chapter="42", n=2**28)
one_shot_256mi_us = value(1000 * one_shot_256mi_ms, ",.0f")
two_phase_256mi_us = value(1000 * ms("two_phase", loads=2, chapter="42", n=2**28), ",.0f")
stores_one_piece_256mi_ms = value(ms("two_phase_stores", pieces=1, n=2**28), ".3f")
stores_one_piece_256mi_us = value(1000 * stores_one_piece_256mi_ms, ",.0f")
copies_2_pieces_256mi_ms = value(ms("two_phase_copies", pieces=2, n=2**28), ".3f")
copies_2_pieces_256mi_us = value(1000 * copies_2_pieces_256mi_ms, ",.0f")
nccl_all_reduce_256mi_us = value(1000 * ms("nccl_all_reduce", chapter="42", n=2**28), ",.0f")
two_phase_copies_2_pieces_minus_one_shot = two_phase_copies_2_pieces_1ki_ms - one_shot_1ki_ms
two_pieces_begin_behind = value(1000 * two_phase_copies_2_pieces_minus_one_shot, ".0f")
one_shot_256mi_minus_1ki_ms = one_shot_256mi_ms - one_shot_1ki_ms
two_pieces_1_gib_growth_ms = copies_2_pieces_256mi_ms - two_phase_copies_2_pieces_1ki_ms
two_pieces_gain_1_gib_ms = one_shot_256mi_minus_1ki_ms - two_pieces_1_gib_growth_ms
two_pieces_gain_1_gib_us = value(1000 * two_pieces_gain_1_gib_ms, ".0f")
level_at_mib = value(1024 * two_phase_copies_2_pieces_minus_one_shot / two_pieces_gain_1_gib_ms, ".0f")
estimated_us_32_mib = value(1000 * (one_shot_1ki_ms + one_shot_256mi_minus_1ki_ms / 32), ".0f")
two_pieces_32mib_us = value(
    1000 * (two_phase_copies_2_pieces_1ki_ms + two_pieces_1_gib_growth_ms / 32), ".0f"
)
estimated_us_64_mib = value(1000 * (one_shot_1ki_ms + one_shot_256mi_minus_1ki_ms / 16), ".0f")
one_shot_16mi_ms = ms("one_shot", loads=2, chapter="42", n=2**24)
one_shot_16mi_us = value(1000 * one_shot_16mi_ms, ".0f")
two_pieces_64mib_us = value(
    1000 * (two_phase_copies_2_pieces_1ki_ms + two_pieces_1_gib_growth_ms / 16), ".0f"
)
two_phase_copies_16mi_ms = ms("two_phase_copies", pieces=2, n=2**24)
copies_16mi_us = value(1000 * two_phase_copies_16mi_ms, ".0f")
claim(
    "one-shot is as estimated, and two pieces are some microseconds faster, twice",
    less(abs(estimated_us_32_mib - one_shot_8mi_us), 4),
    less(abs(estimated_us_64_mib - one_shot_16mi_us), 4),
    between(3, two_pieces_32mib_us - copies_8mi_us, 20),
    between(3, two_pieces_64mib_us - copies_16mi_us, 20),
)
claim(
    "by estimate they cross between 64 and 256 MiB, and they tie at 64",
    between(64, level_at_mib, 256),
    level(one_shot_16mi_ms, two_phase_copies_16mi_ms, within=0.08),
)
sizes_in_pieces = chart(
    "42,43",
    where=lambda row: row.task == "all-reduce"
    and row.variant in ("one_shot", "two_phase_copies", "nccl_all_reduce")
    and (row.loads in (0, 2))
    and (row.pieces in (1, 2)),
    x="n",
    lines="variant",
    name="sizes_in_pieces",
    title="All-reduce by number of floats, bus bandwidth",
    limits=False,
    every_size=True,
)
claim(
    "of 1 MiB one kernel is ahead of both",
    at_most(two_phase_256ki_ms / two_phase_stores_256ki_ms, 0.8),
    at_most(one_shot_256ki_ms / two_phase_stores_256ki_ms, 0.8),
    faster(two_phase_stores_256ki_ms, two_phase_copies_256ki_ms),
)
claim("of 32 MiB copies in pieces lose", at_least(two_phase_copies_over_one_shot_8mi_time, 1.1))
claim("of 256 MiB they win", at_most(two_phase_copies_2_pieces_64mi_ms / one_shot_64mi_ms, 0.95))
two_phase_gb = value(gb("two_phase", loads=2, chapter="42"), ".0f")
memcpy_peer_ways_1_gb = gb("memcpy_peer", access="on", ways=1, chapter="40")
link_with_heads_gb = value(memcpy_peer_ways_1_gb * 17 / 16, ".0f")
one_kernel_loses = value(1 - two_phase_gb / link_with_heads_gb, ".0%")
claim("of one kernel almost a fifth of the link is not data", between(0.15, one_kernel_loses, 0.2))

# Analysis

two_phase_expected_gb = value(8 / 9.5 * memcpy_peer_ways_1_gb * 17 / 16, ".0f")
kernel_write_over_2_gb = value(gb("kernel_write", ways=2, loads=1, chapter="40") / 2, ".0f")
stores_one_piece_gb = value(gb("two_phase_stores", pieces=1), ".0f")
memcpy_peer_half_gb = value(gb("memcpy_peer", access="on", ways=2, chapter="40") / 2, ".0f")
copies_2_pieces_gb_rounded = value(two_phase_copies_2_pieces_gb, ".0f")
two_phase_leaves_come = value(
    (two_phase_copies_2_pieces_gb - two_phase_gb) / (link_with_heads_gb - two_phase_gb), ".0%"
)
copies_bound_gb = value(
    GiB / 1000000000.0 / (GiB / 1000000000.0 / memcpy_peer_half_gb + 1.5 * GiB / 1000000000.0 / stream_gb),
    ".0f",
)
claim("writing alone is better than reading and writing", at_least(stores_one_piece_gb / two_phase_gb, 1.03))
claim("the copy engines are better still", at_least(two_phase_copies_2_pieces_gb / stores_one_piece_gb, 1.03))
claim(
    "the packets predict all three within five percent",
    level(two_phase_gb, two_phase_expected_gb, within=0.05),
    level(stores_one_piece_gb, kernel_write_over_2_gb, within=0.05),
    between(0.93, two_phase_copies_2_pieces_gb / memcpy_peer_half_gb, 1.02),
)
two_phase_copies_ms = value(ms("two_phase_copies", pieces=2), ".2f")
claim(
    "more than is possible if the addition followed the copies",
    at_least(two_phase_copies_2_pieces_gb / (GiB / (GiB / memcpy_peer_half_gb + 1.5 * GiB / stream_gb)), 1.05),
)
claim("the additions take less than a fifth of the time", less(per_stream_gb, 0.2 * two_phase_copies_ms))

# More than two pieces are slower

copies_4_pieces_gb_rounded = value(two_phase_copies_4_pieces_gb, ".0f")
pieces_4_longer_1_gib_us = value(
    1000 * (ms("two_phase_copies", pieces=4, n=2**28) - copies_2_pieces_256mi_ms), ".0f"
)
pieces_4_longer_256_mib_us = value(
    1000 * (ms("two_phase_copies", pieces=4, n=2**26) - two_phase_copies_2_pieces_64mi_ms), ".0f"
)
pieces_4_longer_4_kib_us = value(
    1000 * (ms("two_phase_copies", pieces=4, n=2**10) - two_phase_copies_2_pieces_1ki_ms), ".0f"
)
copies_8_pieces_gb = value(gb("two_phase_copies", pieces=8), ".0f")
two_phase_copies_8_pieces_minus_2_pieces = (
    ms("two_phase_copies", pieces=8, n=2**28) - copies_2_pieces_256mi_ms
)
longer_two_pieces_8 = value(1000 * two_phase_copies_8_pieces_minus_2_pieces, ".0f")
value_of_256_mib_us_8 = value(
    1000 * (ms("two_phase_copies", pieces=8, n=2**26) - two_phase_copies_2_pieces_64mi_ms), ".0f"
)
pieces_8_longer_1ki_ms = ms("two_phase_copies", pieces=8, n=2**10) - two_phase_copies_2_pieces_1ki_ms
value_of_4_kib_us_8 = value(1000 * pieces_8_longer_1ki_ms, ".0f")
copies_16_pieces_gb_rounded = value(two_phase_copies_16_pieces_gb, ".0f")
two_phase_copies_16_pieces_minus_2_pieces = (
    ms("two_phase_copies", pieces=16, n=2**28) - copies_2_pieces_256mi_ms
)
longer_two_pieces_16 = value(1000 * two_phase_copies_16_pieces_minus_2_pieces, ".0f")
pieces_16_longer_64mi_ms = ms("two_phase_copies", pieces=16, n=2**26) - two_phase_copies_2_pieces_64mi_ms
value_of_256_mib_us_16 = value(1000 * pieces_16_longer_64mi_ms, ".0f")
pieces_16_longer_1ki_ms = ms("two_phase_copies", pieces=16, n=2**10) - two_phase_copies_2_pieces_1ki_ms
value_of_4_kib_us_16 = value(1000 * pieces_16_longer_1ki_ms, ".0f")
memcpy_peer_ms = value(ms("memcpy_peer", access="on", ways=2, chapter="40"), ".3f")
value_of_4_kib_us_16_over_14 = value(value_of_4_kib_us_16 / 14, ".0f")
claim(
    "four pieces tie with two",
    level(two_phase_copies_2_pieces_gb, two_phase_copies_4_pieces_gb, within=0.03),
)
claim(
    "fourteen more pieces cost about the same, whatever they carry",
    between(0.7, two_phase_copies_16_pieces_minus_2_pieces / pieces_16_longer_1ki_ms, 1.3),
    between(0.7, pieces_16_longer_64mi_ms / pieces_16_longer_1ki_ms, 1.3),
)
stores_4_pieces_256mi_ms = value(ms("two_phase_stores", pieces=4, n=2**28), ".3f")
claim(
    "stores gain nothing from pieces",
    level(gb("two_phase_stores", pieces=4), stores_one_piece_gb, within=0.02),
)

# Experiments

one_piece = change(
    """
- {2u, 3u, 4u, 8u, 16u}
+ {1u, 2u, 3u, 4u, 8u, 16u}
$ ./run 43 --device cpu --variant two_phase_copies --n 2^24
shows ^two_phase_copies .* yes
holds modelled('two_phase_copies', pieces=1) > 1.05 * modelled('two_phase_copies', pieces=2)
"""
)
sums_first = change(
    """
- {2u, 3u, 4u, 8u, 16u}
+ {1u, 2u, 3u, 4u, 8u, 16u}
in pieces.cuh
- for (unsigned k = 0; k < team.size() && piece < pieces; ++k) {
-     send_inputs(k, piece);
- }
- for (unsigned k = 0; k < team.size() && piece > 0 && copy_engines; ++k) {
-     send_sums(k, piece - 1);
- }
+ for (unsigned k = 0; k < team.size() && piece > 0 && copy_engines; ++k) {
+     send_sums(k, piece - 1);
+ }
+ for (unsigned k = 0; k < team.size() && piece < pieces; ++k) {
+     send_inputs(k, piece);
+ }
$ ./run 43 --device cpu --variant two_phase_copies --n 2^24
shows ^two_phase_copies .* yes
holds modelled('two_phase_copies', pieces=2) > 0.97 * modelled('two_phase_copies', pieces=1)
"""
)
nobody_waits = change(
    """
in pieces.cuh
- common::Team::wait(team.main(k), team.side(other(k, d)));
$ ./run 43 --device cpu --variant two_phase_stores
shows ^two_phase_stores .* yes
"""
)
