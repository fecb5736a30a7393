// claim_row_blocks: Do the sums and gathers of rows take what it takes to launch their blocks?
//
// Kernels of chapter 35 with 128 threads per block make 2^20 or 2^21 blocks of 512 MiB, and by
// chapter 23 a block takes 0.60 ns to launch. Here larger blocks, threads that have more to do or
// persistent blocks do the same with fewer. Where that gains nothing, the launch was not the limit.

#include "../../chapters/35_indexed_rows/indexed_rows.hpp"
#include "common/chapter.hpp"

#include <bit>

using Rows = IndexedRows;

// Those of chapter 35, of rows that an index names.

__global__ void row_per_warp(const unsigned* index, const uint4* a, uint4* c, std::size_t rows,
                             unsigned width)
{
    constexpr unsigned group = 32;
    const std::size_t r = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / group;
    if (r >= rows) {
        return;
    }
    const uint4* source = a + std::size_t{index[r]} * width;
    uint4* target = c + r * width;
    unsigned k = threadIdx.x % group;
    for (; k + group < width; k += 2 * group) {
        const uint4 first = source[k];
        const uint4 second = source[k + group];
        target[k] = first;
        target[k + group] = second;
    }
    if (k < width) {
        target[k] = source[k];
    }
}

__global__ void atomic_add_rows(const unsigned* index, const float* a, float* c, std::size_t rows,
                                unsigned width)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t r = i / width;
    if (r < rows) {
        atomicAdd(&c[std::size_t{index[r]} * width + i % width], a[i]);
    }
}

// As many lanes as `lanes` have a row of the table: a warp, or one for each vector of 64 bytes.
template<unsigned lanes>
__global__ void segment_sum(const unsigned* begin, const unsigned* members, const float4* a,
                            float4* c, std::size_t rows, unsigned width)
{
    const std::size_t v = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / lanes;
    if (v >= rows) {
        return;
    }
    for (unsigned k = threadIdx.x % lanes; k < width; k += lanes) {
        float4 sum = make_float4(0, 0, 0, 0);
        for (unsigned j = begin[v]; j < begin[v + 1]; ++j) {
            const float4 x = a[std::size_t{members[j]} * width + k];
            sum = make_float4(sum.x + x.x, sum.y + x.y, sum.z + x.z, sum.w + x.w);
        }
        c[v * width + k] = sum;
    }
}

// What atomic_add_rows is compared with: no division, since rows have 2^shift floats. And a grid of
// any size will do: one thread for each float, so as many blocks and atomics as atomic_add_rows, or
// persistent blocks, with as many atomics.
__global__ void add_shifted(const unsigned* index, const float* a, float* c, std::size_t rows,
                            unsigned shift)
{
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i >> shift < rows;
         i += std::size_t{gridDim.x} * blockDim.x) {
        const std::size_t r = i >> shift;
        atomicAdd(&c[(std::size_t{index[r]} << shift) + (i & ((1U << shift) - 1))], a[i]);
    }
}

// A thread has a vector, and adds it by one atomic where the GPU can: a quarter of the blocks.
__global__ void add_vectors(const unsigned* index, const float4* a, float4* c, std::size_t rows,
                            unsigned width)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t r = i / width;
    if (r < rows) {
        float4* to = &c[std::size_t{index[r]} * width + i % width];
        const float4 x = a[i];
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        atomicAdd(to, x);
#else
        atomicAdd(&to->x, x.x);
        atomicAdd(&to->y, x.y);
        atomicAdd(&to->z, x.z);
        atomicAdd(&to->w, x.w);
#endif
    }
}

