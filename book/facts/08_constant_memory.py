"""The facts of the page "Constant memory and lookup tables"."""

from tools.book.facts import *

page(
    "side",
    needs="07",
    afterwards=[
        "choose between constant memory and global memory for a table",
        "set a variable of the device from the host",
    ],
)

# Predict

constant_one_wanted_gb = gb("constant", wanted=1)
global_one_wanted_gb = gb("global", wanted=1)
constant_over_global_one_wanted = constant_one_wanted_gb / global_one_wanted_gb
constant_gain_one_wanted = value(constant_over_global_one_wanted - 1, ".1%")
constant_and_global_apart = value(abs(constant_gain_one_wanted), ".1%")
constant_32_wanted_ms = ms("constant", wanted=32)
constant_over_global_32 = value(constant_32_wanted_ms / ms("global", wanted=32), ".1f")
constant_32_wanted_gb = gb("constant", wanted=32)
global_32_wanted_gb = gb("global", wanted=32)
constant_over_global_32_wanted = constant_32_wanted_gb / global_32_wanted_gb
a_table = choice(
    """A table of 32 numbers is stored in constant or in global memory, and every thread adds one entry to its element. Which memory is
faster if all lanes of a warp read the same entry, and which if each lane reads a different one?""",
    {
        "constant memory both times": both(
            at_least(constant_over_global_one_wanted, 1.02), at_least(constant_over_global_32_wanted, 1.02)
        ),
        "constant memory, then global memory": both(
            at_least(constant_over_global_one_wanted, 1.02), at_most(constant_over_global_32_wanted, 0.98)
        ),
        "they tie, then global memory": both(
            level(constant_one_wanted_gb, global_one_wanted_gb, within=0.02),
            at_most(constant_over_global_32_wanted, 0.98),
        ),
        "they tie both times": both(
            level(constant_one_wanted_gb, global_one_wanted_gb, within=0.02),
            level(constant_32_wanted_gb, global_32_wanted_gb, within=0.02),
        ),
    },
    right="they tie, then global memory",
    fold="""With the same entry they are within {constant_and_global_apart}. With 32 different entries, constant memory
takes {constant_over_global_32} times as long.""",
)
constant_8_wanted_gb = gb("constant", wanted=8)
global_8_wanted_gb = gb("global", wanted=8)
constant_over_global_8_wanted = constant_8_wanted_gb / global_8_wanted_gb
constant_behind_global_8_wanted = 1 - constant_over_global_8_wanted
eight_words = choice(
    """The lanes of a warp read eight different words. How much slower is constant memory than global memory?""",
    {
        "equally fast": less(constant_behind_global_8_wanted, 0.01),
        "a few percent": between(0.01, constant_behind_global_8_wanted, 0.2),
        "half or more": at_least(constant_behind_global_8_wanted, 0.2),
    },
    right="a few percent",
    fold="""{constant_8_wanted_gb} GB/s from constant memory, {global_8_wanted_gb} GB/s from global memory.""",
)
through_pointer_over_global_32_wanted = gb("through_pointer") / global_32_wanted_gb
pointer_cost = value(1 - through_pointer_over_global_32_wanted, ".1%")
through_a_pointer = choice(
    """A kernel loads the address of its table from device memory first: one additional, dependent load. How much bandwidth does that cost?""",
    {
        "nothing": less(pointer_cost, 0.003),
        "a percent or two": between(0.003, pointer_cost, 0.05),
        "a tenth or more": at_least(pointer_cost, 0.05),
    },
    right="a percent or two",
    fold="{pointer_cost} of the bandwidth.",
)

# Memory transactions

count_reads_table = counts(
    "08_constant_memory",
    where=lambda row: row.wanted,
    columns="variant, wanted, load_requests, load_sectors, constant_requests, constant_wavefronts",
)
constant_32_wanted_constant_wavefronts = count("constant", "constant_wavefronts", wanted=32)
constant_32_wanted_constant_requests = count("constant", "constant_requests", wanted=32)
constant_one_wanted_constant_wavefronts = count("constant", "constant_wavefronts", wanted=1)
constant_one_wanted_constant_requests = count("constant", "constant_requests", wanted=1)
claim(
    "a wavefront for each word that a warp accesses",
    equal(constant_one_wanted_constant_wavefronts, constant_one_wanted_constant_requests),
    equal(constant_32_wanted_constant_wavefronts, 32 * constant_32_wanted_constant_requests),
)
claim(
    "up to eight words of a table are one sector",
    equal(count("global", "load_sectors", wanted=8), count("global", "load_sectors", wanted=1)),
)
global_32_wanted_load_sectors = count("global", "load_sectors", wanted=32)
claim("32 words are four", equal(global_32_wanted_load_sectors, 8 * count("global", "load_requests", wanted=32) / 2))
claim(
    "the pointer is a request of one sector",
    equal(
        count("through_pointer", "load_sectors") - global_32_wanted_load_sectors,
        count("constant", "load_requests", wanted=1),
    ),
)

