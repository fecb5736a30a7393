"""The facts of the page "Bulk asynchronous copies with the TMA (Hopper)"."""

from tools.book.facts import *

page(
    "side",
    needs="07 22",
    afterwards=[
        "issue a bulk copy from one thread and wait for it at an mbarrier",
        "choose the number of bytes in flight",
    ],
)
registers_gb = gb("registers", chapter="36", ahead=0, filled="no")
ring_4_over_registers = value(gb("ring", chapter="36", ahead=4, filled="no") / registers_gb, ".1f")

# Predict

add_bulk_load_requests = value(counter("add_bulk", "load_requests", threads=256), ".0f")
requests_of_the_engine = number(
    """In a kernel, one thread per block issues bulk copies of whole tiles from global to shared memory. How many
[requests](glossary.md#request) for global loads do its warps make?""",
    add_bulk_load_requests,
    "0",
    unit="requests",
    fold="""A request for a load is an instruction of a warp, and no warp of this kernel loads from global memory: the TMA fetches the tile.""",
)
copy_bulk_256_gb = gb("copy_bulk", threads=256, unit=4, n=2**28)
copy_bulk_192_threads_gb = gb("copy_bulk", threads=192, unit=4, n=2**28)
copy_bulk_128_threads_gb = gb("copy_bulk", threads=128, unit=4, n=2**28)
kib_in_flight = choice(
    """A copy kernel has one tile of 4 KiB per block. With 8, 10 or 16 blocks per SM, at most 32, 40 or 64 KiB are in flight per SM. Which is fastest?""",
    {
        "32 KiB": faster(
            copy_bulk_256_gb,
            max(copy_bulk_192_threads_gb, copy_bulk_128_threads_gb),
        ),
        "40 KiB": faster(
            copy_bulk_192_threads_gb,
            max(copy_bulk_256_gb, copy_bulk_128_threads_gb),
        ),
        "64 KiB": faster(
            copy_bulk_128_threads_gb,
            max(copy_bulk_192_threads_gb, copy_bulk_256_gb),
        ),
    },
    right="40 KiB",
    fold="""They copy floats at {copy_bulk_256_gb}, {copy_bulk_192_threads_gb}
and {copy_bulk_128_threads_gb} GB/s.""",
)
cuda_memcpy_async_gb = gb("cudaMemcpyAsync", unit=4, n=2**28)
copy_bulk_192_threads_over_cuda_memcpy = copy_bulk_192_threads_gb / cuda_memcpy_async_gb
past_the_runtime = choice(
    """How does the best bulk copy kernel compare with `cudaMemcpyAsync` at 1 GiB?""",
    {
        "it is more than two percent slower": at_most(copy_bulk_192_threads_over_cuda_memcpy, 0.98),
        "they tie within two percent": level(
            copy_bulk_192_threads_gb, cuda_memcpy_async_gb, within=0.02
        ),
        "it is more than two percent faster": at_least(copy_bulk_192_threads_over_cuda_memcpy, 1.02),
    },
    right="they tie within two percent",
    fold="""It reaches {copy_bulk_192_threads_gb} GB/s, `cudaMemcpyAsync` {cuda_memcpy_async_gb} GB/s.""",
)
add_bulk_960_gb = gb("add_bulk", threads=960, n=2**28)
add_bulk_1ki_gb = gb("add_bulk", threads=1024, n=2**28)
add_bulk_960_threads_over_1ki_threads = add_bulk_960_gb / add_bulk_1ki_gb
less_than_fits = choice(
    """In an addition, each block issues one bulk copy per input, of 16 bytes per thread. Two blocks of 1,024 threads fill all 2,048 thread slots of an SM, with 64 KiB in flight. Two blocks of 960 leave 128 slots empty, with 60 KiB in flight. How fast are they compared with blocks of 1,024?""",
    {
        "about six percent slower, in proportion to the bytes in flight": at_most(
            add_bulk_960_threads_over_1ki_threads, 0.96
        ),
        "slower by one to four percent": between(0.96, add_bulk_960_threads_over_1ki_threads, 0.99),
        "equally fast within one percent": level(add_bulk_960_gb, add_bulk_1ki_gb, within=0.01),
        "faster by more than a percent": at_least(add_bulk_960_threads_over_1ki_threads, 1.01),
    },
    right="equally fast within one percent",
    fold="""They reach {add_bulk_960_gb} GB/s, blocks of 1,024 threads {add_bulk_1ki_gb} GB/s.""",
)

