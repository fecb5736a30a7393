#!/usr/bin/env python3
"""python3 -m tools.runtime_calls [--check]: what becomes of each call of the CUDA runtime API on the CPU device.

Writes cpu_device/runtime_calls.md from NVIDIA's names of the calls (runtime_calls.txt, from
the header of the newest toolkit), the CPU device's headers and the sentences of own_program/gaps.cpp. With
--check it changes nothing, and ends with status 1 if the page is not what it would write.
"""
import re
import sys
from pathlib import Path

from tools.files import write_whole

CPU_DEVICE = Path(__file__).resolve().parent.parent / "cpu_device"
PAGE = CPU_DEVICE / "runtime_calls.md"
HINTS = {"cudaCtxResetPersistingL2Cache", "cudaDeviceSetCacheConfig", "cudaDeviceSetSharedMemConfig",
         "cudaFuncSetCacheConfig", "cudaFuncSetSharedMemConfig", "cudaGraphUpload",
         "cudaMemPoolTrimTo", "cudaSetDeviceFlags"}
TOP = """# The calls of the CUDA runtime API on the CPU device

`python3 -m tools.runtime_calls` writes this page from the names in NVIDIA's header and the headers here.
Where a call is refused, a program that makes it does not compile, and hears the sentence.

"""


def names():
    return (CPU_DEVICE / "runtime_calls.txt").read_text(encoding="utf-8").split()


def declared():
    text = "".join(path.read_text(encoding="utf-8")
                   for path in (CPU_DEVICE / "cuda").rglob("*.h*"))
    return set(re.findall(r"\b(cuda[A-Z]\w*)\(", text))


def gaps():
    """Pairs of a pattern of names and the sentence about them."""
    text = (CPU_DEVICE.parent / "own_program/gaps.cpp").read_text(encoding="utf-8")
    for pattern, sentence in re.findall(r'\{R"\((.*)\)",\s*R"\((.*)\)"\}', text):
        yield re.compile(pattern), sentence


def fate(name, here, sentences):
    if name in here:
        return "accepted, without effect" if name in HINTS else "works"
    # The last pattern is that of all calls.
    return next(sentence for pattern, sentence in sentences
                if pattern.fullmatch(name)).replace("NAME", f"`{name}`")


def page():
    here, sentences = declared(), list(gaps())
    fates = {name: fate(name, here, sentences) for name in names()}
    working = sum(text in ("works", "accepted, without effect") for text in fates.values())
    rows = "".join(f"| `{name}` | {text} |\n" for name, text in fates.items())
    return (f"{TOP}{working} of {len(fates)} calls work or are accepted.\n\n"
            f"| call | here |\n| --- | --- |\n{rows}")


def main():
    text = page()
    if sys.argv[1:] == ["--check"]:
        if PAGE.read_text(encoding="utf-8") != text:
            sys.exit(f"{PAGE} is not what python3 -m tools.runtime_calls writes: run it.")
    elif sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    else:
        write_whole(PAGE, text)


if __name__ == "__main__":
    main()
