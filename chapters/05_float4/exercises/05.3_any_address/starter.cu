// 05.3: Handle misaligned pointers
//
// This copy moves words of 16 bytes and assumes that both arrays begin at a multiple of 16 bytes.
// Here they may begin at any element. Where a and c have the same offset from a 16-byte boundary,
// keep the accesses wide, except for the few elements before the first boundary and after the last.
// Where the offsets differ, no word fits both arrays: copy element by element.

#include <cstddef>

__global__ void copy(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t words = n / 4;
    if (i < words) {
        reinterpret_cast<float4*>(c)[i] = reinterpret_cast<const float4*>(a)[i];
    }
    const std::size_t rest = n - 4 * words;
    if (i < rest) {
        c[4 * words + i] = a[4 * words + i];
    }
}

// Called with arrays in device memory, of any n up to 2^31. They begin at multiples of 4 bytes.
void solve(const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    copy<<<blocks, threads>>>(a, c, n);
}
