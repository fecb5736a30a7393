// A sum that every device contributes to and every device needs, by one kernel of our own.
#pragma once

#include "parts.hpp"

#include <algorithm>

//! [sum]
// Which arrays a device adds up, and into which it writes the sum: its own and others'.
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

// A thread has `loads` loads of an array on their way before it uses the first; of the second
// array, too, because nothing is added before both are asked for.
template<unsigned loads>
__global__ void sum(Arrays arrays, std::size_t n)
{
    const std::size_t vectors = n / 4;
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * loads + threadIdx.x;
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
    if (const std::size_t i = 4 * vectors + first; i < n) { // the last n % 4, one a thread
        float last = arrays.in[0][i];
        for (unsigned d = 1; d < arrays.inputs; ++d) {
            last += arrays.in[d][i];
        }
        for (unsigned d = 0; d < arrays.outputs; ++d) {
            arrays.out[d][i] = last;
        }
    }
}
//! [sum]

//! [shares]
// The part of n elements that device k of P adds up: whole float4s, and the last what is left.
struct Share
{
    std::size_t first;
    std::size_t count;
};

Share share(std::size_t n, unsigned devices, unsigned k)
{
    const std::size_t each = ((n + 3) / 4 + devices - 1) / devices * 4;
    const std::size_t first = std::min(k * each, n);
    return {first, std::min(each, n - first)};
}
//! [shares]

//! [arrays]
// One-shot: device k adds up everything, for itself. Two-phase: it adds up its share of all inputs,
// for all, so that every element is read and written by one device alone.
Arrays arrays_of(const common::Parts& p, unsigned devices, unsigned k, bool two_phase)
{
    Arrays arrays{};
    const std::size_t first = two_phase ? share(p.n, devices, k).first : 0;
    arrays.inputs = devices;
    arrays.outputs = two_phase ? devices : 1;
    for (unsigned d = 0; d < devices; ++d) {
        const unsigned other = (k + d) % devices; // each begins with its own: all links at once
        arrays.in[d] = p.a[other] + first;
        arrays.out[d] = p.c[other] + first;
    }
    return arrays;
}
//! [arrays]

//! [launch]
struct Sum
{
    unsigned loads; // of 16 bytes, that a thread has on their way from each array
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

const Sum sums[] = {{1, sum<1>}, {2, sum<2>}, {4, sum<4>}};
const Sum& usual_sum = sums[1];

// Streams of several devices know nothing of each other. Before the kernels every device waits for
// the others' inputs, behind them for the others' last reads and writes.
template<class Queue>
void between_barriers(common::Team& team, cudaStream_t first, Queue queue)
{
    team.fork(team.size(), first);
    team.meet(team.size());
    team.queue_on_each(team.size(), queue);
    team.meet(team.size());
}
//! [launch]
