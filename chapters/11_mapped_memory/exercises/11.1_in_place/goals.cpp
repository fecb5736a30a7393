// 11.1: Zero-copy in place
// minutes: 10
// difficulty: 1
// practises: mapped memory, cudaHostGetDevicePointer, waiting for a kernel
// hint: Which addresses does a kernel need to find the host memory? The page has a function of five
//     lines that requests one from the runtime.
// hint: With the addresses from cudaHostGetDevicePointer you need no copies, and neither cudaMalloc
//     nor cudaFree. Now read the rest as the host executes it: when is host_c ready?
// hint: A launch returns before the kernel has run. cudaMemcpy to the host had waited for it;
//     without the copy, call cudaDeviceSynchronize before solve() returns.
#include "common/exercise.hpp"

void solve(float* host_a, float* host_b, float* host_c, std::size_t n);

void goals(common::Attempt& attempt)
{
    using Kind = common::Operation::Kind;
    common::VectorAdd problem(
        attempt, {.input = common::MemoryKind::mapped, .output = common::MemoryKind::mapped});
    attempt.run_transfer(problem, [&] {
        solve(const_cast<float*>(problem.a), const_cast<float*>(problem.b), problem.c, problem.n);
    });
    std::size_t copies = 0;
    std::uint64_t on_device = 0;
    for (const common::Operation& operation : attempt.operations()) {
        const bool copy = operation.kind == Kind::copy_in || operation.kind == Kind::copy_out;
        copies += copy ? 1 : 0;
        on_device += operation.kind == Kind::device_work ? operation.bytes : 0;
    }
    attempt.counted_goal("copies", "makes no copy", copies == 0,
                         common::filled_in("Copies between host and device: {}.", {copies}));
    attempt.counted_goal(
        "in_place", "works in host memory only", on_device == 0,
        common::filled_in("{} bytes were accessed in device memory.", {on_device}));
    attempt.waits();
    attempt.launches(1);
    attempt.loads_at_most(2 * problem.n * sizeof(float)); // each pays the link
    attempt.stores_at_most(problem.n * sizeof(float));
}
