"""The ladder that ends `./run`: what each chapter reached, task by task, from the results that the chapters wrote.

A line holds the best bandwidth with its shares of the peak and of the copy bandwidth and its ratios to the library and to the line
above (on a GPU), or the best modelled bandwidth with what limits it and what was recorded of the same row on the same GPU (on
the CPU device), or the fewest transactions where nothing was modelled.
"""

import functools
import pathlib

from tools.results import accuracy, cards, schema
from tools.words import wrapped

RECORDS = pathlib.Path(__file__).resolve().parents[2] / "book/results"
FILE_WIDTH = 200  # columns, where no terminal wraps them
READABLE = 120  # columns of running text at most
KINDS = ("load", "store", "atomic", "local_load", "local_store")


# The headings, a line each; words stand at the left, numbers at the right.
BEST = "best of each chapter"
TIMED = ((BEST,), ("GB/s",), ("peak",), ("copy",), ("/lib.",), ("/last",))
COUNTED = ((BEST, ""), ("sectors", "/ KiB"), ("requests", "/ KiB"), ("variant", ""))
MODELLED = ((BEST, ""), ("variant", ""), ("modelled", "GB/s"), ("limited", "by"), ("recorded", "GB/s"))
WORDS = (BEST, "variant", "limited")


# --- which rows are the best: as common/report/ranking.hpp has it for the table of a chapter -------------


def fastest(rows, library):
    """The measured row with the highest bandwidth, of the cold ones if there are any; None if there is none."""
    for cache in ("cold", "hot"):
        found = [row for row in rows if row["verified"] and row["library"] == library and not row["in_l2"] and row["time_ms"]
                 and row["gb_per_s"] is not None and (row["cache"] or "cold") == cache]
        if found:
            return max(found, key=lambda row: row["gb_per_s"])
    return None


def per_kib(row):
    """Sectors and requests of global and local memory for each KiB of the problem."""
    counts = row["counts"]
    requests = [counts.get(f"{kind}_requests", 0) for kind in KINDS] + [counts.get("constant_wavefronts", 0)]
    return tuple(sum(of) * 1024 / row["bytes"] for of in ([counts.get(f"{kind}_sectors", 0) for kind in KINDS], requests))


def best_row(rows):
    """The fastest row that is no library's; without times that with the fewest sectors, then requests; None if none moves bytes."""
    moving = (row for row in rows if row["verified"] is not False and not row["library"] and row["counts"] and row["bytes"]
              and per_kib(row)[1])
    return fastest(rows, False) or min(moving, key=per_kib, default=None)


@functools.cache
def usual_factor():
    """The factor within which the model has nine of ten rows of the book."""
    return round(accuracy.errors(accuracy.rows(RECORDS)).ninth_decile, 3)


def fastest_modelled(rows):
    """The rows that may be the fastest by the model: the fastest, and those that its error does not tell from it."""
    found = [row for row in rows if row["verified"] is not False and (row.get("modelled") or {}).get("gb_per_s") is not None]
    found.sort(key=lambda row: -row["modelled"]["gb_per_s"])

    def slower(model, than):
        return than["card"] == "H200" and 1 / model["gb_per_s"] > 1 / than["gb_per_s"] * usual_factor()

    return [row for row in found if not slower(row["modelled"], found[0]["modelled"])]


# --- the cells of a line ---------------------------------------------------------------------------------


def timed_cells(rows, before):
    best, library = best_row(rows), fastest(rows, True)
    shares = [f"{100 * share:.0f} %" if share is not None else "-" for share in (best["share_of_peak"], best["share_of_copy"])]
    ratios = [f"{best['gb_per_s'] / other:.2f}" if other else "-" for other in (library["gb_per_s"] if library else 0, before)]
    return [f"{best['gb_per_s']:.1f}", *shares, *ratios]


def recorded(row, records):
    """GB/s that the GPU's records have of the row, cold, at the size at which it was modelled; None if they have none."""
    model = row["modelled"]
    # What a GPU's row has besides, registers say, was only looked up there; rows and columns are of n elements.
    wanted = {name: value for name, value in {**row["parameters"], "n": model["n"]}.items()
              if name in row["parameters"] and name not in ("rows", "columns")}
    for record in records:
        for other in record["rows"] if record["device"]["name"].endswith(model["card"]) else ():
            if ((other["variant"], other["task"]) == (row["variant"], row["task"]) and other["gb_per_s"] is not None
                    and other["cache"] != "hot" and all(other["parameters"].get(name) == wanted[name] for name in wanted)):
                return other["gb_per_s"]
    return None


def counted_cells(rows):
    best = best_row(rows)
    sectors, requests = per_kib(best)
    return [f"{sectors:.1f}", f"{requests:.2f}", best["variant"]]


def modelled_cells(rows, records):
    alike = fastest_modelled(rows)
    if not alike:
        return [best_row(rows)["variant"]]
    model, measured = alike[0]["modelled"], recorded(alike[0], records)
    variants = {row["variant"] for row in alike}
    return [variants.pop() if len(variants) == 1 else f"{len(variants)} alike", f"{model['gb_per_s']:.0f}", model.get("limited_by", ""),
            "-" if measured is None else f"{measured:.0f}"]


