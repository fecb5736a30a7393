"""The small language of numbers, claims and filters: Python's arithmetic over looked-up data."""

import ast
import functools
import re

from tools.book.results import CPU, REFERENCE, USUAL_SIZE, BookError, identity, modelled_ms

ALLOWED = (ast.Expression, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, ast.Name,
           ast.Constant, ast.Tuple, ast.List, ast.keyword, ast.Load, ast.boolop, ast.operator,
           ast.unaryop, ast.cmpop)
CONSTANTS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "GB": 10**9,
             "min": min, "max": max, "round": round, "abs": abs, "True": True, "False": False}


@functools.cache
def parse(text):
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise BookError(f"cannot read '{text}': {error.msg}.") from error
    for node in ast.walk(tree):
        if not isinstance(node, ALLOWED) or (
                isinstance(node, ast.Call) and not isinstance(node.func, ast.Name)):
            raise BookError(f"'{ast.unparse(node)}' is not allowed in '{text}'.")
    return tree


@functools.cache
def code_of(tree):
    return compile(tree if isinstance(tree, ast.Expression) else ast.Expression(tree), "<marker>", "eval")


def evaluate(tree, names):
    try:
        return eval(code_of(tree), {"__builtins__": {}}, {**CONSTANTS, **names})
    except BookError:
        raise
    except Exception as error:  # a misspelt name, None in arithmetic, a division by zero
        raise BookError(f"'{ast.unparse(tree)}': {error}.") from error


@functools.cache
def names_in(text):
    """What an expression asks for by name."""
    return {node.id for node in ast.walk(parse(text)) if isinstance(node, ast.Name)} - set(CONSTANTS)


def look_ups(results, page_chapter):
    """The functions that a page's expressions may call."""

    def on(chapter):
        return results.chapter_name(chapter or page_chapter)

    def field(column):
        def look_up(variant, chapter=None, device=None, cache="cold", **where):
            device = device or results.home(on(chapter))
            if device == CPU or not any(
                    row["cache"] for row in results.rows(device, on(chapter))):
                cache = None  # counts and published figures have no cache state
            value = results.one(device, on(chapter), variant, cache=cache, **where).get(column)
            if value is None:
                raise BookError(f"{on(chapter)} {variant} has no {column} on {device}.")
            return value
        return look_up

    def best(variant=None, chapter=None, device=None, cache="cold", library=False, **where):
        rows = results.find(device or results.home(on(chapter)), on(chapter), variant, cache=cache, library=library, in_l2=False,
                            **where)
        return max(row["gb"] for row in rows if row["gb"] is not None)

    def count(variant, name, chapter=None, device=CPU, **where):
        return field(name)(variant, chapter, device, None, **where)

    def counter(variant, name, chapter=None, device=REFERENCE, large=False, **where):
        rows = [row for row in results.counters(device, on(chapter), large)
                if row["variant"] == variant
                and all(row.get(key) == value for key, value in where.items())]
        if len(rows) != 1 or name not in rows[0]:
            raise BookError(f"{len(rows)} rows of {variant} have the hardware counter {name}; "
                            "one is needed.")
        return rows[0][name]

    def modelled(variant, n=USUAL_SIZE, chapter=None, **where):
        rows = results.find(CPU, on(chapter), variant, every_size=True, **where)
        if len({identity(row, ("n",)) for row in rows}) > 1:
            raise BookError(f"{on(chapter)} has several rows of {variant}; say which.")
        value = modelled_ms(rows, n)
        if value is None:
            raise BookError(f"{on(chapter)} {variant} has no modelled time for n={n}.")
        return value

    return {"modelled": modelled, "gb": field("gb"), "low": field("low"), "high": field("high"), "ms": field("ms"), "ns": field("ns"), "share": field("share"),
            "copy_share": field("copy"), "best": best, "count": count, "counter": counter,
            "parameter": lambda variant, name, **where: field(name)(variant, **where),
            "noted": lambda name, at=0, chapter=None, device=REFERENCE:
                results.noted(device, on(chapter), name, at),
            "device": lambda name, device=REFERENCE: results.device(device)[name],
            "environment": lambda name, device=None, chapter=None:
                results.environment(device or results.home(on(chapter)), on(chapter))[name]}


def matches(where, row):
    """Whether a filter holds for a row; a name that the row does not have is None."""
    if not where:
        return True
    names = {name: row.get(name) for name in names_in(where)}
    try:
        return bool(evaluate(parse(where), names))
    except BookError:
        return False  # a library has no `threads` to compare


def sides(tree, names):
    """A failed comparison in numbers: `2 990 < 2 023`."""
    node = tree.body
    if not isinstance(node, ast.Compare):
        return ast.unparse(tree)
    signs = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
    text = show(evaluate(node.left, names))
    for sign, right in zip(node.ops, node.comparators):
        text += f" {signs.get(type(sign), '?')} {show(evaluate(right, names))}"
    return text


def show(value, form=None):
    """A value as a sentence writes it; `form` is a Python format such as `.0%`."""
    if form:
        text = format(value, form)
        if not re.search("[1-9]", text):
            text = text.lstrip("-")
        return text.replace(",", "\u202f").replace("%", "\u202f%")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if value == int(value) and (isinstance(value, int) or value < 1000):
        return f"{int(value):,}".replace(",", "\u202f")
    size = abs(value)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 0.1 else None
    text = f"{value:.2g}" if digits is None else f"{value:,.{digits}f}"
    return text.replace(",", "\u202f")
