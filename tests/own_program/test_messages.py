"""What a compiler, the linker and nvcc say of a reader's program, made into few sentences."""

import unittest

from own_program import messages


def explained(said, nvcc_compiles=False):
    return messages.explain(said, ["/device/"], nvcc_compiles)


class Messages(unittest.TestCase):
    def test_a_name_that_the_cpu_device_does_not_have_is_told_with_its_place_and_the_remedy_once_a_kind(self):
        self.assertEqual(explained("mine.cu:3:5: error: 'cublasCreate' was not declared in this scope\n"
                                   "    3 |     cublasCreate(&handle);\n"
                                   "mine.cu:4:5: error: 'cublasSgemm' was not declared in this scope\n"
                                   "mine.cu:9:1: error: 'typo' was not declared in this scope\n"),
                         "mine.cu:3: cublasCreate belongs to a library that runs on a GPU only: put a kernel of your own in its place, or leave the call out.\n")
        self.assertEqual(explained("mine.cu:3:5: error: 'cudaThreadSynchronize' was not declared in this scope\n"),
                         "mine.cu:3: cudaThreadSynchronize() was removed from CUDA: call cudaDeviceSynchronize(), "
                         "or cudaDeviceReset() in place of cudaThreadExit().\n")

    def test_of_other_errors_the_first_is_shown_with_its_line_and_how_many_there_are(self):
        self.assertEqual(explained("mine.cu: In function 'int main()':\n"
                                   "mine.cu:7:5: error: 'x' was not declared in this scope\n"
                                   "    7 |     x = 1;\n"
                                   "      |     ^\n"
                                   "mine.cu:8:5: error: 'y' was not declared in this scope\n"
                                   "    8 |     y = 1;\n"),
                         "mine.cu:7: error: 'x' was not declared in this scope\n"
                         "    7 |     x = 1;\n"
                         "      |     ^\n"
                         "(and 1 more error)\n")

    def test_what_nvcc_compiles_and_the_cpu_device_does_not_is_told_by_the_name_that_it_lacks(self):
        self.assertEqual(explained("mine.cu:7:5: error: 'x' was not declared in this scope\n"
                                   "mine.cu:8:5: error: 'y' was not declared in this scope\n", nvcc_compiles=True),
                         "mine.cu:7: error: 'x' was not declared in this scope\n(and 1 more error)\n"
                         "nvcc compiles this: the CPU device lacks x.\n")
        self.assertEqual(explained("mine.cu:7:5: error: no matching function\n", nvcc_compiles=True),
                         "mine.cu:7: error: no matching function\n"
                         "nvcc compiles this, the compiler of the CPU device does not.\n")

    def test_what_nvcc_refuses_is_told_by_its_first_error_and_not_what_its_installation_lacks(self):
        self.assertEqual(messages.refusal("mine.cu", "ptxas info    : 0 bytes gmem\n"
                                          "mine.cu(6): error: declaration is incompatible with \"all\"\n"
                                          "1 error detected in the compilation of \"mine.cu\".\n"),
                         "This machine's nvcc rejects mine.cu: mine.cu(6): error: declaration "
                         "is incompatible with \"all\"\n")
        for other in ("nvcc fatal   : Unsupported gpu architecture 'sm_90'\n",
                      "mine.cu(1): catastrophic error: cannot open source file \"a.h\"\n",
                      "cc1plus: error: unrecognized option\n"):
            self.assertEqual(messages.refusal("mine.cu", other), "")

    def test_an_error_inside_a_header_of_the_cpu_device_is_told_at_the_reader_s_line(self):
        self.assertEqual(explained("In file included from mine.cu:2:\n"
                                   "/device/warp.hpp:9:2: error: no matching function\n"
                                   "    9 |  g();\n"), "mine.cu:2: error: no matching function\n")

    def test_what_the_linker_misses_is_told_without_its_own_words(self):
        self.assertTrue(explained("/usr/bin/ld: /t/0.o: in function `main':\n"
                                  "mine.cu:4: undefined reference to `gold(float*, int)'\n"
                                  "collect2: error: ld returned 1 exit status\n")
                        .startswith("mine.cu:4: nothing defines gold(float*, int), which the program calls"))
        self.assertTrue(explained("/device/call.hpp:7: undefined reference to `k(float*)'\n"
                                  "/usr/bin/ld: /t/0.o:(.data.rel.ro+0x0): undefined reference to `k(float*)'\n")
                        .startswith("the program: nothing defines k(float*), which"))
        self.assertEqual(explained("mine.cu:4: undefined reference to `gold()'\n"
                                   "mine.cu:9: undefined reference to `gold()'\n").count("\n"), 1)
        self.assertEqual(explained("/usr/bin/ld: b.o: multiple definition of `f()'; a.o: first defined here\n"),
                         "Two of the files define f(): give only one of them.\n")

    def test_of_a_full_disk_what_the_tool_says_is_kept_and_nothing_else(self):
        line = "/tmp/a.s: Fatal error: can't write to 0.o: 'No space left on device'"
        self.assertEqual(explained(f"/tmp/a.s: Assembler messages:\n{line}\na.s: No such file\n"), f"{line}\n")
        self.assertEqual(messages.full_disk("mine.cu:1: error: no space left on device\n"), "")

    def test_a_header_that_is_not_there_is_named_and_the_remedy(self):
        self.assertEqual(explained("mine.cu:1:10: fatal error: mine.h: No such file or directory\n"),
                         "mine.cu:1: there is no 'mine.h': give its folder with -I DIR.\n")

    def test_at_most_five_sentences_are_said_and_how_many_are_left(self):
        text = explained("".join(f"ld: b.o: multiple definition of `{name}'\n" for name in "abcdefg"))
        self.assertEqual(text.count("\n"), 6)
        self.assertIn("... and 2 more of these.\n", text)

    def test_a_sentence_of_the_rewriter_stays_as_it_is(self):
        sentence = "mine.cu:4: inline PTX cannot run on the CPU device; write it in C++.\n"
        self.assertEqual(explained(sentence), sentence)
