"""Results come from anywhere: what is no result is refused by a sentence, and no string of one is more than a word."""

import copy
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tests.docs.toy_book import ToyBook, row
from tests.script.toy_tree import REPOSITORY
from tests.whole_results import whole
from tools.results.schema import NotResults, load

CHAPTER = "05_float4"
GOOD = whole({"schema": 2, "chapter": CHAPTER, "device": {"backend": "gpu", "name": "NVIDIA H200"}, "rows": [row("float4", 2000.0)]})
HOSTILE = ("NVIDIA H200 <img src=x onerror=alert(1)>", "a `</code><script>alert(1)</script>", "[x](javascript:alert(1))",
           "\\htmlonly <b>", "@include /etc/passwd", "x | y\n\n# heading", "\x1b[2J", "&lt;script&gt;")


def changed(**fields):
    return {**copy.deepcopy(GOOD), **fields}


class Refused(unittest.TestCase):
    def wrong(self):
        yield from ([], {}, 5, None, "results", changed(rows=5), changed(rows=[{}]), changed(rows=[5]), changed(device=None),
                    changed(device={"name": 7}), changed(schema=1), changed(chapter=["05_float4"]))
        for name, value in (("share_of_peak", "x"), ("gb_per_s", []), ("time_ms", {"median": "fast"}), ("parameters", [1]),
                            ("variant", {}), ("cache", "warm"), ("counts", {"load_requests": -1}), ("bytes", 1.5)):
            made = changed()
            made["rows"][0][name] = value
            yield made

    def test_what_is_no_result_is_named_in_a_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "own.json")
            texts = [json.dumps(made) for made in self.wrong()] + ["", "{", "[" * 100000, '{"schema": NaN}']
            for text in texts:
                path.write_text(text)
                with self.subTest(text[:60]), self.assertRaises(NotResults) as refused:
                    load(path)
                self.assertIn("own.json", str(refused.exception))
                self.assertNotIn("\n", str(refused.exception))

    def test_what_is_one_is_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "own.json")
            path.write_text(json.dumps(GOOD))
            self.assertEqual(load(path), GOOD)

    def test_compare_book_and_site_end_with_2_and_no_traceback(self):
        book = ToyBook()
        self.addCleanup(book.folder.cleanup)
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
        with tempfile.TemporaryDirectory() as folder:
            for name, chapter in (("before", "05_float4"), ("after", "06_memcpy_vectorized")):
                Path(folder, name).mkdir()
                Path(folder, name, f"{chapter}.json").write_text(json.dumps(changed(chapter=chapter)))
            done = subprocess.run([REPOSITORY / "run", "compare", f"{folder}/before", f"{folder}/after"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("nothing was compared", done.stderr)


class Harmless(unittest.TestCase):
    def test_no_string_means_anything_to_markdown_html_doxygen_or_a_terminal(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "own.json")
            for text in HOSTILE:
                made = changed()
                made["device"].update(name=text, host_cpu=text)
                made["rows"][0]["variant"] = text
                made["rows"][0]["parameters"] = {text: text}
                path.write_text(json.dumps(made))
                whole_text = json.dumps(load(path), ensure_ascii=False)
                for forbidden in ("<", ">", "&", "`", "|", "\\n", "\\u001b", "[x]", "\\\\", "@include"):
                    self.assertNotIn(forbidden, whole_text)

    def test_the_device_of_a_reader_runs_no_script_on_a_page(self):
        book = ToyBook()
        self.addCleanup(book.folder.cleanup)
        device = {"backend": "gpu", "name": HOSTILE[0], "peak_gb_per_s": 160.0}
        book.results("gpu/results", "02_second", device, [row("two", 123.0)], "build")
        from tools.book.pages import Book
        rendered = Book(book.root, build=book.root / "build")
        text = rendered.render(book.path("book/02_second.md"))
        self.assertIn("onerror", text)  # the name is there, as a word
        self.assertNotIn("<img", text)
        for data in rendered.figures.values():
            self.assertNotIn("<img", json.dumps(data))

    def test_every_page_of_the_site_allows_its_own_scripts_alone(self):
        header = (REPOSITORY / "tools/site/header.html").read_text()
        policy = header[header.index("Content-Security-Policy"):]
        self.assertIn("default-src 'none'; script-src 'self';", policy[:policy.index(">")])
        self.assertNotIn("<script>", header + (REPOSITORY / "tools/site/footer.html").read_text())


if __name__ == "__main__":
    unittest.main()
