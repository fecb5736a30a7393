"""Tiles in shared memory, drawn: which thread puts which word there, which one takes it, and from which bank."""

from shapes import LEFT, RIGHT, arrow, bracket, cell, legend, patch, words

CHAPTER = "chapters/07_shared_memory/07_shared_memory.cu"


def stencil(blocks):
    """A block of the stencil: its threads, and how many neighbours an element has to either side."""
    constant = blocks.names()["constant"]
    threads, radius = constant(CHAPTER, "threads"), constant(CHAPTER, "radius")
    tile, reads = threads + 2 * radius, 2 * radius + 1
    return {"threads": threads, "radius": radius,
            "caption": f"Follow thread 0: it loads two words of the tile and adds up {reads}, which {reads} different "
                       "threads have loaded.",
            "alt": f"Drawing of a block's tile in the stencil. Its {threads} threads load {tile} elements of a from "
                   f"device memory: each thread one, and threads 0 to {2 * radius - 1} another one behind the last. After the "
                   f"barrier thread 0 adds words 0 to {2 * radius} of the tile, thread 1 words 1 to {2 * radius + 1}, and "
                   f"thread {threads - 1} words {threads - 1} to {tile - 1}."}


def turned(blocks):
    """What a warp does to the plain and the padded tile of the re-ordering: from the traces of the two kernels."""
    panels = [tile_of(blocks, "07_shared_memory", variant) for variant in ("reorder_shared", "reorder_padded")]
    return {"panels": panels,
            "caption": "Compare the numbers in the orange cells: they are the banks that one load of a warp asks.",
            "alt": "Drawing of the tile, plain and padded. A warp writes a row of it, a lane each word, and reads a column. "
                   + " ".join(f"With rows of {panel['pitch']} words the column lies in {panel['banks']}: "
                              f"{panel['wavefronts']}." for panel in panels)}


def tile_of(blocks, chapter, variant):
    """The words of a tile that the first warp stores and loads, as its trace has them, and what the load takes."""
    requests = [r for r in blocks.results.trace(chapter, variant)["requests"] if r["space"] == "shared"]
    store, load = (next(r for r in requests if r["access"] == access) for access in ("store", "load"))
    served = blocks.banks(load)
    written, read = ([spot // 4 for spot in request["offsets"]] for request in (store, load))
    return {"written": written, "read": read, "pitch": read[1] - read[0],
            "banks": served["caption"].split(" in ")[1].split(":")[0],
            "wavefronts": served["caption"].split(": ")[1].rstrip(".")}


def draw_turned(data):
    """Both tiles side by side, with the bank of each word; the middle of a tile is left out."""
    size, parts = 18, []
    width = (RIGHT - LEFT) / 2
    for at, panel in enumerate(data["panels"]):
        x, y, pitch = LEFT + width * at, 60, panel["pitch"]
        left = x + 20
        shown = [0, 1, 2, 3, None, *range(31, pitch)]
        parts += [words(x, 18, f"rows of {pitch} words", "ink", weight="600"), words(x, 38, "lanes that write row 0:", "cold")]
        for column, number in enumerate(shown):
            if number is not None and number < 32:
                parts.append(words(left + size * (column + .5), y - 5, str(panel["written"].index(number)), "cold", "middle"))
        for row, lane in enumerate([0, 1, 2, 3, 4, 5, None, 31]):
            if lane is None:
                parts += [words(left + size * (column + .5), y + size * (row + .6), "...", "quiet", "middle")
                          for column, number in enumerate(shown) if number is not None]
                continue
            parts.append(words(left - 4, y + size * row + 13, str(lane), "hot", "end"))
            for column, number in enumerate(shown):
                word = None if number is None else lane * pitch + number
                if word is None:
                    parts.append(words(left + size * (column + .5), y + size * (row + .6), "...", "quiet", "middle"))
                    continue
                role = "hot" if word in panel["read"] else "cold" if word in panel["written"] else "rule"
                role = role if number < 32 else "paper"
                ink = "quiet" if role == "paper" else "ink" if role == "rule" else "paper"
                box = left + size * column, y + size * row, size, size
                parts += cell(*box, role, str(word % 32), ink)
                if word in panel["read"] and word in panel["written"]:
                    parts.append(bracket(box[0] + 1, box[0] + size - 1, box[1] + 2, "cold", 0))
        parts += [words(x, y + 8 * size + 18, "the column lies in", "hot"),
                  words(x, y + 8 * size + 34, f"{panel['banks']}:", "hot"),
                  words(x, y + 8 * size + 50, panel["wavefronts"], "hot", weight="600")]
    more, below = legend(60 + 8 * size + 76, [("cold", "what a warp writes: a row; the number is the bank"),
                                             ("hot", "what it reads: a column, lane 0 at the top"),
                                             ("paper", "padding: no element lies there")])
    return below, parts + more


def draw_stencil(data):
    threads, radius = data["threads"], data["radius"]
    tile, shown = threads + 2 * radius, 2 * radius + 2  # the first words and the last, with a gap between
    size = (RIGHT - LEFT) / (2 * shown + 2)

    def at(word):
        return LEFT + size * (word if word < shown else word - tile + 2 * shown + 2)

    seen = [*range(shown), *range(tile - shown, tile)]
    firsts, seconds = [w for w in seen if w < threads], [w for w in seen if w >= threads]
    top, low = 46, 118
    parts = [words(LEFT, 18, f"a, in device memory: {tile} elements", "ink", weight="600"),
             words(LEFT, 38, f"a[start - {radius}]", "quiet"),
             words(RIGHT, 38, f"a[start + {threads + radius - 1}]", "quiet", "end"),
             patch([(at(w), top, size, 16) for w in seen], "rule"),
             words(LEFT + size * (shown + 1), top + 12, "...", "quiet", "middle")]
    for word in (0, threads - 1, threads, tile - 1):
        parts.append(arrow(at(word) + size / 2, top + 18, at(word) + size / 2, low - 3, "cold" if word < threads else "hot"))
    for word, last, role, verb in ((0, threads - 1, "cold", "load one each"), (threads, 2 * radius - 1, "hot", "load another")):
        parts += [words(at(word) + 14, 84, f"threads 0 to {last}", role), words(at(word) + 14, 100, verb, role)]
    parts += [patch([(at(w), low, size, 18) for w in firsts], "cold"),
              patch([(at(w), low, size, 18) for w in seconds], "hot"),
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
    return below, parts + more
