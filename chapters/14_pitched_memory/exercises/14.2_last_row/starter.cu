// 14.2: Fill the last row of a pitched matrix
//
// An array of n elements is to become a matrix with a pitch, `columns` elements per row. The last
// row may get fewer than that; what it lacks is to be zero, and the padding stays as it is. This
// kernel copies every element to its place and leaves the rest of the last row as it was. Fill it
// up in the same launch. And give each warp a part of one row, so that no store straddles two.

#include <cstddef>

__global__ void pack(const float* a, std::size_t n, float* c, std::size_t columns,
                     std::size_t pitch)
{
    const std::size_t stride = pitch / sizeof(float); // a pitch is in bytes
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i / columns * stride + i % columns] = a[i];
    }
}

// Called with a of n elements and c of as many rows of 100 or 200 columns as those begin, whose
// `pitch` is from cudaMallocPitch; both are in device memory.
void solve(const float* a, std::size_t n, float* c, std::size_t columns, std::size_t pitch)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    pack<<<blocks, threads>>>(a, n, c, columns, pitch);
}
