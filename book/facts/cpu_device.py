"""The facts of the page "CPU emulation: counting memory transactions without a GPU"."""

from tools.book.facts import *

page(
    "behind",
    needs="00",
    afterwards=[
        "run a kernel without a GPU and read its transaction counts",
        "tell which of its results hold on a GPU, and which do not",
    ],
)

# Validation against hardware counters

stencil_direct_load_sectors = count("stencil_direct", "load_sectors", chapter="07")
stencil_direct_load_sectors_hardware = counter("stencil_direct", "load_sectors", chapter="07")
claim(
    "loops of uneven lanes differ in a handful of sectors",
    between(0, abs(stencil_direct_load_sectors_hardware - stencil_direct_load_sectors), 100),
    equal(
        count("stencil_direct", "load_requests", chapter="07"), counter("stencil_direct", "load_requests", chapter="07")
    ),
)
claim(
    "the wavefronts of shared memory agree to the last",
    equal(
        counter("reorder_shared", "shared_load_wavefronts", chapter="07"),
        count("reorder_shared", "shared_load_wavefronts", chapter="07"),
    ),
    equal(
        counter("stencil_shared", "shared_load_wavefronts", chapter="07"),
        count("stencil_shared", "shared_load_wavefronts", chapter="07"),
    ),
)
