"""How far the samples of a row lie apart, how far one round from the next, and one GPU from the next."""

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


def spreads(row):
    """Of one row: the whole interval of its first round, and what the farthest two of its rounds lie apart, both of its median."""
    time = row["time_ms"]
    found = list(rounds.each(time).values())
    medians = [median for median, *_ in found]
    return (found[0][2] - found[0][1]) / time["median"], (max(medians) - min(medians)) / time["median"]


def table(results, device):
    """Markdown: of each kind of row how many, and how far they were apart."""
    found = {name: [] for name in KINDS}
    for (of, _), (data, _) in results.data.items():
        if of == device:
            for row in data["rows"]:
                if len(rounds.medians(row["time_ms"] or {})) > 1:
                    found[kind(row)].append(spreads(row))
    lines = ["| rows | how many | interval, its whole width | two processes apart: the median row | nine of ten within | farthest |",
             "| :-- | --: | --: | --: | --: | --: |"]
    for name, pairs in found.items():
        if not pairs:
            continue
        within, between = zip(*pairs)
        ordered = sorted(between)
        shares = (statistics.median(within), statistics.median(between), ordered[-(-9 * len(ordered) // 10) - 1], ordered[-1])
        lines.append(f"| {name} | {len(pairs)} | " + " | ".join(f"{100 * share:.2f}%" for share in shares) + " |")
    return "\n".join(lines)
