"""compile_cuda [OPTION]... FILE... [ARCHIVE] -o PROGRAM   CUDA, C++ and C files of the reader's own as one program
compile_cuda [OPTION]... FILE... [ARGUMENT]...             the same, and runs it: ./run mine.cu

What is in the archive takes the place of the report at the program's end. options.py has the options. Ends with 2 and a
sentence where something cannot be requested, 1 where it does not compile, and else with the program's status."""

import contextlib
import importlib
import json
import os
import types
from pathlib import Path

from own_program.options import check_files, parse
from tools.build import become
from tools.process import run_with_folder, say, still_at_work
from tools.words import Refused


def make(request, toolchain, program):
    """Returns an exit status."""
    compiler = importlib.import_module(f"own_program.compile_{toolchain.device}")

    def work(scratch):
        try:
            compiler.compile_program(request, toolchain, program, scratch)
        except Refused as refused:
            if not request.program or refused.status != 1:  # else the caller has a sentence of his own
                say(f"run: {' '.join(request.files)}: {refused}\n")
            return refused.status
        return 0

    program.parent.mkdir(parents=True, exist_ok=True)
    waiting = contextlib.nullcontext() if request.program else still_at_work(f"Still compiling {request.files[0]}.")
    with waiting:  # whoever compiles for a program is told by it
        return run_with_folder(program.parent, work)


def compile_cuda(words, toolchain):
    """`toolchain` is the file that CMakeLists.txt writes. Returns the exit status, unless it becomes the reader's program."""
    try:
        toolchain = types.SimpleNamespace(**json.loads(Path(toolchain).read_text()))
        request = parse(words)
        check_files(request)
        runs = not request.program
        request.registers = request.registers or runs
        # Where the program becomes: as requested, or named after the first file.
        program = Path(toolchain.folder, Path(request.files[0]).stem) if runs else Path(request.program).absolute()
        status = make(request, toolchain, program)
        if status != 0 or not runs:
            return status
        os.environ.update(request.environment)
        become([program, *request.arguments])
    except Refused as refused:
        say(f"run: {refused}\n")
        return refused.status
    except OSError as error:
        say(f"run: {error}\n")
        return 2


def main(build, words):
    """./run mine.cu: refuses words before it builds, and becomes compile_cuda."""
    check_files(parse(words))
    build.make_compiler(words)
    become([build.directory / "compile_cuda", *words])
