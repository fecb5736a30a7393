// 06.1: The negative of a picture, a solution
//
// 255 - x turns every bit of a byte round, and so does ~ with all the bits of a word: no byte
// borrows from its neighbour. One thread more than there are words takes the up to 15 bytes that do
// not fill one.

#include <cstddef>

__global__ void negative(const unsigned char* a, unsigned char* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t words = n / sizeof(uint4);
    if (i < words) {
        const uint4 x = reinterpret_cast<const uint4*>(a)[i];
        reinterpret_cast<uint4*>(c)[i] = make_uint4(~x.x, ~x.y, ~x.z, ~x.w);
    } else if (i == words) {
        for (std::size_t k = words * sizeof(uint4); k < n; ++k) {
            c[k] = static_cast<unsigned char>(255 - a[k]);
        }
    }
}

// Called with arrays in device memory that begin at multiples of 16 bytes, of any n.
void solve(const unsigned char* a, unsigned char* c, std::size_t n)
{
    const unsigned threads = 256;
    const std::size_t words = n / sizeof(uint4);
    const unsigned blocks = static_cast<unsigned>((words + 1 + threads - 1) / threads);
    negative<<<blocks, threads>>>(a, c, n);
}
