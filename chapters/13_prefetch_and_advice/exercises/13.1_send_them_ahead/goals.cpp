// 13.1: Prefetch managed pages
// minutes: 10
// difficulty: 2
// practises: prefetching managed memory both ways, the order of a stream
// hint: Which arrays does the kernel touch? Does it matter whether it reads or writes them? Which
//     of them does the host touch afterwards?
// hint: A store to a page on the host faults, too, so c must move as well. A prefetch is queued in
//     a stream like a kernel: where in the stream must that of c to the host be?
// hint: Prefetch a, b and c to the device before the launch, and c to the host between the launch
//     and cudaDeviceSynchronize. Sizes are in bytes.
#include "common/exercise.hpp"

#include <algorithm>
#include <vector>

using Read = void (*)(const float* c, std::size_t n);

void solve(const float* a, const float* b, float* c, std::size_t n, Read read);

void goals(common::Attempt& attempt)
{
    using Operation = common::Operation;
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
        for (const float* array : {problem.host_a, problem.host_b, problem.host_c}) {
            common::note_host_write("write", array, bytes); // where the pages are before
        }
        solve(problem.a, problem.b, problem.c, problem.n, read);
    });
    attempt.launches(1);
    attempt.host_waits();
    attempt.goal("read", "lets the host read the whole sum",
                 from == problem.host_c && seen.size() == problem.n &&
                     std::equal(seen.begin(), seen.end(), problem.host_c),
                 "read() was not called, or not with c and all n sums.");
    std::uint64_t to_device = 0;
    std::uint64_t to_host = 0;
    std::size_t copies = 0;
    for (const Operation& operation : attempt.operations()) {
        if (operation.pages == Operation::Pages::faulting) {
            const bool in = operation.kind == Operation::Kind::copy_in;
            (in ? to_device : to_host) += operation.bytes;
        }
        copies += operation.label == "copy" ? 1 : 0;
    }
    attempt.counted_goal(
        "copies", "makes no copy", copies == 0,
        common::filled_in("Copies: {}. Managed pages migrate on access or by a prefetch.",
                          {copies}));
    attempt.counted_goal(
        "faults_of_the_kernel", "has the pages on the device before the kernel", to_device == 0,
        common::filled_in("{} bytes of pages migrated to the device by page faults of the kernel.",
                          {to_device}));
    attempt.counted_goal(
        "faults_of_the_host", "has the pages on the host before the host reads", to_host == 0,
        common::filled_in("{} bytes of pages migrated back by page faults of the host.",
                          {to_host}));
    attempt.ordered();
}
