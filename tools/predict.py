"""The predictions of a page, in the terminal: asks, reads answers, says what was measured and keeps the score.

    ./run predict        the pages, how many of their questions are answered, and which answers were wrong
    ./run predict 03     the questions of a page, by number or name
"""

import argparse
import re
import sys
import textwrap
from pathlib import Path

from tools.book import predictions
from tools.book.markdown import markers
from tools.book.pages import Book
from tools.book.results import BookError
from tools.progress import Progress
from tools.words import Parser, nearest, quoted, short, wrapped

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 100
HELP = "Enter leaves a question for later; Ctrl-D ends."


class StoredAnswers:
    """The reader's answers, in the clone's progress.json: page.question -> answer and verdict."""

    def __init__(self, root):
        self.progress = Progress(root)
        self.answers = self.progress.read()["predictions"]

    def keep(self, name, answer, near):
        self.answers = self.progress.note_prediction(name, answer, near)["predictions"]


def questions(book, path):
    """Every question of a page, with its answer."""
    return [predictions.solve(match[2], book.facts(path)) for match in markers(path.read_text(encoding="utf-8"), "predict")]


def setting(text):
    """What stands above the first question, but for how to answer."""
    above = re.search(r"^## Predict[^\n]*\n(.*?)^<!--predict: ", text, re.MULTILINE | re.DOTALL)
    parts = re.sub(r"<!--.*?-->", "", above[1], flags=re.DOTALL).split("\n\n") if above else []
    return [predictions.plain(part) for part in parts if part.strip() and "./run predict" not in part]


def page(asked, wanted):
    """The page of that number or name; BookError names the nearest."""
    names = {}
    for path, _, _ in asked:
        number, _, word = path.stem.partition("_")
        for name in (path.stem, number, number.lstrip("0"), word):
            names[name] = path
    if wanted in names:
        return names[wanted]
    if wanted.isdigit() and len(wanted) < 9:
        near = min((name for name in names if name.isdigit()), key=lambda name: abs(int(name) - int(wanted)))
    else:
        near = nearest(wanted, names)
    raise BookError(f"no page with predictions is called {quoted(wanted)}."
                    + (f" Did you mean {names[near].stem}?" if near else "") + " ./run predict lists them.")


def number(text):
    """A number as people type it: 3,500 or 3 500 or 1/8, with its unit or a % behind it; None if it is none."""
    text = re.sub(r"(?<=\d)[\s\u202f\u00a0,](?=\d{3}(?!\d))", "", text.strip())
    text = re.sub(r"(?<=\d),(?=\d)", ".", text)
    found = re.fullmatch(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?:\s*/\s*(\d+\.?\d*))?\s*(?:%|x|[A-Za-z/µ]+)?", text, re.ASCII)
    if not found or found[2] and not float(found[2]):
        return None
    value = float(found[1]) / (float(found[2]) if found[2] else 1)
    return value if abs(value) < 1e300 else None


def read(made, typed):
    """The answer that was typed, as Prediction.verdict takes it and as it is kept; None if it is none."""
    typed, letters = typed.strip(), "abcdefghijklmnopqrstuvwxyz"[:len(made.options)]
    if made.kind == "number":
        value = number(typed)
        return None if value is None else (value, typed)
    chosen = re.findall(r"[a-z]+|\d+", typed.lower())
    if len(chosen) == 1 and chosen[0].isalpha() and made.kind == "order":
        chosen = list(chosen[0])
    if not chosen or any(one not in letters or len(one) != 1 for one in chosen):
        words = [option for option in map(predictions.plain, made.options) if option.lower() == typed.lower()]
        if made.kind == "order" or not words:
            return None
        chosen = [letters[[predictions.plain(option) for option in made.options].index(words[0])]]
    places = [letters.index(one) for one in chosen]
    if made.kind == "choice":
        return (places[0], predictions.plain(made.options[places[0]])) if len(places) == 1 else None
    if sorted(places) != list(range(len(letters))):
        return None
    return places, ", ".join(predictions.plain(made.options[place]) for place in places)


def expected(made):
    last = chr(ord("a") + len(made.options) - 1)
    if made.kind == "choice":
        return f"a letter, a to {last}"
    if made.kind == "order":
        return f"all letters in their order, as in {''.join(chr(ord('a') + k) for k in range(len(made.options)))}"
    return f"a number{', in ' + made.unit if made.unit else ''}; {made.tolerance()}"


