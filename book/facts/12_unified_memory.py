"""The facts of the page "Unified (managed) memory and page faults"."""

from tools.book.facts import *

page(
    "side",
    needs="10",
    afterwards=[
        "use managed memory, and say what its page faults cost",
        "say when managed memory is as good as explicit copies",
    ],
)

# Predict

managed_total_16mi_ms = value(ms("managed", phase="total", n=2**24), ".0f")
explicit_total_16mi_ms = value(ms("explicit", phase="total", n=2**24), ".0f")
managed_over_explicit_16mi = value(managed_total_16mi_ms / explicit_total_16mi_ms, ".1f")
the_whole_way = number(
    """With explicit copies from [pinned](glossary.md#pinned) memory, two matrices are copied to the device, the kernel runs, the result is
copied back, and one host core reads it. How many times as long does that take with managed memory and no other change?""",
    managed_over_explicit_16mi,
    "a factor of 1.6",
    fold="""{managed_total_16mi_ms} ms instead of {explicit_total_16mi_ms} ms.""",
)
kernel_again_16mi = dict(n=2**24, phase="kernel_again")
managed_kernel_again_ms = value(ms("managed", **kernel_again_16mi), ".2f")
explicit_kernel_ms = value(ms("explicit", phase="kernel", n=2**24), ".2f")
managed_kernel_ms = value(ms("managed", phase="kernel", n=2**24), ".1f")
managed_kernel_again_over_explicit_kernel = managed_kernel_again_ms / explicit_kernel_ms
the_second_time = choice(
    """With managed memory, the same kernel runs again immediately. How long does it take compared with the explicit version?""",
    {
        "about as long": at_most(managed_kernel_again_over_explicit_kernel, 1.6),
        "several times as long": between(1.6, managed_kernel_again_over_explicit_kernel, 20),
        "as long as the first time": at_least(managed_kernel_again_over_explicit_kernel, 20),
    },
    right="about as long",
    fold="""{managed_kernel_again_ms} ms, compared with {explicit_kernel_ms} ms in the explicit version; the first
run took {managed_kernel_ms} ms.""",
)
managed_init_ms = value(ms("managed", phase="initialise", n=2**24), ".0f")
explicit_init_ms = value(ms("explicit", phase="initialise", n=2**24), ".0f")
managed_over_explicit_initialise_time = managed_init_ms / explicit_init_ms
no_kernel_and_no_copy = choice(
    """Some steps involve neither a kernel nor a copy. Which of them does managed memory make slower?""",
    {
        "none": both(
            at_most(managed_over_explicit_initialise_time, 1.15),
            at_most(managed_kernel_again_over_explicit_kernel, 1.6),
        ),
        "the host writes its inputs after the device has used them": at_least(
            managed_over_explicit_initialise_time, 1.5
        ),
        "the host waits for a kernel whose data has arrived": at_least(managed_kernel_again_over_explicit_kernel, 1.6),
    },
    right="the host writes its inputs after the device has used them",
    fold="""{managed_init_ms} ms instead of {explicit_init_ms} ms: each page first returns by a
page fault on the host.""",
)

# Memory transactions

count_counts = counts(
    "12_unified_memory",
    where=lambda row: row.n == 2**18
    and (row.variant, row.phase) in (("explicit", "kernel"), ("managed", "kernel"), ("managed_static", "kernel_again")),
    every_size=True,
    columns="variant, load_requests, load_sectors",
)
explicit_load_sectors = count("explicit", "load_sectors", phase="kernel")
explicit_load_requests = count("explicit", "load_requests", phase="kernel")
claim(
    "managed memory changes no request",
    equal(count("managed", "load_sectors", phase="kernel"), explicit_load_sectors),
    equal(count("managed_stay", "load_requests", phase="kernel", chapter="13"), explicit_load_requests),
)
claim(
    "the static variable is one request a warp, of one sector",
    equal(count("managed_static", "load_requests") - explicit_load_requests, 2**18 / 32),
    equal(count("managed_static", "load_sectors") - explicit_load_sectors, 2**18 / 32),
)
explicit_timeline = timeline(
    "12_unified_memory",
    "explicit",
    where=lambda row: row.n == 2**18 and row.phase == "total",
)
managed_timeline = timeline(
    "12_unified_memory",
    "managed",
    where=lambda row: row.n == 2**18 and row.phase == "total",
)

# Results

