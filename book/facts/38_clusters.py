"""The facts of the page "Thread block clusters: distributed shared memory"."""

from tools.book.facts import *

page(
    "side",
    needs="07 26 30",
    afterwards=[
        "build a histogram with more counters than fit the shared memory of a block",
        "estimate the cost of atomics to another block's shared memory, and of reading data for several blocks at once",
    ],
)
uniform_counters_64ki = dict(values="uniform", counters=2**16)
global_64ki_ms = ms("global", **uniform_counters_64ki)
replicated_64ki_2_blocks_ms = ms("replicated_reads", blocks=2, **uniform_counters_64ki)
global_over_replicated_2_blocks = value(global_64ki_ms / replicated_64ki_2_blocks_ms, ".1f")

# Predict

dsmem_atomics_2_blocks_64ki_counters_gb = gb("dsmem_atomics", blocks=2, **uniform_counters_64ki)
multi_pass_uniform_gb = gb("multi_pass", **uniform_counters_64ki)
multi_pass_uniform_over_dsmem_atomics_2_blocks_64ki = multi_pass_uniform_gb / dsmem_atomics_2_blocks_64ki_counters_gb
far_or_twice = choice(
    """Each block holds half of 2^16 counters. In the first kernel two blocks form a cluster: each reads different words and adds to the block that holds the counter. The second kernel reads all words twice and counts half of the values each time. Which is faster?""",
    {
        "the cluster, reading once": at_most(multi_pass_uniform_over_dsmem_atomics_2_blocks_64ki, 0.95),
        "they tie": level(multi_pass_uniform_gb, dsmem_atomics_2_blocks_64ki_counters_gb, within=0.05),
        "reading twice, by less than 50%": between(1.05, multi_pass_uniform_over_dsmem_atomics_2_blocks_64ki, 1.5),
        "reading twice, at least twice as fast": more(multi_pass_uniform_over_dsmem_atomics_2_blocks_64ki, 2),
    },
    right="reading twice, at least twice as fast",
    fold="""In effective bandwidth, the cluster reaches {dsmem_atomics_2_blocks_64ki_counters_gb} GB/s, the two passes {multi_pass_uniform_gb}.""",
)
dsmem_uniform_2_blocks_ms = ms("dsmem_atomics", blocks=2, **uniform_counters_64ki)
dsmem_atomics_uniform_64ki_counters_8_blocks_ms = ms("dsmem_atomics", blocks=8, **uniform_counters_64ki)
eight_over_two_blocks = value(dsmem_atomics_uniform_64ki_counters_8_blocks_ms / dsmem_uniform_2_blocks_ms, ".1f")
a_cluster_of_eight = number(
    """In a cluster of two blocks, half of the additions go to the other block. In a cluster of eight, each with an eighth of the counters, seven of eight additions do. By what factor does the time grow from two blocks to eight?""",
    eight_over_two_blocks,
    "a factor of 1.4",
    fold="""From {dsmem_uniform_2_blocks_ms} to {dsmem_atomics_uniform_64ki_counters_8_blocks_ms} ms. Seven, not four, of eight additions cross to another block, at a lower rate.""",
)
replicated_reads_2_blocks_load_sectors = count("replicated_reads", "load_sectors", values="uniform", blocks=2)
global_load_sectors = count("global", "load_sectors", values="uniform")
replicated_reads_2_blocks_over_global_load_sectors = value(replicated_reads_2_blocks_load_sectors / global_load_sectors, ".0f")
the_same_words = number(
    """Two adjacent blocks, which form no cluster, read the same words, and each counts its half of the values. How many sectors do they load per sector of the input?""",
    replicated_reads_2_blocks_over_global_load_sectors,
    "0",
    fold="""Each block requests every sector. The requests may still be merged before the L2.""",
)

# Memory transactions

