// The operations of a reduction, which are template arguments (Op) of the kernels: a sum, or the
// largest element with its index (argmax).
#pragma once

#include "common/chapter.hpp"

//! [operations]
// The sum. 0 is its identity.
template<class T, class T4>
struct Sum
{
    using Element = T; // of the array
    using Vec4 = T4;   // four elements of one 16-byte load
    using Value = T;   // of a partial result, and of the result
    // The partial result of one element x, which has the index i.
    static __device__ Value from_element(T x, std::size_t) { return x; }
    // Combines two partial results.
    static __device__ Value combine(Value x, Value y) { return x + y; }
    // Combines a partial result with *c, in global memory.
    static __device__ void atomic_combine(Value* c, Value x) { atomicAdd(c, x); }
};

// The largest word and its index, packed into 64 bits: the word in the upper half, the complement
// of the index in the lower, so that the first of equal words wins.
struct ArgMax
{
    using Element = unsigned;
    using Vec4 = uint4;
    using Value = unsigned long long;
    static __device__ Value from_element(unsigned x, std::size_t i)
    {
        return Value{x} << 32U | ~static_cast<unsigned>(i);
    }
    static __device__ Value combine(Value x, Value y) { return x > y ? x : y; }
    static __device__ void atomic_combine(Value* c, Value x) { atomicMax(c, x); }
};

// Combines the four elements of one load, the first of which is element i.
template<class Op>
__device__ typename Op::Value combine4(typename Op::Vec4 v, std::size_t i)
{
    return Op::combine(Op::combine(Op::from_element(v.x, i), Op::from_element(v.y, i + 1)),
                       Op::combine(Op::from_element(v.z, i + 2), Op::from_element(v.w, i + 3)));
}
//! [operations]
