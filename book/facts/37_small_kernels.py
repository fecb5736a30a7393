"""The facts of the page "Launch overhead: CUDA graphs, programmatic dependent launch, persistent kernels"."""

from tools.book.facts import *


def added_ns(variant, steps):
    """ns that a step of so many takes longer than its share of one kernel that does all of them."""
    return ns(variant, n=2**26, needs="the last", steps=steps) - ns("together", n=2**26, needs="none", steps=steps)


page(
    "side",
    needs="04 23 28",
    afterwards=[
        "estimate launch overhead, and the kernel size below which it dominates",
        "choose between a graph, programmatic launches, a persistent kernel, and one kernel for all",
    ],
)
launches_steps = value(parameter("launches", "steps", n=2**26, needs="the last", steps=1024), ",.0f")
launches_64mi_the_last_1ki_steps_ms = value(ms("launches", n=2**26, needs="the last", steps=1024), ".2f")
launches_the_last_one_step_ms = ms("launches", n=2**26, needs="the last", steps=1)
launches_over_one_kernel = value(launches_64mi_the_last_1ki_steps_ms / launches_the_last_one_step_ms, ".0f")

# Predict

launches_the_last_1ki_steps_ns = ns("launches", n=2**26, needs="the last", steps=1024)
last_1ki_steps_us = value(0.001 * launches_the_last_1ki_steps_ns, ".1f")
launches_the_last_one_step_us_kib = value(1000.0 * launches_the_last_one_step_ms / 1024, ".2f")
a_launch = choice(
    """1,024 kernels are launched one after the other, each of which reads what the one before has written, 256 KiB, and writes as much. How long does each take on average, from the first call to the end of the last kernel?""",
    {
        "less than half a microsecond, as its bytes would": less(last_1ki_steps_us, 0.5),
        "two to five microseconds": between(2, last_1ki_steps_us, 5),
        "more than ten": more(last_1ki_steps_us, 10),
    },
    right="two to five microseconds",
    fold="""{last_1ki_steps_us} microseconds; as part of one launch, the same bytes take {launches_the_last_one_step_us_kib}.""",
)
persistent_ms = value(ms("persistent", n=2**26, needs="the last", steps=1024), ".2f")
graph_64mi_ms = ms("graph", n=2**26, needs="the last", steps=1024)
programmatic_graph_1ki_steps_ms = ms("programmatic_graph", n=2**26, needs="the last", steps=1024)
fastest_chain = order(
    """Each of 1,024 steps depends on the one before. A graph starts all launches with one call; a programmatic dependent launch may begin before the previous kernel has ended. Order these methods, the fastest first.""",
    "smallest",
    {
        "launches": launches_64mi_the_last_1ki_steps_ms,
        "a graph of launches": graph_64mi_ms,
        "a graph of programmatic dependent launches": programmatic_graph_1ki_steps_ms,
    },
    form=".2f",
    fold="""The numbers are milliseconds. A persistent kernel with grid barriers takes {persistent_ms}.""",
)
launches_64mi_none_1ki_steps_ms = value(ms("launches", n=2**26, needs="none", steps=1024), ".2f")
streams_1ki_steps_ms = value(ms("streams", n=2**26, needs="none", steps=1024), ".2f")
launches_64mi_none_over_streams_1ki_steps = launches_64mi_none_1ki_steps_ms / streams_1ki_steps_ms
four_streams = choice(
    """1,024 independent steps use four streams instead of one. By what factor are they faster?""",
    {
        "1.3 at most": at_most(launches_64mi_none_over_streams_1ki_steps, 1.3),
        "about 2": between(1.6, launches_64mi_none_over_streams_1ki_steps, 2.5),
        "about 4": more(launches_64mi_none_over_streams_1ki_steps, 3),
    },
    right="1.3 at most",
    fold="""{launches_64mi_none_1ki_steps_ms} ms with one stream, {streams_1ki_steps_ms} with four. The host launches one kernel at a time.""",
)

