"""What a page knows: the vocabulary of book/facts/NN_name.py, and how such a file is read.

    python3 -m tools.book.facts 22        every number of a page, and every claim with both sides

The file is Python; its page's results are what the functions look up: the chapter is the page's own unless `chapter="01"`
says another, the device is the reference GPU unless `device=` does. docs/guide/writing.md has an example.
"""

import ast
import collections
import contextlib
import functools
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tools.book import model_blocks, spreads
from tools.book.markdown import MARKER
from tools.book.numbers import (Fact, ascending, at_least, at_most, between, both, equal, faster, how_many, less, level, max,  # noqa: F401
                                min, more, show)
from tools.book.results import CPU, REFERENCE, USUAL_SIZE, BookError, Results, identity, modelled_ms

KiB, MiB, GiB, GB = 2**10, 2**20, 2**30, 10**9
H100 = "nvidia-h100-80gb-hbm3"  # the second GPU, as a `device`
SECOND = "second/nvidia-h200"  # another of the same model


@dataclass
class Claim:
    name: str
    verdicts: list
    place: str  # its file and line

    def failure(self):
        """The first comparison that does not hold, or None."""
        return next((one for one in self.verdicts if not one), None)

    def doubt(self):
        """The first that another record might have otherwise, or None."""
        return next((one for one in self.verdicts if not one.sure), None)


@dataclass
class Block:
    """What stands between two markers of the page: a table, a chart, ..."""
    kind: str
    words: tuple
    options: dict


@dataclass
class Question:
    """A prediction, as the page asks it; tools/book/predictions.py works out its answer."""
    kind: str
    question: str
    options: dict  # words -> a verdict, or a number
    fold: str
    value: float = None
    right: str = ""
    unit: str = ""
    within: str = ""
    first: str = ""
    form: str = None


@dataclass
class Change:
    """What a reader is told to try; tools/book/try_it.py reads its text."""
    text: str


@dataclass
class Head:
    path: str
    needs: list  # page names, or the numbers of chapters
    objectives: list


@dataclass
class Page:
    """The facts of one page. `names` holds all that its file defines."""
    results: Results
    chapter: str = None
    names: dict = field(default_factory=dict)
    claims: list = field(default_factory=list)
    head: Head = None
    place: str = ""
    problems: list = field(default_factory=list)
    places: dict = field(default_factory=dict)  # where each name is defined
    words: collections.Counter = field(default_factory=collections.Counter)  # of the file

    def unused(self, text):
        """A sentence for each name that neither the page's text nor another fact uses."""
        shown = {name for _, name in MARKER.findall(text)}
        return [f"{place}: {name} is on no page, and nothing rests on it." for name, place in self.places.items()
                if self.words[name] < 2 and name not in shown]

    def find(self, name, kind, what):
        made = self.names.get(name)
        if not isinstance(made, kind):
            raise BookError(f"the facts of the page have no {what} '{name}'.")
        return made

    def fill(self, text):
        """The text with each {name} in it as the page writes that number."""
        return re.sub(r"\{(\w+)\}", lambda match: self.number(match[1]), text)

    def number(self, name):
        """A value as the page writes it."""
        return show(self.find(name, (int, float, str), "number"))


_read = []  # the page whose file is being read; the last one counts


@contextlib.contextmanager
def reading(page):
    _read.append(page)
    try:
        yield
    finally:
        _read.pop()


def _page():
    if not _read:
        raise BookError("facts are read by ./run book; python3 -m tools.book.facts NN shows those of a page.")
    return _read[-1]


def _on(chapter):
    return _page().results.chapter_name(chapter or _page().chapter)


def _home(chapter):
    return _page().results.home(_on(chapter))


# --- what can be looked up -------------------------------------------------------------------------------

SENSE = {"gb": -1, "low": -1, "high": -1, "share": -1, "copy": -1, "ms": 1, "ns": 1}  # with a longer time


def _of_row(row, column, what, device):
    value = row.get(column)
    if value is None:
        raise BookError(f"{row['chapter']} {row['variant']} has no {column} on {device}.")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    moves = {key: SENSE[column] * value * far for key, far in spreads.of(_page().results, device, row).items()} if column in SENSE else {}
    return Fact(value, {(what, device)}, moves)


def _look_up(column, what, variant, chapter=None, device=None, cache="cold", **where):
    results, device = _page().results, device or _home(chapter)
    if device == CPU or not any(row["cache"] for row in results.rows(device, _on(chapter))):
        cache = None  # counts and published figures have no cache state
    return _of_row(results.one(device, _on(chapter), variant, cache=cache, **where), column, what, device)


