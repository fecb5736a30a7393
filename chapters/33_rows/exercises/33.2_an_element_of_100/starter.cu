// 33.2: Softmax without overflow
//
// Each of the rows is to become its softmax: e^x over the sum of all e^x. A warp has a row and goes
// over it twice. It is right as long as elements are near 0; with one of 100 the row is ruined, and
// so is a row of -120 throughout. Find out why, and fix it for any row. It may go over its row
// once more.

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>

__global__ void softmax(const __nv_bfloat16* a, __nv_bfloat16* c, unsigned columns)
{
    const std::size_t row = std::size_t{blockIdx.x} * columns;
    float sum = 0;
    for (unsigned i = threadIdx.x; i < columns; i += 32) {
        sum += __expf(float(a[row + i]));
    }
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    }
    for (unsigned i = threadIdx.x; i < columns; i += 32) {
        c[row + i] = __float2bfloat16(__expf(float(a[row + i])) / sum);
    }
}

// Called with `rows` rows of 1,000 elements in device memory, one behind another.
void solve(const __nv_bfloat16* a, __nv_bfloat16* c, unsigned rows, unsigned columns)
{
    softmax<<<rows, 32>>>(a, c, columns);
}
