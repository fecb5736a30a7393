/// \file
/// A walk from one device through the memory of another.
#pragma once

#include "common/device/team.hpp"
#include "common/problem/arrays.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace common {

/// A ring of `stops` cache lines of 128 bytes in the memory of device `home` of a team, the first
/// word of each naming the next stop; and on device `walker` one word, which has to be the stop
/// that `hops` hops lead to from the first. operations() counts the hops.
class Ring : public Problem
{
  public:
    static constexpr unsigned words = 32; ///< of a line

    /// `stops` is a power of two: else the ring would leave some out.
    Ring(Team& team, unsigned walker, unsigned home, unsigned stops, unsigned hops)
        : Problem("walk"), stops_(stops), hops_(hops), team_(team), walker_(walker), home_(home)
    {}

    void poison() override
    {
        team_.use(walker_);
        output_.poison();
        team_.use(0);
    }
    [[nodiscard]] Verdict verify() override
    {
        team_.use(walker_);
        const Verdict verdict = output_.verify([this](std::size_t, std::size_t, void* out) {
            unsigned at = 0;
            for (unsigned hop = 0; hop < hops_; ++hop)
                at = next(at);
            *static_cast<unsigned*>(out) = at;
        });
        team_.use(0);
        return verdict;
    }
    [[nodiscard]] std::uint64_t bytes() const override { return 0; }
    [[nodiscard]] std::uint64_t operations() const override { return hops_; }
    [[nodiscard]] std::size_t size() const override { return stops_; }
    [[nodiscard]] bool spans_devices() const override { return true; }

    const unsigned* ring = nullptr; ///< its first word
    unsigned* c = nullptr;          ///< where the walk ends

  private:
    void make_arrays() override
    {
        team_.open();
        team_.use(home_);
        std::vector<unsigned> lines(std::size_t{stops_} * words);
        for (unsigned i = 0; i < stops_; ++i)
            lines[std::size_t{i} * words] = next(i);
        memory_ = Buffer<unsigned>(lines.size());
        CHECK_CUDA(
            cudaMemcpy(memory_.data(), lines.data(), memory_.bytes(), cudaMemcpyHostToDevice));
        ring = memory_.data();
        team_.use(walker_);
        output_ = Array(Element::u32, 1);
        c = static_cast<unsigned*>(output_.data());
        team_.use(0);
    }
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
