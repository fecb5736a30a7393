"""Tiles in shared memory, drawn: which thread puts which word there, which one takes it, and from which bank."""

import functools
import re

from tools.book import facts
from tools.book.shapes import LEFT, RIGHT, arrow, bracket, cell, legend, line, patch, words


def stencil(_):
    """A block of the stencil, whose elements have neighbours to either side."""
    def constant(file, name):
        return int(facts.constant(f"chapters/07_shared_memory/{file}", name))
    threads, radius = constant("copy.cuh", "threads"), constant("stencil.cuh", "radius")
    tile, reads = threads + 2 * radius, 2 * radius + 1
    caption = f"Follow thread 0: it loads two words of the tile and adds up {reads}, which {reads} different threads have loaded."
    alt = (f"Drawing of a block's tile in the stencil. Its {threads} threads load {tile} elements of a from "
           f"device memory: each thread one, and threads 0 to {2 * radius - 1} another one behind the last. After the "
           f"barrier thread 0 adds words 0 to {2 * radius} of the tile, thread 1 words 1 to {2 * radius + 1}, and "
           f"thread {threads - 1} words {threads - 1} to {tile - 1}.")
    shown = 2 * radius + 2  # the first words and the last, with a gap between
    size = (RIGHT - LEFT) / (2 * shown + 2)

    def at(word):
        return LEFT + size * (word if word < shown else word - tile + 2 * shown + 2)

    # Three strips, so that no shape reaches over the gap.
    strips = [(range(shown), "cold"), (range(tile - shown, threads), "cold"), (range(threads, tile), "hot")]
    top, low = 46, 118
    parts = [words(LEFT, 18, f"a, in device memory: {tile} elements", "ink", weight="600"),
             words(LEFT, 38, f"a[start - {radius}]", "quiet"),
             words(RIGHT, 38, f"a[start + {threads + radius - 1}]", "quiet", "end"),
             *(patch([(at(w), top, size, 16) for w in strip], "rule") for strip, _ in strips),
             words(LEFT + size * (shown + 1), top + 12, "...", "quiet", "middle")]
    for word in (0, threads - 1, threads, tile - 1):
        parts.append(arrow(at(word) + size / 2, top + 18, at(word) + size / 2, low - 3, "cold" if word < threads else "hot"))
    for word, last, role, verb in ((0, threads - 1, "cold", "load one each"), (threads, 2 * radius - 1, "hot", "load another")):
        parts += [words(at(word) + 14, 84, f"threads 0 to {last}", role), words(at(word) + 14, 100, verb, role)]
    parts += [*(patch([(at(w), low, size, 18) for w in strip], role) for strip, role in strips),
              words(LEFT + size * (shown + 1), low + 13, "...", "quiet", "middle")]
    parts += [words(at(word) + (size if word == tile - 1 else 0), low + 32, str(word), "quiet",
                    "end" if word == tile - 1 else "start") for word in (0, 2 * radius, threads - 1, tile - 1)]
    parts += [words(LEFT, low + 58, f"the tile in shared memory: {tile} words", "ink", weight="600"),
              words(LEFT, low + 76, "and, after the barrier, what a thread reads from it:", "quiet")]
    for row, thread in enumerate((0, 1, threads - 1)):
        y = low + 108 + 34 * row
        x, to_x = at(thread), at(thread + 2 * radius) + size
        own = at(thread + radius)
        parts += [bracket(x, to_x, y, "ink"), patch([(own, y - 8, size, 8)], "more"),
                  words(to_x + 8 if row < 2 else x - 8, y, f"thread {thread}: {thread} to {thread + 2 * radius}", "ink",
                        "start" if row < 2 else "end")]
    more, below = legend(low + 108 + 3 * 34, [("more", f"the thread's own element, with {radius} to either side of it")])
    return caption, alt, below, parts + more


