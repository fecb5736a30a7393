// 16.2: Convert array of structures to structure of arrays
//
// Points of three floats are stored record by record in a. Store them field by field in c: all x,
// then all y, then all z, so that later kernels can read single fields. The stores of this kernel
// are coalesced, but its loads have a stride of three floats. Make both sides coalesced, and load
// each element once. n may be any number.

#include <cstddef>

constexpr unsigned fields = 3;

__global__ void to_fields(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        for (unsigned k = 0; k < fields; ++k) {
            c[k * n + i] = a[fields * i + k];
        }
    }
}

// Called with n records of three floats, at most 2^31 floats, and as many for the result, in device
// memory.
void solve(const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    to_fields<<<blocks, threads>>>(a, c, n);
}
