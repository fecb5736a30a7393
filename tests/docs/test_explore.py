"""What a page shows of its chapter: all of it, a sentence why it does not run there, or nothing yet."""


from tests.folder import FolderTest
from tests.whole_results import whole
from tools.site import explore

LISTED = {"choices": {"threads": "Threads of a block"}, "differing": {}, "elsewhere": {"42": "it calls other processes"}}


class Chapter(FolderTest):
    def setUp(self):
        super().setUp()
        self.write("browser/whole/chapters.json", LISTED)
        self.write("book/results/cpu/44_reverse.json", whole({"chapter": "44_reverse", "rows": [
            {"variant": "reverse", "parameters": {"threads": threads}} for threads in (256, 1024)]}))

    def test_a_chapter_that_no_list_names_runs_in_its_page(self):
        said = explore.chapter(self.folder, "44_reverse", False)
        self.assertIn('id="chapter-44"', said)
        self.assertIn("[256,1024]", said)

    def test_one_that_nothing_is_recorded_of_is_not_shown_yet(self):
        self.assertEqual(explore.chapter(self.folder, "45_new", False), "")

    def test_one_that_cannot_run_there_says_why(self):
        self.assertIn("does not run in its page: it calls other processes.", explore.chapter(self.folder, "42_all_reduce", False))
