"""Every variant of the chapters that run in their pages counts there what the CPU device recorded, or a list says why not. In Node,
and a chapter in a real browser."""

import concurrent.futures
import json
import shutil
import subprocess
import sys
import unittest

from tests.browser.served import Served
from tests.docs.test_site import REPOSITORY, SITE, SKIPPED

from selenium.webdriver.support.ui import Select

PROCESSES = 2
RECORDED = REPOSITORY / "book" / "results" / "cpu"
TOLD = json.loads((REPOSITORY / "browser" / "whole" / "chapters.json").read_text("utf-8"))
CHAPTERS = sorted(path.stem for path in (REPOSITORY / "chapters").glob("*/*.cu") if path.stem[:2] in TOLD["run"])
SAME = ("variant", "task", "parameters", "bytes", "library", "verified", "counts", "peer_bytes", "note")


def run(chapter, *options):
    done = subprocess.run(["node", "tests/browser/chapters.mjs", SITE / "edit", chapter, *options], cwd=REPOSITORY, text=True,
                          capture_output=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"ended": done.stderr[-1000:]}


def compared(row):
    return {name: row.get(name) for name in SAME}


def modelled(row):
    """The time of a transfer, which does not depend on the size of the reference."""
    time = row.get("modelled")
    return time and time["ms"] if time and "dram_bytes_read" not in time else None


class Counts(unittest.TestCase):
    def test_each_variant_counts_what_the_cpu_device_counts(self):
        with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
            found = dict(zip(CHAPTERS, pool.map(run, CHAPTERS)))
        equal = 0
        for chapter, results in found.items():
            told = TOLD["differing"].get(chapter[:2], {})
            with self.subTest(chapter=chapter):
                self.assertNotIn("ended", results)
                recorded = json.loads((RECORDED / f"{chapter}.json").read_text("utf-8"))["rows"]
                self.assertEqual([(row["variant"], row["parameters"]) for row in results["rows"]],
                                 [(row["variant"], row["parameters"]) for row in recorded])
                differing = set()
                for ours, theirs in zip(results["rows"], recorded):
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
        self.assertGreater(equal, 120)


class Page(Served):
    def test_a_chapter_runs_in_its_page(self):
        self.go("03_coarsening", "chapter-03")
        Select(self.section.find_element("id", "chapter-variant")).select_by_visible_text("strided_x4")
        self.press("Run the variants")
        self.until(lambda: self.text(".busy") == "The chapter has run.")
        table = self.text("pre")
        self.assertIn("strided_x4", table)
        self.assertNotIn("neighbours_x2 ", table)
        self.assertIn("65 536", table)

    def test_it_can_be_stopped(self):
        self.go("05_float4", "chapter-05")
        Select(self.section.find_element("id", "chapter-n")).select_by_value("1048576")
        self.press("Run the variants")
        self.until(lambda: self.text(".busy") == "Running …")
        self.press("Stop")
        self.assertEqual(self.text(".busy"), "Stopped.")


if __name__ == "__main__":
    if not (SITE / "edit" / "chapters.wasm").exists() or not shutil.which("node"):
        print("skipped: no chapters on the site: they are built by ./run docs where npm is")
        sys.exit(SKIPPED)
    unittest.main()
