"""The figures, as SVG: charts by matplotlib, access figures from traces.

A chart carries the hash of what it was drawn from (its data, and this file). A chart whose hash is
right is left alone, so another version of matplotlib changes nothing, and a check needs no
matplotlib at all; all other figures are drawn anew and compared. Colours are CSS variables with a light and a dark value inside each file;
the site drops those and uses its own, which follow its switch. A chart is as wide as a phone.
"""

import hashlib
import html
import io
import json
import re
import textwrap
from pathlib import Path

from tools.book.results import BookError
from tools.book.shapes import rectangle, words

# Role: light, dark. Text colours have at least 4.5:1 on `paper`, the others 3:1.
COLOURS = {
    "paper": ("#ffffff", "#15191e"), "ink": ("#1c2127", "#e4e7eb"), "quiet": ("#59616b", "#a3acb7"),
    "rule": ("#d5dae0", "#343b44"), "cold": ("#1c6fbd", "#5aa9f0"), "hot": ("#c8501e", "#f08a54"),
    "library": ("#7a5aa6", "#b79be0"), "yours": ("#1e7d4b", "#52c48a"), "extra": ("#8a6a00", "#d9b338"),
    "waste": ("#f3d3c6", "#5c3324"), "more": ("#0b747d", "#45bcc6"),
}
CHARTS = ("bars", "lines")  # kinds of figures that matplotlib draws
SERIES = ("cold", "hot", "library", "extra", "more", "quiet")
# matplotlib wants real colours: one that nobody uses stands for each role.
STAND_IN = {role: f"#0{number:x}0d0c" for number, role in enumerate(COLOURS, 1)}


def style():
    light = ";".join(f"--{role}:{pair[0]}" for role, pair in COLOURS.items())
    dark = ";".join(f"--{role}:{pair[1]}" for role, pair in COLOURS.items())
    return (f"<style>svg{{{light};background:var(--paper)}}"
            f"@media(prefers-color-scheme:dark){{svg{{{dark}}}}}</style>")


def mark(data):
    """What a chart carries: the hash of its data and of the code that draws it."""
    text = json.dumps(data, sort_keys=True) + Path(__file__).read_text(encoding="utf-8")
    return f"<!-- drawn from {hashlib.sha256(text.encode()).hexdigest()[:16]} -->"


def draw(data):
    """The SVG of a figure's data, whose `kind` is bars, lines, sectors or banks."""
    body = {"bars": bars, "lines": lines, "sectors": sectors, "banks": banks}[data["kind"]](data)
    return framed(data["alt"], body, mark(data) if data["kind"] in CHARTS else "")


def framed(alt, body, drawn_from=""):
    """The drawn figure with its mark, its text alternative and its colours."""
    head, _, rest = body.partition(">")
    return f"{head}>{drawn_from}<title>{html.escape(alt)}</title>{style()}{rest}"


# --- charts ------------------------------------------------------------------------------------


def plot(height, paint):
    try:
        import matplotlib
    except ImportError:
        raise BookError("figures need matplotlib: apt-get install python3-matplotlib.") from None
    matplotlib.use("svg")
    from matplotlib import pyplot
    settings = {"svg.fonttype": "none", "svg.hashsalt": "moving bytes", "font.size": 11,
                "font.family": "DejaVu Sans", "text.color": STAND_IN["ink"],
                "axes.labelcolor": STAND_IN["quiet"], "xtick.color": STAND_IN["quiet"],
                "ytick.color": STAND_IN["ink"], "axes.edgecolor": STAND_IN["rule"],
                "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
                "axes.titlesize": 12, "axes.titleweight": "bold", "axes.titlelocation": "left"}
    with matplotlib.rc_context(settings):
        figure, axes = pyplot.subplots(figsize=(4.6, height))
        figure.patch.set_visible(False)
        axes.patch.set_visible(False)
        paint(axes)
        out = io.StringIO()
        figure.savefig(out, format="svg", bbox_inches="tight", pad_inches=0.12,
                       metadata={"Date": None, "Creator": None})
        pyplot.close(figure)
    text = out.getvalue()
    text = text[text.index("<svg"):]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    for role, colour in STAND_IN.items():
        text = text.replace(colour, f"var(--{role})")
    text = re.sub(r"[ \t]+\n", "\n", text)
    return re.sub(r"'DejaVu Sans'(, [^;\"]*)?", "system-ui, sans-serif", text)


def limits(line, data):
    """The values to compare with, as lines: peak and copy bandwidth."""
    for name, value in data.get("limits", {}).items():
        line(value, color=STAND_IN["quiet"], linewidth=1.2, label=f"{name} {value:,.0f}",
             linestyle=(0, (4, 3)) if name == "peak" else (0, (1, 1.5)))


