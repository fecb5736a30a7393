/// \file
/// Threads, by the standard library's.
#include "host/threads.hpp"

#include "core/host.hpp"

#include <algorithm>
#include <barrier>
#include <exception>
#include <thread>
#include <utility>

namespace cpu_device::host {

namespace {

class Barrier final : public Meeting
{
  public:
    explicit Barrier(std::size_t threads) : barrier_(static_cast<std::ptrdiff_t>(threads)) {}
    void wait() override { barrier_.arrive_and_wait(); }
    void leave() { barrier_.arrive_and_drop(); }

  private:
    std::barrier<> barrier_;
};

} // namespace

std::size_t processors()
{
    // Which reads files of the system, each time.
    static const unsigned count = std::max(1U, std::thread::hardware_concurrency());
    return count;
}

void run_on_threads(std::size_t threads, const std::function<void(std::size_t)>& work)
{
    const auto watched = [&work](std::size_t thread) {
        const SignalStack stack;
        work(thread);
    };
    // For this call alone: OpenMP's, which wait for the next one awake, took nine tenths of the
    // processors' time where launches are small.
    std::vector<std::jthread> others;
    for (std::size_t thread = 1; thread < threads; ++thread)
        others.emplace_back(watched, thread);
    watched(0);
}

void run_together(
    std::size_t threads,
    const std::function<std::function<void()>(std::size_t thread, Meeting& meeting)>& make,
    const std::function<void(std::size_t threads, const std::string& why)>& fail)
{
    Barrier barrier(threads);
    std::vector<std::jthread> running;
    try {
        for (std::size_t thread = 0; thread < threads; ++thread)
            running.emplace_back([&barrier, work = make(thread, barrier)] {
                barrier.wait(); // none begins unless all can
                const SignalStack stack;
                work();
                barrier.leave();
            });
    } catch (const std::exception& error) { // the others wait for it, and would for ever
        fail(running.size(), error.what());
    }
}

void look_every(std::chrono::milliseconds time, std::function<void()> look)
{
    std::thread([time, look = std::move(look)] {
        for (;;) {
            std::this_thread::sleep_for(time);
            look();
        }
    }).detach();
}

} // namespace cpu_device::host
