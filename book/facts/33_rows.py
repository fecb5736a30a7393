"""The facts of the page "Softmax and RMSNorm: row-wise reductions and kernel fusion"."""

from tools.book.facts import *


def pass_ms(variant, task, threads):
    """ms with loads of 16 bytes, eight at once."""
    return ms(variant, chapter="claim_passes", task=task, threads=threads, load_bytes=16, at_once=8, change="none")


page(
    "side",
    needs="07 22 28",
    afterwards=[
        "write a softmax and a norm that read each row once, at the speed of a copy",
        "decide when to fuse two kernels, and predict the gain",
    ],
)
three_passes_ms = ms("three_passes", result="softmax")
softmax_128_ms = value(ms("in_registers", result="softmax", threads=128), ".2f")
three_passes_over = value(three_passes_ms / softmax_128_ms, ".1f")
torch_over_in_registers = value(
    ms("torch.compile", result="softmax") / softmax_128_ms, ".1f"
)
torch = parameter("torch.compile", "torch", result="softmax")
triton = parameter("triton", "triton", result="softmax")
softmax_mode = parameter("torch.compile", "mode", result="softmax")

# Predict

softmax_large = dict(result="softmax", large=True)
three_passes_dram_read = counter("three_passes", "dram_bytes_read", **softmax_large)
three_passes_over_128mi_dram_read = value(three_passes_dram_read / (2**26 * 2), ".2f")
dram_of_passes = choice(
    """A softmax kernel makes three passes over each row of 8 KiB, by one block: for the largest element, the sum, and the results. How many times are the rows read from DRAM?""",
    {
        "about 1": at_most(three_passes_over_128mi_dram_read, 1.3),
        "about 2": between(1.7, three_passes_over_128mi_dram_read, 2.3),
        "about 3": at_least(three_passes_over_128mi_dram_read, 2.7),
    },
    right="about 1",
    fold="""{three_passes_over_128mi_dram_read} times. The second and third pass hit in L1, which holds the rows of all eight blocks of an SM.""",
)
two_passes_softmax_ms = value(ms("two_passes", result="softmax"), ".2f")
two_passes_over_in_registers = value(two_passes_softmax_ms / softmax_128_ms, ".1f")
row_in_registers = number(
    """There are 65,536 rows of 4,096 values of two bytes. One softmax kernel reads each row twice, two bytes per load. Another reads it once, 16 bytes per load, and keeps it in registers. By what factor is the second one faster?""",
    two_passes_over_in_registers,
    "a factor of 1.4",
    fold="""{softmax_128_ms} ms instead of {two_passes_softmax_ms}.""",
)
two_kernels_ms = value(ms("two_kernels", result="norm to fp8"), ".2f")
in_registers_norm_to_fp8_ms = value(ms("in_registers", result="norm to fp8"), ".2f")
two_kernels_over_one = value(two_kernels_ms / in_registers_norm_to_fp8_ms, ".1f")
fused = number(
    """A norm writes bf16 values of two bytes, and a second kernel rounds them to 8 bits. Together they move 2 + 2 + 2 + 1 bytes per element. By what factor is one fused kernel faster?""",
    two_kernels_over_one,
    "a factor of 1.2",
    fold="""{in_registers_norm_to_fp8_ms} ms instead of {two_kernels_ms}. It moves 3 bytes per element.""",
)

# Memory transactions

softmax_counts = counts(
    "33_rows",
    where=lambda row: row.task == "softmax",
    columns="variant, threads, threads_per_row, load_requests, load_sectors, store_sectors, shared_load_requests",
)
three_passes_load_sectors = count("three_passes", "load_sectors", result="softmax")
in_registers_load_sectors = count("in_registers", "load_sectors", result="softmax", threads=128)
claim(
    "passes load a row as often as they go over it",
    equal(three_passes_load_sectors, 3 * in_registers_load_sectors),
    equal(count("two_passes", "load_sectors", result="softmax"), 2 * in_registers_load_sectors),
)
claim(
    "a warp that has a row needs no shared memory",
    equal(count("warp_per_row", "shared_load_requests", result="softmax"), 0),
)

# Results

