// 22.1: Compute the bytes in flight
//
// Six launches of the page's read kernel, on a GPU with 100 SMs, read the same array. They differ
// in the width of a load, the loads in flight per thread, and the blocks per SM. For each, the
// check prints a row, A to F: the requests, counted on the CPU device, and the bandwidth predicted
// from the bytes in flight by Little's law and the page's queue, for an idle latency of 400 ns and
// a peak of 3000 GB/s. Which launch made which row? Enter the letters at the end of this file;
// leave the kernel as it is.

#include <cstddef>

constexpr unsigned threads = 256;
constexpr unsigned multiprocessors = 100;

__device__ unsigned fold(unsigned x)
{
    return x;
}
__device__ unsigned fold(uint4 x)
{
    return x.x ^ x.y ^ x.z ^ x.w;
}

template<class T, unsigned loads>
__global__ void read(const T* a, unsigned* c, std::size_t n)
{
    const std::size_t step = std::size_t{gridDim.x} * threads * loads;
    std::size_t i = std::size_t{blockIdx.x} * threads * loads + threadIdx.x;
    unsigned x = 0;
    for (; i + (loads - 1) * threads < n; i += step) {
        T v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = a[i + k * threads];
        }
        for (unsigned k = 0; k < loads; ++k) {
            x ^= fold(v[k]);
        }
    }
    c[std::size_t{blockIdx.x} * threads + threadIdx.x] = x;
}

// n is a multiple of all that the launches take in a round.
template<class T, unsigned loads>
void launch(const unsigned* a, unsigned* c, std::size_t n, unsigned blocks_each)
{
    read<T, loads><<<blocks_each * multiprocessors, threads>>>(reinterpret_cast<const T*>(a), c,
                                                               n * sizeof(unsigned) / sizeof(T));
}

// How the check launches them.
void solve(unsigned which, const unsigned* a, unsigned* c, std::size_t n)
{
    switch (which) {
    case 0: // 4 bytes, one load, 1 block on each SM
        return launch<unsigned, 1>(a, c, n, 1);
    case 1: // 4 bytes, one load, 8 blocks
        return launch<unsigned, 1>(a, c, n, 8);
    case 2: // 4 bytes, four loads, 1 block
        return launch<unsigned, 4>(a, c, n, 1);
    case 3: // 4 bytes, four loads, 8 blocks
        return launch<unsigned, 4>(a, c, n, 8);
    case 4: // 16 bytes, one load, 1 block
        return launch<uint4, 1>(a, c, n, 1);
    default: // 16 bytes, two loads, 1 block
        return launch<uint4, 2>(a, c, n, 1);
    }
}

// Your answers: 'A', 'B', 'C', 'D', 'E' or 'F'.
char row_of_narrow_in_one_block()
{
    return '?';
}
char row_of_narrow_in_eight_blocks()
{
    return '?';
}
char row_of_four_narrow_in_one_block()
{
    return '?';
}
char row_of_four_narrow_in_eight_blocks()
{
    return '?';
}
char row_of_wide_in_one_block()
{
    return '?';
}
char row_of_two_wide_in_one_block()
{
    return '?';
}
