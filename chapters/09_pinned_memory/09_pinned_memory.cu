// 09_pinned_memory: What does page-locked host memory buy, and what does it cost?
//
// No kernel at all: one array crosses the link, to the device or back. What changes is the kind of
// host memory, and the size. Then the bill: locking pages, and reading them past the caches.

#include "common/run/chapter.hpp"
#include "host_copy.hpp"

#include <string>

using Problem = common::HostCopy;
using common::Direction;
using common::HostPages;

//! [copy]
void copy_to_device(const Problem& p)
{
    CHECK_CUDA(cudaMemcpy(p.device, p.host, p.bytes(), cudaMemcpyHostToDevice));
}

void copy_to_host(const Problem& p)
{
    CHECK_CUDA(cudaMemcpy(p.host, p.device, p.bytes(), cudaMemcpyDeviceToHost));
}
//! [copy]

//! [register]
// Memory that somebody else allocated is locked page by page, and freed the same way.
void lock(const Problem& p)
{
    CHECK_CUDA(cudaHostRegister(p.host, p.bytes(), cudaHostRegisterDefault));
}

void unlock(const Problem& p)
{
    CHECK_CUDA(cudaHostUnregister(p.host));
}
//! [register]

//! [host_read]
// The host reads every element. Eight sums at once, so that the additions do not wait for each
// other and memory is what bounds it.
double add_on_host(const float* host, std::size_t n)
{
    double sums[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (std::size_t k = 0; k < 8; ++k) {
            sums[k] += static_cast<double>(host[i + k]);
        }
    }
    for (; i < n; ++i) {
        sums[0] += static_cast<double>(host[i]);
    }
    double sum = 0;
    for (double part : sums) {
        sum += part;
    }
    return sum;
}
//! [host_read]

void run_copy(common::Chapter& chapter, const std::string& pages_name, HostPages pages,
              Direction direction, std::size_t n)
{
    const bool in = direction == Direction::to_device;
    const std::string name = pages_name + (in ? "_to_device" : "_to_host");
    Problem problem(chapter, direction, pages, n);
    chapter.run_transfer({name}, problem, [&](cudaStream_t) {
        in ? copy_to_device(problem) : copy_to_host(problem);
    });
}

// Locking, unlocking, and both around one copy. The copies that are not timed show that the memory
// still works.
void run_registration(common::Chapter& chapter, std::size_t n)
{
    Problem problem(chapter, Direction::to_device, HostPages::to_register, n);
    bool locked = false;
    const auto make = [&](bool wanted) {
        if (locked != wanted) {
            wanted ? lock(problem) : unlock(problem);
        }
        locked = wanted;
    };
    const auto lock_it = [&](cudaStream_t) { make(true); };
    const auto unlock_it = [&](cudaStream_t) { make(false); };
    const auto copy = [&](cudaStream_t) { copy_to_device(problem); };
    chapter.run_step({"register"}, problem, {lock_it, unlock_it, copy});
    chapter.run_step({"unregister"}, problem, {unlock_it, lock_it, copy});
    chapter.run_transfer({"register_copy_unregister"}, problem, [&](cudaStream_t stream) {
        lock_it(stream);
        copy(stream);
        unlock_it(stream);
    });
    make(false);
}

int main(int argc, char** argv)
{
    common::Chapter chapter("09_pinned_memory", argc, argv);
    // 64 KiB, 1 MiB, 16 MiB, 256 MiB and 1 GiB of floats.
    for (std::size_t n : chapter.sizes({1u << 14, 1u << 18, 1u << 22, 1u << 26, 1u << 28},
                                       {1u << 14, 1u << 18, 1u << 20}, 2 * sizeof(float))) {
        for (Direction direction : {Direction::to_device, Direction::to_host}) {
            run_copy(chapter, "pageable", HostPages::pageable, direction, n);
            run_copy(chapter, "pinned", HostPages::pinned, direction, n);
        }
    }
    for (std::size_t n : chapter.sizes({1u << 22, 1u << 26}, {1u << 18}, 2 * sizeof(float))) {
        for (Direction direction : {Direction::to_device, Direction::to_host}) {
            run_copy(chapter, "registered", HostPages::registered, direction, n);
        }
        run_copy(chapter, "portable", HostPages::portable, Direction::to_device, n);
        run_copy(chapter, "write_combined", HostPages::write_combined, Direction::to_device, n);
        run_registration(chapter, n);
    }
    for (std::size_t n : chapter.sizes({1u << 22}, {1u << 18})) {
        for (HostPages pages : {HostPages::pinned, HostPages::write_combined}) {
            common::HostSum problem(chapter, pages, n);
            const char* name = pages == HostPages::pinned ? "read_pinned" : "read_write_combined";
            chapter.run_transfer({name}, problem,
                                 [&](cudaStream_t) { problem.read_with(add_on_host); });
        }
    }
    return chapter.finish();
}
