"""Every page of the site in a real browser: four widths, both themes, paper. book.site builds it."""

import json
import re

from tests.docs.site import CONTRAST, FIT, REPOSITORY, InBrowser

# What is true of a page at any width.
FACTS = """
const all = (selector) => [...document.querySelectorAll(selector)], begin = (e) => e.textContent.trim().slice(0, 40);
const copied = [], ink = getComputedStyle(document.querySelector('main h1')).color;
navigator.clipboard.writeText = (text) => { copied.push(text); };
all('.copy').forEach((button) => button.click());
return {
  titles: all('h1').length, copied,
  figures: all('main figure svg').length,
  empty: all('main figure svg').filter((svg) => {
    const box = svg.getBoundingClientRect(), drawn = svg.getBBox();
    return box.width < 100 || box.height < 50 || drawn.width < 50 || drawn.height < 20 || !svg.getAttribute('aria-label');
  }).length,
  code: all('main code').map((code) => code.textContent),
  bare: all('main :is(h2, h3, h4)').filter((h) => !h.querySelector(`a.here[href='#${h.id}']`)).map(begin),
  grey: all('.scroll + p, figure + p').filter((p) => !p.matches('.caption') && getComputedStyle(p).color !== ink).map(begin),
  captions: all('.caption, figcaption').filter((c) => begin(c.querySelector('em') ?? document.head) !== begin(c)).map(begin),
  forms: all('.prediction form').length,
  unnamed: all('.prediction input, .prediction button, #record button').filter((c) => !(c.getAttribute('aria-label')
    || c.textContent.trim() || c.labels?.[0]?.textContent.trim())).map((c) => c.outerHTML),
};"""

PRINTED = """const said = [];
for (const box of document.querySelectorAll("main, main .fragment, main .scroll, main figure")) {
  if (box.scrollWidth > box.clientWidth + 2) said.push(`cut: ${box.textContent.trim().slice(0, 40)}`);
  if (/auto|scroll/.test(getComputedStyle(box).overflowX)) said.push(`has a bar: ${box.className}`);
}
for (const fold of document.querySelectorAll("details")) {
  const last = fold.lastElementChild;
  if (!last.checkVisibility({ contentVisibilityAuto: true }) || !last.getBoundingClientRect().height) said.push("a fold is shut");
}
for (const button of document.querySelectorAll("button")) if (button.getClientRects().length) said.push("a button");
if (getComputedStyle(document.body).backgroundColor !== "rgb(255, 255, 255)") said.push("dark");
return [...new Set(said)];"""


class Pages(InBrowser):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser.get("about:blank")
        cls.browser.get_log("performance")  # of the browser's own first page
        cls.facts = {path.name: cls.visit(path) for path in cls.book}
        cls.screen(390)
        cls.facts |= {path.name: cls.visit(path) for path in cls.pages if path not in cls.book}

    @classmethod
    def visit(cls, path):
        """What the tests below want to know of a page, in one visit; of a source, on a phone."""
        cls.browser.get(path.as_uri())
        told = {"errors": [entry["message"] for entry in cls.browser.get_log("browser") if entry["level"] == "SEVERE"],
                "outside": [url for url in cls.requests() if not url.startswith(("file:", "data:"))]}
        told |= cls.script(FACTS)
        if path in cls.book or path.name == "source_03_coarsening.html":
            for theme in ("light", "dark"):
                cls.theme(theme)
                told[theme] = cls.script(CONTRAST)
        if path not in cls.book:
            told["wide"] = cls.script("return document.documentElement.scrollWidth")
        else:
            cls.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
            cls.screen(672)  # A4 less its margins
            told["print"] = cls.script(PRINTED)
            cls.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
            for width in (390, 768, 1280, 1920):  # opens the folds
                cls.screen(width)
                told[f"{width} pixels"] = cls.script(FIT)
            cls.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        return told

    @classmethod
    def requests(cls):
        """Addresses requested since the last call."""
        found = []
        for entry in cls.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def assert_none(self, *facts):
        """No page has any of what these facts list."""
        for name, told in self.facts.items():
            for fact in facts:
                with self.subTest(page=name, fact=fact):
                    self.assertEqual(told.get(fact, []), [])

    def test_every_page_loads_without_an_error_or_an_outside_request(self):
        self.assert_none("errors", "outside")
        self.assertEqual({told["titles"] for told in self.facts.values()}, {1})

    def test_figures_are_drawn_and_described(self):
        self.assertEqual({told["empty"] for told in self.facts.values()}, {0})
        self.assertGreater(sum(told["figures"] for told in self.facts.values()), 5)

    def test_text_has_enough_contrast_in_both_themes(self):
        self.assert_none("light", "dark")

    def test_every_page_fits_a_phone_a_tablet_and_two_desks(self):
        self.assert_none("390 pixels", "768 pixels", "1280 pixels", "1920 pixels")
        self.assertLessEqual(max(told.get("wide", 0) for told in self.facts.values()), 390)

    def test_paper_shows_all_of_a_page_and_nothing_to_press(self):
        self.assert_none("print")

    def test_each_heading_has_a_link_to_itself(self):
        for path in self.book:
            self.assertEqual(self.facts[path.name]["bare"], [], path.name)

    def test_a_caption_is_one_and_the_prose_behind_a_table_is_prose(self):
        self.assert_none("grey", "captions")

    def test_every_control_of_a_question_has_a_name(self):
        self.assert_none("unnamed")
        self.assertGreaterEqual(sum(told["forms"] for told in self.facts.values()), 51)

    def test_what_is_marked_as_code_is_code_and_nothing_else(self):
        for name in ("08_constant_memory", "12_unified_memory", "18_l2_persistence", "writing"):
            source = REPOSITORY / ("docs/guide" if name == "writing" else "book") / f"{name}.md"
            text = re.sub(r"^```.*?^```", "", source.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
            marked = {" ".join(code.split()) for code in re.findall(r"`((?:[^`\n]|\n(?!\n))+)`", text)}
            shown = self.facts[f"page_{name}.html"]["code"]
            self.assertEqual([code for code in shown if " ".join(code.split()) not in marked
                              and len(code.split()) > 4], [], name)

    def test_a_copy_is_what_one_types_or_all_of_the_block_and_never_empty(self):
        for name, told in self.facts.items():
            for text in told["copied"]:
                self.assertRegex(text, r"\S", name)
                self.assertNotRegex(text, r"(?m)^\./run.*\S {2,}\S|^\$ | $", name)
        self.assertIn("./run 03\n./run exercise\n", self.facts["index.html"]["copied"])
        self.assertTrue(any("GB/s = " in text for text in self.facts["page_how_to_read.html"]["copied"]))
