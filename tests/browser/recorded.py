"""What the CPU device recorded of the kernels that the figures launch, and the settings of a figure that launch the same."""

import json
import math
from pathlib import Path

from tools.book.explore import chosen, figures

# What no figure launches, and why. Kernels of libraries are none of the book's, and are not listed.
HOST = "what differs between them are calls of the host, and the kernel is one of 01's"
OTHER = "its page has no figure of its kernels"
UNSHOWN = "the figure of the page shows the others"
NO_FIGURE = {
    "01_basic_vecadd": {"by_hand": HOST},
    "04_async_memcpy": HOST, "10_pinned_memory": HOST, "11_mapped_memory": HOST, "12_unified_memory": HOST,
    "13_prefetch_and_advice": HOST,
    "07_shared_memory": {"copy_staged": UNSHOWN, "copy_async": UNSHOWN},
    "14_pitched_memory": {"matrix_by_hand": "the host's copies, around the kernel of `pitched`", "box_by_hand": UNSHOWN, "dense_box": UNSHOWN,
                          "pitched_box": UNSHOWN, "pitched_vectors": UNSHOWN},
    "15_alignment": {"unrolled_restrict": UNSHOWN, "read_restrict": UNSHOWN},
    "20_transpose_tiles": {"tile_tall_aligned": UNSHOWN},
    "22_bytes_in_flight": "the figure of the page asks the time model alone, which has a test of its own",
    **dict.fromkeys(("08_constant_memory", "09_local_memory", "17_gather", "18_l2_persistence", "21_latency", "23_block_launch", "24_streams",
                     "25_contention", "26_bulk_copy", "27_cache_hints", "28_reduction", "29_scan", "30_histogram", "31_select",
                     "32_matrix_vector", "33_rows", "34_narrow_types", "35_indexed_rows", "36_pipelines", "37_small_kernels", "38_clusters",
                     "39_decoder_layer", "40_peer_copy", "41_halo_exchange", "42_all_reduce", "43_all_reduce_in_pieces"), OTHER),
}
FIGURES = figures(Path(__file__).resolve().parents[2])

RESULTS = Path(__file__).resolve().parents[2] / "book" / "results" / "cpu"


def rows(chapter):
    return json.loads((RESULTS / f"{chapter}.json").read_text("utf-8"))["rows"]


def questions():
    """Each row with the settings that launch it, but for its size, and how they say a size of so many elements."""
    def elements(n):
        return {"n": n}

    for chapter in ("01_basic_vecadd", "02_threads_per_block", "03_coarsening", "05_float4", "06_memcpy_vectorized", "07_shared_memory",
                    "14_pitched_memory", "15_alignment", "16_data_layout", "19_transpose", "20_transpose_tiles"):
        for row in rows(chapter):
            settings = None if row["library"] else settings_of(chapter[:2], row["variant"], row["parameters"])
            if settings is None:
                continue
            size = elements
            if "word" in settings:
                def size(n, unit=row["parameters"]["unit"]):
                    return {"bytes": n * unit}
            elif "rows" in row["parameters"]:
                wide = row["parameters"]["columns"] - row["parameters"]["rows"]

                def size(n, wide=wide, far=wide > row["parameters"]["rows"]):
                    side = math.isqrt(n + 1)
                    if far:  # as the chapter makes it of the edge, which is one more
                        return {"rows": n // (8 * side + 4), "columns": 8 * side + 4}
                    return {"rows": side - wide // 2, "columns": side + wide // 2}
            elif "columns" in row["parameters"]:
                def size(n, columns=row["parameters"]["columns"]):
                    return {"rows": n // columns, "columns": columns}
            yield chapter, row, asked(settings), size


def asked(settings):
    """As a figure asks its engine: which figure, and which instance of the kernel's template."""
    name = next(name for name, figure in FIGURES.items() if settings["kernel"] in figure.get("kernels", {}))
    instance = chosen(FIGURES[name]["kernels"][settings["kernel"]])
    return settings | {"figure": name, "kernel": " ".join([settings["kernel"], *(str(settings[setting]) for setting in instance)])}


def waits(settings):
    """Whether the kernels of the figure wait for each other's threads, and are in the other module."""
    return settings["figure"] in ("staging", "padding", "tile")


def settings_of(number, variant, parameters):
    """The settings; None of what no figure launches."""
    threads = {"threads": parameters.get("threads")}
    if number == "01":
        return {"kernel": "basic"} | threads if variant == "basic" else None
    if number == "02":  # the same kernel, in a file of its own
        return {"kernel": "basic"} | threads
    if number == "03":
        name = "_".join(part for part in variant.split("_") if not part.startswith("x"))
        return {"kernel": name, "per_thread": parameters["per_thread"]} | threads
    if number == "05":
        return {"kernel": variant} | threads
    if number == "06":
        unit, word = parameters.get("unit"), parameters.get("word")
        return {"kernel": "copy", "word": word, "threads": 256} if word and unit == (2 if word == 2 else 1) else None
    if number == "07":
        pitches = {"reorder_shared": 32, "reorder_padded": 33}
        return None if variant in ("copy_async", "copy_staged") else {
            "kernel": "reorder_shared", "pitch": pitches[variant]} if variant in pitches else {"kernel": variant}
    if number == "14":
        far = variant == "pitched" and parameters["columns"] == 33  # four GiB, which 32 bits do not address
        return {"kernel": variant} if variant in ("linear", "dense", "pitched") and not far else None
    if number == "15":
        name = "read" if variant == "sweep" else variant
        return None if variant.endswith("restrict") else {"kernel": name, "offset": parameters["offset"]} | threads
    if number == "16":
        whole = parameters["used"] == parameters["fields"]  # else it is the kernel of `aos`, however its records are aligned
        return {"kernel": "aos" if variant == "aligned" and not whole else variant, "fields": parameters["fields"],
                "used": parameters["used"]}
    if number == "19":
        x, y = map(int, parameters.get("block", "0x0").split("x"))
        return {"kernel": variant, "block_x": x, "block_y": y}
    return None if variant == "tile_tall_aligned" else {"kernel": variant}
