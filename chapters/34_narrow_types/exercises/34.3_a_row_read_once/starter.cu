// 34.3: Quantize with the row in registers
//
// Quantize each row of 512 values to 8 bits, with a scale: the largest magnitude over 448. A block
// reads its row twice, because it needs the largest magnitude before it can scale the first value.
// Keep the values in registers, and read each only once.

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned columns = 512, threads = 128;

__global__ void quantise(const __nv_bfloat16* a, __nv_fp8_e4m3* c, float* scale)
{
    __shared__ float warps[threads / 32];
    const std::size_t first = std::size_t{blockIdx.x} * columns + threadIdx.x;
    float top = 0;
    for (unsigned k = 0; k < columns; k += threads) {
        top = fmaxf(top, fabsf(__bfloat162float(a[first + k])));
    }
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, offset));
    }
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = top;
    }
    __syncthreads();
    top = fmaxf(fmaxf(warps[0], warps[1]), fmaxf(warps[2], warps[3]));
    const float factor = top > 0 ? 448 / top : 0;
    for (unsigned k = 0; k < columns; k += threads) {
        c[first + k] = __nv_fp8_e4m3(__bfloat162float(a[first + k]) * factor);
    }
    if (threadIdx.x == 0) {
        scale[blockIdx.x] = top / 448;
    }
}

// Called with `rows` rows in device memory.
void solve(const __nv_bfloat16* a, __nv_fp8_e4m3* c, float* scale, std::size_t rows)
{
    quantise<<<static_cast<unsigned>(rows), threads>>>(a, c, scale);
}
