"""Kernels of Part IV, drawn: where a row waits, who has which part of a matrix, what tiles tell each other."""

from itertools import accumulate

from tools.book import facts
from tools.book.numbers import show
from tools.book.shapes import LEFT, RIGHT, arrow, bracket, cell, legend, line, patch, words

WARP = 32


def row_places(_):
    """Three ways of a softmax through a row, and how often each requests it: from the counts of chapter 33."""
    count, cases = facts.count, []
    for variant, place, steps in (("three_passes", "", ("largest", "sum", "results")),
                                  ("in_shared", "shared memory", ("largest, sum", "results")),
                                  ("in_registers", "registers", ("largest, sum", "results"))):
        row = {"chapter": "33", "result": "softmax", **({"threads": 128} if variant == "in_registers" else {})}
        sectors, stored = (count(variant, f"{access}_sectors", **row) for access in ("load", "store"))
        cases.append({"variant": variant, "place": place, "steps": steps, "asked": round(sectors / stored),
                      "bytes": round(count(variant, "load_sectors_per_request", **row))})
    said = "; ".join(f"{case['variant']}: {', then '.join(case['steps'])}, the row {'in ' + case['place'] if case['place'] else 'nowhere'} between; "
                     f"requested {case['asked']} x, {case['bytes']} bytes per lane and load" for case in cases)
    caption = "Count the arrows that leave the grey box: that is how often a row is requested."
    alt = f"Drawing of the passes of a softmax over a row. {said}."
    parts, y, place, step = [], 18, (LEFT + 116, 108), (RIGHT - 92, 92)
    for case in cases:
        parts += [words(LEFT, y, case["variant"], "ink", weight="600"),
                  words(RIGHT, y, f"row requested {case['asked']} x, {case['bytes']} bytes per load", "quiet", "end")]
        top, high = y + 10, 28 * len(case["steps"]) - 6
        parts += [*cell(LEFT, top, 72, high, "rule"), *(words(LEFT + 36, top + high / 2 + y, text, "ink", "middle")
                                                for y, text in ((-4, "memory,"), (12, "caches")))]
        if case["place"]:
            parts += [*cell(place[0], top, place[1], high, "cold", case["place"], "paper"),
                      arrow(LEFT + 72, top + high / 2, place[0] - 2, top + high / 2, "hot", 2.2)]
        for at, text in enumerate(case["steps"]):
            middle = top + 28 * at + 11
            parts += [*cell(step[0], top + 28 * at, step[1], 22, "paper", text, "ink"),
                      arrow(sum(place) if case["place"] else LEFT + 72, middle, step[0] - 2, middle,
                            "quiet" if case["place"] else "hot", 1.6 if case["place"] else 2.2)]
        y = top + high + 28
    return caption, alt, y - 18, parts


