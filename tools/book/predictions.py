"""The questions of the pages: what the reader is asked, the answer that the results give, the score.

The facts of a page say them with choice(...), number(...) and order(...) of tools/book/facts.py.
"""

import re
from dataclasses import dataclass, field

from tools.book import facts
from tools.book.numbers import Fact, Verdict, show
from tools.book.results import CPU, BookError

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
            return "exact answer"
        return "accepted: " + {"factor": f"within a factor of {number}", "percent": f"within {number}%",
                             "plain": f"within {number} {'points' if self.unit == '%' else self.unit}".strip()}[how]


def said(results, reads):
    """Whose an answer is: `counted on the CPU device, measured on NVIDIA H200`."""
    words = []
    for device in {device for _, device in reads}:
        kinds = {what for what, of in reads if of == device}
        if device == CPU:
            words.append(f"{'tried' if kinds == {'try'} else 'counted'} on the CPU device")
        elif kinds <= {"counter", "device"}:
            words.append(f"counted by the hardware of {results.device(device)['name']}")
        elif kinds - {"noted"}:
            words.append(f"measured on {results.device(device)['name']}")
    return ", ".join(sorted(words))


def solve(name, page):
    """The prediction of that name with its answer; BookError where the results have another."""
    asked = page.find(name, facts.Question, "question")
    made = Prediction(name, asked.question, asked.kind, [page.fill(words) for words in asked.options])
    {"choice": choose, "number": measure, "order": arrange}[asked.kind](made, asked, page)
    made.answer = page.fill(asked.fold)
    named = [page.names.get(word) for text in (*asked.options, asked.fold) for word in re.findall(r"\{(\w+)\}", text)]
    looked_up = [one for one in (*asked.options.values(), asked.value, *named) if isinstance(one, (Fact, Verdict))]
    reads = frozenset().union(*(one.reads for one in looked_up))
    if any(what == "model" for what, _ in reads):
        raise BookError("a prediction is compared with what was measured or counted, not modelled.")
    made.devices = said(page.results, reads)
    if not made.devices:
        raise BookError("the answer looks nothing up; let it follow from the results.")
    return made


def choose(made, asked, page):
    """Each choice has a condition; that of the right one holds, and no other."""
    verdicts, right = list(asked.options.values()), page.fill(asked.right)
    if len(verdicts) < 2 or right not in made.options:
        raise BookError(f"'{right}' is right, and it is none of {len(verdicts)} choices; it takes two at least.")
    if not all(isinstance(one, Verdict) for one in verdicts):
        raise BookError("each choice needs a condition: more(...), less(...), between(...).")
    place, holding = made.options.index(right), [at for at, one in enumerate(verdicts) if one]
    if not holding:
        raise BookError(f"the answer is not among the choices: no condition holds; that of the right one, '{right}', is "
                        f"{verdicts[place].said}.")
    if holding != [place]:
        other = next(at for at in holding if at != place)
        raise BookError(f"'{right}' is said to be right, and by the results it is '{made.options[other]}': {verdicts[other].said}.")
    if len(set(made.options)) < len(made.options):
        raise BookError("two choices have the same words.")
    made.right, made.shown = [place], right


def measure(made, asked, _):
    """A number with its tolerance."""
    found = WITHIN.fullmatch(f"within {asked.within}")
    if not found:
        raise BookError("a number needs its tolerance: within=\"10%\", \"2\" in its unit, or \"a factor of 2\".")
    made.unit, made.value = asked.unit, asked.value
    made.within = next((how, float(limit)) for how, limit in zip(("factor", "percent", "plain"), found.groups()) if limit)
    if isinstance(made.value, bool) or not isinstance(made.value, (int, float)):
        raise BookError(f"the answer is {made.value}, which is not a number.")
    if made.within[0] == "factor" and (made.within[1] <= 1 or made.value <= 0):
        raise BookError(f"within a factor of {made.within[1]:g} of {made.value:g} means nothing; the factor "
                        "must be more than 1 and the answer more than 0.")
    made.shown = f"{show(made.value)} {made.unit}".strip()


def arrange(made, asked, _):
    """The rows stand as they are shown, their order is computed."""
    values = list(asked.options.values())
    if asked.first not in ("largest", "smallest") or len(values) < 3:
        raise BookError("an order needs three rows at least, and to know what comes first, the largest or the smallest.")
    made.right = sorted(range(len(values)), key=lambda place: values[place], reverse=asked.first == "largest")
    for one, other in zip(made.right, made.right[1:]):
        if abs(values[one] - values[other]) <= TIE * max(abs(values[one]), abs(values[other])):
            raise BookError(f"'{made.options[one]}' and '{made.options[other]}' are equal, "
                            f"{show(values[one])} and {show(values[other])}: an order of them would be chance.")
    made.shown = ", ".join(f"{made.options[place]} ({show(values[place], asked.form)})" for place in made.right)
    if made.right == list(range(len(values))):
        raise BookError("the rows stand in the right order, which gives the answer away; list them in another.")


def markdown(made, number):
    """The question, what is requested, and the answer in a fold."""
    asked = "\n".join(f"- {option}" for option in made.options) or f"*A number{made.unit and f', in {made.unit}'}; {made.tolerance()}.*"
    device = made.devices[:1].upper() + made.devices[1:]
    return (f"**{number}.** {made.question}\n\n{asked}\n\n"
            f"<details><summary>Answer {number}</summary>\n\n"
            f"**{capital(made.shown)}.** {made.answer} *{device}.*\n\n</details>")


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
    return {f"data-{key}": str(value) for key, value in data.items()}
