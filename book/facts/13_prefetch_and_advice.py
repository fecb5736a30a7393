"""The facts of the page "Managed memory: cudaMemPrefetchAsync and cudaMemAdvise"."""

from tools.book.facts import *

page(
    "side",
    needs="12",
    afterwards=["use prefetch and advice where they help", "keep managed pages in place"],
)
managed_total_ms = value(ms("managed", phase="total", n=2**24, chapter="12"), ".1f")
explicit_total_ms = value(ms("explicit", phase="total", n=2**24, chapter="12"), ".1f")
managed_over_explicit = value(managed_total_ms / explicit_total_ms, ".1f")

# Predict

managed_prefetch_total_16mi_ms = value(ms("managed_prefetch", phase="total", n=2**24), ".0f")
prefetch_minus_total_ms = value(managed_prefetch_total_16mi_ms - explicit_total_ms, ".1f")
prefetch_share_of_the_loss = value(prefetch_minus_total_ms / (managed_total_ms - explicit_total_ms), ".0%")
what_a_prefetch_leaves = choice(
    """`cudaMemPrefetchAsync` migrates the pages before the kernel runs. How much of the extra cost remains?""",
    {
        "nothing": at_most(prefetch_share_of_the_loss, 0.08),
        "less than half": between(0.08, prefetch_share_of_the_loss, 0.5),
        "most of it": at_least(prefetch_share_of_the_loss, 0.5),
    },
    right="less than half",
    fold="""The total is {managed_prefetch_total_16mi_ms} ms: {prefetch_share_of_the_loss} of the extra cost remains.""",
)
stay_total_ms = value(ms("managed_stay", phase="total", n=2**24), ".1f")
managed_stay_over_explicit_total_time = stay_total_ms / explicit_total_ms
stay_on_the_host = choice(
    """All three matrices are advised to stay on the host, where the device accesses them. No page migrates. How long does the
whole run take, compared with explicit copies?""",
    {
        "about as long, or less": at_most(managed_stay_over_explicit_total_time, 1.15),
        "about twice as long": between(1.15, managed_stay_over_explicit_total_time, 3),
        "longer than with page faults": at_least(managed_stay_over_explicit_total_time, 3),
    },
    right="about as long, or less",
    fold="""{stay_total_ms} ms, compared with {explicit_total_ms} ms with copies.""",
)
managed_read_mostly_total_16mi_ms = value(ms("managed_read_mostly", phase="total", n=2**24), ".0f")
managed_read_mostly_over_prefetch_total = managed_read_mostly_total_16mi_ms / managed_prefetch_total_16mi_ms
a_copy_on_each_side = choice(
    """With the advice *read mostly*, host and device each keep a copy of the inputs. Is the total shorter than with prefetches alone?""",
    {
        "yes": at_most(managed_read_mostly_over_prefetch_total, 0.97),
        "it makes no difference": level(managed_read_mostly_total_16mi_ms, managed_prefetch_total_16mi_ms, within=0.03),
        "no, it is slower": at_least(managed_read_mostly_over_prefetch_total, 1.03),
    },
    right="no, it is slower",
    fold="""{managed_read_mostly_total_16mi_ms} ms instead of {managed_prefetch_total_16mi_ms} ms.""",
)

# Memory transactions

prefetch_per_load = count("managed_prefetch", "load_sectors_per_request", phase="kernel", n=2**18)
stay_per_load = count("managed_stay", "load_sectors_per_request", phase="kernel", n=2**18)
claim(
    "hints change no request",
    equal(
        count("managed_prefetch", "load_sectors", phase="kernel"),
        count("managed", "load_sectors", phase="kernel", chapter="12"),
    ),
    equal(
        count("managed_stay", "load_requests", phase="kernel"),
        count("managed", "load_requests", phase="kernel", chapter="12"),
    ),
)

# Results