uniform_counts = counts(
    "38_clusters",
    where=lambda row: row.values == "uniform",
    columns="variant, blocks, load_sectors, atomic_sectors, shared_atomic_requests, shared_atomic_wavefronts",
)
claim(
    "passes and blocks load all words once each",
    equal(count("multi_pass", "load_sectors", values="uniform"), replicated_reads_2_blocks_load_sectors, 2 * global_load_sectors),
    equal(count("replicated_reads", "load_sectors", values="uniform", blocks=4), 4 * global_load_sectors),
)
claim(
    "a larger group asks more often",
    at_least(
        count("replicated_reads", "shared_atomic_requests", values="uniform", blocks=4)
        / count("replicated_reads", "shared_atomic_requests", values="uniform", blocks=2),
        1.3,
    ),
)
claim(
    "nearly each addition to the L2 is a sector of its own",
    more(count("global", "atomic_sectors", values="uniform"), 0.99 * 2**18),
)

# Results

multi_pass_one_block_ms = ms("multi_pass", blocks=1, **uniform_counters_64ki)
cub_uniform_ms = ms("cub::DeviceHistogram::HistogramEven", **uniform_counters_64ki)
measure_table = table(
    "38_clusters",
    where=lambda row: row.n == 2**28 and row.counters == 65536 and (not row.library),
    every_size=True,
    columns="values, variant, blocks, ms",
)
measure_table_2 = table(
    "38_clusters",
    where=lambda row: row.n == 2**28
    and (not row.library)
    and (row.values == "uniform")
    and (
        row.counters == 32768
        and (row.variant in ("dsmem_atomics", "multi_pass") and row.blocks != 4 or (row.variant == "replicated_reads" and row.blocks == 2))
        or (
            row.counters == 131072
            and (row.variant == "global" or (row.variant in ("replicated_reads", "dsmem_atomics") and row.blocks == 4))
        )
    ),
    every_size=True,
    columns="counters, variant, blocks, ms",
)

claim(
    "larger clusters and groups are slower",
    *(
        less(ms(variant, blocks=blocks, counters=2**16, values=values), ms(variant, blocks=2 * blocks, counters=2**16, values=values))
        for values in ("uniform", "skewed")
        for variant, blocks in (
            *(("dsmem_atomics", blocks) for blocks in (2, 4, 8)),
            ("replicated_reads", 2),
            ("tma_per_block", 2),
            ("multicast", 2),
        )
    ),
)
claim(
    "one block's counters need no group, and four blocks' need one",
    less(ms("multi_pass", counters=2**15, values="uniform"), ms("replicated_reads", blocks=2, counters=2**15, values="uniform")),
    less(ms("dsmem_atomics", blocks=1, counters=2**15, values="uniform"), ms("replicated_reads", blocks=2, counters=2**15, values="uniform")),
    *(
        less(ms("replicated_reads", blocks=4, counters=2**17, values="uniform"), ms(variant, counters=2**17, values="uniform", **blocks))
        for variant, blocks in (("global", {}), ("dsmem_atomics", {"blocks": 4}), ("multi_pass", {}))
    ),
)

# DSMEM atomics: most likely the sending SM is the limit

