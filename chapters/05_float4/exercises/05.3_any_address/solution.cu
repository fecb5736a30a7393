// 05.3: From any address, a solution
//
// The head is what lies in front of the first multiple of 16 bytes, at most three elements, and
// never more than there are. The words come behind it, and what is left is the tail. If the arrays
// are not off by the same, all elements belong to the head. Head and tail together are the rest.

#include <cstddef>

__device__ std::size_t past_boundary(const float* p)
{
    return reinterpret_cast<std::size_t>(p) % sizeof(float4) / sizeof(float);
}

__global__ void copy(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t offset = past_boundary(c);
    const bool fits = past_boundary(a) == offset;
    const std::size_t head = fits ? (4 - offset) % 4 : n;
    const std::size_t words = head < n ? (n - head) / 4 : 0;
    if (i < words) {
        reinterpret_cast<float4*>(c + head)[i] = reinterpret_cast<const float4*>(a + head)[i];
    }
    const std::size_t rest = n - 4 * words;
    if (i < rest) {
        const std::size_t element = i < head ? i : i + 4 * words;
        c[element] = a[element];
    }
}

// Called with arrays in device memory, of any n. They begin at multiples of 4 bytes.
void solve(const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    copy<<<blocks, threads>>>(a, c, n);
}
