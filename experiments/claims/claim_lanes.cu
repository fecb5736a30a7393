// claim_lanes: What do the kernels of chapter 32 wait for?
//
// Why is one block per row faster than one warp per row: by its place in the rows, by the loads
// that it has in flight, or by the rounds that its blocks come in? Is `columns` slow since its
// launch bound leaves registers for two or three of its eight loads? What of `sparse_partitions` in
// a band is the search for the first row?
//
// What is in flight together, the source does not say, but the registers do: of a row's two or four
// loads nvcc 13.0 has one or two together in 32 registers, two in 40, and all in 56.

#include "../../chapters/32_matrix_vector/matrix_vector.hpp"
#include "../../chapters/32_matrix_vector/products.cuh"
#include "../../chapters/32_matrix_vector/row_of.cuh"
#include "../../chapters/32_matrix_vector/sparse_rows.hpp"
#include "../../chapters/32_matrix_vector/sum_lanes.cuh"
#include "common/chapter.hpp"

#include <cuda_bf16.h>

#include <vector>

constexpr unsigned usual_threads = 256;
constexpr unsigned most = 2048; // threads of an SM

// The reference: a row of the matrix times the vector, in double.
template<class T>
void expect_products(MatrixVector<T>& p)
{
    p.expect([&p](std::size_t r) {
        RowSum sum;
        for (std::size_t k = 0; k < p.columns; ++k) {
            sum.add(p.element(r, k), p.vector_element(k));
        }
        return sum;
    });
}

// Chapter 32's.
template<class T, unsigned loads>
__device__ float dot(const uint4* a, const uint4* x, std::size_t i, unsigned step, std::size_t end)
{
    float sum = 0;
#pragma unroll 1
    for (; i + (loads - 1) * step < end; i += loads * step) {
        uint4 v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = __ldcs(a + i + k * step);
        }
        for (unsigned k = 0; k < loads; ++k) {
            sum = add_products<T>(v[k], __ldg(x + i + k * step), sum);
        }
    }
#pragma unroll 1
    for (; i < end; i += step) {
        sum = add_products<T>(__ldcs(a + i), __ldg(x + i), sum);
    }
    return sum;
}

// Chapter 32's without pieces, for other lanes and blocks, and with registers for `blocks_per_sm`
// threads on an SM.
template<class T, unsigned lanes, unsigned loads, unsigned blocks_per_sm, unsigned threads>
__global__ void __launch_bounds__(threads, common::bound_blocks(blocks_per_sm / threads, threads))
    lanes_per_row(const uint4* a, const T* x, float* c, std::size_t rows, std::size_t width)
{
    const std::size_t r = (std::size_t{blockIdx.x} * threads + threadIdx.x) / lanes;
    const unsigned lane = threadIdx.x % lanes;
    float sum = sum_lanes<(lanes < 32 ? lanes : 32)>(
        dot<T, loads>(a + r * width, reinterpret_cast<const uint4*>(x), std::size_t{lane}, lanes,
                      r < rows ? width : std::size_t{0}));
    if constexpr (lanes > 32) {
        __shared__ float warps[threads / 32];
        if (threadIdx.x % 32 == 0) {
            warps[threadIdx.x / 32] = sum;
        }
        __syncthreads();
        for (unsigned k = 1; lane == 0 && k < lanes / 32; ++k) {
            sum += warps[threadIdx.x / 32 + k];
        }
    }
    if (r < rows && lane == 0) {
        c[r] = sum;
    }
}

constexpr unsigned column_lanes = 16;

// Chapter 32's with eight loads, and registers for `bound` blocks on an SM.
template<class T, unsigned bound>
__global__ void __launch_bounds__(usual_threads, common::bound_blocks(bound, usual_threads))
    columns(const uint4* a, const T* x, float* c, std::size_t rows, std::size_t count,
            std::size_t column_vectors, std::size_t piece_length)
{
    constexpr unsigned loads = 8;
    constexpr unsigned step = usual_threads / column_lanes;
    constexpr unsigned width = column_lanes * Sums<T>::count; // rows of a block
    __shared__ float partials[step][width];
    const unsigned lane = threadIdx.x % column_lanes;
    const std::size_t i = std::size_t{blockIdx.x} * column_lanes + lane;
    const std::size_t end = i < column_vectors ? min(count, (blockIdx.y + 1) * piece_length) : 0;
    Sums<T> sums;
    std::size_t k = blockIdx.y * piece_length + threadIdx.x / column_lanes;
#pragma unroll 1
    for (; k + (loads - 1) * step < end; k += loads * step) {
        uint4 v[loads];
        for (unsigned j = 0; j < loads; ++j) {
            v[j] = a[(k + j * step) * column_vectors + i];
        }
        for (unsigned j = 0; j < loads; ++j) {
            sums.add(v[j], x[k + j * step]);
        }
    }
#pragma unroll 1
    for (; k < end; k += step) {
        sums.add(a[k * column_vectors + i], x[k]);
    }
    for (unsigned j = 0; j < sums.count; ++j) {
        partials[threadIdx.x / column_lanes][lane * sums.count + j] = sums.sum[j];
    }
    __syncthreads();
    const std::size_t r = std::size_t{blockIdx.x} * width + threadIdx.x;
    if (threadIdx.x < width && r < rows) {
        float sum = 0;
        for (unsigned j = 0; j < step; ++j) {
            sum += partials[j][threadIdx.x];
        }
        store_or_atomic_add(c + r, sum, gridDim.y == 1);
    }
}

