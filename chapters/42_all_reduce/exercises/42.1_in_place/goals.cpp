// 42.1: In-place all-reduce
// minutes: 20
// difficulty: 2
// practises: the two-phase all-reduce, ownership of elements
// hint: Device 1 reads an element of device 0. At that time, is it the element or already the
//     sum?
// hint: No order of the two kernels helps, because each overwrites what the other reads. What if
//     only one device read an element, and wrote all results that depend on it?
// hint: Device 0 processes the first half of both arrays, device 1 the second: it reads both
//     elements and stores the sum to both arrays. Halves of an odd n are not equal, and one may
//     be empty.
#include "common/exercise.hpp"
#include "common/problem/parts.hpp"

void solve(float* const* a, std::size_t n);

namespace {

/// An array on each of two devices, which the sums overwrite.
class InPlace : public common::Parts
{
  public:
    InPlace(common::Attempt& attempt, common::Team& team)
        : InPlace(attempt, team, 2 * attempt.n() + 1)
    {}

    /// The outputs begin as the inputs.
    void poison() override
    {
        Parts::poison();
        std::vector<float> host(n);
        for (unsigned k = 0; k < 2; ++k) {
            input(k, 0, n, host.data());
            CHECK_CUDA(cudaMemcpy(c[k], host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        }
    }

  private:
    InPlace(common::Attempt& attempt, common::Team& team, std::size_t size)
        : Parts(attempt, team, "all-reduce", size, 2 * size * sizeof(float), {{0, size}, {0, size}},
                [this](unsigned, std::size_t first, std::size_t count, float* out) {
                    input(0, first, count, out);
                    add_input(1, first, count, out);
                })
    {}
};

} // namespace

void goals(common::Attempt& attempt)
{
    attempt.needs_devices(2);
    common::Team team({0, 1});
    InPlace problem(attempt, team);
    attempt.run(problem, [&] {
        team.peer_access(true);
        solve(problem.c.data(), problem.n);
    });
    attempt.loads_at_most(2 * problem.n * sizeof(float));
    // Where a half does not begin with a sector, a warp's words lie in five instead of four.
    attempt.link_bytes_at_most(2 * problem.n * sizeof(float) * 5 / 4 + 256);
    attempt.host_never_waits();
    attempt.kernels_are_independent();
}
