// A pointer chase from one device through the memory of another: no two loads overlap.
#pragma once

#include "common/chapter.hpp"

#include <string>
#include <vector>

//! [chase]
// A ring of cache lines, each with the index of the next.
struct alignas(128) Line
{
    unsigned next;
};

__global__ void chase(const Line* ring, unsigned* c, unsigned hops)
{
    unsigned at = 0;
    for (unsigned hop = 0; hop < hops; ++hop) {
        at = ring[at].next;
    }
    *c = at;
}
//! [chase]

// A ring of `lines` cache lines in the memory of device `memory_owner`, and one word on device
// `executor`: the index of the line that `hops` loads lead to from line 0.
class Ring : public common::Problem
{
  public:
    // `lines` is a power of two: else the ring would leave some out (Hull and Dobell).
    Ring(common::Team& team, unsigned executor, unsigned memory_owner, unsigned lines,
         unsigned hops)
        : Problem("chase"), lines_(lines), hops_(hops), team_(team), executor_(executor),
          memory_owner_(memory_owner)
    {}

    const Line* ring = nullptr;
    unsigned* c = nullptr; // where the chase ends

    void poison() override
    {
        team_.use(executor_);
        output_.poison();
        team_.use(0);
    }
    [[nodiscard]] common::Verdict verify() override
    {
        team_.use(executor_);
        common::Verdict verdict = output_.verify([this](std::size_t, std::size_t, void* out) {
            unsigned at = 0;
            for (unsigned hop = 0; hop < hops_; ++hop) {
                at = next(at);
            }
            *static_cast<unsigned*>(out) = at;
        });
        team_.use(0);
        return verdict;
    }
    [[nodiscard]] std::uint64_t bytes() const override { return 0; }
    [[nodiscard]] std::uint64_t operations() const override { return hops_; }
    [[nodiscard]] std::size_t size() const override { return lines_; }
    [[nodiscard]] bool spans_devices() const override { return true; }

  private:
    [[nodiscard]] unsigned next(unsigned i) const { return (1664525u * i + 1) % lines_; }

    void make_arrays() override
    {
        team_.open();
        team_.use(memory_owner_);
        std::vector<Line> lines(lines_);
        for (unsigned i = 0; i < lines_; ++i) {
            lines[i].next = next(i);
        }
        memory_ = common::Buffer<Line>(lines.size());
        CHECK_CUDA(
            cudaMemcpy(memory_.data(), lines.data(), memory_.bytes(), cudaMemcpyHostToDevice));
        ring = memory_.data();
        team_.use(executor_);
        output_ = common::Array(common::Element::u32, 1);
        c = static_cast<unsigned*>(output_.data());
        team_.use(0);
    }

    unsigned lines_;
    unsigned hops_;
    common::Team& team_;
    unsigned executor_;
    unsigned memory_owner_;
    common::Buffer<Line> memory_;
    common::Array output_;
};

// Returns a row in which a device accesses the memory of another, or its own. Columns name the
// path, its performance rank, and whether the link supports atomics. The row needs peer access,
// which it enables between all devices.
inline common::Variant row_across(common::Team& team, const common::AccessPath& path)
{
    const auto [k, j] = path;
    const auto ask = [&team, k = k, j = j](cudaDeviceP2PAttr which, int of_own) {
        return k == j ? of_own : team.peer_attribute(k, j, which);
    };
    return {
        .name = {}, // is the caller's
        .columns = {{"executor", k},
                    {"memory_owner", j},
                    {"rank", [ask] { return ask(cudaDevP2PAttrPerformanceRank, 0); }},
                    {"atomics",
                     [ask]() -> std::string {
                         return ask(cudaDevP2PAttrNativeAtomicSupported, 1) ? "yes" : "no";
                     }}},
        .unavailable = [&team, k = k,
                        j = j] { return k == j || team.can_access(k, j) ? "" : "no peer access"; },
        .setup = [&team] { team.peer_access(team.size() > 1); }};
}
