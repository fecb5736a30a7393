// 14.2: Fill the last row of a pitched matrix
//
// Pack an array of n elements into a pitched matrix, `columns` elements per row. If the last row
// is not full, its remaining elements must be zero; do not write the padding. This kernel copies
// every element to its place but does not fill the last row. Fill it in the same launch. Also give
// each warp a part of one row, so that no store covers two rows.

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
