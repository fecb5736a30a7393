// claim_banks: Do loads down a column wait for one bank of L1, in which all of its words lie?
//
// Chapter 19's naive_column, of rows of other lengths. 16384 floats are a multiple of the 32 banks,
// and so are 16416: 32 lanes access 32 words of one bank. Of rows of 16400 floats the words of a
// column lie in two banks, of 16392 in four, of 16388 in eight, of 16385 in all. If only the banks
// matter, time falls with the words that lie in one; if each line takes a turn of its own, it does
// not. Stores are the same for all: a row of c has a multiple of 32 elements.
//
// Then the same of L1 alone: lanes load words that lie `stride` apart, again and again, from 4 KiB
// that stay there. Strides of 1 to 32 touch as many lines as there are words in a bank; 33, 34, 36
// and 40 touch 32 lines or a few more, with 1, 2, 4 and 8 words in a bank.
//
// And of lines that L1 has not: each lane loads one word, and nobody loads its line again soon.

#include "../../chapters/19_transpose/transpose.cuh"
#include "common/chapter.hpp"

#include <algorithm>

constexpr dim3 block(32, 8); // 32 rows of a, and 8 columns: of each row a sector, if it begins one

__global__ void naive_column(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const std::size_t x = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    const std::size_t y = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (x < columns && y < rows) {
        c[x * rows + y] = a[y * columns + x];
    }
}

constexpr unsigned threads = 256;
constexpr unsigned rounds = 64;
constexpr unsigned longest = 40; // stride

__global__ void from_l1(const float* a, float* c, std::size_t n, unsigned stride)
{
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    const float* mine = a + threadIdx.x % 32 * stride;
    float sum = 0;
#pragma unroll 8
    for (unsigned k = 0; k < rounds; ++k) {
        sum += mine[k];
    }
    if (i < n) {
        c[i] = sum;
    }
}

void run_transpositions(common::Chapter& chapter)
{
    for (const std::size_t columns : {16384U, 16416U, 16400U, 16392U, 16388U, 16385U}) {
        common::Extent m = common::matrix_of(chapter.n(), columns);
        m.rows -= m.rows > block.x ? m.rows % block.x : 0;
        common::Arrays<float> p = transposed(chapter, m);
        const dim3 grid(common::blocks(m.rows, block.x), common::blocks(m.columns, block.y));
        const common::Variant row{.name = "naive_column",
                                  .threads = block.x * block.y,
                                  .columns = {{"rows", m.rows}, {"columns", columns}}};
        chapter.run(row, p, [&](cudaStream_t stream) {
            naive_column<<<grid, block, 0, stream>>>(p.a, p.c, m.rows, m.columns);
        });
    }
}

void run_from_l1(common::Chapter& chapter)
{
    const std::size_t n = std::clamp<std::size_t>(chapter.n(), 32 * longest + rounds, 1U << 22U);
    common::Arrays<float> p(chapter, {.task = "sum of words in L1", .n = n});
    for (const unsigned stride : {1U, 2U, 4U, 8U, 16U, 32U, 33U, 34U, 36U, longest}) {
        p.expect([stride](const common::Inputs<float>& in, std::size_t i) {
            float sum = 0;
            for (std::size_t k = 0; k < rounds; ++k) {
                sum += in.a[i % threads % 32 * stride + k];
            }
            return sum;
        });
        const common::Variant row{
            .name = "from_l1", .threads = threads, .columns = {{"stride", stride}}};
        chapter.run(row, p, [&, stride](cudaStream_t stream) {
            from_l1<<<common::blocks(n, threads), threads, 0, stream>>>(p.a, p.c, n, stride);
        });
    }
}

__global__ void past_l1(const float* a, float* c, std::size_t n, std::size_t stride)
{
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    if (i < n) {
        c[i] = a[i * stride % n];
    }
}

void run_past_l1(common::Chapter& chapter)
{
    common::Arrays<float> p(chapter, {.task = "a word of a line"});
    for (const std::size_t stride : {1U, 32U, 33U, 36U}) {
        p.expect([n = p.n, stride](const common::Inputs<float>& in, std::size_t i) {
            return in.a[i * stride % n];
        });
        const common::Variant row{
            .name = "past_l1", .threads = threads, .columns = {{"stride", stride}}};
        chapter.run(row, p, [&, stride](cudaStream_t stream) {
            past_l1<<<common::blocks(p.n, threads), threads, 0, stream>>>(p.a, p.c, p.n, stride);
        });
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_transpositions(chapter);
    run_from_l1(chapter);
    run_past_l1(chapter);
    return chapter.finish();
}
