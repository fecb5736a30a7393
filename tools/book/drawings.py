"""What moves in the hardware, drawn: `<!--drawing: NAME-->`.

A drawing is a function of book/drawings/ that takes the blocks of a page and returns, of results, traces and sources, a caption, a
text alternative, and the height and the parts of the figure.
"""

from typing import Callable, NamedTuple

from book.drawings import caches, engines, flight, hardware, kernels, pages, sectors, tiles
from tools.book import facts, figures, paths
from tools.book.results import BookError


class Drawing(NamedTuple):
    draw: Callable
    traces: tuple = (None,)  # a chapter, and its variants whose traces are drawn


DRAWINGS = {
    "gpu": Drawing(hardware.gpu),
    "slot": Drawing(flight.slot),
    "stencil_tile": Drawing(tiles.stencil),
    "turned_tile": Drawing(tiles.turned, ("07_shared_memory", "reorder_shared", "reorder_padded")),
    "pages": Drawing(pages.pages),
    "pipeline": Drawing(engines.pipeline),
    "bulk_copy": Drawing(engines.bulk_copy),
    "pitched_rows": Drawing(sectors.rows),
    "stores_in_parts": Drawing(sectors.stores, ("03_coarsening", "blocked_x4")),
    "record_layouts": Drawing(sectors.layouts, ("16_data_layout", *sectors.LAYOUTS)),
    "transpose": Drawing(tiles.transpose, ("20_transpose_tiles", "tile_plain")),
    "tile_layouts": Drawing(tiles.layouts, ("20_transpose_tiles", "tile_plain", "tile_padded", "tile_swizzled")),
    "row_places": Drawing(kernels.row_places),
    "row_shares": Drawing(kernels.row_shares),
    "look_back": Drawing(kernels.look_back),
    "ring_rounds": Drawing(kernels.ring_rounds),
    "far_counters": Drawing(kernels.far_counters),
    "layer_steps": Drawing(kernels.layer_steps),
    "window": Drawing(caches.window),
    "set_aside": Drawing(caches.set_aside),
}


def find(name):
    if name not in DRAWINGS:
        raise BookError(f"there is no drawing '{name}'; there are {', '.join(DRAWINGS)}.")
    return DRAWINGS[name]


def data_of(name, blocks):
    with facts.reading(blocks.page):
        caption, alt, height, parts = find(name).draw(blocks)
    return {"kind": "drawing", "caption": caption, "alt": alt, "svg": figures.framed(alt, paths.portrait(height, parts))}


def draw(data):
    return data["svg"]
