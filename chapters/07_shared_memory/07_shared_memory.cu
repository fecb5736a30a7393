// 07_shared_memory: When does staging in shared memory pay off?
//
// First a copy that takes the detour for nothing, then two tasks that need it: a stencil, which
// uses every element many times, and a re-ordering, which no order of threads can coalesce on both
// sides.
//
// copy.cuh     a copy without and with shared memory
// async.cuh    the copy whose loads go straight to shared memory
// stencil.cuh  sums of 17 neighbours
// reorder.cuh  transposes of 32 x 32 matrices

#include "async.cuh"
#include "copy.cuh"
#include "reorder.cuh"
#include "stencil.cuh"

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    //! [rows]
    const auto run = [&](const char* name, auto& problem, auto kernel, unsigned block,
                         unsigned grid) {
        chapter.run({.name = name, .threads = block}, problem, [&](cudaStream_t stream) {
            kernel<<<grid, block, 0, stream>>>(problem.a, problem.c, problem.n);
        });
    };
    const std::size_t n = chapter.n();
    const unsigned grid = common::blocks(n, threads);
    common::Copy<float> copy(chapter);
    run("copy_direct", copy, copy_direct, threads, grid);
    run("copy_staged", copy, copy_staged, threads, grid);
    run("copy_async", copy, copy_async, threads, common::blocks(grid, 32));
    common::run_copy_libraries(chapter, copy);

    common::Arrays<float> stencil(chapter, {.task = "stencil"}, [n](auto& in, std::size_t i) {
        float sum = 0.0f;
        for (std::size_t j = i < radius ? 0 : i - radius; j <= i + radius && j < n; ++j) {
            sum += in.a[j];
        }
        return sum;
    });
    run("stencil_direct", stencil, stencil_direct, threads, grid);
    run("stencil_shared", stencil, stencil_shared, threads, grid);

    common::Arrays<float> reorder(chapter, {.task = "reorder"}, [n](auto& in, std::size_t i) {
        const std::size_t k = i % (tile_dim * tile_dim);
        return i - k + tile_dim * tile_dim <= n
                   ? in.a[i - k + k % tile_dim * tile_dim + k / tile_dim]
                   : in.a[i];
    });
    const unsigned tiles = common::blocks(n, tile_dim * tile_dim);
    run("reorder_direct", reorder, reorder_direct, tile_dim * tile_dim, tiles);
    run("reorder_shared", reorder, reorder_shared<tile_dim>, tile_dim * tile_dim, tiles);
    run("reorder_padded", reorder, reorder_shared<tile_dim + 1>, tile_dim * tile_dim, tiles);
    //! [rows]
    return chapter.finish();
}
