// Layouts of a block's counters in shared memory: one copy of them, one per warp, or one per lane.
#pragma once

#include "global.cuh"

//! [copies]
// A layout has `copies` copies of the counters in `words` words of shared memory. A thread adds to
// number copy() of them. Counter x of a copy begins at byte_offset() bytes and at bit shift() of
// the word there, and counts up to max_count.
struct Block
{
    static constexpr unsigned copies = 1, words = bins, max_count = 0xffffffff;
    static __device__ unsigned copy() { return 0; }
    static __device__ unsigned byte_offset(unsigned x, unsigned) { return 4 * x; }
    static __device__ unsigned shift(unsigned) { return 0; }
};

struct Warp : Block
{
    static constexpr unsigned copies = 32, words = copies * bins;
    static __device__ unsigned copy() { return threadIdx.x / 32; }
    static __device__ unsigned byte_offset(unsigned x, unsigned copy)
    {
        return 4 * bins * copy | 4 * x;
    }
};

struct Lane : Block // shared by all warps; lane l adds to bank l, whatever x is
{
    static constexpr unsigned copies = 32, words = copies * bins;
    static __device__ unsigned copy() { return threadIdx.x % 32; }
    static __device__ unsigned byte_offset(unsigned x, unsigned copy) { return 128 * x | 4 * copy; }
};

struct Packed : Lane // two counters per word
{
    static constexpr unsigned words = copies * bins / 2, max_count = 0xffff;
    static __device__ unsigned byte_offset(unsigned x, unsigned copy)
    {
        return 128 * (x / 2) | 4 * copy;
    }
    static __device__ unsigned shift(unsigned x) { return x % 2 * 16; }
};
//! [copies]