def _column(column, what, says):
    def look_up(variant, chapter=None, device=None, cache="cold", **where):
        return _look_up(column, what, variant, chapter, device, cache, **where)
    look_up.__doc__ = says
    return look_up


gb = _column("gb", "gb", "Median bandwidth, GB/s (10^9 bytes).")
low = _column("low", "gb", "The lower end of the 95 % interval of `gb`.")
high = _column("high", "gb", "The upper end of the 95 % interval of `gb`.")
ms = _column("ms", "ms", "Median time, ms.")
ns = _column("ns", "ns", "The same, ns, over the row's operations, which a chapter declares (loads, blocks, additions).")
share = _column("share", "gb", "Share of the theoretical peak, 0 to 1.")
copy_share = _column("copy", "gb", "Share of the copy bandwidth, 0 to 1.")


def best(variant=None, chapter=None, library=False, **where):
    """The highest `gb` of all cold rows found; rows in L2 are left out, and libraries but for `best(library=True)`."""
    device = _home(chapter)
    rows = _page().results.find(device, _on(chapter), variant, cache="cold", library=library, in_l2=False, **where)
    return _of_row(sorted((row for row in rows if row["gb"] is not None), key=lambda row: row["gb"])[-1], "gb", "gb", device)


def parameter(variant, column, **where):
    """A column of the chapter's own."""
    return _look_up(column, "parameter", variant, **where)


def count(variant, column, chapter=None, device=CPU, **where):
    """A count of the CPU device; also `load_sectors_per_request`, `store_sectors_per_request`."""
    return _look_up(column, "count", variant, chapter, device, None, **where)


def counter(variant, name, chapter=None, device=REFERENCE, large=False, **where):
    """A hardware counter, of a launch of the CPU device's size or with `large=True` of 2^26 elements."""
    rows = [row for row in _page().results.counters(device, _on(chapter), large)
            if row["variant"] == variant and all(row.get(key) == value for key, value in where.items())]
    if len(rows) != 1 or name not in rows[0]:
        raise BookError(f"{len(rows)} rows of {variant} have the hardware counter {name}; one is needed.")
    value = rows[0][name]
    return Fact(value, {("counter", device)}) if isinstance(value, (int, float)) else value


def ratio(look_up, one, other, *words, **where):
    """The same of two variants, one over the other: `ratio(gb, "float4", "basic", threads=256)`."""
    return look_up(one, *words, **where) / look_up(other, *words, **where)


def dram_bytes(variant, **where):
    """What DRAM read and wrote, by the hardware counters."""
    return counter(variant, "dram_bytes_read", **where) + counter(variant, "dram_bytes_written", **where)


def l2_sectors(variant, **where):
    """Sectors that the L2 read and wrote, by the hardware counters."""
    return counter(variant, "l2_read_sectors", **where) + counter(variant, "l2_write_sectors", **where)


def modelled(variant, n=USUAL_SIZE, chapter=None, **where):
    """ms that the CPU device's model gives; of 2^28 elements unless `n` says a row's own size or another power of 4."""
    rows = _page().results.find(CPU, _on(chapter), variant, every_size=True, **where)
    if len({identity(row, ("n",)) for row in rows}) > 1:
        raise BookError(f"{_on(chapter)} has several rows of {variant}; say which.")
    value = modelled_ms(rows, n)
    if value is None:
        raise BookError(f"{_on(chapter)} {variant} has no modelled time for n={n}.")
    return Fact(value, {("model", CPU)})


def noted(name, at=0, chapter=None, device=REFERENCE):
    """What the record keeps of a change to try that notes something: the first number, or that one."""
    return Fact(_page().results.noted(device, _on(chapter), name, at), {("noted", device)})


def device(name, device=REFERENCE):
    """A field of `device`: `peak_gb_per_s`, `l2_bytes`, `name`."""
    value = _page().results.device(device)[name]
    return Fact(value, {("device", device)}) if isinstance(value, (int, float)) else value


def environment(name, device=None, chapter=None):
    """A field of the chapter's `environment`: with what it was compiled."""
    return _page().results.environment(device or _home(chapter), _on(chapter))[name]


def _model(found):
    def look_up(*words, **where):
        return Fact(found(_page().results.directory, *words, **where), {("model", CPU)})
    return look_up


model_error, event_driven, model_cache, model_goal, queue, machine, constant = map(_model, model_blocks.LOOK_UPS)


# --- what a page's file says -----------------------------------------------------------------------------

def value(number, form):
    """A number with the form in which the page writes it: `.1f`, `,.0f`, `.0%`, `+.0%`."""
    return Fact(number, getattr(number, "reads", ()), getattr(number, "moves", None), form)


