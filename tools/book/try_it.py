"""The changes that the pages tell a reader to try, in a form that a program can do. The facts of a page have

    no_check = change('''
    - if (i < n)
    $ ./run 03 --device cpu --n 1000003
    status 6
    shows reads .* past the end
    ''')

and below the words of the page stands `<!--try: no_check-->`.

    on gpu        what follows needs a GPU; tools/book/tried.py runs it there and keeps the outcome
    in FILE       the file of the chapter's folder that is changed; without it NN_name.cu
    - OLD         lines that are replaced, in all places where they stand if it is -* ; how far they
    + NEW         are indented does not matter. Without + they are taken out
    $ COMMAND     what is typed then. Under it, what must come of it:
    status N      the exit status, 0 where it is not said
    shows REGEX   a line that is printed; lacks REGEX: none is like it
    holds CLAIM   an expression over the rows of this very run, as in the claims of the pages; count, gb
                  and the rest with book_ before them look into the book's own results
    notes VALUE   a number that the record keeps, where the page leaves open what will come
"""

import hashlib
import re
from dataclasses import dataclass, field

from tools.book.facts import Change
from tools.book.markdown import markers
from tools.book.results import BookError


@dataclass
class Step:
    """A command, the changes before it, and what must come of it."""
    changes: list  # (file, old lines, new lines, whether everywhere)
    command: str
    status: int = 0
    shows: list = field(default_factory=list)
    lacks: list = field(default_factory=list)
    holds: list = field(default_factory=list)
    notes: list = field(default_factory=list)


@dataclass
class Try:
    name: str
    chapter: str
    text: str
    gpu: bool
    steps: list

    def fingerprint(self):
        """Changes with what is to be done or expected, in whichever file of the chapter the lines stand."""
        text = "\n".join(line for line in self.text.splitlines() if not line.startswith("in "))
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def parse(name, body, sources, chapter):
    """The change that a text describes; BookError where the form or the source is not as it says."""
    if not chapter:
        raise BookError("only the page of a chapter has changes to try.")
    lines = [line.strip() for line in body.splitlines() if line.strip()]
    made = Try(name, chapter, "\n".join(lines), lines[:1] == ["on gpu"], [])
    file, changes = f"{chapter}.cu", []
    for line in lines[made.gpu:]:
        word, _, rest = line.partition(" ")
        if word == "in":
            file = rest
        elif word in ("-", "-*", "+"):
            change(changes, file, word, rest)
        elif word == "$":
            made.steps.append(Step(changes, rest))
            changes = []
        elif not made.steps or changes:
            raise BookError(f"{name}: '{line}' has no $ COMMAND above it.")
        else:
            expect(made, word, rest)
    if not made.steps or changes:
        raise BookError(f"{name}: nothing is run after the last change; end with $ COMMAND and what it shows.")
    for step in made.steps:
        if not step.status and not step.shows + step.lacks + step.holds + step.notes:
            raise BookError(f"{name}: '{step.command}' could do anything; say what it shows, lacks or holds.")
    texts = {}
    for step in made.steps:
        for one in step.changes:
            path = sources.paths[chapter].parent / one[0]
            if not path.is_file():
                raise BookError(f"{name}: chapters/{chapter} has no file {one[0]}.")
            texts[path] = apply(texts.get(path) or path.read_text(encoding="utf-8"), one, name)
    return made


def change(changes, file, word, line):
    if word == "+":
        if not changes:
            raise BookError(f"'+ {line}' has no '-' above it: it stands in the place of something.")
        changes[-1][2].append(line)
    elif changes and changes[-1][0] == file and not changes[-1][2] and not changes[-1][3] and word == "-":
        changes[-1][1].append(line)
    else:
        changes.append((file, [line], [], word == "-*"))


def expect(made, word, rest):
    step = made.steps[-1]
    if word == "status" and rest.isdigit():
        step.status = int(rest)
    elif word in ("shows", "lacks") and rest:
        try:
            re.compile(rest)
        except re.error as error:
            raise BookError(f"{made.name}: '{rest}' is no regular expression: {error}.") from error
        getattr(step, word).append(rest)
    elif word in ("holds", "notes") and rest:
        try:
            compile(rest, made.name, "eval")
        except SyntaxError as error:
            raise BookError(f"{made.name}: cannot read '{rest}': {error.msg}.") from error
        getattr(step, word).append(rest)
    else:
        raise BookError(f"{made.name}: cannot read '{word} {rest}'; there are in, -, -*, +, $, status N, "
                        "shows, lacks, holds, notes.")


def apply(text, one, name):
    """A source's text with one change made."""
    file, old, new, everywhere = one
    pattern = re.compile(r"\n[ \t]*".join(map(re.escape, old)))
    found = list(pattern.finditer(text))
    if not found or len(found) > 1 and not everywhere:
        raise BookError(f"{name}: '{old[0]}' stands in {file} {len(found)} times; "
                        + ("the text is not what is there." if not found else "take more of the line, or -* for all."))
    indent = re.match(r"[ \t]*", text[text.rfind("\n", 0, found[0].start()) + 1:])[0]
    return pattern.sub(lambda _: ("\n" + indent).join(new), text)


def tries(book, pages=("",)):
    """Every change of the book's pages whose names begin so, in their order."""
    found = []
    for path in filter(lambda path: path.stem.startswith(tuple(pages)), book.pages()):
        for match in markers(path.read_text(encoding="utf-8"), "try"):
            text = book.facts(path).find(match[2], Change, "change").text
            found.append(parse(match[2], text, book.sources, path.stem if path.stem in book.sources.paths else None))
    return found


def on_gpu(text):
    """Whether a change needs a GPU."""
    return text.strip().startswith("on gpu")


def items(text, page):
    """Of each change that a reader finds, whether one of its markers does without a GPU."""
    parts = [[page.find(match[2], Change, "change") for match in markers(part, "try")]
             for part in re.split(r"^(?:\d+\.|-) ", text, flags=re.MULTILINE)]
    return [not all(on_gpu(one.text) for one in part) for part in parts if part]


def status(text):
    """How a change ends that is tried on the CPU device: its last exit status."""
    if on_gpu(text):
        raise BookError("it is tried on a GPU, not on the CPU device.")
    last = re.search(r"^status (\d+)$", text.rpartition("\n$ ")[2], re.MULTILINE)
    return int(last[1]) if last else 0


def untried(text):
    """The first words of each item below "Experiments" that has no marker, and the names that stand twice."""
    section = re.search(r"^## Experiments$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    items = re.split(r"^\d+\. ", section[1], flags=re.MULTILINE)[1:] if section else []
    names = [match[2] for match in markers(text, "try")]
    return ([" ".join(one.split()[:6]) for one in items if not markers(one, "try")],
            sorted({name for name in names if names.count(name) > 1}))
