/// \file
/// Numbers of 8, 16 and 32 bits: arrays of them, and rows that are to become narrower.
#pragma once

#include "common/device/check.hpp"
#include "common/device/memory.hpp"
#include "common/problem/element.hpp"
#include "common/problem/extent.hpp"
#include "common/problem/parallel.hpp"
#include "common/problem/problem.hpp"
#include "common/problem/write_elements.hpp"

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace common {

//! [conversions]
/// A number of any type as a float, which holds all of them.
template<class T>
__host__ __device__ float widen(T x)
{
    return static_cast<float>(x);
}

/// The number of type T that is closest to x: float, __nv_bfloat16, __nv_fp8_e4m3 or signed char.
template<class T>
__host__ __device__ T narrow(float x)
{
    if constexpr (std::is_same_v<T, signed char>) {
        return static_cast<T>(static_cast<int>(rintf(x)));
    } else {
        return T(x);
    }
}
//! [conversions]

#if defined(__CUDACC__) || __has_include(<cpu_device/detail/builtins.hpp>) // where kernels compile
/// a b + c in pairs; before compute capability 8.0 there is no such instruction.
__device__ inline __nv_bfloat162 fma_pair(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    return __floats2bfloat162_rn(fmaf(__low2float(a), __low2float(b), __low2float(c)),
                                 fmaf(__high2float(a), __high2float(b), __high2float(c)));
#else
    return __hfma2(a, b, c);
#endif
}

//! [largest]
/// The largest of what the threads of a block have, in each of them.
template<class Float>
__device__ Float largest_of_block(Float x)
{
    __shared__ Float warps[32];
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
        x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, lanes));
    }
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = x;
    }
    __syncthreads();
    for (unsigned k = 0; k < blockDim.x / 32; ++k) {
        x = fmaxf(x, warps[k]);
    }
    return x;
}
//! [largest]
#endif

/// The name of a type, as tables have it.
template<class T>
inline constexpr const char* type_name = std::is_same_v<T, float>           ? "float"
                                         : std::is_same_v<T, __nv_bfloat16> ? "bf16"
                                         : std::is_same_v<T, __nv_fp8_e4m3> ? "fp8"
                                                                            : "int8";
/// The largest number of a type of 8 bits.
template<class T>
inline constexpr float largest_number = std::is_same_v<T, signed char> ? 127 : 448;

/// c[i] = 1 - a[i], so many times: after an even number of them c[i] is a[i]. Elements are whole
/// numbers from -7 to 8, of which all types have all.
template<class T>
class Flips : public Problem
{
  public:
    /// n elements; how often each is changed is still to be said.
    Flips(const Setting& setting, std::size_t size)
        : Problem("flip"), n(size), key_(random_bits::input_key(setting.seed, 0))
    {}

    /// The variants from here on change each element so often.
    void expect(unsigned steps)
    {
        odd_ = steps % 2 != 0;
        output_.forget_expected();
    }
    /// Element i.
    [[nodiscard]] float element(std::size_t i) const
    {
        const std::uint64_t bits = random_bits::bits_at(key_, i);
        return static_cast<float>(bits >> 60U) - 7.0F;
    }

    void poison() override { output_.poison(); }
    [[nodiscard]] Verdict verify() override
    {
        return output_.verify_again([this](std::size_t first, std::size_t count, void* out) {
            for (std::size_t k = 0; k < count; ++k) {
                const float x = element(first + k);
                static_cast<T*>(out)[k] = narrow<T>(odd_ ? 1.0F - x : x);
            }
        });
    }
    [[nodiscard]] std::uint64_t bytes() const override { return 2 * n * sizeof(T); }
    [[nodiscard]] std::size_t size() const override { return n; }

    const T* a = nullptr; ///< the input
    T* c = nullptr;       ///< the output
    std::size_t n;        ///< elements

