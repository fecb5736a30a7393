// What a reduction makes of elements: their sum, or the largest one and its index.
#pragma once

#include "common/chapter.hpp"

//! [operations]
// The sum. 0 is its identity.
template<class T, class T4>
struct Sum
{
    using Element = T; // of the array
    using Four = T4;   // of them, in one load
    using Value = T;   // of the result, and of each partial
    static __device__ Value from_element(T x, std::size_t) { return x; }
    static __device__ Value combine(Value x, Value y) { return x + y; }
    static __device__ void atomic_combine(Value* c, Value x) { atomicAdd(c, x); }
};

// The largest word and where it is, in one word of 64 bits: the index's complement in the lower
// half, so that of equal elements the first is the largest.
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

// Joins four elements, the first of them being element i.
template<class Op>
__device__ typename Op::Value combine4(typename Op::Four v, std::size_t i)
{
    return Op::combine(Op::combine(Op::from_element(v.x, i), Op::from_element(v.y, i + 1)),
                       Op::combine(Op::from_element(v.z, i + 2), Op::from_element(v.w, i + 3)));
}
//! [operations]