# The bulk copy and `cudaMemcpyAsync` tie within two percent

copying_chart = chart(
    "26_bulk_copy",
    where=lambda row: row.unit == 4 and row.bytes == 2 * GiB,
    every_size=True,
    name="copying",
    title="Copying 1 GiB",
)
measure_copying = table(
    "26_bulk_copy",
    where=lambda row: row.unit in (1, 4) and row.bytes == 2 * GiB,
    every_size=True,
    columns="variant, unit, threads, cold, hot, share, copy",
)
measure_copying_2 = table(
    "26_bulk_copy",
    where=lambda row: row.unit in (1, 4) and row.bytes == 8 * GiB,
    every_size=True,
    columns="variant, unit, threads, cold, hot, share, copy",
)
copy_bulk_gain = value(copy_bulk_192_threads_over_cuda_memcpy - 1, ".1%")
copy_bulk_4gi_floats_gb = gb("copy_bulk", threads=192, unit=4, n=2**30)
copy_bulk_over_memcpy_1gi = copy_bulk_4gi_floats_gb / gb("cudaMemcpyAsync", unit=4, n=2**30)
copy_bulk_gain_1gi = value(copy_bulk_over_memcpy_1gi - 1, ".1%")
copy_bulk_192_threads_4gi_gb = gb("copy_bulk", threads=192, unit=1, n=2**32)
claim(
    "a percent ahead of cudaMemcpyAsync at 1 GiB, and within two of it at 4 GiB",
    between(1.005, copy_bulk_192_threads_over_cuda_memcpy, 1.015),
    between(0.98, copy_bulk_over_memcpy_1gi, 1.02),
)
cub_transform_unit_4_gb = gb("cub::DeviceTransform", unit=4, n=2**30)
cub_behind_words_of_4 = value(1 - cub_transform_unit_4_gb / copy_bulk_4gi_floats_gb, ".0%")
cub_transform_unit_1_gb = gb("cub::DeviceTransform", unit=1, n=2**32)
cub_behind_bytes = value(1 - cub_transform_unit_1_gb / copy_bulk_192_threads_4gi_gb, ".0%")
claim(
    "CUB is about as fast with floats, and slower with bytes",
    level(copy_bulk_4gi_floats_gb, cub_transform_unit_4_gb, within=0.03),
    faster(copy_bulk_192_threads_4gi_gb, cub_transform_unit_1_gb),
)

# A copy is fastest with about 40 KiB in flight

