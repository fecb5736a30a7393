/// \file
/// Numbers of type bfloat16 in the words in which kernels load them.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace common {

//! [products]
/// The two bfloat16 of a word, as floats: a bfloat16 is the upper half of one.
template<class Word>
__device__ float lower(Word word)
{
    return __uint_as_float(word << 16U);
}
/// The other one, in the upper half.
template<class Word>
__device__ float upper(Word word)
{
    return __uint_as_float(word & 0xffff0000U);
}

/// `sum`, and the products of two words of T: of floats one, of bfloat16 two.
template<class T, class Word>
__device__ float add_word(Word a, Word x, float sum)
{
    if constexpr (sizeof(T) == sizeof(float)) {
        return sum + __uint_as_float(a) * __uint_as_float(x);
    } else {
        return sum + lower(a) * lower(x) + upper(a) * upper(x);
    }
}

/// The same of 16 bytes of a row and of the vector.
template<class T>
__device__ float add_products(uint4 a, uint4 x, float sum)
{
    sum = add_word<T>(a.x, x.x, sum);
    sum = add_word<T>(a.y, x.y, sum);
    sum = add_word<T>(a.z, x.z, sum);
    return add_word<T>(a.w, x.w, sum);
}
//! [products]

/// Eight neighbours of a row as floats.
struct Eight
{
    float x[8]; ///< in their order
};

/// The eight bfloat16 that came in one load.
template<class Words>
__device__ Eight eight_of(Words words)
{
    return {{lower(words.x), upper(words.x), lower(words.y), upper(words.y), lower(words.z),
             upper(words.z), lower(words.w), upper(words.w)}};
}

/// Two numbers, each rounded to the nearest bfloat16, as a word: `first` is its lower half.
template<class Float>
__device__ unsigned word_of(Float first, Float second)
{
    const __nv_bfloat162 two = __floats2bfloat162_rn(first, second);
    return unsigned{__bfloat16_as_ushort(two.y)} << 16U | __bfloat16_as_ushort(two.x);
}

} // namespace common
