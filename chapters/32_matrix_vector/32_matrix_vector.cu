// 32_matrix_vector: How fast can a GPU multiply a matrix by a vector?
//
// Each element of the matrix is read once, and used once: the bound is the time of its bytes.

#include "common/kernels.hpp"

#include <cuda_bf16.h>

//! [dot]
constexpr unsigned threads = 256;
// The products of every `step`th 16 bytes from i on. The row is read once, hence __ldcs().
template<class T, unsigned loads>
__device__ float dot(const uint4* a, const uint4* x, std::size_t i, unsigned step, std::size_t end)
{
    float sum = 0;
#pragma unroll 1
    for (; i + (loads - 1) * step < end; i += loads * step) {
        uint4 v[loads], w[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = __ldcs(a + i + k * step);
        }
        for (unsigned k = 0; k < loads; ++k) {
            w[k] = __ldg(x + i + k * step);
        }
        for (unsigned k = 0; k < loads; ++k) {
            sum = common::add_products<T>(v[k], w[k], sum);
        }
    }
#pragma unroll 1
    for (; i < end; i += step) {
        sum = common::add_products<T>(__ldcs(a + i), __ldg(x + i), sum);
    }
    return sum;
}
//! [dot]

//! [lanes_a_row]
// A row has `width` times 16 bytes and `lanes` threads: 1, a warp or a block. Where gridDim.y is
// more than 1, as many of them share it, `piece` times 16 bytes each.
template<class T, unsigned lanes, unsigned loads>
__global__ void __launch_bounds__(threads)
    lanes_a_row(const uint4* a, const T* x, float* c, std::size_t rows, std::size_t,
                std::size_t width, std::size_t piece)
{
    const std::size_t r = (std::size_t{blockIdx.x} * threads + threadIdx.x) / lanes;
    const unsigned lane = threadIdx.x % lanes;
    const std::size_t first = blockIdx.y * piece;
    const std::size_t count = r < rows && first < width ? min(piece, width - first) : 0;
    const float sum = common::sum_lanes<lanes>(dot<T, loads>(
        a + r * width + first, reinterpret_cast<const uint4*>(x) + first, lane, lanes, count));
    if (r < rows && lane == 0) {
        common::put(c + r, sum, gridDim.y == 1);
    }
}
//! [lanes_a_row]

//! [columns]
constexpr unsigned across = 16;  // lanes beside each other: they read 256 bytes of a column
constexpr unsigned resident = 4; // blocks of a multiprocessor: with more the loads lack registers

// A column has `height` times 16 bytes. A block has `across` of them; its threads, and those of
// gridDim.y such blocks, share the columns out.
template<class T, unsigned loads>
__global__ void __launch_bounds__(threads, common::bound_blocks(resident, threads))
    columns(const uint4* a, const T* x, float* c, std::size_t rows, std::size_t count,
            std::size_t height, std::size_t piece)
{
    constexpr unsigned step = threads / across;
    constexpr unsigned width = across * common::Sums<T>::count; // rows of a block
    __shared__ float parts[step][width];
    const unsigned lane = threadIdx.x % across;
    const std::size_t i = std::size_t{blockIdx.x} * across + lane;
    const std::size_t end = i < height ? min(count, (blockIdx.y + 1) * piece) : 0;
    common::Sums<T> sums;
    std::size_t k = blockIdx.y * piece + threadIdx.x / across;
#pragma unroll 1
    for (; k + (loads - 1) * step < end; k += loads * step) {
        uint4 v[loads];
        for (unsigned j = 0; j < loads; ++j) {
            v[j] = a[(k + j * step) * height + i];
        }
        for (unsigned j = 0; j < loads; ++j) {
            sums.add(v[j], x[k + j * step]);
        }
    }
#pragma unroll 1
    for (; k < end; k += step) {
        sums.add(a[k * height + i], x[k]);
    }
    for (unsigned j = 0; j < sums.count; ++j) {
        parts[threadIdx.x / across][lane * sums.count + j] = sums.of[j];
    }
    __syncthreads();
    const std::size_t r = std::size_t{blockIdx.x} * width + threadIdx.x;
    if (threadIdx.x < width && r < rows) {
        float sum = 0;
        for (unsigned j = 0; j < step; ++j) {
            sum += parts[j][threadIdx.x];
        }
        common::put(c + r, sum, gridDim.y == 1);
    }
}
//! [columns]

