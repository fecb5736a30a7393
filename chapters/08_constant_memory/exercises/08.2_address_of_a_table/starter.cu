// 08.2: Set a device pointer by its symbol
//
// c[i] = a[i] + entry i % 32 of a table. The kernel finds the table through `table`, a pointer that
// is a variable of the device; the host sets it by its name. The call succeeds, and the pointer
// arrives as it was given. Yet the kernel is stopped at its first look into the table. The entries
// lie in ordinary memory of the host: let the table be in device memory, and give the memory back
// at the end.

#include <cstddef>

constexpr unsigned words = 32;

__device__ const float* table; // a pointer in global memory

__global__ void add_entry(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + table[i % words];
    }
}

// Called with arrays in device memory, of any n up to 2^31, and with the 32 entries in host memory.
void solve(const float* host_entries, const float* a, float* c, std::size_t n)
{
    cudaMemcpyToSymbol(table, &host_entries, sizeof host_entries);
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    add_entry<<<blocks, threads>>>(a, c, n);
}
