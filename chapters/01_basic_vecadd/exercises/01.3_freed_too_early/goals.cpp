// 01.3: Order of allocation, copies and free
// minutes: 10
// difficulty: 1
// practises: allocation and release of device memory, the status of a call
// hint: Which call fails? Check the status of each call, as on the page, or print
//     cudaGetErrorString(cudaGetLastError()) after each.
// hint: For each pointer, go through the calls: between which lines does it point to allocated
//     memory? Which calls use it before or after that?
// hint: The copy to the host reads from c. It must come after the kernel and before cudaFree(c).
#include "common/exercise.hpp"

#include <cuda_runtime.h>

void solve(const float* host_a, const float* host_b, float* host_c, std::size_t n);

namespace {

std::size_t free_bytes()
{
    std::size_t free = 0;
    std::size_t total = 0;
    cudaMemGetInfo(&free, &total);
    return free;
}

} // namespace

void goals(common::Attempt& attempt)
{
    common::HostVectorAdd problem(attempt, common::MemoryKind::pageable);
    std::size_t before = 0;
    std::size_t after = 0;
    attempt.run_transfer(problem, [&] {
        before = free_bytes();
        solve(problem.host_a, problem.host_b, problem.host_c, problem.n);
        after = free_bytes();
    });
    // A GPU's driver may keep memory that was freed, for the next who asks.
    attempt.goal("freed", "frees what it has allocated", !attempt.counted() || after >= before,
                 common::filled_in("{} bytes of device memory are still allocated at the end.",
                                   {before - after}));
    attempt.waits();
    attempt.ordered();
}
