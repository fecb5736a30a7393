#include "core/deferred.hpp"

#include "core/arena.hpp"
#include "core/devices.hpp"
#include "core/immortal.hpp"
#include "cpu_device/detail/engine.hpp"

#include <atomic>
#include <utility>
#include <vector>

namespace cpu_device {

namespace {

std::atomic<bool> kernels_print = false;
std::atomic<bool> given_up =
    false; ///< so much was deferred that the program may wait for time to pass
std::atomic<bool> anything_is_deferred = false;

using DeferredWork = std::vector<std::function<void()>>; ///< under one_launch()

} // namespace

bool note_printing_kernels()
{
    kernels_print = true;
    return true;
}

std::unique_lock<std::recursive_mutex> one_launch()
{
    return std::unique_lock(immortal<std::recursive_mutex>());
}

bool may_defer()
{
    return !kernels_print && !given_up && device_count() == 1 && memory_out_of_reach().has_value();
}

void deferred(std::function<void()> work)
{
    constexpr std::size_t most = 1 << 14; // llm.c's benchmarks need three quarters of it
    auto& queue = immortal<DeferredWork>();
    queue.push_back(std::move(work));
    anything_is_deferred = true;
    if (queue.size() < most)
        return;
    given_up = true;
    run_deferred();
}

bool deferred_behind_others(const std::function<void()>& work)
{
    const auto lock = one_launch();
    if (immortal<DeferredWork>().empty())
        return false;
    deferred(work);
    return true;
}

bool any_deferred()
{
    return anything_is_deferred;
}

void run_deferred()
{
    if (!anything_is_deferred)
        return;
    const auto lock = one_launch();
    const DeviceMemoryAccess access(false); // opened once for all
    for (const std::function<void()>& work : std::exchange(immortal<DeferredWork>(), {}))
        work();
    anything_is_deferred = false;
    arena().discard_kept();
}

} // namespace cpu_device
