// 41.1: Overlap computation with a transfer
// minutes: 20
// difficulty: 2
// practises: copies between devices in pieces, streams and events
// hint: In which stream must the copy of the second piece be, if it is not to wait for the
//     addition of the first? And the additions?
// hint: Copies in one stream and additions in another overlap. What then keeps an addition from
//     running before its piece has arrived?
// hint: In a loop over the pieces: cudaMemcpyPeerAsync on one stream, cudaEventRecord after it,
//     cudaStreamWaitEvent on the other, and the launch there. The default stream will not do.
#include "common/exercise.hpp"
#include "common/problem/parts.hpp"

#include <algorithm>

void solve(const float* a, const float* b, float* room, float* c, std::size_t n);

namespace {

/// Inputs on two devices, and room on the first for a copy of what the second has.
class Apart : public common::Parts
{
  public:
    Apart(const common::Attempt& attempt, common::Team& team, std::size_t size)
        : Parts(attempt, team, "add across", size, size * sizeof(float), {{size, size}, {size, 0}},
                [this](unsigned, std::size_t first, std::size_t count, float* out) {
                    input(0, first, count, out);
                    add_input(1, first, count, out);
                })
    {}

    void poison() override
    {
        Parts::poison();
        room = common::Buffer<float>(n);
    }

    common::Buffer<float> room;
};

} // namespace

void goals(common::Attempt& attempt)
{
    constexpr std::size_t pieces = 8;
    attempt.needs_devices(2);
    common::Team team({0, 1});
    Apart problem(attempt, team, attempt.n() + 4093);
    attempt.run(problem, [&] {
        team.peer_access(true);
        solve(problem.a[0], problem.a[1], problem.room.data(), problem.c[0], problem.n);
    });
    std::size_t copied = 0;
    std::size_t longest = 0;
    for (const common::Operation& operation : attempt.operations()) {
        if (operation.kind == common::Operation::Kind::copy_peer) {
            copied += operation.bytes;
            longest = std::max<std::size_t>(longest, operation.bytes);
        }
    }
    const std::size_t read = attempt.counts().peer_bytes();
    const std::size_t bytes = problem.n * sizeof(float);
    attempt.counted_goal(
        "copied", "copies b over once, and lets no kernel read across the link",
        copied == bytes && read == 0,
        common::filled_in("{} bytes were copied from device to device, and kernels "
                          "moved {}; b has {}.",
                          {copied, read, bytes}));
    attempt.launches(pieces);
    attempt.counted_goal(
        "eighths", "cuts b into equal pieces", longest <= bytes / pieces + 1024,
        common::filled_in("one of {} pieces has {} of {} bytes.", {pieces, longest, bytes}));
    attempt.ordered(pieces);
    attempt.overlaps(pieces);
    attempt.host_never_waits();
}
