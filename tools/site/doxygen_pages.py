"""What Doxygen cannot do, put into its pages: figures that follow the theme, folds, questions, tables for a phone.

A page of the book reaches Doxygen with paragraphs such as `moving-bytes-fold Answer 1` in it: the marks of what belongs there.
"""

import re

from lxml import etree
from lxml.html.builder import E

from tools.site.code_blocks import finish_code
from tools.site.trees import exchange, has_class, inner, may_break, only_child, parsed, rewrite, words, wrap

MARK = re.compile(r"moving-bytes-([a-z]+)(?:[- ](\w+))?\s*")
ROOM = 44  # characters of a phone's line, in a table
SCROLLED = ("markdownTable", "memberdecls", "directory", "fieldtable")  # tables that may be wider than the screen


def finish(text, in_book, questions, pieces):
    """The page within <main>, its title and its first paragraph. `questions` are the attributes of each question's section,
    `pieces` a function that returns the HTML for a mark's kind and name."""
    main = parsed(text.replace("</div><!-- top -->", ""))  # which closes what our header has not opened
    clean(main)
    if in_book:
        lower_headings(main)
    for title in main.xpath(".//div[@class='title']")[:1]:
        title.tag = "h1"
    put_in = replace_marks(main, questions, pieces)
    set_lede(main)
    for table in main.xpath(".//table[@class='markdownTable']"):
        finish_table(table)
    for table in main.iter("table"):
        if any(has_class(table, name) for name in SCROLLED):
            wrap(table, E.div({"class": "scroll", "role": "group", "aria-label": "Table"}))
    set_captions(main)
    number_chapters(main)
    link_headings(main)
    finish_code(main, in_book)
    title = words(main.find(".//h1[@class='title']"))
    first = main.xpath(".//div[@class='textblock']//p")
    made = inner(main)
    for mark, piece in put_in.items():  # as they are: to an HTML parser the names of SVG have no capitals
        made = made.replace(f"<!--{mark}-->", piece)
    return made, title, words(first[0]) if first else ""


def clean(main):
    """Takes out links without a word, what belongs to scripts that the site does without, and names next to the same id."""
    for left in main.xpath(".//div[@class='summary'] | .//a[span[@class='icondoc']] | .//img[@src='closed.png']"
                           " | .//a[contains(@href, '-members.html')] | .//div[@class='diff'][not(node())]"):
        left.drop_tree()
    for element in main.iter(etree.Element):
        for name in [name for name in element.attrib if name.startswith("on")]:
            del element.attrib[name]
        if element.get("id") and element.get("id") == element.get("name"):
            del element.attrib["name"]


def lower_headings(main):
    """The sections of a page of the book are h1 to Doxygen, as its titles are not."""
    for heading in list(main.iter("h1", "h2", "h3", "h4", "h5")):
        heading.tag = f"h{int(heading.tag[1]) + 1}"


def replace_marks(main, questions, pieces):
    """Puts folds, sections and figures where their marks stand. Returns the HTML that belongs in the place of each comment."""
    put_in = {}
    for paragraph in list(main.iter("p")):
        mark = MARK.match((paragraph.text or "").lstrip())
        if not mark or paragraph.getparent() is None:  # the end of what has been enclosed
            continue
        kind, name = mark.groups()
        if kind == "fold":
            paragraph.text = paragraph.text.lstrip().removeprefix("moving-bytes-fold ")
            paragraph.tag = "summary"
            paragraph.attrib.clear()
            enclose(wrap(paragraph, E.details()), "moving-bytes-unfold")
        elif kind == "question":
            enclose(exchange(paragraph, E.section({"class": "prediction", **questions[int(name)]})), "moving-bytes-questioned")
        elif kind == "record":
            enclose(exchange(paragraph, E.section({"id": "record"})), "moving-bytes-recorded")
        else:
            place = exchange(paragraph, etree.Comment(f"{kind} {name}"))
            put_in[place.text] = pieces(kind, name)
            if kind == "figure":
                frame_figure(place)
    return put_in


