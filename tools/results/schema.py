"""Whether a file holds results as results.schema.json describes them: the part of JSON Schema that it uses."""

import functools
import json
import re
from pathlib import Path

SCHEMA = Path(__file__).with_name("results.schema.json")
VERSION = 2
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
         "integer": int, "number": (int, float)}


class NotResults(Exception):
    """A file that does not hold results; the message is a sentence."""


@functools.cache
def schema():
    return json.loads(SCHEMA.read_text(encoding="utf-8"))


def is_a(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name]) or name == "integer" and isinstance(value, float) and value.is_integer()


def short(value):
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."


# What somebody published states little, but this, and leaves the rest out or null.
STATED = {"chapter", "device", "name", "rows", "variant", "parameters", "median"}


def fault(value, rule, place="it", published=False):
    """What is wrong with the value by the rule, a clause that names the place; None if nothing is."""
    if published and value is None:
        return None
    if reference := rule.get("$ref"):
        referred = schema()["definitions"][reference.rpartition("/")[2]]
        rule = {**referred, **rule} if len(rule) > 1 else referred
    types = rule.get("type", ())
    types = (types,) if isinstance(types, str) else types
    if types and not is_a(value, types[0]) and not any(is_a(value, name) for name in types):
        return f"{place} is {short(value)} and should be {' or '.join(types)}"
    if "const" in rule and value != rule["const"] or "enum" in rule and value not in rule["enum"]:
        return f"{place} is {short(value)} and should be {short(rule.get('const', rule.get('enum')))}"
    if "anyOf" in rule and all(fault(value, one, place, published) for one in rule["anyOf"]):
        return fault(value, rule["anyOf"][0], place, published)
    if isinstance(value, str):
        if len(value) < rule.get("minLength", 0) or not re.search(rule.get("pattern", ""), value):
            return f"{place} is {short(value)}, which it cannot be"
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if value < rule.get("minimum", value):
            return f"{place} is {short(value)} and should be {rule['minimum']} or more"
    elif isinstance(value, list):
        if not rule.get("minItems", 0) <= len(value) <= rule.get("maxItems", len(value)):
            return f"{place} has {len(value)} entries, which it cannot have"
        faults = (fault(one, rule.get("items", {}), f"{place}[{at}]", published) for at, one in enumerate(value))
        return next(filter(None, faults), None)
    elif isinstance(value, dict):
        known, more = rule.get("properties", {}), rule.get("additionalProperties", True)
        for name in rule.get("required", []):
            if name not in value and (name in STATED or not published):
                return f"{place} has no {name}"
        for name, one in value.items():
            if name not in known and more is False and not published:
                return f"{place} has {short(name)}, which nobody knows"
            inner = known.get(name, more if isinstance(more, dict) else {})
            if wrong := fault(one, inner, name if place == "it" else f"{place}.{name}",
                              published):
                return wrong
    return None


def no_constant(text):
    raise ValueError(f"{text} is not a number")


def read(path):
    """The content of a JSON file; NaN and Infinity, which JSON does not have, are refused."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=no_constant)
    except OSError as error:
        raise NotResults(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise NotResults(f"{path} does not hold results: {error}.") from error


# What means something to Markdown, HTML, Doxygen or a terminal, and what looks like it and means nothing.
HARMLESS = str.maketrans("<>&|`[]\\", "‹›＆¦'()/")


@functools.lru_cache(maxsize=1 << 14)  # the rows of a file have their names in common
def harmless_text(text):
    text = "".join(letter if letter.isprintable() else "?" for letter in text.translate(HARMLESS))
    return re.sub(r"@(?=\w)", "at ", text)  # @include is a command of Doxygen


def harmless(value):
    """The value with strings that are words wherever they are shown: a result comes from anywhere, and the name of its
    device stands in tables, figures and pages."""
    if isinstance(value, str):
        return harmless_text(value)
    if isinstance(value, list):
        return [harmless(one) for one in value]
    if isinstance(value, dict):
        # A label is the name of a kernel, as copy<float>, and stands in figures alone, which escape it.
        return {harmless(name): one if name == "label" else harmless(one) for name, one in value.items()}
    return value


def load(path):
    """The results in a file, checked and made harmless."""
    data = read(path)
    version = data.get("schema") if isinstance(data, dict) else None
    if isinstance(version, int) and version != VERSION:
        raise NotResults(f"{path}: its schema is {version}, this program reads {VERSION}: run the chapter again.")
    published = isinstance(data, dict) and data.get("published") is True
    if wrong := fault(data, schema(), published=published):
        raise NotResults(f"{path} does not hold results: {wrong}.")
    return harmless(data)
