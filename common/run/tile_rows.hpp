/// \file
/// Rows whose blocks take tiles of an array of words, and the libraries' scan and selection.
#pragma once

#include "common/device/attribute.hpp"
#include "common/problem/scan.hpp"
#include "common/problem/selection.hpp"
#include "common/run/chapter.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace common {

/// A row whose blocks take tiles, as a chapter declares it.
struct TileRow
{
    const char* name;   ///< Variant::name
    unsigned threads;   ///< of a block
    unsigned words;     ///< of a tile, that a thread has
    bool waits = false; ///< blocks wait for each other
    bool full = false;  ///< Variant::full

    /// The row, with the column `bytes_a_thread`.
    [[nodiscard]] Variant variant() const;
};

/// The same for a scan, which has no more to say.
[[nodiscard]] Variant variant_of(const TileRow& row, Scan&);

/// The same for a selection, with the column `kept`, and with its order expected. Where all are
/// kept, or none, or the first, a row takes --full.
[[nodiscard]] Variant variant_of(const TileRow& row, Selection& problem);

/// Runs launch(tiles, stream).
template<class Tiled, class LaunchKernel>
void run_tile_row(Chapter& chapter, Tiled& problem, const TileRow& row, LaunchKernel launch)
{
    const unsigned tiles = blocks(problem.n, std::size_t{row.threads} * row.words);
    chapter.run(variant_of(row, problem), problem,
                [&](cudaStream_t stream) { launch(tiles, stream); });
}

/// The same of a selection whose words may come in any order.
template<class LaunchKernel>
void run_unordered_row(Chapter& chapter, Selection& problem, const TileRow& row,
                       LaunchKernel launch)
{
    const unsigned tiles = blocks(problem.n, std::size_t{row.threads} * row.words);
    Variant variant = variant_of(row, problem);
    variant.task = "select in any order";
    variant.one_by_one = true;
    variant.setup = [&problem] { problem.expect(KeptOrder::any); };
    chapter.run(variant, problem, [&](cudaStream_t stream) { launch(tiles, stream); });
}

/// Runs launch(tiles, grid, shared, stream), where `shared` bytes hold `stages` tiles and `grid` is
/// as many blocks as are resident of the kernel then, and no more than there are tiles: they may
/// wait for each other. It takes compute capability 9.0, and so much shared memory.
template<class Tiled, class Kernel, class LaunchKernel>
void run_staying_row(Chapter& chapter, Tiled& problem, const TileRow& row, Kernel kernel,
                     unsigned stages, LaunchKernel launch)
{
    const std::size_t tile = std::size_t{row.threads} * row.words;
    const std::size_t shared = tile * sizeof(unsigned) * stages;
    const unsigned tiles = blocks(problem.n, tile);
    unsigned grid = 0;
    Variant variant = variant_of(row, problem);
    variant.unavailable = [shared, old = needs_compute_capability(9)]() -> std::string {
        if (!old().empty())
            return old();
        const std::size_t most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
        return shared + 1024 <= most // a kernel has some of its own
                   ? ""
                   : "a block has " + std::to_string(most / 1024) + " KiB of shared memory, and " +
                         std::to_string(shared / 1024 + 1) + " are needed";
    };
    variant.setup = [&, expect = variant.setup] {
        if (expect)
            expect();
        grid = std::min(tiles, staying_blocks(kernel, row.threads, shared));
    };
    chapter.run(variant, problem,
                [&](cudaStream_t stream) { launch(tiles, grid, shared, stream); });
}

/// A scan by cub::DeviceScan.
void run_scan_library(Chapter& chapter, Scan& p);

/// A selection by cub::DeviceSelect.
void run_selection_library(Chapter& chapter, Selection& p);

} // namespace common
