"""Builds the site, and prints it; what can be told of its files without opening them in a browser."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from tests.docs.site import REPOSITORY, SITE, pages
from tools.book.pages import Book
from tools.site import explore
from tools.site.print_edition import as_one


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        built = subprocess.run([sys.executable, "-m", "tools", "cpu", "docs", "--pdf"], cwd=REPOSITORY,
                               capture_output=True, text=True)
        if built.returncode:
            raise AssertionError("the site does not build:\n" + built.stderr)
        cls.pages, cls.book = pages()

    def test_it_is_no_larger_than_its_budget(self):
        # The compiler, whole chapters and the print edition are loaded when a reader requests them, and have budgets of their own.
        size = {"chapters": 0, "edit": 0, ".pdf": 0, "": 0}
        for path in SITE.rglob("*"):
            if path.is_file():
                within = path.relative_to(SITE).as_posix()
                kind = next((kind for kind, begin in (("chapters", "edit/chapters"), ("edit", "edit/")) if within.startswith(begin)),
                            ".pdf" if path.suffix == ".pdf" else "")
                size[kind] += path.stat().st_size
        self.assertLess(size[""], 18e6)
        self.assertLess(size[".pdf"], 15e6)
        self.assertLess(size["edit"], 120e6)
        self.assertLess(size["chapters"], 13e6)

    def test_what_has_not_changed_is_not_built_again(self):
        built = REPOSITORY / "build/browser"

        def times():
            return {path: path.stat().st_mtime_ns for folder in (".", "edit", "chapters") for kind in ("*.wasm", "*.pch.gz", "*.sum")
                    for path in (built / folder).glob(kind)}
        before = times()
        self.assertGreater(len(before), 50)
        with tempfile.TemporaryDirectory(dir=built) as folder:
            book = Book(REPOSITORY, build=REPOSITORY / "build")
            self.assertEqual(explore.modules(REPOSITORY, book.sources)[1], "")
            self.assertEqual(explore.editor(REPOSITORY, pathlib.Path(folder) / "edit"), "")
        self.assertEqual(times(), before)

    def test_the_print_edition_holds_every_page_and_links_within_itself(self):
        whole = as_one([SITE / "index.html", *(path for path in self.book if path.name != "index.html")])
        self.assertEqual(whole.count("<article "), len(self.book))
        body = whole.partition("<body>")[2]
        there = set(re.findall(r'\b(?:id|name)="([^"]+)"', body))
        for target in re.findall(r'<a [^>]*?href="([^"]*)"', body):
            self.assertTrue(re.match(r"[a-z]+:", target) or target[1:] in there, target)

    def test_the_print_edition_is_printed_with_the_picture_of_a_link(self):
        printed = (SITE / "moving-bytes.pdf").read_bytes()
        self.assertTrue(printed.startswith(b"%PDF-"))
        self.assertGreater(len(printed), 5e6)
        self.assertTrue((SITE / "preview.png").read_bytes().startswith(b"\x89PNG"))

    def test_no_link_is_dead(self):
        anchors = {path.name: set(re.findall(r'\b(?:id|name)="([^"]+)"', path.read_text("utf-8")))
                   for path in self.pages} | {"moving-bytes.pdf": set()}
        anchors |= {path.relative_to(SITE).as_posix(): set() for path in SITE.glob("reference/*.html")}
        dead = set()
        for path in self.pages:
            for target in re.findall(r'<a [^>]*href="([^"]+)"', path.read_text("utf-8")):
                file, _, anchor = target.partition("#")
                if re.match(r"[a-z]+:", target):
                    continue
                if (file or path.name) not in anchors or (
                        anchor and anchor not in anchors[file or path.name]):
                    dead.add(f"{path.name}: {target}")
        self.assertEqual(dead, set())

    def test_a_page_is_light_enough_and_says_what_it_is_about(self):
        titles = []
        for path in self.book:
            text = path.read_text("utf-8")
            with self.subTest(page=path.name):
                self.assertLess(len(text.encode()), 400_000)
                titles += re.findall(r"<title>(.*?)</title>", text.partition("<body>")[0])
                about = re.search(r'<meta name="description" content="([^"]+)">', text)
                self.assertTrue(30 < len(about[1]) <= 220, about[1])
                self.assertNotRegex(about[1], "moving-bytes-|<")
                self.assertNotIn("moving-bytes-", text)  # a mark that became nothing
                self.assertNotRegex(text, r"<em>[^<]*\*")  # two emphases that became one
                self.assertNotRegex(text, r"</code> ?\*\*|\*\* ?<code>")  # and one that did not become any
                self.assertIn(f'<meta property="og:description" content="{about[1]}">', text)
        self.assertEqual(len(titles), len(set(titles)))
        self.assertEqual(len(titles), len(self.book))

    def test_code_has_its_colours_and_a_link_to_it_leads_there(self):
        for name, page in (("26_bulk_copy", "source_26_bulk_copy.html"), ("17_gather", "source_17_gather_shuffle_hpp.html")):
            text = (SITE / f"page_{name}.html").read_text("utf-8")
            self.assertIn(f'href="{page}"', text)
            for shown in (text, (SITE / page).read_text("utf-8")):
                self.assertIn('<span class="k', shown)
