// 37_small_kernels: From which size on does it matter how a kernel is launched?
//
// The same work in 1 to 1,024 steps, timed on the host: a launch each; a graph; kernels that begin
// before the one that they need has ended; one kernel that waits for itself; one for all.

#include "common/kernels.hpp"

#include <cooperative_groups.h>

//! [step]
// Word i of a piece of m words, and, where there is a piece before, what was made of its word i
// + 1. From the L2: a multiprocessor may still have older words in its L1.
__device__ unsigned made(unsigned x, const unsigned* before, std::size_t i, std::size_t m)
{
    return before == nullptr ? x : x + __ldcg(&before[i + 1 == m ? 0 : i + 1]);
}

__global__ void step(const unsigned* a, const unsigned* before, unsigned* c, std::size_t m,
                     std::size_t count)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count) {
        c[i] = made(a[i], before, i, m);
    }
}
//! [step]

//! [programmatic]
// In a launch that may begin before the one before it has ended. In others both do nothing.
__device__ void let_the_next_begin()
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion(); // once all blocks have said so
#endif
}
__device__ void wait_for_the_last()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize(); // until it has ended, and all of it is in memory
#endif
}

// While it waits for the step before, what needs nothing of that is on its way.
__global__ void early_step(const unsigned* a, const unsigned* before, unsigned* c, std::size_t m,
                           std::size_t count)
{
    let_the_next_begin();
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const unsigned x = i < count ? a[i] : 0;
    wait_for_the_last();
    if (i < count) {
        c[i] = made(x, before, i, m);
    }
}
//! [programmatic]

//! [persistent]
// All steps, one after another, by threads that stay: the grid waits for itself between two.
__global__ void persistent(const unsigned* a, unsigned* c, std::size_t m, std::size_t n)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    for (std::size_t piece = 0; piece < n; piece += m) {
        const unsigned* before = piece == 0 ? nullptr : c + (piece - m);
        for (std::size_t i = first; i < m && piece + i < n;
             i += std::size_t{gridDim.x} * blockDim.x) {
            c[piece + i] = made(a[piece + i], before, i, m);
        }
        if (piece + m < n) {
            cooperative_groups::this_grid().sync();
        }
    }
}
//! [persistent]

//! [together]
// All steps at once, where none needs another: a row of blocks for each.
__global__ void together(const unsigned* a, unsigned* c, std::size_t m, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (const std::size_t at = blockIdx.y * m + i; i < m && at < n) {
        c[at] = made(a[at], nullptr, i, m);
    }
}
//! [together]

//! [rows]
constexpr unsigned threads = 512;
constexpr unsigned streams = 4;

struct Steps
{
    common::Words& p;
    std::size_t m; // words of a piece
    bool chain;    // each step needs the one before

    // Calls launch(a, before, c, count) for each step.
    template<class Launch>
    void each(Launch launch) const
    {
        for (std::size_t piece = 0; piece < p.n; piece += m) {
            launch(p.a + piece, chain && piece > 0 ? p.c + (piece - m) : nullptr, p.c + piece,
                   std::min(m, p.n - piece));
        }
    }
    void launch(cudaStream_t stream) const
    {
        each([&](auto a, auto before, auto c, std::size_t count) {
            step<<<common::blocks(count, threads), threads, 0, stream>>>(a, before, c, m, count);
        });
    }
    void launch_early(cudaStream_t stream) const
    {
        cudaLaunchAttribute early{};
        early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early.val.programmaticStreamSerializationAllowed = 1;
        each([&](auto a, auto before, auto c, std::size_t count) {
            const cudaLaunchConfig_t config{.gridDim = common::blocks(count, threads),
                                            .blockDim = threads,
                                            .dynamicSmemBytes = 0,
                                            .stream = stream,
                                            .attrs = &early,
                                            .numAttrs = 1};
            CHECK_CUDA(cudaLaunchKernelEx(&config, early_step, a, before, c, m, count));
        });
    }
    void launch_on_streams(std::vector<common::Stream>& all) const
    {
        all.resize(streams); // once: by then there is a GPU
        each([&, next = 0u](auto a, auto before, auto c, std::size_t count) mutable {
            step<<<common::blocks(count, threads), threads, 0, all[next++ % streams]>>>(
                a, before, c, m, count);
        });
    }
    void launch_persistent(cudaStream_t stream) const
    {
        // All of them have to be resident; of more, more have to be waited for.
        const unsigned room = 2 * common::attribute(cudaDevAttrMultiProcessorCount);
        const unsigned* a = p.a;
        unsigned* c = p.c;
        std::size_t words = m;
        std::size_t n = p.n;
        void* arguments[] = {&a, &c, &words, &n};
        const unsigned grid = std::min(room, common::blocks(m, threads));
        CHECK_CUDA(cudaLaunchCooperativeKernel(persistent, grid, threads, arguments, 0, stream));
    }
};

void run_steps(common::Chapter& chapter, std::size_t n, std::size_t count, bool chain)
{
    common::Words p(chapter, chain ? "chain" : "steps", n, n);
    const Steps steps{p, (n + count - 1) / count, chain};
    p.moved = 2 * n * sizeof(unsigned);
    p.done = count;
    p.expect(n, common::words_of_steps(p, steps.m, chain));
    const auto run = [&](const char* name, const common::Launch& work,
                         const common::Lazy<std::string>& unavailable = std::string()) {
        const common::Variant row{
            .name = name,
            .threads = threads,
            .columns = {{"steps", count}, {"needs", chain ? "the last" : "none"}},
            .unavailable = unavailable,
            .unmodelled = "it has one figure for all launches",
            .full = count != 1024 && n >= 1024};
        chapter.run_transfer(row, p, work);
    };
    const auto launch = [&](cudaStream_t stream) { steps.launch(stream); };
    const auto early = [&](cudaStream_t stream) { steps.launch_early(stream); };
    run("launches", launch);
    if (chain) {
        run("programmatic", early, common::needs_compute_capability(9));
        run("graph", common::captured(launch));
        run("programmatic_graph", common::captured(early), common::needs_compute_capability(9));
        run("persistent", [&](cudaStream_t stream) { steps.launch_persistent(stream); });
    } else {
        std::vector<common::Stream> all;
        run("streams", [&](cudaStream_t) { steps.launch_on_streams(all); });
        run("together", [&](cudaStream_t stream) {
            const dim3 grid = common::grid(steps.m, count, threads, 1);
            together<<<grid, threads, 0, stream>>>(p.a, p.c, steps.m, n);
        });
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 24, 30'000'001, 1 << 26},
                         .cpu = {1 << 16},
                         .usual = {1 << 26},
                         .bytes_per_element = 2 * sizeof(unsigned)})) {
        for (std::size_t count : {1, 8, 32, 128, 1024}) {
            if (count <= n) {
                run_steps(chapter, n, count, true);
                run_steps(chapter, n, count, false);
            }
        }
    }
    return chapter.finish();
}
