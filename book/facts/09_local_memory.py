"""The facts of the page "Local memory: per-thread arrays and register spills"."""

from tools.book.facts import *

page("side", needs="07", afterwards=["recognise local memory, and avoid it", "estimate what a register cap costs"])

# Predict

rotate_local_load_requests = counter("rotate_local", "local_load_requests")
rotate_registers_local_load_requests = counter("rotate_registers", "local_load_requests")
an_array_of_a_thread = choice(
    """A thread keeps 32 numbers in an array `float x[32]`. Where is it: in registers or in memory?""",
    {
        "in registers": equal(rotate_local_load_requests, 0),
        "in memory": more(rotate_registers_local_load_requests, 0),
        "in registers if the compiler knows every index, else in memory": both(
            more(rotate_local_load_requests, 0), equal(rotate_registers_local_load_requests, 0)
        ),
    },
    right="in registers if the compiler knows every index, else in memory",
    fold="""With an index that depends on the thread, each element takes one local load ({rotate_local_load_requests} requests of 32 lanes for 2^20
elements); with known indices there are {rotate_registers_local_load_requests}.""",
)
rotate_registers_gb = gb("rotate_registers")
rotate_capped_gb = gb("rotate_capped")
rotate_capped_32_gb = gb("rotate_capped_32")
most_rotate_capped_gb = max(rotate_capped_gb, rotate_capped_32_gb)
most_rotate_capped_over_rotate_registers = most_rotate_capped_gb / rotate_registers_gb
fewer_registers = choice(
    """A kernel that needs 80 registers per thread is capped at 64 or 32, so that more warps fit on an SM. Does it get faster?""",
    {
        "yes": at_least(most_rotate_capped_over_rotate_registers, 1.02),
        "it makes no difference": level(most_rotate_capped_gb, rotate_registers_gb, within=0.02),
        "no, it gets slower": at_most(most_rotate_capped_over_rotate_registers, 0.98),
    },
    right="no, it gets slower",
    fold="""{rotate_registers_gb} GB/s without a cap, {rotate_capped_gb} with 64 registers, {rotate_capped_32_gb} with 32: the
compiler moves values to local memory.""",
)
rotate_local_ms = value(ms("rotate_local"), ".2f")
rotate_registers_ms = value(ms("rotate_registers"), ".2f")
local_over_registers = value(rotate_local_ms / rotate_registers_ms, ".1f")
what_the_index_costs = number(
    """The array lies in local memory because its index depends on the thread. How many times as long does the kernel take as with the array in registers?""",
    local_over_registers,
    "a factor of 1.3",
    unit="times",
    fold="""{rotate_local_ms} ms instead of {rotate_registers_ms}.""",
)

# Memory transactions

count_local_memory = counts(
    "09_local_memory",
    where=lambda row: row.variant in ("rotate_local", "rotate_registers", "rotate_capped", "rotate_capped_32"),
    columns="variant, load_sectors, local_store_requests, local_store_sectors, local_load_requests, local_load_sectors",
)
rotate_local_load_sectors = count("rotate_local", "local_load_sectors")
rotate_local_load_requests_counted = count("rotate_local", "local_load_requests")
sectors_a_local_load = rotate_local_load_sectors / rotate_local_load_requests_counted
rotate_local_store_sectors = count("rotate_local", "local_store_sectors")
rotate_local_store_requests = count("rotate_local", "local_store_requests")
claim(
    "stores with one index in all lanes are coalesced",
    equal(rotate_local_store_sectors, 4 * rotate_local_store_requests),
)
claim(
    "loads with an index each touch one sector per lane",
    equal(rotate_local_load_sectors, 32 * rotate_local_load_requests_counted),
)
claim(
    "unrolled, there is no local memory",
    equal(count("rotate_registers", "local_load_requests"), 0),
    equal(count("rotate_registers", "local_store_requests"), 0),
)

# Results