total_chart = chart(
    "12,13",
    where=lambda row: row.phase == "total" and row.n == 2**24,
    every_size=True,
    bars="ms",
    name="total",
    title="From the host's inputs to the host's result",
)
explicit_transfer_ms = value(ms("explicit", phase="transfer", n=2**24, chapter="12"), ".1f")
managed_prefetch_transfer_ms = value(ms("managed_prefetch", phase="transfer", n=2**24), ".1f")
explicit_kernel_ms = value(ms("explicit", phase="kernel", n=2**24, chapter="12"), ".2f")
managed_kernel_ms = value(ms("managed", phase="kernel", n=2**24, chapter="12"), ".2f")
prefetch_kernel_ms = value(ms("managed_prefetch", phase="kernel", n=2**24), ".2f")
stay_kernel_ms = value(ms("managed_stay", phase="kernel", n=2**24), ".2f")
explicit_host_read_ms = value(ms("explicit", phase="host_read", n=2**24, chapter="12"), ".1f")
managed_host_read_ms = value(ms("managed", phase="host_read", n=2**24, chapter="12"), ".1f")
managed_prefetch_host_read_ms = value(ms("managed_prefetch", phase="host_read", n=2**24), ".1f")
explicit_steps_ms = value(explicit_transfer_ms + explicit_kernel_ms + explicit_host_read_ms, ".1f")
kernel_and_read_ms = value(managed_kernel_ms + managed_host_read_ms, ".1f")
managed_prefetch_transfer_and_kernel_ms = managed_prefetch_transfer_ms + prefetch_kernel_ms
prefetch_steps_ms = value(managed_prefetch_transfer_and_kernel_ms + managed_prefetch_host_read_ms, ".1f")
prefetch_total_16mi_ms_tenths = value(managed_prefetch_total_16mi_ms, ".1f")
prefetch_over_total = value(managed_prefetch_total_16mi_ms / explicit_total_ms, ".1f")
explicit_host_sum_ms = value(ms("explicit", phase="host_sum", n=2**24, chapter="12"), ".1f")
managed_host_sum_ms = value(ms("managed", phase="host_sum", n=2**24, chapter="12"), ".1f")
prefetch_host_sum_ms = value(ms("managed_prefetch", phase="host_sum", n=2**24), ".1f")
read_mostly_host_sum_ms = value(ms("managed_read_mostly", phase="host_sum", n=2**24), ".1f")
stay_host_sum_ms = value(ms("managed_stay", phase="host_sum", n=2**24), ".1f")
second_prefetch_host_sum_ms = value(ms("managed_prefetch", phase="host_sum", n=2**24, device=SECOND), ".1f")
second_managed_host_sum_ms = value(ms("managed", phase="host_sum", n=2**24, chapter="12", device=SECOND), ".1f")
managed_prefetch_16mi_over_managed_total = managed_prefetch_total_16mi_ms / managed_total_ms
prefetch_share_of_faults = value(managed_prefetch_transfer_and_kernel_ms / managed_kernel_ms, ".0%")
claim("where the host adds too, a prefetch gains nothing measurable", at_least(prefetch_host_sum_ms / managed_host_sum_ms, 0.7))
claim(
    "prefetches give back a good part",
    at_most(managed_prefetch_16mi_over_managed_total, 0.7),
    at_least(prefetch_over_total, 1.2),
)
claim("moving nothing is as good as explicit copies", at_most(managed_stay_over_explicit_total_time, 1.4))

# A prefetch takes longer than a copy

per_explicit_transfer_ms = value(2 * 2**26 / explicit_transfer_ms / 1000000.0, ".0f")
prefetch_gb = value(3 * 2**26 / managed_prefetch_transfer_ms / 1000000.0, ".0f")
per_managed_kernel_ms = value(3 * 2**26 / managed_kernel_ms / 1000000.0, ".0f")
prefetch_over_3_transfer_ms = value(managed_prefetch_transfer_ms / 3, ".1f")
prefetch_minus_steps_ms = value(prefetch_steps_ms - explicit_steps_ms, ".1f")
prefetch_way_in_more_ms = value(managed_prefetch_transfer_ms - explicit_transfer_ms, ".1f")
prefetch_over_faults_host_read = managed_prefetch_host_read_ms / managed_host_read_ms
prefetch_host_read_ms = value(ms("prefetch", phase="host_read", chapter="claim_read_mostly", n=2**24), ".1f")
prefetch_transfer_ms = value(ms("prefetch", phase="transfer", chapter="claim_read_mostly", n=2**24), ".1f")
claim("back to the host the prefetch gains nothing measurable", at_least(prefetch_over_faults_host_read, 0.7))
claim(
    "a prefetch is several times as fast as the faults", at_most(managed_prefetch_transfer_ms / managed_kernel_ms, 0.4)
)
claim(
    "it moves a matrix more and takes longer than the copies",
    at_least(managed_prefetch_transfer_ms / explicit_transfer_ms, 1.2),
)

