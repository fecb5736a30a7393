#!/usr/bin/env python3
"""Results beside reference results, row by row, and which kernels became slower.

    compare.py [--rows] REFERENCE RESULT...

REFERENCE and RESULT are files of results, or folders of them such as book/results. Where REFERENCE
has results of the same card, each row is first set against what the same run can tell of the card:
the libraries that solve the same task at the same size, else the copy ceiling; absolute times come
second, alone where a run has neither. --rows prints every row and not only those that differ. Other
cards are set side by side by their shares of the peak, without a verdict.

Exit status: 0 no kernel is slower, 1 one is, 2 usage.
"""

import collections
import json
import pathlib
import shutil
import signal
import statistics
import sys

SCHEMA = 2  # of results.schema.json
# How far unchanged rows may be apart; docs/guide/measurement.md has the figures behind each. Of one
# card's two runs, or, against the library or the ceiling, of two cards:
TOLERANCE = 0.025
# Against them still, where all rows of about the same bandwidth moved: what limits those is not what
# limits a library, and cards differ in it.
SHARED_TOLERANCE = 0.045
ALIKE = 1.25  # the ratio of two bandwidths that are about the same
# What the host times depends on its processor and memory; a launch this short is a few steps of
# the event timer, its link to the host where it has one, and what the host needs to queue it: on two
# hosts of one card 1.6 microseconds more for each launch and each copy.
ROUGH_TOLERANCE = 0.3
SHORT_MS = 0.1
QUEUEING_MS = 0.006
YARDSTICKS = {"time": "nothing but time", "copy ceiling": "the copy ceiling"}


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


def load_all(place):
    """The results of a file; of a folder; or of the folders in it, one for each card."""
    place = pathlib.Path(place)
    if not place.is_dir():
        return [load(place)]
    name = "[0-9][0-9]_*.json"
    files = sorted(place.glob(name)) or sorted(place.glob(f"*/{name}"))
    if not files:
        raise NotResults(f"{place} has no results: files such as 05_float4.json.")
    return [load(path) for path in files]


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


def matches(yours, reference, field):
    """Pairs of rows that have that field, and how many of yours have it and no counterpart."""
    found, alone = [], 0
    for row in filter(lambda row: row.get(field), yours["rows"]):
        other = next((candidate for candidate in reference["rows"] if candidate.get(field)
                      and same_row(row, candidate, reference.get("published"))), None)
        if other:
            found.append((row, other))
        else:
            alone += 1
    return found, alone


class Pair:
    """A row beside its reference of the same card."""

    def __init__(self, yours, theirs):
        self.yours, self.theirs = yours, theirs
        self.time = theirs["time_ms"]["median"] / yours["time_ms"]["median"]  # below 1: slower
        self.ratio, self.against, self.mark = self.time, "time", ""

    @property
    def rough(self):
        return not self.yours["cache"] or min(
            row["time_ms"]["median"] for row in (self.yours, self.theirs)) < SHORT_MS

    def figures(self):
        if self.yours["gb_per_s"] and self.theirs["gb_per_s"]:
            return [f"{row['gb_per_s']:.1f}" for row in (self.yours, self.theirs)]
        return [f"{row['time_ms']['median']:.4g} ms" for row in (self.yours, self.theirs)]

    def apart(self):
        """True when the intervals of the two medians do not overlap."""
        one, other = self.yours["time_ms"]["interval"], self.theirs["time_ms"]["interval"]
        return one[0] > other[1] or other[0] > one[1]

    def apart_by(self):
        return abs(self.yours["time_ms"]["median"] - self.theirs["time_ms"]["median"])

    def is_peer_of(self, other):
        """True for a library's solution of the other's task, measured as the other was."""
        mine, its = self.yours, other.yours
        return (mine.get("library") and not its.get("library") and mine["cache"] and mine["cache"] == its["cache"]
                and mine.get("task") == its.get("task")
                and mine["parameters"].get("n") == its["parameters"].get("n"))

    def is_like(self, other):
        """True for another variant's row whose bandwidth, and so whose limit, is about the same."""
        bandwidths = [pair.theirs["gb_per_s"] for pair in (self, other)]
        return (all(bandwidths) and self.yours["variant"] != other.yours["variant"]
                and self.yours["cache"] == other.yours["cache"]
                and max(bandwidths) / min(bandwidths) <= ALIKE)


def set_against(pairs, ceiling):
    """Divides the card out of the pairs' ratios. `ceiling`: yours over theirs, or None."""
    for pair in pairs:
        peers = [other for other in pairs if other.is_peer_of(pair)]
        if peers:
            pair.ratio = pair.time / statistics.median(peer.time for peer in peers)
            pair.against = peers[0].yours["variant"]
        elif ceiling and pair.yours["cache"]:
            pair.ratio = pair.time / ceiling
            pair.against = "copy ceiling"


def judge(pairs):
    """Marks the pairs: both their time and their ratio have to say so."""
    for pair in pairs:
        alike = [other.ratio for other in pairs if pair.is_like(other)]
        expected = statistics.median(alike) if alike else 1

        def beyond(direction):
            time, ratio = pair.time ** direction, pair.ratio ** direction
            if pair.rough:
                return ratio < 1 - ROUGH_TOLERANCE and pair.apart_by() > QUEUEING_MS
            return time < 1 - TOLERANCE / 2 and (ratio < 1 - SHARED_TOLERANCE or (
                ratio < 1 - TOLERANCE and ratio / expected ** direction < 1 - TOLERANCE))

        if pair.apart():
            pair.mark = "SLOWER" if beyond(1) else "faster" if beyond(-1) else ""


