// Eight bfloat16 that come in one load.
#pragma once

#include "../32_matrix_vector/products.cuh"

#include <cuda_bf16.h>

// Eight neighbours of a row as floats.
struct Eight
{
    float x[8];
};

// The eight bfloat16 that came in one load.
__device__ inline Eight unpack8(uint4 words)
{
    return {{lower(words.x), upper(words.x), lower(words.y), upper(words.y), lower(words.z),
             upper(words.z), lower(words.w), upper(words.w)}};
}

// Two numbers, each rounded to the nearest bfloat16, as a word: `first` is its lower half.
__device__ inline unsigned word_of(float first, float second)
{
    const __nv_bfloat162 two = __floats2bfloat162_rn(first, second);
    return unsigned{__bfloat16_as_ushort(two.y)} << 16U | __bfloat16_as_ushort(two.x);
}