cluster_two_crossing_10_9 = value(2**28 * (1 - 1 / 2) / dsmem_uniform_2_blocks_ms / 10**6, ".0f")
dsmem_atomics_uniform_4_blocks_ms = ms("dsmem_atomics", blocks=4, **uniform_counters_64ki)
cluster_four_crossing_10_9 = value(2**28 * (1 - 1 / 4) / dsmem_atomics_uniform_4_blocks_ms / 10**6, ".0f")
eight_crossing_rate = value(2**28 * (1 - 1 / 8) / dsmem_atomics_uniform_64ki_counters_8_blocks_ms / 10**6, ".0f")
global_l2_crossing_10_9 = value(2**28 / global_64ki_ms / 10**6, ".0f")
red_async_eight = dict(chapter="claim_red_async", cluster_size=8, target="all")
clusters_of_eight = value(parameter("atomic", "resident_clusters", clusters=8, **red_async_eight), ".0f")
sms_in_eights = value(8 * clusters_of_eight, ".0f")
sending_ns_each = value(
    sms_in_eights * dsmem_atomics_uniform_64ki_counters_8_blocks_ms * 10**6 / (2**28 * (1 - 1 / 8)), ".1f"
)
sixteen_as_eight_ms = value(
    2**28 * 15 / 16 / (2**28 * (1 - 1 / 8) / dsmem_atomics_uniform_64ki_counters_8_blocks_ms), ".2f"
)
dsmem_64ki_16_blocks_ms = value(ms("dsmem_atomics", blocks=16, **uniform_counters_64ki), ".2f")
uniform_counters_32ki = dict(values="uniform", counters=2**15)
dsmem_atomics_times_15_over_14_8_blocks_over = (
    ms("dsmem_atomics", blocks=8, **uniform_counters_32ki) * 15 / 14 / ms("dsmem_atomics", blocks=16, **uniform_counters_32ki)
)
estimate_short_32ki = value(1 - dsmem_atomics_times_15_over_14_8_blocks_over, ".0%")
uniform_counters_128ki = dict(values="uniform", counters=2**17)
claim(
    "with fewer counters and with more the estimate for sixteen is short",
    between(0.75, dsmem_atomics_times_15_over_14_8_blocks_over, 0.9),
    between(
        0.85,
        ms("dsmem_atomics", blocks=8, **uniform_counters_128ki) * 15 / 14 / ms("dsmem_atomics", blocks=16, **uniform_counters_128ki),
        0.98,
    ),
)
claim(
    "sixteen blocks take about what eight predict",
    level(dsmem_64ki_16_blocks_ms, dsmem_atomics_uniform_64ki_counters_8_blocks_ms * 15 / 14, within=0.1),
)
additions_of_block = 1024 * 1024  # claim_red_async has each block add as often
atomic_eight_one_ms = value(ms("atomic", clusters=1, **red_async_eight), ".2f")
atomic_eight_eight_ms = value(ms("atomic", clusters=8, **red_async_eight), ".2f")
red_async_eight_one_ms = value(ms("red_async", clusters=1, **red_async_eight), ".2f")
red_async_eight_eight_ms = value(ms("red_async", clusters=8, **red_async_eight), ".2f")
red_async_two = dict(chapter="claim_red_async", cluster_size=2, target="all")
atomic_two_one_ms = value(ms("atomic", clusters=1, **red_async_two), ".2f")
atomic_two_eight_ms = value(ms("atomic", clusters=8, **red_async_two), ".2f")
red_async_two_one_ms = value(ms("red_async", clusters=1, **red_async_two), ".2f")
red_async_two_eight_ms = value(ms("red_async", clusters=8, **red_async_two), ".2f")
atomic_crossing_ns = value(atomic_eight_eight_ms * 10**6 / (additions_of_block * 7 / 8), ".1f")
claim(
    "additions to another block are limited by how they are issued: clusters do not slow each other, and red.async is faster",
    level(atomic_eight_eight_ms, atomic_eight_one_ms, within=0.03),
    level(red_async_eight_eight_ms, red_async_eight_one_ms, within=0.03),
    at_most(red_async_eight_eight_ms / atomic_eight_eight_ms, 0.75),
    level(atomic_crossing_ns, sending_ns_each, within=0.15),
)
claim("in clusters of two red.async is slower", at_least(red_async_two_one_ms / atomic_two_one_ms, 1.05))
dsmem_one_block_gb = gb("dsmem_atomics", counters=2**15, blocks=1)
dsmem_2_blocks_32ki_gb = gb("dsmem_atomics", counters=2**15, blocks=2)
claim(
    "what crosses is about as much in clusters of two, four and eight",
    between(
        0.7, (1 - 1 / 8) / dsmem_atomics_uniform_64ki_counters_8_blocks_ms / ((1 - 1 / 2) / dsmem_uniform_2_blocks_ms), 1.4
    ),
    between(0.7, (1 - 1 / 4) / dsmem_atomics_uniform_4_blocks_ms / ((1 - 1 / 2) / dsmem_uniform_2_blocks_ms), 1.4),
)
claim(
    "what crosses a cluster is no more than the L2 takes",
    less((1 - 1 / 2) / dsmem_uniform_2_blocks_ms, 1.1 / global_64ki_ms),
)
multi_pass_gb = gb("multi_pass", counters=2**15)
claim(
    "alone in its cluster, the same kernel is as fast as a pass",
    less(4 * dsmem_2_blocks_32ki_gb, 0.95 * multi_pass_gb),
    at_least(dsmem_one_block_gb / multi_pass_gb, 0.95),
)
global_64ki_ms_cents = value(global_64ki_ms, ".2f")
h100_global_ms = value(ms("global", device=H100, **uniform_counters_64ki), ".2f")
multi_pass_64ki_ms = value(multi_pass_one_block_ms, ".2f")
h100_passes_ms = value(ms("multi_pass", blocks=1, device=H100, **uniform_counters_64ki), ".2f")
replicated_64ki_ms = value(replicated_64ki_2_blocks_ms, ".2f")
h100_replicated_ms = value(ms("replicated_reads", blocks=2, device=H100, **uniform_counters_64ki), ".2f")
dsmem_uniform_2_blocks_ms_cents = value(dsmem_uniform_2_blocks_ms, ".2f")
h100_dsmem_ms = value(ms("dsmem_atomics", blocks=2, device=H100, **uniform_counters_64ki), ".2f")
claim(
    "the cluster takes as long on both GPUs, and the L2 longer on the H100",
    level(h100_dsmem_ms, dsmem_uniform_2_blocks_ms, within=0.05),
    at_least(h100_global_ms / global_64ki_ms, 1.2),
)
claim(
    "to read twice is more than twice as fast on both GPUs",
    at_least(h100_dsmem_ms / h100_passes_ms, 2),
    at_least(h100_dsmem_ms / h100_replicated_ms, 3),
)

