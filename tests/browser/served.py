"""The site, served as ./run docs --serve does it, in a real browser: what the tests of editing share."""

import shutil
import threading
import time
import unittest

from tests.docs.site import SITE, start
from tools.site.serve import server

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 120  # seconds: the compiler is a hundred megabytes, and the machine may have other work


class Served(unittest.TestCase):
    """`self.section` is what a test works on."""

    @classmethod
    def setUpClass(cls):
        cls.server = server(SITE)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)
        cls.browser, cls.folder = start(1280, 900)
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        cls.addClassCleanup(cls.browser.quit)

    def tearDown(self):
        self.assertEqual([entry["message"] for entry in self.browser.get_log("browser")], [])

    def go(self, page, section):
        self.browser.get(f"http://127.0.0.1:{self.server.server_port}/page_{page}.html")
        self.section = self.browser.find_element(By.ID, section)
        self.browser.execute_script("arguments[0].scrollIntoView()", self.section)

    def until(self, condition):
        return WebDriverWait(self.browser, PATIENCE).until(lambda _: condition())

    def press(self, words):
        button = next(button for button in self.section.find_elements(By.TAG_NAME, "button") if button.text == words)
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()

    def text(self, selector):
        return self.section.find_element(By.CSS_SELECTOR, selector).text

    def change(self, old, new):
        """As a reader would: in the editor, and not in what it was made of."""
        script = """
            const [section, old, fresh] = arguments, lines = [...section.querySelectorAll('.cm-line')];
            const line = lines.find((line) => line.textContent.includes(old));
            if (!line) return false;
            const range = document.createRange();
            range.selectNodeContents(line);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
            return document.execCommand('insertText', false, line.textContent.replace(old, fresh));
        """
        scroller = self.section.find_element(By.CSS_SELECTOR, ".cm-scroller")
        for top in range(0, 2000, 150):  # the editor makes the lines that are seen
            self.browser.execute_script("arguments[0].scrollTop = arguments[1]", scroller, top)
            time.sleep(0.2)
            if self.browser.execute_script(script, self.section, old, new):
                return
        self.fail(f"the editor shows no line with {old}")