def headline(axes, title, height):
    """The title, and a legend below it where there is more than one thing to name."""
    handles, _ = axes.get_legend_handles_labels()
    rows = (len(handles) + 1) // 2 if len(handles) > 1 else 0
    if rows:
        axes.legend(loc="lower left", bbox_to_anchor=(-0.01, 1 + 0.02 / height), ncol=2, frameon=False, borderaxespad=0,
                    handlelength=1.4, columnspacing=1.6, fontsize=9)
    axes.set_title(textwrap.fill(title, 40), pad=8 + 18 * rows)


def bars(data):
    """Horizontal bars: one group per row, below its name, one bar a series, quartiles as whiskers."""
    rows, series = data["rows"], data["series"]
    height = 0.48 * len(rows) * max(1.0, 0.62 * len(series)) + 1.3

    def paint(axes):
        thick = 0.5 / len(series)
        colours = {**dict(zip([s for s in series if s not in COLOURS], SERIES)),
                   **{s: s for s in series if s in COLOURS}}
        for index, name in enumerate(series):
            for place, row in enumerate(rows):
                bar = row["bars"].get(name)
                if not bar:
                    continue
                y = place + 0.16 + (index - (len(series) - 1) / 2) * thick
                role = "library" if row["library"] and index == 0 else colours[name]
                axes.barh(y, bar["value"], thick * 0.92, color=STAND_IN[role])
                if bar.get("low") is not None:
                    axes.plot([bar["low"], bar["high"]], [y, y], color=STAND_IN["ink"], linewidth=1)
                # Next to the bar, or in a column of their own where lines could run through them.
                beside = (max(bar["value"], bar.get("high") or 0), y), ("data", "data")
                spot, place_of = ((1, y), ("axes fraction", "data")) if data.get("limits") else beside
                axes.annotate(bar["text"], spot, xycoords=place_of,
                              xytext=(5, 0), textcoords="offset points", va="center", fontsize=9,
                              color=STAND_IN["quiet"])
            axes.barh(0, 0, color=STAND_IN[colours[name]], label=data["labels"][index])
        if any(row["library"] for row in rows):
            axes.barh(0, 0, color=STAND_IN["library"], label="library, " + data["labels"][0])
        limits(axes.axvline, data)
        axes.set_yticks([])
        for place, row in enumerate(rows):
            axes.annotate(row["label"], (0, place - 0.25), xycoords=("axes fraction", "data"), va="center", fontsize=9.5)
        axes.set_ylim(len(rows) - 0.45, -0.55)
        axes.grid(axis="x", color=STAND_IN["rule"], linewidth=0.6)
        axes.margins(x=0.03 if data.get("limits") else 0.12)
        axes.locator_params(axis="x", nbins=5)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value > 9 else f"{value:g}")
        axes.set_xlabel(data["unit"])
        headline(axes, data["title"], height)

    return plot(height, paint)


def spaced(values):
    """Of the sorted values those whose labels stand clear of each other on a logarithmic axis."""
    least, kept = (values[-1] / values[0]) ** 0.1665, []
    for value in values:
        if not kept or value >= kept[-1] * least:
            kept.append(value)
    return kept


def lines(data):
    """One line a series over a size or another number, on a logarithmic axis."""
    def paint(axes):
        for index, (name, points) in enumerate(data["lines"].items()):
            yours = name.startswith("yours")
            axes.plot(*zip(*points), marker="o", markersize=4, linewidth=1.6, label=name, linestyle="--" if yours else "-",
                      color=STAND_IN["yours" if yours else SERIES[index % len(SERIES)]])
        axes.set_xscale("log", base=2)
        ticks = spaced(sorted({x for points in data["lines"].values() for x, _ in points}))
        axes.set_xticks(ticks, [data["ticks"][str(x)] for x in ticks])
        axes.set_xticks([], minor=True)
        axes.grid(axis="y", color=STAND_IN["rule"], linewidth=0.6)
        limits(axes.axhline, data)
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlabel(data["x"])
        axes.set_ylabel(data["unit"])
        headline(axes, data["title"], 3.6)

    return plot(3.6, paint)


# --- access figures ------------------------------------------------------------------------------


def canvas(height, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 {height:.0f}" width="960" '
            f'height="{height:.0f}" role="img">\n' + "\n".join(parts) + "\n</svg>\n")


def head(left, title, text):
    """The title and what stands below it, and where the figure begins."""
    return [words(left, 22, title, weight="600", size=15), words(left, 44, text, "quiet", size=11)], 62


