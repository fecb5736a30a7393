// 10.1: Register existing host memory
// minutes: 10
// difficulty: 1
// practises: cudaHostRegister and cudaHostUnregister
// hint: Which kind of host memory on the page can begin as an array that other code has allocated?
// hint: Two calls lock and unlock pages that exist already. Where must each stand, relative to the
//     copy?
// hint: Call cudaHostRegister(host_a, bytes, cudaHostRegisterDefault) before the copy, and
//     cudaHostUnregister(host_a) when the copy is done. The size is in bytes.
#include "common/exercise.hpp"

void solve(float* host_a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    using Operation = common::Operation;
    common::Arrays<float> problem(attempt, {.task = "twice", .input = common::MemoryKind::pageable},
                                  [](auto& in, std::size_t i) { return 2 * in.a[i]; });
    cudaPointerAttributes left{};
    attempt.run_transfer(problem, [&] {
        float* host_a = const_cast<float*>(problem.a);
        solve(host_a, problem.c, problem.n);
        CHECK_CUDA(cudaPointerGetAttributes(&left, host_a));
        if (left.type != cudaMemoryTypeUnregistered) {
            CHECK_CUDA(cudaHostUnregister(host_a)); // it will be freed
        }
    });
    std::uint64_t locked = 0;
    for (const Operation& operation : attempt.operations()) {
        if (operation.host_rate == Operation::HostRate::page_locking) {
            locked += operation.bytes;
        }
    }
    attempt.copies_from_pinned();
    attempt.counted_goal(
        "locked", "locks the array itself, once", locked == 4 * problem.n,
        common::filled_in("{} bytes were locked by cudaHostRegister, and the array has {}.",
                          {locked, 4 * problem.n}));
    attempt.goal("unlocked", "leaves the pages unlocked", left.type == cudaMemoryTypeUnregistered,
                 "the array is still page-locked when the answer returns.");
    attempt.host_waits();
    attempt.launches(1);
    attempt.ordered();
}
