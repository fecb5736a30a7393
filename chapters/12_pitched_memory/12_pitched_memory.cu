// 12_pitched_memory: What do rows of awkward width cost, and does a pitch help?
//
// The same copy, of a matrix and of a box. Rows that lie one behind the other begin anywhere in a
// sector; rows with a pitch begin at good addresses, and pay for that with memory.

#include "common/run/chapter.hpp"
#include "pitched.hpp"

#include <algorithm>
#include <vector>

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

constexpr unsigned threads = 256;
const dim3 block(32, threads / 32);

// Blocks that cover a slice, and as many slices as a grid has room for.
dim3 grid(std::size_t columns, std::size_t rows, std::size_t slices = 1)
{
    constexpr std::size_t most = 65535;
    const std::size_t y = std::min((rows + block.y - 1) / block.y, most);
    return dim3(common::blocks(columns, block.x), static_cast<unsigned>(y),
                static_cast<unsigned>(std::min(slices, most)));
}

//! [by_hand]
// A matrix from host to host, by way of pitched device memory. Widths and pitches are in bytes.
void copy_matrix_by_hand(const common::HostBoxCopy& p)
{
    const std::size_t width = p.columns * sizeof(float);
    float* a = nullptr;
    float* c = nullptr;
    std::size_t pitch = 0; // the runtime's choice, and the same for the same width
    CHECK_CUDA(cudaMallocPitch(&a, &pitch, width, p.rows));
    CHECK_CUDA(cudaMallocPitch(&c, &pitch, width, p.rows));
    CHECK_CUDA(cudaMemcpy2D(a, pitch, p.host_a, width, width, p.rows, cudaMemcpyHostToDevice));
    copy_matrix<<<grid(p.columns, p.rows), block>>>(a, c, p.columns, p.rows, pitch);
    CHECK_CUDA(cudaMemcpy2D(p.host_c, width, c, pitch, width, p.rows, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaFree(a));
    CHECK_CUDA(cudaFree(c));
}

// A box: an extent for its size, a pitched pointer (never const) for each side of a copy.
void copy_box_by_hand(const common::HostBoxCopy& p)
{
    const std::size_t width = p.columns * sizeof(float);
    cudaPitchedPtr a{};
    cudaPitchedPtr c{};
    cudaMemcpy3DParms copy{};
    copy.extent = make_cudaExtent(width, p.rows, p.slices);
    CHECK_CUDA(cudaMalloc3D(&a, copy.extent));
    CHECK_CUDA(cudaMalloc3D(&c, copy.extent));
    copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(p.host_a), width, width, p.rows);
    copy.dstPtr = a;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK_CUDA(cudaMemcpy3D(&copy));
    copy_box<<<grid(p.columns, p.rows, p.slices), block>>>(static_cast<const float*>(a.ptr),
                                                           static_cast<float*>(c.ptr), p.columns,
                                                           p.rows, p.slices, a.pitch);
    copy.srcPtr = c;
    copy.dstPtr = make_cudaPitchedPtr(p.host_c, width, width, p.rows);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK_CUDA(cudaMemcpy3D(&copy));
    CHECK_CUDA(cudaFree(a.ptr));
    CHECK_CUDA(cudaFree(c.ptr));
}
//! [by_hand]

int main(int argc, char** argv)
{
    common::Chapter chapter("12_pitched_memory", argc, argv);
    const auto place = [&](const common::BoxCopy& p) { // a pitch is known once memory is there
        return chapter.listing()
                   ? std::vector<common::Parameter>{{"columns", p.columns}}
                   : std::vector<common::Parameter>{{"columns", p.columns}, {"pitch", p.pitch}};
    };
    const auto run = [&](const char* name, common::BoxCopy& p) {
        chapter.run({name, threads, place(p)}, p, [&](cudaStream_t stream) {
            const dim3 blocks = grid(p.columns, p.rows, p.slices);
            if (p.slices == 1) {
                copy_matrix<<<blocks, block, 0, stream>>>(p.a, p.c, p.columns, p.rows, p.pitch);
            } else {
                copy_box<<<blocks, block, 0, stream>>>(p.a, p.c, p.columns, p.rows, p.slices,
                                                       p.pitch);
            }
        });
    };
    for (std::size_t columns : {1023u, 1000u, 1024u, 33u}) {
        const common::Extent matrix = common::matrix_of(chapter.n(), columns);
        common::BoxCopy dense(chapter, matrix, common::RowLayout::dense);
        chapter.run({"linear", threads, place(dense)}, dense, [&](cudaStream_t stream) {
            copy_linear<<<common::blocks(dense.n, threads), threads, 0, stream>>>(dense.a, dense.c,
                                                                                  dense.n);
        });
        run("dense", dense);
        common::BoxCopy p(chapter, matrix, common::RowLayout::pitched);
        run("pitched", p);
        chapter.run_library({"cudaMemcpy2DAsync", 0, place(p)}, p, [&](cudaStream_t stream) {
            CHECK_CUDA(cudaMemcpy2DAsync(p.c, p.pitch, p.a, p.pitch, p.columns * sizeof(float),
                                         p.rows, cudaMemcpyDeviceToDevice, stream));
        });
        common::HostBoxCopy host(chapter, matrix);
        chapter.run_transfer({"matrix_by_hand", threads, {{"columns", host.columns}}}, host,
                             [&](cudaStream_t) { copy_matrix_by_hand(host); });
    }
    const common::Extent extent = common::box_of(chapter.n(), 1023, 31);
    for (common::RowLayout layout : {common::RowLayout::dense, common::RowLayout::pitched}) {
        common::BoxCopy box(chapter, extent, layout);
        run(layout == common::RowLayout::dense ? "dense_box" : "pitched_box", box);
    }
    common::HostBoxCopy host(chapter, extent);
    chapter.run_transfer({"box_by_hand", threads, {{"columns", host.columns}}}, host,
                         [&](cudaStream_t) { copy_box_by_hand(host); });
    return chapter.finish();
}
