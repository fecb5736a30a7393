"""For the CPU device: .cu files are compiled as chapters are, by cpu_device/cmake/compile_cu, and linked with a report."""

import contextlib
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from own_program.messages import explain, refusal, why_none
from own_program.notes import notes
from own_program.options import require_no_output
from own_program.ptx import combined_atomics, registers
from tools.process import run, say
from tools.words import Refused

# Of CUDA's libraries the CPU device has the runtime, and names the first call of another that would compute.
OF_CUDA = re.compile("-l(cuda|cudart|cudart_static|cudadevrt|cublas|cublasLt|cufft|curand|cusolver|cusparse|nvrtc|nvToolsExt|nvidia-ml|npp.*)")
WITH_NVCC = ("nvcc", "-arch=sm_90", "-cubin", "-lineinfo", "-Xptxas", "-v", "-w",
             "-extended-lambda", "-expt-relaxed-constexpr",  # as the CPU device has them
             "-keep", "-keep-dir")


def files_of(preprocessed):
    """The reader's files that went into a preprocessed text: those of its line marks without flag 3, a system's header."""
    marks = re.findall(r'^#(?:line)? \d+ "((?:[^"\\\n]|\\.)*)"([ \d]*)', preprocessed, re.MULTILINE)
    return {re.sub(r"\\(.)", r"\1", file) for file, flags in marks if "3" not in flags and file[:1] != "<"}


class Compilation:
    def __init__(self, request, toolchain, program, scratch):
        self.request, self.toolchain, self.program, self.scratch = request, toolchain, program, scratch
        self.libraries = [option for option in request.options if option[1] in "lL"]
        self.options = [option for option in request.options if option[1] not in "lL"]
        self.standard = "-std=gnu++20" if request.standard_20 else "-std=gnu++17"
        self.openmp = ["-fopenmp"] * request.openmp

    def run_all(self):
        files = self.request.files
        asks_nvcc = self.request.registers and run(["nvcc", "--version"])[0] == 0
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            compiled = [pool.submit(self.compile_cuda if file.endswith(".cu") else self.compile_host, file, self.object_of(i))
                        for i, file in enumerate(files)]
            by_nvcc = [pool.submit(self.ask_nvcc, i) for i, file in enumerate(files) if asks_nvcc and file.endswith(".cu")]
            by_nvcc = dict(task.result() for task in by_nvcc)  # (status, what it says), by file
        said, fine = "", True
        for i, (file, task) in enumerate(zip(files, compiled)):  # in order, whoever was first
            status, text = task.result()
            status_of_nvcc, of_nvcc = by_nvcc.get(i, (1, ""))
            fine = fine and status == 0
            said += text + refusal(file, of_nvcc) if status == 0 else explain(text, self.toolchain.own_folders, status_of_nvcc == 0)
        if not fine:
            self.refuse(said)
        say(said)
        self.link()
        texts = {"registers": "".join(registers(said) for status, said in by_nvcc.values() if status == 0),
                 "combined": "".join(f"{line}\n" for i in by_nvcc for ptx in self.kept(i).glob("*.ptx")
                                     for line in combined_atomics(ptx.read_text()))}
        for ending, text in texts.items():
            beside = Path(f"{self.program}.{ending}")
            beside.unlink(missing_ok=True)
            if asks_nvcc:
                (self.scratch / ending).write_text(text)
                (self.scratch / ending).rename(beside)
        (self.scratch / "program").rename(self.program)

    def refuse(self, said):
        say(said or "The compiler failed without a message.\n")
        raise why_none(said, self.program)

    def object_of(self, number):
        return self.scratch / f"{number}.o"

    def kept(self, number):
        """The folder of what nvcc makes in between."""
        return self.scratch / f"{number}.kept"

    def compile_host(self, file, compiled):
        language = ["-x", "c"] if file.endswith(".c") else [self.standard]
        return run([self.toolchain.cxx, *language, "-O2", "-g", *self.toolchain.missing_return, *self.toolchain.headers,
                    *self.options, "-c", file, "-o", compiled])

    def compile_cuda(self, file, compiled):
        """Its status, and what the reader is to be told."""
        status, said = run([self.toolchain.compile_cu, self.toolchain.rewriter, self.toolchain.cxx, self.standard,
                            *self.toolchain.kernel_flags, "-include", self.toolchain.own_header, *self.toolchain.headers,
                            *self.options, *self.openmp, "-c", file, "-o", compiled])
        try:
            preprocessed = Path(f"{compiled}.ii").read_text(errors="surrogateescape") if status == 0 else ""
            require_no_output(self.request, files_of(preprocessed))
            said += "" if self.request.archive else notes(preprocessed, file)
        except Refused as refused:
            return refused.status, f"run: {refused}\n"
        return status, said

    def ask_nvcc(self, number):
        with contextlib.suppress(OSError):  # the program runs without them, too
            self.kept(number).mkdir()
        several = ["-rdc=true"] * (len(self.request.files) > 1)  # functions of one file may call those of another
        return number, run([*WITH_NVCC, self.kept(number), self.standard.replace("gnu", "c"), *["-Xcompiler=-fopenmp"] * self.request.openmp,
                            *several, *self.options, self.request.files[number], "-o", self.scratch / f"{number}.cubin"])

    def link(self):
        checks = self.request.archive
        report = ["-Wl,--whole-archive", checks, "-Wl,--no-whole-archive"] if checks else self.toolchain.report
        # Without -fsanitize=thread: the CPU device answers the calls which that flag made.
        status, said = run([self.toolchain.cxx, *(self.object_of(i) for i in range(len(self.request.files))), *self.openmp, *report,
                            *(library for library in self.libraries if not OF_CUDA.fullmatch(library)), "-Wl,--start-group",
                            *(self.toolchain.libraries_of_goals if checks else ()), *self.toolchain.libraries, "-Wl,--end-group",
                            "-o", self.scratch / "program"])
        if status != 0:  # ./run exercise has sentences of its own for what the linker says
            self.refuse(said if checks else explain(said, self.toolchain.own_folders))


def compile_program(request, toolchain, program, scratch):
    """Compiles and links what is requested into `program`, with all that is needed in between in `scratch`. Refused, after what
    the compiler says on standard error, if that cannot be done."""
    os.environ["LC_ALL"] = "C"  # messages are told apart by their English words
    Compilation(request, toolchain, program, scratch).run_all()
