"""axe-core over every page of the book and a source, in both themes: it finds nothing.

It is fetched for this test alone, into build/axe, and no page loads it:
    npm install --prefix build/axe --no-save axe-core@4.14.1
"""

import shutil
import unittest

from tests.docs.site import CONTRAST, FIT, REPOSITORY, SITE, leave_out, start

AXE = REPOSITORY / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ["violations"], ...arguments[0] }).then(
  (found) => done(found.violations.map((v) => `${v.id}: ${v.help}: ${v.nodes[0].html.slice(0, 120)}`)), (e) => done([String(e)]));
"""


def look(test):
    """What test.browser shows fits three widths and has contrast in both themes; axe-core finds nothing, where it is."""
    for width in (390, 768, 1280):
        test.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        with test.subTest(width=width):
            test.assertEqual(test.browser.execute_script(FIT), [])
    test.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    for theme in ("light", "dark"):
        test.browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
        with test.subTest(theme=theme):
            test.assertEqual(test.browser.execute_script(CONTRAST), [])
    if AXE.exists():
        test.browser.execute_script(AXE.read_text("utf-8"))
        test.assertEqual(test.browser.execute_async_script(RUN, {}), [])
        test.browser.get_log("browser")  # axe requests the style sheet, which the page's policy refuses


def setUpModule():
    if not AXE.exists() or not (SITE / "index.html").exists():
        leave_out("no accessibility check without axe-core and the site: npm install --prefix build/axe --no-save "
                  "axe-core@4.14.1, ./run docs")


class Accessibility(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser, folder = start(1280, 900)
        cls.addClassCleanup(shutil.rmtree, folder, True)
        cls.addClassCleanup(cls.browser.quit)
        cls.browser.set_script_timeout(60)

    def findings(self, **options):
        return self.browser.execute_async_script(RUN, options)

    def open(self, path):
        self.browser.get(path.as_uri())
        self.browser.execute_script(AXE.read_text("utf-8"))

    def test_no_page_has_a_finding_in_either_theme(self):
        for path in (*sorted(SITE.glob("index.html")), *sorted(SITE.glob("page_*.html")), SITE / "source_03_coarsening.html"):
            self.open(path)
            for theme in ("light", "dark"):  # only the colours differ
                self.browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
                options = {"runOnly": ["color-contrast"]} if theme == "dark" else {}
                with self.subTest(page=path.name, theme=theme):
                    self.assertEqual(self.findings(**options), [])

    def test_it_would_find_a_picture_without_words_and_pale_letters(self):
        self.open(SITE / "index.html")
        self.browser.execute_script("document.querySelector('main').innerHTML = '<h1>x</h1><img src=\"data:,\">"
                                    "<p style=\"color: #ccc; background: #fff\">pale</p>'")
        found = " ".join(self.findings())
        self.assertIn("image-alt", found)
        self.assertIn("color-contrast", found)
