"""Results come from anywhere: what is no result is refused by a sentence, and no string of one is more than a word."""

import copy
import json
import subprocess
import sys
from unittest import mock
from xml.etree import ElementTree

from tests.docs.toy_book import ToyBook, row
from tests.folder import FolderTest
from tests.script.toy_tree import REPOSITORY
from tests.whole_results import whole
from tools.book import pages, predictions
from tools.results import schema
from tools.results.schema import NotResults, load
from tools.site import site_pages

CHAPTER = "05_float4"
GOOD = whole({"schema": 2, "chapter": CHAPTER, "device": {"backend": "gpu", "name": "NVIDIA H200"}, "rows": [row("float4", 2000.0)]})
HOSTILE = ("NVIDIA H200 <img src=x onerror=alert(1)>", "a `</code><script>alert(1)</script>", "[x](javascript:alert(1))",
           "\\htmlonly <b>", "@include /etc/passwd", "x | y\n\n# heading", "\x1b[2J", "&lt;script&gt;")


def changed(**fields):
    return {**copy.deepcopy(GOOD), **fields}


class Refused(FolderTest):
    def wrong(self):
        yield from ([], {}, 5, None, "results", changed(rows=5), changed(rows=[{}]), changed(rows=[5]), changed(device=None),
                    changed(device={"name": 7}), changed(schema=1), changed(chapter=["05_float4"]))
        for name, value in (("share_of_peak", "x"), ("gb_per_s", []), ("time_ms", {"median": "fast"}), ("parameters", [1]),
                            ("variant", {}), ("cache", "warm"), ("counts", {"load_requests": -1}), ("bytes", 1.5)):
            made = changed()
            made["rows"][0][name] = value
            yield made

    def test_what_is_no_result_is_named_in_a_sentence(self):
        texts = [json.dumps(made) for made in self.wrong()] + ["", "{", "[" * 100000, '{"schema": NaN}']
        for text in texts:
            path = self.write("own.json", text)
            with self.subTest(text[:60]), self.assertRaises(NotResults) as refused:
                load(path)
            self.assertIn("own.json", str(refused.exception))
            self.assertNotIn("\n", str(refused.exception))

    def test_what_is_one_is_taken(self):
        self.assertEqual(load(self.write("own.json", GOOD)), GOOD)

    def test_compare_book_and_site_end_with_2_and_no_traceback(self):
        book = ToyBook(self)
        for made in (changed(rows=5), []):
            own = book.path("own.json")
            own.write_text(json.dumps(made))
            (book.path("book/results/nvidia-h200/01_first.json")).write_text(json.dumps(made))
            for command in (["compare", str(own)], ["book", "--check", "--root", str(book.root)],
                            ["predict", "--root", str(book.root)]):
                done = subprocess.run([sys.executable, "-B", "-m", "tools", "cpu", *command], cwd=REPOSITORY,
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn("does not hold results", done.stderr)

    def test_no_chapter_in_common_is_no_success(self):
        chapters = ("05_float4", "06_memcpy_vectorized")
        folders = [self.write(f"{chapter}/{chapter}.json", changed(chapter=chapter)).parent for chapter in chapters]
        done = subprocess.run([REPOSITORY / "run", "compare", *folders], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("nothing was compared", done.stderr)


class Harmless(FolderTest):
    def test_no_string_means_anything_to_markdown_html_doxygen_or_a_terminal(self):
        for text in HOSTILE:
            made = changed()
            made["device"].update(name=text, host_cpu=text)
            made["rows"][0]["variant"] = text
            made["rows"][0]["parameters"] = {text: text}
            whole_text = json.dumps(load(self.write("own.json", made)), ensure_ascii=False)
            for forbidden in ("<", ">", "&", "`", "|", "\\n", "\\u001b", "[x]", "\\\\", "@include"):
                self.assertNotIn(forbidden, whole_text)

    def test_the_device_of_a_reader_runs_no_script_on_a_page(self):
        book = ToyBook(self)
        device = {"backend": "gpu", "name": HOSTILE[0], "peak_gb_per_s": 160.0}
        book.results("gpu/results", "02_second", device, [row("two", 123.0)], "build")
        rendered = pages.Book(book.root, build=book.root / "build")
        text = rendered.render(book.path("book/02_second.md"))
        self.assertIn("onerror", text)  # the name is there, as a word
        self.assertNotIn("<img", text)
        for data in rendered.figures.values():
            self.assertNotIn("<img", json.dumps(data))

    def test_where_a_string_enters_a_figure_or_a_page_it_is_escaped_there_too(self):
        """Without what makes strings harmless: names of kernels are not changed, as copy<float> is one."""
        for text in HOSTILE[:3] + ('" onload="alert(1)', "' onload='alert(1)", "</title><script>alert(1)</script>"):
            for data in self.figures(text):
                drawn = site_pages.inlined("figure", pages.drawer(data).draw(data), data["alt"])
                elements = list(ElementTree.fromstring(drawn).iter())
                self.assertNotIn("script", {element.tag.rpartition("}")[2] for element in elements})
                self.assertNotIn("img", {element.tag.rpartition("}")[2] for element in elements})
                self.assertFalse([name for element in elements for name in element.attrib if name.startswith("on")])
            asked = predictions.Prediction("which", "Which?", "choice", [text], shown=text, right=[0])
            section = ElementTree.fromstring(site_pages.question(predictions.attributes(asked, "page", 1)) + "</section>")
            self.assertEqual(set(section.attrib), {"class", "data-id", "data-number", "data-kind", "data-shown", "data-right"})

    @staticmethod
    def figures(text):
        """The data of each kind of figure, with the text wherever a result can have one."""
        with mock.patch.object(schema, "harmless", lambda value: value):
            book = ToyBook()
            device = {"backend": "gpu", "name": text, "peak_gb_per_s": 160.0}
            book.results("gpu/results", "02_second", device, [row("two", 123.0), row(text, 99.0)], "build")
            rendered = pages.Book(book.root, build=book.root / "build")
            rendered.render(book.path("book/02_second.md"))
            book.folder.cleanup()
            yield from rendered.figures.values()
        yield {"kind": "timeline", "alt": text, "title": text, "subtitle": text, "end": text,
               "bars": [{"engine": "compute", "stream": 1, "start_ms": 0, "end_ms": 2, "label": text}]}

    def test_every_page_of_the_site_allows_its_own_scripts_alone(self):
        page = (REPOSITORY / "tools/site/page.html").read_text()
        policy = page[page.index("Content-Security-Policy"):]
        self.assertIn("default-src 'none'; script-src 'self' 'wasm-unsafe-eval';", policy[:policy.index(">")])
        self.assertNotIn("<script>", page)
