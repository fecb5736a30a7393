// 02_threads_per_block: How does the block size affect bandwidth?
//
// The kernel is the one of chapter 01. Only the launch changes: the same threads, cut into smaller
// or larger blocks. Next to each block size stands the occupancy that the runtime promises for it.

#include "common/chapter.hpp"

//! [basic]
__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
//! [basic]

//! [occupancy]
// Resident threads over the most that an SM can hold, 0 to 1.
double occupancy(unsigned threads)
{
    int blocks = 0;
    int max_threads = 0;
    CHECK_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, static_cast<int>(threads), 0));
    CHECK_CUDA(cudaDeviceGetAttribute(&max_threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    return static_cast<double>(blocks) * threads / max_threads;
}

// The block size that the runtime suggests for full occupancy.
unsigned suggested_threads()
{
    int grid = 0;
    int threads = 0;
    CHECK_CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, add));
    return static_cast<unsigned>(threads);
}
//! [occupancy]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    common::VectorAdd problem(chapter);
    const auto run = [&](const char* name, const common::Lazy<unsigned>& threads) {
        const common::Column promised{"occupancy", [&] { return occupancy(threads()); }};
        const common::Variant row{.name = name, .threads = threads, .columns = {promised}};
        chapter.run(row, problem, [&](cudaStream_t stream) {
            add<<<common::blocks(problem.n, threads()), threads(), 0, stream>>>(
                problem.a, problem.b, problem.c, problem.n);
        });
    };
    for (unsigned threads : {64u, 128u, 256u, 512u, 1024u}) {
        run("basic", threads);
    }
    run("suggested", suggested_threads); // asked when its row runs
    common::run_add_libraries(chapter, problem);
    return chapter.finish();
}
