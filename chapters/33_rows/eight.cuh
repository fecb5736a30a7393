// Eight bfloat16 of one 16-byte load, as floats.
#pragma once

#include "../32_matrix_vector/products.cuh"

#include <cuda_bf16.h>

// Eight adjacent elements of a row.
struct Eight
{
    float x[8];
};

// Unpacks the eight bfloat16 of one load.
__device__ inline Eight unpack8(uint4 words)
{
    return {{lower(words.x), upper(words.x), lower(words.y), upper(words.y), lower(words.z),
             upper(words.z), lower(words.w), upper(words.w)}};
}

// Rounds two floats to bfloat16 and packs them into a word, `first` in its lower half.
__device__ inline unsigned word_of(float first, float second)
{
    const __nv_bfloat162 two = __floats2bfloat162_rn(first, second);
    return unsigned{__bfloat16_as_ushort(two.y)} << 16U | __bfloat16_as_ushort(two.x);
}
