"""Code for the pages, taken from the chapters' sources by their `//! [name]` markers."""

import difflib
import re
import textwrap
from pathlib import Path

from tools import answers
from tools.book.results import BookError
from tools.parts import parts

MARKER = re.compile(r"^\s*//! \[(\w+)\]\s*$")


class Sources:
    def __init__(self, chapters):
        self.root = Path(chapters).parent
        self.paths = {path.stem: path for path in sorted(Path(chapters).glob("*/[0-9][0-9]_*.cu"))}
        self.used = set()

    def part(self, number):
        """Number and name of the part that a chapter is in."""
        return max((first, place, name) for place, (first, name) in enumerate(parts(self.root), 1) if first <= number)[1:]

    def name(self, asked):
        found = [name for name in self.paths if name == asked or name.startswith(asked + "_")]
        if len(found) != 1:
            raise BookError(f"there is no chapter '{asked}' in chapters/.")
        return found[0]

    def files(self, chapter):
        """The sources of a chapter: NN_name.cu, and what stands next to it."""
        main = self.paths[self.name(chapter)]
        return [main, *sorted(main.parent.glob("*.cuh")), *sorted(main.parent.glob("*.hpp"))]

    def file(self, chapter, region):
        """The source that a region stands in."""
        return next(path for path in self.files(chapter)
                    if f"//! [{region}]" in path.read_text(encoding="utf-8"))

    def regions(self, chapter):
        """Every region of a chapter, or of a file of the tree: name -> (line number of its first line, lines)."""
        regions = {}
        for path in [self.root / chapter] if "/" in chapter else self.files(chapter):
            opened = {}
            lines = path.read_text(encoding="utf-8").splitlines()
            for number, line in enumerate(lines, 1):
                match = MARKER.match(line)
                if not match:
                    continue
                name = match[1]
                if name in opened:
                    first = opened.pop(name)
                    regions[name] = (first, lines[first - 1:number - 1])
                elif name in regions:
                    raise BookError(f"{chapter}: //! [{name}] stands there more than twice.")
                else:
                    opened[name] = number + 1
            if opened:
                raise BookError(f"{chapter}: //! [{', '.join(opened)}] has no second marker.")
        return regions

    def region(self, chapter, name):
        """The first line's number and the lines of a region; `main` is the function main."""
        chapter = chapter if "/" in chapter else self.name(chapter)
        if name == "main":
            lines = self.paths[chapter].read_text(encoding="utf-8").splitlines()
            start = next(i for i, line in enumerate(lines) if line.startswith("int main"))
            return start + 1, lines[start:]
        regions = self.regions(chapter)
        if name not in regions:
            raise BookError(f"{chapter} has no //! [{name}]; it has {', '.join(regions)}.")
        self.used.add((chapter, name))
        return regions[name]

    def code(self, chapter, *names):
        return "\n\n".join(
            textwrap.dedent("\n".join(self.region(chapter, name)[1])).strip("\n") for name in names)

    def diff(self, before, after, *names):
        """What changed between two chapters, of each of which a region is named."""
        sides = [self.code(chapter, name).splitlines() for chapter, name in zip((before, after), names)]
        lines = list(difflib.unified_diff(*sides, n=3, lineterm=""))[2:]
        if not lines:
            raise BookError(f"{before} and {after} do not differ there.")
        return "\n".join("" if line.startswith("@@") else line for line in lines).strip("\n")

    def exercises(self, chapter):
        """Number, title, minutes and difficulty of each exercise of a chapter, as the head of its goals has them."""
        found = []
        for path in sorted(self.paths[self.name(chapter)].parent.glob("exercises/*/goals.cpp")):
            (number, title), *fields = answers.head(path) or [("", "")]
            fields = dict(fields)
            if not re.fullmatch(r"\d\d\.\d+", number) or not {"minutes", "difficulty"} <= fields.keys():
                raise BookError(f"{path.parent.name}/goals.cpp does not begin with // NN.K: Title and the lines "
                                "// minutes: and // difficulty:; docs/guide/exercises.md has the form.")
            found.append((number, title, fields["minutes"], fields["difficulty"]))
        return found

    def unused(self, pages):
        """The regions that no page shows, of the chapters that have a page."""
        return [f"{chapter}: //! [{name}] is shown on no page." for chapter in self.paths
                if chapter in pages for name in self.regions(chapter)
                if (chapter, name) not in self.used]
