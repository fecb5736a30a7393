// A sparse matrix (CSR): by rows, or by partitions of equally many elements.
#pragma once

#include "row_of.cuh"
#include "rows.cuh"

//! [sparse]
// c = a x, with `lanes` lanes per row. Row r has the elements value[start[r]] to
// value[start[r + 1] - 1]; value[i] is in column column[i]. Launch: `lanes` threads per row.
template<unsigned lanes>
__global__ void sparse(const unsigned* start, const unsigned* column, const float* value,
                       const float* x, float* c, std::size_t rows)
{
    const std::size_t r = (std::size_t{blockIdx.x} * threads + threadIdx.x) / lanes;
    const unsigned end = start[min(r + 1, rows)];
    float sum = 0;
    for (unsigned i = start[min(r, rows)] + threadIdx.x % lanes; i < end; i += lanes) {
        sum += value[i] * x[column[i]];
    }
    sum = sum_lanes<lanes>(sum);
    if (r < rows && threadIdx.x % lanes == 0) {
        c[r] = sum;
    }
}

// Eight lanes per row, which load 16 bytes of its columns and of its elements at once. The first
// and the last 16 bytes may have elements of other rows. Launch: eight threads per row.
__global__ void sparse_vectors(const unsigned* start, const unsigned* column, const float* value,
                               const float* x, float* c, std::size_t rows)
{
    const std::size_t r = (std::size_t{blockIdx.x} * threads + threadIdx.x) / 8;
    const unsigned from = start[min(r, rows)];
    const unsigned end = start[min(r + 1, rows)];
    const auto product = [&](unsigned i, unsigned at, float element) {
        return i >= from && i < end ? element * x[at] : 0;
    };
    float sum = 0;
    for (unsigned i = from / 4 + threadIdx.x % 8; 4 * i < end; i += 8) {
        const uint4 at = __ldcs(reinterpret_cast<const uint4*>(column) + i);
        const float4 v = __ldcs(reinterpret_cast<const float4*>(value) + i);
        sum += product(4 * i, at.x, v.x) + product(4 * i + 1, at.y, v.y) +
               (product(4 * i + 2, at.z, v.z) + product(4 * i + 3, at.w, v.w));
    }
    sum = sum_lanes<8>(sum);
    if (r < rows && threadIdx.x % 8 == 0) {
        c[r] = sum;
    }
}

constexpr unsigned partition = 8 * threads; // elements per block, from any number of rows

// Each block multiplies `partition` elements by x, then sums the products of each of its rows,
// eight lanes per row. Atomics add the sums of rows that several blocks share, so c must be 0 at
// first. Launch: one block per partition.
__global__ void sparse_partitions(const unsigned* start, const unsigned* column, const float* value,
                                  const float* x, float* c, std::size_t rows)
{
    __shared__ float products[partition];
    const unsigned first = blockIdx.x * partition;
    const unsigned end = min(first + partition, start[rows]);
    for (unsigned i = first + threadIdx.x; i < end; i += threads) {
        products[i - first] = value[i] * x[column[i]];
    }
    __syncthreads();
    std::size_t r = row_of(start, rows, first) + threadIdx.x / 8; // with eight lanes
    while (__any_sync(0xffffffff, start[min(r, rows)] < end)) {
        const unsigned from = start[min(r, rows)];
        const unsigned to = start[min(r + 1, rows)];
        float sum = 0;
        for (unsigned i = max(from, first) + threadIdx.x % 8; i < min(to, end); i += 8) {
            sum += products[i - first];
        }
        sum = sum_lanes<8>(sum);
        if (threadIdx.x % 8 == 0 && from < min(to, end)) {
            store_or_atomic_add(c + r, sum, from >= first && to <= end);
        }
        r += threads / 8;
    }
}
//! [sparse]
