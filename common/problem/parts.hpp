/// \file
/// An input and an output on each of several devices.
#pragma once

#include "common/device/team.hpp"
#include "common/problem/arrays.hpp"

#include <functional>
#include <string>
#include <vector>

namespace common {

/// The sizes of a device's arrays, in elements; 0 for no array.
struct Part
{
    std::size_t input = 0;  ///< elements of the input, with the halo if there is one
    std::size_t output = 0; ///< elements of the output, all of which the device has to write
};

/// An input and an output of floats on each device; the input of device k is generated array k.
/// Every element of every output is compared. Inputs are integers from -32768 to 32767, so that
/// sums over up to 512 devices are exact in any order. If each device has a process of its own, a
/// process has the arrays of its device, and null pointers for the others.
class Parts : public Problem
{
  public:
    /// Writes elements `first` to `first + count` of the reference of device `k`.
    using Expect =
        std::function<void(unsigned k, std::size_t first, std::size_t count, float* out)>;

    /// A problem of that task, with `size` elements and `bytes` bytes in the table.
    Parts(const Setting& setting, Team& team, std::string task, std::size_t size,
          std::uint64_t bytes, std::vector<Part> parts, Expect expect);

    /// Generates elements `first` to `first + count` of the input of device `k`.
    void input(unsigned k, std::size_t first, std::size_t count, float* out) const
    {
        generate(Element::f32, seed_, k, first, count, out);
    }
    /// Generates the same elements and adds them to `out`.
    void add_input(unsigned k, std::size_t first, std::size_t count, float* out) const;
    /// Writes the sums of elements `first` to `first + count` of all inputs.
    void sum_of_inputs(std::size_t first, std::size_t count, float* out) const;

    void poison() override;
    [[nodiscard]] Verdict verify() override;
    [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
    [[nodiscard]] std::size_t size() const override { return n; }
    [[nodiscard]] bool spans_devices() const override { return true; }

    std::vector<float*> a; ///< the inputs
    std::vector<float*> c; ///< the outputs
    std::size_t n;         ///< size()
    std::size_t halo = 0;  ///< elements at either end of an input that other devices fill

  private:
    void make_arrays() override;

    std::uint64_t seed_;
    Team& team_;
    std::uint64_t bytes_;
    std::vector<Part> parts_;
    Expect expect_;
    std::vector<Array> inputs_;
    std::vector<Array> outputs_;
};

} // namespace common
