"""The hardware as a drawing: host, link, device memory, L2, SMs, warps.

What the boxes say of sizes, rates and latencies is looked up in the results, like every number.
"""

from tools.book import facts
from tools.book.numbers import show
from tools.book.shapes import LEFT, RIGHT, arrow, cell, patch, words


def box(x, y, width, height, role="paper", stroke="quiet"):
    return cell(x, y, width, height, role, stroke=stroke)[0]


def both_ways(x, y, to):
    """A vertical arrow with a head at either end: bytes go both ways."""
    return arrow(x, y, x, to, "cold", 2) + arrow(x, to, x, y, "cold", 2)


def gpu(_):
    """The further down, the nearer to the threads."""
    device, ns = facts.device, facts.ns
    name, multiprocessors = device("name"), device("multiprocessors")
    link = f"{show(facts.parameter('memcpy', 'gb', chapter='04', memory='pinned'), '.0f')} GB/s"
    dram = (f"{show(device('memory_bytes') / 2**30, '.0f')} GiB, {show(device('peak_gb_per_s'), ',.0f')} GB/s, "
            f"{show(ns('chase', chapter='21', table=2**30, order='random'), '.0f')} ns")
    l2 = f"{show(device('l2_bytes') / 2**20)} MiB, {show(ns('chase', chapter='21', table=2**20, cache='cold'), '.0f')} ns"
    l1 = (f"{show(facts.machine('l1_bytes') / 2**10, '.0f')} KiB, "
          f"{show(ns('chase', chapter='21', table=16 * 2**10), '.0f')} ns")
    caption = f"Sizes, rates and latencies: {name}, measured or as its driver reports."
    alt = (f"Drawing of {name}. From top to bottom: the host with its memory; the link, {link}; the GPU's device memory, {dram}; "
           f"the L2 cache, {l2}, one for all; and {multiprocessors} SMs side by side, each with an L1 cache and shared memory of "
           f"{l1}, and with warps of 32 threads.")
    middle, wide = (LEFT + RIGHT) / 2, RIGHT - LEFT

    def memory(y, title, text):
        return [box(LEFT + 10, y, wide - 20, 44, "paper"),
                words(middle, y + 18, title, "ink", "middle", "600", 13),
                words(middle, y + 35, text, "quiet", "middle")]

    parts = [box(LEFT, 6, wide, 48, "paper"),
             words(middle, 26, "Host", "ink", "middle", "600", 14),
             words(middle, 44, "the processor that runs main(), and its memory", "quiet", "middle"),
             both_ways(middle, 56, 84), words(middle + 12, 74, f"link: {link}", "quiet"),
             box(LEFT, 86, wide, 374, "paper", "ink"),
             words(LEFT + 12, 106, "GPU", weight="600", size=14),
             *memory(116, "Device memory (DRAM)", dram), both_ways(middle, 162, 184),
             *memory(186, "L2 cache, one for all", l2)]
    x = LEFT + 10
    for each in (127, 127, wide - 20 - 2 * (127 + 6)):
        parts += [both_ways(x + each / 2, 232, 254), box(x, 256, each, 192, "paper")]
        if each != 127:
            parts += [words(x + each / 2, 340, f"{multiprocessors}", "ink", "middle", "600", 14),
                      words(x + each / 2, 358, "of them", "quiet", "middle")]
            continue
        parts += [words(x + each / 2, 274, "SM", "ink", "middle", "600", 13),
                  box(x + 6, 282, each - 12, 58, "paper"),
                  words(x + each / 2, 298, "L1 cache and", "ink", "middle"),
                  words(x + each / 2, 313, "shared memory", "ink", "middle"),
                  words(x + each / 2, 331, l1, "quiet", "middle"),
                  words(x + 6, 358, "warps", "quiet")]
        lane = (each - 12) / 32
        for warp in range(4):
            parts.append(patch([(x + 6 + k * lane, 364 + 13 * warp, lane - .7, 8) for k in range(32)], "cold"))
        parts.append(words(x + each / 2, 432, "...", "quiet", "middle", size=14))
        x += each + 6
    parts += [words(LEFT + 10, 480, "A row of 32 cells is a warp: 32 threads that take", "quiet"),
              words(LEFT + 10, 496, "each step together. ns: what one load takes from there.", "quiet")]
    return caption, alt, 508, parts