constexpr unsigned partition = 8 * usual_threads;

// Chapter 32's; the first row of a share is searched for, or read in the same place.
template<bool searched>
__global__ void sparse_partitions(const unsigned* start, const unsigned* column, const float* value,
                                  const float* x, float* c, std::size_t rows, const unsigned* known)
{
    __shared__ float products[partition];
    const unsigned first = blockIdx.x * partition;
    const unsigned end = min(first + partition, start[rows]);
    for (unsigned i = first + threadIdx.x; i < end; i += usual_threads) {
        products[i - first] = value[i] * x[column[i]];
    }
    __syncthreads();
    std::size_t r = searched ? row_of(start, rows, first) : known[blockIdx.x];
    r += threadIdx.x / 8; // with eight lanes
    while (__any_sync(0xffffffff, start[min(r, rows)] < end)) {
        const unsigned from = start[min(r, rows)];
        const unsigned to = start[min(r + 1, rows)];
        float sum = 0;
        for (unsigned i = max(from, first) + threadIdx.x % 8; i < min(to, end); i += 8) {
            sum += products[i - first];
        }
        sum = sum_lanes<8>(sum);
        if (threadIdx.x % 8 == 0 && from < min(to, end)) {
            store_or_atomic_add(c + r, sum, from >= first && to <= end);
        }
        r += usual_threads / 8;
    }
}

template<unsigned lanes, unsigned loads, unsigned blocks_per_sm, unsigned threads, class T>
void run_lanes(common::Chapter& chapter, MatrixVector<T>& p)
{
    const auto kernel = lanes_per_row<T, lanes, loads, blocks_per_sm, threads>;
    common::Variant row = matrix_variant(p, "lanes_per_row", threads);
    row.columns.insert(row.columns.end(),
                       {{"lanes", lanes}, {"loads", loads}, {"bound", blocks_per_sm / threads}});
    row.columns = common::resources(kernel, threads, row.columns);
    const unsigned grid = common::blocks(p.rows, threads / lanes);
    chapter.run(row, p, [&](cudaStream_t stream) {
        kernel<<<grid, threads, 0, stream>>>(p.vectors(), p.x, p.c, p.rows, p.width);
    });
}

template<unsigned lanes, unsigned blocks_per_sm = most, unsigned threads = usual_threads, class T>
void run_loads(common::Chapter& chapter, MatrixVector<T>& p)
{
    run_lanes<lanes, 2, blocks_per_sm, threads>(chapter, p);
    run_lanes<lanes, 4, blocks_per_sm, threads>(chapter, p);
}

template<class T>
void run_rows(common::Chapter& chapter, std::size_t n)
{
    const MatrixTask square = square_matrix(n);
    const std::size_t side = square.extent.columns;
    MatrixVector<T> p(chapter, square, Order::rows);
    expect_products(p);
    run_loads<1>(chapter, p);
    run_loads<8>(chapter, p);
    run_loads<32>(chapter, p);
    run_loads<64>(chapter, p);
    run_loads<128>(chapter, p);
    run_loads<256>(chapter, p);
    run_loads<32, 1536>(chapter, p); // with four loads what the page's warp_per_row comes to
    run_loads<256, 1536>(chapter, p);
    run_lanes<32, 4, 1024, usual_threads>(chapter, p);
    run_lanes<256, 4, 1024, usual_threads>(chapter, p);
    run_loads<32, 1024, 32>(chapter, p); // short blocks, half the places
    run_loads<32, most, 64>(chapter, p);
    // As many bytes. Where a row is an eighth as long, a warp a row has the rounds of blocks and
    // the steps of a thread that a block has in the square; where it is eight times as long, a
    // block has those of a warp.
    const std::size_t eighth = std::max(side / 8, std::size_t{1});
    MatrixVector<T> shorter(chapter, {.extent = common::matrix_of(n, eighth)}, Order::rows);
    expect_products(shorter);
    run_loads<8>(chapter, shorter);
    run_loads<32>(chapter, shorter);
    MatrixVector<T> longer(chapter, {.extent = common::matrix_of(n, 8 * side)}, Order::rows);
    expect_products(longer);
    run_loads<256>(chapter, longer);
}

