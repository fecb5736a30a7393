// claim_row_pieces: Is a copy by rows slow by the pieces that its blocks request?
//
// The dense copy of chapter 14 in blocks of as many threads and other shapes: the instructions are
// the same, each warp stays in one row, and a block requests one, two, four or eight pieces of a
// row. Next to it the copy of one array, and one by rows that computes less.

#include "common/chapter.hpp"

#include <algorithm>
#include <string>

constexpr unsigned threads = 256;

__global__ void copy_linear(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

__global__ void copy_matrix(const float* a, float* c, std::size_t columns, std::size_t rows,
                            std::size_t pitch)
{
    const std::size_t stride = pitch / sizeof(float); // a pitch is in bytes
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t first = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns) {
        for (std::size_t y = first; y < rows; y += std::size_t{gridDim.y} * blockDim.y) {
            c[y * stride + x] = a[y * stride + x];
        }
    }
}

// The same pieces with numbers of 32 bits and no loop: it has to be given a block for each row.
__global__ void copy_short(const float* a, float* c, std::size_t columns, std::size_t rows,
                           std::size_t pitch)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < static_cast<unsigned>(columns) && y < static_cast<unsigned>(rows)) {
        const unsigned i = y * static_cast<unsigned>(pitch / sizeof(float)) + x;
        c[i] = a[i];
    }
}

void run(common::Chapter& chapter, const common::Extent& m)
{
    common::Copy<float> p(chapter, {.n = m.size(), .columns = m.columns});
    chapter.run({.name = "linear", .threads = threads, .columns = {{"columns", m.columns}}}, p,
                [&](cudaStream_t stream) {
                    copy_linear<<<common::blocks(p.n, threads), threads, 0, stream>>>(p.a, p.c,
                                                                                      p.n);
                });
    for (const dim3 block : {dim3(256, 1), dim3(128, 2), dim3(64, 4), dim3(32, 8)}) {
        const std::size_t blocks_down = (m.rows + block.y - 1) / block.y;
        const std::size_t down = std::min(blocks_down, common::max_blocks_y);
        const dim3 grid(common::blocks(m.columns, block.x), static_cast<unsigned>(down));
        for (const bool less : {false, true}) {
            if (less && down < blocks_down) {
                continue; // without the loop it would leave rows out
            }
            const common::Variant row{
                .name = less ? "dense_short" : "dense",
                .threads = threads,
                .columns = {{"columns", m.columns},
                            {"block", std::to_string(block.x) + "x" + std::to_string(block.y)},
                            {"rows_per_thread", (blocks_down + down - 1) / down}}};
            chapter.run(row, p, [&](cudaStream_t stream) {
                auto* kernel = less ? copy_short : copy_matrix;
                kernel<<<grid, block, 0, stream>>>(p.a, p.c, m.columns, m.rows, p.pitch());
            });
        }
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    // Rows of 8192 are few enough for a block each; those of 1024 are not, and threads loop.
    for (std::size_t columns : {8192u, 8191u, 1024u}) {
        run(chapter, common::matrix_of(chapter.n(), columns));
    }
    return chapter.finish();
}
