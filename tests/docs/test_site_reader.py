"""The site in a real browser, as a reader uses it: contents, search, theme, copying, questions. book.site builds it."""

import json
from pathlib import Path

from tests.docs.site import CONTRAST, REPOSITORY, InBrowser

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


class Reader(InBrowser):
    def test_the_contents_count_as_the_chapters_do(self):
        self.open("index.html")
        for stem in (path.stem for path in (REPOSITORY / "book").glob("[0-9][0-9]_*.md")):
            if stem.startswith("00"):
                continue
            self.assertEqual(self.one(f"#nav a[href='page_{stem}.html'] .number").text, stem[:2])
            label = self.one(f"#nav a[href='page_{stem}.html'] small").text
            self.assertRegex(label, r"^(core|optional), \d+ minutes$")
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
        self.one("#nav a[href='#page_03_coarsening_memory-transactions']").click()
        top = self.script("return document.getElementById('page_03_coarsening_memory-transactions')"
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
                               ("latency hiding", "page_glossary.html#page_glossary_latency-hiding"),
                               ("roofline", "page_glossary.html#page_glossary_theoretical-peak"),
                               ("grid-stride loop", "page_glossary.html#page_glossary_persistent-grid"),
                               ("bank conflicts", "page_glossary.html#page_glossary_bank-conflict"),
                               ("coalesing", "page_03_coarsening.html"),  # letters left out or exchanged
                               ("bnadwidth", "page_01_basic_vecadd.html"),
                               ("float4", "page_05_float4.html"),
                               ("atomicAdd", "page_25_contention.html#page_25_contention_the-kernels")):  # in code alone
            self.assertIn(address, self.look_up(words)[:2], words)
            self.script("document.activeElement.blur()")
        for words, page in (("coalescing", "03_coarsening"), ("occupancy", "02_threads_per_block"), ("float4", "05_float4"),
                            ("bank conflict", "07_shared_memory"), ("pinned", "10_pinned_memory"), ("AoS", "16_data_layout"),
                            ("Little's law", "22_bytes_in_flight"), ("TMA", "26_bulk_copy"), ("prefix sum", "29_scan"),
                            ("histogram", "30_histogram"), ("stream compaction", "31_select"), ("GEMV", "32_matrix_vector"),
                            ("softmax", "33_rows"), ("cp.async", "36_pipelines"), ("all-reduce", "42_all_reduce")):
            self.assertEqual(self.look_up(words)[0], f"page_{page}.html", words)
            self.script("document.activeElement.blur()")
        self.assertFalse([address for address in self.look_up("coalescing")[:6] if "references" in address])
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
        self.until(lambda: self.browser.current_url.endswith("/page_03_coarsening.html"))

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

    def test_copy_takes_the_code(self):
        self.open("page_03_coarsening.html")
        self.script("navigator.clipboard.writeText = (text) => { window.copied = text; };")
        box = self.one(".code-box:has(.cpp)")
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
        self.assertIn("Wrong. You said “a tenth”; it is “three quarters”.", self.verdict(1))
        self.assertTrue(self.question(1).find_element(By.CSS_SELECTOR, "details p").is_displayed())
        field = self.question(2).find_element(By.CSS_SELECTOR, "input")
        for typed, said in (("many", "“many” is not a number"), ("3,00 times", "Not near. You said 3,00 times; it is")):
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
        self.assertRegex(record, r"Vector addition: measuring effective bandwidth +3 +1 of 2")
        self.assertIn("Wrong. You said “a tenth”; it is “three quarters”.", record)
        for theme in ("light", "dark"):
            self.theme(theme)
            self.assertEqual(self.script(CONTRAST), [])
        forget = self.one("#record button")
        forget.click()
        self.assertEqual(forget.text, "Really forget 2 answers?")
        forget.click()
        self.assertIn("questions answered yet", self.one("#record").text)
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
        self.assertIn("Wrong. You said 128 threads, 256 threads, 64 threads, 1024 threads, 512 threads; it is", self.verdict(1))
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
        self.assertIn("How many sectors of 32 bytes does the first load of the warp touch?", self.question(1).text)
        self.assertIn("exact answer", self.question(1).text)
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
            self.assertIn("They are set aside, and a new record begins.", self.one("#record").text)
            self.assertEqual(self.script("return localStorage.getItem('predictions-damaged')"), text)
            self.assertIsNone(self.script("return localStorage.getItem('predictions')"))
        self.forget()
