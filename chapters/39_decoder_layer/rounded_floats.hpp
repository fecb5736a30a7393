/// \file
/// Outputs of floats that a kernel rounds, and how far off each may be.
#pragma once

#include "common/device/memory.hpp"
#include "common/problem/problem.hpp"
#include "common/problem/write_elements.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

/// A problem of `outputs` floats, computed from two arrays of T; each is right within its
/// tolerance.
template<class T>
class RoundedFloats : public common::Problem
{
  public:
    using Make = std::function<T(unsigned array, std::size_t i)>; ///< element i of `a` (0) or `b`

    /// A problem of that task, with so many elements in `a` and in `b`.
    RoundedFloats(std::string task, std::array<std::size_t, 2> inputs, std::size_t outputs,
                  Make make, common::Tolerances tolerances)
        : Problem(std::move(task)), n(outputs), sizes_(inputs), make_(std::move(make)),
          tolerances_(std::move(tolerances))
    {}

    void poison() override { output_.poison(); }
    [[nodiscard]] common::Verdict verify() override { return output_.verify(tolerances_); }
    [[nodiscard]] std::uint64_t bytes() const override
    {
        return (sizes_[0] + sizes_[1]) * sizeof(T) + n * sizeof(float);
    }
    [[nodiscard]] std::size_t size() const override { return n; }

    const T* a = nullptr; ///< the inputs
    const T* b = nullptr; ///< the second input
    float* c = nullptr;   ///< the output
    std::size_t n;        ///< its elements

  private:
    void make_arrays() override
    {
        for (unsigned array = 0; array < 2; ++array)
            inputs_[array] =
                common::buffer_of<T>(sizes_[array], [&](std::size_t i) { return make_(array, i); });
        a = inputs_[0].data();
        b = inputs_[1].data();
        output_ = common::Array(common::Element::f32, n);
        c = static_cast<float*>(output_.data());
    }

    std::array<std::size_t, 2> sizes_;
    Make make_;
    common::Tolerances tolerances_;
    std::array<common::Buffer<T>, 2> inputs_;
    common::Array output_;
};
