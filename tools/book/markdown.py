"""What a page is made of: code, markers, links and headings."""

import functools
import re

CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
MARKER = re.compile(r"<!--(=|\w*)(?:: )?(.*?)-->", re.DOTALL)  # any comment: `<!--code: kernel-->`, `<!--=name-->`, `<!--/-->`
END = "<!--/-->"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def slug(heading):
    """The anchor that forges give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").strip().lower()).replace(" ", "-")


def without_code(text):
    """The text with code blanked out, every character in its place."""
    return CODE.sub(lambda match: "\n".join(" " * len(line) for line in match[0].split("\n")), text)


def markers(text, *kinds):
    """The matches of the markers of these kinds, or of all; what code shows is no marker."""
    clean = without_code(text)
    return [match for match in MARKER.finditer(text) if (not kinds or match[1] in kinds) and clean[match.start()] != " "]


@functools.cache
def headings(text):
    """Level, title and anchor of each heading."""
    clean = without_code(text).splitlines()
    return [(len(m[1]), m[2].strip(), slug(m[2])) for plain, line in zip(clean, text.splitlines())
            if plain.startswith("#") and (m := re.match(r"(#{1,6}) +(.*)", line))]
