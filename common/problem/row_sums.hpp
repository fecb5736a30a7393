/// \file
/// Results that are sums of products, one for each row of a matrix, and how far off they may be.
#pragma once

#include "common/device/check.hpp"
#include "common/device/memory.hpp"
#include "common/problem/element.hpp"
#include "common/problem/parallel.hpp"
#include "common/problem/problem.hpp"
#include "common/problem/tolerance.hpp"

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace common {

#if defined(__CUDACC__) || __has_include(<cpu_device/detail/builtins.hpp>) // where kernels compile
//! [operations]
/// The sum over `lanes` neighbours, of a warp, or of a block of so many threads, in the first of
/// them.
template<unsigned lanes>
__device__ float sum_lanes(float sum)
{
    for (unsigned k = (lanes < 32 ? lanes : 32) / 2; k > 0; k /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, k);
    }
    if constexpr (lanes > 32) {
        __shared__ float warps[lanes / 32];
        if (threadIdx.x % 32 == 0) {
            warps[threadIdx.x / 32] = sum;
        }
        __syncthreads();
        for (unsigned k = 1; threadIdx.x == 0 && k < lanes / 32; ++k) {
            sum += warps[k];
        }
    }
    return sum;
}

/// Stores what is the whole of a sum, and adds what is a part of it to c, which is 0 at first.
template<class T>
__device__ void put(T* c, T sum, bool whole)
{
    if (whole) {
        *c = sum;
    } else {
        atomicAdd(c, sum);
    }
}
//! [operations]
#endif

/// What the factors of a product are.
enum class Factors
{
    whole,    ///< whole numbers from -2 to 2: sums of up to 2^22 products are exact in any order
    fractions ///< from -1 to 1, in steps of 2^-23: a product, and each addition, is rounded
};

/// Factor i of those that have that key. What T has no room for is rounded.
template<class T>
[[nodiscard]] T factor(Factors factors, std::uint64_t key, std::uint64_t i)
{
    const std::uint64_t bits = random_bits::bits_at(key, i);
    if (factors == Factors::whole)
        return static_cast<T>(static_cast<float>((bits >> 32U) * 5 >> 32U) - 2.0F);
    return static_cast<T>(static_cast<float>(bits >> 40U) * 0x1p-23F - 1.0F);
}

/// c[r] = the sum of the products of row r, for as many rows as there are.
///
/// A row of n products takes n roundings in each way from a product to the sum, at most, in
/// whatever order they are added. So a sum is right if it is within sum_error_bound(n), times the
/// sum of the products' magnitudes, of what it is in double; where no float is rounded, if it is
/// that sum.
class RowSums : public Problem
{
  public:
    void poison() override { output_.poison(); }
    /// A sum within its tolerance is what is expected.
    [[nodiscard]] Verdict verify() override;

    float* c = nullptr; ///< the sums
    std::size_t rows;   ///< how many

  protected:
    /// What a row's sum is, in double.
    struct Sum
    {
        double sum = 0;          ///< of its products
        double magnitude = 0;    ///< of what they are without their signs
        std::uint64_t terms = 0; ///< how many they are
    };

    /// A problem of that task with so many rows.
    RowSums(std::string task, std::size_t row_count);
    /// One more product.
    static void add(Sum& sum, double product)
    {
        sum.sum += product;
        sum.magnitude += std::abs(product);
        ++sum.terms;
    }
    /// Adds up row r; called from several threads.
    [[nodiscard]] virtual Sum row(std::size_t r) const = 0;
    /// The factors that derived classes have.
    [[nodiscard]] virtual Factors factors() const = 0;

    void make_arrays() override;

  private:
    void compute_reference();
    [[nodiscard]] double error_bound(const Sum& sum) const
    {
        const bool exact = factors() == Factors::whole && sum.magnitude <= 0x1p24;
        return exact ? 0 : sum_error_bound(sum.terms) * sum.magnitude;
    }

    std::vector<Sum> sums_;
    Array output_;
};

} // namespace common
