#include "common/problem/ring.hpp"

#include "common/device/check.hpp"

#include <vector>

namespace common {

Ring::Ring(Team& team, unsigned walker, unsigned home, unsigned stops, unsigned hops)
    : Problem("walk"), stops_(stops), hops_(hops), team_(team), walker_(walker), home_(home)
{}

void Ring::poison()
{
    team_.use(walker_);
    output_.poison();
    team_.use(0);
}

Verdict Ring::verify()
{
    team_.use(walker_);
    Verdict verdict = output_.verify([this](std::size_t, std::size_t, void* out) {
        unsigned at = 0;
        for (unsigned hop = 0; hop < hops_; ++hop)
            at = next(at);
        *static_cast<unsigned*>(out) = at;
    });
    team_.use(0);
    return verdict;
}

void Ring::make_arrays()
{
    team_.open();
    team_.use(home_);
    std::vector<unsigned> lines(std::size_t{stops_} * words);
    for (unsigned i = 0; i < stops_; ++i)
        lines[std::size_t{i} * words] = next(i);
    memory_ = Buffer<unsigned>(lines.size());
    CHECK_CUDA(cudaMemcpy(memory_.data(), lines.data(), memory_.bytes(), cudaMemcpyHostToDevice));
    ring = memory_.data();
    team_.use(walker_);
    output_ = Array(Element::u32, 1);
    c = static_cast<unsigned*>(output_.data());
    team_.use(0);
}

} // namespace common
