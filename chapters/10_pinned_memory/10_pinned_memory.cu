// 10_pinned_memory: What does pinning gain and cost?
//
// Without kernels, an array crosses the link to the device or back, from different kinds of host
// memory and in different sizes. Other rows measure the costs: locking pages, and uncached reads.
//
// page_locking.cuh  memory that becomes page-locked after its allocation
// host_read.cuh     the host's sum of an array, and host_sum.hpp what it must be

#include "host_read.cuh"
#include "host_sum.hpp"
#include "page_locking.cuh"

#include <string>

using common::MemoryKind;

//! [copy]
void copy_to_device(const Problem& p)
{
    CHECK_CUDA(cudaMemcpy(p.c, p.a, p.n * sizeof(float), cudaMemcpyHostToDevice));
}

void copy_to_host(const Problem& p)
{
    CHECK_CUDA(cudaMemcpy(p.c, p.a, p.n * sizeof(float), cudaMemcpyDeviceToHost));
}
//! [copy]

//! [link]
// Only one side of such a copy crosses the link: n floats, whichever way.
Problem to_device(const common::Chapter& chapter, MemoryKind memory, std::size_t n)
{
    return Problem(chapter,
                   {.task = "copy to device", .n = n, .input = memory, .bytes = n * sizeof(float)});
}

void run_to_device(common::Chapter& chapter, const std::string& name, MemoryKind memory,
                   std::size_t n)
{
    Problem problem = to_device(chapter, memory, n);
    chapter.run_transfer({.name = name + "_to_device"}, problem,
                         [&](cudaStream_t) { copy_to_device(problem); });
}

void run_to_host(common::Chapter& chapter, const std::string& name, MemoryKind memory,
                 std::size_t n)
{
    Problem problem(chapter,
                    {.task = "copy to host", .n = n, .output = memory, .bytes = n * sizeof(float)});
    chapter.run_transfer({.name = name + "_to_host"}, problem,
                         [&](cudaStream_t) { copy_to_host(problem); });
}
//! [link]

//! [registration]
// Locking, unlocking, and both around one copy. The copies that are not timed show that the memory
// still works.
void run_registration(common::Chapter& chapter, std::size_t n)
{
    Problem problem = to_device(chapter, MemoryKind::pageable, n);
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
    const char* task = "page locking";
    chapter.run_transfer({.name = "register", .task = task, .before = unlock_it, .after = copy},
                         problem, lock_it);
    chapter.run_transfer({.name = "unregister", .task = task, .before = lock_it, .after = copy},
                         problem, unlock_it);
    chapter.run_transfer({.name = "register_copy_unregister", .task = task}, problem,
                         [&](cudaStream_t stream) {
                             lock_it(stream);
                             copy(stream);
                             unlock_it(stream);
                         });
    make(false);
}
//! [registration]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    // 64 KiB, 1 MiB, 16 MiB, 256 MiB and 1 GiB of floats.
    const common::Sizes copied{.gpu = {1u << 14, 1u << 18, 1u << 22, 1u << 26, 1u << 28},
                               .cpu = {1u << 14, 1u << 18, 1u << 20},
                               .default_sizes = {1u << 26},
                               .bytes_per_element = 2 * sizeof(float)};
    for (std::size_t n : chapter.sizes(copied)) {
        run_to_device(chapter, "pageable", MemoryKind::pageable, n);
        run_to_device(chapter, "pinned", MemoryKind::pinned, n);
        run_to_host(chapter, "pageable", MemoryKind::pageable, n);
        run_to_host(chapter, "pinned", MemoryKind::pinned, n);
    }
    const common::Sizes locked{.gpu = {1u << 22, 1u << 26},
                               .cpu = {1u << 18},
                               .default_sizes = {1u << 22},
                               .bytes_per_element = 2 * sizeof(float)};
    for (std::size_t n : chapter.sizes(locked)) {
        run_to_device(chapter, "registered", MemoryKind::registered, n);
        run_to_host(chapter, "registered", MemoryKind::registered, n);
        run_to_device(chapter, "portable", MemoryKind::portable, n);
        run_to_device(chapter, "write_combined", MemoryKind::write_combined, n);
        run_registration(chapter, n);
    }
    for (std::size_t n : chapter.sizes({.gpu = {1u << 22}, .cpu = {1u << 18}})) {
        for (MemoryKind memory : {MemoryKind::pinned, MemoryKind::write_combined}) {
            HostSum problem(chapter, memory, n);
            const char* name = memory == MemoryKind::pinned ? "read_pinned" : "read_write_combined";
            chapter.run_transfer({.name = name}, problem,
                                 [&](cudaStream_t) { problem.read_with(add_on_host); });
        }
    }
    return chapter.finish();
}
