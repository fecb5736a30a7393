"""The site: each page from its Markdown with the reader's own results, and the library's reference by Doxygen next to them."""

import concurrent.futures
import errno
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import pygments
from lxml import etree
from lxml.html import fragment_fromstring, parse, tostring
from lxml.html.builder import E
from markdown_it import MarkdownIt
from pygments.formatters import HtmlFormatter
from pygments.lexers import CudaLexer, DiffLexer, get_lexer_by_name

from tools.site import explore
from tools.book import predictions
from tools.book.markdown import headings, slug, without_code
from tools.book.pages import Book, drawer, up_to_date
from tools.files import locked
from tools.site.print_edition import print_edition
from tools.words import Refused

BEHIND = ("measurement", "exercises", "own_programs", "writing")  # pages of docs/guide/ that belong to the site
FILES = ("theme.js", "site.js", "predictions.js", "site.css")
SEARCH = Path("/usr/share/javascript/lunr/lunr.min.js")  # of Debian's libjs-lunr
SCRIPTS = ("editing.js", "requests.js", "figures.js", "exercises.js", "chapters.js", "playground.js")  # of browser/
REFERENCE = (("reference/classcommon_1_1Chapter.html", "The chapter class"), ("reference/namespacecommon.html", "Namespace common"),
             ("reference/namespacecpu__device.html", "Namespace cpu_device"), ("reference/annotated.html", "Classes"),
             ("reference/files.html", "Headers"))
SHOWN = (".cu", ".cuh", ".hpp", ".cpp")  # sources that the site shows when a page links to them
LEXERS = {"cpp": CudaLexer, "diff": DiffLexer}
ROOM = 44  # characters of a phone's line, in a table
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


def highlighted(code, language, _=None):
    """A block of code; without a language it is what a terminal shows."""
    if not language:
        return f'<pre class="fragment plain" role="group" aria-label="Code">{html.escape(code)}</pre>'
    lexer = LEXERS[language]() if language in LEXERS else get_lexer_by_name(language)
    made = pygments.highlight(code, lexer, HtmlFormatter(nowrap=True))
    return f'<pre class="fragment {language}" role="group" aria-label="Code">{made}</pre>'


MARKDOWN = MarkdownIt("commonmark", {"highlight": highlighted}).enable("table")
MARKDOWN.add_render_rule("code_block", lambda _, tokens, at, *__: highlighted(tokens[at].content, ""))  # one that is indented


def words(element):
    """What a reader sees of an element."""
    return " ".join(element.text_content().split())


def only_child(element, tag):
    """The child of that tag, if the element shows nothing else; or None."""
    found = element.find(tag) if element is not None and element.tag == "p" else None
    return found if found is not None and words(found) == words(element) else None


def is_number(text):
    """Whether a cell holds a number, which stays in one line with its unit."""
    return re.match(r"[-+]?\d[^a-zA-Z]*( in L2)?$", text)


def need(texts, head):
    """The longest word of a column."""
    parts = [part for text in texts for part in ([text] if is_number(text) else re.split(r"\s|(?<=[_/.])|::", text))]
    return max(map(len, [*parts, *head.split()]), default=0)


def exchange(old, new):
    """Puts an element into the place of another."""
    new.tail, old.tail = old.tail, None
    old.getparent().replace(old, new)
    return new


def question(attributes):
    """What opens the section of a question, with what its script needs."""
    told = " ".join(f'{key}="{html.escape(value)}"' for key, value in attributes.items())
    return f'<section class="prediction" {told}>'


