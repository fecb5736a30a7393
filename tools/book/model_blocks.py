"""What the book says of its model: errors by group, the worst rows, cache figures, a scatter plot.

The arithmetic is tools/results/accuracy.py, which the tests hold against the goal.
"""

import functools
import re

from tools.book.numbers import show
from tools.book.results import REFERENCE, BookError
from tools.results import accuracy, calibrate, cards, other_cards, queues, schema

HALVES = {"all": lambda row: True, "fitted": lambda row: row.fitted, "unseen": lambda row: not row.fitted}


def numbers(chapters):
    """`01 to 20 and 24` of some chapters' numbers."""
    runs = []
    for chapter in sorted(map(int, chapters)):
        if runs and runs[-1][1] == chapter - 1:
            runs[-1][1] = chapter
        else:
            runs.append([chapter, chapter])
    words = [f"{first:02}" + (f" to {last:02}" if last > first else "") for first, last in runs]
    return " and ".join(", ".join(words).rsplit(", ", 1))


@functools.lru_cache(maxsize=2)
def joined(directory):
    rows = accuracy.rows(directory)
    if not rows:
        raise BookError("no modelled row of book/results/cpu has a measured one of its size; record the "
                        "counts again: ./run book --record.")
    return rows


@functools.lru_cache(maxsize=2)
def cached(directory):
    rows = accuracy.cache_rows(directory)
    if not rows:
        raise BookError("no modelled row of book/results/cpu has hardware counters; record the counts again: "
                        "./run book --record.")
    return rows


@functools.lru_cache(maxsize=2)
def calibrated(folder):
    """The constants that ./run calibrate makes of the results of a card, by name."""
    return calibrate.derive(calibrate.read_folder(folder))[0]


def chosen(directory, half, chapter=None, limit=None):
    if half not in HALVES:
        raise BookError(f"there is no half '{half}'; there are {', '.join(HALVES)}.")
    rows = [row for row in joined(directory) if HALVES[half](row)
            and chapter in (None, row.chapter, row.chapter[:2]) and limit in (None, row.limit)]
    if not rows:
        raise BookError("no modelled row matches.")
    return rows


@functools.cache
def queue_errors(directory):
    """Of each law of queues.py, how far it is from the rows of chapter 22 on the book's card."""
    laws = queues.compare(schema.load(directory / REFERENCE / "22_bytes_in_flight.json"))
    return {law: {"median": median, "largest": largest} for law, _, median, largest, _ in laws}


def look_ups(directory):
    """Functions for the facts of a page."""

    def model_error(what="median", half="all", chapter=None, limit=None):
        return getattr(accuracy.errors(chosen(directory, half, chapter, limit)), what)

    def model_cache(what):
        rows = cached(directory)
        beyond = sum(bool(row.beyond) for row in rows)
        return {"rows": len(rows), "beyond": beyond, "share": 1 - beyond / len(rows)}[what]

    return {"model_error": model_error, "model_cache": model_cache,
            "model_small": lambda what: getattr(accuracy.errors(accuracy.small_rows(directory)), what),
            "model_sight": lambda what: getattr(accuracy.errors(accuracy.sights(directory)), what),
            "model_blind": lambda what, limit=None: getattr(accuracy.errors(
                [row for row in accuracy.blind(directory) if limit in (None, row.limit)]), what),
            "model_left_out": lambda what: dict(zip(("rows", "figures", "largest"),
                                                    accuracy.left_out(cached(directory))))[what],
            "model_registers": lambda what: {"kernels": len(accuracy.registers(directory)),
                                             "fewer": len(accuracy.fewer_resident(directory))}[what],
            "model_wrong_orders": lambda: len(accuracy.wrong_orders(joined(directory))),
            "model_goal": lambda what: getattr(accuracy, what),
            "calibrated": lambda name: calibrated(directory / accuracy.CARD)[name].value,
            "card_error": lambda what, card, blind=False: accuracy.load(directory / card / "card.json")[
                "error_of_data_sheet" if blind else "error"][what],
            "queue": lambda law, what: queue_errors(directory)[law][what],
            "machine": lambda name: machine()[name][0] if name in machine() else cards.card(cards.MEASURED)[name],
            "constant": lambda file, name: constant(directory.parents[1], file, name)}


def table(head, rows):
    words = [any(cell and not re.fullmatch(r"[-+]?[\d.,]+ ?(%|x|ms)?", cell) for cell in column) for column in zip(*rows)]
    align = [":--" if index == 0 or words[index] else "--:" for index in range(len(head))]
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, align, *rows])


