#include "common/problem/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace common {

void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t first, std::size_t last)>& work)
{
    const std::size_t ranges = (count + grain - 1) / grain;
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failure_mutex;

    const auto take_ranges = [&] {
        try {
            for (std::size_t range = next++; range < ranges; range = next++)
                work(range * grain, std::min((range + 1) * grain, count));
        } catch (...) {
            const std::lock_guard lock(failure_mutex);
            if (!failure)
                failure = std::current_exception();
        }
    };

    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < std::min(cores, ranges); ++i)
        threads.emplace_back(take_ranges);
    take_ranges();
    for (std::thread& thread : threads)
        thread.join();
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace common