# Results

tables_chart = chart(
    "08_constant_memory",
    where=lambda row: row.variant in ("constant", "global"),
    x="wanted",
    lines="variant",
    name="tables",
    title="Table look-ups, by distinct words per warp",
)
measure_tables_table = table(
    "08_constant_memory",
    where=lambda row: row.wanted or row.variant in ("set_by_name", "set_by_address"),
    columns="variant, wanted, ms, cold, hot, copy",
)
set_by_name_gb = gb("set_by_name")
set_by_address_gb = gb("set_by_address")
set_address_within_word = value(abs(set_by_name_gb / set_by_address_gb - 1), ".2%")
constant_over_global_16_wanted = ratio(gb, "constant", "global", wanted=16)
constant_behind_16 = value(1 - constant_over_global_16_wanted, ".0%")
claim("how a variable was set does not matter", level(set_by_name_gb, set_by_address_gb, within=0.01))
claim(
    "a uniform constant is no faster than a uniform load, to a percent or two",
    between(0.99, constant_over_global_one_wanted, 1.02),
)
claim(
    "up to four words cost little",
    at_least(ratio(gb, "constant", "global", wanted=4), 0.98),
    at_least(ratio(gb, "constant", "global", wanted=2), 0.98),
)
claim("eight words cost a few percent", between(0.9, constant_over_global_8_wanted, 0.98))
claim("sixteen words cost a quarter at least", at_most(constant_over_global_16_wanted, 0.75))
claim("global memory does not care how many words", level(global_32_wanted_gb, global_one_wanted_gb, within=0.01))
claim("the pointer costs a few percent", between(0.95, through_pointer_over_global_32_wanted, 0.995))

# The constant cache serves one word per wavefront

wavefront_per_word = counters(
    "08_constant_memory",
    where=lambda row: row.variant in ("constant", "global")
    and row.wanted in (1, 8, 16, 32)
    or row.variant == "through_pointer",
    columns="variant, wanted, load_sectors, l1_load_hit_sectors, constant_cache_requests",
)
constant_one_wanted_constant_cache_requests = counter("constant", "constant_cache_requests", wanted=1)
constant_requests_more = (
    counter("constant", "constant_cache_requests", wanted=32) - constant_one_wanted_constant_cache_requests
)
claim(
    "the hardware counts the wavefronts, and two requests per warp besides",
    equal(
        constant_one_wanted_constant_cache_requests - constant_one_wanted_constant_wavefronts,
        2 * constant_one_wanted_constant_requests,
    ),
)
claim(
    "with divergence the hardware counts as many wavefronts more as the CPU device",
    equal(constant_requests_more, constant_32_wanted_constant_wavefronts - constant_one_wanted_constant_wavefronts),
)
claim(
    "loads of global memory leave those two requests",
    equal(counter("global", "constant_cache_requests", wanted=32), 2 * constant_one_wanted_constant_requests),
)
multiprocessors = device("multiprocessors")
millions_per_sm = value(2**28 / 32 * 16 / multiprocessors / 10**6, ".2f")
constant_16_wanted_ms = ms("constant", wanted=16)
sixteen_wavefronts_more_ms = value(constant_32_wanted_ms - constant_16_wanted_ms, ".2f")
constant_wavefront_ns = value(sixteen_wavefronts_more_ms * 10**6 / (2**28 / 32 * 16 / multiprocessors), ".1f")
ten_wavefronts_ms = value(10 * sixteen_wavefronts_more_ms / 16, ".2f")
wavefronts_18_ms = value(18 * sixteen_wavefronts_more_ms / 16, ".2f")
wavefronts_34_ms = value(34 * sixteen_wavefronts_more_ms / 16, ".2f")
constant_16_wanted_ms_cents = value(constant_16_wanted_ms, ".2f")
constant_32_wanted_ms_cents = value(constant_32_wanted_ms, ".2f")
global_16_wanted_ms = value(ms("global", wanted=16), ".2f")
global_32_wanted_ms = value(ms("global", wanted=32), ".2f")
global_8_wanted_ms = value(ms("global", wanted=8), ".2f")
constant_8_wanted_ms = value(ms("constant", wanted=8), ".2f")
global_one_wanted_ms = ms("global", wanted=1)
global_warp_ns = value(global_one_wanted_ms * 10**6 * multiprocessors / (2**28 / 32), ".1f")
wavefronts_in_a_warps_time = value(global_one_wanted_ms / sixteen_wavefronts_more_ms * 16, ".0f")
global_ms_one_wanted_by_global_copy_share = global_one_wanted_ms * copy_share("global", wanted=1)
copy_warp_ns = value(global_ms_one_wanted_by_global_copy_share * 10**6 * multiprocessors / (2**28 / 32), ".1f")
ns_wavefronts = value(global_ms_one_wanted_by_global_copy_share / sixteen_wavefronts_more_ms * 16, ".0f")
constant_cache_busy = value(wavefronts_18_ms / constant_16_wanted_ms, ".0%")
claim(
    "with two more requests the wavefronts are nine tenths of both rows",
    between(0.9, constant_cache_busy, 1),
    between(0.9, wavefronts_34_ms / constant_32_wanted_ms, 1),
)
claim(
    "eight words are served before the loads are back, and cost little",
    less(ten_wavefronts_ms, 0.9 * global_8_wanted_ms),
    at_most(constant_8_wanted_ms / global_8_wanted_ms, 1.08),
)
claim(
    "a wavefront of constants takes twice one of shared memory",
    between(1.8, constant_wavefront_ns / (ns("banks", chapter="25", degree=32) / 32 * multiprocessors), 2.2),
)
claim("in the time of a copy fewer than eight fit", less(ns_wavefronts, 8))
claim("a wavefront takes about a nanosecond", between(0.8, constant_wavefront_ns, 1.3))
claim("between 8 and 16 wavefronts hide behind the memory", between(9, global_warp_ns, 16))
md_l1_cache_sectors = value(
    counter("global", "l1_load_hit_sectors", wanted=1)
    / (counter("global", "load_sectors", wanted=1) - counter("constant", "load_sectors", wanted=1)),
    ".1%",
)
chase_16ki_ns = value(ns("chase", table=16 * KiB, order="random", chapter="21"), ".0f")
chase_1gi_ns = value(ns("chase", table=GiB, order="random", chapter="21"), ".0f")

