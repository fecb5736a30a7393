/// \file
/// An input and an output on each of several devices.
#pragma once

#include "common/device/team.hpp"
#include "common/problem/arrays.hpp"
#include "common/problem/share.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
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
          std::uint64_t bytes, std::vector<Part> parts, Expect expect)
        : Problem(std::move(task)), a(parts.size()), c(parts.size()), n(size), seed_(setting.seed),
          team_(team), bytes_(bytes), parts_(std::move(parts)), expect_(std::move(expect))
    {
        for (unsigned k = 0; k < team_.size() && k < parts_.size(); ++k)
            if (!team_.here(k))
                parts_[k] = {}; // the process that uses that device has it
    }

    /// Elements `first` to `first + count` of the input of device `k`, as the host knows them.
    void input(unsigned k, std::size_t first, std::size_t count, float* out) const
    {
        generate(Element::f32, seed_, k, first, count, out);
    }
    /// The same, added to what `out` holds.
    void add_input(unsigned k, std::size_t first, std::size_t count, float* out) const
    {
        const Input<float> in(seed_, k);
        for (std::size_t i = 0; i < count; ++i)
            out[i] += in[first + i];
    }
    /// The sum of all inputs.
    void sum_of_inputs(std::size_t first, std::size_t count, float* out) const
    {
        input(0, first, count, out);
        for (unsigned k = 1; k < parts_.size(); ++k)
            add_input(k, first, count, out);
    }

    void poison() override
    {
        for (unsigned k = 0; k < outputs_.size(); ++k) {
            team_.use(k);
            if (parts_[k].output > 0)
                outputs_[k].poison();
            for (float* rim : {a[k], a[k] + parts_[k].input - halo})
                if (halo > 0)
                    CHECK_CUDA(cudaMemset(rim, poison_byte, halo * sizeof(float)));
            CHECK_CUDA(cudaDeviceSynchronize());
        }
        team_.use(0);
    }
    [[nodiscard]] Verdict verify() override
    {
        Verdict verdict;
        for (unsigned k = 0; k < outputs_.size() && verdict.ok; ++k) {
            if (parts_[k].output == 0)
                continue;
            team_.use(k);
            verdict = outputs_[k].verify_again(
                [this, k](std::size_t first, std::size_t count, void* out) {
                    expect_(k, first, count, static_cast<float*>(out));
                });
            verdict.output = "On device " + std::to_string(team_.device(k)) + ": ";
        }
        team_.use(0);
        return verdict;
    }
    [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
    [[nodiscard]] std::size_t size() const override { return n; }
    [[nodiscard]] bool spans_devices() const override { return true; }

    std::vector<float*> a; ///< the inputs
    std::vector<float*> c; ///< the outputs
    std::size_t n;         ///< size()
    std::size_t halo = 0;  ///< elements at either end of an input that others have to fill

  private:
    void make_arrays() override
    {
        team_.open();
        for (unsigned k = 0; k < parts_.size(); ++k) {
            team_.use(k);
            const Part& part = parts_[k];
            if (part.input > 0) {
                inputs_.emplace_back(Element::f32, part.input, Place{Space::device, 0, false});
                inputs_.back().write_input(seed_, k);
                a[k] = static_cast<float*>(inputs_.back().data());
            }
            outputs_.emplace_back();
            if (part.output > 0) {
                outputs_.back() = Array(Element::f32, part.output);
                c[k] = static_cast<float*>(outputs_.back().data());
            }
        }
        team_.use(0);
    }

    std::uint64_t seed_;
    Team& team_;
    std::uint64_t bytes_;
    std::vector<Part> parts_;
    Expect expect_;
    std::vector<Array> inputs_;
    std::vector<Array> outputs_;
};

/// The n floats of device 0 have to be on device 1; both ways, those of device 1 on device 0, too.
class PeerCopy : public Parts
{
  public:
    /// `ways` is 1 or 2; bytes() counts what crosses the link.
    PeerCopy(const Setting& setting, Team& team, std::size_t size, unsigned ways)
        : Parts(setting, team, "copy to a peer", size, ways * size * sizeof(float),
                {{size, ways == 2 ? size : 0}, {ways == 2 ? size : 0, size}},
                [this](unsigned k, std::size_t first, std::size_t count, float* out) {
                    input(1 - k, first, count, out);
                })
    {}
};

/// Each device has n floats, and needs the sum of all of them; devices as many as the team has, two
/// at least. The bytes are those that any solution sends in all, for n elements of one device.
class AllReduce : public Parts
{
  public:
    /// `size` floats on each device. A team of one makes a problem for two all the same, so that
    /// its rows can be listed.
    AllReduce(const Setting& setting, Team& team, std::size_t size)
        : AllReduce(setting, team, size, std::max(team.size(), 2u))
    {}

  private:
    AllReduce(const Setting& setting, Team& team, std::size_t size, unsigned devices)
        : Parts(setting, team, "all-reduce", size,
                2 * (devices - 1) * size * sizeof(float) / devices,
                std::vector<Part>(devices, {size, size}),
                [this](unsigned, std::size_t first, std::size_t count, float* out) {
                    sum_of_inputs(first, count, out);
                })
    {}
};

/// Each device has n floats, and needs its share of the sum: the first half of an all-reduce.
class ReduceScatter : public Parts
{
  public:
    /// `size` floats on each device, rounded up to shares of equal length, as NCCL wants them.
    ReduceScatter(const Setting& setting, Team& team, std::size_t size)
        : ReduceScatter(setting, team, std::max(team.size(), 2u),
                        share(size, std::max(team.size(), 2u), 0).count)
    {}

    const std::size_t each; ///< floats of a share

  private:
    ReduceScatter(const Setting& setting, Team& team, unsigned devices, std::size_t of_share)
        : Parts(setting, team, "reduce-scatter", devices * of_share,
                (devices - 1) * of_share * sizeof(float),
                std::vector<Part>(devices, {devices * of_share, of_share}),
                [this](unsigned k, std::size_t first, std::size_t count, float* out) {
                    sum_of_inputs(k * each + first, count, out);
                }),
          each(of_share)
    {}
};

/// Each device has a share of n floats, and needs all: the second half of an all-reduce.
class AllGather : public Parts
{
  public:
    /// `size` floats in all, rounded up like those of a ReduceScatter.
    AllGather(const Setting& setting, Team& team, std::size_t size)
        : AllGather(setting, team, std::max(team.size(), 2u),
                    share(size, std::max(team.size(), 2u), 0).count)
    {}

    const std::size_t each; ///< floats of a share

  private:
    AllGather(const Setting& setting, Team& team, unsigned devices, std::size_t of_share)
        : Parts(setting, team, "all-gather", devices * of_share,
                (devices - 1) * of_share * sizeof(float),
                std::vector<Part>(devices, {of_share, devices * of_share}),
                [this](unsigned, std::size_t first, std::size_t count, float* out) {
                    for (std::size_t i = first; i < first + count; ++i)
                        input(static_cast<unsigned>(i / each), i % each, 1, out + (i - first));
                }),
          each(of_share)
    {}
};

} // namespace common
