"""Results next to reference results, row by row, and which kernels became slower.

    ./run compare [--rows] [RESULT...]
    ./run compare [--rows] BEFORE AFTER

RESULT is a file of results, or a folder of them; the reference is book/results, or the folder BEFORE. Where it
has results of a GPU of the same name, each kernel's row is first set against what the same run can
tell of the GPU: the libraries that solve the same task with its parameters, else the copy bandwidth;
absolute times come second, alone where a run has neither. Two runs of one GPU may differ by less
than those of two GPUs; where both have rounds, a difference is what their spread does not explain, among so many rows. --rows prints every row and not only those that differ. Cards of other names
are set side by side by their shares of the peak, without a verdict.

Exit status: 0 no kernel is slower, 1 one is, 2 there is nothing to compare.
"""

import argparse
import collections
import math
import pathlib
import shutil
import signal
import statistics
import sys

from tools.results import rounds
from tools.results.schema import NotResults, load

# How far unchanged rows may be apart, on the GPU of the reference and on another of its model; the figures
# behind each are in docs/guide/measurement.md. What the DRAM or the caches feed at full speed is the same on all
# GPUs, against a library or the copy bandwidth. What waits for latency or for the order of DRAM rows is not. The
# rest depends on the host: what its processor and memory do, and launches of a few steps of the event timer.
Tolerance = collections.namedtuple("Tolerance", "bandwidth latency host")
SAME_CARD = Tolerance(0.025, 0.025, 0.3)
OTHER_CARD = Tolerance(0.045, 0.12, 0.67)
FULL_SPEED = 0.5  # of the copy bandwidth, and more
SHORT_MS = 0.1
NOTICEABLE = 0.01  # of two records of one GPU with rounds: two that are hours apart differ by as much
QUEUEING_MS = 0.006  # what another host needs longer to queue a launch or a copy, four times over
YARDSTICKS = {"time": "time alone", "copy bandwidth": "the ratio to the copy bandwidth"}


def load_all(place):
    """The results of a file; of a folder; or of the folders in it, one for each GPU."""
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
    """A row next to its reference of the same GPU."""

    def __init__(self, yours, theirs):
        self.yours, self.theirs = yours, theirs
        self.time = theirs["time_ms"]["median"] / yours["time_ms"]["median"]  # below 1: slower
        self.ratio, self.against, self.mark = self.time, "time", ""
        self.tolerance = SAME_CARD
        self.yardstick = [None, None]  # times of what the ratio is to, yours and theirs

    @property
    def by_rounds(self):
        """Whether both are of one GPU and have rounds."""
        return self.tolerance is SAME_CARD and not self.yours.get("library") and all(
            len(rounds.each(row["time_ms"])) > 1 for row in (self.yours, self.theirs))

    def changes(self):
        """Logarithms of what each round took, yours and theirs; and of the ratios to the yardstick of the same round, where
        there are."""
        times = [row["time_ms"] for row in (self.yours, self.theirs)]
        yield [[math.log(median) for median, *_ in rounds.each(time).values()] for time in times]
        if all(self.yardstick):
            ratios = [list(rounds.paired(*both).values()) for both in zip(times, self.yardstick)]
            if min(map(len, ratios)) > 1:
                yield ratios

    @property
    def by_host(self):
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
                and all(its["parameters"].get(name, value) == value for name, value in mine["parameters"].items()))


def set_against(pairs, copy_bandwidth, copies=(None, None)):
    """Divides the GPU out of the pairs' ratios. `copy_bandwidth`: yours over theirs, or None; `copies`: their
    times by rounds, where these are known."""
    for pair in pairs:
        peers = [other for other in pairs if other.is_peer_of(pair)]
        if peers:
            pair.ratio = pair.time / statistics.median(peer.time for peer in peers)
            pair.against = peers[0].yours["variant"]
            pair.yardstick = [peers[0].yours["time_ms"], peers[0].theirs["time_ms"]]
        elif copy_bandwidth and pair.yours["cache"]:
            pair.ratio = pair.time / copy_bandwidth
            pair.against = "copy bandwidth"
            pair.yardstick = copies


