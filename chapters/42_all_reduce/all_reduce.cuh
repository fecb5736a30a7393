// The kernel of chapters 42 and 43 that sums arrays of several devices, its launch, and the sizes.
#pragma once

#include "collectives.cuh"

//! [sum]
// The arrays that a device sums, and the arrays to which it writes the sums, on any device.
struct Arrays
{
    const float* in[common::Team::most];
    float* out[common::Team::most];
    unsigned inputs;
    unsigned outputs;
};

__device__ float4 add4(float4 x, float4 y)
{
    return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

// Sums tile `tile` of the n elements of arrays.in[0] to in[inputs - 1], and stores the sums to all
// outputs: `loads` float4s per thread of a block. Each thread issues all `loads` loads of an array
// before it uses the first, and the loads of the second array before the first addition.
template<unsigned loads>
__device__ void sum_tile(const Arrays& arrays, std::size_t n, std::size_t tile)
{
    const std::size_t vectors = n / 4;
    const std::size_t first = tile * blockDim.x * loads + threadIdx.x;
    float4 x[loads] = {};
    for (unsigned d = 0; d < arrays.inputs; ++d) {
        const float4* in = reinterpret_cast<const float4*>(arrays.in[d]);
        float4 y[loads] = {};
        for (unsigned k = 0; k < loads; ++k) {
            if (const std::size_t i = first + k * blockDim.x; i < vectors) {
                y[k] = in[i];
            }
        }
        for (unsigned k = 0; k < loads; ++k) {
            x[k] = d == 0 ? y[k] : add4(x[k], y[k]);
        }
    }
    for (unsigned d = 0; d < arrays.outputs; ++d) {
        float4* out = reinterpret_cast<float4*>(arrays.out[d]);
        for (unsigned k = 0; k < loads; ++k) {
            if (const std::size_t i = first + k * blockDim.x; i < vectors) {
                out[i] = x[k];
            }
        }
    }
    if (const std::size_t i = 4 * vectors + first; i < n) { // the last n % 4, one per thread
        float last = arrays.in[0][i];
        for (unsigned d = 1; d < arrays.inputs; ++d) {
            last += arrays.in[d][i];
        }
        for (unsigned d = 0; d < arrays.outputs; ++d) {
            arrays.out[d][i] = last;
        }
    }
}

// Launch: one block per tile.
template<unsigned loads>
__global__ void sum(Arrays arrays, std::size_t n)
{
    sum_tile<loads>(arrays, n, blockIdx.x);
}
//! [sum]

//! [launch]
struct Sum
{
    unsigned loads; // in flight per thread and array, of 16 bytes each
    void (*kernel)(Arrays, std::size_t);

    static constexpr unsigned threads = 512;
    void queue(const Arrays& arrays, std::size_t n, cudaStream_t stream) const
    {
        if (n > 0) {
            const unsigned blocks = common::blocks(n, std::size_t{4} * threads * loads);
            kernel<<<blocks, threads, 0, stream>>>(arrays, n);
        }
    }
};

const Sum usual_sum = {2, sum<2>};
//! [launch]

//! [arrays]
// Returns the inputs of all devices from element `from` on, and their outputs from `to` on. Device
// k starts with its own arrays, so that the devices use all links at once.
inline Arrays arrays_of(const common::Parts& p, unsigned k, std::size_t from, std::size_t to)
{
    const auto devices = static_cast<unsigned>(p.a.size());
    Arrays arrays{{}, {}, devices, devices};
    for (unsigned d = 0; d < devices; ++d) {
        const unsigned other = (k + d) % devices;
        arrays.in[d] = p.a[other] + from;
        arrays.out[d] = p.c[other] + to;
    }
    return arrays;
}
//! [arrays]

const common::Sizes all_reduce_sizes{.gpu = {1u << 10, 1u << 12, 1u << 14, 1u << 16, 1u << 18,
                                             1u << 20, 1u << 22, 1u << 23, 1u << 24, 1u << 26,
                                             1u << 28},
                                     .cpu = {1u << 10, 1u << 20},
                                     .default_sizes = {1u << 18, 1u << 23, 1u << 28},
                                     .bytes_per_element = 3 * sizeof(float)};
