"""The facts of the page "Parallel prefix sum (scan) with decoupled look-back"."""

from tools.book.facts import *

page(
    "side",
    needs="22 26 28",
    afterwards=[
        "write a scan that reads and writes each element once, in one launch",
        "explain how long blocks wait for results of other blocks, and shorten the wait",
    ],
)
chained_ms = ms("chained")
ring_ahead_ms = ms("ring_ahead_evict_last")
chained_over_ring_ahead = value(chained_ms / ring_ahead_ms, ".1f")

# Predict

three_kernels_load_sectors = count("three_kernels", "load_sectors")
bytes_of_three_kernels_2 = value(
    32 * (three_kernels_load_sectors + count("three_kernels", "store_sectors")) / 2**20, ".1f"
)
bytes_of_three_kernels_2_cents = value(bytes_of_three_kernels_2, ".2f")
bytes_of_three_kernels = number(
    """One kernel sums each tile of the array, a second scans those sums, a third reads the tiles again and scans them. How many bytes do they move, per 4-byte word of the array?""",
    bytes_of_three_kernels_2,
    "3%",
    unit="bytes",
    fold="""Two loads and a store of four bytes each; the sums of the tiles add almost nothing. {bytes_of_three_kernels_2_cents} bytes were counted.""",
)
look_back_128_gb = gb("look_back", bytes_per_thread=128)
three_kernels_gb = gb("three_kernels")
three_kernels_ms = ms("three_kernels")
look_back_bytes_per_thread_128_ms = ms("look_back", bytes_per_thread=128)
three_kernels_over_look_back_time = three_kernels_ms / look_back_bytes_per_thread_128_ms
two_thirds_of_the_bytes = choice(
    """A single pass moves two thirds of that. Its blocks look back until they find a tile whose prefix is known. How fast is it, compared with the three kernels?""",
    {
        "50% faster, as the bytes say": at_least(three_kernels_over_look_back_time, 1.4),
        "a little faster": between(1.02, three_kernels_over_look_back_time, 1.4),
        "no faster": at_most(three_kernels_over_look_back_time, 1.02),
    },
    right="a little faster",
    fold="""{look_back_128_gb} GB/s, and the three kernels {three_kernels_gb}. Most of the 50% is lost while blocks wait for each other.""",
)
ring_gb = gb("ring")
ring_ahead_gb = gb("ring_ahead")
ring_ahead_gain = value(ring_ahead_gb / ring_gb - 1, ".0%")
told_ahead = choice(
    """In `ring_ahead`, a block publishes the sum of its next tile before it waits for the sums before its current one. How much faster is that than waiting first?""",
    {
        "by a few percent": at_most(ring_ahead_gb / ring_gb, 1.1),
        "by about 20%": between(1.1, ring_ahead_gb / ring_gb, 1.3),
        "by more than 30%": at_least(ring_ahead_gb / ring_gb, 1.3),
    },
    right="by more than 30%",
    fold="It is {ring_ahead_gain} faster: {ring_ahead_gb} GB/s instead of {ring_gb}.",
)

# Memory transactions

count_counts = counts(
    "29_scan",
    where=lambda row: not row.library and row.variant not in ("ring", "ring_ahead", "ring_ahead_evict_last"),
    columns="variant, bytes_per_thread, load_requests, load_sectors, store_sectors, atomic_requests",
)
claim(
    "one pass reads about half of what the three kernels do",
    at_least(three_kernels_load_sectors / count("look_back", "load_sectors", bytes_per_thread=128), 1.9),
)

# Results

scans_chart = chart(
    "29_scan",
    where=lambda row: row.variant != "look_back" or row.bytes_per_thread == 128,
    name="scans",
    title="A scan of 1 GiB of words",
)
measure_table = table("29_scan", columns="variant, bytes_per_thread, ms, cold, share, copy, relative")
per_three_kernels_ms = value(12 * 2**28 / three_kernels_ms / 10**6, ",.0f")
three_kernels_share_of_2_1 = value(per_three_kernels_ms / gb("stream", chapter="24", mix="2:1"), ".0%")
claim("the three kernels move their bytes nearly as fast as the stream of their mix", between(0.93, three_kernels_share_of_2_1, 1))
measure_table_2 = table(
    "29_scan",
    where=lambda row: row.n == 2**20 or row.n == 2**24 or row.n == 2**24 + 1009,
    every_size=True,
    columns="n, variant, bytes_per_thread, ms, cold",
)
torch_compile_gb = gb("torch.compile")
claim("PyTorch's compiler is about as fast", level(torch_compile_gb, ring_ahead_gb, within=0.06))
cub_scan_inclusive_sum_gb = gb("cub::DeviceScan::InclusiveSum")
ring_ahead_over_cub = value(ring_ahead_gb / cub_scan_inclusive_sum_gb, ".2f")
claim(
    "the grid that tells ahead is ahead of CUB at every size",
    at_least(ring_ahead_over_cub, 1.15),
    at_least(ratio(gb, "ring_ahead", "cub::DeviceScan::InclusiveSum", n=2**24), 1.1),
    at_least(ratio(gb, "ring_ahead", "cub::DeviceScan::InclusiveSum", n=2**20), 1.05),
)

# The chain's time is proportional to the number of tiles

tiles_of_the_array = value(2**28 / (512 * 32), ",.0f")
chained_ns_over_tiles = value(1000000.0 * chained_ms / tiles_of_the_array, ".0f")
chain_linear_in_tiles = value(16 * ms("chained", n=2**24) / chained_ms, ".2f")
chase_ns = value(ns("chase", chapter="21", table=MiB, order="random"), ".0f")
times_1_5_chase_ns = value(1.5 * chase_ns, ".0f")
claim("a sixteenth of the tiles is about a sixteenth of the chain", between(0.9, chain_linear_in_tiles, 1.15))
claim("a chain takes several times as long as a look-back", at_least(chained_ms / look_back_bytes_per_thread_128_ms, 4))

