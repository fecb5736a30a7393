"""Writes the chapters' kernels as the module of the figures compiles them: python3 kernels.py ROOT FOLDER.

A pointer becomes figures::Pointer and an array in shared memory figures::SharedArray, which note each access (lanes.hpp).
Lines keep their numbers, so that an access is known by its line.
"""

import re
import sys
from pathlib import Path

# The regions of each chapter that hold kernels which some figure launches.
REGIONS = {"01_basic_vecadd": ["basic"], "03_coarsening": ["neighbours", "strided", "loads_first"],
           "05_float4": ["add4", "float4", "float2_tail", "parameters", "guarded"],
           "06_memcpy_vectorized": ["copy_words"], "07_shared_memory": ["copy", "stencil", "reorder"],
           "14_pitched_memory": ["linear", "matrix"],
           "15_alignment": ["read", "write", "bypassed", "read_only", "unrolled"],
           "16_data_layout": ["aos", "soa", "aosoa", "aligned"],
           "19_transpose": ["place", "naive", "unroll4", "diagonal"],
           "20_transpose_tiles": ["tile", "float4", "tall"]}


def rewritten(code):
    code = re.sub(r"\b(const )?(\w+(?:<\w+>)?)\*(?=[ >])", r"Pointer<\1\2>", code)
    code = code.replace("reinterpret_cast<", "static_cast<").replace("__restrict__", "")
    code = re.sub(r"\bsizeof\((\w+)\[0\]\)", r"sizeof(typename decltype(\1)::Type)", code)
    code = re.sub(r"__shared__ (\w+) (\w+)\[([^\]]+)\]\[([^\]]+)\];", r"SharedArray<\1, \3, \4> \2;", code)
    return re.sub(r"__shared__ (\w+) (\w+)\[([^\]]+)\];", r"SharedArray<\1, \3> \2;", code)


def region(sources, name):
    """The source that the region stands in, the region's first line, counted from 1, and its lines."""
    for path in sources:
        lines = path.read_text("utf-8").splitlines()
        ends = [number for number, line in enumerate(lines) if line.strip() == f"//! [{name}]"]
        if ends:
            first, last = ends
            return path, first + 2, lines[first + 1:last]
    raise LookupError(f"no file next to {sources[0]} has //! [{name}].")


def write_kernels(root, out):
    for chapter, names in REGIONS.items():
        sources = sorted((root / "chapters" / chapter).glob("*.cu*"))
        text = [f"namespace figures::chapter_{chapter[:2]} {{"]
        for name in names:
            path, number, code = region(sources, name)
            text.append(f'#line {number} "{path.name}"\n' + rewritten("\n".join(code)))
        (out / f"kernels_{chapter[:2]}.inc").write_text("\n".join([*text, "}"]) + "\n", "utf-8")


if __name__ == "__main__":
    write_kernels(Path(sys.argv[1]), Path(sys.argv[2]))