# --- the table -------------------------------------------------------------------------------------------


def aligned(heads, lines, width, gap):
    """The text of a table, in which words are cut where it is wider than that."""
    rows = [*zip(*heads), *([*line, *[""] * (len(heads) - len(line))] for line in lines)]
    words, widths = [head[0] in WORDS for head in heads], [max(map(len, column)) for column in zip(*rows)]
    for at in reversed(range(len(heads))):
        if words[at]:
            excess = sum(widths) + gap * (len(widths) - 1) - width
            widths[at] = min(widths[at], max(widths[at] - excess, 8))
    text = ""
    for row in rows:
        cells = (cell if len(cell) <= room else cell[:room - 1] + "…" for cell, room in zip(row, widths))
        cells = (cell.ljust(room) if left else cell.rjust(room) for cell, room, left in zip(cells, widths, words))
        text += (" " * gap).join(cells).rstrip() + "\n"
    return text


def by_task(chapters, timed):
    """The tasks in which something was measured, or counted, the commonest first: name -> [(chapter, rows)]; and the chapters
    without any."""
    tasks, idle = {}, []
    for chapter in chapters:
        own = {}
        for row in chapter["rows"]:
            own.setdefault(row["task"], []).append(row)
        own = {task: rows for task, rows in own.items()
               if (best := best_row(rows)) and (best["gb_per_s"] is not None) == timed}
        for task, rows in own.items():
            tasks.setdefault(task, []).append((chapter["chapter"], rows))
        if not own:
            idle.append(chapter["chapter"])
    return dict(sorted(tasks.items(), key=lambda task: -len(task[1]))), idle


def table(tasks, timed, width, records):
    any_modelled = any(fastest_modelled(rows) for parts in tasks.values() for _, rows in parts)
    lines, alone = [], False
    for task, parts in tasks.items():
        shared = len(parts) > 1
        if shared or not alone:  # the tasks of one chapter are the last
            lines += [[], [task if shared else "in one chapter alone"]]
        alone, before = not shared, 0
        for chapter, rows in parts:
            own = [record for record in records if record["chapter"] == chapter]
            cells = timed_cells(rows, before) if timed else modelled_cells(rows, own) if any_modelled else counted_cells(rows)
            lines.append([chapter if shared else f"{chapter.partition('_')[0]} {task}", *cells])
            before = best_row(rows)["gb_per_s"] or 0
    return aligned(TIMED if timed else MODELLED if any_modelled else COUNTED, lines, width, 1 if timed else 2)


def render(chapters, width, records=()):
    """The whole ladder of these results, with remarks below it, in lines of at most `width` columns, 60 or more."""
    timed = any(chapter["device"]["backend"] == "gpu" for chapter in chapters)
    tasks, idle = by_task(chapters, timed)
    text = table(tasks, timed, width, records)
    modelled = [row for chapter in chapters for row in fastest_modelled(chapter["rows"])[:1]]
    if modelled:
        card = modelled[0]["modelled"]["card"]
        remark = (f"Not timed: each chapter shows the row that the model of {card} predicts to be fastest at the size of the "
                  "reference results. If several variants are within the model's error, their number replaces the name. "
                  "Recorded: the measurement of the same row on that GPU, which need not be the fastest. "
                  f"{cards.doubt_of(card)}").rstrip()
        text += "\n" + wrapped(remark, min(width, READABLE)) + "\n"
    if idle:
        names = " and ".join(filter(None, (", ".join(idle[:-1]), idle[-1])))
        text += "\n" + wrapped(names + (": nothing was measured." if timed else ": no bytes moved by kernels."), width) + "\n"
    return text


def shortened(chapters, width, height, records=()):
    """Its table alone, for a screen: the commonest of the tasks that several chapters solve with a bandwidth, as many as `height`
    lines hold, and at least one. Where there are none, the commonest tasks."""
    timed = any(chapter["device"]["backend"] == "gpu" for chapter in chapters)
    tasks, _ = by_task(chapters, timed)

    def compared(parts):
        return len(parts) > 1 and any(row["gb_per_s"] is not None or (row.get("modelled") or {}).get("gb_per_s") is not None
                                      for _, rows in parts for row in rows)

    tasks = {task: parts for task, parts in tasks.items() if compared(parts)} or tasks
    while (text := table(tasks, timed, width, records)).count("\n") > height and len(tasks) > 1:
        tasks.popitem()
    return text


def read(files):
    """The results in these files, and what the book has recorded of the same chapters on GPUs. Raises schema.NotResults."""
    chapters = [schema.load(file) for file in files]
    names = {chapter["chapter"] for chapter in chapters}
    records = [schema.load(file) for file in sorted(RECORDS.glob("*/[0-9][0-9]_*.json"))
               if file.stem in names and file.parent.name not in ("cpu", "published")]
    return chapters, records
