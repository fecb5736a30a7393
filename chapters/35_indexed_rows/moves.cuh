// Kernels that copy rows: one thread per row, one thread per vector, one group of threads per row.
#pragma once

#include "where.cuh"

//! [row_per_thread]
// Row to(r) of c = row from(r) of a, for `rows` rows of `width` 16-byte vectors. Launch: one
// thread per row.
template<class From, class To>
__global__ void row_per_thread(From from, To to, const uint4* a, uint4* c, std::size_t rows,
                               unsigned width)
{
    const std::size_t r = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (r < rows) {
        const std::size_t source = from(r) * width;
        const std::size_t target = to(r) * width;
        for (unsigned k = 0; k < width; ++k) {
            c[target + k] = a[source + k];
        }
    }
}
//! [row_per_thread]

//! [vector_per_thread]
// As row_per_thread. Launch: one thread per vector.
template<class From, class To>
__global__ void vector_per_thread(From from, To to, const uint4* a, uint4* c, std::size_t rows,
                                  unsigned width)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t r = i / width;
    if (r < rows) {
        c[to(r) * width + i % width] = a[from(r) * width + i % width];
    }
}
//! [vector_per_thread]

//! [row_per_group]
// Copies a row with `group` threads, of which this is number k: two loads in flight per thread.
template<class Source, class Target>
__device__ void copy_row(Source source, Target target, unsigned width, unsigned k, unsigned group)
{
    for (; k + group < width; k += 2 * group) {
        const uint4 first = source[k];
        const uint4 second = source[k + group];
        target[k] = first;
        target[k + group] = second;
    }
    if (k < width) { // a row with one vector per thread
        target[k] = source[k];
    }
}

// Row to(r) of c = row from(r) of a, by `group` adjacent threads. Launch: `group` threads per row.
template<class From, class To>
__global__ void row_per_group(From from, To to, const uint4* a, uint4* c, std::size_t rows,
                              unsigned width, unsigned group)
{
    const std::size_t r = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / group;
    if (r >= rows) {
        return;
    }
    copy_row(a + from(r) * width, c + to(r) * width, width, threadIdx.x % group, group);
}
//! [row_per_group]