def ask(made, kept, name, place):
    """Asks one question until there is an answer; False when the input has ended."""
    print(wrapped(f"{place}. {predictions.plain(made.question)}", WIDTH))
    for letter, option in zip("abcdefghijklmnopqrstuvwxyz", made.options):
        print(textwrap.fill(predictions.plain(option), WIDTH, initial_indent=f"   {letter}  ", subsequent_indent="      "))
    before = kept.answers.get(name)
    if before:
        print(f"   Your earlier answer: {short(before['answer'])} ({said(made, before['near'])}). Enter keeps it.")
    while True:
        print(f"Your answer ({expected(made)}): ", end="", flush=True)
        typed = sys.stdin.readline()
        if not sys.stdin.isatty():
            print(short(typed.strip()))
        if not typed:
            return False
        if not typed.strip():
            if before:
                show(made, before["near"])
            print()
            return True
        answer = read(made, typed)
        if answer:
            near = bool(made.verdict(answer[0]))
            kept.keep(name, answer[1], near)
            show(made, near)
            print()
            return True
        print(f"'{short(typed.strip())}' is not a valid answer; give {expected(made)}. {HELP}")


def said(made, near):
    if made.kind == "number" and made.within[1]:
        return "near" if near else "not near"
    return "right" if near else "wrong"


def show(made, near):
    print(f"   {predictions.capital(said(made, near))}: {predictions.plain(made.shown)}.")
    if made.answer:
        print(wrapped(predictions.plain(made.answer), WIDTH, "   "))
    print(f"   ({predictions.capital(made.devices)}.)")


def score(names, kept):
    answered = [kept.answers[name] for name in names if name in kept.answers]
    return len(answered), sum(one["near"] for one in answered)


def missed(book, asked, kept):
    """Every answer that was wrong, next to what is right."""
    for path, _, names in asked:
        wrong = [name for name in names if not kept.answers.get(f"{path.stem}.{name}", {"near": True})["near"]]
        for made in questions(book, path) if wrong else []:
            if made.name in wrong:
                answer = short(kept.answers[f"{path.stem}.{made.name}"]["answer"])
                print("\n" + wrapped(f"{path.stem}: {predictions.plain(made.question)}", WIDTH))
                print(wrapped(f"You: {answer}. Right: {predictions.plain(made.shown)}.", WIDTH, "   "))


def listing(book, asked, kept):
    wide = max(len(path.stem) for path, _, _ in asked)
    for path, title, names in asked:
        done, near = score([f"{path.stem}.{name}" for name in names], kept)
        print(f"{path.stem:{wide}}  {done} of {len(names)} answered" + (f", {near} right or near" if done else ""))
    done, near = score([f"{path.stem}.{name}" for path, _, names in asked for name in names], kept)
    missed(book, asked, kept)
    total = sum(len(names) for _, _, names in asked)
    print(f"\n{done} of {total} answered, {near} right or near. A page's questions: ./run predict {asked[0][0].stem[:2]}")


def ask_all(book, path, kept):
    """The questions of a page, one after the other."""
    made = questions(book, path)
    print(f"{book.title(path).replace('`', '')} ({path.stem}): {len(made)} questions. {HELP}\n")
    for part in setting(path.read_text(encoding="utf-8")):
        print(wrapped(part, WIDTH) + "\n")
    names = [f"{path.stem}.{one.name}" for one in made]
    for place, (one, name) in enumerate(zip(made, names), 1):
        if not ask(one, kept, name, place):
            print("\nEnd of input; run it again for the remaining questions.")
            break
    done, near = score(names, kept)
    print(f"{done} of {len(made)} answered, {near} right or near. The reasons are in book/{path.name}.")


def main(words=None):
    parser = Parser(prog="./run predict", description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("page", nargs="?", help="its number or name, as 03; without it, the pages are listed")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    try:
        book = Book(options.root)
        asked = book.asked()
        path = options.page and page(asked, options.page)
        kept = StoredAnswers(options.root)
        if path:
            ask_all(book, path, kept)
        else:
            listing(book, asked, kept)
        return 0
    except KeyboardInterrupt:
        print("\nInterrupted; what you answered is kept.", file=sys.stderr)
        return 130
