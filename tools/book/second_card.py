"""Which claims of the pages hold on a second card, too: those that rest on times of one GPU."""

import ast
import collections
import copy
import math
import re

from tools.book.expressions import evaluate, look_ups, parse, show
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
    """How many claims rest on times; of each page those of them that were measured on the card; and those that do not
    hold there: page, title, claim, what is compared on the book's card and on this one, and whether these are ratios."""
    other, count, known, broken = of_this_card(results, card), 0, collections.Counter(), []
    for path, title in pages:
        chapter = path.stem if path.stem in {name for _, name in results.data} else None
        for text in CLAIM.findall(path.read_text(encoding="utf-8")):
            name, _, expression = text.partition(":")
            tree = parse(" ".join(expression.split()))
            if not rests_on_times(tree):
                continue
            count += 1
            here, there = names_of(results, chapter, REFERENCE), names_of(other, chapter, card)
            try:
                holds = evaluate(tree, there)
            except BookError:
                continue
            known[path.name, title] += 1
            if not holds:
                compared, ratio = what_fails(tree, there)
                broken.append((path.name, title, name.strip(), evaluate(compared, here), evaluate(compared, there), ratio))
    return count, known, broken


def what_fails(tree, names):
    """What the first comparison of a claim that fails is about, as an expression, and whether that is the ratio of its
    sides: these stand without the margin that the page asks for, `a / b` for a > 1.2 * b."""
    parts = tree.body.values if isinstance(tree.body, ast.BoolOp) and isinstance(tree.body.op, ast.And) else [tree.body]
    part = next(part for part in parts if not evaluate(part, names))
    if not isinstance(part, ast.Compare):
        return ready(part), False
    chain = [part.left, *part.comparators]
    left, right = next((left, right) for left, sign, right in zip(chain, part.ops, chain[1:])
                       if not evaluate(ready(ast.Compare(left, [sign], [right])), names))
    for side, bound in ((left, right), (right, left)):
        if not looks_up(bound):
            divides = isinstance(side, ast.BinOp) and isinstance(side.op, ast.Div)
            return ready(side), divides and evaluate(bound, names) == 1
    return ready(ast.BinOp(without_margin(left), ast.Div(), without_margin(right))), True


def ready(node):
    return ast.fix_missing_locations(ast.Expression(node))


def looks_up(node):
    return any(isinstance(each, ast.Call) and each.func.id in MEASURED for each in ast.walk(node))


def without_margin(node):
    """`1.2 * a / b` as `a / b`, `1.1 / a` as `1 / a`."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Mult, ast.Div)):
        return node
    if isinstance(node.left, ast.Constant):
        return node.right if isinstance(node.op, ast.Mult) else ast.BinOp(ast.Constant(1), ast.Div(), node.right)
    return ast.BinOp(without_margin(node.left), node.op, node.right)


LEVEL = 0.01  # two that are nearer than this are level


def short(name):
    return name.removeprefix("NVIDIA ").split()[0]


def link(file, title):
    return f"[{file[:2] if file[:2].isdigit() else title}]({file})"


def apart(row):
    """By which factor what a claim compares differs between the cards."""
    mine, its = row[3:5]
    return abs(math.log(its / mine)) if mine * its > 0 else math.inf


def render(pages, results, card):
    """What became of the claims, in a table; those of which the order turns in another, the level ones in a fold; and of
    each page how many hold, with the one that is farthest off."""
    count, known, broken = compare(pages, results, card)
    name = results.device(card)["name"]
    level = [row for row in broken if row[5] and abs(row[4] - 1) < LEVEL]
    turned = [row for row in broken if row[5] and (row[3] - 1) * (row[4] - 1) < 0 and row not in level]
    sized = [row for row in broken if row not in turned + level]
    pair = f"{short(results.device(REFERENCE)['name'])} | {short(name)}"

    def table(rows):
        return [f"| page, and what it claims | {pair} |", "| :-- | --: | --: |",
                *(f"| {link(file, title)}: {claim} | {show(mine)} | {show(its)} |" for file, title, claim, mine, its, _ in rows)]

    def by_page():
        yield f"| page, how many of its claims hold, and which is farthest off | {pair} |"
        yield "| :-- | --: | --: |"
        for (file, title), measured in known.items():
            off = [row for row in broken if row[0] == file]
            if off:
                *_, claim, mine, its, _ = max(off, key=apart)
                yield f"| {link(file, title)}, {measured - len(off)} of {measured}: {claim} | {show(mine)} | {show(its)} |"

    both = sum(known.values())
    lines = [f"{count} claims of the pages rest on times of one card. The record of the {name} has all rows of {both} of them: "
             f"{both - len(broken)} hold there as well, and {len(broken)} do not.", "",
             "| of those that do not | claims |", "| :-- | --: |",
             f"| it is the other way round | {len(turned)} |", f"| what was apart is level, to {LEVEL * 100:.0f}\u202f% | {len(level)} |",
             f"| it is the same, by another amount | {len(sized)} |"]
    if turned:
        lines += ["", "The other way round:", "", *table(turned)]
    folds = {f"Level on it: {len(level)}": table(level) if level else [], "Page by page": by_page() if broken else []}
    for words, rows in folds.items():
        if rows:
            lines += ["", f"<details><summary>{words}</summary>", "", *rows, "", "</details>"]
    whole = [link(*page) for page in known if page[0] not in {row[0] for row in broken}]
    if whole:
        lines += ["", f"On these pages all that was measured of their claims holds: {', '.join(whole)}."]
    return "\n".join(lines)
