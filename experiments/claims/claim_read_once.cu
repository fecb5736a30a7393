// claim_read_once: Does the hint __ldcs() cost anything where a kernel only reads?
//
// Chapter 27's copies and additions lose by it. Chapter 32's rows have it, since an element of a
// matrix is read once; but a thread a row wants each of its lines eight times. Here are those rows
// with the hint and without it.

#include "../../chapters/32_matrix_vector/matrix_vector.hpp"
#include "../../chapters/32_matrix_vector/products.cuh"
#include "../../chapters/32_matrix_vector/sum_lanes.cuh"
#include "common/chapter.hpp"

#include <cuda_bf16.h>

constexpr unsigned threads = 256;

template<bool hint>
__device__ uint4 load(const uint4* from)
{
    return hint ? __ldcs(from) : *from;
}

// Chapter 32's lanes_per_row, in one piece.
template<class T, unsigned lanes, unsigned loads, bool hint>
__global__ void __launch_bounds__(threads)
    lanes_per_row(const uint4* a, const T* x, float* c, std::size_t rows, std::size_t width)
{
    const std::size_t r = (std::size_t{blockIdx.x} * threads + threadIdx.x) / lanes;
    const unsigned lane = threadIdx.x % lanes;
    const std::size_t end = r < rows ? width : 0;
    const uint4* const row = a + r * width;
    const uint4* const factors = reinterpret_cast<const uint4*>(x);
    float sum = 0;
    std::size_t i = lane;
#pragma unroll 1
    for (; i + (loads - 1) * lanes < end; i += loads * lanes) {
        uint4 v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = load<hint>(row + i + k * lanes);
        }
        for (unsigned k = 0; k < loads; ++k) {
            sum = add_products<T>(v[k], __ldg(factors + i + k * lanes), sum);
        }
    }
#pragma unroll 1
    for (; i < end; i += lanes) {
        sum = add_products<T>(load<hint>(row + i), __ldg(factors + i), sum);
    }
    sum = sum_lanes<lanes>(sum);
    if (r < rows && lane == 0) {
        c[r] = sum;
    }
}

template<unsigned lanes, unsigned loads, bool hint, class T>
void run_row(common::Chapter& chapter, MatrixVector<T>& p, const char* name)
{
    const auto kernel = lanes_per_row<T, lanes, loads, hint>;
    common::Variant row = matrix_variant(p, name, threads);
    row.columns.insert(row.columns.end(), {{"hint", hint ? "streaming" : "none"}});
    row.columns = common::resources(kernel, threads, row.columns);
    chapter.run(row, p, [&, kernel](cudaStream_t stream) {
        const unsigned grid = common::blocks(p.rows, threads / lanes);
        kernel<<<grid, threads, 0, stream>>>(p.vectors(), p.x, p.c, p.rows, p.width);
    });
}

template<class T>
void run_rows(common::Chapter& chapter, std::size_t n)
{
    MatrixVector<T> p(chapter, square_matrix(n), Order::rows);
    p.expect([&p](std::size_t r) { // a row of the matrix times the vector, in double
        RowSum sum;
        for (std::size_t k = 0; k < p.columns; ++k) {
            sum.add(p.element(r, k), p.vector_element(k));
        }
        return sum;
    });
    run_row<1, 1, true>(chapter, p, "thread_per_row");
    run_row<1, 1, false>(chapter, p, "thread_per_row");
    run_row<32, 4, true>(chapter, p, "warp_per_row");
    run_row<32, 4, false>(chapter, p, "warp_per_row");
    run_row<256, 2, true>(chapter, p, "block_per_row");
    run_row<256, 2, false>(chapter, p, "block_per_row");
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_rows<float>(chapter, chapter.n());
    run_rows<__nv_bfloat16>(chapter, chapter.n());
    return chapter.finish();
}
