"""The facts of the page "LLM decoding: one transformer layer, from nine kernels to one"."""

from tools.book.facts import *

page(
    "side",
    needs="26 28 32 33 37",
    afterwards=[
        "find the bottleneck of a layer before you write a kernel",
        "turn a sequence of kernels into a persistent one, and measure the gain of each step",
        "verify inexact results step by step, with a bound that you have derived",
    ],
)

# Predict

thread_per_row_ms = value(ms("thread_per_row"), ".4f")
warp_per_row_ms = value(ms("warp_per_row"), ".4f")
thread_over_warp_row = value(thread_per_row_ms / warp_per_row_ms, ".1f")
a_warp_a_row = number(
    """One warp instead of one thread processes each row of a matrix: neighbouring lanes load neighbouring 16 bytes, with eight loads in flight per lane. How many times as fast does the layer become?""",
    thread_over_warp_row,
    "a factor of 1.5",
    fold="From {thread_per_row_ms} ms to {warp_per_row_ms}.",
)
fused_ms = value(ms("fused"), ".4f")
fewer_launches = choice(
    """Norm, rotation and SiLU are fused into other kernels: five launches instead of nine. How much faster is the layer?""",
    {
        "a fifth or more": at_least(warp_per_row_ms / fused_ms, 1.2),
        "about a tenth": between(1.05, warp_per_row_ms / fused_ms, 1.2),
        "almost nothing": at_most(warp_per_row_ms / fused_ms, 1.05),
    },
    right="almost nothing",
    fold="From {warp_per_row_ms} ms to {fused_ms}.",
)
split_attention_ms = value(ms("split_attention"), ".4f")
fused_gb = gb("fused")
per_fused_ns_by_gb = value(2 * 8 * 4096 * 128 * 2 / (1000000.0 * fused_ms * fused_gb), ".0%")
fused_over_split_attention = value(fused_ms / split_attention_ms, ".1f")
tokens_in_parts = number(
    """Attention has one block per head, 32 in all, and each thread reads whole keys. Now 16 blocks share the tokens of four heads, and 16 lanes read a key together. How many times as fast does the whole layer become?""",
    fused_over_split_attention,
    "a factor of 1.5",
    fold="""From {fused_ms} ms to {split_attention_ms}; keys and values are only {per_fused_ns_by_gb} of the bytes.""",
)

# The layer

qkv_mb = value(1.5 * 4096**2 * 2 / 10**6, ".0f")
qkv_blocks_first = value(1.5 * 4096 / 128, ".0f")
attention_mb = value(4096 * 8 * 128 * 2 * 2 / 10**6, ".0f")
attention_blocks_first = 4096 // 128
out_mb = value(4096**2 * 2 / 10**6, ".0f")
gate_up_mb = value(7 * 4096**2 * 2 / 10**6, ".0f")
gate_up_blocks_first = 7 * 4096 // 128
down_mb = value(3.5 * 4096**2 * 2 / 10**6, ".0f")

# Six versions

last_block_gb = gb("last_block", chapter="28", result="sum of words", values="random")
one_kernel_ms = value(ms("one_kernel"), ".3f")
one_kernel_gb = gb("one_kernel")
layer_at_rate_of_a_sum_ms = value(one_kernel_ms * one_kernel_gb / last_block_gb, ".3f")
goal_of_sum = value(4000 / last_block_gb, ".0%")
one_kernel_at_4000_ms = value(one_kernel_ms * one_kernel_gb / 4000, ".3f")
thread_per_row_ms_mills = value(thread_per_row_ms, ".3f")
warp_per_row_ms_mills = value(warp_per_row_ms, ".3f")
fused_ms_mills = value(fused_ms, ".3f")
split_attention_ms_mills = value(split_attention_ms, ".3f")
graph_ms = value(ms("graph"), ".3f")

# Fusion saves launches, and almost no time

fused_over_warp_per_row_time = value(fused_ms / warp_per_row_ms, ".2f")
claim("fusing changes almost nothing", between(0.9, fused_over_warp_per_row_time, 1.05))

# Splitting attention over tokens gains most

claim(
    "it is larger than that to a warp a row", less(thread_over_warp_row, fused_over_split_attention)
)

# A graph saves a few microseconds

split_minus_graph_us = value(1000 * (split_attention_ms - graph_ms), ".1f")
claim("a graph is worth a few percent", between(1, split_attention_ms / graph_ms, 1.06))

# Memory transactions

one_kernel_counts = counts(
    "39_decoder_layer",
    where=lambda row: not row.library and row.variant != "one_kernel",
    columns="variant, launches, load_requests, load_sectors, store_sectors, modelled, limited_by",
)
thread_over_warp_sectors = value(count("thread_per_row", "load_sectors") / count("warp_per_row", "load_sectors"), ".1f")
thread_per_row_modelled_ms = modelled("thread_per_row")
thread_row_model_beyond = value(thread_per_row_modelled_ms / thread_per_row_ms - 1, ".0%")
warp_per_row_modelled_ms = modelled("warp_per_row")
warp_row_model_behind = value(1 - warp_per_row_modelled_ms / warp_per_row_ms, ".0%")
thread_per_row_over_warp_per_row_modelled = thread_per_row_modelled_ms / warp_per_row_modelled_ms
claim(
    "by the model the two largest steps tie, on the GPU splitting attention is the larger",
    more(thread_per_row_over_warp_per_row_modelled, 2),
    level(thread_per_row_over_warp_per_row_modelled, modelled("fused") / modelled("split_attention"), within=0.05),
    more(thread_over_warp_row, 2),
    less(thread_over_warp_row, fused_over_split_attention),
)
claim("a warp a row takes several times fewer sectors", at_least(thread_over_warp_sectors, 4))

