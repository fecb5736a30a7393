// Sums of float4 where the pointers allow it.
#pragma once

#include "float4.cuh"

//! [guarded]
// For pointers of unknown alignment. A float4 access at an address that is not a multiple of 16 is
// an error that ends the program. If a, b and c have the same offset from a 16-byte boundary, the
// elements before it are added one by one; otherwise no float4 access fits all three arrays, and
// all elements are added one by one.
__global__ void add_float4_guarded(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const auto past_boundary = [](const float* p) {
        return reinterpret_cast<std::size_t>(p) % sizeof(float4) / sizeof(float);
    };
    const std::size_t offset = past_boundary(c);
    const bool vectorisable = past_boundary(a) == offset && past_boundary(b) == offset;
    const std::size_t head = vectorisable ? (4 - offset) % 4 : n;
    const std::size_t vectors = head < n ? (n - head) / 4 : 0;
    if (i < vectors) {
        const float4 x = reinterpret_cast<const float4*>(a + head)[i];
        const float4 y = reinterpret_cast<const float4*>(b + head)[i];
        reinterpret_cast<float4*>(c + head)[i] = add4(x, y);
    }
    const std::size_t rest = n - 4 * vectors; // the head, then the tail
    for (std::size_t k = i; k < rest; k += std::size_t{gridDim.x} * blockDim.x) {
        const std::size_t element = k < head ? k : k + 4 * vectors;
        c[element] = a[element] + b[element];
    }
}
//! [guarded]