# Changes

launches_n_mib = value(parameter("launches", "n", n=2**26, needs="the last", steps=1) / 2**20, ".0f")

# Memory transactions

the_last_counts = counts(
    "37_small_kernels",
    where=lambda row: row.needs == "the last" and row.steps in (1, 1024) and row.load_requests,
    columns="variant, steps, load_requests, load_sectors, store_sectors",
)
claim(
    "how steps are launched changes no sector",
    equal(
        count("launches", "load_sectors", needs="the last", steps=1024),
        count("persistent", "load_sectors", needs="the last", steps=1024),
        count("graph", "load_sectors", needs="the last", steps=1024),
    ),
)

# Results

chain_chart = chart(
    "37_small_kernels",
    where=lambda row: row.needs == "the last" and row.n == 2**26 and (row.steps == 1024),
    every_size=True,
    bars="ns",
    name="chain",
    title="A step of a chain of 1,024",
)
the_last_table = table(
    "37_small_kernels",
    where=lambda row: row.needs == "the last" and row.n == 2**26,
    every_size=True,
    columns="steps, variant, ms, ns",
)
none_8_steps_us = value(ns("launches", n=2**26, needs="none", steps=8) / 1000, ".1f")
streams_8_steps_us = value(ns("streams", n=2**26, needs="none", steps=8) / 1000, ".1f")
together_8_steps_us = value(ns("together", n=2**26, needs="none", steps=8) / 1000, ".1f")
none_32_steps_us = value(ns("launches", n=2**26, needs="none", steps=32) / 1000, ".1f")
streams_32_steps_us = value(ns("streams", n=2**26, needs="none", steps=32) / 1000, ".1f")
together_32_steps_us = value(ns("together", n=2**26, needs="none", steps=32) / 1000, ".1f")
launches_none_128_steps_ns = ns("launches", n=2**26, needs="none", steps=128)
none_128_steps_us = value(launches_none_128_steps_ns / 1000, ".1f")
streams_128_steps_ns = ns("streams", n=2**26, needs="none", steps=128)
streams_128_steps_us = value(streams_128_steps_ns / 1000, ".1f")
together_128_steps_us = value(ns("together", n=2**26, needs="none", steps=128) / 1000, ".1f")
launches_none_1ki_steps_ns = ns("launches", n=2**26, needs="none", steps=1024)
none_1ki_steps_us = value(launches_none_1ki_steps_ns / 1000, ".1f")
streams_1ki_steps_ns = ns("streams", n=2**26, needs="none", steps=1024)
streams_1ki_steps_us = value(streams_1ki_steps_ns / 1000, ".1f")
together_1ki_steps_ns = ns("together", n=2**26, needs="none", steps=1024)
together_1ki_steps_us = value(together_1ki_steps_ns / 1000, ".1f")
none_table = table(
    "37_small_kernels",
    where=lambda row: row.needs == "none" and row.n == 2**26,
    every_size=True,
    columns="steps, variant, ms, ns",
)
the_last_table_2 = table(
    "37_small_kernels",
    where=lambda row: row.needs == "the last" and row.n < 2**26 and (row.steps in (32, 1024)),
    every_size=True,
    columns="n, steps, variant, ms, ns",
)

# A graph adds less to a step than a launch

