// 15.2: Count the extra sector of a misaligned load
//
// Four kernels copy with different offsets. The arrays begin at a multiple of 256 bytes. The check
// runs the kernels on the CPU device and prints, in rows A to D and in no particular order, the
// sectors per load request and per store request of each. Which kernel made which row? Enter the
// letters at the end of this file; leave the kernels as they are.

#include <cstddef>

__global__ void from_eight(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i + 8];
    }
}

__global__ void to_eleven(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i + 11] = a[i];
    }
}

__global__ void from_one_to_twenty(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i + 20] = a[i + 1];
    }
}

// 32 elements of each row of 36.
__global__ void from_rows_of_36(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i / 32 * 36 + i % 32];
    }
}

// How the check launches them: n is 1024, and the arrays have elements enough behind that.
void solve(unsigned kernel, const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    switch (kernel) {
    case 0:
        return from_eight<<<blocks, threads>>>(a, c, n);
    case 1:
        return to_eleven<<<blocks, threads>>>(a, c, n);
    case 2:
        return from_one_to_twenty<<<blocks, threads>>>(a, c, n);
    default:
        return from_rows_of_36<<<blocks, threads>>>(a, c, n);
    }
}

// Your answers: 'A', 'B', 'C' or 'D'.
char row_of_from_eight()
{
    return '?';
}
char row_of_to_eleven()
{
    return '?';
}
char row_of_from_one_to_twenty()
{
    return '?';
}
char row_of_from_rows_of_36()
{
    return '?';
}
