// The operations of a reduction: a sum, or the largest element and its index.
#pragma once

#include "common/chapter.hpp"

//! [operations]
// The sum. 0 is its identity.
template<class T, class T4>
struct Sum
{
    using Element = T; // of the array
    using Four = T4;   // four elements, one 16-byte load
    using Value = T;   // of a partial result, and of the result
    static __device__ Value from_element(T x, std::size_t) { return x; }
    static __device__ Value combine(Value x, Value y) { return x + y; }
    static __device__ void atomic_combine(Value* c, Value x) { atomicAdd(c, x); }
};

// The largest word and its index, packed into 64 bits: the word in the upper half, the complement
// of the index in the lower, so that the first of equal words wins.
struct Largest
{
    using Element = unsigned;
    using Four = uint4;
    using Value = unsigned long long;
    static __device__ Value from_element(unsigned x, std::size_t i)
    {
        return Value{x} << 32U | ~static_cast<unsigned>(i);
    }
    static __device__ Value combine(Value x, Value y) { return x > y ? x : y; }
    static __device__ void atomic_combine(Value* c, Value x) { atomicMax(c, x); }
};

// Combines four elements, the first of which is element i.
template<class Op>
__device__ typename Op::Value combine4(typename Op::Four v, std::size_t i)
{
    return Op::combine(Op::combine(Op::from_element(v.x, i), Op::from_element(v.y, i + 1)),
                       Op::combine(Op::from_element(v.z, i + 2), Op::from_element(v.w, i + 3)));
}
//! [operations]
