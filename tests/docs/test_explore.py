"""What a page shows of its chapter: all of it, a sentence why it does not run there, or nothing yet."""

import json
import pathlib
import tempfile
import unittest

from tests.whole_results import whole
from tools.site import explore

LISTED = {"choices": {"threads": "Threads of a block"}, "differing": {}, "elsewhere": {"42": "it calls other processes"}}


class Chapter(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("browser/whole/chapters.json", LISTED)
        self.write("book/results/cpu/44_reverse.json", whole({"chapter": "44_reverse", "rows": [
            {"variant": "reverse", "parameters": {"threads": threads}} for threads in (256, 1024)]}))

    def write(self, path, value):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), "utf-8")

    def test_a_chapter_that_no_list_names_runs_in_its_page(self):
        said = explore.chapter(self.root, "44_reverse", False)
        self.assertIn('id="chapter-44"', said)
        self.assertIn("[256,1024]", said)

    def test_one_that_nothing_is_recorded_of_is_not_shown_yet(self):
        self.assertEqual(explore.chapter(self.root, "45_new", False), "")

    def test_one_that_cannot_run_there_says_why(self):
        self.assertIn("does not run in its page: it calls other processes.", explore.chapter(self.root, "42_all_reduce", False))


if __name__ == "__main__":
    unittest.main()
