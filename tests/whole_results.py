"""Results of which a test says what it is about; the rest is whatever results.schema.json requests."""

from tools.results.schema import schema


def least(rule):
    """The least that a rule allows."""
    if {"type": "null"} in rule.get("anyOf", []):
        return None
    types = [rule["type"]] if isinstance(rule.get("type"), str) else rule.get("type", ["object"])
    if "const" in rule or "enum" in rule:
        return rule.get("const", rule.get("enum", [None])[-1])
    if "null" in types:
        return None
    empty = {"string": "x", "array": [], "object": {}, "boolean": False}
    return empty.get(types[0], rule.get("minimum", 0))


def whole(value, rule=None):
    """The results, with every field that is required."""
    rule = rule or schema()
    rule = next((one for one in rule.get("anyOf", []) if one.get("type") != "null"), rule)
    if "$ref" in rule:
        rule = schema()["definitions"][rule["$ref"].rpartition("/")[2]]
    if isinstance(value, (list, tuple)):
        return [whole(one, rule.get("items", {"type": []})) for one in value]
    if not isinstance(value, dict):
        return value
    known, more = rule.get("properties", {}), rule.get("additionalProperties")
    more = more if isinstance(more, dict) else {"type": []}
    filled = {name: whole(one, known.get(name, more)) for name, one in value.items()}
    for name in rule.get("required", []):
        if name not in filled:
            other = known.get(name, more)
            other = schema()["definitions"][other["$ref"].rpartition("/")[2]] if "$ref" in other else other
            filled[name] = whole(least(other), other)
    return filled