# Reading every word twice is cheap

twice_passes_uniform_gb = 2 * multi_pass_uniform_gb
replicated_uniform_2_blocks_gb = gb("replicated_reads", blocks=2, **uniform_counters_64ki)
twice_replicated_gb = 2 * replicated_uniform_2_blocks_gb
stream_gb = gb("stream", chapter="24", mix="4:0")
uniform_counters_64ki_large = dict(values="uniform", counters=2**16, large=True)
multi_pass_64ki_counters_load_sectors = counter("multi_pass", "load_sectors", blocks=1, **uniform_counters_64ki_large)
multi_pass_asked = value(32 * multi_pass_64ki_counters_load_sectors / 10**6, ",.0f")
multi_pass_l2_read_sectors = counter("multi_pass", "l2_read_sectors", blocks=1, **uniform_counters_64ki_large)
multi_pass_l2_reads = value(32 * multi_pass_l2_read_sectors / 10**6, ",.0f")
multi_pass_read_mb = value(
    counter("multi_pass", "dram_bytes_read", blocks=1, **uniform_counters_64ki_large) / 10**6, ",.0f"
)
replicated_reads_2_blocks_64ki_counters_load_sectors = counter("replicated_reads", "load_sectors", blocks=2, **uniform_counters_64ki_large)
replicated_two_blocks_asked = value(32 * replicated_reads_2_blocks_64ki_counters_load_sectors / 10**6, ",.0f")
replicated_reads_2_blocks_l2_read_sectors = counter("replicated_reads", "l2_read_sectors", blocks=2, **uniform_counters_64ki_large)
replicated_two_blocks_l2_reads = value(32 * replicated_reads_2_blocks_l2_read_sectors / 10**6, ",.0f")
replicated_2_blocks_read_mb = value(
    counter("replicated_reads", "dram_bytes_read", blocks=2, **uniform_counters_64ki_large) / 10**6, ",.0f"
)
replicated_reads_4_blocks_64ki_counters_load_sectors = counter("replicated_reads", "load_sectors", blocks=4, **uniform_counters_64ki_large)
replicated_four_asked_mb = value(32 * replicated_reads_4_blocks_64ki_counters_load_sectors / 10**6, ",.0f")
replicated_reads_4_blocks_l2_read_sectors = counter("replicated_reads", "l2_read_sectors", blocks=4, **uniform_counters_64ki_large)
replicated_four_l2_reads = value(32 * replicated_reads_4_blocks_l2_read_sectors / 10**6, ",.0f")
replicated_4_blocks_read_mb = value(
    counter("replicated_reads", "dram_bytes_read", blocks=4, **uniform_counters_64ki_large) / 10**6, ",.0f"
)
replicated_32ki_ms = value(ms("replicated_reads", blocks=2, **uniform_counters_32ki), ".2f")
multi_pass_uniform_32ki_ms = value(ms("multi_pass", **uniform_counters_32ki), ".2f")
banks_ns = ns("banks", chapter="25", degree=32)
replicated_2_blocks_wavefronts_ms = value(
    4 * counter("replicated_reads", "l1_wavefronts", blocks=2, **uniform_counters_64ki_large) * banks_ns / 32 / 1000000.0,
    ".2f",
)
replicated_4_blocks_wavefronts_ms = value(
    4 * counter("replicated_reads", "l1_wavefronts", blocks=4, **uniform_counters_64ki_large) * banks_ns / 32 / 1000000.0,
    ".2f",
)
replicated_64ki_4_blocks_ms = value(ms("replicated_reads", blocks=4, **uniform_counters_64ki), ".2f")
claim(
    "of two blocks that request the same words the L2 sees one",
    at_most(replicated_reads_2_blocks_l2_read_sectors / (multi_pass_l2_read_sectors / 2), 1.01),
    equal(replicated_reads_2_blocks_64ki_counters_load_sectors, multi_pass_64ki_counters_load_sectors),
    at_most(replicated_reads_4_blocks_l2_read_sectors / replicated_reads_4_blocks_64ki_counters_load_sectors, 0.5),
)
tma_per_block_l2_read_sectors = counter("tma_per_block", "l2_read_sectors", blocks=4, **uniform_counters_64ki_large)
claim(
    "what four blocks fetch by the engine the L2 reads nearly each time",
    more(tma_per_block_l2_read_sectors, 0.85 * 4 * 2**26 / 8),
)
claim(
    "with two blocks per SM the group is faster",
    at_most(replicated_32ki_ms / replicated_64ki_2_blocks_ms, 0.85),
)
claim(
    "to read twice is several times as fast as to add across a cluster",
    at_least(replicated_uniform_2_blocks_gb / dsmem_atomics_2_blocks_64ki_counters_gb, 3),
)
claim("passes go at the speed of memory", between(0.9, twice_passes_uniform_gb / stream_gb, 1.03))
claim(
    "the group loads more than DRAM delivers, and is ahead of the passes",
    less(1.1 * stream_gb, twice_replicated_gb),
    at_least(replicated_uniform_2_blocks_gb / multi_pass_uniform_gb, 1.1),
)