softmax_chart = chart(
    "33_rows",
    where=lambda row: row.task == "softmax" and (row.variant != "in_registers" or row.threads == 128),
    bars="cold",
    name="softmax",
    title="A softmax of 65,536 rows; in_registers has 128 threads per row",
)
softmax_256_gb = gb("in_registers", result="softmax", threads=256)
softmax_table = table(
    "33_rows",
    where=lambda row: row.task == "softmax",
    columns="variant, threads, threads_per_row, ms, cold, share, relative",
)
norm_table = table(
    "33_rows", where=lambda row: row.task == "norm", columns="variant, threads, threads_per_row, ms, cold, share"
)
norm_to_fp8_table = table(
    "33_rows", where=lambda row: row.task == "norm to fp8", columns="variant, threads, ms, cold, share, relative"
)
measure_table = table(
    "33_rows",
    where=lambda row: row.n < 2**26
    and row.variant in ("in_shared", "in_registers", "warp_per_row")
    and (row.threads == 128),
    every_size=True,
    columns="n, columns, result, variant, ms, cold",
)

# The second and third pass hit in L1

softmax_counters = counters(
    "33_rows",
    where=lambda row: row.result == "softmax",
    large=True,
    columns="variant, threads, dram_bytes_read, l2_read_sectors, l1_load_hit_sectors, registers_per_thread",
)
in_registers_l2_read_sectors = counter("in_registers", "l2_read_sectors", threads=128, **softmax_large)
l2_reads_more = value(
    counter("two_passes", "l2_read_sectors", **softmax_large) / in_registers_l2_read_sectors - 1, ".0%"
)
claim(
    "later passes add few sectors to what L2 reads, three no more than two",
    at_most(l2_reads_more, 0.1),
    at_most(
        counter("three_passes", "l2_read_sectors", **softmax_large) / in_registers_l2_read_sectors - 1, l2_reads_more
    ),
)

# Narrow loads cost most together with a second pass

