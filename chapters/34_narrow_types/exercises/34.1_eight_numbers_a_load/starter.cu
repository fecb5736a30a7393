// 34.1: Load eight bf16 values at once
//
// Replace every bfloat16 value x by 1 - x. Each thread processes one value, so a warp loads 64
// bytes per request where 512 would take as long. Let each thread process eight adjacent values
// with one load and one store. The result must stay correct for every n.

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>

__global__ void flip(const __nv_bfloat16* a, __nv_bfloat16* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = __float2bfloat16(1.0F - __bfloat162float(a[i]));
    }
}

// Called with n numbers, at most 2^31, in device memory; a and c begin at multiples of 16 bytes.
void solve(const __nv_bfloat16* a, __nv_bfloat16* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    flip<<<blocks, threads>>>(a, c, n);
}