def judge(pairs, tolerance, copy_bandwidth):
    """Marks the pairs of kernels: both their time and their ratio have to say so. `copy_bandwidth`: theirs, or None."""
    for pair in pairs:
        pair.tolerance = tolerance
        full_speed = copy_bandwidth and (pair.theirs["gb_per_s"] or 0) > FULL_SPEED * copy_bandwidth
        allowed = tolerance.host if pair.by_host else tolerance.bandwidth if full_speed else tolerance.latency

        def beyond(direction):
            time, ratio = pair.time ** direction, pair.ratio ** direction
            if pair.by_host and pair.apart_by() < QUEUEING_MS:
                return False
            return time < 1 - allowed / 2 and ratio < 1 - allowed

        if pair.by_rounds and not pair.by_host:
            allowed = NOTICEABLE
        if (pair.by_rounds or pair.apart()) and not pair.yours.get("library"):
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
    """The judged pairs of a chapter on one GPU, and how many rows have no reference."""
    found, alone = matches(yours, reference, "time_ms")
    pairs = [Pair(*rows) for rows in found]
    bandwidths = [results["device"].get("copy_gb_per_s") for results in (yours, reference)]
    set_against(pairs, bandwidths[0] / bandwidths[1] if all(bandwidths) else None, [rounds.copy_time(results) for results in (yours, reference)])
    cards = [results["device"].get("card") for results in (yours, reference)]
    judge(pairs, SAME_CARD if cards[0] and cards[0] == cards[1] else OTHER_CARD, bandwidths[1])
    return pairs, alone


def compare_cards(yours, reference, width):
    """Prints shares of the peak of two GPUs, where both have some."""
    rows = [(label(a), f"{100 * a['share_of_peak']:.1f} %", f"{100 * b['share_of_peak']:.1f} %",
             f"{a['share_of_peak'] / b['share_of_peak']:.3f}", "")
            for a, b in matches(yours, reference, "share_of_peak")[0]]
    if rows:
        print_table(f"{yours['chapter']}: share of the peak, {yours['device']['name']} next to "
                    f"{reference['device']['name']}{' (published)' if reference.get('published') else ''}",
                    ["   yours", "  theirs", "  ratio"], rows, width)
    return bool(rows)


def p_value(changes, usual):
    """That the two sides of changes differ by chance alone, of rounds whose variance is theirs, but not less than it and the
    usual one of such rows make together: five rounds alone may agree by chance."""
    freedom = sum(map(len, changes)) - 2
    own = sum((len(side) - 1) * statistics.variance(side) for side in changes) / freedom
    variance = max(own, (own + usual) / 2)
    apart = statistics.mean(changes[0]) - statistics.mean(changes[1])
    if not variance:
        return float(not apart)
    return rounds.two_sided(apart / math.sqrt(variance * sum(1 / len(side) for side in changes)), 2 * freedom)


def keep_what_chance_does_not_explain(pairs):
    """Takes the marks of pairs with rounds away that are no more than their spread, among so many, may make."""
    tested = [pair for pair in pairs if pair.by_rounds]
    changes = [list(pair.changes()) for pair in tested]
    usual = {}
    for pair, kinds in zip(tested, changes):
        for at, kind in enumerate(kinds):
            usual.setdefault((pair.by_host, at), []).extend(map(statistics.variance, kind))
    usual = {kind: statistics.median(each) for kind, each in usual.items()}
    ps = [max(p_value(kind, usual[pair.by_host, at]) for at, kind in enumerate(kinds)) for pair, kinds in zip(tested, changes)]
    fallen = rounds.rejected(ps)
    for at, pair in enumerate(tested):
        pair.mark = pair.mark if at in fallen else ""


