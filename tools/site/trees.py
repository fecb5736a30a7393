"""HTML as a tree of lxml: what the finishing of a page needs next to lxml's own methods."""

import re

from lxml import html
from lxml.html.builder import E


def parsed(text):
    """A piece of HTML as the content of a <div>."""
    return html.fragment_fromstring(text, create_parent="div")


def inner(element):
    """The HTML of what an element holds."""
    text = html.tostring(element, encoding="unicode", with_tail=False).replace("</wbr>", "")  # which has no end in HTML 5
    return text[text.index(">") + 1:text.rindex("<")]


def words(element):
    """What a reader sees of an element."""
    return " ".join(element.text_content().split())


def has_class(element, name):
    return name in element.get("class", "").split()


def exchange(old, new):
    """Puts an element into the place of another."""
    new.tail, old.tail = old.tail, None
    old.getparent().replace(old, new)
    return new


def wrap(element, around):
    """Puts an element into another one, which takes its place."""
    exchange(element, around).append(element)
    return around


def only_child(element, tag):
    """The child of that tag, if the element shows nothing else; or None."""
    found = element.find(tag)
    return found if found is not None and words(found) == words(element) else None


def put(parent, at, parts):
    """Inserts strings and elements as the first of an element's children (`at` 0), or behind its child number `at` - 1."""
    for part in parts:
        if isinstance(part, str):
            if at:
                parent[at - 1].tail = (parent[at - 1].tail or "") + part
            else:
                parent.text = (parent.text or "") + part
        else:
            parent.insert(at, part)
            at += 1


def rewrite(root, pattern, change):
    """Replaces each match of a pattern in the texts below an element by the strings and elements that `change` makes of it."""
    for element in list(root.iter()):
        if isinstance(element.tag, str) and re.search(pattern, element.text or ""):
            text, element.text = element.text, None
            put(element, 0, parts_of(text, pattern, change))
        if element is not root and re.search(pattern, element.tail or ""):
            text, element.tail = element.tail, None
            put(element.getparent(), element.getparent().index(element) + 1, parts_of(text, pattern, change))


def parts_of(text, pattern, change):
    """A text as strings and what `change` makes of the matches between them."""
    position = 0
    for match in re.finditer(pattern, text):
        yield text[position:match.start()]
        yield from change(match)
        position = match.end()
    yield text[position:]


def may_break(_):
    """For rewrite(): a place where a line may end."""
    return [E.wbr()]


def together(match):
    """For rewrite(): what a line does not end within."""
    return [E.span({"class": "option"}, match[0])]
