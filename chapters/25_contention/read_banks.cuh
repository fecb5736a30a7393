// Lanes that want different words of one bank.
#pragma once

#include "common/chapter.hpp"

//! [banks]
constexpr unsigned banks = 32;
constexpr unsigned batch = 8; // loads between two checks of the loop
constexpr unsigned tile_words = banks * (32 + batch);

// Lane l reads words degree * l + 32 * r, for r = 0, 1, 2, ...: whatever r is, `degree` lanes
// access different words of one bank. The words are volatile because every fourth batch reads the
// same: a compiler that sees it reads them once.
__global__ void read_banks(const unsigned* a, unsigned* c, unsigned degree, unsigned batches)
{
    __shared__ unsigned tile[tile_words];
    for (unsigned i = threadIdx.x; i < tile_words; i += blockDim.x) {
        tile[i] = a[i];
    }
    __syncthreads();
    const unsigned first = threadIdx.x % 32 * degree;
    unsigned sum = 0;
    for (unsigned k = 0; k < batches; ++k) {
        const volatile unsigned* from = tile + (first + k * batch * banks) % (32 * banks);
        for (unsigned r = 0; r < batch; ++r) {
            sum += from[r * banks];
        }
    }
    c[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
//! [banks]
