"""The L2 cache, drawn: the part that is set aside, and the window whose lines persist there."""

from tools.book import facts
from tools.book.numbers import show
from tools.book.shapes import LEFT, RIGHT, arrow, cell, legend, line, patch, words

MIB = 2**20


def window(_):
    """The lines of a window in the L2: a row of chapter 18 whose window has the size of its set-aside."""
    size, whole = facts.parameter("matched_window", "window_mib", chapter="18", window=50), facts.device("l2_bytes") / MIB
    caption = "Follow the window: its lines have priority in the set-aside, and the streams do not evict them."
    alt = (f"Drawing of the arrays and the L2 cache. The first {show(size)} MiB of a are the window. Its lines persist in a part "
           f"of the L2 that is set aside, {show(size)} MiB of {show(whole)}. The rest of a, and all of c, stream through the other "
           f"{show(whole - size)} MiB, where later lines evict earlier ones.")
    reserved = (RIGHT - LEFT) * size / whole
    top, l2, left = 36, 142, LEFT + reserved
    parts = [words(LEFT, 18, "in memory", "ink", weight="600"), *cell(LEFT, top, reserved, 24, "cold", "window of a", "paper"),
             *cell(left, top, RIGHT - left, 24, "rule", "the rest of a, read once", "ink"),
             *cell(left, top + 34, RIGHT - left, 24, "rule", "c, written once", "ink"),
             words(LEFT, l2 - 12, "in the L2", "ink", weight="600"),
             *cell(LEFT, l2, reserved, 44, "cold"),
             *(words(LEFT + reserved / 2, l2 + y, text, "paper", "middle") for y, text in ((19, f"{show(size)} MiB"), (35, "set aside"))),
             *cell(left, l2, RIGHT - left, 44, "rule", f"{show(whole - size)} MiB for all else", "ink"),
             arrow(LEFT + reserved * .86, top + 26, LEFT + reserved * .86, l2 - 2, "cold", 2),
             arrow((left + RIGHT) / 2, top + 60, (left + RIGHT) / 2, l2 - 2, "hot", 2),
             arrow((left + RIGHT) / 2, l2 + 46, (left + RIGHT) / 2, l2 + 66, "hot", 2),
             words(LEFT + reserved * .86 - 8, top + 64, "persisting", "cold", "end"),
             words((left + RIGHT) / 2 + 8, top + 86, "streams past", "hot"),
             words(LEFT, l2 + 62, "stays", "cold", weight="600"),
             words((left + RIGHT) / 2 - 8, l2 + 62, "evicted", "hot", "end", "600")]
    return caption, alt, l2 + 78, parts


def set_aside(_):
    """Five rows of chapter 18, to scale: what the window requests, what is reserved, how full that is, how fast it is."""
    gb, parameter, whole = facts.gb, facts.parameter, facts.device("l2_bytes") / MIB
    most = parameter("stream_window", "window_mib", chapter="18", window=100)  # a window as large as the largest set-aside
    cases = []
    for variant, percent, title in (("ordinary", 50, "no set-aside"), ("matched_window", 50, "a set-aside of the window's size"),
                                    ("stream_window", 50, "the largest set-aside"),
                                    ("stream_window", 200, "a window larger than the set-aside"),
                                    ("fitted_window", 200, "the share of that window that fits")):
        row = {"chapter": "18", "window": percent}
        window, reserved = (parameter(variant, name, **row) for name in ("window_mib", "set_aside"))
        ratio = parameter(variant, "hit_ratio", **row) if reserved else 0
        cases.append({"variant": variant, "title": title, "window": window, "ratio": ratio,
                      "reserved": most * reserved / 100, "gb": show(gb(variant, **row), ",.0f")})
    said = [f"{case['variant']}, {case['title']}: a window of {show(case['window'])} MiB, hit ratio {case['ratio']:g}, "
            f"{show(case['reserved'])} MiB set aside, {case['gb']} GB/s" for case in cases]
    caption = ("Compare the bandwidths: a smaller set-aside filled by its window is faster than none, the largest slower, however "
               f"full; measured on {facts.device('name')}.")
    alt = (f"Drawing of the L2 cache, {show(whole)} MiB, to scale: a part is set aside for the persisting lines of a window, "
           f"and everything else goes through the rest. {'; '.join(said)}.")
    longest = max(whole, *(case["window"] for case in cases))
    mib, parts, y = (RIGHT - LEFT) / longest, [], 18
    for case in cases:
        window, asked, reserved = case["window"] * mib, case["window"] * case["ratio"] * mib, case["reserved"] * mib
        l2, kept = whole * mib, min(asked, reserved)
        parts += [words(LEFT, y, case["title"], "ink", weight="600"), words(RIGHT, y, f"{case['gb']} GB/s", "hot", "end", "600"),
                  *cell(LEFT, y + 8, window, 16, "paper")]
        if asked:
            parts.append(patch([(LEFT, y + 8, asked, 16)], "cold"))
        name = f"window {show(case['window'])} MiB"
        inside = len(name) * 6.6 + 8 < window
        parts.append(words(LEFT + (4 if inside else window + 6), y + 20.5, name,
                           "quiet" if not inside or not asked else "paper"))
        top = y + 46
        parts += cell(LEFT, top, l2, 20, "rule")
        if reserved:
            parts += [*cell(LEFT, top, reserved, 20, "waste"), patch([(LEFT, top, kept, 20)], "cold"),
                      arrow(LEFT + kept / 2, y + 26, LEFT + kept / 2, top - 2, "cold"),
                      line([(LEFT + reserved, top - 5), (LEFT + reserved, top + 25)], "ink", 1.8)]
            if asked > reserved:
                parts.append(arrow(LEFT + (asked + reserved) / 2, y + 26, LEFT + reserved * .8, top - 2, "cold"))
            parts.append(words(LEFT + 4, top + 14.5, "set aside", "paper"))
        else:
            parts.append(arrow(LEFT + window / 2, y + 26, LEFT + window / 2, top - 2))
        free = whole - case["reserved"]
        parts.append(words(LEFT + l2 - 4, top + 14.5, f"{show(free)} MiB left" if reserved else f"L2: {show(free)} MiB", "ink",
                           "end"))
        y = top + 52
    more, below = legend(y - 6, [("cold", "persisting lines, above and in the L2"), ("waste", "set aside and empty"),
                                 ("rule", "for the streams and all other bytes"),
                                 ("paper", "other lines of the window")])
    return caption, alt, below, parts + more
