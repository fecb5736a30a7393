"""The figures that answer, in a real browser: what they say is what the CPU device recorded, and a reader can use them."""

import json
import shutil
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from tests.browser.recorded import NO_FIGURE, asked, questions, rows, waits
from tests.docs.test_accessibility import AXE, RUN
from tests.docs.site import CONTRAST, FIT, REPOSITORY, SITE, leave_out, start
from tools.site.explore import NEEDED

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

MODULE = SITE / "figures_module.js"
FIGURES = {"blocks": "02_threads_per_block", "coarsening": "03_coarsening", "pipeline": "04_async_memcpy", "vectors": "05_float4",
           "width": "06_memcpy_vectorized", "staging": "07_shared_memory", "padding": "07_shared_memory", "rows": "14_pitched_memory",
           "offset": "15_alignment", "records": "16_data_layout",
           "transposed": "19_transpose", "tile": "20_transpose_tiles", "in_flight": "22_bytes_in_flight", "trace": "cpu_device"}
COUNTED = ("load_requests", "load_sectors", "load_bytes", "store_requests", "store_sectors", "store_bytes",
           "shared_load_requests", "shared_load_conflicts", "shared_store_requests", "shared_store_conflicts")
ASK = "const done = arguments[3]; askFigures(...[...arguments].slice(0, 3)).then(done, (error) => done(String(error)));"


def setUpModule():
    if not MODULE.exists() and not all(map(shutil.which, NEEDED)):  # where it could be built, that it is not there is a fault
        leave_out(f"no figures without what their module is compiled by ({', '.join(NEEDED)}): ./run setup test")


