"""A reader solves exercises on the site, served as ./run docs --serve does it, in a real browser."""

import json
import tempfile
from pathlib import Path

from tests.browser.served import Served
from tests.docs.test_accessibility import look
from tests.docs.site import SITE, leave_out
from tools.progress import parse

from selenium.webdriver.common.by import By


def setUpModule():
    if not (SITE / "edit" / "exercises.wasm").exists():
        leave_out("no exercises on the site: they are built by ./run docs where npm is")


class Exercises(Served):
    def setUp(self):
        self.go("01_basic_vecadd", "exercise-01.1")
        self.browser.execute_script("localStorage.clear()")
        self.go("01_basic_vecadd", "exercise-01.1")

    def begin(self, number="01.1", page="01_basic_vecadd"):
        self.go(page, f"exercise-{number}")
        self.press("Write it here")
        self.until(lambda: self.section.find_elements(By.CSS_SELECTOR, ".cm-content"))

    def check(self):
        """The goals with what became of them, and what stands below."""
        self.press("Check")
        self.until(lambda: not self.text(".busy") or "not compile" in self.text(".busy"))
        goals = [" ".join(goal.text.split()) for goal in self.section.find_elements(By.CSS_SELECTOR, ".goals li")]
        return goals, " ".join([self.text(".evidence"), self.text(".verdict")])

    def stored(self, key="exercises"):
        return json.loads(self.browser.execute_script("return localStorage.getItem(arguments[0])", key) or "{}")

    def test_an_exercise_wrong_and_right(self):
        self.begin()
        goals, below = self.check()
        self.assertEqual(goals[2], "MISSED produces the correct output for every size, without out-of-bounds writes")
        self.assertIn("With n = 1,009: 753 of 1,009 elements are wrong. [256] was never written", below)
        self.assertEqual(self.stored(), {"01.1": {"state": "begun", "tries": 0, "hints": 0}})
        self.change("= threadIdx.x; //", "= std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; //")
        goals, below = self.check()
        self.assertEqual([goal.split()[0] for goal in goals], 7 * ["ok"] + ["-"])
        self.assertIn("stores no more bytes than needed (4,000,012 bytes)", goals[6])
        self.assertIn("For the others: ./run exercise 01.1", below)

    def test_one_that_is_solved_stays_solved_and_what_was_written_stays(self):
        self.begin("01.2")
        self.change("n / threads);", "(n + threads - 1) / threads);")
        self.change("float* c)", "float* c, std::size_t n)")
        self.change("    c[i] = a[i] + b[i];", "    if (i < n) c[i] = a[i] + b[i];")
        self.change("(a, b, c);", "(a, b, c, n);")
        self.assertIn("Solved.", self.check()[1])
        self.assertEqual(self.text(".state"), "solved")
        self.begin("01.2")
        self.assertIn("if (i < n) c[i]", self.text(".cm-content"))
        self.press("Begin again")
        self.assertNotIn("if (i < n) c[i]", self.text(".cm-content"))
        self.assertEqual(self.stored()["01.2"], {"state": "solved", "tries": 1, "hints": 0})

    def test_a_question_shows_its_table_and_counts_what_is_open(self):
        self.begin("02.3", "02_threads_per_block")
        goals, below = self.check()
        self.assertRegex(self.text("pre[aria-label='Counts']"), r"A +40 +120 +3\.00")
        self.assertEqual(goals[1], "MISSED names the row of each kernel")
        self.assertIn("Unanswered: 4 of 4.", below)

    def test_an_error_is_told_at_its_line(self):
        self.begin()
        self.change("if (i < n) {", "if (j < n) {")
        self.check()
        self.assertIn("01.1.cu:11:", self.text(".compiler"))
        self.assertTrue(self.section.find_elements(By.CSS_SELECTOR, ".cm-lintRange-error"))

    def test_a_fault_names_thread_and_allocation_and_is_marked(self):
        self.begin()
        self.change("if (i < n) {", "if (i <= n) {")
        goals, below = self.check()
        self.assertEqual(goals[0], "MISSED runs to completion without a fault")
        self.assertRegex(below, r"With n = 1: kernel add .*thread \(1, 0, 0\): (loads|reads).* past the end of allocation")
        self.assertTrue(self.section.find_elements(By.CSS_SELECTOR, ".cm-lintRange-error"))

    def test_an_endless_loop_is_stopped_and_the_page_answers_meanwhile(self):
        self.begin()
        self.change("if (i < n) {", "while (i < n) {")
        self.press("Check")
        self.until(lambda: self.text(".busy") == "Checking …")
        self.press("Hint 1 of 3")
        self.press("Stop")
        self.assertEqual(self.text(".busy"), "Stopped.")
        self.assertEqual(len(self.section.find_elements(By.CSS_SELECTOR, ".hints li")), 1)
        self.change("while (i < n) {", "if (i < n) {")
        self.assertIn("753 of 1,009", self.check()[1])

    def test_hints_come_one_at_a_time(self):
        self.begin()
        for number in (1, 2, 3):
            self.press(f"Hint {number} of 3")
            self.assertEqual(len(self.section.find_elements(By.CSS_SELECTOR, ".hints li")), number)
        self.assertFalse([button for button in self.section.find_elements(By.TAG_NAME, "button") if button.text.startswith("Hint")])
        self.assertEqual(self.stored()["01.1"]["hints"], 3)

    def test_progress_goes_to_a_clone_and_back(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "progress.json"
            file.write_text('{"exercises": {"01.0": {"state": "solved", "tries": 4, "hints": 2}, "__proto__": {"state": 1}}}', "utf-8")
            self.browser.find_element(By.ID, "exercise-progress").send_keys(str(file))
            self.until(lambda: self.stored())
            self.assertEqual(self.stored(), {"01.0": {"state": "solved", "tries": 4, "hints": 2}})
            self.assertEqual(self.browser.find_element(By.CSS_SELECTOR, "[id='exercise-01.0'] .state").text, "solved")
            # What one side has solved is solved, and of tries and hints the most count.
            self.browser.execute_script("localStorage.setItem('exercises', arguments[0])", json.dumps(
                {"01.0": {"state": "begun", "tries": 9, "hints": 1}, "01.1": {"state": "solved", "tries": 1, "hints": 0}}))
            self.go("01_basic_vecadd", "exercise-01.1")
            file.write_text(json.dumps({"exercises": {"01.0": {"state": "solved", "tries": 4, "hints": 2},
                                                      "01.1": {"state": "begun", "tries": 1, "hints": 3}}}), "utf-8")
            self.browser.find_element(By.ID, "exercise-progress").send_keys(str(file))
            self.until(lambda: self.stored()["01.1"]["hints"] == 3)
            self.assertEqual(self.stored(), {"01.0": {"state": "solved", "tries": 9, "hints": 2},
                                             "01.1": {"state": "solved", "tries": 1, "hints": 3}})
            self.browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
            file.unlink()
            self.section = self.browser.find_element(By.CLASS_NAME, "exercise-file")
            self.press("Save progress.json")
            self.until(file.exists)
            known, whole = parse(file.read_bytes())
            self.assertEqual((known["exercises"]["01.0"]["tries"], whole), (9, True))

    def test_what_no_reader_can_have_done_is_not_taken(self):
        one = {"state": "begun", "tries": 1, "hints": 0}
        with tempfile.TemporaryDirectory() as folder:
            for number, entries in enumerate((None, {"01.1": one | {"tries": 1e308}}, {"01.1": one | {"hints": -1}}, {"99.9": one}, {"01.1": None})):
                file = Path(folder) / f"{number}.json"
                file.write_text("null" if entries is None else json.dumps({"exercises": entries}), "utf-8")
                self.browser.find_element(By.ID, "exercise-progress").send_keys(str(file))
                self.section = self.browser.find_element(By.CLASS_NAME, "exercise-file")
                self.until(lambda file=file: self.text(".busy") == f"{file.name} has no progress on exercises.")
        self.assertEqual(self.stored(), {})

    def test_the_answers_to_predictions_are_saved_as_a_clone_reads_them(self):
        self.browser.execute_script("""localStorage.setItem('predictions', JSON.stringify({"03_coarsening.sectors":
            {answer: "16", near: true, shown: "16", question: "How many?", text: "Right."}}))""")
        with tempfile.TemporaryDirectory() as folder:
            self.browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
            self.section = self.browser.find_element(By.CLASS_NAME, "exercise-file")
            self.press("Save progress.json")
            self.until((Path(folder) / "progress.json").exists)
            known, whole = parse((Path(folder) / "progress.json").read_bytes())
        self.assertEqual((known["predictions"], whole), ({"03_coarsening.sectors": {"answer": "16", "near": True}}, True))

    def test_what_is_kept_may_be_damaged(self):
        self.browser.execute_script("localStorage.setItem('exercises', '{\"01.1\": {\"state\": 7}, \"x\": []}')")
        self.begin()
        self.assertEqual(self.stored(), {"01.1": {"state": "begun", "tries": 0, "hints": 0}})

    def test_it_fits_and_is_read_in_both_themes(self):
        self.begin()
        self.check()
        self.press("Hint 1 of 3")
        look(self)

    def test_from_a_disk_it_says_how_it_can_run(self):
        self.browser.get((SITE / "page_01_basic_vecadd.html").as_uri())
        self.section = self.browser.find_element(By.ID, "exercise-01.1")
        self.press("Write it here")
        self.until(lambda: "./run docs --serve" in self.text(".busy"))
