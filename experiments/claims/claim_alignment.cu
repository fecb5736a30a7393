// claim_alignment: Do the sectors of a request say how long it takes?
//
// The additions of chapter 15 at offsets whose requests have as many sectors as at none, and
// others; and the copies of chapter 14 by warps that cover a row or two halves of rows, where more
// sectors are modelled as faster.

#include "common/chapter.hpp"

#include <algorithm>
#include <string>

__global__ void add_read(const float* a, const float* b, float* c, std::size_t n,
                         std::size_t offset)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i + offset < n) {
        c[i] = a[i + offset] + b[i + offset];
    }
}

__global__ void add_write(const float* a, const float* b, float* c, std::size_t n,
                          std::size_t offset)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i + offset < n) {
        c[i + offset] = a[i] + b[i];
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

// The inputs begin `offset` floats past a boundary of 256 bytes, or the output does.
void run_offset(common::Chapter& chapter, std::size_t offset, bool reads)
{
    constexpr unsigned threads = 512;
    common::VectorAdd p(chapter,
                        {.input_offset = reads ? offset : 0, .output_offset = reads ? 0 : offset});
    chapter.run(
        {.name = reads ? "read" : "write", .threads = threads, .columns = {{"offset", offset}}}, p,
        [&](cudaStream_t stream) {
            auto* kernel = reads ? add_read : add_write;
            const std::size_t in = reads ? offset : 0;
            kernel<<<common::blocks(p.n, threads), threads, 0, stream>>>(
                p.a - in, p.b - in, p.c - (offset - in), p.n + offset, offset);
        });
}

void run_matrix(common::Chapter& chapter, const common::Extent& m, bool pitched)
{
    common::Copy<float> p(chapter, {.n = m.size(), .columns = m.columns, .pitched = pitched});
    for (const dim3 block : {dim3(32, 8), dim3(16, 16)}) {
        chapter.run(
            {.name = pitched ? "pitched" : "dense",
             .threads = block.x * block.y,
             .columns = {{"columns", m.columns},
                         {"block", std::to_string(block.x) + "x" + std::to_string(block.y)},
                         {"pitch", [&p] { return p.pitch(); }}}},
            p, [&](cudaStream_t stream) {
                const std::size_t down = (m.rows + block.y - 1) / block.y;
                const dim3 grid(common::blocks(m.columns, block.x),
                                static_cast<unsigned>(std::min(down, common::max_blocks_y)));
                copy_matrix<<<grid, block, 0, stream>>>(p.a, p.c, m.columns, m.rows, p.pitch());
            });
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (const bool reads : {true, false}) {
        for (std::size_t offset : {0u, 8u, 11u, 16u, 32u, 128u}) {
            run_offset(chapter, offset, reads);
        }
    }
    for (std::size_t columns : {1023u, 1024u, 33u}) {
        for (const bool pitched : {false, true}) {
            run_matrix(chapter, common::matrix_of(chapter.n(), columns), pitched);
        }
    }
    return chapter.finish();
}