# Equal values serialize L2 atomics and slow DSMEM atomics

global_skewed_ms = ms("global", counters=2**16, values="skewed")
multi_pass_skewed_one_block_ms = ms("multi_pass", counters=2**16, values="skewed", blocks=1)
replicated_64ki_skewed_ms = ms("replicated_reads", counters=2**16, values="skewed", blocks=2)
dsmem_skewed_2_blocks_ms = ms("dsmem_atomics", counters=2**16, values="skewed", blocks=2)
cub_skewed_ms = ms("cub::DeviceHistogram::HistogramEven", counters=2**16, values="skewed")
atomic_ms = ms("atomic", chapter="25", counters=1, order="ascending")
atomic_over_32mi_ns = value(atomic_ms * 1000000.0 / 2**25, ".2f")
skewed_turns_ms = value(atomic_ms * 2**27 / 2**25, ".0f")
global_skewed_ms_rounded = value(global_skewed_ms, ".0f")
skewed_global_over_remote = value(global_skewed_ms / dsmem_skewed_2_blocks_ms, ".0f")
dsmem_atomics_skewed_64ki_counters_8_blocks_ms = ms("dsmem_atomics", values="skewed", counters=2**16, blocks=8)
dsmem_atomics_skewed_4_blocks_ms = ms("dsmem_atomics", values="skewed", counters=2**16, blocks=4)
skewed_four_over_two = value(dsmem_atomics_skewed_4_blocks_ms / dsmem_skewed_2_blocks_ms, ".1f")
skewed_sixteen_over_eight = value(
    ms("dsmem_atomics", values="skewed", counters=2**16, blocks=16) / dsmem_atomics_skewed_64ki_counters_8_blocks_ms, ".1f"
)
eight_over_four_blocks_skewed = dsmem_atomics_skewed_64ki_counters_8_blocks_ms / dsmem_atomics_skewed_4_blocks_ms
claim("the serialized atomics of one counter take the time of the L2", between(0.95, atomic_ms * 4 / global_skewed_ms, 1.02))
claim("from four to eight it hardly grows", between(1.1, eight_over_four_blocks_skewed, 1.4))
claim("from two to four it doubles as well", between(1.9, skewed_four_over_two, 2.2))
claim(
    "from eight to sixteen it doubles again",
    between(1.9, skewed_sixteen_over_eight, 2.1),
)
claim(
    "one value for half of the words hurts those who add far away, the L2 most",
    at_least(dsmem_skewed_2_blocks_ms / dsmem_uniform_2_blocks_ms, 1.4),
    at_least(global_skewed_ms / global_64ki_ms, 20),
)
claim(
    "passes and groups do not notice",
    level(ms("multi_pass", values="skewed", counters=2**16), ms("multi_pass", **uniform_counters_64ki), within=0.05),
    level(replicated_64ki_skewed_ms, replicated_64ki_2_blocks_ms, within=0.05),
)

