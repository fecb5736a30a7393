"""The words behind ./run that are a reader's own program."""

import os

from own_program.options import check_files, parse
from tests.folder import FolderTest
from tools.words import Refused


class Options(FolderTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        for name in ("a.cu", "b.cpp", "mine.cu", "mine too.cu"):
            self.write(name, "")

    def assert_refused(self, words, part):
        with self.assertRaises(Refused, msg=words) as refused:
            check_files(parse(words))
        self.assertEqual(refused.exception.status, 2)
        self.assertIn(part, str(refused.exception))

    def test_files_and_options_of_the_compiler_may_stand_in_any_order_and_make_one_program(self):
        for words in (["-I", "dir", "-DN=3", "-std=c++20", "-fopenmp", "-l", "m", "a.cu", "b.cpp"],
                      ["a.cu", "-Idir", "-D", "N=3", "b.cpp", "-std=gnu++2a", "-fopenmp", "-lm"]):
            request = parse([*words, "--", "-D", "x.cu"])
            self.assertEqual(request.files, ["a.cu", "b.cpp"])
            self.assertEqual(request.options, ["-Idir", "-DN=3", "-lm"])
            self.assertEqual(request.arguments, ["-D", "x.cu"])
            self.assertTrue(request.standard_20 and request.openmp)
            self.assertEqual(request.program, "")
        self.assertFalse(parse(["-std=c++14", "a.cu"]).standard_20)

    def test_what_is_behind_the_first_file_and_is_no_file_goes_to_the_program(self):
        request = parse(["mine too.cu", "a b", "-x", "-g", "none.cu", "7", "--", "--json"])
        self.assertEqual(request.files, ["mine too.cu"])
        self.assertEqual(request.arguments, ["a b", "-x", "-g", "none.cu", "7", "--json"])

    def test_what_only_nvcc_needs_is_taken_and_has_no_meaning(self):
        request = parse(["-O3", "-arch=sm_90", "-gencode", "arch=compute_90,code=sm_90", "-lineinfo", "-dc",
                         "--expt-relaxed-constexpr", "--extended-lambda", "-Xptxas", "-v", "a.cu"])
        self.assertEqual((request.files, request.options, request.arguments), (["a.cu"], [], []))

    def test_what_is_said_of_the_count_goes_to_the_program_s_environment_and_not_to_its_arguments(self):
        for words in (["mine.cu", "1", "--json", "x.json", "--seed", "5", "2"], ["mine.cu", "--seed=5", "1", "--json=x.json", "2"]):
            request = parse(words)
            self.assertEqual(request.arguments, ["1", "2"])
            self.assertEqual(request.environment, {"MOVING_BYTES_JSON": str(self.folder.resolve() / "x.json"), "MOVING_BYTES_SEED": "5"})
        for words, name, value in ((["--devices", "2"], "DEVICES", "2"), (["--count=all"], "COUNT", "all"),
                                   (["--card=t4"], "CARD", "t4"), (["--no-model"], "CARD", "none")):
            self.assertEqual(parse(["mine.cu", *words]).environment, {f"MOVING_BYTES_{name}": value})
        for seed in ("0", "18446744073709551615", 30 * "0", 30 * "0" + "7"):
            self.assertEqual(parse(["mine.cu", "--seed", seed]).environment, {"MOVING_BYTES_SEED": seed})

    def test_words_that_nothing_can_be_made_of_are_refused_by_a_sentence_with_the_limit(self):
        for part, words in (("c++17", ["-std=c++98", "a.cu"]),
                            ("c++20", ["-std=c++23", "a.cu"]),
                            ("-std is 'f++17'", ["-std=f++17", "a.cu"]),
                            ("-I needs", ["a.cu", "-I"]),
                            ("-o needs", ["a.cu", "-o"]),
                            ("'-frobnicate' is not an option", ["-frobnicate", "a.cu"]),
                            ("needs the name of a GPU", ["a.cu", "--card"]),
                            ("from 1 on", ["a.cu", "--count", "0"]),
                            ("from 1 to 4", ["a.cu", "--devices", "5"]),
                            ("needs a file", ["a.cu", "--json"]),
                            ("needs a file", ["a.cu", "--json="]),
                            ("whole number", ["a.cu", "--seed", "x"]),
                            ("18446744073709551615", ["a.cu", "--seed=18446744073709551616"]),
                            ("18446744073709551615", ["a.cu", "--seed", 30 * "9"]),
                            ("no program is left to run", ["--json", "a.cu"]),
                            ("name the .cu file", ["-DN=3"]),
                            ("cannot read 'other.cu'", ["other.cu"]),
                            ("cannot write", ["a.cu", "--json", "/no/such/x.json"]),
                            ("cannot write", ["a.cu", "--json", "."]),
                            ("cannot read '?[2Jx.cu'", ["\x1b[2Jx.cu"]),
                            ("'/dev/null' is not a regular file", ["a.cu", "-o", "/dev/null"]),
                            ("'.' is not a regular file", ["a.cu", "-o", "."])):
            self.assert_refused(words, part)
        check_files(parse(["a.cu"]))
        check_files(parse(["a.cu", "--json", "/dev/null"]))

    def test_a_file_that_is_no_text_or_whose_name_no_compiler_can_say_is_refused_and_not_printed(self):
        self.write("compiled.cu", "\x7fELF\0\0\1")
        self.assert_refused(["compiled.cu"], "is not a source file")
        self.write("two\nlines.cu", "")
        self.assert_refused(["two\nlines.cu"], "line break")

    def test_with_o_a_program_is_made_and_not_run(self):
        request = parse(["answer.cu", "goals.a", "-o", "program"])
        self.assertEqual((request.files, request.archive, request.program), (["answer.cu"], "goals.a", "program"))
