/// \file
/// An input and an output on each of several devices.
#pragma once

#include "common/device/team.hpp"
#include "common/problem/arrays.hpp"

#include <functional>
#include <string>
#include <vector>

namespace common {

/// Elements that a device has of a problem; 0 for no array at all.
struct Part
{
    std::size_t input = 0;  ///< that it reads: with those of the halo, where there is one
    std::size_t output = 0; ///< that it has to write, all of them
};

/// Floats on each device: array number k of the seed lies on device k, and so does an output, every
/// element of which is compared. Inputs are integers from -32768 to 32767, so that sums over up to
/// 512 devices are exact in any order: there is one right answer, to the bit. Where each device has
/// a process of its own, each has the arrays of that device, and null for all others.
class Parts : public Problem
{
  public:
    /// Writes elements `first` to `first + count` of what device `k` has to hold.
    using Expect =
        std::function<void(unsigned k, std::size_t first, std::size_t count, float* out)>;

    /// A problem of that task, which the table calls one of `size` elements and of `bytes` bytes.
    Parts(const Setting& setting, Team& team, std::string task, std::size_t size,
          std::uint64_t bytes, std::vector<Part> parts, Expect expect);

    /// Elements `first` to `first + count` of the input of device `k`, as the host knows them.
    void input(unsigned k, std::size_t first, std::size_t count, float* out) const
    {
        generate(Element::f32, seed_, k, first, count, out);
    }
    /// The same, added to what `out` holds.
    void add_input(unsigned k, std::size_t first, std::size_t count, float* out) const;
    /// The sum of all inputs.
    void sum_of_inputs(std::size_t first, std::size_t count, float* out) const;

    void poison() override;
    [[nodiscard]] Verdict verify() override;
    [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
    [[nodiscard]] std::size_t size() const override { return n; }
    [[nodiscard]] bool spans_devices() const override { return true; }

    std::vector<float*> a; ///< the inputs
    std::vector<float*> c; ///< the outputs
    std::size_t n;         ///< size()
    std::size_t halo = 0;  ///< elements at either end of an input that others have to fill

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