def error_table(directory, by):
    """Errors by `chapter`, `limit` or `half`, or `first_sight`: of the sets that were shown to it blind."""
    rows = joined(directory)
    if by == "half":
        unseen = numbers({row.chapter[:2] for row in rows if not row.fitted})
        groups = {name: accuracy.errors([row for row in rows if HALVES[key](row)]) for name, key in (
            ("all rows", "all"), ("chapters that constants or rules come from", "fitted"),
            (f"chapters that played no part: {unseen}", "unseen"))}
        groups["small launches, of all chapters"] = accuracy.errors(accuracy.small_rows(directory))
    elif by == "first_sight":
        sets = {f"{one.what} (commit {one.commit}{f'; without a time: {one.refused}' if one.refused else ''})": one
                for one in accuracy.blind_sets(directory)}
        every, all_rows = "all of which each time is kept", accuracy.blind(directory)
        groups = {**{name: one.errors for name, one in sets.items()}, every: accuracy.errors(all_rows)}
        orders = {name: accuracy.rank_correlation(rows) for name, rows in
                  [*((name, one.rows) for name, one in sets.items()), (every, all_rows)]}
    elif by == "first_sight_limit":
        groups = accuracy.grouped(accuracy.blind(directory), lambda row: row.limit)
    elif by in ("chapter", "limit"):
        groups = accuracy.grouped(rows, lambda row: getattr(row, by))
    else:
        raise BookError("errors go by half, chapter, limit, first_sight or first_sight_limit, not by "
                        f"'{by}'.")
    exact = ".0%" if by == "first_sight_limit" else ".1%"
    lines = [[name[:2] if by == "chapter" else name, show(found.rows),
              *(show(value, exact) for value in (found.median, found.ninth_decile, found.largest))]
             for name, found in groups.items() if found]
    head = {"limit": "limited by", "first_sight_limit": "limited by", "chapter": "chapter"}.get(by, "")
    heads = [head, "rows", "median", "9 of 10", "largest"]
    if by == "first_sight":
        heads.append("order")
        lines = [[*line, "" if orders[line[0]] is None else show(orders[line[0]], ".2f")] for line in lines]
    return table(heads, lines)


def card_table(directory):
    """Published rows of other cards, and what the model says of them."""
    names = {"h100": "H100", "a100": "A100", "t4": "T4", "rtx3090": "RTX 3090"}
    lines = []
    for card, chapter, variant, parameters, theirs, ours in other_cards.compared(directory):
        absolute = "n" in parameters or "bytes" in parameters
        words = [f"{name} {show(value)}" for name, value in parameters.items() if name != "n"]
        unit = " ms" if absolute else " x"
        name = "the fastest" if variant == other_cards.FASTEST else f"`{variant}` ({', '.join(words)})"
        lines.append([names[card], f"{chapter[:2]} {name}", show(theirs, "#.3g") + unit,
                      show(ours, "#.3g") + unit, show(ours / theirs - 1, "+.0%")])
    return table(["card", "row", "published", "modelled", "error"], lines)


def worst_table(directory):
    lines = []
    for row in accuracy.worst(joined(directory)):
        lines.append([f"{row.chapter[:2]} `{row.label}`", show(row.measured_ms, "#.3g"),
                      show(row.modelled["ms"], "#.3g"), show(row.error, "+.0%"), row.limit,
                      traffic(row, cached(directory))])
    return table(["row", "measured, ms", "modelled, ms", "error", "limited by", "traffic, against the counters"], lines)


def traffic(row, caches):
    """What the counters say of a row's traffic."""
    def without_shape(name):  # counters of a ragged matrix are of a smaller one
        return re.sub(r", \d+x\d+\)", ", ragged)", name)
    counted = next((other for other in caches if other.chapter == row.chapter
                    and without_shape(other.label) == without_shape(row.label)), None)
    return "" if counted is None else figures_of(
        {name: [counted.error(name)] for name in counted.beyond}) or "as counted"


def cache_table(directory):
    """The rows beyond the goal, by reason."""
    off = {}
    for row in cached(directory):
        for figure in row.beyond:
            named = off.setdefault(accuracy.KNOWN.get(row.name, "not known"), {})
            named.setdefault(row.name, {}).setdefault(figure, []).append(row.error(figure))
    lines = []
    for reason, variants in off.items():
        said = reason[0].upper() + reason[1:]
        for name, found in variants.items():
            lines.append([f"{name[:2]} `{name.partition(' ')[2]}`", figures_of(found), said])
            said = "the same"
    return table(["row", "off by", "why"], lines)


def figures_of(found):
    """`L2 read sectors -8 % to -14 %`, of figures and their errors."""
    words = []
    for figure, errors in found.items():
        ends = dict.fromkeys(show(end, "+.0%") for end in sorted((min(errors), max(errors)), key=abs))
        name = figure.replace("_", " ").replace("l1", "L1").replace("l2", "L2").replace("dram", "DRAM")
        words.append(f"{name} {' to '.join(ends)}")
    return ", ".join(words)


def scatter(directory):
    """The data of the scatter plot."""
    rows = joined(directory)
    groups = {}
    for row in rows:
        groups.setdefault(row.limit, []).append([row.measured_ms, row.modelled["ms"]])
    ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
    rest = [point for _, points in ordered[5:] for point in points]
    named = {name: sorted(points) for name, points in ordered[:5]}
    if rest:
        named["others"] = sorted(rest)
    found = accuracy.errors(rows)
    title = "Modelled against measured, by what limits a kernel"
    return {"kind": "scatter", "groups": named, "near": accuracy.NINTH_DECILE, "title": title,
            "alt": f"Scatter plot. {title}. {found.rows} rows: half of them are within "
                   f"{show(found.median, '.1%')} of what an H200 took, nine of ten within "
                   f"{show(found.ninth_decile, '.1%')}."}


# --- the constants ------------------------------------------------------------------------------------


def machine():
    """Each constant of the H200: name -> (value, meaning, source)."""
    return {name: (one["value"], one["meaning"], one["source"]) for name, one in cards.constants().items()}


def constant(root, file, name):
    """The value of `constexpr ... name = value;` in a source."""
    match = re.search(rf"constexpr [\w:]+ {name} = ([^;]+);", (root / file).read_text("utf-8"))
    if not match:
        raise BookError(f"{file} has no constant {name}.")
    return eval(match[1], {"__builtins__": {}})


TABLES = {"cards": card_table, "worst": worst_table, "caches": cache_table}  # by their markers