rotations_chart = chart(
    "09_local_memory",
    where=lambda row: row.variant in ("rotate_local", "rotate_registers", "rotate_capped", "rotate_capped_32"),
    name="rotations",
    title="One rotation of 32 elements per thread",
)
measure_rotations = table(
    "09_local_memory",
    where=lambda row: row.variant in ("rotate_local", "rotate_registers", "rotate_capped", "rotate_capped_32"),
    columns="variant, registers, local_bytes, occupancy, ms, cold",
)
registers_copy_share = value(copy_share("rotate_registers"), ".0%")
rotate_local_gb = gb("rotate_local")
local_behind_registers = value(1 - rotate_local_gb / rotate_registers_gb, ".0%")
capped_behind_registers = value(1 - rotate_capped_gb / rotate_registers_gb, ".0%")
rotate_capped_32_over_registers = rotate_capped_32_gb / rotate_registers_gb
capped_32_behind_registers = value(1 - rotate_capped_32_over_registers, ".0%")
claim(
    "unrolled into registers the rotation is as fast as a copy, to a few percent",
    more(registers_copy_share, 0.94),
)
claim("local memory costs a third at least", at_most(rotate_local_gb / rotate_registers_gb, 0.67))
claim("a cap at 64 registers costs a few percent", between(0.85, rotate_capped_gb / rotate_registers_gb, 0.97))
claim("a cap at 32 costs two thirds", at_most(rotate_capped_32_over_registers, 0.36))
registers_occupancy = value(parameter("rotate_registers", "occupancy"), ".0%")
rotate_capped_32_occupancy = parameter("rotate_capped_32", "occupancy")
claim(
    "the caps raise the occupancy",
    ascending(registers_occupancy, parameter("rotate_capped", "occupancy"), rotate_capped_32_occupancy),
)
toolkit = environment("toolkit")

# An index unknown at compile time puts the array into local memory

index_into_array = counters(
    "09_local_memory",
    where=lambda row: row.variant in ("rotate_local", "rotate_registers", "rotate_capped", "rotate_capped_32"),
    columns="variant, local_store_requests, local_store_sectors, local_load_requests, local_load_sectors, local_load_hit_sectors",
)
rotate_local_load_sectors_hardware = counter("rotate_local", "local_load_sectors")
rotate_local_store_requests_hardware = counter("rotate_local", "local_store_requests")
claim(
    "the CPU device counts the local memory of the hardware",
    equal(rotate_local_load_sectors_hardware, rotate_local_load_sectors),
    equal(rotate_local_load_requests, rotate_local_load_requests_counted),
    equal(counter("rotate_local", "local_store_sectors"), rotate_local_store_sectors),
    equal(rotate_local_store_requests_hardware, rotate_local_store_requests),
)
claim(
    "without the index there is no local memory on hardware either",
    equal(rotate_registers_local_load_requests, 0),
    equal(counter("rotate_registers", "local_store_requests"), 0),
)
read_once_l1_local = value(
    counter("rotate_local", "local_load_hit_sectors") / rotate_local_load_sectors_hardware, ".2%"
)
registers_large_l2_writes = value(counter("rotate_registers", "l2_write_sectors", large=True), ",.0f")
rotate_local_n = counter("rotate_local", "n")
local_words_stored = value(rotate_local_store_requests_hardware / (rotate_local_n / 1024), ".0f")
rotate_local_predicted = value(
    registers_large_l2_writes + local_words_stored * 2**21 / 8, ",.0f"
)
rotate_local_large_l2_write_sectors = value(counter("rotate_local", "l2_write_sectors", large=True), ",.0f")
capped_words_stored = value(
    counter("rotate_capped", "local_store_requests") / (counter("rotate_capped", "n") / 1024), ".0f"
)
rotate_capped_predicted = value(
    registers_large_l2_writes + capped_words_stored * 2**21 / 8, ",.0f"
)
rotate_capped_l2_write_sectors = value(counter("rotate_capped", "l2_write_sectors", large=True), ",.0f")
rotate_capped_32_local_store_requests = counter("rotate_capped_32", "local_store_requests")
rotate_capped_32_n = counter("rotate_capped_32", "n")
capped_32_words_stored = value(rotate_capped_32_local_store_requests / (rotate_capped_32_n / 1024), ".0f")
rotate_capped_32_predicted = value(
    registers_large_l2_writes + capped_32_words_stored * 2**21 / 8, ",.0f"
)
rotate_capped_32_l2_write_sectors = value(counter("rotate_capped_32", "l2_write_sectors", large=True), ",.0f")
local_predicted_thousands = value(rotate_local_predicted / 1000, ",.0f")
local_l2_writes_thousands = value(rotate_local_large_l2_write_sectors / 1000, ",.0f")
capped_predicted_thousands = value(rotate_capped_predicted / 1000, ",.0f")
capped_l2_writes_thousands = value(rotate_capped_l2_write_sectors / 1000, ",.0f")
capped_32_predicted_thousands = value(rotate_capped_32_predicted / 1000, ",.0f")
capped_32_l2_writes_thousands = value(rotate_capped_32_l2_write_sectors / 1000, ",.0f")
index_into_array_2 = counters(
    "09_local_memory",
    large=True,
    where=lambda row: row.variant in ("rotate_local", "rotate_registers", "rotate_capped", "rotate_capped_32"),
    columns="variant, l2_read_sectors, l2_write_sectors, dram_bytes_read, dram_bytes_written",
)
l1_sectors = value(
    counter("rotate_local", "local_load_hit_sectors", large=True)
    / counter("rotate_local", "local_load_sectors", large=True),
    ".0%",
)
l2_writes_over_registers = value(
    rotate_local_large_l2_write_sectors / registers_large_l2_writes, ".1f"
)
rotate_local_occupancy = parameter("rotate_local", "occupancy")
rotate_local_bytes = parameter("rotate_local", "local_bytes")
times_2ki_rotate_local_bytes_by_rotate = rotate_local_bytes * 2048 * rotate_local_occupancy
multiprocessors = device("multiprocessors")
resident_local_mib = value(times_2ki_rotate_local_bytes_by_rotate * multiprocessors / MiB, ".0f")
l2_bytes = device("l2_bytes")
l2_bytes_mib = value(l2_bytes / MiB, ".0f")
local_resident = value(2048 * rotate_local_occupancy, ",.0f")
through_l2_mib = value(local_resident * multiprocessors * 2 * 32 * 4 / MiB, ".0f")

