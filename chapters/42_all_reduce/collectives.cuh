// The collectives of chapters 42 and 43, and how they divide n elements among devices.
#pragma once

#include "common/chapter.hpp"

#include <algorithm>
#include <vector>

//! [shares]
// A contiguous part of n elements.
struct Share
{
    std::size_t first; // a multiple of four, where float4s begin; n if the share is empty
    std::size_t count; // 0 if there are too few float4s
};

// Returns the share that device k of `devices` sums: whole float4s; the last share has the rest.
inline Share share(std::size_t n, unsigned devices, unsigned k)
{
    const std::size_t each = ((n + 3) / 4 + devices - 1) / devices * 4;
    const std::size_t first = std::min(k * each, n);
    return {first, std::min(each, n - first)};
}
//! [shares]

// Number of devices of a collective. A team of one counts as two, so that its rows can be listed.
inline unsigned devices_of(const common::Team& team)
{
    return std::max(team.size(), 2u);
}

// All-reduce: each device has n floats, and gets the sums over all devices, `times` times in a row.
// bytes() is the least traffic per device: 2 (devices - 1) / devices times its array.
class AllReduce : public common::Parts
{
  public:
    AllReduce(const common::Setting& setting, common::Team& team, std::size_t size,
              unsigned times = 1)
        : Parts(setting, team, times == 1 ? "all-reduce" : "all-reduces in a row", size,
                times * (2 * (devices_of(team) - 1) * size * sizeof(float) / devices_of(team)),
                std::vector<common::Part>(devices_of(team), {size, size}),
                [this](unsigned, std::size_t first, std::size_t count, float* out) {
                    sum_of_inputs(first, count, out);
                })
    {}
};

// Reduce-scatter, the first half of an all-reduce: each device has n floats, and gets its share of
// the sums. Shares have equal lengths, as NCCL requires: n is rounded up.
class ReduceScatter : public common::Parts
{
  public:
    ReduceScatter(const common::Setting& setting, common::Team& team, std::size_t size)
        : ReduceScatter(setting, team, devices_of(team), share(size, devices_of(team), 0).count)
    {}

    const std::size_t each; // floats per share

  private:
    ReduceScatter(const common::Setting& setting, common::Team& team, unsigned devices,
                  std::size_t of_share)
        : Parts(setting, team, "reduce-scatter", devices * of_share,
                (devices - 1) * of_share * sizeof(float),
                std::vector<common::Part>(devices, {devices * of_share, of_share}),
                [this](unsigned k, std::size_t first, std::size_t count, float* out) {
                    sum_of_inputs(k * each + first, count, out);
                }),
          each(of_share)
    {}
};

// All-gather, the second half of an all-reduce: each device has a share of n floats, and gets all.
class AllGather : public common::Parts
{
  public:
    AllGather(const common::Setting& setting, common::Team& team, std::size_t size)
        : AllGather(setting, team, devices_of(team), share(size, devices_of(team), 0).count)
    {}

    const std::size_t each; // floats per share

  private:
    AllGather(const common::Setting& setting, common::Team& team, unsigned devices,
              std::size_t of_share)
        : Parts(setting, team, "all-gather", devices * of_share,
                (devices - 1) * of_share * sizeof(float),
                std::vector<common::Part>(devices, {of_share, devices * of_share}),
                [this](unsigned, std::size_t first, std::size_t count, float* out) {
                    for (std::size_t i = first; i < first + count; ++i) {
                        input(static_cast<unsigned>(i / each), i % each, 1, out + (i - first));
                    }
                }),
          each(of_share)
    {}
};