def claim(name, *verdicts):
    """What the page says: all of it holds, and would on another record of the GPU."""
    _page().claims.append(Claim(name, list(verdicts), _page().place))


def page(path, needs="", afterwards=()):
    """The head of a page: its path, the pages that it needs, what a reader can do afterwards."""
    _page().head = Head(path, needs.split(), list(afterwards))


change = Change  # docs/guide/writing.md has the lines of its text


def tried(made):
    """The exit status of a change of this page that is tried on the CPU device."""
    from tools.book import try_it
    return Fact(try_it.status(made.text), {("try", CPU)})


def choice(question, options, right, fold):
    """A question whose answer is chosen: the verdict of the right one holds, and no other."""
    return Question("choice", question, options, fold, right=right)


def number(question, value, within, fold, unit=""):
    """A question whose answer is a number: within `10%`, within `2` in its unit, or within `a factor of 2`."""
    return Question("number", question, {}, fold, value=value, within=within, unit=unit)


def order(question, first, options, fold, form=None):
    """A question whose answer is an order, the `largest` or the `smallest` first."""
    return Question("order", question, options, fold, first=first, form=form)


def _block(kind, known):
    def block(*words, **options):
        for option in options:
            if option not in known:
                raise BookError(f"{kind} has no option '{option}='; there are {', '.join(known)}.")
        return Block(kind, words, options)
    return block


BLOCKS = ("table", "counts", "counters", "chart", "access", "timeline")
table = _block("table", ("where", "columns", "device", "every_size"))
counts = _block("counts", ("where", "columns", "every_size"))
counters = _block("counters", ("where", "columns", "device", "large"))
chart = _block("chart", ("where", "device", "bars", "x", "y", "lines", "title", "name", "limits", "best", "every_size"))
access = _block("access", ("space", "access", "title"))
timeline = _block("timeline", ("where", "title", "name"))

__all__ = [name for name in dir() if not name.startswith("_") and name not in (
    "ast", "collections", "contextlib", "functools", "re", "sys", "dataclass", "field", "Path", "model_blocks", "spreads", "Results", "identity",
    "modelled_ms", "MARKER", "Claim", "Block", "Question", "Change", "Head", "Page", "reading", "BLOCKS")]


# --- how it is read --------------------------------------------------------------------------------------

@functools.cache
def _statements(path, text):
    """Each statement of a file as code, with its line and the name that it defines; and how often each name stands there."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise BookError(f"{error.lineno}: {error.msg}.") from error
    words = collections.Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    words.update(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    words.update(re.findall(r"\{(\w+)\}", text))
    return [(compile(ast.Module([node], []), str(path), "exec"), node.lineno, _defines(node)) for node in tree.body], words


def _defines(node):
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.value.args and isinstance(node.value.args[0], ast.Constant):
        return f"the {getattr(node.value.func, 'id', 'call')} '{node.value.args[0].value}'"
    return getattr(node, "name", "")


def read(file, results, chapter=None):
    """The facts of a page. What cannot be looked up is a problem with its line and its name; what rests on that is none again."""
    made, missing = Page(results, chapter), set()
    shown = f"book/facts/{file.name}"
    if not file.exists():
        return made
    try:
        statements, made.words = _statements(file, file.read_text(encoding="utf-8"))
    except BookError as error:
        made.problems.append(f"{shown}:{error}")
        return made
    with reading(made):
        for code, line, name in statements:
            made.place = f"{shown}:{line}"
            if name.isidentifier():
                made.places[name] = made.place
            try:
                exec(code, made.names)
            except Exception as error:  # a misspelt name, a row that is not there, a division by zero
                if name:
                    missing.add(name)
                if not (isinstance(error, NameError) and error.name in missing):
                    made.problems.append(f"{made.place}: {name}{': ' if name else ''}{str(error).rstrip('.')}.")
    return made


def main():
    """Prints the facts of the pages that begin with the word that was typed."""
    root = Path(__file__).resolve().parents[2]
    results = Results(root / "book" / "results")
    for file in sorted((root / "book" / "facts").glob(f"{sys.argv[1]}*.py")):
        made = read(file, results, file.stem if file.stem[:2].isdigit() else None)
        for name, number in made.names.items():
            if isinstance(number, Fact):
                print(f"{name:45} {show(number):>12}   within {show(number.spread())}")
        for one in made.claims:
            state = "undecided" if one.doubt() is not None else "holds" if one.failure() is None else "does not hold"
            print(f"{state:14} {one.name}: {'; '.join(verdict.said for verdict in one.verdicts)}")
        print("\n".join(made.problems))


if __name__ == "__main__":
    from tools.book import facts  # as the files of the pages know it

    facts.main()
