// The first lesson of chapter 19: who reaches whom, and how long one load takes to come back.
#pragma once

#include "parts.hpp"
#include "team.hpp"

#include <string>

//! [walk]
// A ring of cache lines, each naming the next; and a walk along it, in which nothing overlaps.
struct alignas(128) Stop
{
    unsigned next;
};

__global__ void make_ring(Stop* ring, unsigned stops)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < stops) {
        ring[i].next = (1664525u * i + 1) % stops; // stops is a power of two: all are on the ring
    }
}

__global__ void walk(const Stop* ring, unsigned* c, unsigned hops)
{
    unsigned at = 0;
    for (unsigned hop = 0; hop < hops; ++hop) {
        at = ring[at].next;
    }
    *c = at;
}
//! [walk]

/// A ring in the memory of device `home` of the team, and a walk from device `walker`.
class Ring : public common::Problem
{
  public:
    Ring(common::Team& team, unsigned walker, unsigned home, unsigned stops, unsigned hops)
        : common::Problem("walk"), stops_(stops), hops_(hops), team_(team), walker_(walker),
          home_(home)
    {}

    void poison() override
    {
        team_.use(walker_);
        output_.poison();
        team_.use(0);
    }
    [[nodiscard]] common::Verdict verify() override
    {
        team_.use(walker_);
        const common::Verdict verdict = output_.verify([this](std::size_t, std::size_t, void* out) {
            unsigned at = 0;
            for (unsigned hop = 0; hop < hops_; ++hop)
                at = (1664525u * at + 1) % stops_;
            *static_cast<unsigned*>(out) = at;
        });
        team_.use(0);
        return verdict;
    }
    [[nodiscard]] std::uint64_t bytes() const override { return 0; }
    [[nodiscard]] std::uint64_t operations() const override { return hops_; }
    [[nodiscard]] std::size_t size() const override { return stops_; }
    [[nodiscard]] bool spans_devices() const override { return true; }

    Stop* ring = nullptr;
    unsigned* c = nullptr;

  private:
    void make_arrays() override
    {
        team_.open();
        team_.use(home_);
        memory_ = common::Buffer<Stop>(stops_);
        ring = memory_.data();
        make_ring<<<common::blocks(stops_, 256), 256>>>(ring, stops_);
        common::check_launch("The launch that makes the ring");
        CHECK_CUDA(cudaDeviceSynchronize());
        team_.use(walker_);
        output_ = common::Array(common::Element::u32, 1);
        c = static_cast<unsigned*>(output_.data());
        team_.use(0);
    }

    unsigned stops_;
    unsigned hops_;
    common::Team& team_;
    unsigned walker_;
    unsigned home_;
    common::Buffer<Stop> memory_;
    common::Array output_;
};

//! [ask]
// What the runtime says of one device's way to another's memory.
int peer_attribute(common::Team& team, unsigned k, unsigned j, cudaDeviceP2PAttr which)
{
    int value = 0;
    CHECK_CUDA(cudaDeviceGetP2PAttribute(&value, which, team.device(k), team.device(j)));
    return value;
}

bool can_access(common::Team& team, unsigned k, unsigned j)
{
    int can = 0;
    CHECK_CUDA(cudaDeviceCanAccessPeer(&can, team.device(k), team.device(j)));
    return can != 0;
}
//! [ask]

//! [latency_rows]
void run_latency(common::Chapter& chapter, common::Team& team)
{
    for (std::size_t n : chapter.sizes({1u << 21}, {1u << 12})) {
        const auto stops = static_cast<unsigned>(n & ~(n - 1)); // its lowest bit: a power of two
        for (unsigned k = 0; k < team.size(); ++k) {
            for (unsigned j = 0; j < team.size(); ++j) {
                if (k == j && k != 0) {
                    continue; // every GPU is as far from its own memory
                }
                Ring p(team, k, j, stops, 4096);
                const auto atomics = [&team, k, j]() -> std::string {
                    if (k == j)
                        return "yes";
                    return peer_attribute(team, k, j, cudaDevP2PAttrNativeAtomicSupported) != 0
                               ? "yes"
                               : "no";
                };
                const auto rank = [&team, k, j] {
                    return k == j ? 0 : peer_attribute(team, k, j, cudaDevP2PAttrPerformanceRank);
                };
                const auto why = [&team, k, j]() -> std::string {
                    return k == j || can_access(team, k, j) ? "" : "no peer access";
                };
                chapter.run(
                    {"walk",
                     1,
                     {{"runs_on", k}, {"memory_of", j}, {"rank", rank}, {"atomics", atomics}},
                     why,
                     {},
                     "the model has no latency of a load across a link"},
                    p,
                    {.work =
                         [&](cudaStream_t stream) {
                             team.each(k + 1, stream, [&](unsigned device, cudaStream_t on) {
                                 if (device == k)
                                     walk<<<1, 1, 0, on>>>(p.ring, p.c, 4096);
                             });
                         },
                     .setup = [&] { team.peer_access(team.size() > 1); }});
            }
        }
    }
}
//! [latency_rows]
