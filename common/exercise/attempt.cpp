#include "common/exercise/attempt.hpp"

#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/exercise/order.hpp"
#include "common/text/format.hpp"

#include <cpu_device/device_limits.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace common {

namespace {

/// Any order but the ascending one.
constexpr std::uint64_t shuffled_order = 7;

/// Sectors that no answer should leave to fewer blocks than some exercises need, nor to one lane of
/// each warp, whose requests are for 4 bytes, if not for wide ones.
constexpr std::uint64_t many_sectors = 1U << 14U;
constexpr std::uint64_t fewest_blocks = 4;
constexpr std::uint64_t fewest_bytes_per_request = 6;

bool crosses(const Operation& operation)
{
    return operation.kind == Operation::Kind::copy_in ||
           operation.kind == Operation::Kind::copy_out;
}

/// What is wrong, and where a strange number comes from.
std::string message_of(const Verdict& verdict)
{
    const std::string message = verdict.message();
    const std::string unwritten = fmt::format("{:#x}", cpu_device::poison);
    return message.find(unwritten) == std::string::npos
               ? message
               : fmt::format(
                     "{} ({} is what unwritten shared and newly allocated device memory hold "
                     "on the CPU device.)",
                     message, unwritten);
}

std::size_t free_memory()
{
    std::size_t available = 0;
    std::size_t total = 0;
    CHECK_CUDA(cudaMemGetInfo(&available, &total));
    return available;
}

} // namespace

Goal& Attempt::next(const std::string& name, const std::string& text)
{
    if (mode_ == Mode::list)
        goals_.push_back({name, text, Goal::State::unchecked, {}});
    return goals_.at(next_++);
}

bool Attempt::counted() const
{
    return mode_ != Mode::list && !sampled() && backend() == Backend::cpu;
}

std::string Attempt::when() const
{
    return fmt::format(
        "With n = {}{}: ", format_count(problem_ == nullptr ? n_ : problem_->size()),
        mode_ == Mode::shuffled ? " and the lanes in another order, as a GPU may run them" : "");
}

/// A goal missed in one attempt stays missed, with the evidence of that one.
void Attempt::settle(Goal& goal, bool held, const std::string& figure, const std::string& evidence)
{
    if (mode_ == Mode::list || sampled() || goal.state == Goal::State::missed)
        return;
    goal.state = held ? Goal::State::held : Goal::State::missed;
    goal.evidence = held ? figure : when() + evidence;
}

void Attempt::miss(Goal& goal, const std::string& evidence)
{
    settle(goal, false, "", evidence);
    throw Stop();
}

void Attempt::counted_goal(const std::string& name, const std::string& text, bool held,
                           const std::string& figure, const std::function<std::string()>& evidence)
{
    Goal& goal = next(name, text);
    if (mode_ == Mode::list || sampled() || goal.state == Goal::State::missed)
        return;
    if (backend() == Backend::gpu) {
        goal.state = Goal::State::elsewhere;
        goal.evidence = needs_cpu_device;
        return;
    }
    settle(goal, held, figure, held ? "" : evidence());
}

unsigned Attempt::needs_devices(unsigned most)
{
    set_device_count(static_cast<int>(most));
    int count = 0;
    CHECK_CUDA(cudaGetDeviceCount(&count));
    too_few_ = count < 2;
    devices_ = std::min(count, static_cast<int>(most));
    return std::max(2U, static_cast<unsigned>(devices_));
}

Verdict Attempt::launch(Problem& problem, const Solve& solve)
{
    problem.poison();
    const bool in_browser = sizeof(std::size_t) < sizeof(std::uint64_t);
    watch_races(mode_ == Mode::ascending && !in_browser);
    set_lane_order(mode_ == Mode::shuffled ? shuffled_order + seed_ : 0);
    begin_counting();
    const std::size_t available = free_memory();
    solve();
    kept_ = available - free_memory();
    operations_ = end_recording(); // those of the answer alone: it may not have waited
    check_launch("A call or a launch of the answer"); // the last of those that failed
    CHECK_CUDA(cudaGetDevice(&in_use_));
    for (int device = 0; device < devices_; ++device) {
        if (devices_ > 1)
            CHECK_CUDA(cudaSetDevice(device));
        if (const cudaError_t status = cudaDeviceSynchronize(); status != cudaSuccess)
            throw_cuda_error(status, "A kernel of the answer", "");
    }
    CHECK_CUDA(cudaSetDevice(0));
    launches_ = end_counting();
    counts_ = {};
    for (const LaunchRecord& record : launches_)
        counts_ += record.counts;
    set_lane_order(0);
    watch_races(false);
    return problem.verify();
}

void Attempt::run(Problem& problem, const Solve& solve)
{
    run(problem, solve, false);
}

void Attempt::run_transfer(Problem& problem, const Solve& solve)
{
    run(problem, solve, true);
}

