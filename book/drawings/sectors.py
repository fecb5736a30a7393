"""Sectors and cache lines, drawn: what of them a warp requests, and what arrives in parts."""

from tools.book import facts
from tools.book.numbers import show
from tools.book.shapes import LEFT, RIGHT, arrow, cell, legend, line, lines, patch, words

SECTOR, LINE = 32, 128  # bytes


# --- chapter 14: where rows begin ----------------------------------------------------------------


def rows(_):
    """Where the first rows of three matrices begin, and what the first load of a warp in each of them touches."""
    count, panels = facts.count, []
    for variant, columns in (("dense", 1023), ("dense", 1000), ("pitched", 1023)):
        pitch = count(variant, "pitch", columns=columns, chapter="14")
        begins = [row * pitch for row in range(LINE // 4 + 1)]
        period = begins.index(next(at for at in begins[1:] if at % SECTOR == 0))
        shown = begins[:max(period, 3) + 1]
        panels.append({"variant": variant, "columns": columns, "pitch": pitch, "begins": shown,
                       "sectors": [len({(at + byte) // SECTOR for byte in range(LINE)}) for at in shown]})
    said = [f"{panel['columns']} columns {'with' if panel['variant'] == 'pitched' else 'without'} a pitch, {panel['pitch']} bytes "
            f"from row to row: " + ", ".join(str(number) for number in panel["sectors"]) for panel in panels]
    caption = "Follow the left end of the blue bars down: a bar that begins inside a sector ends inside a fifth."
    alt = ("Drawing of rows over sectors of 32 and lines of 128 bytes: the sectors that the first load of a warp "
           f"touches in row 0, 1, 2, and so on. {'; '.join(said)}.")
    left, right = LEFT + 88, RIGHT - 18
    byte = (right - left) / (2 * LINE)
    parts, y = [], 18
    for panel in panels:
        how = "padded" if panel["variant"] == "pitched" else "dense"
        parts += [words(LEFT, y, f"{panel['columns']} columns, {how}: {show(panel['pitch'])} bytes per row", "ink",
                        weight="600"),
                  words(LEFT, y + 20, "row", "quiet"), words(left - 6, y + 20, "at byte", "quiet", "end"),
                  words(left, y + 20, f"a line of {LINE} bytes", "quiet"),
                  words(left + LINE * byte + 4, y + 20, "the next", "quiet"), words(RIGHT, y + 20, "sectors", "quiet", "end")]
        top = y + 28
        for row, (begin, sectors) in enumerate(zip(panel["begins"], panel["sectors"])):
            at, from_line = top + 18 * row, begin % LINE
            first = from_line // SECTOR * SECTOR
            parts += [words(LEFT, at + 12, str(row), "quiet"), words(left - 6, at + 12, show(begin), "quiet", "end"),
                      patch([(left + k * SECTOR * byte, at, SECTOR * byte, 14) for k in range(8)], "rule"),
                      patch([(left + (first + k * SECTOR) * byte, at, SECTOR * byte, 14) for k in range(sectors)], "waste"),
                      patch([(left + from_line * byte, at + 3, LINE * byte, 8)], "cold"),
                      words(RIGHT, at + 12, str(sectors), "hot" if sectors > 4 else "ink", "end", "600")]
        bottom = top + 18 * len(panel["begins"])
        parts += [line([(left + k * SECTOR * byte, top - 3), (left + k * SECTOR * byte, bottom)], "ink", 1.6 if k % 4 == 0 else .5)
                  for k in range(9)]
        y = bottom + 30
    more, below = legend(y - 4, [("cold", f"the {LINE} bytes that a warp loads first of a row"),
                                 ("waste", "the sectors that move for them"),
                                 ("rule", "the other sectors of two lines, parted by thick strokes")])
    return caption, alt, below, parts + more


# --- chapter 03: stores that fill a sector in parts -----------------------------------------------


def stores(blocks):
    """Which lanes of a warp write which words of its first sector, store by store, and how often L2 was written to."""
    counter, traced = facts.counter, blocks.results.trace("03_coarsening", "blocked_x4")["requests"]
    requests = [request["offsets"] for request in traced if request["access"] == "store"]
    first = min(requests[0]) // SECTOR * SECTOR
    stored = [{str((spot - first) // 4): lane for lane, spot in enumerate(offsets) if first <= spot < first + SECTOR}
              for offsets in requests]

    def writes(variant):
        sectors = [counter(name, "l2_write_sectors", chapter="03", threads=256, large=True) for name in (variant, "striped_x4")]
        return show(sectors[0] / sectors[1], ".1f")

    apart, together = writes("blocked_x4"), writes("blocked_x4_loads_first")
    said = "; ".join("lanes " + " and ".join(map(str, part.values())) + " words " + " and ".join(part) for part in stored)
    caption = ("Count the arrows into L2: parts that are stored back to back meet in L1 and leave as one sector; "
               f"the averages were counted on {facts.device('name')}.")
    alt = (f"Drawing of {len(stored)} stores of a warp to one sector: {said}. With loads between the stores L1 sends each part on "
           f"by itself, and L2 was written to {apart} times for each sector; with the stores back to back most "
           f"parts meet in L1 and leave together, and it was {together} times.")
    columns, size, high, parts = (LEFT, 130, 254), 12, 16, []

    def sector(x, y, part):
        for word in range(SECTOR // 4):
            lane = part.get(str(word))
            parts.extend(cell(x + size * word, y, size, high, "rule" if lane is None else "cold",
                              "" if lane is None else str(lane)))

    def arrows(x, to_x, y, to_y):
        parts.append(arrow(x + 8 * size + 4, y + high / 2, to_x - 4, to_y + high / 2))

    def heads(y, title):
        parts.append(words(LEFT, y, title, "ink", weight="600"))
        parts.extend(words(x, y + 20, text, "quiet") for x, text in zip(columns, ("a warp stores", "in L1", "L2 gets")))

    heads(18, "blocked_x4: loads between the stores")
    y = 46
    for number, part in enumerate(stored):
        if number:
            parts.append(words(LEFT, y + 12, "the next loads, and a wait for them", "quiet"))
            y += 18
        for x in columns:
            sector(x, y, part)
        arrows(columns[0], columns[1], y, y)
        arrows(columns[1], columns[2], y, y)
        y += high + 4
    parts.append(words(LEFT, y + 14, f"On average L2 was written to {apart} times per sector.", "hot", weight="600"))
    y += 50
    heads(y, "blocked_x4_loads_first: loads, then stores")
    y += 28
    middle = y + (len(stored) - 1) * (high + 4) / 2
    for number, part in enumerate(stored):
        sector(columns[0], y, part)
        arrows(columns[0], columns[1], y, middle + (number - (len(stored) - 1) / 2) * 3)
        y += high + 4
    whole = {word: lane for part in stored for word, lane in part.items()}
    for x in columns[1:]:
        sector(x, middle, whole)
    arrows(columns[1], columns[2], middle, middle)
    parts.append(words(LEFT, y + 14, f"On average L2 was written to {together} times per sector.", "hot", weight="600"))
    more, below = legend(y + 42, [("cold", "4 bytes of one sector; the number is the lane"),
                                  ("rule", "bytes of that sector that this store does not write")])
    return caption, alt, below, parts + more


# --- chapter 16: layouts of records ----------------------------------------------------------------

LAYOUTS = {"aos": "Array of structures", "aligned": "Records moved whole", "soa": "Structure of arrays",
           "aosoa": "Tiles of {tile} records"}


def layouts(blocks):
    """Where the first warp's fields lie in each layout, and what its first load takes of them."""
    tile, panels = facts.constant("chapters/16_data_layout/aosoa.cuh", "tile"), []
    for variant, title in LAYOUTS.items():
        loads = [request for request in blocks.results.trace("16_data_layout", variant)["requests"]
                 if request["access"] == "load"]
        field, places = 0, {}  # word -> field and record
        for request in loads:
            for step in range(request["bytes"] // 4):
                places.update({spot // 4 + step: [field + step, lane] for lane, spot in enumerate(request["offsets"])})
            field += request["bytes"] // 4
        asked = {spot // 4 + step for spot in loads[0]["offsets"] for step in range(loads[0]["bytes"] // 4)}
        touched = sorted({word // 8 for word in asked})
        panels.append({"title": title.format(tile=tile), "words": [[word, *places[word]] for word in sorted(places)],
                       "asked": sorted(asked), "touched": touched, "loads": len(loads), "fields": field,
                       "used": show(len(asked) / 8 / len(touched), ".0%")})
    said = [f"{panel['title']}: the first of {panel['loads']} load{'s' if panel['loads'] > 1 else ''} touches "
            f"{len(panel['touched'])} sectors and uses {panel['used']} of their bytes" for panel in panels]
    caption = "Look for what lies next to x0 in each layout: the first load pays for the whole sector in which it lies."
    alt = f"Drawing of the 32 records of a warp, with {panels[0]['fields']} fields in memory, in four layouts. {'; '.join(said)}."
    parts, y, size = [], 18, (RIGHT - LEFT) / 16
    for panel in panels:
        seen = [word for word, _, _ in panel["words"]]
        sectors = sorted({word // 8 for word in seen})
        parts += [words(LEFT, y, panel["title"], "ink", weight="600"),
                  words(RIGHT, y, f"{len(panel['touched'])} sectors, {panel['used']} used", "hot", "end", "600")]

        def role(word):
            return "cold" if word in panel["asked"] else "waste" if word // 8 in panel["touched"] else "rule"

        named = {word: f"{'xyzwstuv'[field]}{record}" for word, field, record in panel["words"]}
        half = len(seen) // 2  # the first words and those of the second half, which have longer names
        for at, word in enumerate(seen[:8] + seen[half:half + 5]):
            x, wide = (LEFT + size * at, size) if at < 8 else (RIGHT - (13 - at) * 1.4 * size, 1.4 * size)
            parts += cell(x, y + 10, wide, 18, role(word), named[word], "paper" if role(word) == "cold" else "ink")
        parts.append(words(LEFT + 8.5 * size, y + 22, "...", "quiet", "middle"))
        gaps = [at for at in range(1, len(sectors)) if sectors[at] - sectors[at - 1] > 1]
        wide = (RIGHT - LEFT - 14 * len(gaps)) / len(sectors)
        for at, sector in enumerate(sectors):
            x = LEFT + wide * at + 14 * sum(gap <= at for gap in gaps)
            parts += [patch([(x + wide / 8 * k, y + 38, wide / 8, 14)], role(8 * sector + k)) for k in range(8)]
            parts.append(line([(x, y + 36), (x, y + 54), (x + wide, y + 54), (x + wide, y + 36)], "ink", 1))
            if at in gaps:
                parts.append(words(x - 7, y + 50, "...", "quiet", "middle"))
        y += 86
    more, below = legend(y, [("cold", "what a warp's first load takes; x0: field x of record 0"),
                             ("waste", "in the same sectors: moves with it"),
                             ("rule", "what a later load of the warp takes")])
    strip, below = lines(below, "The lower strip of each layout has the fields of all records of the warp; a stroke parts two sectors.")
    return caption, alt, below, parts + more + strip
