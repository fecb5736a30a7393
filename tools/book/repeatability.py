"""How far the samples of a row lie apart, how far one round from the next, and one GPU from the next."""

import itertools
import statistics

from tools.results import rounds

FULL_SPEED = 0.5  # of what a copy reaches, and more: as in tools/results/compare.py
SHORT_MS = 0.1
KINDS = ("at least half as fast as a copy", "slower", "shorter than 0.1 ms", "timed by the host")


def kind(row):
    if not row["cache"]:
        return KINDS[3]
    if row["time_ms"]["median"] < SHORT_MS:
        return KINDS[2]
    return KINDS[0] if (row["share_of_copy"] or 0) >= FULL_SPEED else KINDS[1]


def spreads(row, twin):
    """Of one row, as shares of its median: the whole interval of its first round, what each two of its rounds lie apart, and
    what its twin on another GPU, if there is one."""
    time = row["time_ms"]
    found = list(rounds.each(time).values())
    pairs = itertools.combinations([median for median, *_ in found], 2)
    apart = [] if not twin or not twin["time_ms"] else [abs(twin["time_ms"]["median"] / time["median"] - 1)]
    return (found[0][2] - found[0][1]) / time["median"], [abs(one - other) / time["median"] for one, other in pairs], apart


def distribution(found):
    """The median, what nine of ten are within, and the farthest."""
    ordered = sorted(found)
    return statistics.median(ordered), ordered[-(-9 * len(ordered) // 10) - 1], ordered[-1]


def table(results, device, other=None):
    """Markdown: of each kind of row of the chapters how many, and how far they were apart, on `other`, too; and how often clocks were low."""
    found, reasons = {name: [] for name in KINDS}, []
    for (of, chapter), (data, _) in results.data.items():
        if of == device and chapter[:2].isdigit():
            there = results.data[other, chapter][0]["rows"] if results.has(other, chapter) else []
            twins = {rounds.identity(row): row for row in there}
            for row in data["rows"]:
                if len(rounds.medians(row["time_ms"] or {})) > 1:
                    reasons += row["time_ms"].get("rounds", {}).get("clock_reasons", [])
                    found[kind(row)].append(spreads(row, twins.get(rounds.identity(row))))
    heads = ["rows", "count", "width of interval", "two rounds: median difference", "90% within", "largest"]
    heads += ["two GPUs: count", "median difference", "90% within", "largest"] if other else []
    lines = [f"| {' | '.join(heads)} |", f"| :-- |{' --: |' * (len(heads) - 1)}"]
    for name, rows in found.items():
        if not rows:
            continue
        shares = [statistics.median(row[0] for row in rows), *distribution([pair for row in rows for pair in row[1]])]
        cells = [name, str(len(rows)), *(f"{100 * share:.2f}%" for share in shares)]
        if other:
            far = [one for row in rows for one in row[2]]
            cells += [str(len(far)), *(f"{100 * share:.2f}%" for share in (distribution(far) if far else ()))]
            cells += [""] * (len(heads) - len(cells))
        lines.append(f"| {' | '.join(cells)} |")
    if reasons:
        lines += ["", f"*In {sum(map(bool, reasons))} of {len(reasons):,} measurements of a row in a round, the GPU had lowered its clocks.*"]
    return "\n".join(lines)
