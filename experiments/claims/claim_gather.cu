// claim_gather: Who fetches 64 bytes for an element of 4, and why is a shuffled block faster?
//
// Elements far apart, with the limit of what the L2 fetches at once set to 32, 64 and 128 bytes. If
// DRAM itself gave 64 bytes at a time, the limit would change nothing, and one sector of two would
// take as long as both. Then the indices of chapter 17 in orders that tell the warps of a block
// from the lanes of a warp, with L1 and past it.

#include "../../chapters/17_gather/indexed.hpp"
#include "common/chapter.hpp"

#include <algorithm>
#include <string>

constexpr unsigned threads = 256;

template<bool past_l1>
__global__ void gather(const unsigned* index, const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = past_l1 ? __ldcg(&a[index[i]]) : a[index[i]];
    }
}

// One word of each `step`, in order.
__global__ void read_steps(const unsigned* a, unsigned* c, std::size_t count, unsigned step)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count) {
        c[i] = a[i * step];
    }
}

// Indices change places with others of their window; `warps` moves warps and leaves their lanes.
struct Order
{
    const char* name;
    std::size_t window; // elements
    bool warps = false;
};

constexpr unsigned lanes = 32;

__host__ __device__ std::size_t place(std::size_t i, std::size_t n, Shuffle shuffle, bool warps)
{
    if (!warps) {
        return shuffle(i);
    }
    return i / lanes < n / lanes ? shuffle(i / lanes) * lanes + i % lanes : i;
}

__global__ void write_indices(unsigned* index, std::size_t n, Shuffle shuffle, bool warps)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        index[i] = static_cast<unsigned>(place(i, n, shuffle, warps));
    }
}

// Sets the limit that a row requests, if any: before its memory is allocated. Why it cannot run is
// what the device says then; what it has made of the limit is a column.
common::Lazy<std::string> set_limit(unsigned bytes)
{
    return [bytes]() -> std::string {
        const cudaError_t status =
            bytes == 0 ? cudaSuccess : cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, bytes);
        static_cast<void>(cudaGetLastError()); // it is told, and no later launch's
        return status == cudaSuccess ? "" : cudaGetErrorString(status);
    };
}

std::size_t limit_now()
{
    std::size_t bytes = 0;
    CHECK_CUDA(cudaDeviceGetLimit(&bytes, cudaLimitMaxL2FetchGranularity));
    return bytes;
}

class Gather : public common::Arrays<float>
{
  public:
    Gather(const common::Setting& setting, std::size_t size)
        : Arrays(setting, {.task = "gather", .n = size, .bytes = size * 12})
    {}
    common::Buffer<unsigned> index;

  private:
    void make_arrays() override
    {
        Arrays::make_arrays();
        index = common::Buffer<unsigned>(n);
    }
};

void run_gather(common::Chapter& chapter, Gather& p, const Order& order, bool past_l1,
                unsigned limit)
{
    const std::size_t n = p.n;
    const Shuffle shuffle(order.warps ? std::max(n / lanes, std::size_t{1}) : n,
                          order.warps ? order.window / lanes : order.window);
    const unsigned grid = common::blocks(n, threads);
    const common::Variant row{
        .name = past_l1 ? "gather_past_l1" : "gather",
        .threads = threads,
        .columns = {{"indices", order.name}, {"limit", limit}, {"limit_set", limit_now}},
        .unavailable = set_limit(limit),
        .model_excluded_reason = "the time depends on the places of the elements",
        .setup = [&, n] {
            p.expect([=, warps = order.warps](auto& in, std::size_t i) {
                return in.a[place(i, n, shuffle, warps)];
            });
            write_indices<<<grid, threads>>>(p.index.data(), n, shuffle, order.warps);
        }};
    chapter.run(row, p, [&](cudaStream_t stream) {
        auto* kernel = past_l1 ? gather<true> : gather<false>;
        kernel<<<grid, threads, 0, stream>>>(p.index.data(), p.a, p.c, n);
    });
}

void run_steps(common::Chapter& chapter, common::Words& p, unsigned step, unsigned limit)
{
    const std::size_t count = std::max(p.n / step, std::size_t{1});
    p.moved = 2 * count * sizeof(unsigned);
    const common::Variant row{.name = "read_steps",
                              .threads = threads,
                              .columns = {{"step_bytes", step * sizeof(unsigned)},
                                          {"limit", limit},
                                          {"limit_set", limit_now}},
                              .unavailable = set_limit(limit),
                              .setup = [&p, count, step] {
                                  p.expect_words(count, [&p, step](std::size_t i) {
                                      std::uint32_t word = 0;
                                      p.input(i * step, 1, &word);
                                      return word;
                                  });
                              }};
    chapter.run(row, p, [&](cudaStream_t stream) {
        read_steps<<<common::blocks(count, threads), threads, 0, stream>>>(p.a, p.c, count, step);
    });
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const common::Sizes sizes{.gpu = {1u << 28}, .cpu = {1u << 16}, .bytes_per_element = 12};
    const Order anywhere = {"random", max_indices};
    for (std::size_t n : chapter.sizes(sizes)) {
        {
            Gather p(chapter, n);
            for (const Order& order :
                 {Order{"sequential", 1}, Order{"in a warp", lanes},
                  Order{"warps of a block", threads, true}, Order{"in a block", threads}}) {
                run_gather(chapter, p, order, false, 0);
                run_gather(chapter, p, order, true, 0);
            }
        }
        for (unsigned limit : {128u, 64u, 32u}) {
            Gather p(chapter, n); // memory of its own: the limit stands before it is first touched
            run_gather(chapter, p, anywhere, false, limit);
        }
        for (unsigned limit : {128u, 64u, 32u}) {
            common::Words p(chapter, "read steps", n, n);
            for (unsigned step : {8u, 16u, 32u, 64u}) {
                run_steps(chapter, p, step, limit);
            }
        }
    }
    return chapter.finish();
}
