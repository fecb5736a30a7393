// 06.1: Process bytes through 16-byte accesses
//
// Turn a picture of n bytes into its negative: c[i] = 255 - a[i]. One byte per thread wastes
// nothing of a sector, yet the page shows how slow it is, because a block has so little to do. Make
// each load and store move a word of 16 bytes, for any n. To invert a whole word at once, consider
// what 255 - x does to the bits of a byte.

#include <cstddef>

__global__ void negative(const unsigned char* a, unsigned char* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = static_cast<unsigned char>(255 - a[i]);
    }
}

// Called with arrays in device memory that begin at multiples of 16 bytes, of any n up to 2^31.
void solve(const unsigned char* a, unsigned char* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    negative<<<blocks, threads>>>(a, c, n);
}