# Where memory is the limit, the constant cache gains nothing

claim(
    "every kernel reports the table",
    equal(
        parameter("set_by_name", "constant_bytes"),
        parameter("global", "constant_bytes", wanted=1),
        parameter("constant", "constant_bytes", wanted=1),
    ),
)
set_by_name_registers_per_thread = counter("set_by_name", "registers_per_thread")
claim(
    "the profiler counts registers as they are handed out",
    equal(set_by_name_registers_per_thread % 8, 0),
    less(parameter("set_by_name", "registers"), set_by_name_registers_per_thread),
)

# Constant memory is for parameters and addresses that the compiler knows

constant_not_unrolled_ms = value(ms("constant", chapter="claim_constant", unrolled="no", n=2**24), ".3f")
global_not_unrolled_ms = value(ms("global", chapter="claim_constant", unrolled="no", n=2**24), ".3f")
over_global_not_unrolled = value(constant_not_unrolled_ms / global_not_unrolled_ms, ".1f")
constant_unrolled_ms = value(ms("constant", chapter="claim_constant", unrolled="yes", n=2**24), ".3f")
global_unrolled_ms = value(ms("global", chapter="claim_constant", unrolled="yes", n=2**24), ".3f")
shared_unrolled_ms = value(ms("shared", chapter="claim_constant", unrolled="yes", n=2**24), ".3f")
shared_not_unrolled_ms = value(ms("shared", chapter="claim_constant", unrolled="no", n=2**24), ".3f")
unrolled_wavefronts_ms = value(
    2**24 / 32 * 128 / multiprocessors * sixteen_wavefronts_more_ms / (2**28 / 32 * 16 / multiprocessors), ".2f"
)
loop_factor_ns = value(constant_not_unrolled_ms * 1000000.0 / (2**24 / 32 * 128 / multiprocessors), ".1f")
unrolled_wavefronts_share = value(unrolled_wavefronts_ms / constant_not_unrolled_ms, ".0%")
claim("the wavefronts are less than a quarter of the loop", at_most(unrolled_wavefronts_share, 0.25))
claim(
    "where a loop computes the address, constant memory loses although all lanes access one word",
    at_least(over_global_not_unrolled, 3),
    at_most(constant_unrolled_ms / global_unrolled_ms, 0.55),
)

# Experiments

neighbours_share_a_word = change(
    """
in tables.cuh
- constant_table[i & mask]
+ constant_table[i / 2 & mask]
in 08_constant_memory.cu
- entry(i % wanted)
+ entry(i / 2 % wanted)
$ ./run 08 --device cpu --variant constant
holds count('constant', 'constant_wavefronts', wanted=32) == 16 * count('constant', 'constant_requests', wanted=32)
holds 0.97 < modelled('constant', wanted=32) / book_modelled('constant', wanted=16) < 1.03
"""
)
a_constant_is_written = change(
    """
in tables.cuh
- c[i] = a[i] + constant_table[i & mask];
+ constant_table[i & mask] += 1;
+ c[i] = a[i] + constant_table[i & mask];
$ ./run 08 --device cpu --variant constant
status 6
shows kernel add_constant
shows cudaMemcpyToSymbol
"""
)
