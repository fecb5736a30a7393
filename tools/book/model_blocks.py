"""What the book says of its model: its errors and its constants. The arithmetic is tools/results/accuracy.py."""

import functools
import re

from tools.book.numbers import show
from tools.book.results import REFERENCE, BookError
from tools.results import accuracy, cards, queues, schema

CLASSES = {"book": "large launches of the book, whose kernels gave the constants", "book_small": "small launches of the book: below 32 MiB",
           "unseen": "large launches not seen before, by others", "unseen_small": "small launches not seen before"}


@functools.lru_cache(maxsize=2)
def classes(directory):
    try:
        return accuracy.classes(directory)
    except TypeError as error:
        raise BookError("no modelled row of book/results/cpu has a measured one of its size; record the counts again: "
                        "./run book --record.") from error


@functools.lru_cache(maxsize=2)
def cached(directory):
    rows = accuracy.cache_rows(directory)
    if not rows:
        raise BookError("no modelled row of book/results/cpu has hardware counters; record the counts again: "
                        "./run book --record.")
    return rows


@functools.cache
def queue_errors(directory):
    """Of each law of queues.py, how far it is from the rows of chapter 22 on the book's GPU."""
    return queues.compare(schema.load(directory / REFERENCE / "22_bytes_in_flight.json"))


def model_error(directory, what, kernels="unseen"):
    return getattr(classes(directory)[kernels][0], what)


def event_driven(directory, what):
    """The same error of an event-driven simulation that was tried in the model's place, of the kernels of "unseen"."""
    return getattr(accuracy.errors([row for row in accuracy.unseen(directory, "event_driven_ms")[0] if row.large]), what)


def model_cache(directory, what):
    rows = cached(directory)
    return {"rows": len(rows), "share": 1 - sum(bool(row.beyond) for row in rows) / len(rows)}[what]


def model_goal(_, what):
    return getattr(accuracy, what)


def queue(directory, law, what):
    return queue_errors(directory)[law][what]


def machine(_, name):
    """A constant of the H200, or another figure of its file."""
    constants = cards.constants()
    return constants[name]["value"] if name in constants else cards.card(cards.MEASURED)[name]


def table(head, rows, right):
    """A table whose columns stand at the left but for those from number `right` on."""
    align = [":--" if index < right else "--:" for index in range(len(head))]
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, align, *rows])


def error_table(directory):
    """The errors of each class of kernels, as factors."""
    lines = [[CLASSES[name], show(found.rows), f"x{found.median:.2f}", f"x{found.ninth_decile:.2f}", show(refused)]
             for name, (found, refused) in classes(directory).items()]
    ablation = (directory.parents[1] / "experiments/constants/ablation.md").read_text(encoding="utf-8")
    median, ninth = re.search(r"fitted to the others\) \| ([\d.]+) \| ([\d.]+)", ablation).groups()
    lines.insert(1, ["each chapter, by constants fitted to the other chapters", lines[0][1], f"x{float(median):.2f}", f"x{float(ninth):.2f}", "0"])
    return table(["kernels", "launches", "half within", "90% within", "not modelled"], lines, 1)


def constant_list(_):
    """The constants of the time model, each with its value and what it was measured by."""
    constants = cards.constants()
    names = list(constants)
    return ", ".join(f"`{name}` {constants[name]['value']:,g} ({re.split('[:,;.]', constants[name]['source'])[0].replace('Chapter', 'chapter')})"
                     for name in names[names.index("launch_rate"):]) + "."


def constant(directory, file, name):
    """The value of `constexpr ... name = value;` in a source."""
    match = re.search(rf"constexpr [\w:]+ {name} = ([^;]+);", (directory.parents[1] / file).read_text("utf-8"))
    if not match:
        raise BookError(f"{file} has no constant {name}.")
    return eval(match[1], {"__builtins__": {}})


LOOK_UPS = (model_error, event_driven, model_cache, model_goal, queue, machine, constant)  # for the facts of a page
TABLES = {"errors": error_table, "constants": constant_list}  # by their markers