# Read mostly: a longer transfer explains part of the loss

read_mostly_total_16mi_ms_tenths = value(managed_read_mostly_total_16mi_ms, ".1f")
read_mostly_kernel_ms = value(ms("managed_read_mostly", phase="kernel", n=2**24), ".2f")
read_mostly_transfer_ms = value(ms("read_mostly", phase="transfer", chapter="claim_read_mostly", n=2**24), ".1f")
read_mostly_host_read_ms = value(ms("read_mostly", phase="host_read", chapter="claim_read_mostly", n=2**24), ".1f")
way_in_loses_ms = value(read_mostly_transfer_ms - prefetch_transfer_ms, ".1f")
read_mostly_steps_ms = value(read_mostly_transfer_ms + read_mostly_kernel_ms + read_mostly_host_read_ms, ".0f")
second_read_mostly_ms = value(ms("managed_read_mostly", phase="total", n=2**24, device=SECOND), ".0f")
claim(
    "what is read mostly need not come back",
    at_most(read_mostly_host_sum_ms / prefetch_host_sum_ms, 0.95),
)
claim("the way in pays for read mostly", at_least(read_mostly_transfer_ms / prefetch_transfer_ms, 1.5))
claim("and the way back does not", at_most(read_mostly_host_read_ms / prefetch_host_read_ms, 1.2))
claim("the whole way is not faster for it", at_least(managed_read_mostly_over_prefetch_total, 1))

# The model counts a prefetch as a copy

model_prefetch_too_fast = value(
    1 - modelled("managed_prefetch", phase="transfer", n=2**24) / managed_prefetch_transfer_ms, ".0%"
)
explicit_modelled_ms = modelled("explicit", phase="total", n=2**24, chapter="12")
managed_prefetch_total_modelled_ms = modelled("managed_prefetch", phase="total", n=2**24)
managed_modelled_ms = modelled("managed", phase="total", n=2**24, chapter="12")
claim(
    "the model has the order of the wholes",
    ascending(
        modelled("managed_stay", phase="total", n=2**24),
        explicit_modelled_ms,
        managed_prefetch_total_modelled_ms,
        managed_modelled_ms,
    ),
)
claim(
    "the model knows no price of read mostly",
    level(modelled("managed_read_mostly", phase="total", n=2**24), managed_prefetch_total_modelled_ms, within=0.01),
)
claim(
    "with prefetches it is off by far",
    at_most(managed_prefetch_total_modelled_ms / managed_prefetch_total_16mi_ms, 0.75),
)

# Managed memory that never moves keeps up with explicit copies

mapped_ms = value(ms("mapped", chapter="11", n=2**24, passes=1), ".2f")
claim("what stays is mapped memory", between(0.8, stay_kernel_ms / mapped_ms, 1.25))
claim("and the host hardly notices", at_most(stay_host_sum_ms / explicit_host_sum_ms, 1.5))
copies_and_kernel_ms = value(1.5 * explicit_transfer_ms + explicit_kernel_ms, ".1f")
explicit_high = high("explicit", phase="total", n=2**24, chapter="12")
per_explicit_high = value(12 * 2**24 / explicit_high / 1000000.0, ".1f")
explicit_low = low("explicit", phase="total", n=2**24, chapter="12")
per_explicit_low = value(12 * 2**24 / explicit_low / 1000000.0, ".1f")
managed_stay_high = high("managed_stay", phase="total", n=2**24)
per_stay_high = value(12 * 2**24 / managed_stay_high / 1000000.0, ".1f")
managed_stay_low = low("managed_stay", phase="total", n=2**24)
per_stay_low = value(12 * 2**24 / managed_stay_low / 1000000.0, ".1f")

# Which hint for which use

claim(
    "the first two hints beat none, and copies tie or are ahead",
    at_most(stay_total_ms / managed_total_ms, 0.5),
    at_most(managed_prefetch_16mi_over_managed_total, 0.7),
    at_least(prefetch_over_total, 1.2),
    at_least(read_mostly_host_sum_ms / explicit_host_sum_ms, 1.2),
)
claim(
    "pages that stay and explicit copies are as near as two records",
    level(explicit_total_ms, stay_total_ms, within=0.4),
)
claim("by its steps what stays should be ahead", less(stay_kernel_ms, copies_and_kernel_ms))

