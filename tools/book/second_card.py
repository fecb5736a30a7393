"""Which claims of the pages hold on a second GPU, too: those that rest on times of one GPU."""

import collections
import math

from tools.book import facts
from tools.book.numbers import show
from tools.book.results import REFERENCE

TIMES = {"gb", "ms", "ns"}
OF_A_CARD = TIMES | {"device", "parameter"}  # what was measured of a GPU, but for its counters, its model and its tries


def rests_on_times(claim):
    """Whether a claim looks up times of the book's GPU, and nothing that only that GPU has."""
    kinds = {what for what, *_ in claim.reads}
    return bool(kinds & TIMES) and kinds <= OF_A_CARD and not any(named for *_, named in claim.reads)


def compare(pages, results, card):
    """How many claims rest on times; of each page those of them that were measured on the GPU; and those that do not
    hold there: page, title, claim, what is compared on the book's GPU and on this one, and whether these are ratios."""
    count, known, broken = 0, collections.Counter(), []
    for page, path, title in pages:
        if not page.claims:
            continue
        there = {one.place: one for one in facts.read(page.file, results, page.chapter, card).claims}
        for one in filter(rests_on_times, page.claims):
            count += 1
            other = there.get(one.place)
            if other is None:
                continue
            known[path, title] += 1
            for mine, its in zip(one.verdicts, other.verdicts):
                if not its:
                    broken.append((path, title, one.name, mine.compared, its.compared, its.ratio))
                    break
    return count, known, broken


LEVEL = 0.01  # two that are nearer than this tie


def short(name):
    return name.removeprefix("NVIDIA ").split()[0]


def link(file, title):
    return f"[{file[:2] if file[:2].isdigit() else title}]({file})"


def apart(row):
    """By which factor what a claim compares differs between the GPUs."""
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
    lines = [f"{count} claims of the pages rest on times of one GPU. The record of the {name} has all rows of {both} of them: "
             f"{both - len(broken)} hold there as well, and {len(broken)} do not.", "",
             "| of those that do not | claims |", "| :-- | --: |",
             f"| it is the other way round | {len(turned)} |", f"| what was apart is equal, to {LEVEL:.0%} | {len(level)} |",
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
