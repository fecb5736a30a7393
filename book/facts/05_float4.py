"""The facts of the page "Vectorized loads and stores with float4"."""

from tools.book.facts import *

page(
    "core",
    needs="03",
    afterwards=[
        "load and store 16 bytes per access, for any length and any alignment",
        "explain why wide accesses are faster, and when narrow ones tie",
    ],
)

# Predict

float4_per_load = count("float4", "load_sectors_per_request", threads=256)
float4_load_efficiency = value(count("float4", "load_efficiency", threads=256), ".0%")
one_wide_load = choice(
    """How many bytes does the warp's load request, how many [sectors](glossary.md#sector) does it touch, and what part of
their bytes is used?""",
    {
        "128 bytes in 4 sectors, all used": equal(float4_per_load, 4),
        "512 bytes in 16 sectors, all used": both(equal(float4_per_load, 16), equal(float4_load_efficiency, 1)),
        "512 bytes in 16 sectors, a quarter of them used": both(
            equal(float4_per_load, 16), less(float4_load_efficiency, 1)
        ),
        "512 bytes in 32 sectors, half of them used": equal(float4_per_load, 32),
    },
    right="512 bytes in 16 sectors, all used",
    fold="""The request touches {float4_per_load} sectors and uses {float4_load_efficiency} of their bytes.""",
)
float4_256_gb = gb("float4", threads=256)
striped_x4_loads_first_gb = gb("striped_x4_loads_first", threads=256, chapter="03")
float4_256_threads_over_striped_x4_loads = float4_256_gb / striped_x4_loads_first_gb
wide_or_four_narrow = choice(
    """`striped_x4_loads_first` of chapter 03 loads four floats per thread, one by one, before it stores any.
Is `float4` faster?""",
    {
        "yes, by a quarter or so": at_least(float4_256_threads_over_striped_x4_loads, 1.1),
        "yes, by a few percent": between(1.01, float4_256_threads_over_striped_x4_loads, 1.1),
        "no, they tie": level(float4_256_gb, striped_x4_loads_first_gb, within=0.01),
        "no, it is slower": at_most(float4_256_threads_over_striped_x4_loads, 0.99),
    },
    right="no, they tie",
    fold="""`float4` {float4_256_gb} GB/s, `striped_x4_loads_first` {striped_x4_loads_first_gb} GB/s.""",
)
an_empty_head = change(
    r"""
in guarded.cuh
- (4 - offset) % 4
+ 0
$ ./run 05 --device cpu --variant guarded_off_by_one
status 6
shows thread \(?0
shows multiple of 16
"""
)
status_of_an_empty_head = tried(an_empty_head)
one_float_further = choice(
    """You advance all three pointers by one float. What does the `float4` kernel do?""",
    {
        "it runs, and touches one more sector per request": equal(status_of_an_empty_head, 0),
        "it runs, and adds the wrong elements": equal(status_of_an_empty_head, 1),
        "it ends with an error": equal(status_of_an_empty_head, 6),
    },
    right="it ends with an error",
    fold="""A 16-byte access needs an address that is a multiple of 16. The third experiment below starts the
vectors at the misaligned address, and ends with status {status_of_an_empty_head}.""",
)

# Memory transactions

count_counts = counts("05_float4", where=lambda row: row.threads == 256)
float4_access = access("05_float4", "float4", title="float4: one load of a warp, 16 bytes per lane")
claim(
    "as many sectors per request as four neighbours",
    equal(float4_per_load, count("blocked_x4", "load_sectors_per_request", chapter="03", threads=256)),
)
claim(
    "all of the bytes are used",
    equal(float4_load_efficiency, 1),
    equal(count("float4", "store_efficiency", threads=256), 1),
)
float4_load_requests = count("float4", "load_requests", threads=256)
claim(
    "one request does the work of four",
    equal(4 * float4_load_requests, count("striped_x4_loads_first", "load_requests", chapter="03", threads=256)),
)
claim(
    "the tails and the guard cost no request",
    equal(
        float4_load_requests,
        count("float4_float2_tail", "load_requests", threads=256),
        count("float4_parameters", "load_requests", threads=256),
        count("guarded", "load_requests", threads=256),
    ),
)

# Results

