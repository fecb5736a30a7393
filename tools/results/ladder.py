"""The ladder that ends `./run`: what each chapter reached, task by task, from the results that the chapters wrote.

A line holds the best bandwidth with its shares of the peak and of the copy ceiling and its ratios to the library and to the line
above (on a GPU), or the best modelled bandwidth with what limits it and what was recorded of the same row on the same GPU (on
the CPU device), or the fewest transactions where nothing was modelled.
"""

import dataclasses
import functools
import pathlib

from tools.results import accuracy, cards, schema
from tools.words import wrapped

RECORDS = pathlib.Path(__file__).resolve().parents[2] / "book/results"
FILE_WIDTH = 200  # columns, where no terminal wraps them
READABLE = 120  # columns of running text at most
ALWAYS = 100  # importance of a column that never goes
KINDS = ("load", "store", "atomic", "local_load", "local_store")


@dataclasses.dataclass(frozen=True, eq=False)
class Column:
    """A column of the table and what becomes of it where the terminal is narrow."""

    heading: tuple  # its lines
    left: bool = False  # text starts at the left; numbers end at the right
    importance: int = ALWAYS  # the least important column goes first
    optional: bool = False  # goes where no row has anything in it


BEST = "best of each chapter"
TIMED = (Column((BEST,), left=True), Column(("GB/s",)), Column(("peak",)), Column(("copy",)), Column(("/lib.",)), Column(("/last",)),
         Column(("",), left=True))
COUNTED = (Column((BEST, ""), left=True), Column(("sectors", "/ KiB"), importance=20), Column(("requests", "/ KiB"), importance=10),
           Column(("", ""), left=True, importance=20, optional=True), Column(("variant", ""), left=True, importance=5, optional=True),
           Column(("modelled", "GB/s"), optional=True), Column(("limited", "by"), left=True, importance=30, optional=True),
           Column(("", ""), left=True, importance=40, optional=True), Column(("recorded", "GB/s"), optional=True),
           Column(("", ""), left=True, importance=40, optional=True))


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


def bar(share):
    """A share from 0 to 1 as a bar, in whole blocks; whatever is there shows at least one."""
    return "█" * min(max(int(share * 10 + 0.5), 1 if share > 0 else 0), 10)


def timed_cells(rows, before):
    best, library = best_row(rows), fastest(rows, True)
    shares = [f"{100 * share:.0f} %" if share is not None else "-" for share in (best["share_of_peak"], best["share_of_copy"])]
    ratios = [f"{best['gb_per_s'] / other:.2f}" if other else "-" for other in (library["gb_per_s"] if library else 0, before)]
    return [f"{best['gb_per_s']:.1f}", *shares, *ratios, bar(best["share_of_peak"] or 0)]


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


def counted_cells(rows, records, any_modelled):
    modelled = fastest_modelled(rows)
    best = modelled[0] if modelled else best_row(rows)
    sectors, requests = per_kib(best)
    variants = {row["variant"] for row in modelled} or {best["variant"]}
    name = variants.pop() if len(variants) == 1 else f"{len(variants)} alike"
    # Without a model a full bar is the 32 sectors per KiB that nothing can go below without reuse.
    cells = [f"{sectors:.1f}", f"{requests:.2f}", "" if any_modelled else bar(32 / sectors), name]
    if not modelled:
        return cells
    model, measured = best["modelled"], recorded(best, records)
    peak = model["gb_per_s"] / model["share_of_peak"]
    return [*cells, f"{model['gb_per_s']:.0f}", model.get("limited_by", ""), bar(model["share_of_peak"]),
            *([f"{measured:.0f}", bar(measured / peak)] if measured is not None else ["-", ""])]


# --- the table -------------------------------------------------------------------------------------------


def fitted(columns, lines, width, gap):
    """The text of a table without its empty columns, then without the least important ones until it is `width` wide."""
    cells = {column: [line[at] if at < len(line) else "" for line in lines] for at, column in enumerate(columns)}
    shown = [column for column in cells if not column.optional or any(cell not in ("", "-", "0") for cell in cells[column])]

    def excess(widths):
        return sum(widths) + gap * (len(widths) - 1) - width

    def widest():
        return [max(map(len, (*column.heading, *cells[column]))) for column in shown]

    while excess(widest()) > 0 and (least := min(shown, key=lambda column: column.importance)).importance < ALWAYS:
        shown.remove(least)
    widths = widest()
    for at, column in enumerate(shown):  # words can be cut, and numbers cannot
        if column.left and excess(widths) > 0:
            widths[at] = min(widths[at], max(widths[at] - excess(widths), 8))
    text = ""
    for line in [*zip(*(column.heading for column in shown)), *zip(*(cells[column] for column in shown))]:
        line = [cell if len(cell) <= room else cell[:room - 1] + "…" for cell, room in zip(line, widths)]
        text += (" " * gap).join(cell.ljust(room) if column.left else cell.rjust(room)
                                 for cell, room, column in zip(line, widths, shown)).rstrip() + "\n"
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
            cells = timed_cells(rows, before) if timed else counted_cells(rows, own, any_modelled)
            lines.append([chapter if shared else f"{chapter.partition('_')[0]} {task}", *cells])
            before = best_row(rows)["gb_per_s"] or 0
    return fitted(TIMED, lines, width, 1) if timed else fitted(COUNTED, lines, width, 2)


def render(chapters, width, records=()):
    """The whole ladder of these results, with remarks below it, in lines of at most `width` columns, 60 or more."""
    timed = any(chapter["device"]["backend"] == "gpu" for chapter in chapters)
    tasks, idle = by_task(chapters, timed)
    text = table(tasks, timed, width, records)
    modelled = [row for chapter in chapters for row in fastest_modelled(chapter["rows"])[:1]]
    if modelled:
        card = modelled[0]["modelled"]["card"]
        remark = (f"Nothing was timed here: a chapter stands with the row that a model of {card} finds fastest at the size of the "
                  "reference results. Where others are no farther behind than the model is off, the number of variants stands "
                  "instead of a name. Recorded is what was measured there of the same row, which need not be the fastest. A full "
                  f"bar is the memory's peak. {cards.doubt_of(card)}").rstrip()
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
