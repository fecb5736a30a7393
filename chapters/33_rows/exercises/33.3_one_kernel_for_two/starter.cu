// 33.3: Fuse two kernels
//
// The first kernel is a norm: each x of a row times the weight of its column, over the root of the
// mean of the row's squares. The second makes numbers of 8 bits of what the first has written, over
// one scale per row, by which the largest becomes 448. Make one kernel of the two, which reads a
// row once and writes 8 bits per element and one scale per row. A row has 1,000 elements.

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned loads = 32; // of a lane: 32 lanes have a row

__global__ void norm(const __nv_bfloat16* a, const __nv_bfloat16* w, __nv_bfloat16* c,
                     unsigned columns)
{
    const std::size_t row = std::size_t{blockIdx.x} * columns;
    float x[loads];
    float squares = 0;
    for (unsigned k = 0; k < loads; ++k) {
        const unsigned i = threadIdx.x + 32 * k;
        x[k] = i < columns ? float(a[row + i]) : 0;
        squares += x[k] * x[k];
    }
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        squares += __shfl_xor_sync(0xffffffff, squares, offset);
    }
    const float root = rsqrtf(squares / float(columns) + 1e-5f);
    for (unsigned k = 0; k < loads; ++k) {
        if (const unsigned i = threadIdx.x + 32 * k; i < columns) {
            c[row + i] = __float2bfloat16(x[k] * root * float(w[i]));
        }
    }
}

__global__ void to_fp8(const __nv_bfloat16* a, __nv_fp8_e4m3* c, float* scales, unsigned columns)
{
    const std::size_t row = std::size_t{blockIdx.x} * columns;
    float x[loads];
    float largest = 0;
    for (unsigned k = 0; k < loads; ++k) {
        const unsigned i = threadIdx.x + 32 * k;
        x[k] = i < columns ? float(a[row + i]) : 0;
        largest = fmaxf(largest, fabsf(x[k]));
    }
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, offset));
    }
    if (threadIdx.x == 0) {
        scales[blockIdx.x] = largest / 448;
    }
    for (unsigned k = 0; k < loads; ++k) {
        if (const unsigned i = threadIdx.x + 32 * k; i < columns) {
            c[row + i] = __nv_fp8_e4m3(x[k] * 448 / largest);
        }
    }
}

// Called with `rows` rows in device memory, and space for results of either kind.
void solve(const __nv_bfloat16* a, const __nv_bfloat16* w, __nv_bfloat16* between, __nv_fp8_e4m3* c,
           float* scales, unsigned rows, unsigned columns)
{
    norm<<<rows, 32>>>(a, w, between, columns);
    to_fp8<<<rows, 32>>>(between, c, scales, columns);
}