def inlined(name, text, alt):
    """The SVG of a figure as a part of a page: its names are its own there, and its colours the page's."""
    text = re.sub(r"<style>svg\{--.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(href="|url\()#', rf"\1#{name}-", text)
    text = re.sub(r'(<svg[^>]*) role="img"', r"\1", text[text.index("<svg"):], count=1)
    return text.replace("<svg ", f'<svg role="img" aria-label="{html.escape(alt)}" ', 1)


class Site:
    def __init__(self, root, out, address="", pdf=False):
        self.root, self.out, self.address, self.pdf = root, out, address, pdf
        self.book = Book(root, build=root / "build")
        behind = [root / "docs" / "guide" / f"{name}.md" for name in BEHIND]
        self.pages = [self.book.directory / "README.md", *self.book.pages(),
                      *filter(Path.exists, behind)]
        self.texts = {}  # path -> Markdown with the reader's results
        self.shown = set(self.book.sources.paths.values())  # the sources that have a page
        # Whether figures have their module; if not, why.
        self.answers, self.said = False, "its modules are still being built; reload this page in a minute or two."

    def files(self):
        """The pages' names in reading order."""
        return [page_file(path) for path in self.pages]

    # --- a page ---------------------------------------------------------------------------------------

    def with_sections(self, path, text):
        """The Markdown, with HTML in the place of the markers that are more than a comment on the site."""
        of_page = enumerate(self.book.predictions.get(path, []), 1)

        def asked(match):
            number, made = next(of_page)
            return f"{question(predictions.attributes(made, path.stem, number))}\n\n{match[1]}\n\n</section>\n"
        text = self.markers(r"^<!--predict: .*?-->\n(.*?)^<!--/-->\n", asked, text)
        # The record is what a reader of the site comes for: it is not folded there.
        text = self.markers(r"^<!--predictions-->\n(.*?)^<!--/-->\n", lambda match: '<section id="record">\n\n' + re.sub(
            r"^</?details>.*\n", "", match[1], flags=re.MULTILINE) + "\n\n</section>\n", text)
        text = self.markers(r"^<!--explore: (\w+)-->$", lambda match: explore.section(
            self.root, self.book.sources, match[1], not self.said) if self.answers else "", text)
        text = self.markers(r"^<!--playground-->$", lambda _: explore.playground(self.root, self.said), text)
        if "\n<!--exercises-->\n" in text and re.match(r"\d\d_", path.stem):
            chapter = explore.chapter(self.root, path.stem, self.said)
            text = re.sub(r"^(?=## Exercises$)", lambda _: f"{chapter}\n\n", text, count=1, flags=re.MULTILINE)
        return self.markers(r"^<!--exercises-->\n.*?^<!--/-->\n", lambda match: match[0] + "\n" + (
            "" if self.said else explore.exercises(self.root, path.stem[:2])) + "\n\n", text)

    @staticmethod
    def markers(pattern, change, text):
        """The text with each marker of the pattern changed; what code shows is no marker."""
        clean = without_code(text)
        return re.sub(pattern, lambda match: change(match) if clean[text.index("<", match.start())] == "<" else match[0],
                      text, flags=re.MULTILINE | re.DOTALL)

    def page(self, path):
        """The content of a page, as a tree."""
        main = fragment_fromstring(MARKDOWN.render(self.with_sections(path, self.texts[path])), create_parent="div")
        for comment in list(main.iter(etree.Comment)):
            comment.drop_tree()
        self.set_headings(main, page_label(path))
        for link in list(main.iter("a")):
            self.set_link(link, path)
        for image in list(main.iter("img")):
            self.set_figure(image)
        for table in main.iter("table"):
            self.set_table(table)
        for items in main.iter("ol"):  # a list of chapters counts as the chapters do, also where a number is missing
            numbers = [re.match(r"page_(\d\d)_", link.get("href", "")) for link in items.xpath("./li/node()[1][self::a]")]
            if len(numbers) == len(items) and all(numbers):
                for item, number in zip(items, numbers):
                    item.set("value", str(int(number[1])))
        return main

    @staticmethod
    def set_headings(main, label):
        """Each heading links to itself; the question below the title is what a page opens with."""
        for heading in main.iter("h1", "h2", "h3", "h4", "h5", "h6"):
            if heading.tag == "h1":
                heading.set("class", "title")
                opening = only_child(heading.getnext(), "em")
                if opening is not None and not len(opening):
                    opening.getparent().set("class", "lede")
                continue
            heading.set("id", f"{label}_{slug(heading.text_content())}")
            link = E.a({"class": "here", "href": f"#{heading.get('id')}", "aria-label": f"Link to “{words(heading)}”"}, "#")
            heading.append(link)

    def set_link(self, link, path):
        """To a page of the site, to a source, or elsewhere; others are words."""
        target = link.get("href", "")
        if re.match("[a-z]+:", target) or link.get("class"):
            return
        file, _, anchor = target.partition("#")
        goal = (path.parent / file).resolve() if file else path
        if goal.suffix in SHOWN:
            self.shown.add(goal)
            link.set("href", page_file(goal))
        elif goal in self.texts:
            link.set("href", page_file(goal) + (f"#{page_label(goal)}_{anchor}" if anchor else ""))
        else:
            link.drop_tag()

    def set_figure(self, image):
        """A figure, with the emphasised paragraph below it as its caption. In its place a comment: to an HTML parser the names
        of SVG have no capitals."""
        figure = exchange(image.getparent(), E.figure(etree.Comment(f"figure {Path(image.get('src')).stem}")))
        caption = only_child(figure.getnext(), "em")
        if caption is not None:
            paragraph = caption.getparent()
            figure.append(E.figcaption(caption))
            paragraph.drop_tree()

    def svg(self, name):
        """A figure for the page itself: without its own colours, so that it follows the theme."""
        data, kept = self.book.figures[name], self.book.directory / "figures" / f"{name}.svg"
        text = kept.read_text("utf-8") if kept.exists() else ""
        if not up_to_date(text, data):
            text = drawer(data).draw(data)  # the reader's own results are in it
        return inlined(name, text, data["alt"])

    @staticmethod
    def set_table(table):
        """A table whose cells know their heading: on a phone those of a wide row stand below each other, with it. What stands
        below it in italics alone is its caption."""
        first, *rows = table.iter("tr")
        head = [words(cell) for cell in first]
        for cell in first:
            if words(cell):
                cell.set("scope", "col")
            else:
                cell.tag = "td"
        columns = [[words(row[at]) for row in rows] for at in range(len(head))]
        table.set("class", "markdownTable wide" if sum(map(need, columns, head)) + 2 * len(head) > ROOM else "markdownTable")
        for row in rows:
            for name, cell in zip(head, row):
                cell.set("data-head", name)
                cell.set("class", "number " * bool(is_number(words(cell))) + "key" * name.endswith("GB/s"))
        box = exchange(table, E.div({"class": "scroll", "role": "group", "aria-label": "Table"}))
        box.append(table)
        if only_child(box.getnext(), "em") is not None:
            box.getnext().set("class", "caption")

    # --- all of them ------------------------------------------------------------------------------------

    def read_pages(self):
        for path in self.pages:
            in_book = path.parent == self.book.directory
            self.texts[path] = self.book.render(path) if in_book else path.read_text("utf-8")
        self.explored = any("\n<!--explore: " in text for text in self.texts.values())

    def run_doxygen(self):
        """The reference; returns what Doxygen complains of."""
        settings = (self.root / "tools" / "site" / "Doxyfile").read_text("utf-8") + (
            f'\nOUTPUT_DIRECTORY = "{self.out}"\nGENERATE_TAGFILE = "{self.out / "reference.tag"}"\n')
        result = subprocess.run(["doxygen", "-"], cwd=self.root, input=settings, text=True,
                                capture_output=True)
        if shutil.disk_usage(self.out).free < 2 ** 20:  # Doxygen says nothing of a full disk, and leaves half a page
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        # A setting that one version has and another has not says nothing about the book.
        wrong = [line for line in result.stderr.splitlines() if re.search("warning:|error:", line)
                 and not re.match(r"warning: (Tag|argument|ignoring unsupported) ", line)]
        return wrong or ([result.stderr] if result.returncode else [])

    def write(self):
        """All but what add_modules() adds: until then no figure answers."""
        folder = self.out / "html"
        self.write_pages()
        for source in self.shown:
            name = source.stem if source.suffix == ".cu" else f"{source.parent.name}/{source.name}"
            made = f'<h1 class="title">Source of {name}</h1>' + highlighted(source.read_text("utf-8"), "cpp")
            self.write_page(page_file(source), None, f"Source of {name}", "", made)
        data = json.dumps(self.search_entries(), ensure_ascii=False, separators=(",", ":"))
        same = (self.root / "tools" / "site" / "synonyms.json").read_text("utf-8")
        (folder / "search_data.js").write_text(f"window.searchData={data};\nwindow.searchSynonyms={same.strip()};\n", "utf-8")
        for file in (SEARCH, *(self.root / "tools" / "site" / name for name in FILES), *(self.root / "browser" / name for name in SCRIPTS)):
            shutil.copy(file, folder)

    def write_pages(self):
        for path in self.pages:
            main = self.page(path)
            paragraph = next(main.iter("p"), None)
            made = re.sub("<!--figure (.*?)-->", lambda match: self.svg(match[1]), tostring(main, encoding="unicode"))
            self.write_page(page_file(path), path, words(main.find(".//h1")), "" if paragraph is None else words(paragraph), made)

    def write_page(self, file, path, title, first, main):
        page = (self.root / "tools" / "site" / "page.html").read_text("utf-8")
        for mark, piece in (("META", self.meta(file, path, title, first)), ("NAV", self.navigation(file, path)), ("MAIN", main + self.pager(path))):
            page = page.replace(f"<!--{mark}-->", piece)
        (self.out / "html" / file).write_text(page, encoding="utf-8")

    def add_modules(self, scripts, said):
        """Writes the pages that call them once more. `scripts` are those of the figures, None if there are none; `said` is why
        something is missing."""
        self.answers, self.said = scripts is not None, said
        if self.answers:
            folder = self.out / "html"
            explore.write(folder, scripts)
            shutil.copy(self.root / "browser" / "NOTICE.txt", folder)
            if (self.out / "edit").exists():
                (self.out / "edit").rename(folder / "edit")
        self.write_pages()

    def modules(self):
        """Builds the modules of figures, kernels and chapters; those of figures, and why something is missing."""
        scripts, said = explore.modules(self.root, self.book.sources) if self.explored else (None, "")
        if scripts is not None:
            said = explore.editor(self.root, self.out / "edit")
        return scripts, said

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
        reference = [entry(*item) for item in REFERENCE]
        sources = [entry(page_file(path), name) for name, path in self.book.sources.paths.items()]
        printed = [entry("moving-bytes.pdf", "All pages as a PDF")] * self.pdf
        if current is None:  # a source, of which there are two to a page of the book
            groups = (("Book", [entry("index.html", "Contents")]), ("Reference", reference), ("Sources", sources))
        else:
            groups = (("Book", [page(path) for path in chapters] + printed), ("Guides", [page(path) for path in others]),
                      ("Reference", reference), ("Sources", sources))
        return "".join(f"<h2>{title}</h2><ul>{''.join(items)}</ul>" for title, items in groups)

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
        for path in self.pages:
            main = parse(str(self.out / "html" / page_file(path))).find(".//main")
            title = main.find(".//h1").text_content()
            section = [title, "", page_file(path), "", path.stem.replace("_", " "), {}]
            for element in main.find("div"):
                if element.tag == "h2":
                    entries.append(section)
                    section = [element.text_content().removesuffix("#"), title, f"{page_file(path)}#{element.get('id')}", "", "", {}]
                    continue
                for code in element.xpath("descendant-or-self::*[contains(@class, 'fragment')]"):
                    section[5] |= dict.fromkeys(re.findall(r"[A-Za-z_]\w{3,}", code.text_content()))
                    code.text, code[:] = "", []
                section[3] += f" {' '.join(element.text_content().split())}"
            entries.append(section)
        for entry in entries:
            entry[5] = " ".join(entry[5])  # each once, as what is said of them is what one looks for
        for compound in ElementTree.parse(self.out / "reference.tag").getroot():
            if compound.get("kind") in ("class", "struct", "namespace"):
                owner = compound.findtext("name")
                entries.append([owner, "reference", f"reference/{compound.findtext('filename')}", ""])
                entries += [[f"{owner}::{m.findtext('name')}", "reference",
                             f"reference/{m.findtext('anchorfile')}#{m.findtext('anchor')}", ""]
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
    html, shown = docs / "html", False
    site.read_pages()
    (site.out / "html").mkdir()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:  # Doxygen has work for one core
        modules = pool.submit(site.modules)
        problems = site.book.problems + site.run_doxygen()
        site.write()
        if not html.exists() and not site.pdf:
            shutil.copytree(site.out / "html", site.out / "first")
            (site.out / "first").rename(html)
            shown = tell(html, problems)
            print("Its figures answer once their modules are built: reload a page then.\n" * site.explored, end="", file=sys.stderr)
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