passes_softmax = dict(chapter="claim_passes", task="softmax")
softmax_one_at_a_time_ms = value(
    ms("two_passes", threads=256, load_bytes=2, at_once=1, change="one at a time", **passes_softmax),
    ".2f",
)
norm_one_at_a_time_ms = value(
    ms("two_passes", chapter="claim_passes", task="norm", threads=256, load_bytes=2, at_once=1, change="one at a time"),
    ".2f",
)
two_passes_softmax_1_ms = value(
    ms("two_passes", threads=256, load_bytes=2, at_once=1, change="none", **passes_softmax), ".2f"
)
two_passes_norm_1_ms = value(
    ms("two_passes", chapter="claim_passes", task="norm", threads=256, load_bytes=2, at_once=1, change="none"), ".2f"
)
two_passes_softmax_8_ms = value(
    ms("two_passes", threads=256, load_bytes=2, at_once=8, change="none", **passes_softmax), ".2f"
)
two_passes_norm_8_ms = value(
    ms("two_passes", chapter="claim_passes", task="norm", threads=256, load_bytes=2, at_once=8, change="none"), ".2f"
)
two_passes_softmax_256_ms = value(pass_ms("two_passes", "softmax", 256), ".2f")
two_passes_norm_256_ms = value(pass_ms("two_passes", "norm", 256), ".2f")
three_passes_narrow_ms = value(
    ms("three_passes", threads=256, load_bytes=2, at_once=1, change="none", **passes_softmax), ".2f"
)
three_passes_wide_256_ms = value(pass_ms("three_passes", "softmax", 256), ".2f")
three_passes_wide_128_ms = value(pass_ms("three_passes", "softmax", 128), ".2f")
registers_softmax_ms = value(
    ms("in_registers", threads=256, load_bytes=2, at_once=8, change="none", **passes_softmax),
    ".2f",
)
in_registers_norm_ms = value(
    ms("in_registers", chapter="claim_passes", task="norm", threads=256, load_bytes=2, at_once=8, change="none"), ".2f"
)
in_registers_softmax_256_ms = value(pass_ms("in_registers", "softmax", 256), ".2f")
in_registers_norm_256_ms = value(pass_ms("in_registers", "norm", 256), ".2f")
two_passes_pass_norm_128_ms = value(pass_ms("two_passes", "norm", 128), ".2f")
in_registers_pass_norm_128_ms = value(pass_ms("in_registers", "norm", 128), ".2f")
two_passes_norm_times = value(two_passes_pass_norm_128_ms / in_registers_pass_norm_128_ms, ".2f")
second_pass_narrow = value(two_passes_softmax_8_ms / registers_softmax_ms - 1, ".0%")
second_pass_wide = value(two_passes_pass_norm_128_ms / in_registers_pass_norm_128_ms - 1, ".0%")
passes_h100_unchanged = dict(chapter="claim_passes", device=H100, change="none", at_once=8, load_bytes=16)
h100_softmax_128_ms = value(
    ms("in_registers", task="softmax", threads=128, **passes_h100_unchanged),
    ".3f",
)
h100_two_passes_times = ms("two_passes", task="softmax", threads=128, **passes_h100_unchanged) / ms(
    "in_registers", task="softmax", threads=128, **passes_h100_unchanged
)
h100_second_pass = value(h100_two_passes_times - 1, ".0%")
in_registers_pass_softmax_128_ms = value(pass_ms("in_registers", "softmax", 128), ".2f")
two_passes_pass_softmax_128_ms = value(pass_ms("two_passes", "softmax", 128), ".2f")
claim(
    "with wide loads a row that is kept is never behind",
    at_most(in_registers_softmax_256_ms / two_passes_softmax_256_ms, 1.01),
    at_most(in_registers_pass_softmax_128_ms / two_passes_pass_softmax_128_ms, 1.01),
    at_most(in_registers_norm_256_ms / two_passes_norm_256_ms, 1.01),
    at_most(in_registers_pass_norm_128_ms / two_passes_pass_norm_128_ms, 1.01),
)
claim(
    "a second pass costs most by narrow loads, and on an H100 more than on an H200 by wide ones",
    at_least(second_pass_narrow, 0.45),
    between(0.2, h100_second_pass, 0.45),
)
claim(
    "a third pass of wide loads costs more with 256 threads",
    at_most(three_passes_wide_128_ms / two_passes_pass_softmax_128_ms, 1.15),
    at_least(three_passes_wide_256_ms / two_passes_softmax_256_ms, 1.25),
)
claim("with 128 threads a norm loses by a second pass of wide loads", between(1.1, two_passes_norm_times, 1.2))
claim(
    "with wide loads two passes take as long as one, to three percent",
    level(two_passes_pass_softmax_128_ms, in_registers_pass_softmax_128_ms, within=0.03),
    at_most(two_passes_softmax_256_ms / in_registers_softmax_256_ms, 1.03),
    at_most(two_passes_norm_256_ms / in_registers_norm_256_ms, 1.03),
)
claim(
    "in registers narrow loads cost little",
    at_most(registers_softmax_ms / in_registers_softmax_256_ms, 1.15),
    at_most(in_registers_norm_ms / in_registers_norm_256_ms, 1.15),
)
claim(
    "two passes of narrow loads cost more, also with eight together",
    at_least(two_passes_softmax_8_ms / two_passes_softmax_256_ms, 1.15),
    at_least(two_passes_norm_8_ms / two_passes_norm_256_ms, 1.15),
    at_least(two_passes_norm_8_ms / two_passes_norm_1_ms, 0.85),
)
claim(
    "two thirds of what three passes load are hits in the L1",
    between(
        0.6,
        counter("three_passes", "l1_load_hit_sectors", **softmax_large) / three_passes_load_sectors / 2**6,
        0.7,
    ),
)
two_passes_over_in_registers_norm_time = ms("two_passes", result="norm") / ms(
    "in_registers", result="norm", threads=128
)
claim(
    "passes cost a norm less than a softmax",
    at_least(two_passes_over_in_registers_norm_time, 1.3),
    less(two_passes_over_in_registers_norm_time, two_passes_over_in_registers),
)
claim(
    "three passes read the rows about once",
    at_most(
        three_passes_dram_read / counter("in_registers", "dram_bytes_read", threads=128, **softmax_large),
        1.3,
    ),
)
claim(
    "passes take at least twice as long all the same",
    at_least(two_passes_over_in_registers, 2),
    faster(two_passes_softmax_ms, three_passes_ms),
)

read_again_softmax_gb = best("read_again", chapter="claim_lost", task="softmax")
read_again_norm_gb = best("read_again", chapter="claim_lost", task="norm")
read_again_norm_to_fp8_gb = best("read_again", chapter="claim_lost", task="norm to fp8")
in_registers_norm_to_fp8_gb = gb("in_registers", result="norm to fp8")
claim(
    "to read the row again by wide loads is about as fast",
    level(read_again_softmax_gb, gb("in_shared", result="softmax"), within=0.05),
    level(read_again_norm_gb, gb("in_registers", result="norm", threads=128), within=0.05),
    level(read_again_norm_to_fp8_gb, in_registers_norm_to_fp8_gb, within=0.05),
)

