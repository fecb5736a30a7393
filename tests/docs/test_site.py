"""The site in a real browser: every page, both themes, a phone. Builds the site first.

Screenshots of three pages stay in build/docs/screenshots.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SITE = REPOSITORY / "build" / "docs" / "html"
SCREENSHOTS = REPOSITORY / "build" / "docs" / "screenshots"
SKIPPED = 77

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("skipped: no browser test without selenium: apt-get install python3-selenium")
    sys.exit(SKIPPED)

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
if not BROWSER or not DRIVER:
    print("skipped: no browser test without chromium: apt-get install chromium chromium-driver")
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
      const r = shape.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
      return getComputedStyle(shape).fill !== "none" && shape.getTotalLength && r.x <= x
          && x <= r.right && r.y <= y && y <= r.bottom
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

EMPTY = """return [...document.querySelectorAll('main figure svg')].filter((svg) => {
  const box = svg.getBoundingClientRect(), drawn = svg.getBBox();
  return box.width < 100 || box.height < 50 || drawn.width < 50 || drawn.height < 20
      || !svg.getAttribute('aria-label');
}).length"""


def start(width, height):
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    folder = tempfile.mkdtemp()
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                     "--no-first-run", "--disable-background-networking",
                     "--disable-component-update", "--disable-sync", "--hide-scrollbars",
                     "--disable-dev-shm-usage", f"--user-data-dir={folder}",
                     f"--window-size={width},{height}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(service=Service(DRIVER), options=options)
    return browser, folder


class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        began = time.monotonic()
        built = subprocess.run([sys.executable, str(REPOSITORY / "docs" / "bookmaker"), "--site"],
                               capture_output=True, text=True)
        cls.seconds = time.monotonic() - began
        if built.returncode:
            raise AssertionError("the site does not build:\n" + built.stderr)
        cls.pages = sorted(SITE.glob("*.html"))
        cls.book = [path for path in cls.pages if path.name.startswith(("page_", "index"))]
        cls.browser, folder = start(1280, 900)
        cls.addClassCleanup(shutil.rmtree, folder, True)
        cls.addClassCleanup(cls.browser.quit)
        SCREENSHOTS.mkdir(exist_ok=True)
        cls.browser.get("about:blank")
        cls.browser.get_log("performance")  # of the browser's own first page

    def setUp(self):
        self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def open(self, name):
        self.browser.get((SITE / name).as_uri())

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def theme(self, name):
        self.script("document.documentElement.dataset.theme = arguments[0]", name)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def requests(self):
        """Addresses asked for since the last call."""
        found = []
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def test_it_is_built_within_its_budget(self):
        size = sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file())
        self.assertLess(size, 30e6)

    def test_every_page_loads_without_an_error_or_an_outside_request(self):
        for path in self.pages:
            self.open(path.name)
            with self.subTest(page=path.name):
                errors = [entry["message"] for entry in self.browser.get_log("browser")
                          if entry["level"] == "SEVERE"]
                self.assertEqual(errors, [])
                outside = [url for url in self.requests() if not url.startswith(("file:", "data:"))]
                self.assertEqual(outside, [])
                self.assertEqual(len(self.browser.find_elements(By.TAG_NAME, "h1")), 1)

    def test_no_link_is_dead(self):
        anchors = {path.name: set(re.findall(r'\b(?:id|name)="([^"]+)"', path.read_text("utf-8")))
                   for path in self.pages}
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

    def test_figures_are_drawn_and_described(self):
        drawn = 0
        for path in self.book:
            self.open(path.name)
            self.assertEqual(self.script(EMPTY), 0, path.name)
            drawn += len(self.browser.find_elements(By.CSS_SELECTOR, "main figure svg"))
        self.assertGreater(drawn, 5)

    def test_a_code_block_shows_its_lines_and_nothing_else(self):
        for path in self.book:
            self.open(path.name)
            strangers = self.script(
                "return [...document.querySelectorAll('.fragment > *')]"
                ".filter(e => !e.matches('.line, button') && e.offsetHeight > 0)"
                ".map(e => e.className + ': ' + e.textContent.slice(0, 40))")
            self.assertEqual(strangers, [], path.name)

    def test_text_has_enough_contrast_in_both_themes(self):
        for path in [*self.book, SITE / "classcommon_1_1Chapter.html",
                     SITE / "source_03_coarsening.html"]:
            self.open(path.name)
            for theme in ("light", "dark"):
                self.theme(theme)
                with self.subTest(page=path.name, theme=theme):
                    self.assertEqual(self.script(CONTRAST), [])

    def test_no_page_scrolls_sideways_on_a_phone(self):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})
        for path in self.pages:
            self.open(path.name)
            with self.subTest(page=path.name):
                self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), 390)

    def test_the_contents_open_on_a_phone(self):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})
        self.open("page_03_coarsening.html")
        self.assertFalse(self.one("#nav").is_displayed())
        self.one("#menu").click()
        time.sleep(0.4)  # it slides in
        self.assertTrue(self.one("#nav a[href='page_01_basic_vecadd.html']").is_displayed())
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

    def test_search_finds_prose_and_reference_by_keyboard(self):
        self.open("index.html")
        for words, address in (("bytes in flight", "page_glossary.html"),
                               ("Chapter::run", "classcommon_1_1Chapter.html")):
            self.one("body").send_keys("/")
            field = self.browser.switch_to.active_element
            field.send_keys(Keys.CONTROL, "a")
            field.send_keys(words)
            time.sleep(0.4)
            links = self.browser.find_elements(By.CSS_SELECTOR, "#found a")
            self.assertIn(address, [Path(link.get_attribute("href").split("#")[0]).name
                                    for link in links], words)
            self.script("document.activeElement.blur()")
        self.one("body").send_keys("/")
        self.browser.switch_to.active_element.send_keys(Keys.ARROW_DOWN, Keys.ENTER)
        time.sleep(0.4)
        self.assertNotIn("index.html", self.browser.current_url)
        self.assertEqual(self.browser.get_log("browser"), [])

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

    def test_every_control_of_a_question_has_a_name(self):
        controls = 0
        for path in self.book:
            self.open(path.name)
            bare = self.script(
                "return [...document.querySelectorAll('.prediction input, .prediction button, #record button')]"
                ".filter((c) => !(c.getAttribute('aria-label') || c.textContent.trim() || c.labels?.[0]?.textContent.trim()))"
                ".map((c) => c.outerHTML)")
            self.assertEqual(bare, [], path.name)
            controls += len(self.browser.find_elements(By.CSS_SELECTOR, ".prediction form"))
        self.assertGreaterEqual(controls, 51)

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
        self.open("page_03_coarsening.html")
        for text in ('{"03_coarsening.a": {"answer"', '{"a": 3}', "null"):
            self.script("localStorage.setItem('predictions', arguments[0])", text)
            self.open("page_predictions.html")
            self.assertIn("It is put aside, and a new record begins.", self.one("#record").text)
            self.assertEqual(self.script("return localStorage.getItem('predictions-damaged')"), text)
            self.assertIsNone(self.script("return localStorage.getItem('predictions')"))
        self.forget()

    def test_three_pages_for_the_eye(self):
        for name, theme, width in (("index.html", "light", 1280),
                                   ("page_03_coarsening.html", "light", 1280),
                                   ("page_03_coarsening.html", "dark", 390)):
            self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 500})
            self.open(name)
            self.theme(theme)
            height = self.script("return document.documentElement.scrollHeight")
            self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
            path = SCREENSHOTS / f"{Path(name).stem}-{theme}-{width}.png"
            self.assertTrue(self.browser.save_screenshot(str(path)))


if __name__ == "__main__":
    unittest.main()
