"""The facts of the page "Low-precision data: bf16, fp8, int8 and quantization"."""

from tools.book.facts import *

# One step of all elements takes this long at the full issue rate, four warp instructions per SM and clock.
step_ms = 2**28 / 32 / 4 / device("multiprocessors") / (1000 * environment("clocks")["after"]["sm_mhz"])

page(
    "side",
    needs="05 22",
    afterwards=[
        "predict when a smaller type makes a kernel faster, and by how much",
        "quantize the rows of a matrix in one pass",
    ],
)

# Predict

element_float_ms = ms("element", type="float")
element_fp8_ms = ms("element", type="fp8")
element_fp8_over_float_time = element_fp8_ms / element_float_ms
quarter_of_the_bytes = choice(
    """An 8-bit number has a quarter of the bytes of a float. With one number per thread, a kernel converts it to float, multiplies, adds and converts back. What fraction of the time of the same kernel for floats does it take?""",
    {
        "a quarter": at_most(element_fp8_over_float_time, 0.35),
        "a half": between(0.35, element_fp8_over_float_time, 0.65),
        "more than that": at_least(element_fp8_over_float_time, 0.65),
    },
    right="more than that",
    fold="{element_fp8_ms} ms instead of {element_float_ms}.",
)
sixteen_bytes_float_one_step_ms = ms("sixteen_bytes", type="float", steps=1)
sixteen_bytes_fp8_one_step_ms = ms("sixteen_bytes", type="fp8", steps=1)
sixteen_bytes_float_over_fp8_one_step_time = value(
    sixteen_bytes_float_one_step_ms / sixteen_bytes_fp8_one_step_ms, ".1f"
)
sixteen_numbers = number(
    """With 16 bytes per thread in either type, by what factor is the kernel faster with fp8 than with float?""",
    sixteen_bytes_float_over_fp8_one_step_time,
    "a factor of 1.15",
    fold="""{sixteen_bytes_fp8_one_step_ms} ms instead of {sixteen_bytes_float_one_step_ms}.""",
)
sixteen_bytes_float_16_steps_ms = ms("sixteen_bytes", type="float", steps=16)
sixteen_bytes_bf16_16_steps_ms = ms("sixteen_bytes", type="bf16", steps=16)
sixteen_bytes_fp8_16_steps_ms = ms("sixteen_bytes", type="fp8", steps=16)
sixteen_bytes_16_steps_over_one_step_fp8 = sixteen_bytes_fp8_16_steps_ms / sixteen_bytes_fp8_one_step_ms
how_many_of_at_most_of_sixteen_bytes_16 = how_many(
    at_most(sixteen_bytes_bf16_16_steps_ms / ms("sixteen_bytes", type="bf16", steps=1), 1.1),
    at_most(sixteen_bytes_16_steps_over_one_step_fp8, 1.1),
)
sixteen_steps = choice(
    """Each number now goes through 16 multiplications and additions, one after the other. Which types take at most 10% longer than with one?""",
    {
        "float only": less(how_many_of_at_most_of_sixteen_bytes_16, 1),
        "float and bf16": between(1, how_many_of_at_most_of_sixteen_bytes_16, 2),
        "all of them": at_least(how_many_of_at_most_of_sixteen_bytes_16, 2),
    },
    right="float and bf16",
    fold="""Float takes {sixteen_bytes_float_16_steps_ms} ms with 16, bf16 {sixteen_bytes_bf16_16_steps_ms}, and fp8 {sixteen_bytes_fp8_16_steps_ms} instead of {sixteen_bytes_fp8_one_step_ms}.""",
)

# Memory transactions

count_counts = counts(
    "34_narrow_types",
    where=lambda row: row.steps == 1 or row.rows,
    columns="variant, type, load_requests, load_sectors, load_sectors_per_request, store_sectors",
)
claim(
    "a quarter of the bits are a quarter of the sectors",
    equal(
        count("sixteen_bytes", "load_sectors", type="float", steps=1),
        4 * count("sixteen_bytes", "load_sectors", type="fp8", steps=1),
    ),
)
claim(
    "one number per thread takes as many requests, whatever it is",
    equal(count("element", "load_requests", type="float"), count("element", "load_requests", type="fp8")),
)
claim(
    "a row that waits is read once",
    equal(2 * count("row_once", "load_sectors", type="fp8"), count("row_twice", "load_sectors", type="fp8")),
)

# Results

