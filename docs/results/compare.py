#!/usr/bin/env python3
"""This machine's results beside the reference, row by row.

    compare.py REFERENCES RESULT.json...

REFERENCES is a folder like book/results. Where it has results of the same card, bandwidths are
compared; rows whose intervals do not overlap are marked, and the exit status is 1 if one of them is
slower by more than two runs on one card differ anyway. Without results of the same card, shares of
the peak are set against the published ones.
"""

import json
import pathlib
import shutil
import sys

# How far two runs on one card may differ and still agree. A run's interval covers its own samples,
# not the pages that its arrays were given; docs/guide/measurement.md has the figures behind this.
REPRODUCIBILITY = 0.01
SCHEMA = 2  # of results.schema.json


class NotResults(Exception):
    """A file that does not hold results; the message is a sentence."""


def no_constant(text):
    raise ValueError(f"{text} is not a number")


def load(path):
    try:
        results = json.loads(path.read_text(), parse_constant=no_constant)
        if results["schema"] != SCHEMA:
            raise NotResults(f"{path}: its schema is {results['schema']}, this program reads {SCHEMA}: "
                             "run the chapter again.")
        for row in results["rows"]:
            row["variant"], row["parameters"], row["cache"], row["share_of_peak"], row["gb_per_s"]
        results["chapter"], results["device"]["name"]
        return results
    except OSError as error:
        raise NotResults(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise NotResults(f"{path} does not hold results: {error}.") from error


def label(row):
    values = [f"{name} {value}" for name, value in row["parameters"].items()]
    return ", ".join([row["variant"], *values, *filter(None, [row["cache"]])])


def same_row(yours, reference, published):
    """Of a published result, what it does not state is not compared."""
    if yours["variant"] != reference["variant"]:
        return False
    if not published:
        return (yours["parameters"] == reference["parameters"]
                and yours["cache"] == reference["cache"])
    return yours["cache"] != "hot" and all(
        yours["parameters"].get(name) == value for name, value in reference["parameters"].items())


def apart(yours, reference):
    """True when the intervals of the two medians do not overlap."""
    one, other = yours["time_ms"]["interval"], reference["time_ms"]["interval"]
    return one[0] > other[1] or other[0] > one[1]


def pairs(yours, reference, field, published):
    for row in yours["rows"]:
        for candidate in reference["rows"]:
            if same_row(row, candidate, published) and row[field] and candidate[field]:
                yield row, candidate
                break


def verdict(yours, reference):
    """The mark of a row of the same card, and whether it counts as slower."""
    if not apart(yours, reference):
        return "", False
    ratio = yours["gb_per_s"] / reference["gb_per_s"]
    if abs(ratio - 1) <= REPRODUCIBILITY:
        return "apart", False
    return ("faster", False) if ratio > 1 else ("SLOWER", True)


def print_table(title, rows, width):
    """`rows`: label, two figures, their ratio, a mark."""
    print(title)
    room = max(20, min(width - 36, max(len(row[0]) for row in rows)))
    print(f"{'':<{room}} {'yours':>8} {'theirs':>8} {'ratio':>7}")
    for text, yours, reference, ratio, mark in rows:
        if len(text) > room:
            text = text[:room - 1] + "…"
        print(f"{text:<{room}} {yours:>8} {reference:>8} {ratio:>7.3f} {mark}".rstrip())
    print()


def compare(yours, references, width):
    """Prints one chapter; returns how many rows are slower, or None if nothing was comparable."""
    chapter, card = yours["chapter"], yours["device"]["name"]
    named = [r for r in references if r["chapter"] == chapter]
    same = [r for r in named if r["device"]["name"] == card and not r.get("published")]
    if same:
        found = list(pairs(yours, same[0], "gb_per_s", published=False))
        marks = [verdict(*pair) for pair in found]
        rows = [(label(a), f"{a['gb_per_s']:.1f}", f"{b['gb_per_s']:.1f}",
                 a["gb_per_s"] / b["gb_per_s"], mark)
                for (a, b), (mark, _) in zip(found, marks)]
        if rows:
            print_table(f"{chapter}: GB/s on {card}, reference of the same card", rows, width)
            return sum(slower for _, slower in marks)
        return None
    compared = None
    for reference in (r for r in named if r.get("published")):
        rows = [(label(a), f"{100 * a['share_of_peak']:.1f} %", f"{100 * b['share_of_peak']:.1f} %",
                 a["share_of_peak"] / b["share_of_peak"], "")
                for a, b in pairs(yours, reference, "share_of_peak", published=True)]
        if rows:
            print_table(f"{chapter}: share of the peak, {card} beside {reference['device']['name']}"
                        " (published)", rows, width)
            compared = 0
    return compared


def main(arguments):
    if len(arguments) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        references = [load(path) for path in sorted(pathlib.Path(arguments[0]).glob("*/*.json"))
                      if path.name != "counters.json"]
        own = [load(pathlib.Path(path)) for path in arguments[1:]]
    except NotResults as error:
        print(f"compare: {error}", file=sys.stderr)
        return 2
    width = shutil.get_terminal_size((100, 24)).columns
    outcomes = {results["chapter"]: compare(results, references, width) for results in own}
    without = [chapter for chapter, outcome in outcomes.items() if outcome is None]
    if without:
        print(f"No reference to compare with: {', '.join(without)}.")
    slower = sum(outcome or 0 for outcome in outcomes.values())
    if len(without) < len(outcomes):
        print(f"{slower} rows are slower than the reference beyond both intervals and "
              f"{100 * REPRODUCIBILITY:.0f} %. Two cards of one model can be apart by more than that: "
              "docs/guide/measurement.md." if slower
              else "No row is slower than the reference allows.")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