def row_shares(_):
    """What a warp and its block load at once of a matrix that is stored row by row, when it is whose."""
    threads = facts.constant("chapters/32_matrix_vector/rows.cuh", "threads")
    parts, y, warps = [], 18, threads // WARP
    caption = f"Follow the blue bytes, one load of a warp: from {WARP} rows, from one row, from a part of one row."
    alt = (f"Drawing of one matrix three times, stored row by row, and what a block of {threads} threads loads of it at once, 16 bytes per "
           f"lane. thread_per_row: a warp loads the first 16 bytes of {WARP} rows, and each other warp of {WARP} further ones. "
           f"warp_per_row: a warp loads {16 * WARP} neighbouring bytes of one row, each other warp of the next ones. block_per_row: the "
           f"{warps} warps load {warps} times {16 * WARP} bytes of one row, next to each other.")
    part, high = (RIGHT - LEFT) / warps, 8  # pixels of 512 bytes, and of a row
    for name, text, where, own, others in (
            ("thread_per_row", f"one warp for {WARP} rows, four of them drawn", f"one load: {WARP} pieces of 16 bytes", [(0, row, 4) for row in range(warps // 2)],
             [(0, row, 4) for row in range(warps // 2, warps)]),
            ("warp_per_row", "one warp per row", f"one load: one piece of {16 * WARP} bytes", [(0, 0, part)], [(0, row, part) for row in range(1, warps)]),
            ("block_per_row", f"{warps} warps per row",
             f"{warps} loads next to each other: {show(16 * WARP * warps, ',.0f')} bytes",
             [(0, 0, part)], [(at * part, 0, part) for at in range(1, warps)])):
        parts += [words(LEFT, y, name, "ink", weight="600"), words(RIGHT, y, text, "quiet", "end")]
        y += 8
        for row in range(warps):
            parts += cell(LEFT, y + row * high, RIGHT - LEFT, high, "paper", stroke="rule")
        for role, boxes in (("cold", own), ("waste", others)):
            parts.append(patch([(LEFT + x, y + row * high, wide, high) for x, row, wide in boxes], role))
        parts.append(words(LEFT, y + warps * high + 16, where, "cold"))
        y += warps * high + 42
    more, below = legend(y, [("cold", "what one warp loads at once, 16 bytes per lane"), ("waste", "the other warps of its block"),
                             ("paper", "the matrix: a line is a row")])
    return caption, alt, below, parts + more


def look_back(_):
    """Five tiles whose sums are small: how the last one learns what is before it, chained and by look-back."""
    sums, known, parts, y = [3, 1, 4, 1, 5], 2, [], 18
    caption = "Compare what tile 4 waits for: a chain of four sums, or sums that are already published."
    alt = (f"Drawing of five tiles with the sums {', '.join(map(str, sums))}. Chained: each tile waits for the sum up to the one before "
           f"it, adds its own and passes on {', '.join(map(str, accumulate(sums[:-1])))}, one after the other. Look-back: tile 4 reads what "
           f"tiles 3, 2 and 1 have published at once; tiles 3 and 2 have published their own sums, {sums[3]} and {sums[2]}, tile 1 the sum up to it, "
           f"{sums[0] + sums[1]}, where it stops: {sum(sums[:-1])} are before tile 4.")
    prefix, wide, gap = list(accumulate(sums)), 52, (RIGHT - LEFT - 52) / 4
    for title in ("chained", "look-back"):
        chained = title == "chained"
        parts.append(words(LEFT, y, f"{title}: " + ("each waits for the one before" if chained else "read backwards, all at once"), "ink", weight="600"))
        top = y + 30
        for tile, own in enumerate(sums):
            x, last = LEFT + tile * gap, tile == len(sums) - 1
            parts.append(words(x + wide / 2, top - 8, f"tile {tile}", "quiet", "middle"))
            told = "" if chained or last else f"up to: {prefix[tile]}" if tile < known else f"own: {own}"
            role = "cold" if told.startswith("up") else "waste" if told else "paper"
            parts += cell(x, top, wide, 24, role, told or f"sum {own}", "paper" if role == "cold" else "ink")
            if chained and not last:
                parts += [arrow(x + wide, top + 12, x + gap - 2, top + 12, "hot"),
                          words(x + (wide + gap) / 2, top + 40, f"up to: {prefix[tile]}", "hot", "middle")]
        if not chained:
            first, end = LEFT + (known - 1) * gap, LEFT + 3 * gap + wide
            parts += [bracket(first, end, top + 34, "hot"), line([(end, top + 34), (LEFT + 4 * gap + wide / 2, top + 34)], "hot", 1.8),
                      arrow(LEFT + 4 * gap + wide / 2, top + 34, LEFT + 4 * gap + wide / 2, top + 26, "hot"),
                      words((first + end) / 2, top + 52, " + ".join(map(show, [prefix[known - 1], *sums[known:-1]])) + f" = {prefix[-2]}", "hot", "middle")]
        y = top + 76
    more, below = legend(y + 2, [("waste", "the tile has published its own sum"), ("cold", "it has published the sum of all tiles up to it")])
    return caption, alt, below, parts + more


def ring_rounds(_):
    """A delay of one block of chapter 29's rings, over time, and when another block can write its tile of that round."""
    unit, delay = 58, 87
    start = [("publish 7", unit, "cold"), ("write 6", unit, "rule")]
    cases = (("ring: another block waits", [("write 6", unit, "rule"), ("delayed", delay, "waste"), ("publish 7", unit, "cold"), ("write 7", unit, "rule")],
              [("write 6", unit, "rule"), ("publish 7", unit, "cold"), ("waits for 7", delay, "paper"), ("write 7", unit, "rule")], unit * 2 + delay),
             ("ring_ahead: 7 is already published", [*start, ("delayed", delay, "waste"), ("publish 8", unit, "cold"), ("write 7", unit, "rule")],
              [*start, ("publish 8", unit, "cold"), ("write 7", unit, "rule"), ("publish 9", unit, "cold"), ("write 8", unit, "rule")], unit))
    caption = "Follow the orange arrow: what another block needs to write its tile of round 7 (not to scale)."
    alt = ("Drawing of two blocks over time, by numbers of rounds. " + " ".join(
        f"{title}. The delayed block: {', '.join(name for name, _, _ in late)}. Another block: {', '.join(name for name, _, _ in other)}."
        for title, late, other, _ in cases))
    parts, y = [], 18
    for title, *blocks, published in cases:
        parts.append(words(LEFT, y, title, "ink", weight="600"))
        for who, steps in zip(("a delayed block", "another block"), blocks):
            parts.append(words(LEFT, y + 20, who, "quiet"))
            x = LEFT
            for text, wide, role in steps:
                parts += cell(x, y + 26, wide, 24, role, text, "paper" if role == "cold" else "ink")
                if text == "write 7" and who == "another block":
                    parts.append(arrow(LEFT + published, y + 2, x + 2, y + 25, "hot"))
                x += wide
            y += 48
        y += 36
    more, below = legend(y, [("cold", "publishes the sum of its tile"), ("rule", "has the sums of all blocks, writes its tile")])
    return caption, alt, below, parts + more


def far_counters(_):
    """Four ways to count words whose counters two blocks have: who reads them, and who adds to whom."""
    halves = ["block 0: lower half", "block 1: upper half"]
    caption = "Follow the orange arrows: only in dsmem_atomics do blocks add to each other's counters."
    alt = ("Drawing of two halves of the counters, and how words reach the blocks that have them. multi_pass: all words come to a block in each of two "
           "passes, in which it has one half of the counters. replicated_reads: all words come to each of two blocks, which have a half of the counters each. "
           "dsmem_atomics: one half of the words comes to each of two blocks, which adds to its own counters or to those of the other. multicast: the words "
           "are fetched once, and come to both blocks.")
    parts, y, box = [], 18, (RIGHT - 148, 148)
    for name, who, boxes in (("multi_pass", "one block, twice", ["pass 1: lower half", "pass 2: upper half"]), ("replicated_reads", "a group of two", halves),
                             ("dsmem_atomics", "a cluster of two", halves), ("multicast", "a cluster of two", halves)):
        middles = (y + 23, y + 57)
        parts += [words(LEFT, y, name, "ink", weight="600"), words(RIGHT, y, who, "quiet", "end"),
                  *cell(LEFT, y + 10, 60, 60, "rule"), words(LEFT + 30, y + 44, "words", "ink", "middle")]
        for at, (middle, counters) in enumerate(zip(middles, boxes)):
            parts += cell(box[0], middle - 13, box[1], 26, "paper", counters, "ink")
            if name == "multicast":
                parts += [line([(LEFT + 60, y + 40), (LEFT + 110, y + 40), (LEFT + 110, middle), (box[0] - 12, middle)], "cold", 2.2),
                          arrow(box[0] - 14, middle, box[0] - 2, middle, "cold", 2.2)]
            else:
                parts.append(arrow(LEFT + 60, middle, box[0] - 2, middle, "cold", 2.2))
            text = "all" if name != "dsmem_atomics" else ("one half", "the other half")[at]
            parts.append(words((LEFT + 60 + box[0]) / 2 + (22 if name == "multicast" else 0), middle - 6, text, "cold", "middle"))
        if name == "dsmem_atomics":
            parts += [arrow(box[0] + 40, middles[0] + 13, box[0] + 40, middles[1] - 14, "hot", 2.2),
                      arrow(box[0] + 60, middles[1] - 13, box[0] + 60, middles[0] + 14, "hot", 2.2)]
        y += 100
    more, below = legend(y, [("cold", "words in flight to a block"), ("hot", "an addition to the other block's counter"),
                             ("paper", "a block, with that half of the counters")])
    return caption, alt, below, parts + more


# The steps of a decoder layer: the weights, in squares of the hidden size, and what a block needs of the step before.
LAYER = (("qkv", 1.5, "x, normalized"), ("attention", 0, "the queries of its heads, and the new key and value"), ("out", 1, "all heads"),
         ("gate_up", 7, "all of x1, normalized"), ("down", 3.5, "all 14,336 activated numbers"))


def layer_steps(_):
    """The steps of chapter 39 in one kernel: what each reads, and where all blocks wait for each other."""
    hidden, cache = 4096, 4096 * 8 * 128 * 2 * 2
    steps = [(name, (squares * hidden**2 * 2 or cache) / 10**6, needs) for name, squares, needs in LAYER]
    caption = "At each barrier all blocks wait for the outputs of the step before, but bytes of the next bar are already in flight."
    alt = ("Drawing of one_kernel from top to bottom. " + " A grid barrier follows. ".join(
        f"{name} reads {show(mb, '.0f')} MB of {'weights' if name != 'attention' else 'keys and values'}; each block needs {needs}."
        for name, mb, needs in steps))
    parts, y, scale = [], 18, (RIGHT - LEFT) / max(mb for _, mb, _ in steps)
    for at, (name, mb, needs) in enumerate(steps):
        if at:
            parts += [line([(LEFT, y - 13), (LEFT + 118, y - 13)], "hot", 1.8, "5 4"), words((LEFT + RIGHT) / 2, y - 9, "grid barrier", "hot", "middle", "600"),
                      line([(RIGHT - 118, y - 13), (RIGHT, y - 13)], "hot", 1.8, "5 4")]
            y += 14
        parts += [words(LEFT, y, name, "ink", weight="600"), words(RIGHT, y, f"{show(mb, '.0f')} MB", "ink", "end"),
                  *cell(LEFT, y + 8, mb * scale, 14, "cold" if name != "attention" else "waste"),
                  words(LEFT, y + 37, f"needs {needs}", "quiet")]
        y += 68
    more, below = legend(y - 6, [("cold", "weights, which the rings read ahead of the barriers"), ("waste", "the KV cache: old tokens are read ahead, too")])
    return caption, alt, below, parts + more
