"""Where the CPU device counts otherwise than the book's GPU: the list that a test holds to the record, for the page on it."""

from tools.book.numbers import show
from tools.book.results import CPU, REFERENCE, BookError, identity, read_json

LIST = "book/deviations.json"
WORDS = {"local": "local memory", "shared": "shared memory", "load": "loads", "store": "stores", "atomic": "atomics"}
COMPARED = [f"{kind}_{unit}" for kind in ("load", "store", "local_load", "local_store", "atomic") for unit in ("requests", "sectors")]
COMPARED += ["shared_load_wavefronts", "shared_store_wavefronts"]


def pairs(results):
    """Chapter, variant, name and both values of each count that the GPU and the CPU device have of one launch; those that are
    0 on both say nothing."""
    for device, chapter in results.data:
        if device != CPU or not chapter[:2].isdigit():
            continue
        counted = {identity(row): row for row in results.rows(CPU, chapter) if row["counted"]}
        for row in results.counters(REFERENCE, chapter):
            other = counted.get(identity(row))
            for name in COMPARED if other and not row["library"] else ():
                if row.get(name) is not None and (row[name] or other.get(name)):
                    yield chapter, row["variant"], name, row[name], other.get(name, 0)


def table(results, root):
    """Markdown: how many counts agree, and of each kind of deviation where it is and how large it is in the record."""
    kinds = read_json(root / LIST)
    known = {name: at for at, kind in enumerate(kinds) for name in kind["of"]}
    count, equal, variants, found = 0, 0, set(), {}
    for chapter, variant, name, gpu, cpu in pairs(results):
        count, equal = count + 1, equal + (gpu == cpu)
        variants.add((chapter, variant))
        if gpu != cpu:
            key = f"{chapter} {variant} {name}"
            if key not in known:
                raise BookError(f"{key} is {show(cpu)} on the CPU device and {show(gpu)} on a GPU, and {LIST} does not know it.")
            found[key] = max(found.get(key, 0), abs(gpu - cpu) / max(gpu, cpu))
    if gone := [key for key in known if key not in found]:
        raise BookError(f"{gone[0]} is the same on both; take it off {LIST}.")
    lines = [f"Of {show(count)} counts of {len(variants)} variants that ran on both, {show(equal)} are **equal to the last unit**. "
             "The others have these reasons:", "", "| why the two differ | chapters | counts of | by at most |",
             "| :-- | :-- | :-- | --: |"]
    for kind in kinds:
        files = sorted({key.split()[0] for key in kind["of"]})
        counts = {}  # of which chapters
        for file, _, name in map(str.split, kind["of"]):
            counts.setdefault(name.partition("_")[0], set()).add(file)
        words = [f"{word} ({', '.join(file[:2] for file in sorted(counts[name]))})" if len(counts[name]) < len(files) else word
                 for name, word in WORDS.items() if name in counts]
        largest = max(found[key] for key in kind["of"])
        pages = ", ".join(f"[{file[:2]}]({file}.md)" for file in files)
        lines.append(f"| {kind['why']} | {pages} | {', '.join(words)} | "
                     f"{show(largest, '.1%' if largest < 0.1 else '.0%')} |")
    return "\n".join(lines)
