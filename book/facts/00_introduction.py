"""The facts of the page "GPU basics: SMs, warps, memory and your first kernel"."""

from tools.book.facts import *

page(
    "core",
    afterwards=[
        "say what a host, an SM, a warp and a sector are",
        "say what `<<<blocks, threads>>>` launches, and how a thread finds its element",
        "write, launch and run a small kernel of your own",
    ],
)
claim(
    "two kernels with the same sums, one nearly twice as slow",
    at_least(ratio(gb, "blocked_x4_loads_first", "blocked_x4", chapter="03", threads=256), 1.8),
)

# The machine

peak_over_memcpy_gb = device("peak_gb_per_s") / gb("memcpy", chapter="04", memory="pinned")
peak_over_link = round(peak_over_memcpy_gb / 10) * 10
claim("the link is far slower than device memory", at_least(peak_over_memcpy_gb, 40))
claim(
    "memory takes hundreds of nanoseconds to answer",
    between(200, ns("chase", chapter="21", table=GiB, order="random", cache="cold"), 1000),
)

# The launch

threads_of_the_launch = 4 * 256
element_of_thread_5 = 2 * 256 + 5
warps_of_a_block = 256 / 32

# What a warp's load looks like

basic_access = access("01_basic_vecadd", "basic", title="One load of a warp, one float per lane")
basic_per_load = count("basic", "load_sectors_per_request", chapter="01", threads=256)
threads_over_32 = threads_of_the_launch / 32
requests_of_the_loads = 2 * 4 * 256 / 32
sectors_per_request = value((31 * 4 + 1) / 32, ".2f")
claim("a load of neighbouring floats touches four sectors", equal(basic_per_load, 4))
misaligned_sectors = value((31 * 5 + 1 + 31 * 4 + 1) / 64, ".2f")

# Next steps

name = device("name")
