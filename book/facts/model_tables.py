"""The facts of the page "Tables of the model"."""

from tools.book.facts import *

page(
    "behind",
    needs="how_we_model",
    afterwards=[
        "say which modelled gain of a kernel like yours to act on",
        "tell from what a kernel does whether the model has it too fast or too slow",
    ],
)

# Which modelled gain is more than the model's error

model_kind_stream_factor_compiled_alse = value(model_kind("stream", "factor", compiled=False), ".1f")
stream_without_nvcc_your = value(2 / model_kind_stream_factor_compiled_alse, ".1f")
model_kind_thread_row_largest_compiled_alse = value(model_kind("thread_row", "largest", compiled=False), ".2f")
model_kind_block_row_least_compiled_alse = model_kind("block_row", "least", compiled=False)
rows_thread_block_both = value(-model_kind_block_row_least_compiled_alse, ".2f")
both_value = value(
    (1 + model_kind_thread_row_largest_compiled_alse) / (1 + model_kind_block_row_least_compiled_alse), ".1f"
)
model_kind_stay_factor_compiled_alse = value(model_kind("stay", "factor", compiled=False), ".1f")
model_kind_thread_row_factor_compiled_alse = value(model_kind("thread_row", "factor", compiled=False), ".1f")
model_kind_stay_factor = value(model_kind("stay", "factor"), ".1f")
claim(
    "a factor of two is more than errors of streams, two and three are not of sums by blocks that stay and of rows with a thread each",
    less(max(model_kind("stream", "factor"), model_kind_stream_factor_compiled_alse), 1.9),
    more(model_kind_stay_factor_compiled_alse, 2),
    more(model_kind_thread_row_factor_compiled_alse, 3),
)
claim(
    "with machine code two is not more than errors of sums by blocks that stay, and few rows with a thread each were tried with it",
    more(model_kind_stay_factor, 2),
    less(model_kind("thread_row", "kernels"), 5),
)
model_blind_ninth_decile_l2 = value(model_blind("ninth_decile", limit="l2"), ".0%")
error_gain = value((1 + model_blind_ninth_decile_l2) / (1 - model_blind_ninth_decile_l2), ".1f")
without_line_claim = value(
    (1 + model_kind("unequal", "largest", compiled=False)) / (1 + model_first("sparse_warp")), ".1f"
)
claim(
    "two variants of one kernel can err differently",
    less(abs(model_first("histogram_64")), 0.02),
    less(model_first("histogram_256"), -0.5),
)
claim(
    "without the one long row its line would be short",
    less(model_first("one_long_row"), -0.99),
    less(without_line_claim, 3),
    less(abs(model_now("one_long_row")), 0.15),
)
claim(
    "without machine code arithmetic is left out, and streams are a little worse",
    less(model_first("black_scholes"), -0.5),
    more(model_first("black_scholes", compiled=True), -0.15),
    less(model_kind("stream", "factor", compiled=True), model_kind_stream_factor_compiled_alse),
)
model_first_top8_warp = model_first("top8_warp")
claim(
    "what has no time with machine code was modelled far too fast without it, and makes a line without nvcc",
    less(max(model_first_top8_warp, model_first("monte_carlo_pi"), model_first("mandelbrot")), -2 / 3),
    equal(model_kind_block_row_least_compiled_alse, model_first_top8_warp),
    at_least(model_kind("block_row", "factor", compiled=False) / model_kind("block_row", "factor"), 1.5),
)

# What today's model still has wrong

model_instructions = value(machine("instructions"), ".0f")
model_first_permute_heads = value(model_first("permute_heads"), "+.0%")
aos_modelled_ms = modelled("aos", chapter="16", fields=8, used=8, n=2**25)
aos_ms = ms("aos", chapter="16", fields=8, used=8, n=2**25)
aos_modelled_ms_ahead_of_ms = value(aos_modelled_ms / aos_ms - 1, "+.0%")
aligned_modelled_ms_over_ms = modelled("aligned", chapter="16", fields=8, used=8, n=2**25) / ms(
    "aligned", chapter="16", fields=8, used=8, n=2**25
)
aligned_modelled_ms_ahead_of_ms = value(aligned_modelled_ms_over_ms - 1, "+.0%")
model_now_fill_1024 = value(model_now("fill_1024"), "+.0%")
model_now_multiply_32 = value(model_now("multiply_32"), "+.0%")
model_now_prefetch4 = value(model_now("prefetch4"), "+.0%")
claim(
    "what is left has the signs that the table says",
    less(model_first_permute_heads, -0.2),
    level(aos_modelled_ms, aos_ms, within=0.05),
    at_least(aligned_modelled_ms_over_ms, 1.1),
    more(model_now_fill_1024, 0.3),
    more(model_now_multiply_32, 0.3),
    more(model_now("multiply_16"), 0.15),
    more(model_now_prefetch4, 0.15),
)
model_first_multiply_halves_compiled_rue = value(model_first("multiply_halves", compiled=True), "+.0%")
model_first_moments_compiled_rue = value(model_first("moments", compiled=True), "+.0%")
model_first_tree_overlaps_compiled_rue = value(model_first("tree_overlaps", compiled=True), "+.0%")
model_first_cell_neighbours_compiled_rue = value(model_first("cell_neighbours", compiled=True), "+.0%")
model_first_cholesky_small_compiled_rue = value(model_first("cholesky_small", compiled=True), "+.0%")
model_first_invert3x3_compiled_rue = value(model_first("invert3x3", compiled=True), "+.0%")
model_first_radix_scatter_compiled_rue = value(model_first("radix_scatter", compiled=True), "+.0%")
model_first_paged_values_compiled_rue = value(model_first("paged_values", compiled=True), "+.0%")
model_first_sort_blocks_compiled_rue = value(model_first("sort_blocks", compiled=True), "+.0%")
model_set_sundry_compiled_median = value(model_set("sundry_compiled", "median"), ".0%")
claim(
    "the newest set was worse than the one before",
    less(model_set("chores_compiled", "median"), model_set_sundry_compiled_median),
    less(model_set("chores_compiled", "ninth_decile"), model_set("sundry_compiled", "ninth_decile")),
)

# Kernels with more registers than assumed

fused_registers_per_thread = value(counter("fused", "registers_per_thread", chapter="39", large=True), ".0f")
split_attention_registers_per_thread = value(
    counter("split_attention", "registers_per_thread", chapter="39", large=True), ".0f"
)
claim(
    "with the mean three blocks fit, or two",
    between(72, fused_registers_per_thread, 80),
    between(80, split_attention_registers_per_thread, 96),
)

# The sets that it was shown

model_sight_rows = model_sight("rows")
model_sight_median = value(model_sight("median"), ".1%")
model_sight_ninth_decile = value(model_sight("ninth_decile"), ".0%")

# All constants

calibrated_warp_ns = value(calibrated("warp_ns"), ".1f")
details = value(machine("dram_ns") + machine("read_queue_ns") * 0.79 / 0.21, ".0f")
