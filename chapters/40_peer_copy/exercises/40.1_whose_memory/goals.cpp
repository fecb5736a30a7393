// 40.1: Enable peer access
// minutes: 10
// difficulty: 1
// practises: the current device, peer access and its direction
// hint: The fault names two devices. Which of them runs the kernel, and whose memory does it
//     access?
// hint: One call lets the current device access the memory of another. Its first argument is the
//     other device; its second is always 0.
// hint: With device 1 current, call cudaDeviceEnablePeerAccess(0, 0) before the launch; in the
//     end, make device 0 current again.
#include "common/exercise.hpp"
#include "common/problem/parts.hpp"

void solve(const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    attempt.needs_devices(2);
    const std::size_t n = attempt.n();
    common::Team team({0, 1});
    common::Parts problem(attempt, team, "copy", n, 2 * n * sizeof(float), {{n, 0}, {0, n}},
                          [&](unsigned, std::size_t first, std::size_t count, float* out) {
                              problem.input(0, first, count, out);
                          });
    attempt.run(problem, [&] {
        for (const int device : {1, 0}) { // what the attempt before has left, either way
            CHECK_CUDA(cudaSetDevice(device));
            static_cast<void>(cudaDeviceDisablePeerAccess(1 - device));
        }
        static_cast<void>(cudaGetLastError());
        solve(problem.a[0], problem.c[1], n);
    });
    attempt.counted_goal("reads", "lets device 1 load from the memory of device 0",
                         attempt.counts().peer_load_sectors > 0,
                         "no kernel loads from another device's memory.");
    attempt.launches(1);
}