  private:
    void make_arrays() override
    {
        input_ = buffer_of<T>(n, [this](std::size_t i) { return narrow<T>(element(i)); });
        output_ = Array(element_of<T>(), n);
        a = input_.data();
        c = static_cast<T*>(output_.data());
    }

    std::uint64_t key_;
    bool odd_ = false;
    Buffer<T> input_;
    Array output_;
};

/// Each row of a matrix of bfloat16 becomes numbers of type T, of 8 bits, with a scale: the
/// magnitude of its largest element over the largest number of T. An element becomes the number
/// that is closest to it, divided by the scale; all of them 0, and the scale, where a row has
/// nothing but zeros, as one in 16 has.
template<class T>
class QuantisedRows : public Problem
{
  public:
    /// A matrix of that extent. Columns are a multiple of 8.
    QuantisedRows(const Setting& setting, const Extent& matrix)
        : Problem("quantise rows"), rows(matrix.rows), columns(matrix.columns),
          key_(random_bits::input_key(setting.seed, 0))
    {}

    /// Element i, of the matrix row by row.
    [[nodiscard]] __nv_bfloat16 element(std::size_t i) const
    {
        const std::uint64_t bits = random_bits::bits_at(key_, i);
        const bool zero = random_bits::mix(key_ + i / columns) >> 60U == 0;
        const auto x = static_cast<float>(static_cast<std::int64_t>(bits) >> 40) * 0x1p-20F;
        return narrow<__nv_bfloat16>(zero ? 0.0F : x);
    }
    /// The magnitude of the largest element of a row.
    [[nodiscard]] float largest(std::size_t row) const
    {
        float x = 0;
        for (std::size_t k = 0; k < columns; ++k)
            x = std::max(x, std::abs(widen(element(row * columns + k))));
        return x;
    }

    void poison() override
    {
        output_.poison();
        scale_.poison();
    }
    [[nodiscard]] Verdict verify() override
    {
        if (largest_.empty()) {
            largest_.resize(rows);
            parallel_for(rows, 16, [this](std::size_t begin, std::size_t end) {
                for (std::size_t row = begin; row < end; ++row)
                    largest_[row] = largest(row);
            });
        }
        Verdict scales =
            scale_.verify_again([this](std::size_t first, std::size_t count, void* out) {
                for (std::size_t k = 0; k < count; ++k)
                    static_cast<float*>(out)[k] = largest_[first + k] / largest_number<T>;
            });
        scales.output = "Of the scales: ";
        return !scales.ok
                   ? scales
                   : output_.verify_again([this](std::size_t first, std::size_t count, void* out) {
                         for (std::size_t k = 0; k < count; ++k)
                             static_cast<T*>(out)[k] = quantised(first + k);
                     });
    }
    [[nodiscard]] std::uint64_t bytes() const override
    {
        return size() * (sizeof(__nv_bfloat16) + sizeof(T)) + rows * sizeof(float);
    }
    [[nodiscard]] std::size_t size() const override { return rows * columns; }

    const __nv_bfloat16* a = nullptr; ///< the matrix
    T* c = nullptr;                   ///< its rows, narrower
    float* scale = nullptr;           ///< of each of them
    std::size_t rows;                 ///< of the matrix
    std::size_t columns;              ///< of the matrix

  private:
    [[nodiscard]] T quantised(std::size_t i) const
    {
        const float top = largest_[i / columns];
        return narrow<T>(top > 0 ? widen(element(i)) * (largest_number<T> / top) : 0.0F);
    }
    void make_arrays() override
    {
        input_ = buffer_of<__nv_bfloat16>(size(), [this](std::size_t i) { return element(i); });
        output_ = Array(element_of<T>(), size());
        scale_ = Array(Element::f32, rows);
        a = input_.data();
        c = static_cast<T*>(output_.data());
        scale = static_cast<float*>(scale_.data());
    }

    std::uint64_t key_;
    std::vector<float> largest_;
    Buffer<__nv_bfloat16> input_;
    Array output_;
    Array scale_;
};

} // namespace common
