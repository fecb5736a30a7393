"""Bytes in flight, drawn: a rate times the time that it lasts is an area."""

from tools.book import facts
from tools.book.numbers import show
from tools.book.shapes import LEFT, RIGHT, bracket, cell, line, words

SLOTS = 2048  # threads that an SM holds
MIB = 2**20


def littles_law(_):
    """The reads of chapter 01, and those of the library next to it, while a slot is taken once."""
    gb, slots = facts.gb, SLOTS * facts.device("multiprocessors")
    read = 2 / 3  # of twelve bytes
    own = gb("basic", chapter="01", threads=256) * read
    other = gb("thrust::transform", chapter="01") * read
    turn = 8 * slots / own
    cases = [{"title": title, "rate": rate, "mib": rate * turn / MIB}
             for title, rate in (("one float per thread", own), ("as fast as the libraries, in the same time", other))]
    said = "; ".join(f"{case['title']}: {show(case['rate'], ',.0f')} GB/s, {show(case['mib'], '.2f')} MiB" for case in cases)
    caption = ("The area is the most that can be in flight. To be faster in the same time, it has to grow; "
               f"from measurements on {facts.device('name')}.")
    alt = ("Drawing of Little's law: boxes as wide as a slot's turnover time, "
           f"{show(turn, '.0f')} ns, and as high as the rate at which bytes are read. Their areas are the most bytes that can be in flight. {said}.")
    left, right = LEFT + 78, RIGHT - 4
    parts, y, scale = [], 18, 92 / max(case["rate"] for case in cases)
    for case, role in zip(cases, ("cold", "hot")):
        high = case["rate"] * scale
        parts += [words(LEFT, y, case["title"], "ink", weight="600"),
                  *cell(left, y + 12, right - left, high, role),
                  words((left + right) / 2, y + 12 + high / 2 - 4, f"{show(case['mib'], '.2f')} MiB, if all slots were in use", "paper", "middle", "600"),
                  words(left - 12, y + 12 + high / 2, show(case["rate"], ",.0f"), "ink", "end"),
                  words(left - 12, y + 28 + high / 2, "GB/s read", "quiet", "end"),
                  line([(left - 6, y + 12), (left - 6, y + 12 + high)], role, 1.8),
                  words((left + right) / 2, y + 12 + high / 2 + 14,
                        f"{show(slots, ',.0f')} slots, {show(case['rate'] * turn / slots, '.3g')} bytes each", "paper", "middle")]
        y += high + 42
    parts += [bracket(left, right, y - 12, "quiet"),
              words((left + right) / 2, y + 6, f"turnover time: {show(turn, '.0f')} ns, empty time included", "ink", "middle")]
    parts.append(words((left + right) / 2, y + 24, "rate x time = the most bytes in flight", "quiet", "middle"))
    return caption, alt, y + 32, parts