# More counters do not slow L2 atomics

replicated_reads_gb = gb("replicated_reads", counters=2**17, blocks=4)
global_gb = gb("global", **uniform_counters_128ki)
replicated_over_global = value(replicated_reads_gb / global_gb, ".1f")
four_replicated_over = value(4 * replicated_reads_gb / global_gb, ".0f")
dsmem_4_blocks_gb = gb("dsmem_atomics", counters=2**17, blocks=4)
claim(
    "with 2^17 counters groups are ahead of the L2, and clusters that add to each other tie with it",
    at_least(replicated_over_global, 3),
    level(dsmem_4_blocks_gb, global_gb, within=0.2),
)
replicated_reads_128ki_counters_uniform_ms = ms("replicated_reads", blocks=4, **uniform_counters_128ki)
four_over_two_shares = value(replicated_reads_128ki_counters_uniform_ms / replicated_64ki_2_blocks_ms, ".2f")
replicated_eight_expected_ms = value(
    replicated_reads_128ki_counters_uniform_ms * replicated_reads_128ki_counters_uniform_ms / replicated_64ki_2_blocks_ms, ".2f"
)
global_uniform_128ki_counters_ms = ms("global", **uniform_counters_128ki)
claim(
    "the L2 takes as long for twice as many counters",
    level(global_uniform_128ki_counters_ms, global_64ki_ms, within=0.1),
)
claim(
    "by the rule a group of eight is ahead of the L2",
    less(2 * ms("replicated_reads", counters=2**17, blocks=4), 0.7 * global_uniform_128ki_counters_ms),
)

# TMA multicast saves L2 reads that were already cheap

