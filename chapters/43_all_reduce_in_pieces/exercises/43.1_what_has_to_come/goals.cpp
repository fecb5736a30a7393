// 43.1: Count the messages to wait for
// minutes: 15
// difficulty: 2
// practises: events between devices, the all-reduce by sending
// hint: Which copy delivers the input of device 0's addition, and in which stream is it? What
//     precedes the addition of device 0 in its stream?
// hint: Work in one stream runs in order. Two streams are not ordered until an event is recorded
//     in one and the other waits for it.
// hint: Let each device record an event after its copy, in its stream, and the stream of the
//     other device wait for it, with cudaStreamWaitEvent, before the addition.
#include "common/exercise.hpp"
#include "common/problem/parts.hpp"

#include <vector>

void solve(float* const* a, float* const* room, float* const* c, std::size_t n,
           const cudaStream_t* streams);

namespace {

/// An array on each of two devices, with space for half of the other's.
class Halves : public common::Parts
{
  public:
    Halves(const common::Attempt& attempt, common::Team& team, std::size_t size)
        : Parts(attempt, team, "all-reduce", size, 2 * size * sizeof(float),
                {{size, size}, {size, size}},
                [this](unsigned, std::size_t first, std::size_t count, float* out) {
                    input(0, first, count, out);
                    add_input(1, first, count, out);
                }),
          team_(team)
    {}

    void poison() override
    {
        Parts::poison();
        rooms_.clear();
        for (unsigned k = 0; k < 2; ++k) {
            team_.use(k);
            rooms_.emplace_back(k == 0 ? n / 2 : n - n / 2);
            room[k] = rooms_[k].data();
        }
        team_.use(0);
    }

    float* room[2] = {}; ///< on each device, for the half that it owns

  private:
    common::Team& team_;
    std::vector<common::Buffer<float>> rooms_;
};

} // namespace

void goals(common::Attempt& attempt)
{
    attempt.needs_devices(2);
    common::Team team({0, 1});
    Halves problem(attempt, team, 2 * attempt.n() + 1);
    attempt.run(problem, [&] {
        team.peer_access(true);
        const cudaStream_t streams[] = {team.main(0).stream, team.main(1).stream};
        solve(problem.a.data(), problem.room, problem.c.data(), problem.n, streams);
    });
    std::size_t crossed = 0;
    for (const common::Operation& operation : attempt.operations()) {
        crossed += operation.bytes_between_devices();
    }
    const std::size_t read = attempt.counts().peer_load_sectors;
    attempt.counted_goal(
        "reads", "lets no kernel read across the link", read == 0,
        common::filled_in("kernels load {} sectors from the other device's memory.", {read}));
    // Halves cross one way, and sums the other; where a half does not begin with a sector, a warp's
    // words lie in five instead of four.
    const std::size_t most = problem.n * sizeof(float) * 9 / 4 + 256;
    attempt.at_most("crossed", "sends few bytes over the link", "bytes cross it", crossed, most);
    attempt.host_never_waits();
    attempt.ordered();
    attempt.kernels_are_independent();
}
