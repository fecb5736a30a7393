// claim_wide_rows: Is a pitch worth what a float4 gains, because dense rows have none?
//
// Copies of chapter 14's matrix of 1023 floats per row. Three of four rows begin where no float4
// may; with a pitch each begins where one may. Next to them the copies by one float per thread, and
// the dense matrix as one array, which float4s read whatever its rows are.

#include "common/chapter.hpp"

#include <algorithm>
#include <string>

constexpr unsigned threads = 256;
constexpr unsigned wide = sizeof(float4) / sizeof(float);

// As one array.
__global__ void copy_array(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n / wide) {
        reinterpret_cast<float4*>(c)[i] = reinterpret_cast<const float4*>(a)[i];
    } else if (i == n / wide) {
        for (std::size_t k = i * wide; k < n; ++k) {
            c[k] = a[k];
        }
    }
}

// Chapter 14's.
__global__ void copy_rows(const float* a, float* c, std::size_t columns, std::size_t rows,
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

// The same by float4s, and what a row has behind its last one by floats.
__global__ void copy_rows_float4(const float* a, float* c, std::size_t columns, std::size_t rows,
                                 std::size_t pitch)
{
    const std::size_t stride = pitch / sizeof(float);
    const std::size_t x = wide * (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x);
    const std::size_t first = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    for (std::size_t y = first; y < rows; y += std::size_t{gridDim.y} * blockDim.y) {
        const float* from = a + y * stride + x;
        float* to = c + y * stride + x;
        if (x + wide <= columns) {
            *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
        } else {
            for (std::size_t k = 0; x + k < columns; ++k) {
                to[k] = from[k];
            }
        }
    }
}

void run_rows(common::Chapter& chapter, const common::Extent& m, common::Copy<float>& p,
              const char* name, unsigned floats)
{
    for (const dim3 block : {dim3(32, 8), dim3(256, 1)}) {
        const std::size_t down = (m.rows + block.y - 1) / block.y;
        const dim3 grid(common::blocks(m.columns, block.x * floats),
                        static_cast<unsigned>(std::min(down, common::max_blocks_y)));
        const common::Variant row{
            .name = name,
            .threads = threads,
            .columns = {{"columns", m.columns},
                        {"pitch", [&p] { return p.pitch(); }},
                        {"block", std::to_string(block.x) + "x" + std::to_string(block.y)}}};
        chapter.run(row, p, [&](cudaStream_t stream) {
            auto* kernel = floats == 1 ? copy_rows : copy_rows_float4;
            kernel<<<grid, block, 0, stream>>>(p.a, p.c, m.columns, m.rows, p.pitch());
        });
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const common::Extent m = common::matrix_of(chapter.n(), 1023);
    common::Copy<float> dense(chapter, {.n = m.size(), .columns = m.columns});
    chapter.run({.name = "array_float4", .threads = threads, .columns = {{"columns", m.columns}}},
                dense, [&](cudaStream_t stream) {
                    const unsigned blocks = common::blocks(dense.n / wide + 1, threads);
                    copy_array<<<blocks, threads, 0, stream>>>(dense.a, dense.c, dense.n);
                });
    run_rows(chapter, m, dense, "dense", 1);
    common::Copy<float> pitched(chapter, {.n = m.size(), .columns = m.columns, .pitched = true});
    run_rows(chapter, m, pitched, "pitched", 1);
    run_rows(chapter, m, pitched, "pitched_float4", wide);
    return chapter.finish();
}
