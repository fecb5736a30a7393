"""The facts of the page "Misaligned global memory accesses"."""

from tools.book.facts import *

page(
    "side",
    needs="03 05",
    afterwards=[
        "predict the sectors of a misaligned access",
        "name the level that serves them: L1, L2 or DRAM",
        "use `__restrict__` where it gains",
    ],
)

# Predict

read_offset_11_sectors_per_load = count("read", "load_sectors_per_request", offset=11)
read_offset_128_sectors_per_load = count("read", "load_sectors_per_request", offset=128)
from_byte_44 = choice(
    "How many sectors does the load touch? How many if it begins at byte 512 = 128 x 4?",
    {
        "four, and four": equal(read_offset_11_sectors_per_load, 4),
        "five, and four": both(equal(read_offset_11_sectors_per_load, 5), equal(read_offset_128_sectors_per_load, 4)),
        "five, and five": both(equal(read_offset_11_sectors_per_load, 5), equal(read_offset_128_sectors_per_load, 5)),
        "eight, and four": equal(read_offset_11_sectors_per_load, 8),
    },
    right="five, and four",
    fold="""It uses five floats of the first sector and three of the fifth.""",
)
read_offset_11_gb = gb("read", offset=11)
read_offset_0_gb = gb("read", offset=0)
read_11_behind = value(1 - read_offset_11_gb / read_offset_0_gb, ".1%")
what_offset_11_costs = choice(
    """A kernel with one element per thread reads two such arrays and writes an aligned one. How much bandwidth does it lose?""",
    {
        "three percent at most": less(read_11_behind, 0.03),
        "about a tenth": between(0.03, read_11_behind, 0.15),
        "about a fifth, in proportion to the sectors": at_least(read_11_behind, 0.15),
    },
    right="three percent at most",
    fold="""It loses {read_11_behind}: {read_offset_11_gb} GB/s instead of {read_offset_0_gb}.""",
)
write_offset_0_gb = gb("write", offset=0)
write_offset_11_over_offset_0 = gb("write", offset=11) / write_offset_0_gb
write_11_behind = value(1 - write_offset_11_over_offset_0, ".1%")
write_offset_11_over_offset_0_minus_read = write_offset_11_over_offset_0 - read_offset_11_gb / read_offset_0_gb
reading_or_writing = choice(
    "Which costs more: reading from offset 11, or writing to it?",
    {
        "reading, by a tenth or more": at_least(write_offset_11_over_offset_0_minus_read, 0.1),
        "writing, by a tenth or more": at_most(write_offset_11_over_offset_0_minus_read, -0.1),
        "neither costs more than a few percent": both(
            less(abs(write_offset_11_over_offset_0_minus_read), 0.05),
            more(min(read_offset_11_gb / read_offset_0_gb, write_offset_11_over_offset_0), 0.95),
        ),
    },
    right="neither costs more than a few percent",
    fold="""Reading: {read_11_behind}. Writing: {write_11_behind}.""",
)

# Memory transactions

read_access = access("15_alignment", "read", title="Offset 0: one load of a warp")
read_cg_access = access("15_alignment", "read_cg", title="Offset 11: one load of a warp")
count_counts = counts(
    "15_alignment",
    where=lambda row: row.threads == 512 and row.variant in ("read", "write"),
    columns="variant, offset, load_requests, load_sectors, load_sectors_per_request, load_efficiency, store_sectors_per_request, store_efficiency",
)
claim(
    "offset 11 costs a fifth sector on the side that is read",
    equal(read_offset_11_sectors_per_load, 5),
    equal(count("read", "store_sectors_per_request", offset=11), 4),
)
claim(
    "offset 11 costs a fifth sector on the side that is written",
    equal(count("write", "store_sectors_per_request", offset=11), 5),
    equal(count("write", "load_sectors_per_request", offset=11), 4),
)
read_offset_0_load_sectors = count("read", "load_sectors", offset=0)
claim(
    "offset 128 costs nothing",
    equal(count("read", "load_sectors", offset=128), read_offset_0_load_sectors),
    equal(count("write", "store_sectors", offset=128), count("write", "store_sectors", offset=0)),
)
read_offset_11_load_sectors = count("read", "load_sectors", offset=11)
claim(
    "however it is spelt, it is the same request",
    equal(count("read_cg", "load_sectors", offset=11), read_offset_11_load_sectors),
    equal(count("read_ldg", "load_sectors", offset=11), read_offset_11_load_sectors),
    equal(count("read_restrict", "load_sectors", offset=11), read_offset_11_load_sectors),
    equal(count("unrolled", "load_sectors", offset=11, threads=512), read_offset_11_load_sectors),
)
sweep_chart = chart(
    "15_alignment",
    device="cpu",
    where=lambda row: row.variant == "sweep" and row.offset <= 16,
    bars="load_sectors_per_request",
    title="Sectors of a load, by offset",
    name="sweep",
)
claim(
    "offset 8 has the sectors of none",
    equal(count("sweep", "load_sectors", offset=8), count("sweep", "load_sectors", offset=0)),
)
claim(
    "offset 1 is as bad as 7", equal(count("sweep", "load_sectors", offset=1), count("sweep", "load_sectors", offset=7))
)