roofline_chart = chart(
    "34_narrow_types",
    where=lambda row: row.variant == "sixteen_bytes",
    x="steps",
    lines="type",
    name="roofline",
    title="16 bytes per thread, by steps for each number",
)
measure_table = table("34_narrow_types", where=lambda row: row.steps, columns="variant, type, steps, ms, cold, copy")
rows_to_fp8_table = table(
    "34_narrow_types", where=lambda row: row.rows or row.task == "rows to fp8", columns="variant, type, ms, cold, copy"
)
measure_table_2 = table(
    "34_narrow_types",
    where=lambda row: row.n < 2**28 and (row.rows or row.steps == 1),
    every_size=True,
    columns="n, variant, type, ms, cold",
)

element_float_ms_cents = value(element_float_ms, ".2f")
element_bf16_ms_cents = value(ms("element", type="bf16"), ".2f")
element_fp8_ms_cents = value(element_fp8_ms, ".2f")
element_int8_ms_cents = value(ms("element", type="int8"), ".2f")
float_one_step_ms_cents = value(sixteen_bytes_float_one_step_ms, ".2f")
bf16_one_step_ms = ms("sixteen_bytes", type="bf16", steps=1)
bf16_one_step_ms_cents = value(bf16_one_step_ms, ".2f")
fp8_one_step_ms_cents = value(sixteen_bytes_fp8_one_step_ms, ".2f")
int8_one_step_ms_cents = value(ms("sixteen_bytes", type="int8", steps=1), ".2f")
claim(
    "with 16 bytes per thread half of the bytes take half of the time",
    level(bf16_one_step_ms, sixteen_bytes_float_one_step_ms / 2, within=0.03),
)

# One number per thread: block launch is the bottleneck

element_float_over_fp8 = value(element_float_ms / element_fp8_ms, ".1f")
launch_ns = value(ns("launch", chapter="23", threads=256), ".2f")
times_1mi_launch_ms = value(2**20 * launch_ns / 10**6, ".2f")
fp8_sixteen_over_element = value(sixteen_bytes_fp8_one_step_ms / element_fp8_ms, ".0%")
element_fp8_over_times_1mi_launch_time = element_fp8_ms / times_1mi_launch_ms
claim(
    "eight bits one by one take what it takes to launch the blocks",
    between(1, element_fp8_over_times_1mi_launch_time, 1.1),
    between(1, ms("element", type="int8") / times_1mi_launch_ms, 1.1),
)
claim("one number per thread hardly gains by being narrow", at_least(element_fp8_over_float_time, 0.65))
claim("sixteen bytes per thread do", at_most(sixteen_bytes_fp8_one_step_ms / sixteen_bytes_float_one_step_ms, 0.35))

# The smaller the type, the earlier arithmetic is the bottleneck

