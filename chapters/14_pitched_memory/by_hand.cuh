// Copies from host to host by way of pitched device memory, without the library of the chapters.
#pragma once

#include "box.cuh"
#include "grid.cuh"
#include "matrix.cuh"

//! [by_hand]
// Copies a matrix from host to host through pitched device memory. Widths and pitches are in bytes.
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
