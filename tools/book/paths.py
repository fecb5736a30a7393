"""The head of a page: the path it is on, the pages it needs, how long it takes, what it is for.

All of it stands in the page's facts, but for the minutes, which follow from its length. The map of
the index is drawn from the heads.
"""

import contextlib
import math
import re

from tools.book import figures
from tools.book.markdown import END, MARKER
from tools.book.results import BookError
from tools.book.shapes import rectangle, words

PATHS = {"core": "Core", "side": "Optional", "behind": "Reference"}
BLOCK = re.compile(rf"{MARKER.pattern}(?:(?:(?!<!--).)*{END})?", re.DOTALL)  # with what stands between the markers
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
WORDS = 150  # read in a minute
MINUTES = {"predict": 1, "code": 1, "diff": 1, "table": .5, "chart": .5, "counts": .5, "counters": .5,
           "access": .5, "timeline": .5, "drawing": 1}  # what a block takes
ROW, LEFT, INDENT, WIDE = 27, 18, 30, 360  # of the map: it fits a phone


def check(head):
    """Says what is wrong with the head of a page."""
    if head is None:
        raise BookError("the facts of the page have no page(...).")
    if head.path not in PATHS:
        raise BookError(f"there is no path '{head.path}'; there are {', '.join(PATHS)}.")
    if not head.objectives:
        raise BookError("says nothing that a reader can do afterwards; afterwards=[...] holds it.")


def minutes(text):
    """What it takes to read a page, up to the next five. Only what is typed and the number of its blocks
    count: what stands in a block may be stale."""
    blocks = sum(MINUTES.get(kind, 0) for kind, _ in BLOCK.findall(text))
    prose = BLOCK.sub("", text)
    programs = len(FENCE.findall(prose))
    return 5 * math.ceil((len(FENCE.sub("", prose).split()) / WORDS + blocks + programs) / 5)


class Paths:
    """The heads of all pages, by file name, in reading order."""

    def __init__(self, pages):
        """`pages` are file name, title, whether it has the marker, its head and its text, of each page."""
        self.heads, self.titles, self.problems = {}, {}, []
        for file, title, marked, head, _ in pages:
            self.titles[file] = title
            if not marked and file[:2].isdigit():
                self.problems.append(f"book/{file}: has no 'page' marker at its head; "
                                     "docs/guide/writing.md has its form.")
            elif marked:
                with contextlib.suppress(BookError):  # the page says it, where the marker stands
                    check(head)
                    self.heads[file] = head
        self.minutes = {file: minutes(text) for file, *_, text in pages}
        for file in self.heads:
            self.problems += [f"book/{file}: page: {wrong}" for wrong in self.wrong(file)]

    def file(self, name):
        """The file of a needed page: `03`, `03_coarsening` or `glossary`."""
        found = [file for file in self.titles if file == f"{name}.md" or file.startswith(f"{name}_")]
        return found[0] if len(found) == 1 else None

    def wrong(self, file):
        """What is wrong with the pages that a page needs. Those behind the book stand in no order."""
        head, order = self.heads[file], list(self.titles)
        for name in head.needs:
            needed = self.file(name)
            if needed is None:
                yield f"needs {name}, which is no page of the book."
            elif head.path != "behind" and order.index(needed) >= order.index(file):
                yield f"needs {name}, which comes after it."
            elif head.path == "core" and (needed not in self.heads or self.heads[needed].path != "core"):
                yield f"is on the core path and needs {name}, which is not."

    def link(self, file):
        number = f"{int(file[:2])}, " if file[:2].isdigit() and file[:2] != "00" else ""
        return f"[{number}{self.titles[file]}]({file})"

    def markdown(self, file):
        """What a page shows at its head."""
        head = self.heads[file]
        needs = [self.link(self.file(name)) for name in head.needs if self.file(name)]
        words = f"{PATHS[head.path]}, {self.minutes[file]} min."
        if needs:
            words += f" Prerequisites: {' and '.join(filter(None, [', '.join(needs[:-1]), needs[-1]]))}."
        return "\n".join([f"**{words.split('.')[0]}.**{words.partition('.')[2]} You will learn to", "",
                          *(f"- {line}" for line in head.objectives)])

    def label(self, file):
        """The path of a page and its minutes, in a few words; nothing where it has no head."""
        if file not in self.heads:
            return ""
        path = self.heads[file].path
        return f"{PATHS[path].lower()}, " * (path != "behind") + f"{self.minutes[file]} minutes"

    def station(self, file):
        """The last core page without which a page cannot be read: itself, if it is one."""
        head = self.heads.get(file)
        if head is None or head.path == "core":
            return file
        stations = [self.station(self.file(name)) for name in head.needs if self.file(name)]
        return max(stations, key=list(self.titles).index, default=None)

    def map(self):
        """The map, drawn: a row for each page of a path, a side page below the last it needs."""
        groups = {file: [] for file, head in self.heads.items() if head.path == "core"}
        for file, head in self.heads.items():
            if head.path == "side":
                groups.get(self.station(file), []).append(file)
        rows = [{"number": file[:2] if file[:2] != "00" else "", "path": self.heads[file].path,
                 "title": self.titles[file].partition(":")[0].partition(" (")[0].replace("`", "")}
                for core, sides in groups.items() for file in (core, *sides)]
        words = [f"{row['number']} {row['title']}".strip() + (", core" if row["path"] == "core" else "")
                 for row in rows]
        alt = f"Map of the paths, from top to bottom; optional pages follow their prerequisites. {'; '.join(words)}."
        return {"kind": "drawing", "alt": alt, "svg": figures.framed(alt, draw(rows))}


def portrait(height, parts):
    """A figure as wide as a phone: it needs no scrolling there, and grows beyond."""
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {height:.0f}" width="{1.4 * WIDE:.0f}" '
            f'height="{1.4 * height:.0f}" style="min-width:0" role="img">\n' + "\n".join(parts) + "\n</svg>\n")


def draw(rows):
    """The core path is one line, optional pages leave it."""
    core = [at for at, row in enumerate(rows) if row["path"] == "core"]
    y = [ROW * at + 20 for at in range(len(rows))]
    line = [] if not core else [
        f'<path d="M{LEFT} {y[core[0]]}V{y[core[-1]]}" style="fill:none;stroke:var(--cold);stroke-width:4"/>']
    parts, branches, last = [], [], 0
    for at, row in enumerate(rows):
        x = LEFT
        if row["path"] == "core":
            last = at
        else:
            x += INDENT
            branches.append(f'<path d="M{LEFT} {y[last]}V{y[at] - 10}Q{LEFT} {y[at]} {LEFT + 10} {y[at]}H{x}" '
                         'style="fill:none;stroke:var(--hot);stroke-width:2"/>')
        role = "cold" if row["path"] == "core" else "hot"
        parts.append(f'<circle cx="{x}" cy="{y[at]}" r="6" style="fill:var(--paper);stroke:var(--{role});'
                     'stroke-width:3"/>')
        weight = "600" if row["path"] == "core" else "normal"
        if row["number"]:
            parts.append(words(x + 16, y[at] + 4.5, row["number"], "quiet", size=12.5))
        parts.append(words(x + (36 if row["number"] else 16), y[at] + 4.5, row["title"], weight=weight, size=12.5))
    below = y[-1] + 34
    for x, role, text in ((LEFT, "cold", "core path"), (LEFT + 100, "hot", "optional pages")):
        parts += [rectangle(x - 6, below - 9, 12, 12, role), words(x + 12, below + 1, text, "quiet")]
    return portrait(below + 14, branches + line + parts)