# Kernel time follows L1-L2 traffic

rotate_registers_l2_sectors_large = l2_sectors("rotate_registers", large=True)
rotate_registers_l2_gb = value(4 * 32 * rotate_registers_l2_sectors_large / rotate_registers_ms / 10**6, ",.0f")
rotate_capped_ms = ms("rotate_capped")
capped_over_registers = value(rotate_capped_ms / rotate_registers_ms, ".2f")
rotate_registers_dram_bytes_large = dram_bytes("rotate_registers", large=True)
rotate_capped_dram_bytes = value(dram_bytes("rotate_capped", large=True) / rotate_registers_dram_bytes_large, ".2f")
rotate_capped_l2_sectors_large = l2_sectors("rotate_capped", large=True)
rotate_capped_l2_sectors = value(rotate_capped_l2_sectors_large / rotate_registers_l2_sectors_large, ".2f")
rotate_capped_l2_gb = value(4 * 32 * rotate_capped_l2_sectors_large / rotate_capped_ms / 10**6, ",.0f")
local_over_registers_time_cents = value(local_over_registers, ".2f")
rotate_local_dram_bytes_large = dram_bytes("rotate_local", large=True)
rotate_local_dram_bytes = value(rotate_local_dram_bytes_large / rotate_registers_dram_bytes_large, ".2f")
rotate_local_l2_sectors_large = l2_sectors("rotate_local", large=True)
rotate_local_l2_sectors = value(rotate_local_l2_sectors_large / rotate_registers_l2_sectors_large, ".2f")
rotate_local_l2_gb = value(4 * 32 * rotate_local_l2_sectors_large / rotate_local_ms / 10**6, ",.0f")
rotate_capped_32_ms = ms("rotate_capped_32")
capped_32_over_registers = value(rotate_capped_32_ms / rotate_registers_ms, ".2f")
capped_32_dram_bytes = value(
    dram_bytes("rotate_capped_32", large=True) / rotate_registers_dram_bytes_large, ".2f"
)
rotate_capped_32_l2_sectors_large = l2_sectors("rotate_capped_32", large=True)
capped_32_l2_sectors = value(rotate_capped_32_l2_sectors_large / rotate_registers_l2_sectors_large, ".2f")
rotate_capped_32_l2_gb = value(4 * 32 * rotate_capped_32_l2_sectors_large / rotate_capped_32_ms / 10**6, ",.0f")
stream_1_2_gb = gb("stream", mix="1:2", chapter="24")
rotate_local_busy_time = value(4 * rotate_local_dram_bytes_large / rotate_local_ms / 10**6 / stream_1_2_gb, ".0%")
local_ms = value(ms("rotate_local", chapter="claim_local"), ".3f")
rotate_by_warp_ms = value(ms("rotate_by_warp", chapter="claim_local"), ".3f")
rotate_shared_ms = value(ms("rotate_shared", chapter="claim_local"), ".3f")
shared_over_local = value(rotate_shared_ms / local_ms, ".0%")
registers_over_local = value(rotate_registers_ms / rotate_local_ms, ".0%")
rotate_local_l1_wavefronts = counter("rotate_local", "l1_wavefronts", large=True)
l1_data_pipe_wavefronts = value(
    (rotate_local_l1_wavefronts - counter("rotate_registers", "l1_wavefronts", large=True))
    / (2 * counter("rotate_local", "local_load_requests", large=True)),
    ".1f",
)
local_wavefronts_ms = value(4 * rotate_local_l1_wavefronts * ns("banks", chapter="25", degree=32) / 32 / 10**6, ".2f")
claim(
    "local memory and arrays together are more than the L2",
    less(l2_bytes, (rotate_local_bytes + 2 * 32 * 4) * 2048 * rotate_local_occupancy * multiprocessors),
)
sectors_miss = value(
    max(
        abs(local_over_registers / rotate_local_l2_sectors - 1),
        abs(capped_over_registers / rotate_capped_l2_sectors - 1),
        abs(capped_32_over_registers / capped_32_l2_sectors - 1),
    ),
    ".0%",
)
claim(
    "the time follows the sectors of the L2 to eight percent",
    level(local_over_registers, rotate_local_l2_sectors, within=0.08),
    level(capped_over_registers, rotate_capped_l2_sectors, within=0.08),
    level(capped_32_over_registers, capped_32_l2_sectors, within=0.08),
)
claim(
    "in all three the time grows by more than the bytes of DRAM",
    at_least(local_over_registers / rotate_local_dram_bytes, 1.05),
    at_least(capped_over_registers / rotate_capped_dram_bytes, 1.02),
    at_least(capped_32_over_registers / capped_32_dram_bytes, 1.05),
)
claim(
    "one line or 32, the time is the same, and shared memory takes most of the price away",
    level(rotate_by_warp_ms, local_ms, within=0.05),
    less(0.75 * (local_ms - rotate_registers_ms), local_ms - rotate_shared_ms),
)
claim(
    "the sectors of spilled words are predicted",
    level(rotate_capped_32_predicted, rotate_capped_32_l2_write_sectors, within=0.001),
)
rotate_local_dram_written = counter("rotate_local", "dram_bytes_written", large=True)
rotate_local_large_dram_read = counter("rotate_local", "dram_bytes_read", large=True)
claim(
    "at its mix of reads and writes DRAM is not full",
    less(4 * rotate_local_dram_bytes_large / rotate_local_ms / 10**6, 0.9 * stream_1_2_gb),
    between(1.5, rotate_local_dram_written / rotate_local_large_dram_read, 2),
)
claim(
    "the L2 could pass half as many bytes again",
    at_least(gb("stream_l2", mix="1:2", chapter="24") / rotate_capped_32_l2_gb, 1.45),
    at_most(rotate_capped_32_l2_write_sectors / counter("rotate_capped_32", "l2_read_sectors", large=True), 2),
)
claim("handing out the words is less than a third of the time", less(local_wavefronts_ms, 0.33 * rotate_local_ms))
claim(
    "at full size local memory writes DRAM twice over",
    at_least(rotate_local_dram_written / counter("rotate_registers", "dram_bytes_written", large=True), 1.7),
)
claim(
    "more bytes of DRAM are more than half of the longer time, at the rate of the fast kernel",
    less(0.5 * (local_over_registers - 1), rotate_local_dram_bytes - 1),
)
claim(
    "DRAM is read once by all rotations",
    level(counter("rotate_local", "dram_bytes_read"), 4 * rotate_local_n, within=0.02),
    level(counter("rotate_capped_32", "dram_bytes_read"), 4 * rotate_capped_32_n, within=0.02),
)
claim(
    "local stores reach L2",
    at_least(counter("rotate_local", "l2_write_sectors") / counter("rotate_registers", "l2_write_sectors"), 1.7),
)

