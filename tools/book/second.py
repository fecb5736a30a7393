"""How many of the book's claims a second GPU could be asked about, how many hold on it, and which do not.

    python3 -m tools.book.second second/nvidia-h200        those that fail there, and those whose rows it does not have
"""

import copy
import sys
from pathlib import Path

from tools.book import facts
from tools.book.results import CPU, REFERENCE, BookError, Results


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


def about_it(results, root, alike):
    """Each claim that rests on the book's GPU, by page and name: its first comparison that does not hold, or None. What rests on
    the model of times or on a third GPU as well, only a GPU of the same model, `alike`, can be asked."""
    found = {}
    for file in sorted((root / "book" / "facts").glob("*.py")):
        for one in facts.read(file, results, file.stem if file.stem[:2].isdigit() else None).claims:
            reads = {read for verdict in one.verdicts for read in verdict.reads}
            devices = {device for _, device in reads}
            if REFERENCE in devices and (alike or devices <= {REFERENCE, CPU} and "model" not in {what for what, _ in reads}):
                found[file.stem, one.name] = one.failure()
    return found


def asked(results, root, second):
    """The name of the second GPU, the claims about the book's, and of these the ones whose rows the second has."""
    name, own = (results.device(device)["name"].removeprefix("NVIDIA ") for device in (second, REFERENCE))
    claims, there = (about_it(each, root, name == own) for each in (results, in_its_place(results, second)))
    return f"{'a second' if name == own else 'an'} {name}", claims, {key: there[key] for key in claims if key in there}


def sentence(results, root, second):
    """Markdown: the share of the claims whose rows the second GPU has, and of these the share that hold on it."""
    name, claims, there = asked(results, root, second)
    return (f"The results of {name} can test {len(there) / len(claims):.0%} of the book's claims about the "
            f"{results.device(REFERENCE)['name'].removeprefix('NVIDIA ')}, and confirm {100 * list(there.values()).count(None) / len(there):.3g}% of these.")


def failed(results, root, second):
    """Markdown: each claim that does not hold on the second GPU, with its page and what there was compared."""
    _, _, there = asked(results, root, second)
    lines = [f"| [{page[:2] if page[:2].isdigit() else page}]({page}.md) | {name} | `{wrong.said}` |"
             for (page, name), wrong in there.items() if wrong is not None]
    return "\n".join(["| page | claim | on the second |", "| :-- | :-- | :-- |", *lines]) if lines else "None."


def main():
    """Prints the claims that fail on the GPU that was typed, those that it cannot be asked, and how many hold."""
    root = Path(__file__).resolve().parents[2]
    name, claims, there = asked(Results(root / "book" / "results"), root, sys.argv[1])
    for page, claim in claims:
        if (page, claim) not in there:
            print(f"not there   {page}: {claim}")
        elif (wrong := there[page, claim]) is not None:
            print(f"fails       {page}: {claim}: {wrong.said}")
    print(f"{len(claims)} claims; {len(there)} could be tested on {name}, and {list(there.values()).count(None)} hold there.")


if __name__ == "__main__":
    main()
