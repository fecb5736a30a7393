/// \file
/// A walk from one device through the memory of another.
#pragma once

#include "common/device/team.hpp"
#include "common/problem/arrays.hpp"

namespace common {

/// A ring of `stops` cache lines of 128 bytes in the memory of device `home` of a team, the first
/// word of each naming the next stop; and on device `walker` one word, which has to be the stop
/// that `hops` hops lead to from the first. operations() counts the hops.
class Ring : public Problem
{
  public:
    static constexpr unsigned words = 32; ///< of a line

    /// `stops` is a power of two: else the ring would leave some out.
    Ring(Team& team, unsigned walker, unsigned home, unsigned stops, unsigned hops);

    void poison() override;
    [[nodiscard]] Verdict verify() override;
    [[nodiscard]] std::uint64_t bytes() const override { return 0; }
    [[nodiscard]] std::uint64_t operations() const override { return hops_; }
    [[nodiscard]] std::size_t size() const override { return stops_; }
    [[nodiscard]] bool spans_devices() const override { return true; }

    const unsigned* ring = nullptr; ///< its first word
    unsigned* c = nullptr;          ///< where the walk ends

  private:
    void make_arrays() override;
    /// As if by lot; all stops are on the ring where they are a power of two (Hull and Dobell).
    [[nodiscard]] unsigned next(unsigned i) const { return (1664525u * i + 1) % stops_; }

    unsigned stops_;
    unsigned hops_;
    Team& team_;
    unsigned walker_;
    unsigned home_;
    Buffer<unsigned> memory_;
    Array output_;
};

} // namespace common