// In as many pieces as chapter 32 has: so many that all blocks are resident.
template<unsigned bound, class T>
void run_columns(common::Chapter& chapter, MatrixVector<T>& p, bool split)
{
    const auto kernel = columns<T, bound>;
    const unsigned wide = common::blocks(p.rows, column_lanes * Sums<T>::count);
    const auto pieces = [&, kernel, wide, split] {
        const std::size_t needed = p.size() * sizeof(T) / (usual_threads * sizeof(uint4));
        const std::size_t room = std::size_t{common::resident_blocks(kernel, usual_threads)} *
                                 common::attribute(cudaDevAttrMultiProcessorCount);
        return split ? static_cast<unsigned>(std::max(std::min(room, needed) / wide, 1UL)) : 1U;
    };
    common::Variant row = matrix_variant(p, split ? "split_columns" : "columns", usual_threads);
    row.columns.insert(row.columns.end(), {{"bound", bound}, {"pieces", pieces}});
    row.columns = common::resources(kernel, usual_threads, row.columns);
    chapter.run(row, p, [&](cudaStream_t stream) {
        const dim3 grid(wide, pieces());
        if (grid.y > 1) {
            CHECK_CUDA(cudaMemsetAsync(p.c, 0, p.rows * sizeof(float), stream));
        }
        kernel<<<grid, usual_threads, 0, stream>>>(p.vectors(), p.x, p.c, p.rows, p.columns,
                                                   p.width, (p.columns + grid.y - 1) / grid.y);
    });
}

template<class T>
void run_columns(common::Chapter& chapter, std::size_t n)
{
    MatrixVector<T> p(chapter, square_matrix(n), Order::columns);
    expect_products(p);
    for (const bool split : {false, true}) {
        run_columns<8>(chapter, p, split);
        run_columns<4>(chapter, p, split);
        run_columns<2>(chapter, p, split);
        run_columns<1>(chapter, p, split);
    }
}

template<bool searched>
void run_sparse(common::Chapter& chapter, SparseRows& p)
{
    const auto kernel = sparse_partitions<searched>;
    const unsigned grid = common::blocks(p.count, partition);
    common::Buffer<unsigned> known(grid);
    common::Variant row = sparse_variant(p, "sparse_partitions");
    row.threads = usual_threads;
    row.columns.push_back({"first_row", searched ? "searched" : "read"});
    row.columns = common::resources(kernel, usual_threads, row.columns);
    row.model_excluded_reason = "the time depends on the places of the elements";
    row.full_only = false;
    row.setup = [&] {
        std::vector<unsigned> rows(grid);
        for (std::size_t b = 0; b < grid; ++b) { // all rows have as many elements
            rows[b] = static_cast<unsigned>(b * partition / (p.count / p.rows));
        }
        CHECK_CUDA(cudaMemcpy(known.data(), rows.data(), known.bytes(), cudaMemcpyHostToDevice));
    };
    chapter.run(row, p, [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(p.c, 0, p.rows * sizeof(float), stream));
        kernel<<<grid, usual_threads, 0, stream>>>(p.start, p.column, p.value, p.x, p.c, p.rows,
                                                   known.data());
    });
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes(
             {.gpu = {1 << 28}, .cpu = {1 << 20}, .bytes_per_element = 3 * sizeof(float)})) {
        run_rows<float>(chapter, n);
        run_rows<__nv_bfloat16>(chapter, n);
        for (const std::size_t elements : {std::max(n / 16, std::size_t{1}), n}) {
            run_columns<float>(chapter, elements);
            run_columns<__nv_bfloat16>(chapter, elements);
        }
        for (const Pattern pattern : {Pattern::band, Pattern::spread}) {
            SparseRows p(chapter, n / 16, pattern);
            p.expect([&p](std::size_t r) {
                RowSum sum;
                for (std::size_t i = p.first(r); i < p.first(r + 1); ++i) {
                    sum.add(p.element(i), p.vector_element(p.column_of(r, i)));
                }
                return sum;
            });
            run_sparse<true>(chapter, p);
            run_sparse<false>(chapter, p);
        }
    }
    return chapter.finish();
}
