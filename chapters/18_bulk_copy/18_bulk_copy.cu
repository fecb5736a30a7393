// 18_bulk_copy: What is the last percent of the bandwidth made of?
//
// float4 is within a percent of the best library kernel. What is left: threads per block, hints for
// the caches, and the bulk copy engine (compute capability 9.0), which fetches kilobytes at a time.

#include "bulk.cuh"
#include "common/chapter.hpp"
#include "order.cuh"

//! [hints]
// float4 as in chapter 05; `streaming` adds the hint that no byte will be used a second time.
template<bool streaming>
__global__ void add_float4(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t vectors = n / 4;
    if (i < vectors) {
        const float4* x = reinterpret_cast<const float4*>(a) + i;
        const float4* y = reinterpret_cast<const float4*>(b) + i;
        float4* z = reinterpret_cast<float4*>(c) + i;
        if constexpr (streaming) {
            __stcs(z, add4(__ldcs(x), __ldcs(y)));
        } else {
            *z = add4(*x, *y);
        }
    } else if (i == vectors) {
        for (std::size_t k = 4 * vectors; k < n; ++k) {
            c[k] = a[k] + b[k];
        }
    }
}
//! [hints]

//! [rows]
void run_add(common::Chapter& chapter, std::size_t n)
{
    common::VectorAdd problem(chapter, {.n = n});
    const auto run = [&](const common::Variant& row, auto kernel, std::size_t shared = 0) {
        chapter.run(row, problem, [&](cudaStream_t stream) {
            kernel<<<common::blocks(n, 4 * row.threads()), row.threads(), shared, stream>>>(
                problem.a, problem.b, problem.c, n);
        });
    };
    for (unsigned threads : {256u, 1024u}) {
        run({"add_plain", threads}, add_float4<false>);
        run({"add_streaming", threads}, add_float4<true>);
    }
    // 8, 4, 3, 2 and 2 blocks a multiprocessor: 64, 64, 54, 60 and 64 KiB on their way to it
    for (unsigned threads : {256u, 512u, 576u, 960u, 1024u}) {
        const std::size_t tile = threads * sizeof(float4);
        run({"add_bulk", threads, {{"tile_bytes", tile}}, common::needs_compute_capability(9)},
            add_bulk, 2 * tile);
    }
    common::run_add_libraries(chapter, problem);
}

template<class Unit>
void run_copy(common::Chapter& chapter)
{
    for (std::size_t n :
         chapter.sizes({GiB<Unit>, 4 * GiB<Unit>}, {1 << 18}, 2 * sizeof(Unit), {GiB<Unit>})) {
        common::Copy<Unit> p(chapter, {.n = n});
        const unsigned tile = 256; // float4s
        const std::size_t bytes = tile * sizeof(float4);
        const std::vector<common::Column> columns{{"unit", sizeof(Unit)}, {"tile_bytes", bytes}};
        // 8, 10 and 16 blocks a multiprocessor: 32, 40 and 64 KiB on their way to it at any time
        for (unsigned threads : {256u, 192u, 128u}) {
            chapter.run({"copy_bulk", threads, columns, common::needs_compute_capability(9)}, p,
                        [&](cudaStream_t stream) {
                            const unsigned blocks = common::blocks(n, bytes / sizeof(Unit));
                            copy_bulk<<<blocks, threads, bytes, stream>>>(p.a, p.c, n, tile);
                        });
        }
        common::run_copy_libraries(chapter, p, {{"unit", sizeof(Unit)}});
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (auto n :
         chapter.sizes({GiB<float>, 4 * GiB<float>}, {1 << 20}, 3 * sizeof(float), {GiB<float>})) {
        run_add(chapter, n);
    }
    if (chapter.everything()) {
        run_copy<unsigned char>(chapter);
        run_copy<unsigned short>(chapter);
    }
    run_copy<unsigned>(chapter);
    if (chapter.everything()) {
        run_copy<uint2>(chapter);
    }
    run_orders(chapter);
    return chapter.finish();
}
