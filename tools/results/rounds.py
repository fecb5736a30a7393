"""What the rounds of a record say of a row: each is another process, with other pages of memory, another order and minute.

Samples of one process share all of that, so their interval is only how well that process knows its own median. How far
the next process may lie is in the rounds' medians: their geometric mean has an interval by Student's t, of the logarithms,
because a ratio of two times is then a difference. A ratio is taken within each round, where both sides had the same state
of the GPU (T. Hoefler, R. Belli, Scientific benchmarking of parallel computing systems, 2015: rules 5 to 8).
"""

import math
import statistics

COLUMNS = ("median", "p25", "p75", "samples")  # of a round, as its time has them
STATE = ("sm_mhz", "clock_reasons", "celsius", "watts")  # as its GPU has them


def identity(row):
    return row["variant"], tuple(sorted(row["parameters"].items())), row["cache"], row["library"]


def each(time):
    """Of each round, or process of an older record, its number: median, low, high. Of one process its own."""
    if rounds := time.get("rounds"):
        return dict(zip(rounds["round"], zip(rounds["median"], rounds["low"], rounds["high"])))
    return dict(enumerate(time.get("processes") or [(time["median"], *time["interval"])], 1))


def medians(time):
    """Of each round of a row that has several, its number: median."""
    return {number: median for number, (median, *_) in each(time).items()} if "rounds" in time or "processes" in time else {}


def two_sided(t, freedom):
    """The probability that Student's t with so many degrees of freedom is as far from 0 as t, in closed form."""
    angle = math.atan2(abs(t), math.sqrt(freedom))
    odd = freedom % 2
    term = math.sin(angle) * (math.cos(angle) if odd else 1)
    total = angle if odd else 0
    for k in range(odd, freedom - 1, 2):
        total += term
        term *= (k + 1) / (k + 2) * math.cos(angle) ** 2
    return max(0.0, 1 - total * (2 / math.pi if odd else 1))


def quantile(freedom):
    """The t beyond which, to both sides, lie 5 %."""
    low, high = 0.0, 20.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided(middle, freedom) > 0.05 else (low, middle)
    return high


def interval(logs):
    """The geometric mean of what these are the logarithms of, and the ends of its interval of 95 %; of two or more."""
    mean = statistics.mean(logs)
    far = quantile(len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs))
    return tuple(map(math.exp, (mean, mean - far, mean + far)))


def paired(time, other):
    """The logarithms of the ratio of two times in each round that both have, by its number."""
    mine, its = each(time), each(other)
    return {number: math.log(mine[number][0] / its[number][0]) for number in mine if number in its}


def ratio(time, other):
    """How many times longer a row took than another, say a library's: the geometric mean of the rounds, and its interval; None
    where they have fewer than two rounds in common."""
    logs = list(paired(time, other).values())
    return interval(logs) if len(logs) > 1 else None


def copy_time(results):
    """As if a copy were a row of 1 GB: its time, with that of each round, where the rounds are known."""
    found = results["device"].get("copy_gb_per_s_of_rounds")
    times = found and [1 / bandwidth for bandwidth in found.values()]
    return found and {"rounds": {"round": list(map(int, found)), "median": times, "low": times, "high": times}}


def rejected(ps, level=0.05):
    """Which of several hypotheses fall, by the p-value of each, so that none that holds does at that level (S. Holm, 1979)."""
    fallen = set()
    for left, index in zip(range(len(ps), 0, -1), sorted(range(len(ps)), key=ps.__getitem__)):
        if ps[index] * left > level:
            break
        fallen.add(index)
    return fallen


def of_rounds(time, number, gpu):
    """The time of one round as the first of several."""
    low, high = time["interval"]
    found = {"round": number, **{name: time[name] for name in COLUMNS}, "low": low, "high": high,
             **{name: (gpu or {}).get(name) for name in STATE}}
    return {name: [float(f"{value:.7g}") if isinstance(value, float) else value] for name, value in found.items()}


def add(row, other, number):
    """Adds to a row what a further round found of it; a round that it has stays as it is."""
    time, new = row["time_ms"], other["time_ms"]
    rounds = time.setdefault("rounds", of_rounds(time, 1, row.get("gpu")))
    if number in rounds["round"]:
        return
    for name, value in of_rounds(new, number, other.get("gpu")).items():
        rounds[name] += value
    time["median"], *time["interval"] = interval(list(map(math.log, rounds["median"])))
    time["p25"], time["p75"] = (statistics.mean(rounds[name]) for name in ("p25", "p75"))
    time["min"] = min(time["min"], new["min"])
    time["retries"] += new["retries"]
    time["samples"] = sum(rounds["samples"])
    time["stop"] = time["stop"] if time["stop"] == new["stop"] else "max-time"
    if new.get("bimodal"):
        time.setdefault("bimodal", new["bimodal"])


def merge(results, more, number):
    """Adds what a further round measured to the rows of `results`; rows that are not in both stay as they are. Returns how many
    there were."""
    again = {identity(row): row for row in more["rows"] if row["time_ms"]}
    device, found = results["device"], 0
    if copy := more["device"].get("copy_gb_per_s"):
        device.setdefault("copy_gb_per_s_of_rounds", {"1": device["copy_gb_per_s"]})[str(number)] = copy
    for row in results["rows"]:
        other = again.get(identity(row))
        if not other or not row["time_ms"]:
            continue
        found += 1
        add(row, other, number)
        if "energy" in other:
            row["energy"] = other["energy"]
        if row["gb_per_s"]:
            row["gb_per_s"] = row["bytes"] / (row["time_ms"]["median"] * 1e6)
        if row["share_of_peak"]:
            row["share_of_peak"] = row["gb_per_s"] / device["peak_gb_per_s"]
            row["in_l2"] = row["share_of_peak"] > 1
        if row["share_of_copy"]:
            row["share_of_copy"] = row["gb_per_s"] / device["copy_gb_per_s"]
    return found
