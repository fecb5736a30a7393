"""The questions of the pages: what the reader is asked, the answer that the results give, the score.

A marker holds three paragraphs: the question, the kind of its answer, and what the fold says.

    <!-- predict: launches
    Which block size is the fastest?

    choice by gb('basic', threads=256) / gb('basic', threads=64)
    - [x] 256: value > 1.1
    - [ ] 64: value < 0.9

    It reaches {gb('basic', threads=256)} GB/s. -->
"""

import html
import re
from dataclasses import dataclass, field

from tools.book.expressions import evaluate, look_ups, parse, show, sides
from tools.book.results import CPU, BookError

KINDS = ("choice", "number", "order")
TIE = 0.01  # rows of an order that are nearer than this are in none
WITHIN = re.compile(r"within (?:a factor of ([\d.]+)|([\d.]+) ?%|([\d.]+))$")


@dataclass
class Prediction:
    name: str
    question: str  # Markdown, as `answer`
    kind: str
    options: list  # what is chosen from or put in order
    unit: str = ""
    within: tuple = ()  # ("factor" | "percent" | "plain", number)
    right: list = field(default_factory=list)  # places in `options`; for a choice there is one
    value: float = None
    shown: str = ""  # the right answer in words
    answer: str = ""
    devices: str = ""  # whose the answer is

    def verdict(self, given):
        """Whether an answer is right or near: the place of a choice, a number, places in order."""
        if self.kind == "choice":
            return given == self.right[0]
        if self.kind == "order":
            return given == self.right
        how, limit = self.within
        if how == "factor":
            return given > 0 and 1 / limit <= given / self.value <= limit
        return abs(given - self.value) <= (abs(self.value) * limit / 100 if how == "percent" else limit) * (1 + 1e-9)

    def tolerance(self):
        how, limit = self.within
        number = f"{limit:g}"
        if limit == 0:
            return "exactly right counts"
        return "near is " + {"factor": f"within a factor of {number}", "percent": f"within {number} %",
                             "plain": f"within {number} {'points' if self.unit == '%' else self.unit}".strip()}[how]


class Watched:
    """Results that remember whose rows were looked up."""

    def __init__(self, results):
        self.results, self.devices = results, []

    def __getattr__(self, name):
        found = getattr(self.results, name)
        if name not in ("find", "one", "counters", "device"):
            return found

        def look_up(device, *rest, **where):
            if (name, device) not in self.devices:
                self.devices.append((name, device))
            return found(device, *rest, **where)
        return look_up

    def said(self):
        """`counted on the CPU device, measured on NVIDIA H200`."""
        words = []
        for device in dict.fromkeys(device for _, device in self.devices):
            names = {name for name, other in self.devices if other == device}
            if device == CPU:
                words.append(f"{'tried' if names == {'try'} else 'counted'} on the CPU device")
            elif names <= {"counters", "device"}:
                words.append(f"counted by the hardware of {self.results.device(device)['name']}")
            else:
                words.append(f"measured on {self.results.device(device)['name']}")
        return ", ".join(sorted(words))


def modelled(*_, **__):
    raise BookError("a prediction is held against what was measured or counted, not modelled.")


def split_up(text):
    """Name, question, the paragraph of the kind as logical lines, and the fold of a marker."""
    head, _, body = text.strip().partition("\n")
    name = head.strip()
    parts = [part.strip() for part in re.split(r"\n\s*\n", body.strip()) if part.strip()]
    if not re.fullmatch(r"\w+", name):
        raise BookError(f"'{name}' is no name for a question; one word names it on its page.")
    at = next((i for i, part in enumerate(parts) if re.match(r"(%s)\b" % "|".join(KINDS), part)), 0)
    if not at or len(parts) < at + 2:
        raise BookError(f"{name}: a question, its kind ({', '.join(KINDS)}) and the answer are "
                        "needed, each a paragraph.")
    lines = []
    for line in parts[at].splitlines():
        if lines and not line.startswith("- "):
            lines[-1] += " " + line.strip()  # an item or the head goes on
        else:
            lines.append(line.strip())
    return name, "\n\n".join(parts[:at]), lines, "\n\n".join(parts[at + 1:])


def item(line, name):
    words, colon, expression = line.removeprefix("- ").rpartition(": ")
    if not colon:
        raise BookError(f"{name}: '{line}' has no condition; write WORDS: EXPRESSION.")
    return words.strip(), expression


def solve(text, results, chapter, statuses=None):
    """The prediction of a marker's text with its answer; BookError where the results have another.
    `statuses` of the page's changes that are tried on the CPU device is what tried('NAME') looks up."""
    name, question, lines, fold = split_up(text)
    watched = Watched(results)

    def tried(change):
        if change not in (statuses or {}):
            raise BookError(f"no change of this page that is tried on the CPU device is called {change}.")
        watched.devices.append(("try", CPU))
        return statuses[change]

    names = {**look_ups(watched, chapter), "modelled": modelled, "tried": tried}
    kind, _, rest = lines[0].partition(" ")
    made = Prediction(name, question, kind, [])
    solver = {"choice": choose, "number": measure, "order": arrange}[kind]
    try:
        solver(made, rest.strip(), lines[1:], names)
        made.answer = filled(fold, names)
    except BookError as error:
        raise BookError(f"{name}: {str(error).removeprefix(name + ': ')}") from error
    made.devices = watched.said()
    if not made.devices:
        raise BookError(f"{name}: the answer looks nothing up; let it follow from the results.")
    return made


