"""The pages: finds their markers, renders or checks what stands between them, follows links."""

import functools
import re
from pathlib import Path

from tools.book.blocks import Blocks
from tools.book import drawings, explore, facts, figures, paths, timelines, try_it
from tools.book.markdown import END, LINK, MARKER, headings, markers, without_code
from tools.book.results import BookError, Results
from tools.book.sources import Sources
from tools.files import write_whole

VALUE = "="  # the kind of a marker that stands in a sentence
SILENT = {"try", "explore", "playground"}  # markers that print nothing, and so have no end
LONGEST = 60  # characters of a marker: it names what the facts of the page say
FURTHER = ("playground", "how_to_read", "which_mover", "advice", "how_we_measure", "claims", "cpu_device", "how_we_model", "predictions",
           "in_the_way", "earlier_tutorials", "other_cards", "glossary", "teaching", "add_a_chapter")


def ragged(text):
    """Line, cells of it and of the head, of each line of a table that has more or fewer: whoever renders it drops cells."""
    head = None
    for number, line in enumerate(without_code(text).split("\n"), 1):
        cells = MARKER.sub("", line).replace("\\|", "").count("|") - 1 if line.startswith("|") else None
        head = cells if head is None or cells is None else head
        if cells != head:
            yield number, cells, head


def drawer(data):
    """The module that draws a figure."""
    return {"timeline": timelines, "drawing": drawings}.get(data["kind"], figures)


def up_to_date(text, data):
    """True if a figure was drawn from this data, by the code that is here."""
    return figures.mark(data) in text if data["kind"] in figures.CHARTS else text == drawer(data).draw(data)


