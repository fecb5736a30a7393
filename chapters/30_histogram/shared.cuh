// Counters in shared memory, which a block adds to those in global memory at its end.
#pragma once

#include "copies.cuh"
#include "share.cuh"

//! [shared]
constexpr unsigned block = 1024; // two on an SM: all the threads that it can hold

struct One // what is added, where the compiler is to know it
{
    __device__ operator unsigned() const { return 1; }
};

template<class T, class Whose, class Added>
__global__ void __launch_bounds__(block, common::bound_blocks(2, block))
    shared(const T* a, unsigned* c, std::size_t n, Added added)
{
    __shared__ unsigned own[Whose::words];
    for (unsigned k = threadIdx.x; k < Whose::words; k += block) {
        own[k] = 0;
    }
    __syncthreads();
    const auto at = [&](unsigned x, unsigned copy) { // an index would take an instruction more
        return reinterpret_cast<unsigned*>(reinterpret_cast<char*>(own) + Whose::place(x, copy));
    };
    const unsigned copy = Whose::copy();
    each_of_share(a, n,
                  [&](unsigned x) { atomicAdd(at(x, copy), unsigned{added} << Whose::shift(x)); });
    __syncthreads();
    for (unsigned x = threadIdx.x; x < bins; x += block) {
        unsigned sum = 0;
#pragma unroll 4 // 32 places are more than a thread has registers for
        for (unsigned k = 0; k < Whose::copies; ++k) { // each lane begins in another bank
            sum += *at(x, (x + k) % Whose::copies) >> Whose::shift(x) & Whose::most;
        }
        atomicAdd(&c[x], sum);
    }
}
//! [shared]
