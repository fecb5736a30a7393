"""The figures of the book as slides: one HTML file that needs nothing beside it."""

import base64
import html
import re

from tools.book.markdown import without_code
from tools.book.pages import Book
from tools.files import write_whole

# An image and the caption below it, which may be missing; a heading.
FIGURE = re.compile(r"^!\[([^\]]*)\]\(figures/([^)]+\.svg)\)\n(?:\n\*(.+?)\*$)?|^(#{1,3}) +(.+)$", re.MULTILINE)

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Moving Bytes: the figures</title>
<style>
html { scroll-snap-type: y mandatory; font: 2.6vmin/1.4 system-ui, sans-serif; color: #1a1a1a; background: #fff; }
body { margin: 0; }
section { box-sizing: border-box; height: 100vh; padding: 4vmin 6vmin; scroll-snap-align: start; break-after: page;
          display: flex; flex-direction: column; justify-content: center; gap: 2vmin; }
h1 { margin: 0; font-size: 6vmin; }
h2 { margin: 0; font-size: 3.6vmin; }
p { margin: 0; }
img { flex: 1; min-height: 0; width: 100%; object-fit: contain; }
@page { size: A4 landscape; margin: 0; }
</style>
</head>
<body>
SLIDES
<script>
"use strict";
// The keys of a presentation: the next slide, and the one before.
const slides = [...document.querySelectorAll("section")];
addEventListener("keydown", event => {
    const step = {ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1}[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey)
        return;
    event.preventDefault();
    const now = Math.round(scrollY / innerHeight);
    slides[Math.max(0, Math.min(slides.length - 1, now + step))].scrollIntoView();
});
</script>
</body>
</html>
"""


def plain(text):
    """Markdown's words, as HTML."""
    text = re.sub(r"<!--.*?-->|[*`]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text))
    return html.escape(" ".join(text.split()))


def slides_of(number, title, question, text, read):
    """The slides of a page with figures: its title, then each figure below its heading; `read` has a figure by its name."""
    head = f"{number}: {title}" if number else title
    found, heading = [], title
    hidden = without_code(text)
    for match in FIGURE.finditer(text):
        if hidden[match.start()] == " ":
            continue
        if match[4]:
            heading = match[5]
            continue
        data = base64.b64encode(read(match[2])).decode()
        found.append(f'<section>\n<h2>{plain(heading)}</h2>\n<img alt="{html.escape(match[1], quote=True)}" '
                     f'src="data:image/svg+xml;base64,{data}">\n<p>{plain(match[3] or "")}</p>\n</section>')
    if found:
        found.insert(0, f"<section>\n<h1>{plain(head)}</h1>\n<p>{plain(question or '')}</p>\n</section>")
    return found


def write_slides(root, file):
    """Writes the slides of the book below `root`; how many they are."""
    book = Book(root)
    slides = []
    for path, (number, title, _, question) in zip(book.pages(), book.contents()):
        slides += slides_of(number, title, question, path.read_text(encoding="utf-8"),
                            lambda name: (book.directory / "figures" / name).read_bytes())
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, PAGE.replace("SLIDES", "\n".join(slides)))
    return len(slides)
