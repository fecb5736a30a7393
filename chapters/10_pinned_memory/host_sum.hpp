// A sum of host memory that the host makes: what a kind of page costs there.
#pragma once

#include "common/device/device.hpp"
#include "common/problem/arrays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

/// The sum of `n` floats in host memory of that kind.
class HostSum : public common::Problem
{
  public:
    /// `size` floats in `memory`, which the host can read. They are written once, and never asked
    /// of a device.
    HostSum(const common::Setting& setting, common::MemoryKind memory, std::size_t size)
        : common::Problem("host read"), seed_(setting.seed), memory_(memory), n_(size)
    {}

    /// Keeps what `add(host, n)` returns: the sum, which is exact in a double in any order.
    void read_with(double (*add)(const float* host, std::size_t n))
    {
        using HostRate = common::Operation::HostRate;
        common::note_host_work("read", host_.data(), bytes(),
                               memory_ == common::MemoryKind::write_combined
                                   ? HostRate::write_combined
                                   : HostRate::cached);
        sum_ = add(host_.data(), n_);
    }

    void poison() override { sum_ = std::numeric_limits<double>::quiet_NaN(); }
    [[nodiscard]] common::Verdict verify() override
    {
        using common::Element;
        common::Verdict verdict;
        verdict.size = 1;
        verdict.ok = sum_ == expected_;
        if (!verdict.ok) {
            verdict.mismatches = 1;
            verdict.first.push_back({0, common::format_element(Element::f64, &sum_),
                                     common::format_element(Element::f64, &expected_),
                                     std::isnan(sum_)});
        }
        return verdict;
    }
    [[nodiscard]] std::uint64_t bytes() const override { return n_ * sizeof(float); }
    [[nodiscard]] std::size_t size() const override { return n_; }

  private:
    void make_arrays() override
    {
        // Made in cached memory: what is written to the other kind is not read back for the sum.
        std::vector<float> values(n_);
        common::generate(common::Element::f32, seed_, 0, 0, n_, values.data());
        expected_ = 0;
        for (const float value : values)
            expected_ += static_cast<double>(value);
        host_ = common::Buffer<float>(n_, memory_);
        std::copy(values.begin(), values.end(), host_.data());
    }

    std::uint64_t seed_;
    common::MemoryKind memory_;
    std::size_t n_;
    common::Buffer<float> host_;
    double expected_ = 0;
    double sum_ = 0;
};