def choose(made, rest, lines, names):
    """Each choice has a condition; that of the marked one holds, and no other."""
    if rest.startswith("by "):
        names["value"] = evaluate(parse(rest[3:]), names)
    holding, why, marked = [], {}, []
    for place, line in enumerate(lines):
        box = re.match(r"- \[([ x])\] ", line)
        if not box:
            raise BookError(f"'{line}' is no choice; write - [ ] WORDS: CONDITION, and [x] for the right one.")
        words, condition = item(line[box.end():], made.name)
        made.options.append(filled(words, names))
        tree = parse(condition)
        holds = evaluate(tree, names)
        why[place] = sides(tree, names)
        if holds:
            holding.append(place)
        if box[1] == "x":
            marked.append(place)
    if len(lines) < 2 or len(marked) != 1:
        raise BookError(f"{len(marked)} of {len(lines)} choices are marked; it takes two choices at least, one of "
                        "them marked [x].")
    if not holding:
        raise BookError("the answer is not among the choices: no condition holds; that of the "
                        f"marked one, '{made.options[marked[0]]}', is {why[marked[0]]}.")
    if holding != marked:
        other = next(place for place in holding if place not in marked)
        raise BookError(f"'{made.options[marked[0]]}' is marked, and by the results it is "
                        f"'{made.options[other]}': {why[other]}.")
    if len(set(made.options)) < len(made.options):
        raise BookError("two choices have the same words.")
    made.right, made.shown = marked, made.options[marked[0]]


def measure(made, rest, lines, names):
    """`number UNIT within TOLERANCE: EXPRESSION as FORM`."""
    head, colon, expression = rest.partition(": ")
    found = WITHIN.search(head)
    if not found or not colon or lines:
        raise BookError("a number needs its tolerance and where it comes from: number UNIT within "
                        "10%: EXPRESSION (or within 2, or within a factor of 2).")
    made.unit = head[:found.start()].strip()
    made.within = next((how, float(limit)) for how, limit in zip(("factor", "percent", "plain"), found.groups()) if limit)
    expression, _, form = expression.partition(" as ")
    made.value = evaluate(parse(expression), names)
    if isinstance(made.value, bool) or not isinstance(made.value, (int, float)):
        raise BookError(f"the answer is {made.value}, which is not a number.")
    if made.within[0] == "factor" and (made.within[1] <= 1 or made.value <= 0):
        raise BookError(f"within a factor of {made.within[1]:g} of {made.value:g} means nothing; the factor "
                        "must be more than 1 and the answer more than 0.")
    names["value"] = made.value
    number = show(made.value, form.strip() or None)
    made.shown = f"{number} {made.unit}".strip()


def arrange(made, rest, lines, names):
    """`order smallest first as FORM`, or largest; the rows stand as they are shown, their order is computed."""
    head, _, form = rest.partition(" as ")
    if head not in ("largest first", "smallest first") or len(lines) < 3:
        raise BookError("an order needs three rows at least, and to know what comes first: order "
                        "largest first, or smallest first.")
    values = []
    for line in lines:
        words, expression = item(line, made.name)
        made.options.append(words)
        values.append(evaluate(parse(expression), names))
    made.right = sorted(range(len(values)), key=lambda place: values[place], reverse=head[0] == "l")
    for one, other in zip(made.right, made.right[1:]):
        if abs(values[one] - values[other]) <= TIE * max(abs(values[one]), abs(values[other])):
            raise BookError(f"'{made.options[one]}' and '{made.options[other]}' are level, "
                            f"{show(values[one])} and {show(values[other])}: an order of them would be chance.")
    made.shown = ", ".join(f"{made.options[place]} ({show(values[place], form.strip() or None)})"
                           for place in made.right)
    if made.right == list(range(len(values))):
        raise BookError("the rows stand in the right order, which gives the answer away; list them in another.")


def filled(text, names):
    """The text with each {EXPRESSION as FORM} replaced by its value."""
    def value(match):
        expression, _, form = match[1].partition(" as ")
        return show(evaluate(parse(expression), names), form.strip() or None)
    return re.sub(r"\{([^{}]+)\}", value, text)


def markdown(made, number):
    """The question, what is asked for, and the answer in a fold."""
    asked = "\n".join(f"- {option}" for option in made.options) or f"*{unit_of(made)}; {made.tolerance()}.*"
    device = made.devices[:1].upper() + made.devices[1:]
    return (f"**{number}.** {made.question}\n\n{asked}\n\n"
            f"<details><summary>Answer {number}</summary>\n\n"
            f"**{capital(made.shown)}.** {made.answer} *{device}.*\n\n</details>")


def unit_of(made):
    return f"A number, in {made.unit}" if made.unit else "A number"


def capital(text):
    return text[:1].upper() + text[1:]


def plain(text):
    """Markdown for a terminal: without links, emphasis and code marks."""
    text = re.sub(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^()\s]+\)", r"\1", text)
    text = re.sub(r"\*{1,2}(\S(?:[^*]*\S)?)\*{1,2}", r"\1", text)
    return " ".join(text.replace("`", "").split())


def attributes(made, page, number):
    """What the site's script needs of a question, as attributes of its section."""
    data = {"id": f"{page}.{made.name}", "number": number, "kind": made.kind, "shown": plain(made.shown)}
    if made.kind == "number":
        data.update(value=repr(float(made.value)), how=made.within[0], limit=f"{made.within[1]:g}", unit=made.unit)
    else:
        data["right"] = ",".join(map(str, made.right))
    if made.kind == "order":
        data["options"] = "|".join(map(plain, made.options))
    return " ".join(f'data-{key}="{html.escape(str(value))}"' for key, value in data.items())
