"""The slides have each figure of the book once, and nothing that they would have to fetch."""

import base64
import html
import pathlib
import re
import tempfile
import unittest

from tools.site.slides import slides_of, write_slides

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT = """# Title

*A question?*

## Where bytes go

![Drawing. "A" & b.](figures/a.svg)

*A caption with `code` and a [link](x.md).*

```
![No figure](figures/none.svg)
```

![Chart.](figures/b.svg)

Prose.
"""


class Slides(unittest.TestCase):
    def test_a_page_has_a_slide_for_its_title_and_one_for_each_figure(self):
        title, drawing, chart = slides_of(3, "Title", "A question?", TEXT, lambda name: name.encode())
        self.assertIn("<h1>3: Title</h1>\n<p>A question?</p>", title)
        self.assertIn("<h2>Where bytes go</h2>", drawing)
        self.assertIn('alt="Drawing. &quot;A&quot; &amp; b."', drawing)
        self.assertIn("<p>A caption with code and a link.</p>", drawing)
        self.assertIn(base64.b64encode(b"b.svg").decode(), chart)
        self.assertIn("<p></p>", chart)

    def test_a_page_without_figures_has_none(self):
        self.assertEqual(slides_of(0, "Title", None, "# Title\n\nProse.\n", None), [])

    def test_all_figures_of_the_book_are_there_and_nothing_is_fetched(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "new", "slides.html")
            count = write_slides(ROOT, file)
            text = file.read_text(encoding="utf-8")
        self.assertEqual(text.count("<section>"), count)
        shown = [html.unescape(alt) for alt in re.findall(r'<img alt="([^"]*)"', text)]
        pages = [path.read_text(encoding="utf-8") for path in (ROOT / "book").glob("*.md") if path.stem != "README"]
        self.assertEqual(sorted(shown), sorted(alt for page in pages for alt in re.findall(r"^!\[([^\]]*)\]\(figures/", page, re.M)))
        self.assertGreater(len(shown), 50)
        self.assertEqual(re.findall(r'(?:src|href)="(?!data:)[^"]*', text), [])


if __name__ == "__main__":
    unittest.main()
