"""The site: the book's pages with the reader's own results, then Doxygen, then one navigation.

Doxygen gets a copy of each page in which code is taken from the chapters by \\snippet, so that it
carries line numbers and links into the reference. What Doxygen cannot do (figures that follow the
theme, folds, coloured differences, previous and next) is put into its pages afterwards.
"""

import concurrent.futures
import errno
import html
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from tools.site import doxygen_pages, explore
from tools.book import predictions
from tools.book.blocks import arguments
from tools.book.markdown import CODE, END_OF_VALUE, LINK, MARKER, headings, slug, without_code
from tools.book.pages import Book, drawer, up_to_date
from tools.book.results import BookError
from tools.files import locked
from tools.site.print_edition import print_edition
from tools.words import Refused

BEHIND = ("measurement", "exercises", "own_programs", "writing")  # pages of docs/guide/ that belong to the site
# Lists of everything by letter, which the search replaces, and what belongs to Doxygen's own look.
UNWANTED = ("functions*.html", "globals*.html", "namespacemembers*.html", "hierarchy.html",
            "classes.html", "namespaces.html", "pages.html", "*-members.html", "jquery.js",
            "dynsections.js", "doxygen.svg", "tabs.css", "*.png")
REFERENCE = (("classcommon_1_1Chapter.html", "The chapter class"),
             ("namespacecommon.html", "Namespace common"),
             ("namespacecpu__device.html", "Namespace cpu_device"),
             ("annotated.html", "Classes"), ("files.html", "Headers"))
SHOWN = (".cuh", ".hpp", ".cpp")  # sources that the site shows when a page links to them
ABOUT = ("How bytes move through a CUDA GPU, and how to move them faster: a book whose every chapter is one small "
         "program, and whose every time was measured or is marked as modelled.")


def page_file(path):
    """The HTML page of a Markdown page or a source."""
    return "index.html" if Path(path).stem == "README" else f"{page_label(path)}.html"


def page_label(path):
    path = Path(path)
    if path.suffix == ".cu":
        return f"source_{path.stem}"
    if path.suffix in SHOWN:  # several are called launch, or the same but for .hpp and .cpp
        return "source_" + re.sub(r"\W", "_", f"{path.parent.name}_{path.name}")
    return f"page_{path.stem}"


