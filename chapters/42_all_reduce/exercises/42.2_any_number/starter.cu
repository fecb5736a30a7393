// 42.2: All-reduce for any number of devices
//
// Any number of devices have an input of n floats each, and all need the sum. Device k sums its
// share of all inputs, 16 bytes per load, and stores the sum to all outputs. The kernel is correct,
// but begin_of() is not: it was written for an n that is a multiple of four times the number of
// devices. Let it work for every n, with shares that begin at a multiple of four elements, as
// 16-byte loads require, and are otherwise as equal as possible.

#include <cstddef>

constexpr unsigned threads = 256;
constexpr unsigned max_devices = 4;

struct Arrays
{
    const float* a[max_devices];
    float* c[max_devices];
};

// Where the share of device k begins, and that of the device before it ends; k may be `devices`.
std::size_t begin_of(std::size_t n, unsigned devices, unsigned k)
{
    return n / devices * k;
}

// Begins at element `first`, a multiple of four; elements behind the last whole four go one by one.
__global__ void sum(Arrays arrays, unsigned devices, std::size_t first, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t vectors = n / 4;
    if (i < vectors) {
        float4 x = reinterpret_cast<const float4*>(arrays.a[0] + first)[i];
        for (unsigned d = 1; d < devices; ++d) {
            const float4 y = reinterpret_cast<const float4*>(arrays.a[d] + first)[i];
            x = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
        }
        for (unsigned d = 0; d < devices; ++d) {
            reinterpret_cast<float4*>(arrays.c[d] + first)[i] = x;
        }
    } else if (i < vectors + n % 4) {
        const std::size_t at = first + 4 * vectors + (i - vectors);
        float x = arrays.a[0][at];
        for (unsigned d = 1; d < devices; ++d) {
            x += arrays.a[d][at];
        }
        for (unsigned d = 0; d < devices; ++d) {
            arrays.c[d][at] = x;
        }
    }
}

// Called with a[k] and c[k] in the memory of device k; peer access is on, and device 0 in use.
void solve(const float* const* a, float* const* c, unsigned devices, std::size_t n)
{
    Arrays arrays{};
    for (unsigned k = 0; k < devices; ++k) {
        arrays.a[k] = a[k];
        arrays.c[k] = c[k];
    }
    for (unsigned k = 0; k < devices; ++k) {
        const std::size_t first = begin_of(n, devices, k);
        const std::size_t count = begin_of(n, devices, k + 1) - first;
        const std::size_t all = count / 4 + count % 4; // threads
        cudaSetDevice(static_cast<int>(k));
        if (all > 0) {
            sum<<<static_cast<unsigned>((all + threads - 1) / threads), threads>>>(arrays, devices,
                                                                                   first, count);
        }
    }
    cudaSetDevice(0);
}
