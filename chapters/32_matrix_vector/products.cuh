// Products of floats, or of bfloat16, in the words in which kernels load them.
#pragma once

// The two bfloat16 of a word, as floats: a bfloat16 is the upper half of one.
__device__ inline float lower(unsigned word)
{
    return __uint_as_float(word << 16U);
}
__device__ inline float upper(unsigned word)
{
    return __uint_as_float(word & 0xffff0000U);
}

// `sum`, and the products of two words of T: of floats one, of bfloat16 two.
template<class T>
__device__ float add_word(unsigned a, unsigned x, float sum)
{
    if constexpr (sizeof(T) == sizeof(float)) {
        return sum + __uint_as_float(a) * __uint_as_float(x);
    } else {
        return sum + lower(a) * lower(x) + upper(a) * upper(x);
    }
}

// The same of 16 bytes of a row and of the vector.
template<class T>
__device__ float add_products(uint4 a, uint4 x, float sum)
{
    sum = add_word<T>(a.x, x.x, sum);
    sum = add_word<T>(a.y, x.y, sum);
    sum = add_word<T>(a.z, x.z, sum);
    return add_word<T>(a.w, x.w, sum);
}

// Sums of the rows of which 16 bytes of a column have an element each.
template<class T>
struct Sums
{
    static constexpr unsigned count = 16 / sizeof(T); // rows
    float of[count] = {};

    // Adds the products of such 16 bytes and the column's element of the vector.
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
            of[k] += __uint_as_float(a) * x;
        } else {
            of[2 * k] += lower(a) * x;
            of[2 * k + 1] += upper(a) * x;
        }
    }
};
