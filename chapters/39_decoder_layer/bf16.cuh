// Eight bf16 values per 16-byte load: unpacked to floats, packed, and multiplied, as in chapters 32
// and 33.
#pragma once

#include <cuda_bf16.h>

// The two bf16 values of a word as floats: a bf16 value is the upper half of a float.
__device__ inline float bf16_low(unsigned word)
{
    return __uint_as_float(word << 16U);
}
__device__ inline float bf16_high(unsigned word)
{
    return __uint_as_float(word & 0xffff0000U);
}

// Eight adjacent elements.
struct Float8
{
    float x[8];
};

// Unpacks the eight bf16 values of one load.
__device__ inline Float8 unpack_bf16x8(uint4 words)
{
    return {{bf16_low(words.x), bf16_high(words.x), bf16_low(words.y), bf16_high(words.y),
             bf16_low(words.z), bf16_high(words.z), bf16_low(words.w), bf16_high(words.w)}};
}

// Rounds two floats to bf16 and packs them into a word, `first` in its lower half.
__device__ inline unsigned pack_bf16x2(float first, float second)
{
    const __nv_bfloat162 two = __floats2bfloat162_rn(first, second);
    return unsigned{__bfloat16_as_ushort(two.y)} << 16U | __bfloat16_as_ushort(two.x);
}

// Adds the dot product of eight bf16 values of a matrix row and eight of the vector to `sum`.
__device__ inline float dot8(uint4 row, uint4 x, float sum)
{
    const auto dot2 = [](unsigned a, unsigned b, float partial) {
        return partial + bf16_low(a) * bf16_low(b) + bf16_high(a) * bf16_high(b);
    };
    sum = dot2(row.x, x.x, sum);
    sum = dot2(row.y, x.y, sum);
    sum = dot2(row.z, x.z, sum);
    return dot2(row.w, x.w, sum);
}