# A register cap causes spills

rotate_registers = parameter("rotate_registers", "registers")
capped_words_stored_plain = value(capped_words_stored, None)
capped_32_words_a_thread = value(capped_32_words_stored, None)
capped_32_local_bytes = parameter("rotate_capped_32", "local_bytes")
capped_32_words = value(capped_32_local_bytes / 4, ".0f")
claim("free, the kernel needs 80 registers, as the question says", equal(rotate_registers, 80))
claim("a cap at 64 spills a few words", between(0, capped_words_stored, 20))
rotate_capped_32_local_load_requests = counter("rotate_capped_32", "local_load_requests")
capped_32_loads_per_thread = value(rotate_capped_32_local_load_requests / (rotate_capped_32_n / 1024), ".0f")
claim(
    "a cap at 32 spills more than the task moves",
    at_least(rotate_capped_32_local_store_requests / counter("rotate_capped_32", "store_requests"), 2),
    at_least(rotate_capped_32_local_load_requests / counter("rotate_capped_32", "load_requests"), 2),
)
capped_32_resident = value(2048 * rotate_capped_32_occupancy, ",.0f")
local_sm_kib = value(times_2ki_rotate_local_bytes_by_rotate / KiB, ".0f")
rotate_registers_dram_read = counter("rotate_registers", "dram_bytes_read", large=True)
local_dram_reads_over = value(rotate_local_large_dram_read / rotate_registers_dram_read, ".2f")
capped_32_sm_kib = value(capped_32_local_bytes * 2048 * rotate_capped_32_occupancy / KiB, ".0f")
rotate_capped_32_local_load_hit_sectors = counter("rotate_capped_32", "local_load_hit_sectors", large=True)
rotate_capped_32_local_load_sectors = counter("rotate_capped_32", "local_load_sectors", large=True)
capped_32_l1_sectors = value(
    rotate_capped_32_local_load_hit_sectors / rotate_capped_32_local_load_sectors, ".0%"
)
rotate_capped_32_large_dram_read = counter("rotate_capped_32", "dram_bytes_read", large=True)
capped_32_dram_reads_over = value(rotate_capped_32_large_dram_read / rotate_registers_dram_read, ".2f")
capped_32_lost_from_dram = value(
    (rotate_capped_32_large_dram_read - rotate_registers_dram_read)
    / 32
    / (rotate_capped_32_local_load_sectors - rotate_capped_32_local_load_hit_sectors),
    ".0%",
)
claim("nearly half of what L1 has lost comes from DRAM", between(0.4, capped_32_lost_from_dram, 0.5))
claim(
    "L1 holds what fits it and loses what does not",
    at_least(l1_sectors, 0.9),
    at_most(capped_32_l1_sectors, 0.75),
)
claim("the cap at 32 more than doubles the bytes of DRAM", at_least(capped_32_dram_bytes, 2))

