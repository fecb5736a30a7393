"""How far a row of a new record may lie from the one that is kept, from rows that several rounds have measured."""

import statistics

SHORT_MS = 0.1
SEVERAL = 3  # rounds that say by themselves how far they are apart


def kind(row):
    """What rows are alike in how well they repeat: those that the host times, short ones, and all others."""
    return "host" if not row["cache"] else "short" if row["ms"] < SHORT_MS else "device"


def of_kinds(results):
    """The standard deviation of the medians of rounds over their mean, of each kind."""
    if not hasattr(results, "spread_of_kinds"):
        found = {"host": [], "short": [], "device": []}
        for (device, _), (_, rows) in results.data.items():
            for row in rows if "/" not in device else ():  # a second GPU tests the claims, and decides none
                if len(each := list(row["rounds"].values())) > 1:
                    found[kind(row)].append(statistics.stdev(each) / statistics.mean(each))
        results.spread_of_kinds = {name: (sum(x * x for x in each) / len(each))**.5 if each else 0 for name, each in found.items()}
    return results.spread_of_kinds


def of(results, device, row):
    """What may move a row's time, and by which share of it: the rounds that it was measured in, or else itself, by what its kind
    does or by half of its own interval, whichever is more."""
    if not row["interval"]:  # of a published row nothing is known, and it is as it is
        return {}
    each = row["rounds"]
    if len(each) >= SEVERAL:
        middle = statistics.mean(each.values())
        return {("round", device, row["chapter"], len(each), number): one / middle - 1 for number, one in each.items()}
    own = (row["interval"][1] - row["interval"][0]) / row["ms"] / 4
    share = max(of_kinds(results)[kind(row)], own) / len(each or [0])**.5
    return {("row", id(row)): share}
