// Where a block has its counters: one copy of them, one per warp, or one per lane.
#pragma once

#include "global.cuh"

//! [copies]
// Whose counters a thread adds to. A block has `words` words of them: `copies` copies, of which a
// thread adds to number copy(). Counter x of a copy is place() bytes behind the first, from bit
// shift() on.
struct Block
{
    static constexpr unsigned copies = 1, words = bins, most = 0xffffffff;
    static __device__ unsigned copy() { return 0; }
    static __device__ unsigned place(unsigned x, unsigned) { return 4 * x; }
    static __device__ unsigned shift(unsigned) { return 0; }
};

struct Warp : Block
{
    static constexpr unsigned copies = 32, words = copies * bins;
    static __device__ unsigned copy() { return threadIdx.x / 32; }
    static __device__ unsigned place(unsigned x, unsigned copy) { return 4 * bins * copy | 4 * x; }
};

struct Lane : Block // of every warp: what lane l adds to is in bank l, whatever x is
{
    static constexpr unsigned copies = 32, words = copies * bins;
    static __device__ unsigned copy() { return threadIdx.x % 32; }
    static __device__ unsigned place(unsigned x, unsigned copy) { return 128 * x | 4 * copy; }
};

struct Packed : Lane // two counters per word
{
    static constexpr unsigned words = copies * bins / 2, most = 0xffff;
    static __device__ unsigned place(unsigned x, unsigned copy) { return 128 * (x / 2) | 4 * copy; }
    static __device__ unsigned shift(unsigned x) { return x % 2 * 16; }
};
//! [copies]
