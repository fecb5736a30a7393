// 11.2: Which memory does a pointer name?
// minutes: 15
// difficulty: 2
// practises: unified virtual addressing, cudaPointerGetAttributes, cudaMemcpyDefault
// hint: Which of the four kinds of memory may a kernel not access? Which call reports the kind of
//     memory behind an address?
// hint: cudaPointerGetAttributes reports cudaMemoryTypeUnregistered for memory that the runtime has
//     neither allocated nor locked. Only that must be copied to the device first.
// hint: If the type is cudaMemoryTypeUnregistered, allocate n floats with cudaMalloc, copy with
//     cudaMemcpyDefault, and launch the kernel on the copy; otherwise launch it on a itself. Free
//     the copy after the launch.
#include "common/exercise.hpp"

void solve(const float* a, float* c, std::size_t n);

namespace {

// Each size has its kind of memory.
common::MemoryKind space_of(std::size_t n)
{
    switch (n) {
    case 1:
        return common::MemoryKind::device;
    case 1009:
        return common::MemoryKind::pinned;
    case 4097:
        return common::MemoryKind::pageable;
    default:
        return common::MemoryKind::managed;
    }
}

const char* name_of(common::MemoryKind space)
{
    switch (space) {
    case common::MemoryKind::device:
        return "device";
    case common::MemoryKind::pinned:
        return "page-locked";
    case common::MemoryKind::pageable:
        return "unregistered";
    default:
        return "managed";
    }
}

} // namespace

void goals(common::Attempt& attempt)
{
    const common::MemoryKind space = space_of(attempt.n());
    common::Arrays<float> problem(attempt, {.task = "twice", .input = space},
                                  [](auto& in, std::size_t i) { return 2 * in.a[i]; });
    cudaPointerAttributes left{};
    attempt.run_transfer(problem, [&] {
        solve(problem.a, problem.c, problem.n);
        CHECK_CUDA(cudaPointerGetAttributes(&left, problem.a));
        if (space == common::MemoryKind::pageable && left.type != cudaMemoryTypeUnregistered)
            CHECK_CUDA(cudaHostUnregister(const_cast<float*>(problem.a))); // it will be freed
    });
    std::size_t copies = 0;
    bool locks = false;
    for (const common::Operation& operation : attempt.operations()) {
        copies += operation.label == "copy" ? 1 : 0;
        locks = locks || operation.host_rate == common::Operation::HostRate::page_locking;
    }
    const std::size_t needed = space == common::MemoryKind::pageable ? 1 : 0;
    attempt.counted_goal("copies", "copies only what no kernel can read where it is",
                         copies <= needed,
                         common::filled_in("a is in {} memory. Copies: {}; {} are enough.",
                                           {name_of(space), copies, needed}));
    attempt.counted_goal("staged", "leaves the copying to the runtime",
                         copies + (locks ? 1 : 0) >= needed, "the host has copied a itself.");
    attempt.goal("unlocked", "leaves the pages of a as they were",
                 space != common::MemoryKind::pageable || left.type == cudaMemoryTypeUnregistered,
                 "a is page-locked when the answer returns, and was not before.");
    attempt.launches(1);
    attempt.frees_memory();
    attempt.ordered();
}