wide_chart = chart(
    "02,03,05",
    name="wide",
    where=lambda row: row.threads == 256
    and row.variant in ("basic", "blocked_x4", "striped_x4", "striped_x4_loads_first", "float4", "guarded_off_by_one")
    or (row.library and row.chapter == "05_float4"),
    title="Adding two vectors, 16 bytes at a time",
)
measure_table = table(
    "05_float4", where=lambda row: row.threads == 256 or row.library, columns="variant, cold, hot, share"
)
basic_256_threads_gb = gb("basic", threads=256, chapter="02")
float4_over_basic_256 = value(float4_256_gb / basic_256_threads_gb, ".2f")
float4_over_blocked_x4 = value(float4_256_gb / gb("blocked_x4", threads=256, chapter="03"), ".1f")
stream_2_1_gb = gb("stream", chapter="24", mix="2:1")
cub_transform_gb = gb("cub::DeviceTransform")
basic_unused_share = value(1 - share("basic", threads=256, chapter="02"), ".0%")
claim("float4 adds faster than the copy bandwidth", more(copy_share("float4", threads=256), 1.01))
claim("float4 reaches what memory does at that mix", level(float4_256_gb, stream_2_1_gb, within=0.01))
claim(
    "memory is faster at the mix of an addition", at_least(stream_2_1_gb / gb("stream", chapter="24", mix="1:1"), 1.01)
)
claim(
    "bulk loads reach the stream",
    level(gb("add_bulk", chapter="26", threads=960, n=2**30), stream_2_1_gb, within=0.02),
)
best_library_gb = max(cub_transform_gb, gb("thrust::transform"))
libraries_apart = value(abs(best_library_gb / float4_256_gb - 1), ".1%")
claim("the libraries tie with float4", level(best_library_gb, float4_256_gb, within=0.01))
float4_table = table(
    "05_float4",
    where=lambda row: row.variant == "float4",
    columns="variant, threads, cold, spread",
)
float4_sizes = [gb("float4", threads=threads) for threads in (128, 256, 512, 1024)]
float4_best_over_worst_size = max(*float4_sizes) / min(*float4_sizes)
float4_sizes_apart = value(float4_best_over_worst_size - 1, ".1%")
basic_256_threads_over_128_threads = basic_256_threads_gb / gb("basic", threads=128, chapter="02")
basic_sizes_apart = value(basic_256_threads_over_128_threads - 1, ".0%")
guarded_1ki_gb = gb("guarded", threads=1024)
claim("with float4 the block size is worth less than two percent", at_most(float4_best_over_worst_size, 1.02))
claim(
    "with one float per thread the block size was worth more than a fifth",
    at_least(basic_256_threads_over_128_threads, 1.2),
)
float4_float2_tail_gb = gb("float4_float2_tail", threads=256)
float4_parameters_gb = gb("float4_parameters", threads=256)
claim(
    "the three forms tie",
    at_most(
        max(float4_256_gb, float4_float2_tail_gb, float4_parameters_gb)
        / min(float4_256_gb, float4_float2_tail_gb, float4_parameters_gb),
        1.005,
    ),
)

# Analysis

explain_counters = counters(
    "02,03,05",
    where=lambda row: row.variant in ("basic", "blocked_x4", "float4") and row.threads == 256,
    columns="variant, load_requests, load_sectors, l2_write_sectors, dram_bytes_read",
    large=True,
)
claim(
    "DRAM is read once",
    level(counter("float4", "dram_bytes_read", threads=256), 8 * counter("float4", "n", threads=256), within=0.02),
)
claim(
    "the requests are a quarter",
    equal(
        4 * counter("float4", "load_requests", threads=256),
        counter("basic", "load_requests", chapter="02", threads=256),
    ),
)
claim(
    "the sectors are not fewer",
    equal(counter("float4", "load_sectors", threads=256), counter("basic", "load_sectors", chapter="02", threads=256)),
)
striped_x4_per_load = count("striped_x4", "load_sectors_per_request", threads=256, chapter="03")
striped_x4_gain_over_float = value(gb("striped_x4", threads=256, chapter="03") / basic_256_threads_gb - 1, ".0%")
loads_first_per_load = count(
    "striped_x4_loads_first", "load_sectors_per_request", threads=256, chapter="03"
)
loads_first_gain = value(striped_x4_loads_first_gb / basic_256_threads_gb - 1, ".0%")
float4_gain_over_basic_256 = value(float4_over_basic_256 - 1, ".0%")
claim(
    "fewer blocks alone gain less than half of it",
    less(striped_x4_gain_over_float, 0.5 * float4_gain_over_basic_256),
)
l2_writes_over_blocked = value(
    counter("float4", "l2_write_sectors", threads=256, large=True)
    / counter("blocked_x4", "l2_write_sectors", chapter="03", threads=256, large=True),
    ".0%",
)
claim(
    "wide loads read faster",
    at_least(
        gb("read", chapter="22", width=16, loads=1, warps=64) / gb("read", chapter="22", width=4, loads=1, warps=64),
        1.5,
    ),
)

