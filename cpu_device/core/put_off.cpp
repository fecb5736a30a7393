#include "core/put_off.hpp"

#include "core/devices.hpp"
#include "core/memory.hpp"
#include "cpu_device/detail/engine.hpp"

#include <atomic>
#include <utility>
#include <vector>

namespace cpu_device {

namespace {

std::atomic<bool> kernels_print = false;
std::atomic<bool> given_up =
    false; ///< so much was put off that the program may wait for time to pass
std::atomic<bool> something_is_put_off = false;

std::recursive_mutex& one_launch()
{
    static auto& instance = *new std::recursive_mutex;
    return instance;
}

/// Never destroyed: what nobody looks at is forgotten when the process ends. Under OneLaunch.
std::vector<std::function<void()>>& queue()
{
    static auto& instance = *new std::vector<std::function<void()>>;
    return instance;
}

} // namespace

bool note_printing_kernels()
{
    kernels_print = true;
    return true;
}

OneLaunch::OneLaunch() : lock_(one_launch()) {}

bool may_put_off()
{
    return !kernels_print && !given_up && device_count() == 1 && memory_out_of_reach().has_value();
}

void put_off(std::function<void()> work)
{
    constexpr std::size_t most = 1 << 14; // llm.c's benchmarks need three quarters of it
    queue().push_back(std::move(work));
    something_is_put_off = true;
    if (queue().size() < most)
        return;
    given_up = true;
    do_what_was_put_off();
}

bool put_off_behind_others(const std::function<void()>& work)
{
    const OneLaunch lock;
    if (queue().empty())
        return false;
    put_off(work);
    return true;
}

bool anything_is_put_off()
{
    return something_is_put_off;
}

void do_what_was_put_off()
{
    if (!something_is_put_off)
        return;
    const OneLaunch lock;
    const DeviceMemoryAccess access(false); // opened once for all
    for (const std::function<void()>& work : std::exchange(queue(), {}))
        work();
    something_is_put_off = false;
    discard_what_was_kept();
}

} // namespace cpu_device
