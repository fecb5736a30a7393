// 22.1: Whose bytes are on their way?
//
// What is in flight on a multiprocessor is blocks x 256 threads x loads x width: 1 KiB for the
// first launch, 8 KiB for the second, 4 KiB for the third, 32 KiB for the fourth, 4 KiB for the
// fifth and 8 KiB for the last. More in flight is more bandwidth, whoever holds it, so two pairs
// are as fast as each other; wide loads make a quarter of the requests, and that tells the two of a
// pair apart.

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
    case 0: // 4 bytes, one load, 1 block on each multiprocessor
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
    return 'D';
}
char row_of_narrow_in_eight_blocks()
{
    return 'B';
}
char row_of_four_narrow_in_one_block()
{
    return 'F';
}
char row_of_four_narrow_in_eight_blocks()
{
    return 'A';
}
char row_of_wide_in_one_block()
{
    return 'E';
}
char row_of_two_wide_in_one_block()
{
    return 'C';
}
