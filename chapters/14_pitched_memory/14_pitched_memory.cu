// 14_pitched_memory: What do rows of awkward width cost, and does a pitch help?
//
// The same copy, of a matrix and of a box. Rows that lie one behind the other begin anywhere in a
// sector; rows with a pitch begin at good addresses, and pay for that with memory.

#include "common/chapter.hpp"

#include <algorithm>

//! [linear]
// The matrix is only an array of n elements: nothing here knows where a row begins.
__global__ void copy_linear(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}
//! [linear]

//! [matrix]
// A warp works in one row: its lanes are columns. A grid ends at 65535 blocks in y; rows need not.
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
//! [matrix]

//! [box]
// In a box, row y of slice z is row z * rows + y of all.
__global__ void copy_box(const float* a, float* c, std::size_t columns, std::size_t rows,
                         std::size_t slices, std::size_t pitch)
{
    const std::size_t stride = pitch / sizeof(float);
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        for (std::size_t z = blockIdx.z; z < slices; z += gridDim.z) {
            c[(z * rows + y) * stride + x] = a[(z * rows + y) * stride + x];
        }
    }
}
//! [box]

//! [grid]
constexpr unsigned threads = 256;
const dim3 block(32, threads / 32);

// Blocks that cover a slice, and as many slices as a grid has room for.
dim3 grid(std::size_t columns, std::size_t rows, std::size_t slices = 1)
{
    const std::size_t y = std::min((rows + block.y - 1) / block.y, common::max_blocks_y);
    return dim3(common::blocks(columns, block.x), static_cast<unsigned>(y),
                static_cast<unsigned>(std::min(slices, common::max_blocks_y)));
}
//! [grid]

//! [by_hand]
// A matrix from host to host, by way of pitched device memory. Widths and pitches are in bytes.
void copy_matrix_by_hand(const float* host_a, float* host_c, std::size_t columns, std::size_t rows)
{
    const std::size_t width = columns * sizeof(float);
    float* a = nullptr;
    float* c = nullptr;
    std::size_t pitch = 0; // the runtime's choice, and the same for the same width
    CHECK_CUDA(cudaMallocPitch(&a, &pitch, width, rows));
    CHECK_CUDA(cudaMallocPitch(&c, &pitch, width, rows));
    CHECK_CUDA(cudaMemcpy2D(a, pitch, host_a, width, width, rows, cudaMemcpyHostToDevice));
    copy_matrix<<<grid(columns, rows), block>>>(a, c, columns, rows, pitch);
    CHECK_CUDA(cudaMemcpy2D(host_c, width, c, pitch, width, rows, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaFree(a));
    CHECK_CUDA(cudaFree(c));
}

// A box: an extent for its size, a pitched pointer (never const) for each side of a copy.
void copy_box_by_hand(const float* host_a, float* host_c, std::size_t columns, std::size_t rows,
                      std::size_t slices)
{
    const std::size_t width = columns * sizeof(float);
    cudaPitchedPtr a{};
    cudaPitchedPtr c{};
    cudaMemcpy3DParms copy{};
    copy.extent = make_cudaExtent(width, rows, slices);
    CHECK_CUDA(cudaMalloc3D(&a, copy.extent));
    CHECK_CUDA(cudaMalloc3D(&c, copy.extent));
    copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(host_a), width, width, rows);
    copy.dstPtr = a;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK_CUDA(cudaMemcpy3D(&copy));
    copy_box<<<grid(columns, rows, slices), block>>>(static_cast<const float*>(a.ptr),
                                                     static_cast<float*>(c.ptr), columns, rows,
                                                     slices, a.pitch);
    copy.srcPtr = c;
    copy.dstPtr = make_cudaPitchedPtr(host_c, width, width, rows);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK_CUDA(cudaMemcpy3D(&copy));
    CHECK_CUDA(cudaFree(a.ptr));
    CHECK_CUDA(cudaFree(c.ptr));
}
//! [by_hand]

using Problem = common::Copy<float>;

//! [rows]
common::Variant row(const char* name, const common::Extent& box, const Problem& p, bool full,
                    unsigned block_threads = threads)
{
    return {.name = name,
            .threads = block_threads,
            .columns = {{"columns", box.columns}, {"pitch", [&p] { return p.pitch(); }}},
            .full = full};
}

void run(common::Chapter& chapter, const char* name, const common::Extent& box, Problem& p,
         bool full = false)
{
    chapter.run(row(name, box, p, full), p, [&](cudaStream_t stream) {
        const dim3 blocks = grid(box.columns, box.rows, box.slices);
        if (box.slices == 1) {
            copy_matrix<<<blocks, block, 0, stream>>>(p.a, p.c, box.columns, box.rows, p.pitch());
        } else {
            copy_box<<<blocks, block, 0, stream>>>(p.a, p.c, box.columns, box.rows, box.slices,
                                                   p.pitch());
        }
    });
}

void run_by_hand(common::Chapter& chapter, const char* name, const common::Extent& box)
{
    Problem p(chapter, {.task = "copy host to host",
                        .n = box.size(),
                        .input = common::MemoryKind::pinned,
                        .output = common::MemoryKind::pinned});
    const common::Variant copy{
        .name = name, .threads = threads, .columns = {{"columns", box.columns}}, .full = true};
    chapter.run_transfer(copy, p, [&](cudaStream_t) {
        box.slices == 1 ? copy_matrix_by_hand(p.a, p.c, box.columns, box.rows)
                        : copy_box_by_hand(p.a, p.c, box.columns, box.rows, box.slices);
    });
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t columns : {1023u, 1000u, 1024u, 33u}) {
        const common::Extent matrix = common::matrix_of(chapter.n(), columns);
        const bool full = columns == 1000 || columns == 33; // 1023 and 1024 make the point
        Problem dense(chapter, {.n = matrix.size(), .columns = matrix.columns});
        chapter.run(row("linear", matrix, dense, full), dense, [&](cudaStream_t stream) {
            copy_linear<<<common::blocks(dense.n, threads), threads, 0, stream>>>(dense.a, dense.c,
                                                                                  dense.n);
        });
        run(chapter, "dense", matrix, dense, full);
        Problem p(chapter, {.n = matrix.size(), .columns = matrix.columns, .pitched = true});
        run(chapter, "pitched", matrix, p, full);
        chapter.run_library(
            row("cudaMemcpy2DAsync", matrix, p, full, 0), p, [&](cudaStream_t stream) {
                CHECK_CUDA(cudaMemcpy2DAsync(p.c, p.pitch(), p.a, p.pitch(),
                                             matrix.columns * sizeof(float), matrix.rows,
                                             cudaMemcpyDeviceToDevice, stream));
            });
        run_by_hand(chapter, "matrix_by_hand", matrix);
    }
    const common::Extent box = common::box_of(chapter.n(), 1023, 31);
    Problem dense(chapter, {.n = box.size(), .columns = box.columns});
    run(chapter, "dense_box", box, dense);
    Problem pitched(chapter, {.n = box.size(), .columns = box.columns, .pitched = true});
    run(chapter, "pitched_box", box, pitched);
    run_by_hand(chapter, "box_by_hand", box);
    return chapter.finish();
}
