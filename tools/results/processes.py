"""One row from what several processes measured: the median of their medians, and how far it may be off.

Samples of one process share its pages of memory, its order of rows and its minute; a second process has others. So the
interval of a row that several processes measured comes from resampling the processes, and within each its own interval
(T. Hoefler, R. Belli, Scientific benchmarking of parallel computing systems, 2015: rules 5 to 7).
"""

import random
import statistics

RESAMPLES = 2000
# Of an interval that holds 95 %: to either side so many standard deviations of a normal distribution.
DEVIATIONS = 1.96


def identity(row):
    return row["variant"], tuple(sorted(row["parameters"].items())), row["cache"], row["library"]


def each(time):
    """What each process found: [median, low, high], in the order in which they ran."""
    return time.get("processes") or [[time["median"], *time["interval"]]]


def resampled(processes):
    """The ends between which 95 % of the medians lie, of as many processes drawn anew. Of one process its own."""
    if len(processes) == 1:
        return list(processes[0][1:])
    draw = random.Random(0)  # the same for the same results
    drawn = sorted(statistics.median(draw.gauss(median, (high - low) / 2 / DEVIATIONS)
                                     for median, low, high in draw.choices(processes, k=len(processes)))
                   for _ in range(RESAMPLES))
    return [drawn[round(share * (RESAMPLES - 1))] for share in (0.025, 0.975)]


def merged_time(before, after):
    """The time of all processes of both."""
    processes = each(before) + each(after)
    samples = before["samples"] + after["samples"]

    def mean(name):
        return (before[name] * before["samples"] + after[name] * after["samples"]) / samples

    return {"median": statistics.median(median for median, *_ in processes), "p25": mean("p25"), "p75": mean("p75"),
            "min": min(before["min"], after["min"]), "interval": resampled(processes), "samples": samples,
            "retries": before["retries"] + after["retries"],
            "stop": before["stop"] if before["stop"] == after["stop"] else "max-time", "processes": processes}


def merge(results, more):
    """Adds the samples of another process to the rows of `results` that it measured again. Rows that are not in both
    stay as they are. Returns how many there were."""
    again = {identity(row): row for row in more["rows"] if row["time_ms"]}
    device, found = results["device"], 0
    for row in results["rows"]:
        other = again.get(identity(row))
        if not other or not row["time_ms"]:
            continue
        found += 1
        row["time_ms"] = merged_time(row["time_ms"], other["time_ms"])
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
