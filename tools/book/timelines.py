"""Modelled timelines as SVG: a lane for each engine, a bar for each operation."""

import math

from tools.book import figures
from tools.book.shapes import line, rectangle, words

# Lane: its name on the figure.
LANES = {"H2D": "host to device", "compute": "kernels", "D2H": "device to host", "peer": "to peer", "host": "host"}
STREAMS = ("cold", "hot", "library", "extra", "more", "yours")  # colours, round robin
HIGH, GAP = 26, 10


def tick_step(end):
    """A round number of which some six fit into `end`."""
    power = 10 ** math.floor(math.log10(end / 6))
    return next(step * power for step in (1, 2, 5, 10) if end / (step * power) <= 8)


def lane_of(bar):
    """Of several devices, each has lanes of its own."""
    return bar["engine"], bar.get("device")


def lanes_of(bars):
    """One device after the other, and the host, which is none, last where there are several."""
    def place(lane):
        engine, device = lane
        return math.inf if engine == "host" else device or 0, list(LANES).index(engine)

    return sorted({lane_of(bar) for bar in bars}, key=place)


def draw(data):
    """The SVG of a timeline's data: lanes of bars over the modelled time."""
    left, width = 118, 822
    bars, end = data["bars"], max(bar["end_ms"] for bar in data["bars"])
    lanes = lanes_of(bars)
    parts, top = figures.head(10, data["title"], data["subtitle"])
    below = top + len(lanes) * (HIGH + GAP)
    step = tick_step(end)
    for number in range(int(end / step) + 1):
        x = left + number * step / end * width
        parts += [line([(x, top), (x, below)], "rule", .6), words(x, below + 14, f"{number * step:g}", "quiet", "middle", size=11)]
    for index, (lane, device) in enumerate(lanes):
        y = top + index * (HIGH + GAP)
        name = LANES[lane] if device is None else f"{device}: {LANES[lane]}"
        parts += [words(left - 10, y + HIGH / 2 + 4, name, anchor="end"), line([(left, y + HIGH), (left + width, y + HIGH)], "rule", 1)]
        for bar in (bar for bar in bars if lane_of(bar) == (lane, device)):
            x = left + bar["start_ms"] / end * width
            wide = max(1.5, (bar["end_ms"] - bar["start_ms"]) / end * width)
            role = "quiet" if lane == "host" else STREAMS[bar["stream"] % len(STREAMS)]
            tip = (f"{bar['label'] or 'copy'}, stream {bar['stream']}: {bar['start_ms']:.4g} to "
                   f"{bar['end_ms']:.4g} ms")
            edge = "paper" if wide > 4 else role  # or the edge is all that there is
            parts.append(rectangle(x, y, wide, HIGH, role, tip, edge))
            if wide > 12 and lane != "host":
                parts.append(words(x + wide / 2, y + HIGH / 2 + 4, str(bar["stream"]), "paper", "middle", size=10))
    parts.append(words(left + width / 2, below + 32, f"modelled time, ms ({data['end']} in all)", "quiet", "middle"))
    return figures.framed(data["alt"], figures.canvas(below + 44, parts))