class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser, folder = start(1280, 900)
        cls.addClassCleanup(shutil.rmtree, folder, True)
        cls.addClassCleanup(cls.browser.quit)
        cls.browser.set_script_timeout(120)

    def tearDown(self):
        self.assertEqual([entry["message"] for entry in self.browser.get_log("browser")], [])

    def open(self, name, settings=""):
        self.browser.get("about:blank")
        address = (SITE / f"page_{FIGURES[name]}.html").as_uri()
        self.browser.get(f"{address}#explore-{name}{settings and '?'}{settings}")
        self.section = self.browser.find_element(By.ID, f"explore-{name}")
        self.script("arguments[0].scrollIntoView()", self.section)
        self.until(lambda: self.section.find_elements(By.CSS_SELECTOR, ".answer tr, svg *, .drop"))

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def until(self, condition):
        return WebDriverWait(self.browser, 60).until(lambda _: condition())

    def ask(self, question, settings):
        return self.browser.execute_async_script(ASK, question, settings, "figure" in settings and waits(settings))

    def one(self, selector):
        return self.section.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector=".request"):
        return self.one(selector).text.replace("\u00a0", " ")

    def modelled(self):
        """The row of the table that says a time, once it is there."""
        return self.until(lambda: not self.text(".explore-body > .busy") and [row.text.replace("\u00a0", " ") for row in
                                                              self.section.find_elements(By.CSS_SELECTOR, ".answer tr")][-1])

    # --- what they say ----------------------------------------------------------------------------------

    def test_counts_and_times_of_every_recorded_row_are_those_of_the_cpu_device(self):
        self.open("coarsening")
        compared = set()
        for chapter, row, settings, size in questions():
            with self.subTest(chapter=chapter, variant=row["variant"], **row["parameters"]):
                counted = self.ask("counts", settings | size(row["parameters"]["n"]))
                self.assertEqual({name: counted[name] for name in COUNTED}, {name: row["counts"][name] for name in COUNTED})
                said = self.ask("time", settings | size(row["modelled"]["n"]))["time"]
                self.assertAlmostEqual(said["ms"], row["modelled"]["ms"], 6)
                self.assertEqual(said["limited_by"], row["modelled"]["limited_by"])
                compared.add(chapter)
        self.assertEqual(len(compared), 11)

    def test_every_variant_of_every_chapter_is_compared_or_says_why_not(self):
        compared = {(chapter, row["variant"]) for chapter, row, *_ in questions()}
        told = set()
        for chapter in sorted(path.stem for path in (REPOSITORY / "chapters").glob("[0-9][0-9]_*")):
            why = NO_FIGURE.get(chapter, {})
            variants = {row["variant"] for row in rows(chapter) if not row["library"]}
            self.assertTrue(variants, chapter)
            told |= {(chapter, variant) for variant in (variants if isinstance(why, str) else why)}
            self.assertEqual({variant for variant in variants if (chapter, variant) not in compared | told}, set(), chapter)
            self.assertLessEqual({variant for _, variant in told if _ == chapter}, variants, chapter)
        self.assertEqual(compared & told, set())

    def test_the_pipeline_takes_as_long_as_the_chapter_says(self):
        self.open("pipeline")
        compared = 0
        for row in rows("04_async_memcpy"):
            if row["variant"] in ("pipeline", "async_own_stream"):
                parameters, at = row["parameters"], row["modelled"]["at"]
                chunks = 32 if row["variant"] == "pipeline" else 1
                for n, ms in [(parameters["n"], row["modelled"]["ms"]), *((other["n"], other["ms"]) for other in at[-4:])]:
                    with self.subTest(**parameters | {"n": n}):
                        said = self.ask("pipeline", {"n": n, "chunks": chunks, "streams": parameters["streams"],
                                                     "pinned": int(parameters["memory"] == "pinned")})
                        self.assertAlmostEqual(said["host_ms"], ms, 5)
                        compared += 1
        self.assertGreater(compared, 10)

    def test_the_law_is_within_a_tenth_of_what_was_measured(self):
        self.open("in_flight")
        measured = json.loads((REPOSITORY / "book/results/nvidia-h200/22_bytes_in_flight.json").read_text("utf-8"))["rows"]
        compared = 0
        for row in measured:
            parameters = row["parameters"]
            if row["variant"] == "read" and parameters["width"] >= 4 and row["cache"] == "cold":
                said = self.ask("in_flight", {name: parameters[name] for name in ("warps", "loads", "width")})
                self.assertEqual(said["in_flight"], parameters["in_flight"])
                self.assertLess(abs(said["gb_per_s"] / row["gb_per_s"] - 1), 0.1, parameters)
                compared += 1
        self.assertGreater(compared, 10)

    def test_what_no_kernel_has_is_answered_and_ends_nothing(self):
        self.open("coarsening")
        self.assertIsNone(self.ask("nonsense", {}))
        self.assertEqual(self.ask("requests", {"figure": "blocks", "kernel": "nonsense"}), "Error: there is no such kernel.")
        self.assertEqual(len(self.ask("requests", asked({"kernel": "basic", "threads": 32, "n": 1}))["requests"]), 3)

    def test_where_arrays_have_less_room_they_are_smaller(self):
        browser, folder = start(1280, 900, "--js-flags=--wasm-max-mem-pages=16384")
        try:
            browser.get((SITE / f"page_{FIGURES['blocks']}.html").as_uri() + "#explore-blocks")
            section = browser.find_element(By.ID, "explore-blocks")
            browser.execute_script("arguments[0].scrollIntoView()", section)
            self.until(lambda: section.find_elements(By.CSS_SELECTOR, ".answer tr"))
            self.assertRegex(section.find_element(By.CSS_SELECTOR, ".answer").text, r"array 1/\d+ of the reference's size")
        finally:
            browser.quit()
            shutil.rmtree(folder, True)

    # --- how they are used ------------------------------------------------------------------------------

    def test_a_slider_moves_by_the_keyboard_and_the_address_keeps_it(self):
        self.open("coarsening")
        self.assertIn("16 sectors = 512 bytes move: 25 %", self.text())
        slider = self.section.find_element(By.ID, "explore-coarsening-per_thread")
        slider.send_keys(Keys.LEFT, Keys.LEFT)
        self.assertIn("8 sectors = 256 bytes move: 50 %", self.text())
        self.assertIn("per_thread=2", self.browser.current_url)
        Select(self.section.find_element(By.ID, "explore-coarsening-kernel")).select_by_visible_text("striped")
        self.assertIn("4 sectors = 128 bytes move: 100 %", self.text())
        self.assertIn("latency", self.modelled())
        address = self.browser.current_url
        self.browser.get("about:blank")
        self.browser.get(address)
        self.section = self.browser.find_element(By.ID, "explore-coarsening")
        self.until(lambda: self.section.find_elements(By.CSS_SELECTOR, ".answer tr"))
        self.assertEqual(self.text("output[for=explore-coarsening-per_thread]"), "2")
        self.assertIn("4 sectors = 128 bytes move: 100 %", self.text())

    def test_a_damaged_address_leaves_the_figure_as_it_is(self):
        self.open("offset", "offset=%E0%A4%A&threads=17&card=<script>&kernel=&x")
        self.assertEqual(self.text("output[for=explore-offset-offset]"), "11")
        self.assertIn("5 sectors", self.text())

    def test_another_card_has_another_time(self):
        self.open("offset")
        times = set()
        for card in Select(self.section.find_element(By.ID, "explore-offset-card")).options:
            card.click()
            times.add(self.modelled())
        self.assertGreaterEqual(len(times), 4)

    def test_steps_go_through_all_requests_with_their_lines(self):
        self.open("coarsening", "per_thread=2")
        back, following = self.section.find_elements(By.CSS_SELECTOR, ":has(> .lanes) > .steps button")
        self.assertFalse(back.is_enabled())
        seen = [self.text()]
        while following.is_enabled():
            following.send_keys(Keys.ENTER)
            seen.append(self.text())
            self.assertIn("c[i] = a[i] + b[i];", self.text(".code-line.now"))
        self.assertEqual([words.split(": ")[1].split(",")[0] for words in seen],
                         2 * ["a load of a", "a load of b", "a store of c"])

    def test_lanes_and_what_they_touch_light_up_together(self):
        self.open("coarsening")
        lanes = self.one(".lanes")
        lanes.send_keys(Keys.RIGHT, Keys.RIGHT)
        lit = self.section.find_elements(By.CSS_SELECTOR, ".lit")
        self.assertEqual([part.text for part in lit], ["1", "0"])  # lane 1, in the first sector
        self.assertIn("Lane 1: bytes 16 to 19", self.text(".pointed"))
        self.script("arguments[0].dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))", self.one("[data-place='1']"))
        self.assertIn("lanes 2, 3.", self.text(".pointed"))
        self.open("tile")
        self.assertIn("32 wavefronts, 31 of them due to conflicts", self.text())
        self.one(".lanes").send_keys(Keys.LEFT)
        self.assertEqual([part.text for part in self.section.find_elements(By.CSS_SELECTOR, ".lit")], ["31", "31"])

    def test_a_trace_of_ones_own_is_shown_and_a_damaged_one_told(self):
        self.open("trace")
        kept = [launch for name in ("03_coarsening.blocked_x4", "07_shared_memory.reorder_shared") for launch in json.loads(
            (REPOSITORY / f"book/results/cpu/traces/{name}.json").read_text("utf-8"))["launches"]]
        with tempfile.TemporaryDirectory() as folder:
            for name, text, said in (("trace.jsonl", "".join(json.dumps(launch) + "\n" for launch in kept), "2 launches in"),
                                     ("half.jsonl", '{"kernel": "add", "requests": [{"offsets": [1]}]}', "Line 1 of half.jsonl is no"),
                                     ("none.jsonl", "\n", "none.jsonl is empty")):
                path = Path(folder) / name
                path.write_text(text, "utf-8")
                self.one("input").send_keys(str(path))
                self.until(lambda: said in self.text(".explore-body > .busy"))
                self.assertEqual(self.one(".lanes").is_displayed(), name == "trace.jsonl")
                if name == "trace.jsonl":
                    self.assertIn("16 sectors = 512 bytes move: 25 %", self.text())
                    Select(self.section.find_element(By.ID, "explore-trace-launch")).select_by_index(1)
                    self.assertIn("a load of allocation", self.text())

    def test_every_figure_fits_and_is_read_in_both_themes(self):
        for name in FIGURES:
            self.open(name)
            if name not in ("trace", "in_flight", "pipeline"):
                self.modelled()
            for width in (390, 768, 1280):
                self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                    "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
                with self.subTest(figure=name, width=width):
                    self.assertEqual(self.script(FIT), [])
            self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
            for theme in ("light", "dark"):
                self.script("document.documentElement.dataset.theme = arguments[0]", theme)
                with self.subTest(figure=name, theme=theme):
                    self.assertEqual(self.script(CONTRAST), [])

    @unittest.skipUnless(AXE.exists(), "axe-core is not there: tests/docs/test_accessibility.py says how to get it")
    def test_axe_finds_nothing(self):
        for name in FIGURES:
            self.open(name)
            self.script(AXE.read_text("utf-8"))
            with self.subTest(figure=name):
                self.assertEqual(self.browser.execute_async_script(RUN, {}), [])
            self.browser.get_log("browser")  # axe requests the style sheet, which the page's policy refuses

    def test_without_scripts_and_on_paper_the_drawn_figures_stay_alone(self):
        self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            self.browser.get((SITE / "page_03_coarsening.html").as_uri())
            self.assertFalse(self.browser.find_element(By.ID, "explore-coarsening").is_displayed())
            self.assertTrue(self.browser.find_elements(By.CSS_SELECTOR, "figure svg"))
        finally:
            self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        self.open("coarsening")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.assertFalse(self.section.is_displayed())
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})

    def test_a_page_weighs_at_most_a_megabyte(self):
        common = sum((SITE / name).stat().st_size for name in ("site.css", "site.js", "theme.js", "predictions.js", "editing.js", "requests.js",
                                                               "figures.js"))
        for name, page in FIGURES.items():
            module = SITE / ("figures_waiting_module.js" if waits({"figure": name}) else "figures_module.js")
            with self.subTest(page=page):
                self.assertLessEqual(common + module.stat().st_size + (SITE / f"page_{page}.html").stat().st_size, 1 << 20)

    def test_every_figure_is_on_its_page_and_every_page_has_no_other(self):
        on_pages = {path.stem.removeprefix("page_"): path.read_text("utf-8").count('<section class="explore"')
                    for path in SITE.glob("page_*.html")}
        self.assertEqual({page: count for page, count in on_pages.items() if count}, Counter(FIGURES.values()))
        self.assertEqual(set(FIGURES), set(json.loads((REPOSITORY / "browser/figures.json").read_text("utf-8"))))