grouped_256 = dict(chapter="claim_grouped_rows", threads=256)
two_rows_norm_gb = gb("grouped_rows", result="norm", rows_per_block=2, **grouped_256)
one_row_norm_gb = gb("grouped_rows", result="norm", rows_per_block=1, **grouped_256)
claim(
    "two rows per block make the norm faster, and not the softmax",
    at_least(two_rows_norm_gb / one_row_norm_gb, 1.01),
    at_most(two_rows_norm_gb / one_row_norm_gb, 1.03),
    level(
        gb("grouped_rows", result="softmax", rows_per_block=2, **grouped_256),
        gb("grouped_rows", result="softmax", rows_per_block=1, **grouped_256),
        within=0.01,
    ),
)

# A softmax has a second limit: e^x

three_passes_exps = value(2 + 2 * 24 / 16, ".1f")
multiprocessors = device("multiprocessors")
sm_mhz = value(parameter("copy_vectors", "sm_mhz", chapter="claim_power", memory="DRAM"), ",.0f")
exps_per_ms = 16 * multiprocessors * 1000 * sm_mhz
three_passes_256_ms = value(three_passes_exps * 2**28 / exps_per_ms, ".2f")
three_passes_256_threads_ms = value(ms("three_passes", result="softmax", threads=256), ".2f")
two_passes_exps = value(3 + 24 / 16, ".1f")
two_passes_ms = value(two_passes_exps * 2**28 / exps_per_ms, ".2f")
two_passes_256_softmax_ms = value(ms("two_passes", result="softmax", threads=256), ".2f")
in_registers_256_exps = value(17 / 8 + 24 / 16, ".1f")
registers_ms = value(in_registers_256_exps * 2**28 / exps_per_ms, ".2f")
softmax_256_ms = value(ms("in_registers", result="softmax", threads=256), ".2f")
in_registers_128_exps = value(17 / 8 + 16 / 32, ".1f")
registers_128_ms = value(in_registers_128_exps * 2**28 / exps_per_ms, ".2f")
warp_per_row_exps = value(17 / 8 + 10 / 128, ".1f")
warp_row_ms = value(warp_per_row_exps * 2**28 / exps_per_ms, ".2f")
warp_per_row_ms = value(ms("warp_per_row", result="softmax", threads=128), ".2f")
copy_gb_per_s = device("copy_gb_per_s")
copy_gb = value(copy_gb_per_s, ",.0f")
per_copy_gb_per_s = value(2**30 / copy_gb_per_s / 10**6, ".2f")
h100_softmax_256_ms = value(
    ms("in_registers", task="softmax", threads=256, **passes_h100_unchanged),
    ".3f",
)
in_registers_softmax_256_ms_mills = value(in_registers_softmax_256_ms, ".3f")
in_registers_16_bytes_ms = value(
    ms("in_registers", threads=256, load_bytes=16, at_once=8, change="largest first", **passes_softmax),
    ".3f",
)
in_registers_softmax_128_threads_ms = value(
    ms("in_registers", threads=128, load_bytes=16, at_once=8, change="largest first", **passes_softmax),
    ".3f",
)
claim(
    "by the largest first 256 threads are no worse than 128",
    at_most(in_registers_16_bytes_ms / in_registers_softmax_256_ms, 0.85),
    faster(in_registers_16_bytes_ms, in_registers_softmax_128_threads_ms),
    level(in_registers_softmax_128_threads_ms, in_registers_pass_softmax_128_ms, within=0.02),
)
claim(
    "on a GPU with slower memory 256 threads per row are as fast as 128",
    level(h100_softmax_256_ms, h100_softmax_128_ms, within=0.02),
)

# Shared memory and registers are about equally fast

in_shared_softmax_gb = gb("in_shared", result="softmax")
softmax_128_gb = gb("in_registers", result="softmax", threads=128)
last_softmax_gb = gb("evict_last_in_registers", result="softmax")
claim(
    "shared memory and registers are within three percent of each other",
    level(in_shared_softmax_gb, softmax_128_gb, within=0.03),
)
claim(
    "a softmax by 256 threads per row is slower",
    at_most(softmax_256_gb / softmax_128_gb, 0.95),
)
done_nearly_alone_threads = value(
    gb("warp_per_row", result="softmax", n=15005000) / gb("in_registers", result="softmax", threads=128, n=15005000),
    ".0%",
)
claim(
    "a warp a row is behind, and further where rows are longer and few",
    faster(softmax_128_gb, gb("warp_per_row", result="softmax")),
    at_most(done_nearly_alone_threads, 0.8),
    *(
        faster(gb(variant, result=result, threads=128, n=n), gb("warp_per_row", result=result, n=n))
        for variant in ("in_shared", "in_registers")
        for result in ("softmax", "norm")
        for n in (15005000, 2**24)
    ),
)

# Results of the fused norm

