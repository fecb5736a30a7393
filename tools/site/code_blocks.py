"""Code and output on the site: marked so that the style sheet can set them on a phone, where a line holds 44 characters."""

import re

from lxml.html.builder import E

from tools.site.trees import has_class, may_break, put, rewrite, together

REMARK = re.compile(r"^((?=\./run|build/|cmake |<!--)[^\n]*?\S)( {2,})(\S[^\n]*)(\n?)", re.MULTILINE)
PLACE = r"(?<=[(\[])(?![\s)\]])|(?<=\w)(?=::|->)"
LONG = r"\w{36,}"  # a name that fills a phone's line
GROUP = {"class": "group"}


def finish_code(main, in_book):
    """Marks all code of a page."""
    for comment in main.xpath(".//span[@class='comment'][not(node())]"):  # of a comment that ended with the line before
        comment.drop_tag()
    if in_book:  # two snippets of a page may show the same line
        for anchor in main.xpath(".//div[@class='line']/a[starts-with(@id, 'l')][not(node())]"):
            anchor.drop_tag()
    for block in main.xpath(".//*[@class='fragment']"):
        block.attrib.update({"role": "group", "aria-label": "Code"})
        if block.tag == "pre" or not block.xpath(".//span"):
            block.set("class", "fragment plain" if block.tag == "div" else "fragment")
            rewrite(block, REMARK, remark)
            mark_tables(block)
    for line in main.xpath(".//div[contains(@class, 'fragment')]/div[contains(@class, 'line')]"):
        finish_line(line)
    for code in main.iter("code"):
        if not len(code):  # the options of a command, and the number of an exercise
            rewrite(code, r"(?:(?<= )|^)(?:--?\w[\w-]*|\d\d\.\d)", together)
    rewrite(main, r"(?:(?<=[\w)\]])|^)->(?=\w)", together)


def finish_line(line):
    """A line of code may end behind a bracket, before :: and ->, and within a name that fills a phone's line."""
    for number in line.xpath("./span[@class='lineno']"):
        first = number[0] if len(number) else number
        first.text = first.text.lstrip(" ")  # the style sheet aligns them
    rewrite(line, PLACE, may_break)
    rewrite(line, LONG, long_name)
    if has_class(line.getparent().getparent(), "diff"):
        sign = "".join(line.itertext())[:1]
        line.set("class", {"+": "line added", "-": "line removed"}.get(sign, "line"))
    if line.get("class") in ("line", "line added", "line removed"):
        indent(line)


def long_name(match):
    """The name, which may break before each capital."""
    parts = re.split("(?=[A-Z])", match[0])
    return [parts[0], *(part for more in parts[1:] for part in (E.wbr(), more))]


def indent(line):
    """Says how far a line is indented: where it is too long for a screen, the rest stands further in."""
    at = sum(child.tag == "a" and not len(child) and not child.text or child.get("class") == "lineno" for child in line[:2])
    text = (line[at - 1].tail if at else line.text) or ""
    holder, at = (line[at], 0) if text in ("", "+", "-") and len(line) > at and line[at].tag == "span" else (line, at)
    text = (holder[at - 1].tail if at else holder.text) or ""
    sign, spaces, rest = re.match(r"(?s)([+-]?)( *)(.*)", text).groups()
    if spaces:
        line.set("style", f"--in:{len(spaces)}")
        if at:
            holder[at - 1].tail = None
        else:
            holder.text = None
        put(holder, at, [sign, E.span({"class": "in"}, spaces), rest])


def remark(match):
    """A command and what is said of it, which a phone shows below it. The remark takes the end of its line along."""
    return [match[1], E.span({"class": "gap"}, match[2]), E.span({"class": "remark"}, match[3] + match[4])]


def heads(above, below):
    """The heading of each column of a table on a terminal, and whether a group of columns begins there."""
    over = {match.end(): match[0] for match in re.finditer(r"\S+", above)}
    result = []
    for match in re.finditer(r"\S+", below):
        word = over.get(match.end(), "")  # aligned at the right
        joined = word.endswith(("/", "-"))
        result.append((word.rstrip("-") + " " * bool(word and not joined) + match[0], bool(word) and not joined))
    return result


def mark_tables(block):
    """The tables of a terminal: each cell knows its heading, so that a phone can show a row as a few lines."""
    lines, at = [line if not len(line) else None for line in block.iterchildren("div")], 0
    while at + 2 < len(lines):
        above, below, first = ((line.text or "") if line is not None else "" for line in lines[at:at + 3])
        at += 1
        if not (re.match(r" +\S", above) and re.match(r"\w+ ", below) and first):
            continue
        columns = heads(above, below)
        for line in lines[at - 1:at + 1]:
            line.set("class", "line head")
        at += 1
        while at < len(lines) and lines[at] is not None and lines[at].text:
            mark_row(lines[at], columns)
            at += 1


def mark_row(line, columns):
    """The cells of a row, in groups; a line with another number of cells is none."""
    cells = re.split(r"( {2,})", line.text)
    if len(cells[::2]) != len(columns):
        return
    groups = [E.span(GROUP, cells[0]), E.span(GROUP)]
    for space, cell, (head, begins) in zip(cells[1::2], cells[2::2], columns[1:]):
        if begins:
            groups.append(E.span(GROUP))
        put(groups[-1], len(groups[-1]), [space, E.span({"class": "cell", "data-head": head}, cell)])
    line.text = None
    line.set("class", "line row")
    line.extend(groups)
