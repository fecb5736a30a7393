// 27_cache_hints: Do cache hints or block order improve bandwidth?
//
// The addition of chapter 05 with loads that L2 evicts first, or last; and a copy whose blocks
// visit the array in other orders.
//
// hints.cuh         loads with cache hints
// add_float4.cuh    the addition, with hints and without
// copy_ordered.cuh  the copy, with a permuted block order

#include "add_float4.cuh"
#include "copy_ordered.cuh"

#include <algorithm>

template<class T>
constexpr std::size_t GiB = (std::size_t{1} << 30) / sizeof(T);

//! [hint_rows]
void run_hints(common::Chapter& chapter, std::size_t n)
{
    common::VectorAdd problem(chapter, {.n = n});
    const auto run = [&](const char* name, unsigned threads, auto kernel) {
        chapter.run({.name = name, .threads = threads}, problem, [&](cudaStream_t stream) {
            kernel<<<common::blocks(n, 4 * threads), threads, 0, stream>>>(problem.a, problem.b,
                                                                           problem.c, n);
        });
    };
    for (unsigned threads : {256u, 1024u}) {
        run("add_plain", threads, add_float4<Hint::none>);
        run("add_streaming", threads, add_float4<Hint::evict_first>);
        run("add_evict_last", threads, add_float4<Hint::evict_last>);
    }
}
//! [hint_rows]

//! [order_rows]
struct Order
{
    unsigned streams;
    unsigned window; // blocks
    bool full = false;
};

const Order orders[] = {{1, 1},          {2, 1},          {4, 1, true}, {16, 1},
                        {64, 1, true},   {1024, 1},       {1, 16},      {1, 256},
                        {1, 1024, true}, {1, 4096, true}, {1, 8192}};

void run_orders(common::Chapter& chapter)
{
    const std::size_t n =
        chapter
            .sizes({.gpu = {GiB<float>}, .cpu = {1 << 18}, .bytes_per_element = 2 * sizeof(float)})
            .front();
    common::Copy<unsigned> p(chapter, {.n = n});
    const auto run = [&](const char* name, const Order& order, auto kernel) {
        const common::Variant row{.name = name,
                                  .threads = 256,
                                  .columns = {{"unit", sizeof(uint4)},
                                              {"streams", order.streams},
                                              {"window", order.window}},
                                  .full_only = order.full};
        chapter.run(row, p, [&](cudaStream_t stream) {
            const unsigned step = std::max(order.streams, order.window);
            const unsigned blocks = common::blocks(n, 4 * 256 * step) * step;
            kernel<<<blocks, 256, 0, stream>>>(p.a, p.c, n, order.streams, order.window);
        });
    };
    for (const Order& order : orders) {
        run("copy_ordered", order, copy_ordered<Hint::none>);
    }
    run("copy_evict_last", orders[0], copy_ordered<Hint::evict_last>);
    common::run_copy_libraries(chapter, p, {{"unit", sizeof(uint4)}});
}
//! [order_rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const common::Sizes sizes{.gpu = {GiB<float>, 4 * GiB<float>},
                              .cpu = {1 << 20},
                              .default_sizes = {GiB<float>},
                              .bytes_per_element = 3 * sizeof(float)};
    for (std::size_t n : chapter.sizes(sizes)) {
        run_hints(chapter, n);
    }
    run_orders(chapter);
    return chapter.finish();
}
