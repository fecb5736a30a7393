"""How many of the book's claims a second GPU could be asked about, and how many hold on it."""

import copy

from tools.book import facts
from tools.book.results import CPU, REFERENCE, BookError


def in_its_place(results, second):
    """The same results, where the book's GPU is the second one."""
    if not any(device == second for device, _ in results.data):
        raise BookError(f"there are no results of {second} in book/results/.")
    made = copy.copy(results)
    made.data = {(REFERENCE if device == second else device, chapter): found
                 for (device, chapter), found in results.data.items() if device != REFERENCE}
    made.counted, made.names, made.hot = {}, {}, set()
    made.counters = lambda device, *words, **options: results.counters(second if device == REFERENCE else device, *words, **options)
    made.noted = lambda device, *words, **options: results.noted(second if device == REFERENCE else device, *words, **options)
    return made


def asked(results, root):
    """Each claim that rests on the book's GPU, and neither on the model nor on a third one, by page and name: whether it holds."""
    found = {}
    for file in sorted((root / "book" / "facts").glob("*.py")):
        for one in facts.read(file, results, file.stem if file.stem[:2].isdigit() else None).claims:
            reads = frozenset().union(*(verdict.reads for verdict in one.verdicts))
            if {REFERENCE} <= {device for _, device in reads} <= {REFERENCE, CPU} and "model" not in {what for what, _ in reads}:
                found[file.stem, one.name] = one.failure() is None
    return found


def sentence(results, root, second):
    """Markdown: the share of the claims whose rows the second GPU has, and of these the share that hold on it."""
    claims = asked(results, root)
    there = {key: holds for key, holds in asked(in_its_place(results, second), root).items() if key in claims}
    name = results.device(second)["name"].removeprefix("NVIDIA ")
    return (f"{len(there) / len(claims):.0%} of the book's claims about rows of the {results.device(REFERENCE)['name'].removeprefix('NVIDIA ')} "
            f"could be tested on an {name}, which has the same rows; {sum(there.values()) / len(there):.0%} of these hold there.")
