"""Modelled timelines as SVG: a lane for each engine, a bar for each operation."""

import math

from tools.book import figures

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


def draw(data, narrow=False):
    """The SVG of a timeline's data: lanes of bars over the modelled time."""
    left, width = (6, 344) if narrow else (118, 822)
    gap = 24 if narrow else GAP  # on a phone a lane's name stands above it
    bars, end = data["bars"], max(bar["end_ms"] for bar in data["bars"])
    lanes = lanes_of(bars)
    parts, top = figures.head(left if narrow else 10, data["title"], data["subtitle"], narrow)
    top += 14 if narrow else 0
    below = top + len(lanes) * (HIGH + gap)
    step = tick_step(end) * (2 if narrow else 1)
    for number in range(int(end / step) + 1):
        x = left + number * step / end * width
        parts.append(f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{below:.1f}" '
                     'style="stroke:var(--rule);stroke-width:.6"/>')
        parts.append(figures.label(x, below + 14, f"{number * step:g}", "quiet", 11, "middle"))
    for index, (lane, device) in enumerate(lanes):
        y = top + index * (HIGH + gap)
        name = LANES[lane] if device is None else f"{device}: {LANES[lane]}"
        parts.append(figures.label(left, y - 5, name, "ink", 12) if narrow else
                     figures.label(left - 10, y + HIGH / 2 + 4, name, "ink", 12, "end"))
        parts.append(f'<line x1="{left}" y1="{y + HIGH:.1f}" x2="{left + width}" y2="{y + HIGH:.1f}" '
                     'style="stroke:var(--rule);stroke-width:1"/>')
        for bar in (bar for bar in bars if lane_of(bar) == (lane, device)):
            x = left + bar["start_ms"] / end * width
            wide = max(1.5, (bar["end_ms"] - bar["start_ms"]) / end * width)
            role = "quiet" if lane == "host" else STREAMS[bar["stream"] % len(STREAMS)]
            tip = (f"{bar['label'] or 'copy'}, stream {bar['stream']}: {bar['start_ms']:.4g} to "
                   f"{bar['end_ms']:.4g} ms")
            edge = "paper" if wide > 4 else role  # or the edge is all that there is
            parts.append(figures.rectangle(x, y, wide, HIGH, role, tip, edge))
            if wide > 12 and lane != "host":
                parts.append(figures.label(x + wide / 2, y + HIGH / 2 + 4, str(bar["stream"]),
                                           "paper", 10, "middle"))
    parts.append(figures.label(left + width / 2, below + 32,
                               f"modelled time, ms ({data['end']} in all)", "quiet", 12, "middle"))
    return figures.framed(data["alt"], figures.canvas(below + 44, parts, 360 if narrow else 960))