# Results

measure_chart = chart(
    "39_decoder_layer",
    where=lambda row: row.variant != "scaled_dot_product_attention",
    title="One layer of a language model, for one token",
)
torch = parameter("torch", "torch", n=2**28)
torch_compile_gb = gb("torch.compile")
torch_mode = parameter("torch.compile", "mode", n=2**28)
attention_alone_us = value(1000 * ms("scaled_dot_product_attention"), ".1f")
attention_kernel = parameter("scaled_dot_product_attention", "kernel", n=2**28)
graph_over_torch_compile = value(gb("graph") / torch_compile_gb, ".2f")
one_kernel_over_torch = value(one_kernel_gb / torch_compile_gb, ".2f")
claim(
    "two rows gain a third hot, the first gains nothing",
    at_least(gb("warp_per_row", cache="hot") / gb("warp_per_row"), 1.25),
    at_least(gb("fused", cache="hot") / fused_gb, 1.25),
    at_most(gb("thread_per_row", cache="hot") / gb("thread_per_row"), 1.03),
)

# Attention moves few of the bytes, but takes most of the time of `fused`

fused_minus_split_ms = value(fused_ms - split_attention_ms, ".2f")
fused_ms_cents = value(fused_ms, ".2f")
matrices_before_ms = value(thread_per_row_ms - fused_minus_split_ms, ".2f")
matrices_after_ms = value(warp_per_row_ms - fused_minus_split_ms, ".2f")
matrices_before_after = value(matrices_before_ms / matrices_after_ms, ".0f")
claim("keys and values are about four percent of the bytes", between(0.035, per_fused_ns_by_gb, 0.045))
claim("and took five sixths of the time", between(0.8, 1 - split_attention_ms / fused_ms, 0.87))
multiprocessors = device("multiprocessors")
banks_ns = ns("banks", chapter="25", degree=32)
banks_over_32_per_sm_ns = value(banks_ns / 32 * multiprocessors, ".2f")
chase_1gi_ns = value(ns("chase", chapter="21", table=GiB, order="random"), ".0f")
chase_1mi_ns = value(ns("chase", chapter="21", table=MiB), ".0f")
keys_ms = value(4096 * 128 * banks_ns / 32 * multiprocessors / 1000000.0, ".2f")
times_1ki_chase_1gi_ms = value(1024 * chase_1gi_ns / 1000000.0, ".2f")
keys_and_1ki_chases_ms = value(keys_ms + times_1ki_chase_1gi_ms, ".2f")
chase_1gi_minus_1mi_ns = value(chase_1gi_ns - chase_1mi_ns, ".0f")
chases_1088_ms = value(1088 * chase_1gi_minus_1mi_ns / 1000000.0, ".2f")
fused_minus_hot_ms = value(fused_ms - ms("fused", cache="hot"), ".2f")
claim(
    "wavefronts and waits are most of attention",
    between(0.8, keys_and_1ki_chases_ms / fused_minus_split_ms, 1),
)
claim(
    "the waits that the L2 shortens are what is gained hot",
    level(chases_1088_ms, fused_minus_hot_ms, within=0.15),
)

# The first version: one wavefront per weight

thread_per_row_l1_wavefronts = counter("thread_per_row", "l1_wavefronts", large=True)
thread_per_row_large_load_sectors = counter("thread_per_row", "load_sectors", large=True)
wavefronts_a_sector = value(thread_per_row_l1_wavefronts / thread_per_row_large_load_sectors, ".2f")
x_wavefronts_ms = value(128 * (4096 + 4096 + 2 * 4096 + 14336) * banks_ns / 32 * multiprocessors / 1000000.0, ".2f")
claim("each weight is a wavefront", level(thread_per_row_l1_wavefronts, thread_per_row_large_load_sectors, within=0.03))
claim("wavefronts are most of the first form's matrices", between(0.75, x_wavefronts_ms / matrices_before_ms, 1))

# Fusion saves launches, and almost no time

warp_row_minus_fused_us = value(1000 * (warp_per_row_ms - fused_ms), ".1f")
warp_row_minus_fused_16mi_us = value(1000 * (ms("warp_per_row", n=2**24) - ms("fused", n=2**24)), ".1f")
fusing_of_the_next_step = value((warp_per_row_ms - fused_ms) / split_attention_ms, ".0%")
claim(
    "fusing saves microseconds of either layer",
    between(2, warp_row_minus_fused_us, 15),
    between(2, warp_row_minus_fused_16mi_us, 15),
)
claim("more than the graph", less(split_attention_ms - graph_ms, 0.8 * (warp_per_row_ms - fused_ms)))

