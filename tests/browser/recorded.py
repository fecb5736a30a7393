"""What the CPU device recorded of the kernels that the figures launch, and the settings of a figure that launch the same."""

import json
import math
from pathlib import Path

# What no figure launches, and why. Kernels of libraries are none of the book's, and are not listed.
HOST = "what differs between them are calls of the host, and the kernel is one of 01's"
LOADED = "addresses or conditions that come from memory: in a figure arrays have addresses alone"
BARRIER = "a sum over threads, whose values and barriers or shuffles decide what comes next"
SECOND = "more than one device, of which a figure knows none"
UNTIMED = "no modelled time is recorded of it, with which that of a figure could be compared"
BOX = "a grid of three dimensions, of which lanes.hpp has two"
PROMISED = "loads that `__restrict__` lets pass stores, which takes the CPU device's rewriter: counted alike, modelled otherwise"
NO_FIGURE = {
    "01_basic_vecadd": {"by_hand": HOST},
    "04_async_memcpy": HOST, "10_pinned_memory": HOST, "11_mapped_memory": HOST, "12_unified_memory": HOST,
    "13_prefetch_and_advice": HOST,
    "07_shared_memory": {"copy_staged": "the CPU device counts what the compiler left of the tile, nothing; a figure, what is written",
                         "copy_async": "copies to shared memory that are waited for later, which lanes.hpp does not have"},
    "08_constant_memory": "constant memory, which lanes.hpp does not have",
    "09_local_memory": "local arrays, which lanes.hpp does not tell of",
    "14_pitched_memory": {"matrix_by_hand": "the host's copies, around the kernel of `pitched`", "box_by_hand": BOX, "dense_box": BOX,
                          "pitched_box": BOX},
    "15_alignment": {"unrolled_restrict": PROMISED, "read_restrict": PROMISED},
    "17_gather": LOADED, "21_latency": LOADED,
    "18_l2_persistence": "launches in a row that share what is in the L2",
    "20_transpose_tiles": {"tile_tall_aligned": "counted alike, modelled otherwise: its loops are too long to be unrolled, as figures.cpp has it"},
    "22_bytes_in_flight": "the figure of the page asks the time model alone, which has a test of its own",
    "23_block_launch": "next to no accesses: it is about the launch",
    "24_streams": {"stream": "four GiB, which 32 bits do not address, and shuffles", "stream_l2": "shuffles, which lanes.hpp does not have",
                   "sectors": UNTIMED, "sectors_l2": UNTIMED},
    "25_contention": "atomics, which lanes.hpp does not have",
    "26_bulk_copy": "bulk copies, which lanes.hpp does not have",
    "27_cache_hints": "05's kernel with hints that change no count, and orders of blocks by __brev and __umulhi, which lanes.hpp does not have",
    "28_reduction": BARRIER, "29_scan": BARRIER, "30_histogram": BARRIER, "31_select": BARRIER, "32_matrix_vector": BARRIER,
    "33_rows": BARRIER, "34_narrow_types": "narrow types, which lanes.hpp does not have", "35_indexed_rows": BARRIER,
    "36_pipelines": "asynchronous copies, which lanes.hpp does not have",
    "37_small_kernels": "it is about the launch", "38_clusters": BARRIER, "39_decoder_layer": BARRIER,
    "40_peer_copy": SECOND, "41_halo_exchange": SECOND, "42_all_reduce": SECOND, "43_all_reduce_in_pieces": SECOND,
}

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
            if "rows" in row["parameters"]:
                wide = row["parameters"]["columns"] - row["parameters"]["rows"]

                def size(n, wide=wide, far=wide > row["parameters"]["rows"]):
                    side = math.isqrt(n + 1)
                    if far:  # as the chapter makes it of the edge, which is one more
                        return {"rows": n // (8 * side + 4), "columns": 8 * side + 4}
                    return {"rows": side - wide // 2, "columns": side + wide // 2}
            elif "columns" in row["parameters"]:
                def size(n, columns=row["parameters"]["columns"]):
                    return {"rows": n // columns, "columns": columns}
            yield chapter, row, settings, size


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
        return {"kernel": "copy", "word": word} if word and unit == (2 if word == 2 else 1) else None
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
        x, y = parameters.get("block", "0x0").split("x")
        return {"kernel": variant, "block_x": x, "block_y": y}
    return {"kernel": "tile_padded", "down": 1} if variant == "tile_padded_down" else (
        None if variant == "tile_tall_aligned" else {"kernel": variant})