def print_verdict(chapters, all_rows, width):
    """Prints `chapters`, those with a reference of the same GPU: name, pairs, rows without one.
    Returns the marked pairs that are slower, by chapter and variant."""
    keep_what_chance_does_not_explain([pair for _, pairs, _ in chapters for pair in pairs])
    print_table("1.000: as fast as the reference; below 1: slower. Ratio: relative to the library or the copy bandwidth of the same run.",
                [" rows", "time: median", "farthest", "ratio: median", "farthest"],
                [(name, len(pairs), *span([pair.time for pair in pairs]), *span([pair.ratio for pair in pairs]),
                  "SLOWER" if any(pair.mark == "SLOWER" for pair in pairs) else "")
                 for name, pairs, _ in chapters if pairs], width)
    if any(pair.tolerance is OTHER_CARD for _, pairs, _ in chapters for pair in pairs):
        print(f"The reference is from another GPU of this model, or does not say which. A row counts as slower if it lost more than "
              f"{100 * OTHER_CARD.bandwidth:.1f} %,\n{100 * OTHER_CARD.latency:.0f} % if below half of the copy bandwidth, "
              f"or {100 * OTHER_CARD.host:.0f} % if host-timed; on the same GPU, {100 * SAME_CARD.bandwidth:.1f} %.\n")
    slower, yardsticks = {}, collections.Counter()
    for name, pairs, _ in chapters:
        shown = [pair for pair in pairs if all_rows or pair.mark]
        if shown:
            print_table(f"{name}: GB/s", ["   yours", "  theirs", " time", "ratio"],
                        [(label(pair.yours), *pair.figures(), f"{pair.time:.3f}", f"{pair.ratio:.3f}",
                          f"{pair.mark} against {pair.against}" if pair.mark else "") for pair in shown], width)
        for pair in pairs:
            yardsticks[YARDSTICKS.get(pair.against, "the ratio to a library")] += 1
            if pair.mark == "SLOWER":
                slower.setdefault((name, pair.yours["variant"]), []).append(pair)
    print("Judged by " + "; ".join(f"{yardstick}: {counted(count)}" for yardstick, count in sorted(yardsticks.items())) + ".")
    alone = sum(count for *_, count in chapters)
    if alone:
        print(f"Not compared, because the reference has no row of the same size and parameters: {counted(alone)}.")
    for (name, variant), pairs in slower.items():
        worst = min(pairs, key=lambda pair: pair.ratio)
        print(f"Slower: {name}, {variant}: {counted(len(pairs))}, {100 * (1 - worst.ratio):.1f} % at most, "
              f"against {worst.against}.")
    if not slower:
        print("No row is slower than the reference allows.")
        card = statistics.median([pair.time for _, pairs, _ in chapters for pair in pairs if not pair.by_host] or [1])
        if card < 1 - SAME_CARD.bandwidth:
            print(f"The whole GPU is slower: half of the rows, libraries included, take at least {100 * (1 / card - 1):.1f} % longer. "
                  "Is it busy or hot, or are its clocks limited?")
    return slower


def places(arguments, root):
    """Whether all rows are wanted, the reference and the results: the last ./run where none are named, and two folders
    next to one another."""
    parser = argparse.ArgumentParser(prog="./run compare", description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--rows", action="store_true", help="every row, not only those that differ")
    parser.add_argument("--reference", metavar="FOLDER", type=pathlib.Path, default=root / "book/results",
                        help="instead of book/results")
    parser.add_argument("results", metavar="RESULT", nargs="*",
                        help="a file or folder; of two folders, the second is compared with the first")
    options = parser.parse_args(arguments)
    reference, named = options.reference, options.results
    if len(named) == 2 and all(pathlib.Path(place).is_dir() for place in named):
        reference, named = named[0], named[1:]
    elif not named:
        named = sorted(root.glob("build/gpu/results/[0-9][0-9]_*.json"))
        if not named:
            raise NotResults("there are no GPU results yet: run ./run --device gpu first.")
    return options.rows, reference, named


def compare(all_rows, reference, named):
    """Prints the comparison of the results that are named with the reference; returns the exit status."""
    references = load_all(reference)
    own = [results for place in named for results in load_all(place) if not results.get("published")]
    width = shutil.get_terminal_size((100, 24)).columns
    chapters, without, beside = [], [], False
    for results in own:
        others = [r for r in references if r["chapter"] == results["chapter"]]
        card = results["device"]["name"]
        same = next((r for r in others if r["device"]["name"] == card and not r.get("published")), None)
        pairs, alone = compare_card(results, same) if same else ([], 0)
        if pairs:
            chapters.append((results["chapter"], pairs, alone))
        elif same or not any([compare_cards(results, other, width) for other in others]):
            without.append(results["chapter"])
        else:
            beside = True
    if not chapters and not beside:
        raise NotResults(f"no chapter of {', '.join(map(str, named))} has a row that {reference} has, too: "
                         "nothing was compared.")
    if without:
        print(f"No reference to compare with: {', '.join(sorted(set(without)))}.")
    return 1 if chapters and print_verdict(chapters, all_rows, width) else 0


def main(arguments, root):
    try:
        return compare(*places(arguments, root))
    except NotResults as error:
        print(f"compare: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader who closes the pipe hears no complaint
    sys.exit(main(sys.argv[1:], pathlib.Path(__file__).resolve().parents[2]))
