"""Sectors and cache lines, drawn: what of them a warp asks for, and what arrives in parts."""

from expressions import show
from shapes import LEFT, RIGHT, legend, line, patch, words

SECTOR, LINE = 32, 128  # bytes


# --- chapter 12: where rows begin ----------------------------------------------------------------


def rows(blocks):
    """Where the first rows of three matrices begin, and what the first load of a warp in each of them touches."""
    count, panels = blocks.names()["count"], []
    for variant, columns in (("dense", 1023), ("dense", 1000), ("pitched", 1023)):
        pitch = count(variant, "pitch", columns=columns, chapter="12")
        begins = [row * pitch for row in range(LINE // 4 + 1)]
        period = begins.index(next(at for at in begins[1:] if at % SECTOR == 0))
        shown = begins[:max(period, 3) + 1]
        panels.append({"variant": variant, "columns": columns, "pitch": pitch, "begins": shown,
                       "sectors": [len({(at + byte) // SECTOR for byte in range(LINE)}) for at in shown]})
    said = [f"{panel['columns']} columns {'with' if panel['variant'] == 'pitched' else 'without'} a pitch, {panel['pitch']} bytes "
            f"from row to row: " + ", ".join(str(number) for number in panel["sectors"]) for panel in panels]
    return {"panels": panels,
            "caption": "Follow the left end of the blue bars down: a bar that begins inside a sector ends inside a fifth.",
            "alt": "Drawing of rows over sectors of 32 and lines of 128 bytes: the sectors that the first load of a warp "
                   f"touches in row 0, 1, 2, and so on. {'; '.join(said)}."}


def draw_rows(data):
    left, right = LEFT + 88, RIGHT - 18
    byte = (right - left) / (2 * LINE)
    parts, y = [], 18
    for panel in data["panels"]:
        how = "padded" if panel["variant"] == "pitched" else "dense"
        parts += [words(LEFT, y, f"{panel['columns']} columns, {how}: {show(panel['pitch'])} bytes a row", "ink",
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
    return below, parts + more
