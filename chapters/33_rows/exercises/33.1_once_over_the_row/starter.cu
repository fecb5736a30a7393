// 33.1: Softmax with the row in registers
//
// Replace each row by its softmax: subtract the largest x from each element, then divide e^x by the
// sum of all e^x. A block of 256 threads makes three passes over its row of 1,000 elements, at most
// four per thread. Read each element once, and keep it in a register.

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>

constexpr unsigned threads = 256;

// The largest, or the sum, of what all threads of a block have.
__device__ float reduce(float x, bool sum)
{
    __shared__ float partials[threads];
    __syncthreads();
    partials[threadIdx.x] = x;
    __syncthreads();
    x = partials[0];
    for (unsigned k = 1; k < threads; ++k) {
        x = sum ? x + partials[k] : fmaxf(x, partials[k]);
    }
    return x;
}

__global__ void softmax(const __nv_bfloat16* a, __nv_bfloat16* c, unsigned columns)
{
    const std::size_t row = std::size_t{blockIdx.x} * columns;
    float largest = -3.4e38f;
    for (unsigned i = threadIdx.x; i < columns; i += threads) {
        largest = fmaxf(largest, a[row + i]);
    }
    largest = reduce(largest, false);
    float sum = 0;
    for (unsigned i = threadIdx.x; i < columns; i += threads) {
        sum += __expf(float(a[row + i]) - largest);
    }
    sum = reduce(sum, true);
    for (unsigned i = threadIdx.x; i < columns; i += threads) {
        c[row + i] = __float2bfloat16(__expf(float(a[row + i]) - largest) / sum);
    }
}

// Called with `rows` rows of 1,000 elements in device memory, one behind another.
void solve(const __nv_bfloat16* a, __nv_bfloat16* c, unsigned rows, unsigned columns)
{
    softmax<<<rows, threads>>>(a, c, columns);
}