class Site:
    def __init__(self, root, out, address="", pdf=False):
        self.root, self.out, self.address, self.pdf = root, out, address, pdf
        self.book = Book(root, build=root / "build")
        behind = [root / "docs" / "guide" / f"{name}.md" for name in BEHIND]
        self.pages = [self.book.directory / "README.md", *self.book.pages(),
                      *filter(Path.exists, behind)]
        self.asked = []  # the attributes of each question
        self.texts = {}  # path -> Markdown with the reader's results
        self.shown = set()  # the sources that a page links to
        self.explored = []  # the figures that answer
        # Whether they have their module; if not, why.
        self.answers, self.said = False, "its modules are still being built; reload this page in a minute or two."

    def files(self):
        """The pages' names in reading order."""
        return [page_file(path) for path in self.pages]

    # --- before Doxygen ---------------------------------------------------------------------------

    def write_pages(self):
        directory = self.out / "book"
        directory.mkdir(parents=True)
        for path in self.pages:
            in_book = path.parent == self.book.directory
            self.texts[path] = self.book.render(path) if in_book else path.read_text("utf-8")
        self.figure_names = list(self.book.figures)
        for path, text in self.texts.items():
            (directory / path.name).write_text(self.for_doxygen(path, text), encoding="utf-8")
        for source in {*self.book.sources.paths.values(), *self.shown}:
            label, name = page_label(source), source.stem if source.suffix == ".cu" else f"{source.parent.name}/{source.name}"
            (directory / f"{label}.md").write_text(
                f'# Source of {name} {{#{label}}}\n\n\\includelineno "{source}"\n', "utf-8")
        return directory

    def for_doxygen(self, path, text):
        """The page as Doxygen should read it: markers gone, labels and snippets in their place."""
        text = self.markers(r"^ *<!-- try: .*? -->\n", lambda match: "", self.questions(path, text))
        text = self.markers(r"^<!-- explore: (\w+) -->$", self.explorer, text)
        text = self.markers(r"^<!-- playground -->$", lambda match: "moving-bytes-playground", text)
        if "\n<!-- exercises -->\n" in text and re.match(r"\d\d_", path.stem):
            text = re.sub(r"^(?=## Exercises$)", f"moving-bytes-chapter {path.stem}\n\n", text, count=1, flags=re.MULTILINE)
        text = self.markers(r"^<!-- exercises -->\n(.*?)^<!-- end -->\n", lambda match: (
            f"{match[0]}\nmoving-bytes-exercises {path.stem[:2]}\n\n"), text)
        text = self.code_by_snippet(text)
        lines, first = [], True
        for plain, line in zip(without_code(text).splitlines(), text.splitlines()):
            if match := re.match(r"(#{1,6}) +(.*)", plain) and re.match(r"(#{1,6}) +(.*)", line):
                label = page_label(path) + ("" if first else "_" + slug(match[2]))
                line, first = f"{match[1]} {match[2].strip()} {{#{label}}}", False
            lines.append(line)
        text = self.outside_code("\n".join(lines) + "\n", lambda part: self.links(path, part))
        # To Doxygen a quote ends a code span that began with one backtick.
        text = CODE.sub(lambda match: f"`{match[0]}`" if match[0][:2] not in ("``", "~~") and "'" in match[0]
                        else match[0], text)
        return re.sub(r"^```diff\n(.*?)^```$", r'<div class="diff">\n\n```{.cpp}\n\1```\n\n</div>',
                      text, flags=re.MULTILINE | re.DOTALL)

    def explorer(self, match):
        self.explored.append(match[1])
        return f"moving-bytes-explore {match[1]}"

    def questions(self, path, text):
        """Each question between words that become a section with what its script needs."""
        of_page = enumerate(self.book.predictions.get(path, []), 1)

        def section(match):
            number, made = next(of_page)
            self.asked.append(predictions.attributes(made, path.stem, number))
            return f"moving-bytes-question {len(self.asked) - 1}\n\n{match[1]}\nmoving-bytes-questioned\n"
        text = self.markers(r"^<!-- predict: .*? -->\n(.*?)^<!-- end -->\n", section, text)
        # The record is what a reader of the site comes for: it is not folded there.
        return self.markers(r"^<!-- predictions -->\n(.*?)^<!-- end -->\n", lambda match: (
            "moving-bytes-record\n\n" + re.sub(r"^</?details>.*\n", "", match[1], flags=re.MULTILINE) + "\nmoving-bytes-recorded\n"), text)

    @staticmethod
    def markers(pattern, change, text):
        """The text with each marker of the pattern changed; what code shows is no marker."""
        clean = without_code(text)
        return re.sub(pattern, lambda match: change(match) if clean[text.index("<", match.start())] == "<" else match[0],
                      text, flags=re.MULTILINE | re.DOTALL)

    def code_by_snippet(self, text):
        def snippets(match):
            chapter, *names = arguments(match[1], 2, None)
            if "/" in chapter:  # a file of the library, which is no example of Doxygen's
                return match[2].strip()
            name = self.book.sources.name(chapter)
            return "\n\n".join(
                f"\\snippet{{lineno}} {'/'.join(self.book.sources.file(name, region).parts[-2:])} {region}"
                if region != "main" else match[2].strip()
                for region in names)
        text = self.markers(r"^<!-- code: (.*?) -->\n(.*?)^<!-- end -->", snippets, text)
        return self.outside_code(text, lambda part: MARKER.sub("", part).replace(END_OF_VALUE, ""))

    @staticmethod
    def outside_code(text, change):
        out, position = [], 0
        links = [match.span() for match in LINK.finditer(without_code(text))]
        for match in CODE.finditer(text):
            if any(start < match.start() and match.end() < end for start, end in links):
                continue  # code in a link's words belongs to the link
            out += [change(text[position:match.start()]), match[0]]
            position = match.end()
        return "".join(out) + change(text[position:])

    def links(self, path, text):
        def link(match):
            picture, words, target = match.groups()
            if picture:
                return f"moving-bytes-figure-{self.figure_names.index(Path(target).stem)}"
            file, _, anchor = target.partition("#")
            goal = (path.parent / file).resolve() if file else path
            if goal.suffix in (".cu", *SHOWN):
                self.shown.add(goal)
                return f"[{words}]({page_file(goal)})"
            if goal.suffix != ".md" or goal not in self.texts:
                return match[0] if re.match(r"[a-z]+:", target) else words
            anchor = f"#{page_label(goal)}_{anchor}" if anchor else ""
            return f"[{words}]({page_file(goal)}{anchor})"
        text = LINK.sub(link, text)
        # Paragraphs of their own, with an empty line on each side.
        text = re.sub(r"^( *)<details><summary>(.*?)</summary>", r"\n\1moving-bytes-fold \2\n", text, flags=re.MULTILINE)
        return re.sub(r"^( *)</details>", r"\n\1moving-bytes-unfold\n", text, flags=re.MULTILINE)

    # --- Doxygen ------------------------------------------------------------------------------------

    @staticmethod
    def need_doxygen():
        if not shutil.which("doxygen"):
            raise BookError("the site needs doxygen: apt-get install doxygen.")
        version = subprocess.run(["doxygen", "--version"], capture_output=True, text=True).stdout
        if tuple(map(int, re.findall(r"\d+", version)[:3])) < (1, 9, 4):
            raise BookError(f"doxygen is {version.split()[0]}; the site needs 1.9.4 or newer.")

    def run_doxygen(self, pages):
        sources = " ".join(f'"{path.parent}"' for path in self.book.sources.paths.values())
        settings = (self.root / "tools" / "site" / "Doxyfile").read_text("utf-8") + (
            f'\nOUTPUT_DIRECTORY = "{self.out}"\nINPUT += "{pages}"\nEXAMPLE_PATH = {sources}\n'
            f'USE_MDFILE_AS_MAINPAGE = "{pages / "README.md"}"\n'
            f'GENERATE_TAGFILE = "{self.out / "reference.tag"}"\n')
        result = subprocess.run(["doxygen", "-"], cwd=self.root, input=settings, text=True,
                                capture_output=True)
        if shutil.disk_usage(self.out).free < 2 ** 20:  # Doxygen says nothing of a full disk, and leaves half a page
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        # A setting that one version has and another has not says nothing about the book.
        wrong = [line for line in result.stderr.splitlines() if re.search("warning:|error:", line)
                 and not re.match(r"warning: (Tag|argument|ignoring unsupported) ", line)]
        return wrong or ([result.stderr] if result.returncode else [])

    # --- after Doxygen --------------------------------------------------------------------------------

    def finish(self):
        """All but what add_modules() adds: until then no figure answers."""
        for pattern in UNWANTED:
            for file in (self.out / "html").glob(pattern):
                file.unlink()
        self.drawn = [self.svg(name) for name in self.figure_names]
        self.by_doxygen = {file.name: file.read_text("utf-8") for file in (self.out / "html").glob("*.html")}
        for name in self.by_doxygen:
            self.finish_page(name)
        data = json.dumps(self.search_entries(), ensure_ascii=False, separators=(",", ":"))
        same = (self.root / "tools" / "site" / "synonyms.json").read_text("utf-8")
        (self.out / "html" / "search_data.js").write_text(
            f"window.searchData={data};\nwindow.searchSynonyms={same.strip()};\n", "utf-8")

    def finish_page(self, name):
        path = {page_file(path): path for path in self.pages}.get(name)
        head, begin, rest = re.split("(<main[^>]*>)", self.by_doxygen[name])
        main, _, foot = rest.partition("</main>")
        main, title, first = doxygen_pages.finish(main, path is not None, self.asked, self.piece)
        head = head.replace("<!--META-->", self.meta(name, path, title, first)).replace("<!--NAV-->", self.navigation(name, path))
        main = main.replace("<!--PAGER-->", self.pager(path))
        (self.out / "html" / name).write_text(f"{head}{begin}{main}</main>{foot}", encoding="utf-8")

    def modules(self):
        """Builds the modules of figures, kernels and chapters; those of figures, and why something is missing."""
        scripts, said = explore.modules(self.root, self.book.sources) if self.explored else (None, "")
        if scripts is not None:
            said = explore.editor(self.root, self.out / "edit")
        return scripts, said

    def add_modules(self, scripts, said):
        """Makes the pages that call them once more."""
        self.answers, self.said = scripts is not None, said
        if self.answers:
            explore.write(self.out / "html", scripts)
            shutil.copy(self.root / "browser" / "NOTICE.txt", self.out / "html")
            if (self.out / "edit").exists():
                (self.out / "edit").rename(self.out / "html" / "edit")
        for name in self.by_doxygen.keys() & set(self.files()):
            self.finish_page(name)

    def meta(self, file, path, name, first):
        """Title, description (the page's first paragraph) and what a link to the page shows elsewhere."""
        about = ABOUT
        if path and file != "index.html":
            about = f"{name}. {first or ABOUT}"
            name = f"{path.stem[:2]} {name}" if path.stem[:2].isdigit() else name
        elif file != "index.html":
            about = f"{name}: from the sources of the book Moving Bytes, or the reference of its library."
        about = about if len(about) < 200 else about[:about.rindex(" ", 0, 197)] + " …"
        title = name if file == "index.html" else f"{name} · Moving Bytes"
        tags = [f"<title>{html.escape(title)}</title>",
                f'<meta name="description" content="{html.escape(about)}">']
        graph = {"title": title, "description": about, "site_name": "Moving Bytes",
                 "type": "website" if file == "index.html" else "article"}
        if self.address:
            graph.update(url=f"{self.address}/{file}", **{"image": f"{self.address}/preview.png"} if self.pdf else {})
            tags.append(f'<link rel="canonical" href="{html.escape(graph["url"])}">')
        tags += [f'<meta property="og:{key}" content="{html.escape(value)}">' for key, value in graph.items()]
        return "\n".join(tags)

    def svg(self, name):
        """A figure for the page itself: without its own colours, so that it follows the theme."""
        data = self.book.figures[name]
        kept = self.book.directory / "figures" / f"{name}.svg"
        text = kept.read_text("utf-8") if kept.exists() else ""
        if not up_to_date(text, data):
            text = drawer(data).draw(data)  # the reader's own results are in it
        return self.inline(name, text, data)

    @staticmethod
    def inline(name, text, data):
        text = re.sub(r"<style>svg\{--.*?</style>", "", text, flags=re.DOTALL)
        text = re.sub(r'\bid="', f'id="{name}-', text)
        text = re.sub(r'(href="|url\()#', rf"\1#{name}-", text)
        text = re.sub(r'(<svg[^>]*) role="img"', r"\1", text[text.index("<svg"):], count=1)
        return text.replace("<svg ", f'<svg role="img" aria-label="{html.escape(data["alt"])}" ', 1)

    def piece(self, kind, name):
        """The HTML that belongs where a mark stands."""
        if kind == "figure":
            return self.drawn[int(name)]
        if kind == "playground":
            return explore.playground(self.root, "" if self.answers and not self.said else self.said)
        if kind == "chapter":
            return explore.chapter(self.root, name, not self.answers or self.said)
        if kind == "exercises":
            return explore.exercises(self.root, name) if self.answers and not self.said else ""
        return explore.section(self.root, self.book.sources, name, not self.said) if self.answers else ""

    def navigation(self, file, current):
        def entry(target, title, number="", inner="", label=""):
            here = ' aria-current="page"' if target == file else ""
            number = f'<span class="number">{number}</span>' if number else ""
            label = f"<small>{label}</small>" if label else ""
            return f'<li><a href="{target}"{here}>{number}<span>{html.escape(title)}{label}</span></a>{inner}</li>'

        def page(path):
            stem, inner = path.stem, ""
            if path == current:
                inner = "<ol>" + "".join(
                    f'<li><a href="#{page_label(path)}_{anchor}">{html.escape(title)}</a></li>'
                    for level, title, anchor in headings(self.texts[path]) if level == 2) + "</ol>"
            number = stem[:2] if stem[:2].isdigit() and stem[:2] != "00" else ""
            label = self.book.paths.label(path.name)
            return entry(page_file(path), self.book.title(path).replace("`", ""), number, inner, label)

        chapters = [path for path in self.pages[1:] if path.stem[:2].isdigit()]
        others = [path for path in self.pages[1:] if path not in chapters]
        reference = [entry(*item) for item in REFERENCE if (self.out / "html" / item[0]).exists()]
        sources = [entry(page_file(path), name) for name, path in self.book.sources.paths.items()]
        printed = [entry("moving-bytes.pdf", "All pages as a PDF")] * self.pdf
        if current in self.pages:
            groups = (("Book", [page(path) for path in chapters] + printed),
                      ("Guides", [page(path) for path in others]),
                      ("Reference", reference), ("Sources", sources))
        else:  # of which there are seven to a page of the book
            groups = (("Book", [entry("index.html", "Contents")]), ("Reference", reference),
                      ("Sources", sources if file.startswith("source_") else []))
        return "".join(f"<h2>{title}</h2><ul>{''.join(items)}</ul>" for title, items in groups if items)

    def pager(self, path):
        if path is None:
            return ""
        index, links = self.pages.index(path), []
        for step, word, rel in ((-1, "Previous", "prev"), (1, "Next", "next")):
            if 0 <= index + step < len(self.pages):
                other = self.pages[index + step]
                title = html.escape(self.book.title(other).replace("`", ""))
                links.append(f'<a rel="{rel}" href="{page_file(other)}"><span>{word}</span>{title}</a>')
        return f'<nav class="pager" aria-label="Previous and next">{"".join(links)}</nav>'

    def search_entries(self):
        """Each section of each page, and each documented name: title, page, address, text; of a section also words that
        stand for its page, and the names in its code."""
        entries = []
        for path, text in self.texts.items():
            title = self.book.title(path).replace("`", "")
            plain = re.sub(r"<!--.*?-->", " ", text, flags=re.DOTALL)
            blocks = iter(re.findall(r"```.*?```", plain, flags=re.DOTALL))
            plain = re.sub(r"```.*?```", " \0 ", plain, flags=re.DOTALL)  # a sign that no page has
            plain = re.sub(r"<[^>]+>|!\[[^\]]*\]\([^)]*\)", " ", plain)
            for part in re.split(r"^(?=#{1,2} )", plain, flags=re.MULTILINE):
                # The names that its code has: each once, as what is said of them is what one looks for.
                code = " ".join(dict.fromkeys(name for block in itertools.islice(blocks, part.count("\0"))
                                              for name in re.findall(r"[A-Za-z_]\w{3,}", block)))
                head, _, body = part.replace("\0", "").partition("\n")
                if not head.startswith("#"):
                    continue
                words = re.sub(r"[`*|#]|\]\([^)]*\)|:?--+:?", " ", body).replace("[", "")
                name, address = head.lstrip("# ").replace("`", ""), page_file(path)
                if head.startswith("##"):
                    address += f"#{page_label(path)}_{slug(head.lstrip('# '))}"
                file = "" if head.startswith("##") else path.stem.replace("_", " ")
                entries.append([name, title if name != title else "", address, " ".join(words.split()), file, code])
        for compound in ElementTree.parse(self.out / "reference.tag").getroot():
            if compound.get("kind") in ("class", "struct", "namespace"):
                owner = compound.findtext("name")
                entries.append([owner, "reference", compound.findtext("filename"), ""])
                entries += [[f"{owner}::{m.findtext('name')}", "reference",
                             f"{m.findtext('anchorfile')}#{m.findtext('anchor')}", ""]
                            for m in compound.findall("member")]
        return entries


