"""Managed memory, drawn: on which side the pages of each matrix are, step by step."""

from tools.book import facts
from tools.book.numbers import show
from tools.book.shapes import LEFT, RIGHT, arrow, cell, words

# What happens, its phase, and the matrices that it moves: to the device, or back to the host.
STEPS = (("the host has written a and b", None, "", ""),
         ("the kernel, for the first time", "kernel", "abc", ""),
         ("the kernel once more", "kernel_again", "", ""),
         ("the host reads c", "host_read", "", "c"),
         ("the host writes a and b again", "initialise", "", "ab"))


def pages(_):
    """The steps of `managed` in chapter 12 at the size of its tables, with the time of each."""
    on_device, steps = set(), []
    for title, phase, there, back in STEPS:
        on_device = (on_device | set(there)) - set(back)
        steps.append({"title": title, "device": sorted(on_device), "moved": there or back,
                      "ms": show(facts.ms("managed", chapter="12", phase=phase, n=2**24), ".3g") if phase else ""})
    said = "; ".join(step["title"] + f", {step['ms']} ms" * bool(step["ms"]) + ": on the device "
                     + (", ".join(step["device"]) or "nothing") for step in steps)
    caption = f"Compare the times with the arrows: the slow steps are those that move pages; measured on {facts.device('name')}."
    alt = f"Drawing of where the pages of three matrices are after each step with managed memory. {said}."
    wide, high, host, device = 42, 22, LEFT, RIGHT - 3 * 46
    parts = [words(host, 16, "on the host", "quiet"), words(device, 16, "on the device", "quiet")]
    y = 34
    for step in steps:
        parts += [words(LEFT, y + 4, step["title"], "ink", weight="600"),
                  *([words(RIGHT, y + 4, f"{step['ms']} ms", "hot", "end", "600")] if step["ms"] else [])]
        for at, name in enumerate("abc"):
            there = name in step["device"]
            for x, here in ((host, not there), (device, there)):
                moved = here and name in step["moved"]
                parts += cell(x + 46 * at, y + 12, wide, high, ("hot" if moved else "cold") if here else "paper",
                              name if here else "", stroke="quiet" if here else "rule")
        if step["moved"]:
            ends = [(host + 3 * 46 + 2, device - 6), (device - 6, host + 3 * 46 + 2)]
            begin, end = ends[step["moved"][0] not in step["device"]]
            parts.append(arrow(begin, y + 23, end, y + 23, "hot"))
        y += 60
    return caption, alt, y - 14, parts
