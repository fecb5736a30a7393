"""By nvcc, which knows CUDA itself."""

from own_program.messages import why_none
from tools.process import run, say


def compile_program(request, toolchain, program, scratch):
    """As that of compile_cpu.py."""
    def run_or_refuse(command):
        status, said = run(command)
        say(said)
        if status != 0:
            raise why_none(said, program)

    linked = scratch / "program"
    compiled = scratch / "source.o" if request.archive else linked
    run_or_refuse([toolchain.nvcc, "-O3", "-arch=native", *["-std=c++20"] * request.standard_20, *["-Xcompiler=-fopenmp"] * request.openmp,
                   *request.options, *request.files, *["-c"] * bool(request.archive), "-o", compiled])
    if request.archive:
        # Linked by the host's compiler: nvcc takes a path with a blank to the linker as two.
        run_or_refuse([toolchain.cxx, compiled, "-Wl,--whole-archive", request.archive, "-Wl,--no-whole-archive",
                       *toolchain.libraries, "-o", linked])
    linked.rename(program)