launches_added_32_ns = added_ns("launches", 32)
launches_added_32_us = value(0.001 * launches_added_32_ns, ".1f")
graph_added_32_ns = added_ns("graph", 32)
graph_added_32_us = value(0.001 * graph_added_32_ns, ".1f")
programmatic_graph_added_32_ns = added_ns("programmatic_graph", 32)
programmatic_added_32_us = value(0.001 * programmatic_graph_added_32_ns, ".1f")
persistent_added_32_us = value(0.001 * added_ns("persistent", 32), ".1f")
launches_added_128_ns = added_ns("launches", 128)
launches_added_128_us = value(0.001 * launches_added_128_ns, ".1f")
graph_added_128_ns = added_ns("graph", 128)
graph_added_128_us = value(0.001 * graph_added_128_ns, ".1f")
programmatic_graph_added_128_ns = added_ns("programmatic_graph", 128)
programmatic_added_128_us = value(0.001 * programmatic_graph_added_128_ns, ".1f")
persistent_added_128_us = value(0.001 * added_ns("persistent", 128), ".1f")
launches_added_1ki_us = value(0.001 * added_ns("launches", 1024), ".1f")
graph_added_1ki_ns = added_ns("graph", 1024)
graph_added_1ki_us = value(0.001 * graph_added_1ki_ns, ".1f")
programmatic_graph_added_1ki_ns = added_ns("programmatic_graph", 1024)
programmatic_added_1ki_us = value(0.001 * programmatic_graph_added_1ki_ns, ".1f")
persistent_added_1ki_us = value(0.001 * added_ns("persistent", 1024), ".1f")
no_overlap_programmatic = value(
    1 - ms("programmatic", n=2**26, needs="the last", steps=1) / launches_the_last_one_step_ms, ".0%"
)
split_attention_minus_graph_ms = ms("split_attention", chapter="39") - ms("graph", chapter="39")
graph_saves_us_each = value(1000 * split_attention_minus_graph_ms / 4, ".1f")
small_launches_1ki_steps_us = value(0.001 * ns("launches", n=2**24, needs="the last", steps=1024), ".1f")
streams_1ki_steps_us_2 = value(0.001 * streams_1ki_steps_ns, ".1f")
launches_step_128_us = value(2 + launches_added_128_us, ".1f")
launches_300_added_ms = value(300 * launches_step_128_us / 1000, ".2f")
graph_300_added_ms = value(300 * (2 + graph_added_128_us) / 1000, ".2f")
early_300_added_ms = value(300 * (2 + programmatic_added_128_us) / 1000, ".2f")
claim(
    "a graph adds less than a launch, and programmatic launches less than a plain graph",
    less(graph_added_128_ns, launches_added_128_ns),
    at_most(programmatic_graph_added_1ki_ns / graph_added_1ki_ns, 0.6),
)
launches_the_last_128_steps_ns = ns("launches", n=2**26, needs="the last", steps=128)
claim(
    "with 1024 steps the host is behind, since four streams do not help",
    at_least(streams_1ki_steps_ns / launches_the_last_1ki_steps_ns, 0.6),
)

# The host launches one at a time

host_limit_chain_us = value(0.001 * (launches_the_last_1ki_steps_ns - launches_added_128_ns), ".1f")
launches_gb = gb("launches", n=2**26, needs="the last", steps=1)
claim(
    "four streams help steps of megabytes and not the smallest",
    at_most(ratio(ms, "streams", "launches", n=2**26, needs="none", steps=32), 1),
    at_least(streams_1ki_steps_ms / launches_64mi_none_1ki_steps_ms, 0.75),
)

# With a graph, the gap between kernels remains

graph_1ki_steps_us = value(0.001 * ns("graph", n=2**26, needs="the last", steps=1024), ".1f")
programmatic_graph_us = value(0.001 * ns("programmatic_graph", n=2**26, needs="the last", steps=1024), ".1f")
programmatic_1ki_steps_ms = ms("programmatic", n=2**26, needs="the last", steps=1024)
early_without_graph_gain = value(1 - programmatic_1ki_steps_ms / launches_64mi_the_last_1ki_steps_ms, ".0%")
claim(
    "a graph takes the host out, and early launches take more",
    at_most(graph_64mi_ms / launches_64mi_the_last_1ki_steps_ms, 0.75),
    at_most(programmatic_graph_1ki_steps_ms / graph_64mi_ms, 0.75),
)
claim("early launches without a graph wait for the host", at_least(programmatic_1ki_steps_ms / graph_64mi_ms, 1.5))

