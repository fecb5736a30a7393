/// \file
/// A sum of host memory that the host makes: what a kind of page costs there.
#pragma once

#include "common/device/device.hpp"
#include "common/problem/arrays.hpp"

#include <limits>

namespace common {

/// The sum of `n` floats in host memory of that kind.
class HostSum : public Problem
{
  public:
    /// `size` floats in `memory`, which the host can read. They are written once, and never asked
    /// of a device.
    HostSum(const Setting& setting, MemoryKind memory, std::size_t size);

    /// Keeps what `add(host, n)` returns: the sum, which is exact in a double in any order.
    void read_with(double (*add)(const float* host, std::size_t n))
    {
        note_host_work("read", host_.data(), bytes(),
                       memory_ == MemoryKind::write_combined ? Operation::HostRate::write_combined
                                                             : Operation::HostRate::cached);
        sum_ = add(host_.data(), n_);
    }

    void poison() override { sum_ = std::numeric_limits<double>::quiet_NaN(); }
    [[nodiscard]] Verdict verify() override;
    [[nodiscard]] std::uint64_t bytes() const override { return n_ * sizeof(float); }
    [[nodiscard]] std::size_t size() const override { return n_; }

  private:
    void make_arrays() override;

    std::uint64_t seed_;
    MemoryKind memory_;
    std::size_t n_;
    Buffer<float> host_;
    double expected_ = 0;
    double sum_ = 0;
};

} // namespace common
