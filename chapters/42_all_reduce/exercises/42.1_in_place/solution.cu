// 42.1: In place, a solution
//
// Each element belongs to one device, which alone reads and writes it, in both arrays: it reads the
// two, and stores the sum twice. So nothing is overwritten that anybody still has to read, and the
// two devices need not wait for each other. Over the link come half of the elements and go half of
// the sums, where before all elements came.

#include <cstddef>

constexpr unsigned threads = 256;

__global__ void add(float* own, float* other, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        const float sum = own[i] + other[i];
        own[i] = sum;
        other[i] = sum;
    }
}

void solve(float* const* a, std::size_t n)
{
    const std::size_t half = n / 2;
    for (int k = 0; k < 2; ++k) {
        const std::size_t first = k == 0 ? 0 : half;
        const std::size_t count = k == 0 ? half : n - half;
        cudaSetDevice(k);
        if (count > 0) {
            add<<<static_cast<unsigned>((count + threads - 1) / threads), threads>>>(
                a[k] + first, a[1 - k] + first, count);
        }
    }
    cudaSetDevice(0);
}
