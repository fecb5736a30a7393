// 20_transpose_tiles: How fast can a transpose be?
//
// A tile in shared memory is transposed between a coalesced load and a coalesced store, by words of
// 4 bytes and of 16, also for sides that are not a multiple of the block or vector size.
//
// tile.cuh         a tile in shared memory, in three layouts
// tile_float4.cuh  by words of 16 bytes
// tile_tall.cuh    for odd sides: stores of whole lines

#include "../19_transpose/transpose.cuh"
#include "tile.cuh"
#include "tile_float4.cuh"
#include "tile_tall.cuh"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

//! [kernels]
const TransposeKernel kernels[] = {
    {"tile_plain", tile<Layout::plain, false>, false, {32, 8}, {1, 4}},
    {"tile_padded", tile<Layout::padded, false>, false, {32, 8}, {1, 4}},
    {"tile_swizzled", tile<Layout::swizzled, false>, false, {32, 8}, {1, 4}},
    {"tile_padded_down", tile<Layout::padded, true>, true, {32, 8}, {1, 4}},
    {"tile_float4", tile_float4<false, false, false>, false, {16, 16}, {4, 4}, 16},
    {"tile_float4_down", tile_float4<true, false, false>, true, {16, 16}, {4, 4}, 16},
    {"tile_float4_down_stcs", tile_float4<true, false, true>, true, {16, 16}, {4, 4}, 16},
    {"tile_float4_down_ldcg", tile_float4<true, true, false>, true, {16, 16}, {4, 4}, 16},
    {"tile_tall", tile_tall<false>, true, {32, 8}, {4, 8}},
    {"tile_tall_aligned", tile_tall<true>, true, {32, 8}, {4, 8}, 4, line - 1}};
//! [kernels]

//! [run]
// The kernels of these names, or all.
void run_transposes(common::Chapter& chapter, const common::Extent& m,
                    const std::set<std::string>& names = {})
{
    common::Arrays<float> p = transposed(chapter, m);
    for (const TransposeKernel& k : kernels) {
        const unsigned x = k.block.x * k.per_thread.x; // elements of a block
        const unsigned y = k.block.y * k.per_thread.y;
        const dim3 grid = k.down ? common::grid(m.rows + k.more, m.columns, x, y)
                                 : common::grid(m.columns, m.rows, x, y);
        if (names.empty() || names.contains(k.name)) {
            chapter.run(k.row(m), p, [&](cudaStream_t stream) {
                k.launch<<<grid, k.block, 0, stream>>>(p.a, p.c, m.rows, m.columns);
            });
        }
    }
    const common::Variant library{
        .name = "cublasSgeam",
        .columns = {{"rows", m.rows}, {"columns", m.columns}},
        .unavailable = [] { return common::cublas_available() ? "" : "built without cuBLAS"; }};
    chapter.run_library(library, p, [&](cudaStream_t stream) {
        common::cublas_transpose(p.a, p.c, m.rows, m.columns, stream);
    });
}
//! [run]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const std::size_t n = chapter.n();
    const auto edge = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
    const common::Extent m = common::matrix_of(n, edge);
    common::Copy<float> copied(chapter, {.n = m.size()});
    common::run_copy_libraries(chapter, copied, {{"rows", m.rows}, {"columns", m.columns}});
    run_transposes(chapter, m);
    // One with odd sides, where that edge is even, and a wide one that ends inside of a tile.
    run_transposes(chapter, common::matrix_of(n, std::max(edge, std::size_t{2}) - 1),
                   {"tile_padded", "tile_padded_down", "tile_tall", "tile_tall_aligned"});
    run_transposes(chapter, common::matrix_of(n, 8 * edge - 4), {"tile_float4_down_ldcg"});
    return chapter.finish();
}