//! [sparse]
// Row r has the elements value[start[r]] to value[start[r + 1] - 1], value[i] in column[i].
template<unsigned lanes>
__global__ void sparse(const unsigned* start, const unsigned* column, const float* value,
                       const float* x, float* c, std::size_t rows)
{
    const std::size_t r = (std::size_t{blockIdx.x} * threads + threadIdx.x) / lanes;
    const unsigned end = start[min(r + 1, rows)];
    float sum = 0;
    for (unsigned i = start[min(r, rows)] + threadIdx.x % lanes; i < end; i += lanes) {
        sum += value[i] * x[column[i]];
    }
    sum = common::sum_lanes<lanes>(sum);
    if (r < rows && threadIdx.x % lanes == 0) {
        c[r] = sum;
    }
}

constexpr unsigned share = 8 * threads; // elements of a block, of whatever rows they are

// A row with elements in several shares is put together in c, and one without any stays as it was.
__global__ void sparse_shares(const unsigned* start, const unsigned* column, const float* value,
                              const float* x, float* c, std::size_t rows)
{
    __shared__ float products[share];
    const unsigned first = blockIdx.x * share;
    const unsigned end = min(first + share, start[rows]);
    for (unsigned i = first + threadIdx.x; i < end; i += threads) {
        products[i - first] = value[i] * x[column[i]];
    }
    __syncthreads();
    std::size_t r = common::row_of(start, rows, first) + threadIdx.x / 8; // with eight lanes
    while (__any_sync(0xffffffff, start[min(r, rows)] < end)) {
        const unsigned from = start[min(r, rows)];
        const unsigned to = start[min(r + 1, rows)];
        float sum = 0;
        for (unsigned i = max(from, first) + threadIdx.x % 8; i < min(to, end); i += 8) {
            sum += products[i - first];
        }
        sum = common::sum_lanes<8>(sum);
        if (threadIdx.x % 8 == 0 && from < min(to, end)) {
            common::put(c + r, sum, from >= first && to <= end);
        }
        r += threads / 8;
    }
}
//! [sparse]

//! [declared]
template<class T>
void run_dense(common::Chapter& chapter, const common::MatrixTask& task)
{
    common::MatrixVector<T> rows(chapter, task, common::Order::rows);
    common::MatrixVector<T> cols(chapter, task, common::Order::columns);
    const auto run = [&](auto& p, const common::MatrixRow& row, auto kernel) {
        const auto launch = [&, kernel](dim3 grid, std::size_t piece, cudaStream_t s) {
            kernel<<<grid, threads, 0, s>>>(p.units(), p.x, p.c, p.rows, p.columns, p.width, piece);
        };
        common::run_matrix_row(chapter, p, row, kernel, launch);
    };
    constexpr unsigned many = across * common::Sums<T>::count;
    run(rows, {.name = "thread_a_row", .rows = threads}, lanes_a_row<T, 1, 1>);
    run(rows, {.name = "warp_a_row", .rows = 8, .loads = 4}, lanes_a_row<T, 32, 4>);
    run(rows, {.name = "block_a_row", .loads = 2, .extra = true}, lanes_a_row<T, 256, 2>);
    run(rows, {.name = "split_rows", .loads = 2, .split = true}, lanes_a_row<T, 256, 2>);
    common::run_cublas(chapter, rows);
    run(cols, {.name = "columns", .rows = many, .loads = 8}, columns<T, 8>);
    run(cols, {.name = "split_columns", .rows = many, .loads = 8, .split = true, .each = resident},
        columns<T, 8>);
    common::run_cublas(chapter, cols);
}

void run_sparse(common::Chapter& chapter, std::size_t elements, common::Pattern pattern)
{
    common::SparseRows p(chapter, elements, pattern);
    const auto run = [&](const char* name, unsigned grid, auto kernel) {
        common::run_sparse_row(chapter, p, name, [=, &p](cudaStream_t stream) {
            kernel<<<grid, threads, 0, stream>>>(p.start, p.column, p.value, p.x, p.c, p.rows);
        });
    };
    run("sparse_thread_a_row", common::blocks(p.rows, threads), sparse<1>);
    run("sparse_warp_a_row", common::blocks(p.rows, threads / 32), sparse<32>);
    run("sparse_shares", common::blocks(p.count, share), sparse_shares);
    common::run_cusparse(chapter, p);
}
//! [declared]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes(common::matrix_sizes)) {
        for (const common::MatrixTask& task : common::matrix_tasks(n)) {
            run_dense<float>(chapter, task);
            run_dense<__nv_bfloat16>(chapter, task);
        }
        for (const common::Pattern pattern : common::patterns) {
            run_sparse(chapter, n / 16, pattern);
        }
    }
    return chapter.finish();
}