# More bytes in flight, not wider accesses, give the speedup

claim(
    "float4 ties with four strided loads in flight together",
    level(float4_256_gb, striped_x4_loads_first_gb, within=0.01),
)

# Aligned addresses are mandatory

off_by_one_per_load = value(count("guarded_off_by_one", "load_sectors_per_request", threads=256), ".0f")
off_by_one_sectors_more = value(ratio(count, "guarded_off_by_one", "guarded", "load_sectors", threads=256) - 1, ".0%")
guarded_off_by_one_gb = gb("guarded_off_by_one", threads=256)
guarded_256_threads_gb = gb("guarded", threads=256)
off_by_one_over_guarded = guarded_off_by_one_gb / guarded_256_threads_gb
off_by_one_slower = value(1 - off_by_one_over_guarded, ".1%")
guarded_off_by_one_over_guarded_l2_read = ratio(
    counter, "guarded_off_by_one", "guarded", "l2_read_sectors", threads=256
)
off_by_one_l2_reads_more = value(guarded_off_by_one_over_guarded_l2_read - 1, ".1%")
guarded_off_by_one_over_guarded_l2_write = ratio(
    counter, "guarded_off_by_one", "guarded", "l2_write_sectors", threads=256
)
off_by_one_l2_writes_more = value(guarded_off_by_one_over_guarded_l2_write - 1, ".1%")
claim("the guard costs nothing", level(guarded_256_threads_gb, float4_256_gb, within=0.01))
claim(
    "off by one touches more sectors",
    at_least(off_by_one_per_load / count("guarded", "load_sectors_per_request", threads=256), 1.05),
)
claim(
    "off by one is slower, by less than a percent",
    faster(guarded_256_threads_gb, guarded_off_by_one_gb),
    at_least(off_by_one_over_guarded, 0.99),
)
claim(
    "most of the sectors too many hit L1",
    less(
        0.75
        * (
            counter("guarded_off_by_one", "load_sectors", threads=256) - counter("guarded", "load_sectors", threads=256)
        ),
        counter("guarded_off_by_one", "l1_load_hit_sectors", threads=256),
    ),
)
claim("L2 reads hardly grow", at_most(guarded_off_by_one_over_guarded_l2_read, 1.02))
claim(
    "L2 writes grow by more than L2 reads",
    at_least(guarded_off_by_one_over_guarded_l2_write / guarded_off_by_one_over_guarded_l2_read, 1.02),
)
claim(
    "off by one reads DRAM once",
    at_most(
        ratio(counter, "guarded_off_by_one", "guarded", "dram_bytes_read", threads=256),
        1.01,
    ),
)

# Experiments

no_tail = change(
    """
in float4.cuh
- reinterpret_cast<float4*>(c)[i] = add4(x, y);
- } else if (i == vectors) {
- for (std::size_t k = 4 * vectors; k < n; ++k) {
- c[k] = a[k] + b[k];
- }
- }
+ reinterpret_cast<float4*>(c)[i] = add4(x, y);
+ }
$ ./run 05 --device cpu --variant float4 --n 1000003
status 1
shows was never written
$ ./run 05 --device cpu --variant float4 --n 1000000
shows ^float4 .* yes
"""
)
off_by_four = change(
    """
- {.input_offset = 1, .output_offset = 1}
+ {.input_offset = 4, .output_offset = 4}
$ ./run 05 --device cpu --variant guarded_off_by_one
holds 16.9 < count('guarded_off_by_one', 'load_sectors_per_request', threads=256) < 17.1
- {.input_offset = 4, .output_offset = 4}
+ {.input_offset = 8, .output_offset = 8}
$ ./run 05 --device cpu --variant guarded_off_by_one
holds count('guarded_off_by_one', 'load_sectors_per_request', threads=256) == 16
"""
)
