// claim_windows: Up to which reach does a gather find its elements in the L2?
//
// Chapter 17's gather, and its scatter, with indices that change places in windows of 4 MiB to 512
// MiB. If the L2 keeps what chapter 18 found of it, times rise where a window no longer fits; if
// pages or rows of DRAM decide, they rise elsewhere.

#include "../../chapters/17_gather/indexed.hpp"
#include "common/chapter.hpp"

constexpr unsigned threads = 256;

__global__ void gather(const unsigned* index, const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[index[i]];
    }
}

__global__ void scatter(const unsigned* index, const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[index[i]] = a[i];
    }
}

__global__ void write_indices(unsigned* index, std::size_t n, Shuffle order)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        index[i] = static_cast<unsigned>(order(i));
    }
}

void run(common::Chapter& chapter, Indexed<float>& p, unsigned mib)
{
    const Shuffle shuffle(p.n, (std::uint64_t{mib} << 20) / sizeof(float));
    const unsigned grid = common::blocks(p.n, threads);
    for (const bool scatters : {false, true}) {
        const common::Variant row{.name = scatters ? "scatter" : "gather",
                                  .threads = threads,
                                  .columns = {{"window_mib", mib}},
                                  .task = scatters ? "scatter" : "gather",
                                  .model_excluded_reason = "what the L2 keeps of a window decides",
                                  .setup = [&, scatters] {
                                      p.expect_moved(shuffle, scatters);
                                      write_indices<<<grid, threads>>>(p.index, p.n, shuffle);
                                  }};
        chapter.run(row, p, [&](cudaStream_t stream) {
            if (scatters) {
                scatter<<<grid, threads, 0, stream>>>(p.index, p.a, p.c, p.n);
            } else {
                gather<<<grid, threads, 0, stream>>>(p.index, p.a, p.c, p.n);
            }
        });
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const common::Sizes sizes{.gpu = {1u << 28}, .cpu = {1u << 16}, .bytes_per_element = 12};
    for (std::size_t n : chapter.sizes(sizes)) {
        Indexed<float> p(chapter, n);
        for (unsigned mib : {4u, 8u, 16u, 24u, 32u, 48u, 64u, 128u, 512u}) {
            run(chapter, p, mib);
        }
    }
    return chapter.finish();
}