blocks_20_kib = 2048 // 192
copy_bulk_tile_bytes = parameter("copy_bulk", "tile_bytes", threads=192, unit=4, n=2**28)
flight_most_20_kib = blocks_20_kib * copy_bulk_tile_bytes / 2 / KiB
other_sizes_0 = value(noted("tiles_of_other_sizes", 0), ".2f")
blocks_32_kib = 2048 // 256
flight_most_32_kib = blocks_32_kib * copy_bulk_tile_bytes / KiB
bandwidth_over_192_32_kib = value(copy_bulk_256_gb / copy_bulk_192_threads_gb, ".2f")
flight_most_40_kib = blocks_20_kib * copy_bulk_tile_bytes / KiB
bandwidth_over_192_40_kib = value(copy_bulk_192_threads_gb / copy_bulk_192_threads_gb, ".2f")
blocks_48_kib = 2048 // 160
flight_most_48_kib = blocks_48_kib * copy_bulk_tile_bytes / KiB
noted_blocks_of_160 = value(noted("blocks_of_160"), ".2f")
blocks_64_kib = 2048 // 128
flight_most_64_kib = blocks_64_kib * copy_bulk_tile_bytes / KiB
bandwidth_over_192_64_kib = value(copy_bulk_128_threads_gb / copy_bulk_192_threads_gb, ".2f")
flight_most_80_kib = blocks_20_kib * copy_bulk_tile_bytes * 2 / KiB
other_sizes_1 = value(noted("tiles_of_other_sizes", 1), ".2f")
bandwidth_from_20_to_40_kib = value(1 / other_sizes_0 - 1, ".0%")
claim("half the bytes in flight lose a tenth with the same threads", between(0.85, other_sizes_0, 0.93))
claim(
    "twice the bytes in flight lose a few percent with the same threads",
    between(0.95, other_sizes_1, 0.985),
)
claim("48 KiB are no faster than 40", between(0.98, noted_blocks_of_160, 1.01))
claim(
    "40 KiB beat 32",
    at_least(copy_bulk_192_threads_gb / copy_bulk_256_gb, 1.01),
    at_least(copy_bulk_192_threads_4gi_gb / gb("copy_bulk", threads=256, unit=1, n=2**32), 1.01),
)
claim("40 KiB beat 64", faster(copy_bulk_192_threads_gb, copy_bulk_128_threads_gb))
claim("64 KiB beat 32", faster(copy_bulk_128_threads_gb, copy_bulk_256_gb))

# At 32 KiB in flight, ordinary 16-byte loads are faster

word16_gb = gb("word16", unit=4, n=2**28, chapter="06")
words_gb = gb("words", chapter="claim_pieces", n=2**28)
pieces_one_piece_gb = gb("pieces", chapter="claim_pieces", n=2**28, pieces=1, ordered_by="one")
pieces_4_pieces_one_gb = gb("pieces", chapter="claim_pieces", n=2**28, pieces=4, ordered_by="one")
pieces_8_pieces_one_gb = gb("pieces", chapter="claim_pieces", n=2**28, pieces=8, ordered_by="one")
four_pieces_gain = value(pieces_4_pieces_one_gb / pieces_one_piece_gb - 1, ".1%")
pieces_8_pieces_each_gb = gb("pieces", chapter="claim_pieces", n=2**28, pieces=8, ordered_by="each")
pieces_8_pieces_each_minus_one_piece_gb = pieces_8_pieces_each_gb - pieces_one_piece_gb
words_minus_pieces_one_piece_gb = words_gb - pieces_one_piece_gb
warps_close_of_the_gap = value(pieces_8_pieces_each_minus_one_piece_gb / words_minus_pieces_one_piece_gb, ".0%")
claim("equal to words of chapter 06", level(copy_bulk_192_threads_gb, word16_gb, within=0.01))
claim(
    "pieces that their warps issue are faster than the tile in one piece, and than pieces that one thread issues",
    faster(pieces_8_pieces_each_gb, pieces_one_piece_gb),
    faster(pieces_8_pieces_each_gb, pieces_8_pieces_one_gb),
)
claim("pieces that one thread issues gain little", at_most(pieces_4_pieces_one_gb / pieces_one_piece_gb, 1.03))
claim("eight of them tie with the whole tile", level(pieces_8_pieces_one_gb, pieces_one_piece_gb, within=0.02))
claim("with as many bytes in flight the words are ahead", faster(word16_gb, copy_bulk_256_gb))

# In additions with many warps the TMA gains less than a percent

