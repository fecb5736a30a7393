"""What nvcc says of the kernels of a file that it compiles: their registers, and which atomics it aggregates."""

import re
import subprocess


def registers(said):
    """A line for each kernel of what `ptxas -v` says: "24 void scale<int>(int*)"."""
    kernels = re.findall(r"Compiling entry function '([^']*)'.*?: Used (\d+)", said, re.DOTALL)
    names = subprocess.run(["c++filt", *(kernel for kernel, _ in kernels)], capture_output=True, text=True,
                           check=True, stdin=subprocess.DEVNULL).stdout.splitlines() if kernels else []
    return "".join(f"{number} {name}\n" for (_, number), name in zip(kernels, names))


def combined_atomics(ptx):
    """The lines, "mine.cu:12", of atomic additions of one value to one address by all threads of a kernel: of each warp one
    lane adds for all that come there, as the assembler makes of them. The address is an argument of the kernel, or at a
    distance from one that is a constant; the value is a constant or an argument."""
    uniform, files, found, place = set(), {}, [], None  # registers; names by number; (number, line) of each

    def is_uniform(*words):
        return all(re.fullmatch(r"[-+\d]+", word) or word.partition("+")[0] in uniform for word in words)

    for line in ptx.splitlines():
        words = re.findall(r'[^\s,\[\];"]+', line)
        if len(words) < 3:
            continue
        what, to, *rest = words
        if what == ".visible":
            uniform.clear()  # another kernel
        elif what == ".loc":
            at = words.index("inlined_at") + 1 if "inlined_at" in words else 1
            place = tuple(words[at:at + 2])
        elif what == ".file":
            files[to] = rest[0].rpartition("/")[2]
        elif what.startswith("ld.param") or what.startswith(("cvta.", "add.")) and is_uniform(*rest):
            uniform.add(to)
        elif ".add." in what and is_uniform(*words[-2:]) and len(words) == {"atom": 4, "red": 3}.get(what.partition(".")[0]):
            found.append(place)
        elif to.startswith("%"):
            uniform.discard(to)
    return [f"{files[file]}:{line}" for file, line in found]