# More bytes per thread mean fewer look-backs

tiles_16 = value(2**28 / (128 * 16), ",.0f")
tile_ns_16 = value(1000000.0 * ms("look_back", bytes_per_thread=16) / tiles_16, ".1f")
tiles_64 = value(2**28 / (128 * 64), ",.0f")
tile_ns_64 = value(1000000.0 * ms("look_back", bytes_per_thread=64) / tiles_64, ".1f")
tile_ns_slope = value((tile_ns_64 - tile_ns_16) / 48, ".2f")
tile_fixed_ns = value(tile_ns_16 - 16 * tile_ns_slope, ".1f")
tiles_128 = value(2**28 / (128 * 128), ",.0f")
tile_ns_128 = value(1000000.0 * look_back_bytes_per_thread_128_ms / tiles_128, ".1f")
predicted_128 = value(tile_fixed_ns + 128 * tile_ns_slope, ".1f")
launch_ns = value(ns("launch", chapter="23", threads=512), ".2f")
global_over_256mi_ns = value(ms("global", chapter="30", elements="words", values="equal") * 10**6 / 2**28, ".2f")
rows_over_tile_ns_128 = value(tile_fixed_ns / tile_ns_128, ".0%")
claim("a tile has a fixed time, and the third row is as two predict", level(predicted_128, tile_ns_128, within=0.07))
look_back_bytes_per_thread_64_gb = gb("look_back", bytes_per_thread=64)
claim(
    "with more bytes per thread look-back gets faster",
    at_least(look_back_bytes_per_thread_64_gb / gb("look_back", bytes_per_thread=16), 1.3),
    at_most(look_back_bytes_per_thread_64_gb / look_back_128_gb, 0.97),
)
look_back_over_cub = look_back_128_gb / cub_scan_inclusive_sum_gb
claim(
    "look-back with the largest tiles and CUB are within a tenth",
    at_least(look_back_over_cub, 0.9),
    at_most(look_back_over_cub, 1.1),
)

# Publishing tile sums early matters more than prefetching

scan_persistent_ms = value(ms("scan_persistent", chapter="claim_ahead"), ".3f")
scan_persistent_ahead_ms = value(ms("scan_persistent_ahead", chapter="claim_ahead"), ".3f")
scan_ring_ms = value(ms("scan_ring", chapter="claim_ahead"), ".3f")
scan_ring_ahead_ms = value(ms("scan_ring_ahead", chapter="claim_ahead"), ".3f")
early_saves = value(1 - scan_persistent_ahead_ms / scan_persistent_ms, ".0%")
ring_saves = value(1 - scan_ring_ms / scan_persistent_ms, ".0%")
both_save = value(1 - scan_ring_ahead_ms / scan_persistent_ms, ".0%")
claim(
    "publishing early alone saves much, the ring alone little, and both most",
    at_least(early_saves, 0.1),
    at_most(ring_saves, 0.06),
    at_least(scan_persistent_ahead_ms / scan_ring_ahead_ms, 1.1),
)

ring_ahead_copy_share = value(copy_share("ring_ahead"), ".0%")
ring_last_gb = gb("ring_ahead_evict_last")
ring_last_copy_share = value(copy_share("ring_ahead_evict_last"), ".0%")
claim("evict-last loads make the scan faster", at_least(ring_last_gb / ring_ahead_gb, 1.03))
claim(
    "without publishing early the ring loses to look-back, with it wins",
    at_most(ring_gb / look_back_128_gb, 0.95),
    at_least(ring_ahead_gb / look_back_128_gb, 1.2),
)
telling_ahead = counters(
    "29_scan",
    large=True,
    where=lambda row: not row.library,
    columns="variant, bytes_per_thread, load_requests, dram_bytes_read, dram_bytes_written",
)
questions_told_ahead = value(
    counter("ring_ahead", "load_requests", bytes_per_thread=128, large=True) / (2**26 / (512 * 32)), ".1f"
)
questions_of_the_ring = value(
    counter("ring", "load_requests", bytes_per_thread=128, large=True) / (2**26 / (512 * 32)), ".1f"
)
claim(
    "without publishing early blocks ask again and again",
    at_least(ratio(counter, "ring", "ring_ahead", "load_requests", large=True), 2),
)
claim(
    "one pass reads each byte once, three kernels twice",
    between(0.99, counter("ring_ahead", "dram_bytes_read", large=True) / (4 * 2**26), 1.01),
    between(1.9, counter("three_kernels", "dram_bytes_read", large=True) / (4 * 2**26), 2.1),
)

# Experiments

number_of_the_block = change(
    """
in one_pass.cuh
- const unsigned tile = next_tile_index(&states[0], &broadcast);
+ const unsigned tile = blockIdx.x;
$ ./run 29 --device cpu --n 100003 --variant look_back
shows ^look_back .* yes
"""
)
no_memset = change(
    """
-* CHECK_CUDA(cudaMemsetAsync(states.data(), 0, states.bytes(), stream));
+ // nothing
$ ./run 29 --device cpu --n 100003 --variant look_back
status 6
"""
)
small_blocks = change(
    """
- constexpr unsigned threads = 512;
+ constexpr unsigned threads = 128;
$ ./run 29 --device cpu --n 100003
holds count('chained', 'atomic_requests') > 3.8 * 100003 / (512 * 32)
"""
)
chained_64ki_tiles_ms = value(chained_ns_over_tiles * 65536 / 10**6, ".0f")