multicast_2_blocks_gb = gb("multicast", blocks=2, **uniform_counters_64ki)
multicast_4_blocks_gb = gb("multicast", blocks=4, **uniform_counters_64ki)
tma_per_block_2_blocks_gb = gb("tma_per_block", blocks=2, **uniform_counters_64ki)
tma_per_block_4_blocks_gb = gb("tma_per_block", blocks=4, **uniform_counters_64ki)
replicated_uniform_4_blocks_gb = gb("replicated_reads", blocks=4, **uniform_counters_64ki)
tma_per_block_asked_mb = value(4 * 2**28 / 10**6, ",.0f")
tma_per_block_l2_mb = value(32 * tma_per_block_l2_read_sectors / 10**6, ",.0f")
tma_per_block_stages_4_gb = gb("tma_per_block", chapter="claim_agreements", blocks=2, stages=4, tile_bytes=15872)
tma_per_block_stages_3_gb = gb("tma_per_block", chapter="claim_agreements", blocks=2, stages=3, tile_bytes=31744)
tma_per_block_stages_2_gb = gb("tma_per_block", chapter="claim_agreements", blocks=2, stages=2, tile_bytes=47616)
agreed_2_stages_4_gb = gb("agreed", chapter="claim_agreements", blocks=2, stages=4, tile_bytes=15872)
agreed_stages_3_gb = gb("agreed", chapter="claim_agreements", blocks=2, stages=3, tile_bytes=31744)
agreed_stages_2_gb = gb("agreed", chapter="claim_agreements", blocks=2, stages=2, tile_bytes=47616)
multicast_2_stages_4_gb = gb("multicast", chapter="claim_agreements", blocks=2, stages=4, tile_bytes=15872)
multicast_stages_3_gb = gb("multicast", chapter="claim_agreements", blocks=2, stages=3, tile_bytes=31744)
multicast_stages_2_gb = gb("multicast", chapter="claim_agreements", blocks=2, stages=2, tile_bytes=47616)
claim(
    "who agrees is as slow as a multicast",
    level(multicast_2_stages_4_gb, agreed_2_stages_4_gb, within=0.05),
    level(
        gb("multicast", chapter="claim_agreements", blocks=4, stages=4, tile_bytes=15872),
        gb("agreed", chapter="claim_agreements", blocks=4, stages=4, tile_bytes=15872),
        within=0.05,
    ),
    level(multicast_stages_2_gb, agreed_stages_2_gb, within=0.05),
)
agreed_over_tma_per_block_stages_3 = agreed_stages_3_gb / tma_per_block_stages_3_gb
agreed_over_tma_per_block_stages_2 = agreed_stages_2_gb / tma_per_block_stages_2_gb
claim(
    "larger tiles narrow the gap",
    less(agreed_2_stages_4_gb / tma_per_block_stages_4_gb, agreed_over_tma_per_block_stages_3),
    less(agreed_over_tma_per_block_stages_3, agreed_over_tma_per_block_stages_2),
    at_most(agreed_over_tma_per_block_stages_2, 0.9),
)
claim(
    "to fetch once is slower than to fetch twice, and that slower than to load twice",
    at_most(multicast_2_blocks_gb / tma_per_block_2_blocks_gb, 0.7),
    faster(replicated_uniform_2_blocks_gb, tma_per_block_2_blocks_gb),
)
claim(
    "a larger cluster loses more of multicast than of fetching alone",
    at_most(multicast_4_blocks_gb / multicast_2_blocks_gb / (tma_per_block_4_blocks_gb / tma_per_block_2_blocks_gb), 0.95),
)

# Experiments

half_a_share = change(
    """
- constexpr unsigned max_partition = 1 << 15;
+ constexpr unsigned max_partition = 1 << 14;
$ ./run 38 --device cpu --variant multi_pass
holds count('multi_pass', 'load_sectors', values='uniform') == 2 * book_count('multi_pass', 'load_sectors', values='uniform')
holds count('multi_pass', 'load_sectors_per_request', values='uniform') == book_count('multi_pass', 'load_sectors_per_request', values='uniform')
"""
)
no_question = change(
    """
in partitioned.cuh
- if (x - first < partition) {
+ if (partition > 0) {
$ ./run 38 --device cpu --variant replicated_reads
status 6
shows updates 4 bytes .*(past the end of the block's dynamic shared memory|an index went past the end)
"""
)