def banks_of(blocks, chapter, variant, **panel):
    """A tile whose first row a warp writes and whose first column it reads, and what its trace says of that load."""
    requests = [r for r in blocks.results.trace(chapter, variant)["requests"] if r["space"] == "shared"]
    store, load = (next(r for r in requests if r["access"] == access) for access in ("store", "load"))
    written, read = ([spot // 4 for spot in request["offsets"]] for request in (store, load))
    places, wavefronts = re.search(r"in (.*): (.*)\.", blocks.banks(load)["caption"]).groups()
    return {"written": written, "read": read, "banks": places, "wavefronts": wavefronts, **panel}


def turned(blocks):
    """What a warp does to the plain and the padded tile of the re-ordering: from the traces of the two kernels."""
    panels = []
    for variant in ("reorder_shared", "reorder_padded"):
        panel = banks_of(blocks, "07_shared_memory", variant)
        pitch = panel["read"][1] - panel["read"][0]
        panel.update(title=f"rows of {pitch} words",
                     rows=[[y, [y * pitch + x for x in range(pitch)]] for y in (0, 1, 2, 3, 4, 5, 31)])
        panels.append(panel)
    return ("Compare the numbers in the orange cells: they are the banks that one load of a warp accesses.",
            "Drawing of the tile, plain and padded. A warp writes a row of it, one word per lane, and reads a column. "
            + " ".join(f"With {panel['title']} the column lies in {panel['banks']}: {panel['wavefronts']}." for panel in panels),
            *draw_banks(panels))


def draw_banks(panels):
    """Two tiles side by side, and more below them, with the bank of each word; the middle of a tile is left out."""
    size, parts, top, below = 18, [], 0, 0
    for at, panel in enumerate(panels):
        x, top = LEFT + (RIGHT - LEFT) / 2 * (at % 2), below if at % 2 == 0 else top
        left, y = x + 20, top + (78 if "slot" in panel else 60)
        shown = [0, 1, 2, 3, None, *range(31, len(panel["rows"][0][1]))]

        def dots(row, column):
            parts.append(words(left + size * (column + .5), y + size * (row + .6), "...", "quiet", "middle"))

        parts += [words(x, top + 18, panel["title"], "ink", weight="600"),
                  words(x, y - 22, "lanes that write row 0:", "cold")]
        if "slot" in panel:
            parts.append(words(x, top + 36, panel["slot"]))
        for column, number in enumerate(shown):
            if number is not None and number < 32:
                parts.append(words(left + size * (column + .5), y - 5, str(panel["written"].index(panel["rows"][0][1][number])),
                                   "cold", "middle"))
        for row, (lane, tile_row) in enumerate(panel["rows"]):
            if lane == 31:  # the last one, behind those that are left out
                for column in range(len(shown)):
                    dots(row, column)
                row += 1
            parts.append(words(left - 4, y + size * row + 13, str(lane), "hot", "end"))
            for column, number in enumerate(shown):
                if number is None:
                    dots(row, column)
                    continue
                word, box = tile_row[number], (left + size * column, y + size * row, size, size)
                read, written = word in panel["read"], word in panel["written"]
                role = "paper" if number > 31 else "hot" if read else "cold" if written else "rule"
                parts += cell(*box, role, str(word % 32), {"paper": "quiet", "rule": "ink"}.get(role, "paper"))
                if role == "hot" and written:
                    parts.append(bracket(box[0] + 1, box[0] + size - 1, box[1] + 2, "cold", 0))
        end = y + size * (len(panel["rows"]) + 1)
        parts += [words(x, end + 18, "the column lies in", "hot"), words(x, end + 34, f"{panel['banks']}:", "hot"),
                  words(x, end + 50, panel["wavefronts"], "hot", weight="600")]
        below = end + 62
    more, below = legend(below + 14, [("cold", "what a warp writes: a row; the number is the bank"),
                                      ("hot", "what it reads: a column, lane 0 at the top"),
                                      ("paper", "padding: no element lies there")])
    return below, parts + more


# --- chapter 20 ----------------------------------------------------------------------------------


def transpose(blocks):
    """The elements of a tile that a warp loads from a and writes to the tile, and those that it reads and stores to c."""
    launch = blocks.results.trace("20_transpose_tiles", "tile_plain")
    side, high = launch["block"][:2]  # a warp is a row of the block: its second load is `high` rows of a further down

    def of(access):
        return [request for request in launch["requests"] if (request["access"], request["space"]) == (access, "global")]

    def places(requests):
        begins = [request["offsets"][0] for request in requests]
        row = (begins[1] - begins[0]) // high
        return [[divmod((spot - begins[0]) // 4, row // 4) for spot in request["offsets"]] for request in requests]

    steps = {"a": places(of("load")), "c": places(of("store"))}
    sectors = {access: len(blocks.sectors(of(access)[0])["sectors"]) for access in ("load", "store")}
    row, column = steps["a"][1][side // 2]  # one of the second load, in the middle of its row
    caption = (f"Follow the marked element: lane {column} of the warp loads it as part of a row, and lane {row} takes it from "
               "the tile as part of a column.")
    alt = (f"Drawing of a tile of {side} by {side} elements in flight from a to c. A warp loads {len(steps['a'])} rows of a, "
           f"{sectors['load']} sectors each, and writes them to rows of the tile in shared memory. After the barrier it "
           f"reads {len(steps['c'])} columns of the tile and stores each as a row of c, {sectors['store']} sectors.")
    size, y = 98 / side, 62
    xs = (LEFT, LEFT + 125, LEFT + 250)
    parts = []

    def square(x, y, done, role):
        parts.append(patch([(x, y, 98, 98)], "rule", "quiet"))
        parts.append(patch([(x + size * across, y + size * down, size, size) for request in done for down, across in request], role))

    for title, x in zip(("a", "the tile", "c"), xs):
        parts.append(words(x, 18, title, "ink", weight="600"))
    for text, x in zip(("device memory", "shared memory", "device memory"), xs):
        parts.append(words(x, 34, text, "quiet"))
    parts.append(words(LEFT, 54, "load, and write to the tile:", "cold"))
    square(xs[0], y, steps["a"], "cold")
    square(xs[1], y, steps["a"], "cold")
    parts.append(arrow(xs[0] + 101, y + 49, xs[1] - 3, y + 49, "cold"))
    low = y + 98 + 50
    parts += [line([(LEFT, low - 36), (RIGHT, low - 36)], "ink", 1.4, "5 4"),
              words(LEFT, low - 20, "__syncthreads()", "ink"),
              words(xs[1], low - 8, "read from it, and store:", "hot")]
    square(xs[1], low, [[(across, down) for down, across in request] for request in steps["c"]], "hot")
    square(xs[2], low, steps["c"], "hot")
    parts.append(arrow(xs[1] + 101, low + 49, xs[2] - 3, low + 49, "hot"))
    for x, top, (at_row, at_column) in ((xs[0], y, (row, column)), (xs[1], y, (row, column)), (xs[1], low, (row, column)),
                                        (xs[2], low, (column, row))):
        parts.append(f'<rect x="{x + size * at_column - 2:.1f}" y="{top + size * at_row - 2:.1f}" width="{size + 4:.1f}" '
                     f'height="{size + 4:.1f}" style="fill:var(--ink);stroke:var(--paper);stroke-width:1"/>')
    parts += [words(xs[2] - 4, y + 30, "a row of a:", "cold"), words(xs[2] - 4, y + 46, f"{sectors['load']} sectors", "cold", weight="600"),
              words(LEFT, low + 30, "a row of c:", "hot"),
              words(LEFT, low + 46, f"{sectors['store']} sectors", "hot", weight="600")]
    more, below = legend(low + 98 + 24, [("cold", f"the {len(steps['a'])} rows that one warp loads and writes"),
                                         ("hot", f"the {len(steps['c'])} columns that it reads, rows of c"),
                                         ("ink", "a marked element, in flight")])
    return caption, alt, below, parts + more


def layout_panels(blocks):
    """The three layouts of a tile: where its elements lie from the source, what a row and a column cost from the traces."""
    path = blocks.sources.file("20_transpose_tiles", "tile")
    tile_dim = int(facts.constant(path, "tile_dim"))
    source = path.read_text(encoding="utf-8")
    returned = iter(re.findall(r"return (y \* .*);", source[source.index("unsigned slot("):]))
    panels = {}
    for title in ("padded", "swizzled", "plain"):  # the order of the source
        slot = next(returned)
        at = functools.partial(eval, compile(slot, str(path), "eval"))
        columns = range(tile_dim + (title == "padded"))
        rows = [[y, [at({"tile_dim": tile_dim, "y": y, "x": x}) for x in columns]] for y in (0, 1, 2, 3, tile_dim - 1)]
        panels[title] = banks_of(blocks, "20_transpose_tiles", f"tile_{title}", title=title, slot=f"at {slot}", rows=rows)
    return [panels[title] for title in ("plain", "padded", "swizzled")]


def layouts(blocks):
    panels = layout_panels(blocks)
    side = len(panels[0]["rows"][0][1])
    said = [f"{panel['title']}: element (y, x) lies {panel['slot']}, a column in {panel['banks']}, {panel['wavefronts']}"
            for panel in panels]
    return ("Compare the second row of each: padding shifts it by one bank, swizzling permutes its words, and either way no "
            "number appears twice in a column.",
            f"Drawing of a tile of {side} by {side} words in three layouts, with the bank of each word. {'; '.join(said)}.",
            *draw_banks(panels))
