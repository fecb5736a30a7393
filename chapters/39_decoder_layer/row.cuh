// The dot product of a matrix row and a vector, by one warp.
#pragma once

#include "bf16.cuh"
#include "layer.hpp"
#include "reductions.cuh"

//! [row]
// A matrix row that a warp multiplies by a vector, with `prefetch_distance` 16-byte loads in flight
// per lane.
class Row
{
  public:
    // Issues the first loads.
    __device__ Row(const bf16* row, unsigned columns)
        : row_(row + threadIdx.x % 32 * 8), columns_(columns)
    {
#pragma unroll
        for (unsigned k = 0; k < prefetch_distance; ++k) {
            loads_[k] = load(k * 256);
        }
    }
    // Returns the dot product with x, in shared or global memory, to every lane.
    __device__ float dot(const bf16* x)
    {
        float sum = 0;
        for (unsigned first = 0; first < columns_; first += prefetch_distance * 256) {
#pragma unroll
            for (unsigned k = 0; k < prefetch_distance; ++k) {
                const unsigned i = first + k * 256 + threadIdx.x % 32 * 8;
                if (i < columns_) {
                    sum = dot8(loads_[k], *reinterpret_cast<const uint4*>(x + i), sum);
                }
                loads_[k] = load(first + (k + prefetch_distance) * 256);
            }
        }
        return sum_lanes<32>(sum);
    }

  private:
    static constexpr unsigned prefetch_distance = 8;
    __device__ uint4 load(unsigned first) const
    {
        const bool inside = first + threadIdx.x % 32 * 8 < columns_;
        return inside ? __ldcs(reinterpret_cast<const uint4*>(row_ + first)) : uint4{};
    }
    const bf16* row_;
    unsigned columns_;
    uint4 loads_[prefetch_distance];
};
//! [row]