torch_compile_over_fused = value(ms("torch.compile", result="norm to fp8") / in_registers_norm_to_fp8_ms, ".1f")
claim("one kernel is about as much faster as it moves less", between(7 / 3 * 0.85, two_kernels_over_one, 7 / 3 * 1.2))
triton_over_fused = value(ms("triton", result="norm to fp8") / in_registers_norm_to_fp8_ms, ".2f")
claim(
    "the fused kernel is ahead of the compiler's by a tenth, and of Triton's",
    at_least(torch_compile_over_fused, 1.1),
    at_least(triton_over_fused, 1.02),
)

# Results of the norm

norm_kept_gb = gb("in_registers", result="norm", threads=128)
last_norm_gb = gb("evict_last_in_registers", result="norm")
last_norm_to_fp8_gb = gb("evict_last_in_registers", result="norm to fp8")
tma_norm_gb = value(gb("in_shared_bulk", result="norm", columns=4096, n=2**28, device=SECOND), ",.0f")
second_norm_gb = value(gb("in_registers", result="norm", threads=128, n=2**28, device=SECOND), ",.0f")
tma_softmax_gb = gb("in_shared_bulk", result="softmax", columns=4096, n=2**28, device=SECOND)
second_softmax_gb = gb("in_registers", result="softmax", threads=128, n=2**28, device=SECOND)
claim(
    "the TMA gains nothing for the norm, and costs the softmax",
    level(tma_norm_gb, second_norm_gb, within=0.02),
    between(0.77, tma_softmax_gb / second_softmax_gb, 0.87),
)
norm_over_torch_compile = norm_kept_gb / gb("torch.compile", result="norm")
norm_behind_torch_compile = value(1 - norm_over_torch_compile, ".0%")
norm_over_triton = norm_kept_gb / gb("triton", result="norm")
warp_per_row_norm_gb = gb("warp_per_row", result="norm")
claim(
    "wherever a norm's row is kept, it takes as long",
    level(gb("in_shared", result="norm"), warp_per_row_norm_gb, within=0.03),
    level(gb("in_registers", result="norm", threads=128), warp_per_row_norm_gb, within=0.03),
)
claim(
    "without hints the norm is within a tenth of a copy, behind the compiler's and ahead of Triton's",
    at_least(norm_kept_gb / copy_gb_per_s, 0.9),
    between(0.9, norm_over_torch_compile, 0.98),
    at_least(norm_over_triton, 1),
)
claim(
    "with evict-last loads the norm ties with the compiler's, and a softmax with a copy",
    level(last_norm_gb, gb("torch.compile", result="norm"), within=0.02),
    at_least(last_softmax_gb / copy_gb_per_s, 0.98),
    at_least(last_softmax_gb / softmax_128_gb, 1.02),
    at_least(last_norm_to_fp8_gb / in_registers_norm_to_fp8_gb, 1.005),
)

# A read-once hint makes the kernel slower

once_registers_does_same = value(ratio(gb, "once_in_registers", "in_registers", result="norm to fp8"), ".0%")
hint_looked_right = counters(
    "33_rows",
    where=lambda row: row.result == "norm to fp8" and row.variant != "two_kernels",
    large=True,
    columns="variant, load_sectors, l1_load_hit_sectors, l2_read_sectors, dram_bytes_read",
)
claim(
    "the weights are in the L1 with the hint and without",
    level(
        counter("once_in_registers", "l1_load_hit_sectors", result="norm to fp8", large=True),
        counter("in_registers", "l1_load_hit_sectors", result="norm to fp8", large=True),
        within=0.02,
    ),
)
claim("the hint does not gain", at_most(once_registers_does_same, 1.01))

# Experiments

no_barrier_between_passes = change(
    """
in three_passes.cuh
- __syncthreads(); // all have read what the first reduction left in shared memory
+ // nothing
$ ./run 33 --device cpu --variant three_passes --n 64Ki
status 1
shows ^three_passes .* FAILED
"""
)
no_largest = change(
    """
in three_passes.cuh
- partial.x = fmaxf(partial.x, a[s.at(blockIdx.x, i)]);
+ partial.x = 0;
$ ./run 33 --device cpu --variant three_passes --n 64Ki
status 1
shows ^three_passes .* FAILED
"""
)
backwards = change(
    """
in two_passes.cuh
- for (unsigned i = threadIdx.x; i < s.width; i += threads) {
+ for (unsigned k = threadIdx.x; k < s.width; k += threads) {
+     const unsigned i = s.width - 1 - k;
$ ./run 33 --device cpu --variant two_passes --n 64Ki
shows ^two_passes .* yes
"""
)