whole_chart = chart(
    "12_unified_memory",
    where=lambda row: row.phase == "total" and row.n == 2**24,
    every_size=True,
    bars="ms",
    name="whole",
    title="From the host's inputs to the host's result",
)
managed_over_modelled = value(ratio(modelled, "managed", "explicit", phase="total", n=2**24), ".1f")
explicit_host_read_ms = value(ms("explicit", phase="host_read", n=2**24), ".1f")
explicit_transfer_ms = value(ms("explicit", phase="transfer", n=2**24), ".1f")
host_reads_c_ms = value(explicit_host_read_ms - explicit_transfer_ms / 2, ".1f")
claim(
    "the model has the host read faster than it did",
    at_least(
        host_reads_c_ms
        / (modelled("explicit", phase="host_read", n=2**24) - modelled("explicit", phase="transfer", n=2**24) / 2),
        1.2,
    ),
)
measure_table = table(
    "12_unified_memory",
    where=lambda row: row.n == 2**24
    and row.phase in ("initialise", "transfer", "kernel", "kernel_again", "host_read", "total", "host_sum")
    and row.variant in ("explicit", "managed"),
    every_size=True,
    columns="variant, phase, ms, spread",
)
explicit_both_ms = value(explicit_transfer_ms + explicit_kernel_ms, ".1f")
managed_host_read_ms = value(ms("managed", phase="host_read", n=2**24), ".1f")
claim(
    "the steps add up to about the whole",
    level(explicit_both_ms + explicit_host_read_ms, explicit_total_16mi_ms, within=0.4),
    level(managed_kernel_ms + managed_host_read_ms, managed_total_16mi_ms, within=0.4),
)
result_mib = value(2**24 * 4 / MiB, ".0f")
claim(
    "no step of the explicit way takes longer than writing the inputs",
    at_least(explicit_init_ms / explicit_host_read_ms, 1.3),
    faster(explicit_total_16mi_ms, explicit_init_ms),
)
claim(
    "the inputs and the kernel are the small part of the explicit way",
    at_most(explicit_both_ms / explicit_total_16mi_ms, 0.5),
)
host_pointer_ms = value(ms("host_pointer", n=2**24, inputs="managed", chapter="11"), ".4f")
device_ms = value(ms("device", n=2**24, chapter="11"), ".4f")
claim("the first touch costs a hundred kernels", at_least(managed_kernel_ms / managed_kernel_again_ms, 100))
claim(
    "on resident data the kernels take less than twice as long",
    less(managed_kernel_again_over_explicit_kernel, 2),
    less(ms("managed_prefetch", phase="kernel", n=2**24, chapter="13") / explicit_kernel_ms, 2),
)
faults_to_read_c_ms = value(managed_host_read_ms - explicit_host_read_ms + explicit_transfer_ms / 2, ".1f")
managed_init_ms_tenths = value(managed_init_ms, ".1f")
explicit_init_ms_tenths = value(explicit_init_ms, ".1f")
managed_minus_init_ms = value(managed_init_ms - explicit_init_ms, ".1f")
faults_a_matrix_ms = value(managed_minus_init_ms / 2, ".1f")
claim(
    "a matrix costs more to write than to read",
    less(2 * faults_to_read_c_ms, managed_minus_init_ms),
)
claim(
    "the host pays too, when it writes pages that the device has used", at_least(managed_over_explicit_initialise_time, 1.5)
)

# A managed variable costs one page's round trip

managed_static_ms = value(ms("managed_static", **kernel_again_16mi), ".2f")
managed_static_minus_managed_kernel_again_ms = managed_static_ms - managed_kernel_again_ms
one_page_back_us = value(managed_static_minus_managed_kernel_again_ms * 1000, ".0f")
claim(
    "the model leaves the fault of the variable out",
    less(
        1000 * (modelled("managed_static", **kernel_again_16mi) - modelled("managed", **kernel_again_16mi)),
        0.2 * 1000 * managed_static_minus_managed_kernel_again_ms,
    ),
)
claim("one page makes the kernel a fifth longer at least", at_least(managed_static_ms / managed_kernel_again_ms, 1.2))

# One copy and one fault per 2 MiB do not explain the time

