"""What the CPU device recorded of the kernels that the figures launch, and the settings of a figure that launch the same."""

import json
import math
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[2] / "book" / "results" / "cpu"


def rows(chapter):
    return json.loads((RESULTS / f"{chapter}.json").read_text("utf-8"))["rows"]


def questions():
    """Each row with the settings that launch it, but for its size, and how they say a size of so many elements."""
    def elements(n):
        return {"n": n}

    for chapter in ("01_basic_vecadd", "03_coarsening", "06_memcpy_vectorized", "07_shared_memory", "15_alignment",
                    "16_data_layout", "19_transpose", "20_transpose_tiles"):
        for row in rows(chapter):
            settings = None if row["library"] else settings_of(chapter[:2], row["variant"], row["parameters"])
            if settings is None:
                continue
            size = elements
            if "rows" in row["parameters"]:
                def size(n, wide=row["parameters"]["columns"] - row["parameters"]["rows"]):
                    side = math.isqrt(n + 1)
                    return {"rows": side - wide // 2, "columns": side + wide // 2}
            yield chapter, row, settings, size


def settings_of(number, variant, parameters):
    """The settings; None of what no figure launches."""
    threads = {"threads": parameters.get("threads")}
    if number == "01":
        return {"kernel": "basic"} | threads if variant == "basic" else None
    if number == "03":
        name = "_".join(part for part in variant.split("_") if not part.startswith("x"))
        return {"kernel": name, "per_thread": parameters["per_thread"]} | threads
    if number == "06":
        unit, word = parameters.get("unit"), parameters.get("word")
        return {"kernel": "copy", "word": word} if word and unit == (2 if word == 2 else 1) else None
    if number == "07":
        pitches = {"reorder_direct": {}, "reorder_shared": {"pitch": 32}, "reorder_padded": {"pitch": 33}}
        return None if variant not in pitches else {
            "kernel": "reorder_direct" if variant == "reorder_direct" else "reorder_shared"} | pitches[variant]
    if number == "15":
        name = "read" if variant == "sweep" else variant
        return {"kernel": name, "offset": parameters["offset"]} | threads if name in ("read", "write", "unrolled") else None
    if number == "16":
        return {"kernel": variant, "fields": parameters["fields"], "used": parameters["used"]} if variant in (
            "aos", "soa", "aosoa") else None
    if number == "19":
        x, y = parameters.get("block", "0x0").split("x")
        return {"kernel": variant, "block_x": x, "block_y": y} if variant in ("naive_row", "naive_column") else None
    names = {"tile_plain": 0, "tile_padded": 0, "tile_swizzled": 0, "tile_padded_down": 1}
    return {"kernel": variant.removesuffix("_down"), "down": names[variant]} if variant in names else None