# Experiments

two_of_three_in_the_model = change(
    """
- for (float* array : {p.a, p.b, p.c}) {
- common::prefetch(
+ for (float* array : {p.a, p.b}) {
+ common::prefetch(
$ ./run 13 --device cpu --variant managed_prefetch
holds 0.6 < modelled('managed_prefetch', phase='transfer', n=2**18) / book_modelled('managed_prefetch', phase='transfer', n=2**18) < 0.73
holds modelled('managed_prefetch', phase='kernel', n=2**18) > 2 * book_modelled('managed_prefetch', phase='kernel', n=2**18)
"""
)
two_of_three = change(
    """
on gpu
- for (float* array : {p.a, p.b, p.c}) {
- common::prefetch(
+ for (float* array : {p.a, p.b}) {
+ common::prefetch(
$ ./run 13 --variant managed_prefetch
holds 0.55 < ms('managed_prefetch', phase='transfer', n=2**24) / book_ms('managed_prefetch', phase='transfer', n=2**24) < 0.8
holds 0.2 < ms('managed_prefetch', phase='kernel', n=2**24) / book_ms('managed', phase='kernel', n=2**24, chapter='12') < 0.5
"""
)
managed_over_3_kernel_ms = value(managed_kernel_ms / 3, ".1f")
explicit_total_of_16_ms = value(ms("explicit", phase="total_of_16", n=2**24, chapter="12"), ".1f")
sixteen_in_place = change(
    """
- .name = "managed_stay", .phases = {"host_sum", "kernel", "total"},
+ .name = "managed_stay", .phases = {"host_sum", "kernel", "total", "total_of_16"},
$ ./run 13 --device cpu --variant managed_stay
shows ^managed_stay .* total_of_16 .* yes
holds 0.95 < modelled('managed_stay', phase='total_of_16', n=2**18) / (modelled('managed_stay', phase='total', n=2**18) + 15 * modelled('managed_stay', phase='kernel', n=2**18)) < 1.05
"""
)
sixteen_in_place_on_a_gpu = change(
    """
on gpu
- .name = "managed_stay", .phases = {"host_sum", "kernel", "total"},
+ .name = "managed_stay", .phases = {"host_sum", "kernel", "total", "total_of_16"},
$ ./run 13 --variant managed_stay
holds 0.85 < ms('managed_stay', phase='total_of_16', n=2**24) / (ms('managed_stay', phase='total', n=2**24) + 15 * ms('managed_stay', phase='kernel', n=2**24)) < 1.15
holds ms('managed_stay', phase='total_of_16', n=2**24) > book_ms('explicit', phase='total_of_16', n=2**24, chapter='12')
"""
)
fifteen_times_kernel = value(stay_total_ms + 15 * stay_kernel_ms, ".1f")
stay_behind_each_kernel_ms = value(stay_kernel_ms - explicit_kernel_ms, ".1f")
preferred_on_the_device_in_the_model = change(
    """
in advice.cuh
- CHECK_CUDA(
- cudaMemAdvise(array, bytes, cudaMemAdviseSetPreferredLocation, common::host_place()));
- CHECK_CUDA(cudaMemAdvise(array, bytes, cudaMemAdviseSetAccessedBy, common::device_place()));
+ CHECK_CUDA(
+ cudaMemAdvise(array, bytes, cudaMemAdviseSetPreferredLocation, common::device_place()));
$ ./run 13 --device cpu --variant managed_stay
holds 0.9 < modelled('managed_stay', phase='kernel', n=2**18) / book_modelled('managed', phase='kernel', n=2**18, chapter='12') < 1.1
"""
)
preferred_on_the_device = change(
    """
on gpu
in advice.cuh
- CHECK_CUDA(
- cudaMemAdvise(array, bytes, cudaMemAdviseSetPreferredLocation, common::host_place()));
- CHECK_CUDA(cudaMemAdvise(array, bytes, cudaMemAdviseSetAccessedBy, common::device_place()));
+ CHECK_CUDA(
+ cudaMemAdvise(array, bytes, cudaMemAdviseSetPreferredLocation, common::device_place()));
$ ./run 13 --variant managed_stay
holds 0.6 < ms('managed_stay', phase='kernel', n=2**24) / book_ms('managed', phase='kernel', n=2**24, chapter='12') < 1.6
"""
)
