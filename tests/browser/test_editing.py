"""A reader edits a kernel on the site, served as ./run docs --serve does it, in a real browser."""

import json

from tests.browser.served import Served
from tests.browser.test_figures import FIGURES
from tests.docs.site import CONTRAST, EVERYTHING, REPOSITORY, SITE, leave_out

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select


def setUpModule():
    if not (SITE / "edit" / "editor.js").exists():
        leave_out("no editor on the site: it is built by ./run docs where npm is")


class Editing(Served):
    def open(self, page, name, kernel=None):
        self.go(page, f"explore-{name}")
        self.until(lambda: self.section.find_elements(By.CSS_SELECTOR, ".answer tr"))
        if kernel:
            Select(self.section.find_element(By.ID, f"explore-{name}-kernel")).select_by_visible_text(kernel)
            self.until(lambda: not self.text(".explore-body > .busy"))
        self.before = self.text(".answer")
        self.press("Edit this kernel")
        self.until(lambda: self.section.find_elements(By.CSS_SELECTOR, ".cm-content"))

    def run_it(self):
        self.press("Run")
        self.until(lambda: not self.text(".editing .busy") or "not compile" in self.text(".editing .busy"))
        return self.text(".editing .verdict")

    def test_the_chapters_kernel_is_verified_and_counts_what_it_counted(self):
        self.open("03_coarsening", "coarsening")
        self.assertIn("Verified with 1,009 elements", self.run_it())
        self.assertEqual(self.text(".answer"), self.before)
        for theme in ("light", "dark"):
            self.browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
            self.assertEqual(self.browser.execute_script(CONTRAST), [])

    def test_so_is_every_other_kernel_of_a_figure(self):
        figures = json.loads((REPOSITORY / "browser/figures.json").read_text("utf-8"))
        edited = [(name, kernel, len(figure["kernels"])) for name, figure in figures.items()
                  for kernel in figure.get("kernels", {})]
        self.assertGreater(len(edited), 30)
        for name, kernel, kernels in edited if EVERYTHING else edited[::6]:
            with self.subTest(figure=name, kernel=kernel):
                self.open(FIGURES[name], name, kernel if kernels > 1 else None)
                self.assertRegex(self.run_it(), "^Verified with ")
                self.assertEqual(self.text(".answer"), self.before)

    def test_an_edit_changes_counts_time_and_verdict(self):
        self.open("03_coarsening", "coarsening")
        self.change("c[i] = a[i] + b[i];", "c[i] = a[i];")
        self.assertIn("WRONG", self.run_it())
        self.assertIn("of 8:", self.text(".request"))
        self.press("Back to the chapter's kernel")
        self.until(lambda: "of 12:" in self.text(".request"))

    def test_an_error_is_told_at_its_line(self):
        self.open("03_coarsening", "coarsening")
        self.change("c[i] = a[i] + b[i];", "c[i] = a[j];")
        self.run_it()
        self.assertIn("03_coarsening.cu:17:", self.text(".compiler"))
        self.assertIn("undeclared identifier 'j'", self.text(".compiler"))
        self.assertTrue(self.section.find_elements(By.CSS_SELECTOR, ".cm-lintRange-error"))
        self.assertEqual(self.text(".answer") + self.text(".request"), "")  # not the chapter's kernel's

    def test_an_access_past_the_end_names_block_thread_and_array(self):
        self.open("03_coarsening", "coarsening")
        self.change("if (i < n) {", "if (i <= n) {")
        verdict = self.run_it()
        self.assertIn("Fault in line 17", verdict)
        self.assertNotIn("modelled", self.text(".answer"))
        self.assertRegex(verdict, r"block \(0, 0, 0\), thread \(252, 0, 0\): reads 4 bytes .*past the end of allocation \d \(4036 bytes")

    def test_a_missing_barrier_is_seen(self):
        self.open("20_transpose_tiles", "tile", "tile_padded")
        self.assertIn("Verified with 96 x 80 elements", self.run_it())
        self.change("__syncthreads(); // a thread", "// a thread")
        self.assertIn("WRONG", self.run_it())

    def test_an_endless_loop_is_stopped_and_the_page_answers_meanwhile(self):
        self.open("03_coarsening", "coarsening")
        self.change("if (i < n) {", "for (volatile int x = 1; x != 0;); if (i < n) {")
        self.press("Run")
        self.until(lambda: self.text(".editing .busy") == "Running …")
        self.press("Stop")
        self.assertEqual(self.text(".editing .busy"), "Stopped.")
        self.change("for (volatile int x = 1; x != 0;); ", "")
        self.assertIn("Verified", self.run_it())

    def test_an_endless_loop_of_stores_is_told_when_memory_ends(self):
        self.open("03_coarsening", "coarsening")
        self.change("if (i < n) {", "while (i < n) {")
        self.assertRegex(self.run_it(), r"Fault in line 1\d: this browser has no memory left for its requests: is a loop endless\?")

    def test_a_kernel_reaches_nothing_outside(self):
        self.open("03_coarsening", "coarsening")
        self.change("c[i] = a[i] + b[i];", "c[i] = float{*(float volatile *)0xFFFFFFF0u};")
        self.assertRegex(self.run_it(), "Fault in line 17: .*reads 4 bytes .*0xfffffff0")
        self.change("c[i] = ", "extern float figures_fetch(int); c[i] = figures_fetch(1); //")
        self.run_it()
        self.assertIn("A page has no figure_coarsening::figures_fetch", self.text(".compiler"))