# A persistent kernel with grid barriers is no faster than a graph

persistent_ns = ns("persistent", n=2**26, needs="the last", steps=1024)
persistent_us = value(0.001 * persistent_ns, ".1f")
chase_1mi_ns = value(ns("chase", table=MiB, order="random", chapter="21"), ".0f")
chase_1gi_ns = value(ns("chase", table=GiB, order="random", chapter="21"), ".0f")
thrice_chase_1mi_and_chase_1gi_ns = 3 * chase_1mi_ns + chase_1gi_ns
thrice_1mi_and_1gi_us = value(thrice_chase_1mi_and_chase_1gi_ns / 1000, ".2f")
claim(
    "the trips that it names are a third to a half of a step",
    between(0.33, thrice_chase_1mi_and_chase_1gi_ns / persistent_ns, 0.5),
)
claim(
    "a kernel that waits for itself is slower than early launches in a graph",
    at_least(persistent_ms / programmatic_graph_1ki_steps_ms, 1.2),
)

# Launch overhead is negligible for longer kernels

kernel_moves_8 = value(2**29 / 8 / MiB, ".3g")
last_8_steps_us = value(0.001 * ns("launches", n=2**26, needs="the last", steps=8), ".1f")
best_way_faster_8 = value(
    ratio(ms, "launches", "programmatic_graph", n=2**26, needs="the last", steps=8),
    ".2f",
)
kernel_moves_32 = value(2**29 / 32 / MiB, ".3g")
last_32_steps_us = value(0.001 * ns("launches", n=2**26, needs="the last", steps=32), ".1f")
best_way_faster_32 = value(
    ratio(ms, "launches", "programmatic_graph", n=2**26, needs="the last", steps=32),
    ".2f",
)
kernel_moves_128 = value(2**29 / 128 / MiB, ".3g")
last_128_steps_us = value(0.001 * launches_the_last_128_steps_ns, ".1f")
best_way_faster_128 = value(
    ratio(ms, "launches", "programmatic_graph", n=2**26, needs="the last", steps=128),
    ".2f",
)
kernel_moves_1024 = value(2**29 / 1024 / MiB, ".3g")
best_way_faster_1024 = value(launches_64mi_the_last_1ki_steps_ms / programmatic_graph_1ki_steps_ms, ".2f")
claim("small steps gain most by a graph of early launches", less(2 * best_way_faster_8, best_way_faster_1024))

# Independent steps belong in one launch

together_ms = value(ms("together", n=2**26, needs="none", steps=1024), ".3f")
launches_over_together = value(launches_64mi_none_1ki_steps_ms / together_ms, ".0f")
claim(
    "one launch for all is as fast as no steps",
    at_most(together_ms / ms("launches", n=2**26, needs="none", steps=1), 1.3),
)

# Experiments

no_barrier = change(
    """
in persistent.cuh
- cooperative_groups::this_grid().sync();
+ // nothing
$ ./run 37 --device cpu --variant persistent --n 64Ki
status 1
shows ^persistent .* FAILED
"""
)
own_word = change(
    """
in steps.cuh
- return previous == nullptr ? x : x + __ldcg(&previous[i + 1 == step_words ? 0 : i + 1]);
+ return previous == nullptr ? x : x + __ldcg(&previous[i]);
$ ./run 37 --device cpu --variant launches --n 64Ki
status 1
shows ^launches .* FAILED
"""
)
small_blocks = change(
    """
- constexpr unsigned threads = 512;
+ constexpr unsigned threads = 64;
$ ./run 37 --device cpu --n 64Ki
shows ^launches .* yes
"""
)
times_1mi_launch_ms = value(2**20 * ns("launch", threads=64, chapter="23") / 1000000.0, ".2f")
together_ms_cents = value(together_ms, ".2f")
