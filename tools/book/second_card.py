"""Which claims of the pages hold on a second card, too: those that rest on times of one GPU."""

import ast
import copy
import re

from tools.book.expressions import evaluate, look_ups, parse, sides
from tools.book.results import REFERENCE, BookError

# What looks up a measurement of the card, and what is the book's card's alone: its counters, its model, its tries.
MEASURED = {"gb", "low", "high", "ms", "ns", "share", "copy_share", "best", "device", "parameter"}
TIMES = MEASURED - {"device", "parameter"}
CLAIM = re.compile(r"^<!-- claim: (.*?) -->$", re.MULTILINE | re.DOTALL)


def of_this_card(results, card):
    """The results, where a page that names no card means this one; it has no rows of several."""
    other = copy.copy(results)
    other.home = lambda chapter: card
    return other


def rests_on_times(tree):
    """Whether a claim looks up times of the book's card, and nothing that only that card has."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {call.func.id for call in calls}
    elsewhere = any(word.arg == "device" for call in calls for word in call.keywords)
    return bool(names & TIMES) and not elsewhere and not names - MEASURED - {"min", "max", "abs", "round"}


def names_of(results, chapter, card):
    names = look_ups(results, chapter)
    return {**names, "device": lambda name, device=card: results.device(device)[name]}


def compare(pages, results, card):
    """How many claims rest on times; of them those that were not measured on the card; and those that do not hold
    there: page, title, claim, both sides on the book's card and on this one."""
    other, count, unknown, broken = of_this_card(results, card), 0, 0, []
    for path, title in pages:
        chapter = path.stem if path.stem in {name for _, name in results.data} else None
        for text in CLAIM.findall(path.read_text(encoding="utf-8")):
            name, _, expression = text.partition(":")
            tree = parse(" ".join(expression.split()))
            if not rests_on_times(tree):
                continue
            count += 1
            try:
                holds = evaluate(tree, names_of(other, chapter, card))
            except BookError:
                unknown += 1
                continue
            if not holds:
                broken.append((path.name, title, name.strip(), first_false(tree, names_of(results, chapter, REFERENCE),
                                                                           names_of(other, chapter, card))))
    return count, unknown, broken


def first_false(tree, names, other):
    """The two sides of the first part of a claim that fails on the other card, on both."""
    parts = tree.body.values if isinstance(tree.body, ast.BoolOp) and isinstance(tree.body.op, ast.And) else [tree.body]
    part = next((part for part in parts if not evaluate(ast.Expression(part), other)), tree.body)
    return tuple(sides(ast.Expression(part), looked_up) for looked_up in (names, other))


def render(pages, results, card):
    """A sentence and, in a fold, a table."""
    count, unknown, broken = compare(pages, results, card)
    name = results.device(card)["name"]
    known = count - unknown
    lines = [f"{count} claims of the pages rest on times of one card. {known} of them could be looked up on the {name}, "
             f"where the others have no row of their size, and {known - len(broken)} hold there as well."]
    if broken:
        lines += ["", "<details><summary>The claims that do not, with both sides of each</summary>", "", f"| page | holds on the book's card alone | there | {name} |", "| :-- | :-- | --: | --: |"]
        lines += [f"| [{title}]({file}) | {claim} | {mine} | {its} |" for file, title, claim, (mine, its) in broken]
        lines += ["", "</details>"]
    return "\n".join(lines)
