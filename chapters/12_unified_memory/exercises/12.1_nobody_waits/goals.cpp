// 12.1: Synchronize before the host reads managed memory
// minutes: 5
// difficulty: 1
// practises: managed memory, waiting before the host reads
// hint: When does the launch return, and when has the kernel written the last element?
// hint: In the version with copies, which call stood between the launch and read(), and when did it
//     return? Managed memory makes the copy unnecessary, but not the wait.
// hint: cudaDeviceSynchronize between the launch and read() waits for the kernel.
#include "common/exercise.hpp"

#include <algorithm>
#include <vector>

using Read = void (*)(const float* c, std::size_t n);

void solve(const float* a, const float* b, float* c, std::size_t n, Read read);

void goals(common::Attempt& attempt)
{
    static std::vector<float> seen; // by the host
    static const float* from = nullptr;
    seen.clear();
    common::HostVectorAdd problem(attempt, common::MemoryKind::managed);
    const std::size_t bytes = problem.n * sizeof(float);
    const Read read = [](const float* c, std::size_t n) {
        common::note_host_work("read", c, n * sizeof(float));
        seen.assign(c, c + n);
        from = c;
    };
    attempt.run_transfer(problem, [&] {
        common::note_host_write("write", problem.host_a, bytes);
        common::note_host_write("write", problem.host_b, bytes);
        solve(problem.a, problem.b, problem.c, problem.n, read);
    });
    attempt.launches(1);
    attempt.host_waits();
    attempt.goal("read", "lets the host read the whole sum",
                 from == problem.host_c && seen.size() == problem.n &&
                     std::equal(seen.begin(), seen.end(), problem.host_c),
                 "read() was not called, or not with c and all n sums.");
}
