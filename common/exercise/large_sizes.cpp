/// \file
/// Goals about more elements than are computed here: measured on a GPU, modelled or sampled
/// without.
#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/device/measure.hpp"
#include "common/exercise/attempt.hpp"
#include "common/model/card.hpp"
#include "common/model/model_error.hpp"
#include "common/model/time_model.hpp"
#include "common/text/format.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace common {

namespace {

constexpr double measured_seconds = 0.5;
/// Of past_32_bits(): the middle of a grid over so many elements is at number 2^32 + 2^15.
/// Where addresses have 32 bits, nobody requests them.
constexpr auto far_elements =
    static_cast<std::size_t>((std::uint64_t{1} << 33U) + (std::uint64_t{1} << 16U));
constexpr std::size_t far_middle = far_elements / 2;

} // namespace

void Attempt::share_of_copy(double least)
{
    Goal& goal =
        next("copy_share", fmt::format("reaches {:.0f} % of the bandwidth of a copy", 100 * least));
    if (mode_ == Mode::list)
        return;
    if (mode_ == Mode::modelled)
        return share_of_modelled_copy(goal, least);
    if (mode_ == Mode::far)
        return;
    if (backend() == Backend::cpu) {
        goal.state = Goal::State::elsewhere;
        goal.evidence = "measured on a GPU only";
        return;
    }
    if (mode_ != Mode::measured)
        return; // one of the other attempts will be
    const double other = copy_bandwidth({.max_seconds = measured_seconds});
    const double gb = static_cast<double>(problem_->bytes()) /
                      (measure_launch([this](cudaStream_t) { solve_(); }, nullptr, Cache::cold,
                                      {.max_seconds = measured_seconds})
                           .median *
                       1e6);
    const std::string figure =
        fmt::format("{:.0f} GB/s, {:.0f} % of {:.0f}", gb, 100 * gb / other, other);
    settle(goal, gb >= least * other, figure, figure + ".");
    if (const Verdict verdict = problem_->verify(); !verdict.ok)
        miss(goal, "after the timed launches: " + verdict.message());
}

void Attempt::share_of_modelled_copy(Goal& goal, double least)
{
    if (launches_.empty()) {
        goal.state = Goal::State::missed;
        goal.evidence = when() + "no kernel could be launched.";
        return;
    }
    const Card& card = cards().front();
    const auto bytes = static_cast<double>(problem_->bytes());
    double ms = 0;
    double longest = 0;
    std::string_view limit;
    for (const LaunchRecord& record : launches_) {
        if (!record.traffic)
            return;
        const std::size_t shared = record.static_shared_bytes + record.dynamic_shared_bytes;
        const ModelledTime time =
            predict(demand(record, *record.traffic, card, assumed_registers, shared), card);
        ms += time.ms;
        if (time.ms > longest)
            limit = time.limited_by;
        longest = std::max(longest, time.ms);
    }
    // As many bytes, half of them read and half written, by somebody who waits for DRAM alone.
    Demand copy;
    copy.blocks = 1;
    copy.dram_bytes_read = copy.dram_bytes_written = bytes / 2;
    const double share = predict(copy, card).ms / ms;
    // An exercise is a chapter's kernel with a change.
    const double range = model_error(Kernels::book).ninth_decile - 1;
    const std::string figure =
        fmt::format("modelled, not measured: {:.0f} %, {:.0f} GB/s on {}, error {:.1f} %",
                    100 * share, bytes / (ms * 1e6), card.name, 100 * range);
    goal.state = share * (1 + range) >= least ? Goal::State::held : Goal::State::missed;
    goal.evidence = figure;
    if (goal.state == Goal::State::missed)
        goal.evidence = fmt::format("{}{}. Limited by {}.", when(), figure, limit);
}

void Attempt::settle_by_sample(Goal& goal, const std::string& not_told, const std::string& now,
                               const Solve& call)
{
    if (mode_ == Mode::list || mode_ == Mode::modelled || goal.state == Goal::State::missed)
        return;
    if (mode_ != Mode::far) {
        goal.state = not_told.empty() ? Goal::State::unchecked : Goal::State::elsewhere;
        goal.evidence = not_told;
        return;
    }
    if (goal.state == Goal::State::elsewhere)
        return;
    tell_(now, goal.name); // a fault ends this process
    call();
    check_launch("A launch of the answer");
    CHECK_CUDA(cudaDeviceSynchronize());
    goal.state = Goal::State::held;
}

void Attempt::past_32_bits(const Shifted& solve)
{
    const std::string now =
        fmt::format("With n = {}, of which only the blocks in the middle ran (their indices exceed "
                    "4,294,967,295, where a 32-bit index wraps around to 0): ",
                    format_count(far_elements));
    settle_by_sample(next("far", "computes correct indices beyond 2^32"),
                     !counted()            ? needs_cpu_device
                     : threads() < n_ / 32 ? "checked only if the grid grows with n"
                                           : "",
                     now, [&] {
                         // As many elements before the middle as behind it.
                         solve(far_elements, far_middle - n_ / 2);
                     });
}

void Attempt::takes(const std::string& name, const std::string& shape, const Solve& solve)
{
    settle_by_sample(next(name, "handles " + shape), counted() ? "" : needs_cpu_device,
                     "With " + shape + ": ", solve);
}

} // namespace common