# The kernel with the lowest occupancy is the fastest

registers_over_capped_32 = value(rotate_registers_gb / rotate_capped_32_gb, ".1f")
registers_kib_in_flight = registers_occupancy * 2048 * 32 * 4 / KiB
enough_kib_in_flight = 2048 * 16 / KiB
read_over_stream_4_0 = value(
    gb("read", chapter="22", width=16, loads=1, warps=64) / gb("stream", chapter="24", mix="4:0"), ".0%"
)
one_load_kib_in_flight = 2048 * 4 / KiB
claim("32 KiB in flight are enough", at_least(read_over_stream_4_0, 0.94))
claim(
    "the fewest warps, the most bandwidth",
    less(registers_occupancy, 0.5),
    at_least(registers_over_capped_32, 2.8),
)

# Experiments

local_to_shared = change(
    """
- float x[per_thread];
+ __shared__ float x[per_thread][threads];
- x[k] = i < n ? a[i] : 0.0f;
+ x[k][threadIdx.x] = i < n ? a[i] : 0.0f;
- c[i] = x[(k + threadIdx.x) % per_thread];
+ c[i] = x[(k + threadIdx.x) % per_thread][threadIdx.x];
$ ./run 09 --device cpu --variant rotate_local
holds count('rotate_local', 'local_load_sectors') + count('rotate_local', 'local_store_sectors') == 0
holds count('rotate_local', 'shared_load_conflicts') + count('rotate_local', 'shared_store_conflicts') == 0
holds count('rotate_local', 'shared_load_requests') > 0
"""
)
rotate_shared_ms_cents = value(rotate_shared_ms, ".2f")
local_ms_cents = value(local_ms, ".2f")
index_known = change(
    """
- c[i] = x[(k + threadIdx.x) % per_thread];
+ c[i] = x[(k + 5) % per_thread];
$ ./run 09 --device cpu --variant rotate_local
status 1
holds count('rotate_local', 'local_load_sectors') + count('rotate_local', 'local_store_sectors') == 0
"""
)
