"""The facts of the page "Instructor's guide"."""

from tools.book.facts import *

page(
    "behind",
    afterwards=[
        "plan a week or a term with the pages, programs and exercises",
        "hand out the exercises without solutions, and collect what each student solved",
    ],
)

# Pages without a GPU

unseen_median = value(model_error("median"), ".1f")
unseen_ninth_decile = value(model_error("ninth_decile"), ".1f")
pageable_to_device_modelled_ms = modelled("pageable_to_device", n=2**18, chapter="10")
pinned_to_device_modelled_ms = modelled("pinned_to_device", n=2**14, chapter="10")
pinned_modelled_times = value(
    16 * pinned_to_device_modelled_ms / pageable_to_device_modelled_ms, ".1f"
)
pageable_to_device_ms = ms("pageable_to_device", n=2**18, chapter="10")
pinned_to_device_ms = ms("pinned_to_device", n=2**14, chapter="10")
pinned_measured_times = value(16 * pinned_to_device_ms / pageable_to_device_ms, ".1f")
mapped_us = value(1000 * ms("mapped", n=256, passes=1, chapter="11"), ".1f")
explicit_modelled_ms = value(modelled("explicit", phase="total", n=2**24, chapter="12"), ".1f")
managed_over_modelled = value(
    modelled("managed", phase="total", n=2**24, chapter="12") / explicit_modelled_ms, ".1f"
)
explicit_ms = value(ms("explicit", phase="total", n=2**24, chapter="12"), ".1f")
managed_over_explicit = value(ms("managed", phase="total", n=2**24, chapter="12") / explicit_ms, ".1f")
managed_stay_modelled_ms = value(modelled("managed_stay", phase="total", n=2**24, chapter="13"), ".1f")
managed_stay_ms = value(ms("managed_stay", phase="total", n=2**24, chapter="13"), ".1f")
padded_down_behind = value(
    1 - ratio(ms, "tile_padded_down", "tile_padded", chapter="20", n=2**28), ".0%"
)
streaming_gain_over_plain = value(
    ratio(ms, "add_streaming", "add_plain", chapter="27", threads=256) - 1, ".0%"
)
chapter_28_sum_of_words_random = dict(chapter="28", result="sum of words", values="random")
last_block_ms = ms("last_block", **chapter_28_sum_of_words_random)
atomic_over_last_block = value(ms("atomic", **chapter_28_sum_of_words_random) / last_block_ms, ".0f")
shared_tree_over_last = value(ms("shared_tree", **chapter_28_sum_of_words_random) / last_block_ms, ".0f")
columns_modelled_ms = value(modelled("columns", chapter="32", type="bf16"), ".2f")
warp_ahead_modelled = value(
    modelled("block_per_row", chapter="32", type="float", rows=1024) / modelled("warp_per_row", chapter="32", type="float", rows=1024) - 1, ".0%"
)
block_per_row_ms = ms("block_per_row", chapter="32", type="float")
warp_per_row_ms = ms("warp_per_row", chapter="32", type="float")
block_row_behind_warp = value(1 - block_per_row_ms / warp_per_row_ms, ".0%")
columns_ms = value(ms("columns", chapter="32", type="bf16"), ".2f")
claim(
    "small pinned copies are nearly equal to a pageable one in the model, and behind on the GPU",
    less(16 * pinned_to_device_modelled_ms, 1.3 * pageable_to_device_modelled_ms),
    less(1.2 * pageable_to_device_ms, 16 * pinned_to_device_ms),
)
claim(
    "the model has the advice ahead of copies, and measured they tie",
    less(managed_stay_modelled_ms, explicit_modelled_ms),
    level(managed_stay_ms, explicit_ms, within=0.3),
)
claim(
    "the model has the tall tile ahead, and the GPU the float4s",
    less(modelled("tile_tall", chapter="20", rows=1024), modelled("tile_float4", chapter="20")),
    faster(ms("tile_float4", chapter="20"), ms("tile_tall", chapter="20", n=2**28)),
)
claim(
    "the model has one time for the sums that it has a time for, and the GPU ranks the others",
    less(
        abs(
            modelled("grid_stride", loads=1, **chapter_28_sum_of_words_random)
            / modelled("last_block", **chapter_28_sum_of_words_random)
            - 1
        ),
        0.001,
    ),
    at_least(atomic_over_last_block, 10),
    at_least(shared_tree_over_last, 3),
)
claim(
    "the model has a warp ahead of a block, and the GPU the block",
    less(
        modelled("warp_per_row", chapter="32", type="float", rows=1024),
        modelled("block_per_row", chapter="32", type="float", rows=1024),
    ),
    at_least(warp_per_row_ms / block_per_row_ms, 1.02),
)
claim(
    "the model has overlap behind fetching first, and the GPUs ahead",
    less(modelled("halo_first", chapter="41", n=2**26), modelled("halo_overlap", chapter="41", n=2**26)),
    faster(ms("halo_overlap", chapter="41", n=2**28), ms("halo_first", chapter="41", n=2**28)),
)

# Grading an explanation

blocked_x4_per_load = count("blocked_x4", "load_sectors_per_request", chapter="03", threads=256)
striped_x4_per_load = count("striped_x4", "load_sectors_per_request", chapter="03", threads=256)
striped_x4_over_blocked_x4 = value(ratio(gb, "striped_x4", "blocked_x4", chapter="03", threads=256), ".1f")
claim("a quarter of the sectors is not a quarter of the time", between(1, striped_x4_over_blocked_x4, 2.5))
claim(
    "what the sample answers say of sectors is counted",
    equal(blocked_x4_per_load, 16),
    equal(striped_x4_per_load, 4),
)
