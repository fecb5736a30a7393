"""Which claims of the pages hold on a second card, too: those that rest on times of one GPU."""

import ast
import copy
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
    """How many claims rest on times; of them those that were not measured on the card; and those that do not hold
    there: page, title, claim, what is compared on the book's card and on this one, and whether these are ratios."""
    other, count, unknown, broken = of_this_card(results, card), 0, 0, []
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
                unknown += 1
                continue
            if not holds:
                compared, ratio = what_fails(tree, there)
                broken.append((path.name, title, name.strip(), evaluate(compared, here), evaluate(compared, there), ratio))
    return count, unknown, broken


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


def render(pages, results, card):
    """What became of the claims, in a table; those of which the order turns in another, all others in folds."""
    count, unknown, broken = compare(pages, results, card)
    name = results.device(card)["name"]
    level = [row for row in broken if row[5] and abs(row[4] - 1) < LEVEL]
    turned = [row for row in broken if row[5] and (row[3] - 1) * (row[4] - 1) < 0 and row not in level]
    sized = [row for row in broken if row not in turned + level]

    def table(rows):
        lines = [f"| page, and what it claims | {short(results.device(REFERENCE)['name'])} | {short(name)} |", "| :-- | --: | --: |"]
        return lines + [f"| [{file[:2] if file[:2].isdigit() else title}]({file}): {claim} | {show(mine)} | {show(its)} |"
                        for file, title, claim, mine, its, _ in rows]

    known = count - unknown
    lines = [f"{count} claims of the pages rest on times of one card. The record of the {name} has all rows of {known} of them: "
             f"{known - len(broken)} hold there as well, and {len(broken)} do not.", "",
             "| of those that do not | claims |", "| :-- | --: |",
             f"| it is the other way round | {len(turned)} |", f"| what was apart is level, to {LEVEL * 100:.0f}\u202f% | {len(level)} |",
             f"| it is the same, by another amount | {len(sized)} |"]
    if turned:
        lines += ["", "The other way round:", "", *table(turned)]
    for words, rows in (("Level on it", level), ("The same, by another amount", sized)):
        if rows:
            lines += ["", f"<details><summary>{words}: {len(rows)}</summary>", "", *table(rows), "", "</details>"]
    return "\n".join(lines)
