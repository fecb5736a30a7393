// 32.3: Sparse rows without elements
//
// Compute in c the product of a sparse matrix and the vector x. Row r has the elements
// value[start[r]] to value[start[r + 1] - 1], and value[i] is in column column[i]. A thread
// processes one element and searches for its row. The result is correct if every row has elements.
// Find out what is wrong if a row has none, and fix it.

#include <cuda_runtime.h>

#include <cstddef>

// The row of element i. What is looked for is always in rows `row` to `end` - 1.
__device__ unsigned row_of(const unsigned* start, unsigned rows, unsigned i)
{
    unsigned row = 0;
    unsigned end = rows;
    while (end - row > 1) {
        const unsigned middle = (row + end) / 2;
        if (start[middle] == i) {
            return middle;
        }
        if (start[middle] < i) {
            row = middle;
        } else {
            end = middle;
        }
    }
    return row;
}

__global__ void multiply(const unsigned* start, const unsigned* column, const float* value,
                         const float* x, float* c, unsigned rows)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < start[rows]) {
        atomicAdd(c + row_of(start, rows, i), value[i] * x[column[i]]);
    }
}

// Called with a matrix of `count` elements, and x and c in device memory; c has any values.
void solve(const unsigned* start, const unsigned* column, const float* value, const float* x,
           float* c, unsigned rows, unsigned count)
{
    const unsigned threads = 256;
    cudaMemsetAsync(c, 0, rows * sizeof *c);
    multiply<<<(count + threads - 1) / threads, threads>>>(start, column, value, x, c, rows);
}
