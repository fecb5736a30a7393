"""The hardware as a drawing: host, link, device memory, L2, SMs, warps.

What the boxes say of sizes, rates and latencies is looked up in the results, like every number.
"""

from tools.book import facts, figures
from tools.book.numbers import show
from tools.book.shapes import LEFT, RIGHT


def box(x, y, width, height, role, stroke="quiet"):
    return (f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" '
            f'style="fill:var(--{role});stroke:var(--{stroke});stroke-width:1.3"/>')


def arrow(x, y, to):
    """A vertical arrow with a head at either end: bytes go both ways."""
    return (f'<path d="M{x} {y}V{to}M{x - 4} {y + 5}L{x} {y}L{x + 4} {y + 5}M{x - 4} {to - 5}L{x} {to}L{x + 4} {to - 5}" '
            'style="fill:none;stroke:var(--cold);stroke-width:2"/>')


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

    def memory(y, title, words):
        return [box(LEFT + 10, y, wide - 20, 44, "paper"),
                figures.label(middle, y + 18, title, "ink", 13, "middle", "600"),
                figures.label(middle, y + 35, words, "quiet", 12, "middle")]

    parts = [box(LEFT, 6, wide, 48, "paper"),
             figures.label(middle, 26, "Host", "ink", 14, "middle", "600"),
             figures.label(middle, 44, "the processor that runs main(), and its memory", "quiet", 12, "middle"),
             arrow(middle, 56, 84), figures.label(middle + 12, 74, f"link: {link}", "quiet", 12),
             box(LEFT, 86, wide, 374, "paper", "ink"),
             figures.label(LEFT + 12, 106, "GPU", "ink", 14, weight="600"),
             *memory(116, "Device memory (DRAM)", dram), arrow(middle, 162, 184),
             *memory(186, "L2 cache, one for all", l2)]
    x = LEFT + 10
    for each in (127, 127, wide - 20 - 2 * (127 + 6)):
        parts += [arrow(round(x + each / 2), 232, 254), box(x, 256, each, 192, "paper")]
        if each != 127:
            parts += [figures.label(x + each / 2, 340, f"{multiprocessors}", "ink", 14, "middle", "600"),
                      figures.label(x + each / 2, 358, "of them", "quiet", 12, "middle")]
            continue
        parts += [figures.label(x + each / 2, 274, "SM", "ink", 13, "middle", "600"),
                  box(x + 6, 282, each - 12, 58, "paper"),
                  figures.label(x + each / 2, 298, "L1 cache and", "ink", 12, "middle"),
                  figures.label(x + each / 2, 313, "shared memory", "ink", 12, "middle"),
                  figures.label(x + each / 2, 331, l1, "quiet", 12, "middle"),
                  figures.label(x + 6, 358, "warps", "quiet", 12)]
        lane = (each - 12) / 32
        for warp in range(4):
            parts += [f'<rect x="{x + 6 + k * lane:.2f}" y="{364 + 13 * warp}" width="{lane - .7:.2f}" height="8" '
                      'style="fill:var(--cold)"/>' for k in range(32)]
        parts.append(figures.label(x + each / 2, 432, "...", "quiet", 14, "middle"))
        x += each + 6
    parts += [figures.label(LEFT + 10, 480, "A row of 32 cells is a warp: 32 threads that take", "quiet", 12),
              figures.label(LEFT + 10, 496, "each step together. ns: what one load takes from there.", "quiet", 12)]
    return caption, alt, 508, parts
