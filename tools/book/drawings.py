"""What moves in the hardware, drawn: `<!-- drawing: NAME -->`.

A drawing is two functions. One takes the blocks of a page and returns its data, from results, traces and sources,
with a caption and a text alternative; the other takes the data and returns the height and the parts of the figure.
"""

import sys
from typing import Callable, NamedTuple

from tools.book import cache_drawings, engine_drawings, facts, figures, flight_drawings, hardware, kernel_drawings, page_drawings, paths, sector_drawings, shapes, tiles
from tools.book.results import BookError


class Drawing(NamedTuple):
    data: Callable
    draw: Callable
    traces: tuple = ()  # chapter and variant of each trace that it needs


DRAWINGS = {
    "gpu": Drawing(hardware.gpu, hardware.draw_gpu),
    "littles_law": Drawing(flight_drawings.littles_law, flight_drawings.draw_littles_law),
    "stencil_tile": Drawing(tiles.stencil, tiles.draw_stencil),
    "turned_tile": Drawing(tiles.turned, tiles.draw_banks, (("07_shared_memory", "reorder_shared"),
                                                            ("07_shared_memory", "reorder_padded"))),
    "pages": Drawing(page_drawings.pages, page_drawings.draw_pages),
    "pipeline": Drawing(engine_drawings.pipeline, engine_drawings.draw_pipeline),
    "bulk_copy": Drawing(engine_drawings.bulk_copy, engine_drawings.draw_bulk_copy),
    "pitched_rows": Drawing(sector_drawings.rows, sector_drawings.draw_rows),
    "stores_in_parts": Drawing(sector_drawings.stores, sector_drawings.draw_stores, (("03_coarsening", "blocked_x4"),)),
    "record_layouts": Drawing(sector_drawings.layouts, sector_drawings.draw_layouts,
                              tuple(("16_data_layout", variant) for variant in sector_drawings.LAYOUTS)),
    "transpose": Drawing(tiles.transpose, tiles.draw_transpose, (("20_transpose_tiles", "tile_plain"),)),
    "tile_layouts": Drawing(tiles.layouts, tiles.draw_banks,
                            tuple(("20_transpose_tiles", f"tile_{name}") for name in ("plain", "padded", "swizzled"))),
    "row_places": Drawing(kernel_drawings.row_places, kernel_drawings.draw_row_places),
    "row_shares": Drawing(kernel_drawings.row_shares, kernel_drawings.draw_row_shares),
    "look_back": Drawing(kernel_drawings.look_back, kernel_drawings.draw_look_back),
    "far_counters": Drawing(kernel_drawings.far_counters, kernel_drawings.draw_far_counters),
    "window": Drawing(cache_drawings.window, cache_drawings.draw_window),
    "set_aside": Drawing(cache_drawings.set_aside, cache_drawings.draw_set_aside),
}


def find(name):
    if name not in DRAWINGS:
        raise BookError(f"there is no drawing '{name}'; there are {', '.join(DRAWINGS)}.")
    return DRAWINGS[name]


def data_of(name, blocks):
    with facts.reading(blocks.page):
        return {"kind": "drawing", "drawing": name, **find(name).data(blocks)}


def code(data):
    """The files whose code draws the data."""
    return sys.modules[find(data["drawing"]).draw.__module__].__file__, shapes.__file__


def draw(data):
    """The SVG of a drawing's data."""
    height, parts = find(data["drawing"]).draw(data)
    return figures.framed(data, paths.portrait(height, parts), *code(data))