# Results

measure_chart = chart(
    "15_alignment",
    where=lambda row: row.variant in ("read", "write") and row.cache == "cold",
    title="Adding two vectors, by offset",
)
measure_table = table(
    "15_alignment",
    where=lambda row: row.variant in ("read", "read_cg", "write"),
    columns="variant, offset, cold, hot, share, copy",
)
read_offset_128_gb = gb("read", offset=128)
read_128_behind = value(1 - read_offset_128_gb / read_offset_0_gb, ".1%")
claim(
    "reading from offset 11 costs half a percent to three",
    between(0.97, read_offset_11_gb / read_offset_0_gb, 0.995),
    faster(read_offset_0_gb, read_offset_11_gb),
)
claim("writing to offset 11 costs less than two percent", between(0.98, write_offset_11_over_offset_0, 1.0))

# Analysis

explain_counters = counters(
    "15_alignment",
    where=lambda row: row.threads == 512 and row.offset in (0, 11) and (row.variant in ("read", "read_cg", "write")),
    columns="variant, offset, load_sectors, l1_load_hit_sectors, l2_read_sectors, store_sectors, l2_write_sectors, dram_bytes_read",
)

# Reads: L1 serves the additional sector

read_512_threads = value(15 / 16, ".1%")
read_offset_11_l1_load_hit_sectors = counter("read", "l1_load_hit_sectors", offset=11)
read_512_hardware = value(
    read_offset_11_l1_load_hit_sectors / (read_offset_11_load_sectors - read_offset_0_load_sectors), ".1%"
)
unrolled_1024 = value(127 / 128, ".1%")
unrolled_1024_hardware = value(
    counter("unrolled", "l1_load_hit_sectors", offset=11, threads=1024)
    / (
        count("unrolled", "load_sectors", offset=11, threads=1024)
        - count("unrolled", "load_sectors", offset=0, threads=1024)
    ),
    ".1%",
)
unrolled_128_hardware = value(
    counter("unrolled", "l1_load_hit_sectors", offset=11, threads=128)
    / (
        count("unrolled", "load_sectors", offset=11, threads=128)
        - count("unrolled", "load_sectors", offset=0, threads=128)
    ),
    ".1%",
)
claim("unrolled in blocks of 128 it is 15 of 16 again", between(0.93, unrolled_128_hardware, 0.945))
claim("fifteen of sixteen additional sectors hit L1", between(0.93, read_512_hardware, 0.945))
claim("unrolled in blocks of 1024 it is 127 of 128", between(0.985, unrolled_1024_hardware, 1.0))
claim("at offset 0 nothing hits", equal(counter("read", "l1_load_hit_sectors", offset=0), 0))
read_offset_11_large_dram_read = counter("read", "dram_bytes_read", offset=11, large=True)
elements_dram_delivers_mb = value(read_offset_11_large_dram_read / 1000000.0, ".0f")
wavefronts_ms = value(
    2 * 2**28 / 32 / 1000000.0 * ns("banks", chapter="25", degree=32) / 32, ".3f"
)
read_11_minus_0_ms = value(ms("read", offset=11) - ms("read", offset=0), ".3f")
read_offset_0_load_requests = counter("read", "load_requests", offset=0, large=True)
read_0_requests_millions = value(read_offset_0_load_requests / 1000000.0, ".2f")
read_11_requests_millions = value(counter("read", "load_requests", offset=11, large=True) / 1000000.0, ".2f")
read_offset_0_l1_wavefronts = counter("read", "l1_wavefronts", offset=0, large=True)
read_0_wavefronts_millions = value(read_offset_0_l1_wavefronts / 1000000.0, ".2f")
read_offset_11_l1_wavefronts = counter("read", "l1_wavefronts", offset=11, large=True)
read_11_wavefronts_millions = value(read_offset_11_l1_wavefronts / 1000000.0, ".2f")
second_turn_wavefronts = value(
    (read_offset_11_l1_wavefronts - read_offset_0_l1_wavefronts) / read_offset_0_load_requests, ".2f"
)
claim("a load that lies in two lines has no wavefront more", between(0, second_turn_wavefronts, 0.15))
claim(
    "DRAM is read for the same bytes at every offset",
    level(read_offset_11_large_dram_read, counter("read", "dram_bytes_read", offset=0, large=True), within=0.001),
)
read_offset_11_l2_read_sectors = counter("read", "l2_read_sectors", offset=11)
claim(
    "L2 for two percent more at the most",
    at_most(read_offset_11_l2_read_sectors / counter("read", "l2_read_sectors", offset=0), 1.03),
)

