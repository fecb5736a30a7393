"""Every variant of the chapters that run in their pages counts there what the CPU device recorded, or a list says why not, as it does of
the chapters that do not run there. In Node, and a chapter in a real browser."""

import concurrent.futures
import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.browser.served import Served
from tests.docs.site import EVERYTHING, FIRST_OF_PARTS, REPOSITORY, SITE, leave_out

from selenium.webdriver.support.ui import Select

PROCESSES = 2
PATIENCE = 300  # seconds of a chapter, with the sizes of the record: the page's
RECORDED = REPOSITORY / "book" / "results" / "cpu"
TOLD = json.loads((REPOSITORY / "browser" / "whole" / "chapters.json").read_text("utf-8"))
ALL = sorted(path.parent.name for path in (REPOSITORY / "chapters").glob("*/??_*.cu"))
CHAPTERS = [name for name in ALL if name[:2] not in TOLD["elsewhere"]]
ELSEWHERE = [name for name in ALL if name[:2] in TOLD["elsewhere"]]
SAME = ("variant", "task", "parameters", "bytes", "library", "verified", "counts", "peer_bytes", "note")


def run(chapter, site=SITE / "edit", **fields):
    """The results, or what ended it."""
    try:
        done = subprocess.run(["node", "tests/browser/chapters.mjs", site, chapter, json.dumps(fields)], cwd=REPOSITORY, text=True, capture_output=True,
                              check=False, timeout=PATIENCE)
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"ended": done.stderr[-1000:]}
    except subprocess.TimeoutExpired:
        return {"ended": f"after {PATIENCE} seconds"}


def recorded(chapter):
    return json.loads((RECORDED / f"{chapter}.json").read_text("utf-8"))["rows"]


def compared(row):
    return {name: row.get(name) for name in SAME}


def modelled(row):
    """The time of a transfer, which does not depend on the size of the reference."""
    time = row.get("modelled")
    return time and time["ms"] if time and "dram_bytes_read" not in time else None


def setUpModule():
    if not (SITE / "edit" / "chapters.wasm").exists() or not shutil.which("node"):
        leave_out("no chapters on the site: they are built by ./run docs where npm is")


class Counts(unittest.TestCase):
    def test_each_variant_counts_what_the_cpu_device_counts(self):
        with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
            chapters = [name for name in CHAPTERS if EVERYTHING or name[:2] in FIRST_OF_PARTS]
            found = dict(zip(chapters, pool.map(lambda name: run(name, model=False), chapters)))
        equal = 0
        for chapter, results in found.items():
            told = TOLD["differing"].get(chapter[:2], {})
            with self.subTest(chapter=chapter):
                self.assertNotIn("ended", results)
                reference = recorded(chapter)
                self.assertEqual([(row["variant"], row["parameters"]) for row in results["rows"]],
                                 [(row["variant"], row["parameters"]) for row in reference])
                differing = set()
                for ours, theirs in zip(results["rows"], reference):
                    with self.subTest(variant=ours["variant"], parameters=ours["parameters"]):
                        if ours["variant"] in told:
                            differing |= {ours["variant"]} if compared(ours) != compared(theirs) else set()
                            self.assertTrue(ours["verified"])
                            continue
                        self.assertEqual(compared(ours), compared(theirs))
                        if modelled(theirs) is not None:
                            self.assertEqual(modelled(ours), modelled(theirs))
                        equal += 1
                self.assertEqual(differing, set(told), "these count alike: take them out of the list")
        self.assertGreater(equal, 600 if EVERYTHING else 40)

    def test_the_list_names_chapters_that_there_are_and_all_others_are_compiled(self):
        self.assertLessEqual({*TOLD["elsewhere"], *TOLD["differing"]}, {name[:2] for name in ALL})
        self.assertEqual([name for name in CHAPTERS if "said" in json.loads((SITE / f"edit/chapters/{name}.json").read_text("utf-8"))], [])

    @unittest.skipUnless(EVERYTHING, "by .ci/run --everything: one may wait for what never comes")
    def test_a_chapter_that_is_said_not_to_run_does_not(self):
        """Compiled as those of the site are: what runs and counts alike belongs into its page."""
        build = REPOSITORY / "build" / "browser"
        with tempfile.TemporaryDirectory() as folder:
            site = Path(folder)
            for file in (SITE / "edit").iterdir():
                if file.suffix in (".js", ".wasm") and not file.name.startswith("llvm"):
                    shutil.copy(file, site)
            shutil.copy(REPOSITORY / "browser" / "edit" / "chapters.js", site)
            (site / "package.json").write_text('{"type": "module"}\n', "utf-8")
            (site / "chapters").mkdir()
            subprocess.run(["node", site / "chapters.js", REPOSITORY, build, site / "chapters", *(name[:2] for name in ELSEWHERE)],
                           capture_output=True, check=True)
            with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
                found = list(pool.map(lambda name: run(name, site, model=False), ELSEWHERE))
        for chapter, results in zip(ELSEWHERE, found):
            with self.subTest(chapter=chapter):
                self.assertNotEqual([*map(compared, results.get("rows", []))], [*map(compared, recorded(chapter))],
                                    "it counts alike: let it run in its page")

    def test_the_fields_of_a_page_choose_rows_and_a_card(self):
        rows = run("03_coarsening", n=4096, where={"threads": "128"}, card="a100")["rows"]
        rows = [row for row in rows if not row["library"]]
        self.assertEqual({row["parameters"]["threads"] for row in rows}, {128})
        self.assertLess(len(rows), len(recorded("03_coarsening")) / 2)
        self.assertIn("A100", rows[0]["modelled"]["card"])


