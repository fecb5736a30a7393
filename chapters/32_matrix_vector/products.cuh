// Dot products of floats or of bf16 values, in the 4-byte words and 16-byte vectors that kernels
// load.
#pragma once

// The two bf16 values of a word as floats: a bf16 value is the upper half of a float.
__device__ inline float bf16_low(unsigned word)
{
    return __uint_as_float(word << 16U);
}
__device__ inline float bf16_high(unsigned word)
{
    return __uint_as_float(word & 0xffff0000U);
}

// Returns sum + the products of two words: one product of floats, or two of bf16 values.
template<class T>
__device__ float add_word(unsigned a, unsigned x, float sum)
{
    if constexpr (sizeof(T) == sizeof(float)) {
        return sum + __uint_as_float(a) * __uint_as_float(x);
    } else {
        return sum + bf16_low(a) * bf16_low(x) + bf16_high(a) * bf16_high(x);
    }
}

// Returns sum + the products of 16 bytes of a row and 16 bytes of the vector.
template<class T>
__device__ float add_products(uint4 a, uint4 x, float sum)
{
    sum = add_word<T>(a.x, x.x, sum);
    sum = add_word<T>(a.y, x.y, sum);
    sum = add_word<T>(a.z, x.z, sum);
    return add_word<T>(a.w, x.w, sum);
}

// The sums of the rows whose elements are in 16 bytes of a column: four of floats, or eight of bf16
// values.
template<class T>
struct Sums
{
    static constexpr unsigned count = 16 / sizeof(T); // rows
    float sum[count] = {};

    // Adds the products of these 16 bytes and the column's element of the vector.
    __device__ void add(uint4 a, T element)
    {
        const auto x = static_cast<float>(element);
        add_word(0, a.x, x);
        add_word(1, a.y, x);
        add_word(2, a.z, x);
        add_word(3, a.w, x);
    }
    // The same for word k of the four.
    __device__ void add_word(unsigned k, unsigned a, float x)
    {
        if constexpr (sizeof(T) == sizeof(float)) {
            sum[k] += __uint_as_float(a) * x;
        } else {
            sum[2 * k] += bf16_low(a) * x;
            sum[2 * k + 1] += bf16_high(a) * x;
        }
    }
};
