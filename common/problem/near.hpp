/// \file
/// Floats that are made of others by rounding, and how far off each may be.
#pragma once

#include "common/device/check.hpp"
#include "common/device/memory.hpp"
#include "common/problem/element.hpp"
#include "common/problem/problem.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace common {

/// A number, and how far from it a kernel may be.
struct Near
{
    double value = 0; ///< that is right
    double off = 0;   ///< how far off is right, too
};

/// `outputs` floats of two arrays of T: each is right if it is as near as `right` says.
template<class T>
class NearFloats : public Problem
{
  public:
    using Make = std::function<T(unsigned array, std::size_t i)>; ///< element i of `a` (0) or `b`
    using Right = std::function<Near(std::size_t i)>;             ///< output i

    /// A problem of that task, with so many elements in `a` and in `b`.
    NearFloats(std::string task, std::array<std::size_t, 2> inputs, std::size_t outputs, Make make,
               Right right)
        : Problem(std::move(task)), n(outputs), sizes_(inputs), make_(std::move(make)),
          right_(std::move(right))
    {}

    void poison() override { output_.poison(); }
    [[nodiscard]] Verdict verify() override
    {
        return output_.verify([this](std::size_t first, std::size_t count, void* out) {
            auto* expected = static_cast<float*>(out);
            CHECK_CUDA(
                cudaMemcpy(expected, c + first, count * sizeof(float), cudaMemcpyDeviceToHost));
            for (std::size_t k = 0; k < count; ++k) {
                const Near near = right_(first + k);
                if (!(std::abs(expected[k] - near.value) <= near.off)) // a NaN, too
                    expected[k] = static_cast<float>(near.value);
            }
        });
    }
    [[nodiscard]] std::uint64_t bytes() const override
    {
        return (sizes_[0] + sizes_[1]) * sizeof(T) + n * sizeof(float);
    }
    [[nodiscard]] std::size_t size() const override { return n; }
    /// An element of an input.
    [[nodiscard]] T element(unsigned array, std::size_t i) const { return make_(array, i); }

    const T* a = nullptr; ///< the inputs
    const T* b = nullptr; ///< the second input
    float* c = nullptr;   ///< the output
    std::size_t n;        ///< its elements

  private:
    void make_arrays() override
    {
        for (unsigned array = 0; array < 2; ++array) {
            std::vector<T> host;
            for (std::size_t i = 0; i < sizes_[array]; ++i)
                host.push_back(make_(array, i));
            inputs_[array] = Buffer<T>(host.size());
            CHECK_CUDA(cudaMemcpy(inputs_[array].data(), host.data(), inputs_[array].bytes(),
                                  cudaMemcpyHostToDevice));
        }
        a = inputs_[0].data();
        b = inputs_[1].data();
        output_ = Array(Element::f32, n);
        c = static_cast<float*>(output_.data());
    }

    std::array<std::size_t, 2> sizes_;
    Make make_;
    Right right_;
    std::array<Buffer<T>, 2> inputs_;
    Array output_;
};

} // namespace common
