// Counters in shared memory, which each block adds to those in global memory at its end.
#pragma once

#include "copies.cuh"
#include "for_each.cuh"

//! [shared]
constexpr unsigned persistent_threads = 1024; // per block; two blocks fill an SM

struct One // an increment of 1 that the compiler knows
{
    __device__ operator unsigned() const { return 1; }
};

// c[x] += how many elements are in bin x, times `increment`. Launch: persistent blocks; c is 0 at
// first.
template<class T, class Layout, class Increment>
__global__ void __launch_bounds__(persistent_threads, common::bound_blocks(2, persistent_threads))
    shared(const T* a, unsigned* c, std::size_t n, Increment increment)
{
    __shared__ unsigned counters[Layout::words];
    for (unsigned k = threadIdx.x; k < Layout::words; k += persistent_threads) {
        counters[k] = 0;
    }
    __syncthreads();
    const auto at = [&](unsigned x, unsigned copy) { // an index would take one more instruction
        return reinterpret_cast<unsigned*>(reinterpret_cast<char*>(counters) +
                                           Layout::byte_offset(x, copy));
    };
    const unsigned copy = Layout::copy();
    for_each_element(
        a, n, [&](unsigned x) { atomicAdd(at(x, copy), unsigned{increment} << Layout::shift(x)); });
    __syncthreads();
    for (unsigned x = threadIdx.x; x < bins; x += persistent_threads) {
        unsigned sum = 0;
#pragma unroll 4 // all 32 loads at once would need too many registers
        for (unsigned k = 0; k < Layout::copies; ++k) { // each lane begins in another bank
            sum += *at(x, (x + k) % Layout::copies) >> Layout::shift(x) & Layout::max_count;
        }
        atomicAdd(&c[x], sum);
    }
}
//! [shared]
