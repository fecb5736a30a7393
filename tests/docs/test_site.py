"""The site in a real browser: every page, both themes, a phone. Builds the site first, and prints it."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tools.site.print_edition import BROWSER, PACKER, QUIET, as_one

REPOSITORY = Path(__file__).resolve().parents[2]
SITE = REPOSITORY / "build" / "docs" / "html"
SKIPPED = 77

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    print("skipped: no browser test without selenium: apt-get install python3-selenium")
    sys.exit(SKIPPED)

DRIVER = shutil.which("chromedriver")
if not BROWSER or not DRIVER or not PACKER:
    print("skipped: no browser test without chromium and qpdf: apt-get install chromium chromium-driver qpdf")
    sys.exit(SKIPPED)

# WCAG 2: relative luminance of what is seen, over what lies behind it.
CONTRAST = """
const luminance = (c) => c.slice(0, 3).map((v) => v / 255)
    .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const parse = (text) => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
const behind = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const colour = parse(getComputedStyle(e).backgroundColor);
    if (colour.length < 4 || colour[3] === 1) return colour;
  }
  return [255, 255, 255];
};
const low = [];
const seen = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = seen.nextNode(); node; node = seen.nextNode()) {
  const element = node.parentElement;
  if (!node.textContent.trim() || !element.getClientRects().length
      || /^(STYLE|SCRIPT|TITLE)$/i.test(element.tagName)) continue;
  const style = getComputedStyle(element), drawn = element.namespaceURI.endsWith("svg");
  let ground = behind(element);
  if (drawn) { // the shape drawn last below the middle of the letters
    const box = element.getBoundingClientRect();
    const shapes = [...element.ownerSVGElement.querySelectorAll("rect, path")].filter((shape) => {
      const middle = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2);
      return getComputedStyle(shape).fill !== "none" && shape.getTotalLength
          && shape.isPointInFill(middle.matrixTransform(shape.getScreenCTM().inverse()))
          && shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
    });
    if (shapes.length) ground = parse(getComputedStyle(shapes.at(-1)).fill);
  }
  const [a, b] = [luminance(parse(drawn ? style.fill : style.color)), luminance(ground)];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) low.push(`${ratio.toFixed(2)}: ${node.textContent.trim().slice(0, 40)} <${element.className.baseVal ?? element.className}>`);
}
return [...new Set(low)];
"""

# What does not fit: told to each width, with all folds open.
FIT = r"""
const wide = (e) => e.scrollWidth > e.clientWidth + 1, said = [], root = document.documentElement;
const tell = (what, e) => said.push(`${what}: ${e.textContent.trim().replace(/\s+/g, " ").slice(0, 50)}`);
for (const fold of document.querySelectorAll("details")) fold.open = true;
if (root.scrollWidth > innerWidth) said.push(`the page scrolls sideways, to ${root.scrollWidth}`);
for (const box of document.querySelectorAll("main .scroll, main figure")) if (wide(box)) tell("has to be scrolled", box);
for (const box of document.querySelectorAll("main .fragment")) {
  if (wide(box)) tell("code has to be scrolled", box);
  if (innerWidth < 500 && box.matches(".plain, pre") && box.innerText.split("\n").filter((line) => line.length > 44 && /\S {3,}\S/.test(line)).length > 1) tell("columns that wrap", box);
  const head = box.querySelector(".line.head"); // a terminal's table, where it stands as it was printed
  for (const line of head?.getClientRects().length ? box.querySelectorAll(".line.head, .line.row") : [])
    if (line.getBoundingClientRect().height > 1.5 * parseFloat(getComputedStyle(line).lineHeight)) tell("columns that wrap", line);
  for (const line of box.querySelectorAll(".line")) {
    const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT), letter = document.createRange();
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const at = node.textContent.search(/\S/);
      if (at < 0 || !node.parentElement.getClientRects().length) continue;
      letter.setStart(node, at);
      letter.setEnd(node, at + 1);
      if (letter.getBoundingClientRect().top > line.getBoundingClientRect().top + 1.4 * parseFloat(getComputedStyle(line).fontSize)) tell("begins below an empty row", line);
      break;
    }
  }
  for (const cell of box.querySelectorAll(".cell")) if (cell.getBoundingClientRect().right > box.getBoundingClientRect().right) tell("a cell is cut", box);
  for (const line of box.matches(".plain") ? [] : box.querySelectorAll(".line")) { // which goes on below further in than it begins
    const range = document.createRange(), begin = line.textContent.search(/\S/);
    if (line.querySelector(".lineno") || begin < 0) continue;
    const text = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    let node = text.nextNode(), left = begin;
    while (left >= node.length) { left -= node.length; node = text.nextNode(); }
    range.setStart(node, left);
    range.setEndAfter(line.lastChild);
    const rows = [...range.getClientRects()].filter((row) => row.width > 1);
    if (rows.some((row) => row.top > rows[0].bottom - 2 && row.left < rows[0].left + 10)) tell("goes on no further in", line);
  }
  if (box.tagName === "PRE" && parseFloat(getComputedStyle(box).paddingLeft) < 8) tell("no padding", box);
  const code = box.getBoundingClientRect(), copy = box.parentElement.querySelector(".copy").getBoundingClientRect();
  if (copy.right > code.left && copy.left < code.right && copy.bottom > code.top && copy.top < code.bottom) tell("is below its button", box);
}
for (const arrow of document.querySelectorAll("main .option")) {
  if (arrow.textContent === "->" && arrow.getClientRects().length > 1) tell("an arrow breaks", arrow.parentElement);
}
for (const svg of document.querySelectorAll("main figure svg")) {
  if (!svg.getClientRects().length) continue;
  for (const text of svg.querySelectorAll("text")) {
    const size = parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    if (size < 7 || (innerWidth < 500 && size < 9)) { tell(`letters of ${size.toFixed(1)} pixels`, text); break; }
  }
}
for (const table of document.querySelectorAll("main .markdownTable")) {
  const room = table.parentElement.getBoundingClientRect();
  for (const name of innerWidth < 1280 ? [] : table.querySelectorAll("td code")) {
    if (!/\s/.test(name.textContent) && name.getClientRects().length > 1) tell("a name breaks", name);
  }
  for (const cell of table.querySelectorAll("td.key")) {
    const at = cell.getBoundingClientRect();
    if (at.width && at.right > room.right + 1) { tell("its GB/s are out of sight", table); break; }
  }
}
return said;
"""

# What is true of a page at any width.
FACTS = """
const all = (selector) => [...document.querySelectorAll(selector)], begin = (e) => e.textContent.trim().slice(0, 40);
const copied = [], ink = getComputedStyle(document.querySelector('main h1')).color;
navigator.clipboard.writeText = (text) => { copied.push(text); };
all('.copy').forEach((button) => button.click());
return {
  titles: all('h1').length, copied,
  figures: all('main figure svg:not(.narrow)').length,
  empty: all('main figure svg:not(.narrow)').filter((svg) => {
    const box = svg.getBoundingClientRect(), drawn = svg.getBBox();
    return box.width < 100 || box.height < 50 || drawn.width < 50 || drawn.height < 20 || !svg.getAttribute('aria-label');
  }).length,
  strangers: all('.fragment > *').filter((e) => !e.matches('.line, .gap, .remark, button') && e.offsetHeight > 0).map(begin),
  code: all('main code').map((code) => code.textContent),
  bare: all('main :is(h2, h3, h4)').filter((h) => !h.querySelector(`a.here[href='#${h.querySelector('[id]')?.id}']`)).map(begin),
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


def start(width, height):
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    folder = tempfile.mkdtemp()
    for argument in (*QUIET, f"--user-data-dir={folder}", f"--window-size={width},{height}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(service=Service(DRIVER), options=options)
    return browser, folder


class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        built = subprocess.run([sys.executable, "-m", "tools", "cpu", "docs", "--pdf"], cwd=REPOSITORY,
                               capture_output=True, text=True)
        if built.returncode:
            raise AssertionError("the site does not build:\n" + built.stderr)
        cls.pages = sorted(SITE.glob("*.html"))
        cls.book = [path for path in cls.pages if path.name.startswith(("page_", "index"))]
        cls.browser, folder = start(1280, 900)
        cls.addClassCleanup(shutil.rmtree, folder, True)
        cls.addClassCleanup(cls.browser.quit)
        cls.browser.get("about:blank")
        cls.browser.get_log("performance")  # of the browser's own first page
        cls.facts = {path.name: cls.visit(path) for path in cls.pages}

    @classmethod
    def visit(cls, path):
        """What the tests below want to know of a page, in one visit."""
        cls.browser.get(path.as_uri())
        told = {"errors": [entry["message"] for entry in cls.browser.get_log("browser") if entry["level"] == "SEVERE"],
                "outside": [url for url in cls.requests() if not url.startswith(("file:", "data:"))]}
        told |= cls.script(FACTS)
        if path in cls.book or path.name in ("classcommon_1_1Chapter.html", "source_03_coarsening.html"):
            for theme in ("light", "dark"):
                cls.theme(theme)
                told[theme] = cls.script(CONTRAST)
        if path not in cls.book:
            cls.screen(390)
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

    def assert_none(self, *facts):
        """No page has any of what these facts list."""
        for name, told in self.facts.items():
            for fact in facts:
                with self.subTest(page=name, fact=fact):
                    self.assertEqual(told.get(fact, []), [])

    def setUp(self):
        self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def open(self, name):
        self.browser.get((SITE / name).as_uri())

    @classmethod
    def script(cls, text, *arguments):
        return cls.browser.execute_script(text, *arguments)

    @classmethod
    def theme(cls, name):
        cls.script("document.documentElement.dataset.theme = arguments[0]", name)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    @classmethod
    def requests(cls):
        """Addresses asked for since the last call."""
        found = []
        for entry in cls.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def until(self, condition):
        """Waits until the condition holds; fails when it does not come to."""
        WebDriverWait(self.browser, 10, 0.05).until(lambda _: condition())

    def test_it_is_no_larger_than_its_budget(self):
        # The compiler, whole chapters and the print edition are loaded when a reader asks for them, and have budgets of their own.
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

    def test_every_page_loads_without_an_error_or_an_outside_request(self):
        self.assert_none("errors", "outside")
        self.assertEqual({told["titles"] for told in self.facts.values()}, {1})

    def test_figures_are_drawn_and_described(self):
        self.assertEqual({told["empty"] for told in self.facts.values()}, {0})
        self.assertGreater(sum(told["figures"] for told in self.facts.values()), 5)

    def test_a_code_block_shows_its_lines_and_nothing_else(self):
        self.assert_none("strangers")

    def test_text_has_enough_contrast_in_both_themes(self):
        self.assert_none("light", "dark")

    def test_every_page_fits_a_phone_a_tablet_and_two_desks(self):
        self.assert_none("390 pixels", "768 pixels", "1280 pixels", "1920 pixels")
        self.assertLessEqual(max(told.get("wide", 0) for told in self.facts.values()), 390)

    def test_paper_shows_all_of_a_page_and_nothing_to_press(self):
        self.assert_none("print")

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

    def test_each_heading_has_a_link_to_itself(self):
        for path in self.book:
            self.assertEqual(self.facts[path.name]["bare"], [], path.name)

    def test_a_caption_is_one_and_the_prose_behind_a_table_is_prose(self):
        self.assert_none("grey", "captions")

    def test_every_control_of_a_question_has_a_name(self):
        self.assert_none("unnamed")
        self.assertGreaterEqual(sum(told["forms"] for told in self.facts.values()), 51)

    def test_no_link_is_dead(self):
        anchors = {path.name: set(re.findall(r'\b(?:id|name)="([^"]+)"', path.read_text("utf-8")))
                   for path in self.pages} | {"moving-bytes.pdf": set()}
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

    @classmethod
    def screen(cls, width, height=900):
        cls.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})

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
                self.assertNotRegex(text, r"<code>[^<]* (--?\w|\d\d\.\d)")  # dashes or a point that may end a line
                self.assertIn(f'<meta property="og:description" content="{about[1]}">', text)
        self.assertEqual(len(titles), len(set(titles)))
        self.assertEqual(len(titles), len(self.book))

    def test_on_a_phone_a_remark_is_below_its_command_and_a_value_beside_its_heading(self):
        self.screen(390)
        self.open("page_00_introduction.html")
        shown = self.script("return document.querySelector('.fragment:has(.row)').innerText")
        self.assertRegex(shown, r"\badd\n")
        self.assertNotIn("effi-", shown)
        heads = self.script("return [...document.querySelectorAll('.row .cell')].map((cell) => cell.dataset.head)")
        self.assertEqual(heads, ["grid", "block", "launches", "load requests", "sectors/request", "efficiency",
                                 "store requests", "sectors/request", "efficiency", "divergent warps"])
        self.open("index.html")
        for typed, remark in self.script("return [...document.querySelectorAll('pre .remark')].map((remark) => "
                                         "[remark.parentElement.getBoundingClientRect().top, remark.getBoundingClientRect()])"):
            self.assertGreater(remark["top"], typed)
            self.assertLess(remark["left"], 80)

    def test_code_has_its_colours_and_a_link_to_it_leads_there(self):
        for name, page in (("26_bulk_copy", "source_26_bulk_copy.html"), ("17_gather", "source_problem_indices_hpp.html")):
            self.assertIn(f'href="{page}"', (SITE / f"page_{name}.html").read_text("utf-8"))
            self.assertIn('<span class="keyword', (SITE / page).read_text("utf-8"))
        for name, code in (("26_bulk_copy", "bulk"), ("41_halo_exchange", "smooth")):
            text = (SITE / f"page_{name}.html").read_text("utf-8")
            block = next(block for block in re.findall(r'<div class="fragment.*?<!-- fragment -->', text, re.DOTALL)
                         if re.search(rf"void.*{code}", block) and "lineno" in block)
            self.assertIn('<span class="keyword', block)

    def test_what_is_marked_as_code_is_code_and_nothing_else(self):
        for name in ("08_constant_memory", "12_unified_memory", "18_l2_persistence", "writing"):
            source = REPOSITORY / ("docs/guide" if name == "writing" else "book") / f"{name}.md"
            text = re.sub(r"^```.*?^```", "", source.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
            marked = {" ".join(code.split()) for code in re.findall(r"`((?:[^`\n]|\n(?!\n))+)`", text)}
            shown = self.facts[f"page_{name}.html"]["code"]
            self.assertEqual([code for code in shown if " ".join(code.split()) not in marked
                              and len(code.split()) > 4], [], name)

    def test_the_contents_count_as_the_chapters_do(self):
        self.open("index.html")
        for stem in (path.stem for path in (REPOSITORY / "book").glob("[0-9][0-9]_*.md")):
            if stem.startswith("00"):
                continue
            self.assertEqual(self.one(f"#nav a[href='page_{stem}.html'] .number").text, stem[:2])
            label = self.one(f"#nav a[href='page_{stem}.html'] small").text
            self.assertRegex(label, r"^(core|side) path, \d+ minutes$")
            self.assertIn(f"({label})", self.one(f"main li:has(> a[href='page_{stem}.html'])").text)
            self.assertEqual(self.script("return document.querySelector(`main ol > li > a[href='${arguments[0]}']`)"
                                         ".parentElement.value", f"page_{stem}.html"), int(stem[:2]))

    def test_the_contents_open_on_a_phone(self):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})
        self.open("page_03_coarsening.html")
        self.assertFalse(self.one("#nav").is_displayed())
        self.one("#menu").click()
        self.until(self.one("#nav a[href='page_01_basic_vecadd.html']").is_displayed)
        self.one("body").send_keys(Keys.ESCAPE)
        self.assertEqual(self.one("#menu").get_attribute("aria-expanded"), "false")

    def test_the_book_reads_on_by_next_from_the_first_page_to_the_last(self):
        self.open("index.html")
        seen = ["index.html"]
        while links := self.browser.find_elements(By.CSS_SELECTOR, ".pager a[rel=next]"):
            self.script("arguments[0].click()", links[0])
            seen.append(Path(self.browser.current_url).name)
        self.assertEqual(len(seen), len(set(seen)))
        self.assertEqual(sorted(seen), [path.name for path in self.book])

    def test_the_contents_mark_the_page_and_list_its_sections(self):
        self.open("page_03_coarsening.html")
        here = self.one("#nav [aria-current=page]")
        self.assertIn("page_03_coarsening.html", here.get_attribute("href"))
        self.one("#nav a[href='#page_03_coarsening_count-it']").click()
        top = self.script("return document.getElementById('page_03_coarsening_count-it')"
                          ".getBoundingClientRect().top")
        self.assertTrue(0 <= top < 400, top)

    def look_up(self, words):
        """The addresses that the search finds."""
        self.one("body").send_keys("/")
        field = self.browser.switch_to.active_element
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(words)
        self.until(self.one("#found").is_displayed)
        return [Path(link.get_attribute("href")).name
                for link in self.browser.find_elements(By.CSS_SELECTOR, "#found a")]

    def test_search_finds_prose_and_reference_by_keyboard(self):
        self.open("index.html")
        for words, address in (("bytes in flight", "page_glossary.html#page_glossary_bytes-in-flight"),
                               ("coalescing", "page_glossary.html#page_glossary_coalesced"),
                               ("TMA", "page_glossary.html#page_glossary_bulk-copy"),
                               ("latency hiding", "page_22_bytes_in_flight.html"),
                               ("roofline", "page_glossary.html#page_glossary_theoretical-peak"),
                               ("grid-stride loop", "page_glossary.html#page_glossary_persistent-grid"),
                               ("bank conflicts", "page_glossary.html#page_glossary_bank-conflict"),
                               ("coalesing", "page_glossary.html#page_glossary_coalesced"),  # letters left out or exchanged
                               ("bnadwidth", "page_glossary.html#page_glossary_bandwidth"),
                               ("float4", "page_05_float4.html"),
                               ("atomicAdd", "page_25_contention.html#page_25_contention_the-kernels")):  # in code alone
            self.assertIn(address, self.look_up(words)[:2], words)
            self.script("document.activeElement.blur()")
        self.assertFalse([address for address in self.look_up("coalescing")[:6] if "where-it-comes-from" in address])
        self.script("document.activeElement.blur()")
        self.assertRegex(self.look_up("Chapter::run")[0], "^classcommon_1_1Chapter.html#")
        self.script("document.activeElement.blur()")
        pages = [not address.startswith(("class", "struct", "namespace")) for address in self.look_up("launch")]
        self.assertEqual(pages, sorted(pages, reverse=True))
        self.assertTrue(pages[0])
        self.browser.switch_to.active_element.send_keys(Keys.ARROW_DOWN, Keys.ENTER)
        self.until(lambda: "index.html" not in self.browser.current_url)
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_escape_gives_the_focus_back_to_the_field(self):
        self.open("index.html")
        self.look_up("coalescing")
        self.browser.switch_to.active_element.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        self.assertEqual(self.browser.switch_to.active_element.tag_name, "a")
        self.browser.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("id"), "search")
        self.assertFalse(self.one("#found").is_displayed())

    def test_what_is_found_fits_a_phone(self):
        self.screen(390)
        self.open("index.html")
        self.script("document.getElementById('search').value = 'coalescing'; search()")
        self.until(self.one("#found").is_displayed)
        panel = self.script("return document.getElementById('found').getBoundingClientRect()")
        self.assertGreaterEqual(panel["left"], 0)
        self.assertLessEqual(panel["right"], 390)
        self.assertGreater(panel["width"], 350)

    def test_enter_opens_what_is_found_first(self):
        self.open("index.html")
        self.one("body").send_keys("/")
        self.browser.switch_to.active_element.send_keys("coalescing", Keys.ENTER)
        self.until(lambda: self.browser.current_url.endswith("/page_glossary.html#page_glossary_coalesced"))

    def test_the_theme_switches_and_is_kept(self):
        self.open("index.html")
        paper = "return getComputedStyle(document.body).backgroundColor"
        before = self.script(paper)
        self.one("#theme").click()
        after = self.script(paper)
        self.assertNotEqual(before, after)
        self.open("page_03_coarsening.html")
        self.assertEqual(self.script(paper), after)
        self.one("#theme").click()

    def test_copy_takes_the_code_without_its_line_numbers(self):
        self.open("page_03_coarsening.html")
        self.script("navigator.clipboard.writeText = (text) => { window.copied = text; };")
        box = next(box for box in self.browser.find_elements(By.CSS_SELECTOR, ".code-box")
                   if box.find_elements(By.CSS_SELECTOR, ".lineno"))
        self.script("arguments[0].click()", box.find_element(By.CSS_SELECTOR, ".copy"))
        copied = self.script("return window.copied")
        source = (REPOSITORY / "chapters/03_coarsening/03_coarsening.cu").read_text("utf-8")
        self.assertIn("__global__", copied)
        self.assertIn(copied, source)

    def test_a_copy_is_what_one_types_or_all_of_the_block_and_never_empty(self):
        for name, told in self.facts.items():
            for text in told["copied"]:
                self.assertRegex(text, r"\S", name)
                self.assertNotRegex(text, r"(?m)^\./run.*\S {2,}\S|^\$ | $", name)
        self.assertIn("./run\n./run 03\n./run exercise\n", self.facts["index.html"]["copied"])
        self.assertTrue(any("GB/s = " in text for text in self.facts["page_how_to_read.html"]["copied"]))

    def test_the_keyboard_comes_to_the_skip_link_first(self):
        self.open("index.html")
        self.one("body").send_keys(Keys.TAB)
        first = self.browser.switch_to.active_element
        self.assertEqual(first.text, "Skip to the text")
        self.assertGreaterEqual(first.location["x"], 0)

    def question(self, number):
        return self.browser.find_elements(By.CSS_SELECTOR, ".prediction")[number - 1]

    def verdict(self, number):
        return self.question(number).find_element(By.CSS_SELECTOR, ".verdict").text

    def press(self, number, words):
        button = next(button for button in self.question(number).find_elements(By.TAG_NAME, "button")
                      if words in (button.text, button.get_attribute("aria-label")))
        self.script("arguments[0].focus()", button)
        button.send_keys(Keys.ENTER)

    def forget(self):
        self.script("localStorage.removeItem('predictions'); localStorage.removeItem('predictions-damaged')")

    def await_record(self, words):
        self.until(lambda: words in self.script("return document.getElementById('record').innerText"))

    def test_pages_that_are_open_together_keep_each_others_answers(self):
        self.open("page_03_coarsening.html")
        self.forget()
        first = self.browser.current_window_handle
        self.browser.refresh()
        self.browser.switch_to.new_window("tab")
        try:
            self.open("page_01_basic_vecadd.html")
            self.question(1).find_elements(By.CSS_SELECTOR, "input")[0].send_keys(Keys.SPACE)
            self.press(1, "Check")
            self.browser.switch_to.window(first)
            self.until(lambda: self.script("return localStorage.getItem('predictions')") is not None)
            self.question(1).find_element(By.CSS_SELECTOR, "input").send_keys("16", Keys.ENTER)
            self.open("page_predictions.html")
            self.await_record("2 of ")
        finally:
            self.forget()
            for window in self.browser.window_handles:
                if window != first:
                    self.browser.switch_to.window(window)
                    self.browser.close()
            self.browser.switch_to.window(first)

    def test_a_reader_answers_sees_what_was_measured_and_finds_it_again(self):
        self.open("page_01_basic_vecadd.html")
        self.forget()
        self.browser.refresh()
        self.press(1, "Check")
        self.assertEqual(self.verdict(1), "Choose one of the answers first.")
        self.question(1).find_elements(By.CSS_SELECTOR, "input")[0].send_keys(Keys.SPACE)
        self.press(1, "Check")
        self.assertIn("Not so. You said “a tenth”; it is “three quarters”.", self.verdict(1))
        self.assertTrue(self.question(1).find_element(By.CSS_SELECTOR, "details p").is_displayed())
        field = self.question(2).find_element(By.CSS_SELECTOR, "input")
        for typed, said in (("many", "“many” is no number"), ("3,00 times", "Not near. You said 3,00 times; it is")):
            field.clear()
            field.send_keys(typed, Keys.ENTER)
            self.assertIn(said, self.verdict(2))
        self.press(2, "Answer again")
        self.assertEqual(self.verdict(2), "")
        field.clear()
        field.send_keys("300", Keys.ENTER)
        self.assertIn("Near. You said 300; it is", self.verdict(2))
        for theme in ("light", "dark"):
            self.theme(theme)
            self.assertEqual(self.script(CONTRAST), [])
        self.browser.refresh()
        self.assertIn("You said “a tenth”", self.verdict(1))
        self.assertTrue(self.question(1).find_elements(By.CSS_SELECTOR, "input")[0].is_selected())
        self.assertIn("You said 300", self.verdict(2))
        self.open("page_predictions.html")
        self.await_record("2 of ")  # it may have been read before the last answer was written
        record = self.one("#record").text
        self.assertRegex(record, r"2 of \d+ answered, 1 of them right or near")
        self.assertRegex(record, r"One thread, one element +3 +2 +1")
        self.assertIn("Not so. You said “a tenth”; it is “three quarters”.", record)
        for theme in ("light", "dark"):
            self.theme(theme)
            self.assertEqual(self.script(CONTRAST), [])
        forget = self.one("#record button")
        forget.click()
        self.assertEqual(forget.text, "Really forget 2 answers?")
        forget.click()
        self.assertIn("questions is answered yet", self.one("#record").text)
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_an_order_is_made_by_the_keyboard(self):
        self.open("page_02_threads_per_block.html")
        self.forget()
        self.browser.refresh()
        for _ in range(2):
            self.press(1, "Move 64 threads down")
        self.press(1, "Move 1024 threads up")
        rows = [row.text.split(" threads")[0] for row in self.question(1).find_elements(By.CSS_SELECTOR, ".rows li")]
        self.assertEqual(rows, ["128", "256", "64", "1024", "512"])
        self.press(1, "Check")
        self.assertIn("Not so. You said 128 threads, 256 threads, 64 threads, 1024 threads, 512 threads; it is", self.verdict(1))
        self.press(1, "Answer again")
        right = self.question(1).get_attribute("data-right").split(",")
        self.script("const rows = document.querySelector('.prediction .rows'); for (const place of arguments[0]) "
                    "rows.append(rows.querySelector(`[data-place='${place}']`));", right)
        self.press(1, "Check")
        self.assertIn("Right. You said", self.verdict(1))
        self.forget()

    def test_without_script_a_question_is_its_text_with_a_folded_answer(self):
        self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            self.open("page_03_coarsening.html")
        finally:
            self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, ".prediction form"), [])
        self.assertIn("How many sectors of 32 bytes does the warp's first load touch?", self.question(1).text)
        self.assertIn("exactly right counts", self.question(1).text)
        self.assertIn("yes: the kernel is at least as fast", self.question(2).text)
        fold = self.question(1).find_element(By.TAG_NAME, "details")
        self.assertNotIn("16 sectors", self.question(1).text)
        fold.find_element(By.TAG_NAME, "summary").click()
        self.assertIn("16 sectors.", fold.text)

    def test_a_damaged_record_is_said_and_kept(self):
        for text in ('{"03_coarsening.a": {"answer"', '{"a": 3}', "null"):
            # Before the page's own scripts and in its process: what another wrote may come too late.
            before = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
                "source": f"localStorage.setItem('predictions', {json.dumps(text)})"})
            self.open("page_predictions.html")
            self.browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", before)
            self.assertIn("It is put aside, and a new record begins.", self.one("#record").text)
            self.assertEqual(self.script("return localStorage.getItem('predictions-damaged')"), text)
            self.assertIsNone(self.script("return localStorage.getItem('predictions')"))
        self.forget()


if __name__ == "__main__":
    unittest.main()