step_ms_exact = value(step_ms, ".4f")
fp8_one_step_ms_mills = value(sixteen_bytes_fp8_one_step_ms, ".3f")
steps_1 = value(sixteen_bytes_fp8_one_step_ms - 1 * step_ms, ".3f")
int8_one_step_ms = value(ms("sixteen_bytes", type="int8", steps=1), ".3f")
steps_1_0_140 = value(int8_one_step_ms - 1 * step_ms, ".3f")
fp8_4_steps_ms = value(ms("sixteen_bytes", type="fp8", steps=4), ".3f")
steps_4 = value(fp8_4_steps_ms - 4 * step_ms, ".3f")
int8_4_steps_ms = value(ms("sixteen_bytes", type="int8", steps=4), ".3f")
steps_4_0_160 = value(int8_4_steps_ms - 4 * step_ms, ".3f")
fp8_16_steps_ms_mills = value(sixteen_bytes_fp8_16_steps_ms, ".3f")
steps_16 = value(sixteen_bytes_fp8_16_steps_ms - 16 * step_ms, ".3f")
int8_16_steps_ms = value(ms("sixteen_bytes", type="int8", steps=16), ".3f")
steps_16_0_257 = value(int8_16_steps_ms - 16 * step_ms, ".3f")
fp8_64_steps_ms = value(ms("sixteen_bytes", type="fp8", steps=64), ".3f")
times_64_step_ms = value(64 * step_ms, ".2f")
steps_64 = value(fp8_64_steps_ms - times_64_step_ms, ".3f")
int8_64_steps_ms = value(ms("sixteen_bytes", type="int8", steps=64), ".3f")
steps_64_0_641 = value(int8_64_steps_ms - times_64_step_ms, ".3f")
steps_64_over_step_ms = value(steps_64 / step_ms, ".0f")
sixteen_bytes_fp8_gb = value(gb("sixteen_bytes", type="fp8", steps=1), ",.0f")
sixteen_bytes_float_gb = value(gb("sixteen_bytes", type="float", steps=1), ",.0f")
sixteen_bytes_int8_gb = value(gb("sixteen_bytes", type="int8", steps=1), ",.0f")
int8_growth_beyond_bytes = value(
    ms("sixteen_bytes", type="int8", steps=1, n=2**28) - ms("sixteen_bytes", type="int8", steps=1, n=2**24), ".3f"
)
float_growth_ms = value(
    ms("sixteen_bytes", type="float", steps=1, n=2**28) - ms("sixteen_bytes", type="float", steps=1, n=2**24), ".3f"
)
times_64ki_launch_ms = value(2**16 * launch_ns / 10**6, ".2f")
claim(
    "from 16 Mi numbers to 256 Mi int8 grows by more than a quarter of what floats do",
    less(1.03 * float_growth_ms / 4, int8_growth_beyond_bytes),
)
float_64_steps_ms = value(ms("sixteen_bytes", type="float", steps=64), ".2f")
claim(
    "what is around the steps of fp8 takes as long with 4 steps as with 64",
    level(steps_4, steps_64, within=0.03),
    level(steps_16, steps_64, within=0.03),
)
claim(
    "four steps cost an int8 nothing", level(int8_4_steps_ms, int8_one_step_ms, within=0.02)
)
sixteen_bytes_bf16_64_steps_ms = ms("sixteen_bytes", type="bf16", steps=64)
claim(
    "floats are last at 64 steps",
    at_least(float_64_steps_ms / sixteen_bytes_bf16_64_steps_ms, 1.1),
    at_least(float_64_steps_ms / fp8_64_steps_ms, 1.1),
)
claim(
    "sixteen steps cost a float nothing",
    at_most(sixteen_bytes_float_16_steps_ms / sixteen_bytes_float_one_step_ms, 1.05),
)
claim("and an fp8 a lot", at_least(sixteen_bytes_16_steps_over_one_step_fp8, 1.5))
claim(
    "with much arithmetic, low-precision numbers are no faster",
    at_least(fp8_64_steps_ms / float_64_steps_ms, 0.8),
)
claim("numbers of 8 bits reach less than floats", at_most(sixteen_bytes_fp8_gb / sixteen_bytes_float_gb, 0.97))
times_32_step_ms = value(32 * step_ms, ".2f")
pairs_ms = value(ms("pairs", steps=64), ".2f")
bf16_pairs_share = value(pairs_ms / sixteen_bytes_bf16_64_steps_ms, ".0%")
claim("pairs gain little", between(0.75, bf16_pairs_share, 1))

# `row_twice` waits for one load at a time

row_twice_ms = ms("row_twice", type="fp8")
row_once_fp8_ms = ms("row_once", type="fp8")
row_once_gb = gb("row_once", type="fp8")
row_again_gb = gb("row_again", chapter="claim_lost", threads=256, type="fp8")
claim("reading a row twice with hints loses to a row in registers", at_least(row_once_gb / row_again_gb, 1.1))
passes_quantise = dict(chapter="claim_passes", threads=256, task="quantise rows")
read_twice_before_ms = value(
    ms("two_passes", load_bytes=2, at_once=1, change="one at a time", **passes_quantise),
    ".2f",
)
two_passes_load_2_once_1_ms = value(
    ms("two_passes", load_bytes=2, at_once=1, change="none", **passes_quantise),
    ".2f",
)
two_passes_load_2_once_8_ms = value(
    ms("two_passes", load_bytes=2, at_once=8, change="none", **passes_quantise),
    ".2f",
)
two_passes_load_16_ms = value(
    ms("two_passes", load_bytes=16, at_once=8, change="none", **passes_quantise),
    ".3f",
)
in_registers_load_2_ms = value(
    ms("in_registers", load_bytes=2, at_once=8, change="none", **passes_quantise),
    ".2f",
)
in_registers_load_16_ms = value(
    ms("in_registers", load_bytes=16, at_once=8, change="none", **passes_quantise),
    ".3f",
)
read_twice_over_load_before = two_passes_load_2_once_1_ms / read_twice_before_ms
load_before_saves = value(1 - read_twice_over_load_before, ".0%")
two_passes_over_in_registers = two_passes_load_16_ms / in_registers_load_16_ms
second_reading_costs = value(two_passes_over_in_registers - 1, ".0%")
claim(
    "reading twice with one load at a time takes what row_twice takes",
    between(0.93, read_twice_before_ms / row_twice_ms, 1.02),
)
claim("several loads in flight save more than a third of it", at_most(read_twice_over_load_before, 0.67))
claim("with wide loads a row read twice is quantised nearly as fast", at_most(two_passes_over_in_registers, 1.15))
claim("quantising to int8 takes as long as to fp8", level(ms("row_once", type="int8"), row_once_fp8_ms, within=0.02))
claim("a row that waits is faster, by more than it saves of the memory", at_most(row_once_fp8_ms / row_twice_ms, 0.75))
torch_compile_gb = gb("torch.compile", result="rows to fp8")
torch = parameter("torch.compile", "torch", result="rows to fp8")
torch_mode = parameter("torch.compile", "mode", result="rows to fp8")
row_once_over_triton = value(row_once_gb / gb("triton", result="rows to fp8"), ".2f")
claim(
    "it ties with PyTorch's compiler in its best mode, and ahead of Triton's kernel",
    level(torch_compile_gb, row_once_gb, within=0.03),
    at_least(row_once_over_triton, 1.03),
)
gate_vectors_gb = gb("gate_vectors")
gate_tiles_gb = gb("gate_tiles", threads=512)
gate_last_gb = gb("gate_vectors_evict_last")
gate_torch_compile_gb = gb("torch.compile", result="silu(x) y")
gate_torch_gb = gb("torch", result="silu(x) y")
claim(
    "the gate ties with PyTorch's compiler",
    level(gate_vectors_gb, gate_torch_compile_gb, within=0.03),
    level(gate_tiles_gb, gate_torch_compile_gb, within=0.03),
    level(gate_last_gb, gate_torch_compile_gb, within=0.03),
    at_most(gate_torch_gb / gate_torch_compile_gb, 0.7),
)
stream_2_1_gb = gb("stream", chapter="24", mix="2:1")
claim(
    "a quantisation and the gate are as fast as the stream of their mix, and faster than a copy",
    level(row_once_gb, stream_2_1_gb, within=0.02),
    level(gate_vectors_gb, stream_2_1_gb, within=0.02),
    more(stream_2_1_gb / device("copy_gb_per_s"), 1.01),
)