void Attempt::run(Problem& problem, const Solve& solve, bool transfer)
{
    Goal& runs = next("runs", "runs to completion without a fault");
    Goal& kernels = next("kernels", transfer ? "does the work in a kernel"
                                             : "does all the work in kernels, on the device");
    Goal& right =
        next("right", "produces the correct output for every size, without out-of-bounds writes");
    Goal& order = next("order", "is correct in any execution order of the lanes");
    if (mode_ == Mode::list)
        return;
    if (too_few_) {
        for (Goal& goal : goals_) {
            goal.state = Goal::State::elsewhere;
            goal.evidence = "needs two GPUs, or --device cpu";
        }
        throw Stop();
    }
    problem_ = &problem;
    solve_ = solve;
    tell_(when(), mode_ == Mode::modelled ? "copy_share"
                                          : runs.name); // from here on with the size of the problem
    if (sampled())
        return run_sample();
    problem.allocate();
    Verdict verdict;
    try {
        verdict = launch(problem, solve);
    } catch (const CudaError& error) {
        miss(runs, error.what());
    }
    if (in_use_ != 0)
        miss(runs,
             fmt::format("device {} is current when the answer returns; it was device 0 before.",
                         in_use_));
    settle(runs, true, "", "");
    const bool cpu = backend() == Backend::cpu;
    const auto unpromised =
        std::find_if(launches_.begin(), launches_.end(), [](const LaunchRecord& launch) {
            return !launch.partial_barrier.empty() || !launch.advice.empty() ||
                   !launch.race.empty();
        });
    if (cpu && launches_.empty())
        miss(kernels, "no kernel was launched.");
    if (!verdict.ok)
        miss(mode_ == Mode::shuffled ? order : right, message_of(verdict));
    if (unpromised != launches_.end())
        miss(order, !unpromised->advice.empty()            ? unpromised->advice
                    : !unpromised->partial_barrier.empty() ? unpromised->partial_barrier
                                                           : unpromised->race);
    const bool streams = std::any_of(operations_.begin(), operations_.end(),
                                     [](const Operation& each) { return each.stream != 0; });
    if (streams && !transfer && devices_ == 1)
        if (const std::string early = out_of_order(operations_, 1); !early.empty())
            miss(order, early);
    if (!cpu) {
        for (Goal* goal : {&kernels, &order}) {
            goal->state = Goal::State::elsewhere;
            goal->evidence = needs_cpu_device;
        }
        settle(right, true, "", "");
        return;
    }
    if (!transfer && std::any_of(operations_.begin(), operations_.end(), crosses))
        miss(kernels, "data was copied between host and device; the arrays are already on the "
                      "device, and the work is to be done there.");
    // What a copy has brought, a kernel may change where it is.
    const std::uint64_t bytes = transfer ? problem.bytes() / 2 : problem.bytes();
    const std::uint64_t least = (bytes + cpu_device::Counts::sector_bytes - 1) / 32;
    if (counts_.distinct_sectors < least)
        miss(kernels,
             fmt::format("the kernels touched {} sectors, but the arrays span at least {}: an "
                         "input was not read, or something else produced the output.",
                         format_count(counts_.distinct_sectors), format_count(least)));
    std::uint64_t crossed = 0; // the link
    for (const Operation& operation : operations_)
        crossed += crosses(operation) ? operation.bytes
                                      : operation.link_in_bytes + operation.link_out_bytes;
    if (transfer && problem.crosses_link() && crossed < problem.bytes())
        miss(kernels,
             fmt::format("only {} of {} bytes crossed the link: the host produced the output.",
                         format_count(crossed), format_count(problem.bytes())));
    std::uint64_t blocks = 0; // of the largest grid
    std::uint64_t all_warps = 0;
    for (const LaunchRecord& record : launches_) {
        blocks = std::max(blocks, product(record.grid));
        all_warps += warps(record);
    }
    if (blocks < fewest_blocks && counts_.distinct_sectors >= many_sectors)
        miss(kernels,
             fmt::format("the largest grid has {} block{}, so that all other SMs are idle.", blocks,
                         blocks == 1 ? "" : "s"));
    const std::uint64_t requests = counts_.load_requests + counts_.store_requests;
    if (counts_.distinct_sectors >= many_sectors &&
        counts_.bytes_requested() < fewest_bytes_per_request * requests)
        miss(kernels, fmt::format("a request is for {:.1f} bytes on average: most lanes are idle.",
                                  static_cast<double>(counts_.bytes_requested()) /
                                      static_cast<double>(requests)));
    if (counts_.distinct_sectors >= many_sectors && 2 * requests < all_warps)
        miss(kernels, fmt::format("{} warps are launched and make {} requests: most do nothing.",
                                  format_count(all_warps), format_count(requests)));
    settle(kernels, true, "", "");
    settle(mode_ == Mode::shuffled ? order : right, true, "", "");
}

void Attempt::run_sample()
{
    try {
        problem_->allocate();
        if (mode_ == Mode::far)
            return;
        begin_counting();
        solve_();
        CHECK_CUDA(cudaDeviceSynchronize());
        static_cast<void>(end_recording());
        launches_ = end_counting();
    } catch (const CudaError&) { // no space for arrays of that size, say
        throw Stop();
    }
}

void Attempt::goal(const std::string& name, const std::string& text, bool held,
                   const std::string& evidence)
{
    settle(next(name, text), held, "", evidence);
}

void Attempt::counted_goal(const std::string& name, const std::string& text, bool held,
                           const std::string& evidence)
{
    counted_goal(name, text, held, "", [&] { return evidence; });
}

} // namespace common
