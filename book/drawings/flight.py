"""Bytes in flight, drawn: how long a thread's 8 bytes occupy its slot."""

from tools.book import facts
from tools.book.numbers import show
from tools.book.shapes import LEFT, RIGHT, bracket, cell, legend, words

SLOTS = 2048  # threads that an SM holds


def slot(_):
    """A slot of chapter 01's kernel over time: the load alone, with the rest of its block, and on a full SM."""
    bytes_of_slots = 8 * SLOTS * facts.device("multiprocessors")
    load = facts.ns("chase", chapter="21", table=2**30, order="random", cache="cold")
    block = facts.ns("copy_one_per_sm", chapter="23", threads=256) * facts.device("multiprocessors")
    turn = bytes_of_slots / (facts.gb("basic", chapter="01", threads=256) * 2 / 3)  # two of three floats are read
    thread = turn * facts.counter("basic", "warps_active_percent", chapter="01", threads=256, large=True) / 100
    times = [f"{show(held, '.0f')} ns" for held in (load, block, thread)]
    cases = [("the load alone, on an idle GPU", [(load, "cold")]),
             ("in a block alone on its SM", [(load, "cold"), (block, "more")]),
             ("in this kernel, on a full SM", [(thread, "more"), (turn, "waste")])]
    rates = [f"{show(bytes_of_slots / end, ',.0f')} GB/s" for end in (load, block, turn)]
    caption = ("Compare the bars: a slot reads 8 bytes per bar, so a bar of twice the length means half of the bandwidth; "
               f"from measurements on {facts.device('name')}.")
    alt = (f"Drawing of how long 8 bytes occupy a slot. The load alone takes {times[0]}: {rates[0]} if all slots are so fast. A thread of a "
           f"block alone on its SM holds the slot for {times[1]}: {rates[1]}. On a full SM it holds the slot for {times[2]}, and the slot "
           f"is then empty until {show(turn, '.0f')} ns: {rates[2]}.")
    parts, y, scale = [], 18, (RIGHT - LEFT) / turn
    for (title, pieces), rate in zip(cases, rates):
        parts += [words(LEFT, y, title, "ink", weight="600"), words(RIGHT, y, rate, "ink", "end")]
        start = LEFT
        for end, role in pieces:
            parts += cell(start, y + 8, LEFT + end * scale - start, 26, role)
            start = LEFT + end * scale
        y += 58
    parts += [words(LEFT + load * scale + 6, 43, times[0]), words(LEFT + block * scale + 6, 101, times[1]),
              words(LEFT + thread * scale / 2, 159, times[2], "paper", "middle"),
              bracket(LEFT, RIGHT, y - 16, "quiet"),
              words((LEFT + RIGHT) / 2, y + 2, f"turnover time: {show(turn, '.0f')} ns", "ink", "middle")]
    more, below = legend(y + 26, [("cold", "the load"), ("more", "a thread holds the slot, load included"), ("waste", "the slot is empty")])
    return caption, alt, below, parts + more