# One persistent kernel

graph_over_one_kernel = value(graph_ms / one_kernel_ms, ".2f")
one_kernel_gb_of_4000 = value(one_kernel_gb, ",.0f")
claim("one kernel is the fastest, and short of its goal", between(1.03, graph_over_one_kernel, 1.2), less(1.05 * one_kernel_gb, 4000))

one_kernel_ahead_ms = value(ms("one_kernel_ahead", chapter="claim_lost", ahead=16), ".3f")
claim("prefetching coming weights into the L2 loses", less(one_kernel_ms, one_kernel_ahead_ms))

# Attention and launch lose most of the missing time

one_kernel_16mi_ms = ms("one_kernel", n=2**24)
one_kernel_over_16mi = value(one_kernel_ms / one_kernel_16mi_ms, ".1f")
sixteenth_layer_longer_ms = one_kernel_16mi_ms - one_kernel_ms / 16
fixed_us_of_a_layer = value(1000 * sixteenth_layer_longer_ms * 16 / 15, ".0f")
slots_by_warps_times_4 = (
    constant("chapters/39_decoder_layer/weight_ring.cuh", "ring_slots")
    * constant("chapters/39_decoder_layer/layer.hpp", "warps_per_block")
    * 4
)
claim(
    "a sixteenth of the bytes takes far more than a sixteenth of the time",
    at_least(one_kernel_16mi_ms / one_kernel_ms, 0.15),
)
claim(
    "what does not depend on the bytes is most of what is missing",
    between(0.6, sixteenth_layer_longer_ms * 16 / 15 / (one_kernel_ms * (1 - one_kernel_gb / last_block_gb)), 1.3),
)


def last_us(step):
    """Microseconds from the first block's begin to the end of a step on the last block."""
    return parameter("one_kernel", "last_us", chapter="claim_layer_steps", step=step)


def bytes_us(megabytes):
    """Microseconds that so many MB take at the rate of a sum."""
    return value(1000 * megabytes / last_block_gb, ".1f")


step_qkv_us = value(last_us("qkv"), ".1f")
step_attention_us = value(last_us("attention") - last_us("qkv_barrier"), ".1f")
step_out_us = value(last_us("out") - last_us("attention_barrier"), ".1f")
step_gate_up_us = value(last_us("gate_up") - last_us("out_barrier"), ".1f")
step_down_us = value(last_us("down") - last_us("gate_up_barrier"), ".1f")
bytes_qkv_us = bytes_us(qkv_mb)
bytes_attention_us = bytes_us(attention_mb)
bytes_out_us = bytes_us(out_mb)
bytes_gate_up_us = bytes_us(gate_up_mb)
bytes_down_us = bytes_us(down_mb)
claim("the rings hold a part of down's weights before it begins", less(step_down_us, bytes_down_us))
barriers_us = value(last_us("down") - step_qkv_us - step_attention_us - step_out_us - step_gate_up_us - step_down_us, ".1f")
a_barrier_us = value(barriers_us / 4, ".1f")
outside_us = value(1000 * ms("one_kernel", chapter="claim_layer_steps", step="whole") - last_us("down"), ".1f")
attention_loses_us = value(step_attention_us - bytes_attention_us, ".1f")
qkv_loses_us = value(step_qkv_us - bytes_qkv_us, ".1f")
others_lose_us = max(step_out_us - bytes_out_us, step_gate_up_us - bytes_gate_up_us, step_down_us - bytes_down_us)
claim(
    "of the steps attention loses most, then the first",
    less(qkv_loses_us, attention_loses_us),
    less(2 * others_lose_us, qkv_loses_us),
)
claim("the barriers take less than attention loses", less(barriers_us, 0.8 * attention_loses_us))
claim(
    "fourteen times the sectors, and as many bytes",
    between(13, thread_per_row_large_load_sectors / counter("split_attention", "load_sectors", large=True), 15),
    level(
        counter("thread_per_row", "dram_bytes_read", large=True),
        counter("split_attention", "dram_bytes_read", large=True),
        within=0.03,
    ),
)

# Verification: an error bound for each step

thread_bound_millionths = value(4096 * 2 ** (-24) * 10**6, ".0f")
bound_of_a_warp_millionths = value(133 * 2 ** (-24) * 10**6, ".0f")
bound_thread_over_warp = value(4096 / 133, ".0f")

# Experiments

key_without_its_turn = change(
    """
in steps.cuh
- store_qkv(layer, task, layer.sums[row], layer.sums[row + 64]);
+ store_qkv(layer, task, layer.sums[row], layer.sums[row]);
$ ./run 39 --device cpu --n 4Ki --no-model
status 1
shows FAILED thread_per_row .* Queries:
shows ^fused .* yes
"""
)
one_token_fewer = change(
    """
in steps.cuh
- tokens.count, scratch,
+ tokens.count - (blockIdx.x == 0 && threadIdx.x < 32), scratch,
$ ./run 39 --device cpu --n 100003 --no-model --variant split_attention
status 1
shows FAILED split_attention: Attention:
"""
)
