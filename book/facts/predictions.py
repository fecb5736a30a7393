"""The facts of the page "Prediction quiz and common misconceptions"."""

from tools.book.facts import *


# Five assumptions, and when each is true

basic_256_threads_gb = gb("basic", chapter="02", threads=256)
basic_256_over_64 = value(basic_256_threads_gb / gb("basic", chapter="02", threads=64), ".1f")
basic_1ki_over_256 = value(gb("basic", chapter="02", threads=1024) / basic_256_threads_gb, ".2f")
add_copied_one_chunk_ms = ms("add_copied", chapter="41", chunks=1)
add_copied_8_chunks_ms = ms("add_copied", chapter="41", chunks=8)
pieces_copy_41_41_helps = value(add_copied_one_chunk_ms / add_copied_8_chunks_ms, ".2f")
add_copied_one_chunk_256ki_ms = ms("add_copied", chapter="41", chunks=1, n=2**18)
add_copied_8_chunks_256ki_ms = ms("add_copied", chapter="41", chunks=8, n=2**18)
pieces_copy_41_41_does = value(add_copied_one_chunk_256ki_ms / add_copied_8_chunks_256ki_ms, ".2f")
gather_in_order_gb = gb("gather", chapter="17", element_bytes=4, indices="sequential")
in_order_over_anywhere = value(
    gather_in_order_gb / gb("gather", chapter="17", element_bytes=4, indices="random"), ".1f"
)
soa_over_aos = value(ratio(gb, "soa", "aos", chapter="16", fields=8, used=1), ".1f")
read_offset_11_over_offset_0 = gb("read", chapter="15", offset=11) / gb("read", chapter="15", offset=0)
read_11_behind = value(1 - read_offset_11_over_offset_0, ".1%")
claim(
    "in a block a gather is no slower than in order",
    at_least(in_order_over_anywhere, 5),
    faster(gb("gather", chapter="17", element_bytes=4, indices="in a block"), gather_in_order_gb),
)
memcpy_over_pipeline = value(
    ms("memcpy", chapter="04", memory="pinned") / ms("pipeline", chapter="04", streams=2), ".2f"
)
ordinary_gb = gb("ordinary", chapter="18", window=50)
matched_over_ordinary = value(gb("matched_window", chapter="18", window=50) / ordinary_gb, ".2f")
stream_over_ordinary = value(gb("stream_window", chapter="18", window=50) / ordinary_gb, ".2f")
naive_column_ms = value(ms("naive_column", chapter="19", block="32x8"), ".2f")
naive_row_ms = value(ms("naive_row", chapter="19"), ".2f")
gather_anywhere_ms = value(ms("gather", chapter="17", element_bytes=4, indices="random"), ".1f")
scatter_anywhere_ms = value(ms("scatter", chapter="17", element_bytes=4, indices="random"), ".1f")
gather_in_order_ms = value(ms("gather", chapter="17", element_bytes=4, indices="sequential"), ".2f")
scatter_in_order_ms = value(ms("scatter", chapter="17", element_bytes=4, indices="sequential"), ".2f")
basic_ms = value(ms("basic", chapter="01", threads=256), ".2f")
by_hand_ms = value(ms("by_hand", chapter="01", cache=None), ".0f")
explicit_ms = value(ms("explicit", chapter="12", phase="kernel", n=2**24), ".2f")
managed_ms = value(ms("managed", chapter="12", phase="kernel", n=2**24), ".1f")
claim(
    "each assumption holds in its first case and not in its second",
    at_least(basic_256_over_64, 2),
    at_most(basic_1ki_over_256, 0.95),
    at_most(add_copied_8_chunks_ms / add_copied_one_chunk_ms, 0.95),
    at_least(add_copied_8_chunks_256ki_ms / add_copied_one_chunk_256ki_ms, 1.5),
    at_least(soa_over_aos, 6),
    at_least(read_offset_11_over_offset_0, 0.97),
)
claim(
    "a call pays under its condition",
    at_least(memcpy_over_pipeline, 1.1),
    at_least(matched_over_ordinary, 1.07),
    at_most(stream_over_ordinary, 0.9),
)
claim(
    "stores down columns and anywhere are slower than loads, stores in order are not",
    at_least(naive_row_ms / naive_column_ms, 1.5),
    at_least(scatter_anywhere_ms / gather_anywhere_ms, 1.5),
    at_most(scatter_in_order_ms / gather_in_order_ms, 0.9),
)
claim("the kernel is a small part", at_least(by_hand_ms / basic_ms, 10), at_least(managed_ms / explicit_ms, 100))
