// claim_banks: Do loads down a column wait for one bank of L1, in which all of its words lie?
//
// Chapter 19's naive_column, of rows of other lengths. 16384 floats are a multiple of the 32 banks,
// and so are 16416: 32 lanes want 32 words of one bank. Of rows of 16400 floats the words of a
// column lie in two banks, of 16392 in four, of 16388 in eight, of 16385 in all. If only the banks
// matter, time falls with the words that lie in one; if each line takes a turn of its own, it does
// not. Stores are the same for all: a row of c has a multiple of 32 elements.

#include "common/chapter.hpp"

constexpr dim3 block(32, 8); // 32 rows of a, and 8 columns: of each row a sector, if it begins one

__global__ void naive_column(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    const std::size_t x = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    const std::size_t y = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (x < columns && y < rows) {
        c[x * rows + y] = a[y * columns + x];
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (const std::size_t columns : {16384U, 16416U, 16400U, 16392U, 16388U, 16385U}) {
        common::Extent m = common::matrix_of(chapter.n(), columns);
        m.rows -= m.rows > block.x ? m.rows % block.x : 0;
        common::Arrays<float> p = common::transposed(chapter, m);
        const dim3 grid(common::blocks(m.rows, block.x), common::blocks(m.columns, block.y));
        const common::Variant row{.name = "naive_column",
                                  .threads = block.x * block.y,
                                  .columns = {{"rows", m.rows}, {"columns", columns}}};
        chapter.run(row, p, [&](cudaStream_t stream) {
            naive_column<<<grid, block, 0, stream>>>(p.a, p.c, m.rows, m.columns);
        });
    }
    return chapter.finish();
}