per_managed_kernel_ms = value(3 * 2**24 * 4 / managed_kernel_ms / 1000000.0, ".0f")
prefetch_gb = value(
    3 * 2**24 * 4 / ms("managed_prefetch", phase="transfer", n=2**24, chapter="13") / 1000000.0, ".0f"
)
managed_minus_total_16mi_ms = value(managed_total_16mi_ms - explicit_total_16mi_ms, ".0f")
memcpy_gb = gb("memcpy", chapter="04", memory="pinned")
per_memcpy_tb = value(2 * MiB / memcpy_gb / 1000, ".0f")
region_sum_us = value(per_memcpy_tb + one_page_back_us, ".0f")
managed_over_96_kernel_us = value(managed_kernel_ms / 96 * 1000, ".0f")
managed_minus_total_1mi_ms = value(
    ms("managed", phase="total", n=2**20) - ms("explicit", phase="total", n=2**20), ".1f"
)
loss_large_over_small = value(managed_minus_total_16mi_ms / managed_minus_total_1mi_ms, ".0f")
claim(
    "link and fault together are less than what two MiB take",
    at_most(
        (2 * MiB / memcpy_gb / 1000000.0 + managed_static_ms - managed_kernel_again_ms) / (managed_kernel_ms / 96), 1.2
    ),
)
claim("the price grows with the pages", between(8, loss_large_over_small, 24))
claim("faults leave most of the link idle", less(per_managed_kernel_ms, 0.4 * memcpy_gb))
claim("a prefetch uses most of it", less(0.6 * memcpy_gb, prefetch_gb))

explicit_dram_read = counter("explicit", "dram_bytes_read", phase="kernel", n=2**18)
claim(
    "faults change no counter of the kernel",
    equal(
        counter("managed", "load_sectors", phase="kernel", n=2**18),
        counter("explicit", "load_sectors", phase="kernel", n=2**18),
    ),
    level(counter("managed", "dram_bytes_read", phase="kernel", n=2**18), explicit_dram_read, within=0.1),
)
claim(
    "what stays is not in DRAM",
    at_most(
        counter("managed_stay", "dram_bytes_read", phase="kernel", n=2**18, chapter="13") / explicit_dram_read, 0.1
    ),
)

# When managed memory is as good as copies

explicit_2000_kernels_ms = value(1999 * explicit_kernel_ms + explicit_total_16mi_ms, ".0f")
faults_of_2000_kernels = value(managed_minus_total_16mi_ms / explicit_2000_kernels_ms, ".0%")
managed_step_over_explicit = value(
    (managed_host_read_ms + managed_kernel_ms / 3) / (explicit_host_read_ms + explicit_kernel_ms), ".1f"
)
total_of_16_16mi = dict(n=2**24, phase="total_of_16")
explicit_total_of_16_ms = ms("explicit", **total_of_16_16mi)

managed_total_of_16_ms = value(ms("managed", **total_of_16_16mi), ".0f")
claim("sixteen kernels do not make up for the faults", at_least(managed_total_of_16_ms / explicit_total_of_16_ms, 2))

# Experiments

b_is_not_touched = change(
    r"""
in matrix_sum.cuh
- c[i] = a[i] + b[i];
+ c[i] = a[i] + a[i];
$ ./run 12 --device cpu --variant explicit --variant managed
status 1
shows ^explicit .* transfer .* 0\.0480 +FAILED
shows ^managed .* kernel .* 0\.26\d\d +FAILED
"""
)
twice_the_work = change(
    """
in matrix_sum.cuh
- add<<<grid_of(p.n), block, 0, stream>>>(p.a, p.b, p.c, columns_of(p.n), p.n);
+ add<<<grid_of(p.n), block, 0, stream>>>(p.a, p.b, p.c, columns_of(p.n), p.n);
+ add<<<grid_of(p.n), block, 0, stream>>>(p.a, p.b, p.c, columns_of(p.n), p.n);
$ ./run 12 --device cpu --variant explicit --variant managed
holds 1.3 < modelled('explicit', phase='kernel', n=2**18) / book_modelled('explicit', phase='kernel', n=2**18) < 2
holds modelled('managed', phase='kernel', n=2**18) < 1.01 * book_modelled('managed', phase='kernel', n=2**18)
"""
)
nothing_to_transfer = change(
    """
- "host_sum", "kernel", "kernel_again",
+ "host_sum", "transfer", "kernel", "kernel_again",
$ ./run 12 --device cpu --variant managed
shows ^managed .* transfer .* yes
holds modelled('managed', phase='transfer', n=2**18) < 0.01 * modelled('managed', phase='kernel', n=2**18)
"""
)
fifteen_kernels_more = change(
    """
$ ./run 12 --device cpu --n 2^24 --variant managed
holds modelled('managed', phase='total_of_16', n=2**24) < 1.1 * modelled('managed', phase='total', n=2**24)
"""
)