def enclose(around, end):
    """Moves what follows an element into it, up to the paragraph that says its end, which goes."""
    for following in list(around.itersiblings()):
        if following.tag == "p" and (following.text or "").strip() == end:
            following.drop_tree()
            return
        around.append(following)


def frame_figure(place):
    """A figure, with the emphasised paragraph below it as its caption."""
    figure = wrap(place, E.figure())
    caption = caption_in(figure.getnext()) if not (figure.tail or "").strip() else None
    if caption is not None:
        following = figure.getnext()
        figure.append(E.figcaption(caption))
        following.drop_tree()


def caption_in(paragraph):
    """What a paragraph holds, if that is emphasised text alone; or None."""
    emphasis = only_child(paragraph, "em") if paragraph is not None and paragraph.tag == "p" else None
    return None if emphasis is None or emphasis.xpath(".//em") else emphasis


def set_lede(main):
    """The question of a page, emphasised, is what it opens with."""
    for paragraph in main.xpath(".//div[@class='textblock']/*[1][self::p]")[:1]:
        question = only_child(paragraph, "em")
        if question is not None and not len(question):
            paragraph.text, paragraph[:] = words(question), []
            paragraph.set("class", "lede")


def is_number(text):
    """Whether a cell holds a number, which stays in one line with its unit."""
    return re.match(r"[-+]?\d[^a-zA-Z]*( in L2)?$", text)


def need(texts, head):
    """The longest word of a column."""
    parts = [part for text in texts for part in ([text] if is_number(text) else re.split(r"\s|(?<=[_/.])|::", text))]
    return max(map(len, [*parts, *head.split()]), default=0)


def finish_table(table):
    """Cells that know their heading: on a phone those of a wide row stand below each other, with it."""
    first, *rows = table.iter("tr")
    head = [words(cell) for cell in first]
    columns = [[words(row[at]) for row in rows if at < len(row)] for at in range(len(head))]
    if sum(map(need, columns, head)) + 2 * len(head) > ROOM:
        table.set("class", "markdownTable wide")
    for cell in first:
        if words(cell):
            cell.set("scope", "col")
        else:
            cell.tag = "td"
    for row in rows:
        for name, cell in zip(head, row):
            kinds = [cell.get("class"), *["number"] * bool(is_number(words(cell))), *["key"] * name.endswith("GB/s")]
            cell.set("class", " ".join(kinds))
            cell.set("data-head", name)
            for code in cell.iter("code"):
                rewrite(code, r"(?<=[_/.])(?=[^\W\d])|(?=::)", may_break)
    table.text = None
    table[:] = [E.thead(first), E.tbody(*rows)]


def set_captions(main):
    """What stands below a table in italics alone is its caption; other prose is prose."""
    for paragraph in main.xpath(".//div[@class='scroll']/following-sibling::*[1][self::p]"):
        if caption_in(paragraph) is not None:
            paragraph.set("class", "caption")


def number_chapters(main):
    """A list of chapters counts as the chapters do, also where a number is missing."""
    for items in main.xpath(".//ol[@type='1']"):
        numbers = [re.match(r"page_(\d\d)_", link.get("href", "")) for link in items.xpath("./li/node()[1][self::a]")]
        if len(numbers) == len(items) and all(numbers):
            for item, number in zip(items, numbers):
                item.set("value", str(int(number[1])))


def link_headings(main):
    """Each heading with an anchor links to itself."""
    for heading in main.iter("h2", "h3", "h4", "h5", "h6"):
        if len(heading) and heading[0].tag == "a" and has_class(heading[0], "anchor"):
            link = E.a({"class": "here", "href": f"#{heading[0].get('id')}", "aria-label": f"Link to “{words(heading)}”"}, "#")
            heading[-1].tail = f"{heading[-1].tail or ''} "
            heading.append(link)
