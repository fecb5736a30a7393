// 17_gather: What does irregular access cost?
//
// A gather reads a[index[i]], a scatter writes c[index[i]]: the sectors per request depend on how
// far apart a warp's indices are. (shuffle.hpp permutes them; indexed.hpp has the reference.)

#include "common/chapter.hpp"
#include "indexed.hpp"

//! [gather]
template<class T>
__global__ void gather(const unsigned* index, const T* a, T* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[index[i]];
    }
}
//! [gather]

//! [scatter]
// No index occurs twice, so no two threads store to the same element.
template<class T>
__global__ void scatter(const unsigned* index, const T* a, T* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[index[i]] = a[i];
    }
}
//! [scatter]

//! [orders]
constexpr unsigned gather_block = 256;

// Indices are permuted at random within windows of `window` elements, or over the whole array.
struct Order
{
    const char* name;
    std::uint64_t window; // elements
};

const Order sequential = {"sequential", 1};
const Order in_a_block = {"in a block", gather_block};
const Order in_4_mib = {"in 4 MiB", (4u << 20) / sizeof(float)};
const Order random_order = {"random", max_indices};

__global__ void write_indices(unsigned* index, std::size_t n, Shuffle order)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        index[i] = static_cast<unsigned>(order(i));
    }
}
//! [orders]

//! [rows]
template<class T>
void run_indexed(common::Chapter& chapter, Indexed<T>& p, const Order& order)
{
    const Shuffle shuffle(p.n, order.window);
    const unsigned grid = common::blocks(p.n, gather_block);
    const bool windows = order.window > 1 && order.window != max_indices;
    const auto row = [&](const char* name, bool scatters, unsigned threads) {
        return common::Variant{
            .name = name,
            .threads = threads,
            .columns = {{"element_bytes", sizeof(T)}, {"indices", order.name}},
            .unavailable = p.n > max_indices ? "needs indices of more than 32 bits" : "",
            .task = scatters ? "scatter" : "gather",
            .model_excluded_reason =
                windows ? "the model treats all windows as one table, partly held by the L2" : "",
            .full_only = windows || (order.window == 1 && sizeof(T) > sizeof(float)),
            .setup = [&, scatters] {
                p.expect_moved(shuffle, scatters);
                write_indices<<<grid, gather_block>>>(p.index, p.n, shuffle);
            }};
    };
    chapter.run(row("gather", false, gather_block), p, [&](cudaStream_t stream) {
        gather<<<grid, gather_block, 0, stream>>>(p.index, p.a, p.c, p.n);
    });
    if constexpr (sizeof(T) == sizeof(float)) {
        chapter.run_library(row("thrust::gather", false, 0), p, [&](cudaStream_t stream) {
            common::thrust_gather(p.index, p.a, p.c, p.n, stream);
        });
    }
    chapter.run(row("scatter", true, gather_block), p, [&](cudaStream_t stream) {
        scatter<<<grid, gather_block, 0, stream>>>(p.index, p.a, p.c, p.n);
    });
    if constexpr (sizeof(T) == sizeof(float)) {
        chapter.run_library(row("thrust::scatter", true, 0), p, [&](cudaStream_t stream) {
            common::thrust_scatter(p.index, p.a, p.c, p.n, stream);
        });
    }
}
//! [rows]

template<class T>
void run_indexed(common::Chapter& chapter, std::initializer_list<Order> orders)
{
    constexpr std::size_t floats = sizeof(T) / sizeof(float);
    const common::Sizes sizes{.gpu = {(1u << 28) / floats},
                              .cpu = {(1u << 20) / floats},
                              .bytes_per_element = 2 * sizeof(T) + sizeof(unsigned)};
    for (std::size_t n : chapter.sizes(sizes)) {
        Indexed<T> problem(chapter, n);
        for (const Order& order : orders) {
            run_indexed(chapter, problem, order);
        }
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_indexed<float>(chapter, {sequential, in_a_block, in_4_mib, random_order});
    run_indexed<float4>(chapter, {sequential, random_order});
    return chapter.finish();
}
