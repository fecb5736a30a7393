"""What figures and drawings are made of: words, cells, lines, arrows, brackets and a legend."""

import html
import math
import textwrap

LEFT, RIGHT = 6, 354  # of a figure that fits a phone: paths.WIDE less a margin


def words(x, y, text, role="ink", anchor="start", weight="normal", size=12):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" style="fill:var(--{role});'
            f'font:{weight} {size}px system-ui,sans-serif">{html.escape(text)}</text>')


def rectangle(x, y, width, height, role, tip="", stroke="paper"):
    return (f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="1.5" '
            f'style="fill:var(--{role});stroke:var(--{stroke});stroke-width:.6">'
            + (f"<title>{html.escape(tip)}</title>" if tip else "") + "</rect>")


def lines(y, text):
    """A sentence below each other, as wide as the figure, and where what follows it begins."""
    rows = textwrap.wrap(text, 54)
    return [words(LEFT, y + 16 * at, row, "quiet") for at, row in enumerate(rows)], y + 16 * len(rows)


def cell(x, y, width, height, role, text="", ink="paper", stroke="quiet"):
    """A box of memory, and what stands in it."""
    parts = [f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
             f'style="fill:var(--{role});stroke:var(--{stroke});stroke-width:.7"/>']
    return parts + ([words(x + width / 2, y + height / 2 + 4.3, text, ink, "middle")] if text else [])


def patch(boxes, role, stroke="paper"):
    """Boxes (x, y, width, height) of one colour as one shape."""
    path = "".join(f"M{x:.1f} {y:.1f}h{wide:.1f}v{high:.1f}h{-wide:.1f}z" for x, y, wide, high in boxes)
    return f'<path d="{path}" style="fill:var(--{role});stroke:var(--{stroke});stroke-width:.6"/>'


def line(points, role="quiet", width=1.2, dash=""):
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dash = f";stroke-dasharray:{dash}" if dash else ""
    return f'<path d="{path}" style="fill:none;stroke:var(--{role});stroke-width:{width}{dash}"/>'


def arrow(x, y, to_x, to_y, role="quiet", width=1.6):
    """An arrow with its head at the end."""
    angle, head = math.atan2(to_y - y, to_x - x), 3.2 * width
    sides = [(to_x - head * math.cos(angle + turn), to_y - head * math.sin(angle + turn)) for turn in (-.5, .5)]
    return line([(x, y), (to_x, to_y)], role, width) + line([sides[0], (to_x, to_y), sides[1]], role, width)


def bracket(x, to_x, y, role, down=5):
    """What is taken together: a line with its ends turned towards it."""
    return line([(x, y - down), (x, y), (to_x, y), (to_x, y - down)], role, 1.8)


def legend(y, rows):
    """A swatch and its words in each row, and where what follows begins."""
    parts = []
    for at, (role, text) in enumerate(rows):
        parts += [*cell(LEFT, y + 18 * at - 10, 12, 12, role), words(LEFT + 18, y + 18 * at, text, "quiet")]
    return parts, y + 18 * len(rows)