class Page(Served):
    def test_a_chapter_runs_in_its_page(self):
        self.go("03_coarsening", "chapter-03")
        Select(self.section.find_element("id", "chapter-variant")).select_by_visible_text("striped_x4")
        self.press("Run the variants")
        self.until(lambda: self.text(".busy") == "Done.")
        table = self.text("pre")
        self.assertIn("striped_x4", table)
        self.assertNotIn("blocked_x2 ", table)
        self.assertIn("65,536", table)
        bars = self.section.find_elements("css selector", "svg rect")
        self.assertEqual(len(bars), len([row for row in recorded("03_coarsening") if row["variant"] == "striped_x4"]))
        self.assertIn("Modelled time", self.section.find_element("css selector", "svg").get_attribute("aria-label"))

    def test_fields_choose_rows_and_what_the_bars_show(self):
        self.go("15_alignment", "chapter-15")
        Select(self.section.find_element("id", "chapter-offset")).select_by_value("1")
        Select(self.section.find_element("id", "chapter-n")).select_by_value("4096")
        self.press("Run the variants")
        self.until(lambda: self.text(".busy") == "Done.")
        Select(self.section.find_element("id", "chapter-measure")).select_by_value("loaded")
        self.assertIn("Sectors loaded", self.section.find_element("css selector", "svg").get_attribute("aria-label"))
        self.assertEqual(len(self.section.find_elements("css selector", "svg rect")),
                         len([row for row in recorded("15_alignment") if row["parameters"].get("offset") == 1]))
        Select(self.section.find_element("id", "chapter-threads")).select_by_value("1024")
        self.press("Run the variants")
        self.until(lambda: self.text(".busy").startswith("No variant matches all of these values"))

    def test_a_page_says_why_its_chapter_does_not_run_there(self):
        chapter = ELSEWHERE[0]
        self.browser.get(f"http://127.0.0.1:{self.server.server_port}/page_{chapter}.html")
        said = self.browser.find_element("xpath", "//p[@class='elsewhere'][starts-with(., 'This chapter')]").text
        self.assertIn(TOLD["elsewhere"][chapter[:2]], said)

    def test_it_can_be_stopped(self):
        self.go("05_float4", "chapter-05")
        Select(self.section.find_element("id", "chapter-n")).select_by_value("1048576")
        self.press("Run the variants")
        self.until(lambda: self.text(".busy") == "Running …")
        self.press("Stop")
        self.assertEqual(self.text(".busy"), "Stopped.")