# A smaller type gains nothing if bytes are not the bottleneck

step_ms_cents = value(step_ms, ".2f")
fp8_thread_1_bytes = value(sixteen_bytes_float_one_step_ms / 4, ".2f")
times_17_step_ms = value(17 * step_ms, ".2f")
times_256ki_launch_ms = value(2**18 * launch_ns / 10**6, ".2f")
times_80_step_ms = value(80 * step_ms, ".2f")
fp8_64_steps_ms_cents = value(fp8_64_steps_ms, ".2f")
add_up_float_64_steps = value(float_64_steps_ms / times_64_step_ms - 1, ".0%")
claim(
    "where the second of the three is less than a third, the longest is the time",
    at_most(times_17_step_ms / times_1mi_launch_ms, 0.33),
    between(1, element_fp8_over_times_1mi_launch_time, 1.1),
    at_most(times_256ki_launch_ms / sixteen_bytes_float_one_step_ms, 0.33),
    at_most(fp8_thread_1_bytes / times_80_step_ms, 0.33),
    between(0.97, fp8_64_steps_ms / times_80_step_ms, 1.03),
)
claim(
    "no time is more than the sum of the two longest, and two are far more than the longest",
    at_least(element_float_ms / times_1mi_launch_ms, 1.2),
    less(element_float_ms, sixteen_bytes_float_one_step_ms + times_1mi_launch_ms),
    at_least(float_64_steps_ms / times_64_step_ms, 1.2),
    less(float_64_steps_ms, sixteen_bytes_float_one_step_ms + times_64_step_ms),
    at_least(sixteen_bytes_fp8_one_step_ms / step_ms, 17),
    less(sixteen_bytes_fp8_one_step_ms, fp8_thread_1_bytes + times_17_step_ms),
)
bf16_bytes_ms = value(sixteen_bytes_float_one_step_ms / 2, ".2f")
bf16_steps_left_ms = value(sixteen_bytes_bf16_64_steps_ms - times_64_step_ms, ".2f")
steps_left_for_floats = value((sixteen_bytes_float_one_step_ms - bf16_steps_left_ms) // step_ms, ".0f")

# Experiments

add_first = change(
    """
in flips.cuh
- x = x * factor + term;
+ x = (x + term) * factor;
$ ./run 34 --device cpu --n 64Ki
status 1
shows ^element .* FAILED
shows ^sixteen_bytes .* yes
"""
)
half_a_row = change(
    """
- row_once<T, 4, Hint::none>);
+ row_once<T, 2, Hint::none>);
$ ./run 34 --device cpu --variant row_once --n 64Ki
status 1
shows ^row_once .* FAILED
"""
)
halves = change(
    """
- -1.0F, 1.0F);
+ 0.5F, 1.0F);
$ ./run 34 --device cpu --variant element --n 64Ki
status 1
shows ^element .* FAILED
"""
)
