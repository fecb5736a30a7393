"""What the tests of the site share: where it is, a real browser, and what may be wrong with a page in it."""

import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from tools.parts import parts
from tools.site.print_edition import BROWSER, PACKER, QUIET

REPOSITORY = Path(__file__).resolve().parents[2]
SITE = REPOSITORY / "build" / "docs" / "html"
# Of things alike that the terminal's tests run all, a browser shows some in each commit, and all each night.
EVERYTHING = bool(os.environ.get("MOVING_BYTES_EVERYTHING"))
FIRST_OF_PARTS = [f"{first:02}" for first, _ in parts(REPOSITORY)]


def leave_out(why):
    """Ends the program as skipped."""
    print(f"skipped: {why}")
    sys.exit(77)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    leave_out("no browser test without selenium: apt-get install python3-selenium")

DRIVER = shutil.which("chromedriver")
if not BROWSER or not DRIVER or not PACKER:
    leave_out("no browser test without chromium and qpdf: apt-get install chromium chromium-driver qpdf")

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
// Figures of lanes and lanes of copies are scrolled on a phone, where their letters keep their size, and what a terminal printed where a
// terminal is wider.
const scrolled = ["main .scroll", "main .fragment:not(.plain)", innerWidth < 500 ? "main figure:not(:has(svg[width='960']))" : "main figure",
                  ...innerWidth < 864 ? [] : ["main .plain"]];
for (const box of document.querySelectorAll(scrolled.join())) if (wide(box)) tell("has to be scrolled", box);
for (const box of document.querySelectorAll("main .fragment")) {
  if (parseFloat(getComputedStyle(box).paddingLeft) < 8) tell("no padding", box);
  const code = box.getBoundingClientRect(), copy = box.parentElement.querySelector(".copy").getBoundingClientRect();
  if (copy.right > code.left && copy.left < code.right && copy.bottom > code.top && copy.top < code.bottom) tell("is below its button", box);
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


def start(width, height, *more):
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    folder = tempfile.mkdtemp()
    for argument in (*QUIET, *more, f"--user-data-dir={folder}", f"--window-size={width},{height}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(service=Service(DRIVER), options=options)
    return browser, folder


def pages():
    """All pages of the site, and those of the book."""
    every = sorted(SITE.glob("*.html"))
    return every, [path for path in every if path.name.startswith(("page_", "index"))]


class InBrowser(unittest.TestCase):
    """`self.book` are the pages of the book, `self.pages` those of the reference too."""

    @classmethod
    def setUpClass(cls):
        cls.pages, cls.book = pages()
        cls.browser, folder = start(1280, 900)
        cls.addClassCleanup(shutil.rmtree, folder, True)
        cls.addClassCleanup(cls.browser.quit)

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

    def until(self, condition):
        """Waits until the condition holds; fails when it does not come to."""
        WebDriverWait(self.browser, 10, 0.05).until(lambda _: condition())

    @classmethod
    def screen(cls, width, height=900):
        cls.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
