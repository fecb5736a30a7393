// claim_warm_code: Does a small launch gain by its data in the L2, or by its code?
//
// From cold to hot a launch gains three things: its data are in the L2, its code is near its SMs,
// and the events before and behind it are shared by many launches. Behind the flush one launch,
// then the same on other data with one behind it, and that with itself behind it. What the second
// of two takes, `other` less `once`, has its data from DRAM and warm code; `same` less `once` has
// its data from the L2, too. If data are what is gained, `other` less `once` is as long as `once`;
// if code and events are, as long as a hot launch.

#include "../../chapters/28_reduction/grid_stride.cuh"
#include "common/chapter.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

__global__ void copy(const uint4* a, uint4* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

// Launches of one kernel on arrays of n words; `work(from, stream)` is one.
template<class Work>
void run(common::Chapter& chapter, common::Words& p, const char* name, const Work& work)
{
    common::Buffer<unsigned> other;
    const auto setup = [&] {
        other = common::Buffer<unsigned>(p.n);
        CHECK_CUDA(cudaMemset(other.data(), 0, other.bytes()));
    };
    const auto run_behind = [&](const char* behind, auto first) {
        chapter.run({.name = name, .columns = {{"behind", behind}}, .setup = setup}, p,
                    [&](cudaStream_t stream) {
                        first(stream);
                        work(p.a, stream);
                    });
    };
    run_behind("nothing", [](cudaStream_t) {});
    run_behind("other", [&](cudaStream_t stream) { work(other.data(), stream); });
    run_behind("same", [&](cudaStream_t stream) { work(p.a, stream); });
}

void run_copy(common::Chapter& chapter, std::size_t n, const char* name)
{
    common::Words p(chapter, "copy", std::max(n, std::size_t{1}), std::max(n, std::size_t{1}));
    p.moved = 2 * n * sizeof(unsigned);
    p.expect_words(std::max(n, std::size_t{1}), [&p, n](std::size_t i) {
        std::uint32_t word = 0xffffffff; // the poison
        if (i < n) {
            p.input(i, 1, &word);
        }
        return word;
    });
    run(chapter, p, name, [&](const unsigned* from, cudaStream_t stream) {
        copy<<<common::blocks(std::max(n / 4, std::size_t{1}), threads), threads, 0, stream>>>(
            reinterpret_cast<const uint4*>(from), reinterpret_cast<uint4*>(p.c), n / 4);
    });
}

void run_sums(common::Chapter& chapter, std::size_t n)
{
    common::Words p(chapter, "sum of words", n, n);
    p.moved = n * sizeof(unsigned);
    p.expect_words(1, [&p, n](std::size_t) {
        std::vector<std::uint32_t> words(n);
        p.input(0, n, words.data());
        return std::accumulate(words.begin(), words.end(), 0u);
    });
    const auto kernel = grid_stride<Sum<unsigned, uint4>, 4>;
    common::Lazy<unsigned> grid = [&] {
        return std::min(common::blocks(n, std::size_t{persistent_threads} * 16),
                        common::persistent_grid_blocks(kernel, persistent_threads));
    };
    run(chapter, p, "sum", [&](const unsigned* from, cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(p.c, 0, sizeof *p.c, stream));
        kernel<<<grid(), persistent_threads, 0, stream>>>(from, p.c, n);
    });
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_copy(chapter, 0, "empty");
    for (std::size_t n : chapter.sizes({.gpu = {1u << 18, 1u << 20, 1u << 22, 1u << 24},
                         .cpu = {1u << 16},
                         .bytes_per_element = 3 * sizeof(unsigned)})) {
        run_copy(chapter, std::max(n / 4 * 4, std::size_t{4}), "copy"); // whole vectors
        run_sums(chapter, n);
    }
    return chapter.finish();
}
