"""What moves in the hardware, drawn: `<!-- drawing: NAME -->`.

A drawing is a function that takes the blocks of a page and returns, of results, traces and sources, a caption, a text
alternative, and the height and the parts of the figure.
"""

from typing import Callable, NamedTuple

from tools.book import cache_drawings, engine_drawings, facts, figures, flight_drawings, hardware, kernel_drawings, page_drawings, paths, sector_drawings, tiles
from tools.book.results import BookError


class Drawing(NamedTuple):
    draw: Callable
    traces: tuple = (None,)  # a chapter, and its variants whose traces are drawn


DRAWINGS = {
    "gpu": Drawing(hardware.gpu),
    "littles_law": Drawing(flight_drawings.littles_law),
    "stencil_tile": Drawing(tiles.stencil),
    "turned_tile": Drawing(tiles.turned, ("07_shared_memory", "reorder_shared", "reorder_padded")),
    "pages": Drawing(page_drawings.pages),
    "pipeline": Drawing(engine_drawings.pipeline),
    "bulk_copy": Drawing(engine_drawings.bulk_copy),
    "pitched_rows": Drawing(sector_drawings.rows),
    "stores_in_parts": Drawing(sector_drawings.stores, ("03_coarsening", "blocked_x4")),
    "record_layouts": Drawing(sector_drawings.layouts, ("16_data_layout", *sector_drawings.LAYOUTS)),
    "transpose": Drawing(tiles.transpose, ("20_transpose_tiles", "tile_plain")),
    "tile_layouts": Drawing(tiles.layouts, ("20_transpose_tiles", "tile_plain", "tile_padded", "tile_swizzled")),
    "row_places": Drawing(kernel_drawings.row_places),
    "row_shares": Drawing(kernel_drawings.row_shares),
    "look_back": Drawing(kernel_drawings.look_back),
    "far_counters": Drawing(kernel_drawings.far_counters),
    "window": Drawing(cache_drawings.window),
    "set_aside": Drawing(cache_drawings.set_aside),
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