class Book:
    """The book below `root`, with its results and sources; `problems` collects what is wrong, `stale` what a rewrite changes."""

    def __init__(self, root, build=None):
        self.root = Path(root)
        self.directory = self.root / "book"
        self.results = Results(self.directory / "results", build)
        self.sources = Sources(self.root / "chapters")
        self.figures, self.problems, self.stale, self.yours = {}, [], [], build is not None
        self.predictions = {}  # path -> the questions of a rendered page
        # Each page shows the titles of all others: read once, they take 2 s of a site instead of 30.
        for each in ("title", "contents", "asked", "facts"):
            setattr(self, each, functools.cache(getattr(self, each)))

    @functools.cached_property
    def paths(self):
        """What the heads of all pages make together: a second, for which who wants one page does not wait."""
        made = paths.Paths([self.head(path) for path in self.pages()])
        self.problems += made.problems
        return made

    def pages(self):
        """The pages in reading order: chapters by number, then the others."""
        paths = {path.stem: path for path in self.directory.glob("*.md") if path.stem != "README"}
        numbered = sorted(stem for stem in paths if stem[:2].isdigit())
        others = [stem for stem in FURTHER if stem in paths]
        others += sorted(set(paths) - set(numbered) - set(others))
        return [paths[stem] for stem in numbered + others]

    def facts(self, path):
        """What the file next to a page says, in book/facts/."""
        chapter = path.stem if path.stem in self.sources.paths else None
        return facts.read(self.directory / "facts" / f"{path.stem}.py", self.results, chapter)

    def title(self, path):
        found = headings(path.read_text(encoding="utf-8"))
        return found[0][1] if found else path.stem

    def head(self, path):
        """File, title, whether it has the marker of a head, the head and the text of a page."""
        text = path.read_text(encoding="utf-8")
        return path.name, self.title(path), bool(markers(text, "page")), self.facts(path).head, text

    def contents(self):
        """Number, title, file and question (the first line in italics) of each page."""
        result = []
        for path in self.pages():
            question = re.search(r"^\*([^*]+)\*$", path.read_text(encoding="utf-8"), re.MULTILINE)
            number = int(path.stem[:2]) if path.stem[:2].isdigit() else 0
            result.append((number, self.title(path), path.name, question and question[1]))
        return result

    def asked(self):
        """File, title and the names of the questions of each page that asks any."""
        result = []
        for path in self.pages():
            names = [match[2] for match in markers(path.read_text(encoding="utf-8"), "predict")]
            if names:
                result.append((path, self.title(path).replace("`", ""), names))
        return result

    def render(self, path):
        """The page's text with everything between its markers made anew."""
        text = path.read_text(encoding="utf-8")
        chapter = path.stem if path.stem in self.sources.paths else None
        page = self.facts(path)
        blocks = Blocks(self.results, self.sources, chapter, self.figures, self.contents(), self.yours, self.asked(), page,
                        self.paths, path.name, lambda name: self.facts(self.directory / name))
        self.problems += page.problems + page.unused(text)
        self.check_claims(page)
        self.predictions[path] = blocks.predictions
        out, position = [], 0
        for match, end in self.markers(text, path):
            kind, argument = match.groups()
            out.append(text[position:match.end()])
            position = match.end()
            where = self.place(path, text, match.start())
            try:
                if len(match[0]) > LONGEST:
                    raise BookError(f"the marker has {len(match[0])} characters; {LONGEST} are enough for a name.")
                if kind == "try":
                    try_it.parse(argument, page.find(argument, facts.Change, "change").text, self.sources, chapter)
                elif kind == "explore":
                    explore.figure(self.root, self.sources, argument)
                elif kind == VALUE and not text[:match.start()].rpartition("\n")[2].strip():
                    raise BookError("begins a line, where a comment ends the paragraph; move a word before it.")
                elif kind != "playground":  # which is of the site alone
                    content = blocks.render(kind, argument)
                    out.append(content if kind == VALUE else f"\n{content}\n")
                    if out[-1] != text[match.end():end]:
                        self.stale.append(f"{where}: {match[0]} is stale; run ./run book.")
            except BookError as error:
                self.problems.append(f"{where}: {match[0][4:-3]}: {error}")
                out.append(text[match.end():end])
            position = end
        if chapter:
            if not markers(text, "exercises") and list(self.sources.paths[chapter].parent.glob("exercises/*/goals.cpp")):
                self.problems.append(f"{path.relative_to(self.root)}: does not lead to the chapter's exercises; put "
                                     f"<!--exercises--> and {END} on lines of their own, behind 'Experiments'.")
            bare, doubled = try_it.untried(text)
            self.problems += [f"{path.relative_to(self.root)}: 'Experiments' has no marker for '{words} ...'; "
                              "docs/guide/writing.md has its form." for words in bare]
            self.problems += [f"{path.relative_to(self.root)}: two changes are called {name}." for name in doubled]
        self.problems += [f"{path.relative_to(self.root)}:{line}: {count} cells in a table of {head}." for line, count, head
                          in ragged(text)]
        self.problems += [f"{path.relative_to(self.root)}:{number}: the title of a fold is HTML: <code> for what ` begins."
                          for number, line in enumerate(text.split("\n"), 1) if re.match(r" *<details><summary>.*`", line)]
        return "".join(out) + text[position:]

    def markers(self, text, path):
        """Each opening marker with the place of its end."""
        found, opened = markers(text), False
        for match, following in zip(found, [*found[1:], None]):
            if match[1] in SILENT:
                yield match, match.end()
            elif opened and match[0] == END:
                pass
            elif match[0] != END and following and following[0] == END:
                yield match, following.start()
            else:
                lacks = "no marker before it" if match[0] == END else f"no '{END}'"
                self.problems.append(f"{self.place(path, text, match.start())}: {match[0]} has {lacks}.")
            opened = match[1] not in SILENT and match[0] != END

    def check_claims(self, page):
        """What the page claims and its results do not say, or might say otherwise the next time."""
        for one in page.claims:
            if (wrong := one.failure()) is not None:
                self.problems.append(f"{one.place}: the claim '{one.name}' does not hold: {wrong.said}.")
            elif (doubt := one.doubt()) is not None:
                self.problems.append(f"{one.place}: the claim '{one.name}' is undecided: {doubt.said}, and another record of the GPU "
                                     "may have it otherwise; weaken it, drop it or measure again.")

    def place(self, path, text, offset):
        return f"{path.relative_to(self.root)}:{text.count(chr(10), 0, offset) + 1}"

    def update(self, check=False):
        """Rewrites pages and figures, or with `check` only says which are not what they should be."""
        for path in [*self.pages(), self.directory / "README.md"]:
            if not path.exists():
                continue
            old, new = path.read_text(encoding="utf-8"), self.render(path)
            if new != old and not check:
                write_whole(path, new)
        self.problems += self.stale if check else []
        self.update_figures(self.directory / "figures", check)
        try:
            self.problems += self.sources.unused({path.stem for path in self.pages()})
        except BookError as error:
            self.problems.append(str(error))
        self.check_links()

    def update_figures(self, directory, check=False):
        directory.mkdir(parents=True, exist_ok=True)
        for path in directory.glob("*.svg"):
            if path.stem not in self.figures and not self.problems:
                if check:
                    self.problems.append(f"{path.relative_to(self.root)}: is on no page.")
                else:
                    path.unlink()
        for name, data in self.figures.items():
            path = directory / f"{name}.svg"
            if path.exists() and up_to_date(path.read_text(encoding="utf-8"), data):
                continue
            if check:
                self.problems.append(f"{path.relative_to(self.root)}: is stale; run ./run book.")
            else:
                write_whole(path, drawer(data).draw(data))

    def check_lists(self, path, text):
        """A sentence whose line begins with a number and a point is an item of a list to Doxygen, and to forges."""
        counted, before = {}, ""
        for number, line in enumerate(without_code(text).splitlines(), 1):
            if match := re.match(r"( *)(\d+)[.)] ", line):
                place, item = len(match[1]), int(match[2])
                chapter = re.match(rf"{item}\. \[.+\]\({item:02d}_", line)  # of the contents, which count as the chapters do
                if not chapter and (
                        item != counted.get(place, 0) + 1 or (item == 1 and before.strip() and not counted and place == 0)):
                    self.problems.append(f"{path.relative_to(self.root)}:{number}: begins with '{match[0].strip()}', "
                                         "which makes a list of it; move a word before it.")
                counted = {at: last for at, last in counted.items() if at < place} | {place: item}
            elif line.strip() and not line.startswith(" ") and not before.strip():
                counted = {}
            before = line

    def check_links(self):
        """Files and anchors that links name, in the book, docs/ and the README."""
        paths = [self.root / "README.md", *sorted(self.root.glob("docs/guide/*.md")),
                 *sorted(self.directory.glob("*.md"))]
        for path in filter(Path.exists, paths):
            text = path.read_text(encoding="utf-8")
            self.check_lists(path, text)
            for match in LINK.finditer(without_code(text)):
                picture, words, target = match.groups()
                where = self.place(path, text, match.start())
                if picture and not words.strip():
                    self.problems.append(f"{where}: the picture {target} has no text alternative.")
                if re.match(r"[a-z]+:", target):
                    continue
                file, _, anchor = target.partition("#")
                goal = (path.parent / file) if file else path
                if not goal.exists():
                    self.problems.append(f"{where}: the link to {target} is dead: no such file.")
                elif anchor and goal.suffix == ".md" and anchor not in [
                        a for _, _, a in headings(goal.read_text(encoding="utf-8"))]:
                    self.problems.append(f"{where}: the link to {target} is dead: no such heading.")


def hot(root):
    """The chapters of which a page shows what finds its data in the L2; none where a page has a problem, and may want more."""
    book = Book(root)
    book.update(check=True)
    return [] if book.problems else sorted(book.results.hot)