# Without L1, the L2 serves the additional sector

read_cg_hit_sectors = counter("read_cg", "l1_load_hit_sectors", offset=11)
read_cg_over_read_l2_reads = counter("read_cg", "l2_read_sectors", offset=11) / read_offset_11_l2_read_sectors
l2_now_answer_sectors = value(read_cg_over_read_l2_reads - 1, ".0%")
read_cg_over_read_offset_11 = gb("read_cg", offset=11) / read_offset_11_gb
read_cg_behind_11 = value(1 - read_cg_over_read_offset_11, ".1%")
claim("without L1 nothing hits", equal(read_cg_hit_sectors, 0))
claim("and L2 answers a tenth more at least", at_least(read_cg_over_read_l2_reads, 1.1))
claim("which costs less than two percent", between(0.98, read_cg_over_read_offset_11, 1.01))
claim(
    "DRAM does not notice",
    level(
        counter("read_cg", "dram_bytes_read", offset=11), counter("read", "dram_bytes_read", offset=11), within=0.001
    ),
)

# Writes: the L2 merges the two parts

write_offset_11_over_offset_0_l2_write = counter("write", "l2_write_sectors", offset=11, large=True) / counter(
    "write", "l2_write_sectors", offset=0, large=True
)
sectors_quarter_l2_arrive = value(write_offset_11_over_offset_0_l2_write - 1, ".0%")
other_counter_times = value(
    counter("write", "l2_write_requests", offset=11, large=True)
    / counter("write", "l2_write_requests", offset=0, large=True),
    ".1f",
)
write_offset_11_dram_read = counter("write", "dram_bytes_read", offset=11, large=True)
write_11_read_mb = value(write_offset_11_dram_read / 1000000.0, ".0f")
write_offset_0_dram_read = counter("write", "dram_bytes_read", offset=0, large=True)
write_0_read_mb = value(write_offset_0_dram_read / 1000000.0, ".0f")
write_offset_11_dram_written = counter("write", "dram_bytes_written", offset=11, large=True)
written_offset_11 = value(write_offset_11_dram_written / 1000000.0, ".0f")
write_offset_0_dram_written = counter("write", "dram_bytes_written", offset=0, large=True)
write_0_written_mb = value(write_offset_0_dram_written / 1000000.0, ".0f")
claim(
    "nearly a quarter more write sectors arrive, but not all",
    between(1.2, write_offset_11_over_offset_0_l2_write, 1.25),
)
claim("L2 receives a sixth more write sectors at least", at_least(write_offset_11_over_offset_0_l2_write, 1.16))
claim(
    "no sector is read to be filled up",
    level(write_offset_11_dram_read, write_offset_0_dram_read, within=0.001),
    level(write_offset_11_dram_written, write_offset_0_dram_written, within=0.02),
)

# Faster kernels lose a few percent, and unrolling gains more