measure_adding = counters(
    "26_bulk_copy",
    where=lambda row: row.n == 2**20 and row.threads in (256, None),
    columns="variant, threads, load_requests, load_sectors, l2_read_sectors, l2_write_sectors, dram_bytes_read",
)
cub_transform_load_requests = counter("cub::DeviceTransform", "load_requests", n=2**20)
claim("the bulk kernel makes no load request", equal(add_bulk_load_requests, 0))
add_plain_l2_read_sectors = counter("add_plain", "l2_read_sectors", threads=256)
claim(
    "L2 is read alike by all",
    level(counter("add_bulk", "l2_read_sectors", threads=256), add_plain_l2_read_sectors, within=0.02),
    level(counter("cub::DeviceTransform", "l2_read_sectors", n=2**20), add_plain_l2_read_sectors, within=0.02),
)
claim(
    "the library makes hardly any load requests",
    at_most(cub_transform_load_requests / counter("add_plain", "load_requests", threads=256), 0.05),
)
adding_chart = chart(
    "26_bulk_copy",
    where=lambda row: row.unit is None and row.n == 2**28,
    every_size=True,
    name="adding",
    title="Adding two vectors of 1 GiB",
)
measure_adding_table = table(
    "26_bulk_copy",
    where=lambda row: row.unit is None and row.n == 2**30,
    every_size=True,
    columns="variant, threads, tile_bytes, cold, hot, share, spread",
)
add_plain_256_gb = gb("add_plain", threads=256, n=2**28)
add_plain_1ki_gb = gb("add_plain", threads=1024, n=2**28)
add_bulk_256_threads_tile_bytes = parameter("add_bulk", "tile_bytes", threads=256, n=2**28)
add_bulk_flight = 2 * blocks_32_kib * add_bulk_256_threads_tile_bytes / KiB
add_bulk_256_gb = gb("add_bulk", threads=256, n=2**28)
add_bulk_512_threads_tile_bytes = parameter("add_bulk", "tile_bytes", threads=512, n=2**28)
add_bulk_512_gb = gb("add_bulk", threads=512, n=2**28)
add_bulk_1ki_threads_tile_bytes = parameter("add_bulk", "tile_bytes", threads=1024, n=2**28)
add_bulk_960_flight = 2 * (2048 // 960) * parameter("add_bulk", "tile_bytes", threads=960, n=2**28) / KiB
add_bulk_576_flight = 2 * (2048 // 576) * parameter("add_bulk", "tile_bytes", threads=576, n=2**30) / KiB
add_bulk_576_gb = gb("add_bulk", threads=576, n=2**28)
cub_transform_gb = gb("cub::DeviceTransform", unit=None, n=2**28)
streaming_stores_gb = gb("streaming_stores", chapter="claim_hints", before="read")
plain_gb = gb("plain", chapter="claim_hints", before="read")
streaming_stores_change = value(abs(streaming_stores_gb / plain_gb - 1), ".1%")
claim(
    "1024 threads tie with 256 to half a percent",
    level(add_plain_1ki_gb, add_plain_256_gb, within=0.005),
)
claim(
    "with 256 or 512 threads the TMA gains nothing",
    at_most(max(add_bulk_256_gb, add_bulk_512_gb) / add_plain_1ki_gb, 1.002),
)
claim("the hint of the store alone changes less than two percent", level(streaming_stores_gb, plain_gb, within=0.02))
thrust_transform_gb = gb("thrust::transform", unit=None, n=2**28)
claim(
    "the bulk kernel beats the plain one, by less than a percent",
    faster(add_bulk_1ki_gb, add_plain_1ki_gb),
    at_most(add_bulk_960_gb / max(add_plain_256_gb, add_plain_1ki_gb), 1.01),
)
claim(
    "576 and 960 threads tie with both libraries",
    level(
        max(add_bulk_576_gb, add_bulk_960_gb), min(cub_transform_gb, thrust_transform_gb), within=0.01
    ),
)

# Asynchronous copies gain much with few warps, and little with many

add_bulk_gain = value(add_bulk_960_gb / max(add_plain_256_gb, add_plain_1ki_gb) - 1, ".1%")
add_bulk_gain_1gi = value(
    gb("add_bulk", threads=960, n=2**30)
    / max(gb("add_plain", threads=256, n=2**30), gb("add_plain", threads=1024, n=2**30))
    - 1,
    ".1%",
)
async_over_registers = value(gb("async", chapter="36", ahead=8, filled="no") / registers_gb, ".1f")
claim(
    "few warps gain several times by a ring, or by asynchronous copies",
    at_least(ring_4_over_registers, 2.5),
    at_least(async_over_registers, 2.5),
)
claim(
    "a ring that does not tell ahead loses to look-back",
    faster(gb("look_back", chapter="29", bytes_per_thread=128), gb("ring", chapter="29")),
)

# A copy is fastest with about 40 KiB in flight

rest_of_bandwidth_64kib = value(1 - bandwidth_over_192_64_kib, ".1%")
rest_of_other_sizes_1 = value(1 - other_sizes_1, ".0%")
claim(
    "reading alone loses nothing by more bytes in flight",
    at_least(gb("read", chapter="22", width=16, loads=4, warps=64) / best("read", chapter="22"), 0.998),
)
claim(
    "the same bytes in flight at three block sizes",
    equal(
        8 * add_bulk_256_threads_tile_bytes, 4 * add_bulk_512_threads_tile_bytes, 2 * add_bulk_1ki_threads_tile_bytes
    ),
)
claim(
    "fewer bytes in flight are ahead of more",
    faster(
        min(add_bulk_960_gb, add_bulk_576_gb),
        max(add_bulk_256_gb, add_bulk_512_gb, add_bulk_1ki_gb),
    ),
)
add_bulk_share = share("add_bulk", threads=960, n=2**28)
claim("the peak stays far", more(1 - add_bulk_share, 0.05))

# Experiments

half_in_flight = change(
    """
- run({.name = "add_plain", .threads = threads}, add_float4);
+ run({.name = "add_plain", .threads = threads}, add_float4, 48 * 1024);
$ ./run 26 --device cpu --variant add_plain
shows ^add_plain +256 .* yes
holds count('add_plain', 'load_sectors', threads=256) == book_count('add_plain', 'load_sectors', threads=256)
holds 1.02 < modelled('add_plain', threads=256) / book_modelled('add_plain', threads=256) < 1.1
holds 0.99 < modelled('add_plain', threads=1024) / book_modelled('add_plain', threads=1024) < 1.01
"""
)
blocks_of_160 = change(
    """
on gpu
- {256u, 192u, 128u}
+ {256u, 192u, 160u, 128u}
$ ./run 26 --variant copy_bulk
shows ^copy_bulk +160 .* yes
notes gb('copy_bulk', threads=160, unit=4, n=2**30) / gb('copy_bulk', threads=192, unit=4, n=2**30)
notes gb('copy_bulk', threads=160, unit=1, n=2**32) / gb('copy_bulk', threads=192, unit=1, n=2**32)
"""
)
blocks_of_160_percent = value(100 * noted_blocks_of_160, ".0f")
tiles_of_other_sizes = change(
    """
on gpu
- const unsigned tile = 256; // float4s
+ const unsigned tile = 128; // float4s
$ ./run 26 --variant copy_bulk
shows ^copy_bulk +192 .* yes
notes gb('copy_bulk', threads=192, unit=4, n=2**30) / book_gb('copy_bulk', threads=192, unit=4, n=2**30)
- const unsigned tile = 128; // float4s
+ const unsigned tile = 512; // float4s
$ ./run 26 --variant copy_bulk
shows ^copy_bulk +192 .* yes
notes gb('copy_bulk', threads=192, unit=4, n=2**30) / book_gb('copy_bulk', threads=192, unit=4, n=2**30)
"""
)
other_sizes_percent = value(100 * noted("tiles_of_other_sizes"), ".0f")
other_sizes_1_percent = value(100 * other_sizes_1, ".0f")