def print_table(title, heads, rows, width):
    """`rows`: a label, cells as wide as `heads`, and a mark."""
    print(title)
    room = max(20, min(width - sum(len(head) + 2 for head in heads) - 7, max(len(row[0]) for row in rows)))
    print("  ".join([" " * room, *heads]))
    for text, *cells, mark in rows:
        if len(text) > room:
            text = text[:room - 1] + "…"
        cells = [f"{cell:>{len(head)}}" for cell, head in zip(cells, heads)]
        print("  ".join([f"{text:<{room}}", *cells, mark]).rstrip())
    print()


def counted(count, noun="row"):
    return f"{count} {noun}{'' if count == 1 else 's'}"


def span(values):
    """The median, and the value farthest from 1."""
    return [f"{statistics.median(values):.3f}", f"{max(values, key=lambda value: abs(value - 1)):.3f}"]


def compare_card(yours, reference):
    """The judged pairs of a chapter on one card, and how many rows have no reference."""
    found, alone = matches(yours, reference, "time_ms")
    pairs = [Pair(*rows) for rows in found]
    ceilings = [results["device"].get("copy_gb_per_s") for results in (yours, reference)]
    set_against(pairs, ceilings[0] / ceilings[1] if all(ceilings) else None)
    judge(pairs)
    return pairs, alone


def compare_cards(yours, reference, width):
    """Prints shares of the peak of two cards, where both have some."""
    rows = [(label(a), f"{100 * a['share_of_peak']:.1f} %", f"{100 * b['share_of_peak']:.1f} %",
             f"{a['share_of_peak'] / b['share_of_peak']:.3f}", "")
            for a, b in matches(yours, reference, "share_of_peak")[0]]
    if rows:
        print_table(f"{yours['chapter']}: share of the peak, {yours['device']['name']} beside "
                    f"{reference['device']['name']}{' (published)' if reference.get('published') else ''}",
                    ["   yours", "  theirs", "  ratio"], rows, width)
    return bool(rows)


def print_verdict(chapters, all_rows, width):
    """Prints `chapters`, those with a reference of the same card: name, pairs, rows without one.
    Returns the marked pairs that are slower, by chapter and variant."""
    print_table("The same card. 1.000: as fast; less: slower. Ratio: to the library or the copy ceiling of the same run.",
                [" rows", "time: median", "farthest", "ratio: median", "farthest"],
                [(name, len(pairs), *span([pair.time for pair in pairs]), *span([pair.ratio for pair in pairs]),
                  "SLOWER" if any(pair.mark == "SLOWER" for pair in pairs) else "")
                 for name, pairs, _ in chapters if pairs], width)
    slower, yardsticks = {}, collections.Counter()
    for name, pairs, _ in chapters:
        shown = [pair for pair in pairs if all_rows or pair.mark]
        if shown:
            print_table(f"{name}: GB/s", ["   yours", "  theirs", " time", "ratio"],
                        [(label(pair.yours), *pair.figures(), f"{pair.time:.3f}", f"{pair.ratio:.3f}",
                          f"{pair.mark} against {pair.against}" if pair.mark else "") for pair in shown], width)
        for pair in pairs:
            yardsticks[YARDSTICKS.get(pair.against, "a library")] += 1
            if pair.mark == "SLOWER":
                slower.setdefault((name, pair.yours["variant"]), []).append(pair)
    print("Set against " + "; ".join(f"{yardstick}: {counted(count)}" for yardstick, count in sorted(yardsticks.items())) + ".")
    alone = sum(count for *_, count in chapters)
    if alone:
        print(f"Without a counterpart of the same size and parameters in the reference, and not judged: {counted(alone)}.")
    for (name, variant), pairs in slower.items():
        worst = min(pairs, key=lambda pair: pair.ratio)
        print(f"Slower: {name}, {variant}: {counted(len(pairs))}, {100 * (1 - worst.ratio):.1f} % at most, "
              f"against {worst.against}.")
    if not slower:
        print("No row is slower than the reference allows.")
        card = statistics.median([pair.time for _, pairs, _ in chapters for pair in pairs if not pair.rough] or [1])
        if card < 1 - TOLERANCE:
            print(f"The whole card is: half of the rows take {100 * (1 / card - 1):.1f} % longer or more, libraries among "
                  "them. Is it busy or hot, or are its clocks held down?")
    return slower


def main(arguments):
    all_rows = "--rows" in arguments
    places = [argument for argument in arguments if argument != "--rows"]
    if len(places) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        references = load_all(places[0])
        own = [results for place in places[1:] for results in load_all(place)
               if not results.get("published")]
    except NotResults as error:
        print(f"compare: {error}", file=sys.stderr)
        return 2
    width = shutil.get_terminal_size((100, 24)).columns
    chapters, without = [], []
    for results in own:
        named = [r for r in references if r["chapter"] == results["chapter"]]
        card = results["device"]["name"]
        same = next((r for r in named if r["device"]["name"] == card and not r.get("published")), None)
        pairs, alone = compare_card(results, same) if same else ([], 0)
        if pairs:
            chapters.append((results["chapter"], pairs, alone))
        elif same or not any([compare_cards(results, other, width) for other in named]):
            without.append(results["chapter"])
    if without:
        print(f"No reference to compare with: {', '.join(sorted(set(without)))}.")
    return 1 if chapters and print_verdict(chapters, all_rows, width) else 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader who closes the pipe hears no complaint
    sys.exit(main(sys.argv[1:]))