void run_atomics(common::Chapter& chapter, Rows& p)
{
    // What a size and an order need not have, once others have it, is left to --full: all of these
    // rows, or those but for one of few blocks and one of many.
    const bool random = p.order == RowOrder::random;
    const bool some = p.width == 512 && !random;
    const bool others = p.width == 512 || !random;
    const std::size_t floats = p.rows * p.of<float>();
    const auto shift = static_cast<unsigned>(std::countr_zero(p.of<float>()));
    const auto run = [&](const char* name, unsigned threads, bool full, auto launch) {
        common::Variant variant = rows_variant(p, name, threads);
        variant.full_only = full;
        variant.model_excluded_reason = "its time includes a memset";
        chapter.run(variant, p, [&](cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(p.c<float>(), 0, p.rows * p.width, stream));
            launch(stream);
        });
    };
    const auto each = [&](unsigned threads, bool full) {
        run("atomic_add_rows", threads, full, [&](cudaStream_t stream) {
            atomic_add_rows<<<common::blocks(floats, threads), threads, 0, stream>>>(
                p.where, p.a<float>(), p.c<float>(), p.rows, p.of<float>());
        });
    };
    const auto shifted = [&](const char* name, unsigned threads, unsigned grid, bool full) {
        run(name, threads, full, [&](cudaStream_t stream) {
            add_shifted<<<grid, threads, 0, stream>>>(p.where, p.a<float>(), p.c<float>(), p.rows,
                                                      shift);
        });
    };
    const auto vectors = [&](unsigned threads, bool full) {
        run("add_vectors", threads, full, [&](cudaStream_t stream) {
            add_vectors<<<common::blocks(floats / 4, threads), threads, 0, stream>>>(
                p.where, p.a<float4>(), p.c<float4>(), p.rows, p.of<float4>());
        });
    };
    each(128, some);
    each(256, others);
    each(512, some);
    each(1024, others);
    shifted("add_shifted", 128, common::blocks(floats, 128), others);
    shifted("add_shifted", 512, common::blocks(floats, 512), others);
    shifted("add_persistent", 512, common::persistent_grid_blocks(add_shifted, 512), some);
    vectors(128, some);
    vectors(512, others);
}

void run_members(common::Chapter& chapter, Rows& p)
{
    const auto run = [&](const char* name, unsigned threads, unsigned lanes, auto kernel) {
        common::Variant variant = rows_variant(p, name, threads);
        variant.model_excluded_reason = "a sample of the warps may miss those with many rows";
        chapter.run(variant, p, [&](cudaStream_t stream) {
            kernel<<<common::blocks(p.rows * lanes, threads), threads, 0, stream>>>(
                p.begin, p.members, p.a<float4>(), p.c<float4>(), p.rows, p.of<float4>());
        });
    };
    for (const unsigned threads : {128, 512, 1024}) {
        run("segment_sum", threads, 32, segment_sum<32>);
    }
    run("members_by_four", 128, 4, segment_sum<4>);
    run("members_by_four", 512, 4, segment_sum<4>);
}

void run_order(common::Chapter& chapter, std::size_t n, std::size_t row_bytes, RowOrder order)
{
    const bool hot = order == RowOrder::hot;
    if (row_bytes == 64 && !hot) {
        Rows p(chapter, RowTask::look_up, n, row_bytes, order);
        p.expect_rows([&p](std::size_t r) { return p.index(r); });
        for (const unsigned threads : {128, 256, 512, 1024}) {
            chapter.run(rows_variant(p, "row_per_warp", threads), p, [&](cudaStream_t stream) {
                row_per_warp<<<common::blocks(p.rows * 32, threads), threads, 0, stream>>>(
                    p.where, p.a<uint4>(), p.c<uint4>(), p.rows, p.of<uint4>());
            });
        }
    }
    Rows p(chapter, RowTask::add_up, n, row_bytes, order);
    p.expect_sums([&p](std::size_t v, std::size_t k) {
        float sum = 0;
        for (const std::size_t r : p.members_of(v)) {
            sum += p.element(r * p.of<float>() + k);
        }
        return sum;
    });
    run_atomics(chapter, p);
    if (row_bytes == 64 && !hot) {
        run_members(chapter, p);
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 28}, // 16-bit elements, as chapter 35 has them
                                        .cpu = {1 << 16},
                         .bytes_per_element = 4})) {
        common::Words zeros(chapter, "clear rows", n); // what each sum by atomics begins with
        common::Variant row{.name = "memset", .setup = [&] {
                                zeros.moved = 2 * n;
                                zeros.expect_words((n + 1) / 2, [](std::size_t) { return 0U; });
                            }};
        chapter.run_library(row, zeros, [&](cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(zeros.c, 0, (n + 1) / 2 * sizeof(float), stream));
        });
        for (const std::size_t row_bytes : {64, 512, 8192}) {
            for (const auto order : {RowOrder::random, RowOrder::sorted, RowOrder::hot}) {
                run_order(chapter, n, row_bytes, order);
            }
        }
    }
    return chapter.finish();
}