def build_site(root, address="", pdf=False):
    """Builds the site, which will be served from the address, with `pdf` as one file too; returns what is wrong. It is
    made next to the one that is there, which it replaces when it is whole."""
    docs = Path(root).resolve() / "build" / "docs"
    docs.mkdir(parents=True, exist_ok=True)
    with locked(docs, lambda: print("Another ./run docs is at work here; waiting for it.", file=sys.stderr)):
        for left in docs.glob(".new-*"):  # of one that was killed
            shutil.rmtree(left)
        try:
            with tempfile.TemporaryDirectory(prefix=".new-", dir=docs) as new:
                return into_place(Site(docs.parents[1], Path(new), address.rstrip("/"), pdf), docs)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, None):  # None: of copytree(), which lists file, copy and why
                raise
            raise Refused(f"cannot write to {docs} ({error.strerror or error.args[0][0][2]}): is the disk full?") from error


def into_place(site, docs):
    """Makes the site and puts it into the folder, as soon as it can be read if none is there; returns what is wrong."""
    site.need_doxygen()
    pages, html, shown = site.write_pages(), docs / "html", False
    with concurrent.futures.ThreadPoolExecutor(1) as pool:  # Doxygen has work for one core
        modules = pool.submit(site.modules)
        problems = site.book.problems + site.run_doxygen(pages)
        site.finish()
        if not html.exists() and not site.pdf:
            shutil.copytree(site.out / "html", site.out / "first")
            (site.out / "first").rename(html)
            shown = tell(html, problems)
            print("Its figures answer once their modules are built: reload a page then.\n" * bool(site.explored), end="", file=sys.stderr)
        site.add_modules(*modules.result())
    if site.pdf:
        print_edition(site)
    if html.exists():
        html.rename(site.out / "before")
    (site.out / "html").rename(html)
    if site.said:
        print(site.said, file=sys.stderr)
    if not shown:
        tell(html, problems)
    print(f"The print edition is in {html / 'moving-bytes.pdf'}\n" * (site.pdf and not problems), end="")
    return problems


def tell(html, problems):
    """Says where the site is, if it is as it should be; whether it is."""
    print(f"The site is in {html / 'index.html'}\n" * (not problems), end="", flush=True)
    return not problems