def sectors(data):
    """Lanes above, the sectors that they touch below; what is moved but not requested is pale."""
    left, width = 10, 940
    parts, top = head(left, data["title"], "32 lanes of one warp, and what each requests")
    bottom = top + 116
    cell = width / 32
    touched = data["sectors"]
    lines_of = [s // 4 for s in touched]  # a cache line is four sectors
    gaps = sum(a != b for a, b in zip(lines_of, lines_of[1:]))
    skips = sum(b - a > 1 for a, b in zip(touched, touched[1:]))
    gap = 4 if len(touched) <= 16 else 2
    wide = (width - gap * gaps) / max(16, len(touched))  # the same scale up to 16 sectors
    x_of = {}
    x = left + max(0, 16 - len(touched)) * wide / 2
    for index, sector in enumerate(touched):
        if index and lines_of[index] != lines_of[index - 1]:
            x += gap
        x_of[sector] = x
        x += wide
    for lane, spot in enumerate(data["lanes"]):
        x = left + lane * cell
        if spot is not None:
            middle = spot + data["bytes"] / 2
            sector = int(middle // 32)
            x_to = x_of.get(sector, left) + (middle - 32 * sector) / 32 * wide
            parts.append(f'<path d="M{x + cell / 2:.1f} {top + 18}C{x + cell / 2:.1f} {top + 70} '
                         f'{x_to:.1f} {bottom - 60} {x_to:.1f} {bottom}" '
                         'style="fill:none;stroke:var(--quiet);stroke-width:.8;opacity:.75"/>')
        parts.append(rectangle(x, top, cell, 18, "cold" if spot is not None else "rule",
                               f"lane {lane}: " + ("idle" if spot is None else
                               f"bytes {spot} to {spot + data['bytes'] - 1}")))
        parts.append(words(x + cell / 2, top + 13, str(lane), "paper" if spot is not None else "quiet", "middle", size=10))
    used = {spot + k for spot in data["lanes"] if spot is not None for k in range(data["bytes"])}
    unit = data["bytes"]
    for sector in touched:
        x = x_of[sector]
        parts.append(rectangle(x, bottom, wide, 26, "waste", f"sector {sector}"))
        for k in range(0, 32, unit):
            if 32 * sector + k in used:
                parts.append(rectangle(x + k / 32 * wide, bottom, unit / 32 * wide, 26, "cold"))
        parts.append(f'<rect x="{x:.1f}" y="{bottom}" width="{wide:.1f}" height="26" rx="1.5" '
                     'style="fill:none;stroke:var(--ink);stroke-width:1"/>')
    asked, moved = (("written", "in the same sectors, not written") if data["access"] == "store" else
                    ("requested", "moved and not requested"))
    left_out = " (a gap stands for memory left out)" if skips else ""
    y = bottom + 44
    parts += [words(left, y, f"{len(touched)} sectors of 32 bytes{left_out}", "quiet", size=11),
              rectangle(left + 420, y - 10, 12, 12, "cold"), words(left + 438, y, f"{asked}: {data['asked']} bytes", "quiet", size=11),
              rectangle(left + 620, y - 10, 12, 12, "waste", stroke="ink"),
              words(left + 638, y, f"{moved}: {32 * len(touched) - data['asked']} bytes", "quiet", size=11)]
    return canvas(y + 14, parts)


def banks(data):
    """32 banks across, one line down for each wavefront; the number is the lane."""
    left, high, wavefronts = 10, 15, data["wavefronts"]
    cell = (960 - 2 * left) / 32
    parts, top = head(left, data["title"], "32 banks of shared memory; each line is one wavefront, each number per lane")
    bottom, right = top + len(wavefronts) * high, 960 - left
    # All cells of a colour are one shape, and what parts them is drawn once: 32 wavefronts have 1024 cells.
    asked = [(bank, number, lane) for number, lanes in enumerate(wavefronts)
             for bank, lane in sorted((int(bank), lane) for bank, lane in lanes.items())]
    cells = "".join(f"M{left + bank * cell:.1f} {top + number * high}h{cell:.1f}v{high}h{-cell:.1f}z"
                    for bank, number, _ in asked)
    grid = ("".join(f"M{left + bank * cell:.1f} {top}V{bottom}" for bank in range(33))
            + "".join(f"M{left} {top + number * high}H{right}" for number in range(len(wavefronts) + 1)))
    parts += [rectangle(left, top, right - left, bottom - top, "rule"),
              f'<path d="{cells}" style="fill:var(--cold)"/>',
              f'<path d="{grid}" style="fill:none;stroke:var(--paper);stroke-width:1"/>',
              '<g text-anchor="middle" style="fill:var(--paper);font:10px system-ui,sans-serif">' + "".join(
                  f'<text x="{left + (bank + 0.5) * cell:.1f}" y="{top + number * high + 11}">{lane}</text>'
                  for bank, number, lane in asked) + "</g>",
              words(left, bottom + 18, "one wavefront" if len(wavefronts) == 1 else
                    f"{len(wavefronts)} wavefronts, one after the other", "quiet", size=11)]
    return canvas(bottom + 32, parts)