unrolled_0_128_gb = gb("unrolled", offset=0, threads=128)
unrolled_11_128_gb = gb("unrolled", offset=11, threads=128)
unrolled_offset_11_over_offset_0_128_threads = unrolled_11_128_gb / unrolled_0_128_gb
unrolled_loses = value(1 - unrolled_offset_11_over_offset_0_128_threads, ".1%")
unrolled_0_1ki_gb = gb("unrolled", offset=0, threads=1024)
unrolled_11_1ki_gb = gb("unrolled", offset=11, threads=1024)
unrolled_offset_11_over_offset_0_1ki_threads = unrolled_11_1ki_gb / unrolled_0_1ki_gb
unrolled_1024_loses = value(1 - unrolled_offset_11_over_offset_0_1ki_threads, ".1%")
restrict_0_gb = gb("unrolled_restrict", offset=0)
restrict_11_gb = gb("unrolled_restrict", offset=11)
unrolled_restrict_offset_11_over_offset_0 = restrict_11_gb / restrict_0_gb
restrict_loses = value(1 - unrolled_restrict_offset_11_over_offset_0, ".1%")
claim(
    "unrolled loses within two points as much whoever answers its additional sectors",
    less(abs(unrolled_offset_11_over_offset_0_128_threads - unrolled_offset_11_over_offset_0_1ki_threads), 0.02),
)
claim(
    "what differs is not DRAM",
    level(
        counter("unrolled", "dram_bytes_read", offset=11, threads=512, large=True),
        counter("unrolled", "dram_bytes_read", offset=0, threads=512, large=True),
        within=0.001,
    ),
)
unrolled_offset_11_512_threads_gb = gb("unrolled", offset=11, threads=512)
claim(
    "unrolled_restrict is the fastest of the three",
    at_least(restrict_11_gb / max(read_offset_11_gb, unrolled_offset_11_512_threads_gb), 1.1),
)
unrolled_offset_0_512_threads_gb = gb("unrolled", offset=0, threads=512)
unrolled_offset_11_over_offset_0_512_threads = unrolled_offset_11_512_threads_gb / unrolled_offset_0_512_threads_gb
claim(
    "the unrolled kernel loses more than the others",
    less(unrolled_offset_11_over_offset_0_512_threads, read_offset_11_gb / read_offset_0_gb - 0.005),
    less(unrolled_offset_11_over_offset_0_512_threads, unrolled_restrict_offset_11_over_offset_0 - 0.005),
)
faster_loses_four = table(
    "15_alignment",
    where=lambda row: row.variant in ("unrolled", "unrolled_restrict"),
    columns="variant, threads, offset, cold, hot, share",
)
claim("unrolling beats alignment", faster(unrolled_offset_11_512_threads_gb, read_offset_0_gb))
claim(
    "smaller blocks are faster",
    faster(unrolled_0_128_gb, unrolled_offset_0_512_threads_gb),
    faster(unrolled_offset_0_512_threads_gb, unrolled_0_1ki_gb),
    faster(unrolled_11_128_gb, unrolled_offset_11_512_threads_gb),
    faster(unrolled_offset_11_512_threads_gb, unrolled_11_1ki_gb),
)
claim(
    "unrolling gains a tenth",
    at_least(unrolled_offset_0_512_threads_gb / read_offset_0_gb, 1.08),
    at_least(unrolled_offset_11_512_threads_gb / read_offset_11_gb, 1.08),
    at_least(gb("unrolled", offset=128, threads=512) / read_offset_128_gb, 1.08),
)
cub_transform_gb = gb("cub::DeviceTransform")
cub_transform_01_gb = gb("cub::DeviceTransform", chapter="01")
claim("the library loses less than two percent at offset 11", level(cub_transform_gb, cub_transform_01_gb, within=0.02))

# Read-only inputs: __ldg and __restrict__

unrolled_restrict_over_unrolled_512_threads = restrict_0_gb / unrolled_offset_0_512_threads_gb
promise_alone_gains_thread = value(unrolled_restrict_over_unrolled_512_threads - 1, ".0%")
read_ldg_gb = gb("read_ldg", offset=11)
read_restrict_gb = gb("read_restrict", offset=11)
claim(
    "neither promise changes the time of one element per thread",
    level(read_ldg_gb, read_offset_11_gb, within=0.01),
    level(read_restrict_gb, read_offset_11_gb, within=0.01),
)
restrict_registers = counter("unrolled_restrict", "registers_per_thread", offset=11)
unrolled_registers = counter("unrolled", "registers_per_thread", offset=11, threads=512)
claim(
    "the promise that c overlaps nothing gains a tenth at least",
    at_least(restrict_11_gb / unrolled_offset_11_512_threads_gb, 1.1),
    at_least(unrolled_restrict_over_unrolled_512_threads, 1.1),
)
claim("it takes more registers", less(unrolled_registers, restrict_registers))

# Experiments

offset_8 = change(
    """
-* {0u, 11u, 128u}
+ {0u, 8u, 11u}
$ ./run 15 --device cpu --variant read --variant write
holds count('read', 'load_sectors_per_request', offset=8) == 4
holds count('write', 'store_sectors_per_request', offset=8) == 4
"""
)
the_wrong_index_is_checked = change(
    """
in add.cuh
- __global__ void add_read(const float* a, const float* b, float* c, std::size_t n,
- std::size_t offset)
- {
- const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
- if (i + offset < n) {
+ __global__ void add_read(const float* a, const float* b, float* c, std::size_t n,
+ std::size_t offset)
+ {
+ const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
+ if (i < n) {
$ ./run 15 --device cpu --variant read --n 1000003
status 6
shows kernel add_read
shows past the end
"""
)
a_promise_of_c_alone = change(
    r"""
on gpu
in unrolled.cuh
- add_unrolled_restrict(const float* __restrict__ a, const float* __restrict__ b,
+ add_unrolled_restrict(const float* a, const float* b,
$ nvcc -std=c++20 -arch=sm_90 -I. -Icpu_device/api -ptx -o 15.ptx chapters/15_alignment/15_alignment.cu && sed -n '/entry.*add_unrolled_restrict/,/^}/p' 15.ptx | grep ld.global
shows ld\.global\.nc\.
lacks ld\.global\.f32
"""
)
